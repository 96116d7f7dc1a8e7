// paths.h: measures of paths in figures.
#ifndef SPRAG_TEST_REPORT_PATHS_H
#define SPRAG_TEST_REPORT_PATHS_H

#include "support/test.h"

// Area of all loops of a path; even-odd loops of a region do not overlap, so holes count negative
// by their sense of rotation.
static inline double path_area(const char *path)
{
    double total = 0, first[2] = {0, 0}, last[2] = {0, 0}, here[2];
    while (*path && *path != '"') {
        char command = *path++;
        if (command == 'z') {
            total += last[0] * first[1] - first[0] * last[1];
            continue;
        }
        char *end;
        here[0] = strtod(path, &end);
        here[1] = strtod(end, &end);
        path = end;
        if (command == 'M')
            memcpy(first, here, sizeof first);
        else
            total += last[0] * here[1] - here[0] * last[1];
        memcpy(last, here, sizeof last);
    }
    return fabs(total) / 2;
}

#endif

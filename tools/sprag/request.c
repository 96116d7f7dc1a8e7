// request.c: options that several commands read in the same way.
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sprag/report.h"

bool request_refuse(const char *command, const char *what, const char *text)
{
    fprintf(stderr, "sprag %s: %s, got '%.100s'; see 'sprag %s --help'\n", command, what, text,
            command);
    return false;
}

bool request_count(const Arguments *arguments, const char *command, const char *name, int most,
                   int *number)
{
    const char *text = arguments_value(arguments, name);
    char *end, what[80];
    if (!text)
        return true;
    long value = strtol(text, &end, 10);
    if (*text && !*end && value >= 1 && value <= most) {
        *number = (int)value;
        return true;
    }
    snprintf(what, sizeof what, "--%s takes a whole number of 1 … %d", name, most);
    return request_refuse(command, what, text);
}

bool request_file(const char *command, const char *path, const char **files, int *count)
{
    bool figure = tool_has_ending(path, ".svg") || tool_has_ending(path, ".png");
    if (!figure && !tool_is_csv(path))
        return request_refuse(command, "this version writes .csv, .svg and .png", path);
    if (tool_has_ending(path, ".png") && !sprag_figure_has_png())
        return request_refuse(
            command, "this Sprag was built without cairo and writes no .png; .svg works", path);
    for (int i = 0; i < *count; i++)
        if (strcmp(files[i], path) == 0)
            return request_refuse(command, "a file is given twice", path);
    files[(*count)++] = path;
    return true;
}

bool request_figure(const Arguments *arguments, const char *command)
{
    const char *path = arguments_value(arguments, "output");
    bool png = path && tool_has_ending(path, ".png");
    if (path && !tool_has_ending(path, ".svg") && !png)
        fprintf(stderr,
                "sprag %s: -o %.200s: this kind of file is not supported in this version; "
                ".svg and .png are\n",
                command, path);
    else if (png && !sprag_figure_has_png())
        fprintf(stderr,
                "sprag %s: -o: this Sprag was built without cairo and writes no .png; "
                ".svg works\n",
                command);
    else
        return true;
    return false;
}

int request_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > REQUEST_JOBS ? REQUEST_JOBS : (int)processors;
}

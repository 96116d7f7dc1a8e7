// fclib_private.h: a matrix of an FCLIB file, and the elimination of M.
#ifndef SPRAG_SCENE_FCLIB_PRIVATE_H
#define SPRAG_SCENE_FCLIB_PRIVATE_H

#include "friction_file.h"

// Compressed columns, rows in any order.
typedef struct Columns {
    int rows, columns;
    int *start, *row;
    double *value;
} Columns;

typedef struct Global {
    SpragContext *context;
    const char *name;
    Columns M, H;  // M v = H r + f, u = Hᵀ v + w
    double *f, *w; // w is in file->q when it is read
} Global;

void columns_destroy(SpragContext *context, Columns *columns);
// W, q of file->problem from the global form.
SpragStatus fclib_eliminate(Global *global, SpragFrictionFile *file);

#endif

// fclib_private.h: a matrix of a friction problem in global form, and the elimination of M.
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
    Columns M, H; // M v = H r + f, u = Hᵀ v + w
    Columns G;    // M v = … + G λ, 0 = Gᵀ v + b; no columns: there are no such rows
    double *f;    // w and b are in file->q when they are read
    int *place;   // where the columns of G go behind those of H
    int blocks;   // bilateral blocks that they need
} Global;

SpragStatus columns_compress(const Entries *entries, int rows, int columns, Columns *to);
void columns_destroy(SpragContext *context, Columns *columns);
// Gathers the columns of G, in their order, into blocks of d that touch two bodies each where that
// can be, and sets place and blocks.
SpragStatus fclib_place(Global *global, int d);
// W, q of file->problem from the global form.
SpragStatus fclib_eliminate(Global *global, SpragFrictionFile *file);

#endif

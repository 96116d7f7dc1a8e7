// closure.h: what the sources of closure share: the rows of the bodies asked about, and cones.
#ifndef SPRAG_ANALYSIS_CLOSURE_H
#define SPRAG_ANALYSIS_CLOSURE_H

#include "sprag/analysis.h"

// ---- Rows: closure_rows.c -----------------------------------------------------------------------

// The constraint rows as they act on the bodies asked about, in coordinates in which they are
// orthonormal as a whole: UᵀU = 1, theory.md (8.5). Rows that carry no force are zero.
typedef struct ClosureRows {
    const SpragContactProblem *problem;
    int freedom;  // coordinates to be held
    int rank;     // columns of U
    int count;    // rows that act on these coordinates
    bool failed;  // nothing is known: inertias or W are not those of bodies, or overflow
    double *U;    // row_count × rank; zero where a row does not act
    double *size; // per row: the row itself is size times what went into U
    // What a motion in the coordinates of U is: as velocities (velocity_count × (rank + 1)) and as
    // rates of all rows (row_count × (rank + 1)). If rank < freedom, the last column is a motion
    // that U does not see.
    double *motion, *rate;
} ClosureRows;

// frictionless: tangential rows carry no force, whatever the friction.
SpragStatus closure_rows_build(SpragArena *arena, const SpragContactProblem *problem, int block,
                               bool frictionless, ClosureRows *rows);

// ---- Cones: closure_cone.c ----------------------------------------------------------------------

// Which forces are allowed.
typedef struct ClosureCone {
    bool frictionless;
    int sides;  // of a cone in space
    bool outer; // around the true cone (circumscribed; guides with any force) instead of inside it
    unsigned signs; // bit i: the normal force of guide i is negative (inside only)
} ClosureCone;

typedef struct ClosureTest {
    bool decided;  // false: the linear program gave up
    double margin; // (8.6); 0: some motion is not resisted
    double *w;     // rank: that motion, in the coordinates of U
} ClosureTest;

// Whether the forces of the cone span the space positively. test->w is the caller's memory.
SpragStatus closure_cone_test(SpragArena *arena, const ClosureRows *rows, const ClosureCone *cone,
                              ClosureTest *test);
// Forces (row_count) that balance each other, as far inside of the cone as possible.
SpragStatus closure_cone_stress(SpragArena *arena, const ClosureRows *rows, const ClosureCone *cone,
                                double *force);

#endif

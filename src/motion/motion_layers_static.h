// motion_layers_static.h: forces of contacts at rest in their layers, between
// motion_layers_static.c (which finds them) and motion_layers_settle.c (which uses them).
#ifndef SPRAG_MOTION_LAYERS_STATIC_H
#define SPRAG_MOTION_LAYERS_STATIC_H

#include "motion_private.h"

// One row that is at rest and has a force.
typedef struct StaticRow {
    int contact;      // of the island
    int tangent;      // −1: normal
    double stiffness; // −λ/d: of tangents, and of normals at first
    double before;    // normal force of the pass before
    int at;           // in W
} StaticRow;

typedef struct StaticIsland {
    int count, rows, rank;
    const int *slots;
    StaticRow *row;
    double *F, *g; // rows × rows, of which `rank` columns count; Fᵀ λ = g
    double *L;     // rows × rows: F, and in normal rows what their friction of slip does beside
    double *friction;
    const double *drag;        // 2 a contact: tangential force of slip over the normal one
    double *d, *force;         // a row each
    double *slope;             // ∂λ/∂d, rows × rows
    double *z, *residual;      // rank
    double *matrix, *step;     // rank × rank, rank
    double *product;           // ∂λ/∂d F, rows × rows
    double *work;              // of the search for eigenvalues
    int *permutation;          // 2 rank
    bool linear, cones;        // normals as stiff as at first; tangents end at the cone
    double stiffness, largest; // mean of the tangents, most of the normals; N/m
} StaticIsland;

// Work space for contacts `slots` with so many rows in all.
bool static_alloc(SpragRun *run, StaticIsland *s, size_t rows);
// Finds the forces from W (rows × rows) and b, with s->friction given: what each contact holds, and
// s->drag: contacts that slip rest along their normal only, and hold nothing.
// False: there are none that leave the contacts at rest, or they were not found.
bool static_solve(const SpragRun *run, StaticIsland *s, const double *W, const double *b, int rows);

#endif

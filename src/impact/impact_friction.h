// impact_friction.h: friction at rest when normal forces are given (private to the room).
#ifndef SPRAG_IMPACT_FRICTION_H
#define SPRAG_IMPACT_FRICTION_H

#include "impact_private.h"

// Resting contacts and their bounds; arrays from the arena.
typedef struct ImpactFriction {
    int count;
    int *row, *tangents;
    double *bound;
    int *free;                 // rows inside their bounds; in space all that have one
    double *factor, *residual; // of the equations of those
    double *weight;            // space: of each contact, the largest entry of its diagonal
    int *order;                // space: scratch
    double *work, *H;
} ImpactFriction;

SPRAG_MUST_USE SpragStatus impact_friction_create(SpragArena *arena, int capacity,
                                                  ImpactFriction *friction);
void impact_friction_add(ImpactFriction *friction, int row, int tangents, double bound);
// min ½ fᵀ H f + qᵀ f over |f_i| ≤ bound_i: what slip there would be is opposed with all there is,
// (10.35). rate holds the impulse rates in all rows of W (n × n), of which the added ones are
// solved for.
void impact_friction_solve(const ImpactFriction *friction, int n, const double *W, double *rate);
// The same where contacts have two tangents (impact_friction_space.c).
void impact_friction_solve_space(const ImpactFriction *friction, int n, const double *W,
                                 double *rate);
// A strictly convex problem of discs: min ½ fᵀ H f + qᵀ f over |f_i| ≤ bound_i.
typedef struct ImpactDiscs {
    int count, rows;
    const int *size;     // rows of each disc: 0, 1 or 2
    const double *H, *q; // rows², rows
    const double *bound; // a disc
    double slope;        // size of q and H f
    double *f;           // in: inside of the discs
} ImpactDiscs;
// To about the rounding of its terms, from any f; M (rows²), work (2 count + rows): scratch.
void impact_discs_minimise(const ImpactDiscs *discs, double *M, double *work);
// |(H + s)⁻¹ q| = r for s ≥ 0, or s = 0 if that is inside; H = [h0 h1; h1 h2].
void impact_friction_disc(const double h[3], const double q[2], double r, double f[2]);

#endif

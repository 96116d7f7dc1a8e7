// impact_system.h: several contacts at once: what the schemes share (private to the room).
#ifndef SPRAG_IMPACT_SYSTEM_H
#define SPRAG_IMPACT_SYSTEM_H

#include "impact_private.h"

// A contact or limit of the reduced problem.
typedef struct ImpactItem {
    int row, row_count;
    double friction, friction_static;
    SpragImpactRule rule; // stiffness and exponent filled in
    int source;           // constraint of the problem
    bool sliding;
} ImpactItem;

// The problem with its bilateral rows eliminated (theory.md section 1): u⁺ = W P + u⁻ over the rows
// of contacts and limits. Arrays from the arena.
typedef struct ImpactSystem {
    int count, rows;
    ImpactItem *items;
    double *W, *before; // rows × rows; rows
    double *impulse, *after;
    SpragImpactContact *contacts; // one an item: what it lost
    int *place;                   // row of the problem of each row
    double scale;                 // of velocities, m/s
    // elimination, in order: row of the problem, its pivot, its entries then (all rows), velocity
    int bilateral_count;
    int *bilateral;
    double *pivot, *entries, *velocity;
} ImpactSystem;

// False in *possible: a guide with friction, which no reduction can do.
SPRAG_MUST_USE SpragStatus impact_system_build(SpragArena *arena,
                                               const SpragContactProblem *problem,
                                               const SpragImpactRule *rules, ImpactSystem *system,
                                               bool *possible);
// Impulses and velocities in all rows of the problem from those of the system.
void impact_system_restore(const ImpactSystem *system, const SpragContactProblem *problem,
                           double *impulse, double *after);
// after = W P + u⁻ of the system, from its impulses.
void impact_system_velocities(const ImpactSystem *system, double *after);
// The largest approach, ≥ 0; *item receives whose.
double impact_system_approach(const ImpactSystem *system, const double *velocity, int *item);
// Item i with the velocities given, as a contact of its own under its rule.
void impact_system_single(const ImpactSystem *system, int i, const double *velocity,
                          SpragSingleImpact *single);

// Each sets impulse, after and contacts of the system; *found false: a limit was met.
// impact_sequence.c
SPRAG_MUST_USE SpragStatus impact_sequence(ImpactSystem *system, bool *found);
// impact_together.c
SPRAG_MUST_USE SpragStatus impact_together(SpragImpact *impact, ImpactSystem *system,
                                           SpragCollisionResult *result);
// impact_path.c
SPRAG_MUST_USE SpragStatus impact_path(SpragImpact *impact, ImpactSystem *system, bool *found);

#endif

// impact_private.h: what the parts of the room share.
#ifndef SPRAG_IMPACT_PRIVATE_H
#define SPRAG_IMPACT_PRIVATE_H

#include "sprag/complementarity.h"
#include "sprag/impact.h"

// A larger coefficient acts as this one: products with it stay finite, and every result is within
// rounding of the limit μ → ∞.
static const double IMPACT_FRICTION_MAX = 1e100;
// Stick whose normal mobility B_σ of (10.7) is below this part of i2 is held by rounding only: the
// contact cannot move at all.
static const double IMPACT_LOCKED = 1e-13;
// Approach that is left at such a contact counts as zero below this part of the velocities
// before.
static const double IMPACT_LOCKED_SPEED = 1e-9;
// Energy counts as made beyond this part of what was exchanged.
static const double IMPACT_GAIN = 1e-12;

struct SpragImpact {
    SpragContext *context;
    SpragMotionSearch *search;
    SpragContactProblem copy;     // constraints at rest, b = u⁻
    SpragImpactContact *contacts; // of the last collision
    size_t contact_capacity;
    SpragArena *arena;
    SpragLcpAll *lcp_all; // of the two phases of Poisson's law
    SpragLcpWorkspace *lcp;
    struct ImpactPath *path; // made when it is first needed
    const volatile int *interrupt;
};

// impact_path_steps.c
void impact_path_destroy(SpragContext *context, struct ImpactPath *path);
enum { IMPACT_PATH_CONTACTS = 64 }; // most contacts on one impulse path
// Friction on the path acts as this one beyond it: slip then stops within 1e-6 of the collision.
static const double IMPACT_PATH_FRICTION_MAX = 1e6;

// Constraint c of the problem as a contact of its own; e = 0, a limit has no friction.
void impact_single_load(const SpragContactProblem *problem, int c, SpragSingleImpact *single);
// Of a single impact: energy_gain from the losses.
void impact_single_audit(SpragSingleResult *result);

// impact_planar.c, impact_space.c: results begin as no impulse.
void impact_planar(const SpragSingleImpact *problem, SpragSingleResult *result);
void impact_space(const SpragSingleImpact *problem, SpragSingleResult *result);

// impact_plastic.c
SPRAG_MUST_USE SpragStatus impact_search(SpragImpact *impact, SpragMotionSet *set);
// Whether u⁺ = W P + u⁻ holds with the impulses found, so well that their work is that of the
// change of velocity. Rows that depend on each other up to rounding have solutions with impulses
// that grow as the inverse of it: bodies wedged by angles that no position is known to.
bool impact_motion_holds(const SpragContactProblem *problem, const SpragMotion *motion);

// impact_bearing.c: a collision with bearings that rub, by sprag_impact_collide on those that do
// not.
bool impact_has_bearings(const SpragContactProblem *problem);
SPRAG_MUST_USE SpragStatus impact_collide_bearings(SpragImpact *impact,
                                                   const SpragContactProblem *problem,
                                                   const SpragImpactRule *rules,
                                                   SpragImpactScheme scheme, double *impulse,
                                                   double *after, SpragCollisionResult *result);

// impact_bearing_path.c: by the path of the impulses where one contact strikes; not found: it has
// none.
SPRAG_MUST_USE SpragStatus impact_bearing_path(SpragImpact *impact,
                                               const SpragContactProblem *problem,
                                               const SpragImpactRule *rules, double *impulse,
                                               double *after, SpragCollisionResult *result);

#endif

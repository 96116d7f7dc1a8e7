// impact.h: velocities that jump.
//
// A collision is told by a contact problem at velocity level: u⁺ = W P + u⁻ with u the velocities
// in the rows of W (normal, tangent of each contact) and P the impulses, theory.md section 10.
#ifndef SPRAG_IMPACT_H
#define SPRAG_IMPACT_H

#include "sprag/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a collision was resolved; the record names it.
typedef enum SpragImpactLaw {
    SPRAG_IMPACT_ROUTH_PLASTIC,   // one contact: Routh's path to the end of compression (10.9)
    SPRAG_IMPACT_VELOCITY_PLASTIC // several: the velocity-level problem (11.4) for h → 0, (10.21)
} SpragImpactLaw;

// "plastic, Routh's path" …
const char *sprag_impact_law_name(SpragImpactLaw law);

typedef struct SpragImpactResult {
    SpragImpactLaw law;
    int solution_count;   // of the velocity-level problem; more than one: the least energy is taken
    double normal_loss;   // −∫ u_N dP_N, J (theory.md (10.15)); several contacts: summed
    double friction_loss; // −∫ u_T dP_T, J
    double energy_loss;   // kinetic energy before minus after, J
    bool found;           // false: the velocity-level search was stopped at a limit
} SpragImpactResult;

typedef struct SpragImpact SpragImpact;

SPRAG_MUST_USE SpragStatus sprag_impact_create(SpragContext *context, SpragImpact **impact);
void sprag_impact_destroy(SpragImpact *impact);

// Plastic collision (restitution 0) of all contacts of the problem, whose b holds the velocities u⁻
// and whose friction is kinetic (static for contacts without slip). impulse and after: row_count
// entries.
SPRAG_MUST_USE SpragStatus sprag_impact_plastic(SpragImpact *impact,
                                                const SpragContactProblem *problem, double *impulse,
                                                double *after, SpragImpactResult *result);

#ifdef __cplusplus
}
#endif

#endif

// impact.h: velocities that jump.
//
// A collision is told by a contact problem at velocity level: u⁺ = W P + u⁻ with u the velocities
// in the rows of W (normal, tangent of each contact) and P the impulses, theory.md section 10.
#ifndef SPRAG_IMPACT_H
#define SPRAG_IMPACT_H

#include "sprag/compliance.h"
#include "sprag/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a collision was resolved; the record names it.
typedef enum SpragImpactLaw {
    SPRAG_IMPACT_ROUTH_PLASTIC,    // one contact: Routh's path to the end of compression (10.9)
    SPRAG_IMPACT_VELOCITY_PLASTIC, // several: the velocity-level problem (11.4) for h → 0, (10.21)
    SPRAG_IMPACT_ROUTH,            // one contact in the plane, 10.2–10.7
    SPRAG_IMPACT_HODOGRAPH,        // one contact in space, 10.10
    SPRAG_IMPACT_TOGETHER_NEWTON,  // complementarity, 10.11
    SPRAG_IMPACT_TOGETHER_POISSON,
    SPRAG_IMPACT_TOGETHER_MIXED, // … with both laws
    SPRAG_IMPACT_SEQUENCE,       // 10.12
    SPRAG_IMPACT_PATH,           // 10.13
    SPRAG_IMPACT_LAW_COUNT
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
// A flag (borrowed, may be NULL) that ends a long collision with SPRAG_INTERRUPTED once it is not
// zero.
void sprag_impact_set_interrupt(SpragImpact *impact, const volatile int *interrupt);
void sprag_impact_destroy(SpragImpact *impact);

// Plastic collision (restitution 0) of all contacts of the problem, whose b holds the velocities u⁻
// and whose friction is kinetic (static for contacts without slip). impulse and after: row_count
// entries.
SPRAG_MUST_USE SpragStatus sprag_impact_plastic(SpragImpact *impact,
                                                const SpragContactProblem *problem, double *impulse,
                                                double *after, SpragImpactResult *result);

// ---- One contact --------------------------------------------------------------------------------

// What happens within one impact, theory.md 10.4; the letters are those of its table.
typedef enum SpragImpactCase {
    SPRAG_IMPACT_NONE,                // no approach, and no jam: no impulse
    SPRAG_IMPACT_SLIDE,               // (e) forward slide throughout
    SPRAG_IMPACT_STICK_COMPRESSION,   // (c) slides, sticks before compression ends
    SPRAG_IMPACT_STICK_RESTITUTION,   // (d) … after
    SPRAG_IMPACT_REVERSE_COMPRESSION, // (a) slides, reverses (in space: turns through zero slip)
    SPRAG_IMPACT_REVERSE_RESTITUTION, // (b)
    SPRAG_IMPACT_STICK,               // (f) no slip at all
    SPRAG_IMPACT_SLIDE_FROM_REST,     // (g)
    SPRAG_IMPACT_CASE_COUNT
} SpragImpactCase;

// "slide", "stick-in-compression" …
const char *sprag_impact_case_name(SpragImpactCase kind);

// A single contact: u⁺ = W P + u⁻ with rows normal, tangent (plane) or normal, two tangents
// (space).
typedef struct SpragSingleImpact {
    int dimension;          // 2 or 3
    double W[9];            // dimension × dimension, row-major
    double velocity[3];     // u⁻: normal (approach < 0), tangential
    double friction;        // kinetic
    double friction_static; // for stick, ≥ kinetic (less: as kinetic), theory.md 2.3
    SpragRestitutionLaw law;
    double e;
} SpragSingleImpact;

// Losses are positive; the sum of all four is kinetic energy before minus after, theory.md (10.17).
typedef struct SpragImpactLoss {
    double normal_compression, normal_restitution;         // −∫ u_N dP_N
    double tangential_compression, tangential_restitution; // −∫ u_T · dP_T
} SpragImpactLoss;

typedef struct SpragSingleResult {
    SpragImpactCase kind;
    double impulse[3], after[3];
    double compression; // normal impulse at the end of compression, P_c (10.9); INFINITY: nothing
                        // ends it (W singular and velocities outside its range), no impulse then
    double slip_stop;   // normal impulse at which slip first stops, P_s; INFINITY: it does not. In
                        // the plane also where that is beyond the end
    double after_compression[3]; // velocities there
    double impulse_compression[3];
    SpragImpactLoss loss;
    double energy_gain; // J, > 0: the law made energy (Newton can); else 0
    bool jam;           // B_j ≤ 0: compression grows by sliding, theory.md 10.7
    bool tangential;    // no approach: an impact without collision, theory.md 10.7
} SpragSingleResult;

// Closed form in the plane (theory.md 10.3–10.7), the slip hodograph in space (10.10, errors of
// about 1e-11). Numbers are not checked; friction may be INFINITY. Approach velocity 0 with B_j < 0
// and slip is the tangential impact of 10.7.
void sprag_impact_single(const SpragSingleImpact *problem, SpragSingleResult *result);

// ---- Any number of contacts ---------------------------------------------------------------------

typedef struct SpragImpactRule {
    SpragRestitutionLaw law;
    double e;         // at its approach speed
    double stiffness; // relative to the others, for PATH; 0: 1. With unequal exponents: relative
                      // forces at a depth that stops the first velocity
    double exponent;  // of the layer, for PATH; 0: 1
} SpragImpactRule;

typedef struct SpragImpactContact {
    SpragImpactCase kind; // one contact alone, or the last one of a sequence; else NONE
    SpragImpactLoss loss; // one-phase laws (plastic, Newton together): all in compression
} SpragImpactContact;

typedef struct SpragCollisionResult {
    SpragImpactLaw law; // how it was resolved
    int solution_count; // of a complementarity problem; more than one: the least energy is taken
    double energy_loss; // kinetic energy before minus after, J; negative: made
    bool found;         // false: a limit was met, nothing else counts
    bool fell_back;     // the scheme asked for could not do it; law names the one that did
    const SpragImpactContact *contacts; // constraint_count; transient
} SpragCollisionResult;

// All contacts of the problem at once; b holds u⁻, contacts that are closed without approach take
// part, with an e of their own: on the path, and under Poisson's law, they give back what others
// press into them. One contact goes to sprag_impact_single whatever the scheme; several with all
// e = 0: as sprag_impact_plastic. rules: one a constraint (those of other kinds are not read);
// impulse, after: row_count.
//
// TOGETHER knows Newton's and Poisson's laws, PATH the energetic one and up to 64 contacts,
// SEQUENCE any mixture; what the scheme asked for does not know another does (theory.md 10.14).
// Bilateral rows are eliminated; guides with friction make the collision plastic. Bearings rub
// along the path of one contact's impulse (9.40), with several by |P_T| ≤ μ |P_N| against the slip
// after it, theory.md (9.37). Velocities within
// 1e-10 of the largest are returned as zero.
SPRAG_MUST_USE SpragStatus sprag_impact_collide(SpragImpact *impact,
                                                const SpragContactProblem *problem,
                                                const SpragImpactRule *rules,
                                                SpragImpactScheme scheme, double *impulse,
                                                double *after, SpragCollisionResult *result);

#ifdef __cplusplus
}
#endif

#endif

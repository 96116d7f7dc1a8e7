// impact_space.h: one contact in space: what its parts share (private to the room).
//
// With u = (C, S), S the slip vector, W = [w gᵀ; g H] and the normal impulse P as the variable,
// slip in direction d gives dS/dP = g − μ H d, dC/dP = w − μ g·d, theory.md (10.22).
#ifndef SPRAG_IMPACT_SPACE_H
#define SPRAG_IMPACT_SPACE_H

#include "impact_private.h"

typedef struct SpaceContact {
    double w, g[2], H[3]; // H: 11, 12, 22
    double mu, mu_static;
    double velocity[3]; // u⁻
    SpragRestitutionLaw law;
    double e;
} SpaceContact;

// Where the impact is.
typedef struct SpacePoint {
    double P[3];     // impulse
    double C, S[2];  // velocities
    double friction; // ∫ μ |S| dP, lost to friction so far
    double work;     // ∫ C dP so far
} SpacePoint;

// A leg with fixed rates per unit of normal impulse.
typedef struct SpaceLeg {
    double S[2], C, P_T[2];
} SpaceLeg;

// What follows when the slip has stopped.
typedef struct SpaceStop {
    SpaceLeg leg;
    bool stick, locked;
} SpaceStop;

// Where the law stands.
typedef struct SpaceLedger {
    bool restitution, done;
    bool compressed;          // the first compression has ended
    double work, friction, P; // at the beginning of the phase
    double given, taken;      // work taken in compression, given back before this phase, ≥ 0
    double impulse[2];        // normal, of either phase before this one
    double normal[2], tangential[2]; // losses
} SpaceLedger;

enum { SPACE_ORDER = 20 };

// A step of the hodograph over the scaled time τ of (10.24), dP = |S| dτ / most.
typedef struct SpaceStep {
    double length;      // in τ
    double most, ratio; // max(1, μ), μ / most
    SpacePoint start;
    double terms[SPACE_ORDER][4]; // series of ∫ |S| dτ, ∫ S dτ, ∫ |S|² dτ from τ¹ on
} SpaceStep;

// impact_hodograph.c
// The step that begins at a slipping point. scale: of velocities, m/s.
void space_step_build(const SpaceContact *contact, const SpacePoint *start, double scale,
                      SpaceStep *step);
// The point after the time τ within the step.
void space_step_point(const SpaceContact *contact, const SpaceStep *step, double tau,
                      SpacePoint *point);
// Slip that keeps its direction from here on (to rounding, or until it stops within the accuracy):
// its leg, and how far it reaches. False: it turns. scale: of velocities, m/s.
bool space_slip_is_straight(const SpaceContact *contact, const SpacePoint *point, double scale,
                            SpaceLeg *leg, double *reach);
// Stick, or the one direction in which slip starts, (10.26), (10.27).
void space_stop_solve(const SpaceContact *contact, SpaceStop *stop);
void space_leg_advance(const SpaceLeg *leg, double dP, SpacePoint *point);

#endif

// compliance.h: parameters of the compliant layer that decides stability.
#ifndef SPRAG_COMPLIANCE_H
#define SPRAG_COMPLIANCE_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SpragComplianceLaw {
    SPRAG_COMPLIANCE_RIGID,         // none given
    SPRAG_COMPLIANCE_KELVIN_VOIGT,  // theory.md (5.3)
    SPRAG_COMPLIANCE_HUNT_CROSSLEY, // theory.md (5.4)
    SPRAG_COMPLIANCE_HERTZ // (5.4) with β = 3/2 and K of a pair of materials and radii, see below
} SpragComplianceLaw;

// A layer as a scene or a bare problem gives it. Zero means: not given.
typedef struct SpragCompliance {
    SpragComplianceLaw law;
    double stiffness;            // Kelvin–Voigt N/m; Hunt–Crossley N/m^exponent
    double damping;              // Kelvin–Voigt, N s/m
    double alpha;                // Hunt–Crossley, Hertz, s/m
    double exponent;             // Hunt–Crossley, β
    double tangential_stiffness; // N/m; 0: as the normal one
    double tangential_damping;   // N s/m
    double epsilon, length;      // theory.md 5.4, instead of stiffness and damping
    double radius;               // Hertz: of the pair, m; 0: from the shapes
} SpragCompliance;

// Stiffness and damping of the layer linearised at a normal force (theory.md (6.4)): entry 0
// normal, 1 and 2 tangential; what the layer does not give tangentially is as the normal one.
// False (and zeros) if the layer is not given, gives only epsilon (see below), or has no slope
// (Hunt–Crossley without force): then (6.9) decides.
bool sprag_compliance_linearize(const SpragCompliance *layer, double normal_force,
                                double stiffness[3], double damping[3]);

// Stiffness and damping of a layer given by epsilon and length, from the mass (kg) and time (s)
// scales of theory.md 5.4: (5.13), (5.15) with all bars 1. A layer with a stiffness is copied.
// False if the layer says too little.
bool sprag_compliance_resolve(const SpragCompliance *layer, double mass, double time,
                              SpragCompliance *resolved);

// One side of a Hertz contact.
typedef struct SpragHertzSide {
    double young;         // Pa, > 0
    double poisson_ratio; // −1 … 0.5
    double curvature;     // 1/m: 1/R of a round one, 0 of a flat one
} SpragHertzSide;

// A Hertz layer between two sides as a Hunt–Crossley one: K = (4/3) E* √R (theory.md 5.2) with
// 1/E* = Σ (1 − ν²)/E and 1/R = Σ 1/Rᵢ, or the layer's own radius. False if a modulus is missing,
// or both sides are flat and the layer has no radius.
bool sprag_compliance_hertz(const SpragCompliance *layer, const SpragHertzSide sides[2],
                            SpragCompliance *resolved);

// α of (5.4) that makes it the law of Lankarani and Nikravesh, whose damping takes the energy of a
// collision with restitution e at the speed v (m/s, > 0): (1 − e²)/(2 v).
double sprag_compliance_alpha(double e, double v);

#ifdef __cplusplus
}
#endif

#endif

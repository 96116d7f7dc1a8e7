// compliance.h: parameters of the compliant layer that decides stability.
#ifndef SPRAG_COMPLIANCE_H
#define SPRAG_COMPLIANCE_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SpragComplianceLaw {
    SPRAG_COMPLIANCE_RIGID,        // none given
    SPRAG_COMPLIANCE_KELVIN_VOIGT, // theory.md (5.3)
    SPRAG_COMPLIANCE_HUNT_CROSSLEY // theory.md (5.4)
} SpragComplianceLaw;

// A layer as a scene or a bare problem gives it. Zero means: not given.
typedef struct SpragCompliance {
    SpragComplianceLaw law;
    double stiffness;            // Kelvin–Voigt N/m; Hunt–Crossley N/m^exponent
    double damping;              // Kelvin–Voigt, N s/m
    double alpha;                // Hunt–Crossley, s/m
    double exponent;             // Hunt–Crossley, β
    double tangential_stiffness; // N/m; 0: as the normal one
    double tangential_damping;   // N s/m
    double epsilon, length;      // theory.md 5.4, instead of stiffness and damping
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

#ifdef __cplusplus
}
#endif

#endif

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
// normal, 1 and 2 tangential. False if the layer is not given: then (6.9) decides.
bool sprag_compliance_linearize(const SpragCompliance *layer, double normal_force,
                                double stiffness[3], double damping[3]);

#ifdef __cplusplus
}
#endif

#endif

// compliance.c: the compliant layer linearised about a pressed contact.
// Problem   K̂ = dλ/dδ and Ĉ = dλ/dδ' at the deformation δ₀ where f(δ₀) = λ_N    theory.md (6.4)
// Method    closed forms: Kelvin–Voigt (5.3) is linear already; for Hunt–Crossley (5.4)
//           δ₀ = (λ_N/K)^(1/β), K̂ = β λ_N/δ₀, Ĉ = (3/2) α λ_N
// Assumes   numbers that passed the scene reader: finite, not negative
#include <math.h>

#include "sprag/compliance.h"

// Bars of theory.md (5.13), (5.15) are 1, as there.
bool sprag_compliance_resolve(const SpragCompliance *layer, double mass, double time,
                              SpragCompliance *resolved)
{
    *resolved = *layer;
    if (layer->law == SPRAG_COMPLIANCE_RIGID)
        return false;
    if (layer->stiffness > 0)
        return true;
    if (!(layer->epsilon > 0) || !(mass > 0) || !(time > 0))
        return false;
    double spring = mass / (layer->epsilon * time * time);
    double damper = mass / (sqrt(layer->epsilon) * time);
    if (resolved->tangential_stiffness == 0)
        resolved->tangential_stiffness = spring;
    if (resolved->tangential_damping == 0)
        resolved->tangential_damping = damper;
    if (layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT) {
        resolved->stiffness = spring;
        resolved->damping = damper;
        return true;
    }
    double length = layer->length;
    if (!(length > 0))
        return false;
    double depth = layer->epsilon * length;
    resolved->stiffness = mass * length / (time * time * pow(depth, layer->exponent));
    resolved->alpha = 2.0 / 3.0 * time / (sqrt(layer->epsilon) * length);
    return isfinite(resolved->stiffness) && isfinite(resolved->alpha);
}

bool sprag_compliance_linearize(const SpragCompliance *layer, double normal_force,
                                double stiffness[3], double damping[3])
{
    for (int i = 0; i < 3; i++)
        stiffness[i] = damping[i] = 0;
    if (layer->law == SPRAG_COMPLIANCE_RIGID || !(layer->stiffness > 0))
        return false;
    double normal_stiffness = layer->stiffness;
    double normal_damping = layer->damping;
    if (layer->law == SPRAG_COMPLIANCE_HUNT_CROSSLEY) {
        double depth = pow(normal_force / layer->stiffness, 1 / layer->exponent);
        normal_stiffness = layer->exponent * normal_force / depth;
        normal_damping = 1.5 * layer->alpha * normal_force;
    }
    // an unpressed Hunt–Crossley layer has no slope, and 0/0 is not a number
    if (!(normal_stiffness > 0) || !isfinite(normal_stiffness))
        return false;
    stiffness[0] = normal_stiffness;
    damping[0] = normal_damping;
    for (int i = 1; i < 3; i++) {
        stiffness[i] =
            layer->tangential_stiffness > 0 ? layer->tangential_stiffness : normal_stiffness;
        damping[i] = layer->tangential_damping > 0 ? layer->tangential_damping : normal_damping;
    }
    return true;
}

bool sprag_compliance_hertz(const SpragCompliance *layer, const SpragHertzSide sides[2],
                            SpragCompliance *resolved)
{
    double softness = 0, curvature = 0;
    *resolved = *layer;
    for (int i = 0; i < 2; i++) {
        if (!(sides[i].young > 0))
            return false;
        softness += (1 - sides[i].poisson_ratio * sides[i].poisson_ratio) / sides[i].young;
        curvature += sides[i].curvature;
    }
    double radius = layer->radius > 0 ? layer->radius : 1 / curvature;
    resolved->law = SPRAG_COMPLIANCE_HUNT_CROSSLEY;
    resolved->exponent = 1.5;
    resolved->stiffness = 4.0 / 3.0 * sqrt(radius) / softness;
    return radius > 0 && isfinite(radius) && isfinite(resolved->stiffness);
}

double sprag_compliance_alpha(double e, double v)
{
    return (1 - e * e) / (2 * v);
}

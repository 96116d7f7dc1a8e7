// compliance.c: numbers of a layer: from what is given, linearised, completed, two as one.
// Problem   K̂ = dλ/dδ and Ĉ = dλ/dδ' at the deformation δ₀ where f(δ₀) = λ_N    theory.md (6.4)
// Method    closed forms: Kelvin–Voigt (5.3) is linear already; for Hunt–Crossley (5.4)
//           δ₀ = (λ_N/K)^(1/β), K̂ = β λ_N/δ₀, Ĉ = (3/2) α λ_N
// Assumes   numbers that passed the scene reader: finite, not negative
#include <math.h>

#include "sprag/compliance.h"

// Standard gravity, m/s²: the force that a layer is taken to carry when nobody knows better.
#define GRAVITY 9.81

bool sprag_compliance_is_damped(const SpragCompliance *layer)
{
    return layer->damping > 0 || layer->alpha > 0 || layer->damping_given ||
           layer->damping_source != SPRAG_DAMPING_VALUE || layer->epsilon > 0;
}

// A Kelvin–Voigt layer that gives its restitution: its damper depends on the mass.
static bool given_by_ratio(const SpragCompliance *layer)
{
    return layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT &&
           layer->damping_source == SPRAG_DAMPING_RESTITUTION;
}

// Bars of theory.md (5.13), (5.15) are 1, as there.
bool sprag_compliance_resolve(const SpragCompliance *layer, double mass, double time,
                              SpragCompliance *resolved)
{
    *resolved = *layer;
    if (layer->law == SPRAG_COMPLIANCE_RIGID)
        return false;
    if (layer->stiffness > 0) {
        if (given_by_ratio(layer) && mass > 0)
            resolved->damping = 2 * sprag_compliance_damping_ratio(layer->restitution) *
                                sqrt(layer->stiffness * mass);
        return true;
    }
    if (!(layer->epsilon > 0) || !(mass > 0) || !(time > 0))
        return false;
    double spring = mass / (layer->epsilon * time * time);
    double damper = mass / (sqrt(layer->epsilon) * time);
    if (resolved->tangential_stiffness == 0)
        resolved->tangential_stiffness = spring;
    if (resolved->tangential_damping == 0 && !resolved->tangential_damping_given)
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

bool sprag_compliance_series(const SpragCompliance *first, const SpragCompliance *second,
                             SpragCompliance *pair)
{
    const SpragCompliance *const layers[] = {first, second};
    for (int i = 0; i < 2; i++)
        if (layers[i]->law == SPRAG_COMPLIANCE_RIGID) {
            *pair = *layers[1 - i];
            return pair->law != SPRAG_COMPLIANCE_RIGID;
        }
    *pair = *first;
    double beta = first->law == SPRAG_COMPLIANCE_KELVIN_VOIGT ? 1 : first->exponent;
    if (first->law != second->law || first->exponent != second->exponent ||
        !(first->stiffness > 0) || !(second->stiffness > 0) ||
        first->damping_source != second->damping_source)
        return false;
    // depths under a common force, and the parts that they are of their sum
    double a = pow(first->stiffness, -1 / beta), b = pow(second->stiffness, -1 / beta);
    double x = a / (a + b), y = b / (a + b);
    pair->stiffness = pow(a + b, -beta);
    pair->damping = x * x * first->damping + y * y * second->damping;
    pair->alpha = x * x * first->alpha + y * y * second->alpha;
    pair->damping_given = first->damping_given && second->damping_given;
    double p = first->tangential_stiffness, q = second->tangential_stiffness;
    bool whole = p > 0 && q > 0;
    x = whole ? q / (p + q) : 0;
    y = whole ? p / (p + q) : 0;
    pair->tangential_stiffness = whole ? p * y : 0;
    pair->tangential_damping =
        x * x * first->tangential_damping + y * y * second->tangential_damping;
    pair->tangential_damping_given =
        first->tangential_damping_given && second->tangential_damping_given;
    return true;
}

// Ĉ at a force where K̂ is the stiffness; what is not given is (6.9)'s.
static double damping_at(const SpragCompliance *given, double mass, double stiffness, double force)
{
    double ratio = SPRAG_COMPLIANCE_DAMPING;
    if (given_by_ratio(given) && given->restitution < 1)
        return 2 * sprag_compliance_damping_ratio(given->restitution) * sqrt(stiffness * mass);
    if (sprag_compliance_is_damped(given)) {
        if (given->damping > 0 || given->alpha > 0)
            return given->law == SPRAG_COMPLIANCE_KELVIN_VOIGT ? given->damping
                                                               : 1.5 * given->alpha * force;
        ratio = SPRAG_COMPLIANCE_LEAST_DAMPING;
    }
    return 2 * ratio * sqrt(stiffness * mass);
}

bool sprag_layer_complete(const SpragCompliance *given, double mass, double force,
                          SpragLayer *layer)
{
    double stiffness[3], damping[3], pressed = force > 0 ? force : mass * GRAVITY;
    bool linear = given->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    *layer = (SpragLayer){.law = given->law,
                          .stiffness = given->stiffness,
                          .exponent = linear ? 1 : given->exponent,
                          .damping = linear ? given->damping : 0,
                          .alpha = linear ? 0 : given->alpha};
    if (!sprag_compliance_linearize(given, pressed, stiffness, damping))
        return false;
    double normal = damping_at(given, mass, stiffness[0], pressed);
    if (!sprag_compliance_is_damped(given) || given_by_ratio(given)) {
        if (linear)
            layer->damping = given->restitution < 1 ? normal : 0;
        else
            layer->alpha = normal / (1.5 * pressed);
    }
    layer->tangential_stiffness = stiffness[1];
    layer->tangential_damping = given->tangential_damping;
    if (!(given->tangential_damping > 0))
        layer->tangential_damping =
            given->tangential_damping_given
                ? 2 * SPRAG_COMPLIANCE_LEAST_DAMPING * sqrt(stiffness[1] * mass)
                : normal;
    return true;
}

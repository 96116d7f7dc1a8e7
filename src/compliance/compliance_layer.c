// compliance_layer.c: normal force, energy and depth of a compliant layer.
// Problem   λN = max(0, f(δ) + g(δ, δ'))                                       theory.md (5.2)
// Method    one formula, f = K |δ|^β sgn δ, g = (C + (3/2) α f) δ': Kelvin–Voigt (5.3) has β = 1
//           and α = 0, Hunt–Crossley (5.4) has C = 0. Continued oddly to δ < 0, so that the root of
//           a lift-off can be located from both sides.
// Assumes   K > 0, β ≥ 1, C ≥ 0, α ≥ 0
#include <math.h>

#include "sprag/compliance.h"

double sprag_layer_elastic(const SpragLayer *layer, double depth)
{
    // those of the usual laws, many times faster
    if (layer->exponent == 1)
        return layer->stiffness * depth;
    if (layer->exponent == 1.5)
        return layer->stiffness * depth * sqrt(fabs(depth));
    if (layer->exponent == 2)
        return layer->stiffness * depth * fabs(depth);
    return copysign(layer->stiffness * pow(fabs(depth), layer->exponent), depth);
}

// f'(δ); of Hunt–Crossley 0 at δ = 0.
static double elastic_slope(const SpragLayer *layer, double depth)
{
    double beta = layer->exponent;
    return beta == 1
               ? layer->stiffness
               : layer->stiffness * beta * (beta == 2 ? fabs(depth) : pow(fabs(depth), beta - 1));
}

void sprag_layer_raw_slopes(const SpragLayer *layer, double depth, double rate, double *by_depth,
                            double *by_rate)
{
    *by_depth = elastic_slope(layer, depth) * (1 + 1.5 * layer->alpha * rate);
    *by_rate = layer->damping + 1.5 * layer->alpha * sprag_layer_elastic(layer, depth);
}

double sprag_layer_normal(const SpragLayer *layer, double depth, double rate, double *raw,
                          double *by_depth, double *by_rate)
{
    double f = sprag_layer_elastic(layer, depth);
    double damper = layer->damping + 1.5 * layer->alpha * f;
    double force = f + damper * rate;
    bool pressed = depth >= 0 && force > 0;
    if (raw)
        *raw = force;
    if (by_depth)
        *by_depth = pressed ? elastic_slope(layer, depth) * (1 + 1.5 * layer->alpha * rate) : 0;
    if (by_rate)
        *by_rate = pressed ? damper : 0;
    return pressed ? force : 0;
}

double sprag_layer_energy(const SpragLayer *layer, double depth)
{
    double beta = layer->exponent;
    return depth > 0 ? layer->stiffness * pow(depth, beta + 1) / (beta + 1) : 0;
}

double sprag_layer_depth(const SpragLayer *layer, double force)
{
    return force > 0 ? pow(force / layer->stiffness, 1 / layer->exponent) : 0;
}

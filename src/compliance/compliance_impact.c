// compliance_impact.c: an isolated normal impact on a layer, and the damping that a restitution
// asks for.
// Problem   m δ'' = −λN(δ, δ'), δ(0) = 0, δ'(0) = v, until the force is zero
// Method    Kelvin–Voigt: closed forms, theory.md (5.6), (5.20), (5.21).
//           Hunt–Crossley: with a = (3/2) α, s = ln(1 + a δ') and ψ(s) = exp s − 1 − s the speed
//           and the depth of a passage are tied by ψ(s) + (a²/m) ∫ f dδ = E, E = ψ(ln(1 + a v)),
//           theory.md (5.22), so that s runs from ln(1 + a v) down to the other root of ψ = E.
//           That root gives (5.5); time is m/(a K) ∫ δ^−β ds, whose singular ends are taken away by
//           s = end ∓ u^(β+1). Gauss's rule on panels.
// Assumes   m, v, K > 0; β ≥ 1
#include <math.h>

#include "sprag/compliance.h"

#define PI 3.14159265358979323846

// A smaller a v changes restitution, time and force by less than this part: undamped.
#define LEAST_LOSS 1e-7
enum { BISECTIONS = 200, PANELS = 64, SERIES_TERMS = 24 };

// ---- Kelvin–Voigt -------------------------------------------------------------------------------

// ω t at which the force of (5.3) is zero again, theory.md (5.20).
static double release_phase(double z)
{
    double y = sqrt(fabs(1 - z * z));
    if (y < 1e-8)
        return 2;
    // π − 2 asin z and 2 ln(z + y), without cancellation near 1
    return z < 1 ? 2 * acos(z) / y : 2 * log1p(z - 1 + y) / y;
}

static void impact_linear(double omega, double z, double mass, double v, SpragLayerImpact *impact)
{
    double y = sqrt(fabs(1 - z * z)), phase = release_phase(z);
    impact->restitution = exp(-z * phase);
    impact->restitution_at_zero = z < 1 && y > 0 ? exp(-PI * z / y) : 0;
    impact->contact_time = phase / omega;
    // acos z/√(1 − z²), continued by acosh beyond 1
    double turn = y < 1e-8 ? 1 : z < 1 ? acos(z) / y : acosh(z) / y;
    impact->depth = v / omega * exp(-z * turn);
    double peak = z < 0.5 ? exp(-z * (3 * acos(z) - PI) / y) : 2 * z;
    impact->force = mass * omega * v * peak;
}

// (5.6) falls from 1 to 0 as z rises.
double sprag_compliance_damping_ratio(double e)
{
    if (!(e < 1))
        return 0;
    double low = 0, high = 1;
    while (exp(-high * release_phase(high)) > e && high < 1e150)
        high *= 2;
    for (int i = 0; i < BISECTIONS && low < high; i++) {
        double z = 0.5 * (low + high);
        if (z <= low || z >= high)
            break;
        if (exp(-z * release_phase(z)) > e)
            low = z;
        else
            high = z;
    }
    return 0.5 * (low + high);
}

// ---- Hunt–Crossley: restitution -----------------------------------------------------------------

// (5.5) as difference of its sides over w², w = (3/2) α v: falls through zero as e rises, and as w
// does. Near w = 0 its terms cancel, and the series takes over.
static double balance(double w, double e)
{
    if (w > 0.1)
        return (w * (1 + e) - log1p(w) + log1p(-fmin(w * e, 1))) / (w * w);
    double sum = 0, power = 1, sign = 1, e_power = e * e;
    for (int k = 2; k < SERIES_TERMS; k++) {
        sum += (sign - e_power) * power / k;
        power *= w;
        e_power *= e;
        sign = -sign;
    }
    return sum;
}

// The root of `balance` in w (by_speed) or in e, where it falls from above to below zero.
static double solve_balance(double fixed, bool by_speed, double low, double high)
{
    for (int i = 0; i < BISECTIONS; i++) {
        double x = 0.5 * (low + high);
        if (x <= low || x >= high)
            break;
        if ((by_speed ? balance(x, fixed) : balance(fixed, x)) > 0)
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

double sprag_compliance_alpha_of(SpragDampingSource source, double e, double v)
{
    switch (source) {
    case SPRAG_DAMPING_LANKARANI:
        return sprag_compliance_alpha(e, v);
    case SPRAG_DAMPING_FLORES:
        return 16 * (1 - e) / (15 * e * v);
    case SPRAG_DAMPING_RESTITUTION:
        return e < 1 ? solve_balance(e, true, 0, 1 / e) / (1.5 * v) : 0;
    default:
        return 0;
    }
}

// ---- Hunt–Crossley: time and force --------------------------------------------------------------

typedef struct Passage {
    double beta;
    double top, bottom; // s at the start; −s at the end
    double E;
} Passage;

// E − ψ at a distance h from the start or the end.
static double below(const Passage *p, bool start, double h)
{
    double s = start ? p->top : -p->bottom;
    if (start)
        return -exp(s) * expm1(-h) - h;
    // a far end has exp s = 0 and expm1 h = ∞
    return h - (h < 1 ? exp(s) * expm1(h) : exp(s + h) - exp(s));
}

// ∫ (1 − ψ/E)^(−β/(β+1)) ds from one end to s = 0.
static double half_time(const Passage *p, bool start)
{
    static const double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                  0.9602898564975363};
    static const double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
    double n = p->beta + 1, length = pow(start ? p->top : p->bottom, 1 / n);
    double half = 0.5 * length / PANELS, sum = 0;
    for (int i = 0; i < 8 * PANELS; i++) {
        int k = i % 4, panel = i / 8;
        double u = half * (2 * panel + 1 + (i % 8 < 4 ? node[k] : -node[k]));
        double depth = pow(below(p, start, pow(u, n)) / p->E, -p->beta / n);
        sum += weight[k] * depth * n * pow(u, p->beta);
    }
    return sum * half;
}

// Largest ξ^β exp s, force over K δmax^β, for s in 0 … top, where it has one maximum.
static double greatest_force(const Passage *p)
{
    double low = 0, high = p->top, part = p->beta / (p->beta + 1);
    for (int i = 0; i < BISECTIONS && high - low > 1e-12 * p->top; i++) {
        double s = 0.5 * (low + high), rest = below(p, true, p->top - s);
        // derivative of part ln(E − ψ) + s
        if (part * expm1(s) < rest)
            low = s;
        else
            high = s;
    }
    double s = 0.5 * (low + high);
    return pow(below(p, true, p->top - s) / p->E, part) * exp(s);
}

// Without damping: theory.md (5.19).
static void impact_elastic(const SpragLayer *layer, double mass, double v, SpragLayerImpact *impact)
{
    double n = layer->exponent + 1;
    impact->restitution = impact->restitution_at_zero = 1;
    impact->depth = pow(n * mass * v * v / (2 * layer->stiffness), 1 / n);
    impact->force = sprag_layer_elastic(layer, impact->depth);
    impact->contact_time =
        2 * impact->depth / v * sqrt(PI) * tgamma(1 / n) / (n * tgamma(1 / n + 0.5));
}

static void impact_damped(const SpragLayer *layer, double mass, double v, SpragLayerImpact *impact)
{
    double a = 1.5 * layer->alpha, w = a * v, beta = layer->exponent, n = beta + 1;
    double e = solve_balance(w, false, 0, fmin(1, 1 / w));
    Passage p = {.beta = beta, .top = log1p(w)};
    // w e is 1 to rounding for heavy damping, and then (5.5) itself gives the logarithm
    p.bottom = w > 1 ? w * (1 + e) - p.top : -log1p(-w * e);
    p.E = w > 0.1 ? w - p.top : w * w * balance(w, 0);
    impact->restitution = impact->restitution_at_zero = e;
    impact->depth = pow(mass * p.E * n / (a * a * layer->stiffness), 1 / n);
    double force = sprag_layer_elastic(layer, impact->depth);
    impact->force = force * greatest_force(&p);
    impact->contact_time = mass / (a * force) * (half_time(&p, true) + half_time(&p, false));
}

void sprag_layer_impact(const SpragLayer *layer, double mass, double speed,
                        SpragLayerImpact *impact)
{
    if (layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT) {
        double omega = sqrt(layer->stiffness / mass);
        impact_linear(omega, layer->damping / (2 * mass * omega), mass, speed, impact);
    } else if (1.5 * layer->alpha * speed < LEAST_LOSS) {
        impact_elastic(layer, mass, speed, impact);
    } else {
        impact_damped(layer, mass, speed, impact);
    }
}

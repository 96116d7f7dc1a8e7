// compliance_friction.c: friction as a multiple of the normal force.
// Problem   λT = r(σ, z) λN, z' = h(σ, z) with slip σ and bristle deflection z
// Method    closed forms with derivatives:
//             tanh        r = −μ(σ) tanh(σ/γ)                                  theory.md (7.1)
//             Oden–Pires  r = −μ(σ) s (2 − |s|), s = σ/γ held in −1 … 1        theory.md (7.5)
//             Karnopp     r = −μ(σ) sgn σ beyond the band, 0 within            theory.md (7.6)
//             Dahl        r = −σ0 z − σ2 σ,  z' = σ |u|^i sgn u,
//                         u = 1 − σ0 z sgn(σ)/μ                                theory.md (7.7)
//             LuGre       r = −σ0 z − σ1 z' − σ2 σ,  z' = σ − σ0 |σ| z/μ(σ)    theory.md (7.9)
//           μ(σ) = μk + (μs − μk) exp(−(σ/s)²)                                 theory.md (7.4)
// Assumes   numbers that passed the scene reader: finite, not negative, speeds and σ0 > 0. Dahl's
//           law has one μ, the kinetic one.
#include <math.h>

#include "sprag/compliance.h"

// Steps of the iteration for creep; only where the force is within about 1e-8 of the largest that
// the law can carry do they not suffice for all digits.
enum { CREEP_STEPS = 20000 };

const char *sprag_friction_law_name(SpragFrictionLawKind kind)
{
    static const char *const names[] = {"coulomb", "tanh", "oden-pires",
                                        "karnopp", "dahl", "lugre"};
    return names[kind];
}

bool sprag_friction_law_is_smooth(const SpragFrictionLaw *law)
{
    return law->kind != SPRAG_FRICTION_COULOMB && law->kind != SPRAG_FRICTION_KARNOPP;
}

bool sprag_friction_law_has_state(const SpragFrictionLaw *law)
{
    return law->kind == SPRAG_FRICTION_DAHL || law->kind == SPRAG_FRICTION_LUGRE;
}

// μ(σ) and its derivative where no jump at zero slip is wanted: without a Stribeck speed the
// kinetic one throughout.
static double smooth_coefficient(const SpragFrictionNumbers *numbers, double slip, double *slope)
{
    double s = numbers->stribeck;
    *slope = 0;
    if (!(s > 0))
        return numbers->kinetic;
    double x = slip / s, extra = (numbers->stationary - numbers->kinetic) * exp(-x * x);
    *slope = -2 * (x / s) * extra;
    return numbers->kinetic + extra;
}

double sprag_friction_coefficient(const SpragFrictionNumbers *numbers, double slip)
{
    double slope;
    return slip == 0 ? numbers->stationary : smooth_coefficient(numbers, slip, &slope);
}

static double sign_of(double x)
{
    return (double)(x > 0) - (double)(x < 0);
}

// r = −μ(σ) shape(σ) of the laws without a state.
static void evaluate_shape(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                           double slip, SpragFrictionRatio *result)
{
    double mu_slope, mu = smooth_coefficient(numbers, slip, &mu_slope);
    double s = slip / law->speed, shape = sign_of(slip), slope = 0;
    switch (law->kind) {
    case SPRAG_FRICTION_TANH:
        shape = tanh(s);
        // 1 − tanh² cancels where the law is flat
        slope = 1 / (law->speed * cosh(s) * cosh(s));
        break;
    case SPRAG_FRICTION_REGULARIZED:
        if (fabs(s) < 1) {
            shape = s * (2 - fabs(s));
            slope = 2 * (1 - fabs(s)) / law->speed;
        }
        break;
    case SPRAG_FRICTION_KARNOPP:
        if (fabs(slip) <= law->speed)
            shape = 0;
        break;
    default:
        break;
    }
    result->ratio = -mu * shape;
    result->by_slip = -mu * slope - mu_slope * shape;
}

static void evaluate_dahl(const SpragFrictionLaw *law, double mu, double slip, double z,
                          SpragFrictionRatio *result)
{
    double sigma0 = law->stiffness, i = law->exponent > 0 ? law->exponent : 1;
    double sign = sign_of(slip), u = mu > 0 ? 1 - sigma0 * z * sign / mu : 0;
    double pace = copysign(pow(fabs(u), i), u);
    result->state_rate = slip * pace;
    result->rate_by_slip = pace;
    result->rate_by_state = mu > 0 ? -fabs(slip) * (i * pow(fabs(u), i - 1)) * sigma0 / mu : 0;
    result->ratio = -sigma0 * z - law->viscous * slip;
    result->by_slip = -law->viscous;
    result->by_state = -sigma0;
}

static void evaluate_lugre(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                           double slip, double z, SpragFrictionRatio *result)
{
    double mu_slope, mu = smooth_coefficient(numbers, slip, &mu_slope);
    double sigma0 = law->stiffness, sigma1 = law->damping;
    if (mu > 0) {
        double bend = sigma0 * z / mu;
        result->state_rate = slip - fabs(slip) * bend;
        result->rate_by_slip = 1 - sign_of(slip) * bend + fabs(slip) * bend * mu_slope / mu;
        result->rate_by_state = -fabs(slip) * sigma0 / mu;
    }
    result->ratio = -sigma0 * z - sigma1 * result->state_rate - law->viscous * slip;
    result->by_slip = -sigma1 * result->rate_by_slip - law->viscous;
    result->by_state = -sigma0 - sigma1 * result->rate_by_state;
}

void sprag_friction_law_evaluate(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                 double slip, double state, SpragFrictionRatio *result)
{
    *result = (SpragFrictionRatio){0};
    switch (law->kind) {
    case SPRAG_FRICTION_DAHL:
        evaluate_dahl(law, numbers->kinetic, slip, state, result);
        break;
    case SPRAG_FRICTION_LUGRE:
        evaluate_lugre(law, numbers, slip, state, result);
        break;
    default:
        evaluate_shape(law, numbers, slip, result);
        break;
    }
}

double sprag_friction_law_holds(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers)
{
    double slope;
    if (law->kind == SPRAG_FRICTION_DAHL)
        return numbers->kinetic;
    return sprag_friction_law_is_smooth(law) ? smooth_coefficient(numbers, 0, &slope)
                                             : numbers->stationary;
}

double sprag_friction_law_steady(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                 double slip)
{
    SpragFrictionRatio ratio;
    double slope;
    switch (law->kind) {
    case SPRAG_FRICTION_DAHL:
        return numbers->kinetic + law->viscous * fabs(slip);
    case SPRAG_FRICTION_LUGRE:
        return smooth_coefficient(numbers, slip, &slope) + law->viscous * fabs(slip);
    case SPRAG_FRICTION_COULOMB:
    case SPRAG_FRICTION_KARNOPP:
        return sprag_friction_coefficient(numbers, slip);
    default:
        evaluate_shape(law, numbers, slip, &ratio);
        return fabs(ratio.ratio);
    }
}

// The least root of μ(σ) shape(σ) = ratio is the limit of σ ← shape⁻¹(ratio/μ(σ)) from σ = 0: μ
// falls with σ, so the iteration rises and never passes a root.
double sprag_friction_law_creep(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                double ratio)
{
    double wanted = fabs(ratio), slip = 0;
    if (wanted == 0)
        return 0;
    if (wanted > sprag_friction_law_holds(law, numbers))
        return INFINITY;
    if (law->kind != SPRAG_FRICTION_TANH && law->kind != SPRAG_FRICTION_REGULARIZED)
        return 0;
    for (int i = 0; i < CREEP_STEPS; i++) {
        double slope, part = wanted / smooth_coefficient(numbers, slip, &slope);
        bool tanh_law = law->kind == SPRAG_FRICTION_TANH;
        if (part > 1 || (tanh_law && part == 1))
            return INFINITY;
        double next = law->speed * (tanh_law ? atanh(part) : 1 - sqrt(1 - part));
        bool done = next <= slip || !(numbers->stribeck > 0);
        slip = next;
        if (done)
            break;
    }
    return slip;
}

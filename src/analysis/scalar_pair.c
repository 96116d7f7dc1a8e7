// scalar_pair.c: the three problems of theory.md section 9 in one form, and what is wrong in them.
//
// Scalar     (9.1) as a pair: a q_1'' + b + f = tau and c q_2'' + d = F, q_1 = q_2. It is the
//            simplest pair with (9.1) as its rigid limit; (9.8) gives h_s = (a + s mu c)/(a c), so
//            stability is the sign of the effective inertia a + s mu c.
// Screw      (9.12), (9.13) with q_1 = q, q_2 = y, g(y) = y/l. The spring is axial: X = F_ax = F_n
//            cos(theta) cos(alpha) - f sin(alpha), which is kappa cos(alpha ± rho) F_n while it
//            slips (9.14). With v in radians, X = (k l) v.
// Springs    in series: 1/k = 1/k_axial + (ratio)²/k_torsion.
#include <math.h>

#include "scalar_private.h"

static double in_series(double along, double torsion, double ratio)
{
    if (along <= 0 || torsion <= 0)
        return along > 0 ? along : torsion > 0 && ratio != 0 ? torsion / (ratio * ratio) : 0;
    return 1 / (1 / along + ratio * ratio / torsion);
}

void sprag_pair_of_scalar(const SpragScalar *scalar, SpragPair *pair)
{
    double sign = scalar->c < 0 ? -1 : 1; // |c q'' + d| does not see it
    SpragPair made = {.a = {scalar->a, sign * scalar->c},
                      .b = {scalar->b, sign * scalar->d},
                      .c = {0, -1},
                      .d = {1, 0},
                      .friction = scalar->friction,
                      .slip = {1, 0},
                      .slope = 1,
                      .x_normal = 1,
                      .stiffness = scalar->stiffness,
                      .damping = scalar->damping,
                      .normal_sign = sign};
    *pair = made;
}

void sprag_pair_of_screw(const SpragScrew *screw, SpragPair *pair)
{
    double l = screw->lead, radius = l / tan(screw->helix);
    double sine = sin(screw->helix), cosine = cos(screw->helix), across = cos(screw->thread_angle);
    double k = in_series(screw->stiffness, screw->torsion, l);
    SpragPair made = {.a = {screw->inertia, screw->mass},
                      .b = {0, screw->mass * screw->gravity},
                      .c = {radius * across * sine, -across * cosine},
                      .d = {radius * cosine, sine},
                      .friction = screw->friction,
                      .slip = {1, 0},
                      .slope = 1 / l,
                      .x_normal = across * cosine,
                      .x_friction = -sine,
                      .stiffness = k * l,
                      .damping = screw->damping * l,
                      .normal_sign = 1,
                      .second = 1,
                      .stretch = l};
    *pair = made;
}

void sprag_pair_of_transmission(const SpragTransmission *transmission, SpragPair *pair)
{
    SpragPair made = {.friction = transmission->friction,
                      .curve = transmission->curve,
                      .position = transmission->position,
                      .value = transmission->value,
                      .slope = transmission->slope,
                      .curvature = transmission->curvature,
                      .x_normal = 1,
                      .damping = transmission->damping,
                      .normal_sign = 1,
                      .second = 1,
                      .stretch = transmission->c[0],
                      .output = 1};
    for (int i = 0; i < 2; i++) {
        made.a[i] = transmission->a[i];
        made.b[i] = transmission->b[i];
        made.c[i] = transmission->c[i];
        made.d[i] = transmission->d[i];
        made.slip[i] = transmission->slip[i];
    }
    double g[3];
    sprag_pair_ratio(&made, transmission->position, g);
    made.stiffness = in_series(transmission->stiffness, transmission->torsion, g[1]);
    *pair = made;
}

void sprag_pair_ratio(const SpragPair *pair, double q2, double g[3])
{
    if (pair->curve) {
        sprag_curve_evaluate(pair->curve, q2, g);
        return;
    }
    double x = q2 - pair->position;
    g[0] = pair->value + pair->slope * x + 0.5 * pair->curvature * x * x;
    g[1] = pair->slope + pair->curvature * x;
    g[2] = pair->curvature;
}

// ---- What is wrong ------------------------------------------------------------------------------

SpragStatus sprag_screw_check(SpragContext *context, const SpragScrew *screw)
{
    const double right = 1.5707963267948966;
    struct {
        const char *what;
        double value;
    } positive[] = {{"inertia", screw->inertia}, {"mass", screw->mass}, {"lead", screw->lead}};
    for (int i = 0; i < 3; i++)
        if (!(positive[i].value > 0) || !isfinite(positive[i].value))
            return sprag_fail(context, SPRAG_ERROR_INPUT, "%s must be a number > 0, got %g",
                              positive[i].what, positive[i].value);
    if (!(screw->helix > 0) || !(screw->helix < right))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "helix must be between 0 and 90 deg, got %g rad", screw->helix);
    if (!(screw->thread_angle >= 0) || !(screw->thread_angle < right))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "thread-angle must be from 0 to below 90 deg, got %g rad",
                          screw->thread_angle);
    if (!(screw->friction >= 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "friction must be a number >= 0, got %g",
                          screw->friction);
    double limit = cos(screw->thread_angle) / tan(screw->helix);
    if (!(screw->friction < limit))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "friction must be below cos(thread-angle)/tan(helix) = %.6g, got %g: "
                          "beyond it cos(α + ρ) ≤ 0 (theory.md (9.15)) and no torque drives the "
                          "nut",
                          limit, screw->friction);
    return SPRAG_OK;
}

static SpragStatus check_slip(SpragContext *context, const SpragPair *pair)
{
    double g[3], K[2] = {0, 0};
    sprag_pair_ratio(pair, pair->position, g);
    if (pair->c[0] * pair->d[1] - pair->c[1] * pair->d[0] == 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "c_1 d_2 - c_2 d_1 must not be 0: friction would act as the normal force "
                          "does, and forces at rest are undetermined");
    if (pair->slip[0] * g[1] + pair->slip[1] == 0)
        return sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "slip must not vanish: slip_1 g' + slip_2 is 0, so the guide never slips");
    for (int i = 0; i < 2; i++) {
        if (pair->a[i] == 0)
            continue;
        K[0] += pair->slip[i] * pair->c[i] / pair->a[i];
        K[1] += pair->slip[i] * pair->d[i] / pair->a[i];
    }
    if (!(K[1] * pair->x_normal - K[0] * pair->x_friction > 0))
        return sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "friction must oppose the slip: slip_1 d_1/a_1 + slip_2 d_2/a_2 must be > "
            "0, it is %g",
            K[1]);
    return SPRAG_OK;
}

SpragStatus sprag_pair_check(SpragContext *context, const SpragPair *pair)
{
    if (!(pair->a[0] > 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "the inertia a must be a number > 0, got %g",
                          pair->a[0]);
    if (!(pair->a[1] >= 0) || (pair->second > 0 && pair->a[1] == 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "the inertia a_2 must be a number > 0, got %g", pair->a[1]);
    if (!(pair->friction >= 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "friction must be a number >= 0, got %g",
                          pair->friction);
    if (!(pair->stiffness >= 0) || !(pair->damping >= 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "stiffness and damping must not be negative");
    double g[3];
    sprag_pair_ratio(pair, pair->position, g);
    if (g[1] == 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "the ratio g' must not be 0: the coordinates would not be coupled");
    if (!(pair->x_normal - pair->friction * fabs(pair->x_friction) > 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "friction is too large: the layer would carry no force (theory.md "
                          "(9.15))");
    return check_slip(context, pair);
}

// ---- Facts of a screw ---------------------------------------------------------------------------

void sprag_screw_facts(const SpragScrew *screw, SpragScrewFacts *facts)
{
    double across = cos(screw->thread_angle), slope = tan(screw->helix);
    double I = screw->inertia, load = screw->mass * screw->lead * screw->lead; // m l²
    facts->kappa = hypot(screw->friction, across);
    facts->rho = atan2(screw->friction, across);
    facts->radius = screw->lead / slope;
    facts->friction_limit = across / slope;
    for (int i = 0; i < 2; i++) {
        double turned = tan(screw->helix + (i == 0 ? facts->rho : -facts->rho)) / slope; // 1/eta_i
        facts->efficiency[i] = 1 / turned;
        facts->effective_inertia[i] = I + load * turned;
    }
    facts->self_locking = facts->rho > screw->helix;
    facts->paradox = facts->effective_inertia[1] < 0;
    facts->critical_inertia =
        facts->self_locking ? load * tan(facts->rho - screw->helix) / slope : 0;
    double critical = across * tan(screw->helix + atan(I * slope / load));
    facts->critical_friction =
        critical > 0 && critical < facts->friction_limit ? critical : INFINITY;
}

// Friction laws: derivatives against finite differences, steady curves, creep, Dahl's and LuGre's
// limit curves against closed forms by a Runge–Kutta integration of this file.
#include "support/test.h"

static const SpragFrictionLaw laws[] = {
    {.kind = SPRAG_FRICTION_COULOMB},
    {.kind = SPRAG_FRICTION_TANH, .speed = 2e-3},
    {.kind = SPRAG_FRICTION_REGULARIZED, .speed = 3e-3},
    {.kind = SPRAG_FRICTION_KARNOPP, .speed = 1e-3},
    {.kind = SPRAG_FRICTION_DAHL, .stiffness = 4e4, .exponent = 1, .viscous = 0.1},
    {.kind = SPRAG_FRICTION_DAHL, .stiffness = 1e4, .exponent = 1.5},
    {.kind = SPRAG_FRICTION_LUGRE, .stiffness = 1e5, .damping = 30, .viscous = 0.4},
};
enum { LAW_COUNT = sizeof laws / sizeof *laws };

static const SpragFrictionNumbers plain = {0.5, 0.5, 0}, stribeck = {0.6, 0.4, 5e-3},
                                  jump = {0.6, 0.4, 0};

static SpragFrictionRatio at(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                             double slip, double z)
{
    SpragFrictionRatio ratio;
    sprag_friction_law_evaluate(law, numbers, slip, z, &ratio);
    return ratio;
}

// Central differences with step h: truncation h² f‴/6, rounding 1e-16 f/h.
static void check_derivatives(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                              double slip, double z)
{
    double h = 1e-5 * fmax(fabs(slip), 1e-3), k = 1e-6 / fmax(law->stiffness, 1);
    SpragFrictionRatio now = at(law, numbers, slip, z);
    SpragFrictionRatio a = at(law, numbers, slip - h, z), b = at(law, numbers, slip + h, z);
    SpragFrictionRatio c = at(law, numbers, slip, z - k), d = at(law, numbers, slip, z + k);
    double scale = 1 / 1e-3; // slopes are μ over millimetres a second
    assert_close(now.by_slip, (b.ratio - a.ratio) / (2 * h), 1e-6 * scale);
    assert_close(now.rate_by_slip, (b.state_rate - a.state_rate) / (2 * h), 1e-6);
    double slope = fmax(law->stiffness * (1 + law->damping * fabs(slip) / 0.4), 1);
    assert_close(now.by_state, (d.ratio - c.ratio) / (2 * k), 1e-6 * slope);
    assert_close(now.rate_by_state, (d.state_rate - c.state_rate) / (2 * k), 1e-6 * slope);
}

static void test_derivatives(void **state)
{
    (void)state;
    static const double slips[] = {-1.3, -2.2e-2, -2.4e-3, -0.7e-3, 0.3e-3, 1.7e-3, 4e-3, 0.5};
    const SpragFrictionNumbers *const numbers[] = {&plain, &stribeck, &jump};
    for (int l = 0; l < LAW_COUNT; l++)
        for (size_t n = 0; n < 3; n++)
            for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
                for (int k = -1; k < 2; k++)
                    check_derivatives(&laws[l], numbers[n], slips[i],
                                      k * 0.3 / fmax(laws[l].stiffness, 1));
}

// Friction opposes slip; far from rest every law is Coulomb's (with the viscous part).
static void test_far_from_rest(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; l++)
        for (int sign = -1; sign < 2; sign += 2) {
            double slip = sign * 0.2, z = 0;
            if (sprag_friction_law_has_state(&laws[l]))
                z = sign * stribeck.kinetic / laws[l].stiffness;
            SpragFrictionRatio ratio = at(&laws[l], &stribeck, slip, z);
            assert_close(ratio.ratio, -sign * 0.4 - laws[l].viscous * slip, 1e-14);
            assert_close(ratio.state_rate, 0, 1e-15);
        }
    // nothing without friction
    SpragFrictionNumbers none = {0};
    for (int l = 0; l < LAW_COUNT; l++) {
        SpragFrictionRatio ratio = at(&laws[l], &none, 0.1, 0);
        assert_close(ratio.ratio, -laws[l].viscous * 0.1, 0);
        assert_close(ratio.state_rate, 0, 0);
    }
}

static void test_coefficient(void **state)
{
    (void)state;
    assert_true(sprag_friction_coefficient(&jump, 0) == 0.6);
    assert_true(sprag_friction_coefficient(&jump, 1e-300) == 0.4);
    assert_close(sprag_friction_coefficient(&stribeck, -5e-3), 0.4 + 0.2 * exp(-1), 1e-15);
    assert_true(sprag_friction_coefficient(&stribeck, 1e200) == 0.4);
    // Karnopp: at rest within the band, kinetic beyond
    assert_true(at(&laws[3], &jump, 1e-3, 0).ratio == 0);
    assert_true(at(&laws[3], &jump, 1.001e-3, 0).ratio == -0.4);
}

static void test_creep(void **state)
{
    (void)state;
    const double parts[] = {1e-6, 0.3, 0.9, 0.999};
    for (int l = 1; l < 3; l++)
        for (size_t i = 0; i < 4; i++) {
            double creep = sprag_friction_law_creep(&laws[l], &plain, 0.5 * parts[i]);
            double s = creep / laws[l].speed;
            assert_close(l == 1 ? tanh(s) : s * (2 - s), parts[i], 1e-13);
            // with Stribeck it carries the same force, and nothing slower does
            double wanted = 0.6 * parts[i] * 0.8;
            double slow = sprag_friction_law_creep(&laws[l], &stribeck, -wanted);
            assert_close(at(&laws[l], &stribeck, slow, 0).ratio, -wanted, 1e-12);
            for (int k = 1; k < 100; k++)
                assert_true(-at(&laws[l], &stribeck, slow * k / 100, 0).ratio < wanted);
        }
    // Theory.md (7.3)
    assert_close(sprag_friction_law_creep(&laws[1], &plain, 0.25), 2e-3 * atanh(0.5), 1e-17);
    for (int l = 0; l < LAW_COUNT; l++) {
        assert_true(sprag_friction_law_creep(&laws[l], &plain, 0) == 0);
        assert_true(isinf(sprag_friction_law_creep(&laws[l], &plain, 0.51)));
        if (l == 0 || l > 2)
            assert_true(sprag_friction_law_creep(&laws[l], &plain, -0.49) == 0);
    }
    assert_true(sprag_friction_law_creep(&laws[0], &jump, 0.55) == 0);
    assert_true(isinf(sprag_friction_law_creep(&laws[1], &jump, 0.55)));
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"coulomb", "tanh", "oden-pires", "karnopp",
                                        "dahl",    "dahl", "lugre"};
    for (int l = 0; l < LAW_COUNT; l++)
        assert_string_equal(sprag_friction_law_name(laws[l].kind), names[l]);
    assert_string_equal(sprag_restitution_law_name(SPRAG_RESTITUTION_POISSON), "poisson");
    assert_string_equal(sprag_restitution_law_name(SPRAG_RESTITUTION_NEWTON), "newton");
    assert_string_equal(sprag_restitution_law_name(SPRAG_RESTITUTION_ENERGETIC), "energetic");
}

static void test_restitution(void **state)
{
    (void)state;
    SpragRestitution e = {.given = true, .e = 0.7, .rest_speed = 0.01};
    assert_true(sprag_restitution_at(&e, 0.0099) == 0 && sprag_restitution_at(&e, 0.01) == 0.7);
    SpragRestitution table = {.point_count = 3, .speed = {0.1, 1, 3}, .value = {0.9, 0.6, 0.5}};
    const double speeds[] = {0, 0.1, 0.55, 1, 2.5, 3, 100},
                 wanted[] = {0.9, 0.9, 0.75, 0.6, 0.525, 0.5, 0.5};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        assert_close(sprag_restitution_at(&table, speeds[i]), wanted[i], 1e-15);
}

// ---- Paths of laws with a state -----------------------------------------------------------------

// One Runge–Kutta step of z along x = x(t) with slip σ(t).
typedef double SlipFunction(double t);

static double step_state(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                         SlipFunction *slip, double t, double h, double z)
{
    double k1 = at(law, numbers, slip(t), z).state_rate;
    double k2 = at(law, numbers, slip(t + h / 2), z + h / 2 * k1).state_rate;
    double k3 = at(law, numbers, slip(t + h / 2), z + h / 2 * k2).state_rate;
    double k4 = at(law, numbers, slip(t + h), z + h * k3).state_rate;
    return z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

static double steady_slip(double t)
{
    (void)t;
    return 0.01;
}

// x = a sin t with a = 2e-5 m.
#define AMPLITUDE 2e-5
static double vibration(double t)
{
    return AMPLITUDE * cos(t);
}

// Theory.md (7.7), (7.8): the first bend, the tips of a closed loop, and what a cycle loses.
static void test_dahl(void **state)
{
    (void)state;
    const SpragFrictionLaw law = {.kind = SPRAG_FRICTION_DAHL, .stiffness = 4e4, .exponent = 1};
    double mu = plain.kinetic, s0 = law.stiffness, z = 0, h = 1e-5, x = 0;
    for (int i = 0; i < 400; i++) {
        z = step_state(&law, &plain, steady_slip, i * h, h, z);
        x += h * 0.01;
        // a step of 1e-7 m on a bend of 1.25e-5 m: (0.008)⁵ a step
        assert_close(s0 * z, mu * (1 - exp(-s0 * x / mu)), 1e-8);
    }
    // three cycles to forget the start, then one to measure; its kinks at the turns fall on steps
    int n = 4000;
    double pi = acos(-1), loss = 0, tip = 0;
    z = 0;
    h = 2 * pi / n;
    for (int i = 0; i < 4 * n; i++) {
        double t = i * h - pi / 2, before = z;
        z = step_state(&law, &plain, vibration, t, h, z);
        if (i >= 3 * n) {
            double middle = step_state(&law, &plain, vibration, t, h / 2, before);
            // Simpson's rule for −∫ λT dx per unit of λN
            loss +=
                h / 6 * s0 *
                (before * vibration(t) + 4 * middle * vibration(t + h / 2) + z * vibration(t + h));
            tip = fmax(tip, s0 * z);
        }
    }
    double wanted = 4 * mu * (AMPLITUDE - mu / s0 * tanh(s0 * AMPLITUDE / mu));
    assert_close(tip, mu * tanh(s0 * AMPLITUDE / mu), 1e-6);
    assert_close(loss, wanted, 1e-6 * wanted);
}

// The elastic slider of (5.10) with C_T → 0 in the same vibration: (5.11), which Dahl's law of the
// same stiffness rounds off, and approaches for small bends.
static void test_slider(void **state)
{
    (void)state;
    double mu = 0.5, K = 4e4, C = 1e-4 * K, shear = 0, loss = 0, pi = acos(-1);
    int n = 200000;
    double h = 2 * pi / n;
    for (int i = 0; i < 3 * n; i++) {
        double slip = vibration((i + 0.5) * h - pi / 2), trial = K * shear - C * slip,
               force = trial;
        if (fabs(trial) > mu)
            force = copysign(mu, trial);
        shear += h * (force - K * shear) / C;
        if (i >= n)
            loss -= h * force * slip / 2; // of two cycles the mean
    }
    double wanted = 4 * mu * (AMPLITUDE - mu / K);
    // C_T/K_T of 1e-4 of a radian, and steps of h on a first-order path
    assert_close(loss, wanted, 2e-3 * wanted);
    // Dahl's: a − tanh instead of a − 1 (both in units of μ/K), and always less than sticking
    // stores
    double dahl = 4 * mu * (AMPLITUDE - mu / K * tanh(K * AMPLITUDE / mu));
    assert_true(dahl > wanted && dahl < 1.2 * wanted);
}

// Theory.md (7.10): steady slip, and the damped vibration about a bristle that holds.
static void test_lugre(void **state)
{
    (void)state;
    const SpragFrictionLaw law = {
        .kind = SPRAG_FRICTION_LUGRE, .stiffness = 1e5, .damping = 40, .viscous = 0.4};
    double z = 0, h = 2e-6;
    for (int i = 0; i < 10000; i++)
        z = step_state(&law, &stribeck, steady_slip, i * h, h, z);
    double mu = sprag_friction_coefficient(&stribeck, 0.01);
    assert_close(-at(&law, &stribeck, 0.01, z).ratio, mu + 0.4 * 0.01, 1e-12);
    assert_close(sprag_friction_law_steady(&law, &stribeck, -0.01), mu + 0.4 * 0.01, 1e-15);
    // a unit mass pressed by 9.81 N, pushed with 1e-4 of what the bristles hold: linear to 1e-4
    double g = 9.81, x = 0, v = 1e-6, w = sqrt(g * law.stiffness), c = g * (law.damping + 0.4);
    double zeta = c / (2 * w), wd = w * sqrt(1 - zeta * zeta);
    z = 0;
    h = 1e-4 / w;
    for (int i = 1; i <= 30000; i++) {
        // symplectic halves suffice at this step
        SpragFrictionRatio r = at(&law, &stribeck, v, z);
        double vm = v + h / 2 * g * r.ratio, zm = z + h / 2 * r.state_rate;
        r = at(&law, &stribeck, vm, zm);
        x += h * vm;
        v += h * g * r.ratio;
        z += h * r.state_rate;
        double t = i * h, exact = 1e-6 / wd * exp(-zeta * w * t) * sin(wd * t);
        assert_close(x, exact, 1e-3 * 1e-6 / wd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_far_from_rest),
        cmocka_unit_test(test_coefficient), cmocka_unit_test(test_creep),
        cmocka_unit_test(test_names),       cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_dahl),        cmocka_unit_test(test_slider),
        cmocka_unit_test(test_lugre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

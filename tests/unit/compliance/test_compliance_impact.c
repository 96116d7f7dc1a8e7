// Isolated impacts on layers: closed forms and quadratures against a Runge–Kutta integration of the
// laws as theory.md (5.3), (5.4) print them; damping that a restitution asks for.
#include "support/test.h"

// What the integration of m δ'' = −λ finds.
typedef struct Bounce {
    double release, zero;      // speed over v where the force, and the depth, are zero
    double time, depth, force; // of the release at zero force
} Bounce;

static double law_force(const SpragLayer *layer, double x, double v)
{
    if (layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT)
        return layer->stiffness * x + layer->damping * v;
    double f = x > 0 ? layer->stiffness * pow(x, layer->exponent) : 0;
    return f + 1.5 * layer->alpha * f * v;
}

// One classical Runge–Kutta step.
static void advance(const SpragLayer *layer, double m, double h, double *x, double *v)
{
    double k[4][2], at[2] = {*x, *v};
    const double shift[] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        if (i > 0) {
            at[0] = *x + shift[i] * h * k[i - 1][0];
            at[1] = *v + shift[i] * h * k[i - 1][1];
        }
        k[i][0] = at[1];
        k[i][1] = -law_force(layer, at[0], at[1]) / m;
    }
    *x += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    *v += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
}

// h: step, s. Crossings by linear interpolation, which is good to h².
static Bounce integrate(const SpragLayer *layer, double m, double v0, double h)
{
    Bounce bounce = {.depth = 0};
    double x = 0, v = v0, force = law_force(layer, 0, v0);
    bounce.force = fmax(force, 0);
    bool released = false;
    for (long i = 0; i < 2000000 && !(released && x <= 0); i++) {
        double x0 = x, v1 = v, f0 = force;
        advance(layer, m, h, &x, &v);
        force = law_force(layer, x, v);
        bounce.depth = fmax(bounce.depth, x);
        bounce.force = fmax(bounce.force, force);
        if (!released && (force <= 0 || x <= 0)) {
            double part = x > 0 ? f0 / (f0 - force) : x0 / (x0 - x);
            bounce.release = -(v1 + part * (v - v1)) / v0;
            bounce.time = ((double)i + part) * h;
            released = true;
        }
        if (x <= 0)
            bounce.zero = -(v1 + x0 / (x0 - x) * (v - v1)) / v0;
    }
    return bounce;
}

// (5.5): independent of K, β and m; time, depth and force against the integration.
static void test_hunt_crossley(void **state)
{
    (void)state;
    const double K[] = {1e4, 3e7, 1e9}, beta[] = {1, 1.5, 2.2}, mass[] = {0.02, 1, 30};
    const double w[] = {1e-3, 0.05, 0.4, 1.5, 6};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
            double v = 0.3 + (double)k;
            SpragLayer layer = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                                .stiffness = K[k],
                                .exponent = beta[k],
                                .alpha = w[i] / (1.5 * v)};
            SpragLayerImpact impact;
            sprag_layer_impact(&layer, mass[k], v, &impact);
            double e = impact.restitution;
            assert_close(w[i] * (1 + e), log((1 + w[i]) / (1 - w[i] * e)), 1e-12 * (1 + w[i]));
            Bounce bounce = integrate(&layer, mass[k], v, impact.contact_time / 20000);
            // δ^1.5 is not smooth at 0: the first step errs by h^2.5, the last by h²
            assert_close(e, bounce.zero, 1e-7);
            assert_close(impact.contact_time, bounce.time, 1e-7 * bounce.time);
            assert_close(impact.depth, bounce.depth, 1e-7 * bounce.depth);
            assert_close(impact.force, bounce.force, 1e-7 * bounce.force);
        }
}

// (5.6) with both releases, z below and above 1.
static void test_kelvin_voigt(void **state)
{
    (void)state;
    const double z[] = {0, 0.01, 0.2, 0.45, 0.55, 0.9, 1, 1.0000000001, 1.7, 5};
    const double K = 2e6, m = 0.4, v = 0.7, omega = sqrt(K / m);
    for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
        SpragLayer layer = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                            .stiffness = K,
                            .exponent = 1,
                            .damping = 2 * z[i] * sqrt(K * m)};
        SpragLayerImpact impact;
        sprag_layer_impact(&layer, m, v, &impact);
        Bounce bounce = integrate(&layer, m, v, 2e-4 / omega);
        // interpolation of a crossing: (2e-4)²
        assert_close(impact.restitution, bounce.release, 1e-7);
        assert_close(impact.contact_time, bounce.time, 1e-7 / omega);
        assert_close(impact.depth, bounce.depth, 1e-7 * bounce.depth);
        assert_close(impact.force, bounce.force, 1e-7 * bounce.force);
        assert_close(impact.restitution_at_zero, bounce.zero, 1e-7);
    }
}

// Hertz 1882: t = 2.94327 δmax/v, δmax = (5 m v²/(4 K))^(2/5), F = K δmax^(3/2).
static void test_hertz(void **state)
{
    (void)state;
    SpragCompliance given = {.law = SPRAG_COMPLIANCE_HERTZ, .damping_given = true}, resolved;
    SpragHertzSide sides[2] = {{210e9, 0.3, 100}, {70e9, 0.33, 0}};
    assert_true(sprag_compliance_hertz(&given, sides, &resolved));
    SpragLayer layer;
    SpragLayerImpact impact;
    double m = 0.0327, v = 0.5;
    assert_true(sprag_layer_complete(&resolved, m, 0, &layer));
    assert_true(layer.alpha == 0);
    sprag_layer_impact(&layer, m, v, &impact);
    double depth = pow(5 * m * v * v / (4 * layer.stiffness), 0.4);
    assert_close(impact.depth, depth, 1e-14 * depth);
    assert_close(impact.contact_time, 2.94327 * depth / v, 1e-5 * depth / v);
    assert_close(impact.force, layer.stiffness * pow(depth, 1.5), 1e-14 * impact.force);
    assert_true(impact.restitution == 1);
    Bounce bounce = integrate(&layer, m, v, impact.contact_time / 20000);
    assert_close(impact.contact_time, bounce.time, 1e-7 * bounce.time);
    // a linear layer: half a period
    layer = (SpragLayer){.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 4, .exponent = 1};
    sprag_layer_impact(&layer, 1, 3, &impact);
    assert_close(impact.contact_time, acos(-1) / 2, 1e-14);
    assert_close(impact.force, 6, 1e-14);
}

// The damping that a restitution asks for gives that restitution.
static void test_wanted(void **state)
{
    (void)state;
    const double e[] = {1, 1 - 1e-7, 0.999, 0.95, 0.7, 0.3, 0.05, 0.004};
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        SpragLayer layer = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                            .stiffness = 1e7,
                            .exponent = 1.5,
                            .alpha = sprag_compliance_alpha_of(SPRAG_DAMPING_RESTITUTION, e[i], 2)};
        SpragLayerImpact impact;
        sprag_layer_impact(&layer, 0.3, 2, &impact);
        assert_close(impact.restitution, e[i], 1e-9);
        SpragCompliance kv = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                              .stiffness = 1e6,
                              .damping_source = SPRAG_DAMPING_RESTITUTION,
                              .restitution = e[i]},
                        resolved;
        assert_true(sprag_compliance_resolve(&kv, 0.3, 1, &resolved));
        assert_true(sprag_layer_complete(&resolved, 0.3, 0, &layer));
        sprag_layer_impact(&layer, 0.3, 2, &impact);
        assert_close(impact.restitution, e[i], 1e-12);
    }
}

// Lankarani–Nikravesh means its e near 1 only, and never comes below 0.66; Flores' stays near it
// over the whole range: theory.md (5.17), (5.18), measured by (5.5).
static void test_nominal(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 1; i < 20; i++) {
        double e = 0.05 * i, effective[2];
        for (int k = 0; k < 2; k++) {
            SpragLayerImpact impact;
            SpragDampingSource source = k == 0 ? SPRAG_DAMPING_LANKARANI : SPRAG_DAMPING_FLORES;
            SpragLayer layer = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                                .stiffness = 1e8,
                                .exponent = 1.5,
                                .alpha = sprag_compliance_alpha_of(source, e, 0.8)};
            sprag_layer_impact(&layer, 0.1, 0.8, &impact);
            effective[k] = impact.restitution;
        }
        worst = fmax(worst, fabs(effective[1] - e));
        assert_true(effective[0] > e);
        assert_true(effective[0] > 0.66);
        if (i == 19) {
            // α v of the two is (1 − e)(1 − (1 − e)/2) and 16/15 (1 − e)/e, and e = 1 − α v + O(α
            // v)²
            double loss = 1 - e;
            assert_close(effective[0], 1 - loss, 2 * loss * loss);
            assert_close(effective[1], 1 - 16. / 15 * loss, 2 * loss * loss);
        }
    }
    assert_true(worst < 0.05 && worst > 0.04);
}

// Extremes stay finite.
static void test_extremes(void **state)
{
    (void)state;
    const double w[] = {1e-300, 1e-8, 1e-7, 1e-5, 30, 1e3, 1e6, 1e12};
    double before = 1;
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
        SpragLayer layer = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                            .stiffness = 1e7,
                            .exponent = 1.5,
                            .alpha = w[i] / 1.5};
        SpragLayerImpact impact;
        sprag_layer_impact(&layer, 1, 1, &impact);
        assert_true(impact.restitution >= 0 && impact.restitution <= before);
        before = impact.restitution;
        assert_true(isfinite(impact.contact_time) && impact.contact_time > 0);
        assert_true(isfinite(impact.force) && impact.force > 0 && impact.depth > 0);
        // heavy damping: back at the speed 1/a
        if (w[i] > 1e2)
            assert_close(impact.contact_time, impact.depth * w[i], 0.05 * impact.contact_time);
    }
}

// ---- Layers -------------------------------------------------------------------------------------

static void test_layer_functions(void **state)
{
    (void)state;
    SpragLayer layers[] = {
        {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 3e5, .exponent = 1, .damping = 40},
        {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 1e7, .exponent = 1.5, .alpha = 0.3},
    };
    const double depths[] = {2e-6, 1e-4, 3e-3}, rates[] = {-20, -0.2, 0, 0.7};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < 12; i++) {
            double x = depths[i / 4], v = rates[i % 4], raw, k, c, h = 1e-5 * x, d = 1e-5;
            const SpragLayer *layer = &layers[l];
            double force = sprag_layer_normal(layer, x, v, &raw, &k, &c);
            assert_close(raw, law_force(layer, x, v), 1e-12 * fabs(raw));
            assert_close(force, fmax(0, raw), 0);
            double up = sprag_layer_normal(layer, x + h, v, NULL, NULL, NULL);
            double down = sprag_layer_normal(layer, x - h, v, NULL, NULL, NULL);
            assert_close(k, (up - down) / (2 * h), 1e-8 * fmax(k, force / x));
            up = sprag_layer_normal(layer, x, v + d, NULL, NULL, NULL);
            down = sprag_layer_normal(layer, x, v - d, NULL, NULL, NULL);
            assert_close(c, (up - down) / (2 * d), 1e-9 * fmax(force / d, c));
            // of the raw force, where it pulls too
            double by_depth, by_rate;
            sprag_layer_raw_slopes(layer, x, v, &by_depth, &by_rate);
            up = law_force(layer, x + h, v);
            assert_close(by_depth, (up - law_force(layer, x - h, v)) / (2 * h),
                         1e-8 * fmax(fabs(by_depth), fabs(raw) / x));
            up = law_force(layer, x, v + d);
            assert_close(by_rate, (up - law_force(layer, x, v - d)) / (2 * d),
                         1e-9 * fmax(fabs(raw) / d, by_rate));
            double slope = (sprag_layer_energy(layer, x + h) - sprag_layer_energy(layer, x - h));
            double f = sprag_layer_elastic(layer, x);
            assert_close(slope / (2 * h), f, 1e-8 * f);
            assert_close(sprag_layer_depth(layer, f), x, 1e-14 * x);
            assert_true(sprag_layer_normal(layer, -x, 1, &raw, &k, &c) == 0 && k == 0 && c == 0);
        }
    assert_true(sprag_layer_depth(&layers[1], 0) == 0 && sprag_layer_energy(&layers[0], -1) == 0);
}

static void test_completed(void **state)
{
    (void)state;
    SpragCompliance given = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 4e4};
    SpragLayer layer;
    // nothing said: ratio 0.1, tangentially the same
    assert_true(sprag_layer_complete(&given, 0.25, 0, &layer));
    assert_close(layer.damping, 2 * 0.1 * 100, 1e-12);
    assert_true(layer.tangential_stiffness == 4e4 && layer.tangential_damping == layer.damping);
    // explicit zeros
    given.damping_given = given.tangential_damping_given = true;
    assert_true(sprag_layer_complete(&given, 0.25, 0, &layer));
    assert_true(layer.damping == 0);
    assert_close(layer.tangential_damping, 2e-6 * 100, 1e-15);
    // Hunt–Crossley: the linearised layer at the force has the ratio 0.1
    SpragCompliance hc = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 1e7, .exponent = 1.5};
    double k, c;
    assert_true(sprag_layer_complete(&hc, 2, 50, &layer));
    sprag_layer_normal(&layer, sprag_layer_depth(&layer, 50), 0, NULL, &k, &c);
    assert_close(c / (2 * sqrt(k * 2)), 0.1, 1e-14);
    assert_close(layer.tangential_stiffness, k, 1e-12 * k);
    assert_close(layer.tangential_damping, c, 1e-12 * c);
    SpragCompliance rigid = {0};
    assert_false(sprag_layer_complete(&rigid, 1, 1, &layer));
}

// Two layers in series carry the same force, and lose what both lose in slow motion.
static void test_series(void **state)
{
    (void)state;
    SpragCompliance a = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY,
                         .stiffness = 1e7,
                         .exponent = 1.5,
                         .alpha = 0.2},
                    b = a, pair;
    b.stiffness = 3e6;
    b.alpha = 0.5;
    assert_true(sprag_compliance_series(&a, &b, &pair));
    double force = 120, x = pow(force / a.stiffness, 2. / 3), y = pow(force / b.stiffness, 2. / 3);
    assert_close(pair.stiffness * pow(x + y, 1.5), force, 1e-11);
    double lost = a.alpha * x * x + b.alpha * y * y;
    assert_close(pair.alpha * (x + y) * (x + y), lost, 1e-12 * lost);
    SpragCompliance kv = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                          .stiffness = 6,
                          .damping = 0.6,
                          .tangential_stiffness = 4,
                          .tangential_damping = 1},
                    other = kv;
    other.stiffness = 3;
    other.damping = 0.3;
    assert_true(sprag_compliance_series(&kv, &other, &pair));
    assert_close(pair.stiffness, 2, 1e-15);
    assert_close(pair.damping, 0.2, 1e-15); // equal relaxation times stay
    assert_close(pair.tangential_stiffness, 2, 1e-15);
    assert_close(pair.tangential_damping, 0.5, 1e-15);
    SpragCompliance rigid = {0};
    assert_true(sprag_compliance_series(&rigid, &kv, &pair) && pair.stiffness == 6);
    assert_false(sprag_compliance_series(&a, &kv, &pair));
    assert_false(sprag_compliance_series(&rigid, &rigid, &pair));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hunt_crossley),   cmocka_unit_test(test_kelvin_voigt),
        cmocka_unit_test(test_hertz),           cmocka_unit_test(test_wanted),
        cmocka_unit_test(test_nominal),         cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_layer_functions), cmocka_unit_test(test_completed),
        cmocka_unit_test(test_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

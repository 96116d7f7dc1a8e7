// Linearised layers against finite differences of the laws, and the scales of theory.md 15.1.
#include "support/test.h"

// The laws themselves, theory.md (5.3), (5.4), (5.2).
static double law_force(const SpragCompliance *layer, double depth, double rate)
{
    if (layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT)
        return fmax(0, layer->stiffness * depth + layer->damping * rate);
    double f = layer->stiffness * pow(depth, layer->exponent);
    return fmax(0, f + 1.5 * layer->alpha * f * rate);
}

static void check_against_differences(const SpragCompliance *layer, double depth)
{
    double k[3], c[3];
    double force = law_force(layer, depth, 0);
    assert_true(sprag_compliance_linearize(layer, force, k, c));
    // central differences with relative step 1e-5: truncation 1e-10, rounding 1e-11
    double h = 1e-5 * depth, v = 1e-5;
    double stiffness = (law_force(layer, depth + h, 0) - law_force(layer, depth - h, 0)) / (2 * h);
    double damping = (law_force(layer, depth, v) - law_force(layer, depth, -v)) / (2 * v);
    assert_close(k[0], stiffness, 1e-8 * stiffness);
    assert_close(c[0], damping, 1e-8 * fmax(damping, force));
}

static void test_linearised(void **state)
{
    (void)state;
    SpragCompliance kv = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 1e6, .damping = 300};
    SpragCompliance hc = {
        .law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 1e7, .alpha = 0.1, .exponent = 1.5};
    const double depths[] = {1e-6, 1e-4, 2e-3};
    for (size_t i = 0; i < 3; i++) {
        check_against_differences(&kv, depths[i]);
        check_against_differences(&hc, depths[i]);
        hc.exponent += 0.25;
    }
}

static void test_tangential(void **state)
{
    (void)state;
    double k[3], c[3];
    SpragCompliance layer = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .stiffness = 4, .damping = 2};
    assert_true(sprag_compliance_linearize(&layer, 1, k, c));
    assert_true(k[1] == 4 && k[2] == 4 && c[1] == 2 && c[2] == 2);
    layer.tangential_stiffness = 3;
    layer.tangential_damping = 1;
    assert_true(sprag_compliance_linearize(&layer, 1, k, c));
    assert_true(k[0] == 4 && k[1] == 3 && k[2] == 3 && c[0] == 2 && c[1] == 1 && c[2] == 1);
}

static void test_not_given(void **state)
{
    (void)state;
    double k[3], c[3];
    SpragCompliance rigid = {0};
    SpragCompliance epsilon = {.law = SPRAG_COMPLIANCE_KELVIN_VOIGT, .epsilon = 1e-3, .length = 1};
    SpragCompliance hc = {.law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .stiffness = 1e7, .exponent = 1.5};
    assert_false(sprag_compliance_linearize(&rigid, 1, k, c));
    assert_false(sprag_compliance_linearize(&epsilon, 1, k, c));
    assert_false(sprag_compliance_linearize(&hc, 0, k, c));
    assert_false(sprag_compliance_linearize(&hc, -1, k, c));
    assert_true(k[0] == 0 && c[0] == 0);
}

static void test_scales(void **state)
{
    (void)state;
    // theory.md 15.1: K = 1.5766e7 N/m², α = 13.914 s/m for this rod, five digits given
    SpragCompliance layer = {
        .law = SPRAG_COMPLIANCE_HUNT_CROSSLEY, .exponent = 2, .epsilon = 1e-3, .length = 0.234};
    SpragCompliance resolved;
    double time = sqrt(0.234 / 9.81);
    assert_true(sprag_compliance_resolve(&layer, 0.088, time, &resolved));
    assert_close(resolved.stiffness, 1.5766e7, 500);
    assert_close(resolved.alpha, 13.914, 5e-4);
    // (5.13): K T²ε = m, C T √ε = m
    layer.law = SPRAG_COMPLIANCE_KELVIN_VOIGT;
    assert_true(sprag_compliance_resolve(&layer, 0.088, time, &resolved));
    assert_close(resolved.stiffness * time * time * 1e-3, 0.088, 1e-15);
    assert_close(resolved.damping * time * sqrt(1e-3), 0.088, 1e-15);
    assert_close(resolved.tangential_stiffness, resolved.stiffness, 0);
    layer.epsilon = 0;
    assert_false(sprag_compliance_resolve(&layer, 0.088, time, &resolved));
    layer.law = SPRAG_COMPLIANCE_RIGID;
    assert_false(sprag_compliance_resolve(&layer, 0.088, time, &resolved));
}

// theory.md 5.2: a steel ball of radius 1 cm on steel, and two equal ones.
static void test_hertz(void **state)
{
    (void)state;
    SpragHertzSide sides[2] = {{210e9, 0.3, 100}, {210e9, 0.3, 0}};
    SpragCompliance layer = {.law = SPRAG_COMPLIANCE_HERTZ, .alpha = 0.1}, resolved;
    assert_true(sprag_compliance_hertz(&layer, sides, &resolved));
    assert_int_equal(resolved.law, SPRAG_COMPLIANCE_HUNT_CROSSLEY);
    double modulus = 210e9 / (2 * 0.91), K = 4.0 / 3 * modulus * 0.1;
    assert_close(resolved.stiffness, K, 1e-14 * K);
    assert_true(resolved.exponent == 1.5 && resolved.alpha == 0.1);
    sides[1].curvature = 100;
    assert_true(sprag_compliance_hertz(&layer, sides, &resolved));
    assert_close(resolved.stiffness, K / sqrt(2), 1e-14 * K);
    layer.radius = 0.04;
    assert_true(sprag_compliance_hertz(&layer, sides, &resolved));
    assert_close(resolved.stiffness, 2 * K, 1e-14 * K);
    layer.radius = 0;
    sides[0].curvature = sides[1].curvature = 0;
    assert_false(sprag_compliance_hertz(&layer, sides, &resolved));
    sides[0].curvature = 1;
    sides[1].young = 0;
    assert_false(sprag_compliance_hertz(&layer, sides, &resolved));
}

// The damping of Lankarani and Nikravesh takes ½ m v² (1 − e²) out of a collision at speed v, to
// first order in 1 − e²: the work of the damper over an undamped one.
static void test_restitution(void **state)
{
    (void)state;
    double m = 0.7, v = 0.3, K = 1e6, beta = 1.5, e = 0.99, work = 0;
    double alpha = sprag_compliance_alpha(e, v);
    // δ' over δ from energy, both ways: W = 2 ∫ (3/2) α K δ^β δ' dδ, midpoint rule in u with
    // δ = δ_max (1 − u²), which is smooth at the turning point
    double depth = pow(m * v * v * (beta + 1) / (2 * K), 1 / (beta + 1));
    int n = 2000;
    for (int i = 0; i < n; i++) {
        double u = (i + 0.5) / n, delta = depth * (1 - u * u);
        double rate = v * sqrt(1 - pow(delta / depth, beta + 1));
        work += 2 * 1.5 * alpha * K * pow(delta, beta) * rate * depth * 2 * u / n;
    }
    double lost = 0.5 * m * v * v * (1 - e * e);
    assert_close(work, lost, 1e-5 * lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hertz),      cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_linearised), cmocka_unit_test(test_tangential),
        cmocka_unit_test(test_not_given),  cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

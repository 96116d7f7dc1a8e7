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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearised),
        cmocka_unit_test(test_tangential),
        cmocka_unit_test(test_not_given),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

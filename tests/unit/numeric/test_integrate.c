// Accuracy of the integrators: order conditions of the tableau, measured orders, closed forms.
#include <float.h>

#include "kepler.h"
#include "sprag/integrate.h"
#include "support/state_context.h"

static const double ECCENTRICITY = 0.6;
// Near the apocentre, at t = π, the error of a step is that of its leading term.
static const double START = 2.5;

static SpragIntegrator *create(SpragContext *context, int n, SpragDerivativeFunction *f, void *user,
                               double relative, double absolute)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.relative = relative;
    settings.absolute = absolute;
    SpragIntegrator *integrator = NULL;
    assert_ok(context, sprag_integrator_create(context, n, f, user, &settings, &integrator));
    return integrator;
}

// ---- The tableau --------------------------------------------------------------------------------

// Sum with the size of its rounding errors.
typedef struct Sum {
    double value, size;
} Sum;

static void add(Sum *sum, double term)
{
    sum->value += term;
    sum->size += fabs(term);
}

// The coefficients are rounded to a relative ε each, and so is each term: 4 ε of the sum of
// magnitudes covers a product of four of them.
static void assert_sum(Sum sum, double expected)
{
    assert_close(sum.value, expected, 4.0 * DBL_EPSILON * (sum.size + fabs(expected)));
}

static void test_row_sums(void **state)
{
    (void)state;
    const SpragIntegratorMethod *method = sprag_integrator_method(0);
    int n = method->extended_count;
    for (int i = 0; i < n; i++) {
        Sum sum = {0};
        for (int j = 0; j < n; j++) {
            if (j >= i)
                assert_true(method->a[i * n + j] == 0.0); // explicit
            add(&sum, method->a[i * n + j]);
        }
        assert_sum(sum, method->c[i]);
    }
}

// Quadrature, and tall trees: Σ b_i c_i^(k−1) = 1/k and
// Σ b_i c_i^p a_ij c_j^q = 1/((q + 1)(p + q + 2)),
// Σ b_i c_i^p a_ij c_j^q a_jk c_k^r = 1/((r + 1)(q + r + 2)(p + q + r + 3)), up to order 8.
static void test_order_conditions(void **state)
{
    (void)state;
    const SpragIntegratorMethod *method = sprag_integrator_method(0);
    int n = method->extended_count, s = method->stage_count - 1, order = method->order;
    const double *a = method->a, *b = a + s * n, *c = method->c;
    for (int k = 1; k <= order; k++) {
        Sum sum = {0};
        for (int i = 0; i < s; i++)
            add(&sum, b[i] * pow(c[i], k - 1));
        assert_sum(sum, 1.0 / k);
    }
    for (int p = 0; p <= order - 2; p++)
        for (int q = 1; p + q + 2 <= order; q++) {
            Sum sum = {0};
            for (int i = 0; i < s; i++)
                for (int j = 0; j < i; j++)
                    add(&sum, b[i] * pow(c[i], p) * a[i * n + j] * pow(c[j], q));
            assert_sum(sum, 1.0 / ((q + 1.0) * (p + q + 2.0)));
        }
    for (int p = 0; p <= order - 3; p++)
        for (int q = 0; p + q + 3 <= order; q++)
            for (int r = 1; p + q + r + 3 <= order; r++) {
                Sum sum = {0};
                for (int i = 0; i < s; i++)
                    for (int j = 0; j < i; j++)
                        for (int k = 0; k < j; k++)
                            add(&sum, b[i] * pow(c[i], p) * a[i * n + j] * pow(c[j], q) *
                                          a[j * n + k] * pow(c[k], r));
                assert_sum(sum, 1.0 / ((r + 1.0) * (q + r + 2.0) * (p + q + r + 3.0)));
            }
}

static void test_methods(void **state)
{
    (void)state;
    const char *const names[] = {"dop853", "radau", "radau5", "radau9", "radau13"};
    for (int i = 0; i < 5; i++) {
        const SpragIntegratorMethod *method = sprag_integrator_method(i);
        assert_string_equal(method->name, names[i]);
        assert_true(method->implicit == (i > 0));
        assert_true((method->a && method->c) == (i != 1));
        assert_true(strlen(method->source) > 20);
    }
    assert_null(sprag_integrator_method(5));
    assert_null(sprag_integrator_method(-1));
}

// ---- Order --------------------------------------------------------------------------------------

// One step of length h from the exact state at START: error at its end, and the largest inside.
static void one_step(SpragIntegrator *integrator, SpragContext *context, double h, double *end,
                     double *inside)
{
    double y[4];
    SpragStep step;
    kepler_exact(ECCENTRICITY, START, y);
    assert_ok(context, sprag_integrator_restart(integrator, START, y, NULL, h));
    assert_ok(context, sprag_integrator_step(integrator, START + h, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
    *end = kepler_error(ECCENTRICITY, START + h, sprag_integrator_state(integrator));
    *inside = 0.0;
    for (int i = 1; i < 20; i++) {
        double t = START + h * i / 20.0;
        assert_ok(context, sprag_integrator_evaluate(integrator, t, y));
        *inside = fmax(*inside, kepler_error(ECCENTRICITY, t, y));
    }
}

// A method of order p leaves h^(p+1) in one step. Halving from steps of 0.8, where the error is
// about 2e-9 (1e-8 inside), to 0.2, where it is still 40 ulp; higher terms of the expansion bend
// the slope by less than 0.3.
static void test_convergence(void **state)
{
    SpragContext *context = *state;
    // so loose that every step is accepted
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, 1e6, 1e6);
    double end[3], inside[3];
    for (int k = 0; k < 3; k++)
        one_step(integrator, context, 0.8 * pow(0.5, k), &end[k], &inside[k]);
    for (int k = 0; k < 2; k++) {
        assert_close(log2(end[k] / end[k + 1]), 9.0, 0.3);
        assert_close(log2(inside[k] / inside[k + 1]), 8.0, 0.3);
    }
    sprag_integrator_destroy(integrator);
}

// ---- Closed forms -------------------------------------------------------------------------------

// y_i = (t^(i+1) − (t0)^(i+1)): y_i' = (i + 1) t^i.
static int power_f(double t, const double *y, double *dy, void *user)
{
    (void)y, (void)user;
    for (int i = 0; i < 8; i++)
        dy[i] = (i + 1) * pow(t, i);
    return 0;
}

// Quadrature of degree 7 is exact for order 8, the interpolant for degree 7. Coefficients up to 375
// (dense output) amplify rounding.
static void test_polynomials(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 8, power_f, NULL, 1e6, 1e6);
    double y[8] = {0};
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 2.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.5, &step));
    for (int i = 0; i < 8; i++)
        assert_close(sprag_integrator_state(integrator)[i], pow(1.5, i + 1),
                     50.0 * DBL_EPSILON * pow(1.5, i + 1));
    assert_ok(context, sprag_integrator_evaluate(integrator, 0.6, y));
    for (int i = 0; i < 7; i++)
        assert_close(y[i], pow(0.6, i + 1), 1000.0 * DBL_EPSILON * pow(1.5, i + 1));
    sprag_integrator_destroy(integrator);
}

// One revolution; *dense is the largest error at points inside steps, *at_steps at their ends.
static SpragIntegratorStatistics revolve(SpragContext *context, double tolerance, double *at_steps,
                                         double *dense)
{
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, tolerance, tolerance);
    double y[4], end = 6.283185307179586;
    SpragStep step;
    kepler_exact(ECCENTRICITY, 0.0, y);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
    *at_steps = *dense = 0.0;
    do {
        assert_ok(context, sprag_integrator_step(integrator, end, &step));
        const double *new = sprag_integrator_state(integrator);
        *at_steps = fmax(*at_steps, kepler_error(ECCENTRICITY, step.t_new, new));
        for (int i = 1; i < 8; i++) {
            double t = step.t_old + (step.t_new - step.t_old) * i / 8.0;
            assert_ok(context, sprag_integrator_evaluate(integrator, t, y));
            *dense = fmax(*dense, kepler_error(ECCENTRICITY, t, y));
        }
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
    SpragIntegratorStatistics statistics = sprag_integrator_statistics(integrator);
    sprag_integrator_destroy(integrator);
    return statistics;
}

static void test_tolerance_sweep(void **state)
{
    SpragContext *context = *state;
    double last = 0.0;
    for (int digits = 4; digits <= 12; digits += 2) {
        double tolerance = pow(10.0, -digits), at_steps, dense;
        SpragIntegratorStatistics statistics = revolve(context, tolerance, &at_steps, &dense);
        // about proportional to the tolerance: the error is that of a few dozen steps, amplified by
        // the flow through the pericentre
        assert_true(at_steps < 500.0 * tolerance);
        if (digits > 4)
            assert_in_range((uint64_t)(last / at_steps), 10, 200);
        // interpolation adds no error of another size
        assert_true(dense < 10.0 * at_steps);
        assert_true(statistics.rejected < statistics.steps / 2);
        last = at_steps;
    }
}

// There and back again, with the error of a tolerance.
static void test_time_reversal(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, 1e-11, 1e-11);
    double start[4], y[4];
    SpragStep step;
    kepler_exact(ECCENTRICITY, 1.0, start);
    assert_ok(context, sprag_integrator_restart(integrator, 1.0, start, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 5.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    do {
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
        assert_true(step.t_new < step.t_old);
        double t = 0.5 * (step.t_old + step.t_new);
        assert_ok(context, sprag_integrator_evaluate(integrator, t, y));
        assert_true(kepler_error(ECCENTRICITY, t, y) < 1e-9);
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_true(step.t_new == 1.0);
    for (int i = 0; i < 4; i++)
        assert_close(sprag_integrator_state(integrator)[i], start[i], 1e-9);
    sprag_integrator_destroy(integrator);
}

// An angle that turns steadily, for every n, the odd ones with a surplus entry; components left out
// of the error control do not count.
static int turn_f(double t, const double *y, double *dy, void *user)
{
    (void)t;
    int n = *(int *)user;
    for (int i = 0; i < n; i++)
        dy[i] = (i + 1) * 0.25 * cos((i + 1) * 0.25 * t) + 0.0 * y[i];
    return 0;
}

static void test_sizes(void **state)
{
    SpragContext *context = *state;
    for (int n = 1; n <= 9; n++) {
        double y[9] = {0}, absolute[9];
        for (int i = 0; i < n; i++)
            absolute[i] = i == 2 ? INFINITY : 1e-11;
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.relative = 1e-11;
        settings.absolute_each = absolute;
        SpragIntegrator *integrator;
        SpragStep step;
        assert_ok(context, sprag_integrator_create(context, n, turn_f, &n, &settings, &integrator));
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
        do
            assert_ok(context, sprag_integrator_step(integrator, 3.0, &step));
        while (step.outcome == SPRAG_STEP_DONE);
        for (int i = 0; i < n; i++)
            assert_close(sprag_integrator_state(integrator)[i], sin((i + 1) * 0.75), 1e-9);
        sprag_integrator_destroy(integrator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_sums),      cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_methods),       cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_polynomials),   cmocka_unit_test(test_tolerance_sweep),
        cmocka_unit_test(test_time_reversal), cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Behaviour of the integrator's steps: stop times, restarts, failures of the right-hand side,
// bookkeeping.
#include <float.h>

#include "kepler.h"
#include "sprag/integrate.h"
#include "support/allocator.h"
#include "support/state_context.h"

static SpragIntegrator *create(SpragContext *context, int n, SpragDerivativeFunction *f, void *user,
                               const SpragIntegratorSettings *settings)
{
    SpragIntegrator *integrator = NULL;
    assert_ok(context, sprag_integrator_create(context, n, f, user, settings, &integrator));
    return integrator;
}

// y' = −y with failures on request.
typedef struct Decay {
    double refuse_after, stop_after, nan_after; // times beyond which f fails
    int refuse_calls;                           // f > 0 on so many calls, counted down
    int calls;
} Decay;

static int decay_f(double t, const double *y, double *dy, void *user)
{
    Decay *decay = user;
    decay->calls++;
    dy[0] = t > decay->nan_after ? NAN : -y[0];
    if (t > decay->stop_after)
        return -1;
    return t > decay->refuse_after || decay->refuse_calls-- > 0;
}

static Decay no_failures(void)
{
    return (Decay){INFINITY, INFINITY, INFINITY, 0, 0};
}

static void test_stop_times(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, NULL);
    SpragRandom random;
    sprag_random_init(&random, 11);
    double y[4], stop = 0.0;
    SpragStep step;
    kepler_exact(0.6, 0.0, y);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
    // targets on both sides, near and far, hit bit for bit and never passed
    for (int draw = 0; draw < test_draws(50); draw++) {
        double from = stop;
        stop += sprag_random_uniform(&random, -1.0, 1.0) *
                pow(10.0, -sprag_random_uniform(&random, 0.0, 14.0));
        do {
            assert_ok(context, sprag_integrator_step(integrator, stop, &step));
            assert_true((stop - step.t_new) * (stop - from) >= 0.0);
            assert_true(sprag_integrator_time(integrator) == step.t_new);
        } while (step.outcome == SPRAG_STEP_DONE);
        assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
        assert_true(step.t_new == stop);
        // 50 walks of up to one unit of time with tolerance 1e-9 each
        assert_true(kepler_error(0.6, stop, sprag_integrator_state(integrator)) < 1e-5);
    }
    uint64_t before = sprag_integrator_statistics(integrator).evaluations;
    assert_ok(context, sprag_integrator_step(integrator, stop, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
    assert_true(step.t_new == step.t_old);
    assert_int_equal(sprag_integrator_statistics(integrator).evaluations, before);
    sprag_integrator_destroy(integrator);
}

static void test_max_step(void **state)
{
    SpragContext *context = *state;
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.max_step = 0.1;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, &settings);
    double y = 1.0, t = 1000.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, t, &y, NULL, 5.0));
    do {
        assert_ok(context, sprag_integrator_step(integrator, t + 1.05, &step));
        assert_true(step.t_new - step.t_old <= 0.1);
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(sprag_integrator_statistics(integrator).steps, 11);
    // a stop time far away does not matter
    assert_ok(context, sprag_integrator_step(integrator, INFINITY, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_DONE);
    assert_ok(context, sprag_integrator_step(integrator, -INFINITY, &step));
    assert_true(step.t_new < step.t_old);
    sprag_integrator_destroy(integrator);
}

// 12 evaluations a step, 1 for the start, 1 for the first step size, 3 for dense output: the last
// derivative of a step is the first of the next one.
static void test_evaluation_count(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0, dy = -1.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_null(sprag_integrator_derivative(integrator));
    for (int i = 0; i < 3; i++)
        assert_ok(context, sprag_integrator_step(integrator, 10.0, &step));
    SpragIntegratorStatistics statistics = sprag_integrator_statistics(integrator);
    assert_int_equal(statistics.evaluations, 2 + 12 * statistics.steps + 11 * statistics.rejected);
    assert_int_equal(decay.calls, statistics.evaluations);
    assert_close(sprag_integrator_derivative(integrator)[0], -sprag_integrator_state(integrator)[0],
                 0.0);

    // known derivative and step: nothing but the step; the guess is taken
    decay.calls = 0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, &dy, 1e-3));
    assert_ok(context, sprag_integrator_step(integrator, 10.0, &step));
    assert_close(step.t_new, 1e-3, 0.0);
    assert_int_equal(decay.calls, 12);
    assert_ok(context, sprag_integrator_evaluate(integrator, 4e-4, &y));
    assert_ok(context, sprag_integrator_evaluate(integrator, 5e-4, &y));
    assert_int_equal(decay.calls, 15);
    assert_close(y, exp(-5e-4), 4 * DBL_EPSILON);
    // a restart from the integrator's own state
    assert_ok(context,
              sprag_integrator_restart(integrator, 2.0, sprag_integrator_state(integrator),
                                       sprag_integrator_derivative(integrator), step.h_next));
    assert_ok(context, sprag_integrator_step(integrator, 2.5, &step));
    assert_int_equal(decay.calls, 27);
    assert_close(sprag_integrator_state(integrator)[0], exp(2.0 - step.t_new - 1e-3), 1e-9);
    assert_int_equal(sprag_integrator_statistics(integrator).restarts, 3);
    sprag_integrator_destroy(integrator);
}

static void test_dense_ends(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, NULL);
    double start[4], y[4], z[2];
    const int indices[2] = {3, 0}, bad[1] = {4};
    SpragStep step;
    kepler_exact(0.6, 0.0, start);
    assert_int_equal(sprag_integrator_evaluate(integrator, 0.0, y), SPRAG_ERROR_ARGUMENT);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, start, NULL, 0.0));
    assert_int_equal(sprag_integrator_evaluate(integrator, 0.0, y), SPRAG_ERROR_ARGUMENT);
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_ok(context, sprag_integrator_evaluate(integrator, step.t_old, y));
    assert_memory_equal(y, start, sizeof y);
    assert_ok(context, sprag_integrator_evaluate(integrator, step.t_new, y));
    assert_memory_equal(y, sprag_integrator_state(integrator), sizeof y);
    assert_int_equal(sprag_integrator_statistics(integrator).dense, 0);
    assert_ok(context, sprag_integrator_evaluate_some(integrator, step.t_new, 2, indices, z));
    assert_true(z[0] == y[3] && z[1] == y[0]);
    assert_ok(context, sprag_integrator_evaluate_some(integrator, 0.0, 2, indices, z));
    assert_true(z[0] == start[3] && z[1] == start[0]);
    double middle = 0.5 * step.t_new;
    assert_ok(context, sprag_integrator_evaluate(integrator, middle, y));
    assert_ok(context, sprag_integrator_evaluate_some(integrator, middle, 2, indices, z));
    assert_close(z[0], y[3], 2 * DBL_EPSILON * fabs(y[3]));
    assert_close(z[1], y[0], 2 * DBL_EPSILON * fabs(y[0]));
    assert_int_equal(sprag_integrator_evaluate_some(integrator, middle, 1, bad, z),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_evaluate(integrator, nextafter(step.t_new, 2.0), y),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_evaluate(integrator, NAN, y), SPRAG_ERROR_ARGUMENT);
    sprag_integrator_destroy(integrator);
}

// A corrected state is where the next step starts, and the last step's dense output stays.
static void test_correct(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0, corrected = 2.0, old, inside;
    SpragStep step, next;
    assert_int_equal(sprag_integrator_correct(integrator, &y), SPRAG_ERROR_ARGUMENT);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.01));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    old = sprag_integrator_state(integrator)[0];
    assert_ok(context, sprag_integrator_correct(integrator, &corrected));
    assert_ok(context, sprag_integrator_correct(integrator, &corrected));
    assert_true(sprag_integrator_state(integrator)[0] == 2.0);
    assert_null(sprag_integrator_derivative(integrator));
    assert_ok(context, sprag_integrator_evaluate(integrator, step.t_new, &y));
    assert_true(y == old);
    assert_ok(context, sprag_integrator_evaluate(integrator, 0.005, &inside));
    assert_close(inside, exp(-0.005), 1e-15);
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &next));
    assert_true(next.t_new - next.t_old > step.t_new);
    assert_close(sprag_integrator_state(integrator)[0], 2.0 * exp(step.t_new - next.t_new), 1e-9);
    y = NAN;
    assert_int_equal(sprag_integrator_correct(integrator, &y), SPRAG_ERROR_NUMERIC);
    sprag_integrator_destroy(integrator);
}

// ---- Failures -----------------------------------------------------------------------------------

static void test_refusal_halves(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0, dy = -1.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, &dy, 0.0625));
    decay.refuse_calls = 2;
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_true(step.t_new == 0.0625 / 4);
    SpragIntegratorStatistics statistics = sprag_integrator_statistics(integrator);
    assert_int_equal(statistics.refused, 2);
    assert_int_equal(statistics.evaluations, 14);

    // a wall at t = 0.3: steps come close, then the outcome says why there are no more
    decay.refuse_after = 0.3;
    while (step.outcome == SPRAG_STEP_DONE)
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_REFUSED);
    assert_true(step.t_new == step.t_old);
    assert_close(step.t_new, 0.3, 1e-14);
    assert_close(sprag_integrator_state(integrator)[0], exp(-0.3), 1e-9);
    // refused at once, without and with the first step still to be chosen
    decay.refuse_after = -1.0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_REFUSED);
    decay.refuse_after = 0.0;
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_REFUSED);
    assert_true(sprag_integrator_state(integrator)[0] == 1.0);
    // and on again when f is willing
    decay.refuse_after = INFINITY;
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_DONE);
    sprag_integrator_destroy(integrator);
}

static void test_stop(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0;
    SpragStep step = {0};
    decay.stop_after = -1.0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_int_equal(sprag_integrator_step(integrator, 1.0, &step), SPRAG_ERROR_CALLBACK);
    decay.stop_after = 0.0; // met by the search for the first step
    assert_int_equal(sprag_integrator_step(integrator, 1.0, &step), SPRAG_ERROR_CALLBACK);
    decay.stop_after = 0.3;
    SpragStatus status;
    do
        status = sprag_integrator_step(integrator, 1.0, &step);
    while (status == SPRAG_OK && step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(status, SPRAG_ERROR_CALLBACK);
    assert_non_null(strstr(sprag_context_message(context), "stopped"));
    double t = sprag_integrator_time(integrator);
    assert_true(t <= 0.3 && step.t_new == t);
    assert_close(sprag_integrator_state(integrator)[0], exp(-t), 1e-9);
    // the state is as it was: go on
    decay.stop_after = INFINITY;
    assert_ok(context, sprag_integrator_step(integrator, t + 1e-3, &step));
    assert_close(sprag_integrator_state(integrator)[0], exp(-t - 1e-3), 1e-9);
    // stopped or refused by the evaluations of the dense output
    decay.stop_after = -1.0;
    assert_int_equal(sprag_integrator_evaluate(integrator, t + 5e-4, &y), SPRAG_ERROR_CALLBACK);
    decay.stop_after = INFINITY;
    decay.refuse_calls = 1;
    assert_int_equal(sprag_integrator_evaluate(integrator, t + 5e-4, &y), SPRAG_ERROR_NUMERIC);
    decay.nan_after = -1.0;
    assert_int_equal(sprag_integrator_evaluate(integrator, t + 5e-4, &y), SPRAG_ERROR_NUMERIC);
    decay.nan_after = INFINITY;
    assert_ok(context, sprag_integrator_evaluate(integrator, t + 5e-4, &y));
    sprag_integrator_destroy(integrator);
}

// y' = y², y(0) = 1: infinite at t = 1. y' = −y with NaN from 0.3 on.
static int square_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = y[0] * y[0];
    return 0;
}

static void test_not_finite(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures();
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0;
    SpragStep step = {0};
    decay.nan_after = 0.3;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_NOT_FINITE);
    assert_close(step.t_new, 0.3, 1e-14);
    decay.nan_after = -1.0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_NOT_FINITE);
    sprag_integrator_destroy(integrator);

    integrator = create(context, 1, square_f, NULL, NULL);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 2.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_UNDERFLOW);
    assert_close(step.t_new, 1.0, 1e-9);
    assert_true(isfinite(sprag_integrator_state(integrator)[0]));
    sprag_integrator_destroy(integrator);
}

// A sawtooth faster than any step can follow is given up, near t = 0 too where ulps do not end it.
static int noise_f(double t, const double *y, double *dy, void *user)
{
    (void)y;
    int *calls = user;
    dy[0] = (*calls)++ % 2 ? 1e200 : -1e200;
    return t < 0.0;
}

static void test_underflow(void **state)
{
    SpragContext *context = *state;
    int calls = 0;
    SpragIntegrator *integrator = create(context, 1, noise_f, &calls, NULL);
    double y = 1.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 1.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_UNDERFLOW);
    assert_true(sprag_integrator_state(integrator)[0] == 1.0);
    assert_true(calls < 2000);
    assert_string_equal(sprag_step_outcome_name(step.outcome), "underflow");
    assert_string_equal(sprag_step_outcome_name((SpragStepOutcome)99), "?");
    sprag_integrator_destroy(integrator);
}

// A state at rest has no error and no slope to start from.
static int rest_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)y, (void)user;
    dy[0] = dy[1] = dy[2] = 0.0;
    return 0;
}

static void test_rest(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 3, rest_f, NULL, NULL);
    double y[3] = {0.0, 1.0, -2.0}, z[3];
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
    do {
        assert_ok(context, sprag_integrator_step(integrator, 10.0, &step));
        assert_true(step.error == 0.0);
        assert_ok(context, sprag_integrator_evaluate(integrator, 0.7 * step.t_new, z));
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_memory_equal(z, y, sizeof y);
    assert_memory_equal(sprag_integrator_state(integrator), y, sizeof y);
    // a factor of 6 a step from 1e-6 on
    assert_true(sprag_integrator_statistics(integrator).steps <= 11);
    sprag_integrator_destroy(integrator);
}

// With eager dense output its evaluations belong to the step: a refusal there shrinks it.
static int gap_f(double t, const double *y, double *dy, void *user)
{
    (void)user;
    dy[0] = -y[0];
    // 0.02 is where a step from 0 to 0.1 has its dense stage c = 0.2, and no other stage
    return fabs(t - 0.02) < 1e-6;
}

static void test_eager_dense(void **state)
{
    SpragContext *context = *state;
    SpragIntegratorSettings settings = sprag_integrator_default();
    SpragIntegrator *lazy = create(context, 1, gap_f, NULL, &settings);
    settings.eager_dense = true;
    SpragIntegrator *eager = create(context, 1, gap_f, NULL, &settings);
    double y = 1.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(lazy, 0.0, &y, NULL, 0.1));
    assert_ok(context, sprag_integrator_step(lazy, 1.0, &step));
    assert_true(step.t_new == 0.1);
    assert_int_equal(sprag_integrator_evaluate(lazy, 0.05, &y), SPRAG_ERROR_NUMERIC);
    y = 1.0;
    assert_ok(context, sprag_integrator_restart(eager, 0.0, &y, NULL, 0.1));
    assert_ok(context, sprag_integrator_step(eager, 1.0, &step));
    assert_true(step.t_new == 0.05);
    uint64_t before = sprag_integrator_statistics(eager).evaluations;
    assert_ok(context, sprag_integrator_evaluate(eager, 0.03, &y));
    assert_close(y, exp(-0.03), 1e-14);
    assert_int_equal(sprag_integrator_statistics(eager).evaluations, before);
    assert_int_equal(sprag_integrator_statistics(eager).dense, 1);
    sprag_integrator_destroy(lazy);
    sprag_integrator_destroy(eager);
}

// ---- Arguments and memory -----------------------------------------------------------------------

static void test_arguments(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator;
    double nan_each[1] = {NAN}, y = 1.0;
    SpragIntegratorSettings good = sprag_integrator_default();
    SpragIntegratorSettings bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].method = "euler";
    bad[1].method = NULL;
    bad[2].relative = 1e-17;
    bad[3].absolute = 0.0;
    bad[4].absolute_each = nan_each;
    bad[5].max_step = -1.0;
    bad[6].cookie = 0;
    for (int i = 0; i < 7; i++) {
        SpragStatus status =
            sprag_integrator_create(context, 1, square_f, NULL, &bad[i], &integrator);
        assert_int_equal(status, SPRAG_ERROR_ARGUMENT);
        assert_null(integrator);
    }
    assert_int_equal(sprag_integrator_create(context, 0, square_f, NULL, NULL, &integrator),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_create(context, 1, NULL, NULL, NULL, &integrator),
                     SPRAG_ERROR_ARGUMENT);
    integrator = create(context, 1, square_f, NULL, NULL);
    SpragStep step;
    assert_int_equal(sprag_integrator_step(integrator, 1.0, &step), SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_restart(integrator, NAN, &y, NULL, 0.0), SPRAG_ERROR_NUMERIC);
    assert_int_equal(sprag_integrator_restart(integrator, 0.0, nan_each, NULL, 0.0),
                     SPRAG_ERROR_NUMERIC);
    assert_int_equal(sprag_integrator_restart(integrator, 0.0, &y, nan_each, 0.0),
                     SPRAG_ERROR_NUMERIC);
    assert_int_equal(sprag_integrator_restart(integrator, 0.0, &y, NULL, -1.0),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_restart(integrator, 0.0, &y, NULL, INFINITY),
                     SPRAG_ERROR_ARGUMENT);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_int_equal(sprag_integrator_step(integrator, NAN, &step), SPRAG_ERROR_ARGUMENT);
    sprag_integrator_destroy(integrator);
    sprag_integrator_destroy(NULL);
}

static void test_no_allocation(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, 4, kepler_f, NULL, NULL);
    uint64_t before = sprag_context_allocation_count(context);
    double y[4];
    SpragStep step;
    for (int arc = 0; arc < 3; arc++) {
        kepler_exact(0.6, 0.0, y);
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
        for (int i = 0; i < 5; i++) {
            assert_ok(context, sprag_integrator_step(integrator, 2.0, &step));
            assert_ok(context, sprag_integrator_evaluate(integrator,
                                                         step.t_old * 0.5 + step.t_new * 0.5, y));
        }
        assert_ok(context, sprag_integrator_correct(integrator, y));
    }
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_integrator_destroy(integrator);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int allowed = 1; allowed <= 2; allowed++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, allowed);
        SpragIntegrator *integrator;
        assert_int_equal(sprag_integrator_create(context, 3, square_f, NULL, NULL, &integrator),
                         SPRAG_ERROR_MEMORY);
        assert_null(integrator);
        sprag_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_times),
        cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_evaluation_count),
        cmocka_unit_test(test_dense_ends),
        cmocka_unit_test(test_correct),
        cmocka_unit_test(test_refusal_halves),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_eager_dense),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

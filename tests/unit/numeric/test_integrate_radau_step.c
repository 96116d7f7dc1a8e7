// Behaviour of the implicit integrators: restarts, corrections, changes of size, failures,
// components that no derivative depends on, bookkeeping.
#include <float.h>

#include "sprag/integrate.h"
#include "support/allocator.h"
#include "support/state_context.h"

static SpragIntegrator *create(SpragContext *context, int n, SpragDerivativeFunction *f, void *user,
                               const SpragIntegratorSettings *settings)
{
    SpragIntegratorSettings chosen = settings ? *settings : sprag_integrator_default();
    if (!settings)
        chosen.method = "radau";
    SpragIntegrator *integrator = NULL;
    assert_ok(context, sprag_integrator_create(context, n, f, user, &chosen, &integrator));
    return integrator;
}

static void finish(SpragContext *context, SpragIntegrator *integrator, double end)
{
    SpragStep step;
    do
        assert_ok(context, sprag_integrator_step(integrator, end, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
    assert_true(step.t_new == end);
}

// y' = −rate (y − cos t), with failures on request.
typedef struct Decay {
    double rate;
    double refuse_after, stop_after, nan_after; // times beyond which f fails
    double jacobian_nan_after;
    int refuse_calls; // f > 0 on so many calls, counted down
    int calls, jacobians;
} Decay;

static int decay_f(double t, const double *y, double *dy, void *user)
{
    Decay *decay = user;
    decay->calls++;
    dy[0] = t > decay->nan_after ? NAN : -decay->rate * (y[0] - cos(t));
    if (t > decay->stop_after)
        return -1;
    return t > decay->refuse_after || decay->refuse_calls-- > 0;
}

static int decay_jacobian(double t, const double *y, double *J, void *user)
{
    (void)y;
    Decay *decay = user;
    assert_true(J[0] == 0.0);
    decay->jacobians++;
    J[0] = t > decay->jacobian_nan_after ? NAN : -decay->rate;
    return 0;
}

static Decay no_failures(double rate)
{
    return (Decay){rate, INFINITY, INFINITY, INFINITY, INFINITY, 0, 0, 0};
}

// A pendulum on a stiff spring: not linear, so that stages must be iterated.
static int pendulum_f(double t, const double *y, double *dy, void *user)
{
    (void)t;
    (void)user;
    double r = hypot(y[0], y[1]), pull = 1e8 * (r - 1) + 1e3 * (y[0] * y[2] + y[1] * y[3]) / r;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -pull * y[0] / r;
    dy[3] = -pull * y[1] / r - 1;
    return 0;
}

// rate² cos t + rate sin t over rate² + 1, and what is left of the initial state.
static double decay_exact(double rate, double y0, double t)
{
    double square = rate * rate + 1.0, y = (rate * rate * cos(t) + rate * sin(t)) / square;
    return y + (y0 - rate * rate / square) * exp(-rate * t);
}

// ---- Arcs ---------------------------------------------------------------------------------------

static void test_restart(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e5);
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.jacobian = decay_jacobian;
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, &settings);
    double y = 1.0, dy = 0.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_null(sprag_integrator_derivative(integrator));
    finish(context, integrator, 1.0);
    assert_close(sprag_integrator_state(integrator)[0], decay_exact(1e5, 1.0, 1.0), 1e-9);
    assert_non_null(sprag_integrator_derivative(integrator));
    // linear: one Jacobian is enough for an arc, and every arc has its own
    assert_int_equal(decay.jacobians, 1);
    assert_int_equal(sprag_integrator_statistics(integrator).jacobians, 1);
    assert_int_equal(sprag_integrator_statistics(integrator).evaluations, decay.calls);
    // the guess is taken, and a known derivative not evaluated again: 7 stages and the end
    decay.calls = 0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, &dy, 1e-3));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_close(step.t_new, 1e-3, 0.0);
    assert_int_equal(decay.jacobians, 2);
    assert_true(decay.calls <= 2 * 7 + 1);
    // f at the end of the step is that of the state
    double slope = -1e5 * (sprag_integrator_state(integrator)[0] - cos(1e-3));
    assert_close(sprag_integrator_derivative(integrator)[0], slope, 1e-9);
    sprag_integrator_destroy(integrator);
}

// The same numbers again after other work: nothing of an arc outlives it.
static void test_repeat(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(300.0);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 0.5, other = -7.0, first[40];
    for (int round = 0; round < 3; round++) {
        SpragStep step = {0};
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
        for (int i = 0; i < 20; i++) {
            assert_ok(context, sprag_integrator_step(integrator, 3.0, &step));
            if (round == 0) {
                first[2 * i] = step.t_new;
                first[2 * i + 1] = sprag_integrator_state(integrator)[0];
            }
            assert_true(first[2 * i] == step.t_new);
            assert_true(first[2 * i + 1] == sprag_integrator_state(integrator)[0]);
        }
        assert_ok(context, sprag_integrator_restart(integrator, 1.0, &other, NULL, 0.5));
        finish(context, integrator, 1.0 + round);
    }
    sprag_integrator_destroy(integrator);
}

// A corrected state is where the next step starts; the dense output stays that of the step made.
static void test_correct(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(2.0);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0, before, after, bad = NAN;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_ok(context, sprag_integrator_step(integrator, 2.0, &step));
    double middle = 0.5 * step.t_new;
    assert_ok(context, sprag_integrator_evaluate(integrator, middle, &before));
    double corrected = sprag_integrator_state(integrator)[0] + 0.25;
    assert_int_equal(sprag_integrator_correct(integrator, &bad), SPRAG_ERROR_NUMERIC);
    assert_ok(context, sprag_integrator_correct(integrator, &corrected));
    assert_null(sprag_integrator_derivative(integrator));
    assert_ok(context, sprag_integrator_evaluate(integrator, middle, &after));
    assert_true(after == before);
    double t = step.t_new;
    finish(context, integrator, t + 1.0);
    // the difference of 0.25 decays
    double exact = decay_exact(2.0, 1.0, t + 1.0) + 0.25 * exp(-2.0);
    assert_close(sprag_integrator_state(integrator)[0], exact, 1e-9);
    sprag_integrator_destroy(integrator);
}

static void test_dense_ends(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e3);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double start = 0.3, y, z;
    const int index[1] = {0}, bad[1] = {1};
    SpragStep step;
    assert_int_equal(sprag_integrator_evaluate(integrator, 0.0, &y), SPRAG_ERROR_ARGUMENT);
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &start, NULL, 0.0));
    for (int i = 0; i < 5; i++) {
        const double before = sprag_integrator_state(integrator)[0];
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
        uint64_t calls = sprag_integrator_statistics(integrator).evaluations;
        assert_ok(context, sprag_integrator_evaluate(integrator, step.t_old, &y));
        assert_true(y == before);
        assert_ok(context, sprag_integrator_evaluate(integrator, step.t_new, &y));
        assert_true(y == sprag_integrator_state(integrator)[0]);
        // next to the ends it is next to the states: the slope is at most 1e3
        double t = nextafter(step.t_new, 0.0);
        assert_ok(context, sprag_integrator_evaluate(integrator, t, &z));
        assert_close(z, y, 1e-14);
        assert_ok(context, sprag_integrator_evaluate_some(integrator, t, 1, index, &y));
        assert_true(y == z);
        assert_int_equal(sprag_integrator_statistics(integrator).evaluations, calls);
    }
    assert_int_equal(sprag_integrator_evaluate_some(integrator, step.t_new, 1, bad, &y),
                     SPRAG_ERROR_ARGUMENT);
    assert_int_equal(sprag_integrator_evaluate(integrator, step.t_new + 1.0, &y),
                     SPRAG_ERROR_ARGUMENT);
    sprag_integrator_destroy(integrator);
}

// The pendulum, and how far from its circle the derivative was ever asked for.
static int watched_f(double t, const double *y, double *dy, void *user)
{
    double *farthest = user;
    *farthest = fmax(*farthest, fabs(hypot(y[0], y[1]) - 1));
    return pendulum_f(t, y, dy, NULL);
}

// Stops that lie closer and closer, each a fifth of the way from the last: the step after them is
// 1e5 times as long, and what the short one extrapolates to tells nothing of it. It is not even
// tried: no guess leaves the circle by more than the first Newton iterations of a step that starts
// from nothing do.
static void test_short_step(void **state)
{
    SpragContext *context = *state;
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    double far_whole = 0, far_cut = 0, t = 0.3;
    SpragIntegrator *whole = create(context, 4, watched_f, &far_whole, &settings);
    SpragIntegrator *cut = create(context, 4, watched_f, &far_cut, &settings);
    const double y[] = {1, 0, 0, 0};
    assert_ok(context, sprag_integrator_restart(whole, 0, y, NULL, 0));
    assert_ok(context, sprag_integrator_restart(cut, 0, y, NULL, 0));
    finish(context, whole, 1);
    finish(context, cut, t);
    for (double h = 1e-6; h > 1e-13; h /= 5)
        finish(context, cut, t += h);
    finish(context, cut, 1);
    for (int i = 0; i < 2; i++) // both to some tens of their tolerance of 1e-9
        assert_close(sprag_integrator_state(cut)[i], sprag_integrator_state(whole)[i], 1e-7);
    assert_true(far_cut <= 2 * far_whole + 1e-3);
    sprag_integrator_destroy(whole);
    sprag_integrator_destroy(cut);
}

static void test_max_step(void **state)
{
    SpragContext *context = *state;
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.max_step = 0.1;
    Decay decay = no_failures(1e6);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, &settings);
    double y = cos(1000.0), t = 1000.0;
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, t, &y, NULL, 5.0));
    do {
        assert_ok(context, sprag_integrator_step(integrator, t + 1.05, &step));
        assert_true(step.t_new - step.t_old <= 0.1);
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_true(step.t_new == t + 1.05);
    sprag_integrator_destroy(integrator);
}

// ---- Changes of size ----------------------------------------------------------------------------

// Independent decays; the number of components is the user's.
typedef struct Decays {
    int n;
} Decays;

static int decays_f(double t, const double *y, double *dy, void *user)
{
    (void)t;
    for (int i = 0; i < ((Decays *)user)->n; i++)
        dy[i] = -(1.0 + 100.0 * i) * y[i];
    return 0;
}

static int decays_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t, (void)y;
    int n = ((Decays *)user)->n;
    for (int i = 0; i < n; i++)
        J[i * n + i] = -(1.0 + 100.0 * i);
    return 0;
}

static void test_resize(void **state)
{
    SpragContext *context = *state;
    const char *const methods[] = {"dop853", "radau", "radau5"};
    const int sizes[] = {7, 2, 5, 1, 6, 3, 7, 4};
    double absolute[7] = {1e-8, 1e-9, 1e-8, 1e-9, 1e-8, 1e-9, INFINITY};
    for (int m = 0; m < 6; m++) {
        Decays decays = {7};
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = methods[m / 2];
        settings.absolute_each = absolute;
        settings.relative = 1e-8;
        settings.jacobian = m % 2 ? decays_jacobian : NULL;
        SpragIntegrator *integrator = create(context, 7, decays_f, &decays, &settings);
        uint64_t allocations = sprag_context_allocation_count(context);
        for (int k = 0; k < 8; k++) {
            decays.n = sizes[k];
            assert_ok(context,
                      sprag_integrator_resize(integrator, sizes[k], k % 2 ? absolute : NULL));
            SpragStep step;
            // no state until the restart
            assert_int_equal(sprag_integrator_step(integrator, 1.0, &step), SPRAG_ERROR_ARGUMENT);
            assert_null(sprag_integrator_derivative(integrator));
            double y[7] = {1, 1, 1, 1, 1, 1, 1};
            assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
            finish(context, integrator, 0.02);
            for (int i = 0; i < sizes[k]; i++)
                assert_close(sprag_integrator_state(integrator)[i], exp(-0.02 * (1.0 + 100.0 * i)),
                             1e-6);
        }
        assert_int_equal(sprag_context_allocation_count(context), allocations);
        assert_int_equal(sprag_integrator_resize(integrator, 8, NULL), SPRAG_ERROR_ARGUMENT);
        assert_int_equal(sprag_integrator_resize(integrator, 0, NULL), SPRAG_ERROR_ARGUMENT);
        double negative[1] = {-1.0};
        assert_int_equal(sprag_integrator_resize(integrator, 1, negative), SPRAG_ERROR_ARGUMENT);
        sprag_integrator_destroy(integrator);
    }
}

// A small arc after a large one gives the same numbers as an integrator made for it.
static void test_resize_alone(void **state)
{
    SpragContext *context = *state;
    const char *const methods[] = {"dop853", "radau"};
    for (int m = 0; m < 2; m++) {
        Decays decays = {6};
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = methods[m];
        SpragIntegrator *large = create(context, 6, decays_f, &decays, &settings);
        double y[6] = {1, 2, 3, 4, 5, 6};
        assert_ok(context, sprag_integrator_restart(large, 0.0, y, NULL, 0.0));
        finish(context, large, 0.1);
        decays.n = 3;
        SpragIntegrator *small = create(context, 3, decays_f, &decays, &settings);
        assert_ok(context, sprag_integrator_resize(large, 3, NULL));
        assert_ok(context, sprag_integrator_restart(large, 0.0, y, NULL, 0.0));
        assert_ok(context, sprag_integrator_restart(small, 0.0, y, NULL, 0.0));
        finish(context, large, 0.1);
        finish(context, small, 0.1);
        assert_memory_equal(sprag_integrator_state(large), sprag_integrator_state(small),
                            3 * sizeof(double));
        sprag_integrator_destroy(large);
        sprag_integrator_destroy(small);
    }
}

// ---- Structure ----------------------------------------------------------------------------------

// A stiff damped oscillator in the order of a run: position, velocity, three works that nothing
// depends on, a layer's state; and the same with the works last. The numbers of the oscillator are
// the same, the works are integrals that the energy knows.
typedef struct Order {
    int at[6]; // of position, velocity, three works, layer
} Order;

static int order_f(double t, const double *y, double *dy, void *user)
{
    const int *at = ((const Order *)user)->at;
    double x = y[at[0]], v = y[at[1]], z = y[at[5]], force = 1e6 * (x - z);
    dy[at[0]] = v;
    dy[at[1]] = -x - force + cos(t);
    dy[at[2]] = force * v;           // into the layer
    dy[at[3]] = cos(t) * v;          // by the load
    dy[at[4]] = force * force / 1e3; // lost in the layer
    dy[at[5]] = force / 1e3;
    return 0;
}

static void test_passive(void **state)
{
    SpragContext *context = *state;
    Order orders[2] = {{{0, 1, 2, 3, 4, 5}}, {{0, 1, 3, 4, 5, 2}}};
    double ends[2][6];
    for (int k = 0; k < 2; k++) {
        double absolute[6], y[6] = {0};
        for (int i = 0; i < 6; i++)
            absolute[orders[k].at[i]] = i >= 2 && i < 5 ? 1e-10 : 1e-11;
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = "radau";
        settings.absolute_each = absolute;
        SpragIntegrator *integrator = create(context, 6, order_f, &orders[k], &settings);
        y[orders[k].at[0]] = 1e-3;
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
        finish(context, integrator, 1.0);
        for (int i = 0; i < 6; i++)
            ends[k][i] = sprag_integrator_state(integrator)[orders[k].at[i]];
        sprag_integrator_destroy(integrator);
        // ½ v² + ½ x² grows by what the load gives less what goes into the layer; that is lost
        // there, but for what its spring holds
        const double *end = ends[k];
        double energy = 0.5 * (end[1] * end[1] + end[0] * end[0]);
        assert_close(energy, 0.5e-6 + end[3] - end[2], 1e-9);
        double spring = end[0] - end[5];
        assert_close(0.5e6 * (spring * spring - 1e-6), end[2] - end[4], 1e-8);
    }
    for (int i = 0; i < 6; i++)
        assert_close(ends[0][i], ends[1][i], 1e-12 * fmax(1.0, fabs(ends[0][i])));
}

// Chains of simple rows, a row that leads to itself, columns without entries: every shape of
// Jacobian solves its equations. Random linear systems y' = A y with entries 0 and 1 mostly, once
// with their Jacobian and once with a transformed, full one: same solution.
enum { SHAPE = 8 };

static int shape_f(double t, const double *y, double *dy, void *user)
{
    (void)t;
    const double *A = user;
    for (int i = 0; i < SHAPE; i++) {
        dy[i] = 0.0;
        for (int j = 0; j < SHAPE; j++)
            dy[i] += A[i * SHAPE + j] * y[j];
    }
    return 0;
}

static int shape_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t, (void)y;
    memcpy(J, user, sizeof(double) * SHAPE * SHAPE);
    return 0;
}

static void test_shapes(void **state)
{
    SpragContext *context = *state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(40); draw++) {
        double A[SHAPE * SHAPE] = {0}, y[SHAPE], end[SHAPE];
        double density = sprag_random_uniform(&random, 0.0, 0.4);
        for (int i = 0; i < SHAPE * SHAPE; i++)
            if (sprag_random_uniform(&random, 0.0, 1.0) < density)
                A[i] = sprag_random_uniform(&random, 0.0, 1.0) < 0.5
                           ? 1.0
                           : sprag_random_uniform(&random, -3.0, 3.0);
        for (int i = 0; i < SHAPE; i++)
            y[i] = sprag_random_uniform(&random, -1.0, 1.0);
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.relative = settings.absolute = 1e-11;
        settings.jacobian = shape_jacobian;
        const char *const names[2] = {"dop853", "radau"};
        for (int m = 0; m < 2; m++) {
            settings.method = names[m];
            SpragIntegrator *integrator = create(context, SHAPE, shape_f, A, &settings);
            assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
            finish(context, integrator, 2.0);
            const double *now = sprag_integrator_state(integrator);
            for (int i = 0; i < SHAPE && m == 1; i++)
                assert_close(now[i], end[i], 1e-7 * fmax(1.0, fabs(end[i])));
            memcpy(end, now, sizeof end);
            // linear, with its Jacobian: the first increment is the last, the second shows it
            SpragIntegratorStatistics statistics = sprag_integrator_statistics(integrator);
            assert_true(statistics.iterations <= 2 * (statistics.steps + statistics.rejected));
            sprag_integrator_destroy(integrator);
        }
    }
}

// ---- Failures -----------------------------------------------------------------------------------

static void test_refusal(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e3);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0;
    SpragStep step;
    // refused beyond 0.3: as near as possible
    decay.refuse_after = 0.3;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_REFUSED);
    assert_close(step.t_new, 0.3, 1e-14);
    assert_true(sprag_integrator_statistics(integrator).refused > 10);
    assert_close(sprag_integrator_state(integrator)[0], decay_exact(1e3, 1.0, step.t_new), 1e-9);
    // and on again when f is willing
    decay.refuse_after = INFINITY;
    finish(context, integrator, 1.0);
    assert_close(sprag_integrator_state(integrator)[0], decay_exact(1e3, 1.0, 1.0), 1e-9);
    // refused now and then, in the differences of the Jacobian too
    for (int calls = 1; calls < 30; calls++) {
        decay.refuse_calls = 0;
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 1e-3));
        for (int i = 0; i < 3; i++) {
            decay.refuse_calls = i == 1 ? calls % 4 : 0;
            assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
            assert_true(step.outcome == SPRAG_STEP_DONE || step.outcome == SPRAG_STEP_REFUSED);
        }
        assert_close(sprag_integrator_state(integrator)[0], decay_exact(1e3, 1.0, step.t_new),
                     1e-9);
    }
    decay.refuse_after = -1.0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_REFUSED);
    assert_true(sprag_integrator_state(integrator)[0] == 1.0);
    sprag_integrator_destroy(integrator);
}

static void test_stop(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e3);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    double y = 1.0;
    SpragStep step = {0};
    decay.stop_after = 0.3;
    SpragStatus status;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    do
        status = sprag_integrator_step(integrator, 1.0, &step);
    while (status == SPRAG_OK && step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(status, SPRAG_ERROR_CALLBACK);
    double t = sprag_integrator_time(integrator);
    assert_true(t <= 0.3 && step.t_new == t);
    decay.stop_after = INFINITY;
    finish(context, integrator, 1.0);
    assert_close(sprag_integrator_state(integrator)[0], decay_exact(1e3, 1.0, 1.0), 1e-9);
    sprag_integrator_destroy(integrator);
}

// y' = y²: infinite at t = 1.
static int square_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = y[0] * y[0];
    return 0;
}

static void test_not_finite(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e3);
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    settings.jacobian = decay_jacobian;
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, &settings);
    double y = 1.0;
    SpragStep step = {0};
    decay.nan_after = 0.3;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_NOT_FINITE);
    assert_close(step.t_new, 0.3, 1e-14);
    // a Jacobian that is not a number: nothing to be done
    decay.nan_after = INFINITY;
    decay.jacobian_nan_after = -1.0;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
    assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_NOT_FINITE);
    assert_true(sprag_integrator_state(integrator)[0] == 1.0);
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

// A sawtooth faster than any step can follow is given up, near t = 0 too.
static int noise_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)y;
    int *calls = user;
    dy[0] = (*calls)++ % 2 ? 1e200 : -1e200;
    return 0;
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
    assert_true(step.outcome == SPRAG_STEP_UNDERFLOW || step.outcome == SPRAG_STEP_NOT_FINITE);
    assert_true(sprag_integrator_state(integrator)[0] == 1.0);
    assert_true(calls < 20000);
    sprag_integrator_destroy(integrator);
}

// A state at rest stays, in few steps.
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
    double y[3] = {0.0, 1.0, -2.0};
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
    finish(context, integrator, 10.0);
    assert_memory_equal(sprag_integrator_state(integrator), y, sizeof y);
    assert_true(sprag_integrator_statistics(integrator).steps <= 11);
    sprag_integrator_destroy(integrator);
}

// ---- Memory and arguments -----------------------------------------------------------------------

static void test_no_memory(void **state)
{
    (void)state;
    SpragIntegratorSettings chosen = sprag_integrator_default();
    chosen.method = "radau";
    for (int allowed = 1; allowed <= 6; allowed++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, allowed);
        SpragIntegrator *integrator;
        SpragStatus status =
            sprag_integrator_create(context, 3, square_f, NULL, &chosen, &integrator);
        assert_int_equal(status, allowed < 6 ? SPRAG_ERROR_MEMORY : SPRAG_OK);
        assert_true((integrator != NULL) == (status == SPRAG_OK));
        sprag_integrator_destroy(integrator);
        sprag_context_destroy(context);
    }
}

static void test_too_large(void **state)
{
    SpragContext *context = *state;
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = "radau";
    SpragIntegrator *integrator;
    assert_int_equal(
        sprag_integrator_create(context, 100000, square_f, NULL, &settings, &integrator),
        SPRAG_ERROR_ARGUMENT);
    assert_null(integrator);
}

static void test_no_allocation(void **state)
{
    SpragContext *context = *state;
    Decay decay = no_failures(1e4);
    SpragIntegrator *integrator = create(context, 1, decay_f, &decay, NULL);
    uint64_t before = sprag_context_allocation_count(context);
    double y = 2.0;
    for (int arc = 0; arc < 3; arc++) {
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
        finish(context, integrator, 1.0);
    }
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_integrator_destroy(integrator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart),    cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_correct),    cmocka_unit_test(test_dense_ends),
        cmocka_unit_test(test_short_step), cmocka_unit_test(test_max_step),
        cmocka_unit_test(test_resize),     cmocka_unit_test(test_resize_alone),
        cmocka_unit_test(test_passive),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refusal),    cmocka_unit_test(test_stop),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_rest),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_too_large),  cmocka_unit_test(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

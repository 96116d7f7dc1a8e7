// Accuracy of the implicit integrators: tableaux, orders, closed forms and published solutions of
// stiff problems.
#include <float.h>

#include "kepler.h"
#include "sprag/integrate.h"
#include "support/state_context.h"

static const char *const methods[] = {"radau", "radau5", "radau9", "radau13"};
enum { METHODS = 4 };

static SpragIntegrator *create(SpragContext *context, const char *method, int n,
                               SpragDerivativeFunction *f, double relative, double absolute)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.method = method;
    settings.relative = relative;
    settings.absolute = absolute;
    SpragIntegrator *integrator = NULL;
    assert_ok(context, sprag_integrator_create(context, n, f, NULL, &settings, &integrator));
    return integrator;
}

static const SpragIntegratorMethod *find(const char *name)
{
    int i = 0;
    while (strcmp(sprag_integrator_method(i)->name, name) != 0)
        i++;
    return sprag_integrator_method(i);
}

// From (0, y) to the end.
static void integrate(SpragContext *context, SpragIntegrator *integrator, const double *y,
                      double end)
{
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, end, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
}

// ---- Tableaux and orders ------------------------------------------------------------------------

// C(s): Σ_j a_ij c_j^(k−1) = c_i^k/k for k ≤ s; B(2s − 1): Σ_j b_j c_j^(k−1) = 1/k for k < 2s;
// stiffly accurate. Terms are below 1 and rounded once or twice.
static void test_tableaux(void **state)
{
    (void)state;
    for (int m = 1; m < METHODS; m++) {
        const SpragIntegratorMethod *method = find(methods[m]);
        int s = method->stage_count;
        const double *a = method->a, *c = method->c;
        assert_int_equal(method->order, 2 * s - 1);
        assert_true(c[s - 1] == 1.0);
        for (int i = 0; i < s; i++) {
            int most = i == s - 1 ? 2 * s - 1 : s;
            for (int k = 1; k <= most; k++) {
                double sum = 0.0;
                for (int j = 0; j < s; j++)
                    sum += a[i * s + j] * pow(c[j], k - 1);
                assert_close(sum, pow(c[i], k) / k, 4.0 * DBL_EPSILON);
            }
        }
    }
}

// y_i' = (i + 1) t^i: a method of s stages integrates degree 2s − 2 exactly, its dense output
// degree s. What is left is rounding, amplified by the transformation of the stages: its entries
// are up to about 100.
static int power_f(double t, const double *y, double *dy, void *user)
{
    (void)y, (void)user;
    for (int i = 0; i < 13; i++)
        dy[i] = (i + 1) * pow(t, i);
    return 0;
}

static void test_polynomials(void **state)
{
    SpragContext *context = *state;
    for (int m = 1; m < METHODS; m++) {
        SpragIntegrator *integrator = create(context, methods[m], 13, power_f, 1e6, 1e6);
        int s = find(methods[m])->stage_count;
        double y[13] = {0};
        SpragStep step;
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 2.0));
        assert_ok(context, sprag_integrator_step(integrator, 1.5, &step));
        for (int i = 0; i < 2 * s - 1; i++)
            assert_close(sprag_integrator_state(integrator)[i], pow(1.5, i + 1),
                         200.0 * DBL_EPSILON * pow(1.5, i + 1));
        assert_ok(context, sprag_integrator_evaluate(integrator, 0.6, y));
        for (int i = 0; i < s; i++)
            assert_close(y[i], pow(0.6, i + 1), 2000.0 * DBL_EPSILON * pow(1.5, i + 1));
        sprag_integrator_destroy(integrator);
    }
}

// y' = −(y − sin t) + cos t + 0 z, z' = y + z: linear, so that one iteration solves the stage
// equations whatever the tolerance. y = sin t, z = e^t − (sin t + cos t)/2.
static int linear_f(double t, const double *y, double *dy, void *user)
{
    (void)user;
    dy[0] = -(y[0] - sin(t)) + cos(t);
    dy[1] = y[0] + y[1];
    return 0;
}

static int linear_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t, (void)y, (void)user;
    J[0] = -1.0;
    J[2] = J[3] = 1.0;
    return 0;
}

static double linear_error(double t, const double *y)
{
    double z = exp(t) - 0.5 * (sin(t) + cos(t));
    return fmax(fabs(y[0] - sin(t)), fabs(y[1] - z));
}

// One step of length h from t = 0: errors at its end and inside.
static void one_step(SpragContext *context, SpragIntegrator *integrator, double h, double *end,
                     double *inside)
{
    double y[2] = {0.0, 0.5};
    SpragStep step;
    assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, h));
    assert_ok(context, sprag_integrator_step(integrator, h, &step));
    assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
    *end = linear_error(h, sprag_integrator_state(integrator));
    *inside = 0.0;
    for (int i = 1; i < 20; i++) {
        assert_ok(context, sprag_integrator_evaluate(integrator, h * i / 20.0, y));
        *inside = fmax(*inside, linear_error(h * i / 20.0, y));
    }
}

// A method of order p leaves h^(p+1) in one step, and its dense output h^(q+1). Steps are such that
// the error of the shorter one is still 100 ulp, which for seven stages are so long that the next
// term of the expansion, of the same sign here, adds to the slope.
static void test_convergence(void **state)
{
    SpragContext *context = *state;
    const double first[] = {0.0, 0.25, 0.75, 2.1};
    for (int m = 1; m < METHODS; m++) {
        const SpragIntegratorMethod *method = find(methods[m]);
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = methods[m];
        settings.relative = settings.absolute = 1e9;
        settings.jacobian = linear_jacobian;
        SpragIntegrator *integrator;
        assert_ok(context,
                  sprag_integrator_create(context, 2, linear_f, NULL, &settings, &integrator));
        double end[2], inside[2];
        for (int k = 0; k < 2; k++)
            one_step(context, integrator, first[m] * pow(0.5, k), &end[k], &inside[k]);
        double slope = log2(end[0] / end[1]), slope_inside = log2(inside[0] / inside[1]);
        assert_true(slope > method->order + 0.9 && slope < method->order + 4.0);
        assert_true(slope_inside > method->dense_order + 0.9 &&
                    slope_inside < method->dense_order + 2.5);
        sprag_integrator_destroy(integrator);
    }
}

// ---- Closed forms -------------------------------------------------------------------------------

enum { SIZE = 9 };

// y' = V Λ V⁻¹ y, Λ of blocks [a −b; b a] and one real entry; V a product of reflections and a
// scaling, so that V⁻¹ is exact.
typedef struct Linear {
    double a[5], b[5];
    double A[SIZE * SIZE];
    double V[SIZE * SIZE], inverse[SIZE * SIZE];
} Linear;

static void reflect(double *V, double *inverse, const double *u)
{
    double square = 0.0;
    for (int i = 0; i < SIZE; i++)
        square += u[i] * u[i];
    for (int i = 0; i < SIZE; i++) {
        double row = 0.0, column = 0.0;
        for (int j = 0; j < SIZE; j++) {
            row += V[i * SIZE + j] * u[j];
            column += inverse[j * SIZE + i] * u[j];
        }
        for (int j = 0; j < SIZE; j++) {
            V[i * SIZE + j] -= 2.0 * row * u[j] / square;
            inverse[j * SIZE + i] -= 2.0 * column * u[j] / square;
        }
    }
}

// e^(a t) (cos b t, sin b t) on the k-th block of x.
static void turn(const Linear *linear, int k, double t, double *x)
{
    double e = exp(linear->a[k] * t), c = cos(linear->b[k] * t), s = sin(linear->b[k] * t);
    double first = x[2 * k], second = k < 4 ? x[2 * k + 1] : 0.0;
    x[2 * k] = e * (c * first - s * second);
    if (k < 4)
        x[2 * k + 1] = e * (s * first + c * second);
}

static void multiply(const double *M, const double *x, double *y)
{
    for (int i = 0; i < SIZE; i++) {
        y[i] = 0.0;
        for (int j = 0; j < SIZE; j++)
            y[i] += M[i * SIZE + j] * x[j];
    }
}

static void linear_exact(const Linear *linear, const double *start, double t, double *y)
{
    double x[SIZE];
    multiply(linear->inverse, start, x);
    for (int k = 0; k < 5; k++)
        turn(linear, k, t, x);
    multiply(linear->V, x, y);
}

static void linear_init(Linear *linear, SpragRandom *random)
{
    memset(linear, 0, sizeof *linear);
    // rates from slow to 1e9, the fast ones damped
    for (int k = 0; k < 5; k++) {
        double rate =
            pow(10.0, sprag_random_uniform(random, k < 2 ? -1.0 : 1.0, k < 2 ? 1.0 : 9.0));
        double damping = sprag_random_uniform(random, k < 2 ? -0.1 : 0.1, 1.0);
        linear->a[k] = -damping * rate;
        linear->b[k] = k < 4 ? rate * sqrt(1.0 - damping * damping) : 0.0;
    }
    for (int i = 0; i < SIZE; i++) {
        linear->V[i * SIZE + i] = sprag_random_uniform(random, 0.5, 2.0);
        linear->inverse[i * SIZE + i] = 1.0 / linear->V[i * SIZE + i];
    }
    for (int k = 0; k < 3; k++) {
        double u[SIZE];
        for (int i = 0; i < SIZE; i++)
            u[i] = sprag_random_uniform(random, -1.0, 1.0);
        reflect(linear->V, linear->inverse, u);
    }
    for (int j = 0; j < SIZE; j++) {
        // column j of A is V Λ V⁻¹ e_j
        double unit[SIZE] = {0}, x[SIZE], lambda[SIZE], column[SIZE];
        unit[j] = 1.0;
        multiply(linear->inverse, unit, x);
        for (int k = 0; k < 5; k++) {
            double second = k < 4 ? x[2 * k + 1] : 0.0;
            lambda[2 * k] = linear->a[k] * x[2 * k] - linear->b[k] * second;
            if (k < 4)
                lambda[2 * k + 1] = linear->b[k] * x[2 * k] + linear->a[k] * second;
        }
        multiply(linear->V, lambda, column);
        for (int i = 0; i < SIZE; i++)
            linear->A[i * SIZE + j] = column[i];
    }
}

static int matrix_f(double t, const double *y, double *dy, void *user)
{
    (void)t;
    multiply(((const Linear *)user)->A, y, dy);
    return 0;
}

static int matrix_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t, (void)y;
    memcpy(J, ((const Linear *)user)->A, sizeof(double) * SIZE * SIZE);
    return 0;
}

// Random stiff linear systems, rates up to 1e9, with a Jacobian and by differences. Transients are
// followed at first. Rounding: A y cancels where fast parts have died out, 1e9 × 1e-16 of f, which
// the fast directions turn into 1e-16 of y.
static void test_linear(void **state)
{
    SpragContext *context = *state;
    SpragRandom random;
    sprag_random_init(&random, 7);
    for (int draw = 0; draw < test_draws(12); draw++) {
        Linear linear;
        linear_init(&linear, &random);
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = methods[draw % METHODS];
        settings.relative = settings.absolute = draw % METHODS == 1 ? 1e-6 : 1e-9;
        settings.jacobian = draw % 2 ? matrix_jacobian : NULL;
        SpragIntegrator *integrator;
        assert_ok(context, sprag_integrator_create(context, SIZE, matrix_f, &linear, &settings,
                                                   &integrator));
        double start[SIZE], y[SIZE], exact[SIZE];
        for (int i = 0; i < SIZE; i++)
            start[i] = sprag_random_uniform(&random, -1.0, 1.0);
        SpragStep step;
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, start, NULL, 0.0));
        do {
            assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
            for (int k = 1; k <= 4; k++) {
                double t = step.t_old + (step.t_new - step.t_old) * 0.25 * k;
                t = k == 4 ? step.t_new : t;
                assert_ok(context, sprag_integrator_evaluate(integrator, t, y));
                linear_exact(&linear, start, t, exact);
                for (int i = 0; i < SIZE; i++)
                    assert_close(y[i], exact[i], 100.0 * settings.relative);
            }
        } while (step.outcome == SPRAG_STEP_DONE);
        assert_int_equal(step.outcome, SPRAG_STEP_AT_STOP);
        sprag_integrator_destroy(integrator);
    }
}

// A pendulum drives a spring of 1e6 rad/s with damping 0.1: after the transient it follows its
// equilibrium. x = (angle, rate, deflection, rate of it); all scaled to order 1 by the tolerances.
static const double FREQUENCY = 1e6, DAMPING = 0.1;

static int spring_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = y[1];
    dy[1] = -sin(y[0]);
    dy[2] = y[3];
    dy[3] = -FREQUENCY * (FREQUENCY * (y[2] - 1e-6 * cos(y[0])) + 2.0 * DAMPING * y[3]);
    return 0;
}

// Equilibrium to first order in 1/FREQUENCY: deflection 1e-6 (cos φ)(t − delay), delay 2 ζ/ω. What
// is neglected is 1e-6 ω⁻² = 1e-18.
static void spring_follows(const double *y, double tolerance)
{
    double delay = 2.0 * DAMPING / FREQUENCY;
    assert_close(y[2], 1e-6 * (cos(y[0]) + delay * sin(y[0]) * y[1]), tolerance * 1e-6);
}

static void test_fast_spring(void **state)
{
    SpragContext *context = *state;
    const double absolute[4] = {1e-9, 1e-9, 1e-15, 1e-9};
    for (int transient = 0; transient < 2; transient++) {
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = "radau";
        settings.absolute_each = absolute;
        SpragIntegrator *integrator;
        assert_ok(context,
                  sprag_integrator_create(context, 4, spring_f, NULL, &settings, &integrator));
        double y[4] = {1.0, 0.0, transient ? 2e-6 : 1e-6 * cos(1.0), 0.0}, energy = -cos(1.0);
        integrate(context, integrator, y, 0.002);
        uint64_t transient_steps = sprag_integrator_statistics(integrator).steps;
        // 33 periods in which the amplitude falls by 1e9, 2 to 6 steps each; else next to nothing
        assert_in_range(transient_steps, transient ? 66 : 1, transient ? 200 : 20);
        SpragStep step;
        do {
            assert_ok(context, sprag_integrator_step(integrator, 20.0, &step));
            spring_follows(sprag_integrator_state(integrator), 1e-8);
            assert_ok(context, sprag_integrator_evaluate(integrator,
                                                         0.3 * step.t_old + 0.7 * step.t_new, y));
            spring_follows(y, 1e-7);
        } while (step.outcome == SPRAG_STEP_DONE);
        // three periods of the pendulum: its energy, and steps as if there were no spring
        const double *end = sprag_integrator_state(integrator);
        assert_close(0.5 * end[1] * end[1] - cos(end[0]), energy, 3e-8);
        assert_true(sprag_integrator_statistics(integrator).steps - transient_steps < 90);
        sprag_integrator_destroy(integrator);
    }
}

// Prothero and Robinson: y' = λ (y − φ(t)) + φ'(t), y = φ, for any stiffness. The stiff limit
// leaves stage order at most; the error stays with the tolerance [HairerWanner1996, sec. IV.15].
typedef struct Prothero {
    double lambda;
} Prothero;

static int prothero_f(double t, const double *y, double *dy, void *user)
{
    const Prothero *prothero = user;
    dy[0] = -prothero->lambda * (y[0] - sin(10.0 * t)) + 10.0 * cos(10.0 * t);
    return 0;
}

static void test_prothero_robinson(void **state)
{
    SpragContext *context = *state;
    for (double lambda = 1.0; lambda < 1e10; lambda *= 10.0)
        for (int m = 0; m < METHODS; m++) {
            Prothero prothero = {lambda};
            SpragIntegratorSettings settings = sprag_integrator_default();
            settings.method = methods[m];
            settings.relative = settings.absolute = m == 1 ? 1e-6 : 1e-9;
            SpragIntegrator *integrator;
            assert_ok(context, sprag_integrator_create(context, 1, prothero_f, &prothero, &settings,
                                                       &integrator));
            double y = 0.0;
            SpragStep step;
            assert_ok(context, sprag_integrator_restart(integrator, 0.0, &y, NULL, 0.0));
            do {
                assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
                assert_close(sprag_integrator_state(integrator)[0], sin(10.0 * step.t_new),
                             10.0 * settings.relative);
                double t = 0.9 * step.t_old + 0.1 * step.t_new;
                assert_ok(context, sprag_integrator_evaluate(integrator, t, &y));
                assert_close(y, sin(10.0 * t), 30.0 * settings.relative);
            } while (step.outcome == SPRAG_STEP_DONE);
            sprag_integrator_destroy(integrator);
        }
}

// ---- Published solutions, from the test set of [HairerWanner1996, sec. IV.10, p. 144] -----------

static int robertson_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    dy[2] = 3e7 * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
    return 0;
}

static void test_robertson(void **state)
{
    SpragContext *context = *state;
    const double start[3] = {1.0, 0.0, 0.0};
    const double end[3] = {0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050};
    for (int m = 0; m < METHODS; m++) {
        SpragIntegrator *integrator = create(context, methods[m], 3, robertson_f, 1e-8, 1e-19);
        integrate(context, integrator, start, 1e11);
        for (int i = 0; i < 3; i++)
            assert_close(sprag_integrator_state(integrator)[i], end[i], 1e-7 * end[i]);
        sprag_integrator_destroy(integrator);
    }
}

static int van_der_pol_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = y[1];
    dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    return 0;
}

static int van_der_pol_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t, (void)user;
    J[1] = 1.0;
    J[2] = (-2.0 * y[0] * y[1] - 1.0) / 1e-6;
    J[3] = (1.0 - y[0] * y[0]) / 1e-6;
    return 0;
}

static void test_van_der_pol(void **state)
{
    SpragContext *context = *state;
    const double start[2] = {2.0, 0.0};
    const double end[2] = {0.1706167732170483e1, -0.8928097010247975};
    for (int m = 0; m < 2 * METHODS; m++) {
        SpragIntegratorSettings settings = sprag_integrator_default();
        settings.method = methods[m / 2];
        settings.jacobian = m % 2 ? van_der_pol_jacobian : NULL;
        settings.relative = 1e-8;
        settings.absolute = 1e-9;
        SpragIntegrator *integrator;
        assert_ok(context,
                  sprag_integrator_create(context, 2, van_der_pol_f, NULL, &settings, &integrator));
        integrate(context, integrator, start, 2.0);
        // the two jumps of the relaxation oscillation multiply errors
        for (int i = 0; i < 2; i++)
            assert_close(sprag_integrator_state(integrator)[i], end[i], 1e-7);
        sprag_integrator_destroy(integrator);
    }
}

static int hires_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    dy[1] = 1.71 * y[0] - 8.75 * y[1];
    dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    dy[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    dy[6] = 280.0 * y[5] * y[7] - 1.81 * y[6];
    dy[7] = -dy[6];
    return 0;
}

static void test_hires(void **state)
{
    SpragContext *context = *state;
    const double start[8] = {1.0, 0, 0, 0, 0, 0, 0, 0.0057};
    const double end[8] = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                           0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                           0.2849998395185769e-2, 0.2850001604814231e-2};
    for (int m = 0; m < METHODS; m++) {
        SpragIntegrator *integrator = create(context, methods[m], 8, hires_f, 1e-9, 1e-13);
        integrate(context, integrator, start, 321.8122);
        for (int i = 0; i < 8; i++)
            assert_close(sprag_integrator_state(integrator)[i], end[i], 1e-7 * end[i]);
        sprag_integrator_destroy(integrator);
    }
}

// ---- As other integrators -----------------------------------------------------------------------

// One revolution at tolerances from 1e-4 to 1e-12: errors follow, at and between the steps.
static void test_tolerance_sweep(void **state)
{
    SpragContext *context = *state;
    for (int digits = 4; digits <= 12; digits += 2) {
        double tolerance = pow(10.0, -digits), y[4], worst = 0.0;
        SpragIntegrator *integrator = create(context, "radau", 4, kepler_f, tolerance, tolerance);
        SpragStep step;
        kepler_exact(0.6, 0.0, y);
        assert_ok(context, sprag_integrator_restart(integrator, 0.0, y, NULL, 0.0));
        do {
            assert_ok(context, sprag_integrator_step(integrator, 6.283185307179586, &step));
            for (int i = 1; i <= 8; i++) {
                double t = i == 8 ? step.t_new : step.t_old + (step.t_new - step.t_old) * i / 8.0;
                assert_ok(context, sprag_integrator_evaluate(integrator, t, y));
                worst = fmax(worst, kepler_error(0.6, t, y));
            }
        } while (step.outcome == SPRAG_STEP_DONE);
        // the flow through the pericentre amplifies errors of single steps
        assert_true(worst < 100.0 * tolerance);
        SpragIntegratorStatistics statistics = sprag_integrator_statistics(integrator);
        assert_true(statistics.rejected < statistics.steps / 2);
        sprag_integrator_destroy(integrator);
    }
}

// There and back again.
static void test_time_reversal(void **state)
{
    SpragContext *context = *state;
    SpragIntegrator *integrator = create(context, "radau", 4, kepler_f, 1e-10, 1e-10);
    double start[4];
    SpragStep step;
    kepler_exact(0.6, 1.0, start);
    assert_ok(context, sprag_integrator_restart(integrator, 1.0, start, NULL, 0.0));
    do
        assert_ok(context, sprag_integrator_step(integrator, 5.0, &step));
    while (step.outcome == SPRAG_STEP_DONE);
    do {
        assert_ok(context, sprag_integrator_step(integrator, 1.0, &step));
        assert_true(step.t_new < step.t_old);
    } while (step.outcome == SPRAG_STEP_DONE);
    assert_true(step.t_new == 1.0);
    for (int i = 0; i < 4; i++)
        assert_close(sprag_integrator_state(integrator)[i], start[i], 1e-8);
    sprag_integrator_destroy(integrator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tableaux),      cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_convergence),   cmocka_unit_test(test_linear),
        cmocka_unit_test(test_fast_spring),   cmocka_unit_test(test_prothero_robinson),
        cmocka_unit_test(test_robertson),     cmocka_unit_test(test_van_der_pol),
        cmocka_unit_test(test_hires),         cmocka_unit_test(test_tolerance_sweep),
        cmocka_unit_test(test_time_reversal),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

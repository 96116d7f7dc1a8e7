// Accuracy of the implicit integrators: stiff problems with published solutions and closed forms.
#include <float.h>

#include "sprag/integrate.h"
#include "support/test.h"

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

static const char *const methods[] = {"radau", "radau5", "radau9", "radau13"};
enum { METHODS = 4 };

// ---- Published solutions: the test set of [HairerWanner1996, sec. IV.10, p. 144] ----------------

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

static void test_van_der_pol(void **state)
{
    SpragContext *context = *state;
    const double start[2] = {2.0, 0.0};
    const double end[2] = {0.1706167732170483e1, -0.8928097010247975};
    for (int m = 0; m < METHODS; m++) {
        SpragIntegrator *integrator = create(context, methods[m], 2, van_der_pol_f, 1e-8, 1e-9);
        integrate(context, integrator, start, 2.0);
        for (int i = 0; i < 2; i++)
            assert_close(sprag_integrator_state(integrator)[i], end[i], 1e-6);
        sprag_integrator_destroy(integrator);
    }
}

static int setup(void **state)
{
    *state = test_context();
    return 0;
}

static int teardown(void **state)
{
    sprag_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_van_der_pol),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

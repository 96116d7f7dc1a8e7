// integrate_radau_jacobian.c: ∂f/∂y for the implicit methods, from the caller or by differences.
// Problem   one J serves all stages of a step: where a body turns, the stiff directions turn with
// it Method    J is taken in the middle of the step, at the state that the step before predicts; at
//           the begin of the step on a new arc and after a failed attempt. Forward differences have
//           steps of √ε times the size of a component: the largest of |y|, of absolute/relative
//           tolerance, and of its change in the step tried; towards the other side where f refuses
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate_radau.h"

// Where in the step.
static const double FRACTION = 0.5;

// Where J is taken.
typedef struct Place {
    double t;
    const double *y, *f; // f for differences
} Place;

static double difference_step(const SpragIntegrator *integrator, const Place *place, int j)
{
    double size = fabs(place->y[j]);
    double floor_size = integrator->absolute[j] / integrator->relative;
    double change = fabs((integrator->t_end - integrator->t_begin) * place->f[j]);
    if (isfinite(floor_size))
        size = fmax(size, floor_size);
    if (isfinite(change))
        size = fmax(size, change);
    if (size == 0.0)
        size = 1.0;
    // the exact distance of two numbers
    double step = copysign(sqrt(DBL_EPSILON) * size, place->f[j]);
    volatile double moved = place->y[j] + step;
    return moved - place->y[j];
}

// Column j of J.
static int difference(SpragIntegrator *integrator, const Place *place, int j)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n, code = 1;
    double *w = integrator->work, *f = integrator->work2;
    double step = difference_step(integrator, place, j);
    for (int side = 0; side < 2 && code > 0; side++) {
        step = side == 0 ? step : -step;
        w[j] = place->y[j] + step;
        code = integrator_call(integrator, place->t, w, f);
    }
    w[j] = place->y[j];
    for (int i = 0; i < n && code == 0; i++)
        radau->J[i * n + j] = (f[i] - place->f[i]) / step;
    return code;
}

static int fill(SpragIntegrator *integrator, const Place *place)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n, code = 0;
    size_t size = (size_t)n;
    if (integrator->jacobian) {
        memset(radau->J, 0, size * size * sizeof(double));
        return integrator->jacobian(place->t, place->y, radau->J, integrator->user);
    }
    memcpy(integrator->work, place->y, size * sizeof(double));
    for (int j = 0; j < n && code == 0; j++)
        code = difference(integrator, place, j);
    return code;
}

// J in the middle of the step. False if it cannot be had there; *code < 0: and nowhere.
static bool fill_middle(SpragIntegrator *integrator, int *code)
{
    Radau *radau = integrator->implicit;
    double h = integrator->t_end - integrator->t_begin;
    double *y = radau->error, *f = radau->work;
    sprag_radau_evaluate(&radau->before, 1.0 + FRACTION * h / radau->before.h, integrator->n, y);
    for (int i = 0; i < integrator->n; i++)
        y[i] += integrator->begin[i];
    Place place = {integrator->t_begin + FRACTION * h, y, f};
    *code = 0;
    if (!integrator->jacobian)
        *code = integrator_call(integrator, place.t, y, f);
    if (*code == 0)
        *code = fill(integrator, &place);
    return *code == 0 && integrator_is_finite(integrator->n * integrator->n, radau->J);
}

int sprag_radau_jacobian(SpragIntegrator *integrator, bool *finite)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n, code = 0;
    integrator->statistics.jacobians++;
    double h = integrator->t_end - integrator->t_begin;
    *finite = radau_predicts(radau, h) && !radau->rejected && fill_middle(integrator, &code);
    radau->ahead_jacobian = *finite;
    if (!*finite && code >= 0) {
        Place begin = {integrator->t_begin, integrator->begin, integrator->k[0]};
        code = fill(integrator, &begin);
        *finite = code == 0 && integrator_is_finite(n * n, radau->J);
    }
    if (*finite)
        sprag_shifted_sort(&radau->system, n, radau->J);
    return code;
}

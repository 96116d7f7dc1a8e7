// integrate_radau_jacobian.c: ∂f/∂y for the implicit methods, from the caller or by differences.
// Method    forward differences with steps √ε times the size of a component: the largest of |y|,
//           of absolute/relative tolerance, and of its change in the step tried; towards the other
//           side where f refuses
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate_radau.h"

static double difference_step(const SpragIntegrator *integrator, int j)
{
    double size = fabs(integrator->begin[j]);
    double floor_size = integrator->absolute[j] / integrator->relative;
    double change = fabs((integrator->t_end - integrator->t_begin) * integrator->k[0][j]);
    if (isfinite(floor_size))
        size = fmax(size, floor_size);
    if (isfinite(change))
        size = fmax(size, change);
    if (size == 0.0)
        size = 1.0;
    // the exact distance of two numbers
    double step = copysign(sqrt(DBL_EPSILON) * size, integrator->k[0][j]);
    volatile double moved = integrator->begin[j] + step;
    return moved - integrator->begin[j];
}

// Column j of J.
static int difference(SpragIntegrator *integrator, int j, double *w, double *f)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n, code = 1;
    double step = difference_step(integrator, j);
    for (int side = 0; side < 2 && code > 0; side++) {
        step = side == 0 ? step : -step;
        w[j] = integrator->begin[j] + step;
        code = integrator_call(integrator, integrator->t_begin, w, f);
    }
    w[j] = integrator->begin[j];
    for (int i = 0; i < n && code == 0; i++)
        radau->J[i * n + j] = (f[i] - integrator->k[0][i]) / step;
    return code;
}

int sprag_radau_jacobian(SpragIntegrator *integrator, bool *finite)
{
    Radau *radau = integrator->implicit;
    int n = integrator->n, code = 0;
    size_t size = (size_t)n;
    integrator->statistics.jacobians++;
    if (integrator->jacobian) {
        memset(radau->J, 0, size * size * sizeof(double));
        code = integrator->jacobian(integrator->t_begin, integrator->begin, radau->J,
                                    integrator->user);
    } else {
        memcpy(integrator->work, integrator->begin, size * sizeof(double));
        for (int j = 0; j < n && code == 0; j++)
            code = difference(integrator, j, integrator->work, integrator->work2);
    }
    if (code)
        return code;
    *finite = integrator_is_finite(n * n, radau->J);
    if (*finite)
        sprag_shifted_sort(&radau->system, n, radau->J);
    return 0;
}

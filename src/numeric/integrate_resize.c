// integrate_resize.c: arcs with fewer components than at creation.
#include <math.h>

#include "integrate_private.h"

SpragStatus sprag_integrator_resize(SpragIntegrator *integrator, int n, const double *absolute_each)
{
    int controlled = 0;
    if (n < 1 || n > integrator->width)
        return sprag_fail(integrator->context, SPRAG_ERROR_ARGUMENT, "no room for %d components",
                          n);
    for (int i = 0; i < integrator->width; i++) {
        if (i >= n)
            integrator->absolute[i] = INFINITY;
        else if (absolute_each)
            integrator->absolute[i] = absolute_each[i];
        controlled += isfinite(integrator->absolute[i]);
    }
    integrator->controlled_count = controlled > 0 ? controlled : 1;
    integrator->n = n;
    integrator->started = integrator->has_step = integrator->has_dense = false;
    return SPRAG_OK;
}

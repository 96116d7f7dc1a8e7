// kepler.h: the planar two-body problem with its closed form, for the tests of integrators.
//     x'' = −x/r³, y'' = −y/r³; semi-major axis 1, period 2π, pericentre on +x at t = 0
#ifndef SPRAG_TESTS_UNIT_NUMERIC_KEPLER_H
#define SPRAG_TESTS_UNIT_NUMERIC_KEPLER_H

#include <math.h>

static inline int kepler_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] / r3;
    dy[3] = -y[1] / r3;
    return 0;
}

// Position and velocity at t by Kepler's equation E − e sin E = t (Newton).
static inline void kepler_exact(double e, double t, double *y)
{
    double E = t;
    for (int i = 0; i < 50; i++)
        E -= (E - e * sin(E) - t) / (1.0 - e * cos(E));
    double b = sqrt(1.0 - e * e), rate = 1.0 / (1.0 - e * cos(E));
    y[0] = cos(E) - e;
    y[1] = b * sin(E);
    y[2] = -sin(E) * rate;
    y[3] = b * cos(E) * rate;
}

// Largest difference of the four components.
static inline double kepler_error(double e, double t, const double *y)
{
    double exact[4], error = 0.0;
    kepler_exact(e, t, exact);
    for (int i = 0; i < 4; i++)
        error = fmax(error, fabs(y[i] - exact[i]));
    return error;
}

#endif

// pilot_rod.h: case 1 of Song et al. (theory.md 15.1, point tip) on a compliant layer, written by
// hand: what a researcher would give to an integrator. Its tip slides to the left at the start, and
// comes down so slowly that it makes no difference: Sprag puts what only slides into its layer.
//     state   x, y, angle, their rates, gap of the tip, shear of the layer
//     normal  λ = K d + C d' or K d^β (1 + 3/2 α d'), d = −gap           theory.md (5.3), (5.4)
//     shear   K_T δ + C_T δ'; sticks or slips                            theory.md (5.7) to (5.10)
#ifndef SPRAG_BENCH_PILOT_ROD_H
#define SPRAG_BENCH_PILOT_ROD_H

#include <math.h>
#include <stdbool.h>

enum { ROD_SIZE = 8, ROD_ROOTS = 2 };

static const double ROD_MASS = 0.088, ROD_INERTIA = 1.606176e-3, ROD_ARM = 0.234;
static const double ROD_FRICTION = 0.27, ROD_GRAVITY = 9.81;
static const double ROD_ANGLE = 42.3 * 3.14159265358979323846 / 180, ROD_SLIP = -0.1;
static const double ROD_APPROACH = 1e-8;

typedef struct Rod {
    double stiffness, damping, exponent, alpha; // alpha > 0: Hunt–Crossley, without damping
    double shear_stiffness, shear_damping;
    int sign; // of the slip; 0: sticks
    unsigned long evaluations;
} Rod;

typedef struct RodForces {
    double normal, by_gap, by_rate; // and its derivatives
    double tangential, trial;       // the force if the layer stuck
    double rate, slip;              // of the gap, of the tip
} RodForces;

static inline void rod_release(double *s)
{
    for (int i = 0; i < ROD_SIZE; i++)
        s[i] = 0;
    s[1] = ROD_ARM * sin(ROD_ANGLE);
    s[2] = ROD_ANGLE;
    s[3] = ROD_SLIP;
    s[4] = -ROD_APPROACH;
}

static inline RodForces rod_forces(const Rod *rod, const double *s)
{
    RodForces f = {0};
    double depth = fmax(-s[6], 0);
    f.rate = s[4] - ROD_ARM * cos(s[2]) * s[5];
    f.slip = s[3] + ROD_ARM * sin(s[2]) * s[5];
    if (rod->alpha > 0) {
        double elastic = rod->stiffness * pow(depth, rod->exponent);
        double factor = 1 - 1.5 * rod->alpha * f.rate;
        f.normal = elastic * factor;
        f.by_gap = depth > 0 ? -rod->exponent * elastic / depth * factor : 0;
        f.by_rate = -1.5 * rod->alpha * elastic;
    } else {
        f.normal = rod->stiffness * depth - rod->damping * f.rate;
        f.by_gap = -rod->stiffness;
        f.by_rate = -rod->damping;
    }
    if (f.normal <= 0)
        f.normal = f.by_gap = f.by_rate = 0;
    f.trial = rod->shear_stiffness * s[7] - rod->shear_damping * f.slip;
    f.tangential = rod->sign ? -rod->sign * ROD_FRICTION * f.normal : f.trial;
    return f;
}

static inline void rod_derivative(Rod *rod, const double *s, double *ds)
{
    RodForces f = rod_forces(rod, s);
    rod->evaluations++;
    ds[0] = s[3];
    ds[1] = s[4];
    ds[2] = s[5];
    ds[3] = f.tangential / ROD_MASS;
    ds[4] = f.normal / ROD_MASS - ROD_GRAVITY;
    ds[5] = ROD_ARM * (sin(s[2]) * f.tangential - cos(s[2]) * f.normal) / ROD_INERTIA;
    ds[6] = f.rate;
    ds[7] = rod->sign ? (f.tangential - rod->shear_stiffness * s[7]) / rod->shear_damping : -f.slip;
}

// ∂ds/∂s, entry (i, j) at J[i × row + j × column].
static inline void rod_jacobian(const Rod *rod, const double *s, double *J, int row, int column)
{
    RodForces f = rod_forces(rod, s);
    double sine = sin(s[2]), cosine = cos(s[2]), arm = ROD_ARM;
    // rows of the Jacobian of gap rate and slip over all states
    double rate[ROD_SIZE] = {0, 0, arm * sine * s[5], 0, 1, -arm * cosine, 0, 0};
    double slip[ROD_SIZE] = {0, 0, arm * cosine * s[5], 1, 0, arm * sine, 0, 0};
    for (int i = 0; i < 3; i++)
        J[i * row + (i + 3) * column] = 1;
    for (int j = 0; j < ROD_SIZE; j++) {
        double normal = f.by_rate * rate[j] + (j == 6 ? f.by_gap : 0);
        double tangential =
            rod->sign ? -rod->sign * ROD_FRICTION * normal
                      : -rod->shear_damping * slip[j] + (j == 7 ? rod->shear_stiffness : 0);
        double turn = j == 2 ? cosine * f.tangential + sine * f.normal : 0;
        J[3 * row + j * column] = tangential / ROD_MASS;
        J[4 * row + j * column] = normal / ROD_MASS;
        J[5 * row + j * column] = arm * (sine * tangential - cosine * normal + turn) / ROD_INERTIA;
        J[6 * row + j * column] = rate[j];
        J[7 * row + j * column] =
            rod->sign ? (tangential - (j == 7 ? rod->shear_stiffness : 0)) / rod->shear_damping
                      : -slip[j];
    }
}

// The slip of the layer's end, or what is left of the cone; the normal force.
static inline void rod_roots(const Rod *rod, const double *s, double *values)
{
    RodForces f = rod_forces(rod, s);
    values[0] = rod->sign ? (f.tangential - f.trial) / rod->shear_damping
                          : ROD_FRICTION * f.normal - fabs(f.trial);
    values[1] = f.normal;
}

// After the first root: the tip sticks, or slips in the direction that its trial force resists.
static inline void rod_switch(Rod *rod, const double *s)
{
    RodForces f = rod_forces(rod, s);
    rod->sign = rod->sign ? 0 : f.trial > 0 ? -1 : 1;
}

#endif

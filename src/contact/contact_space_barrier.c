// contact_space_barrier.c: small programs over round cones.
// Problem   minimise c·y + ½ Σ q_k (y_k − o_k)² over planes l_i(y) ≥ 0 and round cones
//           |v_i(y)| ≤ s_i(y), all affine in y
// Method    logarithmic barrier, Newton's method with a line search, the weight of the objective
//           raised by a constant factor (path following) [Boyd2004, ch. 11]. It does not see units
//           or the shape of the set, so sets that are flat up to a slack are no worse than others
// Assumes   a strictly feasible start; tens of unknowns
#include <math.h>

#include "contact_space.h"

enum { NEWTON_STEPS = 60, MOST_ROUNDS = 40 };
static const double RAISE = 30, NEAR_PATH = 1e-2, CENTRED = 1e-8;

static double value_of(const double *row, const double *y, int d)
{
    double sum = row[d];
    for (int k = 0; k < d; k++)
        sum += row[k] * y[k];
    return sum;
}

// t × objective − Σ log; INFINITY outside.
static double merit(const Barrier *barrier, const BarrierObjective *objective, double t,
                    const double *y)
{
    int d = barrier->d;
    double sum = 0;
    for (int k = 0; k < d; k++) {
        double off = objective->q ? y[k] - objective->o[k] : 0;
        sum += t * ((objective->c ? objective->c[k] * y[k] : 0) +
                    (objective->q ? 0.5 * objective->q[k] * off * off : 0));
    }
    for (int i = 0; i < barrier->plane_count; i++) {
        double l = value_of(barrier->planes + i * (d + 1), y, d);
        if (!(l > 0))
            return INFINITY;
        sum -= log(l);
    }
    for (int i = 0; i < barrier->cone_count; i++) {
        const double *rows = barrier->cones + 3 * i * (d + 1);
        double s = value_of(rows, y, d),
               length = hypot(value_of(rows + d + 1, y, d), value_of(rows + 2 * (d + 1), y, d));
        if (!(s > length))
            return INFINITY;
        sum -= log(s - length) + log(s + length);
    }
    return sum;
}

// To the upper triangle of H, which is all that is used of it: rows of it are contiguous.
static void add_rank_one(int d, const double *restrict row, double factor, double *restrict H)
{
    for (int k = 0; k < d; k++) {
        double part = factor * row[k], *restrict target = H + (size_t)k * (size_t)d;
        if (part == 0)
            continue;
        for (int j = k; j < d; j++)
            target[j] += part * row[j];
    }
}

// Four such terms at once, so that H is read and written once.
static void add_rank_four(int d, const double *restrict a, const double *restrict b,
                          const double *restrict c, const double *restrict e,
                          const double factor[4], double *restrict H)
{
    for (int k = 0; k < d; k++) {
        double *restrict target = H + (size_t)k * (size_t)d;
        double p = factor[0] * a[k], q = factor[1] * b[k], r = factor[2] * c[k],
               s = factor[3] * e[k];
        for (int j = k; j < d; j++)
            target[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * e[j]);
    }
}

// Gradient and Hessian of one cone, −log(s² − |v|²).
static void add_cone(const Barrier *barrier, int i, const double *y, double *gradient, double *H,
                     double *mixed)
{
    int d = barrier->d;
    const double *rows = barrier->cones + 3 * i * (d + 1);
    double s = value_of(rows, y, d), v = value_of(rows + d + 1, y, d);
    double w = value_of(rows + 2 * (d + 1), y, d), length = hypot(v, w);
    double D = (s - length) * (s + length);
    for (int k = 0; k < d; k++) {
        mixed[k] = s * rows[k] - v * rows[d + 1 + k] - w * rows[2 * (d + 1) + k];
        gradient[k] -= 2 * mixed[k] / D;
    }
    double factors[4] = {4 / (D * D), -2 / D, 2 / D, 2 / D};
    add_rank_four(d, mixed, rows, rows + d + 1, rows + 2 * (d + 1), factors, H);
}

static void derivatives(const Barrier *barrier, const BarrierObjective *objective, double t,
                        const double *y, double *work)
{
    int d = barrier->d;
    double *gradient = work, *H = work + d, *mixed = H + d * d;
    for (int k = 0; k < d * d; k++)
        H[k] = 0;
    for (int k = 0; k < d; k++) {
        gradient[k] = objective->c ? t * objective->c[k] : 0;
        if (!objective->q)
            continue;
        gradient[k] += t * objective->q[k] * (y[k] - objective->o[k]);
        H[k * d + k] = t * objective->q[k];
    }
    for (int i = 0; i < barrier->plane_count; i++) {
        const double *row = barrier->planes + i * (d + 1);
        double l = value_of(row, y, d);
        for (int k = 0; k < d; k++)
            gradient[k] -= row[k] / l;
        add_rank_one(d, row, 1 / (l * l), H);
    }
    for (int i = 0; i < barrier->cone_count; i++)
        add_cone(barrier, i, y, gradient, H, mixed);
}

// y −= factor × x, n entries.
static void subtract(int n, double factor, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++)
        y[j] -= factor * x[j];
}

// H = Uᵀ U in place, row by row from the top; each row takes what those above owe it, four at once.
static void factor_upper(int d, double *H)
{
    for (int i = 0; i < d; i++) {
        double *restrict row = H + (size_t)i * (size_t)d;
        int k = 0;
        for (; k + 4 <= i; k += 4) {
            const double *restrict a = H + (size_t)k * (size_t)d, *restrict b = a + d;
            const double *restrict c = b + d, *restrict e = c + d;
            double p = a[i], q = b[i], r = c[i], s = e[i];
            for (int j = i; j < d; j++)
                row[j] -= (p * a[j] + q * b[j]) + (r * c[j] + s * e[j]);
        }
        for (; k < i; k++)
            subtract(d - i, H[(size_t)k * (size_t)d + (size_t)i],
                     H + (size_t)k * (size_t)d + (size_t)i, row + i);
        double root = sqrt(fmax(row[i], 1e-15));
        row[i] = root;
        for (int j = i + 1; j < d; j++)
            row[j] /= root;
    }
}

// H step = −gradient by Cholesky, scaled to a unit diagonal; returns the square of the decrement.
static double newton_step(int d, double *work)
{
    double *gradient = work, *H = work + d, *step = H + d * d, *scale = step + d, decrement = 0;
    for (int k = 0; k < d; k++)
        scale[k] = H[k * d + k] > 0 ? 1 / sqrt(H[k * d + k]) : 1;
    for (int k = 0; k < d; k++) {
        step[k] = -gradient[k] * scale[k];
        for (int j = k; j < d; j++)
            H[k * d + j] *= scale[k] * scale[j];
    }
    factor_upper(d, H);
    for (int k = 0; k < d; k++) {
        step[k] /= H[k * d + k];
        subtract(d - k - 1, step[k], H + k * d + k + 1, step + k + 1);
        decrement += step[k] * step[k];
    }
    for (int k = d - 1; k >= 0; k--) {
        for (int i = k + 1; i < d; i++)
            step[k] -= H[k * d + i] * step[i];
        step[k] /= H[k * d + k];
    }
    for (int k = 0; k < d; k++)
        step[k] *= scale[k];
    return decrement;
}

// Newton's method for one weight t; near: the square of the decrement that is near enough.
static void centre(const Barrier *barrier, const BarrierObjective *objective, double t, double near,
                   double *y, double *work)
{
    int d = barrier->d;
    double *step = work + d + d * d, *trial = step + 2 * d;
    double now = merit(barrier, objective, t, y);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        derivatives(barrier, objective, t, y, work);
        double decrement = newton_step(d, work), length = 1, next = INFINITY;
        if (!(decrement > near))
            return;
        for (int half = 0; half < 50; half++, length /= 2) {
            for (int k = 0; k < d; k++)
                trial[k] = y[k] + length * step[k];
            next = merit(barrier, objective, t, trial);
            if (next < now - 0.01 * length * decrement)
                break;
        }
        if (!(next < now))
            return;
        now = next;
        for (int k = 0; k < d; k++)
            y[k] = trial[k];
    }
}

SpragStatus barrier_minimize(SpragArena *arena, const Barrier *barrier,
                             const BarrierObjective *objective, double gap, double *y)
{
    int d = barrier->d;
    SpragArenaMark mark = sprag_arena_mark(arena);
    double *work = sprag_arena_alloc(arena, (size_t)(d * d + 5 * d) + 1, sizeof *work);
    if (!work)
        return SPRAG_ERROR_MEMORY;
    double parts = barrier->plane_count + 2.0 * barrier->cone_count;
    if (!objective->c && !objective->q) {
        centre(barrier, objective, 0, CENTRED, y, work);
        sprag_arena_release(arena, mark);
        return SPRAG_OK;
    }
    double t = objective->start > 0 ? objective->start : 1;
    for (int round = 0; round < MOST_ROUNDS; round++, t *= RAISE) {
        centre(barrier, objective, t, NEAR_PATH, y, work);
        bool reached = objective->stop && y[d - 1] < objective->enough;
        // no lower value is possible: the least one is above what was asked for
        bool beyond = objective->stop && y[d - 1] - parts / t > objective->hopeless;
        if (parts / t <= gap || reached || beyond)
            break;
    }
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// impact_friction.c: friction at rest when normal forces are given.
// Problem   theory.md (10.35): min ½ fᵀ H f + qᵀ f over |f_i| ≤ r_i, convex, so velocities are
//           unique whether or not f is
// Method    block Gauss–Seidel with exact blocks, which is one sweep for one contact; after each
//           the forces inside their bounds are solved for together, as far as they stay there,
//           which ends it once the bounds are the right ones. Rows that depend on others keep what
//           the sweeps gave
#include <float.h>
#include <math.h>

#include "impact_friction.h"

static const int MAX_SWEEPS = 500;
static const double SWEEP_TOLERANCE = 4 * DBL_EPSILON;
// Slips that a sweep changes by less than this part of what they are made of: rows that nearly
// depend on each other exchange forces for ever, and velocities do not notice.
static const double UNNOTICED = 1e-12;
// Pivots below this part of the diagonal are rounding.
static const double DEPENDENT = 1e-12;

SpragStatus impact_friction_create(SpragArena *arena, int capacity, ImpactFriction *friction)
{
    size_t n = (size_t)capacity + 1;
    friction->count = 0;
    friction->row = sprag_arena_alloc(arena, n, sizeof *friction->row);
    friction->tangents = sprag_arena_alloc(arena, n, sizeof *friction->tangents);
    friction->bound = sprag_arena_alloc(arena, n, sizeof *friction->bound);
    friction->free = sprag_arena_alloc(arena, 2 * n, sizeof *friction->free);
    friction->residual = sprag_arena_alloc(arena, 2 * n, sizeof *friction->residual);
    friction->factor = sprag_arena_alloc(arena, 4 * n * n, sizeof *friction->factor);
    friction->weight = sprag_arena_alloc(arena, n, sizeof *friction->weight);
    friction->order = sprag_arena_alloc(arena, 5 * n, sizeof *friction->order);
    friction->work = sprag_arena_alloc(arena, 16 * n, sizeof *friction->work);
    friction->H = sprag_arena_alloc(arena, 4 * n * n, sizeof *friction->H);
    bool ok = friction->row && friction->tangents && friction->bound && friction->free &&
              friction->residual && friction->factor && friction->weight && friction->order &&
              friction->work && friction->H;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void impact_friction_add(ImpactFriction *friction, int row, int tangents, double bound)
{
    int i = friction->count++;
    friction->row[i] = row;
    friction->tangents[i] = tangents;
    friction->bound[i] = bound;
}

// Slip rate in a row without what the row's own contact contributes.
static double others(int n, const double *W, const double *rate, int row, int first, int count)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += j >= first && j < first + count ? 0 : W[row * n + j] * rate[j];
    return sum;
}

// |(H + s)⁻¹ q| = r for s ≥ 0 by Newton on 1/|…|, from below; H = [h0 h1; h1 h2].
void impact_friction_disc(const double h[3], const double q[2], double r, double f[2])
{
    double s = 0;
    for (int i = 0; i < 60; i++) {
        double a = h[0] + s, b = h[1], c = h[2] + s, det = a * c - b * b;
        if (!(det > DBL_EPSILON * a * c)) {
            s = fmax(2 * s,
                     fmax(hypot(q[0], q[1]) / r - (h[0] + h[2]), DBL_EPSILON * 16 * (h[0] + h[2])));
            continue;
        }
        f[0] = -(c * q[0] - b * q[1]) / det;
        f[1] = -(a * q[1] - b * q[0]) / det;
        double length = hypot(f[0], f[1]);
        if (s == 0 && length <= r)
            return;
        // d|f|²/ds = −2 fᵀ (H + s)⁻¹ f
        double x = (c * f[0] - b * f[1]) / det, y = (a * f[1] - b * f[0]) / det;
        double slope = f[0] * x + f[1] * y, move = length * length / slope * (length / r - 1);
        s = fmax(s + move, 0);
        if (fabs(move) <= SWEEP_TOLERANCE * (s + h[0] + h[2]))
            break;
    }
    double length = hypot(f[0], f[1]);
    if (length > 0) {
        f[0] *= r / length;
        f[1] *= r / length;
    }
}

// Whether a force that moves by so much in a row leaves the slip there as it was.
static bool is_unnoticed(int n, const double *W, const double *rate, int row, double moved)
{
    double size = 0;
    for (int j = 0; j < n; j++)
        size += fabs(W[row * n + j] * rate[j]);
    return moved * W[row * n + row] <= UNNOTICED * size;
}

// Solves for one contact; returns how far its force moved, relative to the bound.
static double solve_one(const ImpactFriction *friction, int i, int n, const double *W, double *rate)
{
    int row = friction->row[i], count = friction->tangents[i];
    double r = friction->bound[i], f[2] = {0, 0}, *now = rate + row;
    if (!(r > 0)) {
        for (int k = 0; k < count; k++)
            now[k] = 0;
        return 0;
    }
    double q[2] = {others(n, W, rate, row, row, count),
                   count > 1 ? others(n, W, rate, row + 1, row, count) : 0};
    if (count == 1) {
        double h = W[row * n + row];
        f[0] = h > 0 ? fmin(fmax(-q[0] / h, -r), r) : 0;
    } else {
        double h[3] = {W[row * n + row], W[row * n + row + 1], W[(row + 1) * n + row + 1]};
        impact_friction_disc(h, q, r, f);
    }
    double moved = 0;
    for (int k = 0; k < count; k++) {
        double by = fabs(f[k] - now[k]);
        now[k] = f[k];
        if (!is_unnoticed(n, W, rate, row + k, by))
            moved = fmax(moved, by);
    }
    return moved / r;
}

static double size_of(const ImpactFriction *friction, int i, const double *rate)
{
    const double *f = rate + friction->row[i];
    return friction->tangents[i] > 1 ? hypot(f[0], f[1]) : fabs(f[0]);
}

// Rows of contacts inside their bounds.
static int find_free(const ImpactFriction *friction, const double *rate)
{
    int count = 0;
    for (int i = 0; i < friction->count; i++)
        for (int k = 0; k < friction->tangents[i]; k++)
            if (size_of(friction, i, rate) < friction->bound[i])
                friction->free[count++] = friction->row[i] + k;
    return count;
}

// Solves H x = r over the free rows, by Cholesky without the rows whose pivot vanishes (x = 0
// there); r is replaced.
static void solve_free(const ImpactFriction *friction, int count, int n, const double *W)
{
    double *L = friction->factor, *r = friction->residual;
    for (int i = 0; i < count; i++) {
        const double *row = W + (size_t)friction->free[i] * (size_t)n;
        for (int j = 0; j <= i; j++) {
            double sum = row[friction->free[j]];
            for (int k = 0; k < j; k++)
                sum -= L[i * count + k] * L[j * count + k];
            double pivot = L[j * count + j];
            if (j < i)
                L[i * count + j] = pivot > 0 ? sum / pivot : 0;
            else
                L[i * count + i] = sum > DEPENDENT * row[friction->free[i]] ? sqrt(sum) : 0;
        }
        for (int k = 0; k < i; k++)
            r[i] -= L[i * count + k] * r[k];
        r[i] = L[i * count + i] > 0 ? r[i] / L[i * count + i] : 0;
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++)
            r[i] -= L[k * count + i] * r[k];
        r[i] = L[i * count + i] > 0 ? r[i] / L[i * count + i] : 0;
    }
}

// The largest part ≤ 1 of the move `by` that keeps contact i within its bound.
static double part_inside(const ImpactFriction *friction, int i, const double *rate,
                          const double by[2])
{
    const double *f = rate + friction->row[i];
    double r = friction->bound[i], y = friction->tangents[i] > 1 ? f[1] : 0;
    // |f + t by|² = r²
    double a = by[0] * by[0] + by[1] * by[1], b = f[0] * by[0] + y * by[1];
    double c = f[0] * f[0] + y * y - r * r, under = b * b - a * c;
    if (!(a > 0) || a + 2 * b + c <= 0)
        return 1;
    return fmin(fmax((-b + sqrt(fmax(under, 0))) / a, 0), 1);
}

// Lets the free rows slip no more, or moves towards that until the first of them meets its bound,
// where it is free no longer.
static void polish(const ImpactFriction *friction, int n, const double *W, double *rate)
{
    int count = find_free(friction, rate), first = -1;
    double *r = friction->residual, part = 1;
    for (int i = 0; i < count; i++)
        r[i] = -others(n, W, rate, friction->free[i], 0, 0);
    solve_free(friction, count, n, W);
    for (int i = 0, k = 0; i < friction->count; i++) {
        if (k >= count || friction->free[k] != friction->row[i])
            continue;
        double by[2] = {r[k], friction->tangents[i] > 1 ? r[k + 1] : 0};
        double own = part_inside(friction, i, rate, by);
        k += friction->tangents[i];
        if (own < part) {
            part = own;
            first = i;
        }
    }
    for (int i = 0; i < count; i++)
        rate[friction->free[i]] += part * r[i];
    if (first < 0)
        return;
    double size = size_of(friction, first, rate); // exactly on its bound
    for (int k = 0; k < friction->tangents[first] && size > 0; k++)
        rate[friction->row[first] + k] *= friction->bound[first] / size;
}

void impact_friction_solve(const ImpactFriction *friction, int n, const double *W, double *rate)
{
    bool space = false;
    for (int i = 0; i < friction->count; i++)
        space |= friction->tangents[i] > 1;
    if (space && friction->count > 1) {
        impact_friction_solve_space(friction, n, W, rate);
        return;
    }
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double moved = 0;
        for (int i = 0; i < friction->count; i++)
            moved = fmax(moved, solve_one(friction, i, n, W, rate));
        if (friction->count <= 1 || moved <= SWEEP_TOLERANCE)
            return;
        polish(friction, n, W, rate);
    }
}

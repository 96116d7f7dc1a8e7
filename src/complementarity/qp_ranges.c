// qp_ranges.c: all solutions of a convex QP: the interval of every variable, and their dimension.
//
// Problem   the solutions are {x feasible : Q x = Q x*, cᵀx = cᵀx*} for any one solution x*
// Method    two linear programs per variable for the intervals. For the dimension, directions d are
//           tried that are orthogonal to the hull found so far and to the directions along which
//           the set is flat: max and min of dᵀx either differ, and give a new direction of the
//           hull, or show one more flat direction. At most n pairs of linear programs.
// Assumes   x* solves the problem to about 1e-9
#include <math.h>
#include <string.h>

#include "qp_internal.h"

// Of the scaled rows of a linear program, and below which an interval has no length.
static const double FEASIBLE = 1e-8, LENGTH = 1e-6;

typedef struct Range {
    SpragArena *arena;
    const SpragQp *problem;
    const double *x;
    QpRows rows; // two extra inequalities for a window on dᵀx; Q and c as equalities
    double *c, *point, *other;
    double *basis; // n × n: hull and flat directions, orthonormal
    int known, dimension;
} Range;

static SpragStatus build(Range *range)
{
    const SpragQp *problem = range->problem;
    size_t n = (size_t)problem->n;
    SPRAG_TRY(qp_rows_build(range->arena, problem, 2, problem->n + 1, &range->rows));
    QpRows *rows = &range->rows;
    size_t next = (size_t)(rows->inequality_count + 2 + rows->equality_count);
    for (size_t i = 0; i < n; i++) {
        const double *row = problem->Q + i * n;
        memcpy(rows->A + (next + i) * n, row, n * sizeof(double));
        rows->b[next + i] = lcp_kernel_dot(problem->n, row, range->x);
    }
    memcpy(rows->A + (next + n) * n, problem->c, n * sizeof(double));
    rows->b[next + n] = lcp_kernel_dot(problem->n, problem->c, range->x);
    rows->equality_count += problem->n + 1;
    range->c = sprag_arena_alloc(range->arena, n, sizeof(double));
    range->point = sprag_arena_alloc(range->arena, n, sizeof(double));
    range->other = sprag_arena_alloc(range->arena, n, sizeof(double));
    range->basis = sprag_arena_alloc(range->arena, n * n, sizeof(double));
    bool all = range->c && range->point && range->other && range->basis;
    return all ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// maximises range->c; with the window −1 ≤ dᵀ(x − x*) ≤ 1 if d is given.
static SpragStatus maximise(Range *range, const double *d, double *point, double *value,
                            SpragLpStatus *end)
{
    size_t n = (size_t)range->problem->n;
    QpRows *rows = &range->rows;
    double *A = rows->A + (size_t)rows->inequality_count * n;
    double *b = rows->b + rows->inequality_count;
    memset(A, 0, 2 * n * sizeof *A);
    b[0] = b[1] = 1;
    for (size_t i = 0; d && i < n; i++) {
        A[i] = d[i];
        A[n + i] = -d[i];
        b[0] += d[i] * range->x[i];
        b[1] -= d[i] * range->x[i];
    }
    SpragLp lp = {
        range->problem->n, rows->inequality_count + 2, rows->equality_count, rows->A, rows->b,
        range->c};
    return sprag_lp_solve(range->arena, &lp, FEASIBLE, point, value, end);
}

static SpragStatus interval(Range *range, int i, double *low, double *high)
{
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1 : 1, value = 0;
        SpragLpStatus end;
        memset(range->c, 0, (size_t)range->problem->n * sizeof *range->c);
        range->c[i] = sign;
        SPRAG_TRY(maximise(range, NULL, range->point, &value, &end));
        double reached = end == SPRAG_LP_OPTIMAL     ? sign * value
                         : end == SPRAG_LP_UNBOUNDED ? sign * INFINITY
                                                     : range->x[i];
        // x* itself belongs to the interval whatever the rounding of the program
        if (side == 0)
            *low = fmin(reached, range->x[i]);
        else
            *high = fmax(reached, range->x[i]);
    }
    return SPRAG_OK;
}

// Removes the parts along the basis; the length that is left.
static double orthogonalise(const Range *range, double *d)
{
    size_t n = (size_t)range->problem->n;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < range->known; k++) {
            const double *known = range->basis + (size_t)k * n;
            lcp_kernel_axpy(range->problem->n, lcp_kernel_dot(range->problem->n, known, d), known,
                            d);
        }
    return sqrt(lcp_kernel_dot(range->problem->n, d, d));
}

static void append(Range *range, const double *d, double length)
{
    double *place = range->basis + (size_t)range->known * (size_t)range->problem->n;
    for (int i = 0; i < range->problem->n; i++)
        place[i] = d[i] / length;
    range->known++;
}

// The unit vector with the largest part outside the basis, made orthogonal to it.
static double next_direction(Range *range, double *d)
{
    size_t n = (size_t)range->problem->n;
    double best = 0;
    size_t choice = 0;
    for (size_t i = 0; i < n; i++) {
        double inside = 0;
        for (int k = 0; k < range->known; k++)
            inside += range->basis[(size_t)k * n + i] * range->basis[(size_t)k * n + i];
        if (1 - inside > best) {
            best = 1 - inside;
            choice = i;
        }
    }
    memset(d, 0, n * sizeof *d);
    d[choice] = 1;
    return orthogonalise(range, d);
}

static SpragStatus explore(Range *range, double *d)
{
    int n = range->problem->n;
    double length = next_direction(range, d), high = 0, low = 0;
    SpragLpStatus end_high, end_low;
    for (int i = 0; i < n; i++)
        range->c[i] = d[i] /= length;
    SPRAG_TRY(maximise(range, d, range->point, &high, &end_high));
    for (int i = 0; i < n; i++)
        range->c[i] = -d[i];
    SPRAG_TRY(maximise(range, d, range->other, &low, &end_low));
    bool wide = end_high == SPRAG_LP_OPTIMAL && end_low == SPRAG_LP_OPTIMAL && high + low > LENGTH;
    if (wide) {
        for (int i = 0; i < n; i++)
            range->point[i] -= range->other[i];
        double extent = orthogonalise(range, range->point);
        append(range, range->point, extent);
        range->dimension++;
    } else {
        append(range, d, 1);
    }
    return SPRAG_OK;
}

SpragStatus qp_ranges(SpragArena *arena, const SpragQp *problem, const double *x, double *low,
                      double *high, int *dimension)
{
    Range range = {.arena = arena, .problem = problem, .x = x};
    SPRAG_TRY(build(&range));
    for (int i = 0; i < problem->n; i++)
        SPRAG_TRY(interval(&range, i, &low[i], &high[i]));
    double *d = sprag_arena_alloc(arena, (size_t)problem->n, sizeof *d);
    if (!d)
        return SPRAG_ERROR_MEMORY;
    while (range.known < problem->n)
        SPRAG_TRY(explore(&range, d));
    *dimension = range.dimension;
    return SPRAG_OK;
}

// qp_wolfe.c: Wolfe's simplex method for convex QPs.
//
// Problem   theory.md (3.6): H x + y = K, Q x + Hᵀu − v = −c, all ≥ 0, xᵀv = 0, uᵀy = 0
// Method    phase 1 of the simplex method: artificial variables in the rows that begin infeasible,
//           their sum is minimised, with the restricted entry: a variable may enter only while its
//           complement is not basic, or if that is what leaves. Most negative reduced cost first,
//           Bland's rule when it stalls. theory.md 3.5
// Assumes   Q positive definite, or semidefinite with c in its range; otherwise the restricted
//           entry may stop early: LIMIT, and the caller goes on with Lemke's method
#include <math.h>
#include <string.h>

#include "qp_internal.h"

// Entries of the scaled table below this are zero; sums of artificials below it are none.
static const double PIVOT_ZERO = 1e-11, FEASIBLE = 1e-9;

// Columns: x (n), y (m), v (n), u (m), then the right-hand side; artificials have no columns since
// they never come back. Complement of column j: j ± (n + m).
typedef struct Wolfe {
    int rows, half, width;
    double *T;  // (rows + 1) × width; last row: reduced costs, last entry − sum of artificials
    int *basic; // column, or −1 for an artificial
    bool *is_basic;
} Wolfe;

static double *row_of(const Wolfe *wolfe, int row)
{
    return wolfe->T + (size_t)row * (size_t)wolfe->width;
}

static int complement(const Wolfe *wolfe, int column)
{
    return column < wolfe->half ? column + wolfe->half : column - wolfe->half;
}

static void fill_row(Wolfe *wolfe, int i, double sign, int own)
{
    double *row = row_of(wolfe, i), *cost = row_of(wolfe, wolfe->rows);
    for (int j = 0; j < wolfe->width; j++)
        row[j] *= sign;
    // the row's own slack or multiplier is basic if that is feasible, else an artificial
    if (row[own] > 0) {
        wolfe->basic[i] = own;
        wolfe->is_basic[own] = true;
        return;
    }
    wolfe->basic[i] = -1;
    for (int j = 0; j < wolfe->width; j++)
        cost[j] -= row[j];
}

static SpragStatus build(SpragArena *arena, const QpStandard *s, Wolfe *wolfe)
{
    size_t n = (size_t)s->n, m = (size_t)s->rows;
    wolfe->rows = s->n + s->rows;
    wolfe->half = s->n + s->rows;
    wolfe->width = 2 * wolfe->half + 1;
    size_t half = (size_t)wolfe->half;
    wolfe->T = sprag_arena_alloc(arena, (half + 1) * (size_t)wolfe->width, sizeof(double));
    wolfe->basic = sprag_arena_alloc(arena, half, sizeof(int));
    wolfe->is_basic = sprag_arena_alloc(arena, 2 * half, sizeof(bool));
    if (!wolfe->T || !wolfe->basic || !wolfe->is_basic)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double *row = row_of(wolfe, (int)i);
        memcpy(row, s->Q + i * n, n * sizeof *row);
        row[half + i] = -1;
        for (size_t k = 0; k < m; k++)
            row[half + n + k] = s->H[k * n + i];
        row[2 * half] = -s->c[i];
        fill_row(wolfe, (int)i, s->c[i] > 0 ? -1 : 1, (int)(half + i));
    }
    for (size_t k = 0; k < m; k++) {
        double *row = row_of(wolfe, (int)(n + k));
        memcpy(row, s->H + k * n, n * sizeof *row);
        row[n + k] = 1;
        row[2 * half] = s->K[k];
        fill_row(wolfe, (int)(n + k), s->K[k] < 0 ? -1 : 1, (int)(n + k));
    }
    return SPRAG_OK;
}

// Row that leaves for a column, −1 if none; Bland: the smallest basic column of ties, artificials
// first.
static int leaving(const Wolfe *wolfe, int column)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < wolfe->rows; i++) {
        const double *row = row_of(wolfe, i);
        if (row[column] <= PIVOT_ZERO)
            continue;
        double ratio = fmax(row[wolfe->width - 1], 0) / row[column];
        bool tie = best >= 0 && ratio <= least * (1 + 1e-12) + 1e-300;
        if (best < 0 || ratio < least * (1 - 1e-12) ||
            (tie && wolfe->basic[i] < wolfe->basic[best])) {
            best = i;
            least = fmin(ratio, least);
        }
    }
    return best;
}

// Best column that the restricted entry allows, and the row that leaves; −1 if none.
static int entering(const Wolfe *wolfe, bool bland, int *row)
{
    const double *cost = row_of(wolfe, wolfe->rows);
    int best = -1;
    for (int j = 0; j < 2 * wolfe->half; j++) {
        if (wolfe->is_basic[j] || cost[j] >= -PIVOT_ZERO ||
            (best >= 0 && (bland || cost[j] >= cost[best])))
            continue;
        int other = complement(wolfe, j), candidate = leaving(wolfe, j);
        if (candidate < 0 || (wolfe->is_basic[other] && wolfe->basic[candidate] != other))
            continue;
        best = j;
        *row = candidate;
    }
    return best;
}

static void pivot(Wolfe *wolfe, int row, int column)
{
    double *pivot_row = row_of(wolfe, row), inverse = 1 / pivot_row[column];
    for (int j = 0; j < wolfe->width; j++)
        pivot_row[j] *= inverse;
    for (int i = 0; i <= wolfe->rows; i++) {
        double *target = row_of(wolfe, i), factor = target[column];
        if (i == row || factor == 0)
            continue;
        lcp_kernel_axpy(wolfe->width, factor, pivot_row, target);
        target[column] = 0;
    }
    if (wolfe->basic[row] >= 0)
        wolfe->is_basic[wolfe->basic[row]] = false;
    wolfe->basic[row] = column;
    wolfe->is_basic[column] = true;
}

static double infeasibility(const Wolfe *wolfe)
{
    double sum = 0;
    for (int i = 0; i < wolfe->rows; i++)
        if (wolfe->basic[i] < 0)
            sum += fabs(row_of(wolfe, i)[wolfe->width - 1]);
    return sum;
}

static double value_of(const Wolfe *wolfe, int column)
{
    for (int i = 0; i < wolfe->rows; i++)
        if (wolfe->basic[i] == column)
            return fmax(row_of(wolfe, i)[wolfe->width - 1], 0);
    return 0;
}

SpragStatus qp_wolfe(QpRun *run)
{
    QpStandard s;
    Wolfe wolfe;
    SPRAG_TRY(qp_standard_build(run->arena, run->problem, &s));
    SPRAG_TRY(build(run->arena, &s, &wolfe));
    double scale = 1;
    for (int i = 0; i < wolfe.rows; i++)
        scale = fmax(scale, fabs(row_of(&wolfe, i)[wolfe.width - 1]));
    int stalled = 0, row = 0;
    double last = infeasibility(&wolfe);
    while (last > FEASIBLE * scale && run->iterations < run->max_iterations) {
        int column = entering(&wolfe, stalled > wolfe.rows, &row);
        if (column < 0)
            break;
        pivot(&wolfe, row, column);
        run->iterations++;
        double now = infeasibility(&wolfe);
        stalled = now < last ? 0 : stalled + 1;
        last = now;
    }
    bool feasible = true;
    run->status = SPRAG_QP_SOLVED;
    if (last > FEASIBLE * scale) {
        SPRAG_TRY(qp_feasible_point(run->arena, run->problem, run->x, &feasible));
        run->status = feasible ? SPRAG_QP_LIMIT : SPRAG_QP_INFEASIBLE;
    }
    double *x = sprag_arena_alloc(run->arena, (size_t)wolfe.half, sizeof *x);
    if (!x)
        return SPRAG_ERROR_MEMORY;
    for (int j = 0; j < s.n; j++)
        x[j] = value_of(&wolfe, j);
    for (int k = 0; k < s.rows; k++)
        x[s.n + k] = value_of(&wolfe, wolfe.half + s.n + k);
    qp_standard_return(run->problem, &s, x, x + s.n, run->x, run->multipliers);
    return SPRAG_OK;
}

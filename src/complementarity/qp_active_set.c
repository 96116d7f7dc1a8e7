// qp_active_set.c: primal active-set method for convex QPs.
//
// Problem   min ½ xᵀQx + cᵀx, A x ≤ b, A₂ x = b₂ (bounds are rows of A)              theory.md
// (3.6) Method    from a feasible point (linear program) minimise on the null space Z of the
// working set. Where
//           ZᵀQZ is definite the step is Newton's; where it is singular and the gradient has a part
//           in its null space, the step goes down along that part, without end unless a row stops
//           it. A row that stops a step joins the working set; at a minimum the row with the most
//           negative multiplier leaves. Rows that join are independent of those there, since the
//           step is not in their kernel.
// Assumes   Q symmetric positive semidefinite
// Result    SOLVED, INFEASIBLE, UNBOUNDED; LIMIT when a degenerate vertex is not left in time
#include <math.h>
#include <string.h>

#include "qp_internal.h"

// Relative sizes below which a direction, gradient or curvature is zero.
static const double ZERO = 1e-10, INDEPENDENT = 1e-9, CURVATURE = 1e-11;
// Multipliers above −this × the gradient's size are not negative.
static const double MULTIPLIER = 1e-10;

typedef struct Active {
    QpRun *run;
    int n;
    QpRows rows;
    int *working; // inequality row, or −1 − k for equality k
    int working_count;
    bool *is_working; // per inequality
    double *basis;    // n × n: orthonormal rows: the working rows', then the null space's
    double *triangle; // n × n: working row k = Σ_l triangle[k][l] basis_l, l ≤ k
    double *gradient, *step, *reduced, *factor, *values, *vectors, *multiplier, *product;
    double size; // of the gradient's terms
} Active;

static SpragStatus allocate(Active *a)
{
    SpragArena *arena = a->run->arena;
    size_t n = (size_t)a->n, rows = (size_t)(a->rows.inequality_count + 1);
    double **squares[] = {&a->basis, &a->triangle, &a->factor, &a->vectors};
    double **vectors[] = {&a->gradient, &a->step,       &a->reduced,
                          &a->values,   &a->multiplier, &a->product};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        if (!(*squares[k] = sprag_arena_alloc(arena, n * n, sizeof(double))))
            return SPRAG_ERROR_MEMORY;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (!(*vectors[k] = sprag_arena_alloc(arena, n, sizeof(double))))
            return SPRAG_ERROR_MEMORY;
    a->working = sprag_arena_alloc(arena, n, sizeof(int));
    a->is_working = sprag_arena_alloc(arena, rows, sizeof(bool));
    return a->working && a->is_working ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static const double *row_of(const Active *a, int working)
{
    int row = working >= 0 ? working : a->rows.inequality_count - 1 - working;
    return a->rows.A + (size_t)row * (size_t)a->n;
}

static double *basis_of(const Active *a, int k)
{
    return a->basis + (size_t)k * (size_t)a->n;
}

// Removes the parts along the first `count` basis vectors (added to parts, may be NULL); the rest.
static double orthogonalise(const Active *a, int count, double *d, double *parts)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double along = lcp_kernel_dot(a->n, basis_of(a, k), d);
            lcp_kernel_axpy(a->n, along, basis_of(a, k), d);
            if (parts)
                parts[k] += along;
        }
    return sqrt(lcp_kernel_dot(a->n, d, d));
}

static void scale_to_unit(int n, double *d, double length)
{
    for (int i = 0; i < n; i++)
        d[i] /= length;
}

// Tries to add a row to the working set; false if it depends on it.
static bool join(Active *a, int working)
{
    if (a->working_count == a->n)
        return false;
    double *place = basis_of(a, a->working_count);
    double *parts = a->triangle + (size_t)a->working_count * (size_t)a->n;
    memcpy(place, row_of(a, working), (size_t)a->n * sizeof *place);
    memset(parts, 0, (size_t)a->n * sizeof *parts);
    double before = sqrt(lcp_kernel_dot(a->n, place, place));
    double after = orthogonalise(a, a->working_count, place, parts);
    if (!(after > INDEPENDENT * before))
        return false;
    scale_to_unit(a->n, place, after);
    parts[a->working_count] = after;
    a->working[a->working_count++] = working;
    if (working >= 0)
        a->is_working[working] = true;
    return true;
}

static void leave(Active *a, int place)
{
    int count = a->working_count;
    a->is_working[a->working[place]] = false;
    memmove(a->working + place, a->working + place + 1,
            (size_t)(count - place - 1) * sizeof *a->working);
    // the rows behind it are orthogonalised anew
    a->working_count = place;
    for (int k = place; k < count - 1; k++)
        join(a, a->working[k]);
}

// Completes the basis by the null space of the working set.
static void fill_null_space(Active *a)
{
    for (int k = a->working_count; k < a->n; k++) {
        double best = -1;
        int choice = 0;
        for (int i = 0; i < a->n; i++) {
            double inside = 0;
            for (int l = 0; l < k; l++)
                inside += basis_of(a, l)[i] * basis_of(a, l)[i];
            if (1 - inside > best) {
                best = 1 - inside;
                choice = i;
            }
        }
        double *place = basis_of(a, k);
        memset(place, 0, (size_t)a->n * sizeof *place);
        place[choice] = 1;
        scale_to_unit(a->n, place, orthogonalise(a, k, place, NULL));
    }
}

static void fill_gradient(Active *a)
{
    const SpragQp *problem = a->run->problem;
    a->size = 0;
    for (int i = 0; i < a->n; i++) {
        double row = lcp_kernel_dot(a->n, problem->Q + (size_t)i * (size_t)a->n, a->run->x);
        a->gradient[i] = row + problem->c[i];
        a->size = fmax(a->size, fabs(row) + fabs(problem->c[i]));
    }
}

// The step in the null space: Newton's on the curved part, or downhill on the flat one. True if it
// is downhill without a minimum.
static bool find_step(Active *a)
{
    int m = a->n - a->working_count;
    size_t n = (size_t)a->n;
    memset(a->step, 0, n * sizeof *a->step);
    double trace = 0;
    for (int k = 0; k < m; k++) {
        const double *zk = basis_of(a, a->working_count + k);
        a->reduced[k] = lcp_kernel_dot(a->n, zk, a->gradient);
        for (int i = 0; i < a->n; i++)
            a->product[i] = lcp_kernel_dot(a->n, a->run->problem->Q + (size_t)i * n, zk);
        for (int l = 0; l < m; l++)
            a->factor[(size_t)l * (size_t)m + (size_t)k] =
                lcp_kernel_dot(a->n, basis_of(a, a->working_count + l), a->product);
        trace += fabs(a->factor[(size_t)k * (size_t)m + (size_t)k]);
    }
    // singular vectors of a semidefinite matrix are its eigenvectors
    sprag_svd(m, m, a->factor, a->values, a->vectors);
    double flat = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < m; e++) {
            bool curved = a->values[e] > CURVATURE * trace && trace > 0;
            double along = 0;
            for (int k = 0; k < m; k++)
                along += a->vectors[(size_t)k * (size_t)m + (size_t)e] * a->reduced[k];
            if (pass == 0 && !curved && fabs(along) > ZERO * (1 + a->size))
                flat += along * along;
            if (pass == 0 || (flat > 0) == curved)
                continue;
            double length = flat > 0 ? along : along / a->values[e];
            for (int k = 0; k < m; k++)
                lcp_kernel_axpy(a->n, length * a->vectors[(size_t)k * (size_t)m + (size_t)e],
                                basis_of(a, a->working_count + k), a->step);
        }
    return flat > 0;
}

// Length of the step to the first row that stops it, and that row; INFINITY if none does.
static double stop_at(const Active *a, int *row)
{
    double best = INFINITY, size = sqrt(lcp_kernel_dot(a->n, a->step, a->step));
    *row = -1;
    for (int k = 0; k < a->rows.inequality_count; k++) {
        if (a->is_working[k])
            continue;
        const double *r = row_of(a, k);
        double rate = lcp_kernel_dot(a->n, r, a->step);
        if (rate <= ZERO * size * sqrt(lcp_kernel_dot(a->n, r, r)))
            continue;
        double length = fmax(a->rows.b[k] - lcp_kernel_dot(a->n, r, a->run->x), 0) / rate;
        if (length < best) {
            best = length;
            *row = k;
        }
    }
    return best;
}

// Multipliers of the working rows: Σ λ_k row_k = −gradient, from the triangle backwards.
static void find_multipliers(Active *a)
{
    for (int k = a->working_count - 1; k >= 0; k--) {
        double sum = -lcp_kernel_dot(a->n, basis_of(a, k), a->gradient);
        for (int l = k + 1; l < a->working_count; l++)
            sum -= a->triangle[(size_t)l * (size_t)a->n + (size_t)k] * a->multiplier[l];
        a->multiplier[k] = sum / a->triangle[(size_t)k * (size_t)a->n + (size_t)k];
    }
}

// Place of the inequality to leave: most negative multiplier, or the first row by number when it
// stalls; −1: optimal.
static int to_leave(const Active *a, bool bland)
{
    int best = -1;
    double bound = -MULTIPLIER * (1 + a->size);
    for (int k = 0; k < a->working_count; k++) {
        if (a->working[k] < 0 || a->multiplier[k] >= bound)
            continue;
        bool better = best < 0 || (bland ? a->working[k] < a->working[best]
                                         : a->multiplier[k] < a->multiplier[best]);
        best = better ? k : best;
    }
    return best;
}

// One iteration; true when it is over, with run->status set.
static bool iterate(Active *a, int *stalled)
{
    QpRun *run = a->run;
    int row;
    fill_gradient(a);
    fill_null_space(a);
    bool endless = find_step(a);
    double moved = 0, size = 1;
    for (int i = 0; i < a->n; i++) {
        moved = fmax(moved, fabs(a->step[i]));
        size = fmax(size, fabs(run->x[i]));
    }
    if (!endless && moved <= ZERO * size) {
        find_multipliers(a);
        int place = to_leave(a, *stalled > a->n);
        if (place < 0) {
            run->status = SPRAG_QP_SOLVED;
            return true;
        }
        leave(a, place);
        return false;
    }
    double length = stop_at(a, &row);
    if (length == INFINITY && endless) {
        run->status = SPRAG_QP_UNBOUNDED;
        return true;
    }
    bool blocked = endless || length < 1;
    lcp_kernel_axpy(a->n, blocked ? -length : -1, a->step, run->x);
    *stalled = blocked && length * moved <= ZERO * size ? *stalled + 1 : 0;
    return blocked && !join(a, row);
}

SpragStatus qp_active_set(QpRun *run)
{
    Active a = {.run = run, .n = run->problem->n};
    bool feasible;
    SPRAG_TRY(qp_feasible_point(run->arena, run->problem, run->x, &feasible));
    if (!feasible) {
        run->status = SPRAG_QP_INFEASIBLE;
        return SPRAG_OK;
    }
    SPRAG_TRY(qp_rows_build(run->arena, run->problem, 0, 0, &a.rows));
    SPRAG_TRY(allocate(&a));
    for (int k = 0; k < a.rows.equality_count; k++)
        join(&a, -1 - k);
    run->status = SPRAG_QP_LIMIT;
    int stalled = 0;
    while (run->iterations++ < run->max_iterations)
        if (iterate(&a, &stalled))
            break;
    memset(run->multipliers, 0,
           (size_t)(run->problem->inequality_count + run->problem->equality_count) *
               sizeof *run->multipliers);
    if (run->status != SPRAG_QP_SOLVED)
        return SPRAG_OK;
    for (int k = 0; k < a.working_count; k++) {
        int working = a.working[k];
        if (working < 0)
            run->multipliers[run->problem->inequality_count - 1 - working] = a.multiplier[k];
        else if (a.rows.kind[working] >= 0)
            run->multipliers[a.rows.kind[working]] = fmax(a.multiplier[k], 0);
    }
    return SPRAG_OK;
}

// lcp_tableau.c: the compact tableau of the pivoting methods.
//
// Problem   keep y = q + T x while basic y and nonbasic x change places one pair at a time
// Method    Jordan exchange on n rows and at most n + 1 columns. Small tables are updated at once;
//           of larger ones LCP_BLOCK updates are gathered and applied together, so the matrix
//           passes through the cache once per LCP_BLOCK exchanges. Only the column that enters and
//           the row that leaves are needed in between: they are formed from T and the pending
//           updates.
// Assumes   the caller chooses pivots that are not zero
// Result    the same bits on every instruction set (lcp_kernel.h)
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNEL(name) wide_##name
#define KERNEL_TARGET __attribute__((target("avx2")))
#include "lcp_kernel.h"
#undef KERNEL
#undef KERNEL_TARGET
#define HAS_WIDE() __builtin_cpu_supports("avx2")
#define DISPATCH(name, arguments) (HAS_WIDE() ? wide_##name arguments : plain_##name arguments)
#else
#define DISPATCH(name, arguments) plain_##name arguments
#endif
#define KERNEL(name) plain_##name
#define KERNEL_TARGET
#include "lcp_kernel.h"

// From this size on updates are gathered; measured, see bench/README.md.
enum { BLOCKED_FROM = 24 };

// Differences of lexicographic entries below this are ties: relative to the larger, and absolute
// for entries that are rounded zeros.
static const double LEXICOGRAPHIC_TIE = 1e-10, LEXICOGRAPHIC_ZERO = 1e-13;
// Pivots of a principal transform below this × the largest entry are zero.
static const double SINGULAR = 1e-12;

void lcp_kernel_update(int rows, int columns, int us, int ld, const double *U, const double *V,
                       double *T)
{
    DISPATCH(update, (rows, columns, us, ld, U, V, T));
}

void lcp_kernel_axpy(int count, double a, const double *x, double *y)
{
    DISPATCH(axpy, (count, a, x, y));
}

double lcp_kernel_dot(int count, const double *x, const double *y)
{
    return DISPATCH(dot, (count, x, y));
}

double lcp_kernel_largest(size_t count, const double *x)
{
    return DISPATCH(largest, (count, x));
}

double lcp_kernel_judge(const SpragLcp *problem, int from, int to, const double *z, double *w)
{
    return DISPATCH(judge, (problem, from, to, z, w));
}

double lcp_tableau_ratio(const LcpTableau *t, double zero, double *largest)
{
    return DISPATCH(ratio, (t->us, zero, t->column, t->q, largest));
}

// Row length: whole lanes, and no multiple of 64 (rows would share cache sets).
static int row_length(int n)
{
    int ld = n < BLOCKED_FROM ? (n + 1 + 3) / 4 * 4 : (n + 1 + 7) / 8 * 8;
    return ld >= 64 && ld % 64 == 0 ? ld + 8 : ld;
}

static int block_of(int n)
{
    return n < BLOCKED_FROM ? 1 : LCP_BLOCK;
}

size_t lcp_tableau_doubles(int n)
{
    size_t rows = (size_t)n, ld = (size_t)row_length(n), block = (size_t)block_of(n);
    size_t us = (rows + 3) / 4 * 4, small = n <= LCP_SMALL ? (rows + 1) * us : 0;
    return (rows * ld > small ? rows * ld : small) + us * block + block * ld + 2 * us;
}

size_t lcp_tableau_ints(int n)
{
    return 5 * (size_t)n + 2;
}

void lcp_tableau_carve(LcpTableau *t, int n, double *doubles, int *ints)
{
    size_t rows = (size_t)n;
    t->n = n;
    t->columns = n;
    t->factors = NULL;
    t->full = false;
    t->ld = row_length(n);
    t->block = block_of(n);
    t->pending = 0;
    t->T = doubles;
    t->us = (n + 3) / 4 * 4;
    size_t table = rows * (size_t)t->ld, small = (rows + 1) * (size_t)t->us;
    t->U = t->T + (n <= LCP_SMALL && small > table ? small : table);
    t->V = t->U + (size_t)t->us * (size_t)t->block;
    t->q = t->V + (size_t)t->block * (size_t)t->ld;
    t->column = t->q + t->us;
    for (int i = n; i < t->us; i++)
        t->q[i] = t->column[i] = 0;
    t->row_variable = ints;
    t->column_variable = ints + n;
    t->position = ints + 2 * n + 1;
    t->origin = ints + 4 * n + 2;
}

static void load_row(LcpTableau *t, const double *M, double row_scale, const double *column_scale,
                     double *row)
{
    int n = t->n;
    if (!column_scale)
        for (int j = 0; j < n; j++)
            row[j] = M[j];
    else
        for (int j = 0; j < n; j++)
            row[j] = row_scale * M[j] * column_scale[j];
    for (int j = n; j < t->ld; j++)
        row[j] = 0;
}

void lcp_tableau_load(LcpTableau *t, const SpragLcp *problem, const double *row_scale,
                      const double *column_scale, const double *covering)
{
    int n = t->n;
    t->pending = 0;
    t->factors = NULL;
    t->full = false;
    t->columns = covering ? n + 1 : n;
    for (int i = 0; i < n; i++) {
        double *row = t->T + (size_t)i * (size_t)t->ld;
        double scale = row_scale ? row_scale[i] : 1;
        load_row(t, problem->M + (size_t)i * (size_t)n, scale, column_scale, row);
        t->q[i] = scale * problem->q[i];
        if (covering)
            row[n] = covering[i];
        t->row_variable[i] = t->position[i] = t->origin[i] = i;
        t->column_variable[i] = n + i;
        t->position[n + i] = -1 - i;
    }
    t->column_variable[n] = 2 * n;
    t->position[2 * n] = -1 - n;
}

bool lcp_tableau_small(LcpTableau *t, const SpragLcp *problem, double zero, double tie, int limit,
                       int *pivots)
{
    int n = t->n, us = t->us;
    for (int i = 0; i < n; i++) {
        t->q[i] = problem->q[i];
        t->row_variable[i] = t->position[i] = i;
        t->column_variable[i] = n + i;
        t->position[n + i] = -1 - i;
    }
    t->column_variable[n] = 2 * n;
    t->position[2 * n] = -1 - n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i < us; i++)
            t->T[j * us + i] = i >= n ? 0 : j == n ? 1 : problem->M[i * n + j];
    bool solved = DISPATCH(small, (t, zero, tie, limit, pivots));
    for (int i = n; i < us; i++)
        t->q[i] = 0;
    return solved;
}

void lcp_tableau_set_origin(LcpTableau *t)
{
    memcpy(t->origin, t->row_variable, (size_t)t->n * sizeof *t->origin);
}

void lcp_tableau_cover(LcpTableau *t, const double *covering)
{
    t->columns = t->n + 1;
    for (int i = 0; i < t->n; i++)
        t->T[(size_t)i * (size_t)t->ld + (size_t)t->n] = covering[i];
    for (int k = 0; k < t->pending; k++)
        t->V[(size_t)k * (size_t)t->ld + (size_t)t->n] = 0;
}

double lcp_tableau_entry(const LcpTableau *t, int r, int s)
{
    double entry = t->T[(size_t)r * (size_t)t->ld + (size_t)s];
    for (int k = 0; k < t->pending; k++)
        entry -= t->U[(size_t)k * (size_t)t->us + (size_t)r] *
                 t->V[(size_t)k * (size_t)t->ld + (size_t)s];
    return entry;
}

// Column s of the tableau behind the factors, less what exchanges have set to zero.
static void base_column(LcpTableau *t, int s)
{
    const LcpFactors *f = t->factors;
    if (f->column_gone[s]) {
        memset(t->column, 0, (size_t)t->us * sizeof *t->column);
        return;
    }
    lcp_factors_column(f, s, t->column);
    for (int i = 0; i < t->n; i++)
        if (f->row_gone[i])
            t->column[i] = 0;
}

static void base_row(const LcpTableau *t, int r, double *row)
{
    const LcpFactors *f = t->factors;
    memset(row, 0, (size_t)t->ld * sizeof *row);
    if (f->row_gone[r])
        return;
    lcp_factors_row(f, r, row);
    for (int j = 0; j <= t->n; j++)
        if (f->column_gone[j])
            row[j] = 0;
}

void lcp_tableau_column(LcpTableau *t, int s)
{
    size_t ld = (size_t)t->ld;
    const double *from = t->T + s;
    if (t->factors)
        base_column(t, s);
    else
        for (int i = 0; i < t->n; i++)
            t->column[i] = from[(size_t)i * ld];
    for (int k = 0; k < t->pending; k++) {
        double v = t->V[(size_t)k * ld + (size_t)s];
        if (v != 0)
            lcp_kernel_axpy(t->us, v, t->U + (size_t)k * (size_t)t->us, t->column);
    }
}

void lcp_tableau_row(const LcpTableau *t, int r, double *row)
{
    if (t->factors)
        base_row(t, r, row);
    else
        memcpy(row, t->T + (size_t)r * (size_t)t->ld, (size_t)t->ld * sizeof *row);
    for (int k = 0; k < t->pending; k++) {
        double u = t->U[(size_t)k * (size_t)t->us + (size_t)r];
        if (u != 0)
            lcp_kernel_axpy(t->ld, u, t->V + (size_t)k * (size_t)t->ld, row);
    }
}

static void swap_variables(LcpTableau *t, int r, int s)
{
    int leaving = t->row_variable[r], entering = t->column_variable[s];
    t->row_variable[r] = entering;
    t->column_variable[s] = leaving;
    t->position[entering] = r;
    t->position[leaving] = -1 - s;
}

// One more pending update: row r of T and of the pending ones goes to V, its column to U.
static void gather_update(LcpTableau *t, int r, int s, double *u, double inverse)
{
    size_t ld = (size_t)t->ld, us = (size_t)t->us;
    double *v = t->V + (size_t)t->pending * ld, *column = t->T + s;
    lcp_tableau_row(t, r, v);
    for (int k = 0; k < t->pending; k++) {
        t->U[(size_t)k * us + (size_t)r] = 0;
        t->V[(size_t)k * ld + (size_t)s] = 0;
    }
    v[s] = -1;
    u[r] = inverse;
    t->pending++;
    if (t->factors) {
        t->factors->row_gone[r] = t->factors->column_gone[s] = true;
        t->full = t->pending == LCP_BLOCK;
        return;
    }
    memset(t->T + (size_t)r * ld, 0, ld * sizeof *t->T);
    for (int i = 0; i < t->n; i++)
        column[(size_t)i * ld] = 0;
    if (t->pending == LCP_BLOCK) {
        lcp_kernel_update(t->n, t->ld, t->us, t->ld, t->U, t->V, t->T);
        t->pending = 0;
    }
}

static void update_at_once(LcpTableau *t, int r, int s, double *u, double inverse)
{
    size_t ld = (size_t)t->ld;
    double *v = t->V, *pivot_row = t->T + (size_t)r * ld, *column = t->T + s;
    for (size_t j = 0; j < ld; j++) {
        v[j] = pivot_row[j];
        pivot_row[j] = 0;
    }
    v[s] = -1;
    u[r] = inverse;
    for (int i = 0; i < t->n; i++)
        column[(size_t)i * ld] = 0;
    DISPATCH(rank_one, (t->n, t->ld, u, v, t->T));
}

void lcp_tableau_exchange(LcpTableau *t, int r, int s)
{
    double inverse = 1 / t->column[r], theta = -t->q[r] * inverse;
    double *u = t->U + (size_t)t->pending * (size_t)t->us;
    DISPATCH(pivot, (t->us, theta, inverse, t->column, t->q, u));
    t->q[r] = theta;
    if (t->block == 1)
        update_at_once(t, r, s, u, inverse);
    else
        gather_update(t, r, s, u, inverse);
    swap_variables(t, r, s);
}

// Largest entry of the present column in a row whose w is to leave; −1 if none is above tiny.
static int transform_row(const LcpTableau *t, const bool *basis, double tiny)
{
    int best = -1;
    double largest = tiny;
    for (int i = 0; i < t->n; i++) {
        int variable = t->row_variable[i];
        if (variable < t->n && basis[variable] && fabs(t->column[i]) > largest) {
            largest = fabs(t->column[i]);
            best = i;
        }
    }
    return best;
}

bool lcp_tableau_transform(LcpTableau *t, const bool *basis)
{
    double scale = lcp_kernel_largest((size_t)t->n * (size_t)t->ld, t->T);
    for (int j = 0; j < t->n; j++) {
        if (!basis[j])
            continue;
        int s = -1 - t->position[t->n + j];
        lcp_tableau_column(t, s);
        int r = transform_row(t, basis, SINGULAR * scale);
        if (r < 0)
            return false;
        lcp_tableau_exchange(t, r, s);
    }
    return true;
}

void lcp_tableau_point(const LcpTableau *t, double *z)
{
    int n = t->n;
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < n; i++) {
        int variable = t->row_variable[i];
        if (variable >= n && variable < 2 * n && t->q[i] > 0)
            z[variable - n] = t->q[i];
    }
}

// Keeps the candidates whose entry of the perturbation ε^{j+1}, over |column|, is smallest. The
// entry of row i is −T(i, y_j) with y_j the variable of row j at the origin, or 1 where it is
// basic.
static int keep_smallest(const LcpTableau *t, int j, int *candidates, int count)
{
    int position = t->position[t->origin[j]];
    if (position >= 0) {
        int kept = 0;
        for (int k = 0; k < count; k++)
            if (candidates[k] != position)
                candidates[kept++] = candidates[k];
        return kept;
    }
    int kept = 0;
    double smallest = INFINITY;
    for (int k = 0; k < count; k++) {
        int i = candidates[k];
        double value = lcp_tableau_entry(t, i, -1 - position) / t->column[i];
        double tie = LEXICOGRAPHIC_TIE * fmax(fabs(value), fabs(smallest)) + LEXICOGRAPHIC_ZERO;
        if (value < smallest - tie || kept == 0) {
            smallest = value;
            kept = 0;
        } else if (value > smallest + tie) {
            continue;
        }
        candidates[kept++] = i;
    }
    return kept;
}

int lcp_tableau_lexicographic(const LcpTableau *t, int *candidates, int count)
{
    // of a tableau that is not formed, entries are dear: its few exchanges go without
    for (int j = 0; j < t->n && count > 1 && !t->factors; j++)
        count = keep_smallest(t, j, candidates, count);
    // what is still tied is equal to rounding: the larger pivot is the safer one
    int best = candidates[0];
    for (int k = 1; k < count; k++)
        if (fabs(t->column[candidates[k]]) > fabs(t->column[best]))
            best = candidates[k];
    return best;
}

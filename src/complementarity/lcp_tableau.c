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
enum { BLOCKED_FROM = 40 };

// Differences of lexicographic entries below this are ties: relative to the larger, and absolute
// for entries that are rounded zeros.
static const double LEXICOGRAPHIC_TIE = 1e-10, LEXICOGRAPHIC_ZERO = 1e-13;
// Pivots of a principal transform below this × the largest entry are zero.
static const double SINGULAR = 1e-12;

void lcp_kernel_update(int rows, int columns, int ld, const double *U, const double *V, double *T)
{
    DISPATCH(update, (rows, columns, ld, U, V, T));
}

void lcp_kernel_axpy(int count, double a, const double *x, double *y)
{
    DISPATCH(axpy, (count, a, x, y));
}

double lcp_kernel_dot(int count, const double *x, const double *y)
{
    return DISPATCH(dot, (count, x, y));
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
    return rows * ld + rows * block + block * ld + 2 * rows;
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
    t->ld = row_length(n);
    t->block = block_of(n);
    t->pending = 0;
    t->T = doubles;
    t->U = t->T + rows * (size_t)t->ld;
    t->V = t->U + rows * (size_t)t->block;
    t->q = t->V + (size_t)t->block * (size_t)t->ld;
    t->column = t->q + rows;
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
        memcpy(row, M, (size_t)n * sizeof *row);
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
    t->columns = covering ? n + 1 : n;
    if (t->block > 1)
        memset(t->U, 0, (size_t)n * LCP_BLOCK * sizeof *t->U);
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
    const double *u = t->U + (size_t)r * (size_t)t->block;
    for (int k = 0; k < t->pending; k++)
        entry -= u[k] * t->V[(size_t)k * (size_t)t->ld + (size_t)s];
    return entry;
}

void lcp_tableau_column(LcpTableau *t, int s)
{
    size_t ld = (size_t)t->ld;
    for (int i = 0; i < t->n; i++)
        t->column[i] = t->T[(size_t)i * ld + (size_t)s];
    if (t->pending == 0)
        return;
    double v[LCP_BLOCK] = {0};
    for (int k = 0; k < t->pending; k++)
        v[k] = t->V[(size_t)k * ld + (size_t)s];
    // columns of U that are not pending are zero, so all of them may be summed
    for (int i = 0; i < t->n; i++) {
        const double *u = t->U + (size_t)i * LCP_BLOCK;
        double even = u[0] * v[0] + u[2] * v[2], odd = u[1] * v[1] + u[3] * v[3];
        double high_even = u[4] * v[4] + u[6] * v[6], high_odd = u[5] * v[5] + u[7] * v[7];
        t->column[i] -= (even + high_even) + (odd + high_odd);
    }
}

void lcp_tableau_row(const LcpTableau *t, int r, double *row)
{
    memcpy(row, t->T + (size_t)r * (size_t)t->ld, (size_t)t->ld * sizeof *row);
    const double *u = t->U + (size_t)r * (size_t)t->block;
    for (int k = 0; k < t->pending; k++)
        if (u[k] != 0)
            lcp_kernel_axpy(t->ld, u[k], t->V + (size_t)k * (size_t)t->ld, row);
}

static void swap_variables(LcpTableau *t, int r, int s)
{
    int leaving = t->row_variable[r], entering = t->column_variable[s];
    t->row_variable[r] = entering;
    t->column_variable[s] = leaving;
    t->position[entering] = r;
    t->position[leaving] = -1 - s;
}

static void apply_pending(LcpTableau *t)
{
    lcp_kernel_update(t->n, t->ld, t->ld, t->U, t->V, t->T);
    memset(t->U, 0, (size_t)t->n * LCP_BLOCK * sizeof *t->U);
    t->pending = 0;
}

static void gather_update(LcpTableau *t, int r, int s, double inverse)
{
    size_t ld = (size_t)t->ld;
    double *v = t->V + (size_t)t->pending * ld;
    lcp_tableau_row(t, r, v);
    memset(t->T + (size_t)r * ld, 0, ld * sizeof *t->T);
    memset(t->U + (size_t)r * LCP_BLOCK, 0, LCP_BLOCK * sizeof *t->U);
    for (int k = 0; k < t->pending; k++)
        t->V[(size_t)k * ld + (size_t)s] = 0;
    v[s] = -1;
    for (int i = 0; i < t->n; i++) {
        t->T[(size_t)i * ld + (size_t)s] = 0;
        t->U[(size_t)i * LCP_BLOCK + (size_t)t->pending] = t->column[i] * inverse;
    }
    t->U[(size_t)r * LCP_BLOCK + (size_t)t->pending] = inverse;
    if (++t->pending == LCP_BLOCK)
        apply_pending(t);
}

static void update_at_once(LcpTableau *t, int r, int s, double inverse)
{
    size_t ld = (size_t)t->ld;
    double *v = t->V, *pivot_row = t->T + (size_t)r * ld;
    for (size_t j = 0; j < ld; j++) {
        v[j] = pivot_row[j];
        pivot_row[j] = 0;
    }
    v[s] = -1;
    for (int i = 0; i < t->n; i++) {
        t->T[(size_t)i * ld + (size_t)s] = 0;
        t->U[i] = t->column[i] * inverse;
    }
    t->U[r] = inverse;
    DISPATCH(rank_one, (t->n, t->ld, t->U, v, t->T));
}

void lcp_tableau_exchange(LcpTableau *t, int r, int s)
{
    double inverse = 1 / t->column[r], theta = -t->q[r] * inverse;
    for (int i = 0; i < t->n; i++)
        t->q[i] += t->column[i] * theta;
    t->q[r] = theta;
    if (t->block == 1)
        update_at_once(t, r, s, inverse);
    else
        gather_update(t, r, s, inverse);
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
    double scale = 0;
    for (size_t k = 0; k < (size_t)t->n * (size_t)t->ld; k++)
        scale = fmax(scale, fabs(t->T[k]));
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
    for (int j = 0; j < t->n && count > 1; j++)
        count = keep_smallest(t, j, candidates, count);
    // what is still tied is equal to rounding: the larger pivot is the safer one
    int best = candidates[0];
    for (int k = 1; k < count; k++)
        if (fabs(t->column[candidates[k]]) > fabs(t->column[best]))
            best = candidates[k];
    return best;
}

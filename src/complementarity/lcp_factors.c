// lcp_factors.c: a tableau that exists only as the factors of its basis.
//
// Problem   begin Lemke's method at a given complementary basis α without forming its whole
//           tableau: a warm start needs a handful of exchanges, and forming it costs as much as |α|
//           of them
// Method    columns and rows of the principal transform of (M, q) on α come from LU factors of
//           M_αα: z_α = M_αα⁻¹ (w_α − q_α − M_αβ z_β),   w_β = q_β + M_βα z_α + M_ββ z_β one
//           solve and one product each. Exchanges stay pending on top of it (lcp_tableau.c), up
//           to LCP_BLOCK; then the caller forms the tableau after all.
// Assumes   factors of full rank in the workspace (lcp_basis_factor)
#include <string.h>

#include "lcp_internal.h"

// M_αα x = b in the members' order.
static void solve(const LcpFactors *f, const double *b, double *x)
{
    lcp_lu_solve(f->m, f->LU, f->permutation, b, x);
}

// M_ααᵀ y = b; b is overwritten.
static void solve_transposed(const LcpFactors *f, double *b, double *y)
{
    size_t ld = (size_t)lcp_lu_row_length(f->m);
    for (int i = 0; i < f->m; i++) {
        const double *row = f->LU + (size_t)i * ld;
        b[i] /= row[i];
        lcp_kernel_axpy(f->m - 1 - i, b[i], row + i + 1, b + i + 1);
    }
    for (int i = f->m - 1; i > 0; i--)
        lcp_kernel_axpy(i, b[i], f->LU + (size_t)i * ld, b);
    memcpy(y, b, (size_t)f->m * sizeof *y);
    for (int k = f->m - 1; k >= 0; k--) {
        double held = y[k];
        y[k] = y[f->permutation[k]];
        y[f->permutation[k]] = held;
    }
}

// Completes a column from its part on α (members' order): adds M_βα z_α to the β rows of `out`.
static void complete(const LcpFactors *f, const double *z_alpha, double *out)
{
    int n = f->problem->n;
    memset(f->full, 0, (size_t)n * sizeof *f->full);
    for (int k = 0; k < f->m; k++)
        f->full[f->members[k]] = z_alpha[k];
    for (int i = 0; i < n; i++)
        if (f->basis[i])
            out[i] = f->full[i];
        else
            out[i] += lcp_kernel_dot(n, f->problem->M + (size_t)i * (size_t)n, f->full);
}

void lcp_factors_column(const LcpFactors *f, int s, double *out)
{
    int n = f->problem->n;
    size_t row = (size_t)n;
    if (s == n) {
        memcpy(out, f->covering, row * sizeof *out);
        return;
    }
    for (int k = 0; k < f->m; k++)
        f->part[k] = f->basis[s] ? (f->members[k] == s ? 1 : 0)
                                 : -f->problem->M[(size_t)f->members[k] * row + (size_t)s];
    for (int i = 0; i < n; i++)
        out[i] = f->basis[s] ? 0 : f->problem->M[(size_t)i * row + (size_t)s];
    solve(f, f->part, f->other);
    complete(f, f->other, out);
}

void lcp_factors_row(const LcpFactors *f, int r, double *out)
{
    int n = f->problem->n;
    const double *M_r = f->problem->M + (size_t)r * (size_t)n;
    for (int k = 0; k < f->m; k++)
        f->part[k] = f->basis[r] ? (f->members[k] == r ? 1 : 0) : M_r[f->members[k]];
    solve_transposed(f, f->part, f->other);
    for (int j = 0; j < n; j++)
        out[j] = f->basis[r] ? 0 : M_r[j];
    for (int k = 0; k < f->m; k++)
        lcp_kernel_axpy(n, f->other[k], f->problem->M + (size_t)f->members[k] * (size_t)n, out);
    for (int k = 0; k < f->m; k++)
        out[f->members[k]] = f->other[k];
    out[n] = f->covering[r];
}

void lcp_factors_load(const LcpFactors *f, LcpTableau *t)
{
    int n = f->problem->n;
    t->pending = 0;
    t->columns = n + 1;
    t->factors = f;
    for (int k = 0; k < f->m; k++)
        f->part[k] = -f->problem->q[f->members[k]];
    for (int i = 0; i < n; i++) {
        bool inside = f->basis[i];
        int basic = inside ? n + i : i, nonbasic = inside ? i : n + i;
        t->q[i] = f->problem->q[i];
        t->row_variable[i] = t->origin[i] = basic;
        t->column_variable[i] = nonbasic;
        t->position[basic] = i;
        t->position[nonbasic] = -1 - i;
        f->row_gone[i] = f->column_gone[i] = false;
    }
    f->column_gone[n] = false;
    t->column_variable[n] = 2 * n;
    t->position[2 * n] = -1 - n;
    solve(f, f->part, f->other);
    complete(f, f->other, t->q);
}

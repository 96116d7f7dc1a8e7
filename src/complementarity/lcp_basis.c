// lcp_basis.c: from a complementary basis to its point, and from a point near a solution to the
// solution.
//
// Problem   M_αα z_α = −q_α, z = 0 elsewhere, for an index set α
// Method    LU with partial pivoting and two steps of refinement with the residual of the problem;
//           the correction of a basis is Newton's method on min(z, w) = 0: α becomes
//           {i : z_i > w_i}, which for a P-matrix near the solution ends in a few steps
// Assumes   nothing: a singular M_αα is reported
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

// Pivots below this × the largest entry are zero.
static const double SINGULAR = 1e-14;
// A residual this small needs no recomputation.
static const double GOOD = 1e-14;
enum { REFINEMENTS = 2 };

static void gather(const SpragLcpWorkspace *ws, const SpragLcp *problem, int m)
{
    int ld = lcp_lu_row_length(m);
    for (int i = 0; i < m; i++) {
        const double *from = problem->M + (size_t)ws->members[i] * (size_t)problem->n;
        double *to = ws->matrix + (size_t)i * (size_t)ld;
        for (int j = 0; j < m; j++)
            to[j] = from[ws->members[j]];
        for (int j = m; j < ld; j++)
            to[j] = 0;
    }
}

// rhs_i = −(q + M z)_i over the members.
static void right_side(const SpragLcpWorkspace *ws, const SpragLcp *problem, int m, const double *z,
                       double *rhs)
{
    size_t n = (size_t)problem->n;
    for (int i = 0; i < m; i++) {
        int row = ws->members[i];
        rhs[i] = -problem->q[row] - lcp_kernel_dot(problem->n, problem->M + (size_t)row * n, z);
    }
}

bool lcp_basis_factor(SpragLcpWorkspace *ws, const SpragLcp *problem, const bool *basis, int *m)
{
    *m = 0;
    for (int i = 0; i < problem->n; i++)
        if (basis[i])
            ws->members[(*m)++] = i;
    gather(ws, problem, *m);
    return lcp_lu_factor(*m, ws->matrix, SINGULAR, ws->permutation, ws->panel);
}

void lcp_basis_solve(SpragLcpWorkspace *ws, const SpragLcp *problem, int m, int refinements,
                     double *z)
{
    double *rhs = ws->vectors[6], *step = ws->vectors[7];
    memset(z, 0, (size_t)problem->n * sizeof *z);
    for (int i = 0; i < m; i++)
        rhs[i] = -problem->q[ws->members[i]];
    for (int k = 0; k <= refinements && m > 0; k++) {
        if (k > 0)
            right_side(ws, problem, m, z, rhs);
        lcp_lu_solve(m, ws->matrix, ws->permutation, rhs, step);
        for (int i = 0; i < m; i++)
            z[ws->members[i]] += step[i];
    }
}

double lcp_polish(SpragLcpWorkspace *ws, const SpragLcp *problem, double *z)
{
    double *w = ws->vectors[4], *polished = ws->vectors[5];
    double residual = sprag_lcp_residual(problem, z, w);
    if (!isfinite(residual))
        return residual;
    for (int i = 0; i < problem->n; i++)
        ws->trial[i] = z[i] > 0 && z[i] > w[i];
    int m;
    if (!lcp_basis_factor(ws, problem, ws->trial, &m))
        return residual;
    lcp_basis_solve(ws, problem, m, REFINEMENTS, polished);
    for (int i = 0; i < problem->n; i++)
        if (polished[i] < 0)
            polished[i] = 0;
    double better = sprag_lcp_residual(problem, polished, NULL);
    if (better < residual) {
        memcpy(z, polished, (size_t)problem->n * sizeof *z);
        residual = better;
    }
    return residual;
}

// The residual of the point a method returns, kept for its caller.
static double judge(SpragLcpWorkspace *ws, const SpragLcp *problem, const double *z)
{
    ws->judged_residual = sprag_lcp_residual(problem, z, ws->judged_w);
    ws->judged = true;
    return ws->judged_residual;
}

bool lcp_finish(SpragLcpWorkspace *ws, const SpragLcp *problem, const SpragLcpSettings *settings,
                const double *column_scale, double *z)
{
    int n = problem->n;
    lcp_tableau_point(&ws->tableau, z);
    for (int i = 0; column_scale && i < n; i++)
        z[i] *= column_scale[i];
    double residual = judge(ws, problem, z);
    if (!(residual <= GOOD)) {
        residual = lcp_polish(ws, problem, z);
        ws->judged = false;
    }
    for (int i = 0; i < n; i++)
        ws->basis[i] = ws->tableau.position[n + i] >= 0;
    ws->has_basis = residual <= settings->tolerance;
    return ws->has_basis;
}

bool lcp_basis_correct(SpragLcpWorkspace *ws, const SpragLcp *problem,
                       const SpragLcpSettings *settings, bool *basis, double *z, int max_steps)
{
    const double *w = ws->judged_w;
    for (int step = 0; step < max_steps; step++) {
        int m;
        if (!lcp_basis_factor(ws, problem, basis, &m))
            return false;
        lcp_basis_solve(ws, problem, m, 0, z);
        double residual = judge(ws, problem, z);
        if (residual <= settings->tolerance) {
            ws->judged = residual <= GOOD;
            if (!ws->judged)
                lcp_basis_solve(ws, problem, m, REFINEMENTS, z);
            return true;
        }
        bool changed = false;
        for (int i = 0; i < problem->n; i++) {
            bool inside = basis[i] ? z[i] >= 0 : w[i] < 0;
            changed = changed || inside != basis[i];
            basis[i] = inside;
        }
        if (!changed)
            return false;
    }
    return false;
}

static double power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, -exponent);
}

void lcp_equilibrate(const SpragLcp *problem, double *row_scale, double *column_scale)
{
    enum { SWEEPS = 4 };
    size_t n = (size_t)problem->n;
    for (size_t i = 0; i < n; i++)
        row_scale[i] = column_scale[i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < n; i++) {
            double largest = 0;
            for (size_t j = 0; j < n; j++)
                largest = fmax(largest, fabs(problem->M[i * n + j]) * column_scale[j]);
            row_scale[i] = largest > 0 ? power_of_two(largest) : 1;
        }
        for (size_t j = 0; j < n; j++) {
            double largest = 0;
            for (size_t i = 0; i < n; i++)
                largest = fmax(largest, fabs(problem->M[i * n + j]) * row_scale[i]);
            column_scale[j] = largest > 0 ? power_of_two(largest) : 1;
        }
    }
}

bool lcp_is_infeasibility_proof(const SpragLcp *problem, const double *y, double *scratch)
{
    // rounding in Mᵀy: n products of entries of size |M| |y|
    static const double ROUNDING = 1e-12;
    size_t n = (size_t)problem->n;
    double product = 0, terms = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(y[i] >= 0))
            return false;
        product += problem->q[i] * y[i];
        terms += fabs(problem->q[i]) * y[i];
    }
    if (!(product < -1e-9 * terms))
        return false;
    double *size = scratch, *sum = scratch + n;
    memset(scratch, 0, 2 * n * sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double term = problem->M[i * n + j] * y[i];
            sum[j] += term;
            size[j] += fabs(term);
        }
    for (size_t j = 0; j < n; j++)
        if (sum[j] > ROUNDING * size[j])
            return false;
    return true;
}

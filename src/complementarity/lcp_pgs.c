// lcp_pgs.c: projected Gauss–Seidel.
//
// Problem   find z >= 0 with w = M z + q >= 0 and z'w = 0
// Method    z_i ← max(0, z_i − w_i / M_ii), one variable after the other; at the end the point is
//           recomputed from its support
// Assumes   positive diagonal; converges for symmetric positive definite M and for strictly
//           diagonally dominant M, linearly
// Result    SOLVED, LIMIT, or UNSUITABLE if a diagonal entry is not positive
#include <math.h>

#include "lcp_internal.h"

enum { DEFAULT_ITERATIONS = 200, SWEEPS_PER_ITERATION = 50, CHECK_EVERY = 8 };

static void sweep(const SpragLcp *problem, double *z)
{
    size_t n = (size_t)problem->n;
    for (size_t i = 0; i < n; i++) {
        const double *row = problem->M + i * n;
        double w = problem->q[i] + lcp_kernel_dot((int)n, row, z);
        double moved = z[i] - w / row[i];
        z[i] = moved > 0 ? moved : 0;
    }
}

SpragStatus lcp_pgs(SpragLcpWorkspace *ws, const SpragLcp *problem,
                    const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    int n = problem->n, limit = settings->max_iterations;
    limit = SWEEPS_PER_ITERATION * (limit > 0 ? limit : DEFAULT_ITERATIONS);
    outcome->starts++;
    for (int i = 0; i < n; i++)
        z[i] = settings->start_z && settings->start_z[i] > 0 ? settings->start_z[i] : 0;
    for (int i = 0; i < n; i++)
        if (!(problem->M[(size_t)i * (size_t)n + (size_t)i] > 0)) {
            outcome->status = SPRAG_LCP_UNSUITABLE;
            return SPRAG_OK;
        }
    outcome->status = SPRAG_LCP_LIMIT;
    for (int k = 0; k < limit; k++) {
        if (k % CHECK_EVERY == 0) {
            double residual = sprag_lcp_residual(problem, z, NULL);
            if (residual <= settings->tolerance)
                break;
            if (!isfinite(residual)) {
                outcome->status = SPRAG_LCP_STALLED;
                return SPRAG_OK;
            }
        }
        sweep(problem, z);
        outcome->iterations++;
    }
    double residual = lcp_polish(ws, problem, z);
    if (residual <= settings->tolerance)
        outcome->status = SPRAG_LCP_SOLVED;
    sprag_lcp_residual(problem, z, ws->vectors[0]);
    for (int i = 0; i < n; i++)
        ws->basis[i] = z[i] > ws->vectors[0][i];
    ws->has_basis = residual <= settings->tolerance;
    return SPRAG_OK;
}

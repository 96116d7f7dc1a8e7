// qp_lcp.c: a convex QP as an LCP, solved by Lemke's method.
//
// Problem   theory.md (3.6): 0 ≤ (x, u) ⟂ [Q Hᵀ; −H 0](x, u) + (c, K) ≥ 0
// Method    Lemke's method, whose matrix is positive semidefinite here: it ends at a solution or on
//           a ray that proves that there is none, so the QP is infeasible or unbounded; a linear
//           program tells which
// Assumes   Q positive semidefinite
#include <string.h>

#include "qp_internal.h"

static SpragStatus build(SpragArena *arena, const QpStandard *s, SpragLcp *lcp)
{
    size_t n = (size_t)s->n, rows = (size_t)s->rows, size = n + rows;
    double *M = sprag_arena_alloc(arena, size * size, sizeof *M);
    double *q = sprag_arena_alloc(arena, size, sizeof *q);
    if (!M || !q)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        memcpy(M + i * size, s->Q + i * n, n * sizeof *M);
        for (size_t k = 0; k < rows; k++) {
            M[i * size + n + k] = s->H[k * n + i];
            M[(n + k) * size + i] = -s->H[k * n + i];
        }
    }
    memcpy(q, s->c, n * sizeof *q);
    memcpy(q + n, s->K, rows * sizeof *q);
    lcp->n = (int)size;
    lcp->M = M;
    lcp->q = q;
    return SPRAG_OK;
}

SpragStatus qp_lcp(QpRun *run)
{
    QpStandard standard;
    SpragLcp lcp;
    SpragLcpInfo info;
    SPRAG_TRY(qp_standard_build(run->arena, run->problem, &standard));
    SPRAG_TRY(build(run->arena, &standard, &lcp));
    double *z = sprag_arena_alloc(run->arena, (size_t)lcp.n, sizeof *z);
    double *w = sprag_arena_alloc(run->arena, (size_t)lcp.n, sizeof *w);
    if (!z || !w)
        return SPRAG_ERROR_MEMORY;
    SpragLcpSettings settings = sprag_lcp_default();
    settings.method = SPRAG_LCP_LEMKE;
    settings.max_pivots = run->max_iterations;
    SpragLcpWorkspace *workspace = NULL;
    SPRAG_TRY(sprag_lcp_workspace_create(run->context, &workspace));
    SpragStatus status = sprag_lcp_solve(workspace, &lcp, &settings, z, w, &info);
    sprag_lcp_workspace_destroy(workspace);
    if (status != SPRAG_OK)
        return status;
    run->iterations += info.pivots;
    run->status = SPRAG_QP_LIMIT;
    if (info.status == SPRAG_LCP_SOLVED)
        run->status = SPRAG_QP_SOLVED;
    bool feasible = true;
    if (info.status == SPRAG_LCP_NONE || info.status == SPRAG_LCP_RAY)
        SPRAG_TRY(qp_feasible_point(run->arena, run->problem, run->x, &feasible));
    if (!feasible)
        run->status = SPRAG_QP_INFEASIBLE;
    else if (info.status == SPRAG_LCP_NONE)
        run->status = SPRAG_QP_UNBOUNDED;
    qp_standard_return(run->problem, &standard, z, z + standard.n, run->x, run->multipliers);
    return SPRAG_OK;
}

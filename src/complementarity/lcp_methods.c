// lcp_methods.c: the table of LCP methods, the solve that runs one of them, and the default that
// tries several.
//
// Method    the default: Lemke's method with two starts; if those fail, a proof that no z ≥ 0 has
//           M z + q ≥ 0 (a linear program); Newton's methods; more of Lemke's starts; the search of
//           all bases where that is affordable. It stops at the first solution or proof.
// Result    the residual is recomputed here for every method; a point that is not within the
//           tolerance is never SOLVED
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

enum { FIRST_STARTS = 2, ENUMERATION_SIZE = 22, PROOF_SIZE = 120, DEFAULT_NODES = 4000000 };

typedef struct MethodEntry {
    SpragLcpMethodInfo info;
    LcpMethod *solve; // NULL: run_auto
} MethodEntry;

static const MethodEntry methods[SPRAG_LCP_METHOD_COUNT] = {
    {{SPRAG_LCP_AUTO, "auto", "nothing",
      "tries lemke, a proof of infeasibility, newton-min, newton-fb, more starts of lemke and, for "
      "small problems, enumeration; says what it did"},
     NULL},
    {{SPRAG_LCP_LEMKE, "lemke", "nothing",
      "solves P, strictly copositive and positive semidefinite problems and those of time "
      "stepping, or "
      "proves a semidefinite one infeasible; others often"},
     lcp_lemke},
    {{SPRAG_LCP_MURTY, "murty", "P-matrix",
      "solves every P-matrix problem; up to 2^n pivots, so the limit may come first"},
     lcp_murty},
    {{SPRAG_LCP_KELLER, "keller", "P-matrix or positive semidefinite (row sufficient)",
      "solves it, or ends on a ray if there is no solution"},
     lcp_keller},
    {{SPRAG_LCP_COTTLE_DANTZIG, "cottle-dantzig", "P-matrix or positive semidefinite",
      "solves it, or ends on a ray if there is no solution; at most n major cycles"},
     lcp_cottle_dantzig},
    {{SPRAG_LCP_NEWTON_FB, "newton-fb", "P0-matrix with bounded level sets for certainty",
      "converges to a solution then, quadratically near a regular one; else may stall"},
     lcp_newton_fb},
    {{SPRAG_LCP_NEWTON_MIN, "newton-min", "P-matrix for certainty near a solution",
      "few steps from a good start; else may stall"},
     lcp_newton_min},
    {{SPRAG_LCP_PGS, "pgs", "symmetric positive definite, or strictly diagonally dominant",
      "converges linearly then"},
     lcp_pgs},
    {{SPRAG_LCP_ENUMERATION, "enumeration", "small n (about 30)",
      "a solution, or the proof that there is none; else stops at the node limit"},
     lcp_enumeration},
};

const SpragLcpMethodInfo *sprag_lcp_method_get(int method)
{
    return method >= 0 && method < SPRAG_LCP_METHOD_COUNT ? &methods[method].info : NULL;
}

SpragLcpMethod sprag_lcp_method_by_name(const char *name)
{
    int k = 0;
    while (k < SPRAG_LCP_METHOD_COUNT && strcmp(methods[k].info.name, name) != 0)
        k++;
    return (SpragLcpMethod)k;
}

const char *sprag_lcp_status_name(SpragLcpStatus status)
{
    static const char *const names[] = {
#define NAME(id, name, text) name,
        SPRAG_LCP_STATUS_LIST(NAME)
#undef NAME
    };
    return (unsigned)status < SPRAG_LCP_STATUS_COUNT ? names[status] : "?";
}

const char *sprag_lcp_status_text(SpragLcpStatus status)
{
    static const char *const texts[] = {
#define TEXT(id, name, text) text,
        SPRAG_LCP_STATUS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)status < SPRAG_LCP_STATUS_COUNT ? texts[status] : "?";
}

// ---- One method, judged -------------------------------------------------------------------------

// Runs a method, adds a step to info and takes its point if it is the best so far.
static SpragStatus run(SpragLcpWorkspace *ws, const SpragLcp *problem,
                       const SpragLcpSettings *settings, SpragLcpMethod method, double *z,
                       double *w, SpragLcpInfo *info)
{
    LcpOutcome outcome = {0};
    double *trial = ws->best_z;
    size_t bytes = (size_t)problem->n * sizeof *trial;
    memset(trial, 0, bytes);
    ws->judged = false;
    SPRAG_TRY(methods[method].solve(ws, problem, settings, trial, &outcome));
    double residual =
        ws->judged ? ws->judged_residual : sprag_lcp_residual(problem, trial, ws->judged_w);
    bool within = residual <= settings->tolerance;
    if (within && outcome.status != SPRAG_LCP_NONE)
        outcome.status = SPRAG_LCP_SOLVED;
    if (!within && outcome.status == SPRAG_LCP_SOLVED)
        outcome.status = SPRAG_LCP_STALLED;
    if (info->step_count < SPRAG_LCP_MAX_STEPS) {
        SpragLcpStep step = {method, outcome.status, outcome.pivots, outcome.iterations, residual};
        info->steps[info->step_count++] = step;
    }
    info->pivots += outcome.pivots;
    info->iterations += outcome.iterations;
    info->starts += outcome.starts;
    info->warm_solved = outcome.warm_solved;
    info->status = outcome.status;
    info->proof = outcome.proof;
    if (info->step_count == 1 || residual < info->residual) {
        memcpy(z, trial, bytes);
        memcpy(w, ws->judged_w, bytes);
        info->residual = residual;
        info->method = method;
    }
    return SPRAG_OK;
}

static bool is_over(const SpragLcpInfo *info)
{
    return info->status == SPRAG_LCP_SOLVED || info->status == SPRAG_LCP_NONE;
}

// ---- The default --------------------------------------------------------------------------------

// A linear program decides whether any z ≥ 0 has M z + q ≥ 0; sets NONE if none has.
static SpragStatus prove_infeasible(SpragLcpWorkspace *ws, const SpragLcp *problem,
                                    double tolerance, SpragLcpInfo *info)
{
    size_t n = (size_t)problem->n;
    SpragArenaMark mark = sprag_arena_mark(ws->arena);
    double *A = sprag_arena_alloc(ws->arena, 2 * n * n, sizeof *A);
    double *b = sprag_arena_alloc(ws->arena, 2 * n, sizeof *b);
    double *x = sprag_arena_alloc(ws->arena, n, sizeof *x);
    SpragStatus status = A && b && x ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK) {
        for (size_t k = 0; k < n * n; k++)
            A[k] = -problem->M[k];
        double scale = 0;
        for (size_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(problem->q[i]));
        for (size_t i = 0; i < n; i++) {
            b[i] = problem->q[i] / scale;
            A[(n + i) * n + i] = -1;
        }
        SpragLp lp = {problem->n, 2 * problem->n, 0, A, b, NULL};
        SpragLpStatus end = SPRAG_LP_LIMIT;
        double value;
        status = sprag_lp_solve(ws->arena, &lp, tolerance, x, &value, &end);
        if (status == SPRAG_OK && end == SPRAG_LP_INFEASIBLE) {
            info->status = SPRAG_LCP_NONE;
            info->proof = SPRAG_LCP_PROOF_INFEASIBLE;
        }
    }
    sprag_arena_release(ws->arena, mark);
    return status;
}

static SpragStatus run_auto(SpragLcpWorkspace *ws, const SpragLcp *problem,
                            const SpragLcpSettings *settings, double *z, double *w,
                            SpragLcpInfo *info)
{
    SpragLcpSettings chosen = *settings;
    if (chosen.max_starts > FIRST_STARTS)
        chosen.max_starts = FIRST_STARTS;
    SPRAG_TRY(run(ws, problem, &chosen, SPRAG_LCP_LEMKE, z, w, info));
    if (is_over(info))
        return SPRAG_OK;
    if (problem->n <= PROOF_SIZE) {
        SPRAG_TRY(prove_infeasible(ws, problem, settings->tolerance, info));
        if (is_over(info))
            return SPRAG_OK;
    }
    static const SpragLcpMethod order[] = {SPRAG_LCP_NEWTON_MIN, SPRAG_LCP_NEWTON_FB,
                                           SPRAG_LCP_LEMKE, SPRAG_LCP_ENUMERATION};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        if (order[k] == SPRAG_LCP_ENUMERATION && problem->n > ENUMERATION_SIZE)
            break;
        SPRAG_TRY(run(ws, problem, settings, order[k], z, w, info));
        if (is_over(info))
            return SPRAG_OK;
    }
    return SPRAG_OK;
}

SpragStatus lcp_enumeration(SpragLcpWorkspace *ws, const SpragLcp *problem,
                            const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    if (!ws->all)
        SPRAG_TRY(sprag_lcp_all_create(ws->context, &ws->all));
    SpragLcpAllSettings search = sprag_lcp_all_default();
    search.tolerance = settings->tolerance;
    search.max_nodes = settings->max_nodes > 0 ? settings->max_nodes : DEFAULT_NODES;
    search.max_sets = 1;
    SPRAG_TRY(sprag_lcp_all_solve(ws->all, problem, &search));
    outcome->starts++;
    int64_t nodes = sprag_lcp_all_nodes(ws->all);
    outcome->iterations = nodes < INT32_MAX ? (int)nodes : INT32_MAX;
    const SpragLcpSet *set = sprag_lcp_all_get(ws->all, 0);
    if (set) {
        memcpy(z, set->z, (size_t)problem->n * sizeof *z);
        memcpy(ws->basis, set->basis, (size_t)problem->n * sizeof *ws->basis);
        ws->has_basis = true;
        outcome->status = SPRAG_LCP_SOLVED;
    } else if (sprag_lcp_all_complete(ws->all)) {
        outcome->status = SPRAG_LCP_NONE;
        outcome->proof = SPRAG_LCP_PROOF_SEARCH;
    } else {
        outcome->status = SPRAG_LCP_LIMIT;
    }
    return SPRAG_OK;
}

SpragStatus sprag_lcp_solve(SpragLcpWorkspace *ws, const SpragLcp *problem,
                            const SpragLcpSettings *settings, double *z, double *w,
                            SpragLcpInfo *info)
{
    SpragLcpSettings defaults;
    if (!settings) {
        defaults = sprag_lcp_default();
        settings = &defaults;
    }
    memset(info, 0, sizeof *info);
    info->residual = INFINITY;
    SPRAG_TRY(sprag_lcp_check(ws->context, problem));
    SPRAG_TRY(lcp_check_settings(ws->context, problem, settings));
    SPRAG_TRY(lcp_workspace_fit(ws, problem->n));
    if (settings->method == SPRAG_LCP_AUTO)
        SPRAG_TRY(run_auto(ws, problem, settings, z, w, info));
    else
        SPRAG_TRY(run(ws, problem, settings, settings->method, z, w, info));
    return SPRAG_OK;
}

// lcp_lemke.c: Lemke's complementary pivot method with a lexicographic ratio test.
//
// Problem   find z >= 0 with w = M z + q >= 0 and z'w = 0                           theory.md 3.4
// Method    w = M z + q + d z_0 with a covering vector d > 0; pivot on the compact tableau until
//           z_0 leaves. Ties in the ratio test are resolved lexicographically, and only when they
//           occur. The point is recomputed from its support, so rounding in the tableau does not
//           stay. A start that ends on a ray is followed by others: the matrix scaled, another
//           covering vector, another complementary basis to begin with (a principal transform of
//           the problem). A warm start corrects the basis it is given, and if that fails begins
//           from it.
// Assumes   any M. Copositive M with (3.2): solved by the first start in exact arithmetic
// Result    SOLVED; NONE if the ray is a proof (see SPRAG_LCP_PROOF_INFEASIBLE); else RAY or LIMIT
#include <float.h>
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

// Entries of the entering column below this × its largest are zero: a pivot on a rounded zero would
// destroy the tableau. Later starts are more cautious.
static const double PIVOT_ZERO = 1e-11, PIVOT_ZERO_LATER = 1e-9;
// Ratios closer than this, relative to the ratio and to max|q|, tie.
static const double RATIO_TIE = 1e-12;
// On a ray a covering variable below this × max|q| is zero; the residual then judges the point.
static const double COVERING_ZERO = 1e-10;
// Min-map steps that a warm start may take before Lemke's method goes on from its basis.
enum { WARM_CORRECTIONS = 4 };

typedef enum PathEnd { PATH_SOLVED, PATH_RAY, PATH_LIMIT } PathEnd;

typedef struct Path {
    LcpTableau *t;
    int *candidates;
    double zero;  // relative size of a column entry that counts as none
    double scale; // max |q| of the tableau
    int pivots, limit;
    int entering; // column of the driving variable
} Path;

// Collects the rows that tie for the smallest ratio q_i/|c_i| over c_i < 0; their number.
static int ratio_test(Path *path)
{
    const LcpTableau *t = path->t;
    const double *c = t->column, *q = t->q;
    double largest, smallest = lcp_tableau_ratio(t, path->zero, &largest);
    if (smallest == INFINITY)
        return 0;
    double most = smallest + RATIO_TIE * (smallest + path->scale / largest);
    double bound = -path->zero * largest;
    int count = 0;
    // most rows are far from the smallest ratio: no branch
    for (int i = 0; i < t->n; i++) {
        path->candidates[count] = i;
        count += (c[i] < bound) & (q[i] <= most * -c[i]);
    }
    return count;
}

// Row that leaves; −1 if nothing limits the driving variable.
static int leaving_row(Path *path)
{
    int count = ratio_test(path);
    if (count == 0)
        return -1;
    int covering = path->t->position[2 * path->t->n];
    for (int k = 0; k < count; k++)
        if (path->candidates[k] == covering)
            return covering;
    return count == 1 ? path->candidates[0]
                      : lcp_tableau_lexicographic(path->t, path->candidates, count);
}

// Row of the most negative q_i/d_i, the last of ties: there z_0 enters. −1 if q ≥ 0.
static int first_row(const LcpTableau *t, const double *covering)
{
    int row = -1;
    double least = 0;
    for (int i = 0; i < t->n; i++)
        if (t->q[i] < 0 && t->q[i] / covering[i] <= least) {
            least = t->q[i] / covering[i];
            row = i;
        }
    return row;
}

static PathEnd follow(Path *path, const double *covering)
{
    LcpTableau *t = path->t;
    int n = t->n, row = first_row(t, covering);
    if (row < 0)
        return PATH_SOLVED;
    int entering = n;
    memcpy(t->column, covering, (size_t)n * sizeof *t->column);
    for (;;) {
        int leaving = t->row_variable[row];
        lcp_tableau_exchange(t, row, entering);
        path->pivots++;
        if (leaving == 2 * n)
            return PATH_SOLVED;
        if (path->pivots >= path->limit || t->full)
            return PATH_LIMIT;
        entering = -1 - t->position[leaving < n ? leaving + n : leaving - n];
        lcp_tableau_column(t, entering);
        row = leaving_row(path);
        path->entering = entering;
        // z_0 at zero is a solution, though rounding let another row leave in its place before
        if (row < 0)
            return t->q[t->position[2 * n]] <= COVERING_ZERO * path->scale ? PATH_SOLVED : PATH_RAY;
    }
}

// Start 0 is the plain one; the others scale the matrix and vary covering vector and first basis.
static void choose_covering(SpragLcpWorkspace *ws, const SpragLcp *problem, int start,
                            uint64_t seed)
{
    int n = problem->n;
    for (int i = 0; i < n; i++)
        ws->covering[i] = 1;
    if (start < 2)
        return;
    SpragRandom random;
    sprag_random_init(&random, seed + (uint64_t)start);
    for (int i = 0; i < n; i++)
        ws->covering[i] = exp(sprag_random_uniform(&random, -1.5, 1.5));
    for (int i = 0; i < n; i++)
        ws->trial[i] = start % 2 == 1 && sprag_random_bits(&random) >> 63;
}

// Loads the tableau of a start; false if its first basis is singular.
static bool prepare(SpragLcpWorkspace *ws, const SpragLcp *problem, int start, const bool *basis,
                    bool scaled)
{
    LcpTableau *t = &ws->tableau;
    if (scaled && start <= 1)
        lcp_equilibrate(problem, ws->row_scale, ws->column_scale);
    if (!basis) {
        lcp_tableau_load(t, problem, scaled ? ws->row_scale : NULL,
                         scaled ? ws->column_scale : NULL, ws->covering);
        return true;
    }
    lcp_tableau_load(t, problem, scaled ? ws->row_scale : NULL, scaled ? ws->column_scale : NULL,
                     NULL);
    if (!lcp_tableau_transform(t, basis))
        return false;
    lcp_tableau_set_origin(t);
    lcp_tableau_cover(t, ws->covering);
    return true;
}

// Direction of z along the ray, in vectors[0], tested as a proof.
static bool ray_is_proof(SpragLcpWorkspace *ws, const SpragLcp *problem, const Path *path,
                         bool scaled)
{
    const LcpTableau *t = path->t;
    int n = t->n, driving = t->column_variable[path->entering];
    double *y = ws->vectors[0];
    memset(y, 0, (size_t)n * sizeof *y);
    if (driving >= n && driving < 2 * n)
        y[driving - n] = 1;
    for (int i = 0; i < n; i++) {
        int variable = t->row_variable[i];
        if (variable >= n && variable < 2 * n && t->column[i] > 0)
            y[variable - n] = t->column[i];
    }
    for (int i = 0; scaled && i < n; i++)
        y[i] *= ws->column_scale[i];
    return lcp_is_infeasibility_proof(problem, y, ws->vectors[1]);
}

// One start from a basis (NULL: z = 0); true if the search is over.
static bool run(SpragLcpWorkspace *ws, const SpragLcp *problem, const SpragLcpSettings *settings,
                int start, const bool *basis, double *z, LcpOutcome *outcome)
{
    bool scaled = start > 0;
    outcome->starts++;
    if (!prepare(ws, problem, start, basis, scaled)) {
        // what an earlier start came to says more
        if (outcome->starts == 1)
            outcome->status = SPRAG_LCP_STALLED;
        return false;
    }
    Path path = {&ws->tableau,
                 ws->candidates,
                 start == 0 ? PIVOT_ZERO : PIVOT_ZERO_LATER,
                 lcp_kernel_largest((size_t)problem->n, ws->tableau.q),
                 0,
                 lcp_pivot_limit(settings, problem->n),
                 0};
    PathEnd end = follow(&path, ws->covering);
    outcome->pivots += path.pivots;
    if (end == PATH_SOLVED) {
        bool solved = lcp_finish(ws, problem, settings, scaled ? ws->column_scale : NULL, z);
        outcome->status = solved ? SPRAG_LCP_SOLVED : SPRAG_LCP_STALLED;
        return solved;
    }
    outcome->status = end == PATH_RAY ? SPRAG_LCP_RAY : SPRAG_LCP_LIMIT;
    if (end == PATH_RAY && ray_is_proof(ws, problem, &path, scaled)) {
        outcome->status = SPRAG_LCP_NONE;
        outcome->proof = SPRAG_LCP_PROOF_INFEASIBLE;
        return true;
    }
    return false;
}

// Lemke's method from a basis whose factors are in the workspace, for a few exchanges.
static bool run_factored(SpragLcpWorkspace *ws, const SpragLcp *problem,
                         const SpragLcpSettings *settings, int m, double *z, LcpOutcome *outcome)
{
    LcpTableau *t = &ws->tableau;
    LcpFactors factors = {
        problem,      ws->matrix,     ws->permutation, ws->members,    m,
        ws->trial,    ws->covering,   ws->vectors[0],  ws->vectors[1], ws->vectors[2],
        ws->row_gone, ws->column_gone};
    lcp_factors_load(&factors, t);
    Path path = {t, ws->candidates, PIVOT_ZERO, lcp_kernel_largest((size_t)problem->n, t->q),
                 0, LCP_BLOCK,      0};
    PathEnd end = follow(&path, ws->covering);
    t->factors = NULL;
    t->full = false;
    outcome->pivots += path.pivots;
    if (end != PATH_SOLVED || !lcp_finish(ws, problem, settings, NULL, z))
        return false;
    outcome->status = SPRAG_LCP_SOLVED;
    return true;
}

// The basis given, as it stands or after a few exchanges; true if that was enough.
static bool correct(SpragLcpWorkspace *ws, const SpragLcp *problem,
                    const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    int m;
    if (ws->tableau.block == 1)
        return lcp_basis_correct(ws, problem, settings, ws->trial, z, WARM_CORRECTIONS);
    if (lcp_basis_correct(ws, problem, settings, ws->trial, z, 1))
        return true;
    memcpy(ws->trial, ws->basis, (size_t)problem->n * sizeof *ws->trial);
    return lcp_basis_factor(ws, problem, ws->trial, &m) &&
           run_factored(ws, problem, settings, m, z, outcome);
}

// From start_z or the last basis; true if that was enough.
static bool run_warm(SpragLcpWorkspace *ws, const SpragLcp *problem,
                     const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    if (!settings->start_z && !(settings->warm && ws->has_basis))
        return false;
    if (settings->start_z)
        for (int i = 0; i < problem->n; i++)
            ws->basis[i] = settings->start_z[i] > 0;
    for (int i = 0; i < problem->n; i++)
        ws->covering[i] = 1;
    size_t bytes = (size_t)problem->n * sizeof *ws->trial;
    memcpy(ws->trial, ws->basis, bytes);
    outcome->starts++;
    if (correct(ws, problem, settings, z, outcome)) {
        if (outcome->pivots == 0)
            memcpy(ws->basis, ws->trial, bytes);
        ws->has_basis = true;
        outcome->status = SPRAG_LCP_SOLVED;
        outcome->warm_solved = true;
        return true;
    }
    memcpy(ws->trial, ws->basis, bytes);
    return run(ws, problem, settings, 0, ws->trial, z, outcome);
}

// The plain start of a small problem; false: not solved, begin in general.
static bool run_small(SpragLcpWorkspace *ws, const SpragLcp *problem,
                      const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    int pivots = 0;
    if (problem->n > LCP_SMALL ||
        !lcp_tableau_small(&ws->tableau, problem, PIVOT_ZERO, RATIO_TIE,
                           lcp_pivot_limit(settings, problem->n), &pivots) ||
        !lcp_finish(ws, problem, settings, NULL, z))
        return false;
    outcome->starts++;
    outcome->pivots += pivots;
    outcome->status = SPRAG_LCP_SOLVED;
    return true;
}

SpragStatus lcp_lemke(SpragLcpWorkspace *ws, const SpragLcp *problem,
                      const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    if (run_warm(ws, problem, settings, z, outcome) || run_small(ws, problem, settings, z, outcome))
        return SPRAG_OK;
    for (int start = 0; start < settings->max_starts; start++) {
        choose_covering(ws, problem, start, settings->seed);
        const bool *basis = start >= 2 && start % 2 == 1 ? ws->trial : NULL;
        if (run(ws, problem, settings, start, basis, z, outcome))
            return SPRAG_OK;
    }
    return SPRAG_OK;
}

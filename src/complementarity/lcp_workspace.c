// lcp_workspace.c: checks of an LCP, the default settings, the workspace of the solvers.
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

enum { SETTINGS_COOKIE = 0x4c435031, FIRST_ARENA_BYTES = 4096, VECTOR_COUNT = 10 };

SpragLcpSettings sprag_lcp_default(void)
{
    SpragLcpSettings settings = {0};
    settings.method = SPRAG_LCP_AUTO;
    settings.tolerance = 1e-9;
    settings.max_starts = 8;
    settings.seed = 1;
    settings.cookie = SETTINGS_COOKIE;
    return settings;
}

int lcp_pivot_limit(const SpragLcpSettings *settings, int n)
{
    return settings->max_pivots > 0 ? settings->max_pivots : 100 + 50 * n;
}

// Sum of 0 × entry: zero unless an entry is not finite.
static bool all_finite(size_t count, const double *values)
{
    double zero[4] = {0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (size_t l = 0; l < 4; l++)
            zero[l] += 0 * values[k + l];
    for (; k < count; k++)
        zero[0] += 0 * values[k];
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

static size_t first_not_finite(size_t count, const double *values)
{
    size_t k = 0;
    while (k < count && isfinite(values[k]))
        k++;
    return k;
}

SpragStatus sprag_lcp_check(SpragContext *context, const SpragLcp *problem)
{
    int n = problem->n;
    if (n < 1 || n > SPRAG_LCP_MAX_SIZE)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "an LCP needs a size from 1 to %d, got %d",
                          SPRAG_LCP_MAX_SIZE, n);
    if (!problem->M || !problem->q)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "an LCP needs M and q, got none");
    size_t entries = (size_t)n * (size_t)n;
    if (!all_finite(entries, problem->M)) {
        size_t k = first_not_finite(entries, problem->M);
        return sprag_fail(context, SPRAG_ERROR_INPUT, "M[%zu][%zu] must be finite, got %g",
                          k / (size_t)n, k % (size_t)n, problem->M[k]);
    }
    if (!all_finite((size_t)n, problem->q)) {
        size_t k = first_not_finite((size_t)n, problem->q);
        return sprag_fail(context, SPRAG_ERROR_INPUT, "q[%zu] must be finite, got %g", k,
                          problem->q[k]);
    }
    return SPRAG_OK;
}

SpragStatus lcp_check_settings(SpragContext *context, const SpragLcp *problem,
                               const SpragLcpSettings *settings)
{
    if (settings->cookie != SETTINGS_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "LCP settings must come from sprag_lcp_default");
    if ((unsigned)settings->method >= SPRAG_LCP_METHOD_COUNT)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "no LCP method has the number %d",
                          (int)settings->method);
    if (!(settings->tolerance > 0) || !isfinite(settings->tolerance))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "the tolerance must be > 0, got %g",
                          settings->tolerance);
    if (settings->max_pivots < 0 || settings->max_iterations < 0 || settings->max_nodes < 0 ||
        settings->max_starts < 1)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "limits must not be negative, and at least one start is needed");
    if (settings->start_z && !all_finite((size_t)problem->n, settings->start_z))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "start_z must be finite");
    return SPRAG_OK;
}

SpragStatus sprag_lcp_workspace_create(SpragContext *context, SpragLcpWorkspace **workspace)
{
    *workspace = NULL;
    SpragLcpWorkspace *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    SpragStatus status = sprag_arena_create(context, FIRST_ARENA_BYTES, &created->arena);
    if (status != SPRAG_OK) {
        sprag_free(context, created);
        return status;
    }
    *workspace = created;
    return SPRAG_OK;
}

void sprag_lcp_workspace_destroy(SpragLcpWorkspace *workspace)
{
    if (!workspace)
        return;
    SpragContext *context = workspace->context;
    sprag_lcp_all_destroy(workspace->all);
    sprag_arena_destroy(workspace->arena);
    sprag_free(context, workspace->double_block);
    sprag_free(context, workspace->int_block);
    sprag_free(context, workspace->bool_block);
    sprag_free(context, workspace);
}

static double *take(double **next, size_t count)
{
    double *taken = *next;
    *next += count;
    return taken;
}

static void carve(SpragLcpWorkspace *workspace, int n)
{
    size_t rows = (size_t)n;
    double *next = workspace->double_block;
    double *tableau = take(&next, lcp_tableau_doubles(n));
    lcp_tableau_carve(&workspace->tableau, n, tableau, workspace->int_block);
    workspace->matrix = take(&next, rows * (size_t)lcp_lu_row_length(n));
    workspace->panel = take(&next, (rows + 4) * LCP_BLOCK);
    workspace->row = take(&next, (size_t)workspace->tableau.ld);
    for (int k = 0; k < VECTOR_COUNT; k++)
        workspace->vectors[k] = take(&next, rows);
    workspace->best_z = take(&next, rows);
    workspace->judged_w = workspace->vectors[VECTOR_COUNT - 1];
    workspace->covering = take(&next, rows);
    workspace->row_scale = take(&next, rows);
    workspace->column_scale = take(&next, rows);
    int *ints = workspace->int_block + lcp_tableau_ints(n);
    workspace->candidates = ints;
    workspace->members = ints + n + 1;
    workspace->permutation = ints + 2 * n + 1;
    workspace->basis = workspace->bool_block;
    workspace->trial = workspace->bool_block + n;
    workspace->row_gone = workspace->bool_block + 2 * n;
    workspace->column_gone = workspace->bool_block + 3 * n + 1;
    workspace->n = n;
    workspace->has_basis = false;
}

SpragStatus lcp_workspace_fit(SpragLcpWorkspace *workspace, int n)
{
    if (workspace->n == n)
        return SPRAG_OK;
    workspace->n = 0;
    SpragContext *context = workspace->context;
    size_t rows = (size_t)n;
    size_t doubles = lcp_tableau_doubles(n) + rows * (size_t)lcp_lu_row_length(n) +
                     (rows + 4) * LCP_BLOCK + (VECTOR_COUNT + 4) * rows + rows + 64;
    SPRAG_TRY(sprag_reserve(context, &workspace->double_block, &workspace->double_capacity, doubles,
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(context, &workspace->int_block, &workspace->int_capacity,
                            lcp_tableau_ints(n) + 3 * rows + 1, sizeof(int)));
    SPRAG_TRY(sprag_reserve(context, &workspace->bool_block, &workspace->bool_capacity,
                            4 * rows + 2, sizeof(bool)));
    carve(workspace, n);
    return SPRAG_OK;
}

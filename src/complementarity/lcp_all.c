// lcp_all.c: every solution of an LCP.
// Problem   all z >= 0 with w = M z + q >= 0 and z'w = 0 (theory.md 3.2): isolated points and
//           continua
// Method    powers of two scale the problem, so that tolerances are relative; depth-first search
//           over the pairs (lcp_all_search.c) whose leaves are points or polyhedra
//           (lcp_all_leaf.c)
// Assumes   nothing about M. The work can be 2^n; limits stop it, and `complete` says so
// Result    maximal convex sets (lcp_sets.c), in the order of the search
#include <math.h>

#include "lcp_all_internal.h"

enum { SEARCH_MAX_SIZE = 200, ALL_COOKIE = 0x4c434131 };

SpragLcpAllSettings sprag_lcp_all_default(void)
{
    SpragLcpAllSettings settings = {1e-9, 20000, 200000000, 0, 4096, ALL_COOKIE};
    return settings;
}

const char *sprag_lcp_verdict_name(SpragLcpVerdict verdict)
{
    static const char *const names[] = {
#define NAME(id, name) name,
        SPRAG_LCP_VERDICT_LIST(NAME)
#undef NAME
    };
    return (unsigned)verdict < SPRAG_LCP_VERDICT_COUNT ? names[verdict] : "?";
}

// ---- Set-up -------------------------------------------------------------------------------------

SpragStatus sprag_lcp_all_create(SpragContext *context, SpragLcpAll **all)
{
    *all = NULL;
    SpragLcpAll *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = created->store.context = created->cone.context = context;
    SpragStatus status = sprag_arena_create(context, 1 << 16, &created->arena);
    if (status == SPRAG_OK)
        status = sprag_lcp_workspace_create(context, &created->workspace);
    if (status != SPRAG_OK) {
        sprag_lcp_all_destroy(created);
        return status;
    }
    *all = created;
    return SPRAG_OK;
}

void sprag_lcp_all_destroy(SpragLcpAll *all)
{
    if (!all)
        return;
    lcp_store_destroy(&all->store);
    lcp_cone_destroy(&all->cone);
    sprag_lcp_workspace_destroy(all->workspace);
    sprag_arena_destroy(all->arena);
    sprag_free(all->context, all);
}

static bool carve_level(SpragLcpAll *all, LcpLevel *level, int columns)
{
    size_t n = (size_t)all->n, count = (size_t)columns;
    level->columns = sprag_arena_alloc(all->arena, count + 1, sizeof *level->columns);
    level->column_variable = sprag_arena_alloc(all->arena, count + 1, sizeof(int));
    level->row_variable = sprag_arena_alloc(all->arena, n, sizeof(int));
    level->storage =
        sprag_arena_alloc(all->arena, (count + 1) * (size_t)all->stride, sizeof(double));
    return level->columns && level->column_variable && level->row_variable && level->storage;
}

// A child never has more columns than its parent, and one less unless its row was redundant; those
// cases share the parent's columns, so storage for n − depth new columns suffices.
static SpragStatus carve(SpragLcpAll *all)
{
    size_t n = (size_t)all->n;
    double **vectors[] = {&all->row_scale, &all->column_scale, &all->most, &all->least};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = sprag_arena_alloc(all->arena, (size_t)all->stride, sizeof(double));
        if (!*vectors[k])
            return SPRAG_ERROR_MEMORY;
    }
    all->levels = sprag_arena_alloc(all->arena, n + 3, sizeof *all->levels);
    all->choice = sprag_arena_alloc(all->arena, n, sizeof *all->choice);
    all->strict = sprag_arena_alloc(all->arena, n, sizeof *all->strict);
    all->cone_rows = sprag_arena_alloc(all->arena, n * (n + 1), sizeof(double));
    all->cone_scratch = sprag_arena_alloc(all->arena, (n + 1) * (n + 1), sizeof(double));
    if (!all->levels || !all->choice || !all->strict || !all->cone_rows || !all->cone_scratch)
        return SPRAG_ERROR_MEMORY;
    for (int depth = 0; depth < all->n + 3; depth++)
        if (!carve_level(all, &all->levels[depth], all->n))
            return SPRAG_ERROR_MEMORY;
    return SPRAG_OK;
}

// The root: w in terms of z, scaled.
static void load(SpragLcpAll *all)
{
    const SpragLcp *problem = all->problem;
    size_t n = (size_t)all->n, stride = (size_t)all->stride;
    LcpLevel *root = &all->levels[0];
    lcp_equilibrate(problem, all->row_scale, all->column_scale);
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, all->row_scale[i] * fabs(problem->q[i]));
    all->scale = largest > 0 ? largest : 1;
    root->column_count = all->n;
    root->q = root->storage + n * stride;
    for (size_t j = 0; j < n; j++) {
        root->columns[j] = root->storage + j * stride;
        root->column_variable[j] = all->n + (int)j;
        root->row_variable[j] = (int)j;
        root->q[j] = all->row_scale[j] * problem->q[j] / all->scale;
        for (size_t i = 0; i < n; i++)
            root->columns[j][i] = all->row_scale[i] * problem->M[i * n + j] * all->column_scale[j];
    }
}

static SpragStatus check_settings(SpragLcpAll *all, const SpragLcpAllSettings *settings)
{
    if (settings->cookie != ALL_COOKIE)
        return sprag_fail(all->context, SPRAG_ERROR_ARGUMENT,
                          "settings must come from sprag_lcp_all_default");
    if (!(settings->tolerance > 0) || !isfinite(settings->tolerance) || settings->max_sets < 1 ||
        settings->max_nodes < 1 || !(settings->max_seconds >= 0) || settings->max_generators < 1)
        return sprag_fail(all->context, SPRAG_ERROR_INPUT,
                          "tolerance and limits of the lcp_all_search must be positive");
    return SPRAG_OK;
}

SpragStatus sprag_lcp_all_solve(SpragLcpAll *all, const SpragLcp *problem,
                                const SpragLcpAllSettings *settings)
{
    SpragLcpAllSettings chosen = settings ? *settings : sprag_lcp_all_default();
    SPRAG_TRY(check_settings(all, &chosen));
    SPRAG_TRY(sprag_lcp_check(all->context, problem));
    SPRAG_TRY(lcp_workspace_fit(all->workspace, problem->n));
    all->problem = problem;
    all->settings = chosen;
    all->n = problem->n;
    all->stride = (problem->n + 3) / 4 * 4;
    all->nodes = 0;
    all->stopped = false;
    all->complete = true;
    all->deadline = chosen.max_seconds > 0 ? lcp_all_now() + chosen.max_seconds : 0;
    double largest = 0;
    for (int i = 0; i < problem->n; i++)
        largest = fmax(largest, fabs(problem->q[i]));
    lcp_store_clear(&all->store, problem->n, chosen.tolerance * (1 + largest));
    if (problem->n > SEARCH_MAX_SIZE) {
        all->complete = false;
        return lcp_store_finish(&all->store);
    }
    SpragArenaMark mark = sprag_arena_mark(all->arena);
    SpragStatus status = carve(all);
    if (status == SPRAG_OK) {
        load(all);
        status = lcp_all_search(all, 0, all->n);
    }
    sprag_arena_release(all->arena, mark);
    return status == SPRAG_OK ? lcp_store_finish(&all->store) : status;
}

// ---- Answers ------------------------------------------------------------------------------------

int sprag_lcp_all_count(const SpragLcpAll *all)
{
    return (int)all->store.view_count;
}

const SpragLcpSet *sprag_lcp_all_get(const SpragLcpAll *all, int set)
{
    return set >= 0 && set < sprag_lcp_all_count(all) ? &all->store.views[set] : NULL;
}

bool sprag_lcp_all_complete(const SpragLcpAll *all)
{
    return all->complete;
}

int64_t sprag_lcp_all_nodes(const SpragLcpAll *all)
{
    return all->nodes;
}

SpragLcpVerdict sprag_lcp_all_verdict(const SpragLcpAll *all)
{
    int count = sprag_lcp_all_count(all);
    for (int k = 0; k < count; k++)
        if (all->store.views[k].dimension > 0)
            return SPRAG_LCP_VERDICT_INFINITE;
    if (count > 1)
        return SPRAG_LCP_VERDICT_MULTIPLE;
    if (!all->complete)
        return SPRAG_LCP_VERDICT_UNKNOWN;
    return count == 1 ? SPRAG_LCP_VERDICT_UNIQUE : SPRAG_LCP_VERDICT_NONE;
}

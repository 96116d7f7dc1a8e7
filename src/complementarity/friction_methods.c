// friction_methods.c: the table of methods, the workspace, and the default that combines them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "friction_internal.h"

enum { SETTINGS_COOKIE = 0x46524331, FIRST_ARENA_BYTES = 1 << 16 };
// Limits of one method where the settings give none.
enum {
    SWEEPS = 20000,
    GRADIENT_STEPS = 20000,
    NEWTON_STEPS = 60,
    PATH_STEPS = 60,
    FLOW_STEPS = 4200
};
static const SpragFrictionMethodInfo methods[] = {
#define METHOD_ROW(id, name, needs, promises) {SPRAG_FRICTION_##id, name, needs, promises},
    SPRAG_FRICTION_METHOD_LIST(METHOD_ROW)
#undef METHOD_ROW
};

const SpragFrictionMethodInfo *sprag_friction_method_get(int method)
{
    return method >= 0 && method < SPRAG_FRICTION_METHOD_COUNT ? &methods[method] : NULL;
}

SpragFrictionMethod sprag_friction_method_by_name(const char *name)
{
    int method = 0;
    while (method < SPRAG_FRICTION_METHOD_COUNT && strcmp(methods[method].name, name) != 0)
        method++;
    return (SpragFrictionMethod)method;
}

static const char *const status_names[] = {
#define STATUS_NAME(id, name, text) name,
    SPRAG_FRICTION_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};
static const char *const status_texts[] = {
#define STATUS_TEXT(id, name, text) text,
    SPRAG_FRICTION_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
};

const char *sprag_friction_status_name(SpragFrictionStatus status)
{
    return (unsigned)status < SPRAG_FRICTION_STATUS_COUNT ? status_names[status] : "?";
}

const char *sprag_friction_status_text(SpragFrictionStatus status)
{
    return (unsigned)status < SPRAG_FRICTION_STATUS_COUNT ? status_texts[status] : "?";
}

SpragFrictionSettings sprag_friction_default(void)
{
    SpragFrictionSettings settings = {0};
    settings.method = SPRAG_FRICTION_AUTO;
    settings.tolerance = 1e-8;
    settings.sides = 8;
    settings.cookie = SETTINGS_COOKIE;
    return settings;
}

// ---- Workspace ----------------------------------------------------------------------------------

SpragStatus sprag_friction_workspace_create(SpragContext *context,
                                            SpragFrictionWorkspace **workspace)
{
    *workspace = sprag_alloc(context, 1, sizeof **workspace);
    if (!*workspace)
        return SPRAG_ERROR_MEMORY;
    (*workspace)->context = context;
    SpragStatus status = sprag_arena_create(context, FIRST_ARENA_BYTES, &(*workspace)->arena);
    if (status == SPRAG_OK)
        status = sprag_sparse_lu_create(context, &(*workspace)->lu);
    if (status != SPRAG_OK) {
        sprag_friction_workspace_destroy(*workspace);
        *workspace = NULL;
    }
    return status;
}

void sprag_friction_workspace_destroy(SpragFrictionWorkspace *workspace)
{
    if (!workspace)
        return;
    sprag_lcp_workspace_destroy(workspace->lcp);
    sprag_sparse_lu_destroy(workspace->lu);
    sprag_arena_destroy(workspace->arena);
    sprag_free(workspace->context, workspace->packed.bodies);
    sprag_free(workspace->context, workspace->packed.place);
    sprag_free(workspace->context, workspace);
}

// ---- Solution -----------------------------------------------------------------------------------

// One method. In the plane polygons are exact, so that rounding alone can fail Lemke's method:
// other units of the forces are tried then, theory.md 11.9.
static SpragStatus solve_by(Friction *f, SpragFrictionMethod method, SpragFrictionInfo *info)
{
    static const int limits[] = {0,          SWEEPS, GRADIENT_STEPS, NEWTON_STEPS,
                                 PATH_STEPS, 1,      FLOW_STEPS};
    if (method != SPRAG_FRICTION_LCP)
        return friction_run(f, method, friction_limit(f, limits[method]), 1, info);
    SPRAG_TRY(friction_run(f, method, f->settings.sides, 1, info));
    if (f->d == 3 || f->best_residual <= f->settings.tolerance)
        return SPRAG_OK;
    f->scaled_polygons = true;
    return friction_run(f, method, f->settings.sides, 1, info);
}

static SpragStatus solve(Friction *f, double *r, SpragFrictionInfo *info)
{
    SpragFrictionMethod method = f->settings.method;
    SPRAG_TRY(friction_set_up(f));
    for (size_t k = 0; f->settings.warm && k < f->size; k++)
        f->r[k] = f->dead[k] ? 0 : r[k];
    SPRAG_TRY(method == SPRAG_FRICTION_AUTO ? friction_auto(f, info) : solve_by(f, method, info));
    memcpy(r, f->best, f->size * sizeof *r);
    return SPRAG_OK;
}

static SpragStatus check(SpragFrictionWorkspace *workspace, const SpragFrictionProblem *problem,
                         const SpragFrictionSettings *settings)
{
    SpragContext *context = workspace->context;
    SPRAG_TRY(sprag_friction_check(context, problem));
    if (settings->cookie != SETTINGS_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "friction settings must begin as sprag_friction_default()");
    if (!(settings->tolerance > 0) || (unsigned)settings->method >= SPRAG_FRICTION_METHOD_COUNT ||
        settings->sides < 3 || settings->sides > 64 || settings->max_iterations < 0)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a friction method, tolerance > 0 and 3 to 64 sides are needed");
    double asymmetry = sprag_friction_asymmetry(problem);
    bool needs = settings->method == SPRAG_FRICTION_GRADIENT;
    if (needs && asymmetry > 1e-3)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "W must be symmetric for the method '%s': it differs from its transpose "
                          "by %.2g of its largest entry",
                          methods[settings->method].name, asymmetry);
    return SPRAG_OK;
}

SpragStatus sprag_friction_solve(SpragFrictionWorkspace *workspace,
                                 const SpragFrictionProblem *problem,
                                 const SpragFrictionSettings *settings, double *r, double *u,
                                 SpragFrictionInfo *info)
{
    Friction f = {.workspace = workspace, .problem = problem};
    f.settings = settings ? *settings : sprag_friction_default();
    memset(info, 0, sizeof *info);
    SPRAG_TRY(check(workspace, problem, &f.settings));
    SpragArenaMark mark = sprag_arena_mark(workspace->arena);
    SpragStatus status = solve(&f, r, info);
    if (status == SPRAG_OK) {
        sprag_friction_velocity(problem, r, u, f.velocity);
        info->residual = sprag_friction_residual(problem, r, u);
        info->method = f.best_method;
        info->iterations = f.iterations;
        info->factorizations = f.factorizations;
        // the judge may differ from the method's own sums by rounding
        if (info->residual.natural <= f.settings.tolerance * (1 + 1e-6))
            info->status = SPRAG_FRICTION_SOLVED;
        else if (info->status == SPRAG_FRICTION_SOLVED)
            info->status = SPRAG_FRICTION_STALLED;
    }
    sprag_arena_release(workspace->arena, mark);
    return status;
}

// friction_methods.c: the table of methods, the workspace, and the default that combines them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "friction_internal.h"

enum { SETTINGS_COOKIE = 0x46524331, FIRST_ARENA_BYTES = 1 << 16 };
// Limits of one method where the settings give none.
enum { SWEEPS = 20000, GRADIENT_STEPS = 20000, NEWTON_STEPS = 60, PATH_STEPS = 60 };
// Factorisations of the default's proximal points, and along its smooth path.
enum { PROXIMAL_STEPS = 150, SMOOTH_STEPS = 600 };
// Proximal points begin with what paths have found where that has a smaller residual.
static const double CLOSE = 1e-3;
// Polygons are for problems with up to this many rows of their LCP.
enum { POLYGON_ROWS = 2000, MANY_ROWS = 1000 };

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
    sprag_free(workspace->context, workspace);
}

// ---- Set-up -------------------------------------------------------------------------------------

static void *allocate(Friction *f, size_t count, size_t size)
{
    return sprag_arena_alloc(f->workspace->arena, count + 1, size);
}

static bool has_block(const SpragFrictionProblem *problem, size_t i, size_t j)
{
    size_t d = (size_t)problem->dimension, n = d * (size_t)problem->contact_count;
    for (size_t e = 0; e < d * d; e++) {
        size_t row = e / d, column = e % d;
        if (problem->W[(i * d + row) * n + j * d + column] != 0 ||
            problem->W[(j * d + row) * n + i * d + column] != 0)
            return true;
    }
    return i == j;
}

// Blocks of a dense W that are not zero.
static SpragStatus find_blocks(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    size_t c = (size_t)f->c, d = (size_t)f->d, n = f->size, count = 0;
    for (size_t i = 0; i < c; i++)
        for (size_t j = 0; j < c; j++)
            count += has_block(problem, i, j);
    int *row_start = allocate(f, c + 1, sizeof *row_start);
    int *column = allocate(f, count, sizeof *column);
    double *blocks = allocate(f, count * d * d, sizeof *blocks);
    if (!row_start || !column || !blocks)
        return SPRAG_ERROR_MEMORY;
    size_t k = 0;
    for (size_t i = 0; i < c; i++) {
        for (size_t j = 0; j < c; j++) {
            if (!has_block(problem, i, j))
                continue;
            column[k] = (int)j;
            for (size_t e = 0; e < d * d; e++)
                blocks[k * d * d + e] = problem->W[(i * d + e / d) * n + j * d + e % d];
            k++;
        }
        row_start[i + 1] = (int)k;
    }
    f->row_start = row_start;
    f->column = column;
    f->blocks = blocks;
    return SPRAG_OK;
}

static void take_diagonal(Friction *f, size_t i)
{
    size_t d = (size_t)f->d;
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++)
        if (f->column[k] == (int)i)
            memcpy(f->diagonal + i * d * d, f->blocks + (size_t)k * d * d, d * d * sizeof(double));
}

// M⁻¹ Jᵀ and W_ii = J M⁻¹ Jᵀ of one contact.
static inline void make_sized(Friction *f, size_t i, size_t d, size_t m)
{
    double *W = f->diagonal + i * d * d;
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *inverse = f->problem->inverse_inertia + (size_t)body * m * m;
        const double *J = f->problem->jacobian + (2 * i + side) * d * m;
        double *MJ = f->MJ + (2 * i + side) * d * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                for (size_t e = 0; e < m; e++)
                    MJ[a * m + k] += inverse[k * m + e] * J[a * m + e];
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                for (size_t e = 0; e < m; e++)
                    W[a * d + b] += J[a * m + e] * MJ[b * m + e];
    }
}

static void make_diagonal(Friction *f, size_t i)
{
    // sizes as constants: the compiler unrolls the loops
    if (f->d == 3 && f->body_size == 6)
        make_sized(f, i, 3, 6);
    else if (f->d == 2 && f->body_size == 3)
        make_sized(f, i, 2, 3);
    else
        make_sized(f, i, (size_t)f->d, (size_t)f->body_size);
}

static SpragStatus set_up_bodies(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    f->body_size = problem->body_size;
    f->MJ = allocate(f, 2 * f->size * (size_t)f->body_size, sizeof(double));
    f->velocity = allocate(f, (size_t)problem->body_count * (size_t)f->body_size, sizeof(double));
    return f->MJ && f->velocity ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Whether row a of contact i of W is zero throughout.
static bool is_dead(const Friction *f, size_t i, size_t a)
{
    size_t d = (size_t)f->d, m = (size_t)f->body_size;
    if (f->bodies) {
        for (size_t k = 0; k < 2 * m; k++)
            if (f->MJ[((2 * i + k / m) * d + a) * m + k % m] != 0)
                return false;
        return true;
    }
    for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++)
        for (size_t b = 0; b < d; b++)
            if (f->blocks[((size_t)k * d + a) * d + b] != 0)
                return false;
    return true;
}

static void find_dead(Friction *f)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            continue;
        f->joints++;
        for (size_t a = 0; a < d; a++)
            f->dead[i * d + a] = is_dead(f, i, a);
    }
}

static void find_weights(Friction *f)
{
    size_t d = (size_t)f->d;
    double sum = 0, q = 0;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->bodies)
            make_diagonal(f, i);
        else
            take_diagonal(f, i);
        if (d == 3)
            friction_contact_invert(f->diagonal + i * d * d, f->inverse + i * d * d);
        for (size_t k = 0; k < d; k++)
            f->weight[i] += f->diagonal[(i * d + k) * d + k] / (double)d;
        sum += fmax(0, f->weight[i]) / f->c;
    }
    // a contact that nothing can move counts as an average one
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (!(f->weight[i] > 1e-14 * sum))
            f->weight[i] = sum > 0 ? sum : 1;
    for (size_t k = 0; k < f->size; k++)
        q += f->q[k] * f->q[k];
    f->norm_q = q > 0 ? sqrt(q) : 1;
}

static SpragStatus set_up(Friction *f)
{
    const SpragFrictionProblem *problem = f->problem;
    size_t d = (size_t)problem->dimension, c = (size_t)problem->contact_count;
    f->d = problem->dimension;
    f->c = problem->contact_count;
    f->size = d * c;
    f->q = problem->q;
    f->mu = problem->friction;
    f->bodies = problem->storage == SPRAG_FRICTION_BODIES;
    f->best_residual = INFINITY;
    f->best_method = f->settings.method;
    double **arrays[] = {&f->weight, &f->slip, &f->r, &f->u, &f->best, &f->diagonal, &f->inverse};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = allocate(f, k < 2 ? c : k < 5 ? f->size : c * d * d, sizeof(double));
        if (!*arrays[k])
            return SPRAG_ERROR_MEMORY;
    }
    f->kind = allocate(f, c, sizeof *f->kind);
    f->dead = allocate(f, f->size, sizeof *f->dead);
    if (!f->kind || !f->dead)
        return SPRAG_ERROR_MEMORY;
    if (problem->kinds)
        memcpy(f->kind, problem->kinds, c * sizeof *f->kind);
    if (f->bodies) {
        SPRAG_TRY(set_up_bodies(f));
    } else if (problem->storage == SPRAG_FRICTION_DENSE) {
        SPRAG_TRY(find_blocks(f));
    } else {
        f->row_start = problem->row_start;
        f->column = problem->column;
        f->blocks = problem->blocks;
    }
    find_weights(f);
    find_dead(f);
    return SPRAG_OK;
}

// ---- Methods ------------------------------------------------------------------------------------

static int limit_of(const Friction *f, int own)
{
    return f->settings.max_iterations > 0 ? f->settings.max_iterations : own;
}

static void note(Friction *f, SpragFrictionInfo *info, SpragFrictionStep step)
{
    step.residual = f->best_residual;
    info->status = step.status;
    if (info->step_count < SPRAG_FRICTION_MAX_STEPS)
        info->steps[info->step_count++] = step;
}

// Runs one method from f->r. limit: of iterations; of sides for the method lcp.
static SpragStatus run(Friction *f, SpragFrictionMethod method, int limit, double progress,
                       SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = method, .status = SPRAG_FRICTION_LIMIT};
    int *done = &step.iterations;
    SpragStatus status = SPRAG_OK;
    switch (method) {
    case SPRAG_FRICTION_GRADIENT:
        status = friction_gradient(f, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_NEWTON:
        status = friction_newton(f, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_INTERIOR:
        status = friction_interior(f, FRICTION_PATHS_ALL, limit, &step.status, done);
        break;
    case SPRAG_FRICTION_LCP:
        status = friction_lcp(f, limit, f->scaled_polygons, &step.status, done);
        break;
    default:
        step.status = friction_gauss_seidel(f, limit, progress, done);
        break;
    }
    note(f, info, step);
    return status;
}

static bool is_done(const Friction *f)
{
    return f->best_residual <= f->settings.tolerance;
}

static void go_back(Friction *f)
{
    memcpy(f->r, f->best, f->size * sizeof *f->r);
}

static SpragStatus run_from_best(Friction *f, SpragFrictionMethod method, int limit,
                                 SpragFrictionInfo *info)
{
    if (is_done(f))
        return SPRAG_OK;
    go_back(f);
    return run(f, method, limit_of(f, limit), 1, info);
}

// Some of the interior paths, from the best point.
static SpragStatus run_paths(Friction *f, FrictionPaths paths, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_INTERIOR};
    if (is_done(f))
        return SPRAG_OK;
    go_back(f);
    SpragStatus status =
        friction_interior(f, paths, limit_of(f, PATH_STEPS), &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

static SpragStatus run_proximal(Friction *f, const double *start, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_NEWTON};
    if (is_done(f))
        return SPRAG_OK;
    memcpy(f->r, start, f->size * sizeof *f->r);
    SpragStatus status =
        friction_proximal(f, limit_of(f, PROXIMAL_STEPS), &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

static SpragStatus run_smooth(Friction *f, SpragFrictionInfo *info)
{
    SpragFrictionStep step = {.method = SPRAG_FRICTION_INTERIOR};
    if (is_done(f))
        return SPRAG_OK;
    SpragStatus status =
        friction_smooth(f, limit_of(f, SMOOTH_STEPS), &step.status, &step.iterations);
    note(f, info, step);
    return status;
}

// A solution with polygons exists and Lemke's method finds it (theory.md 11.2): in the plane that
// is all; in space polygons are turned to what was found, and Newton's method does the rest.
static SpragStatus run_polygons(Friction *f, SpragFrictionInfo *info)
{
    // one path of Lemke's method in a thousand rows takes seconds
    bool large = (f->c - f->joints) * (2 + f->settings.sides) > MANY_ROWS;
    double before = INFINITY;
    for (int k = 0; k < (f->d == 2 || large ? 2 : 6) && !is_done(f); k++) {
        // plain and scaled ones have brought nothing: more sides will not
        if (k % 2 == 0 && f->best_residual >= before)
            break;
        before = k % 2 == 0 ? f->best_residual : before;
        int sides = f->settings.sides << (k / 2);
        f->scaled_polygons = k % 2 == 1;
        bool many = sides > 64 || (f->c - f->joints) * (2 + sides) > POLYGON_ROWS;
        SPRAG_TRY(run(f, SPRAG_FRICTION_LCP, many ? f->settings.sides : sides, 1, info));
        if (!is_done(f))
            SPRAG_TRY(run(f, SPRAG_FRICTION_NEWTON, limit_of(f, 25), 1, info));
        if (f->d == 3 && !is_done(f))
            SPRAG_TRY(run(f, SPRAG_FRICTION_GAUSS_SEIDEL, limit_of(f, 20), 1, info));
    }
    return SPRAG_OK;
}

static bool suits_polygons(const Friction *f)
{
    return (f->c - f->joints) * (f->d == 2 ? 4 : 2 + f->settings.sides) <= POLYGON_ROWS;
}

// Sweeps while they pay, Newton where they stop paying, an interior path and proximal points where
// Newton loses its way; then what is sure and dear.
static SpragStatus run_auto(Friction *f, SpragFrictionInfo *info)
{
    double *swept = allocate(f, f->size, sizeof *swept);
    if (!swept)
        return SPRAG_ERROR_MEMORY;
    f->plain_sweeps = true;
    SPRAG_TRY(run(f, SPRAG_FRICTION_GAUSS_SEIDEL, limit_of(f, 200), 0.9, info));
    memcpy(swept, f->r, f->size * sizeof *swept);
    f->hasty = true;
    if (!is_done(f))
        SPRAG_TRY(run(f, SPRAG_FRICTION_NEWTON, limit_of(f, 15), 1, info));
    f->hasty = false;
    SPRAG_TRY(run_paths(f, FRICTION_PATHS_DAMPED, info));
    if (f->c <= MANY_CONTACTS) {
        SPRAG_TRY(run_smooth(f, info));
        SPRAG_TRY(run_paths(f, FRICTION_PATHS_FIRST, info));
    }
    if (f->best_residual < CLOSE)
        SPRAG_TRY(run_proximal(f, f->best, info));
    SPRAG_TRY(run_proximal(f, swept, info));
    SPRAG_TRY(run_paths(f, FRICTION_PATHS_OTHER, info));
    // from the same point they would only do the same again
    double before = INFINITY;
    for (int k = 0; k < 3 && f->best_residual < fmin(CLOSE, before); k++) {
        before = f->best_residual;
        SPRAG_TRY(run_proximal(f, f->best, info));
    }
    if (!is_done(f) && suits_polygons(f)) {
        go_back(f);
        SPRAG_TRY(run_polygons(f, info));
    }
    f->plain_sweeps = false;
    for (int k = 0; k < 3; k++) {
        SPRAG_TRY(run_from_best(f, SPRAG_FRICTION_GAUSS_SEIDEL, 500 << (2 * k), info));
        SPRAG_TRY(run_from_best(f, SPRAG_FRICTION_NEWTON, 25, info));
    }
    return SPRAG_OK;
}

static SpragStatus solve(Friction *f, double *r, SpragFrictionInfo *info)
{
    static const int limits[] = {0, SWEEPS, GRADIENT_STEPS, NEWTON_STEPS, PATH_STEPS, 1};
    SpragFrictionMethod method = f->settings.method;
    SPRAG_TRY(set_up(f));
    for (size_t k = 0; f->settings.warm && k < f->size; k++)
        f->r[k] = f->dead[k] ? 0 : r[k];
    SPRAG_TRY(
        method == SPRAG_FRICTION_AUTO
            ? run_auto(f, info)
            : run(f, method,
                  method == SPRAG_FRICTION_LCP ? f->settings.sides : limit_of(f, limits[method]), 1,
                  info));
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

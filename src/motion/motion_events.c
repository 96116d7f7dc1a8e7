// motion_events.c: the functions whose zeros end a mode, theory.md 14.2 and (14.4), and their first
// root.
#include <math.h>

#include "motion_private.h"
#include "sprag/complementarity.h"

enum { MOST_BISECTIONS = 60 };

// σ of theory.md (14.4): the largest s ≤ 1 so that some forces of the mode stay inside their cones
// by s times the force scale. Negative: the mode has no admissible forces.
static SpragStatus margin(SpragRun *run, double *sigma)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int k = f->unknown_count, rows = f->row_count, m = 0;
    size_t most = 3 * (size_t)k + 2 + (size_t)k;
    double *A = sprag_arena_alloc(run->arena, most * (size_t)(k + 1), sizeof *A);
    double *b = sprag_arena_alloc(run->arena, most, sizeof *b);
    double *c = sprag_arena_alloc(run->arena, (size_t)k + 1, sizeof *c);
    double *x = sprag_arena_alloc(run->arena, (size_t)k + 1, sizeof *x);
    if (!A || !b || !c || !x)
        return SPRAG_ERROR_MEMORY;
    int w = k + 1; // forces in units of the force scale, then σ
    for (int i = 0; i < k; i++) {
        const Unknown *u = &f->unknowns[i];
        if (!u->tangential) {
            A[m * w + i] = -1; // λN ≥ σ
            A[m++ * w + k] = 1;
            continue;
        }
        for (int sign = -1; sign <= 1; sign += 2) {
            A[m * w + i - 1] = -e->friction[2 * u->contact]; // μ λN ± λT ≥ σ
            A[m * w + i] = sign;
            A[m++ * w + k] = 1;
        }
    }
    A[m * w + k] = 1;
    b[m++] = 1;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            const Unknown *u = &f->unknowns[j];
            double entry = e->W[f->unknowns[i].row * rows + u->row];
            if (!u->tangential && f->sliding[u->contact] && f->rows[u->contact] > 1)
                entry -= f->sign[u->contact] * e->friction[2 * u->contact + 1] *
                         e->W[f->unknowns[i].row * rows + u->row + 1];
            A[(m + i) * w + j] = entry;
        }
        b[m + i] = -e->b[f->unknowns[i].row] / run->force_scale;
    }
    c[k] = 1;
    SpragLp program = {w, m, k, A, b, c};
    SpragLpStatus status;
    SPRAG_TRY(sprag_lp_solve(run->arena, &program, 1e-9, x, sigma, &status));
    if (status != SPRAG_LP_OPTIMAL)
        *sigma = -1;
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

static double active_value(const SpragRun *run, const EventFunction *g)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double normal = e->force[f->first[g->index]];
    switch (g->kind) {
    case FUNCTION_NORMAL:
        return normal;
    case FUNCTION_CONE_PLUS:
        return e->friction[2 * g->index] * normal - e->force[f->first[g->index] + 1];
    case FUNCTION_CONE_MINUS:
        return e->friction[2 * g->index] * normal + e->force[f->first[g->index] + 1];
    case FUNCTION_SURFACE:
        return e->held[g->index];
    case FUNCTION_SLIP:
        return f->sign[g->index] * e->slip[g->index];
    default:
        return e->determinant;
    }
}

SpragStatus events_values(SpragRun *run, double t, const double *y, double *values)
{
    Frozen *f = &run->frozen;
    // gaps of open contacts come first in the list; now.gap is free until the mode is evaluated
    SpragSystemSample gaps = {.gap = run->now.gap, .gap_rate = run->now.gap_rate};
    if (f->open_count > 0)
        SPRAG_TRY(
            sprag_system_sample(run->system, t, y, y + run->n, f->open_count, f->open, &gaps));
    int i = 0;
    for (; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        int index = f->functions[i].index;
        bool rate = sprag_system_contact_is_velocity_level(run->system, f->open[index]);
        values[i] = rate ? run->now.gap_rate[index] : fmin(run->now.gap[index], run->far);
    }
    if (i == f->function_count)
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, t, y));
    for (; i < f->function_count; i++) {
        if (f->functions[i].kind == FUNCTION_MARGIN)
            SPRAG_TRY(margin(run, &values[i]));
        else
            values[i] = active_value(run, &f->functions[i]);
    }
    return SPRAG_OK;
}

static int values_on_arc(double t, double *values, void *user)
{
    SpragRun *run = user;
    if (sprag_integrator_evaluate(run->integrator, t, run->scratch) != SPRAG_OK)
        return -1;
    SpragStatus status = events_values(run, t, run->scratch, values);
    return status == SPRAG_OK ? 0 : status == SPRAG_ERROR_NUMERIC ? 1 : -1;
}

bool events_fired(const SpragRun *run, FunctionKind kind)
{
    for (int i = 0; i < run->frozen.function_count; i++)
        if (run->frozen.fired[i] && run->frozen.functions[i].kind == kind)
            return true;
    return false;
}

// Contacts that are clearly on the wrong side at t: open ones that overlap, sliding ones that slip
// backwards. They show a root that was missed: a function that is zero at the start of an arc and
// returns at once.
static SpragStatus find_violations(SpragRun *run, double t, double *values, int *fired, bool *any)
{
    const Frozen *f = &run->frozen;
    *any = false;
    if (values_on_arc(t, values, run) < 0)
        return SPRAG_ERROR_CALLBACK;
    for (int i = 0; i < f->function_count; i++) {
        FunctionKind kind = f->functions[i].kind;
        bool counts = kind == FUNCTION_GAP || kind == FUNCTION_SLIP;
        fired[i] = counts && values[i] < -f->zeros[i];
        *any |= fired[i];
    }
    return SPRAG_OK;
}

// Bisects to the time at which the violation begins.
static SpragStatus locate_violation(SpragRun *run, double t_old, double *values, double *t)
{
    double before = t_old, after = *t;
    for (int i = 0; i < MOST_BISECTIONS && after - before > 4e-16 * fabs(after); i++) {
        double middle = 0.5 * (before + after);
        bool any;
        SPRAG_TRY(find_violations(run, middle, values, run->frozen.fired, &any));
        if (any)
            after = middle;
        else
            before = middle;
    }
    *t = after;
    bool any;
    return find_violations(run, after, values, run->frozen.fired, &any);
}

SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t)
{
    Frozen *f = &run->frozen;
    SpragRoot root;
    SpragRootProblem problem = {.count = f->function_count,
                                .function = values_on_arc,
                                .user = run,
                                .t_begin = step->t_old,
                                .t_end = step->t_new,
                                .directions = f->directions,
                                .zeros = f->zeros};
    SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
    if (root.outcome != SPRAG_ROOT_NONE && root.outcome != SPRAG_ROOT_FOUND)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "an event function fails at t = %.9g",
                          root.after);
    bool found = root.outcome == SPRAG_ROOT_FOUND;
    *t = INFINITY;
    for (int i = 0; i < f->function_count; i++)
        f->fired[i] = found ? root.fired[i] : 0;
    // a side has ended only after the root, not at it
    if (found)
        *t = events_fired(run, FUNCTION_SURFACE) ? root.after : root.t;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    double *values = sprag_arena_alloc(run->arena, (size_t)f->function_count + 1, sizeof *values);
    int *fired = sprag_arena_alloc(run->arena, (size_t)f->function_count + 1, sizeof *fired);
    if (!values || !fired)
        return SPRAG_ERROR_MEMORY;
    double checked = found ? *t : step->t_new;
    bool any;
    SPRAG_TRY(find_violations(run, checked, values, fired, &any));
    if (any) {
        *t = checked;
        SPRAG_TRY(locate_violation(run, step->t_old, values, t));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

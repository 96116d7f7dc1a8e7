// motion_events.c: the functions whose zeros end a mode, theory.md 14.2 and (14.4), and their first
// root.
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/complementarity.h"

// σ of theory.md (14.4): the largest s ≤ 1 so that some forces of the mode stay inside their cones
// by s times the force scale. Negative: the mode has no admissible forces. force (rows, may be
// NULL) receives those forces of rigid contacts.
static SpragStatus margin(SpragRun *run, double *sigma, double *force)
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
        // μ λN ± λT ≥ σ, where λN is an unknown too or comes from a layer
        double mu = e->friction[2 * u->contact];
        for (int sign = -1; sign <= 1; sign += 2) {
            if (f->soft[u->contact])
                b[m] = mu * e->force[f->first[u->contact]] / run->force_scale;
            else
                A[m * w + i - 1] = -mu;
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
            if (!u->tangential && f->rows[u->contact] > 1)
                entry += modes_slide_ratio(run, u->contact) *
                         e->W[f->unknowns[i].row * rows + u->row + 1];
            A[(m + i) * w + j] = entry;
        }
        int r = f->unknowns[i].row;
        b[m + i] = -(e->b[r] + e->load[r]) / run->force_scale;
    }
    c[k] = 1;
    SpragLp program = {w, m, k, A, b, c};
    SpragLpStatus status;
    SPRAG_TRY(sprag_lp_solve(run->arena, &program, 1e-9, x, sigma, &status));
    if (status != SPRAG_LP_OPTIMAL)
        *sigma = -1;
    for (int i = 0; i < k && force && status == SPRAG_LP_OPTIMAL; i++) {
        const Unknown *u = &f->unknowns[i];
        force[u->row] = x[i] * run->force_scale;
        if (!u->tangential && f->rows[u->contact] > 1 && f->sliding[u->contact])
            force[u->row + 1] = modes_slide_ratio(run, u->contact) * force[u->row];
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus events_admissible(SpragRun *run, double *force)
{
    double sigma;
    memcpy(force, run->now.force, (size_t)run->frozen.row_count * sizeof *force);
    return margin(run, &sigma, force);
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
    case FUNCTION_DETERMINANT:
        return e->determinant - run->jam;
    default:
        return layers_function(run, g);
    }
}

SpragStatus events_values(SpragRun *run, double t, const double *y, double *values)
{
    Frozen *f = &run->frozen;
    // gaps of open contacts come first in the list
    SpragSystemSample gaps = {.gap = run->probe_gap, .gap_rate = f->rates ? run->probe_rate : NULL};
    if (f->open_count > 0)
        SPRAG_TRY(
            sprag_system_sample(run->system, t, y, y + run->n, f->open_count, f->open, &gaps));
    int i = 0;
    for (; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        int index = f->functions[i].index;
        bool rate = sprag_system_contact_is_velocity_level(run->system, f->open[index]);
        values[i] = rate ? run->probe_rate[index] : fmin(run->probe_gap[index], run->far);
    }
    if (i == f->function_count)
        return SPRAG_OK;
    SPRAG_TRY(modes_evaluate(run, t, y));
    for (; i < f->function_count; i++) {
        if (f->functions[i].kind == FUNCTION_MARGIN)
            SPRAG_TRY(margin(run, &values[i], NULL));
        else
            values[i] = active_value(run, &f->functions[i]);
    }
    return SPRAG_OK;
}

// Values at an end of a step, where the mode is evaluated anyway. If that fails they are not known,
// and the search meets the failure itself.
static SpragStatus end_values(SpragRun *run, double t, const double *y, double *values, bool *known)
{
    SpragStatus status = events_values(run, t, y, values);
    *known = status == SPRAG_OK;
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

SpragStatus events_begin(SpragRun *run)
{
    if (run->begin_known)
        return SPRAG_OK;
    return end_values(run, run->t, run->y, run->values_begin, &run->begin_known);
}

static int values_on_arc(double t, double *values, void *user)
{
    SpragRun *run = user;
    if (run->end_known && t == sprag_integrator_time(run->integrator)) {
        memcpy(values, run->values_end, (size_t)run->frozen.function_count * sizeof *values);
        return 0;
    }
    if (sprag_integrator_evaluate(run->integrator, t, run->scratch) != SPRAG_OK)
        return -1;
    SpragStatus status = events_values(run, t, run->scratch, values);
    return status == SPRAG_OK ? 0 : status == SPRAG_ERROR_NUMERIC ? 1 : -1;
}

bool events_fired(const SpragRun *run, FunctionKind kind)
{
    return (run->frozen.fired_kinds >> kind) & 1;
}

bool events_fired_rigid(const SpragRun *run, FunctionKind kind)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->function_count; i++) {
        int index = f->functions[i].index;
        if (f->fired[i] && f->functions[i].kind == kind &&
            !run->compliant[kind == FUNCTION_GAP ? f->open[index] : f->active[index]])
            return true;
    }
    return false;
}

// A contact that bounces starts as deep as the clock could tell its impact: speed times some
// roundings of the time, which late in a run is more than the gap that counts as zero. It is not
// back before it has been out.
static void excuse_depths(SpragRun *run)
{
    Frozen *f = &run->frozen;
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (f->functions[i].kind == FUNCTION_GAP && run->values_begin[i] < 0 &&
            run->values_begin[i] > -run->tolerances.gap)
            f->zeros[i] = fmax(f->zeros[i], -2 * run->values_begin[i]);
}

SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t)
{
    Frozen *f = &run->frozen;
    SpragRoot root;
    // first of all: the integrator has just evaluated the mode at the end of its step
    SPRAG_TRY(end_values(run, step->t_new, sprag_integrator_state(run->integrator), run->values_end,
                         &run->end_known));
    excuse_depths(run);
    double end;
    SPRAG_TRY(events_clear(run, step, &end));
    SpragRootProblem problem = {.count = f->function_count,
                                .function = values_on_arc,
                                .user = run,
                                .t_begin = step->t_old,
                                .t_end = end,
                                .directions = f->directions,
                                .zeros = f->zeros,
                                .values_begin = run->begin_known ? run->values_begin : NULL,
                                .guards = true};
    SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
    if (root.outcome == SPRAG_ROOT_NONE && end < step->t_new) {
        problem.t_end = step->t_new;
        SPRAG_TRY(sprag_root_find(run->finder, &problem, &root));
    }
    if (root.outcome != SPRAG_ROOT_NONE && root.outcome != SPRAG_ROOT_FOUND)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "an event function fails at t = %.9g",
                          root.after);
    bool found = root.outcome == SPRAG_ROOT_FOUND;
    *t = INFINITY;
    f->fired_kinds = 0;
    for (int i = 0; i < f->function_count; i++) {
        f->fired[i] = found ? root.fired[i] : 0;
        f->fired_kinds |= f->fired[i] ? 1u << f->functions[i].kind : 0;
    }
    // a side has ended only after the root, not at it
    if (found)
        *t = events_fired(run, FUNCTION_SURFACE) ? root.after : root.t;
    run->begin_known = *t == INFINITY && run->end_known;
    if (run->begin_known) {
        double *values = run->values_begin;
        run->values_begin = run->values_end;
        run->values_end = values;
    }
    return SPRAG_OK;
}

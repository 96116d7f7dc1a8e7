// motion_events.c: the functions whose zeros end a mode, theory.md 14.2, and their first
// root.
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Events at one time, from which on a gap that comes there again is looked at behind its zero.
enum { REPEATED = 20 };

// ---- Values -------------------------------------------------------------------------------------

double events_active_value(const SpragRun *run, const EventFunction *g)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    const double *force = e->force + f->first[g->index],
                 *slip = e->slip + run->slip_stride * g->index;
    const double *heading = f->heading + WAYS * g->index;
    double normal = modes_pressure(run, g->index, e->force);
    const double *tangential = force + f->normals[g->index];
    double friction = tangential[0];
    switch (g->kind) {
    case FUNCTION_NORMAL:
        return normal;
    case FUNCTION_CONE_PLUS:
        return e->friction[2 * g->index] * normal - friction;
    case FUNCTION_CONE_MINUS:
        return e->friction[2 * g->index] * normal + friction;
    case FUNCTION_SIDE:
        return e->aim[WAYS * g->index] * force[0];
    case FUNCTION_CONE:
        return e->friction[2 * g->index] * normal -
               sprag_length(f->rows[g->index] - f->normals[g->index], tangential);
    case FUNCTION_SURFACE:
        return e->held[g->index];
    case FUNCTION_SLIP:
        if (!modes_has_direction(f, g->index))
            return f->sign[g->index] * slip[0];
        // a slip that starts slowly is as good as zero for a while
        return heading[0] * slip[0] + heading[1] * slip[1] + heading[2] * slip[2] +
               (run->starting[f->active[g->index]] ? run->tolerances.slip : 0);
    case FUNCTION_DETERMINANT:
        return e->determinant - run->jam;
    default:
        return layers_function(run, g);
    }
}

// By how much the closed contacts of the same bodies are below zero: what drifts between two
// projections. In space the corner at the end of a side has a slot of its own, whose gap touches
// zero where the side ends: with that drift it would close before, with speed, theory.md (14.13).
// Its gap is counted from the side's.
static double held_below(const SpragRun *run, int slot)
{
    const Frozen *f = &run->frozen;
    double least = 0;
    for (int i = 0; i < f->active_count; i++)
        if (!f->soft[i] && run->now.gap[i] < least && overlap_same_bodies(run, slot, f->active[i]))
            least = run->now.gap[i];
    return fmax(least, -run->tolerances.gap);
}

SpragStatus events_values(SpragRun *run, double t, const double *y, double *values)
{
    Frozen *f = &run->frozen;
    // gaps of open contacts come first in the list
    if (f->open_count > 0)
        SPRAG_TRY(near_gaps(run, t, y));
    int i = 0;
    for (; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        int index = f->functions[i].index;
        bool rate = sprag_system_contact_is_velocity_level(run->system, f->open[index]);
        double more = run->shift[f->open[index]] + run->lift[f->open[index]];
        values[i] = rate ? run->probe_rate[index] : fmin(run->probe_gap[index] + more, run->far);
    }
    if (i == f->function_count)
        return SPRAG_OK;
    SPRAG_TRY(direct_or_evaluate(run, t, y));
    if (f->surfaces && run->now.directly)
        SPRAG_TRY(direct_find_held(run, t, y));
    for (int k = 0; run->tangents == 2 && k < i; k++)
        if (fabs(values[k]) < run->tolerances.gap)
            values[k] -= held_below(run, f->open[f->functions[k].index]);
    for (; i < f->function_count; i++) {
        if (f->functions[i].kind == FUNCTION_MARGIN)
            SPRAG_TRY(margin_clear(run, &values[i]));
        else
            values[i] = events_active_value(run, &f->functions[i]);
        values[i] += f->functions[i].kind == FUNCTION_MARGIN ? f->edge : 0;
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

// What is on the edges of its cones for a whole arc has a margin of 0 to rounding there: with its
// zero for the border each sign of that rounding would end the mode.
SpragStatus events_begin_edge(SpragRun *run)
{
    Frozen *f = &run->frozen;
    SPRAG_TRY(events_begin(run));
    for (int i = 0; run->begin_known && i < f->function_count; i++)
        if (f->functions[i].kind == FUNCTION_MARGIN && f->edge == 0 &&
            fabs(run->values_begin[i]) <= f->zeros[i]) {
            f->edge = f->zeros[i];
            run->values_begin[i] += f->edge;
        }
    return SPRAG_OK;
}

// Where the equations of the mode are singular their forces are not known, but that is what the
// determinant tells: it is zero, and the others count as what they were. Gaps are there already.
static SpragStatus singular_values(const SpragRun *run, SpragStatus status, double *values)
{
    const Frozen *f = &run->frozen;
    if (status != SPRAG_ERROR_NUMERIC || run->now.determinant != 0 || !run->begin_known)
        return status;
    for (int i = 0; i < f->function_count; i++)
        if (f->functions[i].kind == FUNCTION_DETERMINANT)
            values[i] = -run->jam;
        else if (f->functions[i].kind != FUNCTION_GAP)
            values[i] = run->values_begin[i];
    return SPRAG_OK;
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
    SpragStatus status = singular_values(run, events_values(run, t, run->scratch, values), values);
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

// Contacts that have come out of what they overlapped by, as the values of a time say; *any: some.
static void end_lifts(SpragRun *run, const double *values, bool *any)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        double *lift = &run->lift[f->open[f->functions[i].index]];
        if (!(*lift > 0) || values[i] <= 2 * *lift)
            continue;
        double by = *lift; // values may be those of the begin
        run->values_begin[i] -= run->begin_known ? by : 0;
        run->values_end[i] -= run->end_known ? by : 0;
        *lift = 0;
        *any = true;
    }
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

// What has been out before it comes back to where it was is not excused: a ball would sink a bit
// further with every bounce. Searches again from where it is out, up to there: before nothing has
// passed.
static SpragStatus end_lifts_within(SpragRun *run, SpragRootProblem *problem, SpragRoot *root)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    bool lifted = false, any = false;
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++)
        lifted |= root->fired[i] && run->lift[f->open[f->functions[i].index]] > 0;
    if (!lifted)
        return SPRAG_OK;
    double *values = sprag_arena_alloc(run->arena, (size_t)f->function_count, sizeof *values);
    if (!values)
        return SPRAG_ERROR_MEMORY;
    double back = root->after, out = 0.5 * (problem->t_begin + root->t);
    if (values_on_arc(out, values, run) == 0)
        end_lifts(run, values, &any);
    if (any && values_on_arc(out, values, run) == 0) {
        problem->t_begin = out;
        problem->t_end = back;
        problem->values_begin = values;
        SPRAG_TRY(sprag_root_find(run->finder, problem, root));
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// m/s, of bodies and of what turns with them.
static double fastest_rate(const SpragRun *run)
{
    double fastest = 0;
    for (int i = run->m; i < run->m + run->n; i++)
        fastest = fmax(fastest, fabs(run->y[i]) / tolerances_unit(run, i, 1));
    return fastest;
}

// A gap that is continuous comes or goes this far in the bracket of a root.
static double bracket_way(const SpragRun *run, const SpragRoot *root)
{
    return 100 * DBL_EPSILON * fabs(root->after) * fastest_rate(run);
}

// Whether the gap of an open contact has not become zero but jumped there or below: a corner that
// comes over the end of a side, of a body that it overlaps in a layer, onto the next part of a
// surface, or where another corner has been. The state must not be on the border, where rounding
// says what the corner meets.
static bool gap_jumps(const SpragRun *run, const SpragRoot *root)
{
    const Frozen *f = &run->frozen;
    double way = bracket_way(run, root);
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++) {
        if (!f->fired[i])
            continue;
        if ((f->soft_count > 0 && root->values_after[i] < -run->tolerances.gap) ||
            root->values_before[i] > run->tolerances.gap + way)
            return true;
    }
    return false;
}

// Whether it has stepped below zero by less: beside a corner another side counts from the zone on
// in which corners coincide. What leaves that side is told from what runs into it by a state behind
// the step.
static bool gap_steps(const SpragRun *run, const SpragRoot *root)
{
    const Frozen *f = &run->frozen;
    double way = bracket_way(run, root);
    for (int i = 0; i < f->function_count && f->functions[i].kind == FUNCTION_GAP; i++)
        if (f->fired[i] && root->values_before[i] > 0 &&
            root->values_after[i] < -MOTION_CLOSED * run->tolerances.gap - way)
            return true;
    return false;
}

double events_behind_jump(const SpragRun *run)
{
    const double part = 0.2;
    double fastest = fastest_rate(run);
    return fastest > 0 ? part * run->tolerances.gap / fastest : 0;
}

// The first root within a step whose end values are known or cannot be had.
static SpragStatus search(SpragRun *run, const SpragStep *step, SpragRoot *root)
{
    const Frozen *f = &run->frozen;
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
    // in space most shapes that overlap within the step are seen without that
    bool space = run->tangents == 2;
    if (space)
        problem.t_end = step->t_new;
    SPRAG_TRY(sprag_root_find(run->finder, &problem, root));
    bool late = root->outcome == SPRAG_ROOT_NONE || (space && root->t > end);
    if (late && end < step->t_new) {
        problem.t_end = space ? end : step->t_new;
        SpragRoot first = *root;
        SPRAG_TRY(sprag_root_find(run->finder, &problem, root));
        if (space && root->outcome == SPRAG_ROOT_NONE && first.outcome == SPRAG_ROOT_FOUND) {
            problem.t_end = step->t_new;
            SPRAG_TRY(sprag_root_find(run->finder, &problem, root));
        }
    }
    if (space && root->outcome == SPRAG_ROOT_FOUND)
        SPRAG_TRY(end_lifts_within(run, &problem, root));
    if (root->outcome != SPRAG_ROOT_NONE && root->outcome != SPRAG_ROOT_FOUND)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "an event function fails at t = %.9g",
                          root->after);
    return SPRAG_OK;
}

// The functions that have passed, and the time from which the run goes on.
static double take_root(SpragRun *run, const SpragStep *step, const SpragRoot *root)
{
    Frozen *f = &run->frozen;
    bool found = root->outcome == SPRAG_ROOT_FOUND;
    f->fired_kinds = 0;
    for (int i = 0; i < f->function_count; i++) {
        f->fired[i] = found ? root->fired[i] : 0;
        f->fired_kinds |= f->fired[i] ? 1u << f->functions[i].kind : 0;
    }
    if (!found)
        return INFINITY;
    // forces grow without limit up to a jam, and pull behind it
    if (events_fired(run, FUNCTION_DETERMINANT))
        return root->before;
    if (gap_jumps(run, root))
        return fmin(root->after + events_behind_jump(run), step->t_new);
    // a side has ended only after the root, not at it; a gap that jumps is below zero there, also
    // where it does so by less than what counts as closed and grows again: it would be met for ever
    bool again = run->events_here > REPEATED && events_fired(run, FUNCTION_GAP);
    bool ends = events_fired(run, FUNCTION_SURFACE);
    // rigid ones in the plane so far that a projection does not put them back onto the side: where
    // a disc rolls over the end of one its acceleration jumps, and modes are decided for what
    // follows
    if (ends && run->tangents == 1 && f->soft_count == 0)
        return fmin(root->after + events_behind_jump(run), step->t_new);
    return ends || again || gap_steps(run, root) ? root->after : root->t;
}

SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t)
{
    SpragRoot root = {.outcome = SPRAG_ROOT_NONE};
    // first of all: the integrator has just evaluated the mode at the end of its step
    SPRAG_TRY(end_values(run, step->t_new, sprag_integrator_state(run->integrator), run->values_end,
                         &run->end_known));
    bool ended = false;
    if (run->begin_known && run->end_known)
        end_lifts(run, run->values_begin, &ended);
    excuse_depths(run);
    if (!watch_end(run, step))
        SPRAG_TRY(search(run, step, &root));
    *t = take_root(run, step, &root);
    run->begin_known = *t == INFINITY && run->end_known;
    if (run->begin_known) {
        double *values = run->values_begin;
        run->values_begin = run->values_end;
        run->values_end = values;
    }
    return SPRAG_OK;
}

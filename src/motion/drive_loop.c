// drive_loop.c: steps of a drive, its events, samples and the kinks of its inputs.
#include "drive_loop.h"

#include <math.h>
#include <string.h>

SpragStatus loop_settings(SpragContext *context, const SpragDriveSettings *given,
                          SpragDriveSettings *settings)
{
    SpragDriveSettings defaults = sprag_drive_default();
    *settings = given ? *given : defaults;
    if (settings->cookie != defaults.cookie)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "drive settings must come from sprag_drive_default");
    return SPRAG_OK;
}

SpragStatus loop_open(DriveLoop *loop, const double *absolute)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    settings.relative = loop->settings->tolerance;
    settings.absolute_each = absolute;
    SPRAG_TRY(sprag_integrator_create(loop->context, loop->count, loop->calls->derivative,
                                      loop->owner, &settings, &loop->integrator));
    return sprag_root_finder_create(loop->context, NULL, &loop->finder);
}

void loop_close(DriveLoop *loop)
{
    sprag_integrator_destroy(loop->integrator);
    sprag_root_finder_destroy(loop->finder);
}

SpragRunStatistics loop_statistics(const DriveLoop *loop)
{
    SpragRunStatistics statistics = loop->statistics;
    statistics.evaluations = sprag_integrator_statistics(loop->integrator).evaluations;
    return statistics;
}

// ---- Samples ------------------------------------------------------------------------------------

static void emit(DriveLoop *loop, double t, const double *y, bool before, bool after)
{
    loop->sample_time = t;
    loop->calls->emit(loop->owner, t, y, before, after);
}

// The multiples of the output step up to `to`, on the dense output; not those at the end itself.
static SpragStatus emit_outputs(DriveLoop *loop, double to)
{
    double y[LOOP_STATE], step = loop->settings->output_step;
    while (step > 0 && !loop->stopped) {
        double t = (double)loop->next_output * step;
        if (!(t < to))
            break;
        loop->next_output++;
        if (t <= loop->t)
            continue;
        SPRAG_TRY(sprag_integrator_evaluate(loop->integrator, t, y));
        emit(loop, t, y, false, false);
    }
    return SPRAG_OK;
}

// ---- Steps --------------------------------------------------------------------------------------

static int event_functions(double t, double *values, void *user)
{
    DriveLoop *loop = user;
    double y[LOOP_STATE];
    int directions[LOOP_EVENTS];
    if (sprag_integrator_evaluate(loop->integrator, t, y) != SPRAG_OK)
        return -1;
    loop->calls->event_values(loop->owner, t, y, values, directions);
    return 0;
}

static SpragStatus find_event(DriveLoop *loop, const SpragStep *step, SpragRoot *root)
{
    const double rounding = 1e-12;
    double values[LOOP_EVENTS], zeros[LOOP_EVENTS];
    int directions[LOOP_EVENTS];
    // a slip that has just begun may end before the first sample inside the step: a guard
    SpragRootProblem problem = {.function = event_functions,
                                .user = loop,
                                .t_begin = step->t_old,
                                .t_end = step->t_new,
                                .directions = directions,
                                .zeros = zeros,
                                .guards = true};
    loop->calls->event_values(loop->owner, step->t_new, sprag_integrator_state(loop->integrator),
                              zeros, directions);
    problem.count = loop->calls->event_values(loop->owner, loop->t, loop->y, values, directions);
    for (int i = 0; i < problem.count; i++)
        zeros[i] = rounding * fabs(zeros[i]);
    SPRAG_TRY(sprag_root_find(loop->finder, &problem, root));
    // a function that began on the wrong side of zero: what holds is decided again at once
    bool wrong = root->outcome == SPRAG_ROOT_NONE;
    for (int i = 0; wrong && i < problem.count; i++)
        if (directions[i] < 0 && root->values_end[i] < 0 && values[i] <= 0) {
            root->outcome = SPRAG_ROOT_FOUND;
            root->t = root->before = root->after = step->t_new;
            root->fired = NULL;
            return SPRAG_OK;
        }
    return SPRAG_OK;
}

static SpragStatus treat_event(DriveLoop *loop, const SpragRoot *root, bool *ended,
                               SpragRunOutcome *outcome)
{
    const DriveCalls *calls = loop->calls;
    SPRAG_TRY(emit_outputs(loop, root->after));
    SPRAG_TRY(sprag_integrator_evaluate(loop->integrator, root->after, loop->y));
    loop->t = root->after;
    if (root->fired && calls->is_quiet(loop->owner, root->fired))
        return calls->decide(loop->owner, ended, outcome);
    emit(loop, loop->t, loop->y, true, false);
    if (root->fired)
        calls->end_slips(loop->owner, root->fired);
    SPRAG_TRY(calls->decide(loop->owner, ended, outcome));
    emit(loop, loop->t, loop->y, false, true);
    if (loop->settings->output_step > 0)
        loop->next_output = (long)floor(loop->t / loop->settings->output_step) + 1;
    return SPRAG_OK;
}

static SpragStatus step_failed(DriveLoop *loop, const SpragStep *step, SpragRunOutcome *outcome)
{
    (void)sprag_fail(loop->context, SPRAG_ERROR_NUMERIC, "a step at t = %.9g s: %s", loop->t,
                     sprag_step_outcome_name(step->outcome));
    *outcome = SPRAG_RUN_NOT_CONVERGED;
    return SPRAG_OK;
}

// Whether the rest would take more than a billion steps: data so far apart that no explicit method
// follows them.
static bool is_hopeless(DriveLoop *loop, double stop)
{
    const uint64_t interval = 100000;
    const double most = 1e9;
    if (loop->statistics.steps < loop->check_steps + interval)
        return false;
    double speed = (loop->t - loop->check_time) / (double)interval;
    loop->check_steps = loop->statistics.steps;
    loop->check_time = loop->t;
    return (stop - loop->t) > most * speed;
}

// What is held has no motion whose error would keep a step short, yet the inputs may pass what
// friction can hold, and come back: they are looked at as often as samples are wanted.
static double longest_step(const DriveLoop *loop)
{
    const double steps = 1000;
    if (!loop->varies)
        return INFINITY;
    return loop->settings->output_step > 0 ? loop->settings->output_step : loop->until / steps;
}

// Smooth arc until an event, `stop` or an end.
static SpragStatus run_arc(DriveLoop *loop, double stop, bool *ended, SpragRunOutcome *outcome)
{
    SPRAG_TRY(sprag_integrator_restart(loop->integrator, loop->t, loop->y, NULL, 0));
    while (loop->t < stop && !loop->stopped) {
        SpragStep step;
        SpragRoot root;
        if (loop->settings->interrupt && *loop->settings->interrupt) {
            *ended = true;
            *outcome = SPRAG_RUN_INTERRUPTED;
            return SPRAG_OK;
        }
        if (is_hopeless(loop, stop)) {
            *ended = true;
            *outcome = SPRAG_RUN_NOT_CONVERGED;
            (void)sprag_fail(loop->context, SPRAG_ERROR_NUMERIC,
                             "steps are too small to reach %.6g s: the layer is too stiff", stop);
            return SPRAG_OK;
        }
        double most = fmin(stop, loop->t + longest_step(loop));
        SPRAG_TRY(sprag_integrator_step(loop->integrator, most, &step));
        if (step.outcome != SPRAG_STEP_DONE && step.outcome != SPRAG_STEP_AT_STOP) {
            *ended = true;
            return step_failed(loop, &step, outcome);
        }
        loop->statistics.steps++;
        SPRAG_TRY(find_event(loop, &step, &root));
        if (root.outcome == SPRAG_ROOT_FOUND)
            return treat_event(loop, &root, ended, outcome);
        SPRAG_TRY(emit_outputs(loop, step.t_new));
        loop->t = step.t_new;
        memcpy(loop->y, sprag_integrator_state(loop->integrator),
               (size_t)loop->count * sizeof *loop->y);
        if (loop->calls->watch)
            SPRAG_TRY(loop->calls->watch(loop->owner));
    }
    return SPRAG_OK;
}

static SpragStatus first_decision(DriveLoop *loop, bool *ended, SpragRunOutcome *outcome)
{
    if (loop->begun)
        return SPRAG_OK;
    SPRAG_TRY(loop->calls->decide(loop->owner, ended, outcome));
    loop->begun = true;
    loop->next_output = 1;
    emit(loop, loop->t, loop->y, false, false);
    return SPRAG_OK;
}

// Where this arc must stop at the latest.
static double next_stop(DriveLoop *loop, double until)
{
    while (loop->next_break < loop->break_count && loop->breaks[loop->next_break] <= loop->t)
        loop->next_break++;
    bool breaks = loop->next_break < loop->break_count;
    return breaks ? fmin(until, loop->breaks[loop->next_break]) : until;
}

SpragStatus loop_advance(DriveLoop *loop, double until, SpragRunOutcome *outcome)
{
    bool ended = false;
    *outcome = SPRAG_RUN_DONE;
    loop->until = until;
    SPRAG_TRY(first_decision(loop, &ended, outcome));
    while (!ended && !loop->stopped && loop->t < until) {
        double stop = next_stop(loop, until);
        SPRAG_TRY(run_arc(loop, stop, &ended, outcome));
        bool at_break = !ended && loop->t >= stop && loop->t < until;
        if (at_break)
            SPRAG_TRY(loop->calls->decide(loop->owner, &ended, outcome));
        if ((long)loop->statistics.events > loop->settings->max_events && !ended) {
            ended = true;
            *outcome = SPRAG_RUN_EVENT_LIMIT;
        }
    }
    loop->calls->end_verdict(loop->owner);
    if (loop->t > loop->sample_time || loop->sample_time > loop->t)
        emit(loop, loop->t, loop->y, false, false);
    if (loop->stopped && !ended)
        *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// motion_run.c: the loop of theory.md 14.1: integrate a step with the modes frozen, look for the
// first event on its dense output, apply it, go on.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stepping.h"

enum { MOST_EVENTS_AT_ONCE = 200, MOST_IDLE = 50 };

static SpragStatus meet_contacts(SpragRun *run, const SpragStep *step);

// The first decision: which contacts are closed at the start, and what they do.
static SpragStatus start(SpragRun *run, SpragRunOutcome *outcome)
{
    Decision decision;
    zeno_clear(run);
    SPRAG_TRY(clock_begin(run));
    run->tolerances = sprag_system_tolerances(run->system, run->y + run->m);
    run->far = 1e3 * run->tolerances.gap / sprag_system_contact_tolerance(run->system);
    run->force_scale = 1;
    SPRAG_TRY(meet_contacts(run, NULL));
    for (int slot = 0; slot < run->slots; slot++)
        run->mode[slot] = SPRAG_MODE_SEPARATE;
    layers_begin(run);
    SPRAG_TRY(layers_start(run));
    SPRAG_TRY(bearings_start(run));
    SPRAG_TRY(layers_settle(run));
    SPRAG_TRY(layers_whole_energy(run, &run->initial_energy));
    SPRAG_TRY(collide_land(run, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    memset(run->left, 0, (size_t)run->slots * sizeof *run->left);
    // at the start no mode is the present one
    for (int slot = 0; slot < run->slots; slot++) {
        run->mode_before[slot] = SPRAG_MODE_SEPARATE;
        run->fresh[slot] = true;
    }
    SPRAG_TRY(layers_bend(run));
    SPRAG_TRY(modes_settle(run));
    run->step_guess = 0;
    run->t_start = run->t;
    run->output_count = 1;
    if (apply_only_layers(run)) {
        modes_remember(run);
        SPRAG_TRY(apply_layers(run, outcome));
        run->started = true;
        return SPRAG_OK;
    }
    if (run->pilot.forced)
        SPRAG_TRY(pilot_force(run, &decision, outcome));
    else
        SPRAG_TRY(decide(run, run->t, run->y, NULL, &decision, outcome));
    if (*outcome != SPRAG_RUN_DONE) {
        SpragRunOutcome quiet = SPRAG_RUN_DONE;
        SPRAG_TRY(modes_forget(run));
        return tell_sample(run, run->t, run->y, false, false, &quiet);
    }
    // at the start nothing has changed yet
    decide_apply(run, &decision);
    modes_remember(run);
    SPRAG_TRY(run_take(run, &decision, false, outcome));
    run->started = true;
    return SPRAG_OK;
}

// ---- The loop -----------------------------------------------------------------------------------

// Both sides of an event that the sink has found; nothing jumps there.
static SpragStatus tell_mark(SpragRun *run, double t, const double *y, SpragRunOutcome *outcome)
{
    SPRAG_TRY(tell_sample(run, t, y, true, false, outcome));
    return tell_sample(run, t, y, false, true, outcome);
}

// Samples at multiples of the output step up to `to`, and at the events that the sink has found, on
// the dense output of the last step.
static SpragStatus tell_outputs(SpragRun *run, double to, SpragRunOutcome *outcome)
{
    double step = run->settings.output_step;
    while (*outcome == SPRAG_RUN_DONE) {
        double mark = tell_next_mark(run);
        double output = step > 0 ? run->t_start + (double)run->output_count * step : INFINITY;
        double t = fmin(mark, output);
        if (t >= to)
            break;
        SPRAG_TRY(arc_read(run, t, run->later));
        if (mark <= output)
            SPRAG_TRY(tell_mark(run, t, run->later, outcome));
        else
            SPRAG_TRY(tell_sample(run, t, run->later, false, false, outcome));
        run->marks_told += t == mark;
        run->output_count += t == output;
    }
    return SPRAG_OK;
}

// The sink wants no more than this part of the step.
static SpragStatus stop_inside(SpragRun *run, SpragRunOutcome *outcome)
{
    run->stopping = false;
    run->t = run->stop_at;
    SPRAG_TRY(arc_read(run, run->t, run->y));
    layers_unpack(run);
    SPRAG_TRY(tell_outputs(run, run->t, outcome));
    SPRAG_TRY(tell_mark(run, run->t, run->y, outcome));
    *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// Quaternions drift from their length by errors of integration, which turns nothing; *moved: they
// have been put back.
static void normalise(SpragRun *run, bool *moved)
{
    const double drift = 1e-13;
    if (run->m == run->n)
        return;
    memcpy(run->scratch, run->y, (size_t)run->m * sizeof *run->y);
    sprag_system_position_normalise(run->system, run->scratch);
    bool off = false;
    for (int i = 0; i < run->n / 6 * 7; i++) // angles that count turns may be off
        off |= fabs(run->scratch[i] - run->y[i]) > drift;
    if (!off && !*moved)
        return;
    memcpy(run->y, run->scratch, (size_t)run->m * sizeof *run->y);
    *moved = true;
}

// Accepts a step without event: project, check the verdict, tell.
static SpragStatus accept(SpragRun *run, const SpragStep *step, SpragRunOutcome *outcome)
{
    bool moved, changed = false;
    run->t = step->t_new;
    memcpy(run->y, sprag_integrator_state(run->integrator), (size_t)run->size * sizeof *run->y);
    // rows that depend on each other contradict each other by any drift
    SPRAG_TRY(arc_project(run, run->frozen.dependent, &moved));
    normalise(run, &moved);
    if (moved) {
        run->begin_known = false;
        SPRAG_TRY(sprag_integrator_correct(run->integrator, run->y));
    }
    // where the verdict changes the step ends, and nothing is told of what would follow
    if (run->settings.verdicts)
        SPRAG_TRY(decide_find_change(run, step->t_old, &changed));
    layers_unpack(run);
    SPRAG_TRY(overlap_relax(run));
    tell_piece(run, step->t_old, run->t, outcome);
    if (run->stopping)
        return stop_inside(run, outcome);
    SPRAG_TRY(tell_outputs(run, run->t, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    if (changed)
        SPRAG_TRY(decide_change(run, outcome));
    else if (apply_only_layers(run))
        SPRAG_TRY(layers_look(run, outcome));
    SPRAG_TRY(zeno_tell(run, outcome));
    if (!changed && run->tangents == 2) {
        SPRAG_TRY(modes_evaluate(run, run->t, run->y));
        modes_turn_headings(run);
    }
    return changed ? SPRAG_OK : layers_watch_step(run, step);
}

static double size_of(const double *v)
{
    return sprag_vec3_norm(sprag_vec3_of(v));
}

// A time at which the step must end. In flight a step may be as long as it likes, and many turns of
// a body would hide its touches from the event functions, which are sampled a few times a step; so
// would a corner that clips another body.
static double step_end(SpragRun *run, double until)
{
    const double most_turn = 1.5; // rad
    const double *v = run->y + run->m;
    until = clock_next(run, zeno_next(run, pilot_stop(run, bearing_stop(run, until))));
    until = layers_stable_end(run, until);
    if (run->frozen.open_count == 0 || !sprag_system_model(run->system))
        return until;
    double way = clear_ways(run);
    bool space = run->tangents == 2;
    const double *a = run->now.acceleration;
    bool known = run->now.solved || run->now.directly;
    for (int i = 0; i < run->n; i += space ? 6 : 3) {
        double spin = space ? size_of(v + i + 3) : fabs(v[i + 2]);
        double growth = !known ? 0 : space ? size_of(a + i + 3) : fabs(a[i + 2]);
        double rate = spin + sqrt(spin * spin + 2 * growth * most_turn);
        if (rate * (until - run->t) > 2 * most_turn)
            until = run->t + 2 * most_turn / rate;
        double speed = space ? size_of(v + i) : hypot(v[i], v[i + 1]);
        double pull = !known ? 0 : space ? size_of(a + i) : hypot(a[i], a[i + 1]);
        double fast = speed + sqrt(speed * speed + 2 * pull * run->ways[i]);
        if (fast * (until - run->t) > 2 * run->ways[i])
            until = run->t + 2 * run->ways[i] / fast;
    }
    return clear_driven(run, until, way);
}

// Of the points of a body, at most.
static double body_speed(const double *v, int size, double length)
{
    if (size == 3)
        return hypot(v[0], v[1]) + length * fabs(v[2]);
    return size_of(v) + length * size_of(v + 3);
}

// In space contacts are found when they come near: those that did so within the step take part in
// the search for its first event. The way of a body bends by less than its length.
static SpragStatus meet_contacts(SpragRun *run, const SpragStep *step)
{
    int added;
    bool changed;
    if (!sprag_system_model(run->system) ||
        !sprag_collider_grows(sprag_system_collider(run->system)))
        return SPRAG_OK;
    const double *later = step ? sprag_integrator_state(run->integrator) : NULL;
    double length = 1e-3 * run->far, way = 1e-3 * length;
    int size = run->tangents == 2 ? 6 : 3;
    for (int i = 0; step && i < run->n; i += size) {
        double now = body_speed(run->y + run->m + i, size, length);
        double then = body_speed(later + run->m + i, size, length);
        way = fmax(way, 0.5 * fmax(now, then) * (step->t_new - step->t_old));
    }
    SPRAG_TRY(sprag_system_refresh(run->system, run->y, later, way, &added));
    SPRAG_TRY(run_grow(run));
    if (!step)
        return SPRAG_OK;
    SPRAG_TRY(modes_list_near(run, &changed));
    return changed ? arc_watch_overlaps(run) : SPRAG_OK;
}

static SpragStatus advance_step(SpragRun *run, double until, SpragRunOutcome *outcome)
{
    SpragStep step;
    double t;
    bool returned, better, turns;
    SPRAG_TRY(pilot_return(run, &returned, outcome));
    if (returned || *outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(clock_strike(run, outcome));
    if (*outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(events_begin(run));
    double end = step_end(run, until);
    SPRAG_TRY(held_end(run, &end));
    SPRAG_TRY(bands_end(run, &end));
    watch_begin(run);
    SPRAG_TRY(sprag_integrator_step(run->integrator, end, &step));
    if (step.outcome != SPRAG_STEP_DONE && step.outcome != SPRAG_STEP_AT_STOP)
        return stop_at_step(run, step.outcome, outcome);
    run->statistics.steps++;
    // the step made is a safer guess for a new arc than the one proposed: forces change at events
    run->step_guess = step.t_new - step.t_old;
    SPRAG_TRY(meet_contacts(run, &step));
    SPRAG_TRY(events_find(run, &step, &t));
    if (t == INFINITY)
        return accept(run, &step, outcome);
    // a few roundings of the clock further is not on, nor is the way behind a jump, and as many
    // more for each event
    double roundings = 1e-13 * fmax(fabs(t), run->step_guess) + 2 * events_behind_jump(run);
    bool on = t - run->t_here > roundings * (1 + run->events_here);
    run->events_here = on ? 0 : run->events_here + 1;
    run->t_here = on ? t : run->t_here;
    run->idle = t > run->looked ? 0 : run->idle;
    if (run->statistics.events >= (uint64_t)run->settings.max_events ||
        run->events_here > MOST_EVENTS_AT_ONCE || run->idle > MOST_IDLE) {
        *outcome = SPRAG_RUN_EVENT_LIMIT;
        return stop_at_limit(run);
    }
    tell_piece(run, step.t_old, t, outcome);
    if (run->stopping)
        return stop_inside(run, outcome);
    SPRAG_TRY(tell_outputs(run, t, outcome));
    SPRAG_TRY(layers_arrive(run, t));
    run->t = t;
    layers_unpack(run);
    SPRAG_TRY(apply_other_rows(run, &better));
    if (better)
        return SPRAG_OK;
    SPRAG_TRY(apply_only_turns(run, &turns));
    return turns ? arc_begin(run) : apply_event(run, &step, outcome);
}

// What cannot be computed ends the run, with everything told until then; the context keeps the
// sentence.
static SpragStatus survive(SpragStatus status, SpragRunOutcome *outcome)
{
    if (status != SPRAG_ERROR_NUMERIC)
        return status;
    *outcome = SPRAG_RUN_NOT_CONVERGED;
    return SPRAG_OK;
}

// So many contacts that auto goes on by time stepping.
static bool is_crowded(const SpragRun *run)
{
    return run->settings.motion == SPRAG_MOTION_AUTO && sprag_system_model(run->system) &&
           run->frozen.active_count > STEPPING_CONTACTS && run->frozen.soft_count == 0;
}

// From events to time stepping, at the present state.
static SpragStatus go_over(SpragRun *run, SpragRunOutcome *outcome)
{
    snprintf(run->stepping_reason, sizeof run->stepping_reason,
             "%d contacts are closed at t = %.6g, more than %d: time stepping from there on",
             run->frozen.active_count, run->t, (int)STEPPING_CONTACTS);
    tell_interval_end(run, run->t, outcome);
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    SPRAG_TRY(stepping_create(run));
    return stepping_start(run->stepping, outcome);
}

// The state in which a run ends early. At an event only the state before has been told: behind a
// collision bodies are slower, and no mode is decided.
static SpragStatus tell_end(SpragRun *run)
{
    SpragRunOutcome quiet = SPRAG_RUN_DONE;
    bool half = run->sample.before_event && run->sample.t == run->t;
    if (half)
        SPRAG_TRY(modes_forget(run));
    if (half || run->sample.t < run->t)
        return tell_sample(run, run->t, run->y, false, half, &quiet);
    return SPRAG_OK;
}

SpragStatus sprag_run_advance(SpragRun *run, double until, SpragRunOutcome *outcome)
{
    *outcome = SPRAG_RUN_DONE;
    if (run->stepping)
        return stepping_advance(run->stepping, until, outcome);
    if (!run->started)
        SPRAG_TRY(survive(start(run, outcome), outcome));
    while (*outcome == SPRAG_RUN_DONE && run->t < until) {
        if (run->settings.interrupt && *run->settings.interrupt)
            *outcome = SPRAG_RUN_INTERRUPTED;
        else
            SPRAG_TRY(survive(advance_step(run, until, outcome), outcome));
        if (*outcome == SPRAG_RUN_DONE && run->t < until && is_crowded(run)) {
            SPRAG_TRY(survive(go_over(run, outcome), outcome));
            return *outcome == SPRAG_RUN_DONE ? stepping_advance(run->stepping, until, outcome)
                                              : SPRAG_OK;
        }
    }
    SpragRunOutcome quiet = SPRAG_RUN_DONE;
    SPRAG_TRY(layers_verdict_due(run, &quiet));
    if (*outcome == SPRAG_RUN_DONE)
        SPRAG_TRY(tell_sample(run, run->t, run->y, false, false, outcome));
    else if (*outcome != SPRAG_RUN_STOPPED)
        SPRAG_TRY(survive(tell_end(run), outcome));
    SpragRunVerdict interval = run->interval;
    bool open = run->interval_open;
    tell_interval_end(run, run->t, &quiet);
    // a run that is advanced further goes on in a new interval
    run->interval = interval;
    run->interval.from = run->t;
    run->interval_open = open && *outcome == SPRAG_RUN_DONE;
    return SPRAG_OK;
}

SpragStatus sprag_run_analyze(SpragRun *run, SpragVerdict *verdict)
{
    if (run->stepping) { // contacts may have been added
        SPRAG_TRY(run_grow(run));
        SPRAG_TRY(stepping_grow(run->stepping));
    } else if (run->started) {
        Decision decision;
        if (run->frozen.soft_count > 0 || bearing_any_soft(run))
            SPRAG_TRY(layers_verdict(run, run->t, run->y, &decision));
        else
            SPRAG_TRY(decide_present(run, run->t, run->y, &decision));
        *verdict = decision.verdict;
        return SPRAG_OK;
    }
    const double *v = run->y + run->m;
    SpragContactTolerances tolerances = sprag_system_tolerances(run->system, v);
    SpragAnalysisSettings settings = sprag_analysis_default();
    for (int i = 0; i < run->n; i++)
        settings.moving |= fabs(v[i]) > tolerances.slip;
    SPRAG_TRY(
        sprag_system_kinematics(run->system, run->t, run->y, v, &tolerances, run->kinematics));
    settings.time_scale = sprag_system_time_scale(run->system, run->y, v, run->kinematics);
    SPRAG_TRY(
        sprag_system_build_problem(run->system, run->t, run->y, v, &tolerances, &run->problem));
    return sprag_analysis_run(run->analysis, &run->problem, &settings, verdict);
}

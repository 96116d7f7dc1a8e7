// stepping_run.c: the loop of time stepping.
// Problem   positions and velocities at t + h from those at t, theory.md (11.22)–(11.27)
// Method    velocities without contacts; contacts that can act; islands; their friction problems;
//           positions by the mean velocities; overlaps taken away by a displacement that gives
//           nothing to the velocities; rest. Each is a file of its own.
#include "stepping.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How often a step that would end in a deep overlap is halved or worked out again.
enum { MOST_TRIALS = 6 };

static SpragStatus total_energy(Stepping *s, double *kinetic, double *energy)
{
    SpragRun *run = s->run;
    double potential, elastic;
    SPRAG_TRY(sprag_system_energy(s->system, run->t, run->y, run->y + run->m, kinetic, &potential,
                                  &elastic));
    *energy = *kinetic + potential + elastic;
    return SPRAG_OK;
}

// ---- One step -----------------------------------------------------------------------------------

// Bodies that turn otherwise than their momentum has it: hit on the way, moved apart from what they
// overlap, or held by joints.
static void find_hit(Stepping *s)
{
    const StepContacts *c = &s->sorted;
    memset(s->hit, 0, (size_t)s->block_count * sizeof *s->hit);
    for (int i = 0; i < 2 * c->count; i++)
        if (c->bodies[i] >= 0 && c->impulse[s->d * (i / 2)] != 0)
            s->hit[c->bodies[i]] = true;
    for (int i = 0; s->m == 6 && i < s->block_count; i++)
        s->hit[i] |= s->jointed[i] || sprag_vec3_norm(sprag_vec3_of(s->shift + 6 * i + 3)) > 0;
}

// Positions and velocities at the end.
static SpragStatus move(Stepping *s, double h)
{
    SpragRun *run = s->run;
    double *v = run->y + run->m;
    stepping_middle_mean(s, h);
    for (int i = 0; i < run->n; i++)
        s->mean[i] = h * s->mean[i] + s->shift[i];
    memcpy(v, s->free, (size_t)run->n * sizeof *v);
    sprag_system_position_shift(s->system, s->mean, run->y);
    sprag_system_position_normalise(s->system, run->y);
    SPRAG_TRY(stepping_hold_position(s, run->t + h, run->y));
    find_hit(s);
    sprag_system_turn(s->system, s->middle, run->y, s->hit, s->gain, v);
    stepping_pay(s, v);
    return SPRAG_OK;
}

// What a step gained beyond what loads and belts gave, as C of C h².
static SpragStatus watch_energy(Stepping *s, double actuation_before)
{
    SpragRun *run = s->run;
    double energy, given = run->y[WORK_AT(run) + WORK_ACTUATION] - actuation_before;
    SPRAG_TRY(total_energy(s, &s->kinetic_after, &energy));
    double gain = energy - s->energy_before - given;
    double rounding = 1e-14 * (fabs(energy) + fabs(s->energy_before) + s->kinetic_after);
    if (gain > rounding)
        s->statistics.energy_growth = fmax(s->statistics.energy_growth, gain / (s->step * s->step));
    s->energy_before = energy;
    return SPRAG_OK;
}

static void forget_kicks(Stepping *s)
{
    memset(s->kick, 0, (size_t)s->block_count * sizeof *s->kick);
    s->kick_way = 0;
}

// Velocities and displacements of a step of at most *h, which becomes its length.
static SpragStatus work_out(Stepping *s, double *h)
{
    int again = 0;
    forget_kicks(s);
    for (int k = 0;; k++) {
        StepDepth depth;
        s->h_solved = *h;
        SPRAG_TRY(stepping_find(s, *h));
        SPRAG_TRY(stepping_rub(s, *h));
        SPRAG_TRY(stepping_repair(s, *h));
        if (k == MOST_TRIALS)
            return SPRAG_OK;
        SPRAG_TRY(stepping_sinks(s, *h, &depth));
        if (depth == STEP_SOUND)
            return SPRAG_OK;
        if (depth == STEP_DEEP || again++ > 0) {
            *h *= 0.5;
            s->statistics.halved++;
            again = 0;
        }
    }
}

static SpragStatus take_step(Stepping *s, double *h)
{
    SpragRun *run = s->run;
    double actuation = run->y[WORK_AT(run) + WORK_ACTUATION];
    s->t_before = run->t;
    s->kinetic_before = s->kinetic_after;
    memcpy(s->q_before, run->y, (size_t)run->m * sizeof *s->q_before);
    memcpy(s->v_before, run->y + run->m, (size_t)run->n * sizeof *s->v_before);
    run->tolerances = sprag_system_tolerances(s->system, run->y + run->m);
    SPRAG_TRY(work_out(s, h));
    stepping_count_residual(s);
    SPRAG_TRY(stepping_account(s, *h));
    stepping_bearings_account(s);
    SPRAG_TRY(move(s, *h));
    run->statistics.steps++;
    run->statistics.solves += (uint64_t)s->island_count;
    return watch_energy(s, actuation);
}

// ---- The loop -----------------------------------------------------------------------------------

// Samples at multiples of the output step, and two at an event that the sink has found.
static SpragStatus tell_outputs(Stepping *s, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    double step = run->settings.output_step;
    while (*outcome == SPRAG_RUN_DONE) {
        double mark = tell_next_mark(run);
        double output = step > 0 ? run->t_start + (double)run->output_count * step : INFINITY;
        double t = fmin(mark, output);
        // the last sample of an advance is told at its end
        if (t > run->t || (mark > output && t >= s->until))
            break;
        for (int i = mark <= output ? 0 : 1; run->sink.sample && i < 2; i++)
            SPRAG_TRY(stepping_tell_sample(s, t, outcome)); // costs as much as a part of a step
        run->marks_told += t == mark;
        run->output_count += t == output;
    }
    return SPRAG_OK;
}

static SpragStatus stop_inside(Stepping *s, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    run->stopping = false;
    stepping_interpolate(s, run->stop_at);
    run->t = run->stop_at;
    memcpy(run->y, run->later, (size_t)(run->m + run->n) * sizeof *run->y);
    SPRAG_TRY(stepping_tell_sample(s, run->t, outcome));
    SPRAG_TRY(stepping_tell_sample(s, run->t, outcome));
    *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// The next step ends at a multiple of h since the start, or where the advance does.
static double step_end(Stepping *s, double until)
{
    const double hair = 1e-6;
    SpragRun *run = s->run;
    double end = s->t_zero + (double)(s->count + 1) * s->step;
    until = clock_tick(run, until); // controllers sample at the ends of steps
    if (end > run->t)
        return end > until - hair * s->step ? until : end;
    return until;
}

static SpragStatus advance_step(Stepping *s, double until, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    SPRAG_TRY(clock_sample(run));
    double end = step_end(s, until), h = end - run->t;
    if (s->everything_rests && !run->sink.piece)
        end = until; // nothing will happen any more
    else if (!s->everything_rests) {
        double whole = h;
        SPRAG_TRY(take_step(s, &h));
        end = h < whole ? run->t + h : end;
    }
    s->h_now = h;
    run->t = end;
    // one that ends between two multiples of h leaves the rest of it to the next
    while (s->t_zero + ((double)s->count + 1) * s->step <= run->t + 1e-6 * s->step)
        s->count++;
    if (s->everything_rests) {
        s->t_before = run->t;
    } else {
        stepping_tell_contacts(s, h, outcome);
        stepping_bearings_tell(s, h, outcome);
        s->steps++;
    }
    tell_piece(run, s->t_before, run->t, outcome);
    if (run->stopping)
        return stop_inside(s, outcome);
    SPRAG_TRY(tell_outputs(s, outcome));
    if (s->everything_rests || *outcome != SPRAG_RUN_DONE)
        return SPRAG_OK;
    SPRAG_TRY(stepping_rest(s, h, outcome));
    if (run->statistics.events < (uint64_t)run->settings.max_events)
        return SPRAG_OK;
    *outcome = SPRAG_RUN_EVENT_LIMIT;
    return sprag_fail(run->context, SPRAG_OK, "%llu events since t = %.9g, as many as are told",
                      (unsigned long long)run->statistics.events, run->t_start);
}

// Forces at the start: those of a first step that nobody takes.
SpragStatus stepping_start(Stepping *s, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    run->t_start = s->t_zero = run->t;
    s->count = 0;
    s->h_solved = s->step;
    run->output_count = 1;
    if (!run->started)
        SPRAG_TRY(clock_begin(run));
    run->tolerances = sprag_system_tolerances(s->system, run->y + run->m);
    SPRAG_TRY(total_energy(s, &s->kinetic_after, &s->energy_before));
    if (!run->started)
        run->initial_energy = s->energy_before;
    forget_kicks(s);
    memcpy(s->v_before, run->y + run->m, (size_t)run->n * sizeof *s->v_before);
    SPRAG_TRY(stepping_find(s, s->step));
    SPRAG_TRY(stepping_rub(s, s->step));
    stepping_tell_contacts(s, s->step, outcome);
    stepping_bearings_tell(s, s->step, outcome);
    s->steps = 1;
    s->statistics.impacts = s->statistics.separations = 0;
    s->t_before = run->t;
    memcpy(s->q_before, run->y, (size_t)run->m * sizeof *s->q_before);
    memcpy(run->y + run->m, s->v_before, (size_t)run->n * sizeof *s->v_before);
    SPRAG_TRY(stepping_tell_sample(s, run->t, outcome));
    run->started = true;
    return SPRAG_OK;
}

SpragStatus stepping_advance(Stepping *s, double until, SpragRunOutcome *outcome)
{
    SpragRun *run = s->run;
    s->until = until;
    SpragStatus status = SPRAG_OK;
    if (!run->started)
        status = stepping_start(s, outcome);
    while (status == SPRAG_OK && *outcome == SPRAG_RUN_DONE && run->t < until) {
        if (run->settings.interrupt && *run->settings.interrupt)
            *outcome = SPRAG_RUN_INTERRUPTED;
        else
            status = advance_step(s, until, outcome);
    }
    if (status == SPRAG_ERROR_NUMERIC) {
        *outcome = SPRAG_RUN_NOT_CONVERGED;
        return SPRAG_OK;
    }
    SPRAG_TRY(status);
    SpragRunOutcome quiet = SPRAG_RUN_DONE;
    if (*outcome == SPRAG_RUN_DONE || (*outcome != SPRAG_RUN_STOPPED && run->sample.t < run->t))
        SPRAG_TRY(stepping_tell_sample(s, run->t, *outcome == SPRAG_RUN_DONE ? outcome : &quiet));
    return SPRAG_OK;
}

// ---- Who steps ----------------------------------------------------------------------------------

SpragStatus stepping_is_wanted(SpragRun *run, bool *wanted)
{
    const SpragModel *model = sprag_system_model(run->system);
    int moving = 0, closed = 0, added;
    *wanted = run->settings.motion == SPRAG_MOTION_STEPPING;
    if (*wanted || run->settings.motion != SPRAG_MOTION_AUTO || !model)
        return SPRAG_OK;
    for (int i = 0; i < model->body_count; i++)
        moving += !model->bodies[i].fixed;
    SPRAG_TRY(sprag_system_refresh(run->system, run->y, NULL, run->tolerances.gap, &added));
    SPRAG_TRY(sprag_system_set_state(run->system, run->t, run->y, run->y + run->m));
    const int *near;
    int near_count = sprag_system_near(run->system, &near);
    for (int i = 0; i < near_count; i++) {
        SpragContactBlock block;
        if (near[i] < sprag_system_joint_contact_count(run->system))
            continue; // limits and friction of joints
        closed += sprag_system_contact_block(run->system, near[i], run->tolerances.gap, &block);
    }
    *wanted = moving > STEPPING_BODIES || closed > STEPPING_CONTACTS;
    if (moving > STEPPING_BODIES)
        snprintf(run->stepping_reason, sizeof run->stepping_reason,
                 "%d bodies move, more than %d: time stepping; motion: events follows every event",
                 moving, (int)STEPPING_BODIES);
    else if (*wanted)
        snprintf(
            run->stepping_reason, sizeof run->stepping_reason,
            "%d contacts are closed, more than %d: time stepping; motion: events follows every "
            "event",
            closed, (int)STEPPING_CONTACTS);
    return SPRAG_OK;
}

SpragSteppingStatistics sprag_run_stepping(const SpragRun *run)
{
    SpragSteppingStatistics statistics = {0};
    if (run->stepping) {
        statistics = run->stepping->statistics;
        statistics.median_residual = stepping_median_residual(run->stepping);
    }
    return statistics;
}

SpragMotionKind sprag_run_motion(const SpragRun *run, const char **reason)
{
    if (reason)
        *reason = run->stepping_reason;
    return run->stepping ? SPRAG_MOTION_STEPPING : run->settings.motion;
}

// scalar_run.c: the run of a drive: steps, roots of event functions on the dense output, samples.
#include "sprag/scalar_run.h"

#include <math.h>
#include <string.h>

#include "scalar_run_private.h"

enum { EVENT_FUNCTIONS = 2 };

// Where no stiffness is given: frequency of the fastest branch, 1/s, and its damping ratio.
static const double DEFAULT_FREQUENCY = 1000, DEFAULT_RATIO = 0.1;

SpragDriveSettings sprag_drive_default(void)
{
    SpragDriveSettings settings = {
        .tolerance = 1e-9, .max_events = 100000, .start_motion = -1, .cookie = DRIVE_COOKIE};
    return settings;
}

// ---- Creation -----------------------------------------------------------------------------------

static void default_layer(SpragDriveRun *run)
{
    SpragPairMotion motion;
    double rate = 0;
    for (int s = -1; s <= 1; s += 2) {
        sprag_pair_evaluate(&run->pair, &run->problem.state, 1, s, &motion);
        rate = fmax(rate, fabs(motion.layer_rate));
    }
    run->layer_given = run->pair.stiffness > 0;
    if (run->layer_given)
        return;
    run->pair.stiffness = DEFAULT_FREQUENCY * DEFAULT_FREQUENCY / rate;
    run->pair.damping = 2 * DEFAULT_RATIO * DEFAULT_FREQUENCY / rate;
}

// The layer at the force of the rigid motion; unloaded where there is none.
static void begin_layer(SpragDriveRun *run)
{
    SpragPairVerdict verdict;
    int index = run->settings.start_motion;
    sprag_pair_forward(&run->pair, &run->problem.state, NULL, &verdict);
    if (index < 0 || index >= verdict.motion_count)
        index = verdict.chosen;
    double force = index >= 0 ? verdict.motions[index].layer : 0;
    run->y[STRETCH] = (1 + run->settings.disturbance) * force / run->pair.stiffness;
    double g[3];
    sprag_pair_ratio(&run->pair, run->y[Q2], g);
    if (run->pair.output == 0) // the coordinate of the file stays where it is
        run->y[Q2] -= run->y[STRETCH] / g[1];
}

static SpragStatus create_integrator(SpragDriveRun *run)
{
    SpragIntegratorSettings settings = sprag_integrator_default();
    double absolute[COMPLIANT_COUNT];
    settings.relative = run->settings.tolerance;
    for (int i = 0; i < COMPLIANT_COUNT; i++)
        absolute[i] = settings.absolute;
    // the account follows the motion; where its terms cancel it is noise that no step removes
    absolute[FRICTION] = absolute[ACTUATION] = absolute[DAMPING] = INFINITY;
    if (run->settings.compliant) {
        // the stretch is small: its error is measured beside that of the loads, not of 1
        double load = fabs(run->y[STRETCH]) * run->pair.stiffness;
        for (int i = 0; i < 2; i++)
            load = fmax(load, fabs(run->problem.state.input[i]) + fabs(run->pair.b[i]));
        absolute[STRETCH] = fmax(1e-3 * settings.relative * load / run->pair.stiffness, 1e-30);
        absolute[STRETCH_RATE] = absolute[STRETCH] * DEFAULT_FREQUENCY;
    }
    settings.absolute_each = absolute;
    return sprag_integrator_create(run->context,
                                   run->settings.compliant ? COMPLIANT_COUNT : RIGID_COUNT,
                                   drive_derivative, run, &settings, &run->integrator);
}

static SpragStatus begin(SpragDriveRun *run)
{
    const SpragDriveSettings *settings = &run->settings;
    if (settings->compliant && run->pair.a[1] == 0)
        return sprag_fail(run->context, SPRAG_ERROR_INPUT,
                          "a compliant run needs c other than 0: the guide's force does not depend "
                          "on the motion, run it rigid (motion: events)");
    drive_input(run, 0, run->problem.state.input);
    run->y[Q2] = run->problem.state.position;
    run->y[V2] = run->problem.state.velocity;
    if (settings->compliant) {
        default_layer(run);
        begin_layer(run);
    }
    SPRAG_TRY(create_integrator(run));
    SPRAG_TRY(sprag_root_finder_create(run->context, NULL, &run->finder));
    DriveInstant now;
    drive_evaluate(run, 0, run->y, &now);
    run->initial_energy = drive_energy(run, &now);
    drive_fill_sample(run, 0, run->y);
    return SPRAG_OK;
}

SpragStatus sprag_drive_run_create(SpragContext *context, const SpragDriveProblem *problem,
                                   const SpragDriveSettings *settings, const SpragDriveSink *sink,
                                   SpragDriveRun **run)
{
    SpragDriveSettings chosen = settings ? *settings : sprag_drive_default();
    *run = NULL;
    if (chosen.cookie != DRIVE_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "drive settings must come from sprag_drive_default");
    SpragDriveRun *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->context = context;
    made->problem = *problem;
    made->pair = *problem->pair;
    made->settings = chosen;
    if (sink)
        made->sink = *sink;
    SpragStatus status = begin(made);
    if (status == SPRAG_OK)
        *run = made;
    else
        sprag_drive_run_destroy(made);
    return status;
}

void sprag_drive_run_destroy(SpragDriveRun *run)
{
    if (!run)
        return;
    sprag_integrator_destroy(run->integrator);
    sprag_root_finder_destroy(run->finder);
    sprag_free(run->context, run);
}

// ---- Samples ------------------------------------------------------------------------------------

static void emit(SpragDriveRun *run, double t, const double *y, bool before, bool after)
{
    drive_fill_sample(run, t, y);
    run->sample.before_event = before;
    run->sample.after_event = after;
    if (run->sink.sample && run->sink.sample(&run->sample, run->sink.user) != 0)
        run->stopped = true;
}

// The multiples of the output step up to `to`, on the dense output; not those at the end itself.
static SpragStatus emit_outputs(SpragDriveRun *run, double to)
{
    double y[COMPLIANT_COUNT], step = run->settings.output_step;
    while (step > 0 && !run->stopped) {
        double t = (double)run->next_output * step;
        if (!(t < to))
            break;
        run->next_output++;
        if (t <= run->t)
            continue;
        SPRAG_TRY(sprag_integrator_evaluate(run->integrator, t, y));
        emit(run, t, y, false, false);
    }
    return SPRAG_OK;
}

// ---- Steps --------------------------------------------------------------------------------------

static int event_functions(double t, double *values, void *user)
{
    SpragDriveRun *run = user;
    double y[COMPLIANT_COUNT];
    int directions[EVENT_FUNCTIONS];
    if (sprag_integrator_evaluate(run->integrator, t, y) != SPRAG_OK)
        return -1;
    drive_event_values(run, t, y, values, directions);
    return 0;
}

static SpragStatus find_event(SpragDriveRun *run, const SpragStep *step, SpragRoot *root)
{
    double values[EVENT_FUNCTIONS];
    int directions[EVENT_FUNCTIONS];
    SpragRootProblem problem = {.function = event_functions,
                                .user = run,
                                .t_begin = step->t_old,
                                .t_end = step->t_new,
                                .directions = directions};
    problem.count = drive_event_values(run, run->t, run->y, values, directions);
    SPRAG_TRY(sprag_root_find(run->finder, &problem, root));
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

// The slip is made exactly zero where it ended.
static void end_slip(SpragDriveRun *run)
{
    if (!run->settings.compliant) {
        run->y[V2] = 0;
        return;
    }
    double g[3];
    const double *slip = run->pair.slip;
    sprag_pair_ratio(&run->pair, run->y[Q2], g);
    if (slip[0] != 0)
        run->y[STRETCH_RATE] = -(g[1] + slip[1] / slip[0]) * run->y[V2];
    else
        run->y[V2] = 0;
    run->slip_ended = true;
}

static SpragStatus treat_event(SpragDriveRun *run, const SpragRoot *root, bool *ended,
                               SpragRunOutcome *outcome)
{
    SPRAG_TRY(emit_outputs(run, root->after));
    SPRAG_TRY(sprag_integrator_evaluate(run->integrator, root->after, run->y));
    run->t = root->after;
    if (run->direction == 0 && root->fired && root->fired[0] == 0) // another verdict, no event
        return drive_decide(run, ended, outcome);
    emit(run, run->t, run->y, true, false);
    if (root->fired && root->fired[0] != 0)
        end_slip(run);
    SPRAG_TRY(drive_decide(run, ended, outcome));
    emit(run, run->t, run->y, false, true);
    if (run->settings.output_step > 0)
        run->next_output = (long)floor(run->t / run->settings.output_step) + 1;
    return SPRAG_OK;
}

static SpragStatus step_failed(SpragDriveRun *run, const SpragStep *step, SpragRunOutcome *outcome)
{
    (void)sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "a step at t = %.9g s: %s", run->t,
                     sprag_step_outcome_name(step->outcome));
    *outcome = SPRAG_RUN_NOT_CONVERGED;
    return SPRAG_OK;
}

// Whether the rest would take more than a billion steps: data so far apart that no explicit method
// follows them.
static bool is_hopeless(SpragDriveRun *run, double stop)
{
    const uint64_t interval = 100000;
    const double most = 1e9;
    if (run->statistics.steps < run->check_steps + interval)
        return false;
    double speed = (run->t - run->check_time) / (double)interval;
    run->check_steps = run->statistics.steps;
    run->check_time = run->t;
    return (stop - run->t) > most * speed;
}

// Smooth arc until an event, `stop` or an end.
static SpragStatus run_arc(SpragDriveRun *run, double stop, bool *ended, SpragRunOutcome *outcome)
{
    SPRAG_TRY(sprag_integrator_restart(run->integrator, run->t, run->y, NULL, 0));
    while (run->t < stop && !run->stopped) {
        SpragStep step;
        SpragRoot root;
        if (run->settings.interrupt && *run->settings.interrupt) {
            *ended = true;
            *outcome = SPRAG_RUN_INTERRUPTED;
            return SPRAG_OK;
        }
        if (is_hopeless(run, stop)) {
            *ended = true;
            *outcome = SPRAG_RUN_NOT_CONVERGED;
            (void)sprag_fail(run->context, SPRAG_ERROR_NUMERIC,
                             "steps are too small to reach %.6g s: the layer is too stiff", stop);
            return SPRAG_OK;
        }
        SPRAG_TRY(sprag_integrator_step(run->integrator, stop, &step));
        if (step.outcome != SPRAG_STEP_DONE && step.outcome != SPRAG_STEP_AT_STOP) {
            *ended = true;
            return step_failed(run, &step, outcome);
        }
        run->statistics.steps++;
        SPRAG_TRY(find_event(run, &step, &root));
        if (root.outcome == SPRAG_ROOT_FOUND)
            return treat_event(run, &root, ended, outcome);
        SPRAG_TRY(emit_outputs(run, step.t_new));
        run->t = step.t_new;
        memcpy(run->y, sprag_integrator_state(run->integrator),
               sizeof *run->y * (run->settings.compliant ? COMPLIANT_COUNT : RIGID_COUNT));
    }
    return SPRAG_OK;
}

static SpragStatus first_decision(SpragDriveRun *run, bool *ended, SpragRunOutcome *outcome)
{
    if (run->begun)
        return SPRAG_OK;
    SPRAG_TRY(drive_decide(run, ended, outcome));
    run->begun = true;
    run->next_output = 1;
    emit(run, run->t, run->y, false, false);
    return SPRAG_OK;
}

// Where this arc must stop at the latest.
static double next_stop(SpragDriveRun *run, double until)
{
    const SpragDriveProblem *problem = &run->problem;
    while (run->next_break < problem->break_count && problem->breaks[run->next_break] <= run->t)
        run->next_break++;
    bool breaks = run->next_break < problem->break_count;
    return breaks ? fmin(until, problem->breaks[run->next_break]) : until;
}

SpragStatus sprag_drive_run_advance(SpragDriveRun *run, double until, SpragRunOutcome *outcome)
{
    bool ended = false;
    *outcome = SPRAG_RUN_DONE;
    SPRAG_TRY(first_decision(run, &ended, outcome));
    while (!ended && !run->stopped && run->t < until) {
        double stop = next_stop(run, until);
        SPRAG_TRY(run_arc(run, stop, &ended, outcome));
        bool at_break = !ended && run->t >= stop && run->t < until;
        if (at_break)
            SPRAG_TRY(drive_decide(run, &ended, outcome));
        if ((long)run->statistics.events > run->settings.max_events && !ended) {
            ended = true;
            *outcome = SPRAG_RUN_EVENT_LIMIT;
        }
    }
    drive_end_verdict(run);
    if (run->t > run->sample.t || run->sample.t > run->t)
        emit(run, run->t, run->y, false, false);
    if (run->stopped && !ended)
        *outcome = SPRAG_RUN_STOPPED;
    return SPRAG_OK;
}

// ---- Access -------------------------------------------------------------------------------------

double sprag_drive_run_time(const SpragDriveRun *run)
{
    return run->t;
}

const SpragDriveSample *sprag_drive_run_sample(const SpragDriveRun *run)
{
    return &run->sample;
}

SpragRunStatistics sprag_drive_run_statistics(const SpragDriveRun *run)
{
    SpragRunStatistics statistics = run->statistics;
    statistics.evaluations = sprag_integrator_statistics(run->integrator).evaluations;
    return statistics;
}

double sprag_drive_run_initial_energy(const SpragDriveRun *run)
{
    return run->initial_energy;
}

double sprag_drive_run_drift(const SpragDriveRun *run)
{
    const SpragEnergyAccount *energy = &run->sample.energy;
    return run->initial_energy + energy->actuation - energy->friction - energy->impact -
           energy->damping - energy->kinetic - energy->potential - energy->elastic;
}

void sprag_drive_run_layer(const SpragDriveRun *run, double *stiffness, double *damping,
                           bool *given)
{
    *stiffness = run->pair.stiffness;
    *damping = run->pair.damping;
    *given = run->layer_given;
}

// scalar_run.c: the run of a drive of one degree of freedom: its start, its layer, its samples.
#include "sprag/scalar_run.h"

#include <math.h>

#include "scalar_run_private.h"

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
    run->loop.y[STRETCH] = (1 + run->settings.disturbance) * force / run->pair.stiffness;
    double g[3];
    sprag_pair_ratio(&run->pair, run->loop.y[Q2], g);
    if (run->pair.output == 0) // the coordinate of the file stays where it is
        run->loop.y[Q2] -= run->loop.y[STRETCH] / g[1];
}

// ---- What the loop asks for ---------------------------------------------------------------------

// The slip is made exactly zero where it ended.
static void end_slip(SpragDriveRun *run)
{
    if (!run->settings.compliant) {
        run->loop.y[V2] = 0;
        return;
    }
    double g[3];
    const double *slip = run->pair.slip;
    sprag_pair_ratio(&run->pair, run->loop.y[Q2], g);
    if (slip[0] != 0)
        run->loop.y[STRETCH_RATE] = -(g[1] + slip[1] / slip[0]) * run->loop.y[V2];
    else
        run->loop.y[V2] = 0;
    run->slip_ended = true;
}

static void emit(void *owner, double t, const double *y, bool before, bool after)
{
    SpragDriveRun *run = owner;
    drive_fill_sample(run, t, y);
    run->sample.before_event = before;
    run->sample.after_event = after;
    if (run->sink.sample && run->sink.sample(&run->sample, run->sink.user) != 0)
        run->loop.stopped = true;
}

static bool is_quiet(const void *owner, const int *fired)
{
    const SpragDriveRun *run = owner;
    return run->direction == 0 && fired[0] == 0;
}

static void end_slips(void *owner, const int *fired)
{
    SpragDriveRun *run = owner;
    if (fired[0] == 0)
        return;
    run->cone_left = run->direction == 0;
    end_slip(run);
}

static SpragStatus open_loop(SpragDriveRun *run)
{
    static const DriveCalls calls = {.derivative = drive_derivative,
                                     .event_values = drive_event_values,
                                     .decide = drive_decide,
                                     .is_quiet = is_quiet,
                                     .end_slips = end_slips,
                                     .emit = emit,
                                     .end_verdict = drive_end_verdict};
    SpragIntegratorSettings defaults = sprag_integrator_default();
    DriveLoop *loop = &run->loop;
    double absolute[COMPLIANT_COUNT];
    for (int i = 0; i < COMPLIANT_COUNT; i++)
        absolute[i] = defaults.absolute;
    // the account follows the motion; where its terms cancel it is noise that no step removes
    absolute[FRICTION] = absolute[ACTUATION] = absolute[DAMPING] = INFINITY;
    if (run->settings.compliant) {
        // the stretch is small: its error is measured beside that of the loads, not of 1
        double load = fabs(loop->y[STRETCH]) * run->pair.stiffness;
        for (int i = 0; i < 2; i++)
            load = fmax(load, fabs(run->problem.state.input[i]) + fabs(run->pair.b[i]));
        absolute[STRETCH] =
            fmax(1e-3 * run->settings.tolerance * load / run->pair.stiffness, 1e-30);
        absolute[STRETCH_RATE] = absolute[STRETCH] * DEFAULT_FREQUENCY;
    }
    loop->calls = &calls;
    loop->owner = run;
    loop->settings = &run->settings;
    loop->breaks = run->problem.breaks;
    loop->break_count = run->problem.break_count;
    loop->varies = run->problem.input != NULL;
    loop->count = run->settings.compliant ? COMPLIANT_COUNT : RIGID_COUNT;
    return loop_open(loop, absolute);
}

static SpragStatus begin(SpragDriveRun *run)
{
    const SpragDriveSettings *settings = &run->settings;
    if (settings->compliant && run->pair.a[1] == 0)
        return sprag_fail(run->context, SPRAG_ERROR_INPUT,
                          "a compliant run needs c other than 0: the guide's force does not depend "
                          "on the motion, run it rigid (motion: events)");
    drive_input(run, 0, run->problem.state.input);
    run->loop.y[Q2] = run->problem.state.position;
    run->loop.y[V2] = run->problem.state.velocity;
    if (settings->compliant) {
        default_layer(run);
        begin_layer(run);
    }
    SPRAG_TRY(open_loop(run));
    DriveInstant now;
    drive_evaluate(run, 0, run->loop.y, &now);
    run->initial_energy = drive_energy(run, &now);
    drive_fill_sample(run, 0, run->loop.y);
    return SPRAG_OK;
}

SpragStatus sprag_drive_run_create(SpragContext *context, const SpragDriveProblem *problem,
                                   const SpragDriveSettings *settings, const SpragDriveSink *sink,
                                   SpragDriveRun **run)
{
    SpragDriveSettings chosen;
    *run = NULL;
    SPRAG_TRY(loop_settings(context, settings, &chosen));
    SpragDriveRun *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->context = made->loop.context = context;
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
    loop_close(&run->loop);
    sprag_free(run->context, run);
}

SpragStatus sprag_drive_run_advance(SpragDriveRun *run, double until, SpragRunOutcome *outcome)
{
    return loop_advance(&run->loop, until, outcome);
}

// ---- Access -------------------------------------------------------------------------------------

double sprag_drive_run_time(const SpragDriveRun *run)
{
    return run->loop.t;
}

const SpragDriveSample *sprag_drive_run_sample(const SpragDriveRun *run)
{
    return &run->sample;
}

SpragRunStatistics sprag_drive_run_statistics(const SpragDriveRun *run)
{
    return loop_statistics(&run->loop);
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

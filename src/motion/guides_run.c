// guides_run.c: the run of several guides (theory.md 9.4): its start, its layers, its samples.
#include <math.h>
#include <string.h>

#include "guides_run_private.h"

// Where no stiffness is given: frequency of a guide without friction, 1/s, and its damping ratio.
static const double DEFAULT_FREQUENCY = 1000, DEFAULT_RATIO = 0.1;

// ---- What the loop asks for ---------------------------------------------------------------------

static void emit(void *owner, double t, const double *y, bool before, bool after)
{
    SpragGuidesRun *run = owner;
    guides_fill_sample(run, t, y);
    run->sample.before_event = before;
    run->sample.after_event = after;
    if (run->sink.sample && run->sink.sample(&run->sample, run->sink.user) != 0)
        run->loop.stopped = true;
}

// Compliant: a normal force that passes zero.
static bool is_quiet(const void *owner, const int *fired)
{
    const SpragGuidesRun *run = owner;
    bool quiet = run->settings.compliant;
    for (int j = 0; j < run->guides.m && quiet; j++)
        quiet = fired[2 * j] == 0;
    return quiet;
}

// Slips that ended become exactly zero: v changes by the smallest kinetic energy that does it, and
// so that slips which are held stay so.
static void end_slips(void *owner, const int *fired)
{
    SpragGuidesRun *run = owner;
    const SpragGuides *guides = &run->guides;
    int n = guides->n, m = guides->m, held[MOST];
    double P[MOST * MOST], work[MOST * MOST], *v = run->loop.y + n;
    memcpy(held, run->slip, sizeof held);
    for (int j = 0; j < m; j++) {
        run->ended[j] = run->slip[j] != 0 && fired[2 * j] != 0;
        run->left[j] = run->slip[j] == 0 && fired[2 * j] != 0;
        run->forced_event |= run->slip[j] == 0 ? fired[2 * j] != 0 : fired[2 * j + 1] != 0;
        if (!run->ended[j] || !sprag_guides_mobility(guides, held, P, work))
            continue;
        double direction[MOST], change[MOST], share = 0, slip = guides_slip(run, j, v);
        for (int i = 0; i < n; i++)
            direction[i] = guides->direction ? guides->direction[i * m + j] : i == j;
        for (int i = 0; i < n; i++) {
            change[i] = 0;
            for (int k = 0; k < n; k++)
                change[i] += P[i * n + k] * direction[k];
            share += direction[i] * change[i];
        }
        for (int i = 0; i < n && share > 0; i++)
            v[i] -= change[i] * slip / share;
        if (!guides->direction)
            v[j] = 0;
        held[j] = 0;
    }
}

// ---- Creation -----------------------------------------------------------------------------------

static void choose_layer(SpragGuidesRun *run)
{
    run->layer_given = run->guides.stiffness != NULL;
    for (int j = 0; j < run->guides.m; j++) {
        sprag_guides_layer(&run->guides, j, &run->stiffness[j], &run->damping[j]);
        if (run->layer_given)
            continue;
        run->stiffness[j] = DEFAULT_FREQUENCY * DEFAULT_FREQUENCY;
        run->damping[j] = 2 * DEFAULT_RATIO * DEFAULT_FREQUENCY;
    }
}

// The layers at the forces of the rigid motion; unloaded where there is none.
static SpragStatus begin_layer(SpragGuidesRun *run)
{
    SpragGuidesVerdict verdict;
    int index = run->settings.start_motion, n = run->guides.n;
    SPRAG_TRY(guides_forward_at(run, 0, NULL, &verdict));
    if (index < 0 || index >= verdict.motion_count)
        index = verdict.chosen;
    for (int j = 0; j < run->guides.m && index >= 0; j++)
        run->loop.y[2 * n + 2 + j] =
            (1 + run->settings.disturbance) * verdict.motions[index].normal[j] / run->stiffness[j];
    sprag_arena_release(run->arena, run->mark);
    return SPRAG_OK;
}

static SpragStatus open_loop(SpragGuidesRun *run)
{
    static const DriveCalls calls = {.derivative = guides_derivative,
                                     .event_values = guides_event_values,
                                     .decide = guides_decide,
                                     .is_quiet = is_quiet,
                                     .end_slips = end_slips,
                                     .emit = emit,
                                     .end_verdict = guides_end_verdict,
                                     .watch = guides_watch};
    SpragIntegratorSettings defaults = sprag_integrator_default();
    DriveLoop *loop = &run->loop;
    int n = run->guides.n, m = run->guides.m;
    double absolute[LOOP_STATE], load = 0;
    for (int i = 0; i < LOOP_STATE; i++)
        absolute[i] = defaults.absolute;
    absolute[2 * n] = absolute[2 * n + 1] = INFINITY; // the account follows the motion
    for (int i = 0; i < n; i++)
        load = fmax(load, fabs(run->input[i]) + fabs(run->guides.b[i]));
    for (int j = 0; j < m; j++)
        load = fmax(load, fabs(run->guides.d[j]));
    for (int j = 0; j < m; j++) { // stretches are small: their errors are those of the forces
        double small = fmax(1e-3 * run->settings.tolerance * load / run->stiffness[j], 1e-30);
        absolute[2 * n + 2 + j] = small;
        absolute[2 * n + 2 + m + j] = small * DEFAULT_FREQUENCY;
    }
    loop->calls = &calls;
    loop->owner = run;
    loop->settings = &run->settings;
    loop->breaks = run->problem.breaks;
    loop->break_count = run->problem.break_count;
    loop->varies = run->problem.input != NULL;
    loop->count = 2 * n + 2 + (run->settings.compliant ? 2 * m : 0);
    return loop_open(loop, absolute);
}

static SpragStatus begin(SpragGuidesRun *run)
{
    int n = run->guides.n;
    double kinetic, potential;
    SPRAG_TRY(sprag_arena_create(run->context, 4096, &run->arena));
    run->mark = sprag_arena_mark(run->arena);
    guides_input(run, 0, run->input);
    for (int i = 0; i < n; i++) {
        run->loop.y[i] = run->problem.position ? run->problem.position[i] : 0;
        run->loop.y[n + i] = run->problem.guides->velocity[i];
    }
    choose_layer(run);
    if (run->settings.compliant)
        SPRAG_TRY(begin_layer(run));
    run->initial_energy = guides_energy(run, run->loop.y, &kinetic, &potential);
    return open_loop(run);
}

SpragStatus sprag_guides_run_create(SpragContext *context, const SpragGuidesProblem *problem,
                                    const SpragDriveSettings *settings, const SpragGuidesSink *sink,
                                    SpragGuidesRun **run)
{
    SpragDriveSettings chosen;
    *run = NULL;
    SPRAG_TRY(loop_settings(context, settings, &chosen));
    SpragGuidesRun *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->context = made->loop.context = context;
    made->problem = *problem;
    made->guides = *problem->guides;
    made->settings = chosen;
    if (sink)
        made->sink = *sink;
    SpragStatus status = begin(made);
    if (status == SPRAG_OK)
        *run = made;
    else
        sprag_guides_run_destroy(made);
    return status;
}

void sprag_guides_run_destroy(SpragGuidesRun *run)
{
    if (!run)
        return;
    loop_close(&run->loop);
    sprag_arena_destroy(run->arena);
    sprag_free(run->context, run);
}

SpragStatus sprag_guides_run_advance(SpragGuidesRun *run, double until, SpragRunOutcome *outcome)
{
    return loop_advance(&run->loop, until, outcome);
}

// ---- Access -------------------------------------------------------------------------------------

const SpragGuidesSample *sprag_guides_run_sample(const SpragGuidesRun *run)
{
    return &run->sample;
}

SpragRunStatistics sprag_guides_run_statistics(const SpragGuidesRun *run)
{
    return loop_statistics(&run->loop);
}

double sprag_guides_run_initial_energy(const SpragGuidesRun *run)
{
    return run->initial_energy;
}

double sprag_guides_run_drift(const SpragGuidesRun *run)
{
    const SpragEnergyAccount *energy = &run->sample.energy;
    return run->initial_energy + energy->actuation - energy->friction - energy->impact -
           energy->kinetic - energy->potential;
}

void sprag_guides_run_layer(const SpragGuidesRun *run, int guide, double *stiffness,
                            double *damping, bool *given)
{
    double k, c;
    SpragGuides unit = run->guides;
    double ones[MOST];
    for (int j = 0; j < MOST; j++)
        ones[j] = 1;
    unit.stiffness = unit.damping = ones;
    sprag_guides_layer(&unit, guide, &k, &c); // 1/|c_j|
    *stiffness = run->stiffness[guide] / k;
    *damping = run->damping[guide] / k;
    *given = run->layer_given;
}

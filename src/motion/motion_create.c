// motion_create.c: a run's memory: one block for all arrays, handles, settings, and the look at its
// present state.
#include <math.h>
#include <string.h>

#include "motion_private.h"

enum { RUN_COOKIE = 0x52554e31 };

const char *sprag_run_outcome_name(SpragRunOutcome outcome)
{
    static const char *const names[] = {"done",        "no-solution", "ambiguity",
                                        "unstable",    "jam",         "not-converged",
                                        "event-limit", "interrupted", "stopped"};
    return names[outcome];
}

SpragRunSettings sprag_run_default(void)
{
    return (SpragRunSettings){.tolerance = 1e-9,
                              .output_step = 1e-3,
                              .max_events = 100000,
                              .impacts = SPRAG_IMPACTS_PATH,
                              .epsilon = 1e-4,
                              .verdicts = true,
                              .cookie = RUN_COOKIE};
}

// ---- Memory -------------------------------------------------------------------------------------

// Hands out consecutive parts of one block; with base NULL it only counts.
typedef struct Carver {
    char *base;
    size_t used;
} Carver;

static void *carve(Carver *carver, size_t count, size_t size)
{
    void *part = carver->base ? carver->base + carver->used : NULL;
    carver->used += (count * size + 15) & ~(size_t)15;
    return part;
}

static void carve_frozen(Carver *carver, Frozen *f, size_t slots)
{
    f->active = carve(carver, slots, sizeof *f->active);
    f->open = carve(carver, slots, sizeof *f->open);
    f->first = carve(carver, slots, sizeof *f->first);
    f->rows = carve(carver, slots, sizeof *f->rows);
    f->sliding = carve(carver, slots, sizeof *f->sliding);
    f->sign = carve(carver, slots, sizeof *f->sign);
    f->soft = carve(carver, slots, sizeof *f->soft);
    f->quick = carve(carver, slots, sizeof *f->quick);
    f->depth_at = carve(carver, slots, sizeof *f->depth_at);
    f->shear_at = carve(carver, slots, sizeof *f->shear_at);
    f->unknowns = carve(carver, 2 * slots, sizeof *f->unknowns);
    f->solved = carve(carver, 2 * slots, sizeof *f->solved);
    f->functions = carve(carver, MOST_FUNCTIONS(slots), sizeof *f->functions);
    f->directions = carve(carver, MOST_FUNCTIONS(slots), sizeof *f->directions);
    f->zeros = carve(carver, MOST_FUNCTIONS(slots), sizeof *f->zeros);
    f->fired = carve(carver, MOST_FUNCTIONS(slots), sizeof *f->fired);
}

static void carve_evaluation(Carver *carver, Evaluation *e, size_t slots, size_t n)
{
    size_t rows = 2 * slots;
    e->load = carve(carver, rows, sizeof(double));
    e->ratio = carve(carver, slots, sizeof(double));
    e->shear_rate = carve(carver, slots, sizeof(double));
    e->press = carve(carver, slots, sizeof(double));
    e->gap = carve(carver, slots, sizeof(double));
    e->gap_rate = carve(carver, slots, sizeof(double));
    e->slip = carve(carver, slots, sizeof(double));
    e->friction = carve(carver, 2 * slots, sizeof(double));
    e->held = carve(carver, slots, sizeof(double));
    e->numbers = carve(carver, slots, sizeof *e->numbers);
    e->W = carve(carver, rows * rows, sizeof(double));
    e->b = carve(carver, rows, sizeof(double));
    e->drift = carve(carver, rows, sizeof(double));
    e->response = carve(carver, rows * n, sizeof(double));
    e->free_acceleration = carve(carver, n, sizeof(double));
    e->force = carve(carver, rows, sizeof(double));
    e->acceleration = carve(carver, n, sizeof(double));
    e->D = carve(carver, rows * rows, sizeof(double));
    e->right = carve(carver, rows, sizeof(double));
    e->x = carve(carver, rows, sizeof(double));
    e->permutation = carve(carver, 2 * rows, sizeof(int));
    e->y = carve(carver, 2 * n + WORK_COUNT + 2 * slots, sizeof(double));
}

static void carve_layers(Carver *carver, SpragRun *run, size_t slots)
{
    run->compliant = carve(carver, slots, sizeof *run->compliant);
    run->touching = carve(carver, slots, sizeof *run->touching);
    run->layer_known = carve(carver, slots, sizeof *run->layer_known);
    run->layer_default = carve(carver, slots, sizeof *run->layer_default);
    run->layer_told = carve(carver, slots, sizeof *run->layer_told);
    run->layer = carve(carver, slots, sizeof *run->layer);
    run->law = carve(carver, slots, sizeof *run->law);
    run->depth_state = carve(carver, slots, sizeof(double));
    run->shear_state = carve(carver, slots, sizeof(double));
    run->stick_since = carve(carver, slots, sizeof(double));
    run->slider_period = carve(carver, slots, sizeof(double));
    run->slid = carve(carver, slots, sizeof *run->slid);
    run->absolute = carve(carver, (size_t)run->most_size, sizeof(double));
}

static void carve_run(Carver *carver, SpragRun *run)
{
    size_t slots = (size_t)run->slots, size = (size_t)run->most_size;
    run->y = carve(carver, size, sizeof(double));
    run->scratch = carve(carver, size, sizeof(double));
    run->later = carve(carver, size, sizeof(double));
    run->mode = carve(carver, slots, sizeof *run->mode);
    run->mode_before = carve(carver, slots, sizeof *run->mode_before);
    run->kinematics = carve(carver, slots, sizeof *run->kinematics);
    run->contacts = carve(carver, slots, sizeof *run->contacts);
    run->left = carve(carver, slots, sizeof *run->left);
    run->fresh = carve(carver, slots, sizeof *run->fresh);
    run->bounces = carve(carver, slots, sizeof *run->bounces);
    run->pilot.slot = carve(carver, slots, sizeof *run->pilot.slot);
    run->pilot.culprit = carve(carver, slots, sizeof(bool));
    run->probe_gap = carve(carver, slots, sizeof(double));
    run->probe_rate = carve(carver, slots, sizeof(double));
    run->probe_slip = carve(carver, slots, sizeof(double));
    run->values_begin = carve(carver, MOST_FUNCTIONS(slots), sizeof(double));
    run->values_end = carve(carver, MOST_FUNCTIONS(slots), sizeof(double));
    carve_frozen(carver, &run->frozen, slots);
    carve_evaluation(carver, &run->now, slots, (size_t)run->n);
    carve_layers(carver, run, slots);
}

static SpragStatus create_parts(SpragRun *run)
{
    SpragContext *context = run->context;
    Carver counter = {0};
    carve_run(&counter, run);
    run->block = sprag_alloc(context, counter.used + 16, 1);
    if (!run->block)
        return SPRAG_ERROR_MEMORY;
    Carver carver = {run->block, 0};
    carve_run(&carver, run);
    sprag_contact_problem_init(&run->problem, context);
    SPRAG_TRY(sprag_arena_create(context, 1 << 14, &run->arena));
    SPRAG_TRY(sprag_analysis_create(context, &run->analysis));
    SPRAG_TRY(sprag_motion_search_create(context, &run->search));
    SPRAG_TRY(sprag_impact_create(context, &run->impact));
    SPRAG_TRY(sprag_root_finder_create(context, NULL, &run->finder));
    pilot_reset(run);
    sprag_system_initial(run->system, run->y, run->y + run->n);
    run->tolerances = sprag_system_tolerances(run->system, run->y + run->n);
    layers_begin(run);
    return SPRAG_OK;
}

SpragStatus sprag_run_create(SpragSystem *system, const SpragRunSettings *settings,
                             const SpragSink *sink, SpragRun **run)
{
    SpragContext *context = sprag_system_context(system);
    *run = NULL;
    SpragRunSettings chosen = settings ? *settings : sprag_run_default();
    if (chosen.cookie != RUN_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "run settings must come from sprag_run_default");
    if (!(chosen.tolerance >= 1e-14 && chosen.tolerance <= 0.1) || !(chosen.output_step >= 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "tolerance must be in 1e-14 … 0.1, got %g; output step ≥ 0, got %g",
                          chosen.tolerance, chosen.output_step);
    if (!(chosen.epsilon > 0 && chosen.epsilon <= 1) || !(chosen.max_step >= 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "epsilon must be above 0 and at most 1, got %g; the largest step ≥ 0, "
                          "got %g",
                          chosen.epsilon, chosen.max_step);
    if (sprag_system_dimension(system) != 2)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "motion by events is for planar systems in this version");
    SpragRun *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->system = system;
    created->settings = chosen;
    if (sink)
        created->sink = *sink;
    created->n = sprag_system_velocity_count(system);
    created->slots = sprag_system_contact_count(system);
    created->size = 2 * created->n + WORK_COUNT;
    created->most_size = created->size + 2 * created->slots;
    SpragStatus status = create_parts(created);
    if (status != SPRAG_OK) {
        sprag_run_destroy(created);
        return status;
    }
    *run = created;
    return SPRAG_OK;
}

void sprag_run_destroy(SpragRun *run)
{
    if (!run)
        return;
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    sprag_integrator_destroy(run->plain);
    sprag_integrator_destroy(run->stiff);
    sprag_root_finder_destroy(run->finder);
    sprag_analysis_destroy(run->analysis);
    sprag_motion_search_destroy(run->search);
    sprag_impact_destroy(run->impact);
    sprag_arena_destroy(run->arena);
    sprag_contact_problem_destroy(&run->problem);
    sprag_free(run->context, run->block);
    sprag_free(run->context, run);
}

SpragStatus sprag_run_restart(SpragRun *run, double t, const double *q, const double *v)
{
    for (int i = 0; i < run->n; i++)
        if (!isfinite(q[i]) || !isfinite(v[i]) || !isfinite(t))
            return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "the state must be finite");
    memset(run->y, 0, (size_t)run->most_size * sizeof *run->y);
    memcpy(run->y, q, (size_t)run->n * sizeof *q);
    memcpy(run->y + run->n, v, (size_t)run->n * sizeof *v);
    run->t = t;
    run->started = run->interval_open = run->held = false;
    run->t_here = t;
    run->impact_loss = run->impact_actuation = 0;
    pilot_reset(run);
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    layers_begin(run);
    modes_outdate(run);
    memset(&run->statistics, 0, sizeof run->statistics);
    return SPRAG_OK;
}

// ---- Looking at it ------------------------------------------------------------------------------

double sprag_run_time(const SpragRun *run)
{
    return run->t;
}

const double *sprag_run_position(const SpragRun *run)
{
    return run->y;
}

const double *sprag_run_velocity(const SpragRun *run)
{
    return run->y + run->n;
}

const SpragRunSample *sprag_run_sample(const SpragRun *run)
{
    return &run->sample;
}

SpragRunStatistics sprag_run_statistics(const SpragRun *run)
{
    SpragRunStatistics statistics = run->statistics;
    statistics.evaluations = run->evaluations;
    return statistics;
}

double sprag_run_drift(const SpragRun *run)
{
    const SpragEnergyAccount *e = &run->sample.energy;
    return run->initial_energy + e->actuation - e->friction - e->impact - e->damping - e->change -
           e->kinetic - e->potential - e->elastic;
}

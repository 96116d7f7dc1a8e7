// motion_create.c: a run's memory: one block for all arrays of one entry a slot, handles, settings,
// and the look at its present state. In space contacts are appended in a run, and the block grows.
#include <math.h>
#include <string.h>

#include "stepping.h"

enum { RUN_COOKIE = 0x52554e31 };
// Rows of a contact at most: in space, and of a bearing with two normals in the plane.
enum { MOST_ROWS = SPRAG_CONSTRAINT_ROWS };

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
                              .theta = 0.5,
                              .law_tolerance = 1e-3,
                              .verdicts = true,
                              .cookie = RUN_COOKIE};
}

// ---- Memory -------------------------------------------------------------------------------------

// Arrays of so many slots; what an array held before (of `kept` slots) is copied.
typedef struct Carver {
    SpragCarver parts;
    size_t slots, kept;
    bool copies;
} Carver;

// An array of `each` items of some bytes a slot, and `more` beside them.
static void *carve(Carver *carver, void *old, size_t each, size_t more, size_t bytes)
{
    void *part = sprag_carve(&carver->parts, each * carver->slots + more, bytes);
    if (part && carver->copies)
        memcpy(part, old, (each * carver->kept + more) * bytes);
    return part ? part : old;
}

#define CARVE(carver, array, each, more)                                                           \
    ((array) = carve((carver), (array), (each), (more), sizeof *(array)))

static void carve_frozen(Carver *carver, Frozen *f)
{
    CARVE(carver, f->active, 1, 0);
    CARVE(carver, f->open, 1, 0);
    CARVE(carver, f->first, 1, 0);
    CARVE(carver, f->rows, 1, 0);
    CARVE(carver, f->normals, 1, 0);
    CARVE(carver, f->bearing, 1, 0);
    CARVE(carver, f->sibling, 1, 0);
    CARVE(carver, f->sharer, 1, 0);
    CARVE(carver, f->sliding, 1, 0);
    CARVE(carver, f->sign, 1, 0);
    CARVE(carver, f->heading, WAYS, 0);
    CARVE(carver, f->vague, 1, 0);
    CARVE(carver, f->soft, 1, 0);
    CARVE(carver, f->quick, 1, 0);
    CARVE(carver, f->depth_at, 1, 0);
    CARVE(carver, f->shear_at, 1, 0);
    CARVE(carver, f->unknowns, MOST_ROWS, 0);
    CARVE(carver, f->solved, MOST_ROWS, 0);
    CARVE(carver, f->functions, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, f->directions, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, f->zeros, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, f->layers, 1, 0);
    CARVE(carver, f->fired, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
}

static void carve_evaluation(Carver *carver, const SpragRun *run, Evaluation *e)
{
    size_t tangents = (size_t)run->tangents, rows = MOST_ROWS, n = (size_t)run->n;
    CARVE(carver, e->load, rows, 0);
    CARVE(carver, e->ratio, tangents, 0);
    CARVE(carver, e->shear_rate, tangents, 0);
    CARVE(carver, e->press, 1, 0);
    CARVE(carver, e->gap, 1, 0);
    CARVE(carver, e->gap_rate, 1, 0);
    CARVE(carver, e->slip, (size_t)run->slip_stride, 0);
    CARVE(carver, e->direction, WAYS, 0);
    CARVE(carver, e->aim, WAYS, 0);
    CARVE(carver, e->friction, 2, 0);
    CARVE(carver, e->held, 1, 0);
    CARVE(carver, e->numbers, 1, 0);
    CARVE(carver, e->b, rows, 0);
    CARVE(carver, e->drift, rows, 0);
    CARVE(carver, e->free_acceleration, 0, n);
    CARVE(carver, e->force, rows, 0);
    CARVE(carver, e->acceleration, 0, n);
    CARVE(carver, e->right, rows, 0);
    CARVE(carver, e->scale, rows, 0);
    CARVE(carver, e->x, rows, 0);
    CARVE(carver, e->permutation, 2 * rows, 0);
    CARVE(carver, e->y, 1 + tangents, (size_t)WORK_AT(run) + WORK_COUNT);
}

static void carve_layers(Carver *carver, SpragRun *run)
{
    size_t tangents = (size_t)run->tangents;
    CARVE(carver, run->compliant, 1, 0);
    CARVE(carver, run->touching, 1, 0);
    CARVE(carver, run->layer_known, 1, 0);
    CARVE(carver, run->layer_default, 1, 0);
    CARVE(carver, run->layer_told, 1, 0);
    CARVE(carver, run->layer, 1, 0);
    CARVE(carver, run->law, 1, 0);
    CARVE(carver, run->depth_state, 1, 0);
    CARVE(carver, run->shift, 1, 0);
    CARVE(carver, run->lift, 1, 0);
    CARVE(carver, run->shear_state, tangents, 0);
    CARVE(carver, run->stick_since, 1, 0);
    CARVE(carver, run->slow_since, 1, 0);
    CARVE(carver, run->slider_period, 1, 0);
    CARVE(carver, run->slid, 1, 0);
    CARVE(carver, run->absolute, 1 + tangents, (size_t)WORK_AT(run) + WORK_COUNT);
}

static void carve_run(Carver *carver, SpragRun *run)
{
    size_t tangents = (size_t)run->tangents, base = (size_t)WORK_AT(run) + WORK_COUNT;
    CARVE(carver, run->y, 1 + tangents, base);
    CARVE(carver, run->scratch, 1 + tangents, base);
    CARVE(carver, run->later, 1 + tangents, base);
    CARVE(carver, run->ways, 0, (size_t)run->n);
    CARVE(carver, run->mode, 1, 0);
    CARVE(carver, run->mode_before, 1, 0);
    CARVE(carver, run->heading, WAYS, 0);
    CARVE(carver, run->heading_before, WAYS, 0);
    CARVE(carver, run->starting, 1, 0);
    CARVE(carver, run->aim, WAYS, 0);
    CARVE(carver, run->kinematics, 1, 0);
    CARVE(carver, run->contacts, 1, 0);
    CARVE(carver, run->left, 1, 0);
    CARVE(carver, run->fresh, 1, 0);
    CARVE(carver, run->bounces, 1, 0);
    CARVE(carver, run->pilot.slot, 1, 0);
    CARVE(carver, run->pilot.culprit, 1, 0);
    CARVE(carver, run->probe_gap, 1, 0);
    CARVE(carver, run->probe_rate, 1, 0);
    CARVE(carver, run->probe_slip, (size_t)run->slip_stride, 0);
    CARVE(carver, run->values_begin, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, run->values_end, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, run->watch.least, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, run->watch.most, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, run->watch.least_rate, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    CARVE(carver, run->watch.most_rate, MOST_FUNCTIONS(1), MOST_FUNCTIONS(0));
    carve_frozen(carver, &run->frozen);
    carve_evaluation(carver, run, &run->now);
    carve_layers(carver, run);
}

// Arrays for `room` slots, of which the first `kept` go on as they are.
static SpragStatus make_room(SpragRun *run, int room, int kept)
{
    Carver carver = {.slots = (size_t)room, .kept = (size_t)kept};
    void *old = run->block;
    carve_run(&carver, run);
    void *block = sprag_alloc(run->context, carver.parts.used + 16, 1);
    if (!block)
        return SPRAG_ERROR_MEMORY;
    carver = (Carver){{block, 0}, (size_t)room, (size_t)kept, old != NULL};
    carve_run(&carver, run);
    sprag_free(run->context, old);
    run->block = block;
    run->room = room;
    run->most_size = WORK_AT(run) + WORK_COUNT + (1 + run->tangents) * room;
    return SPRAG_OK;
}

SpragStatus run_grow(SpragRun *run)
{
    int before = run->slots, now = sprag_system_contact_count(run->system);
    if (now > run->room)
        SPRAG_TRY(make_room(run, now + now / 2, before));
    run->slots = now;
    run->sample.q = run->y;
    run->sample.v = run->y + run->m;
    run->sample.contacts = run->contacts;
    for (int slot = before; slot < now; slot++) {
        run->mode[slot] = run->mode_before[slot] = SPRAG_MODE_SEPARATE;
        run->left[slot] = run->fresh[slot] = run->starting[slot] = false;
        run->lift[slot] = 0;
        run->contacts[slot] = (SpragRunContact){.gap = INFINITY, .mode = SPRAG_MODE_SEPARATE};
        run->kinematics[slot] = (SpragContactKinematics){.gap = INFINITY};
        layers_begin_slot(run, slot);
        pilot_reset_slot(run, slot);
        pilot_join(run, slot);
        zeno_clear_slot(run, slot);
    }
    return SPRAG_OK;
}

static SpragStatus create_parts(SpragRun *run)
{
    SpragContext *context = run->context;
    SPRAG_TRY(make_room(run, run->slots, 0));
    sprag_contact_problem_init(&run->problem, context);
    SPRAG_TRY(sprag_arena_create(context, 1 << 14, &run->arena));
    SPRAG_TRY(sprag_analysis_create(context, &run->analysis));
    SPRAG_TRY(sprag_motion_search_create(context, &run->search));
    SPRAG_TRY(sprag_impact_create(context, &run->impact));
    sprag_impact_set_interrupt(run->impact, run->settings.interrupt);
    SPRAG_TRY(sprag_root_finder_create(context, NULL, &run->finder));
    const SpragModel *model = sprag_system_model(run->system);
    size_t joints = model ? (size_t)model->joint_count : 0;
    if (joints > 0) {
        run->joint_states = sprag_alloc(context, joints, sizeof *run->joint_states);
        if (!run->joint_states)
            return SPRAG_ERROR_MEMORY;
    }
    pilot_reset(run);
    sprag_system_initial(run->system, run->y, run->y + run->m);
    run->tolerances = sprag_system_tolerances(run->system, run->y + run->m);
    layers_begin(run);
    bool steps;
    SPRAG_TRY(stepping_is_wanted(run, &steps));
    return steps ? stepping_create(run) : SPRAG_OK;
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
    if (!(chosen.tolerance >= SPRAG_LEAST_RUN_TOLERANCE &&
          chosen.tolerance <= SPRAG_MOST_RUN_TOLERANCE) ||
        !(chosen.output_step >= 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "tolerance must be in 1e-14 … 0.1, got %g; output step ≥ 0, got %g",
                          chosen.tolerance, chosen.output_step);
    if (!(chosen.epsilon > 0 && chosen.epsilon <= 1) || !(chosen.max_step >= 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "epsilon must be above 0 and at most 1, got %g; the largest step ≥ 0, "
                          "got %g",
                          chosen.epsilon, chosen.max_step);
    if (!(chosen.step >= 0 && isfinite(chosen.step)) || !(chosen.theta >= 0 && chosen.theta <= 1) ||
        chosen.threads < 0 || chosen.threads > SPRAG_STEP_MOST_THREADS)
        return sprag_fail(
            context, SPRAG_ERROR_ARGUMENT,
            "the step must be above 0 (or 0: from the scene), got %g; theta in 0 … 1, "
            "got %g; threads up to %d, got %d",
            chosen.step, chosen.theta, (int)SPRAG_STEP_MOST_THREADS, chosen.threads);
    if (!(chosen.law_tolerance > 0 && chosen.law_tolerance <= SPRAG_MOST_RUN_TOLERANCE))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "the law tolerance must be above 0 and at most %g, got %g",
                          SPRAG_MOST_RUN_TOLERANCE, chosen.law_tolerance);
    SpragRun *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->system = system;
    created->settings = chosen;
    if (sink)
        created->sink = *sink;
    created->n = sprag_system_velocity_count(system);
    created->m = sprag_system_position_count(system);
    created->slots = sprag_system_contact_count(system);
    created->tangents = sprag_system_dimension(system) - 1;
    created->slip_stride = created->tangents == 1 ? 1 : WAYS;
    created->size = WORK_AT(created) + WORK_COUNT;
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
    stepping_destroy(run->stepping);
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    sprag_integrator_destroy(run->plain);
    sprag_integrator_destroy(run->stiff);
    sprag_root_finder_destroy(run->finder);
    sprag_analysis_destroy(run->analysis);
    sprag_motion_search_destroy(run->search);
    sprag_free(run->context, run->told.numbers);
    sprag_impact_destroy(run->impact);
    sprag_arena_destroy(run->arena);
    sprag_contact_problem_destroy(&run->problem);
    clock_destroy(run);
    sprag_free(run->context, run->now.W);
    sprag_free(run->context, run->now.D);
    sprag_free(run->context, run->now.response);
    sprag_free(run->context, run->joint_states);
    sprag_free(run->context, run->marks);
    sprag_free(run->context, run->block);
    sprag_free(run->context, run);
}

SpragStatus sprag_run_restart(SpragRun *run, double t, const double *q, const double *v)
{
    bool finite = isfinite(t);
    for (int i = 0; i < run->m; i++)
        finite &= isfinite(q[i]) != 0;
    for (int i = 0; i < run->n; i++)
        finite &= isfinite(v[i]) != 0;
    if (!finite)
        return sprag_fail(run->context, SPRAG_ERROR_NUMERIC, "the state must be finite");
    memset(run->y, 0, (size_t)run->most_size * sizeof *run->y);
    memcpy(run->y, q, (size_t)run->m * sizeof *q);
    memcpy(run->y + run->m, v, (size_t)run->n * sizeof *v);
    sprag_system_position_normalise(run->system, run->y);
    run->t = t;
    run->started = run->interval_open = run->held = run->due = false;
    run->t_here = run->looked = t;
    run->impact_loss = run->impact_actuation = 0;
    pilot_reset(run);
    sprag_system_hold(run->system, NULL, NULL, 0, NULL);
    layers_begin(run);
    modes_outdate(run);
    memset(&run->statistics, 0, sizeof run->statistics);
    if (run->stepping)
        stepping_restart(run->stepping);
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
    return run->y + run->m;
}

const SpragRunSample *sprag_run_sample(const SpragRun *run)
{
    if (run->stepping)
        stepping_show_all(run->stepping);
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

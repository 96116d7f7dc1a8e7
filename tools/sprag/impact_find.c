// impact_find.c: what collides: contacts of a scene that are closed and approach, or those of a
// bare impact; and an impact without collision where a closed contact slides into one.
#include <math.h>
#include <string.h>

#include "impact_answer.h"
#include "interrupt.h"

// ---- The first impact of a run ------------------------------------------------------------------

// The first impact of a run.
typedef struct First {
    size_t positions, velocities;
    double t, *q, *v;
    int slot; // −1: none yet
} First;

static int hear_sample(const SpragRunSample *sample, void *user)
{
    First *first = user;
    if (!sample->before_event)
        return 0;
    first->t = sample->t;
    memcpy(first->q, sample->q, first->positions * sizeof *first->q);
    memcpy(first->v, sample->v, first->velocities * sizeof *first->v);
    return 0;
}

static int hear_event(const SpragEvent *event, void *user)
{
    First *first = user;
    if (event->type != SPRAG_EVENT_IMPACT)
        return 0;
    first->slot = event->contact;
    return 1;
}

// Runs until something collides; the state there is the one before it.
static SpragStatus find_first(Impact *impact, First *first)
{
    const Situation *situation = impact->situation;
    SpragRunSettings settings = sprag_run_settings(&situation->model->simulate);
    SpragSink sink = {.sample = hear_sample, .event = hear_event, .user = first};
    SpragRunOutcome outcome;
    SpragRun *run;
    settings.output_step = 0;
    settings.interrupt = tool_catch_interrupts();
    SPRAG_TRY(sprag_run_create(situation->system, &settings, &sink, &run));
    if (sprag_run_stepping(run).active) { // steps do not stop at a collision
        sprag_run_destroy(run);
        settings.motion = SPRAG_MOTION_EVENTS;
        SPRAG_TRY(sprag_run_create(situation->system, &settings, &sink, &run));
    }
    SpragStatus status = sprag_run_advance(run, situation->model->simulate.until, &outcome);
    if (status == SPRAG_OK && first->slot < 0)
        first->t = sprag_run_time(run);
    sprag_run_destroy(run);
    sprag_system_hold(situation->system, NULL, NULL, 0, NULL);
    return status;
}

// The situation moves on to the first impact of a run, or says that there is none.
static SpragStatus move_on(Impact *impact, bool there)
{
    Situation *situation = impact->situation;
    First first = {.positions = (size_t)situation->position_count,
                   .velocities = (size_t)situation->velocity_count,
                   .slot = -1};
    first.q = sprag_alloc(impact->context, first.positions + first.velocities + 1, sizeof *first.q);
    if (!first.q)
        return SPRAG_ERROR_MEMORY;
    first.v = first.q + first.positions;
    memcpy(first.q, situation->q, first.positions * sizeof *first.q);
    memcpy(first.v, situation->v, first.velocities * sizeof *first.v);
    SpragStatus status = find_first(impact, &first);
    if (status == SPRAG_OK && first.slot >= 0 && there) {
        situation->t = first.t;
        memcpy(situation->q, first.q, first.positions * sizeof *first.q);
        memcpy(situation->v, first.v, first.velocities * sizeof *first.v);
        status = situation_look(situation);
    } else if (status == SPRAG_OK && first.slot >= 0) {
        sprag_text_add(&impact->nothing,
                       "; a run has its first impact at t = %.9g s, at %s: --next shows it",
                       first.t, sprag_system_contact_name(situation->system, first.slot));
    } else if (status == SPRAG_OK) {
        sprag_text_add(&impact->nothing, "; nor does anything in a run until %.6g s", first.t);
    }
    sprag_free(impact->context, first.q);
    return status;
}

// ---- A state of a scene -------------------------------------------------------------------------

typedef struct List {
    int count;
    int *slots;
    bool *sliding;
} List;

static void add_slot(const Situation *situation, int slot, List *list)
{
    list->sliding[list->count] =
        sprag_length(SPRAG_CONSTRAINT_WAYS, situation->kinematics[slot].slip) >
        situation->tolerances.slip;
    list->slots[list->count++] = slot;
}

// Closed contacts that approach, rest or slide.
static bool list_closed(const Situation *situation, List *list)
{
    bool any = false;
    list->count = 0;
    for (int slot = 0; slot < situation->contact_count; slot++) {
        SpragContactState state = situation->kinematics[slot].state;
        any |= state == SPRAG_CONTACT_APPROACHING;
        if (state != SPRAG_CONTACT_OPEN && state != SPRAG_CONTACT_LEAVING)
            add_slot(situation, slot, list);
    }
    return any;
}

// Keeps the contacts in islands where something approaches.
static void keep_colliding(const Impact *impact, const Situation *situation, List *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        bool collides = false;
        for (int j = 0; j < list->count; j++)
            collides |= impact->island[i] == impact->island[j] &&
                        situation->kinematics[list->slots[j]].state == SPRAG_CONTACT_APPROACHING;
        if (!collides)
            continue;
        list->slots[kept] = list->slots[i];
        list->sliding[kept++] = list->sliding[i];
    }
    list->count = kept;
}

// Contacts that slide into an impact without collision.
static bool list_tangential(const Situation *situation, List *list)
{
    const SpragContactProblem *problem = &situation->built;
    list->count = 0;
    for (int i = 0; i < problem->constraint_count; i++)
        if (sprag_collision_is_tangential(problem, i))
            add_slot(situation, problem->constraints[i].id, list);
    return list->count > 0;
}

static SpragStatus build(Impact *impact, List *list)
{
    const Situation *situation = impact->situation;
    SpragCollisionState state = {situation->t, situation->q, situation->v, list->sliding};
    SPRAG_TRY(sprag_collision_build(situation->system, &state, list->count, list->slots,
                                    &impact->built, impact->rules));
    // an impact without collision has no approach at all
    for (int i = 0; impact->tangential && i < list->count; i++)
        impact->built.b[impact->built.constraints[i].row] = 0;
    sprag_collision_islands(&impact->built, impact->island);
    return SPRAG_OK;
}

static SpragStatus find_in_scene(Impact *impact, bool next, List *list)
{
    Situation *situation = impact->situation;
    double potential, elastic;
    bool collides = list_closed(situation, list);
    if (!collides)
        impact->tangential = list_tangential(situation, list);
    if (!collides && !impact->tangential) {
        sprag_text_add(&impact->nothing,
                       "nothing collides at t = %.9g s: no contact is closed and approaches",
                       situation->t);
        return next || situation->t > 0 ? SPRAG_OK : move_on(impact, false);
    }
    SPRAG_TRY(build(impact, list));
    if (collides) {
        keep_colliding(impact, situation, list);
        SPRAG_TRY(build(impact, list));
    }
    impact->problem = &impact->built;
    impact->velocity = situation->v;
    impact->scheme = situation->model->simulate.impacts;
    return sprag_system_energy(situation->system, situation->t, situation->q, situation->v,
                               &impact->kinetic, &potential, &elastic);
}

// ---- A bare impact ------------------------------------------------------------------------------

static void set_rule(const SpragSceneImpactContact *contact, double approach, double fastest,
                     SpragImpactRule *rule)
{
    double speed = approach > 0 ? approach : fastest;
    *rule = (SpragImpactRule){.law = contact->restitution.law,
                              .e = sprag_restitution_at(&contact->restitution, speed),
                              .stiffness = contact->stiffness,
                              .exponent = contact->exponent};
}

static void find_in_file(Impact *impact, const SpragSceneImpact *bare)
{
    const SpragContactProblem *problem = bare->problem;
    double fastest = 0;
    bool collides = false;
    for (int i = 0; i < problem->constraint_count; i++)
        fastest = fmax(fastest, -problem->b[problem->constraints[i].row]);
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *item = &problem->constraints[i];
        const double *W = problem->W + (size_t)item->row * (size_t)(problem->row_count + 1);
        set_rule(&bare->contacts[i], -problem->b[item->row], fastest, &impact->rules[i]);
        // (10.7): no approach, and slip that digs in
        bool alone = problem->constraint_count == 1 && item->row_count == 2;
        impact->tangential |= alone && problem->b[item->row] == 0 && item->sliding &&
                              W[0] - copysign(item->friction, item->slip[0]) * W[1] < 0;
        // in space the library tells
        impact->tangential |= item->row_count == 3 && problem->constraint_count == 1 &&
                              problem->b[item->row] == 0 && item->sliding;
        collides |= problem->b[item->row] < 0;
    }
    sprag_collision_islands(problem, impact->island);
    impact->velocity = bare->has_velocity ? problem->free_acceleration : NULL;
    if (collides || impact->tangential)
        impact->problem = problem;
    else
        sprag_text_add(&impact->nothing,
                       "nothing collides: no normal velocity is below 0 (approach)");
}

SpragStatus impact_find(Impact *impact, bool next)
{
    SpragContext *context = impact->context;
    const Situation *situation = impact->situation;
    const SpragSceneImpact *bare = sprag_scene_impact(situation->scene);
    if (next && !bare)
        SPRAG_TRY(move_on(impact, true));
    size_t count = situation->system ? (size_t)situation->contact_count + 1
                                     : (size_t)bare->problem->constraint_count + 1;
    impact->rules = sprag_alloc(context, count, sizeof *impact->rules);
    impact->island = sprag_alloc(context, count, sizeof *impact->island);
    List list = {.slots = sprag_alloc(context, count, sizeof *list.slots),
                 .sliding = sprag_alloc(context, count, sizeof *list.sliding)};
    bool done = impact->rules && impact->island && list.slots && list.sliding;
    SpragStatus status = done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK && bare)
        find_in_file(impact, bare);
    else if (status == SPRAG_OK)
        status = find_in_scene(impact, next, &list);
    impact->t = situation->t;
    sprag_free(context, list.slots);
    sprag_free(context, list.sliding);
    return status;
}

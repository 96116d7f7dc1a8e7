// stepping_create.c: memory of time stepping: one block for arrays of one entry a body, arrays that
// grow with contacts, threads with their solvers.
#include "stepping.h"

#include <math.h>
#include <string.h>

// ---- Arrays of bodies ---------------------------------------------------------------------------

// With an entry to spare: there may be nothing.
static void *carve(SpragCarver *carver, size_t count, size_t size)
{
    return sprag_carve(carver, count + 1, size);
}

static void carve_bodies(SpragCarver *carver, Stepping *s)
{
    size_t count = (size_t)s->block_count, m = (size_t)s->m;
    size_t n = (size_t)s->run->n, positions = (size_t)s->run->m;
    s->model_body = carve(carver, count, sizeof(int));
    s->parent = carve(carver, count, sizeof(int));
    s->island_of = carve(carver, count, sizeof(int));
    s->local = carve(carver, count, sizeof(int));
    s->island_bodies = carve(carver, count, sizeof(int));
    s->group = carve(carver, count, sizeof(int));
    s->quiet = carve(carver, count, sizeof(int));
    s->moved = carve(carver, count, sizeof(int));
    s->hard = carve(carver, 2 * count, sizeof(int));
    s->stood = carve(carver, count, sizeof(int));
    s->far = carve(carver, count, sizeof(bool));
    s->struck = carve(carver, count, sizeof(bool));
    s->asleep = carve(carver, count, sizeof(bool));
    s->hit = carve(carver, count, sizeof(bool));
    s->jointed = carve(carver, count, sizeof(bool));
    s->kick = carve(carver, count, sizeof(double));
    s->gain = carve(carver, count, sizeof(double));
    s->mean_free = carve(carver, n, sizeof(double));
    s->radius = carve(carver, count, sizeof(double));
    s->swing = carve(carver, count, sizeof(double));
    s->stray = carve(carver, count, sizeof(double));
    s->chord = carve(carver, n, sizeof(double));
    s->reach = carve(carver, count, sizeof(double));
    s->free = carve(carver, n, sizeof(double));
    s->mean = carve(carver, n, sizeof(double));
    s->shift = carve(carver, n, sizeof(double));
    s->v_before = carve(carver, n, sizeof(double));
    s->later_v = carve(carver, n, sizeof(double));
    s->work = carve(carver, n, sizeof(double));
    s->offset = carve(carver, n, sizeof(double));
    s->epoch = carve(carver, count, sizeof(long));
    s->fresh = carve(carver, positions, sizeof(double));
    s->anchor = carve(carver, positions, sizeof(double));
    s->inertia = carve(carver, count * m * m, sizeof(double));
    s->later = carve(carver, positions, sizeof(double));
    s->q_before = carve(carver, positions, sizeof(double));
    s->middle = carve(carver, positions, sizeof(double));
}

static SpragStatus reserve_bodies(Stepping *s)
{
    SpragCarver carver = {0};
    carve_bodies(&carver, s);
    s->block = sprag_alloc(s->run->context, carver.used, 1);
    if (!s->block)
        return SPRAG_ERROR_MEMORY;
    carver = (SpragCarver){s->block, 0};
    carve_bodies(&carver, s);
    return SPRAG_OK;
}

// ---- Arrays of contacts -------------------------------------------------------------------------

static void carve_contacts(SpragCarver *carver, const Stepping *s, StepContacts *c, size_t count)
{
    size_t d = (size_t)s->d, m = (size_t)s->m;
    c->slot = carve(carver, count, sizeof(int));
    c->kinds = carve(carver, count, sizeof(unsigned char));
    c->error = carve(carver, d * count, sizeof(double));
    c->bodies = carve(carver, 2 * count, sizeof(int));
    c->impact = carve(carver, count, sizeof(bool));
    c->jacobian = carve(carver, 2 * d * m * count, sizeof(double));
    c->gap = carve(carver, count, sizeof(double));
    c->friction = carve(carver, count, sizeof(double));
    c->bound = carve(carver, count, sizeof(double));
    c->before = carve(carver, d * count, sizeof(double));
    c->drift = carve(carver, d * count, sizeof(double));
    c->free = carve(carver, d * count, sizeof(double));
    c->impulse = carve(carver, d * count, sizeof(double));
    c->once = carve(carver, d * count, sizeof(double));
    c->after = carve(carver, d * count, sizeof(double));
}

// Contents are lost when the arrays grow.
SpragStatus step_contacts_reserve(Stepping *s, StepContacts *c, int count)
{
    SpragCarver carver = {0};
    if ((size_t)count <= c->capacity)
        return SPRAG_OK;
    size_t capacity = (size_t)count + (size_t)count / 2 + 16;
    carve_contacts(&carver, s, c, capacity);
    sprag_free(s->run->context, c->block);
    c->capacity = 0;
    c->block = sprag_alloc(s->run->context, carver.used, 1);
    if (!c->block)
        return SPRAG_ERROR_MEMORY;
    carver = (SpragCarver){c->block, 0};
    carve_contacts(&carver, s, c, capacity);
    c->capacity = capacity;
    return SPRAG_OK;
}

// Slots are large: those who look at many of them in each step look at this list instead.
static void find_slot_bodies(Stepping *s, int contact)
{
    const SpragSlot *slot = sprag_system_slot(s->system, contact);
    for (int side = 0; side < 2; side++) {
        int at = slot ? sprag_system_body_coordinate(s->system, slot->body[side]) : -1;
        s->slot_body[2 * contact + side] = !slot ? NOT_OF_BODIES : at < 0 ? -1 : at / s->m;
    }
}

SpragStatus stepping_grow(Stepping *s)
{
    SpragContext *context = s->run->context;
    int before = s->slot_count;
    size_t count = (size_t)sprag_system_contact_count(s->system);
    SPRAG_TRY(sprag_reserve(context, &s->slots, &s->slot_capacity, count + 1, sizeof *s->slots));
    SPRAG_TRY(sprag_reserve(context, &s->shown, &s->shown_capacity, count + 1, sizeof *s->shown));
    SPRAG_TRY(sprag_reserve(context, &s->outlined, &s->outlined_capacity, count + 1,
                            sizeof *s->outlined));
    SPRAG_TRY(sprag_reserve(context, &s->shown_for, &s->shown_for_capacity, count + 1,
                            sizeof *s->shown_for));
    SPRAG_TRY(sprag_reserve(context, &s->slot_body, &s->slot_body_capacity, 2 * count + 1,
                            sizeof *s->slot_body));
    s->slot_count = (int)count;
    for (int i = before; i < s->slot_count; i++) {
        find_slot_bodies(s, i);
        s->slots[i] = (StepSlot){.step = -1};
        s->shown[i] = (SpragRunContact){.gap = INFINITY, .mode = SPRAG_MODE_SEPARATE};
        s->outlined[i] = true; // the next sample sets it
        s->shown_for[i] = 0;
    }
    s->run->contacts = s->shown;
    s->run->sample.contacts = s->shown;
    return SPRAG_OK;
}

// ---- Life ---------------------------------------------------------------------------------------

static void take_bodies(Stepping *s)
{
    const SpragModel *model = sprag_system_model(s->system);
    double mass = 0;
    s->smallest = INFINITY;
    for (int i = 0; i < model->body_count; i++) {
        int at = sprag_system_body_coordinate(s->system, i);
        if (at < 0)
            continue;
        s->model_body[at / s->m] = i;
        s->radius[at / s->m] = sprag_model_body_radius(model, i);
        s->swing[at / s->m] = 0;
        s->smallest = fmin(s->smallest, s->radius[at / s->m]);
        mass += model->bodies[i].mass / s->block_count;
    }
    s->mass = mass > 0 ? mass : 1;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        int at = sprag_system_body_coordinate(s->system, shape->body);
        double arm = INFINITY; // of the centre of a round one
        if (shape->kind == SPRAG_SHAPE_SPHERE)
            arm = sprag_vec3_norm(shape->points[0]);
        else if (shape->kind == SPRAG_SHAPE_CIRCLE)
            arm = sprag_vec3_norm(sprag_vec3_raise(shape->vertices[0]));
        if (at >= 0)
            s->swing[at / s->m] = fmax(s->swing[at / s->m], fmin(arm, s->radius[at / s->m]));
    }
}

// Largest acceleration of a body that is let go, where the run begins.
static SpragStatus find_acceleration(Stepping *s)
{
    SpragRun *run = s->run;
    SpragSystemSample sample = {.free_acceleration = s->free};
    SPRAG_TRY(sprag_system_sample(s->system, run->t, run->y, run->y + run->m, 0, NULL, &sample));
    s->acceleration = 0;
    for (int i = 0; i < s->block_count; i++) {
        const double *a = s->free + i * s->m;
        double linear = s->m == 6 ? sprag_vec3_norm(sprag_vec3_of(a)) : hypot(a[0], a[1]);
        s->acceleration = fmax(s->acceleration, linear);
    }
    return SPRAG_OK;
}

// What is stiff wants short steps: the usual one, or a fifth of the shortest time of forces. A
// given one is cut into parts of half of what forces bear, theory.md (11.44), if it is longer than
// that.
static SpragStatus choose_step(Stepping *s)
{
    const double usual = 1e-3, part = 0.2, borne = 0.5;
    const SpragRunSettings *settings = &s->run->settings;
    StepRates rates;
    SPRAG_TRY(stepping_rates(s, &rates));
    double rate = fmax(rates.omega, rates.decay);
    s->step = settings->step > 0 ? settings->step : usual;
    if (settings->step == 0 && rate > 0)
        s->step = fmin(s->step, part / rate);
    s->longest = stepping_longest(&rates);
    s->parts = 1;
    if (settings->step > s->longest) {
        s->parts = ceil(settings->step / (borne * s->longest));
        s->step = settings->step / s->parts;
    }
    s->theta = settings->scheme == SPRAG_STEP_STEWART_TRINKLE ? 1 : settings->theta;
    return SPRAG_OK;
}

static SpragStatus create_parts(Stepping *s)
{
    const double least = 1e-8;
    SpragRun *run = s->run;
    SPRAG_TRY(reserve_bodies(s));
    take_bodies(s);
    stepping_middle_create(s);
    s->may_rest = stepping_joints_may_rest(sprag_system_model(s->system));
    s->size = sprag_model_size(sprag_system_model(s->system));
    SPRAG_TRY(choose_step(s));
    s->settings = sprag_friction_default();
    s->settings.tolerance = fmax(run->settings.tolerance, least);
    s->settings.warm = true;
    SPRAG_TRY(stepping_grow(s));
    SPRAG_TRY(find_acceleration(s));
    SPRAG_TRY(stepping_bearings_create(s));
    SPRAG_TRY(stepping_hold_create(s));
    return pool_create(s, run->settings.threads);
}

SpragStatus stepping_create(SpragRun *run)
{
    if (!sprag_system_model(run->system))
        return sprag_fail(run->context, SPRAG_ERROR_INPUT,
                          "motion: stepping needs the bodies of a model; a system that is given "
                          "by functions of its own runs by events or compliant");
    Stepping *s = sprag_alloc(run->context, 1, sizeof *s);
    if (!s)
        return SPRAG_ERROR_MEMORY;
    run->stepping = s;
    s->run = run;
    s->system = run->system;
    s->d = sprag_system_dimension(run->system);
    s->m = s->d == 2 ? 3 : 6;
    s->block_count = run->n / s->m;
    SPRAG_TRY(create_parts(s));
    stepping_restart(s);
    return SPRAG_OK;
}

void stepping_restart(Stepping *s)
{
    for (int i = 0; i < s->slot_count; i++)
        s->slots[i] = (StepSlot){.step = -1};
    memset(s->outlined, true, (size_t)s->slot_count * sizeof *s->outlined);
    memset(s->asleep, 0, (size_t)s->block_count * sizeof *s->asleep);
    memset(s->quiet, 0, (size_t)s->block_count * sizeof *s->quiet);
    for (int i = 0; i < s->bearing_count; i++)
        s->rubbing[i].impulse[0] = s->rubbing[i].impulse[1] = s->bearings[i].h = 0;
    memset(s->hard, 0, 2 * (size_t)s->block_count * sizeof *s->hard);
    memset(s->stood, 0, (size_t)s->block_count * sizeof *s->stood);
    memset(s->far, 0, (size_t)s->block_count * sizeof *s->far);
    stepping_still_reset(s);
    s->steps = 0;
    s->joint_count = 0;
    s->everything_rests = false;
    memset(s->residual_classes, 0, sizeof s->residual_classes);
    s->residuals = 0;
    s->statistics = (SpragSteppingStatistics){.active = true,
                                              .step = s->step,
                                              .longest_step = s->longest,
                                              .parts = s->parts,
                                              .theta = s->theta,
                                              .threads = s->worker_count};
}

void stepping_destroy(Stepping *s)
{
    if (!s)
        return;
    SpragContext *context = s->run->context;
    pool_destroy(s);
    stepping_bearings_destroy(s);
    stepping_hold_destroy(s);
    sprag_free(context, s->slots);
    sprag_free(context, s->shown);
    sprag_free(context, s->outlined);
    sprag_free(context, s->near_own);
    sprag_free(context, s->near_body);
    sprag_free(context, s->kept);
    sprag_free(context, s->hot);
    sprag_free(context, s->shown_for);
    sprag_free(context, s->slot_body);
    sprag_free(context, s->row_force);
    sprag_free(context, s->sorted.block);
    sprag_free(context, s->blocks);
    sprag_free(context, s->block_valid);
    sprag_free(context, s->listed);
    sprag_free(context, s->joints);
    sprag_free(context, s->joint_rows);
    sprag_free(context, s->islands);
    sprag_free(context, s->order);
    sprag_free(context, s->place);
    sprag_free(context, s->block);
    sprag_free(context, s);
}

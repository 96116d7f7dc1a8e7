// system.c: life of a system, its sizes and tolerances, and the evaluation of one contact whatever
// the system comes from.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics_private.h"

enum { SYSTEM_COOKIE = 0x53795374, MOST_COORDINATES = 10000 };
static const double STANDARD_GRAVITY = 9.81;
// Rounding of a gap is about 1e-16 of the size: a smaller tolerance would lose contacts.
static const double LEAST_TOLERANCE = 1e-14;
static const double USER_TOLERANCE = 1e-9;

double *system_work(SpragSystem *system, size_t count)
{
    // at least one: NULL means failure
    if (sprag_reserve(system->context, &system->work, &system->work_capacity, count + 1,
                      sizeof *system->work) != SPRAG_OK)
        return NULL;
    return system->work;
}

SpragStatus system_list_all(SpragSystem *system)
{
    SPRAG_TRY(sprag_reserve(system->context, &system->all, &system->all_capacity,
                            (size_t)system->contact_count + 1, sizeof *system->all));
    for (int i = 0; i < system->contact_count; i++)
        system->all[i] = i;
    return SPRAG_OK;
}

// ---- User-defined systems -----------------------------------------------------------------------

SpragSystemDef sprag_system_default(void)
{
    SpragSystemDef def = {0};
    def.dimension = 2;
    def.cookie = SYSTEM_COOKIE;
    return def;
}

static SpragStatus check_def(SpragContext *context, const SpragSystemDef *def)
{
    if (def->cookie != SYSTEM_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a system's definition must begin with sprag_system_default");
    if (def->dimension != 2 && def->dimension != 3)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "dimension must be 2 or 3, got %d",
                          def->dimension);
    if (def->velocity_count < 1 || def->velocity_count > MOST_COORDINATES || def->contact_count < 0)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a system needs 1 … %d coordinates and no negative number of contacts",
                          (int)MOST_COORDINATES);
    if (!def->inertia || !def->force || (def->contact_count > 0 && !def->contact))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a system needs the callbacks inertia, force and contact");
    if (def->contact_count > 0 && !def->contacts)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "the list of contacts is missing");
    if (!(def->size >= 0) || !(def->speed >= 0) || isinf(def->size) || isinf(def->speed))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "size and speed must be finite and ≥ 0");
    for (int i = 0; i < def->contact_count; i++) {
        SpragConstraintKind kind = def->contacts[i].kind;
        if (kind != SPRAG_CONSTRAINT_CONTACT && kind != SPRAG_CONSTRAINT_LIMIT)
            return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                              "contact %d: the kind must be contact or limit", i);
    }
    return SPRAG_OK;
}

static SpragStatus copy_contacts(SpragSystem *system, const SpragSystemDef *def)
{
    size_t count = (size_t)def->contact_count, n = (size_t)def->velocity_count;
    system->contacts = sprag_alloc(system->context, count, sizeof *system->contacts);
    system->names = sprag_alloc(system->context, count, sizeof *system->names);
    system->rows = sprag_alloc(system->context, MOST_ROWS * n, sizeof *system->rows);
    system->inertia = sprag_alloc(system->context, n * n, sizeof *system->inertia);
    system->inverse_inertia = sprag_alloc(system->context, n * n, sizeof *system->inverse_inertia);
    system->factor = sprag_alloc(system->context, n * n, sizeof *system->factor);
    if (!system->contacts || !system->names || !system->rows || !system->inertia ||
        !system->inverse_inertia || !system->factor)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < def->contact_count; i++) {
        char number[32];
        snprintf(number, sizeof number, "contact%d", i);
        const char *name = def->contacts[i].name ? def->contacts[i].name : number;
        system->contacts[i] = def->contacts[i];
        system->contacts[i].name = NULL;
        system->names[i] = sprag_copy_text(system->context, name);
        if (!system->names[i])
            return SPRAG_ERROR_MEMORY;
        system->contact_count = i + 1;
    }
    return system_list_all(system);
}

SpragStatus sprag_system_create(SpragContext *context, const SpragSystemDef *def,
                                SpragSystem **system)
{
    *system = NULL;
    SPRAG_TRY(check_def(context, def));
    SpragSystem *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    created->dimension = def->dimension;
    created->velocity_count = def->velocity_count;
    created->def = *def;
    created->def.contacts = NULL;
    created->size = def->size > 0 ? def->size : 1;
    created->relative_tolerance = USER_TOLERANCE;
    created->gap_tolerance = USER_TOLERANCE * created->size;
    created->rest_speed = def->speed > 0 ? def->speed : sqrt(STANDARD_GRAVITY * created->size);
    SpragStatus status = copy_contacts(created, def);
    if (status != SPRAG_OK) {
        sprag_system_destroy(created);
        return status;
    }
    *system = created;
    return SPRAG_OK;
}

// ---- Systems from a model -----------------------------------------------------------------------

static SpragStatus allocate_model(SpragSystem *system)
{
    const SpragModel *model = system->model;
    SpragContext *context = system->context;
    size_t bodies = (size_t)model->body_count;
    system->coordinate = sprag_alloc(context, bodies, sizeof *system->coordinate);
    system->pose = sprag_alloc(context, 3 * bodies, sizeof *system->pose);
    system->rate = sprag_alloc(context, 3 * bodies, sizeof *system->rate);
    system->frames = sprag_alloc(context, bodies, sizeof *system->frames);
    system->inverse_mass = sprag_alloc(context, 3 * bodies, sizeof *system->inverse_mass);
    system->q0 = sprag_alloc(context, 3 * bodies, sizeof *system->q0);
    system->v0 = sprag_alloc(context, 3 * bodies, sizeof *system->v0);
    if (!system->coordinate || !system->pose || !system->rate || !system->frames ||
        !system->inverse_mass || !system->q0 || !system->v0)
        return SPRAG_ERROR_MEMORY;
    return SPRAG_OK;
}

static void take_bodies(SpragSystem *system)
{
    const SpragModel *model = system->model;
    int n = 0;
    for (int i = 0; i < model->body_count; i++) {
        const SpragBody *body = &model->bodies[i];
        const double place[3] = {body->position[0], body->position[1], body->angle};
        const double speed[3] = {body->velocity[0], body->velocity[1], body->spin};
        memcpy(system->pose + 3 * i, place, sizeof place);
        memset(system->rate + 3 * i, 0, 3 * sizeof *system->rate);
        sprag_frame_set(place, NULL, &system->frames[i]);
        system->coordinate[i] = body->fixed ? -1 : n;
        if (body->fixed)
            continue;
        for (int k = 0; k < 3; k++) {
            system->inverse_mass[n + k] = 1 / (k < 2 ? body->mass : body->inertia);
            system->q0[n + k] = place[k];
            system->v0[n + k] = speed[k];
        }
        n += 3;
    }
    system->velocity_count = n;
}

static double fastest_surface(const SpragCollider *collider)
{
    double fastest = 0;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        const double *speed = sprag_collider_slot(collider, i)->surface_velocity;
        if (speed[0] != 0 || speed[1] != 0)
            fastest = fmax(fastest, hypot(speed[0], speed[1]));
    }
    return fastest;
}

// Everything that follows from the model's numbers once the bodies and the collider are in place.
static SpragStatus settle_model(SpragSystem *system)
{
    const SpragModel *model = system->model;
    system->size = sprag_model_size(model);
    system->relative_tolerance = fmax(model->simulate.contact_tolerance, LEAST_TOLERANCE);
    system->contact_count = sprag_collider_slot_count(system->collider);
    system->gap_tolerance = sprag_collider_tolerance(system->collider);
    SPRAG_TRY(sprag_reserve(system->context, &system->holds, &system->hold_capacity,
                            (size_t)system->contact_count + 1, sizeof *system->holds));
    memset(system->holds, 0, system->hold_capacity * sizeof *system->holds);
    system->surface_speed = fastest_surface(system->collider);
    system->rest_speed = sqrt(model_acceleration_scale(system) * system->size);
    SPRAG_TRY(system_list_all(system));
    SPRAG_TRY(model_place(system));
    system->placed = true;
    return SPRAG_OK;
}

static SpragStatus build_model(SpragSystem *system)
{
    SPRAG_TRY(allocate_model(system));
    take_bodies(system);
    SPRAG_TRY(sprag_collider_create(system->model, system->pose, &system->collider));
    return settle_model(system);
}

SpragStatus sprag_system_create_model(const SpragModel *model, SpragSystem **system)
{
    *system = NULL;
    if (model->dimension != 2)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "dimension %d: only planar models (2) can be simulated",
                          model->dimension);
    SpragSystem *created = sprag_alloc(model->context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = model->context;
    created->model = model;
    created->dimension = 2;
    SpragStatus status = build_model(created);
    if (status != SPRAG_OK) {
        sprag_system_destroy(created);
        return status;
    }
    *system = created;
    return SPRAG_OK;
}

SpragStatus sprag_system_update(SpragSystem *system, bool contacts_only)
{
    if (!system->model)
        return sprag_fail(system->context, SPRAG_ERROR_ARGUMENT,
                          "a user-defined system has no model to follow");
    // where the bodies stand does not depend on friction and layers
    if (contacts_only && system->placed)
        return sprag_collider_update(system->collider, NULL);
    system->placed = false;
    take_bodies(system);
    SPRAG_TRY(sprag_collider_update(system->collider, system->pose));
    return settle_model(system);
}

void sprag_system_destroy(SpragSystem *system)
{
    if (!system)
        return;
    SpragContext *context = system->context;
    if (system->names)
        for (int i = 0; i < system->contact_count; i++)
            sprag_free(context, system->names[i]);
    sprag_collider_destroy(system->collider);
    sprag_arena_destroy(system->place_arena);
    void *const owned[] = {system->coordinate,
                           system->pose,
                           system->rate,
                           system->frames,
                           system->inverse_mass,
                           system->q0,
                           system->v0,
                           system->holds,
                           system->names,
                           system->rows,
                           system->contacts,
                           system->inertia,
                           system->inverse_inertia,
                           system->factor,
                           system->work,
                           system->evaluations,
                           system->all};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        sprag_free(context, owned[i]);
    sprag_free(context, system);
}

// ---- What a system is ---------------------------------------------------------------------------

SpragContext *sprag_system_context(const SpragSystem *system)
{
    return system->context;
}

double sprag_system_contact_tolerance(const SpragSystem *system)
{
    return system->relative_tolerance;
}

bool sprag_system_contact_is_velocity_level(const SpragSystem *system, int contact)
{
    return is_velocity_level(system, contact);
}

int sprag_system_velocity_count(const SpragSystem *system)
{
    return system->velocity_count;
}

int sprag_system_contact_count(const SpragSystem *system)
{
    return system->contact_count;
}

int sprag_system_dimension(const SpragSystem *system)
{
    return system->dimension;
}

const char *sprag_system_contact_name(const SpragSystem *system, int contact)
{
    return system->model ? sprag_collider_slot(system->collider, contact)->name
                         : system->names[contact];
}

const SpragModel *sprag_system_model(const SpragSystem *system)
{
    return system->model;
}

const SpragCollider *sprag_system_collider(const SpragSystem *system)
{
    return system->collider;
}

int sprag_system_body_coordinate(const SpragSystem *system, int body)
{
    return system->model ? system->coordinate[body] : -1;
}

void sprag_system_initial(const SpragSystem *system, double *q, double *v)
{
    for (int i = 0; i < system->velocity_count; i++) {
        q[i] = system->model ? system->q0[i] : 0;
        v[i] = system->model ? system->v0[i] : 0;
    }
}

SpragContactTolerances sprag_system_tolerances(const SpragSystem *system, const double *v)
{
    double speed = fmax(system->rest_speed, system->surface_speed);
    if (system->model) {
        for (int i = 0; i < system->velocity_count; i += BODY_SIZE)
            speed = fmax(speed, hypot(v[i], v[i + 1]) + fabs(v[i + 2]) * system->size);
    } else {
        for (int i = 0; i < system->velocity_count; i++)
            speed = fmax(speed, fabs(v[i]));
    }
    SpragContactTolerances tolerances = {.gap = system->gap_tolerance,
                                         .rate = system->relative_tolerance * speed,
                                         .slip = system->relative_tolerance * speed};
    return tolerances;
}

// ---- One contact --------------------------------------------------------------------------------

SpragStatus system_set_state(SpragSystem *system, double t, const double *q, const double *v)
{
    if (!system->model)
        return user_inertia(system, t, q);
    model_set_state(system, q, v);
    return SPRAG_OK;
}

SpragStatus contact_evaluate(SpragSystem *system, double t, const double *q, const double *v,
                             int contact, Evaluation *evaluation)
{
    if (!system->model)
        return user_contact(system, t, q, v, contact, evaluation);
    SpragGap gap;
    const SpragHold *hold = &system->holds[contact];
    if (hold->kind)
        sprag_collider_held_gap(system->collider, contact, hold, system->frames, &gap);
    else
        sprag_collider_gap_framed(system->collider, contact, system->frames, &gap);
    model_contact(system, &gap, sprag_collider_slot(system->collider, contact), evaluation);
    return SPRAG_OK;
}

void contact_row(const SpragSystem *system, const Evaluation *evaluation, int r, double *row)
{
    int n = system->velocity_count;
    if (!system->model) {
        memcpy(row, system->rows + (size_t)r * (size_t)n, (size_t)n * sizeof *row);
        return;
    }
    memset(row, 0, (size_t)n * sizeof *row);
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++)
        if (evaluation->block[side] >= 0)
            memcpy(row + BODY_SIZE * evaluation->block[side], evaluation->entries[r][side],
                   BODY_SIZE * sizeof *row);
}

void system_apply_inertia(const SpragSystem *system, const double *in, double *out)
{
    int n = system->velocity_count;
    if (system->model) {
        for (int i = 0; i < n; i++)
            out[i] = system->inverse_mass[i] * in[i];
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *row = system->inverse_inertia + (size_t)i * (size_t)n;
        out[i] = 0;
        for (int j = 0; j < n; j++)
            out[i] += row[j] * in[j];
    }
}

double contact_slip(const Evaluation *evaluation)
{
    // hypot is exact in the plane too, but costs as much as all the rest of a contact's state
    return evaluation->slip[1] == 0 ? fabs(evaluation->slip[0])
                                    : hypot(evaluation->slip[0], evaluation->slip[1]);
}

double mu_at(const Evaluation *evaluation, bool sliding)
{
    const SpragFrictionNumbers numbers = {evaluation->friction_static, evaluation->friction_kinetic,
                                          evaluation->stribeck};
    // by far the most frequent, and no more than a choice
    if (evaluation->law->kind == SPRAG_FRICTION_COULOMB && !(sliding && numbers.stribeck > 0))
        return sliding ? numbers.kinetic : numbers.stationary;
    double slip = contact_slip(evaluation);
    // a contact that slides does so however slow
    if (sliding && slip == 0 && !contact_is_smooth(evaluation))
        slip = DBL_MIN;
    return sliding || contact_is_smooth(evaluation)
               ? sprag_friction_law_steady(evaluation->law, &numbers, slip)
               : sprag_friction_law_holds(evaluation->law, &numbers);
}

SpragStatus system_free_motion(SpragSystem *system, double t, const double *q, const double *v,
                               double *force, double *acceleration)
{
    if (system->model)
        model_force(system, force);
    else
        SPRAG_TRY(user_force(system, t, q, v, force));
    system_apply_inertia(system, force, acceleration);
    return SPRAG_OK;
}

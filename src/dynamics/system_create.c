// system_create.c: systems from a model: bodies, collider, sizes and tolerances.
#include <math.h>
#include <string.h>

#include "joint_private.h"

// Rounding of a gap is about 1e-16 of the size: a smaller tolerance would lose contacts.
static const double LEAST_TOLERANCE = 1e-14;

static SpragStatus allocate_plane(SpragSystem *system)
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

static SpragStatus allocate_space(SpragSystem *system)
{
    SpragContext *context = system->context;
    size_t bodies = (size_t)system->model->body_count;
    system->coordinate = sprag_alloc(context, bodies, sizeof *system->coordinate);
    system->free_body = sprag_alloc(context, bodies, sizeof *system->free_body);
    system->poses = sprag_alloc(context, bodies, sizeof *system->poses);
    system->later = sprag_alloc(context, bodies, sizeof *system->later);
    system->space = sprag_alloc(context, bodies, sizeof *system->space);
    system->inverse_mass =
        sprag_alloc(context, SPACE_VELOCITIES * bodies, sizeof *system->inverse_mass);
    system->q0 = sprag_alloc(context, SPACE_POSITIONS * bodies + (size_t)system->model->joint_count,
                             sizeof *system->q0);
    system->v0 = sprag_alloc(context, SPACE_VELOCITIES * bodies, sizeof *system->v0);
    if (!system->coordinate || !system->free_body || !system->poses || !system->later ||
        !system->space || !system->inverse_mass || !system->q0 || !system->v0)
        return SPRAG_ERROR_MEMORY;
    return SPRAG_OK;
}

static void take_bodies(SpragSystem *system)
{
    const SpragModel *model = system->model;
    int n = 0;
    if (is_spatial(system)) {
        space_take_bodies(system);
        return;
    }
    for (int b = 0; b < model->body_count; b++) {
        int i = system->body_order ? system->body_order[b] : b;
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

// Where the bodies stand at t = 0, before they are placed.
static void begin_bodies(SpragSystem *system)
{
    take_bodies(system);
    system->time = 0;
    if (system->driven)
        drives_set(system, true);
}

static double fastest_surface(const SpragCollider *collider)
{
    double fastest = 0;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        const double *speed = sprag_collider_slot(collider, i)->surface_velocity;
        if (speed[2] != 0)
            fastest = fmax(fastest, space_speed(speed));
        else if (speed[0] != 0 || speed[1] != 0)
            fastest = fmax(fastest, hypot(speed[0], speed[1]));
    }
    return fastest;
}

// Room for what is held of each contact, and nothing held.
static SpragStatus release_all(SpragSystem *system)
{
    if (is_spatial(system)) {
        system->grip_count = system->gripped_count = 0;
        return space_follow_slots(system);
    }
    SPRAG_TRY(sprag_reserve(system->context, &system->holds, &system->hold_capacity,
                            (size_t)system->contact_count + 1, sizeof *system->holds));
    memset(system->holds, 0, system->hold_capacity * sizeof *system->holds);
    return system_list_all(system);
}

// Everything that follows from the model's numbers once the bodies and the collider are in place.
static SpragStatus settle_model(SpragSystem *system)
{
    const SpragModel *model = system->model;
    system->size = sprag_model_size(model);
    system->relative_tolerance = fmax(model->simulate.contact_tolerance, LEAST_TOLERANCE);
    system->contact_count = sprag_collider_slot_count(system->collider) + system->joint_contacts;
    system->gap_tolerance = sprag_collider_tolerance(system->collider);
    SPRAG_TRY(release_all(system));
    system->surface_speed = fastest_surface(system->collider);
    SPRAG_TRY(joints_take(system));
    system->acceleration = model_acceleration_scale(system);
    system->rest_speed = sqrt(system->acceleration * system->size);
    SPRAG_TRY(model_place(system));
    system->placed = true;
    return SPRAG_OK;
}

static SpragStatus build_model(SpragSystem *system)
{
    bool space = is_spatial(system);
    SPRAG_TRY(space ? allocate_space(system) : allocate_plane(system));
    SPRAG_TRY(drives_create(system));
    SPRAG_TRY(joints_create(system));
    begin_bodies(system);
    SPRAG_TRY(space ? sprag_collider_create_space(system->model, system->poses, &system->collider)
                    : sprag_collider_create(system->model, system->pose, &system->collider));
    return settle_model(system);
}

SpragStatus sprag_system_create_model(const SpragModel *model, SpragSystem **system)
{
    *system = NULL;
    if (model->dimension != 2 && model->dimension != 3)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "dimension must be 2 or 3, got %d",
                          model->dimension);
    SpragSystem *created = sprag_alloc(model->context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = model->context;
    created->model = model;
    created->dimension = model->dimension;
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
    bool space = is_spatial(system);
    if (contacts_only && system->placed)
        return space ? sprag_collider_update_space(system->collider, NULL)
                     : sprag_collider_update(system->collider, NULL);
    system->placed = false;
    begin_bodies(system);
    SPRAG_TRY(space ? sprag_collider_update_space(system->collider, system->poses)
                    : sprag_collider_update(system->collider, system->pose));
    return settle_model(system);
}

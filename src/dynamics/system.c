// system.c: life of a system, its sizes and tolerances, and the evaluation of one contact whatever
// the system comes from.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint_private.h"

enum { SYSTEM_COOKIE = 0x53795374, MOST_COORDINATES = 10000 };
static const double STANDARD_GRAVITY = 9.81;
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
    system->rows = sprag_alloc(system->context, CONTACT_ROWS * n, sizeof *system->rows);
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

// ---- What a system is ---------------------------------------------------------------------------

void sprag_system_destroy(SpragSystem *system)
{
    if (!system)
        return;
    SpragContext *context = system->context;
    if (system->names)
        for (int i = 0; i < system->contact_count; i++)
            sprag_free(context, system->names[i]);
    joints_destroy(system);
    sprag_collider_destroy(system->collider);
    sprag_arena_destroy(system->place_arena);
    void *const owned[] = {system->coordinate,   system->pose,
                           system->rate,         system->frames,
                           system->inverse_mass, system->q0,
                           system->v0,           system->holds,
                           system->later_frames, system->names,
                           system->rows,         system->contacts,
                           system->inertia,      system->inverse_inertia,
                           system->factor,       system->work,
                           system->evaluations,  system->all,
                           system->poses,        system->later,
                           system->space,        system->free_body,
                           system->grips,        system->marks,
                           system->driven,       system->body_order,
                           system->gripped,      system->touching};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        sprag_free(context, owned[i]);
    sprag_free(context, system);
}

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
    if (contact < system->joint_contacts)
        return system->joints->contacts[contact].name;
    return system->model
               ? sprag_collider_slot(system->collider, contact - system->joint_contacts)->name
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
    for (int i = 0; i < sprag_system_position_count(system); i++)
        q[i] = system->model ? system->q0[i] : 0;
    for (int i = 0; i < system->velocity_count; i++)
        v[i] = system->model ? system->v0[i] : 0;
}

double space_speed(const double *v)
{
    return sprag_vec3_norm(sprag_vec3_of(v));
}

SpragContactTolerances sprag_system_tolerances(const SpragSystem *system, const double *v)
{
    double speed = fmax(system->rest_speed, system->surface_speed);
    if (is_spatial(system)) {
        for (int i = 0; i < system->velocity_count; i += SPACE_VELOCITIES)
            speed = fmax(speed, space_speed(v + i) + space_speed(v + i + 3) * system->size);
    } else if (system->model) {
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
    model_set_state(system, t, q, v);
    return SPRAG_OK;
}

SpragStatus contact_evaluate(SpragSystem *system, double t, const double *q, const double *v,
                             int contact, Evaluation *evaluation)
{
    evaluation->pressed = 0;
    if (!system->model)
        return user_contact(system, t, q, v, contact, evaluation);
    if (contact < system->joint_contacts) {
        joint_contact_evaluate(system, contact, evaluation);
        return SPRAG_OK;
    }
    int slot = contact - system->joint_contacts;
    if (is_spatial(system)) {
        space_evaluate(system, slot, evaluation);
        return SPRAG_OK;
    }
    SpragGap gap;
    const SpragHold *hold = &system->holds[slot];
    if (hold->kind)
        sprag_collider_held_gap(system->collider, slot, hold, system->frames, &gap);
    else
        sprag_collider_gap_framed(system->collider, slot, system->frames, &gap);
    model_contact(system, &gap, sprag_collider_slot(system->collider, slot), evaluation);
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
    int size = body_size(system);
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++)
        if (evaluation->block[side] >= 0)
            memcpy(row + size * evaluation->block[side], evaluation->entries[r][side],
                   (size_t)size * sizeof *row);
}

void body_block(const SpragSystem *system, int block, double *matrix)
{
    if (is_spatial(system)) {
        space_block(system, block, matrix);
        return;
    }
    for (int k = 0; k < BODY_SIZE; k++)
        matrix[k * BODY_SIZE + k] = system->inverse_mass[BODY_SIZE * block + k];
}

void bodies_apply(const SpragSystem *system, const double *in, double *out)
{
    int n = system->velocity_count;
    if (is_spatial(system))
        for (int i = 0; i < n; i += SPACE_VELOCITIES)
            space_apply_block(system, i / SPACE_VELOCITIES, in + i, out + i);
    else
        for (int i = 0; i < n; i++)
            out[i] = system->inverse_mass[i] * in[i];
}

void system_apply_inertia(SpragSystem *system, const double *in, double *out)
{
    int n = system->velocity_count;
    if (system->model) {
        bodies_apply(system, in, out);
        if (system->joints)
            joints_eliminate(system, false, out);
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
    const double *slip = evaluation->slip;
    return slip[1] == 0 && slip[2] == 0 ? fabs(slip[0]) : sprag_length(SPRAG_CONSTRAINT_WAYS, slip);
}

double friction_at(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers, double slip,
                   bool sliding)
{
    bool function = law_is_function(law);
    // a contact that slides does so however slow
    if (sliding && slip == 0 && !function)
        slip = DBL_MIN;
    return sliding || function ? sprag_friction_law_steady(law, numbers, slip)
                               : sprag_friction_law_holds(law, numbers);
}

double mu_at(const Evaluation *evaluation, bool sliding)
{
    const SpragFrictionNumbers numbers = {evaluation->friction_static, evaluation->friction_kinetic,
                                          evaluation->stribeck};
    // by far the most frequent, and no more than a choice
    if (evaluation->law->kind == SPRAG_FRICTION_COULOMB && !(sliding && numbers.stribeck > 0))
        return sliding ? numbers.kinetic : numbers.stationary;
    return friction_at(evaluation->law, &numbers, contact_slip(evaluation), sliding);
}

SpragStatus system_free_motion(SpragSystem *system, double t, const double *q, const double *v,
                               double *force, double *acceleration)
{
    if (!system->model) {
        SPRAG_TRY(user_force(system, t, q, v, force));
        system_apply_inertia(system, force, acceleration);
        return SPRAG_OK;
    }
    model_force(system, force);
    bodies_apply(system, force, acceleration);
    if (system->joints)
        joints_eliminate(system, true, acceleration);
    return SPRAG_OK;
}

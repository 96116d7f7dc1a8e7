// system_model.c: forces, energies and rows of a system of free planar bodies.
// Problem   coordinates x, y, angle of each free body, about its centre of mass: M is diagonal and
//           constant, h = 0, u from gravity, loads and springs; rows of theory.md (1.5).
#include <math.h>
#include <string.h>

#include "joint_private.h"

void model_set_state(SpragSystem *system, double t, const double *q, const double *v)
{
    system->time = t;
    if (system->driven)
        drives_set(system, !v);
    if (system->joints)
        system->joints->rows_valid = system->joints->factor_valid = false;
    if (system->dimension == 3) {
        space_set_state(system, q, v);
        turns_set(system, q);
        return;
    }
    static const double none[BODY_SIZE] = {0};
    for (int i = 0; i < system->model->body_count; i++) {
        int at = system->coordinate[i];
        if (at < 0)
            continue;
        double *pose = system->pose + 3 * i, *rate = system->rate + 3 * i;
        const double *place = q + at, *speed = v ? v + at : none;
        SpragFrame *frame = &system->frames[i];
        // the same place is often asked for again, and cosine and sine are most of a frame's cost
        bool turned = pose[2] != place[2];
        pose[0] = place[0];
        pose[1] = place[1];
        pose[2] = place[2];
        rate[0] = speed[0];
        rate[1] = speed[1];
        rate[2] = speed[2];
        if (turned) {
            sprag_frame_set(pose, rate, frame);
            continue;
        }
        frame->x = sprag_vec2(place[0], place[1]);
        frame->v = sprag_vec2(speed[0], speed[1]);
        frame->spin = speed[2];
    }
}

// What the motion of driven bodies adds to the rates of a contact and their biases.
static void add_drives(const SpragSystem *system, const SpragSlot *slot, Evaluation *evaluation)
{
    for (int side = 0; side < 2; side++) {
        int body = slot->body[side];
        if (!system->model->bodies[body].driven)
            continue;
        const double *rate = system->rate + 3 * body;
        const double *a = system->driven + (size_t)SPACE_VELOCITIES * (size_t)body;
        for (int r = 0; r < 2; r++) {
            const double *entry = evaluation->entries[r][side];
            double drift = entry[0] * rate[0] + entry[1] * rate[1] + entry[2] * rate[2];
            evaluation->bias[r] += entry[0] * a[0] + entry[1] * a[1] + entry[2] * a[5];
            *(r == 0 ? &evaluation->normal_drift : &evaluation->slip_drift[0]) += drift;
        }
    }
}

void model_contact(const SpragSystem *system, const SpragGap *gap, const SpragSlot *slot,
                   Evaluation *evaluation)
{
    // every field that a planar contact has: clearing the rest would cost as much again
    evaluation->gap = gap->gap;
    evaluation->gap_rate = gap->gap_rate;
    evaluation->slip[0] = gap->slip;
    evaluation->slip[1] = evaluation->slip[2] = 0;
    evaluation->normal_drift = 0;
    evaluation->slip_drift[0] = gap->slip_drift;
    evaluation->slip_drift[1] = 0;
    evaluation->bias[0] = gap->bias_normal;
    evaluation->bias[1] = gap->bias_tangential;
    evaluation->friction_static = slot->friction_static;
    evaluation->friction_kinetic = slot->friction_kinetic;
    evaluation->stribeck = slot->stribeck;
    evaluation->law = &slot->friction_law;
    evaluation->point = sprag_vec3_raise(gap->point);
    evaluation->normal = sprag_vec3_raise(gap->normal);
    evaluation->row_count = 2;
    evaluation->normals = 1;
    evaluation->pressed = 0;
    evaluation->angle = false;
    const SpragVec2 directions[2] = {gap->normal, sprag_vec2_tangent(gap->normal)};
    for (int side = 0; side < 2; side++) {
        int at = system->coordinate[slot->body[side]];
        double sign = side == 0 ? 1 : -1;
        evaluation->block[side] = at < 0 ? -1 : at / BODY_SIZE;
        for (int r = 0; r < 2; r++) {
            double *entry = evaluation->entries[r][side];
            entry[0] = sign * directions[r].x;
            entry[1] = sign * directions[r].y;
            entry[2] = sign * sprag_vec2_cross(gap->r[side], directions[r]);
        }
    }
    if (system->driven)
        add_drives(system, slot, evaluation);
}

// ---- Places -------------------------------------------------------------------------------------

typedef struct PlaceState {
    SpragVec2 arm; // from the centre of mass
    SpragVec2 x, v;
} PlaceState;

static PlaceState place_state(const SpragSystem *system, int body, SpragVec2 local)
{
    PlaceState state = {.x = local};
    if (body == SPRAG_WORLD)
        return state;
    const SpragFrame *frame = &system->frames[body];
    state.arm = sprag_vec2_turn(local, frame->cosine, frame->sine);
    state.x = sprag_vec2_add(frame->x, state.arm);
    state.v =
        sprag_vec2(frame->v.x - frame->spin * state.arm.y, frame->v.y + frame->spin * state.arm.x);
    return state;
}

static void add_force(const SpragSystem *system, int body, SpragVec2 arm, SpragVec2 f,
                      double *force)
{
    int at = body == SPRAG_WORLD ? -1 : system->coordinate[body];
    if (at < 0)
        return;
    force[at] += f.x;
    force[at + 1] += f.y;
    force[at + 2] += sprag_vec2_cross(arm, f);
}

// ---- Forces -------------------------------------------------------------------------------------

typedef struct SpringState {
    PlaceState ends[2];
    SpragVec2 along; // unit, from end 0 to end 1; zero if they coincide
    double length, rate;
} SpringState;

static SpringState spring_state(const SpragSystem *system, const SpragSpring *spring)
{
    SpringState state;
    for (int i = 0; i < 2; i++)
        state.ends[i] =
            place_state(system, spring->ends[i].body, sprag_vec3_flat(spring->ends[i].local));
    SpragVec2 d = sprag_vec2_sub(state.ends[1].x, state.ends[0].x);
    state.length = hypot(d.x, d.y);
    state.along = state.length > 0 ? sprag_vec2_scale(1 / state.length, d) : sprag_vec2(0, 0);
    state.rate = sprag_vec2_dot(state.along, sprag_vec2_sub(state.ends[1].v, state.ends[0].v));
    return state;
}

static SpragVec2 load_force(const SpragSystem *system, const SpragLoad *load, const LoadNow *now)
{
    SpragVec2 f = sprag_vec2(now->force[0], now->force[1]);
    const SpragFrame *frame = &system->frames[load->body];
    return load->body_frame ? sprag_vec2_turn(f, frame->cosine, frame->sine) : f;
}

void model_force(SpragSystem *system, double *force)
{
    const SpragModel *model = system->model;
    if (system->dimension == 3) {
        space_force(system, force);
        if (system->joints)
            joints_add_force(system, force);
        return;
    }
    for (int i = 0; i < model->body_count; i++) {
        int at = system->coordinate[i];
        if (at < 0)
            continue;
        force[at] = model->bodies[i].mass * model->gravity[0];
        force[at + 1] = model->bodies[i].mass * model->gravity[1];
        force[at + 2] = 0;
    }
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow now;
        if (load->on_joint)
            continue;
        int at = system->coordinate[load->body];
        PlaceState place = place_state(system, load->body, sprag_vec3_flat(load->local));
        load_now(system, load, &now);
        add_force(system, load->body, place.arm, load_force(system, load, &now), force);
        if (at >= 0)
            force[at + 2] += now.moment[2];
    }
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        SpringState state = spring_state(system, spring);
        double pull =
            spring->stiffness * (state.length - spring->rest) + spring->damping * state.rate;
        SpragVec2 f = sprag_vec2_scale(pull, state.along);
        add_force(system, spring->ends[0].body, state.ends[0].arm, f, force);
        add_force(system, spring->ends[1].body, state.ends[1].arm, sprag_vec2_scale(-1, f), force);
    }
    if (system->joints)
        joints_add_force(system, force);
}

void model_energy(SpragSystem *system, double *kinetic, double *potential, double *elastic)
{
    const SpragModel *model = system->model;
    if (system->dimension == 3) {
        space_energy(system, kinetic, potential, elastic);
        if (system->joints)
            *elastic += joints_elastic(system);
        return;
    }
    *kinetic = *potential = *elastic = 0;
    for (int i = 0; i < model->body_count; i++) {
        const SpragBody *body = &model->bodies[i];
        const double *pose = system->pose + 3 * i, *rate = system->rate + 3 * i;
        if (body->fixed)
            continue;
        *kinetic += body->mass * (rate[0] * rate[0] + rate[1] * rate[1]) / 2 +
                    body->inertia * rate[2] * rate[2] / 2;
        *potential -= body->mass * (model->gravity[0] * pose[0] + model->gravity[1] * pose[1]);
    }
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        double stretch = spring_state(system, spring).length - spring->rest;
        *elastic += spring->stiffness * stretch * stretch / 2;
    }
    if (system->joints)
        *elastic += joints_elastic(system);
}

static double drive_power(const SpragSystem *system, const SpragSpring *spring,
                          const SpringState *state)
{
    double pull =
        spring->stiffness * (state->length - spring->rest) + spring->damping * state->rate;
    const double rates[2] = {sprag_vec2_dot(state->along, state->ends[0].v),
                             sprag_vec2_dot(state->along, state->ends[1].v)};
    return drives_spring_power(system, spring, pull, rates);
}

double model_spring_rate(const SpragSystem *system, int spring)
{
    return is_spatial(system) ? space_spring_rate(system, spring)
                              : spring_state(system, &system->model->springs[spring]).rate;
}

void model_power(SpragSystem *system, SpragSystemPower *power)
{
    const SpragModel *model = system->model;
    if (system->dimension == 3) {
        space_power(system, power);
        if (system->joints)
            joints_add_power(system, power);
        return;
    }
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow now;
        if (load->on_joint || system->coordinate[load->body] < 0)
            continue;
        PlaceState place = place_state(system, load->body, sprag_vec3_flat(load->local));
        load_now(system, load, &now);
        power->load += sprag_vec2_dot(load_force(system, load, &now), place.v) +
                       now.moment[2] * system->rate[3 * load->body + 2];
    }
    for (int i = 0; i < model->spring_count; i++) {
        SpringState state = spring_state(system, &model->springs[i]);
        power->damping += model->springs[i].damping * state.rate * state.rate;
        if (system->driven)
            power->load += drive_power(system, &model->springs[i], &state);
    }
    if (system->joints)
        joints_add_power(system, power);
}

// A force at a place accelerates it by at most f (1/m + arm²/I).
static double softness(const SpragSystem *system, int body, SpragVec2 local)
{
    if (body == SPRAG_WORLD || system->coordinate[body] < 0)
        return 0;
    const SpragBody *item = &system->model->bodies[body];
    return 1 / item->mass + sprag_vec2_dot(local, local) / item->inertia;
}

static double plane_acceleration_scale(const SpragSystem *system)
{
    const SpragModel *model = system->model;
    double scale = hypot(model->gravity[0], model->gravity[1]);
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow most;
        if (load->on_joint || system->coordinate[load->body] < 0)
            continue;
        load_largest(system, load, &most);
        double force = hypot(most.force[0], most.force[1]);
        double turning = fabs(most.moment[2]) / model->bodies[load->body].inertia * system->size;
        scale = fmax(scale,
                     force * softness(system, load->body, sprag_vec3_flat(load->local)) + turning);
    }
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        for (int k = 0; k < 2; k++)
            scale = fmax(scale, spring->stiffness * system->size *
                                    softness(system, spring->ends[k].body,
                                             sprag_vec3_flat(spring->ends[k].local)));
    }
    return scale;
}

double model_acceleration_scale(SpragSystem *system)
{
    double scale =
        is_spatial(system) ? space_acceleration_scale(system) : plane_acceleration_scale(system);
    return system->joints ? fmax(scale, joints_acceleration_scale(system)) : scale;
}

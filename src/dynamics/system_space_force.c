// system_space_force.c: forces, energies and powers of free bodies in space.
// Problem   u − h with u from gravity, loads and springs and h = ω × I_w ω, theory.md 13.3
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

// ---- Places -------------------------------------------------------------------------------------

typedef struct PlaceState {
    SpragVec3 arm; // from the centre of mass
    SpragVec3 x, v;
} PlaceState;

static PlaceState place_state(const SpragSystem *system, int body, SpragVec3 local)
{
    PlaceState state = {.x = local};
    if (body == SPRAG_WORLD)
        return state;
    const SpragPose *pose = &system->poses[body];
    state.arm = sprag_mat3_apply(&pose->R, local);
    state.x = sprag_vec3_add(pose->x, state.arm);
    state.v = sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, state.arm));
    return state;
}

static void add_to(double *entries, SpragVec3 a)
{
    entries[0] += a.x;
    entries[1] += a.y;
    entries[2] += a.z;
}

static void add_force(const SpragSystem *system, int body, SpragVec3 arm, SpragVec3 f,
                      double *force)
{
    int at = body == SPRAG_WORLD ? -1 : system->coordinate[body];
    if (at < 0)
        return;
    add_to(force + at, f);
    add_to(force + at + 3, sprag_vec3_cross(arm, f));
}

// ---- Springs and loads --------------------------------------------------------------------------

typedef struct SpringState {
    PlaceState ends[2];
    SpragVec3 along; // unit, from end 0 to end 1; zero if they coincide
    double length, rate;
} SpringState;

static SpringState spring_state(const SpragSystem *system, const SpragSpring *spring)
{
    SpringState state;
    for (int i = 0; i < 2; i++)
        state.ends[i] = place_state(system, spring->ends[i].body, spring->ends[i].local);
    SpragVec3 d = sprag_vec3_sub(state.ends[1].x, state.ends[0].x);
    state.length = sprag_vec3_norm(d);
    state.along = sprag_vec3_unit(d);
    state.rate = sprag_vec3_dot(state.along, sprag_vec3_sub(state.ends[1].v, state.ends[0].v));
    return state;
}

// A vector of a load in the world's frame.
static SpragVec3 load_vector(const SpragSystem *system, const SpragLoad *load, const double *given)
{
    SpragVec3 f = sprag_vec3_of(given);
    return load->body_frame ? sprag_mat3_apply(&system->poses[load->body].R, f) : f;
}

static void add_springs(const SpragSystem *system, double *force)
{
    const SpragModel *model = system->model;
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        SpringState state = spring_state(system, spring);
        double pull =
            spring->stiffness * (state.length - spring->rest) + spring->damping * state.rate;
        SpragVec3 f = sprag_vec3_scale(pull, state.along);
        add_force(system, spring->ends[0].body, state.ends[0].arm, f, force);
        add_force(system, spring->ends[1].body, state.ends[1].arm, sprag_vec3_scale(-1, f), force);
    }
}

void space_force(const SpragSystem *system, double *force)
{
    const SpragModel *model = system->model;
    memset(force, 0, (size_t)system->velocity_count * sizeof *force);
    SpragVec3 gravity = sprag_vec3_of(model->gravity);
    for (int i = 0; i < model->body_count; i++) {
        int at = system->coordinate[i];
        if (at < 0)
            continue;
        SpragVec3 w = system->poses[i].w;
        SpragVec3 momentum = sprag_mat3_apply(&system->space[i].inertia, w);
        add_to(force + at, sprag_vec3_scale(model->bodies[i].mass, gravity));
        add_to(force + at + 3, sprag_vec3_cross(momentum, w));
    }
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow now;
        if (load->on_joint)
            continue;
        int at = system->coordinate[load->body];
        PlaceState place = place_state(system, load->body, load->local);
        load_now(system, load, &now);
        add_force(system, load->body, place.arm, load_vector(system, load, now.force), force);
        if (at >= 0)
            add_to(force + at + 3, load_vector(system, load, now.moment));
    }
    add_springs(system, force);
}

// ---- Energies and powers ------------------------------------------------------------------------

void space_energy(const SpragSystem *system, double *kinetic, double *potential, double *elastic)
{
    const SpragModel *model = system->model;
    *kinetic = *potential = *elastic = 0;
    SpragVec3 gravity = sprag_vec3_of(model->gravity);
    for (int i = 0; i < model->body_count; i++) {
        const SpragPose *pose = &system->poses[i];
        double mass = model->bodies[i].mass;
        if (system->coordinate[i] < 0)
            continue;
        SpragVec3 momentum = sprag_mat3_apply(&system->space[i].inertia, pose->w);
        *kinetic +=
            mass * sprag_vec3_dot(pose->v, pose->v) / 2 + sprag_vec3_dot(pose->w, momentum) / 2;
        *potential -= mass * sprag_vec3_dot(gravity, pose->x);
    }
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        double stretch = spring_state(system, spring).length - spring->rest;
        *elastic += spring->stiffness * stretch * stretch / 2;
    }
}

static double drive_power(const SpragSystem *system, const SpragSpring *spring,
                          const SpringState *state)
{
    double pull =
        spring->stiffness * (state->length - spring->rest) + spring->damping * state->rate;
    const double rates[2] = {sprag_vec3_dot(state->along, state->ends[0].v),
                             sprag_vec3_dot(state->along, state->ends[1].v)};
    return drives_spring_power(system, spring, pull, rates);
}

double space_spring_rate(const SpragSystem *system, int spring)
{
    return spring_state(system, &system->model->springs[spring]).rate;
}

void space_power(const SpragSystem *system, SpragSystemPower *power)
{
    const SpragModel *model = system->model;
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow now;
        if (load->on_joint || system->coordinate[load->body] < 0)
            continue;
        PlaceState place = place_state(system, load->body, load->local);
        load_now(system, load, &now);
        power->load +=
            sprag_vec3_dot(load_vector(system, load, now.force), place.v) +
            sprag_vec3_dot(load_vector(system, load, now.moment), system->poses[load->body].w);
    }
    for (int i = 0; i < model->spring_count; i++) {
        SpringState state = spring_state(system, &model->springs[i]);
        power->damping += model->springs[i].damping * state.rate * state.rate;
        if (system->driven)
            power->load += drive_power(system, &model->springs[i], &state);
    }
}

// Largest principal entry of I⁻¹ is at most its trace.
static double turning_softness(const SpragSystem *system, int body)
{
    const double *inverse = system->space[body].inverse_tensor.m;
    return inverse[0] + inverse[4] + inverse[8];
}

// A force at a place accelerates it by at most f (1/m + arm² |I⁻¹|).
static double softness(const SpragSystem *system, int body, SpragVec3 local)
{
    if (body == SPRAG_WORLD || system->coordinate[body] < 0)
        return 0;
    return 1 / system->model->bodies[body].mass +
           sprag_vec3_dot(local, local) * turning_softness(system, body);
}

double space_acceleration_scale(const SpragSystem *system)
{
    const SpragModel *model = system->model;
    double scale = sprag_vec3_norm(sprag_vec3_of(model->gravity));
    for (int i = 0; i < model->load_count; i++) {
        const SpragLoad *load = &model->loads[i];
        LoadNow most;
        if (load->on_joint || system->coordinate[load->body] < 0)
            continue;
        load_largest(system, load, &most);
        double force = sprag_vec3_norm(sprag_vec3_of(most.force));
        double turning = sprag_vec3_norm(sprag_vec3_of(most.moment)) *
                         turning_softness(system, load->body) * system->size;
        scale = fmax(scale, force * softness(system, load->body, load->local) + turning);
    }
    for (int i = 0; i < model->spring_count; i++) {
        const SpragSpring *spring = &model->springs[i];
        for (int k = 0; k < 2; k++)
            scale = fmax(scale, spring->stiffness * system->size *
                                    softness(system, spring->ends[k].body, spring->ends[k].local));
    }
    return scale;
}

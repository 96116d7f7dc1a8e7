// drive.c: what varies in time: bodies that move as told, loads, and the times of their kinks.
// Problem   a driven body has a pose, velocities and accelerations of its own; rows of contacts and
//           joints on it give drifts and biases, theory.md (1.9)
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

enum { LOOKS = 64 };

SpragStatus drives_create(SpragSystem *system)
{
    const SpragModel *model = system->model;
    bool any = false;
    for (int i = 0; i < model->body_count; i++)
        any = any || model->bodies[i].driven;
    for (int i = 0; i < model->load_count; i++)
        system->has_loads_on_joint |= model->loads[i].on_joint;
    if (!any)
        return SPRAG_OK;
    system->driven = sprag_alloc(system->context, SPACE_VELOCITIES * (size_t)model->body_count,
                                 sizeof *system->driven);
    return system->driven ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// Value, rate and acceleration of each coordinate: [order][axis], the angle last.
static void drive_of(const SpragBody *body, double t, double motion[3][4])
{
    for (int axis = 0; axis < 4; axis++) {
        double value[3];
        const SpragTimeValue *given = axis < 3 ? &body->drive_position[axis] : &body->drive_angle;
        sprag_time_value_evaluate(given, t, 2, value);
        for (int order = 0; order < 3; order++)
            motion[order][axis] = value[order];
    }
}

static void set_plane(SpragSystem *system, int i, double motion[3][4], bool at_rest)
{
    const SpragBody *body = &system->model->bodies[i];
    double *pose = system->pose + 3 * i, *rate = system->rate + 3 * i;
    double *acceleration = system->driven + (size_t)SPACE_VELOCITIES * (size_t)i;
    const int axes[3] = {0, 1, 3};
    for (int k = 0; k < 3; k++) {
        double anchor = k < 2 ? body->position[k] : body->angle;
        pose[k] = anchor + motion[0][axes[k]];
        rate[k] = at_rest ? 0 : motion[1][axes[k]];
        acceleration[k < 2 ? k : 5] = at_rest ? 0 : motion[2][axes[k]];
    }
    sprag_frame_set(pose, rate, &system->frames[i]);
}

static void set_space(SpragSystem *system, int i, double motion[3][4], bool at_rest)
{
    const SpragBody *body = &system->model->bodies[i];
    double *acceleration = system->driven + (size_t)SPACE_VELOCITIES * (size_t)i;
    SpragQuaternion own = sprag_quaternion_unit(body->orientation);
    SpragVec3 axis = body->drive_axis;
    SpragQuaternion Q =
        sprag_quaternion_product(sprag_quaternion_exp(sprag_vec3_scale(motion[0][3], axis)), own);
    double place[SPACE_POSITIONS] = {0, 0, 0, Q.w, Q.x, Q.y, Q.z}, rate[SPACE_VELOCITIES];
    for (int k = 0; k < 3; k++) {
        const double along = k == 0 ? axis.x : k == 1 ? axis.y : axis.z;
        place[k] = body->position[k] + motion[0][k];
        rate[k] = at_rest ? 0 : motion[1][k];
        rate[3 + k] = at_rest ? 0 : along * motion[1][3];
        acceleration[k] = at_rest ? 0 : motion[2][k];
        acceleration[3 + k] = at_rest ? 0 : along * motion[2][3];
    }
    memcpy(system->space[i].position, place, sizeof place);
    sprag_pose_set(place, rate, &system->poses[i]);
}

void drives_set(SpragSystem *system, bool at_rest)
{
    const SpragModel *model = system->model;
    for (int i = 0; i < model->body_count; i++) {
        double motion[3][4];
        if (!model->bodies[i].driven)
            continue;
        drive_of(&model->bodies[i], system->time, motion);
        if (is_spatial(system))
            set_space(system, i, motion, at_rest);
        else
            set_plane(system, i, motion, at_rest);
    }
}

void sprag_system_driven_state(const SpragSystem *system, int index, double t, double *position,
                               double *velocity)
{
    const SpragBody *body = &system->model->bodies[index];
    double motion[3][4] = {{0}};
    if (!body->fixed)
        return;
    if (body->driven)
        drive_of(body, t, motion);
    for (int k = 0; k < system->dimension; k++) {
        position[k] = body->position[k] + motion[0][k];
        velocity[k] = motion[1][k];
    }
    if (system->dimension == 2) {
        position[2] = body->angle + motion[0][3];
        velocity[2] = motion[1][3];
        return;
    }
    SpragQuaternion turn = sprag_quaternion_exp(sprag_vec3_scale(motion[0][3], body->drive_axis));
    SpragQuaternion Q = sprag_quaternion_product(turn, sprag_quaternion_unit(body->orientation));
    const double quaternion[4] = {Q.w, Q.x, Q.y, Q.z};
    memcpy(position + 3, quaternion, sizeof quaternion);
    sprag_vec3_to(sprag_vec3_scale(motion[1][3], body->drive_axis), velocity + 3);
}

void sprag_system_set_time(SpragSystem *system, double t)
{
    system->time = t;
    if (system->driven)
        drives_set(system, false);
}

// ---- Loads --------------------------------------------------------------------------------------

void load_now(const SpragSystem *system, const SpragLoad *load, LoadNow *now)
{
    memcpy(now->force, load->force, sizeof now->force);
    memcpy(now->moment, load->moment, sizeof now->moment);
    if (system->dimension == 2)
        now->moment[2] = load->torque;
    for (int k = 0; load->varies && k < 3; k++) {
        sprag_time_value_evaluate(&load->force_over[k], system->time, 0, &now->force[k]);
        sprag_time_value_evaluate(&load->moment_over[k], system->time, 0, &now->moment[k]);
    }
}

static void take_larger(const LoadNow *now, LoadNow *most)
{
    for (int k = 0; k < 3; k++) {
        most->force[k] = fmax(most->force[k], fabs(now->force[k]));
        most->moment[k] = fmax(most->moment[k], fabs(now->moment[k]));
    }
}

void load_largest(const SpragSystem *system, const SpragLoad *load, LoadNow *most)
{
    SpragSystem looking = *system; // only its time is another one
    LoadNow now;
    load_now(system, load, most);
    for (int k = 0; load->varies && k <= LOOKS; k++) {
        looking.time = system->model->simulate.until * k / LOOKS;
        load_now(&looking, load, &now);
        take_larger(&now, most);
    }
}

// ---- Kinks --------------------------------------------------------------------------------------

static double next_break(const SpragTimeValue *value, double t)
{
    for (int i = 0; value->evaluate && i < value->break_count; i++)
        if (value->breaks[i] > t)
            return value->breaks[i];
    return INFINITY;
}

static double next_of_bodies(const SpragModel *model, double t)
{
    double next = INFINITY;
    for (int i = 0; i < model->body_count; i++) {
        const SpragBody *body = &model->bodies[i];
        for (int k = 0; body->driven && k < 3; k++)
            next = fmin(next, next_break(&body->drive_position[k], t));
        if (body->driven)
            next = fmin(next, next_break(&body->drive_angle, t));
    }
    return next;
}

double sprag_system_next_break(const SpragSystem *system, double t)
{
    const SpragModel *model = system->model;
    if (!model)
        return INFINITY;
    double next = system->driven ? next_of_bodies(model, t) : INFINITY;
    for (int i = 0; i < model->load_count; i++)
        for (int k = 0; model->loads[i].varies && k < 3; k++) {
            next = fmin(next, next_break(&model->loads[i].force_over[k], t));
            next = fmin(next, next_break(&model->loads[i].moment_over[k], t));
        }
    for (int i = 0; i < model->joint_count; i++)
        if (model->joints[i].driven)
            next = fmin(next, next_break(&model->joints[i].drive, t));
    for (int i = 0; i < model->controller_count; i++) {
        next = fmin(next, next_break(&model->controllers[i].target, t));
        next = fmin(next, next_break(&model->controllers[i].forward, t));
    }
    return next;
}

double drives_spring_power(const SpragSystem *system, const SpragSpring *spring, double pull,
                           const double rates[2])
{
    double power = 0;
    for (int k = 0; k < 2; k++) {
        int body = spring->ends[k].body;
        if (body != SPRAG_WORLD && system->model->bodies[body].driven)
            power -= (k == 0 ? pull : -pull) * rates[k];
    }
    return power;
}

// joint_turns.c: whole turns of joints in space.
// Problem   the poses of two bodies give the angle of a joint up to whole turns, but springs,
//           limits, controllers and signals want the angle that grows with every turn
// Method    of each joint that turns about an axis the angle is a position of its own behind those
//           of the bodies, with τ' = (ω₁ − ω₀) · axis. Poses say what the angle is, τ only which
//           turn it is in: errors of τ below half a turn have no effect, and where quaternions
//           are made unit τ becomes the angle again.
// Note      in the plane angles of bodies count turns by themselves; a screw counts by its way
#include <math.h>
#include <string.h>

#include "joint_private.h"

static int first_turn(const SpragSystem *system)
{
    return system->velocity_count / SPACE_VELOCITIES * SPACE_POSITIONS;
}

bool joint_counts_turns(const SpragModel *model, const SpragJoint *joint)
{
    return model->dimension == 3 &&
           (joint->kind == SPRAG_JOINT_REVOLUTE || joint->kind == SPRAG_JOINT_CYLINDRICAL);
}

static SpragVec3 rotate(const double *Q, SpragVec3 a)
{
    SpragVec3 u = sprag_vec3(Q[1], Q[2], Q[3]), b = sprag_vec3_scale(2, sprag_vec3_cross(u, a));
    return sprag_vec3_add(sprag_vec3_along(a, Q[0], b), sprag_vec3_cross(u, b));
}

// Axis of the first end in the world at q.
static SpragVec3 axis_at(const SpragSystem *system, int joint, const double *q)
{
    int body = system->model->joints[joint].ends[0].body;
    SpragVec3 axis = sprag_mat3_column(&system->joints->items[joint].axes[0], 2);
    if (body == SPRAG_WORLD)
        return axis;
    int at = sprag_system_body_position(system, body);
    return at < 0 ? sprag_mat3_apply(&system->poses[body].R, axis) : rotate(q + at + 3, axis);
}

// Angular velocity (or shift) of an end; still: of driven bodies too.
static SpragVec3 turning(const SpragSystem *system, int body, bool still, const double *v)
{
    if (body == SPRAG_WORLD)
        return sprag_vec3(0, 0, 0);
    int at = system->coordinate[body];
    if (at >= 0)
        return sprag_vec3_of(v + at + 3);
    return still ? sprag_vec3(0, 0, 0) : system->poses[body].w;
}

// How fast, or by how much, the angles of the joints that are counted change.
static void count_change(const SpragSystem *system, bool still, const double *q, const double *v,
                         double *change)
{
    const Joints *joints = system->joints;
    for (int j = 0; j < joints->count; j++) {
        const SpragPlace *ends = system->model->joints[j].ends;
        if (joints->items[j].turned < 0)
            continue;
        SpragVec3 w = sprag_vec3_sub(turning(system, ends[1].body, still, v),
                                     turning(system, ends[0].body, still, v));
        change[joints->items[j].turned] += sprag_vec3_dot(w, axis_at(system, j, q));
    }
}

int turns_count(const SpragSystem *system)
{
    return is_spatial(system) && system->joints ? system->joints->turn_count : 0;
}

void turns_rate(const SpragSystem *system, const double *q, const double *v, double *rate)
{
    int count = turns_count(system);
    if (count == 0)
        return;
    rate += first_turn(system);
    memset(rate, 0, (size_t)count * sizeof *rate);
    count_change(system, false, q, v, rate);
}

void turns_shift(const SpragSystem *system, const double *shift, double *q)
{
    if (turns_count(system) > 0)
        count_change(system, true, q, shift, q + first_turn(system));
}

void turns_set(SpragSystem *system, const double *q)
{
    size_t count = (size_t)turns_count(system);
    if (count > 0)
        memcpy(system->joints->turns, q + first_turn(system), count * sizeof *q);
}

// Angle between the ends by their poses, up to whole turns.
static double angle_at(const SpragSystem *system, int joint, const double *q)
{
    SpragVec3 x[2];
    SpragVec3 axis = axis_at(system, joint, q);
    for (int side = 0; side < 2; side++) {
        int body = system->model->joints[joint].ends[side].body;
        int at = body == SPRAG_WORLD ? -1 : sprag_system_body_position(system, body);
        x[side] = sprag_mat3_column(&system->joints->items[joint].axes[side], 0);
        if (at >= 0)
            x[side] = rotate(q + at + 3, x[side]);
        else if (body != SPRAG_WORLD)
            x[side] = sprag_mat3_apply(&system->poses[body].R, x[side]);
    }
    return atan2(sprag_vec3_dot(x[1], sprag_vec3_cross(axis, x[0])), sprag_vec3_dot(x[1], x[0]));
}

void turns_settle(const SpragSystem *system, double *q)
{
    const Joints *joints = system->joints;
    for (int j = 0; turns_count(system) > 0 && j < joints->count; j++) {
        int turned = joints->items[j].turned;
        if (turned < 0)
            continue;
        double *tau = q + first_turn(system) + turned;
        *tau = nearest_turn(angle_at(system, j, q), *tau);
    }
}

void turns_begin(SpragSystem *system, int joint, double wanted, double *q)
{
    const SpragJoint *item = &system->model->joints[joint];
    int turned = system->joints->items[joint].turned;
    if (turned < 0)
        return;
    double *tau = q + first_turn(system) + turned;
    *tau = nearest_turn(angle_at(system, joint, q), wanted);
    double middle = (item->limits[0] + item->limits[1]) / 2;
    if (item->limited && isfinite(middle) && (*tau < item->limits[0] || *tau > item->limits[1]))
        *tau = nearest_turn(*tau, middle);
}

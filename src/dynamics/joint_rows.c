// joint_rows.c: rows of joints: errors, Jacobians, biases and drifts, in the plane and in space.
// Problem   e(q, t) = 0 of each joint and its positions, with e' = E v + drift and e'' = E v' +
//           bias, theory.md (1.6), (1.7)
// Method    four kinds of rows (joint_row_kinds.h) make all joints: the way of the second place
//           along an axis of the first frame, the product of an axis of one frame with one of the
//           other, the angle about an axis, a distance. The plane is space with bodies that turn
//           about z. Threads are theory.md (9.12), (9.13), crosses with friction (9.42)
#include <math.h>

#include "joint_row_kinds.h"

static const double TURN = 6.283185307179586476925286766559;

// ---- Rows of a joint ----------------------------------------------------------------------------

// The value nearest to a wanted one that differs by whole turns.
double nearest_turn(double angle, double wanted)
{
    return angle + TURN * round((wanted - angle) / TURN);
}

// Rows of the joint being made.
typedef struct Making {
    const SpragSystem *system;
    const SpragJoint *joint;
    const JointItem *item;
    End ends[2];
    PairRow *rows;
    int count;
} Making;

static void put(Making *making, Raw raw)
{
    raw_finish(making->system, making->ends, &raw, &making->rows[making->count++]);
}

static SpragVec3 axis_of(const Making *making, int side, int column)
{
    return sprag_mat3_column(&making->ends[side].axes, column);
}

static void put_along(Making *making, int column, SpragVec3 point)
{
    put(making, raw_along(making->ends, axis_of(making, 0, column), point));
}

static void put_product(Making *making, int first, int second)
{
    put(making, raw_product(making->ends, axis_of(making, 0, first), axis_of(making, 1, second)));
}

// Angles that must agree.
static void put_angle_plane(Making *making)
{
    Raw row = raw_angle_plane(making->ends, making->item->turn);
    row.value = nearest_turn(row.value, 0);
    put(making, row);
}

static bool has_friction(const SpragJoint *joint)
{
    return joint->friction.given && (joint->friction.stationary > 0 || joint->friction.kinetic > 0);
}

static bool has_long_bearing(const SpragJoint *joint)
{
    return has_friction(joint) && joint->bearing > 0 &&
           (joint->kind == SPRAG_JOINT_PRISMATIC || joint->kind == SPRAG_JOINT_CYLINDRICAL);
}

static void make_rows_plane(Making *making)
{
    SpragVec3 place = making->ends[1].x;
    switch (making->joint->kind) {
    case SPRAG_JOINT_REVOLUTE:
    case SPRAG_JOINT_WELD:
        put_along(making, 0, place);
        put_along(making, 1, place);
        if (making->joint->kind == SPRAG_JOINT_WELD)
            put_angle_plane(making);
        break;
    case SPRAG_JOINT_PRISMATIC:
        if (has_long_bearing(making->joint)) {
            SpragVec3 half = sprag_vec3_scale(making->joint->bearing / 2, axis_of(making, 1, 0));
            put_along(making, 1, sprag_vec3_add(place, half));
            put_along(making, 1, sprag_vec3_sub(place, half));
            break;
        }
        put_along(making, 1, place);
        put_angle_plane(making);
        break;
    default:
        break;
    }
}

static void put_guides(Making *making)
{
    SpragVec3 place = making->ends[1].x;
    SpragVec3 half = sprag_vec3_scale(making->joint->bearing / 2, axis_of(making, 1, 2));
    if (!has_long_bearing(making->joint)) {
        put_along(making, 0, place);
        put_along(making, 1, place);
        put_product(making, 0, 2);
        put_product(making, 1, 2);
        return;
    }
    for (int end = 0; end < 2; end++) {
        SpragVec3 point = end == 0 ? sprag_vec3_add(place, half) : sprag_vec3_sub(place, half);
        put_along(making, 0, point);
        put_along(making, 1, point);
    }
}

static double screw_lead(const SpragJoint *joint)
{
    return joint->lead / TURN;
}

static Raw screw_angle(const Making *making, const Raw *way)
{
    Raw angle = raw_angle(making->ends);
    angle.value = nearest_turn(angle.value, way->value / screw_lead(making->joint));
    return angle;
}

static Raw way_along(const Making *making)
{
    int column = is_spatial(making->system) ? 2 : 0;
    return raw_along(making->ends, axis_of(making, 0, column), making->ends[1].x);
}

// theory.md (9.12), (9.13): with friction the row has the length of the thread's normal.
static void put_thread(Making *making)
{
    const SpragJoint *joint = making->joint;
    double l = screw_lead(joint), factor = 1;
    if (has_friction(joint))
        factor = cos(joint->thread_angle) * cos(atan(l / joint->radius));
    Raw way = way_along(making), angle = screw_angle(making, &way);
    put(making, raw_sum(factor, &way, -l, &angle));
}

// The forces of a cross: along the second pin and across both for the first pin, along the first
// for the second, theory.md (9.42). The axes are those of the moment: off the place that the rows
// hold by an error e their rates are wrong by e times a spin.
static void put_cross(Making *making)
{
    SpragVec3 first = axis_of(making, 0, 2), second = axis_of(making, 1, 0);
    double along = sprag_vec3_dot(first, second);
    second = sprag_vec3_unit(sprag_vec3_along(second, -along, first));
    const SpragVec3 axes[] = {second, cross(first, second), first};
    for (int k = 0; k < 3; k++)
        put(making, raw_along(making->ends, axes[k], making->ends[1].x));
}

static void make_rows_space(Making *making)
{
    SpragVec3 place = making->ends[1].x;
    SpragJointKind kind = making->joint->kind;
    if (kind == SPRAG_JOINT_DISTANCE)
        return;
    if (kind == SPRAG_JOINT_PRISMATIC || kind == SPRAG_JOINT_CYLINDRICAL) {
        put_guides(making);
        if (kind == SPRAG_JOINT_PRISMATIC)
            put_product(making, 1, 0);
        return;
    }
    if (kind == SPRAG_JOINT_SCREW)
        put_thread(making);
    if (kind == SPRAG_JOINT_UNIVERSAL && has_friction(making->joint)) {
        put_cross(making);
        put_product(making, 2, 0);
        return;
    }
    put_along(making, 0, place);
    put_along(making, 1, place);
    if (kind != SPRAG_JOINT_SCREW)
        put_along(making, 2, place);
    if (kind == SPRAG_JOINT_REVOLUTE || kind == SPRAG_JOINT_SCREW) {
        put_product(making, 0, 2);
        put_product(making, 1, 2);
    }
    if (kind == SPRAG_JOINT_UNIVERSAL)
        put_product(making, 2, 0);
    if (kind == SPRAG_JOINT_WELD) {
        put_product(making, 2, 1);
        put_product(making, 0, 2);
        put_product(making, 1, 0);
    }
}

// ---- Positions ----------------------------------------------------------------------------------

// Angle about the axis in space, with its turns.
static Raw angle_space(const Making *making)
{
    Raw angle = raw_angle(making->ends);
    angle.value = nearest_turn(angle.value, making->system->joints->turns[making->item->turned]);
    return angle;
}

static void make_positions(Making *making, PairRow positions[2])
{
    const SpragSystem *system = making->system;
    bool space = is_spatial(system);
    Raw way, angle;
    positions[0] = positions[1] = (PairRow){.block = {-1, -1}};
    switch (making->joint->kind) {
    case SPRAG_JOINT_REVOLUTE:
        angle = space ? angle_space(making) : raw_angle_plane(making->ends, making->item->turn);
        raw_finish(system, making->ends, &angle, &positions[0]);
        break;
    case SPRAG_JOINT_PRISMATIC:
        way = way_along(making);
        raw_finish(system, making->ends, &way, &positions[0]);
        break;
    case SPRAG_JOINT_DISTANCE:
        way = raw_distance(making->ends);
        raw_finish(system, making->ends, &way, &positions[0]);
        break;
    case SPRAG_JOINT_SCREW:
    case SPRAG_JOINT_CYLINDRICAL:
        way = way_along(making);
        angle = making->joint->kind == SPRAG_JOINT_SCREW ? screw_angle(making, &way)
                                                         : angle_space(making);
        raw_finish(system, making->ends, &angle, &positions[0]);
        raw_finish(system, making->ends, &way, &positions[1]);
        break;
    default:
        break;
    }
}

// A distance is kept unless a spring, limits (a rope) or a drive say otherwise.
static bool keeps_distance(const SpragJoint *joint)
{
    return joint->kind == SPRAG_JOINT_DISTANCE && !joint->sprung && !joint->limited &&
           !joint->driven;
}

static void put_drive(Making *making, PairRow *position)
{
    double drive[3];
    PairRow *row = &making->rows[making->count++];
    sprag_time_value_evaluate(&making->joint->drive, making->system->time, 2, drive);
    bool turns = is_spatial(making->system) && (making->joint->kind == SPRAG_JOINT_REVOLUTE ||
                                                making->joint->kind == SPRAG_JOINT_CYLINDRICAL);
    if (turns)
        position->value = nearest_turn(position->value, drive[0]);
    *row = *position;
    row->value -= drive[0];
    row->rate -= drive[1];
    row->drift -= drive[1];
    row->bias -= drive[2];
}

static void evaluate_joint(SpragSystem *system, int joint)
{
    Joints *joints = system->joints;
    const SpragJoint *given = &system->model->joints[joint];
    JointItem *item = &joints->items[joint];
    Making making = {
        .system = system, .joint = given, .item = item, .rows = joints->rows + item->row};
    joint_ends(system, joint, making.ends);
    PairRow *positions = joints->positions[joint];
    make_positions(&making, positions);
    if (given->kind == SPRAG_JOINT_WELD && given->sprung)
        return;
    if (is_spatial(system))
        make_rows_space(&making);
    else
        make_rows_plane(&making);
    if (keeps_distance(given)) {
        PairRow *row = &making.rows[making.count++];
        *row = positions[0];
        row->value -= item->length;
    }
    if (given->driven)
        put_drive(&making, &positions[0]);
}

void joints_evaluate(SpragSystem *system)
{
    Joints *joints = system->joints;
    if (joints->rows_valid)
        return;
    for (int i = 0; i < joints->count; i++)
        evaluate_joint(system, i);
    joints->rows_valid = true;
}

void joint_count_rows(const SpragModel *model, const SpragJoint *joint, JointItem *item)
{
    static const int plane[] = {2, 2, 3, 0, 0, 0, 0, 0}, space[] = {5, 5, 6, 0, 5, 3, 4, 4};
    static const int plane_normals[] = {2, 1, 0, 0, 0, 0, 0, 0},
                     space_normals[] = {2, 2, 0, 0, 1, 3, 3, 2};
    bool flat = model->dimension == 2, long_bearing = has_long_bearing(joint);
    item->row_count = (flat ? plane : space)[joint->kind];
    if (joint->kind == SPRAG_JOINT_WELD && joint->sprung)
        item->row_count = 0;
    if (keeps_distance(joint) || joint->driven)
        item->row_count++;
    bool cross = joint->kind == SPRAG_JOINT_UNIVERSAL;
    int normals = (flat ? plane_normals : space_normals)[joint->kind];
    item->bearings = !has_friction(joint) ? 0 : long_bearing || cross ? 2 : 1;
    item->normal_count = cross ? (item->bearings > 0 ? normals : 0) : item->bearings * normals;
    item->bearing_row[1] = cross ? 2 : normals;
    bool shaft = joint->kind == SPRAG_JOINT_CYLINDRICAL && joint->radius > 0;
    item->tangents = joint->kind == SPRAG_JOINT_BALL ? 3 : shaft ? 2 : 1;
}

// ---- What a joint is asked for ------------------------------------------------------------------

// radius × rate of the turn about an axis that end `side` carries.
static Raw row_turn(const Making *making, int side, int column)
{
    const End *e = making->ends;
    double r = making->joint->radius;
    SpragVec3 axis = axis_of(making, side, column), turning = sprag_vec3_sub(e[1].w, e[0].w);
    Raw row = {.value = 0};
    row.angular[0] = sprag_vec3_scale(-r, axis);
    row.angular[1] = sprag_vec3_scale(r, axis);
    row.bias = r * sprag_vec3_dot(cross(e[side].w, axis), turning);
    return row;
}

void joint_tangent(const SpragSystem *system, int joint, int bearing, int k, PairRow *tangent)
{
    const SpragJoint *given = &system->model->joints[joint];
    const JointItem *item = &system->joints->items[joint];
    Making making = {.system = system, .joint = given, .item = item};
    joint_ends(system, joint, making.ends);
    Raw way, angle, zero = {.value = 0};
    bool turns = given->kind == SPRAG_JOINT_REVOLUTE || k == 1;
    if (given->kind == SPRAG_JOINT_UNIVERSAL) {
        angle = bearing == 0 ? row_turn(&making, 0, 2) : row_turn(&making, 1, 0);
    } else if (given->kind == SPRAG_JOINT_BALL) {
        angle = row_turn(&making, 0, k);
    } else if (turns) {
        angle =
            is_spatial(system) ? raw_angle(making.ends) : raw_angle_plane(making.ends, item->turn);
        angle = raw_sum(given->radius, &angle, 0, &zero);
    } else if (given->kind == SPRAG_JOINT_SCREW) {
        double helix = atan(screw_lead(given) / given->radius);
        way = way_along(&making);
        angle = screw_angle(&making, &way);
        angle = raw_sum(given->radius * cos(helix), &angle, tan(helix) / given->radius, &way);
    } else {
        angle = way_along(&making);
    }
    raw_finish(system, making.ends, &angle, tangent);
    tangent->angle = false;
}

// ---- Bushings -----------------------------------------------------------------------------------

// Rotation vector θ of A0ᵀA1, and θ' = J⁻¹ ω with ω the relative angular velocity in the first
// frame: J⁻¹ = 1 − ½ [θ] + c [θ]², c = 1/θ² − (1 + cos θ)/(2 θ sin θ).
static SpragVec3 rotation_vector(const End e[2], SpragMat3 *J)
{
    const double *a = e[0].axes.m;
    SpragMat3 back = {{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
    SpragMat3 R = sprag_mat3_product(&back, &e[1].axes);
    SpragQuaternion Q = sprag_quaternion_of(&R);
    SpragVec3 part = sprag_vec3(Q.x, Q.y, Q.z);
    double sine = sprag_vec3_norm(part), angle = 2 * atan2(sine, Q.w);
    SpragVec3 theta = sprag_vec3_scale(sine > 0 ? angle / sine : 2, part);
    double c = 1.0 / 12; // its limit for small angles
    if (angle > 1e-3)
        c = 1 / (angle * angle) - (1 + cos(angle)) / (2 * angle * sin(angle));
    SpragMat3 K = {{0, -theta.z, theta.y, theta.z, 0, -theta.x, -theta.y, theta.x, 0}};
    SpragMat3 KK = sprag_mat3_product(&K, &K);
    for (int i = 0; i < 9; i++)
        J->m[i] = (i % 4 == 0) - K.m[i] / 2 + c * KK.m[i];
    return theta;
}

int joint_bushing(const SpragSystem *system, int joint, PairRow rows[SPACE_VELOCITIES])
{
    Making making = {.system = system,
                     .joint = &system->model->joints[joint],
                     .item = &system->joints->items[joint],
                     .rows = rows};
    joint_ends(system, joint, making.ends);
    for (int k = 0; k < system->dimension; k++)
        put_along(&making, k, making.ends[1].x);
    if (!is_spatial(system)) {
        put_angle_plane(&making);
        return making.count;
    }
    SpragMat3 J;
    SpragVec3 theta = rotation_vector(making.ends, &J);
    const double angles[3] = {theta.x, theta.y, theta.z};
    for (int k = 0; k < 3; k++) {
        Raw row = {.value = angles[k], .angle = true};
        row.angular[1] = sprag_mat3_apply(&making.ends[0].axes, sprag_vec3_of(J.m + 3 * k));
        row.angular[0] = sprag_vec3_scale(-1, row.angular[1]);
        put(&making, row);
    }
    return making.count;
}

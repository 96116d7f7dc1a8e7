// joint_rows.c: rows of joints: errors, Jacobians, biases and drifts, in the plane and in space.
// Problem   e(q, t) = 0 of each joint and its positions, with e' = E v + drift and
//           e'' = E v' + bias, theory.md (1.6), (1.7)
// Method    four kinds of rows make all joints: the way of the second place along an axis of the
//           first frame, the product of an axis of one frame with one of the other, the angle
//           about an axis, a distance. The plane is space with bodies that turn about z.
// Note      every row is the exact derivative of its error, so that projections converge
//           quadratically and finite differences agree also where joints are violated
#include <math.h>
#include <string.h>

#include "joint_private.h"

static const double TURN = 6.283185307179586476925286766559;

// One end of a joint at the state last set.
typedef struct End {
    SpragVec3 x;                // its place
    SpragVec3 centre, v, w;     // of its body
    SpragMat3 axes;             // in the world
    double angle;               // plane: of its body
    int block;                  // of velocities; −1: none
    const double *acceleration; // of a driven body, six; else NULL
} End;

// A row before it is given to the bodies.
typedef struct Raw {
    SpragVec3 linear[2], angular[2];
    double value, bias;
    bool angle;
} Raw;

// ---- Ends ---------------------------------------------------------------------------------------

static SpragMat3 turn_z(double cosine, double sine)
{
    SpragMat3 R = {{cosine, -sine, 0, sine, cosine, 0, 0, 0, 1}};
    return R;
}

static void end_of_body(const SpragSystem *system, int body, End *end, SpragMat3 *R)
{
    int at = system->coordinate[body];
    end->block = at < 0 ? -1 : at / body_size(system);
    if (at < 0 && system->driven)
        end->acceleration = system->driven + (size_t)SPACE_VELOCITIES * (size_t)body;
    if (is_spatial(system)) {
        const SpragPose *pose = &system->poses[body];
        end->centre = pose->x;
        end->v = pose->v;
        end->w = pose->w;
        *R = pose->R;
        return;
    }
    const SpragFrame *frame = &system->frames[body];
    end->centre = sprag_vec3_raise(frame->x);
    end->v = sprag_vec3_raise(frame->v);
    end->w = sprag_vec3(0, 0, frame->spin);
    end->angle = system->pose[3 * body + 2];
    *R = turn_z(frame->cosine, frame->sine);
}

static void end_state(const SpragSystem *system, int joint, int side, End *end)
{
    const JointItem *item = &system->joints->items[joint];
    int body = system->model->joints[joint].ends[side].body;
    *end = (End){.x = item->local[side], .axes = item->axes[side], .block = -1};
    if (body == SPRAG_WORLD)
        return;
    SpragMat3 R;
    end_of_body(system, body, end, &R);
    end->x = sprag_vec3_add(end->centre, sprag_mat3_apply(&R, item->local[side]));
    end->axes = sprag_mat3_product(&R, &item->axes[side]);
}

static void joint_ends(const SpragSystem *system, int joint, End ends[2])
{
    end_state(system, joint, 0, &ends[0]);
    end_state(system, joint, 1, &ends[1]);
}

// ---- Kinds of rows ------------------------------------------------------------------------------

static SpragVec3 cross(SpragVec3 a, SpragVec3 b)
{
    return sprag_vec3_cross(a, b);
}

// u · (p − first place), u an axis of the first frame, p a point of the second body.
static Raw row_along(const End e[2], SpragVec3 u, SpragVec3 p)
{
    Raw row = {.value = sprag_vec3_dot(u, sprag_vec3_sub(p, e[0].x))};
    SpragVec3 arm[2] = {sprag_vec3_sub(p, e[0].centre), sprag_vec3_sub(p, e[1].centre)};
    SpragVec3 v0 = sprag_vec3_add(e[0].v, cross(e[0].w, arm[0]));
    SpragVec3 turning = cross(e[1].w, arm[1]), v1 = sprag_vec3_add(e[1].v, turning);
    row.linear[0] = sprag_vec3_scale(-1, u);
    row.linear[1] = u;
    row.angular[0] = sprag_vec3_scale(-1, cross(arm[0], u));
    row.angular[1] = cross(arm[1], u);
    SpragVec3 carried =
        sprag_vec3_sub(cross(e[1].w, turning), cross(e[0].w, sprag_vec3_sub(v1, e[0].v)));
    row.bias =
        sprag_vec3_dot(cross(e[0].w, u), sprag_vec3_sub(v1, v0)) + sprag_vec3_dot(u, carried);
    return row;
}

// a · b of an axis of the first frame and one of the second.
static Raw row_product(const End e[2], SpragVec3 a, SpragVec3 b)
{
    Raw row = {.value = sprag_vec3_dot(a, b), .angle = true};
    row.angular[1] = cross(b, a);
    row.angular[0] = sprag_vec3_scale(-1, row.angular[1]);
    SpragVec3 rate = sprag_vec3_add(cross(cross(e[1].w, b), a), cross(b, cross(e[0].w, a)));
    row.bias = sprag_vec3_dot(sprag_vec3_sub(e[1].w, e[0].w), rate);
    return row;
}

// Angle from the first x axis to the second about z: atan2(s, c), s = b · y, c = b · x; its row
// b × w/(s² + c²) with w = c y − s x.
static Raw row_angle(const End e[2])
{
    SpragVec3 x = sprag_mat3_column(&e[0].axes, 0), y = sprag_mat3_column(&e[0].axes, 1);
    SpragVec3 b = sprag_mat3_column(&e[1].axes, 0);
    SpragVec3 turning = sprag_vec3_sub(e[1].w, e[0].w);
    double s = sprag_vec3_dot(b, y), c = sprag_vec3_dot(b, x), D = s * s + c * c;
    Raw row = {.value = atan2(s, c), .angle = true};
    if (!(D > 0)) // the axes are at right angles: there is no such angle
        return row;
    SpragVec3 w = sprag_vec3_sub(sprag_vec3_scale(c, y), sprag_vec3_scale(s, x)), N = cross(b, w);
    double s_rate = sprag_vec3_dot(turning, cross(b, y)),
           c_rate = sprag_vec3_dot(turning, cross(b, x));
    SpragVec3 w_rate = sprag_vec3_sub(sprag_vec3_scale(c_rate, y), sprag_vec3_scale(s_rate, x));
    w_rate = sprag_vec3_add(w_rate, cross(e[0].w, w));
    SpragVec3 N_rate = sprag_vec3_add(cross(cross(e[1].w, b), w), cross(b, w_rate));
    double D_rate = 2 * (s * s_rate + c * c_rate);
    row.angular[1] = sprag_vec3_scale(1 / D, N);
    row.angular[0] = sprag_vec3_scale(-1 / D, N);
    row.bias = (sprag_vec3_dot(turning, N_rate) - D_rate / D * sprag_vec3_dot(turning, N)) / D;
    return row;
}

static Raw row_angle_plane(const End e[2], double turn)
{
    Raw row = {.value = e[1].angle - e[0].angle + turn, .angle = true};
    row.angular[0].z = -1;
    row.angular[1].z = 1;
    return row;
}

static Raw row_distance(const End e[2])
{
    SpragVec3 d = sprag_vec3_sub(e[1].x, e[0].x), n = sprag_vec3_unit(d);
    SpragVec3 turning[2], v[2];
    Raw row = {.value = sprag_vec3_norm(d)};
    if (!(row.value > 0)) // any direction will do to part the places
        n = sprag_mat3_column(&e[0].axes, 0);
    for (int i = 0; i < 2; i++) {
        SpragVec3 arm = sprag_vec3_sub(e[i].x, e[i].centre);
        double sign = i == 0 ? -1 : 1;
        turning[i] = cross(e[i].w, arm);
        v[i] = sprag_vec3_add(e[i].v, turning[i]);
        row.linear[i] = sprag_vec3_scale(sign, n);
        row.angular[i] = sprag_vec3_scale(sign, cross(arm, n));
    }
    SpragVec3 d_rate = sprag_vec3_sub(v[1], v[0]);
    SpragVec3 carried = sprag_vec3_sub(cross(e[1].w, turning[1]), cross(e[0].w, turning[0]));
    double rate = sprag_vec3_dot(n, d_rate);
    row.bias = sprag_vec3_dot(n, carried);
    if (row.value > 0)
        row.bias += (sprag_vec3_dot(d_rate, d_rate) - rate * rate) / row.value;
    return row;
}

// factor × (a + part × b)
static Raw row_sum(double factor, const Raw *a, double part, const Raw *b)
{
    Raw row = {.value = factor * (a->value + part * b->value),
               .bias = factor * (a->bias + part * b->bias),
               .angle = a->angle};
    for (int i = 0; i < 2; i++) {
        row.linear[i] =
            sprag_vec3_scale(factor, sprag_vec3_along(a->linear[i], part, b->linear[i]));
        row.angular[i] =
            sprag_vec3_scale(factor, sprag_vec3_along(a->angular[i], part, b->angular[i]));
    }
    return row;
}

// ---- Rows for the bodies ------------------------------------------------------------------------

static void finish(const SpragSystem *system, const End ends[2], const Raw *raw, PairRow *row)
{
    bool space = is_spatial(system);
    row->value = raw->value;
    row->bias = raw->bias;
    row->angle = raw->angle;
    row->rate = row->drift = 0;
    for (int i = 0; i < 2; i++) {
        double rate =
            sprag_vec3_dot(raw->linear[i], ends[i].v) + sprag_vec3_dot(raw->angular[i], ends[i].w);
        double *entries = row->entries[i];
        row->block[i] = ends[i].block;
        row->rate += rate;
        if (ends[i].acceleration) {
            const double *a = ends[i].acceleration;
            row->drift += rate;
            row->bias += sprag_vec3_dot(raw->linear[i], sprag_vec3_of(a)) +
                         sprag_vec3_dot(raw->angular[i], sprag_vec3_of(a + 3));
        }
        sprag_vec3_to(raw->linear[i], entries);
        if (space)
            sprag_vec3_to(raw->angular[i], entries + 3);
        else
            entries[2] = raw->angular[i].z;
    }
}

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
    finish(making->system, making->ends, &raw, &making->rows[making->count++]);
}

static SpragVec3 axis_of(const Making *making, int side, int column)
{
    return sprag_mat3_column(&making->ends[side].axes, column);
}

static void put_along(Making *making, int column, SpragVec3 point)
{
    put(making, row_along(making->ends, axis_of(making, 0, column), point));
}

static void put_product(Making *making, int first, int second)
{
    put(making, row_product(making->ends, axis_of(making, 0, first), axis_of(making, 1, second)));
}

// Angles that must agree.
static void put_angle_plane(Making *making)
{
    Raw row = row_angle_plane(making->ends, making->item->turn);
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
    Raw angle = row_angle(making->ends);
    angle.value = nearest_turn(angle.value, way->value / screw_lead(making->joint));
    return angle;
}

static Raw way_along(const Making *making)
{
    int column = is_spatial(making->system) ? 2 : 0;
    return row_along(making->ends, axis_of(making, 0, column), making->ends[1].x);
}

// theory.md (9.12), (9.13): with friction the row has the length of the thread's normal.
static void put_thread(Making *making)
{
    const SpragJoint *joint = making->joint;
    double l = screw_lead(joint), factor = 1;
    if (has_friction(joint))
        factor = cos(joint->thread_angle) * cos(atan(l / joint->radius));
    Raw way = way_along(making), angle = screw_angle(making, &way);
    put(making, row_sum(factor, &way, -l, &angle));
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
        put(making, row_along(making->ends, axes[k], making->ends[1].x));
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
    Raw angle = row_angle(making->ends);
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
        angle = space ? angle_space(making) : row_angle_plane(making->ends, making->item->turn);
        finish(system, making->ends, &angle, &positions[0]);
        break;
    case SPRAG_JOINT_PRISMATIC:
        way = way_along(making);
        finish(system, making->ends, &way, &positions[0]);
        break;
    case SPRAG_JOINT_DISTANCE:
        way = row_distance(making->ends);
        finish(system, making->ends, &way, &positions[0]);
        break;
    case SPRAG_JOINT_SCREW:
    case SPRAG_JOINT_CYLINDRICAL:
        way = way_along(making);
        angle = making->joint->kind == SPRAG_JOINT_SCREW ? screw_angle(making, &way)
                                                         : angle_space(making);
        finish(system, making->ends, &angle, &positions[0]);
        finish(system, making->ends, &way, &positions[1]);
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
            is_spatial(system) ? row_angle(making.ends) : row_angle_plane(making.ends, item->turn);
        angle = row_sum(given->radius, &angle, 0, &zero);
    } else if (given->kind == SPRAG_JOINT_SCREW) {
        double helix = atan(screw_lead(given) / given->radius);
        way = way_along(&making);
        angle = screw_angle(&making, &way);
        angle = row_sum(given->radius * cos(helix), &angle, tan(helix) / given->radius, &way);
    } else {
        angle = way_along(&making);
    }
    finish(system, making.ends, &angle, tangent);
    tangent->angle = false;
}

void joint_take_place(SpragSystem *system, int joint)
{
    JointItem *item = &system->joints->items[joint];
    const SpragJoint *given = &system->model->joints[joint];
    End ends[2];
    system->joints->rows_valid = system->joints->factor_valid = false;
    item->ready = true;
    joint_ends(system, joint, ends);
    if (given->kind == SPRAG_JOINT_DISTANCE) {
        item->length = sprag_vec3_norm(sprag_vec3_sub(ends[1].x, ends[0].x));
        return;
    }
    End second = ends[1];
    SpragMat3 R = sprag_mat3_identity();
    if (given->ends[1].body != SPRAG_WORLD)
        end_of_body(system, given->ends[1].body, &second, &R);
    item->local[1] = sprag_mat3_apply_back(&R, sprag_vec3_sub(ends[0].x, second.centre));
    SpragMat3 back = {{R.m[0], R.m[3], R.m[6], R.m[1], R.m[4], R.m[7], R.m[2], R.m[5], R.m[8]}};
    item->axes[1] = sprag_mat3_product(&back, &ends[0].axes);
    // angles that count more than one turn agree too
    item->turn = is_spatial(system) ? 0 : ends[0].angle - ends[1].angle;
}

void joint_end(const SpragSystem *system, int joint, int side, SpragVec3 *place, SpragMat3 *axes)
{
    End end;
    end_state(system, joint, side, &end);
    *place = end.x;
    *axes = end.axes;
}

bool joint_is_flipped(const SpragSystem *system, int joint)
{
    SpragJointKind kind = system->model->joints[joint].kind;
    if (!is_spatial(system) || kind == SPRAG_JOINT_DISTANCE || kind == SPRAG_JOINT_BALL ||
        kind == SPRAG_JOINT_UNIVERSAL)
        return false;
    End ends[2];
    joint_ends(system, joint, ends);
    bool whole = kind == SPRAG_JOINT_WELD || kind == SPRAG_JOINT_PRISMATIC;
    for (int k = whole ? 0 : 2; k < 3; k++)
        if (sprag_vec3_dot(sprag_mat3_column(&ends[0].axes, k),
                           sprag_mat3_column(&ends[1].axes, k)) < 0)
            return true;
    return false;
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

// ---- Rows and vectors ---------------------------------------------------------------------------

double pair_row_dot(const SpragSystem *system, const PairRow *row, const double *v)
{
    int size = body_size(system);
    double sum = 0;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; row->block[i] >= 0 && k < size; k++)
            sum += row->entries[i][k] * v[size * row->block[i] + k];
    return sum;
}

void pair_row_dense(const SpragSystem *system, const PairRow *row, double *dense)
{
    int size = body_size(system);
    memset(dense, 0, (size_t)system->velocity_count * sizeof *dense);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        if (row->block[i] >= 0)
            memcpy(dense + size * row->block[i], row->entries[i], (size_t)size * sizeof *dense);
}

void pair_row_add(const SpragSystem *system, const PairRow *row, double factor, double *target)
{
    int size = body_size(system);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; row->block[i] >= 0 && k < size; k++)
            target[size * row->block[i] + k] += factor * row->weighted[i][k];
}

void pair_row_weigh(const SpragSystem *system, PairRow *row)
{
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++) {
        if (row->block[i] < 0)
            continue;
        if (is_spatial(system)) {
            space_apply_block(system, row->block[i], row->entries[i], row->weighted[i]);
            continue;
        }
        const double *inverse = system->inverse_mass + BODY_SIZE * row->block[i];
        for (int k = 0; k < BODY_SIZE; k++)
            row->weighted[i][k] = inverse[k] * row->entries[i][k];
    }
}

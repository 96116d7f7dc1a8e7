// scene_joint_places.c: places and axes of joints.
// Places    what `between` names meets; world has its place in `at`. An end that is only a body
//           takes its place from the other one (or from `at`) where the bodies stand after
//           `start`.
// Axes      `axis` is in the frame of the first in `between` (as URDF has it in the parent's). An
//           angle is 0 where the frames of the bodies agree, if they differ by a turn about the
//           axis; what a joint does not let turn stays as the file places it.
#include <math.h>
#include <string.h>

#include "scene_joints.h"

static bool has_axis(SpragJointKind kind)
{
    return kind != SPRAG_JOINT_DISTANCE && kind != SPRAG_JOINT_BALL;
}

// ---- Ends ---------------------------------------------------------------------------------------

static SpragStatus read_joint_end(Reader *reader, const Node *joint, const Node *node,
                                  JointEnd *end)
{
    const Node *at = node_get(joint, "at");
    end->given = true;
    if (node->kind != NODE_SCALAR)
        return read_place(reader, node, "between", &end->place);
    if (strcmp(node->text, "world") != 0) {
        end->given = strchr(node->text, '.') != NULL;
        return read_place(reader, node, "between", &end->place);
    }
    end->place.body = SPRAG_WORLD;
    end->given = at != NULL;
    if (!at)
        return SPRAG_OK;
    SPRAG_TRY(read_vec3(reader, at, "at", KIND_LENGTH, &end->place.local));
    return place_point(reader, joint->include, &end->place.local);
}

SpragStatus read_joint_ends(Reader *reader, const Node *node, JointEnd ends[2])
{
    const Node *between = node_get(node, "between");
    if (!between || between->kind != NODE_SEQUENCE || between->count != 2)
        return fail_at(reader, between ? between : node,
                       "a joint needs between: [place, place], of which one may be world");
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_joint_end(reader, node, between->items[i], &ends[i]));
    if (ends[0].place.body == ends[1].place.body && ends[0].place.body == SPRAG_WORLD)
        return fail_at(reader, between, "a joint needs places of two bodies, or one and world");
    if (ends[0].place.body == ends[1].place.body)
        return fail_at(reader, between,
                       "a joint needs places of two bodies, or one and world; both are of %s",
                       reader->model->bodies[ends[0].place.body].name);
    return SPRAG_OK;
}

void joint_frame(const SpragModel *model, int body, SpragMat3 *R, SpragVec3 *p)
{
    *R = sprag_mat3_identity();
    *p = sprag_vec3(0, 0, 0);
    if (body == SPRAG_WORLD)
        return;
    const SpragBody *item = &model->bodies[body];
    SpragVec3 drive = sprag_vec3(item->drive_position[0].number, item->drive_position[1].number,
                                 item->drive_position[2].number);
    *p = sprag_vec3_of(item->position);
    SpragVec3 turn = sprag_vec3(0, 0, item->angle);
    if (item->driven) {
        *p = sprag_vec3_add(*p, drive);
        turn.z += item->drive_angle.number;
    }
    if (model->dimension == 2) {
        *R = sprag_quaternion_matrix(sprag_quaternion_exp(turn));
        return;
    }
    SpragQuaternion q = item->orientation;
    if (item->driven)
        q = sprag_quaternion_product(
            sprag_quaternion_exp(sprag_vec3_scale(item->drive_angle.number, item->drive_axis)), q);
    *R = sprag_quaternion_matrix(q);
}

SpragVec3 joint_world(const SpragModel *model, const SpragPlace *place)
{
    SpragMat3 R;
    SpragVec3 p;
    joint_frame(model, place->body, &R, &p);
    return sprag_vec3_add(p, sprag_mat3_apply(&R, place->local));
}

static SpragVec3 to_body(const SpragModel *model, int body, SpragVec3 world)
{
    SpragMat3 R;
    SpragVec3 p;
    joint_frame(model, body, &R, &p);
    return sprag_mat3_apply_back(&R, sprag_vec3_sub(world, p));
}

// `at` where the world is not in between: the place of the joint as bodies stand in the file.
static SpragStatus use_at(Reader *reader, const Node *node, JointEnd ends[2], bool *as_placed)
{
    const Node *at = node_get(node, "at");
    bool world = ends[0].place.body == SPRAG_WORLD || ends[1].place.body == SPRAG_WORLD;
    if (!at || world)
        return SPRAG_OK;
    if (ends[0].given && ends[1].given)
        return fail_at(reader, node_key(node, "at"),
                       "between gives two places already: at is that of world, or of bodies "
                       "without one");
    SpragVec3 point;
    SPRAG_TRY(read_vec3(reader, at, "at", KIND_LENGTH, &point));
    SPRAG_TRY(place_point(reader, node->include, &point));
    *as_placed = !ends[0].given && !ends[1].given;
    for (int i = 0; i < 2; i++)
        if (!ends[i].given) {
            meet_body(reader, ends[i].place.body);
            ends[i].place.local = to_body(reader->model, ends[i].place.body, point);
            ends[i].given = true;
        }
    return SPRAG_OK;
}

SpragStatus place_joint_ends(Reader *reader, const Node *node, SpragJoint *joint)
{
    JointEnd ends[2] = {{0}, {0}};
    const SpragModel *model = reader->model;
    SPRAG_TRY(read_joint_ends(reader, node, ends));
    SPRAG_TRY(use_at(reader, node, ends, &joint->as_placed));
    if (!ends[0].given) {
        // the place of the second, or its centre of mass, as the file places it
        joint->as_placed = !ends[1].given;
        SpragPlace other = ends[1].place;
        if (!ends[1].given && other.body != SPRAG_WORLD && ends[0].place.body != SPRAG_WORLD)
            other = ends[0].place;
        meet_body(reader, ends[0].place.body);
        ends[0].place.local = to_body(model, ends[0].place.body, joint_world(model, &other));
    }
    if (!ends[1].given) {
        joint->as_placed = true;
        ends[1].place.local =
            to_body(model, ends[1].place.body, joint_world(model, &ends[0].place));
    }
    joint->ends[0] = ends[0].place;
    joint->ends[1] = ends[1].place;
    return SPRAG_OK;
}

// ---- Axes ---------------------------------------------------------------------------------------

static SpragStatus read_direction(Reader *reader, const Node *node, const char *what,
                                  const SpragJoint *joint, SpragVec3 *axis)
{
    SPRAG_TRY(read_vec3(reader, node, what, KIND_ANY, axis));
    double size = sprag_vec3_norm(*axis);
    if (!(size > 0) || !isfinite(size))
        return fail_at(reader, node, "%s must not be of length 0", what);
    *axis = sprag_vec3_unit(*axis);
    return joint->ends[0].body == SPRAG_WORLD ? place_vector(reader, node->include, axis)
                                              : SPRAG_OK;
}

static SpragMat3 of_columns(SpragVec3 x, SpragVec3 y, SpragVec3 z)
{
    return (SpragMat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

// Some frame with that last column; the world's own for its z axis.
static SpragMat3 frame_of_axis(SpragVec3 axis)
{
    SpragVec3 x = fabs(axis.x) < 0.9 ? sprag_vec3(1, 0, 0) : sprag_vec3(0, 1, 0);
    x = sprag_vec3_unit(sprag_vec3_along(x, -sprag_vec3_dot(x, axis), axis));
    return of_columns(x, sprag_vec3_cross(axis, x), axis);
}

static SpragStatus read_second_axis(Reader *reader, const Node *node, SpragVec3 axis,
                                    SpragJoint *joint)
{
    const Node *second = node_get(node, "second-axis");
    joint->axes[0] = frame_of_axis(axis);
    if (!second)
        return SPRAG_OK;
    SpragVec3 x;
    const double slack = 1e-6; // of digits in files
    SPRAG_TRY(read_direction(reader, second, "second-axis", joint, &x));
    double along = sprag_vec3_dot(x, axis);
    if (fabs(along) > slack)
        return fail_at(reader, second, "second-axis must be perpendicular to axis");
    x = sprag_vec3_unit(sprag_vec3_along(x, -along, axis));
    joint->axes[0] = of_columns(x, sprag_vec3_cross(axis, x), axis);
    return SPRAG_OK;
}

// The frame at the second end: as the first where the file places the bodies; of a joint that turns
// about its axis in the same way, if the two bodies differ by such a turn only.
static void frame_second(const SpragModel *model, SpragJoint *joint)
{
    SpragMat3 R[2];
    SpragVec3 p;
    const double slack = 1e-9; // rounding of a turn, radians
    bool turns = joint->kind == SPRAG_JOINT_REVOLUTE || joint->kind == SPRAG_JOINT_SCREW ||
                 joint->kind == SPRAG_JOINT_CYLINDRICAL;
    bool free = joint->kind == SPRAG_JOINT_BALL || joint->kind == SPRAG_JOINT_DISTANCE;
    joint->axes[1] = joint->axes[0];
    if (free || (turns && model->dimension == 2))
        return;
    for (int i = 0; i < 2; i++)
        joint_frame(model, joint->ends[i].body, &R[i], &p);
    SpragVec3 axis = sprag_mat3_column(&joint->axes[0], 2), seen;
    seen = sprag_mat3_apply_back(&R[1], sprag_mat3_apply(&R[0], axis));
    if (turns && sprag_vec3_norm(sprag_vec3_sub(seen, axis)) <= slack)
        return;
    SpragMat3 back = of_columns(sprag_vec3(R[1].m[0], R[1].m[1], R[1].m[2]),
                                sprag_vec3(R[1].m[3], R[1].m[4], R[1].m[5]),
                                sprag_vec3(R[1].m[6], R[1].m[7], R[1].m[8]));
    SpragMat3 between = sprag_mat3_product(&back, &R[0]);
    joint->axes[1] = sprag_mat3_product(&between, &joint->axes[0]);
}

SpragStatus read_joint_axes(Reader *reader, const Node *node, SpragJoint *joint)
{
    bool space = reader->model->dimension == 3;
    const Node *given = node_get(node, "axis");
    // a universal joint lies across its shafts, which are long shapes and lie along z
    bool along = space && joint->kind != SPRAG_JOINT_UNIVERSAL;
    SpragVec3 axis = along ? sprag_vec3(0, 0, 1) : sprag_vec3(1, 0, 0);
    bool wanted = space ? has_axis(joint->kind)
                        : joint->kind == SPRAG_JOINT_PRISMATIC || joint->kind == SPRAG_JOINT_WELD;
    if (given && !wanted)
        return fail_at(reader, node_key(node, "axis"), "a %s joint %shas no axis",
                       sprag_joint_kind_name(joint->kind), space ? "" : "in the plane ");
    if (node_get(node, "second-axis") && joint->kind != SPRAG_JOINT_UNIVERSAL)
        return fail_at(reader, node_key(node, "second-axis"),
                       "only a universal joint has a second-axis");
    if (given)
        SPRAG_TRY(read_direction(reader, given, "axis", joint, &axis));
    else if (wanted && joint->kind != SPRAG_JOINT_WELD)
        SPRAG_TRY(note(
            reader, "axis of joint %s: the default, %s of %s", joint->name, along ? "z" : "x",
            joint->ends[0].body == SPRAG_WORLD ? "the world"
                                               : reader->model->bodies[joint->ends[0].body].name));
    joint->axes[0] = sprag_mat3_identity();
    if (space)
        SPRAG_TRY(read_second_axis(reader, node, axis, joint));
    else if (wanted)
        joint->axes[0] = of_columns(axis, sprag_vec3(-axis.y, axis.x, 0), sprag_vec3(0, 0, 1));
    frame_second(reader->model, joint);
    return SPRAG_OK;
}

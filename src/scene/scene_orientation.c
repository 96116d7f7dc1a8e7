// scene_orientation.c: orientation: {axis, angle} | {quaternion} | {euler}; vectors turned by it.
// euler: [roll, pitch, yaw] turns about the fixed axes x, then y, then z, as URDF has it:
// R = Rz(yaw) Ry(pitch) Rx(roll).
#include <math.h>

#include "scene_private.h"

static SpragStatus read_axis_angle(Reader *reader, const Node *node, SpragQuaternion *q)
{
    const Node *axis = node_get(node, "axis"), *angle = node_get(node, "angle");
    if (!axis || !angle)
        return fail_at(reader, node, "axis and angle go together: {axis: [x, y, z], angle: …}");
    double numbers[3], turn;
    SPRAG_TRY(read_numbers(reader, axis, "axis", KIND_ANY, 3, numbers));
    SPRAG_TRY(read_number(reader, angle, "angle", KIND_ANGLE, RANGE_ALL, &turn));
    SpragVec3 u = sprag_vec3_of(numbers);
    double length = sprag_vec3_norm(u);
    if (!(length > SPRAG_MODEL_SMALLEST))
        return fail_at(reader, axis, "axis must not be [0, 0, 0]");
    double part = sin(turn / 2) / length;
    *q = (SpragQuaternion){cos(turn / 2), part * u.x, part * u.y, part * u.z};
    return SPRAG_OK;
}

static SpragStatus read_quaternion(Reader *reader, const Node *node, SpragQuaternion *q)
{
    double numbers[4];
    SPRAG_TRY(read_numbers(reader, node, "quaternion", KIND_NUMBER, 4, numbers));
    *q = (SpragQuaternion){numbers[0], numbers[1], numbers[2], numbers[3]};
    double length = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    if (!(length > SPRAG_MODEL_SMALLEST))
        return fail_at(reader, node,
                       "quaternion must not be [0, 0, 0, 0]: no turn is [1, 0, 0, 0]");
    return SPRAG_OK;
}

static SpragStatus read_euler(Reader *reader, const Node *node, SpragQuaternion *q)
{
    double angle[3];
    SPRAG_TRY(read_numbers(reader, node, "euler", KIND_ANGLE, 3, angle));
    SpragQuaternion roll = {cos(angle[0] / 2), sin(angle[0] / 2), 0, 0};
    SpragQuaternion pitch = {cos(angle[1] / 2), 0, sin(angle[1] / 2), 0};
    SpragQuaternion yaw = {cos(angle[2] / 2), 0, 0, sin(angle[2] / 2)};
    *q = sprag_quaternion_product(yaw, sprag_quaternion_product(pitch, roll));
    return SPRAG_OK;
}

SpragStatus read_orientation(Reader *reader, const Node *node, SpragQuaternion *q)
{
    static const char *const keys[] = {"axis", "angle", "quaternion", "euler", NULL};
    SPRAG_TRY(check_keys(reader, node, "orientation", keys));
    const Node *quaternion = node_get(node, "quaternion"), *euler = node_get(node, "euler");
    bool turned = node_get(node, "axis") || node_get(node, "angle");
    if (turned + (quaternion != NULL) + (euler != NULL) != 1)
        return fail_at(reader, node,
                       "orientation is one of {axis: [x, y, z], angle: …}, {quaternion: [w, x, y, "
                       "z]}, {euler: [roll, pitch, yaw]}");
    if (quaternion)
        SPRAG_TRY(read_quaternion(reader, quaternion, q));
    else
        SPRAG_TRY(euler ? read_euler(reader, euler, q) : read_axis_angle(reader, node, q));
    *q = sprag_quaternion_unit(*q);
    return SPRAG_OK;
}

SpragStatus refuse_angle(Reader *reader, const Node *node)
{
    if (node_get(node, "angle"))
        return fail_at(reader, node_key(node, "angle"),
                       "angle is for scenes in the plane; in space give orientation: {axis: [x, y, "
                       "z], angle: …}");
    return SPRAG_OK;
}

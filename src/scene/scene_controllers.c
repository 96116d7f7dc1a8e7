// scene_controllers.c: controllers of joints, and bodies that move as told.
#include <math.h>
#include <string.h>

#include "scene_private.h"

// ---- Controllers --------------------------------------------------------------------------------

// Gains are a force or torque per position, rate and integral of the position.
static SpragStatus read_gain(Reader *reader, const Node *pd, const char *key, bool length,
                             double *gain)
{
    const Node *node = node_get(pd, key);
    if (!node)
        return SPRAG_OK;
    double time = strcmp(key, "kd") == 0 ? 1 : strcmp(key, "ki") == 0 ? -1 : 0;
    Dimension dimension = {length ? 0 : 2, 1, -2 + time, 0};
    return read_quantity(reader, node, key, dimension, RANGE_NOT_NEGATIVE, gain);
}

static SpragStatus read_pd(Reader *reader, const Node *pd, SpragController *controller)
{
    static const char *const keys[] = {"kp", "kd", "ki", "target", "forward", NULL};
    bool length = joint_is_length(reader->model->joints[controller->joint].kind);
    const Node *target = node_get(pd, "target"), *forward = node_get(pd, "forward");
    SPRAG_TRY(check_keys(reader, pd, "pd", keys));
    SPRAG_TRY(read_gain(reader, pd, "kp", length, &controller->kp));
    SPRAG_TRY(read_gain(reader, pd, "kd", length, &controller->kd));
    SPRAG_TRY(read_gain(reader, pd, "ki", length, &controller->ki));
    if (target)
        SPRAG_TRY(read_model_time(reader, target, "target", length ? KIND_LENGTH : KIND_ANGLE,
                                  &controller->target));
    else
        SPRAG_TRY(note(reader, "target of the controller of %s: nothing gives it, 0",
                       reader->model->joints[controller->joint].name));
    if (forward)
        SPRAG_TRY(read_model_time(reader, forward, "forward", length ? KIND_FORCE : KIND_TORQUE,
                                  &controller->forward));
    return SPRAG_OK;
}

static SpragStatus check_controlled(Reader *reader, const Node *node, int index)
{
    const SpragJoint *joint = &reader->model->joints[index];
    if (joint->kind == SPRAG_JOINT_WELD || joint->kind == SPRAG_JOINT_BALL ||
        joint->kind == SPRAG_JOINT_UNIVERSAL || joint->kind == SPRAG_JOINT_DISTANCE)
        return fail_at(reader, node, "a %s joint takes no controller",
                       sprag_joint_kind_name(joint->kind));
    if (joint->driven)
        return fail_at(reader, node, "%s is driven already: a controller could not move it",
                       joint->name);
    return SPRAG_OK;
}

static SpragStatus read_controller(Reader *reader, Part *part)
{
    static const char *const keys[] = {"name", "joint", "pd", "limit", "every", NULL};
    const Node *node = part->node, *name = node_get(node, "name");
    SpragController controller = {.limit = INFINITY};
    SPRAG_TRY(check_keys(reader, node, "a controller", keys));
    place_of(node, &controller.line, &controller.column);
    const Node *joint = node_get(node, "joint"), *pd = node_get(node, "pd");
    if (!joint)
        return fail_at(reader, node, "a controller needs joint: NAME");
    SPRAG_TRY(read_joint_name(reader, joint, &controller.joint));
    SPRAG_TRY(check_controlled(reader, joint, controller.joint));
    if (name) {
        const char *text;
        SPRAG_TRY(read_full_name(reader, name, &text));
        controller.name = (char *)text;
    }
    if (!pd)
        return fail_at(reader, node, "a controller needs pd: {kp: …, kd: …, target: …}");
    SPRAG_TRY(read_pd(reader, pd, &controller));
    bool length = joint_is_length(reader->model->joints[controller.joint].kind);
    SPRAG_TRY(read_optional(reader, node, "limit", length ? KIND_FORCE : KIND_TORQUE,
                            RANGE_POSITIVE, &controller.limit));
    SPRAG_TRY(read_optional(reader, node, "every", KIND_TIME, RANGE_POSITIVE, &controller.every));
    if (controller.ki > 0 && controller.every == 0)
        return fail_at(reader, node_key(pd, "ki"), "ki needs every, the time between samples");
    if (part->index >= 0)
        return sprag_model_replace_controller(reader->model, part->index, &controller);
    return locate(reader, name ? name : node,
                  sprag_model_add_controller(reader->model, &controller, &part->index));
}

SpragStatus read_controllers(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "controllers"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_controller,
                                           .change = SPRAG_SCENE_NUMBERS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

// ---- Bodies that move as told -------------------------------------------------------------------

static SpragStatus read_drive_turn(Reader *reader, const Node *drive, SpragBody *body)
{
    const Node *angle = node_get(drive, "angle"), *axis = node_get(drive, "axis");
    bool space = reader->model->dimension == 3;
    body->drive_axis = sprag_vec3(0, 0, 1);
    if (axis && !space)
        return fail_at(reader, node_key(drive, "axis"), "axis is for scenes in space");
    if (axis && !angle)
        return fail_at(reader, node_key(drive, "axis"), "axis needs angle, the turn about it");
    if (angle && space && !axis)
        return fail_at(reader, node_key(drive, "angle"),
                       "angle in space needs axis: [x, y, z], which it turns about");
    if (axis) {
        SPRAG_TRY(read_vec3(reader, axis, "axis", KIND_ANY, &body->drive_axis));
        if (!(sprag_vec3_norm(body->drive_axis) > 0))
            return fail_at(reader, axis, "axis must not be of length 0");
        body->drive_axis = sprag_vec3_unit(body->drive_axis);
        SPRAG_TRY(place_vector(reader, axis->include, &body->drive_axis));
    }
    return angle ? read_model_time(reader, angle, "angle", KIND_ANGLE, &body->drive_angle)
                 : SPRAG_OK;
}

SpragStatus read_body_drive(Reader *reader, const Node *node, SpragBody *body)
{
    static const char *const keys[] = {"position", "angle", "axis", NULL};
    const Node *drive = node_get(node, "drive"), *fixed = node_get(node, "fixed");
    if (!drive)
        return SPRAG_OK;
    SPRAG_TRY(check_keys(reader, drive, "drive", keys));
    if (fixed && !body->fixed)
        return fail_at(reader, node_key(node, "drive"),
                       "a body that is driven moves as told, whatever pushes it: fixed: false "
                       "contradicts it");
    const Node *position = node_get(drive, "position");
    if (!position && !node_get(drive, "angle"))
        return fail_at(reader, drive, "drive needs position or angle");
    body->fixed = body->driven = true;
    if (position) {
        SPRAG_TRY(
            read_model_times(reader, position, "position", KIND_LENGTH, body->drive_position));
        SPRAG_TRY(place_times(reader, position, body->drive_position));
    }
    return read_drive_turn(reader, drive, body);
}

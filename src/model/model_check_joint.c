// model_check_joint.c: joints, controllers, drives and values over time that a model may have.
// Problem   what a joint can have depends on its kind: a position that limits, springs and drives
//           act on, a surface that rubs, an axis
#include <math.h>

#include "model_private.h"

const char *sprag_joint_kind_name(SpragJointKind kind)
{
    static const char *const names[] = {
#define JOINT_TEXT(name, text) text,
        SPRAG_JOINT_LIST(JOINT_TEXT)
#undef JOINT_TEXT
    };
    return (unsigned)kind < SPRAG_JOINT_KIND_COUNT ? names[kind] : "joint";
}

SpragStatus joint_index_check(const SpragModel *model, const char *whose, int joint)
{
    if (joint < 0 || joint >= model->joint_count)
        return sprag_fail(model->context, SPRAG_ERROR_ARGUMENT, "%s: there is no joint %d", whose,
                          joint);
    return SPRAG_OK;
}

// ---- Values over time ---------------------------------------------------------------------------

SpragStatus time_value_check(const SpragModel *model, const char *whose, const char *what,
                             const SpragTimeValue *value)
{
    SPRAG_TRY(size_check(model, whose, what, value->number));
    if (value->break_count < 0 || (value->break_count > 0 && !value->breaks))
        return model_refuse(model, whose, "the times at which a value changes are missing");
    for (int i = 0; i < value->break_count; i++) {
        SPRAG_TRY(size_check(model, whose, "a time of a table", value->breaks[i]));
        if (i > 0 && !(value->breaks[i] > value->breaks[i - 1]))
            return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                              "%s: times of %s must increase, got %g after %g", whose, what,
                              value->breaks[i], value->breaks[i - 1]);
    }
    double start[3] = {0};
    sprag_time_value_evaluate(value, 0, 2, start);
    for (int i = 0; i < 3; i++)
        SPRAG_TRY(size_check(model, whose, what, start[i]));
    return SPRAG_OK;
}

SpragStatus body_check_drive(const SpragModel *model, const SpragBody *item)
{
    if (!item->driven)
        return SPRAG_OK;
    if (!item->fixed)
        return model_refuse(model, item->name, "a body with a drive must be fixed");
    for (int i = 0; i < 3; i++)
        SPRAG_TRY(time_value_check(model, item->name, "drive", &item->drive_position[i]));
    SPRAG_TRY(time_value_check(model, item->name, "drive", &item->drive_angle));
    SPRAG_TRY(vec3_check(model, item->name, "axis of the drive", item->drive_axis));
    bool turns = item->drive_angle.evaluate || item->drive_angle.number != 0;
    if (model->dimension == 3 && turns && !(fabs(sprag_vec3_norm(item->drive_axis) - 1) <= 1e-9))
        return model_refuse(model, item->name, "the axis of a drive must have length 1");
    return SPRAG_OK;
}

// ---- Joints -------------------------------------------------------------------------------------

// Limits, springs, loads and drives act on the position of a joint.
static bool has_position(SpragJointKind kind)
{
    return kind != SPRAG_JOINT_WELD && kind != SPRAG_JOINT_BALL && kind != SPRAG_JOINT_UNIVERSAL;
}

static bool is_free(const SpragModel *model, int body)
{
    return body != SPRAG_WORLD && !model->bodies[body].fixed;
}

static SpragStatus check_ends(const SpragModel *model, const SpragJoint *item)
{
    for (int i = 0; i < 2; i++) {
        SPRAG_TRY(body_index_check(model, item->name, item->ends[i].body, true));
        SPRAG_TRY(vec3_check(model, item->name, "place", item->ends[i].local));
    }
    int first = item->ends[0].body, second = item->ends[1].body;
    if (first == second)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: a joint needs two bodies, both ends are on %s", item->name,
                          first == SPRAG_WORLD ? "the world" : model->bodies[first].name);
    if (!is_free(model, first) && !is_free(model, second))
        return model_refuse(model, item->name, "a joint needs a body that is free to move");
    return SPRAG_OK;
}

// Axes are columns of length 1, at right angles, right-handed.
static SpragStatus check_axes(const SpragModel *model, const SpragJoint *item, int end)
{
    const double slack = 1e-9;
    const SpragMat3 *axes = &item->axes[end];
    for (int i = 0; i < 9; i++)
        SPRAG_TRY(size_check(model, item->name, "axis", axes->m[i]));
    SpragVec3 x = sprag_mat3_column(axes, 0), y = sprag_mat3_column(axes, 1),
              z = sprag_mat3_column(axes, 2);
    SpragVec3 off = sprag_vec3_sub(sprag_vec3_cross(x, y), z);
    if (!(fabs(sprag_vec3_norm(x) - 1) <= slack) || !(fabs(sprag_vec3_norm(y) - 1) <= slack) ||
        !(fabs(sprag_vec3_dot(x, y)) <= slack) || !(sprag_vec3_norm(off) <= slack))
        return model_refuse(model, item->name, "the axes of a joint must be a rotation matrix");
    if (model->dimension == 2 && !(z.z > 1 - slack))
        return model_refuse(model, item->name, "a joint of the plane turns about z only");
    return SPRAG_OK;
}

static SpragStatus check_kind(const SpragModel *model, const SpragJoint *item)
{
    const char *kind = sprag_joint_kind_name(item->kind);
    if ((unsigned)item->kind >= SPRAG_JOINT_KIND_COUNT)
        return model_refuse(model, item->name, "unknown kind of joint");
    if (model->dimension == 2 && item->kind >= SPRAG_JOINT_SCREW)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: a %s joint belongs to scenes in space; this one is in the plane",
                          item->name, kind);
    SPRAG_TRY(size_check(model, item->name, "lead", item->lead));
    if (item->kind == SPRAG_JOINT_SCREW && !(fabs(item->lead) >= SPRAG_MODEL_SMALLEST))
        return model_refuse(model, item->name, "a screw needs a lead that is not 0");
    SPRAG_TRY(not_negative_check(model, item->name, "length", item->length));
    if (item->kind == SPRAG_JOINT_DISTANCE && !item->sprung && !item->limited && !item->driven &&
        !item->as_placed && !(item->length >= SPRAG_MODEL_SMALLEST))
        return model_refuse(model, item->name, "a distance joint needs a length > 0");
    return SPRAG_OK;
}

static SpragStatus check_rubbing(const SpragModel *model, const SpragJoint *item)
{
    SPRAG_TRY(friction_check(model, item->name, &item->friction));
    SPRAG_TRY(not_negative_check(model, item->name, "radius", item->radius));
    SPRAG_TRY(not_negative_check(model, item->name, "bearing", item->bearing));
    SPRAG_TRY(size_check(model, item->name, "thread-angle", item->thread_angle));
    if (item->kind == SPRAG_JOINT_SCREW && !(fabs(item->thread_angle) < 0.5 * acos(-1)))
        return model_refuse(model, item->name, "the thread-angle must be less than 90 deg");
    if (!joint_has_friction(item))
        return SPRAG_OK;
    bool rubs = item->kind == SPRAG_JOINT_REVOLUTE || item->kind == SPRAG_JOINT_PRISMATIC ||
                item->kind == SPRAG_JOINT_SCREW || item->kind == SPRAG_JOINT_CYLINDRICAL ||
                item->kind == SPRAG_JOINT_UNIVERSAL || item->kind == SPRAG_JOINT_BALL;
    if (!rubs)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: friction of a %s joint is not supported", item->name,
                          sprag_joint_kind_name(item->kind));
    bool round = item->kind == SPRAG_JOINT_REVOLUTE || item->kind == SPRAG_JOINT_SCREW ||
                 item->kind == SPRAG_JOINT_UNIVERSAL || item->kind == SPRAG_JOINT_BALL;
    if (round && !(item->radius >= SPRAG_MODEL_SMALLEST))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: friction of a %s joint needs a radius > 0", item->name,
                          sprag_joint_kind_name(item->kind));
    return SPRAG_OK;
}

static SpragStatus check_limits(const SpragModel *model, const SpragJoint *item)
{
    const double *limits = item->limits;
    SPRAG_TRY(restitution_check(model, item->name, &item->restitution));
    if (!item->limited)
        return SPRAG_OK;
    for (int i = 0; i < 2; i++)
        if (limits[i] != (i == 0 ? -INFINITY : INFINITY))
            SPRAG_TRY(size_check(model, item->name, "a limit", limits[i]));
    if (!(limits[0] < limits[1]))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: the first limit must be less than the second, got [%g, %g]",
                          item->name, limits[0], limits[1]);
    return SPRAG_OK;
}

static SpragStatus check_spring(const SpragModel *model, const SpragJoint *item)
{
    for (int i = 0; item->sprung && i < 6; i++) {
        SPRAG_TRY(not_negative_check(model, item->name, "stiffness", item->stiffness[i]));
        SPRAG_TRY(not_negative_check(model, item->name, "damping", item->damping[i]));
        SPRAG_TRY(size_check(model, item->name, "rest", item->rest[i]));
    }
    return SPRAG_OK;
}

// The least moment of inertia about an axis across the arm.
static double least_inertia(const SpragModel *model, const SpragBody *body, SpragVec3 arm)
{
    if (model->dimension == 2)
        return body->inertia;
    const double *t = body->tensor;
    const SpragMat3 I = {{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
    SpragVec3 d = sprag_vec3_unit(arm);
    SpragVec3 p = fabs(d.x) < 0.9 ? sprag_vec3(1, 0, 0) : sprag_vec3(0, 1, 0);
    p = sprag_vec3_unit(sprag_vec3_along(p, -sprag_vec3_dot(p, d), d));
    SpragVec3 q = sprag_vec3_cross(d, p), Ip = sprag_mat3_apply(&I, p);
    double a = sprag_vec3_dot(p, Ip), b = sprag_vec3_dot(q, Ip),
           c = sprag_vec3_dot(q, sprag_mat3_apply(&I, q));
    return (a + c) / 2 - hypot((a - c) / 2, b);
}

// A body that turns far more easily about its centre than that moves at the joint: rows of the
// joint differ by the part I/(m d²) only, and joint_gram.c calls them dependent from 1e-12 on.
SpragStatus sprag_model_check_arm(const SpragModel *model, const SpragJoint *item, int number,
                                  SpragVec3 local)
{
    const double least = 1e-10;
    if (number == SPRAG_WORLD || model->bodies[number].fixed)
        return SPRAG_OK;
    const SpragBody *body = &model->bodies[number];
    double d = sprag_vec3_norm(local), wanted = least * body->mass * d * d;
    double inertia = d > 0 ? least_inertia(model, body, local) : INFINITY;
    if (inertia >= wanted)
        return SPRAG_OK;
    return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                      "%s: the inertia of %s, %g kg m², is too small for a joint at %g m from its "
                      "centre: at least %g (1e-10 of mass × distance²)",
                      item->name, body->name, inertia, d, wanted);
}

SpragStatus joint_check(const SpragModel *model, const SpragJoint *item)
{
    SPRAG_TRY(check_ends(model, item));
    SPRAG_TRY(check_kind(model, item));
    for (int end = 0; end < (item->as_placed ? 1 : 2); end++) {
        SPRAG_TRY(check_axes(model, item, end));
        SPRAG_TRY(sprag_model_check_arm(model, item, item->ends[end].body, item->ends[end].local));
    }
    bool bushing = item->kind == SPRAG_JOINT_WELD && item->sprung;
    if (!has_position(item->kind) && (item->limited || item->driven || (item->sprung && !bushing)))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: a %s joint has no position that limits, a spring or a drive could "
                          "act on",
                          item->name, sprag_joint_kind_name(item->kind));
    SPRAG_TRY(check_limits(model, item));
    SPRAG_TRY(check_rubbing(model, item));
    SPRAG_TRY(check_spring(model, item));
    return item->driven ? time_value_check(model, item->name, "drive", &item->drive) : SPRAG_OK;
}

// ---- Controllers --------------------------------------------------------------------------------

SpragStatus controller_check(const SpragModel *model, const SpragController *item)
{
    const char *whose = item->name ? item->name : "controller";
    SPRAG_TRY(joint_index_check(model, whose, item->joint));
    const SpragJoint *joint = &model->joints[item->joint];
    if (!has_position(joint->kind))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: the joint %s has no position to control", whose, joint->name);
    SPRAG_TRY(size_check(model, whose, "kp", item->kp));
    SPRAG_TRY(size_check(model, whose, "kd", item->kd));
    SPRAG_TRY(size_check(model, whose, "ki", item->ki));
    SPRAG_TRY(time_value_check(model, whose, "target", &item->target));
    SPRAG_TRY(time_value_check(model, whose, "feed-forward", &item->forward));
    if (!(item->limit > 0))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: limit must be a number > 0, got %g", whose, item->limit);
    SPRAG_TRY(not_negative_check(model, whose, "every", item->every));
    if (item->every > 0 && item->every < SPRAG_MODEL_SMALLEST)
        return model_refuse(model, whose, "every is too short");
    if (item->every == 0 && item->ki != 0)
        return model_refuse(model, whose, "ki needs a sampling time, every");
    return SPRAG_OK;
}

// scene_joints.c: joints: their places, axes, limits, friction, springs and drives.
// Places    what `between` names meets; world has its place in `at`. An end that is only a body
//           takes its place from the other one (or from `at`) where the bodies stand after `start`.
// Axes      `axis` is in the frame of the first in `between` (as URDF has it in the parent's). An
//           angle is 0 where the frames of the bodies agree, if they differ by a turn about the
//           axis; what a joint does not let turn stays as the file places it.
// Elastic   a distance with a spring is a spring between places (scene_springs.c), no joint.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_joints.h"

static const char *const KINDS[] = {
#define NAME_OF(name, text) text,
    SPRAG_JOINT_LIST(NAME_OF)
#undef NAME_OF
};

bool joint_is_length(SpragJointKind kind)
{
    return kind == SPRAG_JOINT_PRISMATIC || kind == SPRAG_JOINT_DISTANCE;
}

// Has a position that can be told, driven or limited.
static bool has_position(SpragJointKind kind)
{
    return kind != SPRAG_JOINT_WELD && kind != SPRAG_JOINT_BALL && kind != SPRAG_JOINT_UNIVERSAL;
}

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

static SpragStatus place_ends(Reader *reader, const Node *node, SpragJoint *joint)
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

static SpragStatus read_axes(Reader *reader, const Node *node, SpragJoint *joint)
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
                       KINDS[joint->kind], space ? "" : "in the plane ");
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

// ---- Limits, friction, drive --------------------------------------------------------------------

// A number, or none (−inf, inf): no limit on that side.
static SpragStatus read_limit(Reader *reader, const Node *node, Kind kind, int side, double *limit)
{
    static const char *const open[2][3] = {{"none", "-inf", "-.inf"}, {"none", "inf", ".inf"}};
    for (int i = 0; node->kind == NODE_SCALAR && i < 3; i++)
        if (strcmp(node->text, open[side][i]) == 0) {
            *limit = side == 0 ? -INFINITY : INFINITY;
            return SPRAG_OK;
        }
    return read_number(reader, node, "limits", kind, RANGE_ALL, limit);
}

static SpragStatus read_limits(Reader *reader, const Node *node, SpragJoint *joint)
{
    const Node *limits = node_get(node, "limits"), *restitution = node_get(node, "restitution");
    if (restitution && !limits)
        return fail_at(reader, node_key(node, "restitution"),
                       "restitution of a joint is that of its limits, which it has not");
    if (!limits)
        return SPRAG_OK;
    if (!has_position(joint->kind))
        return fail_at(reader, node_key(node, "limits"), "a %s joint has no limits",
                       KINDS[joint->kind]);
    if (limits->kind != NODE_SEQUENCE || limits->count != 2)
        return fail_at(reader, limits, "limits must be [least, largest], of which one may be none");
    joint->limited = true;
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_limit(reader, limits->items[i],
                             joint_is_length(joint->kind) ? KIND_LENGTH : KIND_ANGLE, i,
                             &joint->limits[i]));
    if (!(joint->limits[0] < joint->limits[1]))
        return fail_at(reader, limits,
                       "limits must be [least, largest], got %g and then %g: the first must be "
                       "below the second",
                       joint->limits[0], joint->limits[1]);
    return restitution ? read_restitution(reader, restitution, &joint->restitution) : SPRAG_OK;
}

// Of what rubs about an axis.
static SpragStatus check_radius(Reader *reader, const Node *node, SpragJointKind kind)
{
    if (!node_get(node, "radius") || kind == SPRAG_JOINT_REVOLUTE || kind == SPRAG_JOINT_SCREW ||
        kind == SPRAG_JOINT_CYLINDRICAL || kind == SPRAG_JOINT_UNIVERSAL)
        return SPRAG_OK;
    if (kind != SPRAG_JOINT_BALL)
        return fail_at(reader, node_key(node, "radius"), "a %s joint has no radius", KINDS[kind]);
    if (node_get(node, "friction"))
        return SPRAG_OK;
    return fail_at(reader, node_key(node, "radius"),
                   "the radius of a ball joint is that on which it rubs: it needs friction beside "
                   "it");
}

static SpragStatus read_sizes(Reader *reader, const Node *node, SpragJoint *joint)
{
    static const struct {
        const char *key;
        SpragJointKind kind;
    } own[] = {{"lead", SPRAG_JOINT_SCREW},
               {"thread-angle", SPRAG_JOINT_SCREW},
               {"bearing", SPRAG_JOINT_PRISMATIC},
               {"length", SPRAG_JOINT_DISTANCE}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (node_get(node, own[i].key) && joint->kind != own[i].kind)
            return fail_at(reader, node_key(node, own[i].key), "a %s joint has no %s",
                           KINDS[joint->kind], own[i].key);
    SPRAG_TRY(check_radius(reader, node, joint->kind));
    SPRAG_TRY(read_optional(reader, node, "radius", KIND_LENGTH, RANGE_POSITIVE, &joint->radius));
    SPRAG_TRY(read_optional(reader, node, "bearing", KIND_LENGTH, RANGE_POSITIVE, &joint->bearing));
    SPRAG_TRY(read_optional(reader, node, "lead", KIND_LENGTH, RANGE_ALL, &joint->lead));
    SPRAG_TRY(read_optional(reader, node, "thread-angle", KIND_ANGLE, RANGE_NOT_NEGATIVE,
                            &joint->thread_angle));
    if (joint->kind == SPRAG_JOINT_SCREW && joint->lead == 0)
        return fail_at(reader, node_get(node, "lead") ? node_get(node, "lead") : node,
                       "a screw joint needs lead, its advance a turn, other than 0");
    const double right = 1.5707963267948966;
    if (joint->thread_angle >= right)
        return fail_at(reader, node_get(node, "thread-angle"),
                       "thread-angle must be below 90 deg, got %g rad", joint->thread_angle);
    return SPRAG_OK;
}

// theory.md (9.15): mu < cos theta/tan alpha.
static SpragStatus check_thread(Reader *reader, const Node *friction, const SpragJoint *joint)
{
    const double turn = 6.283185307179586;
    double slope = fabs(joint->lead) / (turn * joint->radius);
    double most = cos(joint->thread_angle) / slope;
    double mu = fmax(joint->friction.stationary, joint->friction.kinetic);
    if (mu < most)
        return SPRAG_OK;
    return fail_at(reader, friction,
                   "friction %g of the thread of %s is too large: it must be below "
                   "cos(thread-angle)/tan(helix) = %g (theory.md (9.15))",
                   mu, joint->name, most);
}

static SpragStatus check_rubbing(Reader *reader, const Node *key, SpragJointKind kind)
{
    if (kind == SPRAG_JOINT_REVOLUTE || kind == SPRAG_JOINT_PRISMATIC ||
        kind == SPRAG_JOINT_SCREW || kind == SPRAG_JOINT_CYLINDRICAL ||
        kind == SPRAG_JOINT_UNIVERSAL || kind == SPRAG_JOINT_BALL)
        return SPRAG_OK;
    return fail_at(reader, key, "friction of a %s joint is not supported", KINDS[kind]);
}

static SpragStatus read_joint_friction(Reader *reader, const Node *node, SpragJoint *joint)
{
    const Node *friction = node_get(node, "friction");
    if (!friction)
        return SPRAG_OK;
    SPRAG_TRY(check_rubbing(reader, node_key(node, "friction"), joint->kind));
    SPRAG_TRY(read_friction(reader, friction, &joint->friction));
    bool needs = joint->kind == SPRAG_JOINT_REVOLUTE || joint->kind == SPRAG_JOINT_SCREW ||
                 joint->kind == SPRAG_JOINT_UNIVERSAL || joint->kind == SPRAG_JOINT_BALL;
    const char *of = joint->kind == SPRAG_JOINT_SCREW       ? "thread (mean)"
                     : joint->kind == SPRAG_JOINT_UNIVERSAL ? "pins"
                     : joint->kind == SPRAG_JOINT_BALL      ? "ball"
                                                            : "pin";
    if (needs && joint->radius == 0)
        return fail_at(reader, node_key(node, "friction"),
                       "friction of a %s joint needs radius, that of the %s", KINDS[joint->kind],
                       of);
    return joint->kind == SPRAG_JOINT_SCREW ? check_thread(reader, friction, joint) : SPRAG_OK;
}

static SpragStatus read_drive_of(Reader *reader, const Node *node, SpragJoint *joint)
{
    const Node *drive = node_get(node, "drive");
    if (!drive)
        return SPRAG_OK;
    const Node *key = node_key(node, "drive");
    if (!has_position(joint->kind))
        return fail_at(reader, key, "a %s joint has no position to drive", KINDS[joint->kind]);
    if (joint->limited)
        return fail_at(reader, key,
                       "a joint that is driven goes where it is told: it has no "
                       "limits");
    joint->driven = true;
    return read_model_time(reader, drive, "drive",
                           joint_is_length(joint->kind) ? KIND_LENGTH : KIND_ANGLE, &joint->drive);
}

static SpragStatus read_length(Reader *reader, const Node *node, SpragJoint *joint)
{
    const Node *length = node_get(node, "length");
    bool rope = node_get(node, "limits") && !length; // free between its limits
    if (joint->kind != SPRAG_JOINT_DISTANCE || rope)
        return SPRAG_OK;
    if (node_get(node, "limits"))
        return fail_at(reader, node_key(node, "limits"),
                       "a distance is held at length, or free between limits, not both");
    SpragVec3 first = joint_world(reader->model, &joint->ends[0]);
    SpragVec3 apart = sprag_vec3_sub(joint_world(reader->model, &joint->ends[1]), first);
    joint->length = sprag_vec3_norm(apart);
    const double slack = 1e-12; // of rounding where places coincide
    if (length)
        return read_number(reader, length, "length", KIND_LENGTH, RANGE_POSITIVE, &joint->length);
    if (!(joint->length > slack * (1 + sprag_vec3_norm(first))))
        return fail_at(reader, node,
                       "a distance joint whose places coincide has no direction; give length");
    return note(reader, "length of joint %s: %.6g m, the distance in the file", joint->name,
                joint->length);
}

// ---- A joint ------------------------------------------------------------------------------------

static SpragStatus read_kind(Reader *reader, const Node *node, SpragJointKind *kind)
{
    const Node *type = node_get(node, "type");
    int index;
    if (!type)
        return fail_at(reader, node, "a joint needs a type");
    SPRAG_TRY(read_word(reader, type, "type", KINDS, SPRAG_JOINT_KIND_COUNT, &index));
    *kind = (SpragJointKind)index;
    if (reader->model->dimension == 2 && *kind >= SPRAG_JOINT_SCREW)
        return fail_at(reader, type,
                       "a %s joint is for scenes in space (dimension: 3); in the plane there are "
                       "revolute, prismatic, weld and distance",
                       KINDS[index]);
    return SPRAG_OK;
}

static SpragStatus name_joint(Reader *reader, const Part *part, SpragJoint *joint)
{
    const Node *name = node_get(part->node, "name");
    const char *text;
    if (name) {
        SPRAG_TRY(read_full_name(reader, name, &text));
        joint->name = (char *)text;
        return SPRAG_OK;
    }
    char made[32];
    int number = part->index >= 0 ? part->index : reader->model->joint_count;
    snprintf(made, sizeof made, "joint%d", number);
    char *copy = sprag_arena_alloc(reader->arena, sizeof made, 1);
    if (!copy)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, made, sizeof made);
    joint->name = copy;
    return SPRAG_OK;
}

// The layer of what rubs, and whether it is used.
static SpragStatus read_joint_layer(Reader *reader, const Node *node, SpragJoint *joint)
{
    static const char *const models[] = {"auto", "rigid", "compliant"};
    static const SpragPairModel kinds[] = {SPRAG_PAIR_AUTO, SPRAG_PAIR_RIGID, SPRAG_PAIR_COMPLIANT};
    const Node *compliance = node_get(node, "compliance"), *model = node_get(node, "model");
    const Node *one = compliance ? compliance : model;
    int index = 0;
    if (!one)
        return SPRAG_OK;
    if (!node_get(node, "friction"))
        return fail_at(reader, one,
                       "%s of a joint is that of what rubs in it, and the joint has no friction",
                       compliance ? "compliance" : "model");
    if (model)
        SPRAG_TRY(read_word(reader, model, "model", models, 3, &index));
    joint->model = kinds[index];
    if (!compliance)
        return SPRAG_OK;
    SPRAG_TRY(read_compliance(reader, compliance, &joint->compliance));
    bool numbers =
        joint->compliance.law == SPRAG_COMPLIANCE_KELVIN_VOIGT && joint->compliance.stiffness > 0;
    if (!numbers && joint->compliance.law != SPRAG_COMPLIANCE_RIGID)
        return fail_at(reader, compliance,
                       "the layer of a joint is {law: kelvin-voigt, stiffness: …, damping: …}");
    return SPRAG_OK;
}

static SpragStatus read_stiff_joint(Reader *reader, Part *part, SpragJointKind kind)
{
    const Node *node = part->node, *name = node_get(node, "name");
    SpragJoint joint = {.kind = kind};
    place_of(node, &joint.line, &joint.column);
    SPRAG_TRY(name_joint(reader, part, &joint));
    SPRAG_TRY(place_ends(reader, node, &joint));
    SPRAG_TRY(read_axes(reader, node, &joint));
    SPRAG_TRY(read_sizes(reader, node, &joint));
    SPRAG_TRY(read_length(reader, node, &joint));
    SPRAG_TRY(read_limits(reader, node, &joint));
    SPRAG_TRY(read_joint_friction(reader, node, &joint));
    SPRAG_TRY(read_joint_layer(reader, node, &joint));
    SPRAG_TRY(read_joint_spring(reader, node, &joint));
    SPRAG_TRY(read_drive_of(reader, node, &joint));
    if (part->index >= 0)
        return sprag_model_replace_joint(reader->model, part->index, &joint);
    return locate(reader, name ? name : node,
                  sprag_model_add_joint(reader->model, &joint, &part->index));
}

static SpragStatus read_joint(Reader *reader, Part *part)
{
    static const char *const keys[] = {
        "name",        "type",   "between",    "at",          "length", "spring",       "limits",
        "friction",    "radius", "axis",       "second-axis", "lead",   "thread-angle", "bearing",
        "restitution", "drive",  "compliance", "model",       NULL};
    SpragJointKind kind;
    SPRAG_TRY(check_keys(reader, part->node, "a joint", keys));
    SPRAG_TRY(read_kind(reader, part->node, &kind));
    if (kind == SPRAG_JOINT_DISTANCE && node_get(part->node, "spring"))
        return read_elastic_distance(reader, part);
    return read_stiff_joint(reader, part, kind);
}

SpragStatus read_joints(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "joints"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_joint,
                                           .change = SPRAG_SCENE_NUMBERS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

SpragStatus read_joint_name(Reader *reader, const Node *node, int *joint)
{
    const SpragModel *model = reader->model;
    const char *text, *name;
    SPRAG_TRY(read_text(reader, node, "joint", &text));
    name = full_name(reader, node->include, text);
    if (!name)
        return SPRAG_ERROR_MEMORY;
    *joint = sprag_model_find_joint(model, name);
    if (*joint >= 0)
        return SPRAG_OK;
    for (int i = 0; i < model->spring_count; i++)
        if (model->springs[i].name && strcmp(model->springs[i].name, name) == 0)
            return fail_at(reader, node,
                           "%s is an elastic distance: its position is not to be told or driven",
                           shown(reader, name));
    const char **names =
        sprag_arena_alloc(reader->arena, (size_t)model->joint_count + 1, sizeof *names);
    if (!names)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < model->joint_count; i++)
        names[i] = model->joints[i].name;
    return fail_at(reader, node, "joint: there is no joint \"%s\"%s", shown(reader, name),
                   suggestion(reader, name, names, model->joint_count));
}

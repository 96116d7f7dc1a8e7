// scene_joints.c: joints: their sizes, limits, friction, layers and drives.
// Places    and axes are read by scene_joint_places.c.
// Elastic   a distance with a spring is a spring between places (scene_springs.c), no joint.
// Checks    what a kind of joint does not have is refused by name; friction that a thread cannot
//           turn against too, theory.md (9.15)
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
    SPRAG_TRY(place_joint_ends(reader, node, &joint));
    SPRAG_TRY(read_joint_axes(reader, node, &joint));
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

// scene_springs.c: springs and dampers of joints.
// A distance joint with a spring holds its places at a free length of `length` + `spring.rest`:
// rest is the elongation at which the spring is at ease, as for every other joint. Without
// `length` it is the distance of the places where the file puts the bodies (before `start`).
#include <math.h>
#include <string.h>

#include "scene_joints.h"

static SpragStatus read_distance(Reader *reader, const Node *node, SpragSpring *spring)
{
    static const char *const keys[] = {"stiffness", "damping", "rest", NULL};
    const Node *values = node_get(node, "spring"), *length = node_get(node, "length");
    SPRAG_TRY(check_keys(reader, values, "spring", keys));
    const Node *stiffness = node_get(values, "stiffness");
    if (!stiffness)
        return fail_at(reader, values, "a spring needs stiffness");
    SPRAG_TRY(read_number(reader, stiffness, "stiffness", KIND_STIFFNESS, RANGE_NOT_NEGATIVE,
                          &spring->stiffness));
    SPRAG_TRY(read_optional(reader, values, "damping", KIND_DAMPING, RANGE_NOT_NEGATIVE,
                            &spring->damping));
    SpragVec3 apart = sprag_vec3_sub(joint_world(reader->model, &spring->ends[1]),
                                     joint_world(reader->model, &spring->ends[0]));
    double rest = 0;
    double whole = apart.z == 0 ? hypot(apart.x, apart.y) : sprag_vec3_norm(apart);
    if (length)
        SPRAG_TRY(read_number(reader, length, "length", KIND_LENGTH, RANGE_NOT_NEGATIVE, &whole));
    else
        SPRAG_TRY(note(reader, "length of joint %s: %.6g m, the distance in the file",
                       spring->name ? spring->name : "(unnamed)", whole));
    SPRAG_TRY(read_optional(reader, values, "rest", KIND_LENGTH, RANGE_ALL, &rest));
    spring->rest = whole + rest;
    if (spring->rest < 0)
        return fail_at(reader, node_get(values, "rest"),
                       "length and rest together must be ≥ 0, got %g", spring->rest);
    return SPRAG_OK;
}

static SpragStatus read_distance_ends(Reader *reader, const Node *node, SpragSpring *spring)
{
    JointEnd ends[2] = {{0}, {0}};
    const Node *between;
    SPRAG_TRY(read_joint_ends(reader, node, ends));
    between = node_get(node, "between");
    bool world = false;
    for (int i = 0; i < 2; i++) {
        if (ends[i].place.body == SPRAG_WORLD && !ends[i].given)
            return fail_at(reader, between->items[i], "world needs at: the place in the world");
        world |= ends[i].place.body == SPRAG_WORLD;
        spring->ends[i] = ends[i].place;
    }
    if (node_get(node, "at") && !world)
        return fail_at(reader, node_key(node, "at"),
                       "at is the place of world, which is not in between");
    return SPRAG_OK;
}

SpragStatus read_elastic_distance(Reader *reader, Part *part)
{
    const Node *node = part->node, *name = node_get(node, "name");
    static const char *const others[] = {"limits", "friction",    "radius",       "axis",
                                         "lead",   "second-axis", "thread-angle", "bearing",
                                         "drive",  "restitution"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (node_get(node, others[i]))
            return fail_at(reader, node_key(node, others[i]), "an elastic distance has no %s",
                           others[i]);
    SpragSpring spring = {0};
    if (name) {
        const char *text;
        SPRAG_TRY(read_full_name(reader, name, &text));
        spring.name = (char *)text;
    }
    SPRAG_TRY(read_distance_ends(reader, node, &spring));
    SPRAG_TRY(read_distance(reader, node, &spring));
    if (part->index >= 0)
        return sprag_model_replace_spring(reader->model, part->index, &spring);
    return locate(reader, name ? name : node,
                  sprag_model_add_spring(reader->model, &spring, &part->index));
}

// ---- Along a joint, and bushings ----------------------------------------------------------------

static const Dimension TURN_DAMPING = {2, 1, -1, 0}; // N m s

// One number of a spring, along a length or about an angle.
static SpragStatus read_rate(Reader *reader, const Node *node, const char *key, bool length,
                             double *number)
{
    if (strcmp(key, "rest") == 0)
        return read_number(reader, node, key, length ? KIND_LENGTH : KIND_ANGLE, RANGE_ALL, number);
    if (strcmp(key, "stiffness") == 0)
        return read_number(reader, node, key, length ? KIND_STIFFNESS : KIND_TORQUE,
                           RANGE_NOT_NEGATIVE, number);
    return read_quantity(reader, node, key, length ? kind_dimension(KIND_DAMPING) : TURN_DAMPING,
                         RANGE_NOT_NEGATIVE, number);
}

static SpragStatus read_rates(Reader *reader, const Node *spring, const char *key,
                              const SpragJoint *joint, double numbers[6])
{
    const Node *node = node_get(spring, key);
    int lengths = reader->model->dimension, count = lengths == 3 ? 6 : 3;
    if (!node)
        return SPRAG_OK;
    if (joint->kind != SPRAG_JOINT_WELD)
        return read_rate(reader, node, key, joint_is_length(joint->kind), &numbers[0]);
    if (node->kind != NODE_SEQUENCE || node->count != count)
        return fail_at(reader, node, "%s of an elastic weld must be a list of %d numbers, %s", key,
                       count, count == 3 ? "x, y and angle" : "x, y, z and three angles");
    for (int i = 0; i < count; i++)
        SPRAG_TRY(read_rate(reader, node->items[i], key, i < lengths, &numbers[i]));
    return SPRAG_OK;
}

SpragStatus read_joint_spring(Reader *reader, const Node *node, SpragJoint *joint)
{
    static const char *const keys[] = {"stiffness", "damping", "rest", NULL};
    const Node *spring = node_get(node, "spring");
    if (!spring)
        return SPRAG_OK;
    if (joint->kind == SPRAG_JOINT_BALL || joint->kind == SPRAG_JOINT_UNIVERSAL)
        return fail_at(reader, node_key(node, "spring"), "a spring of a %s joint is not supported",
                       sprag_joint_kind_name(joint->kind));
    SPRAG_TRY(check_keys(reader, spring, "spring", keys));
    if (!node_get(spring, "stiffness") && !node_get(spring, "damping"))
        return fail_at(reader, spring, "a spring needs stiffness or damping");
    joint->sprung = true;
    SPRAG_TRY(read_rates(reader, spring, "stiffness", joint, joint->stiffness));
    SPRAG_TRY(read_rates(reader, spring, "damping", joint, joint->damping));
    return read_rates(reader, spring, "rest", joint, joint->rest);
}

// scene_forces.c: loads, and joints as far as they are springs.
// A distance joint with a spring holds its places at a free length of `length` + `spring.rest`:
// rest is the elongation at which the spring is at ease, as for every other joint. Without
// `length` it is the distance of the places where the file puts the bodies (before `start`).
#include <math.h>
#include <string.h>

#include "scene_private.h"

static SpragVec3 world_position(const SpragModel *model, const SpragPlace *place)
{
    if (place->body == SPRAG_WORLD)
        return place->local;
    const SpragBody *body = &model->bodies[place->body];
    if (model->dimension == 3) {
        SpragMat3 R = sprag_quaternion_matrix(body->orientation);
        return sprag_vec3_add(sprag_vec3_of(body->position), sprag_mat3_apply(&R, place->local));
    }
    SpragVec2 turned =
        sprag_vec2_turn(sprag_vec3_flat(place->local), cos(body->angle), sin(body->angle));
    return sprag_vec3_add(sprag_vec3_raise(turned),
                          sprag_vec3(body->position[0], body->position[1], 0));
}

static SpragStatus read_end(Reader *reader, const Node *joint, const Node *node, SpragPlace *place)
{
    if (node->kind != NODE_SCALAR || strcmp(node->text, "world") != 0)
        return read_place(reader, node, "between", place);
    const Node *at = node_get(joint, "at");
    if (!at)
        return fail_at(reader, node, "world needs at: the place in the world");
    place->body = SPRAG_WORLD;
    SPRAG_TRY(read_vec3(reader, at, "at", KIND_LENGTH, &place->local));
    return place_point(reader, joint->include, &place->local);
}

static SpragStatus read_ends(Reader *reader, const Node *node, SpragSpring *spring)
{
    const Node *between = node_get(node, "between");
    if (!between || between->kind != NODE_SEQUENCE || between->count != 2)
        return fail_at(reader, between ? between : node,
                       "a joint needs between: [place, place], of which one may be world");
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_end(reader, node, between->items[i], &spring->ends[i]));
    bool world = spring->ends[0].body == SPRAG_WORLD || spring->ends[1].body == SPRAG_WORLD;
    if (spring->ends[0].body == spring->ends[1].body)
        return fail_at(reader, between, "a joint needs places of two bodies, or one and world");
    if (node_get(node, "at") && !world)
        return fail_at(reader, node_key(node, "at"),
                       "at is the place of world, which is not in "
                       "between");
    return SPRAG_OK;
}

static SpragStatus read_spring(Reader *reader, const Node *node, SpragSpring *spring)
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
    SpragVec3 apart = sprag_vec3_sub(world_position(reader->model, &spring->ends[1]),
                                     world_position(reader->model, &spring->ends[0]));
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

static SpragStatus read_joint(Reader *reader, Part *part)
{
    const Node *node = part->node;
    static const char *const keys[] = {"name",   "type",         "between",  "at",     "length",
                                       "spring", "limits",       "friction", "radius", "axis",
                                       "lead",   "thread-angle", "drive",    NULL};
    static const char *const types[] = {"distance", "revolute", "prismatic",
                                        "weld",     "screw",    "ball"};
    static const char *const later[] = {"limits", "friction",     "radius", "axis",
                                        "lead",   "thread-angle", "drive"};
    SPRAG_TRY(check_keys(reader, node, "a joint", keys));
    const Node *type = node_get(node, "type"), *name = node_get(node, "name");
    if (!type)
        return fail_at(reader, node, "a joint needs a type");
    int index;
    SPRAG_TRY(read_word(reader, type, "type", types, 6, &index));
    if (index > 0)
        return fail_at(reader, type, "joint type %s is not supported in this version",
                       types[index]);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (node_get(node, later[i]))
            return not_supported(reader, node_key(node, later[i]), later[i]);
    if (!node_get(node, "spring"))
        return not_supported(reader, node, "a distance joint without spring");
    SpragSpring spring = {0};
    if (name) {
        const char *text;
        SPRAG_TRY(read_full_name(reader, name, &text));
        spring.name = (char *)text;
    }
    SPRAG_TRY(read_ends(reader, node, &spring));
    SPRAG_TRY(read_spring(reader, node, &spring));
    if (part->index >= 0)
        return sprag_model_replace_spring(reader->model, part->index, &spring);
    return locate(reader, name ? name : node,
                  sprag_model_add_spring(reader->model, &spring, &part->index));
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

// ---- Loads --------------------------------------------------------------------------------------

static SpragStatus read_load_body(Reader *reader, const Node *node, SpragLoad *load)
{
    const Node *body = node_get(node, "body"), *on = node_get(node, "on");
    if (node_get(node, "joint"))
        return not_supported(reader, node_key(node, "joint"), "a load on a joint");
    if (body && on)
        return fail_at(reader, node_key(node, "on"), "a load has body or on, not both");
    if (!body && !on)
        return fail_at(reader, node, "a load needs body: NAME");
    const Node *which = body ? body : on;
    SpragPlace place = {0};
    if (which->kind != NODE_SCALAR || strchr(which->text, '.'))
        return fail_at(reader, which, "body must be the name of a body, got %s",
                       shown_node(reader, which));
    SPRAG_TRY(read_place(reader, which, "body", &place));
    load->body = place.body;
    if (reader->model->bodies[load->body].fixed)
        return fail_at(reader, which, "%s is fixed: a load does not move it",
                       shown(reader, which->text));
    return SPRAG_OK;
}

static SpragStatus place_load(Reader *reader, const Include *include, SpragLoad *load)
{
    SpragVec3 force = sprag_vec3_of(load->force), moment = sprag_vec3_of(load->moment);
    if (!include)
        return SPRAG_OK;
    SPRAG_TRY(place_vector(reader, include, &force));
    SPRAG_TRY(place_vector(reader, include, &moment));
    sprag_vec3_to(force, load->force);
    sprag_vec3_to(moment, load->moment);
    return SPRAG_OK;
}

static SpragStatus read_load(Reader *reader, Part *part)
{
    const Node *node = part->node;
    static const char *const keys[] = {"body",   "on", "joint", "force",
                                       "torque", "at", "frame", NULL};
    static const char *const frames[] = {"world", "body"};
    SpragLoad load = {0};
    SPRAG_TRY(check_keys(reader, node, "a load", keys));
    SPRAG_TRY(read_load_body(reader, node, &load));
    const Node *force = node_get(node, "force"), *at = node_get(node, "at");
    const Node *frame = node_get(node, "frame");
    const Node *torque = node_get(node, "torque");
    int dimension = reader->model->dimension;
    if (!force && !torque)
        return fail_at(reader, node, "a load needs force: %s or torque",
                       dimension == 3 ? "[x, y, z]" : "[x, y]");
    if (force)
        SPRAG_TRY(read_numbers(reader, force, "force", KIND_FORCE, dimension, load.force));
    if (torque && dimension == 3)
        SPRAG_TRY(read_numbers(reader, torque, "torque", KIND_TORQUE, 3, load.moment));
    else if (torque)
        SPRAG_TRY(read_number(reader, torque, "torque", KIND_TORQUE, RANGE_ALL, &load.torque));
    if (at) {
        SpragPlace place = {SPRAG_WORLD, {0, 0, 0}};
        if (at->kind == NODE_SCALAR)
            SPRAG_TRY(read_place(reader, at, "at", &place));
        if (place.body != load.body)
            return fail_at(reader, at, "at must be a place of %s, such as a site or a feature",
                           reader->model->bodies[load.body].name);
        load.local = place.local;
    }
    if (frame) {
        int index;
        SPRAG_TRY(read_word(reader, frame, "frame", frames, 2, &index));
        load.body_frame = index == 1;
    }
    if (!load.body_frame)
        SPRAG_TRY(place_load(reader, node->include, &load));
    if (part->index >= 0)
        return sprag_model_replace_load(reader->model, part->index, &load);
    return locate(reader, node, sprag_model_add_load(reader->model, &load, &part->index));
}

SpragStatus read_loads(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "loads"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_load,
                                           .change = SPRAG_SCENE_NUMBERS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

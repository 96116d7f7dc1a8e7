// scene_loads.c: loads on bodies and joints, constant or over time.
#include <string.h>

#include "scene_private.h"

static SpragStatus find_body(Reader *reader, const Node *which, SpragLoad *load)
{
    SpragPlace place = {0};
    if (which->kind != NODE_SCALAR || strchr(which->text, '.'))
        return fail_at(reader, which, "body must be the name of a body, got %s",
                       shown_node(reader, which));
    SPRAG_TRY(read_place(reader, which, "body", &place));
    load->body = place.body;
    const SpragBody *body = &reader->model->bodies[load->body];
    if (body->fixed)
        return fail_at(reader, which, "%s is %s: a load does not move it",
                       shown(reader, which->text), body->driven ? "driven" : "fixed");
    return SPRAG_OK;
}

// Whether `on` names a joint: a body of that name goes before it.
static bool names_joint(Reader *reader, const Node *on)
{
    if (on->kind != NODE_SCALAR)
        return false;
    const char *name = full_name(reader, on->include, on->text);
    return name && sprag_model_find_body(reader->model, name) < 0 &&
           sprag_model_find_joint(reader->model, name) >= 0;
}

static SpragStatus read_target(Reader *reader, const Node *node, SpragLoad *load)
{
    static const char *const keys[] = {"body", "joint", "on"};
    const Node *found = NULL;
    for (int i = 0; i < 3; i++) {
        const Node *target = node_get(node, keys[i]);
        if (target && found)
            return fail_at(reader, node_key(node, keys[i]),
                           "a load has body, joint or on, not two of them");
        found = target ? target : found;
    }
    if (!found)
        return fail_at(reader, node, "a load needs body: NAME or joint: NAME");
    load->body = load->joint = -1;
    if (node_get(node, "joint") || (node_get(node, "on") && names_joint(reader, found))) {
        load->on_joint = true;
        return read_joint_name(reader, found, &load->joint);
    }
    return find_body(reader, found, load);
}

// ---- On a joint ---------------------------------------------------------------------------------

static SpragStatus read_joint_load(Reader *reader, const Node *node, SpragLoad *load)
{
    const SpragJoint *joint = &reader->model->joints[load->joint];
    const char *kind = sprag_joint_kind_name(joint->kind);
    bool length = joint_is_length(joint->kind);
    const char *key = length ? "force" : "torque", *other = length ? "torque" : "force";
    const Node *value = node_get(node, key);
    static const char *const bodily[] = {"at", "frame"};
    if (joint->kind == SPRAG_JOINT_WELD || joint->kind == SPRAG_JOINT_BALL ||
        joint->kind == SPRAG_JOINT_UNIVERSAL)
        return fail_at(reader, node, "a %s joint takes no load along itself", kind);
    if (node_get(node, other))
        return fail_at(reader, node_key(node, other), "a load on %s, a %s joint, is a %s",
                       joint->name, kind, key);
    for (int i = 0; i < 2; i++)
        if (node_get(node, bodily[i]))
            return fail_at(reader, node_key(node, bodily[i]), "a load on a joint has no %s",
                           bodily[i]);
    if (!value)
        return fail_at(reader, node, "a load on %s needs %s", joint->name, key);
    SpragTimeValue *over = length ? &load->force_over[0] : &load->moment_over[2];
    SPRAG_TRY(read_model_time(reader, value, key, length ? KIND_FORCE : KIND_TORQUE, over));
    load->varies = over->evaluate != NULL;
    *(length ? &load->force[0] : &load->torque) = over->number;
    return SPRAG_OK;
}

// ---- On a body ----------------------------------------------------------------------------------

static SpragStatus read_at(Reader *reader, const Node *node, SpragLoad *load)
{
    static const char *const frames[] = {"world", "body"};
    const Node *at = node_get(node, "at"), *frame = node_get(node, "frame");
    if (at) {
        SpragPlace place = {SPRAG_WORLD, {0, 0, 0}};
        if (at->kind == NODE_SCALAR)
            SPRAG_TRY(read_place(reader, at, "at", &place));
        if (place.body != load->body)
            return fail_at(reader, at, "at must be a place of %s, such as a site or a feature",
                           reader->model->bodies[load->body].name);
        load->local = place.local;
    }
    if (!frame)
        return SPRAG_OK;
    int index;
    SPRAG_TRY(read_word(reader, frame, "frame", frames, 2, &index));
    load->body_frame = index == 1;
    return SPRAG_OK;
}

// The vectors of the file, in the frame of the scene.
static SpragStatus read_vectors(Reader *reader, const Node *node, SpragLoad *load)
{
    const Node *force = node_get(node, "force"), *torque = node_get(node, "torque");
    int dimension = reader->model->dimension;
    if (!force && !torque)
        return fail_at(reader, node, "a load needs force: %s or torque",
                       dimension == 3 ? "[x, y, z]" : "[x, y]");
    if (force) {
        SPRAG_TRY(read_model_times(reader, force, "force", KIND_FORCE, load->force_over));
        if (!load->body_frame)
            SPRAG_TRY(place_times(reader, force, load->force_over));
    }
    if (torque && dimension == 2)
        return read_model_time(reader, torque, "torque", KIND_TORQUE, &load->moment_over[2]);
    if (torque) {
        SPRAG_TRY(read_model_times(reader, torque, "torque", KIND_TORQUE, load->moment_over));
        if (!load->body_frame)
            SPRAG_TRY(place_times(reader, torque, load->moment_over));
    }
    return SPRAG_OK;
}

static SpragStatus read_body_load(Reader *reader, const Node *node, SpragLoad *load)
{
    SPRAG_TRY(read_at(reader, node, load));
    SPRAG_TRY(read_vectors(reader, node, load));
    load->varies = time_varies(load->force_over, 3) || time_varies(load->moment_over, 3);
    for (int i = 0; i < 3; i++) {
        load->force[i] = load->force_over[i].number;
        if (reader->model->dimension == 3)
            load->moment[i] = load->moment_over[i].number;
    }
    if (reader->model->dimension == 2)
        load->torque = load->moment_over[2].number;
    return SPRAG_OK;
}

static SpragStatus read_load(Reader *reader, Part *part)
{
    const Node *node = part->node;
    static const char *const keys[] = {"body",   "on", "joint", "force",
                                       "torque", "at", "frame", NULL};
    SpragLoad load = {0};
    SPRAG_TRY(check_keys(reader, node, "a load", keys));
    SPRAG_TRY(read_target(reader, node, &load));
    SPRAG_TRY(load.on_joint ? read_joint_load(reader, node, &load)
                            : read_body_load(reader, node, &load));
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

// scene_model.c: a scene with bodies, part by part in the order that references need.
#include <string.h>

#include "scene_private.h"

static SpragStatus read_gravity_part(Reader *reader, Part *part)
{
    return read_numbers(reader, part->node, "gravity", KIND_ACCELERATION, reader->model->dimension,
                        reader->model->gravity);
}

static SpragStatus read_gravity(Reader *reader)
{
    const Node *gravity = node_get(reader->root, "gravity");
    if (gravity)
        return read_part(reader, (Part){.read = read_gravity_part,
                                        .change = SPRAG_SCENE_NUMBERS,
                                        .node = gravity,
                                        .index = -1,
                                        .body = -1});
    return note(reader, "gravity: the default, [0, %s-9.81] m/s²",
                reader->model->dimension == 3 ? "0, " : "");
}

static SpragStatus set_model_name(Reader *reader)
{
    reader->model->source = sprag_copy_text(reader->context, reader->file);
    char *name = sprag_copy_text(reader->context, reader->scene->name);
    if (!name || !reader->model->source) {
        sprag_free(reader->context, name);
        return SPRAG_ERROR_MEMORY;
    }
    sprag_free(reader->context, reader->model->name);
    reader->model->name = name;
    return SPRAG_OK;
}

SpragStatus read_model(Reader *reader)
{
    static const char *const keys[] = {
        "sprag",     "name",    "description", "source",   "dimension", "gravity", "parameters",
        "materials", "bodies",  "contacts",    "start",    "joints",    "loads",   "controllers",
        "events",    "outputs", "expect",      "simulate", "include",   NULL};
    static const struct {
        const char *key;
        SpragStatus (*read)(Reader *reader, const Node *node);
    } parts[] = {{"materials", read_materials}, {"bodies", read_bodies},
                 {"contacts", read_contacts},   {"joints", read_joints},
                 {"loads", read_loads},         {"controllers", read_controllers},
                 {"start", read_start},         {"simulate", read_simulate},
                 {"outputs", read_outputs},     {"events", read_events}};
    SPRAG_TRY(check_keys(reader, reader->root, "the file", keys));
    SPRAG_TRY(sprag_model_create(reader->context, &reader->scene->model));
    reader->model = reader->scene->model;
    reader->model->dimension = reader->dimension;
    if (reader->dimension == 3) {
        reader->model->gravity[1] = 0;
        reader->model->gravity[2] = -9.81;
    }
    SPRAG_TRY(set_model_name(reader));
    SPRAG_TRY(check_includes(reader, keys));
    SPRAG_TRY(parameters_add(reader));
    SPRAG_TRY(read_gravity(reader));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const Node *node = node_get(reader->root, parts[i].key);
        if (node && !node_is_empty(node))
            SPRAG_TRY(parts[i].read(reader, node));
    }
    return SPRAG_OK;
}

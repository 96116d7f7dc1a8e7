// scene_places.c: places and selectors by path, with the nearest name when there is none.
#include <string.h>

#include "scene_private.h"

typedef struct Names {
    const char **items;
    int count;
    size_t capacity;
} Names;

static SpragStatus add_name(Reader *reader, Names *names, const char *name)
{
    if (!name)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(reader->context, &names->items, &names->capacity,
                            (size_t)names->count + 1, sizeof *names->items));
    names->items[names->count++] = name;
    return SPRAG_OK;
}

static SpragStatus add_features(Reader *reader, Names *names, int body)
{
    const SpragModel *model = reader->model;
    SPRAG_TRY(add_name(reader, names, "com"));
    for (int i = 0; i < model->site_count; i++)
        if (model->sites[i].body == body)
            SPRAG_TRY(add_name(reader, names, model->sites[i].name));
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        if (shape->body != body)
            continue;
        SPRAG_TRY(add_name(reader, names, shape->name));
        for (int v = 0; v < shape->vertex_count; v++)
            SPRAG_TRY(add_name(reader, names, shape->vertex_names[v]));
    }
    return SPRAG_OK;
}

static SpragStatus add_tops(Reader *reader, Names *names, bool materials)
{
    const SpragModel *model = reader->model;
    for (int i = 0; i < model->body_count; i++)
        SPRAG_TRY(add_name(reader, names, model->bodies[i].name));
    for (int i = 0; i < model->material_count && materials; i++)
        SPRAG_TRY(add_name(reader, names, model->materials[i].name));
    return SPRAG_OK;
}

// How many features of the body have that name: 2 or more need the shape before it.
static int count_features(const SpragModel *model, int body, const char *name)
{
    int count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        for (int v = 0; shape->body == body && v < shape->vertex_count; v++)
            count += strcmp(shape->vertex_names[v], name) == 0;
    }
    return count;
}

// `materials`: a material would have done too (a selector).
static SpragStatus unknown_path(Reader *reader, const Node *node, const char *what,
                                const char *path, bool materials)
{
    const char *dot = strchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    char *top = sprag_arena_alloc(reader->arena, length + 1, 1);
    if (!top)
        return SPRAG_ERROR_MEMORY;
    memcpy(top, path, length);
    int body = sprag_model_find_body(reader->model, top);
    Names names = {0};
    SpragStatus status =
        body >= 0 ? add_features(reader, &names, body) : add_tops(reader, &names, materials);
    if (status == SPRAG_OK && body < 0)
        status = fail_at(reader, node, "%s: there is no body%s \"%s\"%s", what,
                         materials ? " or material" : "", shown(reader, top),
                         suggestion(reader, top, names.items, names.count));
    else if (status == SPRAG_OK && count_features(reader->model, body, dot + 1) > 1)
        status = fail_at(reader, node,
                         "%s: several shapes of %s have a \"%s\"; name the shape: %s.shape.%s",
                         what, shown(reader, top), shown(reader, dot + 1), shown(reader, top),
                         shown(reader, dot + 1));
    else if (status == SPRAG_OK)
        status =
            fail_at(reader, node, "%s: %s has no \"%s\"%s", what, shown(reader, top),
                    shown(reader, dot + 1), suggestion(reader, dot + 1, names.items, names.count));
    sprag_free(reader->context, names.items);
    return status;
}

SpragStatus read_selector(Reader *reader, const Node *node, const char *what,
                          SpragSelector *selector)
{
    const char *path;
    SPRAG_TRY(read_text(reader, node, what, &path));
    if (strcmp(path, "*") != 0)
        path = full_name(reader, node->include, path);
    if (!path)
        return SPRAG_ERROR_MEMORY;
    if (sprag_model_find_selector(reader->model, path, selector))
        return SPRAG_OK;
    return unknown_path(reader, node, what, path, true);
}

SpragStatus read_place(Reader *reader, const Node *node, const char *what, SpragPlace *place)
{
    if (node->kind == NODE_SEQUENCE) {
        place->body = SPRAG_WORLD;
        SPRAG_TRY(read_vec3(reader, node, what, KIND_LENGTH, &place->local));
        return place_point(reader, node->include, &place->local);
    }
    const char *path;
    SPRAG_TRY(read_text(reader, node, what, &path));
    path = full_name(reader, node->include, path);
    if (!path)
        return SPRAG_ERROR_MEMORY;
    if (!sprag_model_find_place(reader->model, path, place))
        return unknown_path(reader, node, what, path, false);
    meet_body(reader, place->body);
    return SPRAG_OK;
}

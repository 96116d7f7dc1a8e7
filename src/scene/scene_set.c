// scene_set.c: --set PATH=VALUE, applied to the tree before anything is interpreted.
// A path walks by keys of mappings, by names and by numbers of list items. The last step may make
// a new key in a mapping; the reader then judges the key as if it stood in the file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

typedef struct Walk {
    Reader *reader;
    Node where;       // for messages: only its origin
    const char *path; // whole
} Walk;

// Collections that a path may make when the file has none.
static bool can_be_made(const Node *root, const Node *parent, const char *key)
{
    static const char *const keys[] = {"simulate", "materials", "parameters"};
    if (root != parent)
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

// Names by which the children of a collection can be reached, for the suggestion.
static SpragStatus unknown_step(Walk *walk, const Node *parent, const char *step)
{
    Reader *reader = walk->reader;
    size_t count = (size_t)parent->count;
    const char **names = sprag_arena_alloc(reader->arena, count + 1, sizeof *names);
    if (!names)
        return SPRAG_ERROR_MEMORY;
    int known = 0;
    for (int i = 0; i < parent->count; i++) {
        const Node *name =
            parent->kind == NODE_MAPPING ? parent->keys[i] : node_get(parent->items[i], "name");
        const Include *include = name && name->include != parent->include ? name->include : NULL;
        const char *full =
            name && name->kind == NODE_SCALAR ? full_name(reader, include, name->text) : NULL;
        if (full)
            names[known++] = full;
    }
    const char *near = suggestion(reader, step, names, known);
    if (parent->kind == NODE_SEQUENCE)
        return fail_at(reader, &walk->where, "there is no entry \"%s\" in a list of %d%s",
                       shown(reader, step), parent->count, near);
    return fail_at(reader, &walk->where, "there is no \"%s\"%s", shown(reader, step), near);
}

// The child's place in the parent; NULL: none.
static Node **find_child(const Node *parent, const char *step)
{
    if (parent->kind == NODE_MAPPING) {
        for (int i = 0; i < parent->count; i++)
            if (is_called(parent, parent->keys[i], step))
                return &parent->items[i];
        return NULL;
    }
    if (parent->kind != NODE_SEQUENCE)
        return NULL;
    for (int i = 0; i < parent->count; i++) {
        const Node *name = node_get(parent->items[i], "name");
        if (name && name->kind == NODE_SCALAR && is_called(parent, name, step))
            return &parent->items[i];
    }
    char *end;
    long index = strtol(step, &end, 10);
    bool number = step[0] >= '0' && step[0] <= '9' && !*end && strlen(step) < 9;
    return number && index < parent->count ? &parent->items[index] : NULL;
}

static SpragStatus make_child(Walk *walk, Node *parent, const char *step, Node *value)
{
    Node *key = node_create(walk->reader, NODE_SCALAR, walk->path, 0, 0);
    if (!key)
        return SPRAG_ERROR_MEMORY;
    key->text = step;
    return node_put(walk->reader, parent, key, value);
}

// Goes one step down, or makes what may be made there.
static SpragStatus descend(Walk *walk, Node *parent, const char *step, bool last, Node *value,
                           Node ***child)
{
    Reader *reader = walk->reader;
    *child = find_child(parent, step);
    if (*child)
        return SPRAG_OK;
    if (parent->kind == NODE_SCALAR)
        return fail_at(reader, &walk->where, "there is nothing below a single value: \"%s\"",
                       shown(reader, step));
    bool makes = parent->kind == NODE_MAPPING && (last || can_be_made(reader->root, parent, step));
    if (!makes)
        return unknown_step(walk, parent, step);
    Node *made = value;
    if (!last)
        made = node_create(reader, NODE_MAPPING, walk->path, 0, 0);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(make_child(walk, parent, step, made));
    *child = find_child(parent, step);
    return SPRAG_OK;
}

// What gives a parameter of an included file its value: `set` of its include, or the file.
static Node **find_included_parameter(Reader *reader, const char *name)
{
    for (const Include *include = reader->includes; include; include = include->next) {
        size_t before = strlen(include->prefix);
        if (before == 0 || strncmp(name, include->prefix, before) != 0)
            continue;
        const Node *set = node_get(include->entry, "set");
        const Node *own = node_get(include->root, "parameters");
        Node **place = own ? find_child(own, name + before) : NULL;
        Node **over = place && set ? find_child(set, name + before) : NULL;
        if (place)
            return over ? over : place;
    }
    return NULL;
}

// A parameter's value, in either form; NULL: no such parameter.
static Node **find_parameter(Reader *reader, const char *name)
{
    const Node *parameters = node_get(reader->root, "parameters");
    Node **place = parameters ? find_child(parameters, name) : NULL;
    if (!place)
        place = find_included_parameter(reader, name);
    if (place && (*place)->kind == NODE_MAPPING) {
        Node **value = find_child(*place, "value");
        return value ? value : place;
    }
    return place;
}

// A word that is neither a parameter nor a key of the file: the nearest of both kinds.
static SpragStatus unknown_word(Walk *walk, const char *word)
{
    static const char *const known[] = {"name", "gravity", "dimension"};
    Reader *reader = walk->reader;
    const Node *parameters = node_get(reader->root, "parameters");
    int count = parameters && parameters->kind == NODE_MAPPING ? parameters->count : 0;
    size_t known_count = sizeof known / sizeof *known;
    const char **names =
        sprag_arena_alloc(reader->arena, (size_t)count + known_count, sizeof *names);
    if (!names)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        names[i] = parameters->keys[i]->text;
    memcpy(names + count, known, sizeof known);
    return fail_at(reader, &walk->where, "there is no parameter or key \"%s\"%s",
                   shown(reader, word), suggestion(reader, word, names, count + (int)known_count));
}

// Keys of the root that may be set although the file does not have them.
static bool is_root_key(const char *word)
{
    static const char *const keys[] = {"name",   "gravity",   "dimension", "description",
                                       "source", "stiffness", "damping"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(word, keys[i]) == 0)
            return true;
    return false;
}

static SpragStatus walk_path(Walk *walk, char *steps, Node *value, Node **before)
{
    Reader *reader = walk->reader;
    Node **place = NULL;
    if (!strchr(steps, '.')) {
        place = find_parameter(reader, steps);
        if (!place && !find_child(reader->root, steps) && !is_root_key(steps))
            return unknown_word(walk, steps);
    }
    Node *parent = reader->root;
    for (char *step = steps; !place;) {
        char *dot = strchr(step, '.');
        if (dot)
            *dot = 0;
        if (!*step)
            return fail_at(reader, &walk->where, "a path has the form bodies.rod.angle");
        Node **child;
        SPRAG_TRY(descend(walk, parent, step, !dot, value, &child));
        if (!dot) {
            place = child;
        } else {
            parent = *child;
            step = dot + 1;
        }
    }
    *before = *place == value ? NULL : *place;
    *place = value;
    return SPRAG_OK;
}

static SpragStatus walk_init(Walk *walk, Reader *reader, const char *path, char **steps)
{
    size_t bytes = strlen(path) + 1;
    char *copy = sprag_arena_alloc(reader->arena, bytes, 1);
    *steps = sprag_arena_alloc(reader->arena, bytes, 1);
    if (!copy || !*steps)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, path, bytes);
    memcpy(*steps, path, bytes);
    *walk = (Walk){reader, {0}, NULL};
    walk->path = walk->where.origin = shown(reader, copy);
    walk->where.text = "";
    return SPRAG_OK;
}

SpragStatus apply_set(Reader *reader, const SpragSceneSet *set)
{
    Walk walk;
    char *steps;
    Node *value, *before;
    SPRAG_TRY(walk_init(&walk, reader, set->path, &steps));
    SPRAG_TRY(yaml_parse(reader, walk.path, set->value, strlen(set->value), &value));
    return walk_path(&walk, steps, value, &before);
}

SpragStatus replace_node(Reader *reader, const char *path, Node *value, Node **before)
{
    Walk walk;
    char *steps;
    SPRAG_TRY(walk_init(&walk, reader, path, &steps));
    value->origin = walk.path;
    return walk_path(&walk, steps, value, before);
}

const Node *find_parameter_node(Reader *reader, const char *name)
{
    const Node *parameters = node_get(reader->root, "parameters");
    if (strchr(name, '.'))
        return NULL;
    const Node *found = parameters ? node_get(parameters, name) : NULL;
    if (found)
        return found;
    Node **place = find_included_parameter(reader, name);
    return place ? *place : NULL;
}

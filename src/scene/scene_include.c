// scene_include.c: include: parts of a scene from other files.
// Problem   {file: arm.yaml, name: arm, position: [..], set: {payload: 2}}: bodies, materials,
//           contacts, joints, loads, controllers and start lines of that file stand in this scene
//           too
// Method    the file is parsed into nodes that know where they come from, and its lists go before
//           those of the file that includes it (so that rules of the latter win). Whoever reads a
//           node then has the right file in messages, the right parameters in formulas, and the
//           prefix for names; places and vectors of the world are moved with the include.
// Assumes   that names and what refers to them meet in one file. Settings (simulate, gravity,
//           outputs, events, expect) are those of the scene; a note tells what is passed over.
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "scene_private.h"

enum { MOST_INCLUDES = 1000, DEEPEST_INCLUDE = 16 };

static const char *const SEQUENCES[] = {"bodies", "contacts",    "joints",
                                        "loads",  "controllers", "start"};
enum { SEQUENCE_COUNT = 6 };

// Lists of the whole scene while they grow.
typedef struct Gather {
    Reader *reader;
    int count;                   // of includes
    Node *lists[SEQUENCE_COUNT]; // NULL: none yet
    Node *materials;
} Gather;

const char *node_file(const Reader *reader, const Node *node)
{
    return node && node->include ? node->include->file : reader->file;
}

// ---- Names --------------------------------------------------------------------------------------

const char *full_name(Reader *reader, const Include *include, const char *text)
{
    if (!include || !include->prefix[0])
        return text;
    size_t before = strlen(include->prefix), bytes = strlen(text) + 1;
    char *whole = sprag_arena_alloc(reader->arena, before + bytes, 1);
    if (!whole)
        return NULL;
    memcpy(whole, include->prefix, before);
    memcpy(whole + before, text, bytes);
    return whole;
}

bool is_called(const Node *parent, const Node *name, const char *text)
{
    const Include *include = name->include;
    if (include && include != parent->include) {
        size_t before = strlen(include->prefix);
        if (strncmp(text, include->prefix, before) != 0)
            return false;
        text += before;
    }
    return strcmp(name->text, text) == 0;
}

SpragStatus read_full_name(Reader *reader, const Node *node, const char **name)
{
    SPRAG_TRY(read_name(reader, node, name));
    if (!node->include)
        return SPRAG_OK;
    *name = full_name(reader, node->include, *name);
    if (!*name)
        return SPRAG_ERROR_MEMORY;
    const char *fault = sprag_name_fault(*name);
    return fault ? fail_at(reader, node, "the name \"%s\" %s", shown(reader, *name), fault)
                 : SPRAG_OK;
}

// ---- Places -------------------------------------------------------------------------------------

// Where an included file stands in the scene.
typedef struct Placement {
    SpragVec3 position;
    SpragQuaternion turn;
    double angle; // plane
} Placement;

static SpragStatus read_own_placement(Reader *reader, const Include *include, Placement *own)
{
    const Node *entry = include->entry, *position = node_get(entry, "position");
    const Node *orientation = node_get(entry, "orientation"), *angle = node_get(entry, "angle");
    *own = (Placement){.turn = {1, 0, 0, 0}};
    if (position)
        SPRAG_TRY(read_vec3(reader, position, "position", KIND_LENGTH, &own->position));
    if (reader->model->dimension == 3) {
        SPRAG_TRY(refuse_angle(reader, entry));
        return orientation ? read_orientation(reader, orientation, &own->turn) : SPRAG_OK;
    }
    if (orientation)
        return fail_at(reader, node_key(entry, "orientation"),
                       "orientation is for scenes in space; in the plane give angle");
    return angle ? read_number(reader, angle, "angle", KIND_ANGLE, RANGE_ALL, &own->angle)
                 : SPRAG_OK;
}

static SpragVec3 turn_vector(const Reader *reader, const Placement *own, SpragVec3 v)
{
    if (reader->model->dimension == 3) {
        SpragMat3 R = sprag_quaternion_matrix(own->turn);
        return sprag_mat3_apply(&R, v);
    }
    SpragVec2 flat = sprag_vec2_turn(sprag_vec3_flat(v), cos(own->angle), sin(own->angle));
    return sprag_vec3_raise(flat);
}

SpragStatus place_vector(Reader *reader, const Include *include, SpragVec3 *v)
{
    Placement own;
    for (; include; include = include->outer) {
        SPRAG_TRY(read_own_placement(reader, include, &own));
        *v = turn_vector(reader, &own, *v);
    }
    return SPRAG_OK;
}

SpragStatus place_point(Reader *reader, const Include *include, SpragVec3 *p)
{
    Placement own;
    for (; include; include = include->outer) {
        SPRAG_TRY(read_own_placement(reader, include, &own));
        *p = sprag_vec3_add(own.position, turn_vector(reader, &own, *p));
    }
    return SPRAG_OK;
}

static SpragStatus place_numbers(Reader *reader, const Include *include, double *numbers)
{
    SpragVec3 v = sprag_vec3_of(numbers);
    SPRAG_TRY(place_vector(reader, include, &v));
    sprag_vec3_to(v, numbers);
    return SPRAG_OK;
}

SpragStatus place_body(Reader *reader, const Include *include, SpragBody *body)
{
    if (!include)
        return SPRAG_OK;
    SpragVec3 p = sprag_vec3_of(body->position);
    SPRAG_TRY(place_point(reader, include, &p));
    sprag_vec3_to(p, body->position);
    SPRAG_TRY(place_numbers(reader, include, body->velocity));
    SPRAG_TRY(place_numbers(reader, include, body->surface_velocity));
    if (reader->model->dimension == 3)
        SPRAG_TRY(place_numbers(reader, include, body->angular));
    for (; include; include = include->outer) {
        Placement own;
        SPRAG_TRY(read_own_placement(reader, include, &own));
        body->angle += own.angle;
        if (reader->model->dimension == 3)
            body->orientation =
                sprag_quaternion_unit(sprag_quaternion_product(own.turn, body->orientation));
    }
    return SPRAG_OK;
}

// ---- Files --------------------------------------------------------------------------------------

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static void tell_chain(SpragText *text, const Reader *reader, const Include *include)
{
    if (include && include->outer)
        tell_chain(text, reader, include->outer);
    else
        sprag_text_add(text, "%s includes ", reader->file);
    if (include)
        sprag_text_add(text, "%s, which includes ", include->file);
}

static SpragStatus check_chain(Reader *reader, const Node *node, const Include *outer,
                               const char *path)
{
    int depth = 1;
    bool around = is_same_file(reader->file, path);
    for (const Include *at = outer; at; at = at->outer, depth++)
        around |= is_same_file(at->file, path);
    if (depth > DEEPEST_INCLUDE)
        return fail_at(reader, node, "files include each other more than %d levels deep",
                       DEEPEST_INCLUDE);
    if (!around)
        return SPRAG_OK;
    SpragText chain;
    sprag_text_init(&chain, reader->context);
    tell_chain(&chain, reader, outer);
    SpragStatus status = chain.failed ? SPRAG_ERROR_MEMORY
                                      : fail_at(reader, node, "a circle of files: %s%s",
                                                chain.bytes ? chain.bytes : "", path);
    sprag_text_destroy(&chain);
    return status;
}

// The prefix of an entry: that of the file where it stands, its name, a slash.
static SpragStatus make_prefix(Reader *reader, const Node *entry, Include *include)
{
    const Node *node = node_get(entry, "name");
    include->prefix = include->outer ? include->outer->prefix : "";
    if (!node)
        return SPRAG_OK;
    const char *name;
    SPRAG_TRY(read_full_name(reader, node, &name));
    size_t length = strlen(name);
    char *prefix = sprag_arena_alloc(reader->arena, length + 2, 1);
    if (!prefix)
        return SPRAG_ERROR_MEMORY;
    memcpy(prefix, name, length);
    prefix[length] = '/';
    include->prefix = prefix;
    return SPRAG_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static SpragStatus parse_file(Reader *reader, const Node *node, Include *include)
{
    const char *path;
    SpragText text;
    if (ends_with(node->text, ".urdf") || ends_with(node->text, ".xml"))
        return not_supported(reader, node, "include of URDF and MJCF files");
    sprag_text_init(&text, reader->context);
    SpragStatus status = read_beside(reader, node, "scene", &path, &text);
    if (status == SPRAG_OK)
        status = check_chain(reader, node, include->outer, path);
    if (status == SPRAG_OK) {
        const Include *before = reader->including;
        include->file = path;
        reader->including = include;
        status =
            yaml_parse(reader, NULL, text.bytes ? text.bytes : "", text.length, &include->root);
        reader->including = before;
    }
    sprag_text_destroy(&text);
    return status;
}

static SpragStatus check_root(Reader *reader, const Include *include)
{
    const Node *root = include->root;
    if (root->kind != NODE_MAPPING)
        return fail_at(reader, root, "a scene is a mapping that begins with sprag: 1, got %s",
                       shown_node(reader, root));
    const Node *version = node_get(root, "sprag");
    if (!version || strcmp(version->text, "1") != 0)
        return fail_at(reader, version ? version : root,
                       "\"sprag: 1\" is missing, the version of the format");
    if (node_get(root, "problem"))
        return fail_at(reader, node_key(root, "problem"),
                       "only a file with bodies can be included");
    return SPRAG_OK;
}

// ---- Lists --------------------------------------------------------------------------------------

static SpragStatus append(Gather *gather, Node **list, NodeKind kind, const Node *from,
                          const char *key)
{
    Reader *reader = gather->reader;
    if (!from || node_is_empty(from))
        return SPRAG_OK;
    SPRAG_TRY(kind == NODE_MAPPING ? need_mapping(reader, from, key)
                                   : need_sequence(reader, from, key));
    if (!*list) {
        *list = node_create(reader, kind, NULL, from->line, from->column);
        if (!*list)
            return SPRAG_ERROR_MEMORY;
        (*list)->include = NULL;
    }
    size_t before = (size_t)(*list)->count, count = before + (size_t)from->count;
    Node **items = sprag_arena_alloc(reader->arena, count, sizeof *items);
    Node **keys = sprag_arena_alloc(reader->arena, count, sizeof *keys);
    if (!items || !keys)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const Node *source = i < before ? *list : from;
        size_t at = i < before ? i : i - before;
        items[i] = source->items[at];
        if (kind == NODE_MAPPING)
            keys[i] = source->keys[at];
    }
    (*list)->items = items;
    (*list)->keys = kind == NODE_MAPPING ? keys : NULL;
    (*list)->count = (int)count;
    return SPRAG_OK;
}

static SpragStatus gather_lists(Gather *gather, const Node *root)
{
    SPRAG_TRY(
        append(gather, &gather->materials, NODE_MAPPING, node_get(root, "materials"), "materials"));
    for (int i = 0; i < SEQUENCE_COUNT; i++)
        SPRAG_TRY(append(gather, &gather->lists[i], NODE_SEQUENCE, node_get(root, SEQUENCES[i]),
                         SEQUENCES[i]));
    return SPRAG_OK;
}

static SpragStatus include_all(Gather *gather, Node *root, const Include *outer);

static SpragStatus include_one(Gather *gather, const Node *entry, const Include *outer)
{
    static const char *const keys[] = {"file",  "name", "position", "orientation",
                                       "angle", "set",  NULL};
    Reader *reader = gather->reader;
    SPRAG_TRY(check_keys(reader, entry, "include", keys));
    const Node *file = node_get(entry, "file"), *set = node_get(entry, "set");
    if (!file)
        return fail_at(reader, entry, "include needs file: NAME.yaml");
    if (set && !node_is_empty(set))
        SPRAG_TRY(need_mapping(reader, set, "set"));
    if (++gather->count > MOST_INCLUDES)
        return fail_at(reader, entry, "a scene may include at most %d files", MOST_INCLUDES);
    Include *include = sprag_arena_alloc(reader->arena, 1, sizeof *include);
    if (!include)
        return SPRAG_ERROR_MEMORY;
    include->outer = outer;
    include->entry = entry;
    SPRAG_TRY(make_prefix(reader, entry, include));
    SPRAG_TRY(parse_file(reader, file, include));
    SPRAG_TRY(check_root(reader, include));
    if (reader->last_include)
        reader->last_include->next = include;
    else
        reader->includes = include;
    reader->last_include = include;
    SPRAG_TRY(include_all(gather, include->root, include));
    return gather_lists(gather, include->root);
}

// The includes of a file; its own lists are for the caller to add.
static SpragStatus include_all(Gather *gather, Node *root, const Include *outer)
{
    Reader *reader = gather->reader;
    Node *list = node_get(root, "include");
    if (!list || node_is_empty(list))
        return SPRAG_OK;
    SPRAG_TRY(need_sequence(reader, list, "include"));
    SPRAG_TRY(parameters_collect(reader)); // for repeat
    SPRAG_TRY(expand_list(reader, list));
    for (int i = 0; i < list->count; i++)
        SPRAG_TRY(include_one(gather, list->items[i], outer));
    return SPRAG_OK;
}

static SpragStatus put_list(Reader *reader, const char *key, Node *list)
{
    Node *root = reader->root;
    for (int i = 0; i < root->count; i++)
        if (strcmp(root->keys[i]->text, key) == 0) {
            root->items[i] = list;
            return SPRAG_OK;
        }
    Node *name = node_create(reader, NODE_SCALAR, NULL, list->line, list->column);
    if (!name)
        return SPRAG_ERROR_MEMORY;
    name->text = key;
    return node_put(reader, root, name, list);
}

bool has_includes(const Node *root)
{
    const Node *list = node_get(root, "include");
    return list && !node_is_empty(list);
}

SpragStatus expand_includes(Reader *reader)
{
    if (!has_includes(reader->root))
        return SPRAG_OK;
    Gather gather = {.reader = reader};
    SPRAG_TRY(include_all(&gather, reader->root, NULL));
    SPRAG_TRY(gather_lists(&gather, reader->root));
    if (gather.materials)
        SPRAG_TRY(put_list(reader, "materials", gather.materials));
    for (int i = 0; i < SEQUENCE_COUNT; i++)
        if (gather.lists[i])
            SPRAG_TRY(put_list(reader, SEQUENCES[i], gather.lists[i]));
    return SPRAG_OK;
}

// ---- What an included file may have
// --------------------------------------------------------------

static SpragStatus note_idle(Reader *reader, const Include *include)
{
    static const char *const idle[] = {"gravity", "simulate", "outputs", "events", "expect"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (node_get(include->root, idle[i]))
            SPRAG_TRY(note(reader, "%s of %s is passed over: it is an included file", idle[i],
                           include->file));
    return SPRAG_OK;
}

SpragStatus check_includes(Reader *reader, const char *const *keys)
{
    for (const Include *include = reader->includes; include; include = include->next) {
        const Node *root = include->root, *dimension = node_get(root, "dimension");
        double number = 2;
        SPRAG_TRY(check_keys(reader, root, "the file", keys));
        if (dimension)
            SPRAG_TRY(read_number(reader, dimension, "dimension", KIND_NUMBER, RANGE_ALL, &number));
        if (number != reader->dimension)
            return fail_at(reader, dimension ? dimension : root,
                           "the file has dimension %g, but the scene that includes it %d", number,
                           reader->dimension);
        // only to refuse it early: what it moves reads it again, and depends on it
        uint32_t outer = reader->varied;
        Placement own;
        SPRAG_TRY(read_own_placement(reader, include, &own));
        reader->varied = outer;
        SPRAG_TRY(note_idle(reader, include));
    }
    return SPRAG_OK;
}

// scene.c: from a file to a checked scene: read, parse, override, expand, interpret.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "examples.h"
#include "scene_private.h"

enum { SCENE_COOKIE = 0x53506373, FIRST_BYTES = 4096 };

SpragSceneSettings sprag_scene_default(void)
{
    SpragSceneSettings settings = {0};
    settings.cookie = SCENE_COOKIE;
    return settings;
}

// ---- The top of the file ------------------------------------------------------------------------

static SpragStatus check_version(Reader *reader)
{
    const Node *node = node_get(reader->root, "sprag");
    if (!node)
        return fail_at(reader, reader->root, "\"sprag: 1\" is missing, the version of the format");
    if (node->kind != NODE_SCALAR || strcmp(node->text, "1") != 0)
        return fail_at(reader, node, "format version %s is not supported; this is version 1",
                       shown_node(reader, node));
    return SPRAG_OK;
}

static SpragStatus check_dimension(Reader *reader)
{
    const Node *node = node_get(reader->root, "dimension");
    reader->dimension = 2;
    if (!node)
        return SPRAG_OK;
    double dimension;
    SPRAG_TRY(read_number(reader, node, "dimension", KIND_NUMBER, RANGE_ALL, &dimension));
    if (dimension != 2 && dimension != 3)
        return fail_at(reader, node, "dimension must be 2 or 3, got %s", shown(reader, node->text));
    reader->dimension = (int)dimension;
    return SPRAG_OK;
}

// name, description, source: any text.
static SpragStatus read_titles(Reader *reader)
{
    static const char *const keys[] = {"name", "description", "source"};
    const char *text = "";
    for (size_t i = 3; i-- > 0;) {
        const Node *node = node_get(reader->root, keys[i]);
        text = "";
        if (node && !node_is_empty(node))
            SPRAG_TRY(read_text(reader, node, keys[i], &text));
    }
    reader->scene->name = sprag_copy_text(reader->context, text);
    return reader->scene->name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus interpret_kind(Reader *reader)
{
    static const char *const problems[] = {"contact", "lcp",   "qp",           "impact",
                                           "scalar",  "screw", "transmission", "friction"};
    enum { FRICTION = 7, FIRST_DRIVE = 4 };
    const Node *problem = node_get(reader->root, "problem");
    if (problem && node_get(reader->root, "bodies"))
        return fail_at(reader, node_key(reader->root, "problem"),
                       "a file has bodies or problem, not both");
    if (!problem && !node_get(reader->root, "bodies")) {
        // a misspelt key is the likelier mistake: let the check of keys speak first
        SPRAG_TRY(read_model(reader));
        return fail_at(reader, reader->root, "a file needs bodies, or problem");
    }
    if (!problem)
        return read_model(reader);
    int index;
    SPRAG_TRY(read_word(reader, problem, "problem", problems, 8, &index));
    SPRAG_TRY(parameters_add(reader));
    if (index == FRICTION)
        return read_friction_problem(reader);
    return index >= FIRST_DRIVE ? read_drive(reader, problems[index])
                                : read_problem(reader, problems[index]);
}

SpragStatus reader_interpret(Reader *reader)
{
    SPRAG_TRY(check_version(reader));
    SPRAG_TRY(parameters_collect(reader));
    if (!reader->keeps) // a tree that is kept has none
        SPRAG_TRY(expand_repeats(reader));
    SPRAG_TRY(check_dimension(reader));
    SPRAG_TRY(read_titles(reader));
    SPRAG_TRY(interpret_kind(reader));
    const Node *expect = node_get(reader->root, "expect");
    return expect && !node_is_empty(expect) ? read_expect(reader, expect) : SPRAG_OK;
}

// ---- The reader ---------------------------------------------------------------------------------

SpragStatus reader_open(Reader *reader, SpragContext *context, const char *name)
{
    *reader = (Reader){.context = context, .file = name};
    SPRAG_TRY(sprag_arena_create(context, FIRST_BYTES, &reader->arena));
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader->locale)
        return sprag_fail(context, SPRAG_ERROR_MEMORY, "no memory for a locale");
    return SPRAG_OK;
}

void reader_close(Reader *reader)
{
    if (reader->locale)
        freelocale(reader->locale);
    sprag_arena_destroy(reader->arena);
}

SpragStatus reader_parse(Reader *reader, const char *text, size_t length,
                         const SpragSceneSettings *settings)
{
    SpragSceneSettings own = *settings;
    if (bundle_is_page(text, length)) {
        SPRAG_TRY(bundle_enter(reader, &text, &length, &own));
        settings = &own;
    }
    if (length > MAX_BYTES)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s: a file may have at most %d MiB",
                          reader->file, MAX_BYTES >> 20);
    SPRAG_TRY(yaml_parse(reader, NULL, text, length, &reader->root));
    if (reader->root->kind != NODE_MAPPING)
        return fail_at(reader, reader->root,
                       "a scene is a mapping that begins with sprag: 1, got %s",
                       shown_node(reader, reader->root));
    // names of included files have a slash: these values go where the files are in place
    bool includes = has_includes(reader->root);
    for (int i = 0; i < settings->set_count; i++)
        if (!includes || !strchr(settings->sets[i].path, '/'))
            SPRAG_TRY(apply_set(reader, &settings->sets[i]));
    SPRAG_TRY(expand_includes(reader));
    for (int i = 0; i < settings->set_count && includes; i++)
        if (strchr(settings->sets[i].path, '/'))
            SPRAG_TRY(apply_set(reader, &settings->sets[i]));
    return SPRAG_OK;
}

SpragStatus choose_settings(SpragContext *context, const SpragSceneSettings *settings,
                            SpragSceneSettings *chosen)
{
    *chosen = settings ? *settings : sprag_scene_default();
    if (chosen->cookie != SCENE_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "scene settings must come from sprag_scene_default");
    return SPRAG_OK;
}

SpragStatus sprag_scene_read_text(SpragContext *context, const char *name, const char *text,
                                  size_t length, const SpragSceneSettings *settings,
                                  SpragScene **scene)
{
    *scene = NULL;
    SpragSceneSettings chosen;
    SPRAG_TRY(choose_settings(context, settings, &chosen));
    Reader reader;
    SpragStatus status = reader_open(&reader, context, name);
    if (status == SPRAG_OK)
        status = reader_parse(&reader, text, length, &chosen);
    if (status == SPRAG_OK) {
        reader.scene = sprag_alloc(context, 1, sizeof *reader.scene);
        status = reader.scene ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    }
    if (status == SPRAG_OK) {
        reader.scene->context = context;
        status = reader_interpret(&reader);
    }
    reader_close(&reader);
    if (status == SPRAG_OK)
        *scene = reader.scene;
    else
        sprag_scene_destroy(reader.scene);
    return status;
}

// ---- Files --------------------------------------------------------------------------------------

static SpragStatus read_bytes(SpragContext *context, const char *path, FILE *file, SpragText *text)
{
    char block[16384];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        sprag_text_add_bytes(text, block, got);
        if (text->failed)
            return SPRAG_ERROR_MEMORY;
        if (text->length > MAX_BYTES)
            return sprag_fail(context, SPRAG_ERROR_INPUT, "%s: a file may have at most %d MiB",
                              path, MAX_BYTES >> 20);
    }
    if (ferror(file)) // a directory opens, but does not read
        return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be read: %s", path,
                          strerror(errno));
    return SPRAG_OK;
}

static SpragStatus read_example(SpragContext *context, const char *path, SpragText *text)
{
    const EmbeddedFile *file = find_example(path);
    if (!file)
        return sprag_fail(context, SPRAG_ERROR_READ,
                          "%s: there is no such example; 'sprag examples' lists them", path);
    sprag_text_add_bytes(text, file->bytes, (size_t)(file->end - file->bytes));
    return text->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

SpragStatus read_whole_file(SpragContext *context, const char *path, SpragText *text)
{
    if (is_example(path))
        return read_example(context, path, text);
    FILE *file = fopen(path, "rb");
    if (!file)
        return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be read: %s", path,
                          strerror(errno));
    SpragStatus status = read_bytes(context, path, file, text);
    fclose(file);
    return status;
}

SpragStatus sprag_scene_read_file(SpragContext *context, const char *path, SpragText *text)
{
    return read_whole_file(context, path, text);
}

SpragStatus sprag_scene_read(SpragContext *context, const char *path,
                             const SpragSceneSettings *settings, SpragScene **scene)
{
    *scene = NULL;
    SpragText text;
    sprag_text_init(&text, context);
    SpragStatus status = read_whole_file(context, path, &text);
    if (status == SPRAG_OK)
        status = sprag_scene_read_text(context, path, text.bytes ? text.bytes : "", text.length,
                                       settings, scene);
    sprag_text_destroy(&text);
    return status;
}

// ---- Access -------------------------------------------------------------------------------------

void sprag_scene_destroy(SpragScene *scene)
{
    if (!scene)
        return;
    SpragContext *context = scene->context;
    sprag_model_destroy(scene->model);
    if (scene->has_problem)
        sprag_contact_problem_destroy(&scene->problem);
    for (int i = 0; i < 4; i++)
        sprag_free(context, scene->numbers[i]);
    sprag_free(context, scene->kinds);
    for (int i = 0; i < scene->owned_count; i++)
        sprag_free(context, scene->owned[i]);
    sprag_free(context, scene->owned);
    scene_free_slots(scene);
    for (int i = 0; i < SPRAG_GUIDES_MOST; i++)
        sprag_free(context, scene->inputs[i].program.operations);
    for (int i = 0; i < scene->note_count; i++)
        sprag_free(context, scene->notes[i]);
    sprag_free(context, scene->notes);
    sprag_free(context, scene->name);
    sprag_free(context, scene);
}

SpragSceneKind sprag_scene_kind(const SpragScene *scene)
{
    return scene->kind;
}

const char *sprag_scene_name(const SpragScene *scene)
{
    return scene->name;
}

const SpragModel *sprag_scene_model(const SpragScene *scene)
{
    return scene->model;
}

SpragModel *sprag_scene_edit_model(SpragScene *scene)
{
    return scene->model;
}

const SpragContactProblem *sprag_scene_contact_problem(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_CONTACT ? &scene->problem : NULL;
}

const SpragSceneLcp *sprag_scene_lcp(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_LCP ? &scene->lcp : NULL;
}

const SpragFrictionProblem *sprag_scene_friction(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_FRICTION ? &scene->friction : NULL;
}

const SpragSceneQp *sprag_scene_qp(const SpragScene *scene)
{
    return scene->kind == SPRAG_SCENE_QP ? &scene->qp : NULL;
}

int sprag_scene_note_count(const SpragScene *scene)
{
    return scene->note_count;
}

const char *sprag_scene_note(const SpragScene *scene, int note_index)
{
    return note_index >= 0 && note_index < scene->note_count ? scene->notes[note_index] : "";
}

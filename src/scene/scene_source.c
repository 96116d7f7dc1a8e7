// scene_source.c: a file that is parsed once and made into scenes with other numbers.
// Problem   a map asks for the same scene at 10⁶ points; parsing the text takes most of the time
// Method    the tree of the file is kept. A variable is a node whose value comes from outside. What
//           an expression gives without meeting a variable is kept in its node (expression.c), so
//           that a scene costs one walk over the tree. Everything made by that walk is behind a
//           mark of the arena and goes with the next one.
// Update    the walk notes which parts of the scene (a body, a rule, a load …) met which variables.
//           With other values only these are read again, by the same functions, into their places
//           in the model (scene_parts.c).
// Assumes   that a walk changes nothing before the mark but kept values. `repeat` does change the
//           tree: what it makes is kept if no variable has a say in it; else the file is copied for
//           each scene, and nothing is updated.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formula.h"

enum { MOST_VARIABLES = 16, NUMBER_BYTES = 32 };

typedef struct Variable {
    const char *path;
    Node *node;
    SpragSceneVariable about;
    Value kind;  // of its numbers
    Value value; // now
    char text[NUMBER_BYTES];
} Variable;

struct SpragSceneSource {
    Reader reader;
    char *name;
    Node *root; // as parsed, before repeats; or with them
    bool repeats;
    bool expanded; // it was tried to keep what repeats make
    int variable_count;
    Variable variables[MOST_VARIABLES];
    bool marked;
    SpragArenaMark mark; // behind the tree
    size_t node_count;
    // of the last scene made
    const SpragScene *scene;   // NULL: none that could be updated
    SpragArenaMark scene_mark; // behind what its walk made
    uint32_t fixed;            // variables that have a say in more than its parts
};

// ---- The source ---------------------------------------------------------------------------------

static bool has_repeat(const Node *node)
{
    if (node_get(node, "repeat"))
        return true;
    for (int i = 0; i < node->count; i++)
        if (has_repeat(node->items[i]))
            return true;
    return false;
}

SpragStatus sprag_scene_source_create_text(SpragContext *context, const char *name,
                                           const char *text, size_t length,
                                           const SpragSceneSettings *settings,
                                           SpragSceneSource **source)
{
    *source = NULL;
    SpragSceneSettings chosen;
    SPRAG_TRY(choose_settings(context, settings, &chosen));
    SpragSceneSource *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->reader.context = context;
    created->name = sprag_copy_text(context, name);
    SpragStatus status = created->name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (status == SPRAG_OK)
        status = reader_open(&created->reader, context, created->name);
    if (status == SPRAG_OK)
        status = reader_parse(&created->reader, text, length, &chosen);
    if (status != SPRAG_OK) {
        sprag_scene_source_destroy(created);
        return status;
    }
    created->root = created->reader.root;
    created->repeats = has_repeat(created->root);
    *source = created;
    return SPRAG_OK;
}

SpragStatus sprag_scene_source_create(SpragContext *context, const char *path,
                                      const SpragSceneSettings *settings, SpragSceneSource **source)
{
    *source = NULL;
    SpragText text;
    sprag_text_init(&text, context);
    SpragStatus status = read_whole_file(context, path, &text);
    if (status == SPRAG_OK)
        status = sprag_scene_source_create_text(context, path, text.bytes ? text.bytes : "",
                                                text.length, settings, source);
    sprag_text_destroy(&text);
    return status;
}

void sprag_scene_source_destroy(SpragSceneSource *source)
{
    if (!source)
        return;
    SpragContext *context = source->reader.context;
    reader_close(&source->reader);
    sprag_free(context, source->name);
    sprag_free(context, source);
}

// ---- Variables ----------------------------------------------------------------------------------

// The unit of a plain number with units, like "42.3 deg".
static void take_unit(Reader *reader, const Node *node, const char *text, SpragSceneVariable *about)
{
    Value one;
    while (*text == ' ')
        text++;
    text += *text == '-' || *text == '+';
    size_t length = number_length(text);
    if (length == 0)
        return;
    text += length;
    while (*text == ' ')
        text++;
    char literal[NUMBER_BYTES] = "1 ";
    if (!*text || strlen(text) >= sizeof about->unit_name)
        return;
    memcpy(literal + 2, text, strlen(text) + 1);
    Formula f = {reader, node, "unit", literal, literal, NULL};
    if (read_literal(&f, 1, &one) != SPRAG_OK || *f.at || one.state != VALUE_UNIT)
        return;
    about->unit = one.number;
    memcpy(about->unit_name, text, strlen(text) + 1);
}

static SpragStatus look_at_range(SpragSceneSource *source, const Node *whole, Variable *variable)
{
    const Node *ends[] = {node_get(whole, "from"), node_get(whole, "to")};
    Reader *reader = &source->reader;
    Value value;
    if (!ends[0] || !ends[1] || ends[0]->kind != NODE_SCALAR || ends[1]->kind != NODE_SCALAR)
        return SPRAG_OK; // what is wrong there is said when a scene is made
    double *numbers[] = {&variable->about.from, &variable->about.to};
    for (int i = 0; i < 2; i++) {
        SPRAG_TRY(expression_evaluate(reader, ends[i], i ? "to" : "from", ends[i]->text, &value));
        *numbers[i] = value.number;
        if (!variable->about.unit_name[0])
            take_unit(reader, ends[i], ends[i]->text, &variable->about);
    }
    variable->about.has_range = true;
    return SPRAG_OK;
}

static SpragStatus look_at_value(SpragSceneSource *source, const Node *before, Variable *variable)
{
    Reader *reader = &source->reader;
    Program program = {0};
    if (node_get(before, "table"))
        return SPRAG_OK; // over time: any number may stand for it
    if (before->kind != NODE_SCALAR || node_is_empty(before))
        return fail_at(reader, before, "%s must be a number to be varied, got %s", variable->path,
                       shown_node(reader, before));
    // a formula of t is what it is at the start
    SpragStatus status =
        expression_compile(reader, before, variable->path, before->text, &variable->kind, &program);
    sprag_free(reader->context, program.operations);
    SPRAG_TRY(status);
    variable->about.has_value = true;
    variable->about.value = variable->kind.number;
    take_unit(reader, before, before->text, &variable->about);
    return SPRAG_OK;
}

SpragStatus sprag_scene_source_add_variable(SpragSceneSource *source, const char *path)
{
    Reader *reader = &source->reader;
    if (source->variable_count == MOST_VARIABLES || source->marked)
        return sprag_fail(reader->context, SPRAG_ERROR_ARGUMENT,
                          "at most %d variables, before the first scene", MOST_VARIABLES);
    for (int i = 0; i < source->variable_count; i++)
        if (strcmp(source->variables[i].path, path) == 0)
            return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s: %s is varied twice",
                              source->name, path);
    Variable *variable = &source->variables[source->variable_count];
    *variable = (Variable){.about.unit = 1};
    Node *node = node_create(reader, NODE_SCALAR, NULL, 0, 0), *before;
    if (!node)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(parameters_collect(reader));
    const Node *whole = find_parameter_node(reader, path);
    SPRAG_TRY(replace_node(reader, path, node, &before));
    variable->path = node->origin;
    variable->node = node;
    snprintf(variable->text, sizeof variable->text, "1");
    node->text = variable->text;
    if (before)
        SPRAG_TRY(look_at_value(source, before, variable));
    if (whole && whole->kind == NODE_MAPPING)
        SPRAG_TRY(look_at_range(source, whole, variable));
    node->varies = UINT32_C(1) << source->variable_count;
    variable->value = variable->kind;
    node->given = &variable->value;
    source->variable_count++;
    return SPRAG_OK;
}

const SpragSceneVariable *sprag_scene_source_variable(const SpragSceneSource *source, int variable)
{
    return &source->variables[variable].about;
}

SpragStatus sprag_scene_source_read_values(SpragSceneSource *source, int index, int count,
                                           const char *const *texts, double *numbers)
{
    Reader *reader = &source->reader;
    Variable *variable = &source->variables[index];
    Value last = {0}, value;
    for (int i = count - 1; i >= 0; i--) {
        char *text = sprag_arena_alloc(reader->arena, strlen(texts[i]) + 1, 1);
        Node *node = node_create(reader, NODE_SCALAR, variable->path, 0, 0);
        if (!text || !node)
            return SPRAG_ERROR_MEMORY;
        memcpy(text, texts[i], strlen(texts[i]) + 1);
        node->text = text;
        if (node_is_empty(node))
            return fail_at(reader, node, "a number is missing");
        SPRAG_TRY(expression_evaluate(reader, node, "a range", text, &value));
        numbers[i] = value.number;
        if (i == count - 1) {
            last = value;
            take_unit(reader, node, text, &variable->about);
        } else if (value.state == VALUE_PLAIN && last.state == VALUE_UNIT) {
            numbers[i] *= variable->about.unit;
        } else if (value.state == VALUE_UNIT && last.state == VALUE_UNIT &&
                   !dimension_equal(value.dimension, last.dimension)) {
            return fail_at(reader, node, "the ends of the range differ in kind: %s and %s",
                           dimension_name(reader, value.dimension),
                           dimension_name(reader, last.dimension));
        } else if (value.state == VALUE_UNIT && last.state == VALUE_PLAIN) {
            last = value;
        }
    }
    if (count > 0 && !(last.state == VALUE_PLAIN && variable->kind.state == VALUE_UNIT))
        variable->kind = last;
    return SPRAG_OK;
}

// ---- Scenes -------------------------------------------------------------------------------------

static void begin_walk(SpragSceneSource *source)
{
    Reader *reader = &source->reader;
    sprag_arena_release(reader->arena, source->mark);
    reader->node_count = source->node_count;
    reader->root = source->root;
    reader->model = NULL;
    reader->parameters = NULL;
    reader->parts = reader->last_part = NULL;
    reader->parameter_count = reader->expression_depth = 0;
    reader->keeps = !source->repeats;
    reader->varied = 0;
    reader->again = false;
    reader->lenient = true;
}

static SpragStatus expand_copy(SpragSceneSource *source)
{
    Reader *reader = &source->reader;
    begin_walk(source);
    SPRAG_TRY(node_copy(reader, source->root, source->root, 0, NULL, &reader->root));
    SPRAG_TRY(parameters_collect(reader));
    return expand_repeats(reader);
}

// Keeps the tree with its repeats written out, if it does not depend on the variables. What is
// wrong with it is said when a scene is made.
static void keep_repeats(SpragSceneSource *source)
{
    Reader *reader = &source->reader;
    source->expanded = true;
    if (expand_copy(source) != SPRAG_OK || (reader->varied & ~VARIES_IN_COPIES))
        return;
    source->repeats = false;
    source->root = reader->root;
    source->mark = sprag_arena_mark(reader->arena);
    source->node_count = reader->node_count;
}

static SpragStatus interpret(SpragSceneSource *source, SpragScene **scene)
{
    Reader *reader = &source->reader;
    begin_walk(source);
    if (source->repeats)
        SPRAG_TRY(node_copy(reader, source->root, source->root, 0, NULL, &reader->root));
    reader->scene = sprag_alloc(reader->context, 1, sizeof *reader->scene);
    if (!reader->scene)
        return SPRAG_ERROR_MEMORY;
    reader->scene->context = reader->context;
    SpragStatus status = reader_interpret(reader);
    if (status == SPRAG_OK)
        *scene = reader->scene;
    else
        sprag_scene_destroy(reader->scene);
    reader->scene = NULL;
    return status;
}

static void set_values(SpragSceneSource *source, const double *values)
{
    for (int i = 0; i < source->variable_count; i++) {
        Variable *variable = &source->variables[i];
        variable->value = variable->kind;
        variable->value.number = values[i];
    }
}

// What messages show for the variables: their values; NULL: what stands for a number otherwise.
static void show_values(SpragSceneSource *source, const double *values)
{
    for (int i = 0; i < source->variable_count; i++) {
        Variable *variable = &source->variables[i];
        snprintf(variable->text, sizeof variable->text, "%.9g", values ? values[i] : 1);
    }
}

SpragStatus sprag_scene_source_build(SpragSceneSource *source, const double *values,
                                     SpragScene **scene)
{
    *scene = NULL;
    source->scene = NULL;
    if (!source->marked) {
        source->mark = sprag_arena_mark(source->reader.arena);
        source->node_count = source->reader.node_count;
        source->marked = true;
    }
    set_values(source, values);
    if (source->repeats && !source->expanded)
        keep_repeats(source);
    SpragStatus status = interpret(source, scene);
    if (status == SPRAG_OK && !source->repeats) {
        source->scene = *scene;
        source->scene_mark = sprag_arena_mark(source->reader.arena);
        source->fixed = source->reader.varied & ~VARIES_IN_COPIES;
    }
    if (status != SPRAG_ERROR_INPUT && status != SPRAG_ERROR_LIMIT)
        return status;
    // once more, so that the message shows the numbers
    show_values(source, values);
    status = interpret(source, scene);
    show_values(source, NULL);
    return status;
}

// ---- The same scene with other values -----------------------------------------------------------

static uint32_t find_changed(const SpragSceneSource *source, const double *values)
{
    uint32_t changed = 0;
    for (int i = 0; i < source->variable_count; i++)
        // 0 and −0 are two numbers here: 1/x tells them apart
        if (source->variables[i].value.number != values[i] ||
            signbit(source->variables[i].value.number) != signbit(values[i]))
            changed |= UINT32_C(1) << i;
    return changed;
}

static SpragStatus update(SpragSceneSource *source, SpragScene *scene, uint32_t changed,
                          SpragSceneChange *change)
{
    Reader *reader = &source->reader;
    sprag_arena_release(reader->arena, source->scene_mark);
    reader->expression_depth = 0;
    reader->varied = 0;
    parameters_renew(reader, changed);
    reader->scene = scene;
    SpragStatus status = update_parts(reader, changed, change);
    reader->scene = NULL;
    return status;
}

SpragStatus sprag_scene_source_update(SpragSceneSource *source, const double *values,
                                      SpragScene *scene, SpragSceneChange *change)
{
    uint32_t changed = find_changed(source, values);
    bool can = scene && source->scene == scene && !(source->fixed & changed) &&
               (scene->kind == SPRAG_SCENE_MODEL || scene->kind == SPRAG_SCENE_CONTACT);
    *change = SPRAG_SCENE_OTHER;
    if (!can)
        return SPRAG_OK;
    set_values(source, values);
    source->scene = NULL;
    SpragStatus status = update(source, scene, changed, change);
    if (status == SPRAG_ERROR_MEMORY)
        return status;
    // whatever else is wrong is found again, and said with its place, when the scene is built anew
    if (status != SPRAG_OK)
        *change = SPRAG_SCENE_OTHER;
    else
        source->scene = scene;
    return SPRAG_OK;
}

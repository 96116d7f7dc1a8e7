// value.c: typed values of nodes: numbers of a kind and range, lists, words, names; keys.
#include <math.h>
#include <string.h>

#include "scene_private.h"

Dimension kind_dimension(Kind kind)
{
    static const Dimension dimensions[] = {
        [KIND_NUMBER] = {0, 0, 0, 0},     [KIND_ANGLE] = {0, 0, 0, 1},
        [KIND_LENGTH] = {1, 0, 0, 0},     [KIND_TIME] = {0, 0, 1, 0},
        [KIND_MASS] = {0, 1, 0, 0},       [KIND_DENSITY] = {-2, 1, 0, 0},
        [KIND_INERTIA] = {2, 1, 0, 0},    [KIND_VELOCITY] = {1, 0, -1, 0},
        [KIND_SPIN] = {0, 0, -1, 1},      [KIND_ACCELERATION] = {1, 0, -2, 0},
        [KIND_FORCE] = {1, 1, -2, 0},     [KIND_TORQUE] = {2, 1, -2, 0},
        [KIND_STIFFNESS] = {0, 1, -2, 0}, [KIND_DAMPING] = {0, 1, -1, 0},
        [KIND_PRESSURE] = {-1, 1, -2, 0}, [KIND_ALPHA] = {-1, 0, 1, 0},
        [KIND_ANY] = {0, 0, 0, 0},
    };
    return dimensions[kind];
}

static SpragStatus check_range(Reader *reader, const Node *node, const char *what, Range range,
                               double number)
{
    static const char *const wanted[] = {"", "a number ≥ 0", "a number > 0", "in 0 … 1"};
    bool inside = range == RANGE_ALL || (range == RANGE_NOT_NEGATIVE && number >= 0) ||
                  (range == RANGE_POSITIVE && number > 0) ||
                  (range == RANGE_UNIT && number >= 0 && number <= 1);
    if (inside && fabs(number) <= SPRAG_MODEL_LARGEST)
        return SPRAG_OK;
    bool literal = strspn(node->text, "0123456789+-.eE") == strlen(node->text);
    if (!inside && !literal)
        return fail_at(reader, node, "%s must be %s, got %s = %g", what, wanted[range],
                       shown(reader, node->text), number);
    if (!inside)
        return fail_at(reader, node, "%s must be %s, got %s", what, wanted[range],
                       shown(reader, node->text));
    return fail_at(reader, node, "%s must be at most 1e30 in size, got %s", what,
                   shown(reader, node->text));
}

static SpragStatus evaluate(Reader *reader, const Node *node, const char *what, Value *value)
{
    if (node->kind != NODE_SCALAR || node_is_empty(node))
        return fail_at(reader, node, "%s must be a number, got %s", what, shown_node(reader, node));
    return expression_evaluate(reader, node, what, node->text, value);
}

static SpragStatus accept_quantity(Reader *reader, const Node *node, const char *what,
                                   Dimension dimension, Range range, const Value *given_value,
                                   double *number)
{
    Value value = *given_value;
    if (value.state == VALUE_UNIT) {
        bool pure = dimension.length == 0 && dimension.mass == 0 && dimension.time == 0;
        Dimension given = value.dimension;
        if (!pure) // the radian counts only where nothing else tells the kind
            given.angle = dimension.angle;
        if (value.timed) {
            given.time = dimension.time;
            if (given.angle == 0) // 2*pi*3 Hz*t
                given.angle = dimension.angle;
        }
        if (!dimension_equal(given, dimension))
            return fail_at(reader, node, "%s must be %s, got %s, %s", what,
                           dimension_name(reader, dimension), shown(reader, node->text),
                           dimension_name(reader, value.dimension));
    }
    SPRAG_TRY(check_range(reader, node, what, range, value.number));
    *number = value.number;
    return SPRAG_OK;
}

SpragStatus accept_value(Reader *reader, const Node *node, const char *what, Kind kind, Range range,
                         const Value *value, double *number)
{
    if (kind != KIND_ANY)
        return accept_quantity(reader, node, what, kind_dimension(kind), range, value, number);
    SPRAG_TRY(check_range(reader, node, what, range, value->number));
    *number = value->number;
    return SPRAG_OK;
}

SpragStatus read_quantity(Reader *reader, const Node *node, const char *what, Dimension dimension,
                          Range range, double *number)
{
    Value value;
    SPRAG_TRY(evaluate(reader, node, what, &value));
    return accept_quantity(reader, node, what, dimension, range, &value, number);
}

SpragStatus read_number(Reader *reader, const Node *node, const char *what, Kind kind, Range range,
                        double *number)
{
    Value value;
    SPRAG_TRY(evaluate(reader, node, what, &value));
    return accept_value(reader, node, what, kind, range, &value, number);
}

SpragStatus read_optional(Reader *reader, const Node *mapping, const char *what, Kind kind,
                          Range range, double *number)
{
    const Node *node = node_get(mapping, what);
    return node ? read_number(reader, node, what, kind, range, number) : SPRAG_OK;
}

SpragStatus read_numbers(Reader *reader, const Node *node, const char *what, Kind kind, int count,
                         double *numbers)
{
    if (node->kind != NODE_SEQUENCE)
        return fail_at(reader, node, "%s must be a list of %d number%s, got %s", what, count,
                       count == 1 ? "" : "s", shown_node(reader, node));
    if (node->count != count)
        return fail_at(reader, node, "%s must be a list of %d number%s, got %d", what, count,
                       count == 1 ? "" : "s", node->count);
    for (int i = 0; i < count; i++)
        SPRAG_TRY(read_number(reader, node->items[i], what, kind, RANGE_ALL, &numbers[i]));
    return SPRAG_OK;
}

SpragStatus read_vec2(Reader *reader, const Node *node, const char *what, Kind kind, SpragVec2 *v)
{
    double numbers[2];
    SPRAG_TRY(read_numbers(reader, node, what, kind, 2, numbers));
    *v = sprag_vec2(numbers[0], numbers[1]);
    return SPRAG_OK;
}

SpragStatus read_vec3(Reader *reader, const Node *node, const char *what, Kind kind, SpragVec3 *v)
{
    double entries[3] = {0};
    SPRAG_TRY(read_numbers(reader, node, what, kind, reader->model->dimension, entries));
    *v = sprag_vec3_of(entries);
    return SPRAG_OK;
}

SpragStatus read_bool(Reader *reader, const Node *node, const char *what, bool *value)
{
    bool yes = node->kind == NODE_SCALAR && strcmp(node->text, "true") == 0;
    bool no = node->kind == NODE_SCALAR && strcmp(node->text, "false") == 0;
    if (!yes && !no)
        return fail_at(reader, node, "%s must be true or false, got %s", what,
                       shown_node(reader, node));
    *value = yes;
    return SPRAG_OK;
}

SpragStatus read_text(Reader *reader, const Node *node, const char *what, const char **text)
{
    if (node->kind != NODE_SCALAR || node_is_empty(node))
        return fail_at(reader, node, "%s must be a text, got %s", what, shown_node(reader, node));
    *text = node->text;
    return SPRAG_OK;
}

SpragStatus read_name(Reader *reader, const Node *node, const char **name)
{
    SPRAG_TRY(read_text(reader, node, "name", name));
    const char *fault = sprag_name_fault(*name);
    if (fault)
        return fail_at(reader, node, "the name \"%s\" %s", shown(reader, *name), fault);
    return SPRAG_OK;
}

SpragStatus read_word(Reader *reader, const Node *node, const char *what, const char *const *words,
                      int count, int *index)
{
    const char *word;
    SPRAG_TRY(read_text(reader, node, what, &word));
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], word) == 0)
            return SPRAG_OK;
    SpragText list;
    sprag_text_init(&list, reader->context);
    for (int i = 0; i < count; i++)
        sprag_text_add(&list, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", words[i]);
    SpragStatus status = list.failed ? SPRAG_ERROR_MEMORY
                                     : fail_at(reader, node, "%s must be %s, got %s", what,
                                               list.bytes, shown_node(reader, node));
    sprag_text_destroy(&list);
    return status;
}

SpragStatus need_mapping(Reader *reader, const Node *node, const char *what)
{
    if (node->kind != NODE_MAPPING)
        return fail_at(reader, node, "%s must be a mapping (key: value), got %s", what,
                       shown_node(reader, node));
    return SPRAG_OK;
}

SpragStatus need_sequence(Reader *reader, const Node *node, const char *what)
{
    if (node->kind != NODE_SEQUENCE)
        return fail_at(reader, node, "%s must be a list, got %s", what, shown_node(reader, node));
    return SPRAG_OK;
}

// With the nearest known key, or all of them where none is near.
static SpragStatus refuse_key(Reader *reader, const Node *key, const char *const *keys, int count)
{
    const char *nearest = suggestion(reader, key->text, keys, count);
    SpragText list;
    sprag_text_init(&list, reader->context);
    for (int i = 0; i < count && !*nearest; i++)
        sprag_text_add(&list, "%s%s", i == 0 ? "; known here: " : ", ", keys[i]);
    SpragStatus status =
        list.failed ? SPRAG_ERROR_MEMORY
                    : fail_at(reader, key, "unknown key \"%s\"%s%s", shown(reader, key->text),
                              nearest, list.bytes ? list.bytes : "");
    sprag_text_destroy(&list);
    return status;
}

SpragStatus check_keys(Reader *reader, const Node *node, const char *what, const char *const *keys)
{
    SPRAG_TRY(need_mapping(reader, node, what));
    if (node->checked == keys)
        return SPRAG_OK;
    int count = 0;
    while (keys[count])
        count++;
    for (int i = 0; i < node->count; i++) {
        const char *key = node->keys[i]->text;
        bool known = strncmp(key, "x-", 2) == 0;
        for (int k = 0; k < count && !known; k++)
            known = strcmp(key, keys[k]) == 0;
        if (!known)
            return refuse_key(reader, node->keys[i], keys, count);
    }
    if (reader->keeps)
        ((Node *)node)->checked = keys; // the tree belongs to the reader
    return SPRAG_OK;
}

SpragStatus not_supported(Reader *reader, const Node *node, const char *what)
{
    return fail_at(reader, node, "%s is not supported in this version", what);
}

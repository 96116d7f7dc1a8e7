// repeat.c: copies of list entries: {name: box$(i), repeat: {i: 10}, …} becomes ten entries.
// In a copy $(formula) inside a text becomes its whole number, and formulas know the variables.
// Several variables run through all combinations, the last one fastest; a count knows the variables
// before it: {i: n, k: n-i} is a triangle.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

enum { MAX_REPEATS = 100000 };

typedef struct NodeList {
    Node **items;
    size_t count, capacity;
} NodeList;

static SpragStatus append_node(Reader *reader, NodeList *list, Node *node)
{
    SPRAG_TRY(sprag_reserve(reader->context, &list->items, &list->capacity, list->count + 1,
                            sizeof *list->items));
    list->items[list->count++] = node;
    return SPRAG_OK;
}

// Replaces $(…) in a text by whole numbers.
static SpragStatus substitute(Reader *reader, Node *node)
{
    SpragText text;
    sprag_text_init(&text, reader->context);
    SpragStatus status = SPRAG_OK;
    const char *at = node->text;
    for (const char *start; (start = strstr(at, "$(")) != NULL;) {
        const char *end = strchr(start, ')');
        char formula[128];
        size_t length = end ? (size_t)(end - start) - 2 : sizeof formula;
        if (length >= sizeof formula) {
            status = fail_at(reader, node, "\"%s\" needs $(formula)", shown(reader, node->text));
            goto cleanup;
        }
        memcpy(formula, start + 2, length);
        formula[length] = 0;
        Value value;
        SPRAG_TRY_CLEANUP(expression_evaluate(reader, node, "repeat", formula, &value));
        sprag_text_add_bytes(&text, at, (size_t)(start - at));
        sprag_text_add(&text, "%.15g", value.number);
        at = end + 1;
    }
    if (at == node->text)
        goto cleanup;
    sprag_text_add(&text, "%s", at);
    char *copy = text.failed ? NULL : sprag_arena_alloc(reader->arena, text.length + 1, 1);
    status = copy ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    if (copy) {
        memcpy(copy, text.bytes, text.length);
        node->text = copy;
    }
cleanup:
    sprag_text_destroy(&text);
    return status;
}

// An entry below with a repeat of its own waits for its own variables.
static SpragStatus substitute_all(Reader *reader, Node *node)
{
    if (node->kind == NODE_SCALAR)
        return substitute(reader, node);
    if (node_get(node, "repeat"))
        return SPRAG_OK;
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(substitute_all(reader, node->items[i]));
    return SPRAG_OK;
}

static void drop_key(Node *mapping, const char *key)
{
    int kept = 0;
    for (int i = 0; i < mapping->count; i++) {
        if (strcmp(mapping->keys[i]->text, key) == 0)
            continue;
        mapping->keys[kept] = mapping->keys[i];
        mapping->items[kept++] = mapping->items[i];
    }
    mapping->count = kept;
}

// Copies of an entry for all values of the variables from number `variable` on.
static SpragStatus copy_entry(Reader *reader, const Node *entry, int variable, const Scope *scope,
                              NodeList *list)
{
    const Node *repeat = node_get(entry, "repeat");
    if (variable == repeat->count) {
        Node *copy;
        SPRAG_TRY(node_copy(reader, entry, entry, 0, scope, &copy));
        drop_key(copy, "repeat");
        SPRAG_TRY(substitute_all(reader, copy));
        return append_node(reader, list, copy);
    }
    const char *name = repeat->keys[variable]->text;
    Node formula = *repeat->items[variable];
    formula.scope = scope;
    double count;
    SPRAG_TRY(read_number(reader, &formula, name, KIND_NUMBER, RANGE_NOT_NEGATIVE, &count));
    if (count != floor(count) || count > MAX_REPEATS)
        return fail_at(reader, repeat->items[variable],
                       "repeat takes whole numbers of at most %d, got %s", MAX_REPEATS,
                       shown(reader, repeat->items[variable]->text));
    for (int i = 0; i < (int)count; i++) {
        Scope *inner = sprag_arena_alloc(reader->arena, 1, sizeof *inner);
        if (!inner)
            return SPRAG_ERROR_MEMORY;
        inner->outer = scope;
        inner->name = name;
        inner->value = i;
        SPRAG_TRY(copy_entry(reader, entry, variable + 1, inner, list));
    }
    return SPRAG_OK;
}

SpragStatus expand_list(Reader *reader, Node *list)
{
    NodeList expanded = {0};
    SpragStatus status = SPRAG_OK;
    bool found = false;
    for (int i = 0; i < list->count; i++) {
        Node *entry = list->items[i];
        const Node *repeat = node_get(entry, "repeat");
        if (!repeat) {
            SPRAG_TRY_CLEANUP(append_node(reader, &expanded, entry));
            continue;
        }
        found = true;
        SPRAG_TRY_CLEANUP(need_mapping(reader, repeat, "repeat"));
        SPRAG_TRY_CLEANUP(copy_entry(reader, entry, 0, entry->scope, &expanded));
    }
    if (!found)
        goto cleanup;
    list->items = sprag_arena_alloc(reader->arena, expanded.count, sizeof(Node *));
    if (!list->items) {
        list->count = 0;
        status = SPRAG_ERROR_MEMORY;
        goto cleanup;
    }
    if (expanded.count > 0)
        memcpy(list->items, expanded.items, expanded.count * sizeof(Node *));
    list->count = (int)expanded.count;
cleanup:
    sprag_free(reader->context, expanded.items);
    return status;
}

// The depth of the tree is bounded, and with it this recursion.
static SpragStatus expand_below(Reader *reader, Node *node)
{
    if (node->kind == NODE_SEQUENCE)
        SPRAG_TRY(expand_list(reader, node));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(expand_below(reader, node->items[i]));
    return SPRAG_OK;
}

SpragStatus expand_repeats(Reader *reader)
{
    return expand_below(reader, reader->root);
}

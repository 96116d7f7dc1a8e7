// node.c: the tree of a file. All nodes live in the reader's arena; their number is bounded.
#include <string.h>

#include "scene_private.h"

Node *node_create(Reader *reader, NodeKind kind, const char *origin, int line, int column)
{
    Node *node = sprag_arena_alloc(reader->arena, 1, sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->origin = origin;
    node->include = reader->including;
    node->line = line;
    node->column = column;
    node->text = "";
    reader->node_count++;
    return node;
}

SpragStatus node_copy(Reader *reader, const Node *where, const Node *node, int depth,
                      const Scope *scope, Node **copy)
{
    if (reader->node_count >= MAX_NODES)
        return fail_at(reader, where,
                       "with all aliases and repeats written out the file has more than %d values",
                       MAX_NODES);
    if (depth > MAX_DEPTH)
        return fail_at(reader, where, "values are nested more than %d levels deep", MAX_DEPTH);
    Node *created = node_create(reader, node->kind, node->origin, node->line, node->column);
    *copy = created;
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->include = node->include;
    created->quoted = node->quoted;
    created->text = node->text;
    created->scope = scope ? scope : node->scope;
    created->varies = node->varies;
    created->given = node->given;
    if (node->kind == NODE_SCALAR || node->count == 0)
        return SPRAG_OK;
    size_t count = (size_t)node->count;
    created->items = sprag_arena_alloc(reader->arena, count, sizeof(Node *));
    created->keys = sprag_arena_alloc(reader->arena, count, sizeof(Node *));
    if (!created->items || !created->keys)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < node->count; i++) {
        SPRAG_TRY(node_copy(reader, where, node->items[i], depth + 1, scope, &created->items[i]));
        if (node->kind == NODE_MAPPING)
            created->keys[i] = node->keys[i];
    }
    created->count = node->count;
    return SPRAG_OK;
}

static int find_key(const Node *mapping, const char *key)
{
    if (mapping && mapping->kind == NODE_MAPPING)
        for (int i = 0; i < mapping->count; i++)
            if (mapping->keys[i]->text[0] == key[0] && strcmp(mapping->keys[i]->text, key) == 0)
                return i;
    return -1;
}

Node *node_get(const Node *mapping, const char *key)
{
    int i = find_key(mapping, key);
    return i < 0 ? NULL : mapping->items[i];
}

Node *node_key(const Node *mapping, const char *key)
{
    int i = find_key(mapping, key);
    return i < 0 ? NULL : mapping->keys[i];
}

SpragStatus node_put(Reader *reader, Node *mapping, Node *key, Node *value)
{
    size_t count = (size_t)mapping->count;
    Node **items = sprag_arena_alloc(reader->arena, count + 1, sizeof *items);
    Node **keys = sprag_arena_alloc(reader->arena, count + 1, sizeof *keys);
    if (!items || !keys)
        return SPRAG_ERROR_MEMORY;
    if (count > 0) {
        memcpy(items, mapping->items, count * sizeof *items);
        memcpy(keys, mapping->keys, count * sizeof *keys);
    }
    items[count] = value;
    keys[count] = key;
    mapping->items = items;
    mapping->keys = keys;
    mapping->count++;
    return SPRAG_OK;
}

bool node_is_empty(const Node *node)
{
    return node->kind == NODE_SCALAR && !node->quoted &&
           (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

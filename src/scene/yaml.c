// yaml.c: from text to a tree of nodes with line and column.
// Method    libyaml's events and an explicit stack of open collections. Scalars keep their text:
//           what is a number or a name is decided by who reads it, never by YAML's rules.
//           Aliases become deep copies under a budget of nodes; << merges as in YAML 1.1.
// Refused   tags, directives, a second document, keys that are collections, duplicate keys, depth
//           beyond MAX_DEPTH, bytes that are not UTF-8.
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "scene_private.h"

typedef struct Anchor {
    const char *name;
    Node *node;
    bool open; // its collection is still being read
} Anchor;

typedef struct Frame {
    Node *node;
    size_t first; // of its children in the list of pending nodes
    size_t anchor;
} Frame;

typedef struct Parse {
    Reader *reader;
    const char *origin;
    yaml_parser_t parser;
    Frame frames[MAX_DEPTH + 1];
    int depth;
    Node **pending; // children of the open collections
    size_t pending_count, pending_capacity;
    Anchor *anchors;
    size_t anchor_count, anchor_capacity;
    Node *root;
    int document_count;
} Parse;

enum { MAX_ANCHORS = 1000 };
static const size_t NO_ANCHOR = (size_t)-1;

// A node without content at a mark, for messages.
static Node at_mark(const Parse *parse, yaml_mark_t mark)
{
    Node node = {0};
    node.origin = parse->origin;
    node.include = parse->reader->including;
    node.line = (int)mark.line + 1;
    node.column = (int)mark.column + 1;
    node.text = "";
    return node;
}

static SpragStatus parser_failure(Parse *parse)
{
    const yaml_parser_t *parser = &parse->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return sprag_fail(parse->reader->context, SPRAG_ERROR_MEMORY, "no memory for the file");
    Node where = at_mark(parse, parser->problem_mark);
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (!parser->context)
        return fail_at(parse->reader, &where, "not valid YAML: %s", problem);
    return fail_at(parse->reader, &where, "not valid YAML: %s %s that begins in line %d", problem,
                   parser->context, (int)parser->context_mark.line + 1);
}

// ---- Mappings -----------------------------------------------------------------------------------

// A pair on its way into a mapping; rank 0: written there, else merged (lower goes first).
typedef struct Pair {
    Node *key, *value;
    size_t rank, order;
} Pair;

static int compare_pairs(const void *a, const void *b)
{
    const Pair *p = a, *q = b;
    int text = strcmp(p->key->text, q->key->text);
    if (text != 0)
        return text;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static int compare_order(const void *a, const void *b)
{
    const Pair *p = a, *q = b;
    return p->order < q->order ? -1 : p->order > q->order;
}

typedef struct Pairs {
    Pair *items;
    size_t count, capacity;
} Pairs;

static SpragStatus add_pair(Reader *reader, Pairs *pairs, Node *key, Node *value, size_t rank)
{
    SPRAG_TRY(sprag_reserve(reader->context, &pairs->items, &pairs->capacity, pairs->count + 1,
                            sizeof *pairs->items));
    Pair pair = {key, value, rank, pairs->count};
    pairs->items[pairs->count++] = pair;
    return SPRAG_OK;
}

static SpragStatus merge_one(Reader *reader, Pairs *pairs, const Node *from, size_t rank)
{
    if (from->kind != NODE_MAPPING)
        return fail_at(reader, from, "<< takes a mapping or a list of mappings, got %s",
                       shown_node(reader, from));
    for (int i = 0; i < from->count; i++)
        SPRAG_TRY(add_pair(reader, pairs, from->keys[i], from->items[i], rank));
    return SPRAG_OK;
}

static SpragStatus merge(Reader *reader, Pairs *pairs, const Node *from)
{
    if (from->kind != NODE_SEQUENCE)
        return merge_one(reader, pairs, from, 1);
    for (int i = 0; i < from->count; i++)
        SPRAG_TRY(merge_one(reader, pairs, from->items[i], 1 + (size_t)i));
    return SPRAG_OK;
}

// Drops merged pairs whose key stands there already; a key written twice is an error.
static SpragStatus drop_duplicates(Reader *reader, Pairs *pairs)
{
    if (pairs->count == 0)
        return SPRAG_OK;
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
    size_t kept = 1;
    for (size_t i = 1; i < pairs->count; i++) {
        const Pair *pair = &pairs->items[i], *before = &pairs->items[kept - 1];
        if (strcmp(pair->key->text, before->key->text) != 0)
            pairs->items[kept++] = *pair;
        else if (pair->rank == 0)
            return fail_at(reader, pair->key, "the key \"%s\" is given twice, first in line %d",
                           shown(reader, pair->key->text), before->key->line);
    }
    pairs->count = kept;
    qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_order);
    return SPRAG_OK;
}

static SpragStatus collect_pairs(Reader *reader, Node **children, size_t count, Pairs *pairs)
{
    for (size_t i = 0; i + 1 < count; i += 2) {
        Node *key = children[i], *value = children[i + 1];
        if (key->kind != NODE_SCALAR)
            return fail_at(reader, key, "a key must be a word, got %s", shown_node(reader, key));
        if (strcmp(key->text, "<<") == 0 && !key->quoted)
            SPRAG_TRY(merge(reader, pairs, value));
        else
            SPRAG_TRY(add_pair(reader, pairs, key, value, 0));
    }
    return drop_duplicates(reader, pairs);
}

static SpragStatus finish_mapping(Reader *reader, Node *node, Node **children, size_t count)
{
    Pairs pairs = {0};
    SpragStatus status = collect_pairs(reader, children, count, &pairs);
    if (status != SPRAG_OK)
        goto cleanup;
    node->items = sprag_arena_alloc(reader->arena, pairs.count, sizeof(Node *));
    node->keys = sprag_arena_alloc(reader->arena, pairs.count, sizeof(Node *));
    status = node->items && node->keys ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < pairs.count && status == SPRAG_OK; i++) {
        node->keys[i] = pairs.items[i].key;
        node->items[i] = pairs.items[i].value;
    }
    node->count = (int)pairs.count;
cleanup:
    sprag_free(reader->context, pairs.items);
    return status;
}

static SpragStatus finish_sequence(Reader *reader, Node *node, Node **children, size_t count)
{
    node->items = sprag_arena_alloc(reader->arena, count, sizeof(Node *));
    if (!node->items)
        return SPRAG_ERROR_MEMORY;
    if (count > 0)
        memcpy(node->items, children, count * sizeof(Node *));
    node->count = (int)count;
    return SPRAG_OK;
}

// ---- Events -------------------------------------------------------------------------------------

static SpragStatus push(Parse *parse, Node *node)
{
    if (parse->depth == 0) {
        parse->root = node;
        return SPRAG_OK;
    }
    Reader *reader = parse->reader;
    SPRAG_TRY(sprag_reserve(reader->context, &parse->pending, &parse->pending_capacity,
                            parse->pending_count + 1, sizeof *parse->pending));
    parse->pending[parse->pending_count++] = node;
    return SPRAG_OK;
}

static SpragStatus add_anchor(Parse *parse, const yaml_char_t *name, Node *node, size_t *index)
{
    *index = NO_ANCHOR;
    if (!name)
        return SPRAG_OK;
    Reader *reader = parse->reader;
    if (parse->anchor_count >= MAX_ANCHORS) // aliases search them one by one
        return fail_at(reader, node, "the file has more than %d anchors", MAX_ANCHORS);
    SPRAG_TRY(sprag_reserve(reader->context, &parse->anchors, &parse->anchor_capacity,
                            parse->anchor_count + 1, sizeof *parse->anchors));
    size_t bytes = strlen((const char *)name) + 1;
    char *copy = sprag_arena_alloc(reader->arena, bytes, 1);
    if (!copy)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, name, bytes);
    Anchor anchor = {copy, node, node->kind != NODE_SCALAR};
    *index = parse->anchor_count;
    parse->anchors[parse->anchor_count++] = anchor;
    return SPRAG_OK;
}

static SpragStatus open_node(Parse *parse, NodeKind kind, const yaml_event_t *event,
                             const yaml_char_t *tag, Node **node)
{
    Reader *reader = parse->reader;
    Node where = at_mark(parse, event->start_mark);
    if (tag)
        return fail_at(reader, &where, "tags are not supported, got %s",
                       shown(reader, (const char *)tag));
    if (reader->node_count >= MAX_NODES)
        return fail_at(reader, &where, "the file has more than %d values", MAX_NODES);
    *node = node_create(reader, kind, parse->origin, where.line, where.column);
    return *node ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus on_scalar(Parse *parse, const yaml_event_t *event)
{
    Reader *reader = parse->reader;
    Node *node;
    SPRAG_TRY(open_node(parse, NODE_SCALAR, event, event->data.scalar.tag, &node));
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, 0, length)) // written as "\0"
        return fail_at(reader, node, "a text must not contain a NUL character");
    char *text = sprag_arena_alloc(reader->arena, length + 1, 1);
    if (!text)
        return SPRAG_ERROR_MEMORY;
    memcpy(text, value, length);
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    size_t anchor;
    SPRAG_TRY(add_anchor(parse, event->data.scalar.anchor, node, &anchor));
    return push(parse, node);
}

static SpragStatus on_open(Parse *parse, NodeKind kind, const yaml_event_t *event)
{
    bool mapping = kind == NODE_MAPPING;
    const yaml_char_t *tag =
        mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const yaml_char_t *name =
        mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    Node *node;
    SPRAG_TRY(open_node(parse, kind, event, tag, &node));
    if (parse->depth >= MAX_DEPTH)
        return fail_at(parse->reader, node, "values are nested more than %d levels deep",
                       MAX_DEPTH);
    Frame frame = {node, 0, NO_ANCHOR};
    SPRAG_TRY(add_anchor(parse, name, node, &frame.anchor));
    SPRAG_TRY(push(parse, node));
    frame.first = parse->pending_count;
    parse->frames[parse->depth++] = frame;
    return SPRAG_OK;
}

static SpragStatus on_close(Parse *parse)
{
    Frame frame = parse->frames[--parse->depth];
    size_t count = parse->pending_count - frame.first;
    Node **children = count > 0 ? parse->pending + frame.first : NULL;
    if (frame.anchor != NO_ANCHOR)
        parse->anchors[frame.anchor].open = false;
    SpragStatus status = frame.node->kind == NODE_MAPPING
                             ? finish_mapping(parse->reader, frame.node, children, count)
                             : finish_sequence(parse->reader, frame.node, children, count);
    parse->pending_count = frame.first;
    return status;
}

static SpragStatus on_alias(Parse *parse, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    Node where = at_mark(parse, event->start_mark);
    const Anchor *anchor = NULL;
    for (size_t i = parse->anchor_count; i > 0 && !anchor; i--)
        if (strcmp(parse->anchors[i - 1].name, name) == 0)
            anchor = &parse->anchors[i - 1];
    if (!anchor)
        return fail_at(parse->reader, &where, "there is no anchor &%s before this alias",
                       shown(parse->reader, name));
    if (anchor->open)
        return fail_at(parse->reader, &where, "the alias *%s stands inside its own anchor",
                       shown(parse->reader, name));
    Node *copy;
    SPRAG_TRY(node_copy(parse->reader, &where, anchor->node, parse->depth + 1, NULL, &copy));
    return push(parse, copy);
}

static SpragStatus on_document(Parse *parse, const yaml_event_t *event)
{
    Node where = at_mark(parse, event->start_mark);
    if (event->data.document_start.version_directive ||
        event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
        return fail_at(parse->reader, &where, "directives (%%YAML, %%TAG) are not supported");
    if (++parse->document_count > 1)
        return fail_at(parse->reader, &where, "a second document begins here; a file has one");
    return SPRAG_OK;
}

static SpragStatus on_event(Parse *parse, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(parse, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(parse, event);
    case YAML_ALIAS_EVENT:
        return on_alias(parse, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(parse, NODE_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return on_open(parse, NODE_MAPPING, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(parse);
    default:
        return SPRAG_OK;
    }
}

static SpragStatus run(Parse *parse)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parse->parser, &event))
            return parser_failure(parse);
        more = event.type != YAML_STREAM_END_EVENT;
        SpragStatus status = on_event(parse, &event);
        yaml_event_delete(&event);
        SPRAG_TRY(status);
    }
    return SPRAG_OK;
}

SpragStatus yaml_parse(Reader *reader, const char *origin, const char *text, size_t length,
                       Node **root)
{
    Node where = {.origin = origin, .include = reader->including, .line = 1, .column = 1};
    where.text = "";
    size_t offset;
    const char *why;
    if (text_find_fault(text, length, &offset, &why)) {
        text_position(text, offset, &where.line, &where.column);
        return fail_at(reader, &where, "%s; a file must be UTF-8 text", why);
    }
    Parse *parse = sprag_alloc(reader->context, 1, sizeof *parse);
    if (!parse)
        return SPRAG_ERROR_MEMORY;
    parse->reader = reader;
    parse->origin = origin;
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (!yaml_parser_initialize(&parse->parser)) {
        sprag_fail(reader->context, status, "no memory for the file");
        goto cleanup;
    }
    // with the encoding told libyaml does not skip a byte order mark
    size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    yaml_parser_set_encoding(&parse->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parse->parser, (const unsigned char *)text + mark, length - mark);
    status = run(parse);
    yaml_parser_delete(&parse->parser);
    *root = parse->root;
    if (status == SPRAG_OK && !parse->root)
        status = fail_at(reader, &where, "there is nothing in it");
cleanup:
    sprag_free(reader->context, parse->pending);
    sprag_free(reader->context, parse->anchors);
    sprag_free(reader->context, parse);
    return status;
}

// message.c: messages with a position, texts fit for them, the nearest known word, notes.
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

enum { SHOWN_BYTES = 48, WORD_BYTES = 64 };

static SpragStatus fail_with(Reader *reader, const Node *node, SpragStatus status, const char *text)
{
    if (node && node->origin)
        return sprag_fail(reader->context, status, "--set %s: %s", node->origin, text);
    if (node && node->line > 0)
        return sprag_fail(reader->context, status, "%s:%d:%d: %s", node_file(reader, node),
                          node->line, node->column, text);
    return sprag_fail(reader->context, status, "%s: %s", node_file(reader, node), text);
}

SpragStatus fail_at(Reader *reader, const Node *node, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_with(reader, node, SPRAG_ERROR_INPUT, text);
}

SpragStatus locate(Reader *reader, const Node *node, SpragStatus status)
{
    if (status != SPRAG_ERROR_INPUT && status != SPRAG_ERROR_LIMIT)
        return status;
    char text[1024];
    snprintf(text, sizeof text, "%s", sprag_context_message(reader->context));
    return fail_with(reader, node, status, text);
}

void place_of(const Node *node, int *line, int *column)
{
    bool here = node && !node->origin && !node->include;
    *line = here ? node->line : 0;
    *column = here ? node->column : 0;
}

const char *shown(Reader *reader, const char *text)
{
    size_t length = strlen(text), kept = length;
    if (kept > SHOWN_BYTES) {
        kept = SHOWN_BYTES;
        while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
            kept--; // not inside a character
    }
    char *copy = sprag_arena_alloc(reader->arena, kept + sizeof "…", 1);
    if (!copy)
        return "?";
    memcpy(copy, text, kept);
    for (size_t i = 0; i < kept; i++)
        if ((unsigned char)copy[i] < 0x20 || copy[i] == 0x7f)
            copy[i] = ' ';
    if (kept < length)
        memcpy(copy + kept, "…", sizeof "…");
    return copy;
}

const char *shown_node(Reader *reader, const Node *node)
{
    if (node->kind == NODE_SEQUENCE)
        return "a list";
    if (node->kind == NODE_MAPPING)
        return "a mapping";
    return node_is_empty(node) ? "nothing" : shown(reader, node->text);
}

SpragStatus note(Reader *reader, const char *format, ...)
{
    SpragScene *scene = reader->scene;
    if (reader->keeps) // said at each of many scenes, a note tells nothing
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(reader->context, &scene->notes, &scene->note_capacity,
                            (size_t)scene->note_count + 1, sizeof *scene->notes));
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = sprag_copy_text(reader->context, text);
    if (!copy)
        return SPRAG_ERROR_MEMORY;
    scene->notes[scene->note_count++] = copy;
    return SPRAG_OK;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Number of letters to insert, delete, replace or swap with the next (optimal string alignment).
static size_t edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t rows[3][WORD_BYTES + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(last[j] + 1, now[j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

const char *suggestion(Reader *reader, const char *word, const char *const *candidates, int count)
{
    size_t length = strlen(word), best = WORD_BYTES;
    const char *nearest = NULL;
    if (length > WORD_BYTES)
        return "";
    for (int i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other > WORD_BYTES)
            continue;
        size_t distance = edit_distance(word, length, candidates[i], other);
        // half of the word must be right
        if (distance < best && 2 * distance <= (length > other ? length : other)) {
            best = distance;
            nearest = candidates[i];
        }
    }
    if (!nearest)
        return "";
    size_t bytes = strlen(nearest) + 32;
    char *text = sprag_arena_alloc(reader->arena, bytes, 1);
    if (!text)
        return "";
    snprintf(text, bytes, "; did you mean \"%s\"?", nearest);
    return text;
}

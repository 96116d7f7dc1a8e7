// text.c: text that grows.
#include <stdio.h>
#include <string.h>

#include "sprag/base.h"

void sprag_text_init(SpragText *text, SpragContext *context)
{
    memset(text, 0, sizeof *text);
    text->context = context;
}

void sprag_text_destroy(SpragText *text)
{
    sprag_free(text->context, text->bytes);
    sprag_text_init(text, text->context);
}

static bool reserve(SpragText *text, size_t more)
{
    if (!text->failed && sprag_reserve(text->context, &text->bytes, &text->capacity,
                                       text->length + more + 1, 1) != SPRAG_OK)
        text->failed = true;
    return !text->failed;
}

void sprag_text_add_bytes(SpragText *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

void sprag_text_add(SpragText *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int needed = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (needed >= 0 && reserve(text, (size_t)needed)) {
        vsnprintf(text->bytes + text->length, (size_t)needed + 1, format, again);
        text->length += (size_t)needed;
    }
    va_end(again);
}

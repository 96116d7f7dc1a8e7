// text.c: text that grows, and how it gets into a file.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

// ---- Files --------------------------------------------------------------------------------------

static bool write_whole(const SpragText *text, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(text->bytes ? text->bytes : "", 1, text->length, file) == text->length;
    int reason = errno;
    bool closed = fclose(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

SpragStatus sprag_text_save(const SpragText *text, const char *path)
{
    struct stat about;
    SpragText part;
    if (text->failed)
        return SPRAG_ERROR_MEMORY;
    bool in_place = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    sprag_text_init(&part, text->context);
    sprag_text_add(&part, in_place ? "%s" : "%s.part", path);
    SpragStatus status = part.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
    if (status == SPRAG_OK &&
        (!write_whole(text, part.bytes) || (!in_place && rename(part.bytes, path) != 0))) {
        status = sprag_fail(text->context, SPRAG_ERROR_WRITE, "%s: cannot write: %s", path,
                            strerror(errno));
        if (!in_place)
            remove(part.bytes);
    }
    sprag_text_destroy(&part);
    return status;
}

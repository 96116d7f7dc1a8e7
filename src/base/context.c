// context.c: status names, the context with its message and allocator, overflow-checked memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/base.h"

enum { CONTEXT_COOKIE = 0x53507267, MESSAGE_BYTES = 2048 };

struct SpragContext {
    SpragContextSettings settings;
    uint64_t allocation_count;
    char message[MESSAGE_BYTES];
};

const char *sprag_status_name(SpragStatus status)
{
    static const char *const names[] = {
#define NAME(name, text) #name,
        SPRAG_STATUS_LIST(NAME)
#undef NAME
    };
    return (unsigned)status < SPRAG_STATUS_COUNT ? names[status] : "?";
}

const char *sprag_status_text(SpragStatus status)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        SPRAG_STATUS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)status < SPRAG_STATUS_COUNT ? texts[status] : "?";
}

const char *sprag_version(void)
{
    return SPRAG_VERSION;
}

static void *library_allocator(void *pointer, size_t size, void *user)
{
    (void)user;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, size);
}

SpragContextSettings sprag_context_default(void)
{
    SpragContextSettings settings = {0};
    settings.allocator = library_allocator;
    settings.cookie = CONTEXT_COOKIE;
    return settings;
}

SpragStatus sprag_context_create(const SpragContextSettings *settings, SpragContext **context)
{
    SpragContextSettings chosen = settings ? *settings : sprag_context_default();
    *context = NULL;
    if (chosen.cookie != CONTEXT_COOKIE)
        return SPRAG_ERROR_ARGUMENT;
    if (!chosen.allocator)
        chosen.allocator = library_allocator;
    SpragContext *created = chosen.allocator(NULL, sizeof *created, chosen.allocator_user);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    memset(created, 0, sizeof *created);
    created->settings = chosen;
    *context = created;
    return SPRAG_OK;
}

void sprag_context_destroy(SpragContext *context)
{
    if (context)
        context->settings.allocator(context, 0, context->settings.allocator_user);
}

const char *sprag_context_message(const SpragContext *context)
{
    return context->message;
}

uint64_t sprag_context_allocation_count(const SpragContext *context)
{
    return context->allocation_count;
}

SpragStatus sprag_fail_list(SpragContext *context, SpragStatus status, const char *format,
                            va_list arguments)
{
    // the arguments may point into the old message, hence the copy
    char message[MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, arguments);
    memcpy(context->message, message, sizeof message);
    return status;
}

SpragStatus sprag_fail(SpragContext *context, SpragStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sprag_fail_list(context, status, format, arguments);
    va_end(arguments);
    return status;
}

void sprag_log(SpragContext *context, SpragLogLevel level, const char *format, ...)
{
    if (!context->settings.logger)
        return;
    char text[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->settings.logger(level, text, context->settings.logger_user);
}

// Grows or allocates without zeroing; NULL with a message on failure.
static void *allocate(SpragContext *context, void *pointer, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        sprag_fail(context, SPRAG_ERROR_LIMIT, "a size of %zu × %zu bytes is too large", count,
                   size);
        return NULL;
    }
    const SpragContextSettings *settings = &context->settings;
    context->allocation_count++;
    void *memory = settings->allocator(pointer, bytes ? bytes : 1, settings->allocator_user);
    if (!memory)
        sprag_fail(context, SPRAG_ERROR_MEMORY, "no memory for %zu bytes", bytes);
    return memory;
}

void *sprag_alloc(SpragContext *context, size_t count, size_t size)
{
    void *memory = allocate(context, NULL, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

void sprag_free(SpragContext *context, void *pointer)
{
    if (pointer)
        context->settings.allocator(pointer, 0, context->settings.allocator_user);
}

char *sprag_copy_text(SpragContext *context, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = allocate(context, NULL, bytes, 1);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

SpragStatus sprag_reserve(SpragContext *context, void *pointer_to_pointer, size_t *capacity,
                          size_t count, size_t size)
{
    if (count <= *capacity)
        return SPRAG_OK;
    size_t grown = *capacity ? *capacity : 8;
    while (grown < count) {
        if (grown > SIZE_MAX / 2)
            return sprag_fail(context, SPRAG_ERROR_LIMIT, "a list of %zu items is too long", count);
        grown *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow(grown, size, &bytes) || bytes > PTRDIFF_MAX)
        return sprag_fail(context, SPRAG_ERROR_LIMIT, "a list of %zu items is too long", count);
    void *old;
    memcpy(&old, pointer_to_pointer, sizeof old);
    char *memory = allocate(context, old, grown, size);
    if (!memory)
        return SPRAG_ERROR_MEMORY;
    memset(memory + *capacity * size, 0, (grown - *capacity) * size);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    *capacity = grown;
    return SPRAG_OK;
}

// allocator.h: an allocator that counts what lives and fails on demand.
#ifndef SPRAG_TESTS_SUPPORT_ALLOCATOR_H
#define SPRAG_TESTS_SUPPORT_ALLOCATOR_H

#include "support/test.h"

typedef struct CountingAllocator {
    long live;    // blocks not freed yet
    long calls;   // requests for memory so far
    long fail_at; // number of the request that fails, from 0; −1: none
} CountingAllocator;

static inline void *counting_allocator(void *pointer, size_t size, void *user)
{
    CountingAllocator *counter = user;
    if (size == 0) {
        counter->live -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    if (counter->calls++ == counter->fail_at)
        return NULL;
    void *memory = realloc(pointer, size);
    counter->live += !pointer && memory;
    return memory;
}

static inline SpragStatus counting_context(CountingAllocator *counter, SpragContext **context)
{
    SpragContextSettings settings = sprag_context_default();
    settings.allocator = counting_allocator;
    settings.allocator_user = counter;
    return sprag_context_create(&settings, context);
}

#endif

// allocator.h: an allocator that counts what lives and fails on demand.
#ifndef SPRAG_TESTS_SUPPORT_ALLOCATOR_H
#define SPRAG_TESTS_SUPPORT_ALLOCATOR_H

#include "support/test.h"

typedef struct CountingAllocator {
    long live;     // blocks not freed yet
    long calls;    // requests for memory so far
    long fail_at;  // number of the request that fails, from 0; −1: none
    bool for_good; // and all after it fail
} CountingAllocator;

static inline void *counting_allocator(void *pointer, size_t size, void *user)
{
    CountingAllocator *counter = user;
    if (size == 0) {
        counter->live -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    long call = counter->calls++;
    if (call == counter->fail_at ||
        (counter->for_good && counter->fail_at >= 0 && call > counter->fail_at))
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

// From now on requests succeed `allowed` times, and then never again; negative: always.
static inline void starve(CountingAllocator *counter, long allowed)
{
    counter->fail_at = allowed < 0 ? -1 : counter->calls + allowed;
    counter->for_good = true;
}

// A context that is given memory `allowed` times, its own included.
static inline SpragContext *starved_context(CountingAllocator *counter, long allowed)
{
    SpragContext *context;
    *counter = (CountingAllocator){0};
    starve(counter, allowed);
    assert_int_equal(counting_context(counter, &context), SPRAG_OK);
    return context;
}

#endif

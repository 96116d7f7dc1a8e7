// searches.h: the fixture of tests that search for motions.
#ifndef SPRAG_TEST_SEARCHES_H
#define SPRAG_TEST_SEARCHES_H

#include "support/test.h"

typedef struct World {
    SpragContext *context;
    SpragMotionSearch *search;
} World;

static inline int setup(void **state)
{
    World *world = malloc(sizeof *world);
    world->context = test_context();
    assert_ok(world->context, sprag_motion_search_create(world->context, &world->search));
    *state = world;
    return 0;
}

static inline int teardown(void **state)
{
    World *world = *state;
    sprag_motion_search_destroy(world->search);
    sprag_context_destroy(world->context);
    free(world);
    return 0;
}

#endif

// with_arena.h: one context and one arena for all tests of a program:
// cmocka_run_group_tests(tests, setup, teardown).
#ifndef SPRAG_TEST_WITH_ARENA_H
#define SPRAG_TEST_WITH_ARENA_H

#include "support/test.h"

static SpragContext *context;
static SpragArena *arena;

static int setup(void **state)
{
    (void)state;
    context = test_context();
    return sprag_arena_create(context, 0, &arena) != SPRAG_OK;
}

static int teardown(void **state)
{
    (void)state;
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
    return 0;
}

#endif

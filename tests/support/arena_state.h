// arena_state.h: the state of all tests of a program is a context and an arena:
// cmocka_run_group_tests(tests, setup, teardown).
#ifndef SPRAG_TEST_ARENA_STATE_H
#define SPRAG_TEST_ARENA_STATE_H

#include "support/test.h"

typedef struct State {
    SpragContext *context;
    SpragArena *arena;
} State;

static int setup(void **state)
{
    static State s;
    s.context = test_context();
    assert_ok(s.context, sprag_arena_create(s.context, 4096, &s.arena));
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    State *s = *state;
    sprag_arena_destroy(s->arena);
    sprag_context_destroy(s->context);
    return 0;
}

#endif

// state_context.h: the state of all tests of a program is one context:
// cmocka_run_group_tests(tests, setup, teardown).
#ifndef SPRAG_TEST_STATE_CONTEXT_H
#define SPRAG_TEST_STATE_CONTEXT_H

#include "support/test.h"

static int setup(void **state)
{
    *state = test_context();
    return 0;
}

static int teardown(void **state)
{
    sprag_context_destroy(*state);
    return 0;
}

#endif

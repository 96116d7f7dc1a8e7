// with_context.h: one context for all tests of a program: cmocka_run_group_tests(tests, setup,
// teardown).
#ifndef SPRAG_TEST_WITH_CONTEXT_H
#define SPRAG_TEST_WITH_CONTEXT_H

#include "support/test.h"

static SpragContext *context;

static int setup(void **state)
{
    (void)state;
    context = test_context();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sprag_context_destroy(context);
    return 0;
}

#endif

// with_search.h: one context and one search for motions for all tests of a program:
// cmocka_run_group_tests(tests, setup, teardown).
#ifndef SPRAG_TEST_WITH_SEARCH_H
#define SPRAG_TEST_WITH_SEARCH_H

#include "support/test.h"

static SpragContext *context;
static SpragMotionSearch *search;

static int setup(void **state)
{
    (void)state;
    context = test_context();
    return sprag_motion_search_create(context, &search) != SPRAG_OK;
}

static int teardown(void **state)
{
    (void)state;
    sprag_motion_search_destroy(search);
    sprag_context_destroy(context);
    return 0;
}

#endif

// test.h: what every test program needs: cmocka with its includes, closeness of doubles, draws.
#ifndef SPRAG_TESTS_SUPPORT_TEST_H
#define SPRAG_TESTS_SUPPORT_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sprag/sprag.h"

// Fails with both values, their difference and the tolerance unless |actual − expected| ≤
// tolerance. (cmocka's own comparison casts to float.)
#define assert_close(actual, expected, tolerance)                                                  \
    assert_close_at(actual, expected, tolerance, #actual, __FILE__, __LINE__)

static inline void assert_close_at(double actual, double expected, double tolerance,
                                   const char *what, const char *file, int line)
{
    if (actual == expected || fabs(actual - expected) <= tolerance)
        return;
    print_error("%s: %.17g, expected %.17g, difference %.3g, tolerance %.3g\n", what, actual,
                expected, actual - expected, tolerance);
    _fail(file, line);
}

// Fails with the context's message unless the call returns SPRAG_OK.
#define assert_ok(context, call)                                                                   \
    do {                                                                                           \
        SpragStatus assert_ok_status_ = (call);                                                    \
        if (assert_ok_status_ != SPRAG_OK) {                                                       \
            print_error("%s: %s (%s)\n", #call, sprag_status_name(assert_ok_status_),              \
                        sprag_context_message(context));                                           \
            _fail(__FILE__, __LINE__);                                                             \
        }                                                                                          \
    } while (0)

// Number of random draws: `few`, times the environment's SPRAG_TEST_DRAWS (100 in `scripts/test
// full`).
static inline int test_draws(int few)
{
    const char *text = getenv("SPRAG_TEST_DRAWS");
    int factor = text ? atoi(text) : 1;
    return few * (factor > 0 ? factor : 1);
}

static inline SpragContext *test_context(void)
{
    SpragContext *context = NULL;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        abort();
    return context;
}

#endif

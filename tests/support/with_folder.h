// with_folder.h: one context and one empty folder for all tests of a program, both gone at its end:
// cmocka_run_group_tests(tests, setup, teardown). What a test writes there it removes itself.
#ifndef SPRAG_TEST_WITH_FOLDER_H
#define SPRAG_TEST_WITH_FOLDER_H

#include <unistd.h>

#include "support/test.h"

static SpragContext *context;
static char folder[] = "/tmp/sprag-test-XXXXXX";

static inline int setup(void **state)
{
    (void)state;
    context = test_context();
    return mkdtemp(folder) == NULL;
}

static inline int teardown(void **state)
{
    (void)state;
    int left = rmdir(folder);
    sprag_context_destroy(context);
    return left;
}

#endif

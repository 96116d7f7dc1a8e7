// workspace_state.h: the state of all tests of a program is a context and a workspace of LCPs:
// cmocka_run_group_tests(tests, setup, teardown).
#ifndef SPRAG_TEST_WORKSPACE_STATE_H
#define SPRAG_TEST_WORKSPACE_STATE_H

#include "support/test.h"

typedef struct State {
    SpragContext *context;
    SpragLcpWorkspace *workspace;
} State;

static int setup(void **state)
{
    static State s;
    s.context = test_context();
    assert_ok(s.context, sprag_lcp_workspace_create(s.context, &s.workspace));
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    State *s = *state;
    sprag_lcp_workspace_destroy(s->workspace);
    sprag_context_destroy(s->context);
    return 0;
}

#endif

// The falling rod of theory.md 15.1 and its relatives against an independent integration.
#include "support/runs.h"

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

static void test_case1(void **state)
{
    (void)state;
    char text[2048];
    for (int capsule = 0; capsule < 2; capsule++) {
        snprintf(text, sizeof text,
                 "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n"
                 "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
                 "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
                 "     shapes: [{%s}]}\n"
                 "contacts: [{name: tip, between: [rod.a, table]}]\n"
                 "start: [{contact: tip, slip: 0}]\n",
                 capsule ? "capsule: {length: 0.45852, radius: 4.74 mm}" : "rod: {length: 0.468}");
        TestRun r;
        test_run_open(&r, context, text);
        test_run_go(&r, 0.4, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int i = test_run_event(&r, SPRAG_EVENT_SLIP_REVERSAL, 0);
        assert_true(i >= 0);
        assert_close(r.events[i].t, 0.205, 0.003);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_case1)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

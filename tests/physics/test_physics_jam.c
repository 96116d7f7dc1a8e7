// A jam that a run meets where it has begun already.
#include "physics.h"

// A disc of 307 kg falls with a light box onto another one, and is pushed: friction (tanh) of two
// contacts grows while their slips fall, and a corner leaves the floor where the forces of the rest
// have all but no limit: the arc that follows ends 0.2 ms later with steps that are too short and
// forces of 1e9 N. That is a jam, and layers take over; the run goes on to its end.
static void test_arc_begins_in_jam(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: a, mass: 34.6, position: [-0.0172, 0.3015], shapes: [{box: "
                     "{size: [1.58, 0.603]}}]}\n"
                     "  - {name: b, mass: 2.44, position: [-0.12, 1.2115], shapes: [{box: {size: "
                     "[1.12, 0.663]}}]}\n"
                     "  - {name: c, mass: 307, position: [0.0824, 1.726], shapes: [{circle: "
                     "{radius: 0.183}}]}\n"
                     "contacts:\n"
                     "  - {between: ['*', '*'], friction: 1.31, friction-law: {law: tanh, speed: "
                     "0.483}}\n"
                     "  - {between: [a, b], friction: 2.62}\n"
                     "loads: [{body: c, force: [-1590, 0]}]\n");
    test_run_go_as(&r, SPRAG_MOTION_AUTO, 0.3, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int jam = test_run_event(&r, SPRAG_EVENT_JAM, 0);
    int soft = test_run_event(&r, SPRAG_EVENT_TO_COMPLIANT, 0);
    assert_true(jam >= 0 && soft > jam && r.events[soft].t == r.events[jam].t);
    physics_assert_account(&r, 1e-7);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arc_begins_in_jam)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

// A jam that a run meets where it has begun already.
#include "physics.h"

// A jam is told, layers take over there, and the run goes on to its end.
static void assert_jammed(const TestRun *r)
{
    int jam = test_run_event(r, SPRAG_EVENT_JAM, 0);
    int soft = test_run_event(r, SPRAG_EVENT_TO_COMPLIANT, 0);
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
    assert_true(jam >= 0 && soft > jam && r->events[soft].t == r->events[jam].t);
    physics_assert_account(r, 1e-7);
}

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
    assert_jammed(&r);
    test_run_close(&r);
}

// A heavy box turns on one corner on a light one, which stands on one corner by then: the forces of
// the two contacts grow a millionfold in 5 us. What is solved for was taken for forces where it is
// not known any more, and the jam for contacts that come together.
static void jam_box_on_box(double x)
{
    const double angle = 0.194286, wide = 0.107535, high = 0.115443, top = 0.10788, spin = -3.09256;
    double below = -0.5 * (wide * sin(angle) + high * cos(angle));
    double beside = 0.5 * (high * sin(angle) - wide * cos(angle));
    TestRun r;
    physics_open(&r,
                 "sprag: 1\ngravity: [0.07, -9.81]\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: low, mass: 0.937, position: [0, 0.05394], shapes: [{box: {size: "
                 "[0.16548, 0.10788]}}]}\n"
                 "  - {name: top, mass: 303.23, position: [%.17g, %.17g], angle: %.17g,\n"
                 "     velocity: [0.2273, %.17g], spin: %.17g,\n"
                 "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
                 "contacts: [{friction: {static: 1.33846, kinetic: 0.90148, stribeck: 0.070545},\n"
                 "            between: ['*', '*']}]\n",
                 x, top - below, angle, -spin * beside, spin, wide, high);
    test_run_go_as(&r, SPRAG_MOTION_AUTO, 5e-4, 1e-9);
    assert_jammed(&r);
    test_run_close(&r);
}

static void test_box_on_box_jams(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++)
        jam_box_on_box(-0.016113 - 1e-7 * k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arc_begins_in_jam),
                                       cmocka_unit_test(test_box_on_box_jams)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

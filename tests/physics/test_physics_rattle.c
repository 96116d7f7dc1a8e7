// Collisions that come in long sequences, or take long themselves.
#include "physics.h"

// A ball catches up with a roller on a floor. Each collision leaves the roller a slip on one of its
// ends, which parts the two for some nanoseconds until friction has ended it; then they meet again,
// two thirds as fast. Where such flights became too low to be seen the last speed was that of a
// fall through the gap that counts as zero, and all began anew, without an end: thousands of
// collisions a millisecond. From 20 collisions on what cannot be seen counts as none; some 20 more
// events are those before and after.
static void test_roller_and_ball(void **state)
{
    (void)state;
    TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.8, restitution: 0}}\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
        "  - {name: ball, density: 673.8, position: [0.302044263852, -0.008918571562, "
        "0.112573011708], velocity: [0.776279306336, -0.030214220847, 0], spin: [0.268396664427, "
        "6.895785184723, 1.656781032038], shapes: [{sphere: {radius: 0.112573011708}}]}\n"
        "  - {name: roller, density: 1336, position: [0.489825791776, -0.088540674447, "
        "0.059887588974], orientation: {quaternion: [0.015877528833723495, -0.17853398525505493, "
        "0.6841970594126726, 0.7069284999758703]}, velocity: [0.435172970431, 0.103175175533, 0], "
        "spin: [-1.722813980333, 7.266496746418, 0], shapes: [{capsule: {radius: 0.059887588974, "
        "length: 0.244384118163}}]}\n");
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, 0.012, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(r.event_count < 150);
    // energies are known to the tolerance of the run, 1e-9 of 4 J, at each of some hundred events
    assert_close(sprag_run_drift(r.run), 0, 4e-7);
    test_run_close(&r);
}

// ---- Interrupts ---------------------------------------------------------------------------------

static volatile int interrupt_flag;

// At the sample before the collision.
static void interrupt_at_touch(TestRun *r, const SpragRunSample *sample)
{
    (void)r;
    interrupt_flag = sample->t > 0.09;
}

// A run is interrupted inside of a collision: it ends with what was before it.
static void test_interrupted_collision(void **state)
{
    (void)state;
    TestRun r;
    // a bar falls flat by h onto two edges: sqrt(2 h/g) = 0.1
    test_run_open(
        &r, context,
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5, restitution: 0.5}}\n"
        "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
        "  - {name: bar, density: 1000, position: [0, 0, 0.09905], velocity: [0.3, 0.1, "
        "0], shapes: [{box: {size: [0.3, 0.1, 0.1]}}]}\n");
    r.look = interrupt_at_touch;
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    interrupt_flag = 0;
    settings.motion = SPRAG_MOTION_EVENTS;
    settings.output_step = 1;
    settings.interrupt = &interrupt_flag;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_INTERRUPTED);
    assert_int_equal(r.event_count, 0);
    assert_close(sprag_run_time(r.run), 0.1, 1e-9);
    // as fast as it fell
    assert_close(sprag_run_velocity(r.run)[2], -0.981, 1e-8);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roller_and_ball),
                                       cmocka_unit_test(test_interrupted_collision)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

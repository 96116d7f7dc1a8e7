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

// Two slopes of %g degrees against each other.
#define GROOVE                                                                                     \
    "sprag: 1\ndimension: 3\nparameters: {a: %g deg}\nbodies:\n"                                   \
    "  - {name: left, fixed: true, shapes: [{plane: {normal: [sin(a), 0, cos(a)]}}]}\n"            \
    "  - {name: right, fixed: true, shapes: [{plane: {normal: [-sin(a), 0, cos(a)]}}]}\n"

// Degrees, m, rad/s, cm.
typedef struct Groove {
    double slope, x, turn[2], spin[3], length, radius, restitution, tolerance;
} Groove;

static void keep_gap(TestRun *r, const SpragRunSample *sample)
{
    double *least = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        *least = fmin(*least, sample->contacts[i].gap);
}

// A cylinder rattles between two slopes. What slides on one of them overlaps it by an error of
// integration, and when it strikes the other one it is thrown off for some microseconds, by less
// than the gap that counts as zero. Its way back was not seen, and it fell through both slopes
// (one of eighty such scenes, by up to a metre). Contacts overlap by the errors of positions: in a
// second the tolerance times accelerations of some hundred m/s² for some hundred bounces of a
// millisecond.
static void test_groove(void **state)
{
    (void)state;
    static const Groove cases[] = {
        {35, -0.02, {59, 39}, {5, 0, -3}, 13, 11, 0.1, 1e-7},
        {35, 0.05, {68, 2}, {5, 1, -5}, 12, 15, 0.1, 1e-8},
        {25, 0.0, {72, 29}, {-2, 4, -1}, 11, 13, 0.1, 1e-8},
        {35, -0.02, {53, 7}, {-3, 3, 5}, 15, 13, 0.2, 1e-7},
        {25, 0.02, {0, 88}, {-1, 4, -3}, 8, 15, 0.1, 1e-8},
        {30, 0.04, {50, 45}, {4, 0, -4}, 15, 11, 0.1, 3e-7},
        {30, 0.04, {11, 32}, {1, 0, 2}, 14, 10, 0.2, 3e-7},
        {35, 0.02, {3, 1}, {-3, 4, -1}, 14, 11, 0.3, 1e-7},
        {35, -0.05, {19, 62}, {-3, -1, 1}, 6, 14, 0.2, 3e-7},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Groove *c = &cases[k];
        char text[2048];
        double least = INFINITY;
        TestRun r;
        snprintf(text, sizeof text,
                 GROOVE
                 "  - {name: disc, mass: 1, position: [%g, 0, 0.3], orientation: {euler: [%g deg, "
                 "%g deg, 0]}, spin: [%g, %g, %g], shapes: [{cylinder: {length: %g cm, radius: %g "
                 "cm}}]}\n"
                 "contacts: [{between: [disc, '*'], restitution: %g}]\n",
                 c->slope, c->x, c->turn[0], c->turn[1], c->spin[0], c->spin[1], c->spin[2],
                 c->length, c->radius, c->restitution);
        test_run_open(&r, context, text);
        r.look = keep_gap;
        r.user = &least;
        test_run_go_as(&r, SPRAG_MOTION_AUTO, 1, c->tolerance);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(least > -1e-6);
        test_run_close(&r);
    }
}

// Degrees, m, m/s, rad/s, cm.
typedef struct Wedge {
    double slope, x, turn[2], velocity, spin[3], length, radius, friction;
    const char *law;
} Wedge;

// A capsule falls into a groove so steep that friction holds it, cot(slope) < μ: it is wedged in at
// both ends. On the way to rest within the impulse the slip that counted as rest (5e-9 of the
// approach) carried it from one wall to the other and back, pressing their layers anew each time:
// the collision took a minute (one of fifty such scenes). Here all of it rests within the second.
static void test_wedge(void **state)
{
    (void)state;
    static const Wedge cases[] = {
        {65, 0.02, {82, 20}, 0.3, {-5, 2, -2}, 30, 3, 0.8, "energetic"},
        {65, -0.03, {107, 8}, -0.2, {-2, -3, -4}, 27, 3, 0.65, "poisson"},
        {65, -0.02, {70, 0}, -0.2, {4, -4, -5}, 28, 6, 0.65, "poisson"},
        {65, 0.02, {70, 0}, 0.5, {0, -3, 2}, 12, 3, 0.7, "poisson"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Wedge *c = &cases[k];
        char text[2048];
        TestRun r;
        snprintf(text, sizeof text,
                 GROOVE
                 "  - {name: capsule, mass: 1, position: [%g, 0, 0.6], orientation: {euler: [%g "
                 "deg, %g deg, 0]}, velocity: [0, %g, -1], spin: [%g, %g, %g], shapes: [{capsule: "
                 "{length: %g cm, radius: %g cm}}]}\n"
                 "contacts: [{between: [capsule, '*'], friction: %g, restitution: {law: %s, e: "
                 "0}}]\n",
                 c->slope, c->x, c->turn[0], c->turn[1], c->velocity, c->spin[0], c->spin[1],
                 c->spin[2], c->length, c->radius, c->friction, c->law);
        test_run_open(&r, context, text);
        test_run_go_as(&r, SPRAG_MOTION_AUTO, 1, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        for (int i = 0; i < 6; i++)
            assert_close(sprag_run_velocity(r.run)[i], 0, 1e-9);
        assert_close(sprag_run_drift(r.run), 0, 4e-7);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roller_and_ball),
                                       cmocka_unit_test(test_interrupted_collision),
                                       cmocka_unit_test(test_groove), cmocka_unit_test(test_wedge)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

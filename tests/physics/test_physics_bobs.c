// Pendulums whose mass is in one point: bodies with hardly any inertia on long arms.
// The rows of a pin differ there by the part I/(m d²) of the inverse inertia along them (theory.md
// (1.11)); the motion is that of the textbook, to the part I/(m d²) itself.
#include "physics.h"

// I/(m d²): the least that is taken, and more.
static const double PARTS[] = {1.01e-10, 1e-9, 1e-7};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

static void go(TestRun *r, SpragMotionKind motion, double until)
{
    SpragRunSettings settings = sprag_run_default();
    settings.motion = motion;
    settings.tolerance = 1e-11;
    assert_ok(context, sprag_run_create(r->system, &settings, NULL, &r->run));
    assert_ok(context, sprag_run_advance(r->run, until, &r->outcome));
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
}

static double mean_of(double a, double b)
{
    while (fabs(a - b) > 1e-15 * a) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

// Half a period takes the bob to the other side, at rest: T = 2π √(l/g)/agm(1, cos θ/2). There an
// error of time counts twice only; some 30 steps of 1e-11 each and the part of the inertia, times
// how long θ takes to grow from the top (cosh of the time over √(l/g), below 30).
static void test_swing(void **state)
{
    (void)state;
    const double length = 3.1, angles[] = {0.3, 1.7, 2.6};
    for (int k = 0; k < PART_COUNT * 3; k++) {
        TestRun r;
        double theta = angles[k / PART_COUNT], part = PARTS[k % PART_COUNT];
        double x = length * sin(theta), y = -length * cos(theta);
        double until = PHYSICS_PI * sqrt(length / PHYSICS_GRAVITY) / mean_of(1, cos(theta / 2));
        physics_open(&r,
                     "sprag: 1\nbodies:\n  - {name: bob, mass: 1.3, inertia: %.17g,\n"
                     "     position: [%.17g, %.17g], shapes: [{points: {p: [0, 0]}}]}\n"
                     "joints: [{name: pin, type: revolute, between: [world, bob], at: [0, 0]}]\n",
                     part * 1.3 * length * length, x, y);
        go(&r, SPRAG_MOTION_EVENTS, until);
        const double *q = sprag_run_position(r.run);
        double bound = 30 * (30 * 1e-11 + part) * length;
        assert_close(q[0], -x, bound);
        assert_close(q[1], y, bound);
        test_run_close(&r);
    }
}

// A bob that goes round at a steady height, ω² = g/(l cos θ), its body turning with it.
static void test_round(void **state)
{
    (void)state;
    const double length = 1.7, theta = 0.9, time = 2;
    for (int k = 0; k < PART_COUNT; k++) {
        TestRun r;
        double radius = length * sin(theta), rate = sqrt(PHYSICS_GRAVITY / (length * cos(theta)));
        double inertia = PARTS[k] * 0.4 * length * length;
        physics_open(&r,
                     "sprag: 1\ndimension: 3\nbodies:\n"
                     "  - {name: bob, mass: 0.4, inertia: [%.17g, %.17g, %.17g], velocity: [0, "
                     "%.17g, 0],\n     spin: [0, 0, %.17g], position: [%.17g, 0, %.17g], shapes: "
                     "[{points: {p: [0, 0, 0]}}]}\n"
                     "joints: [{name: pin, type: ball, between: [world, bob], at: [0, 0, 0]}]\n",
                     inertia, inertia, inertia, rate * radius, rate, radius, -length * cos(theta));
        go(&r, SPRAG_MOTION_EVENTS, time);
        const double *q = sprag_run_position(r.run);
        // the moment of inertia about the centre changes ω² by its part; errors of rates add up
        double bound = (30 * 1e-11 + PARTS[k]) * (1 + rate * time) * radius;
        assert_close(q[0], radius * cos(rate * time), bound);
        assert_close(q[1], radius * sin(rate * time), bound);
        assert_close(q[2], -length * cos(theta), bound);
        test_run_close(&r);
    }
}

// Steps of 1 ms are of second order: two bobs by two ways forward, which know nothing of each
// other. Of time stepping a sixth of (ω h)² a radian is known; the elbow swings at 5 rad/s at most.
static void test_double(void **state)
{
    (void)state;
    const SpragMotionKind motions[] = {SPRAG_MOTION_EVENTS, SPRAG_MOTION_STEPPING};
    for (int k = 0; k < PART_COUNT; k++) {
        double q[2][6];
        for (int way = 0; way < 2; way++) {
            TestRun r;
            physics_open(&r,
                         "sprag: 1\nbodies:\n"
                         "  - {name: a, mass: 1, inertia: %.17g, position: [0.6, -0.8], shapes: "
                         "[{points: {p: [0, 0]}}]}\n"
                         "  - {name: b, mass: 0.7, inertia: %.17g, position: [1.8, -0.3], shapes: "
                         "[{points: {p: [0, 0]}}]}\njoints:\n"
                         "  - {name: pin, type: revolute, between: [world, a], at: [0, 0]}\n"
                         "  - {name: elbow, type: revolute, between: [a, b], at: [0.6, -0.8]}\n",
                         PARTS[k], PARTS[k] * 0.7 * 1.69);
            go(&r, motions[way], 1.5);
            memcpy(q[way], sprag_run_position(r.run), sizeof q[way]);
            test_run_close(&r);
        }
        for (int i = 0; i < 6; i++)
            assert_close(q[1][i], q[0][i], 25e-6 / 6 * 1.5 * 5 * 1.3);
    }
}

// Where less is given the rows cannot be told apart: said before anything moves, wherever the place
// of the joint comes from. (With `at` alone a bob fell freely by time stepping.)
static void test_too_little(void **state)
{
    (void)state;
    const char *places[] = {"between: [world, bob], at: [0, 0]",
                            "between: [world, bob.top], at: [0, 0]"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        SpragScene *scene;
        SpragSystem *system = NULL;
        snprintf(text, sizeof text,
                 "sprag: 1\nbodies:\n  - {name: bob, mass: 1.3, inertia: 1e-12, position: [0, -2], "
                 "shapes: [{points: {p: [0, 0]}}], sites: {top: [0, 2]}}\n"
                 "joints: [{name: pin, type: revolute, %s}]\n",
                 places[k]);
        SpragStatus status =
            sprag_scene_read_text(context, "bob.yaml", text, strlen(text), NULL, &scene);
        if (status == SPRAG_OK) {
            status = sprag_system_create_model(sprag_scene_model(scene), &system);
            sprag_scene_destroy(scene);
        }
        assert_int_equal(status, SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(context), "too small for a joint at 2 m"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_swing), cmocka_unit_test(test_round),
                                       cmocka_unit_test(test_double),
                                       cmocka_unit_test(test_too_little)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

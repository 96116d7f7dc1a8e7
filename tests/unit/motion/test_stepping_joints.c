// Time stepping of linkages on smooth arcs, where rows of joints turn within a step (theory.md
// (11.34)): of second order against the motion by events, and without a trend of energy.
#include "support/runs.h"
#include "support/with_context.h"

static const char *const FOUR_BAR =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.01, position: [0, 0.05]}\n"
    "  - {name: rod, mass: 1, inertia: 0.03, position: [0.15, 0.15]}\n"
    "  - {name: rocker, mass: 1, inertia: 0.02, position: [0.3, 0.1]}\n"
    "joints:\n"
    "  - {name: a, type: revolute, between: [world, crank], at: [0, 0]}\n"
    "  - {name: b, type: revolute, between: [crank, rod], at: [0, 0.1]}\n"
    "  - {name: c, type: revolute, between: [rod, rocker], at: [0.3, 0.2]}\n"
    "  - {name: d, type: revolute, between: [world, rocker], at: [0.3, 0]}\n"
    "loads: [{joint: a, torque: 0.5*sin(3*t)}]\n";
// One bar of a slide that is driven: a row whose drift changes, and one that turns.
static const char *const DRIVEN_SLIDE =
    "sprag: 1\n"
    "bodies:\n"
    "  - {name: cart, mass: 1, inertia: 0.01, position: [0, 0]}\n"
    "  - {name: bob, mass: 0.5, inertia: 0.002, position: [0.2, -0.1]}\n"
    "joints:\n"
    "  - {name: way, type: prismatic, between: [world, cart], at: [0, 0], axis: [1, 0.3], drive: "
    "0.05*sin(7*t)}\n"
    "  - {name: pin, type: revolute, between: [cart, bob], at: [0, 0]}\n";
// Three different moments of inertia each, so that spins change with no moment at all.
static const char *const IN_SPACE =
    "sprag: 1\n"
    "dimension: 3\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.3, 0, 0], spin: [0, 0, "
    "2],\n"
    "     velocity: [0, 0.6, 0]}\n"
    "  - {name: hand, mass: 0.5, inertia: [0.01, 0.004, 0.008], position: [0.6, 0.2, 0],\n"
    "     spin: [0, 0, 2], velocity: [-0.4, 1.2, 0]}\n"
    "joints:\n"
    "  - {name: shoulder, type: ball, between: [world, arm], at: [0, 0, 0]}\n"
    "  - {name: wrist, type: revolute, between: [arm, hand], at: [0.6, 0, 0], axis: [1, 0, 0]}\n";

enum { MOST_POSITIONS = 32 };

// Positions at the end; step 0: by events.
static int positions_at(const char *text, double until, double step, double *q)
{
    TestRun r;
    SpragRunSettings settings = sprag_run_default();
    settings.motion = step > 0 ? SPRAG_MOTION_STEPPING : SPRAG_MOTION_EVENTS;
    settings.step = step;
    settings.threads = 1;
    settings.tolerance = 1e-11;
    settings.output_step = 0;
    test_run_open(&r, context, text);
    int count = sprag_system_position_count(r.system);
    assert_true(count <= MOST_POSITIONS);
    assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
    assert_ok(context, sprag_run_advance(r.run, until, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    memcpy(q, sprag_run_position(r.run), (size_t)count * sizeof *q);
    test_run_close(&r);
    return count;
}

// Second order: half the step, a quarter of the error, with a seventh for terms of higher order.
static void check_order(const char *text, double until, double step)
{
    double exact[MOST_POSITIONS], q[MOST_POSITIONS], error[3] = {0};
    int count = positions_at(text, until, 0, exact);
    for (int k = 0; k < 3; k++) {
        positions_at(text, until, ldexp(step, -k), q);
        for (int i = 0; i < count; i++)
            error[k] = fmax(error[k], fabs(q[i] - exact[i]));
    }
    for (int k = 0; k < 2; k++)
        if (!(error[k] > 3.5 * error[k + 1] && error[k + 1] > 0))
            fail_msg("errors %.3g, %.3g, %.3g", error[0], error[1], error[2]);
}

static void test_second_order(void **state)
{
    (void)state;
    check_order(FOUR_BAR, 1, 1e-3);
    check_order(DRIVEN_SLIDE, 1, 1e-3);
    check_order(IN_SPACE, 1, 1e-3);
}

// A pendulum released level swings with up to ω = √(2 g m L/(I + m L²)) = 9.9 1/s: with rows of the
// begin alone each step took (h ω)²/2 of its kinetic energy, a fifth of it in 20 s. What a
// symmetric method of second order leaves stays within (h ω)² of m g L.
static void test_no_trend(void **state)
{
    (void)state;
    static const char *const joints[] = {"revolute, between: [world, bob]",
                                         "distance, between: [world, bob.com]"};
    const double mass = 0.1, length = 0.2, h = 1e-3, g = 9.81, rate = 9.9;
    for (int i = 0; i < 2; i++) {
        char text[512];
        double kinetic, potential, elastic;
        TestRun r;
        snprintf(
            text, sizeof text,
            "sprag: 1\nbodies:\n  - {name: bob, mass: 0.1, inertia: 1e-5, position: [0.2, 0]}\n"
            "joints:\n  - {name: j, type: %s, at: [0, 0]}\n",
            joints[i]);
        SpragRunSettings settings = sprag_run_default();
        settings.motion = SPRAG_MOTION_STEPPING;
        settings.step = h;
        settings.output_step = 0;
        test_run_open(&r, context, text);
        assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 20, &r.outcome));
        assert_ok(context,
                  sprag_system_energy(r.system, 20, sprag_run_position(r.run),
                                      sprag_run_velocity(r.run), &kinetic, &potential, &elastic));
        assert_close(kinetic + potential, 0, mass * g * length * h * h * rate * rate);
        test_run_close(&r);
    }
}

// Three boxes in a row, tilted, that fall on a floor.
static const char *const FALLING =
    "sprag: 1\n"
    "dimension: 3\n"
    "materials: {default: {friction: 0.4}}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
    "  - {name: a, mass: 1.2, position: [0, 0, 0.25], orientation: {axis: [0, -1, 0], angle: 0.3}, "
    "shapes: [{box: {size: [0.2, 0.12, 0.08]}}]}\n"
    "  - {name: b, mass: 0.8, position: [0.25, 0, 0.35], orientation: {axis: [1, -1, 0], angle: "
    "0.6}, "
    "shapes: [{box: {size: [0.2, 0.12, 0.08]}}]}\n"
    "  - {name: c, mass: 1.5, position: [0.5, 0, 0.45], orientation: {axis: [0, -1, 1], angle: "
    "0.4}, "
    "shapes: [{box: {size: [0.2, 0.12, 0.08]}}]}\n"
    "joints:\n"
    "  - {name: p, type: ball, between: [a, b], at: [0.125, 0, 0.3]}\n"
    "  - {name: q, type: ball, between: [b, c], at: [0.375, 0, 0.4]}\n";

// Where contacts act on bodies of joints velocities jump, and what turning takes from them is of
// first order: of 10 J it was 3e-3 J and more. What is left is that of free flight, (w h)² of the
// energy of rotations: 10 rad/s, 2 ms and 0.5 J give 2e-4 J.
static void test_account_of_what_falls(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        TestRun r;
        SpragRunSettings settings = sprag_run_default();
        settings.motion = SPRAG_MOTION_STEPPING;
        settings.step = k ? 1e-3 : 2e-3;
        test_run_open(&r, context, FALLING);
        assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 0.6, &r.outcome));
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("drift %.3g J\n", sprag_run_drift(r.run));
        assert_true(sprag_run_stepping(r.run).impacts > 3);
        assert_true(fabs(sprag_run_drift(r.run)) < 2e-4 * settings.step / 2e-3);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_no_trend),
        cmocka_unit_test(test_account_of_what_falls),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

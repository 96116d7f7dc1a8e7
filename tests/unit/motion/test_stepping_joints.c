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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_no_trend),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

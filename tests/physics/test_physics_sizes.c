// Bodies in layers, of any size: steps do not depend on units, loads that begin at zero and layers
// that are hardly pressed do not shorten them, and stacks of equal boxes stand.
#include "support/runs.h"
#include "support/with_context.h"

// ---- Units --------------------------------------------------------------------------------------

typedef struct Units {
    double length, mass, time;
} Units;

// A box in its layer, on which another one falls that is tilted; layer: of the pair, N/m and N s/m
// of kilograms, metres and seconds, 0: the default.
static void open_boxes(TestRun *r, Units u, double stiffness, double damping)
{
    static char text[2048];
    char layer[256] = "";
    double rate = u.mass / (u.time * u.time), L = u.length;
    if (stiffness > 0)
        snprintf(layer, sizeof layer,
                 ", compliance: {law: kelvin-voigt, stiffness: %.17g, damping: %.17g}",
                 stiffness * rate, damping * u.mass / u.time);
    snprintf(text, sizeof text,
             "sprag: 1\ngravity: [0, %.17g]\nbodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
             "  - {name: a, mass: %.17g, position: [0, %.17g],\n"
             "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
             "  - {name: b, mass: %.17g, position: [%.17g, %.17g], angle: 0.2,\n"
             "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
             "contacts: [{between: ['*', '*'], friction: 0.4%s}]\n",
             -9.81 * L / (u.time * u.time), 0.2 * u.mass, 0.25 * L, L, 0.5 * L, 0.3 * u.mass,
             0.125 * L, L, 0.5 * L, 0.25 * L, layer);
    test_run_open(r, context, text);
}

// One motion in other units takes as many steps. Units are powers of two, so that rounding is the
// same but for the few functions that are no powers; it decides on single steps only, of which
// a hundredth is allowed. Where errors of angles counted as lengths the small ones did not end.
static void test_steps_of_any_size(void **state)
{
    (void)state;
    static TestRun r;
    const Units units[] = {
        {1, 1, 1},      {0x1p-16, 1, 0x1p-8}, {0x1p-16, 0x1p-48, 0x1p-8}, {0x1p-10, 0x1p10, 1},
        {0x1p10, 1, 1}, {1, 1, 0x1p-7}};
    for (int soft = 0; soft < 2; soft++) {
        double steps = 0, x = 0;
        for (int i = 0; i < 6; i++) {
            open_boxes(&r, units[i], soft ? 1e5 : 0, soft ? 200 : 0);
            test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, units[i].time, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            double now = (double)sprag_run_statistics(r.run).steps;
            double at = sprag_run_position(r.run)[0] / units[i].length;
            if (i == 0) {
                steps = now;
                x = at;
            }
            assert_true(fabs(now - steps) <= 0.01 * steps);
            // some hundred events, each of which multiplies errors of 1e-9 by a few
            assert_close(at, x, 1e-6);
            test_run_close(&r);
        }
    }
}

// ---- What is hardly pressed ---------------------------------------------------------------------

// A disc that just fits into a shaft lies on its bottom, held by rigid contacts there and on the
// right, while its contact on the left is compliant: its depth is rounding, and no measure of how
// long steps may be.
static void test_layer_beside_a_held_disc(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: shaft, fixed: true, shapes: [\n"
                  "      {name: l, plane: {normal: [1, 0], offset: -0.032}},\n"
                  "      {name: r, plane: {normal: [-1, 0], offset: -0.032}},\n"
                  "      {name: f, plane: {normal: [0, 1], offset: -0.1756}}]}\n"
                  "  - {name: disc, mass: 0.0083, velocity: [0, -0.025], spin: -1.6,\n"
                  "     shapes: [{circle: {radius: 0.032}}]}\n"
                  "  - {name: ball, mass: 1.64, position: [0.0032, 0.1227],\n"
                  "     shapes: [{circle: {radius: 0.0192}}]}\n"
                  "contacts:\n"
                  "  - {between: ['*', '*'], friction: 1.35, restitution: {law: newton, e: 0.48}}\n"
                  "  - {between: [disc, ball], friction: 2.25}\n");
    test_run_go(&r, 0.2134, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // a hundred events with a few steps each; there were thousands in the last 0.1 ms
    assert_true(sprag_run_statistics(r.run).steps < 1000);
    test_run_close(&r);
}

// A peg between two walls, wedged by a torque that begins at zero: the first forces are no measure
// of those to come.
static void test_load_from_zero(void **state)
{
    (void)state;
    static TestRun r;
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "sprag: 1\ngravity: [0, 0]\nbodies:\n"
            "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: -0.01}}]}\n"
            "  - {name: right, fixed: true,\n"
            "     shapes: [{plane: {normal: [-1, 0], offset: -0.01}}]}\n"
            "  - {name: peg, mass: 0.1, inertia: 2e-5, position: [0, 0.02],\n"
            "     shapes: [{points: {lower: [-0.01, -0.02], upper: [0.01, %.17g]}}]}\n"
            "contacts: [{between: ['*', '*'], friction: 0.5, compliance: {law: kelvin-voigt,\n"
            "            stiffness: 1e5, damping: 50}}]\n"
            "loads: [{body: peg, torque: {table: [[0, 0], [0.02, -0.2]]}}]\n",
            i == 0 ? -0.015 : -0.01);
        test_run_open(&r, context, text);
        test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.03, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        // a layer that rings nine times; tolerances of its first forces made steps of 2 ns
        assert_true(sprag_run_statistics(r.run).steps < 1000);
        test_run_close(&r);
    }
}

// ---- Stacks -------------------------------------------------------------------------------------

// Six equal boxes upon each other in layers: their corners coincide, and pass each other by
// roundings as the bodies sink in. One contact stands for both corners at each place, so they
// stand.
static void test_stack_of_equal_boxes(void **state)
{
    (void)state;
    static TestRun r;
    const double widths[] = {1, 0.1, 1e-3};
    for (int i = 0; i < 6; i++) {
        enum { BOXES = 6 };
        static char text[4096];
        double w = widths[i % 3], h = i < 3 ? w : 4 * w;
        int at = snprintf(text, sizeof text,
                          "sprag: 1\nbodies:\n"
                          "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n");
        for (int k = 0; k < BOXES; k++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  - {name: b%d, mass: 1, position: [0, %.17g],\n"
                           "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n",
                           k, h * (k + 0.5), w, h);
        snprintf(text + at, sizeof text - (size_t)at,
                 "contacts: [{between: ['*', '*'], friction: 0.5}]\n");
        test_run_open(&r, context, text);
        test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 2 * sqrt(w), 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        for (int k = 0; k < BOXES; k++) {
            // errors of one box are levers for the next: 1e-16 times 4 for each below
            assert_true(fabs(sprag_run_position(r.run)[3 * k + 2]) < 1e-16 * pow(4, BOXES));
            assert_true(fabs(sprag_run_velocity(r.run)[3 * k + 2]) * w < 1e-9 * sqrt(w));
        }
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_any_size), cmocka_unit_test(test_layer_beside_a_held_disc),
        cmocka_unit_test(test_load_from_zero), cmocka_unit_test(test_stack_of_equal_boxes)};
    return cmocka_run_group_tests_name("sizes", tests, setup, teardown);
}

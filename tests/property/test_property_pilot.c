// Random scenes of 1 … 4 bodies and 1 … 6 closed contacts, friction up to 3, under motion: auto for
// a second.
#include "pilot_watch.h"

// ---- Scenes -------------------------------------------------------------------------------------

// A body some way along the floor, at `height` above the one before; returns its own height.
static double put_body(Writer *w, int i, double x, double height)
{
    double mass = pow(10, draw(w, -1, 1)), size = draw(w, 0.2, 0.5), tall = 0;
    double angle = 0;
    int kind = sprag_random_below(w->random, 4);
    put(w, "  - {name: b%d, mass: %.17g, ", i, mass);
    if (kind == 0)
        tall = 2 * size;
    if (kind == 1 || kind == 3)
        tall = draw(w, 0.2, 1);
    if (kind == 2) {
        angle = draw(w, 0.2, 1.5);
        tall = 2 * size;
    }
    put(w, "velocity: [%.17g, %.17g], spin: %.17g, position: [%.17g, %.17g], angle: %.17g, ",
        draw(w, -3, 3), draw(w, -1, 0.5), draw(w, -3, 3), x, height + 0.5 * tall, angle);
    switch (kind) {
    case 0:
        put(w, "shapes: [{circle: {radius: %.17g}}]}\n", size);
        break;
    case 1:
        put(w, "shapes: [{box: {size: [%.17g, %.17g]}}]}\n", 2 * size, tall);
        break;
    case 2:
        put(w, "shapes: [{rod: {length: %.17g}}]}\n", 2 * size);
        break;
    default:
        put(w, "inertia: %.17g, shapes: [{points: {l: [%.17g, %.17g], r: [%.17g, %.17g]}}]}\n",
            0.25 * mass * tall * tall * draw(w, 0.1, 0.9), -size * draw(w, 0.2, 1), -0.5 * tall,
            size * draw(w, 0.2, 1), -0.5 * tall);
        break;
    }
    return tall;
}

// A floor (perhaps a slope, a wall beside it), bodies on it or on each other. Some contacts are
// closed at the start with a slip, so that paradoxes are met at once.
static void put_scene(Writer *w)
{
    int bodies = 1 + sprag_random_below(w->random, 4);
    double slope = sprag_random_below(w->random, 2) ? draw(w, -0.5, 0.5) : 0;
    bool belt = sprag_random_below(w->random, 6) == 0;
    bool pile = sprag_random_below(w->random, 3) == 0,
         layer = sprag_random_below(w->random, 3) == 0;
    put(w, "sprag: 1\nbodies:\n");
    put(w, "  - {name: floor, fixed: true, %sshapes: [{plane: {normal: [%.17g, %.17g]}}]}\n",
        belt ? "surface-velocity: [0.7, 0], " : "", -sin(slope), cos(slope));
    if (sprag_random_below(w->random, 2))
        put(w, "  - {name: wall, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -4}}]}\n");
    double height = 2.6;
    for (int i = 0; i < bodies; i++) {
        double tall = put_body(w, i, pile ? draw(w, -0.05, 0.05) : 1.6 * i - 1, height);
        height = pile ? height + tall + 0.4 : height;
    }
    put(w, "contacts:\n  - {between: ['*', '*'], friction: %.17g%s}\n", draw(w, 0, 3),
        layer ? ", compliance: {law: kelvin-voigt, stiffness: 1e6, damping: 100}" : "");
    if (sprag_random_below(w->random, 3)) {
        put(w, "start:\n  - {contact: [b0, floor], slip: %.17g}\n",
            sprag_random_below(w->random, 4) ? draw(w, -4, 4) : 0);
        if (bodies > 1 && !pile && sprag_random_below(w->random, 2))
            put(w, "  - {contact: [b1, floor], slip: %.17g}\n", draw(w, -4, 4));
    }
    if (sprag_random_below(w->random, 2))
        put(w, "loads: [{body: b0, force: [%.17g, %.17g], torque: %.17g}]\n", draw(w, -20, 20),
            draw(w, -20, 5), draw(w, -3, 3));
}

// ---- Tests --------------------------------------------------------------------------------------

// Scenes that have lost energy without account: velocities projected at impacts (1349, 3105);
// positions thrown far by gaps that nearly depend on each other, corners that meet on a floor,
// between layers (the others); impulses of a ball wedged by an angle of rounding (4597);
// corners that clipped another body unseen within a step (2724, 3491, 6726, 83); and what the
// comments below say.
static void test_found(void **state)
{
    (void)state;
    const int numbers[] = {
        1349, 1854, 1914, 2724, 2817, 3105, 3491, 3624, 4038, 4201, 4567, 4597, 4714, 4864, 693,
        3169, 9576,                     // to and fro after impacts,
                                        // unpressed
        1617, 2845, 9292,               // a rod flat against a wall lands without end
        1609, 3226, 3504,               // waiting times that creep, steps that underflow
        5718, 7352,                     // sliders against their shear
        1518, 4420, 8101, 11542, 10427, // forces of another state, belts, flutter
        5039, 1443, 9057, 12680,        // open contacts pushed in, depths that contradict
        652, 8686, 8845, 1692,          // friction of admissible forces
        6726, 83, 16875, 14769, 10995, 24008, 32389, 40546, // gaps that jump where a corner
                                                            // ends
        29392, 38400, 43001,                                // events at a sample behind their zero
        29956, 42650,               // layers that leave by rounding, cones beside large forces
        25589, 32360,               // landings that fail again and again
        22103, 31148, 18031, 30240, // bodies that overlap in a layer where another corner comes in
        20639, 20796,               // layers that start with more energy than there is
        60283, 63624, 25469, 31107, // long first steps, corners that pass each other
        70537,                      // springs of layers wound up by nothing
        101141,                     // a corner that clips its neighbour shortly after an impact
        97178};                     // a slip that stops without acceleration: a ball over a rod
    Tally tally = {0};
    int bad = 0;
    if (getenv("SPRAG_TEST_FIRST"))
        skip();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        bad += !run_number(put_scene, numbers[i], &tally);
    assert_int_equal(bad, 0);
}

static void test_scenes(void **state)
{
    (void)state;
    run_many(put_scene, 0, test_draws(30), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_found)};
    return cmocka_run_group_tests_name("pilot", tests, setup, teardown);
}

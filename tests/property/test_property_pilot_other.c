// Random scenes of another kind than test_property_pilot's under motion: auto for a second: convex
// polygons, capsules and boxes that stand on each other from the start, on ramps, tables with ends
// and belts, with springs, hinges, guides, restitution, and friction that falls with the first
// slip.
#include "pilot_watch.h"

// ---- Scenes -------------------------------------------------------------------------------------

// Corners on an ellipse, counter-clockwise, the lowest one at −tall/2 or nearly.
static void put_polygon(Writer *w, double wide, double tall)
{
    int corners = 3 + sprag_random_below(w->random, 4);
    double turn = draw(w, 0, 2 * M_PI);
    put(w, "com: auto, shapes: [{polygon: {points: [");
    for (int i = 0; i < corners; i++) {
        double angle = turn + 2 * M_PI * (i + draw(w, -0.2, 0.2)) / corners;
        put(w, "%s[%.17g, %.17g]", i ? ", " : "", 0.5 * wide * cos(angle), 0.5 * tall * sin(angle));
    }
    put(w, "]}}]}\n");
}

// Of the height `tall` if it is set up straight.
static void put_shape(Writer *w, int kind, double mass, double wide, double tall)
{
    switch (kind) {
    case 0:
        put_polygon(w, wide, tall);
        break;
    case 1:
        put(w, "shapes: [{capsule: {radius: %.17g, length: %.17g}}]}\n", 0.5 * tall, wide);
        break;
    case 2:
        put(w, "shapes: [{circle: {radius: %.17g}}]}\n", 0.5 * tall);
        break;
    case 3:
        put(w,
            "inertia: %.17g, shapes: [{points: {a: [%.17g, %.17g], b: [%.17g, %.17g], c: [%.17g, "
            "%.17g]}}]}\n",
            mass * draw(w, 0.03, 0.2) * (wide * wide + tall * tall), -0.5 * wide, -0.5 * tall,
            wide * draw(w, 0, 0.5), -0.5 * tall, wide * draw(w, -0.1, 0.4), 0.5 * tall);
        break;
    default:
        put(w, "shapes: [{box: {size: [%.17g, %.17g]}}]}\n", wide, tall);
        break;
    }
}

// A tower or a row of bodies on the ground; those of a tower touch from the start.
static void put_bodies(Writer *w, int bodies, bool tower)
{
    double height = 0;
    for (int i = 0; i < bodies; i++) {
        int kind = tower ? 4 : sprag_random_below(w->random, 6);
        double mass = pow(10, draw(w, -1, 1)), wide = draw(w, 0.1, 0.6), tall = draw(w, 0.1, 0.5);
        double angle = tower || kind == 3 ? 0 : draw(w, -0.3, 0.3);
        double x = tower ? draw(w, -0.1, 0.1) : 0.9 * (i - 1);
        double above = tower ? 0 : 0.4;
        put(w, "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g], angle: %.17g, ", i, mass, x,
            height + 0.5 * tall + above, angle);
        if (sprag_random_below(w->random, 2))
            put(w, "velocity: [%.17g, %.17g], spin: %.17g, ", draw(w, -2, 2),
                tower ? 0 : draw(w, -2, 0), tower ? 0 : draw(w, -4, 4));
        put_shape(w, kind, mass, wide, tall);
        height = tower ? height + tall : 0;
    }
}

// Returns whether it is a belt.
static bool put_ground(Writer *w, bool tower)
{
    int kind = sprag_random_below(w->random, 4);
    const char *belt = sprag_random_below(w->random, 4) ? "" : "surface-velocity: [-0.5, 0], ";
    double slope = tower || kind == 0 ? 0 : draw(w, -0.4, 0.4);
    put(w, "sprag: 1\nbodies:\n");
    if (kind < 2)
        put(w, "  - {name: floor, fixed: true, %sshapes: [{plane: {normal: [%.17g, %.17g]}}]}\n",
            belt, -sin(slope), cos(slope));
    else
        put(w,
            "  - {name: floor, fixed: true, %sangle: %.17g, position: [%.17g, %.17g], shapes: "
            "[{box: "
            "{size: [3, 0.4]}}]}\n",
            belt, slope, 0.2 * sin(slope), -0.2 * cos(slope));
    if (sprag_random_below(w->random, 3) == 0)
        put(w, "  - {name: wall, fixed: true, position: [1.6, 0.5], shapes: [{box: {size: [0.2, "
               "2]}}]}\n");
    return belt[0] != 0;
}

static void put_rules(Writer *w)
{
    static const char *const layers[] = {
        "", "", ", compliance: {law: kelvin-voigt, stiffness: 3e5, damping: 80}",
        ", compliance: {law: hunt-crossley, stiffness: 1e8, alpha: 0.3}", ", model: compliant"};
    double mu = draw(w, 0, 3);
    put(w, "contacts:\n  - {between: ['*', '*'], ");
    if (sprag_random_below(w->random, 4))
        put(w, "friction: %.17g", mu);
    else
        put(w, "friction: {static: %.17g, kinetic: %.17g}", mu, mu * draw(w, 0.5, 1));
    if (sprag_random_below(w->random, 3) == 0)
        put(w, ", restitution: %.17g", draw(w, 0, 0.8));
    put(w, "%s}\n", layers[sprag_random_below(w->random, 5)]);
    if (sprag_random_below(w->random, 3) == 0)
        put(w, "  - {between: [b0, floor], friction: %.17g}\n", draw(w, 0, 3));
}

// A belt winds a body on a hinge, where that is self-locking, into the ground by any force: no
// scene.
static void put_joints(Writer *w, int bodies, bool belt)
{
    int kind = sprag_random_below(w->random, 6), last = bodies - 1;
    if (kind > 3 || (kind == 3 && bodies < 2) || (kind == 1 && belt))
        return;
    put(w, "joints:\n");
    if (kind == 0)
        put(w,
            "  - {name: cord, type: distance, between: [world, b0.com], at: [%.17g, %.17g], "
            "length: "
            "1, spring: {stiffness: %.17g, damping: %.17g}}\n",
            draw(w, -1, 1), draw(w, 1, 2), draw(w, 10, 300), draw(w, 0, 3));
    if (kind == 1)
        put(w, "  - {name: hinge, type: revolute, between: [world, b0], at: [%.17g, %.17g]}\n",
            draw(w, -1.5, 0), draw(w, 0.3, 0.8));
    if (kind == 2)
        put(w, "  - {name: guide, type: prismatic, between: [world, b%d], axis: [%.17g, 1]}\n",
            last, draw(w, -1, 1));
    if (kind == 3)
        put(w,
            "  - {name: band, type: distance, between: [b0.com, b%d.com], length: 0.3, spring: "
            "{stiffness: %.17g}}\n",
            last, draw(w, 10, 300));
}

static void put_other_scene(Writer *w)
{
    int bodies = 1 + sprag_random_below(w->random, 4);
    bool tower = sprag_random_below(w->random, 3) == 0;
    bool belt = put_ground(w, tower);
    put_bodies(w, bodies, tower);
    put_rules(w);
    put_joints(w, bodies, belt);
    if (!tower && sprag_random_below(w->random, 3) == 0)
        put(w, "start:\n  - {contact: [b0, floor], slip: %.17g}\n", draw(w, -4, 4));
    if (sprag_random_below(w->random, 2))
        put(w, "loads: [{body: b%d, force: [%.17g, %.17g], torque: %.17g}]\n",
            sprag_random_below(w->random, bodies), draw(w, -20, 20), draw(w, -20, 5),
            draw(w, -2, 2));
}

// ---- Tests --------------------------------------------------------------------------------------

static void test_scenes(void **state)
{
    (void)state;
    // what is known to fail among very many: a tower on a hinge with restitution, corners of bodies
    // that pass each other's corner while a third body is squeezed between them
    run_many(put_other_scene, 13, test_draws(5), 0.01);
}

// Scenes that have ended without a reason, gained energy or pulled.
static void test_found(void **state)
{
    (void)state;
    const int numbers[] = {158,
                           328, // verdicts at other scales of layers than the search for culprits
                           253, // a neighbour that got another layer while it was pressed
                           282, // friction that falls with the first slip, and forces with it
                           390, // shear that a switch wound up
                           438, // a slider that stops where it starts
                           510224, // corners that pass each other where one lands: a contact pulled
                           510049}; // sides that end where they are taken up, while time creeps
    Tally tally = {0};
    if (getenv("SPRAG_TEST_FIRST"))
        skip();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        run_number(put_other_scene, numbers[i], &tally);
    assert_int_equal(tally.bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_found)};
    return cmocka_run_group_tests_name("pilot, other scenes", tests, setup, teardown);
}

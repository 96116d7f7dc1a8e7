// Random scenes under motion: auto for a second, of a third kind: bodies with corners, discs and
// rods thrown into gutters, grooves, pits and onto steps, where they meet two sides at once, from
// ten centimetres to five metres in size.
#include "pilot_watch.h"

// ---- Scenes -------------------------------------------------------------------------------------

// Valleys of the ground: long enough that nothing rolls off in a second.
static void put_ground(Writer *w, double size)
{
    double left = draw(w, 0.1, 1.2), right = draw(w, 0.1, 1.2), far = 40 * size;
    double wide = draw(w, 0.6, 2) * size, tall = draw(w, 0.1, 0.4) * size;
    put(w, "sprag: 1\nbodies:\n  - {name: floor, fixed: true, shapes: [");
    switch (sprag_random_below(w->random, 4)) {
    case 0:
        put(w, "{chain: {points: [[%.17g, %.17g], [0, 0], [%.17g, %.17g]]}}", -far, far * left, far,
            far * right);
        break;
    case 1:
        put(w, "{name: l, plane: {normal: [%.17g, %.17g]}}, {name: r, plane: {normal: [%.17g, ",
            sin(left), cos(left), -sin(right));
        put(w, "%.17g]}}", cos(right));
        break;
    case 2:
        put(w, "{plane: {normal: [0, 1]}}, {name: l, plane: {normal: [1, 0], offset: %.17g}}, ",
            -1.5 * wide);
        put(w, "{name: r, plane: {normal: [-1, 0], offset: %.17g}}", -1.5 * wide);
        break;
    default:
        put(w, "{chain: {points: [[%.17g, %.17g], [%.17g, %.17g], ", -far, tall, -wide, tall);
        put(w, "[%.17g, 0], [%.17g, 0], [%.17g, %.17g], [%.17g, %.17g]]}}", -wide, wide, wide,
            -tall, far, -tall);
        break;
    }
    put(w, "]}\n");
}

static void put_shape(Writer *w, double mass, double wide, double tall)
{
    switch (sprag_random_below(w->random, 5)) {
    case 0:
        put(w, "inertia: %.17g, shapes: [{rod: {length: %.17g}}]}\n", mass * wide * wide / 12,
            wide);
        break;
    case 1:
        put(w, "shapes: [{circle: {radius: %.17g}}]}\n", 0.5 * tall);
        break;
    case 2:
        put(w, "shapes: [{capsule: {radius: %.17g, length: %.17g}}]}\n", 0.25 * tall, wide);
        break;
    case 3:
        put(w, "com: auto, shapes: [{polygon: {points: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, ",
            -0.5 * wide, -0.4 * tall, 0.4 * wide, -0.5 * tall, draw(w, 0, 0.5) * wide);
        put(w, "%.17g]]}}]}\n", 0.5 * tall);
        break;
    default:
        put(w, "shapes: [{box: {size: [%.17g, %.17g]}}]}\n", wide, tall);
        break;
    }
}

static void put_bodies(Writer *w, int bodies, double size)
{
    double speed = sqrt(9.81 * size);
    for (int i = 0; i < bodies; i++) {
        double wide = draw(w, 0.15, 0.6) * size, tall = draw(w, 0.1, 0.5) * size;
        double mass = pow(10, draw(w, 1, 3)) * wide * tall;
        put(w, "  - {name: b%d, mass: %.17g, position: [%.17g, %.17g], angle: %.17g, ", i, mass,
            (0.75 * (i - 0.5 * (bodies - 1)) + draw(w, -0.05, 0.05)) * size,
            draw(w, 1.6, 2.1) * size, draw(w, -3, 3));
        put(w, "velocity: [%.17g, %.17g], spin: %.17g, ", draw(w, -1, 1) * speed,
            draw(w, -1, 0) * speed, draw(w, -3, 3) * speed / size);
        put_shape(w, mass, wide, tall);
    }
}

static void put_rules(Writer *w)
{
    // Newton's makes energy where friction turns a slip over (theory.md 10.8)
    static const char *const laws[] = {"poisson", "energetic"};
    static const char *const layers[] = {
        "", "", ", model: compliant", ", compliance: {law: kelvin-voigt, epsilon: 1e-3, length: 1}",
        ", friction-law: karnopp, model: compliant"};
    double mu = draw(w, 0, sprag_random_below(w->random, 2) ? 0.5 : 3);
    put(w, "contacts:\n  - {between: ['*', '*'], friction: {static: %.17g, kinetic: %.17g}", mu,
        mu * draw(w, 0.6, 1));
    if (sprag_random_below(w->random, 2))
        put(w, ", restitution: {law: %s, e: %.17g}", laws[sprag_random_below(w->random, 2)],
            draw(w, 0, 0.9));
    put(w, "%s}\n", layers[sprag_random_below(w->random, 5)]);
}

static void put_valley_scene(Writer *w)
{
    double size = pow(10, draw(w, -1, 0.7));
    int bodies = 1 + sprag_random_below(w->random, 4);
    put_ground(w, size);
    put_bodies(w, bodies, size);
    put_rules(w);
}

// ---- Tests --------------------------------------------------------------------------------------

static void test_scenes(void **state)
{
    (void)state;
    // what is known to fail among very many (9 of the first 800): two corners of a body that rocks
    // on layers, both held by Karnopp's law, of which friction gives back some 1e-5 of the energy;
    // 103 takes a minute, 119 and 297 pull a little
    run_many(put_valley_scene, 0, test_draws(4), 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests_name("pilot, valleys", tests, setup, teardown);
}

// States on the border of things: no friction, no slip, A = 0 within rounding, corners on corners,
// no gravity, walls that just touch, very unequal masses, very small and very large scenes.
#include "support/scenes.h"
#include "support/with_context.h"

static const double G = 9.81;

#define BOX "  - {name: box, mass: 2, position: [0, 0.05], shapes: [{box: {size: [0.2, 0.1]}}]}\n"

static void test_no_friction(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context, "sprag: 1\nbodies:\n" SCENE_TABLE BOX);
    assert_held(&answer);
    assert_true(answer.verdict.forces_unique);
    assert_close(answer_force(&answer, 0, "box.c0-table", 0), G, 1e-13);
    answer_close(&answer);
    // pushed, it slides without resistance; gliding, it glides on
    for (int i = 0; i < 2; i++) {
        double acceleration[3];
        answer_format(&answer, context,
                      "sprag: 1\nbodies:\n" SCENE_TABLE BOX "loads: [{body: box, force: [%d, 0]}]\n"
                      "start: [{contact: [box, table], slip: %d}]\n",
                      i == 0, i);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(answer.verdict.solutions[0].stable && !answer.verdict.held);
        assert_int_equal(answer_mode(&answer, 0, "box.c0-table"), SPRAG_MODE_SLIDE_PLUS);
        answer_acceleration(&answer, 0, acceleration);
        assert_close(acceleration[0], i == 0 ? 0.5 : 0, 1e-13);
        assert_close(acceleration[1], 0, 1e-13);
        answer_close(&answer);
    }
}

// Slips below the tolerance are rest, in both directions and in every way of writing them.
static void test_no_slip(void **state)
{
    (void)state;
    static const double slips[] = {0, -0.0, 1e-30, -1e-30, 1e-300, -1e-14, 1e-11};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        for (int by_start = 0; by_start < 2; by_start++) {
            Answer answer;
            char line[128], velocity[64];
            snprintf(line, sizeof line, "start: [{contact: [box, table], slip: %.17g}]\n",
                     slips[i]);
            snprintf(velocity, sizeof velocity, "velocity: [%.17g, 0], ", slips[i]);
            answer_format(&answer, context,
                          "sprag: 1\nmaterials: {default: {friction: 0.5}}\nbodies:\n" SCENE_TABLE
                          "  - {name: box, mass: 2, position: [0, 0.05], %sshapes: [{box: {size: "
                          "[0.2, 0.1]}}]}\n%s",
                          by_start ? "" : velocity, by_start ? line : "");
            assert_held(&answer);
            assert_false(answer.problem->constraints[0].sliding);
            answer_close(&answer);
        }
}

// A is zero but for rounding, with B < 0: never a finite force of 1e16.
static void test_no_force_from_rounding(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(50); draw++) {
        double theta = sprag_random_uniform(&random, 0.3, 1.4);
        double I = sprag_random_uniform(&random, 0.01, 0.2), kappa = 0.25 / I;
        double mu = (1 + kappa * pow(cos(theta), 2)) / (kappa * sin(theta) * cos(theta));
        double nudge = 1 + sprag_random_uniform(&random, -4e-16, 4e-16);
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nbodies:\n" SCENE_TABLE
                      "  - {name: rod, mass: 1, inertia: %.17g, angle: %.17g, spin: 0, shapes: "
                      "[{points: {tip: [-0.5, 0], end: [0.5, 0]}}]}\n"
                      "contacts: [{name: tip, between: [rod.tip, table], friction: %.17g}]\n"
                      "start: [{contact: tip, slip: -1}]\n",
                      I, theta, mu * nudge);
        assert_close(answer.verdict.A, 0, 1e-13 * answer.problem->W[0]);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_NONE);
        assert_true(answer.verdict.recommended_compliant);
        answer_close(&answer);
    }
}

// A disc and a point exactly on a vertex of a chain: straight on, in a dent, on a bump.
static void test_chain_vertex(void **state)
{
    (void)state;
    static const double heights[] = {0, 0.5, -0.5}; // of the chain's ends above the vertex
    for (int n = 0; n < 3 * 2 * 2; n++) {
        Answer answer;
        double acceleration[3], height = heights[n % 3], friction = n / 3 % 2 ? 0.9 : 0;
        bool point = n / 6, dent = height > 0;
        if (point && height < 0 && friction == 0)
            continue; // a point on a smooth corner has no normal
        answer_format(&answer, context,
                      "sprag: 1\nmaterials: {default: {friction: %g}}\nbodies:\n"
                      "  - {name: ground, fixed: true, shapes: [{chain: {points: [[-1, %g], "
                      "[0, 0], [1, %g]]}}]}\n"
                      "  - {name: ball, mass: 1, inertia: 0.01, position: [0, %.17g], shapes: "
                      "[{%s}]}\n",
                      friction, height, height, dent && !point ? 0.1 * sqrt(1.25) : 0.1,
                      point ? "points: {tip: [0, -0.1]}" : "circle: {radius: 0.1}");
        assert_int_equal(answer.problem->constraint_count, dent ? 2 : 1);
        assert_held(&answer);
        // two rough contacts of a disc leave one number open; at one point all forces meet
        assert_int_equal(answer_motion(&answer, 0)->force_dimension,
                         dent && friction > 0 ? (point ? 2 : 1) : 0);
        answer_acceleration(&answer, 0, acceleration);
        for (int k = 0; k < 3; k++)
            assert_close(acceleration[k], 0, 1e-11);
        answer_close(&answer);
    }
}

// Nothing pulls, nothing moves: everything stays, without forces.
static void test_no_gravity(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\ngravity: [0, 0]\nmaterials: {default: {friction: "
                "0.5}}\nbodies:\n" SCENE_TABLE BOX);
    assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_true(answer.verdict.solutions[0].stable);
    assert_true(answer.verdict.held);
    assert_true(answer.verdict.forces_unique);
    assert_close(answer_force(&answer, 0, "box.c0-table", 0), 0, 0);
    answer_close(&answer);
    // between two walls it stays too, with any force of the walls against each other
    for (int rough = 0; rough < 2; rough++) {
        double low, high;
        answer_format(&answer, context,
                      "sprag: 1\ngravity: [0, 0]\nmaterials: {default: {friction: %g}}\n"
                      "bodies:\n" SCENE_TABLE
                      "  - {name: roof, fixed: true, shapes: [{plane: {normal: [0, -1], offset: "
                      "-0.1}}]}\n" BOX,
                      0.5 * rough);
        assert_int_equal(answer.problem->constraint_count, 4);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(answer.verdict.solutions[0].stable);
        assert_true(answer.verdict.held);
        answer_range(&answer, 0, "box.c0-table", 0, &low, &high);
        assert_close(low, 0, 1e-9);
        assert_true(isinf(high));
        answer_close(&answer);
    }
}

// A box that just fits between two walls: smooth walls let it fall, rough ones may hold it.
static void test_box_between_walls(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        Answer answer;
        double acceleration[3];
        answer_format(&answer, context,
                      "sprag: 1\nmaterials: {default: {friction: %g}}\nbodies:\n"
                      "  - {name: left, fixed: true, shapes: [{plane: {normal: [1, 0], offset: "
                      "-0.1}}]}\n"
                      "  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: "
                      "-0.1}}]}\n" BOX,
                      0.5 * rough);
        assert_int_equal(answer.problem->constraint_count, 4);
        assert_int_equal(answer.verdict.solution_count, 1 + rough);
        assert_int_equal(answer.verdict.stable_count, 1 + rough);
        assert_false(answer.verdict.held);
        answer_acceleration(&answer, rough, acceleration);
        assert_close(acceleration[1], -G, 1e-12);
        if (rough) {
            answer_acceleration(&answer, 0, acceleration);
            assert_close(acceleration[1], 0, 1e-12);
        }
        answer_close(&answer);
    }
}

// A stack of two boxes whose masses have this ratio, either way up.
static void test_unequal_masses(void **state)
{
    (void)state;
    for (int e = -6; e <= 6; e += 3) {
        double ratio = pow(10, e), acceleration[6];
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nmaterials: {default: {friction: 0.5}}\nbodies:\n" SCENE_TABLE
                      "  - {name: lower, mass: 1, position: [0, 0.05], shapes: [{box: {size: [0.4, "
                      "0.1]}}]}\n"
                      "  - {name: upper, mass: %.17g, position: [0.05, 0.15], shapes: [{box: "
                      "{size: [0.2, 0.1]}}]}\n",
                      ratio);
        assert_held(&answer);
        double total = 0;
        for (int c = 0; c < answer.problem->constraint_count; c++)
            if (strstr(answer.problem->constraints[c].name, "table"))
                total += answer_motion(&answer, 0)->force[answer.problem->constraints[c].row];
        assert_close(total, (1 + ratio) * G, 1e-12 * (1 + ratio) * G);
        answer_acceleration(&answer, 0, acceleration);
        // forces of the heavy one, rounded, act on the light one
        double rounding = 1e-13 * G * fmax(ratio, 1 / ratio);
        for (int k = 0; k < 6; k++)
            assert_close(acceleration[k], 0, rounding * (k % 3 == 2 ? 100 : 1));
        answer_close(&answer);
    }
}

// The same box at rest, pushed and on an incline from a micrometre to a thousand kilometres.
static void test_sizes(void **state)
{
    (void)state;
    for (int e = -6; e <= 6; e++) {
        double size = pow(10, e);
        for (int i = 0; i < 3; i++) {
            Answer answer;
            answer_format(&answer, context,
                          "sprag: 1\nparameters: {size: %.17g, alpha: atan(%.17g)}\n"
                          "gravity: [-9.81*sin(alpha), -9.81*cos(alpha)]\nbodies:\n" SCENE_TABLE
                          "  - {name: box, density: 1000, position: [0, 0.05*size], shapes: [{box: "
                          "{size: [0.2*size, 0.1*size]}}]}\n"
                          "contacts: [{between: [box, table], friction: 0.5}]\n",
                          size, 0.5 * i * (1 - 1e-9));
            if (i < 2) {
                assert_held(&answer);
            } else {
                assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
                assert_true(answer.verdict.solutions[0].stable && !answer.verdict.held);
                assert_int_equal(answer_motion(&answer, 0)->modes[0], SPRAG_MODE_SLIDE_MINUS);
            }
            answer_close(&answer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_friction),
        cmocka_unit_test(test_no_slip),
        cmocka_unit_test(test_no_force_from_rounding),
        cmocka_unit_test(test_chain_vertex),
        cmocka_unit_test(test_no_gravity),
        cmocka_unit_test(test_box_between_walls),
        cmocka_unit_test(test_unequal_masses),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

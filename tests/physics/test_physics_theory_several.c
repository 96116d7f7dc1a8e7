// The numbers of theory.md 3.3 and 8.5: existence with several contacts at rest, wedges, ladders,
// blocks on feet and on a belt, with their borders to 1e-9 as margins and maps find them.
#include "support/problems.h"
#include "support/scenes.h"
#include "support/with_context.h"

static const double G = 9.81;

static const char *example(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    return path;
}

// The margin of a parameter of an example, with other values of up to three others ("a=1 b=2").
static SpragMargin margin_of(const char *name, const char *path, int set_count,
                             const SpragSceneSet *sets, double *value)
{
    SpragSceneSettings settings = sprag_scene_default();
    SpragMargin margin;
    settings.sets = sets;
    settings.set_count = set_count;
    assert_ok(context,
              sprag_margin_parameter(context, example(name), &settings, path, value, &margin));
    return margin;
}

// ---- 3.3 ----------------------------------------------------------------------------------------

// Contacts at rest with independent rows always have a motion; if the determinants (3.4) are all
// positive it is the only one.
static void test_existence(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 33);
    int several = 0;
    for (int draw = 0; draw < test_draws(200); draw++) {
        int n = 1 + sprag_random_below(&random, 3), rows = 2 * n;
        double F[36];
        SpragContactProblem problem;
        Answer answer;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < n; i++)
            problem_add_contact(&problem, sprag_random_uniform(&random, 0.1, 3), 0);
        assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
        for (int i = 0; i < rows * rows; i++)
            F[i] = sprag_random_normal(&random);
        for (int i = 0; i < rows; i++) {
            problem.b[i] = sprag_random_normal(&random);
            for (int j = 0; j < rows; j++) {
                double sum = i == j ? 0.02 : 0;
                for (int k = 0; k < rows; k++)
                    sum += F[i * rows + k] * F[j * rows + k];
                problem.W[i * rows + j] = sum;
            }
        }
        answer_problem(&answer, &problem);
        assert_true(answer.verdict.solution_count >= 1);
        // generic data: an odd number, as the degree of the map of modes is one
        assert_int_equal(answer.verdict.solution_count % 2, 1);
        several += answer.verdict.solution_count > 1;
        answer_close(&answer);
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(several > 3);
}

// theory.md 3.2: one body with twelve contacts has at most 17 345 modes that some acceleration
// allows.
static void test_modes_of_a_body(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    SpragRandom random;
    SpragMotionSearch *search;
    sprag_random_init(&random, 32);
    assert_ok(context, sprag_motion_search_create(context, &search));
    for (int draw = 0; draw < test_draws(3); draw++) {
        SpragContactProblem problem;
        SpragMotionSet set;
        double *inverse, *entries;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < COUNT; i++)
            problem_add_contact(&problem, 0.4, 0);
        assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
        inverse[0] = inverse[4] = inverse[8] = 1;
        for (int k = 0; k < 3; k++)
            problem.free_acceleration[k] = sprag_random_normal(&random);
        for (int i = 0; i < COUNT; i++) {
            double angle = sprag_random_uniform(&random, 0, 6.28), n[2] = {cos(angle), sin(angle)};
            double x = sprag_random_uniform(&random, -1, 1),
                   y = sprag_random_uniform(&random, -1, 1);
            for (int r = 0; r < 2; r++) {
                double d[2] = {r ? n[1] : n[0], r ? -n[0] : n[1]};
                assert_ok(context,
                          sprag_contact_problem_add_row_block(&problem, 2 * i + r, 0, &entries));
                entries[0] = d[0];
                entries[1] = d[1];
                entries[2] = x * d[1] - y * d[0];
                problem.bias[2 * i + r] = sprag_random_normal(&random);
            }
        }
        assert_ok(context, sprag_contact_problem_assemble(&problem));
        assert_ok(context, sprag_motion_search_run(search, &problem, NULL, &set));
        assert_true(set.complete);
        assert_true(set.leaf_count <= 17345);
        sprag_contact_problem_destroy(&problem);
    }
    sprag_motion_search_destroy(search);
}

// ---- The wedge ----------------------------------------------------------------------------------

// Two stable motions iff h/w < μ: the border as a map over (h, μ) finds it.
static void test_wedge_map(void **state)
{
    (void)state;
    SpragMapSettings settings = sprag_map_default();
    settings.x = "h=0.05:0.45:9";
    settings.y = "mu=0.03:1.01:15";
    settings.border_tolerance = 1e-12;
    SpragMap *map;
    assert_ok(context, sprag_map_create(context, example("wedge"), &settings, &map));
    int bisected = 0;
    for (int i = 0; i < map->vertex_count; i++) {
        if (map->vertices[i].meeting)
            continue;
        bisected++;
        assert_close(map->vertices[i].y, map->vertices[i].x / 0.5, 1e-9);
    }
    assert_true(bisected >= 9);
    for (int j = 0; j < 15; j++)
        for (int i = 0; i < 9; i++) {
            const SpragOutcome *outcome = &map->table[map->classes[i + 9 * j]].outcome;
            bool holds = map->axes[1].values[j] > map->axes[0].values[i] / 0.5;
            assert_int_equal(outcome->solution_count, holds ? 2 : 1);
            assert_int_equal(outcome->stable_count, holds ? 2 : 1);
            assert_int_equal(outcome->recommended_compliant, holds);
            assert_int_equal(outcome->forces_unique, !holds);
        }
    sprag_map_destroy(map);
}

// ---- Ladders ------------------------------------------------------------------------------------

// Equal frictions: it stands as long as tan θ ≥ (1 − μ²)/(2 μ), that is μ ≥ sqrt(1 + tan²θ) − tan
// θ.
static void test_ladder_friction(void **state)
{
    (void)state;
    static const double degrees[] = {45, 50, 60, 70, 80};
    for (int i = 0; i < 5; i++) {
        char angle[40];
        snprintf(angle, sizeof angle, "%.17g deg", degrees[i]);
        const SpragSceneSet sets[] = {{"theta", angle}, {"mu", "0.7"}};
        double mu, t = tan(degrees[i] * 3.14159265358979323846 / 180);
        SpragMargin margin = margin_of("ladder", "mu", 2, sets, &mu);
        double critical = sqrt(1 + t * t) - t;
        assert_close(mu * (1 - margin.down.change), critical, 1e-9);
        assert_false(margin.down.becomes.held);
        assert_string_equal(margin.down.becomes.modes, "slide+ slide+");
        assert_true(isinf(margin.up.change));
    }
}

// Frictions that differ: tan θ = (1 − μ₁μ₂)/(2 μ₁). Without friction at the wall: 1/(2 μ).
static void test_ladder_angle(void **state)
{
    (void)state;
    static const double floors[] = {0.3, 0.5, 0.9}, walls[] = {0, 0.2, 0.6};
    for (int i = 0; i < 9; i++) {
        double floor_friction = floors[i % 3], wall_friction = walls[i / 3], theta;
        double critical = atan((1 - floor_friction * wall_friction) / (2 * floor_friction));
        char start[40], floor_text[40], wall_text[40];
        snprintf(start, sizeof start, "%.17g", 0.5 * (critical + 1.48));
        snprintf(floor_text, sizeof floor_text, "%.17g", floor_friction);
        snprintf(wall_text, sizeof wall_text, "%.17g", wall_friction);
        const SpragSceneSet sets[] = {{"parameters.theta", "{value: 60 deg, from: 10 deg, to: 85 "
                                                           "deg}"},
                                      {"theta", start},
                                      {"contacts.foot.friction", floor_text},
                                      {"contacts.top.friction", wall_text}};
        SpragMargin margin = margin_of("ladder", "theta", 4, sets, &theta);
        assert_close(theta * (1 - margin.down.change), critical, 1e-9);
        assert_false(margin.down.becomes.held);
    }
}

// ---- Blocks -------------------------------------------------------------------------------------

#define BLOCK                                                                                      \
    "sprag: 1\nproblem: contact\n"                                                                 \
    "parameters: {m: 3, I: 0.7, a: %.17g, h: %.17g, mu: %.17g}\n"                                  \
    "mass: [m, m, I]\n"                                                                            \
    "J: [[0, 1, -a], [1, 0, h], [0, 1, a], [1, 0, h]]\n"                                           \
    "force: [0, -9.81*m, 0]\n"

// (8.2) as a bare problem in the coordinates (x, y, θ): forces, and lift-off at μ h = a to 1e-9.
static void test_block_on_feet(void **state)
{
    (void)state;
    static const double heights[] = {0.3, 0.8, 2};
    for (int i = 0; i < 6; i++) {
        double a = 0.5, h = heights[i % 3], mu = (i < 3 ? 0.4 : 0.9) * a / h, slip = i % 2 ? 1 : -1;
        Answer answer;
        SpragMargin margin;
        answer_format(&answer, context,
                      BLOCK "contacts: [{name: left, friction: mu, slip: %g}, {name: right, "
                            "friction: mu, slip: %g}]\n",
                      a, h, mu, slip, slip);
        assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
        // friction brakes the slip and presses the foot ahead
        double side = slip * mu * h / a, weight = 3 * G;
        assert_close(answer_force(&answer, 0, "left", 0), weight / 2 * (1 - side), 1e-12 * weight);
        assert_close(answer_force(&answer, 0, "right", 0), weight / 2 * (1 + side), 1e-12 * weight);
        double q[3];
        answer_acceleration(&answer, 0, q);
        assert_close(q[0], -slip * mu * G, 1e-12 * G);
        assert_close(q[1], 0, 1e-12 * G);
        assert_close(q[2], 0, 1e-12 * G);
        assert_ok(context, sprag_margin_friction(answer.analysis, answer.problem, NULL,
                                                 SPRAG_ALL_CONTACTS, &margin));
        // the rear foot lifts, unless a verdict on flutter changes before
        double lift = a / (h * mu) - 1;
        assert_true(margin.up.change <= lift + 1e-9);
        if (strstr(margin.up.becomes.modes, "separate"))
            assert_close(margin.up.change, lift, 1e-9 * (1 + lift));
        answer_close(&answer);
    }
}

// theory.md 2.6: one foot rests on the floor, the other is dragged by a belt: 4.905 N each.
static void test_block_on_belt(void **state)
{
    (void)state;
    Answer answer;
    answer_text(
        &answer, context,
        "sprag: 1\nproblem: contact\nmass: [1, 1, 2/3]\n"
        "J: [[0, 1, -1], [1, 0, 1], [0, 1, 1], [1, 0, 1]]\nforce: [0, -9.81, 0]\n"
        "contacts: [{name: floor, friction: 0.5}, {name: belt, friction: 0.3, slip: -1}]\n");
    assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_true(answer.verdict.solutions[0].stable);
    assert_int_equal(answer_mode(&answer, 0, "floor"), SPRAG_MODE_STICK);
    assert_close(answer_force(&answer, 0, "floor", 0), 4.905, 1e-13);
    assert_close(answer_force(&answer, 0, "belt", 0), 4.905, 1e-13);
    assert_close(answer_force(&answer, 0, "belt", 1), 0.3 * 4.905, 1e-13);
    assert_close(answer_force(&answer, 0, "floor", 1), -0.3 * 4.905, 1e-13);
    answer_close(&answer);
}

// A table on four legs without friction: one motion, the forces lie between 0 and half the weight;
// their sum and their moment are fixed.
static void test_four_legs(void **state)
{
    (void)state;
    Answer answer;
    answer_text(&answer, context,
                "sprag: 1\nproblem: contact\nmass: [2, 2, 1]\n"
                "J: [[0, 1, -1], [1, 0, 1], [0, 1, -0.5], [1, 0, 1], [0, 1, 0.5], [1, 0, 1], [0, "
                "1, 1], [1, 0, 1]]\nforce: [0, -19.62, 0]\n"
                "contacts: [{friction: 0}, {friction: 0}, {friction: 0}, {friction: 0}]\n");
    assert_int_equal(answer.verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_int_equal(answer_motion(&answer, 0)->force_dimension, 2);
    assert_true(answer.verdict.solutions[0].stable && answer.verdict.held);
    const double *force = answer_motion(&answer, 0)->force;
    assert_close(force[0] + force[2] + force[4] + force[6], 2 * G, 1e-12);
    assert_close(force[6] - force[0] + 0.5 * (force[4] - force[2]), 0, 1e-12);
    double low, high;
    answer_range(&answer, 0, "c0", 0, &low, &high);
    // alone with its mirror image: half the weight; the inner pair alone: nothing
    assert_close(low, 0, 1e-11);
    assert_close(high, G, 1e-9);
    // an inner leg: its opposite outer leg balances it, 0.5 f = 1 g, f + g = W: f = 2/3 W
    answer_range(&answer, 0, "c1", 0, &low, &high);
    assert_close(low, 0, 1e-11);
    assert_close(high, 2 * G * 2 / 3, 1e-9);
    answer_close(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_existence),     cmocka_unit_test(test_modes_of_a_body),
        cmocka_unit_test(test_wedge_map),     cmocka_unit_test(test_ladder_friction),
        cmocka_unit_test(test_ladder_angle),  cmocka_unit_test(test_block_on_feet),
        cmocka_unit_test(test_block_on_belt), cmocka_unit_test(test_four_legs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

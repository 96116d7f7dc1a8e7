// test_analysis_space.c: verdicts on contacts in space.
#include "support/space.h"

typedef struct World {
    SpragContext *context;
    SpragAnalysis *analysis;
} World;

static int setup(void **state)
{
    World *world = malloc(sizeof *world);
    world->context = test_context();
    assert_ok(world->context, sprag_analysis_create(world->context, &world->analysis));
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    World *world = *state;
    sprag_analysis_destroy(world->analysis);
    sprag_context_destroy(world->context);
    free(world);
    return 0;
}

static const double example_W[9] = {1, 0.6, 0.6, 0.6, 2, 0, 0.6, 0, 0.5};
static const double example_b[3] = {-1, 4.6, -1.5};

// theory.md 13.1: of the two slips that start only χ = 0 attracts.
static void a_direction_turns_away(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    SpragVerdict verdict;
    space_one(&problem, world->context, example_W, example_b, 1, 0, 0);
    assert_ok(world->context, sprag_analysis_run(world->analysis, &problem, NULL, &verdict));
    assert_int_equal(verdict.kind, SPRAG_VERDICT_MULTIPLE);
    assert_int_equal(verdict.solution_count, 3);
    assert_int_equal(verdict.stable_count, 2);
    assert_true(verdict.one_contact);
    assert_close(verdict.A, 1 - 0.6 * sqrt(2), 1e-14);
    assert_close(verdict.B, -1, 0);
    assert_false(verdict.held);
    assert_true(verdict.recommended_compliant);
    assert_true(verdict.solutions[0].stable && verdict.solutions[1].stable);
    assert_false(verdict.solutions[2].stable);
    assert_true(verdict.solutions[2].turns);
    assert_int_equal(verdict.solutions[2].stability, SPRAG_DIVERGENT);
    assert_non_null(strstr(verdict.reason, "turns away"));
    sprag_contact_problem_destroy(&problem);
}

// d⊥·a_T where slip starts in direction χ and the contact stays closed.
static double across(const double *W, const double *b, double mu, double chi)
{
    double d[2] = {cos(chi), sin(chi)};
    double normal = -b[0] / (W[0] - mu * (W[1] * d[0] + W[2] * d[1])), a[2];
    for (int k = 0; k < 2; k++) {
        const double *w = W + 3 * (k + 1);
        a[k] = b[k + 1] + normal * (w[0] - mu * (w[1] * d[0] + w[2] * d[1]));
    }
    return -d[1] * a[0] + d[0] * a[1];
}

static void attraction_agrees_with_a_difference(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 21);
    int turning = 0, keeping = 0;
    for (int i = 0; i < test_draws(400); i++) {
        SpragContactProblem problem;
        SpragVerdict verdict;
        double mu = sprag_random_uniform(&random, 0.3, 2);
        space_begin(&problem, world->context);
        space_add(&problem, mu, 0, 0);
        space_random_W(&problem, &random, 3);
        for (int r = 0; r < 3; r++)
            problem.b[r] = sprag_random_normal(&random);
        problem.b[0] = -fabs(problem.b[0]);
        assert_ok(world->context, sprag_analysis_run(world->analysis, &problem, NULL, &verdict));
        for (int s = 0; s < verdict.solution_count; s++) {
            const SpragSolution *solution = &verdict.solutions[s];
            const double *d = solution->motion->direction;
            if (solution->motion->modes[0] != SPRAG_MODE_SLIDE)
                continue;
            double chi = atan2(d[1], d[0]), h = 1e-5;
            double slope = (across(problem.W, problem.b, mu, chi + h) -
                            across(problem.W, problem.b, mu, chi - h)) /
                           (2 * h);
            double A = problem.W[0] - mu * (problem.W[1] * d[0] + problem.W[2] * d[1]);
            // near a border the difference decides nothing: its error is 1e-10 × third derivative
            if (fabs(slope) < 1e-3 || fabs(A) < 1e-3)
                continue;
            assert_int_equal(solution->stable, A > 0 && slope < 0);
            assert_int_equal(solution->turns, A > 0 && slope > 0);
            turning += solution->turns;
            keeping += solution->stable;
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(turning > 0 && keeping > 0);
}

// Sticking: D is the whole W, whose eigenvalues are the layer's. Sliding: D = A of (13.2).
static void layers_are_those_of_the_theory(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    SpragVerdict verdict;
    static const double W[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, b[3] = {-1, 0.1, 0};
    space_one(&problem, world->context, W, b, 0.5, 0, 0);
    assert_ok(world->context, sprag_analysis_run(world->analysis, &problem, NULL, &verdict));
    assert_true(verdict.held);
    assert_int_equal(verdict.solutions[0].layer_count, 3);
    for (int i = 0; i < 3; i++)
        assert_close(verdict.solutions[0].layer[i].real, 3 - i, 1e-12);
    sprag_contact_problem_destroy(&problem);
    space_one(&problem, world->context, example_W, example_b, 0.5, 3, 4);
    assert_ok(world->context, sprag_analysis_run(world->analysis, &problem, NULL, &verdict));
    assert_close(verdict.A, 1 - 0.5 * 0.84, 1e-14);
    assert_int_equal(verdict.solutions[0].layer_count, 1);
    assert_close(verdict.solutions[0].layer[0].real, verdict.A, 1e-14);
    assert_int_equal(verdict.chosen, 0);
    sprag_contact_problem_destroy(&problem);
}

// μ at which the unit particle starts to slip: |b_T| / |b_N| = 0.5.
static void margin_of_friction(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    SpragMargin margin;
    static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0.3, 0.4};
    space_one(&problem, world->context, W, b, 0.8, 0, 0);
    assert_ok(world->context,
              sprag_margin_friction(world->analysis, &problem, NULL, SPRAG_ALL_CONTACTS, &margin));
    assert_close(margin.down.change, 1 - 0.5 / 0.8, 1e-8);
    assert_true(isinf(margin.up.change));
    assert_string_equal(margin.down.becomes.modes, "slide");
    sprag_contact_problem_destroy(&problem);
}

static void box_on_four_feet_is_held(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    SpragVerdict verdict;
    static const double feet[4][3] = {
        {0.5, 0.3, -0.4}, {-0.5, 0.3, -0.4}, {-0.5, -0.3, -0.4}, {0.5, -0.3, -0.4}};
    static const double inverse[3] = {6, 5, 4};
    for (int steep = 0; steep < 2; steep++) {
        double angle = (steep ? 40 : 10) * atan(1) / 45;
        const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
        space_body(&problem, world->context, 4, feet, 0.5, inverse, free);
        assert_ok(world->context, sprag_analysis_run(world->analysis, &problem, NULL, &verdict));
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(verdict.complete);
        assert_int_equal(verdict.held, !steep);
        assert_false(verdict.forces_unique);
        assert_int_equal(verdict.chosen, 0);
        assert_int_equal(verdict.solutions[0].layer_count, steep ? 3 : 6);
        sprag_contact_problem_destroy(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_direction_turns_away, setup, teardown),
        cmocka_unit_test_setup_teardown(attraction_agrees_with_a_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(layers_are_those_of_the_theory, setup, teardown),
        cmocka_unit_test_setup_teardown(margin_of_friction, setup, teardown),
        cmocka_unit_test_setup_teardown(box_on_four_feet_is_held, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Contact problems that are hard on arithmetic: light and heavy bodies, no or huge friction, empty
// rows, rows that are almost dependent, walls that are almost parallel, A almost zero, redundant
// and contradicting bilateral rows, self-stress in axes that rounding tilts.
#include "support/problems.h"
#include "support/with_analysis.h"

static SpragVerdict run(SpragContactProblem *problem)
{
    SpragVerdict verdict;
    assert_ok(context, sprag_analysis_run(analysis, problem, NULL, &verdict));
    assert_true(verdict.complete);
    for (int i = 0; i < verdict.solution_count; i++)
        assert_true(verdict.solutions[i].motion->residual <= 1e-8);
    return verdict;
}

static void add_body(SpragContactProblem *problem, double mass, double inertia, const double f[3])
{
    double *inverse;
    int first = problem->velocity_count;
    assert_ok(context, sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = 1 / mass;
    inverse[8] = 1 / inertia;
    for (int k = 0; k < 3; k++)
        problem->free_acceleration[first + k] = f[k] * inverse[4 * k];
}

// Row `row`: force `direction` at `at` (from the centre of mass) on body `block`.
static void add_row(SpragContactProblem *problem, int row, int block, SpragVec2 direction,
                    SpragVec2 at)
{
    double *entries;
    assert_ok(context, sprag_contact_problem_add_row_block(problem, row, block, &entries));
    entries[0] = direction.x;
    entries[1] = direction.y;
    entries[2] = sprag_vec2_cross(at, direction);
}

static void add_rows(SpragContactProblem *problem, int contact, int block, SpragVec2 normal,
                     SpragVec2 at)
{
    add_row(problem, 2 * contact, block, normal, at);
    add_row(problem, 2 * contact + 1, block, sprag_vec2_tangent(normal), at);
}

// ---- Light and heavy ----------------------------------------------------------------------------

// A square on a square on the floor, two points each: everything rests, and weights add up.
static void test_stack(void **state)
{
    (void)state;
    static const double masses[][2] = {{1, 1},      {1e3, 1e-3}, {1e-3, 1e3}, {1e6, 1e-6},
                                       {1e-4, 1e4}, {1e8, 1e8},  {1e-8, 1e-8}};
    for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
        double lower = masses[k][0], upper = masses[k][1], g = 9.81;
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < 4; i++)
            problem_add_contact(&problem, 0.5, 0);
        add_body(&problem, lower, lower / 6, (double[]){0, -g * lower, 0});
        add_body(&problem, upper, upper / 6, (double[]){0, -g * upper, 0});
        for (int i = 0; i < 2; i++) {
            double x = i ? 0.5 : -0.5;
            add_rows(&problem, i, 0, sprag_vec2(0, 1), sprag_vec2(x, -0.5));
            add_rows(&problem, 2 + i, 1, sprag_vec2(0, 1), sprag_vec2(x, -0.5));
            // the reaction on the lower body
            add_row(&problem, 4 + 2 * i, 0, sprag_vec2(0, -1), sprag_vec2(x, 0.5));
            add_row(&problem, 5 + 2 * i, 0, sprag_vec2(-1, 0), sprag_vec2(x, 0.5));
        }
        assert_ok(context, sprag_contact_problem_assemble(&problem));
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_int_equal(verdict.solutions[0].stability, SPRAG_STABLE);
        assert_true(verdict.held);
        const SpragMotion *motion = verdict.solutions[0].motion;
        assert_int_equal(motion->force_dimension, 2);
        for (int i = 0; i < 4; i++) {
            double weight = i < 2 ? lower + upper : upper;
            assert_int_equal(motion->modes[i], SPRAG_MODE_STICK);
            assert_close(motion->force[2 * i], 0.5 * g * weight, 1e-6 * g * weight);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Bodies of 1e-6 and 1e6 kg that do not touch: each one as if it were alone.
static void test_uncoupled(void **state)
{
    (void)state;
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    problem_add_contact(&problem, 0.5, 0);
    problem_add_contact(&problem, 0.5, 0);
    add_body(&problem, 1e-6, 1e-6, (double[]){3e-6, -9.81e-6, 0});
    add_body(&problem, 1e6, 1e6, (double[]){6e6, -9.81e6, 0});
    add_rows(&problem, 0, 0, sprag_vec2(0, 1), sprag_vec2(0, 0));
    add_rows(&problem, 1, 1, sprag_vec2(0, 1), sprag_vec2(0, 0));
    assert_ok(context, sprag_contact_problem_assemble(&problem));
    SpragVerdict verdict = run(&problem);
    assert_int_equal(verdict.solution_count, 1);
    const SpragMotion *motion = verdict.solutions[0].motion;
    assert_int_equal(motion->modes[0], SPRAG_MODE_STICK);
    assert_int_equal(motion->modes[1], SPRAG_MODE_SLIDE_PLUS);
    assert_close(motion->force[0], 9.81e-6, 1e-18);
    assert_close(motion->acceleration[3], 6 - 0.5 * 9.81, 1e-12);
    sprag_contact_problem_destroy(&problem);
}

// ---- Friction and empty rows --------------------------------------------------------------------

static void test_extreme_friction(void **state)
{
    (void)state;
    static const SpragVec2 feet[] = {{-1, -0.5}, {1, -0.5}};
    static const struct {
        double first, second, push;
        SpragMode mode; // of both feet
    } cases[] = {{0, 0, 5, SPRAG_MODE_SLIDE_PLUS},       {1e6, 1e6, 5, SPRAG_MODE_STICK},
                 {1e6, 0, 5, SPRAG_MODE_STICK},          {1e-8, 1e-8, 0, SPRAG_MODE_STICK},
                 {1e-8, 1e-8, 1, SPRAG_MODE_SLIDE_PLUS}, {1e-8, 1e6, -1, SPRAG_MODE_STICK}};
    double slip[2] = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, 1, 1, 2, feet,
                               (double[]){cases[k].first, cases[k].second}, slip,
                               (double[]){cases[k].push, -9.81, 0});
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.solution_count, 1);
        const SpragMotion *motion = verdict.solutions[0].motion;
        for (int i = 0; i < 2; i++)
            assert_int_equal(motion->modes[i], cases[k].mode);
        assert_close(motion->force[0] + motion->force[2], 9.81, 1e-9);
        sprag_contact_problem_destroy(&problem);
    }
}

// Neither body can move: W = 0 and the acceleration is b whatever the forces.
static void test_empty_rows(void **state)
{
    (void)state;
    for (int b = -1; b <= 1; b++) {
        SpragContactProblem problem;
        problem_one(&problem, context, (double[]){0, 0, 0}, (double[]){b, 0}, 0.5, 0);
        assert_ok(context, sprag_contact_problem_check(&problem));
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, b < 0 ? SPRAG_VERDICT_NONE : SPRAG_VERDICT_UNIQUE);
        if (b == 0) {
            const SpragMotion *motion = verdict.solutions[0].motion;
            assert_int_equal(motion->modes[0], SPRAG_MODE_STICK);
            assert_int_equal(motion->force_dimension, 2);
            assert_true(isinf(motion->force_high[0]) && motion->force_low[0] == 0);
        }
        sprag_contact_problem_destroy(&problem);
    }
    // an entry beside a zero on the diagonal is indefinite
    SpragContactProblem problem;
    problem_one(&problem, context, (double[]){0, 0.5, 1}, (double[]){-1, 0}, 0.5, 0);
    assert_int_equal(sprag_contact_problem_check(&problem), SPRAG_ERROR_INPUT);
    sprag_contact_problem_destroy(&problem);
}

// A of (2.6) around zero, theory.md 4.2 and 8.4.
static void test_small_A(void **state)
{
    (void)state;
    static const double sizes[] = {1e-6, 1e-8, 1e-10};
    for (int k = 0; k < 3; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double A = sign * sizes[k], a[] = {1, -0.5 * (1 - A), 1};
            SpragContactProblem problem;
            problem_one(&problem, context, a, (double[]){-1, 0.3}, 2, -1.5);
            SpragVerdict verdict = run(&problem);
            assert_int_equal(verdict.solution_count, sign > 0);
            if (sign > 0)
                assert_close(verdict.solutions[0].motion->force[0] * A, 1, 1e-15 / sizes[k]);
            sprag_contact_problem_destroy(&problem);
            problem_one(&problem, context, a, (double[]){1, 0.3}, 2, -1.5);
            verdict = run(&problem);
            assert_int_equal(verdict.solution_count, sign > 0 ? 1 : 2);
            sprag_contact_problem_destroy(&problem);
        }
    }
}

// ---- Almost dependent rows ----------------------------------------------------------------------

// Two of three points move together; then the answer must be that of two points, at any distance.
static void test_close_points(void **state)
{
    (void)state;
    double friction[] = {0.5, 0.5, 0.5}, slip[3] = {0};
    for (int k = 1; k <= 17; k++) {
        SpragVec2 points[] = {{-1, -0.5}, {0.5, -0.5}, {0.5 + pow(10, -k), -0.5}};
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, 1, 1, 3, points, friction, slip,
                               (double[]){1, -9.81, 0});
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(verdict.held);
        assert_int_equal(verdict.solutions[0].motion->force_dimension, 3);
        sprag_contact_problem_destroy(&problem);
    }
}

// One of three points gets a bias of its own (the floor falls away or rises below it): from
// rounding to large there is always exactly one motion, whichever it is and wherever the others
// are.
static void test_inconsistent_bias(void **state)
{
    (void)state;
    static const double places[][3] = {{-1, 0, 1}, {-1, -0.9, 1}, {-1, 0.99, 1}};
    double friction[] = {0.5, 0.5, 0.5}, slip[3] = {0};
    for (double exponent = -17; exponent <= 0; exponent += 0.125) {
        for (int variant = 0; variant < 18; variant++) {
            int odd = variant % 3, sign = variant / 3 % 2 ? 1 : -1;
            SpragVec2 points[3];
            SpragContactProblem problem;
            for (int i = 0; i < 3; i++)
                points[i] = sprag_vec2(places[variant / 6][i], -0.5);
            problem_body_on_points(&problem, context, 1, 1, 3, points, friction, slip,
                                   (double[]){1, -9.81, 0});
            problem.bias[2 * odd] = sign * pow(10, exponent);
            assert_ok(context, sprag_contact_problem_assemble(&problem));
            SpragVerdict verdict = run(&problem);
            assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
            if (exponent < -12)
                assert_true(verdict.held);
            if (exponent > -6 && sign > 0 && odd == 1)
                assert_int_equal(verdict.solutions[0].motion->modes[1], SPRAG_MODE_SEPARATE);
            sprag_contact_problem_destroy(&problem);
        }
    }
}

// A body between two walls at an angle: it can always stick by self-stress, at any small angle.
static void test_parallel_walls(void **state)
{
    (void)state;
    for (double exponent = -17; exponent <= -1; exponent += 0.25) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double angle = sign * pow(10, exponent);
            SpragContactProblem problem;
            sprag_contact_problem_init(&problem, context);
            problem_add_contact(&problem, 0.3, 0);
            problem_add_contact(&problem, 0.3, 0);
            add_body(&problem, 1, 1, (double[]){0, -9.81, 0});
            add_rows(&problem, 0, 0, sprag_vec2(1, 0), sprag_vec2(-1, 0));
            add_rows(&problem, 1, 0, sprag_vec2(-cos(angle), sin(angle)), sprag_vec2(1, 0));
            assert_ok(context, sprag_contact_problem_assemble(&problem));
            SpragVerdict verdict = run(&problem);
            assert_true(verdict.solution_count > 0);
            const SpragMotion *stick = verdict.solutions[0].motion;
            assert_int_equal(stick->modes[0], SPRAG_MODE_STICK);
            assert_int_equal(stick->modes[1], SPRAG_MODE_STICK);
            assert_int_equal(stick->force_dimension, 1);
            assert_true(isinf(stick->force_high[0]));
            sprag_contact_problem_destroy(&problem);
        }
    }
}

static void test_redundant_bilateral(void **state)
{
    (void)state;
    static const double factor[] = {1, 1 + 1e-13, -2, 1}, bias[] = {0, 0, 0, 1e-3};
    for (int k = 0; k < 4; k++) {
        SpragConstraint *c;
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < 2; i++)
            assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_BILATERAL, &c));
        problem_add_contact(&problem, 0.5, 0);
        add_body(&problem, 1, 1, (double[]){1, -9.81, 0});
        add_row(&problem, 0, 0, sprag_vec2(1, 0), sprag_vec2(0, 0));
        add_row(&problem, 1, 0, sprag_vec2(factor[k], 0), sprag_vec2(0, 0));
        add_rows(&problem, 1, 0, sprag_vec2(0, 1), sprag_vec2(0, -0.5));
        problem.bias[1] = bias[k];
        assert_ok(context, sprag_contact_problem_assemble(&problem));
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.solution_count, bias[k] == 0);
        if (bias[k] == 0) {
            const SpragMotion *motion = verdict.solutions[0].motion;
            assert_close(motion->force[0] + factor[k] * motion->force[1], -1, 1e-9);
            assert_true(isinf(motion->force_low[0]) && isinf(motion->force_high[1]));
            assert_close(motion->force[2], 9.81, 1e-9);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// ---- Found by random draws ----------------------------------------------------------------------

typedef struct Point {
    SpragVec2 at, normal;
    double friction, slip;
} Point;

static void problem_of_points(SpragContactProblem *problem, double mass, double inertia,
                              const double f[3], int count, const Point *points)
{
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < count; i++)
        problem_add_contact(problem, points[i].friction, points[i].slip);
    add_body(problem, mass, inertia, f);
    for (int i = 0; i < count; i++)
        add_rows(problem, i, 0, points[i].normal, points[i].at);
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

// cos(π/2) is 6e-17: no force of 1e16 between opposite walls may lift the body by it.
static void test_tilt_by_rounding(void **state)
{
    (void)state;
    static const Point points[] = {{{-1, 1}, {6.1e-17, 1}, 0.75, -1},
                                   {{0, -1}, {-1, 1.2e-16}, 0, 0},
                                   {{0, -1}, {6.1e-17, 1}, 1.02, -1},
                                   {{0, -1}, {1, 0}, 0, -1}};
    SpragContactProblem problem;
    problem_of_points(&problem, 1.15, 1.44, (double[]){-0.39, -1.31, 0.9}, 4, points);
    SpragVerdict verdict = run(&problem);
    assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
    assert_true(isinf(verdict.solutions[0].motion->force_high[2]));
    sprag_contact_problem_destroy(&problem);
}

// Between floor and ceiling at one point: λN of the floor has a range with a closed form, from the
// cone of the sticking contact; a row that is zero but for rounding must not cut it off.
static void test_range(void **state)
{
    (void)state;
    double mu[] = {0.15, 0.33, 0.87}, inertia = 1.73, mass = 1.08, f[] = {-1.08, -1.4, 0.015};
    const Point points[] = {{{-1, -1}, {1, 0}, mu[0], 1},
                            {{-1, 1}, {6.1e-17, 1}, mu[1], 0},
                            {{-1, 1}, {-1.8e-16, -1}, mu[2], 1}};
    SpragContactProblem problem;
    problem_of_points(&problem, mass, inertia, f, 3, points);
    SpragVerdict verdict = run(&problem);
    const SpragMotion *motion = NULL;
    for (int i = 0; i < verdict.solution_count; i++)
        if (verdict.solutions[i].motion->modes[1] == SPRAG_MODE_STICK)
            motion = verdict.solutions[i].motion;
    assert_non_null(motion);
    // at rest: N0 + T + μ2 N2 = −fx, μ0 N0 + N1 − N2 = −fy, and the torque about (−1, 1):
    // 2 N0 + fx − fy·(−1)… gives N0; the rest follows for N2 = 0, and N2 grows until the cone is
    // met
    double N0 = (-f[2] - f[0] + -f[1]) / 2;
    double N1 = -f[1] - mu[0] * N0, T = -f[0] - N0;
    double N2 = (mu[1] * N1 + T) / (mu[2] - mu[1]);
    assert_close(motion->force[0], N0, 1e-9);
    assert_close(motion->force_low[2], N1, 1e-8);
    assert_close(motion->force_high[2], N1 + N2, 1e-8);
    assert_close(motion->force_high[4], N2, 1e-8);
    assert_int_equal(motion->force_dimension, 1);
    sprag_contact_problem_destroy(&problem);
}

// The member of a continuum that is solved for may be a motion of another mode: it must not hide
// it.
static void test_hidden_continuum(void **state)
{
    (void)state;
    static const Point points[] = {{{-1, -1}, {1, 0}, 0.19896182108902305, 1},
                                   {{0, 0}, {0, 1}, 1.4456306164420472, 0},
                                   {{0, -1}, {0, 1}, 0.70229183116819827, 1}};
    SpragContactProblem problem;
    problem_of_points(&problem, 1.0977065177273189, 1.7363571633017123,
                      (double[]){1.0214017172418879, -1.1380456304771949, -0.0008452744877625823},
                      3, points);
    assert_int_equal(run(&problem).kind, SPRAG_VERDICT_INFINITE);
    sprag_contact_problem_destroy(&problem);
}

// A box without friction in a pit that fits, pushed against a wall by next to nothing: the wall
// bears it, however small it is beside the weight.
static void test_small_push(void **state)
{
    (void)state;
    static const Point points[] = {{{-0.5, -0.5}, {0, 1}, 0, 0}, {{0.5, -0.5}, {0, 1}, 0, 0},
                                   {{-0.5, -0.5}, {1, 0}, 0, 0}, {{-0.5, 0.5}, {1, 0}, 0, 0},
                                   {{0.5, -0.5}, {-1, 0}, 0, 0}, {{0.5, 0.5}, {-1, 0}, 0, 0}};
    for (int k = -320; k <= 0; k++) {
        double push = 9.81 * pow(10, 0.05 * k);
        SpragContactProblem problem;
        problem_of_points(&problem, 1, 1. / 6, (double[]){push, -9.81, 0}, 6, points);
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_true(verdict.held);
        const double *force = verdict.solutions[0].motion->force;
        double pressed = force[8] + force[10] - force[4] - force[6];
        assert_close(pressed, push, 1e-9 * 9.81); // forces are good to the tolerance of the search
        sprag_contact_problem_destroy(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stack),
                                       cmocka_unit_test(test_small_push),
                                       cmocka_unit_test(test_uncoupled),
                                       cmocka_unit_test(test_extreme_friction),
                                       cmocka_unit_test(test_empty_rows),
                                       cmocka_unit_test(test_small_A),
                                       cmocka_unit_test(test_close_points),
                                       cmocka_unit_test(test_inconsistent_bias),
                                       cmocka_unit_test(test_parallel_walls),
                                       cmocka_unit_test(test_redundant_bilateral),
                                       cmocka_unit_test(test_tilt_by_rounding),
                                       cmocka_unit_test(test_range),
                                       cmocka_unit_test(test_hidden_continuum)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

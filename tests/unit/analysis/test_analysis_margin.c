// Margins against closed forms: theory.md (4.8), (8.4), and the outcome that they compare.
// Tolerance: the bracket is 1e-9 / 4 wide, the search itself decides within 1e-11.
#include "support/problems.h"
#include "support/with_analysis.h"

static SpragMargin margin_of(const SpragContactProblem *problem, int constraint)
{
    SpragMargin margin;
    assert_ok(context, sprag_margin_friction(analysis, problem, NULL, constraint, &margin));
    return margin;
}

// The rod of (4.7) with m = L = 1, sliding to the left.
static void make_rod(SpragContactProblem *problem, double theta, double kappa, double friction,
                     double push)
{
    double c = cos(theta), s = sin(theta);
    problem_one(problem, context, (double[]){1 + kappa * c * c, -kappa * s * c, 1 + kappa * s * s},
                (double[]){push, 0}, friction, -1);
}

// A(μ) = 0 at μ_c of (4.8): from one motion to none, or from one to two.
static void test_rod(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int i = 0; i < test_draws(100); i++) {
        double theta = sprag_random_uniform(&random, 0.2, 1.4);
        double kappa = sprag_random_uniform(&random, 1, 8);
        double critical = (1 + kappa * cos(theta) * cos(theta)) / (kappa * sin(theta) * cos(theta));
        double friction = critical * sprag_random_uniform(&random, 0.15, 0.95);
        double push = i % 2 ? 3 : -9.81;
        SpragContactProblem problem;
        make_rod(&problem, theta, kappa, friction, push);
        SpragMargin one = margin_of(&problem, 0), all = margin_of(&problem, SPRAG_ALL_CONTACTS);
        assert_close(one.up.change, critical / friction - 1, 1e-9 * critical / friction);
        assert_close(all.up.change, one.up.change, 0);
        assert_true(isinf(one.down.change));
        assert_int_equal(one.up.becomes.kind,
                         push > 0 ? SPRAG_VERDICT_MULTIPLE : SPRAG_VERDICT_NONE);
        assert_string_equal(one.up.becomes.modes, push > 0 ? "separate|slide-" : "");
        sprag_contact_problem_destroy(&problem);
    }
}

// Beyond ten times the friction nothing is looked for; without friction there is nothing to change.
static void test_infinite(void **state)
{
    (void)state;
    SpragContactProblem problem;
    make_rod(&problem, atan(2), 3, 4.0 / 3 / 10.001, -9.81);
    SpragMargin margin = margin_of(&problem, 0);
    assert_true(isinf(margin.up.change) && isinf(margin.down.change));
    problem.constraints[0].friction = 4.0 / 3 / 9.999;
    margin = margin_of(&problem, 0);
    assert_close(margin.up.change, 9.999 - 1, 1e-8);
    problem.constraints[0].friction = 0;
    margin = margin_of(&problem, 0);
    assert_true(isinf(margin.up.change) && isinf(margin.down.change));
    sprag_contact_problem_destroy(&problem);
}

// A body on two feet on a slope: it slides when all frictions fall below tan α, and not before; one
// alone may fall to where the sum of both still holds it.
static void test_slope(void **state)
{
    (void)state;
    const double g = 9.81, alpha = 0.35, mu = 0.5;
    const SpragVec2 feet[] = {{-1, -0.2}, {1, -0.2}};
    SpragContactProblem problem;
    problem_body_on_points(&problem, context, 2, 1, 2, feet, (double[]){mu, mu}, (double[]){0, 0},
                           (double[]){-2 * g * sin(alpha), -2 * g * cos(alpha), 0});
    SpragMargin all = margin_of(&problem, SPRAG_ALL_CONTACTS);
    assert_close(all.down.change, 1 - tan(alpha) / mu, 1e-9);
    assert_true(isinf(all.up.change));
    assert_string_equal(all.down.becomes.modes, "slide- slide-");
    // moments about the centre: λ0 − λ1 = 0.2 (T0 + T1), so λ0 = ½ m g (cos α + 0.2 sin α)
    double load = 0.5 * (cos(alpha) + 0.2 * sin(alpha)), other = cos(alpha) - load;
    SpragMargin one = margin_of(&problem, 0);
    double second = margin_of(&problem, 1).down.change;
    double first_needed = (sin(alpha) - mu * other) / load;
    double second_needed = (sin(alpha) - mu * load) / other;
    double changes[] = {1 - first_needed / mu, 1 - second_needed / mu};
    assert_true(fabs(one.down.change - changes[0]) < 1e-8 ||
                fabs(one.down.change - changes[1]) < 1e-8);
    assert_true(fabs(second - changes[0]) < 1e-8 || fabs(second - changes[1]) < 1e-8);
    assert_true(fabs(second - one.down.change) > 1e-3);
    sprag_contact_problem_destroy(&problem);
}

// Two walls, touched at (−w, −h) and (w, h): two motions if h/w < μ, theory.md 8.5.
static void test_wedge(void **state)
{
    (void)state;
    const double w = 0.5, h = 0.2, mu = 0.5;
    SpragContactProblem problem;
    double *inverse, *entries;
    sprag_contact_problem_init(&problem, context);
    problem_add_contact(&problem, mu, 0);
    problem_add_contact(&problem, mu, 0);
    assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
    inverse[0] = inverse[4] = 1;
    inverse[8] = 10;
    problem.free_acceleration[1] = -9.81;
    for (int i = 0; i < 2; i++) {
        double side = i ? -1 : 1, x = -side * w, y = -side * h;
        // normal (side, 0), tangent (0, −side)
        assert_ok(context, sprag_contact_problem_add_row_block(&problem, 2 * i, 0, &entries));
        entries[0] = side;
        entries[2] = -side * y;
        assert_ok(context, sprag_contact_problem_add_row_block(&problem, 2 * i + 1, 0, &entries));
        entries[1] = -side;
        entries[2] = -side * x;
    }
    assert_ok(context, sprag_contact_problem_assemble(&problem));
    SpragMargin margin = margin_of(&problem, SPRAG_ALL_CONTACTS);
    assert_close(margin.down.change, 1 - h / w / mu, 1e-9);
    assert_int_equal(margin.down.becomes.solution_count, 1);
    sprag_contact_problem_destroy(&problem);
}

static SpragStatus steps(double factor, SpragOutcome *outcome, void *user)
{
    const double *at = user; // changes here
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < 3; i++)
        outcome->signature += factor > at[i];
    return SPRAG_OK;
}

// The nearest of several changes is found, however near, on both sides; and the limits hold.
static void test_scan(void **state)
{
    (void)state;
    SpragMargin margin;
    for (double near = 1e-8; near < 5; near *= 3.7) {
        double at[] = {1 + near, 9, 1 / (1 + near)};
        assert_ok(context, sprag_margin_scan(steps, at, 0, 10, &margin));
        assert_close(margin.up.change, near, 1e-9 * (1 + near));
        assert_close(margin.down.change, 1 - 1 / (1 + near), 1e-9);
    }
    double at[] = {0.2, 3, 11};
    assert_ok(context, sprag_margin_scan(steps, at, 0.3, 2.9, &margin));
    assert_true(isinf(margin.up.change) && isinf(margin.down.change));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod),   cmocka_unit_test(test_infinite), cmocka_unit_test(test_slope),
        cmocka_unit_test(test_wedge), cmocka_unit_test(test_scan),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

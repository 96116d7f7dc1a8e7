// test_contact_space.c: every motion of one contact in space, against a scan over directions.
#include "searches.h"
#include "support/problems.h"
#include "support/space.h"

// ---- Brute force --------------------------------------------------------------------------------

// b_N d⊥·(g − μ H d) − (a_nn − μ g·d) d⊥·b_T of theory.md (13.12).
static double condition(const double *W, const double *b, double mu, double chi, double *normal,
                        double a[3])
{
    double d[2] = {cos(chi), sin(chi)}, q = 0, along = W[0] - mu * (W[1] * d[0] + W[2] * d[1]);
    const double p[2] = {-d[1], d[0]};
    for (int k = 0; k < 2; k++)
        q += p[k] * (W[3 * (k + 1)] - mu * (W[3 * (k + 1) + 1] * d[0] + W[3 * (k + 1) + 2] * d[1]));
    *normal = -b[0] / along;
    double force[3] = {*normal, -mu * *normal * d[0], -mu * *normal * d[1]};
    for (int r = 0; r < 3; r++)
        a[r] = b[r] + W[3 * r] * force[0] + W[3 * r + 1] * force[1] + W[3 * r + 2] * force[2];
    return b[0] * q - along * (p[0] * b[1] + p[1] * b[2]);
}

static bool solve3(const double *W, const double *b, double *x)
{
    double det = W[0] * (W[4] * W[8] - W[5] * W[7]) - W[1] * (W[3] * W[8] - W[5] * W[6]) +
                 W[2] * (W[3] * W[7] - W[4] * W[6]);
    for (int c = 0; c < 3; c++) {
        double A[9];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++)
                A[3 * r + k] = k == c ? -b[r] : W[3 * r + k];
        x[c] = (A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                A[2] * (A[3] * A[7] - A[4] * A[6])) /
               det;
    }
    return det > 1e-6;
}

// All motions by a scan of `steps` directions; a: 3 per motion. Returns −1 if the draw is too near
// to a border for a scan to decide.
static int brute(const double *W, const double *b, double mu, int steps, double a[][3])
{
    const double turn = 8 * atan(1);
    int count = 0;
    double x[3], normal, values[3] = {0};
    if (!solve3(W, b, x) || fabs(b[0]) < 1e-3)
        return -1;
    double room = mu * x[0] - hypot(x[1], x[2]);
    if (fabs(room) < 1e-3 || fabs(x[0]) < 1e-3)
        return -1;
    if (room > 0)
        memset(a[count++], 0, sizeof *a);
    if (b[0] > 0)
        memcpy(a[count++], b, sizeof *a);
    for (int i = 0; i < steps; i++) {
        double low = turn * i / steps, high = turn * (i + 1) / steps, aa[3];
        values[0] = condition(W, b, mu, low - turn / steps, &normal, aa);
        values[1] = condition(W, b, mu, low, &normal, aa);
        values[2] = condition(W, b, mu, high, &normal, aa);
        // two zeros within a step: an extremum that nearly touches
        bool dips = fabs(values[1]) < fabs(values[0]) && fabs(values[1]) < fabs(values[2]);
        if (dips && values[0] * values[1] > 0 && values[1] * values[2] > 0 &&
            fabs(values[1]) < 1e-4 * (fabs(b[0]) + fabs(b[1]) + fabs(b[2])))
            return -1;
        if ((values[1] > 0) == (values[2] > 0))
            continue;
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            bool same = (condition(W, b, mu, middle, &normal, aa) > 0) == (values[1] > 0);
            *(same ? &low : &high) = middle;
        }
        condition(W, b, mu, low, &normal, aa);
        double s = cos(low) * aa[1] + sin(low) * aa[2];
        if (fabs(s) < 1e-4 || fabs(normal) > 1e4)
            return -1;
        if (normal > 0 && s > 0)
            memcpy(a[count++], aa, sizeof *a);
    }
    return count;
}

static void one_contact_agrees_with_a_scan(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 13);
    int draws = test_draws(400), compared = 0, three = 0;
    for (int i = 0; i < draws; i++) {
        SpragContactProblem problem;
        double a[16][3];
        space_begin(&problem, world->context);
        double mu = sprag_random_uniform(&random, 0.05, 2.5);
        space_add(&problem, mu, 0, 0);
        space_random_W(&problem, &random, 3);
        for (int r = 0; r < 3; r++)
            problem.b[r] = sprag_random_normal(&random) * (r ? 1 : 0.5);
        int count = brute(problem.W, problem.b, mu, 3600, a);
        SpragMotionSet set = space_search(world->search, &problem);
        assert_true(set.complete);
        for (int m = 0; m < set.count; m++)
            assert_true(set.motions[m].residual < 1e-10);
        if (count >= 0) {
            assert_int_equal(set.count, count);
            // theory.md 13.1: one or three, never none
            assert_true(count == 1 || count == 3);
            // bisection leaves 1e-15 of the angle; large forces magnify it
            for (int m = 0; m < count; m++)
                assert_true(space_has(&set, 3, a[m], 1e-7 * (1 + fabs(a[m][1]) + fabs(a[m][2]))));
            compared++;
            three += count == 3;
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(compared > draws / 2);
    assert_true(three > 0);
}

// ---- The example of theory.md 13.1 --------------------------------------------------------------

static const double example_W[9] = {1, 0.6, 0.6, 0.6, 2, 0, 0.6, 0, 0.5};
static const double example_b[3] = {-1, 4.6, -1.5};

static void example_has_three_motions(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    space_one(&problem, world->context, example_W, example_b, 1, 0, 0);
    SpragMotionSet set = space_search(world->search, &problem);
    assert_int_equal(set.count, 3);
    assert_true(set.complete);
    const SpragMotion *stick = &set.motions[0], *first = &set.motions[1], *second = &set.motions[2];
    assert_int_equal(stick->modes[0], SPRAG_MODE_STICK);
    assert_close(stick->force[0], 5.8, 1e-12);
    assert_close(stick->force[1], -4.04, 1e-12);
    assert_close(stick->force[2], -3.96, 1e-12);
    assert_int_equal(first->modes[0], SPRAG_MODE_SLIDE);
    assert_close(first->force[0], 2.5, 1e-12);
    assert_close(first->direction[0], 1, 1e-12);
    assert_close(first->acceleration[1], 1.1, 1e-12);
    assert_close(first->acceleration[2], 0, 1e-12);
    // printed with four digits
    assert_close(atan2(second->direction[1], second->direction[0]), 0.01767, 5e-6);
    sprag_contact_problem_destroy(&problem);
}

// Turning the tangents turns the tangential parts, and nothing else.
static void tangents_may_be_turned(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int i = 0; i < test_draws(50); i++) {
        SpragContactProblem problem;
        double W[9] = {0}, b[3], kept[8][3];
        space_one(&problem, world->context, example_W, example_b, 1, 0, 0);
        SpragMotionSet set = space_search(world->search, &problem);
        int count = set.count;
        for (int m = 0; m < count; m++)
            memcpy(kept[m], set.motions[m].acceleration, sizeof *kept);
        double angle = sprag_random_uniform(&random, 0, 7), c = cos(angle), s = sin(angle);
        const double R[9] = {1, 0, 0, 0, c, s, 0, -s, c};
        for (int r = 0; r < 9; r++)
            for (int j = 0; j < 9; j++)
                W[r] += R[3 * (r / 3) + j / 3] * example_W[j] * R[3 * (r % 3) + j % 3];
        for (int r = 0; r < 3; r++)
            b[r] =
                R[3 * r] * example_b[0] + R[3 * r + 1] * example_b[1] + R[3 * r + 2] * example_b[2];
        memcpy(problem.W, W, sizeof W);
        memcpy(problem.b, b, sizeof b);
        set = space_search(world->search, &problem);
        assert_int_equal(set.count, count);
        for (int m = 0; m < count; m++) {
            double turned[3] = {kept[m][0], c * kept[m][1] + s * kept[m][2],
                                c * kept[m][2] - s * kept[m][1]};
            assert_true(space_has(&set, 3, turned, 1e-9));
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// A planar problem with a second tangent of its own: its motions are motions in space.
static void planar_motions_are_among_them(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 8);
    for (int i = 0; i < test_draws(200); i++) {
        SpragContactProblem plane, space;
        double f[4], b[2], mu = sprag_random_uniform(&random, 0.1, 2), found[8][2];
        double slip = i % 3 - 1;
        for (int k = 0; k < 4; k++)
            f[k] = sprag_random_normal(&random);
        for (int k = 0; k < 2; k++)
            b[k] = sprag_random_normal(&random);
        const double w[3] = {f[0] * f[0] + f[1] * f[1], f[0] * f[2] + f[1] * f[3],
                             f[2] * f[2] + f[3] * f[3]};
        problem_one(&plane, world->context, w, b, mu, slip);
        const double W[9] = {w[0], w[1], 0, w[1], w[2], 0, 0, 0, 1}, bb[3] = {b[0], b[1], 0};
        space_one(&space, world->context, W, bb, mu, slip, 0);
        SpragMotionSet set = space_search(world->search, &plane);
        int count = set.count, in_plane = 0;
        for (int m = 0; m < count; m++)
            memcpy(found[m], set.motions[m].acceleration, sizeof *found);
        set = space_search(world->search, &space);
        for (int m = 0; m < count; m++) {
            double a[3] = {found[m][0], found[m][1], 0};
            assert_true(space_has(&set, 3, a, 1e-9 * (1 + fabs(a[0]) + fabs(a[1]))));
        }
        for (int m = 0; m < set.count; m++)
            in_plane += fabs(set.motions[m].acceleration[2]) < 1e-9;
        assert_int_equal(in_plane, count);
        sprag_contact_problem_destroy(&plane);
        sprag_contact_problem_destroy(&space);
    }
}

// ---- Degenerate ---------------------------------------------------------------------------------

static SpragMotionSet search_one(World *world, SpragContactProblem *problem, const double W[9],
                                 const double b[3], double friction, double slip_t, double slip_o)
{
    space_one(problem, world->context, W, b, friction, slip_t, slip_o);
    SpragMotionSet set = space_search(world->search, problem);
    for (int m = 0; m < set.count; m++)
        assert_true(set.motions[m].residual < 1e-10);
    return set;
}

static void degenerate_problems(void **state)
{
    World *world = *state;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9] = {0};
    static const double flat[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
    static const struct {
        const double *W;
        double b[3], friction, slip[2];
        int count;
        SpragMode mode;
    } cases[] = {
        {unit, {-1, 0, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK},
        {unit, {-1, 0.3, 0.3}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK},
        {unit, {-1, 0.3, 0.5}, 0.5, {0, 0}, 1, SPRAG_MODE_SLIDE},
        {unit, {-1, 0.3, 0.4}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK}, // on the cone
        {unit, {-1, 0.3, 0.4}, 0, {0, 0}, 1, SPRAG_MODE_SLIDE},
        {unit, {-1, 0, 0}, 0, {0, 0}, 1, SPRAG_MODE_STICK},
        {unit, {1, 2, 3}, 0.5, {0, 0}, 1, SPRAG_MODE_SEPARATE},
        {unit, {0, 0, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK},
        {unit, {0, 1, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_SLIDE}, // touches, and starts freely
        {unit, {-1, 5, 0}, 0.5, {0, -2}, 1, SPRAG_MODE_SLIDE},
        {unit, {1, 0, 0}, 0.5, {0, -2}, 1, SPRAG_MODE_SEPARATE},
        {zero, {1, 0, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_SEPARATE},
        {zero, {-1, 0, 0}, 0.5, {0, 0}, 0, SPRAG_MODE_STICK},
        {zero, {0, 0, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK},
        {flat, {-1, 0, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_STICK},
        {flat, {-1, 1, 0}, 0.5, {0, 0}, 1, SPRAG_MODE_SLIDE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragContactProblem problem;
        SpragMotionSet set = search_one(world, &problem, cases[i].W, cases[i].b, cases[i].friction,
                                        cases[i].slip[0], cases[i].slip[1]);
        if (set.count != cases[i].count || (set.count && set.motions[0].modes[0] != cases[i].mode))
            print_error("case %d: %d motions\n", (int)i, set.count);
        assert_int_equal(set.count, cases[i].count);
        assert_true(set.complete);
        if (set.count)
            assert_int_equal(set.motions[0].modes[0], cases[i].mode);
        sprag_contact_problem_destroy(&problem);
    }
}

// A = a_nn − μ g·d of a sliding contact, theory.md (13.2): the table of theory.md 4.2.
static void sliding_contact_has_the_planar_table(void **state)
{
    World *world = *state;
    for (int i = 0; i < 4; i++) {
        SpragContactProblem problem;
        double mu = i & 1 ? 2 : 0.5, b[3] = {i & 2 ? 1 : -1, 0.3, 0.2};
        const double W[9] = {1, 0.6, 0.6, 0.6, 2, 0, 0.6, 0, 1.5}; // A = 1 − μ 0.84
        SpragMotionSet set = search_one(world, &problem, W, b, mu, 3, 4);
        int expected = mu < 1 ? 1 : b[0] > 0 ? 2 : 0;
        assert_int_equal(set.count, expected);
        if (mu < 1 && b[0] < 0) {
            double normal = 1 / (1 - 0.5 * 0.84);
            assert_close(set.motions[0].force[0], normal, 1e-12);
            assert_close(set.motions[0].force[1], -0.5 * 0.6 * normal, 1e-12);
            assert_close(set.motions[0].force[2], -0.5 * 0.8 * normal, 1e-12);
            assert_close(set.motions[0].direction[1], 0.8, 1e-15);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

static void warm_search_does_not_allocate(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    space_one(&problem, world->context, example_W, example_b, 1, 0, 0);
    space_search(world->search, &problem);
    uint64_t before = sprag_context_allocation_count(world->context);
    for (int i = 0; i < 10; i++)
        space_search(world->search, &problem);
    assert_int_equal(sprag_context_allocation_count(world->context), before);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_contact_agrees_with_a_scan, setup, teardown),
        cmocka_unit_test_setup_teardown(example_has_three_motions, setup, teardown),
        cmocka_unit_test_setup_teardown(tangents_may_be_turned, setup, teardown),
        cmocka_unit_test_setup_teardown(planar_motions_are_among_them, setup, teardown),
        cmocka_unit_test_setup_teardown(degenerate_problems, setup, teardown),
        cmocka_unit_test_setup_teardown(sliding_contact_has_the_planar_table, setup, teardown),
        cmocka_unit_test_setup_teardown(warm_search_does_not_allocate, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

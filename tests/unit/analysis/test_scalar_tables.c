// The scalar problem (9.1): the tables of theory.md 9.1 for every state and both sides of mu = a/c,
// against brute force on both signs of the normal force; inverse then forward.
#include "support/test.h"

static void solve(const SpragScalar *scalar, double velocity, double input,
                  SpragPairVerdict *verdict)
{
    SpragPair pair;
    SpragPairState state = {.velocity = velocity, .input = {input, 0}};
    sprag_pair_of_scalar(scalar, &pair);
    sprag_pair_forward(&pair, &state, NULL, verdict);
}

// (9.1) at an acceleration, for a direction of slip: what is left over.
static double residual(const SpragScalar *p, double q, int sigma, double input)
{
    return p->a * q + p->b + p->friction * fabs(p->c * q + p->d) * sigma - input;
}

// All accelerations by solving the two lines of (9.1) and putting the results back into it.
static int brute(const SpragScalar *p, int direction, double input, double *found)
{
    int count = 0;
    if (direction == 0 && fabs(input - p->b) <= p->friction * fabs(p->d))
        found[count++] = 0;
    for (int sigma = -1; sigma <= 1; sigma += 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            if (direction != 0 && sigma != direction)
                continue;
            double slope = p->a + p->friction * p->c * sign * sigma;
            double q = (input - p->b - p->friction * p->d * sign * sigma) / slope;
            bool start = direction != 0 || sigma * q > 0;
            if ((p->c * q + p->d) * sign > 0 && start &&
                fabs(residual(p, q, sigma, input)) < 1e-9 * (fabs(q) + 10))
                found[count++] = q;
        }
    return count;
}

static void test_random(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 901);
    int seen[4] = {0};
    for (int draw = 0; draw < test_draws(20000); draw++) {
        SpragScalar p = {.a = sprag_random_uniform(&random, 0.1, 3),
                         .b = sprag_random_uniform(&random, -2, 2),
                         .c = sprag_random_uniform(&random, 0.1, 3),
                         .d = sprag_random_uniform(&random, -3, 3),
                         .friction = sprag_random_uniform(&random, 0, 3)};
        if (draw % 5 == 0)
            p.c = -p.c;
        double input = sprag_random_uniform(&random, -8, 8), found[8];
        int direction = sprag_random_below(&random, 3) - 1;
        SpragPairVerdict verdict;
        solve(&p, 0.7 * direction, input, &verdict);
        int count = brute(&p, direction, input, found);
        assert_int_equal(verdict.motion_count, count);
        seen[count]++;
        for (int i = 0; i < count; i++) {
            const SpragPairMotion *motion = &verdict.motions[i];
            double q = motion->acceleration[0], nearest = INFINITY;
            for (int k = 0; k < count; k++)
                nearest = fmin(nearest, fabs(found[k] - q));
            assert_true(nearest <= 1e-10 * (1 + fabs(q)));
            assert_close(motion->normal, p.c * q + p.d, 1e-9 * (10 + fabs(motion->normal)));
            if (motion->direction != 0) { // slope of the line through this point, by differences
                double h = 1e-4;
                double slope = (residual(&p, q + h, motion->direction, 0) -
                                residual(&p, q - h, motion->direction, 0)) /
                               (2 * h);
                if (fabs(motion->normal) > 2 * h * fabs(p.c)) {
                    assert_true(motion->stable == (slope > 0));
                    // terms of the residual carry rounding, which the difference divides by h
                    double terms = p.a * fabs(q) + p.friction * fabs(p.c * q) + 10;
                    assert_close(motion->inertia, slope,
                                 1e-7 * (1 + fabs(slope)) + 1e-15 * terms / h);
                }
            }
        }
        double tau_cr = p.b - p.a * p.d / p.c;
        assert_close(verdict.tau_cr, tau_cr, 1e-12 * (fabs(p.b) + fabs(p.a * p.d / p.c)));
        assert_true(verdict.unique_for_every_input == (p.friction < p.a / fabs(p.c)));
        assert_true(verdict.jam == (direction != 0 && count == 0));
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
}

typedef struct Row {
    double mu, d;
    int direction;
    double input;
    int count; // -1: a continuum
} Row;

// a = 1, b = 0.5, c = 1, so tau_cr = 0.5 - d; numbers are exact in binary.
static void test_borders(void **state)
{
    (void)state;
    static const Row rows[] = {
        // mu < a/c: one, whatever
        {0.5, 2, 1, -1.5, 1},
        {0.5, 2, -1, -1.5, 1},
        {0.5, 2, 0, -1.5, 1},
        {0.5, 2, 0, 1.5, 1},
        {0.5, 2, 0, -0.5, 1},
        {0.5, 0, 0, 0.5, 1},
        // mu > a/c, moving: tau_cr = -1.5
        {2, 2, 1, -1, 2},
        {2, 2, 1, -1.5, 1},
        {2, 2, 1, -2, 0},
        {2, 2, -1, -1, 0},
        {2, 2, -1, -1.5, 1},
        {2, 2, -1, -2, 2},
        // mu > a/c, at rest, d > 0: band -3.5 … 4.5
        {2, 2, 0, 5, 1},
        {2, 2, 0, 4.5, 1},
        {2, 2, 0, 0, 1},
        {2, 2, 0, -1.5, 2},
        {2, 2, 0, -2, 3},
        {2, 2, 0, -3.5, 2},
        {2, 2, 0, -4, 1},
        // the same for d < 0: tau - b, q'' and directions turned over; tau_cr = 2.5
        {2, -2, 0, -4, 1},
        {2, -2, 0, -3.5, 1},
        {2, -2, 0, 2.5, 2},
        {2, -2, 0, 3, 3},
        {2, -2, 0, 4.5, 2},
        {2, -2, 0, 5, 1},
        // d = 0 at rest: always one
        {2, 0, 0, 0.5, 1},
        {2, 0, 0, 3, 1},
        {2, 0, 0, -3, 1},
        {1, 0, 0, 0.5, 1},
        {1, 0, 0, 2, 1},
        // mu = a/c
        {1, 2, 1, -1, 1},
        {1, 2, 1, -2, 0},
        {1, 2, 1, -1.5, -1},
        {1, 2, -1, -2, 1},
        {1, 2, -1, -1, 0},
        {1, 2, -1, -1.5, -1},
        {1, 2, 0, -1.5, -1},
        {1, 2, 0, 0, 1},
        {1, 2, 0, -2, 1},
        {1, 2, 0, 4, 1},
        {1, 0, 1, 0.5, -1},
        // no friction
        {0, 2, 1, 3, 1},
        {0, 2, 0, 0.5, 1},
        {0, 2, 0, 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        SpragScalar p = {.a = 1, .b = 0.5, .c = 1, .d = row->d, .friction = row->mu};
        SpragPairVerdict verdict;
        solve(&p, row->direction, row->input, &verdict);
        bool right = row->count < 0 ? verdict.kind == SPRAG_VERDICT_INFINITE
                                    : verdict.motion_count == row->count &&
                                          verdict.kind != SPRAG_VERDICT_INFINITE;
        if (!right)
            fail_msg("mu %g d %g direction %d input %g: %d motions (%s), wanted %d", row->mu,
                     row->d, row->direction, row->input, verdict.motion_count,
                     sprag_verdict_name(verdict.kind), row->count);
    }
}

// The border mu = a/c with numbers that are not exact in binary.
static void test_rounded_border(void **state)
{
    (void)state;
    SpragScalar p = {.a = 0.3, .b = 0.1, .c = 0.7, .d = 0.9};
    SpragPairVerdict verdict;
    p.friction = p.a / p.c;
    solve(&p, 1, p.b - p.a * p.d / p.c, &verdict);
    assert_int_equal(verdict.kind, SPRAG_VERDICT_INFINITE);
    solve(&p, 1, 5, &verdict);
    assert_int_equal(verdict.motion_count, 1);
    assert_false(verdict.unique_for_every_input);
    solve(&p, 0, p.b + p.friction * p.d, &verdict); // end of the band
    assert_true(verdict.held && verdict.motion_count == 1 && verdict.chosen == 0);
    assert_close(verdict.band_high, p.b + p.friction * p.d, 1e-15);
    assert_close(verdict.band_low, p.b - p.friction * p.d, 1e-15);
}

static void test_stability(void **state)
{
    (void)state;
    SpragScalar p = {.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2, .stiffness = 1e4};
    SpragPairVerdict verdict;
    solve(&p, 1, -0.5, &verdict); // the right part of the design's diagram
    assert_int_equal(verdict.motion_count, 2);
    assert_int_equal(verdict.stable_count, 1);
    const SpragPairMotion *stable = &verdict.motions[verdict.chosen];
    const SpragPairMotion *other = &verdict.motions[1 - verdict.chosen];
    assert_close(stable->acceleration[0], (-0.5 - 0.5 - 4) / 3.0, 1e-14);
    assert_close(other->acceleration[0], -3, 1e-14);
    assert_true(stable->normal > 0 && other->normal < 0);
    // h = (a - mu c)/(a c) = -1: growth sqrt(k)
    assert_close(other->growth, 100, 1e-10);
    assert_close(other->growth_unit, 1, 1e-14);
    assert_int_equal(other->stability, SPRAG_DIVERGENT);
    p.damping = 30; // r² - 30 r - 1e4 = 0
    solve(&p, 1, -0.5, &verdict);
    assert_close(verdict.motions[1 - verdict.chosen].growth, 15 + sqrt(225 + 1e4), 1e-10);
    p.stiffness = 0;
    solve(&p, 1, -0.5, &verdict);
    assert_true(isnan(verdict.motions[1 - verdict.chosen].growth));
    // at rest with three: what rests stays
    solve(&p, 0, -2, &verdict);
    assert_int_equal(verdict.stable_count, 2);
    assert_int_equal(verdict.motions[verdict.chosen].direction, 0);
}

// c = 0: an ordinary guide, one motion everywhere and no critical input.
static void test_constant_normal(void **state)
{
    (void)state;
    SpragScalar p = {.a = 2, .b = 1, .c = 0, .d = -3, .friction = 0.5};
    SpragPairVerdict verdict;
    solve(&p, 1, 4, &verdict);
    assert_int_equal(verdict.motion_count, 1);
    assert_close(verdict.motions[0].acceleration[0], (4 - 1 - 1.5) / 2, 1e-14);
    assert_close(verdict.motions[0].normal, -3, 1e-14);
    assert_true(verdict.motions[0].stable && isnan(verdict.tau_cr));
    solve(&p, 0, 2, &verdict);
    assert_true(verdict.motion_count == 1 && verdict.held);
    solve(&p, 0, -3, &verdict);
    assert_int_equal(verdict.motion_count, 1);
    assert_close(verdict.motions[0].acceleration[0], (-3 - 1 + 1.5) / 2, 1e-14);
}

static void test_inverse(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 902);
    int seen[4] = {0};
    for (int draw = 0; draw < test_draws(5000); draw++) {
        SpragScalar p = {.a = sprag_random_uniform(&random, 0.1, 3),
                         .b = sprag_random_uniform(&random, -2, 2),
                         .c = sprag_random_uniform(&random, 0.1, 3),
                         .d = sprag_random_uniform(&random, -3, 3),
                         .friction = sprag_random_uniform(&random, 0, 3)};
        int direction = sprag_random_below(&random, 3) - 1;
        double wanted = sprag_random_uniform(&random, -4, 4);
        SpragPair pair;
        SpragPairState at = {.velocity = direction};
        SpragPairInverse inverse;
        SpragPairVerdict verdict;
        sprag_pair_of_scalar(&p, &pair);
        sprag_pair_inverse(&pair, &at, wanted, NULL, &inverse);
        assert_int_equal(inverse.count, 1);
        int sigma = direction ? direction : wanted > 0 ? 1 : -1;
        assert_close(residual(&p, wanted, sigma, inverse.input[0]), 0, 1e-12 * 40);
        seen[inverse.realised[0]]++;
        solve(&p, direction, inverse.input[0], &verdict);
        bool taken = verdict.chosen >= 0 &&
                     fabs(verdict.motions[verdict.chosen].acceleration[0] - wanted) < 1e-6;
        assert_true(inverse.realised[0] != SPRAG_REALISED_NO);
        assert_true(taken == (inverse.realised[0] == SPRAG_REALISED_YES));
    }
    assert_true(seen[SPRAG_REALISED_YES] && seen[SPRAG_REALISED_AMONG] &&
                seen[SPRAG_REALISED_UNSTABLE]);
    SpragScalar p = {.a = 1, .b = 0.5, .c = 1, .d = 2, .friction = 2};
    SpragPair pair;
    SpragPairState rest = {0};
    SpragPairInverse inverse;
    sprag_pair_of_scalar(&p, &pair);
    sprag_pair_inverse(&pair, &rest, 0, NULL, &inverse);
    assert_true(inverse.held && inverse.count == 0);
    assert_close(inverse.band_low, -3.5, 1e-14);
    assert_close(inverse.band_high, 4.5, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),          cmocka_unit_test(test_borders),
        cmocka_unit_test(test_rounded_border),  cmocka_unit_test(test_stability),
        cmocka_unit_test(test_constant_normal), cmocka_unit_test(test_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

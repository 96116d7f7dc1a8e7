// Roots on an interval and on dense output: against closed forms, with directions, in pairs, at the
// start, several at once.
#include <float.h>

#include "sprag/integrate.h"
#include "support/allocator.h"
#include "support/state_context.h"

typedef struct Search {
    SpragContext *context;
    SpragRootFinder *finder;
    SpragRoot root;
} Search;

static Search create(SpragContext *context, double tolerance, int sub_points)
{
    Search search = {.context = context};
    SpragRootSettings settings = sprag_root_default();
    settings.tolerance = tolerance;
    settings.sub_points = sub_points;
    assert_ok(context, sprag_root_finder_create(context, &settings, &search.finder));
    return search;
}

static void find(Search *search, const SpragRootProblem *problem)
{
    assert_ok(search->context, sprag_root_find(search->finder, problem, &search->root));
}

// What a root promises: order, width, signs on both sides of every function that fired.
static void assert_root(const Search *search, const SpragRootProblem *problem, double tolerance)
{
    const SpragRoot *root = &search->root;
    assert_int_equal(root->outcome, SPRAG_ROOT_FOUND);
    double way = problem->t_end - problem->t_begin;
    assert_true((root->after - root->before) * way >= 0.0);
    assert_true((root->t - root->before) * way >= 0.0 && (root->after - root->t) * way >= 0.0);
    double ulps = 4.0 * DBL_EPSILON * fmax(fabs(problem->t_begin), fabs(problem->t_end));
    assert_true(fabs(root->after - root->before) <= fmax(tolerance, ulps));
    int fired = 0;
    for (int i = 0; i < problem->count; i++) {
        if (root->fired[i] == 0)
            continue;
        fired++;
        assert_true(root->fired[i] * root->values_before[i] < 0.0);
        assert_true(root->fired[i] * root->values_after[i] >= 0.0);
    }
    assert_int_equal(fired, root->fired_count);
    assert_true(fired > 0);
}

// g_i = scale_i · Π (t − root): up to three roots each.
typedef struct Products {
    int count;
    struct {
        double scale;
        int root_count;
        double roots[3];
    } item[4];
} Products;

static int products_g(double t, double *values, void *user)
{
    const Products *products = user;
    for (int i = 0; i < products->count; i++) {
        values[i] = products->item[i].scale;
        for (int j = 0; j < products->item[i].root_count; j++)
            values[i] *= t - products->item[i].roots[j];
    }
    return 0;
}

static SpragRootProblem problem_of(Products *products, double t_begin, double t_end)
{
    return (SpragRootProblem){.count = products->count,
                              .function = products_g,
                              .user = products,
                              .t_begin = t_begin,
                              .t_end = t_end};
}

// ---- On dense output ----------------------------------------------------------------------------

typedef struct Ball {
    SpragIntegrator *integrator;
} Ball;

static int ball_f(double t, const double *y, double *dy, void *user)
{
    (void)t, (void)user;
    dy[0] = y[1];
    dy[1] = -9.81;
    return 0;
}

static int ball_g(double t, double *values, void *user)
{
    const int height[1] = {0};
    return sprag_integrator_evaluate_some(((Ball *)user)->integrator, t, 1, height, values) ==
                   SPRAG_OK
               ? 0
               : -1;
}

// A ball dropped from 1 m, e = 0.8: impact k at √(2/g) (1 + 2 (e + … + e^k)).
static void test_bouncing_ball(void **state)
{
    SpragContext *context = *state;
    Ball ball = {NULL};
    Search search = create(context, 0.0, 3);
    assert_ok(context, sprag_integrator_create(context, 2, ball_f, NULL, NULL, &ball.integrator));
    double y[2] = {1.0, 0.0}, fall = sqrt(2.0 / 9.81), expected = fall, part = 1.0, h = 0.0;
    const int falling[1] = {-1};
    const double zero[1] = {1e-12};
    SpragRootProblem problem = {
        .count = 1, .function = ball_g, .user = &ball, .directions = falling, .zeros = zero};
    assert_ok(context, sprag_integrator_restart(ball.integrator, 0.0, y, NULL, 0.0));
    for (int impact = 0; impact < 8;) {
        SpragStep step;
        assert_ok(context, sprag_integrator_step(ball.integrator, 10.0, &step));
        problem.t_begin = step.t_old;
        problem.t_end = step.t_new;
        find(&search, &problem);
        if (search.root.outcome == SPRAG_ROOT_NONE)
            continue;
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, expected, 1e-13 * expected);
        assert_ok(context, sprag_integrator_evaluate(ball.integrator, search.root.t, y));
        y[0] = 0.0;
        y[1] *= -0.8;
        h = step.h_next;
        assert_ok(context, sprag_integrator_restart(ball.integrator, search.root.t, y, NULL, h));
        part *= 0.8;
        expected += 2.0 * fall * part;
        impact++;
    }
    sprag_integrator_destroy(ball.integrator);
    sprag_root_finder_destroy(search.finder);
}

// ---- Directions and order -----------------------------------------------------------------------

static void test_directions(void **state)
{
    Search search = create(*state, 0.0, 3);
    // rises at 0.2, falls at 0.5, rises at 0.9
    Products products = {1, {{7.0, 3, {0.2, 0.5, 0.9}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    const int directions[3] = {0, 1, -1};
    const double expected[3] = {0.2, 0.2, 0.5}, backward[3] = {0.9, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        problem.directions = &directions[i];
        problem.t_begin = 0.0;
        problem.t_end = 1.0;
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, expected[i], 4 * DBL_EPSILON);
        assert_int_equal(search.root.fired[0], i == 2 ? -1 : 1);
        // the other way round a rise is a fall
        problem.t_begin = 1.0;
        problem.t_end = 0.0;
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, backward[i], 4 * DBL_EPSILON);
        assert_int_equal(search.root.fired[0], i == 1 ? 1 : -1);
    }
    // from 0.25 on nothing rises before 0.8
    problem = problem_of(&products, 0.25, 0.8);
    problem.directions = &directions[1];
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    assert_close(search.root.values_end[0], 7.0 * 0.6 * 0.3 * -0.1, 1e-15);
    sprag_root_finder_destroy(search.finder);
}

static void test_simultaneous(void **state)
{
    Search search = create(*state, 1e-12, 3);
    Products products = {
        4, {{1.0, 1, {0.4}}, {-300.0, 1, {0.4}}, {1e-6, 1, {0.7}}, {1.0, 1, {0.4 + 1e-9}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    find(&search, &problem);
    assert_root(&search, &problem, 1e-12);
    assert_close(search.root.t, 0.4, 1e-12);
    assert_int_equal(search.root.fired_count, 2);
    assert_int_equal(search.root.fired[0], 1);
    assert_int_equal(search.root.fired[1], -1);
    sprag_root_finder_destroy(search.finder);
}

// A root at the very end belongs to the interval, one at its begin does not.
static void test_ends(void **state)
{
    Search search = create(*state, 0.0, 3);
    Products products = {1, {{1.0, 1, {1.0}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    find(&search, &problem);
    assert_root(&search, &problem, 0.0);
    assert_close(search.root.t, 1.0, 4 * DBL_EPSILON);
    double end = search.root.values_end[0];
    assert_true(end == 0.0);
    problem = problem_of(&products, 1.0, 2.0);
    problem.values_begin = search.root.values_end;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    problem = problem_of(&products, 1.0, 1.0);
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    problem.count = 0;
    problem.t_end = 2.0;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    sprag_root_finder_destroy(search.finder);
}

// ---- Zero at the start --------------------------------------------------------------------------

static void test_zero_at_start(void **state)
{
    Search search = create(*state, 0.0, 3);
    for (int sub_points = 0; sub_points <= 14; sub_points += 7) {
        sprag_root_finder_destroy(search.finder);
        search = create(*state, 0.0, sub_points);
        // leaves zero upwards and returns at 0.9
        Products up = {1, {{-1.0, 2, {0.0, 0.9}}}};
        SpragRootProblem problem = problem_of(&up, 0.0, 1.0);
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, 0.9, 4 * DBL_EPSILON);
        assert_int_equal(search.root.fired[0], -1);
        // returns before the first sample of 3, after the probe
        up.item[0].roots[1] = 0.03;
        find(&search, &problem);
        if (sub_points > 0)
            assert_close(search.root.t, 0.03, 4 * DBL_EPSILON);
        // touches zero only at the start
        Products away = {1, {{1.0, 2, {0.0, 0.0}}}};
        problem = problem_of(&away, 0.0, 1.0);
        find(&search, &problem);
        assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
        // zero up to rounding: the wrong sign at the start is no root, with a threshold
        Products rounded = {1, {{-1.0, 2, {1e-17, 0.5}}}};
        const double zero[1] = {1e-15};
        problem = problem_of(&rounded, 0.0, 1.0);
        find(&search, &problem);
        if (sub_points > 0)
            assert_true(search.root.outcome == SPRAG_ROOT_FOUND && search.root.t < 1e-15);
        problem.zeros = zero;
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, 0.5, 4 * DBL_EPSILON);
        // zero all the time
        Products nothing = {1, {{0.0, 1, {0.0}}}};
        problem = problem_of(&nothing, 0.0, 1.0);
        find(&search, &problem);
        assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    }
    sprag_root_finder_destroy(search.finder);
}

// Guards: what is zero at the start and then on the far side of its direction has passed, however
// soon; what leaves on the near side has not.
static void test_guards(void **state)
{
    Search search = create(*state, 0.0, 3);
    const int falling[1] = {-1};
    const double zero[1] = {1e-12};
    // −t: below zero at once; the root is where the threshold's zero is, at the start
    Products down = {1, {{-1.0, 1, {0.0}}}};
    SpragRootProblem problem = problem_of(&down, 0.0, 1.0);
    problem.directions = falling;
    problem.zeros = zero;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    problem.guards = true;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_FOUND);
    assert_int_equal(search.root.fired[0], -1);
    assert_true(search.root.t >= 0 && search.root.t <= 2e-12);
    // a hop that ends before the first sample: up at 0, down again at 1e-4
    Products hop = {1, {{-1.0, 2, {0.0, 1e-4}}}};
    problem.user = &hop;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_FOUND);
    assert_int_equal(search.root.fired[0], -1);
    assert_true(search.root.t <= 1e-4 + 1e-7);
    // −1e-9 t² from zero: at the sample after the start it is below by 3e-13, which counts as zero
    // still, and beyond that at the next one: the root is the start, and not that sample
    Products slow = {1, {{-1e-9, 2, {0.0, 0.0}}}};
    problem.user = &slow;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_FOUND);
    assert_true(search.root.t <= 4 * DBL_EPSILON);
    // t: leaves upwards and stays
    Products up = {1, {{1.0, 1, {0.0}}}};
    problem.user = &up;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    sprag_root_finder_destroy(search.finder);
}

// A guard that begins beyond its zero by rounding, comes back and leaves again before the first
// sample: its root is where it leaves. (A corner of a body that rocks by 1e-11 m.)
static void test_comes_back(void **state)
{
    Search search = create(*state, 0.0, 3);
    const int falling[1] = {-1};
    const double zero[1] = {2e-11}, leaves = 4.5e-4;
    // −10 (t − r)(t − 4.5e-4) with r > 0: −1e-11 at the begin, positive from r = 2.2e-9 on
    Products back = {1, {{-10.0, 2, {1e-11 / (10 * leaves), leaves}}}};
    SpragRootProblem problem = problem_of(&back, 0.0, 0.03);
    problem.directions = falling;
    problem.zeros = zero;
    problem.guards = true;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_FOUND);
    assert_close(search.root.t, leaves, 1e-15);
    sprag_root_finder_destroy(search.finder);
}

// A function zero at the start beside one that fires before the probe.
static void test_zero_beside_early_root(void **state)
{
    for (int sub_points = 0; sub_points <= 3; sub_points += 3) {
        Search search = create(*state, 0.0, sub_points);
        Products products = {2, {{1.0, 1, {0.0}}, {-5.0, 1, {1e-4}}}};
        SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, 1e-4, 4 * DBL_EPSILON);
        assert_int_equal(search.root.fired[0], 0);
        assert_int_equal(search.root.fired[1], -1);
        sprag_root_finder_destroy(search.finder);
    }
}

// ---- Pairs of roots -----------------------------------------------------------------------------

// g = ((t − centre)² − depth) (1 + t/2), also upside down: two roots 2√depth apart.
static void test_grazing(void **state)
{
    Search search = create(*state, 0.0, 3);
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(200); draw++) {
        double centre = sprag_random_uniform(&random, 0.05, 0.95);
        double half = sqrt(pow(10.0, -sprag_random_uniform(&random, 3.0, 9.0)));
        double sign = draw % 2 ? 1.0 : -1.0;
        Products products = {1, {{sign, 3, {centre - half, centre + half, -2.0}}}};
        SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        // the values carry rounding errors of 4 ε half, the slope is 2 half
        assert_close(search.root.t, centre - half, 8 * DBL_EPSILON / half * half + 1e-15);
        assert_int_equal(search.root.fired[0], sign > 0 ? -1 : 1);
        // only the way back counts
        const int direction[1] = {sign > 0 ? 1 : -1};
        problem.directions = direction;
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, centre + half, 1e-14);
    }
    sprag_root_finder_destroy(search.finder);
}

static int near_miss_g(double t, double *values, void *user)
{
    const double *miss = user;
    values[0] = (t - miss[0]) * (t - miss[0]) * (1.0 + 0.3 * sin(3.0 * t)) + miss[1];
    return 0;
}

static void test_near_miss(void **state)
{
    Search search = create(*state, 0.0, 3);
    SpragRandom random;
    sprag_random_init(&random, 6);
    int evaluations = 0, draws = test_draws(200);
    for (int draw = 0; draw < draws; draw++) {
        double miss[2] = {sprag_random_uniform(&random, 0.0, 1.0),
                          pow(10.0, -sprag_random_uniform(&random, 0.0, 12.0))};
        SpragRootProblem problem = {
            .count = 1, .function = near_miss_g, .user = miss, .t_begin = 0.0, .t_end = 1.0};
        find(&search, &problem);
        assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
        evaluations += search.root.evaluations;
    }
    // five samples, and a few points on the way to an extremum that matters
    assert_true(evaluations < 12 * draws);
    sprag_root_finder_destroy(search.finder);
}

// Two functions dip between the same samples, the second one earlier.
static void test_two_dips(void **state)
{
    Search search = create(*state, 0.0, 3);
    Products products = {2, {{1.0, 2, {0.330, 0.332}}, {1.0, 2, {0.320, 0.322}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    find(&search, &problem);
    assert_root(&search, &problem, 0.0);
    assert_close(search.root.t, 0.320, 1e-14);
    assert_int_equal(search.root.fired[1], -1);
    const int directions[2] = {-1, 1};
    products.item[0].roots[0] = 0.3215;
    problem.directions = directions;
    find(&search, &problem);
    assert_close(search.root.t, 0.3215, 1e-14);
    assert_int_equal(search.root.fired[0], -1);
    assert_int_equal(search.root.fired[1], 0);
    // without the option nothing is seen
    SpragRootSettings settings = sprag_root_default();
    settings.extrema = false;
    sprag_root_finder_destroy(search.finder);
    assert_ok(search.context, sprag_root_finder_create(search.context, &settings, &search.finder));
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
    sprag_root_finder_destroy(search.finder);
}

// ---- Random -------------------------------------------------------------------------------------

enum { WAVES = 5 };
typedef struct Waves {
    double frequency[WAVES], phase[WAVES];
} Waves;

static int waves_g(double t, double *values, void *user)
{
    const Waves *waves = user;
    for (int i = 0; i < WAVES; i++)
        values[i] = (1.0 + i) * sin(waves->frequency[i] * t + waves->phase[i]);
    return 0;
}

// Earliest t > 0 where sin(w t + p) passes in the direction: at multiples of π, even ones rise.
static double wave_root(double w, double p, int direction)
{
    const double pi = 3.141592653589793;
    for (int k = (int)floor(p / pi) + 1;; k++)
        if (direction == 0 || direction == (k % 2 == 0 ? 1 : -1))
            return (k * pi - p) / w;
}

// Waves with up to one and a half periods in the interval.
static void test_random_waves(void **state)
{
    Search search = create(*state, 0.0, 5);
    SpragRandom random;
    sprag_random_init(&random, 7);
    int evaluations = 0, found = 0;
    for (int draw = 0; draw < test_draws(500); draw++) {
        Waves waves;
        int directions[WAVES], first = 0;
        double expected = INFINITY, t0 = sprag_random_uniform(&random, -3.0, 3.0);
        for (int i = 0; i < WAVES; i++) {
            double w = waves.frequency[i] = sprag_random_uniform(&random, 0.1, 8.0);
            double p = sprag_random_uniform(&random, 0.01, 6.28);
            waves.phase[i] = p - w * t0;
            directions[i] = sprag_random_below(&random, 3) - 1;
            double root = wave_root(w, p, directions[i]);
            first = root < expected ? i : first;
            expected = fmin(root, expected);
        }
        SpragRootProblem problem = {.count = WAVES,
                                    .function = waves_g,
                                    .user = &waves,
                                    .t_begin = t0,
                                    .t_end = t0 + 1.0,
                                    .directions = directions};
        find(&search, &problem);
        if (expected > 1.0) {
            assert_int_equal(search.root.outcome, SPRAG_ROOT_NONE);
            continue;
        }
        assert_root(&search, &problem, 0.0);
        // phases up to 30 carry 30 ε / w
        assert_close(search.root.t, t0 + expected, 1e-13);
        assert_int_not_equal(search.root.fired[first], 0);
        evaluations += search.root.evaluations - 7;
        found++;
    }
    // superlinear: from 1e-1 to 1e-15
    assert_true(evaluations < 9 * found);
    sprag_root_finder_destroy(search.finder);
}

// Shapes on which interpolation stalls still end, by bisection: a jump, a flat root, a steep one.
static int odd_g(double t, double *values, void *user)
{
    (void)user;
    double x = t - 0.123;
    values[0] = x < 0.0 ? -1e-3 : 1e3;
    values[1] = (t - 0.2) * (t - 0.2) * (t - 0.2) * fabs(t - 0.2) * 1e8;
    values[2] = cbrt(t - 0.3);
    values[3] = exp(40.0 * (t - 0.4)) - 1.0;
    return 0;
}

static void test_odd_shapes(void **state)
{
    Search search = create(*state, 0.0, 3);
    const double expected[4] = {0.123, 0.2, 0.3, 0.4};
    for (int i = 0; i < 4; i++) {
        // silence those before i by a begin behind them
        SpragRootProblem problem = {.count = 4,
                                    .function = odd_g,
                                    .t_begin = i == 0 ? 0.0 : expected[i - 1] + 0.01,
                                    .t_end = 1.0};
        find(&search, &problem);
        assert_root(&search, &problem, 0.0);
        assert_close(search.root.t, expected[i], 1e-14);
        assert_int_equal(search.root.fired[i], 1);
        assert_true(search.root.evaluations < 150);
    }
    sprag_root_finder_destroy(search.finder);
}

// ---- Failures -----------------------------------------------------------------------------------

typedef struct Trouble {
    double nan_from, refuse_from, stop_from;
    double root;
} Trouble;

static int trouble_g(double t, double *values, void *user)
{
    const Trouble *trouble = user;
    values[0] = 1.0;
    values[1] = t > trouble->nan_from ? NAN : t - trouble->root;
    return t > trouble->stop_from ? -1 : t > trouble->refuse_from;
}

static void test_trouble(void **state)
{
    SpragContext *context = *state;
    Search search = create(context, 0.0, 3);
    Trouble trouble = {0.5, INFINITY, INFINITY, 0.9};
    SpragRootProblem problem = {
        .count = 2, .function = trouble_g, .user = &trouble, .t_begin = 0.0, .t_end = 1.0};
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NOT_FINITE);
    assert_true(search.root.after > 0.5);
    assert_int_equal(search.root.fired[1], 1);
    assert_int_equal(search.root.fired_count, 1);
    trouble = (Trouble){INFINITY, 0.5, INFINITY, 0.9};
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_REFUSED);
    assert_true(search.root.after > 0.5);
    trouble = (Trouble){INFINITY, INFINITY, 0.5, 0.9};
    assert_int_equal(sprag_root_find(search.finder, &problem, &search.root), SPRAG_ERROR_CALLBACK);
    const double nan_begin[2] = {1.0, NAN};
    trouble = (Trouble){INFINITY, INFINITY, INFINITY, 0.9};
    problem.values_begin = nan_begin;
    find(&search, &problem);
    assert_int_equal(search.root.outcome, SPRAG_ROOT_NOT_FINITE);
    problem.values_begin = NULL;
    problem.t_end = INFINITY;
    assert_int_equal(sprag_root_find(search.finder, &problem, &search.root), SPRAG_ERROR_ARGUMENT);
    problem.t_end = 1.0;
    problem.count = -1;
    assert_int_equal(sprag_root_find(search.finder, &problem, &search.root), SPRAG_ERROR_ARGUMENT);
    sprag_root_finder_destroy(search.finder);
    sprag_root_finder_destroy(NULL);

    SpragRootSettings settings = sprag_root_default();
    settings.cookie = 0;
    assert_int_equal(sprag_root_finder_create(context, &settings, &search.finder),
                     SPRAG_ERROR_ARGUMENT);
    settings = sprag_root_default();
    settings.sub_points = 15;
    assert_int_equal(sprag_root_finder_create(context, &settings, &search.finder),
                     SPRAG_ERROR_ARGUMENT);
    settings.sub_points = 3;
    settings.tolerance = NAN;
    assert_int_equal(sprag_root_finder_create(context, &settings, &search.finder),
                     SPRAG_ERROR_ARGUMENT);
}

// Fails from the n-th call on, for every n: in samples, on the way to an extremum, in the bracket.
typedef struct Counted {
    Products products;
    int calls, allowed, code;
} Counted;

static int counted_g(double t, double *values, void *user)
{
    Counted *counted = user;
    products_g(t, values, &counted->products);
    if (counted->calls++ < counted->allowed)
        return 0;
    if (counted->code == 0)
        values[0] = INFINITY;
    return counted->code;
}

static void test_failure_sweep(void **state)
{
    SpragContext *context = *state;
    Search search = create(context, 0.0, 3);
    const SpragRootOutcome outcomes[2] = {SPRAG_ROOT_NOT_FINITE, SPRAG_ROOT_REFUSED};
    for (int code = -1; code <= 1; code++)
        for (int allowed = 0;; allowed++) {
            Counted counted = {
                {2, {{1.0, 2, {0.0, 3.0}}, {1.0, 2, {0.32, 0.3201}}}}, 0, allowed, code};
            SpragRootProblem problem = {
                .count = 2, .function = counted_g, .user = &counted, .t_begin = 0.0, .t_end = 1.0};
            SpragStatus status = sprag_root_find(search.finder, &problem, &search.root);
            if (status == SPRAG_OK && search.root.outcome == SPRAG_ROOT_FOUND)
                break;
            if (code < 0)
                assert_int_equal(status, SPRAG_ERROR_CALLBACK);
            else
                assert_int_equal(search.root.outcome, outcomes[code]);
            assert_int_equal(counted.calls, allowed + 1);
        }
    sprag_root_finder_destroy(search.finder);
}

static void test_no_allocation(void **state)
{
    SpragContext *context = *state;
    Search search = create(context, 0.0, 3);
    Products products = {2, {{1.0, 2, {0.330, 0.332}}, {1.0, 1, {0.8}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    find(&search, &problem);
    uint64_t before = sprag_context_allocation_count(context);
    for (int i = 0; i < 3; i++)
        find(&search, &problem);
    problem.count = 1;
    find(&search, &problem);
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_root_finder_destroy(search.finder);
}

static void test_no_memory(void **state)
{
    (void)state;
    Products products = {1, {{1.0, 1, {0.5}}}};
    SpragRootProblem problem = problem_of(&products, 0.0, 1.0);
    for (int allowed = 1; allowed <= 5; allowed++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, allowed);
        SpragRootFinder *finder;
        SpragRoot root;
        SpragStatus status = sprag_root_finder_create(context, NULL, &finder);
        if (status == SPRAG_OK)
            status = sprag_root_find(finder, &problem, &root);
        assert_int_equal(status, allowed < 5 ? SPRAG_ERROR_MEMORY : SPRAG_OK);
        sprag_root_finder_destroy(finder);
        sprag_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball), cmocka_unit_test(test_directions),
        cmocka_unit_test(test_simultaneous),  cmocka_unit_test(test_ends),
        cmocka_unit_test(test_zero_at_start), cmocka_unit_test(test_guards),
        cmocka_unit_test(test_comes_back),    cmocka_unit_test(test_zero_beside_early_root),
        cmocka_unit_test(test_grazing),       cmocka_unit_test(test_near_miss),
        cmocka_unit_test(test_two_dips),      cmocka_unit_test(test_random_waves),
        cmocka_unit_test(test_odd_shapes),    cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_failure_sweep), cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

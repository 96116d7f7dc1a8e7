// test_contact_space_several.c: several contacts in space: planted motions, sliding ones against
// all bases of their LCP, a body on feet.
#include "searches.h"
#include "support/space.h"

static void check_residuals(const SpragMotionSet *set, double tolerance)
{
    for (int m = 0; m < set->count; m++) {
        if (!(set->motions[m].residual < tolerance))
            print_error("motion %d: residual %g\n", m, set->motions[m].residual);
        assert_true(set->motions[m].residual < tolerance);
    }
}

// ---- Planted motions ----------------------------------------------------------------------------

// Forces and accelerations of one contact that obey the laws in a mode of their own.
static void plant(SpragRandom *random, const SpragConstraint *item, double *force, double *a)
{
    int mode = sprag_random_below(random, 3);
    double chi = sprag_random_uniform(random, 0, 7), mu = item->friction;
    double normal = sprag_random_uniform(random, 0.2, 2);
    double d[2] = {cos(chi), sin(chi)};
    bool slides = item->sliding && mode > 0;
    if (slides)
        for (int k = 0; k < 2; k++)
            d[k] = item->slip[k] / hypot(item->slip[0], item->slip[1]);
    double part = slides || mode == 2 ? 1 : sprag_random_uniform(random, 0, 0.9);
    for (int k = 0; k < 2; k++) {
        force[1 + k] = mode == 0 ? 0 : -part * mu * normal * d[k];
        a[1 + k] = mode == 0 || slides ? sprag_random_normal(random) : 0;
    }
    if (mode == 2 && !slides) {
        double s = sprag_random_uniform(random, 0.2, 2);
        a[1] = s * d[0];
        a[2] = s * d[1];
    }
    force[0] = mode == 0 ? 0 : normal;
    a[0] = mode == 0 ? sprag_random_uniform(random, 0.2, 2) : 0;
}

// contacts, of which some slide already, on `dof` degrees of freedom.
static int planted_is_found(World *world, SpragRandom *random, int contacts, int sliding, int dof)
{
    SpragContactProblem problem;
    double force[12], a[12];
    space_begin(&problem, world->context);
    for (int c = 0; c < contacts; c++)
        space_add(&problem, sprag_random_uniform(random, 0.2, 1),
                  c < sliding ? sprag_random_normal(random) : 0,
                  c < sliding ? sprag_random_normal(random) : 0);
    space_random_W(&problem, random, dof);
    for (int c = 0; c < contacts; c++)
        plant(random, &problem.constraints[c], force + 3 * c, a + 3 * c);
    for (int r = 0; r < problem.row_count; r++) {
        problem.b[r] = a[r];
        for (int s = 0; s < problem.row_count; s++)
            problem.b[r] -= problem.W[r * problem.row_count + s] * force[s];
    }
    assert_true(sprag_contact_residual(&problem, force) < 1e-12);
    SpragMotionSet set = space_search(world->search, &problem);
    check_residuals(&set, 1e-8);
    // found to the tolerance of the search, magnified by the condition of a random W
    bool found = space_has(&set, problem.row_count, a, 1e-5);
    bool complete = set.complete;
    sprag_contact_problem_destroy(&problem);
    assert_true(found || !complete);
    return found;
}

static void planted_motions_are_found(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 77);
    int draws = test_draws(25), found = 0, total = 0;
    for (int i = 0; i < draws; i++) {
        found += planted_is_found(world, &random, 2, 0, 6);
        found += planted_is_found(world, &random, 2, 1, 6);
        found += planted_is_found(world, &random, 3, 2, 9);
        found += planted_is_found(world, &random, 3, 1, 9);
        found += planted_is_found(world, &random, 3, 0, 9);
        // dependent rows: forces are indeterminate, and normals may be determined by other contacts
        found += planted_is_found(world, &random, 2, 0, 3);
        found += planted_is_found(world, &random, 3, 0, 6);
        found += planted_is_found(world, &random, 3, 1, 3);
        total += 8;
    }
    assert_int_equal(found, total);
}

// ---- Sliding contacts ---------------------------------------------------------------------------

// Solves the rows of A (3 × 3) in `set` by Gauss elimination; false: singular.
static bool solve_set(double A[3][3], const double b[3], int set, double x[3])
{
    double M[3][4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            M[i][j] = !(set >> i & 1) ? (j == i) : j == 3 ? -b[i] : (set >> j & 1) ? A[i][j] : 0;
    for (int i = 0; i < 3; i++)
        M[i][3] = (set >> i & 1) ? -b[i] : 0;
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k; i < 3; i++)
            p = fabs(M[i][k]) > fabs(M[p][k]) ? i : p;
        if (fabs(M[p][k]) < 1e-6)
            return false;
        for (int j = 0; j < 4; j++) {
            double kept = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = kept;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 3; i != k && j >= k; j--)
                M[i][j] -= M[i][k] / M[k][k] * M[k][j];
    }
    for (int i = 0; i < 3; i++)
        x[i] = M[i][3] / M[i][i];
    return true;
}

// Number of complementary solutions of y = A x + b; −1: too near to a border.
static int count_solutions(double A[3][3], const double b[3])
{
    int count = 0;
    for (int set = 0; set < 8; set++) {
        double x[3], least = INFINITY;
        if (!solve_set(A, b, set, x))
            return -1;
        for (int i = 0; i < 3; i++) {
            double y = b[i] + A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2];
            least = fmin(least, set >> i & 1 ? x[i] : y);
        }
        if (fabs(least) < 1e-6)
            return -1;
        count += least > 0;
    }
    return count;
}

static void sliding_contacts_are_an_lcp(void **state)
{
    World *world = *state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    int several = 0;
    for (int i = 0; i < test_draws(200); i++) {
        SpragContactProblem problem;
        double A[3][3], b[3];
        space_begin(&problem, world->context);
        for (int c = 0; c < 3; c++)
            space_add(&problem, sprag_random_uniform(&random, 0, 1.5), sprag_random_normal(&random),
                      sprag_random_normal(&random));
        space_random_W(&problem, &random, 7);
        for (int r = 0; r < 9; r++)
            problem.b[r] = sprag_random_normal(&random);
        for (int c = 0; c < 3; c++)
            for (int e = 0; e < 3; e++) {
                const SpragConstraint *item = &problem.constraints[e];
                const double *w = problem.W + 9 * 3 * c + 3 * e;
                double speed = hypot(item->slip[0], item->slip[1]);
                A[c][e] =
                    w[0] - item->friction * (item->slip[0] * w[1] + item->slip[1] * w[2]) / speed;
                b[c] = problem.b[3 * c];
            }
        SpragMotionSet set = space_search(world->search, &problem);
        int count = count_solutions(A, b);
        assert_true(set.complete);
        check_residuals(&set, 1e-9);
        if (count >= 0)
            assert_int_equal(set.count, count);
        several += count > 1;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(several > 0);
}

// ---- A body on feet -----------------------------------------------------------------------------

static const double feet[4][3] = {
    {0.5, 0.3, -0.4}, {-0.5, 0.3, -0.4}, {-0.5, -0.3, -0.4}, {0.5, -0.3, -0.4}};
static const double inverse[3] = {6, 5, 4};
enum { POLYGON = 64 };

// Largest values of every force over the admissible ones when the cone has POLYGON sides (from
// outside): a second way to the ranges.
static void polygon_ranges(SpragContext *context, const SpragContactProblem *problem,
                           double friction, double maxima[24])
{
    int n = 12;
    static double A[(4 * (POLYGON + 1) + 12) * 12], b[4 * (POLYGON + 1) + 12];
    double objectives[24 * 12] = {0};
    int rows = 0;
    memset(A, 0, sizeof A);
    memset(b, 0, sizeof b);
    for (int c = 0; c < 4; c++) {
        A[rows++ * n + 3 * c] = -1;
        for (int k = 0; k < POLYGON; k++, rows++) {
            A[rows * n + 3 * c] = -friction;
            A[rows * n + 3 * c + 1] = cos(8 * atan(1) * k / POLYGON);
            A[rows * n + 3 * c + 2] = sin(8 * atan(1) * k / POLYGON);
        }
    }
    for (int r = 0; r < n; r++) {
        b[rows + r] = -problem->b[r];
        for (int s = 0; s < n; s++)
            A[(rows + r) * n + s] = problem->W[r * n + s];
        objectives[r * n + r] = 1;
        objectives[(n + r) * n + r] = -1;
    }
    SpragArena *arena;
    SpragLp program = {n, rows, n, A, b, NULL};
    SpragLpStatus status;
    assert_ok(context, sprag_arena_create(context, 1 << 16, &arena));
    assert_ok(context, sprag_lp_maxima(arena, &program, 1e-9, 24, objectives, maxima, &status));
    assert_int_equal(status, SPRAG_LP_OPTIMAL);
    sprag_arena_destroy(arena);
}

static void box_at_rest_is_one_motion(void **state)
{
    World *world = *state;
    static const double slopes[] = {0, 10, 25};
    for (int i = 0; i < 3; i++) {
        SpragContactProblem problem;
        double angle = slopes[i] * atan(1) / 45, mu = 0.5, maxima[24];
        const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
        space_body(&problem, world->context, 4, feet, mu, inverse, free);
        SpragMotionSet set = space_search(world->search, &problem);
        assert_int_equal(set.count, 1);
        assert_true(set.complete);
        check_residuals(&set, 1e-10);
        const SpragMotion *motion = &set.motions[0];
        assert_int_equal(motion->dimension, 0);
        assert_int_equal(motion->force_dimension, 6); // twelve rows of rank six
        for (int c = 0; c < 4; c++) {
            assert_int_equal(motion->modes[c], SPRAG_MODE_STICK);
            assert_true(motion->active[c]);
        }
        polygon_ranges(world->context, &problem, mu, maxima);
        // the polygon's corners stick out by 1 − cos(π/64) = 0.12 % of the friction; where bounds
        // of several contacts meet, a few times that
        for (int r = 0; r < 12; r++) {
            assert_true(motion->force_high[r] <= maxima[r] + 1e-6);
            assert_true(-motion->force_low[r] <= maxima[12 + r] + 1e-6);
            assert_close(motion->force_high[r], maxima[r], 0.02);
            assert_close(-motion->force_low[r], maxima[12 + r], 0.02);
        }
        if (i == 0) {
            // half of the weight on each diagonal at most
            assert_close(motion->force_high[0], 9.81 / 2, 1e-7);
            assert_close(motion->force_low[0], 0, 1e-7);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Six feet on a slope: the least-norm force is outside of the cones, the set has its full
// dimension.
static void six_feet_on_a_slope(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    double points[6][3], angle = 20 * atan(1) / 45;
    for (int i = 0; i < 6; i++) {
        points[i][0] = 0.5 * cos(8 * atan(1) * i / 6);
        points[i][1] = 0.3 * sin(8 * atan(1) * i / 6 + 0.1);
        points[i][2] = -0.2;
    }
    const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    space_body(&problem, world->context, 6, (const double(*)[3])points, 0.5, inverse, free);
    SpragMotionSettings settings = sprag_motion_default();
    SpragMotionSet set = space_search(world->search, &problem);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].force_dimension, 12);
    for (int c = 0; c < 6; c++)
        assert_true(set.motions[0].force_high[3 * c] > set.motions[0].force_low[3 * c] + 0.1);
    settings.ranges = false;
    assert_ok(world->context, sprag_motion_search_run(world->search, &problem, &settings, &set));
    assert_int_equal(set.motions[0].force_dimension, 12);
    assert_close(set.motions[0].force_high[0], set.motions[0].force[0], 0);
    sprag_contact_problem_destroy(&problem);
}

// Four feet that are pushed down a slope and turned: the indeterminate normal forces leave the spin
// open, a continuum of motions, of which one is reported.
static void indeterminate_feet_can_leave_the_motion_open(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    double angle = 40 * atan(1) / 45;
    const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle), 0, 0, 3};
    const double points[4][3] = {
        {0.5, 0.03, -0.2}, {0, 0.3, -0.2}, {-0.5, -0.03, -0.2}, {0, -0.3, -0.2}};
    space_body(&problem, world->context, 4, points, 0.5, inverse, free);
    SpragMotionSet set = space_search(world->search, &problem);
    check_residuals(&set, 1e-9);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].dimension, 1);
    sprag_contact_problem_destroy(&problem);
}

// Mirror images: the energy of springs has one least point, so the feet share alike.
static void representative_is_symmetric(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    double angle = 25 * atan(1) / 45;
    const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    space_body(&problem, world->context, 4, feet, 0.5, inverse, free);
    SpragMotionSet set = space_search(world->search, &problem);
    const double *force = set.motions[0].force;
    // the barrier leaves the energy to 1e-16, forces to its root
    for (int k = 0; k < 3; k++) {
        assert_close(force[k], (k == 2 ? -1 : 1) * force[9 + k], 1e-6);
        assert_close(force[3 + k], (k == 2 ? -1 : 1) * force[6 + k], 1e-6);
    }
    sprag_contact_problem_destroy(&problem);
}

static void box_slides_down_a_steep_slope(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    double angle = 40 * atan(1) / 45, mu = 0.5;
    const double free[6] = {9.81 * sin(angle), 0, -9.81 * cos(angle)};
    space_body(&problem, world->context, 4, feet, mu, inverse, free);
    SpragMotionSet set = space_search(world->search, &problem);
    assert_int_equal(set.count, 1);
    assert_true(set.complete);
    check_residuals(&set, 1e-10);
    const SpragMotion *motion = &set.motions[0];
    assert_int_equal(motion->force_dimension, 1);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(motion->modes[c], SPRAG_MODE_SLIDE);
        assert_close(motion->direction[SPRAG_CONSTRAINT_WAYS * c], 1, 1e-9);
        assert_close(motion->acceleration[3 * c + 1], 9.81 * (sin(angle) - mu * cos(angle)), 1e-9);
    }
    // (8.2): the two feet behind carry m g cos(α) (1 − μ h/a) / 2 together
    double behind = 9.81 * cos(angle) / 2 * (1 - mu * 0.4 / 0.5);
    assert_close(motion->force[3] + motion->force[6], behind, 1e-9);
    assert_close(motion->force_low[3], 0, 1e-7);
    assert_close(motion->force_high[3], behind, 1e-7);
    sprag_contact_problem_destroy(&problem);
}

// The threshold of friction is the same in every heading, as closely as factors of a W that is
// given in numbers can tell slow slips: rest, or slip along the pull, is proved to be the only
// motion by theory.md (13.28).
static void threshold_in_any_heading(void **state)
{
    World *world = *state;
    const double mu = 0.5, parts[] = {-1e-2, -1e-4, -1e-8, 1e-6, 1e-5, 1e-3};
    for (int k = 0; k < test_draws(6); k++)
        for (int i = 0; i < 6; i++) {
            SpragContactProblem problem;
            double heading = 0.2 + 1.1 * k, pull = mu * 9.81 * (1 + parts[i]);
            double d[2] = {cos(heading), sin(heading)};
            const double free[6] = {pull * d[0], pull * d[1], -9.81};
            space_body(&problem, world->context, 4, feet, mu, inverse, free);
            SpragMotionSet set = space_search(world->search, &problem);
            assert_true(set.complete);
            assert_int_equal(set.count, 1);
            for (int c = 0; c < 4; c++) {
                const double *a = set.motions[0].acceleration + 3 * c;
                assert_int_equal(set.motions[0].modes[c],
                                 parts[i] < 0 ? SPRAG_MODE_STICK : SPRAG_MODE_SLIDE);
                // relative to gravity, to what rounding leaves in forces
                double slip = parts[i] < 0 ? 0 : pull - mu * 9.81;
                assert_close(a[1], slip * d[0], 1e-11);
                assert_close(a[2], slip * d[1], 1e-11);
            }
            sprag_contact_problem_destroy(&problem);
        }
}

// theory.md 8.5 in space: feet between two walls, each in the other's cone: it hangs or it falls.
static void wedge_hangs_or_falls(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    double J[6][6] = {{0}};
    space_begin(&problem, world->context);
    space_add(&problem, 1, 0, 0);
    space_add(&problem, 1, 0, 0);
    assert_ok(world->context, sprag_contact_problem_reserve_dense(&problem));
    const double points[2][3] = {{-0.2, 0, -0.1}, {0.2, 0, 0.1}};
    for (int c = 0; c < 2; c++) {
        const double axes[3][3] = {{c ? -1 : 1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                J[3 * c + r][k] = axes[r][k];
                J[3 * c + r][3 + k] = points[c][(k + 1) % 3] * axes[r][(k + 2) % 3] -
                                      points[c][(k + 2) % 3] * axes[r][(k + 1) % 3];
            }
    }
    for (int r = 0; r < 6; r++) {
        problem.b[r] = -9.81 * J[r][2];
        for (int s = 0; s < 6; s++)
            for (int k = 0; k < 6; k++)
                problem.W[r * 6 + s] += J[r][k] * (k < 3 ? 1 : 5) * J[s][k];
    }
    SpragMotionSet set = space_search(world->search, &problem);
    check_residuals(&set, 1e-9);
    bool hangs = false, falls = false;
    for (int m = 0; m < set.count; m++) {
        const SpragMotion *motion = &set.motions[m];
        bool sticks = motion->modes[0] == SPRAG_MODE_STICK && motion->modes[1] == SPRAG_MODE_STICK;
        hangs |= sticks && isinf(motion->force_high[0]);
        falls |= fabs(motion->acceleration[2] + 9.81) < 1e-9 && motion->force[0] < 1e-9;
    }
    assert_true(hangs && falls);
    sprag_contact_problem_destroy(&problem);
}

// Independent groups are searched one by one: two copies of three motions are nine.
static void islands_are_combined(void **state)
{
    World *world = *state;
    static const double W[9] = {1, 0.6, 0.6, 0.6, 2, 0, 0.6, 0, 0.5};
    static const double b[3] = {-1, 4.6, -1.5};
    SpragContactProblem problem;
    space_begin(&problem, world->context);
    space_add(&problem, 1, 0, 0);
    space_add(&problem, 1, 0, 0);
    assert_ok(world->context, sprag_contact_problem_reserve_dense(&problem));
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 3; r++) {
            problem.b[3 * c + r] = b[r];
            for (int s = 0; s < 3; s++)
                problem.W[(3 * c + r) * 6 + 3 * c + s] = W[3 * r + s];
        }
    SpragMotionSet set = space_search(world->search, &problem);
    assert_int_equal(set.count, 9);
    assert_true(set.complete);
    check_residuals(&set, 1e-10);
    sprag_contact_problem_destroy(&problem);
}

// Bilateral rows and limits beside a contact: a contact whose second tangent is held is planar.
static void bilateral_rows_and_limits(void **state)
{
    World *world = *state;
    SpragContactProblem problem;
    SpragConstraint *held, *limit;
    space_begin(&problem, world->context);
    space_add(&problem, 0.5, 0, 0);
    assert_ok(world->context,
              sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_BILATERAL, &held));
    assert_ok(world->context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_LIMIT, &limit));
    assert_ok(world->context, sprag_contact_problem_reserve_dense(&problem));
    // a particle of 1 kg: rows n, t, o; held along o; the limit is along t
    static const double J[5][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {0, 1, 0}};
    const double load[3] = {-10, -8, 100};
    for (int r = 0; r < 5; r++) {
        for (int k = 0; k < 3; k++)
            problem.b[r] += J[r][k] * load[k];
        for (int s = 0; s < 5; s++)
            for (int k = 0; k < 3; k++)
                problem.W[r * 5 + s] += J[r][k] * J[s][k];
    }
    // it is pushed against the limit, which carries between 3 and 13 N; nothing moves
    SpragMotionSet set = space_search(world->search, &problem);
    assert_int_equal(set.count, 1);
    assert_true(set.complete);
    check_residuals(&set, 1e-9);
    for (int r = 0; r < 5; r++)
        assert_close(set.motions[0].acceleration[r], 0, 1e-9);
    assert_close(set.motions[0].force_low[4], 3, 1e-6);
    assert_close(set.motions[0].force_high[4], 13, 1e-6);
    assert_int_equal(set.motions[0].modes[2], SPRAG_MODE_CLOSED);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(planted_motions_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(sliding_contacts_are_an_lcp, setup, teardown),
        cmocka_unit_test_setup_teardown(box_at_rest_is_one_motion, setup, teardown),
        cmocka_unit_test_setup_teardown(six_feet_on_a_slope, setup, teardown),
        cmocka_unit_test_setup_teardown(indeterminate_feet_can_leave_the_motion_open, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(representative_is_symmetric, setup, teardown),
        cmocka_unit_test_setup_teardown(box_slides_down_a_steep_slope, setup, teardown),
        cmocka_unit_test_setup_teardown(threshold_in_any_heading, setup, teardown),
        cmocka_unit_test_setup_teardown(wedge_hangs_or_falls, setup, teardown),
        cmocka_unit_test_setup_teardown(islands_are_combined, setup, teardown),
        cmocka_unit_test_setup_teardown(bilateral_rows_and_limits, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

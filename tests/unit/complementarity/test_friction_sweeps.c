// test_friction_sweeps.c: sweeps for problems that follow each other in time, theory.md 11.18. The
// judge is the residual, which shares no code with them.
#include "support/friction_bench.h"

static void sweep(Bench *bench, const SpragFrictionProblem *problem, int sweeps, double tolerance)
{
    assert_ok(bench->context, sprag_friction_sweep(bench->workspace, problem, sweeps, tolerance,
                                                   bench->r, bench->u, &bench->info));
    // what it says of itself is what the judge says of r
    sprag_friction_velocity(problem, bench->r, bench->known, bench->velocity);
    double residual = sprag_friction_residual(problem, bench->r, bench->known).natural;
    assert_close(bench->info.residual.natural, residual, 1e-12 * residual + 1e-15);
    assert_true((bench->info.status == SPRAG_FRICTION_SOLVED) == (residual <= tolerance));
}

// From nothing, and from the answer, which one look must confirm as it is; whether it was solved.
static bool check_scene(Bench *bench, const SpragFrictionProblem *problem, double tolerance)
{
    size_t rows = (size_t)(problem->dimension * problem->contact_count);
    memset(bench->r, 0, rows * sizeof *bench->r);
    sweep(bench, problem, 4000, tolerance);
    if (bench->info.status != SPRAG_FRICTION_SOLVED)
        return false;
    double first = bench->r[0];
    sweep(bench, problem, 16, 2 * tolerance);
    assert_true(bench->info.iterations == 0 && bench->r[0] == first);
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    return true;
}

// Sweeps up and down in turn, as many of them.
static bool others_solve(Bench *bench, const SpragFrictionProblem *problem, double tolerance)
{
    SpragFrictionSettings settings = sprag_friction_default();
    settings.method = SPRAG_FRICTION_GAUSS_SEIDEL;
    settings.tolerance = tolerance;
    settings.max_iterations = 4000;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, problem, &settings, bench->r,
                                                   bench->u, &bench->info));
    return bench->info.status == SPRAG_FRICTION_SOLVED;
}

// No sweeps solve all friction problems. Of random ones these must solve as many as others do, but
// for one in ten, and most.
static void scenes_are_solved(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    int mine = 0, theirs = 0, count = 0;
    for (int draw = 0; draw < test_draws(15); draw++)
        for (int d = 2; d <= 3; d++) {
            FrictionScene *scene =
                friction_scene_random(d, 3 + draw % 6, 2 + draw % 5, 900 + (uint64_t)draw);
            mine += check_scene(bench, &scene->problem, 1e-7);
            theirs += others_solve(bench, &scene->problem, 1e-7);
            count++;
            free(scene);
        }
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%d of %d solved, by others %d\n", mine, count, theirs);
    assert_true(10 * mine >= 9 * theirs && 10 * mine >= 7 * count);
    FrictionScene *wall = friction_scene_wall(4, 5, 0.5);
    assert_true(check_scene(bench, &wall->problem, 1e-7));
    free(wall);
    bench_free(bench);
}

// Joints, one of them with rows that are zero: those have no force.
static void joints_are_held(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    for (int d = 2; d <= 3; d++) {
        FrictionScene *scene = friction_scene_chain(d, 3, 1, 0.4);
        assert_true(check_scene(bench, &scene->problem, 1e-8));
        int padded = scene->problem.contact_count - 2;
        assert_int_equal(scene->kinds[padded], SPRAG_FRICTION_BILATERAL);
        for (int k = 1; k < d; k++)
            assert_true(bench->r[padded * d + k] == 0);
        free(scene);
    }
    bench_free(bench);
}

// A body that cannot turn has no inverse inertia: the factor of M⁻¹ has columns of zeros.
static void bodies_that_cannot_turn_are_none_apart(void **state)
{
    (void)state;
    static const double half[3] = {0.5, 0.5, 0.5}, up[3] = {0, 0, 1};
    const double foot[3] = {0.2, 0, -0.5};
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_new(3);
    int body = friction_scene_body(scene, 2, half, 0, 0, 0);
    for (int k = 21; k < 36; k += 7)
        scene->inverse[k] = 0;
    friction_scene_contact(scene, body, -1, foot, up, 0.5);
    for (int k = 0; k < 3; k++) // what gravity gives it, along the rows
        scene->q[k] = k == 0 ? -0.0981 : k == 1 ? 0.03 : 0;
    sweep(bench, &scene->problem, 50, 1e-12);
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_close(bench->r[0], 2 * 0.0981, 1e-12);
    assert_close(fabs(bench->r[1]), 2 * 0.03, 1e-12);
    free(scene);
    bench_free(bench);
}

// Loose piles of balls, from nothing: against sweeps up and down in turn that are mixed in pairs,
// at most three quarters of the sweeps are needed for three digits.
static void balls_take_fewer_sweeps(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    long mine = 0, theirs = 0;
    for (int draw = 0; draw < test_draws(4); draw++) {
        FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, 700 + (uint64_t)draw);
        memset(bench->r, 0, sizeof bench->r);
        sweep(bench, &scene->problem, 2000, 1e-3);
        assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
        mine += bench->info.iterations;
        others_solve(bench, &scene->problem, 1e-3);
        theirs += bench->info.iterations;
        free(scene);
    }
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%ld sweeps against %ld\n", mine, theirs);
    assert_true(4 * mine <= 3 * theirs);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_solved),
        cmocka_unit_test(joints_are_held),
        cmocka_unit_test(bodies_that_cannot_turn_are_none_apart),
        cmocka_unit_test(balls_take_fewer_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_friction_flow.c: the flow with a time of its own for each contact, theory.md 11.19; the
// judge is the residual, which shares no code with it.
#include "support/friction_bench.h"

static void solve(Bench *bench, const SpragFrictionProblem *problem, SpragFrictionMethod method,
                  int limit)
{
    SpragFrictionSettings settings = sprag_friction_default();
    settings.method = method;
    settings.max_iterations = limit;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, problem, &settings, bench->r,
                                                   bench->u, &bench->info));
}

static void is_solved(const Bench *bench)
{
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_true(bench->info.residual.natural <= 1.000001e-8);
}

static void loose_piles_are_solved(void **state)
{
    // 125 balls each that the default left at 1.2e-5 and 2.3e-8 after some 6000 factorisations when
    // it had no flow
    (void)state;
    static const struct {
        double speed;
        uint64_t seed;
    } piles[] = {{0.02, 902}, {0.05, 3103}};
    Bench *bench = bench_new();
    for (int k = 0; k < (test_draws(1) > 1 ? 2 : 1); k++) {
        FrictionScene *scene = friction_scene_balls(5, 0.8, piles[k].speed, piles[k].seed);
        solve(bench, &scene->problem, SPRAG_FRICTION_AUTO, 0);
        is_solved(bench);
        assert_int_equal(bench->info.steps[bench->info.step_count - 1].method, SPRAG_FRICTION_FLOW);
        free(scene);
    }
    bench_free(bench);
}

static void a_thousand_contacts_are_few_in_the_plane(void **state)
{
    // 600 discs, some 1370 contacts, that the default left at 3e-3 in a second, since it took them
    // for as dear as that many contacts in space, where it has no flow
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_discs(25, 24, 1, 0.02, 102);
    assert_true(scene->problem.contact_count > 1000);
    solve(bench, &scene->problem, SPRAG_FRICTION_AUTO, 0);
    is_solved(bench);
    free(scene);
    bench_free(bench);
}

static void own_times_are_what_matters(void **state)
{
    // With one alpha for all contacts, raised where steps are cut and lowered where not, this flow
    // is not there after 6000 steps; with one each it takes some 80.
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(5, 0.8, 0.02, 902);
    solve(bench, &scene->problem, SPRAG_FRICTION_FLOW, 300);
    is_solved(bench);
    assert_int_equal(bench->info.step_count, 1);
    assert_true(bench->info.iterations <= 300);
    free(scene);
    bench_free(bench);
}

static void flow_needs_no_friction_and_no_balls(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scenes[] = {
        friction_scene_wall(5, 6, 0),         friction_scene_wall(5, 6, 0.5),
        friction_scene_stack(8, 100, 0.5, 0), friction_scene_stack(8, 100, 0.5, 0.2),
        friction_scene_funnel(10, 0.2, 0.8),  friction_scene_chain(3, 12, 100, 0.5),
        friction_scene_chain(2, 12, 100, 0),  friction_scene_random(3, 6, 12, 50),
        friction_scene_random(2, 6, 12, 50)};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        solve(bench, &scenes[k]->problem, SPRAG_FRICTION_FLOW, 0);
        is_solved(bench);
        free(scenes[k]);
    }
    bench_free(bench);
}

// Sum of |r_N| + |u_N|.
static double sizes(const Bench *bench, int contacts)
{
    double sum = 0;
    for (int i = 0; i < contacts; i++)
        sum += fabs(bench->r[3 * i]) + fabs(bench->u[3 * i]);
    return sum;
}

static void frictionless_velocities_are_those_of_newton(void **state)
{
    // Without friction velocities are unique. Where min(r_N, u_N) is at most e = 1e-8 |q|, for both
    // answers, (u - u')·(r - r') = (v - v')·M (v - v') is at most 2 e times the sum of all |r_N|
    // and |u_N|, and |u_k - u'_k| at most the root of that times W_kk.
    (void)state;
    enum { CONTACTS = 30, ROWS = 3 * CONTACTS };
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_random(3, 10, CONTACTS, 77);
    const SpragFrictionProblem *problem = &scene->problem;
    double by_newton[ROWS], by_flow[ROWS], unit[ROWS] = {0}, square = 0;
    for (int i = 0; i < CONTACTS; i++)
        scene->friction[i] = 0;
    for (int k = 0; k < ROWS; k++)
        square += problem->q[k] * problem->q[k];
    solve(bench, problem, SPRAG_FRICTION_NEWTON, 0);
    is_solved(bench);
    double sum = sizes(bench, CONTACTS);
    memcpy(by_newton, bench->u, sizeof by_newton);
    solve(bench, problem, SPRAG_FRICTION_FLOW, 0);
    is_solved(bench);
    sum += sizes(bench, CONTACTS);
    memcpy(by_flow, bench->u, sizeof by_flow);
    for (int k = 0; k < ROWS; k++) {
        unit[k] = 1;
        sprag_friction_velocity(problem, unit, bench->u, bench->velocity);
        unit[k] = 0;
        double W_kk = bench->u[k] - problem->q[k];
        assert_close(by_flow[k], by_newton[k], sqrt(W_kk * 2e-8 * sqrt(square) * sum));
    }
    free(scene);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_piles_are_solved),
        cmocka_unit_test(a_thousand_contacts_are_few_in_the_plane),
        cmocka_unit_test(own_times_are_what_matters),
        cmocka_unit_test(flow_needs_no_friction_and_no_balls),
        cmocka_unit_test(frictionless_velocities_are_those_of_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

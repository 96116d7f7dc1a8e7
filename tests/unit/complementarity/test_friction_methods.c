// test_friction_methods.c: every method on problems whose solution is known or that are hard in
// known ways; the judge is always the residual, which shares no code with them.
#include "support/friction_bench.h"

static void solve(Bench *bench, const SpragFrictionProblem *problem, SpragFrictionMethod method)
{
    SpragFrictionSettings settings = sprag_friction_default();
    settings.method = method;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, problem, &settings, bench->r,
                                                   bench->u, &bench->info));
}

static void solves(Bench *bench, const SpragFrictionProblem *problem, const char *what, double mu)
{
    solve(bench, problem, SPRAG_FRICTION_AUTO);
    if (bench->info.status != SPRAG_FRICTION_SOLVED)
        print_error("%s, friction %g: residual %g\n", what, mu, bench->info.residual.natural);
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_true(bench->info.residual.natural <= 1.000001e-8);
}

static void hard_problems_are_solved(void **state)
{
    (void)state;
    static const double mus[] = {0, 0.1, 0.5, 1, 2};
    Bench *bench = bench_new();
    for (int k = 0; k < 5; k++) {
        FrictionScene *scenes[] = {
            friction_scene_wall(5, 6, mus[k]),         friction_scene_stack(8, 1e4, mus[k], 0),
            friction_scene_stack(8, 1e4, mus[k], 0.2), friction_scene_stack(8, 1e-4, mus[k], 0.2),
            friction_scene_funnel(10, 0.2, mus[k]),    friction_scene_funnel(10, 0.02, mus[k])};
        static const char *const names[] = {"wall",          "stack",  "pushed stack",
                                            "pushed, light", "funnel", "narrow funnel"};
        for (int s = 0; s < 6; s++) {
            solves(bench, &scenes[s]->problem, names[s], mus[k]);
            free(scenes[s]);
        }
    }
    bench_free(bench);
}

static void random_problems_are_solved(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    for (int draw = 0; draw < test_draws(15); draw++)
        for (int d = 2; d <= 3; d++) {
            FrictionScene *scene =
                friction_scene_random(d, 2 + draw % 6, 2 + draw % 11, 100 + (uint64_t)draw);
            solves(bench, &scene->problem, "random", draw);
            free(scene);
        }
    bench_free(bench);
}

static void dense_problems_are_solved(void **state)
{
    // A hundred contacts and more on few bodies: Newton's method stops short on each of these, and
    // the first damped path on those that are `late`.
    (void)state;
    Bench *bench = bench_new();
    static const struct {
        int d, bodies, contacts;
        uint64_t seed;
        bool late;
    } draws[] = {{3, 40, 100, 5, false},  {3, 40, 100, 27, false},   {3, 40, 100, 48, true},
                 {3, 40, 100, 40, false}, {2, 80, 160, 1045, false}, {2, 80, 160, 1051, false},
                 {2, 80, 160, 1009, true}};
    for (size_t k = 0; k < sizeof draws / sizeof *draws; k++) {
        FrictionScene *scene =
            friction_scene_random(draws[k].d, draws[k].bodies, draws[k].contacts, draws[k].seed);
        solves(bench, &scene->problem, "dense", (double)draws[k].seed);
        assert_true(bench->info.step_count > (draws[k].late ? 3 : 2));
        free(scene);
    }
    bench_free(bench);
}

// Piles in motion, far from monotone: from where sweeps and the damped path leave them mostly the
// smooth path of theory.md 11.17 brings them to a solution.
static void moving_balls_are_solved(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    static const uint64_t seeds[] = {1015, 1035, 1057, 1086};
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        FrictionScene *scene = friction_scene_balls(3, 0.5, 0.05, seeds[k]);
        solves(bench, &scene->problem, "balls", 0.5);
        free(scene);
    }
    bench_free(bench);
}

static void damped_path_ends_in_piles(void **state)
{
    // With all of the derivative of |u_T| where slip vanishes (theory.md (11.39), a share of 1) the
    // damped path stops short on these 64 balls, and other methods took 396 and 177
    // factorisations. Now it is the third thing tried; it takes 100 steps at most, and Newton's
    // method 15 before it.
    (void)state;
    Bench *bench = bench_new();
    static const uint64_t seeds[] = {707, 711};
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        FrictionScene *scene = friction_scene_balls(4, 0.5, 0.05, seeds[k]);
        solves(bench, &scene->problem, "balls", 0.5);
        assert_true(bench->info.step_count <= 3);
        assert_true(bench->info.factorizations <= 100 + 15);
        free(scene);
    }
    bench_free(bench);
}

static void proximal_points_cross_kinks(void **state)
{
    // The damped path leaves these 64 balls at 1.7e-7. Proximal points that go from kink to kink
    // (theory.md (11.41)) are the fourth thing tried and arrive in 31 steps; with steps that are
    // halved at kinks they had come to 1.01e-8 after all the 150 steps that they get.
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_balls(4, 0.8, 0.02, 2002);
    solves(bench, &scene->problem, "balls", 0.8);
    assert_true(bench->info.step_count <= 4);
    free(scene);
    bench_free(bench);
}

static void units_of_forces_decide_in_the_plane(void **state)
{
    // Lemke's method with forces as they are ends in rounding at 0.13; with those of each contact
    // in units w^-1/2 (theory.md 11.9) it arrives.
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_random(2, 80, 160, 1051);
    solve(bench, &scene->problem, SPRAG_FRICTION_LCP);
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_int_equal(bench->info.step_count, 2);
    free(scene);
    bench_free(bench);
}

// Every contact a second time, its rows off by `error` of themselves; some twins without friction.
static void add_twins(FrictionScene *scene, double error)
{
    int n = scene->problem.contact_count, d = scene->problem.dimension;
    int rows = 2 * d * scene->problem.body_size;
    assert_true(2 * n <= FRICTION_SCENE_CONTACTS);
    for (int i = 0; i < n; i++) {
        int j = scene->problem.contact_count++;
        memcpy(scene->q + j * d, scene->q + i * d, (size_t)d * sizeof(double));
        scene->friction[j] = i % 3 == 0 ? 0 : scene->friction[i];
        scene->bodies[2 * j] = scene->bodies[2 * i];
        scene->bodies[2 * j + 1] = scene->bodies[2 * i + 1];
        for (int e = 0; e < rows; e++)
            scene->jacobian[j * rows + e] =
                scene->jacobian[i * rows + e] * (1 + error * ((i * 7 + e) % 5 - 2));
    }
}

static void twins_are_solved(void **state)
{
    // contacts twice in one place: blocks of W that are the same, or nearly so
    (void)state;
    Bench *bench = bench_new();
    for (int k = 0; k < 8; k++) {
        FrictionScene *scene = k % 4 == 0   ? friction_scene_wall(3, 4, 0.5)
                               : k % 4 == 1 ? friction_scene_stack(8, 1e3, 5, 0.1)
                               : k % 4 == 2 ? friction_scene_funnel(12, 0.1, 1)
                                            : friction_scene_random(2 + k / 4, 6, 12, 50);
        add_twins(scene, k < 4 ? 0 : 1e-10);
        solves(bench, &scene->problem, "twins", k);
        free(scene);
    }
    bench_free(bench);
}

static void squeezed_body_is_not_solved(void **state)
{
    // Two walls come towards a body between them: u_N1 + u_N2 = −2 whatever r is, so one of them is
    // −1 or less, and without friction that one alone has |r − proj(r − u)| ≥ 1: the residual is at
    // least 1/|q| = 1/√2. No method may say that it is solved, and all of them end.
    (void)state;
    Bench *bench = bench_new();
    static const double half[3] = {0.5, 0.5, 0.5};
    for (int k = 0; k < 2; k++) {
        double mu = k * 0.5, left[3] = {-0.5, 0, 0}, right[3] = {0.5, 0, 0};
        double out[3] = {1, 0, 0}, in[3] = {-1, 0, 0};
        FrictionScene *scene = friction_scene_new(3);
        int body = friction_scene_body(scene, 1, half, 0, 0, 0);
        scene->velocity[6 * body + 2] = 0;
        friction_scene_contact(scene, body, -1, left, out, mu);
        friction_scene_contact(scene, body, -1, right, in, mu);
        scene->q[0] = scene->q[3] = -1;
        for (int method = 0; method < SPRAG_FRICTION_METHOD_COUNT; method++) {
            solve(bench, &scene->problem, (SpragFrictionMethod)method);
            assert_int_not_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
            assert_true(bench->info.residual.natural > (k ? 1e-8 : sqrt(0.5) - 1e-12));
            for (int e = 0; e < 6; e++)
                assert_true(isfinite(bench->r[e]) && isfinite(bench->u[e]));
        }
        free(scene);
    }
    bench_free(bench);
}

static void every_method_finds_a_box(void **state)
{
    // a box that is pushed slides on four feet: u_T known, forces not unique
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_stack(1, 1, 0.3, 0.2);
    for (int method = 0; method < SPRAG_FRICTION_METHOD_COUNT; method++) {
        solve(bench, &scene->problem, (SpragFrictionMethod)method);
        assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
        double total = 0, friction = 0;
        for (int i = 0; i < 4; i++) {
            total += bench->r[3 * i];
            friction += bench->r[3 * i + 1];
            assert_close(bench->u[3 * i], 0, 1e-8);
            // |u_T| = 0.2 − μ g h; the tangent is x
            assert_close(fabs(bench->u[3 * i + 1]), 0.2 - 0.3 * 0.0981, 2e-8);
        }
        assert_close(total, 0.0981, 1e-7);
        assert_close(fabs(friction), 0.3 * 0.0981, 1e-7);
    }
    free(scene);
    bench_free(bench);
}

// W dense, column by column.
static double *densify(Bench *bench, const SpragFrictionProblem *problem, int n)
{
    double *W = calloc((size_t)(n * n), sizeof *W), *x = calloc((size_t)n, sizeof *x);
    assert_true(W && x);
    for (int j = 0; j < n; j++) {
        x[j] = 1;
        sprag_friction_velocity(problem, x, bench->u, bench->velocity);
        x[j] = 0;
        for (int i = 0; i < n; i++)
            W[i * n + j] = bench->u[i] - problem->q[i];
    }
    free(x);
    return W;
}

static void views_agree(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_wall(3, 3, 0.5);
    int n = 3 * scene->problem.contact_count;
    double *W = densify(bench, &scene->problem, n), r[300], a[300], b[300];
    assert_true(n <= 300);
    SpragFrictionProblem dense = {
        .dimension = 3, .contact_count = n / 3, .q = scene->q, .friction = scene->friction, .W = W};
    for (int i = 0; i < n; i++)
        r[i] = sin(i);
    sprag_friction_velocity(&scene->problem, r, a, bench->velocity);
    sprag_friction_velocity(&dense, r, b, NULL);
    for (int i = 0; i < n; i++)
        assert_close(a[i], b[i], 1e-12);
    SpragFrictionResidual x = sprag_friction_residual(&scene->problem, r, a);
    SpragFrictionResidual y = sprag_friction_residual(&dense, r, b);
    assert_close(x.natural, y.natural, 1e-12 * y.natural);
    assert_close(x.unit_free, y.unit_free, 1e-12 * y.unit_free);
    // velocities of the solution are unique here: the wall stands
    solves(bench, &dense, "dense wall", 0.5);
    for (int i = 0; i < n; i++)
        assert_close(bench->u[i], 0, 1e-7);
    free(W);
    free(scene);
    bench_free(bench);
}

static void warm_starts_save_work(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    FrictionScene *scene = friction_scene_wall(5, 6, 0.5);
    solves(bench, &scene->problem, "wall", 0.5);
    int cold = bench->info.iterations;
    for (int k = 0; k < 3 * scene->problem.contact_count; k++)
        scene->q[k] *= 1.001;
    SpragFrictionSettings settings = sprag_friction_default();
    settings.warm = true;
    uint64_t before = sprag_context_allocation_count(bench->context);
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, &scene->problem, &settings,
                                                   bench->r, bench->u, &bench->info));
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_true(bench->info.iterations < cold);
    assert_int_equal(sprag_context_allocation_count(bench->context), before);
    free(scene);
    bench_free(bench);
}

static void zero_and_bad_problems(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    double W[] = {1, 0, 0, 1}, q[] = {0, 0}, mu = 0.5;
    SpragFrictionProblem problem = {
        .dimension = 2, .contact_count = 1, .q = q, .friction = &mu, .W = W};
    solves(bench, &problem, "zero q", 0.5);
    assert_close(bench->r[0], 0, 0);
    // nothing can move, and it approaches: no solution, and it says so
    double none[] = {0, 0, 0, 0}, fall[] = {-1, 0};
    problem.W = none;
    problem.q = fall;
    solve(bench, &problem, SPRAG_FRICTION_AUTO);
    assert_int_not_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_true(bench->info.residual.natural > 0.5);
    struct {
        double W, q, mu;
        int dimension;
        const char *says;
    } cases[] = {{NAN, 1, 1, 2, "W[0]"},
                 {1, INFINITY, 1, 2, "q[0]"},
                 {1, 1, -0.1, 2, "friction[0]"},
                 {1, 1, 1, 4, "dimension"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        W[0] = cases[k].W, q[0] = cases[k].q, mu = cases[k].mu;
        problem.W = W, problem.q = q, problem.dimension = cases[k].dimension;
        assert_int_equal(sprag_friction_solve(bench->workspace, &problem, NULL, bench->r, bench->u,
                                              &bench->info),
                         SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(bench->context), cases[k].says));
    }
    // a matrix that is not symmetric: only the method that needs it refuses
    double skew[] = {1, 0.5, 0, 1}, fine[] = {-1, 0.1};
    problem.W = skew, problem.q = fine, problem.dimension = 2, mu = 0.3;
    assert_close(sprag_friction_asymmetry(&problem), 0.5, 0);
    solves(bench, &problem, "skew", 0.3);
    SpragFrictionSettings settings = sprag_friction_default();
    settings.method = SPRAG_FRICTION_GRADIENT;
    assert_int_equal(sprag_friction_solve(bench->workspace, &problem, &settings, bench->r, bench->u,
                                          &bench->info),
                     SPRAG_ERROR_INPUT);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_problems_are_solved),
        cmocka_unit_test(random_problems_are_solved),
        cmocka_unit_test(dense_problems_are_solved),
        cmocka_unit_test(moving_balls_are_solved),
        cmocka_unit_test(damped_path_ends_in_piles),
        cmocka_unit_test(proximal_points_cross_kinks),
        cmocka_unit_test(units_of_forces_decide_in_the_plane),
        cmocka_unit_test(twins_are_solved),
        cmocka_unit_test(squeezed_body_is_not_solved),
        cmocka_unit_test(every_method_finds_a_box),
        cmocka_unit_test(views_agree),
        cmocka_unit_test(warm_starts_save_work),
        cmocka_unit_test(zero_and_bad_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_friction_joints.c: friction problems with bilateral blocks. The judge is the residual; and
// the problem without the joints' rows, which are eliminated here, must be solved by the same
// contact forces.
#include "support/friction_bench.h"

enum { MOST = 3 * FRICTION_SCENE_CONTACTS };

static void solve(Bench *bench, const SpragFrictionProblem *problem, SpragFrictionMethod method)
{
    SpragFrictionSettings settings = sprag_friction_default();
    settings.method = method;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, problem, &settings, bench->r,
                                                   bench->u, &bench->info));
    if (bench->info.status != SPRAG_FRICTION_SOLVED)
        print_error("%s: residual %g\n", sprag_friction_method_get((int)method)->name,
                    bench->info.residual.natural);
    assert_int_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
}

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

// Takes the rows of joints out of W and q, in any order; W is symmetric.
static void eliminate(const SpragFrictionProblem *problem, int n, double *W, double *q)
{
    for (int k = 0; k < n; k++) {
        double pivot = W[k * n + k];
        if (problem->kinds[k / problem->dimension] == SPRAG_FRICTION_CONTACT || pivot < 1e-10)
            continue;
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : W[i * n + k] / pivot;
            for (int j = 0; j < n; j++)
                W[i * n + j] -= factor * W[k * n + j];
            q[i] -= factor * q[k];
        }
    }
}

// Residual of the contact forces in the problem without joints.
static double residual_without(Bench *bench, const SpragFrictionProblem *problem)
{
    int d = problem->dimension, n = d * problem->contact_count, c = 0;
    double *W = densify(bench, problem, n), *q = malloc((size_t)n * sizeof *q);
    double *r = calloc((size_t)n, sizeof *r), *u = calloc((size_t)n, sizeof *u);
    double *mu = calloc((size_t)n, sizeof *mu), *q_c = calloc((size_t)n, sizeof *q_c);
    assert_true(q && r && u && mu && q_c);
    memcpy(q, problem->q, (size_t)n * sizeof *q);
    eliminate(problem, n, W, q);
    int list[FRICTION_SCENE_CONTACTS];
    for (int i = 0; i < problem->contact_count; i++)
        if (problem->kinds[i] == SPRAG_FRICTION_CONTACT)
            list[c++] = i;
    for (int i = 0; i < c * d; i++) {
        u[i] = q_c[i] = q[list[i / d] * d + i % d];
        r[i] = bench->r[list[i / d] * d + i % d];
        mu[i / d] = problem->friction[list[i / d]];
        for (int j = 0; j < c * d; j++)
            u[i] += W[(list[i / d] * d + i % d) * n + list[j / d] * d + j % d] *
                    bench->r[list[j / d] * d + j % d];
    }
    SpragFrictionProblem reduced = {.dimension = d,
                                    .contact_count = c,
                                    .q = q_c,
                                    .friction = mu,
                                    .storage = SPRAG_FRICTION_DENSE,
                                    .W = W};
    double residual = 0, scale = 0;
    // relative to the whole q: what is left of it may be small
    residual = sprag_friction_residual(&reduced, r, u).natural;
    for (int i = 0; i < c * d; i++)
        scale += q_c[i] * q_c[i];
    residual *= scale > 0 ? sqrt(scale) : 1;
    free(W), free(q), free(r), free(u), free(mu), free(q_c);
    return residual;
}

static void chains_hang(void **state)
{
    (void)state;
    static const double mus[] = {0, 0.3, 1.5};
    Bench *bench = bench_new();
    for (int d = 2; d <= 3; d++)
        for (int k = 0; k < 9; k++) {
            FrictionScene *scene =
                friction_scene_chain(d, 2 + 3 * (k / 3), k % 2 ? 1e3 : 1, mus[k % 3]);
            solve(bench, &scene->problem, SPRAG_FRICTION_AUTO);
            // elimination multiplies u ≈ 1e-8 |q| of the joints by ratios of masses at most
            for (int i = 0; i < d * scene->problem.contact_count; i++)
                if (scene->kinds[i / d] == SPRAG_FRICTION_BILATERAL)
                    assert_close(bench->u[i], 0, 1e-8);
            assert_true(residual_without(bench, &scene->problem) < 1e-4);
            free(scene);
        }
    bench_free(bench);
}

static void every_method_holds_a_joint(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    for (int d = 2; d <= 3; d++)
        for (int method = 0; method < SPRAG_FRICTION_METHOD_COUNT; method++) {
            FrictionScene *scene = friction_scene_chain(d, 3, 1, 0.4);
            solve(bench, &scene->problem, (SpragFrictionMethod)method);
            // joints 0, 1, 2 hold points; the padded block is the one before the last contact
            int padded = scene->problem.contact_count - 2;
            assert_int_equal(scene->kinds[padded], SPRAG_FRICTION_BILATERAL);
            for (int k = 1; k < d; k++)
                assert_true(bench->r[padded * d + k] == 0);
            assert_true(residual_without(bench, &scene->problem) < 1e-6);
            free(scene);
        }
    bench_free(bench);
}

static void random_machines_are_solved(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    for (int draw = 0; draw < test_draws(12); draw++)
        for (int d = 2; d <= 3; d++) {
            int bodies = 3 + draw % 5;
            FrictionScene *scene =
                friction_scene_random(d, bodies, 2 + draw % 7, 500 + (uint64_t)draw);
            for (int j = 0; j + 1 < bodies; j += 2) {
                const double p[3] = {0.1 * j, 0.2, d == 3 ? 0.3 : 0}, n[3] = {0.6, 0.8, 0};
                friction_scene_joint(scene, j, j + 1, p, n, draw % 3 ? d : d - 1);
            }
            solve(bench, &scene->problem, SPRAG_FRICTION_AUTO);
            assert_true(residual_without(bench, &scene->problem) < 1e-5);
            free(scene);
        }
    bench_free(bench);
}

static void joints_alone_are_linear(void **state)
{
    (void)state;
    Bench *bench = bench_new();
    double W[] = {2, 1, 1, 2}, q[] = {1, -3}, mu = 0;
    unsigned char kind = SPRAG_FRICTION_BILATERAL;
    SpragFrictionProblem problem = {
        .dimension = 2, .contact_count = 1, .q = q, .friction = &mu, .kinds = &kind, .W = W};
    for (int method = 0; method < SPRAG_FRICTION_METHOD_COUNT; method++) {
        solve(bench, &problem, (SpragFrictionMethod)method);
        // W r = −q by hand
        assert_close(bench->r[0], -5.0 / 3, 1e-7);
        assert_close(bench->r[1], 7.0 / 3, 1e-7);
    }
    // a row that nothing moves and that should: said, not forgotten
    double none[] = {2, 0, 0, 0};
    problem.W = none;
    assert_ok(bench->context, sprag_friction_solve(bench->workspace, &problem, NULL, bench->r,
                                                   bench->u, &bench->info));
    assert_int_not_equal(bench->info.status, SPRAG_FRICTION_SOLVED);
    assert_close(bench->info.residual.natural, 3 / sqrt(10), 1e-9);
    kind = 2;
    assert_int_equal(
        sprag_friction_solve(bench->workspace, &problem, NULL, bench->r, bench->u, &bench->info),
        SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(bench->context), "kinds[0]"));
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_hang),
        cmocka_unit_test(every_method_holds_a_joint),
        cmocka_unit_test(random_machines_are_solved),
        cmocka_unit_test(joints_alone_are_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

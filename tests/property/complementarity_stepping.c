// complementarity_stepping.c: LCPs of random scenes: every time-stepping problem is solved, since
// (3.2) holds for it; nothing is called solved that is not.
#include "support/lcp_scenes.h"
#include "support/workspace_state.h"

// Solves one scene with one method; whether it was solved, after checking that this is true.
static bool solve(State *s, const LcpScene *scene, SpragLcpMethod method, SpragLcpInfo *info)
{
    SpragLcp p = {scene->n, scene->M, scene->q};
    SpragLcpSettings settings = sprag_lcp_default();
    double *z = calloc((size_t)scene->n, sizeof *z), *w = calloc((size_t)scene->n, sizeof *w);
    settings.method = method;
    assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, info));
    bool solved = info->status == SPRAG_LCP_SOLVED;
    double worst = 0, largest = 0;
    for (int i = 0; i < scene->n; i++) {
        double sum = scene->q[i];
        for (int j = 0; j < scene->n; j++)
            sum += scene->M[(size_t)i * (size_t)scene->n + (size_t)j] * z[j];
        worst = fmax(worst, fabs(fmin(z[i], sum)));
        largest = fmax(largest, fabs(scene->q[i]));
    }
    // 1e-9 of the settings, and as much for a different order of summation
    assert_true(!solved || worst / (1 + largest) <= 2e-9);
    free(z);
    free(w);
    return solved;
}

static void stepping_problems_are_all_solved(void **state)
{
    State *s = *state;
    static const int sizes[] = {1, 2, 3, 5, 8, 10, 14};
    for (int draw = 0; draw < test_draws(6); draw++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int family = LCP_PLANAR; family <= LCP_SPATIAL; family++) {
                SpragLcpInfo info;
                LcpScene scene = lcp_scene_make((LcpFamily)family, sizes[k], 1000 + (uint64_t)draw);
                if (!solve(s, &scene, SPRAG_LCP_LEMKE, &info)) {
                    print_error("family %d contacts %d draw %d: %s\n", family, sizes[k], draw,
                                sprag_lcp_status_name(info.status));
                    fail();
                }
                lcp_scene_free(&scene);
            }
}

// Rounding lets another row leave in the tie where z_0 should: the path then ends on a ray with z_0
// = 0.
static void a_ray_with_the_covering_variable_at_zero_is_a_solution(void **state)
{
    State *s = *state;
    SpragLcpInfo info;
    LcpScene scene = lcp_scene_make(LCP_PLANAR, 14, 1126);
    assert_true(solve(s, &scene, SPRAG_LCP_LEMKE, &info));
    assert_int_equal(info.starts, 1);
    lcp_scene_free(&scene);
}

static void large_stepping_problems_are_all_solved(void **state)
{
    State *s = *state;
    for (int draw = 0; draw < test_draws(1); draw++)
        for (int family = LCP_PLANAR; family <= LCP_SPATIAL; family++) {
            SpragLcpInfo info;
            int contacts = family == LCP_PLANAR ? 75 : 50;
            LcpScene scene = lcp_scene_make((LcpFamily)family, contacts, 77 + (uint64_t)draw);
            assert_int_equal(scene.n, 300);
            assert_true(solve(s, &scene, SPRAG_LCP_AUTO, &info));
            lcp_scene_free(&scene);
        }
}

static void sliding_problems_are_solved_or_said_not_to_be(void **state)
{
    // planted solutions exist, so "none" would be a false proof
    State *s = *state;
    int solved = 0, total = 0;
    for (int draw = 0; draw < test_draws(40); draw++) {
        SpragLcpInfo info;
        LcpScene scene = lcp_scene_make(LCP_SLIDING, 2 + draw % 19, 500 + (uint64_t)draw);
        for (int method = 0; method < SPRAG_LCP_METHOD_COUNT; method++) {
            bool done = solve(s, &scene, (SpragLcpMethod)method, &info);
            assert_int_not_equal(info.status, SPRAG_LCP_NONE);
            solved += method == SPRAG_LCP_AUTO && done;
        }
        total++;
        lcp_scene_free(&scene);
    }
    // the default ends with the search of all bases at these sizes
    assert_int_equal(solved, total);
}

static void definite_problems_are_solved_by_all_methods(void **state)
{
    // M = B Bᵀ + I: every method's needs are met; the solution is unique, so they must agree
    State *s = *state;
    enum { N = 20 };
    static double M[N * N];
    double q[N], B[N][N], z[N], first[N], w[N];
    SpragRandom random;
    sprag_random_init(&random, 9);
    for (int draw = 0; draw < test_draws(5); draw++) {
        for (int i = 0; i < N; i++) {
            q[i] = 10 * sprag_random_normal(&random);
            for (int j = 0; j < N; j++)
                B[i][j] = sprag_random_normal(&random);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                M[i * N + j] = i == j;
                for (int k = 0; k < N; k++)
                    M[i * N + j] += B[i][k] * B[j][k] / N;
            }
        SpragLcp p = {N, M, q};
        for (int method = 0; method < SPRAG_LCP_METHOD_COUNT; method++) {
            SpragLcpSettings settings = sprag_lcp_default();
            SpragLcpInfo info;
            settings.method = (SpragLcpMethod)method;
            settings.max_pivots = 100000;
            assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
            if (info.status != SPRAG_LCP_SOLVED)
                print_error("%s\n", sprag_lcp_method_get(method)->name);
            assert_int_equal(info.status, SPRAG_LCP_SOLVED);
            for (int i = 0; i < N; i++) {
                if (method == 0)
                    first[i] = z[i];
                // |z − z'| ≤ residual × (1 + |q|) × (1 + |M|)/λ_min with λ_min ≥ 1
                assert_close(z[i], first[i], 1e-6);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepping_problems_are_all_solved),
        cmocka_unit_test(a_ray_with_the_covering_variable_at_zero_is_a_solution),
        cmocka_unit_test(large_stepping_problems_are_all_solved),
        cmocka_unit_test(sliding_problems_are_solved_or_said_not_to_be),
        cmocka_unit_test(definite_problems_are_solved_by_all_methods),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

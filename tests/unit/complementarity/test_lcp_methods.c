// test_lcp_methods.c: every LCP method on every stored problem, judged by the residual alone; input
// that is not valid; warm starts; memory.
#include "support/lcp_scenes.h"
#include "support/workspace_state.h"

static const char *const stored[] = {"lcp_CPS_1",
                                     "lcp_CPS_2",
                                     "lcp_CPS_3",
                                     "lcp_CPS_4",
                                     "lcp_CPS_5",
                                     "lcp_deudeu",
                                     "lcp_exp_murty",
                                     "lcp_exp_murty2",
                                     "lcp_ortiz",
                                     "lcp_trivial",
                                     "lcp_Pang_isolated_sol"};

typedef struct Expected {
    SpragLcpMethod method;
    const char *problem;
    SpragLcpStatus status;
    const char *reason;
} Expected;

// Everything else is solved. Two problems have no solution; those stand at the end.
static const Expected failures[] = {
    {SPRAG_LCP_MURTY, "lcp_CPS_2", SPRAG_LCP_UNSUITABLE, "zero diagonal: not P"},
    {SPRAG_LCP_PGS, "lcp_CPS_2", SPRAG_LCP_UNSUITABLE, "zero diagonal"},
    {SPRAG_LCP_MURTY, "lcp_CPS_3", SPRAG_LCP_UNSUITABLE, "zero diagonal: not P"},
    {SPRAG_LCP_KELLER, "lcp_CPS_3", SPRAG_LCP_RAY, "bimatrix game: not row sufficient"},
    {SPRAG_LCP_COTTLE_DANTZIG, "lcp_CPS_3", SPRAG_LCP_RAY, "bimatrix game: neither P nor PSD"},
    {SPRAG_LCP_PGS, "lcp_CPS_3", SPRAG_LCP_UNSUITABLE, "zero diagonal"},
    {SPRAG_LCP_AUTO, "lcp_CPS_4", SPRAG_LCP_NONE, "infeasible, M is PSD"},
    {SPRAG_LCP_LEMKE, "lcp_CPS_4", SPRAG_LCP_NONE, "infeasible, M is PSD"},
    {SPRAG_LCP_MURTY, "lcp_CPS_4", SPRAG_LCP_UNSUITABLE, "zero diagonal: not P"},
    {SPRAG_LCP_KELLER, "lcp_CPS_4", SPRAG_LCP_RAY, "infeasible"},
    {SPRAG_LCP_COTTLE_DANTZIG, "lcp_CPS_4", SPRAG_LCP_RAY, "infeasible"},
    {SPRAG_LCP_NEWTON_FB, "lcp_CPS_4", SPRAG_LCP_LIMIT, "infeasible: the merit has no zero"},
    {SPRAG_LCP_NEWTON_MIN, "lcp_CPS_4", SPRAG_LCP_LIMIT, "infeasible: the merit has no zero"},
    {SPRAG_LCP_PGS, "lcp_CPS_4", SPRAG_LCP_UNSUITABLE, "zero diagonal"},
    {SPRAG_LCP_ENUMERATION, "lcp_CPS_4", SPRAG_LCP_NONE, "infeasible"},
    {SPRAG_LCP_AUTO, "lcp_Pang_isolated_sol", SPRAG_LCP_NONE, "infeasible"},
    {SPRAG_LCP_LEMKE, "lcp_Pang_isolated_sol", SPRAG_LCP_NONE, "infeasible"},
    {SPRAG_LCP_MURTY, "lcp_Pang_isolated_sol", SPRAG_LCP_UNSUITABLE, "zero diagonal: not P"},
    {SPRAG_LCP_KELLER, "lcp_Pang_isolated_sol", SPRAG_LCP_RAY, "infeasible"},
    {SPRAG_LCP_COTTLE_DANTZIG, "lcp_Pang_isolated_sol", SPRAG_LCP_RAY, "infeasible"},
    {SPRAG_LCP_NEWTON_FB, "lcp_Pang_isolated_sol", SPRAG_LCP_LIMIT, "infeasible"},
    {SPRAG_LCP_NEWTON_MIN, "lcp_Pang_isolated_sol", SPRAG_LCP_LIMIT, "infeasible"},
    {SPRAG_LCP_PGS, "lcp_Pang_isolated_sol", SPRAG_LCP_UNSUITABLE, "zero diagonal"},
    {SPRAG_LCP_ENUMERATION, "lcp_Pang_isolated_sol", SPRAG_LCP_NONE, "infeasible"},
};

static SpragLcpStatus expected_status(SpragLcpMethod method, const char *problem)
{
    for (size_t k = 0; k < sizeof failures / sizeof *failures; k++)
        if (failures[k].method == method && strcmp(failures[k].problem, problem) == 0)
            return failures[k].status;
    return SPRAG_LCP_SOLVED;
}

static void every_method_on_every_stored_problem(void **state)
{
    State *s = *state;
    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++) {
        char path[512];
        SpragLcpFile file;
        double z[16], w[16];
        snprintf(path, sizeof path, "%s/tests/data/lcp/%s.dat", SPRAG_SOURCE_DIR, stored[k]);
        assert_ok(s->context, sprag_lcp_read_dat(s->context, path, &file));
        SpragLcp p = {file.n, file.M, file.q};
        for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
            SpragLcpSettings settings = sprag_lcp_default();
            SpragLcpInfo info;
            settings.method = (SpragLcpMethod)m;
            assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
            SpragLcpStatus wanted = expected_status((SpragLcpMethod)m, stored[k]);
            if (info.status != wanted)
                print_error("%s on %s: %s\n", sprag_lcp_method_get(m)->name, stored[k],
                            sprag_lcp_status_name(info.status));
            assert_int_equal(info.status, wanted);
            double residual = sprag_lcp_residual(&p, z, NULL);
            assert_close(info.residual, residual, 0);
            assert_true((residual <= settings.tolerance) == (wanted == SPRAG_LCP_SOLVED));
            assert_true((info.proof != SPRAG_LCP_PROOF_NOTHING) == (wanted == SPRAG_LCP_NONE));
            assert_true(info.step_count >= 1);
        }
        sprag_lcp_file_destroy(s->context, &file);
    }
}

static void the_table_of_methods(void **state)
{
    (void)state;
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
        const SpragLcpMethodInfo *info = sprag_lcp_method_get(m);
        assert_int_equal(info->id, m);
        assert_int_equal(sprag_lcp_method_by_name(info->name), m);
        assert_true(strlen(info->needs) > 0 && strlen(info->promises) > 0);
    }
    assert_null(sprag_lcp_method_get(-1));
    assert_null(sprag_lcp_method_get(SPRAG_LCP_METHOD_COUNT));
    assert_int_equal(sprag_lcp_method_by_name("simplex"), SPRAG_LCP_METHOD_COUNT);
    assert_string_equal(sprag_lcp_status_name(SPRAG_LCP_RAY), "ray");
    assert_string_equal(sprag_lcp_status_name(SPRAG_LCP_STATUS_COUNT), "?");
    assert_true(strlen(sprag_lcp_status_text(SPRAG_LCP_LIMIT)) > 10);
    assert_string_equal(sprag_lcp_status_text(SPRAG_LCP_STATUS_COUNT), "?");
}

static void bad_input_is_refused(void **state)
{
    State *s = *state;
    double M[] = {1, 2, NAN, 1}, q[] = {-1, -1}, z[2], w[2];
    SpragLcpInfo info;
    SpragLcp p = {2, M, q};
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, NULL, z, w, &info), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(s->context), "M[1][0]"));
    M[2] = 2, q[1] = INFINITY;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, NULL, z, w, &info), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(s->context), "q[1]"));
    q[1] = -1;
    int sizes[] = {0, -3, SPRAG_LCP_MAX_SIZE + 1};
    for (int k = 0; k < 3; k++) {
        p.n = sizes[k];
        assert_int_equal(sprag_lcp_solve(s->workspace, &p, NULL, z, w, &info), SPRAG_ERROR_INPUT);
    }
    p.n = 2;
    p.M = NULL;
    assert_int_equal(sprag_lcp_check(s->context, &p), SPRAG_ERROR_INPUT);
    p.M = M;
    SpragLcpSettings settings = sprag_lcp_default();
    settings.cookie = 1;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info),
                     SPRAG_ERROR_ARGUMENT);
    settings = sprag_lcp_default();
    settings.tolerance = NAN;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info), SPRAG_ERROR_INPUT);
    settings = sprag_lcp_default();
    settings.method = SPRAG_LCP_METHOD_COUNT;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info), SPRAG_ERROR_INPUT);
    settings = sprag_lcp_default();
    settings.max_starts = 0;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info), SPRAG_ERROR_INPUT);
    settings = sprag_lcp_default();
    settings.start_z = z;
    z[0] = NAN;
    assert_int_equal(sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info), SPRAG_ERROR_INPUT);
}

static void every_method_keeps_its_limit(void **state)
{
    // Murty's matrix of size 10: the least-index rule needs 2^n − 1 pivots for q = −(2^n, …)
    State *s = *state;
    enum { N = 10 };
    double M[N * N] = {0}, q[N], z[N], w[N];
    for (int i = 0; i < N; i++) {
        q[i] = -1;
        for (int j = 0; j < N; j++)
            M[i * N + j] = i == j ? 1 : j < i ? 2 : 0;
    }
    SpragLcp p = {N, M, q};
    for (int m = 1; m < SPRAG_LCP_METHOD_COUNT; m++) {
        SpragLcpSettings settings = sprag_lcp_default();
        SpragLcpInfo info;
        settings.method = (SpragLcpMethod)m;
        settings.max_pivots = 5;
        settings.max_iterations = 1;
        settings.max_nodes = 2;
        settings.max_starts = 1;
        assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
        assert_true(info.pivots <= 6 && info.iterations <= 50);
        assert_true(info.status == SPRAG_LCP_SOLVED || info.status == SPRAG_LCP_LIMIT);
    }
}

static void what_a_ray_proves(void **state)
{
    State *s = *state;
    double z[2], w[2];
    SpragLcpInfo info;
    SpragLcpSettings settings = sprag_lcp_default();
    settings.method = SPRAG_LCP_LEMKE;
    // w = −z − 1 < 0: infeasible, and the ray shows it
    double minus[] = {-1}, one[] = {-1};
    SpragLcp infeasible = {1, minus, one};
    assert_ok(s->context, sprag_lcp_solve(s->workspace, &infeasible, &settings, z, w, &info));
    assert_int_equal(info.status, SPRAG_LCP_NONE);
    assert_int_equal(info.proof, SPRAG_LCP_PROOF_INFEASIBLE);
    // feasible for large z, but without a solution: no ray proves that, only the search does
    double M[] = {0, 1, 0, 0}, q[] = {-1, 1};
    SpragLcp empty = {2, M, q};
    assert_ok(s->context, sprag_lcp_solve(s->workspace, &empty, &settings, z, w, &info));
    assert_int_equal(info.status, SPRAG_LCP_RAY);
    assert_int_equal(info.proof, SPRAG_LCP_PROOF_NOTHING);
    assert_ok(s->context, sprag_lcp_solve(s->workspace, &empty, NULL, z, w, &info));
    assert_int_equal(info.status, SPRAG_LCP_NONE);
    assert_int_equal(info.proof, SPRAG_LCP_PROOF_SEARCH);
    assert_true(info.step_count > 2);
}

static void the_residual_is_what_it_says(void **state)
{
    (void)state;
    double M[] = {2, 1, 1, 2}, q[] = {-5, 3}, z[] = {2, -0.5}, w[2];
    SpragLcp p = {2, M, q};
    // w = (−1.5, 4): min(2, −1.5) = −1.5, min(−0.5, 4) = −0.5; 1.5/(1 + 5)
    assert_close(sprag_lcp_residual(&p, z, w), 0.25, 1e-16);
    assert_close(w[0], -1.5, 0);
    assert_close(w[1], 4, 0);
    z[0] = INFINITY;
    assert_true(sprag_lcp_residual(&p, z, NULL) == INFINITY);
    z[0] = NAN;
    assert_true(sprag_lcp_residual(&p, z, NULL) == INFINITY);
}

static void a_second_solve_allocates_nothing(void **state)
{
    State *s = *state;
    LcpScene scene = lcp_scene_make(LCP_SPATIAL, 10, 3);
    SpragLcp p = {scene.n, scene.M, scene.q};
    double z[60], w[60];
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
        SpragLcpSettings settings = sprag_lcp_default();
        SpragLcpInfo info;
        settings.method = (SpragLcpMethod)m;
        settings.max_iterations = 20;
        settings.max_nodes = 200;
        assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
        uint64_t before = sprag_context_allocation_count(s->context);
        settings.warm = true;
        assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
        settings.warm = false;
        assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
        assert_int_equal(sprag_context_allocation_count(s->context), before);
    }
    lcp_scene_free(&scene);
}

static void warm_starts_follow_a_trajectory(void **state)
{
    State *s = *state;
    static const int contacts[] = {2, 12};
    for (int size = 0; size < 2; size++) {
        LcpScene scene = lcp_scene_make(LCP_SPATIAL, contacts[size], 11);
        size_t n = (size_t)scene.n;
        double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *q = calloc(n, sizeof *q);
        double *last = calloc(n, sizeof *last);
        int warm = 0;
        for (int k = 0; k < 20; k++) {
            SpragLcpSettings settings = sprag_lcp_default();
            SpragLcpInfo info;
            for (size_t i = 0; i < n; i++)
                q[i] = scene.q[i] * (1 + 0.01 * k);
            SpragLcp p = {scene.n, scene.M, q};
            settings.warm = k % 2 == 0;
            settings.start_z = k % 2 == 1 ? last : NULL;
            assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
            assert_int_equal(info.status, SPRAG_LCP_SOLVED);
            assert_true(info.residual <= 1e-9);
            warm += settings.warm && info.warm_solved;
            memcpy(last, z, n * sizeof *z);
        }
        // a scaled q keeps its basis; the first solve is cold
        assert_true(warm >= 9);
        free(z);
        free(w);
        free(q);
        free(last);
        lcp_scene_free(&scene);
    }
}

// A warm start that helps nothing must not do harm.
static void a_wrong_warm_start_is_survived(void **state)
{
    State *s = *state;
    double M[] = {2, 1, 1, 2}, q[] = {-1, -4}, start[] = {5, 5}, z[2], w[2];
    SpragLcp p = {2, M, q};
    SpragLcpSettings settings = sprag_lcp_default();
    SpragLcpInfo info;
    settings.start_z = start;
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
        settings.method = (SpragLcpMethod)m;
        assert_ok(s->context, sprag_lcp_solve(s->workspace, &p, &settings, z, w, &info));
        assert_int_equal(info.status, SPRAG_LCP_SOLVED);
        assert_close(z[1], 2, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_on_every_stored_problem),
        cmocka_unit_test(the_table_of_methods),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(every_method_keeps_its_limit),
        cmocka_unit_test(what_a_ray_proves),
        cmocka_unit_test(the_residual_is_what_it_says),
        cmocka_unit_test(a_second_solve_allocates_nothing),
        cmocka_unit_test(warm_starts_follow_a_trajectory),
        cmocka_unit_test(a_wrong_warm_start_is_survived),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// test_lcp_all.c: the full solution set of every stored problem and of hand-made ones, against
// brute force.
#include <dirent.h>

#include "support/lcp_check.h"

typedef struct State {
    SpragContext *context;
    SpragLcpAll *all;
} State;

static int setup(void **state)
{
    static State s;
    s.context = test_context();
    assert_ok(s.context, sprag_lcp_all_create(s.context, &s.all));
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    State *s = *state;
    sprag_lcp_all_destroy(s->all);
    sprag_context_destroy(s->context);
    return 0;
}

// What the remarks of the files, and the books they cite, say.
static const struct {
    const char *name;
    SpragLcpVerdict verdict;
    int count;
} stored[] = {{"lcp_CPS_1", SPRAG_LCP_VERDICT_INFINITE, 1},
              {"lcp_CPS_2", SPRAG_LCP_VERDICT_UNIQUE, 1},
              {"lcp_CPS_3", SPRAG_LCP_VERDICT_MULTIPLE, 3},
              {"lcp_CPS_4", SPRAG_LCP_VERDICT_NONE, 0},
              {"lcp_CPS_5", SPRAG_LCP_VERDICT_INFINITE, 1},
              {"lcp_Pang_isolated_sol", SPRAG_LCP_VERDICT_NONE, 0},
              {"lcp_deudeu", SPRAG_LCP_VERDICT_UNIQUE, 1},
              {"lcp_exp_murty", SPRAG_LCP_VERDICT_UNIQUE, 1},
              {"lcp_exp_murty2", SPRAG_LCP_VERDICT_UNIQUE, 1},
              {"lcp_ortiz", SPRAG_LCP_VERDICT_UNIQUE, 1},
              {"lcp_trivial", SPRAG_LCP_VERDICT_UNIQUE, 1}};

static void stored_problems_have_their_sets(void **state)
{
    State *s = *state;
    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++) {
        char path[512];
        SpragLcpFile file;
        snprintf(path, sizeof path, "%s/tests/data/lcp/%s.dat", SPRAG_SOURCE_DIR, stored[k].name);
        assert_ok(s->context, sprag_lcp_read_dat(s->context, path, &file));
        SpragLcp p = {file.n, file.M, file.q};
        check_against_brute(s->context, s->all, &p, file.n <= 6);
        assert_int_equal(sprag_lcp_all_verdict(s->all), stored[k].verdict);
        assert_int_equal(sprag_lcp_all_count(s->all), stored[k].count);
        sprag_lcp_file_destroy(s->context, &file);
    }
}

static void the_segment_is_one_set(void **state)
{
    State *s = *state;
    double M[] = {1, 1, 1, 1}, q[] = {-1, -1};
    SpragLcp p = {2, M, q};
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    const SpragLcpSet *set = sprag_lcp_all_get(s->all, 0);
    assert_int_equal(sprag_lcp_all_count(s->all), 1);
    assert_int_equal(set->dimension, 1);
    assert_int_equal(set->vertex_count, 2);
    assert_int_equal(set->ray_count, 0);
    assert_close(set->z[0] + set->z[1], 1, 1e-14);
    assert_close(fabs(set->z[0] - set->z[2]), 1, 1e-14);
    assert_null(sprag_lcp_all_get(s->all, 1));
    assert_null(sprag_lcp_all_get(s->all, -1));
}

static void zero_problems_do_not_explode(void **state)
{
    // M = 0, q = 0: all z ≥ 0 solve: one set, whatever n; q > 0 somewhere forbids those z
    State *s = *state;
    enum { N = 24 };
    static double M[N * N], q[N];
    SpragLcp p = {N, M, q};
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_lcp_all_count(s->all), 1);
    assert_int_equal(sprag_lcp_all_get(s->all, 0)->dimension, N);
    assert_int_equal(sprag_lcp_all_get(s->all, 0)->ray_count, N);
    q[3] = 1, q[7] = 2;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_lcp_all_count(s->all), 1);
    assert_int_equal(sprag_lcp_all_get(s->all, 0)->dimension, N - 2);
    q[5] = -1;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_lcp_all_verdict(s->all), SPRAG_LCP_VERDICT_NONE);
    q[3] = q[7] = q[5] = 0;
    // M = I, q = 0: only z = 0, degenerate in all 2^24 bases
    for (int i = 0; i < N; i++)
        M[i * N + i] = 1;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_lcp_all_verdict(s->all), SPRAG_LCP_VERDICT_UNIQUE);
    assert_true(sprag_lcp_all_nodes(s->all) < 1000);
    memset(M, 0, sizeof M);
}

static void all_two_to_the_n_solutions(void **state)
{
    // M = −I, q = 1: every z_i is 0 or 1
    State *s = *state;
    enum { N = 9 };
    double M[N * N] = {0}, q[N];
    for (int i = 0; i < N; i++) {
        M[i * N + i] = -1;
        q[i] = 1;
    }
    SpragLcp p = {N, M, q};
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_lcp_all_count(s->all), 1 << N);
    assert_true(sprag_lcp_all_complete(s->all));
}

static void limits_are_told(void **state)
{
    State *s = *state;
    double M[] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, q[] = {1, 1, 1};
    SpragLcp p = {3, M, q};
    SpragLcpAllSettings settings = sprag_lcp_all_default();
    settings.max_sets = 1;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, &settings));
    assert_int_equal(sprag_lcp_all_count(s->all), 1);
    assert_false(sprag_lcp_all_complete(s->all));
    assert_int_equal(sprag_lcp_all_verdict(s->all), SPRAG_LCP_VERDICT_UNKNOWN);
    settings = sprag_lcp_all_default();
    settings.max_nodes = 3;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, &settings));
    assert_false(sprag_lcp_all_complete(s->all));
    settings.max_nodes = 0;
    assert_int_equal(sprag_lcp_all_solve(s->all, &p, &settings), SPRAG_ERROR_INPUT);
    settings = sprag_lcp_all_default();
    settings.cookie = 0;
    assert_int_equal(sprag_lcp_all_solve(s->all, &p, &settings), SPRAG_ERROR_ARGUMENT);
    settings = sprag_lcp_all_default();
    settings.max_generators = 1;
    double N[] = {1, 1, 1, 1}, r[] = {-1, -1};
    SpragLcp segment = {2, N, r};
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &segment, &settings));
    assert_false(sprag_lcp_all_complete(s->all));
}

static void time_is_a_limit(void **state)
{
    State *s = *state;
    enum { N = 30 };
    static double M[N * N], q[N];
    for (int i = 0; i < N; i++) {
        M[i * N + i] = -1;
        q[i] = 1;
    }
    SpragLcp p = {N, M, q};
    SpragLcpAllSettings settings = sprag_lcp_all_default();
    settings.max_sets = 1 << 30;
    settings.max_seconds = 0.05;
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, &settings));
    assert_false(sprag_lcp_all_complete(s->all));
    assert_int_equal(sprag_lcp_all_verdict(s->all), SPRAG_LCP_VERDICT_MULTIPLE);
}

static void a_second_search_allocates_nothing(void **state)
{
    State *s = *state;
    double M[] = {1, 1, 0, 1, 1, 0, 0, 0, -1}, q[] = {-1, -1, 1};
    SpragLcp p = {3, M, q};
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    uint64_t before = sprag_context_allocation_count(s->context);
    assert_ok(s->context, sprag_lcp_all_solve(s->all, &p, NULL));
    assert_int_equal(sprag_context_allocation_count(s->context), before);
}

static void names_of_verdicts(void **state)
{
    (void)state;
    assert_string_equal(sprag_lcp_verdict_name(SPRAG_LCP_VERDICT_INFINITE), "infinite");
    assert_string_equal(sprag_lcp_verdict_name(SPRAG_LCP_VERDICT_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_problems_have_their_sets),
        cmocka_unit_test(the_segment_is_one_set),
        cmocka_unit_test(zero_problems_do_not_explode),
        cmocka_unit_test(all_two_to_the_n_solutions),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(time_is_a_limit),
        cmocka_unit_test(a_second_search_allocates_nothing),
        cmocka_unit_test(names_of_verdicts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

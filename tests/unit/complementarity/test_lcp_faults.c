// test_lcp_faults.c: the n-th allocation fails, for all n: an error with a message, no leak, no
// crash.
#include "support/allocator.h"

static const double segment_M[] = {1, 1, 0, 1, 1, 0, 0, 0, -1}, segment_q[] = {-1, -1, 1};

static SpragStatus search(SpragContext *context)
{
    SpragLcpAll *all = NULL;
    SpragLcp p = {3, segment_M, segment_q};
    SpragStatus status = sprag_lcp_all_create(context, &all);
    if (status == SPRAG_OK)
        status = sprag_lcp_all_solve(all, &p, NULL);
    if (status == SPRAG_OK)
        assert_int_equal(sprag_lcp_all_count(all), 2);
    sprag_lcp_all_destroy(all);
    return status;
}

static SpragStatus solve(SpragContext *context)
{
    // no solution, but feasible: the default goes through all it knows
    double M[] = {0, 1, 0, 0}, q[] = {-1, 1}, z[2], w[2];
    SpragLcp p = {2, M, q};
    SpragLcpWorkspace *workspace = NULL;
    SpragLcpInfo info;
    SpragStatus status = sprag_lcp_workspace_create(context, &workspace);
    if (status == SPRAG_OK)
        status = sprag_lcp_solve(workspace, &p, NULL, z, w, &info);
    if (status == SPRAG_OK)
        assert_int_equal(info.status, SPRAG_LCP_NONE);
    sprag_lcp_workspace_destroy(workspace);
    return status;
}

static SpragStatus program(SpragContext *context)
{
    enum { N = 20 };
    static double Q[N * N], c[N];
    double x[N], low[N], high[N];
    SpragArena *arena = NULL;
    SpragQp p = {N, 0, 0, Q, c, NULL, NULL, NULL, NULL};
    SpragStatus status = sprag_arena_create(context, 0, &arena);
    for (int i = 0; i < N; i++) {
        c[i] = i % 2 ? -1 : 0;
        Q[i * N + i] = i % 2;
    }
    for (int m = 0; status == SPRAG_OK && m < SPRAG_QP_METHOD_COUNT; m++) {
        SpragQpSettings settings = sprag_qp_default();
        SpragQpSolution solution = {x, NULL, low, high};
        SpragQpInfo info;
        settings.method = (SpragQpMethod)m;
        settings.ranges = true;
        status = sprag_qp_solve(context, arena, &p, &settings, &solution, &info);
    }
    sprag_arena_destroy(arena);
    return status;
}

static SpragStatus classes(SpragContext *context)
{
    enum { N = 12 };
    static double M[N * N];
    SpragArena *arena = NULL;
    SpragStatus status = sprag_arena_create(context, 0, &arena);
    for (int k = 0; k < N * N; k++)
        M[k] = k / N == k % N ? 1 : k % N < k / N ? 2 : -0.01;
    for (int k = 0; status == SPRAG_OK && k < SPRAG_MATRIX_CLASS_COUNT; k++) {
        SpragMatrixWitness witness;
        status =
            sprag_matrix_class_check(context, arena, N, M, (SpragMatrixClass)k, NULL, &witness);
    }
    sprag_arena_destroy(arena);
    return status;
}

static SpragStatus file(SpragContext *context)
{
    const char *text = "3\n1\n3\n3\n3\n2\n2\n2 3\n2 3\n3\n3\n0 2 3\n0 1 1\n"
                       "0\n1\n2\n3\n4\n1\n5\n6\n2\n7\n-1 -2 -3\n";
    SpragLcpFile read;
    SpragStatus status = sprag_lcp_read_dat_text(context, "p", text, strlen(text), &read);
    sprag_lcp_file_destroy(context, &read);
    return status;
}

static void sweep(SpragStatus (*work)(SpragContext *))
{
    for (int allowed = 0;; allowed++) {
        CountingAllocator counter;
        SpragContext *context = starved_context(&counter, -1);
        starve(&counter, allowed);
        SpragStatus status = work(context);
        starve(&counter, -1);
        if (status != SPRAG_OK) {
            assert_int_equal(status, SPRAG_ERROR_MEMORY);
            assert_true(strlen(sprag_context_message(context)) > 0);
        }
        sprag_context_destroy(context);
        if (status == SPRAG_OK)
            return;
        assert_true(allowed < 1000);
    }
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    sweep(search);
    sweep(solve);
    sweep(program);
    sweep(classes);
    sweep(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_fail_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

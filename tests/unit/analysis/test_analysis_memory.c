// Memory of the search and of the verdict: the n-th request fails, for all n; nothing is lost, and
// the next run with memory gives the same verdict.
#include "support/allocator.h"
#include "support/problems.h"

static SpragStatus add_contact(SpragContactProblem *problem, int contact, double x)
{
    SpragConstraint *c;
    SPRAG_TRY(sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = 0.5;
    double *entries;
    SPRAG_TRY(sprag_contact_problem_add_row_block(problem, 2 * contact, 0, &entries));
    entries[1] = 1;
    entries[2] = x;
    SPRAG_TRY(sprag_contact_problem_add_row_block(problem, 2 * contact + 1, 0, &entries));
    entries[0] = 1;
    entries[2] = 0.5;
    return SPRAG_OK;
}

// A body at rest on a row of points: indeterminate forces, so every part of the search is used.
static SpragStatus build(SpragContactProblem *problem, int count)
{
    double *inverse;
    SPRAG_TRY(sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = inverse[8] = 1;
    problem->free_acceleration[0] = 1;
    problem->free_acceleration[1] = -9.81;
    for (int i = 0; i < count; i++)
        SPRAG_TRY(add_contact(problem, i, i - 0.5 * (count - 1)));
    return sprag_contact_problem_assemble(problem);
}

static SpragStatus find_closure(SpragContext *context, const SpragContactProblem *problem)
{
    SpragArena *arena;
    SpragClosure closure;
    SPRAG_TRY(sprag_arena_create(context, 64, &arena));
    SpragStatus status = sprag_closure_find(arena, problem, SPRAG_ALL_BODIES, &closure);
    if (status == SPRAG_OK)
        assert_int_equal(closure.kind, SPRAG_CLOSURE_NONE);
    sprag_arena_destroy(arena);
    return status;
}

static SpragStatus judge(SpragContext *context, int count, SpragVerdict *verdict)
{
    SpragAnalysis *analysis = NULL;
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    SpragStatus status = build(&problem, count);
    if (status == SPRAG_OK)
        status = sprag_contact_problem_check(&problem);
    if (status == SPRAG_OK)
        status = sprag_analysis_create(context, &analysis);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, &problem, NULL, verdict);
    if (status == SPRAG_ERROR_MEMORY && analysis && problem.W) {
        // the same objects go on once there is memory again
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, verdict));
        assert_int_equal(verdict->kind, SPRAG_VERDICT_UNIQUE);
    }
    if (status == SPRAG_OK)
        status = find_closure(context, &problem);
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    return status;
}

static void test_failure_sweep(void **state)
{
    (void)state;
    for (int count = 1; count <= 12; count += 11) {
        int n = 0;
        for (SpragStatus status = SPRAG_ERROR_MEMORY; status != SPRAG_OK; n++) {
            CountingAllocator counter = {.fail_at = n};
            SpragContext *context;
            SpragVerdict verdict = {0};
            status = counting_context(&counter, &context);
            if (status == SPRAG_OK)
                status = judge(context, count, &verdict);
            assert_true(status == SPRAG_OK || status == SPRAG_ERROR_MEMORY);
            if (status == SPRAG_OK)
                assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
            sprag_context_destroy(context);
            assert_int_equal(counter.live, 0);
        }
        assert_true(n > 10);
    }
}

static void test_no_allocation_when_warm(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    SpragVerdict verdict;
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, build(&problem, 8));
    assert_ok(context, sprag_analysis_create(context, &analysis));
    assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
    uint64_t before = sprag_context_allocation_count(context);
    for (int i = 0; i < 5; i++) {
        sprag_contact_problem_clear(&problem, 2);
        assert_ok(context, build(&problem, 8 - i));
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
    }
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failure_sweep),
                                       cmocka_unit_test(test_no_allocation_when_warm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// with_bearings.h: random problems with bearings, and the search that solves them.
#ifndef SPRAG_TESTS_SUPPORT_WITH_BEARINGS_H
#define SPRAG_TESTS_SUPPORT_WITH_BEARINGS_H

#include "support/problems.h"
#include "support/with_search.h"

static inline SpragMotionSet run(const SpragContactProblem *problem)
{
    SpragMotionSet set;
    assert_ok(context, sprag_motion_search_run(search, problem, NULL, &set));
    for (int i = 0; i < set.count; i++)
        assert_true(set.motions[i].residual <= 1e-8); // rounding of a few solves
    return set;
}

// W = G Gᵀ + 1/10 of random rows, b random: rows are of one size, so that mu alone says how strong
// friction is.
static inline void fill_random(SpragContactProblem *problem, SpragRandom *random)
{
    int n = problem->row_count;
    double G[16][16];
    assert_true(n <= 16);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            G[i][j] = sprag_random_normal(random);
    for (int i = 0; i < n; i++) {
        problem->b[i] = sprag_random_normal(random);
        for (int j = 0; j < n; j++) {
            problem->W[i * n + j] = i == j ? 0.1 : 0;
            for (int k = 0; k < n; k++)
                problem->W[i * n + j] += G[i][k] * G[j][k];
        }
    }
}

#endif

// chains.h: balls in a row as bare contact problems without friction.
#ifndef SPRAG_TEST_CHAINS_H
#define SPRAG_TEST_CHAINS_H

#include "support/test.h"

enum { CHAIN_MAX = 8 };

// Contact i between ball i and ball i + 1 (numbers from 0) of the given masses and velocities; its
// normal velocity is v[i + 1] − v[i]. friction rows: a tangent row that nothing moves.
static inline void chain_build(SpragContext *context, int balls, const double *mass,
                               const double *v, SpragContactProblem *problem)
{
    sprag_contact_problem_clear(problem, 2);
    for (int i = 0; i + 1 < balls; i++) {
        SpragConstraint *added;
        assert_ok(context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &added));
    }
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    int n = problem->row_count;
    for (int i = 0; i + 1 < balls; i++) {
        int r = 2 * i;
        problem->b[r] = v[i + 1] - v[i];
        problem->W[r * n + r] = 1 / mass[i] + 1 / mass[i + 1];
        problem->W[(r + 1) * n + r + 1] = 1 / mass[i] + 1 / mass[i + 1];
        if (i + 2 < balls)
            problem->W[r * n + r + 2] = problem->W[(r + 2) * n + r] = -1 / mass[i + 1];
    }
}

// Velocities of the balls after the impulses.
static inline void chain_after(int balls, const double *mass, const double *v,
                               const double *impulse, double *after)
{
    for (int i = 0; i < balls; i++) {
        double left = i > 0 ? impulse[2 * (i - 1)] : 0;
        double right = i + 1 < balls ? impulse[2 * i] : 0;
        after[i] = v[i] + (left - right) / mass[i];
    }
}

#endif

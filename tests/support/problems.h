// problems.h: small contact problems for tests: from numbers, and random ones with a known
// Jacobian.
#ifndef SPRAG_TESTS_SUPPORT_PROBLEMS_H
#define SPRAG_TESTS_SUPPORT_PROBLEMS_H

#include "support/test.h"

// Appends a planar contact; slip 0: at rest.
static inline void problem_add_contact(SpragContactProblem *problem, double friction, double slip)
{
    SpragConstraint *c;
    assert_ok(problem->context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = friction;
    c->slip[0] = slip;
    c->sliding = slip != 0;
}

// One contact with a_nn, a_nt, a_tt, b_N, b_T.
static inline void problem_one(SpragContactProblem *problem, SpragContext *owner, const double a[3],
                               const double b[2], double friction, double slip)
{
    sprag_contact_problem_init(problem, owner);
    problem_add_contact(problem, friction, slip);
    assert_ok(owner, sprag_contact_problem_reserve_dense(problem));
    problem->W[0] = a[0];
    problem->W[1] = problem->W[2] = a[1];
    problem->W[3] = a[2];
    problem->b[0] = b[0];
    problem->b[1] = b[1];
}

// A body (m, I) on points at `points` relative to its centre of mass, on a floor with normal +y;
// slip < 0: to −x; force f = (fx, fy, torque) with gravity included. Built through the block-sparse
// view.
static inline void problem_body_on_points(SpragContactProblem *problem, SpragContext *owner,
                                          double m, double inertia, int count,
                                          const SpragVec2 *points, const double *friction,
                                          const double *slip, const double f[3])
{
    double *inverse, *entries;
    sprag_contact_problem_init(problem, owner);
    for (int i = 0; i < count; i++)
        problem_add_contact(problem, friction[i], slip[i]);
    assert_ok(owner, sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = 1 / m;
    inverse[8] = 1 / inertia;
    for (int k = 0; k < 3; k++)
        problem->free_acceleration[k] = f[k] * inverse[4 * k];
    for (int i = 0; i < count; i++) {
        assert_ok(owner, sprag_contact_problem_add_row_block(problem, 2 * i, 0, &entries));
        entries[1] = 1;
        entries[2] = points[i].x;
        assert_ok(owner, sprag_contact_problem_add_row_block(problem, 2 * i + 1, 0, &entries));
        entries[0] = 1;
        entries[2] = -points[i].y;
    }
    assert_ok(owner, sprag_contact_problem_assemble(problem));
}

#endif

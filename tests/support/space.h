// space.h: contact problems in space for tests.
#ifndef SPRAG_TESTS_SUPPORT_SPACE_H
#define SPRAG_TESTS_SUPPORT_SPACE_H

#include "support/test.h"

enum { SPACE_DOF = 24 };

static inline void space_begin(SpragContactProblem *problem, SpragContext *context)
{
    sprag_contact_problem_init(problem, context);
    sprag_contact_problem_clear(problem, 3);
}

// Appends a contact; slip (0, 0): at rest.
static inline SpragConstraint *space_add(SpragContactProblem *problem, double friction,
                                         double slip_t, double slip_o)
{
    SpragConstraint *c;
    assert_ok(problem->context, sprag_contact_problem_add(problem, SPRAG_CONSTRAINT_CONTACT, &c));
    c->friction = friction;
    c->slip[0] = slip_t;
    c->slip[1] = slip_o;
    c->sliding = slip_t != 0 || slip_o != 0;
    return c;
}

// W = J Jᵀ with random rows J of `dof` entries; b is left 0.
static inline void space_random_W(SpragContactProblem *problem, SpragRandom *random, int dof)
{
    int n = problem->row_count;
    double J[64][SPACE_DOF];
    assert_ok(problem->context, sprag_contact_problem_reserve_dense(problem));
    for (int r = 0; r < n; r++)
        for (int j = 0; j < dof; j++)
            J[r][j] = sprag_random_normal(random);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            for (int j = 0; j < dof; j++)
                problem->W[r * n + s] += J[r][j] * J[s][j];
}

// One contact with W (row by row) and b.
static inline void space_one(SpragContactProblem *problem, SpragContext *context, const double W[9],
                             const double b[3], double friction, double slip_t, double slip_o)
{
    space_begin(problem, context);
    space_add(problem, friction, slip_t, slip_o);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    memcpy(problem->W, W, 9 * sizeof *W);
    memcpy(problem->b, b, 3 * sizeof *b);
}

// A body of 1 kg with inverse inertia `inverse` about its axes on points (normal +z, tangents +x
// and +y), under accelerations `free` of its mass centre and of its angles.
static inline void space_body(SpragContactProblem *problem, SpragContext *context, int count,
                              const double points[][3], double friction, const double inverse[3],
                              const double free[6])
{
    static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double J[48][6];
    const double M[6] = {1, 1, 1, inverse[0], inverse[1], inverse[2]};
    space_begin(problem, context);
    for (int i = 0; i < count; i++)
        space_add(problem, friction, 0, 0);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    int n = problem->row_count;
    for (int r = 0; r < n; r++) {
        const double *p = points[r / 3], *d = axes[r % 3];
        for (int k = 0; k < 3; k++) {
            J[r][k] = d[k];
            J[r][3 + k] = p[(k + 1) % 3] * d[(k + 2) % 3] - p[(k + 2) % 3] * d[(k + 1) % 3];
        }
        for (int k = 0; k < 6; k++)
            problem->b[r] += J[r][k] * free[k];
    }
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            for (int k = 0; k < 6; k++)
                problem->W[r * n + s] += J[r][k] * M[k] * J[s][k];
}

// A search that lives for one test.
static inline SpragMotionSet space_search(SpragMotionSearch *search,
                                          const SpragContactProblem *problem)
{
    SpragMotionSet set;
    assert_ok(problem->context, sprag_motion_search_run(search, problem, NULL, &set));
    return set;
}

// Whether some motion of the set has these accelerations.
static inline bool space_has(const SpragMotionSet *set, int rows, const double *a, double tolerance)
{
    for (int m = 0; m < set->count; m++) {
        double worst = 0;
        for (int r = 0; r < rows; r++)
            worst = fmax(worst, fabs(set->motions[m].acceleration[r] - a[r]));
        if (worst <= tolerance)
            return true;
    }
    return false;
}

#endif

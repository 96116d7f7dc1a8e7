// contact_lcp.c: the planar contact problem as one LCP, theory.md (2.11)–(2.13).
// Unknowns  x = (λ_NS, λ_NR, λ⁺, a⁻), complements y = (a_NS, a_NR, a⁺, λ⁻), with S the sliding and
//           R the resting contacts, λ⁺ = μ λ_N + λ_T, λ⁻ = μ λ_N − λ_T, a_T = a⁺ − a⁻
// Assumes   kind CONTACT only: other kinds are searched by modes
#include <string.h>

#include "sprag/contact.h"

// Rows of the problem that belong to unknown `index` of the force part, and its column vector
// N + weight T of forces; for λ⁺ the column is T alone.
typedef struct Unknown {
    int row; // row of W that its complement reads (normal or tangent)
    int normal, tangent;
    double on_normal, on_tangent; // λ_N and λ_T per unit of the unknown
} Unknown;

static int count(const SpragContactProblem *problem, bool sliding)
{
    int number = 0;
    for (int c = 0; c < problem->constraint_count; c++)
        number += problem->constraints[c].sliding == sliding;
    return number;
}

int sprag_contact_lcp_size(const SpragContactProblem *problem)
{
    return count(problem, true) + 3 * count(problem, false);
}

static double slide_sign(const SpragConstraint *c)
{
    return c->slip[0] > 0 ? -c->friction : c->friction; // μ_s of theory.md (0.4)
}

// Position of constraint c among the sliding or among the resting ones.
static int position(const SpragContactProblem *problem, int c)
{
    int before = 0;
    for (int i = 0; i < c; i++)
        before += problem->constraints[i].sliding == problem->constraints[c].sliding;
    return before;
}

static void describe(const SpragContactProblem *problem, int c, int s, int r, Unknown *normal,
                     Unknown *plus, int *normal_index, int *plus_index)
{
    const SpragConstraint *item = &problem->constraints[c];
    int at = position(problem, c);
    *normal_index = item->sliding ? at : s + at;
    *plus_index = item->sliding ? -1 : s + r + at;
    // eliminating λ_T = λ⁺ − μ λ_N gives λ_N the column N − μ T
    *normal = (Unknown){item->row, item->row, item->row + 1, 1,
                        item->sliding ? slide_sign(item) : -item->friction};
    *plus = (Unknown){item->row + 1, item->row, item->row + 1, 0, 1};
}

static double coupling(const SpragContactProblem *problem, const Unknown *row,
                       const Unknown *column)
{
    int n = problem->row_count;
    return column->on_normal * problem->W[row->row * n + column->normal] +
           column->on_tangent * problem->W[row->row * n + column->tangent];
}

static void fill_pair(const SpragContactProblem *problem, int c, int d, int s, int r, int size,
                      double *A)
{
    Unknown n1, p1, n2, p2;
    int in1, ip1, in2, ip2;
    describe(problem, c, s, r, &n1, &p1, &in1, &ip1);
    describe(problem, d, s, r, &n2, &p2, &in2, &ip2);
    A[in1 * size + in2] = coupling(problem, &n1, &n2);
    if (ip2 >= 0)
        A[in1 * size + ip2] = coupling(problem, &n1, &p2);
    if (ip1 >= 0)
        A[ip1 * size + in2] = coupling(problem, &p1, &n2);
    if (ip1 >= 0 && ip2 >= 0)
        A[ip1 * size + ip2] = coupling(problem, &p1, &p2);
}

SpragStatus sprag_contact_lcp_build(const SpragContactProblem *problem, double *A, double *b)
{
    if (problem->dimension != 2)
        return sprag_fail(problem->context, SPRAG_ERROR_ARGUMENT,
                          "the LCP of theory.md (2.12) is planar");
    for (int c = 0; c < problem->constraint_count; c++)
        if (problem->constraints[c].kind != SPRAG_CONSTRAINT_CONTACT)
            return sprag_fail(
                problem->context, SPRAG_ERROR_ARGUMENT,
                "the LCP of theory.md (2.12) takes contacts only, constraint %d is none", c);
    int s = count(problem, true), r = count(problem, false), size = s + 3 * r;
    memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
    memset(b, 0, (size_t)size * sizeof *b);
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        for (int d = 0; d < problem->constraint_count; d++)
            fill_pair(problem, c, d, s, r, size, A);
        int at = position(problem, c);
        b[item->sliding ? at : s + at] = problem->b[item->row];
        if (item->sliding)
            continue;
        int plus = s + r + at, minus = s + 2 * r + at;
        b[plus] = problem->b[item->row + 1];
        A[plus * size + minus] = 1;
        A[minus * size + s + at] = 2 * item->friction;
        A[minus * size + plus] = -1;
    }
    return SPRAG_OK;
}

void sprag_contact_lcp_force(const SpragContactProblem *problem, const double *x, double *force)
{
    int s = count(problem, true), r = count(problem, false);
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        int at = position(problem, c);
        double normal = x[item->sliding ? at : s + at];
        force[item->row] = normal;
        force[item->row + 1] =
            item->sliding ? slide_sign(item) * normal : x[s + r + at] - item->friction * normal;
    }
}

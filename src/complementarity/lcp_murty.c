// lcp_murty.c: principal pivoting with the least-index rule of Murty.
//
// Problem   find z >= 0 with w = M z + q >= 0 and z'w = 0
// Method    exchange w_i and z_i for the smallest i whose basic variable is negative, until none is
// Assumes   M is a P-matrix: then every diagonal pivot is positive and no basis repeats. The number
//           of pivots can grow like 2^n
// Result    SOLVED, LIMIT, or UNSUITABLE if a diagonal pivot is not positive (M is then not P)
#include <math.h>

#include "lcp_internal.h"

// Basic values above −this × max|q| are not negative.
static const double NEGATIVE = 1e-13;
// Diagonal pivots below this × the largest entry of their column are zero.
static const double PIVOT_ZERO = 1e-12;

static int first_negative(const LcpTableau *t, double bound)
{
    for (int i = 0; i < t->n; i++)
        if (t->q[i] < bound)
            return i;
    return -1;
}

SpragStatus lcp_murty(SpragLcpWorkspace *ws, const SpragLcp *problem,
                      const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    LcpTableau *t = &ws->tableau;
    int limit = lcp_pivot_limit(settings, problem->n);
    double scale = 0;
    lcp_tableau_load(t, problem, NULL, NULL, NULL);
    for (int i = 0; i < t->n; i++)
        scale = fmax(scale, fabs(t->q[i]));
    outcome->starts++;
    for (;;) {
        int i = first_negative(t, -NEGATIVE * scale);
        if (i < 0)
            break;
        if (outcome->pivots == limit) {
            outcome->status = SPRAG_LCP_LIMIT;
            lcp_tableau_point(t, z);
            return SPRAG_OK;
        }
        // only diagonal exchanges are made, so pair i stays in row i and column i
        lcp_tableau_column(t, i);
        double largest = 0;
        for (int k = 0; k < t->n; k++)
            largest = fmax(largest, fabs(t->column[k]));
        if (!(t->column[i] > PIVOT_ZERO * largest)) {
            outcome->status = SPRAG_LCP_UNSUITABLE;
            lcp_tableau_point(t, z);
            return SPRAG_OK;
        }
        lcp_tableau_exchange(t, i, i);
        outcome->pivots++;
    }
    bool solved = lcp_finish(ws, problem, settings, NULL, z);
    outcome->status = solved ? SPRAG_LCP_SOLVED : SPRAG_LCP_STALLED;
    return SPRAG_OK;
}

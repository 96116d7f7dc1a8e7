// lcp_cottle_dantzig.c: the (asymmetric) principal pivoting method of Cottle and Dantzig.
//
// Problem   find z >= 0 with w = M z + q >= 0 and z'w = 0
// Method    a major cycle drives one negative basic variable to zero: its complement enters; what
//           would become negative leaves, and the complement of that enters next, until the
//           distinguished variable reaches zero. No cycle makes a nonnegative variable negative, so
//           there are at most n cycles. Ties are resolved lexicographically.
// Assumes   M is a P-matrix or positive semidefinite
// Result    SOLVED; RAY if nothing limits an entering variable (semidefinite M: no solution);
//           STALLED if a cycle comes back to where it began (other M); LIMIT
#include <math.h>

#include "lcp_internal.h"

// Basic values above −this × max|q| are not negative.
static const double NEGATIVE = 1e-13;
// Entries below this × the largest of their column are zero; ratios this close tie.
static const double PIVOT_ZERO = 1e-11, RATIO_TIE = 1e-12;

static int distinguished_row(const LcpTableau *t, double bound)
{
    int row = -1;
    for (int i = 0; i < t->n; i++)
        if (t->q[i] < bound) {
            bound = t->q[i];
            row = i;
        }
    return row;
}

static double ratio_of(const LcpTableau *t, int i, int distinguished, double zero, double bound)
{
    double c = t->column[i], q = t->q[i];
    if (i == distinguished)
        return c > zero ? -q / c : INFINITY;
    if (c >= -zero || q < bound)
        return INFINITY;
    return q > 0 ? q / -c : 0;
}

// Row that leaves for the present column; −1 if none.
static int leaving_row(const LcpTableau *t, int distinguished, double bound, int *candidates)
{
    double largest = 0, least = INFINITY;
    for (int i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(t->column[i]));
    double zero = PIVOT_ZERO * largest;
    for (int i = 0; i < t->n; i++)
        least = fmin(least, ratio_of(t, i, distinguished, zero, bound));
    if (least == INFINITY)
        return -1;
    int count = 0;
    for (int i = 0; i < t->n; i++)
        if (ratio_of(t, i, distinguished, zero, bound) <= least * (1 + RATIO_TIE)) {
            if (i == distinguished)
                return i;
            candidates[count++] = i;
        }
    return count == 1 ? candidates[0] : lcp_tableau_lexicographic(t, candidates, count);
}

// One major cycle; SOLVED when the distinguished variable has left.
static SpragLcpStatus cycle(LcpTableau *t, int distinguished, double bound, int limit,
                            int *candidates, int *pivots)
{
    int target = t->row_variable[distinguished], leaving = target;
    lcp_tableau_set_origin(t);
    do {
        if (*pivots >= limit)
            return SPRAG_LCP_LIMIT;
        int entering = -1 - t->position[leaving < t->n ? leaving + t->n : leaving - t->n];
        // the first driving variable came back to zero: not for P or semidefinite matrices
        if (entering < 0)
            return SPRAG_LCP_STALLED;
        lcp_tableau_column(t, entering);
        int row = leaving_row(t, t->position[target], bound, candidates);
        if (row < 0)
            return SPRAG_LCP_RAY;
        leaving = t->row_variable[row];
        lcp_tableau_exchange(t, row, entering);
        ++*pivots;
    } while (leaving != target);
    return SPRAG_LCP_SOLVED;
}

SpragStatus lcp_cottle_dantzig(SpragLcpWorkspace *ws, const SpragLcp *problem,
                               const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    LcpTableau *t = &ws->tableau;
    int limit = lcp_pivot_limit(settings, problem->n);
    double bound = 0;
    lcp_tableau_load(t, problem, NULL, NULL, NULL);
    for (int i = 0; i < t->n; i++)
        bound = fmin(bound, -NEGATIVE * fabs(t->q[i]));
    outcome->starts++;
    outcome->status = SPRAG_LCP_SOLVED;
    while (outcome->status == SPRAG_LCP_SOLVED) {
        int row = distinguished_row(t, bound);
        if (row < 0)
            break;
        outcome->status = cycle(t, row, bound, limit, ws->candidates, &outcome->pivots);
    }
    bool within = lcp_finish(ws, problem, settings, NULL, z);
    if (outcome->status == SPRAG_LCP_SOLVED && !within)
        outcome->status = SPRAG_LCP_STALLED;
    return SPRAG_OK;
}

// lcp_residual.c: the judge of every LCP method.
//
// Problem   how far is z from 0 ≤ z ⟂ w = M z + q ≥ 0
// Method    max_i |min(z_i, w_i)| / (1 + max_i |q_i|), from the problem alone. No method's own idea
//           of its accuracy enters.
#include <math.h>

#include "lcp_internal.h"

double sprag_lcp_residual(const SpragLcp *problem, const double *z, double *w)
{
    enum { SMALL = 64 };
    double scale = 0, worst = 0, scratch[SMALL];
    for (int i = 0; i < problem->n; i++)
        scale = fabs(problem->q[i]) > scale ? fabs(problem->q[i]) : scale;
    if (w)
        return lcp_kernel_judge(problem, 0, problem->n, z, w) / (1 + scale);
    // without a place for w: a few rows at a time
    for (int from = 0; from < problem->n; from += SMALL) {
        int to = from + SMALL < problem->n ? from + SMALL : problem->n;
        worst = fmax(worst, lcp_kernel_judge(problem, from, to, z, scratch));
    }
    return worst / (1 + scale);
}

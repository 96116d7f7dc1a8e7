// lcp_residual.c: the judge of every LCP method.
//
// Problem   how far is z from 0 ≤ z ⟂ w = M z + q ≥ 0
// Method    max_i |min(z_i, w_i)| / (1 + max_i |q_i|), from the problem alone. No method's own idea
// of
//           its accuracy enters.
#include <math.h>

#include "lcp_internal.h"

double sprag_lcp_residual(const SpragLcp *problem, const double *z, double *w)
{
    int n = problem->n;
    double worst = 0, scale = 0;
    bool finite = true;
    for (int i = 0; i < n; i++) {
        double sum = problem->q[i] + lcp_kernel_dot(n, problem->M + (size_t)i * (size_t)n, z);
        if (w)
            w[i] = sum;
        double miss = fabs(sum < z[i] ? sum : z[i]);
        if (miss > worst)
            worst = miss;
        if (fabs(problem->q[i]) > scale)
            scale = fabs(problem->q[i]);
        finite = finite && isfinite(sum) && isfinite(z[i]);
    }
    return finite ? worst / (1 + scale) : INFINITY;
}

// least_squares_covariance.c: what the residuals say about each unknown.
// Problem   (JᵀJ)⁻¹, and which unknowns J leaves open
// Method    singular values of J with columns of length 1, so that units do not decide the rank;
//           directions with a negligible one are left out of the inverse and told as weak
#include <math.h>
#include <string.h>

#include "sprag/numeric.h"

// Scales the columns of J to length 1; those without length stay.
static void scale_columns(int m, int n, double *J, double *lengths)
{
    for (int j = 0; j < n; j++) {
        double norm = 0;
        for (int i = 0; i < m; i++)
            norm = hypot(norm, J[(size_t)i * (size_t)n + (size_t)j]);
        lengths[j] = norm > 0 ? norm : 1;
        for (int i = 0; i < m; i++)
            J[(size_t)i * (size_t)n + (size_t)j] /= lengths[j];
    }
}

int sprag_least_squares_covariance(int m, int n, double *J, double threshold, double *C,
                                   double *weak, double *work)
{
    size_t count = (size_t)n;
    double *lengths = work, *s = work + n, *V = s + n;
    int rank = 0;
    scale_columns(m, n, J, lengths);
    sprag_svd(m, n, J, s, V);
    memset(C, 0, count * count * sizeof *C);
    memset(weak, 0, count * sizeof *weak);
    for (int k = 0; k < n; k++) {
        bool counts = s[k] > 0 && s[k] > threshold * s[0];
        rank += counts;
        for (int i = 0; i < n && !counts; i++)
            weak[i] += V[i * n + k] * V[i * n + k];
        for (int i = 0; i < n && counts; i++)
            for (int j = 0; j < n; j++)
                C[i * n + j] +=
                    V[i * n + k] * V[j * n + k] / (s[k] * s[k] * lengths[i] * lengths[j]);
    }
    return rank;
}

// cholesky.c: pivoted Cholesky factorisation of a positive semidefinite matrix.
// Method    A = F Fᵀ; each column of F takes the largest remaining diagonal entry as pivot
//           [Higham2002, Alg. 10.4, outer product form without permutation of F's rows]
#include <math.h>

#include "sprag/numeric.h"

// Diagonal entry i of A − F Fᵀ with the first `rank` columns of F.
static double remaining(int n, const double *A, const double *F, int rank, int i)
{
    double d = A[i * n + i];
    for (int k = 0; k < rank; k++)
        d -= F[i * n + k] * F[i * n + k];
    return d;
}

int sprag_cholesky_semidefinite(int n, const double *A, double tolerance, double *F)
{
    double scale = 0;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(A[i * n + i]));
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(A[i]))
            return -1;
        F[i] = 0;
    }
    for (int rank = 0; rank < n; rank++) {
        int pivot = -1;
        double largest = 0, least = 0;
        for (int i = 0; i < n; i++) {
            double d = remaining(n, A, F, rank, i);
            if (d > largest) {
                largest = d;
                pivot = i;
            }
            least = fmin(least, d);
        }
        if (least < -tolerance * scale)
            return -1;
        if (pivot < 0 || largest <= tolerance * scale) {
            // what is left must vanish off the diagonal too, or A was indefinite
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++) {
                    double rest = A[i * n + j];
                    for (int k = 0; k < rank; k++)
                        rest -= F[i * n + k] * F[j * n + k];
                    if (fabs(rest) > 2 * tolerance * scale)
                        return -1;
                }
            }
            return rank;
        }
        double root = sqrt(largest);
        for (int i = 0; i < n; i++) {
            double sum = A[i * n + pivot];
            for (int k = 0; k < rank; k++)
                sum -= F[i * n + k] * F[pivot * n + k];
            F[i * n + rank] = sum / root;
        }
    }
    return n;
}

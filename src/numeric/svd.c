// svd.c: singular values by one-sided Jacobi rotations.
// Method    plane rotations from the right make the columns of A orthogonal; their lengths are the
//           singular values [GolubVanLoan2013, Sec. 8.6.3]
// Assumes   small matrices; chosen because small singular values come out with high relative
// accuracy
#include <math.h>

#include "sprag/numeric.h"

enum { MAX_SWEEPS = 60 };
// rotations below this relative size of a column pair's inner product change nothing in double
static const double ORTHOGONAL = 1e-16;

static void rotate(int m, int n, double *A, int p, int q, double c, double s)
{
    for (int i = 0; i < m; i++) {
        double x = A[i * n + p], y = A[i * n + q];
        A[i * n + p] = c * x - s * y;
        A[i * n + q] = s * x + c * y;
    }
}

// Makes columns p and q orthogonal; true if a rotation was needed.
static bool orthogonalize(int m, int n, double *A, double *V, int p, int q)
{
    double alpha = 0, beta = 0, gamma = 0;
    for (int i = 0; i < m; i++) {
        alpha += A[i * n + p] * A[i * n + p];
        beta += A[i * n + q] * A[i * n + q];
        gamma += A[i * n + p] * A[i * n + q];
    }
    if (gamma == 0 || fabs(gamma) <= ORTHOGONAL * sqrt(alpha) * sqrt(beta))
        return false;
    double zeta = (beta - alpha) / (2 * gamma);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    rotate(m, n, A, p, q, c, s);
    if (V)
        rotate(n, n, V, p, q, c, s);
    return true;
}

static void swap_columns(int m, int n, double *A, int p, int q)
{
    for (int i = 0; i < m; i++) {
        double t = A[i * n + p];
        A[i * n + p] = A[i * n + q];
        A[i * n + q] = t;
    }
}

void sprag_svd(int m, int n, double *A, double *s, double *V)
{
    if (V)
        for (int i = 0; i < n * n; i++)
            V[i] = i / n == i % n;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < MAX_SWEEPS; sweep++) {
        rotated = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                rotated |= orthogonalize(m, n, A, V, p, q);
    }
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += A[i * n + j] * A[i * n + j];
        s[j] = sqrt(sum);
    }
    // selection sort: descending
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int k = j + 1; k < n; k++)
            best = s[k] > s[best] ? k : best;
        if (best == j)
            continue;
        double t = s[j];
        s[j] = s[best];
        s[best] = t;
        swap_columns(m, n, A, j, best);
        if (V)
            swap_columns(n, n, V, j, best);
    }
}

// eigen.c: eigenvalues of small general matrices: closed forms up to 2 × 2, LAPACK above.
#include <math.h>

#include <lapacke.h>

#include "blas_lock.h"
#include "sprag/numeric.h"

size_t sprag_eigenvalues_work(int n)
{
    return 8 * (size_t)(n > 0 ? n : 1);
}

// Roots of λ² − (a + d) λ + (a d − b c) without cancellation in the real case. Entries are brought
// near one by a power of two, so that products neither over- nor underflow.
static void eigenvalues_2(const double *A, double *real, double *imaginary)
{
    double largest = fmax(fmax(fabs(A[0]), fabs(A[1])), fmax(fabs(A[2]), fabs(A[3])));
    int exponent;
    frexp(largest, &exponent);
    double a = ldexp(A[0], -exponent), b = ldexp(A[1], -exponent);
    double c = ldexp(A[2], -exponent), d = ldexp(A[3], -exponent);
    double half_trace = 0.5 * (a + d), half_difference = 0.5 * (a - d);
    double discriminant = half_difference * half_difference + b * c;
    if (discriminant < 0) {
        real[0] = real[1] = ldexp(half_trace, exponent);
        imaginary[0] = ldexp(sqrt(-discriminant), exponent);
        imaginary[1] = -imaginary[0];
        return;
    }
    double root = sqrt(discriminant);
    double large = half_trace + copysign(root, half_trace);
    double small = large != 0 ? (a * d - b * c) / large : half_trace - root;
    real[0] = ldexp(fmax(large, small), exponent);
    real[1] = ldexp(fmin(large, small), exponent);
    imaginary[0] = imaginary[1] = 0;
}

static bool comes_before(double real_a, double imaginary_a, double real_b, double imaginary_b)
{
    return real_a > real_b || (real_a == real_b && imaginary_a > imaginary_b);
}

static void sort(int n, double *real, double *imaginary)
{
    for (int i = 1; i < n; i++) {
        double r = real[i], m = imaginary[i];
        int k = i;
        for (; k > 0 && comes_before(r, m, real[k - 1], imaginary[k - 1]); k--) {
            real[k] = real[k - 1];
            imaginary[k] = imaginary[k - 1];
        }
        real[k] = r;
        imaginary[k] = m;
    }
}

bool sprag_eigenvalues(int n, double *A, double *real, double *imaginary, double *work)
{
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return false;
    if (n == 0)
        return true;
    if (n == 1) {
        real[0] = A[0];
        imaginary[0] = 0;
        return true;
    }
    if (n == 2) {
        eigenvalues_2(A, real, imaginary);
        return true;
    }
    // the transpose has the same eigenvalues, so row-major needs no copy
    blas_lock();
    lapack_int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, real, imaginary, NULL,
                                         1, NULL, 1, work, (lapack_int)sprag_eigenvalues_work(n));
    blas_unlock();
    if (info != 0)
        return false;
    sort(n, real, imaginary);
    return true;
}

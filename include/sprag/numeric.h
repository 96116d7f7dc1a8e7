// numeric.h: dense linear algebra at the sizes of contact problems.
//
// Matrices are row-major arrays of double, entry (i, j) of an m × n matrix at [i*n + j], unless a
// comment says otherwise. Nothing here allocates: work arrays are the caller's.
#ifndef SPRAG_NUMERIC_H
#define SPRAG_NUMERIC_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Factorisations -----------------------------------------------------------------------------

// In place P A Q = L U with complete pivoting. Pivots not above `threshold` (absolute) count as
// zero: the return value is the rank so found. rows and columns receive the permutations (n each).
// *sign (may be NULL) receives the sign of the determinant: −1, 0 or +1.
int sprag_lu_factor(int n, double *A, double threshold, int *rows, int *columns, int *sign);
// Solves A x = b with factors of full rank; x and b may not overlap.
void sprag_lu_solve(int n, const double *LU, const int *rows, const int *columns, const double *b,
                    double *x);

// Pivoted Cholesky of a symmetric positive semidefinite A: A = F Fᵀ with F n × rank (row-major with
// row length n, columns from rank on are zero). Pivots below tolerance × the largest diagonal entry
// count as zero. Returns the rank, or −1 if A is indefinite beyond that tolerance, or not finite.
int sprag_cholesky_semidefinite(int n, const double *A, double tolerance, double *F);

// Singular values of the m × n matrix A by one-sided Jacobi rotations, descending in s (n of them;
// those beyond m are zero). A is overwritten by U diag(s) (m × n); V (n × n, may be NULL) receives
// the right singular vectors as columns.
void sprag_svd(int m, int n, double *A, double *s, double *V);

// ---- Eigenvalues --------------------------------------------------------------------------------

// Number of doubles that sprag_eigenvalues needs as work space for size n.
size_t sprag_eigenvalues_work(int n);
// Eigenvalues of a general real n × n matrix, sorted by descending real part, then imaginary part.
// A is overwritten. False if the iteration failed or an entry is not finite.
bool sprag_eigenvalues(int n, double *A, double *real, double *imaginary, double *work);

#ifdef __cplusplus
}
#endif

#endif

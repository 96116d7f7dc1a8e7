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

// ---- Least squares ------------------------------------------------------------------------------

// min ½ Σ r_i(x)² over low ≤ x ≤ high. Both functions return 0, > 0 (there is no value at this x: a
// shorter step is tried) or < 0 (stop).
typedef struct SpragLeastSquares {
    int m, n;                 // residuals, unknowns; both ≥ 1
    const double *low, *high; // n each; −INFINITY, INFINITY: no bound
    int (*residual)(const double *x, double *r, void *user);
    // J (m × n): ∂r/∂x at x, whose residuals are r.
    int (*jacobian)(const double *x, const double *r, double *J, void *user);
    void *user;
} SpragLeastSquares;

typedef struct SpragLeastSquaresSettings {
    double gradient;  // ends where the cosine between r and each free column of J is below; 1e-12
    double reduction; // relative reduction of the sum, found and foreseen, that ends it; 1e-14
    double step;      // relative size of the region of trust that ends it; 1e-12
    double radius;    // first region of trust, relative to x; 100
    double enough;    // ends where ½ Σ r² is not above it; 0
    int iterations;   // most of them; 200
} SpragLeastSquaresSettings;

SpragLeastSquaresSettings sprag_least_squares_default(void);

typedef enum SpragLeastSquaresEnd {
    SPRAG_LEAST_SQUARES_GRADIENT, // first-order condition met
    SPRAG_LEAST_SQUARES_REDUCTION,
    SPRAG_LEAST_SQUARES_STEP,
    SPRAG_LEAST_SQUARES_ENOUGH,
    SPRAG_LEAST_SQUARES_LIMIT,   // of iterations: not converged
    SPRAG_LEAST_SQUARES_NO_VALUE // the functions have no value at the start, or they said stop
} SpragLeastSquaresEnd;

typedef struct SpragLeastSquaresResult {
    SpragLeastSquaresEnd end;
    double cost;     // ½ Σ r²
    double gradient; // the cosine of the settings, at the end
    int iterations, evaluations;
} SpragLeastSquaresResult;

// Number of doubles that sprag_least_squares_solve needs as work space.
size_t sprag_least_squares_work(int m, int n);
// From the start x (moved into its bounds) to a minimum nearby. x, r (m) and J (m × n) receive
// where it ended; settings NULL: the defaults.
void sprag_least_squares_solve(const SpragLeastSquares *problem,
                               const SpragLeastSquaresSettings *settings, double *x, double *r,
                               double *J, double *work, SpragLeastSquaresResult *result);

// C = (JᵀJ)⁺ (n × n): times the variance of the residuals that of the unknowns. Columns of J are
// scaled to length 1; singular values up to threshold × the largest count as zero. weak (n) tells
// how much of each unknown no residual depends on, 0 … 1: there C says nothing. Returns the rank.
// J is overwritten; work has (2 n + 2) n doubles.
int sprag_least_squares_covariance(int m, int n, double *J, double threshold, double *C,
                                   double *weak, double *work);

#ifdef __cplusplus
}
#endif

#endif

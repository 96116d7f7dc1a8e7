// sparse.h: sparse linear systems with square blocks and a symmetric pattern.
//
// Gaussian elimination in fronts (dense pieces along the elimination tree), in an order that keeps
// fill small. The order and the fronts depend on the pattern only: they are found once and used for
// every matrix with that pattern. Rows are exchanged within a front only, so the matrix should be
// one that needs little pivoting, as those of contact problems do.
#ifndef SPRAG_SPARSE_H
#define SPRAG_SPARSE_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Block rows in compressed form: the blocks of row i are row_start[i] … row_start[i + 1] − 1, in
// block columns column[…], ascending. Borrowed.
typedef struct SpragSparsePattern {
    int count;            // block rows and block columns
    int block;            // rows and columns of a block
    const int *row_start; // count + 1
    const int *column;
} SpragSparsePattern;

typedef struct SpragSparseLu SpragSparseLu;
SPRAG_MUST_USE SpragStatus sprag_sparse_lu_create(SpragContext *context, SpragSparseLu **lu);
void sprag_sparse_lu_destroy(SpragSparseLu *lu);

// Prepares for matrices of this pattern, which must hold the diagonal; where (i, j) is in it and
// (j, i) is not, the latter counts as a block of zeros. The pattern of the last call again: nothing
// is done, and nothing is allocated.
SPRAG_MUST_USE SpragStatus sprag_sparse_lu_analyze(SpragSparseLu *lu,
                                                   const SpragSparsePattern *pattern);
// Factors the matrix whose blocks (row-major, in the order of the pattern) are `values`. Returns
// the number of pivots that were too small, below 1e-14 of the largest entry of their front, and
// were replaced; −1 if an entry is not finite.
int sprag_sparse_lu_factor(SpragSparseLu *lu, const double *values);
// Sign of the determinant of the matrix factored last, 1 or −1.
int sprag_sparse_lu_sign(const SpragSparseLu *lu);
// Solves A x = b with the last factors; x and b (count × block entries) may be the same array.
void sprag_sparse_lu_solve(SpragSparseLu *lu, const double *b, double *x);
// Multiplications of one factorisation, and entries of its factors.
double sprag_sparse_lu_work(const SpragSparseLu *lu);
size_t sprag_sparse_lu_entries(const SpragSparseLu *lu);

#ifdef __cplusplus
}
#endif

#endif

// lu.c: dense LU factorisation with complete pivoting.
// Method    P A Q = L U by outer products; complete pivoting makes the first small pivot a reliable
//           sign of rank deficiency [GolubVanLoan2013, Alg. 3.4.3]
// Assumes   sizes of contact problems (tens of rows), where the search for pivots costs little
#include <math.h>

#include "sprag/numeric.h"

static void swap_int(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static void swap_rows(int n, double *A, int i, int k)
{
    for (int j = 0; j < n; j++) {
        double t = A[i * n + j];
        A[i * n + j] = A[k * n + j];
        A[k * n + j] = t;
    }
}

static void swap_columns(int n, double *A, int j, int k)
{
    for (int i = 0; i < n; i++) {
        double t = A[i * n + j];
        A[i * n + j] = A[i * n + k];
        A[i * n + k] = t;
    }
}

int sprag_lu_factor(int n, double *A, double threshold, int *rows, int *columns, int *sign)
{
    int determinant_sign = 1;
    for (int i = 0; i < n; i++)
        rows[i] = columns[i] = i;
    for (int k = 0; k < n; k++) {
        // largest entry of what remains
        int pivot_row = k, pivot_column = k;
        double largest = -1;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                if (fabs(A[i * n + j]) > largest) {
                    largest = fabs(A[i * n + j]);
                    pivot_row = i;
                    pivot_column = j;
                }
            }
        }
        if (!(largest > threshold)) {
            if (sign)
                *sign = 0;
            return k;
        }
        if (pivot_row != k) {
            swap_rows(n, A, pivot_row, k);
            swap_int(&rows[pivot_row], &rows[k]);
            determinant_sign = -determinant_sign;
        }
        if (pivot_column != k) {
            swap_columns(n, A, pivot_column, k);
            swap_int(&columns[pivot_column], &columns[k]);
            determinant_sign = -determinant_sign;
        }
        double pivot = A[k * n + k];
        if (pivot < 0)
            determinant_sign = -determinant_sign;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] /= pivot;
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    if (sign)
        *sign = determinant_sign;
    return n;
}

void sprag_lu_solve(int n, const double *LU, const int *rows, const int *columns, const double *b,
                    double *x)
{
    // x[columns[k]] holds entry k of the permuted unknown, so no scratch is needed
    for (int i = 0; i < n; i++) {
        double sum = b[rows[i]];
        for (int j = 0; j < i; j++)
            sum -= LU[i * n + j] * x[columns[j]];
        x[columns[i]] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[columns[i]];
        for (int j = i + 1; j < n; j++)
            sum -= LU[i * n + j] * x[columns[j]];
        x[columns[i]] = sum / LU[i * n + i];
    }
}

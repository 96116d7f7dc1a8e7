// lcp_dense.c: LU factors with partial pivoting for the systems inside LCP methods.
//
// Problem   P A = L U, A x = b, at sizes from 1 to a few thousand
// Method    right-looking in panels of LCP_BLOCK columns; the rest of the matrix is updated by the
//           kernel of the tableau, row-major, so padding to whole lanes costs nothing
// Assumes   finite entries
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

int lcp_lu_row_length(int m)
{
    int ld = (m + 7) / 8 * 8;
    return ld >= 64 && ld % 64 == 0 ? ld + 8 : ld;
}

static void swap_rows(int ld, double *A, int i, int k)
{
    double *a = A + (size_t)i * (size_t)ld, *b = A + (size_t)k * (size_t)ld;
    for (int j = 0; j < ld; j++) {
        double held = a[j];
        a[j] = b[j];
        b[j] = held;
    }
}

static int pivot_row(int m, int ld, const double *A, int k)
{
    int best = k;
    for (int i = k + 1; i < m; i++)
        if (fabs(A[(size_t)i * (size_t)ld + (size_t)k]) >
            fabs(A[(size_t)best * (size_t)ld + (size_t)k]))
            best = i;
    return best;
}

// Eliminates columns from … to − 1 within the panel, all rows below.
static bool factor_panel(int m, int ld, double *A, int from, int to, double tiny, int *rows)
{
    for (int k = from; k < to; k++) {
        int p = pivot_row(m, ld, A, k);
        rows[k] = p;
        if (p != k)
            swap_rows(ld, A, k, p);
        const double *pivot = A + (size_t)k * (size_t)ld;
        if (!(fabs(pivot[k]) > tiny))
            return false;
        double inverse = 1 / pivot[k];
        for (int i = k + 1; i < m; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            double factor = row[k] *= inverse;
            if (factor != 0)
                for (int j = k + 1; j < to; j++)
                    row[j] -= factor * pivot[j];
        }
    }
    return true;
}

// The rows of the panel right of it, then everything below and right of it.
static void update_rest(int m, int ld, double *A, int from, int to, double *panel)
{
    for (int k = from; k < to; k++)
        for (int i = k + 1; i < to; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            lcp_kernel_axpy(ld - to, row[k], A + (size_t)k * (size_t)ld + to, row + to);
        }
    for (int i = to; i < m; i++)
        memcpy(panel + (size_t)(i - to) * LCP_BLOCK, A + (size_t)i * (size_t)ld + from,
               LCP_BLOCK * sizeof *panel);
    lcp_kernel_update(m - to, ld - to, ld, panel, A + (size_t)from * (size_t)ld + to,
                      A + (size_t)to * (size_t)ld + to);
}

bool lcp_lu_factor(int m, double *A, double tolerance, int *rows, double *panel)
{
    int ld = lcp_lu_row_length(m);
    double largest = 0;
    for (size_t k = 0; k < (size_t)m * (size_t)ld; k++)
        if (fabs(A[k]) > largest)
            largest = fabs(A[k]);
    for (int from = 0; from < m; from += LCP_BLOCK) {
        int to = from + LCP_BLOCK < m ? from + LCP_BLOCK : m;
        if (!factor_panel(m, ld, A, from, to, tolerance * largest, rows))
            return false;
        if (to < m)
            update_rest(m, ld, A, from, to, panel);
    }
    return true;
}

void lcp_lu_solve(int m, const double *LU, const int *rows, const double *b, double *x)
{
    size_t ld = (size_t)lcp_lu_row_length(m);
    memcpy(x, b, (size_t)m * sizeof *x);
    for (int k = 0; k < m; k++) {
        double held = x[k];
        x[k] = x[rows[k]];
        x[rows[k]] = held;
    }
    for (int i = 1; i < m; i++)
        x[i] -= lcp_kernel_dot(i, LU + (size_t)i * ld, x);
    for (int i = m - 1; i >= 0; i--) {
        const double *row = LU + (size_t)i * ld;
        x[i] = (x[i] - lcp_kernel_dot(m - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

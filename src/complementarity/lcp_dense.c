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

// Row of the largest entry of a column; `from` if all are equal.
static int pivot_row(int rows, const double *column, int from)
{
    int best = from;
    for (int i = from + 1; i < rows; i++)
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    return best;
}

// Factors `width` columns, each contiguous with `rows` entries; swaps only within them.
static bool factor_panel(int rows, int width, double *panel, double tiny, int *swaps)
{
    for (int k = 0; k < width; k++) {
        double *column = panel + (size_t)k * (size_t)rows;
        int p = swaps[k] = pivot_row(rows, column, k);
        for (int j = 0; p != k && j < width; j++) {
            double *other = panel + (size_t)j * (size_t)rows, held = other[k];
            other[k] = other[p];
            other[p] = held;
        }
        if (!(fabs(column[k]) > tiny))
            return false;
        double inverse = 1 / column[k];
        for (int i = k + 1; i < rows; i++)
            column[i] *= inverse;
        for (int j = k + 1; j < width; j++) {
            double *other = panel + (size_t)j * (size_t)rows;
            lcp_kernel_axpy(rows - k - 1, other[k], column + k + 1, other + k + 1);
        }
    }
    return true;
}

// Copies the panel of columns from … out of A, or back.
static void move_panel(int m, int ld, double *A, int from, int width, double *panel, bool back)
{
    int rows = m - from;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < width; k++) {
            double *entry = A + (size_t)(from + i) * (size_t)ld + (size_t)(from + k);
            double *copy = panel + (size_t)k * (size_t)rows + (size_t)i;
            if (back)
                *entry = *copy;
            else
                *copy = *entry;
        }
}

// The rows of the panel right of it, then everything below and right of it.
static void update_rest(int m, int ld, double *A, int from, int to, const double *panel)
{
    for (int k = from; k < to; k++)
        for (int i = k + 1; i < to; i++) {
            double *row = A + (size_t)i * (size_t)ld;
            lcp_kernel_axpy(ld - to, row[k], A + (size_t)k * (size_t)ld + to, row + to);
        }
    lcp_kernel_update(m - to, ld - to, m - from, ld, panel + (to - from),
                      A + (size_t)from * (size_t)ld + to, A + (size_t)to * (size_t)ld + to);
}

bool lcp_lu_factor(int m, double *A, double tolerance, int *rows, double *panel)
{
    int ld = lcp_lu_row_length(m);
    double tiny = tolerance * lcp_kernel_largest((size_t)m * (size_t)ld, A);
    for (int from = 0; from < m; from += LCP_BLOCK) {
        int width = from + LCP_BLOCK < m ? LCP_BLOCK : m - from;
        move_panel(m, ld, A, from, width, panel, false);
        if (!factor_panel(m - from, width, panel, tiny, rows + from))
            return false;
        for (int k = from; k < from + width; k++) {
            rows[k] += from;
            if (rows[k] != k)
                swap_rows(ld, A, k, rows[k]);
        }
        move_panel(m, ld, A, from, width, panel, true);
        if (from + width < m)
            update_rest(m, ld, A, from, from + width, panel);
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

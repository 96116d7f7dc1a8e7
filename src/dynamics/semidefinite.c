// semidefinite.c: the linear system of a projection, where rows may depend on each other.
// Problem   G x = r with G = J B Jᵀ positive semidefinite, r in its range up to rounding
// Method    Cholesky with pivoting on the part of each diagonal entry that is left; rows of which
//           less than DEPENDENT is left depend on the chosen ones and get x = 0. Any solution gives
//           the same Jᵀ x, so this one will do.
#include <math.h>

#include "dynamics_private.h"

// Square of the sine of the angle between a row and the span of others that counts as zero: above
// the rounding of G's entries (1e-16 times a few), below any pair of points kept apart on purpose.
static const double DEPENDENT = 1e-13;

// Position in `order` of the row of which most is left; −1: none has enough.
static int choose_pivot(int m, const double *G, const double *whole, const int *order, int k,
                        double dependent)
{
    int best = -1;
    double largest = dependent;
    for (int i = k; i < m; i++) {
        int row = order[i];
        double part = whole[row] > 0 ? G[row * m + row] / whole[row] : 0;
        if (part > largest) {
            largest = part;
            best = i;
        }
    }
    return best;
}

// Columns of L below a pivot, then the rest of G; zeros, of which a chain has many, cost nothing.
static void eliminate(int m, double *G, const int *order, int k)
{
    int pivot = order[k];
    double root = sqrt(G[pivot * m + pivot]);
    G[pivot * m + pivot] = root;
    for (int i = k + 1; i < m; i++)
        G[order[i] * m + pivot] /= root;
    for (int i = k + 1; i < m; i++) {
        double *row = G + (size_t)order[i] * (size_t)m;
        double factor = row[pivot];
        if (factor == 0)
            continue;
        for (int j = k + 1; j < m; j++)
            row[order[j]] -= factor * G[order[j] * m + pivot];
    }
}

static void substitute(int m, const double *G, int rank, const int *order, const double *r,
                       double *x)
{
    for (int i = 0; i < m; i++)
        x[i] = 0;
    for (int k = 0; k < rank; k++) {
        const double *row = G + (size_t)order[k] * (size_t)m;
        double sum = r[order[k]];
        for (int s = 0; s < k; s++)
            sum -= row[order[s]] * x[order[s]];
        x[order[k]] = sum / row[order[k]];
    }
    for (int k = rank - 1; k >= 0; k--) {
        int row = order[k];
        double sum = x[row];
        for (int s = k + 1; s < rank; s++)
            sum -= G[order[s] * m + row] * x[order[s]];
        x[row] = sum / G[row * m + row];
    }
}

// L in the columns of the pivots, in the order they were chosen; returns the rank.
static int factor(int m, double *G, const double *whole, double dependent, int *order)
{
    for (int k = 0; k < m; k++) {
        int position = choose_pivot(m, G, whole, order, k, dependent);
        if (position < 0)
            return k;
        int pivot = order[position];
        order[position] = order[k];
        order[k] = pivot;
        eliminate(m, G, order, k);
    }
    return m;
}

int semidefinite_solve(int m, double *G, const double *r, double dependent, double *x, int *order)
{
    // x keeps the diagonal while the factors are made
    for (int i = 0; i < m; i++) {
        x[i] = G[i * m + i];
        order[i] = i;
    }
    int rank = factor(m, G, x, fmax(dependent, DEPENDENT), order);
    substitute(m, G, rank, order, r, x);
    return rank;
}

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

// Up to this many rows the largest entry of each is kept.
enum { KNOWN_ROWS = 512 };

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

// The first of the largest entries of columns k … n − 1 of a row.
typedef struct Largest {
    double size;
    int column;
} Largest;

static Largest largest_of(const double *row, int k, int n)
{
    Largest found = {-1, k};
    for (int j = k; j < n; j++)
        if (fabs(row[j]) > found.size)
            found = (Largest){fabs(row[j]), j};
    return found;
}

// Takes row k out of the rows below. Blocks that do not know of each other (islands of contacts)
// have zeros there, which change nothing; the largest entries of other rows are found again.
static void eliminate_row(int n, double *A, int k, Largest *largest)
{
    double pivot = A[k * n + k];
    int first = n, last = k;
    for (int j = k + 1; j < n; j++)
        if (A[k * n + j] != 0) {
            first = j < first ? j : first;
            last = j;
        }
    for (int i = k + 1; i < n; i++) {
        double factor = A[i * n + k] /= pivot;
        if (factor != 0)
            for (int j = first; j <= last; j++)
                A[i * n + j] -= factor * A[k * n + j];
        if (largest && (factor != 0 || largest[i].column <= k))
            largest[i] = largest_of(A + i * n, k + 1, n);
    }
}

int sprag_lu_factor(int n, double *A, double threshold, int *rows, int *columns, int *sign)
{
    int determinant_sign = 1;
    Largest known[KNOWN_ROWS], *largest = n <= KNOWN_ROWS ? known : NULL;
    for (int i = 0; i < n; i++) {
        rows[i] = columns[i] = i;
        if (largest)
            largest[i] = largest_of(A + i * n, 0, n);
    }
    for (int k = 0; k < n; k++) {
        // largest entry of what remains
        int pivot_row = k;
        Largest best = {-1, k};
        for (int i = k; i < n; i++) {
            Largest its = largest ? largest[i] : largest_of(A + i * n, k, n);
            if (its.size > best.size) {
                best = its;
                pivot_row = i;
            }
        }
        if (!(best.size > threshold)) {
            if (sign)
                *sign = 0;
            return k;
        }
        if (pivot_row != k) {
            swap_rows(n, A, pivot_row, k);
            swap_int(&rows[pivot_row], &rows[k]);
            if (largest)
                largest[pivot_row] = largest[k];
            determinant_sign = -determinant_sign;
        }
        if (best.column != k) {
            swap_columns(n, A, best.column, k);
            swap_int(&columns[best.column], &columns[k]);
            // what has moved may no longer be the first of its row
            for (int i = k + 1; largest && i < n; i++)
                if (largest[i].column == best.column)
                    largest[i].column = k;
            determinant_sign = -determinant_sign;
        }
        if (A[k * n + k] < 0)
            determinant_sign = -determinant_sign;
        eliminate_row(n, A, k, largest);
    }
    if (sign)
        *sign = determinant_sign;
    return n;
}

// The same sums without their zeros: of a right side in one of several blocks nothing else is met.
static void solve_few(int n, const double *LU, const int *rows, const int *columns, const double *b,
                      double *x)
{
    int place[KNOWN_ROWS], count = 0;
    for (int i = 0; i < n; i++) {
        double sum = b[rows[i]];
        for (int c = 0; c < count; c++)
            sum -= LU[i * n + place[c]] * x[columns[place[c]]];
        x[columns[i]] = sum;
        if (sum != 0)
            place[count++] = i;
    }
    count = 0;
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[columns[i]];
        for (int c = count - 1; c >= 0; c--)
            sum -= LU[i * n + place[c]] * x[columns[place[c]]];
        x[columns[i]] = sum / LU[i * n + i];
        if (sum != 0)
            place[count++] = i;
    }
}

void sprag_lu_solve(int n, const double *LU, const int *rows, const int *columns, const double *b,
                    double *x)
{
    int few = 0;
    for (int i = 0; i < n; i++)
        few += b[i] != 0;
    if (n <= KNOWN_ROWS && 4 * few < n) {
        solve_few(n, LU, rows, columns, b, x);
        return;
    }
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

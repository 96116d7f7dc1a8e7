// svd.c: singular values by one-sided Jacobi rotations.
// Method    plane rotations from the right make the columns of A orthogonal; their lengths are the
//           singular values [GolubVanLoan2013, Sec. 8.6.3]. A wide matrix whose V is wanted is
//           transposed first: the fewer columns, the fewer pairs, and V is completed at the end
// Assumes   small matrices; chosen because small singular values come out with high relative
//           accuracy
#include <float.h>
#include <math.h>

#include "sprag/numeric.h"

enum { MAX_SWEEPS = 60 };
// Entries beyond these would over- or underflow when squared and summed.
static const double LARGE = 1e120, SMALL = 1e-120;
// Columns shorter than this part of the matrix are rounding of rounding: dependent columns that
// span their space already would go on shrinking without ever becoming orthogonal.
static const double NEGLIGIBLE = 1e-25;

// m × n matrix inside an array with the given row length.
typedef struct Columns {
    int m, n, stride;
    double *entries;
} Columns;

// Rotates columns p and q; squares (may be NULL) keeps the squares of their lengths.
static void rotate(const Columns *A, int p, int q, double c, double s, double *squares)
{
    double alpha = 0, beta = 0;
    double *at = A->entries;
    for (int i = 0; i < A->m; i++, at += A->stride) {
        double x = at[p], y = at[q];
        double turned_x = c * x - s * y, turned_y = s * x + c * y;
        at[p] = turned_x;
        at[q] = turned_y;
        alpha += turned_x * turned_x;
        beta += turned_y * turned_y;
    }
    if (!squares)
        return;
    squares[p] = alpha;
    squares[q] = beta;
}

static void swap(const Columns *A, int p, int q)
{
    for (int i = 0; i < A->m; i++) {
        double *row = A->entries + i * A->stride;
        double t = row[p];
        row[p] = row[q];
        row[q] = t;
    }
}

static double square_of(const Columns *A, int column)
{
    double sum = 0;
    for (int i = 0; i < A->m; i++)
        sum += A->entries[i * A->stride + column] * A->entries[i * A->stride + column];
    return sum;
}

// Makes columns p and q orthogonal; true if a rotation was needed. Columns whose square is not
// above `negligible` are left alone. squares: of the lengths of all columns, kept up to date.
static bool orthogonalize(const Columns *A, const Columns *rotations, double negligible, int p,
                          int q, double *squares)
{
    double alpha = squares[p], beta = squares[q], gamma = 0;
    if (alpha <= negligible || beta <= negligible)
        return false;
    const double *at = A->entries;
    for (int i = 0; i < A->m; i++, at += A->stride)
        gamma += at[p] * at[q];
    // an inner product of m terms carries rounding of this size: below it nothing is gained
    if (fabs(gamma) <= A->m * DBL_EPSILON * sqrt(alpha * beta))
        return false;
    double zeta = (beta - alpha) / (2 * gamma);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    rotate(A, p, q, c, s, squares);
    if (rotations)
        rotate(rotations, p, q, c, s, NULL);
    return true;
}

// Orthogonal columns in descending order of their lengths s; rotations (may be NULL) takes part.
// Returns the number of columns that are not negligible.
static int make_orthogonal(const Columns *A, const Columns *rotations, double *s)
{
    bool rotated = true;
    double sum = 0;
    for (int j = 0; j < A->n; j++) {
        s[j] = square_of(A, j); // squares until the end
        sum += s[j];
    }
    double negligible = NEGLIGIBLE * NEGLIGIBLE * sum;
    for (int sweep = 0; rotated && sweep < MAX_SWEEPS; sweep++) {
        rotated = false;
        for (int p = 0; p < A->n; p++)
            for (int q = p + 1; q < A->n; q++)
                rotated |= orthogonalize(A, rotations, negligible, p, q, s);
    }
    int count = 0;
    for (int j = 0; j < A->n; j++) {
        count += s[j] > negligible;
        s[j] = sqrt(s[j]);
    }
    for (int j = 0; j < A->n; j++) {
        int best = j;
        for (int k = j + 1; k < A->n; k++)
            best = s[k] > s[best] ? k : best;
        if (best == j)
            continue;
        double t = s[j];
        s[j] = s[best];
        s[best] = t;
        swap(A, j, best);
        if (rotations)
            swap(rotations, j, best);
    }
    return count;
}

// Column k of V from the unit vector that lies farthest from the columns before it.
static void complete_column(int n, double *V, int k)
{
    int farthest = 0;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        double inside = 0;
        for (int q = 0; q < k; q++)
            inside += V[i * n + q] * V[i * n + q];
        if (inside < least) {
            least = inside;
            farthest = i;
        }
    }
    for (int i = 0; i < n; i++)
        V[i * n + k] = i == farthest;
    // twice is enough [Parlett1998, Sec. 6.9]
    for (int pass = 0; pass < 2; pass++) {
        for (int q = 0; q < k; q++) {
            double dot = 0;
            for (int i = 0; i < n; i++)
                dot += V[i * n + q] * V[i * n + k];
            for (int i = 0; i < n; i++)
                V[i * n + k] -= dot * V[i * n + q];
        }
    }
    Columns all = {n, n, n, V};
    double size = sqrt(square_of(&all, k));
    for (int i = 0; i < n; i++)
        V[i * n + k] /= size;
}

static void set_unit(int m, int n, double *A)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = i == j;
}

// m < n: Aᵀ = V diag(s) Uᵀ is made orthogonal in the first m columns of V, U is gathered in A.
static void decompose_wide(int m, int n, double *A, double *s, double *V)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            V[i * n + j] = A[j * n + i];
    set_unit(m, n, A);
    Columns transposed = {n, m, n, V}, U = {m, m, n, A};
    int known = make_orthogonal(&transposed, &U, s);
    for (int k = 0; k < n; k++) {
        s[k] = k < m ? s[k] : 0;
        for (int i = 0; i < m; i++)
            A[i * n + k] *= s[k];
        for (int i = 0; k < known && i < n; i++)
            V[i * n + k] /= s[k];
    }
    // a column that vanished has no direction
    for (int k = known; k < n; k++)
        complete_column(n, V, k);
}

// A power of two that brings the largest entry near one, where squares would leave the range.
static double safe_scale(int count, const double *A)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fabs(A[i]) > largest ? fabs(A[i]) : largest;
    if (largest == 0 || !isfinite(largest) || (largest < LARGE && largest > SMALL))
        return 1;
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

void sprag_svd(int m, int n, double *A, double *s, double *V)
{
    double scale = safe_scale(m * n, A);
    for (int i = 0; scale != 1 && i < m * n; i++)
        A[i] *= scale;
    if (V && m < n) {
        decompose_wide(m, n, A, s, V);
    } else {
        Columns columns = {m, n, n, A}, rotations = {n, n, n, V};
        if (V)
            set_unit(n, n, V);
        make_orthogonal(&columns, V ? &rotations : NULL, s);
    }
    for (int i = 0; scale != 1 && i < m * n; i++)
        A[i] /= scale;
    for (int j = 0; scale != 1 && j < n; j++)
        s[j] /= scale;
}

// sparse_lu.c: factorisation and solution with the fronts of sparse_symbolic.c.
//
// Problem   A x = b, A sparse with blocks.
// Method    multifrontal [Liu1992, pp. 82-109]: a front gathers its entries and the updates of its
//           children, its pivot block is factored with row exchanges inside it, the rest becomes
//           its update. Large fronts by BLAS, small ones here.
// Assumes   a pivot block is regular; a pivot that is not is replaced, and counted
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "blas_lock.h"
#include "sparse_internal.h"

static const double SMALL_PIVOT = 1e-14;
// Fronts of up to so many rows are eliminated here: calls of a library would cost as much.
enum { SMALL_FRONT = 64 };

SpragStatus sprag_sparse_lu_create(SpragContext *context, SpragSparseLu **lu)
{
    *lu = sprag_alloc(context, 1, sizeof **lu);
    if (!*lu)
        return SPRAG_ERROR_MEMORY;
    (*lu)->context = context;
    return SPRAG_OK;
}

void sprag_sparse_lu_destroy(SpragSparseLu *lu)
{
    if (!lu)
        return;
    void *const arrays[] = {lu->row_start, lu->column,       lu->order,      lu->position,
                            lu->fronts,    lu->rows,         lu->relative,   lu->entry_front,
                            lu->entry_row, lu->entry_column, lu->entry_list, lu->entry_start,
                            lu->exchange,  lu->factors,      lu->front,      lu->stack,
                            lu->vector};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        sprag_free(lu->context, arrays[k]);
    sprag_free(lu->context, lu);
}

double sprag_sparse_lu_work(const SpragSparseLu *lu)
{
    return lu->work;
}

size_t sprag_sparse_lu_entries(const SpragSparseLu *lu)
{
    return lu->factor_count;
}

// Entries of the matrix that belong to front f, by columns of length m.
static void add_entries(SpragSparseLu *lu, int f, const double *values, size_t m)
{
    size_t b = (size_t)lu->block;
    for (int e = lu->entry_start[f]; e < lu->entry_start[f + 1]; e++) {
        size_t k = (size_t)lu->entry_list[e];
        const double *block = values + k * b * b;
        double *to = lu->front + (size_t)lu->entry_column[k] * b * m + (size_t)lu->entry_row[k] * b;
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < b; j++)
                to[j * m + i] += block[i * b + j];
    }
}

static void add_update(SpragSparseLu *lu, const SparseFront *child, size_t m)
{
    size_t b = (size_t)lu->block;
    const double *from = lu->stack + child->update;
    const int *relative = lu->relative + child->rows;
    for (int j = 0; j < child->below; j++)
        for (size_t l = 0; l < b; l++) {
            double *column = lu->front + ((size_t)relative[j] * b + l) * m;
            for (int i = 0; i < child->below; i++) {
                double *to = column + (size_t)relative[i] * b;
                for (size_t k = 0; k < b; k++)
                    to[k] += from[k];
                from += b;
            }
        }
}

// A zero pivot would spoil everything: it is replaced by one that keeps its unknown near zero.
static int repair_pivots(double *A, size_t p, size_t m, double scale)
{
    int count = 0;
    for (size_t k = 0; k < p; k++)
        if (!(fabs(A[k * m + k]) > SMALL_PIVOT * scale)) {
            A[k * m + k] = scale > 0 ? scale : 1;
            count++;
        }
    return count;
}

static void copy_columns(const double *from, size_t m, size_t rows, size_t columns, double *to)
{
    for (size_t j = 0; j < columns; j++)
        memcpy(to + j * rows, from + j * m, rows * sizeof *to);
}

// ---- Elimination in a front ---------------------------------------------------------------------

// A front: p columns of pivots, u rows and columns below and right of them, m = p + u, by columns.
typedef struct Front {
    double *F, *right, *below;
    size_t p, u, m;
    int *exchange; // rows of the pivot block, from 1 on, as LAPACK counts them
} Front;

// y −= a x.
static inline void subtract(double *restrict y, const double *restrict x, double a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] -= a * x[i];
}

static inline void swap_rows(double *columns, size_t m, size_t count, size_t a, size_t b)
{
    for (size_t j = 0; a != b && j < count; j++) {
        double swapped = columns[j * m + a];
        columns[j * m + a] = columns[j * m + b];
        columns[j * m + b] = swapped;
    }
}

static void factor_small(const Front *front)
{
    double *F = front->F;
    size_t p = front->p, m = front->m;
    for (size_t k = 0; k < p; k++) {
        double *column = F + k * m;
        size_t pivot = k;
        for (size_t i = k + 1; i < p; i++)
            if (fabs(column[i]) > fabs(column[pivot]))
                pivot = i;
        front->exchange[k] = (int)pivot + 1;
        swap_rows(F, m, p, k, pivot);
        for (size_t i = k + 1; column[k] != 0 && i < p; i++)
            column[i] /= column[k];
        for (size_t j = k + 1; j < p; j++)
            subtract(F + j * m + k + 1, column + k + 1, F[j * m + k], p - k - 1);
    }
}

// Three columns at once: what they change is read and written once. Blocks have 3 or 6 columns most
// often.
static inline void subtract_three(double *restrict to, const double *restrict from, size_t stride,
                                  const double *factor, size_t count)
{
    const double *b = from + stride, *c = from + 2 * stride;
    double x = factor[0], y = factor[1], z = factor[2];
    for (size_t i = 0; i < count; i++)
        to[i] -= from[i] * x + b[i] * y + c[i] * z;
}

static void update_small(const Front *front)
{
    const double *F = front->F;
    size_t p = front->p, u = front->u, m = front->m;
    for (size_t k = 0; k < p; k++)
        swap_rows(front->right, m, u, k, (size_t)front->exchange[k] - 1);
    for (size_t j = 0; j < u; j++)
        for (size_t k = 0; k < p; k++)
            subtract(front->right + j * m + k + 1, F + k * m + k + 1, front->right[j * m + k],
                     p - k - 1);
    for (size_t k = 0; k < p; k++) {
        double *column = front->below + k * m;
        for (size_t i = 0; i < k; i++)
            subtract(column, front->below + i * m, F[k * m + i], u);
        for (size_t i = 0; i < u; i++)
            column[i] /= F[k * m + k];
    }
    for (size_t j = 0; j < u; j++) {
        size_t k = 0;
        for (; k + 3 <= p; k += 3)
            subtract_three(front->right + j * m + p, front->below + k * m, m,
                           front->right + j * m + k, u);
        for (; k < p; k++)
            subtract(front->right + j * m + p, front->below + k * m, front->right[j * m + k], u);
    }
}

static void factor_large(const Front *front)
{
    blas_lock();
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)front->p, (int)front->p, front->F, (int)front->m,
                        front->exchange);
    blas_unlock();
}

static void update_large(const Front *front)
{
    int p = (int)front->p, u = (int)front->u, m = (int)front->m;
    double *F = front->F, *right = front->right, *below = front->below;
    blas_lock();
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, u, right, m, 1, p, front->exchange, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, p, u, 1, F, m, right,
                m);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, u, p, 1, F, m,
                below, m);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, u, u, p, -1, below, m, right, m, 1,
                right + p, m);
    blas_unlock();
}

// Factors the pivot block, keeps what the solution needs, leaves the update on the stack.
static int eliminate(SpragSparseLu *lu, const SparseFront *front)
{
    size_t b = (size_t)lu->block, p = (size_t)front->pivots * b, u = (size_t)front->below * b;
    size_t m = p + u;
    double *F = lu->front, *right = F + p * m, *below = F + p;
    Front matrix = {F, right, below, p, u, m, lu->exchange + (size_t)front->first * b};
    bool small = m <= SMALL_FRONT;
    double scale = 0;
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++)
            scale = fmax(scale, fabs(F[j * m + i]));
    (small ? factor_small : factor_large)(&matrix);
    int repaired = repair_pivots(F, p, m, scale);
    for (size_t k = 0; k < p; k++)
        if ((F[k * m + k] < 0) != (matrix.exchange[k] != (int)k + 1))
            lu->sign = -lu->sign;
    if (u > 0)
        (small ? update_small : update_large)(&matrix);
    double *factor = lu->factors + front->factor;
    copy_columns(F, m, p, p, factor);
    copy_columns(right, m, p, u, factor + p * p);
    copy_columns(below, m, u, p, factor + p * p + p * u);
    copy_columns(right + p, m, u, u, lu->stack + front->update);
    return repaired;
}

int sprag_sparse_lu_sign(const SpragSparseLu *lu)
{
    return lu->sign;
}

int sprag_sparse_lu_factor(SpragSparseLu *lu, const double *values)
{
    size_t b = (size_t)lu->block, count = lu->entry_count * b * b;
    double zero = 0;
    for (size_t k = 0; k < count; k++)
        zero += 0 * values[k];
    if (zero != 0)
        return -1;
    int repaired = 0;
    lu->sign = 1;
    for (int f = 0; f < lu->front_count; f++) {
        const SparseFront *front = &lu->fronts[f];
        size_t m = (size_t)(front->pivots + front->below) * b;
        memset(lu->front, 0, m * m * sizeof *lu->front);
        add_entries(lu, f, values, m);
        for (int c = front->child; c >= 0; c = lu->fronts[c].next)
            add_update(lu, &lu->fronts[c], m);
        repaired += eliminate(lu, front);
    }
    return repaired;
}

// ---- Solution -----------------------------------------------------------------------------------

static void forward(const SpragSparseLu *lu, const SparseFront *front, double *y)
{
    size_t b = (size_t)lu->block, p = (size_t)front->pivots * b, u = (size_t)front->below * b;
    const double *factor = lu->factors + front->factor, *below = factor + p * p + p * u;
    const int *exchange = lu->exchange + (size_t)front->first * b;
    double *x = y + (size_t)front->first * b;
    for (size_t k = 0; k < p; k++) {
        size_t other = (size_t)exchange[k] - 1;
        double swapped = x[k];
        x[k] = x[other];
        x[other] = swapped;
    }
    for (size_t k = 0; k < p; k++)
        for (size_t i = k + 1; i < p; i++)
            x[i] -= factor[k * p + i] * x[k];
    double *sum = lu->vector + (size_t)lu->count * b;
    memset(sum, 0, u * sizeof *sum);
    for (size_t k = 0; k < p; k++)
        for (size_t i = 0; i < u; i++)
            sum[i] += below[k * u + i] * x[k];
    for (int r = 0; r < front->below; r++)
        for (size_t i = 0; i < b; i++)
            y[(size_t)lu->rows[front->rows + r] * b + i] -= sum[(size_t)r * b + i];
}

static void backward(const SpragSparseLu *lu, const SparseFront *front, double *y)
{
    size_t b = (size_t)lu->block, p = (size_t)front->pivots * b;
    const double *factor = lu->factors + front->factor, *right = factor + p * p;
    double *x = y + (size_t)front->first * b;
    for (int r = 0; r < front->below; r++)
        for (size_t i = 0; i < b; i++) {
            double value = y[(size_t)lu->rows[front->rows + r] * b + i];
            const double *column = right + ((size_t)r * b + i) * p;
            for (size_t k = 0; k < p; k++)
                x[k] -= column[k] * value;
        }
    for (size_t k = p; k-- > 0;) {
        x[k] /= factor[k * p + k];
        for (size_t i = 0; i < k; i++)
            x[i] -= factor[k * p + i] * x[k];
    }
}

void sprag_sparse_lu_solve(SpragSparseLu *lu, const double *b, double *x)
{
    size_t size = (size_t)lu->block;
    double *y = lu->vector;
    for (int k = 0; k < lu->count; k++)
        memcpy(y + (size_t)k * size, b + (size_t)lu->order[k] * size, size * sizeof *y);
    for (int f = 0; f < lu->front_count; f++)
        forward(lu, &lu->fronts[f], y);
    for (int f = lu->front_count - 1; f >= 0; f--)
        backward(lu, &lu->fronts[f], y);
    for (int k = 0; k < lu->count; k++)
        memcpy(x + (size_t)lu->order[k] * size, y + (size_t)k * size, size * sizeof *x);
}

// LU with complete pivoting: residuals, ranks, sign of the determinant.
#include <float.h>

#include "support/test.h"

enum { MAX = 12 };

static double determinant(int n, const double *A)
{
    if (n == 0)
        return 1;
    double sum = 0;
    for (int k = 0; k < n; k++) { // Laplace along the first row: no code in common
        double minor[36];
        for (int i = 1; i < n; i++)
            for (int j = 0, c = 0; j < n; j++)
                if (j != k)
                    minor[(i - 1) * (n - 1) + c++] = A[i * n + j];
        sum += (k % 2 ? -1 : 1) * A[k] * determinant(n - 1, minor);
    }
    return sum;
}

// |A x − b| against the backward error of elimination: n ε |A| |x| with a growth factor below 10 at
// these sizes.
static void test_solve(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(300); draw++) {
        double A[MAX * MAX], LU[MAX * MAX], b[MAX], x[MAX], largest = 0, size = 0;
        int rows[MAX], columns[MAX], n = 1 + sprag_random_below(&random, MAX);
        for (int i = 0; i < n * n; i++) {
            A[i] = LU[i] = sprag_random_normal(&random);
            largest = fmax(largest, fabs(A[i]));
        }
        for (int i = 0; i < n; i++)
            b[i] = sprag_random_normal(&random);
        assert_int_equal(sprag_lu_factor(n, LU, 0, rows, columns, NULL), n);
        sprag_lu_solve(n, LU, rows, columns, b, x);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(x[i]));
        for (int i = 0; i < n; i++) {
            double sum = -b[i];
            for (int j = 0; j < n; j++)
                sum += A[i * n + j] * x[j];
            assert_true(fabs(sum) <= 10 * n * n * DBL_EPSILON * (largest * size + 1));
        }
    }
}

static void test_sign(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    for (int draw = 0; draw < test_draws(300); draw++) {
        int n = 1 + sprag_random_below(&random, 5), rows[5], columns[5], sign;
        double A[25];
        for (int i = 0; i < n * n; i++)
            A[i] = sprag_random_normal(&random);
        double det = determinant(n, A);
        assert_int_equal(sprag_lu_factor(n, A, 0, rows, columns, &sign), n);
        assert_int_equal(sign, det > 0 ? 1 : -1);
    }
    int rows[2], columns[2], sign;
    double swap[] = {0, 1, 1, 0}, dependent[] = {1, 2, 2, 4};
    assert_int_equal(sprag_lu_factor(2, swap, 0, rows, columns, &sign), 2);
    assert_int_equal(sign, -1);
    assert_int_equal(sprag_lu_factor(2, dependent, 1e-14, rows, columns, &sign), 1);
    assert_int_equal(sign, 0);
}

// Products of thin factors have the rank of the inner size; rounding leaves pivots of about ε.
static void test_rank(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(300); draw++) {
        int n = 1 + sprag_random_below(&random, MAX), rank = sprag_random_below(&random, n + 1);
        double P[MAX * MAX], Q[MAX * MAX], A[MAX * MAX] = {0};
        int rows[MAX], columns[MAX];
        for (int i = 0; i < n * n; i++) {
            P[i] = sprag_random_normal(&random);
            Q[i] = sprag_random_normal(&random);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < rank; k++)
                    A[i * n + j] += P[i * n + k] * Q[k * n + j];
        int found = sprag_lu_factor(n, A, 1e-11, rows, columns, NULL);
        assert_int_equal(found, rank);
    }
    int none;
    assert_int_equal(sprag_lu_factor(0, NULL, 0, &none, &none, NULL), 0);
    double zero[4] = {0};
    int rows[2], columns[2];
    assert_int_equal(sprag_lu_factor(2, zero, 0, rows, columns, NULL), 0);
}

// Blocks that do not know of each other, their rows and columns mixed, against complete pivoting
// in plain loops: the same pivots, the same factors bit by bit; and a right side in one block has a
// solution in that block alone.
static void plain_factor(int n, double *A, int *rows, int *columns)
{
    for (int i = 0; i < n; i++)
        rows[i] = columns[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(A[i * n + j]) > fabs(A[p * n + q])) {
                    p = i;
                    q = j;
                }
        for (int j = 0; j < n; j++) {
            double kept = A[p * n + j];
            A[p * n + j] = A[k * n + j];
            A[k * n + j] = kept;
        }
        for (int i = 0; i < n; i++) {
            double kept = A[i * n + q];
            A[i * n + q] = A[i * n + k];
            A[i * n + k] = kept;
        }
        int row = rows[p], column = columns[q];
        rows[p] = rows[k];
        columns[q] = columns[k];
        rows[k] = row;
        columns[k] = column;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
}

static void test_blocks(void **state)
{
    (void)state;
    enum { N = 24, BLOCKS = 6 };
    SpragRandom random;
    sprag_random_init(&random, 4);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double A[N * N] = {0}, LU[N * N], plain[N * N], b[N] = {0}, x[N];
        int rows[N], columns[N], plain_rows[N], plain_columns[N];
        for (int i = 0; i < N; i++)
            for (int j = i % BLOCKS; j < N; j += BLOCKS)
                // whole numbers: ties
                A[i * N + j] = draw & 1 ? sprag_random_below(&random, 5) - 2 + 9 * (i == j)
                                        : sprag_random_normal(&random);
        memcpy(LU, A, sizeof LU);
        memcpy(plain, A, sizeof plain);
        assert_int_equal(sprag_lu_factor(N, LU, 0, rows, columns, NULL), N);
        plain_factor(N, plain, plain_rows, plain_columns);
        for (int i = 0; i < N; i++) {
            assert_int_equal(rows[i], plain_rows[i]);
            assert_int_equal(columns[i], plain_columns[i]);
        }
        for (int i = 0; i < N * N; i++)
            assert_true(LU[i] == plain[i]);
        for (int i = draw % BLOCKS; i < N; i += BLOCKS)
            b[i] = sprag_random_normal(&random);
        sprag_lu_solve(N, LU, rows, columns, b, x);
        double size = 0;
        for (int i = 0; i < N; i++)
            size = fmax(size, fabs(x[i]));
        for (int i = 0; i < N; i++) {
            double sum = -b[i];
            for (int j = 0; j < N; j++)
                sum += A[i * N + j] * x[j];
            assert_true(fabs(sum) <= 10 * N * DBL_EPSILON * (10 * size + 1));
            assert_true(i % BLOCKS == draw % BLOCKS || x[i] == 0);
        }
    }
}

// The threshold is absolute: a pivot at it is zero, one above is not.
static void test_threshold(void **state)
{
    (void)state;
    int rows[2], columns[2];
    double at[] = {1, 0, 0, 1e-8}, above[] = {1, 0, 0, 1.0001e-8};
    assert_int_equal(sprag_lu_factor(2, at, 1e-8, rows, columns, NULL), 1);
    assert_int_equal(sprag_lu_factor(2, above, 1e-8, rows, columns, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solve), cmocka_unit_test(test_sign),
                                       cmocka_unit_test(test_rank), cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_threshold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

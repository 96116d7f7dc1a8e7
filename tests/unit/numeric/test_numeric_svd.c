// Singular values: A V = U diag(s), orthogonality, known values, all shapes.
#include <float.h>

#include "support/test.h"

enum { MAX = 14 };

// Rotations of one entry add up to a few tens of roundings each; 1e-13 leaves room at these sizes.
static const double ROUNDING = 1e-13;

// Checks everything that holds for any matrix; returns the singular values in s.
static void check_decomposition(int m, int n, const double *A, double *s)
{
    double US[MAX * MAX], V[MAX * MAX], only[MAX * MAX], values[MAX];
    memcpy(US, A, (size_t)(m * n) * sizeof *A);
    memcpy(only, A, (size_t)(m * n) * sizeof *A);
    sprag_svd(m, n, US, s, V);
    double scale = fmax(s[0], DBL_MIN);
    for (int k = 0; k < n; k++) {
        assert_true(s[k] >= 0 && (k == 0 || s[k] <= s[k - 1]));
        assert_true(k < m || s[k] <= ROUNDING * scale);
        for (int q = 0; q < n; q++) {
            double inner = 0, outer = 0;
            for (int i = 0; i < n; i++)
                inner += V[i * n + k] * V[i * n + q];
            for (int i = 0; i < m; i++)
                outer += US[i * n + k] / scale * (US[i * n + q] / scale);
            assert_close(inner, k == q, ROUNDING);
            double size = k == q ? (s[k] / scale) * (s[k] / scale) : 0;
            assert_close(outer, size, ROUNDING);
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0; // A = U diag(s) Vᵀ
            for (int k = 0; k < n; k++)
                sum += US[i * n + k] * V[j * n + k];
            assert_close(sum, A[i * n + j], ROUNDING * scale);
        }
    }
    sprag_svd(m, n, only, values, NULL);
    for (int k = 0; k < n; k++)
        assert_close(values[k], s[k], ROUNDING * scale);
}

static void test_random(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(300); draw++) {
        int m = 1 + sprag_random_below(&random, MAX), n = 1 + sprag_random_below(&random, MAX);
        int least = m < n ? m : n, rank = sprag_random_below(&random, least + 1);
        double A[MAX * MAX] = {0}, s[MAX], squares = 0;
        double unit = pow(10, sprag_random_uniform(&random, -8, 8));
        for (int k = 0; k < rank; k++) {
            double u[MAX], v[MAX];
            for (int i = 0; i < MAX; i++) {
                u[i] = sprag_random_normal(&random);
                v[i] = sprag_random_normal(&random);
            }
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++)
                    A[i * n + j] += unit * u[i] * v[j];
        }
        check_decomposition(m, n, A, s);
        for (int i = 0; i < m * n; i++)
            squares += A[i] * A[i];
        for (int k = 0; k < n; k++) {
            squares -= s[k] * s[k]; // the Frobenius norm is their sum of squares
            assert_true(k < rank || s[k] <= ROUNDING * fmax(s[0], DBL_MIN));
        }
        assert_close(squares, 0, ROUNDING * s[0] * s[0] * MAX);
    }
}

// Singular values over many orders of magnitude: small ones keep their relative accuracy.
static void test_known(void **state)
{
    (void)state;
    double s[4];
    double diagonal[16] = {0, 0, 1e-9, 0, 3, 0, 0, 0, 0, 0, 0, 1e-18, 0, 2e-4, 0, 0};
    check_decomposition(4, 4, diagonal, s);
    assert_close(s[0], 3, 0);
    assert_close(s[1], 2e-4, 0);
    assert_close(s[2], 1e-9, 0);
    assert_close(s[3], 1e-18, 0);
    // [1 1; 0 ε]: s₁ s₂ = ε, s₁² + s₂² = 2 + ε²
    double graded[] = {1, 1, 0, 1e-20};
    sprag_svd(2, 2, graded, s, NULL);
    assert_close(s[0], sqrt(2), 4e-16);
    assert_close(s[1], 1e-20 / sqrt(2), 1e-35);
}

static void test_shapes(void **state)
{
    (void)state;
    double zero[MAX] = {0}, s[MAX];
    check_decomposition(3, 4, zero, s);
    check_decomposition(4, 3, zero, s);
    double row[] = {3, 4, 0}, column[] = {0, 3, 4};
    check_decomposition(1, 3, row, s);
    assert_close(s[0], 5, 2e-15);
    check_decomposition(3, 1, column, s);
    assert_close(s[0], 5, 2e-15);
    double V[9], untouched[1] = {1};
    sprag_svd(0, 3, untouched, s, V); // no rows: all values zero, V still orthogonal
    for (int i = 0; i < 9; i++) {
        assert_true(i >= 3 || s[i] == 0);
        assert_close(V[i], i % 4 == 0, 0);
    }
}

// Equal columns and rows, as contacts on one line make them: must converge and give exact ranks.
static void test_dependent(void **state)
{
    (void)state;
    double A[MAX * 3], s[MAX];
    for (int i = 0; i < MAX; i++) {
        A[i * 3] = 0;
        A[i * 3 + 1] = 1;
        A[i * 3 + 2] = -1 + 2.0 * i / (MAX - 1);
    }
    check_decomposition(MAX, 3, A, s);
    assert_close(s[0], sqrt(MAX), 1e-14 * MAX);
    assert_close(s[2], 0, 0);
    double ones[MAX * MAX];
    for (int i = 0; i < MAX * MAX; i++)
        ones[i] = 1;
    check_decomposition(MAX, MAX, ones, s);
    assert_close(s[0], MAX, 1e-13);
    assert_close(s[1], 0, 1e-14);
}

// Entries whose squares leave the range of double.
static void test_extremes(void **state)
{
    (void)state;
    static const double units[] = {1e-300, 1e-180, 1e180, 1e300};
    for (int i = 0; i < 4; i++) {
        double A[] = {3 * units[i], 0, 4 * units[i], 5 * units[i]}, s[2], V[4];
        sprag_svd(2, 2, A, s, V);
        assert_close(s[0] / units[i], 3 * sqrt(5), 1e-14);
        assert_close(s[1] / units[i], sqrt(5), 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_known), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_dependent), cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

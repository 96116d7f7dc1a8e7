// Eigenvalues of small general matrices: planted ones, companion matrices, 2 × 2 against LAPACK.
#include <float.h>

#include "support/test.h"

enum { MAX = 8, WORK = 16 * MAX };

static void assert_sorted(int n, const double *real, const double *imaginary)
{
    for (int i = 1; i < n; i++)
        assert_true(real[i] < real[i - 1] ||
                    (real[i] == real[i - 1] && imaginary[i] <= imaginary[i - 1]));
}

// The closed form of 2 × 2 against the general method on the same matrix with a third eigenvalue.
static void test_two_against_lapack(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(1000); draw++) {
        double A[4], B[9] = {0}, re[2], im[2], re3[3], im3[3], work[WORK], size = 0;
        double unit = pow(10, sprag_random_uniform(&random, -6, 6));
        for (int i = 0; i < 4; i++) {
            A[i] = unit * sprag_random_normal(&random);
            size = fmax(size, fabs(A[i]));
            B[i / 2 * 3 + i % 2] = A[i];
        }
        B[8] = -1e3 * unit; // sorts last
        assert_true(sprag_eigenvalues(2, A, re, im, work));
        assert_true(sprag_eigenvalues(3, B, re3, im3, work));
        assert_sorted(2, re, im);
        assert_sorted(3, re3, im3);
        for (int i = 0; i < 2; i++) {
            // near a double eigenvalue both are known to the root of rounding only; the size 1e3 of
            // the third one adds to the error of the general method
            assert_close(re[i], re3[i], 1e-6 * size);
            assert_close(im[i], im3[i], 1e-6 * size);
        }
        assert_close(re3[2], -1e3 * unit, 1e-10 * unit * 1e3);
    }
}

static void test_two_closed(void **state)
{
    (void)state;
    double re[2], im[2], work[WORK];
    // [0 1; −k 0]: ± i √k, at sizes whose products leave the range of double
    static const double sizes[] = {1e-300, 1e-170, 1, 1e170, 1e300};
    for (int i = 0; i < 5; i++) {
        double turn[] = {0, sizes[i], -4 * sizes[i], 0};
        assert_true(sprag_eigenvalues(2, turn, re, im, work));
        assert_close(re[0] / sizes[i], 0, 0);
        assert_close(im[0] / sizes[i], 2, 1e-15);
        assert_close(im[1] / sizes[i], -2, 1e-15);
        double real[] = {sizes[i], 2 * sizes[i], 2 * sizes[i], sizes[i]};
        assert_true(sprag_eigenvalues(2, real, re, im, work));
        assert_close(re[0] / sizes[i], 3, 1e-15);
        assert_close(re[1] / sizes[i], -1, 1e-15);
    }
    // a small eigenvalue beside a large one keeps its digits: 1e8 and 1e−8
    double graded[] = {1e8, 0, 1, 1e-8};
    assert_true(sprag_eigenvalues(2, graded, re, im, work));
    assert_close(re[1], 1e-8, 1e-23);
    double zero[4] = {0};
    assert_true(sprag_eigenvalues(2, zero, re, im, work));
    assert_true(re[0] == 0 && re[1] == 0 && im[0] == 0 && im[1] == 0);
    double jordan[] = {2, 1, 0, 2};
    assert_true(sprag_eigenvalues(2, jordan, re, im, work));
    assert_close(re[0], 2, 1e-15);
    assert_close(re[1], 2, 1e-15);
}

// Companion matrix of a polynomial with the given roots (conjugate pairs where imaginary ≠ 0).
static void companion(int n, const double *re, const double *im, double *A)
{
    double p[MAX + 1] = {1}; // coefficients, highest first
    int degree = 0;
    for (int i = 0; i < n; i++) {
        if (im[i] < 0)
            continue;
        double q[3] = {1, im[i] > 0 ? -2 * re[i] : -re[i],
                       im[i] > 0 ? re[i] * re[i] + im[i] * im[i] : 0};
        int more = im[i] > 0 ? 2 : 1;
        double product[MAX + 1] = {0};
        for (int a = 0; a <= degree; a++)
            for (int b = 0; b <= more; b++)
                product[a + b] += p[a] * q[b];
        degree += more;
        memcpy(p, product, sizeof p);
    }
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n; i++) {
        A[i] = -p[i + 1];
        if (i + 1 < n)
            A[(i + 1) * n + i] = 1;
    }
}

static void test_companion(void **state)
{
    (void)state;
    static const struct {
        int n;
        double re[MAX], im[MAX]; // in the promised order
    } cases[] = {{3, {3, 2, 1}, {0}},
                 {4, {1, 1, -2, -2}, {2, -2, 1, -1}},
                 {5, {4, 0.5, 0, 0, -3}, {0, 0, 1, -1, 0}},
                 {6, {6, 5, 4, 3, 2, 1}, {0}},
                 {8, {1, 1, 0.5, 0.5, -0.5, -0.5, -1, -1}, {1, -1, 2, -2, 3, -3, 0.25, -0.25}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double A[MAX * MAX], re[MAX], im[MAX], work[WORK];
        int n = cases[k].n;
        companion(n, cases[k].re, cases[k].im, A);
        assert_true(sprag_eigenvalues_work(n) <= WORK);
        assert_true(sprag_eigenvalues(n, A, re, im, work));
        for (int i = 0; i < n; i++) {
            // coefficients up to 1764 for roots 1 … 6: condition about 1e5
            assert_close(re[i], cases[k].re[i], 1e-9);
            assert_close(im[i], cases[k].im[i], 1e-9);
        }
    }
}

// Block diagonal in a random orthogonal-ish frame: similarity keeps planted eigenvalues.
static void test_planted(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(100); draw++) {
        int n = 3 + sprag_random_below(&random, MAX - 2);
        double A[MAX * MAX] = {0}, re[MAX], im[MAX], work[WORK], trace = 0;
        for (int i = 0; i < n; i++)
            A[i * n + i] = n - i; // distinct: well conditioned under reflections
        for (int pass = 0; pass < 3; pass++) {
            double v[MAX], norm = 0;
            for (int i = 0; i < n; i++) {
                v[i] = sprag_random_normal(&random);
                norm += v[i] * v[i];
            }
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < n; i++) { // A ← H A, then A ← A H with H = I − 2 v vᵀ/|v|²
                    double dot = 0;
                    for (int j = 0; j < n; j++)
                        dot += v[j] * A[side ? i * n + j : j * n + i];
                    for (int j = 0; j < n; j++)
                        A[side ? i * n + j : j * n + i] -= 2 * dot / norm * v[j];
                }
            }
        }
        for (int i = 0; i < n; i++)
            trace += A[i * n + i];
        assert_close(trace, n * (n + 1) / 2.0, 1e-12);
        assert_true(sprag_eigenvalues(n, A, re, im, work));
        for (int i = 0; i < n; i++) {
            assert_close(re[i], n - i, 1e-12);
            assert_close(im[i], 0, 1e-12);
        }
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        double A[16] = {0}, re[4], im[4], work[WORK];
        A[n * n - 1] = NAN;
        assert_false(sprag_eigenvalues(n, A, re, im, work));
        A[n * n - 1] = INFINITY;
        assert_false(sprag_eigenvalues(n, A, re, im, work));
    }
    assert_true(sprag_eigenvalues(0, NULL, NULL, NULL, NULL));
    double one[] = {-7}, re, im;
    assert_true(sprag_eigenvalues(1, one, &re, &im, NULL));
    assert_true(re == -7 && im == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_against_lapack), cmocka_unit_test(test_two_closed),
        cmocka_unit_test(test_companion), cmocka_unit_test(test_planted),
        cmocka_unit_test(test_bad_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Pivoted Cholesky of semidefinite matrices: reconstruction, rank, refusal of indefinite ones.
#include "support/test.h"

enum { MAX = 10 };

static void check_product(int n, const double *A, const double *F, int rank, double tolerance)
{
    for (int i = 0; i < n; i++) {
        for (int k = rank; k < n; k++)
            assert_true(F[i * n + k] == 0);
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += F[i * n + k] * F[j * n + k];
            assert_close(sum, A[i * n + j], tolerance);
        }
    }
}

static void test_semidefinite(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(300); draw++) {
        int n = 1 + sprag_random_below(&random, MAX), rank = sprag_random_below(&random, n + 1);
        double B[MAX * MAX], A[MAX * MAX] = {0}, F[MAX * MAX], scale = 0;
        for (int i = 0; i < n * n; i++)
            B[i] = sprag_random_normal(&random);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < rank; k++)
                    A[i * n + j] += B[i * n + k] * B[j * n + k];
        for (int i = 0; i < n; i++)
            scale = fmax(scale, A[i * n + i]);
        assert_int_equal(sprag_cholesky_semidefinite(n, A, 1e-12, F), rank);
        // a column is a difference divided by the root of a pivot, down to 1e-6 of the largest
        check_product(n, A, F, rank, 1e-12 * scale);
    }
}

static void test_indefinite(void **state)
{
    (void)state;
    static const struct {
        int n;
        double A[9];
    } cases[] = {{1, {-1}},
                 {2, {0, 1, 1, 0}},
                 {2, {1, 0, 0, -1e-6}},
                 {2, {1, 2, 2, 1}},
                 {3, {1, 1, 0, 1, 1, 1e-3, 0, 1e-3, 1}},
                 {3, {1, 0, 0, 0, 0, 1e-3, 0, 1e-3, 0}},
                 {2, {NAN, 0, 0, 1}},
                 {2, {1, NAN, NAN, 1}},
                 {2, {1, 0, 0, INFINITY}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double F[9];
        assert_int_equal(sprag_cholesky_semidefinite(cases[i].n, cases[i].A, 1e-9, F), -1);
    }
}

static void test_tolerance(void **state)
{
    (void)state;
    double A[] = {1, 0, 0, -1e-12}, F[4]; // negative by rounding only
    assert_int_equal(sprag_cholesky_semidefinite(2, A, 1e-9, F), 1);
    double small[] = {4, 0, 0, 1e-10};
    assert_int_equal(sprag_cholesky_semidefinite(2, small, 1e-9, F), 1);
    assert_int_equal(sprag_cholesky_semidefinite(2, small, 1e-12, F), 2);
    assert_close(F[0], 2, 0);
    assert_close(F[3], 1e-5, 1e-20);
    double zero[4] = {0};
    assert_int_equal(sprag_cholesky_semidefinite(2, zero, 1e-9, F), 0);
    assert_int_equal(sprag_cholesky_semidefinite(0, NULL, 1e-9, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_semidefinite),
                                       cmocka_unit_test(test_indefinite),
                                       cmocka_unit_test(test_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

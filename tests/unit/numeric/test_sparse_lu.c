// test_sparse_lu.c: sparse systems against the product of their matrix, patterns of all kinds.
#include "support/test.h"

enum { MOST = 60, ENTRIES = MOST * MOST };

typedef struct System {
    int count, block;
    int start[MOST + 1], column[ENTRIES];
    double values[ENTRIES * 16];
} System;

// A random symmetric pattern with the diagonal; blocks that need no exchange between fronts.
static void make(SpragRandom *random, System *s, int count, int block, double density)
{
    static bool has[MOST][MOST];
    memset(has, 0, sizeof has);
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
            has[i][j] = has[j][i] = i == j || sprag_random_uniform(random, 0, 1) < density;
    s->count = count;
    s->block = block;
    int k = 0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            if (!has[i][j])
                continue;
            for (int e = 0; e < block * block; e++)
                s->values[k * block * block + e] =
                    sprag_random_normal(random) +
                    (i == j && e % (block + 1) == 0 ? 3.0 * count * block : 0);
            s->column[k++] = j;
        }
        s->start[i + 1] = k;
    }
}

static double residual(const System *s, const double *x, const double *b)
{
    double worst = 0;
    for (int i = 0; i < s->count * s->block; i++) {
        double sum = -b[i];
        for (int k = s->start[i / s->block]; k < s->start[i / s->block + 1]; k++)
            for (int e = 0; e < s->block; e++)
                sum += s->values[(k * s->block + i % s->block) * s->block + e] *
                       x[s->column[k] * s->block + e];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void solutions_solve(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSparseLu *lu;
    static System s;
    SpragRandom random;
    sprag_random_init(&random, 5);
    assert_ok(context, sprag_sparse_lu_create(context, &lu));
    for (int draw = 0; draw < test_draws(40); draw++) {
        double b[MOST * 4], x[MOST * 4];
        make(&random, &s, 1 + draw % MOST, 1 + draw % 4, draw % 5 * 0.06);
        for (int i = 0; i < s.count * s.block; i++)
            b[i] = sprag_random_normal(&random);
        SpragSparsePattern pattern = {s.count, s.block, s.start, s.column};
        assert_ok(context, sprag_sparse_lu_analyze(lu, &pattern));
        assert_int_equal(sprag_sparse_lu_factor(lu, s.values), 0);
        sprag_sparse_lu_solve(lu, b, x);
        // diagonally dominant: the condition number is below 10
        assert_close(residual(&s, x, b), 0, 1e-12);
        uint64_t before = sprag_context_allocation_count(context);
        assert_ok(context, sprag_sparse_lu_analyze(lu, &pattern));
        assert_int_equal(sprag_sparse_lu_factor(lu, s.values), 0);
        sprag_sparse_lu_solve(lu, b, b);
        assert_memory_equal(b, x, (size_t)(s.count * s.block) * sizeof *b);
        assert_int_equal(sprag_context_allocation_count(context), before);
    }
    sprag_sparse_lu_destroy(lu);
    sprag_context_destroy(context);
}

static void negate_row(System *s, int row)
{
    for (int k = s->start[row / s->block]; k < s->start[row / s->block + 1]; k++)
        for (int e = 0; e < s->block; e++)
            s->values[(k * s->block + row % s->block) * s->block + e] *= -1;
}

// Diagonally dominant matrices have a positive determinant; every row times -1, and every exchange
// of two rows, turns its sign.
static void signs_of_determinants(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSparseLu *lu;
    static System s;
    SpragRandom random;
    sprag_random_init(&random, 6);
    assert_ok(context, sprag_sparse_lu_create(context, &lu));
    for (int draw = 0; draw < test_draws(20); draw++) {
        int sign = 1;
        make(&random, &s, 1 + 3 * draw % MOST, 1 + draw % 4, draw % 5 * 0.06);
        for (int row = 0; row < s.count * s.block; row++) {
            if (sprag_random_below(&random, 2) == 0)
                continue;
            negate_row(&s, row);
            sign = -sign;
        }
        for (int k = s.start[0]; s.block > 1 && k < s.start[1]; k++)
            for (int e = 0; e < s.block; e++) {
                double *first = s.values + k * s.block * s.block + e, kept = first[0];
                first[0] = first[s.block];
                first[s.block] = kept;
            }
        SpragSparsePattern pattern = {s.count, s.block, s.start, s.column};
        assert_ok(context, sprag_sparse_lu_analyze(lu, &pattern));
        assert_int_equal(sprag_sparse_lu_factor(lu, s.values), 0);
        assert_int_equal(sprag_sparse_lu_sign(lu), s.block > 1 ? -sign : sign);
    }
    sprag_sparse_lu_destroy(lu);
    sprag_context_destroy(context);
}

static void bad_matrices_are_told(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSparseLu *lu;
    assert_ok(context, sprag_sparse_lu_create(context, &lu));
    int start[] = {0, 1, 2}, column[] = {0, 1}, wrong[] = {1, 0}, beyond[] = {0, 2};
    double zero[] = {1, 0}, nan[] = {1, NAN}, b[] = {2, 3}, x[2];
    SpragSparsePattern pattern = {2, 1, start, column};
    assert_ok(context, sprag_sparse_lu_analyze(lu, &pattern));
    assert_int_equal(sprag_sparse_lu_factor(lu, zero), 1);
    sprag_sparse_lu_solve(lu, b, x);
    assert_close(x[0], 2, 0);
    assert_true(isfinite(x[1]));
    assert_int_equal(sprag_sparse_lu_factor(lu, nan), -1);
    pattern.column = wrong;
    assert_int_equal(sprag_sparse_lu_analyze(lu, &pattern), SPRAG_ERROR_ARGUMENT);
    pattern.column = beyond;
    assert_int_equal(sprag_sparse_lu_analyze(lu, &pattern), SPRAG_ERROR_ARGUMENT);
    sprag_sparse_lu_destroy(lu);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_solve),
        cmocka_unit_test(signs_of_determinants),
        cmocka_unit_test(bad_matrices_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

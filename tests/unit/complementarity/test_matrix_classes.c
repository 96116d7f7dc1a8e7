// test_matrix_classes.c: matrix classes against all principal minors, sampled forms and known
// matrices; every witness is checked.
#include "support/arena_state.h"

// Determinant of the principal submatrix by cofactors: slow, and nobody's code.
static double minor_of(int n, const double *M, int m, const int *rows, const int *columns)
{
    if (m == 0)
        return 1;
    double sum = 0, sign = 1;
    for (int k = 0; k < m; k++) {
        int rest[8], next = 0;
        for (int j = 0; j < m; j++)
            if (j != k)
                rest[next++] = columns[j];
        sum += sign * M[rows[0] * n + columns[k]] * minor_of(n, M, m - 1, rows + 1, rest);
        sign = -sign;
    }
    return sum;
}

static double least_minor(int n, const double *M)
{
    double least = INFINITY;
    for (unsigned mask = 1; mask < 1u << n; mask++) {
        int members[8], m = 0;
        for (int i = 0; i < n; i++)
            if (mask >> i & 1)
                members[m++] = i;
        least = fmin(least, minor_of(n, M, m, members, members));
    }
    return least;
}

static double form_of(int n, const double *M, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += x[i] * M[i * n + j] * x[j];
    return sum;
}

static SpragMatrixWitness ask(State *s, int n, const double *M, SpragMatrixClass which)
{
    SpragMatrixWitness witness;
    assert_ok(s->context,
              sprag_matrix_class_check(s->context, s->arena, n, M, which, NULL, &witness));
    return witness;
}

static void draw(SpragRandom *random, int n, int kind, double *M)
{
    for (int k = 0; k < n * n; k++)
        M[k] = kind == 0 ? sprag_random_below(random, 5) - 2 : sprag_random_normal(random);
    for (int i = 0; i < n && kind >= 1; i++)
        M[i * n + i] = fabs(M[i * n + i]) + (kind == 2 ? 0.8 * n : kind == 3 ? 1.2 : 0);
}

static void minors_agree(void **state)
{
    State *s = *state;
    SpragRandom random;
    double M[36];
    int yes = 0, no = 0, unknown = 0;
    sprag_random_init(&random, 4);
    for (int k = 0; k < test_draws(200); k++) {
        int n = 1 + k % 6;
        draw(&random, n, k % 4, M);
        double least = least_minor(n, M);
        SpragMatrixWitness p = ask(s, n, M, SPRAG_MATRIX_P), p0 = ask(s, n, M, SPRAG_MATRIX_P0);
        // whole numbers have whole minors; the others are never within 1e-9 of zero here
        assert_int_equal(p.answer, least > 1e-9 ? SPRAG_ANSWER_YES : SPRAG_ANSWER_NO);
        // a minor that is zero may be a rounding error to the check, which then says so
        bool undecided = p0.answer == SPRAG_ANSWER_UNKNOWN && fabs(least) <= 1e-9;
        unknown += undecided;
        if (!undecided)
            assert_int_equal(p0.answer, least > -1e-9 ? SPRAG_ANSWER_YES : SPRAG_ANSWER_NO);
        yes += p.answer == SPRAG_ANSWER_YES;
        if (p.answer == SPRAG_ANSWER_NO) {
            no++;
            double minor = minor_of(n, M, p.member_count, p.member, p.member);
            assert_true(minor <= 1e-9);
            assert_close(p.value, minor, 1e-9 * (1 + fabs(minor)));
        }
        if (p0.answer == SPRAG_ANSWER_NO)
            assert_true(minor_of(n, M, p0.member_count, p0.member, p0.member) < 0);
    }
    assert_true(yes > 10 && no > 10);
    assert_true(100 * unknown <= test_draws(200));
}

static void definiteness_has_witnesses(void **state)
{
    State *s = *state;
    SpragRandom random;
    double M[36];
    int counts[2][2] = {{0}};
    sprag_random_init(&random, 14);
    for (int k = 0; k < test_draws(150); k++) {
        int n = 1 + k % 6, rank = 1 + k % (n < 4 ? n : 4), indefinite = k % 3 == 0;
        double B[6][4];
        for (int i = 0; i < n; i++)
            for (int r = 0; r < 4; r++)
                B[i][r] = sprag_random_normal(&random);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                M[i * n + j] = 0;
                for (int r = 0; r < rank; r++)
                    M[i * n + j] += (r == 0 && indefinite ? -1 : 1) * B[i][r] * B[j][r];
            }
        // a skew part changes nothing
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double skew = sprag_random_normal(&random);
                M[i * n + j] += skew;
                M[j * n + i] -= skew;
            }
        SpragMatrixWitness pd = ask(s, n, M, SPRAG_MATRIX_POSITIVE_DEFINITE);
        SpragMatrixWitness psd = ask(s, n, M, SPRAG_MATRIX_POSITIVE_SEMIDEFINITE);
        // one negative square in general position: indefinite; else rank decides
        assert_int_equal(psd.answer, indefinite ? SPRAG_ANSWER_NO : SPRAG_ANSWER_YES);
        assert_int_equal(pd.answer, !indefinite && rank >= n ? SPRAG_ANSWER_YES : SPRAG_ANSWER_NO);
        counts[0][pd.answer == SPRAG_ANSWER_YES]++;
        counts[1][psd.answer == SPRAG_ANSWER_YES]++;
        if (psd.answer == SPRAG_ANSWER_NO) {
            assert_true(form_of(n, M, psd.vector) < 0);
            assert_close(psd.value, form_of(n, M, psd.vector), 1e-9 * (1 + fabs(psd.value)));
        }
        if (pd.answer == SPRAG_ANSWER_NO) {
            double size = 0;
            for (int i = 0; i < n; i++)
                size += pd.vector[i] * pd.vector[i];
            assert_true(size > 0 && form_of(n, M, pd.vector) <= 1e-9 * size);
        }
    }
    assert_true(counts[0][0] && counts[0][1] && counts[1][0] && counts[1][1]);
}

static void copositive_by_sampling(void **state)
{
    State *s = *state;
    SpragRandom random;
    double M[36], x[6];
    int yes = 0, no = 0;
    sprag_random_init(&random, 24);
    for (int k = 0; k < test_draws(80); k++) {
        int n = 2 + k % 5;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                M[i * n + j] = M[j * n + i] = sprag_random_uniform(&random, i == j ? 0.2 : -0.7, 1);
        SpragMatrixWitness c = ask(s, n, M, SPRAG_MATRIX_COPOSITIVE);
        assert_int_not_equal(c.answer, SPRAG_ANSWER_UNKNOWN);
        yes += c.answer == SPRAG_ANSWER_YES;
        no += c.answer == SPRAG_ANSWER_NO;
        for (int trial = 0; c.answer == SPRAG_ANSWER_YES && trial < 300; trial++) {
            for (int i = 0; i < n; i++)
                x[i] = fmax(sprag_random_uniform(&random, -0.5, 1), 0);
            assert_true(form_of(n, M, x) >= -1e-12);
        }
        if (c.answer == SPRAG_ANSWER_NO) {
            assert_true(form_of(n, M, c.vector) < 0);
            for (int i = 0; i < n; i++)
                assert_true(c.vector[i] >= 0);
        }
    }
    assert_true(yes > 5 && no > 5);
}

static void known_matrices(void **state)
{
    State *s = *state;
    // Horn's matrix: copositive, neither semidefinite nor entrywise nonnegative, not strictly
    double horn[] = {1,  -1, 1, 1, -1, -1, 1,  -1, 1, 1, 1,  -1, 1,
                     -1, 1,  1, 1, -1, 1,  -1, -1, 1, 1, -1, 1};
    assert_int_equal(ask(s, 5, horn, SPRAG_MATRIX_COPOSITIVE).answer, SPRAG_ANSWER_YES);
    assert_int_equal(ask(s, 5, horn, SPRAG_MATRIX_STRICTLY_COPOSITIVE).answer, SPRAG_ANSWER_NO);
    assert_int_equal(ask(s, 5, horn, SPRAG_MATRIX_POSITIVE_SEMIDEFINITE).answer, SPRAG_ANSWER_NO);
    double chain[] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
    assert_int_equal(ask(s, 3, chain, SPRAG_MATRIX_M).answer, SPRAG_ANSWER_YES);
    assert_int_equal(ask(s, 3, chain, SPRAG_MATRIX_Z).answer, SPRAG_ANSWER_YES);
    assert_int_equal(ask(s, 3, chain, SPRAG_MATRIX_STRICTLY_COPOSITIVE).answer, SPRAG_ANSWER_YES);
    double weak[] = {1, -2, -2, 1};
    SpragMatrixWitness w = ask(s, 2, weak, SPRAG_MATRIX_M);
    assert_int_equal(w.answer, SPRAG_ANSWER_NO);
    assert_int_equal(w.member_count, 2);
    assert_close(w.value, -3, 1e-14);
    double up[] = {1, 0, 3, 1};
    w = ask(s, 2, up, SPRAG_MATRIX_Z);
    assert_int_equal(w.answer, SPRAG_ANSWER_NO);
    assert_int_equal(w.row, 1);
    assert_int_equal(w.column, 0);
    // a Z-matrix that is not symmetric, and P without being definite
    double slant[] = {1, -3, -0.2, 1};
    assert_int_equal(ask(s, 2, slant, SPRAG_MATRIX_M).answer, SPRAG_ANSWER_YES);
    double zero[] = {0};
    assert_int_equal(ask(s, 1, zero, SPRAG_MATRIX_P).answer, SPRAG_ANSWER_NO);
    assert_int_equal(ask(s, 1, zero, SPRAG_MATRIX_P0).answer, SPRAG_ANSWER_YES);
}

static void work_is_bounded(void **state)
{
    State *s = *state;
    enum { N = 30 };
    static double M[N * N];
    SpragMatrixSettings settings = sprag_matrix_default();
    SpragMatrixWitness witness;
    // Murty's matrix is P, not definite for large n, and not Z: the recursion must stop at its
    // limit
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            M[i * N + j] = i == j ? 1 : j < i ? 3 : 0;
    settings.max_nodes = 5000;
    assert_ok(s->context, sprag_matrix_class_check(s->context, s->arena, N, M, SPRAG_MATRIX_P,
                                                   &settings, &witness));
    assert_int_equal(witness.answer, SPRAG_ANSWER_UNKNOWN);
    M[1] = -0.1;
    assert_ok(s->context, sprag_matrix_class_check(s->context, s->arena, N, M,
                                                   SPRAG_MATRIX_COPOSITIVE, &settings, &witness));
    assert_int_equal(witness.answer, SPRAG_ANSWER_UNKNOWN);
}

static void bad_input_is_refused(void **state)
{
    State *s = *state;
    double M[] = {1, NAN, 0, 1};
    SpragMatrixWitness witness;
    SpragMatrixSettings settings = sprag_matrix_default();
    assert_int_equal(
        sprag_matrix_class_check(s->context, s->arena, 2, M, SPRAG_MATRIX_P, NULL, &witness),
        SPRAG_ERROR_INPUT);
    assert_int_equal(
        sprag_matrix_class_check(s->context, s->arena, 0, M, SPRAG_MATRIX_P, NULL, &witness),
        SPRAG_ERROR_INPUT);
    settings.cookie = 0;
    assert_int_equal(
        sprag_matrix_class_check(s->context, s->arena, 1, M, SPRAG_MATRIX_P, &settings, &witness),
        SPRAG_ERROR_ARGUMENT);
    assert_string_equal(sprag_matrix_class_name(SPRAG_MATRIX_P0), "P0");
    assert_string_equal(sprag_matrix_class_name(SPRAG_MATRIX_CLASS_COUNT), "?");
    assert_true(strlen(sprag_matrix_class_text(SPRAG_MATRIX_Z)) > 5);
    assert_string_equal(sprag_answer_name(SPRAG_ANSWER_UNKNOWN), "unknown");
    assert_string_equal(sprag_answer_name(SPRAG_ANSWER_NO), "no");
    assert_string_equal(sprag_answer_name(SPRAG_ANSWER_YES), "yes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minors_agree),           cmocka_unit_test(definiteness_has_witnesses),
        cmocka_unit_test(copositive_by_sampling), cmocka_unit_test(known_matrices),
        cmocka_unit_test(work_is_bounded),        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

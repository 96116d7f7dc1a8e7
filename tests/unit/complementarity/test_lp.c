// Linear programs: planted optima, brute force over vertices, degenerate and hopeless ones.
#include "support/with_arena.h"

enum { MAX_VARIABLES = 5, MAX_ROWS = 16 };
// Entries are of order one and bases well conditioned but for a few draws.
static const double TOLERANCE = 1e-9;

static SpragLpStatus solve(const SpragLp *problem, double *x, double *value)
{
    SpragLpStatus status;
    SpragArenaMark mark = sprag_arena_mark(arena);
    assert_ok(context, sprag_lp_solve(arena, problem, 1e-11, x, value, &status));
    SpragArenaMark after = sprag_arena_mark(arena);
    assert_true(mark.block == after.block && mark.used == after.used);
    return status;
}

// Largest violation of the constraints, relative to the size of each row and of x.
static double violation(const SpragLp *p, const double *x)
{
    double worst = 0;
    for (int i = 0; i < p->inequality_count + p->equality_count; i++) {
        double sum = -p->b[i], size = fabs(p->b[i]), largest = 0;
        for (int j = 0; j < p->variable_count; j++) {
            double a = p->A[i * p->variable_count + j];
            sum += a * x[j];
            size += fabs(a * x[j]);
            largest = fmax(largest, fabs(a));
        }
        double excess = i < p->inequality_count ? fmax(sum, 0) : fabs(sum);
        worst = fmax(worst, excess / fmax(size, fmax(largest, 1e-300)));
    }
    return worst;
}

// ---- Planted optima -----------------------------------------------------------------------------

// Draw x, multipliers ≥ 0 that vanish where slacks do not, and set c = Aᵀ multiplier: x is optimal.
static void test_planted(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(500); draw++) {
        int n = 1 + sprag_random_below(&random, MAX_VARIABLES);
        int m = 1 + sprag_random_below(&random, 10), e = sprag_random_below(&random, n);
        double A[MAX_ROWS * MAX_VARIABLES], b[MAX_ROWS], c[MAX_VARIABLES] = {0}, x[MAX_VARIABLES];
        double planted[MAX_VARIABLES], found, best = 0;
        for (int j = 0; j < n; j++)
            planted[j] = sprag_random_normal(&random);
        for (int i = 0; i < m + e; i++) {
            bool tight = i >= m || sprag_random_below(&random, 2);
            double multiplier = tight ? fabs(sprag_random_normal(&random)) : 0;
            if (i >= m && sprag_random_below(&random, 2))
                multiplier = -multiplier;
            // bad scaling of whole rows must not matter
            double scale = pow(10, sprag_random_uniform(&random, -6, 6));
            b[i] = tight ? 0 : scale * fabs(sprag_random_normal(&random));
            for (int j = 0; j < n; j++) {
                double a = sprag_random_normal(&random);
                A[i * n + j] = scale * a;
                b[i] += scale * a * planted[j];
                c[j] += multiplier * a;
            }
        }
        for (int j = 0; j < n; j++)
            best += c[j] * planted[j];
        SpragLp problem = {n, m, e, A, b, c};
        assert_int_equal(solve(&problem, x, &found), SPRAG_LP_OPTIMAL);
        assert_true(violation(&problem, x) < TOLERANCE);
        assert_close(found, best, 1e-7 * (1 + fabs(best)));
        problem.c = NULL;
        assert_int_equal(solve(&problem, x, &found), SPRAG_LP_OPTIMAL);
        assert_true(violation(&problem, x) < TOLERANCE);
        assert_true(found == 0);
    }
}

// ---- Brute force --------------------------------------------------------------------------------

// Solves the n rows `index` as equations; false if they are dependent.
static bool vertex(const SpragLp *p, const int *index, double *x)
{
    int n = p->variable_count;
    double M[MAX_VARIABLES][MAX_VARIABLES + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            M[i][j] = p->A[index[i] * n + j];
        M[i][n] = p->b[index[i]];
    }
    for (int k = 0; k < n; k++) {
        int q = k;
        for (int i = k; i < n; i++)
            q = fabs(M[i][k]) > fabs(M[q][k]) ? i : q;
        if (fabs(M[q][k]) < 1e-9)
            return false;
        for (int j = 0; j <= n; j++) {
            double t = M[k][j];
            M[k][j] = M[q][j];
            M[q][j] = t;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : M[i][k] / M[k][k];
            for (int j = 0; j <= n; j++)
                M[i][j] -= f * M[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = M[i][n] / M[i][i];
    return true;
}

// Best value over all vertices; −INFINITY: there is none. Complete for bounded sets.
static double best_vertex(const SpragLp *p, int from, int *index, int chosen)
{
    int n = p->variable_count;
    double x[MAX_VARIABLES], best = -INFINITY;
    if (chosen == n) {
        if (vertex(p, index, x) && violation(p, x) < TOLERANCE) {
            best = 0;
            for (int j = 0; j < n; j++)
                best += p->c[j] * x[j];
        }
        return best;
    }
    for (int i = from; i < p->inequality_count + p->equality_count; i++) {
        index[chosen] = i;
        best = fmax(best, best_vertex(p, i + 1, index, chosen + 1));
    }
    return best;
}

// Random rows inside a box |x| ≤ 10, integers half of the time (degenerate vertices, equal rows).
static void test_brute_force(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    int infeasible = 0;
    for (int draw = 0; draw < test_draws(400); draw++) {
        int n = 1 + sprag_random_below(&random, 3), m = sprag_random_below(&random, 6);
        int e = sprag_random_below(&random, 2), rows = 2 * n + m, index[MAX_VARIABLES];
        bool integers = draw % 2;
        double A[MAX_ROWS * MAX_VARIABLES] = {0}, b[MAX_ROWS], c[MAX_VARIABLES], x[MAX_VARIABLES];
        double found;
        for (int j = 0; j < n; j++) {
            A[2 * j * n + j] = 1;
            A[(2 * j + 1) * n + j] = -1;
            b[2 * j] = b[2 * j + 1] = 10;
            c[j] = integers ? sprag_random_below(&random, 5) - 2 : sprag_random_normal(&random);
        }
        for (int i = 2 * n; i < rows + e; i++) {
            for (int j = 0; j < n; j++)
                A[i * n + j] =
                    integers ? sprag_random_below(&random, 5) - 2 : sprag_random_normal(&random);
            b[i] = integers ? sprag_random_below(&random, 7) - 2 : sprag_random_normal(&random);
        }
        SpragLp problem = {n, rows, e, A, b, c};
        double best = best_vertex(&problem, 0, index, 0);
        SpragLpStatus status = solve(&problem, x, &found);
        assert_int_equal(status, best > -INFINITY ? SPRAG_LP_OPTIMAL : SPRAG_LP_INFEASIBLE);
        if (status == SPRAG_LP_OPTIMAL) {
            assert_true(violation(&problem, x) < TOLERANCE);
            assert_close(found, best, 1e-8 * (1 + fabs(best)));
        }
        infeasible += status == SPRAG_LP_INFEASIBLE;
    }
    assert_true(infeasible > 10);
}

// Many objectives over one set give what single programs give.
static void test_maxima(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(200); draw++) {
        int n = 1 + sprag_random_below(&random, 4), m = sprag_random_below(&random, 10);
        double A[MAX_ROWS * MAX_VARIABLES], b[MAX_ROWS], C[4 * MAX_VARIABLES] = {0}, maxima[4];
        for (int i = 0; i < m; i++) {
            b[i] = sprag_random_uniform(&random, -0.2, 1);
            for (int j = 0; j < n; j++)
                A[i * n + j] = sprag_random_normal(&random);
        }
        for (int i = 0; i < 3 * n; i++)
            C[i] = sprag_random_normal(&random); // the fourth stays zero
        SpragLp problem = {n, m, 0, A, b, NULL};
        SpragLpStatus status;
        assert_ok(context, sprag_lp_maxima(arena, &problem, 1e-11, 4, C, maxima, &status));
        for (int k = 0; k < 4; k++) {
            double x[MAX_VARIABLES], value;
            problem.c = C + k * n;
            SpragLpStatus one = solve(&problem, x, &value);
            assert_int_equal(one == SPRAG_LP_INFEASIBLE, status == SPRAG_LP_INFEASIBLE);
            if (one == SPRAG_LP_OPTIMAL)
                assert_close(maxima[k], value, 1e-9 * (1 + fabs(value)));
            if (one == SPRAG_LP_UNBOUNDED)
                assert_true(maxima[k] == INFINITY);
        }
    }
}

// ---- Special programs ---------------------------------------------------------------------------

static void test_infeasible(void **state)
{
    (void)state;
    double x[2], value;
    double A[] = {1, 1, -1, -1}, b[] = {1, -1.001}, c[] = {1, 0};
    SpragLp problem = {2, 2, 0, A, b, c};
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_INFEASIBLE);
    b[1] = -1; // the two half-planes touch
    c[1] = 1;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 1, 1e-12);
    // contradicting equalities, also by a row of zeros
    SpragLp equalities = {2, 0, 2, A, b, NULL};
    b[1] = -2;
    assert_int_equal(solve(&equalities, x, &value), SPRAG_LP_INFEASIBLE);
    double zero[4] = {0}, one[] = {0, -1}, minus[] = {0, 1};
    SpragLp empty_row = {2, 2, 0, zero, one, NULL};
    assert_int_equal(solve(&empty_row, x, &value), SPRAG_LP_INFEASIBLE);
    empty_row.b = minus;
    assert_int_equal(solve(&empty_row, x, &value), SPRAG_LP_OPTIMAL);
    SpragLp empty_equality = {2, 1, 1, zero, one, NULL};
    assert_int_equal(solve(&empty_equality, x, &value), SPRAG_LP_INFEASIBLE);
}

static void test_unbounded(void **state)
{
    (void)state;
    double x[2], value, A[] = {1, -1}, b[] = {1}, up[] = {1, 1}, along[] = {1, -1}, none[] = {0, 0};
    SpragLp problem = {2, 1, 0, A, b, up};
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_UNBOUNDED);
    problem.c = along;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 1, 1e-14);
    problem.c = none;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    // no rows at all
    SpragLp bare = {2, 0, 0, NULL, NULL, up};
    assert_int_equal(solve(&bare, x, &value), SPRAG_LP_UNBOUNDED);
    bare.c = NULL;
    assert_int_equal(solve(&bare, x, &value), SPRAG_LP_OPTIMAL);
    SpragLp nothing = {0, 0, 0, NULL, NULL, NULL};
    assert_int_equal(solve(&nothing, x, &value), SPRAG_LP_OPTIMAL);
    // empty and unbounded: infeasible wins
    double two[] = {1, 0, -1, 0}, apart[] = {0, -1};
    SpragLp both = {2, 2, 0, two, apart, up};
    assert_int_equal(solve(&both, x, &value), SPRAG_LP_INFEASIBLE);
}

static void test_equalities_only(void **state)
{
    (void)state;
    // three rows of rank two; large constants carry their rounding
    double A[] = {1, 2, 3, 2, -1, 1, 3, 1, 4}, b[] = {1e6, 3e6, 4e6}, x[3], value;
    SpragLp problem = {3, 0, 3, A, b, NULL};
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_true(violation(&problem, x) < 1e-14);
    double in_span[] = {3, 1, 4}, outside[] = {1, 0, 0};
    problem.c = in_span;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 4e6, 1e-8);
    problem.c = outside;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_UNBOUNDED);
}

// A row that bounds x only at 1e16, as rounding makes them, must not spoil the others.
static void test_far_row(void **state)
{
    (void)state;
    double A[] = {3e-17, 1, -1}, b[] = {1.4, 0.5, 0.25}, up[] = {1}, down[] = {-1}, x[1], value;
    SpragLp problem = {1, 3, 0, A, b, up};
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 0.5, 1e-15);
    problem.c = down;
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 0.25, 1e-15);
}

// Beale's program, on which the largest-coefficient rule cycles; optimum 1/20 at (1/25, 0, 1, 0).
static void test_cycling(void **state)
{
    (void)state;
    double A[7 * 4] = {0.25, -60, -0.04, 9, 0.5, -90, -0.02, 3, 0, 0, 1, 0};
    double b[7] = {0, 0, 1}, c[] = {0.75, -150, 0.02, -6}, x[4], value;
    for (int j = 0; j < 4; j++)
        A[(3 + j) * 4 + j] = -1;
    SpragLp problem = {4, 7, 0, A, b, c};
    assert_int_equal(solve(&problem, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 0.05, 1e-13);
    assert_close(x[0], 0.04, 1e-12);
    assert_close(x[2], 1, 1e-12);
    // Kuhn's example cycles too; optimum 2 at (2, 0, 2, 0)
    double K[7 * 4] = {-2, -9, 1, 9, 1.0 / 3, 1, -1.0 / 3, -2, 2, 3, -1, -12};
    double d[7] = {0, 0, 2}, f[] = {2, 3, -1, -12};
    for (int j = 0; j < 4; j++)
        K[(3 + j) * 4 + j] = -1;
    SpragLp kuhn = {4, 7, 0, K, d, f};
    assert_int_equal(solve(&kuhn, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 2, 1e-12);
}

// Klee and Minty's cube is a bad case of the largest coefficient; and many planes through a point.
static void test_degenerate(void **state)
{
    (void)state;
    double A[10 * 5] = {0}, b[10], c[5], x[5], value;
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++)
            A[i * 5 + j] = 2 * pow(10, i - j);
        A[i * 5 + i] = 1;
        b[i] = pow(100, i);
        c[i] = pow(10, 4 - i);
        A[(5 + i) * 5 + i] = -1;
        b[5 + i] = 0;
    }
    SpragLp cube = {5, 10, 0, A, b, c};
    assert_int_equal(solve(&cube, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 1e8, 1e-4);
    // a cone of 60 planes with its tip at (0, 0, 1)
    enum { PLANES = 60 };
    double P[PLANES * 3], h[PLANES], up[] = {0.3, 0.1, 1};
    for (int i = 0; i < PLANES; i++) {
        double angle = 6.283185307179586 * i / PLANES;
        P[i * 3] = cos(angle);
        P[i * 3 + 1] = sin(angle);
        P[i * 3 + 2] = 1;
        h[i] = 1;
    }
    SpragLp cone = {3, PLANES, 0, P, h, up};
    assert_int_equal(solve(&cone, x, &value), SPRAG_LP_OPTIMAL);
    assert_close(value, 1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),   cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_maxima),    cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_unbounded), cmocka_unit_test(test_equalities_only),
        cmocka_unit_test(test_far_row),   cmocka_unit_test(test_cycling),
        cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Least distance: brute force over active sets, optimality conditions, empty sets, scaling.
#include "support/with_arena.h"

enum { MAX_N = 4, MAX_ROWS = 9 };

static bool solve(int m, int n, const double *G, const double *h, double *y)
{
    bool feasible;
    SpragArenaMark mark = sprag_arena_mark(arena);
    assert_ok(context, sprag_least_distance(arena, m, n, G, h, y, &feasible));
    SpragArenaMark after = sprag_arena_mark(arena);
    assert_true(mark.block == after.block && mark.used == after.used);
    return feasible;
}

static double slack(int n, const double *g, double h, const double *y)
{
    double sum = -h;
    for (int i = 0; i < n; i++)
        sum += g[i] * y[i];
    return sum;
}

// Nearest point of the rows in `set` taken as equations: y = Gᵀ z, G Gᵀ z = h; false: dependent.
static bool nearest_on(int m, int n, const double *G, const double *h, unsigned set, double *y)
{
    double M[MAX_ROWS][MAX_ROWS + 1];
    int index[MAX_ROWS], k = 0;
    for (int i = 0; i < m; i++)
        if (set >> i & 1)
            index[k++] = i;
    if (k > n)
        return false;
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++) {
            M[p][q] = 0;
            for (int i = 0; i < n; i++)
                M[p][q] += G[index[p] * n + i] * G[index[q] * n + i];
        }
        M[p][k] = h[index[p]];
    }
    for (int p = 0; p < k; p++) {
        if (fabs(M[p][p]) < 1e-11)
            return false;
        for (int r = 0; r < k; r++) {
            double f = r == p ? 0 : M[r][p] / M[p][p];
            for (int q = p; q <= k; q++)
                M[r][q] -= f * M[p][q];
        }
    }
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int p = 0; p < k; p++)
            y[i] += G[index[p] * n + i] * M[p][k] / M[p][p];
    }
    return true;
}

// Least length over all active sets whose nearest point is feasible; INFINITY: the set is empty.
static double brute_force(int m, int n, const double *G, const double *h)
{
    double best = INFINITY;
    for (unsigned set = 0; set < 1u << m; set++) {
        double y[MAX_N], length = 0;
        bool ok = nearest_on(m, n, G, h, set, y);
        for (int i = 0; ok && i < n; i++)
            length = hypot(length, y[i]);
        for (int i = 0; ok && i < m; i++)
            ok = slack(n, G + i * n, h[i], y) > -1e-9 * (1 + length);
        if (ok)
            best = fmin(best, length);
    }
    return best;
}

static void test_brute_force(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    int empty = 0, inside = 0;
    for (int draw = 0; draw < test_draws(300); draw++) {
        int n = 1 + sprag_random_below(&random, MAX_N);
        int m = 1 + sprag_random_below(&random, MAX_ROWS);
        double G[MAX_ROWS * MAX_N], h[MAX_ROWS], y[MAX_N], length = 0;
        for (int i = 0; i < m * n; i++)
            G[i] = draw % 3 ? sprag_random_normal(&random) : sprag_random_below(&random, 5) - 2;
        for (int i = 0; i < m; i++)
            h[i] = draw % 3 ? sprag_random_normal(&random) : sprag_random_below(&random, 5) - 3;
        double best = brute_force(m, n, G, h);
        bool feasible = solve(m, n, G, h, y);
        for (int i = 0; i < n; i++)
            length = hypot(length, y[i]);
        assert_int_equal(feasible, best < INFINITY);
        if (feasible) {
            assert_close(length, best, 1e-7 * (1 + best));
            for (int i = 0; i < m; i++)
                assert_true(slack(n, G + i * n, h[i], y) > -1e-8 * (1 + best));
        }
        empty += !feasible;
        inside += feasible && best == 0;
    }
    assert_true(empty > 10 && inside > 10);
}

// Planted solution: y = Σ z_i g_i with z ≥ 0 on rows that are active, slack on the others: the
// conditions of Karush, Kuhn and Tucker make it the nearest point, at any scale of rows and of y.
static void test_planted(void **state)
{
    (void)state;
    enum { ROWS = 30, N = 12 };
    SpragRandom random;
    sprag_random_init(&random, 2);
    for (int draw = 0; draw < test_draws(200); draw++) {
        int n = 1 + sprag_random_below(&random, N), m = n + sprag_random_below(&random, ROWS - N);
        double G[ROWS * N], h[ROWS], y[N], planted[N] = {0}, size = 0;
        double unit = pow(10, sprag_random_uniform(&random, -9, 9));
        int active = 1 + sprag_random_below(&random, n);
        for (int i = 0; i < m * n; i++)
            G[i] = sprag_random_normal(&random);
        for (int k = 0; k < active; k++) {
            double z = sprag_random_uniform(&random, 0.1, 1);
            for (int i = 0; i < n; i++)
                planted[i] += unit * z * G[k * n + i];
        }
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(planted[i]));
        for (int k = 0; k < m; k++) {
            double scale = pow(10, sprag_random_uniform(&random, -6, 6));
            h[k] = slack(n, G + k * n, 0, planted);
            h[k] = scale * (h[k] - (k < active ? 0 : unit * sprag_random_uniform(&random, 0, 2)));
            for (int i = 0; i < n; i++)
                G[k * n + i] *= scale;
        }
        assert_true(solve(m, n, G, h, y));
        for (int i = 0; i < n; i++)
            assert_close(y[i], planted[i], 1e-9 * size);
    }
}

static void test_special(void **state)
{
    (void)state;
    double y[2];
    // half-plane x ≥ 2; a strip that is empty by 1e-6; one that is a line
    double right[] = {1, 0}, two[] = {2};
    assert_true(solve(1, 2, right, two, y));
    assert_close(y[0], 2, 1e-15);
    assert_close(y[1], 0, 1e-15);
    double strip[] = {1, 0, -1, 0}, apart[] = {1, -1 + 1e-6}, line[] = {1, -1};
    assert_false(solve(2, 2, strip, apart, y));
    assert_true(y[0] == 0 && y[1] == 0);
    assert_true(solve(2, 2, strip, line, y));
    assert_close(y[0], 1, 1e-12);
    // rows of zeros: 0 ≥ h
    double zero[] = {0, 0}, above[] = {1}, below[] = {-1};
    assert_false(solve(1, 2, zero, above, y));
    assert_true(solve(1, 2, zero, below, y));
    assert_true(solve(0, 2, zero, above, y));
    assert_true(y[0] == 0 && y[1] == 0);
    // no unknowns at all
    assert_true(solve(1, 0, zero, below, y));
    assert_false(solve(1, 0, zero, above, y));
    // a wedge of angle 2e-5 whose tip lies 1e5 away
    double wedge[] = {1e-5, 1, 1e-5, -1}, one[] = {1, 1};
    assert_true(solve(2, 2, wedge, one, y));
    assert_close(y[0], 1e5, 1e-3);
    assert_close(y[1], 0, 1e-3);
}

// The same row many times, as contacts on one line make them.
static void test_repeated_rows(void **state)
{
    (void)state;
    double G[24], h[12], y[2];
    for (int i = 0; i < 12; i++) {
        G[2 * i] = 3;
        G[2 * i + 1] = i < 6 ? 4 : -4;
        h[i] = 6;
    }
    assert_true(solve(12, 2, G, h, y));
    assert_close(y[0], 2, 1e-14);
    assert_close(y[1], 0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_planted),
        cmocka_unit_test(test_special), cmocka_unit_test(test_repeated_rows)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

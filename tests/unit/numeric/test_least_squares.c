// Least squares against problems with certified answers, with bounds, and without full rank.
//
// Data and certified values of Misra1a, Thurber and MGH09: NIST Statistical Reference Datasets,
// nonlinear regression (itl.nist.gov/div898/strd/nls). They have 11 digits. Within a millionth of
// its standard error an unknown changes the sum by 1e-12 of itself or less: the end of the
// iteration lies there.
#include "support/test.h"

enum { MOST = 64, MOST_N = 8 };

typedef struct Model {
    int m, n;
    const double *x, *y;
    void (*value)(double x, const double *b, double *f, double *by); // and derivatives
    double least; // no value where an unknown is below it
} Model;

static int residual(const double *b, double *r, void *user)
{
    const Model *model = user;
    double by[MOST_N], f;
    for (int j = 0; j < model->n; j++)
        if (b[j] < model->least)
            return 1;
    for (int i = 0; i < model->m; i++) {
        model->value(model->x[i], b, &f, by);
        r[i] = f - model->y[i];
    }
    return 0;
}

static int jacobian(const double *b, const double *r, double *J, void *user)
{
    const Model *model = user;
    double f;
    (void)r;
    for (int i = 0; i < model->m; i++)
        model->value(model->x[i], b, &f, J + i * model->n);
    return 0;
}

typedef struct Solved {
    double b[MOST_N], error[MOST_N], weak[MOST_N], rss;
    int rank;
    SpragLeastSquaresResult result;
} Solved;

static void solve(const Model *model, const double *start, const double *low, const double *high,
                  Solved *solved)
{
    static const double none[MOST_N] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                        -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    static const double all[MOST_N] = {INFINITY, INFINITY, INFINITY, INFINITY,
                                       INFINITY, INFINITY, INFINITY, INFINITY};
    int m = model->m, n = model->n;
    double r[MOST], J[MOST * MOST_N], C[MOST_N * MOST_N], small[(2 * MOST_N + 2) * MOST_N];
    double *work = malloc(sprag_least_squares_work(m, n) * sizeof *work);
    assert_non_null(work);
    SpragLeastSquares problem = {m,        n,        low ? low : none, high ? high : all,
                                 residual, jacobian, (void *)model};
    memcpy(solved->b, start, (size_t)n * sizeof *start);
    sprag_least_squares_solve(&problem, NULL, solved->b, r, J, work, &solved->result);
    free(work);
    solved->rss = 2 * solved->result.cost;
    solved->rank = sprag_least_squares_covariance(m, n, J, 1e-10, C, solved->weak, small);
    for (int j = 0; j < n; j++)
        solved->error[j] = sqrt(C[j * n + j] * solved->rss / (m - n));
}

static void check(const Model *model, const double *start, const double *certified,
                  const double *error, double rss)
{
    Solved solved;
    solve(model, start, NULL, NULL, &solved);
    assert_true(solved.result.end < SPRAG_LEAST_SQUARES_LIMIT);
    assert_int_equal(solved.rank, model->n);
    assert_close(solved.rss, rss, 1e-10 * rss);
    for (int j = 0; j < model->n; j++) {
        assert_close(solved.b[j], certified[j], 1e-6 * error[j]);
        assert_close(solved.error[j], error[j], 1e-6 * error[j]);
    }
}

// ---- Misra1a: b1 (1 − exp(−b2 x)) ---------------------------------------------------------------

static const double misra_x[] = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                                 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
static const double misra_y[] = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                                 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};

static void misra(double x, const double *b, double *f, double *by)
{
    double e = exp(-b[1] * x);
    *f = b[0] * (1 - e);
    by[0] = 1 - e;
    by[1] = b[0] * x * e;
}

static void test_misra(void **state)
{
    const Model model = {14, 2, misra_x, misra_y, misra, -INFINITY};
    const double first[] = {500, 1e-4}, second[] = {250, 5e-4};
    const double certified[] = {2.3894212918e2, 5.5015643181e-4};
    const double error[] = {2.7070075241, 7.2668688436e-6};
    (void)state;
    check(&model, first, certified, error, 1.2455138894e-1);
    check(&model, second, certified, error, 1.2455138894e-1);
}

// ---- Thurber: a cubic over a cubic --------------------------------------------------------------

static const double thurber_x[] = {-3.067, -2.981, -2.921, -2.912, -2.840, -2.797, -2.702, -2.699,
                                   -2.633, -2.481, -2.363, -2.322, -1.501, -1.460, -1.274, -1.212,
                                   -1.100, -1.046, -0.915, -0.714, -0.566, -0.545, -0.400, -0.309,
                                   -0.109, -0.103, 0.010,  0.119,  0.377,  0.790,  0.963,  1.006,
                                   1.115,  1.572,  1.841,  2.047,  2.200};
static const double thurber_y[] = {
    80.574,   84.248,   87.264,   87.195,   89.076,   89.608,   89.868,   90.101,
    92.405,   95.854,   100.696,  101.060,  401.672,  390.724,  567.534,  635.316,
    733.054,  759.087,  894.206,  990.785,  1090.109, 1080.914, 1122.643, 1178.351,
    1260.531, 1273.514, 1288.339, 1327.543, 1353.863, 1414.509, 1425.208, 1421.384,
    1442.962, 1464.350, 1468.705, 1447.894, 1457.628};

static void thurber(double x, const double *b, double *f, double *by)
{
    double over = b[0] + x * (b[1] + x * (b[2] + x * b[3]));
    double under = 1 + x * (b[4] + x * (b[5] + x * b[6]));
    *f = over / under;
    for (int j = 0; j < 4; j++)
        by[j] = pow(x, j) / under;
    for (int j = 1; j < 4; j++)
        by[3 + j] = -over * pow(x, j) / (under * under);
}

static void test_thurber(void **state)
{
    const Model model = {37, 7, thurber_x, thurber_y, thurber, -INFINITY};
    const double first[] = {1000, 1000, 400, 40, 0.7, 0.3, 0.03};
    const double second[] = {1300, 1500, 500, 75, 1, 0.4, 0.05};
    const double certified[] = {1.2881396800e3,  1.4910792535e3,  5.8323836877e2, 7.5416644291e1,
                                9.6629502864e-1, 3.9797285797e-1, 4.9727297349e-2};
    const double error[] = {4.6647963344,    3.9571156086e1,  2.8698696102e1, 5.5675370270,
                            3.1333340687e-2, 1.4984928198e-2, 6.5842344623e-3};
    (void)state;
    check(&model, first, certified, error, 5.6427082397e3);
    check(&model, second, certified, error, 5.6427082397e3);
}

// ---- MGH09: b1 (x² + b2 x)/(x² + b3 x + b4); its first start leads to a valley at infinity ------

static const double mgh_x[] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
static const double mgh_y[] = {0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627,
                               0.0456, 0.0342, 0.0323, 0.0235, 0.0246};

static void mgh(double x, const double *b, double *f, double *by)
{
    double over = x * x + x * b[1], under = x * x + x * b[2] + b[3];
    *f = b[0] * over / under;
    by[0] = over / under;
    by[1] = b[0] * x / under;
    by[2] = -*f * x / under;
    by[3] = -*f / under;
}

static void test_mgh(void **state)
{
    const Model model = {11, 4, mgh_x, mgh_y, mgh, -INFINITY};
    const double second[] = {0.25, 0.39, 0.415, 0.39};
    const double certified[] = {1.9280693458e-1, 1.9128232873e-1, 1.2305650693e-1, 1.3606233068e-1};
    const double error[] = {1.1435312227e-2, 1.9633220911e-1, 8.0842031232e-2, 9.0025542308e-2};
    (void)state;
    check(&model, second, certified, error, 3.0750560385e-4);
}

// ---- Bounds -------------------------------------------------------------------------------------

// The minimum with b1 ≤ 230 lies on that side, where b2 is a problem of its own: its minimum is
// found here by bisection of the derivative.
static double misra_slope(double b1, double b2)
{
    double sum = 0, f, by[2], b[2] = {b1, b2};
    for (int i = 0; i < 14; i++) {
        misra(misra_x[i], b, &f, by);
        sum += (f - misra_y[i]) * by[1];
    }
    return sum;
}

static void test_bound_active(void **state)
{
    const Model model = {14, 2, misra_x, misra_y, misra, -INFINITY};
    const double start[] = {100, 1e-4}, low[] = {0, 0}, high[] = {230, 1};
    double a = 1e-4, b = 1e-3;
    Solved solved;
    (void)state;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (a + b);
        *(misra_slope(230, middle) > 0 ? &b : &a) = middle;
    }
    solve(&model, start, low, high, &solved);
    assert_true(solved.result.end < SPRAG_LEAST_SQUARES_LIMIT);
    assert_true(solved.b[0] == 230);
    assert_close(solved.b[1], a, 1e-8 * a);
}

// Random linear problems in a box against the conditions of a minimum: the gradient vanishes, or
// points out of the box at a side.
static void line(double x, const double *b, double *f, double *by)
{
    *f = 0;
    for (int j = 0; j < 5; j++) {
        by[j] = cos((j + 1) * x) + 0.3 * sin(3 * j * x);
        *f += b[j] * by[j];
    }
}

static void test_bounds_random(void **state)
{
    SpragRandom random;
    int held = 0;
    (void)state;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(100); draw++) {
        double x[30], y[30], low[5], high[5], start[5], r[30], by[5], f;
        for (int i = 0; i < 30; i++) {
            x[i] = sprag_random_uniform(&random, 0, 3);
            y[i] = sprag_random_normal(&random);
        }
        for (int j = 0; j < 5; j++) {
            low[j] = sprag_random_uniform(&random, -0.3, 0.2);
            high[j] = low[j] + sprag_random_uniform(&random, 0.01, 0.5);
            start[j] = sprag_random_uniform(&random, -1, 1);
        }
        const Model model = {30, 5, x, y, line, -INFINITY};
        Solved solved;
        solve(&model, start, low, high, &solved);
        assert_true(solved.result.end < SPRAG_LEAST_SQUARES_LIMIT);
        double gradient[5] = {0};
        residual(solved.b, r, (void *)&model);
        for (int i = 0; i < 30; i++) {
            line(x[i], solved.b, &f, by);
            for (int j = 0; j < 5; j++)
                gradient[j] += by[j] * r[i];
        }
        for (int j = 0; j < 5; j++) {
            const double small = 1e-6; // of sums of 30 numbers of order 1
            assert_true(solved.b[j] >= low[j] && solved.b[j] <= high[j]);
            held += solved.b[j] == low[j] || solved.b[j] == high[j];
            if (solved.b[j] == low[j])
                assert_true(gradient[j] >= -small);
            else if (solved.b[j] == high[j])
                assert_true(gradient[j] <= small);
            else
                assert_close(gradient[j], 0, small);
        }
    }
    assert_true(held > 50);
}

// ---- Rank, failures -----------------------------------------------------------------------------

// Only the product b1 b2 and not b3 matters.
static void product(double x, const double *b, double *f, double *by)
{
    *f = b[0] * b[1] * x;
    by[0] = b[1] * x;
    by[1] = b[0] * x;
    by[2] = 0;
}

static void test_rank(void **state)
{
    const double x[] = {1, 2, 3, 4}, y[] = {2, 4, 6, 8.4}, start[] = {3, 4, 5};
    const Model model = {4, 3, x, y, product, -INFINITY};
    Solved solved;
    (void)state;
    solve(&model, start, NULL, NULL, &solved);
    assert_int_equal(solved.rank, 1);
    // Σ x y / Σ x²
    assert_close(solved.b[0] * solved.b[1], (2 + 8 + 18 + 33.6) / 30, 1e-9);
    assert_true(solved.b[2] == 5);
    assert_close(solved.weak[0], 0.5, 1e-9);
    assert_close(solved.weak[1], 0.5, 1e-9);
    assert_close(solved.weak[2], 1, 1e-9);
}

// The first step leads to where the model has no value; a shorter one is taken.
static void test_no_value(void **state)
{
    const Model model = {14, 2, misra_x, misra_y, misra, 1e-4};
    const Model never = {14, 2, misra_x, misra_y, misra, 1};
    const double start[] = {500, 1.1e-4};
    Solved solved;
    (void)state;
    solve(&model, start, NULL, NULL, &solved);
    assert_close(solved.b[0], 2.3894212918e2, 1e-6);
    solve(&never, start, NULL, NULL, &solved);
    assert_int_equal(solved.result.end, SPRAG_LEAST_SQUARES_NO_VALUE);
}

// Fewer residuals than unknowns: some minimum with sum 0.
static void test_few(void **state)
{
    const double x[] = {1, 2}, y[] = {2, 5}, start[] = {0, 0, 0, 0, 0};
    const Model model = {2, 5, x, y, line, -INFINITY};
    Solved solved;
    (void)state;
    solve(&model, start, NULL, NULL, &solved);
    assert_close(solved.rss, 0, 1e-20);
    assert_int_equal(solved.rank, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misra),         cmocka_unit_test(test_thurber),
        cmocka_unit_test(test_mgh),           cmocka_unit_test(test_bound_active),
        cmocka_unit_test(test_bounds_random), cmocka_unit_test(test_rank),
        cmocka_unit_test(test_no_value),      cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

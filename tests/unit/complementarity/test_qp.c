// test_qp.c: convex QPs: three methods against each other and against the optimality conditions;
// infeasible, unbounded and indefinite ones; all solutions of semidefinite ones.
#include "support/arena_state.h"

enum { N_MAX = 8, ROWS_MAX = 8 };

static SpragQpInfo solve(State *s, const SpragQp *p, SpragQpMethod method, double *x, double *u)
{
    SpragQpSettings settings = sprag_qp_default();
    SpragQpSolution solution = {x, u, NULL, NULL};
    SpragQpInfo info;
    settings.method = method;
    assert_ok(s->context, sprag_qp_solve(s->context, s->arena, p, &settings, &solution, &info));
    return info;
}

// Largest violation of the conditions, written out once more: sign, feasibility, stationarity.
static double violation(const SpragQp *p, const double *x, const double *u)
{
    int n = p->n, rows = p->inequality_count + p->equality_count;
    double worst = 0;
    for (int k = 0; k < rows; k++) {
        double slack = p->K[k];
        for (int j = 0; j < n; j++)
            slack -= p->H[k * n + j] * x[j];
        bool equality = k >= p->inequality_count;
        worst = fmax(worst, equality ? fabs(slack) : fmax(-slack, fmax(-u[k], fabs(u[k] * slack))));
    }
    for (int i = 0; i < n; i++) {
        double low = p->lower ? p->lower[i] : 0, high = p->upper ? p->upper[i] : INFINITY;
        double gradient = p->c[i];
        for (int j = 0; j < n; j++)
            gradient += p->Q[i * n + j] * x[j];
        for (int k = 0; k < rows; k++)
            gradient += p->H[k * n + i] * u[k];
        worst = fmax(worst, fmax(low - x[i], x[i] - high));
        // downhill is allowed only into a bound
        if (x[i] > low + 1e-7)
            worst = fmax(worst, gradient);
        if (x[i] < high - 1e-7)
            worst = fmax(worst, -gradient);
    }
    return worst;
}

typedef struct Draw {
    double Q[N_MAX * N_MAX], c[N_MAX], H[ROWS_MAX * N_MAX], K[ROWS_MAX];
    double lower[N_MAX], upper[N_MAX];
    SpragQp qp;
} Draw;

static void draw_problem(SpragRandom *random, int k, Draw *d)
{
    int n = 1 + k % N_MAX, rank = k % 3 == 0 ? n : 1 + k % n;
    int inequalities = k % 4, equalities = k % 5 == 4 && n > 2 ? 1 : 0;
    double B[N_MAX][N_MAX], inside[N_MAX], y[N_MAX];
    for (int i = 0; i < n; i++) {
        inside[i] = sprag_random_uniform(random, 0.1, 1);
        y[i] = sprag_random_normal(random);
        for (int r = 0; r < n; r++)
            B[i][r] = r < rank ? sprag_random_normal(random) : 0;
    }
    for (int i = 0; i < n; i++) {
        d->c[i] = 0;
        for (int j = 0; j < n; j++) {
            d->Q[i * n + j] = 0;
            for (int r = 0; r < n; r++)
                d->Q[i * n + j] += B[i][r] * B[j][r];
        }
        // in the range of Q, so bounded below even without rows
        for (int r = 0; r < n; r++)
            d->c[i] += B[i][r] * y[r];
        d->lower[i] = k % 2 ? 0 : sprag_random_below(random, 3) ? -1 : -INFINITY;
        d->upper[i] = sprag_random_below(random, 2) ? 1.5 : INFINITY;
    }
    for (int r = 0; r < inequalities + equalities; r++) {
        d->K[r] = r < inequalities ? sprag_random_uniform(random, 0, 0.5) : 0;
        for (int j = 0; j < n; j++) {
            d->H[r * n + j] = sprag_random_normal(random);
            d->K[r] += d->H[r * n + j] * inside[j];
        }
    }
    SpragQp qp = {n, inequalities, equalities, d->Q, d->c, d->H, d->K, d->lower, d->upper};
    d->qp = qp;
}

static void methods_agree(void **state)
{
    State *s = *state;
    SpragRandom random;
    static Draw d;
    sprag_random_init(&random, 31);
    for (int k = 0; k < test_draws(80); k++) {
        double x[N_MAX], u[ROWS_MAX], value = 0;
        draw_problem(&random, k, &d);
        for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++) {
            SpragQpInfo info = solve(s, &d.qp, (SpragQpMethod)m, x, u);
            if (info.status != SPRAG_QP_SOLVED)
                print_error("draw %d, %s: %s, residual %g\n", k,
                            sprag_qp_method_name((SpragQpMethod)m),
                            sprag_qp_status_name(info.status), info.residual);
            assert_int_equal(info.status, SPRAG_QP_SOLVED);
            // the residual bound 1e-8 times the size of the terms, about 30
            assert_true(violation(&d.qp, x, u) <= 1e-6);
            assert_close(info.residual, sprag_qp_residual(&d.qp, x, u), 0);
            if (m == 0)
                value = info.value;
            assert_close(info.value, value, 1e-6 * (1 + fabs(value)));
        }
    }
}

static void outcomes_are_told_apart(void **state)
{
    State *s = *state;
    double x[2], u[2];
    double Q[] = {1, 0, 0, 1}, c[] = {-1, -1}, H[] = {1, 1}, low[] = {-1};
    SpragQp p = {2, 1, 0, Q, c, H, low, NULL, NULL};
    double flat[] = {1, 0, 0, 0}, bad[] = {1, 0, 0, -1};
    SpragQp unbounded = {2, 0, 0, flat, c, NULL, NULL, NULL, NULL};
    SpragQp concave = {2, 0, 0, bad, c, NULL, NULL, NULL, NULL};
    double upper[] = {1, -1};
    SpragQp crossed = {2, 0, 0, Q, c, NULL, NULL, NULL, upper};
    for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++) {
        SpragQpMethod method = (SpragQpMethod)m;
        assert_int_equal(solve(s, &p, method, x, u).status, SPRAG_QP_INFEASIBLE);
        assert_int_equal(solve(s, &unbounded, method, x, u).status, SPRAG_QP_UNBOUNDED);
        assert_int_equal(solve(s, &concave, method, x, u).status, SPRAG_QP_NOT_CONVEX);
        assert_int_equal(solve(s, &crossed, method, x, u).status, SPRAG_QP_INFEASIBLE);
    }
}

static void all_solutions_of_four_legs(void **state)
{
    // theory.md 2.2: a square table on four legs: N Nᵀ has rank 3, the forces are indeterminate.
    // Sum of the legs 4, no torque: λ = (1 + t, 1 − t, 1 + t, 1 − t), so each lies in [0, 2]
    State *s = *state;
    double N[4][3] = {{1, 1, 1}, {1, -1, 1}, {1, -1, -1}, {1, 1, -1}}, Q[16], c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = -4;
        for (int j = 0; j < 4; j++) {
            Q[i * 4 + j] = 0;
            for (int k = 0; k < 3; k++)
                Q[i * 4 + j] += N[i][k] * N[j][k];
        }
    }
    SpragQp p = {4, 0, 0, Q, c, NULL, NULL, NULL, NULL};
    for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++) {
        double x[4], low[4], high[4];
        SpragQpSettings settings = sprag_qp_default();
        SpragQpSolution solution = {x, NULL, low, high};
        SpragQpInfo info;
        settings.ranges = true;
        settings.method = (SpragQpMethod)m;
        assert_ok(s->context,
                  sprag_qp_solve(s->context, s->arena, &p, &settings, &solution, &info));
        assert_int_equal(info.status, SPRAG_QP_SOLVED);
        assert_int_equal(info.null_dimension, 1);
        assert_int_equal(info.solution_dimension, 1);
        assert_close(x[0] + x[1] + x[2] + x[3], 4, 1e-8);
        for (int i = 0; i < 4; i++) {
            assert_close(low[i], 0, 1e-7);
            assert_close(high[i], 2, 1e-7);
        }
    }
}

static void unbounded_intervals(void **state)
{
    // min ½(x − y)²: x = y ≥ 0, a ray
    State *s = *state;
    double Q[] = {1, -1, -1, 1}, c[] = {0, 0}, x[2], low[2], high[2];
    SpragQp p = {2, 0, 0, Q, c, NULL, NULL, NULL, NULL};
    SpragQpSettings settings = sprag_qp_default();
    SpragQpSolution solution = {x, NULL, low, high};
    SpragQpInfo info;
    settings.ranges = true;
    assert_ok(s->context, sprag_qp_solve(s->context, s->arena, &p, &settings, &solution, &info));
    assert_int_equal(info.solution_dimension, 1);
    assert_close(low[0], 0, 1e-9);
    assert_true(high[0] == INFINITY && high[1] == INFINITY);
    double strict[] = {2, -1, -1, 1};
    p.Q = strict;
    assert_ok(s->context, sprag_qp_solve(s->context, s->arena, &p, &settings, &solution, &info));
    assert_int_equal(info.solution_dimension, 0);
    assert_int_equal(info.null_dimension, 0);
    assert_close(high[0], 0, 1e-8);
}

static void bad_input_is_refused(void **state)
{
    State *s = *state;
    double Q[] = {1, 0.5, 0, 1}, c[] = {0, NAN}, x[2];
    SpragQp p = {2, 0, 0, Q, c, NULL, NULL, NULL, NULL};
    SpragQpSolution solution = {x, NULL, NULL, NULL};
    SpragQpSettings settings = sprag_qp_default();
    SpragQpInfo info;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, NULL, &solution, &info),
                     SPRAG_ERROR_INPUT);
    c[1] = 0;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, NULL, &solution, &info),
                     SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(s->context), "symmetric"));
    Q[1] = 0;
    p.inequality_count = 1;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, NULL, &solution, &info),
                     SPRAG_ERROR_INPUT);
    p.inequality_count = 0;
    double lower[] = {NAN, 0};
    p.lower = lower;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, NULL, &solution, &info),
                     SPRAG_ERROR_INPUT);
    p.lower = NULL;
    settings.ranges = true;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, &settings, &solution, &info),
                     SPRAG_ERROR_INPUT);
    settings.cookie = 0;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, &settings, &solution, &info),
                     SPRAG_ERROR_ARGUMENT);
    p.n = 0;
    assert_int_equal(sprag_qp_solve(s->context, s->arena, &p, NULL, &solution, &info),
                     SPRAG_ERROR_INPUT);
    assert_string_equal(sprag_qp_method_name(SPRAG_QP_METHOD_COUNT), "?");
    assert_string_equal(sprag_qp_status_name(SPRAG_QP_STATUS_COUNT), "?");
    x[0] = INFINITY;
    p.n = 2;
    assert_true(sprag_qp_residual(&p, x, NULL) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(outcomes_are_told_apart),
        cmocka_unit_test(all_solutions_of_four_legs),
        cmocka_unit_test(unbounded_intervals),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

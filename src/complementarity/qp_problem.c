// qp_problem.c: convex quadratic programs: checks, residual, standard form, dispatch.
//
// Problem   min ½ xᵀQx + cᵀx, H x ≤ K and = K, lower ≤ x ≤ upper                   theory.md (3.6)
// Method    a method gives x and the multipliers of H; they are judged here by the natural
//           residual. If the chosen method fails numerically, Lemke's method on the same conditions
//           is tried.
// Assumes   Q symmetric; that it is semidefinite is checked
#include <math.h>
#include <string.h>

#include "qp_internal.h"

enum { QP_COOKIE = 0x51505331 };
// Q may differ from its transpose, and be indefinite, by this × its largest entry.
static const double SYMMETRY = 1e-9, CONVEXITY = 1e-10;

SpragQpSettings sprag_qp_default(void)
{
    SpragQpSettings settings = {SPRAG_QP_ACTIVE_SET, 1e-8, 0, false, QP_COOKIE};
    return settings;
}

const char *sprag_qp_status_name(SpragQpStatus status)
{
    static const char *const names[] = {
#define NAME(id, name) name,
        SPRAG_QP_STATUS_LIST(NAME)
#undef NAME
    };
    return (unsigned)status < SPRAG_QP_STATUS_COUNT ? names[status] : "?";
}

static const struct {
    const char *name;
    QpMethod *solve;
} methods[SPRAG_QP_METHOD_COUNT] = {
    {"active-set", qp_active_set}, {"wolfe", qp_wolfe}, {"lcp", qp_lcp}};

const char *sprag_qp_method_name(SpragQpMethod method)
{
    return (unsigned)method < SPRAG_QP_METHOD_COUNT ? methods[method].name : "?";
}

double qp_lower(const SpragQp *problem, int i)
{
    return problem->lower ? problem->lower[i] : 0;
}

double qp_upper(const SpragQp *problem, int i)
{
    return problem->upper ? problem->upper[i] : INFINITY;
}

// ---- Residual -----------------------------------------------------------------------------------

static double largest_of(const double *values, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

// Component i of Qx + c + Hᵀu.
static double stationarity(const SpragQp *problem, const double *x, const double *u, int i)
{
    size_t n = (size_t)problem->n;
    int rows = problem->inequality_count + problem->equality_count;
    double sum = problem->c[i];
    for (size_t j = 0; j < n; j++)
        sum += 0.5 * (problem->Q[(size_t)i * n + j] + problem->Q[j * n + (size_t)i]) * x[j];
    for (int k = 0; u && k < rows; k++)
        sum += problem->H[(size_t)k * n + (size_t)i] * u[k];
    return sum;
}

double sprag_qp_residual(const SpragQp *problem, const double *x, const double *multipliers)
{
    int n = problem->n, rows = problem->inequality_count + problem->equality_count;
    double worst = 0, size = 1 + largest_of(problem->c, n);
    for (int i = 0; i < n; i++) {
        double gradient = stationarity(problem, x, multipliers, i);
        double moved = fmin(fmax(x[i] - gradient, qp_lower(problem, i)), qp_upper(problem, i));
        if (!isfinite(gradient) || !isfinite(x[i]))
            return INFINITY;
        worst = fmax(worst, fabs(x[i] - moved) / size);
    }
    double bound = rows > 0 ? 1 + largest_of(problem->K, rows) : 1;
    for (int k = 0; k < rows; k++) {
        double slack = problem->K[k];
        for (int j = 0; j < n; j++)
            slack -= problem->H[(size_t)k * (size_t)n + (size_t)j] * x[j];
        if (k >= problem->inequality_count)
            worst = fmax(worst, fabs(slack) / bound);
        else
            worst = fmax(worst, fabs(fmin(slack, multipliers ? multipliers[k] : 0)) / bound);
    }
    return worst;
}

// ---- Standard form ------------------------------------------------------------------------------

static int standard_size(const SpragQp *problem, int *rows)
{
    int n = 0;
    *rows = problem->inequality_count + 2 * problem->equality_count;
    for (int i = 0; i < problem->n; i++) {
        bool low = isfinite(qp_lower(problem, i)), high = isfinite(qp_upper(problem, i));
        n += low || high ? 1 : 2;
        *rows += low && high;
    }
    return n;
}

static SpragStatus standard_alloc(SpragArena *arena, const SpragQp *problem, QpStandard *s)
{
    s->n = standard_size(problem, &s->rows);
    size_t n = (size_t)s->n, rows = (size_t)s->rows;
    s->Q = sprag_arena_alloc(arena, n * n, sizeof(double));
    s->c = sprag_arena_alloc(arena, n, sizeof(double));
    s->H = sprag_arena_alloc(arena, rows * n + 1, sizeof(double));
    s->K = sprag_arena_alloc(arena, rows + 1, sizeof(double));
    s->origin = sprag_arena_alloc(arena, (size_t)problem->n, sizeof(double));
    s->source = sprag_arena_alloc(arena, n, sizeof(int));
    s->sign = sprag_arena_alloc(arena, n, sizeof(double));
    bool all = s->Q && s->c && s->H && s->K && s->origin && s->source && s->sign;
    return all ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// x_i = l + x', u − x', or x' − x''.
static void choose_variables(const SpragQp *problem, QpStandard *s)
{
    int next = 0;
    for (int i = 0; i < problem->n; i++) {
        double low = qp_lower(problem, i), high = qp_upper(problem, i);
        s->origin[i] = isfinite(low) ? low : isfinite(high) ? high : 0;
        s->source[next] = i;
        s->sign[next++] = isfinite(low) || !isfinite(high) ? 1 : -1;
        if (!isfinite(low) && !isfinite(high)) {
            s->source[next] = i;
            s->sign[next++] = -1;
        }
    }
}

// One row a x ≤ b of the original problem, times `sign`, in the new variables.
static void standard_row(const SpragQp *problem, QpStandard *s, int row, int source, double sign)
{
    const double *a = problem->H + (size_t)source * (size_t)problem->n;
    double b = problem->K[source];
    for (int j = 0; j < problem->n; j++)
        b -= a[j] * s->origin[j];
    s->K[row] = sign * b;
    for (int j = 0; j < s->n; j++)
        s->H[(size_t)row * (size_t)s->n + (size_t)j] = sign * a[s->source[j]] * s->sign[j];
}

SpragStatus qp_standard_build(SpragArena *arena, const SpragQp *problem, QpStandard *s)
{
    SPRAG_TRY(standard_alloc(arena, problem, s));
    choose_variables(problem, s);
    size_t n = (size_t)problem->n;
    for (int i = 0; i < s->n; i++) {
        size_t a = (size_t)s->source[i];
        s->c[i] = problem->c[a];
        for (size_t j = 0; j < n; j++)
            s->c[i] += 0.5 * (problem->Q[a * n + j] + problem->Q[j * n + a]) * s->origin[j];
        s->c[i] *= s->sign[i];
        for (int j = 0; j < s->n; j++) {
            size_t b = (size_t)s->source[j];
            s->Q[(size_t)i * (size_t)s->n + (size_t)j] =
                0.5 * (problem->Q[a * n + b] + problem->Q[b * n + a]) * s->sign[i] * s->sign[j];
        }
    }
    int row = 0;
    for (int k = 0; k < problem->inequality_count; k++)
        standard_row(problem, s, row++, k, 1);
    for (int k = 0; k < problem->equality_count; k++) {
        standard_row(problem, s, row++, problem->inequality_count + k, 1);
        standard_row(problem, s, row++, problem->inequality_count + k, -1);
    }
    for (int i = 0; i < s->n; i++) {
        double low = qp_lower(problem, s->source[i]), high = qp_upper(problem, s->source[i]);
        if (isfinite(low) && isfinite(high)) {
            s->K[row] = high - low;
            s->H[(size_t)row++ * (size_t)s->n + (size_t)i] = 1;
        }
    }
    return SPRAG_OK;
}

void qp_standard_return(const SpragQp *problem, const QpStandard *s, const double *x,
                        const double *u, double *x_original, double *multipliers)
{
    memcpy(x_original, s->origin, (size_t)problem->n * sizeof *x_original);
    for (int i = 0; i < s->n; i++)
        x_original[s->source[i]] += s->sign[i] * x[i];
    if (!multipliers)
        return;
    int inequalities = problem->inequality_count;
    for (int k = 0; k < inequalities; k++)
        multipliers[k] = u[k];
    for (int k = 0; k < problem->equality_count; k++)
        multipliers[inequalities + k] = u[inequalities + 2 * k] - u[inequalities + 2 * k + 1];
}

// ---- Rows for linear programs -------------------------------------------------------------------

static void bound_row(QpRows *rows, int n, int i, double sign, double b, int kind)
{
    size_t row = (size_t)rows->inequality_count;
    rows->A[row * (size_t)n + (size_t)i] = sign;
    rows->b[row] = b;
    rows->kind[row] = kind;
    rows->inequality_count++;
}

SpragStatus qp_rows_build(SpragArena *arena, const SpragQp *problem, int extra_inequalities,
                          int extra_equalities, QpRows *rows)
{
    int n = problem->n, m = problem->inequality_count;
    size_t count =
        (size_t)(m + problem->equality_count + 2 * n + extra_inequalities + extra_equalities);
    memset(rows, 0, sizeof *rows);
    rows->A = sprag_arena_alloc(arena, count * (size_t)n, sizeof(double));
    rows->b = sprag_arena_alloc(arena, count, sizeof(double));
    rows->kind = sprag_arena_alloc(arena, count, sizeof(int));
    if (!rows->A || !rows->b || !rows->kind)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < m; k++) {
        memcpy(rows->A + (size_t)k * (size_t)n, problem->H + (size_t)k * (size_t)n,
               (size_t)n * sizeof(double));
        rows->b[k] = problem->K[k];
        rows->kind[k] = k;
    }
    rows->inequality_count = m;
    for (int i = 0; i < n; i++) {
        if (isfinite(qp_lower(problem, i)))
            bound_row(rows, n, i, -1, -qp_lower(problem, i), -1 - i);
        if (isfinite(qp_upper(problem, i)))
            bound_row(rows, n, i, 1, qp_upper(problem, i), -1 - n - i);
    }
    int first = rows->inequality_count + extra_inequalities;
    for (int k = 0; k < problem->equality_count; k++) {
        memcpy(rows->A + (size_t)(first + k) * (size_t)n, problem->H + (size_t)(m + k) * (size_t)n,
               (size_t)n * sizeof(double));
        rows->b[first + k] = problem->K[m + k];
    }
    rows->equality_count = problem->equality_count;
    return SPRAG_OK;
}

SpragStatus qp_feasible_point(SpragArena *arena, const SpragQp *problem, double *x, bool *feasible)
{
    // of the scaled rows; far above the rounding of a few dozen pivots
    static const double FEASIBLE = 1e-9;
    QpRows rows;
    SpragLpStatus end;
    SPRAG_TRY(qp_rows_build(arena, problem, 0, 0, &rows));
    SpragLp lp = {problem->n, rows.inequality_count, rows.equality_count, rows.A, rows.b, NULL};
    SPRAG_TRY(sprag_lp_solve(arena, &lp, FEASIBLE, x, NULL, &end));
    *feasible = end != SPRAG_LP_INFEASIBLE;
    return SPRAG_OK;
}

// ---- Checks and dispatch ------------------------------------------------------------------------

SpragStatus problem_check_finite(SpragContext *context, const char *name, const double *values,
                                 size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return sprag_fail(context, SPRAG_ERROR_INPUT, "%s[%zu] must be finite, got %g", name, k,
                              values[k]);
    return SPRAG_OK;
}

static SpragStatus check_bounds(SpragContext *context, const SpragQp *problem)
{
    for (int i = 0; i < problem->n; i++) {
        double low = qp_lower(problem, i), high = qp_upper(problem, i);
        if (isnan(low) || isnan(high) || low == INFINITY || high == -INFINITY)
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "the bounds of x[%d] must be numbers, got %g and %g", i, low, high);
    }
    return SPRAG_OK;
}

static SpragStatus check_problem(SpragContext *context, const SpragQp *problem)
{
    int rows = problem->inequality_count + problem->equality_count;
    if (problem->n < 1 || problem->n > SPRAG_LCP_MAX_SIZE || problem->inequality_count < 0 ||
        problem->equality_count < 0 || problem->inequality_count > SPRAG_LCP_MAX_SIZE ||
        problem->equality_count > SPRAG_LCP_MAX_SIZE)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "a QP needs sizes from 1 to %d, got %d and %d", SPRAG_LCP_MAX_SIZE,
                          problem->n, rows);
    if (!problem->Q || !problem->c || (rows > 0 && (!problem->H || !problem->K)))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "a QP needs Q and c, and H and K for its rows");
    size_t n = (size_t)problem->n;
    SPRAG_TRY(problem_check_finite(context, "Q", problem->Q, n * n));
    SPRAG_TRY(problem_check_finite(context, "c", problem->c, n));
    SPRAG_TRY(problem_check_finite(context, "H", problem->H, n * (size_t)rows));
    SPRAG_TRY(problem_check_finite(context, "K", problem->K, (size_t)rows));
    SPRAG_TRY(check_bounds(context, problem));
    double largest = largest_of(problem->Q, problem->n * problem->n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(problem->Q[i * n + j] - problem->Q[j * n + i]) > SYMMETRY * largest)
                return sprag_fail(context, SPRAG_ERROR_INPUT,
                                  "Q must be symmetric, got Q[%zu][%zu] = %g and Q[%zu][%zu] = %g",
                                  i, j, problem->Q[i * n + j], j, i, problem->Q[j * n + i]);
    return SPRAG_OK;
}

// Nullity of Q by the rank of its semidefinite factor; −1 if Q is not convex.
static SpragStatus find_nullity(QpRun *run, int *nullity)
{
    int n = run->problem->n;
    SpragMatrixSettings settings = sprag_matrix_default();
    SpragMatrixWitness witness;
    settings.tolerance = CONVEXITY;
    SPRAG_TRY(sprag_matrix_class_check(run->context, run->arena, n, run->problem->Q,
                                       SPRAG_MATRIX_POSITIVE_SEMIDEFINITE, &settings, &witness));
    *nullity = -1;
    if (witness.answer != SPRAG_ANSWER_YES)
        return SPRAG_OK;
    double *F = sprag_arena_alloc(run->arena, (size_t)n * (size_t)n, sizeof *F);
    if (!F)
        return SPRAG_ERROR_MEMORY;
    int rank = sprag_cholesky_semidefinite(n, run->problem->Q, CONVEXITY, F);
    *nullity = n - (rank < 0 ? n : rank);
    return SPRAG_OK;
}

static double objective(const SpragQp *problem, const double *x)
{
    double sum = 0;
    for (int i = 0; i < problem->n; i++) {
        double row = lcp_kernel_dot(problem->n, problem->Q + (size_t)i * (size_t)problem->n, x);
        sum += x[i] * (0.5 * row + problem->c[i]);
    }
    return sum;
}

// Runs the chosen method, and Lemke's if that fails.
static SpragStatus run_methods(QpRun *run, SpragQpMethod method, SpragQpInfo *info)
{
    SPRAG_TRY(methods[method].solve(run));
    info->residual = sprag_qp_residual(run->problem, run->x, run->multipliers);
    bool failed = run->status == SPRAG_QP_LIMIT ||
                  (run->status == SPRAG_QP_SOLVED && !(info->residual <= run->tolerance));
    if (failed && method != SPRAG_QP_LCP) {
        SPRAG_TRY(qp_lcp(run));
        info->residual = sprag_qp_residual(run->problem, run->x, run->multipliers);
    }
    if (run->status == SPRAG_QP_SOLVED && !(info->residual <= run->tolerance))
        run->status = SPRAG_QP_LIMIT;
    info->status = run->status;
    info->iterations = run->iterations;
    info->value = objective(run->problem, run->x);
    return SPRAG_OK;
}

static SpragStatus solve(QpRun *run, const SpragQpSettings *settings, SpragQpSolution *solution,
                         SpragQpInfo *info)
{
    const SpragQp *problem = run->problem;
    size_t rows = (size_t)(problem->inequality_count + problem->equality_count);
    run->x = solution->x;
    run->multipliers = sprag_arena_alloc(run->arena, rows + 1, sizeof(double));
    if (!run->multipliers)
        return SPRAG_ERROR_MEMORY;
    memset(run->x, 0, (size_t)problem->n * sizeof *run->x);
    for (int i = 0; i < problem->n; i++)
        if (qp_lower(problem, i) > qp_upper(problem, i)) {
            info->status = SPRAG_QP_INFEASIBLE;
            return SPRAG_OK;
        }
    SPRAG_TRY(find_nullity(run, &info->null_dimension));
    if (info->null_dimension < 0) {
        info->null_dimension = 0;
        info->status = SPRAG_QP_NOT_CONVEX;
        return SPRAG_OK;
    }
    SPRAG_TRY(run_methods(run, settings->method, info));
    if (solution->multipliers)
        memcpy(solution->multipliers, run->multipliers, rows * sizeof(double));
    if (settings->ranges && info->status == SPRAG_QP_SOLVED)
        SPRAG_TRY(qp_ranges(run->arena, problem, run->x, solution->low, solution->high,
                            &info->solution_dimension));
    return SPRAG_OK;
}

SpragStatus sprag_qp_solve(SpragContext *context, SpragArena *arena, const SpragQp *problem,
                           const SpragQpSettings *settings, SpragQpSolution *solution,
                           SpragQpInfo *info)
{
    SpragQpSettings chosen = settings ? *settings : sprag_qp_default();
    memset(info, 0, sizeof *info);
    info->status = SPRAG_QP_LIMIT;
    info->residual = INFINITY;
    info->solution_dimension = -1;
    if (chosen.cookie != QP_COOKIE || (unsigned)chosen.method >= SPRAG_QP_METHOD_COUNT)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "QP settings must come from sprag_qp_default, and the method be known");
    if (!(chosen.tolerance > 0) || chosen.max_iterations < 0 || !solution->x ||
        (chosen.ranges && (!solution->low || !solution->high)))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "a QP needs a tolerance > 0, x, and low and high for ranges");
    SPRAG_TRY(check_problem(context, problem));
    int size = problem->n + problem->inequality_count + problem->equality_count;
    QpRun run = {.context = context,
                 .arena = arena,
                 .problem = problem,
                 .tolerance = chosen.tolerance,
                 .max_iterations =
                     chosen.max_iterations > 0 ? chosen.max_iterations : 100 + 50 * size,
                 .status = SPRAG_QP_LIMIT};
    SpragArenaMark mark = sprag_arena_mark(arena);
    SpragStatus status = solve(&run, &chosen, solution, info);
    sprag_arena_release(arena, mark);
    return status;
}

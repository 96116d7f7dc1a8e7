// least_squares.c: nonlinear least squares with bounds, by Levenberg's and Marquardt's method.
// Problem   min ½ Σ r_i(x)²,  low ≤ x ≤ high
// Method    the residuals are linear in a region of trust ‖D p‖ ≤ Δ, D_j the largest length of
//           column j of J so far [More1978, pp. 105-116]; least_squares_step.c finds p in the box.
//           J and r are reduced to a triangle of n + 1 rows by Householder's reflections first, so
//           that steps at other Δ cost nothing beside the residuals.
// Assumes   residuals that are smooth near the minimum; a jump shrinks the region, and the search
//           ends there. Derivatives may be inexact: the minimum is then where their Jᵀr vanishes.
#include <float.h>
#include <math.h>
#include <string.h>

#include "least_squares_private.h"

static const double ACCEPT = 1e-4; // part of the foreseen reduction that must come true

typedef struct Search {
    const SpragLeastSquares *problem;
    const SpragLeastSquaresSettings *settings;
    SpragLeastSquaresResult *result;
    double *x, *r, *J;
    double *trial_x, *trial_r;  // n, m
    double *D, *p, *low, *high; // n each; bounds of p
    double *QR;                 // m × (n + 1)
    double *step_work;
    double radius, cost;
} Search;

SpragLeastSquaresSettings sprag_least_squares_default(void)
{
    return (SpragLeastSquaresSettings){
        .gradient = 1e-12, .reduction = 1e-14, .step = 1e-12, .radius = 100, .iterations = 200};
}

size_t sprag_least_squares_work(int m, int n)
{
    size_t rows = (size_t)m, columns = (size_t)n;
    return 5 * columns + rows + rows * (columns + 1) + step_work(n);
}

static void carve(Search *search, double *work)
{
    size_t m = (size_t)search->problem->m, n = (size_t)search->problem->n;
    search->trial_x = work;
    search->D = search->trial_x + n;
    search->p = search->D + n;
    search->low = search->p + n;
    search->high = search->low + n;
    search->trial_r = search->high + n;
    search->QR = search->trial_r + m;
    search->step_work = search->QR + m * (n + 1);
    memset(search->D, 0, n * sizeof(double));
}

static double half_sum(int m, const double *r)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        sum += r[i] * r[i];
    return 0.5 * sum;
}

static bool take_residual(Search *search, const double *x, double *r, double *cost)
{
    const SpragLeastSquares *problem = search->problem;
    search->result->evaluations++;
    int answer = problem->residual(x, r, problem->user);
    if (answer < 0)
        search->result->end = SPRAG_LEAST_SQUARES_NO_VALUE;
    *cost = answer == 0 ? half_sum(problem->m, r) : NAN;
    return answer >= 0;
}

// ---- The linear model ---------------------------------------------------------------------------

// Householder's reflection of column k, applied to the columns behind it.
static void reflect(double *A, int m, int columns, int k)
{
    double norm = 0;
    for (int i = k; i < m; i++)
        norm = hypot(norm, A[i * columns + k]);
    if (norm == 0)
        return;
    double *pivot = &A[k * columns + k];
    double alpha = *pivot > 0 ? -norm : norm, head = *pivot - alpha;
    double square = head * head;
    for (int i = k + 1; i < m; i++)
        square += A[i * columns + k] * A[i * columns + k];
    for (int j = k + 1; j < columns; j++) {
        double dot = head * A[k * columns + j];
        for (int i = k + 1; i < m; i++)
            dot += A[i * columns + k] * A[i * columns + j];
        double factor = 2 * dot / square;
        A[k * columns + j] -= factor * head;
        for (int i = k + 1; i < m; i++)
            A[i * columns + j] -= factor * A[i * columns + k];
    }
    *pivot = alpha;
    for (int i = k + 1; i < m; i++)
        A[i * columns + k] = 0;
}

static void triangulate(Search *search)
{
    int m = search->problem->m, n = search->problem->n;
    for (int i = 0; i < m; i++) {
        double *row = search->QR + (size_t)i * (size_t)(n + 1);
        memcpy(row, search->J + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        row[n] = search->r[i];
    }
    for (int k = 0; k <= n && k < m; k++)
        reflect(search->QR, m, n + 1, k);
}

// Scales, and the largest cosine between the residuals and a column whose unknown can still move.
static void look_at_columns(Search *search)
{
    const SpragLeastSquares *problem = search->problem;
    int m = problem->m, n = problem->n;
    double norm = sqrt(2 * search->cost), largest = 0;
    for (int j = 0; j < n; j++) {
        double square = 0, dot = 0;
        for (int i = 0; i < m; i++) {
            double entry = search->J[(size_t)i * (size_t)n + (size_t)j];
            square += entry * entry;
            dot += entry * search->r[i];
        }
        double length = sqrt(square);
        search->D[j] = fmax(search->D[j], length);
        bool held = (search->x[j] <= problem->low[j] && dot >= 0) ||
                    (search->x[j] >= problem->high[j] && dot <= 0);
        if (!held && length > 0 && norm > 0)
            largest = fmax(largest, fabs(dot) / (length * norm));
    }
    search->result->gradient = largest;
}

static bool take_jacobian(Search *search)
{
    const SpragLeastSquares *problem = search->problem;
    if (problem->jacobian(search->x, search->r, search->J, problem->user) != 0) {
        search->result->end = SPRAG_LEAST_SQUARES_NO_VALUE;
        return false;
    }
    look_at_columns(search);
    triangulate(search);
    return true;
}

// ---- Steps --------------------------------------------------------------------------------------

static double scaled_length(const Search *search, const double *vector)
{
    double sum = 0;
    for (int j = 0; j < search->problem->n; j++) {
        double part = (search->D[j] > 0 ? search->D[j] : 1) * vector[j];
        sum += part * part;
    }
    return sqrt(sum);
}

static double propose(Search *search)
{
    const SpragLeastSquares *problem = search->problem;
    int n = problem->n;
    double *D = search->trial_x; // free until the trial is made
    for (int j = 0; j < n; j++) {
        search->low[j] = problem->low[j] - search->x[j];
        search->high[j] = problem->high[j] - search->x[j];
        D[j] = search->D[j] > 0 ? search->D[j] : 1;
    }
    StepModel model = {.n = n,
                       .rows = problem->m < n + 1 ? problem->m : n + 1,
                       .R = search->QR,
                       .D = D,
                       .low = search->low,
                       .high = search->high,
                       .radius = search->radius,
                       .work = search->step_work};
    double foreseen = step_find(&model, search->p);
    for (int j = 0; j < n; j++) {
        double moved = search->x[j] + search->p[j];
        search->trial_x[j] = fmin(fmax(moved, problem->low[j]), problem->high[j]);
    }
    return foreseen;
}

static void accept(Search *search, double cost)
{
    memcpy(search->x, search->trial_x, (size_t)search->problem->n * sizeof(double));
    memcpy(search->r, search->trial_r, (size_t)search->problem->m * sizeof(double));
    search->cost = cost;
}

// One trial. True: the search goes on.
static bool try_step(Search *search, bool *moved)
{
    const SpragLeastSquaresSettings *settings = search->settings;
    SpragLeastSquaresEnd *end = &search->result->end;
    double cost, foreseen = propose(search), before = search->cost;
    *moved = false;
    *end = SPRAG_LEAST_SQUARES_GRADIENT;
    if (!(foreseen > 0))
        return false;
    if (!take_residual(search, search->trial_x, search->trial_r, &cost))
        return false;
    double length = scaled_length(search, search->p);
    double reduction = isfinite(cost) ? before - cost : -INFINITY, ratio = reduction / foreseen;
    if (ratio > ACCEPT) {
        accept(search, cost);
        *moved = true;
    }
    if (ratio < 0.25)
        search->radius = (isfinite(ratio) && ratio > 0 ? 0.5 : 0.25) * fmin(search->radius, length);
    else if (ratio > 0.75)
        search->radius = fmax(search->radius, 2 * length);
    *end = SPRAG_LEAST_SQUARES_REDUCTION;
    if (isfinite(reduction) && fabs(reduction) <= settings->reduction * before &&
        foreseen <= settings->reduction * before)
        return false;
    *end = SPRAG_LEAST_SQUARES_STEP;
    double size = scaled_length(search, search->x);
    return search->radius > settings->step * (size > 0 ? size : 1);
}

static void iterate(Search *search)
{
    SpragLeastSquaresResult *result = search->result;
    const SpragLeastSquaresSettings *settings = search->settings;
    bool fresh = true; // J belongs to x
    while (result->iterations < settings->iterations) {
        bool moved;
        if (search->cost <= settings->enough) {
            result->end = SPRAG_LEAST_SQUARES_ENOUGH;
            break;
        }
        result->end = SPRAG_LEAST_SQUARES_GRADIENT;
        if (result->gradient <= settings->gradient)
            break;
        result->iterations++;
        bool more = try_step(search, &moved);
        fresh &= !moved;
        if (!more)
            break;
        result->end = SPRAG_LEAST_SQUARES_LIMIT; // unless something ends it before
        if (moved && !take_jacobian(search))
            return;
        fresh = true;
    }
    SpragLeastSquaresEnd end = result->end;
    if (!fresh && end != SPRAG_LEAST_SQUARES_NO_VALUE && take_jacobian(search))
        result->end = end;
}

void sprag_least_squares_solve(const SpragLeastSquares *problem,
                               const SpragLeastSquaresSettings *settings, double *x, double *r,
                               double *J, double *work, SpragLeastSquaresResult *result)
{
    SpragLeastSquaresSettings defaults = sprag_least_squares_default();
    Search search = {.problem = problem,
                     .settings = settings ? settings : &defaults,
                     .result = result,
                     .x = x,
                     .r = r,
                     .J = J};
    *result = (SpragLeastSquaresResult){.end = SPRAG_LEAST_SQUARES_NO_VALUE};
    carve(&search, work);
    for (int j = 0; j < problem->n; j++)
        x[j] = fmin(fmax(x[j], problem->low[j]), problem->high[j]);
    if (take_residual(&search, x, r, &search.cost) && isfinite(search.cost) &&
        take_jacobian(&search)) {
        double size = scaled_length(&search, x);
        search.radius = search.settings->radius * (size > 0 ? size : 1);
        result->end = SPRAG_LEAST_SQUARES_LIMIT;
        iterate(&search);
    }
    result->cost = search.cost;
}

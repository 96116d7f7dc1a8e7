// least_squares_step.c: one step of bounded least squares.
// Problem   min ½ ‖r + J p‖² with ‖D p‖ ≤ Δ, low ≤ p ≤ high
// Method    active set: without the bounds the minimum on the ellipsoid is p(λ) of
//           (JᵀJ + λ D²) p = −Jᵀr with λ ≥ 0 from ‖D p(λ)‖ = Δ [More1978, pp. 105-116], by singular
//           values. Components that leave the box are put on its side, and the others are found
//           again. Where that gives no reduction, a piece of the projected gradient does.
#include <math.h>
#include <string.h>

#include "least_squares_private.h"

enum { ROOT_ITERATIONS = 60, HALVINGS = 40 };
static const double SINGULAR = 1e-14; // relative: rounding of the factorisation

// Work space, carved.
typedef struct Step {
    const StepModel *model;
    double *A;     // rows × n: scaled columns of the free unknowns
    double *V;     // n × n
    double *s;     // n singular values
    double *w;     // n: (U S)ᵀ b
    double *y;     // n: scaled step
    double *g;     // n: gradient
    double *fixed; // n: 1 on a side of the box, else 0
    double *b;     // n + 1: what the free unknowns have to balance
} Step;

size_t step_work(int n)
{
    size_t count = (size_t)n;
    return (count + 1) * count + count * count + 6 * count + 1;
}

static Step carve(const StepModel *model)
{
    size_t n = (size_t)model->n;
    Step step = {.model = model, .A = model->work};
    step.V = step.A + (n + 1) * n;
    step.s = step.V + n * n;
    step.w = step.s + n;
    step.y = step.w + n;
    step.g = step.y + n;
    step.fixed = step.g + n;
    step.b = step.fixed + n;
    return step;
}

// Half of the square of ‖R (p, 1)‖.
static double half_square(const StepModel *model, const double *p)
{
    int n = model->n;
    double sum = 0;
    for (int i = 0; i < model->rows; i++) {
        const double *row = model->R + i * (n + 1);
        double value = row[n];
        for (int j = i; j < n; j++)
            value += row[j] * p[j];
        sum += value * value;
    }
    return 0.5 * sum;
}

static double length_of(int count, const Step *step, double lambda)
{
    double cut = SINGULAR * step->s[0], sum = 0;
    for (int i = 0; i < count; i++) {
        double below = step->s[i] * step->s[i] + lambda;
        double part = step->s[i] > cut && below > 0 ? step->w[i] / below : 0;
        sum += part * part;
    }
    return sqrt(sum);
}

// λ ≥ 0 with ‖y(λ)‖ = radius; 0 if the whole step is short enough. ‖y‖ falls with λ: bisection in
// the logarithm, between bounds from the largest and from no singular value.
static double find_lambda(int count, const Step *step, double radius)
{
    double sum = 0;
    if (length_of(count, step, 0) <= radius)
        return 0;
    for (int i = 0; i < count; i++)
        sum += step->w[i] * step->w[i];
    double high = sqrt(sum) / radius, low = 0; // y(λ) ≤ ‖w‖/λ
    for (int i = 0; i < ROOT_ITERATIONS && high > low * (1 + 1e-3); i++) {
        double middle = low > 0 ? sqrt(low * high) : 1e-3 * high;
        if (length_of(count, step, middle) > radius)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// The step of the free unknowns, the others as they are in p.
static void solve_free(Step *step, double radius, double *p)
{
    const StepModel *model = step->model;
    int n = model->n, rows = model->rows, count = 0;
    for (int i = 0; i < rows; i++) {
        step->b[i] = -model->R[i * (n + 1) + n];
        for (int j = 0; j < n; j++)
            if (step->fixed[j] != 0)
                step->b[i] -= model->R[i * (n + 1) + j] * p[j];
    }
    for (int j = 0; j < n; j++)
        count += step->fixed[j] == 0;
    if (count == 0)
        return;
    for (int i = 0; i < rows; i++)
        for (int j = 0, k = 0; j < n; j++)
            if (step->fixed[j] == 0)
                step->A[i * count + k++] = model->R[i * (n + 1) + j] / model->D[j];
    sprag_svd(rows, count, step->A, step->s, step->V);
    for (int k = 0; k < count; k++) {
        step->w[k] = 0;
        for (int i = 0; i < rows; i++)
            step->w[k] += step->A[i * count + k] * step->b[i];
    }
    double lambda = find_lambda(count, step, radius), cut = SINGULAR * step->s[0];
    memset(step->y, 0, (size_t)n * sizeof *step->y);
    for (int i = 0; i < count; i++) {
        double below = step->s[i] * step->s[i] + lambda;
        double part = step->s[i] > cut && below > 0 ? step->w[i] / below : 0;
        for (int k = 0; k < count; k++)
            step->y[k] += part * step->V[k * count + i];
    }
    for (int j = 0, k = 0; j < n; j++)
        if (step->fixed[j] == 0)
            p[j] = step->y[k++] / model->D[j];
}

// Puts what left the box on its side; true: something did.
static bool fix_outside(Step *step, double *p)
{
    const StepModel *model = step->model;
    bool some = false;
    for (int j = 0; j < model->n; j++) {
        if (step->fixed[j] != 0 || (p[j] >= model->low[j] && p[j] <= model->high[j]))
            continue;
        p[j] = p[j] < model->low[j] ? model->low[j] : model->high[j];
        step->fixed[j] = 1;
        some = true;
    }
    return some;
}

static void find_gradient(Step *step)
{
    const StepModel *model = step->model;
    int n = model->n;
    for (int j = 0; j < n; j++) {
        step->g[j] = 0;
        for (int i = 0; i < model->rows && i <= j; i++)
            step->g[j] += model->R[i * (n + 1) + j] * model->R[i * (n + 1) + n];
    }
}

// Along the projected gradient, shorter and shorter until it reduces.
static double step_gradient(const Step *step, double *p)
{
    const StepModel *model = step->model;
    double start = 0, length = 0;
    int n = model->n;
    memset(p, 0, (size_t)n * sizeof *p);
    start = half_square(model, p);
    for (int j = 0; j < n; j++)
        length += step->g[j] / model->D[j] * (step->g[j] / model->D[j]);
    length = sqrt(length);
    for (int k = 0; k < HALVINGS && length > 0; k++) {
        double part = model->radius / length * pow(0.5, k);
        for (int j = 0; j < n; j++) {
            double move = -part * step->g[j] / (model->D[j] * model->D[j]);
            p[j] = fmin(fmax(move, model->low[j]), model->high[j]);
        }
        double reduction = start - half_square(model, p);
        if (reduction > 0)
            return reduction;
    }
    memset(p, 0, (size_t)n * sizeof *p);
    return 0;
}

double step_find(const StepModel *model, double *p)
{
    Step carved = carve(model), *step = &carved;
    int n = model->n;
    memset(p, 0, (size_t)n * sizeof *p);
    double start = half_square(model, p), radius = model->radius;
    find_gradient(step);
    for (int j = 0; j < n; j++)
        step->fixed[j] =
            (model->low[j] >= 0 && step->g[j] >= 0) || (model->high[j] <= 0 && step->g[j] <= 0);
    for (int round = 0; round <= n; round++) {
        solve_free(step, radius, p);
        if (!fix_outside(step, p))
            break;
        // what the fixed ones have taken is no longer there for the others
        double taken = 0;
        for (int j = 0; j < n; j++)
            if (step->fixed[j] != 0)
                taken += model->D[j] * p[j] * model->D[j] * p[j];
        radius = sqrt(fmax(model->radius * model->radius - taken, 1e-6 * radius * radius));
    }
    double reduction = start - half_square(model, p);
    return reduction > 0 ? reduction : step_gradient(step, p);
}

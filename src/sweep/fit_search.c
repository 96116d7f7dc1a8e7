// fit_search.c: where the runs miss the data least.
// Problem   min ½ Σ r²,  r = (signal − data) × weight at every row and column, over the ranges
// Method    a scan first (equal steps for one parameter, Halton's points for several), since
//           events make r jump and the sum may have many minima; from its best points that are
//           apart, numeric.h's trust region with central differences of runs. The step of the
//           differences is the cube root of the runs' tolerance, where truncation and the error of
//           the integration meet.
// Assumes   r is smooth near the minimum; where a run ends early on one side of it, the other side
//           gives the derivative
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_private.h"

enum { ITERATIONS = 60 };
static const int PRIMES[SPRAG_FIT_PARAMETERS] = {2,  3,  5,  7,  11, 13, 17, 19,
                                                 23, 29, 31, 37, 41, 43, 47, 53};
static const size_t CHUNK_NUMBERS = 4000000; // of models in memory at once, in the scan

double fit_value(const FitSearch *search, int parameter, double u)
{
    const SpragFitParameter *about = &search->work->fit->parameters[parameter];
    return about->logarithmic ? fmin(fmax(exp(u), about->from), about->to) : u;
}

// ---- Coordinates --------------------------------------------------------------------------------

static void choose_range(FitSearch *search, int k)
{
    const SpragFitParameter *about = &search->work->fit->parameters[k];
    if (about->logarithmic) {
        search->low[k] = search->from[k] = log(about->from);
        search->high[k] = search->to[k] = log(about->to);
        search->base[k] = 1;
        return;
    }
    search->low[k] = search->from[k] = about->from;
    search->high[k] = search->to[k] = about->to;
    double size = about->has_start ? fabs(about->start) : 0;
    if (isfinite(about->from) && isfinite(about->to)) {
        search->base[k] = fmax(size, 0.1 * (about->to - about->from));
        return;
    }
    // without a range: half to twice the value
    search->from[k] = fmin(0.5 * about->start, 2 * about->start);
    search->to[k] = fmax(0.5 * about->start, 2 * about->start);
    search->base[k] = size > 0 ? size : 1;
}

static double radical_inverse(long index, int base)
{
    double inverse = 0, part = 1.0 / base;
    for (; index > 0; index /= base, part /= base)
        inverse += (double)(index % base) * part;
    return inverse;
}

// Point number `index` of the scan; number 0 is the scene as it stands, if it tells.
static void scan_point(const FitSearch *search, long index, long count, double *u)
{
    const SpragFit *fit = search->work->fit;
    for (int k = 0; k < search->n; k++) {
        const SpragFitParameter *about = &fit->parameters[k];
        double part = search->n == 1 ? ((double)index - 0.5) / (double)count
                                     : radical_inverse(index, PRIMES[k]);
        u[k] = search->from[k] + part * (search->to[k] - search->from[k]);
        if (index == 0)
            u[k] = !about->has_start    ? 0.5 * (search->from[k] + search->to[k])
                   : about->logarithmic ? log(about->start)
                                        : about->start;
        u[k] = fmin(fmax(u[k], search->low[k]), search->high[k]);
    }
}

// Point number `index` of a cloud around another.
static void cloud_point(const FitSearch *search, long index, const double *around, double part,
                        double *u)
{
    for (int k = 0; k < search->n; k++) {
        double range = search->to[k] - search->from[k];
        double size = range > 0 ? range : search->base[k];
        double place = radical_inverse(index + 1, PRIMES[k]) - 0.5;
        u[k] = fmin(fmax(around[k] + 2 * part * place * size, search->low[k]), search->high[k]);
    }
}

// ---- Residuals ----------------------------------------------------------------------------------

static void take_residuals(const FitSearch *search, const FitTask *task, double *r)
{
    const FitWork *work = search->work;
    const SpragFit *fit = work->fit;
    size_t columns = (size_t)fit->column_count;
    for (size_t row = 0; row < fit->row_count; row++)
        for (size_t k = 0; k < columns; k++) {
            size_t at = row * columns + k;
            double scale = fit->sigma ? 1 / fit->sigma[at] : fit->columns[k].weight;
            double model = task->model[at];
            if (work->skipped[at]) {
                r[at] = 0;
                continue;
            }
            if (row < task->covered && isfinite(model)) {
                r[at] = (model - fit->data[at]) * scale;
                continue;
            }
            double held = task->covered > 0 ? task->model[(task->covered - 1) * columns + k] : NAN;
            double miss = isfinite(held) ? fabs(held - fit->data[at]) : work->spread[k];
            r[at] = (miss + work->spread[k]) * scale;
        }
}

static double half_sum(int m, const double *r)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        sum += r[i] * r[i];
    return 0.5 * sum;
}

static void note_invalid(FitSearch *search, const FitTask *task)
{
    if (search->invalid_count++ == 0)
        memcpy(search->first_message, task->message, FIT_MESSAGE);
}

static void set_values(const FitSearch *search, const double *u, double *values)
{
    for (int k = 0; k < search->n; k++)
        values[k] = fit_value(search, k, u[k]);
}

static int residual(const double *u, double *r, void *user)
{
    FitSearch *search = user;
    double values[SPRAG_FIT_PARAMETERS];
    FitTask task = {.values = values, .model = search->model};
    set_values(search, u, values);
    search->status = fit_work_run(search->work, &task, 1);
    if (search->status != SPRAG_OK)
        return -1;
    if (!task.valid) {
        note_invalid(search, &task);
        return 1;
    }
    take_residuals(search, &task, r);
    search->task = task;
    return isfinite(half_sum(search->m, r)) ? 0 : 1;
}

// ---- Derivatives --------------------------------------------------------------------------------

// The two runs beside u in direction k; returns their distances from u, 0 at a bound.
static void place_sides(FitSearch *search, const double *u, int k, double h[2])
{
    double step = cbrt(search->work->tolerance) * fmax(search->base[k] * 0.1, fabs(u[k]));
    if (search->work->fit->parameters[k].logarithmic)
        step = cbrt(search->work->tolerance);
    double low = fmax(u[k] - step, search->low[k]), high = fmin(u[k] + step, search->high[k]);
    h[0] = u[k] - low;
    h[1] = high - u[k];
    for (int side = 0; side < 2; side++) {
        double *values = search->values + (2 * k + side) * search->n;
        set_values(search, u, values);
        values[k] = fit_value(search, k, side == 0 ? low : high);
    }
}

// Column k of J. A side whose run cannot be made or ends before that at u is left out.
static void take_column(FitSearch *search, const double *r, int k, const double h[2], double *J)
{
    int m = search->m, n = search->n;
    double *sides[2] = {search->tasks[2 * k].model, search->tasks[2 * k + 1].model};
    bool use[2];
    for (int side = 0; side < 2; side++) {
        const FitTask *task = &search->tasks[2 * k + side];
        use[side] = h[side] > 0 && task->valid && task->covered >= search->task.covered;
        if (use[side])
            take_residuals(search, task, sides[side]); // in place: each number needs itself only
    }
    double distance = (use[0] ? h[0] : 0) + (use[1] ? h[1] : 0);
    for (int i = 0; i < m; i++) {
        double before = use[0] ? sides[0][i] : r[i], after = use[1] ? sides[1][i] : r[i];
        double slope = distance > 0 ? (after - before) / distance : 0;
        J[(size_t)i * (size_t)n + (size_t)k] = isfinite(slope) ? slope : 0;
    }
}

static int jacobian(const double *u, const double *r, double *J, void *user)
{
    FitSearch *search = user;
    double h[SPRAG_FIT_PARAMETERS][2];
    size_t m = (size_t)search->m;
    // how far the run at u reaches: the last one may have been another
    double values[SPRAG_FIT_PARAMETERS];
    set_values(search, u, values);
    for (int k = 0; k < search->n; k++)
        place_sides(search, u, k, h[k]);
    for (int i = 0; i < 2 * search->n; i++) {
        search->tasks[i].values = search->values + i * search->n;
        search->tasks[i].model = search->models + (size_t)i * m;
    }
    search->tasks[2 * search->n].values = values;
    search->tasks[2 * search->n].model = search->model;
    search->status = fit_work_run(search->work, search->tasks, 2 * search->n + 1);
    if (search->status != SPRAG_OK)
        return -1;
    search->task = search->tasks[2 * search->n];
    for (int k = 0; k < search->n; k++)
        take_column(search, r, k, h[k], J);
    return 0;
}

// ---- The scan -----------------------------------------------------------------------------------

typedef struct ScanPoint {
    double u[SPRAG_FIT_PARAMETERS];
    double cost; // INFINITY: it could not be run
    long index;
} ScanPoint;

static int by_cost(const void *a, const void *b)
{
    const ScanPoint *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static long scan_size(const FitSearch *search)
{
    static const long usual[] = {0, 24, 48, 96};
    long wanted = search->work->settings->scan;
    bool something = false;
    for (int k = 0; k < search->n; k++)
        something |= search->to[k] > search->from[k];
    if (!something)
        return 0;
    return wanted > 0 ? wanted : search->n < 4 ? usual[search->n] : 128;
}

static SpragStatus scan_chunk(FitSearch *search, ScanPoint *points, long count, FitTask *tasks,
                              double *memory)
{
    size_t m = (size_t)search->m;
    double *values = memory + (size_t)count * m, *r = search->r;
    for (long i = 0; i < count; i++) {
        set_values(search, points[i].u, values + i * search->n);
        tasks[i] = (FitTask){.values = values + i * search->n, .model = memory + (size_t)i * m};
    }
    SPRAG_TRY(fit_work_run(search->work, tasks, count));
    for (long i = 0; i < count; i++) {
        points[i].cost = INFINITY;
        if (!tasks[i].valid) {
            note_invalid(search, &tasks[i]);
            continue;
        }
        take_residuals(search, &tasks[i], r);
        double cost = half_sum(search->m, r);
        points[i].cost = isfinite(cost) ? cost : INFINITY;
    }
    return SPRAG_OK;
}

// All over the ranges, or in a part of them around a point.
static SpragStatus scan(FitSearch *search, ScanPoint *points, long count, const double *around,
                        double part)
{
    SpragContext *context = search->work->fit->context;
    size_t m = (size_t)search->m, n = (size_t)search->n;
    long chunk = (long)(CHUNK_NUMBERS / m);
    chunk = chunk < 64 ? 64 : chunk;
    chunk = chunk > count ? count : chunk;
    double *memory = sprag_alloc(context, (size_t)chunk * (m + n), sizeof *memory);
    FitTask *tasks = sprag_alloc(context, (size_t)chunk, sizeof *tasks);
    SpragStatus status = memory && tasks ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    for (long i = 0; i < count; i++) {
        points[i].index = i;
        if (around)
            cloud_point(search, i, around, part, points[i].u);
        else
            scan_point(search, i, count - 1, points[i].u);
    }
    for (long i = 0; i < count && status == SPRAG_OK; i += chunk)
        status =
            scan_chunk(search, points + i, count - i < chunk ? count - i : chunk, tasks, memory);
    sprag_free(context, memory);
    sprag_free(context, tasks);
    qsort(points, (size_t)count, sizeof *points, by_cost);
    return status;
}

// Is a point as near to one before it as neighbours of the scan are?
static bool is_near(const FitSearch *search, const ScanPoint *points, const long *chosen, int count,
                    long index, double apart)
{
    for (int i = 0; i < count; i++) {
        double largest = 0;
        for (int k = 0; k < search->n; k++) {
            double range = search->to[k] - search->from[k];
            double part = fabs(points[index].u[k] - points[chosen[i]].u[k]);
            largest = fmax(largest, range > 0 ? part / range : 0);
        }
        if (largest < apart)
            return true;
    }
    return false;
}

// ---- Minima -------------------------------------------------------------------------------------

static SpragStatus descend(FitSearch *search, const double *start, double *work, FitMinimum *found)
{
    const FitWork *all = search->work;
    const SpragFit *fit = all->fit;
    SpragLeastSquares problem = {search->m, search->n, search->low, search->high,
                                 residual,  jacobian,  search};
    SpragLeastSquaresSettings settings = sprag_least_squares_default();
    SpragLeastSquaresResult result;
    // what the tolerance of the runs lets through is as good as nothing
    for (int k = 0; k < fit->column_count; k++) {
        double scale = fit->sigma ? 1 / fit->sigma[k] : fit->columns[k].weight;
        double part = 0.1 * all->tolerance * all->spread[k] * scale;
        settings.enough += 0.5 * (double)fit->row_count * part * part;
    }
    found->enough = settings.enough;
    settings.radius = 0.5;
    settings.gradient = 1e-9;
    settings.reduction = 1e-9;
    settings.step = 1e-8;
    settings.iterations = ITERATIONS;
    memcpy(found->u, start, sizeof found->u);
    sprag_least_squares_solve(&problem, &settings, found->u, search->r, search->J, work, &result);
    SPRAG_TRY(search->status);
    found->cost = isfinite(result.cost) ? result.cost : INFINITY;
    found->converged = result.end < SPRAG_LEAST_SQUARES_LIMIT;
    return SPRAG_OK;
}

static int by_sum(const void *a, const void *b)
{
    const FitMinimum *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static SpragStatus descend_all(FitSearch *search, const ScanPoint *points, long count)
{
    const SpragFit *fit = search->work->fit;
    int most = search->work->settings->starts;
    long chosen[64];
    size_t size = sprag_least_squares_work(search->m, search->n);
    double apart = count > 1 ? 1.5 * pow((double)count, -1.0 / search->n) : 0;
    double *work = sprag_alloc(fit->context, size, sizeof *work);
    SpragStatus status = work ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    for (long i = 0; i < count && search->minimum_count < most && status == SPRAG_OK; i++) {
        if (!isfinite(points[i].cost) ||
            is_near(search, points, chosen, search->minimum_count, i, apart))
            continue;
        chosen[search->minimum_count] = i;
        status = descend(search, points[i].u, work, &search->minima[search->minimum_count++]);
    }
    if (status == SPRAG_OK)
        qsort(search->minima, (size_t)search->minimum_count, sizeof *search->minima, by_sum);
    sprag_free(fit->context, work);
    return status;
}

// Where events pass the times of data the sum jumps, and the search stops at such a step. Clouds of
// points around the best place, nearer and nearer, look over it.
static SpragStatus look_around(FitSearch *search)
{
    static const double radii[] = {0.1, 0.03, 0.01, 0.003};
    enum { POINTS = 8 };
    SpragContext *context = search->work->fit->context;
    FitMinimum *best = &search->minima[0], found;
    long count = (long)POINTS * search->n;
    ScanPoint *points = sprag_alloc(context, (size_t)count, sizeof *points);
    double *work =
        sprag_alloc(context, sprag_least_squares_work(search->m, search->n), sizeof *work);
    SpragStatus status = points && work ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof radii / sizeof *radii && status == SPRAG_OK; i++) {
        if (best->cost <= best->enough)
            break;
        status = scan(search, points, count, best->u, radii[i]);
        if (status != SPRAG_OK || !(points[0].cost < best->cost * (1 - 1e-9)))
            continue;
        status = descend(search, points[0].u, work, &found);
        if (status == SPRAG_OK && found.cost < best->cost)
            *best = found;
    }
    sprag_free(context, points);
    sprag_free(context, work);
    return status;
}

SpragStatus fit_search_run(FitSearch *search)
{
    SpragContext *context = search->work->fit->context;
    long count = 1 + scan_size(search);
    ScanPoint *points = sprag_alloc(context, (size_t)count, sizeof *points);
    if (!points)
        return SPRAG_ERROR_MEMORY;
    SpragStatus status = scan(search, points, count, NULL, 1);
    if (status == SPRAG_OK && !isfinite(points[0].cost))
        status = sprag_fail(context, SPRAG_ERROR_INPUT, "no run could be made in the ranges: %s",
                            search->first_message);
    if (status == SPRAG_OK)
        status = descend_all(search, points, count);
    if (status == SPRAG_OK)
        status = look_around(search);
    sprag_free(context, points);
    SPRAG_TRY(status);
    // residuals and derivatives of the best, which need not be the last
    if (residual(search->minima[0].u, search->r, search) != 0 ||
        jacobian(search->minima[0].u, search->r, search->J, search) != 0)
        return search->status != SPRAG_OK ? search->status
                                          : sprag_fail(context, SPRAG_ERROR_NUMERIC,
                                                       "the run at the fitted values failed");
    return SPRAG_OK;
}

// ---- Memory -------------------------------------------------------------------------------------

SpragStatus fit_search_open(FitSearch *search, FitWork *work)
{
    SpragFit *fit = work->fit;
    SpragContext *context = fit->context;
    size_t m = fit->row_count * (size_t)fit->column_count, n = (size_t)fit->parameter_count;
    *search = (FitSearch){.work = work, .m = (int)m, .n = (int)n};
    for (int k = 0; k < search->n; k++)
        choose_range(search, k);
    search->minima = sprag_alloc(context, (size_t)work->settings->starts, sizeof(FitMinimum));
    search->r = sprag_alloc(context, m, sizeof(double));
    search->J = sprag_alloc(context, m * n, sizeof(double));
    search->model = sprag_alloc(context, m, sizeof(double));
    search->tasks = sprag_alloc(context, 2 * n + 1, sizeof(FitTask));
    search->values = sprag_alloc(context, 2 * n * n, sizeof(double));
    search->models = sprag_alloc(context, 2 * n * m, sizeof(double));
    bool all = search->minima && search->r && search->J && search->model && search->tasks &&
               search->values && search->models;
    return all ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

void fit_search_close(FitSearch *search)
{
    if (!search->work)
        return;
    SpragContext *context = search->work->fit->context;
    sprag_free(context, search->minima);
    sprag_free(context, search->r);
    sprag_free(context, search->J);
    sprag_free(context, search->model);
    sprag_free(context, search->tasks);
    sprag_free(context, search->values);
    sprag_free(context, search->models);
}

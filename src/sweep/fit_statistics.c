// fit_statistics.c: how well the data determine the fitted parameters.
// Method    covariance s² (JᵀJ)⁻¹ with s² = Σ r²/(residuals − parameters) at the minimum, over the
//           rows that the run reaches and the parameters that are not at an end of their range.
//           Directions in which the runs do not change beyond the error of their differences are
//           told, and the parameters in them have no error.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_private.h"

// Differences of runs are this exact, relative to the spread of the data: error of a run over the
// step of the differences.
static const double DIFFERENCE_ERROR = 3e-6;
static const double SHARE = 0.01; // of a parameter in what is not determined
static const double CORRELATED = 0.999;

typedef struct Judge {
    FitSearch *search;
    SpragFit *fit;
    int count; // parameters that are neither held by a bound nor without effect
    int which[SPRAG_FIT_PARAMETERS];
    size_t rows;  // residuals of rows that the run reaches
    size_t used;  // those that count
    double *J;    // rows × count
    double noise; // of a column's length times the parameter's size
    double C[SPRAG_FIT_PARAMETERS * SPRAG_FIT_PARAMETERS], weak[SPRAG_FIT_PARAMETERS];
    int rank;
} Judge;

SpragStatus fit_warn(SpragFit *fit, const char *format, ...)
{
    char sentence[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    if (fit->warning_count == fit->warning_capacity) {
        int more = fit->warning_capacity + 8;
        char **grown = sprag_alloc(fit->context, (size_t)more, sizeof *grown);
        if (!grown)
            return SPRAG_ERROR_MEMORY;
        if (fit->warnings)
            memcpy(grown, fit->warnings, (size_t)fit->warning_count * sizeof *grown);
        sprag_free(fit->context, (void *)fit->warnings);
        fit->warnings = grown;
        fit->warning_capacity = more;
    }
    fit->warnings[fit->warning_count] = sprag_copy_text(fit->context, sentence);
    if (!fit->warnings[fit->warning_count])
        return SPRAG_ERROR_MEMORY;
    fit->warning_count++;
    return SPRAG_OK;
}

// A value with its unit.
static const char *spell(const SpragFitParameter *about, double value, char text[64])
{
    snprintf(text, 64, "%.6g%s%s", value / about->unit, about->unit_name[0] ? " " : "",
             about->unit_name);
    return text;
}

// ---- What the run at the fitted values is -------------------------------------------------------

static SpragStatus take_model(Judge *judge)
{
    SpragFit *fit = judge->fit;
    const FitSearch *search = judge->search;
    size_t columns = (size_t)fit->column_count;
    memcpy(fit->model, search->task.model, fit->row_count * columns * sizeof(double));
    fit->covered = search->task.covered;
    fit->outcome = search->task.outcome;
    fit->end = search->task.end;
    judge->rows = fit->covered * columns;
    double sum = 0;
    for (size_t i = 0; i < judge->rows; i++) {
        sum += search->r[i] * search->r[i];
        judge->used += !search->work->skipped[i];
    }
    fit->residual = judge->used > 0 ? sqrt(sum / (double)judge->used) : NAN;
    for (size_t k = 0; k < columns; k++) {
        double square = 0;
        long count = 0;
        for (size_t i = 0; i < fit->covered; i++) {
            double miss = fit->model[i * columns + k] - fit->data[i * columns + k];
            bool counts = !search->work->skipped[i * columns + k];
            square += counts ? miss * miss : 0;
            count += counts;
        }
        fit->columns[k].rms = count > 0 ? sqrt(square / (double)count) : NAN;
    }
    if (fit->covered == fit->row_count)
        return SPRAG_OK;
    return fit_warn(fit,
                    "the run at the fitted values ends at t = %.6g s (%s%s%s): %zu of %zu rows of "
                    "the data lie beyond and do not count in errors and residual",
                    fit->end, sprag_run_outcome_name(fit->outcome),
                    search->task.message[0] ? ": " : "", search->task.message,
                    fit->row_count - fit->covered, fit->row_count);
}

// ---- Which parameters can have an error ---------------------------------------------------------

static double column_length(const Judge *judge, int k)
{
    double norm = 0;
    for (size_t i = 0; i < judge->rows; i++)
        norm = hypot(norm, judge->search->J[i * (size_t)judge->search->n + (size_t)k]);
    return norm;
}

// Whether the data ask for more than a bound allows, by a tenth of a standard error or more: a
// valley without an end reaches it by chance, and then residuals do not change with the parameter.
static bool is_pushed(const Judge *judge, int k)
{
    double angle = 0.1 / sqrt((double)judge->used);
    const FitSearch *search = judge->search;
    double product = 0, length = 0;
    for (size_t i = 0; i < judge->rows; i++) {
        product += search->J[i * (size_t)search->n + (size_t)k] * search->r[i];
        length = hypot(length, search->r[i]);
    }
    return fabs(product) > angle * length * column_length(judge, k);
}

// Typical size of all residuals if the model were wrong by the spread of the data.
static double data_size(const Judge *judge)
{
    const SpragFit *fit = judge->fit;
    const FitWork *work = judge->search->work;
    double sum = 0;
    for (int k = 0; k < fit->column_count; k++) {
        double scale = fit->sigma ? 1 / fit->sigma[k] : fit->columns[k].weight;
        double part = work->spread[k] * scale;
        sum += part * part * (double)fit->covered;
    }
    return sqrt(sum);
}

static SpragStatus sort_parameters(Judge *judge)
{
    SpragFit *fit = judge->fit;
    const FitSearch *search = judge->search;
    char text[64];
    judge->noise = DIFFERENCE_ERROR * data_size(judge);
    for (int k = 0; k < fit->parameter_count; k++) {
        SpragFitParameter *about = &fit->parameters[k];
        double u = search->minima[0].u[k];
        about->value = fit_value(search, k, u);
        about->error = NAN;
        about->at_bound = u <= search->low[k] || u >= search->high[k];
        double size = fmax(search->base[k], fabs(u));
        if (!(column_length(judge, k) * size > judge->noise)) {
            SPRAG_TRY(
                fit_warn(fit, "the data do not depend on %s: its value says nothing", about->path));
        } else if (about->at_bound && is_pushed(judge, k)) {
            SPRAG_TRY(fit_warn(fit,
                               "%s is at the end of its range, %s: the data ask for a value "
                               "beyond it",
                               about->path, spell(about, about->value, text)));
        } else {
            judge->which[judge->count++] = k;
        }
    }
    return SPRAG_OK;
}

// ---- Errors -------------------------------------------------------------------------------------

// Columns that cannot be told apart within the error of their differences count as dependent.
static double rank_threshold(const Judge *judge)
{
    double largest = 0;
    for (int i = 0; i < judge->count; i++) {
        int k = judge->which[i];
        double size = fmax(judge->search->base[k], fabs(judge->search->minima[0].u[k]));
        largest = fmax(largest, judge->noise / (column_length(judge, k) * size));
        if (judge->fit->parameters[k].at_bound) // differences to one side are of first order
            largest = fmax(largest, 3 * cbrt(judge->search->work->tolerance));
    }
    return fmin(fmax(largest, 1e-7), 1e-2);
}

static void find_covariance(Judge *judge)
{
    const FitSearch *search = judge->search;
    size_t n = (size_t)search->n, count = (size_t)judge->count;
    double small[(2 * SPRAG_FIT_PARAMETERS + 2) * SPRAG_FIT_PARAMETERS];
    for (size_t i = 0; i < judge->rows; i++)
        for (size_t j = 0; j < count; j++)
            judge->J[i * count + j] = search->J[i * n + (size_t)judge->which[j]];
    judge->rank =
        sprag_least_squares_covariance((int)judge->rows, judge->count, judge->J,
                                       rank_threshold(judge), judge->C, judge->weak, small);
}

// du/dparameter at the value, for logarithms.
static double stretch(const SpragFitParameter *about)
{
    return about->logarithmic ? about->value : 1;
}

static void take_errors(Judge *judge)
{
    SpragFit *fit = judge->fit;
    int n = fit->parameter_count, count = judge->count;
    double sum = fit->residual * fit->residual * (double)judge->used;
    double variance = fit->freedom > 0 ? sum / (double)fit->freedom : NAN;
    for (int i = 0; i < n * n; i++)
        fit->correlation[i] = NAN;
    for (int i = 0; i < n; i++)
        fit->correlation[i * n + i] = 1;
    for (int i = 0; i < count; i++) {
        SpragFitParameter *about = &fit->parameters[judge->which[i]];
        if (judge->weak[i] < SHARE)
            about->error = sqrt(judge->C[i * count + i] * variance) * stretch(about);
        for (int j = 0; j < count; j++) {
            double both = sqrt(judge->C[i * count + i] * judge->C[j * count + j]);
            if (i != j && judge->weak[i] < SHARE && judge->weak[j] < SHARE && both > 0)
                fit->correlation[judge->which[i] * n + judge->which[j]] =
                    judge->C[i * count + j] / both;
        }
    }
}

// ---- Warnings -----------------------------------------------------------------------------------

static SpragStatus warn_rank(const Judge *judge)
{
    SpragFit *fit = judge->fit;
    SpragText names;
    int listed = 0;
    if (judge->rank == judge->count)
        return SPRAG_OK;
    sprag_text_init(&names, fit->context);
    for (int i = 0; i < judge->count; i++)
        if (judge->weak[i] >= SHARE)
            sprag_text_add(&names, "%s%s", listed++ ? ", " : "",
                           fit->parameters[judge->which[i]].path);
    SpragStatus status = fit_warn(fit,
                                  "the data do not determine %s: they can change together without "
                                  "a change of the run; fix %s of them",
                                  names.bytes ? names.bytes : "all parameters",
                                  judge->count - judge->rank == 1 ? "one" : "some");
    sprag_text_destroy(&names);
    return status;
}

static SpragStatus warn_correlations(const Judge *judge)
{
    SpragFit *fit = judge->fit;
    int n = fit->parameter_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(fit->correlation[i * n + j]) > CORRELATED)
                SPRAG_TRY(fit_warn(fit,
                                   "%s and %s are correlated by %.4f: the data determine mostly "
                                   "one combination of them",
                                   fit->parameters[j].path, fit->parameters[i].path,
                                   fit->correlation[i * n + j]));
    return SPRAG_OK;
}

static SpragStatus warn_errors(const Judge *judge)
{
    SpragFit *fit = judge->fit;
    char error[64], value[64];
    for (int k = 0; k < fit->parameter_count; k++) {
        const SpragFitParameter *about = &fit->parameters[k];
        double range = about->to - about->from;
        bool wide = isfinite(range) && about->error > 0.5 * range;
        if (isfinite(about->error) && (wide || about->error > fabs(about->value)))
            SPRAG_TRY(fit_warn(fit, "%s is hardly determined: its error %s is as large as %s",
                               about->path, spell(about, about->error, error),
                               wide ? "its range" : spell(about, about->value, value)));
    }
    return SPRAG_OK;
}

// Another minimum counts if the sum there is larger by less than four times the variance: two
// standard errors.
static SpragStatus warn_others(const Judge *judge)
{
    SpragFit *fit = judge->fit;
    const FitSearch *search = judge->search;
    const FitMinimum *best = &search->minima[0];
    double variance = fit->freedom > 0 ? 2 * best->cost / (double)fit->freedom : 0;
    for (int i = 1; i < search->minimum_count; i++) {
        const FitMinimum *other = &search->minima[i];
        double apart = 0;
        if (judge->rank < judge->count || 2 * (other->cost - best->cost) > 4 * variance)
            continue;
        SpragText text;
        sprag_text_init(&text, fit->context);
        for (int j = 0; j < judge->count; j++) {
            int k = judge->which[j];
            char word[64];
            const SpragFitParameter *about = &fit->parameters[k];
            double value = fit_value(search, k, other->u[k]);
            double size = fmax(isfinite(about->error) ? 5 * about->error : 0,
                               1e-3 * fmax(search->base[k], fabs(about->value)));
            apart = fmax(apart, fabs(value - about->value) / size);
            sprag_text_add(&text, "%s%s = %s", j ? ", " : "", about->path,
                           spell(about, value, word));
        }
        SpragStatus status = SPRAG_OK;
        if (apart > 1)
            status = fit_warn(fit, "another place fits about as well: %s", text.bytes);
        sprag_text_destroy(&text);
        SPRAG_TRY(status);
    }
    return SPRAG_OK;
}

static SpragStatus warn_end(const Judge *judge)
{
    SpragFit *fit = judge->fit;
    const FitSearch *search = judge->search;
    if (!fit->converged)
        SPRAG_TRY(fit_warn(fit, "the search did not converge: the values are the best found"));
    if (fit->freedom <= 0)
        SPRAG_TRY(fit_warn(fit, "%zu numbers cannot give errors of %d parameters", judge->used,
                           judge->rank));
    if (search->invalid_count > 0)
        snprintf(fit->note, sizeof fit->note, "%ld of %ld runs could not be made; the first: %s",
                 search->invalid_count, fit->run_count, search->first_message);
    return SPRAG_OK;
}

SpragStatus fit_judge(FitSearch *search)
{
    SpragFit *fit = search->work->fit;
    Judge judge = {.search = search, .fit = fit};
    fit->converged = search->minima[0].converged;
    SPRAG_TRY(take_model(&judge));
    SPRAG_TRY(sort_parameters(&judge));
    judge.J = sprag_alloc(fit->context, judge.rows * (size_t)judge.count + 1, sizeof(double));
    if (!judge.J)
        return SPRAG_ERROR_MEMORY;
    if (judge.count > 0 && judge.rows > 0)
        find_covariance(&judge);
    sprag_free(fit->context, judge.J);
    fit->freedom = (long)judge.used - judge.rank;
    take_errors(&judge);
    SPRAG_TRY(warn_rank(&judge));
    SPRAG_TRY(warn_correlations(&judge));
    SPRAG_TRY(warn_errors(&judge));
    SPRAG_TRY(warn_others(&judge));
    return warn_end(&judge);
}

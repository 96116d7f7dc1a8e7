// fit.c: parameters of a scene from a measured trajectory.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_private.h"

enum { FIT_COOKIE = 0x46495431, MOST_JOBS = 64, MOST_STARTS = 64, MOST_SCAN = 1000000 };

SpragFitSettings sprag_fit_default(void)
{
    return (SpragFitSettings){
        .scene = sprag_scene_default(), .starts = 3, .jobs = 1, .cookie = FIT_COOKIE};
}

static SpragStatus check_settings(SpragContext *context, const SpragFitSettings *settings)
{
    if (settings->cookie != FIT_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "fit settings must come from sprag_fit_default");
    if (settings->free_count < 1 || settings->free_count > SPRAG_FIT_PARAMETERS)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "a fit has 1 … %d free parameters, got %d",
                          SPRAG_FIT_PARAMETERS, settings->free_count);
    if (settings->jobs < 1 || settings->jobs > MOST_JOBS || settings->starts < 1 ||
        settings->starts > MOST_STARTS || settings->scan < 0 || settings->scan > MOST_SCAN)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a fit takes 1 … %d threads, 1 … %d starts and 0 … %d points of the scan",
                          MOST_JOBS, MOST_STARTS, MOST_SCAN);
    return SPRAG_OK;
}

// ---- Parameters ---------------------------------------------------------------------------------

static SpragStatus refuse(SpragContext *context, const char *path, const char *text)
{
    return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                      "%s: a free parameter is PATH, PATH=FROM:TO or PATH=FROM:TO:log, for example "
                      "mu=0:2, got '%.80s'",
                      path, text);
}

static SpragStatus take_path(SpragFit *fit, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    SpragFitParameter *about = &fit->parameters[fit->parameter_count];
    if (length == 0)
        return refuse(fit->context, "--free", text);
    about->path = sprag_alloc(fit->context, length + 1, 1);
    if (!about->path)
        return SPRAG_ERROR_MEMORY;
    memcpy(about->path, text, length);
    for (int i = 0; i < fit->parameter_count; i++)
        if (strcmp(fit->parameters[i].path, about->path) == 0) {
            sprag_free(fit->context, about->path);
            about->path = NULL;
            return sprag_fail(fit->context, SPRAG_ERROR_ARGUMENT, "%s is free twice",
                              fit->parameters[i].path);
        }
    fit->parameter_count++;
    return SPRAG_OK;
}

// FROM:TO or FROM:TO:log behind the path.
static SpragStatus read_range(SpragFit *fit, SpragSceneSource *source, int index, const char *text)
{
    SpragFitParameter *about = &fit->parameters[index];
    char copy[160], *first, *second;
    double ends[2];
    if (strlen(text) >= sizeof copy)
        return refuse(fit->context, about->path, text);
    snprintf(copy, sizeof copy, "%s", text);
    first = strchr(copy, ':');
    if (!first)
        return refuse(fit->context, about->path, text);
    *first++ = 0;
    second = strchr(first, ':');
    if (second) {
        *second++ = 0;
        about->logarithmic = true;
        if (strcmp(second, "log") != 0)
            return refuse(fit->context, about->path, text);
    }
    const char *texts[2] = {copy, first};
    SPRAG_TRY(sprag_scene_source_read_values(source, index, 2, texts, ends));
    if (!(ends[0] != ends[1]) || !isfinite(ends[0]) || !isfinite(ends[1]))
        return refuse(fit->context, about->path, text);
    about->from = fmin(ends[0], ends[1]);
    about->to = fmax(ends[0], ends[1]);
    if (about->logarithmic && !(about->from > 0))
        return sprag_fail(fit->context, SPRAG_ERROR_ARGUMENT,
                          "%s: a logarithmic range must have ends > 0, got '%.80s'", about->path,
                          text);
    return SPRAG_OK;
}

SpragStatus fit_read_parameter(SpragFit *fit, SpragSceneSource *source, int index, const char *text)
{
    SpragFitParameter *about = &fit->parameters[index];
    const char *equals = strchr(text, '=');
    about->from = -INFINITY;
    about->to = INFINITY;
    if (equals)
        SPRAG_TRY(read_range(fit, source, index, equals + 1));
    const SpragSceneVariable *known = sprag_scene_source_variable(source, index);
    if (!equals && known->has_range) {
        about->from = fmin(known->from, known->to);
        about->to = fmax(known->from, known->to);
    }
    about->has_start = known->has_value;
    about->start = known->value;
    about->unit = known->unit;
    memcpy(about->unit_name, known->unit_name, sizeof about->unit_name);
    if (!known->has_value && !isfinite(about->from))
        return sprag_fail(fit->context, SPRAG_ERROR_ARGUMENT,
                          "%s has neither a value nor a range in the file: write %s=FROM:TO",
                          about->path, about->path);
    if (about->start < about->from || about->start > about->to)
        about->has_start = false;
    return SPRAG_OK;
}

static SpragStatus read_parameters(FitWork *work, const char *path)
{
    SpragFit *fit = work->fit;
    const SpragFitSettings *settings = work->settings;
    FitWorker *worker = &work->workers[0];
    for (int i = 0; i < settings->free_count; i++)
        SPRAG_TRY(take_path(fit, settings->free[i]));
    SPRAG_TRY(sprag_scene_source_create(fit->context, path, &settings->scene, &worker->source));
    for (int i = 0; i < fit->parameter_count; i++)
        SPRAG_TRY(sprag_scene_source_add_variable(worker->source, fit->parameters[i].path));
    for (int i = 0; i < fit->parameter_count; i++)
        SPRAG_TRY(fit_read_parameter(fit, worker->source, i, settings->free[i]));
    return SPRAG_OK;
}

// ---- The scene ----------------------------------------------------------------------------------

// The scene as it stands tells which signals there are; without a value the middle of the range.
static SpragStatus build_first(FitWork *work, const char *path)
{
    SpragFit *fit = work->fit;
    FitWorker *worker = &work->workers[0];
    double values[SPRAG_FIT_PARAMETERS];
    for (int i = 0; i < fit->parameter_count; i++) {
        const SpragFitParameter *about = &fit->parameters[i];
        values[i] = about->has_start ? about->start : 0.5 * (about->from + about->to);
    }
    SPRAG_TRY(sprag_scene_source_build(worker->source, values, &worker->scene));
    const SpragModel *model = sprag_scene_model(worker->scene);
    if (!model)
        return sprag_fail(fit->context, SPRAG_ERROR_INPUT, "%s: a fit takes a scene with bodies",
                          path);
    work->tolerance = model->simulate.tolerance;
    fit->title = sprag_copy_text(fit->context, sprag_scene_name(worker->scene));
    if (!fit->title)
        return SPRAG_ERROR_MEMORY;
    return sprag_system_create_model(model, &worker->system);
}

static SpragStatus search_all(FitWork *work)
{
    FitSearch search = {0};
    SpragFit *fit = work->fit;
    double values[SPRAG_FIT_PARAMETERS];
    SpragStatus status = fit_search_open(&search, work);
    if (status == SPRAG_OK)
        status = fit_search_run(&search);
    if (status == SPRAG_OK)
        status = fit_judge(&search);
    for (int i = 0; i < fit->parameter_count; i++)
        values[i] = fit->parameters[i].value;
    if (status == SPRAG_OK)
        status = fit_run_curve(&work->workers[0], values);
    fit_search_close(&search);
    return status;
}

static SpragStatus create(FitWork *work, const char *path, const char *data_path)
{
    SpragFit *fit = work->fit;
    SPRAG_TRY(check_settings(fit->context, work->settings));
    work->workers = sprag_alloc(fit->context, (size_t)work->settings->jobs, sizeof *work->workers);
    fit->data_path = sprag_copy_text(fit->context, data_path);
    if (!work->workers || !fit->data_path)
        return SPRAG_ERROR_MEMORY;
    work->workers[0].work = work;
    work->workers[0].context = fit->context;
    work->worker_count = 1;
    SPRAG_TRY(read_parameters(work, path));
    SPRAG_TRY(build_first(work, path));
    SPRAG_TRY(fit_read_data(work, data_path, work->workers[0].system));
    SPRAG_TRY(fit_work_open(work, path));
    return search_all(work);
}

SpragStatus sprag_fit_create(SpragContext *context, const char *path, const char *data_path,
                             const SpragFitSettings *settings, SpragFit **fit)
{
    FitWork work = {.settings = settings};
    *fit = NULL;
    work.fit = sprag_alloc(context, 1, sizeof *work.fit);
    if (!work.fit)
        return SPRAG_ERROR_MEMORY;
    work.fit->context = context;
    SpragStatus status = create(&work, path, data_path);
    fit_work_close(&work);
    if (status == SPRAG_OK)
        *fit = work.fit;
    else
        sprag_fit_destroy(work.fit);
    return status;
}

void sprag_fit_destroy(SpragFit *fit)
{
    if (!fit)
        return;
    SpragContext *context = fit->context;
    for (int i = 0; i < fit->parameter_count; i++)
        sprag_free(context, fit->parameters[i].path);
    for (int i = 0; i < fit->column_count; i++) {
        sprag_free(context, fit->columns[i].signal);
        sprag_free(context, fit->columns[i].name);
    }
    for (int i = 0; i < fit->warning_count; i++)
        sprag_free(context, fit->warnings[i]);
    sprag_free(context, (void *)fit->warnings);
    sprag_free(context, fit->times);
    sprag_free(context, fit->data);
    sprag_free(context, fit->model);
    sprag_free(context, fit->sigma);
    sprag_free(context, fit->curve_times);
    sprag_free(context, fit->curve);
    sprag_free(context, fit->title);
    sprag_free(context, fit->data_path);
    sprag_free(context, fit);
}

// fit_work.c: threads that run the scene at many values.
// Method    each worker has a context, a source and a system of its own; a task's result depends on
//           its values only, so that neither the number nor the order of threads matters.
#include <stdio.h>
#include <string.h>

#include "fit_private.h"

bool fit_interrupted(const FitWork *work)
{
    return work->settings->interrupt && *work->settings->interrupt;
}

static SpragStatus worker_open(FitWorker *worker, const char *path)
{
    const FitWork *work = worker->work;
    SpragFit *fit = work->fit;
    if (!worker->source) {
        SPRAG_TRY(sprag_scene_source_create(worker->context, path, &work->settings->scene,
                                            &worker->source));
        for (int i = 0; i < fit->parameter_count; i++)
            SPRAG_TRY(sprag_scene_source_add_variable(worker->source, fit->parameters[i].path));
        for (int i = 0; i < fit->parameter_count; i++)
            SPRAG_TRY(fit_read_parameter(fit, worker->source, i, work->settings->free[i]));
    }
    worker->row = sprag_alloc(worker->context, (size_t)fit->column_count + 1, sizeof(double));
    return worker->row ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// The first worker is there already: it read the parameters.
SpragStatus fit_work_open(FitWork *work, const char *path)
{
    SpragContext *context = work->fit->context;
    for (int i = 0; i < work->settings->jobs; i++) {
        FitWorker *worker = &work->workers[i];
        worker->work = work;
        if (i > 0) {
            SPRAG_TRY(sprag_context_create(NULL, &worker->context));
            work->worker_count++;
        }
        SpragStatus status = worker_open(worker, path);
        if (status != SPRAG_OK && i > 0)
            return sprag_fail(context, status, "%s", sprag_context_message(worker->context));
        SPRAG_TRY(status);
    }
    return SPRAG_OK;
}

void fit_work_close(FitWork *work)
{
    for (int i = 0; work->workers && i < work->worker_count; i++) {
        FitWorker *worker = &work->workers[i];
        sprag_system_destroy(worker->system);
        sprag_scene_destroy(worker->scene);
        sprag_scene_source_destroy(worker->source);
        sprag_free(worker->context, worker->row);
        if (i > 0)
            sprag_context_destroy(worker->context);
    }
    sprag_free(work->fit->context, work->workers);
    sprag_free(work->fit->context, work->signals);
    sprag_free(work->fit->context, work->skipped);
}

static void *work_on(void *argument)
{
    FitWorker *worker = argument;
    FitWork *work = worker->work;
    while (!atomic_load(&work->stop)) {
        long index = atomic_fetch_add(&work->next, 1);
        if (index >= work->task_count)
            break;
        if (fit_interrupted(work))
            break;
        worker->status = fit_run(worker, &work->tasks[index]);
        if (worker->status != SPRAG_OK)
            atomic_store(&work->stop, true);
        if (worker == work->workers && work->settings->progress)
            work->settings->progress(work->fit->run_count + index + 1,
                                     work->settings->progress_user);
    }
    return NULL;
}

SpragStatus fit_work_run(FitWork *work, FitTask *tasks, long count)
{
    pthread_t threads[64];
    bool started[64] = {false};
    SpragContext *context = work->fit->context;
    work->tasks = tasks;
    work->task_count = count;
    atomic_store(&work->next, 0);
    atomic_store(&work->stop, false);
    for (long i = 0; i < count; i++)
        tasks[i].valid = false;
    for (int i = 1; i < work->worker_count && i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, work_on, &work->workers[i]) == 0;
    work_on(&work->workers[0]); // threads that could not start leave it more to do
    for (int i = 1; i < work->worker_count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
    work->fit->run_count += count;
    if (fit_interrupted(work))
        return SPRAG_INTERRUPTED;
    for (int i = 0; i < work->worker_count; i++) {
        const FitWorker *worker = &work->workers[i];
        if (worker->status == SPRAG_OK)
            continue;
        return i == 0 ? worker->status
                      : sprag_fail(context, worker->status, "%s",
                                   sprag_context_message(worker->context));
    }
    return SPRAG_OK;
}

// map_work.c: threads that analyse points, and the table of classes that they share.
// Method    each worker has a context, a source and an analysis of its own; items of a batch are
//           handed out in chunks by a counter. Results go to places that belong to the item, so
//           that their order does not matter. Numbers of classes depend on who met one first, and
//           are put in order at the end (map.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep_private.h"

enum { CHUNK = 32, MOST_CLASSES = 4096 };

// ---- Workers ------------------------------------------------------------------------------------

// The variables are those of the axes, in their order.
static SpragStatus worker_open(Worker *worker, const char *name, const char *text, size_t length)
{
    const MapWork *work = worker->work;
    SpragSceneSource *source;
    SPRAG_TRY(point_open(&worker->point, worker->context, &work->settings->analysis));
    SPRAG_TRY(sprag_scene_source_create_text(worker->context, name, text, length,
                                             &work->settings->scene, &source));
    worker->point.source = source;
    worker->last_class = -1;
    for (int i = 0; i < 2 && work->map->axes[i].path; i++)
        SPRAG_TRY(sprag_scene_source_add_variable(source, work->map->axes[i].path));
    return SPRAG_OK;
}

// Reads the axes' numbers, so that every source gives them the same kind.
static SpragStatus read_axes(MapWork *work, Worker *worker)
{
    const char *texts[] = {work->settings->x, work->settings->y};
    for (int i = 0; i < 2 && work->map->axes[i].path; i++) {
        SpragMapAxis axis = {.path = work->map->axes[i].path};
        SpragStatus status = axis_read(worker->context, worker->point.source, i, texts[i],
                                       work->settings->points, &axis);
        if (status != SPRAG_OK || work->map->axes[i].values) {
            sprag_free(worker->context, axis.values);
            SPRAG_TRY(status);
        } else {
            work->map->axes[i] = axis;
        }
    }
    return SPRAG_OK;
}

SpragStatus work_open(MapWork *work, const char *name, const char *text, size_t length)
{
    SpragContext *context = work->map->context;
    int jobs = work->settings->jobs;
    work->workers = sprag_alloc(context, (size_t)jobs, sizeof *work->workers);
    if (!work->workers)
        return SPRAG_ERROR_MEMORY;
    pthread_mutex_init(&work->lock, NULL);
    for (int i = 0; i < jobs; i++) {
        Worker *worker = &work->workers[i];
        worker->work = work;
        worker->context = context;
        if (i > 0)
            SPRAG_TRY(sprag_context_create(NULL, &worker->context));
        work->worker_count++;
        SpragStatus status = worker_open(worker, name, text, length);
        if (status == SPRAG_OK)
            status = read_axes(work, worker);
        if (status != SPRAG_OK && i > 0)
            return sprag_fail(context, status, "%s", sprag_context_message(worker->context));
        SPRAG_TRY(status);
    }
    return SPRAG_OK;
}

void work_close(MapWork *work)
{
    if (!work->workers)
        return;
    for (int i = 0; i < work->worker_count; i++) {
        Worker *worker = &work->workers[i];
        point_close(&worker->point);
        if (i > 0)
            sprag_context_destroy(worker->context);
    }
    pthread_mutex_destroy(&work->lock);
    sprag_free(work->map->context, work->workers);
}

// ---- Classes ------------------------------------------------------------------------------------

static bool same_class(const SpragMapClass *class, bool valid, const SpragOutcome *outcome)
{
    return class->valid == valid &&
           (!valid || (class->outcome.signature == outcome->signature &&
                       class->outcome.forces_unique == outcome->forces_unique));
}

// Under the lock: the table may move.
static SpragStatus find_class(Worker *worker, bool valid, const SpragOutcome *outcome, int *index)
{
    MapWork *work = worker->work;
    SpragMap *map = work->map;
    for (*index = 0; *index < map->class_count; ++*index)
        if (same_class(&map->table[*index], valid, outcome))
            return SPRAG_OK;
    if (map->class_count == MOST_CLASSES)
        return sprag_fail(worker->context, SPRAG_ERROR_LIMIT,
                          "the map has more than %d different outcomes", MOST_CLASSES);
    SpragMapClass class = {valid, *outcome, 0};
    map->table[map->class_count++] = class;
    return SPRAG_OK;
}

// Adds where it was to the message of a number that the file does not allow.
static SpragStatus tell_where(Worker *worker, SpragStatus status, const double *values)
{
    const SpragMapAxis *axes = worker->work->map->axes;
    char message[1024], place[160] = "";
    if (status != SPRAG_ERROR_INPUT)
        return status;
    if (axes[1].path)
        snprintf(place, sizeof place, ", %.60s = %.6g", axes[1].path, values[1]);
    snprintf(message, sizeof message, "%s", sprag_context_message(worker->context));
    return sprag_fail(worker->context, status, "%s (at %.60s = %.6g%s)", message, axes[0].path,
                      values[0], place);
}

SpragStatus worker_classify(Worker *worker, long index, double x, double y, int *class_index)
{
    MapWork *work = worker->work;
    double values[2] = {x, y};
    SpragOutcome outcome;
    SpragStatus status = point_evaluate(&worker->point, values);
    if (status != SPRAG_OK)
        return tell_where(worker, status, values);
    worker->evaluation_count++;
    bool valid = worker->point.valid;
    point_outcome(&worker->point, &outcome);
    if (!valid && (worker->invalid_index < 0 || index < worker->invalid_index)) {
        worker->invalid_index = index;
        snprintf(worker->invalid, sizeof worker->invalid, "%s",
                 sprag_context_message(worker->context));
    }
    *class_index = worker->last_class;
    if (*class_index >= 0 && same_class(&work->map->table[*class_index], valid, &outcome))
        return SPRAG_OK;
    pthread_mutex_lock(&work->lock);
    status = find_class(worker, valid, &outcome, class_index);
    pthread_mutex_unlock(&work->lock);
    if (status == SPRAG_OK)
        worker->last_class = *class_index;
    return status;
}

// ---- Batches ------------------------------------------------------------------------------------

static void *work_on(void *argument)
{
    Worker *worker = argument;
    MapWork *work = worker->work;
    const SpragMapSettings *settings = work->settings;
    bool first = worker == work->workers;
    while (!atomic_load(&work->stop)) {
        long from = atomic_fetch_add(&work->next, work->chunk);
        long to = from + work->chunk < work->count ? from + work->chunk : work->count;
        if (from >= work->count)
            break;
        for (long i = from; i < to && worker->status == SPRAG_OK; i++) {
            if (settings->interrupt && *settings->interrupt)
                atomic_store(&work->stop, true);
            if (atomic_load(&work->stop))
                break;
            worker->status = work->function(worker, i, work->user);
        }
        if (worker->status != SPRAG_OK)
            atomic_store(&work->stop, true);
        long done = atomic_fetch_add(&work->done, to - from) + to - from;
        if (first && settings->progress)
            settings->progress(work->done_before + done, work->total, settings->progress_user);
    }
    return NULL;
}

// The first worker that failed speaks; the least item at which nothing could be placed is kept.
static SpragStatus collect(MapWork *work)
{
    SpragContext *context = work->map->context;
    long least = -1;
    for (int i = 0; i < work->worker_count; i++) {
        Worker *worker = &work->workers[i];
        if (worker->invalid_index >= 0 && (least < 0 || worker->invalid_index < least)) {
            least = worker->invalid_index;
            if (!work->invalid[0] || work->done_before == 0)
                memcpy(work->invalid, worker->invalid, sizeof work->invalid);
        }
    }
    for (int i = 0; i < work->worker_count; i++) {
        const Worker *worker = &work->workers[i];
        if (worker->status == SPRAG_OK)
            continue;
        if (i == 0)
            return worker->status;
        return sprag_fail(context, worker->status, "%s", sprag_context_message(worker->context));
    }
    return SPRAG_OK;
}

SpragStatus work_run(MapWork *work, long count, BatchFunction *function, void *user)
{
    pthread_t threads[64];
    bool started[64] = {false};
    work->function = function;
    work->user = user;
    work->chunk = work->output_count > 0 ? 1 : CHUNK; // a run takes long
    work->count = count;
    atomic_store(&work->next, 0);
    atomic_store(&work->done, 0);
    atomic_store(&work->stop, false);
    for (int i = 0; i < work->worker_count; i++)
        work->workers[i].invalid_index = -1;
    for (int i = 1; i < work->worker_count && (long)i * work->chunk < count; i++)
        started[i] = pthread_create(&threads[i], NULL, work_on, &work->workers[i]) == 0;
    work_on(&work->workers[0]); // threads that could not start leave it more to do
    for (int i = 1; i < work->worker_count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
    SPRAG_TRY(collect(work));
    work->interrupted |= work->settings->interrupt && *work->settings->interrupt;
    work->done_before += count;
    return SPRAG_OK;
}

// fit_run.c: the scene at one set of values, seen at the times of the data.
// Method    signals are probed on the dense output of the run, piece by piece, at the data's times:
//           the output step does not matter. Of two rows at one time the second is behind the
//           event there.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_private.h"

// Between the run and the record of the scene's own events.
typedef struct Follower {
    FitWorker *worker;
    FitTask *task;
    SpragRecord *record;
    SpragSink sink; // of the record
    size_t next;    // row
    SpragStatus status;
} Follower;

static SpragStatus take_row(Follower *follower, SpragRun *run)
{
    const FitWork *work = follower->worker->work;
    const SpragFit *fit = work->fit;
    const SpragRunSample *sample;
    SPRAG_TRY(sprag_run_probe(run, fit->times[follower->next], &sample));
    SPRAG_TRY(sprag_record_values(follower->record, sample, follower->worker->row));
    double *model = follower->task->model + follower->next * (size_t)fit->column_count;
    for (int i = 0; i < fit->column_count; i++)
        model[i] = follower->worker->row[work->signal_of[i]];
    follower->next++;
    return SPRAG_OK;
}

// Is the next row the second at one time, which belongs behind an event at the end of a piece?
static bool is_behind(const SpragFit *fit, size_t row, double to)
{
    return row > 0 && fit->times[row] == to && fit->times[row - 1] == to && to > 0;
}

static int hear_piece(SpragRun *run, double from, double to, void *user)
{
    Follower *follower = user;
    const SpragFit *fit = follower->worker->work->fit;
    int answer =
        follower->sink.piece ? follower->sink.piece(run, from, to, follower->sink.user) : 0;
    while (follower->next < fit->row_count && fit->times[follower->next] <= to) {
        bool first = fit->times[follower->next] == from;
        if (!first && is_behind(fit, follower->next, to))
            break;
        follower->status = take_row(follower, run);
        if (follower->status != SPRAG_OK)
            return -1;
    }
    return answer;
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    Follower *follower = user;
    return follower->sink.sample(sample, follower->sink.user);
}

static int hear_event(const SpragEvent *event, void *user)
{
    Follower *follower = user;
    snprintf(follower->task->message, FIT_MESSAGE, "%.*s", FIT_MESSAGE - 1, event->detail);
    return follower->sink.event(event, follower->sink.user);
}

// Rows at the very end of the run that no further piece comes for, then nothing.
static void end_rows(Follower *follower, double end)
{
    const SpragFit *fit = follower->worker->work->fit;
    FitTask *task = follower->task;
    size_t columns = (size_t)fit->column_count;
    if (follower->next > 0)
        while (follower->next < fit->row_count && fit->times[follower->next] <= end) {
            double *row = task->model + follower->next++ * columns;
            memcpy(row, row - columns, columns * sizeof *row);
        }
    while (follower->next > 0 && fit->times[follower->next - 1] > end) // a stop inside of a piece
        follower->next--;
    task->covered = follower->next;
    for (size_t i = follower->next * columns; i < fit->row_count * columns; i++)
        task->model[i] = NAN;
}

static SpragRunSettings settings_of(const FitWork *work, const SpragSimulate *simulate)
{
    const long least = 1000,
               per_row = 5; // more events than these no data of so many rows can show
    SpragRunSettings settings = sprag_run_settings(simulate);
    long most = per_row * (long)work->fit->row_count;
    settings.max_events = most > least ? most : least;
    settings.output_step = 0;
    settings.interrupt = work->settings->interrupt;
    return settings;
}

static SpragStatus advance(Follower *follower)
{
    FitWorker *worker = follower->worker;
    const FitWork *work = worker->work;
    SpragRunSettings settings = settings_of(work, &sprag_scene_model(worker->scene)->simulate);
    SpragSink sink = {hear_sample, hear_event, NULL, follower, hear_piece};
    SpragRun *run;
    SPRAG_TRY(sprag_run_create(worker->system, &settings, &sink, &run));
    SpragStatus status = sprag_run_advance(run, work->until, &follower->task->outcome);
    if (status == SPRAG_OK && follower->status != SPRAG_OK)
        status = follower->status;
    if (status == SPRAG_OK)
        status = sprag_record_status(follower->record);
    follower->task->end = sprag_run_time(run);
    end_rows(follower, follower->task->end);
    sprag_run_destroy(run);
    return status;
}

// The scene at these values, as bring_scene of map_point.c does it.
static SpragStatus bring_system(FitWorker *worker, const double *values)
{
    SpragSceneChange change = SPRAG_SCENE_OTHER;
    if (worker->system)
        SPRAG_TRY(sprag_scene_source_update(worker->source, values, worker->scene, &change));
    if (change != SPRAG_SCENE_OTHER) {
        SpragStatus status = sprag_system_update(worker->system, change <= SPRAG_SCENE_CONTACTS);
        if (status == SPRAG_OK)
            return status;
    }
    sprag_system_destroy(worker->system);
    sprag_scene_destroy(worker->scene);
    worker->system = NULL;
    worker->scene = NULL;
    SPRAG_TRY(sprag_scene_source_build(worker->source, values, &worker->scene));
    return sprag_system_create_model(sprag_scene_model(worker->scene), &worker->system);
}

static SpragStatus open_record(FitWorker *worker, bool keep, SpragRecord **record)
{
    SpragRecordSettings settings = sprag_record_default();
    settings.signals = worker->work->signals;
    settings.keep_samples = keep;
    settings.watches = sprag_scene_events(worker->scene, &settings.watch_count);
    return sprag_record_create(worker->context, worker->system, &settings, record);
}

SpragStatus fit_run(FitWorker *worker, FitTask *task)
{
    const SpragFit *fit = worker->work->fit;
    Follower follower = {.worker = worker, .task = task};
    task->valid = false;
    task->covered = 0;
    task->message[0] = 0;
    SpragStatus status = bring_system(worker, task->values);
    if (status == SPRAG_OK)
        status = open_record(worker, false, &follower.record);
    if (status == SPRAG_OK) {
        follower.sink = sprag_record_sink(follower.record);
        status = advance(&follower);
        sprag_record_destroy(follower.record);
    }
    if (status == SPRAG_OK) {
        task->valid = task->outcome != SPRAG_RUN_INTERRUPTED;
        return SPRAG_OK;
    }
    for (size_t i = 0; i < fit->row_count * (size_t)fit->column_count; i++)
        task->model[i] = NAN;
    snprintf(task->message, FIT_MESSAGE, "%s", sprag_context_message(worker->context));
    return status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

// ---- The curve ----------------------------------------------------------------------------------

static SpragStatus keep_curve(SpragFit *fit, const FitWork *work, const SpragRecord *record)
{
    size_t count = sprag_record_sample_count(record), columns = (size_t)fit->column_count;
    fit->curve_times = sprag_alloc(fit->context, count + 1, sizeof(double));
    fit->curve = sprag_alloc(fit->context, (count + 1) * columns, sizeof(double));
    if (!fit->curve_times || !fit->curve)
        return SPRAG_ERROR_MEMORY;
    const double *times = sprag_record_column(record, 0);
    for (size_t i = 0; i < count; i++)
        fit->curve_times[i] = times[i];
    for (size_t k = 0; k < columns && count > 0; k++) {
        const double *values = sprag_record_column(record, work->signal_of[k]);
        for (size_t i = 0; i < count; i++)
            fit->curve[i * columns + k] = values[i];
    }
    fit->curve_count = count;
    return SPRAG_OK;
}

SpragStatus fit_run_curve(FitWorker *worker, const double *values)
{
    const int pieces = 500;
    FitWork *work = worker->work;
    SpragRecord *record;
    SpragRun *run = NULL;
    SpragRunOutcome outcome;
    SPRAG_TRY(bring_system(worker, values));
    SPRAG_TRY(open_record(worker, true, &record));
    SpragSink sink = sprag_record_sink(record);
    SpragRunSettings settings = settings_of(work, &sprag_scene_model(worker->scene)->simulate);
    settings.output_step = work->until / pieces;
    SpragStatus status = sprag_run_create(worker->system, &settings, &sink, &run);
    if (status == SPRAG_OK)
        status = sprag_run_advance(run, work->until, &outcome);
    sprag_run_destroy(run);
    if (status == SPRAG_OK)
        status = sprag_record_status(record);
    if (status == SPRAG_OK)
        status = keep_curve(work->fit, work, record);
    sprag_record_destroy(record);
    return status;
}

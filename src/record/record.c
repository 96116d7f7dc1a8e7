// record.c: the sink of a run: samples by columns, events, verdict intervals, the energy account.
//
// Memory grows by doubling only, and a row is formatted into a buffer that is kept: once warm, a
// sample allocates nothing. Rows are written to the files in pieces of FLUSH_BYTES.
#include "sprag/record.h"

#include <math.h>
#include <string.h>

#include "record_private.h"

#define RECORD_COOKIE 0x5265636fu
enum { FLUSH_BYTES = 1 << 16, MESSAGE_BYTES = 512 };

typedef struct Column {
    double *values;
    size_t capacity;
} Column;

struct SpragRecord {
    SpragContext *context;
    Catalogue catalogue;
    SignalList selected;
    Outputs outputs;
    Watches watches;
    SpragEvent *made; // one a watch
    bool stopping;    // an event wants the run to end, once its other side is told
    double stop_time; // of that event
    bool keep_samples;
    size_t sample_count;
    double *row;     // one value a selected signal
    Column *columns; // one a selected signal
    SpragEvent *events;
    size_t event_count, event_capacity;
    SpragRunVerdict *verdicts;
    size_t verdict_count, verdict_capacity;
    SpragEnergyAccount first_energy, last_energy;
    CsvFile *files;
    size_t file_count, file_capacity;
    SpragText rows; // formatted, not written yet
    SpragStatus status;
    char message[MESSAGE_BYTES]; // of the first failure in the sink
};

SpragRecordSettings sprag_record_default(void)
{
    return (SpragRecordSettings){.keep_samples = true, .cookie = RECORD_COOKIE};
}

static SpragStatus build(SpragRecord *record, const SpragSystem *system,
                         const SpragRecordSettings *settings)
{
    SpragContext *context = record->context;
    SPRAG_TRY(catalogue_create(context, system, &record->catalogue));
    SPRAG_TRY(select_signals(&record->catalogue, settings->signals, &record->selected));
    SPRAG_TRY(watches_open(&record->catalogue, settings->watches, settings->watch_count,
                           &record->watches));
    SPRAG_TRY(outputs_open(&record->catalogue, settings->outputs, settings->output_count,
                           &record->watches, &record->outputs));
    record->made = sprag_alloc(context, (size_t)settings->watch_count + 1, sizeof *record->made);
    if (!record->made)
        return SPRAG_ERROR_MEMORY;
    size_t count = (size_t)record->selected.count;
    record->row = sprag_alloc(context, count, sizeof *record->row);
    record->columns = sprag_alloc(context, count, sizeof *record->columns);
    return record->row && record->columns ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus sprag_record_create(SpragContext *context, const SpragSystem *system,
                                const SpragRecordSettings *settings, SpragRecord **record)
{
    SpragRecordSettings defaults = sprag_record_default();
    *record = NULL;
    if (!settings)
        settings = &defaults;
    if (settings->cookie != RECORD_COOKIE)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "the settings of a record must come from sprag_record_default");
    SpragRecord *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->context = context;
    made->catalogue.context = context;
    made->keep_samples = settings->keep_samples;
    sprag_text_init(&made->rows, context);
    SpragStatus status = build(made, system, settings);
    if (status != SPRAG_OK) {
        sprag_record_destroy(made);
        return status;
    }
    *record = made;
    return SPRAG_OK;
}

void sprag_record_destroy(SpragRecord *record)
{
    if (!record)
        return;
    SpragContext *context = record->context;
    for (size_t i = 0; i < record->file_count; i++)
        csv_destroy(context, &record->files[i]);
    for (int i = 0; record->columns && i < record->selected.count; i++)
        sprag_free(context, record->columns[i].values);
    sprag_text_destroy(&record->rows);
    sprag_free(context, record->files);
    sprag_free(context, record->verdicts);
    sprag_free(context, record->events);
    sprag_free(context, record->columns);
    sprag_free(context, record->row);
    sprag_free(context, record->selected.items);
    outputs_close(context, &record->outputs);
    watches_close(&record->watches);
    sprag_free(context, record->made);
    catalogue_destroy(&record->catalogue);
    sprag_free(context, record);
}

// ---- Files --------------------------------------------------------------------------------------

// Writes the formatted rows to every file that is still open; the first failure counts.
static SpragStatus flush(SpragRecord *record)
{
    SpragStatus status = SPRAG_OK;
    if (record->rows.failed)
        return sprag_fail(record->context, SPRAG_ERROR_MEMORY, "no memory for a row of a file");
    for (size_t i = 0; i < record->file_count; i++) {
        SpragStatus one = csv_write(record->context, &record->files[i], &record->rows);
        status = status == SPRAG_OK ? one : status;
    }
    record->rows.length = 0;
    return status;
}

SpragStatus sprag_record_add_csv(SpragRecord *record, const char *path)
{
    SpragContext *context = record->context;
    for (size_t i = 0; i < record->file_count; i++)
        if (strcmp(record->files[i].path, path) == 0)
            return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "%s: the file is named twice", path);
    SPRAG_TRY(flush(record));
    SPRAG_TRY(sprag_reserve(context, &record->files, &record->file_capacity, record->file_count + 1,
                            sizeof *record->files));
    CsvFile *file = &record->files[record->file_count];
    SPRAG_TRY(csv_open(context, path, file));
    record->file_count++;
    // the header at once: a disk without room for it is found before the run
    csv_add_header(&record->rows, &record->selected);
    SpragStatus status = record->rows.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
    if (status == SPRAG_OK)
        status = csv_write(context, file, &record->rows);
    record->rows.length = 0;
    return status;
}

SpragStatus sprag_record_finish(SpragRecord *record)
{
    SpragStatus status = flush(record);
    if (record->rows.failed) // rows are missing: no file is whole
        for (size_t i = 0; i < record->file_count; i++)
            csv_destroy(record->context, &record->files[i]);
    for (size_t i = 0; i < record->file_count; i++) {
        SpragStatus one = csv_finish(record->context, &record->files[i]);
        status = status == SPRAG_OK ? one : status;
    }
    return status;
}

// ---- The sink -----------------------------------------------------------------------------------

// Keeps the first failure with its sentence, and stops the run.
static int answer(SpragRecord *record, SpragStatus status)
{
    if (status == SPRAG_OK)
        return 0;
    if (record->status == SPRAG_OK) {
        const char *message = sprag_context_message(record->context);
        size_t length = strnlen(message, MESSAGE_BYTES - 1);
        memcpy(record->message, message, length);
        record->message[length] = 0;
        record->status = status;
    }
    return -1;
}

static SpragStatus keep_row(SpragRecord *record)
{
    for (int i = 0; i < record->selected.count; i++) {
        Column *column = &record->columns[i];
        SPRAG_TRY(sprag_reserve(record->context, &column->values, &column->capacity,
                                record->sample_count + 1, sizeof *column->values));
        column->values[record->sample_count] = record->row[i];
    }
    return SPRAG_OK;
}

static SpragStatus take_sample(SpragRecord *record, const SpragRunSample *sample)
{
    // a pile has tens of thousands of signals: none is worked out for nobody
    bool wanted = record->keep_samples || record->file_count > 0;
    for (int i = 0; wanted && i < record->selected.count; i++)
        SPRAG_TRY(signal_value(&record->selected.items[i], sample, &record->row[i]));
    SPRAG_TRY(outputs_hear_sample(&record->outputs, sample));
    if (record->keep_samples)
        SPRAG_TRY(keep_row(record));
    if (record->sample_count == 0)
        record->first_energy = sample->energy;
    record->last_energy = sample->energy;
    record->sample_count++;
    if (record->file_count == 0)
        return SPRAG_OK;
    csv_add_row(&record->rows, &record->selected, record->row);
    return record->rows.failed || record->rows.length >= FLUSH_BYTES ? flush(record) : SPRAG_OK;
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    SpragRecord *record = user;
    int failed = answer(record, take_sample(record, sample));
    return failed ? failed : record->stopping;
}

static SpragStatus take_event(SpragRecord *record, const SpragEvent *event)
{
    SPRAG_TRY(sprag_reserve(record->context, &record->events, &record->event_capacity,
                            record->event_count + 1, sizeof *record->events));
    record->events[record->event_count++] = *event;
    outputs_hear_event(&record->outputs, event);
    return SPRAG_OK;
}

static int hear_event(const SpragEvent *event, void *user)
{
    SpragRecord *record = user;
    bool stop = false;
    SpragStatus status = take_event(record, event);
    int count = watches_hear_event(&record->watches, event, record->made, &stop);
    for (int i = 0; i < count && status == SPRAG_OK; i++)
        status = take_event(record, &record->made[i]);
    if (stop && !record->stopping)
        record->stop_time = event->t;
    record->stopping |= stop;
    return answer(record, status);
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    SpragRecord *record = user;
    SpragStatus status =
        sprag_reserve(record->context, &record->verdicts, &record->verdict_capacity,
                      record->verdict_count + 1, sizeof *record->verdicts);
    if (status == SPRAG_OK)
        record->verdicts[record->verdict_count++] = *verdict;
    return answer(record, status);
}

// The scene's own events first: where one of them ends the run, so does the piece.
static SpragStatus take_piece(SpragRecord *record, SpragRun *run, double from, double to)
{
    Watches *watches = &record->watches;
    double end = to;
    bool stop = false;
    if (record->stopping) { // at its beginning, or its end: a step tells its events first
        end = fmax(from, fmin(record->stop_time, to));
        sprag_run_stop(run, end);
        return record->outputs.signals && end > from
                   ? outputs_hear_piece(&record->outputs, run, from, end)
                   : SPRAG_OK;
    }
    SPRAG_TRY(watches_hear_piece(watches, run, from, to));
    for (size_t i = 0; i < watches->passage_count && !stop; i++) {
        SpragEvent event;
        stop = watches_event(watches, &watches->passages[i], &event);
        SPRAG_TRY(take_event(record, &event));
        // the end of a piece is told anyway, its begin has been
        if (event.t > from && event.t < to)
            SPRAG_TRY(sprag_run_mark(run, event.t));
        end = stop ? event.t : end;
    }
    if (stop)
        sprag_run_stop(run, end);
    return record->outputs.signals ? outputs_hear_piece(&record->outputs, run, from, end)
                                   : SPRAG_OK;
}

static int hear_piece(SpragRun *run, double from, double to, void *user)
{
    return answer(user, take_piece(user, run, from, to));
}

SpragSink sprag_record_sink(SpragRecord *record)
{
    return (SpragSink){.sample = hear_sample,
                       .event = hear_event,
                       .verdict = hear_verdict,
                       .user = record,
                       .piece = record->outputs.signals || record->watches.count > 0 ? hear_piece
                                                                                     : NULL};
}

SpragStatus sprag_record_status(const SpragRecord *record)
{
    if (record->status == SPRAG_OK)
        return SPRAG_OK;
    return sprag_fail(record->context, record->status, "%s", record->message);
}

// ---- What was recorded --------------------------------------------------------------------------

int sprag_record_signal_count(const SpragRecord *record)
{
    return record->selected.count;
}

const char *sprag_record_signal_name(const SpragRecord *record, int signal)
{
    return record->selected.items[signal].name;
}

SpragSignalKind sprag_record_signal_kind(const SpragRecord *record, int signal)
{
    return record->selected.items[signal].kind;
}

int sprag_record_find_signal(const SpragRecord *record, const char *name)
{
    for (int i = 0; i < record->selected.count; i++)
        if (strcmp(record->selected.items[i].name, name) == 0)
            return i;
    return -1;
}

const char *sprag_record_signal_unit(const SpragRecord *record, int signal)
{
    return signal_unit(&record->selected.items[signal]);
}

SpragStatus sprag_record_values(const SpragRecord *record, const SpragRunSample *sample,
                                double *values)
{
    for (int i = 0; i < record->selected.count; i++)
        SPRAG_TRY(signal_value(&record->selected.items[i], sample, &values[i]));
    return SPRAG_OK;
}

size_t sprag_record_sample_count(const SpragRecord *record)
{
    return record->sample_count;
}

const double *sprag_record_column(const SpragRecord *record, int signal)
{
    return record->keep_samples ? record->columns[signal].values : NULL;
}

size_t sprag_record_event_count(const SpragRecord *record)
{
    return record->event_count;
}

const SpragEvent *sprag_record_events(const SpragRecord *record)
{
    return record->events;
}

size_t sprag_record_verdict_count(const SpragRecord *record)
{
    return record->verdict_count;
}

const SpragRunVerdict *sprag_record_verdicts(const SpragRecord *record)
{
    return record->verdicts;
}

bool sprag_record_energy(const SpragRecord *record, SpragEnergyAccount *first,
                         SpragEnergyAccount *last)
{
    if (first)
        *first = record->first_energy;
    if (last)
        *last = record->last_energy;
    return record->sample_count > 0;
}

int sprag_record_output_count(const SpragRecord *record)
{
    return record->outputs.count;
}

const char *sprag_record_output_name(const SpragRecord *record, int output)
{
    return record->outputs.items[output].want.name;
}

double sprag_record_output(const SpragRecord *record, int output)
{
    return account_value(&record->outputs.items[output]);
}

// fit_columns.c: the measured trajectory: a table, and which of its columns is which signal.
// Format    SIGNAL=COLUMN UNIT +-SIGMA with commas between them; sweep.h has the whole of it
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_private.h"

enum { TEXT = 160 };

// One piece of the columns' text.
typedef struct Piece {
    char signal[TEXT], column[TEXT], unit[TEXT], sigma[TEXT];
} Piece;

typedef struct ColumnReader {
    FitWork *work;
    SpragContext *context;
    const SpragTable *table;
    const SpragSystem *system;
    SpragSceneSource *units; // reads numbers with units
    int time;                // column of t; −1: not known yet
    double time_factor;
    int places[SPRAG_FIT_COLUMNS];       // columns of the table
    int sigma_places[SPRAG_FIT_COLUMNS]; // −1: a number, or none
    double sigmas[SPRAG_FIT_COLUMNS];    // in the column's unit
} ColumnReader;

// ---- The text -----------------------------------------------------------------------------------

static void trim(char *text)
{
    size_t length = strlen(text), blank = strspn(text, " \t");
    while (length > blank && strchr(" \t", text[length - 1]))
        length--;
    memmove(text, text + blank, length - blank);
    text[length - blank] = 0;
}

static SpragStatus refuse(SpragContext *context, const char *what, const char *text)
{
    return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                      "%s, got '%.80s'; columns are written as 't=time ms, rod.marker.x=u mm'",
                      what, text);
}

// The column behind '=': in quotes, or up to a blank. Returns what follows.
static const char *take_column(const char *text, char column[TEXT])
{
    const char *end;
    text += strspn(text, " \t");
    if (*text == '"') {
        end = strchr(++text, '"');
        if (!end)
            return NULL;
    } else {
        end = text + strcspn(text, " \t");
    }
    if ((size_t)(end - text) >= TEXT)
        return NULL;
    snprintf(column, TEXT, "%.*s", (int)(end - text), text);
    return *end == '"' ? end + 1 : end;
}

static SpragStatus cut_piece(SpragContext *context, const char *text, Piece *piece)
{
    const char *equals = strchr(text, '='), *rest;
    if (!equals || equals - text >= TEXT || strlen(text) >= TEXT)
        return refuse(context, "a column is SIGNAL=COLUMN", text);
    snprintf(piece->signal, TEXT, "%.*s", (int)(equals - text), text);
    trim(piece->signal);
    rest = take_column(equals + 1, piece->column);
    if (!rest || !piece->signal[0] || !piece->column[0])
        return refuse(context, "a column is SIGNAL=COLUMN", text);
    const char *sign = strstr(rest, "±"), *plus = strstr(rest, "+-");
    const char *sigma = sign ? sign + strlen("±") : plus ? plus + 2 : NULL;
    const char *end = sign ? sign : plus ? plus : rest + strlen(rest);
    snprintf(piece->unit, TEXT, "%.*s", (int)(end - rest), rest);
    snprintf(piece->sigma, TEXT, "%s", sigma ? sigma : "");
    trim(piece->unit);
    trim(piece->sigma);
    if (sigma && !piece->sigma[0])
        return refuse(context, "behind +- stands a number or a column", text);
    return SPRAG_OK;
}

// The next piece up to a comma outside of quotes; *text moves behind it. False: none is left.
static bool next_piece(const char **text, char *piece, size_t bytes)
{
    const char *c = *text;
    bool quoted = false;
    if (!*c)
        return false;
    for (; *c && (quoted || *c != ','); c++)
        quoted ^= *c == '"';
    snprintf(piece, bytes, "%.*s", (int)(c - *text), *text);
    trim(piece);
    *text = *c ? c + 1 : c;
    return true;
}

// ---- Units --------------------------------------------------------------------------------------

static SpragStatus open_units(ColumnReader *reader)
{
    static const char text[] = "sprag: 1\nparameters: {unit: 1}\nbodies: []\n";
    SPRAG_TRY(sprag_scene_source_create_text(reader->context, "columns", text, sizeof text - 1,
                                             NULL, &reader->units));
    return sprag_scene_source_add_variable(reader->units, "unit");
}

// SI value of a unit, which must be of the kind of `wanted` ("" for a number without unit).
static SpragStatus read_unit(ColumnReader *reader, const char *signal, const char *unit,
                             const char *wanted, double *factor)
{
    char given[TEXT + 2], like[40];
    const char *pair[2] = {given, like};
    double numbers[2];
    *factor = 1;
    if (!unit[0])
        return SPRAG_OK;
    snprintf(given, sizeof given, "1 %s", unit);
    snprintf(like, sizeof like, "1 %s", wanted);
    if (!wanted[0])
        return sprag_fail(reader->context, SPRAG_ERROR_ARGUMENT,
                          "%s has no unit, got '%.40s' for its column", signal, unit);
    if (sprag_scene_source_read_values(reader->units, 0, 2, pair, numbers) != SPRAG_OK ||
        !(numbers[0] > 0) || !isfinite(numbers[0]))
        return sprag_fail(reader->context, SPRAG_ERROR_ARGUMENT,
                          "%s is in %s: '%.40s' is not such a unit (a column name with spaces "
                          "stands in double quotes)",
                          signal, wanted, unit);
    *factor = numbers[0];
    return SPRAG_OK;
}

// ---- Columns ------------------------------------------------------------------------------------

// A column by its name, or by its name and unit as headers of measurements have them.
static int look_for(const SpragTable *table, const char *name, const char *unit)
{
    static const char *const ways[] = {"%s %s", "%s [%s]", "%s (%s)", "%s/%s", "%s / %s"};
    int found = sprag_table_find(table, name);
    for (size_t i = 0; found < 0 && unit[0] && i < sizeof ways / sizeof *ways; i++) {
        char header[2 * TEXT + 8];
        snprintf(header, sizeof header, ways[i], name, unit);
        found = sprag_table_find(table, header);
    }
    return found;
}

static SpragStatus find_column(const ColumnReader *reader, const char *name, const char *unit,
                               int *column)
{
    const SpragTable *table = reader->table;
    SpragText list;
    *column = look_for(table, name, unit);
    if (*column >= 0)
        return SPRAG_OK;
    sprag_text_init(&list, reader->context);
    for (int i = 0; i < table->column_count && list.length < 200; i++)
        sprag_text_add(&list, "%s%s", i ? ", " : "", table->names[i]);
    SpragStatus status = sprag_fail(
        reader->context, SPRAG_ERROR_INPUT, "%s: there is no column '%.60s'; it has %d: %s",
        table->path, name, table->column_count,
        table->names[0][0] && list.bytes ? list.bytes : "without names, #1, #2 …");
    sprag_text_destroy(&list);
    return status;
}

// The record knows the signals; a name that is none is its failure.
static SpragStatus look_up_signal(const ColumnReader *reader, const char *signal, char unit[16])
{
    SpragRecordSettings settings = sprag_record_default();
    SpragRecord *record;
    settings.signals = signal;
    settings.keep_samples = false;
    SPRAG_TRY(sprag_record_create(reader->context, reader->system, &settings, &record));
    int count = sprag_record_signal_count(record);
    SpragStatus status = SPRAG_OK;
    if (count != 2 || strcmp(sprag_record_signal_name(record, 1), signal) != 0)
        status =
            sprag_fail(reader->context, SPRAG_ERROR_ARGUMENT,
                       "a column is compared with one signal, '%.60s' names %d", signal, count - 1);
    else if (sprag_record_signal_kind(record, 1) != SPRAG_SIGNAL_NUMBER)
        status = sprag_fail(reader->context, SPRAG_ERROR_ARGUMENT,
                            "'%.60s' is a word, not a number: it cannot be fitted", signal);
    else
        snprintf(unit, 16, "%s", sprag_record_signal_unit(record, 1));
    sprag_record_destroy(record);
    return status;
}

static SpragStatus read_sigma(ColumnReader *reader, const char *text, int index)
{
    char *end;
    reader->sigma_places[index] = -1;
    if (!text[0])
        return SPRAG_OK;
    reader->work->fit->columns[index].has_sigma = true;
    reader->sigmas[index] = strtod(text, &end);
    if (end != text && !*end) {
        if (reader->sigmas[index] > 0 && isfinite(reader->sigmas[index]))
            return SPRAG_OK;
        return refuse(reader->context, "a standard deviation must be > 0", text);
    }
    return find_column(reader, text, "", &reader->sigma_places[index]);
}

static const char *kind_name(const char *unit)
{
    static const char *const kinds[] = {"m", "rad", "m/s", "rad/s", "N", "J", "s"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], unit) == 0)
            return kinds[i];
    return "";
}

static SpragStatus add_column(ColumnReader *reader, const Piece *piece)
{
    SpragFit *fit = reader->work->fit;
    char unit[16];
    if (strcmp(piece->signal, "t") == 0) {
        SPRAG_TRY(find_column(reader, piece->column, piece->unit, &reader->time));
        return read_unit(reader, "t", piece->unit, "s", &reader->time_factor);
    }
    if (fit->column_count == SPRAG_FIT_COLUMNS)
        return refuse(reader->context, "there are too many columns", piece->signal);
    int index = fit->column_count;
    SpragFitColumn *column = &fit->columns[index];
    SPRAG_TRY(find_column(reader, piece->column, piece->unit, &reader->places[index]));
    SPRAG_TRY(look_up_signal(reader, piece->signal, unit));
    SPRAG_TRY(read_unit(reader, piece->signal, piece->unit, unit, &column->factor));
    column->kind = kind_name(unit);
    column->signal = sprag_copy_text(reader->context, piece->signal);
    column->name = sprag_copy_text(reader->context, piece->column);
    fit->column_count++;
    if (!column->signal || !column->name)
        return SPRAG_ERROR_MEMORY;
    snprintf(column->unit, sizeof column->unit, "%.31s", piece->unit[0] ? piece->unit : unit);
    return read_sigma(reader, piece->sigma, index);
}

// Numbers that are not all the same: what a run writes of bodies that stand still says nothing,
// and the gap of what cannot touch is infinite. A cell that is no number is told later, with its
// line.
static bool says_something(const SpragTable *table, int column)
{
    bool some = false;
    for (size_t i = 0; i < table->row_count; i++) {
        size_t at = i * (size_t)table->column_count + (size_t)column;
        if (isinf(table->values[at]))
            return false;
        some |= !(table->values[at] == table->values[column]);
    }
    return some;
}

static SpragStatus add_by_name(ColumnReader *reader)
{
    const SpragTable *table = reader->table;
    for (int i = 0; i < table->column_count; i++) {
        Piece piece = {.unit = "", .sigma = ""};
        char unit[16];
        if (!table->names[i][0] || strlen(table->names[i]) >= TEXT ||
            strpbrk(table->names[i], ",*?") || strcmp(table->names[i], "t") == 0)
            continue;
        if (look_up_signal(reader, table->names[i], unit) != SPRAG_OK || !says_something(table, i))
            continue;
        snprintf(piece.signal, TEXT, "%s", table->names[i]);
        snprintf(piece.column, TEXT, "%s", table->names[i]);
        SPRAG_TRY(add_column(reader, &piece));
    }
    return SPRAG_OK;
}

static SpragStatus read_columns(ColumnReader *reader)
{
    const char *text = reader->work->settings->columns;
    char one[2 * TEXT];
    while (text && next_piece(&text, one, sizeof one)) {
        Piece piece;
        SPRAG_TRY(cut_piece(reader->context, one, &piece));
        SPRAG_TRY(add_column(reader, &piece));
    }
    if (!reader->work->settings->columns)
        SPRAG_TRY(add_by_name(reader));
    if (reader->time < 0)
        reader->time = sprag_table_find(reader->table, "t");
    if (reader->time < 0)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s: which column is the time? write --columns 't=NAME UNIT, …'",
                          reader->table->path);
    if (reader->work->fit->column_count == 0)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s: no column to compare with: none that varies has the name of a "
                          "signal; write --columns 't=NAME UNIT, SIGNAL=NAME UNIT'",
                          reader->table->path);
    return SPRAG_OK;
}

// ---- Numbers ------------------------------------------------------------------------------------

static SpragStatus read_number(const ColumnReader *reader, size_t row, int column, double *number)
{
    const SpragTable *table = reader->table;
    size_t at = row * (size_t)table->column_count + (size_t)column;
    *number = table->values[at];
    if (isfinite(*number))
        return SPRAG_OK;
    const char *what = table->kinds[at] == SPRAG_CELL_EMPTY   ? "is empty"
                       : table->kinds[at] == SPRAG_CELL_WORDS ? "is not a number"
                                                              : "is not finite";
    if (table->names[column][0])
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s:%ld: the cell of '%.60s' %s",
                          table->path, table->lines[row], table->names[column], what);
    return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s:%ld: the cell of column %d %s",
                      table->path, table->lines[row], column + 1, what);
}

static SpragStatus read_times(const ColumnReader *reader)
{
    SpragFit *fit = reader->work->fit;
    for (size_t i = 0; i < fit->row_count; i++) {
        SPRAG_TRY(read_number(reader, i, reader->time, &fit->times[i]));
        fit->times[i] *= reader->time_factor;
        // two rows at one time are the two sides of an event
        bool falls = i > 0 && fit->times[i] < fit->times[i - 1];
        if (falls || fit->times[i] < 0)
            return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s:%ld: %s", reader->table->path,
                              reader->table->lines[i],
                              falls ? "the times must ascend"
                                    : "a run starts at t = 0, this time is before it");
    }
    reader->work->until = fit->times[fit->row_count - 1];
    if (!(reader->work->until > 0))
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s: all times are 0: there is no motion to compare with",
                          reader->table->path);
    return SPRAG_OK;
}

static SpragStatus read_values(const ColumnReader *reader, int index)
{
    SpragFit *fit = reader->work->fit;
    SpragFitColumn *column = &fit->columns[index];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < fit->row_count; i++) {
        size_t at = i * (size_t)fit->column_count + (size_t)index;
        double number, sigma = reader->sigmas[index];
        SPRAG_TRY(read_number(reader, i, reader->places[index], &number));
        fit->data[at] = number * column->factor;
        low = fmin(low, fit->data[at]);
        high = fmax(high, fit->data[at]);
        if (!column->has_sigma)
            continue;
        if (reader->sigma_places[index] >= 0)
            SPRAG_TRY(read_number(reader, i, reader->sigma_places[index], &sigma));
        if (!(sigma > 0))
            return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                              "%s:%ld: the standard deviation of '%.60s' must be > 0",
                              reader->table->path, reader->table->lines[i], column->name);
        fit->sigma[at] = sigma * column->factor;
    }
    double size = fmax(fabs(low), fabs(high));
    reader->work->spread[index] = high > low ? high - low : size > 0 ? size : 1;
    return SPRAG_OK;
}

// Two rows at one time are the two sides of an event. What jumps there belongs to neither time nor
// side once the run's event comes at another time: such cells are left out.
static void skip_jumps(const FitWork *work)
{
    const double small = 1e-6; // of the spread: less is rounding
    const SpragFit *fit = work->fit;
    size_t columns = (size_t)fit->column_count;
    for (size_t i = 1; i < fit->row_count; i++)
        for (size_t k = 0; k < columns && fit->times[i] == fit->times[i - 1]; k++) {
            size_t at = i * columns + k;
            if (fabs(fit->data[at] - fit->data[at - columns]) > small * work->spread[k])
                work->skipped[at] = work->skipped[at - columns] = true;
        }
}

// Without deviations columns of one kind weigh the same; of several kinds each by its spread.
static SpragStatus choose_weights(FitWork *work)
{
    SpragFit *fit = work->fit;
    bool mixed = false;
    int sigmas = 0;
    for (int i = 0; i < fit->column_count; i++) {
        mixed |= strcmp(fit->columns[i].kind, fit->columns[0].kind) != 0;
        sigmas += fit->columns[i].has_sigma;
    }
    if (sigmas > 0 && sigmas < fit->column_count)
        return sprag_fail(fit->context, SPRAG_ERROR_ARGUMENT,
                          "either all columns have a standard deviation (+-) or none has");
    for (int i = 0; i < fit->column_count; i++)
        fit->columns[i].weight = mixed && sigmas == 0 ? 1 / work->spread[i] : 1;
    return SPRAG_OK;
}

static SpragStatus read_table(ColumnReader *reader)
{
    SpragFit *fit = reader->work->fit;
    SPRAG_TRY(open_units(reader));
    SPRAG_TRY(read_columns(reader));
    fit->row_count = reader->table->row_count;
    size_t cells = fit->row_count * (size_t)fit->column_count;
    if (cells > 2000000)
        return sprag_fail(reader->context, SPRAG_ERROR_LIMIT,
                          "%s: a fit takes at most 2000000 numbers, these are %zu",
                          reader->table->path, cells);
    fit->times = sprag_alloc(reader->context, fit->row_count, sizeof(double));
    fit->data = sprag_alloc(reader->context, cells, sizeof(double));
    fit->model = sprag_alloc(reader->context, cells, sizeof(double));
    reader->work->skipped = sprag_alloc(reader->context, cells, sizeof(bool));
    if (!fit->times || !fit->data || !fit->model || !reader->work->skipped)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < fit->column_count && !fit->sigma; i++)
        if (fit->columns[i].has_sigma && !(fit->sigma = sprag_alloc(fit->context, cells, 8)))
            return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(read_times(reader));
    for (int i = 0; i < fit->column_count; i++)
        SPRAG_TRY(read_values(reader, i));
    skip_jumps(reader->work);
    return choose_weights(reader->work);
}

// The list of signals for records; a signal may stand in several columns.
static SpragStatus list_signals(FitWork *work)
{
    const SpragFit *fit = work->fit;
    SpragText list;
    int count = 0;
    sprag_text_init(&list, fit->context);
    for (int i = 0; i < fit->column_count; i++) {
        int same = 0;
        while (same < i && strcmp(fit->columns[same].signal, fit->columns[i].signal) != 0)
            same++;
        work->signal_of[i] = same < i ? work->signal_of[same] : ++count;
        if (same == i)
            sprag_text_add(&list, "%s%s", count > 1 ? "," : "", fit->columns[i].signal);
    }
    work->signals = list.failed ? NULL : list.bytes;
    if (list.failed)
        sprag_text_destroy(&list);
    return work->signals ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus fit_read_data(FitWork *work, const char *path, const SpragSystem *system)
{
    SpragContext *context = work->fit->context;
    SpragTable *table;
    SPRAG_TRY(sprag_table_read(context, path, &table));
    ColumnReader reader = {.work = work,
                           .context = context,
                           .table = table,
                           .system = system,
                           .time = -1,
                           .time_factor = 1};
    SpragStatus status = read_table(&reader);
    if (status == SPRAG_OK)
        status = list_signals(work);
    sprag_scene_source_destroy(reader.units);
    sprag_table_destroy(table);
    return status;
}

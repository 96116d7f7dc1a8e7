// table_file.c: {table: f.csv, column: fx}: two columns of a CSV file as a curve.
// Format    rows with commas between cells; the first row names the columns unless it is numbers.
//           The first column is x; y is the column of that name, else the second one. Empty lines
//           and lines that begin with # are passed over. Paths are relative to the scene's folder.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples.h"
#include "scene_private.h"

enum { MAX_ROWS = 1000000, MAX_LINE = 4096 };

typedef struct TableFile {
    Reader *reader;
    const Node *node;
    FILE *file;
    int line;
    int column; // of y
    double *x, *y;
    size_t x_capacity, y_capacity;
    int count;
} TableFile;

// All of it for the bundle of a page, then back to the beginning.
static SpragStatus note_file(TableFile *table, const char *path)
{
    Reader *reader = table->reader;
    if (!reader->pack)
        return SPRAG_OK;
    char block[MAX_LINE];
    size_t got;
    SpragText text;
    sprag_text_init(&text, reader->context);
    while ((got = fread(block, 1, sizeof block, table->file)) > 0 && text.length <= MAX_BYTES)
        sprag_text_add_bytes(&text, block, got);
    rewind(table->file);
    SpragStatus status = text.failed ? SPRAG_ERROR_MEMORY : bundle_note(reader, path, &text);
    sprag_text_destroy(&text);
    return status;
}

static SpragStatus open_file(TableFile *table)
{
    Reader *reader = table->reader;
    const char *name = table->node->text, *base = node_file(reader, table->node);
    SpragText path;
    sprag_text_init(&path, reader->context);
    if (name[0] != '/')
        sprag_text_add_bytes(&path, base, folder_length(base));
    sprag_text_add(&path, "%s", name);
    SpragStatus status = path.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
    const EmbeddedFile *inside = path.failed ? NULL : find_example(path.bytes);
    if (inside)
        table->file = fmemopen((void *)inside->bytes, (size_t)(inside->end - inside->bytes), "rb");
    else
        table->file = path.failed ? NULL : bundle_open(reader, path.bytes);
    int reason = errno;
    if (table->file)
        status = note_file(table, path.bytes);
    sprag_text_destroy(&path);
    SPRAG_TRY(status);
    return table->file ? SPRAG_OK
                       : fail_at(reader, table->node, "the table %s cannot be read: %s",
                                 shown(reader, name), strerror(reason));
}

// The next line that says something, without its end; *line "" at the end of the file.
static SpragStatus next_line(TableFile *table, char line[MAX_LINE])
{
    line[0] = 0;
    while (fgets(line, MAX_LINE, table->file)) {
        if (table->line++ >= 2 * MAX_ROWS) // a device would never end
            return fail_at(table->reader, table->node, "the table has more than %d lines",
                           2 * MAX_ROWS);
        size_t length = strlen(line);
        if (length == MAX_LINE - 1 && line[length - 1] != '\n')
            return fail_at(table->reader, table->node, "line %d of the table is too long",
                           table->line);
        while (length > 0 && strchr("\r\n \t", line[length - 1]))
            line[--length] = 0;
        if (length > 0 && line[0] != '#')
            return SPRAG_OK;
        line[0] = 0;
    }
    if (ferror(table->file))
        return fail_at(table->reader, table->node, "the table cannot be read");
    return SPRAG_OK;
}

// Cell `column` of a line, without spaces and quotes around it; false: there is none.
static bool find_cell(const char *line, int column, char cell[64])
{
    for (; column > 0; column--) {
        line = strchr(line, ',');
        if (!line++)
            return false;
    }
    line += strspn(line, " \t\"");
    size_t length = strcspn(line, ",");
    while (length > 0 && strchr(" \t\"", line[length - 1]))
        length--;
    if (length == 0 || length >= 64)
        return false;
    memcpy(cell, line, length);
    cell[length] = 0;
    return true;
}

static bool read_cell(const TableFile *table, const char *line, int column, double *number)
{
    char cell[64], *end;
    if (!find_cell(line, column, cell))
        return false;
    *number = strtod_l(cell, &end, table->reader->locale);
    return end != cell && !*end && fabs(*number) <= SPRAG_MODEL_LARGEST;
}

static SpragStatus choose_column(TableFile *table, const Node *wanted, const char *head)
{
    const char *name;
    char cell[64];
    table->column = 1;
    if (!wanted)
        return SPRAG_OK;
    SPRAG_TRY(read_text(table->reader, wanted, "column", &name));
    for (table->column = 0; find_cell(head, table->column, cell); table->column++)
        if (strcmp(cell, name) == 0)
            return SPRAG_OK;
    return fail_at(table->reader, wanted, "the table has no column %s", shown(table->reader, name));
}

static SpragStatus read_rows(TableFile *table, const Node *wanted)
{
    Reader *reader = table->reader;
    SpragContext *context = reader->context;
    char line[MAX_LINE];
    double x, y;
    SPRAG_TRY(next_line(table, line));
    SPRAG_TRY(choose_column(table, wanted, line));
    if (!read_cell(table, line, 0, &x)) // names
        SPRAG_TRY(next_line(table, line));
    for (; line[0]; table->count++) {
        if (!read_cell(table, line, 0, &x) || !read_cell(table, line, table->column, &y))
            return fail_at(reader, table->node, "line %d of the table lacks a number", table->line);
        if (table->count > 0 && !(x > table->x[table->count - 1]))
            return fail_at(reader, table->node,
                           "the first column of the table must ascend: line %d", table->line);
        if (table->count >= MAX_ROWS)
            return fail_at(reader, table->node, "a table may have at most %d rows", MAX_ROWS);
        size_t needed = (size_t)table->count + 1;
        SPRAG_TRY(sprag_reserve(context, &table->x, &table->x_capacity, needed, sizeof x));
        SPRAG_TRY(sprag_reserve(context, &table->y, &table->y_capacity, needed, sizeof y));
        table->x[table->count] = x;
        table->y[table->count] = y;
        SPRAG_TRY(next_line(table, line));
    }
    return table->count > 0 ? SPRAG_OK : fail_at(reader, table->node, "the table has no rows");
}

SpragStatus read_curve_file(Reader *reader, const Node *node, const Node *column, bool smooth,
                            SpragCurve *curve)
{
    TableFile table = {.reader = reader, .node = node};
    SpragStatus status = open_file(&table);
    if (status == SPRAG_OK)
        status = read_rows(&table, column);
    size_t count = (size_t)table.count;
    double *kept = status == SPRAG_OK ? scene_keep(reader, 4 * count, sizeof *kept) : NULL;
    if (kept) {
        memcpy(kept, table.x, count * sizeof *kept);
        memcpy(kept + count, table.y, count * sizeof *kept);
        SpragCurve made = {table.count, kept, kept + count, NULL};
        if (smooth && count > 1) {
            sprag_curve_bend(table.count, made.x, made.y, kept + 2 * count, kept + 3 * count);
            made.bend = kept + 2 * count;
        }
        *curve = made;
    } else if (status == SPRAG_OK) {
        status = SPRAG_ERROR_MEMORY;
    }
    if (table.file)
        fclose(table.file);
    sprag_free(reader->context, table.x);
    sprag_free(reader->context, table.y);
    return status;
}

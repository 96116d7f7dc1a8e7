// record_table.c: tables of numbers from CSV files of others.
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/record.h"

enum { MOST_COLUMNS = 4096 };
static const size_t MOST_BYTES = (size_t)1 << 28, MOST_CELLS = 50000000;

typedef struct TableReader {
    SpragContext *context;
    SpragTable *table;
    const char *at, *end; // of the text
    long line;
    char separator;
    locale_t locale;
    SpragText cell;
    size_t value_capacity, kind_capacity, line_capacity;
} TableReader;

// ---- Cells --------------------------------------------------------------------------------------

static bool at_line_end(const TableReader *reader)
{
    return reader->at == reader->end || *reader->at == '\n';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// "a ""b""" up to its last quote; false: it has none.
static bool read_quoted(TableReader *reader)
{
    for (reader->at++; reader->at < reader->end && *reader->at != '\n'; reader->at++) {
        if (*reader->at == '"' && (reader->at + 1 == reader->end || reader->at[1] != '"')) {
            reader->at++;
            return true;
        }
        reader->at += *reader->at == '"';
        sprag_text_add_bytes(&reader->cell, reader->at, 1);
    }
    return false;
}

// The next cell, without what is around it, and the separator behind it.
static bool read_cell(TableReader *reader)
{
    bool whole = true;
    reader->cell.length = 0;
    if (reader->cell.bytes)
        reader->cell.bytes[0] = 0;
    while (!at_line_end(reader) && is_blank(*reader->at) && *reader->at != reader->separator)
        reader->at++;
    if (!at_line_end(reader) && *reader->at == '"')
        whole = read_quoted(reader);
    while (!at_line_end(reader) && *reader->at != reader->separator)
        sprag_text_add_bytes(&reader->cell, reader->at++, 1);
    while (reader->cell.length > 0 && is_blank(reader->cell.bytes[reader->cell.length - 1]))
        reader->cell.bytes[--reader->cell.length] = 0;
    return whole;
}

static SpragCellKind read_number(TableReader *reader, double *number)
{
    char *end;
    *number = NAN;
    if (reader->cell.length == 0)
        return SPRAG_CELL_EMPTY;
    // 0x10 is a number to C, not to people with a table
    if (strpbrk(reader->cell.bytes, "xX"))
        return SPRAG_CELL_WORDS;
    *number = strtod_l(reader->cell.bytes, &end, reader->locale);
    if (*end) {
        *number = NAN;
        return SPRAG_CELL_WORDS;
    }
    return SPRAG_CELL_NUMBER;
}

// ---- Rows ---------------------------------------------------------------------------------------

// To the begin of the next line that says something; false: there is none.
static bool find_line(TableReader *reader)
{
    while (reader->at < reader->end) {
        const char *c = reader->at;
        while (c < reader->end && *c != '\n' && (is_blank(*c) || *c == reader->separator))
            c++;
        if (c < reader->end && *c != '\n' && *reader->at != '#')
            return true;
        while (!at_line_end(reader))
            reader->at++;
        reader->at += reader->at < reader->end;
        reader->line++;
    }
    return false;
}

static SpragStatus refuse(TableReader *reader, const char *what)
{
    return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s:%ld: %s", reader->table->path,
                      reader->line, what);
}

static SpragStatus end_line(TableReader *reader)
{
    reader->at += reader->at < reader->end;
    reader->line++;
    return reader->cell.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

// Counts the cells of the line and looks whether all are numbers, without moving on.
static SpragStatus look_at_head(TableReader *reader, bool *names)
{
    const char *begin = reader->at;
    int count = 0;
    double number;
    *names = false;
    for (bool more = true; more; count++) {
        if (!read_cell(reader))
            return refuse(reader, "a cell has no closing quote");
        *names |= read_number(reader, &number) == SPRAG_CELL_WORDS;
        more = !at_line_end(reader);
        reader->at += more;
        if (count == MOST_COLUMNS)
            return refuse(reader, "the table has more than 4096 columns");
    }
    reader->at = begin;
    reader->table->column_count = count;
    reader->table->names = sprag_alloc(reader->context, (size_t)count, sizeof(char *));
    return reader->table->names ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus read_names(TableReader *reader, bool given)
{
    SpragTable *table = reader->table;
    for (int i = 0; i < table->column_count; i++) {
        if (given) {
            read_cell(reader);
            reader->at += !at_line_end(reader);
        }
        const char *name = given && reader->cell.bytes ? reader->cell.bytes : "";
        table->names[i] = sprag_copy_text(reader->context, name);
        if (!table->names[i])
            return SPRAG_ERROR_MEMORY;
    }
    return given ? end_line(reader) : SPRAG_OK;
}

static SpragStatus reserve_row(TableReader *reader)
{
    SpragTable *table = reader->table;
    size_t cells = (table->row_count + 1) * (size_t)table->column_count;
    if (cells > MOST_CELLS)
        return sprag_fail(reader->context, SPRAG_ERROR_LIMIT, "%s: the table has too many cells",
                          table->path);
    SPRAG_TRY(sprag_reserve(reader->context, &table->values, &reader->value_capacity, cells,
                            sizeof *table->values));
    SPRAG_TRY(sprag_reserve(reader->context, &table->kinds, &reader->kind_capacity, cells, 1));
    return sprag_reserve(reader->context, &table->lines, &reader->line_capacity,
                         table->row_count + 1, sizeof *table->lines);
}

static SpragStatus read_row(TableReader *reader)
{
    SpragTable *table = reader->table;
    int count = 0;
    SPRAG_TRY(reserve_row(reader));
    size_t first = table->row_count * (size_t)table->column_count;
    for (bool more = true; more; count++) {
        double number;
        if (!read_cell(reader))
            return refuse(reader, "a cell has no closing quote");
        SpragCellKind kind = read_number(reader, &number);
        more = !at_line_end(reader);
        reader->at += more;
        if (count >= table->column_count)
            continue;
        table->values[first + (size_t)count] = number;
        table->kinds[first + (size_t)count] = (char)kind;
    }
    // a separator at the end of a line is not a cell
    bool trailing = count == table->column_count + 1 && reader->cell.length == 0;
    if (count != table->column_count && !trailing)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s:%ld: the row has %d cells, the first one has %d", table->path,
                          reader->line, count, table->column_count);
    table->lines[table->row_count++] = reader->line;
    return end_line(reader);
}

static char find_separator(const TableReader *reader)
{
    static const char known[] = {',', ';', '\t'};
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    size_t length = (size_t)((end ? end : reader->end) - reader->at);
    for (size_t i = 0; i < sizeof known; i++)
        if (memchr(reader->at, known[i], length))
            return known[i];
    return ',';
}

static SpragStatus read_all(TableReader *reader)
{
    static const char mark[] = "\xef\xbb\xbf"; // of UTF-8, as spreadsheets write it
    bool names;
    if (memchr(reader->at, 0, (size_t)(reader->end - reader->at)))
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s: this is not a text file: it has zero bytes", reader->table->path);
    if (reader->end - reader->at >= 3 && memcmp(reader->at, mark, 3) == 0)
        reader->at += 3;
    reader->separator = ',';
    if (!find_line(reader))
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s: the table is empty",
                          reader->table->path);
    reader->separator = find_separator(reader);
    SPRAG_TRY(look_at_head(reader, &names));
    SPRAG_TRY(read_names(reader, names));
    while (find_line(reader))
        SPRAG_TRY(read_row(reader));
    if (reader->table->row_count == 0)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s: the table has no rows",
                          reader->table->path);
    return SPRAG_OK;
}

// ---- Tables -------------------------------------------------------------------------------------

SpragStatus sprag_table_read_text(SpragContext *context, const char *name, const char *text,
                                  size_t length, SpragTable **table)
{
    TableReader reader = {.context = context, .at = text, .end = text + length, .line = 1};
    SpragStatus status = SPRAG_ERROR_MEMORY;
    *table = NULL;
    reader.table = sprag_alloc(context, 1, sizeof *reader.table);
    reader.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    sprag_text_init(&reader.cell, context);
    if (reader.table) {
        reader.table->context = context;
        reader.table->path = sprag_copy_text(context, name);
    }
    if (reader.table && reader.table->path && reader.locale)
        status = read_all(&reader);
    if (reader.locale)
        freelocale(reader.locale);
    sprag_text_destroy(&reader.cell);
    if (status == SPRAG_OK)
        *table = reader.table;
    else
        sprag_table_destroy(reader.table);
    return status;
}

static SpragStatus fail_read(SpragContext *context, const char *path)
{
    return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be read: %s", path, strerror(errno));
}

SpragStatus sprag_table_read(SpragContext *context, const char *path, SpragTable **table)
{
    char block[16384];
    size_t got;
    SpragText text;
    *table = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_read(context, path);
    sprag_text_init(&text, context);
    while ((got = fread(block, 1, sizeof block, file)) > 0 && text.length <= MOST_BYTES)
        sprag_text_add_bytes(&text, block, got);
    SpragStatus status = SPRAG_OK;
    if (ferror(file))
        status = fail_read(context, path);
    else if (text.failed)
        status = SPRAG_ERROR_MEMORY;
    else if (text.length > MOST_BYTES)
        status = sprag_fail(context, SPRAG_ERROR_LIMIT, "%s: the file is too large", path);
    fclose(file);
    if (status == SPRAG_OK)
        status =
            sprag_table_read_text(context, path, text.bytes ? text.bytes : "", text.length, table);
    sprag_text_destroy(&text);
    return status;
}

void sprag_table_destroy(SpragTable *table)
{
    if (!table)
        return;
    SpragContext *context = table->context;
    for (int i = 0; table->names && i < table->column_count; i++)
        sprag_free(context, table->names[i]);
    sprag_free(context, (void *)table->names);
    sprag_free(context, table->values);
    sprag_free(context, table->kinds);
    sprag_free(context, table->lines);
    sprag_free(context, table->path);
    sprag_free(context, table);
}

int sprag_table_find(const SpragTable *table, const char *name)
{
    char *end;
    for (int i = 0; i < table->column_count; i++)
        if (table->names[i][0] && strcmp(table->names[i], name) == 0)
            return i;
    if (name[0] != '#' || !isdigit((unsigned char)name[1]))
        return -1;
    long number = strtol(name + 1, &end, 10);
    return *end || number < 1 || number > table->column_count ? -1 : (int)number - 1;
}

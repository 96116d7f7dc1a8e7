// print.c: numbers and aligned tables for people.
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 5, MOST_COLUMNS = 32 };
// Relative size below which a number is noise beside its scale: the tolerance to which motions and
// the representative of indeterminate forces are computed.
static const double NOISE = 1e-9;

const char *print_number(double number, char buffer[NUMBER_BYTES])
{
    snprintf(buffer, NUMBER_BYTES, "%.*g", DIGITS, number == 0 ? 0 : number);
    return buffer;
}

const char *print_clean(double number, double scale, char buffer[NUMBER_BYTES])
{
    return print_number(fabs(number) <= NOISE * scale ? 0 : number, buffer);
}

void table_init(Table *table, SpragContext *context, const char *columns)
{
    table->columns = columns;
    table->cell_count = 0;
    sprag_text_init(&table->cells, context);
}

void table_destroy(Table *table)
{
    sprag_text_destroy(&table->cells);
}

void table_add(Table *table, const char *format, ...)
{
    char cell[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    sprag_text_add_bytes(&table->cells, cell, strlen(cell) + 1);
    table->cell_count++;
}

void table_add_heads(Table *table, const char *const *heads)
{
    for (int i = 0; table->columns[i]; i++)
        table_add(table, "%s", heads[i]);
}

void table_add_number(Table *table, double number)
{
    char buffer[NUMBER_BYTES];
    table_add(table, "%s", print_number(number, buffer));
}

void table_add_clean(Table *table, double number, double scale)
{
    char buffer[NUMBER_BYTES];
    table_add(table, "%s", print_clean(number, scale, buffer));
}

// Characters of a UTF-8 text: all bytes but those that continue one.
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

static void add_cell(SpragText *text, const char *cell, int width, bool right, bool last)
{
    int space = width - text_width(cell);
    if (right)
        sprag_text_add(text, "%*s%s", space, "", cell);
    else
        sprag_text_add(text, "%s%*s", cell, last ? 0 : space, "");
}

void table_print(Table *table, SpragText *text)
{
    int widths[MOST_COLUMNS] = {0};
    int columns = (int)strlen(table->columns);
    if (table->cells.failed || columns == 0 || columns > MOST_COLUMNS)
        return;
    const char *cell = table->cells.bytes;
    for (int i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        int width = text_width(cell);
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    cell = table->cells.bytes;
    for (int i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        int column = i % columns;
        bool last = column + 1 == columns;
        sprag_text_add(text, "  ");
        add_cell(text, cell, widths[column], table->columns[column] == 'r', last);
        if (last)
            sprag_text_add(text, "\n");
    }
    table->cell_count = 0;
    table->cells.length = 0;
}

void notes_add(const char *note, void *user)
{
    Notes *notes = user;
    sprag_text_add(notes->text, notes->begun ? "  %s\n" : "\nnotes\n  %s\n", note);
    notes->begun = true;
}

// print.h: numbers and aligned tables for people.
#ifndef SPRAG_TOOL_PRINT_H
#define SPRAG_TOOL_PRINT_H

#include "sprag/base.h"

// Five significant digits, without a minus before zero; "inf" for an infinity. Returns `buffer`.
enum { NUMBER_BYTES = 32 };
const char *print_number(double number, char buffer[NUMBER_BYTES]);
// The same, with 0 for what is negligible beside `scale`: rounding leaves 1e-17 where 0 is meant.
const char *print_clean(double number, double scale, char buffer[NUMBER_BYTES]);

// Rows of cells, column by column; printed with columns as wide as their widest cell.
typedef struct Table {
    const char *columns; // a letter per column: l aligns left, r right
    int cell_count;
    SpragText cells; // one after the other, each with its end of text
} Table;

// columns is borrowed.
void table_init(Table *table, SpragContext *context, const char *columns);
void table_destroy(Table *table);
// The next cell, from left to right, row after row.
void table_add(Table *table, const char *format, ...) SPRAG_PRINTF(2, 3);
// A row of texts, one per column.
void table_add_heads(Table *table, const char *const *heads);
void table_add_number(Table *table, double number);
void table_add_clean(Table *table, double number, double scale);
// Appends the table to `text`, each line indented by two spaces, and empties it.
void table_print(Table *table, SpragText *text);

// Notes below one another; the first brings the heading.
typedef struct Notes {
    SpragText *text;
    bool begun;
} Notes;

// user is the Notes.
void notes_add(const char *note, void *user);

#endif

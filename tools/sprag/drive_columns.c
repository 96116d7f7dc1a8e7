// drive_columns.c: the signals of a run of a drive, as columns of a CSV.
#include "drive_columns.h"

#include <stdio.h>
#include <string.h>

static void add_name(DriveColumns *columns, const char *name, int number)
{
    char *place = columns->names[columns->count++];
    if (number > 0)
        snprintf(place, COLUMN_NAME, "%s%d", name, number);
    else
        snprintf(place, COLUMN_NAME, "%s", name);
}

static void add_energies(DriveColumns *columns)
{
    static const char *const names[] = {"kinetic", "potential", "elastic",  "friction",
                                        "impact",  "damping",   "actuation"};
    char name[COLUMN_NAME];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "energy.%s", names[i]);
        add_name(columns, name, 0);
    }
}

void columns_of_pair(DriveColumns *columns)
{
    static const char *const names[] = {"t",        "q",     "v",     "a",   "normal",
                                        "friction", "layer", "input", "mode"};
    columns->count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_name(columns, names[i], 0);
    add_energies(columns);
}

void columns_of_guides(DriveColumns *columns, int n, int m)
{
    static const char *const names[] = {"q", "v", "a", "input", "normal", "friction", "mode"};
    columns->count = 0;
    add_name(columns, "t", 0);
    for (int k = 0; k < 7; k++)
        for (int i = 1; i <= (k < 4 ? n : m); i++)
            add_name(columns, names[k], i);
    add_energies(columns);
}

// * stands for any text, ? for one letter.
static bool fits(const char *pattern, const char *word)
{
    if (*pattern == '*')
        return fits(pattern + 1, word) || (*word && fits(pattern, word + 1));
    if (!*pattern || !*word)
        return !*pattern && !*word;
    return (*pattern == '?' || *pattern == *word) && fits(pattern + 1, word + 1);
}

SpragStatus columns_choose(SpragContext *context, DriveColumns *columns, const char *wanted,
                           SpragText *csv)
{
    for (int i = 0; i < columns->count; i++)
        columns->shown[i] = !wanted || i == 0;
    for (const char *at = wanted; at && *at;) {
        char pattern[64];
        size_t length = strcspn(at, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length < 60 ? length : 60), at);
        const char *word = pattern + strspn(pattern, " ");
        bool found = false;
        for (int i = 0; i < columns->count; i++)
            if (fits(word, columns->names[i]))
                found = columns->shown[i] = true;
        if (!found)
            return sprag_fail(
                context, SPRAG_ERROR_INPUT,
                strcmp(columns->names[1], "q") == 0
                    ? "\"%s\" is no signal of a drive; it has t, q, v, a, normal, friction, layer, "
                      "input, mode, energy.*"
                    : "\"%s\" is no signal of several guides; they have t, q1 …, v1 …, a1 …, "
                      "input1 …, normal1 …, friction1 …, mode1 …, energy.*",
                word);
        at += length + (at[length] == ',');
    }
    if (wanted && !wanted[0])
        return sprag_fail(context, SPRAG_ERROR_INPUT, "--signals is empty");
    for (int i = 0; i < columns->count; i++) {
        columns->shown_count += columns->shown[i];
        if (columns->shown[i])
            sprag_text_add(csv, "%s%s", i ? "," : "", columns->names[i]);
    }
    sprag_text_add(csv, "\n");
    return SPRAG_OK;
}

// ---- Rows ---------------------------------------------------------------------------------------

// The next column of a row.
typedef struct Row {
    const DriveColumns *columns;
    SpragText *csv;
    int at;
} Row;

static bool next(Row *row)
{
    int at = row->at++;
    if (!row->columns->shown[at])
        return false;
    if (at > 0)
        sprag_text_add(row->csv, ",");
    return true;
}

static void put_number(Row *row, double number)
{
    if (next(row))
        sprag_text_add(row->csv, "%.17g", number == 0 ? 0 : number);
}

static void put_numbers(Row *row, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        put_number(row, numbers[i]);
}

static void put_mode(Row *row, SpragMode mode)
{
    if (next(row))
        sprag_text_add(row->csv, "%s", sprag_mode_name(mode));
}

static void put_energies(Row *row, const SpragEnergyAccount *energy)
{
    const double numbers[] = {energy->kinetic,  energy->potential, energy->elastic,
                              energy->friction, energy->impact,    energy->damping,
                              energy->actuation};
    put_numbers(row, numbers, 7);
    sprag_text_add(row->csv, "\n");
}

void columns_pair_row(const DriveColumns *columns, const SpragDriveSample *sample, SpragText *csv)
{
    Row row = {columns, csv, 0};
    const double numbers[] = {
        sample->t,      sample->position, sample->velocity, sample->acceleration,
        sample->normal, sample->friction, sample->layer,    sample->input[0]};
    put_numbers(&row, numbers, 8);
    put_mode(&row, sample->mode);
    put_energies(&row, &sample->energy);
}

void columns_guides_row(const DriveColumns *columns, const SpragGuidesSample *sample,
                        SpragText *csv)
{
    Row row = {columns, csv, 0};
    put_number(&row, sample->t);
    put_numbers(&row, sample->position, sample->n);
    put_numbers(&row, sample->velocity, sample->n);
    put_numbers(&row, sample->acceleration, sample->n);
    put_numbers(&row, sample->input, sample->n);
    put_numbers(&row, sample->normal, sample->m);
    put_numbers(&row, sample->friction, sample->m);
    for (int j = 0; j < sample->m; j++)
        put_mode(&row, sample->modes[j]);
    put_energies(&row, &sample->energy);
}

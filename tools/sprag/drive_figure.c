// drive_figure.c: a run of a drive as a figure over time, from the rows of its CSV.
#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "sprag/report.h"

enum { HEADING = 32 };

// The heading of a column: what is of several coordinates or guides shares a panel.
static void choose_heading(const char *name, char heading[HEADING])
{
    static const struct {
        const char *name, *heading;
    } words[] = {{"q", "Coordinate"},  {"v", "Velocity"},    {"a", "Acceleration"},
                 {"input", "Input"},   {"normal", "Force"},  {"friction", "Force"},
                 {"layer", "Inertia"}, {"energy.", "Energy"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].name);
        if (strncmp(name, words[i].name, length) != 0)
            continue;
        bool numbered = name[length + strspn(name + length, "0123456789")] == 0;
        if (!numbered && words[i].name[length - 1] != '.')
            continue;
        snprintf(heading, HEADING, "%s", words[i].heading);
        return;
    }
    snprintf(heading, HEADING, "%.31s", name);
}

// One line a column of numbers; returns their number.
static int take_lines(const SpragTable *table, double *memory, char (*headings)[HEADING],
                      SpragTimeLine *lines)
{
    size_t rows = table->row_count, columns = (size_t)table->column_count;
    int count = 0;
    for (size_t k = 0; k < columns; k++) {
        double *values = memory + k * rows;
        bool words = table->kinds[k] == SPRAG_CELL_WORDS, changes = false;
        for (size_t i = 0; i < rows; i++) {
            values[i] = table->values[i * columns + k];
            changes |= values[i] != values[0];
        }
        if (k == 0 || words || (strncmp(table->names[k], "energy.", 7) == 0 && !changes))
            continue;
        choose_heading(table->names[k], headings[k]);
        lines[count++] = (SpragTimeLine){.name = table->names[k],
                                         .heading = headings[k],
                                         .unit = "",
                                         .count = rows,
                                         .times = memory,
                                         .values = values};
    }
    return count;
}

static SpragStatus write_table(const DriveRunReport *drive, const SpragTable *table,
                               const SpragFigureSettings *settings, const char *path)
{
    SpragContext *context = drive->report->context;
    size_t rows = table->row_count, columns = (size_t)table->column_count;
    const char *name = sprag_scene_name(drive->report->scene);
    double *memory = sprag_alloc(context, rows * columns, sizeof *memory);
    SpragTimeLine *lines = sprag_alloc(context, columns, sizeof *lines);
    char(*headings)[HEADING] = sprag_alloc(context, columns, sizeof *headings);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (memory && lines && headings) {
        SpragTimeFigure figure = {.title = name[0] ? name : "A drive over time",
                                  .line_count = take_lines(table, memory, headings, lines),
                                  .lines = lines,
                                  .event_count = drive->event_count,
                                  .events = drive->events,
                                  .verdict_count = drive->verdict_count,
                                  .verdicts = drive->verdicts};
        SpragTimeSpan whole = {memory[0], memory[rows - 1]};
        figure.from = whole.from;
        figure.to = whole.to;
        figure.compliant = &whole;
        figure.compliant_count = drive->compliant;
        status = sprag_figure_write_time(&figure, context, settings, path);
    }
    sprag_free(context, memory);
    sprag_free(context, lines);
    sprag_free(context, (void *)headings);
    return status;
}

SpragStatus drive_write_figure(const DriveRunReport *drive, const Arguments *arguments,
                               const char *path)
{
    SpragContext *context = drive->report->context;
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragTable *table = NULL;
    SpragText command;
    if (!(drive_run_time(drive) > 0)) // it ended where it began: there is nothing to show
        return SPRAG_OK;
    SPRAG_TRY(sprag_table_read_text(context, path, drive->csv.bytes, drive->csv.length, &table));
    sprag_text_init(&command, context);
    tool_spell_command(arguments, &command);
    settings.command = command.failed ? NULL : command.bytes;
    SpragStatus status = write_table(drive, table, &settings, path);
    sprag_text_destroy(&command);
    sprag_table_destroy(table);
    return status;
}

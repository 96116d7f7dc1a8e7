// time_convergence.c: the rigid run and compliant ones over time, one panel a signal.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sprag/report.h"

enum { MOST_PANELS = 20, USUAL_PANELS = 6, RUNS = SPRAG_CONVERGENCE_RUNS + 1, NAME = 32 };

typedef struct Panels {
    int count;
    int signals[MOST_PANELS];
} Panels;

static bool changes(const SpragRecord *record, int signal)
{
    const double *values = sprag_record_column(record, signal);
    for (size_t i = 1; i < sprag_record_sample_count(record); i++)
        if (fabs(values[i] - values[0]) > 1e-9 * fmax(1e-3, fabs(values[0])))
            return true;
    return false;
}

static bool has_field(const char *name, const char *field)
{
    const char *dot = strrchr(name, '.');
    return strncmp(name, "energy.", 7) != 0 && dot && strcmp(dot + 1, field) == 0;
}

static void choose(const SpragConvergence *result, bool all, Panels *panels)
{
    static const char *const usual[] = {"slip", "normal", "tangential", "x", "angle"};
    const SpragRecord *record = result->record;
    int count = sprag_record_signal_count(record);
    for (int i = 1; i < count && all && panels->count < MOST_PANELS; i++)
        if (sprag_record_signal_kind(record, i) == SPRAG_SIGNAL_NUMBER)
            panels->signals[panels->count++] = i;
    for (size_t k = 0; k < sizeof usual / sizeof *usual && !all; k++)
        for (int i = 1; i < count && panels->count < USUAL_PANELS; i++)
            if (has_field(sprag_record_signal_name(record, i), usual[k]) && changes(record, i))
                panels->signals[panels->count++] = i;
}

static SpragTimeLine make_line(const SpragRecord *record, int signal, const char *name)
{
    return (SpragTimeLine){.name = name,
                           .heading = sprag_record_signal_name(record, signal),
                           .unit = sprag_record_signal_unit(record, signal),
                           .count = sprag_record_sample_count(record),
                           .times = sprag_record_column(record, 0),
                           .values = sprag_record_column(record, signal)};
}

SpragStatus sprag_figure_write_convergence(const SpragConvergence *result, bool all,
                                           const SpragFigureSettings *settings, const char *path)
{
    char names[RUNS][NAME], title[200];
    Panels panels = {0};
    choose(result, all, &panels);
    SpragTimeLine *lines =
        sprag_alloc(result->context, (size_t)(panels.count + 1) * RUNS, sizeof *lines);
    if (!lines)
        return SPRAG_ERROR_MEMORY;
    int count = 0;
    for (int i = 0; i < result->run_count; i++)
        snprintf(names[i], NAME, "ε = %g", result->runs[i].epsilon);
    for (int k = 0; k < panels.count; k++) {
        int signal = panels.signals[k];
        for (int i = 0; i < result->run_count; i++)
            lines[count++] = make_line(result->runs[i].record, signal, names[i]);
        lines[count] = make_line(result->record, signal, "rigid");
        lines[count++].dashed = true;
    }
    snprintf(title, sizeof title, "%.120s%scompliant and rigid", result->title,
             result->title[0] ? ": " : "");
    SpragTimeFigure figure = {.title = title,
                              .from = 0,
                              .to = result->until,
                              .line_count = count,
                              .lines = lines,
                              .event_count = (size_t)result->event_count,
                              .events = result->events};
    SpragStatus status = sprag_figure_write_time(&figure, result->context, settings, path);
    sprag_free(result->context, lines);
    return status;
}

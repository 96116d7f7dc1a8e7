// time_run.c: a recorded run as a figure over time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sprag/report.h"

// Which panel a signal belongs to by its last word, and whether it is shown without being asked
// for.
typedef struct Role {
    const char *field, *heading;
    bool usual;
} Role;

static const Role ROLES[] = {
    {"x", "Position", true},
    {"y", "Position", true},
    {"angle", "Angle", true},
    {"vx", "Velocity", false},
    {"vy", "Velocity", false},
    {"spin", "Spin", false},
    {"gap", "Gap", false},
    {"slip", "Slip", true},
    {"normal", "Contact force", true},
    {"tangential", "Contact force", true},
    {"depth", "Penetration", true},
};

static const char *last_word(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static const Role *find_role(const char *name)
{
    static const Role energy = {"", "Energy", true};
    if (strncmp(name, "energy.", 7) == 0)
        return &energy;
    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++)
        if (strcmp(ROLES[i].field, last_word(name)) == 0)
            return &ROLES[i];
    return NULL;
}

// Does it change by more than rounding?
static bool changes(const double *values, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    return high - low > 1e-12 * fmax(fabs(low), fabs(high)) && high - low > 1e-15;
}

static int choose_lines(const SpragRecord *record, bool all, SpragTimeLine *lines)
{
    size_t samples = sprag_record_sample_count(record);
    const double *times = sprag_record_column(record, 0);
    int count = 0;
    for (int i = 1; i < sprag_record_signal_count(record); i++) {
        const char *name = sprag_record_signal_name(record, i);
        const double *values = sprag_record_column(record, i);
        const Role *role = find_role(name);
        if (sprag_record_signal_kind(record, i) != SPRAG_SIGNAL_NUMBER)
            continue;
        if (!all && (!role || !role->usual || !changes(values, samples)))
            continue;
        lines[count++] = (SpragTimeLine){.name = name,
                                         .heading = role ? role->heading : last_word(name),
                                         .unit = sprag_record_signal_unit(record, i),
                                         .count = samples,
                                         .times = times,
                                         .values = values};
    }
    return count;
}

// Contacts are compliant from an event to-compliant to the next to-rigid.
static size_t find_spans(const SpragRecord *record, bool whole, double end, SpragTimeSpan *spans)
{
    const SpragEvent *events = sprag_record_events(record);
    size_t count = 0;
    bool inside = false;
    if (whole) {
        spans[0] = (SpragTimeSpan){0, end};
        return 1;
    }
    for (size_t i = 0; i < sprag_record_event_count(record); i++) {
        if (events[i].type == SPRAG_EVENT_TO_COMPLIANT && !inside) {
            spans[count] = (SpragTimeSpan){events[i].t, end};
            inside = true;
        } else if (events[i].type == SPRAG_EVENT_TO_RIGID && inside) {
            spans[count++].to = events[i].t;
            inside = false;
        }
    }
    return count + inside;
}

SpragStatus sprag_figure_write_run(const SpragRecord *record, SpragContext *context,
                                   const char *name, bool all, bool compliant,
                                   const SpragFigureSettings *settings, const char *path)
{
    size_t samples = sprag_record_sample_count(record);
    const double *times = sprag_record_column(record, 0);
    char title[200];
    if (samples == 0 || !times)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "%s: a figure needs a record that has kept its samples", path);
    SpragTimeLine *lines =
        sprag_alloc(context, (size_t)sprag_record_signal_count(record), sizeof *lines);
    SpragTimeSpan *spans =
        sprag_alloc(context, sprag_record_event_count(record) + 2, sizeof *spans);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (lines && spans) {
        snprintf(title, sizeof title, "%.120s", name[0] ? name : "A run over time");
        SpragTimeFigure figure = {.title = title,
                                  .from = times[0],
                                  .to = times[samples - 1],
                                  .line_count = choose_lines(record, all, lines),
                                  .lines = lines,
                                  .event_count = sprag_record_event_count(record),
                                  .events = sprag_record_events(record),
                                  .verdict_count = sprag_record_verdict_count(record),
                                  .verdicts = sprag_record_verdicts(record),
                                  .compliant = spans};
        figure.compliant_count = find_spans(record, compliant, figure.to, spans);
        status = sprag_figure_write_time(&figure, context, settings, path);
    }
    sprag_free(context, lines);
    sprag_free(context, spans);
    return status;
}

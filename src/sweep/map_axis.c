// map_axis.c: an axis of a map from its text: PATH=FROM:TO:N[:log], PATH=A,B,C, or PATH alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

enum { MOST_POINTS = 100000, MOST_LISTED = 1000, PIECES = 4 };

SpragStatus axis_path(SpragContext *context, const char *text, char **path)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    *path = NULL;
    if (length == 0)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "an axis is PATH=FROM:TO:N, PATH=FROM:TO:N:log or PATH=A,B,C, for "
                          "example mu=0:2:101, not '%.60s'",
                          text);
    *path = sprag_alloc(context, length + 1, 1);
    if (!*path)
        return SPRAG_ERROR_MEMORY;
    memcpy(*path, text, length);
    return SPRAG_OK;
}

static SpragStatus refuse(SpragContext *context, const SpragMapAxis *axis, const char *what,
                          const char *text)
{
    return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "%s: %s, got '%.60s'", axis->path, what, text);
}

static SpragStatus allocate_values(SpragContext *context, SpragMapAxis *axis, int count)
{
    axis->values = sprag_alloc(context, (size_t)count, sizeof *axis->values);
    if (!axis->values)
        return SPRAG_ERROR_MEMORY;
    axis->count = count;
    return SPRAG_OK;
}

static SpragStatus fill_range(SpragContext *context, SpragMapAxis *axis, double from, double to,
                              int count)
{
    if (!(from != to) || !isfinite(from) || !isfinite(to))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "%s: the range must have two different ends, got %g and %g", axis->path,
                          from, to);
    if (axis->logarithmic && !(from > 0 && to > 0))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "%s: a logarithmic range must have ends > 0, got %g and %g", axis->path,
                          from, to);
    SPRAG_TRY(allocate_values(context, axis, count));
    for (int i = 0; i < count; i++) {
        double part = (double)i / (count - 1);
        axis->values[i] =
            axis->logarithmic ? from * pow(to / from, part) : from + part * (to - from);
    }
    axis->values[count - 1] = to;
    return SPRAG_OK;
}

// Cuts a copy of the text at each separator; returns the number of pieces, at most `most` + 1.
static int cut(char *text, char separator, int most, const char **pieces)
{
    int count = 0;
    for (char *next = text; next && count <= most;) {
        pieces[count++] = next;
        next = strchr(next, separator);
        if (next)
            *next++ = 0;
    }
    return count;
}

static SpragStatus read_list(SpragContext *context, SpragSceneSource *source, int variable,
                             char *text, SpragMapAxis *axis)
{
    const char *pieces[MOST_LISTED + 1];
    int count = cut(text, ',', MOST_LISTED, pieces);
    if (count > MOST_LISTED)
        return refuse(context, axis, "a list has at most 1000 values", pieces[MOST_LISTED]);
    SPRAG_TRY(allocate_values(context, axis, count));
    SPRAG_TRY(sprag_scene_source_read_values(source, variable, count, pieces, axis->values));
    double direction = axis->values[1] - axis->values[0];
    for (int i = 1; i < count; i++)
        if (!((axis->values[i] - axis->values[i - 1]) * direction > 0))
            return refuse(context, axis, "the values of a list must rise or fall throughout",
                          pieces[i]);
    return SPRAG_OK;
}

static SpragStatus read_range(SpragContext *context, SpragSceneSource *source, int variable,
                              char *text, SpragMapAxis *axis)
{
    const char *pieces[PIECES + 1];
    double ends[2];
    char *end;
    int count = cut(text, ':', PIECES, pieces);
    if (count < 3 || count > PIECES)
        return refuse(context, axis, "a range is FROM:TO:N or FROM:TO:N:log", pieces[0]);
    long points = strtol(pieces[2], &end, 10);
    if (*end || end == pieces[2] || points < 2 || points > MOST_POINTS)
        return refuse(context, axis, "the number of points must be a whole number of 2 … 100000",
                      pieces[2]);
    axis->logarithmic = count == PIECES;
    if (axis->logarithmic && strcmp(pieces[3], "log") != 0)
        return refuse(context, axis, "behind FROM:TO:N only 'log' may stand", pieces[3]);
    SPRAG_TRY(sprag_scene_source_read_values(source, variable, 2, pieces, ends));
    return fill_range(context, axis, ends[0], ends[1], (int)points);
}

SpragStatus axis_read(SpragContext *context, SpragSceneSource *source, int variable,
                      const char *text, int points, SpragMapAxis *axis)
{
    const SpragSceneVariable *about = sprag_scene_source_variable(source, variable);
    const char *equals = strchr(text, '=');
    SpragStatus status;
    if (!equals) {
        if (!about->has_range)
            return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                              "%s has no range (from, to) in the file: write %s=FROM:TO:N",
                              axis->path, axis->path);
        status = fill_range(context, axis, about->from, about->to, points);
    } else {
        char *copy = sprag_copy_text(context, equals + 1);
        if (!copy)
            return SPRAG_ERROR_MEMORY;
        if (strchr(copy, ',') && !strchr(copy, ':'))
            status = read_list(context, source, variable, copy, axis);
        else
            status = read_range(context, source, variable, copy, axis);
        sprag_free(context, copy);
    }
    axis->has_value = about->has_value;
    axis->value = about->value;
    axis->unit = about->unit;
    memcpy(axis->unit_name, about->unit_name, sizeof axis->unit_name);
    return status;
}

double axis_value(const SpragMapAxis *axis, double index)
{
    int below = (int)index;
    if (below >= axis->count - 1)
        return axis->values[axis->count - 1];
    double part = index - below, a = axis->values[below], b = axis->values[below + 1];
    return axis->logarithmic ? a * pow(b / a, part) : a + part * (b - a);
}

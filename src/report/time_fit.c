// time_fit.c: data and the fitted run over time, and what remains between them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sprag/report.h"

typedef struct FitFigure {
    const SpragFit *fit;
    double *memory; // columns of data, residuals and curve, one after the other
    SpragTimeLine *lines;
    char (*headings)[120];
} FitFigure;

// Copies a column of a table of rows.
static double *copy_column(const double *rows, size_t count, int columns, int column, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = rows[i * (size_t)columns + (size_t)column];
    return to;
}

static void add_column(FitFigure *figure, int k)
{
    const SpragFit *fit = figure->fit;
    const SpragFitColumn *column = &fit->columns[k];
    size_t rows = fit->row_count, points = fit->curve_count;
    double *data = figure->memory + (size_t)k * (2 * rows + points);
    double *residual = data + rows, *curve = residual + rows;
    copy_column(fit->data, rows, fit->column_count, k, data);
    copy_column(fit->curve, points, fit->column_count, k, curve);
    for (size_t i = 0; i < rows; i++)
        residual[i] = fit->model[i * (size_t)fit->column_count + (size_t)k] - data[i];
    snprintf(figure->headings[2 * k], 120, "%.100s", column->signal);
    snprintf(figure->headings[2 * k + 1], 120, "residual");
    SpragTimeLine line = {.name = "data",
                          .heading = figure->headings[2 * k],
                          .unit = column->kind,
                          .count = rows,
                          .times = fit->times,
                          .values = data,
                          .dots = true};
    figure->lines[3 * k] = line;
    line = (SpragTimeLine){.name = "fitted run",
                           .heading = figure->headings[2 * k],
                           .unit = column->kind,
                           .count = points,
                           .times = fit->curve_times,
                           .values = curve};
    figure->lines[3 * k + 1] = line;
    figure->lines[3 * k + 2] = (SpragTimeLine){.name = column->signal,
                                               .heading = figure->headings[2 * k + 1],
                                               .unit = column->kind,
                                               .count = rows,
                                               .times = fit->times,
                                               .values = residual,
                                               .dots = true};
}

static void write_title(const SpragFit *fit, char *title, size_t bytes)
{
    size_t used = (size_t)snprintf(title, bytes, "%.60s%s", fit->title, fit->title[0] ? ": " : "");
    for (int i = 0; i < fit->parameter_count && used < bytes - 80; i++) {
        const SpragFitParameter *about = &fit->parameters[i];
        used += (size_t)snprintf(title + used, bytes - used, "%s%.40s = %.5g", i ? ", " : "",
                                 about->path, about->value / about->unit);
        if (isfinite(about->error))
            used +=
                (size_t)snprintf(title + used, bytes - used, " ± %.2g", about->error / about->unit);
        if (about->unit_name[0])
            used += (size_t)snprintf(title + used, bytes - used, " %s", about->unit_name);
    }
}

SpragStatus sprag_figure_write_fit(const SpragFit *fit, const SpragFigureSettings *settings,
                                   const char *path)
{
    size_t columns = (size_t)fit->column_count;
    char title[400];
    FitFigure figure = {.fit = fit};
    SpragStatus status = SPRAG_ERROR_MEMORY;
    figure.memory = sprag_alloc(fit->context, columns * (2 * fit->row_count + fit->curve_count),
                                sizeof *figure.memory);
    figure.lines = sprag_alloc(fit->context, 3 * columns, sizeof *figure.lines);
    figure.headings = sprag_alloc(fit->context, 2 * columns, sizeof *figure.headings);
    if (figure.memory && figure.lines && figure.headings) {
        for (int k = 0; k < fit->column_count; k++)
            add_column(&figure, k);
        write_title(fit, title, sizeof title);
        SpragTimeFigure source = {.title = title,
                                  .from = 0,
                                  .to = fit->times[fit->row_count - 1],
                                  .line_count = 3 * fit->column_count,
                                  .lines = figure.lines};
        status = sprag_figure_write_time(&source, fit->context, settings, path);
    }
    sprag_free(fit->context, figure.memory);
    sprag_free(fit->context, figure.lines);
    sprag_free(fit->context, figure.headings);
    return status;
}

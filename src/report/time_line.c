// time_line.c: one panel of a figure over time: scale, lines, legend.
// Of many samples each column of half a pixel keeps its first, least, largest and last one; then
// points that do not show are left out (polyline.h).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "polyline.h"
#include "time_figure.h"

typedef struct LineLook {
    unsigned colour;
    FigureDash dash;
} LineLook;

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), wanted = strlen(ending);
    return length >= wanted && strcmp(name + length - wanted, ending) == 0;
}

// 0: normal, 1: tangential direction, −1: neither.
static int role_of(const TimeDrawing *drawing, const TimePanel *panel, int index)
{
    const char *name = drawing->source->lines[panel->lines[index]].name;
    if (ends_with(name, ".normal") || ends_with(name, ".gap") || ends_with(name, ".depth"))
        return 0;
    return ends_with(name, ".tangential") || ends_with(name, ".slip") ? 1 : -1;
}

// Hues with a role keep it as long as they tell the lines of the panel apart.
static LineLook look_of(const TimeDrawing *drawing, const TimePanel *panel, int index)
{
    static const unsigned colours[] = {0x0b62a8u, 0xb04c06u, 0x0a7566u,
                                       0x7a52b8u, 0x1a2126u, 0x8a6d1bu};
    enum { COLOURS = sizeof colours / sizeof *colours };
    static const FigureDash dashes[] = {FIGURE_SOLID, FIGURE_LONG};
    const SpragTimeLine *line = &drawing->source->lines[panel->lines[index]];
    LineLook look = {colours[index % COLOURS], dashes[index / COLOURS % 2]};
    bool alone = true; // of its role in the panel
    for (int i = 0; i < panel->line_count; i++)
        alone &= i == index || role_of(drawing, panel, i) != role_of(drawing, panel, index);
    if (alone && panel->line_count <= 2 && role_of(drawing, panel, index) >= 0)
        look.colour = colours[role_of(drawing, panel, index)];
    if (line->dashed)
        look.dash = FIGURE_DASHED;
    if (line->dots)
        look.colour = INK3;
    return look;
}

// What can be drawn: beyond it differences of two numbers are infinite.
static bool is_drawable(double value)
{
    return isfinite(value) && fabs(value) < 1e300;
}

// ---- Scale --------------------------------------------------------------------------------------

static SpragStatus choose_scale(TimeDrawing *drawing, const TimePanel *panel)
{
    const SpragTimeFigure *source = drawing->source;
    size_t total = 0, used = 0;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < panel->line_count; i++)
        total += source->lines[panel->lines[i]].count;
    double *numbers = sprag_alloc(drawing->context, total + 1, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < panel->line_count; i++) {
        const SpragTimeLine *line = &source->lines[panel->lines[i]];
        for (size_t k = 0; k < line->count; k++) {
            if (!is_drawable(line->values[k]))
                continue;
            numbers[used++] = line->values[k];
            low = fmin(low, line->values[k]);
            high = fmax(high, line->values[k]);
        }
    }
    drawing->plot.y = plot_scale_numbers(numbers, (long)used);
    sprag_free(drawing->context, numbers);
    // only forces have peaks that would flatten all else; there 0 is of interest too
    bool force = strcmp(source->lines[panel->first].unit, "N") == 0;
    double air = 0.06 * (high - low), size = fmax(fabs(low), fabs(high));
    if (drawing->plot.y.kind == PLOT_ASINH && !force && high > low)
        drawing->plot.y = plot_scale(low - air, high + air);
    // what is too small for a scale is 0, what rounding alone moves is a constant
    if (size < 1e-300)
        drawing->plot.y = plot_scale(-1, 1);
    else if (used > 0 && !(high - low > 1e-9 * size))
        drawing->plot.y = plot_scale(low - 0.5 * size, high + 0.5 * size);
    return SPRAG_OK;
}

// ---- Lines --------------------------------------------------------------------------------------

// A column of half a pixel.
typedef struct Column {
    long number;
    int count;
    FigurePoint first, least, most, last;
} Column;

static SpragStatus flush_column(Column *column, Polyline *line)
{
    if (column->count > 0)
        SPRAG_TRY(polyline_add(line, column->first));
    if (column->count > 3) {
        bool falls = column->least.x > column->most.x;
        SPRAG_TRY(polyline_add(line, falls ? column->most : column->least));
        SPRAG_TRY(polyline_add(line, falls ? column->least : column->most));
    }
    if (column->count > 1)
        SPRAG_TRY(polyline_add(line, column->last));
    column->count = 0;
    return SPRAG_OK;
}

static SpragStatus add_point(Column *column, FigurePoint point, Polyline *line)
{
    long number = lround(2 * point.x);
    // few points stay as they are
    if (column->count > 0 && (number != column->number || column->count < 3))
        if (number != column->number)
            SPRAG_TRY(flush_column(column, line));
    if (column->count == 0) {
        *column = (Column){number, 1, point, point, point, point};
        return SPRAG_OK;
    }
    column->count++;
    column->last = point;
    if (point.y < column->least.y)
        column->least = point;
    if (point.y > column->most.y)
        column->most = point;
    return SPRAG_OK;
}

static SpragStatus end_piece(Column *column, Polyline *line, Figure *figure)
{
    SPRAG_TRY(flush_column(column, line));
    if (line->count == 0)
        return SPRAG_OK;
    SPRAG_TRY(polyline_simplify(line));
    for (int i = 0; i < line->count; i++)
        figure_point(figure, line->points[i].x, line->points[i].y);
    figure_break(figure);
    line->count = 0;
    return SPRAG_OK;
}

static SpragStatus draw_line(TimeDrawing *drawing, const SpragTimeLine *source, LineLook look)
{
    Polyline line;
    Column column = {0};
    SpragStatus status = SPRAG_OK;
    polyline_init(&line, drawing->context);
    for (size_t i = 0; i < source->count && status == SPRAG_OK; i++) {
        bool inside = source->times[i] >= drawing->source->from &&
                      source->times[i] <= drawing->source->to && is_drawable(source->values[i]);
        FigurePoint point = {plot_x(&drawing->plot, source->times[i]),
                             plot_y(&drawing->plot, source->values[i])};
        status =
            inside ? add_point(&column, point, &line) : end_piece(&column, &line, &drawing->figure);
    }
    if (status == SPRAG_OK)
        status = end_piece(&column, &line, &drawing->figure);
    polyline_destroy(&line);
    figure_stroke(&drawing->figure, look.colour, 1.7, look.dash);
    return status;
}

static void draw_dots(TimeDrawing *drawing, const SpragTimeLine *line, LineLook look)
{
    enum { MOST = 2000 };
    size_t step = line->count / MOST + 1;
    double radius = line->count > 150 ? 1.6 : 2.4;
    for (size_t i = 0; i < line->count; i += step) {
        bool inside =
            line->times[i] >= drawing->source->from && line->times[i] <= drawing->source->to;
        FigurePoint at = {plot_x(&drawing->plot, line->times[i]),
                          plot_y(&drawing->plot, line->values[i])};
        if (inside && is_drawable(line->values[i]))
            figure_mark(&drawing->figure, FIGURE_DISC, true, at, radius, look.colour);
    }
}

// ---- Legend -------------------------------------------------------------------------------------

static void draw_heading(TimeDrawing *drawing, const TimePanel *panel)
{
    const SpragTimeLine *first = &drawing->source->lines[panel->first];
    double y = drawing->plot.top + 14;
    FigureText style = {.x = TIME_LEGEND, .y = y, .size = 12, .colour = INK, .bold = true};
    figure_text_fitted(&drawing->figure, &style, first->heading, TIME_LEGEND_TEXT - 20);
    style.x += figure_text_width(first->heading, 12, true) + 5;
    style.bold = false;
    style.size = 11;
    style.colour = INK3;
    figure_text(&drawing->figure, &style, first->unit);
}

static void draw_legend(TimeDrawing *drawing, const TimePanel *panel)
{
    Figure *figure = &drawing->figure;
    FigureText style = {.x = TIME_LEGEND + 18, .size = 11, .colour = INK2};
    double y = drawing->plot.top + 28;
    draw_heading(drawing, panel);
    for (int i = 0; i < panel->line_count; i++, y += 17) {
        const SpragTimeLine *line = &drawing->source->lines[panel->lines[i]];
        LineLook look = look_of(drawing, panel, i);
        if (line->dots) {
            FigurePoint at = {TIME_LEGEND + 6, y};
            figure_mark(figure, FIGURE_DISC, true, at, 2.4, look.colour);
        } else {
            figure_point(figure, TIME_LEGEND, y);
            figure_point(figure, TIME_LEGEND + 13, y);
            figure_stroke(figure, look.colour, 2.4, look.dash);
        }
        style.y = y + 4;
        figure_text_fitted(figure, &style, line->name, TIME_LEGEND_TEXT);
    }
    if (panel->left_out > 0) {
        char words[40];
        snprintf(words, sizeof words, "and %d more", panel->left_out);
        style.y = y + 4;
        style.colour = INK3;
        figure_text(figure, &style, words);
    }
}

SpragStatus time_draw_panel(TimeDrawing *drawing, const TimePanel *panel)
{
    Figure *figure = &drawing->figure;
    const Plot *plot = &drawing->plot;
    SPRAG_TRY(choose_scale(drawing, panel));
    time_draw_behind(drawing);
    plot_grid(figure, plot);
    if (plot->y.from < 0 && plot->y.to > 0)
        figure_line(figure, plot->left, plot_y(plot, 0), plot->left + plot->width, plot_y(plot, 0),
                    LINE, 1.4);
    for (int i = 0; i < panel->line_count; i++) {
        const SpragTimeLine *line = &drawing->source->lines[panel->lines[i]];
        if (line->dots)
            draw_dots(drawing, line, look_of(drawing, panel, i));
        else
            SPRAG_TRY(draw_line(drawing, line, look_of(drawing, panel, i)));
    }
    bool last = panel == &drawing->panels[drawing->panel_count - 1];
    PlotLabels labels = {.x = last ? "time, s" : NULL, .y = ""};
    plot_axes(figure, plot, &labels);
    if (plot->y.kind == PLOT_ASINH) {
        FigureText style = {.x = plot->left + plot->width - 4,
                            .y = plot->top + 10,
                            .size = 10,
                            .colour = INK3,
                            .anchor = FIGURE_END};
        figure_text(figure, &style, "asinh scale");
    }
    draw_legend(drawing, panel);
    return figure->status;
}

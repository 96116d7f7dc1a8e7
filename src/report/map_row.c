// map_row.c: a map of one number as a figure: values over it, the verdict behind them.
#include <math.h>
#include <stdio.h>

#include "map_figure.h"
#include "map_legend.h"
#include "map_panel.h"

enum { ROW_APART = 52, BOTTOM = 70, STRIP_HEIGHT = 90 };

typedef struct RowFigure {
    const SpragMap *map;
    Plot plot;
    int count; // points that are there
    Figure *figure;
} RowFigure;

static double place(const RowFigure *row, int i)
{
    return plot_x(&row->plot, row->map->axes[0].values[i]);
}

// ---- The verdict --------------------------------------------------------------------------------

// Where the class changes between two points: bisected, or half way.
static double change_place(const RowFigure *row, int i, int *segment)
{
    const SpragMap *map = row->map;
    if (*segment < map->segment_count)
        return plot_x(&row->plot, map->vertices[map->segments[(*segment)++].a].x);
    return 0.5 * (place(row, i) + place(row, i + 1));
}

// The class' name in its band, if there is room.
static void draw_name(const RowFigure *row, int class_index, double from, double to)
{
    const SpragMapClass *class = &row->map->table[class_index];
    char text[WORDS_BYTES];
    FigureText style = {.x = 0.5 * (from + to),
                        .y = row->plot.top + 0.5 * row->plot.height + 4,
                        .size = 12,
                        .colour = class_text_colour(class),
                        .anchor = FIGURE_MIDDLE,
                        .bold = true,
                        .halo = true,
                        .halo_colour = class_fill(class).colour};
    for (int shorter = 0; shorter < 2; shorter++) {
        class_name_words(class, shorter == 0, text);
        if (figure_text_width(text, style.size, true) + 12 > fabs(to - from))
            continue;
        figure_text(row->figure, &style, text);
        return;
    }
}

static void draw_bands(const RowFigure *row)
{
    const SpragMap *map = row->map;
    int segment = 0;
    double from = place(row, 0);
    for (int i = 0; i < row->count; i++) {
        bool last = i + 1 == row->count;
        if (!last && map->classes[i] == map->classes[i + 1])
            continue;
        double to = last ? place(row, i) : change_place(row, i, &segment);
        figure_rectangle(row->figure, fmin(from, to), row->plot.top, fabs(to - from),
                         row->plot.height, class_fill(&map->table[map->classes[i]]));
        if (map->value_count == 0)
            draw_name(row, map->classes[i], from, to);
        if (!last)
            figure_line(row->figure, to, row->plot.top, to, row->plot.top + row->plot.height, INK2,
                        1);
        from = to;
    }
}

// ---- Lines --------------------------------------------------------------------------------------

// Whether a line goes on from a point to the next: not over a change in a number that may jump.
static bool joined(const RowFigure *row, int value, int i)
{
    const SpragMap *map = row->map;
    return i >= 0 && i + 1 < row->count &&
           isfinite(map->values[(long)i * map->value_count + value]) &&
           isfinite(map->values[(long)(i + 1) * map->value_count + value]) &&
           (map->value_about[value].kind == SPRAG_MAP_VALUE_SMOOTH ||
            map->classes[i] == map->classes[i + 1]);
}

static void draw_line(const RowFigure *row, int value, unsigned colour, double width)
{
    const SpragMap *map = row->map;
    for (int i = 0; i < row->count; i++) {
        double number = map->values[(long)i * map->value_count + value];
        if (!isfinite(number))
            continue;
        figure_point(row->figure, place(row, i), plot_y(&row->plot, number));
        if (!joined(row, value, i))
            figure_break(row->figure);
    }
    figure_stroke(row->figure, colour, width, FIGURE_SOLID);
}

static void draw_dots(const RowFigure *row, int value)
{
    const SpragMap *map = row->map;
    for (int i = 0; i < row->count; i++) {
        double number = map->values[(long)i * map->value_count + value];
        if (isfinite(number) && !joined(row, value, i) && !joined(row, value, i - 1))
            figure_disc(row->figure, place(row, i), plot_y(&row->plot, number), 3, INK);
    }
}

static SpragStatus choose_scale(RowFigure *row, int value)
{
    const SpragMap *map = row->map;
    double *numbers = sprag_alloc(map->context, (size_t)row->count, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < row->count; i++)
        numbers[i] = map->values[(long)i * map->value_count + value];
    row->plot.y = plot_scale_numbers(numbers, row->count);
    row->plot.y.whole = map->value_about[value].kind == SPRAG_MAP_VALUE_WHOLE;
    sprag_free(map->context, numbers);
    return SPRAG_OK;
}

static SpragStatus draw_value(RowFigure *row, int value, bool last)
{
    char label[WORDS_BYTES], x[AXIS_BYTES];
    const Plot *plot = &row->plot;
    SPRAG_TRY(choose_scale(row, value));
    draw_bands(row);
    plot_grid(row->figure, plot);
    if (plot->y.from < 0 && plot->y.to > 0)
        figure_line(row->figure, plot->left, plot_y(plot, 0), plot->left + plot->width,
                    plot_y(plot, 0), INK2, 1.4);
    draw_line(row, value, WHITE, 4.6); // it stands out from stripes
    draw_line(row, value, INK, 1.8);
    draw_dots(row, value);
    value_label(&row->map->value_about[value], label);
    PlotLabels labels = {.x = last ? axis_words(&row->map->axes[0], x) : NULL, .y = label};
    plot_axes(row->figure, plot, &labels);
    if (plot->y.kind == PLOT_ASINH) {
        FigureText style = {.x = plot->left + plot->width,
                            .y = plot->top - 6,
                            .size = 10,
                            .colour = INK3,
                            .anchor = FIGURE_END};
        figure_text(row->figure, &style, "asinh scale");
    }
    return row->figure->status;
}

// ---- The figure ---------------------------------------------------------------------------------

static void draw_scene(const RowFigure *row, double bottom)
{
    const SpragMapAxis *axis = &row->map->axes[0];
    double x = plot_x(&row->plot, axis->value);
    figure_disc(row->figure, x, bottom, 5, INK);
}

static bool has_scene(const RowFigure *row)
{
    const SpragMapAxis *axis = &row->map->axes[0];
    if (!axis->has_value || (axis->logarithmic && !(axis->value > 0)))
        return false;
    double u = plot_along(&row->plot.x, axis->value);
    return u >= 0 && u <= 1;
}

static SpragStatus draw_rows(RowFigure *row, double height)
{
    const SpragMap *map = row->map;
    int count = map->value_count;
    char x[AXIS_BYTES];
    for (int value = 0; value < count; value++) {
        row->plot.top = MAP_TOP + value * (height + ROW_APART);
        SPRAG_TRY(draw_value(row, value, value + 1 == count));
    }
    if (count == 0) {
        row->plot.y = plot_scale(0, 1);
        draw_bands(row);
        PlotLabels labels = {.x = axis_words(&map->axes[0], x)};
        plot_axes(row->figure, &row->plot, &labels);
    }
    bool scene = has_scene(row);
    if (scene)
        draw_scene(row, row->plot.top + height);
    legend_classes(row->figure, map, MAP_LEGEND_LEFT, MAP_TOP, scene);
    return row->figure->status;
}

SpragStatus draw_map_row(const SpragMap *map, Figure *figure)
{
    int panels = map->value_count > 0 ? map->value_count : 1;
    double height = map->value_count == 0   ? STRIP_HEIGHT
                    : map->value_count == 1 ? 300
                    : map->value_count == 2 ? 200
                                            : 140;
    double least = MAP_TOP + 42 * fmin(8, map->class_count) + 60; // of the legend
    RowFigure row = {.map = map, .figure = figure};
    row.plot = (Plot){.left = MAP_LEFT, .top = MAP_TOP, .width = MAP_WIDTH, .height = height};
    row.plot.x = plot_scale_axis(&map->axes[0]);
    figure_init(figure, map->context, MAP_FIGURE_WIDTH,
                fmax(least, MAP_TOP + panels * (height + ROW_APART) - ROW_APART + BOTTOM));
    while (row.count < map->axes[0].count && map->classes[row.count] >= 0)
        row.count++;
    return draw_rows(&row, height);
}

// map_figure.c: a map of verdicts as a figure: regions, borders, axes, names, legend.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_names.h"
#include "map_shapes.h"
#include "map_words.h"

enum {
    LEFT = 72,
    TOP = 70,
    PLOT_WIDTH = 500,
    PLOT_HEIGHT = 390,
    LEGEND_WIDTH = 248,
    LEGEND_MOST = 8,
    FIGURE_HEIGHT = 530,
    MOST_TICKS = 64
};

typedef struct Scale {
    const SpragMapAxis *axis;
    double from, to; // as drawn: lower and upper end
} Scale;

typedef struct MapFigure {
    const SpragMap *map;
    Scale x, y;
    Figure figure;
    MapShapes shapes;
    int order[LEGEND_MOST]; // classes, the most frequent first
    int listed;
} MapFigure;

// ---- Places -------------------------------------------------------------------------------------

static Scale make_scale(const SpragMapAxis *axis)
{
    double a = axis->values[0], b = axis->values[axis->count - 1];
    return (Scale){axis, fmin(a, b), fmax(a, b)};
}

// 0 … 1 along the scale.
static double along(const Scale *scale, double value)
{
    if (scale->axis->logarithmic)
        return log(value / scale->from) / log(scale->to / scale->from);
    return (value - scale->from) / (scale->to - scale->from);
}

static double x_of(const MapFigure *m, double x)
{
    return LEFT + PLOT_WIDTH * along(&m->x, x);
}

static double y_of(const MapFigure *m, double y)
{
    return TOP + PLOT_HEIGHT * (1 - along(&m->y, y));
}

static FigurePoint place(double x, double y, const void *user)
{
    const MapFigure *m = user;
    return (FigurePoint){x_of(m, x), y_of(m, y)};
}

// Index of the grid value nearest to a part of the scale; −1: not computed there.
static int nearest_index(const Scale *scale, double part)
{
    const SpragMapAxis *axis = scale->axis;
    int low = 0, high = axis->count - 1;
    bool falls = axis->values[0] > axis->values[high];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if ((along(scale, axis->values[middle]) <= part) != falls)
            low = middle;
        else
            high = middle;
    }
    double a = fabs(along(scale, axis->values[low]) - part);
    double b = fabs(along(scale, axis->values[high]) - part);
    return a <= b ? low : high;
}

// ---- Regions and borders ------------------------------------------------------------------------

static SpragStatus draw_regions(MapFigure *m)
{
    for (int i = 0; i < m->map->class_count; i++) {
        SPRAG_TRY(map_class_add(&m->shapes, m->map, i, &m->figure));
        figure_area(&m->figure, class_fill(&m->map->table[i]));
    }
    return SPRAG_OK;
}

// Solid where the verdict changes, dashed where only the modes or the forces do.
static bool is_grave(const MapFigure *m, const MapArc *arc)
{
    const SpragMapClass *a = &m->map->table[arc->left], *b = &m->map->table[arc->right];
    return a->valid != b->valid || a->outcome.kind != b->outcome.kind ||
           a->outcome.solution_count != b->outcome.solution_count ||
           a->outcome.stable_count != b->outcome.stable_count || a->outcome.held != b->outcome.held;
}

static void draw_borders(MapFigure *m)
{
    for (int grave = 0; grave < 2; grave++) {
        bool any = false;
        for (int i = 0; i < m->shapes.arc_count; i++) {
            const MapArc *arc = &m->shapes.arcs[i];
            if (arc->left < 0 || arc->right < 0 || is_grave(m, arc) != (grave == 1))
                continue;
            map_arc_add(&m->shapes, i, false, &m->figure);
            FigurePoint last = m->shapes.points[arc->first + arc->count - 1];
            figure_point(&m->figure, last.x, last.y);
            figure_break(&m->figure);
            any = true;
        }
        if (any && grave)
            figure_stroke(&m->figure, INK, 2, FIGURE_SOLID);
        else if (any)
            figure_stroke(&m->figure, INK2, 1.2, FIGURE_DASHED);
    }
}

// ---- Axes ---------------------------------------------------------------------------------------

static double tick_step(double range, int wanted)
{
    double step = range / wanted, power = pow(10, floor(log10(step))), part = step / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

// Ticks in the axis' unit; degrees go by 15 or 30 where that fits.
static int linear_ticks(const Scale *scale, int wanted, double *ticks)
{
    double unit = scale->axis->unit, from = scale->from / unit, to = scale->to / unit;
    double step = tick_step(to - from, wanted);
    if (strcmp(scale->axis->unit_name, "deg") == 0 && to - from > 60 && to - from <= 360)
        step = to - from <= 120 ? 15 : to - from <= 240 ? 30 : 60;
    double first = ceil(from / step - 1e-9);
    int count = 0;
    while (count < MOST_TICKS && (first + count) * step <= to + 1e-9 * step) {
        ticks[count] = (first + count) * step;
        count++;
    }
    return count;
}

static int decade_ticks(const Scale *scale, double *ticks)
{
    static const int digits[] = {1, 2, 5};
    double unit = scale->axis->unit, from = scale->from / unit, to = scale->to / unit;
    int per_decade = log10(to / from) < 2.5 ? 3 : 1, count = 0;
    int first = (int)floor(log10(from)), last = (int)ceil(log10(to));
    for (int decade = first; decade <= last; decade++)
        for (int k = 0; k < per_decade && count < MOST_TICKS; k++) {
            double tick = pow(10, decade) * digits[k];
            if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9))
                ticks[count++] = tick;
        }
    return count;
}

static int find_ticks(const Scale *scale, int wanted, double *ticks)
{
    return scale->axis->logarithmic ? decade_ticks(scale, ticks)
                                    : linear_ticks(scale, wanted, ticks);
}

static void draw_axes(MapFigure *m)
{
    Figure *figure = &m->figure;
    double ticks[MOST_TICKS], bottom = TOP + PLOT_HEIGHT;
    char text[64];
    FigureText style = {.size = 11, .colour = INK3, .anchor = FIGURE_MIDDLE};
    int count = find_ticks(&m->x, 8, ticks);
    for (int i = 0; i < count; i++) {
        style.x = x_of(m, ticks[i] * m->x.axis->unit);
        style.y = bottom + 18;
        figure_line(figure, style.x, bottom, style.x, bottom + 4, INK3, 1);
        figure_text(figure, &style, number_words(ticks[i], text));
    }
    style.anchor = FIGURE_END;
    count = find_ticks(&m->y, 7, ticks);
    for (int i = 0; i < count; i++) {
        double y = y_of(m, ticks[i] * m->y.axis->unit);
        style.x = LEFT - 8;
        style.y = y + 4;
        figure_line(figure, LEFT - 4, y, LEFT, y, INK3, 1);
        figure_text(figure, &style, number_words(ticks[i], text));
    }
    figure_point(figure, LEFT, TOP);
    figure_point(figure, LEFT, bottom);
    figure_point(figure, LEFT + PLOT_WIDTH, bottom);
    figure_stroke(figure, INK3, 1, FIGURE_SOLID);
    style = (FigureText){LEFT + PLOT_WIDTH, bottom + 38, 12, INK2, FIGURE_END, false, false, 0};
    figure_text(figure, &style, axis_words(m->x.axis, text));
    style = (FigureText){LEFT - 40, TOP - 14, 12, INK2, FIGURE_START, false, false, 0};
    figure_text(figure, &style, axis_words(m->y.axis, text));
}

// ---- The scene as it stands ---------------------------------------------------------------------

static bool scene_place(const MapFigure *m, double *x, double *y)
{
    const SpragMapAxis *a = m->x.axis, *b = m->y.axis;
    if (!a->has_value || !b->has_value || (a->logarithmic && !(a->value > 0)) ||
        (b->logarithmic && !(b->value > 0)))
        return false;
    double u = along(&m->x, a->value), v = along(&m->y, b->value);
    *x = x_of(m, a->value);
    *y = y_of(m, b->value);
    return u >= 0 && u <= 1 && v >= 0 && v <= 1;
}

// Class at a place of the plot, for the names of the regions.
static int class_at(double u, double v, const void *user)
{
    const MapFigure *m = user;
    int i = nearest_index(&m->x, u), j = nearest_index(&m->y, v);
    return j < m->map->complete_rows ? m->map->classes[i + (long)j * m->map->axes[0].count] : -1;
}

static SpragStatus draw_names(MapFigure *m)
{
    MapPlot plot = {LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, -100, -100};
    double x, y;
    if (scene_place(m, &x, &y)) {
        plot.mark_x = x;
        plot.mark_y = y;
    }
    return map_names_draw(m->map, &plot, class_at, m, &m->figure);
}

// ---- Legend -------------------------------------------------------------------------------------

// The most frequent classes, the first in the grid before others of the same number.
static void order_classes(MapFigure *m)
{
    const double least = 5e-4; // of the points: fewer lie on a border by chance
    double total = (double)m->map->axes[0].count * m->map->axes[1].count;
    for (int i = 0; i < m->map->class_count; i++) {
        if ((double)m->map->table[i].point_count < least * total)
            continue;
        int at = m->listed < LEGEND_MOST ? m->listed : LEGEND_MOST;
        while (at > 0 && m->map->table[m->order[at - 1]].point_count < m->map->table[i].point_count)
            at--;
        if (at == LEGEND_MOST)
            continue;
        m->listed += m->listed < LEGEND_MOST;
        for (int k = m->listed - 1; k > at; k--)
            m->order[k] = m->order[k - 1];
        m->order[at] = i;
    }
}

static void draw_swatch(MapFigure *m, double x, double y, FigureFill fill)
{
    figure_rectangle(&m->figure, x, y, 26, 18, fill);
    figure_point(&m->figure, x, y);
    figure_point(&m->figure, x + 26, y);
    figure_point(&m->figure, x + 26, y + 18);
    figure_point(&m->figure, x, y + 18);
    figure_point(&m->figure, x, y);
    figure_stroke(&m->figure, INK3, 0.8, FIGURE_SOLID);
}

// Text that does not fit is cut in whole characters.
static void draw_fitted(MapFigure *m, FigureText style, const char *text, double width)
{
    char cut[WORDS_BYTES + 8];
    snprintf(cut, sizeof cut - 8, "%s", text);
    size_t length = strlen(cut);
    while (length > 0 && figure_text_width(cut, style.size, style.bold) > width) {
        while (length > 0 && ((unsigned char)cut[--length] & 0xc0) == 0x80)
            ;
        memcpy(cut + length, "…", sizeof "…");
    }
    figure_text(&m->figure, &style, cut);
}

static void draw_legend(MapFigure *m)
{
    double x = LEFT + PLOT_WIDTH + 26, y = TOP, mark_x, mark_y;
    char text[WORDS_BYTES];
    double room = LEGEND_WIDTH - 38;
    FigureText head = {.size = 12, .colour = INK, .bold = true};
    FigureText line = {.size = 11, .colour = INK3};
    head.x = line.x = x + 36;
    for (int i = 0; i < m->listed; i++, y += 42) {
        const SpragMapClass *class = &m->map->table[m->order[i]];
        draw_swatch(m, x, y, class_fill(class));
        head.y = y + 9;
        line.y = y + 24;
        draw_fitted(m, head, class_verdict_words(class, text), room);
        draw_fitted(m, line, class_mode_words(class, text), room);
    }
    line.y = y + 12;
    if (m->map->class_count > m->listed) {
        snprintf(text, sizeof text, "%d more, in small regions", m->map->class_count - m->listed);
        figure_text(&m->figure, &line, text);
        y += 24;
    }
    if (scene_place(m, &mark_x, &mark_y)) {
        figure_disc(&m->figure, x + 13, y + 8, 5, INK);
        line.y = y + 12;
        figure_text(&m->figure, &line, "the scene as it stands");
    }
}

// ---- The figure ---------------------------------------------------------------------------------

static SpragStatus draw(MapFigure *m, const char *title)
{
    double x, y;
    FigureFill paper = {WHITE, FIGURE_PLAIN, 0};
    FigureText style = {.x = LEFT - 40, .y = 26, .size = 14, .colour = INK, .bold = true};
    figure_rectangle(&m->figure, 0, 0, m->figure.width, m->figure.height, paper);
    draw_fitted(m, style, title, m->figure.width - LEFT - 20);
    order_classes(m);
    SPRAG_TRY(map_shapes_create(m->map, place, m, &m->shapes));
    SPRAG_TRY(draw_regions(m));
    draw_borders(m);
    draw_axes(m);
    SPRAG_TRY(draw_names(m));
    if (scene_place(m, &x, &y))
        figure_disc(&m->figure, x, y, 5, INK);
    draw_legend(m);
    if (m->map->interrupted) {
        style =
            (FigureText){LEFT, FIGURE_HEIGHT - 12, 11, NONE_TEXT, FIGURE_START, false, false, 0};
        figure_text(&m->figure, &style, "interrupted: the rest was not computed");
    }
    return m->figure.status;
}

SpragStatus sprag_figure_write_map(const SpragMap *map, const SpragFigureSettings *settings,
                                   const char *path)
{
    SpragFigureSettings chosen = settings ? *settings : sprag_figure_default();
    size_t length = strlen(path);
    bool png = length > 4 && strcmp(path + length - 4, ".png") == 0;
    if (chosen.cookie != sprag_figure_default().cookie)
        return sprag_fail(map->context, SPRAG_ERROR_ARGUMENT,
                          "figure settings must come from sprag_figure_default");
    if (!map->axes[1].path || map->complete_rows < 2 || map->segment_count == 0)
        return sprag_fail(map->context, SPRAG_ERROR_ARGUMENT,
                          "%s: a figure needs two axes and at least two complete rows", path);
    MapFigure m = {.map = map, .x = make_scale(&map->axes[0]), .y = make_scale(&map->axes[1])};
    char title[WORDS_BYTES];
    if (chosen.title)
        snprintf(title, sizeof title, "%s", chosen.title);
    else
        snprintf(title, sizeof title, "%s%show many rigid motions, and are they stable?",
                 map->title, map->title[0] ? ": " : "");
    figure_init(&m.figure, map->context, LEFT + PLOT_WIDTH + 26 + LEGEND_WIDTH, FIGURE_HEIGHT);
    SpragStatus status = draw(&m, title);
    if (status == SPRAG_OK)
        status =
            png ? figure_write_png(&m.figure, chosen.scale, path)
                : figure_write_svg(&m.figure, title, chosen.command ? chosen.command : "", path);
    map_shapes_destroy(&m.shapes);
    figure_destroy(&m.figure);
    return status;
}

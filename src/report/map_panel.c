// map_panel.c: the plot of a map of two numbers: where things are, its borders, its scene.
#include "map_panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_words.h"

static FigurePoint place_vertex(double x, double y, const void *user)
{
    const Plot *plot = user;
    return (FigurePoint){plot_x(plot, x), plot_y(plot, y)};
}

// ---- Squares ------------------------------------------------------------------------------------

static const double SIDE = 2.5; // pixels of a square

// Crossings of the middle of a row of squares with the border of a class.
typedef struct Crossings {
    int count;
    double *x;
    size_t capacity;
} Crossings;

static SpragStatus find_crossings(const MapPanel *panel, int class_index, double y,
                                  Crossings *crossings)
{
    const MapShapes *shapes = &panel->shapes;
    crossings->count = 0;
    for (int k = 0; k < shapes->arc_count; k++) {
        const MapArc *arc = &shapes->arcs[k];
        if (arc->left != class_index && arc->right != class_index)
            continue;
        for (int i = arc->first; i + 1 < arc->first + arc->count; i++) {
            FigurePoint a = shapes->points[i], b = shapes->points[i + 1];
            if ((a.y <= y) == (b.y <= y))
                continue;
            SPRAG_TRY(sprag_reserve(shapes->context, &crossings->x, &crossings->capacity,
                                    (size_t)crossings->count + 1, sizeof(double)));
            crossings->x[crossings->count++] = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
        }
    }
    return SPRAG_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Every square whose middle is inside the loops of a class, by counting crossings.
static SpragStatus fill_class(MapPanel *panel, int class_index, Crossings *crossings)
{
    for (int row = 0; row < panel->rows; row++) {
        SPRAG_TRY(
            find_crossings(panel, class_index, panel->plot.top + (row + 0.5) * SIDE, crossings));
        if (crossings->count > 0)
            qsort(crossings->x, (size_t)crossings->count, sizeof(double), compare);
        for (int k = 0; k + 1 < crossings->count; k += 2) {
            int from = (int)ceil((crossings->x[k] - panel->plot.left) / SIDE - 0.5);
            int to = (int)ceil((crossings->x[k + 1] - panel->plot.left) / SIDE - 0.5);
            for (int c = from > 0 ? from : 0; c < to && c < panel->columns; c++)
                panel->squares[row * panel->columns + c] = class_index;
        }
    }
    return SPRAG_OK;
}

static SpragStatus fill_squares(MapPanel *panel)
{
    Crossings crossings = {0};
    SpragContext *context = panel->map->context;
    SpragStatus status = SPRAG_OK;
    panel->columns = (int)(panel->plot.width / SIDE);
    panel->rows = (int)(panel->plot.height / SIDE);
    size_t count = (size_t)panel->columns * (size_t)panel->rows;
    panel->squares = sprag_alloc(context, count, sizeof *panel->squares);
    if (!panel->squares)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        panel->squares[i] = -1;
    for (int i = 0; i < panel->map->class_count && status == SPRAG_OK; i++)
        status = fill_class(panel, i, &crossings);
    sprag_free(context, crossings.x);
    return status;
}

SpragStatus panel_create(const SpragMap *map, double top, double height, MapPanel *panel)
{
    memset(panel, 0, sizeof *panel);
    panel->map = map;
    panel->plot = (Plot){.left = MAP_LEFT, .top = top, .width = MAP_WIDTH, .height = height};
    panel->plot.x = plot_scale_axis(&map->axes[0]);
    panel->plot.y = plot_scale_axis(&map->axes[1]);
    SPRAG_TRY(map_shapes_create(map, place_vertex, &panel->plot, &panel->shapes));
    return fill_squares(panel);
}

void panel_destroy(MapPanel *panel)
{
    map_shapes_destroy(&panel->shapes);
    sprag_free(panel->map->context, panel->squares);
}

// ---- Borders ------------------------------------------------------------------------------------

static bool is_grave(const SpragMap *map, const MapArc *arc)
{
    const SpragMapClass *a = &map->table[arc->left], *b = &map->table[arc->right];
    return a->valid != b->valid || a->outcome.kind != b->outcome.kind ||
           a->outcome.solution_count != b->outcome.solution_count ||
           a->outcome.stable_count != b->outcome.stable_count || a->outcome.held != b->outcome.held;
}

static bool is_border(const MapPanel *panel, int index, bool grave)
{
    const MapArc *arc = &panel->shapes.arcs[index];
    return arc->left >= 0 && arc->right >= 0 && is_grave(panel->map, arc) == grave;
}

bool panel_has_borders(const MapPanel *panel, bool grave)
{
    for (int i = 0; i < panel->shapes.arc_count; i++)
        if (is_border(panel, i, grave))
            return true;
    return false;
}

void panel_draw_borders(MapPanel *panel, Figure *figure)
{
    for (int grave = 0; grave < 2; grave++) {
        for (int i = 0; i < panel->shapes.arc_count; i++) {
            const MapArc *arc = &panel->shapes.arcs[i];
            if (!is_border(panel, i, grave == 1))
                continue;
            map_arc_add(&panel->shapes, i, false, figure);
            FigurePoint last = panel->shapes.points[arc->first + arc->count - 1];
            figure_point(figure, last.x, last.y);
            figure_break(figure);
        }
        if (panel_has_borders(panel, grave == 1))
            figure_stroke(figure, grave ? INK : INK2, grave ? 2 : 1.2,
                          grave ? FIGURE_SOLID : FIGURE_DASHED);
    }
}

void panel_draw_axes(const MapPanel *panel, Figure *figure)
{
    char x[AXIS_BYTES], y[AXIS_BYTES];
    PlotLabels labels = {.x = axis_words(&panel->map->axes[0], x),
                         .y = axis_words(&panel->map->axes[1], y)};
    plot_axes(figure, &panel->plot, &labels);
}

// ---- Places -------------------------------------------------------------------------------------

bool panel_scene_place(const MapPanel *panel, FigurePoint *place)
{
    const SpragMapAxis *a = &panel->map->axes[0], *b = &panel->map->axes[1];
    if (!a->has_value || !b->has_value || (a->logarithmic && !(a->value > 0)) ||
        (b->logarithmic && !(b->value > 0)))
        return false;
    double u = plot_along(&panel->plot.x, a->value), v = plot_along(&panel->plot.y, b->value);
    place->x = plot_x(&panel->plot, a->value);
    place->y = plot_y(&panel->plot, b->value);
    return u >= 0 && u <= 1 && v >= 0 && v <= 1;
}

int panel_class_at(double u, double v, const void *user)
{
    const MapPanel *panel = user;
    int column = (int)floor(u * panel->columns), row = (int)floor((1 - v) * panel->rows);
    if (column < 0 || row < 0 || column >= panel->columns || row >= panel->rows)
        return -1;
    return panel->squares[row * panel->columns + column];
}

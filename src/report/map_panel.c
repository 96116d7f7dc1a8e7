// map_panel.c: the plot of a map of two numbers: where things are, its borders, its scene.
#include "map_panel.h"

#include <math.h>

#include "map_words.h"

static FigurePoint place_vertex(double x, double y, const void *user)
{
    const Plot *plot = user;
    return (FigurePoint){plot_x(plot, x), plot_y(plot, y)};
}

SpragStatus panel_create(const SpragMap *map, double top, double height, MapPanel *panel)
{
    panel->map = map;
    panel->plot = (Plot){.left = MAP_LEFT, .top = top, .width = MAP_WIDTH, .height = height};
    panel->plot.x = plot_scale_axis(&map->axes[0]);
    panel->plot.y = plot_scale_axis(&map->axes[1]);
    return map_shapes_create(map, place_vertex, &panel->plot, &panel->shapes);
}

void panel_destroy(MapPanel *panel)
{
    map_shapes_destroy(&panel->shapes);
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

// Index of the grid value nearest to a part of the scale.
static int nearest_index(const SpragMapAxis *axis, const PlotScale *scale, double part)
{
    int low = 0, high = axis->count - 1;
    bool falls = axis->values[0] > axis->values[high];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if ((plot_along(scale, axis->values[middle]) <= part) != falls)
            low = middle;
        else
            high = middle;
    }
    double a = fabs(plot_along(scale, axis->values[low]) - part);
    double b = fabs(plot_along(scale, axis->values[high]) - part);
    return a <= b ? low : high;
}

static long point_at(const MapPanel *panel, double u, double v)
{
    int i = nearest_index(&panel->map->axes[0], &panel->plot.x, u);
    int j = nearest_index(&panel->map->axes[1], &panel->plot.y, v);
    return i + (long)j * panel->map->axes[0].count;
}

int panel_class_at(double u, double v, const void *user)
{
    const MapPanel *panel = user;
    long at = point_at(panel, u, v);
    return at / panel->map->axes[0].count < panel->map->complete_rows ? panel->map->classes[at]
                                                                      : -1;
}

long panel_point_at(const MapPanel *panel, FigurePoint place)
{
    return point_at(panel, (place.x - panel->plot.left) / panel->plot.width,
                    1 - (place.y - panel->plot.top) / panel->plot.height);
}

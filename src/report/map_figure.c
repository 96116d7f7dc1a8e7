// map_figure.c: a map as a figure: its verdict, with regions, borders, axes, names, legend; or its
// numbers.
#include "map_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_legend.h"
#include "map_names.h"
#include "map_panel.h"

enum { FIGURE_HEIGHT = 530, NAME_BYTES = 72 };

static SpragStatus draw_regions(const MapPanel *panel, Figure *figure)
{
    for (int i = 0; i < panel->map->class_count; i++) {
        SPRAG_TRY(map_class_add(&panel->shapes, panel->map, i, figure));
        figure_area(figure, class_fill(&panel->map->table[i]));
    }
    return SPRAG_OK;
}

static SpragStatus draw_panel(MapPanel *panel, Figure *figure)
{
    FigurePoint scene = {-100, -100};
    bool inside = panel_scene_place(panel, &scene);
    SPRAG_TRY(draw_regions(panel, figure));
    panel_draw_borders(panel, figure);
    panel_draw_axes(panel, figure);
    MapPlot plot = {MAP_LEFT, MAP_TOP, MAP_WIDTH, MAP_HEIGHT, scene.x, scene.y};
    SPRAG_TRY(map_names_draw(panel->map, &plot, panel_class_at, panel, figure));
    if (inside)
        figure_disc(figure, scene.x, scene.y, 5, INK);
    legend_classes(figure, panel->map, MAP_LEGEND_LEFT, MAP_TOP, inside);
    return figure->status;
}

static SpragStatus draw_map_verdict(const SpragMap *map, Figure *figure)
{
    MapPanel panel;
    SpragStatus status = panel_create(map, MAP_TOP, MAP_HEIGHT, &panel);
    figure_init(figure, map->context, MAP_FIGURE_WIDTH, FIGURE_HEIGHT);
    if (status == SPRAG_OK)
        status = draw_panel(&panel, figure);
    panel_destroy(&panel);
    return status;
}

// ---- All kinds ----------------------------------------------------------------------------------

static void write_title(const SpragMap *map, const SpragFigureSettings *settings,
                        char title[WORDS_BYTES])
{
    char x[AXIS_BYTES], y[AXIS_BYTES], words[WORDS_BYTES], name[NAME_BYTES + 4],
        what[NAME_BYTES + 4];
    const char *between = map->title[0] ? ": " : "";
    bool one = map->value_count == 1, none = map->value_count == 0;
    SpragMapAxis bare[] = {map->axes[0], map->axes[1]};
    bare[0].unit_name[0] = bare[1].unit_name[0] = 0;
    if (settings->title) {
        figure_cut(settings->title, WORDS_BYTES - 4, title);
        return;
    }
    figure_cut(map->title, NAME_BYTES, name);
    if (none && map->axes[1].path) {
        snprintf(title, WORDS_BYTES, "%s%show many rigid motions, and are they stable?", name,
                 between);
        return;
    }
    if (one)
        figure_cut(value_words(&map->value_about[0], words), NAME_BYTES, what);
    else
        snprintf(what, sizeof what, "%s",
                 !none           ? "values"
                 : map->title[0] ? "the verdict"
                                 : "The verdict");
    axis_words(&bare[0], x);
    snprintf(title, WORDS_BYTES, "%s%s%s over %.64s%s%.64s", name, between, what, x,
             map->axes[1].path ? " and " : "", map->axes[1].path ? axis_words(&bare[1], y) : "");
}

static SpragStatus draw(const SpragMap *map, Figure *figure)
{
    if (!map->axes[1].path)
        return draw_map_row(map, figure);
    return map->value_count > 0 ? draw_map_values(map, figure) : draw_map_verdict(map, figure);
}

// What a figure needs; a row of points may be short.
static bool can_draw(const SpragMap *map)
{
    if (map->axes[1].path)
        return map->complete_rows >= 2 && map->segment_count > 0;
    return map->classes[0] >= 0 && map->classes[1] >= 0;
}

static SpragStatus write_file(const SpragMap *map, const SpragFigureSettings *settings,
                              Figure *figure, const char *path)
{
    char title[WORDS_BYTES];
    FigureText style = {.x = MAP_LEFT - 40, .y = 26, .size = 14, .colour = INK, .bold = true};
    write_title(map, settings, title);
    figure_text_fitted(figure, &style, title, figure->width - MAP_LEFT - 20);
    if (map->interrupted) {
        style =
            (FigureText){.x = MAP_LEFT, .y = figure->height - 12, .size = 11, .colour = NONE_TEXT};
        figure_text(figure, &style, "interrupted: the rest was not computed");
    }
    return figure_write(figure, settings, title, settings->command, path);
}

SpragStatus sprag_figure_write_map(const SpragMap *map, const SpragFigureSettings *settings,
                                   const char *path)
{
    SpragFigureSettings chosen;
    Figure figure;
    SPRAG_TRY(figure_choose(map->context, settings, &chosen));
    if (!can_draw(map))
        return sprag_fail(map->context, SPRAG_ERROR_ARGUMENT,
                          "%s: a figure needs two axes with their borders and at least two "
                          "complete rows, or a row of points",
                          path);
    SpragStatus status = draw(map, &figure);
    if (status == SPRAG_OK)
        status = write_file(map, &chosen, &figure, path);
    figure_destroy(&figure);
    return status;
}

// map_panel.h: the plot of a map of two numbers: where things are, its borders, its scene.
#ifndef SPRAG_REPORT_MAP_PANEL_H
#define SPRAG_REPORT_MAP_PANEL_H

#include "map_shapes.h"
#include "plot.h"

enum {
    MAP_LEFT = 72,
    MAP_TOP = 70,
    MAP_WIDTH = 500,
    MAP_HEIGHT = 390,
    MAP_LEGEND_LEFT = MAP_LEFT + MAP_WIDTH + 30, // a multiple of 14: crosses lie well in swatches
    MAP_LEGEND_WIDTH = 248,
    MAP_FIGURE_WIDTH = MAP_LEGEND_LEFT + MAP_LEGEND_WIDTH
};

typedef struct MapPanel {
    const SpragMap *map;
    Plot plot;
    MapShapes shapes;  // in the plot
    int columns, rows; // of small squares
    int *squares;      // their classes, row by row from the top; −1: not computed
} MapPanel;

SpragStatus panel_create(const SpragMap *map, double top, double height, MapPanel *panel);
void panel_destroy(MapPanel *panel);
// Solid where the verdict changes, dashed where only the modes or the forces do.
void panel_draw_borders(MapPanel *panel, Figure *figure);
// Whether there are borders of these two kinds.
bool panel_has_borders(const MapPanel *panel, bool grave);
void panel_draw_axes(const MapPanel *panel, Figure *figure);
// Where the scene as it stands is in the figure; false: outside.
bool panel_scene_place(const MapPanel *panel, FigurePoint *place);
// Class at a part (0 … 1, to the right and up) of the plot, within its borders; −1: not computed.
// `user` is a panel.
int panel_class_at(double u, double v, const void *user);

#endif

// map_names.h: the names of the regions of a map, each where it fits.
#ifndef SPRAG_REPORT_MAP_NAMES_H
#define SPRAG_REPORT_MAP_NAMES_H

#include "figure.h"

// Where the plot is in the figure, and a mark that names keep away from.
typedef struct MapPlot {
    double left, top, width, height;
    double mark_x, mark_y;
} MapPlot;

// Class at a part (0 … 1, to the right and up) of the plot; −1: none.
typedef int MapClassAt(double u, double v, const void *user);

// Writes the name of every connected region that has room for it.
SpragStatus map_names_draw(const SpragMap *map, const MapPlot *plot, MapClassAt *class_at,
                           const void *user, Figure *figure);

#endif

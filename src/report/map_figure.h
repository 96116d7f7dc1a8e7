// map_figure.h: the figures of a map: of its verdict, of its numbers, of a row of points.
#ifndef SPRAG_REPORT_MAP_FIGURE_H
#define SPRAG_REPORT_MAP_FIGURE_H

#include "figure.h"

// Each sets the figure up, which is to be destroyed then, and draws all but its title.
SpragStatus draw_map_values(const SpragMap *map, Figure *figure); // map_value.c
SpragStatus draw_map_row(const SpragMap *map, Figure *figure);    // map_row.c

#endif

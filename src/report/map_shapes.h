// map_shapes.h: the borders of a map as lines, and its regions as closed loops of them.
#ifndef SPRAG_REPORT_MAP_SHAPES_H
#define SPRAG_REPORT_MAP_SHAPES_H

#include "figure.h"

// A line of border vertices between two places where borders meet, or closed.
typedef struct MapArc {
    int first, count; // in points
    int start, end;   // vertices
    int left, right;  // classes; −1: outside
    int next;         // in the list of arcs that leave a vertex, while loops are traced
} MapArc;

typedef struct MapShapes {
    SpragContext *context;
    int arc_count, point_count;
    MapArc *arcs;
    FigurePoint *points; // in the figure
    size_t arc_capacity, point_capacity;
} MapShapes;

// Places map vertices (SI) in the figure.
typedef FigurePoint MapPlacement(double x, double y, const void *user);

// Joins the segments of a map to arcs and leaves out points that do not show.
SpragStatus map_shapes_create(const SpragMap *map, MapPlacement *placement, const void *user,
                              MapShapes *shapes);
void map_shapes_destroy(MapShapes *shapes);
// Adds the points of an arc to the figure, from its end if `reverse`; not its last one.
void map_arc_add(const MapShapes *shapes, int arc, bool reverse, Figure *figure);
// Adds all loops around a class to the figure's next area.
SpragStatus map_class_add(const MapShapes *shapes, const SpragMap *map, int class_index,
                          Figure *figure);

#endif

// polyline.h: a line of points that is built point by point and then thinned.
#ifndef SPRAG_REPORT_POLYLINE_H
#define SPRAG_REPORT_POLYLINE_H

#include "figure.h"

typedef struct Polyline {
    SpragContext *context;
    int count;
    FigurePoint *points;
    bool *kept;
    int *stack;
    size_t point_capacity, kept_capacity, stack_capacity;
} Polyline;

void polyline_init(Polyline *line, SpragContext *context);
void polyline_destroy(Polyline *line);
SpragStatus polyline_add(Polyline *line, FigurePoint point);
// Leaves out points that do not show: nearer than a twentieth of a pixel to the line without them
// (Ramer, Douglas and Peucker's rule). The ends stay.
SpragStatus polyline_simplify(Polyline *line);

#endif

// contour.h: isolines of a function on a grid, and the areas above them.
#ifndef SPRAG_REPORT_CONTOUR_H
#define SPRAG_REPORT_CONTOUR_H

#include "polyline.h"

// Values at the points of a grid that is straight in the figure; NaN: a cell with such a corner is
// left out.
typedef struct ContourField {
    int nx, ny;
    double *x, *y; // places of its columns and rows in the figure
    double *f;     // at i + j nx
} ContourField;

typedef struct ContourLine {
    int first, count; // in points
} ContourLine;

// Scratch memory and the lines found last; grows only.
typedef struct Contour {
    SpragContext *context;
    Polyline line;
    int *next, *entered; // per vertex: where segments lead, two each; whether one arrives
    size_t next_capacity, entered_capacity;
    int line_count, point_count;
    ContourLine *lines;
    FigurePoint *points;
    size_t line_capacity, point_capacity;
} Contour;

void contour_init(Contour *contour, SpragContext *context);
void contour_destroy(Contour *contour);
// Adds loops around where f ≥ level to the figure's next area; −INFINITY: where the field is.
// Crossings are linear along grid edges. The area above a higher level lies inside.
SpragStatus contour_add_area(Contour *contour, const ContourField *field, double level,
                             Figure *figure);
// The isolines of a level, in contour->lines.
SpragStatus contour_find_lines(Contour *contour, const ContourField *field, double level);

#endif

// map_labels.h: numbers on isolines, each where it can be read.
#ifndef SPRAG_REPORT_MAP_LABELS_H
#define SPRAG_REPORT_MAP_LABELS_H

#include "contour.h"
#include "map_panel.h"

enum { LABELS_MOST = 160 };

typedef struct LabelBox {
    double x, y, width, height; // its middle
} LabelBox;

typedef struct MapLabels {
    const MapPanel *panel;
    int count;
    LabelBox boxes[LABELS_MOST]; // taken
} MapLabels;

// Keeps a place free.
void labels_take(MapLabels *labels, FigurePoint place, double width, double height);
bool labels_taken(const MapLabels *labels, double x, double y);
// Writes a text on each of the lines found last that is long enough, where it is straight and level
// and nothing is in the way. class_index ≥ 0: only inside that class.
void labels_draw(MapLabels *labels, const Contour *contour, int class_index,
                 const FigureText *style, const char *text, Figure *figure);

#endif

// map_legend.h: the legend of a map: its classes, most frequent first, and what else is drawn.
#ifndef SPRAG_REPORT_MAP_LEGEND_H
#define SPRAG_REPORT_MAP_LEGEND_H

#include "map_words.h"

// The classes with their fills and words, and the mark of the scene if it is drawn; returns where
// it ends.
double legend_classes(Figure *figure, const SpragMap *map, double x, double y, bool scene);
// A small rectangle with a rim.
void legend_swatch(Figure *figure, double x, double y, FigureFill fill);

#endif

// map_levels.h: the levels of a number for its isolines, and the colours between them.
#ifndef SPRAG_REPORT_MAP_LEVELS_H
#define SPRAG_REPORT_MAP_LEVELS_H

#include "plot.h"

enum { LEVELS_MOST = 20 };

// Band k lies between level k − 1 and level k.
typedef struct MapLevels {
    int count;
    double at[LEVELS_MOST];
    unsigned colours[LEVELS_MOST + 1];
    double least, greatest; // of all finite values; NaN: there are none
    bool crosses_zero;      // 0 is a level, between values of both signs
    bool few;               // few different numbers: levels are half way between them
    double numbers[LEVELS_MOST + 1];
    double step; // between levels; 0: they are not equally far apart
} MapLevels;

// Levels at round values for value number `value` of a map.
SpragStatus levels_choose(const SpragMap *map, int value, MapLevels *levels);
// The band of a number.
int levels_band(const MapLevels *levels, double number);
// What a level is called.
const char *levels_words(const MapLevels *levels, int level, char text[PLOT_WORDS]);
// The bar with its title and numbers; returns where it ends.
double levels_draw_bar(const MapLevels *levels, const SpragMapValue *about, Figure *figure,
                       const Plot *bar);

#endif

// plot.h: a rectangle of a figure with two scales: places, ticks and axes.
#ifndef SPRAG_REPORT_PLOT_H
#define SPRAG_REPORT_PLOT_H

#include "figure.h"

enum { PLOT_TICKS = 64, PLOT_WORDS = 64 };

typedef enum PlotKind { PLOT_LINEAR, PLOT_LOGARITHMIC, PLOT_ASINH } PlotKind;

typedef struct PlotScale {
    double from, to; // lower and upper end
    PlotKind kind;
    double width; // of the linear part of asinh
    double unit;  // ticks are at round multiples of it
    bool degrees;
    bool whole; // ticks at whole numbers only
} PlotScale;

typedef struct Plot {
    double left, top, width, height;
    PlotScale x, y;
} Plot;

typedef struct PlotTicks {
    int count;
    double at[PLOT_TICKS]; // in units
    double step;           // 0: not of equal steps
} PlotTicks;

PlotScale plot_scale(double from, double to);
// The scale of numbers of which some are far larger than most (asinh, with most of them in its
// linear part), else a linear one, widened to whole ticks. No finite number: 0 … 1.
PlotScale plot_scale_numbers(const double *numbers, long count);
// The scale of an axis of a map.
PlotScale plot_scale_axis(const SpragMapAxis *axis);

double plot_along(const PlotScale *scale, double value); // 0 … 1
double plot_x(const Plot *plot, double x);
double plot_y(const Plot *plot, double y);

// 1, 2 or 5 times a power of ten: about `wanted` of them in the range.
double plot_step(double range, int wanted);
void plot_ticks(const PlotScale *scale, int wanted, PlotTicks *ticks);
// A tick's number, with the digits that its step needs.
const char *plot_tick_words(const PlotTicks *ticks, int index, char text[PLOT_WORDS]);

// Labels of a plot; NULL: none. Without one for x its ticks have no numbers either.
typedef struct PlotLabels {
    const char *x, *y;
    bool grid; // lines at the ticks of y
} PlotLabels;

void plot_grid(Figure *figure, const Plot *plot);
void plot_axes(Figure *figure, const Plot *plot, const PlotLabels *labels);

// Up to six digits (or `digits`), with a true minus and a power of ten as people write it.
const char *number_words(double number, char text[PLOT_WORDS]);
const char *number_words_digits(double number, int digits, char text[PLOT_WORDS]);

#endif

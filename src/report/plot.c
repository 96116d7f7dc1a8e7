// plot.c: a rectangle of a figure with two scales: places, ticks and axes.
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Scales -------------------------------------------------------------------------------------

PlotScale plot_scale(double from, double to)
{
    return (PlotScale){.from = fmin(from, to), .to = fmax(from, to), .unit = 1};
}

PlotScale plot_scale_axis(const SpragMapAxis *axis)
{
    PlotScale scale = plot_scale(axis->values[0], axis->values[axis->count - 1]);
    scale.kind = axis->logarithmic ? PLOT_LOGARITHMIC : PLOT_LINEAR;
    scale.unit = axis->unit;
    scale.degrees = strcmp(axis->unit_name, "deg") == 0;
    return scale;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

PlotScale plot_scale_numbers(const double *numbers, long count)
{
    enum { MOST = 1024 };
    const double spread = 12, air = 0.04; // largest to median; part of the range
    double sizes[MOST], low = INFINITY, high = -INFINITY;
    long step = count / MOST + 1;
    int n = 0;
    for (long i = 0; i < count; i++) {
        if (!isfinite(numbers[i]))
            continue;
        low = fmin(low, numbers[i]);
        high = fmax(high, numbers[i]);
        if (i % step == 0 && n < MOST && numbers[i] != 0)
            sizes[n++] = fabs(numbers[i]);
    }
    if (!(low <= high))
        return plot_scale(0, 1);
    double range = high - low, largest = fmax(fabs(low), fabs(high));
    if (!(range > 1e-9 * largest)) {
        double half = largest > 0 ? 0.5 * largest : 1;
        return plot_scale(low - half, high + half);
    }
    qsort(sizes, (size_t)n, sizeof *sizes, compare);
    PlotScale scale = plot_scale(low - air * range, high + air * range);
    double median = n > 0 ? sizes[n / 2] : 0;
    if (median > 0 && largest > spread * median && range > spread * median) {
        scale.kind = PLOT_ASINH;
        scale.width = median;
        scale.from = low - fabs(low) * air;
        scale.to = high + fabs(high) * air;
    }
    return scale;
}

static double bend(const PlotScale *scale, double value)
{
    switch (scale->kind) {
    case PLOT_LOGARITHMIC:
        return log(value);
    case PLOT_ASINH:
        return asinh(value / scale->width);
    default:
        return value;
    }
}

double plot_along(const PlotScale *scale, double value)
{
    double from = bend(scale, scale->from);
    return (bend(scale, value) - from) / (bend(scale, scale->to) - from);
}

double plot_x(const Plot *plot, double x)
{
    return plot->left + plot->width * plot_along(&plot->x, x);
}

double plot_y(const Plot *plot, double y)
{
    return plot->top + plot->height * (1 - plot_along(&plot->y, y));
}

// ---- Ticks --------------------------------------------------------------------------------------

double plot_step(double range, int wanted)
{
    double step = range / wanted, power = pow(10, floor(log10(step))), part = step / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void add_tick(PlotTicks *ticks, double tick)
{
    if (ticks->count < PLOT_TICKS)
        ticks->at[ticks->count++] = tick;
}

// Degrees go by 15, 30 or 60 where that fits.
static void linear_ticks(const PlotScale *scale, int wanted, PlotTicks *ticks)
{
    double from = scale->from / scale->unit, to = scale->to / scale->unit;
    double step = plot_step(to - from, wanted);
    if (scale->degrees && to - from > 60 && to - from <= 720) {
        static const double steps[] = {15, 30, 45, 60, 90, 180};
        for (size_t i = sizeof steps / sizeof *steps; i-- > 0;)
            if ((to - from) / steps[i] <= wanted + 1)
                step = steps[i];
    }
    if (scale->whole)
        step = fmax(1, step);
    ticks->step = step;
    double first = ceil(from / step - 1e-9);
    for (int k = 0; k < PLOT_TICKS && (first + k) * step <= to + 1e-9 * step; k++)
        add_tick(ticks, (first + k) * step);
}

static void decade_ticks(const PlotScale *scale, int wanted, PlotTicks *ticks)
{
    static const int digits[] = {1, 2, 5};
    double from = scale->from / scale->unit, to = scale->to / scale->unit;
    double decades = log10(to / from);
    if (decades < 0.7) { // too few round ones of a logarithm
        linear_ticks(scale, wanted, ticks);
        return;
    }
    int per_decade = decades < 0.4 * wanted ? 3 : 1;
    int first = (int)floor(log10(from)), last = (int)ceil(log10(to));
    int stride = per_decade == 3 ? 1 : (int)fmax(1, ceil(decades / wanted));
    for (int decade = first; decade <= last; decade++)
        for (int k = 0; k < per_decade && decade % stride == 0; k++) {
            double tick = pow(10, decade) * digits[k];
            if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9))
                add_tick(ticks, tick);
        }
}

// 0 and powers of ten to both sides, from the linear part on.
static void asinh_ticks(const PlotScale *scale, int wanted, PlotTicks *ticks)
{
    double largest = fmax(fabs(scale->from), fabs(scale->to));
    int first = (int)floor(log10(scale->width)), last = (int)floor(log10(largest));
    bool both = scale->from < 0 && scale->to > 0;
    int stride = (int)fmax(1, ceil((last - first + 1) * (both ? 2.0 : 1.0) / wanted));
    for (int side = -1; side <= 1; side++)
        for (int k = 0; k <= (side == 0 ? 0 : last - first); k++) {
            int decade = side < 0 ? last - k : first + k;
            double tick = side * pow(10, decade);
            if ((last - decade) % stride == 0 && tick >= scale->from && tick <= scale->to)
                add_tick(ticks, tick);
        }
}

void plot_ticks(const PlotScale *scale, int wanted, PlotTicks *ticks)
{
    memset(ticks, 0, sizeof *ticks);
    if (scale->kind == PLOT_LOGARITHMIC)
        decade_ticks(scale, wanted, ticks);
    else if (scale->kind == PLOT_ASINH)
        asinh_ticks(scale, wanted, ticks);
    else
        linear_ticks(scale, wanted, ticks);
}

// ---- Words --------------------------------------------------------------------------------------

static size_t put(char *text, size_t used, const char *piece)
{
    memcpy(text + used, piece, strlen(piece) + 1);
    return used + strlen(piece);
}

// "e-07" as "·10⁻⁷".
static void put_power(char *text, size_t used, const char *exponent, bool alone)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[24];
    long power = strtol(exponent, NULL, 10);
    used = put(text, used, alone ? "10" : "·10");
    if (power < 0)
        used = put(text, used, "⁻");
    snprintf(digits, sizeof digits, "%ld", labs(power));
    for (const char *d = digits; *d; d++)
        used = put(text, used, raised[*d - '0']);
}

const char *number_words_digits(double number, int digits, char text[PLOT_WORDS])
{
    char plain[40];
    size_t used = 0;
    snprintf(plain, sizeof plain, "%.*g", digits, number == 0 ? 0.0 : number);
    const char *c = plain;
    text[0] = 0;
    if (*c == '-') {
        used = put(text, used, "−");
        c++;
    }
    const char *exponent = strchr(c, 'e');
    bool alone = exponent == c + 1 && *c == '1';
    for (; !alone && *c && *c != 'e'; c++) {
        char one[2] = {*c == ',' ? '.' : *c, 0}; // whatever the program's locale
        used = put(text, used, one);
    }
    if (exponent)
        put_power(text, used, exponent + 1, alone);
    return text;
}

const char *number_words(double number, char text[PLOT_WORDS])
{
    return number_words_digits(number, 6, text);
}

const char *plot_tick_words(const PlotTicks *ticks, int index, char text[PLOT_WORDS])
{
    double largest = 0;
    int digits = 6;
    for (int i = 0; i < ticks->count; i++)
        largest = fmax(largest, fabs(ticks->at[i]));
    if (ticks->step > 0 && largest > 0)
        digits = (int)fmin(15, fmax(digits, 1 + ceil(log10(largest / ticks->step) + 1e-9)));
    // powers of ten far from 1 all look the same
    double power = log10(fabs(ticks->at[index]));
    bool wide = largest >= 1e6 || fabs(ticks->at[0]) < 1e-4;
    if (ticks->step == 0 && wide && fabs(power) >= 3 && fabs(power - round(power)) < 1e-9) {
        char exponent[24];
        snprintf(exponent, sizeof exponent, "%ld", lround(power));
        put_power(text, ticks->at[index] < 0 ? put(text, 0, "−") : 0, exponent, true);
        return text;
    }
    // what is left of a rounding near 0 is 0
    double tick = fabs(ticks->at[index]) < 1e-9 * ticks->step ? 0 : ticks->at[index];
    return number_words_digits(tick, digits, text);
}

// ---- Axes ---------------------------------------------------------------------------------------

// Fewer and fewer ticks, until their numbers stand apart.
static void ticks_with_room(const Plot *plot, PlotTicks *ticks)
{
    const double size = 11, air = 12;
    char text[PLOT_WORDS];
    for (int wanted = 8; wanted >= 1; wanted--) {
        double last = -INFINITY;
        bool fits = true;
        plot_ticks(&plot->x, wanted, ticks);
        for (int i = 0; i < ticks->count; i++) {
            double x = plot_x(plot, ticks->at[i] * plot->x.unit);
            double half = 0.5 * figure_text_width(plot_tick_words(ticks, i, text), size, false);
            fits &= x - half > last + air;
            last = x + half;
        }
        if (fits)
            return;
    }
}

static void draw_x(Figure *figure, const Plot *plot, const char *label)
{
    PlotTicks ticks;
    char text[PLOT_WORDS];
    double bottom = plot->top + plot->height;
    FigureText style = {.size = 11, .colour = INK3, .anchor = FIGURE_MIDDLE};
    ticks_with_room(plot, &ticks);
    for (int i = 0; i < ticks.count; i++) {
        style.x = plot_x(plot, ticks.at[i] * plot->x.unit);
        style.y = bottom + 18;
        figure_line(figure, style.x, bottom, style.x, bottom + 4, INK3, 1);
        if (label)
            figure_text(figure, &style, plot_tick_words(&ticks, i, text));
    }
    if (!label)
        return;
    style = (FigureText){.x = plot->left + plot->width,
                         .y = bottom + 38,
                         .size = 12,
                         .colour = INK2,
                         .anchor = FIGURE_END};
    figure_text_fitted(figure, &style, label, plot->width + 32);
}

static void y_ticks(const Plot *plot, PlotTicks *ticks)
{
    const double apart = 42;
    plot_ticks(&plot->y, (int)fmax(3, fmin(8, plot->height / apart)), ticks);
}

void plot_grid(Figure *figure, const Plot *plot)
{
    PlotTicks ticks;
    y_ticks(plot, &ticks);
    for (int i = 0; i < ticks.count; i++) {
        double y = plot_y(plot, ticks.at[i] * plot->y.unit);
        figure_line(figure, plot->left, y, plot->left + plot->width, y, LINE2, 1);
    }
}

// Numbers that would touch another are left out; 0 stays.
static void draw_y(Figure *figure, const Plot *plot)
{
    const double apart = 12;
    PlotTicks ticks;
    char text[PLOT_WORDS];
    double taken[PLOT_TICKS];
    int count = 0;
    FigureText style = {.size = 11, .colour = INK3, .anchor = FIGURE_END, .x = plot->left - 8};
    y_ticks(plot, &ticks);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < ticks.count; i++) {
            double y = plot_y(plot, ticks.at[i] * plot->y.unit);
            bool clear = (ticks.at[i] == 0) == (pass == 0);
            for (int k = 0; k < count; k++)
                clear &= fabs(taken[k] - y) >= apart;
            if (!clear)
                continue;
            taken[count++] = y;
            style.y = y + 4;
            figure_line(figure, plot->left - 4, y, plot->left, y, INK3, 1);
            figure_text(figure, &style, plot_tick_words(&ticks, i, text));
        }
}

void plot_axes(Figure *figure, const Plot *plot, const PlotLabels *labels)
{
    double bottom = plot->top + plot->height;
    FigureText style;
    if (labels->grid)
        plot_grid(figure, plot);
    draw_x(figure, plot, labels->x);
    if (labels->y)
        draw_y(figure, plot);
    figure_point(figure, plot->left, plot->top);
    figure_point(figure, plot->left, bottom);
    figure_point(figure, plot->left + plot->width, bottom);
    figure_stroke(figure, INK3, 1, FIGURE_SOLID);
    style = (FigureText){.x = plot->left - 40, .y = plot->top - 14, .size = 12, .colour = INK2};
    if (labels->y)
        figure_text_fitted(figure, &style, labels->y, plot->width + 32);
}

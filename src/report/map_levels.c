// map_levels.c: the levels of a number for its isolines, and the colours between them.
// Levels    1, 2 or 5 times a power of ten apart; where few numbers are far larger than most, 1, 2,
//           5 times powers of ten to both sides of 0.
// Colours   one hue from pale to full, which is also from light to dark in grey; around 0 two of
//           them: red where the sign means trouble. None is so dark that lines and text on it
//           cannot be read.
#include "map_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_words.h"

enum { SAMPLES = 4096 };

// ---- Colours ------------------------------------------------------------------------------------

typedef enum Hue { HUE_BLUE, HUE_RED, HUE_OCHRE } Hue;

// Between the colours of the roles and white: normal, none, tangential.
static const unsigned ramps[][4] = {
    [HUE_BLUE] = {0xf2f6fa, 0xc5dbee, 0x8fb9dd, 0x5792c4},
    [HUE_RED] = {0xfcf3f5, 0xf4cfd7, 0xe99cae, 0xd9667f},
    [HUE_OCHRE] = {0xfbf5ee, 0xf0d6b8, 0xe0ad76, 0xc58442},
};

// A colour at 0 … 1 of a ramp.
static unsigned ramp_colour(Hue hue, double part)
{
    double place = 3 * fmin(1, fmax(0, part));
    int piece = place >= 3 ? 2 : (int)place;
    unsigned a = ramps[hue][piece], b = ramps[hue][piece + 1], colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = a >> shift & 255, to = b >> shift & 255;
        colour |= (unsigned)lround(from + (place - piece) * (to - from)) << shift;
    }
    return colour;
}

// The same distance from 0 has the same strength on both sides.
static void choose_colours(MapLevels *levels, int trouble)
{
    int zero = 0; // bands below 0
    while (zero < levels->count && levels->at[zero] <= 0)
        zero++;
    bool falls = !levels->crosses_zero && levels->greatest <= 0;
    int below = levels->crosses_zero ? zero : falls ? levels->count + 1 : 0;
    int above = levels->count + 1 - below, most = below > above ? below : above;
    Hue low = trouble < 0 ? HUE_RED : trouble > 0 ? HUE_BLUE : HUE_OCHRE;
    Hue high = trouble > 0 ? HUE_RED : HUE_BLUE;
    if (!levels->crosses_zero && trouble == 0)
        low = HUE_BLUE;
    for (int band = 0; band <= levels->count; band++) {
        int rank = band < below ? below - 1 - band : band - below;
        double part = most > 1 ? (rank + 0.25) / (most - 0.75) : 0.4;
        levels->colours[band] = ramp_colour(band < below ? low : high, part);
    }
}

// ---- Levels -------------------------------------------------------------------------------------

typedef struct Numbers {
    int count;
    double all[SAMPLES];   // ascending
    double sizes[SAMPLES]; // ascending, those of all but 0
    int size_count;
} Numbers;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double part_of(const double *sorted, int count, double part)
{
    return sorted[(int)lround(part * (count - 1))];
}

// Points that are drawn.
static long drawn_points(const SpragMap *map)
{
    return (long)map->axes[0].count * map->complete_rows;
}

static double number_at(const SpragMap *map, int value, long at)
{
    double number = map->classes[at] < 0 ? NAN : map->values[at * map->value_count + value];
    return isfinite(number) ? number : NAN;
}

// The extremes of all, and samples spread over the map by the golden ratio, which fits no grid.
static void gather(const SpragMap *map, int value, MapLevels *levels, Numbers *numbers)
{
    const double golden = 0.6180339887498949;
    long total = drawn_points(map);
    levels->least = INFINITY;
    levels->greatest = -INFINITY;
    for (long at = 0; at < total; at++) {
        double number = number_at(map, value, at);
        levels->least = fmin(levels->least, number);
        levels->greatest = fmax(levels->greatest, number);
    }
    for (long k = 0; k < total && k < SAMPLES; k++) {
        double place = golden * (double)k;
        long at = total <= SAMPLES ? k : (long)((place - floor(place)) * (double)total);
        double number = number_at(map, value, at < total ? at : total - 1);
        if (!isnan(number))
            numbers->all[numbers->count++] = number;
    }
    qsort(numbers->all, (size_t)numbers->count, sizeof(double), compare);
    // what rounding leaves of a 0 has no size
    double large = fmax(fabs(levels->least), fabs(levels->greatest));
    if (fabs(levels->least) < 1e-12 * large)
        levels->least = 0;
    if (fabs(levels->greatest) < 1e-12 * large)
        levels->greatest = 0;
    for (int i = 0; i < numbers->count; i++)
        if (fabs(numbers->all[i]) > 1e-9 * large)
            numbers->sizes[numbers->size_count++] = fabs(numbers->all[i]);
    qsort(numbers->sizes, (size_t)numbers->size_count, sizeof(double), compare);
}

// Levels that no number is above or below divide nothing.
static void add_level(MapLevels *levels, double level)
{
    double near = 1e-9 * fmax(fabs(levels->least), fabs(levels->greatest));
    if (level > levels->least + near && level < levels->greatest - near &&
        levels->count < LEVELS_MOST)
        levels->at[levels->count++] = level;
}

// Numbers that are constant in each region; false: there are many of them.
static bool few_levels(const SpragMap *map, int value, MapLevels *levels, const Numbers *numbers)
{
    const int most = 8;
    double near = 1e-9 * fmax(fabs(levels->least), fabs(levels->greatest)), last = -INFINITY;
    int count = 0;
    for (int i = 0; i < numbers->count; i++) {
        if (numbers->all[i] <= last + near)
            continue;
        if (count == most)
            return false;
        last = levels->numbers[count++] = numbers->all[i];
    }
    for (long at = 0; at < drawn_points(map); at++) { // samples may have missed some
        double number = number_at(map, value, at), off = INFINITY;
        for (int i = 0; i < count; i++)
            off = fmin(off, fabs(number - levels->numbers[i]));
        if (!isnan(number) && off > near)
            return false;
    }
    levels->few = true;
    levels->count = count - 1;
    for (int i = 0; i < levels->count; i++)
        levels->at[i] = 0.5 * (levels->numbers[i] + levels->numbers[i + 1]);
    return true;
}

// A hundredth of the numbers to each side may go beyond the last level.
static void equal_levels(MapLevels *levels, const Numbers *numbers)
{
    const int wanted = 8;
    double from = part_of(numbers->all, numbers->count, 0.01);
    double to = part_of(numbers->all, numbers->count, 0.99);
    if (!(to > from)) {
        from = levels->least;
        to = levels->greatest;
    }
    double step = plot_step(to - from, wanted);
    levels->step = step;
    for (double k = ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++)
        add_level(levels, fabs(k) < 0.5 ? 0 : k * step);
}

// Powers of ten with 1, 2, 5 between them if they are few.
static void decade_levels(MapLevels *levels, const Numbers *numbers)
{
    static const int digits[] = {1, 2, 5};
    bool both = levels->least < 0 && levels->greatest > 0;
    double from = part_of(numbers->sizes, numbers->size_count, both ? 0.2 : 0.05);
    double to = part_of(numbers->sizes, numbers->size_count, 0.995);
    int first = (int)floor(log10(from)), last = (int)floor(log10(to));
    int per_decade = last - first <= (both ? 1 : 2) ? 3 : 1;
    int stride = 1;
    while ((last - first + 1) / stride * (both ? 2 : 1) > LEVELS_MOST - 6)
        stride++;
    for (int side = -1; side <= 1; side++) {
        if (side == 0)
            add_level(levels, 0);
        for (int k = 0; side != 0 && k < per_decade * (last - first + 1); k++) {
            int at = side < 0 ? per_decade * (last - first + 1) - 1 - k : k;
            int decade = first + at / per_decade;
            double size = digits[at % per_decade] * pow(10, decade);
            if ((last - decade) % stride == 0 && size >= from && size <= to)
                add_level(levels, side * size);
        }
    }
}

SpragStatus levels_choose(const SpragMap *map, int value, MapLevels *levels)
{
    const double spread = 12; // of the large ones to the median
    const SpragMapValue *about = &map->value_about[value];
    Numbers *numbers = sprag_alloc(map->context, 1, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    memset(levels, 0, sizeof *levels);
    gather(map, value, levels, numbers);
    double range = levels->greatest - levels->least;
    double largest = fmax(fabs(levels->greatest), fabs(levels->least));
    if (!(levels->least <= levels->greatest)) {
        levels->least = levels->greatest = NAN;
    } else if (about->kind != SPRAG_MAP_VALUE_SMOOTH && numbers->count > 0 &&
               few_levels(map, value, levels, numbers)) {
        ; // counts, or numbers of regions
    } else if (range > 1e-9 * largest && numbers->size_count > 0) {
        double large = part_of(numbers->sizes, numbers->size_count, 0.98);
        double median = part_of(numbers->sizes, numbers->size_count, 0.5);
        if (large > spread * median)
            decade_levels(levels, numbers);
        else
            equal_levels(levels, numbers);
    }
    for (int i = 0; i < levels->count; i++)
        levels->crosses_zero |= levels->at[i] == 0 && !levels->few;
    choose_colours(levels, about->trouble);
    sprag_free(map->context, numbers);
    return SPRAG_OK;
}

int levels_band(const MapLevels *levels, double number)
{
    int band = 0;
    while (band < levels->count && number >= levels->at[band])
        band++;
    return band;
}

const char *levels_words(const MapLevels *levels, int level, char text[PLOT_WORDS])
{
    double size = fabs(levels->at[level]);
    int digits = 4;
    if (levels->step > 0 && size > 0)
        digits = (int)fmin(15, fmax(digits, 1 + ceil(log10(size / levels->step) + 1e-9)));
    return number_words_digits(levels->at[level], digits, text);
}

// ---- The bar ------------------------------------------------------------------------------------

static void draw_bands(const MapLevels *levels, Figure *figure, const Plot *bar, double height)
{
    double bottom = bar->top + bar->height;
    for (int band = 0; band <= levels->count; band++)
        figure_rectangle(figure, bar->left, bottom - (band + 1) * height, bar->width, height,
                         (FigureFill){.colour = levels->colours[band]});
    figure_point(figure, bar->left, bar->top);
    figure_point(figure, bar->left + bar->width, bar->top);
    figure_point(figure, bar->left + bar->width, bottom);
    figure_point(figure, bar->left, bottom);
    figure_point(figure, bar->left, bar->top);
    figure_stroke(figure, INK3, 0.8, FIGURE_SOLID);
}

static void draw_numbers(const MapLevels *levels, Figure *figure, const Plot *bar, double height)
{
    char text[PLOT_WORDS];
    double bottom = bar->top + bar->height;
    FigureText style = {.x = bar->left + bar->width + 9, .size = 11, .colour = INK2};
    for (int k = 0; k < levels->count && !levels->few; k++) {
        bool zero = levels->crosses_zero && levels->at[k] == 0;
        double y = bottom - (k + 1) * height;
        figure_line(figure, bar->left, y, bar->left + bar->width + 5, y, zero ? INK : INK3,
                    zero ? 2.6 : 0.8);
        style.y = y + 4;
        style.bold = zero;
        style.colour = zero ? INK : INK2;
        figure_text(figure, &style, levels_words(levels, k, text));
    }
    style.bold = false;
    style.colour = INK3;
    for (int k = 0; k <= levels->count && levels->few; k++) {
        style.y = bottom - (k + 0.5) * height + 4;
        figure_text(figure, &style, number_words_digits(levels->numbers[k], 4, text));
    }
    if (levels->few)
        return;
    style.y = bottom + 4;
    figure_text(figure, &style, number_words_digits(levels->least, 3, text));
    style.y = bar->top + 4;
    if (levels->count > 0)
        figure_text(figure, &style, number_words_digits(levels->greatest, 3, text));
}

double levels_draw_bar(const MapLevels *levels, const SpragMapValue *about, Figure *figure,
                       const Plot *bar)
{
    const double most = 30; // pixels of a band
    char text[WORDS_BYTES];
    Plot inner = *bar;
    FigureText style = {.x = bar->left, .y = bar->top + 9, .size = 12, .colour = INK, .bold = true};
    figure_text_fitted(figure, &style, value_label(about, text), 230);
    if (isnan(levels->least)) {
        style.y += 20;
        style.bold = false;
        style.colour = INK3;
        figure_text(figure, &style, "nowhere defined");
        return style.y + 8;
    }
    inner.top += 26;
    inner.height = fmin(bar->height - 26, most * (levels->count + 1));
    double height = inner.height / (levels->count + 1);
    draw_bands(levels, figure, &inner, height);
    draw_numbers(levels, figure, &inner, height);
    return inner.top + inner.height;
}

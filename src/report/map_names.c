// map_names.c: the names of the regions of a map, each where it fits.
// Method    the plot as a raster of small squares, connected ones of a class are a region. With
//           sums over rectangles it is known at once whether a box lies inside; the longest name
//           and the widest margin that have a place win, and of all places the one nearest to their
//           middle.
#include <math.h>

#include "map_names.h"
#include "map_words.h"

enum { SIDE = 5, COLUMNS = 128, ROWS = 128 }; // pixels of a square; most squares

typedef struct Raster {
    int columns, rows;
    int classes[ROWS][COLUMNS];
    int regions[ROWS][COLUMNS];      // −1: none
    int sums[ROWS + 1][COLUMNS + 1]; // squares above and to the left that are of another region
    int stack[ROWS * COLUMNS];
} Raster;

static void fill_raster(const MapPlot *plot, MapClassAt *class_at, const void *user, Raster *raster)
{
    const double around_mark = 12;
    raster->columns = (int)fmin(COLUMNS, plot->width / SIDE);
    raster->rows = (int)fmin(ROWS, plot->height / SIDE);
    for (int r = 0; r < raster->rows; r++)
        for (int c = 0; c < raster->columns; c++) {
            double x = (c + 0.5) * SIDE, y = (r + 0.5) * SIDE;
            bool taken =
                hypot(plot->left + x - plot->mark_x, plot->top + y - plot->mark_y) < around_mark;
            raster->classes[r][c] =
                taken ? -1 : class_at(x / plot->width, 1 - y / plot->height, user);
            raster->regions[r][c] = -1;
        }
}

// Marks the connected squares around one with a number.
static void flood(Raster *raster, int start, int region)
{
    static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int count = 0, class_index = raster->classes[start / COLUMNS][start % COLUMNS];
    raster->stack[count++] = start;
    raster->regions[start / COLUMNS][start % COLUMNS] = region;
    while (count > 0) {
        int at = raster->stack[--count];
        for (int k = 0; k < 4; k++) {
            int r = at / COLUMNS + steps[k][0], c = at % COLUMNS + steps[k][1];
            if (r < 0 || c < 0 || r >= raster->rows || c >= raster->columns ||
                raster->regions[r][c] >= 0 || raster->classes[r][c] != class_index)
                continue;
            raster->regions[r][c] = region;
            raster->stack[count++] = r * COLUMNS + c;
        }
    }
}

static void sum_raster(Raster *raster, int region)
{
    for (int r = 0; r < raster->rows; r++)
        for (int c = 0; c < raster->columns; c++)
            raster->sums[r + 1][c + 1] = raster->sums[r][c + 1] + raster->sums[r + 1][c] -
                                         raster->sums[r][c] + (raster->regions[r][c] != region);
}

static bool is_free(const Raster *raster, int r, int c, int h, int w)
{
    return raster->sums[r + h][c + w] - raster->sums[r][c + w] - raster->sums[r + h][c] +
               raster->sums[r][c] ==
           0;
}

// The free place for a box of w × h squares nearest to the middle of the free places; false: none.
static bool find_place(const Raster *raster, int w, int h, double *x, double *y)
{
    double sum_c = 0, sum_r = 0, best = INFINITY;
    long count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r + h <= raster->rows; r++)
            for (int c = 0; c + w <= raster->columns; c++) {
                if (!is_free(raster, r, c, h, w))
                    continue;
                if (pass == 0) {
                    sum_c += c;
                    sum_r += r;
                    count++;
                    continue;
                }
                double d = hypot(c - sum_c / (double)count, r - sum_r / (double)count);
                if (d < best) {
                    best = d;
                    *x = SIDE * (c + 0.5 * w);
                    *y = SIDE * (r + 0.5 * h);
                }
            }
    return count > 0;
}

static void draw_name(const SpragMapClass *class, const MapPlot *plot, const Raster *raster,
                      Figure *figure)
{
    static const int airs[] = {8, 6, 4, 3}; // squares around the text
    FigureText style = {.size = 12, .anchor = FIGURE_MIDDLE, .bold = true, .halo = true};
    char text[WORDS_BYTES];
    for (int length = 0; length < 2; length++) {
        class_name_words(class, length == 0, text);
        int w = (int)ceil(figure_text_width(text, style.size, true) / SIDE);
        int h = (int)ceil(14.0 / SIDE);
        for (size_t k = 0; k < sizeof airs / sizeof *airs; k++) {
            if (!find_place(raster, w + airs[k], h + airs[k], &style.x, &style.y))
                continue;
            style.x += plot->left;
            style.y += plot->top + 4; // from the middle to the baseline
            style.colour = class_text_colour(class);
            style.halo_colour = class_fill(class).colour;
            figure_text(figure, &style, text);
            return;
        }
    }
}

SpragStatus map_names_draw(const SpragMap *map, const MapPlot *plot, MapClassAt *class_at,
                           const void *user, Figure *figure)
{
    const int most = 40; // names: a map with more regions is better without
    int region = 0;
    Raster *raster = sprag_alloc(map->context, 1, sizeof *raster);
    if (!raster)
        return SPRAG_ERROR_MEMORY;
    fill_raster(plot, class_at, user, raster);
    for (int r = 0; r < raster->rows; r++)
        for (int c = 0; c < raster->columns && region < most; c++) {
            if (raster->classes[r][c] < 0 || raster->regions[r][c] >= 0)
                continue;
            flood(raster, r * COLUMNS + c, region);
            sum_raster(raster, region++);
            draw_name(&map->table[raster->classes[r][c]], plot, raster, figure);
        }
    sprag_free(map->context, raster);
    return SPRAG_OK;
}

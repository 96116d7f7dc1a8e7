// contour.c: isolines of a function on a grid, and the areas above them.
// Method    in each cell the part above the level is one or two polygons, walked with the inside
//           on the left: pieces of the cell's edges, and segments of the isoline between crossings.
//           Pieces of edges that two cells share cancel, so only isolines and the rim of the field
//           are kept; joined end to end they are closed loops. In a cell whose corners alternate,
//           the mean of the four decides which of them are joined.
// Assumes   a function that is nearly linear along an edge: the isoline then is off by at most
//           h² |f″| / (8 |f′|) there
#include "contour.h"

#include <math.h>
#include <string.h>

enum { SLOTS = 2 }; // segments that leave a vertex: two where cells touch in a corner

typedef struct Cell {
    long corners[4]; // counter-clockwise in the grid
    int edges[4];    // vertices on them; edge k leads from corner k to the next
    bool inside[4];
    bool rim[4]; // no cell on the other side
    bool middle; // inside
} Cell;

void contour_init(Contour *contour, SpragContext *context)
{
    memset(contour, 0, sizeof *contour);
    contour->context = context;
    polyline_init(&contour->line, context);
}

void contour_destroy(Contour *contour)
{
    if (!contour->context)
        return;
    polyline_destroy(&contour->line);
    sprag_free(contour->context, contour->next);
    sprag_free(contour->context, contour->entered);
    sprag_free(contour->context, contour->lines);
    sprag_free(contour->context, contour->points);
}

// ---- Vertices: grid points, then crossings of edges along x, then along y -----------------------

static long grid_count(const ContourField *field)
{
    return (long)field->nx * field->ny;
}

static FigurePoint vertex_place(const ContourField *field, double level, long vertex)
{
    long count = grid_count(field), at = vertex % count;
    int i = (int)(at % field->nx), j = (int)(at / field->nx);
    FigurePoint place = {field->x[i], field->y[j]};
    if (vertex < count)
        return place;
    bool up = vertex >= 2 * count;
    double a = field->f[at], b = field->f[at + (up ? field->nx : 1)];
    double part = fmin(1, fmax(0, (level - a) / (b - a)));
    if (up)
        place.y += part * (field->y[j + 1] - field->y[j]);
    else
        place.x += part * (field->x[i + 1] - field->x[i]);
    return place;
}

// ---- Cells --------------------------------------------------------------------------------------

static bool is_cell(const ContourField *field, int i, int j)
{
    if (i < 0 || j < 0 || i + 1 >= field->nx || j + 1 >= field->ny)
        return false;
    const double *f = field->f + i + (long)j * field->nx;
    return isfinite(f[0]) && isfinite(f[1]) && isfinite(f[field->nx]) && isfinite(f[field->nx + 1]);
}

static void read_cell(const ContourField *field, double level, int i, int j, Cell *cell)
{
    static const int beside[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    long at = i + (long)j * field->nx, count = grid_count(field);
    double sum = 0;
    cell->corners[0] = at;
    cell->corners[1] = at + 1;
    cell->corners[2] = at + field->nx + 1;
    cell->corners[3] = at + field->nx;
    cell->edges[0] = (int)(count + at);
    cell->edges[1] = (int)(2 * count + at + 1);
    cell->edges[2] = (int)(count + at + field->nx);
    cell->edges[3] = (int)(2 * count + at);
    for (int k = 0; k < 4; k++) {
        double f = field->f[cell->corners[k]];
        cell->inside[k] = f >= level;
        cell->rim[k] = !is_cell(field, i + beside[k][0], j + beside[k][1]);
        sum += 0.25 * f;
    }
    cell->middle = sum >= level;
}

static void add_segment(Contour *contour, long from, long to)
{
    int *slots = contour->next + SLOTS * from;
    slots[slots[0] >= 0] = (int)to;
    contour->entered[to]++;
}

// From where the walk around the cell leaves the inside to where it comes back: past the outside if
// the middle is inside, else back around the corner.
static void add_isoline(Contour *contour, const Cell *cell)
{
    for (int k = 0; k < 4; k++) {
        if (!cell->inside[k] || cell->inside[(k + 1) % 4])
            continue;
        int corners = 0;
        for (int c = 0; c < 4; c++)
            corners += cell->inside[c];
        bool alternate = corners == 2 && cell->inside[(k + 2) % 4];
        int step = alternate && !cell->middle ? 3 : 1, at = (k + step) % 4;
        while (cell->inside[at] || !cell->inside[(at + 1) % 4])
            at = (at + step) % 4;
        add_segment(contour, cell->edges[k], cell->edges[at]);
    }
}

static void add_rim(Contour *contour, const Cell *cell)
{
    for (int k = 0; k < 4; k++) {
        bool from = cell->inside[k], to = cell->inside[(k + 1) % 4];
        if (cell->rim[k] && (from || to))
            add_segment(contour, from ? cell->corners[k] : cell->edges[k],
                        to ? cell->corners[(k + 1) % 4] : cell->edges[k]);
    }
}

static SpragStatus find_segments(Contour *contour, const ContourField *field, double level,
                                 bool rims)
{
    size_t vertices = 3 * (size_t)grid_count(field);
    Cell cell;
    SPRAG_TRY(sprag_reserve(contour->context, &contour->next, &contour->next_capacity,
                            SLOTS * vertices, sizeof *contour->next));
    SPRAG_TRY(sprag_reserve(contour->context, &contour->entered, &contour->entered_capacity,
                            vertices, sizeof *contour->entered));
    memset(contour->next, 0xff, SLOTS * vertices * sizeof *contour->next); // −1
    memset(contour->entered, 0, vertices * sizeof *contour->entered);
    for (int j = 0; j + 1 < field->ny; j++)
        for (int i = 0; i + 1 < field->nx; i++) {
            if (!is_cell(field, i, j))
                continue;
            read_cell(field, level, i, j, &cell);
            add_isoline(contour, &cell);
            if (rims)
                add_rim(contour, &cell);
        }
    return SPRAG_OK;
}

// ---- Lines --------------------------------------------------------------------------------------

static int take_next(Contour *contour, long vertex)
{
    int *slots = contour->next + SLOTS * vertex, to = slots[0];
    slots[0] = slots[1];
    slots[1] = -1;
    return to;
}

// Follows segments from a vertex until they end or close.
static SpragStatus follow(Contour *contour, const ContourField *field, double level, long start)
{
    long vertex = start;
    contour->line.count = 0;
    do {
        SPRAG_TRY(polyline_add(&contour->line, vertex_place(field, level, vertex)));
        vertex = take_next(contour, vertex);
    } while (vertex >= 0 && vertex != start);
    if (vertex == start)
        SPRAG_TRY(polyline_add(&contour->line, vertex_place(field, level, vertex)));
    return polyline_simplify(&contour->line);
}

SpragStatus contour_add_area(Contour *contour, const ContourField *field, double level,
                             Figure *figure)
{
    SPRAG_TRY(find_segments(contour, field, level, true));
    for (long vertex = 0; vertex < 3 * grid_count(field); vertex++)
        while (contour->next[SLOTS * vertex] >= 0) {
            SPRAG_TRY(follow(contour, field, level, vertex));
            for (int i = 0; i + 1 < contour->line.count; i++)
                figure_point(figure, contour->line.points[i].x, contour->line.points[i].y);
            figure_break(figure);
        }
    return SPRAG_OK;
}

static SpragStatus keep_line(Contour *contour)
{
    size_t count = (size_t)contour->line.count;
    SPRAG_TRY(sprag_reserve(contour->context, &contour->lines, &contour->line_capacity,
                            (size_t)contour->line_count + 1, sizeof *contour->lines));
    SPRAG_TRY(sprag_reserve(contour->context, &contour->points, &contour->point_capacity,
                            (size_t)contour->point_count + count, sizeof *contour->points));
    contour->lines[contour->line_count++] =
        (ContourLine){contour->point_count, contour->line.count};
    memcpy(contour->points + contour->point_count, contour->line.points,
           count * sizeof *contour->points);
    contour->point_count += contour->line.count;
    return SPRAG_OK;
}

// Lines with ends first, then what is left: closed ones.
SpragStatus contour_find_lines(Contour *contour, const ContourField *field, double level)
{
    SPRAG_TRY(find_segments(contour, field, level, false));
    contour->line_count = contour->point_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (long vertex = grid_count(field); vertex < 3 * grid_count(field); vertex++)
            if (contour->next[SLOTS * vertex] >= 0 && (pass == 1 || !contour->entered[vertex])) {
                SPRAG_TRY(follow(contour, field, level, vertex));
                SPRAG_TRY(keep_line(contour));
            }
    return SPRAG_OK;
}

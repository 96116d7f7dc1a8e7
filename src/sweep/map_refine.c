// map_refine.c: a map from far fewer points than its grid has.
// Problem   the class of every grid point, where most neighbours have the same
// Method    a coarse grid of every sixteenth point. A cell is divided in four when two of the known
//           points on its edges differ; points in its neighbours that were found different divide
//           it too, until nothing changes. What then lies in an undivided cell has its class.
// Assumes   that a region is not smaller than a coarse cell, unless it reaches one of its edges in
//           a known point
#include <string.h>

#include "sweep_private.h"

enum { COARSE = 16, LEVELS = 5 };

// Indices of grid lines at a level: all ends of cells there.
typedef struct Lines {
    int count;
    int *at;
} Lines;

typedef struct Refinement {
    MapWork *work;
    SpragMap *map;
    SpragContext *context;
    int nx, ny;
    Lines x[LEVELS], y[LEVELS];
    int levels;
    bool *divided[LEVELS]; // per cell
    long *points;          // wanted next
    long point_count;
    size_t point_capacity;
    bool *wanted; // per grid point
} Refinement;

static SpragStatus make_lines(SpragContext *context, int n, Lines lines[LEVELS])
{
    for (int level = 0; level < LEVELS; level++) {
        int step = COARSE >> level;
        lines[level].at = sprag_alloc(context, (size_t)n + 1, sizeof(int));
        if (!lines[level].at)
            return SPRAG_ERROR_MEMORY;
        for (int i = 0; i < n - 1; i += step)
            lines[level].at[lines[level].count++] = i;
        lines[level].at[lines[level].count++] = n - 1;
    }
    return SPRAG_OK;
}

static SpragStatus want(Refinement *r, int i, int j)
{
    long at = i + (long)j * r->nx;
    if (r->wanted[at])
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(r->context, &r->points, &r->point_capacity, (size_t)r->point_count + 1,
                            sizeof *r->points));
    r->wanted[at] = true;
    r->points[r->point_count++] = at;
    return SPRAG_OK;
}

// Whether two known points on the edges of a cell differ.
static bool differs(const Refinement *r, int i0, int i1, int j0, int j1)
{
    const int *classes = r->map->classes;
    int class_index = classes[i0 + (long)j0 * r->nx];
    for (int i = i0; i <= i1; i++) {
        int below = classes[i + (long)j0 * r->nx], above = classes[i + (long)j1 * r->nx];
        if ((below >= 0 && below != class_index) || (above >= 0 && above != class_index))
            return true;
    }
    for (int j = j0; j <= j1; j++) {
        int left = classes[i0 + (long)j * r->nx], right = classes[i1 + (long)j * r->nx];
        if ((left >= 0 && left != class_index) || (right >= 0 && right != class_index))
            return true;
    }
    return false;
}

static int cell_index(const Refinement *r, int level, int i, int j)
{
    return i + j * (r->x[level].count - 1);
}

// Wants the corners of the cells into which this one is divided at the next level.
static SpragStatus divide(Refinement *r, int level, int i, int j)
{
    const Lines *x = &r->x[level + 1], *y = &r->y[level + 1];
    for (int b = 2 * j; b <= 2 * j + 2 && b < y->count; b++)
        for (int a = 2 * i; a <= 2 * i + 2 && a < x->count; a++)
            if (y->at[b] <= r->y[level].at[j + 1] && x->at[a] <= r->x[level].at[i + 1])
                SPRAG_TRY(want(r, x->at[a], y->at[b]));
    r->divided[level][cell_index(r, level, i, j)] = true;
    return SPRAG_OK;
}

static SpragStatus look_at_level(Refinement *r, int level)
{
    const Lines *x = &r->x[level], *y = &r->y[level];
    for (int j = 0; j + 1 < y->count; j++)
        for (int i = 0; i + 1 < x->count; i++) {
            bool there =
                level == 0 || r->divided[level - 1][cell_index(r, level - 1, i / 2, j / 2)];
            if (there && !r->divided[level][cell_index(r, level, i, j)] &&
                differs(r, x->at[i], x->at[i + 1], y->at[j], y->at[j + 1]))
                SPRAG_TRY(divide(r, level, i, j));
        }
    return SPRAG_OK;
}

static SpragStatus compute_wanted(Refinement *r)
{
    SPRAG_TRY(map_compute(r->work, r->point_count, r->points));
    r->point_count = 0;
    return SPRAG_OK;
}

// Points in cells that were not divided.
static void fill_level(Refinement *r, int level)
{
    const Lines *x = &r->x[level], *y = &r->y[level];
    int *classes = r->map->classes;
    for (int b = 0; b + 1 < y->count; b++)
        for (int a = 0; a + 1 < x->count; a++) {
            bool there =
                level == 0 || r->divided[level - 1][cell_index(r, level - 1, a / 2, b / 2)];
            if (!there || r->divided[level][cell_index(r, level, a, b)])
                continue;
            int class_index = classes[x->at[a] + (long)y->at[b] * r->nx];
            for (int j = y->at[b]; j <= y->at[b + 1]; j++)
                for (int i = x->at[a]; i <= x->at[a + 1]; i++)
                    if (classes[i + (long)j * r->nx] < 0)
                        classes[i + (long)j * r->nx] = class_index;
        }
}

static SpragStatus refine(Refinement *r)
{
    SPRAG_TRY(make_lines(r->context, r->nx, r->x));
    SPRAG_TRY(make_lines(r->context, r->ny, r->y));
    r->wanted = sprag_alloc(r->context, (size_t)r->nx * (size_t)r->ny, sizeof(bool));
    if (!r->wanted)
        return SPRAG_ERROR_MEMORY;
    for (int level = 0; level < LEVELS - 1; level++) {
        size_t cells = (size_t)r->x[level].count * (size_t)r->y[level].count;
        r->divided[level] = sprag_alloc(r->context, cells + 1, sizeof(bool));
        if (!r->divided[level])
            return SPRAG_ERROR_MEMORY;
    }
    for (int j = 0; j < r->y[0].count; j++)
        for (int i = 0; i < r->x[0].count; i++)
            SPRAG_TRY(want(r, r->x[0].at[i], r->y[0].at[j]));
    while (r->point_count > 0) {
        SPRAG_TRY(compute_wanted(r));
        if (r->work->interrupted)
            return SPRAG_OK;
        for (int level = 0; level < LEVELS - 1; level++)
            SPRAG_TRY(look_at_level(r, level));
    }
    for (int level = 0; level < LEVELS - 1; level++)
        fill_level(r, level);
    return SPRAG_OK;
}

SpragStatus map_refine(MapWork *work)
{
    Refinement r = {.work = work,
                    .map = work->map,
                    .context = work->map->context,
                    .nx = work->map->axes[0].count,
                    .ny = work->map->axes[1].count};
    if (!work->map->axes[1].path)
        return map_fill(work);
    SpragStatus status = refine(&r);
    for (int level = 0; level < LEVELS; level++) {
        sprag_free(r.context, r.x[level].at);
        sprag_free(r.context, r.y[level].at);
        sprag_free(r.context, r.divided[level]);
    }
    sprag_free(r.context, r.points);
    sprag_free(r.context, r.wanted);
    return status;
}

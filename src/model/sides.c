// sides.c: triangles of a surface: which sides meet, volume and area, checks.
// Method    sides sorted by their two vertices; a surface without border has each side twice, once
//           in each direction if the triangles agree about what is outside.
#include <math.h>
#include <stdlib.h>

#include "solid_private.h"

typedef struct Side {
    int low, high; // its vertices
    int index;
} Side;

static int compare_sides(const void *a, const void *b)
{
    const Side *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static void tell(SideFault found, int side, SideFault *fault, int *where)
{
    if (*fault != SIDES_GOOD && !(*fault == SIDES_OPEN && found != SIDES_OPEN))
        return;
    *fault = found;
    *where = side;
}

// Sides sorted: equal ones stand together.
static void match_sorted(const Side *sides, int count, const int *triangles, int *across,
                         SideFault *fault, int *where)
{
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && sides[end].low == sides[i].low && sides[end].high == sides[i].high;
             end++)
            ;
        int first = sides[i].index, second = end - i > 1 ? sides[i + 1].index : -1;
        for (int k = i; k < end; k++)
            across[sides[k].index] = -1;
        if (end - i > 2) {
            tell(SIDES_CROWDED, first, fault, where);
        } else if (second < 0) {
            tell(SIDES_OPEN, first, fault, where);
        } else if (triangles[first] == triangles[second]) {
            tell(SIDES_TURNED, second, fault, where);
        } else {
            across[first] = second;
            across[second] = first;
        }
    }
}

SpragStatus sides_match(SpragContext *context, int triangle_count, const int *triangles,
                        int *across, SideFault *fault, int *where)
{
    int count = 3 * triangle_count;
    Side *sides = sprag_alloc(context, (size_t)count, sizeof *sides);
    if (!sides)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        int a = side_start(triangles, i), b = side_end(triangles, i);
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, i};
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    *fault = SIDES_GOOD;
    *where = -1;
    match_sorted(sides, count, triangles, across, fault, where);
    sprag_free(context, sides);
    return SPRAG_OK;
}

SpragStatus triangles_check(SpragContext *context, int count, const SpragVec3 *points,
                            int triangle_count, const int *triangles)
{
    enum { MOST = 100000000 }; // three times this is an int
    if (triangle_count < 1 || triangle_count > MOST)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "a mesh needs triangles, got %d",
                          triangle_count);
    for (int i = 0; i < count; i++)
        if (!(fabs(points[i].x) <= SPRAG_MODEL_LARGEST &&
              fabs(points[i].y) <= SPRAG_MODEL_LARGEST && fabs(points[i].z) <= SPRAG_MODEL_LARGEST))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "point %d is not a finite place of at most 1e30: (%g, %g, %g)", i,
                              points[i].x, points[i].y, points[i].z);
    for (int i = 0; i < 3 * triangle_count; i++)
        if (triangles[i] < 0 || triangles[i] >= count)
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "triangle %d has vertex %d, but there are %d", i / 3, triangles[i],
                              count);
    for (int i = 0; i < 3 * triangle_count; i++)
        if (side_start(triangles, i) == side_end(triangles, i))
            return sprag_fail(context, SPRAG_ERROR_INPUT, "triangle %d has vertex %d twice", i / 3,
                              triangles[i]);
    return SPRAG_OK;
}

double points_size(int count, const SpragVec3 *points, SpragVec3 *centre)
{
    SpragVec3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++) {
        low = sprag_vec3(fmin(low.x, points[i].x), fmin(low.y, points[i].y),
                         fmin(low.z, points[i].z));
        high = sprag_vec3(fmax(high.x, points[i].x), fmax(high.y, points[i].y),
                          fmax(high.z, points[i].z));
    }
    *centre = sprag_vec3_scale(0.5, sprag_vec3_add(low, high));
    return sprag_vec3_norm(sprag_vec3_sub(high, *centre));
}

void triangles_measure(int triangle_count, const int *triangles, const SpragVec3 *points,
                       double *six_volume, double *two_area)
{
    SpragVec3 origin = points[triangles[0]]; // near, so that a mesh far away loses no digits
    *six_volume = *two_area = 0;
    for (int t = 0; t < triangle_count; t++) {
        SpragVec3 a = sprag_vec3_sub(points[triangles[3 * t]], origin);
        SpragVec3 b = sprag_vec3_sub(points[triangles[3 * t + 1]], origin);
        SpragVec3 c = sprag_vec3_sub(points[triangles[3 * t + 2]], origin);
        *six_volume += sprag_vec3_dot(a, sprag_vec3_cross(b, c));
        SpragVec3 twice = sprag_vec3_cross(sprag_vec3_sub(b, a), sprag_vec3_sub(c, a));
        *two_area += sprag_vec3_norm(twice);
    }
}

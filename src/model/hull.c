// hull.c: the convex hull of points as triangles, by qhull.
// Method    the points are moved to their middle and scaled to order one, so that qhull's rounding
//           bounds are those of the shape and not of where it stands. Whether they are flat is
//           decided before by the farthest point from a plane through three far points.
// Assumes   at least 4 points. qhull's own memory does not come from the context.
#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>

#include "solid_private.h"

static int farthest(int count, const SpragVec3 *points,
                    double (*distance)(SpragVec3, const SpragVec3 *), const SpragVec3 *base,
                    double *most)
{
    int found = 0;
    *most = -1;
    for (int i = 0; i < count; i++) {
        double d = distance(points[i], base);
        if (d > *most) {
            *most = d;
            found = i;
        }
    }
    return found;
}

static double from_point(SpragVec3 p, const SpragVec3 *base)
{
    return sprag_vec3_norm(sprag_vec3_sub(p, base[0]));
}

// base: a point and a unit vector along the line
static double from_line(SpragVec3 p, const SpragVec3 *base)
{
    return sprag_vec3_norm(sprag_vec3_cross(sprag_vec3_sub(p, base[0]), base[1]));
}

// base: a point and the unit normal of the plane
static double from_plane(SpragVec3 p, const SpragVec3 *base)
{
    return fabs(sprag_vec3_dot(sprag_vec3_sub(p, base[0]), base[1]));
}

static SpragStatus check_thickness(SpragContext *context, int count, const SpragVec3 *points,
                                   double size, double thinnest)
{
    SpragVec3 base[2] = {points[0], {0, 0, 0}};
    double far, wide, thick;
    SpragVec3 along =
        sprag_vec3_sub(points[farthest(count, points, from_point, base, &far)], base[0]);
    base[1] = sprag_vec3_unit(along);
    SpragVec3 aside =
        sprag_vec3_sub(points[farthest(count, points, from_line, base, &wide)], base[0]);
    base[1] = sprag_vec3_unit(sprag_vec3_cross(sprag_vec3_unit(along), sprag_vec3_unit(aside)));
    farthest(count, points, from_plane, base, &thick);
    if (!(far > 0))
        return sprag_fail(context, SPRAG_ERROR_INPUT, "its points are all the same");
    if (!(wide > thinnest * size))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "its points lie on a line; a solid body needs a thickness");
    if (!(thick > thinnest * size))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "it is flat: its points lie within %.3g m of a plane; a solid body needs "
                          "a thickness",
                          thick);
    return SPRAG_OK;
}

static SpragStatus collect_facets(SpragContext *context, qhT *qh, int **triangles,
                                  int *triangle_count)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    int count = qh->num_facets, t = 0;
    int *list = sprag_alloc(context, 3 * (size_t)count, sizeof *list);
    if (!list)
        return SPRAG_ERROR_MEMORY;
    FORALLfacets
    {
        int corner = 0;
        FOREACHvertex_(facet->vertices)
        {
            if (corner < 3 && t < count)
                list[3 * t + corner] = qh_pointid(qh, vertex->point);
            corner++;
        }
        // a facet whose vertices run clockwise, seen from outside
        if (facet->toporient && t < count) {
            int spare = list[3 * t];
            list[3 * t] = list[3 * t + 1];
            list[3 * t + 1] = spare;
        }
        t++;
    }
    *triangles = list;
    *triangle_count = t;
    return SPRAG_OK;
}

// One attempt; *code is qhull's, 0: done.
static SpragStatus attempt(SpragContext *context, int count, double *scaled, char *command,
                           int **triangles, int *triangle_count, int *code)
{
    FILE *quiet = fopen("/dev/null", "w");
    if (!quiet)
        return sprag_fail(context, SPRAG_ERROR_READ, "/dev/null cannot be opened");
    qhT storage, *qh = &storage;
    qh_zero(qh, quiet);
    *code = qh_new_qhull(qh, 3, count, scaled, False, command, NULL, quiet);
    SpragStatus status = SPRAG_OK;
    if (*code == 0)
        status = collect_facets(context, qh, triangles, triangle_count);
    int unused, blocks;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &unused, &blocks);
    fclose(quiet);
    return status;
}

// Facets that are nearly in a plane are merged; where that fails (they grow too wide) points are
// joggled by some roundings instead.
static SpragStatus run_qhull(SpragContext *context, int count, double *scaled, int **triangles,
                             int *triangle_count)
{
    char merged[] = "qhull Qt Pp", joggled[] = "qhull QJ Pp"; // triangles; no warnings
    int code;
    SPRAG_TRY(attempt(context, count, scaled, merged, triangles, triangle_count, &code));
    if (code != 0 && code != qh_ERRmem && code != qh_ERRinput && code != qh_ERRsingular)
        SPRAG_TRY(attempt(context, count, scaled, joggled, triangles, triangle_count, &code));
    if (code == 0)
        return SPRAG_OK;
    return sprag_fail(context, code == qh_ERRmem ? SPRAG_ERROR_MEMORY : SPRAG_ERROR_INPUT,
                      "the convex hull of the points cannot be built (qhull error %d)", code);
}

// A closed surface counter-clockwise from outside has a volume > 0: turned over otherwise.
static void turn_outwards(const SpragVec3 *points, int triangle_count, int *triangles)
{
    double volume, area;
    triangles_measure(triangle_count, triangles, points, &volume, &area);
    if (volume >= 0)
        return;
    for (int t = 0; t < triangle_count; t++) {
        int spare = triangles[3 * t];
        triangles[3 * t] = triangles[3 * t + 1];
        triangles[3 * t + 1] = spare;
    }
}

SpragStatus hull_triangles(SpragContext *context, int count, const SpragVec3 *points,
                           double thinnest, int **triangles, int *triangle_count)
{
    *triangles = NULL;
    if (count < 4)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "a solid body needs at least 4 points, got %d", count);
    for (int i = 0; i < count; i++)
        if (!(fabs(points[i].x) <= SPRAG_MODEL_LARGEST &&
              fabs(points[i].y) <= SPRAG_MODEL_LARGEST && fabs(points[i].z) <= SPRAG_MODEL_LARGEST))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "point %d is not a finite place of at most 1e30: (%g, %g, %g)", i,
                              points[i].x, points[i].y, points[i].z);
    SpragVec3 centre;
    double size = points_size(count, points, &centre);
    SPRAG_TRY(check_thickness(context, count, points, size, thinnest));
    double *scaled = sprag_alloc(context, 3 * (size_t)count, sizeof *scaled);
    if (!scaled)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        sprag_vec3_to(sprag_vec3_scale(1 / size, sprag_vec3_sub(points[i], centre)),
                      scaled + 3 * i);
    SpragStatus status = run_qhull(context, count, scaled, triangles, triangle_count);
    sprag_free(context, scaled);
    if (status == SPRAG_OK)
        turn_outwards(points, *triangle_count, *triangles);
    return status;
}

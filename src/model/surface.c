// surface.c: triangles that stand still: normals, neighbours, memory.
#include <math.h>
#include <string.h>

#include "solid_private.h"

static SpragSurface *surface_alloc(SpragContext *context, int vertex_count, int triangle_count)
{
    size_t vertices = (size_t)vertex_count, triangles = (size_t)triangle_count;
    size_t bytes = sizeof(SpragSurface) + (vertices + triangles) * sizeof(SpragVec3) +
                   6 * triangles * sizeof(int);
    SpragSurface *surface = sprag_alloc(context, 1, bytes);
    if (!surface)
        return NULL;
    surface->vertex_count = vertex_count;
    surface->triangle_count = triangle_count;
    surface->vertices = (SpragVec3 *)(surface + 1);
    surface->normals = surface->vertices + vertices;
    surface->triangles = (int *)(surface->normals + triangles);
    surface->neighbours = surface->triangles + 3 * triangles;
    return surface;
}

void sprag_surface_destroy(SpragContext *context, SpragSurface *surface)
{
    sprag_free(context, surface);
}

static void put_numbers(SpragSurface *place, const SpragSurface *surface)
{
    memcpy(place->vertices, surface->vertices,
           (size_t)surface->vertex_count * sizeof *place->vertices);
    memcpy(place->normals, surface->normals,
           (size_t)surface->triangle_count * sizeof *place->normals);
}

SpragSurface *surface_copy(SpragContext *context, const SpragSurface *surface)
{
    SpragSurface *copy = surface_alloc(context, surface->vertex_count, surface->triangle_count);
    if (!copy)
        return NULL;
    size_t indices = 3 * (size_t)surface->triangle_count;
    put_numbers(copy, surface);
    memcpy(copy->triangles, surface->triangles, indices * sizeof(int));
    memcpy(copy->neighbours, surface->neighbours, indices * sizeof(int));
    return copy;
}

bool surface_put(SpragSurface *place, const SpragSurface *surface)
{
    if (place->vertex_count != surface->vertex_count ||
        place->triangle_count != surface->triangle_count ||
        memcmp(place->triangles, surface->triangles,
               3 * (size_t)surface->triangle_count * sizeof(int)) != 0)
        return false;
    put_numbers(place, surface);
    return true;
}

static SpragStatus put_normals(SpragContext *context, SpragSurface *surface)
{
    const double sliver = 1e-12; // sine below which three vertices count as on a line
    for (int t = 0; t < surface->triangle_count; t++) {
        const int *corner = surface->triangles + 3 * t;
        SpragVec3 origin = surface->vertices[corner[0]];
        SpragVec3 a = sprag_vec3_sub(surface->vertices[corner[1]], origin);
        SpragVec3 b = sprag_vec3_sub(surface->vertices[corner[2]], origin);
        SpragVec3 twice = sprag_vec3_cross(a, b);
        double longest = fmax(sprag_vec3_norm(a), sprag_vec3_norm(b));
        if (!(sprag_vec3_norm(twice) > sliver * longest * longest))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "triangle %d has no area: its corners lie on a line near (%.6g, "
                              "%.6g, %.6g)",
                              t, origin.x, origin.y, origin.z);
        surface->normals[t] = sprag_vec3_unit(twice);
    }
    return SPRAG_OK;
}

static SpragStatus put_neighbours(SpragContext *context, SpragSurface *surface)
{
    SideFault fault;
    int side;
    SPRAG_TRY(sides_match(context, surface->triangle_count, surface->triangles, surface->neighbours,
                          &fault, &side));
    if (fault == SIDES_CROWDED || fault == SIDES_TURNED) {
        SpragVec3 a = surface->vertices[side_start(surface->triangles, side)];
        SpragVec3 b = surface->vertices[side_end(surface->triangles, side)];
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "%s: see the side of triangle %d from (%.6g, %.6g, %.6g) to (%.6g, "
                          "%.6g, %.6g)",
                          fault == SIDES_CROWDED
                              ? "more than two triangles of the mesh meet at one side"
                              : "two neighbouring triangles of the mesh disagree about what is "
                                "outside",
                          side / 3, a.x, a.y, a.z, b.x, b.y, b.z);
    }
    for (int i = 0; i < 3 * surface->triangle_count; i++)
        if (surface->neighbours[i] >= 0)
            surface->neighbours[i] /= 3;
    return SPRAG_OK;
}

SpragStatus sprag_surface_create(SpragContext *context, int count, const SpragVec3 *points,
                                 int triangle_count, const int *triangles, SpragSurface **surface)
{
    *surface = NULL;
    SPRAG_TRY(triangles_check(context, count, points, triangle_count, triangles));
    SpragSurface *made = surface_alloc(context, count, triangle_count);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    memcpy(made->vertices, points, (size_t)count * sizeof *points);
    memcpy(made->triangles, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    SpragStatus status = put_normals(context, made);
    if (status == SPRAG_OK)
        status = put_neighbours(context, made);
    if (status == SPRAG_OK)
        *surface = made;
    else
        sprag_surface_destroy(context, made);
    return status;
}

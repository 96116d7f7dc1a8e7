// surface_peaks.c: vertices of a surface on which a plane can stand.
// Peak      all sides d_i (unit) at a vertex fall away from some plane through it, whose normal n
//           is out of the solid: n·d_i < 0 for all i, theory.md (13.32). Such an n is there if the
//           convex hull of the d_i leaves out the origin, and then −v/|v| is one, with v its point
//           nearest to the origin: GJK. The mean of the normals around is none in general: among
//           ridges one valley may lie.
// Pits      where the sides rise out of the solid the same holds with n into it.
#include <math.h>

#include "convex_private.h"
#include "surface_private.h"

// Sine of the angle by which the sides of a peak fall away.
static const double STRAIGHT = 1e-9;
// Relative bound of what GJK may leave to gain in |v|²: any n that parts will do.
static const double GAIN = 1e-3;

// Triangles around vertices: those of vertex v are corner[first[v]] … corner[first[v + 1] − 1], as
// 3 triangle + corner.
typedef struct Fans {
    int *first, *corner;
    SpragVec3 *sides; // of one vertex
} Fans;

static void free_fans(SpragContext *context, Fans *fans)
{
    sprag_free(context, fans->first);
    sprag_free(context, fans->corner);
    sprag_free(context, fans->sides);
}

static SpragStatus make_fans(SpragContext *context, const SpragSurface *surface, Fans *fans)
{
    int corners = 3 * surface->triangle_count, most = 0;
    fans->first = sprag_alloc(context, (size_t)surface->vertex_count + 2, sizeof *fans->first);
    fans->corner = sprag_alloc(context, (size_t)corners, sizeof *fans->corner);
    if (!fans->first || !fans->corner)
        return SPRAG_ERROR_MEMORY;
    // counted two places on, so that first[v + 1] is where v begins, and then runs on to its end
    for (int i = 0; i < corners; i++)
        fans->first[surface->triangles[i] + 2]++;
    for (int v = 2; v < surface->vertex_count + 2; v++) {
        most = fans->first[v] > most ? fans->first[v] : most;
        fans->first[v] += fans->first[v - 1];
    }
    for (int i = 0; i < corners; i++)
        fans->corner[fans->first[surface->triangles[i] + 1]++] = i;
    fans->sides = sprag_alloc(context, 2 * (size_t)most, sizeof *fans->sides);
    return fans->sides ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static void mark_vertex(const SurfaceTree *tree, const Fans *fans, int v, SurfaceVertex *vertex)
{
    const SpragSurface *surface = tree->surface;
    int count = 0;
    *vertex = (SurfaceVertex){.owner = -1};
    for (int i = fans->first[v]; i < fans->first[v + 1]; i++) {
        int triangle = fans->corner[i] / 3, corner = fans->corner[i] % 3;
        int patch = tree->patch[triangle];
        vertex->outward = sprag_vec3_add(vertex->outward, surface->normals[triangle]);
        vertex->owner = vertex->owner < 0 || patch < vertex->owner ? patch : vertex->owner;
        for (int k = 1; k < 3; k++)
            fans->sides[count++] = sprag_vec3_unit(
                sprag_vec3_sub(surface_corner(tree, triangle, corner + k), surface->vertices[v]));
    }
    if (count == 0)
        return;
    SpragVec3 origin = {0, 0, 0};
    SpragShape star = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = count, .points = fans->sides};
    SpragShape middle = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = 1, .points = &origin};
    Difference difference = {.a = &star, .b = &middle, .R = sprag_mat3_identity(), .size = 1};
    Simplex simplex;
    if (!gjk_run(&difference, GAIN, false, &simplex))
        return;
    vertex->up = sprag_vec3_unit(sprag_vec3_scale(-1, simplex.v));
    vertex->peak = sprag_vec3_dot(vertex->up, vertex->outward) > -STRAIGHT;
    for (int i = 0; i < count && vertex->peak; i++)
        vertex->peak = sprag_vec3_dot(vertex->up, fans->sides[i]) < -STRAIGHT;
}

SpragStatus surface_mark_peaks(SpragContext *context, SurfaceTree *tree)
{
    Fans fans = {NULL, NULL, NULL};
    SpragStatus status = make_fans(context, tree->surface, &fans);
    for (int v = 0; status == SPRAG_OK && v < tree->surface->vertex_count; v++)
        mark_vertex(tree, &fans, v, &tree->vertices[v]);
    free_fans(context, &fans);
    return status;
}

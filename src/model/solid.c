// solid.c: convex polyhedra: memory, convex hulls, and meshes that must be closed and convex.
// Method    a mesh is convex if it is closed, bends outwards at every side, and has the volume of
//           the convex hull of its points (a surface that winds twice around bends outwards too).
//           The polyhedron is then that of the hull, with coplanar triangles as one face.
#include <math.h>
#include <string.h>

#include "solid_private.h"

// Of the size of a body: below this a solid has no thickness, and triangles are in one plane.
static const double FLAT_POINTS = 1e-9;
// The same for meshes: their files have numbers of single precision, 6e-8 of the largest.
static const double FLAT_MESH = 1e-6;

// One block: the solid, its vectors, its numbers, its indices.
SpragSolid *solid_alloc(SpragContext *context, int vertex_count, int face_count, int corner_count)
{
    size_t vertices = (size_t)vertex_count, faces = (size_t)face_count,
           corners = (size_t)corner_count;
    size_t bytes = sizeof(SpragSolid) + (vertices + faces) * sizeof(SpragVec3) +
                   faces * sizeof(double) + (faces + 1 + 3 * corners) * sizeof(int);
    SpragSolid *solid = sprag_alloc(context, 1, bytes);
    if (!solid)
        return NULL;
    solid->vertex_count = vertex_count;
    solid->face_count = face_count;
    solid->edge_count = corner_count / 2;
    solid->vertices = (SpragVec3 *)(solid + 1);
    solid->normals = solid->vertices + vertices;
    solid->offsets = (double *)(solid->normals + faces);
    solid->face_first = (int *)(solid->offsets + faces);
    solid->face_vertices = solid->face_first + faces + 1;
    solid->edge_vertices = solid->face_vertices + corners;
    solid->edge_faces = solid->edge_vertices + corners;
    return solid;
}

void sprag_solid_destroy(SpragContext *context, SpragSolid *solid)
{
    sprag_free(context, solid);
}

static int corner_count(const SpragSolid *solid)
{
    return solid->face_first[solid->face_count];
}

static void put_numbers(SpragSolid *place, const SpragSolid *solid)
{
    size_t vertices = (size_t)solid->vertex_count, faces = (size_t)solid->face_count;
    memcpy(place->vertices, solid->vertices, vertices * sizeof *place->vertices);
    memcpy(place->normals, solid->normals, faces * sizeof *place->normals);
    memcpy(place->offsets, solid->offsets, faces * sizeof *place->offsets);
}

SpragSolid *solid_copy(SpragContext *context, const SpragSolid *solid)
{
    size_t faces = (size_t)solid->face_count, corners = (size_t)corner_count(solid);
    SpragSolid *copy =
        solid_alloc(context, solid->vertex_count, solid->face_count, corner_count(solid));
    if (!copy)
        return NULL;
    put_numbers(copy, solid);
    memcpy(copy->face_first, solid->face_first, (faces + 1) * sizeof(int));
    memcpy(copy->face_vertices, solid->face_vertices, corners * sizeof(int));
    memcpy(copy->edge_vertices, solid->edge_vertices, corners * sizeof(int));
    memcpy(copy->edge_faces, solid->edge_faces, corners * sizeof(int));
    return copy;
}

bool solid_put(SpragSolid *place, const SpragSolid *solid)
{
    size_t faces = (size_t)solid->face_count;
    if (place->vertex_count != solid->vertex_count || place->face_count != solid->face_count ||
        memcmp(place->face_first, solid->face_first, (faces + 1) * sizeof(int)) != 0 ||
        memcmp(place->face_vertices, solid->face_vertices,
               (size_t)corner_count(solid) * sizeof(int)) != 0)
        return false;
    put_numbers(place, solid);
    return true;
}

SpragStatus sprag_solid_create_hull(SpragContext *context, int count, const SpragVec3 *points,
                                    SpragSolid **solid)
{
    int *triangles, triangle_count;
    *solid = NULL;
    SPRAG_TRY(hull_triangles(context, count, points, FLAT_POINTS, &triangles, &triangle_count));
    SpragStatus status =
        solid_from_triangles(context, count, points, triangle_count, triangles, FLAT_POINTS, solid);
    sprag_free(context, triangles);
    return status;
}

// ---- Meshes -------------------------------------------------------------------------------------

typedef struct Mesh {
    SpragContext *context;
    int count, triangle_count;
    const SpragVec3 *points;
    const int *triangles;
    double size, six_volume, two_area;
} Mesh;

static SpragStatus refuse_side(const Mesh *mesh, int side, const char *what)
{
    SpragVec3 a = mesh->points[side_start(mesh->triangles, side)];
    SpragVec3 b = mesh->points[side_end(mesh->triangles, side)];
    return sprag_fail(mesh->context, SPRAG_ERROR_INPUT,
                      "%s: see the side of triangle %d from (%.6g, %.6g, %.6g) to (%.6g, %.6g, "
                      "%.6g)",
                      what, side / 3, a.x, a.y, a.z, b.x, b.y, b.z);
}

// Height of the far vertex of the neighbour above the triangle's plane.
static double bend(const Mesh *mesh, int side, int other)
{
    int t = 3 * (side / 3);
    SpragVec3 a = mesh->points[mesh->triangles[t]];
    SpragVec3 b = mesh->points[mesh->triangles[t + 1]];
    SpragVec3 c = mesh->points[mesh->triangles[t + 2]];
    SpragVec3 normal =
        sprag_vec3_unit(sprag_vec3_cross(sprag_vec3_sub(b, a), sprag_vec3_sub(c, a)));
    SpragVec3 far = mesh->points[side_end(mesh->triangles, side_next(other))];
    return sprag_vec3_dot(normal, sprag_vec3_sub(far, a));
}

static SpragStatus check_closed(Mesh *mesh, const int *across, SideFault fault, int where)
{
    if (fault == SIDES_OPEN)
        return refuse_side(mesh, where, "the mesh is open, a triangle has no neighbour");
    if (fault == SIDES_CROWDED)
        return refuse_side(mesh, where, "more than two triangles of the mesh meet at one side");
    if (fault == SIDES_TURNED)
        return refuse_side(mesh, where,
                           "two neighbouring triangles of the mesh disagree about what is outside");
    triangles_measure(mesh->triangle_count, mesh->triangles, mesh->points, &mesh->six_volume,
                      &mesh->two_area);
    if (mesh->six_volume < 0)
        return sprag_fail(mesh->context, SPRAG_ERROR_INPUT,
                          "the mesh is inverted: its triangles are clockwise seen from outside "
                          "(volume %.6g m³)",
                          mesh->six_volume / 6);
    for (int side = 0; side < 3 * mesh->triangle_count; side++)
        if (bend(mesh, side, across[side]) > FLAT_MESH * mesh->size)
            return refuse_side(mesh, side, "the mesh is not convex, it bends inwards");
    return SPRAG_OK;
}

static SpragStatus check_mesh(Mesh *mesh)
{
    int *across = sprag_alloc(mesh->context, 3 * (size_t)mesh->triangle_count, sizeof *across);
    if (!across)
        return SPRAG_ERROR_MEMORY;
    SideFault fault;
    int where;
    SpragStatus status =
        sides_match(mesh->context, mesh->triangle_count, mesh->triangles, across, &fault, &where);
    if (status == SPRAG_OK)
        status = check_closed(mesh, across, fault, where);
    sprag_free(mesh->context, across);
    return status;
}

static SpragStatus check_volume(const Mesh *mesh, int triangle_count, const int *hull)
{
    double volume, area;
    triangles_measure(triangle_count, hull, mesh->points, &volume, &area);
    // points may stand off the surface by the flatness: that much of a layer around it
    const double layers = 10;
    double slack = 3 * layers * FLAT_MESH * mesh->size * area;
    if (fabs(volume - mesh->six_volume) > slack)
        return sprag_fail(mesh->context, SPRAG_ERROR_INPUT,
                          "the mesh is not convex: it encloses %.6g m³, the convex hull of its "
                          "points %.6g m³",
                          mesh->six_volume / 6, volume / 6);
    return SPRAG_OK;
}

SpragStatus sprag_solid_create_triangles(SpragContext *context, int count, const SpragVec3 *points,
                                         int triangle_count, const int *triangles,
                                         SpragSolid **solid)
{
    *solid = NULL;
    SPRAG_TRY(triangles_check(context, count, points, triangle_count, triangles));
    Mesh mesh = {.context = context,
                 .count = count,
                 .triangle_count = triangle_count,
                 .points = points,
                 .triangles = triangles};
    SpragVec3 centre;
    mesh.size = points_size(count, points, &centre);
    int *hull, hull_count;
    SPRAG_TRY(check_mesh(&mesh));
    SPRAG_TRY(hull_triangles(context, count, points, 2 * FLAT_MESH, &hull, &hull_count));
    SpragStatus status = check_volume(&mesh, hull_count, hull);
    if (status == SPRAG_OK)
        status = solid_from_triangles(context, count, points, hull_count, hull, FLAT_MESH, solid);
    sprag_free(context, hull);
    return status;
}

// solid_private.h: triangles and their sides, shared by solids and surfaces.
#ifndef SPRAG_MODEL_SOLID_PRIVATE_H
#define SPRAG_MODEL_SOLID_PRIVATE_H

#include "sprag/model.h"

// What can be wrong with the sides of triangles.
typedef enum SideFault {
    SIDES_GOOD,
    SIDES_OPEN,    // a side that no other triangle shares
    SIDES_CROWDED, // a side that more than two share
    SIDES_TURNED   // two triangles run along a side in the same direction
} SideFault;

// across[3 t + i]: the side (3 t' + i') that meets side i of triangle t, from its vertex i to the
// next; −1: none. *fault: the worst of them, *where: a side that has it; open ones count last.
SpragStatus sides_match(SpragContext *context, int triangle_count, const int *triangles,
                        int *across, SideFault *fault, int *where);
// The vertex where a side begins, and the one where it ends.
static inline int side_start(const int *triangles, int side)
{
    return triangles[side];
}
static inline int side_next(int side)
{
    return side % 3 == 2 ? side - 2 : side + 1;
}
static inline int side_end(const int *triangles, int side)
{
    return triangles[side_next(side)];
}

// Points, triangle indices and numbers are such that they can be used.
SpragStatus triangles_check(SpragContext *context, int count, const SpragVec3 *points,
                            int triangle_count, const int *triangles);
// Half the diagonal of the box around the points, and its centre.
double points_size(int count, const SpragVec3 *points, SpragVec3 *centre);
// Volume times six of what the triangles enclose, and their area times two.
void triangles_measure(int triangle_count, const int *triangles, const SpragVec3 *points,
                       double *six_volume, double *two_area);

// Triangles of the convex hull of points, vertices counter-clockwise seen from outside. The caller
// frees *triangles. ERROR_INPUT: the points are flat, thinner than `thinnest` times their size.
SpragStatus hull_triangles(SpragContext *context, int count, const SpragVec3 *points,
                           double thinnest, int **triangles, int *triangle_count);
// The polyhedron of a closed convex surface of triangles; those within `flatness` times the size of
// one plane become one face.
SpragStatus solid_from_triangles(SpragContext *context, int count, const SpragVec3 *points,
                                 int triangle_count, const int *triangles, double flatness,
                                 SpragSolid **solid);
// Room for a solid whose faces have corner_count corners together.
SpragSolid *solid_alloc(SpragContext *context, int vertex_count, int face_count, int corner_count);
SpragSolid *solid_copy(SpragContext *context, const SpragSolid *solid);
// Puts the numbers of one into another of the same faces and edges; false: they differ.
bool solid_put(SpragSolid *place, const SpragSolid *solid);
SpragSurface *surface_copy(SpragContext *context, const SpragSurface *surface);
bool surface_put(SpragSurface *place, const SpragSurface *surface);

#endif

// surface_private.h: the tree over a surface and its walks.
#ifndef SPRAG_SURFACE_PRIVATE_H
#define SPRAG_SURFACE_PRIVATE_H

#include "special_private.h"

typedef struct SurfaceNode {
    SpragVec3 low, high;
    int first, count; // triangles in the tree's order
    int child;        // the second child follows it; 0: a leaf
} SurfaceNode;

typedef struct SurfaceVertex {
    SpragVec3 outward; // sum of the normals around it
    int owner;         // the least of its patches
    bool peak;         // all its sides fall away from a plane through it, outside of the solid
    SpragVec3 up;      // of a peak: unit, the normal of the plane that they fall away from most
} SurfaceVertex;

struct SurfaceTree {
    const SpragSurface *surface;
    SurfaceNode *nodes;
    int node_count;
    int *order, *patch; // of triangles
    SurfaceVertex *vertices;
    bool open; // it has a border: its solid has no other side
};

typedef enum SideKind { SIDE_FLAT, SIDE_VALLEY, SIDE_RIDGE, SIDE_BORDER } SideKind;

typedef struct SurfaceNearest {
    int triangle; // −1: none within reach
    int feature;  // as point_triangle
    SpragVec3 point;
    double squared;
} SurfaceNearest;

typedef SpragStatus (*SurfaceVisitor)(void *user, int triangle);

// Fills tree->vertices; the patches are known.
SpragStatus surface_mark_peaks(SpragContext *context, SurfaceTree *tree);
SideKind surface_side(const SurfaceTree *tree, int triangle, int side);
SpragVec3 surface_corner(const SurfaceTree *tree, int triangle, int corner);
// The name of a side that two triangles share: that of the lesser triangle.
int surface_ridge(const SurfaceTree *tree, int triangle, int side);
// Where one body is in the frame of another one.
SpragPose relative_pose(const SpragPose *in, const SpragPose *of);
// All triangles whose leaf's box overlaps the given one, in the order of the tree.
SpragStatus surface_visit(const SurfaceTree *tree, SpragVec3 low, SpragVec3 high,
                          SurfaceVisitor visitor, void *user);
// Nearest point of the surface, or of one patch (≥ 0), within reach.
SurfaceNearest surface_nearest(const SurfaceTree *tree, SpragVec3 p, int patch, double reach);
// Whether a place (frame of the surface's body) meets the plane of the patch view->feature[1].
bool surface_over_patch(const View3 *view, SpragVec3 p);

#endif

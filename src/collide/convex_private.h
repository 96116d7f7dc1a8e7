// convex_private.h: the difference of two convex shapes, seen by GJK and EPA.
#ifndef SPRAG_CONVEX_PRIVATE_H
#define SPRAG_CONVEX_PRIVATE_H

#include "space_private.h"

// Shapes without their radii, b placed in the frame of a's body.
typedef struct Difference {
    const SpragShape *a, *b;
    SpragMat3 R;
    SpragVec3 x;
    double size; // sum of the sizes of both
} Difference;

typedef struct SimplexPoint {
    SpragVec3 a, b, w; // points of a and b, w = a − b
    int id[2];         // their vertices; −1: a place on a rim
} SimplexPoint;

typedef struct Simplex {
    int count, steps;
    SimplexPoint point[4];
    double weight[4]; // of the nearest point v
    SpragVec3 v;
} Simplex;

// Nearest point of a simplex to the origin.
typedef struct Nearest3 {
    SpragVec3 v;
    double squared;
    int count; // of points that carry it; 4: the origin is inside
    int index[3];
    double weight[3];
} Nearest3;

// Radius around the points of a sphere or capsule; else 0.
double shape_core_radius(const SpragShape *shape);
SimplexPoint difference_support(const Difference *difference, SpragVec3 d);
// True: apart, with simplex->v = nearest point of a minus that of b. False: they overlap or touch.
// gain: relative bound of what may be left to gain in |v|²; warm: goes on from the simplex.
bool gjk_run(const Difference *difference, double gain, bool warm, Simplex *simplex);
// The exact distance of a cylinder from another shape, from a simplex that is nearly right; in the
// frame of a, without the radii of spheres and capsules. False: not found.
bool convex_polish(const Difference *difference, const Simplex *simplex, SpragSpaceGap *gap);
// Depth of overlap, from a simplex that gjk_run left; n: unit, the way a has to move. The simplex
// then carries the witness points.
double epa_run(const Difference *difference, Simplex *simplex, SpragVec3 *n);

#endif

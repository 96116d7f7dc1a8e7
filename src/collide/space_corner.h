// space_corner.h: polyhedra and their corners: what the files about them share (private to the
// room).
#ifndef SPRAG_SPACE_CORNER_H
#define SPRAG_SPACE_CORNER_H

#include "space_catalogue.h"

// ---- space_solid.c ----
// Features of a solid have one numbering: faces, then edges, then corners.
int solid_edge_feature(const SpragSolid *solid, int edge);
int solid_corner_feature(const SpragSolid *solid, int corner);
SpragPiece solid_face_piece(const SpragSolid *solid, int face);
SpragPiece solid_feature_piece(const SpragSolid *solid, int feature);
SpragVec3 solid_edge_direction(const SpragSolid *solid, int edge);
// Height of c over the plane of a face.
double solid_face_height(const SpragSolid *solid, int face, SpragVec3 c);
// How far c lies outside of a face's side (negative: inside), measured in the plane of the face.
double solid_side_excess(const SpragSolid *solid, int face, int side, SpragVec3 c, int *next);
// Face whose plane is highest below (or least above) c.
int solid_highest_face(const SpragSolid *solid, SpragVec3 c, double *height);
typedef struct SolidNearest {
    int feature;     // one numbering of faces, edges, corners
    double distance; // negative inside
    SpragVec3 point; // of the polyhedron (outside only)
} SolidNearest;
// covered: faces that lie against another part; NULL: none.
SolidNearest solid_nearest(const SpragSolid *solid, const bool *covered, SpragVec3 c);
// How far role 0 is from role 1 along n (negative: they overlap).
double wholes_separation(const View3 *view, SpragVec3 n);
// The same along the normal of a face of one of the two polyhedra; its own extent is known.
double wholes_face_separation(const View3 *view, int role, int face, SpragVec3 *n);

// ---- space_vertex.c ----
// The vertex of role 0 with its radius, and its feature.
SpragPiece vertex_piece(const View3 *view, int *feature);
// Of two equal shapes the later one's vertices speak first.
bool vertex_speaks_second(const View3 *view);

// ---- space_corner_ways.c ----
enum { CORNER_WAYS = 64 };

// One way in which a corner can touch.
typedef struct CornerWay {
    Meeting3 meeting;
    SpragVec3 normal;
    double separation; // of the shapes as wholes along the normal
} CornerWay;

// All ways at one place, in order of preference; further ones beyond CORNER_WAYS repeat directions.
typedef struct CornerChoice {
    const View3 *view;
    const Meeting3 *prefer;
    SpragVec3 velocity; // of role 0 relative to role 1 there
    CornerWay ways[CORNER_WAYS];
    int count;
} CornerChoice;

// Lists what meets in an edge or, if corner ≥ 0, in a corner of the other polyhedron.
void corner_choose(CornerChoice *choice, int face, int edge, int corner);
// Whether different directions are about equally good in a layer: else the contact is flat.
bool corner_has_range(const CornerChoice *choice);
// `at`: the place on the edge or corner `feature` of the other polyhedron, in its body's frame.
CornerWay corner_best_way(const CornerChoice *choice, SpragVec3 at, int feature);

// ---- space_corner.c ----
// A sharp corner (or point) that touches or overlaps; false: it is beside the face after all.
bool corner_meet(const View3 *view, const Meeting3 *prefer, SpragVec3 c, int nearest_face,
                 Meeting3 *meeting);

#endif

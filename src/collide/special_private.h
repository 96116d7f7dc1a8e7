// special_private.h: what the files about cylinders, surfaces and holes share.
#ifndef SPRAG_SPECIAL_PRIVATE_H
#define SPRAG_SPECIAL_PRIVATE_H

#include "space_private.h"

// Places of a rim: 0 where it is nearest, 1 … 3 marks for a flat end. Feature: 4 rim + place.
enum { RIM_PLACES = 4 };
// Sine of the angle up to which a normal may leave the range of a feature: something that comes
// down flat is then seen before it lands.
#define NORMAL_SLACK 0.2
// Sine below which straight lines count as parallel.
#define PARALLEL_SINE 1e-9

// Features of a cylinder that meet, and marks of its rims; what is added for a line that is taken
// the other way, see rim_line_place.
enum { FEATURE_SIDE, FEATURE_END, FEATURE_RIM = FEATURE_END + 2, FEATURE_MARK = 16 };
enum { FEATURE_BACK = 1 << 24 };

// A placed cylinder, world.
typedef struct Cylinder {
    SpragVec3 end[2], out[2]; // centres of the flat ends, their outward normals
    double radius, length;
} Cylinder;

// Where a point is in a cylinder: along from end 0, off the axis, and how deep (negative: outside).
typedef struct Located {
    double along, off, depth;
    SpragVec3 radial; // unit, from the axis
} Located;

// A straight edge placed in the world: of a polyhedron, the core of a capsule, the side of a
// cylinder, a ridge of a surface.
typedef struct StraightEdge {
    SpragVec3 local[2], end[2], direction;
    double radius, length;
    int face_count;
    SpragVec3 inward[2]; // of a sharp edge: into its faces, across the edge
    SpragVec3 outward;   // sum of the normals of its faces
} StraightEdge;

Cylinder cylinder_place(const SpragShape *shape, const SpragPose *pose);
Located cylinder_locate(const Cylinder *cylinder, SpragVec3 p);
// Least of n · p over the cylinder.
double cylinder_low(const Cylinder *cylinder, SpragVec3 n);
SpragPiece cylinder_side_piece(const SpragShape *shape);
SpragPiece cylinder_end_piece(const SpragShape *shape, int end);
SpragPiece cylinder_rim_piece(const SpragShape *shape, int rim);
// The edge of a bore at one of its ends.
SpragPiece mouth_piece(const SpragShape *shape, int end);
// Whether n, into the solid around the bore, is a normal of that edge at the place in the direction
// `radial`, up to the slack: out of it they lie between the axis and the way to the middle.
bool mouth_has_normal(SpragVec3 n, SpragVec3 out, SpragVec3 radial);

StraightEdge edge_place(const View3 *view, int role);
// Whether n is a normal out of the edge's shape, up to the slack.
bool edge_has_normal(const StraightEdge *edge, SpragVec3 n);

// Gap at rest of what meets.
bool meeting_gap(const View3 *view, const Meeting3 *meeting, SpragSpaceGap *gap);

// The first (which 0) or second place of a rim nearest to (in a hole: farthest from) a line, which
// is the piece of role `line` and directed so that it asks for the first. Where there is only one
// it is the first one's, and if it lies on the side of the second, the line is turned and the
// line's feature has FEATURE_BACK added: so a contact that is held keeps its place when the other
// one appears. False: there is no second.
bool rim_line_place(const View3 *view, int line, int which, Meeting3 *meeting, SpragSpaceGap *gap);

// Place `view->feature[0]` of a rim over a plane (of role 1, world n, through a point): fills
// meeting->piece[0] and feature[0], and the place in the world. False: this place does not speak.
bool rim_over_plane(const View3 *view, SpragVec3 n, SpragVec3 through, Meeting3 *meeting,
                    SpragVec3 *place);

// Meetings of the kinds.
void cylinder_vertex_meet(const View3 *view, Meeting3 *meeting);
void cylinder_rim_meet(const View3 *view, Meeting3 *meeting); // plane, solid, cylinder
void cylinder_pair_meet(const View3 *view, Meeting3 *meeting);
void cylinder_edge_meet(const View3 *view, Meeting3 *meeting); // side, rim, rim with rim
void surface_meet(const View3 *view, Meeting3 *meeting);
void inside_meet(const View3 *view, Meeting3 *meeting);

SpragStatus surface_seeds_near(const Pair3 *pair, int surface, double reach, Seed3Sink sink,
                               void *user);
// Whether p (in the frame of the polyhedron) lies over a face, not farther than `zone` beside it.
bool face_covers(const SpragSolid *solid, int face, SpragVec3 p, double zone);

// Ridge: 3 triangle + side. Ends, and the normals of its one or two triangles, body's frame.
int ridge_faces(const SurfaceTree *tree, int ridge, SpragVec3 ends[2], SpragVec3 normals[2]);
SpragVec3 surface_vertex(const SurfaceTree *tree, int vertex);
// Least signed distance of a convex shape from a surface; INFINITY: farther than `reach`.
double surface_distance(const SurfaceTree *tree, const SpragPose *pose, const SpragShape *shape,
                        const SpragPose *shape_pose, double reach);

#endif

// space_private.h: what the files of the room share about shapes in space.
//
// Roles. A slot has two sides, role 0 and role 1, in the order that its kind names them; which of
// them is body[0] of the public slot is the catalogue's business. Everything here (views, meetings,
// seeds) is in the order of roles.
#ifndef SPRAG_SPACE_PRIVATE_H
#define SPRAG_SPACE_PRIVATE_H

#include "sprag/collide.h"

// ---- Pieces -------------------------------------------------------------------------------------

// Gap, witness points, frame and (if asked) rates of two placed pieces; the normal points into the
// body of `a`. Exchanging a and b gives the same with the normal turned round. axis: world axis of
// the tangent, −1: the one least aligned with the normal. False: the pair of kinds has no gap.
//   Points, lines, circles have radii around them; one negative radius: the other piece is within.
//   LINE-LINE and LINE-CIRCLE, CIRCLE-CIRCLE without radii pass through zero smoothly: for two
//   lines the normal is unit(axis of a × axis of b), so the catalogue directs the axes; a circle's
//   axis points out of the solid at its rim, and the normal follows from that.
//   CIRCLE against a PLANE: place of the circle that is lowest over the plane.
// Where the normal is not defined (coinciding centres, parallel lines, flat circles) some normal
// is taken that does not turn with the relative motion, so that all numbers stay finite.
bool piece_gap(const SpragPiece *a, const SpragPose *pose_a, const SpragPiece *b,
               const SpragPose *pose_b, int axis, bool rates, SpragSpaceGap *gap);
// t, o of theory.md 13.1 from n, and their rates from n' if these are wanted.
void gap_tangents(int axis, bool rates, SpragSpaceGap *gap);
// The world axis least aligned with n, theory.md 13.1.
int frame_axis(SpragVec3 n);
// Whether the tangent made from the axis is still well defined; else a grip should be taken anew.
bool frame_axis_fits(SpragVec3 n, int axis);

SpragPiece piece_point(SpragVec3 point, double radius);
SpragPiece piece_line(SpragVec3 point, SpragVec3 axis, double radius);
SpragPiece piece_plane(SpragVec3 point, SpragVec3 normal);
SpragPiece piece_circle(SpragVec3 centre, SpragVec3 axis, double size);

static inline SpragVec3 pose_to_world(const SpragPose *pose, SpragVec3 local)
{
    return sprag_vec3_add(pose->x, sprag_mat3_apply(&pose->R, local));
}
static inline SpragVec3 pose_to_local(const SpragPose *pose, SpragVec3 world)
{
    return sprag_mat3_apply_back(&pose->R, sprag_vec3_sub(world, pose->x));
}

// ---- Slots --------------------------------------------------------------------------------------

// Role 0 against role 1, with the features that SpragSlot.feature holds in that order.
typedef enum SlotKind3 {
    // spheres, capsules, points, rods, polyhedra, planes
    SLOT3_VERTEX_PLANE, // vertex | −1
    SLOT3_VERTEX_ROUND, // vertex | −1: a sphere or capsule (side and ends)
    SLOT3_VERTEX_SOLID, // vertex | −1: the whole polyhedron
    SLOT3_EDGE_EDGE,    // edge of a solid, 0 for the core of a capsule | the same
    // cylinders, see cylinder_seeds
    SLOT3_VERTEX_CYLINDER, // vertex | −1: side, flat ends and rims
    SLOT3_RIM_PLANE,       // place of a rim | −1
    SLOT3_RIM_SOLID,       // place of a rim | −1: faces of a polyhedron
    SLOT3_RIM_CYLINDER,    // place of a rim | −1: side and flat ends of another cylinder
    SLOT3_EDGE_RIM,        // edge, core of a capsule | rim × 2 + which crossing
    SLOT3_EDGE_SIDE,       // edge, core of a capsule, side of a cylinder | −1: side of a cylinder
    SLOT3_RIM_RIM,         // rim | rim × 2 + which crossing
    // surfaces: the patch (flat set of triangles) is named by its first triangle
    SLOT3_VERTEX_SURFACE, // vertex | patch with the ridges and peaks that belong to it
    SLOT3_RIM_SURFACE,    // place of a rim | patch
    SLOT3_EDGE_RIDGE,     // edge, core of a capsule | ridge of a surface: 3 triangle + side
    SLOT3_RIDGE_CYLINDER, // ridge | −1: side of a cylinder
    SLOT3_RIDGE_RIM,      // ridge | rim × 2 + which crossing
    SLOT3_PEAK_SOLID,     // vertex of a surface | −1: polyhedron
    SLOT3_PEAK_ROUND,     // vertex of a surface | −1: side of a capsule
    SLOT3_PEAK_CYLINDER,  // vertex of a surface | −1: side and flat ends
    // shapes with the solid around them
    SLOT3_VERTEX_INSIDE, // vertex | wall: a sphere, capsule or bore 0, a box's face
    SLOT3_RIM_INSIDE,    // place of a rim | wall
    SLOT3_MOUTH_SIDE, // mouth of a bore × 2 + which side | −1: capsule core, cylinder side, edge
    SLOT3_MOUTH_RIM,  // mouth of a bore | rim × 2 + which crossing
    SLOT3_KIND_COUNT
} SlotKind3;

typedef struct SurfaceTree SurfaceTree;

// A slot with both sides placed, in the order of roles.
typedef struct View3 {
    SlotKind3 kind;
    const SpragShape *shape[2];
    const SpragPose *pose[2];
    const SurfaceTree *tree[2]; // of a surface; else NULL
    int feature[2];
    const bool *covered[2]; // of a polyhedron: faces that lie against another part; NULL: none
    double zone;            // m: places nearer than this coincide
    SpragVec3 gravity;      // decides which way a cylinder that stands flat is taken to lean
} View3;

// The pieces that meet at a slot now, in the order of roles. `feature` tells them apart: equal
// features mean the same pieces (a grip holds as long as they are equal).
typedef struct Meeting3 {
    bool valid; // else they cannot touch in this configuration, and nothing else counts
    SpragPiece piece[2];
    int feature[2];
} Meeting3;

// Meetings of the kinds from SLOT3_VERTEX_CYLINDER on. The catalogue writes those before.
void special_meet(const View3 *view, Meeting3 *meeting);

// A slot that a pair of shapes has.
typedef struct Seed3 {
    SlotKind3 kind;
    int side[2];    // which of the two shapes given is role 0, role 1
    int feature[2]; // in the order of roles
} Seed3;
typedef SpragStatus (*Seed3Sink)(void *user, const Seed3 *seed);
typedef struct Pair3 {
    const SpragShape *shape[2];
    const SpragPose *pose[2];
    const SurfaceTree *tree[2];
} Pair3;

// Whether the seeds of the pair are those below: one of them is a cylinder, a surface or inside.
bool pair_is_special(const SpragShape *a, const SpragShape *b);
// Whether the two can touch at all: not two surfaces, two planes, two of the inside kind …
bool pair_can_touch(const SpragShape *a, const SpragShape *b);
// Slots that a special pair has in every configuration (poses are not looked at).
SpragStatus special_seeds(const Pair3 *pair, Seed3Sink sink, void *user);
// Further ones, whose features are nearer than `reach` in this configuration; the same one may be
// told again in the next call.
SpragStatus special_seeds_near(const Pair3 *pair, double reach, Seed3Sink sink, void *user);
// What the feature of a role is called ("c3", "c0c1", "a" …); empty: the shape as a whole.
void special_feature_name(const View3 *view, int role, size_t capacity, char *text);

// ---- Distance of whole shapes -------------------------------------------------------------------

typedef struct ConvexDistance {
    double distance;    // m; negative: depth of penetration
    SpragVec3 point[2]; // witness points, world
    SpragVec3 normal;   // unit, from b to a: point[0] − point[1] = distance · normal
    int count;        // of vertices that carry the witness points: features 1 point, 2 segment …
    int vertex[2][3]; // those of a and of b, some equal; −1: a place on a rim
    int iterations;
} ConvexDistance;

// Whether the shape is convex and bounded: not plane, surface, inside; a rod counts as its segment,
// points as their hull.
bool shape_is_convex(const SpragShape *shape);
// Farthest point of a convex shape along a direction of the world.
SpragVec3 shape_support(const SpragShape *shape, const SpragPose *pose, SpragVec3 direction);
// Distance of two convex shapes, or depth of their penetration: GJK, then EPA.
bool convex_distance(const SpragShape *a, const SpragPose *pose_a, const SpragShape *b,
                     const SpragPose *pose_b, ConvexDistance *result);
// Signed distance of any two shapes that can touch, for overlaps at the start; planes, surfaces and
// inside shapes too. INFINITY: none.
double pair_distance(const Pair3 *pair);
// Box around a placed shape, grown by nothing; infinite for a plane and for what is inside a shape.
void shape_bounds(const SpragShape *shape, const SpragPose *pose, SpragVec3 *low, SpragVec3 *high);

// ---- Closest features ---------------------------------------------------------------------------

// Parameters s, t in [0, 1] of the nearest points a + s (b − a), c + t (d − c) of two segments.
void segment_segment(SpragVec3 a, SpragVec3 b, SpragVec3 c, SpragVec3 d, double *s, double *t);
// Nearest point of a triangle, with its feature: 0 the face, 1 + i the side from corner i, 4 + i
// corner i.
SpragVec3 point_triangle(SpragVec3 p, const SpragVec3 corner[3], int *feature);

// ---- Surfaces -----------------------------------------------------------------------------------

// Boxes over the triangles of a surface, its patches, ridges and peaks. The surface is borrowed.
SpragStatus surface_tree_create(SpragContext *context, const SpragSurface *surface,
                                SurfaceTree **tree);
void surface_tree_destroy(SpragContext *context, SurfaceTree *tree);

void meeting_set(Meeting3 *meeting, SpragPiece first, int first_feature, SpragPiece second,
                 int second_feature);

#endif

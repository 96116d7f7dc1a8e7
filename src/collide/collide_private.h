// collide_private.h: what the files of the room share.
#ifndef SPRAG_COLLIDE_PRIVATE_H
#define SPRAG_COLLIDE_PRIVATE_H

#include "space_private.h"

typedef enum SlotKind {
    SLOT_PLANE,  // vertex over a plane
    SLOT_CONVEX, // vertex against a circle, capsule or polygon
    SLOT_SEGMENT // vertex over one segment of a chain
} SlotKind;

typedef struct Slot {
    SpragSlot shown;
    SlotKind kind;
    SlotKind3 kind3; // in space, instead of `kind`
    int before;      // in space: the slot of the same two shapes that was added before; −1: none
    int round;       // 0 or 1: which side of `shown` has the round feature; in space: role 0
    bool side_only;  // against a capsule: its ends belong to other slots
    bool secondary;  // coinciding corners belong to the slots of the other shape's corners
    bool sharp;      // the round feature is a polygon's corner: no contact with a chain's vertex
    bool pair_whole; // every slot of this pair of convex shapes exists (no rule ignores one)
} Slot;

typedef struct Space Space;
typedef struct Plane Plane;

// A shape among the shapes of its body: its number, and how many there are.
typedef struct ShapePlace {
    int number, siblings;
} ShapePlace;

// A polygon's corner and the side that begins there, beside other parts that never move against it.
typedef struct Seam {
    bool flat;         // the corner lies in a flat surface or a valley: no straight side touches it
    double begin, end; // m from both ends of the side that another part covers
} Seam;

struct SpragCollider {
    SpragContext *context;
    const SpragModel *model;
    Slot *slots;
    size_t slot_capacity;
    int slot_count;
    Slot *spare; // the list before an update, or room for the next
    size_t spare_capacity;
    ShapePlace *places;   // one a shape
    Seam *seams;          // plane: one a vertex of all shapes
    size_t *seam_first;   // one a shape: its first one
    SpragFrame *frames;   // scratch, one a body
    int default_material; // index of the material named "default"; −1: none
    double tolerance;     // m: gaps and overlaps up to it are closed
    double zone;          // m: corners nearer than this coincide
    Space *space;         // owned: the rest of a collider in space; NULL: in the plane
    Plane *plane;         // owned: in the plane, where pairs are listed as they come near; or NULL
};

typedef SpragFrame Frame;

// How a vertex meets the other shape, in the frame of the other shape's body.
typedef enum MeetingKind {
    MEETING_NONE,       // they cannot touch in this configuration
    MEETING_FLAT,       // a straight side of the other shape: the normal turns with it
    MEETING_PIVOT,      // a vertex of the other shape: the normal points from there
    MEETING_FLAT_ROUND, // coinciding corners, and the face is one of the round feature's shape
    MEETING_MIDDLE      // coinciding corners at rest: the middle of the normals that separate them
} MeetingKind;

typedef struct Meeting {
    MeetingKind kind;
    SpragVec2 normal; // unit, from the other shape to the round feature
    SpragVec2 point;  // of the other shape: on its side, or the vertex
    double radius;    // of the other shape
    double distance;  // normal · (vertex − point)
} Meeting;

// A slot with both bodies placed.
typedef struct View {
    const SpragCollider *collider;
    const Slot *slot;
    const SpragShape *round_shape, *other_shape;
    const Frame *round, *other;
    int vertex;
    SpragVec2 c; // the vertex in the frame of the other body
} View;

static inline bool is_polygon(const SpragShape *shape)
{
    return shape->kind == SPRAG_SHAPE_BOX || shape->kind == SPRAG_SHAPE_POLYGON;
}
static inline bool is_convex(const SpragShape *shape)
{
    return is_polygon(shape) || shape->kind == SPRAG_SHAPE_CIRCLE ||
           shape->kind == SPRAG_SHAPE_CAPSULE;
}
// The next vertex of a polygon.
static inline SpragVec2 vertex_after(const SpragShape *shape, int vertex)
{
    return shape->vertices[vertex + 1 == shape->vertex_count ? 0 : vertex + 1];
}
static inline SpragVec2 frame_to_world(const Frame *frame, SpragVec2 local)
{
    return sprag_vec2_add(frame->x, sprag_vec2_turn(local, frame->cosine, frame->sine));
}
static inline SpragVec2 frame_to_local(const Frame *frame, SpragVec2 world)
{
    return sprag_vec2_turn(sprag_vec2_sub(world, frame->x), frame->cosine, -frame->sine);
}

Frame collide_frame(const double *pose, const double *rate, int body);
// Frames of the bodies on side 0 and 1 of the slot.
View collide_view(const SpragCollider *collider, const Slot *slot, const Frame *first,
                  const Frame *second);
Meeting collide_meet(const View *view);

// Vertex `c` (frame of the shape) against a circle, capsule or polygon; no zone, no ownership.
Meeting convex_meet(const SpragShape *shape, SpragVec2 c);
Meeting convex_slot_meet(const View *view);
// Outward unit normal of the side that begins at `vertex` of a counter-clockwise polygon; false: it
// has no length.
bool convex_side_normal(const SpragShape *shape, int vertex, SpragVec2 *normal);
// Vertex `c` over the line through `point` with this normal.
Meeting convex_meet_side(SpragVec2 point, SpragVec2 normal, SpragVec2 c, double radius);
// The slot's vertex on corner `corner` of the other shape.
Meeting corners_meet(const View *view, int corner);
// Whether a range of normals, between a side of either, separates the shapes there.
bool corners_have_range(const View *view, int corner);

// A corner this part of the overlap deep inside tells of it.
#define PART_TOLD 0.5
// collide_cross.c
// The other polygon's corner that the view's vertex, outside of it, has passed at the end of a flat
// contact, so that each is beyond the other: one slot stands for both. −1: there is none.
int cross_corner(const View *view);
// A vertex outside of the other polygon, which `meeting` tells, where the polygons may overlap
// although no corner is inside.
Meeting cross_meet(const View *view, Meeting meeting);

// collide_seams.c
// Seams of the parts in a pose, also where numbers have changed.
SpragStatus seams_find(SpragCollider *collider, const double *pose);
// Whether the vertex of a view is part of a seam; whether the polygon that it meets has some.
bool seams_hide(const View *view);
bool seams_are_on(const View *view);
// Whether a corner of that polygon is.
bool seams_flat(const View *view, int corner);
// The vertex against a polygon with seams; *side: the one below which it is inside, else −1.
Meeting seams_meet(const View *view, int *side);

// Largest separation of b's core from a's along the axes of a; −INFINITY if a has none.
double convex_separation(const SpragShape *a, const Frame *frame_a, const SpragShape *b,
                         const Frame *frame_b);
// As sprag_collider_placing_gap says; the slot's other shape is a polygon.
Meeting convex_placing_meet(const View *view);
// Depth of overlap of two convex shapes (≤ 0: apart, minus the distance of their cores' faces).
double convex_overlap(const SpragShape *a, const Frame *frame_a, const SpragShape *b,
                      const Frame *frame_b);
// Least of normal · (vertex − point) over the vertices of a shape placed in another frame.
double convex_support(const SpragShape *shape, const Frame *of, const Frame *in, SpragVec2 normal,
                      SpragVec2 point);

typedef enum CornerKind { CORNER_END, CORNER_VALLEY, CORNER_STRAIGHT, CORNER_RIDGE } CornerKind;

int chain_segment_count(const SpragShape *chain);
CornerKind chain_corner(const SpragShape *chain, int vertex, double side);
// Side of the chain on which p (frame of the chain's body) lies: +1 left, −1 right, 0: on it within
// tolerance.
double chain_side(const SpragShape *chain, SpragVec2 p, double tolerance);
Meeting chain_slot_meet(const View *view);

// Context, model, places of shapes: what colliders of both dimensions begin with.
SpragStatus collider_begin(const SpragModel *model, SpragCollider **collider);
// Rounding relative to the size of bodies and to the distance of the farthest from the origin.
void collider_set_tolerances(SpragCollider *collider, double far);

SpragStatus slots_build(SpragCollider *collider, const double *pose);
// Appends the slots of two shapes, before rules.
SpragStatus slots_add_pair(SpragCollider *collider, const double *pose, int a, int b);
// How many slots slots_build would list, at most.
double slots_estimate(const SpragModel *model);
// Rules for the slots from `begin` on: sides in their order, ignored ones left out.
SpragStatus slots_apply_rules_from(SpragCollider *collider, int begin);
// plane_refresh.c
SpragStatus plane_create(SpragCollider *collider, const double *pose);
// Lists anew what is near at a pose.
SpragStatus plane_restart(SpragCollider *collider, const double *pose);
void plane_destroy(SpragCollider *collider);
int plane_near(const SpragCollider *collider, const int **slots);
// Whether the list depends on numbers: on the side of chains, and on the shape of their corners.
bool slots_may_change(const SpragCollider *collider);
SpragStatus slots_apply_rules(SpragCollider *collider);
// The same for one slot; its sides are in their final order then.
SpragStatus slot_apply_rule(const SpragCollider *collider, Slot *slot);
// The material of a shape; −1: none.
int slot_material(const SpragCollider *collider, int shape);
// The layer that a rule (NULL: none) or the materials give. ERROR_INPUT says where it stands.
SpragStatus slot_set_layer(const SpragCollider *collider, SpragSlot *slot, const SpragRule *rule);
bool slot_is_ignored(const SpragCollider *collider, const Slot *slot);
// What rules and materials give, anew for the slots that are there.
SpragStatus slots_refresh(SpragCollider *collider);
// Slots of the same two shapes; they follow each other in the list.
bool slots_same_pair(const Slot *a, const Slot *b);
SpragStatus slots_name(SpragCollider *collider);
// Frees what a collider has in space, if it has.
void space_destroy(SpragCollider *collider);
// Slot by name in space; −1: none.
int space_find_name(const SpragCollider *collider, const char *name);
// In space: what the slot touches with on a side, and a vertex name of it (or the text itself).
void space_feature_name(const SpragCollider *collider, const Slot *slot, int side, size_t capacity,
                        char *text, const char **first);
// "first-second" with the paths of both sides, appended to the text.
void slot_add_path_name(const SpragCollider *collider, const Slot *slot, SpragText *text);
bool slot_matches(const SpragCollider *collider, const SpragSlot *slot,
                  const SpragSelector between[2], bool reversed);

#endif

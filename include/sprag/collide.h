// collide.h: gaps, contact points, frames and their rates between the shapes of a model.
//
// A *slot* is a pair that can touch in one point: a round feature (a vertex with the radius of its
// shape) against another shape. Slots are found once for a model; names, friction and
// the side of a chain belong to the slot, so a contact keeps its identity while it lasts.
//
// Who meets whom. Every vertex of a shape meets a plane, a convex shape (circle, capsule, box,
// polygon: the signed distance to it, one slot) and each segment of a chain. Corners of a polygon
// and protruding corners of a chain also meet what they can dig into (polygons, sides of capsules).
// No touching point has two slots: where two corners coincide (within a small zone) one slot
// stands for both, and its normal is the face that separates the shapes best.
//
// In space slots are found in the same way, and further ones (two edges, a triangle of a large
// surface, a pair of bodies that were far apart) are appended when they come near:
// sprag_collider_refresh. A slot keeps its number and its name for good.
#ifndef SPRAG_COLLIDE_H
#define SPRAG_COLLIDE_H

#include "sprag/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragSlot {
    char *name;  // unique: a rule's name, else "rod.a-table"
    int rule;    // rule that names or describes it; −1: none
    int body[2]; // normal points into body[0]; slip is its velocity relative to body[1]
    int shape[2];
    int feature[2]; // the round feature's side: a vertex of its shape; the other side: the segment
                    // of a chain, else −1. In space also edges and the like: private to the room
    int vertex[2];  // the vertex of its shape by which rules can name a side; −1: none
    bool swapped;   // the round feature (in space: what is named first) belongs to body[1]
    double side;    // chain: +1 if the free side is on the left of its direction, else −1
    bool friction_given; // by a rule, or by the materials of both shapes; else μ = 0
    double friction_static, friction_kinetic, stribeck;
    SpragFrictionLaw friction_law;
    SpragPairModel pair_model;
    SpragRestitution restitution;
    bool compliance_given;
    SpragCompliance compliance;
    double surface_velocity[3]; // of body[1] minus body[0], world frame (belt); only its part
                                // along the surface counts
} SpragSlot;

typedef struct SpragCollider SpragCollider;

// State of one slot at a configuration.
typedef struct SpragGap {
    double gap;          // m; INFINITY: the features cannot touch in this configuration
    double gap_rate;     // m/s
    double slip;         // m/s, with the surface velocity
    SpragVec2 point;     // contact point, world
    SpragVec2 normal;    // into body[0]
    SpragVec2 r[2];      // contact point minus centre of mass of body[i]
    SpragVec2 centre[2]; // arm of the normal row on body[i] (differs from r for round features)
    double bias_normal;  // N' v of theory.md (1.3), m/s²
    double bias_tangential;
    double slip_drift; // part of the slip that is not T v: the belt, m/s
} SpragGap;

// Finds all slots of the model (borrowed; it must outlive the collider). The pose (x, y, angle of
// every body, fixed ones included) tells the side of chains: where the other shape's centre is, or
// else its body's centre of mass; on the left of the chain's direction if both lie on it.
SPRAG_MUST_USE SpragStatus sprag_collider_create(const SpragModel *model, const double *pose,
                                                 SpragCollider **collider);
void sprag_collider_destroy(SpragCollider *collider);
// Brings a collider up to date with other numbers of its model, as if it were created anew; warm,
// nothing is allocated unless the slots themselves change (chains only). pose NULL: only what rules
// and materials give has changed.
SPRAG_MUST_USE SpragStatus sprag_collider_update(SpragCollider *collider, const double *pose);
// Gaps and overlaps up to this count as closed, m: contact-tolerance × size of the model, but no
// less than the rounding of positions at the distance of the bodies from the origin.
double sprag_collider_tolerance(const SpragCollider *collider);
int sprag_collider_slot_count(const SpragCollider *collider);
const SpragSlot *sprag_collider_slot(const SpragCollider *collider, int slot);
// Slot by name; −1 if there is none.
int sprag_collider_find_slot(const SpragCollider *collider, const char *name);
// Slots that a name stands for: the slot of that name, else all slots of the rule of that name
// (`pads` for pads.0, pads.1 …). Writes at most `capacity` of them, returns how many there are.
int sprag_collider_find_slots(const SpragCollider *collider, const char *name, int *slots,
                              int capacity);
// The same for a pair of selectors, in either order.
int sprag_collider_find_pair(const SpragCollider *collider, const SpragSelector between[2],
                             int *slots, int capacity);
// Gap, frame and rates of one slot, exact for any gap:
//     gap_rate = N v,  slip = T v + slip_drift,  their rates N v' + bias_normal, T v' +
//     bias_tangential, with the rows of theory.md (1.5) from normal and r.
// pose and rate: 3 entries a body (x, y, angle and their rates); rate NULL: at rest. A feature that
// is beyond or behind its segment of a chain has gap INFINITY and no frame.
void sprag_collider_gap(const SpragCollider *collider, int slot, const double *pose,
                        const double *rate, SpragGap *gap);
// A body at an instant: position, velocity, cosine and sine of the angle, spin.
typedef struct SpragFrame {
    SpragVec2 x, v;
    double cosine, sine, spin;
} SpragFrame;
// From x, y, angle and their rates (NULL: at rest).
void sprag_frame_set(const double *pose, const double *rate, SpragFrame *frame);
// As sprag_collider_gap with the frames of all bodies at hand; and its gap alone.
void sprag_collider_gap_framed(const SpragCollider *collider, int slot, const SpragFrame *frames,
                               SpragGap *gap);
double sprag_collider_distance(const SpragCollider *collider, int slot, const SpragFrame *frames);
// The features of two shapes that meet at a slot. A run holds on to them while a contact lasts: gap
// and rows then go on smoothly past the end of a side, and the end itself can be located.
typedef struct SpragHold {
    int kind;               // private to the room; 0: nothing is held
    SpragVec2 normal;       // in the frame of the body that the side belongs to
    SpragVec2 round_normal; // in the frame of the vertex's body
    SpragVec2 point;        // in the frame of the other shape's body
    double radius;
} SpragHold;
// Holds what meets now; false (and nothing held): the features cannot touch in this configuration.
// *hold comes in with what was held before (kind 0: nothing): a choice that was made at rest lasts.
bool sprag_collider_hold(const SpragCollider *collider, int slot, const SpragFrame *frames,
                         SpragHold *hold);
// As sprag_collider_gap_framed, for the held features.
void sprag_collider_held_gap(const SpragCollider *collider, int slot, const SpragHold *hold,
                             const SpragFrame *frames, SpragGap *gap);
// The held features of a slot with all numbers at hand that their touch needs, while they are held.
typedef struct SpragHeldPair {
    SpragHold hold;
    SpragVec2 vertex;           // of the round feature, in the frame of its body
    double radius;              // of the round feature
    int round, other;           // bodies: of the round feature, and of what it meets
    double sign;                // +1: the round feature is of body[0], −1: of body[1]
    double surface_velocity[2]; // of body[1] minus body[0]
} SpragHeldPair;
// hold->kind is not 0.
void sprag_collider_held_pair(const SpragCollider *collider, int slot, const SpragHold *hold,
                              SpragHeldPair *pair);
// What a force in a contact and the rates that it depends on need: a SpragGap without bias terms.
typedef struct SpragTouch {
    SpragVec2 normal; // into body[0]
    SpragVec2 r[2];   // contact point minus centre of mass of body[i]
    double gap, gap_rate, slip, slip_drift;
} SpragTouch;
void sprag_held_pair_touch(const SpragHeldPair *pair, const SpragFrame *frames, SpragTouch *touch);
// Whether the shapes still meet with the held features.
bool sprag_collider_is_held(const SpragCollider *collider, int slot, const SpragHold *hold,
                            const SpragFrame *frames);
// Whether the slot's features can change at all: not for a plane, a circle or a sphere.
bool sprag_collider_can_change(const SpragCollider *collider, int slot);
// Gap and frame at rest, for placing bodies: where a polygon and the shape that touches it overlap,
// the gap is measured from the side of the polygon through which they part with the least motion,
// even if the vertex has come out on another side.
void sprag_collider_placing_gap(const SpragCollider *collider, int slot, const double *pose,
                                SpragGap *gap);
// The same with the frames of all bodies at hand, which must be at rest; and its gap alone.
void sprag_collider_placing_gap_framed(const SpragCollider *collider, int slot,
                                       const SpragFrame *frames, SpragGap *gap);
double sprag_collider_placing_distance(const SpragCollider *collider, int slot,
                                       const SpragFrame *frames);
// Deepest overlap (metres, positive) of a moving body in another beyond `tolerance`, with a slot of
// that pair; false: none. Convex shapes are compared as wholes, so crossing boxes overlap though no
// corner is inside.
bool sprag_collider_find_overlap(const SpragCollider *collider, const double *pose,
                                 double tolerance, int *slot, double *depth);
bool sprag_collider_find_overlap_framed(const SpragCollider *collider, const SpragFrame *frames,
                                        double tolerance, int *slot, double *depth);
// Depth to which the shapes of a slot overlap, likewise as wholes (below 0: they are apart).
double sprag_collider_depth(const SpragCollider *collider, int slot, const SpragFrame *frames);

// Where a scene in the plane has very many shapes only the slots of pairs that have come near are
// listed, others are appended as below in space: true. Else every slot is there from the start.
bool sprag_collider_grows(const SpragCollider *collider);
// As sprag_collider_refresh, in the plane, for a collider that grows.
SPRAG_MUST_USE SpragStatus sprag_collider_refresh_plane(SpragCollider *collider,
                                                        const SpragFrame *frames,
                                                        const SpragFrame *later, double reach,
                                                        int *added);

// ---- Space --------------------------------------------------------------------------------------

// A body in space at an instant: position, velocity and angular velocity in the world, rotation
// from its frame to the world's.
typedef struct SpragPose {
    SpragVec3 x, v, w;
    SpragMat3 R;
} SpragPose;
// From position and quaternion (7 numbers), velocity and angular velocity (6; NULL: at rest).
void sprag_pose_set(const double *position, const double *velocity, SpragPose *pose);

// State of one slot in space. With V_i(p) the velocity of the material point of body i at p,
//     gap = n · (point[0] − point[1]),  gap' = n · (V_0(point[0]) − V_1(point[1])),
//     slip along t = t · (V_0(point[0]) − V_1(point[1])) − t · surface velocity,
// exact for any gap. The rates are those of the frame and of the witness points at the velocities
// of the poses: with them the bias terms of all rows follow, theory.md (13.17).
typedef struct SpragSpaceGap {
    double gap; // m; INFINITY: the features cannot touch in this configuration, nothing else counts
    SpragVec3 point[2];   // the point of body i that is nearest to the other, world
    SpragVec3 normal;     // into body[0]
    SpragVec3 tangent[2]; // t, o of theory.md 13.1: {n, t, o} is right-handed
    SpragVec3 point_rate[2], normal_rate, tangent_rate[2];
} SpragSpaceGap;

// A smooth piece of a shape's boundary in its body's frame: a point, a straight line, a plane or a
// circle, with a radius around it. Two of them have a gap, a frame and rates that are smooth even
// past the ends of the piece; who holds on to a contact holds a pair of them.
typedef enum SpragPieceKind {
    SPRAG_PIECE_NONE,
    SPRAG_PIECE_POINT, // point
    SPRAG_PIECE_LINE,  // point, axis
    SPRAG_PIECE_PLANE, // point, axis: the unit normal, out of the solid
    SPRAG_PIECE_CIRCLE // centre, axis: unit normal of its plane, out of the solid; its size
} SpragPieceKind;
typedef struct SpragPiece {
    SpragPieceKind kind;
    SpragVec3 point, axis;
    double size;   // radius of the circle
    double angle;  // circle against circle: its sign tells which of two crossings is meant
    bool hole;     // circle: the edge of a hole, with the solid around it
    double radius; // around it; negative: the solid is outside (a hole, a bowl)
} SpragPiece;
// What a run holds on to in space; kind NONE in `piece[0]`: nothing.
typedef struct SpragGrip {
    SpragPiece piece[2]; // of body[0], body[1]
    int feature[2];      // private to the room: which vertex, edge, face, triangle
    int axis; // world axis that the tangent t was made from, theory.md 13.1; −1: none yet
} SpragGrip;

// Gap, frame and rates of one slot; grip NULL or empty: of the features that meet now. poses: one
// a body, fixed ones included.
void sprag_collider_space_gap(const SpragCollider *collider, int slot, const SpragPose *poses,
                              const SpragGrip *grip, SpragSpaceGap *gap);
// The same without rates, which are not set.
void sprag_collider_space_frame(const SpragCollider *collider, int slot, const SpragPose *poses,
                                const SpragGrip *grip, SpragSpaceGap *gap);
// A slot of two balls, or of a ball over a plane: all that its gap takes, in few bytes for those
// who ask for it in every step. False: it is another.
typedef struct SpragBallSlot {
    int body[2]; // as of the slot
    int own;     // the side of the ball; 1 − own: that of the other ball, or the plane
    bool plane;
    SpragVec3 centre[2]; // of the balls, in the frames of their bodies; a point of the plane
    SpragVec3 normal;    // of the plane
    double radius[2];    // 0: plane
} SpragBallSlot;
bool sprag_collider_ball_slot(const SpragCollider *collider, int slot, SpragBallSlot *ball);
// Gap and frame, as sprag_collider_space_frame; false: centres coincide.
bool sprag_collider_ball_frame(const SpragBallSlot *ball, const SpragPose *poses,
                               SpragSpaceGap *gap);
double sprag_collider_space_distance(const SpragCollider *collider, int slot,
                                     const SpragPose *poses, const SpragGrip *grip);
// Signed distance (negative: depth of overlap) of the two shapes of a slot as wholes. INFINITY:
// they are not both solid and bounded (planes, surfaces, shapes with the solid around them).
double sprag_collider_shape_distance(const SpragCollider *collider, int slot,
                                     const SpragPose *poses);
// Grips what meets now (a grip that is not empty keeps its axis); false, and nothing held: the
// features cannot touch in this configuration.
bool sprag_collider_grip(const SpragCollider *collider, int slot, const SpragPose *poses,
                         SpragGrip *grip);
// Whether the shapes still meet with the gripped features.
bool sprag_collider_is_gripped(const SpragCollider *collider, int slot, const SpragGrip *grip,
                               const SpragPose *poses);
// As sprag_collider_create and _update for a model of dimension 3.
SPRAG_MUST_USE SpragStatus sprag_collider_create_space(const SpragModel *model,
                                                       const SpragPose *poses,
                                                       SpragCollider **collider);
SPRAG_MUST_USE SpragStatus sprag_collider_update_space(SpragCollider *collider,
                                                       const SpragPose *poses);
// Appends slots of all pairs of features that come nearer than `reach` (m) anywhere between the two
// configurations (`later` NULL: in the first one), by a broad phase of order n log n; *added: how
// many. Bodies are taken to move between them on arcs that leave the chord by at most `reach`.
SPRAG_MUST_USE SpragStatus sprag_collider_refresh(SpragCollider *collider, const SpragPose *poses,
                                                  const SpragPose *later, double reach, int *added);
// Slots that came nearer than `reach` in the last refresh, in ascending order; transient.
int sprag_collider_near(const SpragCollider *collider, const int **slots);
// Deepest overlap (metres, positive) of a moving body in another beyond `tolerance`.
bool sprag_collider_find_overlap_space(const SpragCollider *collider, const SpragPose *poses,
                                       double tolerance, int *slot, double *depth);
// Gap of a slot for placing bodies, see sprag_collider_placing_gap.
void sprag_collider_placing_space(const SpragCollider *collider, int slot, const SpragPose *poses,
                                  SpragSpaceGap *gap);

#ifdef __cplusplus
}
#endif

#endif

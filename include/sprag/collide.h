// collide.h: gaps, contact points, frames and their rates between the shapes of a planar model.
//
// A *slot* is a pair that can touch in one point: a round feature (a vertex with the radius of its
// shape) against another shape. Slots are found once for a model; names, friction and
// the side of a chain belong to the slot, so a contact keeps its identity while it lasts.
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
    int feature[2]; // vertex of shape[0]; vertex, segment or −1 of shape[1], as collide needs
    bool swapped;   // the round feature belongs to body[1]
    double side;    // chain: +1 if the free side is on the left of its direction, else −1
    double friction_static, friction_kinetic, stribeck;
    SpragRestitution restitution;
    bool compliance_given;
    SpragCompliance compliance;
    double surface_velocity[2]; // of body[1] minus body[0], world frame (belt)
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
} SpragGap;

// Finds all slots of the model. state is needed for the side of chains: position x, y, angle a body
// (3 entries each, fixed bodies included).
SPRAG_MUST_USE SpragStatus sprag_collider_create(const SpragModel *model, const double *pose,
                                                 SpragCollider **collider);
void sprag_collider_destroy(SpragCollider *collider);
int sprag_collider_slot_count(const SpragCollider *collider);
const SpragSlot *sprag_collider_slot(const SpragCollider *collider, int slot);
// Slot by name; −1 if there is none.
int sprag_collider_find_slot(const SpragCollider *collider, const char *name);
// Gap, frame and rates of one slot. pose and rate: 3 entries a body (x, y, angle and their rates).
void sprag_collider_gap(const SpragCollider *collider, int slot, const double *pose,
                        const double *rate, SpragGap *gap);
// Deepest overlap (metres, positive) of a moving body in another beyond `tolerance`, with the slot;
// false: none.
bool sprag_collider_find_overlap(const SpragCollider *collider, const double *pose,
                                 double tolerance, int *slot, double *depth);

#ifdef __cplusplus
}
#endif

#endif

// contact_mixed.h: islands of bearings and of contacts at rest in space (private to the room).
#ifndef SPRAG_CONTACT_MIXED_H
#define SPRAG_CONTACT_MIXED_H

#include "contact_space.h"

// The choice of a bearing with several tangents at rest of which it is open what it does.
enum { FREE = 2 };

typedef struct Mixed {
    SpragArena *arena;
    const SpragContactProblem *problem;
    const SpragMotionSettings *settings;
    Island *island;
    SpragMotionSearch *search; // of the islands without bearings
    SpragContactProblem part;
    bool hold;        // every bearing at rest sticks
    bool together;    // friction of every bearing at rest is a load
    int *choice;      // per constraint of the island: 0 sticks, ±1 slides, FREE
    int *from;        // row of the problem, for each row of the part; −1: a coordinate of its own
    int *first;       // first constraint of the part, for each of the island
    int *at;          // first load, for each of the island
    int loads;        // pressures of bearings that are not held, or the frictions of balls
    double *load;     // these
    double *force;    // row_count of the problem
    SpragMode *modes; // of the part
    // per load: that of a motion less the one it was found under, the same one step ago, steps; and
    // the matrix of the steps
    double *defect, *old, *step, *change, *along, *B;
    bool above, below; // signs of the defects of the motions last found
    // balls: FREE bearings whose friction is a load
    int ball_count, ball_rows;
    SpragRubbing *balls;
    int *ball_source; // row of the problem, for each row of the balls
    double *ball_W, *ball_x, *ball_u;
    long nodes, leaves;
} Mixed;

const SpragConstraint *mixed_item(const Mixed *mixed, int i);
bool mixed_rubs(const SpragConstraint *item);
// Bearing i is FREE: with two tangents it is a contact of the part, with three its friction a load;
// together all are loads.
bool mixed_is_disc(const Mixed *mixed, int i);
bool mixed_is_ball(const Mixed *mixed, int i);
// Its pressure, or its friction, is a load.
bool mixed_is_loaded(const Mixed *mixed, int i);

// contact_mixed_part.c: the island without bearings, as they are chosen.
SPRAG_MUST_USE SpragStatus mixed_build_part(Mixed *mixed);
// Adds the motion of the island that a motion of the part is, unless bearings or the settings are
// against it, or it is there.
SPRAG_MUST_USE SpragStatus mixed_keep(Mixed *mixed, const SpragMotion *source);

// contact_mixed.c: room for any choice of the island.
SPRAG_MUST_USE SpragStatus mixed_create(Mixed *mixed);
// Loads of the choices, all 0, for a part that was built.
SPRAG_MUST_USE SpragStatus mixed_begin(Mixed *mixed);
// Loads, all of which are frictions of balls whose slips without them are known (mixed_compare),
// that hold every one of them inside of its cone, if such are found.
SPRAG_MUST_USE SpragStatus mixed_hold(Mixed *mixed);
// b of the part under the loads.
void mixed_load(Mixed *mixed);
// Friction of bearing i along tangent k, if it is a load.
double mixed_friction(const Mixed *mixed, int i, int k);
// The loads that a motion of the part asks for less those that it was found under: mixed->defect;
// the largest of them, relative.
double mixed_compare(Mixed *mixed, const SpragMotion *motion);
// Looks for loads that agree under the settings, which have modes; *found false: there are none, or
// the modes end.
SPRAG_MUST_USE SpragStatus mixed_converge(Mixed *mixed, const SpragMotionSettings *settings,
                                          bool *found);

#endif

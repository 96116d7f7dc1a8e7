// system_place.h: least change of a state so that conditions hold; used by system_start.c.
#ifndef SPRAG_SYSTEM_PLACE_H
#define SPRAG_SYSTEM_PLACE_H

#include "joint_private.h"

typedef enum Level { POSITIONS, VELOCITIES } Level;

// One number that must have a value.
typedef struct Condition {
    int line; // of `start`; −1: a contact that is closed within tolerance, or a joint
    int slot; // the contact; −1: a point or a joint
    int axis; // contact: 0 normal, 1 tangential (space: 2 the other); point: 0 x, 1 y, 2 z
    double target;
    int row; // of the joints, plus one; 0: none
} Condition;

typedef struct Placing {
    SpragSystem *system;
    SpragArena *arena;
    Level level;
    int nudge;       // axis about which bodies are turned before they are placed; −1: none
    int attempt;     // to hang bodies on their joints before they are placed; 0: as they stand
    int *slots;      // chosen for each line; −1: none
    int *candidates; // one a contact
    int candidate_capacity;
    Condition *conditions;
    int condition_count;
    double *metric;         // B, velocity_count; 0: stays
    double *J, *BJ, *G;     // conditions × n, conditions²
    double *r, *x, *change; // conditions
    int *order;
    double *anchor;             // position_count, or velocity_count
    double *trial, *difference; // velocity_count
} Placing;

// Room for `count` conditions.
SpragStatus place_reserve(Placing *placing, int count);
// Which angles (or spins) may change.
typedef enum Turning {
    TURN_NONE,
    TURN_MOVING, // spins that the file does not give, of bodies to which it gives a velocity
    TURN_FREE,   // those that the file does not give
    TURN_ALL
} Turning;

// Weights: translations always, angles as said. False: nothing may turn.
bool place_set_metric(Placing *placing, Turning turning);
// Residuals and rows at (q, v); the largest residual (INFINITY: a contact cannot touch there).
double place_evaluate(Placing *placing, const double *q, const double *v);
// Steps that keep to the shortest way from the anchor; the largest residual at q.
double place_solve_anchored(Placing *placing, double exact, double *q);
// Plain steps, halved until the residual falls; the largest residual at q.
double place_solve_damped(Placing *placing, double exact, double *q);
// A few plain steps as long as they make the residual smaller: what the others leave, to rounding.
void place_refine(Placing *placing, double *q);
// system_place_joint.c: rows of joints as conditions; a position that `start` wants.
void place_add_joints(Placing *placing);
void place_add_joint_line(Placing *placing, int line);
// The joint of a condition; ERROR_INPUT and a sentence that names it with the loop that it closes.
const SpragJoint *place_joint_of(const Placing *placing, int condition);
SpragStatus place_refuse_joint(const Placing *placing, int condition);
// Joints that hold bodies as they stand do so from now on.
SpragStatus place_take_joints(Placing *placing, const double *q);
// Whole turns of joints begin with the positions that `start` or a drive says, else below half a
// turn.
void place_count_turns(Placing *placing, double *q);
// Poses at which joints that make no loop fit; further attempts turn them in other ways.
void place_hang(Placing *placing, double *q);
// Whether axes of some joint agree the wrong way round.
bool place_is_flipped(Placing *placing, const double *q);
// Gap of a limit in metres (an angle times the size) at the state last set; INFINITY: no limit.
double place_limit_gap(SpragSystem *system, int contact);
// Velocities from the anchor's (linear); the largest residual.
double place_solve_velocities(Placing *placing, const double *q, double *v);

// A line of `start`.
static inline const SpragStart *place_line(const Placing *placing, int line)
{
    return &placing->system->model->starts[line];
}

// system_start_refuse.c: ERROR_INPUT and a sentence. Of a line: "file:31:5: start: " before it.
SpragStatus place_refuse(const Placing *placing, int line, const char *format, ...)
    SPRAG_PRINTF(3, 4);
// No contact has the name, or is between the bodies, that a line gives.
SpragStatus place_refuse_name(const Placing *placing, int line);
// The condition that is furthest from being met.
SpragStatus place_refuse_worst(const Placing *placing);
// Joints, overlaps and limits at the state last set; OK: there is nothing to refuse.
SpragStatus place_refuse_flipped(const Placing *placing);
SpragStatus place_refuse_overlap(const Placing *placing, double tolerance);
SpragStatus place_refuse_limits(const Placing *placing, double tolerance);

#endif

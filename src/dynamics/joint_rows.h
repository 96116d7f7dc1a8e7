// joint_rows.h: ends of joints and the rows that they make (private to the room).
#ifndef SPRAG_JOINT_ROWS_H
#define SPRAG_JOINT_ROWS_H

#include "joint_private.h"

// One end of a joint at the state last set.
typedef struct End {
    SpragVec3 x;                // its place
    SpragVec3 centre, v, w;     // of its body
    SpragMat3 axes;             // in the world
    double angle;               // plane: of its body
    int block;                  // of velocities; −1: none
    const double *acceleration; // of a driven body, six; else NULL
} End;

// A row before it is given to the bodies.
typedef struct Raw {
    SpragVec3 linear[2], angular[2];
    double value, bias;
    bool angle;
} Raw;

// joint_ends.c: an end at the state last set; the same of both ends.
void joint_end_state(const SpragSystem *system, int joint, int side, End *end);
void joint_ends(const SpragSystem *system, int joint, End ends[2]);

// joint_pair_row.c: gives a row to the bodies.
void raw_finish(const SpragSystem *system, const End ends[2], const Raw *raw, PairRow *row);

#endif

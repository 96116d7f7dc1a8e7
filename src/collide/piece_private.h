// piece_private.h: cores of pieces placed in the world, and the search for their nearest places.
#ifndef SPRAG_PIECE_PRIVATE_H
#define SPRAG_PIECE_PRIVATE_H

#include "space_private.h"

// A placed piece without its radius: a curve s ↦ c(s), a point or a plane, and one place c of it.
typedef struct Core {
    SpragPieceKind kind;
    const SpragPose *pose;
    SpragVec3 x, a;          // point or centre; axis
    double size;             // of a circle
    double radius;           // around the core
    double angle;            // of a circle that meets a circle: which crossing
    bool hole;               // of a circle: the edge of a hole
    SpragVec3 across;        // a circle: some direction across its axis, fixed in the body
    SpragVec3 c;             // the place
    SpragVec3 e;             // a circle: direction from its centre to c
    bool level;              // a circle that lies flat over a plane: e means nothing
    SpragVec3 tangent, bend; // dc/ds, d²c/ds²; zero for a point
    SpragVec3 c_rate, tangent_rate;
} Core;

void core_place_line(Core *line, double along);
void core_place_circle(Core *circle, SpragVec3 e);

// Places of a point or circle over a plane; false: the pair has no gap.
bool place_over_plane(Core *p, Core *plane);
// Nearest places of a point or line and a line; of a point, line or circle and a circle. Farthest
// ones where a radius is negative.
bool place_line(Core *p, Core *line);
bool place_circle(Core *p, Core *circle);

#endif

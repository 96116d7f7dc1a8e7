// bodies.h: the state of bodies as results show it, in the plane and in space.
#ifndef SPRAG_TOOL_BODIES_H
#define SPRAG_TOOL_BODIES_H

#include "json.h"
#include "print.h"
#include "sprag/dynamics.h"

typedef struct BodyState {
    bool space, moves;
    double position[3], velocity[3]; // of the centre of mass
    double angle, spin;              // plane
    double orientation[4];           // space: quaternion w x y z
    double angular[3];               // space: angular velocity, world
} BodyState;

// A fixed body's is the scene's, a driven one's what its drive says at t.
BodyState body_state(const SpragSystem *system, int body, double t, const double *q,
                     const double *v);
// Cells of its row in a table, whose heads are `heads` (`count` of them, right-aligned): three
// numbers of the plane each by itself, vectors of space each in one cell.
typedef struct BodyHeads {
    const char *heads[6];
    int count;
} BodyHeads;
BodyHeads body_heads(bool space);
void body_add_cells(Table *table, const BodyState *state);
// Velocities alone: heads and cells.
BodyHeads body_velocity_heads(bool space);
// velocity: the body's part of v.
void body_add_velocity_cells(Table *table, bool space, const double *velocity);
// position, angle | orientation; velocity, spin.
void body_json_place(Json *json, const BodyState *state);
void body_json_velocity(Json *json, bool space, const double *velocity);
// "(1, 2, 3)" with 0 for what is negligible beside `scale`.
void body_add_vector(Table *table, int count, const double *vector, double scale);
// What the velocities of a body are of: x, y, angle; in space x, y, z, rx, ry, rz. *count of them.
const char *const *body_axes(bool space, int *count);

#endif

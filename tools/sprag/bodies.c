// bodies.c: the state of bodies as results show it.
#include "bodies.h"

#include <stdio.h>
#include <string.h>

static bool is_space(const SpragSystem *system)
{
    return sprag_system_dimension(system) == 3;
}

static void take_numbers(const double *q, const double *v, BodyState *state)
{
    size_t straight = state->space ? 3 : 2;
    memcpy(state->position, q, straight * sizeof *q);
    memcpy(state->velocity, v, straight * sizeof *v);
    if (state->space) {
        memcpy(state->orientation, q + 3, sizeof state->orientation);
        memcpy(state->angular, v + 3, sizeof state->angular);
    } else {
        state->angle = q[2];
        state->spin = v[2];
    }
}

BodyState body_state(const SpragSystem *system, int body, double t, const double *q,
                     const double *v)
{
    int first = sprag_system_body_coordinate(system, body);
    BodyState state = {.space = is_space(system), .moves = first >= 0};
    if (state.moves) {
        take_numbers(q + sprag_system_body_position(system, body), v + first, &state);
        return state;
    }
    double place[7] = {0}, rate[6] = {0};
    sprag_system_driven_state(system, body, t, place, rate);
    take_numbers(place, rate, &state);
    return state;
}

BodyHeads body_heads(bool space)
{
    const BodyHeads plane = {
        {"x [m]", "y [m]", "angle [rad]", "vx [m/s]", "vy [m/s]", "spin [rad/s]"}, 6};
    const BodyHeads spatial = {{"position [m]", "quaternion", "velocity [m/s]", "spin [rad/s]"}, 4};
    return space ? spatial : plane;
}

BodyHeads body_velocity_heads(bool space)
{
    const BodyHeads plane = {{"vx [m/s]", "vy [m/s]", "spin [rad/s]"}, 3};
    const BodyHeads spatial = {{"velocity [m/s]", "spin [rad/s]"}, 2};
    return space ? spatial : plane;
}

void body_add_vector(Table *table, int count, const double *vector, double scale)
{
    char cell[4 * NUMBER_BYTES + 16] = "", number[NUMBER_BYTES];
    size_t length = 0;
    for (int k = 0; k < count && k < 4; k++)
        length += (size_t)snprintf(cell + length, sizeof cell - length, "%s%s", k ? ", " : "(",
                                   print_clean(vector[k], scale, number));
    table_add(table, "%s)", cell);
}

void body_add_velocity_cells(Table *table, bool space, const double *velocity)
{
    for (int k = 0; !space && k < 3; k++)
        table_add_clean(table, velocity[k], 1);
    if (!space)
        return;
    body_add_vector(table, 3, velocity, 1);
    body_add_vector(table, 3, velocity + 3, 1);
}

void body_add_cells(Table *table, const BodyState *state)
{
    if (state->space) {
        body_add_vector(table, 3, state->position, 1);
        body_add_vector(table, 4, state->orientation, 1);
        body_add_vector(table, 3, state->velocity, 1);
        body_add_vector(table, 3, state->angular, 1);
        return;
    }
    const double numbers[] = {state->position[0], state->position[1], state->angle,
                              state->velocity[0], state->velocity[1], state->spin};
    for (int k = 0; k < 6; k++)
        table_add_clean(table, numbers[k], 1);
}

void body_json_place(Json *json, const BodyState *state)
{
    json_numbers(json, "position", state->space ? 3 : 2, state->position);
    if (state->space)
        json_numbers(json, "orientation", 4, state->orientation);
    else
        json_number(json, "angle", state->angle);
}

void body_json_velocity(Json *json, bool space, const double *velocity)
{
    json_numbers(json, "velocity", space ? 3 : 2, velocity);
    if (space)
        json_numbers(json, "spin", 3, velocity + 3);
    else
        json_number(json, "spin", velocity[2]);
}

const char *const *body_axes(bool space, int *count)
{
    static const char *const plane[] = {"x", "y", "angle"};
    static const char *const spatial[] = {"x", "y", "z", "rx", "ry", "rz"};
    *count = space ? 6 : 3;
    return space ? spatial : plane;
}

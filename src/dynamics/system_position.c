// system_position.c: positions apart from velocities: rates, shifts and differences of q.
// Problem   q' from v. In the plane and for user-defined systems q' = v; a body in space has the
//           positions x, y, z and a quaternion, and the velocities v and ω in the world's frame
// Method    Q' = ½ (0, ω) Q, and a shift turns by exp: Q ← exp(θ) Q, theory.md 13.3. The difference
//           of two is the rotation vector of Q_to Q_from⁻¹, of the two that of less than half a
//           turn.
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

static SpragQuaternion quaternion_at(const double *q)
{
    SpragQuaternion quaternion = {q[0], q[1], q[2], q[3]};
    return quaternion;
}

static void quaternion_to(SpragQuaternion quaternion, double *q)
{
    q[0] = quaternion.w;
    q[1] = quaternion.x;
    q[2] = quaternion.y;
    q[3] = quaternion.z;
}

static int space_bodies(const SpragSystem *system)
{
    return system->velocity_count / SPACE_VELOCITIES;
}

int sprag_system_position_count(const SpragSystem *system)
{
    return is_spatial(system) ? SPACE_POSITIONS * space_bodies(system) + turns_count(system)
                              : system->velocity_count;
}

int sprag_system_body_position(const SpragSystem *system, int body)
{
    int first = sprag_system_body_coordinate(system, body);
    return first < 0 || !is_spatial(system) ? first : first / SPACE_VELOCITIES * SPACE_POSITIONS;
}

void sprag_system_position_rate(const SpragSystem *system, const double *q, const double *v,
                                double *rate)
{
    if (!is_spatial(system)) {
        memcpy(rate, v, (size_t)system->velocity_count * sizeof *rate);
        return;
    }
    turns_rate(system, q, v, rate);
    for (int i = 0; i < space_bodies(system);
         i++, q += SPACE_POSITIONS, v += SPACE_VELOCITIES, rate += SPACE_POSITIONS) {
        memcpy(rate, v, 3 * sizeof *rate);
        quaternion_to(sprag_quaternion_rate(quaternion_at(q + 3), sprag_vec3_of(v + 3)), rate + 3);
    }
}

void sprag_system_position_shift(const SpragSystem *system, const double *shift, double *q)
{
    if (!is_spatial(system)) {
        for (int i = 0; i < system->velocity_count; i++)
            q[i] += shift[i];
        return;
    }
    turns_shift(system, shift, q);
    for (int i = 0; i < space_bodies(system);
         i++, q += SPACE_POSITIONS, shift += SPACE_VELOCITIES) {
        for (int k = 0; k < 3; k++)
            q[k] += shift[k];
        SpragVec3 turn = sprag_vec3_of(shift + 3);
        // a body that does not turn keeps its quaternion to the last bit
        if (turn.x != 0 || turn.y != 0 || turn.z != 0)
            quaternion_to(
                sprag_quaternion_product(sprag_quaternion_exp(turn), quaternion_at(q + 3)), q + 3);
    }
}

// Rotation vector of Q, of at most half a turn.
static SpragVec3 rotation_vector(SpragQuaternion Q)
{
    SpragVec3 part = sprag_vec3(Q.x, Q.y, Q.z);
    double sine = sprag_vec3_norm(part), cosine = Q.w;
    if (cosine < 0) {
        cosine = -cosine;
        part = sprag_vec3_scale(-1, part);
    }
    // angle/sin(angle/2) → 2/cos(angle/2) for small angles
    double factor = sine > 0 ? 2 * atan2(sine, cosine) / sine : cosine > 0 ? 2 / cosine : 0;
    return sprag_vec3_scale(factor, part);
}

void sprag_system_block_difference(const SpragSystem *system, const double *from, const double *to,
                                   double *shift)
{
    for (int k = 0; k < 3; k++)
        shift[k] = to[k] - from[k];
    if (!is_spatial(system))
        return;
    SpragQuaternion back = {from[3], -from[4], -from[5], -from[6]};
    SpragQuaternion turn = sprag_quaternion_product(quaternion_at(to + 3), back);
    sprag_vec3_to(rotation_vector(turn), shift + 3);
}

void sprag_system_position_difference(const SpragSystem *system, const double *from,
                                      const double *to, double *shift)
{
    if (!is_spatial(system)) {
        for (int i = 0; i < system->velocity_count; i++)
            shift[i] = to[i] - from[i];
        return;
    }
    for (int i = 0; i < space_bodies(system);
         i++, from += SPACE_POSITIONS, to += SPACE_POSITIONS, shift += SPACE_VELOCITIES)
        sprag_system_block_difference(system, from, to, shift);
}

void sprag_system_position_normalise(const SpragSystem *system, double *q)
{
    if (!is_spatial(system))
        return;
    double *place = q;
    for (int i = 0; i < space_bodies(system); i++, place += SPACE_POSITIONS)
        quaternion_to(sprag_quaternion_unit(quaternion_at(place + 3)), place + 3);
    turns_settle(system, q);
}

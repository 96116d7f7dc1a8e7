// system_turn.c: rotation of bodies in space in a step of time stepping.
// Problem   orientations and angular velocities after a step, the momentum of a free body kept to
//           rounding and its energy in the long run, however thin it is
// Method    angular momentum about the centre of mass is what a step changes, and a body turns as a
//           free one of that momentum would, by turns about its axes and about the momentum,
//           theory.md (11.45): explicit, symmetric, exact for bodies with two equal moments. Bodies
//           that turn otherwise keep their energy (11.46).
#include <math.h>

#include "joint_private.h"

// I⁻¹ L of a body turned by R, with the spin about an axis without inertia put back.
static SpragVec3 angular_velocity(const SpaceBody *body, const SpragMat3 *R, SpragVec3 L,
                                  SpragVec3 idle)
{
    SpragVec3 own = sprag_mat3_apply(&body->inverse_tensor, sprag_mat3_apply_back(R, L));
    return sprag_mat3_apply(R, sprag_vec3_add(own, idle));
}

// Part of the spin that has no momentum, in the body's frame.
static SpragVec3 idle_spin(const SpaceBody *body, const SpragMat3 *R, SpragVec3 w)
{
    SpragVec3 own = sprag_mat3_apply_back(R, w);
    SpragVec3 felt = sprag_mat3_apply(&body->tensor, own);
    return sprag_vec3_sub(own, sprag_mat3_apply(&body->inverse_tensor, felt));
}

// The rotation that has turned a body by Q, the vector of it that is nearest to `near`.
static SpragVec3 rotation_vector(SpragQuaternion Q, SpragVec3 near)
{
    const double circle = 2 * 3.14159265358979323846;
    SpragVec3 v = sprag_vec3(Q.x, Q.y, Q.z);
    double size = sprag_vec3_norm(v);
    if (!(size > 0))
        return sprag_vec3(0, 0, 0);
    double angle = 2 * atan2(size, Q.w), wanted = sprag_vec3_dot(v, near) / size;
    angle += circle * round((wanted - angle) / circle);
    return sprag_vec3_scale(angle / size, v);
}

// Turns a body by `angle` about its principal axis k; p, its momentum along these axes, stays where
// it is in the world.
static SpragQuaternion turn_about(int k, double angle, SpragQuaternion Q, double p[3])
{
    double axis[3] = {0}, c = cos(angle), s = sin(angle);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double before = p[i];
    axis[k] = angle;
    p[i] = c * before + s * p[j];
    p[j] = c * p[j] - s * before;
    return sprag_quaternion_product(Q, sprag_quaternion_exp(sprag_vec3_of(axis)));
}

// The mean angular velocity of a free rotation of length h with momentum L, theory.md (11.45).
static SpragVec3 mean_spin(const SpaceBody *item, const SpragMat3 *R, double h, SpragVec3 L,
                           SpragVec3 w)
{
    const double *I = item->moments;
    SpragMat3 axes = sprag_mat3_product(R, &item->axes);
    SpragVec3 idle = sprag_mat3_apply_back(&axes, w);
    double p[3], part[3] = {0};
    if (!(I[1] > 0) || !(h > 0))
        return w;
    sprag_vec3_to(sprag_mat3_apply_back(&axes, L), p);
    for (int k = 0; k < 3; k += 2)
        part[k] = I[k] > 0 ? 1 / I[k] - 1 / I[1] : 0;
    SpragQuaternion start = sprag_quaternion_of(&axes);
    SpragQuaternion Q = turn_about(2, h / 2 * part[2] * p[2], start, p);
    Q = turn_about(0, h * (I[0] > 0 ? part[0] * p[0] : idle.x), Q, p);
    Q = turn_about(2, h / 2 * part[2] * p[2], Q, p);
    Q = sprag_quaternion_product(sprag_quaternion_exp(sprag_vec3_scale(h / I[1], L)), Q);
    SpragQuaternion back = {start.w, -start.x, -start.y, -start.z};
    SpragVec3 turn = rotation_vector(sprag_quaternion_product(Q, back), sprag_vec3_scale(h, w));
    return sprag_vec3_scale(1 / h, turn);
}

void space_free_spin(const SpragSystem *system, int block, double h, const double *torque,
                     const double *v, double *after, double *mean)
{
    int body = system->free_body[block];
    const SpaceBody *item = &system->space[body];
    const SpragMat3 *R = &system->poses[body].R;
    SpragVec3 w = sprag_vec3_of(v), push = sprag_vec3_of(torque);
    if (item->same > 0) { // however it turns
        sprag_vec3_to(sprag_vec3_along(w, h / item->same, push), after);
        sprag_vec3_to(sprag_vec3_along(w, h / 2 / item->same, push), mean);
        return;
    }
    SpragVec3 L = sprag_mat3_apply(&item->inertia, w);
    SpragVec3 idle = idle_spin(item, R, w);
    SpragVec3 whole = sprag_vec3_along(L, h, push), half = sprag_vec3_along(L, h / 2, push);
    sprag_vec3_to(angular_velocity(item, R, whole, idle), after);
    sprag_vec3_to(mean_spin(item, R, h, half, w), mean);
}

// Momentum p along the principal axes changes as little as can be until the energy of its rotation
// has fallen to half of `twice`: p/(1 + ν/I) with the ν of (11.46), theory.md. Newton's method on
// the root of the inverse energy, which is nearly straight, comes to it from below.
static void lower_energy(const double I[3], double twice, double p[3])
{
    enum { MOST = 60 };
    const double rounding = 1e-14;
    double nu = 0, now[3] = {0};
    for (int i = 0; i < MOST; i++) {
        double energy = 0, slope = 0;
        for (int k = 0; k < 3; k++) {
            now[k] = I[k] > 0 ? p[k] * I[k] / (I[k] + nu) : 0;
            double part = I[k] > 0 ? now[k] * now[k] / I[k] : 0;
            energy += part;
            slope += I[k] > 0 ? part / (I[k] + nu) : 0;
        }
        if (!(energy - twice > rounding * twice) || !(slope > 0))
            break;
        nu += energy / slope * (sqrt(energy / twice) - 1);
    }
    for (int k = 0; k < 3; k++)
        p[k] = now[k];
}

// The spin at R of a body that was hit: of its momentum L, and `twice` its energy. A momentum that
// is off by the angle of a step can belong to a spin about an axis with hardly any inertia, and
// scaling alone would leave such a body nothing else.
static SpragVec3 spin_after_hit(const SpaceBody *body, const SpragMat3 *R, SpragVec3 L,
                                double twice, SpragVec3 idle)
{
    SpragVec3 spin = angular_velocity(body, R, L, idle);
    double energy = sprag_vec3_dot(spin, L), p[3];
    if (!(energy > 0) || !(twice > 0))
        return spin;
    if (energy <= twice)
        return sprag_vec3_scale(sqrt(twice / energy), spin);
    sprag_vec3_to(sprag_mat3_apply_back(&body->axes, sprag_mat3_apply_back(R, L)), p);
    lower_energy(body->moments, twice, p);
    for (int k = 0; k < 3; k++)
        p[k] = body->moments[k] > 0 ? p[k] / body->moments[k] : 0;
    SpragVec3 own = sprag_mat3_apply(&body->axes, sprag_vec3_of(p));
    return sprag_mat3_apply(R, sprag_vec3_add(own, idle));
}

// ---- Bodies of a system -------------------------------------------------------------------------

// A body that is turned from one orientation to another.
typedef struct Turned {
    const SpaceBody *item;
    SpragPose from, to;
    SpragVec3 L, idle; // momentum; spin without one
    double twice;      // the energy of its rotation
} Turned;

// False: turning does nothing to its spin.
static bool take_turned(const SpragSystem *system, int block, const double *q, const double *later,
                        const double *spin, Turned *body)
{
    const double *here = q + SPACE_POSITIONS * block, *there = later + SPACE_POSITIONS * block;
    bool still = true;
    for (int k = 3; k < SPACE_POSITIONS; k++)
        still &= here[k] == there[k];
    body->item = &system->space[system->free_body[block]];
    if (body->item->same > 0 || still || (spin[0] == 0 && spin[1] == 0 && spin[2] == 0))
        return false;
    sprag_pose_set(here, NULL, &body->from);
    sprag_pose_set(there, NULL, &body->to);
    SpragVec3 w = sprag_vec3_of(spin), own = sprag_mat3_apply_back(&body->from.R, w);
    body->L = sprag_mat3_apply(&body->from.R, sprag_mat3_apply(&body->item->tensor, own));
    body->idle = idle_spin(body->item, &body->from.R, w);
    body->twice = sprag_vec3_dot(w, body->L);
    return true;
}

void sprag_system_carry(const SpragSystem *system, const double *q, const double *later,
                        double *gain, double *v)
{
    Turned body;
    for (int k = 0; is_spatial(system) && k < system->velocity_count / SPACE_VELOCITIES; k++) {
        double *spin = v + SPACE_VELOCITIES * k + 3;
        bool turns = take_turned(system, k, q, later, spin, &body);
        SpragVec3 w = sprag_vec3_of(spin);
        if (turns)
            w = angular_velocity(body.item, &body.to.R, body.L, body.idle);
        if (gain)
            gain[k] = turns ? sprag_vec3_dot(w, body.L) - body.twice : 0;
        sprag_vec3_to(w, spin);
    }
}

void sprag_system_turn(const SpragSystem *system, const double *q, const double *later,
                       const bool *keep, const double *gain, double *v)
{
    Turned body;
    for (int k = 0; is_spatial(system) && k < system->velocity_count / SPACE_VELOCITIES; k++) {
        double *spin = v + SPACE_VELOCITIES * k + 3;
        if (!take_turned(system, k, q, later, spin, &body))
            continue;
        SpragVec3 w = angular_velocity(body.item, &body.to.R, body.L, body.idle);
        if (keep[k])
            w = spin_after_hit(body.item, &body.to.R, body.L, body.twice - gain[k], body.idle);
        sprag_vec3_to(w, spin);
    }
}

void sprag_system_free_turn(const SpragSystem *system, double h, const double *q, const double *at,
                            const bool *which, const double *v, double *mean)
{
    for (int k = 0; is_spatial(system) && k < system->velocity_count / SPACE_VELOCITIES; k++) {
        const SpaceBody *item = &system->space[system->free_body[k]];
        SpragVec3 w = sprag_vec3_of(v + SPACE_VELOCITIES * k + 3);
        if (!which[k] || item->same > 0)
            continue;
        SpragPose from, there;
        sprag_pose_set(q + SPACE_POSITIONS * k, NULL, &from);
        sprag_pose_set(at + SPACE_POSITIONS * k, NULL, &there);
        SpragVec3 own = sprag_mat3_apply(&item->tensor, sprag_mat3_apply_back(&there.R, w));
        SpragVec3 L = sprag_mat3_apply(&there.R, own);
        sprag_vec3_to(mean_spin(item, &from.R, h, L, w), mean + SPACE_VELOCITIES * k + 3);
    }
}

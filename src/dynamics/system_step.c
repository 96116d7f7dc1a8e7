// system_step.c: what time stepping asks of a model: rows by bodies, and a step without contacts.
// Problem   rows of a contact for the two bodies that it touches; velocities and mean velocities of
//           a step h under all forces but those of contacts, theory.md (11.22), (11.23)
// Method    forces at the configuration (1 − θ) h further: with θ = 1/2 the leap-frog, with θ = 1
//           and 0 the two symplectic Euler methods. In space the angular momentum about the centre
//           of mass is what a step changes, and a body turns as a free one of this momentum would,
//           by turns about its axes and about the momentum (11.45): explicit, symmetric, and exact
//           for bodies with two equal moments.
#include <math.h>
#include <string.h>

#include "joint_private.h"

SpragStatus sprag_system_set_state(SpragSystem *system, double t, const double *q, const double *v)
{
    if (!system->model)
        return sprag_fail(system->context, SPRAG_ERROR_ARGUMENT,
                          "time stepping needs the bodies of a model");
    SPRAG_TRY(system_set_state(system, t, q, v));
    if (system->joints)
        joints_evaluate(system);
    return SPRAG_OK;
}

static double distance_of(const SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0) // what a joint has is at hand
        return -INFINITY;
    if (is_spatial(system))
        return sprag_collider_space_distance(system->collider, slot, system->poses,
                                             space_grip(system, slot));
    return sprag_collider_distance(system->collider, slot, system->frames);
}

double sprag_system_contact_depth(const SpragSystem *system, int contact)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0)
        return -INFINITY;
    if (!is_spatial(system))
        return sprag_collider_depth(system->collider, slot, system->frames);
    double depth = -distance_of(system, contact);
    if (!(depth > 0))
        return depth;
    double whole = sprag_collider_shape_distance(system->collider, slot, system->poses);
    return whole < INFINITY ? fmin(depth, -whole) : depth;
}

// All of a contact but biases; false: its gap is larger than the limit.
static bool evaluate(const SpragSystem *system, int contact, double limit, Evaluation *evaluation)
{
    int slot = contact - system->joint_contacts;
    const SpragSlot *shown = slot < 0 ? NULL : sprag_collider_slot(system->collider, slot);
    if (slot < 0) {
        joint_contact_read(system, contact, evaluation);
    } else if (is_spatial(system)) {
        SpragSpaceGap gap;
        sprag_collider_space_frame(system->collider, slot, system->poses, space_grip(system, slot),
                                   &gap);
        if (!(gap.gap <= limit) || !isfinite(gap.gap))
            return false;
        space_contact(system, &gap, shown, evaluation);
    } else {
        SpragGap gap;
        if (!(sprag_collider_distance(system->collider, slot, system->frames) <= limit))
            return false;
        sprag_collider_gap_framed(system->collider, slot, system->frames, &gap);
        model_contact(system, &gap, shown, evaluation);
    }
    return evaluation->gap <= limit;
}

bool sprag_system_contact_block(const SpragSystem *system, int contact, double limit,
                                SpragContactBlock *block)
{
    Evaluation evaluation;
    if (!evaluate(system, contact, limit, &evaluation))
        return false;
    block->gap = evaluation.gap;
    block->gap_rate = evaluation.gap_rate;
    memcpy(block->slip, evaluation.slip, sizeof block->slip);
    for (int r = 0; r < MOST_ROWS; r++)
        block->drift[r] = r < evaluation.row_count ? contact_drift(&evaluation, r) : 0;
    block->friction[0] = mu_at(&evaluation, false);
    block->friction[1] = mu_at(&evaluation, true);
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
        block->body[side] = evaluation.block[side];
        for (int r = 0; block->body[side] >= 0 && r < evaluation.row_count; r++)
            memcpy(block->rows[side][r], evaluation.entries[r][side],
                   (size_t)body_size(system) * sizeof(double));
    }
    return true;
}

void sprag_system_inertia_block(const SpragSystem *system, int block, double *inverse)
{
    int size = body_size(system);
    memset(inverse, 0, (size_t)(size * size) * sizeof *inverse);
    body_block(system, block, inverse);
}

// ---- Rotation in space --------------------------------------------------------------------------

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
static SpragVec3 mean_spin(const SpragSystem *system, int body, double h, SpragVec3 L, SpragVec3 w)
{
    const SpaceBody *item = &system->space[body];
    const double *I = item->moments;
    SpragMat3 axes = sprag_mat3_product(&system->poses[body].R, &item->axes);
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

static void free_spin(SpragSystem *system, int block, double h, const double *torque,
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
    sprag_vec3_to(mean_spin(system, body, h, half, w), mean);
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

double sprag_system_turn(SpragSystem *system, const double *q, const double *later, const bool *hit,
                         const bool *tied, double *v)
{
    double lost = 0;
    if (!is_spatial(system))
        return 0;
    for (int k = 0; k < system->velocity_count / SPACE_VELOCITIES; k++) {
        const SpaceBody *item = &system->space[system->free_body[k]];
        double *spin = v + SPACE_VELOCITIES * k + 3;
        if (item->same > 0 || (spin[0] == 0 && spin[1] == 0 && spin[2] == 0))
            continue;
        SpragPose from, to;
        sprag_pose_set(q + SPACE_POSITIONS * k, NULL, &from);
        sprag_pose_set(later + SPACE_POSITIONS * k, NULL, &to);
        SpragVec3 w = sprag_vec3_of(spin), own = sprag_mat3_apply_back(&from.R, w);
        SpragVec3 L = sprag_mat3_apply(&from.R, sprag_mat3_apply(&item->tensor, own));
        SpragVec3 idle = idle_spin(item, &from.R, w), turned;
        double before = sprag_vec3_dot(w, L);
        if (hit && hit[k]) {
            turned = spin_after_hit(item, &to.R, L, before, idle);
        } else {
            turned = angular_velocity(item, &to.R, L, idle);
            lost += tied && tied[k] ? (before - sprag_vec3_dot(turned, L)) / 2 : 0;
        }
        sprag_vec3_to(turned, spin);
    }
    return lost;
}

// ---- The step -----------------------------------------------------------------------------------

// Forces with no gyroscopic term: momentum takes its place.
static void forces_at(SpragSystem *system, double *force)
{
    model_force(system, force);
    for (int k = 0; is_spatial(system) && k < system->velocity_count / SPACE_VELOCITIES; k++) {
        int body = system->free_body[k];
        SpragVec3 w = system->poses[body].w;
        SpragVec3 gyroscopic =
            sprag_vec3_cross(sprag_mat3_apply(&system->space[body].inertia, w), w);
        double *torque = force + SPACE_VELOCITIES * k + 3;
        sprag_vec3_to(sprag_vec3_sub(sprag_vec3_of(torque), gyroscopic), torque);
    }
}

SpragStatus sprag_system_free_step(SpragSystem *system, double t, double h, double theta,
                                   const double *q, const double *v, double *after, double *mean)
{
    int n = system->velocity_count, size = body_size(system);
    size_t positions = (size_t)sprag_system_position_count(system);
    double *force = system_work(system, 2 * (size_t)n + positions);
    if (!force)
        return SPRAG_ERROR_MEMORY;
    double *shift = force + n, *middle = force + 2 * n;
    for (int i = 0; i < n; i++)
        shift[i] = (1 - theta) * h * v[i];
    memcpy(middle, q, positions * sizeof *middle);
    sprag_system_position_shift(system, shift, middle);
    SPRAG_TRY(system_set_state(system, t + (1 - theta) * h, middle, v));
    forces_at(system, force);
    SPRAG_TRY(system_set_state(system, t, q, v));
    for (int i = 0; i < n; i++) {
        after[i] = v[i] + h * system->inverse_mass[i] * force[i];
        mean[i] = (1 - theta) * v[i] + theta * after[i];
    }
    for (int i = 0; is_spatial(system) && i < n; i += size)
        free_spin(system, i / size, h, force + i + 3, v + i + 3, after + i + 3, mean + i + 3);
    for (int i = 0; i < n; i++)
        if (!isfinite(after[i]))
            return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                              "velocities are not finite at t = %.9g", t);
    return SPRAG_OK;
}

// system_step.c: what time stepping asks of a model: rows by bodies, and a step without contacts.
// Problem   rows of a contact for the two bodies that it touches; velocities and mean velocities of
//           a step h under all forces but those of contacts, theory.md (11.22), (11.23)
// Method    forces at the configuration (1 − θ) h further: with θ = 1/2 the leap-frog, with θ = 1
//           and 0 the two symplectic Euler methods; rotation in space: system_turn.c
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

void sprag_system_inertia_at(const SpragSystem *system, int block, const double *q, double *inverse)
{
    int size = body_size(system);
    memset(inverse, 0, (size_t)(size * size) * sizeof *inverse);
    if (!is_spatial(system)) {
        body_block(system, block, inverse);
        return;
    }
    SpragPose pose;
    sprag_pose_set(q + SPACE_POSITIONS * block, NULL, &pose);
    space_block_turned(system, block, &pose.R, inverse);
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
        space_free_spin(system, i / size, h, force + i + 3, v + i + 3, after + i + 3, mean + i + 3);
    for (int i = 0; i < n; i++)
        if (!isfinite(after[i]))
            return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                              "velocities are not finite at t = %.9g", t);
    return SPRAG_OK;
}

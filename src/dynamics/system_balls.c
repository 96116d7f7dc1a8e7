// system_balls.c: rows of contacts of balls, for time stepping.
// Problem   as sprag_system_contact_block, for thousands of contacts in every step
// Method    what the rows take is copied once while a contact is near; gap, frame and rows follow
// in
//           closed form, without what events ask for beside them (biases, laws, belts)
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

bool sprag_system_ball_contact(const SpragSystem *system, int contact, SpragBallContact *ball)
{
    int slot = contact - system->joint_contacts;
    if (slot < 0 || !is_spatial(system) || space_grip(system, slot))
        return false;
    const SpragSlot *shown = sprag_collider_slot(system->collider, slot);
    bool plain = shown->friction_law.kind == SPRAG_FRICTION_COULOMB && !(shown->stribeck > 0);
    for (int k = 0; k < 3; k++)
        plain &= shown->surface_velocity[k] == 0;
    for (int side = 0; side < 2; side++) {
        int at = system->coordinate[shown->body[side]];
        ball->block[side] = at < 0 ? -1 : at / SPACE_VELOCITIES;
        plain &= !system->model->bodies[shown->body[side]].driven;
    }
    ball->contact = contact;
    ball->friction[0] = shown->friction_static;
    ball->friction[1] = shown->friction_kinetic;
    return plain && sprag_collider_ball_slot(system->collider, slot, &ball->slot);
}

bool sprag_system_ball_block(const SpragSystem *system, const SpragBallContact *ball, double limit,
                             SpragContactBlock *block)
{
    SpragSpaceGap gap;
    if (!sprag_collider_ball_frame(&ball->slot, system->poses, &gap))
        return sprag_system_contact_block(system, ball->contact, limit, block);
    if (!(gap.gap <= limit))
        return false;
    const SpragVec3 d[CONTACT_ROWS] = {gap.normal, gap.tangent[0], gap.tangent[1]};
    double rate[CONTACT_ROWS] = {0};
    for (int side = 0; side < 2; side++) {
        const SpragPose *pose = &system->poses[ball->slot.body[side]];
        SpragVec3 arm = sprag_vec3_sub(gap.point[side], pose->x);
        double sign = side == 0 ? 1 : -1;
        block->body[side] = ball->block[side];
        for (int r = 0; ball->block[side] >= 0 && r < CONTACT_ROWS; r++) {
            double *row = block->rows[side][r];
            SpragVec3 turn = sprag_vec3_scale(sign, sprag_vec3_cross(arm, d[r]));
            sprag_vec3_to(sprag_vec3_scale(sign, d[r]), row);
            sprag_vec3_to(turn, row + 3);
            rate[r] += sign * sprag_vec3_dot(d[r], pose->v) + sprag_vec3_dot(turn, pose->w);
        }
    }
    block->gap = gap.gap;
    block->gap_rate = rate[0];
    block->slip[0] = rate[1];
    block->slip[1] = rate[2];
    block->slip[2] = 0;
    memset(block->drift, 0, sizeof block->drift);
    memcpy(block->friction, ball->friction, sizeof block->friction);
    return true;
}

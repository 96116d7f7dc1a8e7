// stepping_joints.c: joints in a step, as bilateral blocks of the friction problems.
// Problem   rows E v⁺ + drift = 0 of all joints, never penalised; what curvature leaves of their
//           errors goes with overlaps, theory.md (11.27)
// Method    rows of one joint in blocks of as many as a contact has, filled up with rows of zeros
#include "stepping.h"

#include <string.h>

bool stepping_joints_may_rest(const SpragModel *model)
{
    bool still = model->controller_count == 0;
    for (int i = 0; i < model->joint_count; i++) {
        const SpragFriction *friction = &model->joints[i].friction;
        // what only the friction of joints holds is not looked at
        still &= !model->joints[i].driven && !(friction->stationary > 0 || friction->kinetic > 0);
    }
    for (int i = 0; i < model->body_count; i++)
        still &= !model->bodies[i].driven;
    for (int i = 0; i < model->load_count; i++)
        still &= !model->loads[i].varies;
    return still;
}

static int block_of(const Stepping *s, int body)
{
    int at = body < 0 ? -1 : sprag_system_body_coordinate(s->system, body);
    return at < 0 ? -1 : at / s->m;
}

static void add_row(const Stepping *s, const SpragJointRow *row, StepJoint *block)
{
    int r = block->rows++;
    block->error[r] = row->error;
    block->drift[r] = row->drift;
    for (int side = 0; side < 2; side++)
        if (block->body[side] >= 0)
            memcpy(block->entries[side][r], row->entries[side], (size_t)s->m * sizeof(double));
}

SpragStatus stepping_joints_find(Stepping *s)
{
    SpragRun *run = s->run;
    int rows = sprag_system_joint_row_count(s->system), before = s->joint_count;
    s->joint_count = 0;
    if (rows == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(run->context, &s->joint_rows, &s->joint_row_capacity, (size_t)rows,
                            sizeof *s->joint_rows));
    SPRAG_TRY(sprag_reserve(run->context, &s->joints, &s->joint_capacity, (size_t)rows,
                            sizeof *s->joints));
    SPRAG_TRY(sprag_system_joint_rows(s->system, run->t, run->y, s->joint_rows));
    for (int i = 0; i < rows; i++) {
        const SpragJointRow *row = &s->joint_rows[i];
        StepJoint *block = s->joint_count > 0 ? &s->joints[s->joint_count - 1] : NULL;
        if (!block || block->joint != row->joint || block->rows == s->d) {
            block = &s->joints[s->joint_count++];
            SpragVec3 kept = {0, 0, 0};
            if (s->joint_count <= before) // impulses of the last step
                kept = block->impulse;
            *block = (StepJoint){.joint = row->joint, .impulse = kept, .body = {-1, -1}};
        }
        for (int side = 0; side < 2; side++)
            if (block->body[side] < 0)
                block->body[side] = block_of(s, row->body[side]);
        add_row(s, row, block);
    }
    return SPRAG_OK;
}

void stepping_joints_remember(Stepping *s, int i)
{
    const double *r = s->sorted.impulse + s->d * i;
    s->joints[-1 - s->sorted.slot[i]].impulse = sprag_vec3(r[0], r[1], s->d == 3 ? r[2] : 0);
}

SpragStatus stepping_joints_show(Stepping *s, double t, const double *q, const double *v)
{
    SpragRun *run = s->run;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int count = 0, row = 0;
    run->sample.joints = run->joint_states;
    if (!run->joint_states)
        return SPRAG_OK;
    size_t room = (size_t)s->slot_count + 1;
    int *contacts = sprag_arena_alloc(run->arena, room, sizeof *contacts);
    double *force = sprag_arena_alloc(run->arena, MOST_STEP_ROWS * room, sizeof *force);
    if (!contacts || !force)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < s->slot_count; slot++) {
        const SpragRunContact *shown = &s->shown[slot];
        if (shown->mode == SPRAG_MODE_SEPARATE)
            continue;
        int rows = sprag_system_row_count(s->system, 1, &slot), at = row;
        contacts[count++] = slot;
        row += rows;
        if (stepping_bearings_force(s, slot, force + at))
            continue;
        force[at] = shown->normal;
        for (int k = 1; k < rows; k++)
            force[at + k] = shown->tangentials[k - 1];
    }
    SPRAG_TRY(sprag_system_joints(s->system, t, q, v, count, contacts, force, run->joint_states));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

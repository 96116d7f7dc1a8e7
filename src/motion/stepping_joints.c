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

static void add_row(const Stepping *s, const SpragJointRow *row, StepJoint *block)
{
    int r = block->rows++;
    if (row->repeats) // a row of zeros: near a loop's own error such rows contradict each other
        return;
    block->error[r] = row->error;
    block->drift[r] = row->drift;
    block->bias[r] = row->bias;
    for (int side = 0; side < 2; side++)
        if (block->body[side] >= 0)
            memcpy(block->entries[side][r], row->entries[side], (size_t)s->m * sizeof(double));
}

SpragStatus stepping_joints_find(Stepping *s, double t, const double *q, const double *v)
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
    SPRAG_TRY(sprag_system_joint_rows(s->system, t, q, v, s->joint_rows));
    for (int i = 0; i < rows; i++) {
        const SpragJointRow *row = &s->joint_rows[i];
        StepJoint *block = s->joint_count > 0 ? &s->joints[s->joint_count - 1] : NULL;
        if (!block || block->joint != row->joint || block->rows == s->d) {
            block = &s->joints[s->joint_count++];
            StepJoint kept = {0};
            if (s->joint_count <= before) // impulses of the last step
                kept = *block;
            *block = (StepJoint){
                .joint = row->joint, .impulse = kept.impulse, .h = kept.h, .body = {-1, -1}};
        }
        for (int side = 0; side < 2; side++)
            if (block->body[side] < 0)
                block->body[side] = step_block_of(s, row->body[side]);
        add_row(s, row, block);
    }
    return SPRAG_OK;
}

// The row r of a block times velocities.
static double row_times(const Stepping *s, const StepJoint *block, int r, const double *v)
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; block->body[side] >= 0 && k < s->m; k++)
            sum += block->entries[side][r][k] * v[block->body[side] * s->m + k];
    return sum;
}

SpragStatus stepping_joints_begin(Stepping *s, double h)
{
    SpragRun *run = s->run;
    const double *q = run->y, *v = s->v_before, *turned = run->y + run->m;
    double ahead = (1 - s->theta) * h, *end = s->later, *swung = s->later_v;
    if (sprag_system_joint_row_count(s->system) == 0)
        return SPRAG_OK;
    for (int i = 0; i < run->n; i++)
        s->work[i] = ahead * v[i];
    memcpy(end, q, (size_t)run->m * sizeof *end);
    sprag_system_position_shift(s->system, s->work, end);
    stepping_middle_place(s, end);
    SPRAG_TRY(stepping_joints_find(s, run->t + ahead, end, v));
    for (int i = 0; i < run->n; i++)
        s->work[i] = h * s->mean[i];
    memcpy(end, q, (size_t)run->m * sizeof *end);
    memcpy(swung, turned, (size_t)run->n * sizeof *swung);
    sprag_system_position_shift(s->system, s->work, end);
    sprag_system_carry(s->system, s->middle, end, NULL, swung);
    for (int i = 0; i < run->n; i++)
        swung[i] -= turned[i];
    for (int i = 0; i < s->joint_count; i++) {
        StepJoint *block = &s->joints[i];
        for (int r = 0; r < block->rows; r++) {
            double rate = row_times(s, block, r, v) + block->drift[r];
            block->turn[r] = ahead * block->bias[r];
            block->swing[r] = row_times(s, block, r, swung);
            block->error[r] += ahead * (block->turn[r] / 2 - rate); // at the begin
        }
    }
    return SPRAG_OK;
}

void stepping_joints_remember(Stepping *s, int i)
{
    const double *r = s->sorted.impulse + s->d * i;
    StepJoint *joint = &s->joints[-1 - s->sorted.slot[i]];
    joint->impulse = sprag_vec3(r[0], r[1], s->d == 3 ? r[2] : 0);
    joint->h = s->h_solved;
}

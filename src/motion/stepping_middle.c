// stepping_middle.c: bodies of joints in space, seen where their rows are taken.
// Problem   rows of joints are those at q* = q + (1 − θ) h v (11.34). With the inertia at q an
// impulse
//           across the axis of a thin body at q* has a part along that at q, and spins it up
// Method    momentum is kept: for the step spins of these bodies are those that their momentum has
// at
//           q*, with the inertia there; when it ends they are turned on from there, theory.md
//           (11.47)
#include <string.h>

#include "stepping.h"

void stepping_middle_create(Stepping *s)
{
    const SpragModel *model = sprag_system_model(s->system);
    memset(s->jointed, 0, (size_t)s->block_count * sizeof *s->jointed);
    s->has_middle = false;
    for (int i = 0; s->m == 6 && i < model->joint_count; i++)
        for (int side = 0; side < 2; side++) {
            int block = step_block_of(s, model->joints[i].ends[side].body);
            if (block >= 0)
                s->jointed[block] = s->has_middle = true;
        }
}

void stepping_middle_begin(Stepping *s, double h)
{
    SpragRun *run = s->run;
    double *v = run->y + run->m, ahead = (1 - s->theta) * h;
    memcpy(v, s->v_before, (size_t)run->n * sizeof *v);
    memcpy(s->middle, run->y, (size_t)run->m * sizeof *s->middle);
    memset(s->gain, 0, (size_t)s->block_count * sizeof *s->gain);
    if (!s->has_middle)
        return;
    for (int i = 0; i < run->n; i++)
        s->work[i] = s->jointed[i / s->m] ? v[i] : 0;
    sprag_system_free_turn(s->system, ahead, run->y, run->y, s->jointed, v, s->work);
    for (int i = 0; i < run->n; i++)
        s->work[i] *= ahead;
    sprag_system_position_shift(s->system, s->work, s->middle);
    sprag_system_carry(s->system, run->y, s->middle, s->gain, v);
}

void stepping_middle_free(Stepping *s)
{
    const double *v = s->run->y + s->run->m;
    if (!s->has_middle)
        return;
    sprag_system_carry(s->system, s->run->y, s->middle, NULL, s->free);
    for (int i = 0; i < s->run->n; i++)
        if (s->jointed[i / s->m] && i % s->m >= s->d)
            s->mean[i] = (1 - s->theta) * v[i] + s->theta * s->free[i];
}

void stepping_middle_place(const Stepping *s, double *q)
{
    size_t places = (size_t)(s->run->m / s->block_count);
    for (int i = 0; s->has_middle && i < s->block_count; i++)
        if (s->jointed[i])
            memcpy(q + places * (size_t)i, s->middle + places * (size_t)i, places * sizeof *q);
}

void stepping_middle_mean(Stepping *s, double h)
{
    const double *v = s->run->y + s->run->m;
    if (!s->has_middle)
        return;
    for (int i = 0; i < s->run->n; i++)
        s->work[i] = (1 - s->theta) * v[i] + s->theta * s->free[i];
    sprag_system_free_turn(s->system, h, s->q_before, s->middle, s->jointed, s->work, s->mean);
}

void stepping_inertia(const Stepping *s, int block, double *inverse)
{
    if (s->jointed[block])
        sprag_system_inertia_at(s->system, block, s->middle, inverse);
    else
        sprag_system_inertia_block(s->system, block, inverse);
}

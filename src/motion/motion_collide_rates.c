// motion_collide_rates.c: what roundings leave of rates that a collision has ended.
// Problem   v⁺ = v + M⁻¹ Jᵀ P. Impulses on a body all but without inertia go through one point, and
//           turn it by their roundings, ε P/I: at points that should rest, too
// Method    what the impact left at rest (sprag_impact_collide tells it from roundings) is put to
//           rest by the least change of v in the metric of M. That takes no energy: where it does
//           the contact has another normal by now (a corner at a corner, which belongs to another
//           side after the blow), and v stays as it is
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Part of the kinetic energy before the blow that roundings may have.
static const double ROUNDING = 1e-10;

SpragStatus collide_kinetic(SpragRun *run, double *kinetic)
{
    double potential, elastic;
    return sprag_system_energy(run->system, run->t, run->y, run->y + run->m, kinetic, &potential,
                               &elastic);
}

static SpragStatus end_rates(SpragRun *run, double kinetic, int count, const int *slots,
                             const bool *stick)
{
    double before, after, residual, *v = run->y + run->m;
    double *kept = sprag_arena_alloc(run->arena, (size_t)run->n + 1, sizeof *kept);
    if (!kept)
        return SPRAG_ERROR_MEMORY;
    memcpy(kept, v, (size_t)run->n * sizeof *kept);
    SPRAG_TRY(collide_kinetic(run, &before));
    SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, count, slots, stick, v,
                                            &residual));
    SPRAG_TRY(collide_kinetic(run, &after));
    if (fabs(after - before) > ROUNDING * fmax(kinetic, before))
        memcpy(v, kept, (size_t)run->n * sizeof *kept);
    return SPRAG_OK;
}

SpragStatus collide_end_rates(SpragRun *run, double kinetic, int count, const int *contacts,
                              const double *after)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *slots), rests = 0;
    bool *stick = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *stick);
    if (!slots || !stick)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const SpragConstraint *item = &run->problem.constraints[i];
        const double *rate = after + item->row;
        if (item->kind == SPRAG_CONSTRAINT_BEARING || rate[0] != 0)
            continue;
        stick[rests] = item->row_count > 1 && sprag_length(item->row_count - 1, rate + 1) == 0;
        slots[rests++] = contacts[i];
    }
    if (rests > 0)
        SPRAG_TRY(end_rates(run, kinetic, rests, slots, stick));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

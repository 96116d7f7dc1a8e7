// motion_collide_rates.c: what roundings leave of rates that a collision has ended.
// Problem   v⁺ = v + M⁻¹ Jᵀ P. Impulses on a body all but without inertia go through one point, and
//           turn it by their roundings, ε P/I: at points that should rest, too
// Method    what the impact left at rest (sprag_impact_collide tells it from roundings) is put to
//           rest by the least change of v in the metric of M
#include "motion_private.h"

SpragStatus collide_end_rates(SpragRun *run, int count, const int *contacts, const double *after)
{
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    int *slots = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *slots), rests = 0;
    bool *stick = sprag_arena_alloc(run->arena, (size_t)count + 1, sizeof *stick);
    double residual;
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
        SPRAG_TRY(sprag_system_project_velocity(run->system, run->t, run->y, rests, slots, stick,
                                                run->y + run->m, &residual));
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

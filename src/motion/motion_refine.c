// motion_refine.c: accelerations without the roundings of forces that cancel.
// Problem   forces on a body all but without inertia go through one point, and turn it by their
//           roundings ε λ r/I
// Method    theory.md (14.18): where that counts, the rows are solved again for what the
//           accelerations themselves leave of them
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"

// Whether the forces on a body cancel by so much that their roundings count beside the errors of
// its motion: all forces on a body without inertia go through one point.
static bool is_rough(const SpragRun *run)
{
    const double part = 1e-2;
    const Evaluation *e = &run->now;
    double relative = sprag_system_contact_tolerance(run->system);
    double speed = run->tolerances.rate / relative, length = run->tolerances.gap / relative;
    double least = part * run->settings.tolerance;
    for (int j = 0; j < run->n; j++) {
        double size = 0;
        for (int r = 0; r < run->frozen.row_count; r++)
            size += fabs(e->force[r] * e->response[r * run->n + j]);
        if (DBL_EPSILON * size > least * tolerances_unit(run, run->m + j, speed * speed / length))
            return true;
    }
    return false;
}

// Adds the forces for which e->x was solved to accelerations and forces; delta: a number a row.
static void add_forces(SpragRun *run, double *delta)
{
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    memset(delta, 0, (size_t)f->row_count * sizeof *delta);
    for (int i = 0; i < f->solved_count; i++) {
        const Unknown *u = &f->unknowns[f->solved[i]];
        delta[u->row] += e->x[i];
        modes_add_friction(run, u, e->x[i], delta);
    }
    for (int r = 0; r < f->row_count; r++) {
        e->force[r] += delta[r];
        for (int j = 0; j < run->n && delta[r] != 0; j++)
            e->acceleration[j] += delta[r] * e->response[r * run->n + j];
    }
}

SpragStatus refine_accelerations(SpragRun *run)
{
    enum { PASSES = 2 };
    const Frozen *f = &run->frozen;
    Evaluation *e = &run->now;
    if (!is_rough(run))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    size_t rows = (size_t)f->row_count, n = (size_t)run->n;
    double *J = sprag_arena_alloc(run->arena, rows * n + 1, sizeof *J);
    double *bias = sprag_arena_alloc(run->arena, 2 * rows + 1, sizeof *bias);
    if (!J || !bias)
        return SPRAG_ERROR_MEMORY;
    SpragSystemSample sample = {.J = J, .bias = bias};
    SPRAG_TRY(sprag_system_sample(run->system, e->t, e->y, e->y + run->m, f->active_count,
                                  f->active, &sample));
    for (int pass = 0; pass < PASSES; pass++) {
        respond_matrix(run);
        for (int i = 0; i < f->solved_count; i++) {
            int r = f->unknowns[f->solved[i]].row;
            e->right[i] = -bias[r];
            for (size_t j = 0; j < n; j++)
                e->right[i] -= J[(size_t)r * n + j] * e->acceleration[j];
        }
        if (!respond_solve(run))
            break;
        add_forces(run, bias + rows);
    }
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

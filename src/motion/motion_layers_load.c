// motion_layers_load.c: what layers do to rigid contacts beside them, theory.md 8.6.1.
// Problem   a contact problem of rigid contacts, a = W λ + b, on bodies that layers press too
// Method    forces that layers have now are loads, b += W_RC λ_C. A slip that Karnopp's law holds
//           has no force of its own: it answers all others, and its rows are eliminated, (14.17)
#include <string.h>

#include "motion_private.h"

// Rows and loads of the rigid contacts of a problem (the first rows) and of the layers beside it.
typedef struct Beside {
    int count, rigid_rows, rows; // contacts; rows
    int *slots;
    double *W, *b;
} Beside;

static SpragStatus sample_beside(SpragRun *run, double t, const double *y,
                                 const SpragContactProblem *problem, Beside *beside)
{
    const Frozen *f = &run->frozen;
    int rigid = problem->constraint_count;
    *beside = (Beside){.count = rigid + f->active_count,
                       .rigid_rows = problem->row_count,
                       .rows = problem->row_count + f->row_count};
    size_t rows = (size_t)beside->rows;
    beside->slots = sprag_arena_alloc(run->arena, (size_t)beside->count, sizeof *beside->slots);
    beside->W = sprag_arena_alloc(run->arena, rows * rows, sizeof *beside->W);
    beside->b = sprag_arena_alloc(run->arena, rows, sizeof *beside->b);
    if (!beside->slots || !beside->W || !beside->b)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < rigid; i++)
        beside->slots[i] = problem->constraints[i].id;
    memcpy(beside->slots + rigid, f->active, (size_t)f->active_count * sizeof *beside->slots);
    SpragSystemSample sample = {.W = beside->W, .b = beside->b};
    return sprag_system_sample(run->system, t, y, y + run->m, beside->count, beside->slots,
                               &sample);
}

// A row that is held at rest answers every force: it is eliminated from all rows of rigid contacts,
// and from those of layers that follow it.
static void eliminate_held(Beside *beside, int held)
{
    int n = beside->rows, rigid = beside->rigid_rows;
    const double *pivot = beside->W + (size_t)held * (size_t)n;
    for (int r = 0; r < n; r = r + 1 == rigid ? held + 1 : r + 1) {
        double *w = beside->W + (size_t)r * (size_t)n, part = w[held] / pivot[held];
        for (int c = 0; c < n; c = c + 1 == rigid ? held + 1 : c + 1)
            w[c] -= part * pivot[c];
        beside->b[r] -= part * beside->b[held];
    }
}

// Rows that those that are held hold too are zero up to rounding.
static void clear_held(const SpragContactProblem *problem, Beside *beside)
{
    const double rounding = 1e-11;
    size_t rows = (size_t)beside->rigid_rows, n = (size_t)beside->rows;
    for (size_t r = 0; r < rows; r++) {
        if (beside->W[r * n + r] > rounding * problem->W[r * rows + r])
            continue;
        for (size_t c = 0; c < rows; c++)
            beside->W[r * n + c] = beside->W[c * n + r] = 0;
    }
}

// Forces of layers as loads, into b.
static void add_loads(const SpragRun *run, Beside *beside)
{
    const Frozen *f = &run->frozen;
    for (int r = 0; r < beside->rows; r++) {
        const double *w = beside->W + (size_t)r * (size_t)beside->rows + beside->rigid_rows;
        for (int i = 0; i < f->active_count; i++)
            for (int c = f->first[i]; f->soft[i] && c < f->first[i] + f->rows[i]; c++)
                beside->b[r] += w[c] * run->now.force[c];
    }
}

SpragStatus layers_load(SpragRun *run, double t, const double *y, SpragContactProblem *problem)
{
    const Frozen *f = &run->frozen;
    if (f->soft_count == 0 || problem->constraint_count == 0)
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Beside beside;
    int rows = problem->row_count;
    bool held = false;
    SPRAG_TRY(sample_beside(run, t, y, problem, &beside));
    bool *leads = sprag_arena_alloc(run->arena, (size_t)f->row_count + 1, sizeof *leads);
    if (!leads)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(modes_sample(run, t, y, true));
    SPRAG_TRY(karnopp_lead(run, leads));
    layers_forces(run, y);
    run->now.solved = false;
    memcpy(beside.b, problem->b, (size_t)rows * sizeof *beside.b);
    add_loads(run, &beside);
    for (int c = 0; c < f->row_count; c++) {
        if (leads[c])
            eliminate_held(&beside, rows + c);
        held |= leads[c];
    }
    memcpy(problem->b, beside.b, (size_t)rows * sizeof *beside.b);
    if (held)
        clear_held(problem, &beside);
    if (held) // bodies with slips that are held have no inertia block of their own any more
        problem->block_count = 0;
    for (int r = 0; held && r < rows; r++)
        memcpy(problem->W + (size_t)r * (size_t)rows, beside.W + (size_t)r * (size_t)beside.rows,
               (size_t)rows * sizeof *beside.W);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

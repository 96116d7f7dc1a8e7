// impact_system.c: the contacts of a collision without its bilateral rows.
// Problem   u⁺ = W P + u⁻ with u⁺ = 0 in bilateral rows, whose impulses are free
// Method    one bilateral row after the other: W ← W − w wᵀ/w_g, u ← u − w u_g/w_g; a row whose
//           pivot vanishes depends on those before and is left out; impulses by back substitution
#include <math.h>
#include <string.h>

#include "impact_system.h"

// Pivots below this part of the row's own entry are rounding.
static const double DEPENDENT = 1e-12;
// Velocities below this part of the largest are zero in what a scheme returns: the accuracy of the
// impulse path.
static const double ZERO_VELOCITY = 1e-10;

static bool is_member(const SpragConstraint *item)
{
    return item->kind == SPRAG_CONSTRAINT_CONTACT || item->kind == SPRAG_CONSTRAINT_LIMIT;
}

static SpragStatus allocate(SpragArena *arena, const SpragContactProblem *problem,
                            ImpactSystem *system)
{
    size_t n = (size_t)problem->row_count + 1, m = (size_t)problem->constraint_count + 1;
    system->items = sprag_arena_alloc(arena, m, sizeof *system->items);
    system->contacts = sprag_arena_alloc(arena, m, sizeof *system->contacts);
    system->place = sprag_arena_alloc(arena, n, sizeof *system->place);
    system->bilateral = sprag_arena_alloc(arena, n, sizeof *system->bilateral);
    system->W = sprag_arena_alloc(arena, n * n, sizeof(double));
    system->entries = sprag_arena_alloc(arena, n * n, sizeof(double));
    double *vectors = sprag_arena_alloc(arena, 5 * n, sizeof(double));
    if (!system->items || !system->contacts || !system->place || !system->bilateral || !system->W ||
        !system->entries || !vectors)
        return SPRAG_ERROR_MEMORY;
    system->before = vectors;
    system->impulse = vectors + n;
    system->after = vectors + 2 * n;
    system->pivot = vectors + 3 * n;
    system->velocity = vectors + 4 * n;
    return SPRAG_OK;
}

// Eliminates row g from the full W (n × n) and u.
static void eliminate(ImpactSystem *system, int n, int g, double own, double *W, double *u)
{
    double pivot = W[g * n + g];
    if (!(pivot > DEPENDENT * own))
        return;
    int k = system->bilateral_count++;
    double *w = system->entries + (size_t)k * (size_t)n;
    memcpy(w, W + (size_t)g * (size_t)n, (size_t)n * sizeof *w);
    system->bilateral[k] = g;
    system->pivot[k] = pivot;
    system->velocity[k] = u[g];
    for (int i = 0; i < n; i++) {
        double factor = w[i] / pivot;
        u[i] -= factor * system->velocity[k];
        for (int j = 0; factor != 0 && j < n; j++)
            W[i * n + j] -= factor * w[j];
    }
}

static void gather(const SpragContactProblem *problem, const SpragImpactRule *rules,
                   ImpactSystem *system)
{
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *source = &problem->constraints[c];
        if (!is_member(source))
            continue;
        ImpactItem *item = &system->items[system->count++];
        item->row = system->rows;
        item->row_count = source->row_count;
        item->friction = source->row_count > 1 ? source->friction : 0;
        item->friction_static = fmax(item->friction, source->friction_static);
        item->source = c;
        item->sliding = source->sliding;
        item->rule = rules[c];
        if (!(item->rule.stiffness > 0))
            item->rule.stiffness = 1;
        if (!(item->rule.exponent > 0))
            item->rule.exponent = 1;
        for (int k = 0; k < source->row_count; k++)
            system->place[system->rows++] = source->row + k;
    }
}

// Rows of the members out of the full W and u.
static void pack(ImpactSystem *system, int n, double *W, const double *u)
{
    for (int i = 0; i < system->rows; i++) {
        system->before[i] = u[system->place[i]];
        for (int j = 0; j < system->rows; j++)
            // the packed row never overtakes the one it is read from
            W[i * system->rows + j] = W[system->place[i] * n + system->place[j]];
    }
    system->W = W;
    system->scale = 0;
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        double *v = system->before + item->row;
        for (int k = 1; k < item->row_count && !item->sliding; k++)
            v[k] = 0; // what does not count as slip is none
        for (int k = 0; k < item->row_count; k++)
            system->scale = fmax(system->scale, fabs(v[k]));
    }
}

SpragStatus impact_system_build(SpragArena *arena, const SpragContactProblem *problem,
                                const SpragImpactRule *rules, ImpactSystem *system, bool *possible)
{
    int n = problem->row_count;
    memset(system, 0, sizeof *system);
    SPRAG_TRY(allocate(arena, problem, system));
    double *u = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *u);
    if (!u)
        return SPRAG_ERROR_MEMORY;
    memcpy(system->W, problem->W, (size_t)n * (size_t)n * sizeof *u);
    memcpy(u, problem->b, (size_t)n * sizeof *u);
    *possible = true;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (is_member(item))
            continue;
        *possible &= item->kind == SPRAG_CONSTRAINT_BILATERAL || item->friction == 0;
        for (int r = item->row; r < item->row + sprag_constraint_normals(item); r++)
            eliminate(system, n, r, problem->W[r * n + r], system->W, u);
    }
    gather(problem, rules, system);
    pack(system, n, system->W, u);
    return SPRAG_OK;
}

void impact_system_velocities(const ImpactSystem *system, double *after)
{
    int n = system->rows;
    for (int i = 0; i < n; i++) {
        double sum = system->before[i];
        for (int j = 0; j < n; j++)
            sum += system->W[i * n + j] * system->impulse[j];
        after[i] = sum;
    }
}

void impact_system_restore(const ImpactSystem *system, const SpragContactProblem *problem,
                           double *impulse, double *after)
{
    int n = problem->row_count;
    memset(impulse, 0, (size_t)n * sizeof *impulse);
    for (int i = 0; i < system->rows; i++)
        impulse[system->place[i]] = system->impulse[i];
    for (int k = system->bilateral_count - 1; k >= 0; k--) {
        const double *w = system->entries + (size_t)k * (size_t)n;
        double sum = system->velocity[k];
        // rows eliminated before have zeros here, this one has none yet
        for (int j = 0; j < n; j++)
            sum += w[j] * impulse[j];
        impulse[system->bilateral[k]] = -sum / system->pivot[k];
    }
    for (int i = 0; i < n; i++) {
        double sum = problem->b[i];
        for (int j = 0; j < n; j++)
            sum += problem->W[i * n + j] * impulse[j];
        after[i] = sum;
    }
    for (int i = 0; i < system->rows; i++) {
        double v = system->after[i];
        after[system->place[i]] = fabs(v) <= ZERO_VELOCITY * system->scale ? 0 : v;
    }
}

double impact_system_approach(const ImpactSystem *system, const double *velocity, int *item)
{
    double most = 0;
    *item = -1;
    for (int i = 0; i < system->count; i++) {
        double approach = -velocity[system->items[i].row];
        if (approach > most) {
            most = approach;
            *item = i;
        }
    }
    return most;
}

void impact_system_single(const ImpactSystem *system, int i, const double *velocity,
                          SpragSingleImpact *single)
{
    const ImpactItem *item = &system->items[i];
    int n = item->row_count;
    memset(single, 0, sizeof *single);
    single->dimension = n > 2 ? 3 : 2;
    single->friction = item->friction;
    single->friction_static = item->friction_static;
    single->law = item->rule.law;
    single->e = item->rule.e;
    for (int k = 0; k < n; k++) {
        single->velocity[k] = velocity[item->row + k];
        for (int l = 0; l < n; l++)
            single->W[k * single->dimension + l] =
                system->W[(item->row + k) * system->rows + item->row + l];
    }
}

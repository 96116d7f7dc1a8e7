// impact_together.c: several contacts at once, as complementarity problems.
// Problem   Newton: 0 ≤ P_N ⟂ u_N⁺ + e u_N⁻ ≥ 0 (u_N⁻ where it approaches, else 0), Coulomb on
//           u_T⁺; Poisson: a plastic compression, then P_N ≥ e P_C,N ⟂ u_N⁺ ≥ 0 with friction of
//           its own, theory.md (10.28)–(10.30)
// Method    Newton and compression are contact problems at rest, whose search gives all solutions.
//           The second phase has bounds of friction that begin at μ e P_C,N: planar as an LCP with
//           unknowns x = P_N − e P_C,N, λ⁺ = μ P_N + P_T, a⁻ of each contact, all solutions of a
//           small one and one of a larger; in space by projection onto the cones
// Several   the least kinetic energy after is taken
#include <math.h>
#include <string.h>

#include "impact_system.h"

// All solutions of the second phase are looked for up to this size of the LCP.
static const int ALL_SIZE = 18;
static const double SAME = 1e-9;
static const int MAX_SWEEPS = 20000;
static const double SWEEP_TOLERANCE = 1e-14, SWEEP_ACCEPTED = 1e-9;

// The second phase: velocities u + W P, P_N ≥ base, u_N ≥ floor.
typedef struct Expansion {
    const ImpactSystem *system;
    double *u;           // velocities at its beginning
    double *base, *goal; // one an item; goal: least normal velocity
    double *impulse, *after, *best;
    double least; // energy of the best
    int count;    // solutions
    double *kept; // velocities of the solutions so far
    int kept_capacity;
} Expansion;

// ---- One phase ----------------------------------------------------------------------------------

// The contact problem at rest with velocities u, shifted to u_N + shift.
static SpragStatus load_problem(SpragImpact *impact, const ImpactSystem *system,
                                const double *shift)
{
    SpragContactProblem *copy = &impact->copy;
    sprag_contact_problem_clear(copy, system->items[0].row_count > 2 ? 3 : 2);
    for (int i = 0; i < system->count; i++)
        copy->dimension = system->items[i].row_count > 2 ? 3 : copy->dimension;
    for (int i = 0; i < system->count; i++) {
        SpragConstraint *added;
        bool limit = system->items[i].row_count == 1;
        SPRAG_TRY(sprag_contact_problem_add(
            copy, limit ? SPRAG_CONSTRAINT_LIMIT : SPRAG_CONSTRAINT_CONTACT, &added));
        added->friction = system->items[i].friction;
    }
    SPRAG_TRY(sprag_contact_problem_reserve_dense(copy));
    size_t n = (size_t)system->rows;
    memcpy(copy->W, system->W, n * n * sizeof *copy->W);
    memcpy(copy->b, system->before, n * sizeof *copy->b);
    for (int i = 0; i < system->count && shift; i++)
        copy->b[system->items[i].row] += shift[i];
    return SPRAG_OK;
}

static double energy_change(int n, const double *P, const double *before, const double *after)
{
    double sum = 0;
    for (int r = 0; r < n; r++)
        sum += 0.5 * P[r] * (before[r] + after[r]);
    return sum;
}

// All solutions of one phase; impulse and after receive the one of least energy. Returns their
// number through *count.
static SpragStatus solve_phase(SpragImpact *impact, const ImpactSystem *system, const double *shift,
                               double *impulse, double *after, int *count)
{
    SpragMotionSet set;
    int n = system->rows;
    double least = INFINITY;
    SPRAG_TRY(load_problem(impact, system, shift));
    SPRAG_TRY(impact_search(impact, &set));
    *count = set.count;
    double *velocity = sprag_arena_alloc(impact->arena, (size_t)n, sizeof *velocity);
    if (!velocity)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < set.count; k++) {
        if (!impact_motion_holds(&impact->copy, &set.motions[k])) {
            --*count;
            continue;
        }
        memcpy(velocity, set.motions[k].acceleration, (size_t)n * sizeof *velocity);
        for (int i = 0; i < system->count && shift; i++)
            velocity[system->items[i].row] -= shift[i];
        double change = energy_change(n, set.motions[k].force, system->before, velocity);
        if (change >= least - 1e-12 * fabs(least))
            continue;
        least = change;
        memcpy(impulse, set.motions[k].force, (size_t)n * sizeof *impulse);
        memcpy(after, velocity, (size_t)n * sizeof *after);
    }
    return SPRAG_OK;
}

static void add_losses(const ImpactSystem *system, const double *P, const double *before,
                       const double *after, bool restitution)
{
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        SpragImpactLoss *loss = &system->contacts[i].loss;
        for (int k = 0; k < item->row_count; k++) {
            int r = item->row + k;
            double part = -0.5 * P[r] * (before[r] + after[r]);
            double *normal = restitution ? &loss->normal_restitution : &loss->normal_compression;
            double *tangential =
                restitution ? &loss->tangential_restitution : &loss->tangential_compression;
            *(k == 0 ? normal : tangential) += part;
        }
    }
}

// e u_N⁻ of the contacts under Newton's law that approach.
static double newton_shift(const ImpactSystem *system, int i)
{
    const ImpactItem *item = &system->items[i];
    double approach = system->before[item->row];
    return item->rule.law == SPRAG_RESTITUTION_NEWTON && approach < 0 ? item->rule.e * approach : 0;
}

static SpragStatus solve_newton(SpragImpact *impact, ImpactSystem *system,
                                SpragCollisionResult *result)
{
    double *shift = sprag_arena_alloc(impact->arena, (size_t)system->count, sizeof *shift);
    if (!shift)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < system->count; i++)
        shift[i] = newton_shift(system, i);
    SPRAG_TRY(solve_phase(impact, system, shift, system->impulse, system->after,
                          &result->solution_count));
    result->found = result->solution_count > 0;
    result->law = SPRAG_IMPACT_TOGETHER_NEWTON;
    if (result->found)
        add_losses(system, system->impulse, system->before, system->after, false);
    return SPRAG_OK;
}

// ---- The second phase ---------------------------------------------------------------------------

// Takes the impulses as a solution: counts it if its velocities are new, keeps it if it has the
// least energy so far.
static void offer(Expansion *x)
{
    const ImpactSystem *system = x->system;
    int n = system->rows;
    for (int r = 0; r < n; r++) {
        double sum = x->u[r];
        for (int j = 0; j < n; j++)
            sum += system->W[r * n + j] * x->impulse[j];
        x->after[r] = sum;
    }
    for (int k = 0; k < x->count && k < x->kept_capacity; k++) {
        double apart = 0;
        for (int r = 0; r < n; r++)
            apart = fmax(apart, fabs(x->kept[k * n + r] - x->after[r]));
        if (apart <= SAME * system->scale)
            return;
    }
    if (x->count < x->kept_capacity)
        memcpy(x->kept + (size_t)x->count * (size_t)n, x->after, (size_t)n * sizeof *x->kept);
    x->count++;
    double change = energy_change(n, x->impulse, x->u, x->after);
    if (change >= x->least - 1e-12 * fabs(x->least))
        return;
    x->least = change;
    memcpy(x->best, x->impulse, (size_t)n * sizeof *x->best);
}

// Unknowns of item i in the LCP: x, and λ⁺, a⁻ with friction.
static int unknowns(const ImpactItem *item)
{
    return item->row_count > 1 && item->friction > 0 ? 3 : 1;
}

// Column j of the LCP as impulses: what a unit of it adds.
typedef struct Column {
    int item, kind; // 0 x, 1 λ⁺, 2 a⁻
} Column;

static double column_velocity(const ImpactSystem *system, const Column *column, int row)
{
    const ImpactItem *item = &system->items[column->item];
    const double *W = system->W + (size_t)row * (size_t)system->rows + item->row;
    if (column->kind == 0)
        return W[0] - (unknowns(item) > 1 ? item->friction * W[1] : 0);
    return column->kind == 1 ? W[1] : 0;
}

static void fill_lcp(const Expansion *x, int size, const Column *columns, double *M, double *q)
{
    const ImpactSystem *system = x->system;
    for (int i = 0; i < size; i++) {
        const Column *own = &columns[i];
        const ImpactItem *item = &system->items[own->item];
        int row = item->row + (own->kind == 1 ? 1 : 0);
        for (int j = 0; j < size; j++) {
            const Column *other = &columns[j];
            bool same = other->item == own->item;
            double entry = own->kind < 2 ? column_velocity(system, other, row) : 0;
            if (own->kind == 1 && same && other->kind == 2)
                entry = 1;
            if (own->kind == 2 && same)
                entry = other->kind == 0 ? 2 * item->friction : other->kind == 1 ? -1 : 0;
            M[i * size + j] = entry;
        }
        double start = own->kind < 2 ? x->u[row] : 2 * item->friction * x->base[own->item];
        // the impulses that are there whatever happens
        for (int j = 0; own->kind < 2 && j < size; j++)
            if (columns[j].kind == 0)
                start += column_velocity(system, &columns[j], row) * x->base[columns[j].item];
        q[i] = own->kind == 0 ? start - x->goal[own->item] : start;
    }
}

static void take_lcp(Expansion *x, int size, const Column *columns, const double *z)
{
    memset(x->impulse, 0, (size_t)x->system->rows * sizeof *x->impulse);
    for (int j = 0; j < size; j++) {
        const ImpactItem *item = &x->system->items[columns[j].item];
        double *P = x->impulse + item->row;
        if (columns[j].kind == 0) {
            P[0] = x->base[columns[j].item] + z[j];
            if (unknowns(item) > 1)
                P[1] -= item->friction * P[0];
        } else if (columns[j].kind == 1) {
            P[1] += z[j];
        }
    }
    offer(x);
}

static SpragStatus expand_planar(SpragImpact *impact, Expansion *x)
{
    const ImpactSystem *system = x->system;
    size_t most = 3 * (size_t)system->count;
    int size = 0;
    Column *columns = sprag_arena_alloc(impact->arena, most, sizeof *columns);
    double *M = sprag_arena_alloc(impact->arena, most * most, sizeof *M);
    double *q = sprag_arena_alloc(impact->arena, 3 * most, sizeof *q);
    if (!columns || !M || !q)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < system->count; i++)
        for (int k = 0; k < unknowns(&system->items[i]); k++)
            columns[size++] = (Column){i, k};
    fill_lcp(x, size, columns, M, q);
    SpragLcp lcp = {size, M, q};
    if (size <= ALL_SIZE) {
        SPRAG_TRY(sprag_lcp_all_solve(impact->lcp_all, &lcp, NULL));
        for (int k = 0; k < sprag_lcp_all_count(impact->lcp_all); k++) {
            const SpragLcpSet *set = sprag_lcp_all_get(impact->lcp_all, k);
            for (int v = 0; v < set->vertex_count; v++)
                take_lcp(x, size, columns, set->z + (size_t)v * (size_t)size);
        }
    }
    if (x->count == 0) {
        SpragLcpInfo info;
        double *z = q + most, *w = z + most;
        SPRAG_TRY(sprag_lcp_solve(impact->lcp, &lcp, NULL, z, w, &info));
        if (info.status == SPRAG_LCP_SOLVED)
            take_lcp(x, size, columns, z);
    }
    return SPRAG_OK;
}

// One sweep of projections in space; returns the largest change of velocity it asked for.
static double project(const Expansion *x)
{
    const ImpactSystem *system = x->system;
    int n = system->rows;
    double most = 0;
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        double *P = x->impulse + item->row, u[3] = {0}, trace = 0, old[3] = {0};
        for (int k = 0; k < item->row_count; k++) {
            u[k] = x->u[item->row + k];
            for (int j = 0; j < n; j++)
                u[k] += system->W[(item->row + k) * n + j] * x->impulse[j];
            trace += system->W[(item->row + k) * n + item->row + k];
            old[k] = P[k];
        }
        if (!(trace > 0))
            continue;
        P[0] = fmax(x->base[i], P[0] - (u[0] - x->goal[i]) / trace);
        double length = 0;
        for (int k = 1; k < item->row_count; k++) {
            P[k] -= u[k] / trace;
            length = hypot(length, P[k]);
        }
        double bound = item->friction * P[0];
        for (int k = 1; k < item->row_count && length > bound; k++)
            P[k] *= bound / length;
        for (int k = 0; k < item->row_count; k++)
            most = fmax(most, trace * fabs(P[k] - old[k]));
    }
    return most;
}

static void expand_space(Expansion *x)
{
    const ImpactSystem *system = x->system;
    memset(x->impulse, 0, (size_t)system->rows * sizeof *x->impulse);
    for (int i = 0; i < system->count; i++)
        x->impulse[system->items[i].row] = x->base[i];
    double change = INFINITY;
    for (int sweep = 0; sweep < MAX_SWEEPS && change > SWEEP_TOLERANCE * system->scale; sweep++)
        change = project(x);
    if (change <= SWEEP_ACCEPTED * system->scale)
        offer(x);
}

static SpragStatus create_expansion(SpragArena *arena, const ImpactSystem *system, Expansion *x)
{
    size_t n = (size_t)system->rows, m = (size_t)system->count;
    memset(x, 0, sizeof *x);
    x->system = system;
    x->least = INFINITY;
    x->kept_capacity = 64;
    double *vectors = sprag_arena_alloc(arena, 4 * n + 2 * m, sizeof *vectors);
    x->kept = sprag_arena_alloc(arena, n * (size_t)x->kept_capacity, sizeof *x->kept);
    if (!vectors || !x->kept)
        return SPRAG_ERROR_MEMORY;
    x->u = vectors;
    x->impulse = vectors + n;
    x->after = vectors + 2 * n;
    x->best = vectors + 3 * n;
    x->base = vectors + 4 * n;
    x->goal = vectors + 4 * n + m;
    return SPRAG_OK;
}

static SpragStatus solve_two_phases(SpragImpact *impact, ImpactSystem *system,
                                    SpragCollisionResult *result)
{
    Expansion x;
    int compressions;
    bool space = false;
    size_t n = (size_t)system->rows;
    SPRAG_TRY(create_expansion(impact->arena, system, &x));
    SPRAG_TRY(solve_phase(impact, system, NULL, system->impulse, x.u, &compressions));
    if (compressions == 0)
        return SPRAG_OK;
    add_losses(system, system->impulse, system->before, x.u, false);
    for (int i = 0; i < system->count; i++) {
        const ImpactItem *item = &system->items[i];
        bool poisson = item->rule.law == SPRAG_RESTITUTION_POISSON;
        x.base[i] = poisson ? item->rule.e * system->impulse[item->row] : 0;
        x.goal[i] = -newton_shift(system, i);
        space |= item->row_count > 2;
    }
    if (space)
        expand_space(&x);
    else
        SPRAG_TRY(expand_planar(impact, &x));
    result->found = x.count > 0;
    result->solution_count = x.count > compressions ? x.count : compressions;
    if (!result->found)
        return SPRAG_OK;
    memcpy(x.after, x.u, n * sizeof *x.after);
    for (size_t r = 0; r < n; r++)
        for (size_t j = 0; j < n; j++)
            x.after[r] += system->W[r * n + j] * x.best[j];
    add_losses(system, x.best, x.u, x.after, true);
    for (size_t r = 0; r < n; r++)
        system->impulse[r] += x.best[r];
    memcpy(system->after, x.after, n * sizeof *x.after);
    return SPRAG_OK;
}

SpragStatus impact_together(SpragImpact *impact, ImpactSystem *system, SpragCollisionResult *result)
{
    bool newton = false, poisson = false;
    result->found = false;
    for (int i = 0; i < system->count; i++) {
        const SpragImpactRule *rule = &system->items[i].rule;
        newton |= rule->e > 0 && rule->law == SPRAG_RESTITUTION_NEWTON;
        poisson |= rule->e > 0 && rule->law == SPRAG_RESTITUTION_POISSON;
    }
    if (!poisson)
        return solve_newton(impact, system, result);
    result->law = newton ? SPRAG_IMPACT_TOGETHER_MIXED : SPRAG_IMPACT_TOGETHER_POISSON;
    return solve_two_phases(impact, system, result);
}

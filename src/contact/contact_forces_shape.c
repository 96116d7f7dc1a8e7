// contact_forces_shape.c: how large the set of forces of a motion is.
// Problem   of {x : C x = ξ, x in its cones}, theory.md 2.7, the interval of every unknown, and the
//           dimension
// Method    in coordinates y of the null space about the representative, linear programs with one
//           feasible set and many objectives; cones that hold with equality everywhere take away
//           from the dimension
// Assumes   the representative is inside: programs that fail leave it as it is
#include <math.h>

#include "contact_forces.h"
#include "sprag/complementarity.h"
#include "sprag/numeric.h"

// Largest values of `count` functions of y (row by row in c) over the cones; INFINITY if unbounded.
static SpragStatus maximize(ForceSet *set, int count, const double *c, double *values)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count;
    double *A = sprag_arena_alloc(arena, (size_t)m * (size_t)d + 1, sizeof *A);
    double *b = sprag_arena_alloc(arena, (size_t)m + 1, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    double slack = 10 * set->reduced->tolerance * force_set_size(set);
    for (int i = 0; i < m * d; i++)
        A[i] = -set->offset.g[i];
    for (int i = 0; i < m; i++)
        b[i] = fmax(-set->offset.h[i], 0); // the representative is inside: y = 0 must be, too
    for (int i = 0; i < count; i++)
        values[i] = 0; // the representative itself, should the programs fail
    SpragLp program = {d, m, 0, A, b, NULL};
    SpragLpStatus status;
    SPRAG_TRY(sprag_lp_maxima(arena, &program, slack, count, c, values, &status));
    set->undecided |= status == SPRAG_LP_LIMIT;
    return SPRAG_OK;
}

// Dimension of the set: null space minus the cones that hold with equality everywhere; most: the
// largest value of each cone's function of y.
static SpragStatus find_dimension(ForceSet *set, const double *most, int *dimension)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, m = set->cones.count, tight = 0;
    double *E = sprag_arena_alloc(arena, (size_t)(m + 1) * (size_t)d + 1, sizeof *E);
    double *s = sprag_arena_alloc(arena, (size_t)d + 1, sizeof *s);
    if (!E || !s)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        if (most[i] - set->offset.h[i] > 1000 * set->reduced->tolerance * force_set_size(set))
            continue;
        for (int k = 0; k < d; k++)
            E[tight * d + k] = set->offset.g[i * d + k];
        tight++;
    }
    *dimension = d;
    if (tight == 0)
        return SPRAG_OK;
    sprag_svd(tight, d, E, s, NULL);
    for (int k = 0; k < d; k++)
        *dimension -= s[k] > FORCES_DEPENDENT;
    return SPRAG_OK;
}

// Interval of every unknown over the set, and the dimension of the set.
SpragStatus force_set_shape(ForceSet *set, double *low, double *high, int *dimension)
{
    SpragArena *arena = set->reduced->arena;
    int d = set->null_count, n = set->n, m = set->cones.count;
    size_t count = 2 * (size_t)n + (size_t)m;
    double *c = sprag_arena_alloc(arena, count * (size_t)d, sizeof *c);
    double *values = sprag_arena_alloc(arena, count, sizeof *values);
    if (!c || !values)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++) {
            c[i * d + k] = set->null[k * n + i];
            c[(n + i) * d + k] = -set->null[k * n + i];
        }
    }
    for (int i = 0; i < m * d; i++)
        c[2 * n * d + i] = set->offset.g[i];
    SPRAG_TRY(maximize(set, (int)count, c, values));
    for (int i = 0; i < n; i++) {
        // what the programs allow for rounding does not reach beyond the representative or the cone
        high[i] = set->x[i] + fmax(values[i], 0);
        low[i] = set->x[i] - fmax(values[n + i], 0);
        if (!set->leaf->tangential[i] && set->leaf->cells[set->leaf->constraint[i]].sigma != 0)
            low[i] = fmax(low[i], 0);
    }
    return find_dimension(set, values + 2 * n, dimension);
}

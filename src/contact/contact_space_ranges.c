// contact_space_ranges.c: how large a set of forces in round cones is.
// Problem   S = {x : A x = r, x_N ≥ 0, |x_T| ≤ μ x_N at sticking contacts}, of which a point is
//           known: greatest values of linear functions on S, the interval of every unknown, the
//           dimension of S (theory.md 2.7)
// Method    the barrier (contact_space_barrier.c) from the analytic centre; the points where it
//           ends span the set, and directions that they do not span are tried one by one
// Assumes   bounds are those of contact_space_cone.c, with a box: what comes near to it counts as
//           infinite
#include <math.h>

#include "contact_space_cone.h"

// Accuracy of greatest values, relative to the forces.
static const double GAP = 1e-10;
// Widths of the set below this, relative to the forces, are rounding of the programs.
static const double WIDTH_TOLERANCE = 1e-7;

// ---- Greatest values ----------------------------------------------------------------------------

SpragStatus cone_set_maximize(ConeSet *set, const double *c, double *value, double *where)
{
    SpragArena *arena = set->mode->reduced->arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    double size = cone_set_size(set), largest = 0;
    double *negative = sprag_arena_alloc(arena, 2 * (size_t)set->d + 1, sizeof *negative);
    double *y = negative + set->d;
    if (!negative)
        return SPRAG_ERROR_MEMORY;
    *value = 0;
    for (int k = 0; k < set->d; k++) {
        negative[k] = -c[k];
        y[k] = set->centre[k];
        largest = fmax(largest, fabs(c[k]));
    }
    BarrierObjective objective = {.c = negative, .start = 1 / (size * largest)};
    if (largest > 0)
        SPRAG_TRY(barrier_minimize(arena, &set->barrier, &objective, GAP * size * largest, y));
    for (int k = 0; k < set->d; k++) {
        *value += c[k] * y[k];
        if (where)
            where[k] = y[k];
    }
    // x is inside: y = 0 counts
    *value = *value > 0.01 * CONE_UNBOUNDED * size * largest ? INFINITY : fmax(*value, 0);
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// ---- Shape --------------------------------------------------------------------------------------

// Adds the direction of y to an orthonormal list of `count` directions if it is a new one.
static int extend_hull(const ConeSet *set, double *hull, int count, const double *y, double size)
{
    int d = set->d;
    double *q = hull + (size_t)count * (size_t)d, length = 0;
    for (int k = 0; k < d; k++)
        q[k] = y[k];
    for (int p = 0; p < 2 * count; p++) {
        const double *other = hull + (size_t)(p % count) * (size_t)d;
        double dot = 0;
        for (int k = 0; k < d; k++)
            dot += other[k] * q[k];
        for (int k = 0; k < d; k++)
            q[k] -= dot * other[k];
    }
    for (int k = 0; k < d; k++)
        length = hypot(length, q[k]);
    if (length <= WIDTH_TOLERANCE * size)
        return count;
    for (int k = 0; k < d; k++)
        q[k] /= length;
    return count + 1;
}

// Directions that the extreme points found so far do not span are tried one by one.
static SpragStatus complete_hull(ConeSet *set, double *hull, int *count, double size)
{
    int d = set->d;
    double *c = sprag_arena_alloc(set->mode->reduced->arena, 2 * (size_t)d + 1, sizeof *c);
    double *y = c + d;
    if (!c)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < d && *count < d; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double value;
            if (*count == d)
                break;
            for (int i = 0; i < d; i++)
                c[i] = i == k ? sign : 0;
            for (int p = 0; p < *count; p++)
                for (int i = 0; i < d; i++)
                    c[i] -= sign * hull[p * d + k] * hull[p * d + i];
            SPRAG_TRY(cone_set_maximize(set, c, &value, y));
            *count = extend_hull(set, hull, *count, y, size);
        }
    }
    return SPRAG_OK;
}

// The interval of every unknown; extreme points go to the hull.
static SpragStatus find_intervals(ConeSet *set, double *hull, double *low, double *high,
                                  int *dimension)
{
    int d = set->d, n = set->n;
    double size = cone_set_size(set);
    double *c = sprag_arena_alloc(set->mode->reduced->arena, 2 * (size_t)d + 1, sizeof *c);
    if (!c)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < 2 * n; i++) {
        double value, sign = i < n ? 1 : -1, *y = c + d;
        int unknown = i % n;
        bool fixed = true;
        for (int k = 0; k < d; k++) {
            c[k] = sign * set->null[k * n + unknown];
            fixed &= c[k] == 0;
        }
        if (fixed)
            continue;
        SPRAG_TRY(cone_set_maximize(set, c, &value, y));
        if (i < n)
            high[unknown] += value;
        else
            low[unknown] -= value;
        if (*dimension < d)
            *dimension = extend_hull(set, hull, *dimension, y, size);
    }
    for (int i = 0; i < n; i++)
        if (set->mode->offset[i] == 0 && set->mode->cells[set->mode->constraint[i]].sigma != 0)
            low[i] = low[i] > GAP * size ? low[i] : 0;
    return SPRAG_OK;
}

SpragStatus cone_set_ranges(ConeSet *set, bool ranges, double *low, double *high, int *dimension)
{
    int d = set->d, n = set->n;
    *dimension = 0;
    for (int i = 0; i < n; i++)
        low[i] = high[i] = set->x[i];
    if (d == 0)
        return SPRAG_OK;
    for (int i = 0; !ranges && i < n; i++)
        for (int k = 0; k < d; k++)
            high[i] += set->centre[k] * set->null[k * n + i];
    if (!ranges && (set->slack == 0 || set->mode->reduced->one_force)) {
        *dimension = d; // it has an inside, or a bound will do
        return SPRAG_OK;
    }
    double *hull =
        sprag_arena_alloc(set->mode->reduced->arena, (size_t)(d + 1) * (size_t)d, sizeof *hull);
    if (!hull)
        return SPRAG_ERROR_MEMORY;
    if (ranges)
        SPRAG_TRY(find_intervals(set, hull, low, high, dimension));
    return complete_hull(set, hull, dimension, cone_set_size(set));
}

// contact_forces.c: all forces that make a given motion.
// Problem   {x : C x = ξ, x in its cones}; for a given motion the laws of Coulomb are linear, so
//           this is a polyhedron, and its shape tells whether forces are unique (theory.md 2.7)
// Method    where the mode leaves no choice, the forces that it was solved for; else the set of
//           contact_forces_set.c. Bearings with two normals that stick have cones that are not
//           convex: sets that are too large, or too small and convex, tell
#include <math.h>

#include "contact_forces.h"
#include "sprag/complementarity.h"

// Motions from linear programs are off by up to this many tolerances.
static const double PROGRAM = 100;

// Force of unknown i's own row, and λT of its constraint if that slides, per unit of the unknown.
static void unknown_on_rows(const ForceSet *set, int i, double *on_row, double *on_tangent)
{
    int c = set->leaf->constraint[i];
    Cell cell = set->leaf->cells[c];
    bool slides = cell.kind == CELL_SLIDE && !reduced_is_round(set->reduced, c);
    *on_row = set->leaf->tangential[i] || cell.sigma == 0 ? 1 : cell.sigma;
    *on_tangent = slides ? -cell.k * set->reduced->friction[c] : 0;
}

static void write_interval(SpragMotion *motion, int row, double factor, double x, double low,
                           double high)
{
    motion->force[row] = factor * x;
    motion->force_low[row] = factor > 0 ? factor * low : factor * high;
    motion->force_high[row] = factor > 0 ? factor * high : factor * low;
}

static void write_forces(const ForceSet *set, const double *low, const double *high,
                         SpragMotion *motion)
{
    const Reduced *reduced = set->reduced;
    double size = force_set_size(set);
    for (int r = 0; r < reduced->rows; r++)
        motion->force[r] = motion->force_low[r] = motion->force_high[r] = 0;
    for (int c = 0; c < reduced->constraints; c++)
        motion->active[c] = false;
    for (int i = 0; i < set->n; i++) {
        double on_row, on_tangent, d[WAYS];
        int c = set->leaf->constraint[i];
        unknown_on_rows(set, i, &on_row, &on_tangent);
        write_interval(motion, set->leaf->row[i], on_row, set->x[i], low[i], high[i]);
        double greatest = fmax(fabs(low[i]), fabs(high[i]));
        if (!set->leaf->tangential[i])
            motion->active[c] |= greatest > 1000 * reduced->tolerance * size;
        int tangents = leaf_directions(reduced, c, d);
        for (int k = 0; k < tangents && on_tangent != 0; k++)
            write_interval(motion, reduced->first[c] + 1 + k, on_tangent * d[k], set->x[i], low[i],
                           high[i]);
    }
    for (int c = 0; c < reduced->constraints && reduced->round > 0; c++) {
        double d[WAYS];
        if (set->leaf->cells[c].kind != CELL_SLIDE || !reduced_is_round(reduced, c))
            continue;
        double friction = -set->leaf->cells[c].k * reduced->friction[c] * set->leaf->pressure[c];
        int tangents = leaf_directions(reduced, c, d);
        for (int k = 0; k < tangents; k++)
            write_interval(motion, reduced_tangent(reduced, c) + k, d[k], friction, friction,
                           friction);
    }
}

// Adds the roots of a y² + 2 b y + c.
static int add_roots(double a, double b, double c, double *root, int count)
{
    double disc = b * b - a * c;
    if (a == 0 && b != 0)
        root[count++] = -c / (2 * b);
    if (a == 0 || disc < 0)
        return count;
    root[count++] = (-b - sqrt(disc)) / a;
    root[count++] = (-b + sqrt(disc)) / a;
    return count;
}

static bool admits(const ForceSet *set, const double *x)
{
    double slack = 10 * set->reduced->tolerance * force_set_size(set);
    for (int k = 0; k < set->cones.count; k++) {
        double value = 0;
        for (int i = 0; i < set->n; i++)
            value += set->cones.g[k * set->n + i] * x[i];
        if (value < -slack)
            return false;
    }
    return bearing_admits(set->reduced, set->leaf, x);
}

// Forces that the equations leave one direction: whether one along it is inside of all cones, which
// are quadratic in y there; their borders divide it. On success x is that force.
static SpragStatus look_along(const ForceSet *set, double *x, bool *found)
{
    int n = set->n, count = 0;
    const double *null = set->null;
    size_t most = 2 * (size_t)n + (size_t)set->cones.count;
    double *root = sprag_arena_alloc(set->reduced->arena, most + 1, sizeof *root);
    if (!root)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < set->cones.count; k++) {
        double rate = 0, value = 0;
        for (int i = 0; i < n; i++) {
            rate += set->cones.g[k * n + i] * null[i];
            value += set->cones.g[k * n + i] * set->x[i];
        }
        count = add_roots(0, rate / 2, value, root, count);
    }
    for (int i = 0; i < n; i++) {
        if (!set->leaf->tangential[i] || !reduced_is_round(set->reduced, set->leaf->constraint[i]))
            continue;
        double c[3] = {null[i] * null[i], null[i] * set->x[i], set->x[i] * set->x[i]};
        double mu = set->reduced->friction[set->leaf->constraint[i]];
        int press[WAYS],
            pressing = leaf_press(set->reduced, set->leaf, set->leaf->constraint[i], press);
        for (int e = 0; e < pressing; e++) {
            int k = press[e];
            c[0] -= mu * mu * null[k] * null[k];
            c[1] -= mu * mu * null[k] * set->x[k];
            c[2] -= mu * mu * set->x[k] * set->x[k];
        }
        count = add_roots(c[0], c[1], c[2], root, count);
    }
    // borders, what is between two of them, and beyond the last
    *found = false;
    for (int i = -1; i < count && !*found; i++)
        for (int j = i; j < count && !*found; j++) {
            double y = i < 0 ? (j < 0 ? 0 : root[j] - 1 - fabs(root[j])) : (root[i] + root[j]) / 2;
            for (int pass = 0; pass < 2 && !*found; pass++) {
                for (int k = 0; k < n; k++)
                    x[k] = set->x[k] + y * null[k];
                *found = isfinite(y) && admits(set, x);
                y = i < 0 && j >= 0 ? root[j] + 1 + fabs(root[j]) : y;
            }
        }
    return SPRAG_OK;
}

// The set of forces of a leaf with bearings of two normals that stick. Their cones are not convex:
// without them the set is too large, so that none there is none at all; with |λT| ≤ μ u·λN along
// given directions it is too small, and convex.
static SpragStatus solve_round_set(ForceSet *set, Leaf *leaf, const double *xi, double *low,
                                   double *high, int *dimension, bool *feasible)
{
    // turns of the directions that are tried, after those of the forces without the cones
    static const double turns[] = {0, 1, -1, 2, -2, 3.14159265358979323846};
    const Reduced *reduced = set->reduced;
    ForceSet fresh = *set;
    double *first = sprag_arena_alloc(reduced->arena, (size_t)set->n + 1, sizeof *first);
    if (!first)
        return SPRAG_ERROR_MEMORY;
    set->open = true;
    SPRAG_TRY(force_set_solve(set, xi, low, high, dimension, feasible));
    if (!*feasible || set->null_count == 0) {
        *feasible = *feasible && bearing_admits(reduced, leaf, set->x);
        return SPRAG_OK;
    }
    for (int i = 0; i < set->n; i++)
        first[i] = set->x[i];
    if (set->null_count == 1) {
        SPRAG_TRY(look_along(set, first, feasible));
        if (!*feasible)
            return SPRAG_OK;
    }
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        bearing_aim(reduced, leaf, first, turns[k]);
        *set = fresh;
        for (int i = 0; i < set->n; i++)
            set->x[i] = 0;
        SPRAG_TRY(force_set_solve(set, xi, low, high, dimension, feasible));
        if (*feasible)
            return SPRAG_OK;
    }
    set->undecided = true;
    return SPRAG_OK;
}

SpragStatus forces_of_motion(const Reduced *reduced, const Leaf *found, LeafResult *result,
                             SpragMotion *motion, bool *feasible)
{
    SpragArena *arena = reduced->arena;
    Leaf leaf;
    Cell *cells = sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof *cells);
    if (!cells)
        return SPRAG_ERROR_MEMORY;
    bool same = true;
    for (int c = 0; c < reduced->constraints; c++) {
        cells[c] = cell_of_motion(reduced, c, result->xi, found->cells[c]);
        same &= cells_are_equal(cells[c], found->cells[c]);
    }
    motion->force_dimension = 0;
    *feasible = true;
    if (same && result->regular) {
        ForceSet only = {.reduced = reduced, .leaf = found, .n = found->count, .x = result->x};
        force_set_snap(&only, only.x);
        write_forces(&only, only.x, only.x, motion);
        return SPRAG_OK;
    }
    LeafRoom room; // the leaf that was found keeps its own
    SPRAG_TRY(leaf_room_create(reduced, &room));
    leaf_build(reduced, cells, &room, &leaf);
    const double *xi = result->xi;
    if (reduced->round > 0) {
        double *rest = sprag_arena_alloc(arena, (size_t)reduced->width + 1, sizeof *rest);
        if (!rest)
            return SPRAG_ERROR_MEMORY;
        bearing_load(reduced, &leaf, found->pressure);
        for (int j = 0; j < reduced->width; j++)
            rest[j] = result->xi[j] - leaf.load[j];
        xi = rest; // what is left for the unknowns to make
    }
    // a motion that is not the one point of its equalities comes from a linear program
    ForceSet set = {.reduced = reduced, .leaf = &leaf, .n = leaf.count};
    set.xi_error = reduced->tolerance * (found->rank == reduced->width ? 1 : PROGRAM);
    double *low = sprag_arena_alloc(arena, (size_t)set.n + 1, sizeof *low);
    double *high = sprag_arena_alloc(arena, (size_t)set.n + 1, sizeof *high);
    if (!low || !high)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(force_set_create(&set));
    if (reduced->round > 0)
        SPRAG_TRY(solve_round_set(&set, &leaf, xi, low, high, &motion->force_dimension, feasible));
    else
        SPRAG_TRY(force_set_solve(&set, xi, low, high, &motion->force_dimension, feasible));
    result->undecided |= set.undecided;
    if (*feasible)
        write_forces(&set, low, high, motion);
    return SPRAG_OK;
}

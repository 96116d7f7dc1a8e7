// contact_tree_leaf.c: motions of a complete mode, as the search keeps them.
// Problem   the cells of all constraints are known: the motions of that mode, each once however
//           many modes it is met in (theory.md 2.7), with its forces and modes in physical units
// Method    ξ of the leaf (contact_leaf.c), then all forces that make it (contact_forces.c).
//           Modes are those of the motion, not of the leaf that found it. Frictions of bearings
//           with several normals, theory.md (9.31), are loads: their pressures are roots
//           (contact_bearing.c), or, where forces are not unique, agree with the forces that they
//           make by substitution
// Result    complete is false where such forces are indeterminate, or a limit was met
#include <math.h>

#include "contact_tree.h"

// Motions nearer than this (relative) are one motion found twice: wider than what counts as zero in
// different modes, narrower than anything of interest.
static const double SAME_MOTION = 1e-8;
// Frictions of indeterminate forces are substituted so often.
enum { SUBSTITUTIONS = 200 };

// The motion that was found before with the same accelerations; NULL: none.
static SpragMotion *find_known(const Tree *tree, const double *xi)
{
    for (int m = 0; m < tree->island->motion_count; m++) {
        double difference = 0, size = 1;
        for (int j = 0; j < tree->reduced.width; j++)
            size = fmax(size, fabs(xi[j]));
        // equal accelerations are one motion (theory.md 2.7): rows that are all but dependent tell
        // ξ apart better than they tell motions
        for (int r = 0; r < tree->reduced.rows; r++)
            difference = fmax(
                difference, fabs(reduced_acceleration(&tree->reduced, r, xi) -
                                 reduced_acceleration(&tree->reduced, r, tree->island->found[m])));
        if (difference <= SAME_MOTION * size)
            return &tree->island->motions[m];
    }
    return NULL;
}

SpragStatus allocate_motion(SpragArena *arena, int rows, int constraints, SpragMotion *motion)
{
    size_t m = (size_t)rows + 1, n = (size_t)constraints + 1;
    // one piece for what lives together: requests are a good part of a small problem's time
    double *numbers = sprag_arena_alloc(arena, 4 * m + WAYS * n, sizeof *numbers);
    SpragMode *modes = sprag_arena_alloc(arena, n, sizeof *modes + sizeof(bool));
    if (!numbers || !modes)
        return SPRAG_ERROR_MEMORY;
    *motion = (SpragMotion){0};
    motion->acceleration = numbers;
    motion->force = numbers + m;
    motion->force_low = numbers + 2 * m;
    motion->force_high = numbers + 3 * m;
    motion->direction = numbers + 4 * m;
    motion->modes = modes;
    motion->active = (bool *)(modes + n);
    return SPRAG_OK;
}

// The mode in words of theory.md (3.3), from the motion.
static SpragMode mode_of(const Reduced *reduced, int c, const double *xi, Cell found)
{
    Cell cell = cell_of_motion(reduced, c, xi, found);
    const SpragConstraint *item = reduced_constraint(reduced, c);
    if (cell.kind == CELL_SEPARATE)
        return SPRAG_MODE_SEPARATE;
    if (item->row_count == 1)
        return SPRAG_MODE_CLOSED;
    if (cell.kind == CELL_STICK)
        return SPRAG_MODE_STICK;
    if (reduced_has_direction(reduced, c))
        return item->sliding ? SPRAG_MODE_SLIDE : SPRAG_MODE_STICK;
    int direction = cell.kind == CELL_SLIDE ? cell.k
                    : item->sliding         ? (item->slip[0] > 0 ? 1 : -1)
                                            : reduced_sign(reduced, reduced_tangent(reduced, c), xi,
                                                           reduced->tolerance);
    if (direction == 0)
        return SPRAG_MODE_STICK;
    return direction > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
}

// In space: direction and mode of a contact that slides, or that no friction keeps from it.
static void describe_direction(const Reduced *reduced, int c, SpragMotion *motion)
{
    const SpragConstraint *item = reduced_constraint(reduced, c);
    const double *a = motion->acceleration + reduced_tangent(reduced, c);
    double *d = motion->direction + WAYS * c;
    int tangents = reduced_tangents(reduced, c);
    double size = reduced->beta * reduced->scale[reduced->first[c]];
    if (motion->modes[c] == SPRAG_MODE_SEPARATE)
        return;
    if (item->sliding) {
        leaf_directions(reduced, c, d);
    } else if (sprag_length(tangents, a) > SAME_MOTION * size) {
        motion->modes[c] = SPRAG_MODE_SLIDE;
        for (int k = 0; k < tangents; k++)
            d[k] = a[k] / sprag_length(tangents, a);
    }
}

// Accelerations, modes, and everything back in physical units.
static void finish_motion(const Reduced *reduced, const double *xi, const Cell *found,
                          SpragMotion *motion)
{
    for (int r = 0; r < reduced->rows; r++) {
        double force_unit = reduced->beta / reduced->scale[r];
        double a = reduced_acceleration(reduced, r, xi);
        motion->acceleration[r] = a * reduced->beta * reduced->scale[r];
        motion->force[r] *= force_unit;
        motion->force_low[r] *= force_unit;
        motion->force_high[r] *= force_unit;
    }
    for (int c = 0; c < reduced->constraints; c++) {
        int first = reduced->first[c];
        motion->modes[c] = mode_of(reduced, c, xi, found[c]);
        motion->direction[WAYS * c] = motion->modes[c] == SPRAG_MODE_SLIDE_PLUS    ? 1
                                      : motion->modes[c] == SPRAG_MODE_SLIDE_MINUS ? -1
                                                                                   : 0;
        if (reduced_has_direction(reduced, c))
            describe_direction(reduced, c, motion);
        // what the mode says is zero is written as zero
        int normals = reduced_normals(reduced, c);
        for (int k = 0; k < normals && motion->modes[c] != SPRAG_MODE_SEPARATE; k++)
            motion->acceleration[first + k] = 0;
        if (motion->modes[c] == SPRAG_MODE_STICK)
            motion->acceleration[first + normals] = 0;
    }
}

// Makes room for one more motion; lists double, so old ones stay in the arena until the next
// search.
SpragStatus grow_island(SpragArena *arena, Island *island)
{
    if (island->motion_count < island->motion_capacity)
        return SPRAG_OK;
    int capacity = island->motion_capacity ? 2 * island->motion_capacity : 8;
    SpragMotion *motions = sprag_arena_alloc(arena, (size_t)capacity, sizeof *motions);
    double **found = sprag_arena_alloc(arena, (size_t)capacity, sizeof *found);
    double *missed = sprag_arena_alloc(arena, (size_t)capacity, sizeof *missed);
    if (!motions || !found || !missed)
        return SPRAG_ERROR_MEMORY;
    for (int m = 0; m < island->motion_count; m++) {
        motions[m] = island->motions[m];
        found[m] = island->found[m];
        missed[m] = island->missed[m];
    }
    island->missed = missed;
    island->motions = motions;
    island->found = found;
    island->motion_capacity = capacity;
    return SPRAG_OK;
}

static SpragStatus keep_motion(Tree *tree, const Leaf *leaf, LeafResult *result)
{
    const Reduced *reduced = &tree->reduced;
    Island *island = tree->island;
    SpragMotion motion;
    bool feasible;
    if (island->motion_count == tree->settings->max_motions) {
        tree->complete = false;
        return SPRAG_OK;
    }
    SPRAG_TRY(allocate_motion(reduced->arena, reduced->rows, reduced->constraints, &motion));
    SPRAG_TRY(forces_of_motion(reduced, leaf, result, &motion, &feasible));
    tree->complete &= !result->undecided;
    if (!feasible)
        return SPRAG_OK;
    finish_motion(reduced, result->xi, tree->cells, &motion);
    motion.dimension = result->dimension;
    SPRAG_TRY(grow_island(reduced->arena, island));
    island->found[island->motion_count] = result->xi;
    island->motions[island->motion_count++] = motion;
    return SPRAG_OK;
}

// The motion of a leaf whose frictions of two normals are given.
static SpragStatus visit_loaded(Tree *tree, const Leaf *leaf)
{
    const Reduced *reduced = &tree->reduced;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    LeafResult result = {0};
    result.xi = sprag_arena_alloc(reduced->arena, (size_t)reduced->width + 1, sizeof(double));
    if (!result.xi)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(leaf_solve(reduced, leaf, &result));
    tree->complete &= !result.undecided;
    SpragMotion *known = result.found ? find_known(tree, result.xi) : NULL;
    // the member of a continuum that was solved for may belong to another mode as well
    if (known && result.dimension > known->dimension)
        known->dimension = result.dimension;
    if (!result.found || known) {
        sprag_arena_release(reduced->arena, mark);
        return SPRAG_OK;
    }
    return keep_motion(tree, leaf, &result); // keeps its arrays: no release
}

// Pressures of round bearings as each normal would have them alone: exact where its coordinate is
// its own.
static void lone_pressures(const Reduced *reduced, double *pressure)
{
    for (int c = 0; c < reduced->constraints; c++) {
        int press[WAYS], count = 0;
        if (reduced_is_round(reduced, c))
            count = reduced_press(reduced, c, press);
        pressure[c] = 0;
        for (int k = 0; k < count; k++) {
            int r = press[k];
            double square = reduced->length[r] * reduced->length[r];
            pressure[c] = hypot(pressure[c], square > 0 ? reduced->b[r] / square : 0);
        }
    }
}

// Pressures that agree with the forces that they make, by repeated substitution; *found: there are.
static SpragStatus substitute(Tree *tree, Leaf *leaf, double *xi, SpragMotion *trial,
                              double *pressure, bool *found)
{
    const Reduced *reduced = &tree->reduced;
    SpragArena *arena = reduced->arena;
    double change = INFINITY;
    *found = false;
    for (int k = 0; k < SUBSTITUTIONS && change > reduced->tolerance; k++) {
        SpragArenaMark mark = sprag_arena_mark(arena);
        LeafResult result = {.xi = xi};
        bool feasible;
        bearing_load(reduced, leaf, pressure);
        SPRAG_TRY(leaf_solve(reduced, leaf, &result));
        if (!result.found)
            return SPRAG_OK;
        SPRAG_TRY(forces_of_motion(reduced, leaf, &result, trial, &feasible));
        if (!feasible)
            return SPRAG_OK;
        change = 0;
        for (int c = 0; c < reduced->constraints; c++) {
            if (!reduced_is_round(reduced, c))
                continue;
            int press[WAYS], count = reduced_press(reduced, c, press);
            double now = 0;
            for (int e = 0; e < count; e++)
                now = hypot(now, trial->force[press[e]]);
            change = fmax(change, fabs(now - pressure[c]) / fmax(1, now));
            pressure[c] = now;
        }
        sprag_arena_release(arena, mark);
    }
    *found = change <= reduced->tolerance;
    return SPRAG_OK;
}

// Forces of a leaf with bearings are not unique: one of those whose frictions agree with their
// normals. Whether there are others is not known.
static SpragStatus visit_indeterminate(Tree *tree, Leaf *leaf)
{
    const Reduced *reduced = &tree->reduced;
    SpragArena *arena = reduced->arena;
    double *pressure = sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof(double));
    double *xi = sprag_arena_alloc(arena, (size_t)reduced->width + 1, sizeof(double));
    SpragMotion trial;
    bool found = false;
    if (!pressure || !xi)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(allocate_motion(arena, reduced->rows, reduced->constraints, &trial));
    tree->complete = false;
    SPRAG_TRY(substitute(tree, leaf, xi, &trial, pressure, &found));
    if (!found) {
        lone_pressures(reduced, pressure);
        SPRAG_TRY(substitute(tree, leaf, xi, &trial, pressure, &found));
    }
    return found ? visit_loaded(tree, leaf) : SPRAG_OK;
}

SpragStatus tree_visit_leaf(Tree *tree)
{
    const Reduced *reduced = &tree->reduced;
    Leaf leaf;
    BearingRoots roots = {0};
    tree->leaves++;
    leaf_build(reduced, tree->cells, &tree->room, &leaf);
    leaf.rank = tree->basis_count;
    leaf.basis = tree->basis;
    leaf.point = tree->levels[reduced->constraints].point;
    if (reduced->round > 0)
        SPRAG_TRY(bearing_roots(reduced, &leaf, &roots));
    if (roots.sliding == 0)
        return visit_loaded(tree, &leaf);
    if (!roots.regular)
        return visit_indeterminate(tree, &leaf);
    tree->complete &= roots.complete;
    for (int k = 0; k < roots.count; k++) {
        bearing_load(reduced, &leaf, roots.pressure + (size_t)k * (size_t)reduced->constraints);
        SPRAG_TRY(visit_loaded(tree, &leaf));
    }
    return SPRAG_OK;
}

// contact_space_tree.c: every motion of one island in space, by depth-first search over modes.
// Method    constraint by constraint: separate, stick, start to slip, or what its slip says
//           (theory.md 3.2, 13.1). Modes with at most one starting contact are solved completely
//           (contact_space_start.c), others by sectors of directions (contact_space_sectors.c). A
//           partial mode of many constraints is kept only if its relaxation has a point
// Result    complete is false if a limit was met, or if nothing proves that a motion is not missing
#include <math.h>

#include "contact_space.h"
#include "sprag/complementarity.h"

// Up to this many constraints a mode costs less than the programs that would prune it.
enum { PRUNE_ABOVE = 3 };
// Linear programs that one island may cost, fewer where they are larger; and each of the plain
// modes when that was not enough.
enum { MOST_PROGRAMS = 4000, SMALL = 6, PLAIN_PROGRAMS = 50 };
// Motions nearer than this (relative) are one motion found twice.
static const double SAME_MOTION = 1e-8;
// Bounds that are widened by 100 tolerances let motions in that are so many of them from others.
static const double WIDENED = 1e3;
// Forces that miss a motion by no more than this make it.
static const double MET = 1e-9;

typedef struct SpaceTree {
    const SpragMotionSettings *settings;
    Reduced reduced;
    SpaceCell *cells;
    SpaceMode mode;
    Span span;
    double *points; // width per level: point of the span before each constraint
    double *relaxed;
    Island *island;
    long nodes, leaves, programs;
    long kept; // motions, those included that took the place of another one
    bool complete;
    bool proved; // the one motion found is the only one, whatever the modes not visited
} SpaceTree;

// ---- Motions ------------------------------------------------------------------------------------

// The motion nearest to ξ of those within `near` (relative); −1: there is none.
static int find_known(const SpaceTree *tree, const double *xi, double near)
{
    const Reduced *reduced = &tree->reduced;
    double size = 1;
    int found = -1;
    for (int j = 0; j < reduced->width; j++)
        size = fmax(size, fabs(xi[j]));
    for (int m = 0; m < tree->island->motion_count; m++) {
        double difference = 0;
        for (int r = 0; r < reduced->rows; r++) {
            const double *f = reduced_row(reduced, r);
            double sum = 0;
            for (int j = 0; j < reduced->width; j++)
                sum += f[j] * (xi[j] - tree->island->found[m][j]);
            difference = fmax(difference, fabs(sum));
        }
        if (difference <= near * size) {
            near = difference / size;
            found = m;
        }
    }
    return found;
}

// Whether a mode whose motion is known already starts slips that are none: at the cone's edge,
// where directions say nothing of the motion, and nothing of it is open.
static bool starts_nothing(const SpaceMode *mode, const SpragMotion *known)
{
    for (int c = 0; c < mode->reduced->constraints; c++)
        if (mode->cells[c].kind == SPACE_START && known->modes[c] == SPRAG_MODE_STICK)
            return true;
    return false;
}

// The place of a motion: a new one; that of a neighbour, where only widened bounds (of
// contact_space_cone.c) let one of the two in; −1: the neighbour is the one that stays.
static int find_place(const SpaceTree *tree, const SpaceResult *result)
{
    const Island *island = tree->island;
    double tolerance = tree->reduced.tolerance;
    int near = find_known(tree, result->xi, WIDENED * tolerance);
    if (near < 0 || fabs(island->missed[near] - result->missed) <= tolerance)
        return island->motion_count;
    return island->missed[near] > result->missed ? near : -1;
}

// Mode in words and direction of slip of constraint c.
static void describe(const Reduced *reduced, int c, const double *xi, const SpaceCell *cell,
                     SpragMotion *motion)
{
    const SpragConstraint *item = reduced_constraint(reduced, c);
    double *d = motion->direction + WAYS * c, a[2], error;
    d[0] = d[1] = 0;
    motion->modes[c] = SPRAG_MODE_SEPARATE;
    if (cell->kind == SPACE_SEPARATE)
        return;
    motion->modes[c] = SPRAG_MODE_CLOSED;
    if (item->row_count == 1)
        return;
    bool slides = cell->kind != SPACE_STICK;
    if (cell->kind == SPACE_CLOSED) {
        // without friction the motion alone tells whether it slips
        space_tangential(reduced, c, xi, a, &error);
        slides = item->sliding ? space_direction(item->slip[0], item->slip[1], d)
                               : hypot(a[0], a[1]) > error && space_direction(a[0], a[1], d);
    } else if (slides) {
        d[0] = cell->d[0];
        d[1] = cell->d[1];
    }
    motion->modes[c] = slides ? SPRAG_MODE_SLIDE : SPRAG_MODE_STICK;
}

// Accelerations, modes, and everything back in physical units.
static void finish_motion(const Reduced *reduced, const double *xi, const SpaceCell *cells,
                          SpragMotion *motion)
{
    for (int r = 0; r < reduced->rows; r++) {
        double force_unit = reduced->beta / reduced->scale[r];
        motion->acceleration[r] =
            reduced_acceleration(reduced, r, xi) * reduced->beta * reduced->scale[r];
        motion->force[r] *= force_unit;
        motion->force_low[r] *= force_unit;
        motion->force_high[r] *= force_unit;
    }
    for (int c = 0; c < reduced->constraints; c++) {
        int first = reduced->first[c];
        describe(reduced, c, xi, &cells[c], motion);
        // what the mode says is zero is written as zero
        if (motion->modes[c] != SPRAG_MODE_SEPARATE)
            motion->acceleration[first] = 0;
        if (motion->modes[c] == SPRAG_MODE_STICK)
            motion->acceleration[first + 1] = motion->acceleration[first + 2] = 0;
    }
}

// Whether a motion that is kept in a place is the only one there is.
static SpragStatus prove_only(SpaceTree *tree, int place, SpaceResult *result,
                              const SpaceCell *cells, SpragMotion *motion)
{
    const Reduced *reduced = &tree->reduced;
    bool alone = place == 0 && tree->island->motion_count <= 1 && reduced->constraints > 1;
    if (!alone || tree->settings->modes || result->dimension > 0)
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    bool exact = result->missed <= reduced->tolerance;
    SPRAG_TRY(space_is_only(reduced, cells, result->xi, exact, motion->force, &tree->proved));
    sprag_arena_release(reduced->arena, mark);
    if (tree->proved)
        result->missed = 0;
    for (int r = 0; r < reduced->rows && tree->proved && !exact; r++) {
        motion->force_low[r] = fmin(motion->force_low[r], motion->force[r]);
        motion->force_high[r] = fmax(motion->force_high[r], motion->force[r]);
    }
    return SPRAG_OK;
}

static SpragStatus keep_motion(void *user, const SpaceMode *mode, SpaceResult *result)
{
    SpaceTree *tree = user;
    const Reduced *reduced = &tree->reduced;
    Island *island = tree->island;
    SpragMotion motion;
    int same = find_known(tree, result->xi, SAME_MOTION);
    bool feasible;
    if (same >= 0 && !(island->missed[same] > MET)) {
        SpragMotion *known = &island->motions[same];
        if (result->dimension > known->dimension && !starts_nothing(mode, known))
            known->dimension = result->dimension;
        return SPRAG_OK;
    }
    if (island->motion_count == tree->settings->max_motions) {
        tree->complete = false;
        return SPRAG_OK;
    }
    SpaceCell *cells =
        sprag_arena_alloc(reduced->arena, (size_t)reduced->constraints + 1, sizeof *cells);
    if (!cells)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(allocate_motion(reduced->arena, reduced->rows, reduced->constraints, &motion));
    SPRAG_TRY(space_forces(mode, result, tree->settings->ranges, cells, &motion, &feasible));
    if (!feasible)
        return SPRAG_OK;
    // what only widened bounds let in gives way to a motion that needs none
    int place = same < 0 ? find_place(tree, result) : result->missed <= MET ? same : -1;
    if (place < 0)
        return SPRAG_OK;
    SPRAG_TRY(prove_only(tree, place, result, cells, &motion));
    finish_motion(reduced, result->xi, cells, &motion);
    motion.dimension = result->dimension;
    SPRAG_TRY(grow_island(reduced->arena, island));
    result->kept = true;
    tree->kept++;
    island->found[place] = result->xi;
    island->missed[place] = result->missed;
    island->motions[place] = motion;
    island->motion_count += place == island->motion_count;
    return SPRAG_OK;
}

// ---- The tree -----------------------------------------------------------------------------------

static SpragStatus visit_leaf(SpaceTree *tree)
{
    int starts = 0, start = 0;
    bool decided = true;
    SpragArena *arena = tree->reduced.arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    long before = tree->kept;
    tree->leaves++;
    for (int c = 0; c < tree->reduced.constraints; c++)
        if (tree->cells[c].kind == SPACE_START) {
            tree->cells[c].half = 0;
            start = c;
            starts++;
        }
    if (starts == 0)
        SPRAG_TRY(space_solve_linear(&tree->mode, &tree->span, keep_motion, tree));
    else if (starts == 1)
        SPRAG_TRY(space_solve_start(&tree->mode, &tree->span, start, keep_motion, tree, &decided));
    if (starts > 1 || (starts == 1 && !decided)) {
        decided = true;
        SPRAG_TRY(space_search_sectors(&tree->mode, &tree->span, keep_motion, tree, &tree->programs,
                                       &decided));
    }
    tree->complete &= decided;
    // a motion that was kept keeps its arrays
    if (tree->kept == before)
        sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// Whether the cells of constraints 0 … last leave a point when nothing is asked of the others.
static SpragStatus is_possible(SpaceTree *tree, int last, bool *possible)
{
    const Reduced *reduced = &tree->reduced;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    for (int c = 0; c < reduced->constraints; c++) {
        const SpragConstraint *item = reduced_constraint(reduced, c);
        bool two_sided =
            item->kind == SPRAG_CONSTRAINT_BILATERAL || item->kind == SPRAG_CONSTRAINT_GUIDE;
        if (c <= last && tree->cells[c].kind == SPACE_START)
            tree->cells[c].half = INFINITY;
        if (c <= last)
            continue;
        tree->cells[c] = (SpaceCell){.kind = SPACE_OPEN, .sigma = !two_sided};
    }
    space_mode_fill(&tree->mode);
    tree->programs--;
    SPRAG_TRY(space_relax(&tree->mode, &tree->span, tree->relaxed, tree->relaxed + reduced->rows,
                          possible));
    sprag_arena_release(reduced->arena, mark);
    return SPRAG_OK;
}

// Whether a cell belongs to the modes that the settings ask for.
static bool is_asked(const SpaceTree *tree, int c, const SpaceCell *cell)
{
    const SpragMode *modes = tree->settings->modes;
    if (!modes)
        return true;
    SpragMode mode = modes[tree->island->member[c]];
    switch (cell->kind) {
    case SPACE_SEPARATE:
        return mode == SPRAG_MODE_SEPARATE;
    case SPACE_STICK:
        return mode == SPRAG_MODE_STICK;
    case SPACE_CLOSED: // without friction
        return mode != SPRAG_MODE_SEPARATE;
    default:
        return mode == SPRAG_MODE_SLIDE;
    }
}

static SpragStatus visit(SpaceTree *tree, int c)
{
    const Reduced *reduced = &tree->reduced;
    int width = reduced->width, before = tree->span.count;
    if (tree->proved)
        return SPRAG_OK;
    if (++tree->nodes > tree->settings->max_nodes) {
        tree->complete = false;
        return SPRAG_OK;
    }
    if (c == reduced->constraints)
        return visit_leaf(tree);
    if (reduced->constraints > PRUNE_ABOVE && tree->programs <= 0) {
        tree->complete = false; // without pruning there is no end
        return SPRAG_OK;
    }
    SpaceCell cells[SPACE_MAX_CELLS];
    int count = space_cells_of(reduced, c, cells);
    double *point = tree->points + (size_t)c * (size_t)width;
    for (int j = 0; j < width; j++)
        point[j] = tree->span.point[j];
    for (int i = 0; i < count; i++) {
        bool possible = true;
        if (!is_asked(tree, c, &cells[i]))
            continue;
        tree->cells[c] = cells[i];
        tree->span.count = before;
        for (int j = 0; j < width; j++)
            tree->span.point[j] = point[j];
        if (!span_add_cell(reduced, &tree->span, c, &cells[i]))
            continue;
        for (int e = 0; e <= c && reduced->constraints > 1 && possible; e++)
            possible = span_agrees(reduced, &tree->span, e, &tree->cells[e]);
        if (possible && reduced->constraints > PRUNE_ABOVE && !tree->settings->modes)
            SPRAG_TRY(is_possible(tree, c, &possible));
        if (possible)
            SPRAG_TRY(visit(tree, c + 1));
    }
    tree->span.count = before;
    for (int j = 0; j < width; j++)
        tree->span.point[j] = point[j];
    return SPRAG_OK;
}

static void clear_span(SpaceTree *tree)
{
    tree->span.count = 0;
    for (int j = 0; j < tree->reduced.width; j++)
        tree->span.point[j] = 0;
}

// Where the search was cut short: the modes in which every contact does the same.
static SpragStatus visit_plain_modes(SpaceTree *tree)
{
    static const SpaceKind kinds[] = {SPACE_STICK, SPACE_START, SPACE_SEPARATE};
    const Reduced *reduced = &tree->reduced;
    for (int k = 0; k < 3; k++) {
        bool possible = true;
        clear_span(tree);
        for (int c = 0; c < reduced->constraints && possible; c++) {
            SpaceCell cells[SPACE_MAX_CELLS];
            int count = space_cells_of(reduced, c, cells);
            tree->cells[c] = cells[0];
            for (int i = 0; i < count; i++)
                if (cells[i].kind == kinds[k])
                    tree->cells[c] = cells[i];
            possible = span_add_cell(reduced, &tree->span, c, &tree->cells[c]);
        }
        tree->programs = PLAIN_PROGRAMS;
        if (possible)
            SPRAG_TRY(visit_leaf(tree));
    }
    return SPRAG_OK;
}

// Everything rests, or all of it slips, or what a solver finds: where one of these is proved to be
// the only motion, nothing is left to search.
static SpragStatus try_likely_modes(SpaceTree *tree)
{
    const Reduced *reduced = &tree->reduced;
    bool possible = true;
    for (int c = 0; c < reduced->constraints && possible; c++) {
        space_cells_of(reduced, c,
                       &tree->cells[c]); // the first: closed, as its slip says, or stick
        possible = span_add_cell(reduced, &tree->span, c, &tree->cells[c]);
    }
    if (possible)
        SPRAG_TRY(visit_leaf(tree));
    if (possible && !tree->proved) {
        space_mode_fill(&tree->mode);
        SPRAG_TRY(space_solve_slip(&tree->mode, &tree->span, keep_motion, tree));
    }
    if (!tree->proved && reduced->constraints > PRUNE_ABOVE)
        SPRAG_TRY(space_solve_likely(reduced, keep_motion, tree));
    tree->complete = true; // as long as nothing was left out on purpose
    return SPRAG_OK;
}

// ---- Rest that needs no friction ----------------------------------------------------------------

// An equation that is nothing but rounding would be taken at its word.
static double unless_rounding(double x)
{
    const double rounding = 1e-13;
    return fabs(x) > rounding ? x : 0;
}

// Whether normal forces alone keep the island at rest, contacts with friction in all their rows. No
// other motion exists then: with λ₀ those forces, |ξ − ξ₀|² = (λ − λ₀)ᵀ(a − a₀) =
// −Σ (μ λN |aT| + λ₀N aN) ≤ 0 for every other solution, theory.md (13.14).
static SpragStatus rests_without_friction(SpaceTree *tree, bool *rests)
{
    const Reduced *reduced = &tree->reduced;
    SpragArena *arena = reduced->arena;
    int n = reduced->constraints, w = reduced->width;
    *rests = true;
    for (int c = 0; c < n && *rests; c++) {
        bool friction = reduced->friction[c] > 0 && reduced_constraint(reduced, c)->row_count > 1;
        bool guide = reduced_constraint(reduced, c)->kind == SPRAG_CONSTRAINT_GUIDE;
        space_cells_of(reduced, c, &tree->cells[c]);
        *rests = !(friction && (guide || tree->cells[c].kind == SPACE_SLIDE)) &&
                 span_add_cell(reduced, &tree->span, c, &tree->cells[c]);
    }
    if (!*rests)
        return SPRAG_OK;
    int bounded = 0;
    double *A = sprag_arena_alloc(arena, (size_t)(n + w) * (size_t)n + 1, sizeof *A);
    double *b = sprag_arena_alloc(arena, (size_t)(n + w) + 1, sizeof *b);
    double *x = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *x);
    if (!A || !b || !x)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < n; c++)
        if (tree->cells[c].sigma != 0)
            A[bounded++ * n + c] = -1;
    for (int j = 0; j < w; j++) {
        b[bounded + j] = unless_rounding(tree->span.point[j]);
        for (int c = 0; c < n; c++)
            A[(bounded + j) * n + c] = unless_rounding(reduced_row(reduced, reduced->first[c])[j]);
    }
    SpragLp program = {n, bounded, w, A, b, NULL};
    SpragLpStatus status;
    SPRAG_TRY(sprag_lp_solve(arena, &program, 10 * reduced->tolerance, x, NULL, &status));
    *rests = status == SPRAG_LP_OPTIMAL;
    return SPRAG_OK;
}

static SpragStatus allocate_tree(SpaceTree *tree)
{
    SpragArena *arena = tree->reduced.arena;
    size_t constraints = (size_t)tree->reduced.constraints, width = (size_t)tree->reduced.width;
    size_t rows = (size_t)tree->reduced.rows;
    // two more: space_cells_of writes a few
    tree->cells = sprag_arena_alloc(arena, constraints + SPACE_MAX_CELLS, sizeof *tree->cells);
    tree->points = sprag_arena_alloc(arena, constraints * width + 1, sizeof(double));
    tree->relaxed = sprag_arena_alloc(arena, rows + width + 1, sizeof(double));
    if (!tree->cells || !tree->points || !tree->relaxed)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(span_create(&tree->reduced, &tree->span));
    return space_mode_create(&tree->reduced, tree->cells, &tree->mode);
}

// Columns of F beyond the rank of W are zero: without them everything is shorter.
static void drop_zero_columns(Reduced *reduced)
{
    int w = reduced->width, kept = 0;
    for (int j = 0; j < w; j++)
        for (int r = 0; r < reduced->rows; r++)
            if (reduced_row(reduced, r)[j] != 0)
                kept = j + 1;
    for (int r = 0; r < reduced->rows && kept < w; r++)
        for (int j = 0; j < kept; j++)
            reduced->F[r * kept + j] = reduced->F[r * w + j];
    reduced->width = kept;
}

SpragStatus search_space_island(SpragArena *arena, const SpragContactProblem *problem,
                                const SpragMotionSettings *settings, Island *island,
                                SpragMotionSet *set)
{
    SpaceTree tree = {.settings = settings, .island = island, .complete = true};
    bool rests = false;
    double part = fmin(1, (double)SMALL / island->member_count);
    const long programs = (long)fmin(MOST_PROGRAMS * part * part, (double)settings->max_nodes);
    tree.programs = programs;
    SPRAG_TRY(reduce_problem(arena, problem, settings, island->member, island->member_count,
                             &tree.reduced));
    drop_zero_columns(&tree.reduced);
    SPRAG_TRY(allocate_tree(&tree));
    if (island->member_count > 1) {
        SPRAG_TRY(rests_without_friction(&tree, &rests));
        if (rests)
            SPRAG_TRY(visit_leaf(&tree));
        rests = island->motion_count > 0;
        clear_span(&tree);
    }
    if (!rests && island->member_count > 1 && !settings->modes) {
        SPRAG_TRY(try_likely_modes(&tree));
        clear_span(&tree);
    }
    if (!rests && !tree.proved) {
        SPRAG_TRY(visit(&tree, 0));
        if (tree.programs <= 0 && !settings->modes && !tree.proved)
            SPRAG_TRY(visit_plain_modes(&tree));
    }
    set->node_count += tree.nodes;
    set->leaf_count += tree.leaves;
    set->program_count += programs - tree.programs;
    set->complete &= tree.complete || tree.proved;
    return SPRAG_OK;
}

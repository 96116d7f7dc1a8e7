// contact_motions.c: every motion of a contact problem.
// Problem   all a = W λ + b that obey Coulomb's law in every constraint, theory.md section 2
// Method    islands (constraints that W couples) one by one; in each a depth-first search over the
//           cells of its constraints (theory.md 3.2, 3.3). Cells are told apart by the motion alone
//           (a_N > 0, a_T < 0, …), so each motion lives in exactly one mode. A partial mode is kept
//           only if some motion has its signs: rows in the span of the equalities met so far have a
//           known acceleration, and a linear program decides the rest
// Result    islands are combined; complete is false if a limit was met
#include <math.h>
#include <string.h>

#include "contact_search.h"
#include "sprag/complementarity.h"

enum { MOTION_COOKIE = 0x4d4f5431, PRUNE_ABOVE = 3 };
// Rows nearer than this to the span of the equality rows have a determined acceleration.
static const double IN_SPAN = 1e-10;
// Motions nearer than this (relative) are one motion found twice.
static const double SAME_MOTION = 1e-9;

// Motions of one island, with rows and constraints numbered locally, in physical units.
typedef struct Island {
    int *member;
    int member_count;
    int motion_count, motion_capacity;
    SpragMotion *motions;
    double **found; // ξ of each motion
} Island;

struct SpragMotionSearch {
    SpragContext *context;
    SpragArena *arena;
    SpragMotion *results; // combined motions; their arrays are in the arena
    size_t result_capacity;
};

typedef struct Level {
    int basis_count;    // equality rows in the basis below this level
    int equality_count; // equality rows, dependent ones included
    double *point;      // ξ that meets the equalities so far (least norm)
    double *witness;    // ξ that had the signs so far, when last looked for
} Level;

typedef struct Tree {
    SpragMotionSearch *search;
    const SpragMotionSettings *settings;
    Reduced reduced;
    Cell *cells;   // assigned so far
    Level *levels; // one per constraint, and one more
    double *basis; // orthonormal rows, at most width of them
    int basis_count;
    double *vector; // width: scratch
    Island *island;
    long nodes, leaves;
    bool complete;
} Tree;

SpragMotionSettings sprag_motion_default(void)
{
    return (SpragMotionSettings){.tolerance = 1e-11,
                                 .singular = 1e-12,
                                 .max_motions = 4096,
                                 .max_nodes = 5000000,
                                 .cookie = MOTION_COOKIE};
}

SpragStatus sprag_motion_search_create(SpragContext *context, SpragMotionSearch **search)
{
    *search = NULL;
    SpragMotionSearch *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    SpragStatus status = sprag_arena_create(context, 1 << 16, &created->arena);
    if (status != SPRAG_OK) {
        sprag_free(context, created);
        return status;
    }
    *search = created;
    return SPRAG_OK;
}

void sprag_motion_search_destroy(SpragMotionSearch *search)
{
    if (!search)
        return;
    sprag_arena_destroy(search->arena);
    sprag_free(search->context, search->results);
    sprag_free(search->context, search);
}

// ---- Equalities met so far ----------------------------------------------------------------------

// vector = part of row r outside the span of the basis; returns its length.
static double outside_span(Tree *tree, int row)
{
    int w = tree->reduced.width;
    memcpy(tree->vector, reduced_row(&tree->reduced, row), (size_t)w * sizeof(double));
    // twice is enough [Parlett1998, Sec. 6.9]
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < tree->basis_count; k++) {
            const double *q = tree->basis + k * w;
            double dot = 0;
            for (int j = 0; j < w; j++)
                dot += q[j] * tree->vector[j];
            for (int j = 0; j < w; j++)
                tree->vector[j] -= dot * q[j];
        }
    }
    double sum = 0;
    for (int j = 0; j < w; j++)
        sum += tree->vector[j] * tree->vector[j];
    return sqrt(sum);
}

// Sign of the acceleration of a row in the span. A distance of IN_SPAN from it counts as none, so
// an acceleration of that size must, or a row could be neither zero nor not.
static int determined_sign(const Tree *tree, int row, const double *point)
{
    return reduced_sign(&tree->reduced, row, point, fmax(IN_SPAN, tree->reduced.tolerance));
}

static bool is_determined(Tree *tree, int row, const double *point, int *sign)
{
    if (outside_span(tree, row) > IN_SPAN)
        return false;
    *sign = determined_sign(tree, row, point);
    return true;
}

// Adds the equality a_row = 0 and moves the point; false: it contradicts those before.
static bool add_equality(Tree *tree, int row, Level *level)
{
    const Reduced *reduced = &tree->reduced;
    int w = reduced->width;
    double length = outside_span(tree, row);
    level->equality_count++;
    if (length <= IN_SPAN)
        return determined_sign(tree, row, level->point) == 0;
    double at_point = reduced_acceleration(reduced, row, level->point);
    double at_witness = reduced_acceleration(reduced, row, level->witness);
    double *q = tree->basis + tree->basis_count++ * w;
    for (int j = 0; j < w; j++) {
        q[j] = tree->vector[j] / length;
        level->point[j] -= q[j] * at_point / length;
        level->witness[j] -= q[j] * at_witness / length;
    }
    return true;
}

// Whether the cell of constraint c agrees with accelerations that the equalities determine. A
// closure is not enough: a "separate" with a_N = 0 belongs to the closed cells, which are visited
// too.
static bool agrees(Tree *tree, int c, const double *point)
{
    const Reduced *reduced = &tree->reduced;
    Cell cell = tree->cells[c];
    bool starts = cell.kind == CELL_SLIDE && !reduced_constraint(reduced, c)->sliding;
    int sign;
    if (cell.kind == CELL_SEPARATE && is_determined(tree, reduced->first[c], point, &sign))
        return sign > 0;
    if (starts && is_determined(tree, reduced->first[c] + 1, point, &sign))
        return sign == cell.k;
    return true;
}

// ---- Pruning ------------------------------------------------------------------------------------

// Row whose acceleration must have a strict sign in the cell of constraint c; −1: none has.
static int signed_row(const Tree *tree, int c, double *sign)
{
    Cell cell = tree->cells[c];
    *sign = cell.kind == CELL_SEPARATE ? 1 : cell.k;
    if (cell.kind == CELL_SEPARATE)
        return tree->reduced.first[c];
    bool starts = cell.kind == CELL_SLIDE && !reduced_constraint(&tree->reduced, c)->sliding;
    return starts ? tree->reduced.first[c] + 1 : -1;
}

static bool is_witness(const Tree *tree, int last, const double *xi)
{
    for (int c = 0; c <= last; c++) {
        double sign;
        int row = signed_row(tree, c, &sign);
        if (row >= 0 && reduced_sign(&tree->reduced, row, xi, tree->reduced.tolerance) != sign)
            return false;
    }
    return true;
}

// The program over (ξ, t): equalities, and sign · a_row ≥ t of constraints 0 … last; t ≤ 1.
static SpragStatus build_program(const Tree *tree, int last, SpragLp *program)
{
    const Reduced *reduced = &tree->reduced;
    int w = reduced->width, n = w + 1, count = 0;
    size_t rows = (size_t)(last + 1 + tree->basis_count) + 2;
    double *A = sprag_arena_alloc(reduced->arena, rows * (size_t)n, sizeof *A);
    double *b = sprag_arena_alloc(reduced->arena, rows, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c <= last; c++) {
        double sign;
        int row = signed_row(tree, c, &sign);
        if (row < 0)
            continue;
        for (int j = 0; j < w; j++)
            A[count * n + j] = -sign * reduced_row(reduced, row)[j];
        A[count * n + w] = 1;
        b[count++] = sign * reduced->b[row];
    }
    A[count * n + w] = 1;
    b[count++] = 1;
    const double *point = tree->levels[last + 1].point;
    for (int k = 0; k < tree->basis_count; k++) {
        for (int j = 0; j < w; j++) {
            A[(count + k) * n + j] = tree->basis[k * w + j];
            b[count + k] += tree->basis[k * w + j] * point[j];
        }
    }
    *program = (SpragLp){n, count, tree->basis_count, A, b, NULL};
    return SPRAG_OK;
}

// Whether some motion has the signs of the cells of constraints 0 … last, strictly: one on the
// border belongs to another mode. Often the witness of the level before tells.
static SpragStatus is_possible(Tree *tree, int last, bool *possible)
{
    SpragArena *arena = tree->reduced.arena;
    Level *level = &tree->levels[last + 1];
    int w = tree->reduced.width;
    *possible = true;
    if (is_witness(tree, last, level->witness))
        return SPRAG_OK;
    SpragArenaMark mark = sprag_arena_mark(arena);
    SpragLp program;
    SpragLpStatus status;
    double *x = sprag_arena_alloc(arena, 2 * (size_t)w + 2, sizeof *x);
    if (!x)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(build_program(tree, last, &program));
    double *c = x + w + 1;
    c[w] = 1;
    program.c = c;
    SPRAG_TRY(sprag_lp_solve(arena, &program, tree->settings->tolerance, x, NULL, &status));
    *possible = status == SPRAG_LP_LIMIT ||
                (status == SPRAG_LP_OPTIMAL && x[w] > tree->settings->tolerance);
    if (*possible)
        memcpy(level->witness, x, (size_t)w * sizeof *x);
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

// ---- Leaves -------------------------------------------------------------------------------------

// The motion that was found before with the same ξ; NULL: none.
static SpragMotion *find_known(const Tree *tree, const double *xi)
{
    for (int m = 0; m < tree->island->motion_count; m++) {
        double difference = 0, size = 1;
        for (int j = 0; j < tree->reduced.width; j++) {
            difference = fmax(difference, fabs(xi[j] - tree->island->found[m][j]));
            size = fmax(size, fabs(xi[j]));
        }
        if (difference <= SAME_MOTION * size)
            return &tree->island->motions[m];
    }
    return NULL;
}

static SpragStatus allocate_motion(SpragArena *arena, int rows, int constraints,
                                   SpragMotion *motion)
{
    *motion = (SpragMotion){0};
    motion->acceleration = sprag_arena_alloc(arena, (size_t)rows + 1, sizeof(double));
    motion->force = sprag_arena_alloc(arena, (size_t)rows + 1, sizeof(double));
    motion->force_low = sprag_arena_alloc(arena, (size_t)rows + 1, sizeof(double));
    motion->force_high = sprag_arena_alloc(arena, (size_t)rows + 1, sizeof(double));
    motion->modes = sprag_arena_alloc(arena, (size_t)constraints + 1, sizeof(SpragMode));
    motion->active = sprag_arena_alloc(arena, (size_t)constraints + 1, sizeof(bool));
    bool ok = motion->acceleration && motion->force && motion->force_low && motion->force_high &&
              motion->modes && motion->active;
    return ok ? SPRAG_OK : SPRAG_ERROR_MEMORY;
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
    int direction = cell.kind == CELL_SLIDE ? cell.k
                    : item->sliding
                        ? (item->slip[0] > 0 ? 1 : -1)
                        : reduced_sign(reduced, reduced->first[c] + 1, xi, reduced->tolerance);
    if (direction == 0)
        return SPRAG_MODE_STICK;
    return direction > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
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
        // what the mode says is zero is written as zero
        if (motion->modes[c] != SPRAG_MODE_SEPARATE)
            motion->acceleration[first] = 0;
        if (motion->modes[c] == SPRAG_MODE_STICK)
            motion->acceleration[first + 1] = 0;
    }
}

// Makes room for one more motion; lists double, so old ones stay in the arena until the next
// search.
static SpragStatus grow_island(SpragArena *arena, Island *island)
{
    if (island->motion_count < island->motion_capacity)
        return SPRAG_OK;
    int capacity = island->motion_capacity ? 2 * island->motion_capacity : 8;
    SpragMotion *motions = sprag_arena_alloc(arena, (size_t)capacity, sizeof *motions);
    double **found = sprag_arena_alloc(arena, (size_t)capacity, sizeof *found);
    if (!motions || !found)
        return SPRAG_ERROR_MEMORY;
    for (int m = 0; m < island->motion_count; m++) {
        motions[m] = island->motions[m];
        found[m] = island->found[m];
    }
    island->motions = motions;
    island->found = found;
    island->motion_capacity = capacity;
    return SPRAG_OK;
}

static SpragStatus keep_motion(Tree *tree, const Leaf *leaf, const LeafResult *result)
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
    if (!feasible)
        return SPRAG_OK;
    finish_motion(reduced, result->xi, tree->cells, &motion);
    motion.dimension = result->dimension;
    SPRAG_TRY(grow_island(reduced->arena, island));
    island->found[island->motion_count] = result->xi;
    island->motions[island->motion_count++] = motion;
    return SPRAG_OK;
}

static SpragStatus visit_leaf(Tree *tree)
{
    const Reduced *reduced = &tree->reduced;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    LeafResult result = {0};
    Leaf leaf;
    tree->leaves++;
    result.xi = sprag_arena_alloc(reduced->arena, (size_t)reduced->width + 1, sizeof(double));
    if (!result.xi)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(leaf_build(reduced, tree->cells, &leaf));
    leaf.rank = tree->basis_count;
    leaf.basis = tree->basis;
    leaf.point = tree->levels[reduced->constraints].point;
    SPRAG_TRY(leaf_solve(reduced, &leaf, &result));
    tree->complete &= !result.undecided;
    SpragMotion *known = result.found ? find_known(tree, result.xi) : NULL;
    // the member of a continuum that was solved for may belong to another mode as well
    if (known && result.dimension > known->dimension)
        known->dimension = result.dimension;
    if (!result.found || known) {
        sprag_arena_release(reduced->arena, mark);
        return SPRAG_OK;
    }
    return keep_motion(tree, &leaf, &result); // keeps its arrays: no release
}

// ---- The tree -----------------------------------------------------------------------------------

static SpragStatus visit(Tree *tree, int c);

// Tries one cell of constraint c, on top of the levels before.
static SpragStatus visit_cell(Tree *tree, int c, Cell cell)
{
    const Reduced *reduced = &tree->reduced;
    const Level *before = &tree->levels[c];
    Level *level = &tree->levels[c + 1];
    size_t bytes = (size_t)reduced->width * sizeof(double);
    memcpy(level->point, before->point, bytes);
    memcpy(level->witness, before->witness, bytes);
    level->equality_count = before->equality_count;
    tree->basis_count = before->basis_count;
    tree->cells[c] = cell;
    if (cell_is_closed(cell) && !add_equality(tree, reduced->first[c], level))
        return SPRAG_OK;
    if (cell.kind == CELL_STICK && !add_equality(tree, reduced->first[c] + 1, level))
        return SPRAG_OK;
    level->basis_count = tree->basis_count;
    for (int i = 0; i <= c; i++)
        if (!agrees(tree, i, level->point))
            return SPRAG_OK;
    // a leaf with independent rows costs less than the program; dependent ones cost more
    bool last = c + 1 == reduced->constraints;
    if (last ? level->equality_count > level->basis_count : reduced->constraints > PRUNE_ABOVE) {
        bool possible;
        SPRAG_TRY(is_possible(tree, c, &possible));
        if (!possible)
            return SPRAG_OK;
    }
    return visit(tree, c + 1);
}

static SpragStatus visit(Tree *tree, int c)
{
    if (++tree->nodes > tree->settings->max_nodes) {
        tree->complete = false;
        return SPRAG_OK;
    }
    if (c == tree->reduced.constraints)
        return visit_leaf(tree);
    Cell cells[MAX_CELLS];
    int count = cells_of(&tree->reduced, c, cells);
    for (int i = 0; i < count; i++)
        SPRAG_TRY(visit_cell(tree, c, cells[i]));
    return SPRAG_OK;
}

static SpragStatus allocate_tree(Tree *tree)
{
    SpragArena *arena = tree->search->arena;
    size_t constraints = (size_t)tree->reduced.constraints, width = (size_t)tree->reduced.width;
    tree->cells = sprag_arena_alloc(arena, constraints + 1, sizeof *tree->cells);
    tree->levels = sprag_arena_alloc(arena, constraints + 2, sizeof *tree->levels);
    tree->basis = sprag_arena_alloc(arena, (width + 1) * (width + 1), sizeof(double));
    tree->vector = sprag_arena_alloc(arena, width + 1, sizeof(double));
    double *points = sprag_arena_alloc(arena, 2 * (constraints + 2) * (width + 1), sizeof *points);
    if (!tree->cells || !tree->levels || !tree->basis || !tree->vector || !points)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < constraints + 2; i++) {
        tree->levels[i].point = points + 2 * i * (width + 1);
        tree->levels[i].witness = points + (2 * i + 1) * (width + 1);
    }
    return SPRAG_OK;
}

static SpragStatus search_island(SpragMotionSearch *search, const SpragContactProblem *problem,
                                 const SpragMotionSettings *settings, Island *island,
                                 SpragMotionSet *set)
{
    Tree tree = {.search = search, .settings = settings, .island = island, .complete = true};
    SPRAG_TRY(reduce_problem(search->arena, problem, settings, island->member, island->member_count,
                             &tree.reduced));
    SPRAG_TRY(allocate_tree(&tree));
    SPRAG_TRY(visit(&tree, 0));
    set->node_count += tree.nodes;
    set->leaf_count += tree.leaves;
    set->complete &= tree.complete;
    return SPRAG_OK;
}

// ---- Islands ------------------------------------------------------------------------------------

static bool are_coupled(const SpragContactProblem *problem, int c, int d)
{
    const SpragConstraint *x = &problem->constraints[c], *y = &problem->constraints[d];
    for (int i = 0; i < x->row_count; i++)
        for (int j = 0; j < y->row_count; j++)
            if (problem->W[(x->row + i) * problem->row_count + y->row + j] != 0)
                return true;
    return false;
}

static SpragStatus find_islands(SpragMotionSearch *search, const SpragContactProblem *problem,
                                Island **islands, int *island_count)
{
    SpragArena *arena = search->arena;
    int n = problem->constraint_count;
    bool *taken = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *taken);
    int *order = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *order);
    Island *list = sprag_arena_alloc(arena, (size_t)n + 1, sizeof *list);
    if (!taken || !order || !list)
        return SPRAG_ERROR_MEMORY;
    int used = 0, count = 0;
    for (int seed = 0; seed < n; seed++) {
        if (taken[seed])
            continue;
        Island *island = &list[count++];
        island->member = order + used;
        order[used++] = seed;
        taken[seed] = true;
        island->member_count = 1;
        for (int i = 0; i < island->member_count; i++) {
            for (int d = 0; d < n; d++) {
                if (taken[d] || !are_coupled(problem, island->member[i], d))
                    continue;
                taken[d] = true;
                order[used++] = d;
                island->member_count++;
            }
        }
    }
    *islands = list;
    *island_count = count;
    return SPRAG_OK;
}

// Copies motion `choice` of an island to its places in the whole problem.
static void scatter(const SpragContactProblem *problem, const Island *island, int choice,
                    SpragMotion *target)
{
    const SpragMotion *source = &island->motions[choice];
    int local = 0;
    for (int i = 0; i < island->member_count; i++) {
        const SpragConstraint *item = &problem->constraints[island->member[i]];
        target->modes[island->member[i]] = source->modes[i];
        target->active[island->member[i]] = source->active[i];
        for (int k = 0; k < item->row_count; k++, local++) {
            target->acceleration[item->row + k] = source->acceleration[local];
            target->force[item->row + k] = source->force[local];
            target->force_low[item->row + k] = source->force_low[local];
            target->force_high[item->row + k] = source->force_high[local];
        }
    }
    target->dimension += source->dimension;
    target->force_dimension += source->force_dimension;
}

// Every combination of one motion per island, the last island fastest.
static SpragStatus combine(SpragMotionSearch *search, const SpragContactProblem *problem,
                           const SpragMotionSettings *settings, const Island *islands,
                           int island_count, SpragMotionSet *set)
{
    int *choice = sprag_arena_alloc(search->arena, (size_t)island_count + 1, sizeof *choice);
    if (!choice)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < island_count; i++)
        if (islands[i].motion_count == 0)
            return SPRAG_OK;
    for (bool more = true; more;) {
        if (set->count == settings->max_motions) {
            set->complete = false;
            break;
        }
        SPRAG_TRY(sprag_reserve(search->context, &search->results, &search->result_capacity,
                                (size_t)set->count + 1, sizeof *search->results));
        SpragMotion *motion = &search->results[set->count];
        SPRAG_TRY(
            allocate_motion(search->arena, problem->row_count, problem->constraint_count, motion));
        for (int i = 0; i < island_count; i++)
            scatter(problem, &islands[i], choice[i], motion);
        motion->residual = sprag_contact_residual(problem, motion->force);
        set->count++;
        int i = island_count - 1;
        for (; i >= 0 && ++choice[i] == islands[i].motion_count; i--)
            choice[i] = 0;
        more = i >= 0;
    }
    set->motions = search->results;
    return SPRAG_OK;
}

SpragStatus sprag_motion_search_run(SpragMotionSearch *search, const SpragContactProblem *problem,
                                    const SpragMotionSettings *settings, SpragMotionSet *set)
{
    SpragMotionSettings chosen = settings ? *settings : sprag_motion_default();
    *set = (SpragMotionSet){.complete = true};
    if (chosen.cookie != MOTION_COOKIE)
        return sprag_fail(search->context, SPRAG_ERROR_ARGUMENT,
                          "motion settings must come from sprag_motion_default");
    if (problem->dimension != 2)
        return sprag_fail(search->context, SPRAG_ERROR_ARGUMENT,
                          "the search over modes is for planar problems");
    sprag_arena_release(search->arena, (SpragArenaMark){0, 0});
    Island *islands;
    int island_count;
    SPRAG_TRY(find_islands(search, problem, &islands, &island_count));
    for (int i = 0; i < island_count; i++)
        SPRAG_TRY(search_island(search, problem, &chosen, &islands[i], set));
    return combine(search, problem, &chosen, islands, island_count, set);
}

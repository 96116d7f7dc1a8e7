// contact_tree.c: every motion of one island, by depth-first search over modes.
// Method    constraint by constraint, each of its cells (theory.md 3.2, 3.3). Cells are told
//           apart by the motion alone (a_N > 0, a_T < 0, …), so each motion lives in exactly one
//           mode. A partial mode is kept only if some motion has its signs: rows in the span of
//           the equalities met so far have a known acceleration, and a linear program decides the
//           rest. A complete mode is a leaf (contact_tree_leaf.c). Rest that needs no friction is
//           found first: it is alone (theory.md (13.14))
// Result    complete is false if a limit was met
#include <math.h>
#include <string.h>

#include "contact_tree.h"
#include "sprag/complementarity.h"

// Up to this many constraints a leaf costs less than the programs that would prune it.
enum { PRUNE_ABOVE = 3 };
// A search that has visited so many partial modes also asks whether forces can make the next ones:
// one larger program each, worth it where bodies rest on each other and signs alone discard little.
enum { FORCES_ABOVE = 200 };
// Rows nearer than this to the span of the equality rows have a determined acceleration.
static const double IN_SPAN = 1e-10;
// Entries of rows are known to this; in a basis vector it is larger by as much as the row was near
// to the span of those before it (two contacts that almost coincide), and makes others look
// outside.
static const double ROW_NOISE = 1e-15;

// ---- Equalities met so far ----------------------------------------------------------------------

// Takes the part inside the span of the basis out of `vector`; returns the length of what is left.
static double leave_span(Tree *tree)
{
    int w = tree->reduced.width, count = tree->basis_count;
    double *restrict vector = tree->vector;
    const double *restrict q = tree->basis;
    double sum = 0, doubt = tree->row_doubt, turn = tree->row_turn;
    for (int k = 0; k < count; k++, q += w) {
        double dot = 0;
        for (int j = 0; j < w; j++)
            dot += q[j] * vector[j];
        for (int j = 0; j < w; j++)
            vector[j] -= dot * q[j];
        doubt += fabs(dot) * tree->doubt[k];
        turn += fabs(dot) * tree->turn[k];
    }
    for (int j = 0; j < w; j++)
        sum += vector[j] * vector[j];
    tree->row_doubt = doubt;
    tree->row_turn = turn;
    return sqrt(sum);
}

// vector = part of row r outside the span of the basis; returns its length. row_doubt and row_turn
// are set too.
static double outside_span(Tree *tree, int row)
{
    const double *from = reduced_row(&tree->reduced, row);
    tree->row_doubt = tree->row_turn = 0;
    for (int j = 0; j < tree->reduced.width; j++)
        tree->vector[j] = from[j];
    double length = leave_span(tree);
    // twice is enough, once if little was taken away [Parlett1998, Sec. 6.9]
    return length > 0.5 * tree->reduced.length[row] ? length : leave_span(tree);
}

// Of the row whose part outside the span has this length.
static bool is_in_span(const Tree *tree, double length)
{
    return length <= IN_SPAN + tree->row_turn;
}

static bool is_determined(Tree *tree, int row, const double *point, int *sign)
{
    if (tree->basis_count < tree->reduced.width && !is_in_span(tree, outside_span(tree, row)))
        return false;
    *sign = reduced_sign(&tree->reduced, row, point, tree->reduced.tolerance);
    return true;
}

// Adds the equality a_row = 0 and moves the point; false: it contradicts those before.
static bool add_equality(Tree *tree, int row, Level *level)
{
    const Reduced *reduced = &tree->reduced;
    int w = reduced->width;
    double length = outside_span(tree, row);
    // What counts as zero in the rows before counts for more in one that they determine from afar.
    // A closed row has the wider bounds: then no row is neither zero nor not, in any order of rows;
    // those that are both give one motion twice.
    double doubt = reduced->tolerance + tree->row_doubt;
    level->equality_count++;
    if (is_in_span(tree, length))
        return reduced_sign(reduced, row, level->point, IN_SPAN + 2 * doubt) == 0;
    tree->doubt[tree->basis_count] = doubt / length;
    tree->turn[tree->basis_count] = (ROW_NOISE + tree->row_turn) / length;
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
    if (starts && is_determined(tree, reduced_tangent(reduced, c), point, &sign))
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
    return starts ? reduced_tangent(&tree->reduced, c) : -1;
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

// ---- The tree -----------------------------------------------------------------------------------

static SpragStatus visit(Tree *tree, int c);

// Puts constraint c in a cell, on top of the levels before; false: its equalities contradict
// theirs.
static bool enter_cell(Tree *tree, int c, Cell cell)
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
    int rows = reduced_normals(reduced, c) + (cell.kind == CELL_STICK);
    for (int k = 0; cell_is_closed(cell) && k < rows; k++)
        if (!add_equality(tree, reduced->first[c] + k, level))
            return false;
    level->basis_count = tree->basis_count;
    return true;
}

// Tries one cell of constraint c.
static SpragStatus visit_cell(Tree *tree, int c, Cell cell)
{
    const Reduced *reduced = &tree->reduced;
    const Level *before = &tree->levels[c];
    Level *level = &tree->levels[c + 1];
    if (!enter_cell(tree, c, cell))
        return SPRAG_OK;
    // without a new equality, what the constraints before had determined stands
    for (int i = tree->basis_count == before->basis_count ? c : 0; i <= c; i++)
        if (!agrees(tree, i, level->point))
            return SPRAG_OK;
    // a leaf with independent rows costs less than the program; dependent ones cost more
    bool last = c + 1 == reduced->constraints;
    if (last ? level->equality_count > level->basis_count : reduced->constraints > PRUNE_ABOVE) {
        bool possible;
        SPRAG_TRY(is_possible(tree, c, &possible));
        if (possible && !last && tree->nodes > FORCES_ABOVE) {
            Leaf equalities = {.room = &tree->room,
                               .rank = tree->basis_count,
                               .basis = tree->basis,
                               .point = level->point};
            SPRAG_TRY(prune_by_forces(reduced, tree->cells, c + 1, &equalities, &possible));
            // its program has about as many pivots as rows
            tree->work += (long)reduced->rows * reduced->rows * reduced->rows / 250;
        }
        if (!possible)
            return SPRAG_OK;
    }
    return visit(tree, c + 1);
}

// Whether a cell can be that of the mode that is asked for; one without friction only says closed.
static bool is_wanted(const Tree *tree, int c, Cell cell)
{
    if (!tree->settings->modes)
        return true;
    switch (tree->settings->modes[tree->reduced.member[c]]) {
    case SPRAG_MODE_SEPARATE:
        return cell.kind == CELL_SEPARATE;
    case SPRAG_MODE_STICK:
        return cell.kind == CELL_STICK || cell.kind == CELL_CLOSED;
    case SPRAG_MODE_SLIDE_PLUS:
        return cell.kind == CELL_CLOSED || (cell.kind == CELL_SLIDE && cell.k > 0);
    case SPRAG_MODE_SLIDE_MINUS:
        return cell.kind == CELL_CLOSED || (cell.kind == CELL_SLIDE && cell.k < 0);
    case SPRAG_MODE_SLIDE:
        return cell.kind == CELL_CLOSED || cell.kind == CELL_SLIDE;
    default:
        return cell.kind == CELL_CLOSED;
    }
}

static SpragStatus visit(Tree *tree, int c)
{
    tree->nodes++;
    if (++tree->work > tree->settings->max_nodes) {
        tree->complete = false;
        return SPRAG_OK;
    }
    if (c == tree->reduced.constraints)
        return tree_visit_leaf(tree);
    Cell cells[MAX_CELLS];
    int count = cells_of(&tree->reduced, c, cells);
    for (int i = 0; i < count; i++)
        if (is_wanted(tree, c, cells[i]))
            SPRAG_TRY(visit_cell(tree, c, cells[i]));
    return SPRAG_OK;
}

// ---- Rest without friction ----------------------------------------------------------------------

// Puts every constraint at rest; false: it cannot be, or what follows does not hold for it.
static bool enter_rest(Tree *tree)
{
    Cell cells[MAX_CELLS];
    for (int c = 0; c < tree->reduced.constraints; c++) {
        const SpragConstraint *item = reduced_constraint(&tree->reduced, c);
        if (item->kind == SPRAG_CONSTRAINT_GUIDE || item->kind == SPRAG_CONSTRAINT_BEARING ||
            (item->sliding && tree->reduced.friction[c] > 0))
            return false;
        cells_of(&tree->reduced, c, cells); // rest comes first
        if (!enter_cell(tree, c, cells[0]))
            return false;
    }
    return true;
}

// Whether normal forces alone keep every row at rest.
static SpragStatus find_normal_forces(Tree *tree, bool *found)
{
    const Reduced *reduced = &tree->reduced;
    SpragArenaMark mark = sprag_arena_mark(reduced->arena);
    Cell *cells =
        sprag_arena_alloc(reduced->arena, (size_t)reduced->constraints + 1, sizeof *cells);
    double *x = sprag_arena_alloc(reduced->arena, (size_t)reduced->rows + 1, sizeof *x);
    SpragLp program;
    SpragLpStatus status;
    Leaf leaf;
    if (!cells || !x)
        return SPRAG_ERROR_MEMORY;
    for (int c = 0; c < reduced->constraints; c++) {
        bool free = reduced_constraint(reduced, c)->kind == SPRAG_CONSTRAINT_BILATERAL;
        cells[c] = (Cell){CELL_CLOSED, 0, free ? 0 : 1};
    }
    leaf_build(reduced, cells, &tree->room, &leaf);
    leaf.rank = tree->basis_count;
    leaf.basis = tree->basis;
    leaf.point = tree->levels[reduced->constraints].point;
    SPRAG_TRY(leaf_force_program(reduced, &leaf, &program));
    SPRAG_TRY(sprag_lp_solve(reduced->arena, &program, reduced->tolerance, x, NULL, &status));
    *found = status == SPRAG_LP_OPTIMAL;
    sprag_arena_release(reduced->arena, mark);
    return SPRAG_OK;
}

// Where normal forces alone keep everything at rest there is no other motion, whatever the friction
// (theory.md (13.14), which does not ask how many tangents there are): no search then. *alone: so
// it is, and the motion is in the island.
static SpragStatus rest_alone(Tree *tree, bool *alone)
{
    *alone = false;
    if (tree->settings->modes || tree->reduced.constraints <= PRUNE_ABOVE || !enter_rest(tree))
        return SPRAG_OK;
    SPRAG_TRY(find_normal_forces(tree, alone));
    if (!*alone)
        return SPRAG_OK;
    SPRAG_TRY(tree_visit_leaf(tree));
    *alone = tree->complete && tree->island->motion_count == 1;
    tree->island->motion_count = *alone ? 1 : 0;
    tree->complete = true;
    return SPRAG_OK;
}

static SpragStatus allocate_tree(Tree *tree)
{
    SpragArena *arena = tree->reduced.arena;
    size_t constraints = (size_t)tree->reduced.constraints, width = (size_t)tree->reduced.width;
    size_t vectors = width + 4 + 2 * (constraints + 2);
    tree->cells = sprag_arena_alloc(arena, constraints + 1, sizeof *tree->cells);
    tree->levels = sprag_arena_alloc(arena, constraints + 2, sizeof *tree->levels);
    double *numbers = sprag_arena_alloc(arena, vectors * (width + 1), sizeof *numbers);
    if (!tree->cells || !tree->levels || !numbers)
        return SPRAG_ERROR_MEMORY;
    tree->basis = numbers;
    tree->vector = tree->basis + (width + 1) * (width + 1);
    tree->doubt = tree->vector + width + 1;
    tree->turn = tree->doubt + width + 1;
    double *points = tree->turn + width + 1;
    SPRAG_TRY(leaf_room_create(&tree->reduced, &tree->room));
    for (size_t i = 0; i < constraints + 2; i++) {
        tree->levels[i].point = points + 2 * i * (width + 1);
        tree->levels[i].witness = points + (2 * i + 1) * (width + 1);
    }
    return SPRAG_OK;
}

SpragStatus search_island(SpragArena *arena, const SpragContactProblem *problem,
                          const SpragMotionSettings *settings, Island *island, SpragMotionSet *set)
{
    Tree tree = {.settings = settings, .island = island, .complete = true};
    SPRAG_TRY(reduce_problem(arena, problem, settings, island->member, island->member_count,
                             &tree.reduced));
    bool alone;
    SPRAG_TRY(allocate_tree(&tree));
    SPRAG_TRY(rest_alone(&tree, &alone));
    if (!alone) {
        tree.basis_count = 0;
        SPRAG_TRY(visit(&tree, 0));
    }
    set->node_count += tree.nodes;
    set->leaf_count += tree.leaves;
    set->complete &= tree.complete;
    return SPRAG_OK;
}

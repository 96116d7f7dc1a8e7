// contact_prune.c: whether forces can make what a partial mode asks for.
// Problem   of constraints 0 … assigned − 1 the cells are known, of the others only that they obey
//           0 ≤ λN, |λT| ≤ μ λN and a_N ≥ 0: is there a force with the signs of all of these?
// Method    one linear program over the forces. It leaves out that λN and a_N exclude each other,
//           so it only ever discards modes that have no motion at all
// Assumes   nothing is lost by a slack far above the tolerance of the search: leaves decide exactly
#include "contact_search.h"
#include "sprag/complementarity.h"

// Of the scaled problem: what rounding of large forces that cancel may reach.
static const double SLACK = 1e-7;

// The widest cell of a constraint that nothing is known of; false: it is not convex.
static bool widest_cell(const Reduced *reduced, int c, Cell *cell)
{
    const SpragConstraint *item = reduced_constraint(reduced, c);
    bool bearing = item->kind == SPRAG_CONSTRAINT_BEARING;
    if (item->kind == SPRAG_CONSTRAINT_GUIDE || (bearing && !reduced_is_round(reduced, c)))
        return bearing && reduced->friction[c] == 0 ? (*cell = (Cell){CELL_CLOSED, 0, 0}, true)
                                                    : false;
    if (bearing) // all of its forces are free
        *cell = (Cell){CELL_STICK, 0, 0};
    else if (item->kind == SPRAG_CONSTRAINT_BILATERAL)
        *cell = (Cell){CELL_CLOSED, 0, 0};
    else if (item->kind == SPRAG_CONSTRAINT_LIMIT || reduced->friction[c] == 0)
        *cell = (Cell){CELL_CLOSED, 0, 1};
    else if (item->sliding)
        *cell = (Cell){CELL_SLIDE, item->slip[0] > 0 ? 1 : -1, 1};
    else
        *cell = (Cell){CELL_STICK, 0, 1};
    return true;
}

// Row of constraint c whose acceleration has a sign in its cell, known or not; −1: none has.
static int signed_row(const Reduced *reduced, const Cell *cells, int assigned, int c, double *sign)
{
    const SpragConstraint *item = reduced_constraint(reduced, c);
    *sign = 1;
    if (c >= assigned)
        return item->kind == SPRAG_CONSTRAINT_BILATERAL || item->kind == SPRAG_CONSTRAINT_BEARING
                   ? -1
                   : reduced->first[c];
    if (cells[c].kind == CELL_SEPARATE)
        return reduced->first[c];
    *sign = cells[c].k;
    return cells[c].kind == CELL_SLIDE && !item->sliding ? reduced_tangent(reduced, c) : -1;
}

// basis ξ(x) = basis point, row by row.
static void add_equalities(const Reduced *reduced, const Leaf *leaf, double *A, double *b)
{
    int n = leaf->count, w = reduced->width;
    for (int k = 0; k < leaf->rank; k++) {
        const double *q = leaf->basis + (size_t)k * (size_t)w;
        b[k] = 0;
        for (int i = 0; i < n; i++)
            A[k * n + i] = leaf_product(reduced, leaf, q, 1, i);
        for (int j = 0; j < w; j++)
            b[k] += q[j] * leaf->point[j];
    }
}

// −g x ≤ −h + slack for the cones and the signs of accelerations, then basis ξ(x) = basis point.
static SpragStatus build_program(const Reduced *reduced, const Leaf *leaf, int assigned,
                                 SpragLp *program)
{
    int n = leaf->count, count = 0;
    HalfSpaces cones;
    leaf_half_spaces(reduced, leaf, false, &cones);
    size_t rows = (size_t)(cones.count + reduced->constraints + leaf->rank) + 1;
    double *A = sprag_arena_alloc(reduced->arena, rows * (size_t)(n + 1), sizeof *A);
    double *b = sprag_arena_alloc(reduced->arena, rows, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    for (; count < cones.count; count++) {
        for (int i = 0; i < n; i++)
            A[count * n + i] = -cones.g[count * n + i];
        b[count] = SLACK - cones.h[count];
    }
    for (int c = 0; c < reduced->constraints; c++) {
        double sign;
        int row = signed_row(reduced, leaf->cells, assigned, c, &sign);
        if (row < 0)
            continue;
        for (int i = 0; i < n; i++)
            A[count * n + i] = -sign * leaf_product(reduced, leaf, reduced_row(reduced, row),
                                                    reduced->length[row], i);
        b[count++] = SLACK + sign * reduced->b[row];
    }
    add_equalities(reduced, leaf, A + (size_t)count * (size_t)n, b + count);
    *program = (SpragLp){n, count, leaf->rank, A, b, NULL};
    return SPRAG_OK;
}

SpragStatus leaf_force_program(const Reduced *reduced, const Leaf *leaf, SpragLp *program)
{
    int n = leaf->count;
    HalfSpaces cones;
    leaf_half_spaces(reduced, leaf, false, &cones);
    size_t rows = (size_t)(cones.count + leaf->rank) + 1;
    double *A = sprag_arena_alloc(reduced->arena, rows * (size_t)(n + 1), sizeof *A);
    double *b = sprag_arena_alloc(reduced->arena, rows, sizeof *b);
    if (!A || !b)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < cones.count * n; i++)
        A[i] = -cones.g[i];
    add_equalities(reduced, leaf, A + (size_t)cones.count * (size_t)n, b + cones.count);
    *program = (SpragLp){n, cones.count, leaf->rank, A, b, NULL};
    return SPRAG_OK;
}

SpragStatus prune_by_forces(const Reduced *reduced, const Cell *cells, int assigned,
                            const Leaf *equalities, bool *possible)
{
    SpragArena *arena = reduced->arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    Cell *widest = sprag_arena_alloc(arena, (size_t)reduced->constraints + 1, sizeof *widest);
    double *x = sprag_arena_alloc(arena, (size_t)reduced->rows + 1, sizeof *x);
    SpragLp program;
    SpragLpStatus status;
    Leaf leaf;
    if (!widest || !x)
        return SPRAG_ERROR_MEMORY;
    *possible = true;
    for (int c = 0; c < reduced->constraints; c++) {
        if (c < assigned)
            widest[c] = cells[c];
        else if (!widest_cell(reduced, c, &widest[c]))
            return SPRAG_OK; // the search releases the scratch
    }
    // the friction of an assigned bearing with two normals is not linear: it is left free too
    for (int c = 0; c < assigned && reduced->round > 0; c++)
        if (reduced_is_round(reduced, c))
            widest[c] = (Cell){CELL_STICK, 0, 0};
    leaf_build(reduced, widest, equalities->room, &leaf);
    leaf.rank = equalities->rank;
    leaf.basis = equalities->basis;
    leaf.point = equalities->point;
    SPRAG_TRY(build_program(reduced, &leaf, assigned, &program));
    SPRAG_TRY(sprag_lp_solve(arena, &program, SLACK, x, NULL, &status));
    *possible = status != SPRAG_LP_INFEASIBLE;
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}

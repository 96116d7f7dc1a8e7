// contact_search.h: what the parts of the search over modes share (private to the room).
//
// Scaled problem: constraint i's rows are divided by s_i = sqrt(max W_rr) and by β = max |b_r|/s_i,
// so that every number is of order one and the search does not see units:
//
//     a = F ξ + b,   ξ = Fᵀ λ          F = J M^{-1/2} (or a Cholesky factor of W), row by row
//
// ξ is the motion: q'' minus the free acceleration, in the metric of M. A *cell* says what one
// constraint does; cells of all constraints make a mode.
#ifndef SPRAG_CONTACT_SEARCH_H
#define SPRAG_CONTACT_SEARCH_H

#include "sprag/complementarity.h"
#include "sprag/contact.h"

typedef enum CellKind {
    CELL_SEPARATE, // λ = 0, a_N ≥ 0
    CELL_STICK,    // a_N = a_T = 0, |λT| ≤ μ λN σ
    CELL_SLIDE,    // a_N = 0, λT = −k μ λN σ, k a_T ≥ 0 if it starts from rest
    CELL_CLOSED    // a_N = 0, no friction
} CellKind;

typedef struct Cell {
    CellKind kind;
    int k;     // direction of slip, ±1
    int sigma; // sign of λN: +1; a guide also −1; 0: free (bilateral)
} Cell;

enum { MAX_CELLS = 6 };

// One island: constraints that are coupled by W, and no others.
typedef struct Reduced {
    const SpragContactProblem *problem;
    SpragArena *arena;
    int constraints, rows, width; // width: length of ξ
    const int *member;            // constraint of the problem, for each of this island
    int *first;                   // first local row of each constraint
    int *source;                  // row of the problem, for each local row
    double *F;                    // rows × width
    double *length;               // of each row of F
    double *b;                    // rows, scaled
    double *scale;                // s of each row's constraint
    double beta;                  // acceleration scale
    double *friction;             // per constraint
    double tolerance, singular;
    bool one_force; // of a motion one member of the set of its forces will do
} Reduced;

// Memory for one leaf after the other: asking for it anew would be a good part of a leaf's time.
typedef struct LeafRoom {
    int *constraint, *permutation;
    bool *tangential;
    double *column, *length, *D, *right, *factors, *x, *g, *h;
} LeafRoom;

// A complete mode: its equality rows, and the columns of its forces in ξ space.
typedef struct Leaf {
    const LeafRoom *room; // its arrays are there
    const Cell *cells;    // one per constraint
    int count;            // unknowns, as many as equality rows
    int *constraint;      // constraint of each unknown
    bool *tangential;     // the unknown is λT of a sticking contact
    double *column;       // count × width: ξ per unit of the unknown
    double *length;       // of each column
    // the equalities, orthonormal: basis ξ = basis point (rank × width)
    int rank;
    const double *basis, *point;
} Leaf;

// Half-spaces g·x ≥ h on the unknowns of a leaf.
typedef struct HalfSpaces {
    int count, n;
    double *g; // count × n
    double *h;
} HalfSpaces;

// What a leaf gives: nothing, one motion, or a member of a continuum.
typedef struct LeafResult {
    bool found;
    bool undecided; // a linear program gave up
    bool regular;   // x are the only forces of this mode
    int dimension;  // of the continuum of motions
    double *xi;     // width
    double *x;      // unknowns of the leaf
} LeafResult;

// Motions of one island, with rows and constraints numbered locally, in physical units.
typedef struct Island {
    int *member;
    int member_count;
    int motion_count, motion_capacity;
    SpragMotion *motions;
    double **found; // ξ of each motion
} Island;

// contact_reduce.c
SPRAG_MUST_USE SpragStatus reduce_problem(SpragArena *arena, const SpragContactProblem *problem,
                                          const SpragMotionSettings *settings, const int *member,
                                          int member_count, Reduced *reduced);
const SpragConstraint *reduced_constraint(const Reduced *reduced, int constraint);
const double *reduced_row(const Reduced *reduced, int row);
double reduced_acceleration(const Reduced *reduced, int row, const double *xi);
// Sign of the acceleration: 0 within the tolerance, relative to the terms of its sum.
int reduced_sign(const Reduced *reduced, int row, const double *xi, double tolerance);

// contact_cells.c
int cells_of(const Reduced *reduced, int constraint, Cell cells[MAX_CELLS]);
bool cell_is_closed(Cell cell);
// The one cell that a motion belongs to, by the signs of its accelerations. Rows that the mode in
// which it was found holds at zero are zero, whatever rounding large forces leave in them.
Cell cell_of_motion(const Reduced *reduced, int constraint, const double *xi, Cell found);
// Room for any leaf of the island, one at a time.
SPRAG_MUST_USE SpragStatus leaf_room_create(const Reduced *reduced, LeafRoom *room);
void leaf_build(const Reduced *reduced, const Cell *cells, const LeafRoom *room, Leaf *leaf);
bool cells_are_equal(Cell a, Cell b);
// Cones of the forces, and the acceleration signs of the cells as functions of the unknowns. In the
// leaf's room, until the next call.
void leaf_half_spaces(const Reduced *reduced, const Leaf *leaf, bool with_accelerations,
                      HalfSpaces *out);
// row (of the given length) times column i; zero where the two are orthogonal up to rounding, so
// that no force of 1e16 can make use of it.
double leaf_product(const Reduced *reduced, const Leaf *leaf, const double *row, double length,
                    int i);
void leaf_motion(const Reduced *reduced, const Leaf *leaf, const double *x, double *xi);

// contact_leaf.c
SPRAG_MUST_USE SpragStatus leaf_solve(const Reduced *reduced, const Leaf *leaf, LeafResult *result);

// contact_forces.c: all forces that make the motion of `result`, which was found in the mode of
// `leaf`, in the arrays of motion (local rows and constraints, scaled); *feasible false: none do.
SPRAG_MUST_USE SpragStatus forces_of_motion(const Reduced *reduced, const Leaf *found,
                                            LeafResult *result, SpragMotion *motion,
                                            bool *feasible);

// contact_prune.c: forces of a leaf in their cones that make the motion of its equalities, as a
// linear program without objective.
SPRAG_MUST_USE SpragStatus leaf_force_program(const Reduced *reduced, const Leaf *leaf,
                                              SpragLp *program);
// Whether forces can make what a partial mode asks for: the cells of constraints
// 0 … assigned − 1, whose equalities are rank, basis and point of `equalities`, with its room. A
// false is certain.
SPRAG_MUST_USE SpragStatus prune_by_forces(const Reduced *reduced, const Cell *cells, int assigned,
                                           const Leaf *equalities, bool *possible);

// contact_tree.c: fills in the motions of the island; adds to the counts of the set.
SPRAG_MUST_USE SpragStatus search_island(SpragArena *arena, const SpragContactProblem *problem,
                                         const SpragMotionSettings *settings, Island *island,
                                         SpragMotionSet *set);
SPRAG_MUST_USE SpragStatus allocate_motion(SpragArena *arena, int rows, int constraints,
                                           SpragMotion *motion);
// Makes room for one more motion.
SPRAG_MUST_USE SpragStatus grow_island(SpragArena *arena, Island *island);

#endif

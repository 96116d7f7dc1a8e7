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
#include "sprag/vector.h"

typedef enum CellKind {
    CELL_SEPARATE, // λ = 0, a_N ≥ 0
    CELL_STICK,    // a_N = a_T = 0, |λT| ≤ μ λN σ
    CELL_SLIDE,    // a_N = 0, λT = −k μ λN σ, k a_T ≥ 0 if it starts from rest
    CELL_CLOSED    // a_N = 0, no friction
} CellKind;

typedef struct Cell {
    CellKind kind;
    int k;     // direction of slip, ±1
    int sigma; // sign of λN: +1; a guide also −1; 0: free (bilateral, bearing with two normals)
} Cell;

enum { MAX_CELLS = 6, WAYS = SPRAG_CONSTRAINT_WAYS };

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
    int round;                    // constraints with friction of several normals, μ |λN|
    double tolerance, singular, width_tolerance;
    bool one_force; // of a motion one member of the set of its forces will do
} Reduced;

// Memory for one leaf after the other: asking for it anew would be a good part of a leaf's time.
typedef struct LeafRoom {
    int *constraint, *permutation, *row;
    bool *tangential;
    double *column, *length, *D, *right, *factors, *x, *g, *h, *pressure, *aim, *load;
} LeafRoom;

// A complete mode: its equality rows, and the columns of its forces in ξ space.
typedef struct Leaf {
    const LeafRoom *room; // its arrays are there
    const Cell *cells;    // one per constraint
    int count;            // unknowns, as many as equality rows
    int *constraint;      // constraint of each unknown
    int *row;             // local row of each unknown: its normal, or the tangent if it sticks
    bool *tangential;     // the unknown is λT of a sticking contact
    double *column;       // count × width: ξ per unit of the unknown
    double *length;       // of each column
    // Bearings with several normals, one entry (aim: WAYS) a constraint; written only if there are
    // any.
    double *pressure; // of one that slides: |λN|, given; its friction is a load
    double *aim; // of one that sticks: unit vector u, |λT| ≤ μ u·λN; 0: its cone is not looked at
    double *load; // width: ξ of the frictions of `pressure`
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
    double *missed; // relative, in space: by how much admissible forces miss it
} Island;

// contact_reduce.c
SPRAG_MUST_USE SpragStatus reduce_problem(SpragArena *arena, const SpragContactProblem *problem,
                                          const SpragMotionSettings *settings, const int *member,
                                          int member_count, Reduced *reduced);
const SpragConstraint *reduced_constraint(const Reduced *reduced, int constraint);
const double *reduced_row(const Reduced *reduced, int row);
double reduced_acceleration(const Reduced *reduced, int row, const double *xi);
// Number of normal rows of a constraint, of tangential ones, and the first of these.
int reduced_normals(const Reduced *reduced, int constraint);
int reduced_tangents(const Reduced *reduced, int constraint);
int reduced_tangent(const Reduced *reduced, int constraint);
// The local rows that press a constraint; returns their number.
int reduced_press(const Reduced *reduced, int constraint, int rows[WAYS]);
// Whether its friction is that of several normals, theory.md (9.31).
bool reduced_is_round(const Reduced *reduced, int constraint);
// In space: slides in a direction of several tangents.
bool reduced_has_direction(const Reduced *reduced, int constraint);
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
// Unit vector of positive slip along the tangents of a constraint; returns how many it has: 1, or
// more in space, where it is that of its slip.
int leaf_directions(const Reduced *reduced, int constraint, double d[WAYS]);
// The unknowns of a leaf that press a round constraint; returns their number.
int leaf_press(const Reduced *reduced, const Leaf *leaf, int constraint, int unknown[WAYS]);
// Length of the force of these unknowns.
double leaf_pressure(int count, const int *unknown, const double *x);
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
// Forces of the mode per unit of each load (columns of ξ, count × width) and without them: x0
// (count), X (loads × count). *regular false: they are not unique.
SPRAG_MUST_USE SpragStatus leaf_respond(const Reduced *reduced, const Leaf *leaf, int loads,
                                        const double *load, double *x0, double *X, bool *regular);

// contact_bearing.c: frictions of bearings with several normals.
// Pressures of the sliding ones that the leaf may have, one entry a constraint each.
typedef struct BearingRoots {
    int sliding; // bearings of the leaf that slide
    int count;
    double *pressure; // count × constraints
    bool regular;     // false: forces are not unique, nothing was found
    bool complete;    // there are no others
} BearingRoots;
SPRAG_MUST_USE SpragStatus bearing_roots(const Reduced *reduced, const Leaf *leaf,
                                         BearingRoots *roots);
// Sets the pressures of a leaf (one a constraint) and their load.
void bearing_load(const Reduced *reduced, Leaf *leaf, const double *pressure);
// Whether forces x of the leaf's unknowns are in the cones of the bearings that stick.
bool bearing_admits(const Reduced *reduced, const Leaf *leaf, const double *x);
// Points the aims of bearings that stick along the forces x, turned by an angle.
void bearing_aim(const Reduced *reduced, Leaf *leaf, const double *x, double angle);

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

// contact_tree_leaf.c: arrays of a motion.
SPRAG_MUST_USE SpragStatus allocate_motion(SpragArena *arena, int rows, int constraints,
                                           SpragMotion *motion);
// Makes room for one more motion.
SPRAG_MUST_USE SpragStatus grow_island(SpragArena *arena, Island *island);

#endif

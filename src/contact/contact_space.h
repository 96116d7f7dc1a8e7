// contact_space.h: what the parts of the search in space share (private to the room).
//
// The scaled problem and ξ are those of contact_search.h; a contact has three rows here (normal and
// two tangents, one scale for all), and friction is a round cone, theory.md (13.1). A contact at
// rest may separate, stick, or start to slip in a direction d that is an unknown of its own.
#ifndef SPRAG_CONTACT_SPACE_H
#define SPRAG_CONTACT_SPACE_H

#include "contact_search.h"

typedef enum SpaceKind {
    SPACE_SEPARATE, // λ = 0, a_N ≥ 0
    SPACE_CLOSED,   // a_N = 0, no friction
    SPACE_SLIDE,    // a_N = 0, λT = −μ λN σ d, d given by the slip
    SPACE_STICK,    // a = 0, |λT| ≤ μ λN σ
    SPACE_START,    // a_N = 0, λT = −μ λN σ d, aT = s d, s > 0
    SPACE_OPEN      // not decided: a_N ≥ 0, |λT| ≤ μ λN σ (relaxations only)
} SpaceKind;

typedef struct SpaceCell {
    SpaceKind kind;
    int sigma;   // sign of λN: +1; a guide also −1; 0: free (bilateral)
    double d[2]; // SLIDE, START
    double half; // START in a relaxation: directions up to this angle from d; 0: d itself
} SpaceCell;

enum { SPACE_MAX_CELLS = 4 };

// Rows whose acceleration must be zero: an orthonormal basis, and the shortest ξ that meets them.
typedef struct Span {
    int count;
    double *basis; // count × width
    double *doubt; // per basis vector: how far the motion may be off along it
    double *point; // width
} Span;

// Equations of a mode with given directions: ξ = Σ x_i column_i.
typedef struct SpaceMode {
    const Reduced *reduced;
    SpaceCell *cells; // one per constraint
    int n;            // unknowns
    int *constraint;  // of each unknown
    int *offset;      // of each unknown: 0 normal, 1 and 2 tangents of a sticking contact
    double *column;   // n × width
} SpaceMode;

// A motion that a mode gave.
typedef struct SpaceResult {
    bool regular;  // x are the only forces of this mode
    int dimension; // of the continuum of motions
    double error;  // relative, of ξ
    double *xi;    // width
    double *x;     // n; NULL unless regular
    bool kept;     // set by the search: it is among the motions now
    double missed; // relative: by how much admissible forces miss ξ, where bounds were widened
} SpaceResult;

// A convex set by affine functions of y: rows of d coefficients and a constant.
typedef struct Barrier {
    int d;
    int plane_count, cone_count;
    double *planes; // plane_count × (d + 1): ≥ 0
    double *cones;  // 3 × cone_count × (d + 1): s ≥ |(v, w)|
} Barrier;

typedef struct BarrierObjective {
    const double *c;         // d, or NULL
    const double *q, *o;     // d each, or NULL: ½ q (y − o)²
    double start;            // weight to begin with, one over the size of the objective
    bool stop;               // the last unknown tells when to stop:
    double enough, hopeless; // below the one, or surely above the other
} BarrierObjective;

// contact_space_barrier.c: from a point strictly inside to the minimum, up to gap; objective
// without c and q: the analytic centre.
SPRAG_MUST_USE SpragStatus barrier_minimize(SpragArena *arena, const Barrier *barrier,
                                            const BarrierObjective *objective, double gap,
                                            double *y);

// {x : A x = r, x in the cones of a mode}.
typedef struct ConeSet {
    const SpaceMode *mode;
    int n, d;       // unknowns; dimension of the null space of A
    double *weight; // unknown = weight × (what the energy norm measures)
    double *x;      // particular, then least-energy point inside
    double *null;   // d × n
    double *energy; // d: square of the energy norm of each null vector, which are orthogonal
    bool feasible;
    double slack;    // by which the bounds are widened, so that the set has an inside
    Barrier barrier; // in y: x + Σ y_k null_k
    double *centre;  // d: analytic centre
} ConeSet;

// contact_space_roots.c: the zeros of c0 + c1 cos χ + c2 sin χ + c3 cos 2χ + c4 sin 2χ; a double
// zero that is only touched counts once. Returns their number.
enum { TRIGONOMETRIC_ROOTS = 16 };
int trigonometric_roots(const double c[5], double roots[TRIGONOMETRIC_ROOTS]);

// contact_space_mode.c
double space_dot(const double *a, const double *b, int n);
// Takes the parts along `count` orthonormal vectors out of q; returns the length of what is left.
double space_take_out(const double *basis, int count, int w, double *q);
int space_cells_of(const Reduced *reduced, int constraint, SpaceCell cells[SPACE_MAX_CELLS]);
// Unit vector along (x, y); false and 0 if that is 0.
bool space_direction(double x, double y, double d[2]);
// Tangential acceleration of a constraint with three rows; *error: what rounding leaves in it.
void space_tangential(const Reduced *reduced, int constraint, const double *xi, double a[2],
                      double *error);
SPRAG_MUST_USE SpragStatus span_create(const Reduced *reduced, Span *span);
// Adds a_row = 0; false: that contradicts the rows before.
bool span_add(const Reduced *reduced, Span *span, int row);
// Adds the rows of a cell; false: they contradict the rows before.
bool span_add_cell(const Reduced *reduced, Span *span, int constraint, const SpaceCell *cell);
// False: the rows determine accelerations that the cell forbids.
bool span_agrees(const Reduced *reduced, const Span *span, int constraint, const SpaceCell *cell);
// Whether the cell has forces along both tangents as unknowns (if its direction is not fixed).
bool space_cell_is_round(const Reduced *reduced, int constraint, const SpaceCell *cell);
SPRAG_MUST_USE SpragStatus space_mode_create(const Reduced *reduced, SpaceCell *cells,
                                             SpaceMode *mode);
// Unknowns and columns of the cells as they are now.
void space_mode_fill(SpaceMode *mode);
void space_mode_motion(const SpaceMode *mode, const double *x, double *xi);
// Whether forces are in their cones and accelerations have the signs of the mode.
bool space_mode_admits(const SpaceMode *mode, const double *x, const double *xi);
// Whether the accelerations alone have the signs of the mode.
bool space_mode_moves(const SpaceMode *mode, const double *xi);

// contact_space_cone.c: A (rows × n) and r. accelerations: separation of the mode's open
// contacts is part of the set. Sets x, null, feasible.
SPRAG_MUST_USE SpragStatus cone_set_solve(const SpaceMode *mode, int rows, const double *A,
                                          const double *r, bool accelerations, ConeSet *set);

// contact_space_ranges.c: interval of every unknown, and the dimension of the set. Without `ranges`
// low and high are two points of the set, in which everything that can be non-zero is.
SPRAG_MUST_USE SpragStatus cone_set_ranges(ConeSet *set, bool ranges, double *low, double *high,
                                           int *dimension);
// Largest c·y over the set, c has d entries; at (d, may be NULL) receives the point.
SPRAG_MUST_USE SpragStatus cone_set_maximize(ConeSet *set, const double *c, double *value,
                                             double *at);

// contact_space_forces.c: as forces_of_motion. cells receives those of the motion; ranges false:
// without the intervals.
SPRAG_MUST_USE SpragStatus space_forces(const SpaceMode *found, SpaceResult *result, bool ranges,
                                        SpaceCell *cells, SpragMotion *motion, bool *feasible);

// What the search calls for each motion that a mode gave.
typedef SpragStatus SpaceKeep(void *user, const SpaceMode *mode, SpaceResult *result);

// contact_space_start.c: the motions of a mode in which no contact, or one, starts to slip;
// *decided false: they could not be told. span: the equality rows of the whole mode.
SPRAG_MUST_USE SpragStatus space_solve_linear(SpaceMode *mode, const Span *span, SpaceKeep *keep,
                                              void *user);
SPRAG_MUST_USE SpragStatus space_solve_start(SpaceMode *mode, const Span *span, int start,
                                             SpaceKeep *keep, void *user, bool *decided);

// contact_space_newton.c: from the directions in the cells and forces x of the mode (n) to a motion
// with exact directions; *solved false: none near. What is left of x are the forces; *found false:
// they, or accelerations, have the wrong signs.
SPRAG_MUST_USE SpragStatus space_refine(SpaceMode *mode, double *x, SpaceResult *result,
                                        bool *solved, bool *found);

// contact_space_unique.c: whether the motion whose directions are in the cells of the mode is the
// only one within the given sectors; span: the equality rows of the mode.
SPRAG_MUST_USE SpragStatus space_is_unique(const SpaceMode *mode, const Span *span,
                                           const SpaceCell *sectors, bool *is_unique);

// contact_space_slip.c: the motion in which all contacts that stick in `rest`, whose equality rows
// are in span, start to slip, if it is easily found.
SPRAG_MUST_USE SpragStatus space_solve_slip(const SpaceMode *rest, const Span *span,
                                            SpaceKeep *keep, void *user);

// contact_space_likely.c: the motion that a solver of friction problems finds, if it finds one.
SPRAG_MUST_USE SpragStatus space_solve_likely(const Reduced *reduced, SpaceKeep *keep, void *user);

// contact_space_only.c: whether the motion ξ with the forces of all rows, in the given cells, is
// the only one of the island, in whatever mode. *proved false: nothing is known. Forces that are
// not exact (widened bounds let them in) receive frictions that are, if it is.
SPRAG_MUST_USE SpragStatus space_is_only(const Reduced *reduced, const SpaceCell *cells,
                                         const double *xi, bool exact, double *force, bool *proved);

// contact_space_relax.c: whether some motion and forces of the relaxed cells exist. point (as many
// numbers as unknowns of the mode, after space_mode_fill) and xi receive them.
SPRAG_MUST_USE SpragStatus space_relax(const SpaceMode *mode, const Span *span, double *point,
                                       double *xi, bool *possible);

// contact_space_sectors.c: motions of a mode in which contacts start to slip, by halving sectors of
// directions. *nodes counts down; *decided false: some may be missing.
SPRAG_MUST_USE SpragStatus space_search_sectors(SpaceMode *mode, const Span *span, SpaceKeep *keep,
                                                void *user, long *nodes, bool *decided);

// contact_space_bearing.c: as search_island, of an island with bearings and with contacts at rest.
SPRAG_MUST_USE SpragStatus search_mixed_island(SpragArena *arena,
                                               const SpragContactProblem *problem,
                                               const SpragMotionSettings *settings, Island *island,
                                               SpragMotionSet *set);

// contact_space_tree.c: as search_island.
SPRAG_MUST_USE SpragStatus search_space_island(SpragArena *arena,
                                               const SpragContactProblem *problem,
                                               const SpragMotionSettings *settings, Island *island,
                                               SpragMotionSet *set);

#endif

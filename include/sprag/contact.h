// contact.h: the contact problem, and every motion that it allows.
//
// For a state with c constraints the accelerations in the constraint directions are affine in the
// forces, theory.md (1.4):
//
//     a = W λ + b        W = J M⁻¹ Jᵀ (symmetric, positive semidefinite), one row a direction
//
// Rows come constraint by constraint: normal first, then tangents. A *motion* is a vector of
// accelerations that some admissible forces produce; forces may be indeterminate in one motion.
#ifndef SPRAG_CONTACT_H
#define SPRAG_CONTACT_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem --------------------------------------------------------------------------------

typedef enum SpragConstraintKind {
    SPRAG_CONSTRAINT_CONTACT,   // unilateral normal, friction |λT| ≤ μ λN
    SPRAG_CONSTRAINT_BILATERAL, // one row, a = 0, λ free
    SPRAG_CONSTRAINT_LIMIT,     // one row, 0 ≤ λ ⟂ a ≥ 0
    SPRAG_CONSTRAINT_GUIDE,     // bilateral normal of either sign, friction |λT| ≤ μ |λN|
    SPRAG_CONSTRAINT_BEARING // of a joint: one or two bilateral normals, one tangent (in space one
                             // to three of each), friction |λT| ≤ μ |λN|, theory.md 9.5
} SpragConstraintKind;

// What a constraint does in a motion, theory.md (3.3).
typedef enum SpragMode {
    SPRAG_MODE_SEPARATE,    // λ = 0, normal acceleration ≥ 0
    SPRAG_MODE_STICK,       // no relative acceleration
    SPRAG_MODE_SLIDE_PLUS,  // slides, or starts to slide, towards +t
    SPRAG_MODE_SLIDE_MINUS, // … towards −t
    SPRAG_MODE_CLOSED,      // bilateral, or a limit that acts: normal acceleration 0
    SPRAG_MODE_SLIDE        // in space: slides, or starts to slide, in a direction of its own
} SpragMode;

// "separate", "stick", "slide+", "slide-", "closed", "slide".
const char *sprag_mode_name(SpragMode mode);

// A normal force law whose slope follows the force, λN = K δ^β (1 + (3/2) α δ'), theory.md (5.4),
// with a linear tangential one. Nothing here evaluates it: who tests stability linearises it at the
// force of a motion, theory.md (6.4).
typedef struct SpragForceLaw {
    double stiffness;            // K, N/m^β; 0: no such law
    double exponent, alpha;      // β ≥ 1; α in s/m
    double tangential_stiffness; // N/m; 0: as the normal slope
    double tangential_damping;   // N s/m; 0: as the normal slope
} SpragForceLaw;

// At most, of one constraint: tangents (or normals), rows.
enum { SPRAG_CONSTRAINT_WAYS = 3, SPRAG_CONSTRAINT_ROWS = 6 };

typedef struct SpragConstraint {
    SpragConstraintKind kind;
    int row;         // first row in W and b
    int row_count;   // 1 (bilateral, limit), 2 (plane), 3 (space); bearing: normals + tangents
    int tangents;    // of a bearing: 1, in space 1 to 3
    int shared;      // of a bearing with one normal of its own: row of another bearing that presses
                     // it too, theory.md (9.42); −1: none
    double friction; // μ that holds now: static at zero slip, kinetic in slip (theory.md 2.3)
    double friction_static; // for the stick test of impacts (theory.md 2.3); less than friction:
                            // unused
    double slip[SPRAG_CONSTRAINT_WAYS];      // slip velocity along the tangents, m/s
    bool sliding;                            // slip counts as non-zero: its direction is fixed
    double stiffness[SPRAG_CONSTRAINT_ROWS]; // per row, N/m; 0: not given
    double damping[SPRAG_CONSTRAINT_ROWS];   // per row, N s/m; 0: not given
    SpragForceLaw law;                       // instead of stiffness and damping
    double share;  // of a thread: how much of a unit of friction its layer carries beside
                   // the normal force, theory.md 9.5
    int id;        // what the caller makes of it (contact slot of the scene)
    char name[64]; // for messages and results
} SpragConstraint;

// Number of normal rows: 1, of a bearing 1 to 3. The tangents follow.
int sprag_constraint_normals(const SpragConstraint *constraint);
// Rows of the problem that press for friction: its normals and the shared one; returns their
// number.
int sprag_constraint_press(const SpragConstraint *constraint, int rows[SPRAG_CONSTRAINT_WAYS]);
// What presses for friction, at the forces of all rows of the problem: |λN| of a bearing or guide,
// λN of others.
double sprag_constraint_pressure(const SpragConstraint *constraint, const double *force);

// A body (or all coordinates of a user-defined system) in the block-sparse view.
typedef struct SpragInertiaBlock {
    int offset; // first velocity coordinate
    int size;   // number of velocity coordinates
    int data;   // index of the first entry of M⁻¹ (size × size, row-major) in inverse_inertia
} SpragInertiaBlock;

enum { SPRAG_ROW_BLOCKS = 2 };
// A Jacobian row in the block-sparse view: at most two blocks.
typedef struct SpragRow {
    int block[SPRAG_ROW_BLOCKS]; // index of the inertia block, −1: none
    int data[SPRAG_ROW_BLOCKS];  // index of its first entry in jacobian
} SpragRow;

// Both views of the same data. W and b are always there; the block-sparse view is there
// (block_count > 0) when the problem was built from bodies. All arrays are owned by the problem and
// grow only.
typedef struct SpragContactProblem {
    SpragContext *context;
    int dimension;        // 2 or 3
    int constraint_count; // entries of constraints
    int row_count;        // rows of W and b
    SpragConstraint *constraints;
    double *W; // row_count × row_count
    double *b; // row_count
    // block-sparse view
    int velocity_count; // columns of J
    int hidden_count;   // coordinates behind them, see add_hidden
    int block_count;
    SpragInertiaBlock *blocks;
    double *inverse_inertia;
    SpragRow *rows;                    // row_count
    double *jacobian;                  // row entries, block after block
    double *bias;                      // J̇ v, row_count
    double *free_acceleration;         // M⁻¹ (u − h), velocity_count
    int inertia_count, jacobian_count; // entries in use of inverse_inertia and jacobian
    // capacities in items, for the arrays above
    size_t constraint_capacity, W_capacity, b_capacity, block_capacity, inertia_capacity,
        row_capacity, jacobian_capacity, bias_capacity, free_capacity;
} SpragContactProblem;

void sprag_contact_problem_init(SpragContactProblem *problem, SpragContext *context);
void sprag_contact_problem_destroy(SpragContactProblem *problem);
// Empties the problem and keeps its memory.
void sprag_contact_problem_clear(SpragContactProblem *problem, int dimension);
// Appends a constraint with its rows (b = 0, rows without blocks) and a zeroed description;
// *constraint is transient.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_add(SpragContactProblem *problem,
                                                     SpragConstraintKind kind,
                                                     SpragConstraint **constraint);
// The same of a bearing with one or two normals, in space one to three: its rows are these, then
// its tangents, one, in space one to three.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_add_bearing(SpragContactProblem *problem,
                                                             int normals, int tangents,
                                                             SpragConstraint **constraint);
// Appends an inertia block with zeroed M⁻¹; returns its entries through *inverse (transient).
SPRAG_MUST_USE SpragStatus sprag_contact_problem_add_block(SpragContactProblem *problem, int size,
                                                           double **inverse);
// Attaches inertia block `block` to row `row`; *entries (size of the block, zeroed, transient).
SPRAG_MUST_USE SpragStatus sprag_contact_problem_add_row_block(SpragContactProblem *problem,
                                                               int row, int block,
                                                               double **entries);
// Attaches a row to a coordinate of its own, which no other row knows and velocity_count does not
// count: W of the row is `inverse`.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_add_hidden(SpragContactProblem *problem, int row,
                                                            double inverse);
// Computes W = J M⁻¹ Jᵀ and b = J free_acceleration + bias from the block-sparse view.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_assemble(SpragContactProblem *problem);
// Takes a row out of an assembled problem: nothing moves it, its force moves nothing.
void sprag_contact_problem_hold_row(SpragContactProblem *problem, int row);
// Allocates W and b for a bare problem whose constraints were added; entries zero.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_reserve_dense(SpragContactProblem *problem);
// q'' = free_acceleration + M⁻¹ Jᵀ λ (velocity_count entries); needs the block-sparse view.
void sprag_contact_problem_acceleration(const SpragContactProblem *problem, const double *force,
                                        double *acceleration);
// What stands for the shared row of constraint c in a part of the problem, whose constraint i is
// source[i] of the whole: its row there; −1: none.
int sprag_contact_problem_shared(const SpragContactProblem *problem, int c, int count,
                                 const int *source, const SpragContactProblem *part);
// Whether a force of one constraint accelerates the other, or presses for its friction.
bool sprag_contact_problem_is_coupled(const SpragContactProblem *problem, int c, int d);
// Finite entries, W symmetric and positive semidefinite, frictions ≥ 0, sizes: ERROR_INPUT with a
// sentence that names the entry otherwise.
SPRAG_MUST_USE SpragStatus sprag_contact_problem_check(const SpragContactProblem *problem);

// ---- Friction of bearings in a step or a collision ----------------------------------------------

// One bearing among several, whose rows (normals, then tangents) follow each other in one W.
typedef struct SpragRubbing {
    int first, normals, tangents; // its first row; 1 to 3 each
    int shared;                   // row of another bearing that presses it too; −1: none
    double friction;
    double own;                           // out: a size of its rows of W
    double normal[SPRAG_CONSTRAINT_WAYS]; // impulses of what presses it where its friction is
                                          // `impulse`
    double after[SPRAG_CONSTRAINT_WAYS];  // slip there
    double impulse[SPRAG_CONSTRAINT_WAYS];
} SpragRubbing;

// Sweeps the normals out of W (rows × rows): [T, T] is then how slips follow friction while the
// normals hold, [N, T] how −(normal impulses) do. Normals that depend on others keep their impulse.
void sprag_rubbing_sweep(int rows, int count, SpragRubbing *bearings, double *W);
// Friction with |impulse| ≤ μ |normal| against what is left of the slip, by projected sweeps on the
// swept W. x (rows): changes of impulses, those of friction in the places of tangents; u (rows):
// scratch. Returns the largest change of friction as a part of the largest impulse of it.
double sprag_rubbing_solve(int rows, int count, const SpragRubbing *bearings, const double *W,
                           double *x, double *u);

// ---- All motions --------------------------------------------------------------------------------

typedef struct SpragMotion {
    int dimension;       // 0: isolated; > 0: one member of a continuum of motions of this dimension
    int force_dimension; // 0: forces are unique; else the dimension of their set
    double *acceleration; // a, row_count entries
    double *force;      // λ: the unique one, or the representative of theory.md (14.4), row_count
    double *force_low;  // least and greatest value of each λ over the force set (±INFINITY where
    double *force_high; // self-stress makes it unbounded), row_count
    SpragMode *modes;   // constraint_count
    double *direction; // SPRAG_CONSTRAINT_WAYS entries a constraint: unit vector of slip, or of the
                       // slip that starts, along its tangents; 0 where nothing slips
    bool *active;      // constraint_count: its normal force can be non-zero in this motion
    double residual;   // relative violation of the contact laws, recomputed from W and b
} SpragMotion;

typedef struct SpragMotionSettings {
    double tolerance; // relative: below it an acceleration or force counts as zero
    double singular;  // relative: pivots below it count as zero
    int max_motions;  // the search stops there, and says so (see SpragMotionSet.complete)
    long max_nodes;   // partial modes visited before the search gives up; in a large problem one
                      // counts as many, by what it costs
    bool ranges;      // in space: find force_low and force_high of indeterminate forces, which
                      // costs more than all the rest; false: they equal the force
    double width; // in space: motions that vary by less than this part of the accelerations there
                  // are count as one; 1e-8
    // One a constraint: only motions in these modes are looked for, which takes no search;
    // borrowed. NULL: every motion. Without ranges only one force of such a motion is found, and
    // force_dimension is an upper bound.
    const SpragMode *modes;
    uint32_t cookie;
} SpragMotionSettings;

SpragMotionSettings sprag_motion_default(void);

// Reusable search: owns its scratch memory and the motions found last.
typedef struct SpragMotionSearch SpragMotionSearch;

typedef struct SpragMotionSet {
    int count;
    const SpragMotion *motions; // transient: until the next search
    bool complete;              // every mode was decided; false: a limit was met
    long node_count;            // partial modes visited
    long leaf_count;            // complete modes solved
    long program_count;         // linear programs solved, in space
} SpragMotionSet;

SPRAG_MUST_USE SpragStatus sprag_motion_search_create(SpragContext *context,
                                                      SpragMotionSearch **search);
void sprag_motion_search_destroy(SpragMotionSearch *search);
// Every motion of the problem by depth-first search over modes with pruning (theory.md 3.2, 3.3),
// merged by motion, in a fixed order. settings NULL: the defaults. In space the directions in which
// contacts at rest start to slip are found too, theory.md (13.12); where several start at once
// complete is false unless it could be proved that nothing was missed.
SPRAG_MUST_USE SpragStatus sprag_motion_search_run(SpragMotionSearch *search,
                                                   const SpragContactProblem *problem,
                                                   const SpragMotionSettings *settings,
                                                   SpragMotionSet *set);

// Largest violation of the contact laws by (λ, a = W λ + b), relative to the sizes of the problem:
// complementarity, cone, direction of friction. Shares no code with the search.
double sprag_contact_residual(const SpragContactProblem *problem, const double *force);

// ---- The planar LCP (2.12) ----------------------------------------------------------------------

// Size s + 3r of the LCP of theory.md (2.11)–(2.13): s sliding, r resting contacts (kind CONTACT
// only).
int sprag_contact_lcp_size(const SpragContactProblem *problem);
// A (size × size) and b (size) of (2.12), (2.13).
SPRAG_MUST_USE SpragStatus sprag_contact_lcp_build(const SpragContactProblem *problem, double *A,
                                                   double *b);
// Forces λ (row_count) of an LCP vector x (size).
void sprag_contact_lcp_force(const SpragContactProblem *problem, const double *x, double *force);

#ifdef __cplusplus
}
#endif

#endif

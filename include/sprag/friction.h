// friction.h: friction problems u = W r + q with exact cones, for few contacts or many thousands.
//
// Contact by contact, normal first, then tangents (theory.md 11.4):
//
//     0 ≤ r_N ⟂ u_N ≥ 0 ,  |r_T| ≤ μ r_N ,  r_T = −μ r_N u_T/|u_T| where u_T ≠ 0
//
// or, for a bilateral block (a joint), u = 0 with r free.
// With ũ = (u_N + μ|u_T|, u_T) this is r ∈ K, ũ ∈ K*, r·ũ = 0, K the cone |r_T| ≤ μ r_N. Forces and
// accelerations, or impulses and velocities: nothing here knows which.
#ifndef SPRAG_FRICTION_H
#define SPRAG_FRICTION_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The problem --------------------------------------------------------------------------------

// How W is given.
typedef enum SpragFrictionStorage {
    SPRAG_FRICTION_DENSE,
    SPRAG_FRICTION_BLOCKS, // sparse blocks
    SPRAG_FRICTION_BODIES  // W = J M⁻¹ Jᵀ, never formed
} SpragFrictionStorage;

// What the d rows of a contact are.
typedef enum SpragFrictionKind {
    SPRAG_FRICTION_CONTACT,  // unilateral with friction
    SPRAG_FRICTION_BILATERAL // u = 0, r free: rows of a joint. Rows of W that are zero throughout
                             // pad a block that needs fewer: their r is 0
} SpragFrictionKind;

// Borrowed: arrays stay the caller's. d is the dimension, c the number of contacts.
typedef struct SpragFrictionProblem {
    int dimension;              // 2 or 3
    int contact_count;          // ≥ 1
    const double *q;            // d a contact
    const double *friction;     // μ ≥ 0, one a contact
    const unsigned char *kinds; // SpragFrictionKind, one a contact; NULL: all are contacts
    SpragFrictionStorage storage;
    // DENSE
    const double *W; // (d c) × (d c), row-major
    // BLOCKS: those of row i are row_start[i] … row_start[i + 1] − 1, columns ascending; the
    // diagonal is there
    const int *row_start; // c + 1
    const int *column;
    const double *blocks; // d × d each, row-major
    // BODIES
    int body_count;
    int body_size;                 // velocity coordinates of a body: 3 or 6
    const double *inverse_inertia; // body_size × body_size a body
    const int *bodies;             // two a contact, −1: none
    const double *jacobian; // 2 × d × body_size a contact: rows of the first body, then of the
                            // second
} SpragFrictionProblem;

enum { SPRAG_FRICTION_MAX_CONTACTS = 1000000, SPRAG_FRICTION_MAX_DENSE = 20000 };

// ERROR_INPUT with a sentence that names the entry unless sizes, indices and numbers are valid.
SPRAG_MUST_USE SpragStatus sprag_friction_check(SpragContext *context,
                                                const SpragFrictionProblem *problem);

// Largest |W_ij − W_ji| relative to the largest |W_ij|; 0 for BODIES.
double sprag_friction_asymmetry(const SpragFrictionProblem *problem);

// ---- Residuals: the one judge of every method ---------------------------------------------------

// Point of K = {|x_T| ≤ μ x_N} nearest to x (d entries); may be done in place.
void sprag_friction_project(int dimension, double mu, const double *x, double *nearest);

// u = W r + q (d c entries), straight from the problem. BODIES needs `velocity`, body_count ×
// body_size entries that receive M⁻¹ Jᵀ r; it may be NULL otherwise.
void sprag_friction_velocity(const SpragFrictionProblem *problem, const double *r, double *u,
                             double *velocity);

typedef struct SpragFrictionResidual {
    double natural;   // |r − proj_K(r − ũ)| / |q|; |…| itself if q = 0. +inf if not finite.
                      // A bilateral block counts with u
    double unit_free; // the same with ũ divided and the result multiplied, contact by contact, by
                      // the mean diagonal entry of W: no unit of r or u enters
    int worst;        // contact with the largest share of the first
} SpragFrictionResidual;

// Theory.md (11.11), (11.12), from r and u = W r + q.
SpragFrictionResidual sprag_friction_residual(const SpragFrictionProblem *problem, const double *r,
                                              const double *u);
// Its first number alone, at a fraction of the cost.
double sprag_friction_natural(const SpragFrictionProblem *problem, const double *r,
                              const double *u);

// ---- Solvers ------------------------------------------------------------------------------------

#define SPRAG_FRICTION_METHOD_LIST(X)                                                              \
    X(AUTO, "auto", "nothing",                                                                     \
      "Gauss-Seidel, then Newton, then the interior path: whatever is needed")                     \
    X(GAUSS_SEIDEL, "gauss-seidel", "nothing",                                                     \
      "exact one-contact solutions in turn; sure and slow where W is ill-conditioned")             \
    X(GRADIENT, "gradient", "W symmetric",                                                         \
      "accelerated projected gradient: cheap steps, no factorisation")                             \
    X(NEWTON, "newton", "a start nearby",                                                          \
      "nonsmooth Newton (Alart-Curnier): quadratic near a solution")                               \
    X(INTERIOR, "interior", "nothing",                                                             \
      "interior path, then Newton: tens of steps at any size, forces indeterminate or not")        \
    X(LCP, "lcp", "nothing",                                                                       \
      "Stewart-Trinkle with k-sided cones: exact in the plane, polygonal in space")                \
    X(FLOW, "flow", "nothing",                                                                     \
      "smooth flow, each contact in its own time, then Newton: loose piles that stick and slip")

typedef enum SpragFrictionMethod {
#define SPRAG_FRICTION_METHOD_ENUM(id, name, needs, promises) SPRAG_FRICTION_##id,
    SPRAG_FRICTION_METHOD_LIST(SPRAG_FRICTION_METHOD_ENUM)
#undef SPRAG_FRICTION_METHOD_ENUM
        SPRAG_FRICTION_METHOD_COUNT
} SpragFrictionMethod;

typedef struct SpragFrictionMethodInfo {
    SpragFrictionMethod id;
    const char *name;     // as on the command line
    const char *needs;    // of the problem, or "nothing"
    const char *promises; // what it does
} SpragFrictionMethodInfo;

// One line of the table of methods, in the order of SpragFrictionMethod; NULL outside it. Static.
const SpragFrictionMethodInfo *sprag_friction_method_get(int method);
// SPRAG_FRICTION_METHOD_COUNT for a name that is not in the table.
SpragFrictionMethod sprag_friction_method_by_name(const char *name);

typedef struct SpragFrictionSettings {
    SpragFrictionMethod method;
    double tolerance;   // of the natural residual; default 1e-8
    int max_iterations; // of one method; 0: its own limit
    int sides;          // LCP in space: sides of the cones; default 8
    bool warm;          // begin with the r that is handed in; else with zero
    uint32_t cookie;    // set by sprag_friction_default
} SpragFrictionSettings;

SpragFrictionSettings sprag_friction_default(void);

#define SPRAG_FRICTION_STATUS_LIST(X)                                                              \
    X(SOLVED, "solved", "a solution within the tolerance was found")                               \
    X(LIMIT, "limit", "the method stopped at its limit of iterations")                             \
    X(STALLED, "stalled", "the method made no further progress")                                   \
    X(UNSUITABLE, "unsuitable", "the problem is not what the method needs")

typedef enum SpragFrictionStatus {
#define SPRAG_FRICTION_STATUS_ENUM(id, name, text) SPRAG_FRICTION_##id,
    SPRAG_FRICTION_STATUS_LIST(SPRAG_FRICTION_STATUS_ENUM)
#undef SPRAG_FRICTION_STATUS_ENUM
        SPRAG_FRICTION_STATUS_COUNT
} SpragFrictionStatus;

const char *sprag_friction_status_name(SpragFrictionStatus status);
// The sentence of SPRAG_FRICTION_STATUS_LIST.
const char *sprag_friction_status_text(SpragFrictionStatus status);

// One method that was tried, as it ended.
typedef struct SpragFrictionStep {
    SpragFrictionMethod method;
    SpragFrictionStatus status;
    int iterations;
    double residual;
} SpragFrictionStep;

enum { SPRAG_FRICTION_MAX_STEPS = 64 };

typedef struct SpragFrictionInfo {
    SpragFrictionStatus status;
    SpragFrictionMethod method;     // the one that gave r
    SpragFrictionResidual residual; // from the problem, never taken from a method
    double start;   // of sprag_friction_sweep alone: the natural residual that it began with
    int iterations; // sweeps, gradient, Newton and path steps of all methods tried
    int factorizations;
    SpragFrictionStep steps[SPRAG_FRICTION_MAX_STEPS]; // what was done, in order
    int step_count;
} SpragFrictionInfo;

// Scratch memory, patterns and factors. Owned by the caller; one thread at a time. A second solve
// with the same sizes and the same pattern allocates nothing.
typedef struct SpragFrictionWorkspace SpragFrictionWorkspace;
SPRAG_MUST_USE SpragStatus sprag_friction_workspace_create(SpragContext *context,
                                                           SpragFrictionWorkspace **workspace);
void sprag_friction_workspace_destroy(SpragFrictionWorkspace *workspace);

// Solves with settings->method (settings NULL: the defaults). r (d c entries) holds the start if
// settings->warm, and receives the best point found; u receives W r + q. ERROR_INPUT: as
// sprag_friction_check, or W is less symmetric than 1e-3 and the method needs it to be.
SPRAG_MUST_USE SpragStatus sprag_friction_solve(SpragFrictionWorkspace *workspace,
                                                const SpragFrictionProblem *problem,
                                                const SpragFrictionSettings *settings, double *r,
                                                double *u, SpragFrictionInfo *info);

// Sweeps from r for a problem given by BODIES (3 velocities a body in the plane, 6 in space) that
// the caller has made himself, one of many that follow each other in time: nothing is checked, and
// a few digits cost little (theory.md 11.18). It ends where the natural residual falls to the
// tolerance, or after that many sweeps, and leaves the best that it looked at, the start among
// them; r and u as sprag_friction_solve leaves them.
SPRAG_MUST_USE SpragStatus sprag_friction_sweep(SpragFrictionWorkspace *workspace,
                                                const SpragFrictionProblem *problem, int sweeps,
                                                double tolerance, double *r, double *u,
                                                SpragFrictionInfo *info);
// Of such a problem the normals alone: 0 ≤ y ⟂ gap + N M⁻¹ Nᵀ y ≥ 0, theory.md (11.27), from y (one
// entry a contact), until the gaps that are missed are together (Euclidean norm) below `tolerance`,
// or for that many sweeps, in single precision. *done: sweeps made, at least 1; 0: this is no
// problem for it (fewer than 32 contacts, joints, the plane), and y stays.
SPRAG_MUST_USE SpragStatus sprag_friction_part(SpragFrictionWorkspace *workspace,
                                               const SpragFrictionProblem *problem,
                                               const double *gap, int sweeps, double tolerance,
                                               double *y, int *done);

// One contact exactly (theory.md 11.5): r with u = W r + b, W d × d. Separation goes before stick,
// stick before slip, where several hold.
void sprag_friction_solve_contact(int dimension, const double *W, const double *b, double mu,
                                  double *r);

#ifdef __cplusplus
}
#endif

#endif

// analysis.h: the verdict: every motion of a contact problem, its stability, and what to make of
// it.
#ifndef SPRAG_ANALYSIS_H
#define SPRAG_ANALYSIS_H

#include "sprag/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SpragStability {
    SPRAG_STABLE,    // the compliant layer returns to this motion, theory.md (6.5)
    SPRAG_DIVERGENT, // a real eigenvalue grows, whatever the damping
    SPRAG_FLUTTER,   // a complex pair grows
    SPRAG_DEPENDS, // stable or not, depending on the damping ratio in 0.01 … 1 (theory.md (6.9))
    SPRAG_FREE     // no contact presses: nothing to be unstable
} SpragStability;

const char *sprag_stability_name(SpragStability stability);

typedef enum SpragVerdictKind {
    SPRAG_VERDICT_UNIQUE,
    SPRAG_VERDICT_MULTIPLE,
    SPRAG_VERDICT_NONE,
    SPRAG_VERDICT_INFINITE, // a continuum of motions
    SPRAG_VERDICT_OPEN      // no contact
} SpragVerdictKind;

const char *sprag_verdict_name(SpragVerdictKind kind);

typedef struct SpragEigenvalue {
    double real, imaginary;
} SpragEigenvalue;

typedef struct SpragSolution {
    const SpragMotion *motion;
    SpragStability stability;
    bool stable; // as decided for the pilot: DEPENDS is decided at the given damping, else ζ = 0.1
    int eigenvalue_count;
    SpragEigenvalue *eigenvalues; // of the layer (6.5), 1/s; at k of (6.9) if none is given
    int layer_count;              // eigenvalues of D (6.2) on its range: rank of the active rows
    SpragEigenvalue *layer;       // 1/kg
    double growth_time;           // s: 1 / largest real part if positive, else INFINITY
    bool turns;                   // divergent since a direction of slip that starts turns away
    double critical_damping;      // ζ at which DEPENDS or FLUTTER changes; 0: none
} SpragSolution;

typedef struct SpragAnalysisSettings {
    SpragMotionSettings motions;
    double damping_ratio; // ζ of (6.9) where the problem gives no stiffness; 0.1
    double time_scale;    // T of (6.9); 0: 1 s
    bool moving;          // some body has a velocity: then nothing is held
    bool silent;          // no sentence: reason stays empty, for many verdicts in a row
    uint32_t cookie;
} SpragAnalysisSettings;

SpragAnalysisSettings sprag_analysis_default(void);

typedef struct SpragVerdict {
    SpragVerdictKind kind;
    int solution_count;
    const SpragSolution *solutions; // transient: until the next analysis
    int stable_count;
    bool complete;
    bool forces_unique; // in every motion
    bool one_contact;   // A and B are set
    double A, B; // theory.md (2.6), (13.2) of the one contact; at rest A of the slip direction that
                 // is worst: a_nn − μ |a_nt| (3.5), in space a_nn − μ |g|
    bool held;   // every contact at rest, and the only motion (or the stable one) keeps it so
    bool recommended_compliant;
    int chosen;         // index of the motion that rigid dynamics would take; −1: none
    bool default_layer; // stiffness and damping are those of (6.9)
    char reason[512];   // one sentence
} SpragVerdict;

typedef struct SpragAnalysis SpragAnalysis;

SPRAG_MUST_USE SpragStatus sprag_analysis_create(SpragContext *context, SpragAnalysis **analysis);
void sprag_analysis_destroy(SpragAnalysis *analysis);
// The verdict on a problem; settings NULL: the defaults.
SPRAG_MUST_USE SpragStatus sprag_analysis_run(SpragAnalysis *analysis,
                                              const SpragContactProblem *problem,
                                              const SpragAnalysisSettings *settings,
                                              SpragVerdict *verdict);

// ---- What maps and margins compare --------------------------------------------------------------

// The part of a verdict that changes by jumps only. Two states with equal outcomes have the same
// motions (by their modes), of the same stability.
typedef struct SpragOutcome {
    SpragVerdictKind kind;
    int solution_count, stable_count;
    bool complete, forces_unique, held, recommended_compliant;
    uint64_t signature; // of kind, held, complete, of every motion's modes and stability, of the
                        // chosen one; not of the forces
    char modes[232];    // of every motion: stable ones first, "|" between motions, " " between
                        // contacts; "…" where it was cut
} SpragOutcome;

void sprag_outcome_init(SpragOutcome *outcome, const SpragContactProblem *problem,
                        const SpragVerdict *verdict);

// ---- Margin, theory.md (8.4) --------------------------------------------------------------------

// The nearest change on one side of the present value.
typedef struct SpragMarginSide {
    double change; // > 0, relative: the value times 1 ± change; INFINITY: nothing changes up to the
                   // limit
    SpragOutcome becomes; // if change is finite: what it changes into
} SpragMarginSide;

typedef struct SpragMargin {
    SpragMarginSide down, up;
} SpragMargin;

// The outcome when a value is `factor` times the present one.
typedef SpragStatus SpragOutcomeFunction(double factor, SpragOutcome *outcome, void *user);

enum { SPRAG_ALL_CONTACTS = -1 };

// Scans factors down to `least` (≥ 0) and up to `most`, and brackets the first change on each side
// to 1e-9. Changes and changes back between two points of the scan are missed: its steps grow from
// 1e-6 to a twentieth. A failure of the function ends the scan on its side.
SPRAG_MUST_USE SpragStatus sprag_margin_scan(SpragOutcomeFunction *function, void *user,
                                             double least, double most, SpragMargin *margin);
// The margin of the friction of one constraint, or of all by a common factor (SPRAG_ALL_CONTACTS):
// from 0 up to ten times the present value. Infinite where there is no friction to change.
SPRAG_MUST_USE SpragStatus sprag_margin_friction(SpragAnalysis *analysis,
                                                 const SpragContactProblem *problem,
                                                 const SpragAnalysisSettings *settings,
                                                 int constraint, SpragMargin *margin);

// ---- Closure, theory.md 8.8
// ----------------------------------------------------------------------

// Whether contact forces exist that hold bodies against any load whatever. A statement on the
// existence of forces: it does not say that they arise, nor that rest is the only motion (8.5).
typedef enum SpragClosureKind {
    SPRAG_CLOSURE_FORM,     // even without friction (to first order)
    SPRAG_CLOSURE_FORCE,    // with friction
    SPRAG_CLOSURE_NONE,     // some load cannot be held
    SPRAG_CLOSURE_UNDECIDED // the circular cones of space, or guides, leave it open
} SpragClosureKind;

// "form", "force", "none", "undecided".
const char *sprag_closure_name(SpragClosureKind kind);

typedef struct SpragClosure {
    SpragClosureKind kind;
    int freedom;    // velocity coordinates to be held
    int rank;       // of them, those that some constraint force reaches
    int row_count;  // rows that act on them
    int cone_sides; // of the polyhedral cones that decided; 2: in the plane they are exact
    double margin;  // 0 … 1: how far inside of the cones the self-stress is, (8.6); at most
                    // SPRAG_CLOSURE_TOLERANCE counts as none
    // FORM, FORCE: forces of the constraints (row_count of the problem) that balance each other,
    // strictly inside of their cones, the largest normal force 1; else NULL.
    const double *force;
    // NONE: a motion that no constraint force resists, so that no load with positive power in it
    // can be held: velocities (velocity_count; NULL for a problem without bodies), and what the
    // contact rows see of it (row_count of the problem). Else NULL.
    const double *motion, *rate;
    char reason[200]; // one sentence
} SpragClosure;

// Relative: below it a self-stress counts as being on the border of its cones.
#define SPRAG_CLOSURE_TOLERANCE 1e-9
enum { SPRAG_ALL_BODIES = -1 };

// Closure of one body (an inertia block of the problem, all others held still) or of all together
// (SPRAG_ALL_BODIES). Of a problem without bodies: against loads that act through its contacts. The
// friction is that which holds now. Results live in the arena, scratch is given back.
SPRAG_MUST_USE SpragStatus sprag_closure_find(SpragArena *arena, const SpragContactProblem *problem,
                                              int block, SpragClosure *closure);

#ifdef __cplusplus
}
#endif

#endif

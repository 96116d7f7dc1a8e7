// analysis.h: the verdict: every motion of a contact problem, its stability, and what to make of
// it.
#ifndef SPRAG_ANALYSIS_H
#define SPRAG_ANALYSIS_H

#include "sprag/complementarity.h"
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
    SPRAG_VERDICT_OPEN,     // no contact
    SPRAG_VERDICT_UNKNOWN   // nobody has asked: time stepping
} SpragVerdictKind;

const char *sprag_verdict_name(SpragVerdictKind kind);

typedef struct SpragEigenvalue {
    double real, imaginary;
} SpragEigenvalue;

// Where stiffness and damping of the layer come from.
typedef enum SpragLayerSource {
    SPRAG_LAYER_NONE,    // no contact presses: no layer was tested
    SPRAG_LAYER_DEFAULT, // Kelvin–Voigt of theory.md (6.9) everywhere
    SPRAG_LAYER_SCENE,   // all given; force laws linearised at the force of the motion (6.4)
    SPRAG_LAYER_MIXED    // what was not given is that of (6.9)
} SpragLayerSource;

// "none", "default", "scene", "mixed".
const char *sprag_layer_source_name(SpragLayerSource source);

typedef enum SpragRatioResult {
    SPRAG_RATIOS_NONE, // not tried: D is symmetric, or fewer than two rows
    SPRAG_RATIOS_STABLE,
    SPRAG_RATIOS_DEPEND,
    SPRAG_RATIOS_UNSTABLE
} SpragRatioResult;

// "not tried", "stable for all ratios tried", "depends on the ratio", "unstable for all ratios
// tried".
const char *sprag_ratio_result_text(SpragRatioResult result);

// Stability when contacts are stiffer or softer against each other than the layer has them, each at
// its own damping ratio: up to a hundredfold, on a grid for up to six contacts, else a sample.
typedef struct SpragRatioScan {
    SpragRatioResult result;
    bool proven; // by the signs of D: for every ratio (and, if stable, every damping)
    int tried, stable;
    const double *witness; // NULL, or the mildest factors on the stiffness at which stability is
                           // not that of the layer itself: constraint_count, NAN if not active
    SpragStability witness_stability;
} SpragRatioScan;

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
    double critical_damping;      // ζ at which DEPENDS or FLUTTER changes; 0: none, or a layer
                                  // that is not the default one
    SpragLayerSource layer_source;
    bool nearly_singular; // friction brings A, or an eigenvalue of D of several rows, below 1e-6 of
                          // its frictionless value: forces are about to grow without limit, 8.4
    // with settings.details only
    double critical_factor; // of a given layer: common factor on all damping at which flutter
                            // begins or ends, within 1e-4 … 1e4; 0: none
    SpragRatioScan ratios;
    const double *participation; // NULL if stable and not nearly singular; constraint_count: share
                                 // 0 … 1 of each contact in the eigenvectors that grow, or in the
                                 // one that is about to
    // With settings.details or rules, not stable: the deformation (row_count of the problem, rows
    // as there, 0 where nothing is active) along which the layer leaves fastest, largest
    // √stiffness × deformation 1; else NULL. Of a complex pair its real part.
    const double *growing;
} SpragSolution;

typedef struct SpragAnalysisSettings {
    SpragMotionSettings motions;
    double damping_ratio; // ζ of (6.9) where the problem gives no stiffness; 0.1
    double epsilon;       // ε of (6.9), likewise; 1e-4
    double time_scale;    // T of (6.9); 0: 1 s
    bool moving;          // some body has a velocity: then nothing is held
    bool details;         // also scans, advice and tests: costs as much as a thousand verdicts
    bool rules;           // also who takes part in a failure (8.6.1), without the scans of details
    bool silent;          // no sentence: reason stays empty, for many verdicts in a row
    uint32_t cookie;
} SpragAnalysisSettings;

SpragAnalysisSettings sprag_analysis_default(void);

// Why a contact is to be rigid or compliant, theory.md 8.1, 8.4, 8.6.1.
#define SPRAG_RULE_LIST(X)                                                                         \
    X(OPEN, false, "not closed")                                                                   \
    X(ONE_STABLE, false, "one stable motion")                                                      \
    X(GOES_ON, false, "of several stable motions one goes on as now")                              \
    X(NOT_INVOLVED, false, "takes no part in the failure")                                         \
    X(NO_MOTION, true, "no motion: index set of the non-positive determinant")                     \
    X(NO_MOTION_ISLAND, true, "no motion: no smaller index set than the island explains it")       \
    X(UNSTABLE, true, "takes part in the unstable eigenvector")                                    \
    X(CONTINUUM, true, "takes part in the continuum of motions")                                   \
    X(DIFFERS, true, "stable motions differ here")                                                 \
    X(SMALL_A, true, "A almost zero")                                                              \
    X(INCOMPLETE, true, "the search for motions was not complete")

typedef enum SpragRuleKind {
#define SPRAG_RULE_ENUM(id, compliant, text) SPRAG_RULE_##id,
    SPRAG_RULE_LIST(SPRAG_RULE_ENUM)
#undef SPRAG_RULE_ENUM
        SPRAG_RULE_COUNT
} SpragRuleKind;

const char *sprag_rule_text(SpragRuleKind rule);
// Whether the rule makes a contact compliant.
bool sprag_rule_is_compliant(SpragRuleKind rule);

typedef struct SpragVerdict {
    SpragVerdictKind kind;
    int solution_count;
    const SpragSolution *solutions; // transient: until the next analysis
    int stable_count;
    bool complete;
    long program_count; // linear programs that the search took: what it costs in space
    long node_count;    // partial modes that it visited: what it costs in the plane
    bool forces_unique; // in every motion
    bool one_contact;   // A and B are set
    double A, B; // theory.md (2.6), (13.2) of the one contact; at rest A of the slip direction that
                 // is worst: a_nn − μ |a_nt| (3.5), in space a_nn − μ |g|
    bool held;   // every contact at rest, and the only motion (or the stable one) keeps it so
    bool recommended_compliant;
    int chosen;                 // index of the motion that rigid dynamics would take; −1: none
    bool default_layer;         // some stiffness or damping is that of (6.9)
    const SpragRuleKind *rules; // with settings.details or rules: constraint_count, what to make of
                                // each; else NULL; transient
    char reason[512];           // one sentence
} SpragVerdict;

typedef struct SpragAnalysis SpragAnalysis;

SPRAG_MUST_USE SpragStatus sprag_analysis_create(SpragContext *context, SpragAnalysis **analysis);
void sprag_analysis_destroy(SpragAnalysis *analysis);
// The verdict on a problem; settings NULL: the defaults.
SPRAG_MUST_USE SpragStatus sprag_analysis_run(SpragAnalysis *analysis,
                                              const SpragContactProblem *problem,
                                              const SpragAnalysisSettings *settings,
                                              SpragVerdict *verdict);

// Who becomes compliant where rigid mechanics fails, theory.md 8.6.1: in (constraint_count) tells
// the constraints that take part in the failure of this problem: the index set of the non-positive
// determinant (3.4), of the unstable eigenvector, or those in which the stable motions differ. None
// if there is one stable motion away from the singularity. The verdict (with rules) is that of
// sprag_analysis_run; of several stable motions none counts as chosen.
SPRAG_MUST_USE SpragStatus sprag_analysis_culprits(SpragAnalysis *analysis,
                                                   const SpragContactProblem *problem,
                                                   const SpragAnalysisSettings *settings,
                                                   SpragVerdict *verdict, bool *in);

// ---- Tests of the matrices, for every load ------------------------------------------------------

// Tests that do not look at b, theory.md (3.1), (3.4), (3.5). Contacts and limits; bilateral rows
// count in every mode.
typedef struct SpragSolvability {
    SpragAnswer p_matrix; // of the LCP (2.7), asked when every contact slides; else UNKNOWN
    bool p_asked;
    int p_count;          // of a "no": the constraints with a minor that is not positive
    const int *p_witness; // transient
    double p_minor;       // that minor, rows divided by the diagonal of W
    double determinant;   // least of (3.4) over all modes, rows divided by the diagonal of W; NAN:
                          // not computed. In space, one contact: 1 − μ|g|/a_nn (theory.md 13.1)
    const SpragMode *determinant_modes; // NULL, or constraint_count: the modes of the least one
    SpragAnswer
        coherent;        // all positive: yes; one negative: no, some load has no motion or several;
                         // a zero (dependent rows), one spatial contact, or not computed: unknown
    bool sufficient;     // one planar contact: then yes means one motion for every load (3.5)
    const char *omitted; // NULL, or why there is no determinant
} SpragSolvability;

// Arrays are transient: until the next analysis or test. The verdict of the last analysis stays.
SPRAG_MUST_USE SpragStatus sprag_analysis_test(SpragAnalysis *analysis,
                                               const SpragContactProblem *problem,
                                               SpragSolvability *tests);
// The least determinant (3.4) alone, with its modes (constraint_count, may be NULL). NAN above
// 4096 modes or 24 rows, for guides, for no contact, and in space for other than one contact.
double sprag_contact_determinant(const SpragContactProblem *problem, SpragMode *modes);

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

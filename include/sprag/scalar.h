// scalar.h: one degree of freedom with a guide, a thread or gears: where friction is that of a
// bilateral contact, so that its normal force may have either sign (theory.md section 9).
//
// Three problems have one common form, the pair (9.5)-(9.7): the scalar problem (9.1), the general
// transmission, and the screw drive (9.12), (9.13). A pair at a state and under an input is solved
// forward (which accelerations?) and backward (which input?). Several guides make a vector problem.
#ifndef SPRAG_SCALAR_H
#define SPRAG_SCALAR_H

#include "sprag/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Curves -------------------------------------------------------------------------------------

// y over x through `count` points: straight between them, or a natural cubic spline. Outside, the
// line goes on: with its end slope (spline), with its end value (straight).
typedef struct SpragCurve {
    int count;       // ≥ 1 points; ≥ 2 for a spline
    const double *x; // ascending
    const double *y;
    const double *bend; // y'' at the points, from sprag_curve_bend; NULL: straight pieces
} SpragCurve;

// The second derivatives of the natural spline into bend (count entries); work: count entries.
void sprag_curve_bend(int count, const double *x, const double *y, double *bend, double *work);
// y, y' and y'' at x into derivatives.
void sprag_curve_evaluate(const SpragCurve *curve, double x, double derivatives[3]);

// ---- The three problems -------------------------------------------------------------------------

// a q'' + b + mu |c q'' + d| sgn q' = input, theory.md (9.1). a > 0; c may have either sign, c = 0
// is a guide whose normal force does not depend on the motion.
typedef struct SpragScalar {
    double a, b, c, d;
    double friction;           // ≥ 0
    double stiffness, damping; // of the guide, v = q - q_2 (9.7); stiffness 0: not given
} SpragScalar;

// theory.md (9.11)-(9.20).
typedef struct SpragScrew {
    double inertia;      // I > 0, kg m²
    double mass;         // m > 0, kg
    double lead;         // l > 0, m per radian
    double helix;        // alpha in (0, pi/2)
    double thread_angle; // theta in [0, pi/2), normal to the thread
    double friction;     // mu ≥ 0, below cos(theta)/tan(alpha) (9.15)
    double gravity;      // m/s²: the axial load is m g; may have either sign
    double stiffness;    // axial, N/m; 0: not given
    double damping;      // N s/m
    double torsion;      // of the shaft, N m/rad, in series with the axial one; 0: rigid
} SpragScrew;

// theory.md (9.5)-(9.7). Index 0 is q_1, index 1 is q_2; q_1 = g(q_2).
typedef struct SpragTransmission {
    double a[2], b[2], c[2], d[2];
    double friction;
    double slip[2]; // q_r' = slip_1 q_1' + slip_2 q_2', whose sign turns the friction
    // g: a curve, or the parabola value + slope x + curvature x²/2 with x = q_2 - position.
    const SpragCurve *curve; // borrowed; NULL: the parabola
    double position, value, slope, curvature;
    double stiffness, damping; // along q_1; stiffness 0: not given
    double torsion;            // stiffness at q_2, in series; 0: rigid
} SpragTransmission;

// What follows from a screw's data alone.
typedef struct SpragScrewFacts {
    double kappa, rho;           // (9.11)
    double radius;               // of the thread, l/tan(alpha)
    double efficiency[2];        // eta_1 (driving), eta_2 (driven); INFINITY: frictionless border
    double effective_inertia[2]; // I + m l²/eta_i (9.16)
    bool self_locking;           // rho > alpha
    bool paradox;                // effective_inertia[1] < 0
    double critical_inertia;     // below it the paradox occurs; 0: never
    double critical_friction;    // above it; INFINITY: never below the limit (9.15)
    double friction_limit;       // cos(theta)/tan(alpha)
} SpragScrewFacts;

// ERROR_INPUT with a sentence that names the condition.
SPRAG_MUST_USE SpragStatus sprag_screw_check(SpragContext *context, const SpragScrew *screw);
void sprag_screw_facts(const SpragScrew *screw, SpragScrewFacts *facts);

// ---- The common form ----------------------------------------------------------------------------

// Rows i = 0, 1:  a_i q_i'' + b_i + c_i F + d_i f = tau_i, with |f| ≤ mu |F|, and f = mu |F| sgn
// q_r' while it slips. The layer between them carries the force X = x_normal F + x_friction f =
// k v + damping v', v = q_1 - g(q_2).
typedef struct SpragPair {
    double a[2], b[2], c[2], d[2];
    double friction;
    double slip[2];
    const SpragCurve *curve;
    double position, value, slope, curvature; // of g, as in SpragTransmission
    double x_normal, x_friction;
    double stiffness, damping; // of X; 0: not given
    double normal_sign;        // normal force as reported = normal_sign F
    double second;  // 1: q_2 has energy of its own; 0: it only stands for the guide's force
    double stretch; // work of the layer: stretch X v'
    int output;     // coordinate whose acceleration is meant: 0 or 1
} SpragPair;

void sprag_pair_of_scalar(const SpragScalar *scalar, SpragPair *pair);
void sprag_pair_of_screw(const SpragScrew *screw, SpragPair *pair);
void sprag_pair_of_transmission(const SpragTransmission *transmission, SpragPair *pair);
// ERROR_INPUT with a sentence that names the condition: inertias, friction, slip, the directions of
// friction, a stiffness below 0.
SPRAG_MUST_USE SpragStatus sprag_pair_check(SpragContext *context, const SpragPair *pair);
// g, g', g'' at q_2.
void sprag_pair_ratio(const SpragPair *pair, double q2, double g[3]);

// A state of the rigid pair: q_2, q_2' and the inputs tau_1, tau_2.
typedef struct SpragPairState {
    double position, velocity;
    double input[2];
} SpragPairState;

enum { SPRAG_PAIR_MOTIONS = 5 };

// One motion: an acceleration and the forces with it.
typedef struct SpragPairMotion {
    int direction;            // sgn q_r' (of a start: that of q_r''); 0: held
    int branch;               // s = sgn F sgn q_r', (9.8); 0: held
    double acceleration[2];   // q_1'', q_2''
    double normal;            // F, with the sign of the problem
    double friction;          // f
    double layer;             // X
    double layer_rate;        // k h_s / k of (9.8): v'' + layer_rate X = …; > 0: stable
    double inertia;           // effective: d tau_1 / d output acceleration along the branch
    SpragStability stability; // STABLE or DIVERGENT
    bool stable;
    double growth;      // 1/s: rate of (9.10) with the damping; 0: stable; NAN: stiffness not
                        // given
    double growth_unit; // sqrt(|layer_rate|) if not stable: growth = this × sqrt(k) undamped
    bool continuum;     // one of a continuum
} SpragPairMotion;

typedef struct SpragPairVerdict {
    SpragVerdictKind kind;
    int motion_count, stable_count;
    SpragPairMotion motions[SPRAG_PAIR_MOTIONS];
    int chosen;                  // index of the motion that is taken; −1: none
    int direction;               // sgn q_r'; 0: at rest
    bool unique_for_every_input; // at this state: mu < a/c and its like (9.4)
    double tau_cr;               // tau_1 at which F vanishes (9.3); NAN: at none (c = 0)
    double excess;               // a_1 a_2 u (9.9): its sign is that of tau_1 - tau_cr
    // The held state: |f| ≤ mu |F| for tau_1 in [band_low, band_high] (or outside of it).
    double band_low, band_high;
    bool band_outside;
    bool in_band; // of the input given, whatever the velocity
    bool held;
    bool jam; // moving, and no motion: the velocity jumps to zero
    char reason[256];
} SpragPairVerdict;

typedef struct SpragPairSettings {
    double tolerance; // a difference this small beside its terms is zero; 1e-12
    uint32_t cookie;
} SpragPairSettings;

SpragPairSettings sprag_pair_default(void);

// Every motion of a checked pair at a state; settings NULL: the defaults. Nothing is allocated.
void sprag_pair_forward(const SpragPair *pair, const SpragPairState *state,
                        const SpragPairSettings *settings, SpragPairVerdict *verdict);

// The motion on one branch (±1 with its direction; 0: held), whether its signs fit or not: what an
// integration between events follows.
void sprag_pair_evaluate(const SpragPair *pair, const SpragPairState *state, int direction,
                         int branch, SpragPairMotion *motion);

typedef enum SpragRealised {
    SPRAG_REALISED_YES,      // the only stable motion under that input
    SPRAG_REALISED_AMONG,    // stable, but not the only one that is
    SPRAG_REALISED_UNSTABLE, // a motion under that input, but not a stable one
    SPRAG_REALISED_NO        // not a motion under that input
} SpragRealised;

// "yes", "among", "unstable", "no".
const char *sprag_realised_name(SpragRealised realised);

typedef struct SpragPairInverse {
    int count;       // of inputs that give the acceleration: 0, 1 or 2
    double input[2]; // tau_1
    SpragRealised realised[2];
    bool held; // at rest and no acceleration wanted: every input of the band (SpragPairVerdict)
    double band_low, band_high;
} SpragPairInverse;

// Which tau_1 gives the wanted acceleration of the output coordinate? state->input[0] is not used.
void sprag_pair_inverse(const SpragPair *pair, const SpragPairState *state, double acceleration,
                        const SpragPairSettings *settings, SpragPairInverse *inverse);

// Forces of the layer at X while it slips with direction ±1: F, f. Of a layer that sticks
// (direction 0): from X and the balance along the slip, with the inputs tau.
void sprag_pair_forces(const SpragPair *pair, double layer, int direction, const double tau[2],
                       double *normal, double *friction);
// Exponent of the fastest growth of v'' + rate (k v + damping v') = 0; 0 if rate ≥ 0.
double sprag_pair_growth(double rate, double stiffness, double damping);

// ---- Several guides -----------------------------------------------------------------------------

enum { SPRAG_GUIDES_MOST = 16 };

// A q'' + b + E diag(mu sgn(E'q')) |C q'' + d| = tau: n coordinates, m guides; theory.md 9.4.
typedef struct SpragGuides {
    int n, m;
    const double *A;        // n × n, symmetric positive definite
    const double *b;        // n
    const double *C;        // m × n
    const double *d;        // m
    const double *friction; // m
    const double
        *direction; // E, n × m: what the friction of a guide acts on; NULL: identity (m = n)
    const double *velocity;  // n
    const double *input;     // n
    const double *stiffness; // m, of the guides (9.23); NULL: not given
    const double *damping;   // m; NULL: none
    const int *slip;         // m: signs of the slips; NULL: those of E' velocity
} SpragGuides;

typedef struct SpragGuidesMotion {
    double *acceleration;     // n
    double *normal;           // m: F
    double *friction;         // m: f, with the sign of (9.1): positive against positive slip
    int *slip;                // m: sgn of slip or start; 0: sticks
    int *sign;                // m: sgn of F on the branch; 0: sticks
    bool forces_unique;       // false: friction of guides that stick can be shared in many ways
    SpragStability stability; // of the layer (9.25)
    bool stable;              // DEPENDS is decided at the damping given, else at a ratio of 0.1
    int eigenvalue_count;
    SpragEigenvalue *eigenvalues; // m, of the layer's matrix H (9.25); 1/s² if stiffness is given,
                                  // else beside a guide without friction
    double growth; // largest real part of the layer's exponents, 1/s; NAN: stiffness not given
    bool continuum;
} SpragGuidesMotion;

typedef struct SpragGuidesVerdict {
    SpragVerdictKind kind;
    bool complete; // false: a sign pattern was singular and its continuum could not be decided
    int motion_count, stable_count;
    SpragGuidesMotion *motions;
    int chosen;  // the stable motion whose starts are among those of every other one; −1: none
    bool moving; // a guide slips
    bool held;   // the chosen motion holds every guide
    long pattern_count;
} SpragGuidesVerdict;

// ERROR_INPUT with a sentence unless sizes and entries are valid.
SPRAG_MUST_USE SpragStatus sprag_guides_check(SpragContext *context, const SpragGuides *guides);
// Every motion, by all sign patterns of normal forces and starts. Results and scratch are from the
// arena. ERROR_LIMIT: more than a million patterns.
SPRAG_MUST_USE SpragStatus sprag_guides_forward(SpragContext *context, SpragArena *arena,
                                                const SpragGuides *guides,
                                                SpragGuidesVerdict *verdict);
// The input (n) that gives the acceleration; friction of guides that stick and are wanted to stay
// is taken as zero, and `free_count` says how many these are.
void sprag_guides_inverse(const SpragGuides *guides, const double *acceleration, double *input,
                          int *free_count);
// Whether that input, applied forward, gives the acceleration. Scratch is from the arena.
SPRAG_MUST_USE SpragStatus sprag_guides_realise(SpragContext *context, SpragArena *arena,
                                                const SpragGuides *guides,
                                                const double *acceleration, const double *input,
                                                SpragRealised *realised);

// On one branch (slips, and signs of F where a guide slips) everything is affine in the inputs,
// whether the signs fit or not: rows q'' (n), f (m), F (m) of n + 1 columns, the first constant,
// then one for each input. Guides that stick along the same line (sprag_guides_groups): their
// common friction is the first one's. False: the branch is singular.
bool sprag_guides_response(const SpragGuides *guides, const int *slip, const int *sign,
                           double *response);
// Of guides that stick: leader[j] is the first whose direction is parallel (j itself if there is
// none before), and e_j = ratio[j] e_leader. −1: it slips, or acts on nothing.
void sprag_guides_groups(const SpragGuides *guides, const int *slip, int *leader, double *ratio);
// Spring and damper of guide j along its own row: F = k w + damping w', w = c_j q - y_j (9.23).
// Where none is given: 1 and 0.
void sprag_guides_layer(const SpragGuides *guides, int guide, double *stiffness, double *damping);
// A⁻¹ with the slips held of the guides where slip is 0: q'' = P (forces), E' q'' = 0 there. P and
// work: n × n. False: A is singular.
bool sprag_guides_mobility(const SpragGuides *guides, const int *slip, double *P, double *work);

// ---- What changes by jumps ----------------------------------------------------------------------

// Outcomes for maps and margins. Modes are "held", "forward+", "back-" … (the slip, and the sign of
// the normal force); "jam": something moves, and there is no motion.
void sprag_pair_outcome(const SpragPairVerdict *verdict, SpragOutcome *outcome);
void sprag_guides_outcome(int guide_count, const SpragGuidesVerdict *verdict,
                          SpragOutcome *outcome);

#ifdef __cplusplus
}
#endif

#endif

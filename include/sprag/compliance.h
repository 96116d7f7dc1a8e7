// compliance.h: constitutive laws of contact: layers between deformation and force, friction,
// restitution.
#ifndef SPRAG_COMPLIANCE_H
#define SPRAG_COMPLIANCE_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SpragComplianceLaw {
    SPRAG_COMPLIANCE_RIGID,         // none given
    SPRAG_COMPLIANCE_KELVIN_VOIGT,  // theory.md (5.3)
    SPRAG_COMPLIANCE_HUNT_CROSSLEY, // theory.md (5.4)
    SPRAG_COMPLIANCE_HERTZ // (5.4) with β = 3/2 and K of a pair of materials and radii, see below
} SpragComplianceLaw;

// Where the damping of a layer comes from.
typedef enum SpragDampingSource {
    SPRAG_DAMPING_VALUE,       // damping or alpha themselves, see damping_given
    SPRAG_DAMPING_RESTITUTION, // the isolated impact at `speed` has `restitution`, (5.5), (5.6)
    SPRAG_DAMPING_LANKARANI,   // alpha of Lankarani and Nikravesh, theory.md (5.17)
    SPRAG_DAMPING_FLORES       // alpha of Flores and others, theory.md (5.18)
} SpragDampingSource;

// A layer as a scene or a bare problem gives it. Zero means: not given.
typedef struct SpragCompliance {
    SpragComplianceLaw law;
    SpragDampingSource damping_source;
    bool damping_given;            // damping (Kelvin–Voigt) or alpha is as given, even if 0
    bool tangential_damping_given; // likewise
    double stiffness;              // Kelvin–Voigt N/m; Hunt–Crossley N/m^exponent
    double damping;                // Kelvin–Voigt, N s/m
    double alpha;                  // Hunt–Crossley, Hertz, s/m
    double exponent;               // Hunt–Crossley, β
    double tangential_stiffness;   // N/m; 0: as the normal one
    double tangential_damping;     // N s/m
    double epsilon, length;        // theory.md 5.4, instead of stiffness and damping
    double radius;                 // Hertz: of the pair, m; 0: from the shapes
    double restitution, speed;     // damping_source other than VALUE: e, and its impact speed, m/s
} SpragCompliance;

// Whether the damping (of Kelvin–Voigt) or alpha is given: a number > 0, an explicit 0, or by a
// restitution.
bool sprag_compliance_is_damped(const SpragCompliance *layer);
// Damping ratio that an explicit damping of 0 is tested with, and used with tangentially, where a
// law without any damper has no answer: small enough to change nothing else.
#define SPRAG_COMPLIANCE_LEAST_DAMPING 1e-6
// Damping ratio of a layer that does not say, theory.md (6.9).
#define SPRAG_COMPLIANCE_DAMPING 0.1

// Stiffness and damping of the layer linearised at a normal force (theory.md (6.4)): entry 0
// normal, 1 and 2 tangential; what the layer does not give tangentially is as the normal one.
// False (and zeros) if the layer is not given, gives only epsilon (see below), or has no slope
// (Hunt–Crossley without force): then (6.9) decides.
bool sprag_compliance_linearize(const SpragCompliance *layer, double normal_force,
                                double stiffness[3], double damping[3]);

// Stiffness and damping of a layer given by epsilon and length, from the mass (kg) and time (s)
// scales of theory.md 5.4: (5.13), (5.15) with all bars 1. A layer with a stiffness is copied, the
// damping of a Kelvin–Voigt one that gives its restitution computed by (5.6). False if the layer
// says too little.
bool sprag_compliance_resolve(const SpragCompliance *layer, double mass, double time,
                              SpragCompliance *resolved);

// One side of a Hertz contact.
typedef struct SpragHertzSide {
    double young;         // Pa, > 0
    double poisson_ratio; // −1 … 0.5
    double curvature;     // 1/m: 1/R of a round one, 0 of a flat one
} SpragHertzSide;

// A Hertz layer between two sides as a Hunt–Crossley one: K = (4/3) E* √R (theory.md 5.2) with
// 1/E* = Σ (1 − ν²)/E and 1/R = Σ 1/Rᵢ, or the layer's own radius. False if a modulus is missing,
// or both sides are flat and the layer has no radius.
bool sprag_compliance_hertz(const SpragCompliance *layer, const SpragHertzSide sides[2],
                            SpragCompliance *resolved);

// α of (5.4) that makes it the law of Lankarani and Nikravesh, whose damping takes the energy of a
// collision with restitution e at the speed v (m/s, > 0): (1 − e²)/(2 v).
double sprag_compliance_alpha(double e, double v);
// α that a source means for a restitution e in (0, 1] at the speed v (m/s, > 0).
double sprag_compliance_alpha_of(SpragDampingSource source, double e, double v);
// Damping ratio z of Kelvin–Voigt with restitution e in (0, 1], by (5.6).
double sprag_compliance_damping_ratio(double e);
// Two layers one behind the other, as one, theory.md (5.25). False if they are of different laws or
// exponents, or by epsilon; a rigid one leaves the other as it is.
bool sprag_compliance_series(const SpragCompliance *first, const SpragCompliance *second,
                             SpragCompliance *pair);

// ---- A layer that is evaluated ------------------------------------------------------------------

// All numbers of a layer, as a compliant motion needs them, theory.md 5.2, 5.3.
typedef struct SpragLayer {
    SpragComplianceLaw law;      // KELVIN_VOIGT or HUNT_CROSSLEY
    double stiffness;            // K, N/m^exponent
    double exponent;             // β; 1 for Kelvin–Voigt
    double damping;              // C of Kelvin–Voigt, N s/m; else 0
    double alpha;                // of Hunt–Crossley, s/m; else 0
    double tangential_stiffness; // K_T > 0, N/m
    double tangential_damping;   // C_T > 0, N s/m
} SpragLayer;

// λN = max(0, f(δ) + g(δ, δ')) of (5.2) at depth δ ≥ 0 (0 at δ < 0), and its derivatives (0 where
// it is clipped; each pointer may be NULL). `raw`, if wanted, is f + g without the clip, continued
// smoothly to δ < 0 (f odd in δ).
double sprag_layer_normal(const SpragLayer *layer, double depth, double rate, double *raw,
                          double *by_depth, double *by_rate);
// Slopes of the raw force, whatever its sign.
void sprag_layer_raw_slopes(const SpragLayer *layer, double depth, double rate, double *by_depth,
                            double *by_rate);
// f(δ) alone, its integral (the energy stored, J), and its inverse: the depth at rest under a
// force.
double sprag_layer_elastic(const SpragLayer *layer, double depth);
double sprag_layer_energy(const SpragLayer *layer, double depth);
double sprag_layer_depth(const SpragLayer *layer, double force);

// All numbers of a resolved layer between bodies of effective mass m (1/a_nn, kg) that presses with
// a typical force (N; 0: the weight m × 9.81 m/s²). What is not given: normal damping, so that the
// damping ratio at that force is SPRAG_COMPLIANCE_DAMPING; tangential stiffness and damping, those
// of the normal direction at that force; tangential damping is never 0 (but
// SPRAG_COMPLIANCE_LEAST_DAMPING where 0 is meant). A Kelvin–Voigt layer that gives its restitution
// has it for this mass. False if the layer has no stiffness.
bool sprag_layer_complete(const SpragCompliance *given, double mass, double force,
                          SpragLayer *layer);

// An isolated normal impact of a mass m at a speed v > 0: theory.md (5.5), (5.6), (5.19)–(5.23).
typedef struct SpragLayerImpact {
    double restitution;         // released where the force is 0
    double restitution_at_zero; // released where the depth is 0 (Kelvin–Voigt then pulls before)
    double contact_time;        // s, to the release at zero force
    double depth, force;        // largest, m and N
} SpragLayerImpact;

// That impact; mass and speed > 0.
void sprag_layer_impact(const SpragLayer *layer, double mass, double speed,
                        SpragLayerImpact *impact);

// ---- Friction -----------------------------------------------------------------------------------

typedef enum SpragFrictionLawKind {
    SPRAG_FRICTION_COULOMB,     // stick and slip told apart, theory.md 2.3, 5.3
    SPRAG_FRICTION_TANH,        // theory.md (7.1)
    SPRAG_FRICTION_REGULARIZED, // Oden and Pires
    SPRAG_FRICTION_KARNOPP,     // slip below a speed is stick
    SPRAG_FRICTION_DAHL,
    SPRAG_FRICTION_LUGRE
} SpragFrictionLawKind;

const char *sprag_friction_law_name(SpragFrictionLawKind kind);

// Numbers of a law; what it does not use is 0. Stiffness and dampings are per unit of normal force,
// so that friction is always a multiple of λN.
typedef struct SpragFrictionLaw {
    SpragFrictionLawKind kind;
    double speed;     // m/s: γ of tanh, width of Oden–Pires, band of Karnopp
    double stiffness; // 1/m: σ0 of Dahl and LuGre
    double damping;   // s/m: σ1 of LuGre
    double viscous;   // s/m: σ2
    double exponent;  // of Dahl; 1
} SpragFrictionLaw;

// λT = ratio λN of a law that tells no stick from slip, with its state z (bristle deflection, m;
// 0 for laws without one), and derivatives. Ratio and slip have opposite signs, state and slip the
// same: z → μ/σ0 in steady slip > 0. (Coulomb: −μ sgn slip; Karnopp likewise, 0 within its band.)
typedef struct SpragFrictionRatio {
    double ratio, by_slip, by_state;
    double state_rate, rate_by_slip, rate_by_state; // z'
} SpragFrictionRatio;

// Whether the law is such a one (all but Coulomb and Karnopp), and whether it has a state.
bool sprag_friction_law_is_smooth(const SpragFrictionLaw *law);
bool sprag_friction_law_has_state(const SpragFrictionLaw *law);

typedef struct SpragFrictionNumbers {
    double stationary, kinetic, stribeck; // μ at zero slip, in slip; speed between them, 0: at once
} SpragFrictionNumbers;

// μ at a slip speed: kinetic + (static − kinetic) exp(−(slip/stribeck)²); static at zero slip.
// Smooth laws know no jump: without a Stribeck speed they use the kinetic one throughout (Dahl's
// always).
double sprag_friction_coefficient(const SpragFrictionNumbers *numbers, double slip);
// |λT|/λN in steady slip at this speed: what Coulomb's μ is to the other laws (of a law with a
// state z where z' = 0, viscous part included).
double sprag_friction_law_steady(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                 double slip);
// Greatest |λT|/λN at zero slip, or (laws without memory) at which slip is creep.
double sprag_friction_law_holds(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers);
void sprag_friction_law_evaluate(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                 double slip, double state, SpragFrictionRatio *result);
// The same with `tangents` components (1 or 2) of slip and state, theory.md (7.12); slopes are
// tangents × tangents, those across the slip approximate.
typedef struct SpragFrictionVector {
    double ratio[2], state_rate[2];
    double by_slip[4], by_state[4], rate_by_slip[4], rate_by_state[4];
} SpragFrictionVector;
void sprag_friction_law_evaluate_vector(const SpragFrictionLaw *law,
                                        const SpragFrictionNumbers *numbers, int tangents,
                                        const double *slip, const double *state,
                                        SpragFrictionVector *result);
// Slip at which a law without memory carries the tangential force ratio × λN for ever (theory.md
// (7.3)): the creep of a body that Coulomb's law would hold. INFINITY: more than it can carry; 0
// for laws that do not creep.
double sprag_friction_law_creep(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers,
                                double ratio);

// ---- Restitution --------------------------------------------------------------------------------

typedef enum SpragRestitutionLaw {
    SPRAG_RESTITUTION_ENERGETIC,
    SPRAG_RESTITUTION_NEWTON,
    SPRAG_RESTITUTION_POISSON
} SpragRestitutionLaw;

// "energetic", "newton", "poisson".
const char *sprag_restitution_law_name(SpragRestitutionLaw law);

enum { SPRAG_RESTITUTION_POINTS = 16 };

// e, or e over the approach speed, linear between points and constant beyond them.
typedef struct SpragRestitution {
    bool given;
    SpragRestitutionLaw law;
    double e;          // point_count 0
    double rest_speed; // m/s: an approach slower than this ends closed; 0: the run's own tolerance
    int point_count;
    double speed[SPRAG_RESTITUTION_POINTS], value[SPRAG_RESTITUTION_POINTS];
} SpragRestitution;

// How several collisions at once are resolved, theory.md (10.21).
typedef enum SpragImpactScheme {
    SPRAG_IMPACTS_TOGETHER, // complementarity: Newton, or Poisson in two phases
    SPRAG_IMPACTS_SEQUENCE, // one after the other
    SPRAG_IMPACTS_PATH      // energetic, along the impulse path, with ratios of compliance
} SpragImpactScheme;

// e at an approach speed ≥ 0 (0 below rest_speed).
double sprag_restitution_at(const SpragRestitution *restitution, double speed);

#ifdef __cplusplus
}
#endif

#endif

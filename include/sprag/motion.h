// motion.h: forward in time, event by event.
//
// A run integrates rigid dynamics with the contact modes frozen between events, and locates every
// change of contact on the dense output of the integrator (theory.md 14.1, 14.2). Whatever happens
// goes to a sink: samples, events, verdict intervals.
#ifndef SPRAG_MOTION_H
#define SPRAG_MOTION_H

#include "sprag/analysis.h"
#include "sprag/dynamics.h"
#include "sprag/impact.h"
#include "sprag/scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragRun SpragRun;

// ---- What a run tells ---------------------------------------------------------------------------

// Names as users see them: "impact", "landing", "slip-start" …
#define SPRAG_EVENT_LIST(X)                                                                        \
    X(IMPACT, "impact")               /* a gap closes, velocities jump */                          \
    X(LANDING, "landing")             /* a gap closes without a jump */                            \
    X(SEPARATION, "separation")       /* a normal force vanishes */                                \
    X(SLIP_START, "slip-start")       /* a friction force leaves its cone */                       \
    X(STICK, "stick")                 /* a slip ends, and stays zero */                            \
    X(SLIP_REVERSAL, "slip-reversal") /* a slip passes through zero */                             \
    X(SLIP_TURN, "slip-turn")         /* in space: by more than a right angle, through zero */     \
    X(SURFACE, "surface")             /* a contact passes onto another surface */                  \
    X(JAM, "jam")                     /* the forces of the present mode grow without limit */      \
    X(AMBIGUITY, "ambiguity")         /* several stable motions */                                 \
    X(NO_SOLUTION, "no-solution")     /* no motion obeys Coulomb's law */                          \
    X(UNSTABLE, "unstable")           /* the only motion is not stable */                          \
    X(TO_COMPLIANT, "to-compliant")   /* contacts leave the rigid model */                         \
    X(TO_RIGID, "to-rigid")           /* they return to it */                                      \
    X(TOUCH, "touch")                 /* compliant: begins to press */                             \
    X(LIFT_OFF, "lift-off")           /* compliant: no longer presses */                           \
    X(REST, "rest")                   /* everything has come to rest, and stays */                 \
    X(PAINLEVE, "painleve")           /* stepping: passes where no or several rigid motions are */ \
    X(SCENE, "scene")                 /* one of the scene's own, with a name: output.h */

typedef enum SpragEventType {
#define SPRAG_EVENT_ENUM(name, text) SPRAG_EVENT_##name,
    SPRAG_EVENT_LIST(SPRAG_EVENT_ENUM)
#undef SPRAG_EVENT_ENUM
        SPRAG_EVENT_COUNT
} SpragEventType;

const char *sprag_event_name(SpragEventType type);

// The account of a collision at one contact (theory.md (10.15)–(10.17)). Summed over the events of
// a collision, loss and others are its kinetic energy before minus after.
typedef struct SpragImpactNote {
    bool given; // the event is an impact
    SpragRestitutionLaw law;
    double e;             // at its approach speed
    SpragImpactCase kind; // NONE: several contacts at once
    double velocity[3];   // normal (approach < 0), tangential; before
    double after[3];
    double impulse[3];
    SpragImpactLoss loss;   // at this contact, J
    SpragImpactLoss others; // at contacts that were closed already; in the first event of a
                            // collision
    double energy_before, energy_after; // kinetic, of everything, J
    double energy_gain;                 // > 0: the law made energy in this collision (Newton can)
} SpragImpactNote;

typedef struct SpragEvent {
    double t;
    SpragEventType type;
    int contact;            // slot; −1: none, or not one alone
    char detail[256];       // a person's words
    char name[64];          // of an event of the scene; else ""
    SpragImpactNote impact; // of an impact
} SpragEvent;

// Its name, or that of its type.
const char *sprag_event_label(const SpragEvent *event);

// One contact at a sample.
typedef struct SpragRunContact {
    double gap;        // m; INFINITY: cannot touch here
    double slip;       // m/s; in space its size
    double normal;     // N, ≥ 0
    double tangential; // N; in space its size
    double slips[SPRAG_CONSTRAINT_WAYS], tangentials[SPRAG_CONSTRAINT_WAYS]; // along the tangents
    SpragVec3 slip_vector, tangential_vector; // space: the same in the world; in the plane 0
    double friction;                          // μ that holds now
    SpragMode mode;                           // SEPARATE: open
    bool compliant;                           // its force comes from its layer
    double depth;                             // compliant: penetration, m; else 0
    double shift; // m: closed, gap = −depth − shift. Not 0 where the bodies overlapped already
                  // by the layer of a neighbouring contact when this one began to press
    bool unique;  // the forces are unique; else normal and tangential are the representative (14.4)
} SpragRunContact;

// The account: initial kinetic + potential + elastic + actuation = final ones + friction + impact
// + damping, up to the drift. All in J; losses are positive.
typedef struct SpragEnergyAccount {
    double kinetic, potential, elastic; // now
    double actuation;                 // work of loads, belts and moving boundaries since the start
    double friction, impact, damping; // lost since the start
    double change; // lost where contacts passed between rigid and compliant (theory.md 8.6)
    double placed; // beside the account: what the given state had more than the start, where
                   // contacts were put into their layers (14.6)
} SpragEnergyAccount;

typedef struct SpragRunSample {
    double t;
    const double *q, *v;             // transient
    const SpragRunContact *contacts; // one a slot; transient. Stepping: modes and normal forces
                                     // only, the rest by sprag_run_sample_contact
    const SpragJointState *joints;   // one a joint; transient; NULL: not known, or none
    SpragEnergyAccount energy;
    SpragVerdictKind verdict;
    int solution_count;
    bool before_event, after_event; // this sample is one side of an event
    double residual; // stepping: of the friction problems of the step, theory.md (11.12); else 0
    SpragRun *run;   // whose it is, for sprag_run_margin; NULL: nobody's
} SpragRunSample;

typedef struct SpragRunVerdict {
    double from, to;
    SpragVerdictKind kind;
    int solution_count, stable_count;
    char chosen[128]; // modes of the motion taken, "slide- stick"; "" if none
    char reason[512];
} SpragRunVerdict;

// Contact `slot` of a sample, all of it (transient): in a sink use this, since a run by time
// stepping works out gaps and slips of contacts only when they are asked for.
const SpragRunContact *sprag_run_sample_contact(const SpragRunSample *sample, int slot);

// Where it goes. Each function may be NULL; a return value other than 0 ends the run (outcome
// STOPPED).
typedef struct SpragSink {
    int (*sample)(const SpragRunSample *sample, void *user);
    int (*event)(const SpragEvent *event, void *user);
    int (*verdict)(const SpragRunVerdict *verdict, void *user);
    void *user;
    // A piece of the motion without an event inside, told before the samples that lie in it. Until
    // it returns, sprag_run_probe gives samples anywhere in from … to.
    int (*piece)(SpragRun *run, double from, double to, void *user);
} SpragSink;

// ---- The run ------------------------------------------------------------------------------------

typedef enum SpragRunOutcome {
    SPRAG_RUN_DONE,
    SPRAG_RUN_NO_SOLUTION,
    SPRAG_RUN_AMBIGUOUS,
    SPRAG_RUN_UNSTABLE,
    SPRAG_RUN_JAM,
    SPRAG_RUN_NOT_CONVERGED, // a step, a projection or an impact could not be computed
    SPRAG_RUN_EVENT_LIMIT,   // more events than allowed: they accumulate
    SPRAG_RUN_INTERRUPTED,
    SPRAG_RUN_STOPPED // by the sink
} SpragRunOutcome;

// "done", "no-solution" …
const char *sprag_run_outcome_name(SpragRunOutcome outcome);

typedef struct SpragRunSettings {
    double tolerance;              // relative error of a step; 1e-9
    double output_step;            // s between samples; 0: only at events and at both ends
    double max_step;               // s; 0: no limit
    long max_events;               // 100000
    SpragMotionKind motion;        // AUTO
    SpragParadox paradox;          // where no motion is stable; DEFAULT: as the motion says
    SpragBranch branch;            // where several motions are stable
    SpragImpactScheme impacts;     // several collisions at once
    double epsilon;                // of layers that nothing gives, theory.md (6.9); 1e-4
    double step;                   // of STEPPING, s; 0: from the scene
    SpragStepScheme scheme;        // of STEPPING
    double theta;                  // of its scheme Moreau-Jean; 0.5
    int threads;                   // of STEPPING; the results do not depend on it. 0: all cores
    double law_tolerance;          // STEPPING: residual to which islands of many contacts are
                                   // solved, theory.md 11.18; 1e-3
    bool no_rest;                  // STEPPING: islands at rest are stepped all the same
    bool verdicts;                 // analyse at accepted steps too (events always are)
    const volatile int *interrupt; // non-zero ends the run; may be NULL
    uint32_t cookie;
} SpragRunSettings;

SpragRunSettings sprag_run_default(void);
// The defaults with what the `simulate` of a scene says.
SpragRunSettings sprag_run_settings(const SpragSimulate *simulate);

typedef struct SpragRunStatistics {
    uint64_t steps, evaluations, solves; // accepted steps; right-hand sides; searches over modes
    uint64_t events;
} SpragRunStatistics;

// What time stepping says of itself (theory.md 11.14); zeros in other motions.
typedef struct SpragSteppingStatistics {
    bool active;         // the run steps
    double step;         // s
    double longest_step; // that springs, dampers and loads bear, s; INFINITY: any
    double parts;        // into which each given step was cut, since it is longer than that; 1
    double theta;
    int threads;
    double residual; // of the last step: the worst of its friction problems, theory.md (11.12)
    double worst_residual;           // of all steps
    double worst_time;               // when
    double median_residual;          // of the steps with contacts, to 4 %
    double penetration;              // largest overlap at the begin of a step, m
    double energy_growth;            // C: no step has gained more than C h², J/s²
    uint64_t halved;                 // steps that would have ended in deep overlaps
    uint64_t unsolved;               // friction problems that missed the tolerance
    int most_contacts, most_islands; // in one step
    int contacts, islands, asleep;   // now; bodies put to rest
    uint64_t impacts, separations;   // of all contacts, told or not
    uint64_t iterations;             // of the solvers
} SpragSteppingStatistics;

// ---- Collisions ---------------------------------------------------------------------------------

typedef struct SpragCollisionState {
    double t;
    const double *q, *v;
    const bool *sliding; // one a contact of the list: its slip counts as non-zero
} SpragCollisionState;

// The problem u⁺ = W P + u⁻ of a list of contacts, as sprag_impact_collide takes it, and the rule
// of each (count entries). Both views: the change of velocities is M⁻¹ Jᵀ P.
SPRAG_MUST_USE SpragStatus sprag_collision_build(SpragSystem *system,
                                                 const SpragCollisionState *state, int count,
                                                 const int *contacts, SpragContactProblem *problem,
                                                 SpragImpactRule *rules);
// Gives rules that a scheme asked for can follow: of several contacts together the energetic law is
// none of complementarity, and Poisson's, which agrees with it on a single impact without change of
// slip, stands for it.
void sprag_collision_rule(SpragImpactScheme scheme, int count, SpragImpactRule *rules);
// Numbers the islands of a problem: contacts whose impulses move each other have the same number,
// that of the first of them (constraint_count entries).
void sprag_collision_islands(const SpragContactProblem *problem, int *island);
// One island as a problem of its own (dense view); the id of each constraint is its number in the
// whole.
SPRAG_MUST_USE SpragStatus sprag_collision_part(const SpragContactProblem *problem,
                                                const int *island, int number,
                                                SpragContactProblem *part);
// Whether a sliding contact of an acceleration problem (in the plane, alone in its island) has A <
// 0 and B < 0: no motion goes on from there, an impact without collision does
// (theory.md 4.2, 10.7).
bool sprag_collision_is_tangential(const SpragContactProblem *problem, int constraint);

// ---- Runs ---------------------------------------------------------------------------------------

// The system must outlive its runs, and serves one of them at a time.
//
// A run from the system's initial state (sprag_system_initial) at t = 0. The system is borrowed.
// settings NULL: the defaults. sink NULL: nobody listens; it is copied, its user pointer borrowed.
SPRAG_MUST_USE SpragStatus sprag_run_create(SpragSystem *system, const SpragRunSettings *settings,
                                            const SpragSink *sink, SpragRun **run);
void sprag_run_destroy(SpragRun *run);
// Starts again from (t, q, v).
SPRAG_MUST_USE SpragStatus sprag_run_restart(SpragRun *run, double t, const double *q,
                                             const double *v);
// Goes on until `until` or an end; *outcome tells which. May be called again after DONE.
SPRAG_MUST_USE SpragStatus sprag_run_advance(SpragRun *run, double until, SpragRunOutcome *outcome);

// The verdict at the present state (transient: until the run goes on); nothing advances.
SPRAG_MUST_USE SpragStatus sprag_run_analyze(SpragRun *run, SpragVerdict *verdict);

// Inside SpragSink.piece: the sample at t (transient: until the next one), from the dense output.
// Nobody is told of it. ERROR_ARGUMENT elsewhere, or for a t outside of the piece.
SPRAG_MUST_USE SpragStatus sprag_run_probe(SpragRun *run, double t, const SpragRunSample **sample);
// Inside SpragSink.piece: the run ends at t in from … to, with the outcome STOPPED.
void sprag_run_stop(SpragRun *run, double t);
// Inside SpragSink.piece: an event of the sink's own at t in from … to; samples of both its sides
// are told there, as of the run's own events. Times must not fall from call to call.
SPRAG_MUST_USE SpragStatus sprag_run_mark(SpragRun *run, double t);
// The margin theory.md (8.4) at the state of the last sample, told or probed: the least relative
// change, up or down, of the friction of contact `slot` (SPRAG_ALL_CONTACTS: of all by one factor)
// at which the verdict changes. INFINITY: none up to ten times; NaN: the contact is open, or no
// contact is closed. It takes some hundred searches over modes.
SPRAG_MUST_USE SpragStatus sprag_run_margin(SpragRun *run, int slot, double *change);

// ---- Exits --------------------------------------------------------------------------------------

// A motion that is not stable, at a state: its contacts start compliant, in equilibrium with
// `factor` times its forces (theory.md 8.2).
typedef struct SpragExitStart {
    double t;
    const double *q, *v;
    const SpragContactProblem *problem; // of the solution; ids are slots
    const SpragSolution *solution;
    double factor; // 1.01: a little more force, 0.99: a little less
} SpragExitStart;

// Where it leads.
typedef struct SpragExit {
    SpragEventType first; // what happens first: LIFT_OFF, STICK …
    int contact;          // to which slot; −1: nothing happened
    double after;         // s
    bool lifted;          // the last of it: a contact has lifted off, or all are rigid again
    double peak;          // largest normal force of a contact on the way, N
    int event_count;
    int slot_count;
    char text[200]; // "slip stops after 0.0081 s, lifts off after 0.0153 s"
} SpragExit;

// Follows a compliant run until a contact lifts off, all are rigid again, or a hundred times the
// growth time of the motion. settings NULL: the defaults; motion and paradox are its own. The
// solution must outlive the call, so it is not of the system's own run.
SPRAG_MUST_USE SpragStatus sprag_run_exit(SpragSystem *system, const SpragRunSettings *settings,
                                          const SpragExitStart *start, SpragExit *exit);

// ---- Looking at it ------------------------------------------------------------------------------

double sprag_run_time(const SpragRun *run);
// The state now (transient: until the next advance).
const double *sprag_run_position(const SpragRun *run);
const double *sprag_run_velocity(const SpragRun *run);
// The sample now (transient), all contacts worked out.
const SpragRunSample *sprag_run_sample(const SpragRun *run);
SpragRunStatistics sprag_run_statistics(const SpragRun *run);
SpragSteppingStatistics sprag_run_stepping(const SpragRun *run);
// How the run goes on: the settings' motion, or STEPPING where AUTO has chosen that, with the
// reason ("" if there is none).
SpragMotionKind sprag_run_motion(const SpragRun *run, const char **reason);
// initial + actuation − losses − now, J: what the integration lost or made.
double sprag_run_drift(const SpragRun *run);

// ---- Inverse dynamics ---------------------------------------------------------------------------

// One motion of the contact problem at a state (constraint ids are the system's contacts).
typedef struct SpragInverseState {
    double t;
    const double *q, *v;
    const SpragContactProblem *problem;
    const SpragMotion *motion;
} SpragInverseState;

typedef struct SpragInverse {
    int drive_count; // driven joints; 0: nothing else counts
    // Whether their forces, applied as loads instead of them, make the same motion, theory.md 9.4:
    // known false: the search was not complete
    SpragRealised realised;
    bool known;
    int solution_count, stable_count; // of the forward problem under the forces
} SpragInverse;

// Forces (prismatic, distance) or torques of the drives of a system's joints in a motion; force:
// joint_count of the model, 0 where a joint is not driven.
SPRAG_MUST_USE SpragStatus sprag_inverse_dynamics(SpragSystem *system,
                                                  const SpragInverseState *state, double *force,
                                                  SpragInverse *result);

#ifdef __cplusplus
}
#endif

#endif

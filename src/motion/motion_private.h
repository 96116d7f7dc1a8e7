// motion_private.h: a run in memory (private to the room).
//
// The integrated vector is y = (q, v, work): work holds what friction took, what loads and belts
// gave and what dampers took since the start, so that the energy account closes to the tolerance.
#ifndef SPRAG_MOTION_PRIVATE_H
#define SPRAG_MOTION_PRIVATE_H

#include "sprag/integrate.h"
#include "sprag/motion.h"

// Within a run closed contacts are kept closed to a thousandth of the gap tolerance, so twice that
// part of it tells a gap from zero.
#define MOTION_CLOSED 2e-3

enum { WORK_FRICTION, WORK_ACTUATION, WORK_DAMPING, WORK_COUNT };

// Event functions of a run with so many slots, at most.
#define MOST_FUNCTIONS(slots) (5 * (slots) + 2)

// A force that the frozen mode solves for.
typedef struct Unknown {
    int contact;     // index in the active list
    int row;         // row of the sample whose acceleration it keeps at zero
    bool tangential; // λT of a sticking contact
} Unknown;

typedef enum FunctionKind {
    FUNCTION_GAP,        // of an open contact
    FUNCTION_NORMAL,     // λN
    FUNCTION_CONE_PLUS,  // μ λN − λT of a sticking contact
    FUNCTION_CONE_MINUS, // μ λN + λT
    FUNCTION_SLIP,       // slip in the direction of sliding
    FUNCTION_SURFACE,    // +1 while the contact's features still meet: a side has ended
    FUNCTION_MARGIN,     // σ of theory.md (14.4): dependent rows
    FUNCTION_DETERMINANT // of the frozen mode's equations, theory.md (3.4)
} FunctionKind;

typedef struct EventFunction {
    FunctionKind kind;
    int index; // of the active or open contact
} EventFunction;

// Contacts of the present mode, and the equations of their forces. Arrays hold one entry a slot
// (rows: dimension a slot) and never grow.
typedef struct Frozen {
    int active_count, open_count, row_count;
    int *active, *open; // slots
    int *first;         // first row of each active contact
    int *rows;          // number of its rows
    bool *sliding;      // active contact slides
    double *sign;       // direction of its slip, ±1
    int unknown_count;  // all rows that the mode holds at zero
    Unknown *unknowns;
    int solved_count; // an independent part of them: the others follow
    int *solved;
    bool dependent;
    bool surfaces; // some contact can come to the end of its side
    bool rates;    // some open contact is at velocity level
    int function_count;
    EventFunction *functions;
    int *directions;
    double *zeros;
    int *fired; // of the event found last
} Frozen;

// The frozen mode's equations at one state.
typedef struct Evaluation {
    double *gap, *gap_rate, *slip, *friction; // a slot; friction: static, kinetic
    double *held;
    double *W, *b, *drift, *response, *free_acceleration;
    double *force;         // rows: λ of the mode
    double *acceleration;  // velocity_count
    double *D, *right, *x; // solved_count
    int *permutation;
    double determinant; // relative to the frictionless rows
    SpragSystemPower power;
    // The state that all this belongs to: it is asked for again and again (end of a step, begin of
    // the next one, event functions there). Everything else that a sample depends on outdates it.
    double t, *y; // 2 velocity_count
    bool sampled, solved;
} Evaluation;

// Departures of a contact from its last collisions: impacts that accumulate leave a geometric
// trace.
enum { BOUNCES_KEPT = 3 };
// A limit that is estimated again and again.
typedef struct Limit {
    double last, shift[2]; // the last estimate, and how far the last two were from those before
    double best, spread;   // the most certain estimate so far, and how uncertain it is
} Limit;

typedef struct Bounce {
    int count;                  // of departures in a row, at most BOUNCES_KEPT are kept
    double t[BOUNCES_KEPT];     // the last one first
    double speed[BOUNCES_KEPT]; // normal, m/s
    Limit plain, corrected;     // estimates of the time at which its impacts accumulate
    double closes_at;           // that time once the contact counts as closed; INFINITY: not yet
} Bounce;

struct SpragRun {
    SpragContext *context;
    SpragSystem *system;
    SpragRunSettings settings;
    SpragSink sink;
    SpragIntegrator *integrator;
    SpragRootFinder *finder;
    SpragAnalysis *analysis;
    SpragMotionSearch *search; // for forces in the present modes
    SpragImpact *impact;
    SpragArena *arena;
    SpragContactProblem problem;
    int n, slots, size;
    bool started;
    double t, *y, *scratch, *later; // size each
    SpragMode *mode, *mode_before;  // one a slot
    Frozen frozen;
    Evaluation now;
    double *probe_gap, *probe_rate, *probe_slip; // one a slot, scratch for kinematics alone
    double *values_begin, *values_end;           // event functions at the ends of a step
    bool begin_known, end_known;
    SpragContactKinematics *kinematics; // one a slot
    SpragContactTolerances tolerances;
    double far;         // a gap larger than this is as good as infinite, m
    double force_scale; // N: forces below its 1e-12th part are zero
    double jam;         // determinant at which the mode ends, theory.md 8.4
    double step_guess;
    // what was told
    double t_start;        // of the arc of outputs
    uint64_t output_count; // samples told at multiples of the output step
    SpragRunContact *contacts;
    SpragRunSample sample;
    SpragRunVerdict interval;
    bool interval_open, held;
    bool in_piece; // the sink hears of the piece below, and may probe it
    double piece_from, piece_to;
    bool stopping; // at stop_at, as the sink wishes
    double stop_at;
    bool *fresh; // one a slot: its mode comes from a start, a collision or a slip that stopped, not
                 // from a motion that went on
    bool *left;  // one a slot: its surface has ended at this event
    int idle;    // events in a row that changed no mode
    int events_here;      // events since the time last moved on
    double t_here;        // … which was here
    int passed;           // number of contacts that another surface has taken over at this event
    Bounce *bounces;      // one a slot
    SpragImpactNote note; // for the next event
    double impact_loss, impact_actuation, initial_energy;
    SpragRunStatistics statistics;
    uint64_t evaluations; // right-hand sides outside the integrator's own count
    void *block;          // all arrays above
};

// Verdict on the closed contacts at a state, and the modes of the motion that it takes.
typedef struct Decision {
    SpragVerdict verdict;
    int taken; // index of the solution; −1: none
} Decision;

// motion_modes.c
// Holds on to the features of the closed contacts, and opens those that have none any more.
SPRAG_MUST_USE SpragStatus modes_settle(SpragRun *run);
// The same, and the equations of their forces and what ends the mode.
SPRAG_MUST_USE SpragStatus modes_freeze(SpragRun *run);
// The system's held features have changed: nothing evaluated before counts.
void modes_outdate(SpragRun *run);
void modes_forget(SpragRun *run);
SPRAG_MUST_USE SpragStatus modes_evaluate(SpragRun *run, double t, const double *y);
int modes_derivative(double t, const double *y, double *dy, void *user);
bool mode_slides(SpragMode mode);

// motion_events.c
// Event functions at the begin of a step that starts at run->t, run->y, unless they are known.
SPRAG_MUST_USE SpragStatus events_begin(SpragRun *run);
// The first event of a step; *t receives its time, run->fired which functions ended (INFINITY: none
// did).
SPRAG_MUST_USE SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t);
bool events_fired(const SpragRun *run, FunctionKind kind);
SPRAG_MUST_USE SpragStatus events_values(SpragRun *run, double t, const double *y, double *values);

// motion_decide.c
SPRAG_MUST_USE SpragStatus decide(SpragRun *run, double t, const double *y, const bool *resting,
                                  Decision *decision, SpragRunOutcome *outcome);
// The verdict at a state and, as taken, the motion with the present modes (−1: none); changes
// nothing.
SPRAG_MUST_USE SpragStatus decide_present(SpragRun *run, double t, const double *y,
                                          Decision *decision);
// The motion in the present modes, with its forces, and no look at any other; NULL: there is none.
// Transient.
SPRAG_MUST_USE SpragStatus decide_forces(SpragRun *run, double t, const double *y,
                                         const SpragMotion **motion);
// Whether the motion taken opens a contact of the present problem.
bool decide_separates(const SpragRun *run, const Decision *decision);
// Whether everything rests and stays so. *held: what the decision said, at a state whose velocities
// were zero only within the errors of integration; now they are projected.
SPRAG_MUST_USE SpragStatus decide_rest(SpragRun *run, bool *held);
// After an event of the forces that changed no mode: contacts that touch without force are opened,
// since a force that is zero would end the same mode again and again. If they are pressed later
// they close like any other.
void decide_open_grazing(SpragRun *run, const Decision *decision);
void decide_apply(SpragRun *run, const Decision *decision);
// Looks at the verdict after a step from t_old; where it is another one than before, *changed, and
// run->t and run->y go back to where it became so.
SPRAG_MUST_USE SpragStatus decide_find_change(SpragRun *run, double t_old, bool *changed);
// Goes on with the new verdict, or ends the run.
SPRAG_MUST_USE SpragStatus decide_change(SpragRun *run, SpragRunOutcome *outcome);

// The margin at a state with the present modes, see sprag_run_margin.
SPRAG_MUST_USE SpragStatus decide_margin(SpragRun *run, double t, const double *y, int slot,
                                         double *change);

// motion_collide.c
SPRAG_MUST_USE SpragStatus collide_land(SpragRun *run, SpragRunOutcome *outcome);

// motion_zeno.c: impacts without end in finite time, theory.md 14.2
void zeno_clear(SpragRun *run);
// A collision sends contact `slot` off at a speed. True: its impacts accumulate, and so soon that
// it may count as closed from now on; *at receives when.
bool zeno_depart(SpragRun *run, int slot, double speed, double *at);
// The contact counts as closed; at its time it is told so.
void zeno_close(SpragRun *run, int slot, double at, SpragRunOutcome *outcome);
// The next time at which an accumulation is to be told, or `until`.
double zeno_next(SpragRun *run, double until);
// Tells of accumulations that end now.
SPRAG_MUST_USE SpragStatus zeno_tell(SpragRun *run, SpragRunOutcome *outcome);

// motion_tell.c
SPRAG_MUST_USE SpragStatus tell_sample(SpragRun *run, double t, const double *y, bool before,
                                       bool after, SpragRunOutcome *outcome);
// Tells of the part from … to of the last step; the sink may set run->stopping.
void tell_piece(SpragRun *run, double from, double to, SpragRunOutcome *outcome);
void tell_event(SpragRun *run, SpragEventType type, int contact, SpragRunOutcome *outcome,
                const char *format, ...) SPRAG_PRINTF(5, 6);
void tell_changes(SpragRun *run, SpragRunOutcome *outcome);
void tell_verdict(SpragRun *run, double t, const Decision *decision, SpragRunOutcome *outcome);
void tell_interval_end(SpragRun *run, double t, SpragRunOutcome *outcome);

#endif

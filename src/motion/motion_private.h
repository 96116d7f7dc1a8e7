// motion_private.h: a run in memory (private to the room).
//
// The integrated vector is y = (q, v, work, layers): work holds what friction took, what loads and
// belts gave and what dampers took since the start, so that the energy account closes to the
// tolerance. Layers holds, contact by contact of the active list, the states of theory.md 5.3 and
// (8.3): depth and shear of a compliant contact, the bristle deflection of a friction law that has
// one (a component a tangent). Its length changes from arc to arc.
//
// In the plane a slip has a sign, in space a direction that follows the state. What lies beyond its
// end is continued along the heading that it had when the step began, theory.md (13.25).
//
// A slot is rigid or compliant (run->compliant). A rigid one is active while its mode is not
// SEPARATE. A compliant one is active while it is `touching`: its mode says what its slider does,
// and SEPARATE that its force is clipped to zero (5.2) although the bodies still overlap.
#ifndef SPRAG_MOTION_PRIVATE_H
#define SPRAG_MOTION_PRIVATE_H

#include "pilot.h"
#include "sprag/integrate.h"
#include "sprag/motion.h"

// Numbers of a slip, a direction, or an aim, in space.
enum { WAYS = SPRAG_CONSTRAINT_WAYS };

// Within a run closed contacts are kept closed to a thousandth of the gap tolerance, so twice that
// part of it tells a gap from zero.
#define MOTION_CLOSED 2e-3
// A mode ends in a jam when its determinant falls to this, or to so many tolerances if that is
// more (theory.md 8.4).
#define MOTION_JAM 1e-6
// A compliant contact knows its depth much better: this part of it is some rounding errors of a
// position.
#define LAYER_CLOSED 4e-6

enum { WORK_FRICTION, WORK_ACTUATION, WORK_DAMPING, WORK_COUNT };

// Event functions of a run with so many slots, at most.
#define MOST_FUNCTIONS(slots) (6 * (slots) + 2)
// First entry of work in y.
#define WORK_AT(run) ((run)->m + (run)->n)

// A force that the frozen mode solves for.
typedef struct Unknown {
    int contact;     // index in the active list
    int row;         // row of the sample whose acceleration it keeps at zero
    int normal;      // which normal of its contact it is
    bool tangential; // λT of a sticking contact
} Unknown;

typedef enum FunctionKind {
    FUNCTION_GAP,        // of an open contact
    FUNCTION_NORMAL,     // λN
    FUNCTION_SIDE,       // λN of a sliding bearing with one normal, in the direction it presses
    FUNCTION_CONE_PLUS,  // μ λN − λT of a sticking contact
    FUNCTION_CONE_MINUS, // μ λN + λT
    FUNCTION_CONE,       // μ λN − |λT|, in space
    FUNCTION_SLIP,       // slip in the direction of sliding; in space along its heading
    FUNCTION_SURFACE,    // +1 while the contact's features still meet: a side has ended
    FUNCTION_DEPTH,      // of a compliant contact
    FUNCTION_PRESS,      // its force before the clip; negative while it is clipped
    FUNCTION_SLIDER,     // C_T |σ| of its slider, theory.md (5.10); |σ| of a quick one
    FUNCTION_REVERSAL,   // slip of a smooth friction law, in its direction
    FUNCTION_BEGIN_PLUS, // and that it has a direction at all
    FUNCTION_BEGIN_MINUS,
    FUNCTION_BEGIN,      // likewise in space
    FUNCTION_BAND,       // slip beyond the band of Karnopp's law
    FUNCTION_MARGIN,     // σ of theory.md (14.4): dependent rows
    FUNCTION_DETERMINANT // of the frozen mode's equations, theory.md (3.4)
} FunctionKind;

typedef struct EventFunction {
    FunctionKind kind;
    int index; // of the active or open contact
} EventFunction;

// A contact whose layer gives its force, in the present mode (motion_direct.c).
typedef struct DirectLayer {
    const SpragLayer *layer;
    int depth_at, shear_at; // in y
    bool slider;            // its friction is that of Coulomb's slider; else motion_layers.c has it
    bool pressed;           // its force is not clipped
    bool sticks;
    double pull; // λT per μ λN of a slider that does not stick
} DirectLayer;

// Contacts of the present mode, and the equations of their forces. Arrays hold one entry a slot
// (rows: dimension a slot) and never grow.
typedef struct Frozen {
    int active_count, open_count, row_count;
    int *active, *open; // slots
    int *first;         // first row of each active contact
    int *rows;          // number of its rows
    int *normals;       // how many of them are normals
    bool *bearing;      // friction of a joint: normals of either sign, theory.md 9.5
    int *sibling;       // of a bearing: the active contact whose second normal presses it too; −1
    int *sharer;        // and the other way round
    int round_count;    // sliding bearings that two rows press
    bool least;         // forces of dependent rows are the least ones: friction follows them
    bool *sliding;      // active contact slides
    double *sign;       // direction of its slip, ±1, in the plane
    double *heading;    // WAYS a contact, in space: unit vector of its slip when the step began
    double *vague;      // in space: a slower slip has the direction of its heading, m/s
    bool *soft;         // active contact has its forces from its layer
    int *depth_at;      // place of its depth in y; −1: rigid
    int *shear_at;      // place of its shear, or of its bristle deflection (an entry a tangent);
                        // −1: none
    bool *quick;        // its slider relaxes so fast that σ follows from the forces
    int soft_count;     // number of soft ones
    int unknown_count;  // all rows that the mode holds at zero
    Unknown *unknowns;
    int solved_count; // an independent part of them: the others follow
    int *solved;
    bool dependent;
    bool surfaces;       // some contact can come to the end of its side
    bool rates;          // some open contact is at velocity level
    bool layered;        // some active contact is soft, or has a smooth friction law
    bool quickly;        // some slider is quick
    bool direct;         // all forces are those of layers, and bodies follow them directly
    DirectLayer *layers; // then
    int function_count;
    EventFunction *functions;
    int *directions;
    double *zeros;
    double edge;          // the margin ends the mode this far below zero, theory.md (14.21)
    int *fired;           // of the event found last, while its mode is frozen
    unsigned fired_kinds; // kinds of those, a bit each: a new mode has other functions
} Frozen;

// The frozen mode's equations at one state.
typedef struct Evaluation {
    // a contact; slip: slip_stride a contact; friction: static, kinetic
    double *gap, *gap_rate, *slip, *friction;
    double *direction; // WAYS a contact, in space: of the slip that friction opposes
    double *aim;       // two a contact: unit vector along the normal forces of a bearing
    double *held;
    SpragFrictionNumbers *numbers; // a slot
    double *W, *b, *drift, *response, *free_acceleration;
    double *force;                 // rows: λ of the mode
    double *load;                  // rows: what the layers' forces add to b
    double *acceleration;          // velocity_count
    double *ratio;                 // a tangent: λT/λN of a smooth friction law
    double *shear_rate;            // a tangent: rate of the state at shear_at
    double *press;                 // a contact: force of the layer before the clip
    double *D, *right, *x, *scale; // solved_count
    size_t W_capacity, D_capacity, response_capacity; // these grow with the active contacts
    int *permutation;
    double determinant; // relative to the frictionless rows
    SpragSystemPower power;
    // The state that all this belongs to: it is asked for again and again (end of a step, begin of
    // the next one, event functions there). Everything else that a sample depends on outdates it.
    double t, *y; // as run->y
    bool sampled, solved;
    bool whole;         // W and b are sampled too
    bool directly;      // only what motion_direct.c finds is known of it, also
    double rubs, damps; // what sliders and dampers of layers take, W
} Evaluation;

// Event functions at the right-hand sides of a step (motion_watch.c).
typedef struct Watch {
    bool on, young;                                // young: an arc has just begun
    double *least, *most, *least_rate, *most_rate; // a function; rates: mean ones since the begin
    double fastest;                                // m/s, of all surfaces
    int first;                                     // function that is no gap
} Watch;

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

// Times at which forces change by themselves.
typedef struct Clock {
    int count;                             // of controllers
    double *numbers;                       // what the three below are part of
    double *integrals, *controls, *wanted; // a controller
    int64_t *ticks;    // a controller: its next sample is at this multiple of its period
    double next_break; // of a value over time; INFINITY: none
} Clock;

// The contact problem whose forces were found last, as numbers, and the motion that has them: what
// rests is asked for the same forces at every sample.
typedef struct Told {
    double *numbers;
    size_t count, capacity;
    const SpragMotion *motion; // of run->search
} Told;

struct SpragRun {
    SpragContext *context;
    SpragSystem *system;
    SpragRunSettings settings;
    SpragSink sink;
    SpragIntegrator *integrator;    // the one of the present arc
    SpragIntegrator *plain, *stiff; // explicit; implicit, for layers whose transients are over
    SpragRootFinder *finder;
    SpragAnalysis *analysis;
    SpragMotionSearch *search; // for forces in the present modes
    Told told;                 // the last of them
    SpragImpact *impact;
    SpragArena *arena;
    SpragContactProblem problem;
    int n, m;                   // velocities, positions
    int tangents;               // of a contact: 1, in space 2
    int slip_stride;            // numbers of a slip in samples: 1, in space WAYS
    int slots, room;            // contacts of the system; that the arrays have room for
    int size, most_size;        // size of y in the present arc; the largest one
    int plain_size, stiff_size; // that the integrators have room for
    bool started;
    double t, *y, *scratch, *later; // size each
    SpragMode *mode, *mode_before;  // one a slot
    // layers, one a slot
    bool *compliant;     // its forces come from its layer
    bool *touching;      // a compliant one has a layer state
    bool *layer_known;   // layer holds numbers
    bool *layer_default; // that are those of theory.md (6.9)
    SpragLayer *layer;
    SpragFrictionLaw *law;
    double *heading, *heading_before; // WAYS a slot, in space: direction of its slip
    bool *starting;                   // a slot, in space: its slip has started from rest
    double *aim;                      // two a slot: where a bearing presses
    // between arcs, and after each accepted step or event; shear: an entry a tangent
    double *depth_state, *shear_state;
    // m: by so much more than its depth the bodies overlap, since they did so when it began to
    // press
    double *shift;
    double *lift; // m: in space, by so much an open one may overlap, since it was opening then
    double *stick_since;   // when its slip ended last; −INFINITY: it slid or was open
    double *slow_since;    // since when a quick slider takes its time; −INFINITY: it does not
    SpragMode *slid;       // how it slid before
    double *slider_period; // of its tangential spring with the bodies, s
    bool *layer_told;      // the record has the numbers of its default layer
    double *absolute;      // most_size: absolute tolerances of the present arc
    double layer_time;     // T of (6.9) when layers were last defined, s
    double bearing_rate;   // 1/s: of the fastest bearing with a layer, 0: none
    double fastest;        // rate of the fastest layer, 1/s; 0: none is active
    double turning;        // in space: rate of turning slips that the implicit method knows of
    int method_steps;      // since the present method of the arc took over
    int patience;          // steps that stability limits before the implicit one is tried
    bool quiet;            // layers have ceased to ring in this arc
    int arc_steps;         // at which other motions could have been looked for
    int limited;           // steps in a row that another method may do better
    long look_credit;      // linear programs that a look at the verdict beside layers may cost
    Frozen frozen;
    Evaluation now;
    double *probe_gap, *probe_rate, *probe_slip; // one a slot, scratch for kinematics alone
    double *values_begin, *values_end;           // event functions at the ends of a step
    double *ways; // a body, at its first velocity: how far it may go in a step, clear_ways
    bool begin_known, end_known;
    Watch watch;
    SpragContactKinematics *kinematics; // one a slot
    SpragContactTolerances tolerances;
    double far;         // a gap larger than this is as good as infinite, m
    double force_scale; // N: forces below its 1e-12th part are zero
    double jam;         // determinant at which the mode ends, theory.md 8.4
    double jam_force;   // and what its forces have grown beyond there, N
    double step_guess;
    // what was told
    double t_start;        // of the arc of outputs
    uint64_t output_count; // samples told at multiples of the output step
    SpragRunContact *contacts;
    SpragJointState *joint_states; // one a joint; NULL: there are none
    SpragRunSample sample;
    SpragRunVerdict interval;
    bool interval_open, held, due; // due: a verdict that nobody heard of
    bool in_piece;                 // the sink hears of the piece below, and may probe it
    bool struck;   // by an impact at the start, of which the other side is to be told
    double *marks; // times in it that the sink wants samples of
    size_t mark_count, mark_capacity, marks_told;
    bool stopping; // at stop_at, as the sink wishes
    double stop_at, piece_from, piece_to;
    bool *fresh; // one a slot: its mode comes from a start, a collision or a slip that stopped, not
                 // from a motion that went on
    int lost;    // what is not as it was decided where the arc begins: rigid contacts whose
                 // features could not touch any more, layers that do something else beside them
    bool *left;  // one a slot: its surface has ended at this event
    int idle;    // events in a row that changed no mode
    double looked;   // … and how far ahead of the last one was looked for what it changes
    int events_here; // events since the time last moved on
    bool doubtful;   // contacts have closed at this event: what meets there may be another feature
    double t_here;   // … which was here
    int passed;      // number of contacts that another surface has taken over at this event
    Bounce *bounces; // one a slot
    double rattle_since;  // begin of the span of time in which collisions are counted
    int rattle_count;     // collisions since
    SpragImpactNote note; // for the next event
    double impact_loss, impact_actuation, initial_energy;
    double change; // J lost where contacts passed between rigid and compliant
    double placed; // J taken before the start, where contacts were put into their layers
    SpragRunStatistics statistics;
    uint64_t evaluations; // right-hand sides outside the integrator's own count
    Pilot pilot;
    Clock clock;
    struct Stepping *stepping; // time stepping; NULL: events
    char stepping_reason[160]; // why, if nobody asked for it
    void *block;               // all arrays above but those that grow
};

// Verdict on the closed contacts at a state, and the modes of the motion that it takes.
typedef struct Decision {
    SpragVerdict verdict;
    int taken; // index of the solution; −1: none
} Decision;

// motion_clock.c
SPRAG_MUST_USE SpragStatus clock_begin(SpragRun *run);
void clock_destroy(SpragRun *run);
// The next time at which a step must end, at most `until`.
double clock_next(const SpragRun *run, double until);
// The next time at which a controller samples, or `until`; those that are due now do so, and
// nothing else happens.
double clock_tick(const SpragRun *run, double until);
SPRAG_MUST_USE SpragStatus clock_sample(SpragRun *run);
// What is due at run->t happens.
SPRAG_MUST_USE SpragStatus clock_strike(SpragRun *run, SpragRunOutcome *outcome);

// motion_modes.c
// Holds on to the features of the closed contacts, and opens those that have none any more.
SPRAG_MUST_USE SpragStatus modes_settle(SpragRun *run);
// The same, and the equations of their forces and what ends the mode.
SPRAG_MUST_USE SpragStatus modes_freeze(SpragRun *run);
// The system's held features have changed: nothing evaluated before counts.
void modes_outdate(SpragRun *run);
SPRAG_MUST_USE SpragStatus modes_forget(SpragRun *run);
SPRAG_MUST_USE SpragStatus modes_evaluate(SpragRun *run, double t, const double *y);
// motion_direct.c: the same where all forces are those of layers (theory.md 14.6), at less cost.
// When a mode is frozen: whether it is such a one.
void direct_prepare(SpragRun *run);
// Rates, forces and accelerations of y; friction that does not follow the slip is that of the last
// sample.
SPRAG_MUST_USE SpragStatus direct_evaluate(SpragRun *run, double t, const double *y);
// Whether the held features still meet, which right-hand sides do not ask for: run->now.held.
SPRAG_MUST_USE SpragStatus direct_find_held(SpragRun *run, double t, const double *y);
// Rates of y, and accelerations under other forces (rows); nothing counts as evaluated then.
void direct_displace(SpragRun *run, double t, const double *y, const double *force);
// Gaps of the active contacts, which are all soft, if they are known of (t, y); else NULL.
const double *direct_gaps(const SpragRun *run, double t, const double *y);
// y' after direct_evaluate.
void direct_derivative(const SpragRun *run, const double *y, double *dy);
// What is known of slips and forces at (t, y), by whichever way suits the mode.
SPRAG_MUST_USE SpragStatus direct_or_evaluate(SpragRun *run, double t, const double *y);
// motion_watch.c: steps in which no event can be, theory.md (14.20)
void watch_begin(SpragRun *run);
// The right-hand side that was evaluated last, at y.
void watch_note(SpragRun *run, const double *y);
// Ends the watch; whether the step is such a one. Values at its ends are known.
bool watch_end(SpragRun *run, const SpragStep *step);
// Forces of rigid contacts and q'' at the sample in run->now, under the forces of layers there.
SPRAG_MUST_USE SpragStatus modes_respond(SpragRun *run);
// motion_rates.c
int modes_derivative(double t, const double *y, double *dy, void *user);
bool mode_slides(SpragMode mode);
void modes_add_function(SpragRun *run, FunctionKind kind, int index, double zero);
// That the friction of a sticking contact stays inside its cone.
void modes_add_cone(SpragRun *run, int index, double zero);
// μ of an active contact in slip.
double modes_kinetic(const SpragRun *run, int contact);
// λT along tangent k per unit of λN: μ_s of theory.md (0.4), (13.2), or what a smooth friction law
// says.
double modes_slide_ratio(const SpragRun *run, int contact, int k);
// The same per unit of one of the normals; of a bearing theory.md (9.35).
double modes_friction_ratio(const SpragRun *run, int contact, int normal, int k);
// Whether forces along a row move anything: joints may hold both bodies of a contact against each
// other in some direction, or altogether, up to rounding.
bool modes_row_moves(const SpragRun *run, const Unknown *unknown);
// Acceleration of a row of W per unit of an unknown, with the friction that follows it.
double modes_entry(const SpragRun *run, const double *w, const Unknown *unknown);
// D of the rows that are solved for; D x = run->now.right, false: D is singular.
void respond_matrix(SpragRun *run);
bool respond_solve(SpragRun *run);
// Adds the friction that follows a force x of an unknown to the forces of all rows.
void modes_add_friction(const SpragRun *run, const Unknown *unknown, double x, double *force);
// Rows that press an active contact; returns their number.
int modes_press(const Frozen *f, int contact, int rows[WAYS]);
// Whether an active contact slides in a direction of several tangents, not to and fro along one.
static inline bool modes_has_direction(const Frozen *f, int contact)
{
    return f->rows[contact] - f->normals[contact] > 1;
}
// What presses for friction: λN, of a bearing |λN|; force: all rows.
double modes_pressure(const SpragRun *run, int contact, const double *force);
// Whether a contact is the friction of a joint, and whether it is one of a joint at all.
bool modes_is_bearing(const SpragRun *run, int slot);
bool modes_is_joint(const SpragRun *run, int slot);
// |slip| of a sample, and the length of a vector along the tangents that contacts of the run have.
double modes_slip_size(const SpragRun *run, const double *slip);
double modes_tangent_size(const SpragRun *run, const double *vector);
// What a closed contact with this slip does: STICK up to the tolerance. Where it slides the heading
// of the slot is set.
SpragMode modes_of_slip(SpragRun *run, int slot, const double *slip);
// Headings of sliding contacts follow the sample in run->now.
void modes_turn_headings(SpragRun *run);
// Modes and headings now are those before the event.
void modes_remember(SpragRun *run);
// Before that: modes of slips without friction, which change without an event, are as these are
// now.
SPRAG_MUST_USE SpragStatus modes_follow_slips(SpragRun *run);
// Open contacts that are near now, also new ones, are those of the present arc; *changed: others
// than before.
SPRAG_MUST_USE SpragStatus modes_list_near(SpragRun *run, bool *changed);
// Whether contact i of the active list has friction at all.
bool modes_have_friction(const SpragRun *run, int i);
// Whether a slot sticks: a smooth friction law knows only slow slips, and without friction they
// grow.
bool modes_holds_slip(const SpragRun *run, int slot);
SPRAG_MUST_USE SpragStatus modes_sample(SpragRun *run, double t, const double *y, bool whole);
// Whether a rigid contact is active.
bool modes_any_rigid(const SpragRun *run);

// motion_share.c
// Whether friction of bearings, or of slips in space, follows forces that the rows leave open.
bool share_rubs_bearings(const SpragRun *run);
bool share_turns_slips(const SpragRun *run);
// The shortest forces of all unknowns in run->now.x; and of those the ones that press, after the
// chosen rows are solved.
SPRAG_MUST_USE SpragStatus share_least(SpragRun *run);
SPRAG_MUST_USE SpragStatus share_pressed(SpragRun *run);

// motion_margin.c
// σ of theory.md (14.4) at the state evaluated last; in space no more than a margin that is clear.
SPRAG_MUST_USE SpragStatus margin_clear(SpragRun *run, double *sigma);
// The representative of (14.4) where it is easy: the least forces, if contacts are equal springs
// and all are *inside of their cones.
SPRAG_MUST_USE SpragStatus margin_least(SpragRun *run, double *force, bool *inside);
// Forces (rows) of dependent rows at the state evaluated last that are inside of their cones: of
// all that make the motion those with the largest margin (14.4). Where there are none, those found.
SPRAG_MUST_USE SpragStatus margin_admissible(SpragRun *run, double *force);

// motion_events.c
// Event functions at the begin of a step that starts at run->t, run->y, unless they are known.
SPRAG_MUST_USE SpragStatus events_begin(SpragRun *run);
// The same at the begin of an arc, and whether its margin is zero there.
SPRAG_MUST_USE SpragStatus events_begin_edge(SpragRun *run);
// A time in which bodies move by so little that no side ends, and by more than positions are put
// right: a jump is behind them then.
double events_behind_jump(const SpragRun *run);
// The first event of a step; *t receives its time, run->fired which functions ended (INFINITY: none
// did).
SPRAG_MUST_USE SpragStatus events_find(SpragRun *run, const SpragStep *step, double *t);
bool events_fired(const SpragRun *run, FunctionKind kind);
// The same, of a contact that is rigid.
bool events_fired_rigid(const SpragRun *run, FunctionKind kind);
SPRAG_MUST_USE SpragStatus events_values(SpragRun *run, double t, const double *y, double *values);
// One of an active contact, at the state evaluated last; no margin.
double events_active_value(const SpragRun *run, const EventFunction *g);

// motion_speeds.c
// Speed of the surface of a body that moves as told; of others 0.
double speeds_driven(const SpragRun *run, int body, double t, double radius);
// Of any body, at the faster one of two states; *plane: it has no end.
double speeds_surface(const SpragRun *run, int body, const double *v0, const double *v1,
                      bool *plane);
// No surface is faster.
double speeds_fastest(const SpragRun *run, const double *v);
// Whether no body moves or turns, by more than what counts as zero.
bool speeds_are_none(const SpragRun *run, const double *v);

// motion_clear.c
// No gap changes by more within a step: the way of two surfaces as fast as the fastest one at its
// ends, or as `least`, m/s.
double clear_reach(const SpragRun *run, const SpragStep *step, double least);
// The end of the step, or an earlier time at which an open contact is closed that is open at both
// ends. Event functions at both ends are known.
SPRAG_MUST_USE SpragStatus events_clear(SpragRun *run, const SpragStep *step, double *end);

// motion_decide_ask.c: rigid mechanics at a state; nothing changes
// The slip of a sliding contact in a problem has a direction, also where it has just started.
void decide_set_slip(const SpragRun *run, int slot, SpragConstraint *item);
// The verdict on all closed rigid contacts, those that are `resting` at slip zero (NULL: none), in
// run->problem.
SPRAG_MUST_USE SpragStatus decide_analyze(SpragRun *run, double t, const double *y,
                                          const bool *resting, SpragVerdict *verdict);
// Whether the search is one that often cannot tell whether it has missed motions.
bool decide_may_miss(const SpragRun *run);
// Whether a motion has the present mode of constraint i of run->problem.
bool decide_has_mode(const SpragRun *run, const SpragMotion *motion, int i);
// Index of the motion with the present modes; −1: there is none.
int decide_present_motion(const SpragRun *run, const SpragVerdict *verdict);
// Marks the slots that take part in the failure at a state, theory.md 8.6.1.
SPRAG_MUST_USE SpragStatus decide_culprits(SpragRun *run, double t, const double *y,
                                           const bool *resting, SpragVerdict *verdict, bool *slots);
// The verdict at a state and, as taken, the motion with the present modes (−1: none).
SPRAG_MUST_USE SpragStatus decide_present(SpragRun *run, double t, const double *y,
                                          Decision *decision);
// The motion in the present modes, with its forces, and no look at any other; NULL: there is none.
// Transient.
SPRAG_MUST_USE SpragStatus decide_forces(SpragRun *run, double t, const double *y,
                                         const SpragMotion **motion);
// Whether everything rests and stays so. *held: what the decision said, at a state whose velocities
// were zero only within the errors of integration; now they are projected.
SPRAG_MUST_USE SpragStatus decide_rest(SpragRun *run, bool *held);
// The margin at a state with the present modes, see sprag_run_margin.
SPRAG_MUST_USE SpragStatus decide_margin(SpragRun *run, double t, const double *y, int slot,
                                         double *change);

// motion_decide.c: which motion is taken
SPRAG_MUST_USE SpragStatus decide(SpragRun *run, double t, const double *y, const bool *resting,
                                  Decision *decision, SpragRunOutcome *outcome);
// Analyses and chooses at run->t, run->y; tells nobody, and leaves the pilot out.
SPRAG_MUST_USE SpragStatus decide_again(SpragRun *run, const bool *resting, Decision *decision,
                                        SpragRunOutcome *outcome);
// The determinant of the present mode has fallen to its limit, theory.md 8.4.
SPRAG_MUST_USE SpragStatus decide_jam(SpragRun *run, Decision *decision, SpragRunOutcome *outcome);
// Whether the motion taken opens a contact of the present problem.
bool decide_separates(const SpragRun *run, const Decision *decision);
// After an event of the forces that changed no mode: contacts that touch without force are opened,
// since a force that is zero would end the same mode again and again. If they are pressed later
// they close like any other.
void decide_open_grazing(SpragRun *run, const Decision *decision);
void decide_apply(SpragRun *run, const Decision *decision);

// motion_decide_watch.c: between events
// Looks at the verdict after a step from t_old; where it is another one than before, *changed, and
// run->t and run->y go back to where it became so.
SPRAG_MUST_USE SpragStatus decide_find_change(SpragRun *run, double t_old, bool *changed);
// Goes on with the new verdict, or ends the run.
SPRAG_MUST_USE SpragStatus decide_change(SpragRun *run, SpragRunOutcome *outcome);

// motion_create.c
// Room for all contacts of the system; new ones are open.
SPRAG_MUST_USE SpragStatus run_grow(SpragRun *run);

// motion_refine.c
// Improves run->now.acceleration and the forces of independent rows where these cancel.
SPRAG_MUST_USE SpragStatus refine_accelerations(SpragRun *run);

// motion_tolerances.c
// A size of component j of y among positions and velocities: the system's own length or a turn by 1
// rad; the speed given (m/s) or a spin by which the system's length has it.
double tolerances_unit(const SpragRun *run, int j, double speed);
// A size of force in this mode, from a whole sample: what presses now, or would; where nothing
// does, what gives the masses that the contacts feel the system's own speed over its own length. N.
double tolerances_force(const SpragRun *run);
// Depth that contact i has or will have soon: at rest under what presses it, or at the end of its
// approach. Needs a whole sample.
double tolerances_depth(const SpragRun *run, int i);
// Absolute tolerances of an arc that begins, from a whole sample if it has layers.
SPRAG_MUST_USE SpragStatus tolerances_set(SpragRun *run);

// motion_arc.c
// Puts closed contacts back on their gaps (0, or less the depth of a layer), rigid ones on N v = 0
// (and no slip where they stick); always: even if they have hardly drifted; *moved: y changed.
SPRAG_MUST_USE SpragStatus arc_project(SpragRun *run, bool always, bool *moved);
// The same for a state beside the present one.
SPRAG_MUST_USE SpragStatus arc_project_other(SpragRun *run, double t, double *y);
// An end of the step before which bodies that move as told go no further than `way` (m).
// Ways of all bodies into run->ways; returns the least of them.
double clear_ways(SpragRun *run);
double clear_driven(const SpragRun *run, double until, double way);
// Steps while bodies are held against loads that vary: shortens the way to *until.
SPRAG_MUST_USE SpragStatus held_end(SpragRun *run, double *until);
// The state at t inside of the last step (most_size), for whoever is told of it.
SPRAG_MUST_USE SpragStatus arc_read(SpragRun *run, double t, double *y);
// An open contact that overlaps by an error counts as touching from the begin of the arc.
SPRAG_MUST_USE SpragStatus arc_watch_overlaps(SpragRun *run);
// Freezes the present modes at the present state, projects, and starts a new arc.
SPRAG_MUST_USE SpragStatus arc_begin(SpragRun *run);
// Of the sample in run->now, rigid contacts only.
double arc_largest_force(const SpragRun *run);

// motion_apply.c
// Takes the decision: verdict interval, modes, events of the changes, a new arc;
// layered: an event of a layer brought it.
SPRAG_MUST_USE SpragStatus run_take(SpragRun *run, const Decision *decision, bool layered,
                                    SpragRunOutcome *outcome);
// Whether every closed contact is compliant, and there is one: nothing is to be decided then.
bool apply_only_layers(const SpragRun *run);
// Goes on where that is so.
SPRAG_MUST_USE SpragStatus apply_layers(SpragRun *run, SpragRunOutcome *outcome);
// The same where a decision was taken: its verdict, or beside layers of bearings theirs.
SPRAG_MUST_USE SpragStatus apply_tell_verdict(SpragRun *run, const Decision *decision,
                                              SpragRunOutcome *outcome);
// Whether nothing has happened but that slips have turned, in space.
SPRAG_MUST_USE SpragStatus apply_only_turns(SpragRun *run, bool *turns);
// Where rows that stand for others come together: a new arc with better ones, if there are any.
SPRAG_MUST_USE SpragStatus apply_jam(SpragRun *run, SpragRunOutcome *outcome);
SPRAG_MUST_USE SpragStatus apply_other_rows(SpragRun *run, bool *better);
// Applies the event at run->t, run->y; the old mode is still frozen.
SPRAG_MUST_USE SpragStatus apply_event(SpragRun *run, const SpragStep *step,
                                       SpragRunOutcome *outcome);

// motion_collide_rates.c
SPRAG_MUST_USE SpragStatus collide_kinetic(SpragRun *run, double *kinetic);
// Rates (after: those of the rows of run->problem) of these contacts that a collision has ended, to
// rounding, are zero in run->y; kinetic: the energy before it.
SPRAG_MUST_USE SpragStatus collide_end_rates(SpragRun *run, double kinetic, int count,
                                             const int *contacts, const double *after);

// motion_stop.c
// A run by events that goes no further says why: too many events; a step that cannot be made, where
// that is no jam.
SPRAG_MUST_USE SpragStatus stop_at_limit(SpragRun *run);
SPRAG_MUST_USE SpragStatus stop_at_step(SpragRun *run, SpragStepOutcome step,
                                        SpragRunOutcome *outcome);

// motion_bands.c: friction that changes with the slip
// *end of the next step, made sooner where a slip would pass over the speeds at which its friction
// changes.
SPRAG_MUST_USE SpragStatus bands_end(SpragRun *run, double *end);

// motion_turning.c: slips in space that turn
// At which rate the directions of slips turn to where they belong, at most; 0 where none slides.
double turning_bound(const SpragRun *run);

// motion_collide.c
// Takes from the velocities what closed contacts (and, where they stick, their slips) do not have,
// and books it as lost in impacts.
SPRAG_MUST_USE SpragStatus collide_stop(SpragRun *run, int count, const int *slots,
                                        const bool *stick);
// A limit of an angle: it strikes with rad/s.
bool contact_turns(const SpragRun *run, int contact);
SPRAG_MUST_USE SpragStatus collide_land(SpragRun *run, SpragRunOutcome *outcome);

// motion_twins.c: contacts in space that come to stand for one place
// Rigid contacts that are closed where this one closes now let go.
void twins_leave(SpragRun *run, int slot);
// Whether there is such a one.
bool twins_stand(const SpragRun *run, int slot);

// motion_zeno.c: impacts without end in finite time, theory.md 14.7
void zeno_clear_slot(SpragRun *run, int slot);
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
// The sample at a state, and nobody is told.
SPRAG_MUST_USE SpragStatus tell_fill(SpragRun *run, double t, const double *y);
SPRAG_MUST_USE SpragStatus tell_sample(SpragRun *run, double t, const double *y, bool before,
                                       bool after, SpragRunOutcome *outcome);
// When the sink wants the next samples within the piece that was told last; INFINITY: no more.
double tell_next_mark(const SpragRun *run);
// Tells of the part from … to of the last step; the sink may set run->stopping.
void tell_piece(SpragRun *run, double from, double to, SpragRunOutcome *outcome);
void tell_event(SpragRun *run, SpragEventType type, int contact, SpragRunOutcome *outcome,
                const char *format, ...) SPRAG_PRINTF(5, 6);
void tell_changes(SpragRun *run, SpragRunOutcome *outcome);
// The direction of a slip in words: "+", "-", or in space the vector of the slot's heading.
void tell_direction(const SpragRun *run, int slot, SpragMode mode, char *text, size_t size);
void tell_verdict(SpragRun *run, double t, const Decision *decision, SpragRunOutcome *outcome);
void tell_interval_end(SpragRun *run, double t, SpragRunOutcome *outcome);

#include "motion_layers.h"

#endif

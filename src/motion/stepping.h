// stepping.h: time stepping in memory (private to the room), theory.md 11.10–11.15.
//
// A step takes positions q and velocities v at t to t + h. Contacts that can act in it are listed
// with their rows by bodies, sorted into islands (bodies that contacts or springs connect), and
// each island is one friction problem. Nothing has the size of all contacts times all bodies.
// Arrays grow and are kept: a warm step allocates nothing.
#ifndef SPRAG_MOTION_STEPPING_H
#define SPRAG_MOTION_STEPPING_H

#include "motion_private.h"
#include "sprag/friction.h"

enum { MOST_STEP_ROWS = 3, MOST_BODY_SIZE = 6, MOST_STEP_THREADS = 64 };
// auto steps with more simultaneous contacts, or more moving bodies, than this.
enum { STEPPING_CONTACTS = 64, STEPPING_BODIES = 200 };

// Contacts of a step, one entry each (rows: d; jacobian: 2 d m). Those of an island follow each
// other.
typedef struct StepContacts {
    int count;
    int *slot;            // of the system; a block of a joint has −1 − its number
    unsigned char *kinds; // SpragFrictionKind
    int *bodies;          // two, −1: none (fixed, or asleep)
    double *jacobian;     // 2 × d × m
    double *gap, *friction;
    double *error;   // d: of a joint's rows, m or rad; of a contact the gap
    double *before;  // d: velocities in the rows when the step began, with drift
    double *drift;   // d
    double *bound;   // least normal velocity after the step
    double *free;    // d: velocities after a step without contacts, less the bound
    double *impulse; // d, N s
    double *once;    // d: what of the impulse took away what had added up, theory.md 11.11; before
                     // the island is solved, of that of the last step
    double *after;   // d: velocities after the step, less the bound
    bool *impact;    // its law of restitution acts
    size_t capacity;
    void *block; // all arrays above
} StepContacts;

// Rows of a joint, as many as a contact has at most.
typedef struct StepJoint {
    int joint, rows;
    int body[2]; // blocks, −1: none
    double entries[2][MOST_STEP_ROWS][MOST_BODY_SIZE];
    double error[MOST_STEP_ROWS], drift[MOST_STEP_ROWS], bias[MOST_STEP_ROWS];
    double turn[MOST_STEP_ROWS];  // what rows that turn do to a velocity in the rest of the step
    double swing[MOST_STEP_ROWS]; // what bodies that turn with their momentum kept do in all of it
    SpragVec3 impulse;            // along the rows, of the last step
    double h;                     // of that step
} StepJoint;

// The friction of a joint, theory.md 11.16.
typedef struct StepBearing {
    int contact, joint;
    int normal_row; // its first normal among the rows of the joint
    int body[2];    // blocks, −1: none
    int sibling;    // bearing whose second normal presses it too; −1: none
    double tangent[SPRAG_CONSTRAINT_WAYS][2][MOST_BODY_SIZE]; // of each tangent and side
    double drift[SPRAG_CONSTRAINT_WAYS];
    double before[SPRAG_CONSTRAINT_WAYS]; // slip
    double h;                             // of the step that its impulses belong to
    SpragMode mode;
} StepBearing;

typedef struct Island {
    int first, count;           // contacts
    int first_body, body_count; // in Stepping.island_bodies
    double residual;            // of its friction problem
    bool unsolved;              // which missed its tolerance
    bool held;                  // its joints alone are the answer
    int iterations;
} Island;

// What one thread owns.
typedef struct StepWorker {
    SpragContext *context;
    SpragFrictionWorkspace *solver;
    // of the island in work: M⁻¹ and numbers of its bodies, rows of another problem of it
    double *inverse_inertia, *q, *friction, *r, *u, *velocity;
    int *bodies;
    void *repair; // rows of its overlaps
    size_t repair_capacity;
    size_t inertia_capacity, q_capacity, friction_capacity, r_capacity, u_capacity,
        velocity_capacity, body_capacity;
    SpragStatus status;
} StepWorker;

// Of the scene's size: a smaller gap is closed for a look at Painlevé configurations.
#define PART_CLOSED 1e-4
// Relative residual to which rest is verified.
#define REST_TOLERANCE 1e-10

// What is known of a slot from step to step.
typedef struct StepSlot {
    SpragVec3 push; // tangential impulse of the last step, world
    double normal;  // normal one
    SpragVec3 once; // of these, what the next step will not need again
    double normal_once;
    double friction, h; // μ and step that they belong to
    long step;          // of the last step in which it was listed
    long looked;        // the last step in which its depth at the end was looked at
    bool asleep;        // listed when its bodies were put to rest
    SpragMode mode;
    bool paradox; // in a passage of a Painlevé configuration that has been told
} StepSlot;

enum { NOT_OF_BODIES = -2, STEP_RESIDUAL_CLASSES = 640 };

// What is known of a place in the list of near contacts as long as its bodies keep their epochs.
typedef struct StepKept {
    int slot;   // −1: nothing
    bool found; // the block is there; else its gap was larger than `gap`
    double gap; // where the bodies are at their anchors
    long epoch[2];
} StepKept;

// What a step asks of a near contact, as long as the list stands: slots are large.
typedef struct StepHot {
    bool bounces; // its law of restitution is not e = 0
    bool round;   // `ball` has it
    bool central; // likewise, and no normal force turns its bodies
    SpragBallContact ball;
} StepHot;

typedef struct Pool Pool;
typedef struct StepHold StepHold;

typedef struct Stepping {
    SpragRun *run;
    SpragSystem *system;
    int d, m, block_count;       // rows of a contact, velocities and number of moving bodies
    double theta, step, longest; // the last: that is stable, s
    double parts;                // of a given step that is longer
    double h_now;                // of the present step
    double h_solved;             // of the step whose impulses are kept
    double mass;                 // mean of the bodies: unit of impulses in friction problems
    double size;                 // of the scene, m
    double smallest;             // radius of the smallest body, m
    double acceleration;         // the largest that gravity or a load gives, m/s²
    int *model_body;             // of each block
    double *radius;              // of each block: farthest point of its shapes
    double *swing;               // likewise, of what turning moves: the centre of a round shape
    long steps;                  // taken
    StepSlot *slots;             // one a contact of the system
    SpragRunContact *shown;      // likewise, for samples
    bool *outlined;              // likewise: the entry has a mode or force
    int *slot_body;     // two a contact: blocks, −1: none, NOT_OF_BODIES: it is a joint's
    long *shown_for;    // likewise: the sample that it was last worked out for
    long sample_number; // of the present sample
    long whole_sample;  // the last one of which all contacts were worked out
    size_t slot_capacity, shown_capacity, outlined_capacity, shown_for_capacity, slot_body_capacity;
    int slot_count;
    StepContacts sorted; // those of the present step, by islands
    int near_count, listed_count;
    const int *near; // contacts that are near
    int *near_own;   // room for them
    int *near_body;  // two a near contact, as slot_body has them
    StepKept *kept;  // one a near contact
    StepHot *hot;    // likewise
    size_t near_capacity, near_body_capacity, kept_capacity, hot_capacity;
    int kept_count;
    bool near_fresh, may_keep; // the list stands; contacts may be kept at all
    double fresh_way;          // as long as no body is farther than that from its chord
    double *chord;             // velocity_count: from `fresh` to where bodies were to go
    double *stray;             // one a block: how far it is from that, at the end of this step too
    bool has_left;             // what was hit leaves the chord in this step
    double *fresh, *anchor;    // position_count
    double *offset;            // velocity_count: from the anchors to the present places
    long *epoch;               // one a block
    int *listed;               // of those: numbers of the ones that can act
    size_t listed_capacity;
    SpragContactBlock *blocks; // one a slot that is near
    bool *block_valid;
    size_t block_capacity, valid_capacity;
    // one a block of velocities
    int *parent, *island_of, *local, *island_bodies;
    double *reach; // way that its points may make in the step, m
    bool *asleep;
    bool *hit;         // it turns otherwise than a free one: its energy is kept
    double *gain;      // twice the energy that seeing it half a step on has given it
    bool *jointed;     // it has joints, in space
    double *kick;      // way that it was found to make in the step, m; 0: not looked at
    double kick_way;   // the farthest that one was found off its way without contacts, m
    double *mean_free; // velocity_count: s->mean without contacts
    int *group;        // island that it fell asleep with: number of its first block
    int *quiet;        // steps in a row without motion
    int *moved;        // of the repair: the last sweep that has moved it
    int *hard;         // two a block, of the island that it is the first of: dear methods wait
    int *stood;        // likewise, one: steps in a row in which the impulses of before would do;
                       // −1: the last step took away what such steps had left
    bool *far;         // likewise: the impulses of before will not do in the next step either
    bool *struck;      // a contact of it collided in the step
    // velocity_count
    double *free, *mean, *shift, *v_before;
    double *inertia;          // m × m a block
    double *later, *q_before; // position_count
    double *middle;           // likewise: of bodies of joints in space half a step on
    bool has_middle;
    StepJoint *joints; // blocks of rows of the present step
    SpragJointRow *joint_rows;
    double *row_force; // of all rows of joints, for samples
    size_t joint_capacity, joint_row_capacity, row_force_capacity;
    int joint_count;
    StepHold *hold;        // NULL: no joints
    StepBearing *bearings; // joints that rub
    SpragRubbing *rubbing; // likewise: their impulses, in N s
    int bearing_count, bearing_rows;
    double *bearing_work;
    bool may_rest; // nothing moves as told
    Island *islands;
    size_t island_capacity;
    int island_count;
    int *order, *place; // scratch of the sort
    size_t order_capacity, place_capacity;
    SpragFrictionSettings settings;
    Pool *pool; // NULL: not needed so far
    struct PoolThread *pool_threads;
    int worker_count;
    StepWorker *workers;
    double t_before; // the last step began there
    bool everything_rests, shown_at_rest;
    SpragSteppingStatistics statistics;
    uint64_t residual_classes[STEP_RESIDUAL_CLASSES], residuals; // steps by their residuals; all
    double energy_before, kinetic_before, kinetic_after;
    double t_zero, until; // steps are counted from the first; the advance goes to the second
    long count;
    double *later_v, *work; // velocity_count
    void *block;
} Stepping;

// fmax and fmin are calls. b, unless a is a number beyond it.
static inline double step_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double step_smaller(double a, double b)
{
    return a < b ? a : b;
}

// Positions of a body.
static inline int step_position_size(const Stepping *s)
{
    return s->m == 6 ? 7 : 3;
}

// A row of a body times its velocities; sizes as constants, so that loops are unrolled.
static inline double step_product(const Stepping *s, const double *row, const double *v)
{
    if (s->m == 3)
        return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    return row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3] + row[4] * v[4] +
           row[5] * v[5];
}

// stepping_create.c
SPRAG_MUST_USE SpragStatus stepping_create(SpragRun *run);
void stepping_destroy(Stepping *s);
void stepping_restart(Stepping *s);
// Room for all contacts of the system.
SPRAG_MUST_USE SpragStatus stepping_grow(Stepping *s);
SPRAG_MUST_USE SpragStatus step_contacts_reserve(Stepping *s, StepContacts *c, int count);

// stepping_contacts.c
// Lists the contacts that can act in a step h (s->blocks, s->listed), and wakes what they disturb;
// s->free and s->mean are those of a step without contacts.
SPRAG_MUST_USE SpragStatus stepping_find(Stepping *s, double h);

// stepping_middle.c: bodies of joints in space
void stepping_middle_create(Stepping *s);
// s->middle; spins of the state become those that the momentum of s->v_before has there.
void stepping_middle_begin(Stepping *s, double h);
// Likewise s->free, and with both s->mean.
void stepping_middle_free(Stepping *s);
// Puts them there.
void stepping_middle_place(const Stepping *s, double *q);
// s->mean when impulses are known: they turn as free ones with the mean of their momenta.
void stepping_middle_mean(Stepping *s, double h);
// M⁻¹ of a block in this step, m × m.
void stepping_inertia(const Stepping *s, int block, double *inverse);

// stepping_still.c
// Way of the farthest point of a block at velocities, or under a displacement, v.
double stepping_way(const Stepping *s, const double *v, int block);
void stepping_still_reset(Stepping *s);
// Epochs at the present positions.
void stepping_still_update(Stepping *s);
// The same of the room that its shapes take: a ball that spins takes no other.
double stepping_room_way(const Stepping *s, const double *v, int block);
// Whether the list of near contacts holds for a step h; `aside`: the least that a body must be able
// to leave its way by.
bool stepping_near_stands(Stepping *s, double h, double aside);
// Keeps the list that the system has just made along s->chord with the margin `way`.
SPRAG_MUST_USE SpragStatus stepping_near_keep(Stepping *s, double way);
// Whether the balls around two bodies at positions q are farther apart than `limit`.
bool stepping_is_apart(const Stepping *s, const double *q, const int body[2], double limit);
// Near contact i, by the blocks of its bodies: true if s->blocks[i] and s->block_valid[i] are
// known.
bool stepping_still_take(Stepping *s, int i, const int body[2], double limit);
// Keeps what was found of it.
void stepping_still_put(Stepping *s, int i, const int body[2], double limit);

// stepping_joints.c
// Whether nothing of the model changes in time by itself.
bool stepping_joints_may_rest(const SpragModel *model);
// Lists the rows of all joints at t and q in s->joints; the state of the system is another one
// afterwards.
SPRAG_MUST_USE SpragStatus stepping_joints_find(Stepping *s, double t, const double *q,
                                                const double *v);
// Rows of the step that begins, theory.md (11.34); free and mean velocities are known.
SPRAG_MUST_USE SpragStatus stepping_joints_begin(Stepping *s, double h);
// Keeps the impulse of sorted block i for the next step.
void stepping_joints_remember(Stepping *s, int i);
static inline bool step_is_joint(const StepContacts *c, int i)
{
    return c->kinds[i] == SPRAG_FRICTION_BILATERAL;
}

// stepping_hold.c
SPRAG_MUST_USE SpragStatus stepping_hold_create(Stepping *s);
void stepping_hold_destroy(Stepping *s);
// Impulses of the islands in which joints alone act.
SPRAG_MUST_USE SpragStatus stepping_hold_velocity(Stepping *s);
// Takes the errors of joints at t away from positions q.
SPRAG_MUST_USE SpragStatus stepping_hold_position(Stepping *s, double t, double *q);

// stepping_bearings.c
SPRAG_MUST_USE SpragStatus stepping_bearings_create(Stepping *s);
void stepping_bearings_destroy(Stepping *s);
// stepping_sort and stepping_solve, with the friction of joints.
SPRAG_MUST_USE SpragStatus stepping_rub(Stepping *s, double h);
void stepping_bearings_account(Stepping *s);
void stepping_bearings_tell(Stepping *s, double h, SpragRunOutcome *outcome);
void stepping_bearings_show(Stepping *s);
// Friction of a bearing in the last step among its rows (normals are those of the joint's own
// rows); false: the contact is none.
bool stepping_bearings_rub(const Stepping *s, int contact, double *force);

// stepping_islands.c
// Sorts what is listed into s->sorted and s->islands.
SPRAG_MUST_USE SpragStatus stepping_sort(Stepping *s, double h);

// stepping_effort.c
// Whether the impulses that a step begins with are the answer of an island's friction problem, as
// those of a pile that stands: r without what was needed once, or with that. r becomes the better.
bool stepping_stands(const Stepping *s, const Island *island, StepWorker *w,
                     const SpragFrictionProblem *problem, double *r, double *u,
                     SpragFrictionInfo *info);
// Residual to which an island of so many contacts is to be solved, theory.md 11.18.
double stepping_goal(const Stepping *s, int contacts);
// Solves it from r, where that does not stand; info: as stepping_stands has left it.
SPRAG_MUST_USE SpragStatus stepping_friction(Stepping *s, const Island *island, StepWorker *w,
                                             const SpragFrictionProblem *problem, double *r,
                                             double *u, SpragFrictionInfo *info);

// stepping_solve.c
// The friction problem of an island; room for its rows in the worker.
SPRAG_MUST_USE SpragStatus stepping_problem(Stepping *s, const Island *island, StepWorker *w,
                                            SpragFrictionProblem *problem);
// Impulses of all islands; velocities in s->free become those after the step, s->mean likewise.
SPRAG_MUST_USE SpragStatus stepping_solve(Stepping *s);
// The friction problem of an island whose bodies rest, under the velocities that forces give them
// in a step (s->shift, which becomes those with contacts): *moves is the largest velocity of a
// point that is left; w->r has the impulses.
SPRAG_MUST_USE SpragStatus stepping_static(Stepping *s, const Island *island, StepWorker *w,
                                           double *moves, double *residual);
// Adds factor M⁻¹ Jᵀ r of sorted contact i to velocities.
void stepping_push(const Stepping *s, int i, const double *r, double factor, double *velocity);

// stepping_rate.c: of forces that are explicit in a step, where the run is
typedef struct StepRates {
    double omega; // largest sqrt of d a/d q, 1/s
    double decay; // largest d a/d v, 1/s
} StepRates;
SPRAG_MUST_USE SpragStatus stepping_rates(Stepping *s, StepRates *rates);
// Longest step that is stable, theory.md (11.44).
double stepping_longest(const StepRates *rates);

// stepping_typical.c
// The step that has been taken.
void stepping_count_residual(Stepping *s);
double stepping_median_residual(const Stepping *s);

// stepping_repair.c
// s->shift: the displacement in excess of h × mean that keeps contacts from overlapping at the end.
SPRAG_MUST_USE SpragStatus stepping_repair(Stepping *s, double h);
// What that gains against gravity, beyond what pressing contacts took in the step, is taken from
// the velocities v of its island.
void stepping_pay(Stepping *s, double *v);

// stepping_depth.c
typedef enum StepDepth {
    STEP_SOUND,
    STEP_DEEP,  // bodies end deep in each other
    STEP_MISSED // likewise, and no contact was listed for that: s->kick has the ways to look on
} StepDepth;
// What the step as it is worked out (s->mean, s->free, s->shift) leads to.
SPRAG_MUST_USE SpragStatus stepping_sinks(Stepping *s, double h, StepDepth *depth);

// stepping_pool.c: work on items 0 … count − 1, each by one thread; nothing that an item does may
// depend on who does it. weight: about how many contacts that is, few are not worth the threads.
typedef SpragStatus PoolWork(void *user, int item, StepWorker *worker);
SPRAG_MUST_USE SpragStatus pool_create(Stepping *s, int threads);
void pool_destroy(Stepping *s);
SPRAG_MUST_USE SpragStatus pool_run(Stepping *s, PoolWork *work, void *user, int count, int weight);

// stepping_rest.c
// Puts islands to rest that do not move and whose rest is verified.
SPRAG_MUST_USE SpragStatus stepping_rest(Stepping *s, double h, SpragRunOutcome *outcome);
// Wakes everything that fell asleep with a block.
void stepping_wake(Stepping *s, int block);

// stepping_sample.c
// Works out every contact of the present sample.
void stepping_show_all(Stepping *s);
SPRAG_MUST_USE SpragStatus stepping_fill(Stepping *s, double t, const double *q, const double *v);
SPRAG_MUST_USE SpragStatus stepping_tell_sample(Stepping *s, double t, SpragRunOutcome *outcome);
// State at t inside of the last step, into run->later.
void stepping_interpolate(Stepping *s, double t);

// stepping_tell.c
void stepping_tell_contacts(Stepping *s, double h, SpragRunOutcome *outcome);
// Keeps what the next step and samples want of sorted contact i.
void stepping_remember(Stepping *s, int i, double h, SpragMode mode);
SPRAG_MUST_USE SpragStatus stepping_account(Stepping *s, double h);

// stepping_run.c
SPRAG_MUST_USE SpragStatus stepping_start(Stepping *s, SpragRunOutcome *outcome);
SPRAG_MUST_USE SpragStatus stepping_advance(Stepping *s, double until, SpragRunOutcome *outcome);
// Whether the run steps from its state on; if nobody asked for it run->stepping_reason says why.
SPRAG_MUST_USE SpragStatus stepping_is_wanted(SpragRun *run, bool *wanted);

// Block of velocities of a body of the model; -1: it is fixed, or none.
static inline int step_block_of(const Stepping *s, int body)
{
    int at = body < 0 ? -1 : sprag_system_body_coordinate(s->system, body);
    return at < 0 ? -1 : at / s->m;
}

static inline SpragVec3 step_direction(const StepContacts *c, int d, int m, int i, int row)
{
    // the linear part of a row is the direction itself, for the second body with the other sign
    int side = c->bodies[2 * i] >= 0 ? 0 : 1;
    const double *entry = c->jacobian + (size_t)(((2 * i + side) * d + row) * m);
    double sign = side == 0 ? 1 : -1;
    return sprag_vec3(sign * entry[0], sign * entry[1], m == 6 ? sign * entry[2] : 0);
}

#endif

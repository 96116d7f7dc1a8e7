// dynamics_private.h: what the files of the room share.
#ifndef SPRAG_DYNAMICS_PRIVATE_H
#define SPRAG_DYNAMICS_PRIVATE_H

#include "sprag/dynamics.h"

// Of a free body: its entries in q and v, in the plane (both) and in space.
// Rows: of a contact of shapes, and at most (a ball joint that rubs).
enum { CONTACT_ROWS = 3, MOST_ROWS = SPRAG_CONSTRAINT_ROWS };
enum { BODY_SIZE = 3, SPACE_POSITIONS = 7, SPACE_VELOCITIES = 6 };

// A body in space, beside its pose.
typedef struct SpaceBody {
    SpragMat3 tensor, inverse_tensor; // in its own frame
    SpragMat3 axes;                   // of the principal moments, in its own frame
    double moments[3];                // from the smallest on; 0: none
    SpragMat3 inertia;                // in the world's, at the state last set
    double same;                      // moment about every axis, as of a ball; 0: they differ
    double position[SPACE_POSITIONS]; // of that state
} SpaceBody;

// A contact at a state. Rows: of a model two blocks of a body each, of a user-defined system dense
// in SpragSystem.rows.
typedef struct Evaluation {
    double gap, gap_rate;
    double slip[SPRAG_CONSTRAINT_WAYS];
    double normal_drift, slip_drift[SPRAG_CONSTRAINT_WAYS];
    double bias[MOST_ROWS];
    double friction_static, friction_kinetic, stribeck;
    const SpragFrictionLaw *law;
    SpragVec3 point, normal;
    SpragVec3 tangent[SPRAG_CONSTRAINT_WAYS];    // space
    int row_count, normals;                      // normals first, then tangents
    double further_drift[SPRAG_CONSTRAINT_WAYS]; // of a bearing's normals behind the first
    bool angle;                                  // the gap is one
    int pressed; // normals with a force that is given: press, and c of joint_soft.c
    double press[SPRAG_CONSTRAINT_WAYS], weight[SPRAG_CONSTRAINT_WAYS];
    int block[SPRAG_ROW_BLOCKS]; // −1: none
    double entries[MOST_ROWS][SPRAG_ROW_BLOCKS][SPACE_VELOCITIES];
} Evaluation;

// A contact that is held, for system_push.c.
typedef struct Touching {
    SpragHeldPair pair;
    SpragTouch touch; // at the state touched last
    const SpragSlot *slot;
    int at[2];    // first velocity of body[0], body[1]; −1: none
    bool driven;  // one of them moves as told
    bool by_slip; // friction follows the slip
} Touching;

typedef struct Joints Joints;

struct SpragSystem {
    SpragContext *context;
    int dimension, velocity_count, contact_count;
    double size;               // m
    double relative_tolerance; // of contacts
    double gap_tolerance;      // m
    double rest_speed;         // m/s, √(acceleration × size)
    double surface_speed;      // m/s, of the fastest belt

    // from a model; else NULL
    const SpragModel *model;
    SpragCollider *collider;
    int *coordinate;      // first coordinate of each body; −1: fixed
    double *pose, *rate;  // 3 a body, the state last set
    SpragFrame *frames;   // one a body, of that state
    double *inverse_mass; // diagonal of M⁻¹, velocity_count
    double *q0, *v0;      // initial state
    SpragHold *holds;     // one a contact; kind 0: not held
    size_t hold_capacity;
    SpragFrame *later_frames; // one a body: scratch of a collider that grows
    size_t later_capacity;

    double time;             // of the state last set
    double refresh_time;     // of the last look for contacts that come near
    double acceleration;     // m/s², the largest that something gives a body alone
    double *driven;          // accelerations of bodies that are driven, six a body; NULL: none is
    int *body_order;         // in which bodies have their coordinates; NULL: as they come
    Joints *joints;          // NULL: none
    int joint_contacts;      // contacts of joints, numbered before those of shapes
    bool has_loads_on_joint; // their body is −1

    // of a model in space
    SpragPose *poses, *later; // one a body: of the state last set; scratch
    SpaceBody *space;         // one a body
    int *free_body;           // the body of each block of velocities
    SpragGrip *grips;         // one a contact
    bool *marks;              // one a contact, false between calls
    int *gripped;             // contacts that are held
    int grip_count, gripped_count;
    size_t grip_capacity, mark_capacity, gripped_capacity;

    int *all; // 0, 1 …: every contact
    size_t all_capacity;
    SpragArena *place_arena; // scratch of model_place
    bool placed;             // q0 and v0 are those of the model's numbers

    // user-defined
    SpragSystemDef def;
    char **names;
    SpragSystemContact *contacts; // their names are NULL
    double *rows;                 // CONTACT_ROWS × n: those of the contact evaluated last
    double *inverse_inertia;      // n × n: M⁻¹ where it was last asked for
    double *inertia;              // n × n: as the callback gave it
    double *factor;               // n × n: its Cholesky factor

    // scratch, grows only
    double *work;
    size_t work_capacity;
    Evaluation *evaluations; // of the contacts sampled last
    size_t evaluation_capacity;
    Touching *touching; // of the contacts touched last
    size_t touching_capacity;
};

// Bodies in space: positions are not the integrals of the velocities.
static inline bool is_spatial(const SpragSystem *system)
{
    return system->model && system->dimension == 3;
}
// Velocities of a free body of a model.
static inline int body_size(const SpragSystem *system)
{
    return system->dimension == 3 ? SPACE_VELOCITIES : BODY_SIZE;
}
int joint_contact_rows(const SpragSystem *system, int contact);
static inline int contact_rows(const SpragSystem *system, int contact)
{
    if (contact < system->joint_contacts)
        return joint_contact_rows(system, contact);
    bool limit = !system->model && system->contacts[contact].kind == SPRAG_CONSTRAINT_LIMIT;
    return limit ? 1 : system->dimension;
}
static inline bool is_velocity_level(const SpragSystem *system, int contact)
{
    return !system->model && system->contacts[contact].velocity_level;
}

// Scratch of `count` doubles (not zeroed); NULL with a message on failure. Transient: until the
// next call.
double *system_work(SpragSystem *system, size_t count);
// Lists every contact in `all`.
SpragStatus system_list_all(SpragSystem *system);

// Makes (q, v) the state that contact_evaluate and system_apply_inertia speak of; v NULL: at rest.
SpragStatus system_set_state(SpragSystem *system, double t, const double *q, const double *v);
// One contact at the state last set.
SpragStatus contact_evaluate(SpragSystem *system, double t, const double *q, const double *v,
                             int contact, Evaluation *evaluation);
// Row r of the contact evaluated last, dense (velocity_count).
void contact_row(const SpragSystem *system, const Evaluation *evaluation, int r, double *row);
// out = M⁻¹ in, of a model with joints M̃⁻¹ in.
void system_apply_inertia(SpragSystem *system, const double *in, double *out);
// out = M⁻¹ in of a model's bodies as if they were free.
void bodies_apply(const SpragSystem *system, const double *in, double *out);
// M⁻¹ of one free body as a matrix (zeroed before).
void body_block(const SpragSystem *system, int block, double *matrix);
// M⁻¹ (u − h) at the state last set; force: scratch (velocity_count).
SpragStatus system_free_motion(SpragSystem *system, double t, const double *q, const double *v,
                               double *force, double *acceleration);
// Rate of row r that is not the row times v.
static inline double contact_drift(const Evaluation *evaluation, int r)
{
    if (r >= evaluation->normals)
        return evaluation->slip_drift[r - evaluation->normals];
    return r == 0 ? evaluation->normal_drift : evaluation->further_drift[r - 1];
}
// Magnitude of the slip.
double contact_slip(const Evaluation *evaluation);
// Whether friction is a function of the slip alone, so that stick is no mode of its own.
static inline bool law_is_function(const SpragFrictionLaw *law)
{
    return sprag_friction_law_is_smooth(law) && !sprag_friction_law_has_state(law);
}
// |λT|/λN that a friction law gives at a slip of this size, or (not sliding) can give at rest.
double friction_at(const SpragFrictionLaw *law, const SpragFrictionNumbers *numbers, double slip,
                   bool sliding);
double mu_at(const Evaluation *evaluation, bool sliding);

// A model in space (system_space.c, system_space_force.c).
void space_take_bodies(SpragSystem *system);
void space_set_state(SpragSystem *system, const double *q, const double *v);
// Length of three entries.
double space_speed(const double *v);
// Mean of the principal moments.
double space_mean_inertia(const SpragBody *body);
void space_contact(const SpragSystem *system, const SpragSpaceGap *gap, const SpragSlot *slot,
                   Evaluation *evaluation);
void space_evaluate(const SpragSystem *system, int contact, Evaluation *evaluation);
// M⁻¹ of one body: applied to six entries, and as a matrix (6 × 6, zeroed before).
void space_apply_block(const SpragSystem *system, int block, const double *in, double *out);
void space_block(const SpragSystem *system, int block, double *matrix);
// Spin of a block after a step h under a torque with its momentum seen at its orientation, and the
// mean one by which it turns.
void space_free_spin(const SpragSystem *system, int block, double h, const double *torque,
                     const double *v, double *after, double *mean);
// The same of the body turned by R.
void space_block_turned(const SpragSystem *system, int block, const SpragMat3 *R, double *matrix);
// Makes room for the slots that the collider has by now.
SpragStatus space_follow_slots(SpragSystem *system);
void space_release(SpragSystem *system, int contact);
void space_hold(SpragSystem *system, int count, const int *contacts);
void space_force(const SpragSystem *system, double *force);
void space_energy(const SpragSystem *system, double *kinetic, double *potential, double *elastic);
void space_power(const SpragSystem *system, SpragSystemPower *power);
double space_acceleration_scale(const SpragSystem *system);
// What is held of a contact; NULL: nothing.
static inline const SpragGrip *space_grip(const SpragSystem *system, int contact)
{
    const SpragGrip *grip = &system->grips[contact];
    return grip->piece[0].kind == SPRAG_PIECE_NONE ? NULL : grip;
}

// A model: forces.
void model_set_state(SpragSystem *system, double t, const double *q, const double *v);
// Forces of a load at the time last set (plane: the torque is moment[2]).
typedef struct LoadNow {
    double force[3], moment[3];
} LoadNow;
void load_now(const SpragSystem *system, const SpragLoad *load, LoadNow *now);
// Largest numbers of a load over the time of the scene.
void load_largest(const SpragSystem *system, const SpragLoad *load, LoadNow *most);
// drive.c: room for accelerations of driven bodies, if there are any; their state at the time set.
SpragStatus drives_create(SpragSystem *system);
void drives_set(SpragSystem *system, bool at_rest);
// What a spring that pulls with `pull` takes from the drives of the bodies that it hangs on; rates:
// of its ends along it.
double drives_spring_power(const SpragSystem *system, const SpragSpring *spring, double pull,
                           const double rates[2]);
void model_contact(const SpragSystem *system, const SpragGap *gap, const SpragSlot *slot,
                   Evaluation *evaluation);
void model_force(SpragSystem *system, double *force);
void model_energy(SpragSystem *system, double *kinetic, double *potential, double *elastic);
void model_power(SpragSystem *system, SpragSystemPower *power);
// How fast a spring becomes longer, at the state last set.
double model_spring_rate(const SpragSystem *system, int spring);
double space_spring_rate(const SpragSystem *system, int spring);
// Largest acceleration that gravity, a load or a spring gives a body alone, m/s².
double model_acceleration_scale(SpragSystem *system);
SpragStatus model_place(SpragSystem *system);

// User-defined: callbacks with their checks.
SpragStatus user_inertia(SpragSystem *system, double t, const double *q);
// Only the callback, without the inverse.
SpragStatus user_inertia_given(SpragSystem *system, double t, const double *q);
// Whether what the inertia callback gave last is positive definite; overwrites inverse_inertia.
bool user_inverse_is_definite(SpragSystem *system);
SpragStatus user_force(SpragSystem *system, double t, const double *q, const double *v,
                       double *force);
SpragStatus user_contact(SpragSystem *system, double t, const double *q, const double *v,
                         int contact, Evaluation *evaluation);
SpragStatus user_energy(SpragSystem *system, double t, const double *q, const double *v,
                        double *kinetic, double *potential);

// Solves G x = r for positive semidefinite G (m × m, overwritten), leaving out rows that depend on
// others (their x is 0): those of which no more than `dependent` is left (square of a sine; at
// least what rounding needs). order: m ints, rows that were not left out first; returns their
// number.
int semidefinite_solve(int m, double *G, const double *r, double dependent, double *x, int *order);

// joint_turns.c: angles of joints that count whole turns, behind the positions of bodies in space.
int turns_count(const SpragSystem *system);
void turns_rate(const SpragSystem *system, const double *q, const double *v, double *rate);
void turns_shift(const SpragSystem *system, const double *shift, double *q);
// What poses say, in the turn that is counted.
void turns_settle(const SpragSystem *system, double *q);

#endif

// dynamics.h: a mechanical system, from a model or from callbacks; it builds the contact problem.
//
//     M(q) q'' + h(q, v) = u + Jᵀ λ                                        theory.md (1.1)
//
// A system has velocity_count velocities v and position_count positions q. In the plane (x, y,
// angle of each free body) and for user-defined systems v = q'. In space a free body has seven
// positions (x, y, z and the quaternion w, x, y, z) and six velocities (those of its centre of mass
// and its angular velocity, world frame): q' follows from v, sprag_system_position_rate,
// theory.md 13.3; behind those of the bodies stand the angles of revolute and cylindrical joints,
// which count whole turns (theory.md 1.1). Its contacts (slots) may open and close; in space
// further ones may be appended in a run, sprag_system_refresh.
#ifndef SPRAG_DYNAMICS_H
#define SPRAG_DYNAMICS_H

#include "sprag/collide.h"
#include "sprag/contact.h"
#include "sprag/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragSystem SpragSystem;

// ---- User-defined systems -----------------------------------------------------------------------

// What a callback tells about one contact at (t, q, v). The rows have velocity_count entries and
// are zero when the callback starts.
typedef struct SpragContactSample {
    double gap;             // φ_N; ignored for velocity-level rows
    double *normal;         // N
    double *tangent;        // T (NULL for a limit)
    double *tangent2;       // O (dimension 3; else NULL)
    double normal_bias;     // N' v
    double tangent_bias[2]; // T' v, O' v
    double normal_drift;    // part of φ_N' that is not N v (a moving boundary), m/s
    double slip_drift[2];   // part of the slip that is not T v (a belt), m/s
    double friction_static, friction_kinetic;
} SpragContactSample;

// Every callback returns 0, > 0 (recoverable: try a smaller step; the call that needed it returns
// ERROR_NUMERIC) or < 0 (stop: ERROR_CALLBACK). Results that are not finite give ERROR_NUMERIC and
// a sentence that names them (a gap may be INFINITY: this contact cannot close here).
typedef int SpragInertiaFunction(double t, const double *q, double *matrix, void *user);
typedef int SpragForceFunction(double t, const double *q, const double *v, double *force,
                               void *user);
typedef int SpragContactFunction(double t, const double *q, const double *v, int contact,
                                 SpragContactSample *sample, void *user);
typedef int SpragEnergyFunction(double t, const double *q, const double *v, double *kinetic,
                                double *potential, void *user);

typedef struct SpragSystemContact {
    const char *name;           // copied
    SpragConstraintKind kind;   // CONTACT or LIMIT
    bool velocity_level;        // Ψ(q) v ≥ 0: no gap; active when Ψ v = 0 (theory.md section 1)
    SpragCompliance compliance; // law RIGID: none given
    SpragFrictionLaw friction_law;
    SpragRestitution restitution;
    SpragPairModel model; // AUTO: as the motion says
} SpragSystemContact;

typedef struct SpragSystemDef {
    int dimension;      // 2: contacts have one tangent; 3: two
    int velocity_count; // n
    int contact_count;
    const SpragSystemContact *contacts;
    SpragInertiaFunction *inertia; // M (n × n), or M⁻¹ if inertia_is_inverse
    bool inertia_is_inverse;
    SpragForceFunction *force; // u − h (n)
    SpragContactFunction *contact;
    SpragEnergyFunction *energy; // may be NULL
    void *user;
    double size;  // length that contact tolerances refer to; 0: 1 m
    double speed; // speed that they refer to at rest; 0: √(9.81 m/s² × size)
    uint32_t cookie;
} SpragSystemDef;

SpragSystemDef sprag_system_default(void);
SPRAG_MUST_USE SpragStatus sprag_system_create(SpragContext *context, const SpragSystemDef *def,
                                               SpragSystem **system);
// Compares rows, drifts and bias terms with finite differences of gap and rows at (t, q, v), the
// kinetic energy with ½ vᵀMv, and M with its symmetry and definiteness: ERROR_INPUT and a sentence
// naming the first that is off by more than `tolerance` (relative; 1e-5 suits smooth callbacks of
// order 1). For a model's system too.
SPRAG_MUST_USE SpragStatus sprag_system_check(SpragSystem *system, double t, const double *q,
                                              const double *v, double tolerance);

// ---- Systems from a model -----------------------------------------------------------------------

// The model is borrowed and must outlive the system. Places the bodies: `start` is solved by the
// smallest translations, then (where these cannot do) with angles that the scene does not give;
// velocities likewise, with spins. Overlaps beyond the contact tolerance are refused; smaller gaps
// and overlaps are closed exactly. ERROR_INPUT says which line cannot be met, with its residual.
SPRAG_MUST_USE SpragStatus sprag_system_create_model(const SpragModel *model, SpragSystem **system);
// Brings a system up to date with other numbers of its model (sprag_model_replace_*), as if it were
// created anew; warm, nothing is allocated. contacts_only: only what rules and materials give has
// changed. On failure (as above) the system can be updated again or destroyed, nothing else.
SPRAG_MUST_USE SpragStatus sprag_system_update(SpragSystem *system, bool contacts_only);
void sprag_system_destroy(SpragSystem *system);

// The context of the model, or the one given at creation.
SpragContext *sprag_system_context(const SpragSystem *system);
int sprag_system_velocity_count(const SpragSystem *system);
// Entries of q; as many as velocities unless the system has bodies in space.
int sprag_system_position_count(const SpragSystem *system);
// q' (position_count) at velocities v: a copy of v where both are the same.
void sprag_system_position_rate(const SpragSystem *system, const double *q, const double *v,
                                double *rate);
// Moves q for a unit of time at the velocities `shift` (velocity_count): q + shift, in space with a
// rotation about shift's angular part.
void sprag_system_position_shift(const SpragSystem *system, const double *shift, double *q);
// The displacement (velocity_count) whose shift takes `from` to `to`.
void sprag_system_position_difference(const SpragSystem *system, const double *from,
                                      const double *to, double *shift);
// The same of one body alone: its positions (3; in space 7), its part of the displacement.
void sprag_system_block_difference(const SpragSystem *system, const double *from, const double *to,
                                   double *shift);
// Quaternions back to length 1; nothing else changes.
void sprag_system_position_normalise(const SpragSystem *system, double *q);
int sprag_system_contact_count(const SpragSystem *system);
int sprag_system_dimension(const SpragSystem *system);
const char *sprag_system_contact_name(const SpragSystem *system, int contact);
// Ψ(q) v ≥ 0 (theory.md section 1): its gap is always 0, its gap rate tells whether it is active.
bool sprag_system_contact_is_velocity_level(const SpragSystem *system, int contact);
// Laws of one contact.
typedef struct SpragContactPair {
    SpragCompliance compliance; // with stiffness and damping, epsilon resolved; RIGID: none given
    SpragFrictionLaw friction_law;
    SpragRestitution restitution;
    SpragPairModel model;
    double mass; // kg, of the body that presses, of two the reduced one; 0: of no body
} SpragContactPair;
void sprag_system_pair(const SpragSystem *system, int contact, SpragContactPair *pair);
// The model, or NULL for a user-defined system.
const SpragModel *sprag_system_model(const SpragSystem *system);
const SpragCollider *sprag_system_collider(const SpragSystem *system);
// First velocity of a free body, and its first entry in q; −1 for a fixed one.
int sprag_system_body_coordinate(const SpragSystem *system, int body);
int sprag_system_body_position(const SpragSystem *system, int body);
// Poses of all bodies (body_count of the model) in space at (q, v); v NULL: at rest.
void sprag_system_poses(const SpragSystem *system, const double *q, const double *v,
                        SpragPose *poses);
// ---- Joints -------------------------------------------------------------------------------------

// Joint rows E v + e' = 0 are eliminated here: inertia and free accelerations that a contact
// problem or a sample holds are those of the jointed bodies, M̃⁻¹ = M⁻¹ − M⁻¹Eᵀ (E M⁻¹ Eᵀ)⁺ E M⁻¹
// (theory.md 1.1). What is left of joints in contact problems are *contacts* of their own:
// limits (one row: LIMIT, open or closed) and friction (BEARING, always closed). They are numbered
// first, 0 … joint_contact_count − 1; contacts of shapes follow, and more may be appended.
int sprag_system_joint_contact_count(const SpragSystem *system);
// CONTACT, LIMIT or BEARING.
SpragConstraintKind sprag_system_contact_kind(const SpragSystem *system, int contact);
// Number of normal rows: 1, of a bearing 1 or 2; its tangents follow: 0 (limit), 1 (plane, most
// bearings) or 2.
int sprag_system_contact_normals(const SpragSystem *system, int contact);
int sprag_system_contact_tangents(const SpragSystem *system, int contact);
// 1/m of a normal of a bearing, were its bodies free, at the state last set: what W is compared
// with to tell whether other joints hold it.
double sprag_system_bearing_inverse(const SpragSystem *system, int contact, int normal);
// The contact whose second normal presses a bearing beside its own; −1: none does.
int sprag_system_contact_shared(const SpragSystem *system, int contact);
// The joint of a contact; −1: it is one of shapes.
int sprag_system_contact_joint(const SpragSystem *system, int contact);
// What the collider knows of a contact of shapes; NULL for others.
const SpragSlot *sprag_system_slot(const SpragSystem *system, int contact);
// The collider's number of a contact, −1; and back.
int sprag_system_contact_slot(const SpragSystem *system, int contact);
int sprag_system_slot_contact(const SpragSystem *system, int slot);

// A joint at a state.
typedef struct SpragJointState {
    double position[2], velocity[2]; // as SpragJoint says; the second of cylindrical and screw
    double force;       // along the joint: of springs, dampers, loads, controllers, and its drive
    double error;       // largest violation of its rows, m (angles times the size)
    SpragVec3 reaction; // force of the first end on the second, world, all of it, N
    SpragVec3 moment;   // at the second end; plane: z
} SpragJointState;
// States of all joints (joint_count of the model) under forces `lambda` of the listed contacts
// (rows as in a sample).
SPRAG_MUST_USE SpragStatus sprag_system_joints(SpragSystem *system, double t, const double *q,
                                               const double *v, int count, const int *contacts,
                                               const double *lambda, SpragJointState *states);
// The same with forces along all rows of joints given (in the order of sprag_system_joint_rows), as
// time stepping has them; of contacts of joints sprag_system_joints_add adds the forces, one by
// one, after it.
SPRAG_MUST_USE SpragStatus sprag_system_joints_given(SpragSystem *system, double t, const double *q,
                                                     const double *v, const double *row_force,
                                                     SpragJointState *states);
void sprag_system_joints_add(SpragSystem *system, int contact, const double *force,
                             SpragJointState *states);
// Largest violation of all joints' rows, m, and of their rates, m/s (angles times the size).
SPRAG_MUST_USE SpragStatus sprag_system_joint_error(SpragSystem *system, double t, const double *q,
                                                    const double *v, double *error, double *rate);
// A bearing whose normals are compliant: F = −stiffness e − damping e' along each of them, e the
// error of the joint there, theory.md 9.5. Then the normals are loads of the bodies, are not
// projected, and have coordinates of their own in samples and problems, so that their forces are F
// and friction is all that is asked for. layer NULL: rigid again. Nothing evaluated before counts.
typedef struct SpragBearingLayer {
    double stiffness, damping; // N/m, N s/m
} SpragBearingLayer;
void sprag_system_soften(SpragSystem *system, int contact, const SpragBearingLayer *layer);
bool sprag_system_is_soft(const SpragSystem *system, int contact);
// Errors at which projections put the normals of a rigid bearing; NULL: 0.
void sprag_system_offset_bearing(SpragSystem *system, int contact, const double *offset);
// Errors of the normals and their rates, two each (0 where there is one normal).
SPRAG_MUST_USE SpragStatus sprag_system_bearing_errors(SpragSystem *system, double t,
                                                       const double *q, const double *v,
                                                       int contact,
                                                       double error[SPRAG_CONSTRAINT_WAYS],
                                                       double rate[SPRAG_CONSTRAINT_WAYS]);
// Stiffness along a normal per unit of the joint's: 1; of a thread, whose stiffness is that along
// its axis (9.18), 1/(cos theta cos alpha)².
double sprag_system_bearing_scale(const SpragSystem *system, int contact);
// The forces of a soft bearing in a problem become those of its normals and tangent (only of a
// thread, whose layer carries a part of friction, are these others).
void sprag_system_bearing_forces(const SpragSystem *system, int contact, double *force);
// Names of joints that repeat what others say ("redundant"), a sentence; "" if there are none.
const char *sprag_system_redundancy(const SpragSystem *system);
// Forces or torques that controllers with a sampling time hold (controller_count of the model);
// continuous ones follow the state by themselves, their entries are not looked at.
void sprag_system_set_controls(SpragSystem *system, const double *controls);
// Joints of a system whose model differs in drives and loads only are where those of `from` are,
// which may have been placed with its drives, and its sampled controllers hold the same.
void sprag_system_adopt_joints(SpragSystem *system, const SpragSystem *from);
// What the controllers want at a state (controller_count); integrals: of target − position, one a
// controller (NULL: 0).
SPRAG_MUST_USE SpragStatus sprag_system_controls(SpragSystem *system, double t, const double *q,
                                                 const double *v, const double *integrals,
                                                 double *controls);
// The time that calls without one (poses, hold, refresh) speak of: driven bodies stand where they
// are then. Every call with a time sets it.
void sprag_system_set_time(SpragSystem *system, double t);
// Position and velocities of a body that moves as told (plane: x, y, angle; space: seven and six
// numbers) at t; of a fixed one where it stands. Free bodies: nothing happens.
void sprag_system_driven_state(const SpragSystem *system, int body, double t, double *position,
                               double *velocity);
// The first time after t at which a value over time has a kink; INFINITY: none.
double sprag_system_next_break(const SpragSystem *system, double t);
// One row of the joints as it is before elimination, for those who carry them: E v + drift = 0.
typedef struct SpragJointRow {
    int joint;
    int body[2]; // −1: the world, or a fixed body
    double entries[2][6];
    double error; // of the position, m or rad
    double drift; // of a drive, m/s
    double bias;  // E' v + drift', m/s²
    bool bearing; // also a normal row of the joint's friction
    bool repeats; // others say the same (redundant): it need not be carried
} SpragJointRow;
int sprag_system_joint_row_count(const SpragSystem *system);
// Without v: at rest.
SPRAG_MUST_USE SpragStatus sprag_system_joint_rows(SpragSystem *system, double t, const double *q,
                                                   const double *v, SpragJointRow *rows);

// The state at t = 0 with `start` solved (a model's; zeros for a user-defined system).
void sprag_system_initial(const SpragSystem *system, double *q, double *v);

// ---- Evaluation ---------------------------------------------------------------------------------

typedef enum SpragContactState {
    SPRAG_CONTACT_OPEN,        // gap above tolerance
    SPRAG_CONTACT_LEAVING,     // closed, moving apart
    SPRAG_CONTACT_APPROACHING, // closed, moving together: an impact
    SPRAG_CONTACT_RESTING,     // closed, no slip
    SPRAG_CONTACT_SLIDING      // closed, slip
} SpragContactState;

// One contact at a state, for every slot of the system.
typedef struct SpragContactKinematics {
    SpragContactState state;
    double gap, gap_rate;
    double slip[SPRAG_CONSTRAINT_WAYS];
    double friction_static, friction_kinetic;
    SpragVec3 point, normal;                  // from a model
    SpragVec3 tangent[SPRAG_CONSTRAINT_WAYS]; // space, from a model; of a ball joint that rubs too
} SpragContactKinematics;

typedef struct SpragContactTolerances {
    double gap;  // m: |gap| up to it is closed
    double rate; // m/s: |gap rate| up to it is zero
    double slip; // m/s: |slip| up to it is zero
} SpragContactTolerances;

// contact-tolerance of the scene: what the tolerances below are relative to sizes and speeds.
double sprag_system_contact_tolerance(const SpragSystem *system);
// Tolerances of a system at a state: contact-tolerance × size (but no less than the rounding of
// positions as far from the origin as the bodies stand at the start), and contact-tolerance × the
// larger of the fastest speed in v (with the surfaces' own) and √(acceleration × size), where the
// acceleration is the largest that gravity, a load or a spring stretched by the size gives alone.
// They follow any change of units, scale or direction.
SpragContactTolerances sprag_system_tolerances(const SpragSystem *system, const double *v);

// Kinematics of all contacts at (t, q, v) (contact_count entries).
SPRAG_MUST_USE SpragStatus sprag_system_kinematics(SpragSystem *system, double t, const double *q,
                                                   const double *v,
                                                   const SpragContactTolerances *tolerances,
                                                   SpragContactKinematics *kinematics);
// Time scale T of theory.md (6.9) at a state whose kinematics are given: the smaller of √(L/a) and
// L/|v|, with L the largest distance from a closed contact to the centre of mass of a body that it
// touches, a the largest acceleration that gravity, a load or a spring gives, |v| the fastest body;
// 1 s if nothing gives one.
double sprag_system_time_scale(const SpragSystem *system, const double *q, const double *v,
                               const SpragContactKinematics *kinematics);
// The contact problem of the closed contacts (RESTING and SLIDING) at (t, q, v), in slot order;
// each constraint's id is its slot. Both views. Friction: static at rest, in slip kinetic, or with
// a Stribeck speed s kinetic + (static − kinetic) exp(−(slip/s)²). A contact whose friction is a
// function of the slip (tanh, Oden–Pires) slides at every slip but 0, with the |λT|/λN that its law
// gives (theory.md (7.2)); one with a state (Dahl, LuGre) enters as Coulomb's with the friction
// of steady slip; of Karnopp's law a slip inside of the band is rest. Stiffness and damping are
// those of a Kelvin–Voigt layer; of other layers the constraint has the law. A layer given by
// epsilon and length takes the mass of the body (of two the reduced one) and T = √(length/g), 1 s
// without gravity (theory.md 5.4).
SPRAG_MUST_USE SpragStatus sprag_system_build_problem(SpragSystem *system, double t,
                                                      const double *q, const double *v,
                                                      const SpragContactTolerances *tolerances,
                                                      SpragContactProblem *problem);
// Kinetic, gravitational and elastic energy, J.
SPRAG_MUST_USE SpragStatus sprag_system_energy(SpragSystem *system, double t, const double *q,
                                               const double *v, double *kinetic, double *potential,
                                               double *elastic);

// Appends contacts that come near on the way from q to `later` (NULL: at q), by at most `reach`
// (m); *added: how many. Nothing happens in the plane and to user-defined systems. Numbers of
// contacts stay what they were; arrays of one entry a contact must grow.
SPRAG_MUST_USE SpragStatus sprag_system_refresh(SpragSystem *system, const double *q,
                                                const double *later, double reach, int *added);
// Contacts that were near in the last refresh, in ascending order (in the plane, and of
// user-defined systems: all of them); transient. What is not near is open.
int sprag_system_near(const SpragSystem *system, const int **contacts);

// ---- For a motion: chosen contacts, no allocation once warm ------------------------------------

// Powers, W: d/dt (kinetic + potential + elastic) = load − damping − friction + surface.
typedef struct SpragSystemPower {
    double load;     // of loads, controllers and drives, into the bodies (0 for a user-defined
                     // system)
    double damping;  // lost in the springs' dampers, ≥ 0 (0 for a user-defined system)
    double friction; // lost in sliding contacts: −λT · slip
    double surface;  // of belts and moving boundaries, into the bodies
} SpragSystemPower;

// What is wanted of a list of contacts; NULL: not wanted. Rows come contact by contact: normal,
// then tangents (none for a limit).
typedef struct SpragSystemSample {
    double *gap, *gap_rate;        // one a contact; a contact that cannot touch has INFINITY
    double *slip;                  // one a contact, in space SPRAG_CONSTRAINT_WAYS
    double *J;                     // rows × velocity_count
    double *bias;                  // J̇ v (with the rate of drifts), rows
    double *W;                     // J M⁻¹ Jᵀ, rows × rows
    double *b;                     // J M⁻¹ (u − h) + bias, rows
    double *free_acceleration;     // M⁻¹ (u − h), velocity_count
    double *friction;              // two a contact: static, and kinetic at the present slip
    SpragFrictionNumbers *numbers; // one a contact: what its friction law takes
    double *response;              // M⁻¹ Jᵀ: row r holds M⁻¹ J_rᵀ, rows × velocity_count
    double *drift;                 // gap rate and slip less J v (belts, moving boundaries), less
                                   // what drives of joints do for a unit of the row's force, rows:
                                   // the power of all these is −λ · drift + power.load
    double *held;                  // one a contact: +1 while held features still meet, else −1
    SpragSystemPower *power;       // of loads and dampers only; surface and friction are 0
} SpragSystemSample;

// In space: sprag_collider_shape_distance of the shapes that meet at a contact, at (t, q).
// INFINITY: the contact is one of a joint, or the plane's.
SPRAG_MUST_USE SpragStatus sprag_system_shape_distance(SpragSystem *system, double t,
                                                       const double *q, int contact,
                                                       double *distance);

// Rows of a list of contacts.
int sprag_system_row_count(const SpragSystem *system, int count, const int *contacts);
SPRAG_MUST_USE SpragStatus sprag_system_sample(SpragSystem *system, double t, const double *q,
                                               const double *v, int count, const int *contacts,
                                               const SpragSystemSample *sample);
// The same for a motion in which the forces of all contacts are given by their rates, and nothing
// is solved for: what it takes grows with the contacts and the bodies, not with their product.
typedef struct SpragSystemTouch {
    double *gap, *gap_rate, *slip; // one a contact
    double *drift;                 // rows
    double *friction; // two a contact, set only where they follow the slip; as in a sample else
    SpragSystemPower *power; // likewise
} SpragSystemTouch;
// Prepares it for contacts that are held, as long as they are. False: it cannot be had. Bodies must
// be those of a model in the plane, without joints. (Also without memory, where a sample says so.)
bool sprag_system_prepare_touch(SpragSystem *system, int count, const int *contacts);
// Of the first `count` of them at a state. All pointers are set.
void sprag_system_touch(SpragSystem *system, double t, const double *q, const double *v, int count,
                        const SpragSystemTouch *touch);
// Accelerations M⁻¹ (u − h + Jᵀ λ) at the state and of the contacts of the last touch.
void sprag_system_push(SpragSystem *system, int count, const double *lambda, double *acceleration);
// A run holds on to the features that meet in these contacts (and to no others): they are then
// evaluated smoothly past the ends of sides. Nothing changes for user-defined systems. v (NULL: at
// rest) tells of two sides that meet in a corner the one that is not run into. count 0: hold
// nothing.
void sprag_system_hold(SpragSystem *system, const double *q, const double *v, int count,
                       const int *contacts);
// +1 while the held features of a contact still meet at the state last set, else −1.
double sprag_system_contact_held(const SpragSystem *system, int contact);
// Whether the held features of a contact can come to their end at all.
bool sprag_system_can_change(const SpragSystem *system, int contact);
// The contact problem of just these contacts; sliding (one a contact) says whose slip counts.
SPRAG_MUST_USE SpragStatus sprag_system_build_active(SpragSystem *system, double t, const double *q,
                                                     const double *v, int count,
                                                     const int *contacts, const bool *sliding,
                                                     SpragContactProblem *problem);
// Moves q by the smallest amount in the metric of M so that the gaps of these contacts vanish
// (Newton's method; dependent rows are left out). *residual: the largest |gap| that remains, m.
SPRAG_MUST_USE SpragStatus sprag_system_project_position(SpragSystem *system, double t, int count,
                                                         const int *contacts, double *q,
                                                         double *residual);
// Likewise makes the gaps equal to `gaps` (one a contact).
SPRAG_MUST_USE SpragStatus sprag_system_project_gaps(SpragSystem *system, double t, int count,
                                                     const int *contacts, const double *gaps,
                                                     double *q, double *residual);
// Likewise changes v so that the gap rates vanish, and the slips where stick (may be NULL: nowhere)
// says so. *residual in m/s.
SPRAG_MUST_USE SpragStatus sprag_system_project_velocity(SpragSystem *system, double t,
                                                         const double *q, int count,
                                                         const int *contacts, const bool *stick,
                                                         double *v, double *residual);
// Generalised force Jᵀ λ (velocity_count) of contact forces (rows of the list).
SPRAG_MUST_USE SpragStatus sprag_system_contact_force(SpragSystem *system, double t,
                                                      const double *q, const double *v, int count,
                                                      const int *contacts, const double *lambda,
                                                      double *force);
// u − h (velocity_count).
SPRAG_MUST_USE SpragStatus sprag_system_force(SpragSystem *system, double t, const double *q,
                                              const double *v, double *force);

// lambda: forces of the listed contacts as above.
SPRAG_MUST_USE SpragStatus sprag_system_power(SpragSystem *system, double t, const double *q,
                                              const double *v, int count, const int *contacts,
                                              const double *lambda, SpragSystemPower *power);

// ---- For time stepping: rows by bodies, nothing of the size of all velocities ------------------

// A contact of a model with the rows of the two bodies that it touches.
typedef struct SpragContactBlock {
    double gap, gap_rate;
    double slip[SPRAG_CONSTRAINT_WAYS];
    double drift[SPRAG_CONSTRAINT_ROWS]; // gap rate and slip less J v (belts, moving boundaries)
    double friction[2];                  // static, and kinetic at the present slip
    int body[2]; // blocks of velocities (3 or 6 each) in the order of v; −1: none
    double rows[2][SPRAG_CONSTRAINT_ROWS][6]; // side, row (normals, tangents), velocity
} SpragContactBlock;

// Makes (t, q, v) the state that the next two speak of. Both only read the system, so that several
// threads may ask at once. Models only: ERROR_ARGUMENT for a user-defined system.
SPRAG_MUST_USE SpragStatus sprag_system_set_state(SpragSystem *system, double t, const double *q,
                                                  const double *v);
// False: the gap is larger than `limit`, and nothing else was computed.
bool sprag_system_contact_block(const SpragSystem *system, int contact, double limit,
                                SpragContactBlock *block);
// A contact of balls whose friction is a number: few bytes for those who ask for it in every step,
// until the contacts that are near, or numbers of the model, change. False: it is another, and
// sprag_system_contact_block knows it.
typedef struct SpragBallContact {
    SpragBallSlot slot;
    int contact, block[2];
    double friction[2];
} SpragBallContact;
bool sprag_system_ball_contact(const SpragSystem *system, int contact, SpragBallContact *ball);
// As sprag_system_contact_block.
bool sprag_system_ball_block(const SpragSystem *system, const SpragBallContact *ball, double limit,
                             SpragContactBlock *block);
// Depth to which the shapes of a contact overlap at that state, convex ones as wholes: in the plane
// edges which cross count though no corner is inside; in space the depth of two features is no more
// than that. Below 0: they do not overlap.
double sprag_system_contact_depth(const SpragSystem *system, int contact);
// M⁻¹ of one block (size × size, row-major); size: velocities of a body, 3 or 6.
void sprag_system_inertia_block(const SpragSystem *system, int block, double *inverse);
// The same where bodies are at q.
void sprag_system_inertia_at(const SpragSystem *system, int block, const double *q,
                             double *inverse);

// Powers at velocities `mean` of the forces that free_step applies at (t, q, v): loads,
// controllers, springs and their dampers. Drives are rows, and their impulses are the caller's.
SPRAG_MUST_USE SpragStatus sprag_system_applied_power(SpragSystem *system, double t,
                                                      const double *q, const double *v,
                                                      const double *mean, SpragSystemPower *power);
// Velocities after a step h without contacts, and the mean velocities that move q to its end (both
// velocity_count): forces at q + (1 − θ) h v, theory.md (11.23). In space angular momentum is kept
// to rounding: velocities refer to the inertia at q, and sprag_system_turn takes them to that of
// the new configuration.
SPRAG_MUST_USE SpragStatus sprag_system_free_step(SpragSystem *system, double t, double h,
                                                  double theta, const double *q, const double *v,
                                                  double *after, double *mean);
// The angular velocities in v at configuration q become those of the same momentum at `later`; gain
// (one a block of velocities, or NULL): twice the energy that has come with that.
void sprag_system_carry(const SpragSystem *system, const double *q, const double *later,
                        double *gain, double *v);
// Likewise, but the rotation of bodies of `keep` (one a block) keeps its energy, less half of the
// gain, and their momentum changes for that, theory.md (11.46).
void sprag_system_turn(const SpragSystem *system, const double *q, const double *later,
                       const bool *keep, const double *gain, double *v);
// Mean angular velocities over a time h from q on of bodies of `which` that turn freely, with the
// momentum that v has at `at`; others are left as they are.
void sprag_system_free_turn(const SpragSystem *system, double h, const double *q, const double *at,
                            const bool *which, const double *v, double *mean);

#ifdef __cplusplus
}
#endif

#endif

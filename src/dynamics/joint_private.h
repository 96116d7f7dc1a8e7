// joint_private.h: joints of a model inside of a system.
//
// Rows of joints are kept as they are (two bodies each) and eliminated where inertia is asked for:
// M̃⁻¹ = M⁻¹ − M⁻¹Eᵀ (E M⁻¹ Eᵀ)⁺ E M⁻¹, theory.md 1.1. Bodies that joints connect form a group,
// whose velocities stand side by side.
#ifndef SPRAG_JOINT_PRIVATE_H
#define SPRAG_JOINT_PRIVATE_H

#include "dynamics_private.h"

enum { JOINT_ROWS = 7, JOINT_CONTACTS = 4 };

// A row with entries of two bodies.
typedef struct PairRow {
    int block[SPRAG_ROW_BLOCKS]; // −1: none
    double entries[SPRAG_ROW_BLOCKS][SPACE_VELOCITIES];
    double weighted[SPRAG_ROW_BLOCKS][SPACE_VELOCITIES]; // times M⁻¹
    double value;                                        // error or position, m or rad
    double rate;                                         // entries · v + drift
    double drift;                                        // of drives
    double bias;                                         // entries' v + drift'
    bool angle;                                          // value is an angle
} PairRow;

// A joint as the system has it: places and axes are known once the bodies stand.
typedef struct JointItem {
    SpragVec3 local[2];
    SpragMat3 axes[2];
    double length;    // distance
    double turn;      // plane: angle of the second axes less that of the first
    int turned;       // space: which of the angles that are counted; −1: none
    bool ready;       // false: as_placed, and not placed yet
    int row;          // its first row
    int row_count;    // all of its rows
    int normal_count; // of these the first ones are normals of its bearings
    int bearings;     // 0, 1 or 2
    int tangents;     // of each bearing: 1, 2 of a shaft that rubs along and about its axis, 3 of a
                      // ball
    int bearing_row[2]; // first normal of each bearing, among the rows
    int contact;        // its first contact: bearings, then limits
    int lower, upper;   // contacts of its limits; −1: none
} JointItem;

// What a contact of a joint is.
typedef struct JointContact {
    int joint;
    SpragConstraintKind kind; // LIMIT or BEARING
    int bearing;              // which one
    double side;              // limit: +1 lower, −1 upper
    char *name;
    bool soft;                 // a bearing whose normals are compliant, with these numbers
    double stiffness, damping; // along its rows
    double offset[SPRAG_CONSTRAINT_WAYS]; // errors at which projections put its normals
} JointContact;

// Rows of a group of bodies that joints connect, with the factor of E M⁻¹ Eᵀ.
typedef struct JointGroup {
    int block, block_count; // its bodies, side by side
    int first, count;       // in Joints.eliminated
    int rank;
    int start_rank;            // where the bodies were placed
    double least, start_least; // least part of a row that is left at its pivot, now and there
    size_t factor;             // where L begins in Joints.factors
} JointGroup;

struct Joints {
    int count, contact_count, row_count, group_count;
    JointItem *items;
    JointContact *contacts;
    JointGroup *groups;
    int *group_of;           // of a block of velocities; −1: none
    PairRow *rows;           // row_count, joint by joint
    PairRow (*positions)[2]; // count: the joint's positions with their rows
    bool rows_valid;         // at the state last set
    bool factor_valid;
    int *eliminated; // rows, group by group
    int *order;      // of pivots, likewise: four numbers a row, as gram_factor says
    double *factors;
    size_t factor_count;
    double *whole;     // diagonal of G before it is factored, row_count
    double *right, *x; // row_count, scratch
    double *more;      // row_count, scratch
    double *dense;     // scratch of a group's block of inertia
    size_t dense_capacity;
    int turn_count;
    double *turns;    // turn_count: angles that are counted, at the state last set
    double *controls; // held by sampled controllers
    char *redundancy; // NULL: none
    int *near;        // contacts, for sprag_system_near
    int near_count;
    size_t near_capacity;
    double *scratch; // of states: multipliers, forces
    size_t scratch_capacity;
    // scratch of projections
    PairRow *stack;
    size_t stack_capacity;
    double *gram;
    size_t gram_capacity;
};

// ---- Rows (joint_rows.c, joint_ends.c, joint_pair_row.c) ----------------------------------------

// Rows and positions of all joints at the state last set.
void joints_evaluate(SpragSystem *system);
// Number of rows that a joint has, and how many of them are normals of bearings.
void joint_count_rows(const SpragModel *model, const SpragJoint *joint, JointItem *item);
// Where the bodies stand now the second end of a joint agrees with its first.
void joint_take_place(SpragSystem *system, int joint);
// Place and axes of an end in the world.
void joint_end(const SpragSystem *system, int joint, int side, SpragVec3 *place, SpragMat3 *axes);
// Whether axes that must agree point the opposite way.
bool joint_is_flipped(const SpragSystem *system, int joint);
// Rows of a bushing's deformations (three in the plane, six in space); returns their number.
int joint_bushing(const SpragSystem *system, int joint, PairRow rows[SPACE_VELOCITIES]);
// The value of an angle nearest to a wanted one.
double nearest_turn(double angle, double wanted);
// Tangent row k of a bearing of a joint.
void joint_tangent(const SpragSystem *system, int joint, int bearing, int k, PairRow *tangent);
// Number of normals that a bearing of a joint has for itself.
static inline int bearing_normals(const JointItem *item, int bearing)
{
    int end = bearing + 1 < item->bearings ? item->bearing_row[bearing + 1] : item->normal_count;
    return end - item->bearing_row[bearing];
}
// The bearing that row `row` of a joint is a normal of; −1: none.
static inline int bearing_of_row(const JointItem *item, int row)
{
    if (row >= item->normal_count)
        return -1;
    return item->bearings == 2 && row >= item->bearing_row[1] ? 1 : 0;
}

// Row · v (velocity_count), and its entries into a dense row.
double pair_row_dot(const SpragSystem *system, const PairRow *row, const double *v);
void pair_row_dense(const SpragSystem *system, const PairRow *row, double *dense);
// target += factor × weighted row
void pair_row_add(const SpragSystem *system, const PairRow *row, double factor, double *target);
// weighted = M⁻¹ entries.
void pair_row_weigh(const SpragSystem *system, PairRow *row);

// ---- Whole turns (joint_turns.c)
// -----------------------------------------------------------------

bool joint_counts_turns(const SpragModel *model, const SpragJoint *joint);
// Takes those of q as the state.
void turns_set(SpragSystem *system, const double *q);
// Begins to count: the angle at q that is nearest to a wanted one, or else lies within the limits.
void turns_begin(SpragSystem *system, int joint, double wanted, double *q);

// ---- Elimination (joint_gram.c, joint_eliminate.c) ----------------------------------------------

// G of rows listed by `list` (NULL: 0, 1 …), which are weighted. order: 4 m numbers, for
// gram_factor; the last m say where the rows of G end.
void gram_build(const SpragSystem *system, int m, const int *list, const PairRow *rows, int *order,
                double *G);
// Cholesky of G (m × m) with pivoting: pivots in the order given as long as these are clear; rows
// of which no more than `dependent` is left are left out. The first `prior` rows come before all
// others, which are left out where they contradict these. whole: the diagonal of G; returns the
// rank. order: the pivots, then for gram_solve where each row of L begins and each column ends.
int gram_factor(int m, int prior, double *G, const double *whole, double dependent, int *order);
void gram_solve(int m, const double *G, int rank, const int *order, const double *r, double *x);

// Marks rows (all of them) that repeat what others of their group say at the state last set, where
// some did so at the start.
void joints_mark_repeats(SpragSystem *system, SpragJointRow *rows);
// Rows, their factors and the redundancy at the state last set.
void joints_prepare(SpragSystem *system);
// vector −= M⁻¹Eᵀ (E M⁻¹ Eᵀ)⁺ (E vector + bias of the rows, if biased). Multipliers stay in x of
// Joints, in the order of rows: forces of the rows are −x.
void joints_eliminate(SpragSystem *system, bool biased, double *vector);
// The same multipliers of least size where rows repeat each other.
SpragStatus joints_multipliers(SpragSystem *system, double *vector, double *x);
// The least velocity that drives ask for: E z = drift (velocity_count); false: nothing drifts.
bool joints_drift(SpragSystem *system, double *z);
// Power that the multipliers found last take from drives.
double joints_drive_power(const SpragSystem *system);
// M̃⁻¹ of a group (size × size).
SpragStatus joints_block(SpragSystem *system, int group, double *matrix);
// Finds which joints repeat what others say.
SpragStatus joints_find_redundancy(SpragSystem *system);

// ---- Everything else ----------------------------------------------------------------------------

// joint_create.c: groups and the numbering of coordinates; contacts of joints.
SpragStatus joints_create(SpragSystem *system);
void joints_destroy(SpragSystem *system);
// The model's numbers once the bodies have their coordinates.
SpragStatus joints_take(SpragSystem *system);

// joint_contact.c
void joint_contact_evaluate(SpragSystem *system, int contact, Evaluation *evaluation);
// The same where rows are evaluated already; only reads.
void joint_contact_read(const SpragSystem *system, int contact, Evaluation *evaluation);
double joint_contact_gap(SpragSystem *system, int contact);
// Contacts of joints and the slots that the collider calls near.
SpragStatus joints_list_near(SpragSystem *system);

// joint_force.c: springs, dampers, loads on joints and controllers.
void joints_add_force(SpragSystem *system, double *force);
double joints_elastic(SpragSystem *system);
void joints_add_power(SpragSystem *system, SpragSystemPower *power);
// Force along a joint's first position of springs, dampers, loads and controllers.
double joint_force_along(SpragSystem *system, int joint);
// Largest acceleration that these give, m/s².
double joints_acceleration_scale(SpragSystem *system);

// force += factor × row
void joint_add_row(const SpragSystem *system, const PairRow *row, double factor, double *force);

// joint_soft.c: compliant normals of bearings.
// Whether row `row` of a joint (counted from its first) is one.
bool joint_row_is_soft(const Joints *joints, int joint, int row);
// What is different in the evaluation of a soft bearing.
void soft_bearing_read(const SpragSystem *system, const JointContact *contact,
                       Evaluation *evaluation);
// How much of a unit of friction the layer carries, and the layer that the scene gives.
double joint_friction_share(const SpragSystem *system, int contact);
void joint_layer(const SpragSystem *system, int contact, SpragCompliance *layer);
void soft_bearings_add_force(SpragSystem *system, double *force);
double soft_bearings_elastic(const SpragSystem *system);
void soft_bearings_add_power(const SpragSystem *system, SpragSystemPower *power);
// Forces of the joint's own rows from those of the contact problem, and these rows.
void soft_bearing_forces(const SpragSystem *system, int contact, const double *given,
                         double *force);
void soft_bearing_rows(const SpragSystem *system, int contact, PairRow rows[JOINT_ROWS]);

// joint_state.c: power of drives under contact forces.
SpragStatus joints_power_of_drives(SpragSystem *system, double t, const double *q, const double *v,
                                   int count, const int *contacts, const double *lambda,
                                   SpragSystemPower *power);

// joint_project.c
SpragStatus joints_project_gaps(SpragSystem *system, double t, int count, const int *contacts,
                                const double *gaps, double *q, double *residual);
SpragStatus joints_project_velocity(SpragSystem *system, double t, const double *q, int count,
                                    const int *contacts, const bool *stick, double *v,
                                    double *residual);

#endif

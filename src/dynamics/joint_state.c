// joint_state.c: joints at a state: positions, errors and reactions; rows for who carries them.
// Problem   the force of a joint on its second body is that of its rows, −Eᵀx, with the multipliers
//           x of theory.md (1.8) under all forces, of its bearings, limits, springs and drives
#include <math.h>
#include <string.h>

#include "joint_private.h"

// Contacts with their forces.
typedef struct Pressing {
    int count;
    const int *contacts;
    const double *lambda;
} Pressing;

// ---- Reactions ----------------------------------------------------------------------------------

// What a row with a force does to the second body: at the place of the second end.
static void add_reaction(const SpragSystem *system, const PairRow *row, SpragVec3 arm, double force,
                         SpragJointState *state)
{
    const double *entries = row->entries[1];
    bool space = is_spatial(system);
    SpragVec3 f = sprag_vec3(entries[0], entries[1], space ? entries[2] : 0);
    SpragVec3 m = space ? sprag_vec3_of(entries + 3) : sprag_vec3(0, 0, entries[2]);
    m = sprag_vec3_sub(m, sprag_vec3_cross(arm, f));
    state->reaction = sprag_vec3_along(state->reaction, force, f);
    state->moment = sprag_vec3_along(state->moment, force, m);
}

// From the centre of the second body to its end (of the world: from the origin).
static SpragVec3 second_arm(const SpragSystem *system, int joint)
{
    int body = system->model->joints[joint].ends[1].body;
    SpragVec3 local = system->joints->items[joint].local[1];
    if (body == SPRAG_WORLD)
        return local;
    if (is_spatial(system))
        return sprag_mat3_apply(&system->poses[body].R, local);
    const SpragFrame *frame = &system->frames[body];
    return sprag_vec3_raise(sprag_vec2_turn(sprag_vec3_flat(local), frame->cosine, frame->sine));
}

static void add_bushing(const SpragSystem *system, int index, SpragVec3 arm, SpragJointState *state)
{
    const SpragJoint *joint = &system->model->joints[index];
    PairRow rows[SPACE_VELOCITIES];
    int count = joint_bushing(system, index, rows);
    for (int k = 0; k < count; k++)
        add_reaction(system, &rows[k], arm,
                     -joint->stiffness[k] * (rows[k].value - joint->rest[k]) -
                         joint->damping[k] * rows[k].rate,
                     state);
}

static void fill_state(SpragSystem *system, int index, const double *x, SpragJointState *state)
{
    Joints *joints = system->joints;
    const SpragJoint *joint = &system->model->joints[index];
    const JointItem *item = &joints->items[index];
    SpragVec3 arm = second_arm(system, index);
    *state = (SpragJointState){.force = joint_force_along(system, index)};
    for (int k = 0; k < 2; k++) {
        state->position[k] = joints->positions[index][k].value;
        state->velocity[k] = joints->positions[index][k].rate;
    }
    if (joint->kind == SPRAG_JOINT_WELD && joint->sprung)
        add_bushing(system, index, arm, state);
    if (state->force != 0)
        add_reaction(system, &joints->positions[index][0], arm, state->force, state);
    for (int r = item->row; r < item->row + item->row_count; r++) {
        double scale = joints->rows[r].angle ? system->size : 1;
        state->error = fmax(state->error, scale * fabs(joints->rows[r].value));
        add_reaction(system, &joints->rows[r], arm, -x[r], state);
    }
    if (joint->driven) // its row is the last one
        state->force -= x[item->row + item->row_count - 1];
}

// Forces of contacts of joints: bearings and limits.
static void add_contact(SpragSystem *system, int contact, const double *lambda,
                        SpragJointState *states)
{
    Evaluation evaluation;
    int joint = system->joints->contacts[contact].joint;
    joint_contact_evaluate(system, contact, &evaluation);
    if (system->joints->contacts[contact].soft) {
        PairRow rows[JOINT_ROWS];
        double force[MOST_ROWS];
        soft_bearing_rows(system, contact, rows);
        soft_bearing_forces(system, contact, lambda, force);
        for (int r = 0; r < evaluation.row_count; r++)
            add_reaction(system, &rows[r], second_arm(system, joint), force[r], &states[joint]);
        return;
    }
    for (int r = 0; r < evaluation.row_count; r++) {
        PairRow row;
        memcpy(row.entries[1], evaluation.entries[r][1], sizeof row.entries[1]);
        add_reaction(system, &row, second_arm(system, joint), lambda[r], &states[joint]);
    }
}

// Multipliers of all joint rows (row_count) under contact forces, at (t, q, v).
static SpragStatus find_multipliers(SpragSystem *system, double t, const double *q, const double *v,
                                    const Pressing *pressing, double **multipliers)
{
    Joints *joints = system->joints;
    size_t n = (size_t)system->velocity_count;
    SPRAG_TRY(sprag_reserve(system->context, &joints->scratch, &joints->scratch_capacity,
                            3 * n + (size_t)joints->row_count + 1, sizeof *joints->scratch));
    double *a = joints->scratch, *force = a + n, *sum = force + n;
    *multipliers = sum + n;
    SPRAG_TRY(sprag_system_contact_force(system, t, q, v, pressing->count, pressing->contacts,
                                         pressing->lambda, sum));
    model_set_state(system, t, q, v);
    model_force(system, force);
    for (size_t i = 0; i < n; i++)
        sum[i] += force[i];
    bodies_apply(system, sum, a);
    return joints_multipliers(system, a, *multipliers);
}

SpragStatus sprag_system_joints(SpragSystem *system, double t, const double *q, const double *v,
                                int count, const int *contacts, const double *lambda,
                                SpragJointState *states)
{
    Joints *joints = system->joints;
    Pressing pressing = {count, contacts, lambda};
    double *x;
    if (!joints)
        return SPRAG_OK;
    SPRAG_TRY(find_multipliers(system, t, q, v, &pressing, &x));
    for (int i = 0; i < joints->count; i++)
        fill_state(system, i, x, &states[i]);
    for (int i = 0, row = 0; i < count; i++) {
        if (contacts[i] < system->joint_contacts)
            add_contact(system, contacts[i], lambda + row, states);
        row += contact_rows(system, contacts[i]);
    }
    return SPRAG_OK;
}

SpragStatus sprag_system_joints_given(SpragSystem *system, double t, const double *q,
                                      const double *v, const double *row_force,
                                      SpragJointState *states)
{
    Joints *joints = system->joints;
    if (!joints)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(system->context, &joints->scratch, &joints->scratch_capacity,
                            (size_t)joints->row_count + 1, sizeof *joints->scratch));
    model_set_state(system, t, q, v);
    joints_evaluate(system);
    for (int i = 0; i < joints->row_count; i++)
        joints->scratch[i] = -row_force[i];
    for (int i = 0; i < joints->count; i++)
        fill_state(system, i, joints->scratch, &states[i]);
    return SPRAG_OK;
}

void sprag_system_joints_add(SpragSystem *system, int contact, const double *force,
                             SpragJointState *states)
{
    if (system->joints && contact < system->joint_contacts)
        add_contact(system, contact, force, states);
}

SpragStatus joints_power_of_drives(SpragSystem *system, double t, const double *q, const double *v,
                                   int count, const int *contacts, const double *lambda,
                                   SpragSystemPower *power)
{
    Joints *joints = system->joints;
    Pressing pressing = {count, contacts, lambda};
    bool any = false;
    double *x;
    model_set_state(system, t, q, v);
    joints_evaluate(system);
    for (int i = 0; i < joints->row_count; i++)
        any = any || joints->rows[i].drift != 0;
    if (!any)
        return SPRAG_OK;
    SPRAG_TRY(find_multipliers(system, t, q, v, &pressing, &x));
    for (int i = 0; i < joints->row_count; i++)
        power->load += x[i] * joints->rows[i].drift;
    return SPRAG_OK;
}

const char *sprag_system_redundancy(const SpragSystem *system)
{
    return system->joints && system->joints->redundancy ? system->joints->redundancy : "";
}

// ---- Rows ---------------------------------------------------------------------------------------

int sprag_system_joint_row_count(const SpragSystem *system)
{
    return system->joints ? system->joints->row_count : 0;
}

SpragStatus sprag_system_joint_rows(SpragSystem *system, double t, const double *q, const double *v,
                                    SpragJointRow *rows)
{
    Joints *joints = system->joints;
    if (!joints)
        return SPRAG_OK;
    double *still = sprag_alloc(system->context, (size_t)system->velocity_count + 1, sizeof *still);
    if (!still)
        return SPRAG_ERROR_MEMORY;
    model_set_state(system, t, q, v ? v : still);
    joints_evaluate(system);
    sprag_free(system->context, still);
    for (int j = 0; j < joints->count; j++) {
        const JointItem *item = &joints->items[j];
        for (int r = 0; r < item->row_count; r++) {
            const PairRow *row = &joints->rows[item->row + r];
            SpragJointRow *out = &rows[item->row + r];
            *out = (SpragJointRow){.joint = j, .body = {-1, -1}};
            out->error = row->value;
            out->drift = row->drift;
            out->bias = row->bias;
            out->bearing = r < item->normal_count;
            for (int i = 0; i < 2; i++) {
                if (row->block[i] < 0)
                    continue;
                out->body[i] = system->model->joints[j].ends[i].body;
                memcpy(out->entries[i], row->entries[i],
                       (size_t)body_size(system) * sizeof(double));
            }
        }
    }
    joints_mark_repeats(system, rows);
    return SPRAG_OK;
}

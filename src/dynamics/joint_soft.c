// joint_soft.c: bearings whose normals are compliant, theory.md 9.2, 9.3 and 9.5.
// Problem   F_k = −K e_k − C e_k' along the normals of a bearing, e their errors; friction of the
//           bearing follows F
// Method    F acts as a load of the bodies. What stays of the bearing in contact problems are its
//           tangent, and for each normal a coordinate of its own with the acceleration c (λ − F):
//           its force is F whatever else happens, so that friction is the only question left, as
//           theory.md (9.27) wants it
// Thread    the layer of a screw lies along its axis behind the thread, theory.md (9.18): it
//           carries the axial part of friction too. With T' = T − τ N, which is a turn alone, and F
//           the force of the layer per N, λN = F − τ λT, and |λT| ≤ μ |λN| becomes
//           |λT − c F| ≤ h |F| with c = −μ²τ/(1 − μ²τ²), h = μ/(1 − μ²τ²), which (9.15) makes
//           positive
#include <math.h>
#include <string.h>

#include "joint_private.h"

bool joint_row_is_soft(const Joints *joints, int joint, int row)
{
    const JointItem *item = &joints->items[joint];
    int bearing = bearing_of_row(item, row);
    return bearing >= 0 && joints->contacts[item->contact + bearing].soft;
}

// τ: how much of a unit of the tangent lies along the layer; only a thread's does.
static double share_of(const SpragJoint *joint)
{
    if (joint->kind != SPRAG_JOINT_SCREW || !(joint->radius > 0))
        return 0;
    double l = joint->lead / (2 * 3.14159265358979323846);
    return l / joint->radius / cos(joint->thread_angle);
}

static double shifted(double mu, double share)
{
    return -mu * mu * share / (1 - mu * mu * share * share);
}

static double widened(double mu, double share)
{
    return mu / (1 - mu * mu * share * share);
}

// Rows of a bearing's normals.
static const PairRow *normals_of(const Joints *joints, const JointContact *contact, int *count)
{
    const JointItem *item = &joints->items[contact->joint];
    *count = bearing_normals(item, contact->bearing);
    return joints->rows + item->row + item->bearing_row[contact->bearing];
}

static double layer_force(const JointContact *contact, const PairRow *row)
{
    return -contact->stiffness * row->value - contact->damping * row->rate;
}

static double own_inverse_mass(const SpragSystem *system, const PairRow *row)
{
    PairRow copy = *row;
    double inverse = 0;
    int order[4];
    pair_row_weigh(system, &copy);
    gram_build(system, 1, NULL, &copy, order, &inverse);
    return inverse > 0 ? inverse : 1;
}

double sprag_system_bearing_inverse(const SpragSystem *system, int contact, int normal)
{
    int count;
    return own_inverse_mass(
        system, &normals_of(system->joints, &system->joints->contacts[contact], &count)[normal]);
}

static void subtract_row(const PairRow *row, double factor, PairRow *from)
{
    from->rate -= factor * row->rate;
    from->drift -= factor * row->drift;
    from->bias -= factor * row->bias;
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; k < SPACE_VELOCITIES; k++)
            from->entries[i][k] -= factor * row->entries[i][k];
}

// T', the k-th.
static void soft_tangent(const SpragSystem *system, const JointContact *contact, int k,
                         PairRow *tangent)
{
    int count;
    double share = share_of(&system->model->joints[contact->joint]);
    const PairRow *rows = normals_of(system->joints, contact, &count);
    joint_tangent(system, contact->joint, contact->bearing, k, tangent);
    if (share != 0)
        subtract_row(&rows[0], share, tangent);
}

void soft_bearing_read(const SpragSystem *system, const JointContact *contact,
                       Evaluation *evaluation)
{
    int count;
    const PairRow *rows = normals_of(system->joints, contact, &count);
    double share = share_of(&system->model->joints[contact->joint]);
    evaluation->pressed = count;
    for (int k = 0; k < count; k++) {
        evaluation->weight[k] = own_inverse_mass(system, &rows[k]);
        evaluation->press[k] = layer_force(contact, &rows[k]);
        evaluation->bias[k] = -evaluation->weight[k] * evaluation->press[k];
        memset(evaluation->entries[k], 0, sizeof evaluation->entries[k]);
    }
    evaluation->normal_drift = 0;
    memset(evaluation->further_drift, 0, sizeof evaluation->further_drift);
    for (int k = 0; k < system->joints->items[contact->joint].tangents; k++) {
        PairRow tangent;
        soft_tangent(system, contact, k, &tangent);
        memcpy(evaluation->entries[count + k], tangent.entries, sizeof tangent.entries);
        evaluation->bias[count + k] = tangent.bias;
        evaluation->slip_drift[k] = tangent.drift;
        evaluation->slip[k] = tangent.rate;
    }
    evaluation->friction_static = widened(evaluation->friction_static, share);
    evaluation->friction_kinetic = widened(evaluation->friction_kinetic, share);
}

// c of a thread with the friction of its slip.
static double shift_of(const SpragJoint *joint)
{
    double share = share_of(joint);
    return share > 0 || share < 0 ? shifted(joint->friction.kinetic, share) : 0;
}

void soft_bearings_add_force(SpragSystem *system, double *force)
{
    const Joints *joints = system->joints;
    for (int i = 0; i < joints->contact_count; i++) {
        const JointContact *contact = &joints->contacts[i];
        int count;
        if (!contact->soft)
            continue;
        const PairRow *rows = normals_of(joints, contact, &count);
        for (int k = 0; k < count; k++)
            joint_add_row(system, &rows[k], layer_force(contact, &rows[k]), force);
        double shift = shift_of(&system->model->joints[contact->joint]);
        if (shift == 0)
            continue;
        PairRow tangent;
        soft_tangent(system, contact, 0, &tangent);
        joint_add_row(system, &tangent, shift * layer_force(contact, &rows[0]), force);
    }
}

double soft_bearings_elastic(const SpragSystem *system)
{
    const Joints *joints = system->joints;
    double sum = 0;
    for (int i = 0; i < joints->contact_count; i++) {
        const JointContact *contact = &joints->contacts[i];
        int count;
        if (!contact->soft)
            continue;
        const PairRow *rows = normals_of(joints, contact, &count);
        for (int k = 0; k < count; k++)
            sum += contact->stiffness * rows[k].value * rows[k].value / 2;
    }
    return sum;
}

void soft_bearings_add_power(const SpragSystem *system, SpragSystemPower *power)
{
    const Joints *joints = system->joints;
    for (int i = 0; i < joints->contact_count; i++) {
        const JointContact *contact = &joints->contacts[i];
        int count;
        if (!contact->soft)
            continue;
        const PairRow *rows = normals_of(joints, contact, &count);
        for (int k = 0; k < count; k++) {
            power->damping += contact->damping * rows[k].rate * rows[k].rate;
            power->load -= layer_force(contact, &rows[k]) * rows[k].drift;
        }
        double shift = shift_of(&system->model->joints[contact->joint]);
        if (shift == 0)
            continue;
        PairRow tangent;
        soft_tangent(system, contact, 0, &tangent);
        double friction = shift * layer_force(contact, &rows[0]);
        power->friction -= friction * tangent.rate;
        power->load -= friction * tangent.drift;
    }
}

// λ of the rows N and T from what a contact problem has instead: F of the layers, and λT − c F.
void soft_bearing_forces(const SpragSystem *system, int number, const double *given, double *force)
{
    const JointContact *contact = &system->joints->contacts[number];
    const SpragJoint *joint = &system->model->joints[contact->joint];
    int rows = joint_contact_rows(system, number);
    memcpy(force, given, (size_t)rows * sizeof *force);
    if (!contact->soft || rows != 2)
        return;
    force[1] += shift_of(joint) * given[0];
    force[0] -= share_of(joint) * force[1];
}

void soft_bearing_rows(const SpragSystem *system, int number, PairRow rows[JOINT_ROWS])
{
    const JointContact *contact = &system->joints->contacts[number];
    int count;
    const PairRow *normals = normals_of(system->joints, contact, &count);
    memcpy(rows, normals, (size_t)count * sizeof *rows);
    for (int k = 0; k < system->joints->items[contact->joint].tangents; k++)
        joint_tangent(system, contact->joint, contact->bearing, k, &rows[count + k]);
}

double joint_friction_share(const SpragSystem *system, int contact)
{
    return share_of(&system->model->joints[system->joints->contacts[contact].joint]);
}

void joint_layer(const SpragSystem *system, int contact, SpragCompliance *layer)
{
    double scale = sprag_system_bearing_scale(system, contact);
    *layer = system->model->joints[system->joints->contacts[contact].joint].compliance;
    layer->stiffness *= scale;
    layer->damping *= scale;
}

// ---- From outside -------------------------------------------------------------------------------

void sprag_system_soften(SpragSystem *system, int contact, const SpragBearingLayer *layer)
{
    JointContact *item = &system->joints->contacts[contact];
    item->soft = layer != NULL;
    item->stiffness = layer ? layer->stiffness : 0;
    item->damping = layer ? layer->damping : 0;
    memset(item->offset, 0, sizeof item->offset);
}

bool sprag_system_is_soft(const SpragSystem *system, int contact)
{
    return contact < system->joint_contacts && system->joints->contacts[contact].soft;
}

void sprag_system_offset_bearing(SpragSystem *system, int contact, const double *offset)
{
    JointContact *item = &system->joints->contacts[contact];
    for (int k = 0; k < sprag_system_contact_normals(system, contact); k++)
        item->offset[k] = offset ? offset[k] : 0;
}

SpragStatus sprag_system_bearing_errors(SpragSystem *system, double t, const double *q,
                                        const double *v, int contact,
                                        double error[SPRAG_CONSTRAINT_WAYS],
                                        double rate[SPRAG_CONSTRAINT_WAYS])
{
    int count;
    model_set_state(system, t, q, v);
    joints_evaluate(system);
    const PairRow *rows = normals_of(system->joints, &system->joints->contacts[contact], &count);
    for (int k = 0; k < SPRAG_CONSTRAINT_WAYS; k++) {
        error[k] = k < count ? rows[k].value : 0;
        rate[k] = k < count ? rows[k].rate : 0;
    }
    return SPRAG_OK;
}

double sprag_system_bearing_scale(const SpragSystem *system, int contact)
{
    const SpragJoint *joint = &system->model->joints[system->joints->contacts[contact].joint];
    if (joint->kind != SPRAG_JOINT_SCREW || !(joint->radius > 0))
        return 1;
    double l = joint->lead / (2 * 3.14159265358979323846);
    double factor = cos(joint->thread_angle) * cos(atan(l / joint->radius));
    return 1 / (factor * factor);
}

void sprag_system_bearing_forces(const SpragSystem *system, int contact, double *force)
{
    double real[MOST_ROWS];
    if (!sprag_system_is_soft(system, contact))
        return;
    soft_bearing_forces(system, contact, force, real);
    memcpy(force, real, (size_t)joint_contact_rows(system, contact) * sizeof *force);
}

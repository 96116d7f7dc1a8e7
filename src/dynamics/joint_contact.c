// joint_contact.c: what stays of joints in contact problems: limits and friction.
// Problem   a limit is a contact of one row with gap position − least or largest − position; a
//           bearing has the joint's normals as rows that are not eliminated, and tangents,
//           theory.md 9.5
#include <math.h>
#include <string.h>

#include "joint_private.h"

static const SpragFrictionLaw COULOMB = {.kind = SPRAG_FRICTION_COULOMB};

static void copy_row(const PairRow *row, double sign, int r, Evaluation *evaluation)
{
    evaluation->bias[r] = sign * row->bias;
    for (int side = 0; side < SPRAG_ROW_BLOCKS; side++) {
        evaluation->block[side] = row->block[side];
        for (int k = 0; k < SPACE_VELOCITIES; k++)
            evaluation->entries[r][side][k] = sign * row->entries[side][k];
    }
}

static void evaluate_limit(const SpragSystem *system, const JointContact *contact,
                           Evaluation *evaluation)
{
    const Joints *joints = system->joints;
    const PairRow *position = &joints->positions[contact->joint][0];
    const double *limits = system->model->joints[contact->joint].limits;
    evaluation->gap = contact->side > 0 ? position->value - limits[0] : limits[1] - position->value;
    evaluation->gap_rate = contact->side * position->rate;
    evaluation->normal_drift = contact->side * position->drift;
    evaluation->row_count = evaluation->normals = 1;
    evaluation->angle = position->angle;
    copy_row(position, contact->side, 0, evaluation);
}

static void evaluate_bearing(const SpragSystem *system, const JointContact *contact,
                             Evaluation *evaluation)
{
    const Joints *joints = system->joints;
    const SpragJoint *joint = &system->model->joints[contact->joint];
    const JointItem *item = &joints->items[contact->joint];
    int normals = bearing_normals(item, contact->bearing);
    const PairRow *rows = joints->rows + item->row + item->bearing_row[contact->bearing];
    for (int r = 0; r < normals; r++)
        copy_row(&rows[r], 1, r, evaluation);
    for (int k = 0; k < item->tangents; k++) {
        PairRow tangent;
        joint_tangent(system, contact->joint, contact->bearing, k, &tangent);
        copy_row(&tangent, 1, normals + k, evaluation);
        evaluation->slip_drift[k] = tangent.drift;
        evaluation->slip[k] = tangent.rate;
    }
    for (int k = 0; item->tangents == 3 && k < 3; k++) { // the axes that a ball's slip is along
        SpragVec3 place;
        SpragMat3 axes;
        joint_end(system, contact->joint, 0, &place, &axes);
        evaluation->tangent[k] = sprag_mat3_column(&axes, k);
    }
    evaluation->row_count = normals + item->tangents;
    evaluation->normals = normals;
    evaluation->normal_drift = rows[0].drift;
    for (int k = 1; k < normals; k++)
        evaluation->further_drift[k - 1] = rows[k].drift;
    evaluation->friction_static = joint->friction.stationary;
    evaluation->friction_kinetic = joint->friction.kinetic;
    evaluation->stribeck = joint->friction.stribeck;
    if (contact->soft)
        soft_bearing_read(system, contact, evaluation);
}

// The place of a joint, for whoever draws it.
static SpragVec3 place_of(const SpragSystem *system, int joint)
{
    const SpragPlace *end = &system->model->joints[joint].ends[0];
    if (end->body == SPRAG_WORLD)
        return end->local;
    if (is_spatial(system)) {
        const SpragPose *pose = &system->poses[end->body];
        return sprag_vec3_add(pose->x, sprag_mat3_apply(&pose->R, end->local));
    }
    const SpragFrame *frame = &system->frames[end->body];
    return sprag_vec3_raise(sprag_vec2_add(
        frame->x, sprag_vec2_turn(sprag_vec3_flat(end->local), frame->cosine, frame->sine)));
}

void joint_contact_evaluate(SpragSystem *system, int number, Evaluation *evaluation)
{
    joints_evaluate(system);
    joint_contact_read(system, number, evaluation);
}

void joint_contact_read(const SpragSystem *system, int number, Evaluation *evaluation)
{
    const JointContact *contact = &system->joints->contacts[number];
    memset(evaluation, 0, sizeof *evaluation);
    evaluation->law = &COULOMB;
    evaluation->point = place_of(system, contact->joint);
    if (contact->kind == SPRAG_CONSTRAINT_LIMIT)
        evaluate_limit(system, contact, evaluation);
    else
        evaluate_bearing(system, contact, evaluation);
}

double joint_contact_gap(SpragSystem *system, int number)
{
    Evaluation evaluation;
    joint_contact_evaluate(system, number, &evaluation);
    return evaluation.gap;
}

// ---- Contacts and slots -------------------------------------------------------------------------

int sprag_system_joint_contact_count(const SpragSystem *system)
{
    return system->joint_contacts;
}

SpragConstraintKind sprag_system_contact_kind(const SpragSystem *system, int contact)
{
    if (contact < system->joint_contacts)
        return system->joints->contacts[contact].kind;
    return system->model ? SPRAG_CONSTRAINT_CONTACT : system->contacts[contact].kind;
}

int sprag_system_contact_normals(const SpragSystem *system, int contact)
{
    if (contact >= system->joint_contacts ||
        system->joints->contacts[contact].kind == SPRAG_CONSTRAINT_LIMIT)
        return 1;
    const JointContact *own = &system->joints->contacts[contact];
    return bearing_normals(&system->joints->items[own->joint], own->bearing);
}

int sprag_system_contact_shared(const SpragSystem *system, int contact)
{
    if (contact >= system->joint_contacts)
        return -1;
    const JointContact *own = &system->joints->contacts[contact];
    bool cross = system->model->joints[own->joint].kind == SPRAG_JOINT_UNIVERSAL;
    return own->kind == SPRAG_CONSTRAINT_BEARING && cross && own->bearing == 1 ? contact - 1 : -1;
}

int sprag_system_contact_tangents(const SpragSystem *system, int contact)
{
    return contact_rows(system, contact) - sprag_system_contact_normals(system, contact);
}

int joint_contact_rows(const SpragSystem *system, int contact)
{
    const JointContact *own = &system->joints->contacts[contact];
    bool limit = own->kind == SPRAG_CONSTRAINT_LIMIT;
    return limit ? 1
                 : sprag_system_contact_normals(system, contact) +
                       system->joints->items[own->joint].tangents;
}

int sprag_system_contact_joint(const SpragSystem *system, int contact)
{
    return contact < system->joint_contacts ? system->joints->contacts[contact].joint : -1;
}

const SpragSlot *sprag_system_slot(const SpragSystem *system, int contact)
{
    int slot = sprag_system_contact_slot(system, contact);
    return slot < 0 ? NULL : sprag_collider_slot(system->collider, slot);
}

int sprag_system_contact_slot(const SpragSystem *system, int contact)
{
    return !system->model || contact < system->joint_contacts ? -1
                                                              : contact - system->joint_contacts;
}

int sprag_system_slot_contact(const SpragSystem *system, int slot)
{
    return slot < 0 ? -1 : slot + system->joint_contacts;
}

SpragStatus joints_list_near(SpragSystem *system)
{
    Joints *joints = system->joints;
    const int *slots;
    int count = sprag_collider_near(system->collider, &slots);
    SPRAG_TRY(sprag_reserve(system->context, &joints->near, &joints->near_capacity,
                            (size_t)(count + joints->contact_count), sizeof *joints->near));
    for (int i = 0; i < joints->contact_count; i++)
        joints->near[i] = i;
    for (int i = 0; i < count; i++)
        joints->near[joints->contact_count + i] = joints->contact_count + slots[i];
    joints->near_count = joints->contact_count + count;
    return SPRAG_OK;
}

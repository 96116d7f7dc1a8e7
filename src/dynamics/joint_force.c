// joint_force.c: forces along joints: springs and dampers, loads, controllers, bushings.
// Problem   a force Q along a position acts on the bodies as Q P, P the position's row; its power
//           is Q times the rate of the position, of which what a driven body takes comes from the
//           drive, theory.md (1.10)
#include <math.h>

#include "joint_private.h"

// ---- Loads and controllers ----------------------------------------------------------------------

static double load_along(const SpragSystem *system, const SpragLoad *load)
{
    SpragJointKind kind = system->model->joints[load->joint].kind;
    bool straight = kind == SPRAG_JOINT_PRISMATIC || kind == SPRAG_JOINT_DISTANCE;
    double value;
    if (!load->varies)
        return straight ? load->force[0] : load->torque;
    sprag_time_value_evaluate(straight ? &load->force_over[0] : &load->moment_over[2], system->time,
                              0, &value);
    return value;
}

// What a controller wants at the state last set.
static double control(const SpragSystem *system, const SpragController *item, double integral)
{
    const PairRow *position = &system->joints->positions[item->joint][0];
    double t = system->time, target[2], forward, value = position->value, u;
    if (item->callback) {
        u = item->callback(t, value, position->rate, item->user);
    } else {
        sprag_time_value_evaluate(&item->target, t, 1, target);
        sprag_time_value_evaluate(&item->forward, t, 0, &forward);
        u = item->kp * (target[0] - value) + item->kd * (target[1] - position->rate) +
            item->ki * integral + forward;
    }
    return fmin(fmax(u, -item->limit), item->limit);
}

static double controls_along(const SpragSystem *system, int joint)
{
    const SpragModel *model = system->model;
    double sum = 0;
    for (int i = 0; i < model->controller_count; i++) {
        const SpragController *item = &model->controllers[i];
        if (item->joint == joint)
            sum += item->every > 0 ? system->joints->controls[i] : control(system, item, 0);
    }
    return sum;
}

static double loads_along(const SpragSystem *system, int joint)
{
    const SpragModel *model = system->model;
    double sum = 0;
    for (int i = 0; system->has_loads_on_joint && i < model->load_count; i++)
        if (model->loads[i].on_joint && model->loads[i].joint == joint)
            sum += load_along(system, &model->loads[i]);
    return sum;
}

static bool is_bushing(const SpragJoint *joint)
{
    return joint->kind == SPRAG_JOINT_WELD && joint->sprung;
}

static double spring_along(const SpragJoint *joint, const PairRow *position)
{
    return joint->sprung ? -joint->stiffness[0] * (position->value - joint->rest[0]) -
                               joint->damping[0] * position->rate
                         : 0;
}

double joint_force_along(SpragSystem *system, int joint)
{
    const SpragJoint *given = &system->model->joints[joint];
    joints_evaluate(system);
    if (given->kind == SPRAG_JOINT_WELD)
        return 0;
    return spring_along(given, &system->joints->positions[joint][0]) + loads_along(system, joint) +
           controls_along(system, joint);
}

// ---- Forces -------------------------------------------------------------------------------------

void joint_add_row(const SpragSystem *system, const PairRow *row, double factor, double *force)
{
    int size = body_size(system);
    for (int i = 0; i < SPRAG_ROW_BLOCKS; i++)
        for (int k = 0; row->block[i] >= 0 && k < size; k++)
            force[size * row->block[i] + k] += factor * row->entries[i][k];
}

static double bushing_force(const SpragJoint *joint, const PairRow *row, int k)
{
    return -joint->stiffness[k] * (row->value - joint->rest[k]) - joint->damping[k] * row->rate;
}

static void add_bushing(const SpragSystem *system, int joint, double *force)
{
    PairRow rows[SPACE_VELOCITIES];
    int count = joint_bushing(system, joint, rows);
    for (int k = 0; k < count; k++)
        joint_add_row(system, &rows[k], bushing_force(&system->model->joints[joint], &rows[k], k),
                      force);
}

void joints_add_force(SpragSystem *system, double *force)
{
    Joints *joints = system->joints;
    joints_evaluate(system);
    for (int i = 0; i < joints->count; i++) {
        if (is_bushing(&system->model->joints[i]))
            add_bushing(system, i, force);
        double along = joint_force_along(system, i);
        if (along != 0)
            joint_add_row(system, &joints->positions[i][0], along, force);
    }
    soft_bearings_add_force(system, force);
}

// ---- Energies and powers ------------------------------------------------------------------------

static double stored(double stiffness, double stretch)
{
    return stiffness * stretch * stretch / 2;
}

double joints_elastic(SpragSystem *system)
{
    Joints *joints = system->joints;
    double sum = 0;
    joints_evaluate(system);
    for (int i = 0; i < joints->count; i++) {
        const SpragJoint *joint = &system->model->joints[i];
        if (is_bushing(joint)) {
            PairRow rows[SPACE_VELOCITIES];
            int count = joint_bushing(system, i, rows);
            for (int k = 0; k < count; k++)
                sum += stored(joint->stiffness[k], rows[k].value - joint->rest[k]);
        } else if (joint->sprung) {
            sum += stored(joint->stiffness[0], joints->positions[i][0].value - joint->rest[0]);
        }
    }
    return sum + soft_bearings_elastic(system);
}

static void add_bushing_power(const SpragSystem *system, int index, SpragSystemPower *power)
{
    PairRow rows[SPACE_VELOCITIES];
    const SpragJoint *joint = &system->model->joints[index];
    int count = joint_bushing(system, index, rows);
    for (int k = 0; k < count; k++) {
        power->damping += joint->damping[k] * rows[k].rate * rows[k].rate;
        power->load -= bushing_force(joint, &rows[k], k) * rows[k].drift;
    }
}

void joints_add_power(SpragSystem *system, SpragSystemPower *power)
{
    Joints *joints = system->joints;
    joints_evaluate(system);
    for (int i = 0; i < joints->count; i++) {
        const SpragJoint *joint = &system->model->joints[i];
        const PairRow *position = &joints->positions[i][0];
        if (joint->kind == SPRAG_JOINT_WELD) {
            if (joint->sprung)
                add_bushing_power(system, i, power);
            continue;
        }
        double active = loads_along(system, i) + controls_along(system, i);
        power->load += active * position->rate;
        power->load -= (active + spring_along(joint, position)) * position->drift;
        if (joint->sprung)
            power->damping += joint->damping[0] * position->rate * position->rate;
    }
    soft_bearings_add_power(system, power);
}

// A stretch of the size, or an angle of one, of springs; loads; controllers that far off.
double joints_acceleration_scale(SpragSystem *system)
{
    Joints *joints = system->joints;
    const SpragModel *model = system->model;
    double scale = 0;
    joints_evaluate(system);
    for (int i = 0; i < joints->count; i++) {
        const SpragJoint *joint = &model->joints[i];
        PairRow *row = &joints->positions[i][0];
        double unit = row->angle ? 1 : system->size, force = 0, softness = 0;
        if (joint->kind == SPRAG_JOINT_WELD)
            continue;
        if (joint->sprung)
            force = joint->stiffness[0] * unit;
        for (int k = 0; k < model->controller_count; k++)
            if (model->controllers[k].joint == i)
                force = fmax(force, fmin(fabs(model->controllers[k].kp) * unit,
                                         model->controllers[k].limit));
        force = fmax(force, fabs(loads_along(system, i)));
        pair_row_weigh(system, row);
        int order[4];
        gram_build(system, 1, NULL, row, order, &softness);
        scale = fmax(scale, force * softness * (row->angle ? system->size : 1));
    }
    return scale;
}

// ---- Controllers from outside -------------------------------------------------------------------

void sprag_system_set_controls(SpragSystem *system, const double *controls)
{
    for (int i = 0; system->joints && i < system->model->controller_count; i++)
        system->joints->controls[i] = controls[i];
}

void sprag_system_adopt_joints(SpragSystem *system, const SpragSystem *from)
{
    if (!system->joints)
        return;
    for (int i = 0; i < system->joints->count; i++) {
        JointItem *item = &system->joints->items[i];
        const JointItem *other = &from->joints->items[i];
        for (int side = 0; side < 2; side++) {
            item->local[side] = other->local[side];
            item->axes[side] = other->axes[side];
        }
        item->length = other->length;
        item->turn = other->turn;
        item->ready = other->ready;
    }
    system->joints->rows_valid = system->joints->factor_valid = false;
    sprag_system_set_controls(system, from->joints->controls);
}

SpragStatus sprag_system_controls(SpragSystem *system, double t, const double *q, const double *v,
                                  const double *integrals, double *controls)
{
    if (!system->joints)
        return SPRAG_OK;
    model_set_state(system, t, q, v);
    joints_evaluate(system);
    for (int i = 0; i < system->model->controller_count; i++) {
        const SpragController *item = &system->model->controllers[i];
        controls[i] = control(system, item, integrals ? integrals[i] : 0);
        if (!isfinite(controls[i]))
            return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                              "the controller of %s gave %g at t = %g",
                              system->model->joints[item->joint].name, controls[i], t);
    }
    return SPRAG_OK;
}

// machine.h: short ways to build models with joints in tests.
#ifndef SPRAG_TESTS_UNIT_DYNAMICS_MACHINE_H
#define SPRAG_TESTS_UNIT_DYNAMICS_MACHINE_H

#include "support/test.h"

typedef struct Machine {
    SpragContext *context;
    SpragModel *model;
    SpragSystem *system;
    double q[128], v[128];
} Machine;

static inline Machine machine_create(int dimension)
{
    Machine machine = {.context = test_context()};
    assert_ok(machine.context, sprag_model_create(machine.context, &machine.model));
    machine.model->dimension = dimension;
    if (dimension == 3) {
        machine.model->gravity[1] = 0;
        machine.model->gravity[2] = -9.81;
    }
    return machine;
}

static inline void machine_destroy(Machine *machine)
{
    sprag_system_destroy(machine->system);
    sprag_model_destroy(machine->model);
    sprag_context_destroy(machine->context);
}

// A body whose angle is given.
static inline int machine_body(Machine *machine, const char *name, double mass, double inertia,
                               double x, double y, double angle)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    SpragBody body = {.name = text, .mass = mass, .inertia = inertia, .angle = angle};
    body.orientation = (SpragQuaternion){1, 0, 0, 0};
    body.position[0] = x;
    body.position[1] = y;
    body.angle_given = true;
    for (int i = 0; i < 3; i++)
        body.tensor[i] = inertia;
    int index = -1;
    assert_ok(machine->context, sprag_model_add_body(machine->model, &body, &index));
    return index;
}

static inline SpragJoint machine_joint(SpragJointKind kind, char *name, int first, SpragVec3 at,
                                       int second, SpragVec3 to)
{
    SpragJoint joint = {.name = name, .kind = kind, .ends = {{first, at}, {second, to}}};
    joint.axes[0] = joint.axes[1] = sprag_mat3_identity();
    return joint;
}

static inline int machine_add(Machine *machine, const SpragJoint *joint)
{
    int index = -1;
    assert_ok(machine->context, sprag_model_add_joint(machine->model, joint, &index));
    return index;
}

static inline int machine_pin(Machine *machine, const char *name, int first, double x, double y,
                              int second, double u, double w)
{
    char text[64];
    snprintf(text, sizeof text, "%s", name);
    SpragJoint joint = machine_joint(SPRAG_JOINT_REVOLUTE, text, first, sprag_vec3(x, y, 0), second,
                                     sprag_vec3(u, w, 0));
    return machine_add(machine, &joint);
}

static inline void machine_build(Machine *machine)
{
    assert_ok(machine->context, sprag_system_create_model(machine->model, &machine->system));
    assert_true(sprag_system_position_count(machine->system) <= 128);
    sprag_system_initial(machine->system, machine->q, machine->v);
}

// Accelerations without contacts.
static inline void machine_accelerate(Machine *machine, double t, double *a)
{
    SpragSystemSample sample = {.free_acceleration = a};
    assert_ok(machine->context,
              sprag_system_sample(machine->system, t, machine->q, machine->v, 0, NULL, &sample));
}

#endif

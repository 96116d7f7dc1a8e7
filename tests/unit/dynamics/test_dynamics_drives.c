// What moves as told: driven bodies and joints, loads over time, controllers, limits, bearings:
// rows by differences, and the account of powers against the rate of energy.
#include "unit/collide/world.h"
#include "unit/dynamics/machine.h"

static void wave(double t, int order, double *value, const void *user)
{
    const double *p = user; // amplitude, frequency, phase
    value[0] = p[0] * sin(p[1] * t + p[2]);
    if (order > 0)
        value[1] = p[0] * p[1] * cos(p[1] * t + p[2]);
    if (order > 1)
        value[2] = -p[0] * p[1] * p[1] * sin(p[1] * t + p[2]);
}

static SpragTimeValue wave_value(const double *p)
{
    return (SpragTimeValue){.number = p[0] * sin(p[2]), .evaluate = wave, .user = p};
}

// d(T + V + E)/dt by differences along the motion, against the powers.
static void check_account(Machine *machine, double t, int count, const int *contacts,
                          const double *lambda)
{
    SpragSystem *system = machine->system;
    int n = sprag_system_velocity_count(system);
    double a[32], force[32], shift[32], q[64], v[32], energy[2], h = 1e-5;
    SpragSystemPower power;
    SpragSystemSample sample = {.free_acceleration = a};
    double response[24 * 32], drift[24];
    SpragSystemPower free_power;
    sample.response = response;
    sample.drift = drift;
    sample.power = &free_power;
    assert_true(n <= 32 && sprag_system_row_count(system, count, contacts) <= 24);
    assert_ok(machine->context,
              sprag_system_sample(system, t, machine->q, machine->v, count, contacts, &sample));
    int rows = sprag_system_row_count(system, count, contacts);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            a[i] += lambda[r] * response[r * n + i];
    (void)force;
    for (int side = 0; side < 2; side++) {
        double s = side ? h : -h, kinetic, potential, elastic;
        memcpy(q, machine->q, sizeof q);
        for (int i = 0; i < n; i++) {
            shift[i] = s * machine->v[i] + s * s * a[i] / 2;
            v[i] = machine->v[i] + s * a[i];
        }
        sprag_system_position_shift(system, shift, q);
        assert_ok(machine->context,
                  sprag_system_energy(system, t + s, q, v, &kinetic, &potential, &elastic));
        energy[side] = kinetic + potential + elastic;
    }
    double rate = (energy[1] - energy[0]) / (2 * h);
    assert_ok(machine->context, sprag_system_power(system, t, machine->q, machine->v, count,
                                                   contacts, lambda, &power));
    double sum = power.load - power.damping - power.friction + power.surface;
    // truncation h² times third derivatives of order 1e3, rounding 1e-16/h of energies of order 10
    assert_close(sum, rate, 1e-6 * (1 + fabs(rate)));
    // the same from a sample: load − λ · drift of the rows, without what friction and gap rates
    // take
    double from_sample = free_power.load - free_power.damping;
    for (int r = 0, i = 0; i < count; i++) {
        SpragSystemSample slips = {.gap_rate = force, .slip = shift};
        assert_ok(machine->context,
                  sprag_system_sample(system, t, machine->q, machine->v, 1, contacts + i, &slips));
        int normals = sprag_system_contact_normals(system, contacts[i]);
        int tangents = sprag_system_contact_tangents(system, contacts[i]);
        for (int k = 0; k < normals; k++, r++)
            from_sample += lambda[r] * (-drift[r] + (k == 0 ? force[0] : 0));
        for (int k = 0; k < tangents; k++, r++)
            from_sample += lambda[r] * (shift[k] - drift[r]);
    }
    assert_close(from_sample, rate, 1e-6 * (1 + fabs(rate)));
}

// An arm on a driven body, with a driven elbow, a sprung wrist with a motor, a bushing, and a ball
// that lies on the driven body.
static Machine make_arm(int dimension, const double parameters[6][3])
{
    Machine machine = machine_create(dimension);
    char names[8][8] = {"base", "upper", "lower", "hand", "tool", "ball"};
    SpragBody base = {.name = names[0], .fixed = true, .driven = true};
    base.orientation = (SpragQuaternion){1, 0, 0, 0};
    for (int k = 0; k < dimension; k++)
        base.drive_position[k] = wave_value(parameters[k]);
    base.drive_angle = wave_value(parameters[3]);
    base.drive_axis = dimension == 3 ? sprag_vec3(0.6, 0, 0.8) : sprag_vec3(0, 0, 1);
    int body[6];
    assert_ok(machine.context, sprag_model_add_body(machine.model, &base, &body[0]));
    for (int i = 1; i < 6; i++) {
        body[i] = machine_body(&machine, names[i], 0.5 + 0.3 * i, 0.02 + 0.01 * i, 0.3 * i, 0.1, 0);
        machine.model->bodies[body[i]].angle_given = false;
        machine.model->bodies[body[i]].spin = 0.4 * i;
        machine.model->bodies[body[i]].angular[0] = 0.3 * i;
        machine.model->bodies[body[i]].angular[2] = -0.2 * i;
        machine.model->bodies[body[i]].velocity[0] = 0.2 * i;
    }
    SpragVec3 near = {-0.2, 0.05, 0}, far = {0.25, 0, 0};
    if (dimension == 3)
        near.z = 0.03;
    SpragJoint pin =
        machine_joint(SPRAG_JOINT_REVOLUTE, (char[]){"pin"}, body[0], far, body[1], near);
    machine_add(&machine, &pin);
    SpragJoint elbow =
        machine_joint(SPRAG_JOINT_REVOLUTE, (char[]){"elbow"}, body[1], far, body[2], near);
    elbow.driven = true;
    elbow.drive = wave_value(parameters[4]);
    machine_add(&machine, &elbow);
    SpragJoint wrist =
        machine_joint(SPRAG_JOINT_PRISMATIC, (char[]){"wrist"}, body[2], far, body[3], near);
    wrist.sprung = true;
    wrist.stiffness[0] = 30;
    wrist.damping[0] = 0.7;
    wrist.rest[0] = 0.1;
    int sliding = machine_add(&machine, &wrist);
    SpragJoint bush =
        machine_joint(SPRAG_JOINT_WELD, (char[]){"bush"}, body[3], far, body[4], near);
    bush.sprung = true;
    for (int k = 0; k < 6; k++) {
        bush.stiffness[k] = 20 + k;
        bush.damping[k] = 0.1;
    }
    machine_add(&machine, &bush);
    SpragController motor = {.joint = sliding, .kp = 5, .kd = 0.3, .limit = INFINITY};
    motor.target = wave_value(parameters[5]);
    assert_ok(machine.context, sprag_model_add_controller(machine.model, &motor, NULL));
    SpragLoad load = {.body = -1, .on_joint = true, .joint = sliding, .varies = true};
    load.force_over[0] = wave_value(parameters[5]);
    assert_ok(machine.context, sprag_model_add_load(machine.model, &load, NULL));
    SpragLoad push = {.body = body[4], .varies = true, .body_frame = true, .local = {0.1, 0, 0}};
    push.force_over[0] = wave_value(parameters[4]);
    push.moment_over[2] = wave_value(parameters[3]);
    assert_ok(machine.context, sprag_model_add_load(machine.model, &push, NULL));
    SpragSpring spring = {.ends = {{body[0], {0, 0.5, 0}}, {body[4], {0.1, 0, 0}}},
                          .stiffness = 12,
                          .damping = 0.4,
                          .rest = 0.3};
    assert_ok(machine.context, sprag_model_add_spring(machine.model, &spring, NULL));
    return machine;
}

static const double PARAMETERS[6][3] = {{0.1, 3, 0.2}, {0.2, 2, 0.5},   {0.15, 4, 0.1},
                                        {0.3, 2, 0.4}, {0.4, 2.5, 0.3}, {0.8, 5, 0.7}};

static void test_powers(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Machine machine = make_arm(dimension, PARAMETERS);
        machine_build(&machine);
        double error, rate;
        assert_ok(machine.context,
                  sprag_system_joint_error(machine.system, 0, machine.q, machine.v, &error, &rate));
        assert_close(error, 0, 1e-12);
        assert_close(rate, 0, 1e-11);
        assert_ok(machine.context,
                  sprag_system_check(machine.system, 0, machine.q, machine.v, 2e-6));
        check_account(&machine, 0, 0, NULL, NULL);
        machine_destroy(&machine);
    }
}

// A ball on a driven plate: gap rates, slips and biases by differences; powers with any force.
static void test_contact_with_drive(void **state)
{
    (void)state;
    Machine machine = make_arm(2, PARAMETERS);
    SpragModel *model = machine.model;
    world_box(model, 0, 3, 0.2);
    world_circle(model, 5, 0, 0, 0.3);
    model->bodies[5].position[0] = -0.5;
    model->bodies[5].position[1] = 1.5;
    SpragStart start = {.kind = SPRAG_START_CONTACT, .contact = (char[]){"ball.circle-base.box"}};
    (void)start;
    machine_build(&machine);
    assert_ok(machine.context, sprag_system_check(machine.system, 0, machine.q, machine.v, 2e-6));
    int count = sprag_system_contact_count(machine.system);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        double lambda[2] = {3, -1.5}, gap;
        SpragSystemSample sample = {.gap = &gap};
        assert_ok(machine.context,
                  sprag_system_sample(machine.system, 0, machine.q, machine.v, 1, &i, &sample));
        if (isfinite(gap))
            check_account(&machine, 0, 1, &i, lambda);
    }
    machine_destroy(&machine);
}

// Limits and bearings: rows by differences, the numbering of contacts, kinds and names.
static void test_contacts_of_joints(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Machine machine = machine_create(dimension);
        int a = machine_body(&machine, "a", 1, 0.1, 0.3, 0, 0),
            b = machine_body(&machine, "b", 2, 0.1, 0.8, 0, 0);
        SpragJoint pin = machine_joint(SPRAG_JOINT_REVOLUTE, (char[]){"pin"}, SPRAG_WORLD,
                                       sprag_vec3(0, 0, 0), a, sprag_vec3(-0.3, 0, 0));
        pin.friction = (SpragFriction){true, 0.3, 0.2, 0};
        pin.radius = 0.02;
        pin.limited = true;
        pin.limits[0] = -1;
        pin.limits[1] = INFINITY;
        machine_add(&machine, &pin);
        SpragJoint slide = machine_joint(SPRAG_JOINT_PRISMATIC, (char[]){"slide"}, a,
                                         sprag_vec3(0.2, 0, 0), b, sprag_vec3(-0.2, 0.1, 0));
        slide.friction = (SpragFriction){true, 0.3, 0.2, 0};
        slide.bearing = 0.1;
        slide.limited = true;
        slide.limits[0] = -2;
        slide.limits[1] = 2;
        machine.model->bodies[a].spin = machine.model->bodies[a].angular[2] = 0.7;
        machine_add(&machine, &slide);
        machine_build(&machine);
        SpragSystem *system = machine.system;
        const char *const names[] = {"pin",     "pin.lower",   "slide.0",
                                     "slide.1", "slide.lower", "slide.upper"};
        assert_int_equal(sprag_system_joint_contact_count(system), 6);
        for (int i = 0; i < 6; i++) {
            bool limit = strstr(names[i], "er") != NULL;
            assert_string_equal(sprag_system_contact_name(system, i), names[i]);
            assert_int_equal(sprag_system_contact_kind(system, i),
                             limit ? SPRAG_CONSTRAINT_LIMIT : SPRAG_CONSTRAINT_BEARING);
            assert_int_equal(sprag_system_contact_tangents(system, i), limit ? 0 : 1);
            assert_null(sprag_system_slot(system, i));
            assert_int_equal(sprag_system_contact_joint(system, i), i < 2 ? 0 : 1);
        }
        assert_int_equal(sprag_system_contact_normals(system, 0), 2);
        assert_int_equal(sprag_system_contact_normals(system, 2), dimension == 2 ? 1 : 2);
        assert_ok(machine.context, sprag_system_check(system, 0, machine.q, machine.v, 2e-6));
        const int contacts[] = {0, 2, 3};
        const double lambda[] = {1, -2, 0.3, 0.7, 0.2, -0.4, 1.1, 0.6, -0.9};
        check_account(&machine, 0, 3, contacts, lambda);
        machine_destroy(&machine);
    }
}

// Two balls that rub, the first on the world: rows, rates and powers by differences.
static void test_balls(void **state)
{
    (void)state;
    Machine machine = machine_create(3);
    int a = machine_body(&machine, "a", 1, 0.1, 0.3, 0, 0),
        b = machine_body(&machine, "b", 2, 0.1, 0.8, 0, 0);
    SpragJoint first = machine_joint(SPRAG_JOINT_BALL, (char[]){"first"}, SPRAG_WORLD,
                                     sprag_vec3(0, 0, 0), a, sprag_vec3(-0.3, 0, 0));
    SpragJoint second = machine_joint(SPRAG_JOINT_BALL, (char[]){"second"}, a,
                                      sprag_vec3(0.2, 0, 0), b, sprag_vec3(-0.2, 0.1, 0));
    first.friction = second.friction = (SpragFriction){true, 0.3, 0.2, 0};
    first.radius = 0.02;
    second.radius = 0.03;
    machine_add(&machine, &first);
    machine_add(&machine, &second);
    for (int k = 0; k < 3; k++) {
        machine.model->bodies[a].angular[k] = 0.7 - 0.3 * k;
        machine.model->bodies[b].angular[k] = -0.4 + 0.5 * k;
    }
    machine_build(&machine);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sprag_system_contact_normals(machine.system, i), 3);
        assert_int_equal(sprag_system_contact_tangents(machine.system, i), 3);
    }
    assert_ok(machine.context, sprag_system_check(machine.system, 0, machine.q, machine.v, 2e-6));
    const int contacts[] = {0, 1};
    const double lambda[] = {1, -2, 0.3, 0.7, 0.2, -0.4, 1.1, 0.6, -0.9, 0.5, -0.8, 1.3};
    check_account(&machine, 0, 2, contacts, lambda);
    machine_destroy(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers), cmocka_unit_test(test_contact_with_drive),
        cmocka_unit_test(test_contacts_of_joints), cmocka_unit_test(test_balls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Machines in motion, event by event: joints hold to 1e-9 for a minute, energy stays, impacts keep
// what they must.
#include "unit/collide/world.h"
#include "unit/dynamics/machine.h"

typedef struct Watch {
    Machine *machine;
    double error, energy, first;
    bool begun;
} Watch;

static double whole_energy(Machine *machine, double t, const double *q, const double *v)
{
    double kinetic, potential, elastic;
    assert_ok(machine->context,
              sprag_system_energy(machine->system, t, q, v, &kinetic, &potential, &elastic));
    return kinetic + potential + elastic;
}

// Runs in pieces, so that the state is looked at now and then; the largest error and change of
// energy.
static Watch watch_run(Machine *machine, double until, int looks)
{
    Watch watch = {.machine = machine};
    SpragRunSettings settings = sprag_run_default();
    SpragRun *run = NULL;
    SpragRunOutcome outcome;
    settings.motion = SPRAG_MOTION_EVENTS;
    settings.tolerance = 1e-10;
    assert_ok(machine->context, sprag_run_create(machine->system, &settings, NULL, &run));
    watch.first = whole_energy(machine, 0, machine->q, machine->v);
    for (int i = 1; i <= looks; i++) {
        double t = until * i / looks, error, rate;
        assert_ok(machine->context, sprag_run_advance(run, t, &outcome));
        assert_int_equal(outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(run), *v = sprag_run_velocity(run);
        assert_ok(machine->context,
                  sprag_system_joint_error(machine->system, t, q, v, &error, &rate));
        watch.error = fmax(watch.error, error);
        watch.energy = fmax(watch.energy, fabs(whole_energy(machine, t, q, v) - watch.first));
        memcpy(machine->q, q, (size_t)sprag_system_position_count(machine->system) * sizeof *q);
        memcpy(machine->v, v, (size_t)sprag_system_velocity_count(machine->system) * sizeof *v);
    }
    sprag_run_destroy(run);
    return watch;
}

static void test_double_pendulum(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "upper", 1, 0.1, 0.5, 0, 0.3);
    int b = machine_body(&machine, "lower", 0.5, 0.05, 1.5, 0, -0.4);
    machine_pin(&machine, "shoulder", SPRAG_WORLD, 0, 0, a, -0.5, 0);
    machine_pin(&machine, "elbow", a, 0.5, 0, b, -0.4, 0);
    machine_build(&machine);
    Watch watch = watch_run(&machine, 60, 60);
    assert_close(watch.error, 0, 1e-9);
    // about 2e4 steps of 1e-10 relative to an energy of order 10
    assert_close(watch.energy, 0, 1e-6);
    machine_destroy(&machine);
}

// A minute of a four-bar whose crank turns through.
static void test_four_bar(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "crank", 1, 0.1, 0.2, 0.3, 1);
    int b = machine_body(&machine, "coupler", 2, 0.2, 0.5, 0.5, 0.3);
    int c = machine_body(&machine, "rocker", 1.5, 0.2, 1, 0.4, 1.8);
    machine.model->bodies[b].angle_given = machine.model->bodies[c].angle_given = false;
    machine.model->bodies[a].spin = 8;
    machine.model->bodies[a].spin_given = true;
    machine_pin(&machine, "o", SPRAG_WORLD, 0, 0, a, -0.2, 0);
    machine_pin(&machine, "p", a, 0.2, 0, b, -0.5, 0);
    machine_pin(&machine, "r", SPRAG_WORLD, 1.2, 0, c, -0.4, 0);
    machine_pin(&machine, "q", b, 0.5, 0, c, 0.4, 0);
    machine_build(&machine);
    Watch watch = watch_run(&machine, 60, 30);
    assert_close(watch.error, 0, 1e-9);
    assert_close(watch.energy, 0, 1e-6);
    machine_destroy(&machine);
}

// The lower link strikes a floor without friction, fully elastic: energy stays, the joints hold.
static void test_striking_pendulum(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int floor = world_body(machine.model, "floor", true, 0, -1.2, 0);
    int a = machine_body(&machine, "upper", 1, 0.1, 0.5, 0, 0.3);
    int b = machine_body(&machine, "lower", 0.5, 0.03, 1.5, 0, -0.4);
    world_plane(machine.model, floor, 0, 0);
    world_rod(machine.model, b, 0.8);
    SpragRule rule = {.restitution = {.given = true, .e = 1, .law = SPRAG_RESTITUTION_ENERGETIC}};
    rule.between[0] = (SpragSelector){SPRAG_SELECT_BODY, b, 0};
    rule.between[1] = (SpragSelector){SPRAG_SELECT_BODY, floor, 0};
    assert_ok(machine.context, sprag_model_add_rule(machine.model, &rule, NULL));
    machine_pin(&machine, "shoulder", SPRAG_WORLD, 0, 0, a, -0.5, 0);
    machine_pin(&machine, "elbow", a, 0.5, 0, b, -0.4, 0);
    machine_build(&machine);
    Watch watch = watch_run(&machine, 4, 16);
    assert_close(watch.error, 0, 1e-9);
    assert_close(watch.energy, 0, 1e-7);
    machine_destroy(&machine);
}

// A body on a ball joint: energy, and the momentum about the vertical through the joint.
static void test_ball_pendulum(void **state)
{
    (void)state;
    Machine machine = machine_create(3);
    int body = machine_body(&machine, "body", 2, 0.1, 0.3, 0.1, 0);
    SpragBody *item = &machine.model->bodies[body];
    const double tensor[6] = {0.08, 0.12, 0.15, 0.01, -0.02, 0.005};
    memcpy(item->tensor, tensor, sizeof tensor);
    item->spin_given = true;
    item->angular[0] = 2;
    item->angular[2] = 4;
    SpragJoint ball = machine_joint(SPRAG_JOINT_BALL, (char[]){"ball"}, SPRAG_WORLD,
                                    sprag_vec3(0, 0, 0), body, sprag_vec3(-0.3, -0.1, 0.2));
    machine_add(&machine, &ball);
    machine_build(&machine);
    double momentum[2];
    for (int k = 0; k < 2; k++) {
        SpragQuaternion Q = {machine.q[3], machine.q[4], machine.q[5], machine.q[6]};
        SpragMat3 R = sprag_quaternion_matrix(Q),
                  I = {{0.08, 0.01, -0.02, 0.01, 0.12, 0.005, -0.02, 0.005, 0.15}};
        SpragMat3 world = sprag_mat3_turn(&R, &I);
        SpragVec3 spin = sprag_mat3_apply(&world, sprag_vec3_of(machine.v + 3));
        SpragVec3 orbit = sprag_vec3_cross(sprag_vec3_of(machine.q), sprag_vec3_of(machine.v));
        momentum[k] = spin.z + 2 * orbit.z;
        if (k == 1)
            break;
        Watch watch = watch_run(&machine, 5, 5);
        assert_close(watch.error, 0, 1e-9);
        assert_close(watch.energy, 0, 1e-6);
    }
    assert_close(momentum[1], momentum[0], 1e-6);
    machine_destroy(&machine);
}

static void turning(double t, int order, double *value, const void *user)
{
    (void)user;
    const double all[3] = {8 * t + sin(3 * t), 8 + 3 * cos(3 * t), -9 * sin(3 * t)};
    memcpy(value, all, (size_t)(order + 1) * sizeof *value);
}

// A slider-crank whose crank of length r turns as `turning` says, and a rod of length l.
static Machine driven_crank(double r, double l, int *piston)
{
    Machine machine = machine_create(2);
    int crank = machine_body(&machine, "crank", 1, 0.004, r / 2, 0, 0);
    int rod = machine_body(&machine, "rod", 0.5, 0.02, r + l / 2, 0, 0);
    *piston = machine_body(&machine, "piston", 2, 0.003, r + l, 0, 0);
    for (int i = 0; i < 3; i++)
        machine.model->bodies[i].angle_given = false;
    SpragJoint drive = machine_joint(SPRAG_JOINT_REVOLUTE, (char[]){"main"}, SPRAG_WORLD,
                                     sprag_vec3(0, 0, 0), crank, sprag_vec3(-r / 2, 0, 0));
    drive.driven = true;
    drive.drive = (SpragTimeValue){.evaluate = turning};
    machine_add(&machine, &drive);
    machine_pin(&machine, "pin", crank, r / 2, 0, rod, -l / 2, 0);
    machine_pin(&machine, "wrist", rod, l / 2, 0, *piston, 0, 0);
    SpragJoint guide = machine_joint(SPRAG_JOINT_PRISMATIC, (char[]){"guide"}, SPRAG_WORLD,
                                     sprag_vec3(0.7, 0, 0), *piston, sprag_vec3(0, 0, 0));
    machine_add(&machine, &guide);
    machine_build(&machine);
    return machine;
}

static SpragRun *start_events(Machine *machine)
{
    SpragRunSettings settings = sprag_run_default();
    SpragRun *run = NULL;
    settings.motion = SPRAG_MOTION_EVENTS;
    assert_ok(machine->context, sprag_run_create(machine->system, &settings, NULL, &run));
    return run;
}

// A driven slider-crank against its closed kinematics; the drive pays for what changes.
static void test_driven_crank(void **state)
{
    (void)state;
    const double r = 0.2, l = 0.6;
    int piston;
    Machine machine = driven_crank(r, l, &piston);
    SpragRun *run = start_events(&machine);
    SpragRunOutcome outcome;
    int at = sprag_system_body_coordinate(machine.system, piston);
    for (int i = 1; i <= 10; i++) {
        double t = 0.2 * i, phi = 8 * t + sin(3 * t), omega = 8 + 3 * cos(3 * t);
        assert_ok(machine.context, sprag_run_advance(run, t, &outcome));
        assert_int_equal(outcome, SPRAG_RUN_DONE);
        double root = sqrt(l * l - pow(r * sin(phi), 2));
        assert_close(sprag_run_position(run)[at], r * cos(phi) + root, 1e-11);
        assert_close(sprag_run_velocity(run)[at],
                     -r * sin(phi) * omega - r * r * sin(phi) * cos(phi) * omega / root, 1e-10);
    }
    // the account closes: work of the drive by the tolerance of 1e-9 of energies of order 10
    assert_close(sprag_run_drift(run), 0, 1e-6);
    sprag_run_destroy(run);
    machine_destroy(&machine);
}

// A rod that is shorter than the crank: beyond sin φ = l/r nothing can follow the drive. The run
// ends there, and names a joint.
static void test_dead_point(void **state)
{
    (void)state;
    const double r = 0.5, l = 0.4;
    int piston;
    Machine machine = driven_crank(r, l, &piston);
    SpragRun *run = start_events(&machine);
    SpragRunOutcome outcome;
    assert_ok(machine.context, sprag_run_advance(run, 2, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_NOT_CONVERGED);
    double t = sprag_run_time(run), reach = r * sin(8 * t + sin(3 * t)) - l;
    // the five rows across the guide (bearing, drive, pin, wrist, guide) may each be open by a
    // thousand gap tolerances of 1e-9 times the size, some metre, before a joint is named
    assert_true(reach > -1e-4 && reach <= 5e-6);
    sprag_run_destroy(run);
    machine_destroy(&machine);
}

// A parallelogram passes the places where it lies flat: it stays one, and energy stays.
static void test_parallelogram(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "crank", 1, 0.01, 0, 0.2, 1.5);
    int b = machine_body(&machine, "coupler", 1, 0.05, 0.5, 0.4, 0);
    int c = machine_body(&machine, "rocker", 1, 0.01, 1, 0.2, 1.5);
    machine.model->bodies[a].spin = machine.model->bodies[c].spin = 7;
    machine.model->bodies[a].spin_given = machine.model->bodies[c].spin_given = true;
    machine_pin(&machine, "o", SPRAG_WORLD, 0, 0, a, -0.2, 0);
    machine_pin(&machine, "p", a, 0.2, 0, b, -0.5, 0);
    machine_pin(&machine, "q", b, 0.5, 0, c, 0.2, 0);
    machine_pin(&machine, "r", SPRAG_WORLD, 1, 0, c, -0.2, 0);
    machine_build(&machine);
    Watch watch = watch_run(&machine, 3, 12);
    assert_close(watch.error, 0, 1e-9);
    // a dozen passages, in each of which a row is let go for 1e-4 s
    assert_close(watch.energy, 0, 1e-4);
    int at = sprag_system_body_coordinate(machine.system, b);
    assert_close(machine.q[at + 2], 0, 1e-9);
    machine_destroy(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),   cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_striking_pendulum), cmocka_unit_test(test_ball_pendulum),
        cmocka_unit_test(test_driven_crank),      cmocka_unit_test(test_dead_point),
        cmocka_unit_test(test_parallelogram)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

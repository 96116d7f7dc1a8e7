// Machines in motion, event by event: joints hold to 1e-9 for a minute, energy stays, impacts keep
// what they must.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_double_pendulum),
                                       cmocka_unit_test(test_four_bar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

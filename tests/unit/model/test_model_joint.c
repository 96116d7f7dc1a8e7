// Joints, controllers and values over time: what a model refuses, with the sentence that says so.
#include "unit/dynamics/machine.h"

static void expect(Machine *machine, SpragStatus status, const char *part)
{
    const char *message = sprag_context_message(machine->context);
    assert_true(status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_ARGUMENT);
    if (!strstr(message, part))
        print_error("\"%s\" does not speak of \"%s\"\n", message, part);
    assert_non_null(strstr(message, part));
}

static void refuse(Machine *machine, SpragJoint joint, const char *part)
{
    int before = machine->model->joint_count;
    expect(machine, sprag_model_add_joint(machine->model, &joint, NULL), part);
    assert_int_equal(machine->model->joint_count, before);
}

static SpragJoint pin(SpragJointKind kind, int first, int second)
{
    static char name[] = "hinge";
    return machine_joint(kind, name, first, sprag_vec3(0, 0, 0), second, sprag_vec3(0, 0, 0));
}

static void test_refused_joints(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "a", 1, 0.1, 0, 0, 0);
    int b = machine_body(&machine, "b", 1, 0.1, 0, 0, 0);
    SpragBody wall = {.name = (char[]){"wall"}, .fixed = true};
    int fixed = -1;
    assert_ok(machine.context, sprag_model_add_body(machine.model, &wall, &fixed));
    SpragJoint joint = pin(SPRAG_JOINT_REVOLUTE, a, b);
    refuse(&machine, pin(SPRAG_JOINT_REVOLUTE, a, a), "two bodies");
    refuse(&machine, pin(SPRAG_JOINT_REVOLUTE, SPRAG_WORLD, SPRAG_WORLD), "the world");
    refuse(&machine, pin(SPRAG_JOINT_REVOLUTE, fixed, SPRAG_WORLD), "free to move");
    refuse(&machine, pin(SPRAG_JOINT_REVOLUTE, a, 7), "no body");
    refuse(&machine, pin(SPRAG_JOINT_SCREW, a, b), "space");
    refuse(&machine, pin(SPRAG_JOINT_BALL, a, b), "space");
    refuse(&machine, pin(SPRAG_JOINT_DISTANCE, a, b), "length");
    joint.limited = true;
    joint.limits[0] = 1;
    joint.limits[1] = -1;
    refuse(&machine, joint, "limit");
    joint.limits[1] = NAN;
    refuse(&machine, joint, "limit");
    joint = pin(SPRAG_JOINT_REVOLUTE, a, b);
    joint.friction = (SpragFriction){true, 0.2, 0.2, 0};
    refuse(&machine, joint, "radius");
    joint = pin(SPRAG_JOINT_WELD, a, b);
    joint.friction = (SpragFriction){true, 0.2, 0.2, 0};
    refuse(&machine, joint, "not supported");
    // rows of such a joint could not be told apart
    int light = machine_body(&machine, "light", 1, 1e-12, 0, 0, 0);
    joint = pin(SPRAG_JOINT_REVOLUTE, light, b);
    joint.ends[0].local = sprag_vec3(0.5, 0, 0);
    refuse(&machine, joint, "too small for a joint at 0.5 m");
    joint = pin(SPRAG_JOINT_WELD, a, b);
    joint.limited = true;
    joint.limits[1] = 1;
    refuse(&machine, joint, "no position");
    joint = pin(SPRAG_JOINT_REVOLUTE, a, b);
    joint.axes[0].m[0] = 2;
    refuse(&machine, joint, "rotation");
    joint = pin(SPRAG_JOINT_REVOLUTE, a, b);
    const double times[] = {0, 1, 1};
    joint.driven = true;
    joint.drive = (SpragTimeValue){.breaks = times, .break_count = 3};
    refuse(&machine, joint, "increase");
    joint.drive = (SpragTimeValue){.number = NAN};
    refuse(&machine, joint, "finite");
    joint = pin(SPRAG_JOINT_REVOLUTE, a, b);
    joint.name = NULL;
    refuse(&machine, joint, "name");
    machine_destroy(&machine);
}

static void test_names_and_copies(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "a", 1, 0.1, 0, 0, 0);
    int index = machine_pin(&machine, "hinge", SPRAG_WORLD, 0, 0, a, 0, 0);
    assert_int_equal(sprag_model_find_joint(machine.model, "hinge"), index);
    assert_int_equal(sprag_model_find_joint(machine.model, "hing"), -1);
    refuse(&machine, pin(SPRAG_JOINT_REVOLUTE, SPRAG_WORLD, a), "twice");
    SpragRule rule = {.name = (char[]){"hinge"}};
    expect(&machine, sprag_model_add_rule(machine.model, &rule, NULL), "joint");
    // other numbers, not another kind
    SpragJoint joint = machine.model->joints[index];
    joint.ends[0].local.x = 0.5;
    assert_ok(machine.context, sprag_model_replace_joint(machine.model, index, &joint));
    assert_close(machine.model->joints[index].ends[0].local.x, 0.5, 0);
    joint.kind = SPRAG_JOINT_WELD;
    expect(&machine, sprag_model_replace_joint(machine.model, index, &joint), "keeps");
    machine_destroy(&machine);
}

static void test_controllers(void **state)
{
    (void)state;
    Machine machine = machine_create(2);
    int a = machine_body(&machine, "a", 1, 0.1, 0, 0, 0);
    machine_pin(&machine, "hinge", SPRAG_WORLD, 0, 0, a, 0, 0);
    SpragController motor = {.joint = 3, .limit = INFINITY};
    expect(&machine, sprag_model_add_controller(machine.model, &motor, NULL), "no joint");
    motor.joint = 0;
    motor.limit = 0;
    expect(&machine, sprag_model_add_controller(machine.model, &motor, NULL), "limit");
    motor.limit = 5;
    motor.every = -1;
    expect(&machine, sprag_model_add_controller(machine.model, &motor, NULL), "every");
    motor.every = 0;
    motor.ki = 1;
    expect(&machine, sprag_model_add_controller(machine.model, &motor, NULL), "ki");
    motor.every = 1e-3;
    assert_ok(machine.context, sprag_model_add_controller(machine.model, &motor, NULL));
    SpragLoad load = {.on_joint = true, .joint = 1};
    expect(&machine, sprag_model_add_load(machine.model, &load, NULL), "no joint");
    SpragStart start = {.kind = SPRAG_START_JOINT, .joint = -1};
    expect(&machine, sprag_model_add_start(machine.model, &start, NULL), "no joint");
    machine_destroy(&machine);
}

static void square(double t, int order, double *value, const void *user)
{
    (void)user;
    const double all[3] = {t * t, 2 * t, 2};
    memcpy(value, all, (size_t)(order + 1) * sizeof *value);
}

static void test_time_values(void **state)
{
    (void)state;
    double value[3];
    sprag_time_value_evaluate(&(SpragTimeValue){.number = 4}, 3, 2, value);
    assert_close(value[0], 4, 0);
    assert_close(value[1], 0, 0);
    assert_close(value[2], 0, 0);
    sprag_time_value_evaluate(&(SpragTimeValue){.evaluate = square}, 3, 2, value);
    assert_close(value[0], 9, 0);
    assert_close(value[1], 6, 0);
    assert_close(value[2], 2, 0);
    assert_string_equal(sprag_joint_kind_name(SPRAG_JOINT_CYLINDRICAL), "cylindrical");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_joints), cmocka_unit_test(test_names_and_copies),
        cmocka_unit_test(test_controllers), cmocka_unit_test(test_time_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

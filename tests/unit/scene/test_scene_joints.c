// Joints, controllers, drives and loads over time as files give them; what is refused.
#include "file_support.h"
#include "scene_support.h"

static const double DEG = 0.017453292519943295;

#define ARMS                                                                                       \
    "sprag: 1\n"                                                                                   \
    "parameters: {k: 3, w: 2}\n"                                                                   \
    "bodies:\n"                                                                                    \
    "  - {name: upper, mass: 1, position: [0.5, 1], shapes: [{rod: {length: 1}}]}\n"               \
    "  - {name: lower, mass: 1, position: [1, 0.5], angle: -90 deg, shapes: [{rod: {length: "      \
    "1}}]}\n"
#define SPACE                                                                                      \
    "sprag: 1\ndimension: 3\nbodies:\n"                                                            \
    "  - {name: a, mass: 1, position: [0, 0, 1], shapes: [{sphere: {radius: 1}}]}\n"               \
    "  - {name: b, mass: 1, position: [3, 0, 1], orientation: {axis: [0, 0, 1], angle: 30 deg},\n" \
    "     shapes: [{sphere: {radius: 1}}]}\n"

static const SpragJoint *joint_of(const SpragScene *scene, const char *name)
{
    const SpragModel *model = sprag_scene_model(scene);
    int index = sprag_model_find_joint(model, name);
    assert_true(index >= 0);
    return &model->joints[index];
}

static void assert_place(const SpragPlace *place, int body, double x, double y, double z)
{
    assert_int_equal(place->body, body);
    assert_close(place->local.x, x, 1e-15);
    assert_close(place->local.y, y, 1e-15);
    assert_close(place->local.z, z, 1e-15);
}

static void test_plane(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, ARMS
        "joints:\n"
        "  - {name: shoulder, type: revolute, between: [world, upper.a], at: [0, 1]}\n"
        "  - {name: elbow, type: revolute, between: [upper.b, lower.a], limits: [-1, 150 deg],\n"
        "     friction: 0.1, radius: 5 mm, restitution: 0.5, spring: {stiffness: 2, rest: 10 "
        "deg}}\n"
        "  - {name: hand, type: weld, between: [upper, lower], spring: {stiffness: [1, 2, 3], "
        "damping: [4, 5, 6]}}\n"
        "  - {name: slot, type: prismatic, between: [upper, lower], axis: [0, 2], at: [1, 1],\n"
        "     bearing: 1 cm, friction: 0.2, limits: [none, 0.3]}\n"
        "  - {type: distance, between: [world, lower.b], at: [1, -1]}\n");
    const SpragJoint *shoulder = joint_of(scene, "shoulder"), *elbow = joint_of(scene, "elbow");
    assert_place(&shoulder->ends[0], SPRAG_WORLD, 0, 1, 0);
    assert_place(&shoulder->ends[1], 0, -0.5, 0, 0);
    assert_false(shoulder->as_placed || shoulder->limited || shoulder->sprung || shoulder->driven);
    // angles agree at position 0: both frames are those of the bodies
    assert_memory_equal(&elbow->axes[0], &elbow->axes[1], sizeof elbow->axes[0]);
    assert_true(elbow->limited && elbow->limits[0] == -1);
    assert_close(elbow->limits[1], 150 * DEG, 1e-15);
    assert_true(elbow->friction.kinetic == 0.1 && elbow->radius == 0.005);
    assert_true(elbow->restitution.e == 0.5 && elbow->sprung && elbow->stiffness[0] == 2);
    assert_close(elbow->rest[0], 10 * DEG, 1e-15);
    const SpragJoint *hand = joint_of(scene, "hand");
    assert_true(hand->as_placed && hand->sprung);
    for (int i = 0; i < 3; i++)
        assert_true(hand->stiffness[i] == i + 1 && hand->damping[i] == i + 4);
    const SpragJoint *slot = joint_of(scene, "slot");
    assert_true(slot->as_placed && slot->bearing == 0.01);
    assert_true(slot->limits[0] == -INFINITY && slot->limits[1] == 0.3);
    assert_place(&slot->ends[0], 0, 0.5, 0, 0);
    // the axis is y of upper; lower is turned by −90 deg, so that y is its −x
    SpragVec3 axis = sprag_mat3_column(&slot->axes[0], 0),
              other = sprag_mat3_column(&slot->axes[1], 0);
    assert_close(axis.y, 1, 1e-15);
    assert_close(other.x, -1, 1e-15);
    assert_close(joint_of(scene, "joint4")->length, 1, 1e-15);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_space(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, SPACE
        "joints:\n"
        "  - {name: hinge, type: revolute, between: [a, b.com]}\n"
        "  - {name: door, type: revolute, between: [a, b], axis: [2, 0, 0], at: [1, 0, 1]}\n"
        "  - {name: nut, type: screw, between: [a, b], axis: [1, 0, 0], lead: -5 mm, radius: 5 "
        "mm,\n     thread-angle: 15 deg, friction: 0.1}\n"
        "  - {name: knee, type: universal, between: [a, b], axis: [0, 1, 0], second-axis: [0, "
        "0, 3]}\n"
        "  - {name: eye, type: ball, between: [world, a], at: [0, 0, 2]}\n"
        "  - {name: pipe, type: cylindrical, between: [world, b]}\n");
    const SpragJoint *hinge = joint_of(scene, "hinge"), *door = joint_of(scene, "door");
    // the bodies differ by a turn about z: the hinge keeps it as its position, the door cannot
    assert_memory_equal(&hinge->axes[0], &hinge->axes[1], sizeof hinge->axes[0]);
    assert_place(&hinge->ends[0], 0, 3, 0, 0);
    assert_false(hinge->as_placed);
    SpragVec3 axis = sprag_mat3_column(&door->axes[1], 2);
    assert_close(axis.x, cos(30 * DEG), 1e-15);
    assert_close(axis.y, -sin(30 * DEG), 1e-15);
    assert_true(door->as_placed);
    const SpragJoint *nut = joint_of(scene, "nut");
    assert_true(nut->lead == -0.005 && nut->radius == 0.005);
    assert_close(nut->thread_angle, 15 * DEG, 1e-15);
    assert_place(&nut->ends[0], 0, 0, 0, 0);
    const SpragJoint *knee = joint_of(scene, "knee");
    assert_close(sprag_mat3_column(&knee->axes[0], 2).y, 1, 1e-15);
    assert_close(sprag_mat3_column(&knee->axes[1], 0).z, 1, 1e-15);
    assert_place(&joint_of(scene, "eye")->ends[1], 0, 0, 0, 1);
    assert_place(&joint_of(scene, "pipe")->ends[0], SPRAG_WORLD, 3, 0, 1);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// Values and two derivatives against central differences, whose error is h²/6 f''' and rounding.
static void assert_jet(const SpragTimeValue *value, double t)
{
    const double h = 1e-4;
    double jet[3], left[3], right[3];
    sprag_time_value_evaluate(value, t, 2, jet);
    sprag_time_value_evaluate(value, t - h, 2, left);
    sprag_time_value_evaluate(value, t + h, 2, right);
    double scale = 1 + fabs(jet[0]) + fabs(jet[1]) + fabs(jet[2]);
    assert_close(jet[1], (right[0] - left[0]) / (2 * h), 1e-5 * scale);
    assert_close(jet[2], (right[1] - left[1]) / (2 * h), 1e-5 * scale);
}

static void test_formulas(void **state)
{
    (void)state;
    static const char *const formulas[] = {"sin(2*pi*t)",
                                           "k*cos(w*t)^2 + t",
                                           "tan(t/3)",
                                           "asin(t/4)",
                                           "acos(t/4 - 0.1)",
                                           "atan(3*t)",
                                           "exp(-t) - -t",
                                           "log(1 + t*t)",
                                           "sqrt(2 + sin(t))",
                                           "abs(t - 10)",
                                           "atan2(1 + t, 2 - t*t)",
                                           "min(t, 20, 30 - t)",
                                           "max(t^3, -1)",
                                           "t^3/(1 + t)",
                                           "2^t",
                                           "(1 + t)^(t/2)",
                                           "t^2",
                                           "(t - 1)*(t + 1)*exp(t)"};
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        char text[1024];
        snprintf(text, sizeof text, ARMS "loads: [{body: upper, force: [\"%s\", 0]}]\n",
                 formulas[i]);
        SpragScene *scene = read_good(context, text);
        const SpragLoad *load = &sprag_scene_model(scene)->loads[0];
        assert_true(load->varies);
        for (double t = 0.3; t < 2; t += 0.37)
            assert_jet(&load->force_over[0], t);
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

static void test_exact(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, ARMS "loads: [{body: upper, force: [k*sin(w*t), \"t^2\"], torque: 2}]\n");
    const SpragLoad *load = &sprag_scene_model(scene)->loads[0];
    double t = 0.7, jet[3];
    sprag_time_value_evaluate(&load->force_over[0], t, 2, jet);
    assert_close(jet[0], 3 * sin(2 * t), 1e-15);
    assert_close(jet[1], 6 * cos(2 * t), 2e-15);
    assert_close(jet[2], -12 * sin(2 * t), 4e-15);
    sprag_time_value_evaluate(&load->force_over[1], 0, 2, jet); // no 0 · ∞ at 0
    assert_true(jet[0] == 0 && jet[1] == 0 && jet[2] == 2);
    assert_true(load->moment_over[2].number == 2 && !load->moment_over[2].evaluate);
    assert_true(load->torque == 2);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_tables(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene =
        read_good(context, ARMS
                  "joints: [{name: s, type: revolute, between: [world, upper.a], at: [0, 1],\n"
                  "  drive: {table: [[0, 0], [100 ms, 90 deg], [0.3, 0]]}}]\n"
                  "loads: [{on: lower, force: [{table: [[0, 0], [1, 1], [2, 0]], smooth: true}, "
                  "0], frame: body, at: lower.b}]\n");
    const SpragJoint *joint = joint_of(scene, "s");
    assert_true(joint->driven && joint->drive.break_count == 3 && joint->drive.breaks[1] == 0.1);
    double jet[3];
    sprag_time_value_evaluate(&joint->drive, 0.05, 2, jet);
    assert_close(jet[0], 45 * DEG, 1e-15);
    assert_close(jet[1], 900 * DEG, 1e-13);
    assert_true(jet[2] == 0);
    sprag_time_value_evaluate(&joint->drive, 0.1, 1, jet); // at a row: what follows
    assert_close(jet[1], -450 * DEG, 1e-13);
    sprag_time_value_evaluate(&joint->drive, 0.4, 1, jet);
    assert_true(jet[0] == 0 && jet[1] == 0);
    const SpragLoad *load = &sprag_scene_model(scene)->loads[0];
    assert_true(load->varies && load->body_frame && load->body == 1 && load->local.x == 0.5);
    assert_int_equal(load->force_over[0].break_count, 2); // the ends of the spline
    sprag_time_value_evaluate(&load->force_over[0], 1, 2, jet);
    assert_close(jet[0], 1, 1e-15);
    assert_close(jet[1], 0, 1e-15);
    assert_close(jet[2], -3, 1e-14); // natural spline through 0, 1, 0
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_controllers(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        ARMS "joints:\n  - {name: e, type: revolute, between: [upper.b, lower.a]}\n"
             "  - {name: s, type: prismatic, between: [world, upper.a], at: [0, 1]}\n"
             "loads: [{joint: e, torque: 2*t}, {on: s, force: 3}]\n"
             "controllers:\n  - {joint: e, pd: {kp: 20, kd: 1, ki: 2, target: 30 deg, forward: "
             "\"sin(t)\"}, limit: 5, every: 1 ms}\n"
             "  - {name: hold, joint: s, pd: {kp: 1 N/mm, kd: 3}}\n"
             "start: [{joint: e, position: 30 deg, velocity: 1 rpm}, {joint: s, velocity: -2}]\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->controller_count, 2);
    const SpragController *one = &model->controllers[0], *two = &model->controllers[1];
    assert_true(one->kp == 20 && one->kd == 1 && one->ki == 2 && one->limit == 5);
    assert_true(one->every == 1e-3 && one->joint == 0 && one->forward.evaluate);
    assert_close(one->target.number, 30 * DEG, 1e-15);
    assert_true(two->kp == 1000 && two->limit == INFINITY && two->every == 0 && two->joint == 1);
    assert_string_equal(two->name, "hold");
    assert_true(model->loads[0].on_joint && model->loads[0].joint == 0 && model->loads[0].varies);
    assert_true(model->loads[0].moment_over[2].evaluate != NULL);
    assert_true(model->loads[1].on_joint && model->loads[1].force[0] == 3);
    const SpragStart *start = model->starts;
    assert_true(start[0].kind == SPRAG_START_JOINT && start[0].joint == 0);
    assert_close(start[0].joint_position, 30 * DEG, 1e-15);
    assert_close(start[0].joint_velocity, 6 * DEG, 1e-15);
    assert_true(!start[1].joint_position_given && start[1].joint_velocity == -2);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_driven_bodies(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, "sprag: 1\nbodies:\n  - {name: tray, position: [1, 0], drive: {position: [2 "
                 "mm*sin(2*pi*60*t), 0], angle: 0.1*t}, shapes: [{box: {size: [1, 1]}}]}\n");
    const SpragBody *tray = &sprag_scene_model(scene)->bodies[0];
    assert_true(tray->fixed && tray->driven && tray->position[0] == 1);
    double jet[3];
    sprag_time_value_evaluate(&tray->drive_position[0], 0, 1, jet);
    assert_close(jet[1], 0.002 * 120 * 3.141592653589793, 1e-15);
    sprag_time_value_evaluate(&tray->drive_angle, 2, 1, jet);
    assert_close(jet[0], 0.2, 1e-16);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// An included file that is turned turns loads and drives of the world, and prefixes names.
static void test_include(void **state)
{
    (void)state;
    Folder folder;
    folder_open(&folder);
    folder_put(
        &folder, "arm.yaml",
        "sprag: 1\nparameters: {f: 1}\nbodies:\n"
        "  - {name: link, mass: 1, inertia: 1, position: [1, 0]}\n"
        "  - {name: shaker, drive: {position: [f*sin(t), 0]}}\n"
        "joints:\n  - {name: hip, type: revolute, between: [world, link], at: [0, 0]}\n"
        "  - {name: rail, type: prismatic, between: [world, link.com], at: [0, 0], axis: [1, "
        "0]}\n"
        "loads: [{body: link, force: [f*t, {table: [[0, 0], [1, 1]]}]}, {joint: hip, torque: "
        "1}]\n"
        "controllers: [{name: motor, joint: hip, pd: {kp: 1}}]\n"
        "start: [{joint: hip, velocity: 1}]\n");
    folder_put(
        &folder, "s.yaml",
        "sprag: 1\ninclude: [{file: arm.yaml, name: left, position: [5, 0], angle: 90 deg}]\n"
        "bodies: []\n");
    char path[160];
    folder_path(&folder, "s.yaml", path);
    SpragContext *context = test_context();
    SpragScene *scene = NULL;
    assert_ok(context, sprag_scene_read(context, path, NULL, &scene));
    const SpragModel *model = sprag_scene_model(scene);
    assert_string_equal(model->controllers[0].name, "left/motor");
    assert_place(&joint_of(scene, "left/hip")->ends[0], SPRAG_WORLD, 5, 0, 0);
    assert_close(sprag_mat3_column(&joint_of(scene, "left/rail")->axes[0], 0).y, 1, 1e-15);
    double x[3], y[3];
    sprag_time_value_evaluate(&model->loads[0].force_over[0], 0.5, 1, x);
    sprag_time_value_evaluate(&model->loads[0].force_over[1], 0.5, 1, y);
    assert_close(x[0], -0.5, 1e-15); // (t, t) turned by 90 deg
    assert_close(y[1], 1, 1e-15);
    assert_int_equal(model->loads[0].force_over[0].break_count, 2);
    sprag_time_value_evaluate(&model->bodies[1].drive_position[1], 0.5, 2, y);
    assert_close(y[0], sin(0.5), 1e-15);
    assert_close(y[2], -sin(0.5), 1e-15);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
    folder_close(&folder);
}

// A varied number goes into the model in place, values over time included, without new memory.
static void test_updates(void **state)
{
    (void)state;
    static const char text[] = ARMS
        "joints: [{name: e, type: revolute, between: [upper.b, lower.a], friction: k/10, radius: "
        "1 mm, drive: k*sin(w*t)}]\n"
        "loads: [{body: upper, force: [{table: [[0, 0], [1, k]]}, w*t]}]\n";
    SpragContext *context = test_context();
    SpragSceneSource *source;
    assert_ok(context,
              sprag_scene_source_create_text(context, "s.yaml", text, strlen(text), NULL, &source));
    assert_ok(context, sprag_scene_source_add_variable(source, "k"));
    assert_ok(context, sprag_scene_source_add_variable(source, "w"));
    SpragScene *scene;
    double values[2] = {3, 2};
    assert_ok(context, sprag_scene_source_build(source, values, &scene));
    for (int i = 0; i < 5; i++) {
        SpragSceneChange change;
        double t = 0.4, jet[3];
        values[0] = 1 + i;
        values[1] = 2 * i - 3;
        assert_ok(context, sprag_scene_source_update(source, values, scene, &change));
        assert_int_equal(change, SPRAG_SCENE_NUMBERS);
        const SpragJoint *joint = joint_of(scene, "e");
        assert_close(joint->friction.kinetic, values[0] / 10, 1e-16);
        sprag_time_value_evaluate(&joint->drive, t, 1, jet);
        assert_close(jet[1], values[0] * values[1] * cos(values[1] * t), 1e-14);
        const SpragLoad *load = &sprag_scene_model(scene)->loads[0];
        sprag_time_value_evaluate(&load->force_over[0], t, 1, jet);
        assert_close(jet[0], values[0] * t, 1e-15);
        sprag_time_value_evaluate(&load->force_over[1], t, 1, jet);
        assert_close(jet[1], values[1], 1e-15);
    }
    sprag_scene_destroy(scene);
    sprag_scene_source_destroy(source);
    sprag_context_destroy(context);
}

static void test_repeat_and_set(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    static const char text[] =
        "sprag: 1\nbodies:\n  - {name: link$(i), repeat: {i: 4}, mass: 1, position: [i + 0.5, 0], "
        "shapes: [{rod: {length: 1}}]}\n"
        "joints:\n  - {name: root, type: revolute, between: [world, link0.a], at: [0, 0]}\n"
        "  - {name: pin$(i), repeat: {i: 3}, type: revolute, between: [link$(i).b, link$(i+1).a], "
        "friction: 0.1*i, radius: 1 mm}\n"
        "controllers: [{name: c$(i), repeat: {i: 3}, joint: pin$(i), pd: {kp: i}}]\n";
    SpragScene *scene = read_good(context, text);
    assert_int_equal(sprag_scene_model(scene)->joint_count, 4);
    assert_close(joint_of(scene, "pin2")->friction.kinetic, 0.2, 1e-16);
    sprag_scene_destroy(scene);
    static const char plain[] = ARMS
        "joints: [{name: e, type: revolute, between: [upper.b, lower.a], friction: 1, radius: 1 "
        "mm}]\ncontrollers: [{name: c, joint: e, pd: {kp: 1}}]\n";
    const SpragSceneSet others[] = {
        {"joints.e.friction", "0.7"}, {"controllers.c.pd.kp", "9"}, {"joints.0.radius", "2 mm"}};
    assert_ok(context, read_with(context, plain, others, 3, &scene));
    assert_true(joint_of(scene, "e")->friction.kinetic == 0.7);
    assert_true(joint_of(scene, "e")->radius == 0.002);
    assert_true(sprag_scene_model(scene)->controllers[0].kp == 9);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// ---- Refused ------------------------------------------------------------------------------------

#define ELBOW "joints: [{name: e, type: revolute, between: [upper.b, lower.a]"
#define RAIL "joints: [{name: r, type: prismatic, between: [world, upper.a], at: [0, 1]"

static void test_bad_joints(void **state)
{
    (void)state;
    const Bad cases[] = {
        {"joints: [{type: weld, between: [upper.a, upper.b]}]", "6:32", "both are of upper"},
        {"joints: [{type: weld, between: [world, [0, 0]]}]", "6:32",
         "two bodies, or one and world"},
        {"joints: [{type: ball, between: [upper, lower]}]", "6:17", "for scenes in space"},
        {"joints: [{type: cylindrical, between: [upper, lower]}]", "6:17", "for scenes in space"},
        {"joints: [{type: hinge, between: [upper, lower]}]", "6:17", "type must be revolute"},
        {"joints: [{type: weld, between: [upper]}]", "6:32", "between: [place, place]"},
        {"joints: [{type: weld, between: [uper, lower]}]", "6:33", "did you mean \"upper\"?"},
        {ELBOW ", at: [0, 0]}]", "6:65", "two places already"},
        {ELBOW ", limits: [1, -1]}]", "6:73", "the first must be below the second"},
        {ELBOW ", limits: [2, 2]}]", "6:73", "the first must be below the second"},
        {ELBOW ", limits: 3}]", "6:73", "limits must be [least, largest]"},
        {ELBOW ", limits: [0, 1 m]}]", "6:77", "limits must be an angle"},
        {ELBOW ", friction: 0.1}]", "6:65", "needs radius"},
        {ELBOW ", friction: -0.1, radius: 1}]", NULL, "friction must be a number ≥ 0"},
        {ELBOW ", radius: -1}]", NULL, "radius must be a number > 0"},
        {ELBOW ", axis: [0, 1]}]", "6:65", "in the plane has no axis"},
        {ELBOW ", lead: 1}]", "6:65", "a revolute joint has no lead"},
        {ELBOW ", length: 1}]", "6:65", "a revolute joint has no length"},
        {ELBOW ", bearing: 1}]", "6:65", "a revolute joint has no bearing"},
        {ELBOW ", restitution: 0.5}]", "6:65", "of its limits"},
        {ELBOW ", spring: {}}]", NULL, "a spring needs stiffness or damping"},
        {ELBOW ", spring: {stiffness: [1, 2, 3]}}]", NULL, "stiffness must be a number"},
        {ELBOW ", spring: {stiffness: 3 N/mm}}]", NULL, "stiffness must be a torque"},
        {ELBOW ", drive: 1, limits: [0, 1]}]", "6:65", "it has no limits"},
        {ELBOW ", drive: 1 mm}]", NULL, "drive must be an angle"},
        {ELBOW ", drive: {table: [[0, 1], [1, 2], [0.5, 3]]}}]", "6:97",
         "must ascend: 0.5 follows 1"},
        {ELBOW ", drive: {table: []}}]", NULL, "at least 1"},
        {ELBOW ", drive: {table: [[0, 1 m]]}}]", NULL, "a value of the table must be an angle"},
        {ELBOW ", drive: {table: [[1 m, 1]]}}]", NULL, "a time of the table must be a time"},
        {ELBOW ", drive: [1, 2]}]", NULL, "drive must be a number, a formula of t"},
        {ELBOW "}, {name: e, type: weld, between: [upper, lower]}]", "6:73", "e"},
        {RAIL ", axis: [0, 0]}]", NULL, "must not be of length 0"},
        {RAIL ", limits: [0, 1 deg]}]", NULL, "limits must be a length"},
        {"joints: [{type: weld, between: [upper, lower], limits: [0, 1]}]", "6:48",
         "a weld joint has no limits"},
        {"joints: [{type: weld, between: [upper, lower], drive: 1}]", "6:48",
         "no position to drive"},
        {"joints: [{type: weld, between: [upper, lower], friction: 1}]", "6:48", "not supported"},
        {"joints: [{type: weld, between: [upper, lower], spring: {stiffness: 3}}]", NULL,
         "a list of 3 numbers"},
        {"joints: [{type: distance, between: [upper.b, lower.a]}]", "6:10", "give length"},
        {"joints: [{type: distance, between: [upper, lower], length: 1, limits: [0, 1]}]", NULL,
         "not both"},
        {"joints: [{type: distance, between: [upper, lower], spring: {stiffness: 1}, drive: 1}]",
         NULL, "an elastic distance has no drive"},
    };
    REFUSE_ALL(ARMS, cases);
    const Bad space[] = {
        {"joints: [{type: screw, between: [a, b]}]", "7:10", "a screw joint needs lead"},
        {"joints: [{type: screw, between: [a, b], lead: 0}]", "7:47", "other than 0"},
        {"joints: [{type: screw, between: [a, b], lead: 1 mm, friction: 0.1}]", "7:53",
         "needs radius"},
        {"joints: [{type: screw, between: [a, b], lead: 1 mm, radius: 1 mm, thread-angle: 90 deg}]",
         NULL, "below 90 deg"},
        // tan(helix) = 20/(2π) = 3.183, so that the limit is 0.31416
        {"joints: [{type: screw, between: [a, b], lead: 20 mm, radius: 1 mm, friction: 0.32}]",
         "7:78", "= 0.314159 (theory.md (9.15))"},
        {"joints: [{type: ball, between: [a, b], friction: 0.1}]", "7:40",
         "needs radius, that of the ball"},
        {"joints: [{type: universal, between: [a, b], friction: 0.1}]", NULL,
         "needs radius, that of the pins"},
        {"joints: [{type: ball, between: [a, b], radius: 0.1}]", NULL, "it needs friction"},
        {"joints: [{type: ball, between: [a, b], axis: [1, 0, 0]}]", NULL, "has no axis"},
        {"joints: [{type: universal, between: [a, b], axis: [1, 0, 0], second-axis: [1, 1, 0]}]",
         NULL, "perpendicular"},
        {"joints: [{type: ball, between: [a, b], spring: {stiffness: 1}}]", NULL, "not supported"},
    };
    REFUSE_ALL(SPACE, space);
}

static void test_bad_others(void **state)
{
    (void)state;
    const Bad cases[] = {
        {ELBOW "}]\ncontrollers: [{joint: elbo, pd: {kp: 1}}]", "7:23", "there is no joint"},
        {ELBOW "}]\ncontrollers: [{joint: e}]", "7:15", "a controller needs pd"},
        {ELBOW "}]\ncontrollers: [{pd: {kp: 1}}]", "7:15", "a controller needs joint"},
        {ELBOW "}]\ncontrollers: [{joint: e, pd: {kp: 1, ki: 1}}]", "7:38", "ki needs every"},
        {ELBOW "}]\ncontrollers: [{joint: e, pd: {kp: 1 N/m}}]", NULL, "kp must be"},
        {ELBOW "}]\ncontrollers: [{joint: e, pd: {kp: 1}, limit: 0}]", NULL, "limit must be"},
        {ELBOW "}]\ncontrollers: [{joint: e, pd: {kp: 1}, every: -1}]", NULL, "every must be"},
        {ELBOW "}]\ncontrollers: [{joint: e, pd: {target: 1 mm}}]", NULL, "target must be"},
        {ELBOW ", drive: 1}]\ncontrollers: [{joint: e, pd: {kp: 1}}]", "7:23", "is driven already"},
        {ELBOW ", drive: 1}]\nstart: [{joint: e, position: 1}]", "7:17", "is driven"},
        {ELBOW "}]\nloads: [{joint: f, torque: 1}]", "7:17", "there is no joint \"f\""},
        {ELBOW "}]\nloads: [{joint: e, force: 1}]", "7:20", "is a torque"},
        {ELBOW "}]\nloads: [{joint: e, torque: 1, at: upper.a}]", NULL, "has no at"},
        {ELBOW "}]\nloads: [{joint: e}]", "7:9", "needs torque"},
        {ELBOW "}]\nloads: [{body: upper, joint: e, torque: 1}]", NULL, "not two of them"},
        {ELBOW "}]\nstart: [{joint: e}]", "7:9", "position or velocity"},
        {ELBOW "}]\nstart: [{joint: e, position: 1 m}]", NULL, "position must be an angle"},
        {ELBOW "}]\nstart: [{joint: e, slip: 1}]", NULL, "unknown key"},
        {"loads: [{body: upper, force: [1/t, 0]}]", NULL, "division by zero"},
        {"loads: [{body: upper, force: [1, {tabel: []}]}]", NULL, "unknown key"},
        {"loads: [{body: upper, force: [1, {table: [[0, 1], [0, 2]]}]}]", "6:51",
         "must ascend: 0 follows 0"},
    };
    REFUSE_ALL(ARMS, cases);
    const Bad bodies[] = {
        {"{name: a, drive: {}}", NULL, "drive needs position or angle"},
        {"{name: a, drive: 3}", NULL, "drive must be a mapping"},
        {"{name: a, drive: {position: 3}}", NULL, "position must be a list of 2"},
        {"{name: a, drive: {angle: 1, axis: [0, 0, 1]}}", NULL, "for scenes in space"},
        {"{name: a, fixed: false, drive: {angle: 1}}", NULL, "contradicts"},
        {"{name: a, velocity: [0, 1], drive: {angle: 1}}", "3:15", "a driven body has no velocity"},
    };
    REFUSE_ALL("sprag: 1\nbodies:\n  - ", bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),         cmocka_unit_test(test_space),
        cmocka_unit_test(test_formulas),      cmocka_unit_test(test_exact),
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_controllers),
        cmocka_unit_test(test_driven_bodies), cmocka_unit_test(test_include),
        cmocka_unit_test(test_updates),       cmocka_unit_test(test_repeat_and_set),
        cmocka_unit_test(test_bad_joints),    cmocka_unit_test(test_bad_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

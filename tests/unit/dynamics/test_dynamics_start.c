// Placing bodies at t = 0: `start`, overlaps, closing of small gaps.
#include "planar_scene.h"

// Placing must fail, and the message have all these parts.
static void refuse(Scene *scene, const char *part, const char *other)
{
    SpragStatus status = sprag_system_create_model(scene->model, &scene->system);
    assert_int_equal(status, SPRAG_ERROR_INPUT);
    assert_null(scene->system);
    const char *message = sprag_context_message(scene->context);
    if (!strstr(message, part) || !strstr(message, other))
        fail_msg("\"%s\" does not say %s … %s", message, part, other);
}

static double gap_of(Scene *scene, const char *name, double *rate, double *slip)
{
    SpragContactKinematics kinematics[64];
    SpragContactTolerances tolerances = sprag_system_tolerances(scene->system, scene->v);
    assert_ok(scene->context, sprag_system_kinematics(scene->system, 0, scene->q, scene->v,
                                                      &tolerances, kinematics));
    int slot = sprag_collider_find_slot(sprag_system_collider(scene->system), name);
    assert_true(slot >= 0);
    if (rate)
        *rate = kinematics[slot].gap_rate;
    if (slip)
        *slip = kinematics[slot].slip[0];
    return kinematics[slot].gap;
}

static SpragStart contact_line(char *name, int line)
{
    SpragStart start = {.kind = SPRAG_START_CONTACT, .contact = name, .line = line};
    return start;
}

static void add_line(Scene *scene, SpragStart start)
{
    assert_ok(scene->context, sprag_model_add_start(scene->model, &start, NULL));
}

// A table (plane y = 0) and a box of 1 × 1.
static void add_box(Scene *scene, double x, double y, double angle, bool angle_given)
{
    world_body(scene->model, "table", true, 0, 0, 0);
    int box = world_body(scene->model, "box", false, x, y, angle);
    scene->model->bodies[box].angle_given = angle_given;
    world_plane(scene->model, 0, 0, 0);
    world_box(scene->model, box, 1, 1);
}

static void test_nearest_of_many(void **state)
{
    (void)state;
    Scene scene = open_scene();
    add_box(&scene, 3, 2, 0.2, false);
    SpragStart start = {.kind = SPRAG_START_CONTACT, .gap = 0.001, .slip_given = true, .slip = -1};
    start.between[0] = (SpragSelector){SPRAG_SELECT_BODY, 1, 0};
    start.between[1] = (SpragSelector){SPRAG_SELECT_BODY, 0, 0};
    add_line(&scene, start);
    place(&scene);
    double rate, slip;
    assert_close(gap_of(&scene, "box.c0-table", &rate, &slip), 0.001, 1e-15);
    assert_close(rate, 0, 1e-15);
    assert_close(slip, -1, 1e-15);
    // the smallest shift is straight down, without turning
    assert_close(scene.q[0], 3, 0);
    assert_close(scene.q[2], 0.2, 0);
    assert_close(scene.v[2], 0, 0);
    close_scene(&scene);
}

static void test_angle_turns_only_if_needed_and_free(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        Scene scene = open_scene();
        add_box(&scene, 0, 1, 0.1, given);
        add_line(&scene, contact_line((char[]){"box.c0-table"}, 30));
        add_line(&scene, contact_line((char[]){"box.c1-table"}, 31));
        if (given) {
            refuse(&scene, "start: ", "cannot be made 0: residual");
        } else {
            place(&scene);
            assert_close(scene.q[2], 0, 1e-14);
            assert_close(scene.q[1], 0.5, 1e-14);
        }
        close_scene(&scene);
    }
}

static void test_spin_turns_only_if_needed_and_free(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        Scene scene = open_scene();
        add_box(&scene, 0, 1, 0, true);
        scene.model->bodies[1].spin = 2;
        scene.model->bodies[1].spin_given = given;
        add_line(&scene, contact_line((char[]){"box.c0-table"}, 30));
        add_line(&scene, contact_line((char[]){"box.c1-table"}, 31));
        if (given) {
            refuse(&scene, "normal velocity of box.c", "m/s");
        } else {
            place(&scene);
            assert_close(scene.v[2], 0, 1e-14);
        }
        close_scene(&scene);
    }
}

static void test_points(void **state)
{
    (void)state;
    Scene scene = open_scene();
    int rod = world_body(scene.model, "rod", false, 0, 0, 0.5);
    scene.model->bodies[rod].spin = 3;
    world_rod(scene.model, rod, 2);
    SpragStart start = {.kind = SPRAG_START_POINT, .at_given = true, .velocity_given = true};
    start.point = (SpragPlace){rod, {1, 0, 0}};
    start.at = sprag_vec3(4, 1, 0);
    start.velocity = sprag_vec3(-1, 2, 0);
    add_line(&scene, start);
    place(&scene);
    assert_close(scene.q[0], 4 - cos(0.5), 1e-14);
    assert_close(scene.q[1], 1 - sin(0.5), 1e-14);
    assert_close(scene.v[0], -1 + 3 * sin(0.5), 1e-14);
    assert_close(scene.v[1], 2 - 3 * cos(0.5), 1e-14);
    close_scene(&scene);
}

static void test_impact_velocity(void **state)
{
    (void)state;
    Scene scene = open_scene();
    add_box(&scene, 0, 1, 0, true);
    SpragStart start = contact_line((char[]){"box.c0-table"}, 0);
    start.normal_velocity_given = start.slip_given = true;
    start.normal_velocity = -2;
    start.slip = 0.5;
    add_line(&scene, start);
    place(&scene);
    double rate, slip;
    assert_close(gap_of(&scene, "box.c0-table", &rate, &slip), 0, 0);
    assert_close(rate, -2, 1e-15);
    assert_close(slip, 0.5, 1e-15);
    close_scene(&scene);
}

static void test_shortest_way(void **state)
{
    (void)state;
    // a free disc is brought to a fixed one along the line of centres
    Scene scene = open_scene();
    world_body(scene.model, "pin", true, 1, 1, 0);
    world_body(scene.model, "disc", false, 4, 5, 0);
    world_circle(scene.model, 0, 0, 0, 0.5);
    world_circle(scene.model, 1, 0, 0, 1);
    add_line(&scene, contact_line((char[]){"disc-pin"}, 0));
    place(&scene);
    assert_close(scene.q[0], 1 + 1.5 * 0.6, 1e-14);
    assert_close(scene.q[1], 1 + 1.5 * 0.8, 1e-14);
    close_scene(&scene);
    // a disc between two planes at right angles: both at once, the corner's only point
    scene = open_scene();
    world_body(scene.model, "ground", true, 0, 0, 0);
    world_body(scene.model, "disc", false, 4, 5, 0);
    world_plane(scene.model, 0, atan(1), 0);
    world_plane(scene.model, 0, -atan(1), 0);
    world_circle(scene.model, 1, 0, 0, 1);
    add_line(&scene, contact_line((char[]){"disc-ground.0"}, 0));
    add_line(&scene, contact_line((char[]){"disc-ground.1"}, 0));
    place(&scene);
    assert_close(scene.q[0], 0, 1e-14);
    assert_close(scene.q[1], sqrt(2), 1e-14);
    close_scene(&scene);
}

static void test_disc_on_two_discs(void **state)
{
    (void)state;
    Scene scene = open_scene();
    world_body(scene.model, "a", true, -1, 0, 0);
    world_body(scene.model, "b", true, 1, 0, 0);
    world_body(scene.model, "disc", false, 0.3, 4, 0);
    for (int i = 0; i < 3; i++)
        world_circle(scene.model, i, 0, 0, 1);
    add_line(&scene, contact_line((char[]){"disc-a"}, 0));
    add_line(&scene, contact_line((char[]){"disc-b"}, 0));
    place(&scene);
    assert_close(scene.q[0], 0, 1e-13);
    assert_close(scene.q[1], sqrt(3), 1e-13);
    close_scene(&scene);
}

static void test_rod_through_a_table(void **state)
{
    (void)state;
    // at [0, 0] the lower tip has come out below a thin table: it is lifted onto it all the same
    Scene scene = open_scene();
    world_body(scene.model, "table", true, 0, -0.05, 0);
    world_body(scene.model, "rod", false, 0, 0, 0.7);
    world_box(scene.model, 0, 4, 0.1);
    world_rod(scene.model, 1, 2);
    add_line(&scene, contact_line((char[]){"rod.a-table"}, 0));
    place(&scene);
    assert_close(scene.q[0], 0, 1e-15);
    assert_close(scene.q[1], sin(0.7), 1e-15);
    close_scene(&scene);
    // a box in the middle of a table that is thinner than itself
    scene = open_scene();
    world_body(scene.model, "table", true, 0, -0.05, 0);
    world_body(scene.model, "box", false, 0, 0, 0);
    world_box(scene.model, 0, 4, 0.1);
    world_box(scene.model, 1, 0.2, 0.2);
    SpragStart start = {.kind = SPRAG_START_CONTACT};
    start.between[0] = (SpragSelector){SPRAG_SELECT_BODY, 1, 0};
    start.between[1] = (SpragSelector){SPRAG_SELECT_BODY, 0, 0};
    add_line(&scene, start);
    place(&scene);
    assert_close(scene.q[1], 0.1, 1e-15);
    close_scene(&scene);
}

static void test_unknown_names(void **state)
{
    (void)state;
    Scene scene = open_scene();
    add_box(&scene, 0, 1, 0, true);
    add_line(&scene, contact_line((char[]){"tip"}, 17));
    refuse(&scene, "start: there is no contact \"tip\"", "box.c0-table");
    close_scene(&scene);
}

// Reads a scene whose bodies cannot be placed; what follows "file:line:column: " must begin so.
static void refuse_text(const char *text, const SpragSceneSettings *settings, const char *expected)
{
    SpragContext *context = test_context();
    SpragScene *scene = NULL;
    SpragSystem *system = NULL;
    assert_ok(context,
              sprag_scene_read_text(context, "a.yaml", text, strlen(text), settings, &scene));
    assert_int_equal(sprag_system_create_model(sprag_scene_model(scene), &system),
                     SPRAG_ERROR_INPUT);
    const char *message = sprag_context_message(context);
    if (strncmp(message, expected, strlen(expected)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", message, expected);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_messages_name_file_and_line(void **state)
{
    (void)state;
    static const char text[] =
        "sprag: 1\nbodies:\n"
        "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
        "  - {name: box, mass: 1, position: [0, 0.05], angle: 0, shapes: [{box: {size: [0.2, "
        "0.2]}}]}\n"
        "start:\n  - {contact: [box.c0, table]}\n  - {contact: [box.c2, table], gap: 0.5}\n";
    refuse_text(text, NULL, "a.yaml:7:5: start: gap of box.c2-table cannot be made 0.5: residual");
    SpragSceneSet set = {"start", "[]"};
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = &set;
    settings.set_count = 1;
    refuse_text(text, &settings, "a.yaml:4:5: box lies 0.05 m inside table (contact box.c0-table)");
    // what --set brought in stands nowhere in the file
    set.value = "[{contact: top}]";
    refuse_text(text, &settings, "a.yaml: start: there is no contact \"top\"");
}

static void test_overlaps(void **state)
{
    (void)state;
    Scene scene = open_scene();
    add_box(&scene, 0, 0.48, 0, true);
    refuse(&scene, "box lies 0.02 m inside table", "contact box.c0-table");
    close_scene(&scene);
    // what is within tolerance is closed exactly, angle errors too
    for (int i = 0; i < 3; i++) {
        scene = open_scene();
        add_box(&scene, 0, 0.5 + (i - 1) * 1e-10, 2e-10, true);
        place(&scene);
        assert_close(gap_of(&scene, "box.c0-table", NULL, NULL), 0, 1e-15);
        assert_close(gap_of(&scene, "box.c1-table", NULL, NULL), 0, 1e-15);
        assert_close(scene.q[1], 0.5, 1e-9);
        close_scene(&scene);
    }
    // a penetration asked for by start is no mistake
    scene = open_scene();
    add_box(&scene, 0, 1, 0, true);
    SpragStart start = contact_line((char[]){"box.c0-table"}, 0);
    start.gap = -0.01;
    add_line(&scene, start);
    place(&scene);
    assert_close(scene.q[1], 0.49, 1e-15);
    close_scene(&scene);
}

static void test_stack_is_placed(void **state)
{
    (void)state;
    // three boxes of equal width, each on the one below, only lines of start say so
    Scene scene = open_scene();
    world_body(scene.model, "table", true, 0, 0, 0);
    world_plane(scene.model, 0, 0, 0);
    const char *names[] = {"low", "middle", "top"};
    for (int i = 0; i < 3; i++) {
        world_body(scene.model, names[i], false, 0, 1.5 * i + 0.8, 0);
        world_box(scene.model, i + 1, 1, 1);
        SpragStart start = {.kind = SPRAG_START_CONTACT};
        start.between[0] = (SpragSelector){SPRAG_SELECT_BODY, i + 1, 0};
        start.between[1] = (SpragSelector){SPRAG_SELECT_BODY, i, 0};
        add_line(&scene, start);
    }
    place(&scene);
    for (int i = 0; i < 3; i++)
        assert_close(scene.q[3 * i + 1], 0.5 + i, 1e-14);
    SpragContactTolerances tolerances = sprag_system_tolerances(scene.system, scene.v);
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, scene.context);
    assert_ok(scene.context,
              sprag_system_build_problem(scene.system, 0, scene.q, scene.v, &tolerances, &problem));
    assert_int_equal(problem.constraint_count, 6);
    sprag_contact_problem_destroy(&problem);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_of_many),
        cmocka_unit_test(test_angle_turns_only_if_needed_and_free),
        cmocka_unit_test(test_spin_turns_only_if_needed_and_free),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_impact_velocity),
        cmocka_unit_test(test_shortest_way),
        cmocka_unit_test(test_disc_on_two_discs),
        cmocka_unit_test(test_rod_through_a_table),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_messages_name_file_and_line),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_stack_is_placed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

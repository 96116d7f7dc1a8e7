// --set: parameters, paths, new keys, and what is refused.
#include "scene_support.h"

static const char *const SCENE =
    "sprag: 1\n"
    "parameters: {mu: {value: 0.27, from: 0, to: 2}, theta: 42.3 deg}\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
    "  - {name: rod, mass: 1, angle: theta, shapes: [{rod: {length: 1}}], position: [1, 2]}\n"
    "contacts:\n"
    "  - {name: tip, between: [rod.a, table], friction: mu}\n"
    "  - {between: [rod.b, table]}\n";

static SpragScene *read_sets(SpragContext *context, const SpragSceneSet *sets, int count)
{
    SpragScene *scene = NULL;
    assert_ok(context, read_with(context, SCENE, sets, count, &scene));
    return scene;
}

static void test_values(void **state)
{
    (void)state;
    const SpragSceneSet sets[] = {
        {"mu", "0.4"},
        {"theta", "2*mu"},
        {"bodies.rod.spin", "300 rpm"},
        {"bodies.1.velocity", "[3, 4]"},
        {"bodies.rod.position.1", "7 cm"},
        {"bodies.rod.shapes.0.rod.length", "2"},
        {"contacts.1.friction", "{static: 2, kinetic: 1}"},
        {"contacts.tip.restitution", "0.5"},
        {"simulate.until", "2"},
        {"gravity", "[0, -1.62]"},
        {"name", "moon: rod"},
        {"materials.ice", "{friction: 0.01}"},
    };
    SpragContext *context = test_context();
    // "moon: rod" is a mapping in YAML, and no name: quoted it is a text
    SpragSceneSet quoted[sizeof sets / sizeof *sets];
    memcpy(quoted, sets, sizeof sets);
    quoted[10].value = "'moon: rod'";
    SpragScene *scene = read_sets(context, quoted, (int)(sizeof sets / sizeof *sets));
    const SpragModel *model = sprag_scene_model(scene);
    const SpragBody *rod = &model->bodies[1];
    assert_true(model->parameters[0].value == 0.4 && model->parameters[0].has_range);
    assert_close(rod->angle, 0.8, 1e-16);
    assert_close(rod->spin, 10 * 3.14159265358979323846, 1e-14);
    assert_true(rod->velocity[1] == 4 && rod->position[0] == 1);
    assert_close(rod->position[1], 0.07, 1e-16);
    assert_close(rod->inertia, 4.0 / 12, 1e-15);
    assert_true(model->rules[0].friction.kinetic == 0.4 && model->rules[0].restitution.e == 0.5);
    assert_true(model->rules[1].friction.stationary == 2);
    assert_true(model->simulate.until == 2 && model->gravity[1] == -1.62);
    assert_string_equal(sprag_scene_name(scene), "moon: rod");
    assert_int_equal(model->material_count, 1);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_order(void **state)
{
    (void)state;
    // later ones win; a whole entry may be replaced and then changed
    const SpragSceneSet sets[] = {
        {"mu", "1"},
        {"mu", "0.5"},
        {"bodies.rod", "{name: rod, mass: 3, shapes: [{rod: {length: 1}}]}"},
        {"bodies.rod.angle", "90 deg"}};
    SpragContext *context = test_context();
    SpragScene *scene = read_sets(context, sets, 4);
    const SpragModel *model = sprag_scene_model(scene);
    assert_true(model->parameters[0].value == 0.5 && model->bodies[1].mass == 3);
    assert_close(model->bodies[1].angle, 1.5707963267948966, 1e-15);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *path, *value, *message;
    } cases[] = {
        {"mo", "1", "--set mo: there is no parameter or key \"mo\"; did you mean \"mu\"?"},
        {"mu", "-1", "s.yaml:7:52: friction must be a number ≥ 0, got mu = -1"},
        {"mu", "", "--set mu: there is nothing in it"},
        {"mu", "[", "--set mu: not valid YAML"},
        {"mu", "\xff", "--set mu: a byte that is not UTF-8"},
        {"mu", "1/0", "--set mu: mu: division by zero in \"1/0\""},
        {"mu", "nu", "--set mu: mu: \"nu\" is no parameter"},
        {"bodies.rd.angle", "1",
         "--set bodies.rd.angle: there is no entry \"rd\" in a list of 2; "
         "did you mean \"rod\"?"},
        {"bodies.7.angle", "1", "no entry \"7\" in a list of 2"},
        {"bodies.-1.angle", "1", "no entry \"-1\""},
        {"bodies.99999999999999999999.angle", "1", "no entry"},
        {"bodeis.rod.angle", "1", "there is no \"bodeis\"; did you mean \"bodies\"?"},
        {"bodies.rod.spn", "1",
         "--set bodies.rod.spn: unknown key \"spn\"; did you mean \"spin\"?"},
        {"bodies.rod.spin", "1 m", "--set bodies.rod.spin: spin must be an angular velocity"},
        {"bodies.rod.mass.x", "1", "nothing below a single value"},
        {"contacts.tip.friction.static", "1", "nothing below a single value"},
        {"bodies.rod.foo.bar", "1", "there is no \"foo\""},
        {"bodies..x", "1", "a path has the form"},
        {"", "1", "there is no parameter or key \"\""},
        {".", "1", "a path has the form"},
        {"bodies.", "1", "a path has the form"},
        {"loads.0.force", "[0, 1]", "there is no \"loads\""},
        {"simulate.untill", "1", "did you mean \"until\"?"},
        {"bodies.rod", "3", "--set bodies.rod: a body must be a mapping"},
        {"sprag", "2", "--set sprag: format version 2"},
        {"mu", "1\n---\n2", "--set mu: a second document"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragSceneSet set = {cases[i].path, cases[i].value};
        SpragScene *scene;
        SpragStatus status = read_with(context, SCENE, &set, 1, &scene);
        const char *message = sprag_context_message(context);
        if (status != SPRAG_ERROR_INPUT || !strstr(message, cases[i].message))
            fail_msg("%s=%s: %s, wanted %s", cases[i].path, cases[i].value, message,
                     cases[i].message);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

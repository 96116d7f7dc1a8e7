// test_scene_include.c: scenes made of other files: names, parameters, places, messages, circles.
#include "file_support.h"

// A rod on a table of its own, with everything that names something.
static const char PART[] = "sprag: 1\n"
                           "parameters: {length: 1 m, mu: 0.3}\n"
                           "materials: {default: {friction: mu}, wood: {friction: 0.5}}\n"
                           "bodies:\n"
                           "  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
                           "  - name: rod\n"
                           "    mass: 1\n"
                           "    position: [1, 0]\n"
                           "    velocity: [2, 0]\n"
                           "    angle: 0.25\n"
                           "    shapes: [{rod: {length: length}, material: wood}]\n"
                           "    sites: {top: [length/2, 0]}\n"
                           "contacts: [{name: tip, between: [rod.a, table], friction: mu}]\n"
                           "joints: [{name: cord, type: distance, between: [world, rod.top], at: "
                           "[3, 0], spring: {stiffness: 1}}]\n"
                           "loads: [{body: rod, force: [5, 0], at: rod.top}]\n"
                           "start: [{contact: tip}, {contact: rod.a-table}, {point: rod.b, at: "
                           "[0, 2]}]\n"
                           "simulate: {until: 7}\n";

static void test_names_and_places(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "part.yaml", PART);
    folder_put(&folder, "s.yaml",
               "sprag: 1\nparameters: {size: 4}\n"
               "include:\n"
               "  - {file: part.yaml, name: one}\n"
               "  - {file: ./part.yaml, name: two, position: [10, 20], angle: 90 deg, set: "
               "{length: size/2}}\n"
               "bodies: [{name: ball, mass: 1, shapes: [{circle: {radius: 1}}]}]\n"
               "contacts: [{between: [ball, two/table], friction: 0.9}]\n");
    SpragScene *scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->body_count, 5);
    assert_string_equal(model->bodies[1].name, "one/rod");
    assert_string_equal(model->bodies[3].name, "two/rod");
    assert_string_equal(model->bodies[4].name, "ball"); // the scene's own come last
    // the first stands as its file says, the second is turned and moved
    assert_close(model->bodies[1].position[0], 1, 0);
    assert_close(model->bodies[1].angle, 0.25, 0);
    assert_close(model->bodies[3].position[0], 10, 1e-15);
    assert_close(model->bodies[3].position[1], 21, 1e-15);
    assert_close(model->bodies[3].velocity[1], 2, 1e-15);
    assert_close(model->bodies[3].angle, 0.25 + acos(0), 1e-15);
    SpragPlace place;
    assert_true(sprag_model_find_place(model, "one/rod.top", &place));
    assert_close(place.local.x, 0.5, 0);
    assert_true(sprag_model_find_place(model, "two/rod.top", &place));
    assert_close(place.local.x, 1, 0);
    // materials, rules, springs, loads and start lines are those of their files
    int wood = sprag_model_find_material(model, "two/wood");
    assert_true(wood >= 0 && sprag_model_find_material(model, "wood") < 0);
    assert_int_equal(model->shapes[3].material, wood);
    assert_string_equal(model->rules[1].name, "two/tip");
    assert_null(model->rules[2].name); // the scene's own
    assert_int_equal(model->springs[1].ends[1].body, 3);
    assert_close(model->springs[1].ends[0].local.x, 10, 1e-15);
    assert_close(model->springs[1].ends[0].local.y, 23, 1e-15);
    assert_close(model->loads[1].force[1], 5, 1e-15);
    assert_int_equal(model->loads[1].body, 3);
    assert_string_equal(model->starts[3].contact, "two/tip");
    assert_string_equal(model->starts[4].contact, "two/rod.a-two/table");
    assert_close(model->starts[5].at.x, 8, 1e-15);
    assert_close(model->starts[5].at.y, 20, 1e-15);
    assert_close(model->simulate.until, 1, 0); // settings are the scene's
    bool said = false;
    for (int i = 0; i < sprag_scene_note_count(scene); i++)
        said |= strstr(sprag_scene_note(scene, i), "simulate of ") != NULL;
    assert_true(said);
    sprag_scene_destroy(scene);
    folder_close(&folder);
    sprag_context_destroy(context);
}

static void test_sets(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "part.yaml", PART);
    folder_put(&folder, "s.yaml",
               "sprag: 1\nparameters: {n: 2}\ninclude:\n  - {file: part.yaml, name: p$(i), repeat: "
               "{i: n}, position: [3*i, 0], set: {mu: 0.1*(i + 1)}}\n");
    const SpragSceneSet sets[] = {{"n", "3"},
                                  {"p1/length", "5"},
                                  {"p2/mu", "0.7"},
                                  {"bodies.p2/rod.mass", "8"},
                                  {"contacts.p0/tip.friction", "0.9"},
                                  {"materials.p1/wood.friction", "0.6"}};
    SpragScene *scene = folder_read(&folder, context, "s.yaml", sets, 6);
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->body_count, 6);
    assert_close(model->bodies[3].position[0], 4, 1e-15);
    assert_close(model->bodies[5].mass, 8, 0);
    assert_close(model->shapes[3].vertices[1].x, 2.5, 0);
    assert_close(model->rules[0].friction.kinetic, 0.9, 0);
    assert_close(model->rules[1].friction.kinetic, 0.2, 1e-16);
    assert_close(model->rules[2].friction.kinetic, 0.7, 0);
    assert_close(model->materials[3].friction.kinetic, 0.6, 0);
    sprag_scene_destroy(scene);
    char path[160];
    folder_path(&folder, "s.yaml", path);
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = &(SpragSceneSet){"bodies.p2/rodd.mass", "8"};
    settings.set_count = 1;
    assert_int_equal(sprag_scene_read(context, path, &settings, &scene), SPRAG_ERROR_INPUT);
    folder_close(&folder);
    sprag_context_destroy(context);
}

// In space, two levels deep: turns and prefixes add up; a mesh is beside the file that names it.
static void test_space(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    char path[160];
    folder_path(&folder, "sub", path);
    assert_int_equal(mkdir(path, 0700), 0);
    folder_put(&folder, "sub/t.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 "
               "4\nf 1 4 3\n");
    folder_put(
        &folder, "sub/inner.yaml",
        "sprag: 1\ndimension: 3\nbodies: [{name: tetra, density: 6, com: auto, position: [1, "
        "0, 0], spin: [0, 0, 1], shapes: [{mesh: {file: t.obj}}]}]\n");
    folder_put(
        &folder, "outer.yaml",
        "sprag: 1\ndimension: 3\ninclude: [{file: sub/inner.yaml, name: in, position: [0, 0, "
        "5], orientation: {axis: [0, 0, 1], angle: 90 deg}}]\n");
    folder_put(&folder, "s.yaml",
               "sprag: 1\ndimension: 3\ninclude: [{file: outer.yaml, name: out, position: [0, 0, "
               "100], orientation: {axis: [1, 0, 0], angle: 90 deg}}]\n");
    SpragScene *scene = folder_read(&folder, context, "s.yaml", NULL, 0);
    const SpragBody *body = &sprag_scene_model(scene)->bodies[0];
    assert_string_equal(body->name, "out/in/tetra");
    assert_close(body->mass, 1, 1e-15);
    // (1, 0, 0) → (0, 1, 5) → (0, −5, 1) + (0, 0, 100)
    assert_close(body->position[0], 0, 1e-14);
    assert_close(body->position[1], -5, 1e-14);
    assert_close(body->position[2], 101, 1e-13);
    assert_close(body->angular[1], -1, 1e-15); // z → −y
    SpragMat3 R = sprag_quaternion_matrix(body->orientation);
    SpragVec3 x = sprag_mat3_apply(&R, sprag_vec3(1, 0, 0)); // → y → z
    assert_close(x.z, 1, 1e-15);
    sprag_scene_destroy(scene);
    folder_close(&folder);
    char sub[160];
    folder_path(&folder, "sub", sub);
    rmdir(sub);
    rmdir(folder.path);
    sprag_context_destroy(context);
}

static void test_bad(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "part.yaml", PART);
    static const struct {
        const char *entry, *fragment;
    } bad[] = {
        {"{name: x}", "s.yaml:2:11: include needs file"},
        {"{file: none.yaml}", "none.yaml cannot be read"},
        {"{file: .}", "is not a file"},
        {"{file: arm.urdf}", "not supported in this version"},
        {"{file: part.yaml, nme: x}", "did you mean \"name\""},
        {"{file: part.yaml, name: on}", "is reserved"},
        {"{file: part.yaml, name: p, set: {lenght: 2}}", "did you mean \"length\""},
        {"{file: part.yaml, name: p, set: {length: 1 kg}}", "length must be a length"},
        {"{file: part.yaml, name: p, set: 3}", "set must be a mapping"},
        {"{file: part.yaml, name: p, position: [0, 0, 0]}", "list of 2 numbers"},
        {"{file: part.yaml, name: p, orientation: {}}", "in the plane give angle"},
        {"{file: s.yaml}", "a circle of files: "},
        {"{file: a.yaml}", "/b.yaml, which includes "},
        {"{file: bad.yaml, name: p}", "bad.yaml:3:42: radius must be a number > 0, got -1"},
        {"{file: name.yaml, name: p}", "name.yaml:4:23: between: there is no body or material "
                                       "\"p/tabel\"; did you mean \"p/table\""},
        {"{file: space.yaml}", "space.yaml:2:12: the file has dimension 3"},
        {"{file: lcp.yaml}", "only a file with bodies"},
        {"{file: broken.yaml}", "broken.yaml:3:1: not valid YAML"},
        {"{file: empty.yaml}", "empty.yaml:1:1"},
        {"{file: list.yaml}", "begins with sprag: 1"},
        {"{file: version.yaml}", "version of the format"},
        {"{file: key.yaml}", "key.yaml:2:1: unknown key \"bodys\""},
        {"{file: part.yaml, name: p}, {file: part.yaml, name: p}", "is given twice"},
    };
    folder_put(&folder, "a.yaml", "sprag: 1\ninclude: [{file: b.yaml}]\n");
    folder_put(&folder, "b.yaml", "sprag: 1\ninclude: [{file: a.yaml}]\n");
    folder_put(&folder, "bad.yaml",
               "sprag: 1\nbodies:\n  - {name: b, shapes: [{circle: {radius: -1}}]}\n");
    folder_put(&folder, "name.yaml",
               "sprag: 1\nbodies:\n  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
               "contacts: [{between: [tabel, table]}]\n");
    folder_put(&folder, "space.yaml", "sprag: 1\ndimension: 3\nbodies: []\n");
    folder_put(&folder, "lcp.yaml", "sprag: 1\nproblem: lcp\nM: [[1]]\nq: [1]\n");
    folder_put(&folder, "broken.yaml", "sprag: 1\nbodies: [\n");
    folder_put(&folder, "empty.yaml", "");
    folder_put(&folder, "list.yaml", "- 1\n");
    folder_put(&folder, "version.yaml", "bodies: []\n");
    folder_put(&folder, "key.yaml", "sprag: 1\nbodys: []\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        snprintf(text, sizeof text, "sprag: 1\ninclude: [%s]\n", bad[i].entry);
        folder_put(&folder, "s.yaml", text);
        folder_refuse(&folder, context, "s.yaml", bad[i].fragment);
    }
    folder_put(&folder, "s.yaml", "sprag: 1\ninclude: 3\n");
    folder_refuse(&folder, context, "s.yaml", "include must be a list");
    folder_close(&folder);
    sprag_context_destroy(context);
}

// A parameter of an included file, and the place of an include, as variables of a map.
static void test_source(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "part.yaml", PART);
    folder_put(
        &folder, "s.yaml",
        "sprag: 1\ninclude:\n  - {file: part.yaml, name: p, position: [1, 2], angle: 0, set: "
        "{mu: 0.2}}\n");
    char path[160];
    folder_path(&folder, "s.yaml", path);
    SpragSceneSource *source;
    assert_ok(context, sprag_scene_source_create(context, path, NULL, &source));
    assert_ok(context, sprag_scene_source_add_variable(source, "p/length"));
    assert_ok(context, sprag_scene_source_add_variable(source, "include.p.angle"));
    assert_ok(context, sprag_scene_source_add_variable(source, "p/mu"));
    assert_close(sprag_scene_source_variable(source, 0)->value, 1, 0);
    assert_close(sprag_scene_source_variable(source, 2)->value, 0.2, 0);
    SpragScene *scene;
    const double first[] = {2, 0.5, 0.4}, second[] = {3, -0.7, 0.6};
    assert_ok(context, sprag_scene_source_build(source, first, &scene));
    const SpragModel *model = sprag_scene_model(scene);
    assert_close(model->shapes[1].vertices[1].x, 1, 0);
    assert_close(model->bodies[1].position[1], 2 + sin(0.5), 1e-15);
    assert_close(model->rules[0].friction.kinetic, 0.4, 0);
    // other values in place are what a new scene would have
    SpragSceneChange change;
    assert_ok(context, sprag_scene_source_update(source, second, scene, &change));
    assert_int_equal(change, SPRAG_SCENE_NUMBERS);
    SpragScene *fresh;
    SpragSceneSource *other;
    assert_ok(context, sprag_scene_source_create(context, path, NULL, &other));
    assert_ok(context, sprag_scene_source_add_variable(other, "p/length"));
    assert_ok(context, sprag_scene_source_add_variable(other, "include.p.angle"));
    assert_ok(context, sprag_scene_source_add_variable(other, "p/mu"));
    assert_ok(context, sprag_scene_source_build(other, second, &fresh));
    const SpragModel *wanted = sprag_scene_model(fresh);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(model->bodies[i].position, wanted->bodies[i].position,
                            sizeof wanted->bodies[i].position);
        assert_close(model->bodies[i].angle, wanted->bodies[i].angle, 0);
        assert_close(model->bodies[i].inertia, wanted->bodies[i].inertia, 0);
    }
    assert_close(model->rules[0].friction.kinetic, 0.6, 0);
    assert_close(model->loads[0].force[1], wanted->loads[0].force[1], 0);
    sprag_scene_destroy(scene);
    sprag_scene_destroy(fresh);
    sprag_scene_source_destroy(source);
    sprag_scene_source_destroy(other);
    folder_close(&folder);
    sprag_context_destroy(context);
}

static void test_memory(void **state)
{
    (void)state;
    Folder folder;
    folder_open(&folder);
    folder_put(&folder, "part.yaml", PART);
    folder_put(
        &folder, "s.yaml",
        "sprag: 1\ninclude: [{file: part.yaml, name: p$(i), repeat: {i: 2}, position: [i, 0], "
        "set: {length: 1 + i}}]\nbodies: [{name: b, mass: 1, shapes: [{circle: {radius: 1}}]}]\n");
    folder_read_short_of_memory(&folder, "s.yaml");
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_places),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

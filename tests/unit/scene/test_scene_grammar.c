// Good scenes: what each key becomes in the model.
#include "scene_support.h"

static const double PI = 3.14159265358979323846;

// The scene of INTERFACE with everything that planar scenes have.
static const char *const WHOLE =
    "sprag: 1\n"
    "name: whole\n"
    "description: every key\n"
    "source: nowhere\n"
    "x-mine: {anything: [1, 2]}\n"
    "dimension: 2\n"
    "gravity: [0, -1]\n"
    "parameters: {mu: {value: 0.27, from: 0, to: 2}, theta: 42.3 deg}\n"
    "materials:\n"
    "  default: {friction: mu, restitution: 0.1}\n"
    "  rubber: {friction: {static: 1.2, kinetic: 1, stribeck: 1 cm/s}, young: 2 MPa,\n"
    "           poisson-ratio: 0.49, restitution: {law: newton, e: 0.5}}\n"
    "bodies:\n"
    "  - name: table\n"
    "    fixed: true\n"
    "    surface-velocity: [0.5, 0]\n"
    "    shapes:\n"
    "      - plane: {normal: [0, 2], offset: 1 mm}\n"
    "      - {name: rail, chain: {points: [[0, 0], [1, 0], [1, 1]], closed: true},\n"
    "         material: rubber, surface-velocity: [0, 1]}\n"
    "  - name: rod\n"
    "    mass: 88 g\n"
    "    inertia: 1.606176e-3\n"
    "    position: [1, 2]\n"
    "    angle: theta\n"
    "    velocity: [3, 4]\n"
    "    spin: 60 rpm\n"
    "    shapes: [{rod: {length: 0.468}, x-colour: red}]\n"
    "    sites: {marker: [0.1, 0]}\n"
    "  - {name: foot, mass: 1, inertia: 0.01, com: [0.1, 0.2], sites: {s: [0.1, 0.3]},\n"
    "     shapes: [{points: {heel: [0, 0], toe: [0.3, 0]}}]}\n"
    "contacts:\n"
    "  - name: tip\n"
    "    between: [rod.a, table]\n"
    "    friction: {static: 0.3, kinetic: mu}\n"
    "    friction-law: coulomb\n"
    "    restitution: {law: poisson, e: 0.5}\n"
    "    compliance: {law: hunt-crossley, stiffness: 10 MN/m^1.5, alpha: 0.1 s/m, exponent: 1.5,\n"
    "                 tangential: {stiffness: 5 kN/m, damping: 2}}\n"
    "    model: compliant\n"
    "  - {between: [\"*\", rubber], compliance: {law: kelvin-voigt, epsilon: 1e-3, length: 1}}\n"
    "  - {between: [rod, foot.heel], collide: false}\n"
    "start:\n"
    "  - {contact: tip, slip: -1, gap: 1 mm}\n"
    "  - {contact: [foot.toe, table], velocity: [-1, 2]}\n"
    "  - {point: rod.b, at: [0, 1], velocity: [0, 0]}\n"
    "joints:\n"
    "  - {name: cord, type: distance, between: [world, rod.marker], at: [-0.5, 0], length: 0.5,\n"
    "     spring: {stiffness: 100, damping: 1, rest: 1 cm}}\n"
    "  - {type: distance, between: [[1, 1], foot.s], spring: {stiffness: 5 N/mm}}\n"
    "loads:\n"
    "  - {body: rod, force: [1, 2], torque: 3 N m, at: rod.marker, frame: body}\n"
    "  - {on: foot, force: [0, 1 kN]}\n"
    "outputs: {peak: {max: tip.normal}}\n"
    "expect: {verdict: unique}\n"
    "simulate: {motion: stepping, until: 0.4, step: 1 ms, tolerance: 1e-8, output-step: 2e-3,\n"
    "           contact-tolerance: 1e-7, branch: both, paradox: impulse, impacts: path}\n";

static void check_bodies(const SpragModel *model)
{
    assert_int_equal(model->body_count, 3);
    const SpragBody *table = &model->bodies[0], *rod = &model->bodies[1];
    assert_true(table->fixed && table->surface_velocity[0] == 0.5);
    assert_true(rod->mass == 0.088 && rod->inertia == 1.606176e-3);
    assert_true(rod->position[0] == 1 && rod->position[1] == 2 && rod->velocity[1] == 4);
    assert_close(rod->angle, 42.3 * PI / 180, 1e-15);
    assert_close(rod->spin, 2 * PI, 1e-15);
    assert_true(rod->angle_given && rod->spin_given && !model->bodies[2].angle_given);
    assert_int_equal(model->shape_count, 4);
    const SpragShape *plane = &model->shapes[0], *chain = &model->shapes[1];
    assert_true(plane->normal.y == 1 && plane->offset == 1e-3 && plane->material == 0);
    assert_true(chain->closed && chain->vertex_count == 3 && chain->material == 1);
    assert_true(chain->has_surface_velocity && chain->surface_velocity[1] == 1);
    assert_string_equal(chain->vertex_names[2], "p2");
    assert_string_equal(chain->name, "rail");
    const SpragShape *points = &model->shapes[3];
    assert_string_equal(points->vertex_names[1], "toe");
    assert_close(points->vertices[1].x, 0.2, 1e-16); // relative to the centre of mass
    assert_close(points->vertices[1].y, -0.2, 1e-16);
    assert_close(model->sites[1].local.y, 0.1, 1e-16);
    assert_true(model->bodies[2].com[0] == 0.1);
}

static void check_rules(const SpragModel *model)
{
    assert_int_equal(model->rule_count, 3);
    const SpragRule *tip = &model->rules[0], *any = &model->rules[1], *none = &model->rules[2];
    assert_string_equal(tip->name, "tip");
    assert_int_equal(tip->between[0].kind, SPRAG_SELECT_FEATURE);
    assert_int_equal(tip->between[1].kind, SPRAG_SELECT_BODY);
    assert_true(tip->friction.stationary == 0.3 && tip->friction.kinetic == 0.27);
    assert_true(tip->restitution.law == SPRAG_RESTITUTION_POISSON && tip->restitution.e == 0.5);
    assert_int_equal(tip->compliance.law, SPRAG_COMPLIANCE_HUNT_CROSSLEY);
    assert_true(tip->compliance.stiffness == 1e7 && tip->compliance.alpha == 0.1);
    assert_true(tip->compliance.tangential_stiffness == 5e3);
    assert_int_equal(tip->pair_model, SPRAG_PAIR_COMPLIANT);
    assert_int_equal(any->between[0].kind, SPRAG_SELECT_ANY);
    assert_int_equal(any->between[1].kind, SPRAG_SELECT_MATERIAL);
    assert_true(any->compliance.epsilon == 1e-3 && any->compliance.length == 1);
    assert_true(none->ignore && !any->ignore && !none->friction.given);
    const SpragMaterial *rubber = &model->materials[1];
    assert_true(rubber->friction.stribeck == 0.01 && rubber->young == 2e6);
    assert_int_equal(rubber->restitution.law, SPRAG_RESTITUTION_NEWTON);
}

static void check_rest(const SpragModel *model)
{
    const SpragStart *start = model->starts;
    assert_int_equal(model->start_count, 3);
    assert_string_equal(start[0].contact, "tip");
    assert_true(start[0].slip == -1 && start[0].slip_given && start[0].gap == 1e-3);
    assert_true(!start[0].normal_velocity_given && start[0].line == 44);
    assert_true(!start[1].contact && start[1].between[0].kind == SPRAG_SELECT_FEATURE);
    assert_true(start[1].normal_velocity == -1 && start[1].slip == 2);
    assert_true(start[2].kind == SPRAG_START_POINT && start[2].at.y == 1 &&
                start[2].velocity_given);
    const SpragSpring *spring = model->springs;
    assert_int_equal(model->spring_count, 2);
    assert_true(spring[0].ends[0].body == SPRAG_WORLD && spring[0].ends[0].local.x == -0.5);
    assert_close(spring[0].rest, 0.51, 1e-15); // length + rest
    // [1, 1] to foot.s, which is (0, 0.1) from the centre of mass at the origin
    assert_close(spring[1].rest, hypot(1, 0.9), 1e-15);
    assert_true(spring[1].stiffness == 5000);
    const SpragLoad *load = model->loads;
    assert_true(load[0].body == 1 && load[0].torque == 3 && load[0].body_frame);
    assert_close(load[0].local.x, 0.1, 0);
    assert_true(load[1].body == 2 && load[1].force[1] == 1000 && !load[1].body_frame);
    const SpragSimulate *simulate = &model->simulate;
    assert_true(simulate->motion == SPRAG_MOTION_STEPPING && simulate->until == 0.4);
    assert_true(simulate->branch == SPRAG_BRANCH_BOTH);
    assert_true(simulate->paradox == SPRAG_PARADOX_IMPULSE);
    assert_true(simulate->impacts == SPRAG_IMPACTS_PATH && simulate->contact_tolerance == 1e-7);
}

static void test_whole(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(context, WHOLE);
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(sprag_scene_kind(scene), SPRAG_SCENE_MODEL);
    assert_string_equal(sprag_scene_name(scene), "whole");
    assert_string_equal(model->name, "whole");
    assert_true(model->gravity[1] == -1);
    assert_null(sprag_scene_lcp(scene));
    assert_null(sprag_scene_qp(scene));
    assert_null(sprag_scene_contact_problem(scene));
    check_bodies(model);
    check_rules(model);
    check_rest(model);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// Mass and inertia that the reader derives, against closed forms.
static void test_derived(void **state)
{
    (void)state;
    const struct {
        const char *body;
        double mass, inertia, radius; // radius: of the farthest vertex
    } cases[] = {
        {"mass: 2, shapes: [{rod: {length: 3}}]", 2, 2 * 9.0 / 12, 1.5},
        {"mass: 2, shapes: [{box: {size: [3, 4]}}]", 2, 2 * 25.0 / 12, 2.5},
        {"density: 3, shapes: [{box: {size: [2, 1]}}]", 6, 6 * 5.0 / 12, sqrt(5) / 2},
        {"density: 1, shapes: [{circle: {radius: 2}}]", 4 * PI, 4 * PI * 2, 0},
        {"mass: 1, shapes: [{points: {a: [-1, 0], b: [1, 0]}}]", 1, 1, 1},
        // two squares side by side are a 2 × 1 rectangle
        {"mass: 6, com: auto, shapes: [{box: {size: [1, 1]}, at: [5, 0]},"
         " {box: {size: [1, 1]}, at: [6, 0]}]",
         6, 6 * 5.0 / 12, sqrt(1.25)},
        // the same turned, as a clockwise polygon away from the origin
        {"mass: 6, com: auto, shapes: [{polygon: {points: [[7, 7], [7, 9], [8, 9], [8, 7]]},"
         " angle: 20 deg, at: [1, 1]}]",
         6, 6 * 5.0 / 12, sqrt(1.25)},
        // a corner on a straight line is allowed
        {"mass: 2, com: auto, shapes: [{polygon: {points: [[0, 0], [1, 0], [3, 0], [3, 4], [0, "
         "4]]}}]",
         2, 2 * 25.0 / 12, 2.5},
        // without com the centre of mass is the origin: Steiner
        {"mass: 2, shapes: [{box: {size: [3, 4]}, at: [0.5, 0]}]", 2, 2 * (25.0 / 12 + 0.25),
         sqrt(4 + 4)},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "sprag: 1\nbodies:\n  - {name: b, %s}\n", cases[i].body);
        SpragScene *scene = read_good(context, text);
        const SpragModel *model = sprag_scene_model(scene);
        assert_close(model->bodies[0].mass, cases[i].mass, 1e-14 * cases[i].mass);
        // corners at 9 m, turned: a few dozen roundings of 100 m²
        assert_close(model->bodies[0].inertia, cases[i].inertia, 1e-12);
        const SpragShape *shape = &model->shapes[0];
        double radius = 0;
        for (int v = 0; v < shape->vertex_count; v++)
            radius = fmax(radius, hypot(shape->vertices[v].x, shape->vertices[v].y));
        assert_close(radius, cases[i].radius, 1e-14);
        double area, moment;
        SpragVec2 centroid;
        assert_true(sprag_shape_measure(shape, &area, &centroid, &moment));
        assert_true(area > 0); // counter-clockwise
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

static void test_shape_places(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        "sprag: 1\nbodies:\n"
        "  - {name: b, mass: 1, shapes: [{box: {size: [2, 1]}, at: [1, 0], angle: 90 deg}]}\n"
        "  - {name: f, fixed: true, com: [0, 1], shapes: [{plane: {normal: [1, 0]},\n"
        "      angle: 90 deg, at: [3, 4]}]}\n");
    const SpragModel *model = sprag_scene_model(scene);
    // the lower left corner (-1, -0.5) turned to (0.5, -1), then shifted
    assert_close(model->shapes[0].vertices[0].x, 1.5, 1e-15);
    assert_close(model->shapes[0].vertices[0].y, -1, 1e-15);
    assert_string_equal(model->shapes[0].vertex_names[3], "c3");
    assert_close(model->shapes[1].normal.y, 1, 1e-15);
    assert_close(model->shapes[1].offset, 3, 1e-15); // 4, seen from the com at (0, 1)
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_repeat(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        "sprag: 1\nparameters: {n: 3}\nbodies:\n"
        "  - {name: \"b$(i)_$(2*j)\", repeat: {i: n, j: 2}, mass: 1, position: [0.1*i, j],\n"
        "     shapes: [{name: \"s$(k)\", repeat: {k: i}, circle: {radius: 0.1*(k+1)}},\n"
        "              {name: last, circle: {radius: 1}}]}\n"
        "contacts: [{name: \"c$(i)\", repeat: {i: 2}, between: [\"b$(i)_0\", \"b$(i+1)_0\"]}]\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->body_count, 6);
    assert_string_equal(model->bodies[3].name, "b1_2");
    assert_close(model->bodies[5].position[0], 0.2, 1e-16);
    assert_close(model->bodies[5].position[1], 1, 0);
    assert_int_equal(model->shape_count, 2 * (1 + 2 + 3));
    assert_string_equal(model->shapes[11].name, "last");
    assert_string_equal(model->shapes[10].name, "s1");
    assert_close(model->shapes[10].radius, 0.2, 1e-16);
    assert_int_equal(model->rule_count, 2);
    assert_int_equal(model->rules[1].between[1].index, 4);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// A count knows the variables before it: rows of 3, 2 and 1; the third row of these has none.
static void test_repeat_counts(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        "sprag: 1\nparameters: {n: 3}\nbodies:\n"
        "  - {name: \"a$(i)_$(k)\", repeat: {i: n, k: n-i}, mass: 1, inertia: 1}\n"
        "  - {name: \"b$(i)_$(k)_$(l)\", repeat: {i: n, k: n-1-i, l: i+k}, mass: 1, inertia: 1}\n");
    const SpragModel *model = sprag_scene_model(scene);
    const char *const names[] = {"a0_0", "a0_1", "a0_2",   "a1_0",
                                 "a1_1", "a2_0", "b0_1_0", "b1_0_0"};
    const int count = (int)(sizeof names / sizeof *names);
    assert_int_equal(model->body_count, count);
    for (int i = 0; i < count; i++)
        assert_string_equal(model->bodies[i].name, names[i]);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_yaml(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    // anchors, aliases, merges (own keys win, the first of a list wins), JSON, a byte order mark
    SpragScene *scene =
        read_good(context, "sprag: 1\nx-base: &base {mass: 1, inertia: 2, spin: 3}\n"
                           "x-other: &other {spin: 4, angle: 5}\nbodies:\n"
                           "  - &one {<<: *base, name: a, inertia: 7}\n"
                           "  - {<<: [*base, *other], name: b}\n"
                           "  - {<<: *one, name: c}\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_true(model->bodies[0].inertia == 7 && model->bodies[0].spin == 3);
    assert_true(model->bodies[1].spin == 3 && model->bodies[1].angle == 5);
    assert_true(model->bodies[2].inertia == 7 && model->bodies[2].mass == 1);
    sprag_scene_destroy(scene);
    scene = read_good(context, "\xef\xbb\xbf{\"sprag\": 1, \"bodies\": [{\"name\": \"a\",\n"
                               "\t\"mass\": 1e0, \"inertia\": 2.5E+0}]}");
    assert_true(sprag_scene_model(scene)->bodies[0].inertia == 2.5);
    sprag_scene_destroy(scene);
    sprag_scene_destroy(read_good(context, "---\r\nsprag: 1\r\nbodies: []\r\n...\r\n"));
    sprag_scene_destroy(read_good(context, "sprag: 1\nbodies:\ncontacts:\n"));
    sprag_context_destroy(context);
}

static bool has_note(const SpragScene *scene, const char *fragment)
{
    for (int i = 0; i < sprag_scene_note_count(scene); i++)
        if (strstr(sprag_scene_note(scene, i), fragment))
            return true;
    return false;
}

static void test_notes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, "sprag: 1\nexpect: {verdict: unique}\nbodies:\n"
                 "  - {name: b, density: 3, shapes: [{box: {size: [2, 1]}, at: [1, 0]}]}\n"
                 "joints: [{type: distance, between: [[0, 2], b],"
                 " spring: {stiffness: 1}}]\n");
    assert_true(has_note(scene, "gravity: the default"));
    assert_true(has_note(scene, "mass of b: 6 kg"));
    assert_true(has_note(scene, "inertia of b: 8.5 kg m²"));
    assert_true(has_note(scene, "centroid"));
    assert_true(has_note(scene, "length of joint (unnamed): 2 m"));
    assert_string_equal(sprag_scene_note(scene, -1), "");
    assert_string_equal(sprag_scene_note(scene, 1000), "");
    assert_false(has_note(scene, "clockwise"));
    sprag_scene_destroy(scene);
    scene = read_good(context, "sprag: 1\nbodies:\n  - {name: b, density: 3, com: auto,\n"
                               "     shapes: [{polygon: {points: [[0, 0], [0, 1], [2, 0]]}}]}\n");
    assert_true(has_note(scene, "go clockwise"));
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_examples(void **state)
{
    (void)state;
    const char *const names[] = {"falling-rod",     "painleve-rod",
                                 "painleve-none",   "rod-sliding-left",
                                 "box-at-rest",     "rod-sliding-right",
                                 "four-points",     "box-on-incline",
                                 "ladder",          "disc",
                                 "wedge",           "box-on-belt",
                                 "two-bodies",      "bare-contact",
                                 "block-on-spring", "disc-in-gutter",
                                 "rod-by-mass",     "off-centre-box",
                                 "block-on-feet",   "flutter",
                                 "spatial-rod",     "spatial-rod-paper",
                                 "peg-in-hole",     "box-any-heading",
                                 "spinning-top",    "capsule-drop",
                                 "ball-in-bowl",    "mesh-part",
                                 "hilly-ground",    "three-balls"};
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, names[i]);
        SpragScene *scene;
        assert_ok(context, sprag_scene_read(context, path, NULL, &scene));
        assert_true(strlen(sprag_scene_name(scene)) > 0);
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_repeat),       cmocka_unit_test(test_repeat_counts),
        cmocka_unit_test(test_shape_places), cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_notes),        cmocka_unit_test(test_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

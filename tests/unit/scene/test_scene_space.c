// test_scene_space.c: scenes with dimension: 3: bodies, shapes, orientations, masses, loads, start.
#include "scene_support.h"

#define HEAD "sprag: 1\ndimension: 3\n"

static const double PI = 3.14159265358979323846;

// The only body of a scene made of one line.
static SpragScene *read_body(SpragContext *context, const char *body)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "bodies:\n  - %s\n", body);
    return read_good(context, text);
}

static const SpragBody *first_body(const SpragScene *scene)
{
    return &sprag_scene_model(scene)->bodies[0];
}

static void refuse_body(SpragContext *context, const char *body, const char *position,
                        const char *fragment)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "bodies:\n  - %s\n", body);
    refuse(context, text, position, fragment);
}

static void test_defaults(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene =
        read_body(context, "{name: ball, mass: 2, shapes: [{sphere: {radius: 10 cm}}]}");
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->dimension, 3);
    assert_close(model->gravity[0], 0, 0);
    assert_close(model->gravity[1], 0, 0);
    assert_close(model->gravity[2], -9.81, 0);
    const SpragBody *ball = first_body(scene);
    for (int i = 0; i < 3; i++) {
        assert_close(ball->position[i], 0, 0);
        assert_close(ball->tensor[i], 0.4 * 2 * 0.01, 1e-17);
        assert_close(ball->tensor[3 + i], 0, 0);
    }
    assert_close(ball->orientation.w, 1, 0);
    assert_false(ball->angle_given);
    assert_false(ball->spin_given);
    assert_string_equal(model->shapes[0].vertex_names[0], "centre");
    assert_close(sprag_model_size(model), 0.2, 1e-16);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// All forms of the same turn: 90° about z, and a roll, pitch, yaw made by three matrices.
static void test_orientations(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    static const char *const forms[] = {"{axis: [0, 0, 2], angle: 90 deg}",
                                        "{axis: [0, 0, -1], angle: -pi/2}",
                                        "{quaternion: [3, 0, 0, 3]}", "{euler: [0, 0, 90 deg]}"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char body[400];
        snprintf(body, sizeof body,
                 "{name: b, mass: 1, orientation: %s, shapes: [{sphere: {radius: 1}}]}", forms[i]);
        SpragScene *scene = read_body(context, body);
        SpragMat3 R = sprag_quaternion_matrix(first_body(scene)->orientation);
        SpragVec3 x = sprag_mat3_apply(&R, sprag_vec3(1, 0, 0));
        assert_close(x.x, 0, 4e-16);
        assert_close(x.y, 1, 4e-16);
        assert_true(first_body(scene)->angle_given);
        sprag_scene_destroy(scene);
    }
    SpragScene *scene = read_body(context, "{name: b, mass: 1, orientation: {euler: [0.3, -0.8, "
                                           "1.9]}, shapes: [{sphere: {radius: 1}}]}");
    double a = 0.3, b = -0.8, c = 1.9;
    SpragMat3 X = {{1, 0, 0, 0, cos(a), -sin(a), 0, sin(a), cos(a)}};
    SpragMat3 Y = {{cos(b), 0, sin(b), 0, 1, 0, -sin(b), 0, cos(b)}};
    SpragMat3 Z = {{cos(c), -sin(c), 0, sin(c), cos(c), 0, 0, 0, 1}};
    SpragMat3 YX = sprag_mat3_product(&Y, &X), wanted = sprag_mat3_product(&Z, &YX);
    SpragMat3 R = sprag_quaternion_matrix(first_body(scene)->orientation);
    for (int i = 0; i < 9; i++)
        assert_close(R.m[i], wanted.m[i], 1e-15);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_bad_orientations(void **state)
{
    (void)state;
    SpragContext *context = test_context();
#define WITH(key) "{name: b, mass: 1, shapes: [{sphere: {radius: 1}}], " key "}"
    refuse_body(context, WITH("orientation: {quaternion: [0, 0, 0, 0]}"), NULL, "[1, 0, 0, 0]");
    refuse_body(context, WITH("orientation: {axis: [0, 0, 0], angle: 1}"), NULL, "axis must not");
    refuse_body(context, WITH("orientation: {axis: [0, 0, 1]}"), NULL, "go together");
    refuse_body(context, WITH("orientation: {euler: [0, 0, 1], quaternion: [1, 0, 0, 0]}"), NULL,
                "one of");
    refuse_body(context, WITH("orientation: {}"), NULL, "one of");
    refuse_body(context, WITH("orientation: {eular: [1, 0, 0]}"), NULL, "did you mean \"euler\"");
    refuse_body(context, WITH("orientation: {euler: [1 m, 0, 0]}"), NULL, "must be an angle");
    refuse_body(context, WITH("angle: 3"), "4:57", "in space give orientation");
    refuse_body(context, WITH("spin: 3"), NULL, "list of 3 numbers");
    refuse_body(context, WITH("position: [0, 0]"), NULL, "list of 3 numbers");
    sprag_context_destroy(context);
}

// Mass, centre and tensor of bodies of several shapes against the sums done by hand.
static void test_masses(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    // a dumb-bell: two balls of radius r at ±d on x; m = 2 ρ V
    SpragScene *scene = read_body(
        context, "{name: b, density: 1000 kg/m^3, shapes: [{sphere: {radius: 0.1}, at: [0.3, 0, "
                 "0]}, {sphere: {radius: 0.1}, at: [-0.3, 0, 0]}]}");
    double V = 4.0 / 3 * PI * 1e-3, own = 0.4 * 0.01;
    const SpragBody *body = first_body(scene);
    assert_close(body->mass, 2000 * V, 1e-12);
    assert_close(body->tensor[0], 2000 * V * own, 1e-14);
    assert_close(body->tensor[1], 2000 * V * (own + 0.09), 1e-13);
    assert_close(body->tensor[2], 2000 * V * (own + 0.09), 1e-13);
    sprag_scene_destroy(scene);
    // a box turned by 30° about z: Ixy = −∫ x y dm from its axes
    scene = read_body(context, "{name: b, mass: 12, shapes: [{box: {size: [0.3, 0.2, 0.1]}, "
                               "orientation: {axis: [0, 0, 1], angle: 30 deg}}]}");
    body = first_body(scene);
    double c = cos(PI / 6), s = sin(PI / 6), xx = 0.09, yy = 0.04, zz = 0.01;
    assert_close(body->tensor[0], s * s * xx + c * c * yy + zz, 1e-15);
    assert_close(body->tensor[2], xx + yy, 1e-15);
    assert_close(body->tensor[3], -c * s * (xx - yy), 1e-15);
    sprag_scene_destroy(scene);
    // com: auto of a hammer: a cylinder along x and a box at its end
    scene = read_body(context,
                      "{name: b, density: 500, com: auto, shapes: [{cylinder: {radius: 0.05, "
                      "length: 0.4}, orientation: {axis: [0, 1, 0], angle: 90 deg}}, {box: {size: "
                      "[0.1, 0.1, 0.2]}, at: [0.25, 0, 0]}], sites: {grip: [-0.2, 0, 0]}}");
    double tube = PI * 0.0025 * 0.4, block = 0.002, at = block * 0.25 / (tube + block);
    body = first_body(scene);
    const SpragModel *model = sprag_scene_model(scene);
    assert_close(body->com[0], at, 1e-15);
    assert_close(body->com[1], 0, 1e-16);
    double across = tube * (3 * 0.0025 + 0.16) / 12 + tube * at * at;
    double Iyy = 500 * (across + block * (0.05 / 12 + pow(0.25 - at, 2)));
    assert_close(body->tensor[1], Iyy, 1e-13);
    assert_close(model->shapes[1].centre.x, 0.25 - at, 1e-15);
    assert_close(model->sites[0].local.x, -0.2 - at, 1e-15);
    assert_close(model->shapes[0].points[1].x, 0.2 - at, 1e-15);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

// A rod has no inertia about itself: it gets a millionth of that across it, and a note.
static void test_rod(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_body(context, "{name: r, mass: 3, shapes: [{rod: {length: 2}}]}");
    const SpragBody *rod = first_body(scene);
    assert_close(rod->tensor[0], 1, 1e-15);
    assert_close(rod->tensor[1], 1, 1e-15);
    assert_close(rod->tensor[2], 1e-6, 1e-18);
    const SpragModel *model = sprag_scene_model(scene);
    SpragPlace place;
    assert_true(sprag_model_find_place(model, "r.b", &place));
    assert_close(place.local.z, 1, 0); // along z
    bool said = false;
    for (int i = 0; i < sprag_scene_note_count(scene); i++)
        said |= strstr(sprag_scene_note(scene, i), "r is a line") != NULL;
    assert_true(said);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_inertia(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_body(
        context, "{name: b, mass: 1, inertia: [0.2, 0.3, 0.4, 0.01, -0.02, 0.03], shapes: "
                 "[{sphere: {radius: 1}}]}");
    const double wanted[6] = {0.2, 0.3, 0.4, 0.01, -0.02, 0.03};
    for (int i = 0; i < 6; i++)
        assert_close(first_body(scene)->tensor[i], wanted[i], 0);
    sprag_scene_destroy(scene);
#define INERTIA(list) "{name: b, mass: 1, shapes: [{sphere: {radius: 1}}], inertia: " list "}"
    refuse_body(context, INERTIA("[1, 2, 3.1]"), "4:66", "triangle inequality");
    refuse_body(context, INERTIA("[1, 2, 3.1]"), NULL, "1 + 2 < 3.1");
    // positive on the diagonal, but not about every axis: 0.1 ± 0.2
    refuse_body(context, INERTIA("[0.1, 0.1, 0.1, 0.2, 0, 0]"), NULL, "positive about every axis");
    refuse_body(context, INERTIA("[0.1, 0.1, 0]"), NULL, "a number > 0");
    refuse_body(context, INERTIA("[1, 1, 1]"), NULL, "half the trace of the inertia, 1.5");
    refuse_body(context, INERTIA("0.1"), NULL, "[Ixx, Iyy, Izz]");
    refuse_body(context, INERTIA("[0.1, 0.1]"), NULL, "[Ixx, Iyy, Izz]");
    // flat bodies reach the bound
    scene = read_body(context, INERTIA("[0.1, 0.2, 0.3]"));
    sprag_scene_destroy(scene);
    // points say where a body touches, not where its mass is; no body breaks the inequality
#define TOUCHES(list) "{name: b, mass: 1, shapes: [{points: {p: [0.1, 0, 0]}}], inertia: " list "}"
    scene = read_body(context, TOUCHES("[3, 4, 5]"));
    assert_close(first_body(scene)->tensor[2], 5, 0);
    sprag_scene_destroy(scene);
    refuse_body(context, TOUCHES("[1, 2, 3.1]"), NULL, "triangle inequality");
    refuse_body(context, "{name: b, mass: 1}", "4:5", "give inertia");
    refuse_body(context, "{name: b, mass: 1, shapes: [{points: {p: [0, 0, 0]}}]}", NULL,
                "no inertia about the centre");
    refuse_body(context, "{name: b, density: 1, shapes: [{rod: {length: 1}}]}", NULL,
                "shapes with a volume");
    refuse_body(context, "{name: b, density: 1 kg/m^2, shapes: [{sphere: {radius: 1}}]}", NULL,
                "density must be");
    refuse_body(context, "{name: b, mass: 1, shapes: [{sphere: {radius: 1}}, {rod: {length: 1}}]}",
                NULL, "cannot be derived");
    sprag_context_destroy(context);
}

static void test_shapes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context, HEAD
        "materials: {default: {friction: 0.3}, steel: {friction: 0.2}}\n"
        "bodies:\n"
        "  - name: ground\n"
        "    fixed: true\n"
        "    shapes:\n"
        "      - plane: {normal: [0, 3, 4], offset: 1}\n"
        "      - {name: bowl, sphere: {radius: 1}, inside: true, surface-velocity: [1, 0, 2]}\n"
        "      - height-field: {size: [4, 2], heights: [[0, 1, 0], [0, 2 cm, 0]]}\n"
        "  - name: part\n"
        "    mass: 1\n"
        "    inertia: [0.01, 0.01, 0.01]\n"
        "    shapes:\n"
        "      - {box: {size: [0.2, 0.4, 0.6]}, material: steel}\n"
        "      - {name: cap, capsule: {length: 1, radius: 0.1}, at: [1, 0, 0]}\n"
        "      - {cylinder: {radius: 0.2, length: 0.5}, orientation: {axis: [1, 0, 0], angle: "
        "90 deg}}\n"
        "      - hull: {points: [[0, 0, 0], [1, 0, 0], [0.1, 0.1, 0.1], [0, 1, 0], [0, 0, "
        "1]]}\n"
        "      - points: {heel: [0, 0, -1], toe: [1, 0, -1]}\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->shape_count, 8);
    const SpragShape *plane = &model->shapes[0], *bowl = &model->shapes[1];
    assert_close(plane->normal.y, 0.6, 1e-16);
    assert_close(plane->normal.z, 0.8, 1e-16);
    assert_close(plane->offset, 1, 0);
    assert_true(bowl->inside && bowl->has_surface_velocity);
    assert_close(bowl->surface_velocity[2], 2, 0);
    const SpragSurface *field = model->shapes[2].surface;
    assert_int_equal(field->vertex_count, 6);
    assert_int_equal(field->triangle_count, 4);
    assert_close(field->vertices[0].x, -2, 0);
    assert_close(field->vertices[0].y, -1, 0);
    assert_close(field->vertices[4].z, 0.02, 0);
    for (int t = 0; t < 4; t++)
        assert_true(field->normals[t].z > 0);
    const SpragShape *box = &model->shapes[3], *cylinder = &model->shapes[5];
    assert_int_equal(box->vertex_count, 8);
    assert_int_equal(box->solid->face_count, 6);
    assert_int_equal(box->material, 1);
    // counter-clockwise from the lower left seen from above, the lower side first
    assert_close(box->points[0].x, -0.1, 0);
    assert_close(box->points[2].y, 0.2, 0);
    assert_close(box->points[4].z, 0.3, 0);
    assert_close(cylinder->points[1].y, -0.25, 1e-16); // z turned to −y
    const SpragShape *hull = &model->shapes[6];
    assert_int_equal(hull->vertex_count, 4);
    assert_string_equal(hull->vertex_names[1], "c1");
    assert_string_equal(hull->vertex_names[2], "c3"); // numbers of the file
    SpragPlace place;
    assert_true(sprag_model_find_place(model, "part.toe", &place));
    assert_close(place.local.x, 1, 0);
    assert_true(sprag_model_find_place(model, "part.cap.b", &place));
    assert_close(place.local.z, 0.5, 0);
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void test_bad_shapes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    static const struct {
        const char *shape, *fragment;
    } bad[] = {
        {"circle: {radius: 1}", "a circle is a shape of scenes in the plane"},
        {"polygon: {points: [[0, 0], [1, 0], [0, 1]]}", "in the plane"},
        {"plane: {}", "needs a body with fixed: true"},
        {"height-field: {size: [1, 1], heights: [[0, 0], [0, 0]]}", "fixed: true"},
        {"box: {size: [1, 1]}", "list of 3 numbers"},
        {"box: {size: [1, 1, 0]}", "lengths > 0"},
        {"box: {size: [1, 1, 1e-12]}", "thickness"},
        {"sphere: {radius: 0}", "a number > 0"},
        {"sphere: {}", "radius is missing"},
        {"sphere: {radius: 1 kg}", "must be a length"},
        {"cylinder: {radius: 1}", "length is missing"},
        {"sphere: {radius: 1}, box: {size: [1, 1, 1]}", "one kind"},
        {"sphere: {radios: 1}", "did you mean \"radius\""},
        {"spheer: {radius: 1}", "did you mean \"sphere\""},
        {"name: x", "sphere, capsule, box, cylinder"},
        {"sphere: {radius: 1}, angle: 3", "in space give orientation"},
        {"hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "at least 4 points"},
        {"hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}", "it is flat"},
        {"hull: {}", "points is missing"},
        {"rod: {length: 1}, inside: true", "has no inside"},
        {"points: {com: [0, 0, 0]}", "centre of mass already"},
        {"points: {a: [0, 0]}", "list of 3 numbers"},
        {"points: {}", "at least one point"},
        {"mesh: {}", "file is missing"},
        {"mesh: {file: nowhere.stl}", "nowhere.stl cannot be read"},
        {"mesh: {file: .}", "is not a file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[600];
        snprintf(body, sizeof body, "{name: b, mass: 1, shapes: [{%s}]}", bad[i].shape);
        refuse_body(context, body, NULL, bad[i].fragment);
    }
    static const struct {
        const char *shape, *fragment;
    } fixed[] = {
        {"plane: {normal: [0, 0, 0]}", "normal must not"},
        {"height-field: {size: [1, 1], heights: [[0, 0], [0]]}", "row 1"},
        {"height-field: {size: [1, 1], heights: [[0, 0]]}", "at least 2 rows"},
        {"height-field: {heights: [[0, 0], [0, 0]]}", "size: [x, y], or spacing"},
        {"height-field: {size: [1, 1]}", "heights: "},
        {"height-field: {size: [1, 0], heights: [[0, 0], [0, 0]]}", "lengths > 0"},
        {"height-field: {spacing: -1, heights: [[0, 0], [0, 0]]}", "a number > 0"},
        {"height-field: {spacing: 1, heights: [[0, 0], [0, 1 kg]]}", "must be a length"},
        {"height-field: {spacing: 1, file: no.csv}", "no.csv cannot be read"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        char body[600];
        snprintf(body, sizeof body, "{name: b, fixed: true, shapes: [{%s}]}", fixed[i].shape);
        refuse_body(context, body, NULL, fixed[i].fragment);
    }
    // and spatial ones in the plane
    refuse(context, "sprag: 1\nbodies: [{name: b, mass: 1, shapes: [{sphere: {radius: 1}}]}]\n",
           "2:39", "a sphere is a shape of scenes in space");
    sprag_context_destroy(context);
}

static void test_forces_and_start(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(
        context,
        HEAD "bodies:\n"
             "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
             "  - {name: ball, mass: 1, position: [3, 4, 12], spin: [1, 2, 3], velocity: [4, 5, "
             "6], orientation: {axis: [0, 0, 1], angle: 90 deg}, shapes: [{sphere: {radius: 1}}], "
             "sites: {eye: [1, 0, 0]}}\n"
             "contacts: [{name: tip, between: [ball, floor], friction: 0.2}]\n"
             "loads: [{body: ball, force: [1, 2, 3], torque: [4, 5, 6 N m], at: ball.eye, frame: "
             "body}]\n"
             "joints: [{name: cord, type: distance, between: [world, ball.com], at: [0, 0, 0], "
             "spring: {stiffness: 10}}, {name: other, type: distance, between: [world, ball.eye], "
             "at: [3, 5, 10], spring: {stiffness: 1}}]\n"
             "start:\n"
             "  - {contact: tip, slip: [1, 0, 0.5], velocity: -2}\n"
             "  - {contact: [ball, floor], gap: 1 mm, slip: 0}\n"
             "  - {point: ball.eye, at: [0, 0, 5], velocity: [1, 2, 3]}\n");
    const SpragModel *model = sprag_scene_model(scene);
    assert_close(model->bodies[1].angular[1], 2, 0);
    assert_close(model->bodies[1].velocity[2], 6, 0);
    assert_close(model->loads[0].force[2], 3, 0);
    assert_close(model->loads[0].moment[2], 6, 0);
    assert_close(model->loads[0].local.x, 1, 0);
    assert_true(model->loads[0].body_frame);
    assert_close(model->springs[0].rest, 13, 1e-14);
    assert_close(model->springs[1].rest, 2, 1e-14); // the eye is at (3, 5, 12)
    assert_close(model->starts[0].slip_along.z, 0.5, 0);
    assert_true(model->starts[0].slip_given && model->starts[0].normal_velocity_given);
    assert_close(model->starts[0].normal_velocity, -2, 0);
    assert_true(model->starts[1].slip_given);
    assert_close(model->starts[1].gap, 1e-3, 0);
    assert_close(model->starts[2].velocity.z, 3, 0);
    sprag_scene_destroy(scene);
#define BALL                                                                                       \
    HEAD "bodies: [{name: floor, fixed: true, shapes: [{plane: {}}]}, {name: ball, mass: 1, "      \
         "shapes: [{sphere: {radius: 1}}]}]\n"
    refuse(context, BALL "loads: [{body: ball, force: [1, 2]}]", NULL, "list of 3 numbers");
    refuse(context, BALL "loads: [{body: ball, torque: 2}]", NULL, "list of 3 numbers");
    refuse(context, BALL "start: [{contact: [ball, floor], slip: -1}]", NULL, "[x, y, z], or 0");
    refuse(context, BALL "start: [{contact: [ball, floor], velocity: [-1, 0]}]", NULL,
           "along its normal");
    refuse(context, BALL "gravity: [0, -9.81]", NULL, "list of 3 numbers");
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_bad_orientations),
        cmocka_unit_test(test_masses),
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_inertia),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_forces_and_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_model_space.c: measures of shapes in space, and what a model lets bodies and shapes there
// be.
#include "support/test.h"

static SpragModel *space_model(SpragContext *context)
{
    SpragModel *model;
    assert_ok(context, sprag_model_create(context, &model));
    model->dimension = 3;
    return model;
}

static SpragBody body_called(const char *name, double tensor)
{
    SpragBody body = {.name = (char *)name, .mass = 1, .orientation = {1, 0, 0, 0}};
    for (int i = 0; i < 3; i++)
        body.tensor[i] = tensor;
    return body;
}

// ---- Measures -----------------------------------------------------------------------------------

static bool is_within_core(const SpragShape *shape, SpragVec3 p)
{
    SpragVec3 a = shape->points[0];
    SpragVec3 core = sprag_vec3_sub(shape->points[shape->vertex_count - 1], a);
    double along = sprag_vec3_dot(sprag_vec3_sub(p, a), core), whole = sprag_vec3_dot(core, core);
    double share = whole > 0 ? along / whole : 0;
    if (shape->kind == SPRAG_SHAPE_CYLINDER && (share < 0 || share > 1))
        return false;
    SpragVec3 near = sprag_vec3_along(a, fmin(fmax(share, 0), 1), core);
    return sprag_vec3_norm(sprag_vec3_sub(p, near)) <= shape->radius;
}

static bool is_within(const SpragShape *shape, const SpragSolid *solid, SpragVec3 p)
{
    if (!solid)
        return is_within_core(shape, p);
    for (int f = 0; f < solid->face_count; f++)
        if (sprag_vec3_dot(solid->normals[f], p) > solid->offsets[f])
            return false;
    return true;
}

// The measures as sums over a grid of points that are inside. Its error is that of the cells at
// the surface, of the order of 1/n² of the whole; a factor 20 is allowed.
static void check_by_grid(const SpragShape *shape, const SpragSolid *solid)
{
    enum { N = 100 };
    const double half = 1.5, step = 2 * half / N, cell = step * step * step;
    double sum = 0, first[3] = {0}, second[6] = {0};
    for (int i = 0; i < N * N * N; i++) {
        double x[3] = {step * (i % N + 0.5) - half, step * (i / N % N + 0.5) - half,
                       step * (i / N / N + 0.5) - half};
        if (!is_within(shape, solid, sprag_vec3_of(x)))
            continue;
        static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        sum += cell;
        for (int k = 0; k < 3; k++)
            first[k] += cell * x[k];
        for (int k = 0; k < 6; k++)
            second[k] += cell * x[pair[k][0]] * x[pair[k][1]];
    }
    double volume, I[6], tolerance = 20.0 / (N * N);
    SpragVec3 centroid;
    assert_true(sprag_shape_measure_space(shape, &volume, &centroid, I));
    double c[3] = {first[0] / sum, first[1] / sum, first[2] / sum};
    assert_close(volume, sum, tolerance * sum);
    assert_close(centroid.x, c[0], tolerance);
    assert_close(centroid.y, c[1], tolerance);
    assert_close(centroid.z, c[2], tolerance);
    double S[6] = {second[0] - sum * c[0] * c[0], second[1] - sum * c[1] * c[1],
                   second[2] - sum * c[2] * c[2], second[3] - sum * c[0] * c[1],
                   second[4] - sum * c[0] * c[2], second[5] - sum * c[1] * c[2]};
    assert_close(I[0], S[1] + S[2], tolerance * sum);
    assert_close(I[1], S[0] + S[2], tolerance * sum);
    assert_close(I[2], S[0] + S[1], tolerance * sum);
    for (int k = 3; k < 6; k++)
        assert_close(I[k], -S[k], tolerance * sum);
}

static void test_measure_by_grid(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragVec3 ends[2] = {{-0.4, -0.2, -0.5}, {0.3, 0.5, 0.6}};
    SpragShape sphere = {
        .kind = SPRAG_SHAPE_SPHERE, .vertex_count = 1, .points = ends, .radius = 0.9};
    SpragShape capsule = {
        .kind = SPRAG_SHAPE_CAPSULE, .vertex_count = 2, .points = ends, .radius = 0.5};
    SpragShape cylinder = {
        .kind = SPRAG_SHAPE_CYLINDER, .vertex_count = 2, .points = ends, .radius = 0.7};
    check_by_grid(&sphere, NULL);
    check_by_grid(&capsule, NULL);
    check_by_grid(&cylinder, NULL);
    SpragVec3 corners[7] = {{-1, -0.9, -0.7}, {1.1, -0.8, -1},  {0.9, 1.2, -0.6}, {-1.2, 1, -0.8},
                            {0.1, 0.2, 1.3},  {0.6, -0.5, 0.9}, {-0.7, 0.6, 0.8}};
    SpragSolid *solid;
    assert_ok(context, sprag_solid_create_hull(context, 7, corners, &solid));
    SpragShape hull = {.kind = SPRAG_SHAPE_HULL,
                       .vertex_count = solid->vertex_count,
                       .points = solid->vertices,
                       .solid = solid};
    check_by_grid(&hull, solid);
    sprag_solid_destroy(context, solid);
    sprag_context_destroy(context);
}

// A box by its axes and the same as a polyhedron of tetrahedra; a round shape and the polyhedron of
// many points on it, whose error goes with the square of their distance.
static void test_measure_by_tetrahedra(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = space_model(context);
    SpragBody body = body_called("b", 0.01);
    int index;
    assert_ok(context, sprag_model_add_body(model, &body, NULL));
    SpragQuaternion q = {0.9, -0.3, 0.2, 0.5};
    SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_unit(q));
    SpragVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        SpragVec3 p = sprag_vec3((i % 4 == 1 || i % 4 == 2 ? 0.15 : -0.15),
                                 (i % 4 >= 2 ? 0.35 : -0.35), (i >= 4 ? 0.05 : -0.05));
        corners[i] = sprag_vec3_add(sprag_mat3_apply(&R, p), sprag_vec3(0.4, 0.1, -0.3));
    }
    SpragShape box = {
        .kind = SPRAG_SHAPE_BOX, .material = -1, .vertex_count = 8, .points = corners};
    assert_ok(context, sprag_model_add_shape(model, &box, &index));
    const SpragShape *added = &model->shapes[index];
    SpragShape hull = *added;
    hull.kind = SPRAG_SHAPE_HULL;
    double a, b, I[6], J[6];
    SpragVec3 c, d;
    assert_true(sprag_shape_measure_space(added, &a, &c, I));
    assert_true(sprag_shape_measure_space(&hull, &b, &d, J));
    assert_close(a, 0.3 * 0.7 * 0.1, 1e-16);
    assert_close(b, a, 1e-16);
    assert_close(c.x, 0.4, 1e-15);
    assert_close(d.z, -0.3, 1e-15);
    for (int k = 0; k < 6; k++)
        assert_close(J[k], I[k], 1e-17);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void test_measure_of_lines_and_points(void **state)
{
    (void)state;
    double V, I[6];
    SpragVec3 c, ends[2] = {{1, 2, 3}, {3, 5, 9}}; // 7 m
    SpragShape rod = {.kind = SPRAG_SHAPE_ROD, .vertex_count = 2, .points = ends};
    assert_true(sprag_shape_measure_space(&rod, &V, &c, I));
    assert_close(V, 7, 1e-15);
    assert_close(I[0] + I[1] + I[2], 2 * 343.0 / 12, 1e-13);
    assert_close(I[0], 343.0 / 12 * (1 - 4.0 / 49), 1e-13);
    SpragShape points = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = 2, .points = ends};
    assert_true(sprag_shape_measure_space(&points, &V, &c, I));
    assert_close(V, 2, 0);
    assert_close(I[2], 2 * (1 + 2.25), 1e-14);
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE}, bowl = {.kind = SPRAG_SHAPE_SPHERE,
                                                            .vertex_count = 1,
                                                            .points = ends,
                                                            .radius = 1,
                                                            .inside = true};
    assert_false(sprag_shape_measure_space(&plane, &V, &c, I));
    assert_false(sprag_shape_measure_space(&bowl, &V, &c, I));
}

// ---- Models -------------------------------------------------------------------------------------

static void refuse_body(SpragModel *model, const SpragBody *body, const char *fragment)
{
    int before = model->body_count;
    assert_int_equal(sprag_model_add_body(model, body, NULL), SPRAG_ERROR_INPUT);
    assert_int_equal(model->body_count, before);
    if (!strstr(sprag_context_message(model->context), fragment))
        fail_msg("%s, wanted %s", sprag_context_message(model->context), fragment);
}

static void test_bodies(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = space_model(context);
    SpragBody body = body_called("b", 1);
    body.orientation.w = 0;
    refuse_body(model, &body, "length 1");
    body.orientation.w = 1;
    body.angular[1] = NAN;
    refuse_body(model, &body, "spin");
    body.angular[1] = 0;
    body.tensor[2] = 2.5;
    refuse_body(model, &body, "1 + 1 < 2.5");
    body.tensor[2] = 2;
    body.tensor[3] = 1.5;
    refuse_body(model, &body, "positive");
    body.tensor[3] = 0;
    body.tensor[5] = INFINITY;
    refuse_body(model, &body, "finite");
    // principal moments are those of the tensor in any frame: 1, 2, 2.9 turned about (1, 1, 1)
    SpragQuaternion q = {0.5, 0.5, 0.5, 0.5};
    SpragMat3 R = sprag_quaternion_matrix(q), D = {{1, 0, 0, 0, 2, 0, 0, 0, 2.9}};
    SpragMat3 T = sprag_mat3_turn(&R, &D);
    double tensor[6] = {T.m[0], T.m[4], T.m[8], T.m[1], T.m[2], T.m[5]};
    memcpy(body.tensor, tensor, sizeof tensor);
    assert_ok(context, sprag_model_add_body(model, &body, NULL));
    SpragBody still = {.name = "table", .fixed = true, .orientation = {1, 0, 0, 0}, .mass = 3};
    assert_ok(context, sprag_model_add_body(model, &still, NULL));
    assert_close(model->bodies[1].mass, 0, 0);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void refuse_shape(SpragModel *model, const SpragShape *shape, const char *fragment)
{
    assert_int_equal(sprag_model_add_shape(model, shape, NULL), SPRAG_ERROR_INPUT);
    if (!strstr(sprag_context_message(model->context), fragment))
        fail_msg("%s, wanted %s", sprag_context_message(model->context), fragment);
}

static void test_shapes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = space_model(context);
    SpragBody body = body_called("b", 0.01), still = body_called("table", 1);
    still.fixed = true;
    assert_ok(context, sprag_model_add_body(model, &body, NULL));
    assert_ok(context, sprag_model_add_body(model, &still, NULL));
    SpragVec3 ends[4] = {{0, 0, -1}, {0, 0, 1}, {0, 3, 4}, {0, 0, 0}};
    SpragShape shape = {
        .kind = SPRAG_SHAPE_CIRCLE, .material = -1, .vertex_count = 1, .points = ends, .radius = 1};
    refuse_shape(model, &shape, "shape of the plane");
    shape.kind = SPRAG_SHAPE_SPHERE;
    shape.radius = 0;
    refuse_shape(model, &shape, "radius must be > 0");
    shape.kind = SPRAG_SHAPE_CYLINDER;
    shape.radius = 1;
    refuse_shape(model, &shape, "too few points");
    shape.kind = SPRAG_SHAPE_PLANE;
    shape.vertex_count = 0;
    shape.radius = 0;
    refuse_shape(model, &shape, "fixed body");
    shape.body = 1;
    refuse_shape(model, &shape, "length 1");
    shape.kind = SPRAG_SHAPE_MESH;
    refuse_shape(model, &shape, "needs its triangles");
    shape.kind = SPRAG_SHAPE_HULL;
    shape.vertex_count = 4;
    refuse_shape(model, &shape, "flat");
    // a capsule gets its frame from its ends, a cylinder reaches as far as its rims do
    SpragShape capsule = {.kind = SPRAG_SHAPE_CAPSULE,
                          .material = -1,
                          .vertex_count = 2,
                          .points = ends + 2,
                          .radius = 0.5};
    assert_ok(context, sprag_model_add_shape(model, &capsule, NULL));
    const SpragShape *added = &model->shapes[0];
    assert_close(added->size[2], 5, 1e-15);
    assert_close(added->centre.y, 1.5, 1e-15);
    SpragVec3 z = sprag_mat3_column(&added->axes, 2);
    assert_close(z.y, -0.6, 1e-15);
    assert_string_equal(added->vertex_names[1], "b");
    assert_close(sprag_model_body_radius(model, 0), 5.5, 1e-15);
    SpragShape cylinder = {.kind = SPRAG_SHAPE_CYLINDER,
                           .material = -1,
                           .vertex_count = 2,
                           .points = ends,
                           .radius = 2};
    assert_close(sprag_shape_reach(&cylinder), hypot(1, 2), 1e-15);
    ends[0].x = ends[1].x = 0.5;
    assert_close(sprag_shape_reach(&cylinder), hypot(1, 2.5), 1e-15);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

// Other numbers for a box: its solid follows; other faces are refused.
static void test_replace(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = space_model(context);
    SpragBody body = body_called("b", 0.01);
    assert_ok(context, sprag_model_add_body(model, &body, NULL));
    SpragVec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = sprag_vec3((i % 4 == 1 || i % 4 == 2 ? 1 : -1), (i % 4 >= 2 ? 1 : -1),
                                (i >= 4 ? 1 : -1));
    SpragShape box = {
        .kind = SPRAG_SHAPE_BOX, .material = -1, .vertex_count = 8, .points = corners};
    assert_ok(context, sprag_model_add_shape(model, &box, NULL));
    for (int i = 0; i < 8; i++)
        corners[i].z *= 3;
    const SpragSolid *solid = model->shapes[0].solid;
    assert_ok(context, sprag_model_replace_shape(model, 0, &box));
    assert_ptr_equal(solid, model->shapes[0].solid);
    assert_close(model->shapes[0].size[2], 6, 0);
    assert_close(model->shapes[0].solid->vertices[7].z, 3, 0);
    corners[6] = sprag_vec3(1.5, 1, 2); // no box any more: a corner cuts other faces
    SpragShape hull = box;
    assert_int_equal(sprag_model_replace_shape(model, 0, &hull), SPRAG_ERROR_INPUT);
    assert_close(model->shapes[0].points[6].x, 1, 0);
    // half the trace of the inertia is ∫ |x|² dm, at most m r²
    assert_ok(context, sprag_model_check(model));
    model->bodies[0].tensor[0] = model->bodies[0].tensor[1] = model->bodies[0].tensor[2] = 7.4;
    assert_int_equal(sprag_model_check(model), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "half the trace"));
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_by_grid),
        cmocka_unit_test(test_measure_by_tetrahedra),
        cmocka_unit_test(test_measure_of_lines_and_points),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_replace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

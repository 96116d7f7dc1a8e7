// The model: measures against sums over a grid, names, paths, refused entries, many bodies.
#include "support/test.h"

static bool inside(const SpragShape *shape, SpragVec2 p)
{
    if (shape->kind == SPRAG_SHAPE_CIRCLE || shape->kind == SPRAG_SHAPE_CAPSULE) {
        SpragVec2 a = shape->vertices[0], b = shape->vertices[shape->vertex_count - 1];
        SpragVec2 ab = sprag_vec2_sub(b, a), ap = sprag_vec2_sub(p, a);
        double length = sprag_vec2_dot(ab, ab);
        double s = length > 0 ? fmin(1, fmax(0, sprag_vec2_dot(ap, ab) / length)) : 0;
        SpragVec2 to = sprag_vec2_sub(ap, sprag_vec2_scale(s, ab));
        return hypot(to.x, to.y) <= shape->radius;
    }
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 a = shape->vertices[i], b = shape->vertices[(i + 1) % shape->vertex_count];
        if (sprag_vec2_cross(sprag_vec2_sub(b, a), sprag_vec2_sub(p, a)) < 0)
            return false;
    }
    return true;
}

// Area, centroid and second moment by counting cells of a 800 × 800 grid over [-2, 2]².
static void check_measure(const SpragShape *shape)
{
    const int n = 800;
    const double h = 4.0 / n;
    double area = 0, x = 0, y = 0, polar = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            SpragVec2 p = {-2 + (i + 0.5) * h, -2 + (j + 0.5) * h};
            if (!inside(shape, p))
                continue;
            area += h * h;
            x += p.x * h * h;
            y += p.y * h * h;
            polar += sprag_vec2_dot(p, p) * h * h;
        }
    double a, moment;
    SpragVec2 c;
    assert_true(sprag_shape_measure(shape, &a, &c, &moment));
    // a boundary of length < 12 meets cells of size h: error of the sum far below 12 h/10
    double slack = 1.2 * h;
    assert_close(a, area, slack);
    assert_close(c.x, x / area, slack);
    assert_close(c.y, y / area, slack);
    assert_close(moment, polar - (x * x + y * y) / area, 2 * slack);
}

static void test_measures(void **state)
{
    (void)state;
    SpragVec2 ends[] = {{-0.6, -0.3}, {0.7, 0.5}};
    SpragVec2 corners[] = {{-0.5, -0.7}, {1.1, -0.4}, {0.9, 0.8}, {-0.2, 1.2}, {-0.9, 0.3}};
    SpragShape capsule = {
        .kind = SPRAG_SHAPE_CAPSULE, .vertex_count = 2, .vertices = ends, .radius = 0.4};
    SpragShape circle = {
        .kind = SPRAG_SHAPE_CIRCLE, .vertex_count = 1, .vertices = ends, .radius = 0.9};
    SpragShape polygon = {.kind = SPRAG_SHAPE_POLYGON, .vertex_count = 5, .vertices = corners};
    check_measure(&capsule);
    check_measure(&circle);
    check_measure(&polygon);
    double a, moment;
    SpragVec2 c;
    SpragShape rod = {.kind = SPRAG_SHAPE_ROD, .vertex_count = 2, .vertices = ends};
    assert_true(sprag_shape_measure(&rod, &a, &c, &moment));
    double length = hypot(1.3, 0.8);
    assert_close(a, length, 1e-15);
    assert_close(moment, length * length * length / 12, 1e-15);
    SpragShape points = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = 2, .vertices = ends};
    assert_true(sprag_shape_measure(&points, &a, &c, &moment));
    assert_close(moment, length * length / 2, 1e-15); // two unit masses at half the distance
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE};
    assert_false(sprag_shape_measure(&plane, &a, &c, &moment));
}

static SpragBody body_called(const char *name)
{
    SpragBody body = {0};
    body.name = (char *)name;
    body.mass = 1;
    body.inertia = 0.1;
    return body;
}

// A table with a plane, a rod, and a cart with two boxes, one of them named.
static SpragModel *make_model(SpragContext *context)
{
    SpragModel *model;
    assert_ok(context, sprag_model_create(context, &model));
    SpragMaterial steel = {.name = (char *)"steel"};
    assert_ok(context, sprag_model_add_material(model, &steel, NULL));
    SpragBody table = body_called("table"), rod = body_called("rod"), cart = body_called("cart");
    table.fixed = true;
    int index;
    assert_ok(context, sprag_model_add_body(model, &table, NULL));
    assert_ok(context, sprag_model_add_body(model, &rod, NULL));
    assert_ok(context, sprag_model_add_body(model, &cart, &index));
    assert_int_equal(index, 2);
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE, .body = 0, .material = -1, .normal = {0, 1}};
    SpragVec2 ends[] = {{-0.5, 0}, {0.5, 0}};
    SpragShape line = {
        .kind = SPRAG_SHAPE_ROD, .body = 1, .material = 0, .vertex_count = 2, .vertices = ends};
    SpragVec2 corners[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    SpragShape box = {
        .kind = SPRAG_SHAPE_BOX, .body = 2, .material = -1, .vertex_count = 4, .vertices = corners};
    SpragShape lid = box;
    lid.name = (char *)"lid";
    assert_ok(context, sprag_model_add_shape(model, &plane, NULL));
    assert_ok(context, sprag_model_add_shape(model, &line, NULL));
    assert_ok(context, sprag_model_add_shape(model, &box, NULL));
    assert_ok(context, sprag_model_add_shape(model, &lid, NULL));
    SpragSite site = {.name = (char *)"marker", .body = 1, .local = {0.1, 0.2}};
    assert_ok(context, sprag_model_add_site(model, &site, NULL));
    return model;
}

static void test_paths(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = make_model(context);
    SpragPlace place;
    assert_true(sprag_model_find_place(model, "rod.b", &place));
    assert_true(place.body == 1 && place.local.x == 0.5);
    assert_true(sprag_model_find_place(model, "rod.com", &place) && place.local.x == 0);
    assert_true(sprag_model_find_place(model, "rod", &place) && place.body == 1);
    assert_true(sprag_model_find_place(model, "rod.marker", &place) && place.local.y == 0.2);
    assert_true(sprag_model_find_place(model, "rod.rod.a", &place) && place.local.x == -0.5);
    assert_true(sprag_model_find_place(model, "cart.lid.c2", &place) && place.local.y == 1);
    assert_true(sprag_model_find_place(model, "cart.box.c2", &place));
    const char *const missing[] = {"rod.c",    "rod.",      "cart.c0", "nobody",  "nobody.a", "",
                                   "cart.lid", "cart.lid.", ".",       "rod.a.b", "table.a"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        assert_false(sprag_model_find_place(model, missing[i], &place));
    SpragSelector selector;
    assert_true(sprag_model_find_selector(model, "*", &selector));
    assert_int_equal(selector.kind, SPRAG_SELECT_ANY);
    assert_true(sprag_model_find_selector(model, "steel", &selector));
    assert_int_equal(selector.kind, SPRAG_SELECT_MATERIAL);
    assert_true(sprag_model_find_selector(model, "cart", &selector));
    assert_true(selector.kind == SPRAG_SELECT_BODY && selector.index == 2);
    assert_true(sprag_model_find_selector(model, "cart.lid", &selector));
    assert_true(selector.kind == SPRAG_SELECT_SHAPE && selector.index == 3);
    assert_true(sprag_model_find_selector(model, "rod.b", &selector));
    assert_true(selector.kind == SPRAG_SELECT_FEATURE && selector.index == 1 &&
                selector.feature == 1);
    assert_true(sprag_model_find_selector(model, "cart.lid.c3", &selector));
    assert_true(selector.index == 3 && selector.feature == 3);
    assert_false(sprag_model_find_selector(model, "cart.c3", &selector));
    assert_false(sprag_model_find_selector(model, "wood", &selector));
    assert_close(sprag_model_size(model), 2 * sqrt(2), 1e-15);
    assert_close(sprag_model_body_radius(model, 1), 0.5, 0);
    assert_true(isinf(sprag_model_body_radius(model, 0)));
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

#define assert_refused(context, call, fragment)                                                    \
    do {                                                                                           \
        assert_int_equal(call, SPRAG_ERROR_INPUT);                                                 \
        if (!strstr(sprag_context_message(context), fragment))                                     \
            fail_msg("message: %s", sprag_context_message(context));                               \
    } while (0)

static void test_refused_bodies(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = make_model(context);
    SpragBody body = body_called("rod");
    assert_refused(context, sprag_model_add_body(model, &body, NULL), "twice");
    const char *const names[] = {"world", "no", "", "a.b", "9a", "a b", "null"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        body = body_called(names[i]);
        assert_refused(context, sprag_model_add_body(model, &body, NULL), "the name");
    }
    body = body_called("new");
    const double masses[] = {0, -1, NAN, INFINITY, 1e300, 1e-300};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
        body.mass = masses[i];
        assert_refused(context, sprag_model_add_body(model, &body, NULL), "mass");
        body.mass = 1;
        body.inertia = masses[i];
        assert_refused(context, sprag_model_add_body(model, &body, NULL), "inertia");
        body.inertia = 1;
    }
    body.position[1] = 1e31;
    assert_refused(context, sprag_model_add_body(model, &body, NULL), "position");
    assert_int_equal(model->body_count, 3);
    assert_int_equal(sprag_model_find_body(model, "new"), -1);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void test_refused_others(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = make_model(context);
    SpragParameter parameter = {.name = (char *)"mu", .has_range = true, .from = 1, .to = 0};
    assert_refused(context, sprag_model_add_parameter(model, &parameter, NULL), "from");
    SpragMaterial material = {.name = (char *)"wood", .friction = {true, -1, 0, 0}};
    assert_refused(context, sprag_model_add_material(model, &material, NULL), "friction");
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE, .body = 1, .material = -1, .normal = {0, 1}};
    assert_refused(context, sprag_model_add_shape(model, &plane, NULL), "fixed");
    SpragShape loose = {.kind = SPRAG_SHAPE_ROD, .body = 1, .material = 4};
    assert_refused(context, sprag_model_add_shape(model, &loose, NULL), "material");
    loose.material = -1;
    assert_refused(context, sprag_model_add_shape(model, &loose, NULL), "too few points");
    plane.body = 0;
    plane.normal.y = 2;
    assert_refused(context, sprag_model_add_shape(model, &plane, NULL), "length 1");
    SpragRule rule = {.between = {{SPRAG_SELECT_BODY, 7, 0}, {SPRAG_SELECT_ANY, 0, 0}}};
    assert_refused(context, sprag_model_add_rule(model, &rule, NULL), "between");
    rule.between[0].index = 1;
    rule.restitution.given = true;
    rule.restitution.e = 1.5;
    assert_refused(context, sprag_model_add_rule(model, &rule, NULL), "restitution");
    SpragSpring spring = {.ends = {{SPRAG_WORLD, {0, 0}}, {1, {0, 0}}}, .stiffness = -1};
    assert_refused(context, sprag_model_add_spring(model, &spring, NULL), "stiffness");
    SpragLoad load = {.body = 1, .force = {NAN, 0, 0}};
    assert_refused(context, sprag_model_add_load(model, &load, NULL), "force");
    load.body = 12;
    assert_int_equal(sprag_model_add_load(model, &load, NULL), SPRAG_ERROR_ARGUMENT);
    SpragSite site = {.name = (char *)"com", .body = 1};
    assert_refused(context, sprag_model_add_site(model, &site, NULL), "centre of mass");
    assert_ok(context, sprag_model_check(model));
    model->bodies[1].inertia = 0.2501; // m r² = 0.25
    assert_refused(context, sprag_model_check(model), "inertia");
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void test_many_names(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model;
    assert_ok(context, sprag_model_create(context, &model));
    char name[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "body%d", i);
        SpragBody body = body_called(name);
        assert_ok(context, sprag_model_add_body(model, &body, NULL));
    }
    for (int i = 0; i < 20000; i += 7) {
        snprintf(name, sizeof name, "body%d", i);
        assert_int_equal(sprag_model_find_body(model, name), i);
    }
    assert_int_equal(sprag_model_find_body(model, "body20000"), -1);
    assert_close(sprag_model_size(model), 1, 0);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),       cmocka_unit_test(test_paths),
        cmocka_unit_test(test_refused_bodies), cmocka_unit_test(test_refused_others),
        cmocka_unit_test(test_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Rows, slips and bias terms of every pair of features against central differences along random
// motions of two bodies, at any gap.
#include "unit/collide/world.h"

// Lengths, speeds and accelerations are of order 1 and every vertex stays farther than NEAR from
// the one it pivots about, so third derivatives are below about (|v|/NEAR)³ = 2e4. Central
// differences with step H then err by H² 2e4/6 + 1e-16/H ≈ 3e-8 relative to values of order 10.
static const double H = 3e-6, NEAR = 0.1, TOLERANCE = 2e-6;

typedef struct Motion {
    double q[6], v[6], a[6];
} Motion;

static void place(const Motion *motion, double s, double *pose, double *rate)
{
    for (int i = 0; i < 6; i++) {
        pose[i] = motion->q[i] + s * motion->v[i] + s * s / 2 * motion->a[i];
        rate[i] = motion->v[i] + s * motion->a[i];
    }
}

static SpragGap at(const SpragCollider *collider, int slot, const Motion *motion, double s)
{
    double pose[6], rate[6];
    SpragGap gap;
    place(motion, s, pose, rate);
    sprag_collider_gap(collider, slot, pose, rate, &gap);
    return gap;
}

// theory.md (1.5) with direction d and the arms of the gap.
static void build_row(const SpragGap *gap, const SpragSlot *slot, SpragVec2 d, double *row)
{
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? 1 : -1;
        double *entry = row + 3 * slot->body[i];
        entry[0] = sign * d.x;
        entry[1] = sign * d.y;
        entry[2] = sign * sprag_vec2_cross(gap->r[i], d);
    }
}

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += a[i] * b[i];
    return sum;
}

// Near an edge between two features the bias jumps: differences across it mean nothing.
static bool is_smooth(const SpragGap *before, const SpragGap *now, const SpragGap *after)
{
    if (!isfinite(before->gap) || !isfinite(now->gap) || !isfinite(after->gap))
        return false;
    double jump = fabs(after->bias_normal - before->bias_normal) +
                  fabs(after->bias_tangential - before->bias_tangential);
    return now->gap > -0.5 && jump < 1e-2;
}

static bool check_slot(const SpragCollider *collider, int slot, const Motion *motion)
{
    SpragGap now = at(collider, slot, motion, 0);
    SpragGap before = at(collider, slot, motion, -H), after = at(collider, slot, motion, H);
    const SpragSlot *item = sprag_collider_slot(collider, slot);
    if (!is_smooth(&before, &now, &after) || now.gap < NEAR)
        return false;
    double N[6] = {0}, T[6] = {0};
    build_row(&now, item, now.normal, N);
    build_row(&now, item, sprag_vec2_tangent(now.normal), T);
    assert_close(now.gap_rate, dot6(N, motion->v), 1e-12);
    assert_close(now.slip, dot6(T, motion->v) + now.slip_drift, 1e-12);
    assert_close(now.gap_rate, (after.gap - before.gap) / (2 * H), TOLERANCE);
    assert_close(dot6(N, motion->a) + now.bias_normal, (after.gap_rate - before.gap_rate) / (2 * H),
                 10 * TOLERANCE);
    assert_close(dot6(T, motion->a) + now.bias_tangential, (after.slip - before.slip) / (2 * H),
                 10 * TOLERANCE);
    // the arm of the normal row may be that of the centre as well
    for (int i = 0; i < 2; i++)
        assert_close(sprag_vec2_cross(now.r[i], now.normal),
                     sprag_vec2_cross(now.centre[i], now.normal), 1e-12);
    return true;
}

static void add_random_shape(SpragModel *model, int body, SpragShapeKind kind, SpragRandom *random)
{
    const double polygon[] = {-0.3, -0.2, 0.25, -0.3, 0.4, 0.1, 0, 0.3};
    const double capsule[] = {-0.3, 0.1, 0.2, -0.1};
    const double points[] = {-0.3, 0.1, 0.2, -0.1, 0, 0.2};
    const double chain[] = {-1, 0.1, -0.2, 0.3, 0.3, -0.1, 1, 0.2};
    switch (kind) {
    case SPRAG_SHAPE_CIRCLE:
        world_circle(model, body, 0.2, -0.1, sprag_random_uniform(random, 0.05, 0.3));
        break;
    case SPRAG_SHAPE_CAPSULE:
        world_shape(model, body, kind, 2, capsule, sprag_random_uniform(random, 0.05, 0.2));
        break;
    case SPRAG_SHAPE_BOX:
        world_box(model, body, 0.5, 0.3);
        break;
    case SPRAG_SHAPE_POLYGON:
        world_shape(model, body, kind, 4, polygon, 0);
        break;
    case SPRAG_SHAPE_ROD:
        world_rod(model, body, 0.6);
        break;
    case SPRAG_SHAPE_POINTS:
        world_shape(model, body, kind, 3, points, 0);
        break;
    case SPRAG_SHAPE_PLANE:
        world_plane(model, body, sprag_random_uniform(random, -1, 1), 0.1);
        break;
    default:
        world_shape(model, body, kind, 4, chain, 0);
        break;
    }
}

static void draw_motion(Motion *motion, bool fixed, SpragRandom *random)
{
    for (int i = 0; i < 6; i++) {
        bool still = fixed && i < 3;
        motion->q[i] = sprag_random_uniform(random, -1, 1) * (i % 3 == 2 ? 3 : 1);
        motion->v[i] = still ? 0 : sprag_random_uniform(random, -2, 2);
        motion->a[i] = still ? 0 : sprag_random_uniform(random, -2, 2);
    }
}

// Body 0 has shape `first` (and a belt), body 1 has shape `second`.
static int check_pair(SpragShapeKind first, SpragShapeKind second, bool fixed, bool turned,
                      SpragRandom *random)
{
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    world_body(model, "first", fixed, 0, 0, 0);
    world_body(model, "second", false, 0, 0, 0);
    model->bodies[0].surface_velocity[0] = 0.7;
    model->bodies[0].surface_velocity[1] = 0.2;
    add_random_shape(model, 0, first, random);
    add_random_shape(model, 1, second, random);
    SpragRule rule = {0};
    rule.between[0].kind = rule.between[1].kind = SPRAG_SELECT_BODY;
    rule.between[0].index = turned ? 0 : 1;
    rule.between[1].index = turned ? 1 : 0;
    assert_ok(context, sprag_model_add_rule(model, &rule, NULL));
    Motion motion;
    draw_motion(&motion, fixed, random);
    SpragCollider *collider = NULL;
    assert_ok(context, sprag_collider_create(model, motion.q, &collider));
    int checked = 0;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++)
        checked += check_slot(collider, i, &motion);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
    return checked;
}

static void test_every_pair(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int first = SPRAG_SHAPE_CIRCLE; first <= SPRAG_SHAPE_CHAIN; first++) {
        for (int second = SPRAG_SHAPE_CIRCLE; second <= SPRAG_SHAPE_POINTS; second++) {
            bool points = first == SPRAG_SHAPE_ROD || first == SPRAG_SHAPE_POINTS;
            if (points && (second == SPRAG_SHAPE_ROD || second == SPRAG_SHAPE_POINTS))
                continue;
            bool infinite = first >= SPRAG_SHAPE_PLANE;
            int checked = 0;
            for (int draw = 0; draw < test_draws(40); draw++)
                checked += check_pair((SpragShapeKind)first, (SpragShapeKind)second,
                                      infinite || draw % 3 == 0, draw % 2 == 0, &random);
            if (checked < 5)
                fail_msg("%s and %s: only %d slots checked",
                         sprag_shape_kind_name((SpragShapeKind)first),
                         sprag_shape_kind_name((SpragShapeKind)second), checked);
        }
    }
}

// Everything within a circle with the solid around it: gaps by hand, rates by differences.
static void test_hollow(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int kind = SPRAG_SHAPE_CIRCLE; kind <= SPRAG_SHAPE_POINTS; kind++) {
        int checked = 0;
        for (int draw = 0; draw < test_draws(40); draw++) {
            SpragContext *context = test_context();
            SpragModel *model = world_create(context);
            world_body(model, "ring", draw % 3 == 0, 0, 0, 0);
            world_body(model, "within", false, 0, 0, 0);
            SpragVec2 centre = {0.2, -0.3};
            SpragShape ring = {.kind = SPRAG_SHAPE_CIRCLE,
                               .material = -1,
                               .vertex_count = 1,
                               .vertices = &centre,
                               .radius = 4,
                               .inside = true};
            assert_ok(context, sprag_model_add_shape(model, &ring, NULL));
            add_random_shape(model, 1, (SpragShapeKind)kind, &random);
            Motion motion;
            draw_motion(&motion, draw % 3 == 0, &random);
            SpragCollider *collider = NULL;
            assert_ok(context, sprag_collider_create(model, motion.q, &collider));
            const SpragShape *shape = &model->shapes[1];
            assert_int_equal(sprag_collider_slot_count(collider), shape->vertex_count);
            SpragVec2 middle = sprag_vec2_turn(centre, cos(motion.q[2]), sin(motion.q[2]));
            middle = sprag_vec2_add(middle, sprag_vec2(motion.q[0], motion.q[1]));
            for (int i = 0; i < shape->vertex_count; i++) {
                SpragVec2 c =
                    sprag_vec2_turn(shape->vertices[i], cos(motion.q[5]), sin(motion.q[5]));
                c = sprag_vec2_add(c, sprag_vec2(motion.q[3], motion.q[4]));
                SpragGap gap = at(collider, i, &motion, 0);
                double distance = hypot(c.x - middle.x, c.y - middle.y);
                assert_close(gap.gap, 4 - distance - shape->radius, 1e-14);
                if (distance > 0.3)
                    checked += check_slot(collider, i, &motion);
            }
            sprag_collider_destroy(collider);
            sprag_model_destroy(model);
            sprag_context_destroy(context);
        }
        assert_true(checked > 20);
    }
}

// theory.md section 1: the listed values at gap' = 0.
static void test_listed_bias_terms(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    world_body(model, "a", false, 0, 0, 0);
    world_body(model, "b", false, 0, 0, 0);
    world_circle(model, 0, 0.1, 0, 0.5);
    world_circle(model, 1, 0, 0.2, 0.3);
    // centres at (0.1, 0) and (0.1, 1.2): n = +y into b; vertical speeds of the centres agree
    double pose[] = {0, 0, 0, 0.1, 1.0, 0}, rate[] = {0.3, 0.4 - 0.2, 2, -0.5, 0.4, -3};
    SpragCollider *collider = NULL;
    assert_ok(context, sprag_collider_create(model, pose, &collider));
    assert_int_equal(sprag_collider_slot_count(collider), 1);
    SpragGap gap;
    sprag_collider_gap(collider, 0, pose, rate, &gap);
    assert_string_equal(sprag_collider_slot(collider, 0)->name, "b-a");
    assert_close(gap.gap, 1.2 - 0.8, 1e-15);
    assert_close(gap.gap_rate, 0, 1e-15);
    // velocities of the centres: b (−0.5 + 3·0.2, 0.4), a (0.3, 0.2 + 2·0.1)
    double across = 0.1 - 0.3, distance = 1.2;
    assert_close(gap.bias_normal, -9 * 0.2 + 0 + across * across / distance, 1e-14);
    assert_close(gap.bias_tangential, -9 * 0 + 4 * 0.1, 1e-14);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

// With a wide zone corners of polygons coincide over finite distances: both kinds of faces.
static void test_coinciding_corners(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    SpragContext *context = test_context();
    int checked = 0;
    for (int draw = 0; draw < test_draws(300); draw++) {
        SpragModel *model = world_create(context);
        model->simulate.contact_tolerance = 0.2;
        world_body(model, "first", draw % 2 == 0, 0, 0, 0);
        world_body(model, "second", false, 0, 0, 0);
        add_random_shape(model, 0, SPRAG_SHAPE_POLYGON, &random);
        add_random_shape(model, 1, SPRAG_SHAPE_BOX, &random);
        Motion motion;
        draw_motion(&motion, draw % 2 == 0, &random);
        for (int i = 0; i < 6; i++)
            motion.q[i] *= 0.7;
        SpragCollider *collider = NULL;
        assert_ok(context, sprag_collider_create(model, motion.q, &collider));
        for (int i = 0; i < sprag_collider_slot_count(collider); i++)
            checked += check_slot(collider, i, &motion);
        sprag_collider_destroy(collider);
        sprag_model_destroy(model);
    }
    sprag_context_destroy(context);
    assert_true(checked > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_coinciding_corners),
        cmocka_unit_test(test_listed_bias_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

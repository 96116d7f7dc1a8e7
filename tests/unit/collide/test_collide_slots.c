// Slots: which points touch, once each and with which normal; names, rules, sides of chains,
// overlaps.
#include "unit/collide/world.h"

enum { MOST = 64 };
static const double CLOSED = 1e-12; // coordinates are of order 1: rounding is 1e-16

typedef struct Scene {
    SpragContext *context;
    SpragModel *model;
    SpragCollider *collider;
    double pose[3 * 8];
    int closed[MOST];
    int closed_count;
} Scene;

static Scene open_scene(void)
{
    Scene scene = {.context = test_context()};
    scene.model = world_create(scene.context);
    return scene;
}

static void build(Scene *scene)
{
    scene->collider = world_collider(scene->model, scene->pose);
    scene->closed_count = world_closed(scene->collider, scene->pose, CLOSED, scene->closed, MOST);
}

static void close_scene(Scene *scene)
{
    sprag_collider_destroy(scene->collider);
    sprag_model_destroy(scene->model);
    sprag_context_destroy(scene->context);
}

static SpragGap gap_of(const Scene *scene, const char *name)
{
    SpragGap gap;
    int slot = sprag_collider_find_slot(scene->collider, name);
    if (slot < 0)
        fail_msg("no slot %s", name);
    sprag_collider_gap(scene->collider, slot, scene->pose, NULL, &gap);
    return gap;
}

static SpragGap closed_gap(const Scene *scene, int i)
{
    SpragGap gap;
    sprag_collider_gap(scene->collider, scene->closed[i], scene->pose, NULL, &gap);
    return gap;
}

static const char *name_of(const Scene *scene, int slot)
{
    return sprag_collider_slot(scene->collider, slot)->name;
}

static SpragSelector select_body(int body)
{
    SpragSelector selector = {.kind = SPRAG_SELECT_BODY, .index = body};
    return selector;
}

// ---- Flat on flat -------------------------------------------------------------------------------

// A box of width `upper` shifted by `shift` on a box of width `lower`: two contacts, vertical.
static void check_stack(double lower, double upper, double shift, bool lower_fixed, double angle)
{
    Scene scene = open_scene();
    double c = cos(angle), s = sin(angle);
    world_body(scene.model, "under", lower_fixed, 0, 0, angle);
    world_body(scene.model, "box", false, c * shift - s * 0.7, s * shift + c * 0.7, angle);
    world_box(scene.model, 0, lower, 1);
    world_box(scene.model, 1, upper, 0.4);
    build(&scene);
    assert_int_equal(scene.closed_count, 2);
    double low = fmax(-lower / 2, shift - upper / 2), high = fmin(lower / 2, shift + upper / 2);
    double found[2];
    for (int i = 0; i < 2; i++) {
        SpragGap gap = closed_gap(&scene, i);
        assert_close(gap.normal.x, -s, 1e-12);
        assert_close(gap.normal.y, c, 1e-12);
        found[i] = c * gap.point.x + s * gap.point.y;
    }
    assert_close(fmin(found[0], found[1]), low, 1e-12);
    assert_close(fmax(found[0], found[1]), high, 1e-12);
    int slot;
    double depth;
    assert_false(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    close_scene(&scene);
}

static void test_box_on_box(void **state)
{
    (void)state;
    const double angles[] = {0, 0.3, -1.9, 3.0};
    for (int i = 0; i < 4; i++) {
        for (int fixed = 0; fixed < 2; fixed++) {
            check_stack(2, 1, 0, fixed, angles[i]);
            check_stack(1, 2, 0, fixed, angles[i]);
            check_stack(1, 1, 0, fixed, angles[i]);
            check_stack(1, 1, 0.2, fixed, angles[i]);
            check_stack(1, 2, 0.5, fixed, angles[i]);
            check_stack(2, 1, 0.5, fixed, angles[i]);
        }
    }
}

// Two cards lean against each other with their upper corners: at rest they push level, and what is
// held so stays held when they begin to move.
static void test_leaning_cards_push_level(void **state)
{
    (void)state;
    const double lean = 0.35, half = 0.5, thick = 0.01;
    Scene scene = open_scene();
    double x = half * sin(lean) + thick / 2 * cos(lean);
    world_body(scene.model, "left", false, -x, 0, -lean);
    world_body(scene.model, "right", false, x, 0, lean);
    world_box(scene.model, 0, thick, 2 * half);
    world_box(scene.model, 1, thick, 2 * half);
    build(&scene);
    assert_int_equal(scene.closed_count, 1);
    SpragGap gap = closed_gap(&scene, 0);
    assert_close(gap.normal.x, 1, 1e-12);
    assert_close(gap.normal.y, 0, 1e-12);
    SpragFrame frames[2];
    SpragHold hold = {0};
    const double still[] = {0, 0, 0}, down[] = {0, -1e-3, 0};
    for (int i = 0; i < 2; i++)
        sprag_frame_set(scene.pose + 3 * i, still, &frames[i]);
    assert_true(sprag_collider_hold(scene.collider, scene.closed[0], frames, &hold));
    sprag_frame_set(scene.pose + 3, down, &frames[1]);
    assert_true(sprag_collider_is_held(scene.collider, scene.closed[0], &hold, frames));
    assert_true(sprag_collider_hold(scene.collider, scene.closed[0], frames, &hold));
    sprag_collider_held_gap(scene.collider, scene.closed[0], &hold, frames, &gap);
    assert_close(gap.normal.x, 1, 1e-12);
    assert_close(gap.gap_rate, 0, 1e-15);
    close_scene(&scene);
}

static void test_corner_on_corner_uses_the_flat_face(void **state)
{
    (void)state;
    // an obtuse corner on the upper corner of a diamond: no face of the diamond separates them, the
    // lower face of the polygon does
    const double obtuse[] = {0, 0, 1, 0, 1, 1, -sqrt(3), 1};
    Scene scene = open_scene();
    world_body(scene.model, "diamond", false, 0, -sqrt(0.5), atan(1));
    world_body(scene.model, "wedge", false, 0, 0, 0);
    world_box(scene.model, 0, 1, 1);
    world_shape(scene.model, 1, SPRAG_SHAPE_POLYGON, 4, obtuse, 0);
    build(&scene);
    assert_int_equal(scene.closed_count, 1);
    SpragGap gap = closed_gap(&scene, 0);
    assert_close(gap.normal.y, 1, 1e-12);
    close_scene(&scene);
}

static void test_capsules_and_polygons(void **state)
{
    (void)state;
    // a capsule lies on a longer box, a shorter one, and one that ends where its core ends
    const double core[] = {-1, 0, 1, 0};
    const double widths[] = {4, 1, 2};
    for (int i = 0; i < 3; i++) {
        Scene scene = open_scene();
        world_body(scene.model, "under", true, 0, -0.5, 0);
        world_body(scene.model, "pill", false, 0, 0.25, 0);
        world_box(scene.model, 0, widths[i], 1);
        world_shape(scene.model, 1, SPRAG_SHAPE_CAPSULE, 2, core, 0.25);
        build(&scene);
        assert_int_equal(scene.closed_count, 2);
        for (int k = 0; k < 2; k++) {
            SpragGap gap = closed_gap(&scene, k);
            assert_close(gap.normal.y, 1, 1e-12);
            assert_close(fabs(gap.point.x), fmin(1, widths[i] / 2), 1e-12);
        }
        close_scene(&scene);
    }
    // two capsules in line touch once
    Scene scene = open_scene();
    world_body(scene.model, "a", false, 0, 0, 0);
    world_body(scene.model, "b", false, 2.5, 0, 0);
    for (int body = 0; body < 2; body++)
        world_shape(scene.model, body, SPRAG_SHAPE_CAPSULE, 2, core, 0.25);
    build(&scene);
    assert_int_equal(scene.closed_count, 1);
    int slot;
    double depth;
    assert_false(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    close_scene(&scene);
}

// ---- Chains -------------------------------------------------------------------------------------

static const double VALLEY[] = {-2, 1, 0, 0, 2, 1};
static const double RIDGE[] = {-2, -1, 0, 0, 2, -1};

static void test_chain_valley(void **state)
{
    (void)state;
    Scene scene = open_scene();
    double slope = atan2(1, 2), radius = 0.3;
    world_body(scene.model, "ground", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0, radius / cos(slope), 0);
    world_body(scene.model, "rod", false, 0, 1, 2 * atan(1));
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 3, VALLEY, 0);
    world_circle(scene.model, 1, 0, 0, radius);
    world_rod(scene.model, 2, 2);
    build(&scene);
    assert_int_equal(scene.closed_count, 4);
    assert_close(gap_of(&scene, "ball-ground.s0").normal.x, sin(slope), 1e-12);
    assert_close(gap_of(&scene, "ball-ground.s1").normal.x, -sin(slope), 1e-12);
    assert_close(gap_of(&scene, "rod.a-ground.s0").gap, 0, 1e-12);
    assert_close(gap_of(&scene, "rod.a-ground.s1").gap, 0, 1e-12);
    // a rounding error below both sides does not lose a contact; half a radius is an overlap
    scene.pose[3 * 1 + 1] -= 1e-11;
    scene.pose[3 * 2 + 1] -= 1e-11;
    assert_int_equal(world_closed(scene.collider, scene.pose, 1e-10, scene.closed, MOST), 4);
    close_scene(&scene);
}

// Below the corner of a valley no segment has a foot of the vertex; it is behind both all the same.
// A gap that went from open to none there would never be seen to close.
static void test_below_a_valley(void **state)
{
    (void)state;
    const double slope = atan2(1, 2);
    Scene scene = open_scene();
    world_body(scene.model, "ground", true, 0, 0, 0);
    world_body(scene.model, "rod", false, 0, 1, 2 * atan(1));
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 3, VALLEY, 0);
    world_rod(scene.model, 1, 2);
    build(&scene);
    for (int i = -4; i <= 4; i++) {
        double x = 1e-4 * i, y = -1e-3;
        scene.pose[3] = x;
        scene.pose[4] = 1 + y;
        // its feet are beyond the ends, (2, −1)·(x, y) > 0 and (2, 1)·(x, y) < 0
        assert_true(2 * x - y > 0 && 2 * x + y < 0);
        assert_close(gap_of(&scene, "rod.a-ground.s0").gap, x * sin(slope) + y * cos(slope), 1e-12);
        assert_close(gap_of(&scene, "rod.a-ground.s1").gap, -x * sin(slope) + y * cos(slope),
                     1e-12);
    }
    close_scene(&scene);
}

// Closed contacts of each body with body 0.
static void count_on_ground(const Scene *scene, int *counts)
{
    for (int i = 0; i < scene->closed_count; i++) {
        const SpragSlot *slot = sprag_collider_slot(scene->collider, scene->closed[i]);
        if (slot->body[1] == 0)
            counts[slot->body[0]]++;
    }
}

static void test_chain_ridge(void **state)
{
    (void)state;
    Scene scene = open_scene();
    world_body(scene.model, "ground", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0, 0.3, 0);
    world_body(scene.model, "box", false, 0, 0.5, 0);
    world_body(scene.model, "rod", false, 0, 1, 2 * atan(1));
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 3, RIDGE, 0);
    world_circle(scene.model, 1, 0, 0, 0.3);
    world_box(scene.model, 2, 1, 1);
    world_rod(scene.model, 3, 2);
    build(&scene);
    // ball: once, on the corner; box: its face on the corner; rod: once, on one of the segments
    int counts[4] = {0};
    count_on_ground(&scene, counts);
    assert_int_equal(counts[1], 1);
    assert_int_equal(counts[2], 1);
    assert_int_equal(counts[3], 1);
    assert_close(gap_of(&scene, "ball-ground.s0").normal.y, 1, 1e-12);
    assert_close(gap_of(&scene, "box-ground.p1").normal.y, 1, 1e-12);
    assert_true(gap_of(&scene, "ball-ground.s1").gap == INFINITY);
    close_scene(&scene);
}

static void test_straight_joint_is_one_contact(void **state)
{
    (void)state;
    const double line[] = {-1, 0, 0, 0, 1, 0, 3, 0};
    for (int i = 0; i < 5; i++) {
        Scene scene = open_scene();
        world_body(scene.model, "ground", true, 0, 0, 0.1 * i);
        double c = cos(0.1 * i), s = sin(0.1 * i), x = i % 2;
        world_body(scene.model, "ball", false, c * x - s * 0.2, s * x + c * 0.2, 0);
        world_body(scene.model, "point", false, c * x, s * x, 0);
        world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 4, line, 0);
        world_circle(scene.model, 1, 0, 0, 0.2);
        const double origin[] = {0, 0};
        world_shape(scene.model, 2, SPRAG_SHAPE_POINTS, 1, origin, 0);
        build(&scene);
        int counts[3] = {0};
        count_on_ground(&scene, counts);
        assert_int_equal(counts[1], 1);
        assert_int_equal(counts[2], 1);
        close_scene(&scene);
    }
}

static void test_closed_chain_and_plateau(void **state)
{
    (void)state;
    // standing on a closed chain whose top is exactly as wide as the box
    const double loop[] = {-0.5, 0, -1, -1, 1, -1, 0.5, 0};
    Scene scene = open_scene();
    world_body(scene.model, "rock", true, 0, 0, 0);
    world_body(scene.model, "box", false, 0, 0.5, 0);
    int chain = world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 4, loop, 0);
    scene.model->shapes[chain].closed = true;
    world_box(scene.model, 1, 1, 1);
    build(&scene);
    assert_int_equal(scene.closed_count, 2);
    for (int i = 0; i < 2; i++)
        assert_close(closed_gap(&scene, i).normal.y, 1, 1e-12);
    int slot;
    double depth;
    assert_false(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    // pushed down by 0.1 the corners are out again soonest through the slopes
    scene.pose[3 * 1 + 1] -= 0.1;
    assert_true(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    assert_close(depth, 0.1 * sin(atan2(1, 2)), 1e-12);
    close_scene(&scene);
}

static void test_container(void **state)
{
    (void)state;
    // an L-shaped room: a ball in one arm is behind walls of the other, and free all the same
    const double room[] = {0, 0, 4, 0, 4, 1, 1, 1, 1, 4, 0, 4};
    Scene scene = open_scene();
    world_body(scene.model, "room", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0.5, 3, 0);
    int chain = world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 6, room, 0);
    scene.model->shapes[chain].closed = true;
    world_circle(scene.model, 1, 0, 0, 0.2);
    build(&scene);
    int slot;
    double depth;
    assert_false(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    scene.pose[3] = 0.5;
    scene.pose[4] = 0.2;
    assert_int_equal(world_closed(scene.collider, scene.pose, 1e-12, scene.closed, MOST), 1);
    scene.pose[3] = 3;
    scene.pose[4] = 0.9;
    assert_true(sprag_collider_find_overlap(scene.collider, scene.pose, 1e-12, &slot, &depth));
    assert_close(depth, 0.1, 1e-12);
    close_scene(&scene);
}

static void test_chain_side(void **state)
{
    (void)state;
    // the same chain drawn the other way round: the ball is on its right
    const double reversed[] = {2, 1, 0, 0, -2, 1};
    Scene scene = open_scene();
    world_body(scene.model, "ground", true, 0, 0, 0);
    world_body(scene.model, "ball", false, 0, 1, 0);
    world_body(scene.model, "below", false, 0, -1, 0);
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 3, reversed, 0);
    world_circle(scene.model, 1, 0, 0, 0.1);
    world_circle(scene.model, 2, 0, 0, 0.1);
    build(&scene);
    assert_close(gap_of(&scene, "ball-ground.s0").gap, 1 * cos(atan2(1, 2)) - 0.1, 1e-12);
    // from below the valley is a ridge: the corner is nearest, and s0 has it
    assert_close(gap_of(&scene, "below-ground.s0").gap, 0.9, 1e-12);
    assert_true(gap_of(&scene, "below-ground.s1").gap == INFINITY);
    int slot = sprag_collider_find_slot(scene.collider, "ball-ground.s0");
    assert_close(sprag_collider_slot(scene.collider, slot)->side, -1, 0);
    close_scene(&scene);
}

// ---- Overlaps -----------------------------------------------------------------------------------

static double overlap_of(Scene *scene)
{
    int slot;
    double depth;
    build(scene);
    if (!sprag_collider_find_overlap(scene->collider, scene->pose, 1e-9, &slot, &depth))
        depth = 0;
    close_scene(scene);
    return depth;
}

static void test_overlaps(void **state)
{
    (void)state;
    // crossing boxes: no corner is inside; the least way out is half of width plus height
    Scene scene = open_scene();
    world_body(scene.model, "a", true, 0, 0, 0);
    world_body(scene.model, "b", false, 0, 0, 0);
    world_box(scene.model, 0, 4, 1);
    world_box(scene.model, 1, 1, 4);
    assert_close(overlap_of(&scene), 2.5, 1e-12);
    // deep inside a half-plane
    scene = open_scene();
    world_body(scene.model, "table", true, 0, 1, 0);
    world_body(scene.model, "box", false, 0, -7, 0);
    world_plane(scene.model, 0, 0, 0);
    world_box(scene.model, 1, 1, 1);
    assert_close(overlap_of(&scene), 8.5, 1e-12);
    // a small ball wholly inside a fixed polygon
    scene = open_scene();
    world_body(scene.model, "a", true, 0, 0, 0);
    world_body(scene.model, "b", false, 0.2, 0, 0);
    world_box(scene.model, 0, 2, 2);
    world_circle(scene.model, 1, 0, 0, 0.1);
    assert_close(overlap_of(&scene), 0.8 + 0.1, 1e-12);
    // a box across a chain
    scene = open_scene();
    const double line[] = {-5, 0, 5, 0};
    world_body(scene.model, "a", true, 0, 0, 0);
    world_body(scene.model, "b", false, 0, 0.3, 0);
    world_shape(scene.model, 0, SPRAG_SHAPE_CHAIN, 2, line, 0);
    world_box(scene.model, 1, 1, 1);
    assert_close(overlap_of(&scene), 0.2, 1e-12);
    // side by side
    scene = open_scene();
    world_body(scene.model, "a", true, 0, 0, 0);
    world_body(scene.model, "b", false, 1, 0, 0);
    world_box(scene.model, 0, 1, 1);
    world_box(scene.model, 1, 1, 1);
    assert_close(overlap_of(&scene), 0, 0);
}

// ---- Names and rules ----------------------------------------------------------------------------

static void test_names(void **state)
{
    (void)state;
    Scene scene = open_scene();
    world_body(scene.model, "table", true, 0, 0, 0);
    world_body(scene.model, "rod", false, 0, 2, 0);
    world_body(scene.model, "ball", false, 0, 5, 0);
    world_plane(scene.model, 0, 0, 0);
    world_plane(scene.model, 0, 1, -9);
    world_rod(scene.model, 1, 1);
    world_circle(scene.model, 2, 0, 0, 0.1);
    world_circle(scene.model, 2, 1, 0, 0.1);
    char *names[] = {"heel", "toe"};
    SpragVec2 vertices[] = {{0, 0}, {1, 1}};
    SpragShape named = {.kind = SPRAG_SHAPE_POINTS, .name = "foot", .body = 2, .material = -1};
    named.vertex_count = 2;
    named.vertices = vertices;
    named.vertex_names = names;
    assert_ok(scene.context, sprag_model_add_shape(scene.model, &named, NULL));
    build(&scene);
    const char *expected[] = {"rod.a-table.0",  "rod.b-table.0",         "ball.0-table.0",
                              "ball.1-table.1", "ball.foot.toe-table.1", "ball.0-rod.a",
                              "ball.1-rod.b",   "ball.foot.heel-table.0"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (sprag_collider_find_slot(scene.collider, expected[i]) < 0) {
            for (int k = 0; k < sprag_collider_slot_count(scene.collider); k++)
                print_message("%s\n", name_of(&scene, k));
            fail_msg("no contact is called %s", expected[i]);
        }
    int count = sprag_collider_slot_count(scene.collider);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(name_of(&scene, i), name_of(&scene, k));
    close_scene(&scene);
}

static void test_rules(void **state)
{
    (void)state;
    Scene scene = open_scene();
    SpragModel *model = scene.model;
    SpragMaterial standard = {.name = (char[]){"default"}, .friction = {true, 0.4, 0.2, 0}};
    SpragMaterial ice = {.name = (char[]){"ice"}, .friction = {true, 0.1, 0.05, 0}};
    standard.restitution.given = ice.restitution.given = true;
    standard.restitution.e = 0.5;
    ice.restitution.e = 0.25;
    int ice_index;
    assert_ok(scene.context, sprag_model_add_material(model, &standard, NULL));
    assert_ok(scene.context, sprag_model_add_material(model, &ice, &ice_index));
    world_body(model, "table", true, 0, 0, 0);
    world_body(model, "rod", false, 0, 2, 0);
    world_body(model, "box", false, 0, 5, 0);
    int plane = world_plane(model, 0, 0, 0);
    model->shapes[plane].material = ice_index;
    int rod = world_rod(model, 1, 1);
    world_box(model, 2, 1, 1);
    SpragRule general = {.friction = {true, 0.9, 0.9, 0}};
    general.between[0] = select_body(1);
    SpragRule tip = {.name = (char[]){"tip"}, .friction = {true, 0.3, 0.27, 0.01}};
    tip.between[0] = select_body(0);
    tip.between[1] = (SpragSelector){SPRAG_SELECT_FEATURE, rod, 0};
    SpragRule pads = {.name = (char[]){"pads"}};
    pads.between[0] = select_body(2);
    pads.between[1] = (SpragSelector){SPRAG_SELECT_MATERIAL, ice_index, 0};
    SpragRule nothing = {.ignore = true};
    nothing.between[0] = select_body(1);
    nothing.between[1] = select_body(2);
    assert_ok(scene.context, sprag_model_add_rule(model, &tip, NULL));
    assert_ok(scene.context, sprag_model_add_rule(model, &general, NULL));
    assert_ok(scene.context, sprag_model_add_rule(model, &pads, NULL));
    assert_ok(scene.context, sprag_model_add_rule(model, &nothing, NULL));
    build(&scene);
    assert_int_equal(sprag_collider_slot_count(scene.collider), 2 + 4);
    const SpragSlot *slot =
        sprag_collider_slot(scene.collider, sprag_collider_find_slot(scene.collider, "tip"));
    assert_int_equal(slot->body[0], 0);
    assert_int_equal(slot->body[1], 1);
    assert_true(slot->swapped);
    assert_close(slot->friction_static, 0.3, 0);
    assert_close(slot->friction_kinetic, 0.27, 0);
    assert_close(slot->stribeck, 0.01, 0);
    assert_close(gap_of(&scene, "tip").gap, 2, 1e-15);
    assert_close(gap_of(&scene, "tip").normal.y, -1, 1e-15);
    slot = sprag_collider_slot(scene.collider,
                               sprag_collider_find_slot(scene.collider, "rod.b-table"));
    assert_close(slot->friction_static, 0.9, 0);
    int slots[8];
    assert_int_equal(sprag_collider_find_slots(scene.collider, "pads", slots, 8), 4);
    assert_string_equal(name_of(&scene, slots[3]), "pads.3");
    assert_int_equal(sprag_collider_find_slots(scene.collider, "pads.2", slots, 8), 1);
    assert_int_equal(sprag_collider_find_slots(scene.collider, "pad", slots, 8), 0);
    slot = sprag_collider_slot(scene.collider, slots[0]);
    // materials: 2 · 0.4 · 0.1/0.5 and 2 · 0.2 · 0.05/0.25; the smaller restitution
    assert_close(slot->friction_static, 0.16, 1e-15);
    assert_close(slot->friction_kinetic, 0.08, 1e-15);
    assert_close(slot->restitution.e, 0.25, 0);
    SpragSelector pair[2] = {select_body(0), select_body(1)};
    assert_int_equal(sprag_collider_find_pair(scene.collider, pair, slots, 8), 2);
    close_scene(&scene);
}

static void test_belt_slip(void **state)
{
    (void)state;
    // a belt that runs to the right under a resting box drags it to +x: slip is negative
    Scene scene = open_scene();
    world_body(scene.model, "belt", true, 0, -0.05, 0);
    world_body(scene.model, "box", false, 0, 0.5, 0);
    scene.model->bodies[0].surface_velocity[0] = 0.5;
    world_box(scene.model, 0, 2, 0.1);
    world_box(scene.model, 1, 1, 1);
    build(&scene);
    assert_int_equal(scene.closed_count, 2);
    double rate[6] = {0, 0, 0, 0.1, 0, 0};
    SpragGap gap;
    sprag_collider_gap(scene.collider, scene.closed[0], scene.pose, rate, &gap);
    assert_close(gap.slip, -0.4, 1e-15);
    assert_close(gap.slip_drift, -0.5, 1e-15);
    assert_close(gap.gap_rate, 0, 0);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_on_box),
        cmocka_unit_test(test_leaning_cards_push_level),
        cmocka_unit_test(test_corner_on_corner_uses_the_flat_face),
        cmocka_unit_test(test_capsules_and_polygons),
        cmocka_unit_test(test_chain_valley),
        cmocka_unit_test(test_below_a_valley),
        cmocka_unit_test(test_chain_ridge),
        cmocka_unit_test(test_straight_joint_is_one_contact),
        cmocka_unit_test(test_closed_chain_and_plateau),
        cmocka_unit_test(test_container),
        cmocka_unit_test(test_chain_side),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_belt_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The list of slots in space: names, rules, what comes near, numbers that stay, overlaps.
#include "unit/collide/world3.h"

enum { MOST = 64 };

static SpragSelector body_selector(int body)
{
    SpragSelector selector = {.kind = SPRAG_SELECT_BODY, .index = body};
    return selector;
}

static void add_rule(World3 *world, const char *name, SpragSelector a, SpragSelector b, double mu)
{
    char text[32] = "";
    if (name)
        snprintf(text, sizeof text, "%s", name);
    SpragRule rule = {.name = name ? text : NULL, .between = {a, b}};
    rule.friction = (SpragFriction){.given = true, .stationary = mu, .kinetic = mu};
    assert_ok(world->context, sprag_model_add_rule(world->model, &rule, NULL));
}

static void add_table(World3 *world)
{
    world3_body(world, "table", true, sprag_vec3(0, 0, 0), turn_about(0, 0, 1, 0));
    world3_plane(world, 0, sprag_vec3(0, 0, 1), 0);
}

static void expect_slot(const World3 *world, const char *name, double gap)
{
    int slot = sprag_collider_find_slot(world->collider, name);
    if (slot < 0)
        fail_msg("no slot %s", name);
    assert_string_equal(world3_name(world, slot), name);
    assert_close(sprag_collider_space_distance(world->collider, slot, world->poses, NULL), gap,
                 1e-12);
}

// ---- Names and rules ----------------------------------------------------------------------------

static void test_names(void **state)
{
    (void)state;
    World3 *world = world3_open();
    add_table(world);
    world3_body(world, "ball", false, sprag_vec3(0, 0, 0.6), turn_about(0, 0, 1, 0));
    world3_sphere(world, 1, sprag_vec3(0, 0, 0), 0.5);
    world3_body(world, "box", false, sprag_vec3(1.1, 0, 0.7), turn_about(0, 0, 1, 0));
    world3_box(world, 2, 1, 1, 1);
    world3_body(world, "pill", false, sprag_vec3(0, 2, 1), turn_about(0, 0, 1, 0));
    world3_capsule(world, 3, 1, 0.25);
    world3_build(world);
    expect_slot(world, "ball-table", 0.1);
    expect_slot(world, "box.c0-table", 0.2);
    expect_slot(world, "box.c6-table", 1.2);
    expect_slot(world, "pill.a-table", 0.25);
    expect_slot(world, "pill.b-table", 1.25);
    expect_slot(world, "box-ball", 0.1);
    expect_slot(world, "pill-ball", 2 - 0.75);
    const SpragSlot *slot =
        sprag_collider_slot(world->collider, sprag_collider_find_slot(world->collider, "box-ball"));
    assert_int_equal(slot->body[0], 2);
    assert_true(slot->swapped);
    SpragSpaceGap gap = world3_gap(world, sprag_collider_find_slot(world->collider, "box-ball"));
    assert_close(gap.normal.x, 1, 1e-12);
    world3_close(world);
}

static void test_rules(void **state)
{
    (void)state;
    World3 *world = world3_open();
    add_table(world);
    world3_body(world, "ball", false, sprag_vec3(0, 0, 0.6), turn_about(0, 0, 1, 0));
    world3_sphere(world, 1, sprag_vec3(0, 0, 0), 0.5);
    world3_body(world, "box", false, sprag_vec3(2, 0, 0.7), turn_about(0, 0, 1, 0));
    world3_box(world, 2, 1, 1, 1);
    world3_body(world, "lid", false, sprag_vec3(2.3, 0.2, 1.4), turn_about(0, 0, 1, 0.3));
    world3_box(world, 3, 1, 1, 0.4);
    add_rule(world, "foot", body_selector(1), body_selector(0), 0.1);
    add_rule(world, "pads", body_selector(2), body_selector(0), 0.2);
    add_rule(world, "seam", body_selector(2), body_selector(3), 0.3);
    SpragSelector corner = {.kind = SPRAG_SELECT_FEATURE, .index = 2, .feature = 1};
    add_rule(world, "toe", corner, body_selector(0), 0.4);
    SpragRule ignore = {.between = {body_selector(1), body_selector(2)}, .ignore = true};
    assert_ok(world->context, sprag_model_add_rule(world->model, &ignore, NULL));
    world3_build(world);
    expect_slot(world, "foot", 0.1);
    expect_slot(world, "toe", 0.2);
    expect_slot(world, "pads.0", 0.2);
    assert_int_equal(sprag_collider_find_slot(world->collider, "pads.7"), -1);
    int slots[MOST], count = sprag_collider_find_slots(world->collider, "pads", slots, MOST);
    assert_int_equal(count, 7);
    for (int i = 0; i < count; i++)
        assert_close(sprag_collider_slot(world->collider, slots[i])->friction_kinetic, 0.2, 0);
    assert_int_equal(sprag_collider_find_slots(world->collider, "ball-box", slots, MOST), 0);
    // a flat contact with crossings: the rule numbers what it gets, in the order of slots
    count = sprag_collider_find_slots(world->collider, "seam", slots, MOST);
    assert_true(count > 16);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "seam.%d", i);
        assert_string_equal(world3_name(world, slots[i]), name);
        // the first in `between` is body[0]
        assert_int_equal(sprag_collider_slot(world->collider, slots[i])->body[0], 2);
    }
    SpragSelector pair[2] = {body_selector(3), body_selector(2)};
    assert_int_equal(sprag_collider_find_pair(world->collider, pair, slots, MOST), count);
    world3_close(world);
}

static void test_edge_names(void **state)
{
    (void)state;
    // two boxes that touch with crossed edges: upper edge c6c7 … along x, lower edge along y
    World3 *world = world3_open();
    double half = sqrt(0.5);
    world3_body(world, "under", true, sprag_vec3(0, 0, 0), turn_about(1, 0, 0, acos(-1) / 4));
    world3_body(world, "over", false, sprag_vec3(0.1, 0, 2 * half),
                turn_about(0, 1, 0, acos(-1) / 4));
    world3_box(world, 0, 1, 1, 1);
    world3_box(world, 1, 1, 1, 1);
    world3_build(world);
    int closed[MOST], count = world3_closed(world, 1e-12, closed, MOST);
    assert_int_equal(count, 1);
    SpragSpaceGap gap = world3_gap(world, closed[0]);
    assert_close(gap.normal.z, 1, 1e-12);
    assert_close(gap.point[0].x, 0.1, 1e-12);
    assert_close(gap.point[0].y, 0, 1e-12);
    assert_string_equal(world3_name(world, closed[0]), "over.c1c2-under.c6c7");
    world3_close(world);
}

// ---- Corner on edge, capsules -------------------------------------------------------------------

static void test_corner_on_edge(void **state)
{
    (void)state;
    // a box on its corner, on the upper edge of a box that stands on an edge: one contact, and the
    // normal separates them
    World3 *world = world3_open();
    SpragVec3 diagonal = sprag_vec3_unit(sprag_vec3(1, 1, 1));
    SpragVec3 axis = sprag_vec3_unit(sprag_vec3_cross(diagonal, sprag_vec3(0, 0, 1)));
    SpragQuaternion stand = turn_about(axis.x, axis.y, axis.z, acos(diagonal.z));
    world3_body(world, "under", true, sprag_vec3(0, 0, 0), turn_about(1, 0, 0, acos(-1) / 4));
    world3_body(world, "over", false, sprag_vec3(0.1, 0, sqrt(0.5) + sqrt(0.75)), stand);
    world3_box(world, 0, 1, 1, 1);
    world3_box(world, 1, 1, 1, 1);
    world3_build(world);
    int closed[MOST], count = world3_closed(world, 1e-12, closed, MOST);
    assert_int_equal(count, 1);
    SpragSpaceGap gap = world3_gap(world, closed[0]);
    assert_close(gap.point[0].x, 0.1, 1e-12);
    assert_close(gap.point[0].y, 0, 1e-12);
    for (int i = 0; i < 8; i++) {
        SpragVec3 p = world->model->shapes[1].points[i];
        p = sprag_vec3_add(world->poses[1].x, sprag_mat3_apply(&world->poses[1].R, p));
        assert_true(sprag_vec3_dot(gap.normal, sprag_vec3_sub(p, gap.point[0])) > -1e-12);
    }
    world3_close(world);
}

// Two cards lean against each other with their upper edges: at rest they push level, and a card
// that moves along a face of the other keeps to that face.
static void test_leaning_cards(void **state)
{
    (void)state;
    const double lean = 0.35, half = 0.5, thick = 0.01;
    World3 *world = world3_open();
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? -1 : 1;
        double x = half * sin(lean) + thick / 2 * cos(lean);
        world3_body(world, i == 0 ? "left" : "right", false, sprag_vec3(sign * x, 0, 0),
                    turn_about(0, 1, 0, -sign * lean));
        world3_box(world, i, thick, i == 0 ? 0.4 : 0.3, 2 * half);
    }
    world->model->gravity[2] = -9.81;
    world3_build(world);
    int closed[MOST], count = world3_closed(world, 1e-12, closed, MOST);
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++) {
        SpragGrip grip = {.axis = -1};
        SpragSpaceGap gap = world3_gap(world, closed[i]);
        assert_close(gap.normal.x, 1, 1e-12);
        assert_true(sprag_collider_grip(world->collider, closed[i], world->poses, &grip));
        // a push does not change what is held
        world->poses[1].v = sprag_vec3(0, 0, -1e-3);
        assert_true(sprag_collider_is_gripped(world->collider, closed[i], &grip, world->poses));
        gap = world3_gap(world, closed[i]);
        assert_close(fabs(gap.normal.z), sin(lean), 1e-12);
        assert_close(gap.normal.x, cos(lean), 1e-12);
        assert_true(gap.normal.z * -1e-3 >= 0);
        world->poses[1].v = sprag_vec3(0, 0, 0);
    }
    world3_close(world);
}

// A capsule that lies on a box: both ends, or an end and where its core passes the outline.
static void check_lying(double x, double yaw, int expected)
{
    World3 *world = world3_open();
    SpragQuaternion down = turn_about(0, 1, 0, acos(-1) / 2);
    world3_body(world, "table", true, sprag_vec3(0, 0, -0.5), turn_about(0, 0, 1, 0));
    world3_body(world, "pill", false, sprag_vec3(x, 0, 0.2),
                sprag_quaternion_product(turn_about(0, 0, 1, yaw), down));
    world3_box(world, 0, 2, 2, 1);
    world3_capsule(world, 1, 1, 0.2);
    world3_build(world);
    int closed[MOST], count = world3_closed(world, 1e-12, closed, MOST);
    if (count != expected)
        for (int i = 0; i < count; i++)
            print_error("%s\n", world3_name(world, closed[i]));
    assert_int_equal(count, expected);
    for (int i = 0; i < count; i++) {
        SpragSpaceGap gap = world3_gap(world, closed[i]);
        assert_close(gap.normal.z, 1, 1e-12);
        assert_close(gap.point[1].z, 0, 1e-12);
        assert_true(fabs(gap.point[1].x) <= 1 + 1e-9 && fabs(gap.point[1].y) <= 1 + 1e-9);
    }
    world3_close(world);
}

static void test_lying_capsules(void **state)
{
    (void)state;
    check_lying(0, 0, 2);
    check_lying(0.3, 0.4, 2);
    check_lying(0.8, 0, 2);
    check_lying(0.8, 0.7, 2);
    check_lying(0.5, 0, 2);          // its end over the edge
    check_lying(1, acos(-1) / 2, 2); // along the edge
    check_lying(1, 0, 2);
    // two capsules on each other, parallel: ends; crossed: one point
    for (int i = 0; i < 4; i++) {
        const double yaw[] = {0, 0, 0.5, acos(-1) / 2}, shift[] = {0, 0.3, 0, 0.1};
        World3 *world = world3_open();
        SpragQuaternion down = turn_about(0, 1, 0, acos(-1) / 2);
        world3_body(world, "under", true, sprag_vec3(0, 0, 0), down);
        world3_body(world, "over", false, sprag_vec3(shift[i], 0, 0.5),
                    sprag_quaternion_product(turn_about(0, 0, 1, yaw[i]), down));
        world3_capsule(world, 0, 1, 0.3);
        world3_capsule(world, 1, 1, 0.2);
        world3_build(world);
        int closed[MOST];
        assert_int_equal(world3_closed(world, 1e-12, closed, MOST), yaw[i] == 0 ? 2 : 1);
        world3_close(world);
    }
}

// ---- What comes near ----------------------------------------------------------------------------

static void add_some_shape(World3 *world, SpragRandom *random, int body)
{
    double size = sprag_random_uniform(random, 0.2, 0.4);
    switch (sprag_random_below(random, 3)) {
    case 0:
        world3_sphere(world, body, sprag_vec3(0, 0, 0), size / 2);
        break;
    case 1:
        world3_capsule(world, body, size, size / 4);
        break;
    default:
        world3_box(world, body, size, 0.3, 0.2);
    }
}

static World3 *crowd(SpragRandom *random, int count, double room)
{
    World3 *world = world3_open();
    add_table(world);
    for (int i = 1; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        SpragVec3 at = random_vector(random, room);
        at.z += room;
        world3_body(world, name, false, at, random_rotation(random));
        add_some_shape(world, random, i);
    }
    world3_build(world);
    return world;
}

// Half-way between two poses, up to the rounding of an arc.
static SpragPose between(const SpragPose *a, const SpragVec3 way, const SpragVec3 turn, double part)
{
    SpragPose pose = *a;
    SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_exp(sprag_vec3_scale(part, turn)));
    pose.x = sprag_vec3_along(a->x, part, way);
    pose.R = sprag_mat3_product(&R, &a->R);
    return pose;
}

static bool is_near(const SpragCollider *collider, int slot)
{
    const int *near;
    int count = sprag_collider_near(collider, &near);
    for (int i = 0; i < count; i++) {
        if (near[i] == slot)
            return true;
        assert_true(i == 0 || near[i - 1] < near[i]);
    }
    return false;
}

// Whatever is nearer than the reach somewhere on the way is a slot and in the list. What is near
// there is found by a second collider that looks everywhere at that instant.
static void check_refresh(SpragRandom *random, int count, double room)
{
    const double reach = 0.02;
    World3 *world = crowd(random, count, room);
    SpragPose later[MOST], start[MOST], middle[MOST];
    SpragCollider *other = NULL;
    int added;
    assert_ok(world->context, sprag_collider_create_space(world->model, world->poses, &other));
    for (int step = 0; step < 4; step++) {
        SpragVec3 way[MOST], turn[MOST];
        for (int i = 0; i <= count; i++) {
            start[i] = world->poses[i];
            way[i] = i == 0 ? sprag_vec3(0, 0, 0) : random_vector(random, 0.2);
            turn[i] = i == 0 ? sprag_vec3(0, 0, 0) : random_vector(random, 0.2);
            later[i] = between(&start[i], way[i], turn[i], 1);
        }
        assert_ok(world->context,
                  sprag_collider_refresh(world->collider, start, later, reach, &added));
        for (int part = 0; part <= 4; part++) {
            for (int i = 0; i <= count; i++)
                middle[i] = between(&start[i], way[i], turn[i], part / 4.0);
            assert_ok(world->context, sprag_collider_refresh(other, middle, NULL, 10, &added));
            for (int i = 0; i < sprag_collider_slot_count(other); i++) {
                double gap = sprag_collider_space_distance(other, i, middle, NULL);
                if (!(fabs(gap) < reach))
                    continue;
                const char *name = sprag_collider_slot(other, i)->name;
                int slot = sprag_collider_find_slot(world->collider, name);
                if (slot < 0 || !is_near(world->collider, slot))
                    fail_msg("%s was missed (gap %g)", name, gap);
            }
        }
        memcpy(world->poses, later, sizeof(SpragPose) * (size_t)(count + 1));
    }
    sprag_collider_destroy(other);
    world3_close(world);
}

static void test_refresh_misses_nothing(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 7);
    int draws = test_draws(3);
    for (int draw = 0; draw < draws; draw++) {
        check_refresh(&random, 12, 0.5);
        check_refresh(&random, 30, 0.6);
    }
}

static void test_numbers_and_names_stay(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 8);
    World3 *world = crowd(&random, 20, 0.4);
    const SpragCollider *collider = world->collider;
    int first = sprag_collider_slot_count(collider), added;
    char names[4000][48];
    for (int step = 0; step < 6; step++) {
        int before = sprag_collider_slot_count(collider);
        for (int i = 0; i < before && i < 4000; i++)
            snprintf(names[i], sizeof names[i], "%s", world3_name(world, i));
        for (int i = 1; i <= 20; i++)
            world->poses[i].x = sprag_vec3_add(world->poses[i].x, random_vector(&random, 0.05));
        world3_refresh(world, 0.02);
        for (int i = 0; i < before && i < 4000; i++)
            assert_string_equal(names[i], world3_name(world, i));
        // again: nothing new, nothing allocated
        uint64_t allocations = sprag_context_allocation_count(world->context);
        assert_ok(world->context,
                  sprag_collider_refresh(world->collider, world->poses, NULL, 0.02, &added));
        assert_int_equal(added, 0);
        assert_int_equal(sprag_context_allocation_count(world->context), allocations);
    }
    for (int i = 0; i < sprag_collider_slot_count(collider); i++)
        assert_int_equal(sprag_collider_find_slot(collider, world3_name(world, i)), i);
    // as new
    world3_poses(world);
    assert_ok(world->context, sprag_collider_update_space(world->collider, world->poses));
    assert_int_equal(sprag_collider_slot_count(collider), first);
    world3_close(world);
}

// Above the limit pairs are listed as they come near, and named rules still have their slots.
static void test_large_models_are_lazy(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 9);
    World3 *world = world3_open();
    int count = 300;
    add_table(world);
    for (int i = 1; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        SpragVec3 at = sprag_vec3(i % 20 + 0.01, (i / 20) % 20, 0.5);
        world3_body(world, name, false, at, random_rotation(&random));
        world3_sphere(world, i, sprag_vec3(0, 0, 0), 0.5);
    }
    add_rule(world, "far", body_selector(300), body_selector(1), 0.1);
    world3_build(world);
    int slots = sprag_collider_slot_count(world->collider);
    assert_true(slots < 3000);
    assert_true(sprag_collider_find_slot(world->collider, "far.0") >= 0);
    assert_true(sprag_collider_find_slot(world->collider, "ball7-table") >= 0);
    assert_true(sprag_collider_find_slot(world->collider, "ball8-ball7") >= 0);
    assert_int_equal(sprag_collider_find_slot(world->collider, "ball80-ball7"), -1);
    world->poses[80].x = sprag_vec3_add(world->poses[7].x, sprag_vec3(0, 0, 1.001));
    world3_refresh(world, 0.01);
    expect_slot(world, "ball80-ball7", 0.001);
    world3_close(world);
}

// ---- Overlaps -----------------------------------------------------------------------------------

static void test_overlaps(void **state)
{
    (void)state;
    World3 *world = world3_open();
    add_table(world);
    world3_body(world, "bar", false, sprag_vec3(0, 0, 0.5), turn_about(0, 0, 1, 0));
    world3_box(world, 1, 4, 0.2, 0.2);
    world3_body(world, "cross", false, sprag_vec3(0, 0, 0.65), turn_about(0, 0, 1, 0.3));
    world3_box(world, 2, 0.2, 4, 0.2);
    world3_body(world, "ball", false, sprag_vec3(3, 3, 0.48), turn_about(0, 0, 1, 0));
    world3_sphere(world, 3, sprag_vec3(0, 0, 0), 0.5);
    world3_build(world);
    int slot = -1;
    double depth = 0;
    // crossing bars: no corner is inside
    assert_true(
        sprag_collider_find_overlap_space(world->collider, world->poses, 1e-9, &slot, &depth));
    assert_close(depth, 0.05, 1e-12);
    assert_int_equal(sprag_collider_slot(world->collider, slot)->body[0], 2);
    assert_int_equal(sprag_collider_slot(world->collider, slot)->body[1], 1);
    world->poses[2].x.z = 0.75;
    assert_true(
        sprag_collider_find_overlap_space(world->collider, world->poses, 1e-9, &slot, &depth));
    assert_close(depth, 0.02, 1e-12);
    assert_string_equal(world3_name(world, slot), "ball-table");
    assert_false(
        sprag_collider_find_overlap_space(world->collider, world->poses, 0.03, &slot, &depth));
    world3_close(world);
}

// A box deep in another parts through the nearest face, for all its corners.
static void test_placing(void **state)
{
    (void)state;
    World3 *world = world3_open();
    world3_body(world, "under", true, sprag_vec3(0, 0, 0), turn_about(0, 0, 1, 0));
    world3_body(world, "over", false, sprag_vec3(0.3, 0.2, 1.1), turn_about(0, 0, 1, 0.4));
    world3_box(world, 0, 2, 2, 2);
    world3_box(world, 1, 0.5, 0.5, 0.5);
    world3_build(world);
    for (int i = 0; i < 4; i++) {
        char name[32];
        SpragSpaceGap gap;
        snprintf(name, sizeof name, "over.c%d-under", i);
        sprag_collider_placing_space(
            world->collider, sprag_collider_find_slot(world->collider, name), world->poses, &gap);
        assert_close(gap.gap, -0.15, 1e-12);
        assert_close(gap.normal.z, 1, 1e-12);
    }
    world3_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_edge_names),
        cmocka_unit_test(test_corner_on_edge),
        cmocka_unit_test(test_leaning_cards),
        cmocka_unit_test(test_lying_capsules),
        cmocka_unit_test(test_refresh_misses_nothing),
        cmocka_unit_test(test_numbers_and_names_stay),
        cmocka_unit_test(test_large_models_are_lazy),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_placing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Flat contacts in space: the touching points of two faces are the corners of the polygon that both
// cover, once each, with the faces' normal. The polygon is computed independently, by clipping.
#include "unit/collide/world3.h"

enum { MOST = 64 };
static const double CLOSED = 1e-11; // coordinates are of order 1: rounding is 1e-15

typedef struct Polygon {
    SpragVec2 at[MOST];
    int count;
} Polygon;

static Polygon rectangle(double width, double depth, SpragVec2 centre, double angle)
{
    const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    Polygon polygon = {.count = 4};
    for (int i = 0; i < 4; i++) {
        SpragVec2 p = sprag_vec2(sign[i][0] * width / 2, sign[i][1] * depth / 2);
        polygon.at[i] = sprag_vec2_add(centre, sprag_vec2_turn(p, cos(angle), sin(angle)));
    }
    return polygon;
}

// The part of a convex polygon on the left of the line from a to b.
static Polygon clip(const Polygon *polygon, SpragVec2 a, SpragVec2 b)
{
    Polygon part = {.count = 0};
    SpragVec2 e = sprag_vec2_sub(b, a);
    for (int i = 0; i < polygon->count; i++) {
        SpragVec2 p = polygon->at[i], q = polygon->at[(i + 1) % polygon->count];
        double s = sprag_vec2_cross(e, sprag_vec2_sub(p, a));
        double t = sprag_vec2_cross(e, sprag_vec2_sub(q, a));
        if (s >= 0)
            part.at[part.count++] = p;
        if (s * t < 0)
            part.at[part.count++] =
                sprag_vec2_add(p, sprag_vec2_scale(s / (s - t), sprag_vec2_sub(q, p)));
    }
    return part;
}

// Sides that lie on each other cross anywhere by rounding: such corners are none.
static Polygon without_straight(const Polygon *polygon)
{
    Polygon kept = {.count = 0};
    for (int i = 0, n = polygon->count; i < n; i++) {
        SpragVec2 d = sprag_vec2_sub(polygon->at[i], polygon->at[(i + n - 1) % n]);
        SpragVec2 e = sprag_vec2_sub(polygon->at[(i + 1) % n], polygon->at[i]);
        if (fabs(sprag_vec2_cross(d, e)) > 1e-10)
            kept.at[kept.count++] = polygon->at[i];
    }
    return kept;
}

static Polygon common_part(const Polygon *a, const Polygon *b)
{
    Polygon part = *a, merged = {.count = 0};
    for (int i = 0; i < b->count; i++)
        part = clip(&part, b->at[i], b->at[(i + 1) % b->count]);
    for (int i = 0; i < part.count; i++) {
        bool known = false;
        for (int k = 0; k < merged.count; k++) {
            SpragVec2 d = sprag_vec2_sub(part.at[i], merged.at[k]);
            known = known || hypot(d.x, d.y) < 1e-7;
        }
        if (!known)
            merged.at[merged.count++] = part.at[i];
    }
    return without_straight(&merged);
}

static double least_side(const Polygon *polygon)
{
    double least = INFINITY;
    for (int i = 0; i < polygon->count; i++) {
        SpragVec2 d = sprag_vec2_sub(polygon->at[(i + 1) % polygon->count], polygon->at[i]);
        least = fmin(least, hypot(d.x, d.y));
    }
    return least;
}

typedef struct Stack {
    double lower[2], upper[2]; // width and depth
    SpragVec2 shift;
    double angle;
    SpragQuaternion turn; // of all of it
    SpragVec3 place;
    bool fixed;  // the lower box
    double sunk; // overlap
} Stack;

static World3 *build_stack(const Stack *stack)
{
    World3 *world = world3_open();
    SpragVec3 up = {stack->shift.x, stack->shift.y, 0.7 - stack->sunk};
    SpragQuaternion yaw = turn_about(0, 0, 1, stack->angle);
    world3_body(world, "under", stack->fixed, stack->place, stack->turn);
    world3_body(world, "box", false, sprag_vec3_add(stack->place, rotated(stack->turn, up)),
                sprag_quaternion_product(stack->turn, yaw));
    world3_box(world, 0, stack->lower[0], stack->lower[1], 1);
    world3_box(world, 1, stack->upper[0], stack->upper[1], 0.4);
    world3_build(world);
    return world;
}

// Every corner of the polygon is one contact, and there are no others.
static void check_stack(const Stack *stack)
{
    World3 *world = build_stack(stack);
    Polygon lower = rectangle(stack->lower[0], stack->lower[1], sprag_vec2(0, 0), 0);
    Polygon upper = rectangle(stack->upper[0], stack->upper[1], stack->shift, stack->angle);
    Polygon part = common_part(&upper, &lower);
    int closed[MOST], count = 0, slots = sprag_collider_slot_count(world->collider);
    SpragVec3 n = rotated(stack->turn, sprag_vec3(0, 0, 1));
    SpragMat3 R = sprag_quaternion_matrix(stack->turn);
    for (int i = 0; i < slots; i++) {
        SpragSpaceGap gap = world3_gap(world, i);
        if (gap.gap > CLOSED)
            continue;
        assert_true(count < MOST);
        closed[count++] = i;
        assert_close(gap.gap, -stack->sunk, CLOSED);
        assert_close(sprag_vec3_dot(gap.normal, n), 1, 1e-11);
        SpragVec3 local = sprag_mat3_apply_back(&R, sprag_vec3_sub(gap.point[0], stack->place));
        double least = INFINITY;
        for (int k = 0; k < part.count; k++)
            least = fmin(least, hypot(local.x - part.at[k].x, local.y - part.at[k].y));
        assert_close(least, 0, 1e-9);
        for (int k = 0; k + 1 < count; k++) {
            SpragVec3 d = sprag_vec3_sub(world3_gap(world, closed[k]).point[0], gap.point[0]);
            if (sprag_vec3_norm(d) < 1e-6)
                fail_msg("%s and %s touch in one place", world3_name(world, closed[k]),
                         world3_name(world, i));
        }
    }
    if (count != part.count) {
        for (int i = 0; i < count; i++)
            print_error("%s\n", world3_name(world, closed[i]));
        fail_msg("%d contacts, %d corners of the common part", count, part.count);
    }
    int slot;
    double depth = 0;
    bool overlap =
        sprag_collider_find_overlap_space(world->collider, world->poses, 1e-9, &slot, &depth);
    assert_int_equal(overlap, stack->sunk > 1e-9);
    if (overlap)
        assert_close(depth, stack->sunk, 1e-9);
    world3_close(world);
}

static Stack random_stack(SpragRandom *random)
{
    Stack stack = {.angle = sprag_random_uniform(random, -3, 3)};
    for (int i = 0; i < 2; i++) {
        stack.lower[i] = sprag_random_uniform(random, 0.5, 2);
        stack.upper[i] = sprag_random_uniform(random, 0.5, 2);
    }
    stack.shift = sprag_vec2(sprag_random_uniform(random, -0.8, 0.8),
                             sprag_random_uniform(random, -0.8, 0.8));
    stack.turn = random_rotation(random);
    stack.place = random_vector(random, 1);
    stack.fixed = sprag_random_below(random, 2) == 0;
    return stack;
}

static void test_random_faces(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    int draws = test_draws(200);
    for (int i = 0; i < draws; i++) {
        Stack stack = random_stack(&random);
        Polygon lower = rectangle(stack.lower[0], stack.lower[1], sprag_vec2(0, 0), 0);
        Polygon upper = rectangle(stack.upper[0], stack.upper[1], stack.shift, stack.angle);
        Polygon part = common_part(&upper, &lower);
        // without an area the boxes touch elsewhere or not at all
        if (part.count < 3 || least_side(&part) < 1e-5)
            continue;
        check_stack(&stack);
        stack.sunk = 1e-4;
        if (least_side(&part) > 1e-2)
            check_stack(&stack);
    }
}

// Edges in line, corners on edges, corners on corners: nothing is doubled, nothing is missing.
static void test_aligned_faces(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    const double sizes[] = {1, 0.5, 2};
    const double shifts[] = {0, 0.25, 0.5, -0.25, -0.75, 0.1};
    int draws = test_draws(1);
    for (int draw = 0; draw < draws; draw++) {
        for (int a = 0; a < 3; a++) {
            for (int x = 0; x < 6; x++) {
                for (int y = 0; y < 6; y++) {
                    Stack stack = random_stack(&random);
                    stack.lower[0] = stack.lower[1] = 1;
                    stack.upper[0] = sizes[a];
                    stack.upper[1] = sizes[(a + y) % 3];
                    stack.shift = sprag_vec2(shifts[x], shifts[y]);
                    stack.angle = sprag_random_below(&random, 4) * (acos(-1) / 2);
                    if (draw == 0 && x % 2 == 0)
                        stack.turn = turn_about(0, 0, 1, 0);
                    Polygon lower = rectangle(1, 1, sprag_vec2(0, 0), 0);
                    Polygon upper =
                        rectangle(stack.upper[0], stack.upper[1], stack.shift, stack.angle);
                    Polygon part = common_part(&upper, &lower);
                    if (part.count < 3)
                        continue;
                    check_stack(&stack);
                    stack.sunk = 1e-6;
                    check_stack(&stack);
                }
            }
        }
    }
}

// ---- Prisms -------------------------------------------------------------------------------------

static Polygon add_prism(World3 *world, SpragRandom *random, int body, double height)
{
    Polygon base = {.count = 3 + sprag_random_below(random, 6)};
    SpragVec3 points[2 * MOST];
    double size = sprag_random_uniform(random, 0.4, 1);
    for (int i = 0; i < base.count; i++) {
        double angle = 2 * acos(-1) * (i + sprag_random_uniform(random, 0, 0.6)) / base.count;
        base.at[i] = sprag_vec2(size * cos(angle), size * sin(angle));
        points[i] = sprag_vec3(base.at[i].x, base.at[i].y, -height / 2);
        points[base.count + i] = sprag_vec3(base.at[i].x, base.at[i].y, height / 2);
    }
    world3_shape(world, body, SPRAG_SHAPE_HULL, 2 * base.count, points, 0);
    return base;
}

static void check_prisms(SpragRandom *random)
{
    World3 *world = world3_open();
    SpragQuaternion turn = random_rotation(random);
    SpragVec2 shift = sprag_vec2(sprag_random_uniform(random, -0.6, 0.6),
                                 sprag_random_uniform(random, -0.6, 0.6));
    world3_body(world, "under", true, sprag_vec3(0, 0, 0), turn);
    world3_body(world, "over", false, rotated(turn, sprag_vec3(shift.x, shift.y, 0.7)), turn);
    Polygon lower = add_prism(world, random, 0, 1), upper = add_prism(world, random, 1, 0.4);
    for (int i = 0; i < upper.count; i++)
        upper.at[i] = sprag_vec2_add(upper.at[i], shift);
    Polygon part = common_part(&upper, &lower);
    world3_build(world);
    int closed[MOST], count = world3_closed(world, CLOSED, closed, MOST);
    bool clear = part.count >= 3 && least_side(&part) > 1e-5;
    if (clear)
        assert_int_equal(count, part.count);
    SpragMat3 R = sprag_quaternion_matrix(turn);
    for (int i = 0; i < count && clear; i++) {
        SpragSpaceGap gap = world3_gap(world, closed[i]);
        SpragVec3 at = sprag_mat3_apply_back(&R, gap.point[0]);
        double least = INFINITY;
        for (int k = 0; k < part.count; k++)
            least = fmin(least, hypot(at.x - part.at[k].x, at.y - part.at[k].y));
        assert_close(least, 0, 1e-9);
        assert_close(sprag_mat3_apply_back(&R, gap.normal).z, 1, 1e-11);
    }
    world3_close(world);
}

static void test_prisms(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 6);
    int draws = test_draws(100);
    for (int draw = 0; draw < draws; draw++)
        check_prisms(&random);
}

// ---- Almost aligned -----------------------------------------------------------------------------

static double corner_height(const Polygon *polygon, int k)
{
    int n = polygon->count;
    SpragVec2 a = polygon->at[(k + n - 1) % n];
    SpragVec2 d = sprag_vec2_sub(polygon->at[(k + 1) % n], a);
    return fabs(sprag_vec2_cross(d, sprag_vec2_sub(polygon->at[k], a))) / hypot(d.x, d.y);
}

// Sine of the angle between the two sides that meet in a corner.
static double corner_sine(const Polygon *polygon, int k)
{
    int n = polygon->count;
    SpragVec2 a = sprag_vec2_sub(polygon->at[k], polygon->at[(k + n - 1) % n]);
    SpragVec2 b = sprag_vec2_sub(polygon->at[(k + 1) % n], polygon->at[k]);
    return fabs(sprag_vec2_cross(a, b)) / (hypot(a.x, a.y) * hypot(b.x, b.y));
}

// Contacts of a stack that is a few zones away from an aligned one: they cover the corners of the
// common part, and no two are nearer to each other than the zone.
static void check_almost(const Stack *stack)
{
    World3 *world = build_stack(stack);
    double tolerance = sprag_collider_tolerance(world->collider), zone = 4 * tolerance;
    Polygon lower = rectangle(stack->lower[0], stack->lower[1], sprag_vec2(0, 0), 0);
    Polygon upper = rectangle(stack->upper[0], stack->upper[1], stack->shift, stack->angle);
    Polygon part = common_part(&upper, &lower);
    int closed[MOST], count = world3_closed(world, tolerance, closed, MOST);
    SpragMat3 R = sprag_quaternion_matrix(stack->turn);
    SpragVec3 n = rotated(stack->turn, sprag_vec3(0, 0, 1)), at[MOST];
    bool covered[MOST] = {false};
    for (int i = 0; i < count; i++) {
        SpragSpaceGap gap = world3_gap(world, closed[i]);
        assert_close(sprag_vec3_dot(gap.normal, n), 1, 1e-11);
        at[i] = sprag_mat3_apply_back(&R, sprag_vec3_sub(gap.point[0], stack->place));
        double least = INFINITY;
        for (int k = 0; k < part.count; k++) {
            double d = hypot(at[i].x - part.at[k].x, at[i].y - part.at[k].y);
            least = fmin(least, d);
            covered[k] = covered[k] || d <= 1e-6; // sides cross at angles down to 1e-9
        }
        // inside of the common part up to the zone: corners on its sides may be there
        assert_true(least <= 4 * zone || fabs(at[i].x) > 0.4 || fabs(at[i].y) > 0.2);
        for (int k = 0; k < i; k++)
            if (sprag_vec3_norm(sprag_vec3_sub(at[i], at[k])) < 0.99 * zone)
                fail_msg("%s and %s", world3_name(world, closed[i]), world3_name(world, closed[k]));
    }
    // a corner that is off the line between its neighbours by less than the zone is none
    for (int k = 0; k < part.count; k++)
        if (!covered[k] && corner_height(&part, k) > 2 * zone)
            fail_msg("corner %d of %d at %.12g, %.12g is not held", k, part.count, part.at[k].x,
                     part.at[k].y);
    world3_close(world);
}

static void test_almost_aligned_faces(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    const double parts[] = {0, 0.3, 0.9, 0.999, 1.001, 1.2, 2, 3};
    int draws = test_draws(150);
    for (int draw = 0; draw < draws; draw++) {
        Stack stack = random_stack(&random);
        double zone = 4e-9 * 1.4; // of the order of the real one
        double offset[3];
        for (int i = 0; i < 3; i++)
            offset[i] = zone * parts[sprag_random_below(&random, 8)] *
                        (sprag_random_below(&random, 2) ? 1 : -1);
        stack.lower[0] = stack.lower[1] = 1;
        stack.upper[0] = sprag_random_below(&random, 2) ? 1 : 0.5;
        stack.upper[1] = sprag_random_below(&random, 2) ? 1 : 0.5;
        stack.shift = sprag_vec2(0.25 * (sprag_random_below(&random, 5) - 2) + offset[0],
                                 0.25 * (sprag_random_below(&random, 5) - 2) + offset[1]);
        stack.angle = sprag_random_below(&random, 2) ? offset[2] : 0;
        check_almost(&stack);
    }
}

// ---- Layers -------------------------------------------------------------------------------------

// A box that has sunk into another and leans a little: each corner of the common part is one
// contact, as deep as the face is there. Lengths agree to the lean times the size of the boxes.
static void check_layer(SpragRandom *random, bool aligned)
{
    const double lean = 1e-4, sunk = 3e-4;
    Stack stack = random_stack(random);
    stack.shift = sprag_vec2_scale(0.6, stack.shift);
    if (aligned) {
        stack.lower[0] = stack.lower[1] = stack.upper[0] = stack.upper[1] = 1;
        stack.shift = sprag_vec2(0.5 * sprag_random_below(random, 2), 0);
        stack.angle = 0;
    }
    stack.sunk = sunk;
    Polygon lower = rectangle(stack.lower[0], stack.lower[1], sprag_vec2(0, 0), 0);
    Polygon upper = rectangle(stack.upper[0], stack.upper[1], stack.shift, stack.angle);
    Polygon part = common_part(&upper, &lower);
    if (part.count < 3 || least_side(&part) < 0.02)
        return;
    World3 *world = build_stack(&stack);
    SpragVec3 by = sprag_vec3(sprag_random_uniform(random, -lean, lean),
                              sprag_random_uniform(random, -lean, lean), 0);
    SpragMat3 turn = sprag_quaternion_matrix(sprag_quaternion_exp(rotated(stack.turn, by)));
    world->poses[1].R = sprag_mat3_product(&turn, &world->poses[1].R);
    world3_refresh(world, 0.01);
    SpragMat3 R = sprag_quaternion_matrix(stack.turn);
    int count = 0;
    for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
        SpragSpaceGap gap = world3_gap(world, i);
        if (gap.gap > 0)
            continue;
        count++;
        SpragVec3 at = sprag_mat3_apply_back(&R, sprag_vec3_sub(gap.point[0], stack.place));
        double x = at.x - stack.shift.x, y = at.y - stack.shift.y, least = INFINITY;
        // the lean moves sides by as much; where they cross at a small angle the corner runs off
        for (int k = 0; k < part.count; k++)
            least = fmin(least, hypot(at.x - part.at[k].x, at.y - part.at[k].y) /
                                    fmax(10, 1 / corner_sine(&part, k)));
        if (least > lean)
            fail_msg("%s is %g leans away from any corner", world3_name(world, i), least / lean);
        assert_close(gap.gap, -sunk + by.x * y - by.y * x, 1e-6);
    }
    if (count != part.count) {
        for (int i = 0; i < sprag_collider_slot_count(world->collider); i++)
            if (world3_gap(world, i).gap <= 0)
                print_error("%s\n", world3_name(world, i));
        fail_msg("%d contacts, %d corners (aligned %d)", count, part.count, aligned);
    }
    world3_close(world);
}

static void test_layers(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    int draws = test_draws(100);
    for (int draw = 0; draw < draws; draw++)
        check_layer(&random, draw % 4 == 0);
}

// A box that has sunk into a table by a layer comes to a second table of the same height: it runs
// into its side only as long as it is less deep in it than below its top.
static void test_sunk_box_at_a_seam(void **state)
{
    (void)state;
    const double sunk = 2e-5;
    World3 *world = world3_open();
    world3_body(world, "right", true, sprag_vec3(1, 0, -0.5), turn_about(0, 0, 1, 0));
    world3_box(world, 0, 2, 2, 1);
    world3_body(world, "box", false, sprag_vec3(0, 0, 0.1 - sunk), turn_about(0, 0, 1, 0.3));
    world3_box(world, 1, 0.4, 0.3, 0.2);
    world3_build(world);
    double lead = rotated(turn_about(0, 0, 1, 0.3), world->model->shapes[1].points[1]).x;
    const double in[] = {-1e-6, 1e-6, 1e-5, 3e-5, 1e-3};
    SpragGrip grip = {.axis = -1};
    int slot = sprag_collider_find_slot(world->collider, "box.c1-right");
    for (int i = 0; i < 5; i++) {
        world->poses[1].x.x = in[i] - lead;
        world3_refresh(world, 1e-3);
        bool held = sprag_collider_is_gripped(world->collider, slot, &grip, world->poses);
        assert_int_equal(held, i == 1 || i == 2 || i == 4);
        assert_true(sprag_collider_grip(world->collider, slot, world->poses, &grip));
        SpragSpaceGap gap = world3_gap(world, slot);
        assert_close(gap.normal.z, i < 3 ? 0 : 1, 1e-12);
        assert_close(gap.gap, i < 3 ? -in[i] : -sunk, 1e-12);
        // the upright edge over the upper edge of the side
        int edge = sprag_collider_find_slot(world->collider, "box.c1c5-right.c4c7");
        assert_true(edge >= 0);
        gap = world3_gap(world, edge);
        if (i < 3)
            assert_close(gap.gap, -in[i], 1e-12);
        else
            assert_true(gap.gap == INFINITY);
    }
    world3_close(world);
}

// ---- Noise --------------------------------------------------------------------------------------

// A stack that trembles within the tolerance keeps its grips.
static void test_grips_outlast_noise(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 4);
    int draws = test_draws(30);
    for (int draw = 0; draw < draws; draw++) {
        Stack stack = random_stack(&random);
        bool aligned = draw % 2 == 0;
        if (aligned) {
            stack.lower[0] = stack.lower[1] = stack.upper[0] = stack.upper[1] = 1;
            stack.shift = sprag_vec2(0.5 * sprag_random_below(&random, 2), 0);
            stack.angle = 0;
        } else {
            stack.shift = sprag_vec2_scale(0.3, stack.shift);
        }
        World3 *world = build_stack(&stack);
        double tolerance = sprag_collider_tolerance(world->collider);
        int closed[MOST], count = world3_closed(world, tolerance, closed, MOST), again[MOST];
        SpragGrip grips[MOST];
        assert_true(count >= 4);
        for (int i = 0; i < count; i++) {
            grips[i] = (SpragGrip){.axis = -1};
            assert_true(sprag_collider_grip(world->collider, closed[i], world->poses, &grips[i]));
        }
        SpragPose rest = world->poses[1];
        for (int step = 0; step < 20; step++) {
            SpragMat3 turn = sprag_quaternion_matrix(
                sprag_quaternion_exp(random_vector(&random, 0.2 * tolerance)));
            world->poses[1].x = sprag_vec3_add(rest.x, random_vector(&random, 0.2 * tolerance));
            world->poses[1].R = sprag_mat3_product(&turn, &rest.R);
            world->poses[1].v = random_vector(&random, 1e-9);
            for (int i = 0; i < count; i++)
                if (!sprag_collider_is_gripped(world->collider, closed[i], &grips[i], world->poses))
                    fail_msg("%s lost its grip", world3_name(world, closed[i]));
            assert_int_equal(world3_closed(world, tolerance, again, MOST), count);
        }
        world3_close(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_faces),
        cmocka_unit_test(test_aligned_faces),
        cmocka_unit_test(test_almost_aligned_faces),
        cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_sunk_box_at_a_seam),
        cmocka_unit_test(test_grips_outlast_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_faces),
        cmocka_unit_test(test_aligned_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Bodies that are moved until they touch: the least gap of all slots is zero there, whatever
// features meet, and below zero a little farther on.
// Surfaces  the distance from any of the triangles, each taken as a convex shape.
// Bores     open at both ends. A place of the body between the mouths is off the axis by most in
//           some direction d; the part K of the body between them has the extent
//               h(d) = min over s of h_body(d − s a) + max(s b_1, s b_0)
//           along d, with a the axis and b_0, b_1 the heights of the mouths: one angle and s are
//           searched, and the body is let off the wall by R − max h.
// Others    the distance of convex shapes, which tests of its own prove.
#include "space_world.h"
#include "world3.h"

enum { MOVERS = 5, GRID = 9, AROUND = 90, SECTIONS = 70, HALVINGS = 50 };
static const SpragShapeKind MOVER[MOVERS] = {SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE,
                                             SPRAG_SHAPE_BOX, SPRAG_SHAPE_CYLINDER,
                                             SPRAG_SHAPE_HULL};
static const double GOLDEN = 0.6180339887498949;

// Sizes as of things that are dropped, some of them thin.
static void add_mover(World3 *world, SpragRandom *random, int body, SpragShapeKind kind)
{
    enum { CORNERS = 7 };
    double size[3];
    for (int i = 0; i < 3; i++)
        size[i] = sprag_random_uniform(random, 0.12, 0.25);
    if (sprag_random_uniform(random, 0, 1) < 0.3)
        size[sprag_random_uniform(random, 0, 1) < 0.5 ? 0 : 2] = 0.0025;
    SpragVec3 ends[2] = {{0, 0, -size[2] / 2}, {0, 0, size[2] / 2}}, points[CORNERS];
    for (int i = 0; i < CORNERS; i++)
        points[i] = sprag_vec3_scale(0.125, space_direction(random));
    if (kind == SPRAG_SHAPE_SPHERE)
        world3_sphere(world, body, random_vector(random, 0.02), size[1] / 2);
    else if (kind == SPRAG_SHAPE_CAPSULE)
        world3_capsule(world, body, size[1], size[0] / 4);
    else if (kind == SPRAG_SHAPE_BOX)
        world3_box(world, body, size[0], size[1], size[2]);
    else if (kind == SPRAG_SHAPE_CYLINDER)
        world3_shape(world, body, kind, 2, ends, size[0] / 2);
    else
        world3_shape(world, body, kind, CORNERS, points, 0);
}

static void add_hills(World3 *world, SpragRandom *random, int body)
{
    double heights[GRID * GRID];
    for (int i = 0; i < GRID * GRID; i++)
        heights[i] = sprag_random_uniform(random, -0.12, 0.12);
    world3_field(world, body, GRID, heights);
}

// ---- Independent clearances ---------------------------------------------------------------------

static double clear_of_triangles(const World3 *world)
{
    const SpragShape *shapes = world->model->shapes;
    const SpragSurface *surface = shapes[0].surface;
    SpragVec3 low, high;
    double least = INFINITY;
    shape_bounds(&shapes[1], &world->poses[1], &low, &high);
    for (int t = 0; t < surface->triangle_count; t++) {
        SpragVec3 corner[3];
        double left = INFINITY, right = -INFINITY;
        for (int k = 0; k < 3; k++) {
            corner[k] = surface->vertices[surface->triangles[3 * t + k]];
            left = fmin(left, corner[k].x);
            right = fmax(right, corner[k].x);
        }
        SpragShape triangle = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = 3, .points = corner};
        ConvexDistance r;
        if (left < high.x + 0.1 && right > low.x - 0.1 &&
            convex_distance(&shapes[1], &world->poses[1], &triangle, &world->poses[0], &r))
            least = fmin(least, r.distance);
    }
    return least;
}

static double clear_of_wholes(const World3 *world)
{
    const SpragShape *shapes = world->model->shapes;
    ConvexDistance r;
    assert_true(convex_distance(&shapes[0], &world->poses[0], &shapes[1], &world->poses[1], &r));
    return r.distance;
}

// Extent of the part of the body between the mouths along d, off the axis z.
typedef struct Hole {
    const World3 *world;
    double low, high;
} Hole;

static double bounded_extent(const Hole *hole, SpragVec3 d, double s)
{
    const World3 *world = hole->world;
    SpragVec3 along = sprag_vec3_sub(d, sprag_vec3(0, 0, s));
    SpragVec3 p = shape_support(&world->model->shapes[1], &world->poses[1], along);
    return sprag_vec3_dot(along, p) + fmax(s * hole->high, s * hole->low);
}

// h(d): a convex function of s, whose least value is found by sections of a bracket.
static double extent(const Hole *hole, double angle)
{
    SpragVec3 d = sprag_vec3(cos(angle), sin(angle), 0);
    double low = -1, high = 1, s[2], value[2];
    while (low > -1e12 && bounded_extent(hole, d, low) < bounded_extent(hole, d, 0.99 * low))
        low *= 4;
    while (high < 1e12 && bounded_extent(hole, d, high) < bounded_extent(hole, d, 0.99 * high))
        high *= 4;
    s[0] = high - GOLDEN * (high - low);
    s[1] = low + GOLDEN * (high - low);
    for (int k = 0; k < 2; k++)
        value[k] = bounded_extent(hole, d, s[k]);
    for (int i = 0; i < SECTIONS && high - low > 1e-14; i++) {
        int keep = value[0] < value[1] ? 0 : 1;
        *(keep == 0 ? &high : &low) = s[1 - keep];
        s[1 - keep] = s[keep];
        value[1 - keep] = value[keep];
        s[keep] = keep == 0 ? high - GOLDEN * (high - low) : low + GOLDEN * (high - low);
        value[keep] = bounded_extent(hole, d, s[keep]);
    }
    return fmin(value[0], value[1]);
}

static double clear_of_bore(const World3 *world)
{
    const SpragShape *bore = &world->model->shapes[0];
    Hole hole = {world, bore->points[0].z, bore->points[1].z};
    const double turn = 2 * acos(-1) / AROUND;
    double most = -INFINITY, value[AROUND];
    for (int i = 0; i < AROUND; i++) {
        value[i] = extent(&hole, turn * i);
        most = fmax(most, value[i]);
    }
    // what is less than the highest by more than the way between two angles has none higher
    double floor = most - 0.3 * turn * bore->radius;
    for (int i = 0; i < AROUND; i++) {
        double before = value[(i + AROUND - 1) % AROUND], after = value[(i + 1) % AROUND];
        if (value[i] < floor || value[i] < before || value[i] < after)
            continue;
        double low = turn * (i - 1), high = turn * (i + 1);
        for (int k = 0; k < SECTIONS && high - low > 1e-9; k++) {
            double x = high - GOLDEN * (high - low), y = low + GOLDEN * (high - low);
            double at[2] = {extent(&hole, x), extent(&hole, y)};
            most = fmax(most, fmax(at[0], at[1]));
            *(at[0] > at[1] ? &high : &low) = at[0] > at[1] ? y : x;
        }
    }
    return bore->radius - most;
}

// ---- Touching -----------------------------------------------------------------------------------

typedef double (*Clearance)(const World3 *world);

// Moves the second body from where it is clear until it touches; false: it does not. Past the edge
// of a bore's mouth, where the bore has no shape, it is let off by a jump.
static bool move_until_touching(World3 *world, Clearance clearance, SpragVec3 way)
{
    const SpragVec3 start = world->poses[1].x;
    const double step = 0.02, farthest = 1;
    double low = 0, high = 0;
    if (!(clearance(world) > 0))
        return false;
    for (bool clear = true; clear && high < farthest;) {
        low = high;
        high += step;
        world->poses[1].x = sprag_vec3_along(start, high, way);
        clear = clearance(world) > 0;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        world->poses[1].x = sprag_vec3_along(start, middle, way);
        *(clearance(world) > 0 ? &low : &high) = middle;
    }
    world->poses[1].x = sprag_vec3_along(start, low, way);
    return clearance(world) < 1e-9;
}

// Clearances are exact to some roundings, those of bores to 1e-11: the square of the last turn. A
// gap of the touching features changes by no more than the body moves, but by a hundredth of it
// unless they only graze each other, and by the square of the motion over the least radius beside.
static bool check_touch(World3 *world, Clearance clearance, SpragVec3 way)
{
    const double on = 1e-5;
    int slot;
    if (!move_until_touching(world, clearance, way))
        return false;
    world3_refresh(world, 0.05);
    assert_close(least_gap(world, &slot), 0, 1e-9);
    SpragSpaceGap gap = world3_gap(world, slot);
    world->poses[1].x = sprag_vec3_along(world->poses[1].x, on, way);
    double after = least_gap(world, &slot), rate = fabs(sprag_vec3_dot(gap.normal, way));
    assert_true(after >= -on * (1 + 1e-3));
    if (rate > 0.01)
        assert_true(after < -0.5 * rate * on);
    return true;
}

static const SpragQuaternion STRAIGHT = {1, 0, 0, 0};
static const SpragVec3 ORIGIN = {0, 0, 0};

// Counts how many of the draws touch: a test that never gets there would say nothing.
static void test_surfaces(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 71);
    int touched = 0, draws = test_draws(20 * MOVERS);
    for (int draw = 0; draw < draws; draw++) {
        World3 *world = world3_open();
        SpragVec3 at = random_vector(&random, 0.6);
        at.z = 0.5;
        world3_body(world, "ground", true, ORIGIN, STRAIGHT);
        SpragVec3 way = sprag_vec3_sub(random_vector(&random, 0.7), sprag_vec3(0, 0, 1));
        SpragQuaternion turn = random_rotation(&random);
        world3_body(world, "body", false, at, turn);
        add_hills(world, &random, 0);
        add_mover(world, &random, 1, MOVER[draw % MOVERS]);
        world3_build(world);
        touched += check_touch(world, clear_of_triangles, sprag_vec3_unit(way));
        world3_close(world);
    }
    assert_true(touched > draws / 2);
}

// A vertex that is higher than all around it, though the mean of the normals there leans so far
// that one side rises along it: flat faces and ends come down on it, and lying capsules.
static void test_leaning_peak(void **state)
{
    (void)state;
    const double heights[9] = {-0.3, -0.04, -0.2, -0.02, 0, -0.01, -0.2, -0.29, -0.02};
    SpragRandom random;
    sprag_random_init(&random, 74);
    for (int draw = 0; draw < test_draws(2 * MOVERS); draw++) {
        World3 *world = world3_open();
        SpragQuaternion turn = turn_about(0, 0, 1, sprag_random_uniform(&random, 0, 6));
        SpragVec3 at = sprag_vec3(sprag_random_uniform(&random, -0.01, 0.01), 0, 0.3);
        world3_body(world, "ground", true, ORIGIN, STRAIGHT);
        world3_body(world, "body", false, at, turn);
        world3_field(world, 0, 3, heights);
        add_mover(world, &random, 1, MOVER[draw % MOVERS]);
        world3_build(world);
        assert_true(check_touch(world, clear_of_triangles, sprag_vec3(0, 0, -1)));
        world3_close(world);
    }
}

static void test_bores(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 72);
    int touched = 0, draws = test_draws(8 * MOVERS);
    for (int draw = 0; draw < draws; draw++) {
        World3 *world = world3_open();
        double length = sprag_random_uniform(&random, 0, 1) < 0.5 ? 1.2 : 0.05;
        double radius = sprag_random_uniform(&random, 0, 1) < 0.5 ? 0.6 : 0.2;
        SpragVec3 ends[2] = {{0, 0, -length / 2}, {0, 0, length / 2}};
        SpragVec3 at = random_vector(&random, 0.02), way = random_vector(&random, 1);
        at.z = length / 2 + sprag_random_uniform(&random, -0.1, 0.1);
        way.z *= 0.3;
        world3_body(world, "ground", true, ORIGIN, STRAIGHT);
        world3_body(world, "body", false, at, random_rotation(&random));
        world3_shape(world, 0, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
        world->model->shapes[0].inside = true;
        add_mover(world, &random, 1, MOVER[draw % MOVERS]);
        world3_build(world);
        touched += check_touch(world, clear_of_bore, sprag_vec3_unit(way));
        world3_close(world);
    }
    assert_true(touched > draws / 2);
}

static void test_wholes(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 73);
    int touched = 0, draws = test_draws(6 * MOVERS * MOVERS);
    for (int draw = 0; draw < draws; draw++) {
        World3 *world = world3_open();
        SpragVec3 at = sprag_vec3_scale(0.5, space_direction(&random));
        world3_body(world, "first", false, ORIGIN, random_rotation(&random));
        world3_body(world, "second", false, at, random_rotation(&random));
        add_mover(world, &random, 0, MOVER[draw / MOVERS % MOVERS]);
        add_mover(world, &random, 1, MOVER[draw % MOVERS]);
        world3_build(world);
        SpragVec3 way = sprag_vec3_along(random_vector(&random, 0.2), -2, at);
        touched += check_touch(world, clear_of_wholes, sprag_vec3_unit(way));
        world3_close(world);
    }
    assert_true(touched > draws / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_leaning_peak),
        cmocka_unit_test(test_bores),
        cmocka_unit_test(test_wholes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

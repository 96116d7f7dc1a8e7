// Cylinders, surfaces and holes in the catalogue: the least gap of all slots is the distance of the
// shapes, rates agree with differences, flat contacts and rolling have the right points.
#include "space_world.h"
#include "world3.h"

static const SpragQuaternion UPRIGHT = {1, 0, 0, 0};

static int add_cylinder(World3 *world, int body, double length, double radius)
{
    SpragVec3 points[2] = {{0, 0, -length / 2}, {0, 0, length / 2}};
    return world3_shape(world, body, SPRAG_SHAPE_CYLINDER, 2, points, radius);
}

static int add_hole(World3 *world, int body, SpragShapeKind kind, double length, double radius)
{
    SpragVec3 points[2] = {{0, 0, -length / 2}, {0, 0, length / 2}}, centre = {0, 0, 0};
    bool sphere = kind == SPRAG_SHAPE_SPHERE;
    SpragShape shape = {.kind = kind,
                        .body = body,
                        .material = -1,
                        .vertex_count = sphere ? 1 : 2,
                        .points = sphere ? &centre : points,
                        .radius = radius,
                        .inside = true};
    int index = -1;
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, &index));
    return index;
}

static int add_container(World3 *world, int body, double size)
{
    int index = world3_box(world, body, size, size, size);
    world->model->shapes[index].inside = true;
    return index;
}

static void draw_shape(World3 *world, SpragRandom *random, int body, SpragShapeKind kind)
{
    double a = sprag_random_uniform(random, 0.2, 1), b = sprag_random_uniform(random, 0.1, 0.6);
    SpragVec3 points[10];
    switch (kind) {
    case SPRAG_SHAPE_SPHERE:
        world3_sphere(world, body, random_vector(random, 0.1), b);
        break;
    case SPRAG_SHAPE_CAPSULE:
        world3_capsule(world, body, a, b);
        break;
    case SPRAG_SHAPE_BOX:
        world3_box(world, body, a, b, sprag_random_uniform(random, 0.1, 1));
        break;
    case SPRAG_SHAPE_CYLINDER:
        add_cylinder(world, body, a, b);
        break;
    default:
        for (int i = 0; i < 10; i++)
            points[i] = sprag_vec3_scale(a, space_direction(random));
        world3_shape(world, body, SPRAG_SHAPE_HULL, 10, points, 0);
        break;
    }
}

// Velocities for which the rates are checked.
static void set_speeds(World3 *world, SpragRandom *random)
{
    for (int i = 0; i < world->model->body_count; i++) {
        world->poses[i].v = random_vector(random, 1);
        world->poses[i].w = random_vector(random, 1);
    }
}

// Gap and witness points of a gripped slot against differences of fourth order.
static void check_grip_rates(World3 *world, int slot)
{
    const double h = 1e-4;
    SpragGrip grip = {.axis = -1};
    SpragSpaceGap now, at[4];
    assert_true(sprag_collider_grip(world->collider, slot, world->poses, &grip));
    sprag_collider_space_gap(world->collider, slot, world->poses, &grip, &now);
    // the distance of a sharp corner from a sharp edge turns round within the step
    bool corner =
        grip.piece[0].kind == SPRAG_PIECE_POINT || grip.piece[1].kind == SPRAG_PIECE_POINT;
    bool plane = grip.piece[0].kind == SPRAG_PIECE_PLANE || grip.piece[1].kind == SPRAG_PIECE_PLANE;
    if (corner && !plane && grip.piece[0].radius == 0 && grip.piece[1].radius == 0)
        return;
    // rims that almost touch along each other: differences tell nothing
    if (sprag_vec3_norm(now.normal_rate) > 30)
        return;
    SpragPose before[2] = {world->poses[0], world->poses[1]};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++)
            world->poses[k] = space_pose_later(&before[k], (i < 2 ? i - 2 : i - 1) * h);
        sprag_collider_space_gap(world->collider, slot, world->poses, &grip, &at[i]);
    }
    world->poses[0] = before[0];
    world->poses[1] = before[1];
    const int *body = sprag_collider_slot(world->collider, slot)->body;
    double rate = 0;
    for (int i = 0; i < 2; i++) {
        const SpragPose *pose = &world->poses[body[i]];
        SpragVec3 arm = sprag_vec3_sub(now.point[i], pose->x);
        SpragVec3 v = sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, arm));
        rate += (i == 0 ? 1 : -1) * sprag_vec3_dot(now.normal, v);
    }
    double wide = (at[3].gap - at[0].gap) / (4 * h), narrow = (at[2].gap - at[1].gap) / (2 * h);
    double difference = narrow + (narrow - wide) / 3;
    // places that run fast over a nearly flat rim have large higher derivatives
    assert_close(difference, rate, 1e-8 + fabs(narrow - wide));
}

// ---- Any two convex shapes ----------------------------------------------------------------------

// Brings body 1 to a distance of `wanted` along the normal of the nearest points.
static bool approach(World3 *world, double wanted)
{
    const SpragShape *shapes = world->model->shapes;
    ConvexDistance r;
    for (int i = 0; i < 20; i++) {
        if (!convex_distance(&shapes[1], &world->poses[1], &shapes[0], &world->poses[0], &r))
            return false;
        if (fabs(r.distance - wanted) < 1e-13)
            return true;
        world->poses[1].x = sprag_vec3_along(world->poses[1].x, wanted - r.distance, r.normal);
    }
    return fabs(r.distance - wanted) < 1e-10;
}

static void test_least_gap_is_distance(void **state)
{
    (void)state;
    const SpragShapeKind kinds[5] = {SPRAG_SHAPE_CYLINDER, SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE,
                                     SPRAG_SHAPE_BOX, SPRAG_SHAPE_HULL};
    SpragRandom random;
    sprag_random_init(&random, 21);
    for (int draw = 0; draw < test_draws(100); draw++) {
        World3 *world = world3_open();
        int first =
            world3_body(world, "first", false, sprag_vec3(0, 0, 0), random_rotation(&random));
        SpragVec3 away = sprag_vec3_scale(4, space_direction(&random));
        int second = world3_body(world, "second", false, away, random_rotation(&random));
        bool swap = draw & 1;
        draw_shape(world, &random, first, kinds[swap ? (draw / 2) % 5 : 0]);
        draw_shape(world, &random, second, kinds[swap ? 0 : (draw / 2) % 5]);
        world3_build(world);
        double wanted = draw % 3 == 0 ? 0.01 : 1e-6;
        if (approach(world, wanted)) {
            int slot;
            world3_refresh(world, 2);
            double least = least_gap(world, &slot);
            assert_true(slot >= 0);
            assert_close(least, wanted, 1e-9);
            set_speeds(world, &random);
            check_grip_rates(world, slot);
        }
        world3_close(world);
    }
}

// ---- Cylinders on planes ------------------------------------------------------------------------

static World3 *cylinder_on_plane(double length, double radius, SpragQuaternion turn, double height)
{
    World3 *world = world3_open();
    int table = world3_body(world, "table", true, sprag_vec3(0, 0, 0), UPRIGHT);
    int can = world3_body(world, "can", false, sprag_vec3(0, 0, height), turn);
    world->model->gravity[1] = 0;
    world->model->gravity[2] = -9.81;
    world3_plane(world, table, sprag_vec3(0, 0, 1), 0);
    add_cylinder(world, can, length, radius);
    world3_build(world);
    return world;
}

static void test_cylinder_stands_and_lies(void **state)
{
    (void)state;
    int slots[16];
    World3 *world = cylinder_on_plane(1, 0.3, UPRIGHT, 0.5);
    assert_int_equal(world3_closed(world, 1e-12, slots, 16), 3);
    SpragVec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        SpragSpaceGap gap = world3_gap(world, slots[i]);
        assert_close(gap.normal.z, 1, 1e-15);
        assert_close(hypot(gap.point[0].x, gap.point[0].y), 0.3, 1e-15);
        sum = sprag_vec3_add(sum, gap.point[0]);
    }
    assert_close(sprag_vec3_norm(sum), 0, 1e-15);
    world3_close(world);
    // lying: the lowest places of both rims
    world = cylinder_on_plane(1, 0.3, turn_about(1, 0, 0, 1.5707963267948966), 0.3);
    assert_int_equal(world3_closed(world, 1e-12, slots, 16), 2);
    for (int i = 0; i < 2; i++) {
        SpragSpaceGap gap = world3_gap(world, slots[i]);
        assert_close(fabs(gap.point[0].y), 0.5, 1e-14);
        assert_close(gap.point[0].x, 0, 1e-14);
    }
    world3_close(world);
}

// On an incline the first mark is the lowest place of the flat end.
static void test_marks_point_downhill(void **state)
{
    (void)state;
    int slots[16];
    World3 *world = world3_open();
    int table = world3_body(world, "table", true, sprag_vec3(0, 0, 0), UPRIGHT);
    SpragVec3 n = sprag_vec3_unit(sprag_vec3(0.3, -0.4, 1));
    SpragVec3 axis = sprag_vec3_cross(sprag_vec3(0, 0, 1), n);
    SpragQuaternion turn =
        sprag_quaternion_exp(sprag_vec3_scale(asin(sprag_vec3_norm(axis)), sprag_vec3_unit(axis)));
    int can = world3_body(world, "can", false, sprag_vec3_scale(0.5, n), turn);
    world->model->gravity[1] = 0;
    world->model->gravity[2] = -9.81;
    world3_plane(world, table, n, 0);
    add_cylinder(world, can, 1, 0.3);
    world3_build(world);
    assert_int_equal(world3_closed(world, 1e-12, slots, 16), 3);
    double lowest = INFINITY;
    for (int i = 0; i < 3; i++)
        lowest = fmin(lowest, world3_gap(world, slots[i]).point[0].z);
    assert_close(lowest, -0.3 * sqrt(1 - n.z * n.z), 1e-14);
    world3_close(world);
}

// A disc that leans at any angle rolls on one place of its rim; gap and frame are smooth.
static void test_rim_rolls(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 22);
    for (int draw = 0; draw < test_draws(60); draw++) {
        double lean = draw % 3 == 0 ? 1e-5 : sprag_random_uniform(&random, 0.01, 1.5);
        double heading = 3 * space_draw(&random), length = 0.1, radius = 0.4;
        SpragQuaternion turn = sprag_quaternion_product(
            turn_about(0, 0, 1, heading),
            sprag_quaternion_product(turn_about(1, 0, 0, lean),
                                     turn_about(0, 0, 1, 3 * space_draw(&random))));
        double height = 0.5 * length * cos(lean) + radius * sin(lean);
        World3 *world = cylinder_on_plane(length, radius, turn, height);
        int slots[16];
        assert_int_equal(world3_closed(world, 1e-12, slots, 16), 1);
        SpragSpaceGap gap = world3_gap(world, slots[0]);
        double off = radius * cos(lean) - 0.5 * length * sin(lean);
        assert_close(gap.point[0].x, off * sin(heading), 1e-9);
        assert_close(gap.point[0].y, -off * cos(heading), 1e-9);
        // the marks see the end come down: with more lean gone they close, too
        SpragPose before = world->poses[1];
        SpragMat3 flat = sprag_quaternion_matrix(turn_about(cos(heading), sin(heading), 0, -lean));
        world->poses[1].R = sprag_mat3_product(&flat, &before.R);
        world->poses[1].x.z = 0.5 * length;
        assert_int_equal(world3_closed(world, 1e-12, slots, 16), 3);
        flat = sprag_quaternion_matrix(turn_about(cos(heading), sin(heading), 0, -lean - 0.01));
        world->poses[1].R = sprag_mat3_product(&flat, &before.R);
        int below = 0;
        for (int i = 0; i < sprag_collider_slot_count(world->collider); i++)
            below += sprag_collider_space_distance(world->collider, i, world->poses, NULL) < -1e-4;
        assert_true(below > 0);
        world->poses[1] = before;
        if (lean > 0.1) {
            set_speeds(world, &random);
            assert_int_equal(world3_closed(world, 1e-12, slots, 16), 1);
            check_grip_rates(world, slots[0]);
        }
        world3_close(world);
    }
}

// ---- Flat contacts ------------------------------------------------------------------------------

// Closed slots at level z with the normal up; returns how many.
static int count_level(World3 *world, double z, SpragVec3 *points)
{
    int slots[64], count = world3_closed(world, 1e-12, slots, 64);
    for (int i = 0; i < count; i++) {
        SpragSpaceGap gap = world3_gap(world, slots[i]);
        assert_close(fabs(gap.normal.z), 1, 1e-12);
        assert_close(gap.point[0].z, z, 1e-12);
        points[i] = gap.point[0];
    }
    return count;
}

// A cylinder on a box, wholly or over its edge; a box on a cylinder; a cylinder on a cylinder.
static void test_flat_contacts(void **state)
{
    (void)state;
    SpragVec3 points[64];
    World3 *world = world3_open();
    int table = world3_body(world, "table", true, sprag_vec3(0, 0, 0), UPRIGHT);
    int can = world3_body(world, "can", false, sprag_vec3(0.1, 0, 1), UPRIGHT);
    world3_box(world, table, 2, 2, 1);
    add_cylinder(world, can, 1, 0.3);
    world3_build(world);
    world3_refresh(world, 0.1);
    assert_int_equal(count_level(world, 0.5, points), 3);
    // over the edge at x = 1: marks that are on the table, and the two crossings of rim and edge
    world->poses[can].x.x = 0.9;
    world3_refresh(world, 0.1);
    int count = count_level(world, 0.5, points), crossings = 0;
    for (int i = 0; i < count; i++) {
        bool edge = fabs(points[i].x - 1) < 1e-9;
        crossings += edge;
        if (edge)
            assert_close(fabs(points[i].y), sqrt(0.09 - 0.01), 1e-9);
        assert_true(points[i].x < 1 + 1e-9);
    }
    assert_int_equal(crossings, 2);
    assert_true(count >= 3 && count <= 5);
    world3_close(world);

    world = world3_open();
    table = world3_body(world, "table", true, sprag_vec3(0, 0, 0), UPRIGHT);
    int box = world3_body(world, "box", false, sprag_vec3(0.05, 0, 0.6), UPRIGHT);
    add_cylinder(world, table, 1, 0.4);
    world3_box(world, box, 0.3, 0.3, 0.2);
    world3_build(world);
    world3_refresh(world, 0.1);
    assert_int_equal(count_level(world, 0.5, points), 4);
    // a plank across it: its edges cross the rim
    world3_close(world);
    world = world3_open();
    table = world3_body(world, "table", true, sprag_vec3(0, 0, 0), UPRIGHT);
    box = world3_body(world, "plank", false, sprag_vec3(0, 0, 0.6), UPRIGHT);
    add_cylinder(world, table, 1, 0.4);
    world3_box(world, box, 3, 0.3, 0.2);
    world3_build(world);
    world3_refresh(world, 0.1);
    count = count_level(world, 0.5, points);
    crossings = 0;
    for (int i = 0; i < count; i++)
        crossings += fabs(fabs(points[i].y) - 0.15) < 1e-9;
    assert_int_equal(crossings, 4);
    world3_close(world);

    // two drums: centred, then beside each other's axis
    world = world3_open();
    table = world3_body(world, "lower", true, sprag_vec3(0, 0, 0), UPRIGHT);
    can = world3_body(world, "upper", false, sprag_vec3(0, 0, 1), UPRIGHT);
    add_cylinder(world, table, 1, 0.4);
    add_cylinder(world, can, 1, 0.4);
    world3_build(world);
    world3_refresh(world, 0.1);
    assert_int_equal(count_level(world, 0.5, points), 3);
    world->poses[can].x.x = 0.3;
    count = count_level(world, 0.5, points);
    crossings = 0;
    for (int i = 0; i < count; i++) {
        bool crossing = fabs(points[i].x - 0.15) < 1e-9;
        crossings += crossing;
        if (crossing)
            assert_close(fabs(points[i].y), sqrt(0.16 - 0.0225), 1e-9);
        assert_true(hypot(points[i].x, points[i].y) < 0.4 + 1e-9);
    }
    assert_int_equal(crossings, 2);
    world3_close(world);
}

// Side by side, parallel and of equal length: both rims of one of them.
static void test_cylinders_side_by_side(void **state)
{
    (void)state;
    int slots[16];
    for (int turned = 0; turned < 2; turned++) {
        World3 *world = world3_open();
        int a = world3_body(world, "a", true, sprag_vec3(0, 0, 0), UPRIGHT);
        SpragVec3 x = sprag_vec3(0.5, 0, turned ? 0.2 : 0);
        int b = world3_body(world, "b", false, x, turn_about(1, 0, 0, turned ? 0.3 : 0));
        add_cylinder(world, a, 1, 0.2);
        add_cylinder(world, b, 1, 0.3);
        world3_build(world);
        world3_refresh(world, 0.1);
        // crossing axes touch in one place
        assert_int_equal(world3_closed(world, 1e-9, slots, 16), turned ? 1 : 2);
        SpragSpaceGap gap = world3_gap(world, slots[0]);
        assert_close(fabs(gap.normal.x), 1, 1e-9);
        assert_close(gap.point[0].x, 0.2, 1e-9);
        world3_close(world);
    }
}

// ---- Surfaces -----------------------------------------------------------------------------------

typedef double (*Height)(double x, double y);

static double level(double x, double y)
{
    (void)x;
    (void)y;
    return 0;
}
static double roof(double x, double y)
{
    (void)y;
    return -0.3 * fabs(x);
}
static double valley(double x, double y)
{
    (void)y;
    return 0.3 * fabs(x);
}

enum { GRID = 9 };

static void add_field(World3 *world, int body, double side, Height height)
{
    SpragVec3 points[GRID * GRID];
    int triangles[6 * GRID * GRID], count = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        double x = side * (i % GRID / (GRID - 1.0) - 0.5),
               y = side * (i / GRID / (GRID - 1.0) - 0.5);
        points[i] = sprag_vec3(x, y, height(x, y));
    }
    for (int i = 0; i < (GRID - 1) * (GRID - 1); i++) {
        int at = i / (GRID - 1) * GRID + i % (GRID - 1);
        const int corners[6] = {at, at + 1, at + GRID + 1, at, at + GRID + 1, at + GRID};
        for (int k = 0; k < 6; k++)
            triangles[count++] = corners[k];
    }
    SpragSurface *surface;
    assert_ok(world->context, sprag_surface_create(world->context, GRID * GRID, points, count / 3,
                                                   triangles, &surface));
    SpragShape shape = {
        .kind = SPRAG_SHAPE_FIELD, .body = body, .material = -1, .surface = surface};
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, NULL));
    sprag_surface_destroy(world->context, surface);
}

// Over a flat floor of triangles everything is as over a plane.
static void test_flat_surface_is_plane(void **state)
{
    (void)state;
    const SpragShapeKind kinds[5] = {SPRAG_SHAPE_CYLINDER, SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE,
                                     SPRAG_SHAPE_BOX, SPRAG_SHAPE_HULL};
    SpragRandom random;
    sprag_random_init(&random, 23);
    for (int draw = 0; draw < test_draws(40); draw++) {
        World3 *world = world3_open();
        int floor_body = world3_body(world, "floor", true, sprag_vec3(0, 0, 0), UPRIGHT);
        int body =
            world3_body(world, "body", false, random_vector(&random, 1), random_rotation(&random));
        add_field(world, floor_body, 8, level);
        draw_shape(world, &random, body, kinds[draw % 5]);
        world3_build(world);
        for (int step = 0; step < 20; step++) {
            world->poses[body].x = random_vector(&random, 1.5);
            world->poses[body].R = space_rotation(&random);
            SpragVec3 down = sprag_vec3(0, 0, -1);
            const SpragShape *shape = &world->model->shapes[1];
            double low = shape_support(shape, &world->poses[body], down).z;
            world->poses[body].x.z += 1e-3 - low;
            world3_refresh(world, 0.01);
            int slot, slots[64];
            assert_close(least_gap(world, &slot), 1e-3, 1e-12);
            SpragSpaceGap gap = world3_gap(world, slot);
            assert_close(gap.normal.z, 1, 1e-14);
            assert_close(gap.point[0].z, 1e-3, 1e-12);
            // no side between two triangles is felt
            int near = world3_closed(world, 2e-3, slots, 64);
            for (int i = 0; i < near; i++)
                assert_close(world3_gap(world, slots[i]).normal.z, 1, 1e-12);
            set_speeds(world, &random);
            world->poses[0].v = world->poses[0].w = sprag_vec3(0, 0, 0);
            check_grip_rates(world, slot);
        }
        world3_close(world);
    }
}

// A sphere rolls over a ridge without a jump, and touches both sides of a valley.
static void test_ridge_and_valley(void **state)
{
    (void)state;
    const double radius = 0.25, slope = atan(0.3);
    World3 *world = world3_open();
    int ground = world3_body(world, "roof", true, sprag_vec3(0, 0, 0), UPRIGHT);
    int ball = world3_body(world, "ball", false, sprag_vec3(0, 0, 1), UPRIGHT);
    add_field(world, ground, 8, roof);
    world3_sphere(world, ball, sprag_vec3(0, 0, 0), radius);
    world3_build(world);
    for (int i = -50; i <= 50; i++) {
        // distance from the ridge is the radius where |x| ≤ r sin(slope), else that from a side
        double x = 0.005 * i, y = 0.13, flat = radius * sin(slope);
        double z =
            fabs(x) <= flat ? sqrt(radius * radius - x * x) : radius / cos(slope) - 0.3 * fabs(x);
        world->poses[ball].x = sprag_vec3(x, y, z);
        world3_refresh(world, 0.01);
        int slots[16];
        assert_int_equal(world3_closed(world, 1e-12, slots, 16), 1);
        SpragVec3 n = world3_gap(world, slots[0]).normal;
        double turn = fabs(x) <= flat ? x / radius : (x > 0 ? 1 : -1) * sin(slope);
        assert_close(n.x, turn, 1e-9);
    }
    world3_close(world);
    world = world3_open();
    ground = world3_body(world, "valley", true, sprag_vec3(0, 0, 0), UPRIGHT);
    ball = world3_body(world, "ball", false, sprag_vec3(0, 0.2, radius / cos(slope)), UPRIGHT);
    add_field(world, ground, 8, valley);
    world3_sphere(world, ball, sprag_vec3(0, 0, 0), radius);
    world3_build(world);
    int slots[16];
    assert_int_equal(world3_closed(world, 1e-12, slots, 16), 2);
    for (int i = 0; i < 2; i++)
        assert_close(fabs(world3_gap(world, slots[i]).normal.x), sin(slope), 1e-12);
    world3_close(world);
}

// Random shapes over random hills: the least gap is the distance from the triangles.
// What has fallen off the border of a field and turns a corner in under it is free, tipping over
// the border or wholly below; what has come through is not.
static void test_under_a_border(void **state)
{
    (void)state;
    static const struct {
        double x, z, angle;
        bool overlaps;
    } cases[] = {
        {2.1, -0.15, 0.785, false}, // the corner 0.042 inwards, the middle beyond the border
        {2.02, 0.03, 0.785, false}, // leaning on the border
        {1.9, -1.5, 0.3, false},    // far below
        {1, 0.1, 0.785, true},      // a corner goes through
        {1, -0.02, 0.3, true},      // sunk in
    };
    for (int k = 0; k < 5; k++) {
        World3 *world = world3_open();
        int ground = world3_body(world, "ground", true, sprag_vec3(0, 0, 0), UPRIGHT);
        int box = world3_body(world, "box", false, sprag_vec3(cases[k].x, 0.13, cases[k].z),
                              turn_about(0, 1, 0, cases[k].angle));
        add_field(world, ground, 4, level);
        world3_box(world, box, 0.2, 0.2, 0.2);
        world3_build(world);
        world3_refresh(world, 1);
        double least = INFINITY;
        for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
            const char *name = world3_name(world, i);
            double gap = sprag_collider_space_distance(world->collider, i, world->poses, NULL);
            bool corner = !strchr(name + strlen("box.c") + 1, 'c'); // not an edge
            least = corner ? fmin(least, gap) : least;
        }
        assert_int_equal(least < 0, cases[k].overlaps);
        world3_close(world);
    }
}

static double hills(double x, double y)
{
    return 0.4 * sin(2.1 * x + 0.3) * cos(1.7 * y);
}

static void test_hills(void **state)
{
    (void)state;
    const SpragShapeKind kinds[5] = {SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE, SPRAG_SHAPE_BOX,
                                     SPRAG_SHAPE_HULL, SPRAG_SHAPE_CYLINDER};
    SpragRandom random;
    sprag_random_init(&random, 24);
    for (int draw = 0; draw < test_draws(40); draw++) {
        World3 *world = world3_open();
        int ground = world3_body(world, "hills", true, sprag_vec3(0, 0, 0), UPRIGHT);
        int body = world3_body(world, "body", false, sprag_vec3(0, 0, 3), random_rotation(&random));
        add_field(world, ground, 8, hills);
        draw_shape(world, &random, body, kinds[draw % 5]);
        world3_build(world);
        SurfaceTree *tree;
        assert_ok(world->context,
                  surface_tree_create(world->context, world->model->shapes[0].surface, &tree));
        Pair3 pair = {.shape = {&world->model->shapes[0], &world->model->shapes[1]},
                      .pose = {&world->poses[0], &world->poses[1]},
                      .tree = {tree, NULL}};
        SpragVec3 *x = &world->poses[body].x;
        *x = random_vector(&random, 1);
        x->z = 2.5;
        for (int i = 0; i < 60; i++) {
            // down until 1e-6 is left
            double apart = pair_distance(&pair);
            if (apart == INFINITY)
                apart = 0.3;
            x->z -= 0.9 * (apart - 1e-6);
        }
        double apart = pair_distance(&pair);
        assert_true(apart > 0 && apart < 1e-3);
        world3_refresh(world, 0.1);
        int slot;
        assert_close(least_gap(world, &slot), apart, 1e-9);
        set_speeds(world, &random);
        world->poses[0].v = world->poses[0].w = sprag_vec3(0, 0, 0);
        check_grip_rates(world, slot);
        surface_tree_destroy(world->context, tree);
        world3_close(world);
    }
}

// ---- Holes --------------------------------------------------------------------------------------

static void test_ball_in_holes(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 25);
    for (int draw = 0; draw < test_draws(40); draw++) {
        World3 *world = world3_open();
        int hole =
            world3_body(world, "hole", true, random_vector(&random, 1), random_rotation(&random));
        int ball = world3_body(world, "ball", false, sprag_vec3(0, 0, 0), UPRIGHT);
        int kind = draw % 3;
        SpragVec3 p = random_vector(&random, 0.4);
        double expected, off = hypot(p.x, p.y);
        if (kind == 0) {
            add_hole(world, hole, SPRAG_SHAPE_SPHERE, 0, 1);
            expected = 1 - 0.2 - sprag_vec3_norm(p);
        } else if (kind == 1) {
            add_hole(world, hole, SPRAG_SHAPE_CYLINDER, 2, 1);
            expected = 1 - 0.2 - off;
        } else {
            add_container(world, hole, 2);
            expected = 1 - 0.2 - fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        }
        world3_sphere(world, ball, sprag_vec3(0, 0, 0), 0.2);
        world3_build(world);
        world->poses[ball].x = pose_to_world(&world->poses[hole], p);
        int slot;
        assert_close(least_gap(world, &slot), expected, 1e-13);
        set_speeds(world, &random);
        check_grip_rates(world, slot);
        world3_close(world);
    }
}

// A pin that leans in a bore: mouths against its side, its rim against the wall; the gap is that of
// sampled points.
// A can that stands in a bowl touches it with all of its rim: marks carry it, and see it coming
// while it leans, at distances from the wall that follow from the places themselves.
static void test_can_in_a_bowl(void **state)
{
    (void)state;
    const double bowl = 0.8, radius = 0.11, half = 0.1;
    for (int k = 0; k < 3; k++) {
        double lean = k == 0 ? 0 : k == 1 ? 1e-4 : 0.2, way = sqrt(bowl * bowl - radius * radius);
        SpragQuaternion turn = turn_about(0.8, 0.6, 0, lean);
        World3 *world = world3_open();
        int ground = world3_body(world, "bowl", true, sprag_vec3(0, 0, 0), UPRIGHT);
        int can = world3_body(world, "can", false, sprag_vec3(0, 0, half - way), turn);
        add_hole(world, ground, SPRAG_SHAPE_SPHERE, 0, bowl);
        add_cylinder(world, can, 2 * half, radius);
        world3_build(world);
        world3_refresh(world, 1);
        int marks = 0, rims = 0;
        for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
            const char *name = world3_name(world, i);
            double gap = sprag_collider_space_distance(world->collider, i, world->poses, NULL);
            if (gap == INFINITY || strncmp(name, "can.a", 5) != 0)
                continue;
            SpragVec3 place = world3_gap(world, i).point[0];
            assert_close(gap, bowl - sprag_vec3_norm(place), 1e-12);
            marks += name[5] != '-';
            rims += name[5] == '-';
        }
        assert_int_equal(rims, k > 0);
        assert_true(k == 0 ? marks == 3 : marks >= 1);
        world3_close(world);
    }
}

static void test_pin_in_bore(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 26);
    for (int draw = 0; draw < test_draws(30); draw++) {
        double lean = 0.05 * space_draw(&random), shift = draw & 1 ? 0.7 : 0;
        World3 *world = world3_open();
        int hole = world3_body(world, "hole", true, sprag_vec3(0, 0, 0), UPRIGHT);
        SpragVec3 at = sprag_vec3(0.01 * space_draw(&random), 0.01 * space_draw(&random), shift);
        int pin = world3_body(world, "pin", false, at, turn_about(0.3, 1, 0, lean));
        add_hole(world, hole, SPRAG_SHAPE_CYLINDER, 1, 0.5);
        add_cylinder(world, pin, 2, 0.45);
        world3_build(world);
        world3_refresh(world, 0.1);
        int slot;
        double least = least_gap(world, &slot), sampled = INFINITY;
        // the part of the pin within the bore
        for (int i = 0; i <= 2000; i++) {
            for (int k = 0; k < 128; k++) {
                double z = -1 + 2 * i / 2000.0, angle = 2 * 3.141592653589793 * k / 128;
                SpragVec3 p = sprag_vec3(0.45 * cos(angle), 0.45 * sin(angle), z);
                p = pose_to_world(&world->poses[pin], p);
                if (fabs(p.z) <= 0.5)
                    sampled = fmin(sampled, 0.5 - hypot(p.x, p.y));
            }
        }
        // against a mouth the gap is measured across the pin's side, not across the bore's
        assert_close(least, sampled, 1e-3 * fabs(sampled) + 2e-4);
        set_speeds(world, &random);
        check_grip_rates(world, slot);
        world3_close(world);
    }
}

// A box and a cylinder in a container, a cylinder in a bowl.
static void test_bodies_in_containers(void **state)
{
    (void)state;
    SpragVec3 points[64];
    World3 *world = world3_open();
    int hole = world3_body(world, "hole", true, sprag_vec3(0, 0, 0), UPRIGHT);
    int can = world3_body(world, "can", false, sprag_vec3(0.1, 0.2, -0.5), UPRIGHT);
    add_container(world, hole, 2);
    add_cylinder(world, can, 1, 0.3);
    world3_build(world);
    assert_int_equal(count_level(world, -1, points), 3);
    world3_close(world);
    world = world3_open();
    hole = world3_body(world, "bowl", true, sprag_vec3(0, 0, 0), UPRIGHT);
    can = world3_body(world, "can", false, sprag_vec3(0, 0, -0.8 + 0.25), UPRIGHT);
    add_hole(world, hole, SPRAG_SHAPE_SPHERE, 0, 1);
    add_cylinder(world, can, 0.5, 0.6);
    world3_build(world);
    int slots[16];
    assert_int_equal(world3_closed(world, 1e-12, slots, 16), 3);
    world3_close(world);
}

// What a container holds overlaps it by how far the farthest corner is beyond a wall, and not at
// all while every corner is within.
static void test_overlap_of_container(void **state)
{
    (void)state;
    const SpragShapeKind kinds[] = {SPRAG_SHAPE_BOX, SPRAG_SHAPE_HULL};
    SpragRandom random;
    sprag_random_init(&random, 27);
    for (int draw = 0; draw < test_draws(20); draw++) {
        World3 *world = world3_open();
        int hole = world3_body(world, "hole", true, sprag_vec3(0, 0, 0), UPRIGHT);
        SpragVec3 at = random_vector(&random, 0.9);
        int part = world3_body(world, "part", false, at, random_rotation(&random));
        add_container(world, hole, 2);
        draw_shape(world, &random, part, kinds[draw & 1]);
        world3_build(world);
        const SpragSolid *solid = world->model->shapes[1].solid;
        double beyond = 0, depth = 0;
        for (int i = 0; i < solid->vertex_count; i++) {
            SpragVec3 p = pose_to_world(&world->poses[part], solid->vertices[i]);
            beyond = fmax(beyond, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) - 1);
        }
        int slot;
        bool found =
            sprag_collider_find_overlap_space(world->collider, world->poses, 1e-9, &slot, &depth);
        assert_int_equal(found, beyond > 1e-9);
        assert_close(found ? depth : 0, found ? beyond : 0, 1e-14);
        world3_close(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_gap_is_distance),
        cmocka_unit_test(test_cylinder_stands_and_lies),
        cmocka_unit_test(test_marks_point_downhill),
        cmocka_unit_test(test_rim_rolls),
        cmocka_unit_test(test_flat_contacts),
        cmocka_unit_test(test_cylinders_side_by_side),
        cmocka_unit_test(test_flat_surface_is_plane),
        cmocka_unit_test(test_ridge_and_valley),
        cmocka_unit_test(test_under_a_border),
        cmocka_unit_test(test_hills),
        cmocka_unit_test(test_ball_in_holes),
        cmocka_unit_test(test_can_in_a_bowl),
        cmocka_unit_test(test_pin_in_bore),
        cmocka_unit_test(test_bodies_in_containers),
        cmocka_unit_test(test_overlap_of_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

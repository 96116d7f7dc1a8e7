// Round bodies on a ridge, of a fixed surface or of a polyhedron: where a contact passes from one
// of their features to another, or from the ridge to a slope, a place is met once.
#include "space_world.h"
#include "world3.h"

static const SpragQuaternion STRAIGHT = {1, 0, 0, 0};
static const SpragVec3 ORIGIN = {0, 0, 0};

// Slopes of 0.4 on both sides of a ridge along x, at the origin.
static void add_ridge(World3 *world, int body, bool solid)
{
    const double heights[9] = {-0.2, -0.2, -0.2, 0, 0, 0, -0.2, -0.2, -0.2};
    SpragVec3 roof[6] = {{-0.5, -0.5, -0.2}, {0.5, -0.5, -0.2}, {-0.5, 0.5, -0.2},
                         {0.5, 0.5, -0.2},   {-0.5, 0, 0},      {0.5, 0, 0}};
    if (solid)
        world3_shape(world, body, SPRAG_SHAPE_HULL, 6, roof, 0);
    else
        world3_field(world, body, 3, heights);
}

// A capsule lies across a ridge, of a surface or of a polyhedron, with its end a little beyond: its
// core touches, and the end does not touch the same place once more. Across: the angle between core
// and ridge.
static void check_end_over_ridge(bool solid, double beyond, double across)
{
    const double radius = 0.05;
    World3 *world = world3_open();
    SpragQuaternion lying = turn_about(1, 0, 0, -acos(-1) / 2);
    SpragQuaternion turn =
        sprag_quaternion_product(turn_about(0, 0, 1, across - acos(-1) / 2), lying);
    SpragVec3 along = sprag_vec3(cos(across), sin(across), 0);
    world3_body(world, "ground", true, ORIGIN, STRAIGHT);
    world3_body(world, "body", false,
                sprag_vec3_along(sprag_vec3(0.2, 0, radius), beyond - 0.1, along), turn);
    add_ridge(world, 0, solid);
    world3_capsule(world, 1, 0.2, radius);
    world3_build(world);
    world3_refresh(world, 0.05);
    int slots[8];
    assert_int_equal(world3_closed(world, 1e-9, slots, 8), 1);
    world3_close(world);
}

static void test_end_over_ridge(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++)
        check_end_over_ridge(k % 2, pow(10, -4 - k / 2 % 6), k < 12 ? 1.5 : 0.7);
}

// The rim of a leaning cylinder touches the slope beside a ridge, so near to it that the rim all
// but touches the ridge as well: that place is not met twice.
static void check_rim_beside_ridge(bool solid, double beside, double heading)
{
    const double radius = 0.1, length = 0.2, lean = 0.5;
    SpragVec3 n = sprag_vec3_unit(sprag_vec3(0, 0.4, 1)), x = {1, 0, 0};
    SpragVec3 m =
        sprag_vec3_along(sprag_vec3_scale(cos(heading), x), sin(heading), sprag_vec3_cross(n, x));
    // the axis, and the way from the middle of the rim to its lowest place
    SpragVec3 a = sprag_vec3_along(sprag_vec3_scale(sin(lean), m), cos(lean), n);
    SpragVec3 e = sprag_vec3_along(sprag_vec3_scale(cos(lean), m), -sin(lean), n);
    SpragVec3 f = sprag_vec3_cross(a, e), at = sprag_vec3(0.2, beside, -0.4 * beside);
    SpragMat3 R = {{e.x, f.x, a.x, e.y, f.y, a.y, e.z, f.z, a.z}};
    SpragVec3 ends[2] = {{0, 0, -length / 2}, {0, 0, length / 2}};
    at = sprag_vec3_along(sprag_vec3_along(at, -radius, e), length / 2, a);
    World3 *world = world3_open();
    world3_body(world, "ground", true, ORIGIN, STRAIGHT);
    world3_body(world, "body", false, at, sprag_quaternion_of(&R));
    add_ridge(world, 0, solid);
    world3_shape(world, 1, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
    world3_build(world);
    world3_refresh(world, 0.05);
    int slots[8];
    assert_int_equal(world3_closed(world, 1e-9, slots, 8), 1);
    world3_close(world);
}

static void test_rim_beside_ridge(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++)
        check_rim_beside_ridge(k % 2, pow(10, -4 - 0.5 * (k / 2 % 6)), k < 12 ? 0.8 : 2.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_over_ridge),
        cmocka_unit_test(test_rim_beside_ridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The rim of a cylinder pressed into the side of a capsule. How deep it is follows from the place
// of the rim that is lowest, at any tilt; the contact must say so, however flat the cylinder leans.
#include "world3.h"

// A capsule along y; above it a cylinder that is tilted about y, whose lowest place lies `depth`
// below the top of the capsule's side.
static World3 *lean(double tilt, double depth)
{
    const double length = 0.3, radius = 0.2, round = 0.1;
    SpragVec3 ends[2] = {{0, -0.5, 0}, {0, 0.5, 0}};
    SpragVec3 axis[2] = {{0, 0, -length / 2}, {0, 0, length / 2}};
    World3 *world = world3_open();
    double s = sin(tilt), c = cos(tilt);
    // the lowest place in the cylinder's frame is (radius, 0, −length/2)
    SpragVec3 lowest = {c * radius - s * length / 2, 0, -s * radius - c * length / 2};
    SpragVec3 centre = {-lowest.x, 0, round - depth - lowest.z};
    SpragQuaternion upright = {1, 0, 0, 0}, turned = {cos(tilt / 2), 0, sin(tilt / 2), 0};
    int roll = world3_body(world, "roll", true, sprag_vec3(0, 0, 0), upright);
    int can = world3_body(world, "can", false, centre, turned);
    world3_shape(world, roll, SPRAG_SHAPE_CAPSULE, 2, ends, round);
    world3_shape(world, can, SPRAG_SHAPE_CYLINDER, 2, axis, radius);
    world3_build(world);
    world3_refresh(world, 0.1);
    return world;
}

static void rim_in_the_side_of_a_capsule(void **state)
{
    (void)state;
    const double degree = 0.017453292519943295, depth = 1e-3;
    for (int tilt = 5; tilt <= 85; tilt += 5) {
        World3 *world = lean(tilt * degree, depth);
        int slots[8], count = world3_closed(world, 2 * depth, slots, 8), told = 0;
        for (int i = 0; i < count; i++) {
            SpragSpaceGap gap = world3_gap(world, slots[i]);
            if (fabs(gap.gap + depth) < 1e-12 && fabs(fabs(gap.normal.z) - 1) < 1e-12)
                told++;
        }
        assert_int_equal(told, 1);
        world3_close(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rim_in_the_side_of_a_capsule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

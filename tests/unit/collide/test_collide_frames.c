// test_collide_frames.c: gap and frame without rates, which balls get by a short way, against those
// with rates, of every pair of shapes.
#include "unit/collide/world3.h"

static void check_vector(SpragVec3 a, SpragVec3 b, double tolerance)
{
    assert_true(sprag_vec3_norm(sprag_vec3_sub(a, b)) <= tolerance);
}

// Lengths are of order 1; each way takes some ten roundings, and the normal of two centres as near
// as 0.01 has a hundred times those.
static void check_slot(const World3 *world, int slot)
{
    const double tolerance = 1e-13;
    SpragSpaceGap all = world3_gap(world, slot), gap;
    sprag_collider_space_frame(world->collider, slot, world->poses, NULL, &gap);
    assert_true(isfinite(all.gap) == isfinite(gap.gap));
    if (!isfinite(all.gap))
        return;
    assert_close(gap.gap, all.gap, tolerance);
    assert_close(gap.gap, sprag_collider_space_distance(world->collider, slot, world->poses, NULL),
                 0);
    check_vector(gap.normal, all.normal, tolerance);
    for (int i = 0; i < 2; i++) {
        check_vector(gap.point[i], all.point[i], tolerance);
        check_vector(gap.tangent[i], all.tangent[i], 10 * tolerance);
    }
}

// Two balls with centres beside those of their bodies, a capsule, a box and a plane of a body that
// is turned; also the first ball as the second of its pairs.
static void frames_are_those_with_rates(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 31);
    for (int draw = 0; draw < test_draws(40); draw++) {
        World3 *world = world3_open();
        for (int i = 0; i < 5; i++) {
            char name[2] = {(char)('a' + i), 0};
            double apart = draw % 4 == 0 && i < 2 ? 0.01 : 1;
            world3_body(world, name, i == 4, random_vector(&random, apart),
                        random_rotation(&random));
        }
        world3_sphere(world, draw % 2, sprag_vec3(0.1, -0.2, 0.3), 0.4);
        world3_sphere(world, 1 - draw % 2, sprag_vec3(0, 0.1, 0), 0.25);
        world3_capsule(world, 2, 0.6, 0.2);
        world3_box(world, 3, 0.5, 0.6, 0.7);
        world3_plane(world, 4, sprag_vec3_unit(sprag_vec3(0.3, -0.2, 1)), 0.1);
        world3_build(world);
        int count = sprag_collider_slot_count(world->collider);
        assert_true(count >= 4);
        for (int i = 0; i < count; i++)
            check_slot(world, i);
        world3_close(world);
    }
}

// Centres in one place have no normal: what the long way takes there counts.
static void balls_in_one_place_have_a_frame(void **state)
{
    (void)state;
    World3 *world = world3_open();
    SpragQuaternion none = {1, 0, 0, 0};
    world3_body(world, "a", false, sprag_vec3(0, 0, 0), none);
    world3_body(world, "b", false, sprag_vec3(0, 0, 0), none);
    world3_sphere(world, 0, sprag_vec3(0, 0, 0), 0.4);
    world3_sphere(world, 1, sprag_vec3(0, 0, 0), 0.3);
    world3_build(world);
    SpragSpaceGap gap;
    sprag_collider_space_frame(world->collider, 0, world->poses, NULL, &gap);
    assert_close(gap.gap, -0.7, 1e-15);
    assert_close(sprag_vec3_norm(gap.normal), 1, 1e-14);
    check_slot(world, 0);
    world3_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_those_with_rates),
        cmocka_unit_test(balls_in_one_place_have_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

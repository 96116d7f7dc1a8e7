// A vertex that lies deep below one side of a chain's valley, in a layer, and just touches the line
// of the other side before that side begins: the contact is there, by a rounding to either side of
// zero. One that was found and lost again by its rounding came and went without an end.
#include "unit/collide/world.h"

// A point at `below` under the first side and at the height `above` over the second one, of a
// valley that rises by `slope` behind the corner (0, 0).
static void check_touch(double slope, double below, double above)
{
    const double chain[] = {-2, 0, 0, 0, 2 * cos(slope), 2 * sin(slope)};
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    double pose[6];
    // (−sin, cos)·(x, y) = above with y = −below
    double y = -below, x = (y * cos(slope) - above) / sin(slope);
    world_body(model, "ground", true, 0, 0, 0);
    world_body(model, "rod", false, x, y + 1, 2 * atan(1));
    world_shape(model, 0, SPRAG_SHAPE_CHAIN, 3, chain, 0);
    world_rod(model, 1, 2);
    SpragCollider *collider = world_collider(model, pose);
    SpragGap first, second;
    sprag_collider_gap(collider, sprag_collider_find_slot(collider, "rod.a-ground.s0"), pose, NULL,
                       &first);
    sprag_collider_gap(collider, sprag_collider_find_slot(collider, "rod.a-ground.s1"), pose, NULL,
                       &second);
    // numbers are of order 1
    assert_close(first.gap, -below, 1e-15);
    assert_close(second.gap, above, 1e-15);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void touch_before_the_side_begins(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int i = 0; i < test_draws(100); i++) {
        double slope = pow(10, sprag_random_uniform(&random, -3, -0.2));
        double below = slope * pow(10, sprag_random_uniform(&random, -6, -2));
        check_touch(slope, below, 1e-16 * sprag_random_uniform(&random, -1, 1));
        check_touch(slope, below, 1e-10 * sprag_random_uniform(&random, -1, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(touch_before_the_side_begins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

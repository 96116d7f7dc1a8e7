// An open chain is a line with one free side and two ends: what comes around an end and turns in
// under it is free, what has sunk in through it overlaps. A valley speaks for what is below its
// corner, not for all that is below the lines of its sides.
#include "unit/collide/world.h"

// A body in front of the chain when its collider is made, then at x, y, angle: its gap to a slot.
static double gap_of(const double *chain, int points, bool rod, const double pose[3],
                     const char *slot)
{
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    double start[6];
    world_body(model, "ground", true, 0, 0, 0);
    world_body(model, "b", false, 0, 5, 0);
    world_shape(model, 0, SPRAG_SHAPE_CHAIN, points, chain, 0);
    if (rod)
        world_rod(model, 1, 1);
    else
        world_box(model, 1, 0.4, 0.4);
    SpragCollider *collider = world_collider(model, start);
    for (int i = 0; i < 3; i++)
        start[3 + i] = pose[i];
    SpragGap gap;
    sprag_collider_gap(collider, sprag_collider_find_slot(collider, slot), start, NULL, &gap);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
    return gap.gap;
}

static const double level[] = {-2, 0, 2, 0};

// A tip at (x, −depth) of a rod that comes from beyond the end.
static void turned_in_under_an_end_is_free(void **state)
{
    (void)state;
    const double hanging[] = {2.3, -0.2, 0};
    const double beside[] = {2.15, -0.1, 0}; // a corner 0.3 under, the middle beyond the end
    assert_true(isinf(gap_of(level, 2, true, hanging, "b.a-ground")));
    assert_true(isinf(gap_of(level, 2, false, beside, "b.c0-ground")));
    assert_true(isinf(gap_of(level, 2, false, (const double[]){0, -1, 0}, "b.c0-ground")));
}

static void sunk_in_through_it_overlaps(void **state)
{
    (void)state;
    assert_close(gap_of(level, 2, true, (const double[]){2.3, -0.02, 0}, "b.a-ground"), -0.02,
                 1e-15);
    assert_true(isinf(gap_of(level, 2, false, (const double[]){1.9, 0.1, 0}, "b.c1-ground")));
    assert_close(gap_of(level, 2, false, (const double[]){1.9, 0.1, 0}, "b.c0-ground"), -0.1,
                 1e-15);
    assert_close(gap_of(level, 2, false, (const double[]){0, 0.01, 0}, "b.c1-ground"), -0.19,
                 1e-15);
    // its middle is over the end, and the way to it leads past it by less than half of the depth
    assert_close(gap_of(level, 2, false, (const double[]){2.1, 0.15, 0}, "b.c0-ground"), -0.05,
                 1e-15);
}

static void lines_of_a_valley_end(void **state)
{
    (void)state;
    const double valley[] = {-3, 1.5, 0, 0, 3, 1.5};
    // far below both sides, a little below the line of the first one
    const double below[] = {4.5, -2.26, 0};
    assert_true(isinf(gap_of(valley, 3, true, below, "b.a-ground.s0")));
    // flat: a tip in the fourth side is below the line of the first, and of the second
    const double flat[] = {-4, 0.005, -1, 0, 0.35, 0.016, 1, 0, 4, -0.1};
    const double tip[] = {1.785, -0.0125, 0};
    assert_true(isinf(gap_of(flat, 5, true, tip, "b.a-ground.s0")));
    assert_true(gap_of(flat, 5, true, tip, "b.a-ground.s3") < -0.002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turned_in_under_an_end_is_free),
                                       cmocka_unit_test(sunk_in_through_it_overlaps),
                                       cmocka_unit_test(lines_of_a_valley_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

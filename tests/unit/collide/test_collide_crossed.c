// Sides of two corners that have passed each other: they cross although no corner is inside the
// other polygon. One contact, along the axis of least overlap, must say so.
#include "unit/collide/world.h"

enum { MOST_SIDES = 6 };

typedef struct Outline {
    int count;
    SpragVec2 points[MOST_SIDES];
} Outline;

static Outline place(const Outline *shape, const double *pose)
{
    Outline placed = {.count = shape->count};
    for (int i = 0; i < shape->count; i++) {
        SpragVec2 turned = sprag_vec2_turn(shape->points[i], cos(pose[2]), sin(pose[2]));
        placed.points[i] = sprag_vec2_add(turned, sprag_vec2(pose[0], pose[1]));
    }
    return placed;
}

static double cross(SpragVec2 a, SpragVec2 b)
{
    return a.x * b.y - a.y * b.x;
}

// Least distance of b's corners beyond side i of a; negative: below it.
static double beyond(const Outline *a, int i, const Outline *b)
{
    SpragVec2 from = a->points[i], e = sprag_vec2_sub(a->points[(i + 1) % a->count], from);
    double least = INFINITY;
    for (int k = 0; k < b->count; k++)
        least = fmin(least, -cross(e, sprag_vec2_sub(b->points[k], from)) / hypot(e.x, e.y));
    return least;
}

static bool contains(const Outline *a, SpragVec2 p)
{
    Outline point = {.count = 1, .points = {p}};
    for (int i = 0; i < a->count; i++)
        if (beyond(a, i, &point) > 0)
            return false;
    return true;
}

static double separation(const Outline *a, const Outline *b)
{
    double best = -INFINITY;
    for (int i = 0; i < a->count; i++)
        best = fmax(best, beyond(a, i, b));
    for (int i = 0; i < b->count; i++)
        best = fmax(best, beyond(b, i, a));
    return best;
}

static bool holds_corner(const Outline *a, const Outline *b)
{
    for (int i = 0; i < b->count; i++)
        if (contains(a, b->points[i]))
            return true;
    return false;
}

static Outline random_outline(SpragRandom *random)
{
    double angle[MOST_SIDES];
    Outline outline = {.count = 3 + sprag_random_below(random, MOST_SIDES - 2)};
    double turn = 2 * M_PI / outline.count;
    for (int i = 0; i < outline.count; i++) {
        angle[i] = turn * (i + sprag_random_uniform(random, -0.4, 0.4));
        outline.points[i] = sprag_vec2(cos(angle[i]), sin(angle[i]));
    }
    return outline;
}

// Moved apart along its normal by the overlap that a contact tells, the shapes touch.
static void check_gap(const Outline shapes[2], const double *pose, const SpragSlot *slot,
                      const SpragGap *gap)
{
    double sign = slot->body[0] == 0 ? 1 : -1;
    double moved[3] = {pose[0] - sign * gap->gap * gap->normal.x,
                       pose[1] - sign * gap->gap * gap->normal.y, pose[2]};
    Outline a = place(&shapes[0], pose), b = place(&shapes[1], pose + 3);
    Outline away = place(&shapes[0], moved);
    assert_close(gap->gap, separation(&a, &b), 1e-12);
    assert_close(separation(&away, &b), 0, 1e-12);
}

static void check_pair(const Outline shapes[2], double *pose)
{
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    double own[6];
    int closed = 0;
    for (int i = 0; i < 2; i++) {
        double xy[2 * MOST_SIDES];
        for (int k = 0; k < shapes[i].count; k++) {
            xy[2 * k] = shapes[i].points[k].x;
            xy[2 * k + 1] = shapes[i].points[k].y;
        }
        world_body(model, i == 0 ? "a" : "b", false, pose[3 * i], pose[3 * i + 1], pose[3 * i + 2]);
        world_shape(model, i, SPRAG_SHAPE_POLYGON, shapes[i].count, xy, 0);
    }
    SpragCollider *collider = world_collider(model, own);
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        SpragGap gap;
        sprag_collider_gap(collider, i, pose, NULL, &gap);
        closed += gap.gap < 0;
        if (gap.gap < 0)
            check_gap(shapes, pose, sprag_collider_slot(collider, i), &gap);
        else
            assert_true(isinf(gap.gap));
    }
    assert_int_equal(closed, 1);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void crossed_corners_are_one_contact(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2024);
    int wanted = test_draws(30);
    for (int found = 0; found < wanted;) {
        Outline shapes[2] = {random_outline(&random), random_outline(&random)};
        double pose[6] = {0};
        for (int k = 0; k < 3; k++)
            pose[3 + k] = sprag_random_uniform(&random, -2, 2);
        Outline a = place(&shapes[0], pose), b = place(&shapes[1], pose + 3);
        if (separation(&a, &b) > -1e-3 || holds_corner(&a, &b) || holds_corner(&b, &a))
            continue;
        check_pair(shapes, pose);
        found++;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossed_corners_are_one_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

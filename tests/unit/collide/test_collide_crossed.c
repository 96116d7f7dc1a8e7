// Sides of two corners that have passed each other: they cross although no corner is inside the
// other polygon. One contact, along the axis of least overlap, must say so. At each end of a flat
// contact one contact must say so, whatever the corners there do within a layer.
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

// Whether a side of each lies on one of the other, tilted by less than 18° (cosine 0.95) and by
// less than a tenth of the shorter one deep: then corners that have passed each other are a contact
// at each end of it.
static bool lie_flat(const Outline *a, const Outline *b)
{
    double overlap = -separation(a, b);
    for (int i = 0; i < a->count; i++) {
        SpragVec2 d = sprag_vec2_sub(a->points[(i + 1) % a->count], a->points[i]);
        for (int k = 0; k < b->count; k++) {
            SpragVec2 e = sprag_vec2_sub(b->points[(k + 1) % b->count], b->points[k]);
            double l = hypot(d.x, d.y), m = hypot(e.x, e.y);
            if (sprag_vec2_dot(d, e) < -0.95 * l * m && overlap < 0.1 * fmin(l, m))
                return true;
        }
    }
    return false;
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
        if (separation(&a, &b) > -1e-3 || holds_corner(&a, &b) || holds_corner(&b, &a) ||
            lie_flat(&a, &b))
            continue;
        check_pair(shapes, pose);
        found++;
    }
}

// A box of width 1 on one that ends `off` farther to the right, sunk in by `depth` and tilted.
// Contacts that overlap within 0.1 m of the right end, by how much: what the sides overlap by
// there, which the tilt changes by less than it changes over the ways that corners are apart.
static void check_end(double off, double depth, double tilt)
{
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    double pose[6], right = 0.5;
    world_box(model, world_body(model, "low", false, off - 0.1, 0.1, 0), 1.2, 0.2);
    world_box(model, world_body(model, "top", false, 0, 0.3 - depth, tilt), 1, 0.2);
    SpragCollider *collider = world_collider(model, pose);
    double wanted = depth - sin(tilt) * 0.5, reach = fabs(off) + fabs(tilt);
    int found = 0;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        SpragGap gap;
        sprag_collider_gap(collider, i, pose, NULL, &gap);
        if (!(gap.gap < 0) || fabs(gap.point.x - right) > 0.1)
            continue;
        assert_close(gap.gap, -wanted, fabs(tilt) * (2 * reach + depth) + tilt * tilt);
        found++;
    }
    // corners that coincide may both tell for the width of their zone, but never none
    assert_in_range(found, 1, fabs(off) < 1e-7 + fabs(tilt) ? 2 : 1);
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
}

static void ends_of_flat_contacts_are_told(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 77);
    for (int i = 0; i < test_draws(300); i++) {
        double depth = pow(10, sprag_random_uniform(&random, -5, -2));
        double tilt = depth * sprag_random_uniform(&random, -1, 1);
        double off = pow(10, sprag_random_uniform(&random, -13, -6));
        check_end(sprag_random_below(&random, 2) ? off : -off, depth, tilt);
        // the lower corner of the tilted box is at 0.5 + 0.1 tilt; sides of this depth cross where
        // the other one ends up to depth × tilt beside it
        check_end((0.1 + sprag_random_uniform(&random, -1.5, 1.5) * depth) * tilt, depth, tilt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossed_corners_are_one_contact),
                                       cmocka_unit_test(ends_of_flat_contacts_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

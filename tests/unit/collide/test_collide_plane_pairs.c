// Every pair of kinds of shapes in the plane that can touch: the least gap of all slots is the
// distance of the two shapes by brute force over points and segments, it is the same for both
// orders, its rate agrees with differences of that distance, and it does not jump while a body
// turns and corners change.
#include "unit/collide/world.h"

enum { MOST = 8, STEPS = 24 };
static const double FAR_SIDE = 8; // of a chain: its ends are never nearest

// A shape in the world: points or segments with a radius, a half-plane, or a hole.
typedef struct Flat {
    SpragShapeKind kind;
    bool inside;
    int count;
    SpragVec2 at[MOST];
    double radius;
    SpragVec2 normal;
    double offset;
} Flat;

static Flat flat_of(const SpragShape *shape, const double *pose)
{
    Flat flat = {.kind = shape->kind, .inside = shape->inside, .radius = shape->radius};
    double c = cos(pose[2]), s = sin(pose[2]);
    flat.count = shape->vertex_count;
    for (int i = 0; i < flat.count; i++)
        flat.at[i] =
            sprag_vec2_add(sprag_vec2(pose[0], pose[1]), sprag_vec2_turn(shape->vertices[i], c, s));
    if (shape->kind == SPRAG_SHAPE_PLANE) {
        flat.normal = sprag_vec2_turn(sprag_vec2(shape->normal.x, shape->normal.y), c, s);
        flat.offset = shape->offset + sprag_vec2_dot(flat.normal, sprag_vec2(pose[0], pose[1]));
    }
    return flat;
}

static double point_segment(SpragVec2 p, SpragVec2 a, SpragVec2 b)
{
    SpragVec2 e = sprag_vec2_sub(b, a), d = sprag_vec2_sub(p, a);
    double length = sprag_vec2_dot(e, e);
    double t = length > 0 ? fmin(1, fmax(0, sprag_vec2_dot(e, d) / length)) : 0;
    return hypot(d.x - t * e.x, d.y - t * e.y);
}

static bool is_sharp(const Flat *a)
{
    return a->kind == SPRAG_SHAPE_POINTS || a->kind == SPRAG_SHAPE_ROD;
}

// Sides of a shape; points have none.
static int side_count(const Flat *a)
{
    if (a->kind == SPRAG_SHAPE_BOX || a->kind == SPRAG_SHAPE_POLYGON)
        return a->count;
    return is_sharp(a) ? 0 : a->count - 1;
}

// Least distance of the points of a from the points and sides of b.
static double points_against(const Flat *a, const Flat *b)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++)
            least = fmin(least, point_segment(a->at[i], b->at[k], b->at[k]));
        for (int k = 0; k < side_count(b); k++)
            least = fmin(least, point_segment(a->at[i], b->at[k], b->at[(k + 1) % b->count]));
    }
    return least;
}

// Apart shapes only: sides that cross have no distance.
static double brute(const Flat *a, const Flat *b)
{
    double least = INFINITY;
    if (b->kind == SPRAG_SHAPE_PLANE) {
        for (int i = 0; i < a->count; i++)
            least = fmin(least, sprag_vec2_dot(b->normal, a->at[i]) - b->offset);
        return least - a->radius;
    }
    if (b->inside) {
        for (int i = 0; i < a->count; i++)
            least =
                fmin(least, b->radius - hypot(a->at[i].x - b->at[0].x, a->at[i].y - b->at[0].y));
        return least - a->radius;
    }
    // a rod touches with its tips, points with themselves
    if (is_sharp(a))
        return points_against(a, b) - b->radius;
    if (is_sharp(b))
        return points_against(b, a) - a->radius;
    return fmin(points_against(a, b), points_against(b, a)) - a->radius - b->radius;
}

static void add_shape(SpragModel *model, SpragRandom *random, int body, SpragShapeKind kind,
                      bool inside)
{
    double r = sprag_random_uniform(random, 0.1, 0.3);
    const double polygon[] = {-0.3, -0.2, 0.25, -0.3, 0.4, 0.1, 0, 0.3};
    const double ends[] = {-0.3, 0.1, 0.2, -0.1}, points[] = {-0.3, 0.1, 0.2, -0.1, 0, 0.2};
    const double chain[] = {FAR_SIDE, 0.1, 1.2,  0.4,  0.3,       -0.1,
                            -0.4,     0.3, -1.5, -0.2, -FAR_SIDE, 0.2};
    if (kind == SPRAG_SHAPE_CIRCLE && inside) {
        SpragVec2 centre = {0.1, -0.2};
        SpragShape ring = {.kind = kind,
                           .body = body,
                           .material = -1,
                           .vertex_count = 1,
                           .vertices = &centre,
                           .radius = 4,
                           .inside = true};
        assert_ok(model->context, sprag_model_add_shape(model, &ring, NULL));
    } else if (kind == SPRAG_SHAPE_CIRCLE) {
        world_circle(model, body, 0.1, -0.1, r);
    } else if (kind == SPRAG_SHAPE_CAPSULE) {
        world_shape(model, body, kind, 2, ends, r);
    } else if (kind == SPRAG_SHAPE_BOX) {
        world_box(model, body, 0.3 + r, 2 * r);
    } else if (kind == SPRAG_SHAPE_POLYGON) {
        world_shape(model, body, kind, 4, polygon, 0);
    } else if (kind == SPRAG_SHAPE_ROD) {
        world_rod(model, body, 2 * r);
    } else if (kind == SPRAG_SHAPE_POINTS) {
        world_shape(model, body, kind, 3, points, 0);
    } else if (kind == SPRAG_SHAPE_PLANE) {
        world_plane(model, body, sprag_random_uniform(random, -0.3, 0.3), 0.1);
    } else {
        world_shape(model, body, kind, 6, chain, 0);
    }
}

static double least_gap(const SpragCollider *collider, const double *pose, int *slot)
{
    double least = INFINITY;
    *slot = -1;
    for (int i = 0; i < sprag_collider_slot_count(collider); i++) {
        SpragGap gap;
        sprag_collider_gap(collider, i, pose, NULL, &gap);
        if (gap.gap < least) {
            least = gap.gap;
            *slot = i;
        }
    }
    return least;
}

static double brute_at(const SpragModel *model, const double *pose)
{
    Flat a = flat_of(&model->shapes[1], pose + 3), b = flat_of(&model->shapes[0], pose);
    return brute(&a, &b);
}

// The normal row against differences of the brute distance, unless that has a kink there.
static void check_row(const SpragModel *model, const SpragCollider *collider, int slot,
                      const double *pose)
{
    const double h = 1e-6;
    SpragGap gap;
    sprag_collider_gap(collider, slot, pose, NULL, &gap);
    const SpragSlot *shown = sprag_collider_slot(collider, slot);
    double sign = shown->body[0] == 1 ? 1 : -1, now = brute_at(model, pose);
    SpragVec2 r = gap.r[shown->body[0] == 1 ? 0 : 1], n = gap.normal;
    const double row[3] = {sign * n.x, sign * n.y, sign * sprag_vec2_cross(r, n)};
    for (int k = 0; k < 3; k++) {
        double moved[6];
        memcpy(moved, pose, sizeof moved);
        moved[3 + k] = pose[3 + k] + h;
        double on = (brute_at(model, moved) - now) / h;
        moved[3 + k] = pose[3 + k] - h;
        double back = (now - brute_at(model, moved)) / h;
        if (fabs(on - back) < 1e-3) // second derivatives 1/gap and below, rounding 1e-15/h
            assert_close(row[k], 0.5 * (on + back), 1e-8 + 4 * h * (1 + 1 / now));
    }
}

static bool check_pair(SpragRandom *random, SpragShapeKind first, SpragShapeKind second,
                       bool inside)
{
    SpragContext *context = test_context();
    SpragModel *model = world_create(context);
    bool ground = first == SPRAG_SHAPE_PLANE || first == SPRAG_SHAPE_CHAIN || inside;
    world_body(model, "first", ground, 0, 0, 0);
    world_body(model, "second", false, 0, 0, 0);
    add_shape(model, random, 0, first, inside);
    add_shape(model, random, 1, second, false);
    double angle = sprag_random_uniform(random, -3, 3), away = sprag_random_uniform(random, 0.9, 2);
    double pose[6] = {0, 0, ground ? 0 : sprag_random_uniform(random, -3, 3), 0, 0, angle};
    double heading = sprag_random_uniform(random, -3, 3);
    pose[3] = inside ? 0.5 * cos(heading) : ground ? heading / 3 : away * cos(heading);
    pose[4] = inside ? 0.5 * sin(heading) : ground ? away + 0.5 : away * sin(heading);
    SpragCollider *collider = NULL;
    assert_ok(context, sprag_collider_create(model, pose, &collider));
    int slot, apart = 0;
    double turn = sprag_random_uniform(random, -0.2, 0.2), before = NAN;
    for (int step = 0; step < STEPS; step++, pose[5] += turn) {
        double expected = brute_at(model, pose);
        // no place is farther than 0.5 from the origins: bodies that far apart do not overlap
        if (!(expected > 0.01) || (!ground && away < 1.1))
            continue;
        double least = least_gap(collider, pose, &slot);
        assert_close(least, expected, 1e-14);
        if (apart > 0 && step > 0 && isfinite(before))
            assert_close(least, before, 0.55 * fabs(turn));
        check_row(model, collider, slot, pose);
        before = least;
        apart++;
    }
    sprag_collider_destroy(collider);
    sprag_model_destroy(model);
    sprag_context_destroy(context);
    return apart > 0;
}

static void test_every_pair(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 51);
    // the last one: a circle with the solid around it
    for (int first = SPRAG_SHAPE_CIRCLE; first <= SPRAG_SHAPE_CHAIN + 1; first++) {
        bool inside = first > SPRAG_SHAPE_CHAIN;
        SpragShapeKind ground = inside ? SPRAG_SHAPE_CIRCLE : (SpragShapeKind)first;
        for (int second = SPRAG_SHAPE_CIRCLE; second <= SPRAG_SHAPE_POINTS; second++) {
            bool points = !inside && (first == SPRAG_SHAPE_ROD || first == SPRAG_SHAPE_POINTS);
            int apart = 0;
            if (points && (second == SPRAG_SHAPE_ROD || second == SPRAG_SHAPE_POINTS))
                continue; // points do not meet points
            for (int draw = 0; draw < test_draws(10); draw++)
                apart += check_pair(&random, ground, (SpragShapeKind)second, inside);
            if (apart == 0)
                fail_msg("%s and %s never apart", sprag_shape_kind_name(ground),
                         sprag_shape_kind_name((SpragShapeKind)second));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

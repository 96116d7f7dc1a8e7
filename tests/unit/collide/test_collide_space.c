// Slots in space: least gap of a pair against brute force over all features, rates against finite
// differences, grips, a box that rolls.
#include "unit/collide/world3.h"

// ---- Brute force --------------------------------------------------------------------------------

typedef struct Body {
    int count, edge_count, triangle_count;
    SpragVec3 at[32];
    int edges[64][2], triangles[64][3];
    double radius;
} Body;

static Body place(const SpragShape *shape, const SpragPose *pose)
{
    Body body = {.count = shape->vertex_count, .radius = shape->radius};
    for (int i = 0; i < body.count; i++)
        body.at[i] = sprag_vec3_add(pose->x, sprag_mat3_apply(&pose->R, shape->points[i]));
    if (shape->kind == SPRAG_SHAPE_CAPSULE) {
        body.edges[0][1] = 1;
        body.edge_count = 1;
    }
    const SpragSolid *solid = shape->solid;
    for (int i = 0; solid && i < solid->edge_count; i++, body.edge_count++)
        for (int k = 0; k < 2; k++)
            body.edges[i][k] = solid->edge_vertices[2 * i + k];
    for (int f = 0; solid && f < solid->face_count; f++) {
        const int *loop = &solid->face_vertices[solid->face_first[f]];
        int corners = solid->face_first[f + 1] - solid->face_first[f];
        for (int i = 1; i + 1 < corners; i++) {
            int *triangle = body.triangles[body.triangle_count++];
            triangle[0] = loop[0];
            triangle[1] = loop[i];
            triangle[2] = loop[i + 1];
        }
    }
    return body;
}

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

static double point_segment(SpragVec3 p, SpragVec3 a, SpragVec3 b)
{
    SpragVec3 d = sprag_vec3_sub(b, a);
    double s = clamp(sprag_vec3_dot(d, sprag_vec3_sub(p, a)) / sprag_vec3_dot(d, d));
    return sprag_vec3_norm(sprag_vec3_sub(p, sprag_vec3_along(a, s, d)));
}

static double segments(SpragVec3 a, SpragVec3 b, SpragVec3 c, SpragVec3 d)
{
    double least = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                        fmin(point_segment(c, a, b), point_segment(d, a, b)));
    SpragVec3 u = sprag_vec3_sub(b, a), v = sprag_vec3_sub(d, c), w = sprag_vec3_sub(a, c);
    double uu = sprag_vec3_dot(u, u), uv = sprag_vec3_dot(u, v), vv = sprag_vec3_dot(v, v);
    double uw = sprag_vec3_dot(u, w), vw = sprag_vec3_dot(v, w), det = uu * vv - uv * uv;
    if (det <= 1e-12 * uu * vv)
        return least;
    double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
    if (s < 0 || s > 1 || t < 0 || t > 1)
        return least;
    SpragVec3 gap = sprag_vec3_sub(sprag_vec3_along(a, s, u), sprag_vec3_along(c, t, v));
    return fmin(least, sprag_vec3_norm(gap));
}

// Height over a triangle if the point is above or below it; else INFINITY: its sides tell.
static double point_triangle_height(SpragVec3 p, SpragVec3 a, SpragVec3 b, SpragVec3 c)
{
    SpragVec3 n = sprag_vec3_unit(sprag_vec3_cross(sprag_vec3_sub(b, a), sprag_vec3_sub(c, a)));
    const SpragVec3 at[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        SpragVec3 e = sprag_vec3_sub(at[(i + 1) % 3], at[i]);
        if (sprag_vec3_dot(sprag_vec3_cross(n, e), sprag_vec3_sub(p, at[i])) < 0)
            return INFINITY;
    }
    return fabs(sprag_vec3_dot(n, sprag_vec3_sub(p, a)));
}

static double vertices_against(const Body *a, const Body *b)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++)
            least = fmin(least, sprag_vec3_norm(sprag_vec3_sub(a->at[i], b->at[k])));
        for (int k = 0; k < b->edge_count; k++)
            least =
                fmin(least, point_segment(a->at[i], b->at[b->edges[k][0]], b->at[b->edges[k][1]]));
        for (int k = 0; k < b->triangle_count; k++) {
            const int *t = b->triangles[k];
            least =
                fmin(least, point_triangle_height(a->at[i], b->at[t[0]], b->at[t[1]], b->at[t[2]]));
        }
    }
    return least;
}

// Distance of two shapes that are apart: all features of one with all of the other.
static double brute_distance(const Body *a, const Body *b)
{
    double least = fmin(vertices_against(a, b), vertices_against(b, a));
    for (int i = 0; i < a->edge_count; i++)
        for (int k = 0; k < b->edge_count; k++)
            least = fmin(least, segments(a->at[a->edges[i][0]], a->at[a->edges[i][1]],
                                         b->at[b->edges[k][0]], b->at[b->edges[k][1]]));
    return least - a->radius - b->radius;
}

// ---- Random pairs -------------------------------------------------------------------------------

static void add_random_shape(World3 *world, SpragRandom *random, int body, int kind)
{
    SpragVec3 points[12];
    double size[3];
    for (int i = 0; i < 3; i++)
        size[i] = sprag_random_uniform(random, 0.3, 1);
    switch (kind) {
    case 0:
        world3_sphere(world, body, random_vector(random, 0.2), size[0] / 2);
        break;
    case 1:
        world3_capsule(world, body, size[0], size[1] / 3);
        break;
    case 2:
        world3_box(world, body, size[0], size[1], size[2]);
        break;
    case 3:
        // points on a sphere are all corners
        for (int i = 0; i < 12; i++)
            points[i] = rotated(random_rotation(random), sprag_vec3(0.5, 0, 0));
        world3_shape(world, body, SPRAG_SHAPE_HULL, 12, points, 0);
        break;
    default:
        for (int i = 0; i < 3; i++)
            points[i] = random_vector(random, 0.5);
        world3_shape(world, body, SPRAG_SHAPE_POINTS, 3, points, 0);
        break;
    }
}

static World3 *random_pair(SpragRandom *random, int first, int second, double apart)
{
    World3 *world = world3_open();
    SpragVec3 way = rotated(random_rotation(random), sprag_vec3(apart, 0, 0));
    world3_body(world, "first", false, random_vector(random, 1), random_rotation(random));
    SpragVec3 at = sprag_vec3_add(sprag_vec3_of(world->model->bodies[0].position), way);
    world3_body(world, "second", false, at, random_rotation(random));
    add_random_shape(world, random, 0, first);
    add_random_shape(world, random, 1, second);
    world3_build(world);
    for (int i = 0; i < 2; i++) {
        world->poses[i].v = random_vector(random, 1);
        world->poses[i].w = random_vector(random, 1);
    }
    world3_refresh(world, 3);
    return world;
}

static void test_least_gap_is_the_distance(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    int draws = test_draws(40);
    for (int draw = 0; draw < draws; draw++) {
        for (int pair = 0; pair < 25; pair++) {
            double apart = sprag_random_uniform(&random, 0.3, 1.8);
            World3 *world = random_pair(&random, pair / 5, pair % 5, apart);
            const SpragShape *shapes = world->model->shapes;
            Body a = place(&shapes[0], &world->poses[0]), b = place(&shapes[1], &world->poses[1]);
            // cores that overlap have no distance, and points do not meet points
            double cores = brute_distance(&a, &b) + a.radius + b.radius, depth;
            int slot;
            bool points = pair / 5 == 4 && pair % 5 == 4;
            bool overlap = sprag_collider_find_overlap_space(world->collider, world->poses,
                                                             a.radius + b.radius, &slot, &depth);
            double least = least_gap(world, &slot);
            if (points)
                assert_int_equal(slot, -1);
            else if (pair / 5 == 4 && least + b.radius > 0)
                assert_close(least, vertices_against(&a, &b) - b.radius, 1e-12);
            else if (!overlap && pair / 5 != 4 && pair % 5 != 4)
                assert_close(least, cores - a.radius - b.radius, 1e-12);
            world3_close(world);
        }
    }
}

// ---- Pairs that touch ---------------------------------------------------------------------------

// Two shapes are moved together until they touch, then a little into each other: no slot is deeper
// than the overlap, and those that touch agree on the normal.
static void check_touch(SpragRandom *random, int first, int second)
{
    World3 *world = random_pair(random, first, second, 1.8);
    int slot;
    double apart = least_gap(world, &slot);
    SpragSpaceGap gap = world3_gap(world, slot);
    SpragVec3 n = gap.normal;
    SpragGrip grip = {.axis = -1};
    assert_true(sprag_collider_grip(world->collider, slot, world->poses, &grip));
    // sharp corners that touch a sharp corner or edge have many normals
    bool sharp = grip.piece[0].kind == SPRAG_PIECE_POINT || grip.piece[1].kind == SPRAG_PIECE_POINT;
    bool plane = grip.piece[0].kind == SPRAG_PIECE_PLANE || grip.piece[1].kind == SPRAG_PIECE_PLANE;
    sharp = sharp && !plane && grip.piece[0].radius + grip.piece[1].radius == 0;
    int moving = sprag_collider_slot(world->collider, slot)->body[0];
    const double sunk[] = {0, 1e-5};
    for (int i = 0; i < (sharp ? 1 : 2); i++) {
        SpragVec3 kept = world->poses[moving].x;
        world->poses[moving].x = sprag_vec3_along(kept, -(apart + sunk[i]), n);
        world3_refresh(world, 0.1);
        for (int k = 0; k < sprag_collider_slot_count(world->collider); k++) {
            gap = world3_gap(world, k);
            if (gap.gap > 1e-12)
                continue;
            if (gap.gap < -sunk[i] - 1e-12)
                fail_msg("%s: gap %g, overlap %g", world3_name(world, k), gap.gap, sunk[i]);
            double sign = sprag_collider_slot(world->collider, k)->body[0] == moving ? 1 : -1;
            if (!sharp)
                assert_close(sign * sprag_vec3_dot(gap.normal, n), 1, 1e-2);
        }
        assert_close(least_gap(world, &slot), -sunk[i], 1e-12);
        double depth = 0;
        bool overlap =
            sprag_collider_find_overlap_space(world->collider, world->poses, 1e-7, &slot, &depth);
        assert_int_equal(overlap, i == 1);
        if (overlap)
            assert_close(depth, sunk[i], 1e-9);
        world->poses[moving].x = kept;
    }
    world3_close(world);
}

static void test_pairs_that_touch(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    int draws = test_draws(40);
    for (int draw = 0; draw < draws; draw++)
        for (int pair = 0; pair < 16; pair++)
            check_touch(&random, pair / 4, pair % 4);
}

// A box rolls over a table: whatever corner, edge or face is lowest touches, and nothing jumps.
static void check_rolling(SpragRandom *random, int steps)
{
    World3 *world = world3_open();
    SpragQuaternion turn = random_rotation(random);
    SpragVec3 place_at = random_vector(random, 1);
    double size[3];
    for (int i = 0; i < 3; i++)
        size[i] = sprag_random_uniform(random, 0.2, 1);
    world3_body(world, "table", true, place_at, turn);
    world3_body(world, "box", false, sprag_vec3(0, 0, 9), turn_about(0, 0, 1, 0));
    world3_box(world, 0, 4, 4, 1);
    world3_box(world, 1, size[0], size[1], size[2]);
    world3_build(world);
    SpragVec3 axis = random_vector(random, 1);
    if (sprag_random_below(random, 2) == 0)
        axis = sprag_vec3(1, 0, 0);
    for (int step = 0; step < steps; step++) {
        SpragQuaternion own = turn_about(axis.x, axis.y, axis.z, 2 * acos(-1) * step / steps);
        const SpragVec3 *corners = world->model->shapes[1].points;
        double lowest = INFINITY;
        int count = 0, touching = 0;
        for (int i = 0; i < 8; i++)
            lowest = fmin(lowest, rotated(own, corners[i]).z);
        for (int i = 0; i < 8; i++)
            count += rotated(own, corners[i]).z < lowest + 1e-12;
        SpragVec3 x = sprag_vec3_add(place_at, rotated(turn, sprag_vec3(0.1, 0.2, 0.5 - lowest)));
        world->poses[1].x = x;
        world->poses[1].R = sprag_quaternion_matrix(sprag_quaternion_product(turn, own));
        world3_refresh(world, 0.1);
        for (int i = 0; i < sprag_collider_slot_count(world->collider); i++) {
            double gap = sprag_collider_space_distance(world->collider, i, world->poses, NULL);
            assert_true(gap > -1e-12);
            touching += gap < 1e-12;
        }
        assert_int_equal(touching, count);
    }
    world3_close(world);
}

static void test_rolling_box(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 6);
    int draws = test_draws(10);
    for (int draw = 0; draw < draws; draw++)
        check_rolling(&random, 36);
}

// ---- Rates --------------------------------------------------------------------------------------

static SpragPose moved(const SpragPose *pose, double h)
{
    SpragPose later = *pose;
    SpragMat3 turn = sprag_quaternion_matrix(sprag_quaternion_exp(sprag_vec3_scale(h, pose->w)));
    later.x = sprag_vec3_along(pose->x, h, pose->v);
    later.R = sprag_mat3_product(&turn, &pose->R);
    return later;
}

static void assert_rate(SpragVec3 before, SpragVec3 after, double h, SpragVec3 rate)
{
    SpragVec3 d = sprag_vec3_scale(1 / (2 * h), sprag_vec3_sub(after, before));
    double error = sprag_vec3_norm(sprag_vec3_sub(d, rate));
    // truncation h² times a third derivative, which the slenderest pairs make large; rounding
    // 1e-16/h
    assert_close(error, 0, 2e-4 * (1 + sprag_vec3_norm(rate)));
}

static SpragVec3 velocity_of(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

static void check_rates(World3 *world, int slot)
{
    const double h = 1e-6;
    SpragGrip grip = {.axis = -1};
    SpragSpaceGap now, free, ends[2];
    assert_true(sprag_collider_grip(world->collider, slot, world->poses, &grip));
    assert_true(sprag_collider_is_gripped(world->collider, slot, &grip, world->poses));
    sprag_collider_space_gap(world->collider, slot, world->poses, &grip, &now);
    sprag_collider_space_gap(world->collider, slot, world->poses, NULL, &free);
    assert_memory_equal(&now, &free, sizeof now);
    SpragPose kept[2] = {world->poses[0], world->poses[1]};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++)
            world->poses[k] = moved(&kept[k], i == 0 ? -h : h);
        sprag_collider_space_gap(world->collider, slot, world->poses, &grip, &ends[i]);
    }
    world->poses[0] = kept[0];
    world->poses[1] = kept[1];
    const int *body = sprag_collider_slot(world->collider, slot)->body;
    SpragVec3 u = sprag_vec3_sub(velocity_of(&kept[body[0]], now.point[0]),
                                 velocity_of(&kept[body[1]], now.point[1]));
    assert_close(sprag_vec3_dot(now.normal, u), (ends[1].gap - ends[0].gap) / (2 * h), 1e-6);
    SpragVec3 way = sprag_vec3_sub(now.point[0], now.point[1]);
    assert_close(sprag_vec3_dot(now.normal, way), now.gap, 1e-12);
    assert_close(sprag_vec3_norm(sprag_vec3_cross(now.normal, way)), 0, 1e-12);
    SpragVec3 o = sprag_vec3_cross(now.normal, now.tangent[0]);
    assert_close(sprag_vec3_norm(sprag_vec3_sub(o, now.tangent[1])), 0, 1e-14);
    assert_rate(ends[0].normal, ends[1].normal, h, now.normal_rate);
    for (int i = 0; i < 2; i++) {
        assert_rate(ends[0].tangent[i], ends[1].tangent[i], h, now.tangent_rate[i]);
        assert_rate(ends[0].point[i], ends[1].point[i], h, now.point_rate[i]);
    }
}

static void test_rates(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 4);
    int draws = test_draws(6);
    for (int draw = 0; draw < draws; draw++) {
        for (int pair = 0; pair < 24; pair++) {
            double apart = sprag_random_uniform(&random, 0.5, 1.8);
            World3 *world = random_pair(&random, pair / 5, pair % 5, apart);
            int slot;
            if (least_gap(world, &slot) > 0.05)
                check_rates(world, slot);
            world3_close(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_gap_is_the_distance),
        cmocka_unit_test(test_pairs_that_touch),
        cmocka_unit_test(test_rolling_box),
        cmocka_unit_test(test_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

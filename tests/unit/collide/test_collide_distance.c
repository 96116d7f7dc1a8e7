// Distance and depth of convex pairs: certificates for every pair of kinds, brute force for
// polyhedra, degenerate positions, sizes, and places far from the origin.
#include "space_world.h"

enum { KINDS = 7, CORNERS = 12 };
static const SpragShapeKind CONVEX[KINDS] = {
    SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE, SPRAG_SHAPE_BOX,   SPRAG_SHAPE_CYLINDER,
    SPRAG_SHAPE_HULL,   SPRAG_SHAPE_ROD,     SPRAG_SHAPE_POINTS};

typedef struct Solid {
    SpragShape shape;
    SpragVec3 points[CORNERS];
} Solid;

static void draw_corners(SpragRandom *random, double size, double flat, Solid *solid)
{
    SpragShape *shape = &solid->shape;
    if (shape->kind == SPRAG_SHAPE_BOX) {
        double x = size * sprag_random_uniform(random, 0.3, 1), y = flat * x;
        double z = size * sprag_random_uniform(random, 0.3, 1);
        for (int i = 0; i < 8; i++)
            solid->points[i] = sprag_vec3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
        shape->vertex_count = 8;
        return;
    }
    shape->vertex_count = shape->kind == SPRAG_SHAPE_HULL ? CORNERS : 4;
    for (int i = 0; i < shape->vertex_count; i++) {
        solid->points[i] = sprag_vec3_scale(size, space_direction(random));
        solid->points[i].z *= flat;
    }
}

static void draw_solid(SpragRandom *random, SpragShapeKind kind, double size, double flat,
                       Solid *solid)
{
    *solid = (Solid){.shape = {.kind = kind, .vertex_count = 2}};
    SpragShape *shape = &solid->shape;
    shape->points = solid->points;
    bool round =
        kind == SPRAG_SHAPE_SPHERE || kind == SPRAG_SHAPE_CAPSULE || kind == SPRAG_SHAPE_CYLINDER;
    if (round)
        shape->radius = size * sprag_random_uniform(random, 0.1, 1) * flat;
    if (kind == SPRAG_SHAPE_BOX || kind == SPRAG_SHAPE_HULL || kind == SPRAG_SHAPE_POINTS) {
        draw_corners(random, size, flat, solid);
        return;
    }
    if (kind == SPRAG_SHAPE_SPHERE)
        shape->vertex_count = 1;
    SpragVec3 axis = sprag_vec3_scale(size, space_direction(random));
    solid->points[0] = sprag_vec3_scale(-0.5, axis);
    solid->points[1] = sprag_vec3_scale(0.5, axis);
}

// How far n·(A − B) reaches down: a lower bound of the distance for any unit n.
static double separation(const Solid *a, const SpragPose *pa, const Solid *b, const SpragPose *pb,
                         SpragVec3 n)
{
    SpragVec3 low = shape_support(&a->shape, pa, sprag_vec3_scale(-1, n));
    SpragVec3 high = shape_support(&b->shape, pb, n);
    return sprag_vec3_dot(n, sprag_vec3_sub(low, high));
}

// Whether a point is in the shape: its distance from it by the same n cannot be positive.
static double outside(const Solid *solid, const SpragPose *pose, SpragVec3 p, SpragRandom *random)
{
    double most = -INFINITY;
    for (int i = 0; i < 20; i++) {
        SpragVec3 n = space_direction(random);
        SpragVec3 s = shape_support(&solid->shape, pose, n);
        most = fmax(most, sprag_vec3_dot(n, sprag_vec3_sub(p, s)));
    }
    return most;
}

typedef struct Accuracy {
    double apart, deep; // largest errors relative to the sizes
    long steps, most_steps, count;
} Accuracy;

static void check_pair(const Solid *a, const SpragPose *pa, const Solid *b, const SpragPose *pb,
                       double size, SpragRandom *random, Accuracy *accuracy)
{
    ConvexDistance r;
    assert_true(convex_distance(&a->shape, pa, &b->shape, pb, &r));
    double far = sprag_vec3_norm(pa->x) + sprag_vec3_norm(pb->x);
    double scale = size + fabs(r.distance), rounding = 1e-15 * far;
    bool curved = a->shape.kind == SPRAG_SHAPE_CYLINDER || b->shape.kind == SPRAG_SHAPE_CYLINDER;
    assert_close(sprag_vec3_norm(r.normal), 1, 1e-12);
    SpragVec3 d = sprag_vec3_sub(r.point[0], r.point[1]);
    double witness = space_apart(d, sprag_vec3_scale(r.distance, r.normal));
    double bound = separation(a, pa, b, pb, r.normal);
    accuracy->count++;
    accuracy->steps += r.iterations;
    accuracy->most_steps =
        r.iterations > accuracy->most_steps ? r.iterations : accuracy->most_steps;
    if (r.distance > 0) {
        // the bound from below meets the distance of two points: nothing else can be true
        assert_close(bound, r.distance, 2e-12 * scale + rounding);
        assert_close(witness, 0, 1e-8 * scale + rounding);
        accuracy->apart = fmax(accuracy->apart, fabs(bound - r.distance) / scale);
        assert_true(outside(a, pa, r.point[0], random) <= 1e-12 * scale + 10 * rounding);
        assert_true(outside(b, pb, r.point[1], random) <= 1e-12 * scale + 10 * rounding);
        return;
    }
    // no direction parts them with less motion
    double tolerance = (curved ? 1e-9 : 1e-12) * scale + rounding;
    assert_close(bound, r.distance, tolerance);
    accuracy->deep = fmax(accuracy->deep, fabs(bound - r.distance) / scale);
    for (int i = 0; i < 50; i++) {
        SpragVec3 n = space_direction(random);
        n = sprag_vec3_unit(sprag_vec3_along(r.normal, i < 25 ? 1e-2 : 1, n));
        assert_true(separation(a, pa, b, pb, n) <= r.distance + tolerance);
    }
}

static void test_all_pairs(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    for (int i = 0; i < KINDS; i++) {
        for (int j = i; j < KINDS; j++) {
            Accuracy accuracy = {0};
            for (int draw = 0; draw < test_draws(20); draw++) {
                // equal and unequal sizes, thin shapes, near and far from the origin
                double size = pow(10, sprag_random_uniform(&random, -3, 3));
                double other = draw % 3 ? size : size * pow(10, space_draw(&random));
                double flat = draw % 5 ? 1 : 1e-3, far = draw % 7 == 6 ? 1e3 * size : 0;
                Solid a, b;
                draw_solid(&random, CONVEX[i], size, flat, &a);
                draw_solid(&random, CONVEX[j], other, flat, &b);
                SpragPose pa = space_pose(&random, 1.5 * (size + other), 0);
                SpragPose pb = space_pose(&random, 0, 0);
                SpragVec3 shift = sprag_vec3(far, -far, 2 * far);
                pa.x = sprag_vec3_add(pa.x, shift);
                pb.x = shift;
                check_pair(&a, &pa, &b, &pb, size + other, &random, &accuracy);
            }
            if (getenv("SPRAG_TEST_DRAWS"))
                print_message("%d-%d: apart %.1e deep %.1e, steps %.1f, at most %ld\n", i, j,
                              accuracy.apart, accuracy.deep,
                              (double)accuracy.steps / (double)accuracy.count, accuracy.most_steps);
        }
    }
}

// ---- Brute force for polyhedra ------------------------------------------------------------------

static SpragVec3 edge_end(const SpragSolid *solid, const SpragPose *pose, int edge, int end)
{
    return pose_to_world(pose, solid->vertices[solid->edge_vertices[2 * edge + end]]);
}

// Vertices of a against the faces of b (cut into triangles).
static double brute_faces(const SpragSolid *a, const SpragPose *pa, const SpragSolid *b,
                          const SpragPose *pb)
{
    double least = INFINITY;
    for (int f = 0; f < b->face_count; f++) {
        for (int i = b->face_first[f] + 2; i < b->face_first[f + 1]; i++) {
            SpragVec3 corner[3] = {b->vertices[b->face_vertices[b->face_first[f]]],
                                   b->vertices[b->face_vertices[i - 1]],
                                   b->vertices[b->face_vertices[i]]};
            for (int k = 0; k < 3; k++)
                corner[k] = pose_to_world(pb, corner[k]);
            for (int v = 0; v < a->vertex_count; v++) {
                int feature;
                SpragVec3 p = pose_to_world(pa, a->vertices[v]);
                least = fmin(least, space_apart(p, point_triangle(p, corner, &feature)));
            }
        }
    }
    return least;
}

static double brute_edges(const SpragSolid *a, const SpragPose *pa, const SpragSolid *b,
                          const SpragPose *pb)
{
    double least = INFINITY;
    for (int e = 0; e < a->edge_count; e++) {
        for (int f = 0; f < b->edge_count; f++) {
            double s, t;
            SpragVec3 p = edge_end(a, pa, e, 0), q = edge_end(a, pa, e, 1);
            SpragVec3 u = edge_end(b, pb, f, 0), v = edge_end(b, pb, f, 1);
            segment_segment(p, q, u, v, &s, &t);
            SpragVec3 x = sprag_vec3_along(p, s, sprag_vec3_sub(q, p));
            least = fmin(least, space_apart(x, sprag_vec3_along(u, t, sprag_vec3_sub(v, u))));
        }
    }
    return least;
}

static double brute_depth(const SpragSolid *a, const SpragPose *pa, const SpragSolid *b,
                          const SpragPose *pb, const Solid *sa, const Solid *sb)
{
    double most = -INFINITY;
    for (int f = 0; f < a->face_count; f++) {
        SpragVec3 n = sprag_mat3_apply(&pa->R, sprag_vec3_scale(-1, a->normals[f]));
        most = fmax(most, separation(sa, pa, sb, pb, n));
    }
    for (int f = 0; f < b->face_count; f++)
        most = fmax(most, separation(sa, pa, sb, pb, sprag_mat3_apply(&pb->R, b->normals[f])));
    for (int e = 0; e < a->edge_count; e++) {
        for (int f = 0; f < b->edge_count; f++) {
            SpragVec3 u = sprag_vec3_sub(edge_end(a, pa, e, 1), edge_end(a, pa, e, 0));
            SpragVec3 v = sprag_vec3_sub(edge_end(b, pb, f, 1), edge_end(b, pb, f, 0));
            SpragVec3 n = sprag_vec3_cross(sprag_vec3_unit(u), sprag_vec3_unit(v));
            if (sprag_vec3_norm(n) < 1e-6)
                continue;
            n = sprag_vec3_unit(n);
            most = fmax(most, separation(sa, pa, sb, pb, n));
            most = fmax(most, separation(sa, pa, sb, pb, sprag_vec3_scale(-1, n)));
        }
    }
    return most;
}

static void test_polyhedra_brute(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 12);
    for (int draw = 0; draw < test_draws(60); draw++) {
        Solid a, b;
        SpragSolid *sa, *sb;
        draw_solid(&random, draw & 1 ? SPRAG_SHAPE_BOX : SPRAG_SHAPE_HULL, 1, 1, &a);
        draw_solid(&random, draw & 2 ? SPRAG_SHAPE_BOX : SPRAG_SHAPE_HULL, 1, 1, &b);
        assert_ok(context, sprag_solid_create_hull(context, a.shape.vertex_count, a.points, &sa));
        assert_ok(context, sprag_solid_create_hull(context, b.shape.vertex_count, b.points, &sb));
        SpragPose pa = space_pose(&random, 1.2, 0), pb = space_pose(&random, 1.2, 0);
        // aligned ones, too: parallel faces and edges
        if (draw % 4 == 3)
            pa.R = pb.R = sprag_mat3_identity();
        ConvexDistance r;
        assert_true(convex_distance(&a.shape, &pa, &b.shape, &pb, &r));
        double depth = brute_depth(sa, &pa, sb, &pb, &a, &b);
        double apart = fmin(brute_edges(sa, &pa, sb, &pb),
                            fmin(brute_faces(sa, &pa, sb, &pb), brute_faces(sb, &pb, sa, &pa)));
        assert_close(r.distance, depth < 0 ? depth : apart, 1e-13);
        sprag_solid_destroy(context, sa);
        sprag_solid_destroy(context, sb);
    }
    sprag_context_destroy(context);
}

// ---- Touching -----------------------------------------------------------------------------------

// Moved along the normal the distance goes linearly through zero.
static void test_through_touching(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 13);
    for (int draw = 0; draw < test_draws(100); draw++) {
        int i = draw % 5, j = (draw / 5) % 5;
        Solid a, b;
        draw_solid(&random, CONVEX[i], 1, 1, &a);
        draw_solid(&random, CONVEX[j], 1, 1, &b);
        SpragPose pa = space_pose(&random, 1, 0), pb = space_pose(&random, 1, 0);
        if (draw % 3 == 0)
            pa.R = pb.R;
        pa.x = sprag_vec3_along(pb.x, 5, space_direction(&random));
        ConvexDistance r;
        assert_true(convex_distance(&a.shape, &pa, &b.shape, &pb, &r));
        const double wanted[] = {1e-3, 1e-6, 1e-9, 1e-12, 0, -1e-9, -1e-6, -1e-3};
        SpragVec3 start = pa.x, n = r.normal;
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
            ConvexDistance s;
            pa.x = sprag_vec3_along(start, wanted[k] - r.distance, n);
            assert_true(convex_distance(&a.shape, &pa, &b.shape, &pb, &s));
            // corners and rims that overlap part along other directions with less motion
            bool curved = i == 3 || j == 3;
            // within 1e-6 of touching neither the normal nor the features of a rim are certain
            double near = fabs(wanted[k]) < 1e-5 ? 1e-10 : 1e-13;
            double tolerance = curved ? 1e4 * near : near;
            // a sharp corner may also pass beside the other one: the supports below prove that
            bool beside = wanted[k] < 0 && s.distance > 0;
            if (wanted[k] >= 0)
                assert_close(s.distance, wanted[k], tolerance);
            else if (!beside)
                assert_close(s.distance, 0.5 * wanted[k], 0.5 * fabs(wanted[k]) + tolerance);
            // rounding of the two places turns the normal of a small distance
            double turned = s.distance > 0 ? 1e-15 / s.distance : 0;
            double rounding = beside ? 1e-14 : 10 * tolerance;
            assert_close(separation(&a, &pa, &b, &pb, s.normal), s.distance, rounding + turned);
        }
    }
}

// Shapes in the same place, segments that cross, points that coincide: finite and right.
static void test_coincident(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 14);
    SpragPose pose = space_pose(&random, 3, 0);
    for (int i = 0; i < KINDS; i++) {
        Solid a;
        ConvexDistance r;
        draw_solid(&random, CONVEX[i], 1, 1, &a);
        assert_true(convex_distance(&a.shape, &pose, &a.shape, &pose, &r));
        assert_true(isfinite(r.distance) && r.distance <= 1e-15);
        assert_close(sprag_vec3_norm(r.normal), 1, 1e-12);
        assert_close(separation(&a, &pose, &a, &pose, r.normal), r.distance, 1e-3);
    }
    Solid rod = {.shape = {.kind = SPRAG_SHAPE_ROD, .vertex_count = 2}}, other = rod;
    rod.shape.points = rod.points;
    other.shape.points = other.points;
    rod.points[0] = sprag_vec3(-1, 0, 0);
    rod.points[1] = sprag_vec3(1, 0, 0);
    other.points[0] = sprag_vec3(0, -1, 0);
    other.points[1] = sprag_vec3(0, 1, 0);
    ConvexDistance r;
    assert_true(convex_distance(&rod.shape, &pose, &other.shape, &pose, &r));
    assert_close(r.distance, 0, 1e-15);
    assert_close(fabs(sprag_mat3_apply_back(&pose.R, r.normal).z), 1, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_polyhedra_brute),
        cmocka_unit_test(test_through_touching),
        cmocka_unit_test(test_coincident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

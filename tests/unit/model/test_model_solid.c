// test_model_solid.c: convex polyhedra and surfaces of triangles: corners, faces, edges, refusals.
#include "support/test.h"

enum { MOST_POINTS = 400 };

static SpragVec3 draw_direction(SpragRandom *random)
{
    SpragVec3 v = sprag_vec3(sprag_random_normal(random), sprag_random_normal(random),
                             sprag_random_normal(random));
    return sprag_vec3_unit(v);
}

static SpragMat3 draw_rotation(SpragRandom *random)
{
    SpragQuaternion q = {sprag_random_normal(random), sprag_random_normal(random),
                         sprag_random_normal(random), sprag_random_normal(random)};
    return sprag_quaternion_matrix(sprag_quaternion_unit(q));
}

// How much thinner than wide a face is: its longest way over its least height.
static double face_thinness(const SpragSolid *solid, int face)
{
    const int *loop = solid->face_vertices + solid->face_first[face];
    int count = solid->face_first[face + 1] - solid->face_first[face];
    SpragVec3 first = solid->vertices[loop[0]], area = {0, 0, 0};
    double longest = 0;
    for (int i = 1; i < count; i++) {
        SpragVec3 a = sprag_vec3_sub(solid->vertices[loop[i]], first);
        SpragVec3 b = sprag_vec3_sub(solid->vertices[loop[(i + 1) % count]], first);
        area = sprag_vec3_add(area, sprag_vec3_cross(a, b));
        for (int k = 0; k < i; k++)
            longest = fmax(longest, sprag_vec3_norm(sprag_vec3_sub(solid->vertices[loop[i]],
                                                                   solid->vertices[loop[k]])));
    }
    return longest * longest / sprag_vec3_norm(area);
}

// Everything that a polyhedron must be: Euler's formula, loops counter-clockwise from outside,
// points of a face on its plane and all others behind it, edges between their two faces.
// The product of two sides of a face has rounding errors of four units relative to their lengths,
// which turn the normal by as much times the thinness, and move the plane by that times the size of
// the polyhedron: with sizes of 4, 2e-15 times the thinness beside 1e-14 of everything else.
static void check_solid(const SpragSolid *solid, double least_tolerance)
{
    assert_int_equal(solid->vertex_count - solid->edge_count + solid->face_count, 2);
    assert_int_equal(solid->face_first[solid->face_count], 2 * solid->edge_count);
    for (int f = 0; f < solid->face_count; f++) {
        SpragVec3 n = solid->normals[f];
        double tolerance = least_tolerance * fmax(1, face_thinness(solid, f) / 5);
        assert_close(sprag_vec3_norm(n), 1, 1e-15);
        for (int v = 0; v < solid->vertex_count; v++)
            assert_true(sprag_vec3_dot(n, solid->vertices[v]) <= solid->offsets[f] + tolerance);
        const int *loop = solid->face_vertices + solid->face_first[f];
        int count = solid->face_first[f + 1] - solid->face_first[f];
        for (int i = 0; i < count; i++) {
            SpragVec3 a = solid->vertices[loop[i]], b = solid->vertices[loop[(i + 1) % count]];
            SpragVec3 c = solid->vertices[loop[(i + 2) % count]];
            assert_close(sprag_vec3_dot(n, a), solid->offsets[f], tolerance);
            SpragVec3 turn = sprag_vec3_cross(sprag_vec3_sub(b, a), sprag_vec3_sub(c, b));
            assert_true(sprag_vec3_dot(turn, n) > 0);
        }
    }
    for (int e = 0; e < solid->edge_count; e++) {
        SpragVec3 a = solid->vertices[solid->edge_vertices[2 * e]];
        SpragVec3 way = sprag_vec3_sub(solid->vertices[solid->edge_vertices[2 * e + 1]], a);
        int left = solid->edge_faces[2 * e], right = solid->edge_faces[2 * e + 1];
        for (int side = 0; side < 2; side++) {
            int f = side ? right : left;
            double tolerance = least_tolerance * fmax(1, face_thinness(solid, f) / 5);
            assert_close(sprag_vec3_dot(solid->normals[f], a), solid->offsets[f], tolerance);
        }
        // the way has the left face on its left: top (z) and side (x) of a cube meet along y
        SpragVec3 turn = sprag_vec3_cross(solid->normals[left], solid->normals[right]);
        assert_true(sprag_vec3_dot(turn, way) > 0);
    }
}

// A box with points on its faces, on its edges and inside of it is a box of 8 corners.
static void test_box_with_idle_points(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragVec3 points[MOST_POINTS];
    int count = 0;
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++)
            for (int z = 0; z < 4; z++)
                points[count++] = sprag_vec3(0.1 * x, 0.2 * y, 0.05 * z);
    SpragSolid *solid;
    assert_ok(context, sprag_solid_create_hull(context, count, points, &solid));
    assert_int_equal(solid->vertex_count, 8);
    assert_int_equal(solid->face_count, 6);
    assert_int_equal(solid->edge_count, 12);
    check_solid(solid, 1e-16);
    // the order of the points is kept
    assert_close(solid->vertices[1].z, 3 * 0.05, 0);
    assert_close(solid->vertices[2].y, 3 * 0.2, 0);
    sprag_solid_destroy(context, solid);
    sprag_context_destroy(context);
}

// Normals of a box along the axes have no rounding: a body that lies on it must not creep.
static void test_box_is_exact(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragVec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = sprag_vec3((i % 4 == 1 || i % 4 == 2 ? 0.5 : -0.5) * 0.3,
                                (i % 4 >= 2 ? 0.5 : -0.5) * 0.7, (i >= 4 ? 0.5 : -0.5) * 0.1);
    SpragSolid *solid;
    assert_ok(context, sprag_solid_create_hull(context, 8, corners, &solid));
    check_solid(solid, 0);
    for (int f = 0; f < 6; f++)
        assert_true(
            fabs(solid->normals[f].x) + fabs(solid->normals[f].y) + fabs(solid->normals[f].z) == 1);
    for (int i = 0; i < 8; i++)
        assert_true(solid->vertices[i].x == corners[i].x && solid->vertices[i].z == corners[i].z);
    sprag_solid_destroy(context, solid);
    sprag_context_destroy(context);
}

// Prisms and drums turned anyhow: two big faces of n corners with rounding, and n rectangles.
static void test_prisms(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 91);
    for (int draw = 0; draw < test_draws(60); draw++) {
        int n = 3 + sprag_random_below(&random, 60);
        SpragMat3 R = draw_rotation(&random);
        double size = exp(sprag_random_uniform(&random, -12, 12));
        SpragVec3 at = sprag_vec3_scale(10 * size, draw_direction(&random)), points[MOST_POINTS];
        for (int i = 0; i < 2 * n; i++) {
            double angle = 2 * acos(-1) * (i % n) / n;
            SpragVec3 p = sprag_vec3(cos(angle), sin(angle), i < n ? -0.3 : 0.4);
            points[i] = sprag_vec3_along(at, size, sprag_mat3_apply(&R, p));
        }
        SpragSolid *solid;
        assert_ok(context, sprag_solid_create_hull(context, 2 * n, points, &solid));
        assert_int_equal(solid->vertex_count, 2 * n);
        assert_int_equal(solid->face_count, n + 2);
        check_solid(solid, 1e-13 * size); // ten sizes away: 1e-15 of the distance, and sums
        sprag_solid_destroy(context, solid);
    }
    sprag_context_destroy(context);
}

// Points on a sphere are all corners; points within are none.
static void test_random_hulls(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 92);
    for (int draw = 0; draw < test_draws(40); draw++) {
        int n = 4 + sprag_random_below(&random, 150), idle = sprag_random_below(&random, 100);
        SpragVec3 points[MOST_POINTS];
        for (int i = 0; i < n + idle; i++)
            points[i] = sprag_vec3_scale(i < n ? 2 : 1e-3, draw_direction(&random));
        SpragSolid *solid;
        assert_ok(context, sprag_solid_create_hull(context, n, points, &solid));
        assert_int_equal(solid->vertex_count, n);
        assert_int_equal(solid->face_count, 2 * n - 4); // triangles, by Euler's formula
        check_solid(solid, 1e-14);
        sprag_solid_destroy(context, solid);
        // the same corners, whatever lies within, as long as the middle does
        assert_ok(context, sprag_solid_create_hull(context, n + idle, points, &solid));
        assert_true(solid->vertex_count >= n);
        sprag_solid_destroy(context, solid);
    }
    sprag_context_destroy(context);
}

// Points as files have them: doubled, nearly doubled, nearly in a plane or on an edge. All of them
// are behind every face, and the polyhedron is whole, whatever was left out.
static void test_rough_points(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 94);
    for (int draw = 0; draw < test_draws(150); draw++) {
        double noise = pow(10, sprag_random_uniform(&random, -17, -4)) * (draw % 5 > 0);
        int n = 2 + sprag_random_below(&random, 4), count = 0, kind = draw % 3;
        SpragMat3 R = draw % 2 ? draw_rotation(&random) : sprag_mat3_identity();
        SpragVec3 points[MOST_POINTS];
        for (int i = 0; i < n * n * n; i++) {
            SpragVec3 p = sprag_vec3(i % n, i / n % n, i / n / n);
            if (kind == 1) { // a drum with rings of points along its side
                double angle = 2 * acos(-1) * (i % (n * n)) / (n * n);
                p = sprag_vec3(cos(angle), sin(angle), i / n / n);
            } else if (kind == 2) { // few places, many points
                p = sprag_vec3(i % 2, i / 2 % 2, i / 4 % 2);
            }
            SpragVec3 shake = sprag_vec3_scale(noise, draw_direction(&random));
            points[count++] = sprag_mat3_apply(&R, sprag_vec3_add(p, shake));
        }
        SpragSolid *solid;
        assert_ok(context, sprag_solid_create_hull(context, count, points, &solid));
        assert_int_equal(solid->vertex_count - solid->edge_count + solid->face_count, 2);
        for (int f = 0; f < solid->face_count; f++)
            for (int i = 0; i < count; i++)
                assert_true(sprag_vec3_dot(solid->normals[f], points[i]) <=
                            solid->offsets[f] + 2e-8 * n);
        sprag_solid_destroy(context, solid);
    }
    sprag_context_destroy(context);
}

static void refuse_hull(int count, const SpragVec3 *points, const char *fragment)
{
    SpragContext *context = test_context();
    SpragSolid *solid = NULL;
    assert_int_equal(sprag_solid_create_hull(context, count, points, &solid), SPRAG_ERROR_INPUT);
    assert_null(solid);
    if (!strstr(sprag_context_message(context), fragment))
        fail_msg("%s, wanted %s", sprag_context_message(context), fragment);
    sprag_context_destroy(context);
}

static void test_flat_points(void **state)
{
    (void)state;
    SpragVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}};
    refuse_hull(3, points, "at least 4 points");
    refuse_hull(5, points, "flat");
    points[4].z = 1e-12;
    refuse_hull(5, points, "flat");
    for (int i = 0; i < 5; i++)
        points[i] = sprag_vec3(i, 2 * i, 3 * i);
    refuse_hull(5, points, "on a line");
    for (int i = 0; i < 5; i++)
        points[i] = sprag_vec3(3, 2, 1);
    refuse_hull(5, points, "all the same");
    points[2].y = NAN;
    refuse_hull(5, points, "finite");
}

// ---- Meshes -------------------------------------------------------------------------------------

static const SpragVec3 CUBE[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int CUBE_TRIANGLES[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                       1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static void refuse_mesh(const SpragVec3 *points, int count, const int *triangles,
                        int triangle_count, const char *fragment)
{
    SpragContext *context = test_context();
    SpragSolid *solid = NULL;
    assert_int_equal(
        sprag_solid_create_triangles(context, count, points, triangle_count, triangles, &solid),
        SPRAG_ERROR_INPUT);
    assert_null(solid);
    if (!strstr(sprag_context_message(context), fragment))
        fail_msg("%s, wanted %s", sprag_context_message(context), fragment);
    sprag_context_destroy(context);
}

static void test_cube_mesh(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSolid *solid;
    assert_ok(context, sprag_solid_create_triangles(context, 8, CUBE, 12, CUBE_TRIANGLES, &solid));
    assert_int_equal(solid->vertex_count, 8);
    assert_int_equal(solid->face_count, 6);
    check_solid(solid, 0);
    sprag_solid_destroy(context, solid);
    // with the digits that a file of single precision has, anyhow turned
    SpragRandom random;
    sprag_random_init(&random, 93);
    for (int draw = 0; draw < 20; draw++) {
        SpragMat3 R = draw_rotation(&random);
        SpragVec3 points[8];
        for (int i = 0; i < 8; i++) {
            SpragVec3 p = sprag_mat3_apply(&R, CUBE[i]);
            points[i] = sprag_vec3((float)p.x, (float)p.y, (float)p.z);
        }
        assert_ok(context,
                  sprag_solid_create_triangles(context, 8, points, 12, CUBE_TRIANGLES, &solid));
        assert_int_equal(solid->face_count, 6);
        check_solid(solid, 2e-7);
        sprag_solid_destroy(context, solid);
    }
    sprag_context_destroy(context);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    int triangles[36], inverted[36];
    memcpy(triangles, CUBE_TRIANGLES, sizeof triangles);
    for (int t = 0; t < 12; t++)
        for (int i = 0; i < 3; i++)
            inverted[3 * t + i] = CUBE_TRIANGLES[3 * t + 2 - i];
    refuse_mesh(CUBE, 8, triangles, 11, "open");
    refuse_mesh(CUBE, 8, inverted, 12, "inverted");
    memcpy(triangles, inverted, 3 * sizeof *triangles);
    refuse_mesh(CUBE, 8, triangles, 12, "disagree");
    memcpy(triangles, CUBE_TRIANGLES, sizeof triangles);
    triangles[0] = 8;
    refuse_mesh(CUBE, 8, triangles, 12, "vertex 8");
    triangles[0] = 2;
    refuse_mesh(CUBE, 8, triangles, 12, "twice");
    refuse_mesh(CUBE, 8, triangles, 0, "needs triangles");
    // a dent: the far corner moved to the inside
    SpragVec3 dented[8];
    memcpy(dented, CUBE, sizeof dented);
    dented[6] = sprag_vec3(0.3, 0.3, 0.3);
    refuse_mesh(dented, 8, CUBE_TRIANGLES, 12, "not convex");
    // two cubes: each is convex, together they are not
    SpragVec3 two[16];
    int both[72];
    for (int i = 0; i < 16; i++)
        two[i] = sprag_vec3_add(CUBE[i % 8], sprag_vec3(i < 8 ? 0 : 3, 0, 0));
    for (int i = 0; i < 72; i++)
        both[i] = CUBE_TRIANGLES[i % 36] + (i < 36 ? 0 : 8);
    refuse_mesh(two, 16, both, 24, "not convex: it encloses 2 m³");
    // no thickness
    SpragVec3 flat[8];
    for (int i = 0; i < 8; i++)
        flat[i] = sprag_vec3(CUBE[i].x, CUBE[i].y, 0);
    refuse_mesh(flat, 8, CUBE_TRIANGLES, 12, "flat");
}

static void test_surface(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragSurface *surface;
    assert_ok(context, sprag_surface_create(context, 8, CUBE, 12, CUBE_TRIANGLES, &surface));
    for (int t = 0; t < 12; t++)
        for (int i = 0; i < 3; i++) {
            int other = surface->neighbours[3 * t + i], shared = 0;
            assert_true(other >= 0 && other != t);
            for (int k = 0; k < 3; k++)
                shared +=
                    surface->triangles[3 * other + k] == surface->triangles[3 * t + i] ||
                    surface->triangles[3 * other + k] == surface->triangles[3 * t + (i + 1) % 3];
            assert_int_equal(shared, 2);
        }
    assert_close(surface->normals[0].z, -1, 0);
    sprag_surface_destroy(context, surface);
    // an open one has borders
    assert_ok(context, sprag_surface_create(context, 8, CUBE, 1, CUBE_TRIANGLES, &surface));
    assert_int_equal(surface->neighbours[0], -1);
    sprag_surface_destroy(context, surface);
    int fin[9] = {0, 1, 2, 1, 0, 4, 0, 1, 6};
    assert_int_equal(sprag_surface_create(context, 8, CUBE, 3, fin, &surface), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "more than two"));
    SpragVec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}};
    int one[3] = {0, 1, 2};
    assert_int_equal(sprag_surface_create(context, 3, line, 1, one, &surface), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "no area"));
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_with_idle_points),
        cmocka_unit_test(test_box_is_exact),
        cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_random_hulls),
        cmocka_unit_test(test_rough_points),
        cmocka_unit_test(test_flat_points),
        cmocka_unit_test(test_cube_mesh),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

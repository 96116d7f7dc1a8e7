// Every pair of kinds of shapes in space that can touch: the least gap of all slots is the distance
// of the two shapes, its rate agrees with differences, and it does not jump while bodies turn and
// features change.
// Convex pairs  a proof: the witness points belong to the shapes, and no point of either is on the
//               wrong side of the planes through them across the normal.
// Points, rods  the least of the distances of their points, by brute force over faces or in closed
//               form. Planes, bowls, bores, containers: in closed form over extreme points.
// Surfaces      the least distance from any of the triangles, each taken as a convex shape. Sharp
//               edges and rims are not measured from peaks, nor rims from ridges they only pass:
//               there the least gap may be larger while bodies are apart, never smaller.
#include "space_world.h"
#include "world3.h"

enum { MOVERS = 8, GROUNDS = 8, CORNERS = 9, GRID = 7, AROUND = 20000 };
static const SpragShapeKind MOVER[MOVERS] = {
    SPRAG_SHAPE_SPHERE, SPRAG_SHAPE_CAPSULE, SPRAG_SHAPE_BOX, SPRAG_SHAPE_CYLINDER,
    SPRAG_SHAPE_HULL,   SPRAG_SHAPE_MESH,    SPRAG_SHAPE_ROD, SPRAG_SHAPE_POINTS};
enum { FIRST_SHARP = 6 };
// Grounds: a plane, a height-field, a fixed mesh, and shapes with the solid around them.
static const SpragShapeKind GROUND[GROUNDS] = {
    SPRAG_SHAPE_PLANE,   SPRAG_SHAPE_FIELD,    SPRAG_SHAPE_MESH, SPRAG_SHAPE_SPHERE,
    SPRAG_SHAPE_CAPSULE, SPRAG_SHAPE_CYLINDER, SPRAG_SHAPE_BOX,  SPRAG_SHAPE_HULL};
static const double SIZE = 0.7; // no place of a mover is farther from its body's origin

// ---- Shapes -------------------------------------------------------------------------------------

static void add_mesh(World3 *world, int body, int count, SpragVec3 *points, bool inside)
{
    SpragSolid *solid;
    assert_ok(world->context, sprag_solid_create_hull(world->context, count, points, &solid));
    SpragShape shape = {.kind = SPRAG_SHAPE_MESH,
                        .body = body,
                        .material = -1,
                        .vertex_count = solid->vertex_count,
                        .points = solid->vertices,
                        .solid = solid,
                        .inside = inside};
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, NULL));
    sprag_solid_destroy(world->context, solid);
}

static void add_mover(World3 *world, SpragRandom *random, int body, SpragShapeKind kind)
{
    double a = sprag_random_uniform(random, 0.1, 0.8), b = sprag_random_uniform(random, 0.05, 0.4);
    SpragVec3 ends[2] = {{0, 0, -a / 2}, {0, 0, a / 2}}, points[CORNERS];
    for (int i = 0; i < CORNERS; i++)
        points[i] = sprag_vec3_scale(0.6, space_direction(random));
    switch (kind) {
    case SPRAG_SHAPE_SPHERE:
        world3_sphere(world, body, random_vector(random, 0.1), b);
        break;
    case SPRAG_SHAPE_CAPSULE:
        world3_capsule(world, body, 0.6 * a, b);
        break;
    case SPRAG_SHAPE_BOX:
        world3_box(world, body, a, 2 * b, sprag_random_uniform(random, 0.1, 0.6));
        break;
    case SPRAG_SHAPE_HULL:
        world3_shape(world, body, kind, CORNERS, points, 0);
        break;
    case SPRAG_SHAPE_MESH:
        add_mesh(world, body, CORNERS, points, false);
        break;
    case SPRAG_SHAPE_POINTS:
        world3_shape(world, body, kind, 4, points, 0);
        break;
    default: // cylinder, rod
        world3_shape(world, body, kind, 2, ends, kind == SPRAG_SHAPE_CYLINDER ? b : 0);
        break;
    }
}

static double hills(double x, double y)
{
    return 0.3 * sin(1.9 * x + 0.4) * cos(1.3 * y - 0.2) + 0.05 * x;
}

static void add_surface(World3 *world, int body, SpragShapeKind kind)
{
    SpragVec3 points[GRID * GRID];
    int triangles[6 * GRID * GRID], count = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        double x = 6 * (i % GRID / (GRID - 1.0) - 0.5), y = 6 * (i / GRID / (GRID - 1.0) - 0.5);
        // a mesh need not be over a regular grid
        if (kind == SPRAG_SHAPE_MESH)
            x += 0.2 * sin(5 * y), y += 0.2 * sin(3 * x);
        points[i] = sprag_vec3(x, y, hills(x, y));
    }
    for (int i = 0; i < (GRID - 1) * (GRID - 1); i++) {
        int at = i / (GRID - 1) * GRID + i % (GRID - 1);
        const int corners[6] = {at, at + 1, at + GRID + 1, at, at + GRID + 1, at + GRID};
        for (int k = 0; k < 6; k++)
            triangles[count++] = corners[k];
    }
    SpragSurface *surface;
    assert_ok(world->context, sprag_surface_create(world->context, GRID * GRID, points, count / 3,
                                                   triangles, &surface));
    SpragShape shape = {.kind = kind, .body = body, .material = -1, .surface = surface};
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, NULL));
    sprag_surface_destroy(world->context, surface);
}

static void add_ground(World3 *world, int body, int ground)
{
    SpragShapeKind kind = GROUND[ground];
    SpragVec3 ends[2] = {{0, 0, -1.6}, {0, 0, 1.6}}, centre = {0.1, 0, 0}, corners[6];
    if (ground == 0) {
        world3_plane(world, body, sprag_vec3_unit(sprag_vec3(0.3, -0.2, 1)), 0.1);
        return;
    }
    if (ground <= 2) {
        add_surface(world, body, kind);
        return;
    }
    if (kind == SPRAG_SHAPE_BOX)
        world3_box(world, body, 3, 2.6, 3.4);
    for (int i = 0; i < 6; i++)
        corners[i] = sprag_vec3_scale(i & 1 ? -3 : 3.2, sprag_vec3(i / 2 == 0, i / 2 == 1, i > 3));
    if (kind == SPRAG_SHAPE_HULL)
        world3_shape(world, body, kind, 6, corners, 0);
    if (kind == SPRAG_SHAPE_SPHERE)
        world3_sphere(world, body, centre, 1.7);
    if (kind == SPRAG_SHAPE_CAPSULE || kind == SPRAG_SHAPE_CYLINDER)
        world3_shape(world, body, kind, 2, ends, 1.5);
    world->model->shapes[0].inside = true;
}

// ---- Independent distances ----------------------------------------------------------------------

typedef struct Placed {
    const SpragShape *shape;
    const SpragPose *pose;
} Placed;

static SpragVec3 corner_of(Placed a, int i)
{
    return pose_to_world(a.pose, a.shape->points[i]);
}

static double core_radius(Placed a)
{
    bool round = a.shape->kind == SPRAG_SHAPE_SPHERE || a.shape->kind == SPRAG_SHAPE_CAPSULE;
    return round ? a.shape->radius : 0;
}

// Largest n · p of the shape.
static double highest(Placed a, SpragVec3 n)
{
    double most = -INFINITY, more = core_radius(a) * sprag_vec3_norm(n);
    if (a.shape->kind == SPRAG_SHAPE_CYLINDER) {
        SpragVec3 u = sprag_vec3_unit(sprag_vec3_sub(corner_of(a, 1), corner_of(a, 0)));
        more = a.shape->radius * sprag_vec3_norm(sprag_vec3_cross(u, n));
    }
    for (int i = 0; i < a.shape->vertex_count; i++)
        most = fmax(most, sprag_vec3_dot(n, corner_of(a, i)));
    return most + more;
}

static double point_segment(SpragVec3 p, SpragVec3 a, SpragVec3 b)
{
    SpragVec3 e = sprag_vec3_sub(b, a);
    double t = sprag_vec3_dot(e, sprag_vec3_sub(p, a)) / sprag_vec3_dot(e, e);
    return space_apart(p, sprag_vec3_along(a, fmin(1, fmax(0, t)), e));
}

static double point_polyhedron(const SpragSolid *solid, SpragVec3 p)
{
    double deepest = -INFINITY, least = INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        const int *loop = solid->face_vertices + solid->face_first[f];
        int count = solid->face_first[f + 1] - solid->face_first[f], feature;
        deepest = fmax(deepest, sprag_vec3_dot(solid->normals[f], p) - solid->offsets[f]);
        for (int i = 2; i < count; i++) {
            SpragVec3 corner[3] = {solid->vertices[loop[0]], solid->vertices[loop[i - 1]],
                                   solid->vertices[loop[i]]};
            least = fmin(least, space_apart(p, point_triangle(p, corner, &feature)));
        }
    }
    return deepest <= 0 ? deepest : least;
}

// Signed distance of a point from a convex shape; 0 or less: it belongs to it.
static double point_shape(SpragVec3 world, Placed b)
{
    SpragVec3 p = pose_to_local(b.pose, world);
    const SpragVec3 *at = b.shape->points;
    if (b.shape->solid)
        return point_polyhedron(b.shape->solid, p);
    if (b.shape->kind == SPRAG_SHAPE_SPHERE)
        return space_apart(p, at[0]) - b.shape->radius;
    if (b.shape->kind == SPRAG_SHAPE_CAPSULE)
        return point_segment(p, at[0], at[1]) - b.shape->radius;
    SpragVec3 u = sprag_vec3_unit(sprag_vec3_sub(at[1], at[0]));
    SpragVec3 d = sprag_vec3_sub(p, sprag_vec3_scale(0.5, sprag_vec3_add(at[0], at[1])));
    double along = sprag_vec3_dot(d, u), off = sprag_vec3_norm(sprag_vec3_along(d, -along, u));
    double beyond = fabs(along) - 0.5 * space_apart(at[0], at[1]), beside = off - b.shape->radius;
    return beyond <= 0 || beside <= 0 ? fmax(beyond, beside) : hypot(beyond, beside);
}

// How far the farthest place of a mover is from a bowl's centre (end NULL) or a bore's axis or a
// capsule's core.
static double place_off(SpragVec3 p, Placed hole)
{
    if (hole.shape->kind == SPRAG_SHAPE_SPHERE)
        return space_apart(p, corner_of(hole, 0));
    if (hole.shape->kind == SPRAG_SHAPE_CAPSULE)
        return point_segment(p, corner_of(hole, 0), corner_of(hole, 1));
    SpragVec3 a = corner_of(hole, 0), u = sprag_vec3_unit(sprag_vec3_sub(corner_of(hole, 1), a));
    return sprag_vec3_norm(sprag_vec3_cross(u, sprag_vec3_sub(p, a)));
}

static double farthest_off(Placed a, Placed hole)
{
    double most = 0;
    if (a.shape->kind != SPRAG_SHAPE_CYLINDER) {
        for (int i = 0; i < a.shape->vertex_count; i++)
            most = fmax(most, place_off(corner_of(a, i), hole));
        return most + core_radius(a);
    }
    // places of the rims 3e-4 apart: the distance is wrong by its curvature times 1e-7 at most
    SpragVec3 u = sprag_vec3_unit(sprag_vec3_sub(corner_of(a, 1), corner_of(a, 0)));
    SpragVec3 e = sprag_vec3_unit(
        sprag_vec3_cross(u, fabs(u.x) < 0.7 ? sprag_vec3(1, 0, 0) : sprag_vec3(0, 1, 0)));
    SpragVec3 f = sprag_vec3_cross(u, e);
    for (int i = 0; i < 2 * AROUND; i++) {
        double angle = 2 * acos(-1) * (i / 2) / AROUND;
        SpragVec3 p = sprag_vec3_along(corner_of(a, i % 2), a.shape->radius * cos(angle), e);
        most = fmax(most, place_off(sprag_vec3_along(p, a.shape->radius * sin(angle), f), hole));
    }
    return most;
}

static double within(Placed a, Placed hole)
{
    const SpragSolid *solid = hole.shape->solid;
    double least = INFINITY;
    if (!solid)
        return hole.shape->radius - farthest_off(a, hole);
    for (int f = 0; f < solid->face_count; f++) {
        SpragVec3 n = sprag_mat3_apply(&hole.pose->R, solid->normals[f]);
        least = fmin(least, solid->offsets[f] + sprag_vec3_dot(n, hole.pose->x) - highest(a, n));
    }
    return least;
}

static bool is_sharp(Placed a)
{
    return a.shape->kind == SPRAG_SHAPE_POINTS || a.shape->kind == SPRAG_SHAPE_ROD;
}

static double over_triangles(Placed a, Placed ground)
{
    const SpragSurface *surface = ground.shape->surface;
    double least = INFINITY;
    for (int t = 0; t < surface->triangle_count; t++) {
        SpragVec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = surface->vertices[surface->triangles[3 * t + k]];
        SpragShape triangle = {.kind = SPRAG_SHAPE_POINTS, .vertex_count = 3, .points = corner};
        ConvexDistance r;
        int feature;
        for (int i = 0; is_sharp(a) && i < a.shape->vertex_count; i++) {
            SpragVec3 p = pose_to_local(ground.pose, corner_of(a, i));
            least = fmin(least, space_apart(p, point_triangle(p, corner, &feature)));
        }
        if (!is_sharp(a) && convex_distance(a.shape, a.pose, &triangle, ground.pose, &r))
            least = fmin(least, r.distance);
    }
    return least;
}

// a is a mover.
static double over_ground(Placed a, Placed ground)
{
    if (ground.shape->inside)
        return within(a, ground);
    if (ground.shape->surface)
        return over_triangles(a, ground);
    SpragVec3 n = sprag_mat3_apply(&ground.pose->R, ground.shape->normal);
    return -highest(a, sprag_vec3_scale(-1, n)) - sprag_vec3_dot(n, ground.pose->x) -
           ground.shape->offset;
}

// ---- Checks -------------------------------------------------------------------------------------

// The witness points are in the shapes, and nothing is between the planes through them.
static void check_proof(const World3 *world, int slot)
{
    SpragSpaceGap gap = world3_gap(world, slot);
    const SpragSlot *shown = sprag_collider_slot(world->collider, slot);
    for (int i = 0; i < 2; i++) {
        Placed a = {&world->model->shapes[shown->shape[i]], &world->poses[shown->body[i]]};
        SpragVec3 out = sprag_vec3_scale(i == 0 ? -1 : 1, gap.normal);
        assert_true(point_shape(gap.point[i], a) <= 1e-13);
        assert_close(highest(a, out), sprag_vec3_dot(out, gap.point[i]), 1e-13);
    }
    SpragVec3 d = sprag_vec3_sub(gap.point[0], gap.point[1]);
    assert_close(space_apart(d, sprag_vec3_scale(gap.gap, gap.normal)), 0, 1e-13);
}

static SpragVec3 velocity_of(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

static double least_later(World3 *world, const SpragPose before[2], double h)
{
    int slot;
    for (int k = 0; k < 2; k++)
        world->poses[k] = space_pose_later(&before[k], h);
    double least = least_gap(world, &slot);
    for (int k = 0; k < 2; k++)
        world->poses[k] = before[k];
    return least;
}

// The least gap has a rate, that of its slot: speeds up to 3 m/s, so second derivatives below
// 10 (1 + 1/gap), rounding 1e-15/h. `smooth`: a distance of convex shapes, which has no kinks.
static void check_rate(World3 *world, int slot, double least, bool smooth)
{
    const double h = 1e-7;
    const SpragPose before[2] = {world->poses[0], world->poses[1]};
    SpragSpaceGap gap = world3_gap(world, slot);
    const int *body = sprag_collider_slot(world->collider, slot)->body;
    SpragVec3 u = sprag_vec3_sub(velocity_of(&before[body[0]], gap.point[0]),
                                 velocity_of(&before[body[1]], gap.point[1]));
    double tolerance = 1e-7 + 100 * h * (1 + 1 / least), rate = sprag_vec3_dot(gap.normal, u);
    double back = (least - least_later(world, before, -h)) / h;
    double on = (least_later(world, before, h) - least) / h;
    if (smooth || fabs(on - back) < 1e-3)
        assert_close(0.5 * (on + back), rate, tolerance);
}

// While the second body moves the least gap changes by no more than its places move.
static void check_path(World3 *world, SpragRandom *random, bool sharp)
{
    enum { STEPS = 16 };
    SpragVec3 way = random_vector(random, 0.02), turn = random_vector(random, 0.1);
    SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_exp(turn));
    double most = sprag_vec3_norm(way) + SIZE * sprag_vec3_norm(turn), before = NAN;
    const SpragPose start = world->poses[1];
    for (int step = 0; step < STEPS; step++) {
        int slot;
        double least = least_gap(world, &slot);
        // what overlaps has no distance
        if (!(least > 1e-3) ||
            (!sharp && sprag_collider_shape_distance(world->collider, 0, world->poses) < 0))
            break;
        if (step > 0)
            assert_close(least, before, most * (1 + 1e-9));
        before = least;
        world->poses[1].x = sprag_vec3_add(world->poses[1].x, way);
        world->poses[1].R = sprag_mat3_product(&R, &world->poses[1].R);
        world3_refresh(world, 3); // edges that turn into view get their slots
    }
    world->poses[1] = start;
}

static World3 *open_pair(SpragRandom *random, int ground)
{
    World3 *world = world3_open();
    SpragVec3 at = ground >= 0 ? random_vector(random, 0.3)
                               : sprag_vec3_scale(sprag_random_uniform(random, 0.5, 1.5),
                                                  space_direction(random));
    if (ground >= 0 && ground <= 2)
        at.z = sprag_random_uniform(random, 0.9, 1.6);
    SpragVec3 zero = {0, 0, 0};
    SpragQuaternion turn = {1, 0, 0, 0};
    world3_body(world, "first", ground >= 0, zero, ground >= 0 ? turn : random_rotation(random));
    world3_body(world, "second", false, at, random_rotation(random));
    return world;
}

static void build(World3 *world, SpragRandom *random)
{
    world3_build(world);
    world3_refresh(world, 3);
    world->poses[1].v = random_vector(random, 1);
    world->poses[1].w = random_vector(random, 1);
    if (!world->model->bodies[0].fixed) {
        world->poses[0].v = random_vector(random, 1);
        world->poses[0].w = random_vector(random, 1);
    }
}

// Returns whether the shapes were apart.
static bool check_movers(SpragRandom *random, int first, int second)
{
    World3 *world = open_pair(random, -1);
    add_mover(world, random, 0, MOVER[first]);
    add_mover(world, random, 1, MOVER[second]);
    build(world, random);
    const SpragShape *shapes = world->model->shapes;
    int slot;
    double least = least_gap(world, &slot), expected = INFINITY;
    Placed a = {&shapes[0], &world->poses[0]}, b = {&shapes[1], &world->poses[1]};
    // crossing shapes need not have a corner or an edge in each other: they are compared as wholes
    assert_true(sprag_collider_slot_count(world->collider) > 0);
    double whole = sprag_collider_shape_distance(world->collider, 0, world->poses);
    bool sharp = is_sharp(a) || is_sharp(b), apart = least > 1e-3 && (sharp || whole > 0);
    assert_true(slot >= 0 || whole < 0);
    for (int i = 0; sharp && i < (is_sharp(a) ? a : b).shape->vertex_count; i++)
        expected = fmin(expected, is_sharp(a) ? point_shape(corner_of(a, i), b)
                                              : point_shape(corner_of(b, i), a));
    // what is apart is so by proof, and what is not overlaps
    if (sharp)
        assert_close(fmax(0, least), fmax(0, expected), 1e-13);
    else if (apart)
        check_proof(world, slot);
    else
        assert_true(whole < 2e-3);
    if (apart) {
        check_rate(world, slot, least, !sharp);
        check_path(world, random, sharp);
    }
    world3_close(world);
    return apart;
}

static bool check_ground(SpragRandom *random, int ground, int mover)
{
    World3 *world = open_pair(random, ground);
    add_ground(world, 0, ground);
    add_mover(world, random, 1, MOVER[mover]);
    build(world, random);
    const SpragShape *shapes = world->model->shapes;
    int slot;
    double least = least_gap(world, &slot);
    Placed a = {&shapes[1], &world->poses[1]}, b = {&shapes[0], &world->poses[0]};
    double expected = over_ground(a, b);
    // rims in round holes are sampled
    bool sampled = GROUND[ground] != SPRAG_SHAPE_PLANE && shapes[0].inside && !shapes[0].solid &&
                   shapes[1].kind == SPRAG_SHAPE_CYLINDER;
    // while apart, edges, rims and the sides of capsules are not measured from peaks of a surface
    bool edges = shapes[1].solid || MOVER[mover] == SPRAG_SHAPE_CYLINDER ||
                 MOVER[mover] == SPRAG_SHAPE_CAPSULE;
    bool apart = expected > 1e-3;
    bool rough = shapes[0].surface && edges, open = GROUND[ground] == SPRAG_SHAPE_CYLINDER;
    if (apart && rough) {
        assert_true(least >= expected - 1e-13);
    } else if (apart) {
        assert_true(slot >= 0);
        assert_close(least, expected, sampled ? 1e-7 : 1e-13);
        check_rate(world, slot, least, false);
        if (!open) // nothing is beyond the mouths of a bore
            check_path(world, random, true);
    }
    world3_close(world);
    return apart;
}

static void test_movers(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 41);
    for (int pair = 0; pair < MOVERS * MOVERS; pair++) {
        int first = pair / MOVERS, second = pair % MOVERS, apart = 0;
        if (first >= FIRST_SHARP && second >= FIRST_SHARP)
            continue; // points do not meet points
        for (int draw = 0; draw < test_draws(4); draw++)
            apart += check_movers(&random, first, second);
        if (apart == 0)
            fail_msg("%s and %s never apart", sprag_shape_kind_name(MOVER[first]),
                     sprag_shape_kind_name(MOVER[second]));
    }
}

static void test_grounds(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 42);
    for (int pair = 0; pair < GROUNDS * MOVERS; pair++) {
        int ground = pair / MOVERS, mover = pair % MOVERS, apart = 0;
        for (int draw = 0; draw < test_draws(3); draw++)
            apart += check_ground(&random, ground, mover);
        if (apart == 0)
            fail_msg("%s over %s never apart", sprag_shape_kind_name(MOVER[mover]),
                     sprag_shape_kind_name(GROUND[ground]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_movers),
        cmocka_unit_test(test_grounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

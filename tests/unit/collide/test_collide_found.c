// Positions of pairs in space that random tests have found: each of them once had a wrong gap.
#include "space_world.h"
#include "world3.h"

typedef struct Can {
    double length, radius;
    SpragVec3 x;
    SpragQuaternion turn;
} Can;

static double gap_of_cans(const Can can[2])
{
    World3 *world = world3_open();
    for (int i = 0; i < 2; i++) {
        SpragVec3 ends[2] = {{0, 0, -can[i].length / 2}, {0, 0, can[i].length / 2}};
        int body = world3_body(world, i ? "second" : "first", false, can[i].x, can[i].turn);
        world3_shape(world, body, SPRAG_SHAPE_CYLINDER, 2, ends, can[i].radius);
    }
    world3_build(world);
    world3_refresh(world, 2);
    int slot;
    double least = least_gap(world, &slot);
    world3_close(world);
    return least;
}

// Rims whose nearest places run along each other by less than a thousandth of a radian.
static void test_rims_along_each_other(void **state)
{
    (void)state;
    const Can cans[2] = {
        {0.66302686609982642,
         0.39508089477520525,
         {0, 0, 0},
         {0.83053144849048011, 0.5069276588695214, 0.19148280633455328, 0.12874857909746171}},
        {0.9274306428947201,
         0.33532551247327913,
         {-0.37033206024723153, -1.0244523984902645, 0.12313899996635524},
         {-0.54194007605939221, 0.81987939012895938, -0.053987961204948809, -0.17659003269561613}}};
    assert_close(gap_of_cans(cans), 0.01, 1e-12);
}

// Rims that almost touch in a narrow valley of the distance over both angles.
static void test_rims_in_a_valley(void **state)
{
    (void)state;
    const Can cans[2] = {
        {0.57000217702267397,
         0.24724545629922554,
         {0, 0, 0},
         {0.8272538704285618, -0.039287551172908865, 0.56033610475085471, 0.011444295366657345}},
        {0.47272158794325919,
         0.54044325985093911,
         {-0.14393421715544719, -0.84840830111681109, -0.078744938972777456},
         {0.64974907351646338, -0.54601966520743384, 0.15433866254984102, -0.50583420595446626}}};
    assert_close(gap_of_cans(cans), 1e-6, 1e-12);
}

// Two places where the rims come near are on one side of the line of centres: each has its slot.
// The distance is that of the wholes, which supports prove (theory.md (13.23)).
static void test_rims_on_one_side(void **state)
{
    (void)state;
    const Can cans[2] = {
        {0.31819042686334986,
         0.3642280963719835,
         {0, 0, 0},
         {0.7459988205487067, 0.57955535085976062, -0.098848078368606401, -0.31277853576067549}},
        {0.78226298820329154,
         0.20061322272184712,
         {0.56855107859322662, -0.61652795165704399, -0.050475326737640561},
         {-0.41019778898599368, -0.64765571096998886, -0.011609701604401201,
          -0.64198525589581668}}};
    assert_close(gap_of_cans(cans), 0.0298634872088278, 1e-12);
}

// A mark of a flat end below the other's end by more than the whole length of that cylinder.
static void test_mark_beyond_the_far_end(void **state)
{
    (void)state;
    const Can cans[2] = {
        {0.98159104547759157,
         0.25436174405510681,
         {0, 0, 0},
         {0.57236132528308126, -0.067146833567083911, 0.70748186394567658, -0.40910051118283908}},
        {0.58192301466940421,
         0.5243629648398791,
         {-0.1305006855466202, -0.83991168297534724, 0.29538668043086658},
         {0.41157328014605782, -0.24231655934711363, 0.81496073077634978, -0.32822115627800325}}};
    assert_close(gap_of_cans(cans), 0.01, 1e-12);
}

// Boxes that touch with one pair of edges: the edge beside it is 2 cm below, but not in the other.
static void test_edges_beside_a_touching_edge(void **state)
{
    (void)state;
    const double size[2][3] = {{0.63329847482009527, 0.83521854836311404, 0.45749479643826874},
                               {0.33184008150146982, 0.70814227452330547, 0.47434677006592851}};
    const SpragVec3 x[2] = {{0.5675919046125717, -0.29894630693384094, 0.81652567903755968},
                            {0.89377010604073504, -0.047280060449437583, 1.5056243271155108}};
    const SpragQuaternion turn[2] = {
        {-0.093768698434306616, 0.75201358654217498, 0.64440347135799836, 0.1021134807538768},
        {0.45026229610195689, -0.356992328575712, 0.58387352451764152, -0.5735085434537408}};
    World3 *world = world3_open();
    for (int i = 0; i < 2; i++) {
        int body = world3_body(world, i ? "second" : "first", false, x[i], turn[i]);
        world3_box(world, body, size[i][0], size[i][1], size[i][2]);
    }
    world3_build(world);
    world3_refresh(world, 0.1);
    int slot;
    assert_close(least_gap(world, &slot), 0, 1e-12);
    world3_close(world);
}

// A corner of a box over the rim of a cylinder, a micrometre away: the distance of whole shapes.
static void test_corner_near_a_rim(void **state)
{
    (void)state;
    SpragVec3 ends[2] = {{0, 0, -0.5}, {0, 0, 0.5}}, corners[8];
    SpragShape can = {
        .kind = SPRAG_SHAPE_CYLINDER, .vertex_count = 2, .points = ends, .radius = 0.25};
    SpragShape box = {.kind = SPRAG_SHAPE_BOX, .vertex_count = 8, .points = corners};
    SpragRandom random;
    sprag_random_init(&random, 31);
    for (int draw = 0; draw < test_draws(200); draw++) {
        double lean = sprag_random_uniform(&random, 0.2, 1.3), away = 1e-6;
        SpragVec3 n = sprag_vec3(sin(lean), 0, cos(lean)), e = space_direction(&random);
        SpragVec3 at = sprag_vec3_along(sprag_vec3(0.25, 0, 0.5), away, n);
        // the box is beyond the corner, in a cone around n
        SpragVec3 u = sprag_vec3_unit(sprag_vec3_cross(n, e)), v = sprag_vec3_cross(n, u);
        SpragVec3 side[3];
        for (int k = 0; k < 3; k++) {
            double angle = 2 * acos(-1) * k / 3;
            side[k] = sprag_vec3_along(sprag_vec3_scale(cos(angle), u), sin(angle), v);
            side[k] = sprag_vec3_along(sprag_vec3_scale(0.5, side[k]), 0.4, n);
        }
        for (int i = 0; i < 8; i++) {
            corners[i] = at;
            for (int k = 0; k < 3; k++)
                corners[i] = sprag_vec3_along(corners[i], i >> k & 1, side[k]);
        }
        SpragPose pose = space_pose_at(sprag_vec3(0, 0, 0));
        ConvexDistance r;
        assert_true(convex_distance(&box, &pose, &can, &pose, &r));
        assert_close(r.distance, away, 1e-14);
        // places of order 1 have some roundings of 1e-16, over a distance of 1e-6
        assert_close(space_apart(r.normal, n), 0, 1e-8);
    }
}

// A capsule that presses on the rim of a cylinder, in any direction between the flat end and the
// side: it goes in by more than any place of it is deep.
static void test_capsule_on_a_rim(void **state)
{
    (void)state;
    const double radius = 0.06, height = 0.05, own = 0.075;
    for (int k = 0; k <= 8; k++) {
        double lean = 0.05 + 0.18 * k, depth = k % 2 ? 1e-3 : 1e-5;
        SpragVec3 n = sprag_vec3(sin(lean), 0, cos(lean));
        SpragVec3 at = sprag_vec3_along(sprag_vec3(radius, 0, height), own - depth, n);
        SpragVec3 ends[2] = {{0, 0, -height}, {0, 0, height}};
        World3 *world = world3_open();
        int can = world3_body(world, "can", false, sprag_vec3(0, 0, 0), turn_about(0, 0, 1, 0));
        int body = world3_body(world, "capsule", false, at, turn_about(1, 0, 0, acos(-1) / 2));
        world3_shape(world, can, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
        world3_capsule(world, body, 0.3, own);
        world3_build(world);
        world3_refresh(world, 1);
        int slot;
        assert_close(least_gap(world, &slot), -depth, 1e-12);
        world3_close(world);
    }
}

// A cylinder that lies across the flat end of another one touches its rim at two places.
static void test_side_across_a_rim(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        double off = 0.015 * k, lean = k % 2 ? 1e-3 : -1e-3, radius = 0.1, own = 0.03;
        SpragVec3 ends[2] = {{0, 0, -0.1}, {0, 0, 0.1}}, long_ends[2] = {{0, 0, -0.2}, {0, 0, 0.2}};
        World3 *world = world3_open();
        int drum = world3_body(world, "drum", false, sprag_vec3(0, 0, 0), turn_about(0, 0, 1, 0));
        int roll = world3_body(world, "roll", false, sprag_vec3(0, off, 0.1 + own),
                               turn_about(0, 1, 0, acos(-1) / 2 + lean));
        world3_shape(world, drum, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
        world3_shape(world, roll, SPRAG_SHAPE_CYLINDER, 2, long_ends, own);
        world3_build(world);
        world3_refresh(world, 1);
        // half a chord from the middle, one end is raised and the other one lowered by the lean
        double way = sqrt(radius * radius - off * off) * fabs(lean);
        int slots[8];
        assert_int_equal(world3_closed(world, 1.1 * way, slots, 8), 2);
        double gap[2] = {world3_gap(world, slots[0]).gap, world3_gap(world, slots[1]).gap};
        assert_close(fmin(gap[0], gap[1]), -way, 2e-2 * way);
        assert_close(fmax(gap[0], gap[1]), way, 2e-2 * way);
        world3_close(world);
    }
}

// A held contact keeps its place on a rim while the can over a side turns and a second place comes
// or goes: in a step of a thousandth it moves by no more than a third of the radius, the root of
// the step where two places part. Returns how many contacts were held on.
static int check_held_places(SpragRandom *random)
{
    enum { STEPS = 100, SLOTS = 64 };
    const double radius = 0.1;
    SpragVec3 ends[2] = {{0, 0, -0.3}, {0, 0, 0.3}}, low[2] = {{0, 0, -0.05}, {0, 0, 0.05}};
    SpragVec3 at = sprag_vec3(0, sprag_random_uniform(random, -0.1, 0.1), 0.16);
    SpragVec3 turn = sprag_vec3_scale(4e-3, space_direction(random));
    SpragQuaternion lean = sprag_quaternion_exp(random_vector(random, 0.15));
    SpragGrip grips[SLOTS] = {{.axis = 0}};
    SpragSpaceGap before[SLOTS], now;
    int held = 0;
    World3 *world = world3_open();
    world3_body(world, "log", true, sprag_vec3(0, 0, 0), turn_about(0, 1, 0, acos(-1) / 2));
    world3_body(world, "can", false, at, lean);
    world3_shape(world, 0, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
    world3_shape(world, 1, SPRAG_SHAPE_CYLINDER, 2, low, radius);
    world3_build(world);
    world3_refresh(world, 1);
    int count = sprag_collider_slot_count(world->collider);
    assert_true(count <= SLOTS);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < count; i++) {
            if (sprag_collider_is_gripped(world->collider, i, &grips[i], world->poses)) {
                sprag_collider_space_gap(world->collider, i, world->poses, &grips[i], &now);
                assert_true(space_apart(now.point[1], before[i].point[1]) < radius / 3);
                before[i] = now;
                held++;
            } else if (sprag_collider_grip(world->collider, i, world->poses, &grips[i])) {
                sprag_collider_space_gap(world->collider, i, world->poses, &grips[i], &before[i]);
            }
        }
        SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_exp(turn));
        world->poses[1].R = sprag_mat3_product(&R, &world->poses[1].R);
    }
    world3_close(world);
    return held;
}

static void test_held_places(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 32);
    int held = 0;
    for (int draw = 0; draw < test_draws(40); draw++)
        held += check_held_places(&random);
    assert_true(held > 1000);
}

// A flat end that has rolled to its edge on a side: before its two places come together, where they
// would part from a body with a speed without limit, one place in the middle takes over.
static void test_places_come_together(void **state)
{
    (void)state;
    const double radius = 0.1, half = 0.05;
    SpragVec3 ends[2] = {{0, 0, -0.3}, {0, 0, 0.3}}, low[2] = {{0, 0, -half}, {0, 0, half}};
    for (int k = 0; k < 8; k++) {
        double chord = radius * pow(10, -0.5 * k);
        double off = sqrt(radius * radius - chord * chord);
        World3 *world = world3_open();
        world3_body(world, "log", true, sprag_vec3(0, 0, 0), turn_about(0, 1, 0, acos(-1) / 2));
        world3_body(world, "can", false, sprag_vec3(0, off, radius + half), turn_about(0, 0, 1, 0));
        world3_shape(world, 0, SPRAG_SHAPE_CYLINDER, 2, ends, radius);
        world3_shape(world, 1, SPRAG_SHAPE_CYLINDER, 2, low, radius);
        world3_build(world);
        world3_refresh(world, 1);
        int slots[8];
        // over the middle of its chord the rim is (chord²/(2 r))²/(2 r) above the side
        double over = pow(chord, 4) / (8 * pow(radius, 3));
        double tolerance = sprag_collider_tolerance(world->collider);
        int found = world3_closed(world, fmax(over, tolerance) * 1.01, slots, 8);
        assert_int_equal(found, over < tolerance ? 1 : 2);
        for (int i = 0; i < found; i++)
            assert_close(world3_gap(world, slots[i]).gap, 0,
                         1e-15 + (found == 1 ? over * 1.01 : 0));
        world3_close(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rims_along_each_other),
        cmocka_unit_test(test_rims_in_a_valley),
        cmocka_unit_test(test_rims_on_one_side),
        cmocka_unit_test(test_mark_beyond_the_far_end),
        cmocka_unit_test(test_edges_beside_a_touching_edge),
        cmocka_unit_test(test_corner_near_a_rim),
        cmocka_unit_test(test_capsule_on_a_rim),
        cmocka_unit_test(test_side_across_a_rim),
        cmocka_unit_test(test_held_places),
        cmocka_unit_test(test_places_come_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

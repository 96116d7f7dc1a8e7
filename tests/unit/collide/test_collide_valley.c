// A corner that has sunk in below a valley of a surface, where its feet lie beyond the ends of both
// sides: it is behind both of them, by its height over their planes, as in the plane.
#include "world3.h"

enum { SIDES = 4 };

// Sides around the lowest point (0, 0, 0) of a pit: z = slope |x| where |x| > |y|, else slope |y|.
// A valley is two of them with their fold along y, drawn by the same points.
static int add_pit(World3 *world, double slope, bool fold)
{
    const double a = 2, h = slope * a;
    SpragVec3 pit[] = {{0, 0, 0}, {a, -a, h}, {a, a, h}, {-a, a, h}, {-a, -a, h}};
    SpragVec3 valley[] = {{0, -a, 0}, {0, a, 0}, {a, -a, h}, {a, a, h}, {-a, a, h}, {-a, -a, h}};
    const int pit_sides[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1};
    const int valley_sides[] = {0, 2, 3, 0, 3, 1, 0, 1, 4, 0, 4, 5};
    SpragQuaternion upright = {1, 0, 0, 0};
    int ground = world3_body(world, "ground", true, sprag_vec3(0, 0, 0), upright);
    SpragSurface *surface;
    assert_ok(world->context,
              sprag_surface_create(world->context, fold ? 6 : 5, fold ? valley : pit, SIDES,
                                   fold ? valley_sides : pit_sides, &surface));
    SpragShape shape = {
        .kind = SPRAG_SHAPE_FIELD, .body = ground, .material = -1, .surface = surface};
    assert_ok(world->context, sprag_model_add_shape(world->model, &shape, NULL));
    sprag_surface_destroy(world->context, surface);
    return ground;
}

// A cube on its corner, which is at p.
static World3 *sink(double slope, bool fold, SpragVec3 p)
{
    const double size = 0.2, up = size * sqrt(3) / 2;
    World3 *world = world3_open();
    add_pit(world, slope, fold);
    // about (1, −1, 0) the diagonal (1, 1, 1) turns up: by the angle to z, cos = 1/√3
    SpragQuaternion turn = turn_about(1 / sqrt(2), -1 / sqrt(2), 0, -acos(1 / sqrt(3)));
    int box = world3_body(world, "box", false, sprag_vec3(p.x, p.y, p.z + up), turn);
    world3_box(world, box, size, size, size);
    world3_build(world);
    world3_refresh(world, 0.01);
    return world;
}

// How many contacts have this gap and the normal (x, y, ·).
static int count_contacts(const World3 *world, double gap, double x, double y)
{
    int count = 0;
    for (int slot = 0; slot < sprag_collider_slot_count(world->collider); slot++) {
        SpragSpaceGap now = world3_gap(world, slot);
        // heights are differences of numbers of about 1: some roundings
        count += fabs(now.gap - gap) < 1e-14 && fabs(now.normal.x - x) < 1e-14 &&
                 fabs(now.normal.y - y) < 1e-14;
    }
    return count;
}

static void test_below_a_fold(void **state)
{
    (void)state;
    const double slope = 0.3, s = sin(atan(slope)), c = cos(atan(slope)), z = -1e-3;
    for (int i = -4; i <= 4; i++) {
        double x = 5e-5 * i;
        assert_true(fabs(x) < -z * slope); // its feet are beyond the fold
        World3 *world = sink(slope, true, sprag_vec3(x, 0.13, z));
        assert_int_equal(count_contacts(world, z * c - x * s, -s, 0), 1);
        assert_int_equal(count_contacts(world, z * c + x * s, s, 0), 1);
        world3_close(world);
    }
}

static void test_below_a_pit(void **state)
{
    (void)state;
    const double slope = 0.3, s = sin(atan(slope)), c = cos(atan(slope)), z = -1e-3;
    const double x = 1e-4, y = -5e-5;
    World3 *world = sink(slope, false, sprag_vec3(x, y, z));
    assert_int_equal(count_contacts(world, z * c - x * s, -s, 0), 1);
    assert_int_equal(count_contacts(world, z * c + x * s, s, 0), 1);
    assert_int_equal(count_contacts(world, z * c - y * s, 0, -s), 1);
    assert_int_equal(count_contacts(world, z * c + y * s, 0, s), 1);
    world3_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_below_a_fold),
                                       cmocka_unit_test(test_below_a_pit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

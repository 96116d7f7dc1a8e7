// Contacts of balls as time stepping asks for them, beside what every contact is asked for; bodies
// with one moment about all axes.
#include <float.h>

#include "support/space_model.h"
#include "support/with_context.h"

enum { BALLS = 4, SIZE = 6 * (BALLS + 1), PLACES = 7 * (BALLS + 1) };

static const double even[6] = {0.02, 0.02, 0.02, 0, 0, 0};
static const double odd[6] = {0.031, 0.043, 0.052, 0.004, 0.002, -0.006};

// Balls, one off its centre of mass, and a box, on a tilted plane beside one that moves as a belt.
static SpragModel *balls_model(void)
{
    SpragModel *model = space_model(context);
    int floor = space_body(model, "floor", 0, NULL, sprag_vec3(0, 0, 0), space_no_turn());
    SpragShape plane = {.kind = SPRAG_SHAPE_PLANE,
                        .body = floor,
                        .normal = sprag_vec3_unit(sprag_vec3(0.2, -0.1, 1)),
                        .offset = -0.3};
    assert_ok(context, sprag_model_add_shape(model, &plane, NULL));
    plane.normal = sprag_vec3(1, 0, 0);
    plane.has_surface_velocity = true;
    plane.surface_velocity[1] = -0.2;
    assert_ok(context, sprag_model_add_shape(model, &plane, NULL));
    for (int i = 0; i < BALLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        SpragVec3 at = sprag_vec3(0.5 + 0.65 * i, 0.1 * i, 0.6);
        int ball = space_body(model, name, 0.5 + i, i ? even : odd, at, space_no_turn());
        space_sphere(model, ball, i ? sprag_vec3(0, 0, 0) : sprag_vec3(0.05, -0.02, 0.04), 0.3);
    }
    int box = space_body(model, "box", 2.5, odd, sprag_vec3(0.9, 1.5, 1.2), space_no_turn());
    space_box(model, box, 1, 0.8, 0.6);
    return model;
}

// Numbers of order one; each is a sum of some ten products.
static void compare(const SpragContactBlock *mine, const SpragContactBlock *known)
{
    const double rounding = 50 * DBL_EPSILON;
    assert_close(mine->gap, known->gap, rounding);
    assert_close(mine->gap_rate, known->gap_rate, 10 * rounding); // speeds of up to some ten
    assert_memory_equal(mine->friction, known->friction, sizeof mine->friction);
    assert_memory_equal(mine->body, known->body, sizeof mine->body);
    for (int r = 0; r < 3; r++) {
        if (r > 0)
            assert_close(mine->slip[r - 1], known->slip[r - 1], 10 * rounding);
        assert_true(mine->drift[r] == known->drift[r]);
        for (int side = 0; side < 2; side++)
            for (int k = 0; mine->body[side] >= 0 && k < 6; k++)
                assert_close(mine->rows[side][r][k], known->rows[side][r][k], rounding);
    }
}

static void blocks_are_the_same(void **state)
{
    (void)state;
    SpragModel *model = balls_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    sprag_random_init(&random, 5);
    int round = 0, others = 0;
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[PLACES], v[SIZE];
        space_state(system, &random, q, v);
        assert_ok(context, sprag_system_set_state(system, 0, q, v));
        for (int i = 0; i < sprag_system_contact_count(system); i++) {
            SpragBallContact ball;
            SpragContactBlock mine = {0}, known = {0};
            if (!sprag_system_ball_contact(system, i, &ball)) {
                others++;
                continue;
            }
            bool near = sprag_system_contact_block(system, i, 0.4, &known);
            assert_true(sprag_system_ball_block(system, &ball, 0.4, &mine) == near);
            if (near)
                compare(&mine, &known);
            round += near;
        }
    }
    assert_true(round > 50 && others > 50);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// Centres that coincide have no normal of their own: the general way finds one.
static void one_place(void **state)
{
    (void)state;
    SpragModel *model = balls_model();
    SpragSystem *system = space_system(model);
    double q[PLACES], v[SIZE];
    sprag_system_initial(system, q, v);
    memcpy(q + 14, q + 7, 3 * sizeof *q);
    assert_ok(context, sprag_system_set_state(system, 0, q, v));
    for (int i = 0; i < sprag_system_contact_count(system); i++) {
        SpragBallContact ball;
        SpragContactBlock mine = {0}, known = {0};
        if (!sprag_system_ball_contact(system, i, &ball) || ball.block[0] + ball.block[1] != 3)
            continue;
        bool near = sprag_system_contact_block(system, i, INFINITY, &known);
        assert_true(sprag_system_ball_block(system, &ball, INFINITY, &mine) == near);
        compare(&mine, &known);
    }
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

// A ball keeps its spin however it lies: not to rounding, but its bytes.
static void balls_spin_on(void **state)
{
    (void)state;
    SpragModel *model = balls_model();
    SpragSystem *system = space_system(model);
    SpragRandom random;
    sprag_random_init(&random, 6);
    double q[PLACES], v[SIZE], after[SIZE], mean[SIZE], inverse[36];
    space_state(system, &random, q, v);
    assert_ok(context, sprag_system_free_step(system, 0, 0.01, 0.5, q, v, after, mean));
    for (int i = 1; i < BALLS; i++) {
        assert_memory_equal(after + 6 * i + 3, v + 6 * i + 3, 3 * sizeof *v);
        assert_memory_equal(mean + 6 * i + 3, v + 6 * i + 3, 3 * sizeof *v);
        sprag_system_inertia_block(system, i, inverse);
        for (int k = 21; k < 36; k++) {
            bool diagonal = k % 7 == 0, angular = k % 6 > 2;
            if (angular)
                assert_true(inverse[k] == (diagonal ? 1 / even[0] : 0));
        }
    }
    // the first one has three moments, and does not
    assert_true(memcmp(after + 3, v + 3, 3 * sizeof *v) != 0 ||
                memcmp(mean + 3, v + 3, 3 * sizeof *v) != 0);
    sprag_system_destroy(system);
    sprag_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_same),
        cmocka_unit_test(one_place),
        cmocka_unit_test(balls_spin_on),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

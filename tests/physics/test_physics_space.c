// Bodies in space in motion, against what is known in closed form.
#include "space.h"

// ---- The sphere that comes to roll, theory.md (13.11) -------------------------------------------

// Thrown along a direction of the plane without spin: rolls after 2 v0/(7 μ g) at 5 v0/7, having
// gone 12 v0²/(49 μ g).
static void sphere_comes_to_roll(void **state)
{
    (void)state;
    const double g = 9.81, mu = 0.3, R = 0.1, m = 2, v0 = 1.7, I = 0.4 * m * R * R;
    for (int k = 0; k < 5; k++) {
        double angle = 0.3 + 1.3 * k;
        Space s;
        space_begin(&s, 0, 0, -g);
        int floor = space_fixed(&s, "floor");
        space_plane(&s, floor, sprag_vec3(0, 0, 1));
        SpragBody ball = space_body("ball", m, I, I, I);
        ball.position[2] = R;
        ball.velocity[0] = v0 * cos(angle);
        ball.velocity[1] = v0 * sin(angle);
        space_sphere(&s, space_add(&s, &ball), R);
        space_rule(&s, mu, 0, SPRAG_RESTITUTION_ENERGETIC);
        double t_roll = 2 * v0 / (7 * mu * g);
        space_go(&s, SPRAG_MOTION_EVENTS, 2 * t_roll, 1e-10);
        assert_int_equal(s.r.outcome, SPRAG_RUN_DONE);
        int stick = test_run_event(&s.r, SPRAG_EVENT_STICK, 0);
        assert_true(stick >= 0);
        assert_close(s.r.events[stick].t, t_roll, 1e-8 * t_roll);
        const double *q = sprag_run_position(s.r.run), *v = sprag_run_velocity(s.r.run);
        assert_close(v[0], 5.0 / 7 * v0 * cos(angle), 1e-8);
        assert_close(v[1], 5.0 / 7 * v0 * sin(angle), 1e-8);
        double way = 12 * v0 * v0 / (49 * mu * g) + 5.0 / 7 * v0 * t_roll;
        assert_close(q[0], way * cos(angle), 1e-8);
        assert_close(q[1], way * sin(angle), 1e-8);
        assert_close(q[2], R, 1e-12);
        // rolls: ω = n × v / R
        assert_close(v[3], -v[1] / R, 1e-7);
        assert_close(v[4], v[0] / R, 1e-7);
        physics_assert_account(&s.r, 1e-10);
        space_close(&s);
    }
}

// With side spin the slip turns: in the plane of motion the contact point's slip decelerates along
// its own fixed direction (sphere: d(v_T)/dt = −(7/2) μ g d), so the path of the centre is a
// parabola, and the end is v0 − (2/7) s0, s0 the first slip.
static void sphere_with_side_spin(void **state)
{
    (void)state;
    const double g = 9.81, mu = 0.2, R = 0.05, m = 0.3, I = 0.4 * m * R * R;
    Space s;
    space_begin(&s, 0, 0, -g);
    space_plane(&s, space_fixed(&s, "floor"), sprag_vec3(0, 0, 1));
    SpragBody ball = space_body("ball", m, I, I, I);
    ball.position[2] = R;
    ball.velocity[0] = 2;
    ball.angular[0] = 30; // slip across the motion
    ball.angular[1] = 5;
    ball.angular[2] = 12; // no effect: there is no drilling friction
    space_sphere(&s, space_add(&s, &ball), R);
    space_rule(&s, mu, 0, SPRAG_RESTITUTION_ENERGETIC);
    // slip v + ω × r, r = (0, 0, −R)
    double sx = ball.velocity[0] - ball.angular[1] * R, sy = ball.angular[0] * R;
    double size = hypot(sx, sy), t_roll = 2 * size / (7 * mu * g);
    space_go(&s, SPRAG_MOTION_EVENTS, 1.5 * t_roll, 1e-10);
    assert_int_equal(s.r.outcome, SPRAG_RUN_DONE);
    int stick = test_run_event(&s.r, SPRAG_EVENT_STICK, 0);
    assert_true(stick >= 0);
    assert_close(s.r.events[stick].t, t_roll, 1e-8 * t_roll);
    const double *v = sprag_run_velocity(s.r.run);
    assert_close(v[0], 2 - 2.0 / 7 * sx, 1e-8);
    assert_close(v[1], -2.0 / 7 * sy, 1e-8);
    assert_close(v[5], 12, 1e-9);
    physics_assert_account(&s.r, 1e-10);
    space_close(&s);
}

// ---- A block on an incline ----------------------------------------------------------------------

// A box on an incline of slope β, gravity tilted instead; a load along the surface in a heading.
static void make_block(Space *s, double beta, double mu)
{
    const double g = 9.81;
    space_begin(s, g * sin(beta), 0, -g * cos(beta));
    space_plane(s, space_fixed(s, "floor"), sprag_vec3(0, 0, 1));
    SpragBody box = space_body("box", 2, 0.03, 0.04, 0.05);
    box.position[2] = 0.05;
    space_box(s, space_add(s, &box), 0.4, 0.3, 0.1);
    space_rule(s, mu, 0, SPRAG_RESTITUTION_ENERGETIC);
}

// Rests flat for 100 s.
static void box_rests_flat(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Space s;
        make_block(&s, k * 0.2, 0.5);
        space_go(&s, k ? SPRAG_MOTION_AUTO : SPRAG_MOTION_EVENTS, 100, 1e-9);
        assert_int_equal(s.r.outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(s.r.run);
        assert_close(q[0], 0, 1e-12);
        assert_close(q[1], 0, 1e-12);
        assert_close(q[2], 0.05, 1e-12);
        for (int i = 4; i < 7; i++)
            assert_close(q[i], 0, 1e-12);
        space_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_comes_to_roll),
        cmocka_unit_test(sphere_with_side_spin),
        cmocka_unit_test(box_rests_flat),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

// Laws that every run must obey: momentum along a smooth floor, reversal in time, mirror images,
// and symmetry that is kept.
#include "physics.h"

enum { SCENES = 4 };

// Smooth scenes without collisions in the first 0.3 s.
static void open_smooth(TestRun *r, int scene, double until)
{
    static const char *const bodies[SCENES] = {
        PHYSICS_FLOOR "  - {name: rod, mass: 0.5, angle: 65 deg, spin: 0.4, velocity: [0.3, 0],\n"
                      "     shapes: [{rod: {length: 1}}]}\n"
                      "contacts: [{name: tip, between: [rod.a, floor], friction: 0}]\n"
                      "start: [{contact: tip}]\n",
        PHYSICS_FLOOR "  - {name: disc, mass: 1.2, inertia: 0.01, angle: 2, velocity: [0.7, 0],\n"
                      "     shapes: [{circle: {radius: 0.15}, at: [0, 0.06]}]}\n"
                      "contacts: [{name: rim, between: [disc, floor], friction: 0}]\n"
                      "start: [{contact: rim}]\n",
        PHYSICS_FLOOR "  - {name: box, mass: 2, position: [0, 0.1], velocity: [1, 0],\n"
                      "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                      "contacts: [{between: [box, floor], friction: 0}]\n",
        PHYSICS_FLOOR "  - {name: wall, fixed: true, shapes: [{plane: {normal: [1, 0]}}]}\n"
                      "  - {name: ladder, mass: 3, angle: 120 deg,\n"
                      "     position: [0.5, sin(60 deg)], shapes: [{rod: {length: 2}}]}\n"
                      "contacts: [{between: [\"*\", \"*\"], friction: 0}]\n"};
    physics_open(r, "sprag: 1\nbodies:\n%s", bodies[scene]);
    test_run_go(r, until, 1e-11);
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
}

static void test_momentum(void **state)
{
    (void)state;
    for (int scene = 0; scene < SCENES - 1; scene++) { // the ladder's wall pushes
        TestRun r;
        double q[3], v[3];
        open_smooth(&r, scene, scene == 1 ? 5 : 0.3);
        sprag_system_initial(r.system, q, v);
        const SpragRunSample *end = sprag_run_sample(r.run);
        assert_close(end->v[0], v[0], 1e-11);
        assert_close(end->q[0], q[0] + v[0] * end->t, 1e-10);
        assert_close(end->energy.friction, 0, 0);
        physics_assert_account(&r, 1e-11);
        test_run_close(&r);
    }
}

// Forward, velocities turned round, and the same time again: the initial state with opposite
// velocities. Errors of both ways add up, and the error of the way out is carried back.
static void test_reversal(void **state)
{
    (void)state;
    for (int scene = 0; scene < SCENES; scene++) {
        TestRun r;
        double q0[3], v0[3], q[3], v[3];
        open_smooth(&r, scene, 0.3);
        assert_int_equal(r.event_count, 0);
        sprag_system_initial(r.system, q0, v0);
        for (int i = 0; i < 3; i++) {
            q[i] = sprag_run_position(r.run)[i];
            v[i] = -sprag_run_velocity(r.run)[i];
        }
        r.last_t = -INFINITY;
        assert_ok(context, sprag_run_restart(r.run, 0, q, v));
        assert_ok(context, sprag_run_advance(r.run, 0.3, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        for (int i = 0; i < 3; i++) {
            assert_close(sprag_run_position(r.run)[i], q0[i], 1e-9);
            assert_close(sprag_run_velocity(r.run)[i], -v0[i], 1e-8);
        }
        test_run_close(&r);
    }
}

// ---- Mirror images ------------------------------------------------------------------------------

static void open_rod(TestRun *r, int sign, double theta, double mu, double spin, double slip)
{
    physics_open(r,
                 "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: rod, mass: 0.7, angle: %.17g, spin: %.17g,\n"
                 "     shapes: [{rod: {length: 1}}]}\n"
                 "contacts: [{name: tip, between: [rod.a, floor]}]\n"
                 "start: [{contact: tip, slip: %.17g}]\n",
                 mu, sign > 0 ? theta : PHYSICS_PI - theta, sign * spin, sign * slip);
}

static void open_disc(TestRun *r, int sign, double angle, double mu, double spin, double vx)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: disc, mass: 1.2, inertia: 0.01, angle: %.17g, spin: %.17g,\n"
                 "     velocity: [%.17g, 0], shapes: [{circle: {radius: 0.15}, at: [0, 0.06]}]}\n"
                 "contacts: [{name: rim, between: [disc, floor], friction: %.17g}]\n"
                 "start: [{contact: rim}]\n",
                 sign * angle, sign * spin, sign * vx, mu);
}

static void compare_mirrored(TestRun *a, TestRun *b, double until)
{
    // angles of the two are θ and π − θ: steps differ, so errors do
    test_run_go(a, until, 1e-12);
    test_run_go(b, until, 1e-12);
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->event_count, b->event_count);
    for (int i = 0; i < a->event_count; i++) {
        assert_int_equal(a->events[i].type, b->events[i].type);
        assert_int_equal(a->events[i].contact, b->events[i].contact);
        assert_close(a->events[i].t, b->events[i].t, 1e-10);
    }
    const double *u = sprag_run_velocity(a->run), *w = sprag_run_velocity(b->run);
    assert_close(u[0], -w[0], 1e-8);
    assert_close(u[1], w[1], 1e-8);
    assert_close(u[2], -w[2], 1e-7);
    test_run_close(a);
    test_run_close(b);
}

static void test_mirror(void **state)
{
    (void)state;
    SpragRandom random;
    int events = 0;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(12); draw++) {
        TestRun a, b;
        double angle = sprag_random_uniform(&random, 0.3, 1.4);
        double mu = sprag_random_uniform(&random, 0.05, 0.9);
        double spin = sprag_random_uniform(&random, -2, 2);
        double speed = sprag_random_uniform(&random, -1, 1);
        open_rod(&a, 1, angle, mu, spin, speed);
        open_rod(&b, -1, angle, mu, spin, speed);
        compare_mirrored(&a, &b, 0.7);
        open_disc(&a, 1, angle, 0.3 * mu, spin, speed);
        open_disc(&b, -1, angle, 0.3 * mu, spin, speed);
        compare_mirrored(&a, &b, 1.5);
        events += a.event_count;
    }
    assert_true(events > 5);
}

// ---- Symmetry that is kept ----------------------------------------------------------------------

// A tower of three boxes in space that rocks back onto the floor about its rear edge, its upper
// boxes slipping: nothing tells left from right, but compressions of corners end one rounding after
// the other, and what plastic ones lose there presses on one side alone if they are taken one by
// one. Impulses are known to 1e-8 of the speeds, which are below 1 m/s.
static void test_towers_fall_straight(void **state)
{
    static const struct {
        double mu, spin, at[3], slip[3];
    } towers[] = {{0.53, -0.259, {-0.012, -0.013, -0.015}, {0, 0.061, 0.127}},
                  {0.49, -0.263, {0.029, 0.005, 0.006}, {0, 0.081, 0.099}}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        TestRun r;
        char bodies[1200];
        int length = 0;
        for (int k = 0; k < 3; k++)
            length += snprintf(bodies + length, sizeof bodies - (size_t)length,
                               "  - {name: b%d, mass: 25, position: [%.17g, 0, %.17g],\n"
                               "     velocity: [%.17g, 0, %.17g], spin: [0, %.17g, 0],\n"
                               "     shapes: [{box: {size: [1, 0.5, 0.5]}}]}\n",
                               k, towers[i].at[k], 0.25 + 0.5 * k,
                               towers[i].spin * (0.25 + 0.5 * k) + towers[i].slip[k],
                               -towers[i].spin * (towers[i].at[k] - 0.5), towers[i].spin);
        physics_open(&r,
                     "sprag: 1\ndimension: 3\nmaterials: {default: {friction: %.17g}}\n"
                     "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n%s",
                     towers[i].mu, bodies);
        test_run_go(&r, 1e-9, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(test_run_event(&r, SPRAG_EVENT_IMPACT, 0) >= 0);
        const double *v = sprag_run_velocity(r.run);
        for (int k = 0; k < 3; k++) {
            assert_close(v[6 * k + 1], 0, 1e-8);
            assert_close(v[6 * k + 3], 0, 1e-8);
            assert_close(v[6 * k + 5], 0, 1e-8);
        }
        test_run_close(&r);
    }
}

enum { TOWER = 4 };

// A tower that is tilted by a little about the right edge of its lowest box and turns about it,
// each box with a slip against what is below; in the plane or in space, where it also turns across
// by the size of an error.
static void open_rocking(TestRun *r, int dimension, double across)
{
    static const double at[TOWER] = {0, 0.01, 0.02, 0}, slip[TOWER] = {0, 3.4e-3, 3.8e-3, 4.2e-3};
    const double tilt = 5e-6, spin = 0.0103;
    char bodies[2000];
    int length = 0;
    for (int k = 0; k < TOWER; k++) {
        double x = at[k] - 0.5, z = 0.25 + 0.5 * k;
        double X = x * cos(tilt) + z * sin(tilt), Z = z * cos(tilt) - x * sin(tilt);
        double vx = spin * Z + slip[k], vz = -spin * X;
        const char *plane = "  - {name: b%d, mass: 25, inertia: 2.6, position: [%.17g, %.17g],\n"
                            "     angle: %.17g, velocity: [%.17g, %.17g], spin: %.17g,\n"
                            "     shapes: [{box: {size: [1, 0.5]}}]}\n";
        const char *space = "  - {name: b%d, mass: 25, inertia: [1, 2.6, 2.6],\n"
                            "     position: [%.17g, 0, %.17g],\n"
                            "     orientation: {axis: [0, -1, 0], angle: %.17g},\n"
                            "     velocity: [%.17g, 0, %.17g], spin: [0, %.17g, %.17g],\n"
                            "     shapes: [{box: {size: [1, 0.5, 0.5]}}]}\n";
        length += snprintf(bodies + length, sizeof bodies - (size_t)length,
                           dimension == 2 ? plane : space, k, X, Z, -tilt, vx, vz,
                           dimension == 2 ? -spin : spin, across);
    }
    physics_open(r,
                 "sprag: 1\ndimension: %d\nmaterials: {default: {friction: 0.5}}\n"
                 "bodies:\n  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n%s",
                 dimension, bodies);
}

// Where slips end in space, errors across them turn them; the tower had no motion there, or another
// one. In the plane there is nothing across. Slips end within 30 tolerances of slip, which are some
// 1e-9 m/s.
static void compare_rocking(double across)
{
    TestRun plane, space;
    open_rocking(&plane, 2, 0);
    open_rocking(&space, 3, across);
    test_run_go(&plane, 2e-3, 1e-9);
    test_run_go(&space, 2e-3, 1e-9);
    assert_int_equal(plane.outcome, SPRAG_RUN_DONE);
    assert_int_equal(space.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&plane, SPRAG_EVENT_STICK, 0) >= 0);
    assert_true(test_run_event(&space, SPRAG_EVENT_STICK, 0) >= 0);
    for (int k = 0; k < TOWER; k++) {
        const double *v = sprag_run_velocity(plane.run) + 3 * k;
        const double *u = sprag_run_velocity(space.run) + 6 * k;
        assert_close(u[0], v[0], 2e-7);
        assert_close(u[1], 0, 2e-7);
        assert_close(u[2], v[1], 2e-7);
    }
    test_run_close(&plane);
    test_run_close(&space);
}

static void test_slips_end_straight(void **state)
{
    (void)state;
    compare_rocking(1e-11);
    compare_rocking(1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_mirror), cmocka_unit_test(test_towers_fall_straight),
        cmocka_unit_test(test_slips_end_straight)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

// Rolling in space: Euler's disk in steady precession, a ball that swings in a bowl and one that
// circles in it.
#include "physics.h"

static void go(TestRun *r, double until, double tolerance)
{
    test_run_go(r, until, tolerance);
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
    physics_assert_account(r, 1e-8);
}

// A thin disk of radius R whose plane makes the angle α with the table precesses steadily about a
// resting centre at Ω² = 4 g/(R sin α): its spin Ω sin α lies along the diameter through the
// contact, and the moment m g R cos α turns it. A thickness of 1e-7 R changes this by as much.
static void euler_disk(void **state)
{
    (void)state;
    static const double angles[] = {0.1, 0.5, 1.1};
    for (int i = 0; i < 3; i++) {
        double R = 0.1, m = 1, alpha = angles[i], thin = 1e-7 * R, g = PHYSICS_GRAVITY;
        double omega = sqrt(4 * g / (R * sin(alpha))) * sin(alpha);
        double h = R * sin(alpha) + 0.5 * thin * cos(alpha);
        TestRun r;
        physics_open(&r,
                     "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 2}}\nbodies:\n"
                     "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                     "  - {name: disk, mass: %.17g, inertia: [%.17g, %.17g, %.17g],\n"
                     "     position: [0, 0, %.17g], orientation: {axis: [0, 1, 0], angle: %.17g},\n"
                     "     spin: [%.17g, 0, %.17g],\n"
                     "     shapes: [{cylinder: {radius: %.17g, length: %.17g}}]}\n",
                     m, m * R * R / 4, m * R * R / 4, m * R * R / 2, h, alpha, omega * cos(alpha),
                     -omega * sin(alpha), R, thin);
        // some turns; small departures swing about the steady motion and do not grow
        go(&r, 10 * 2 * PHYSICS_PI * sin(alpha) / omega, 1e-11);
        const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
        assert_close(q[0], 0, 1e-6 * R);
        assert_close(q[1], 0, 1e-6 * R);
        assert_close(q[2], h, 1e-6 * R);
        assert_close(hypot(hypot(v[3], v[4]), v[5]), omega, 1e-5 * omega);
        // ten whole turns of the precession bring the contact back
        assert_close(v[3], omega * cos(alpha), 1e-4 * omega);
        assert_close(v[5], -omega * sin(alpha), 1e-4 * omega);
        test_run_close(&r);
    }
}

static void open_bowl(TestRun *r, double x, double z, double vy, double wx, double wz)
{
    physics_open(
        r,
        "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 1}}\nbodies:\n"
        "  - {name: bowl, fixed: true, shapes: [{sphere: {radius: 1}, inside: true}]}\n"
        "  - {name: ball, mass: 0.3, position: [%.17g, 0, %.17g], velocity: [0, %.17g, 0],\n"
        "     spin: [%.17g, 0, %.17g], shapes: [{sphere: {radius: 0.1}}]}\n",
        x, z, vy, wx, wz);
}

// A ball that rolls without slip in a bowl swings like a pendulum of length 7/5 (R − r).
static void ball_in_bowl(void **state)
{
    (void)state;
    double rho = 0.9, theta = 0.4, length = 1.4 * rho;
    TestRun r;
    open_bowl(&r, rho * sin(theta), -rho * cos(theta), 0, 0, 0);
    // a quarter period of the pendulum by the arithmetic-geometric mean: T/4 = π/2 / agm(1, cos
    // θ/2)
    double a = 1, b = cos(theta / 2);
    for (int i = 0; i < 8; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    go(&r, PHYSICS_PI / 2 / a * sqrt(length / PHYSICS_GRAVITY), 1e-11);
    const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
    assert_close(q[0], 0, 1e-8);
    assert_close(q[2], -rho, 1e-8);
    double speed = sqrt(2 * PHYSICS_GRAVITY * rho * (1 - cos(theta)) / 1.4);
    assert_close(v[0], -speed, 1e-8);
    assert_close(v[4], -speed / 0.1, 1e-6); // rolls over what is below
    test_run_close(&r);
}

// It can also circle at one height. Rolling without a spin about the normal needs
// (7/5) v² = g ρ sin θ tan θ: gravity and normal force give the centripetal force, friction the
// moment that turns the spin, 2/5 of it.
static void ball_circles(void **state)
{
    (void)state;
    double rho = 0.9, theta = 0.7, radius = rho * sin(theta), rb = 0.1;
    double v = sqrt(PHYSICS_GRAVITY * radius * tan(theta) / 1.4);
    // contact at the direction d = (sin θ, 0, −cos θ) from the ball: 0 = v + ω × r d
    SpragVec3 d = {sin(theta), 0, -cos(theta)}, velocity = {0, v, 0};
    SpragVec3 spin = sprag_vec3_scale(-1 / rb, sprag_vec3_cross(d, velocity));
    TestRun r;
    open_bowl(&r, radius, -rho * cos(theta), v, spin.x, spin.z);
    go(&r, 2 * PHYSICS_PI * radius / v, 1e-11);
    const double *q = sprag_run_position(r.run), *u = sprag_run_velocity(r.run);
    assert_close(q[2], -rho * cos(theta), 1e-7);
    assert_close(hypot(q[0], q[1]), radius, 1e-7);
    assert_close(q[1], 0, 1e-6);
    assert_close(u[1], v, 1e-6);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_disk),
        cmocka_unit_test(ball_in_bowl),
        cmocka_unit_test(ball_circles),
    };
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

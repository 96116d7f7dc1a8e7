// Springs: oscillators, and a mass on a belt that sticks and slips.
#include "physics.h"

static const double M = 0.8, K = 50;

// A block of mass M without friction on the floor, held by a spring of free length 1 and stiffness
// K to a wall far enough that its line stays horizontal.
static void open_oscillator(TestRun *r, double x0, double damping)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: block, mass: %.17g, inertia: 0.01, position: [%.17g, 0.05],\n"
                 "     shapes: [{box: {size: [0.2, 0.1]}}]}\n"
                 "contacts: [{between: [block, floor], friction: 0}]\n"
                 "joints: [{name: spring, type: distance, between: [world, block.com],\n"
                 "          at: [-1, 0.05], length: 1, spring: {stiffness: %.17g,\n"
                 "          damping: %.17g}}]\n",
                 M, x0, K, damping);
}

static void test_oscillator(void **state)
{
    (void)state;
    double period = 2 * PHYSICS_PI * sqrt(M / K), x0 = 0.1;
    TestRun r;
    open_oscillator(&r, x0, 0);
    test_run_go(&r, 10 * period, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_int_equal(r.event_count, 0);
    assert_close(sprag_run_position(r.run)[0], x0, 1e-8);
    assert_close(sprag_run_velocity(r.run)[0], 0, 1e-7);
    const SpragEnergyAccount *e = &sprag_run_sample(r.run)->energy;
    assert_close(e->elastic + e->kinetic, 0.5 * K * x0 * x0, 1e-9);
    assert_close(e->friction, 0, 0);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// x = x0 e^(−δt) (cos ω t + (δ/ω) sin ω t) with δ = d/(2 m), ω² = k/m − δ².
static void test_damped(void **state)
{
    (void)state;
    double d = 2, x0 = 0.1, delta = d / (2 * M), omega = sqrt(K / M - delta * delta), t = 1.7;
    TestRun r;
    open_oscillator(&r, x0, d);
    test_run_go(&r, t, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double x = x0 * exp(-delta * t) * (cos(omega * t) + delta / omega * sin(omega * t));
    double v = -x0 * exp(-delta * t) * (delta * delta / omega + omega) * sin(omega * t);
    assert_close(sprag_run_position(r.run)[0], x, 1e-9);
    assert_close(sprag_run_velocity(r.run)[0], v, 1e-8);
    assert_close(sprag_run_sample(r.run)->energy.damping,
                 0.5 * K * (x0 * x0 - x * x) - 0.5 * M * v * v, 1e-9);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Stick and slip on a belt -------------------------------------------------------------------

// Closed form for a mass on a belt of speed V > 0, held by a spring: it sticks until the spring
// pulls with F_s = μ_s m g, at elongation x_s = F_s/k; then it slips with x'' = −ω² (x − x_k),
// x_k = μ_k m g/k, x(0) = x_s, x'(0) = V, until x' = V again. With a = x_s − x_k:
//     x' = V cos ωt − ω a sin ωt = V   ⇒   t_slip = (2π − 2 atan(ω a/V))/ω
// and it sticks again at x = x_k − a; then the belt carries it back over 2a: t_stick = 2a/V.
static void test_stick_slip(void **state)
{
    (void)state;
    static const struct {
        double V, mu_static, mu;
    } cases[] = {{0.1, 0.4, 0.25}, {0.5, 0.6, 0.2}, {-0.2, 0.5, 0.45}};
    for (int i = 0; i < 3; i++) {
        double V = fabs(cases[i].V), g = PHYSICS_GRAVITY, omega = sqrt(K / M);
        double a = (cases[i].mu_static - cases[i].mu) * M * g / K;
        double first = cases[i].mu_static * M * g / K / V;
        double slip = (2 * PHYSICS_PI - 2 * atan(omega * a / V)) / omega, stick = 2 * a / V;
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: belt, fixed: true, surface-velocity: [%.17g, 0],\n"
                     "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                     "  - {name: block, mass: %.17g, position: [0, 0.02], velocity: [%.17g, 0],\n"
                     "     shapes: [{box: {size: [0.4, 0.04]}}]}\n"
                     "contacts: [{name: foot, between: [block, belt],\n"
                     "            friction: {static: %.17g, kinetic: %.17g}}]\n"
                     "joints: [{type: distance, between: [world, block.com], at: [-2, 0.02],\n"
                     "          length: 2, spring: {stiffness: %.17g}}]\n",
                     cases[i].V, M, cases[i].V, cases[i].mu_static, cases[i].mu, K);
        test_run_go(&r, first + 4.5 * (slip + stick), 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        double starts[8], sticks[8];
        int start_count = 0, stick_count = 0;
        for (int j = 0; j < r.event_count; j++) {
            double t = r.events[j].t;
            if (r.events[j].type == SPRAG_EVENT_SLIP_START && start_count < 8 &&
                (start_count == 0 || t > starts[start_count - 1] + 1e-6))
                starts[start_count++] = t;
            if (r.events[j].type == SPRAG_EVENT_STICK && stick_count < 8 &&
                (stick_count == 0 || t > sticks[stick_count - 1] + 1e-6))
                sticks[stick_count++] = t;
        }
        assert_int_equal(start_count, 5);
        assert_int_equal(stick_count, 4);
        for (int j = 0; j < 4; j++) {
            double period = slip + stick;
            assert_close(starts[j], first + j * period, 1e-6);
            assert_close(sticks[j], first + slip + j * period, 1e-6);
            assert_close(starts[j + 1] - starts[j], period, 1e-6);
        }
        physics_assert_account(&r, 1e-10);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_oscillator),
                                       cmocka_unit_test(test_damped),
                                       cmocka_unit_test(test_stick_slip)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

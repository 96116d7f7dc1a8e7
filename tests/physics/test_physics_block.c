// Blocks: stopping on an incline, tipping against sliding, belts.
#include "physics.h"

enum { POINT, BOX };

// A body that slides down the slope of angle α at v0: a point mass, or a box of 0.2 × 0.1.
static void open_slider(TestRun *r, int shape, double alpha, double mu, double v0)
{
    double s = sin(alpha), c = cos(alpha), h = shape == BOX ? 0.05 : 0;
    physics_open(r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: slope, fixed: true, shapes: [{plane: {normal: [%.17g, %.17g]}}]}\n"
                 "  - {name: block, mass: 1.3, %s angle: %.17g, position: [%.17g, %.17g],\n"
                 "     velocity: [%.17g, %.17g], shapes: [{%s}]}\n"
                 "contacts: [{name: foot, between: [block, slope], friction: %.17g}]\n",
                 -s, c, shape == BOX ? "" : "inertia: 1e-3,", alpha, -h * s, h * c, -v0 * c,
                 -v0 * s, shape == BOX ? "box: {size: [0.2, 0.1]}" : "points: {p: [0, 0]}", mu);
}

// It stops after v0/(g (μ cos α − sin α)) and stays; 0.797464255741 s for 20°, 0.5, 1 m/s.
static void test_incline_stop(void **state)
{
    (void)state;
    static const struct {
        double alpha_deg, mu, v0;
    } cases[] = {{20, 0.5, 1}, {20, 0.37, 0.3}, {0, 0.1, 2}, {35, 0.9, 3}, {-10, 0.2, 1}};
    for (int shape = POINT; shape <= BOX; shape++)
        for (int i = 0; i < 5; i++) {
            double alpha = cases[i].alpha_deg * PHYSICS_PI / 180, mu = cases[i].mu;
            double v0 = cases[i].v0;
            double stop = v0 / (PHYSICS_GRAVITY * (mu * cos(alpha) - sin(alpha)));
            double way = 0.5 * v0 * stop;
            TestRun r;
            open_slider(&r, shape, alpha, mu, v0);
            double start[3], v[3];
            sprag_system_initial(r.system, start, v);
            test_run_go(&r, 2 * stop, 1e-9);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            int stick = test_run_event(&r, SPRAG_EVENT_STICK, 0);
            assert_true(stick >= 0);
            assert_close(r.events[stick].t, stop, 1e-9);
            if (i == 0)
                assert_close(r.events[stick].t, 0.797464255741, 1e-9);
            assert_int_equal(test_run_event(&r, SPRAG_EVENT_SLIP_START, 0), -1);
            assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
            const double *q = sprag_run_position(r.run), *u = sprag_run_velocity(r.run);
            assert_close(q[0] - start[0], -way * cos(alpha), 1e-9);
            assert_close(q[1] - start[1], -way * sin(alpha), 1e-9);
            for (int k = 0; k < 3; k++)
                assert_close(u[k], 0, 1e-12);
            physics_assert_account(&r, 1e-9);
            assert_close(sprag_run_sample(r.run)->energy.friction,
                         1.3 * PHYSICS_GRAVITY * mu * cos(alpha) * way, 1e-8);
            test_run_close(&r);
        }
}

// Below the threshold of friction it goes on and on.
static void test_incline_slides(void **state)
{
    (void)state;
    for (int shape = POINT; shape <= BOX; shape++) {
        double alpha = 0.4, mu = 0.999 * tan(alpha), a = PHYSICS_GRAVITY * 1e-3 * sin(alpha);
        TestRun r;
        open_slider(&r, shape, alpha, mu, 0);
        test_run_go(&r, 5, 1e-9);
        assert_int_equal(r.event_count, 0);
        const double *u = sprag_run_velocity(r.run);
        assert_close(hypot(u[0], u[1]), 5 * a, 1e-8);
        test_run_close(&r);
        open_slider(&r, shape, alpha, mu, -1); // thrown uphill: it stops, then slides back
        test_run_go(&r, 1, 1e-9);
        double stop = 1 / (PHYSICS_GRAVITY * (mu * cos(alpha) + sin(alpha)));
        int reversal = test_run_event(&r, SPRAG_EVENT_SLIP_REVERSAL, 0);
        assert_true(reversal >= 0);
        assert_close(r.events[reversal].t, stop, 1e-9);
        u = sprag_run_velocity(r.run);
        assert_close(-u[0] * cos(alpha) - u[1] * sin(alpha), a * (1 - stop), 1e-9);
        test_run_close(&r);
    }
}

// ---- Tipping or sliding -------------------------------------------------------------------------

// A box of width 2a and mass-centre height h slides to +x: forces of the feet are
// (m g/2)(1 ∓ μ h/a), theory.md (8.2); beyond μ h = a it turns over its front corner.
static void open_sliding_box(TestRun *r, double a, double h, double mu)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: box, mass: 2, position: [0, %.17g], velocity: [5, 0],\n"
                 "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
                 "contacts: [{name: foot, between: [box, floor], friction: %.17g}]\n",
                 h, 2 * a, 2 * h, mu);
}

static void test_tipping(void **state)
{
    (void)state;
    double a = 0.1, m = 2;
    for (int i = 0; i < 6; i++) {
        static const double parts[] = {0.2, 0.7, 0.999, 1.001, 1.3, 2};
        double h = 0.25, mu = parts[i] * a / h, I = m / 12 * 4 * (a * a + h * h);
        TestRun r;
        open_sliding_box(&r, a, h, mu);
        test_run_go(&r, 1e-3, 1e-11);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const SpragRunSample *sample = sprag_run_sample(r.run);
        double front = 0, rear = 0;
        int open = 0;
        for (int slot = 0; slot < 4; slot++) {
            const SpragRunContact *k = &sample->contacts[slot];
            open += k->mode == SPRAG_MODE_SEPARATE;
            front = fmax(front, k->normal);
            rear = k->normal > 0 ? fmin(rear > 0 ? rear : INFINITY, k->normal) : rear;
        }
        if (parts[i] < 1) {
            assert_int_equal(open, 2);
            assert_close(front, 0.5 * m * PHYSICS_GRAVITY * (1 + mu * h / a), 1e-8);
            assert_close(rear, 0.5 * m * PHYSICS_GRAVITY * (1 - mu * h / a), 1e-8);
            assert_close(sample->v[2], 0, 1e-12);
        } else {
            // only the front corner (a, −h) stays: λ (1/m + a (a − μ h)/I) = g, ω' = λ (a − μ h)/I
            double lambda = PHYSICS_GRAVITY / (1 / m + a * (a - mu * h) / I);
            double alpha = lambda * (a - mu * h) / I;
            assert_int_equal(open, 3);
            assert_close(sample->v[2] / 1e-3, alpha, 2e-3 * fabs(alpha) + 1e-9);
        }
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// ---- Belts --------------------------------------------------------------------------------------

// Dragged by μ g until it has the belt's speed, at V/(μ g); then it moves with it. The belt's
// account: it gives μ m g V t = m V², half of it to the box and half to friction.
static void test_belt(void **state)
{
    (void)state;
    for (int shape = POINT; shape <= BOX; shape++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double V = 0.5 * sign, mu = 0.3, m = 2;
            TestRun r;
            physics_open(&r,
                         "sprag: 1\nbodies:\n"
                         "  - {name: belt, fixed: true, surface-velocity: [%.17g, 0],\n"
                         "     shapes: [{plane: {normal: [0, 1]}}]}\n"
                         "  - {name: box, mass: %.17g, %s position: [0, %.17g],\n"
                         "     shapes: [{%s}]}\n"
                         "contacts: [{name: foot, between: [box, belt], friction: %.17g}]\n",
                         V, m, shape == BOX ? "" : "inertia: 1e-3,", shape == BOX ? 0.05 : 0.0,
                         shape == BOX ? "box: {size: [0.2, 0.1]}" : "points: {p: [0, 0]}", mu);
            double t = fabs(V) / (mu * PHYSICS_GRAVITY);
            test_run_go(&r, 3 * t, 1e-10);
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            int stick = test_run_event(&r, SPRAG_EVENT_STICK, 0);
            assert_true(stick >= 0);
            assert_close(r.events[stick].t, t, 1e-9);
            assert_int_equal(test_run_event(&r, SPRAG_EVENT_SLIP_START, 0), -1);
            const double *q = sprag_run_position(r.run), *u = sprag_run_velocity(r.run);
            assert_close(u[0], V, 1e-10);
            assert_close(q[0], V * t / 2 + 2 * V * t, 1e-9);
            const SpragEnergyAccount *e = &sprag_run_sample(r.run)->energy;
            assert_close(e->actuation, m * V * V, 1e-8);
            assert_close(e->friction, 0.5 * m * V * V, 1e-8);
            physics_assert_account(&r, 1e-10);
            test_run_close(&r);
        }
}

// ---- Several blocks -----------------------------------------------------------------------------

// A block that a force pulls forward rides on a sledge that slides backwards. Where the sledge
// stops the block begins to slip on it, with less friction than it had at rest: one slip ends,
// another one begins, at one instant. In the plane and in space.
static void test_sledge_stops(void **state)
{
    (void)state;
    const double m = 1, F = 5, mu = 0.5, nu = 0.35, v = 1, end = 0.4;
    for (int d = 2; d <= 3; d++) {
        TestRun r;
        const char *y = d == 3 ? " 0," : "", *z = d == 3 ? ", 0" : "";
        physics_open(&r,
                     "sprag: 1\ndimension: %d\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
                     "  - {name: sledge, mass: 1, position: [0,%s 0.05], velocity: [-1, 0%s],\n"
                     "     shapes: [{box: {size: [2,%s 0.1]}}]}\n"
                     "  - {name: block, mass: 1, position: [0,%s 0.15], velocity: [-1, 0%s],\n"
                     "     shapes: [{box: {size: [0.4,%s 0.1]}}]}\n"
                     "contacts:\n"
                     "  - {between: [sledge, floor], friction: {static: 0.52, kinetic: 0.5}}\n"
                     "  - {between: [block, sledge], friction: {static: 0.4, kinetic: 0.35}}\n"
                     "loads: [{body: block, force: [5, 0%s]}]\n",
                     d, y, z, d == 3 ? " 1," : "", y, z, d == 3 ? " 0.4," : "", z);
        double brake = mu * PHYSICS_GRAVITY + F / (2 * m), t = v / brake;
        double pull = F / m - nu * PHYSICS_GRAVITY;
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, end, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(r.run);
        assert_close(q[0], -v * v / (2 * brake), 1e-9);
        assert_close(q[d == 3 ? 7 : 3], -v * v / (2 * brake) + pull * (end - t) * (end - t) / 2,
                     1e-9);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_incline_stop),
                                       cmocka_unit_test(test_incline_slides),
                                       cmocka_unit_test(test_tipping), cmocka_unit_test(test_belt),
                                       cmocka_unit_test(test_sledge_stops)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

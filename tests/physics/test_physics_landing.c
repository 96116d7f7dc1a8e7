// Landings: plastic collisions of one contact by Routh's path, of several at velocity level.
#include "physics.h"

// ---- One tip: theory.md (10.9), (10.14), (10.17) ------------------------------------------------

typedef struct Landing {
    double i1, i2, i3, mu, S0, C0; // (10.1)–(10.4)
    double S, C, P, Px, loss;
} Landing;

// The closed forms for e = 0: P_T = P_c.
static void land(Landing *l)
{
    int j = l->S0 > 0 ? 1 : -1;
    bool sticks = l->mu >= fabs(l->i3) / l->i1;
    double A_j = l->mu * l->i1 + j * l->i3, B_j = l->i2 + j * l->mu * l->i3;
    double P_s = A_j > 0 ? fabs(l->S0) / A_j : INFINITY;
    double P_c0 = B_j > 0 ? -l->C0 / B_j : INFINITY;
    double B_2 = sticks ? l->i2 - l->i3 * l->i3 / l->i1 : l->i2 - j * l->mu * l->i3;
    double A_minus = l->mu * l->i1 - j * l->i3;
    if (P_c0 <= P_s) {
        l->P = P_c0;
        l->S = l->S0 - j * A_j * P_c0;
        l->Px = -j * l->mu * P_c0;
        l->loss = -0.5 * l->C0 * P_c0 + 0.5 * l->mu * j * (l->S0 + l->S) * P_c0;
        return;
    }
    double C_s = l->C0 + B_j * P_s, delta = -C_s / B_2;
    l->P = P_s + delta;
    l->S = sticks ? 0 : j * A_minus * delta;
    l->Px = -j * l->mu * P_s + (sticks ? l->i3 / l->i1 : j * l->mu) * delta;
    l->loss = -0.5 * (l->C0 + C_s) * P_s - 0.5 * C_s * delta + 0.5 * l->mu * fabs(l->S0) * P_s;
    if (!sticks)
        l->loss += 0.5 * l->mu * fabs(A_minus) * delta * delta;
}

// The velocity just after the first event.
static void keep_after(TestRun *r, const SpragRunSample *sample)
{
    double *kept = r->user;
    if (sample->after_event && kept[3] == 0) {
        memcpy(kept, sample->v, 3 * sizeof *kept);
        kept[3] = sample->t;
        kept[4] = sample->energy.impact;
    }
}

// A rod flies until its tip a strikes; ballistic to there, then the closed forms.
static void test_tip(void **state)
{
    (void)state;
    SpragRandom random;
    int slides = 0, stops = 0, reverses = 0, tried = 0, compared = 0;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(60); draw++) {
        double m = sprag_random_uniform(&random, 0.2, 3), L = 0.5;
        double I = m * L * L * sprag_random_uniform(&random, 0.15, 0.9);
        double theta = sprag_random_uniform(&random, 0.2, PHYSICS_PI - 0.2);
        double omega = sprag_random_uniform(&random, -2, 2);
        double vx = sprag_random_uniform(&random, -3, 3);
        double mu = sprag_random_uniform(&random, 0, 1), t = 0.01;
        double vy = -sprag_random_uniform(&random, 0.5, 3) + L * cos(theta + omega * t) * omega;
        // at time t the tip strikes: go back along the flight
        double at = theta + omega * t, y0 = L * sin(at) - vy * t + 0.5 * PHYSICS_GRAVITY * t * t;
        double vy1 = vy - PHYSICS_GRAVITY * t, rx = -L * cos(at), ry = -L * sin(at);
        if (y0 - L * sin(theta) < 1e-3 || at < 0.1 || at > PHYSICS_PI - 0.1)
            continue;
        Landing l = {.i1 = 1 / m + ry * ry / I,
                     .i2 = 1 / m + rx * rx / I,
                     .i3 = rx * ry / I,
                     .mu = mu,
                     .S0 = vx - omega * ry,
                     .C0 = vy1 + omega * rx};
        if (l.C0 > -0.1)
            continue;
        land(&l);
        double kept[5] = {0};
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: rod, mass: %.17g, inertia: %.17g, angle: %.17g, spin: %.17g,\n"
                     "     position: [0, %.17g], velocity: [%.17g, %.17g],\n"
                     "     shapes: [{rod: {length: 1}}]}\n",
                     mu, m, I, theta, omega, y0, vx, vy);
        r.look = keep_after;
        r.user = kept;
        test_run_go(&r, 0.0101, 1e-11);
        int impact = test_run_event(&r, SPRAG_EVENT_IMPACT, 0);
        assert_true(impact >= 0);
        assert_close(r.events[impact].t, t, 1e-10);
        tried++;
        if (kept[3] > 0) {
            compared++;
            assert_close(kept[0], vx + l.Px / m, 1e-8);
            assert_close(kept[1], vy1 + l.P / m, 1e-8);
            assert_close(kept[2], omega + (rx * l.P - ry * l.Px) / I, 1e-7);
            assert_close(kept[4], l.loss, 1e-8 * (1 + l.loss));
        }
        if (r.outcome == SPRAG_RUN_DONE)
            physics_assert_account(&r, 1e-9);
        slides += l.S * l.S0 > 0;
        stops += l.S == 0;
        reverses += l.S * l.S0 < 0;
        test_run_close(&r);
    }
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("%d of %d compared: %d slide, %d stop, %d reverse\n", compared, tried, slides,
                      stops, reverses);
    // a collision may end in a state without a single motion: then there is no sample after it
    assert_true(10 * compared >= 9 * tried);
    assert_true(slides > 3 && stops > 3 && reverses > 1);
}

// ---- A box that lands flat ----------------------------------------------------------------------

// Both corners at once. The normal impulse is m v in all, the tangential one at most μ m v; the box
// does not turn as long as μ h < a. Then it slides to a stop.
static void test_flat(void **state)
{
    (void)state;
    static const double speeds[] = {0, 2, -2, 0.3};
    for (int i = 0; i < 4; i++) {
        double mu = 0.4, H = 0.2, vx = speeds[i], g = PHYSICS_GRAVITY, m = 2;
        double t = sqrt(2 * H / g), v = g * t, after = fmax(0, fabs(vx) - mu * v);
        double stop = t + after / (mu * g), sign = vx < 0 ? -1 : 1;
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: %.17g, position: [0, %.17g], velocity: [%.17g, 0],\n"
                     "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g}]\n",
                     m, H + 0.1, vx, mu);
        test_run_go(&r, stop + 0.3, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(r.events[0].type, SPRAG_EVENT_IMPACT);
        assert_int_equal(r.events[1].type, SPRAG_EVENT_IMPACT);
        assert_close(r.events[0].t, t, 1e-9);
        assert_close(r.events[1].t, t, 1e-9);
        int rest = test_run_event(&r, SPRAG_EVENT_REST, 0);
        assert_true(rest >= 0);
        assert_close(r.events[rest].t, stop, 1e-8);
        const double *q = sprag_run_position(r.run);
        assert_close(q[0], vx * t + sign * 0.5 * after * (stop - t), 1e-8);
        assert_close(q[1], 0.1, 1e-10);
        assert_close(q[2], 0, 1e-10);
        assert_close(sprag_run_sample(r.run)->energy.impact,
                     0.5 * m * (v * v + vx * vx - after * after), 1e-7);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// A box dropped on one corner at a small angle rocks down on the other and comes to rest.
static void test_corner(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: 1, position: [0, 0.3], angle: %.17g, spin: %.17g,\n"
                     "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                     "contacts: [{between: [box, floor], friction: 0.5}]\n",
                     0.1 + 0.2 * i, 0.5 * i - 1);
        test_run_go(&r, 4, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
        double quarter = PHYSICS_PI / 2, turned = q[2] / quarter - round(q[2] / quarter);
        assert_close(turned, 0, 1e-6);
        for (int k = 0; k < 3; k++)
            assert_close(v[k], 0, 1e-6);
        assert_true(test_run_event(&r, SPRAG_EVENT_REST, 0) >= 0);
        physics_assert_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// ---- Anything thrown ----------------------------------------------------------------------------

static void no_overlap(TestRun *r, const SpragRunSample *sample)
{
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        if (!(sample->contacts[i].gap > -1e-7))
            fail_msg("overlap of %g at t = %.9g, contact %d %s", sample->contacts[i].gap, sample->t,
                     i, sprag_mode_name(sample->contacts[i].mode));
}

// A box and a disc thrown on a slope and a floor: bodies never overlap, and accounts close. The run
// goes on to its end, or says why not.
static void test_anything(void **state)
{
    (void)state;
    SpragRandom random;
    int done = 0, draws = test_draws(12);
    sprag_random_init(&random, 17);
    for (int draw = 0; draw < draws; draw++) {
        double x[12];
        TestRun r;
        for (int i = 0; i < 12; i++)
            x[i] = sprag_random_uniform(&random, -1, 1);
        physics_open(&r,
                     "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: slope, fixed: true,\n"
                     "     shapes: [{plane: {normal: [-sin(%.17g), cos(%.17g)]}}]}\n"
                     "  - {name: box, mass: 1, position: [%.17g, 1.2], angle: %.17g, spin: %.17g,\n"
                     "     velocity: [%.17g, %.17g], shapes: [{box: {size: [0.5, %.17g]}}]}\n"
                     "  - {name: disc, mass: 0.7, position: [2.5, 1.6], spin: %.17g,\n"
                     "     velocity: [%.17g, %.17g], shapes: [{circle: {radius: 0.2}}]}\n",
                     0.4 + 0.4 * x[0], 0.3 * x[1], 0.3 * x[1], x[2], 3 * x[3], 5 * x[4], 2 * x[5],
                     2 * x[6], 0.3 + 0.2 * x[7], 5 * x[8], 2 * x[9], x[10]);
        r.look = no_overlap;
        if (getenv("SPRAG_TEST_SHOW"))
            print_message("draw %d\n", draw);
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, 2, 1e-9);
        if (r.outcome != SPRAG_RUN_DONE)
            print_message("draw %d ends at %.9g: %s %s\n", draw, r.last_t,
                          sprag_run_outcome_name(r.outcome), sprag_context_message(context));
        assert_true(r.outcome != SPRAG_RUN_NOT_CONVERGED && r.outcome != SPRAG_RUN_EVENT_LIMIT);
        physics_assert_account(&r, 1e-8);
        done += r.outcome == SPRAG_RUN_DONE;
        test_run_close(&r);
    }
    assert_true(10 * done >= 8 * draws);
}

// A box that rocks beside a pin as high as the floor, so close to the corner it turns about that
// its side leaves the pin at some tolerances of a velocity. Without the pin its way is the same to
// first order in that distance.
static double rock_beside_pin(double distance)
{
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nmaterials: {default: {friction: 0.5}}\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: pin, fixed: true, shapes: [{points: {r: [%.17g, 0]}}]}\n"
                 "  - {name: box, mass: 1, position: [0, 0.2], velocity: [0, -0.05], spin: -1,\n"
                 "     shapes: [{box: {size: [0.6, 0.4]}}]}\n",
                 0.3 - distance);
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(r.event_count < 20);
    physics_assert_account(&r, 1e-9);
    double x = sprag_run_position(r.run)[0];
    assert_true(fabs(sprag_run_position(r.run)[2]) < 1e-12);
    test_run_close(&r);
    return x;
}

static void test_lever(void **state)
{
    (void)state;
    double alone = rock_beside_pin(10);
    for (double distance = 1e-3; distance > 1e-9; distance *= 0.2)
        assert_true(fabs(rock_beside_pin(distance) - alone) < 1e-3 * distance + 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tip), cmocka_unit_test(test_flat),
                                       cmocka_unit_test(test_corner), cmocka_unit_test(test_lever),
                                       cmocka_unit_test(test_anything)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

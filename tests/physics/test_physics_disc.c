// Discs: rolling and sliding against closed forms, and an eccentric disc that keeps its contact.
#include "physics.h"

// ---- Down an incline ----------------------------------------------------------------------------

// A disc of mass 2, radius r and inertia I let go on a slope.
static void open_on_slope(TestRun *r, double alpha_deg, double mu, double radius, double inertia)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: slope, fixed: true,\n"
                 "     shapes: [{plane: {normal: [-sin(%.17g deg), cos(%.17g deg)]}}]}\n"
                 "  - {name: disc, mass: 2, inertia: %.17g, shapes: [{circle: {radius: %.17g}}],\n"
                 "     position: [-%.17g*sin(%.17g deg), %.17g*cos(%.17g deg)]}\n"
                 "contacts: [{name: rim, between: [disc, slope], friction: %.17g}]\n",
                 alpha_deg, alpha_deg, inertia, radius, radius, alpha_deg, radius, alpha_deg, mu);
}

// Stick iff μ ≥ tan α/(1 + m r²/I); then a = g sin α/(1 + I/(m r²)), else a = g (sin α − μ cos α)
// and the disc turns by μ m g cos α r/I. Constant accelerations, which the integrator gets exactly.
static void test_incline(void **state)
{
    (void)state;
    static const double ratios[] = {0.5, 1, 0.2};
    double m = 2, radius = 0.1, t = 1.3;
    for (int i = 0; i < 3; i++)
        for (int alpha_deg = 10; alpha_deg <= 70; alpha_deg += 20)
            for (int part = 0; part < 4; part++) {
                static const double parts[] = {0.3, 0.99, 1.01, 2};
                double alpha = alpha_deg * PHYSICS_PI / 180, I = ratios[i] * m * radius * radius;
                double mu = parts[part] * tan(alpha) / (1 + 1 / ratios[i]);
                bool sticks = parts[part] > 1;
                double a = sticks ? PHYSICS_GRAVITY * sin(alpha) / (1 + ratios[i])
                                  : PHYSICS_GRAVITY * (sin(alpha) - mu * cos(alpha));
                double turn =
                    sticks ? a / radius : mu * m * PHYSICS_GRAVITY * cos(alpha) * radius / I;
                TestRun r;
                open_on_slope(&r, alpha_deg, mu, radius, I);
                test_run_go(&r, t, 1e-10);
                assert_int_equal(r.outcome, SPRAG_RUN_DONE);
                assert_int_equal(r.event_count, 0);
                const double *v = sprag_run_velocity(r.run);
                const SpragRunContact *rim = sprag_run_sample(r.run)->contacts;
                // the slope falls towards −x
                assert_close(v[0], -a * t * cos(alpha), 1e-9 * a * t);
                assert_close(v[1], -a * t * sin(alpha), 1e-9 * a * t);
                assert_close(v[2], turn * t, 1e-9 * turn * t);
                assert_int_equal(rim->mode, sticks ? SPRAG_MODE_STICK : SPRAG_MODE_SLIDE_MINUS);
                assert_close(rim->normal, m * PHYSICS_GRAVITY * cos(alpha), 1e-8);
                assert_true(r.largest_gap < 1e-9);
                physics_assert_account(&r, 1e-10);
                test_run_close(&r);
            }
}

// Thrown without spin on a floor: it rolls after t = v0/(μ g (1 + m r²/I)), with v0/(1 + I/(m r²)):
// v0/(3 μ g) and 2 v0/3 for a solid disc. Both directions; with backspin it comes back.
static void test_thrown_disc(void **state)
{
    (void)state;
    static const double ratios[] = {0.5, 1, 0.3}, spins[] = {0, 0, 60};
    double m = 1.5, radius = 0.2, mu = 0.3, v0 = 2;
    for (int i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double I = ratios[i] * m * radius * radius;
            // slip = v + ω r; rolling when slip = 0
            double slip = v0 + spins[i] * radius;
            double rolls = slip / (mu * PHYSICS_GRAVITY * (1 + 1 / ratios[i]));
            double v = v0 - mu * PHYSICS_GRAVITY * rolls;
            TestRun r;
            physics_open(&r,
                         "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                         "  - {name: disc, mass: %.17g, inertia: %.17g, position: [0, %.17g],\n"
                         "     velocity: [%.17g, 0], spin: %.17g,\n"
                         "     shapes: [{circle: {radius: %.17g}}]}\n"
                         "contacts: [{between: [disc, floor], friction: %.17g}]\n",
                         m, I, radius, sign * v0, sign * spins[i], radius, mu);
            test_run_go(&r, 2 * rolls, 1e-10);
            physics_assert_events(&r, SPRAG_EVENT_STICK);
            assert_close(r.events[0].t, rolls, 1e-9);
            const double *q = sprag_run_position(r.run), *u = sprag_run_velocity(r.run);
            assert_close(u[0], sign * v, 1e-9);
            assert_close(u[2], -sign * v / radius, 1e-8);
            assert_close(q[0], sign * (0.5 * (v0 + v) * rolls + v * rolls), 1e-8);
            physics_assert_account(&r, 1e-10);
            test_run_close(&r);
        }
}

// ---- The eccentric disc -------------------------------------------------------------------------

static void watch_contact(TestRun *r, double *gap, double *rate)
{
    const SpragRunSample *sample = sprag_run_sample(r->run);
    SpragContactTolerances tolerances = {1e-9, 1e-9, 1e-9};
    SpragContactKinematics k[4];
    assert_int_equal(sprag_system_contact_count(r->system), 1);
    assert_ok(context,
              sprag_system_kinematics(r->system, sample->t, sample->q, sample->v, &tolerances, k));
    if (sample->contacts[0].mode == SPRAG_MODE_SEPARATE)
        return;
    *gap = fmax(*gap, fabs(k[0].gap));
    *rate = fmax(*rate, fabs(k[0].gap_rate));
}

// A circle of radius R placed off the mass centre by e along the body's y: height of the mass
// centre R − e cos θ when the circle's centre is e above it, φ_N = y + e cos θ − R.
static void open_eccentric(TestRun *r, double e, double mu, double angle, double spin, double vx)
{
    physics_open(r,
                 "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: disc, mass: 1.2, inertia: 0.01, angle: %.17g, spin: %.17g,\n"
                 "     velocity: [%.17g, 0],\n"
                 "     shapes: [{circle: {radius: 0.15}, at: [0, %.17g]}]}\n"
                 "contacts: [{name: rim, between: [disc, floor],\n"
                 "            friction: {static: %.17g, kinetic: %.17g}}]\n"
                 "start: [{contact: rim}]\n",
                 angle, spin, vx, e, 1.1 * mu, mu);
}

typedef struct Eccentric {
    double e, mu, angle, spin, vx;
} Eccentric;

// 10 s in `count` advances, each of which ends an accepted step; with a largest step of that length
// every accepted step is watched (an event ends one more). Returns the number of events.
static int watch_eccentric(const Eccentric *disc, int count, bool every)
{
    TestRun r;
    double gap = 0, rate = 0;
    open_eccentric(&r, disc->e, disc->mu, disc->angle, disc->spin, disc->vx);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.output_step = 0.05;
    if (every)
        settings.max_step = 1.002 * 10 / count; // a little more: no rest of a step by rounding
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    for (int step = 1; step <= count; step++) {
        assert_ok(context, sprag_run_advance(r.run, 10.0 / count * step, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        watch_contact(&r, &gap, &rate);
    }
    int events = r.event_count, steps = (int)sprag_run_statistics(r.run).steps;
    if (getenv("SPRAG_TEST_SHOW"))
        print_message("eccentric: gap %.2e, rate %.2e, dense gap %.2e, %d events, %d steps\n", gap,
                      rate, r.largest_gap, events, steps);
    assert_true(gap < 1e-9);
    assert_true(rate < 1e-9);
    if (every)
        assert_true(steps <= count + 2 * events);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
    return events;
}

static void test_eccentric(void **state)
{
    (void)state;
    static const Eccentric discs[] = {{0.05, 0.5, 1.2, 0, 0},   {0.05, 0.1, 2.5, 0, 0.3},
                                      {0.08, 0.05, 1, 4, -0.4}, {0.02, 0.02, 0.5, 2, 0.5},
                                      {0.05, 0, 2, 0, 0.2},     {0.07, 0.3, 3, 1, 1}};
    int total = 0;
    for (int i = 0; i < 6; i++) {
        total += watch_eccentric(&discs[i], 500, false);
        total += watch_eccentric(&discs[i], 2000, true);
    }
    assert_true(total > 40);
}

// The same without stops in between: samples on dense output stay near zero as well, and the motion
// is that of the stepwise run.
static void test_eccentric_samples(void **state)
{
    (void)state;
    TestRun r;
    open_eccentric(&r, 0.05, 0.1, 2.5, 0, 0.3);
    test_run_go(&r, 10, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(r.largest_gap < 1e-8);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// Small rocking without slip: the disc is a pendulum of period 2π √((I + m (R − e)²)/(m g e)) for
// small angles; the correction of order amplitude² is below 1e-6 at 1e-3 rad.
static void test_rocking_period(void **state)
{
    (void)state;
    double m = 1.2, I = 0.01, R = 0.15, e = 0.05;
    double period = 2 * PHYSICS_PI * sqrt((I + m * (R - e) * (R - e)) / (m * PHYSICS_GRAVITY * e));
    TestRun r;
    open_eccentric(&r, e, 0.5, 1e-3, 0, 0);
    test_run_go(&r, period, 1e-11);
    assert_int_equal(r.event_count, 0);
    const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
    assert_close(q[2], 1e-3, 1e-9);
    assert_close(v[2], 0, 1e-3 * 2e-5);
    test_run_close(&r);
}

// Coarse and very fine tolerances run too, with or without outputs.
static void test_tolerances(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-12, 1e-13};
    for (int i = 0; i < 5; i++) {
        TestRun r;
        open_eccentric(&r, 0.05, 0.1, 2.5, 0, 0.3);
        SpragRunSettings settings = sprag_run_default();
        SpragSink sink = test_run_sink(&r);
        settings.tolerance = tolerances[i];
        settings.output_step = i % 2 ? 0.01 : 0;
        assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
        assert_ok(context, sprag_run_advance(r.run, 3, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_close(sprag_run_sample(r.run)->contacts[0].gap, 0, 1e-9);
        physics_assert_account(&r, fmax(tolerances[i], 1e-12));
        test_run_close(&r);
    }
}

// ---- Over the end of a side ---------------------------------------------------------------------

static void look_at_pull(TestRun *r, const SpragRunSample *sample)
{
    double *least = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        *least = fmin(*least, sample->contacts[i].normal);
}

// A disc rolls down a box that sticks to a slope, and over its end, where its acceleration jumps:
// about the corner its centre goes in a circle. At no instant there a contact pulls, as the box did
// (by 0.09 N) where modes decided for the corner met forces of the side: by a rounding the disc was
// still on it. It meets the corner once, and leaves it. Forces are 5 N, their zero is 1e-9 of that.
static void test_disc_rolls_over_end(void **state)
{
    (void)state;
    TestRun r;
    double least = 0;
    physics_open(
        &r,
        "sprag: 1\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0.16166565997258894, "
        "0.9868455879141514]}}]}\n"
        "  - {name: box, mass: 0.087406866698309, position: [0.00021554524472528836, %.17g],\n"
        "     angle: %.17g, shapes: [{box: {size: [0.00795791140827977, "
        "0.0031583823028080247]}}]}\n"
        "  - {name: disc, mass: 0.6447415877396102, angle: %.17g,\n"
        "     position: [-0.0002274193260720811, 0.0046212332438299785],\n"
        "     shapes: [{circle: {radius: 0.0013652954391478278}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.19679798501598472}]\n",
        0.0015649306295483912, -0.16237828328022244, -0.16237828328022244);
    r.look = look_at_pull;
    r.user = &least;
    test_run_go(&r, 0.11, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(least > -5e-9);
    assert_true(test_run_event(&r, SPRAG_EVENT_IMPACT, 0) >= 0);
    assert_true(test_run_event(&r, SPRAG_EVENT_IMPACT, 1) < 0);
    assert_true(test_run_event(&r, SPRAG_EVENT_SEPARATION, 0) >= 0);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_incline),
                                       cmocka_unit_test(test_thrown_disc),
                                       cmocka_unit_test(test_eccentric),
                                       cmocka_unit_test(test_eccentric_samples),
                                       cmocka_unit_test(test_rocking_period),
                                       cmocka_unit_test(test_tolerances),
                                       cmocka_unit_test(test_disc_rolls_over_end)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

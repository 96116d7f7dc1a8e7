// Contacts that Karnopp's law holds, theory.md (7.6) and 14.6: alone, two corners of a body, and
// beside rigid contacts.
#include "physics.h"

// A box that slides up a slope under Karnopp's law, on layers: it stops after v²/(2 g (sin α + μ
// cos α)) and stays there, held at both corners. While it rocks the tangents of these do not agree,
// by the square of its spin: that is no reason to let go, and friction takes what it takes.
static void test_karnopp_holds(void **state)
{
    (void)state;
    static TestRun r;
    const double mu = 0.45, g = 9.81, v0 = 0.4, slope = 0.3, mass = 1.3,
                 epsilon[] = {1e-3, 3e-4, 1e-4, 3e-5};
    for (int i = 0; i < 4; i++) {
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: ramp, fixed: true, shapes: [{plane: {normal: [%.17g, %.17g]}}]}\n"
                     "  - {name: box, mass: %.17g, position: [0, 0.3], angle: %.17g,\n"
                     "     shapes: [{box: {size: [0.3, 0.12]}}]}\n"
                     "contacts:\n"
                     "  - {between: [box, ramp], friction: %.17g, friction-law: {law: karnopp, "
                     "speed: 1e-3},\n"
                     "     compliance: {law: kelvin-voigt, epsilon: %.17g, length: 0.2}}\n"
                     "start: [{contact: [box, ramp], slip: %.17g}]\n",
                     -sin(slope), cos(slope), mass, slope, mu, epsilon[i], v0);
        test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.6, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        const SpragRunSample *now = sprag_run_sample(r.run);
        // `start` has moved it along the normal only
        double way = now->q[0] * cos(slope) + (now->q[1] - 0.3) * sin(slope);
        double exact = 0.5 * v0 * v0 / (g * (sin(slope) + mu * cos(slope)));
        // normal forces ring about the weight: in the mean they differ by the depth over the time
        double depth = epsilon[i] * 0.2;
        assert_close(way, exact, depth);
        assert_close(now->energy.friction, mu * mass * g * cos(slope) * exact,
                     2 * mu * mass * g * depth);
        assert_close(now->v[0], 0, 1e-6); // what still rings after some 20 times of its decay
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

typedef struct Held {
    double friction; // lost until the last sample, J
    double back;     // most that friction has given back between two samples, J
    double out;      // largest force beyond its cone, N
    double press;    // largest normal force, N
    double slip;     // largest that is held, m/s
} Held;

static int hear_held(const SpragRunSample *sample, void *user)
{
    TestRun *r = user;
    Held *held = r->user;
    held->back = fmax(held->back, held->friction - sample->energy.friction);
    held->friction = sample->energy.friction;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++) {
        const SpragRunContact *contact = &sample->contacts[i];
        held->press = fmax(held->press, contact->normal);
        if (contact->mode != SPRAG_MODE_STICK)
            continue;
        held->out = fmax(held->out, fabs(contact->tangential) - 0.4 * contact->normal);
        held->slip = fmax(held->slip, fabs(contact->slip));
    }
    return 0;
}

// A box falls askew into a groove, where two layers hold it by Karnopp's law. Contacts come into
// the band by touching, and to stop one slip moves the other contact: no force may be held beyond
// its cone, none at a slip that is not zero, and friction gives nothing back.
static void test_karnopp_in_a_groove(void **state)
{
    (void)state;
    static TestRun r;
    const double band = 1e-2, angles[] = {0.4, 0.7, 1};
    for (int i = 0; i < 3; i++) {
        Held held = {0};
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{name: l, plane: {normal: [0.5, "
                     "0.8660254]}}, {name: r, plane: {normal: [-0.5, 0.8660254]}}]}\n"
                     "  - {name: box, mass: 1, position: [0.03, 0.3], angle: %.17g, shapes: "
                     "[{box: {size: [0.3, 0.12]}}]}\n"
                     "contacts:\n"
                     "  - {between: ['*', '*'], friction: 0.4, friction-law: {law: karnopp, speed: "
                     "%.17g}, model: compliant}\n",
                     angles[i], band);
        SpragRunSettings settings = sprag_run_default();
        SpragSink sink = {.sample = hear_held, .user = &r};
        settings.output_step = 1e-3;
        r.user = &held;
        assert_ok(r.context, sprag_run_create(r.system, &settings, &sink, &r.run));
        assert_ok(r.context, sprag_run_advance(r.run, 1, &r.outcome));
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_true(held.friction > 0);
        // of some 3 J; a slip that is held may be a hundredth of the band
        assert_true(held.back < 1e-8 * 3);
        assert_true(held.slip < 1e-2 * band);
        // where two corners hold, the forces of each are not unique: members inside of the cones
        assert_true(held.out < 1e-6 * held.press);
        physics_assert_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// A slab lies on a belt in layers that Karnopp's law holds, a tower slides onto it, and tips to and
// fro on its corners, which are rigid. What these do is decided for bodies whose held slips do not
// accelerate, (14.17); for any others the tower would land and part without an end.
static void test_beside_rigid(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\n"
                     "bodies:\n"
                     "  - {name: belt, fixed: true, shapes: [{plane: {normal: [0, 1]}}],\n"
                     "     surface-velocity: [0.3, 0]}\n"
                     "  - {name: slab, mass: 1, position: [0, 0.1],\n"
                     "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                     "  - {name: tower, mass: 4, position: [0.1, 0.35], velocity: [0.4, 0],\n"
                     "     shapes: [{box: {size: [0.1, 0.3]}}]}\n"
                     "contacts:\n"
                     "  - {between: [slab, belt], friction: 0.6, model: compliant,\n"
                     "     friction-law: {law: karnopp, speed: 1e-3},\n"
                     "     compliance: {law: kelvin-voigt, stiffness: 1e5, damping: 100}}\n"
                     "  - {between: [slab, tower], friction: 0.7, model: rigid}\n");
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {0};
    assert_ok(r.context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(r.context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // layers of 1e5 N/m under 1 and 5 kg turn at most some 50 times a second each way, and the
    // tower lands with each of them: a tenth of a thousand events each; more are the same again
    assert_true(sprag_run_statistics(r.run).events < 1000);
    physics_assert_account(&r, 1e-8);
    // all goes with the belt in the end
    const double *v = sprag_run_sample(r.run)->v;
    assert_close(v[0], 0.3, 1e-3);
    assert_close(v[3], 0.3, 1e-3);
    test_run_close(&r);
}

// A sled slides with its heel on a floor whose band is wide, and with its toe on a belt that goes
// the same way more slowly. Where the heel comes into its band the sled stops, and the belt begins
// to pull it: the toe's slip jumps from −(w − u) to u, and its friction turns with it. In units of
// kg, m, s: forces f = μ N with N1 + N2 = m g and a (N1 − N2) = h (f1 + f2) until then, N = m g/2
// afterwards; friction takes f s on the way, m w²/2 at the stop, and μ N u from there on. All
// accelerations are constant: what is left is rounding and the tolerance of event times, 1e-9.
static void test_turned_by_a_stop(void **state)
{
    (void)state;
    static TestRun r;
    const double mu[] = {0.3, 0.2}, g = 9.81, a = 0.3, h = 0.05, v = 0.3, w = 0.1, u = 0.04,
                 T = 0.2;
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: floor, fixed: true, position: [0, -0.5], shapes: [{box: {size: [2, "
                 "1]}}]}\n"
                 "  - {name: belt, fixed: true, position: [2.01, -0.5], surface-velocity: [%.17g, "
                 "0], shapes: [{box: {size: [2, 1]}}]}\n"
                 "  - {name: sled, mass: 1, inertia: 0.02, position: [1.005, %.17g], velocity: "
                 "[%.17g, 0],\n"
                 "     shapes: [{points: {heel: [%.17g, %.17g], toe: [%.17g, %.17g]}}]}\n"
                 "contacts:\n"
                 "  - {between: [sled, floor], friction: %.17g, friction-law: {law: karnopp, "
                 "speed: %.17g}}\n"
                 "  - {between: [sled, belt], friction: %.17g, friction-law: {law: karnopp, "
                 "speed: 1e-3}}\n",
                 -u, h, -v, -a, -h, a, -h, mu[0], w, mu[1]);
    test_run_go(&r, T, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double k = h / a, N1 = g * (1 + k * mu[1]) / (2 - k * (mu[0] - mu[1])), N2 = g - N1;
    double f1 = mu[0] * N1, f2 = mu[1] * N2, stop = (v - w) / (f1 + f2), way = stop * (v + w) / 2;
    double lost = f1 * way + f2 * (way - u * stop) + w * w / 2 + mu[1] * g / 2 * u * (T - stop);
    assert_close(sprag_run_sample(r.run)->energy.friction, lost, 1e-8 * lost);
    assert_true(test_run_event(&r, SPRAG_EVENT_SLIP_REVERSAL, 0) >= 0);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// A box set down on a slope that is steeper than its static friction slides from the first instant
// on, downhill either way, though nothing presses before the layers are deep: m a = m g sin α −
// μ N with ∫ N dt = m g cos α t − m w, where w, the rate of the depth, has died away. What is
// missing is that while the layers fill the box is not yet held back: μ δ of way, δ = m g/(2 K).
static void test_set_down_on_a_slope(void **state)
{
    (void)state;
    static TestRun r;
    const double g = 9.81, mu = 0.4, K = 1e8, T = 0.5, m = 2;
    for (int k = 0; k < 2; k++) {
        double alpha = k ? 0.5 : -0.7, down = g * sin(alpha), press = g * cos(alpha);
        physics_open(&r,
                     "sprag: 1\ngravity: [%.17g, %.17g]\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: %.17g, position: [0, 0.05],\n"
                     "     shapes: [{box: {size: [0.5, 0.1]}}]}\n"
                     "contacts:\n"
                     "  - {between: [box, floor], compliance: {stiffness: %.17g},\n"
                     "     friction: {static: 0.5, kinetic: %.17g},\n"
                     "     friction-law: {law: karnopp, speed: 1e-3}}\n",
                     down, -press, m, K, mu);
        test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, T, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        assert_int_equal(r.event_count, 0);
        double a = down - copysign(mu * press, down);
        assert_close(sprag_run_velocity(r.run)[0], a * T, 1e-8);
        assert_close(sprag_run_position(r.run)[0], a * T * T / 2, 2 * mu * m * press / (2 * K));
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// A block on a slope that slides until it stops and is let go by a load that rises: the slips of
// its feet depend on each other, in the plane and in space. All stop together and start together,
// where m g sin α + F sin(ω t) = μ m g cos α, downhill; the layers' ringing has died away by then.
// In space the feet let go one by one and were caught again, without an end.
static const char *const STOP_AND_GO[] = {
    "sprag: 1\ngravity: [%.17g, %.17g]\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
    "  - {name: b, mass: 1.5, inertia: 0.02, position: [0, 0.1], velocity: [0.6, 0],\n"
    "     shapes: [{points: {a: [-0.2, -0.1], b: [0.2, -0.1]}}]}\n"
    "loads: [{body: b, force: [3*sin(9*t), 0]}]\n",
    "sprag: 1\ndimension: 3\ngravity: [%.17g*0.8, %.17g*0.6, %.17g]\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
    "  - {name: b, mass: 1.5, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1],\n"
    "     orientation: {euler: [0, 0, atan(0.75)]}, velocity: [0.48, 0.36, 0],\n"
    "     shapes: [{points: {a: [-0.2, -0.1, -0.1], b: [0.2, -0.1, -0.1], c: [-0.2, 0.1, -0.1],\n"
    "                        d: [0.2, 0.1, -0.1]}}]}\n"
    "loads: [{body: b, force: [2.4*sin(9*t), 1.8*sin(9*t), 0]}]\n"};

static void open_stop_and_go(TestRun *r, int dimension, double alpha, double band, double alone)
{
    char text[2048];
    const double g = 9.81, x = g * sin(alpha), y = -g * cos(alpha);
    int used = dimension == 2 ? snprintf(text, sizeof text, STOP_AND_GO[0], x, y)
                              : snprintf(text, sizeof text, STOP_AND_GO[1], x, x, y);
    snprintf(
        text + used, sizeof text - (size_t)used,
        "contacts:\n"
        "  - {between: [b, floor], friction: 0.4, friction-law: {law: karnopp, speed: %.17g},\n"
        "     compliance: {law: kelvin-voigt, stiffness: %.17g, damping: %.17g}}\n",
        band, 1e6 * alone, 300 * alone);
    test_run_open(r, context, text);
}

static void test_stop_and_go(void **state)
{
    (void)state;
    static TestRun r;
    const double mu = 0.4, g = 9.81, mass = 1.5, bands[] = {1e-4, 2e-3};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int i = 0; i < 2; i++) {
            Held held = {0};
            SpragRunSettings settings = sprag_run_default();
            SpragSink sink = {.sample = hear_held, .event = test_run_on_event, .user = &r};
            // forces that let it go when the load has come to 0.9 of its most
            double low = 0, high = 0.4, alpha = 0;
            for (int k = 0; k < 60; k++) {
                alpha = 0.5 * (low + high);
                *(mass * g * (mu * cos(alpha) - sin(alpha)) > 0.9 * 3 ? &low : &high) = alpha;
            }
            open_stop_and_go(&r, dimension, alpha, bands[i], dimension == 2 ? 1 : 0.5);
            settings.motion = SPRAG_MOTION_COMPLIANT;
            settings.output_step = 1e-3;
            r.user = &held;
            assert_ok(r.context, sprag_run_create(r.system, &settings, &sink, &r.run));
            assert_ok(r.context, sprag_run_advance(r.run, 1, &r.outcome));
            assert_int_equal(r.outcome, SPRAG_RUN_DONE);
            double goes = (2 * PHYSICS_PI + asin(0.9)) / 9;
            int last = -1, feet = dimension == 2 ? 2 : 4;
            for (int k = 0; k < r.event_count; k++)
                last = r.events[k].type == SPRAG_EVENT_SLIP_START ? k : last;
            assert_true(last >= feet - 1);
            for (int k = last - feet + 1; k <= last; k++) {
                assert_int_equal(r.events[k].type, SPRAG_EVENT_SLIP_START);
                assert_close(r.events[k].t, goes, 1e-5);
            }
            assert_true(r.event_count < 40);
            assert_true(held.out < 1e-6 * held.press);
            physics_assert_account(&r, 1e-8);
            test_run_close(&r);
        }
}

// The same block on rigid feet, whose friction falls with the slip: in every heading the feet stop
// in the band together. Those that came in some roundings later slid on at the edge of it about the
// others, in which the verdict saw a continuum of motions (two of these headings).
static void test_rigid_feet_stop_together(void **state)
{
    (void)state;
    static TestRun r;
    const double alpha = PHYSICS_PI / 15, g = 9.81;
    for (int k = 0; k < 40; k++) {
        double heading = (37 + 7.3 * k) * PHYSICS_PI / 180, c = cos(heading), s = sin(heading);
        physics_open(
            &r,
            "sprag: 1\ndimension: 3\ngravity: [%.12g, %.12g, %.12g]\n"
            "bodies:\n"
            "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
            "  - {name: b, mass: 1.5, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1],\n"
            "     orientation: {euler: [0, 0, %.15g]}, velocity: [%.12g, %.12g, 0],\n"
            "     shapes: [{points: {a: [-0.2, -0.1, -0.1], b: [0.2, -0.1, -0.1],\n"
            "                        c: [-0.2, 0.1, -0.1], d: [0.2, 0.1, -0.1]}}]}\n"
            "contacts:\n"
            "  - {between: [b, floor], friction: {static: 0.4, kinetic: 0.3, stribeck: 0.05},\n"
            "     friction-law: {law: karnopp, speed: 1e-4}}\n"
            "loads: [{body: b, force: [3*sin(9*t)*%.15g, 3*sin(9*t)*%.15g, 0]}]\n",
            g * sin(alpha) * c, g * sin(alpha) * s, -g * cos(alpha), heading, 0.6 * c, 0.6 * s, c,
            s);
        test_run_go_as(&r, SPRAG_MOTION_EVENTS, 1, 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        // it stops, rests, is let go, stops and rests
        assert_int_equal(r.event_count, 4 + 1 + 4 + 4 + 1);
        physics_assert_account(&r, 1e-8);
        test_run_close(&r);
    }
}

// A box comes down on two corners on layers of a slope, rocks and stays. Its corners are held
// together: the rows leave open who holds, and no sample tells of friction outside of its cone (the
// first corner had all of it, 45 N too much, also while it hardly pressed).
typedef struct Cones {
    double out, most;
} Cones;

static void look_at_cones(TestRun *r, const SpragRunSample *sample)
{
    Cones *cones = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++) {
        const SpragRunContact *c = &sample->contacts[i];
        cones->out = fmax(cones->out, fabs(c->tangential) - c->friction * c->normal);
        cones->most = fmax(cones->most, c->normal);
    }
}

static void test_held_corners_share(void **state)
{
    (void)state;
    static TestRun r;
    Cones cones = {0};
    physics_open(
        &r, "sprag: 1\nbodies:\n"
            "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0.2, 1]}}]}\n"
            "  - {name: box, mass: 2, position: [0, 0.12], angle: -0.15, shapes: [{box: {size: "
            "[0.4, 0.2]}}]}\n"
            "contacts: [{between: [box, floor], friction: 0.5, model: compliant, compliance: "
            "{law: kelvin-voigt, stiffness: 1e5, damping: 50, tangential: {stiffness: 1e5, "
            "damping: 100}}, friction-law: {law: karnopp, speed: 1e-3}}]\n");
    r.look = look_at_cones;
    r.user = &cones;
    test_run_go(&r, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // a cone that is left ends its arc, to the error of the event's time
    assert_true(cones.out < 1e-6 * cones.most);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_karnopp_holds),
                                       cmocka_unit_test(test_karnopp_in_a_groove),
                                       cmocka_unit_test(test_beside_rigid),
                                       cmocka_unit_test(test_turned_by_a_stop),
                                       cmocka_unit_test(test_set_down_on_a_slope),
                                       cmocka_unit_test(test_stop_and_go),
                                       cmocka_unit_test(test_rigid_feet_stop_together),
                                       cmocka_unit_test(test_held_corners_share)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

// Normal impacts of a compliant contact against their closed forms: theory.md (5.5), (5.6), Hertz'
// contact time and peak force; a heavy stiffness; rest.
#include "physics.h"

static const double M = 0.7, V = 0.6;

// A disc that flies towards the floor without weight, spin or friction. It touches at t = 0.1 s.
static void open_impact(TestRun *r, const char *compliance)
{
    physics_open(r,
                 "sprag: 1\ngravity: [0, 0]\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: disc, mass: %.17g, inertia: 0.001, position: [0, %.17g],\n"
                 "     velocity: [0, %.17g], shapes: [{circle: {radius: 0.05}}]}\n"
                 "contacts: [{name: rim, between: [disc, floor], friction: 0,\n"
                 "            compliance: %s}]\n",
                 M, 0.05 + 0.1 * V, -V, compliance);
}

// The largest depth and force of a run, from its samples.
typedef struct Peak {
    double depth, force;
} Peak;

static void look_for_peak(TestRun *r, const SpragRunSample *sample)
{
    Peak *peak = r->user;
    peak->depth = fmax(peak->depth, sample->contacts[0].depth);
    peak->force = fmax(peak->force, sample->contacts[0].normal);
    assert_true(sample->contacts[0].compliant);
    assert_true(sample->contacts[0].normal >= 0);
}

// Speed after the impact, and the times of touch and lift-off.
static double impact(const char *compliance, double *touch, double *lift, Peak *peak)
{
    TestRun r;
    open_impact(&r, compliance);
    r.look = look_for_peak;
    r.user = peak;
    *peak = (Peak){0};
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.4, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    physics_assert_events(&r, SPRAG_EVENT_TOUCH, SPRAG_EVENT_LIFT_OFF);
    *touch = r.events[0].t;
    *lift = r.events[1].t;
    double after = sprag_run_velocity(r.run)[1];
    const SpragEnergyAccount *e = &sprag_run_sample(r.run)->energy;
    assert_close(e->elastic, 0, 1e-15);
    assert_close(e->damping, 0.5 * M * (V * V - after * after), 3e-9 * M * V * V);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
    return after;
}

// e of theory.md (5.5) by bisection.
static double hunt_crossley_restitution(double alpha)
{
    double w = 1.5 * alpha * V, lo = 0, hi = 1;
    for (int i = 0; i < 100; i++) {
        double e = 0.5 * (lo + hi);
        // left minus right falls through the root in (0, 1]; the pole is at e = 1/w
        if (w * e < 1 && w * (1 + e) > log((1 + w) / (1 - w * e)))
            lo = e;
        else
            hi = e;
    }
    return lo;
}

static void test_hunt_crossley(void **state)
{
    (void)state;
    static const struct {
        double K, beta, alpha;
    } cases[] = {{1e6, 1.5, 0.1}, {1e8, 1.5, 0.8}, {3e9, 2, 0.3}, {1e5, 1, 2}, {1e8, 1.5, 5}};
    for (int i = 0; i < 5; i++) {
        char text[200];
        double touch, lift;
        Peak peak;
        snprintf(text, sizeof text,
                 "{law: hunt-crossley, stiffness: %.17g, exponent: %.17g, alpha: %.17g}",
                 cases[i].K, cases[i].beta, cases[i].alpha);
        double after = impact(text, &touch, &lift, &peak);
        assert_close(touch, 0.1, 1e-12);
        // (5.5) has the root e = 0 too, from which the bisection starts: it finds the other one
        assert_close(after / V, hunt_crossley_restitution(cases[i].alpha), 3e-9);
    }
}

static void test_kelvin_voigt(void **state)
{
    (void)state;
    static const double ratios[] = {0.01, 0.1, 0.5, 0.9, 1, 1.7};
    for (int i = 0; i < 6; i++) {
        double K = 1e6, z = ratios[i], C = 2 * z * sqrt(K * M), touch, lift, e;
        char text[200];
        Peak peak;
        snprintf(text, sizeof text, "{law: kelvin-voigt, stiffness: %.17g, damping: %.17g}", K, C);
        double after = impact(text, &touch, &lift, &peak);
        if (z < 1) {
            double s = sqrt(1 - z * z);
            e = exp(-z / s * (PHYSICS_PI - atan2(2 * z * s, 1 - 2 * z * z)));
        } else {
            double y = sqrt(z * z - 1);
            e = z > 1 ? exp(-z / y * log((z + y) / (z - y))) : exp(-2);
        }
        assert_close(after / V, e, 3e-9);
        assert_close(touch, 0.1, 1e-12);
    }
}

// Without damping: T = (δ/v) ∫ 2 du/√(1 − u^(5/2)) = 2.943275 δ/v with δ = (5 m v²/(4 K))^(2/5).
static void test_hertz(void **state)
{
    (void)state;
    double young = 2.1e9, nu = 0.3, radius = 0.05, touch, lift;
    double K = 4.0 / 3 * young / (2 * (1 - nu * nu)) * sqrt(radius);
    double depth = pow(1.25 * M * V * V / K, 0.4);
    double time = 4 * sqrt(PHYSICS_PI) * tgamma(0.4) / (5 * tgamma(0.9)) * depth / V;
    Peak peak;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\ngravity: [0, 0]\n"
                 "materials: {default: {young: %.17g, poisson-ratio: %.17g, friction: 0}}\n"
                 "bodies:\n" PHYSICS_FLOOR
                 "  - {name: disc, mass: %.17g, inertia: 0.001, position: [0, %.17g],\n"
                 "     velocity: [0, %.17g], shapes: [{circle: {radius: %.17g}}]}\n"
                 "contacts: [{between: [disc, floor], compliance: {law: hertz, alpha: 0}}]\n",
                 young, nu, M, radius + 0.1 * V, -V, radius);
    r.look = look_for_peak;
    r.user = &peak;
    peak = (Peak){0};
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.1 + 0.5 * time, 1e-10);
    // half of the contact time is the time of the peak
    const SpragRunContact *now = sprag_run_sample(r.run)->contacts;
    assert_close(now->depth, depth, 1e-8 * depth);
    assert_close(now->normal, K * pow(depth, 1.5), 3e-8 * K * pow(depth, 1.5));
    SpragRunOutcome outcome;
    assert_ok(context, sprag_run_advance(r.run, 0.1 + 2 * time, &outcome));
    physics_assert_events(&r, SPRAG_EVENT_TOUCH, SPRAG_EVENT_LIFT_OFF);
    touch = r.events[0].t;
    lift = r.events[1].t;
    assert_close(lift - touch, time, 1e-8 * time);
    assert_close(sprag_run_velocity(r.run)[1], V, 5e-9);
    physics_assert_account(&r, 1e-10);
    test_run_close(&r);
}

// ---- Close to the threshold of slip -------------------------------------------------------------

// How far a box has moved along its plane of slope atan(part μ) when it rests, or along a level one
// on which a load has come up slowly to that part of its friction. On the slope that load is zero;
// steps end at its kinks all the same, and the box must not stir behind them.
static double moved(double part, double epsilon, bool slowly)
{
    static TestRun r;
    const double mu = 0.4, slope = slowly ? 0 : atan(part * mu);
    char load[128];
    snprintf(load, sizeof load,
             "loads: [{body: box, force: [\"%.17g*min(max((t-0.5)/0.5,0),1)\", 0]}]\n",
             slowly ? -part * mu * 9.81 : 0);
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: ramp, fixed: true, shapes: [{plane: {normal: [%.17g, %.17g]}}]}\n"
                 "  - {name: box, mass: 1, position: [%.17g, %.17g], angle: %.17g,\n"
                 "     shapes: [{box: {size: [0.2, 0.1]}}]}\n"
                 "contacts: [{between: [box, ramp], friction: %.17g, compliance: {law: "
                 "kelvin-voigt, epsilon: %.17g, length: 0.1}}]\n"
                 "%s",
                 -sin(slope), cos(slope), -0.05 * sin(slope), 0.05 * cos(slope), slope, mu, epsilon,
                 load);
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 2, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    const SpragRunSample *now = sprag_run_sample(r.run);
    double way = now->q[0] * cos(slope) + now->q[1] * sin(slope);
    test_run_close(&r);
    return way;
}

// A compliant run starts from layers that are not pressed (theory.md 14.6). What a box slips by on
// a slope that would hold it comes from the ringing of that start alone: it is proportional to ε,
// and a load that comes up slowly, when the box lies in its layers, moves it by their shear.
static void test_slips_at_the_start_only(void **state)
{
    (void)state;
    const double parts[] = {0.9, 0.99, 0.999};
    for (int i = 0; i < 3; i++) {
        double at_3 = moved(parts[i], 1e-3, false), at_5 = moved(parts[i], 1e-5, false);
        assert_true(at_3 < 0);
        assert_close(at_5, 1e-2 * at_3, 1e-4 * fabs(at_3)); // what is of order ε² is a hundredth
        // pressed in by ε length/2 at each corner; sheared by part μ of that and some micro-slip
        double depth = 1e-4 * 0.1 / 2, sheared = -moved(parts[i], 1e-4, true);
        assert_true(sheared > parts[i] * 0.4 * depth && sheared < depth);
    }
}

// All mass in the middle of two feet far apart: a_nn is m r²/I times that of the mass, but the
// layer that nothing gives carries the weight. At rest each foot is m g/(2 k) deep, k = m/(100 eps
// T²) and T² = r/g of theory.md (6.9), so 50 eps r; set down it goes twice as deep at most.
static void test_feet_at_long_levers(void **state)
{
    (void)state;
    TestRun r;
    Peak peak = {0};
    physics_open(&r, "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: body, mass: 2, inertia: 1e-5, position: [0, 0],\n"
                     "     shapes: [{points: {l: [-0.4, 0], r: [0.4, 0]}}]}\n"
                     "contacts: [{between: [body, floor], friction: 0.5}]\n");
    r.look = look_for_peak;
    r.user = &peak;
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    double rest = 50 * 1e-4 * 0.4;
    assert_true(peak.depth > rest * (1 - 1e-6) && peak.depth < 2 * rest * (1 + 1e-6));
    physics_assert_account(&r, 1e-8);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feet_at_long_levers), cmocka_unit_test(test_slips_at_the_start_only),
        cmocka_unit_test(test_hunt_crossley), cmocka_unit_test(test_kelvin_voigt),
        cmocka_unit_test(test_hertz)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

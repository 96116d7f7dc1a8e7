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

// ---- At rest, and close to the threshold of slip
// -------------------------------------------------

// How far a run has gone from its first sample: m and rad.
typedef struct Way {
    double first[64], most;
    bool begun;
} Way;

static void look_how_far(TestRun *r, const SpragRunSample *sample)
{
    Way *way = r->user;
    int count = sprag_system_position_count(r->system);
    assert_true(count <= 64);
    if (!way->begun)
        memcpy(way->first, sample->q, (size_t)count * sizeof *way->first);
    way->begun = true;
    for (int i = 0; i < count; i++)
        way->most = fmax(way->most, fabs(sample->q[i] - way->first[i]));
}

// Runs an open scene on layers; the way from the first sample on.
static double go_and_look(TestRun *r, double until)
{
    Way way = {.most = 0};
    r->look = look_how_far;
    r->user = &way;
    test_run_go_as(r, SPRAG_MOTION_COMPLIANT, until, 1e-9);
    assert_int_equal(r->outcome, SPRAG_RUN_DONE);
    physics_assert_account(r, 1e-9);
    return way.most;
}

// A box of 1 kg on a plane of slope atan(part μ) with μ = 0.4; more: rules and laws.
static void open_on_slope(TestRun *r, int dimension, double part, const char *more)
{
    const double mu = 0.4, slope = atan(part * mu), c = cos(slope), s = sin(slope);
    if (dimension == 2)
        physics_open(r,
                     "sprag: 1\ngravity: [%.17g, %.17g]\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: 1, position: [0, 0.05], shapes: [{box: {size: [0.2, "
                     "0.1]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g, %s}]\n",
                     9.81 * s, -9.81 * c, mu, more);
    else
        physics_open(r,
                     "sprag: 1\ndimension: 3\ngravity: [%.17g, %.17g, %.17g]\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                     "  - {name: box, mass: 1, position: [0, 0, 0.05],\n"
                     "     shapes: [{box: {size: [0.2, 0.15, 0.1]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g, %s}]\n",
                     9.81 * s * cos(0.6), 9.81 * s * sin(0.6), -9.81 * c, mu, more);
}

// What is set down stays (theory.md (14.15)): it lies in its layers from the start. Forces agree to
// 1e-11 of themselves, which moves layers of 1e-4 m depth and less by 1e-15 m; what bodies of 0.2 m
// round adds 1e-16 m a step.
static void test_set_down_stays(void **state)
{
    (void)state;
    const double parts[] = {0, 0.5, 0.99, 0.999, 0.99999};
    const char *const laws[] = {
        "compliance: {law: kelvin-voigt, epsilon: 1e-3, length: 0.1}",
        "compliance: {law: kelvin-voigt, stiffness: 1e9, damping: 0}",
        "compliance: {law: hunt-crossley, stiffness: 1e8, alpha: 0.3}",
        "compliance: {law: kelvin-voigt, stiffness: 1e6}, friction-law: dahl",
        "compliance: {law: kelvin-voigt, stiffness: 1e6}, friction-law: lugre",
    };
    for (int i = 0; i < 5 * 5 * 2; i++) {
        TestRun r;
        open_on_slope(&r, 2 + i % 2, parts[i / 2 % 5], laws[i / 10]);
        // bristles close to their limit have no stiffness: what is left is the tolerance of the run
        assert_true(go_and_look(&r, 0.2) < (i < 30 ? 1e-12 : 1e-9));
        for (int k = 0; k < r.event_count; k++)
            assert_int_equal(r.events[k].type, SPRAG_EVENT_REST);
        test_run_close(&r);
    }
    // beyond the threshold it goes, by ½ (sin − μ cos) g t² and what ringing adds
    for (int dimension = 2; dimension <= 3; dimension++) {
        TestRun r;
        open_on_slope(&r, dimension, 1.1, "compliance: {stiffness: 1e7}");
        double slope = atan(1.1 * 0.4), a = 9.81 * (sin(slope) - 0.4 * cos(slope));
        a *= dimension == 2 ? 1 : cos(0.6); // the larger of its components
        assert_close(go_and_look(&r, 0.2), 0.5 * a * 0.04, 0.02 * a * 0.04);
        test_run_close(&r);
    }
}

// On level ground both corners carry half of the weight, at the depth m g/2K. The box has come down
// by it, and half of what that gives is in the layers: the other half has gone where none was told.
static void test_set_down_books_its_work(void **state)
{
    (void)state;
    const double K = 2e5, depth = 9.81 / (2 * K);
    TestRun r;
    open_on_slope(&r, 2, 0, "compliance: {law: kelvin-voigt, stiffness: 2e5}");
    assert_true(go_and_look(&r, 0.1) < 1e-12);
    const SpragRunSample *now = sprag_run_sample(r.run);
    // sums of energies of about 0.5 J round to 1e-16 of them
    assert_close(now->q[1], 0.05 - depth, 1e-15);
    assert_close(now->energy.elastic, K * depth * depth, 1e-15);
    assert_close(now->energy.change, 0.5 * 9.81 * depth, 1e-15);
    assert_true(now->energy.placed == now->energy.change);
    test_run_close(&r);
}

// A ladder leans at its threshold tan θ = (1 − μ²)/2μ: what stands a thousandth of the angle or
// more above it stays.
static void test_ladder_threshold(void **state)
{
    (void)state;
    const double mu = 0.35, length = 1.7, above[] = {-1e-2, -1e-3, 1e-3, 1e-2, 1e-1};
    for (int i = 0; i < 5; i++) {
        TestRun r;
        double angle = (1 + above[i]) * atan((1 - mu * mu) / (2 * mu));
        physics_open(&r,
                     "sprag: 1\nmaterials: {default: {friction: %.17g}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: wall, fixed: true, shapes: [{plane: {normal: [1, 0]}}]}\n"
                     "  - {name: ladder, mass: 4, position: [%.17g, %.17g], angle: %.17g,\n"
                     "     shapes: [{rod: {length: %.17g}}]}\n",
                     mu, 0.5 * length * cos(angle), 0.5 * length * sin(angle), PHYSICS_PI - angle,
                     length);
        double way = go_and_look(&r, 0.3);
        assert_true(above[i] > 0 ? way < 1e-12 : way > 1e-4);
        test_run_close(&r);
    }
}

// A stack stands; a body of which one foot is rigid, one soft and one so placed that it lifts;
// a disc that rolls keeps its height.
static void test_others_stay(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: a, mass: 3, position: [0, 0.1], shapes: [{box: {size: [0.4, "
                     "0.2]}}]}\n"
                     "  - {name: b, mass: 1, position: [0.05, 0.3], shapes: [{box: {size: [0.3, "
                     "0.2]}}]}\n"
                     "  - {name: c, mass: 2, position: [0.02, 0.45], shapes: [{box: {size: [0.2, "
                     "0.1]}}]}\n");
    assert_true(go_and_look(&r, 0.2) < 1e-12);
    test_run_close(&r);
    physics_open(&r,
                 "sprag: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n" PHYSICS_FLOOR
                 "  - {name: b, mass: 2, inertia: 0.1, position: [0, 0.1],\n"
                 "     shapes: [{points: {l: [-0.2, -0.1], m: [-0.15, -0.1], r: [0.3, -0.1]}}]}\n"
                 "contacts: [{name: left, between: [b.l, floor], compliance: {stiffness: 1e5}},\n"
                 "           {between: [b.m, floor], model: rigid},\n"
                 "           {between: [b.r, floor], compliance: {stiffness: 1e4}}]\n");
    assert_true(go_and_look(&r, 0.2) < 1e-12);
    // the right foot sinks by λ/K with λ = m g 0.15/0.45, so the left one rises; arms of 0.15 m
    // change by the angle times the height of 0.1 m, a thousandth
    assert_close(sprag_run_position(r.run)[2], -9.81 * 2 * 0.15 / 0.45 / 1e4 / 0.45, 2e-6);
    assert_true(sprag_run_sample(r.run)->contacts[0].normal == 0);
    test_run_close(&r);
    physics_open(&r, "sprag: 1\nmaterials: {default: {friction: 0.4}}\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: disc, mass: 2, position: [0, 0.1], velocity: [1, 0], spin: -10,\n"
                     "     shapes: [{circle: {radius: 0.1}}]}\n");
    assert_close(go_and_look(&r, 0.2), 2, 1e-9); // turns by 2 rad
    assert_true(sprag_run_position(r.run)[1] < 0.1);
    assert_close(sprag_run_velocity(r.run)[1], 0, 1e-12);
    test_run_close(&r);
}

// Default layers follow the lightest body: heavy ones beside it sink in by millimetres, where edges
// and corners meet other features than at the surface. Whatever start is found, nothing is given
// for it.
static void test_nothing_is_given(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\ndimension: 3\ngravity: [-0.41, -1.02, -9.75]\n"
                     "materials: {default: {friction: 0.565}}\nbodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                     "  - {name: a, density: 2629, position: [0, 0, 0.107],\n"
                     "     shapes: [{box: {size: [0.409, 0.265, 0.214]}}]}\n"
                     "  - {name: b, density: 228, position: [0.0313, 0, 0.249],\n"
                     "     shapes: [{box: {size: [0.238, 0.206, 0.07]}}]}\n"
                     "  - {name: c, density: 2597, position: [0.0082, 0, 0.395],\n"
                     "     shapes: [{box: {size: [0.28, 0.302, 0.222]}}]}\n");
    (void)go_and_look(&r, 1e-3);
    assert_true(sprag_run_sample(r.run)->energy.change > -1e-9);
    test_run_close(&r);
}

// A load that comes up slowly to a part of the friction moves a box by the shear of its layers:
// they are pressed in by ε length/2 at each corner, and sheared by part μ of that and some
// micro-slip.
static void test_slow_load_shears(void **state)
{
    (void)state;
    const double parts[] = {0.9, 0.99, 0.999}, mu = 0.4, depth = 1e-4 * 0.1 / 2;
    for (int i = 0; i < 3; i++) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: box, mass: 1, position: [0, 0.05], shapes: [{box: {size: [0.2, "
                     "0.1]}}]}\n"
                     "contacts: [{between: [box, floor], friction: %.17g, compliance: {law: "
                     "kelvin-voigt, epsilon: 1e-4, length: 0.1}}]\n"
                     "loads: [{body: box, force: [\"%.17g*min(max((t-0.5)/0.5,0),1)\", 0]}]\n",
                     mu, -parts[i] * mu * 9.81);
        (void)go_and_look(&r, 2);
        double sheared = -sprag_run_position(r.run)[0];
        assert_true(sheared > parts[i] * mu * depth && sheared < depth);
        test_run_close(&r);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_feet_at_long_levers),
                                       cmocka_unit_test(test_set_down_stays),
                                       cmocka_unit_test(test_set_down_books_its_work),
                                       cmocka_unit_test(test_ladder_threshold),
                                       cmocka_unit_test(test_others_stay),
                                       cmocka_unit_test(test_nothing_is_given),
                                       cmocka_unit_test(test_slow_load_shears),
                                       cmocka_unit_test(test_hunt_crossley),
                                       cmocka_unit_test(test_kelvin_voigt),
                                       cmocka_unit_test(test_hertz)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

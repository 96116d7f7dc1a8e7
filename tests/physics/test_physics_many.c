// Several bodies and several contacts: two bodies at once, stacks, chains.
#include "physics.h"

// ---- Two bodies at once -------------------------------------------------------------------------

static const char ROD[] = "  - {name: rod, mass: 0.088, inertia: 1.606176e-3, angle: 42.3 deg,\n"
                          "     position: [0, 0.15748366], shapes: [{rod: {length: 0.468}}]}\n";
static const char DISC[] = "  - {name: disc, mass: 2, position: [3, 0.1], velocity: [0.4, 0],\n"
                           "     shapes: [{circle: {radius: 0.1}}]}\n";
static const char BOX[] = "  - {name: box, mass: 1, position: [-3, 0.5], velocity: [-0.7, 0],\n"
                          "     shapes: [{box: {size: [0.2, 0.1]}}]}\n";

static void open_bodies(TestRun *r, const char *rod, const char *disc, const char *box)
{
    physics_open(
        r, "sprag: 1\nmaterials: {default: {friction: 0.27}}\nbodies:\n" PHYSICS_FLOOR "%s%s%s%s",
        rod, disc, box, *rod ? "start: [{contact: rod.a-floor, slip: 0}]\n" : "");
}

// Events of body `name` in a run, in order (rest is of all bodies and not compared).
static int events_of(const TestRun *r, const char *name, const SpragEvent **events)
{
    int count = 0;
    for (int i = 0; i < r->event_count; i++) {
        int slot = r->events[i].contact;
        if (slot < 0)
            continue;
        const char *contact = sprag_system_contact_name(r->system, slot);
        if (strncmp(contact, name, strlen(name)) == 0)
            events[count++] = &r->events[i];
    }
    return count;
}

static void test_together(void **state)
{
    (void)state;
    static const char *const names[] = {"rod", "disc", "box"};
    TestRun all, alone;
    open_bodies(&all, ROD, DISC, BOX);
    test_run_go(&all, 1, 1e-10);
    assert_int_equal(all.outcome, SPRAG_RUN_DONE);
    physics_assert_account(&all, 1e-9);
    for (int i = 0; i < 3; i++) {
        const SpragEvent *a[RUN_MAX_EVENTS], *b[RUN_MAX_EVENTS];
        open_bodies(&alone, i == 0 ? ROD : "", i == 1 ? DISC : "", i == 2 ? BOX : "");
        test_run_go(&alone, 1, 1e-10);
        assert_int_equal(alone.outcome, SPRAG_RUN_DONE);
        int count = events_of(&alone, names[i], a);
        assert_true(count >= 1);
        assert_int_equal(events_of(&all, names[i], b), count);
        for (int j = 0; j < count; j++) {
            assert_int_equal(a[j]->type, b[j]->type);
            assert_close(b[j]->t, a[j]->t, 1e-8);
        }
        int k = physics_coordinate(&all, names[i]);
        for (int j = 0; j < 3; j++) {
            assert_close(sprag_run_position(all.run)[k + j], sprag_run_position(alone.run)[j],
                         1e-8);
            assert_close(sprag_run_velocity(all.run)[k + j], sprag_run_velocity(alone.run)[j],
                         1e-7);
        }
        test_run_close(&alone);
    }
    test_run_close(&all);
}

// ---- Stacks -------------------------------------------------------------------------------------

static void open_stack(TestRun *r, double v0, double upper, double lower)
{
    physics_open(
        r,
        "sprag: 1\nbodies:\n" PHYSICS_FLOOR
        "  - {name: plank, mass: 2, position: [0, 0.05], shapes: [{box: {size: [2, 0.1]}}]}\n"
        "  - {name: box, mass: 1, position: [-0.3, 0.15], velocity: [%.17g, 0],\n"
        "     shapes: [{box: {size: [0.4, 0.1]}}]}\n"
        "contacts: [{name: top, between: [box, plank], friction: %.17g},\n"
        "           {name: sole, between: [plank, floor], friction: %.17g}]\n",
        v0, upper, lower);
}

static void test_stack_at_rest(void **state)
{
    (void)state;
    TestRun r;
    open_stack(&r, 0, 0.5, 0.5);
    test_run_go(&r, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    for (int i = 0; i < 6; i++)
        assert_close(sprag_run_velocity(r.run)[i], 0, 1e-12);
    const SpragRunSample *sample = sprag_run_sample(r.run);
    double weight[2] = {0, 0};
    for (int slot = 0; slot < sprag_system_contact_count(r.system); slot++)
        weight[sprag_system_contact_name(r.system, slot)[0] == 's'] +=
            sample->contacts[slot].normal;
    assert_close(weight[0], PHYSICS_GRAVITY, 1e-8);
    assert_close(weight[1], 3 * PHYSICS_GRAVITY, 1e-8);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// The box slides on the plank (μ1), the plank on the floor (μ2 < μ1 m1/(m1 + m2)): common speed
// after t1, then both stop together at t2.
static void test_stack_slides(void **state)
{
    (void)state;
    double m1 = 1, m2 = 2, mu1 = 0.6, mu2 = 0.1, v0 = 1.5, g = PHYSICS_GRAVITY;
    double a1 = mu1 * g, a2 = (mu1 * m1 - mu2 * (m1 + m2)) * g / m2;
    double t1 = v0 / (a1 + a2), v1 = a2 * t1, t2 = t1 + v1 / (mu2 * g);
    TestRun r;
    open_stack(&r, v0, mu1, mu2);
    test_run_go(&r, t2 + 0.2, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int first = test_run_event(&r, SPRAG_EVENT_STICK, 0);
    int rest = test_run_event(&r, SPRAG_EVENT_REST, 0);
    assert_true(first >= 0 && rest >= 0);
    assert_close(r.events[first].t, t1, 1e-8);
    assert_close(r.events[rest].t, t2, 1e-8);
    const double *q = sprag_run_position(r.run);
    assert_close(q[0], 0.5 * a2 * t1 * t1 + 0.5 * v1 * (t2 - t1), 1e-8);
    assert_close(q[3] + 0.3 - q[0], v0 * t1 - 0.5 * (a1 + a2) * t1 * t1, 1e-8);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// ---- Chains -------------------------------------------------------------------------------------

// A point on a flat chain of several segments stops where one on a plane does.
static void test_flat_chain(void **state)
{
    (void)state;
    double mu = 0.2, v0 = 2, stop = v0 / (mu * PHYSICS_GRAVITY);
    for (int sign = -1; sign <= 1; sign += 2) {
        TestRun r;
        physics_open(&r,
                     "sprag: 1\nbodies:\n"
                     "  - {name: floor, fixed: true,\n"
                     "     shapes: [{chain: {points: [[-9, 0], [-0.5, 0], [0.3, 0], [9, 0]]}}]}\n"
                     "  - {name: bead, mass: 1, inertia: 0.01, velocity: [%.17g, 0],\n"
                     "     shapes: [{points: {p: [0, 0]}}]}\n"
                     "contacts: [{between: [bead, floor], friction: %.17g}]\n",
                     sign * v0, mu);
        test_run_go(&r, 2 * stop, 1e-10);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        int stick = test_run_event(&r, SPRAG_EVENT_STICK, 0);
        assert_true(stick >= 0);
        assert_close(r.events[stick].t, stop, 1e-8);
        assert_close(sprag_run_position(r.run)[0], sign * 0.5 * v0 * stop, 1e-8);
        physics_assert_account(&r, 1e-9);
        test_run_close(&r);
    }
}

// A disc let go on one side of a valley of 45° rolls down, collides with the other side, climbs,
// comes back … and rests at the bottom: centre at (0, r √2).
static void test_valley(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n"
                     "  - {name: valley, fixed: true,\n"
                     "     shapes: [{chain: {points: [[-1, 1], [0, 0], [1, 1]]}}]}\n"
                     "  - {name: disc, mass: 1, position: [-0.3, 0.3 + 0.1*sqrt(2)],\n"
                     "     shapes: [{circle: {radius: 0.1}}]}\n"
                     "contacts: [{between: [disc, valley], friction: 0.6}]\n");
    test_run_go(&r, 3, 1e-10);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&r, SPRAG_EVENT_IMPACT, 0) >= 0);
    // down the side with (2/3) g sin 45°, over 0.3 √2
    int first = test_run_event(&r, SPRAG_EVENT_IMPACT, 0);
    double a = 2.0 / 3 * PHYSICS_GRAVITY * sqrt(0.5), t1 = sqrt(2 * 0.3 * sqrt(2.0) / a);
    assert_close(r.events[first].t, t1, 1e-8);
    // a plastic collision with the other side leaves a third of the speed: sticking at the new
    // contact keeps m r v cos 90° + I ω = I v/r of 3/2 m r v; hops of 2 v/(3^k a) add up to t1
    int rest = test_run_event(&r, SPRAG_EVENT_REST, 0);
    assert_true(rest >= 0);
    assert_close(r.events[rest].t, 2 * t1, 1e-7);
    const double *q = sprag_run_position(r.run), *v = sprag_run_velocity(r.run);
    assert_close(q[0], 0, 1e-6);
    assert_close(q[1], 0.1 * sqrt(2.0), 1e-6);
    for (int i = 0; i < 3; i++)
        assert_close(v[i], 0, 1e-6);
    physics_assert_account(&r, 1e-9);
    test_run_close(&r);
}

// Frictionless bodies of which some touch with exactly zero force: that must not end the mode for
// ever. (Found by random throws.)
static void test_touch_without_force(void **state)
{
    (void)state;
    TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\n"
        "materials: {default: {friction: 0}}\n"
        "bodies:\n"
        "  - {name: ground, fixed: true, shapes: [{plane: {normal: [0,1], offset: 0}}, {plane: "
        "{normal: [1,0], offset: -0.8}}, {plane: {normal: [-1,0], offset: -0.8}}]}\n"
        "  - {name: b0, mass: 1.75923, position: [0.123418, 0.5], angle: -0.368825, velocity: "
        "[0.829299, -0.470421], spin: -0.868036, shapes: [{box: {size: [0.14631, 0.100108]}}]}\n"
        "  - {name: b1, mass: 0.750565, inertia: 0.01, position: [-0.287339, 1], angle: 0, "
        "velocity: [0.535951, 0.541017], spin: 0, shapes: [{points: {p: [0.124493, -0.130246], q: "
        "[0.000279541, 0.0638491], r: [-0.0392859, -0.0608939]}}]}\n"
        "  - {name: b2, mass: 0.484138, inertia: 0.01, position: [-0.0936937, 1.5], angle: 0, "
        "velocity: [-0.570824, -0.480786], spin: 0, shapes: [{points: {p: [-0.139129, -0.101642], "
        "q: [0.0284625, 0.0122021], r: [0.0970616, -0.0748002]}}]}\n"
        "simulate: {motion: events, until: 2}\n");
    test_run_go(&r, 1.3, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(sprag_run_statistics(r.run).steps < 500);
    test_run_close(&r);
}

// A body of a millimetre that falls off a table where another one stays falls by thousands of its
// sizes: what lies on the table does not keep its steps short. At most 1.5 rad of its turning to a
// step, and some at the start; its way is a parabola.
static void test_falls_far(void **state)
{
    (void)state;
    const double fall = 1, spin = 60;
    TestRun r;
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: table, fixed: true, shapes: [{box: {size: [0.004, 0.001]}}]}\n"
                 "  - {name: stays, mass: 1e-5, position: [0, 0.001], shapes: [{box: {size: "
                 "[0.001, 0.001]}}]}\n"
                 "  - {name: falls, mass: 1e-5, position: [0.004, 0.001], spin: %.17g, velocity: "
                 "[0.01, 0], shapes: [{box: {size: [0.001, 0.0005]}}]}\n",
                 spin);
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, fall, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    int at = physics_coordinate(&r, "falls");
    assert_close(sprag_run_position(r.run)[at], 0.004 + 0.01 * fall, 1e-12);
    assert_close(sprag_run_position(r.run)[at + 1], 0.001 - 0.5 * PHYSICS_GRAVITY * fall * fall,
                 1e-9);
    assert_true((double)sprag_run_statistics(r.run).steps < spin * fall / 1.5 + 60);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touch_without_force),
                                       cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_stack_at_rest),
                                       cmocka_unit_test(test_stack_slides),
                                       cmocka_unit_test(test_flat_chain),
                                       cmocka_unit_test(test_valley),
                                       cmocka_unit_test(test_falls_far)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

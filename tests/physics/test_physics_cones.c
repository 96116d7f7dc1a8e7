// What a run tells of friction: layers press, and it is no more than μ λN, at every sample and at
// both sides of every event; a slip turns only where there was one.
#include "physics.h"

typedef struct Cone {
    double out, pull, press; // N: most beyond the cone, most negative, largest
} Cone;

static int hear(const SpragRunSample *sample, void *user)
{
    TestRun *r = user;
    Cone *cone = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++) {
        const SpragRunContact *c = &sample->contacts[i];
        cone->out = fmax(cone->out, fabs(c->tangential) - c->friction * c->normal);
        cone->pull = fmax(cone->pull, -c->normal);
        cone->press = fmax(cone->press, c->normal);
    }
    return 0;
}

static void check_cones(const char *scene)
{
    Cone cone = {0};
    TestRun r;
    physics_open(&r, "%s", scene);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {.sample = hear, .user = &r};
    settings.output_step = 1e-4;
    r.user = &cone;
    assert_ok(r.context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(r.context, sprag_run_advance(r.run, 1, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(cone.press > 1);
    // events are located to 1e-10 of a step, forces within one change by all of it
    assert_true(cone.out <= 1e-8 * cone.press);
    assert_true(cone.pull <= 1e-8 * cone.press);
    physics_assert_account(&r, 1e-7);
    test_run_close(&r);
}

// The damper along the surface is weak and that along the normal vanishes with the depth: as the
// layer unloads, the slider stops, turns over and slips again, (14.8).
static void test_quick_slider(void **state)
{
    (void)state;
    check_cones("sprag: 1\n"
                "bodies:\n"
                "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                "  - {name: rod, mass: 1, position: [0, 0.15], angle: 0.6, velocity: [1, -1],\n"
                "     shapes: [{rod: {length: 0.2}}]}\n"
                "contacts:\n"
                "  - {between: [rod, floor], friction: 0.5, model: compliant,\n"
                "     compliance: {law: hunt-crossley, stiffness: 1e7, alpha: 0.3, exponent: "
                "1.5}}\n");
}

// A box that tumbles over a corner: the corner comes over the end of a side while the surfaces
// part, and the damper of a layer that is not pressed yet must not pull.
static void test_touch_while_leaving(void **state)
{
    (void)state;
    check_cones("sprag: 1\n"
                "bodies:\n"
                "  - {name: block, fixed: true, position: [0, 0.1],\n"
                "     shapes: [{box: {size: [0.4, 0.2]}}]}\n"
                "  - {name: box, mass: 1, position: [0.15, 0.35], angle: -0.2,\n"
                "     velocity: [0.1, -0.5], spin: 0.7, shapes: [{box: {size: [0.2, 0.1]}}]}\n"
                "contacts:\n"
                "  - {between: [box, block], friction: 0.5, model: compliant,\n"
                "     compliance: {law: kelvin-voigt, stiffness: 1e5, damping: 100}}\n");
}

static int count_reversals(const char *law, const char *rest, double until)
{
    TestRun r;
    int count = 0;
    physics_open(&r,
                 "sprag: 1\n"
                 "bodies:\n"
                 "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                 "  - {name: box, mass: 1, position: [0, 0.1], shapes: [{box: {size: [1, 0.2]}}],\n"
                 "     %s\n"
                 "contacts:\n"
                 "  - {between: [box, floor], friction: 0.1, friction-law: {law: %s}}\n",
                 rest, law);
    test_run_go(&r, until, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    for (int i = 0; i < r.event_count; i++)
        count += r.events[i].type == SPRAG_EVENT_SLIP_REVERSAL;
    test_run_close(&r);
    return count;
}

// Bristles of 1e4/m under 1 kg ring with sqrt(1e4 g) = 313/s, so that 1e-3 m/s bends them by 3 μm
// of the 10 μm at which they slip, to and fro for a while: no slip has turned. A box on a spring of
// 1e3 N/m that starts with 3 m/s goes 95 mm, and turns at 1/4, 3/4 and 5/4 of 2 π/sqrt(1e3) =
// 0.199 s, at each of two corners.
static void test_bristles_that_ring(void **state)
{
    (void)state;
    const char *laws[] = {"dahl, stiffness: 1e4", "lugre, stiffness: 1e4, damping: 1"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_reversals(laws[i], "velocity: [1e-3, 0]}", 0.2), 0);
        assert_int_equal(count_reversals(laws[i],
                                         "velocity: [3, 0]}\n"
                                         "joints:\n"
                                         "  - {name: spring, type: distance, at: [-9, 0.1],\n"
                                         "     between: [world, box.com], length: 9,\n"
                                         "     spring: {stiffness: 1e3, damping: 0}}",
                                         0.3),
                         2 * 3);
    }
}

// Two points between walls that nothing presses: they fall along them, bounce, and no sample tells
// a force of a wall, nor a trace of one that pulls (it was −3e-59 N, of roundings).
static void test_walls_do_not_pull(void **state)
{
    (void)state;
    Cone cone = {0};
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n"
                     "  - {name: hole, fixed: true, shapes: [{name: l, plane: {normal: [1, 0], "
                     "offset: -0.5}}, {name: r, plane: {normal: [-1, 0], offset: -0.5}}, {name: f, "
                     "plane: {normal: [0, 1], offset: -2.3}}]}\n"
                     "  - {name: bar, mass: 10, inertia: 0.4, position: [0, 0], shapes: [{points: "
                     "{p: [-0.5, -0.2], q: [0.5, 0.2]}}]}\n"
                     "contacts: [{between: [bar, hole], friction: 0.13, restitution: {law: newton, "
                     "e: 0.47}}]\n");
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = {.sample = hear, .user = &r};
    settings.output_step = 1e-2;
    r.user = &cone;
    assert_ok(r.context, sprag_run_create(r.system, &settings, &sink, &r.run));
    assert_ok(r.context, sprag_run_advance(r.run, 0.9, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(cone.pull == 0 && cone.out == 0);
    test_run_close(&r);
}

// A box is pulled out from under three others with the same friction everywhere. Those above are
// carried along at mu g, so that all of their contacts are on the edges of their cones, and the
// margin of theory.md (14.4) is zero to rounding. The first that happens is that the pressure
// between the lower two, mu h behind the centre of mass of what is above (h: its height there),
// comes to the end of the box below: d = a t^2/2 with a their relative acceleration.
static void test_pulled_from_under(void **state)
{
    (void)state;
    static TestRun r;
    const double mu = 0.4727511854918427, g = 9.81, force = 84.96381911738031;
    const double wide = 0.48281173813948547, tall = 0.13493765855745588;
    const double x[] = {0.008037077876006132, 0, -0.05021937879298464, -0.016086715083742514};
    char text[2048];
    int used = snprintf(text, sizeof text,
                        "sprag: 1\ngravity: [0, -9.81]\nbodies:\n"
                        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n");
    for (int i = 0; i < 4; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {name: b%d, mass: 1, position: [%.17g, %.17g],\n"
                         "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n",
                         i, x[i], (i + 0.5) * tall, wide, tall);
    snprintf(text + used, sizeof text - (size_t)used,
             "contacts: [{between: ['*', '*'], friction: %.17g}]\n"
             "loads: [{body: b0, force: [%.17g, 0]}]\n",
             mu, force);
    double relative = force - mu * g * (3 + 4) - mu * g;
    double way = (x[1] + x[2] + x[3]) / 3 - mu * 1.5 * tall - (x[0] - wide / 2);
    double end = sqrt(2 * way / relative);
    test_run_open(&r, context, text);
    test_run_go_as(&r, SPRAG_MOTION_AUTO, 0.25, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(r.event_count > 0);
    assert_int_equal(r.events[0].type, SPRAG_EVENT_SEPARATION);
    // the force falls by its whole size in about this time: its zero is known to the tolerance of
    // some steps
    assert_close(r.events[0].t, end, 1e-7);
    test_run_close(&r);
    // until then the boxes above move as one
    test_run_open(&r, context, text);
    test_run_go_as(&r, SPRAG_MOTION_AUTO, 0.99 * end, 1e-9);
    assert_int_equal(r.event_count, 0);
    for (int i = 1; i < 4; i++)
        assert_close(sprag_run_velocity(r.run)[3 * i], mu * g * 0.99 * end, 1e-9);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulled_from_under), cmocka_unit_test(test_walls_do_not_pull),
        cmocka_unit_test(test_quick_slider), cmocka_unit_test(test_touch_while_leaving),
        cmocka_unit_test(test_bristles_that_ring)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

// What a run tells of the forces of layers: they press, and friction is no more than μ λN, at every
// sample and at both sides of every event.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quick_slider),
                                       cmocka_unit_test(test_touch_while_leaving)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

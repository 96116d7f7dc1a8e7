// Layers that go on with other contacts: a box that slides on layers over the ends of another one
// is carried as before. And bodies in layers so soft that their rest is none start as they are
// given.
#include "physics.h"

static const double MASS = 10, STIFFNESS = 2e5, PUSH = 3;

typedef struct Carried {
    double sinks, weakest; // deepest place of the box below its start, least sum of normal forces
    double height;         // at the start
    bool begun;
} Carried;

static void look_at_load(TestRun *r, const SpragRunSample *sample)
{
    Carried *c = r->user;
    double sum = 0;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        sum += sample->contacts[i].normal;
    if (!c->begun)
        *c = (Carried){0, INFINITY, sample->q[1], true};
    c->sinks = fmax(c->sinks, c->height - sample->q[1]);
    c->weakest = fmin(c->weakest, sum);
}

// Without friction nothing but the places of the contacts changes: the load stays balanced, each
// corner at the depth of its share. The box goes x = −PUSH t²/(2 m), and at x = −0.02 m its corner
// goes over the end of the table, whose own corner carries from there on. Until t = 0.5 the arms
// of the two corners are 0.5 and 0.4825 m: shares differ by 0.0175/0.9825/2 of the weight, and the
// middle sinks by less than that part of the depth m g/(2 k).
// In one sample, where one corner follows the other within the zone in which they are one (1e-9 of
// the size), one of the two shares may be missing.
static void test_box_slides_over_end(void **state)
{
    (void)state;
    TestRun r;
    Carried carried = {0};
    double weight = MASS * 9.81, depth = weight / (2 * STIFFNESS);
    physics_open(&r,
                 "sprag: 1\nbodies:\n"
                 "  - {name: table, fixed: true, position: [0, -0.3], shapes: [{box: {size: [1.04, "
                 "0.6]}}]}\n"
                 "  - {name: box, mass: %g, position: [0, 0.2], shapes: [{box: {size: [1, "
                 "0.4]}}]}\n"
                 "contacts: [{between: [box, table], friction: 0, compliance: {law: kelvin-voigt, "
                 "stiffness: %g, damping: 500}}]\n"
                 "loads: [{body: box, force: [%g, 0]}]\n",
                 MASS, STIFFNESS, -PUSH);
    r.look = look_at_load;
    r.user = &carried;
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.5, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(fabs(sprag_run_position(r.run)[0] + 0.5 * PUSH / MASS * 0.25) < 1e-4 * 0.0375);
    assert_true(test_run_event(&r, SPRAG_EVENT_SURFACE, 0) >= 0);
    assert_true(carried.sinks < 0.0175 / 0.9825 / 2 * depth);
    assert_true(carried.weakest > 0.5 * weight * (1 - 1e-6));
    physics_assert_account(&r, 1e-8);
    test_run_close(&r);
}

// A box of 45 g carries 17 kg in layers made for its own mass: they give way by more than half of
// its height, and where the bodies are put there is no rest. Nothing is given for it: the start is
// the given one, to the last digit.
static void test_no_rest_is_no_start(void **state)
{
    (void)state;
    TestRun r;
    physics_open(&r, "sprag: 1\nbodies:\n" PHYSICS_FLOOR
                     "  - {name: a, mass: 0.045, position: [0.0166, 0.0225], shapes: [{box: {size: "
                     "[0.116, 0.045]}}]}\n"
                     "  - {name: b, mass: 12, position: [0.0206, 0.0775], shapes: [{box: {size: "
                     "[0.088, 0.065]}}]}\n"
                     "  - {name: c, mass: 4.7, position: [0.0114, 0.141], shapes: [{box: {size: "
                     "[0.105, 0.062]}}]}\n"
                     "contacts: [{between: ['*', '*'], friction: 0.57, compliance: {law: "
                     "kelvin-voigt, epsilon: 6e-4, length: 0.211}}]\n");
    test_run_go_as(&r, SPRAG_MOTION_COMPLIANT, 0.01, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(sprag_run_sample(r.run)->energy.change == 0);
    physics_assert_account(&r, 1e-8);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box_slides_over_end),
                                       cmocka_unit_test(test_no_rest_is_no_start)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

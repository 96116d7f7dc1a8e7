// Runs of small and light parts that random scenes had take long, end early, or tell of forces that
// pull: discs that rattle below a plank, tolerances of angles, gaps beside corners, jams.
#include "support/runs.h"
#include "support/with_context.h"

// Largest force that pulls, N.
static void watch_pull(TestRun *r, const SpragRunSample *sample)
{
    double *pull = r->user;
    for (int i = 0; i < sprag_system_contact_count(r->system); i++)
        *pull = fmax(*pull, -sample->contacts[i].normal);
}

// A heavy box falls on a light plank over a disc, with much friction and restitution: the disc
// comes to be wedged, and rattles at speeds near the tolerance. What each impact leaves of its slip
// on the floor undid the next one.
static void test_rattling_disc(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(&r, context,
                  "sprag: 1\nbodies:\n"
                  "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                  "  - {name: disc, mass: 0.00971012306734898,\n"
                  "     position: [0, 0.006505555480832667],\n"
                  "     shapes: [{circle: {radius: 0.006505555480832667}}]}\n"
                  "  - {name: plank, mass: 0.00017016512702650936,\n"
                  "     position: [-0.004010521148412593, 0.014151915567517213],\n"
                  "     shapes: [{box: {size: [0.039235878187303994, 0.002281609211703758]}}]}\n"
                  "  - {name: box, mass: 0.05456004529058355,\n"
                  "     position: [0.0026779945242358574, 0.020011685115765992],\n"
                  "     shapes: [{box: {size: [0.009437929884793802, 0.009437929884793802]}}]}\n"
                  "contacts:\n"
                  "  - {between: ['*', '*'], friction: 1.8084840344448505,\n"
                  "     restitution: {law: newton, e: 0.4197517088895263}}\n"
                  "  - {between: [disc, plank], friction: 2.7178261775927384}\n");
    test_run_go(&r, 0.1285, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    // there were thirty thousand
    assert_true(sprag_run_statistics(r.run).events < 3000);
    test_run_close(&r);
}

// Two boxes in layers, of any size: lengths by s, times by √s and forces as they were are the same
// motion, in as many steps. Errors of angles have no length.
static void test_steps_of_any_size(void **state)
{
    (void)state;
    static TestRun r;
    uint64_t steps[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        // √s = 1/32
        double s = k == 0 ? 1 : 1.0 / 1024;
        snprintf(
            text, sizeof text,
            "sprag: 1\nbodies:\n"
            "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
            "  - {name: a, mass: 0.2, position: [0, %.17g],\n"
            "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
            "  - {name: b, mass: 0.3, position: [%.17g, %.17g], angle: 0.2,\n"
            "     shapes: [{box: {size: [%.17g, %.17g]}}]}\n"
            "contacts: [{between: ['*', '*'], friction: 0.4, model: compliant,\n"
            "            compliance: {law: kelvin-voigt, stiffness: %.17g, damping: %.17g}}]\n",
            0.25 * s, s, 0.5 * s, 0.125 * s, 1.0 * s, 0.5 * s, 0.25 * s, 1e5 / s, 200 / sqrt(s));
        test_run_open(&r, context, text);
        test_run_go(&r, sqrt(s), 1e-9);
        assert_int_equal(r.outcome, SPRAG_RUN_DONE);
        steps[k] = sprag_run_statistics(r.run).steps;
        test_run_close(&r);
    }
    // rounding decides on some of them only
    assert_true(fabs((double)steps[1] / (double)steps[0] - 1) < 0.1);
}

// Small parts on a belt. Beside a corner another side counts from where corners coincide on: the
// gap of one that moves away steps below zero, by less than what counts as closed, and grows again.
static void test_gap_that_steps(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\nbodies:\n"
        "  - {name: belt, fixed: true, position: [0, -0.0007853217600566651],\n"
        "     surface-velocity: [0.22767367173062084, 0],\n"
        "     shapes: [{box: {size: [0.09423861120679981, 0.0015706435201133303]}}]}\n"
        "  - {name: b0, mass: 0.00021385532007215814, angle: -0.4327682550884462,\n"
        "     position: [-0.0011865557126698773, 0.0020807867191446807],\n"
        "     velocity: [-0.12487229148159854, -0.07822168055376218],\n"
        "     spin: 62.80732008424098,\n"
        "     shapes: [{circle: {radius: 0.00012048763376283198}}]}\n"
        "  - {name: b1, mass: 6.997291307687201e-06, angle: -0.7638389809852622,\n"
        "     position: [6.873390463969246e-05, 0.0022134805688411507],\n"
        "     velocity: [0.027026315421980977, 0.061405812261537074],\n"
        "     spin: -242.49769711779558,\n"
        "     shapes: [{capsule: {radius: 5.554208040079735e-05,\n"
        "                         length: 0.0006416992206442416}}]}\n"
        "  - {name: b2, mass: 3.0066928178226935e-05, angle: 0.3191013538084455, com: auto,\n"
        "     position: [0.0012934335732015126, 0.0011816788674733584],\n"
        "     velocity: [0.14752426738276567, -0.0029405703489993633],\n"
        "     spin: 391.06510845390153, shapes: [{polygon: {points: [\n"
        "       [-0.00016617673814869638, -0.0003526819637039694],\n"
        "       [0.00041200239004581885, 6.581892781759986e-05],\n"
        "       [-0.00044810412768691167, 0.00024559373780223484]]}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.31089778614067654,\n"
        "            friction-law: {law: lugre, stiffness: 643316.5873906012},\n"
        "            restitution: {law: poisson, e: 0.315987166359292}}]\n");
    test_run_go(&r, 0.25, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    test_run_close(&r);
}

// A disc below a plank on a belt jams by friction that grows while its slip falls: forces grow
// without limit, and behind that they would pull. The state that is told is the one before.
static void test_before_a_jam(void **state)
{
    (void)state;
    static TestRun r;
    double pull = 0;
    test_run_open(
        &r, context,
        "sprag: 1\nbodies:\n"
        "  - {name: belt, fixed: true, position: [0, -0.000953763877841021],\n"
        "     surface-velocity: [0.02611885595927034, 0],\n"
        "     shapes: [{box: {size: [0.11445166534092252, 0.001907527755682042]}}]}\n"
        "  - {name: b0, mass: 3.462356165153948e-06, position: [0, 0.0002769765963200945],\n"
        "     shapes: [{circle: {radius: 0.0002769765963200945}}]}\n"
        "  - {name: b1, mass: 0.0007590765017233546,\n"
        "     position: [0.00014701373923862852, 0.0005940889839181301],\n"
        "     shapes: [{box: {size: [0.0020066617997940442, 8.027158255588234e-05]}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.2532440768960138,\n"
        "            friction-law: {law: tanh, speed: 0.003442526781572053}}]\n");
    r.look = watch_pull;
    r.user = &pull;
    test_run_go(&r, 0.07, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    assert_true(test_run_event(&r, SPRAG_EVENT_JAM, 0) >= 0);
    // weights are 0.007 N, and forces end where they are zero, to the error of the event's time
    assert_true(pull < 1e-8);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rattling_disc), cmocka_unit_test(test_steps_of_any_size),
        cmocka_unit_test(test_gap_that_steps), cmocka_unit_test(test_before_a_jam)};
    return cmocka_run_group_tests_name("small parts", tests, setup, teardown);
}

// Runs of small and light parts that random scenes had take long or end early: discs that
// rattle below a plank, gaps beside corners, parts that Karnopp's law holds.
#include "support/runs.h"
#include "support/with_context.h"

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

// Two small parts on a spring, in layers on which Karnopp's law holds several of their corners.
// Where friction can hold no longer each part lets go in its own direction; in a common one some
// slips would stop at once, be held again, and so on.
static void test_parts_let_go(void **state)
{
    (void)state;
    static TestRun r;
    test_run_open(
        &r, context,
        "sprag: 1\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
        "  - {name: b0, mass: 4.020742986661831e-05, inertia: 2.3262089074373645e-12,\n"
        "     position: [-0.0009434405144024197, 0.0030190096460877432],\n"
        "     angle: 1.1754416173239548, velocity: [0.08137094025159215, 0],\n"
        "     spin: 3.1648975162132773, shapes: [{points: {\n"
        "       heel: [-0.0002830321543207259, -0.00018868810288048395],\n"
        "       toe: [0.0002830321543207259, -0.00018868810288048395]}}]}\n"
        "  - {name: b1, mass: 0.006542519451020274, com: auto,\n"
        "     position: [0.0009434405144024197, 0.0030190096460877432],\n"
        "     angle: -2.4336987130735768, velocity: [-0.10911877615143861, 0],\n"
        "     spin: -211.33593310669212, shapes: [{polygon: {points: [\n"
        "       [-0.0001868645695019529, -8.010901411444137e-05],\n"
        "       [4.6046894971074564e-05, -0.00018635547554682257],\n"
        "       [0.00020200568379981584, -4.198374591288241e-05],\n"
        "       [0.00022248283063912424, 0.00010480575417617646],\n"
        "       [6.055602927922385e-05, 0.00018868505092611265],\n"
        "       [-0.00027803469107770957, 0.0001332639252500611]]}}]}\n"
        "contacts: [{between: ['*', '*'], friction: 0.07386773755405374, model: compliant,\n"
        "            friction-law: {law: karnopp, speed: 6.933844126995096e-05},\n"
        "            compliance: {law: kelvin-voigt, stiffness: 209325.93134534106,\n"
        "                         damping: 67.0423670390072}}]\n"
        "joints: [{name: cord, type: distance, between: [b0.com, b1.com],\n"
        "          length: 0.0018868810288048393,\n"
        "          spring: {stiffness: 9.365218655169752, damping: 0}}]\n");
    test_run_go(&r, 0.2, 1e-9);
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rattling_disc),
                                       cmocka_unit_test(test_gap_that_steps),
                                       cmocka_unit_test(test_parts_let_go)};
    return cmocka_run_group_tests_name("small parts", tests, setup, teardown);
}

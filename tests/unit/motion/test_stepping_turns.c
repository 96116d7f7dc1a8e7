// Time stepping of bodies that turn in space with hardly any inertia about one axis, as thin rods
// (theory.md (11.45), (11.46)): there a momentum that is off by the angle of a step is a huge spin.
#include "support/runs.h"
#include "support/with_context.h"

static double kinetic_of(const TestRun *r)
{
    double kinetic, potential, elastic;
    assert_ok(context,
              sprag_system_energy(r->system, 0, sprag_run_position(r->run),
                                  sprag_run_velocity(r->run), &kinetic, &potential, &elastic));
    return kinetic;
}

// A top without forces: its axis goes round its momentum L at the rate |L|/I, and it turns about
// itself at w3 (1 − I3/I) beside that. Steps follow this exactly, whatever their length.
static void check_symmetric(double I, double I3, const double w[3], double step, double until)
{
    TestRun r;
    char text[400];
    snprintf(
        text, sizeof text,
        "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: b, mass: 1, inertia: [%.17g, %.17g, %.17g], spin: [%.17g, %.17g, %.17g]}\n",
        I, I, I3, w[0], w[1], w[2]);
    test_run_open_stepping(&r, context, text, step);
    double before = kinetic_of(&r);
    assert_ok(context, sprag_run_advance(r.run, until, &r.outcome));
    SpragVec3 L = sprag_vec3(I * w[0], I * w[1], I3 * w[2]);
    SpragQuaternion round = sprag_quaternion_exp(sprag_vec3_scale(until / I, L));
    SpragQuaternion own = sprag_quaternion_exp(sprag_vec3(0, 0, until * w[2] * (1 - I3 / I)));
    SpragMat3 R = sprag_quaternion_matrix(sprag_quaternion_product(round, own));
    SpragPose pose;
    sprag_pose_set(sprag_run_position(r.run), sprag_run_velocity(r.run), &pose);
    // roundings of some thousand steps; those of the momentum are of the size of L, and turn a body
    // about its thin axis by L/I3 times that
    double steps = until / step, rounding = 1e-15 * steps * (1 + until * sprag_vec3_norm(L) / I3);
    for (int k = 0; k < 9; k++)
        assert_close(pose.R.m[k], R.m[k], rounding);
    assert_close(kinetic_of(&r), before, rounding * before);
    test_run_close(&r);
}

static void free_tops(void **state)
{
    (void)state;
    check_symmetric(0.1, 0.17, (double[]){2, -3, 5}, 1e-2, 3);
    check_symmetric(0.1, 0.02, (double[]){2, -3, 5}, 1e-2, 3);
    check_symmetric(0.1, 1e-4, (double[]){7, 2, 0.3}, 1e-3, 1);
    check_symmetric(0.1, 1e-7, (double[]){7, 2, 0.3}, 1e-3, 1);
    check_symmetric(0.1, 1e-4, (double[]){7, 2, 0.3}, 0.1, 1);
    // more than a turn in a step
    check_symmetric(0.1, 0.02, (double[]){0.2, 0.3, 90}, 0.1, 1);
}

// A thin rod on its tip slides, falls and lies on a floor.
static const char *const DRAGGED = "sprag: 1\ndimension: 3\nbodies:\n"
                                   "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
                                   "  - {name: rod, mass: 1, orientation: {euler: [0, %d deg, 20 "
                                   "deg]}, shapes: [{rod: {length: 2}}]}\n"
                                   "contacts: [{name: tip, between: [rod.a, floor], friction: "
                                   "0.8}, {between: [rod.b, floor], friction: 0.3}]\n"
                                   "start: [{contact: tip, slip: [%g, 0.5, 0]}]\n";

// Nothing gives it energy: what it has at the start, and the height that it falls, is all there is;
// friction and blows only take. Steps gain at most some (h |w|)² of it (11.28), |w| about 5.
static void dragged_rods(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        TestRun r;
        char text[800];
        double step = i % 2 ? 2e-3 : 4e-3;
        snprintf(text, sizeof text, DRAGGED, 20 + 5 * i, i % 3 ? 1.0 : -0.7);
        test_run_open_stepping(&r, context, text, step);
        double most = 0, height = sprag_run_position(r.run)[2];
        double all = kinetic_of(&r) + 9.81 * height;
        for (int k = 1; k <= 50; k++) {
            assert_ok(context, sprag_run_advance(r.run, 0.02 * k, &r.outcome));
            most = fmax(most, kinetic_of(&r) + 9.81 * sprag_run_position(r.run)[2]);
        }
        assert_true(most < all * (1 + pow(5 * step, 2)));
        test_run_close(&r);
    }
}

// Without friction and rebound nothing gives energy in a step, and lifting what turns out of a
// floor must not either (theory.md 11.13): no step ends above the one before, but for m (g h)²/2
// where a contact that gravity closes meets a speed of before the step (11.28).
static void repairs_gain_nothing(void **state)
{
    static const char *const text =
        "sprag: 1\ndimension: %d\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{plane: {}}]}\n"
        "  - {name: rod, mass: 1, position: [0, %s], %s, shapes: [{rod: {length: 1}}]}\n"
        "contacts: [{between: [rod, floor], friction: 0, restitution: 0}]\n";
    const double step = 1e-2, slack = pow(9.81 * step, 2) / 2;
    (void)state;
    for (int i = 0; i < 6; i++) {
        TestRun r;
        char scene[600];
        const char *space[] = {"spin: [3, 19, 1]", "spin: [-12, 2, 15]", "spin: [1, 14, -3]"};
        const char *plane[] = {"spin: 19", "spin: -15", "spin: 23"};
        bool flat = i % 2;
        snprintf(scene, sizeof scene, text, flat ? 2 : 3, flat ? "1" : "0, 1",
                 (flat ? plane : space)[i / 2]);
        test_run_open_stepping(&r, context, scene, step);
        double before = INFINITY;
        for (int k = 1; k <= 300; k++) {
            assert_ok(context, sprag_run_advance(r.run, step * k, &r.outcome));
            double now = kinetic_of(&r) + 9.81 * sprag_run_position(r.run)[flat ? 1 : 2];
            assert_true(now < before + slack);
            before = now;
        }
        test_run_close(&r);
    }
}

// Two rods on ball joints, with 1e-5 of their inertia about themselves.
static const char *const CHAIN =
    "sprag: 1\ndimension: 3\nbodies:\n"
    "  - {name: a, mass: 1, inertia: [0.0833, 0.0833, 8.33e-7], position: [0.5, 0, 0],\n"
    "     orientation: {euler: [0, 90 deg, 0]}, spin: [0.3, 1, 2], velocity: [0, 1, -0.5]}\n"
    "  - {name: b, mass: 0.7, inertia: [0.0373, 0.0373, 3.73e-7], position: [1, 0.4, 0],\n"
    "     orientation: {euler: [90 deg, 0, 0]}, spin: [0.2, 0, 2], velocity: [-0.8, 2, -1]}\n"
    "joints:\n"
    "  - {name: s, type: ball, between: [world, a], at: [0, 0, 0]}\n"
    "  - {name: w, type: ball, between: [a, b], at: [1, 0, 0]}\n";

// Where its middles are at the end; step 0: by events. Turns of rods about themselves are nobody's.
static void middles_at(double step, double until, double places[6])
{
    TestRun r;
    SpragRunSettings settings = sprag_run_default();
    settings.motion = step > 0 ? SPRAG_MOTION_STEPPING : SPRAG_MOTION_EVENTS;
    settings.step = step;
    settings.threads = 1;
    test_run_open(&r, context, CHAIN);
    assert_ok(context, sprag_run_create(r.system, &settings, NULL, &r.run));
    assert_ok(context, sprag_run_advance(r.run, until, &r.outcome));
    assert_int_equal(r.outcome, SPRAG_RUN_DONE);
    for (int k = 0; k < 6; k++)
        places[k] = sprag_run_position(r.run)[k / 3 * 7 + k % 3];
    if (step > 0) // what rows take and what bodies have are told apart to rounding of 1000 steps
        assert_close(sprag_run_drift(r.run), 0, 1e-8);
    test_run_close(&r);
}

// Of second order: a quarter of the error in half the step, a seventh for higher terms.
static void linked_rods(void **state)
{
    double exact[6], places[6], error[2] = {0};
    (void)state;
    middles_at(0, 1, exact);
    for (int i = 0; i < 2; i++) {
        middles_at(ldexp(1e-3, -i), 1, places);
        for (int k = 0; k < 6; k++)
            error[i] = fmax(error[i], fabs(places[k] - exact[k]));
    }
    if (!(error[0] > 3.5 * error[1] && error[0] < 1e-3))
        fail_msg("errors %.3g and %.3g m", error[0], error[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_tops),
        cmocka_unit_test(dragged_rods),
        cmocka_unit_test(repairs_gain_nothing),
        cmocka_unit_test(linked_rods),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

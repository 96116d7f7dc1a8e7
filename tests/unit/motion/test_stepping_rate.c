// How long steps may be where forces are stiff, theory.md (11.44): against closed forms of linear
// systems, and against what runs just below and just above it do.
#include "support/runs.h"
#include "support/with_context.h"

#define BUSHING(damping, more)                                                                     \
    "sprag: 1\ngravity: [0, 0]\n"                                                                  \
    "bodies: [{name: b, mass: 2, inertia: 0.01, position: [0, 0], velocity: [0.1, 0]}]\n"          \
    "joints:\n"                                                                                    \
    "  - {name: grip, type: weld, between: [world, b], at: [0, 0],\n"                              \
    "     spring: {stiffness: [8e6, 1e5, 1e3], damping: [" damping "]}}\n" more
static const char *const PLAIN = BUSHING("0, 0, 0", "");
static const char *const DAMPED = BUSHING("6000, 10, 1", "");
// Two masses in a row, each on a spring: k/m (2 + …) of the matrix [[3, -2], [-2, 2]] k/m.
static const char *const TWO_IN_A_ROW =
    "sprag: 1\ngravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: 1, position: [1, 0]}\n"
    "  - {name: b, mass: 1, inertia: 1, position: [2, 0]}\n"
    "joints:\n"
    "  - {type: distance, between: [world, a.com], at: [0, 0], spring: {stiffness: 1e6, rest: 1}}\n"
    "  - {type: distance, between: [a.com, b.com], spring: {stiffness: 2e6, rest: 1}}\n";
static const char *const TORSION_IN_SPACE =
    "sprag: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
    "bodies: [{name: b, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0], spin: [0, 0, "
    "300]}]\n"
    "joints:\n"
    "  - {name: pin, type: revolute, between: [world, b], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "     spring: {stiffness: 4e4, damping: 8}}\n";
static const char *const NOTHING_STIFF = "sprag: 1\ndimension: 3\n"
                                         "bodies: [{name: b, mass: 1, inertia: [0.02, 0.03, 0.04], "
                                         "position: [0, 0, 0], spin: [5, 1, 900]}]\n";

static double stable_step(double omega, double decay)
{
    return 4 / (decay + sqrt(decay * decay + 4 * omega * omega));
}

static void test_closed_forms(void **state)
{
    const struct {
        const char *text;
        double omega, decay;
    } cases[] = {
        {PLAIN, sqrt(8e6 / 2), 0},
        {DAMPED, sqrt(8e6 / 2), 6000 / 2.0},
        {TWO_IN_A_ROW, sqrt(1e6 * (5 + sqrt(17)) / 2), 0},
        {TORSION_IN_SPACE, sqrt(4e4 / 0.04), 8 / 0.04},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TestRun r;
        test_run_open_stepping(&r, context, cases[i].text, 0);
        SpragSteppingStatistics told = sprag_run_stepping(r.run);
        // the iteration ends when a squared rate changes by less than 1e-3, of modes that are
        // further apart than a third: what is left to come is at most half of that
        assert_close(told.longest_step, stable_step(cases[i].omega, cases[i].decay),
                     1e-3 * told.longest_step);
        assert_close(told.step, fmin(1e-3, 0.2 / fmax(cases[i].omega, cases[i].decay)),
                     1e-3 * told.step);
        test_run_close(&r);
    }
}

// Spins need no short steps: nothing is explicit in them.
static void test_spins_are_no_rates(void **state)
{
    TestRun r;
    (void)state;
    test_run_open_stepping(&r, context, NOTHING_STIFF, 0);
    assert_close(sprag_run_stepping(r.run).step, 1e-3, 1e-18);
    assert_true(sprag_run_stepping(r.run).longest_step > 1);
    test_run_close(&r);
}

static double kinetic_after(const char *text, double step, int steps)
{
    TestRun r;
    double kinetic, potential, elastic;
    test_run_open_stepping(&r, context, text, step);
    assert_ok(context, sprag_run_advance(r.run, steps * step, &r.outcome));
    assert_ok(context,
              sprag_system_energy(r.system, 0, sprag_run_position(r.run), sprag_run_velocity(r.run),
                                  &kinetic, &potential, &elastic));
    test_run_close(&r);
    return kinetic + elastic;
}

// The factor of a step is a root of z² − (2 − hc − h²ω²) z + 1 − hc: at 0.98 of the limit none is
// above 1. At 1.02 one is −1 − 0.4 at least, without damping, so such steps are cut, into three
// parts of 0.34 of the limit each.
static void test_limit(void **state)
{
    double limit = stable_step(sqrt(8e6 / 2), 0), begin = 0.5 * 2 * 0.1 * 0.1;
    double damped = stable_step(sqrt(8e6 / 2), 3000);
    (void)state;
    // leap-frog keeps v²/2 (1 − (h ω/2)²) + ω² q²/2: the energy is at most 1/(1 − 0.98²) = 25
    // times, 1/(1 − 0.34²) = 1.13 times
    assert_true(kinetic_after(PLAIN, 0.98 * limit, 200) < 26 * begin);
    assert_true(kinetic_after(PLAIN, 1.02 * limit, 200) < 1.14 * begin);
    assert_true(kinetic_after(DAMPED, 0.98 * damped, 400) < begin);
    assert_true(kinetic_after(DAMPED, 1.02 * damped, 400) < begin);
}

static void test_parts(void **state)
{
    const double over[] = {0.98, 1.02, 1.49, 1.51, 100.2};
    const double parts[] = {1, 3, 3, 4, 201};
    double limit = stable_step(sqrt(8e6 / 2), 0);
    (void)state;
    for (int i = 0; i < 5; i++) {
        TestRun r;
        test_run_open_stepping(&r, context, PLAIN, over[i] * limit);
        SpragSteppingStatistics told = sprag_run_stepping(r.run);
        assert_close(told.parts, parts[i], 0);
        assert_close(told.step * told.parts, over[i] * limit, 1e-15);
        test_run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_spins_are_no_rates),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

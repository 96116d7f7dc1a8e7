// test_impact_chains.c: balls in a row: each scheme gives its own known answer.
#include "support/chains.h"
#include "support/collisions.h"

static void collide(Fixture *f, int balls, const double *mass, const double *v,
                    const SpragImpactRule *rules, SpragImpactScheme scheme)
{
    double impulse[2 * CHAIN_MAX], rows[2 * CHAIN_MAX];
    chain_build(f->context, balls, mass, v, &f->problem);
    assert_ok(f->context, sprag_impact_collide(f->impact, &f->problem, rules, scheme, impulse, rows,
                                               &f->result));
    assert_true(f->result.found);
    chain_after(balls, mass, v, impulse, f->after);
    double momentum = 0, before = 0, energy = 0, lost = 0;
    for (int i = 0; i < balls; i++) {
        momentum += mass[i] * f->after[i];
        before += mass[i] * v[i];
        energy += 0.5 * mass[i] * (v[i] * v[i] - f->after[i] * f->after[i]);
    }
    assert_close(momentum, before, 1e-12);
    assert_close(f->result.energy_loss, energy, 1e-9);
    for (int i = 0; i + 1 < balls; i++) {
        const SpragImpactLoss *loss = &f->result.contacts[i].loss;
        lost += loss->normal_compression + loss->normal_restitution;
        assert_close(rows[2 * i], f->after[i + 1] - f->after[i], 1e-9);
        assert_true(rows[2 * i] >= 0);
    }
    assert_close(lost, energy, 1e-9);
}

static const double ONES[CHAIN_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};

static void fill(SpragImpactRule *rules, SpragRestitutionLaw law, double e)
{
    for (int i = 0; i < CHAIN_MAX; i++)
        rules[i] = (SpragImpactRule){law, e, 0, 0};
}

static void assert_velocities(const Fixture *f, int n, const double *expected, double tolerance)
{
    for (int i = 0; i < n; i++)
        assert_close(f->after[i], expected[i], tolerance);
}

// Newton's cradle: one after the other the last ball leaves alone, under any law.
static void sequence_passes_it_on(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1}, expected[CHAIN_MAX] = {0};
    SpragImpactRule rules[CHAIN_MAX];
    for (int n = 3; n <= 7; n += 2)
        for (int law = 0; law < 3; law++) {
            fill(rules, (SpragRestitutionLaw)law, 1);
            collide(f, n, ONES, v, rules, SPRAG_IMPACTS_SEQUENCE);
            memset(expected, 0, sizeof expected);
            expected[n - 1] = 1;
            assert_velocities(f, n, expected, 1e-14);
            assert_false(f->result.fell_back);
        }
    // with e the velocities are those of two balls, one pair after the other
    fill(rules, SPRAG_RESTITUTION_POISSON, 0.8);
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_SEQUENCE);
    assert_close(f->after[2], 0.9 * 0.9, 1e-13);
}

// All at once under Newton's law the others leave together, whatever their number.
static void newton_lets_them_leave_together(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1};
    SpragImpactRule rules[CHAIN_MAX];
    for (int n = 3; n <= 5; n++) {
        double u = 2.0 / n, expected[CHAIN_MAX] = {u - 1, u, u, u, u};
        for (int law = SPRAG_RESTITUTION_NEWTON; law <= SPRAG_RESTITUTION_POISSON; law++) {
            fill(rules, (SpragRestitutionLaw)law, 1);
            collide(f, n, ONES, v, rules, SPRAG_IMPACTS_TOGETHER);
            assert_velocities(f, n, expected, 1e-12);
            assert_false(f->result.fell_back);
            assert_int_equal(f->result.solution_count, 1);
        }
    }
}

// Three balls, restitution only between the last two, which do not approach: Newton's law has
// nothing to give back there, Poisson's has the impulse of the compression, (2/3, 1/3).
static void poisson_differs_from_newton(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1};
    SpragImpactRule rules[CHAIN_MAX];
    fill(rules, SPRAG_RESTITUTION_NEWTON, 1);
    rules[0].e = 0;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_TOGETHER);
    assert_velocities(f, 3, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-12);
    fill(rules, SPRAG_RESTITUTION_POISSON, 1);
    rules[0].e = 0;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_TOGETHER);
    assert_velocities(f, 3, (double[]){1.0 / 6, 1.0 / 6, 2.0 / 3}, 1e-12);
    // mixed: Newton's e of the first contact as well, u = (1/2, x), P_R = (y, 1/3)
    rules[0] = (SpragImpactRule){SPRAG_RESTITUTION_NEWTON, 0.5, 0, 0};
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_TOGETHER);
    assert_int_equal(f->result.law, SPRAG_IMPACT_TOGETHER_MIXED);
    assert_close(f->after[1] - f->after[0], 0.5, 1e-12);
    assert_close(f->after[2], 1.0 / 3 + 1.0 / 3, 1e-12);
}

// Three equal balls with equal linear layers and e = 1: the depths are
// (sin t ± sin(√3 t)/√3)/2 until the first contact opens; then the second gives the rest back.
static void linear_layers(double *v)
{
    double low = 2.3, high = 2.8, root = sqrt(3.0);
    for (int i = 0; i < 200; i++) {
        double t = 0.5 * (low + high);
        *(sin(t) + sin(root * t) / root > 0 ? &low : &high) = t;
    }
    double t = low, d = 0.5 * (sin(t) - sin(root * t) / root);
    double rate1 = 0.5 * (cos(t) + cos(root * t)), rate2 = 0.5 * (cos(t) - cos(root * t));
    // rates are v1 − v2 and v2 − v3, the sum of velocities is 1
    double v2 = (1 - rate1 + rate2) / 3, v1 = v2 + rate1, v3 = v2 - rate2;
    // ¼ (v2 − v3)² + ½ d² is kept, in units of the reduced mass and layer
    double apart = sqrt(rate2 * rate2 + 2 * d * d), mean = 0.5 * (v2 + v3);
    v[0] = v1;
    v[1] = mean - 0.5 * apart;
    v[2] = mean + 0.5 * apart;
}

static void path_of_three_balls(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1}, expected[3];
    SpragImpactRule rules[CHAIN_MAX];
    fill(rules, SPRAG_RESTITUTION_ENERGETIC, 1);
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    linear_layers(expected);
    assert_velocities(f, 3, expected, 1e-9);
    // theory.md 10.13
    assert_velocities(f, 3, (double[]){-0.13026, 0.15023, 0.98003}, 5e-6);
    assert_close(f->result.energy_loss, 0, 1e-9);
    // a stiff first contact is over before the second begins, a stiff second makes one body of two
    rules[0].stiffness = 1e6;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    assert_velocities(f, 3, (double[]){0, 0, 1}, 2e-3);
    rules[0].stiffness = 1e-6;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    assert_velocities(f, 3, (double[]){-1.0 / 3, 2.0 / 3, 2.0 / 3}, 2e-3);
    // only the ratio counts
    double ratio[3];
    rules[0].stiffness = 3;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    memcpy(ratio, f->after, sizeof ratio);
    rules[0].stiffness = 3e9;
    rules[1].stiffness = 1e9;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    assert_velocities(f, 3, ratio, 1e-12);
}

// Two balls alone on a path are a single impact: u⁺ = −e u⁻ for any layer.
static void path_of_separate_pairs(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1, -2, 0, 3, -1}, mass[CHAIN_MAX] = {1, 2, 1e9, 4, 0.5};
    SpragImpactRule rules[CHAIN_MAX];
    fill(rules, SPRAG_RESTITUTION_ENERGETIC, 0.7);
    rules[0].exponent = 1.5;
    rules[3].stiffness = 40;
    collide(f, 5, mass, v, rules, SPRAG_IMPACTS_PATH);
    assert_close(f->after[1] - f->after[0], 0.7 * 3, 1e-8);
    assert_close(f->after[4] - f->after[3], 0.7 * 4, 1e-8);
}

// What a scheme does not know another does, and says so.
static void schemes_fall_back(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1};
    SpragImpactRule rules[CHAIN_MAX];
    fill(rules, SPRAG_RESTITUTION_NEWTON, 0.5);
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    assert_true(f->result.fell_back);
    assert_int_equal(f->result.law, SPRAG_IMPACT_TOGETHER_NEWTON);
    fill(rules, SPRAG_RESTITUTION_ENERGETIC, 0.5);
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_TOGETHER);
    assert_true(f->result.fell_back);
    assert_int_equal(f->result.law, SPRAG_IMPACT_PATH);
    rules[1].law = SPRAG_RESTITUTION_POISSON;
    for (int scheme = 0; scheme < 3; scheme++) {
        collide(f, 3, ONES, v, rules, (SpragImpactScheme)scheme);
        assert_int_equal(f->result.law, SPRAG_IMPACT_SEQUENCE);
        assert_true(f->result.fell_back == (scheme != SPRAG_IMPACTS_SEQUENCE));
    }
    // without restitution a law is no difference, and the collision is plastic
    rules[1].e = 0;
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_PATH);
    assert_false(f->result.fell_back);
    fill(rules, SPRAG_RESTITUTION_ENERGETIC, 0);
    for (int scheme = 0; scheme < 3; scheme++) {
        collide(f, 3, ONES, v, rules, (SpragImpactScheme)scheme);
        assert_int_equal(f->result.law, SPRAG_IMPACT_VELOCITY_PLASTIC);
        assert_false(f->result.fell_back);
        assert_velocities(f, 3, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-12);
    }
}

// A ball between two others that come together is hit again and again, ever more weakly.
static void sequence_converges_to_rest(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1, 0, -1};
    SpragImpactRule rules[CHAIN_MAX];
    fill(rules, SPRAG_RESTITUTION_NEWTON, 0.05);
    collide(f, 3, ONES, v, rules, SPRAG_IMPACTS_SEQUENCE);
    assert_false(f->result.fell_back);
    assert_close(f->after[0], f->after[2], 0.5);
    assert_true(f->result.energy_loss > 0.9);
}

// A second collision of the same size allocates nothing.
static void warm_collisions_do_not_allocate(void **state)
{
    Fixture *f = *state;
    double v[CHAIN_MAX] = {1};
    SpragImpactRule rules[CHAIN_MAX];
    for (int law = 0; law < 3; law++)
        for (int scheme = 0; scheme < 3; scheme++) {
            fill(rules, (SpragRestitutionLaw)law, 0.6);
            collide(f, 4, ONES, v, rules, (SpragImpactScheme)scheme);
            uint64_t count = sprag_context_allocation_count(f->context);
            collide(f, 4, ONES, v, rules, (SpragImpactScheme)scheme);
            assert_int_equal(sprag_context_allocation_count(f->context), count);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sequence_passes_it_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(newton_lets_them_leave_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(poisson_differs_from_newton, set_up, tear_down),
        cmocka_unit_test_setup_teardown(path_of_three_balls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(path_of_separate_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(schemes_fall_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sequence_converges_to_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(warm_collisions_do_not_allocate, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

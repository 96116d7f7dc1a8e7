// test_property_impact.c: planar impacts in closed form against a march in the impulse domain, for
// random pairs of bodies; energy over many of them.
#include "support/impacts.h"

static const SpragRestitutionLaw LAWS[] = {SPRAG_RESTITUTION_NEWTON, SPRAG_RESTITUTION_POISSON,
                                           SPRAG_RESTITUTION_ENERGETIC};

static double total_loss(const SpragSingleResult *result)
{
    return result->loss.normal_compression + result->loss.normal_restitution +
           result->loss.tangential_compression + result->loss.tangential_restitution;
}

// ½ P·(u⁺ + u⁻): the change of kinetic energy, whatever happened in between.
static double energy_change(const SpragSingleImpact *problem, const SpragSingleResult *result)
{
    double sum = 0;
    for (int i = 0; i < problem->dimension; i++)
        sum += 0.5 * result->impulse[i] * (result->after[i] + problem->velocity[i]);
    return sum;
}

static void check_against_march(const SpragSingleImpact *problem, int *hits)
{
    SpragSingleResult result;
    MarchResult march;
    sprag_impact_single(problem, &result);
    march_planar(problem, &march);
    double scale = 1 + fabs(march.end.P) + fabs(march.end.P_x);
    double tolerance = 1e-10 * scale;
    assert_close(result.impulse[0], march.end.P, tolerance);
    assert_close(result.impulse[1], march.end.P_x, tolerance);
    assert_close(result.after[0], march.end.C, tolerance);
    assert_close(result.after[1], march.end.S, tolerance);
    if (!march.any) {
        assert_int_equal(result.kind, SPRAG_IMPACT_NONE);
        return;
    }
    // a slip that stops within rounding of the end is either case
    bool border = fabs(result.slip_stop - result.impulse[0]) < tolerance ||
                  fabs(result.slip_stop - result.compression) < tolerance;
    if (!border)
        assert_int_equal(result.kind, march.kind);
    hits[result.kind]++;
    assert_close(result.compression, march.compression.P, tolerance);
    assert_close(result.impulse_compression[1], march.compression.P_x, tolerance);
    assert_close(result.after_compression[1], march.compression.S, tolerance);
    assert_true(result.after_compression[0] == 0);
    if (isfinite(march.stop))
        assert_close(result.slip_stop, problem->velocity[1] == 0 ? 0 : march.stop, tolerance);
    assert_close(result.loss.normal_compression, -march.compression.work, tolerance);
    assert_close(result.loss.normal_restitution, march.compression.work - march.end.work,
                 tolerance);
    assert_close(result.loss.tangential_compression, march.compression.friction, tolerance);
    assert_close(result.loss.tangential_restitution,
                 march.end.friction - march.compression.friction, tolerance);
    assert_close(total_loss(&result), -energy_change(problem, &result), 1e-13 * scale);
}

// Every case of theory.md 10.4 under every law, with jam and tangential impacts among them.
static void closed_forms_agree_with_the_march(void **state)
{
    (void)state;
    SpragRandom random;
    SpragSingleImpact problem;
    int hits[3][SPRAG_IMPACT_CASE_COUNT] = {{0}}, jams = 0, tangential = 0;
    sprag_random_init(&random, 810);
    int draws = test_draws(3000);
    for (int i = 0; i < draws; i++) {
        random_planar_impact(&random, &problem);
        for (int law = 0; law < 3; law++) {
            SpragSingleResult result;
            problem.law = LAWS[law];
            check_against_march(&problem, hits[law]);
            sprag_impact_single(&problem, &result);
            jams += result.jam;
            tangential += result.tangential;
        }
    }
    for (int law = 0; law < 3; law++)
        for (int kind = SPRAG_IMPACT_SLIDE; kind < SPRAG_IMPACT_CASE_COUNT; kind++)
            assert_true(hits[law][kind] > 0);
    assert_true(jams > 0 && tangential > 0);
}

// The energetic law never makes energy, normal or in all; Poisson's not in all; where Newton's
// does, energy_gain says so and how much.
static void gains_are_reported_and_only_newtons(void **state)
{
    (void)state;
    SpragRandom random;
    SpragSingleImpact problem;
    SpragSingleResult result;
    int gains = 0;
    sprag_random_init(&random, 811);
    int draws = test_draws(10000);
    for (int i = 0; i < draws; i++) {
        random_planar_impact(&random, &problem);
        for (int law = 0; law < 3; law++) {
            problem.law = LAWS[law];
            sprag_impact_single(&problem, &result);
            double change = energy_change(&problem, &result);
            double rounding = 1e-12 * (fabs(result.loss.normal_compression) +
                                       fabs(result.loss.normal_restitution));
            assert_true((result.energy_gain > 0) == (change > 2 * rounding) ||
                        fabs(change) < 10 * rounding);
            if (result.energy_gain > 0)
                assert_close(result.energy_gain, change, 2 * rounding);
            assert_true(problem.law == SPRAG_RESTITUTION_NEWTON || result.energy_gain == 0);
            assert_true(result.loss.tangential_compression >= 0);
            assert_true(result.loss.tangential_restitution >= 0);
            if (problem.law == SPRAG_RESTITUTION_ENERGETIC)
                assert_close(-result.loss.normal_restitution,
                             problem.e * problem.e * result.loss.normal_compression,
                             1e-12 * (1 + result.loss.normal_compression));
            gains += result.energy_gain > 0;
        }
    }
    assert_true(gains > 0);
}

// Nothing depends on the sign of the tangent, or on the unit of mass or speed.
static void mirrors_and_scales(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 812);
    for (int i = 0; i < test_draws(1000); i++) {
        SpragSingleImpact problem, other;
        SpragSingleResult a, b;
        random_planar_impact(&random, &problem);
        problem.law = LAWS[i % 3];
        other = problem;
        double mass = exp(sprag_random_uniform(&random, -20, 20));
        double speed = exp(sprag_random_uniform(&random, -20, 20));
        for (int k = 0; k < 4; k++)
            other.W[k] *= (k == 1 || k == 2 ? -1 : 1) / mass;
        other.velocity[0] *= speed;
        other.velocity[1] *= -speed;
        sprag_impact_single(&problem, &a);
        sprag_impact_single(&other, &b);
        assert_int_equal(a.kind, b.kind);
        double scale = 1 + a.impulse[0] + fabs(a.impulse[1]);
        assert_close(b.impulse[0] / (mass * speed), a.impulse[0], 1e-12 * scale);
        assert_close(-b.impulse[1] / (mass * speed), a.impulse[1], 1e-12 * scale);
        assert_close(b.after[0] / speed, a.after[0], 1e-12 * scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_agree_with_the_march),
        cmocka_unit_test(gains_are_reported_and_only_newtons),
        cmocka_unit_test(mirrors_and_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

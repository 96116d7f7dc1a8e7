// The screw drive: identities (9.14)-(9.20), against the linear solve of (9.12), (9.13); the
// general transmission against the elimination of (9.5)-(9.7); bad data.
#include "support/test.h"

// Solves the 3 × 3 system by Cramer's rule: independent of the library's algebra.
static void solve3(double A[3][3], const double r[3], double x[3])
{
    double det = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        det += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
    }
    for (int c = 0; c < 3; c++) {
        double B[3][3], sum = 0;
        memcpy(B, A, sizeof B);
        for (int i = 0; i < 3; i++)
            B[i][c] = r[i];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            sum += B[0][i] * (B[1][j] * B[2][k] - B[1][k] * B[2][j]);
        }
        x[c] = sum / det;
    }
}

static SpragScrew draw_screw(SpragRandom *random)
{
    SpragScrew screw = {.inertia = exp(sprag_random_uniform(random, -12, -4)),
                        .mass = sprag_random_uniform(random, 0.5, 50),
                        .lead = sprag_random_uniform(random, 0.0005, 0.01),
                        .helix = sprag_random_uniform(random, 0.02, 0.6),
                        .thread_angle = sprag_random_uniform(random, 0, 0.6),
                        .gravity = 9.81,
                        .stiffness = 1e6};
    screw.friction =
        sprag_random_uniform(random, 0, 0.95) * cos(screw.thread_angle) / tan(screw.helix);
    if (screw.friction > 1)
        screw.friction = sprag_random_uniform(random, 0, 1);
    return screw;
}

// (9.12), (9.13) with y'' = l q'' for s = sgn F sgn q': unknowns q'', F.
static void solve_rows(const SpragScrew *p, int s, double tau, double x[3])
{
    double r = p->lead / tan(p->helix), mu = s * p->friction, ct = cos(p->thread_angle);
    double A[3][3] = {{p->inertia, 0, r * (ct * sin(p->helix) + mu * cos(p->helix))},
                      {0, p->mass, -ct * cos(p->helix) + mu * sin(p->helix)},
                      {p->lead, -1, 0}};
    double right[3] = {tau, -p->mass * p->gravity, 0};
    solve3(A, right, x);
}

static void test_motions(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 911);
    int paradoxes = 0;
    for (int draw = 0; draw < test_draws(3000); draw++) {
        SpragScrew p = draw_screw(&random);
        SpragPair pair;
        SpragScrewFacts facts;
        SpragPairVerdict verdict;
        sprag_pair_of_screw(&p, &pair);
        sprag_screw_facts(&p, &facts);
        int direction = draw % 2 == 0 ? 1 : -1, count = 0;
        double load = p.mass * p.gravity * p.lead;
        SpragPairState at = {.velocity = direction,
                             .input = {sprag_random_uniform(&random, -3, 3) * load, 0}};
        sprag_pair_forward(&pair, &at, NULL, &verdict);
        for (int s = 1; s >= -1; s -= 2) {
            double x[3], scale;
            solve_rows(&p, s, at.input[0], x);
            if (s * direction * x[2] <= 0)
                continue;
            assert_true(count < verdict.motion_count);
            const SpragPairMotion *motion = &verdict.motions[count++];
            int i = s > 0 ? 0 : 1;
            scale = fabs(at.input[0]) / fabs(facts.effective_inertia[i]);
            assert_close(motion->acceleration[0], x[0], 1e-7 * (fabs(x[0]) + scale));
            assert_close(motion->acceleration[1], x[1], 1e-7 * (fabs(x[1]) + scale * p.lead));
            assert_close(motion->normal, x[2], 1e-7 * fabs(x[2]));
            // (9.14), (9.16), (9.20)
            double q = motion->acceleration[0];
            double cosine = facts.kappa * cos(p.helix + s * facts.rho);
            assert_close(motion->normal, p.mass * (p.lead * q + p.gravity) / cosine,
                         1e-6 * (fabs(motion->normal) + p.mass * p.gravity));
            assert_close(motion->inertia, facts.effective_inertia[i],
                         1e-9 * (p.inertia + fabs(facts.effective_inertia[i])));
            double h = 1 / p.mass + p.lead * p.lead / (p.inertia * facts.efficiency[i]);
            assert_close(pair.stiffness * motion->layer_rate, p.stiffness * h,
                         1e-9 * p.stiffness * (1 / p.mass + fabs(h)));
            assert_true(motion->stable == (facts.effective_inertia[i] > 0));
        }
        assert_int_equal(count, verdict.motion_count);
        assert_close(verdict.tau_cr, -p.inertia * p.gravity / p.lead,
                     1e-12 * p.inertia * p.gravity / p.lead); // (9.17)
        // (9.17a)
        assert_close(verdict.band_high, load / facts.efficiency[0], 1e-9 * load);
        assert_close(verdict.band_low, load / facts.efficiency[1], 1e-9 * load);
        paradoxes += facts.paradox;
        if (facts.paradox)
            assert_true(verdict.tau_cr > verdict.band_low && verdict.tau_cr < verdict.band_high);
    }
    assert_true(paradoxes > 10);
}

static void test_facts(void **state)
{
    (void)state;
    SpragScrew p = {.inertia = 1e-6,
                    .mass = 10,
                    .lead = 0.8e-3,
                    .helix = 0.08,
                    .thread_angle = 0.25,
                    .friction = 0.2,
                    .gravity = 9.81};
    SpragScrewFacts facts;
    sprag_screw_facts(&p, &facts);
    assert_close(cos(0.25), facts.kappa * cos(facts.rho), 1e-15);
    assert_close(0.2, facts.kappa * sin(facts.rho), 1e-15);
    assert_true(facts.self_locking && facts.efficiency[1] < 0);
    // at the critical inertia and at the critical friction the effective inertia vanishes
    SpragScrew critical = p;
    SpragScrewFacts at;
    critical.inertia = facts.critical_inertia;
    sprag_screw_facts(&critical, &at);
    assert_close(at.effective_inertia[1], 0, 1e-12 * critical.inertia);
    critical = p;
    critical.friction = facts.critical_friction;
    sprag_screw_facts(&critical, &at);
    assert_close(at.effective_inertia[1], 0, 1e-12 * p.inertia);
    critical.friction *= 1.001;
    sprag_screw_facts(&critical, &at);
    assert_true(at.paradox && critical.inertia < at.critical_inertia);
    // three solutions at rest, (9.17a)
    SpragPair pair;
    SpragPairVerdict verdict;
    sprag_pair_of_screw(&critical, &pair);
    SpragPairState rest = {0};
    sprag_pair_forward(&pair, &rest, NULL, &verdict);
    rest.input[0] = 0.5 * (verdict.band_low + verdict.tau_cr);
    sprag_pair_forward(&pair, &rest, NULL, &verdict);
    assert_int_equal(verdict.motion_count, 3);
    assert_int_equal(verdict.motions[1].direction, -1);
    assert_int_equal(verdict.motions[2].direction, -1);
}

// Forces of a held screw: theory.md 9.3, "At rest".
static void test_rest(void **state)
{
    (void)state;
    SpragScrew p = {.inertia = 1e-3,
                    .mass = 10,
                    .lead = 0.8e-3,
                    .helix = 0.08,
                    .thread_angle = 0.25,
                    .friction = 0.2,
                    .gravity = 9.81};
    SpragPair pair;
    SpragPairVerdict verdict;
    SpragPairState rest = {.input = {0.01, 0}};
    sprag_pair_of_screw(&p, &pair);
    sprag_pair_forward(&pair, &rest, NULL, &verdict);
    double r = p.lead / tan(p.helix), mg = p.mass * p.gravity;
    assert_true(verdict.held);
    assert_close(verdict.motions[0].normal,
                 (mg * cos(p.helix) + 0.01 / r * sin(p.helix)) / cos(p.thread_angle), 1e-10 * mg);
    assert_close(verdict.motions[0].friction, 0.01 / r * cos(p.helix) - mg * sin(p.helix),
                 1e-10 * mg);
    // the layer carries the axial load
    assert_close(verdict.motions[0].layer, mg, 1e-10 * mg);
}

static void test_transmission(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 912);
    int seen[3] = {0};
    for (int draw = 0; draw < test_draws(5000); draw++) {
        SpragTransmission p = {.friction = sprag_random_uniform(&random, 0, 2),
                               .slip = {1, 0},
                               .slope = sprag_random_uniform(&random, 0.2, 2),
                               .curvature = sprag_random_uniform(&random, -1, 1)};
        for (int i = 0; i < 2; i++) {
            p.a[i] = sprag_random_uniform(&random, 0.2, 3);
            p.b[i] = sprag_random_uniform(&random, -2, 2);
            p.d[i] = sprag_random_uniform(&random, 0.1, 1);
        }
        p.c[0] = sprag_random_uniform(&random, 0.2, 1);
        p.c[1] = -p.slope * p.c[0];
        SpragPair pair;
        SpragPairVerdict verdict;
        sprag_pair_of_transmission(&p, &pair);
        SpragPairState at = {
            .velocity = draw % 2 ? 1.5 : -1.5,
            .input = {sprag_random_uniform(&random, -4, 4), sprag_random_uniform(&random, -4, 4)}};
        sprag_pair_forward(&pair, &at, NULL, &verdict);
        int count = 0, direction = draw % 2 ? 1 : -1;
        for (int s = 1; s >= -1; s -= 2) {
            double A[3][3] = {{p.a[0], 0, p.c[0] + s * p.friction * p.d[0]},
                              {0, p.a[1], p.c[1] + s * p.friction * p.d[1]},
                              {1, -p.slope, 0}};
            double r[3] = {at.input[0] - p.b[0], at.input[1] - p.b[1], p.curvature * 2.25}, x[3];
            solve3(A, r, x);
            if (s * direction * x[2] <= 0)
                continue;
            assert_true(count < verdict.motion_count);
            const SpragPairMotion *motion = &verdict.motions[count++];
            double size = 1e-9 * (1 + fabs(x[0]) + fabs(x[1]) + fabs(x[2])) *
                          (1 + fabs(1 / motion->layer_rate));
            assert_close(motion->acceleration[0], x[0], size);
            assert_close(motion->acceleration[1], x[1], size);
            assert_close(motion->normal, x[2], size);
            double h = A[0][2] / p.a[0] - p.slope * A[1][2] / p.a[1]; // (9.8)
            assert_close(motion->layer_rate, h, 1e-10 * (1 + fabs(h)));
        }
        assert_int_equal(count, verdict.motion_count);
        seen[count]++;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

// A table of the ratio: the spline through sin has its derivatives to the order of its error.
static void test_curve(void **state)
{
    (void)state;
    enum { N = 81 };
    double x[N], y[N], bend[N], work[N], at[3];
    for (int i = 0; i < N; i++) {
        x[i] = 3.14159265358979 * i / (N - 1);
        y[i] = sin(x[i]); // sin'' = 0 at both ends: the natural spline fits
    }
    sprag_curve_bend(N, x, y, bend, work);
    SpragCurve curve = {N, x, y, bend}, straight = {N, x, y, NULL};
    double h = x[1];
    for (double t = 0.01; t < 3.14; t += 0.0371) {
        sprag_curve_evaluate(&curve, t, at);
        assert_close(at[0], sin(t), h * h * h * h);
        assert_close(at[1], cos(t), h * h * h);
        assert_close(at[2], -sin(t), h * h);
        sprag_curve_evaluate(&straight, t, at);
        assert_close(at[0], sin(t), h * h);
        assert_true(at[2] == 0);
    }
    sprag_curve_evaluate(&curve, -1, at);
    assert_close(at[0], -1, h * h * h);
    assert_close(at[1], 1, h * h * h);
    sprag_curve_evaluate(&straight, 5, at);
    assert_close(at[0], 0, 1e-14);
}

static void refuse(SpragContext *context, SpragScrew screw, const char *fragment)
{
    assert_int_equal(sprag_screw_check(context, &screw), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), fragment));
}

static void test_bad(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScrew good = {.inertia = 1e-3, .mass = 10, .lead = 1e-3, .helix = 0.3, .friction = 0.2};
    assert_ok(context, sprag_screw_check(context, &good));
    SpragScrew bad = good;
    bad.friction = 1 / tan(0.3) + 1e-9;
    refuse(context, bad, "cos(α + ρ) ≤ 0");
    bad = good;
    bad.inertia = -1;
    refuse(context, bad, "inertia must be a number > 0, got -1");
    bad = good;
    bad.lead = 0;
    refuse(context, bad, "lead must be a number > 0");
    bad = good;
    bad.mass = NAN;
    refuse(context, bad, "mass");
    bad = good;
    bad.helix = 2;
    refuse(context, bad, "helix");
    bad = good;
    bad.thread_angle = -0.1;
    refuse(context, bad, "thread-angle");
    SpragScalar scalar = {.a = -1, .c = 1};
    SpragPair pair;
    sprag_pair_of_scalar(&scalar, &pair);
    assert_int_equal(sprag_pair_check(context, &pair), SPRAG_ERROR_INPUT);
    SpragTransmission drive = {.a = {1, 1}, .c = {1, -1}, .d = {1, 1}, .slip = {1, 0}, .slope = 1};
    sprag_pair_of_transmission(&drive, &pair);
    assert_ok(context, sprag_pair_check(context, &pair));
    pair.slope = 0;
    assert_int_equal(sprag_pair_check(context, &pair), SPRAG_ERROR_INPUT);
    drive.d[0] = -1;
    sprag_pair_of_transmission(&drive, &pair);
    assert_int_equal(sprag_pair_check(context, &pair), SPRAG_ERROR_INPUT);
    drive.d[0] = drive.d[1] = 0;
    sprag_pair_of_transmission(&drive, &pair);
    assert_int_equal(sprag_pair_check(context, &pair), SPRAG_ERROR_INPUT);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions), cmocka_unit_test(test_facts),
        cmocka_unit_test(test_rest),    cmocka_unit_test(test_transmission),
        cmocka_unit_test(test_curve),   cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

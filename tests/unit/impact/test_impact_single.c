// test_impact_single.c: one contact: numbers checked elsewhere, the examples of theory.md 10.8, and
// the edges: borders between cases, no slip, no friction, infinite friction, singular mobility.
#include "support/test.h"

static const SpragRestitutionLaw LAWS[] = {SPRAG_RESTITUTION_NEWTON, SPRAG_RESTITUTION_POISSON,
                                           SPRAG_RESTITUTION_ENERGETIC};

// (10.4) with W in the order normal, tangent.
static SpragSingleImpact planar(double i1, double i2, double i3, double mu, double S, double C,
                                double e)
{
    return (SpragSingleImpact){.dimension = 2,
                               .W = {i2, -i3, -i3, i1},
                               .velocity = {C, S},
                               .friction = mu,
                               .e = e,
                               .law = SPRAG_RESTITUTION_ENERGETIC};
}

static SpragSingleResult solve(SpragSingleImpact problem, SpragRestitutionLaw law)
{
    SpragSingleResult result;
    problem.law = law;
    sprag_impact_single(&problem, &result);
    return result;
}

static double normal_loss(const SpragSingleResult *r)
{
    return r->loss.normal_compression + r->loss.normal_restitution;
}

static double tangential_loss(const SpragSingleResult *r)
{
    return r->loss.tangential_compression + r->loss.tangential_restitution;
}

// ---- The table ----------------------------------------------------------------------------------

typedef struct TableRow {
    char name[64], law[16], kind[32];
    double body[2][4]; // mass, inertia, arm
    double mu, e, v[2][3];
    double P_s, P_c, P_T, P_x, S, C, D_n, D_t, final[3], E_0, E_1;
} TableRow;

static bool read_row(const char *line, TableRow *r)
{
    double(*b)[4] = r->body, (*v)[3] = r->v;
    return sscanf(line,
                  "%63s %15s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf "
                  "%lf %lf %lf %lf %lf %lf %lf %31s %lf %lf %lf %lf %lf",
                  r->name, r->law, &b[0][0], &b[0][1], &b[0][2], &b[0][3], &b[1][0], &b[1][1],
                  &b[1][2], &b[1][3], &r->mu, &r->e, &v[0][0], &v[0][1], &v[0][2], &v[1][0],
                  &v[1][1], &v[1][2], &r->P_s, &r->P_c, &r->P_T, &r->P_x, &r->S, &r->C, &r->D_n,
                  &r->D_t, r->kind, &r->final[0], &r->final[1], &r->final[2], &r->E_0,
                  &r->E_1) == 32;
}

static SpragRestitutionLaw law_named(const char *name)
{
    return strcmp(name, "newton") == 0    ? SPRAG_RESTITUTION_NEWTON
           : strcmp(name, "poisson") == 0 ? SPRAG_RESTITUTION_POISSON
                                          : SPRAG_RESTITUTION_ENERGETIC;
}

static SpragImpactCase case_named(const char *name)
{
    return strcmp(name, "e:forward-slide") == 0 ? SPRAG_IMPACT_SLIDE
           : strcmp(name, "stick") == 0         ? SPRAG_IMPACT_STICK
                                                : SPRAG_IMPACT_REVERSE_COMPRESSION;
}

static void check_row(const TableRow *r)
{
    double i1 = 0, i2 = 0, i3 = 0, S = 0, C = 0;
    for (int k = 0; k < 2; k++) {
        const double *b = r->body[k], *v = r->v[k];
        i1 += 1 / b[0] + b[3] * b[3] / b[1];
        i2 += 1 / b[0] + b[2] * b[2] / b[1];
        i3 += b[2] * b[3] / b[1];
        S += (k == 0 ? 1 : -1) * (v[0] - v[2] * b[3]);
        C += (k == 0 ? 1 : -1) * (v[1] + v[2] * b[2]);
    }
    SpragSingleResult x = solve(planar(i1, i2, i3, r->mu, S, C, r->e), law_named(r->law));
    // the table has 12 digits
    assert_int_equal(x.kind, case_named(r->kind));
    assert_close(x.slip_stop, r->P_s, 1e-10);
    assert_close(x.compression, r->P_c, 1e-10);
    assert_close(x.impulse[0], r->P_T, 1e-10);
    assert_close(x.impulse[1], r->P_x, 1e-10);
    assert_close(x.after[1], r->S, 1e-10);
    assert_close(x.after[0], r->C, 1e-10);
    assert_close(normal_loss(&x), r->D_n, 1e-10);
    assert_close(tangential_loss(&x), r->D_t, 1e-10);
    assert_close(r->E_0 - r->E_1, r->D_n + r->D_t, 1e-10);
    const double *b = r->body[0], *v = r->v[0];
    assert_close(v[0] + x.impulse[1] / b[0], r->final[0], 1e-10);
    assert_close(v[1] + x.impulse[0] / b[0], r->final[1], 1e-10);
    double torque = b[2] * x.impulse[0] - b[3] * x.impulse[1];
    assert_close(v[2] + torque / b[1], r->final[2], 1e-9);
}

static void reference_table(void **state)
{
    (void)state;
    char line[1024];
    int rows = 0;
    FILE *file = fopen(SPRAG_SOURCE_DIR "/tests/data/impact/table.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        TableRow row;
        if (line[0] == '#')
            continue;
        assert_true(read_row(line, &row));
        check_row(&row);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 12);
}

// ---- Examples of theory.md ----------------------------------------------------------------------

// 10.8: a rod at 45° under Newton's law with e = 1 gains 0.0625 J.
static void newton_makes_energy(void **state)
{
    (void)state;
    SpragSingleImpact problem = planar(2.5, 2.5, 1.5, 0.9, 0.2, -1, 1);
    SpragSingleResult r = solve(problem, SPRAG_RESTITUTION_NEWTON);
    assert_int_equal(r.kind, SPRAG_IMPACT_STICK_COMPRESSION);
    assert_close(r.slip_stop, 0.2 / 3.75, 1e-15);
    assert_close(r.impulse[0], 1.175, 1e-12);
    assert_close(normal_loss(&r), -0.0673, 5e-5);
    assert_close(tangential_loss(&r), 0.0048, 5e-5);
    assert_close(r.energy_gain, 0.0625, 5e-5);
    r = solve(problem, SPRAG_RESTITUTION_ENERGETIC);
    assert_true(r.energy_gain == 0);
    assert_close(normal_loss(&r), 0, 1e-15);
}

// 10.8: a tangential impact under Poisson's law: the normal part alone is negative.
static void impact_without_collision(void **state)
{
    (void)state;
    SpragSingleImpact problem = planar(3.4, 1.6, 1.2, 1.8, -1, 0, 1);
    SpragSingleResult r = solve(problem, SPRAG_RESTITUTION_POISSON);
    assert_true(r.tangential && r.jam);
    assert_close(r.impulse[0], 0.6, 1e-12);
    assert_close(normal_loss(&r), -0.03587, 5e-6);
    assert_close(tangential_loss(&r), 0.18293, 5e-6);
    assert_true(r.energy_gain == 0);
    // Newton's law has no restitution here
    r = solve(problem, SPRAG_RESTITUTION_NEWTON);
    assert_close(r.impulse[0], r.compression, 1e-15);
    assert_close(r.after[0], 0, 1e-15);
    // slip the other way presses nothing: no impulse
    problem.velocity[1] = 1;
    r = solve(problem, SPRAG_RESTITUTION_POISSON);
    assert_int_equal(r.kind, SPRAG_IMPACT_NONE);
    assert_true(r.impulse[0] == 0 && r.after[1] == 1);
}

static void no_approach_is_no_impact(void **state)
{
    (void)state;
    SpragSingleResult r = solve(planar(2.5, 2.5, 1.5, 0.9, 0.2, 0.5, 1), SPRAG_RESTITUTION_NEWTON);
    assert_int_equal(r.kind, SPRAG_IMPACT_NONE);
    assert_true(r.impulse[0] == 0 && r.after[0] == 0.5 && r.after[1] == 0.2);
    assert_true(r.energy_gain == 0 && isinf(r.slip_stop));
}

// ---- Edges --------------------------------------------------------------------------------------

// At the borders P_s = P_c0, P_s = (1 + e) P_c0 and μ = |i3|/i1 results from either side agree.
static void borders_are_continuous(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++)
        for (int stick = 0; stick < 2; stick++)
            for (int border = 0; border < 2; border++) {
                double mu = stick ? 0.8 : 0.3, e = 0.6, A = mu * 2.5 + 1.5, B = 2.5 + mu * 1.5;
                double S = A / B * (border == 0 ? 1 : 1 + e);
                SpragSingleResult r[3];
                for (int k = 0; k < 3; k++)
                    r[k] = solve(planar(2.5, 2.5, 1.5, mu, S * (1 + 1e-13 * (k - 1)), -1, e),
                                 LAWS[law]);
                for (int k = 0; k < 3; k += 2)
                    for (int i = 0; i < 2; i++) {
                        assert_close(r[k].impulse[i], r[1].impulse[i], 1e-11);
                        assert_close(r[k].after[i], r[1].after[i], 1e-11);
                    }
            }
    for (int law = 0; law < 3; law++) {
        SpragSingleResult a =
            solve(planar(2.5, 2.5, 1.5, 0.6 * (1 + 1e-13), 0.1, -1, 0.5), LAWS[law]);
        SpragSingleResult b =
            solve(planar(2.5, 2.5, 1.5, 0.6 * (1 - 1e-13), 0.1, -1, 0.5), LAWS[law]);
        assert_close(a.impulse[0], b.impulse[0], 1e-11);
        assert_close(a.after[1], b.after[1], 1e-11);
    }
}

// Static friction decides between stick and reverse slip, kinetic drives the slip (theory.md 2.3).
static void static_friction_holds(void **state)
{
    (void)state;
    SpragSingleImpact problem = planar(2.5, 2.5, 1.5, 0.3, 0.2, -1, 0.5);
    assert_int_equal(solve(problem, SPRAG_RESTITUTION_ENERGETIC).kind,
                     SPRAG_IMPACT_REVERSE_COMPRESSION);
    problem.friction_static = 0.6;
    SpragSingleResult r = solve(problem, SPRAG_RESTITUTION_ENERGETIC);
    assert_int_equal(r.kind, SPRAG_IMPACT_STICK_COMPRESSION);
    assert_close(r.slip_stop, 0.2 / (0.3 * 2.5 + 1.5), 1e-15);
    problem.friction_static = 0.1; // less than kinetic: as kinetic
    assert_int_equal(solve(problem, SPRAG_RESTITUTION_ENERGETIC).kind,
                     SPRAG_IMPACT_REVERSE_COMPRESSION);
    problem.velocity[1] = 0;
    assert_int_equal(solve(problem, SPRAG_RESTITUTION_ENERGETIC).kind,
                     SPRAG_IMPACT_SLIDE_FROM_REST);
    problem.friction_static = 0.7;
    assert_int_equal(solve(problem, SPRAG_RESTITUTION_ENERGETIC).kind, SPRAG_IMPACT_STICK);
}

// Without friction, or without coupling, the laws coincide.
static void smooth_and_central_impacts(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++) {
        SpragSingleResult r = solve(planar(2.5, 2.5, 1.5, 0, 0.2, -1, 0.5), LAWS[law]);
        assert_close(r.impulse[0], 1.5 / 2.5, 1e-15);
        assert_close(r.after[0], 0.5, 1e-15);
        r = solve(planar(3, 1, 0, 0.4, 5, -2, 0.5), LAWS[law]);
        assert_int_equal(r.kind, SPRAG_IMPACT_SLIDE);
        assert_close(r.after[1], 5 - 3 * 0.4 * 3, 1e-14);
        r = solve(planar(3, 1, 0, 0.4, 1, -2, 0.5), LAWS[law]);
        assert_int_equal(r.kind, SPRAG_IMPACT_STICK_COMPRESSION);
        assert_true(r.after[1] == 0);
        assert_close(r.impulse[0], 3, 1e-14);
    }
}

// A disc of mass 1 and radius 1 on a floor, W = diag(1, 3): it sticks below |S| = 3 μ (1 + e) |C|,
// and then rolls; a ring, W = diag(1, 2), below 2 μ (1 + e) |C|.
// A ball on a table without friction, whose coupling of normal and slip is the rounding of a normal
// that is not along an axis: u_N⁺ = −e u_N⁻, whatever the slip.
static void rounding_does_not_couple(void **state)
{
    (void)state;
    const double roundings[] = {0, 1e-20, 3e-17, -2e-16};
    for (int i = 0; i < 4; i++) {
        for (int k = -12; k <= 3; k++) {
            double g = roundings[i], slip = pow(10, k);
            SpragSingleImpact impact = {.dimension = 3,
                                        .W = {0.75, g, -0.7 * g, g, 3.1, 0.2, -0.7 * g, 0.2, 2.9},
                                        .velocity = {-2.44, -0.6 * slip, 0.8 * slip},
                                        .law = SPRAG_RESTITUTION_ENERGETIC,
                                        .e = 0.3};
            SpragSingleResult result;
            sprag_impact_single(&impact, &result);
            assert_close(result.impulse[0], 1.3 * 2.44 / 0.75, 1e-12);
            assert_close(result.after[0], 0.3 * 2.44, 1e-12);
            assert_close(result.after[2], 0.8 * slip, 1e-14 + 1e-13 * slip);
            assert_true(result.energy_gain == 0);
        }
    }
}

static void oblique_disc_sticks_at_its_threshold(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++)
        for (double i1 = 2; i1 <= 3; i1++)
            for (int side = -1; side <= 1; side += 2) {
                double threshold = i1 * 0.25 * 1.7 * 2;
                SpragSingleResult r = solve(
                    planar(i1, 1, 0, 0.25, -threshold * (1 + 1e-12 * side), -2, 0.7), LAWS[law]);
                assert_int_equal(r.kind,
                                 side < 0 ? SPRAG_IMPACT_STICK_RESTITUTION : SPRAG_IMPACT_SLIDE);
                assert_close(r.after[1], 0, 1e-11);
                assert_close(r.impulse[1], 0.25 * 3.4, 1e-11);
                assert_close(r.after[0], 1.4, 1e-14);
            }
}

static void no_restitution_ends_with_compression(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++)
        for (double S = -1; S <= 1; S += 0.25) {
            SpragSingleResult r = solve(planar(2.5, 2.5, 1.5, 0.7, S, -1, 0), LAWS[law]);
            assert_close(r.impulse[0], r.compression, 1e-15);
            assert_close(r.after[0], 0, 1e-15);
            assert_close(r.loss.normal_restitution, 0, 1e-15);
        }
}

// Any friction without end is the limit of large ones: slip stops at once by a tangential impulse.
static void infinite_friction_stops_slip_at_once(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        SpragSingleImpact problem = planar(2.5, 2.5, 1.5, INFINITY, -0.4, -1, 0.5);
        if (dimension == 3)
            problem = (SpragSingleImpact){.dimension = 3,
                                          .W = {2.5, -1.5, 0, -1.5, 2.5, 0, 0, 0, 2},
                                          .velocity = {-1, -0.4, 0},
                                          .friction = INFINITY,
                                          .e = 0.5};
        problem.friction_static = INFINITY;
        SpragSingleResult r = solve(problem, SPRAG_RESTITUTION_NEWTON);
        assert_int_equal(r.kind, SPRAG_IMPACT_STICK_COMPRESSION);
        assert_close(r.slip_stop, 0, 1e-15);
        assert_true(r.after[1] == 0);
        assert_close(r.after[0], 0.5, 1e-13);
        // C_s = C + i3 S/i1, then B_σ = 1.6
        double C_s = -1 - 1.5 * 0.4 / 2.5;
        assert_close(r.impulse[0], (0.5 - C_s) / 1.6, 1e-12);
    }
}

// One degree of freedom: normal and tangential velocity stop together. Steep enough the contact
// locks and gives nothing back; else it slides back.
static void singular_mobility_locks(void **state)
{
    (void)state;
    for (int law = 0; law < 3; law++) {
        // u = (−1, 2) v: i2 = 1, i1 = 4, W_NT = −2
        SpragSingleResult r = solve(planar(4, 1, 2, 0.8, 1, -0.5, 0.5), LAWS[law]);
        assert_close(r.after[0], 0, 1e-12);
        assert_close(r.after[1], 0, 1e-12);
        assert_true(isfinite(r.impulse[0]) && r.impulse[0] > 0);
        r = solve(planar(4, 1, 2, 0.3, 1, -0.5, 0.5), LAWS[law]);
        assert_true(r.after[0] > 0.01);
        assert_close(r.after[1], -2 * r.after[0], 1e-12);
        assert_true(r.energy_gain == 0 || LAWS[law] == SPRAG_RESTITUTION_NEWTON);
        // velocities that W cannot change: nothing ends it
        r = solve(planar(4, 1, 2, 0.8, 0.2, -1, 0.5), LAWS[law]);
        assert_true(isinf(r.compression) && r.impulse[0] == 0 && r.after[0] == -1);
        r = solve(planar(1, 0, 0, 0.5, 1, -1, 0.5), LAWS[law]);
        assert_true(isinf(r.compression) && r.impulse[0] == 0);
    }
    // no tangential mobility: slip stays
    SpragSingleResult r = solve(planar(0, 2, 0, 0.5, 1, -1, 0.5), SPRAG_RESTITUTION_ENERGETIC);
    assert_int_equal(r.kind, SPRAG_IMPACT_SLIDE);
    assert_true(r.after[1] == 1);
    assert_close(r.impulse[0], 0.75, 1e-15);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(sprag_impact_case_name(SPRAG_IMPACT_SLIDE), "slide");
    assert_string_equal(sprag_impact_case_name(SPRAG_IMPACT_STICK_COMPRESSION),
                        "stick-in-compression");
    assert_string_equal(sprag_impact_case_name((SpragImpactCase)99), "?");
    assert_string_equal(sprag_impact_law_name((SpragImpactLaw)-1), "?");
    for (int i = 0; i < SPRAG_IMPACT_CASE_COUNT; i++)
        assert_non_null(sprag_impact_case_name((SpragImpactCase)i));
    for (int i = 0; i < SPRAG_IMPACT_LAW_COUNT; i++)
        assert_non_null(sprag_impact_law_name((SpragImpactLaw)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_table),
        cmocka_unit_test(newton_makes_energy),
        cmocka_unit_test(impact_without_collision),
        cmocka_unit_test(no_approach_is_no_impact),
        cmocka_unit_test(borders_are_continuous),
        cmocka_unit_test(static_friction_holds),
        cmocka_unit_test(smooth_and_central_impacts),
        cmocka_unit_test(rounding_does_not_couple),
        cmocka_unit_test(oblique_disc_sticks_at_its_threshold),
        cmocka_unit_test(no_restitution_ends_with_compression),
        cmocka_unit_test(infinite_friction_stops_slip_at_once),
        cmocka_unit_test(singular_mobility_locks),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_impact_bearing.c: joints that rub in a collision, theory.md (9.37), against momentum by
// hand.
#include "support/collisions.h"

static void add_bearing(Fixture *f, int normals, double friction, double slip)
{
    SpragConstraint *added;
    assert_ok(f->context, sprag_contact_problem_add_bearing(&f->problem, normals, 1, &added));
    added->friction = added->friction_static = friction;
    added->slip[0] = slip;
    added->sliding = slip != 0;
}

static double dot_rows(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// W = J M⁻¹ Jᵀ and u = J v, J rows × 3; then the collision with a rule at the first contact.
static void collide_by(Fixture *f, const double *J, const double *inverse, const double *v,
                       SpragImpactRule rule)
{
    SpragImpactRule rules[4] = {rule};
    assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
    int rows = f->problem.row_count;
    for (int r = 0; r < rows; r++) {
        f->problem.b[r] = 0;
        for (int k = 0; k < 3; k++)
            f->problem.b[r] += J[r * 3 + k] * v[k];
        for (int s = 0; s < rows; s++) {
            f->problem.W[r * rows + s] = 0;
            for (int k = 0; k < 3; k++)
                f->problem.W[r * rows + s] += J[r * 3 + k] * inverse[k] * J[s * 3 + k];
        }
    }
    assert_ok(f->context,
              sprag_impact_collide(f->impact, &f->problem, rules, SPRAG_IMPACTS_TOGETHER,
                                   f->impulse, f->after, &f->result));
    assert_true(f->result.found);
}

static void collide(Fixture *f, const double *J, const double *inverse, const double *v, double e)
{
    collide_by(f, J, inverse, v, (SpragImpactRule){SPRAG_RESTITUTION_NEWTON, e, 0, 0});
}

// The loss is that of the kinetic energy, −½ Σ P (u⁺ + u⁻).
static void assert_loss(const Fixture *f, double expected)
{
    assert_close(f->result.energy_loss, expected, 1e-9 * (1 + fabs(expected)));
}

// A drawer with a bearing of length L runs with v against a stop that stands d beside its axis and
// comes back with e v: both ends press with P d/L and rub against the way, first forth, then back:
// m v = P_c (1 + k) and m e v = P_r (1 − k), k = 2 μ d/L.
static void test_drawer_hits_a_stop(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i < 60; i++) {
        double m = 0.5 + i % 3, inertia = 0.1 + 0.2 * (i % 4), L = 0.2 + 0.1 * (i % 5);
        double d = 0.05 + 0.04 * (i % 6), mu = 0.08 * (i % 11), e = 0.2 + 0.2 * (i % 4);
        double v[3] = {1.5, 0, 0}, inverse[3] = {1 / m, 1 / m, 1 / inertia};
        double k = 2 * mu * d / L;
        bool wedged = k > 1; // it does not come back
        if (fabs(k - 1) < 0.1)
            continue;
        // contact: normal, tangent without friction; bearings: normal, tangent
        double J[6][3] = {{-1, 0, d}, {0, 1, 0},      {0, 1, L / 2},
                          {1, 0, 0},  {0, 1, -L / 2}, {1, 0, 0}};
        SpragConstraint *contact;
        sprag_contact_problem_clear(&f->problem, 2);
        assert_ok(f->context,
                  sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &contact));
        add_bearing(f, 1, mu, v[0]);
        add_bearing(f, 1, mu, v[0]);
        collide(f, J[0], inverse, v, e);
        double forth = m * v[0] / (1 + k), back = wedged ? 0 : m * e * v[0] / (1 - k);
        double P = forth + back, end = wedged ? 0 : e * v[0];
        assert_close(f->impulse[0], P, 1e-9 * P);
        assert_close(f->after[3], -end, 1e-9);
        for (int j = 0; j < 2; j++) {
            assert_close(fabs(f->impulse[2 + 2 * j]), P * d / L, 1e-8 * P);
            assert_close(f->impulse[3 + 2 * j], mu * (back - forth) * d / L, 1e-8 * P);
        }
        assert_close(f->impulse[2] + f->impulse[4], 0, 1e-8 * P);
        assert_loss(f, 0.5 * m * (v[0] * v[0] - end * end));
    }
}

// A bar on a pin that rubs is hit across at the distance c from the pin, the centre of mass is a
// from it: w⁺ = −e w; N = m a Δw − P across, (I + m a²) Δw = P c − sgn(w) μ r |N| first until it
// stands, then back. Returns P; *N: that of the phase.
static double pin_phase(double m, double a, double inertia, double c, double rub, double turn,
                        double *N)
{
    double P = NAN;
    for (int s = -1; s <= 1; s += 2) { // s: sign of N
        // (I + m a²) Δw = P c − rub s (m a Δw − P)
        double push = ((inertia + m * a * a) * turn + rub * s * m * a * turn) / (c + rub * s);
        if (s * (m * a * turn - push) >= 0)
            P = push;
    }
    *N = m * a * turn - P;
    return P;
}

static void test_pin_is_hit(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i < 60; i++) {
        double m = 1 + i % 3, a = 0.2 + 0.05 * (i % 4), inertia = 0.02 + 0.03 * (i % 5);
        double c = 0.1 + 0.12 * (i % 7), r = 0.02, mu = 0.1 * (i % 9), e = 0.1 + 0.3 * (i % 3);
        double w = -2, v[3] = {0, a * w, w}, inverse[3] = {1 / m, 1 / m, 1 / inertia};
        double J[5][3] = {{0, 1, c - a}, {1, 0, 0}, {1, 0, 0}, {0, 1, -a}, {0, 0, r}};
        double N[2];
        double P = pin_phase(m, a, inertia, c, -mu * r, -w, &N[0]) +
                   pin_phase(m, a, inertia, c, mu * r, -e * w, &N[1]);
        SpragConstraint *contact;
        sprag_contact_problem_clear(&f->problem, 2);
        assert_ok(f->context,
                  sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &contact));
        add_bearing(f, 2, mu, r * w);
        collide(f, J[0], inverse, v, e);
        assert_close(f->impulse[0], P, 1e-9 * P);
        assert_close(f->impulse[3], N[0] + N[1], 1e-9 * P);
        assert_close(f->impulse[4], mu * (fabs(N[0]) - fabs(N[1])), 1e-9 * P);
        assert_close(f->after[4], -e * r * w, 1e-10);
        assert_loss(f, 0.5 * (inertia + m * a * a) * w * w * (1 - e * e));
    }
}

// Three bearings on one slip share what stops it: friction that holds is not counted thrice.
static void test_several_hold_together(void **state)
{
    Fixture *f = *state;
    double v[3] = {0, -1, 0}, inverse[3] = {1, 1, 1};
    // a blow at 45 degrees to the rail; the rail's normals take its part across
    double s = sqrt(0.5);
    double J[8][3] = {{s, s, 0},   {-s, s, 0}, {0, 1, 0},    {1, 0, 0},
                      {0, 1, 0.3}, {1, 0, 0},  {0, 1, -0.3}, {1, 0, 0}};
    SpragConstraint *contact;
    assert_ok(f->context,
              sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &contact));
    for (int i = 0; i < 3; i++)
        add_bearing(f, 1, 2, 0);
    collide(f, J[0], inverse, v, 0.5);
    assert_close(f->after[3], 0, 1e-9); // the rail holds
    double friction = f->impulse[3] + f->impulse[5] + f->impulse[7];
    assert_close(friction, -s * f->impulse[0], 1e-9);
}

// A bearing that the blow does not reach leaves a single impact as it is, under every law.
static void test_beside_a_single_impact(void **state)
{
    Fixture *f = *state;
    SpragRandom random;
    sprag_random_init(&random, 41);
    for (int i = 0; i < test_draws(300); i++) {
        SpragSingleImpact single = {.dimension = 2,
                                    .friction = sprag_random_uniform(&random, 0, 1.5)};
        double a = sprag_random_uniform(&random, 0.2, 2), c = sprag_random_uniform(&random, 0.2, 2);
        double b = sprag_random_uniform(&random, -0.95, 0.95) * sqrt(a * c);
        memcpy(single.W, (double[]){a, b, b, c}, 4 * sizeof(double));
        single.velocity[0] = -sprag_random_uniform(&random, 0.1, 2);
        single.velocity[1] = i % 5 == 0 ? 0 : sprag_random_uniform(&random, -2, 2);
        single.friction_static = single.friction;
        single.law = (SpragRestitutionLaw)(i % 3);
        single.e = sprag_random_uniform(&random, 0.05, 1);
        SpragSingleResult wanted;
        sprag_impact_single(&single, &wanted);
        if (wanted.jam)
            continue; // no way out of compression by sliding
        SpragConstraint *contact;
        sprag_contact_problem_clear(&f->problem, 2);
        assert_ok(f->context,
                  sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &contact));
        contact->friction = contact->friction_static = single.friction;
        add_bearing(f, 1, 0.5, 1);
        assert_ok(f->context, sprag_contact_problem_reserve_dense(&f->problem));
        memcpy(f->problem.W, (double[]){a, b, 0, 0, b, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
               16 * sizeof(double));
        memcpy(f->problem.b, (double[]){single.velocity[0], single.velocity[1], 0, 1},
               4 * sizeof(double));
        SpragImpactRule rules[2] = {{single.law, single.e, 0, 0}};
        assert_ok(f->context,
                  sprag_impact_collide(f->impact, &f->problem, rules, SPRAG_IMPACTS_TOGETHER,
                                       f->impulse, f->after, &f->result));
        for (int k = 0; k < 2; k++) {
            assert_close(f->impulse[k], wanted.impulse[k], 1e-9 * (1 + wanted.impulse[0]));
            assert_close(f->after[k], wanted.after[k], 1e-9);
        }
        assert_close(f->after[3], 1, 0);
    }
}

// Blows on machines of three coordinates with a rubbing joint: the energetic law and Poisson's make
// no energy, whatever slips do, and friction of the joint takes some.
static void test_no_energy_is_made(void **state)
{
    Fixture *f = *state;
    int reversed = 0;
    SpragRandom random;
    sprag_random_init(&random, 42);
    for (int i = 0; i < test_draws(400); i++) {
        double J[3][3], v[3], inverse[3] = {1, 1, 1};
        for (int k = 0; k < 9; k++)
            J[k / 3][k % 3] = sprag_random_uniform(&random, -1, 1);
        for (int k = 0; k < 3; k++)
            v[k] = sprag_random_uniform(&random, -1, 1);
        double across = 0, size = 0; // v keeps the joint: nothing along its normal
        for (int k = 0; k < 3; k++) {
            across += J[1][k] * v[k];
            size += J[1][k] * J[1][k];
        }
        for (int k = 0; k < 3; k++)
            v[k] -= J[1][k] * across / size;
        if (dot_rows(J[0], v) > -0.05)
            continue;
        SpragConstraint *limit;
        sprag_contact_problem_clear(&f->problem, 2);
        assert_ok(f->context,
                  sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_LIMIT, &limit));
        add_bearing(f, 1, sprag_random_uniform(&random, 0.05, 0.6), dot_rows(J[2], v));
        collide_by(
            f, J[0], inverse, v,
            (SpragImpactRule){i % 2 ? SPRAG_RESTITUTION_ENERGETIC : SPRAG_RESTITUTION_POISSON,
                              sprag_random_uniform(&random, 0, 1), 0, 0});
        reversed += f->after[2] * dot_rows(J[2], v) < -1e-6;
        assert_true(f->result.energy_loss > -1e-12);
    }
    assert_true(reversed > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_drawer_hits_a_stop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pin_is_hit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_hold_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_beside_a_single_impact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_energy_is_made, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_impact_bearing.c: joints that rub in a collision, theory.md (9.37), against momentum by
// hand.
#include "support/collisions.h"

static void add_bearing(Fixture *f, int normals, double friction, double slip)
{
    SpragConstraint *added;
    assert_ok(f->context, sprag_contact_problem_add_bearing(&f->problem, normals, &added));
    added->friction = added->friction_static = friction;
    added->slip[0] = slip;
    added->sliding = slip != 0;
}

// W = J M⁻¹ Jᵀ and u = J v, J rows × 3; then the collision with Newton's e at the first contact.
static void collide(Fixture *f, const double *J, const double *inverse, const double *v, double e)
{
    SpragImpactRule rules[4] = {{SPRAG_RESTITUTION_NEWTON, e, 0, 0}};
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

// The loss is that of the kinetic energy, −½ Σ P (u⁺ + u⁻).
static void assert_loss(const Fixture *f, double expected)
{
    assert_close(f->result.energy_loss, expected, 1e-9 * (1 + fabs(expected)));
}

// A drawer with a bearing of length L runs with v against a stop that stands d beside its axis and
// comes back with e v: both ends press with P d/L and rub against the way back, so that
// m (1 + e) v = P (1 − 2 μ d/L).
static void test_drawer_hits_a_stop(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i < 60; i++) {
        double m = 0.5 + i % 3, inertia = 0.1 + 0.2 * (i % 4), L = 0.2 + 0.1 * (i % 5);
        double d = 0.05 + 0.04 * (i % 6), mu = 0.08 * (i % 11), e = 0.2 + 0.2 * (i % 4);
        double v[3] = {1.5, 0, 0}, inverse[3] = {1 / m, 1 / m, 1 / inertia};
        double left = 1 - 2 * mu * d / L;
        if (left < 0.1)
            continue; // wedged: it does not come back
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
        double P = m * (1 + e) * v[0] / left;
        assert_close(f->impulse[0], P, 1e-9 * P);
        assert_close(f->after[3], -e * v[0], 1e-9);
        for (int k = 0; k < 2; k++) {
            assert_close(fabs(f->impulse[2 + 2 * k]), P * d / L, 1e-8 * P);
            assert_close(f->impulse[3 + 2 * k], mu * P * d / L, 1e-8 * P);
        }
        assert_close(f->impulse[2] + f->impulse[4], 0, 1e-8 * P);
        assert_loss(f, 0.5 * m * v[0] * v[0] * (1 - e * e));
    }
}

// A bar on a pin that rubs is hit across at the distance c from the pin, the centre of mass is a
// from it: w⁺ = −e w; N = m a Δw − P across, (I + m a²) Δw = P c − sgn(w⁺) μ r |N|.
static void test_pin_is_hit(void **state)
{
    Fixture *f = *state;
    for (int i = 0; i < 60; i++) {
        double m = 1 + i % 3, a = 0.2 + 0.05 * (i % 4), inertia = 0.02 + 0.03 * (i % 5);
        double c = 0.1 + 0.12 * (i % 7), r = 0.02, mu = 0.1 * (i % 9), e = 0.1 + 0.3 * (i % 3);
        double w = -2, v[3] = {0, a * w, w}, inverse[3] = {1 / m, 1 / m, 1 / inertia};
        double J[5][3] = {{0, 1, c - a}, {1, 0, 0}, {1, 0, 0}, {0, 1, -a}, {0, 0, r}};
        double turn = -(1 + e) * w, P = NAN;
        for (int s = -1; s <= 1; s += 2) { // s: sign of N
            // (I + m a²) Δw = P c − μ r s (m a Δw − P)
            double push =
                ((inertia + m * a * a) * turn + mu * r * s * m * a * turn) / (c + mu * r * s);
            if (s * (m * a * turn - push) >= 0)
                P = push;
        }
        SpragConstraint *contact;
        sprag_contact_problem_clear(&f->problem, 2);
        assert_ok(f->context,
                  sprag_contact_problem_add(&f->problem, SPRAG_CONSTRAINT_CONTACT, &contact));
        add_bearing(f, 2, mu, r * w);
        collide(f, J[0], inverse, v, e);
        assert_close(f->impulse[0], P, 1e-9 * P);
        assert_close(f->impulse[3], m * a * turn - P, 1e-9 * P);
        assert_close(f->impulse[4], -mu * fabs(m * a * turn - P), 1e-9 * P);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_drawer_hits_a_stop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pin_is_hit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_hold_together, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_friction_contact.c: the cone, the residual, and one contact against the laws themselves.
#include "support/test.h"

// W = A Aᵀ of size d, b random with approach.
static void draw_contact(SpragRandom *random, int d, double *W, double *b)
{
    double A[9];
    for (int k = 0; k < d * d; k++)
        A[k] = sprag_random_normal(random);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            W[i * d + j] = i == j ? 1e-3 : 0;
            for (int k = 0; k < d; k++)
                W[i * d + j] += A[i * d + k] * A[j * d + k];
        }
    for (int k = 0; k < d; k++)
        b[k] = sprag_random_normal(random);
}

static void projections_are_nearest(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    for (int draw = 0; draw < test_draws(200); draw++) {
        int d = 2 + draw % 2;
        double mu = draw % 7 == 0 ? 0 : sprag_random_uniform(&random, 0, 2), x[3], p[3], y[3];
        for (int k = 0; k < d; k++)
            x[k] = sprag_random_normal(&random);
        sprag_friction_project(d, mu, x, p);
        double tangent = d == 3 ? hypot(p[1], p[2]) : fabs(p[1]);
        assert_true(tangent <= mu * p[0] + 1e-15);
        // (x − p)·(y − p) ≤ 0 for every y of the cone: the angle at the nearest point
        for (int other = 0; other < 20; other++) {
            double dot = 0, length;
            for (int k = 0; k < d; k++)
                y[k] = sprag_random_normal(&random);
            length = d == 3 ? hypot(y[1], y[2]) : fabs(y[1]);
            y[0] = mu > 0 ? length / mu + fabs(y[0]) : fabs(y[0]);
            for (int k = 0; k < d; k++) {
                if (mu == 0 && k > 0)
                    y[k] = 0;
                dot += (x[k] - p[k]) * (y[k] - p[k]);
            }
            assert_true(dot <= 1e-12 * (1 + fabs(y[0])));
        }
    }
}

static SpragFrictionProblem one(int d, const double *W, const double *b, const double *mu)
{
    return (SpragFrictionProblem){
        .dimension = d, .contact_count = 1, .q = b, .friction = mu, .W = W};
}

static void one_contact_obeys_the_laws(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    int slips = 0, sticks = 0, open = 0;
    for (int draw = 0; draw < test_draws(2000); draw++) {
        int d = 2 + draw % 2;
        double W[9], b[3], r[3], u[3],
            mu = draw % 10 == 0 ? 0 : sprag_random_uniform(&random, 0, 2);
        draw_contact(&random, d, W, b);
        sprag_friction_solve_contact(d, W, b, mu, r);
        for (int i = 0; i < d; i++) {
            u[i] = b[i];
            for (int j = 0; j < d; j++)
                u[i] += W[i * d + j] * r[j];
        }
        double friction = d == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
        double slip = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]), size = 1 + fabs(r[0]);
        double along = r[1] * u[1] + (d == 3 ? r[2] * u[2] : 0);
        // rounding of u grows with W r, whose entries are a few times r
        assert_true(r[0] >= 0 && u[0] >= -1e-12 * size && fabs(r[0] * u[0]) <= 1e-11 * size * size);
        assert_true(friction <= mu * r[0] * (1 + 1e-12));
        assert_close(along, -mu * r[0] * slip, 1e-10 * size * size);
        SpragFrictionProblem problem = one(d, W, b, &mu);
        assert_true(sprag_friction_residual(&problem, r, u).natural < 1e-10 * size);
        open += r[0] == 0;
        sticks += r[0] > 0 && slip < 1e-12 * size;
        slips += r[0] > 0 && slip > 1e-6;
    }
    assert_true(open > 100 && sticks > 100 && slips > 100);
}

static void residuals_tell_what_is_wrong(void **state)
{
    (void)state;
    // u = r + q: q = (−1, 3): r = (1, −0.5) for μ = 0.5, u = (0, 2.5)
    double W[] = {1, 0, 0, 1}, q[] = {-1, 3}, mu = 0.5, r[] = {1, -0.5}, u[] = {0, 2.5};
    SpragFrictionProblem problem = one(2, W, q, &mu);
    assert_close(sprag_friction_residual(&problem, r, u).natural, 0, 1e-16);
    r[0] = 0, r[1] = 0;
    // proj_K(−ũ) with ũ = (−1 + 1.5, 3): −ũ = (−0.5, −3) lies outside: onto the edge (1, −0.5)
    double along = (-0.5 * 1 + 3 * 0.5) / 1.25;
    assert_close(sprag_friction_residual(&problem, r, q).natural, along * sqrt(1.25) / sqrt(10),
                 1e-15);
    // other units of force: r in kN, W in m/s per kN
    double kilo_W[] = {1000, 0, 0, 1000}, kilo_r[] = {0.0011, -0.0004}, plain_r[] = {1.1, -0.4};
    double plain_u[] = {0.1, 2.6};
    SpragFrictionProblem kilo = one(2, kilo_W, q, &mu);
    assert_close(sprag_friction_residual(&kilo, kilo_r, plain_u).unit_free,
                 sprag_friction_residual(&problem, plain_r, plain_u).unit_free, 1e-15);
    r[0] = NAN;
    assert_true(isinf(sprag_friction_residual(&problem, r, u).natural));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_are_nearest),
        cmocka_unit_test(one_contact_obeys_the_laws),
        cmocka_unit_test(residuals_tell_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

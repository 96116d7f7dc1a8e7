// Bearings with three normals and three tangents, theory.md (9.43): one at rest against a scan over
// its pressure with friction found by small projected steps, (9.44), several beside a contact, a
// slip in a known direction, and friction in a ball by itself.
#include "support/with_bearings.h"

enum { ROWS = 6 };

static SpragConstraint *add_ball(SpragContactProblem *problem, double mu)
{
    SpragConstraint *c;
    assert_ok(context, sprag_contact_problem_add_bearing(problem, 3, 3, &c));
    assert_int_equal(c->row_count, ROWS);
    assert_int_equal(sprag_constraint_normals(c), 3);
    c->friction = mu;
    return c;
}

// ---- One at rest --------------------------------------------------------------------------------

typedef struct Own {
    double S[3][3], c[3]; // slips follow friction f: S f + c
    double Q[3][3], p[3]; // normal forces: p + Q f
} Own;

// Gauss with the right sides behind the 3 × 3 matrix.
static void eliminate(double A[3][7])
{
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 3; i++)
            for (int j = 6; i != p && j >= p; j--)
                A[i][j] -= A[i][p] / A[p][p] * A[p][j];
    for (int i = 0; i < 3; i++)
        for (int j = 6; j >= i; j--)
            A[i][j] /= A[i][i];
}

static Own own_of(const SpragContactProblem *p)
{
    Own own;
    double A[3][7];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 7; j++)
            A[i][j] = j < 6 ? p->W[i * ROWS + j] : p->b[i];
    eliminate(A);
    for (int i = 0; i < 3; i++) {
        own.p[i] = -A[i][6];
        own.c[i] = p->b[3 + i];
        for (int j = 0; j < 3; j++) {
            own.Q[i][j] = -A[i][3 + j];
            own.S[i][j] = p->W[(3 + i) * ROWS + 3 + j];
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            own.c[i] += p->W[(3 + i) * ROWS + k] * own.p[k];
            for (int j = 0; j < 3; j++)
                own.S[i][j] += p->W[(3 + i) * ROWS + k] * own.Q[k][j];
        }
    return own;
}

// Friction up to `limit` against what is left of the slip, by projected steps.
static void hold(const Own *own, double limit, double f[3])
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most += own->S[i][i];
    memset(f, 0, 3 * sizeof *f);
    for (int step = 0; step < 100000; step++) {
        double next[3], change = 0;
        for (int i = 0; i < 3; i++) {
            next[i] = f[i] - own->c[i] / most;
            for (int j = 0; j < 3; j++)
                next[i] -= own->S[i][j] * f[j] / most;
        }
        double size = sprag_length(3, next), part = size > limit ? limit / size : 1;
        for (int i = 0; i < 3; i++) {
            change = fmax(change, fabs(part * next[i] - f[i]));
            f[i] = part * next[i];
        }
        if (change < 1e-14)
            return;
    }
}

static double excess(const Own *own, double mu, double P, double f[3])
{
    double normal[3];
    hold(own, mu * P, f);
    for (int i = 0; i < 3; i++) {
        normal[i] = own->p[i];
        for (int j = 0; j < 3; j++)
            normal[i] += own->Q[i][j] * f[j];
    }
    return sprag_length(3, normal) - P;
}

static void test_one(void **state)
{
    (void)state;
    SpragRandom random;
    int seen[2] = {0}, proved = 0;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(60); draw++) {
        SpragContactProblem problem;
        double mu = exp(sprag_random_uniform(&random, -3, 0)), f[3];
        sprag_contact_problem_init(&problem, context);
        sprag_contact_problem_clear(&problem, 3);
        add_ball(&problem, mu);
        fill_random(&problem, &random);
        SpragMotionSet set = run(&problem);
        Own own = own_of(&problem);
        double q = 0;
        for (int k = 0; k < 9; k++)
            q = hypot(q, own.Q[k / 3][k % 3]);
        proved += set.complete;
        // friction that is weak against its own effect has one pressure, in [0, large]: bisection
        double low = 0, high = 1;
        while (mu * q < 0.3 && excess(&own, mu, high, f) > 0)
            high *= 2;
        for (int k = 0; k < 60 && mu * q < 0.3; k++) {
            double P = (low + high) / 2;
            *(excess(&own, mu, P, f) > 0 ? &low : &high) = P;
        }
        if (mu * q < 0.3) {
            assert_int_equal(set.count, 1);
            bool sticks = sprag_length(3, f) < mu * low * (1 - 1e-9);
            seen[sticks]++;
            assert_int_equal(set.motions[0].modes[0], sticks ? SPRAG_MODE_STICK : SPRAG_MODE_SLIDE);
            // projected steps of up to 1e5 leave 1e-9 of what they look for
            for (int k = 0; k < 3; k++)
                assert_close(set.motions[0].force[3 + k], f[k], 1e-6 * (1 + mu * low));
            assert_close(sprag_length(3, set.motions[0].force), low, 1e-6 * (1 + low));
            if (!sticks) {
                const double *a = set.motions[0].acceleration + 3, *d = set.motions[0].direction;
                for (int k = 0; k < 3; k++)
                    assert_close(d[k], a[k] / sprag_length(3, a), 1e-9);
            }
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && proved > 0);
}

// (9.44) is what proves that a slip that starts is the only motion: friction far below its limit.
static void test_proof(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, context);
        sprag_contact_problem_clear(&problem, 3);
        add_ball(&problem, weak ? 0.2 : 0.9);
        assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
        for (int i = 0; i < ROWS; i++)
            problem.W[i * (ROWS + 1)] = 1;
        // tangents 1 and 2 pull on normals 2 and 1: q = √2 × 0.8, S = diag(0.36, 0.36, 1), so that
        // μ q (k + 1)/(2 √k) = 1.28 μ
        problem.W[1 * ROWS + 3] = problem.W[3 * ROWS + 1] = 0.8;
        problem.W[0 * ROWS + 4] = problem.W[4 * ROWS + 0] = -0.8;
        const double b[ROWS] = {1, 0.2, 2, 5, -3, 4};
        memcpy(problem.b, b, sizeof b);
        SpragMotionSet set = run(&problem);
        assert_true(set.count >= 1);
        assert_int_equal(set.motions[0].modes[0], SPRAG_MODE_SLIDE);
        assert_int_equal(set.complete, weak);
        sprag_contact_problem_destroy(&problem);
    }
}

// In slip friction is known up to its size: λT = −μ |λN| d, with |p + q s| = s.
static void test_slip(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 6);
    for (int draw = 0; draw < test_draws(100); draw++) {
        SpragContactProblem problem;
        double d[3], mu = 0.05;
        sprag_contact_problem_init(&problem, context);
        sprag_contact_problem_clear(&problem, 3);
        SpragConstraint *c = add_ball(&problem, mu);
        c->sliding = true;
        for (int k = 0; k < 3; k++)
            c->slip[k] = sprag_random_normal(&random);
        for (int k = 0; k < 3; k++)
            d[k] = c->slip[k] / sprag_length(3, c->slip);
        fill_random(&problem, &random);
        Own own = own_of(&problem);
        double q = 0, s = 0;
        for (int k = 0; k < 9; k++)
            q = hypot(q, own.Q[k / 3][k % 3]);
        SpragMotionSet set = run(&problem);
        for (int k = 0; k < 300 && mu * q < 0.9; k++) {
            double normal[3];
            for (int i = 0; i < 3; i++) {
                normal[i] = own.p[i];
                for (int j = 0; j < 3; j++)
                    normal[i] -= own.Q[i][j] * mu * s * d[j];
            }
            s = sprag_length(3, normal);
        }
        if (mu * q < 0.9) {
            assert_int_equal(set.count, 1);
            assert_true(set.complete);
            for (int k = 0; k < 3; k++)
                assert_close(set.motions[0].force[3 + k], -mu * s * d[k], 1e-10 * (1 + s));
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// ---- Several ------------------------------------------------------------------------------------

// Two balls and a contact at rest under weak friction, which one motion obeys: it is found.
static void test_several(void **state)
{
    (void)state;
    SpragRandom random;
    int found = 0, draws = test_draws(40), slips = 0;
    sprag_random_init(&random, 8);
    for (int draw = 0; draw < draws; draw++) {
        SpragContactProblem problem;
        SpragConstraint *contact;
        sprag_contact_problem_init(&problem, context);
        sprag_contact_problem_clear(&problem, 3);
        add_ball(&problem, 0.02);
        add_ball(&problem, 0.03);
        assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_CONTACT, &contact));
        contact->friction = 0.02;
        fill_random(&problem, &random);
        for (int i = 0; i < problem.row_count; i++) // as if they hardly knew of each other
            for (int j = 0; j < problem.row_count; j++)
                problem.W[i * problem.row_count + j] *= i == j ? 1 : 0.2;
        SpragMotionSet set = run(&problem);
        assert_true(set.count <= 1);
        found += set.count;
        slips += set.count == 1 && set.motions[0].modes[0] == SPRAG_MODE_SLIDE;
        sprag_contact_problem_destroy(&problem);
    }
    assert_int_equal(found, draws);
    assert_true(slips > 0);
}

static void test_bad(void **state)
{
    (void)state;
    SpragContactProblem problem;
    SpragConstraint *c;
    sprag_contact_problem_init(&problem, context);
    for (int dimension = 2; dimension <= 3; dimension++) {
        int most = dimension == 2 ? 2 : 3, ways = dimension == 2 ? 1 : 3;
        sprag_contact_problem_clear(&problem, dimension);
        assert_int_equal(sprag_contact_problem_add_bearing(&problem, most + 1, 1, &c),
                         SPRAG_ERROR_ARGUMENT);
        assert_int_equal(sprag_contact_problem_add_bearing(&problem, most, ways + 1, &c),
                         SPRAG_ERROR_ARGUMENT);
        assert_ok(context, sprag_contact_problem_add_bearing(&problem, most, ways, &c));
    }
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),     cmocka_unit_test(test_proof), cmocka_unit_test(test_slip),
        cmocka_unit_test(test_several), cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

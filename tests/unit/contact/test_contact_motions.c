// Motions of contact problems: theory.md 4.2, 4.3, dependent rows, and brute force over bases of
// (2.12).
#include "support/problems.h"
#include "support/with_search.h"

static SpragMotionSet run(SpragContactProblem *problem)
{
    SpragMotionSet set;
    assert_ok(context, sprag_motion_search_run(search, problem, NULL, &set));
    for (int i = 0; i < set.count; i++) {
        // rounding of a few solves, relative to the sizes of the problem
        if (set.motions[i].residual > 1e-8)
            print_error("residual %g of motion %d\n", set.motions[i].residual, i);
        assert_true(set.motions[i].residual <= 1e-8);
    }
    return set;
}

// All sign cases of one sliding contact, theory.md 4.2: number of motions, and their normal forces.
static void test_sliding_table(void **state)
{
    (void)state;
    // a_nt chosen so that A = a_nn + μ_s a_nt has the wanted sign (slip < 0: μ_s = +μ = 2)
    static const struct {
        double a_nt, b, count, first_force, dimension;
    } cases[] = {{-0.25, 1, 1, 0, 0}, {-0.25, 0, 1, 0, 0}, {-0.25, -1, 1, 2, 0},
                 {-0.5, 1, 1, 0, 0},  {-0.5, 0, 1, 0, 1},  {-0.5, -1, 0, 0, 0},
                 {-0.75, 1, 2, 2, 0}, {-0.75, 0, 1, 0, 0}, {-0.75, -1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragContactProblem problem;
        problem_one(&problem, context, (double[]){1, cases[i].a_nt, 1}, (double[]){cases[i].b, 0.3},
                    2, -1.5);
        SpragMotionSet set = run(&problem);
        assert_true(set.complete);
        assert_int_equal(set.count, (int)cases[i].count);
        if (set.count > 0) {
            assert_close(set.motions[0].force[0], cases[i].first_force, 1e-12);
            assert_close(set.motions[0].force[1], 2 * cases[i].first_force, 1e-12);
            assert_int_equal(set.motions[0].dimension, (int)cases[i].dimension);
        }
        if (set.count == 2) {
            assert_int_equal(set.motions[0].modes[0], SPRAG_MODE_SLIDE_MINUS);
            assert_int_equal(set.motions[1].modes[0], SPRAG_MODE_SEPARATE);
            assert_close(set.motions[1].acceleration[0], 1, 1e-12);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Direct evaluation of theory.md (4.9); returns the number of motions.
static int count_at_rest(const double a[3], const double b[2], double mu)
{
    int count = b[0] >= 0;
    double det = a[0] * a[2] - a[1] * a[1];
    double n = (-b[0] * a[2] + b[1] * a[1]) / det, t = (-b[1] * a[0] + b[0] * a[1]) / det;
    count += n > 0 && fabs(t) <= mu * n;
    for (int k = -1; k <= 1; k += 2) {
        double A = a[0] - k * mu * a[1], lambda = -b[0] / A;
        count += lambda > 0 && k * ((a[1] - k * mu * a[2]) * lambda + b[1]) > 0;
    }
    return count;
}

static void test_at_rest(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 7);
    int threes = 0;
    for (int draw = 0; draw < test_draws(3000); draw++) {
        double p[4];
        for (int i = 0; i < 4; i++)
            p[i] = sprag_random_normal(&random);
        double a[3] = {p[0] * p[0] + p[1] * p[1], p[0] * p[2] + p[1] * p[3],
                       p[2] * p[2] + p[3] * p[3]};
        double b[2] = {sprag_random_normal(&random), sprag_random_normal(&random)};
        double mu = sprag_random_uniform(&random, 0.1, 3);
        SpragContactProblem problem;
        problem_one(&problem, context, a, b, mu, 0);
        SpragMotionSet set = run(&problem);
        if (set.count != count_at_rest(a, b, mu))
            print_error("a %.17g %.17g %.17g b %.17g %.17g mu %.17g\n", a[0], a[1], a[2], b[0],
                        b[1], mu);
        assert_int_equal(set.count, count_at_rest(a, b, mu));
        // theory.md 3.3: one, or three when (3.5) fails
        assert_true(set.count == 1 || set.count == 3);
        if (a[0] > mu * fabs(a[1]))
            assert_int_equal(set.count, 1);
        threes += set.count == 3;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(threes > 0);
}

static void test_box_at_rest(void **state)
{
    (void)state;
    static const SpragVec2 points[] = {{-1, -0.5}, {-0.4, -0.5}, {0.1, -0.5}, {1, -0.5}};
    double friction[] = {0.5, 0.5, 0.5, 0.5}, slip[4] = {0};
    for (int count = 2; count <= 4; count++) {
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, 2, 0.7, count, points + 4 - count, friction, slip,
                               (double[]){0, -2 * 9.81, 0});
        SpragMotionSet set = run(&problem);
        if (count == 2) // feet at 0.1 and 1: the box tips over the inner one
            assert_int_equal(set.motions[0].modes[1], SPRAG_MODE_SEPARATE);
        assert_int_equal(set.count, 1);
        if (count > 2) {
            const SpragMotion *m = &set.motions[0];
            double normal = 0, tangential = 0, moment = 0;
            for (int i = 0; i < count; i++) {
                assert_int_equal(m->modes[i], SPRAG_MODE_STICK);
                normal += m->force[2 * i];
                tangential += m->force[2 * i + 1];
                moment += points[4 - count + i].x * m->force[2 * i];
                assert_true(m->force_low[2 * i] >= -1e-6 &&
                            m->force_high[2 * i] <= 2 * 9.81 + 1e-6);
            }
            assert_close(normal, 2 * 9.81, 1e-9);
            assert_close(tangential, 0, 1e-9);
            assert_close(moment, 0, 1e-9);
            // 2 count forces minus 3 balances
            assert_int_equal(m->force_dimension, 2 * count - 3);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Square block on two feet, theory.md 14.4: sticks up to tan α = μ though the least-norm force
// leaves its cone at 1/3; the representative must stay inside the cones.
static void test_incline_threshold(void **state)
{
    (void)state;
    static const SpragVec2 feet[] = {{-1, -1}, {1, -1}};
    double slip[2] = {0};
    for (int above = 0; above < 2; above++) {
        double mu = 0.5, friction[] = {mu, mu};
        double tangent = mu * (above ? 1 + 1e-9 : 1 - 1e-9);
        double c = 1 / sqrt(1 + tangent * tangent), s = tangent * c;
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, 1, 2.0 / 3, 2, feet, friction, slip,
                               (double[]){9.81 * s, -9.81 * c, 0});
        SpragMotionSet set = run(&problem);
        assert_int_equal(set.count, 1);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(set.motions[0].modes[i],
                             above ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_STICK);
            double cone = mu * set.motions[0].force[2 * i] - fabs(set.motions[0].force[2 * i + 1]);
            assert_true(cone > -1e-8);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Theory.md 2.6: one foot on the floor, the other on a belt; normal forces balance the weight.
static void test_coupling_block(void **state)
{
    (void)state;
    static const SpragVec2 feet[] = {{-1, -1}, {1, -1}};
    double friction[] = {0.5, 0.3}, slip[] = {0, -1};
    SpragContactProblem problem;
    problem_body_on_points(&problem, context, 1, 2.0 / 3, 2, feet, friction, slip,
                           (double[]){0, -9.81, 0});
    SpragMotionSet set = run(&problem);
    assert_int_equal(set.count, 1);
    // reference.json, xu16.counterexample: 4.905, 4.905, −1.4715
    assert_close(set.motions[0].force[0], 4.905, 1e-9);
    assert_close(set.motions[0].force[2], 4.905, 1e-9);
    assert_close(set.motions[0].force[1], -1.4715, 1e-9);
    sprag_contact_problem_destroy(&problem);
}

// ---- Brute force over the bases of (2.12), sharing no code with the search ----------------------

typedef struct Brute {
    int n;
    double A[144], b[12];
    int count;
    double motions[64][8];
} Brute;

// Gauss elimination with partial pivoting; false if singular.
static bool gauss(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        if (fabs(A[p * n + k]) < 1e-11)
            return false;
        for (int j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        double t = x[k];
        x[k] = x[p];
        x[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return true;
}

static void brute_basis(Brute *brute, const SpragContactProblem *problem, unsigned basis)
{
    int index[12], k = 0, n = brute->n;
    double A[144], x[12], z[12] = {0}, force[8], a[8];
    for (int i = 0; i < n; i++)
        if (basis >> i & 1)
            index[k++] = i;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            A[i * k + j] = brute->A[index[i] * n + index[j]];
        x[i] = -brute->b[index[i]];
    }
    if (!gauss(k, A, x))
        return;
    for (int i = 0; i < k; i++)
        z[index[i]] = x[i];
    for (int i = 0; i < n; i++) {
        double w = brute->b[i];
        for (int j = 0; j < n; j++)
            w += brute->A[i * n + j] * z[j];
        if (z[i] < -1e-9 || w < -1e-9)
            return;
    }
    sprag_contact_lcp_force(problem, z, force);
    int rows = problem->row_count;
    for (int i = 0; i < rows; i++) {
        a[i] = problem->b[i];
        for (int j = 0; j < rows; j++)
            a[i] += problem->W[i * rows + j] * force[j];
    }
    for (int m = 0; m < brute->count; m++) {
        double difference = 0;
        for (int i = 0; i < rows; i++)
            difference = fmax(difference, fabs(a[i] - brute->motions[m][i]));
        if (difference < 1e-6)
            return;
    }
    assert_true(brute->count < 64);
    memcpy(brute->motions[brute->count++], a, sizeof a);
}

// A random body with c contacts of random directions (rows independent up to three of them), or
// rows independent always if `wide`.
static void random_problem(SpragRandom *random, int c, bool wide, SpragContactProblem *problem)
{
    int n = wide ? 2 * c + 1 : 3;
    double *inverse, *entries;
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < c; i++)
        problem_add_contact(problem, sprag_random_uniform(random, 0, 2),
                            sprag_random_below(random, 3) - 1.0);
    assert_ok(context, sprag_contact_problem_add_block(problem, n, &inverse));
    for (int i = 0; i < n; i++) {
        inverse[i * n + i] = sprag_random_uniform(random, 0.2, 2);
        problem->free_acceleration[i] = sprag_random_normal(random);
    }
    for (int r = 0; r < 2 * c; r++) {
        assert_ok(context, sprag_contact_problem_add_row_block(problem, r, 0, &entries));
        for (int i = 0; i < n; i++)
            entries[i] = sprag_random_normal(random);
    }
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

// Wide problems have regular bases only at their solutions, so brute force finds every motion.
static void test_brute_force(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 11);
    int none = 0, several = 0;
    for (int draw = 0; draw < test_draws(300); draw++) {
        SpragContactProblem problem;
        Brute brute = {0};
        int c = 1 + sprag_random_below(&random, draw % 20 == 0 ? 4 : 3);
        random_problem(&random, c, true, &problem);
        brute.n = sprag_contact_lcp_size(&problem);
        assert_ok(context, sprag_contact_lcp_build(&problem, brute.A, brute.b));
        for (unsigned basis = 0; basis < 1u << brute.n; basis++)
            brute_basis(&brute, &problem, basis);
        SpragMotionSet set = run(&problem);
        assert_true(set.complete);
        assert_int_equal(set.count, brute.count);
        for (int m = 0; m < set.count; m++) {
            double best = INFINITY;
            for (int k = 0; k < brute.count; k++) {
                double difference = 0;
                for (int i = 0; i < problem.row_count; i++)
                    difference = fmax(difference,
                                      fabs(set.motions[m].acceleration[i] - brute.motions[k][i]));
                best = fmin(best, difference);
            }
            assert_true(best < 1e-6);
        }
        none += set.count == 0;
        several += set.count > 1;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(none > 0 && several > 0);
}

// The same problem as bare W and b, in other units, and with constraints in another order.
static void test_invariance(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(300); draw++) {
        SpragContactProblem problem, bare;
        int c = 1 + sprag_random_below(&random, 4);
        random_problem(&random, c, draw % 2, &problem);
        SpragMotionSet set = run(&problem);
        int count = set.count, modes = 0;
        for (int m = 0; m < count; m++)
            for (int i = 0; i < c; i++)
                modes += (1 + (int)set.motions[m].modes[i]) * (i + 1);
        double length = pow(10, sprag_random_uniform(&random, -4, 4));
        double mass = pow(10, sprag_random_uniform(&random, -4, 4));
        sprag_contact_problem_init(&bare, context);
        for (int i = 0; i < c; i++)
            problem_add_contact(&bare, problem.constraints[c - 1 - i].friction,
                                problem.constraints[c - 1 - i].slip[0] * length);
        assert_ok(context, sprag_contact_problem_reserve_dense(&bare));
        for (int i = 0; i < 2 * c; i++) {
            int from = 2 * (c - 1 - i / 2) + i % 2;
            bare.b[i] = problem.b[from] * length;
            for (int j = 0; j < 2 * c; j++)
                bare.W[i * 2 * c + j] =
                    problem.W[from * 2 * c + 2 * (c - 1 - j / 2) + j % 2] / mass;
        }
        set = run(&bare);
        assert_int_equal(set.count, count);
        for (int m = 0; m < count; m++)
            for (int i = 0; i < c; i++)
                modes -= (1 + (int)set.motions[m].modes[i]) * (c - i);
        assert_int_equal(modes, 0);
        sprag_contact_problem_destroy(&problem);
        sprag_contact_problem_destroy(&bare);
    }
}

static void test_many_points(void **state)
{
    (void)state;
    SpragVec2 points[12];
    double friction[12], slip[12] = {0};
    for (int i = 0; i < 12; i++) {
        points[i] = sprag_vec2(-1 + 2.0 * i / 11, -0.5);
        friction[i] = 0.4;
    }
    SpragContactProblem problem;
    problem_body_on_points(&problem, context, 1, 1, 12, points, friction, slip,
                           (double[]){1, -9.81, 0});
    SpragMotionSet set = run(&problem);
    assert_true(set.complete);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].force_dimension, 21);
    sprag_contact_problem_destroy(&problem);
    // sliding: forces indeterminate, one motion
    for (int i = 0; i < 12; i++)
        slip[i] = 1;
    problem_body_on_points(&problem, context, 1, 1, 12, points, friction, slip,
                           (double[]){0, -9.81, 0});
    set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].dimension, 0);
    assert_int_equal(set.motions[0].force_dimension, 10);
    sprag_contact_problem_destroy(&problem);
}

static void test_islands(void **state)
{
    (void)state;
    // ten independent contacts, each with two motions: 1024 combinations
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    for (int i = 0; i < 10; i++)
        problem_add_contact(&problem, 2, -1);
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    for (int i = 0; i < 10; i++) {
        int n = problem.row_count, r = 2 * i;
        problem.W[r * n + r] = problem.W[(r + 1) * n + r + 1] = 1;
        problem.W[r * n + r + 1] = problem.W[(r + 1) * n + r] = -0.75;
        problem.b[r] = 1;
    }
    SpragMotionSet set = run(&problem);
    assert_int_equal(set.count, 1024);
    SpragMotionSettings settings = sprag_motion_default();
    settings.max_motions = 100;
    assert_ok(context, sprag_motion_search_run(search, &problem, &settings, &set));
    assert_int_equal(set.count, 100);
    assert_false(set.complete);
    sprag_contact_problem_destroy(&problem);
}

// Bilateral row, limit and guide.
static void test_kinds(void **state)
{
    (void)state;
    SpragConstraint *c;
    SpragContactProblem problem;
    // guide at rest: a q'' + b + μ|F_n| sgn = τ with F_n = c q'' + d, theory.md 9.1, as a body of
    // two coordinates: mass 1 along x, load pressing across
    double *inverse, *entries;
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_GUIDE, &c));
    c->friction = 0.5;
    assert_ok(context, sprag_contact_problem_add_block(&problem, 2, &inverse));
    inverse[0] = inverse[3] = 1;
    problem.free_acceleration[0] = 3;
    problem.free_acceleration[1] = 4; // presses upwards: F_n = −4
    assert_ok(context, sprag_contact_problem_add_row_block(&problem, 0, 0, &entries));
    entries[1] = 1;
    assert_ok(context, sprag_contact_problem_add_row_block(&problem, 1, 0, &entries));
    entries[0] = 1;
    assert_ok(context, sprag_contact_problem_assemble(&problem));
    SpragMotionSet set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].modes[0], SPRAG_MODE_SLIDE_PLUS);
    assert_close(set.motions[0].force[0], -4, 1e-12);
    assert_close(set.motions[0].acceleration[1], 3 - 0.5 * 4, 1e-12);
    problem.constraints[0].friction = 1;
    set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.motions[0].modes[0], SPRAG_MODE_STICK);
    sprag_contact_problem_destroy(&problem);
    // a bilateral row and a limit on one coordinate pair
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_BILATERAL, &c));
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_LIMIT, &c));
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    memcpy(problem.W, (double[]){2, 1, 1, 2}, 4 * sizeof(double));
    memcpy(problem.b, (double[]){1, -1}, 2 * sizeof(double));
    set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_close(set.motions[0].force[0], -1, 1e-12); // 2x + y = −1, x + 2y = 1
    assert_close(set.motions[0].force[1], 1, 1e-12);
    assert_int_equal(set.motions[0].modes[1], SPRAG_MODE_CLOSED);
    sprag_contact_problem_destroy(&problem);
}

// An inertia of rank 2 whose second row all but repeats its first: what is left of it after that,
// eps², is below rounding, but not its product with the third, eps. Limits along the last two:
// W = [[1 + eps², eps], [eps, 1]], forces by hand.
static void test_semidefinite_block(void **state)
{
    (void)state;
    const double eps = 2e-7, F[3][2] = {{1, 0}, {1, eps}, {0, 1}};
    SpragConstraint *c;
    SpragContactProblem problem;
    double *inverse, *entries;
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_LIMIT, &c));
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_LIMIT, &c));
    assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[3 * i + j] = F[i][0] * F[j][0] + F[i][1] * F[j][1];
    for (int r = 0; r < 2; r++) {
        problem.free_acceleration[r + 1] = -1;
        assert_ok(context, sprag_contact_problem_add_row_block(&problem, r, 0, &entries));
        entries[r + 1] = 1;
    }
    assert_ok(context, sprag_contact_problem_assemble(&problem));
    SpragMotionSet set = run(&problem);
    assert_int_equal(set.count, 1);
    assert_close(set.motions[0].force[0], 1 - eps, 1e-12);
    assert_close(set.motions[0].force[1], 1 - eps + eps * eps, 1e-12);
    assert_true(set.motions[0].residual < 1e-12);
    sprag_contact_problem_destroy(&problem);
}

static void test_no_allocation_when_warm(void **state)
{
    (void)state;
    static const SpragVec2 points[] = {{-1, -0.5}, {-0.4, -0.5}, {0.1, -0.5}, {1, -0.5}};
    double friction[] = {0.5, 0.5, 0.5, 0.5}, slip[4] = {0};
    SpragContactProblem problem;
    problem_body_on_points(&problem, context, 2, 0.7, 4, points, friction, slip,
                           (double[]){0, -2 * 9.81, 0});
    run(&problem);
    run(&problem);
    uint64_t before = sprag_context_allocation_count(context);
    run(&problem);
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_contact_problem_destroy(&problem);
}

static void test_check(void **state)
{
    (void)state;
    SpragContactProblem problem;
    problem_one(&problem, context, (double[]){1, 2, 1}, (double[]){0, 0}, 0.5, 0);
    assert_int_equal(sprag_contact_problem_check(&problem), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "semidefinite"));
    problem.W[1] = 0.5;
    assert_int_equal(sprag_contact_problem_check(&problem), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "symmetric"));
    problem.W[2] = 0.5;
    assert_ok(context, sprag_contact_problem_check(&problem));
    problem.b[1] = NAN;
    assert_int_equal(sprag_contact_problem_check(&problem), SPRAG_ERROR_INPUT);
    problem.b[1] = 0;
    problem.constraints[0].friction = -1;
    assert_int_equal(sprag_contact_problem_check(&problem), SPRAG_ERROR_INPUT);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sliding_table),
                                       cmocka_unit_test(test_at_rest),
                                       cmocka_unit_test(test_box_at_rest),
                                       cmocka_unit_test(test_incline_threshold),
                                       cmocka_unit_test(test_coupling_block),
                                       cmocka_unit_test(test_brute_force),
                                       cmocka_unit_test(test_invariance),
                                       cmocka_unit_test(test_many_points),
                                       cmocka_unit_test(test_islands),
                                       cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_semidefinite_block),
                                       cmocka_unit_test(test_no_allocation_when_warm),
                                       cmocka_unit_test(test_check)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

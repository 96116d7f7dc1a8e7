// The numbers of theory.md section 6: stability of several sliding contacts, written as bare
// problems, against (6.6) computed from the eigenvalues of D by itself.
#include "support/problems.h"
#include "support/with_analysis.h"

enum { MOST = 4 };

// A problem of n sliding contacts with this D (6.2) and the normal forces `force`, μ = 0.7, slip to
// −t: D_ij = W_NiNj + μ W_NiTj, so W_NN = 1, W_NT = (D − 1)/μ, and W_TT makes W definite.
static void problem_of_layer(SpragContactProblem *problem, int n, const double *D,
                             const double *force, double stiffness, double damping)
{
    const double mu = 0.7;
    double X[MOST * MOST];
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < n; i++)
        problem_add_contact(problem, mu, -1);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            X[i * n + j] = (D[i * n + j] - (i == j)) / mu;
    for (int i = 0; i < n; i++) {
        SpragConstraint *c = &problem->constraints[i];
        for (int r = 0; r < 2; r++) {
            c->stiffness[r] = stiffness;
            c->damping[r] = damping;
        }
        problem->b[2 * i] = problem->b[2 * i + 1] = 0;
        for (int j = 0; j < n; j++) {
            double *W = problem->W + (2 * i) * (2 * n) + 2 * j, sum = i == j;
            for (int k = 0; k < n; k++)
                sum += X[k * n + i] * X[k * n + j];
            W[0] = i == j;
            W[1] = X[i * n + j];
            W[2 * n] = X[j * n + i];
            W[2 * n + 1] = sum;
            problem->b[2 * i] -= D[i * n + j] * force[j];
        }
    }
    assert_ok(context, sprag_contact_problem_check(problem));
}

// The motion in which all contacts press.
static const SpragSolution *pressed(const SpragVerdict *verdict, int n)
{
    for (int s = 0; s < verdict->solution_count; s++) {
        bool all = true;
        for (int i = 0; i < n; i++)
            all = all && verdict->solutions[s].motion->modes[i] == SPRAG_MODE_SLIDE_MINUS;
        if (all)
            return &verdict->solutions[s];
    }
    fail_msg("no motion in which all contacts press");
    return NULL;
}

static double largest_real(const SpragSolution *solution)
{
    double largest = -INFINITY;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        largest = fmax(largest, solution->eigenvalues[i].real);
    return largest;
}

// The largest real part over the roots of s² + c h s + k h = 0, h = a + i b.
static double largest_root(double a, double b, double k, double c)
{
    // discriminant (c h)² − 4 k h and its root by hand: no complex numbers needed
    double re = c * c * (a * a - b * b) - 4 * k * a, im = 2 * c * c * a * b - 4 * k * b;
    double root = sqrt(0.5 * (hypot(re, im) + re));
    return 0.5 * (-c * a + root);
}

// ---- The examples of 6.3 ------------------------------------------------------------------------

// D = [[1, 4], [0, 1]]: the symmetric part has the eigenvalue −1; stable for all c and k.
static void test_not_definite(void **state)
{
    (void)state;
    static const double D[] = {1, 4, 0, 1}, force[] = {2, 3};
    static const double dampings[] = {1e-3, 0.2, 1, 30}, stiffnesses[] = {1e-2, 1, 1e6};
    for (int i = 0; i < 12; i++) {
        SpragContactProblem problem;
        SpragVerdict verdict;
        problem_of_layer(&problem, 2, D, force, stiffnesses[i / 4], dampings[i % 4]);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        const SpragSolution *solution = pressed(&verdict, 2);
        assert_true(solution->stable);
        assert_int_equal(solution->stability, SPRAG_STABLE);
        // a double eigenvalue with one eigenvector: known to the root of rounding
        for (int k = 0; k < 2; k++)
            assert_close(solution->layer[k].real, 1, 1e-7);
        sprag_contact_problem_destroy(&problem);
    }
}

// D = [[1, 0.8], [−0.8, 1]]: a P-matrix with definite symmetric part, one motion, and it flutters.
static void test_flutter_with_p_matrix(void **state)
{
    (void)state;
    static const double D[] = {1, 0.8, -0.8, 1}, force[] = {1, 1};
    static const struct {
        double damping, largest; // NAN: not printed
        bool stable;
    } cases[] = {{0.2, 0.268, false}, {0.8, NAN, true}};
    for (int i = 0; i < 2; i++) {
        SpragContactProblem problem;
        SpragVerdict verdict;
        problem_of_layer(&problem, 2, D, force, 1, cases[i].damping);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        const SpragSolution *solution = pressed(&verdict, 2);
        assert_int_equal(solution->stable, cases[i].stable);
        assert_int_equal(verdict.recommended_compliant, !cases[i].stable);
        double expected = largest_root(1, 0.8, 1, cases[i].damping);
        assert_close(largest_real(solution), expected, 1e-12);
        if (!isnan(cases[i].largest))
            assert_close(expected, cases[i].largest, 5e-4);
        sprag_contact_problem_destroy(&problem);
    }
    // (6.7): c_cr = sqrt(k (Im h)²/(|h|² Re h)), on both sides
    double critical = 0.8 / sqrt(1.64);
    for (int above = 0; above < 2; above++) {
        SpragContactProblem problem;
        SpragVerdict verdict;
        problem_of_layer(&problem, 2, D, force, 1, critical * (above ? 1 + 1e-9 : 1 - 1e-9));
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_int_equal(pressed(&verdict, 2)->stable, above);
        sprag_contact_problem_destroy(&problem);
    }
}

// Three contacts: 1 + 3 P with a cyclic P is a P-matrix (minors 1, 1, 28), so the motion is unique
// for every b; its eigenvalues 1 + 3 exp(±2πi/3) have the real part −1/2: no damping helps.
static void test_three_contacts(void **state)
{
    (void)state;
    static const double D[] = {1, 0, 3, 3, 1, 0, 0, 3, 1}, force[] = {1, 2, 1.5};
    static const double dampings[] = {0.01, 1, 100};
    for (int i = 0; i < 3; i++) {
        SpragContactProblem problem;
        SpragVerdict verdict;
        problem_of_layer(&problem, 3, D, force, 1, dampings[i]);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        const SpragSolution *solution = pressed(&verdict, 3);
        assert_false(solution->stable);
        assert_int_equal(solution->stability, SPRAG_FLUTTER);
        assert_close(solution->layer[0].real, 4, 1e-12);
        assert_close(solution->layer[2].real, -0.5, 1e-12);
        assert_close(fabs(solution->layer[2].imaginary), 1.5 * sqrt(3), 1e-12);
        assert_close(largest_real(solution), largest_root(-0.5, 1.5 * sqrt(3), 1, dampings[i]),
                     1e-11 * (1 + dampings[i]));
        assert_true(verdict.recommended_compliant);
        sprag_contact_problem_destroy(&problem);
    }
}

// ---- (6.6) and (6.5) ----------------------------------------------------------------------------

// +1 stable, −1 not, 0 too near the border to say, by (6.6).
static int stable_by_eigenvalues(int n, const double *D, double k, double c)
{
    double copy[MOST * MOST], re[MOST], im[MOST], work[64];
    int answer = 1;
    assert_true(sprag_eigenvalues_work(n) <= 64);
    memcpy(copy, D, (size_t)(n * n) * sizeof *D);
    assert_true(sprag_eigenvalues(n, copy, re, im, work));
    for (int i = 0; i < n; i++) {
        double left = c * c * (re[i] * re[i] + im[i] * im[i]) * re[i], right = k * im[i] * im[i];
        if (fabs(re[i]) < 1e-6 || fabs(left - right) < 1e-6 * (fabs(left) + right))
            return 0;
        if (re[i] <= 0 || left <= right)
            answer = -1;
    }
    return answer;
}

// Random D of two to four contacts, at all dampings: the words of the verdict are those of (6.6).
static void test_random_layers(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 66);
    int seen[2] = {0}, words[5] = {0};
    for (int draw = 0; draw < test_draws(400); draw++) {
        int n = 2 + sprag_random_below(&random, MOST - 1);
        double D[MOST * MOST], force[MOST];
        double k = pow(10, sprag_random_uniform(&random, -2, 5));
        double c = sqrt(k) * pow(10, sprag_random_uniform(&random, -2, 1));
        for (int i = 0; i < n * n; i++)
            D[i] = sprag_random_normal(&random) + (i % (n + 1) == 0 ? 1.5 : 0);
        for (int i = 0; i < n; i++)
            force[i] = sprag_random_uniform(&random, 0.5, 2);
        int expected = stable_by_eigenvalues(n, D, k, c);
        if (expected == 0)
            continue;
        SpragContactProblem problem;
        SpragVerdict verdict;
        problem_of_layer(&problem, n, D, force, k, c);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        const SpragSolution *solution = pressed(&verdict, n);
        assert_int_equal(solution->stable, expected > 0);
        // (6.5) by the spectrum itself
        assert_int_equal(largest_real(solution) < 0, expected > 0);
        assert_true(solution->stability != SPRAG_FREE);
        seen[expected > 0]++;
        words[solution->stability]++;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen[0] > 20 && seen[1] > 20);
    assert_true(words[SPRAG_STABLE] > 5 && words[SPRAG_DIVERGENT] > 5 && words[SPRAG_FLUTTER] > 5);
}

// Two contacts: a P-matrix has trace and determinant above zero, so both eigenvalues have positive
// real parts. The motion is unique and can flutter, but never diverge; much damping calms it.
static void test_two_contacts(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 68);
    int flutters = 0;
    for (int draw = 0; draw < test_draws(200); draw++) {
        static const double force[] = {1, 2};
        double D[4];
        for (int i = 0; i < 4; i++)
            D[i] = i % 3 == 0 ? sprag_random_uniform(&random, 0.2, 2)
                              : 2 * sprag_random_normal(&random);
        if (D[0] * D[3] - D[1] * D[2] < 1e-3)
            continue;
        SpragContactProblem problem;
        SpragVerdict verdict;
        for (int damped = 0; damped < 2; damped++) {
            problem_of_layer(&problem, 2, D, force, 1, damped ? 1e3 : 1e-3);
            assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
            assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
            const SpragSolution *solution = pressed(&verdict, 2);
            assert_true(solution->stability != SPRAG_DIVERGENT);
            flutters += !solution->stable;
            if (damped)
                assert_true(solution->stable);
            sprag_contact_problem_destroy(&problem);
        }
    }
    assert_true(flutters > 20);
}

// Sticking contacts: D symmetric and positive definite, so stable whatever the layer is, also with
// stiffness that differs from row to row.
static void test_random_sticking(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 67);
    for (int draw = 0; draw < test_draws(100); draw++) {
        int n = 1 + sprag_random_below(&random, 3), rows = 2 * n;
        double F[64], force[8];
        SpragContactProblem problem;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < n; i++)
            problem_add_contact(&problem, 0.8, 0);
        assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
        for (int i = 0; i < rows * rows; i++)
            F[i] = sprag_random_normal(&random);
        for (int i = 0; i < n; i++) {
            force[2 * i] = sprag_random_uniform(&random, 0.5, 2);
            force[2 * i + 1] = 0.7 * force[2 * i] * sprag_random_uniform(&random, -1, 1);
            for (int r = 0; r < 2; r++) {
                problem.constraints[i].stiffness[r] = sprag_random_uniform(&random, 1, 1e3);
                problem.constraints[i].damping[r] = sprag_random_uniform(&random, 0.01, 10);
            }
        }
        for (int i = 0; i < rows; i++) {
            problem.b[i] = 0;
            for (int j = 0; j < rows; j++) {
                double sum = i == j ? 0.05 : 0;
                for (int k = 0; k < rows; k++)
                    sum += F[i * rows + k] * F[j * rows + k];
                problem.W[i * rows + j] = sum;
                problem.b[i] -= sum * force[j];
            }
        }
        SpragVerdict verdict;
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        bool found = false;
        for (int s = 0; s < verdict.solution_count; s++) {
            bool sticks = true;
            for (int i = 0; i < n; i++)
                sticks = sticks && verdict.solutions[s].motion->modes[i] == SPRAG_MODE_STICK;
            if (!sticks)
                continue;
            found = true;
            assert_true(verdict.solutions[s].stable);
            assert_int_equal(verdict.solutions[s].stability, SPRAG_STABLE);
            assert_int_equal(verdict.solutions[s].layer_count, rows);
            double trace = 0, sum = 0;
            for (int i = 0; i < rows; i++) {
                trace += problem.W[i * (rows + 1)];
                sum += verdict.solutions[s].layer[i].real;
                assert_true(verdict.solutions[s].layer[i].real > 0);
                assert_close(verdict.solutions[s].layer[i].imaginary, 0, 1e-9);
            }
            assert_close(sum, trace, 1e-12 * trace);
        }
        assert_true(found);
        sprag_contact_problem_destroy(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_definite),   cmocka_unit_test(test_flutter_with_p_matrix),
        cmocka_unit_test(test_three_contacts), cmocka_unit_test(test_random_layers),
        cmocka_unit_test(test_two_contacts),   cmocka_unit_test(test_random_sticking),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

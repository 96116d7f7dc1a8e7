// Verdicts: stability of motions against theory.md sections 4 and 6, and against the n-space form.
#include "support/problems.h"
#include "support/with_analysis.h"

static SpragVerdict run(SpragContactProblem *problem)
{
    SpragVerdict verdict;
    assert_ok(context, sprag_analysis_run(analysis, problem, NULL, &verdict));
    return verdict;
}

// theory.md 4.2, the whole table.
static void test_sliding_table(void **state)
{
    (void)state;
    static const struct {
        double a_nt, b;
        SpragVerdictKind kind;
        int count, stable;
        SpragStability first;
        bool compliant;
    } cases[] = {{-0.25, 1, SPRAG_VERDICT_UNIQUE, 1, 1, SPRAG_FREE, false},
                 {-0.25, 0, SPRAG_VERDICT_UNIQUE, 1, 1, SPRAG_STABLE, false},
                 {-0.25, -1, SPRAG_VERDICT_UNIQUE, 1, 1, SPRAG_STABLE, false},
                 {-0.5, 1, SPRAG_VERDICT_UNIQUE, 1, 1, SPRAG_FREE, false},
                 {-0.5, 0, SPRAG_VERDICT_INFINITE, 1, 0, SPRAG_DIVERGENT, true},
                 {-0.5, -1, SPRAG_VERDICT_NONE, 0, 0, SPRAG_FREE, true},
                 {-0.75, 1, SPRAG_VERDICT_MULTIPLE, 2, 1, SPRAG_DIVERGENT, false},
                 {-0.75, 0, SPRAG_VERDICT_UNIQUE, 1, 1, SPRAG_FREE, false},
                 {-0.75, -1, SPRAG_VERDICT_NONE, 0, 0, SPRAG_FREE, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragContactProblem problem;
        problem_one(&problem, context, (double[]){1, cases[i].a_nt, 1}, (double[]){cases[i].b, 0.3},
                    2, -1.5);
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, cases[i].kind);
        assert_int_equal(verdict.solution_count, cases[i].count);
        assert_int_equal(verdict.recommended_compliant, cases[i].compliant);
        assert_close(verdict.A, 1 + 2 * cases[i].a_nt, 1e-15);
        assert_close(verdict.B, cases[i].b, 0);
        if (verdict.kind != SPRAG_VERDICT_INFINITE)
            assert_int_equal(verdict.stable_count, cases[i].stable);
        if (verdict.solution_count && verdict.kind != SPRAG_VERDICT_INFINITE)
            assert_int_equal(verdict.solutions[0].stability, cases[i].first);
        assert_true(strlen(verdict.reason) > 20);
        sprag_contact_problem_destroy(&problem);
    }
}

// Three motions at zero slip: separation and stick are stable, the slide between them is not (8.1).
static void test_three_at_rest(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    int seen = 0;
    for (int draw = 0; draw < test_draws(2000); draw++) {
        double p[4];
        for (int i = 0; i < 4; i++)
            p[i] = sprag_random_normal(&random);
        double a[3] = {p[0] * p[0] + p[1] * p[1], p[0] * p[2] + p[1] * p[3],
                       p[2] * p[2] + p[3] * p[3]};
        SpragContactProblem problem;
        problem_one(&problem, context, a,
                    (double[]){sprag_random_normal(&random), sprag_random_normal(&random)},
                    sprag_random_uniform(&random, 0.5, 3), 0);
        SpragVerdict verdict = run(&problem);
        if (verdict.solution_count == 3) {
            seen++;
            assert_int_equal(verdict.stable_count, 2);
            assert_int_equal(verdict.chosen, -1);
            assert_true(verdict.recommended_compliant);
            for (int i = 0; i < 3; i++) {
                SpragMode mode = verdict.solutions[i].motion->modes[0];
                bool slides = mode != SPRAG_MODE_STICK && mode != SPRAG_MODE_SEPARATE;
                assert_int_equal(verdict.solutions[i].stable, !slides);
            }
        } else {
            assert_int_equal(verdict.solution_count, 1);
            assert_true(verdict.solutions[0].stable);
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen > 10);
}

// theory.md 6.3: a box on n points, at rest and sliding, symmetric about its centre of mass.
static void test_box(void **state)
{
    (void)state;
    SpragVec2 points[10];
    double friction[10], slip[10];
    for (int n = 2; n <= 10; n++) {
        double sum = 0, m = 3, inertia = 0.8;
        for (int i = 0; i < n; i++) {
            points[i] = sprag_vec2(-1 + 2.0 * i / (n - 1), -0.7);
            sum += points[i].x * points[i].x;
            friction[i] = 0.3;
        }
        for (int moving = 0; moving < 2; moving++) {
            for (int i = 0; i < n; i++)
                slip[i] = moving ? 1 : 0;
            SpragContactProblem problem;
            problem_body_on_points(&problem, context, m, inertia, n, points, friction, slip,
                                   (double[]){0, -m * 9.81, 0});
            SpragVerdict verdict = run(&problem);
            assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
            assert_int_equal(verdict.solutions[0].stability, SPRAG_STABLE);
            assert_int_equal(verdict.held, !moving);
            assert_int_equal(verdict.forces_unique, moving && n == 2);
            if (moving) {
                // two eigenvalues of D: n/m and Σx²/I, whatever μ
                const SpragSolution *s = &verdict.solutions[0];
                double large = fmax(n / m, sum / inertia), small = fmin(n / m, sum / inertia);
                assert_int_equal(s->layer_count, 2);
                assert_close(s->layer[0].real, large, 1e-11 * large);
                assert_close(s->layer[1].real, small, 1e-11 * large);
            }
            sprag_contact_problem_destroy(&problem);
        }
    }
}

// theory.md 6.3: an off-centre box flutters below ζ = 0.123.
static void test_flutter(void **state)
{
    (void)state;
    static const SpragVec2 feet[] = {{-1.2, -1}, {0.8, -1}};
    double friction[] = {0.6, 0.6}, slip[] = {-1, -1};
    SpragContactProblem problem;
    problem_body_on_points(&problem, context, 1, 2.0 / 3, 2, feet, friction, slip,
                           (double[]){0, -9.81, 0});
    SpragVerdict verdict = run(&problem);
    const SpragSolution *s = &verdict.solutions[0];
    assert_int_equal(verdict.solution_count, 1);
    assert_close(s->motion->force[0], 0.7 * 9.81, 1e-9);
    assert_int_equal(s->stability, SPRAG_DEPENDS);
    assert_close(s->layer[0].real, 2.38, 1e-9);
    assert_close(fabs(s->layer[0].imaginary), 0.579, 5e-4);
    assert_close(s->critical_damping, 0.123, 5e-4);
    assert_false(s->stable); // ζ = 0.1 is below
    double critical = s->critical_damping;
    SpragAnalysisSettings settings = sprag_analysis_default();
    settings.damping_ratio = 0.13;
    assert_ok(context, sprag_analysis_run(analysis, &problem, &settings, &verdict));
    assert_true(verdict.solutions[0].stable);
    // the real parts of the spectrum change sign exactly there
    for (int below = 0; below < 2; below++) {
        settings.damping_ratio = critical * (below ? 1 - 1e-6 : 1 + 1e-6);
        SpragVerdict near;
        assert_ok(context, sprag_analysis_run(analysis, &problem, &settings, &near));
        double largest = -INFINITY;
        for (int i = 0; i < near.solutions[0].eigenvalue_count; i++)
            largest = fmax(largest, near.solutions[0].eigenvalues[i].real);
        assert_true(below ? largest > 0 : largest < 0);
    }
    sprag_contact_problem_destroy(&problem);
}

// Spectrum (6.8) with given stiffness and damping against M x'' + SᵀĈJ x' + SᵀK̂J x = 0, whose 2 (n
// − ρ) zeros belong to null(J).
static void test_n_space(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 21);
    for (int draw = 0; draw < test_draws(200); draw++) {
        SpragVec2 points[5];
        double friction[5], slip[5];
        int count = 1 + sprag_random_below(&random, 5);
        double direction = draw % 3 - 1.0, m = sprag_random_uniform(&random, 0.5, 2);
        double inertia = sprag_random_uniform(&random, 0.2, 2);
        for (int i = 0; i < count; i++) {
            points[i] = sprag_vec2(sprag_random_uniform(&random, -1, 1), -0.6);
            friction[i] = sprag_random_uniform(&random, 0.1, 0.5);
            slip[i] = direction;
        }
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, m, inertia, count, points, friction, slip,
                               (double[]){0, -m * 9.81, 0});
        double k[10], c[10];
        for (int i = 0; i < count; i++) {
            for (int r = 0; r < 2; r++) {
                SpragConstraint *item = &problem.constraints[i];
                k[2 * i + r] = item->stiffness[r] = sprag_random_uniform(&random, 100, 1000);
                c[2 * i + r] = item->damping[r] = sprag_random_uniform(&random, 1, 10);
            }
        }
        SpragVerdict verdict = run(&problem);
        for (int s = 0; s < verdict.solution_count; s++) {
            const SpragSolution *solution = &verdict.solutions[s];
            double A[36] = {0}, re[6], im[6], work[64];
            for (int i = 0; i < 3; i++)
                A[i * 6 + 3 + i] = 1;
            for (int i = 0; i < count; i++) {
                if (!solution->motion->active[i])
                    continue;
                double N[3] = {0, 1, points[i].x}, T[3] = {1, 0, -points[i].y};
                SpragMode mode = solution->motion->modes[i];
                double mu = mode == SPRAG_MODE_STICK        ? 0
                            : mode == SPRAG_MODE_SLIDE_PLUS ? -friction[i]
                                                            : friction[i];
                double Minv[3] = {1 / m, 1 / m, 1 / inertia};
                for (int p = 0; p < 3; p++) {
                    for (int q = 0; q < 3; q++) {
                        double S = N[p] + mu * T[p];
                        A[(3 + p) * 6 + q] -= Minv[p] * S * k[2 * i] * N[q];
                        A[(3 + p) * 6 + 3 + q] -= Minv[p] * S * c[2 * i] * N[q];
                        if (mode != SPRAG_MODE_STICK)
                            continue;
                        A[(3 + p) * 6 + q] -= Minv[p] * T[p] * k[2 * i + 1] * T[q];
                        A[(3 + p) * 6 + 3 + q] -= Minv[p] * T[p] * c[2 * i + 1] * T[q];
                    }
                }
            }
            assert_true(sprag_eigenvalues(6, A, re, im, work));
            for (int e = 0; e < solution->eigenvalue_count; e++) {
                double best = INFINITY, size = 0;
                for (int i = 0; i < 6; i++) {
                    best = fmin(best, hypot(re[i] - solution->eigenvalues[e].real,
                                            im[i] - solution->eigenvalues[e].imaginary));
                    size = fmax(size, hypot(re[i], im[i]));
                }
                // double eigenvalues are known to the square root of rounding
                assert_true(best < 1e-6 * size);
            }
            int zeros = 0;
            for (int i = 0; i < 6; i++)
                zeros += hypot(re[i], im[i]) < 1e-4;
            assert_int_equal(6 - zeros, solution->eigenvalue_count);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// theory.md 8.5: between two walls, self-stress: free fall and sticking, both stable.
static void test_wedge(void **state)
{
    (void)state;
    double *inverse, *entries, w = 1, h = 0.3;
    for (int wide = 0; wide < 2; wide++) {
        SpragContactProblem problem;
        double mu = wide ? 0.2 : 0.5;
        sprag_contact_problem_init(&problem, context);
        problem_add_contact(&problem, mu, 0);
        problem_add_contact(&problem, mu, 0);
        assert_ok(context, sprag_contact_problem_add_block(&problem, 3, &inverse));
        inverse[0] = inverse[4] = 1;
        inverse[8] = 2;
        problem.free_acceleration[1] = -9.81;
        // left wall: n = +x, t = (0, −1), point (−w, −h); right wall: n = −x, t = (0, 1), (w, h)
        for (int i = 0; i < 2; i++) {
            double nx = i ? -1 : 1, ty = i ? 1 : -1, x = i ? w : -w, y = i ? h : -h;
            assert_ok(context, sprag_contact_problem_add_row_block(&problem, 2 * i, 0, &entries));
            entries[0] = nx;
            entries[2] = -y * nx;
            assert_ok(context,
                      sprag_contact_problem_add_row_block(&problem, 2 * i + 1, 0, &entries));
            entries[1] = ty;
            entries[2] = x * ty;
        }
        assert_ok(context, sprag_contact_problem_assemble(&problem));
        SpragVerdict verdict = run(&problem);
        assert_true(verdict.complete);
        assert_int_equal(verdict.solution_count, wide ? 1 : 2);
        assert_int_equal(verdict.kind, wide ? SPRAG_VERDICT_UNIQUE : SPRAG_VERDICT_MULTIPLE);
        assert_false(verdict.held);
        if (!wide) {
            const SpragMotion *stick = verdict.solutions[0].motion;
            assert_int_equal(stick->modes[0], SPRAG_MODE_STICK);
            assert_int_equal(stick->force_dimension, 1);
            assert_true(isinf(stick->force_high[0]));
            assert_int_equal(verdict.stable_count, 2);
            assert_false(verdict.forces_unique);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Sticking on rows that are all but parallel: an eigenvalue near zero is no reason to call it
// divergent.
static void test_nearly_dependent(void **state)
{
    (void)state;
    for (double angle = 1e-6; angle < 1e-3; angle *= 3) {
        SpragContactProblem problem;
        double c = cos(angle), a[3] = {1, c, 1};
        problem_one(&problem, context, a, (double[]){-1, -c}, 0.5, 0);
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.solution_count, 1);
        assert_int_equal(verdict.solutions[0].motion->modes[0], SPRAG_MODE_STICK);
        assert_int_equal(verdict.solutions[0].stability, SPRAG_STABLE);
        sprag_contact_problem_destroy(&problem);
    }
}

static void test_open(void **state)
{
    (void)state;
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    SpragVerdict verdict = run(&problem);
    assert_int_equal(verdict.kind, SPRAG_VERDICT_OPEN);
    assert_false(verdict.recommended_compliant);
    sprag_contact_problem_destroy(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sliding_table),
                                       cmocka_unit_test(test_three_at_rest),
                                       cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_flutter),
                                       cmocka_unit_test(test_n_space),
                                       cmocka_unit_test(test_wedge),
                                       cmocka_unit_test(test_nearly_dependent),
                                       cmocka_unit_test(test_open)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Layers with given stiffness and damping, force laws, ratios and factors: against theory.md 6.3,
// Hurwitz' criterion for two rows, and finite differences of the laws.
#include "support/problems.h"
#include "support/scenes.h"
#include "support/with_analysis.h"

static SpragVerdict run(SpragContactProblem *problem)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    settings.details = true;
    assert_ok(context, sprag_contact_problem_check(problem));
    assert_ok(context, sprag_analysis_run(analysis, problem, &settings, &verdict));
    return verdict;
}

// Two contacts that slide to −t with μ = 1 and have the LCP matrix D (row by row), loaded so that
// both forces are `force`: W = diag(1, t, 1, t) with the rest of D between normals and tangents.
static void make_pair(SpragContactProblem *problem, const double D[4], double force)
{
    // D_ij = W(n_i, n_j) + W(n_i, t_j); normals uncoupled; tangents heavy enough for W ≥ 0
    double t = 1;
    for (int i = 0; i < 4; i++)
        t += 4 * (fabs(D[i]) + 1) * (fabs(D[i]) + 1);
    double W[16] = {1, D[0] - 1, 0, D[1],     D[0] - 1, t, D[2],     0,
                    0, D[2],     1, D[3] - 1, D[1],     0, D[3] - 1, t};
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < 2; i++)
        problem_add_contact(problem, 1, -1);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    memcpy(problem->W, W, sizeof W);
    for (int i = 0; i < 2; i++)
        problem->b[2 * i] = -(D[2 * i] + D[2 * i + 1]) * force;
}

static void set_layer(SpragContactProblem *problem, int contact, double k, double c)
{
    for (int r = 0; r < 2; r++) {
        problem->constraints[contact].stiffness[r] = k;
        problem->constraints[contact].damping[r] = c;
    }
}

// The motion in which both contacts press.
static const SpragSolution *pressed(const SpragVerdict *verdict)
{
    for (int i = 0; i < verdict->solution_count; i++)
        if (verdict->solutions[i].motion->active[0] && verdict->solutions[i].motion->active[1])
            return &verdict->solutions[i];
    fail_msg("no motion in which both contacts press");
    return NULL;
}

static double fastest(const SpragSolution *solution)
{
    double largest = -INFINITY;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        largest = fmax(largest, solution->eigenvalues[i].real);
    return largest;
}

// det(s² + D (s Ĉ + K̂)) = s⁴ + a₃ s³ + a₂ s² + a₁ s + a₀ for two rows.
static void quartic(const double D[4], const double k[2], const double c[2], double a[4])
{
    double determinant = D[0] * D[3] - D[1] * D[2];
    a[3] = D[0] * c[0] + D[3] * c[1];
    a[2] = D[0] * k[0] + D[3] * k[1] + determinant * c[0] * c[1];
    a[1] = determinant * (c[0] * k[1] + c[1] * k[0]);
    a[0] = determinant * k[0] * k[1];
}

// Hurwitz' criterion; *margin: how clear it is, relative to the terms.
static bool hurwitz(const double D[4], const double k[2], const double c[2], double *margin)
{
    double a[4];
    quartic(D, k, c, a);
    double left = a[3] * a[2] * a[1], right = a[1] * a[1] + a[3] * a[3] * a[0];
    *margin = fmin(fmin(fabs(a[3]) / (fabs(D[0]) * c[0] + fabs(D[3]) * c[1]),
                        fabs(a[0]) / ((fabs(D[0] * D[3]) + fabs(D[1] * D[2])) * k[0] * k[1])),
                   fabs(left - right) / (fabs(left) + fabs(right)));
    return a[3] > 0 && a[1] > 0 && a[0] > 0 && left > right;
}

static const double FLUTTERS[4] = {1, 0.8, -0.8, 1};

// theory.md 6.3: a P-matrix with positive definite symmetric part, unstable at c = 0.2.
static void test_unique_but_flutter(void **state)
{
    (void)state;
    SpragContactProblem problem;
    make_pair(&problem, FLUTTERS, 2);
    for (int damped = 0; damped < 2; damped++) {
        for (int i = 0; i < 2; i++)
            set_layer(&problem, i, 1, damped ? 0.8 : 0.2);
        SpragVerdict verdict = run(&problem);
        const SpragSolution *s = pressed(&verdict);
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_close(s->motion->force[0], 2, 1e-12);
        assert_int_equal(s->layer_source, SPRAG_LAYER_SCENE);
        assert_int_equal(s->stability, damped ? SPRAG_STABLE : SPRAG_FLUTTER);
        if (!damped)
            assert_close(fastest(s), 0.268, 5e-4);
        // (6.7): c_cr = |Im h| / (|h| √Re h) = 0.8/√1.64, the bisection is good to 1e-10
        double critical = 0.8 / sqrt(1.64);
        assert_close(s->critical_factor, critical / (damped ? 0.8 : 0.2), 1e-8);
        assert_int_equal(s->ratios.result, damped ? SPRAG_RATIOS_STABLE : SPRAG_RATIOS_DEPEND);
        assert_false(s->ratios.proven);
        assert_int_equal(s->participation != NULL, !damped);
        SpragSolvability tests;
        assert_ok(context, sprag_analysis_test(analysis, &problem, &tests));
        assert_int_equal(tests.p_matrix, SPRAG_ANSWER_YES);
        assert_int_equal(tests.coherent, SPRAG_ANSWER_YES);
        assert_false(tests.sufficient);
    }
    sprag_contact_problem_destroy(&problem);
}

// The same two contacts beside others that they know nothing of, `factor` times as light.
static void make_neighbours(SpragContactProblem *problem, const double D[4], double factor)
{
    SpragContactProblem one;
    make_pair(&one, D, 2);
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < 4; i++)
        problem_add_contact(problem, 1, -1);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int island = 0; island < 2; island++)
        for (int i = 0; i < 4; i++) {
            double scale = island == 0 ? 1 : factor;
            for (int j = 0; j < 4; j++)
                problem->W[(4 * island + i) * 8 + 4 * island + j] = scale * one.W[4 * i + j];
            problem->b[4 * island + i] = scale * one.b[i];
        }
    sprag_contact_problem_destroy(&one);
}

// Default layers (6.9) take d̄ from their island: what stands beside it changes no verdict, no
// critical damping, no eigenvalue of its layer.
static void test_neighbours(void **state)
{
    (void)state;
    // critical ζ by (6.6) with d̄ = 1: |Im h|/(2 √(|h|² Re h)), below and above the default of 0.1
    const double couplings[] = {0.1, 0.19, 0.3, 0.8}, factors[] = {1e-6, 0.01, 3, 100, 1e6};
    for (size_t i = 0; i < sizeof couplings / sizeof *couplings; i++) {
        double q = couplings[i], critical = q / (2 * sqrt(1 + q * q));
        const double D[4] = {1, q, -q, 1};
        SpragContactProblem alone, beside;
        make_pair(&alone, D, 2);
        SpragVerdict verdict = run(&alone);
        const SpragSolution *s = pressed(&verdict);
        bool stable = s->stable;
        double fast = fastest(s);
        assert_int_equal(stable, critical < 0.1);
        assert_close(s->critical_damping, critical, 1e-9);
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            make_neighbours(&beside, D, factors[k]);
            verdict = run(&beside);
            s = pressed(&verdict);
            assert_int_equal(s->stable, stable);
            assert_close(s->critical_damping, critical, 1e-9);
            // in units of 1/(√ε T) both islands have the same spectrum
            assert_close(fastest(s), fast, 1e-9 * fmax(fabs(fast), 1));
            sprag_contact_problem_destroy(&beside);
        }
        sprag_contact_problem_destroy(&alone);
    }
}

// theory.md 6.3: D = [[1, 4], [0, 1]] has an indefinite symmetric part, and is stable whatever k,
// c.
static void test_not_definite(void **state)
{
    (void)state;
    const double D[4] = {1, 4, 0, 1};
    SpragContactProblem problem;
    make_pair(&problem, D, 1);
    for (double c = 1e-3; c < 1e3; c *= 10) {
        set_layer(&problem, 0, 1, c);
        set_layer(&problem, 1, 7, 0.3 * c);
        SpragVerdict verdict = run(&problem);
        const SpragSolution *s = pressed(&verdict);
        assert_int_equal(s->stability, SPRAG_STABLE);
        assert_true(s->critical_factor == 0);
        assert_int_equal(s->ratios.result, SPRAG_RATIOS_STABLE);
        assert_int_equal(s->ratios.stable, s->ratios.tried);
        assert_true(s->ratios.proven && !s->ratios.witness);
    }
    sprag_contact_problem_destroy(&problem);
}

// Every ratio that the scan tries for two contacts, by Hurwitz; false: one is too near to tell.
static bool count_stable(const double D[4], const double k[2], const double c[2], int *stable)
{
    *stable = 0;
    for (int e = -4; e <= 4; e++) {
        double factor = pow(10, 0.5 * e), margin;
        double K[2] = {k[0] * factor, k[1]}, C[2] = {c[0] * sqrt(factor), c[1]};
        *stable += hurwitz(D, K, C, &margin);
        if (margin < 1e-6)
            return false;
    }
    return true;
}

static void check_pair(SpragRandom *random, int seen[4])
{
    double D[4], k[2], c[2], margin;
    for (int i = 0; i < 4; i++)
        D[i] = sprag_random_uniform(random, i % 3 ? -2 : -0.3, 2);
    for (int i = 0; i < 2; i++) {
        k[i] = pow(10, sprag_random_uniform(random, -1, 1));
        c[i] = pow(10, sprag_random_uniform(random, -2, 0.5));
    }
    int stable;
    if (!count_stable(D, k, c, &stable))
        return;
    SpragContactProblem problem;
    make_pair(&problem, D, 1);
    for (int i = 0; i < 2; i++)
        set_layer(&problem, i, k[i], c[i]);
    SpragVerdict verdict = run(&problem);
    const SpragSolution *s = pressed(&verdict);
    bool base = hurwitz(D, k, c, &margin);
    assert_int_equal(s->stable, base);
    assert_int_equal(s->ratios.tried, 9);
    assert_int_equal(s->ratios.stable, stable);
    seen[s->ratios.result]++;
    if (s->ratios.witness) {
        double K[2], C[2];
        for (int i = 0; i < 2; i++) {
            K[i] = k[i] * s->ratios.witness[i];
            C[i] = c[i] * sqrt(s->ratios.witness[i]);
        }
        assert_int_equal(hurwitz(D, K, C, &margin), !base);
        assert_int_equal(s->ratios.witness_stability == SPRAG_STABLE, !base);
    }
    // what is proven holds at ratios that were not tried, with any damping if stable
    for (int i = 0; i < 20 && s->ratios.proven; i++) {
        double K[2] = {1, pow(10, sprag_random_uniform(random, -5, 5))};
        double C[2] = {pow(10, sprag_random_uniform(random, -3, 3)),
                       pow(10, sprag_random_uniform(random, -3, 3))};
        bool holds = hurwitz(D, K, C, &margin) == (s->ratios.result == SPRAG_RATIOS_STABLE);
        assert_true(holds || margin < 1e-9);
    }
    if (s->critical_factor > 0) {
        for (int side = -1; side <= 1; side += 2) {
            double factor = s->critical_factor * (1 + side * 1e-6);
            double C[2] = {c[0] * factor, c[1] * factor};
            assert_int_equal(hurwitz(D, k, C, &margin), side > 0);
        }
    }
    sprag_contact_problem_destroy(&problem);
}

// Spectrum, scan, witness, proof and factor of random pairs.
static void test_pairs(void **state)
{
    (void)state;
    SpragRandom random;
    int seen[4] = {0};
    sprag_random_init(&random, 5);
    for (int draw = 0; draw < test_draws(300); draw++)
        check_pair(&random, seen);
    assert_true(seen[SPRAG_RATIOS_STABLE] > 10 && seen[SPRAG_RATIOS_DEPEND] > 10 &&
                seen[SPRAG_RATIOS_UNSTABLE] > 10);
}

// Slopes of K δ^β (1 + (3/2) α δ') at the depth where it is `force`, by differences.
static void law_slopes(const SpragForceLaw *law, double force, double *k, double *c)
{
    // depth by bisection; the law is monotone
    double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        *(law->stiffness * pow(middle, law->exponent) < force ? &low : &high) = middle;
    }
    // relative steps of 1e-5: truncation 1e-10, rounding 1e-11
    double h = 1e-5 * low;
    *k = law->stiffness * (pow(low + h, law->exponent) - pow(low - h, law->exponent)) / (2 * h);
    *c = 1.5 * law->alpha * force;
}

// A force law is linearised at the force of the motion: the eigenvalues are roots of the quartic
// with the slopes there.
static void test_force_law(void **state)
{
    (void)state;
    for (double force = 0.1; force < 2000; force *= 10) {
        SpragContactProblem problem;
        double k[2], c[2], a[4];
        make_pair(&problem, FLUTTERS, force);
        for (int i = 0; i < 2; i++) {
            SpragForceLaw *law = &problem.constraints[i].law;
            *law = (SpragForceLaw){
                .stiffness = 1e5 * (1 + i), .exponent = 1.5 + 0.5 * i, .alpha = 0.3};
            law_slopes(law, force, &k[i], &c[i]);
        }
        SpragVerdict verdict = run(&problem);
        const SpragSolution *s = pressed(&verdict);
        assert_int_equal(s->layer_source, SPRAG_LAYER_SCENE);
        assert_int_equal(s->eigenvalue_count, 4);
        quartic(FLUTTERS, k, c, a);
        // coefficients from the roots: sum, and product of all
        double sum = 0, re = 1, im = 0;
        for (int i = 0; i < 4; i++) {
            SpragEigenvalue e = s->eigenvalues[i];
            double next = re * e.real - im * e.imaginary;
            im = re * e.imaginary + im * e.real;
            re = next;
            sum += e.real;
        }
        assert_close(-sum, a[3], 1e-7 * (c[0] + c[1]) + 1e-10 * sqrt(k[0] + k[1]));
        assert_close(re, a[0], 1e-7 * a[0]);
        sprag_contact_problem_destroy(&problem);
    }
}

// What is missing is taken from (6.9), and said.
static void test_sources(void **state)
{
    (void)state;
    SpragContactProblem problem;
    make_pair(&problem, FLUTTERS, 1);
    SpragVerdict verdict = run(&problem);
    const SpragSolution *s = pressed(&verdict);
    assert_int_equal(s->layer_source, SPRAG_LAYER_DEFAULT);
    assert_true(verdict.default_layer && s->critical_factor == 0);
    // (6.9) with d̄ = 1: ζ = 0.8/(2 √1.64)
    assert_close(s->critical_damping, 0.4 / sqrt(1.64), 1e-12);
    SpragEigenvalue first = s->eigenvalues[0];
    // the same numbers, given: k = 1/(d̄ ε), c = 2 ζ √(k/d̄)
    for (int i = 0; i < 2; i++)
        set_layer(&problem, i, 1e4, 0.2 * 100);
    verdict = run(&problem);
    s = pressed(&verdict);
    assert_int_equal(s->layer_source, SPRAG_LAYER_SCENE);
    assert_false(verdict.default_layer);
    assert_close(fastest(s), first.real, 1e-9 * 100);
    // one contact, or the damping, left out: filled in alike
    for (int what = 0; what < 3; what++) {
        for (int i = 0; i < 2; i++)
            set_layer(&problem, i, what == 1 ? 0 : 1e4, what == 2 ? 0 : 0.2 * 100);
        if (what == 0)
            set_layer(&problem, 1, 0, 0);
        verdict = run(&problem);
        s = pressed(&verdict);
        assert_int_equal(s->layer_source, SPRAG_LAYER_MIXED);
        assert_true(verdict.default_layer);
        assert_close(fastest(s), first.real, 1e-9 * 100);
        assert_close(s->critical_factor, 0.4 / sqrt(1.64) / 0.1, 1e-7);
    }
    for (int i = 0; i < 4; i++)
        assert_true(strlen(sprag_layer_source_name((SpragLayerSource)i)) > 3 &&
                    strlen(sprag_ratio_result_text((SpragRatioResult)i)) > 3);
    sprag_contact_problem_destroy(&problem);
}

// A law without force has no slope: the default stands in, and nothing is NaN.
static void test_law_without_force(void **state)
{
    (void)state;
    SpragContactProblem problem;
    make_pair(&problem, FLUTTERS, 0);
    for (int i = 0; i < 2; i++)
        problem.constraints[i].law = (SpragForceLaw){.stiffness = 1e5, .exponent = 1.5, .alpha = 1};
    SpragVerdict verdict = run(&problem);
    for (int i = 0; i < verdict.solution_count; i++) {
        assert_true(verdict.solutions[i].layer_source != SPRAG_LAYER_SCENE);
        for (int e = 0; e < verdict.solutions[i].eigenvalue_count; e++)
            assert_true(isfinite(verdict.solutions[i].eigenvalues[e].real));
    }
    sprag_contact_problem_destroy(&problem);
}

// The order of contacts changes nothing but the order of the witness; sizes of all designs.
static void test_many(void **state)
{
    (void)state;
    static const int tried[] = {0, 0, 9, 61, 369, 211, 665, 7 * 4 + 201, 8 * 4 + 201};
    for (int n = 2; n <= 8; n++) {
        int stable[2];
        SpragRatioResult result[2];
        for (int turned = 0; turned < 2; turned++) {
            SpragVec2 feet[8];
            double friction[8], slip[8];
            for (int i = 0; i < n; i++) {
                double x = turned ? n - 1 - i : i;
                feet[i] = sprag_vec2(-1.2 + 2 * x / (n - 1), -1);
                friction[i] = 0.6;
                slip[i] = -1;
            }
            SpragContactProblem problem;
            problem_body_on_points(&problem, context, 1, 2.0 / 3, n, feet, friction, slip,
                                   (double[]){0, -9.81, 0});
            SpragVerdict verdict = run(&problem);
            const SpragSolution *s = &verdict.solutions[0];
            assert_int_equal(verdict.solution_count, 1);
            assert_int_equal(s->ratios.tried, tried[n]);
            stable[turned] = s->ratios.stable;
            result[turned] = s->ratios.result;
            sprag_contact_problem_destroy(&problem);
        }
        assert_int_equal(result[0], result[1]);
        if (n <= 6)
            assert_int_equal(stable[0], stable[1]);
    }
}

// The off-centre box of theory.md 6.3 as a scene with layers; the numbers reach the spectrum.
static SpragSolution scene_solution(Answer *answer, const char *layer)
{
    char text[1024];
    snprintf(text, sizeof text,
             "sprag: 1\nbodies:\n" SCENE_TABLE
             "  - {name: box, mass: 1, inertia: 2/3, position: [0, 1], velocity: [-1, 0], shapes: "
             "[{points: {l: [-1.2, -1], r: [0.8, -1]}}]}\n"
             "contacts: [{between: [box, table], friction: 0.6%s}]\n",
             layer);
    answer_text(answer, context, text);
    assert_int_equal(answer->verdict.solution_count, 1);
    return answer->verdict.solutions[0];
}

// −(sum of the eigenvalues) = Σ D_ii Ĉ_i and their product = det D Π K̂_i.
static void check_box(const SpragSolution *s, const double k[2], const double c[2])
{
    double D[4], a[4], x[2] = {-1.2, 0.8}, sum = 0, size = 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            D[2 * i + j] = 1 + 1.5 * x[i] * (x[j] + 0.6);
    quartic(D, k, c, a);
    assert_int_equal(s->eigenvalue_count, 4);
    for (int i = 0; i < 4; i++) {
        sum += s->eigenvalues[i].real;
        size *= hypot(s->eigenvalues[i].real, s->eigenvalues[i].imaginary);
    }
    assert_close(-sum, a[3], 1e-9 * (c[0] + c[1]) + 1e-12 * sqrt(k[0] + k[1]));
    assert_close(size, fabs(a[0]), 1e-9 * fabs(a[0]));
}

static void test_scene_layers(void **state)
{
    (void)state;
    Answer answer;
    const double g = 9.81, force[2] = {0.7 * g, 0.3 * g};
    double k[2], c[2];
    SpragSolution s = scene_solution(&answer, "");
    assert_int_equal(s.layer_source, SPRAG_LAYER_DEFAULT);
    assert_close(s.layer[0].real, 2.38, 1e-12);
    assert_close(fabs(s.layer[0].imaginary), 0.579, 5e-4);
    assert_close(s.critical_damping, 0.123, 5e-4);
    answer_close(&answer);
    s = scene_solution(&answer, ", compliance: {law: kelvin-voigt, stiffness: 2e5, damping: 30}");
    assert_int_equal(s.layer_source, SPRAG_LAYER_SCENE);
    check_box(&s, (double[]){2e5, 2e5}, (double[]){30, 30});
    answer_close(&answer);
    // ε and length: (5.13) with m = 1, T² = L/g
    s = scene_solution(&answer, ", compliance: {law: kelvin-voigt, epsilon: 1e-3, length: 0.5}");
    assert_int_equal(s.layer_source, SPRAG_LAYER_SCENE);
    double T = sqrt(0.5 / g);
    for (int i = 0; i < 2; i++) {
        k[i] = 1 / (1e-3 * T * T);
        c[i] = 1 / (sqrt(1e-3) * T);
    }
    check_box(&s, k, c);
    answer_close(&answer);
    // Hunt–Crossley: K̂ = β K^(1/β) λ^(1 − 1/β), Ĉ = (3/2) α λ
    s = scene_solution(&answer, ", compliance: {law: hunt-crossley, stiffness: 1e7, alpha: 0.2}");
    assert_int_equal(s.layer_source, SPRAG_LAYER_SCENE);
    for (int i = 0; i < 2; i++) {
        k[i] = 1.5 * pow(1e7, 1 / 1.5) * pow(force[i], 1 - 1 / 1.5);
        c[i] = 0.3 * force[i];
    }
    check_box(&s, k, c);
    answer_close(&answer);
    // … by ε: (5.16) with β = 2: K = m/(T² L ε²), (3/2) α = T/(√ε L)
    s = scene_solution(
        &answer, ", compliance: {law: hunt-crossley, exponent: 2, epsilon: 1e-3, length: 0.5}");
    assert_int_equal(s.layer_source, SPRAG_LAYER_SCENE);
    for (int i = 0; i < 2; i++) {
        k[i] = 2 * sqrt(force[i] / (T * T * 0.5 * 1e-6));
        c[i] = T / (sqrt(1e-3) * 0.5) * force[i];
    }
    check_box(&s, k, c);
    answer_close(&answer);
}

// One contact: the sign of A decides, however stiff or damped; the product of the roots is A K̂.
static void test_one_row(void **state)
{
    (void)state;
    for (double k = 1e-6; k < 1e13; k *= 1e3)
        for (double c = 1e-6; c < 1e13; c *= 1e3)
            for (int steep = 0; steep < 2; steep++) {
                SpragContactProblem problem;
                double A = steep ? -0.5 : 0.5;
                problem_one(&problem, context, (double[]){1, steep ? -0.75 : -0.25, 2},
                            (double[]){steep ? 1 : -1, 0}, 2, -1);
                set_layer(&problem, 0, k, c);
                SpragVerdict verdict = run(&problem);
                const SpragSolution *s = NULL;
                for (int i = 0; i < verdict.solution_count; i++)
                    if (verdict.solutions[i].motion->active[0])
                        s = &verdict.solutions[i];
                assert_non_null(s);
                assert_int_equal(s->stability, steep ? SPRAG_DIVERGENT : SPRAG_STABLE);
                double product = s->eigenvalues[0].real * s->eigenvalues[1].real +
                                 s->eigenvalues[0].imaginary * s->eigenvalues[0].imaginary;
                assert_close(product, A * k, 1e-12 * k);
                sprag_contact_problem_destroy(&problem);
            }
}

// Where one contact has no stiffness, indeterminate forces are those of equal springs.
static void test_some_springs(void **state)
{
    (void)state;
    const SpragVec2 feet[3] = {{-1, -0.5}, {0.2, -0.5}, {1, -0.5}};
    const double friction[3] = {0.3, 0.3, 0.3}, slip[3] = {1, 1, 1};
    double equal[6];
    for (int given = 0; given < 2; given++) {
        SpragContactProblem problem;
        problem_body_on_points(&problem, context, 1, 0.5, 3, feet, friction, slip,
                               (double[]){0, -9.81, 0});
        for (int i = 0; given && i < 2; i++)
            set_layer(&problem, i, 1e6, 10);
        SpragVerdict verdict = run(&problem);
        const SpragSolution *s = &verdict.solutions[0];
        assert_int_equal(s->layer_source, given ? SPRAG_LAYER_MIXED : SPRAG_LAYER_DEFAULT);
        assert_int_equal(s->motion->force_dimension, 1);
        for (int r = 0; r < 6; r++)
            if (given)
                assert_close(s->motion->force[r], equal[r], 1e-12 * 9.81);
            else
                equal[r] = s->motion->force[r];
        sprag_contact_problem_destroy(&problem);
    }
}

// A disc on a plane: one row, A = 1/m. Hertz from materials and radius, and the law of Lankarani
// and Nikravesh.
static void test_scene_disc(void **state)
{
    (void)state;
    static const char *const layers[] = {
        "hertz", "{law: hertz, radius: 0.8, alpha: 0.4}",
        "{law: lankarani-nikravesh, stiffness: 1e8, restitution: 0.6, speed: 0.8}"};
    const double modulus = 1 / (0.75 / 1e9 + 0.91 / 2e11), force = 3 * 9.81;
    const double K[] = {4.0 / 3 * modulus * sqrt(0.2), 4.0 / 3 * modulus * sqrt(0.8), 1e8};
    const double alpha[] = {0, 0.4, 0.4};
    for (int i = 0; i < 3; i++) {
        Answer answer;
        answer_format(&answer, context,
                      "sprag: 1\nmaterials: {steel: {young: 200 GPa, poisson-ratio: 0.3}, rubber: "
                      "{young: 1 GPa, poisson-ratio: 0.5}}\nbodies:\n"
                      "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}, material: "
                      "steel}]}\n"
                      "  - {name: disc, mass: 3, position: [0, 0.2], velocity: [1, 0], shapes: "
                      "[{circle: {radius: 0.2}, material: rubber}]}\n"
                      "contacts: [{between: [disc, table], friction: 0.2, compliance: %s}]\n",
                      layers[i]);
        const SpragSolution *s = &answer.verdict.solutions[0];
        double k = 1.5 * pow(K[i], 2.0 / 3) * cbrt(force), c = 1.5 * alpha[i] * force;
        if (alpha[i] == 0) // nothing gives damping: ζ = 0.1 with d̄ = 1/m
            c = 0.2 * sqrt(3 * k);
        assert_int_equal(s->layer_source, alpha[i] > 0 ? SPRAG_LAYER_SCENE : SPRAG_LAYER_MIXED);
        assert_int_equal(s->eigenvalue_count, 2);
        double size = hypot(s->eigenvalues[0].real, s->eigenvalues[0].imaginary);
        assert_close(s->eigenvalues[0].real, -c / 6, 1e-9 * size);
        assert_close(size * size, k / 3, 1e-9 * k);
        answer_close(&answer);
    }
}

// What Hertz needs and a scene does not give.
static void test_scene_hertz_refused(void **state)
{
    (void)state;
    static const struct {
        const char *material, *shape, *message;
    } cases[] = {{"", "circle: {radius: 0.2}", "needs young"},
                 {", young: 1 GPa", "box: {size: [0.4, 0.4]}", "needs radius"}};
    for (int i = 0; i < 2; i++) {
        char text[512];
        SpragScene *scene = NULL;
        SpragSystem *system = NULL;
        snprintf(text, sizeof text,
                 "sprag: 1\nmaterials: {default: {friction: 0.1%s}}\nbodies:\n" SCENE_TABLE
                 "  - {name: body, mass: 1, position: [0, 0.2], shapes: [{%s}]}\n"
                 "contacts: [{between: [body, table], compliance: hertz}]\n",
                 cases[i].material, cases[i].shape);
        assert_ok(context,
                  sprag_scene_read_text(context, "t.yaml", text, strlen(text), NULL, &scene));
        assert_int_equal(sprag_system_create_model(sprag_scene_model(scene), &system),
                         SPRAG_ERROR_INPUT);
        assert_non_null(strstr(sprag_context_message(context), cases[i].message));
        sprag_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unique_but_flutter),
                                       cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_not_definite),
                                       cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_force_law),
                                       cmocka_unit_test(test_sources),
                                       cmocka_unit_test(test_law_without_force),
                                       cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_scene_layers),
                                       cmocka_unit_test(test_scene_disc),
                                       cmocka_unit_test(test_one_row),
                                       cmocka_unit_test(test_some_springs),
                                       cmocka_unit_test(test_scene_hertz_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

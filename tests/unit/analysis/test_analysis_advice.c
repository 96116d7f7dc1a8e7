// Tests of the matrix with their witnesses, and the model of each contact: against principal
// minors by expansion, theory.md 3.3, 8.1, 8.5, 8.6.1, and the remaining problem searched anew.
#include "support/allocator.h"
#include "support/problems.h"
#include "support/with_analysis.h"

static SpragVerdict run(const SpragContactProblem *problem)
{
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    settings.details = true;
    assert_ok(context, sprag_analysis_run(analysis, problem, &settings, &verdict));
    assert_non_null(verdict.rules);
    bool compliant = false;
    for (int c = 0; c < problem->constraint_count; c++)
        compliant |= sprag_rule_is_compliant(verdict.rules[c]);
    // the whole is compliant if and only if a contact is
    assert_int_equal(compliant, verdict.recommended_compliant);
    return verdict;
}

static SpragSolvability tests_of(const SpragContactProblem *problem)
{
    SpragSolvability tests;
    assert_ok(context, sprag_analysis_test(analysis, problem, &tests));
    return tests;
}

// ---- Problems -----------------------------------------------------------------------------------

// Appends the contacts of a body (m, I) on points: rows N = (0, 1, x), T = (1, 0, −y), as a block
// of a dense problem that is assembled at the end. slip < 0: to −x.
typedef struct Feet {
    double inertia;
    int count;
    SpragVec2 point[3];
    double friction, slip;
    double spin; // lifts tips: b_N = spin² × (−y) − g
} Feet;

static void make_bodies(SpragContactProblem *problem, int count, const Feet *bodies)
{
    double *inverse, *entries;
    int row = 0;
    sprag_contact_problem_init(problem, context);
    for (int k = 0; k < count; k++) {
        const Feet *body = &bodies[k];
        assert_ok(context, sprag_contact_problem_add_block(problem, 3, &inverse));
        inverse[0] = inverse[4] = 1;
        inverse[8] = 1 / body->inertia;
        problem->free_acceleration[3 * k + 1] = -9.81;
        for (int i = 0; i < body->count; i++, row += 2) {
            problem_add_contact(problem, body->friction, body->slip);
            problem->bias[row] = -body->spin * body->spin * body->point[i].y;
            problem->bias[row + 1] = -body->spin * body->spin * body->point[i].x;
            assert_ok(context, sprag_contact_problem_add_row_block(problem, row, k, &entries));
            entries[1] = 1;
            entries[2] = body->point[i].x;
            assert_ok(context, sprag_contact_problem_add_row_block(problem, row + 1, k, &entries));
            entries[0] = 1;
            entries[2] = -body->point[i].y;
        }
    }
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

static const Feet FLUTTERING = {2.0 / 3, 2, {{-1.2, -1}, {0.8, -1}}, 0.6, -1, 0};
static const Feet RESTING = {2.0 / 3, 2, {{-1, -0.5}, {1, -0.5}}, 0.6, 0, 0};
// a uniform rod at 63.43°, μ = 1.6 > 4/3: A < 0, theory.md (4.8)
static const Feet PAINLEVE = {1.0 / 3, 1,  {{-0.44721359549995794, -0.89442719099991588}},
                              1.6,     -1, 0};

// ---- Tests of the matrix ------------------------------------------------------------------------

// Determinant by expansion along the first row.
static double expand(int n, const double *A)
{
    double sum = 0, minor[64];
    if (n == 0)
        return 1;
    for (int j = 0; j < n; j++) {
        int at = 0;
        for (int i = 1; i < n; i++)
            for (int k = 0; k < n; k++)
                if (k != j)
                    minor[at++] = A[i * n + k];
        sum += (j % 2 ? -1 : 1) * A[j] * expand(n - 1, minor);
    }
    return sum;
}

// The determinant (3.4) of modes, scaled, from the definition.
static double determinant_of(const SpragContactProblem *problem, const SpragMode *modes)
{
    double A[64];
    int row[8], n = 0;
    double on_tangent[8];
    for (int c = 0; c < problem->constraint_count; c++) {
        int first = problem->constraints[c].row;
        double mu = problem->constraints[c].friction;
        if (modes[c] == SPRAG_MODE_SEPARATE)
            continue;
        row[n] = first;
        on_tangent[n++] = modes[c] == SPRAG_MODE_SLIDE_PLUS    ? -mu
                          : modes[c] == SPRAG_MODE_SLIDE_MINUS ? mu
                                                               : 0;
        if (modes[c] == SPRAG_MODE_STICK) {
            row[n] = first + 1;
            on_tangent[n++] = 0;
        }
    }
    int size = problem->row_count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *W = problem->W + row[i] * size;
            double entry = W[row[j]];
            if (on_tangent[j] != 0)
                entry += on_tangent[j] * W[row[j] + 1];
            A[i * n + j] = entry / W[row[i]];
        }
    return expand(n, A);
}

// A random W of 2 n rows, mostly well loaded.
static void random_problem(SpragContactProblem *problem, SpragRandom *random, int n, bool sliding)
{
    double J[8 * 9];
    int size = 2 * n, width = size + 1;
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < n; i++)
        problem_add_contact(problem, sprag_random_uniform(random, 0.1, 3),
                            sliding ? (sprag_random_below(random, 2) ? 1 : -1) : 0);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int i = 0; i < size * width; i++)
        J[i] = sprag_random_uniform(random, -1, 1);
    for (int i = 0; i < size; i++) {
        problem->b[i] = sprag_random_uniform(random, -1, 0.5);
        for (int j = 0; j < size; j++) {
            double sum = 0;
            for (int k = 0; k < width; k++)
                sum += J[i * width + k] * J[j * width + k];
            problem->W[i * size + j] = sum;
        }
    }
}

// Every choice of modes, one by one; returns the least determinant.
static double least_by_hand(const SpragContactProblem *problem)
{
    static const SpragMode choices[] = {SPRAG_MODE_SEPARATE, SPRAG_MODE_SLIDE_PLUS,
                                        SPRAG_MODE_SLIDE_MINUS, SPRAG_MODE_STICK};
    int n = problem->constraint_count, total = 1 << (2 * n);
    double least = INFINITY;
    for (int number = 1; number < total; number++) {
        SpragMode modes[4];
        bool allowed = true, closed = false;
        for (int c = 0; c < n; c++) {
            modes[c] = choices[(number >> (2 * c)) & 3];
            closed |= modes[c] != SPRAG_MODE_SEPARATE;
            SpragMode slides = problem->constraints[c].slip[0] > 0 ? SPRAG_MODE_SLIDE_PLUS
                                                                   : SPRAG_MODE_SLIDE_MINUS;
            if (problem->constraints[c].sliding)
                allowed &= modes[c] == SPRAG_MODE_SEPARATE || modes[c] == slides;
        }
        if (allowed && closed)
            least = fmin(least, determinant_of(problem, modes));
    }
    return least;
}

static void test_determinants(void **state)
{
    (void)state;
    SpragRandom random;
    int answers[2] = {0};
    sprag_random_init(&random, 11);
    for (int draw = 0; draw < test_draws(200); draw++) {
        SpragContactProblem problem;
        bool sliding = draw % 2;
        random_problem(&problem, &random, 1 + draw % 4, sliding);
        SpragSolvability tests = tests_of(&problem);
        double least = least_by_hand(&problem);
        // expansion and LU round differently; entries are of order one
        assert_close(tests.determinant, least, 1e-11);
        assert_close(determinant_of(&problem, tests.determinant_modes), least, 1e-11);
        assert_close(sprag_contact_determinant(&problem, NULL), least, 1e-11);
        assert_null(tests.omitted);
        assert_int_equal(tests.sufficient, problem.constraint_count == 1);
        assert_int_equal(tests.p_asked, sliding);
        if (fabs(least) > 1e-9)
            assert_int_equal(tests.coherent, least > 0 ? SPRAG_ANSWER_YES : SPRAG_ANSWER_NO);
        // of sliding contacts the modes are the principal minors
        if (sliding && fabs(least) > 1e-9) {
            assert_int_equal(tests.p_matrix, tests.coherent);
            answers[tests.p_matrix]++;
        }
        if (tests.p_count > 0) {
            SpragMode modes[4] = {SPRAG_MODE_SEPARATE, SPRAG_MODE_SEPARATE, SPRAG_MODE_SEPARATE,
                                  SPRAG_MODE_SEPARATE};
            for (int i = 0; i < tests.p_count; i++)
                modes[tests.p_witness[i]] = problem.constraints[tests.p_witness[i]].slip[0] > 0
                                                ? SPRAG_MODE_SLIDE_PLUS
                                                : SPRAG_MODE_SLIDE_MINUS;
            assert_close(tests.p_minor, determinant_of(&problem, modes), 1e-11);
            assert_true(tests.p_minor <= 1e-11);
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(answers[0] > 10 && answers[1] > 10);
}

// (3.5) for one contact at rest: yes means one motion for every load, no means three for some.
static void test_one_contact(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 12);
    for (int draw = 0; draw < test_draws(60); draw++) {
        SpragContactProblem problem;
        int most = 0;
        random_problem(&problem, &random, 1, false);
        problem.constraints[0].friction = sprag_random_uniform(&random, 0, 4);
        double least = problem.W[0] - problem.constraints[0].friction * fabs(problem.W[1]);
        SpragSolvability tests = tests_of(&problem);
        assert_int_equal(tests.coherent, least > 0 ? SPRAG_ANSWER_YES : SPRAG_ANSWER_NO);
        for (int load = 0; load < 300; load++) {
            problem.b[0] = sprag_random_uniform(&random, -1, 1);
            problem.b[1] = sprag_random_uniform(&random, -4, 4);
            SpragVerdict verdict;
            assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
            most = verdict.solution_count > most ? verdict.solution_count : most;
        }
        if (least > 0) {
            assert_int_equal(most, 1);
        } else if (least < -1e-3 * problem.W[0]) {
            // a force just inside of the cone whose own normal acceleration is negative: with b =
            // −G λ it sticks, and as b_N > 0 it separates too; the third motion slides between them
            double lambda = -copysign(problem.constraints[0].friction, problem.W[1]);
            lambda *= 1 + 0.5 * least / (problem.constraints[0].friction * fabs(problem.W[1]));
            SpragVerdict verdict;
            problem.b[0] = -(problem.W[0] + problem.W[1] * lambda);
            problem.b[1] = -(problem.W[2] + problem.W[3] * lambda);
            assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
            assert_int_equal(verdict.solution_count, 3);
        }
        sprag_contact_problem_destroy(&problem);
    }
}

// Where there is no answer the test says why; dependent rows are no failure.
static void test_omitted(void **state)
{
    (void)state;
    SpragContactProblem problem;
    make_bodies(&problem, 1, &RESTING); // four rows, three coordinates
    SpragSolvability tests = tests_of(&problem);
    assert_int_equal(tests.coherent, SPRAG_ANSWER_UNKNOWN);
    assert_false(tests.p_asked);
    assert_null(tests.omitted);
    assert_close(tests.determinant, 0, 1e-12);
    sprag_contact_problem_destroy(&problem);

    sprag_contact_problem_init(&problem, context);
    tests = tests_of(&problem);
    assert_true(isnan(tests.determinant) && tests.omitted);
    for (int i = 0; i < 13; i++)
        problem_add_contact(&problem, 0.2, 1);
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    for (int i = 0; i < 26; i++)
        problem.W[27 * i] = 2;
    tests = tests_of(&problem);
    assert_true(isnan(tests.determinant) && tests.omitted && !tests.determinant_modes);
    assert_int_equal(tests.p_matrix, SPRAG_ANSWER_YES);
    sprag_contact_problem_destroy(&problem);

    SpragConstraint *item;
    sprag_contact_problem_init(&problem, context);
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_GUIDE, &item));
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    problem.W[0] = problem.W[3] = 1;
    tests = tests_of(&problem);
    assert_true(isnan(tests.determinant) && tests.omitted && !tests.p_asked);
    sprag_contact_problem_destroy(&problem);
}

// A joint that holds a coordinate: the tests are those of the problem without it.
static void test_bilateral(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 13);
    for (int draw = 0; draw < test_draws(40); draw++) {
        SpragContactProblem whole, reduced;
        SpragConstraint *joint;
        random_problem(&reduced, &random, 2, draw % 2);
        random_problem(&whole, &random, 2, false);
        for (int c = 0; c < 2; c++)
            whole.constraints[c] = reduced.constraints[c];
        assert_ok(context, sprag_contact_problem_add(&whole, SPRAG_CONSTRAINT_BILATERAL, &joint));
        assert_ok(context, sprag_contact_problem_reserve_dense(&whole));
        // W with Schur complement `reduced` after the last row
        double g[4];
        for (int i = 0; i < 4; i++)
            g[i] = sprag_random_uniform(&random, -1, 1);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                whole.W[5 * i + j] = reduced.W[4 * i + j] + g[i] * g[j] / 2;
            whole.W[5 * i + 4] = whole.W[20 + i] = g[i];
        }
        whole.W[24] = 2;
        SpragSolvability of_whole = tests_of(&whole), of_reduced = tests_of(&reduced);
        if (fabs(of_reduced.determinant) > 1e-9)
            assert_int_equal(of_whole.coherent, of_reduced.coherent);
        sprag_contact_problem_destroy(&whole);
        sprag_contact_problem_destroy(&reduced);
    }
}

// theory.md 13.1: a_nn > μ |g| does not give uniqueness in space; of a given direction A does.
static void test_space(void **state)
{
    (void)state;
    static const double G[9] = {1, 0.6, 0.6, 0.6, 2, 0, 0.6, 0, 0.5};
    SpragContactProblem problem;
    SpragConstraint *item;
    sprag_contact_problem_init(&problem, context);
    sprag_contact_problem_clear(&problem, 3);
    assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_CONTACT, &item));
    item->friction = 1;
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    memcpy(problem.W, G, sizeof G);
    SpragSolvability tests = tests_of(&problem);
    assert_close(tests.determinant, 0.151, 5e-4);
    assert_int_equal(tests.coherent, SPRAG_ANSWER_UNKNOWN);
    assert_false(tests.sufficient);
    problem.constraints[0].friction = 1.5;
    tests = tests_of(&problem);
    assert_int_equal(tests.coherent, SPRAG_ANSWER_NO);
    // (13.2): slip along +t has A = 1 − 1.5·0.6 = 0.1, along −t 1.9
    problem.constraints[0].sliding = true;
    for (int k = -1; k <= 1; k += 2) {
        problem.constraints[0].slip[0] = 3 * k;
        tests = tests_of(&problem);
        assert_close(tests.determinant, 1 - 0.9 * k, 1e-14);
        assert_int_equal(tests.coherent, SPRAG_ANSWER_YES);
        assert_true(tests.sufficient && tests.p_asked);
        assert_int_equal(tests.p_matrix, SPRAG_ANSWER_YES);
    }
    sprag_contact_problem_destroy(&problem);
    // two of them are not decided, and nothing breaks
    sprag_contact_problem_init(&problem, context);
    sprag_contact_problem_clear(&problem, 3);
    for (int i = 0; i < 2; i++)
        assert_ok(context, sprag_contact_problem_add(&problem, SPRAG_CONSTRAINT_CONTACT, &item));
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    for (int i = 0; i < 6; i++)
        problem.W[7 * i] = 1;
    tests = tests_of(&problem);
    assert_true(isnan(tests.determinant) && tests.omitted);
    sprag_contact_problem_destroy(&problem);
}

// ---- The model of each contact ------------------------------------------------------------------

static void check_rules(const Feet *bodies, int count, int contacts, const SpragRuleKind *wanted)
{
    SpragContactProblem problem;
    make_bodies(&problem, count, bodies);
    assert_int_equal(problem.constraint_count, contacts);
    SpragVerdict verdict = run(&problem);
    for (int c = 0; c < contacts; c++)
        if (verdict.rules[c] != wanted[c])
            fail_msg("contact %d: %s, wanted %s", c, sprag_rule_text(verdict.rules[c]),
                     sprag_rule_text(wanted[c]));
    sprag_contact_problem_destroy(&problem);
}

#define RULES(...) ((const SpragRuleKind[]){__VA_ARGS__})

// What fails on one body does not concern another.
static void test_islands(void **state)
{
    (void)state;
    const SpragRuleKind U = SPRAG_RULE_UNSTABLE, R = SPRAG_RULE_NOT_INVOLVED;
    const SpragRuleKind N = SPRAG_RULE_NO_MOTION, O = SPRAG_RULE_ONE_STABLE;
    check_rules((Feet[]){RESTING}, 1, 2, RULES(O, O));
    check_rules((Feet[]){FLUTTERING}, 1, 2, RULES(U, U));
    check_rules((Feet[]){RESTING, FLUTTERING}, 2, 4, RULES(R, R, U, U));
    check_rules((Feet[]){FLUTTERING, RESTING}, 2, 4, RULES(U, U, R, R));
    // equal bodies have double eigenvalues: the eigenvectors of both count
    check_rules((Feet[]){FLUTTERING, FLUTTERING}, 2, 4, RULES(U, U, U, U));
    check_rules((Feet[]){PAINLEVE}, 1, 1, RULES(N));
    check_rules((Feet[]){RESTING, PAINLEVE}, 2, 3, RULES(R, R, N));
    check_rules((Feet[]){PAINLEVE, RESTING, PAINLEVE}, 3, 4, RULES(N, R, R, N));
    // with spin the tip lifts in one of two motions, and the other is left
    Feet spinning = PAINLEVE;
    spinning.spin = 5;
    check_rules((Feet[]){spinning}, 1, 1, RULES(O));
    check_rules((Feet[]){RESTING, spinning}, 2, 3, RULES(O, O, O));
    // the saddle of one motion is not what makes the other body flutter
    check_rules((Feet[]){spinning, FLUTTERING}, 2, 3, RULES(R, U, U));
}

// Where there is no motion: without the contacts blamed the others have one, and the blamed have a
// determinant that is not positive.
static void test_blame(void **state)
{
    (void)state;
    SpragRandom random;
    int seen = 0, partial = 0;
    sprag_random_init(&random, 14);
    for (int draw = 0; draw < test_draws(600); draw++) {
        SpragContactProblem problem, rest;
        random_problem(&problem, &random, 2 + draw % 2, true);
        SpragVerdict verdict = run(&problem);
        if (verdict.kind != SPRAG_VERDICT_NONE) {
            sprag_contact_problem_destroy(&problem);
            continue;
        }
        int n = problem.constraint_count, kept[4], count = 0;
        SpragMode modes[4];
        for (int c = 0; c < n; c++) {
            bool blamed = sprag_rule_is_compliant(verdict.rules[c]);
            modes[c] = !blamed                              ? SPRAG_MODE_SEPARATE
                       : problem.constraints[c].slip[0] > 0 ? SPRAG_MODE_SLIDE_PLUS
                                                            : SPRAG_MODE_SLIDE_MINUS;
            if (!blamed)
                kept[count++] = c;
        }
        seen++;
        partial += count > 0;
        bool found = verdict.rules[n - 1] != SPRAG_RULE_NO_MOTION_ISLAND;
        assert_true(!found || determinant_of(&problem, modes) <= 1e-12);
        sprag_contact_problem_init(&rest, context);
        for (int i = 0; i < count; i++)
            problem_add_contact(&rest, problem.constraints[kept[i]].friction,
                                problem.constraints[kept[i]].slip[0]);
        assert_ok(context, sprag_contact_problem_reserve_dense(&rest));
        for (int i = 0; i < 2 * count; i++) {
            int from = 2 * kept[i / 2] + i % 2;
            rest.b[i] = problem.b[from];
            for (int j = 0; j < 2 * count; j++)
                rest.W[i * 2 * count + j] = problem.W[from * 2 * n + 2 * kept[j / 2] + j % 2];
        }
        assert_ok(context, sprag_analysis_run(analysis, &rest, NULL, &verdict));
        assert_true(verdict.kind == SPRAG_VERDICT_OPEN || verdict.solution_count > 0);
        sprag_contact_problem_destroy(&rest);
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen > 10 && partial > 5);
}

static void check_one(const double a[3], const double b[2], double friction, double slip,
                      SpragRuleKind wanted)
{
    SpragContactProblem problem;
    problem_one(&problem, context, a, b, friction, slip);
    SpragVerdict verdict = run(&problem);
    assert_string_equal(sprag_rule_text(verdict.rules[0]), sprag_rule_text(wanted));
    sprag_contact_problem_destroy(&problem);
}

// The table of theory.md 4.2 and a contact at rest with three motions.
static void test_one_rules(void **state)
{
    (void)state;
    const double plain[3] = {1, -0.25, 2}, flat[3] = {1, -0.5, 2}, steep[3] = {1, -0.75, 2};
    check_one(plain, (double[]){-1, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one(plain, (double[]){1, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one(plain, (double[]){0, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one(flat, (double[]){0, 0}, 2, -1, SPRAG_RULE_CONTINUUM);
    check_one(flat, (double[]){-1, 0}, 2, -1, SPRAG_RULE_NO_MOTION);
    check_one(flat, (double[]){1, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one(steep, (double[]){-1, 0}, 2, -1, SPRAG_RULE_NO_MOTION);
    check_one(steep, (double[]){1, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one(steep, (double[]){0, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    check_one((double[]){1, -0.5 * (1 - 1e-8), 2}, (double[]){-1, 0}, 2, -1, SPRAG_RULE_SMALL_A);
    // grazing: no force that could grow
    check_one((double[]){1, -0.5 * (1 - 1e-8), 2}, (double[]){0, 0}, 2, -1, SPRAG_RULE_ONE_STABLE);
    // separation and stick (λ = 1, 1.6) at rest, both stable
    check_one(steep, (double[]){0.2, -2.45}, 2, 0, SPRAG_RULE_DIFFERS);
}

// Two contacts with D = [[1, g], [g, 1]], whose least eigenvalue 1 − g friction makes (without it D
// is 1), beside another one.
static void test_nearly_singular(void **state)
{
    (void)state;
    for (double gap = 1e-9; gap < 1e-2; gap *= 100) {
        SpragContactProblem problem;
        double g = 1 - gap;
        sprag_contact_problem_init(&problem, context);
        for (int i = 0; i < 3; i++)
            problem_add_contact(&problem, 1, -1);
        assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
        for (int i = 0; i < 6; i++)
            problem.W[7 * i] = i % 2 ? 9 : 1;
        // W(n₀, t₁) = W(n₁, t₀) = g
        problem.W[0 * 6 + 3] = problem.W[3 * 6 + 0] = g;
        problem.W[2 * 6 + 1] = problem.W[1 * 6 + 2] = g;
        for (int i = 0; i < 3; i++)
            problem.b[2 * i] = -1;
        SpragVerdict verdict = run(&problem);
        assert_int_equal(verdict.kind, SPRAG_VERDICT_UNIQUE);
        assert_close(verdict.solutions[0].layer[2].real, gap, 1e-12);
        bool near = gap < 1e-6;
        assert_int_equal(verdict.recommended_compliant, near);
        assert_int_equal(verdict.rules[0], near ? SPRAG_RULE_SMALL_A : SPRAG_RULE_ONE_STABLE);
        assert_int_equal(verdict.rules[1], near ? SPRAG_RULE_SMALL_A : SPRAG_RULE_ONE_STABLE);
        assert_int_equal(verdict.rules[2], near ? SPRAG_RULE_NOT_INVOLVED : SPRAG_RULE_ONE_STABLE);
        sprag_contact_problem_destroy(&problem);
    }
}

// theory.md 8.5: free fall and sticking between two walls.
static void test_wedge(void **state)
{
    (void)state;
    // rows of the left wall (n = +x, t = −y) and the right one (n = −x, t = +y), M = I
    static const double J[4][3] = {{1, 0, 0.3}, {0, -1, 1}, {-1, 0, 0.3}, {0, 1, 1}};
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    for (int i = 0; i < 2; i++)
        problem_add_contact(&problem, 0.5, 0);
    assert_ok(context, sprag_contact_problem_reserve_dense(&problem));
    for (int i = 0; i < 4; i++) {
        problem.b[i] = -9.81 * J[i][1];
        for (int j = 0; j < 4; j++)
            problem.W[4 * i + j] = J[i][0] * J[j][0] + J[i][1] * J[j][1] + J[i][2] * J[j][2];
    }
    SpragVerdict verdict = run(&problem);
    assert_int_equal(verdict.stable_count, 2);
    for (int c = 0; c < 2; c++)
        assert_int_equal(verdict.rules[c], SPRAG_RULE_DIFFERS);
    sprag_contact_problem_destroy(&problem);
}

// Details change nothing of the verdict, and without them there is no advice.
static void test_lazy(void **state)
{
    (void)state;
    SpragContactProblem problem;
    SpragVerdict verdict;
    make_bodies(&problem, 1, &FLUTTERING);
    verdict = run(&problem);
    SpragOutcome with, without;
    sprag_outcome_init(&with, &problem, &verdict);
    assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
    sprag_outcome_init(&without, &problem, &verdict);
    assert_true(with.signature == without.signature);
    assert_null(verdict.rules);
    assert_null(verdict.solutions[0].participation);
    assert_int_equal(verdict.solutions[0].ratios.tried, 0);
    sprag_contact_problem_destroy(&problem);
}

static SpragStatus details_of(const SpragContactProblem *problem, SpragContext *where)
{
    SpragAnalysis *own = NULL;
    SpragVerdict verdict;
    SpragSolvability tests;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragContactProblem copy = *problem;
    settings.details = true;
    copy.context = where;
    SpragStatus status = sprag_analysis_create(where, &own);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(own, &copy, &settings, &verdict);
    if (status == SPRAG_OK)
        status = sprag_analysis_test(own, &copy, &tests);
    sprag_analysis_destroy(own);
    return status;
}

// The n-th request for memory fails, for all n: nothing is lost.
static void test_memory(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        SpragContactProblem problem;
        Feet bodies[2] = {RESTING, which ? PAINLEVE : FLUTTERING};
        make_bodies(&problem, 2, bodies);
        int n = 0;
        for (SpragStatus status = SPRAG_ERROR_MEMORY; status != SPRAG_OK; n++) {
            CountingAllocator counter = {.fail_at = n};
            SpragContext *where;
            status = counting_context(&counter, &where);
            if (status == SPRAG_OK)
                status = details_of(&problem, where);
            assert_true(status == SPRAG_OK || status == SPRAG_ERROR_MEMORY);
            sprag_context_destroy(where);
            assert_int_equal(counter.live, 0);
        }
        assert_true(n > 5);
        sprag_contact_problem_destroy(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_determinants), cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_omitted),      cmocka_unit_test(test_bilateral),
        cmocka_unit_test(test_space),        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_blame),        cmocka_unit_test(test_one_rules),
        cmocka_unit_test(test_wedge),        cmocka_unit_test(test_nearly_singular),
        cmocka_unit_test(test_lazy),         cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Who takes part in a failure (theory.md 8.6.1), and the deformation along which a layer leaves:
// against smallest index sets by brute force and the eigenvectors of D.
#include "support/problems.h"
#include "support/with_analysis.h"

// Contacts of bodies with as many freedoms as rows and one more, sliding or at rest.
static void random_problem(SpragContactProblem *problem, SpragRandom *random, int count, bool rest)
{
    int rows = 2 * count;
    double J[6][7];
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < count; i++)
        problem_add_contact(problem, sprag_random_uniform(random, 0.2, 3),
                            rest                            ? 0
                            : sprag_random_below(random, 2) ? 1
                                                            : -1);
    assert_ok(context, sprag_contact_problem_reserve_dense(problem));
    for (int i = 0; i < rows; i++) {
        problem->b[i] = sprag_random_uniform(random, -2, 1);
        for (int j = 0; j <= rows; j++)
            J[i][j] = sprag_random_uniform(random, -1, 1);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            for (int k = 0; k <= rows; k++)
                problem->W[i * rows + j] += J[i][k] * J[j][k];
}

static SpragVerdict culprits(const SpragContactProblem *problem, bool *in)
{
    SpragVerdict verdict;
    assert_ok(context, sprag_analysis_culprits(analysis, problem, NULL, &verdict, in));
    return verdict;
}

// ---- No motion ----------------------------------------------------------------------------------

// Whether the contacts of a set have a motion when the others are away: every choice of contact or
// separation for contacts that slide, theory.md (2.7); by elimination, no code of the library.
static bool has_motion(const SpragContactProblem *p, unsigned set)
{
    int n = p->constraint_count, rows = p->row_count;
    for (unsigned closed = 0; closed < 1u << n; closed++) {
        double A[3][4], x[3] = {0};
        int member[3], k = 0;
        bool fits = true;
        if (closed & ~set)
            continue;
        for (int c = 0; c < n; c++)
            if (closed >> c & 1)
                member[k++] = c;
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < k; j++) {
                const SpragConstraint *item = &p->constraints[member[j]];
                A[i][j] = p->W[2 * member[i] * rows + 2 * member[j]] -
                          copysign(item->friction, item->slip[0]) *
                              p->W[2 * member[i] * rows + 2 * member[j] + 1];
            }
            A[i][k] = -p->b[2 * member[i]];
        }
        for (int c = 0; c < k; c++) {
            int pivot = c;
            for (int i = c; i < k; i++)
                pivot = fabs(A[i][c]) > fabs(A[pivot][c]) ? i : pivot;
            for (int j = 0; j <= k; j++) {
                double swap = A[c][j];
                A[c][j] = A[pivot][j];
                A[pivot][j] = swap;
            }
            for (int i = 0; i < k; i++)
                for (int j = k; i != c && j >= c; j--)
                    A[i][j] -= A[i][c] / A[c][c] * A[c][j];
        }
        for (int i = 0; i < k; i++) {
            x[i] = A[i][k] / A[i][i];
            fits &= x[i] >= 0;
        }
        for (int c = 0; c < n && fits; c++) {
            if (!(set >> c & 1) || closed >> c & 1)
                continue;
            double a = p->b[2 * c];
            for (int j = 0; j < k; j++) {
                const SpragConstraint *item = &p->constraints[member[j]];
                a += (p->W[2 * c * rows + 2 * member[j]] -
                      copysign(item->friction, item->slip[0]) *
                          p->W[2 * c * rows + 2 * member[j] + 1]) *
                     x[j];
            }
            fits = a >= 0;
        }
        if (fits)
            return true;
    }
    return false;
}

// Without the culprits the others have a motion, and no single contact less would do if one alone
// were enough.
static void test_no_motion(void **state)
{
    (void)state;
    SpragRandom random;
    int seen = 0, partial = 0;
    sprag_random_init(&random, 71);
    for (int draw = 0; draw < test_draws(2000); draw++) {
        SpragContactProblem problem;
        bool in[3];
        int n = 1 + draw % 3;
        random_problem(&problem, &random, n, false);
        SpragVerdict verdict = culprits(&problem, in);
        unsigned set = 0, all = (1u << n) - 1;
        for (int c = 0; c < n; c++)
            set |= in[c] ? 1u << c : 0;
        assert_int_equal(verdict.kind == SPRAG_VERDICT_NONE, !has_motion(&problem, all));
        if (verdict.kind == SPRAG_VERDICT_NONE) {
            seen++;
            partial += set != all;
            assert_true(set != 0);
            assert_true(has_motion(&problem, all & ~set));
        } else if (verdict.stable_count == 1 && verdict.solution_count == 1 &&
                   !verdict.recommended_compliant) {
            assert_int_equal(set, 0);
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen > 50 && partial > 5);
}

// ---- Not stable ---------------------------------------------------------------------------------

// With one k and c for all rows z'' + D (c z' + k z) = 0: the mode that grows lies in an invariant
// plane of D, that of its eigenvalue h: (D − Re h)² z = −(Im h)² z.
static void check_growing(const SpragContactProblem *problem, const SpragSolution *solution)
{
    int n = problem->constraint_count, rows = problem->row_count;
    double z[3] = {0}, Dz[3], DDz[3], size = 0, best = INFINITY;
    double D[9];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const SpragConstraint *item = &problem->constraints[j];
            D[i * n + j] =
                problem->W[2 * i * rows + 2 * j] -
                copysign(item->friction, item->slip[0]) * problem->W[2 * i * rows + 2 * j + 1];
        }
    for (int i = 0; i < n; i++) {
        assert_true(solution->motion->active[i]);
        z[i] = solution->growing[2 * i];
        assert_true(solution->growing[2 * i + 1] == 0);
        size = fmax(size, fabs(z[i]));
    }
    assert_true(size > 0);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            double *to = pass ? DDz : Dz;
            to[i] = 0;
            for (int j = 0; j < n; j++)
                to[i] += D[i * n + j] * (pass ? Dz : z)[j];
        }
    for (int k = 0; k < solution->layer_count; k++) {
        SpragEigenvalue h = solution->layer[k];
        double worst = 0, square = h.real * h.real + h.imaginary * h.imaginary;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(DDz[i] - 2 * h.real * Dz[i] + square * z[i]));
        best = fmin(best, worst / (square * size));
    }
    // eigenvalues of up to three rows with entries of size 1 … 100
    assert_true(best <= 1e-6);
}

static void test_growing(void **state)
{
    (void)state;
    SpragRandom random;
    int divergent = 0, flutter = 0;
    sprag_random_init(&random, 72);
    for (int draw = 0; draw < test_draws(4000); draw++) {
        SpragContactProblem problem;
        bool in[3];
        int n = 2;
        random_problem(&problem, &random, n, false);
        SpragVerdict verdict = culprits(&problem, in);
        for (int k = 0; k < verdict.solution_count; k++) {
            const SpragSolution *solution = &verdict.solutions[k];
            bool all = true;
            for (int c = 0; c < n; c++)
                all &= solution->motion->active[c];
            assert_int_equal(solution->growing != NULL, !solution->stable);
            if (solution->stable || !all)
                continue;
            check_growing(&problem, solution);
            divergent += solution->stability == SPRAG_DIVERGENT;
            flutter += solution->stability != SPRAG_DIVERGENT;
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(divergent > 10 && flutter > 10);
}

// ---- Several ------------------------------------------------------------------------------------

// Where several motions are stable the contacts that differ in them switch, even if one motion goes
// on as now.
static void test_several(void **state)
{
    (void)state;
    SpragRandom random;
    int seen = 0;
    sprag_random_init(&random, 73);
    for (int draw = 0; draw < test_draws(3000); draw++) {
        SpragContactProblem problem;
        bool in[3];
        int n = 1 + draw % 3;
        random_problem(&problem, &random, n, true);
        SpragVerdict verdict = culprits(&problem, in);
        if (verdict.stable_count > 1 && verdict.complete &&
            verdict.kind != SPRAG_VERDICT_INFINITE) {
            seen++;
            for (int c = 0; c < n; c++) {
                bool same = true;
                const SpragMotion *first = NULL;
                for (int k = 0; k < verdict.solution_count; k++) {
                    if (!verdict.solutions[k].stable)
                        continue;
                    first = first ? first : verdict.solutions[k].motion;
                    same &= verdict.solutions[k].motion->modes[c] == first->modes[c];
                }
                if (!same)
                    assert_true(in[c]);
            }
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(seen > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_motion),
                                       cmocka_unit_test(test_growing),
                                       cmocka_unit_test(test_several)};
    return cmocka_run_group_tests_name("culprits", tests, setup, teardown);
}

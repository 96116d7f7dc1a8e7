// All sign cases of one planar contact: sliding (theory.md 4.2) and at rest (4.3, one or three
// motions), three times each: as a scene (a rod whose loads are chosen for A, B and B_T), as a bare
// problem in a file, and through the library.
#include "support/problems.h"
#include "support/scenes.h"
#include "support/with_context.h"

// What one contact is: the rod of theory.md 4.1 (m = 1, L = 0.5) on its tip, mirrored or not.
typedef struct Case {
    double theta, I, friction, slip; // slip < 0: towards −t
    double B, B_T;
    bool mirrored; // x → −x: the tip is on the other side, slip and B_T change sign
} Case;

enum { SCENE, FILE_PROBLEM, LIBRARY, WAYS };
static const double L = 0.5;

static void matrix(const Case *c, double a[3])
{
    double s = sin(c->theta), o = cos(c->theta), k = L * L / c->I;
    a[0] = 1 + k * o * o;
    a[1] = (c->mirrored ? 1 : -1) * k * s * o;
    a[2] = 1 + k * s * s;
}

// Gravity stays; the torque gives B = −g − L cos θ τ/I, a horizontal force then B_T.
static void open_scene(Answer *answer, const Case *c)
{
    double sign = c->mirrored ? -1 : 1;
    double torque = -(c->B + 9.81) * c->I / (L * cos(c->theta));
    double force = sign * c->B_T - L * sin(c->theta) * torque / c->I;
    char slip[64] = "";
    if (c->slip != 0)
        snprintf(slip, sizeof slip, ", slip: %.17g", c->slip);
    answer_format(answer, context,
                  "sprag: 1\nbodies:\n" SCENE_TABLE
                  "  - {name: rod, mass: 1, inertia: %.17g, angle: %.17g, spin: 0, "
                  "shapes: [{points: {tip: [-0.5, 0], end: [0.5, 0]}}]}\n"
                  "contacts: [{name: tip, between: [rod.tip, table], friction: %.17g}]\n"
                  "start: [{contact: tip%s}]\n"
                  "loads: [{body: rod, force: [%.17g, 0], torque: %.17g}]\n",
                  c->I, c->mirrored ? 3.14159265358979323846 - c->theta : c->theta, c->friction,
                  slip, sign * force, sign * torque);
    assert_int_equal(answer->problem->constraint_count, 1);
}

static void open_case(Answer *answer, SpragContactProblem *problem, const Case *c, int way)
{
    double a[3], b[2] = {c->B, c->B_T};
    matrix(c, a);
    if (way == SCENE) {
        open_scene(answer, c);
    } else if (way == FILE_PROBLEM) {
        answer_format(answer, context,
                      "sprag: 1\nproblem: contact\nW: [[%.17g, %.17g], [%.17g, %.17g]]\n"
                      "b: [%.17g, %.17g]\ncontacts: [{friction: %.17g, slip: %.17g}]\n",
                      a[0], a[1], a[1], a[2], b[0], b[1], c->friction, c->slip);
    } else {
        problem_one(problem, context, a, b, c->friction, c->slip);
        answer_problem(answer, problem);
    }
    // the scene's loads were derived well; 1e-13: a dozen roundings of terms of about 100
    const double *W = answer->problem->W, *found = answer->problem->b;
    assert_close(W[0], a[0], 1e-13 * a[0]);
    assert_close(W[1], a[1], 1e-13 * a[0]);
    assert_close(W[3], a[2], 1e-13 * a[2]);
    assert_close(found[0], b[0], 1e-12);
    assert_close(found[1], b[1], 1e-12);
}

static void close_case(Answer *answer, SpragContactProblem *problem, int way)
{
    answer_close(answer);
    if (way == LIBRARY)
        sprag_contact_problem_destroy(problem);
}

// ---- Sliding ------------------------------------------------------------------------------------

typedef struct Expected {
    SpragVerdictKind kind;
    int count, stable;
    bool compliant;
} Expected;

// Rows A > 0, A = 0, A < 0; columns B > 0, B = 0, B < 0: the table of theory.md 4.2.
static const Expected SLIDING[3][3] = {{{SPRAG_VERDICT_UNIQUE, 1, 1, false},
                                        {SPRAG_VERDICT_UNIQUE, 1, 1, false},
                                        {SPRAG_VERDICT_UNIQUE, 1, 1, false}},
                                       {{SPRAG_VERDICT_UNIQUE, 1, 1, false},
                                        {SPRAG_VERDICT_INFINITE, 1, -1, true},
                                        {SPRAG_VERDICT_NONE, 0, 0, true}},
                                       {{SPRAG_VERDICT_MULTIPLE, 2, 1, false},
                                        {SPRAG_VERDICT_UNIQUE, 1, 1, false},
                                        {SPRAG_VERDICT_NONE, 0, 0, true}}};

// Modes, forces and stability of the motions found.
static void check_sliding_motions(const Answer *answer, const Case *c, int i, int k)
{
    double A = answer->verdict.A;
    for (int s = 0; s < answer->verdict.solution_count; s++) {
        const SpragSolution *solution = &answer->verdict.solutions[s];
        const SpragMotion *motion = solution->motion;
        if (answer->verdict.kind == SPRAG_VERDICT_INFINITE)
            continue;
        assert_int_equal(motion->force_dimension, 0);
        if (motion->modes[0] == SPRAG_MODE_SEPARATE) {
            assert_int_equal(k, 0);
            assert_close(motion->acceleration[0], c->B, 1e-12);
            assert_int_equal(solution->stability, SPRAG_FREE);
            assert_true(solution->stable);
            continue;
        }
        assert_int_equal(motion->modes[0],
                         c->slip > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS);
        double force = k == 1 ? 0 : -c->B / A;
        assert_close(motion->force[0], force, 1e-12 * fmax(1, force));
        double sign = c->slip > 0 ? -1 : 1;
        assert_close(motion->force[1], sign * c->friction * force, 1e-12 * fmax(1, force));
        if (k != 1)
            assert_int_equal(solution->stability, i == 0 ? SPRAG_STABLE : SPRAG_DIVERGENT);
    }
}

static void check_sliding(const Case *c, int i, int k, int way)
{
    const Expected *expected = &SLIDING[i][k];
    Answer answer;
    SpragContactProblem problem;
    open_case(&answer, &problem, c, way);
    const SpragVerdict *verdict = &answer.verdict;
    if (verdict->kind != expected->kind || verdict->solution_count != expected->count)
        print_error("A %g B %g way %d slip %g: %s\n", verdict->A, verdict->B, way, c->slip,
                    verdict->reason);
    assert_true(verdict->one_contact);
    assert_int_equal(verdict->kind, expected->kind);
    assert_int_equal(verdict->solution_count, expected->count);
    if (expected->stable >= 0)
        assert_int_equal(verdict->stable_count, expected->stable);
    assert_int_equal(verdict->recommended_compliant, expected->compliant);
    assert_int_equal(verdict->chosen >= 0, !expected->compliant);
    assert_false(verdict->held);
    check_sliding_motions(&answer, c, i, k);
    close_case(&answer, &problem, way);
}

static void test_sliding(void **state)
{
    (void)state;
    static const double angles[] = {0.5, 1, 1.3}, factors[] = {0.5, 1, 1.7}, signs[] = {1, 0, -1};
    for (int n = 0; n < 3 * 2 * WAYS; n++) {
        Case c = {.theta = angles[n % 3], .I = 0.08, .mirrored = n / 3 % 2};
        double kappa = L * L / c.I, s = sin(c.theta), o = cos(c.theta);
        double critical = (1 + kappa * o * o) / (kappa * s * o); // (4.8)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                c.friction = critical * factors[i];
                c.slip = c.mirrored ? 1.5 : -1.5; // the tip digs in
                c.B = 7 * signs[k];
                c.B_T = 2.5;
                check_sliding(&c, i, k, n / 6);
            }
        // dragged the other way A is always positive
        c.slip = -c.slip;
        for (int k = 0; k < 3; k++) {
            c.B = 7 * signs[k];
            check_sliding(&c, 0, k, n / 6);
        }
    }
}

// ---- At rest ------------------------------------------------------------------------------------

typedef struct Resting {
    int count;
    SpragMode modes[4];
    SpragStability stability[4];
} Resting;

static void expect(Resting *r, SpragMode mode, SpragStability stability)
{
    r->modes[r->count] = mode;
    r->stability[r->count++] = stability;
}

// (4.9), for numbers that decide by more than rounding; false: a border is near.
static bool resting_motions(const double a[3], const double b[2], double mu, Resting *r)
{
    const double near = 1e-6;
    double d = a[0] * a[2] - a[1] * a[1];
    double normal = (a[1] * b[1] - a[2] * b[0]) / d, tangent = (a[1] * b[0] - a[0] * b[1]) / d;
    bool decided = fabs(normal) > near && fabs(mu * normal - fabs(tangent)) > near;
    *r = (Resting){0};
    if (b[0] > 0)
        expect(r, SPRAG_MODE_SEPARATE, SPRAG_FREE);
    if (normal > 0 && fabs(tangent) <= mu * normal)
        expect(r, SPRAG_MODE_STICK, SPRAG_STABLE);
    for (int k = -1; k <= 1; k += 2) {
        double A = a[0] - k * mu * a[1], force = -b[0] / A;
        double slip = (a[1] - k * mu * a[2]) * force + b[1];
        decided = decided && fabs(A) > near && fabs(slip) > near;
        if (force > 0 && k * slip > 0)
            expect(r, k > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS,
                   A > 0 ? SPRAG_STABLE : SPRAG_DIVERGENT);
    }
    return decided;
}

static void check_resting(const Case *c, const Resting *expected, int way)
{
    Answer answer;
    SpragContactProblem problem;
    open_case(&answer, &problem, c, way);
    assert_int_equal(answer.verdict.solution_count, expected->count);
    int stable = 0;
    for (int i = 0; i < expected->count; i++) {
        int found = answer_with_modes(&answer, 1, &expected->modes[i]);
        assert_true(found >= 0);
        assert_int_equal(answer.verdict.solutions[found].stability, expected->stability[i]);
        stable += expected->stability[i] != SPRAG_DIVERGENT;
    }
    assert_int_equal(answer.verdict.stable_count, stable);
    assert_int_equal(answer.verdict.kind,
                     expected->count > 1 ? SPRAG_VERDICT_MULTIPLE : SPRAG_VERDICT_UNIQUE);
    // separation and stick are both stable where there are three: nobody can choose
    assert_int_equal(answer.verdict.recommended_compliant, stable != 1);
    close_case(&answer, &problem, way);
}

static void test_at_rest(void **state)
{
    (void)state;
    int counts[4] = {0};
    for (int n = 0; n < 2 * 3 * 5 * 5; n++) {
        Case c = {.theta = 1, .I = 0.08, .mirrored = n % 2};
        double a[3];
        Resting expected;
        matrix(&c, a);
        c.friction = a[0] / fabs(a[1]) * (0.5 + 0.7 * (n / 2 % 3));
        c.B = 5.3 * (n / 6 % 5 - 2) + 0.4;
        c.B_T = 6.1 * (n / 30 % 5 - 2) + 0.3;
        assert_true(resting_motions(a, (double[]){c.B, c.B_T}, c.friction, &expected));
        assert_true(expected.count == 1 || expected.count == 3);
        counts[expected.count]++;
        for (int way = 0; way < WAYS; way++)
            check_resting(&c, &expected, way);
    }
    assert_true(counts[1] > 20 && counts[3] > 5);
}

// Random ones: more shapes of W than a rod has, of both ways that need no rod.
static void test_at_rest_random(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 43);
    for (int draw = 0; draw < test_draws(300); draw++) {
        Case c = {.theta = sprag_random_uniform(&random, 0.1, 1.5),
                  .I = sprag_random_uniform(&random, 0.02, 0.25),
                  .friction = sprag_random_uniform(&random, 0, 6),
                  .B = sprag_random_uniform(&random, -20, 20),
                  .B_T = sprag_random_uniform(&random, -20, 20),
                  .mirrored = sprag_random_below(&random, 2)};
        double a[3];
        Resting expected;
        matrix(&c, a);
        if (resting_motions(a, (double[]){c.B, c.B_T}, c.friction, &expected))
            check_resting(&c, &expected, sprag_random_below(&random, WAYS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sliding),
                                       cmocka_unit_test(test_at_rest),
                                       cmocka_unit_test(test_at_rest_random)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Properties of all motions of a planar body on 2 to 6 contacts with random normals, where rows are
// dependent (three coordinates, up to twelve rows): laws hold, forces fill their ranges, brute
// force finds nothing else, and names, units, order and handedness do not matter.
#include "support/problems.h"

enum { MAX_CONTACTS = 6, MAX_ROWS = 2 * MAX_CONTACTS };

static SpragContext *context;
static SpragAnalysis *analysis;
static SpragArena *arena;

static int setup(void **state)
{
    (void)state;
    context = test_context();
    return sprag_analysis_create(context, &analysis) != SPRAG_OK ||
           sprag_arena_create(context, 0, &arena) != SPRAG_OK;
}

static int teardown(void **state)
{
    (void)state;
    sprag_arena_destroy(arena);
    sprag_analysis_destroy(analysis);
    sprag_context_destroy(context);
    return 0;
}

// ---- A body and its contacts --------------------------------------------------------------------

typedef struct Scene {
    int count;
    double mass, inertia, force[3];
    SpragVec2 point[MAX_CONTACTS], normal[MAX_CONTACTS];
    double friction[MAX_CONTACTS], slip[MAX_CONTACTS];
} Scene;

typedef enum Shape {
    SHAPE_RANDOM,  // points and normals anywhere
    SHAPE_GRID,    // few places, few directions: parallel, opposite and equal rows
    SHAPE_ON_LINE, // a body on a level floor
    SHAPE_COUNT
} Shape;

static Scene draw_scene(SpragRandom *random, Shape shape)
{
    Scene scene = {.count = 2 + sprag_random_below(random, MAX_CONTACTS - 1)};
    scene.mass = sprag_random_uniform(random, 0.5, 2);
    scene.inertia = sprag_random_uniform(random, 0.2, 2);
    for (int k = 0; k < 3; k++)
        scene.force[k] = sprag_random_normal(random);
    double slip = sprag_random_below(random, 3) - 1.0;
    for (int i = 0; i < scene.count; i++) {
        double angle = sprag_random_uniform(random, 0, 6.283185307179586);
        scene.point[i] = sprag_vec2(sprag_random_normal(random), sprag_random_normal(random));
        if (shape == SHAPE_GRID) {
            angle = sprag_random_below(random, 4) * 1.5707963267948966;
            scene.point[i] =
                sprag_vec2(sprag_random_below(random, 3) - 1, sprag_random_below(random, 3) - 1);
        } else if (shape == SHAPE_ON_LINE) {
            angle = 1.5707963267948966;
            scene.point[i].y = -0.7;
        }
        scene.normal[i] = sprag_vec2(cos(angle), sin(angle));
        scene.friction[i] =
            sprag_random_below(random, 6) ? sprag_random_uniform(random, 0, 1.5) : 0;
        scene.slip[i] = shape == SHAPE_ON_LINE ? slip : sprag_random_below(random, 3) - 1.0;
    }
    return scene;
}

static void add_row(SpragContactProblem *problem, int row, SpragVec2 direction, SpragVec2 at)
{
    double *entries;
    assert_ok(context, sprag_contact_problem_add_row_block(problem, row, 0, &entries));
    entries[0] = direction.x;
    entries[1] = direction.y;
    entries[2] = sprag_vec2_cross(at, direction);
}

static void build(const Scene *scene, SpragContactProblem *problem)
{
    double *inverse;
    sprag_contact_problem_init(problem, context);
    for (int i = 0; i < scene->count; i++)
        problem_add_contact(problem, scene->friction[i], scene->slip[i]);
    assert_ok(context, sprag_contact_problem_add_block(problem, 3, &inverse));
    inverse[0] = inverse[4] = 1 / scene->mass;
    inverse[8] = 1 / scene->inertia;
    for (int k = 0; k < 3; k++)
        problem->free_acceleration[k] = scene->force[k] * inverse[4 * k];
    for (int i = 0; i < scene->count; i++) {
        add_row(problem, 2 * i, scene->normal[i], scene->point[i]);
        add_row(problem, 2 * i + 1, sprag_vec2_tangent(scene->normal[i]), scene->point[i]);
    }
    assert_ok(context, sprag_contact_problem_assemble(problem));
}

static void print_scene(const Scene *scene)
{
    print_error("mass %.17g inertia %.17g force %.17g %.17g %.17g\n", scene->mass, scene->inertia,
                scene->force[0], scene->force[1], scene->force[2]);
    for (int i = 0; i < scene->count; i++)
        print_error("point %.17g %.17g normal %.17g %.17g friction %.17g slip %g\n",
                    scene->point[i].x, scene->point[i].y, scene->normal[i].x, scene->normal[i].y,
                    scene->friction[i], scene->slip[i]);
}

#define assert_scene(scene, condition)                                                             \
    do {                                                                                           \
        if (!(condition))                                                                          \
            print_scene(scene);                                                                    \
        assert_true(condition);                                                                    \
    } while (0)

// ---- Laws and ranges ----------------------------------------------------------------------------

static void check_laws(const Scene *scene, const SpragContactProblem *problem,
                       const SpragMotion *motion)
{
    double size = 1;
    for (int r = 0; r < problem->row_count; r++)
        size = fmax(size, fabs(motion->force[r]));
    assert_scene(scene, sprag_contact_residual(problem, motion->force) <= 1e-8);
    for (int c = 0; c < problem->constraint_count; c++) {
        const double *force = motion->force + 2 * c;
        assert_scene(scene, force[0] >= 0);
        assert_scene(scene, fabs(force[1]) <= scene->friction[c] * force[0] + 1e-12 * size);
    }
    for (int r = 0; r < problem->row_count; r++) {
        assert_scene(scene, motion->force_low[r] <= motion->force[r] + 1e-8 * size);
        assert_scene(scene, motion->force_high[r] >= motion->force[r] - 1e-8 * size);
    }
}

// Greatest value of side · λ_row over all forces of the motion: a program over λ itself, W λ = a −
// b, each force in the cone that the motion leaves it.
static double extreme_force(const Scene *scene, const SpragContactProblem *problem,
                            const SpragMotion *motion, int row, double side)
{
    int n = problem->row_count, m = 0, e = 0;
    double A[4 * MAX_ROWS * MAX_ROWS] = {0}, b[4 * MAX_ROWS] = {0}, c[MAX_ROWS] = {0}, x[MAX_ROWS];
    for (int i = 0; i < problem->constraint_count; i++) { // λN ≥ 0 and |λT| ≤ μ λN always
        double mu = problem->constraints[i].friction;
        A[m++ * n + 2 * i] = -1;
        for (int sign = -1; sign <= 1; sign += 2, m++) {
            A[m * n + 2 * i] = -mu;
            A[m * n + 2 * i + 1] = sign;
        }
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        SpragMode mode = motion->modes[i];
        double mu = problem->constraints[i].friction;
        double k = mode == SPRAG_MODE_SLIDE_PLUS ? 1 : -1;
        if (mode == SPRAG_MODE_STICK)
            continue;
        A[(m + e) * n + 2 * i + (mode != SPRAG_MODE_SEPARATE)] = 1;
        A[(m + e) * n + 2 * i] += mode == SPRAG_MODE_SEPARATE ? 0 : k * mu;
        e++;
    }
    for (int r = 0; r < n; r++, e++) {
        b[m + e] = motion->acceleration[r] - problem->b[r];
        for (int j = 0; j < n; j++)
            A[(m + e) * n + j] = problem->W[r * n + j];
    }
    c[row] = side;
    SpragLp program = {n, m, e, A, b, c};
    SpragLpStatus status;
    double value;
    assert_ok(context, sprag_lp_solve(arena, &program, 1e-8, x, &value, &status));
    assert_scene(scene, status == SPRAG_LP_OPTIMAL || status == SPRAG_LP_UNBOUNDED);
    return status == SPRAG_LP_UNBOUNDED ? INFINITY : value;
}

static void check_ranges(const Scene *scene, const SpragContactProblem *problem,
                         const SpragMotion *motion)
{
    double size = 1;
    for (int r = 0; r < problem->row_count; r++)
        size = fmax(size, fabs(motion->force[r]));
    bool open = false;
    for (int r = 0; r < problem->row_count; r++) {
        double high = extreme_force(scene, problem, motion, r, 1);
        double low = -extreme_force(scene, problem, motion, r, -1);
        assert_scene(scene, isinf(high) == isinf(motion->force_high[r]));
        assert_scene(scene, isinf(low) == isinf(motion->force_low[r]));
        // both programs allow rounding of 1e-8 in W λ, which thin sets enlarge
        double tolerance = 1e-5 * fmax(size, isinf(high) ? 0 : fabs(high));
        if (!isinf(high))
            assert_scene(scene, fabs(motion->force_high[r] - high) <= tolerance);
        if (!isinf(low))
            assert_scene(scene, fabs(motion->force_low[r] - low) <= tolerance);
        open |= !(high - low <= 1e-4 * size);
    }
    // wide ranges and a dimension go together
    if (open)
        assert_scene(scene, motion->force_dimension > 0);
    if (motion->force_dimension == 0)
        assert_scene(scene, !open);
}

static void test_laws_and_ranges(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 1);
    int several = 0, none = 0, indeterminate = 0;
    for (int draw = 0; draw < test_draws(300); draw++) {
        Scene scene = draw_scene(&random, (Shape)(draw % SHAPE_COUNT));
        SpragContactProblem problem;
        SpragVerdict verdict;
        build(&scene, &problem);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        assert_scene(&scene, verdict.complete);
        for (int i = 0; i < verdict.solution_count; i++) {
            const SpragMotion *motion = verdict.solutions[i].motion;
            check_laws(&scene, &problem, motion);
            check_ranges(&scene, &problem, motion);
            indeterminate += motion->force_dimension > 0;
        }
        several += verdict.solution_count > 1;
        none += verdict.solution_count == 0;
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(several > 5 && none > 5 && indeterminate > 5);
}

// ---- Brute force over complementary bases of (2.12) ---------------------------------------------

static bool gauss(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        if (fabs(A[p * n + k]) < 1e-9)
            return false;
        for (int j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        double t = x[k];
        x[k] = x[p];
        x[p] = t;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] /= A[i * n + i];
    return true;
}

// Forces of the basis; false: singular, or not a solution by a clear margin.
static bool solve_basis(const SpragContactProblem *problem, int n, const double *A, const double *b,
                        unsigned basis, double *force)
{
    int index[12], k = 0;
    double M[144], x[12], z[12] = {0};
    for (int i = 0; i < n; i++)
        if (basis >> i & 1)
            index[k++] = i;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            M[i * k + j] = A[index[i] * n + index[j]];
        x[i] = -b[index[i]];
    }
    if (!gauss(k, M, x))
        return false;
    for (int i = 0; i < k; i++)
        z[index[i]] = x[i];
    for (int i = 0; i < n; i++) {
        double w = b[i];
        for (int j = 0; j < n; j++)
            w += A[i * n + j] * z[j];
        if (z[i] < 0 || (w < 0 && !(basis >> i & 1)))
            return false;
    }
    sprag_contact_lcp_force(problem, z, force);
    return true;
}

// Every solution of (2.12) at a regular basis is one of the motions found.
static void test_nothing_missed(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 2);
    int matched = 0;
    for (int draw = 0; draw < test_draws(120); draw++) {
        Scene scene = draw_scene(&random, (Shape)(draw % SHAPE_COUNT));
        scene.count = 2 + draw % 2;
        SpragContactProblem problem;
        SpragVerdict verdict;
        double A[144], b[12], force[MAX_ROWS];
        build(&scene, &problem);
        assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
        int n = sprag_contact_lcp_size(&problem), rows = problem.row_count;
        assert_ok(context, sprag_contact_lcp_build(&problem, A, b));
        for (unsigned basis = 0; basis < 1u << n && verdict.kind != SPRAG_VERDICT_INFINITE;
             basis++) {
            if (!solve_basis(&problem, n, A, b, basis, force))
                continue;
            double best = INFINITY;
            for (int m = 0; m < verdict.solution_count; m++) {
                double difference = 0;
                for (int r = 0; r < rows; r++) {
                    double a = problem.b[r];
                    for (int j = 0; j < rows; j++)
                        a += problem.W[r * rows + j] * force[j];
                    difference =
                        fmax(difference, fabs(a - verdict.solutions[m].motion->acceleration[r]));
                }
                best = fmin(best, difference);
            }
            assert_scene(&scene, best < 1e-6);
            matched++;
        }
        sprag_contact_problem_destroy(&problem);
    }
    assert_true(matched > 100);
}

// ---- Invariance ---------------------------------------------------------------------------------

// What must not change: kept in the names of the first scene.
typedef struct Outcome {
    int count;
    SpragVerdictKind kind;
    int chosen_count, stable_count;
    SpragMode modes[64][MAX_CONTACTS];
    SpragStability stability[64];
    int dimension[64], force_dimension[64];
} Outcome;

static SpragMode mirrored(SpragMode mode)
{
    return mode == SPRAG_MODE_SLIDE_PLUS    ? SPRAG_MODE_SLIDE_MINUS
           : mode == SPRAG_MODE_SLIDE_MINUS ? SPRAG_MODE_SLIDE_PLUS
                                            : mode;
}

// order[i]: contact of the first scene that stands at place i.
static Outcome judge(const Scene *scene, const int *order, bool mirror)
{
    Outcome out = {0};
    SpragContactProblem problem;
    SpragVerdict verdict;
    build(scene, &problem);
    assert_ok(context, sprag_analysis_run(analysis, &problem, NULL, &verdict));
    assert_true(verdict.solution_count <= 64);
    out.count = verdict.solution_count;
    out.kind = verdict.kind;
    out.chosen_count = verdict.chosen >= 0;
    out.stable_count = verdict.stable_count;
    for (int m = 0; m < out.count; m++) {
        const SpragMotion *motion = verdict.solutions[m].motion;
        out.stability[m] = verdict.solutions[m].stability;
        out.dimension[m] = motion->dimension;
        out.force_dimension[m] = motion->force_dimension;
        for (int i = 0; i < scene->count; i++)
            out.modes[m][order ? order[i] : i] =
                mirror ? mirrored(motion->modes[i]) : motion->modes[i];
    }
    sprag_contact_problem_destroy(&problem);
    return out;
}

// Motions may come in another order: each must have a twin. Which members of a continuum are
// reported (on a border between modes, say) is not fixed: there only the kind counts.
static bool same(const Outcome *a, const Outcome *b)
{
    bool used[64] = {0};
    if (a->kind != b->kind)
        return false;
    if (a->kind != SPRAG_VERDICT_INFINITE &&
        (a->count != b->count || a->chosen_count != b->chosen_count ||
         a->stable_count != b->stable_count))
        return false;
    for (int m = 0; m < a->count && a->kind != SPRAG_VERDICT_INFINITE; m++) {
        int twin = -1;
        for (int k = 0; k < b->count && twin < 0; k++)
            if (!used[k] && a->stability[m] == b->stability[k] &&
                a->dimension[m] == b->dimension[k] &&
                a->force_dimension[m] == b->force_dimension[k] &&
                memcmp(a->modes[m], b->modes[k], sizeof a->modes[m]) == 0)
                twin = k;
        if (twin < 0)
            return false;
        used[twin] = true;
    }
    return true;
}

static void print_outcome(const Outcome *out)
{
    print_error("%s, %d motions\n", sprag_verdict_name(out->kind), out->count);
    for (int m = 0; m < out->count; m++) {
        print_error("  %s dim %d forces %d:", sprag_stability_name(out->stability[m]),
                    out->dimension[m], out->force_dimension[m]);
        for (int i = 0; i < MAX_CONTACTS; i++)
            print_error(" %s", sprag_mode_name(out->modes[m][i]));
        print_error("\n");
    }
}

static void check_same(const Scene *scene, const char *what, const Outcome *a, const Outcome *b)
{
    if (same(a, b))
        return;
    print_error("%s changes the outcome\n", what);
    print_scene(scene);
    print_outcome(a);
    print_outcome(b);
    fail();
}

static Scene permute(const Scene *scene, const int *order)
{
    Scene out = *scene;
    for (int i = 0; i < scene->count; i++) {
        out.point[i] = scene->point[order[i]];
        out.normal[i] = scene->normal[order[i]];
        out.friction[i] = scene->friction[order[i]];
        out.slip[i] = scene->slip[order[i]];
    }
    return out;
}

// Other units of mass, length and time.
static Scene rescale(const Scene *scene, double mass, double length, double time)
{
    Scene out = *scene;
    out.mass *= mass;
    out.inertia *= mass * length * length;
    out.force[0] *= mass * length / (time * time);
    out.force[1] *= mass * length / (time * time);
    out.force[2] *= mass * length * length / (time * time);
    for (int i = 0; i < scene->count; i++) {
        out.point[i] = sprag_vec2_scale(length, scene->point[i]);
        out.slip[i] *= length / time;
    }
    return out;
}

// x → −x: tangents turn round, and so do slips, horizontal forces and torques.
static Scene reflect(const Scene *scene)
{
    Scene out = *scene;
    out.force[0] = -out.force[0];
    out.force[2] = -out.force[2];
    for (int i = 0; i < scene->count; i++) {
        out.point[i].x = -out.point[i].x;
        out.normal[i].x = -out.normal[i].x;
        out.slip[i] = -out.slip[i];
    }
    return out;
}

static void test_invariance(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 3);
    for (int draw = 0; draw < test_draws(300); draw++) {
        Scene scene = draw_scene(&random, (Shape)(draw % SHAPE_COUNT));
        int order[MAX_CONTACTS];
        for (int i = 0; i < scene.count; i++) {
            int k = sprag_random_below(&random, i + 1);
            order[i] = order[k];
            order[k] = i;
        }
        Outcome first = judge(&scene, NULL, false);
        Scene other = permute(&scene, order);
        Outcome second = judge(&other, order, false);
        check_same(&scene, "another order", &first, &second);
        other = reflect(&scene);
        second = judge(&other, NULL, true);
        check_same(&scene, "a mirror", &first, &second);
        other = rescale(&scene, pow(10, sprag_random_uniform(&random, -6, 6)),
                        pow(10, sprag_random_uniform(&random, -4, 4)),
                        pow(10, sprag_random_uniform(&random, -4, 4)));
        second = judge(&other, NULL, false);
        check_same(&scene, "other units", &first, &second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws_and_ranges),
                                       cmocka_unit_test(test_nothing_missed),
                                       cmocka_unit_test(test_invariance)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

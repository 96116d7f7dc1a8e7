// Bare contact problems given by mass, J, force and bias instead of W and b.
#include "scene_support.h"

// A rod on its tip in the coordinates (y, x, θ) of theory.md (4.2).
#define ROD                                                                                        \
    "sprag: 1\nproblem: contact\n"                                                                 \
    "parameters: {m: 2, I: 0.1, L: 0.4, theta: 50 deg, w: 1.5, mu: 0.6}\n"                         \
    "J: [[1, 0, -L*cos(theta)], [0, 1, L*sin(theta)]]\n"                                           \
    "force: [-9.81*m, 0.5, -0.2]\n"                                                                \
    "bias: [L*w^2*sin(theta), L*w^2*cos(theta)]\n"                                                 \
    "contacts: [{name: tip, friction: mu, slip: -1}]\n"

// (4.5)–(4.7), with the list and with the matrix.
static void test_rod(void **state)
{
    (void)state;
    static const char *const masses[] = {"mass: [m, m, I]\n",
                                         "mass: [[m, 0, 0], [0, m, 0], [0, 0, I]]\n"};
    SpragContext *context = test_context();
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, ROD "%s", masses[i]);
        SpragScene *scene = read_good(context, text);
        const SpragContactProblem *p = sprag_scene_contact_problem(scene);
        double m = 2, I = 0.1, L = 0.4, th = 50 * 3.14159265358979323846 / 180, w = 1.5;
        double s = sin(th), c = cos(th);
        // some ten operations on numbers of order ten
        assert_close(p->W[0], 1 / m + L * L * c * c / I, 1e-14);
        assert_close(p->W[1], -L * L * s * c / I, 1e-14);
        assert_close(p->W[3], 1 / m + L * L * s * s / I, 1e-14);
        assert_close(p->b[0], L * w * w * s - 9.81 + L * c * 0.2 / I, 1e-13);
        assert_close(p->b[1], L * w * w * c + 0.5 / m - L * s * 0.2 / I, 1e-13);
        assert_true(p->W[1] == p->W[2] && p->velocity_count == 3 && p->block_count == 1);
        assert_true(sprag_scene_is_moving(scene));
        double q[3], force[2] = {3, -1};
        sprag_contact_problem_acceleration(p, force, q);
        assert_close(q[0], -9.81 + 3 / m, 1e-14);
        assert_close(q[1], 0.5 / m - 1 / m, 1e-14);
        assert_close(q[2], (-0.2 - 3 * L * c - L * s) / I, 1e-13);
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

static void test_defaults(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene = read_good(context, "sprag: 1\nproblem: contact\nmass: [2, 3]\n"
                                           "J: [[1, 0], [0, 1], [1, 1]]\n"
                                           "contacts: [{friction: 0.5}, {kind: bilateral}]\n"
                                           "stiffness: [1, 2, 3]\n");
    const SpragContactProblem *p = sprag_scene_contact_problem(scene);
    assert_int_equal(p->row_count, 3);
    assert_close(p->W[8], 1.0 / 2 + 1.0 / 3, 2e-16);
    for (int i = 0; i < 3; i++)
        assert_true(p->b[i] == 0);
    assert_true(p->constraints[1].stiffness[0] == 3);
    assert_false(sprag_scene_is_moving(scene));
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
}

static void add_matrix(char *text, size_t size, const char *key, int rows, int columns,
                       const double *A)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s: [", key);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            used += (size_t)snprintf(text + used, size - used, "%s%.17g%s",
                                     j == 0 ? (i == 0 ? "[" : ", [") : ", ", A[i * columns + j],
                                     j == columns - 1 ? "]" : "");
    used += (size_t)snprintf(text + used, size - used, "]\n");
    assert_true(used < size);
}

// Mass matrices with units of any size: M (M⁻¹ Jᵀ) = Jᵀ is checked by multiplying, not by another
// inverse. W = J X with X read off the accelerations of unit forces.
static void test_random(void **state)
{
    (void)state;
    enum { N = 6, ROWS = 4, BYTES = 8192 };
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 41);
    for (int draw = 0; draw < test_draws(100); draw++) {
        int n = 1 + sprag_random_below(&random, N);
        double F[N * N], M[N * N], J[ROWS * N], unit[N];
        for (int i = 0; i < n; i++)
            unit[i] = pow(10, sprag_random_uniform(&random, -4, 4));
        for (int i = 0; i < n * n; i++)
            F[i] = sprag_random_normal(&random);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = i == j ? 0.1 : 0;
                for (int k = 0; k < n; k++)
                    sum += F[i * n + k] * F[j * n + k];
                M[i * n + j] = sum * unit[i] * unit[j];
            }
        for (int i = 0; i < ROWS * n; i++)
            J[i] = sprag_random_normal(&random) * unit[i % n];
        char text[BYTES] = "sprag: 1\nproblem: contact\ncontacts: [{friction: 1}, {friction: 1}]\n";
        add_matrix(text, sizeof text, "mass", n, n, M);
        add_matrix(text, sizeof text, "J", ROWS, n, J);
        SpragScene *scene = read_good(context, text);
        const SpragContactProblem *p = sprag_scene_contact_problem(scene);
        for (int r = 0; r < ROWS; r++) {
            double force[ROWS] = {0}, X[N], size = 0;
            force[r] = 1;
            sprag_contact_problem_acceleration(p, force, X);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    size = fmax(size, fabs(M[i * n + j] * X[j] / unit[i]));
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += M[i * n + j] * X[j];
                // backward error of a solve of six unknowns
                assert_close(sum / unit[i], J[r * n + i] / unit[i], 1e-13 * size);
            }
            for (int s = 0; s < ROWS; s++) {
                double sum = 0, terms = 0;
                for (int i = 0; i < n; i++) {
                    sum += J[s * n + i] * X[i];
                    terms += fabs(J[s * n + i] * X[i]);
                }
                assert_close(p->W[s * ROWS + r], sum, 1e-12 * terms);
            }
        }
        sprag_scene_destroy(scene);
    }
    sprag_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {"mass: [1]\n", "1:1", "J is missing"},
        {"J: [[1], [1]]\n", "1:1", "mass is missing"},
        {"bias: [1, 1]\n", "1:1", "mass is missing"},
        {"force: [1]\n", "1:1", "mass is missing"},
        {"mass: [1]\nJ: [[1], [1]]\nW: [[1, 0], [0, 1]]\nb: [0, 0]\n", "6:1", "not both"},
        {"mass: [1]\nJ: [[1], [1]]\nb: [0, 0]\n", "6:1", "not both"},
        {"W: [[1, 0], [0, 1]]\nb: [0, 0]\nforce: [1]\n", "4:1", "not both"},
        {"mass: 1\nJ: [[1], [1]]\n", "4:7", "mass must be a list"},
        {"mass: []\nJ: [[1], [1]]\n", "4:7", "mass must not be empty"},
        {"mass: [1, 0]\nJ: [[1, 0], [0, 1]]\n", "4:11", "> 0"},
        {"mass: [1, -2]\nJ: [[1, 0], [0, 1]]\n", "4:11", "> 0"},
        {"mass: [1, [2]]\nJ: [[1, 0], [0, 1]]\n", "4:11", "must be a number"},
        {"mass: [[1, 0], 2]\nJ: [[1, 0], [0, 1]]\n", "4:16", "list of 2 numbers"},
        {"mass: [[1, 0], [0]]\nJ: [[1, 0], [0, 1]]\n", "4:16", "2 numbers, got 1"},
        {"mass: [[1, 0.5], [0.4, 1]]\nJ: [[1, 0], [0, 1]]\n", "4:19", "mass must be symmetric"},
        {"mass: [[1, 2], [2, 1]]\nJ: [[1, 0], [0, 1]]\n", "4:7", "positive definite"},
        {"mass: [[1, 1], [1, 1]]\nJ: [[1, 0], [0, 1]]\n", "4:7", "positive definite"},
        {"mass: [[1, 0], [0, 0]]\nJ: [[1, 0], [0, 1]]\n", "4:7", "positive definite"},
        {"mass: [[-1]]\nJ: [[1], [1]]\n", "4:7", "positive definite"},
        {"mass: [1]\nJ: [[1]]\n", "5:4", "J must have 2 rows"},
        {"mass: [1]\nJ: 3\n", "5:4", "J must be a list"},
        {"mass: [1]\nJ: [[1], [1, 2]]\n", "5:10", "1 number, got 2"},
        {"mass: [1]\nJ: [[1], 2]\n", "5:10", "1 number, got 2"},
        {"mass: [1]\nJ: [[1], [x]]\n", "5:11", "x"},
        {"mass: [1]\nJ: [[1], [.nan]]\n", "5:11", "finite"},
        {"mass: [1]\nJ: [[1], [1]]\nforce: [1, 2]\n", "6:8", "1 number, got 2"},
        {"mass: [1]\nJ: [[1], [1]]\nbias: [1]\n", "6:7", "2 numbers, got 1"},
        {"mass: [1e-320]\nJ: [[1], [1]]\n", "5:4", "finite"},
        {"mass: [1]\nJ: [[1e30], [1e200]]\n", "5:14", "1e30"},
        {"mass: [1]\nJ: [[1], [1]]\nm: 1\n", "6:1", "unknown key"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "sprag: 1\nproblem: contact\ncontacts: [{friction: 1}]\n%s",
                 cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

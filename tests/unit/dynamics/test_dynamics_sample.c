// Samples of contacts: what is summed body by body against the dense rows.
#include "support/with_context.h"

enum { MOST_SLOTS = 64, MOST_ROWS = 2 * MOST_SLOTS, MOST_SIZE = 12 };

// Three boxes and a rod on a belt and on each other, with a spring: contacts share bodies.
static const char SCENE[] =
    "sprag: 1\nmaterials: {default: {friction: {static: 0.5, kinetic: 0.3, stribeck: 0.1}}}\n"
    "bodies:\n"
    "  - {name: belt, fixed: true, surface-velocity: [0.4, 0],\n"
    "     shapes: [{plane: {normal: [0, 1], offset: 0}}]}\n"
    "  - {name: low, mass: 1.3, inertia: 0.2, position: [0, 0.5], shapes: [{box: {size: [2, "
    "1]}}]}\n"
    "  - {name: high, mass: 0.7, inertia: 0.1, position: [0.1, 1.5],\n"
    "     shapes: [{box: {size: [1, 1]}}]}\n"
    "  - {name: side, mass: 0.4, inertia: 0.03, position: [4, 0.25],\n"
    "     shapes: [{box: {size: [0.5, 0.5]}}]}\n"
    "  - {name: rod, mass: 0.2, inertia: 0.01, position: [7, 1], angle: 50 deg,\n"
    "     shapes: [{rod: {length: 1}}]}\n";

typedef struct Sampled {
    double gap_rate[MOST_SLOTS], slip[MOST_SLOTS];
    double J[MOST_ROWS * MOST_SIZE], response[MOST_ROWS * MOST_SIZE], W[MOST_ROWS * MOST_ROWS];
    double b[MOST_ROWS], bias[MOST_ROWS], drift[MOST_ROWS], free[MOST_SIZE];
} Sampled;

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// Numbers of order one to ten: rounding of sums of twelve of them is far below this.
static const double ROUNDING = 1e-12;

static void compare(const Sampled *s, int count, int n, const double *inverse, const double *v)
{
    int rows = 2 * count;
    for (int r = 0; r < rows; r++) {
        const double *row = s->J + r * n;
        for (int k = 0; k < n; k++)
            assert_close(s->response[r * n + k], inverse[k] * row[k], ROUNDING);
        for (int c = 0; c < rows; c++)
            assert_close(s->W[r * rows + c], product(n, row, s->response + c * n), ROUNDING);
        assert_close(s->b[r], s->bias[r] + product(n, row, s->free), ROUNDING);
        double rate = r % 2 ? s->slip[r / 2] : s->gap_rate[r / 2];
        assert_close(s->drift[r], rate - product(n, row, v), ROUNDING);
    }
}

static void test_blocks(void **state)
{
    (void)state;
    SpragScene *scene;
    SpragSystem *system;
    SpragRandom random;
    static Sampled s;
    assert_ok(context,
              sprag_scene_read_text(context, "test.yaml", SCENE, strlen(SCENE), NULL, &scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    int n = sprag_system_velocity_count(system), slots = sprag_system_contact_count(system);
    assert_int_equal(n, MOST_SIZE);
    assert_in_range(slots, 10, MOST_SLOTS);
    const double inverse[MOST_SIZE] = {1 / 1.3, 1 / 1.3, 5,        1 / 0.7, 1 / 0.7, 10,
                                       2.5,     2.5,     1 / 0.03, 5,       5,       100};
    sprag_random_init(&random, 11);
    for (int draw = 0; draw < test_draws(20); draw++) {
        double q[MOST_SIZE], v[MOST_SIZE], gap[MOST_SLOTS];
        int list[MOST_SLOTS], touching[MOST_SLOTS], count = 0;
        sprag_system_initial(system, q, v);
        for (int k = 0; k < n; k++) {
            q[k] += sprag_random_uniform(&random, -0.1, 0.1);
            v[k] = sprag_random_uniform(&random, -1, 1);
        }
        for (int i = 0; i < slots; i++)
            list[i] = i;
        SpragSystemSample gaps = {.gap = gap};
        assert_ok(context, sprag_system_sample(system, 0, q, v, slots, list, &gaps));
        for (int i = 0; i < slots; i++)
            if (isfinite(gap[i]))
                touching[count++] = i;
        SpragSystemSample all = {.gap_rate = s.gap_rate,
                                 .slip = s.slip,
                                 .J = s.J,
                                 .bias = s.bias,
                                 .W = s.W,
                                 .b = s.b,
                                 .free_acceleration = s.free,
                                 .response = s.response,
                                 .drift = s.drift};
        assert_ok(context, sprag_system_sample(system, 0, q, v, count, touching, &all));
        compare(&s, count, n, inverse, v);
        // the gap alone is the gap
        SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
        static SpragContactKinematics kinematics[MOST_SLOTS];
        assert_ok(context, sprag_system_kinematics(system, 0, q, v, &tolerances, kinematics));
        for (int i = 0; i < slots; i++)
            assert_true(gap[i] == kinematics[i].gap);
    }
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

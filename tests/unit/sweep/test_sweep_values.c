// The numbers of a map against closed forms.
#include "support/with_folder.h"

static SpragStatus try_map(const char *name, const SpragMapSettings *settings, SpragMap **map)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    return sprag_map_create(context, path, settings, map);
}

static SpragMap *make(const char *name, const SpragMapSettings *settings)
{
    SpragMap *map;
    assert_ok(context, try_map(name, settings, &map));
    return map;
}

// A rod that stands with its tip held turns about it. With the arm L from the tip to the centre:
// θ'' = −m g L cos θ / (I + m L²), and forces by Newton's law. D of the sticking tip has the
// eigenvalues 1/m and 1/m + L²/I (theory.md 6.4), real and stable for any damping.
static void test_sticking_rod(void **state)
{
    (void)state;
    static const char *const names[] = {
        "layer.1",    "layer.2",        "layer.3", "layer.imaginary",
        "normal.tip", "tangential.tip", "damping", "acceleration.rod.angle"};
    const double m = 0.088, I = 1.606176e-3, L = 0.234, g = 9.81;
    SpragMapSettings settings = sprag_map_default();
    settings.x = "theta=20:80deg:13";
    settings.y = "mu=5:6:2"; // enough to hold at every angle
    settings.values = names;
    settings.value_count = 8;
    settings.borders = false;
    SpragMap *map = make("falling-rod", &settings);
    for (int i = 0; i < 13; i++) {
        double theta = map->axes[0].values[i], *values = map->values + 8 * i;
        double turn = -m * g * L * cos(theta) / (I + m * L * L);
        assert_close(values[0], 1 / m, 1e-11 / m);
        assert_close(values[1], 1 / m + L * L / I, 1e-11 * L * L / I);
        assert_true(isnan(values[2]));
        assert_close(values[3], 0, 1e-12);
        assert_close(values[4], m * (g + turn * L * cos(theta)), 1e-11);
        assert_close(values[5], -m * turn * L * sin(theta), 1e-11);
        assert_close(values[6], 0, 0);
        assert_close(values[7], turn, 1e-10);
    }
    assert_string_equal(map->value_about[0].unit, "1/kg");
    assert_string_equal(map->value_about[7].unit, "rad/s²");
    sprag_map_destroy(map);
}

// A body in free flight falls with g; an open contact has no force. A contact that slides has one
// eigenvalue of D: A.
static void test_sliding_rod(void **state)
{
    (void)state;
    static const char *const names[] = {
        "A",         "layer.1", "normal.tip",     "acceleration.rod.x",
        "solutions", "stable",  "tangential.tip", "acceleration.rod.y"};
    SpragMapSettings settings = sprag_map_default();
    settings.x = "theta=5:85deg:17";
    settings.y = "mu=0.01:3:13";
    settings.values = names;
    settings.value_count = 8;
    settings.borders = false;
    settings.jobs = 2;
    SpragMap *map = make("painleve-rod", &settings);
    for (long at = 0; at < 17 * 13; at++) {
        const double *values = map->values + 8 * at;
        const SpragOutcome *outcome = &map->table[map->classes[at]].outcome;
        double theta = map->axes[0].values[at % 17], mu = map->axes[1].values[at / 17];
        double A = 1 + 3 * cos(theta) * (cos(theta) - mu * sin(theta));
        double B = 18 * sin(theta) - 9.81, N = B > 0 ? 0 : -B / A;
        assert_close(values[4], outcome->solution_count, 0);
        assert_close(values[5], outcome->stable_count, 0);
        if (outcome->solution_count == 0) {
            assert_true(isnan(values[1]) && isnan(values[2]) && isnan(values[3]));
            continue;
        }
        assert_true(B > 0 ? isnan(values[1]) : fabs(values[1] - A) < 1e-12);
        // N of a fraction: an error of A counts divided by A
        assert_close(values[2], N, 1e-12 * (1 + N / fabs(A)));
        assert_close(values[6], mu * N, 1e-12 * (1 + N / fabs(A)) * (1 + mu));
        assert_close(values[3], mu * N, 1e-12 * (1 + N / fabs(A)) * (1 + mu)); // mass 1
        assert_close(values[7], N - 9.81, 1e-12 * (10 + N / fabs(A)));
    }
    sprag_map_destroy(map);
}

static const char feet[] = "sprag: 1\n"
                           "bodies:\n"
                           "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
                           "  - name: box\n"
                           "    mass: 1\n"
                           "    inertia: 2/3\n"
                           "    position: [0, 1]\n"
                           "    velocity: [-1, 0]\n"
                           "    shapes: [{points: {heel: [-1.2, -1], toe: [0.8, -1]}}]\n"
                           "contacts:\n"
                           "  - {between: [box, floor], friction: 0.6}\n";

// The box that flutters, theory.md 6.2: D has 2.38 ± 0.579 i at μ = 0.6, stable from ζ = 0.123 on.
// D = W_nn + μ W_nt (friction along +t), from the feet's places: its eigenvalues by the quadratic.
static void test_flutter(void **state)
{
    (void)state;
    static const char *const names[] = {"layer.1", "layer.2", "layer.imaginary", "damping",
                                        "slowest"};
    char path[64];
    SpragMap *map;
    SpragMapSettings settings = sprag_map_default();
    snprintf(path, sizeof path, "%s/feet.yaml", folder);
    FILE *file = fopen(path, "wb");
    fputs(feet, file);
    fclose(file);
    settings.x = "contacts.0.friction=0.1:0.6:6";
    settings.values = names;
    settings.value_count = 5;
    assert_ok(context, sprag_map_create(context, path, &settings, &map));
    unlink(path);
    for (int i = 0; i < 6; i++) {
        double mu = map->axes[0].values[i], *values = map->values + 5 * i;
        double a = 3.16 - 1.8 * mu, b = -0.44 - 1.8 * mu, c = -0.44 + 1.2 * mu, d = 1.96 + 1.2 * mu;
        double half = (a + d) / 2, square = half * half - (a * d - b * c);
        double root = sqrt(fabs(square));
        assert_close(values[0], square > 0 ? half - root : half, 1e-11);
        assert_close(values[1], square > 0 ? half + root : half, 1e-11);
        assert_close(values[2], square > 0 ? 0 : root, 1e-11);
        assert_true((values[3] > 0) == (square < 0));
    }
    assert_close(map->values[5 * 5 + 3], 0.123, 5e-4);
    assert_true(map->values[5 * 5 + 4] > 0); // the only motion, though nothing would choose it
    sprag_map_destroy(map);
}

// Refinement leaves out no value, and changes no byte.
static void test_refine(void **state)
{
    (void)state;
    static const char *const names[] = {"A", "slowest", "normal.tip"};
    SpragMapSettings settings = sprag_map_default();
    settings.x = "theta=5:85deg:53";
    settings.y = "mu=0:3:37";
    settings.values = names;
    settings.value_count = 3;
    SpragMap *all = make("painleve-rod", &settings);
    settings.refine = true;
    settings.jobs = 3;
    SpragMap *refined = make("painleve-rod", &settings);
    assert_memory_equal(all->values, refined->values, 3 * 53 * 37 * sizeof(double));
    assert_memory_equal(all->classes, refined->classes, 53 * 37 * sizeof(int));
    assert_int_equal(all->segment_count, refined->segment_count);
    sprag_map_destroy(all);
    sprag_map_destroy(refined);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "a",
                                        "layer",
                                        "layer.",
                                        "layer.0",
                                        "layer.x",
                                        "layer.1x",
                                        "layer.1000",
                                        "normal",
                                        "normal.",
                                        "normal.x",
                                        "tangential.rod",
                                        "acceleration.rod",
                                        "acceleration.rod.z",
                                        "acceleration.table.x",
                                        "acceleration..x",
                                        "acceleration.x",
                                        "solution"};
    char too_long[400] = "normal.";
    SpragMapSettings settings = sprag_map_default();
    SpragMap *map;
    int count;
    memset(too_long + 7, 'x', sizeof too_long - 8);
    settings.x = "theta=5:85deg:5";
    settings.value_count = 1;
    for (size_t i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
        const char *name = i < sizeof wrong / sizeof *wrong ? wrong[i] : too_long;
        settings.values = &name;
        assert_int_equal(try_map("painleve-rod", &settings, &map), SPRAG_ERROR_ARGUMENT);
        assert_null(map);
        assert_true(strlen(sprag_context_message(context)) > 10);
    }
    const char *const *names = sprag_map_value_names(&count);
    bool of_drives = false; // they come last
    for (int i = 0; i < count; i++) {
        settings.values = &names[i];
        SpragStatus status = try_map("painleve-rod", &settings, &map);
        bool form = strchr(names[i], '.') && strcmp(names[i], "layer.imaginary") != 0;
        assert_int_equal(status, form || of_drives ? SPRAG_ERROR_ARGUMENT : SPRAG_OK);
        of_drives |= strcmp(names[i], "acceleration.BODY.x") == 0;
        sprag_map_destroy(map);
    }
}

// Of a row of points the changes are bisected too.
static void test_row_borders(void **state)
{
    (void)state;
    SpragMapSettings settings = sprag_map_default();
    settings.x = "mu=0.5:3:11";
    settings.border_tolerance = 1e-12;
    SpragMap *map = make("painleve-rod", &settings); // at 60°
    double s = sin(acos(-1) / 3), c = 0.5;
    assert_int_equal(map->segment_count, 1);
    assert_close(map->vertices[map->segments[0].a].x, (1 + 3 * c * c) / (3 * s * c), 1e-9);
    assert_true(map->segments[0].left != map->segments[0].right);
    sprag_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sticking_rod), cmocka_unit_test(test_sliding_rod),
        cmocka_unit_test(test_flutter),      cmocka_unit_test(test_refine),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_row_borders),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

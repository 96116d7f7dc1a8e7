// Maps against theory.md (4.8) and the box on a slope; the same for any number of threads.
#include "support/with_folder.h"

static const char *example(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    return path;
}

static SpragMapSettings rod_settings(void)
{
    SpragMapSettings settings = sprag_map_default();
    settings.x = "theta=5:85deg:41";
    settings.y = "mu=0.01:3:41";
    settings.border_tolerance = 1e-12;
    return settings;
}

static SpragMap *make(const char *name, const SpragMapSettings *settings)
{
    SpragMap *map;
    assert_ok(context, sprag_map_create(context, example(name), settings, &map));
    return map;
}

static double critical(double theta)
{
    return (1 + 3 * cos(theta) * cos(theta)) / (3 * sin(theta) * cos(theta));
}

// Every bisected point between one motion and two (or none) lies on μ_c(θ); those between modes on
// B = L ω² sin θ − g = 0. The tip of the region is at (63.43°, 4/3).
static void test_rod_border(void **state)
{
    (void)state;
    SpragMapSettings settings = rod_settings();
    SpragMap *map = make("painleve-rod", &settings);
    int checked = 0, straight = 0;
    double lowest = INFINITY, at = 0;
    for (int i = 0; i < map->segment_count; i++) {
        const SpragMapSegment *segment = &map->segments[i];
        const SpragMapVertex *vertex = &map->vertices[segment->a];
        if (segment->right < 0 || vertex->meeting)
            continue;
        const SpragOutcome *a = &map->table[segment->left].outcome,
                           *b = &map->table[segment->right].outcome;
        bool lift = fabs(sin(vertex->x) * 18 - 9.81) < 1e-8;
        if (a->solution_count == b->solution_count || lift) {
            assert_close(sin(vertex->x) * 18, 9.81, 1e-8);
            straight++;
            continue;
        }
        assert_close(vertex->y, critical(vertex->x), 1e-9);
        checked++;
        if (vertex->y < lowest) {
            lowest = vertex->y;
            at = vertex->x;
        }
    }
    assert_true(checked > 40 && straight > 20);
    // the lowest grid point of the border: second order in the half cell of 1°
    assert_close(lowest, 4.0 / 3, 1e-3);
    assert_close(at, atan(2), 0.04);
    assert_int_equal(map->class_count, 4);
    sprag_map_destroy(map);
}

// Each point of the map is what theory.md 4.2 says of its A and B, and the values are these.
static void test_rod_points(void **state)
{
    (void)state;
    static const char *const names[] = {"A", "B", "determinant", "slowest"};
    SpragMapSettings settings = rod_settings();
    settings.values = names;
    settings.value_count = 4;
    settings.jobs = 2;
    SpragMap *map = make("painleve-rod", &settings);
    for (int j = 0; j < 41; j++)
        for (int i = 0; i < 41; i++) {
            double theta = map->axes[0].values[i], mu = map->axes[1].values[j];
            const double *values = map->values + 4 * (i + 41 * (long)j);
            const SpragOutcome *outcome = &map->table[map->classes[i + 41 * j]].outcome;
            double A = 1 + 3 * cos(theta) * (cos(theta) - mu * sin(theta));
            double B = 18 * sin(theta) - 9.81;
            assert_close(values[0], A, 1e-12);
            assert_close(values[1], B, 1e-12);
            assert_close(values[2], A / (1 + 3 * cos(theta) * cos(theta)), 1e-12);
            int wanted = B > 0 ? (A > 0 ? 1 : 2) : (A > 0 ? 1 : 0);
            assert_int_equal(outcome->solution_count, wanted);
            assert_true(wanted == 0 || outcome->stable_count == 1);
            assert_true(isnan(values[3]) == (wanted == 0 || B > 0));
            assert_true(isnan(values[3]) || values[3] < 0);
        }
    sprag_map_destroy(map);
}

static void assert_same(const SpragMap *a, const SpragMap *b)
{
    long count = (long)a->axes[0].count * a->axes[1].count;
    assert_int_equal(a->class_count, b->class_count);
    assert_memory_equal(a->classes, b->classes, (size_t)count * sizeof(int));
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->segment_count, b->segment_count);
    for (int i = 0; i < a->vertex_count; i++) {
        assert_close(a->vertices[i].x, b->vertices[i].x, 0);
        assert_close(a->vertices[i].y, b->vertices[i].y, 0);
    }
    for (int i = 0; i < a->class_count; i++)
        assert_true(a->table[i].outcome.signature == b->table[i].outcome.signature);
}

static void test_threads(void **state)
{
    (void)state;
    SpragMapSettings settings = rod_settings();
    settings.border_tolerance = 1e-6;
    SpragMap *one = make("painleve-rod", &settings);
    settings.jobs = 3;
    SpragMap *three = make("painleve-rod", &settings);
    assert_same(one, three);
    sprag_map_destroy(three);
    sprag_map_destroy(one);
}

// Refinement finds the same classes as the full grid, from fewer points.
static void test_refine(void **state)
{
    (void)state;
    SpragMapSettings settings = rod_settings();
    settings.x = "theta=5:85deg:123";
    settings.y = "mu=0.01:3:150";
    settings.borders = false;
    SpragMap *full = make("painleve-rod", &settings);
    settings.refine = true;
    settings.jobs = 2;
    SpragMap *refined = make("painleve-rod", &settings);
    assert_same(full, refined);
    assert_true(refined->evaluation_count * 3 < full->evaluation_count);
    sprag_map_destroy(full);
    sprag_map_destroy(refined);
}

// A bare problem, a logarithmic axis, a list, one axis alone.
static void test_axes(void **state)
{
    (void)state;
    SpragMapSettings settings = sprag_map_default();
    settings.x = "contacts.0.friction=0.1:10:21:log";
    SpragMap *map = make("bare-contact", &settings);
    assert_int_equal(map->axes[1].count, 1);
    for (int i = 0; i < 21; i++) {
        double mu = 0.1 * pow(100, i / 20.0);
        assert_close(map->axes[0].values[i], mu, 1e-14 * mu);
        assert_int_equal(map->table[map->classes[i]].outcome.solution_count, mu < 4.0 / 3);
    }
    sprag_map_destroy(map);
    settings.x = "b.0=-9.81,-1,1,2";
    settings.y = "contacts.0.friction=1,2";
    map = make("bare-contact", &settings);
    const int counts[] = {1, 1, 1, 1, 0, 0, 2, 2};
    for (int i = 0; i < 8; i++)
        assert_int_equal(map->table[map->classes[i]].outcome.solution_count, counts[i]);
    sprag_map_destroy(map);
}

static void refuse(const char *name, SpragMapSettings settings, SpragStatus wanted,
                   const char *words)
{
    SpragMap *map;
    assert_int_equal(sprag_map_create(context, example(name), &settings, &map), wanted);
    assert_null(map);
    if (!strstr(sprag_context_message(context), words)) {
        print_error("%s\n", sprag_context_message(context));
        fail();
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        SpragStatus status;
        const char *words;
    } cases[] = {
        {"mu=0:1", "theta", SPRAG_ERROR_ARGUMENT, "FROM:TO:N"},
        {"mu=0:1:1", "theta", SPRAG_ERROR_ARGUMENT, "2 … 100000"},
        {"mu=0:1:x", "theta", SPRAG_ERROR_ARGUMENT, "2 … 100000"},
        {"mu=1:1:5", "theta", SPRAG_ERROR_ARGUMENT, "two different ends"},
        {"mu=0:1:5:log", "theta", SPRAG_ERROR_ARGUMENT, "> 0"},
        {"mu=0:1:5:lin", "theta", SPRAG_ERROR_ARGUMENT, "log"},
        {"=0:1:5", NULL, SPRAG_ERROR_ARGUMENT, "PATH=FROM:TO:N"},
        {"mu=1,3,2", NULL, SPRAG_ERROR_ARGUMENT, "rise or fall"},
        {"mu=0:100000:100000", "theta=1:2:100000", SPRAG_ERROR_ARGUMENT, "points"},
        {"gravity.1", NULL, SPRAG_ERROR_INPUT, "gravity"},
        {"mu=-1:1:5", "theta", SPRAG_ERROR_INPUT, "friction must be"},
        {"mu=0:1 kg:5", "theta", SPRAG_ERROR_INPUT, "kg"},
        {"mu=0:nan:5", "theta", SPRAG_ERROR_INPUT, "finite"},
        {"nu=0:1:5", "theta", SPRAG_ERROR_INPUT, "mu"},
        {"mu=0:1:5", "mu=0:2:5", SPRAG_ERROR_INPUT, "twice"},
        {"bodies=0:1:5", NULL, SPRAG_ERROR_INPUT, "number"},
        {"name=0:1:5", NULL, SPRAG_ERROR_INPUT, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragMapSettings settings = sprag_map_default();
        settings.x = cases[i].x;
        settings.y = cases[i].y;
        refuse("painleve-rod", settings, cases[i].status, cases[i].words);
    }
    SpragMapSettings settings = rod_settings();
    static const char *const unknown[] = {"C"};
    settings.values = unknown;
    settings.value_count = 1;
    refuse("painleve-rod", settings, SPRAG_ERROR_ARGUMENT, "determinant");
    settings = rod_settings();
    settings.jobs = 0;
    refuse("painleve-rod", settings, SPRAG_ERROR_ARGUMENT, "threads");
}

// Where bodies cannot be placed there is no verdict, and the rest of the map is there.
static void test_invalid(void **state)
{
    (void)state;
    SpragMapSettings settings = sprag_map_default();
    settings.x = "bodies.box.position.1=0:0.2:9";
    SpragMap *map = make("box-at-rest", &settings);
    int invalid = 0;
    for (int i = 0; i < 9; i++)
        invalid += !map->table[map->classes[i]].valid;
    assert_true(invalid > 0 && invalid < 9);
    assert_true(map->invalid[0] != 0);
    sprag_map_destroy(map);
}

static void test_interrupt(void **state)
{
    (void)state;
    volatile int interrupt = 1;
    SpragMapSettings settings = rod_settings();
    settings.interrupt = &interrupt;
    SpragMap *map = make("painleve-rod", &settings);
    assert_true(map->interrupted);
    assert_int_equal(map->complete_rows, 0);
    sprag_map_destroy(map);
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const names[] = {"A", "margin"};
    SpragMapSettings settings = sprag_map_default();
    settings.x = "contacts.0.friction=0.5,2";
    settings.y = "b.0=-9.81,2";
    settings.values = names;
    settings.value_count = 2;
    SpragMap *map = make("bare-contact", &settings);
    char path[64], text[1024];
    snprintf(path, sizeof path, "%s/map.csv", folder);
    assert_ok(context, sprag_map_write_csv(map, path));
    FILE *file = fopen(path, "rb");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *wanted[] = {
        "contacts.0.friction,b.0,solutions,stable,verdict,forces,held,modes,A,margin\n",
        "0.5,-9.81,1,1,unique,unique,false,slide-,1,1.66666666",
        "\n2,-9.81,0,0,none,unique,false,,-0.",
        "\n0.5,2,1,1,unique,unique,false,separate,1,1.66666666",
        "\n2,2,2,1,multiple,unique,false,separate|slide-,-0."};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_non_null(strstr(text, wanted[i]));
    unlink(path);
    assert_int_equal(sprag_map_write_csv(map, "/no/such/folder/map.csv"), SPRAG_ERROR_WRITE);
    sprag_map_destroy(map);
}

// tan α = μ; and w h of the wedge, where h is the parameter.
static void test_parameter_margins(void **state)
{
    (void)state;
    SpragMargin margin;
    double value;
    assert_ok(context, sprag_margin_parameter(context, example("box-on-incline"), NULL, "alpha",
                                              &value, &margin));
    assert_close(value * (1 + margin.up.change), atan(0.5), 1e-9);
    assert_false(margin.up.becomes.held);
    assert_ok(context,
              sprag_margin_parameter(context, example("wedge"), NULL, "h", &value, &margin));
    assert_close(value * (1 + margin.up.change), 0.25, 1e-9);
    assert_ok(context, sprag_margin_parameter(context, example("painleve-rod"), NULL, "mu", &value,
                                              &margin));
    assert_close(value * (1 - margin.down.change), critical(acos(0.5)), 1e-9);
    assert_int_equal(sprag_margin_parameter(context, example("wedge"), NULL, "v", &value, &margin),
                     SPRAG_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_border), cmocka_unit_test(test_rod_points),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_refine),
        cmocka_unit_test(test_axes),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_invalid),    cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_parameter_margins),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// The figure of a map: well formed, the same bytes each time, regions that fill the plot.
#include "paths.h"
#include "support/with_folder.h"

static SpragMap *make(const char *name, const char *x, const char *y, int jobs)
{
    char path[1024];
    SpragMap *map;
    SpragMapSettings settings = sprag_map_default();
    settings.x = x;
    settings.y = y;
    settings.jobs = jobs;
    settings.points = 25;
    settings.border_tolerance = 1e-5;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    assert_ok(context, sprag_map_create(context, path, &settings, &map));
    return map;
}

// Reads back and removes; to be freed.
static char *written(const SpragMap *map, const char *ending, size_t *length)
{
    char path[128];
    enum { MOST = 1 << 20 };
    char *bytes = calloc(MOST, 1);
    snprintf(path, sizeof path, "%s/map%s", folder, ending);
    assert_ok(context, sprag_figure_write_map(map, NULL, path));
    FILE *file = fopen(path, "rb");
    *length = fread(bytes, 1, MOST - 1, file);
    fclose(file);
    unlink(path);
    return bytes;
}

static void test_bytes(void **state)
{
    (void)state;
    const char *const endings[] = {".svg", ".png"};
    for (int k = 0; k < 1 + sprag_figure_has_png(); k++) {
        size_t length[2];
        SpragMap *one = make("painleve-rod", "theta", "mu=0:3:31", 1);
        SpragMap *two = make("painleve-rod", "theta", "mu=0:3:31", 2);
        char *a = written(one, endings[k], &length[0]), *b = written(two, endings[k], &length[1]);
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(a, b, length[0]);
        free(a);
        free(b);
        sprag_map_destroy(one);
        sprag_map_destroy(two);
    }
}

// The regions cover the plot (500 × 390) once, whatever their number and meeting points.
static void test_areas(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"painleve-rod", "theta", "mu"},
                                           {"painleve-rod", "mu=3:0:40", "theta=85:5deg:33"},
                                           {"painleve-rod", "theta", "omega"},
                                           {"box-on-incline", "alpha", "mu"},
                                           {"wedge", "h=0.01:0.6:40", "mu=0.02:1:40:log"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragMap *map = make(cases[i][0], cases[i][1], cases[i][2], 1);
        size_t length;
        double total = 0;
        char *svg = written(map, ".svg", &length);
        const char *at = strchr(strstr(svg, "</defs>\n") + 8, '\n') + 1; // behind the paper
        while (strncmp(at, "<path d=\"", 9) == 0 && strstr(at, "fill-rule") < strchr(at, '\n')) {
            total += path_area(at + 9);
            at = strchr(at, '\n') + 1;
        }
        assert_close(total, 500.0 * 390, 40); // roundings of 0.005 px along a few metres of border
        free(svg);
        sprag_map_destroy(map);
    }
}

static void test_text(void **state)
{
    (void)state;
    SpragMap *map = make("painleve-rod", "theta=5:85deg:30", "mu=0:3:30", 1);
    size_t length;
    char *svg = written(map, ".svg", &length);
    static const char *const words[] = {
        "<svg xmlns", "Painlevé rod",           "θ, deg", ">μ<", "Two motions, one stable",
        "No motion",  "the scene as it stands", "</svg>"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(svg, words[i]));
    assert_null(strstr(svg, "nan"));
    assert_int_equal(sprag_figure_write_map(map, NULL, "/no/such/folder/map.svg"),
                     SPRAG_ERROR_WRITE);
    free(svg);
    sprag_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// Maps of outputs of runs: a sliding block in closed form, the falling rod of theory.md 15.1; the
// same for any number of threads; runs that end early; names; interruption.
#include <unistd.h>

#include "support/test.h"

static const char *example(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, name);
    return path;
}

// A file for one test; its name.
static const char *write_scene(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/sprag-output-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return path;
}

static double value_at(const SpragMap *map, int i, int j, int value)
{
    return map->values[(i + j * map->axes[0].count) * map->value_count + value];
}

// t = v/(μ g), x = v²/(2 μ g), g = 10; where the block still slides at the end of the run there is
// no time of rest. A value of the state in between does not mind.
static void block_is_analytic(void **state)
{
    const char *const values[] = {"t_stop", "A", "distance"};
    SpragMapSettings settings = sprag_map_default();
    SpragContext *context = test_context();
    SpragMap *maps[2];
    (void)state;
    settings.x = "mu=0.2:1:5";
    settings.y = "v=1:4:4";
    settings.values = values;
    settings.value_count = 3;
    for (int k = 0; k < 2; k++) {
        settings.jobs = k ? 3 : 1;
        assert_ok(context,
                  sprag_map_create(context, example("sliding-block"), &settings, &maps[k]));
    }
    assert_string_equal(maps[0]->value_names[2], "distance");
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 5; i++) {
            double mu = maps[0]->axes[0].values[i], v = maps[0]->axes[1].values[j];
            double stop = v / (10 * mu), t = fmin(stop, 1);
            // at the end of the run itself rounding decides
            if (fabs(stop - 1) > 1e-9)
                assert_true(isnan(value_at(maps[0], i, j, 0)) == (stop > 1));
            if (stop < 1 - 1e-9)
                assert_close(value_at(maps[0], i, j, 0), stop, 1e-8);
            assert_close(value_at(maps[0], i, j, 2), v * t - 5 * mu * t * t, 1e-8);
            assert_true(isnan(value_at(maps[0], i, j, 1))); // two contacts
        }
    assert_memory_equal(maps[0]->values, maps[1]->values, 5 * 4 * 3 * sizeof(double));
    assert_memory_equal(maps[0]->classes, maps[1]->classes, 5 * 4 * sizeof(int));
    for (int k = 0; k < 2; k++)
        sprag_map_destroy(maps[k]);
    sprag_context_destroy(context);
}

// Two angles in a row of points; the first is case 1 of the source, which turns at 0.203115 s.
static void rod_turns(void **state)
{
    const char *const values[] = {"t_rev"};
    SpragSceneSet set = {"simulate.until", "0.21"};
    SpragMapSettings settings = sprag_map_default();
    SpragContext *context = test_context();
    SpragMap *map;
    (void)state;
    settings.x = "theta=42.3,60 deg";
    settings.values = values;
    settings.value_count = 1;
    settings.scene.sets = &set;
    settings.scene.set_count = 1;
    assert_ok(context, sprag_map_create(context, example("falling-rod"), &settings, &map));
    assert_close(value_at(map, 0, 0, 0), 0.203115, 5e-7);
    assert_true(isnan(value_at(map, 1, 0, 0))); // it turns later than the run ends
    sprag_map_destroy(map);
    sprag_context_destroy(context);
}

// A rod has no motion from the start on: what there is until then counts.
// Where bodies overlap there is nothing.
static void ends_early(void **state)
{
    static const char scene[] =
        "sprag: 1\nparameters: {mu: 2, h: 0}\n"
        "bodies:\n  - {name: table, fixed: true, shapes: [{plane: {}}]}\n"
        "  - {name: rod, mass: 1, angle: 1, spin: 0, shapes: [{rod: {length: 2}}]}\n"
        "  - {name: other, fixed: true, position: [0.54, h], shapes: [{circle: {radius: 0.1}}]}\n"
        "contacts: [{name: tip, between: [rod.a, table], friction: mu}]\n"
        "start: [{contact: tip, slip: -1}]\n"
        "simulate: {until: 0.1, motion: events}\n"
        "outputs:\n  none: {time: no-solution}\n  angle: {last: rod.angle}\n  n: {count: impact}\n";
    const char *const values[] = {"none", "angle", "n"};
    SpragMapSettings settings = sprag_map_default();
    SpragContext *context = test_context();
    SpragMap *map;
    (void)state;
    settings.x = "mu=0.1,2";
    settings.y = "h=-1,1.68";
    settings.values = values;
    settings.value_count = 3;
    const char *path = write_scene(scene);
    assert_ok(context, sprag_map_create(context, path, &settings, &map));
    // μ_c(1 rad) = (1 + 3 cos²)/(3 sin cos) = 1.375: below it the rod slides and falls
    assert_true(isnan(value_at(map, 0, 0, 0)) && value_at(map, 0, 0, 1) < 1);
    assert_close(value_at(map, 1, 0, 0), 0, 0);
    assert_close(value_at(map, 1, 0, 1), 1, 1e-12);
    assert_close(value_at(map, 1, 0, 2), 0, 0);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            assert_true(isnan(value_at(map, i, 1, k)));
    sprag_map_destroy(map);
    remove(path);
    sprag_context_destroy(context);
}

static void names_are_checked(void **state)
{
    const char *value = "t_rv";
    SpragMapSettings settings = sprag_map_default();
    SpragContext *context = test_context();
    SpragMap *map;
    (void)state;
    settings.x = "mu=0.1:1:3";
    settings.values = &value;
    settings.value_count = 1;
    assert_int_equal(sprag_map_create(context, example("falling-rod"), &settings, &map),
                     SPRAG_ERROR_ARGUMENT);
    assert_non_null(strstr(sprag_context_message(context), "growth"));
    assert_non_null(strstr(sprag_context_message(context), "outputs of the scene: t_rev, peak"));
    settings.x = "theta=1,1.1";
    assert_int_equal(sprag_map_create(context, example("painleve-none"), &settings, &map),
                     SPRAG_ERROR_ARGUMENT);
    assert_non_null(strstr(sprag_context_message(context), "the scene has no outputs"));
    settings.x = "b.1=1,2";
    assert_int_equal(sprag_map_create(context, example("bare-contact"), &settings, &map),
                     SPRAG_ERROR_ARGUMENT);
    // an output of a signal that does not exist is the file's fault, with its place
    SpragSceneSet sets[] = {{"outputs.t_rev.time", "slip-reversl"}};
    settings.x = "theta=1,1.1";
    value = "t_rev";
    settings.scene.sets = sets;
    settings.scene.set_count = 1;
    assert_int_equal(sprag_map_create(context, example("falling-rod"), &settings, &map),
                     SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "\"slip-reversal\""));
    sprag_context_destroy(context);
}

// Interrupted from the start: nothing is there, and nothing fails.
static void interruption_keeps_what_is_done(void **state)
{
    const char *const values[] = {"t_stop"};
    volatile int interrupt = 1;
    SpragMapSettings settings = sprag_map_default();
    SpragContext *context = test_context();
    SpragMap *map;
    (void)state;
    settings.x = "mu=0.2:1:5";
    settings.values = values;
    settings.value_count = 1;
    settings.interrupt = &interrupt;
    assert_ok(context, sprag_map_create(context, example("sliding-block"), &settings, &map));
    assert_true(map->interrupted);
    assert_int_equal(map->complete_rows, 0);
    sprag_map_destroy(map);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_is_analytic),
        cmocka_unit_test(rod_turns),
        cmocka_unit_test(ends_early),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(interruption_keeps_what_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

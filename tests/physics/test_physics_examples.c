// Every scene in examples/ runs for a second, by events alone, with the outcome that its comment
// promises.
#include <dirent.h>

#include "physics.h"

typedef struct Example {
    const char *name;
    SpragRunOutcome outcome;
    int events;     // −1: not counted
    bool rests;     // all velocities are zero at the end
    double x_speed; // of the first free body at the end, m/s; NAN: not checked
} Example;

static const Example EXAMPLES[] = {
    {"ball-chain", SPRAG_RUN_DONE, -1, false, NAN},
    {"block-on-feet", SPRAG_RUN_DONE, 3, true, 0},
    {"block-on-spring", SPRAG_RUN_DONE, 0, true, 0},
    {"bouncing-ball", SPRAG_RUN_DONE, -1, false, NAN},
    {"box-at-rest", SPRAG_RUN_DONE, 0, true, 0},
    {"box-on-belt", SPRAG_RUN_DONE, -1, false, 0.5},
    {"box-on-incline", SPRAG_RUN_DONE, 0, true, 0},
    {"box-on-incline-in-space", SPRAG_RUN_DONE, 0, true, 0},
    {"disc-in-gutter", SPRAG_RUN_DONE, 0, true, 0},
    {"disc", SPRAG_RUN_DONE, 0, false, -3.27 * 0.86602540378443865},
    {"falling-rod", SPRAG_RUN_DONE, -1, false, NAN},
    {"four-points", SPRAG_RUN_DONE, 0, true, 0},
    {"hertz-ball", SPRAG_RUN_DONE, -1, true, 0},
    {"ladder", SPRAG_RUN_DONE, 0, true, 0},
    {"newton-gains-energy", SPRAG_RUN_DONE, -1, false, 0.825},
    {"off-centre-box", SPRAG_RUN_UNSTABLE, 1, false, NAN},
    {"painleve-none", SPRAG_RUN_NO_SOLUTION, 1, false, NAN},
    {"painleve-rod", SPRAG_RUN_DONE, -1, false, NAN},
    {"peg-in-hole", SPRAG_RUN_AMBIGUOUS, 1, true, 0},
    {"rocking-block", SPRAG_RUN_DONE, -1, false, NAN},
    {"rod-sliding-left", SPRAG_RUN_DONE, -1, false, NAN},
    {"rod-sliding-right", SPRAG_RUN_DONE, -1, false, NAN},
    {"rolling-ball", SPRAG_RUN_DONE, 1, false, 15.0 / 7},
    {"sliding-block", SPRAG_RUN_DONE, 3, true, 0},
    {"song-case1", SPRAG_RUN_DONE, -1, false, NAN},
    {"song-case2", SPRAG_RUN_AMBIGUOUS, 2, false, NAN},
    {"song-fig7", SPRAG_RUN_DONE, -1, false, NAN},
    {"spatial-rod-body", SPRAG_RUN_DONE, -1, false, NAN},
    {"tanh-incline", SPRAG_RUN_DONE, 0, false, -0.000924330},
    {"two-bodies", SPRAG_RUN_DONE, -1, false, NAN},
    {"ball-in-bowl", SPRAG_RUN_DONE, -1, false, NAN},
    {"box-any-heading", SPRAG_RUN_DONE, -1, false, NAN},
    {"capsule-drop", SPRAG_RUN_DONE, -1, false, NAN},
    {"hilly-ground", SPRAG_RUN_DONE, -1, false, NAN},
    {"mesh-part", SPRAG_RUN_AMBIGUOUS, -1, false, NAN},
    {"spinning-top", SPRAG_RUN_DONE, -1, false, NAN},
    {"three-balls", SPRAG_RUN_DONE, -1, false, NAN},
    {"wedge", SPRAG_RUN_AMBIGUOUS, 1, true, 0},
};
enum { EXAMPLE_COUNT = sizeof EXAMPLES / sizeof *EXAMPLES };

static void check_example(const Example *example)
{
    TestRun r;
    char path[1024];
    memset(&r, 0, sizeof r);
    r.context = context;
    r.last_t = -INFINITY;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SPRAG_SOURCE_DIR, example->name);
    assert_ok(context, sprag_scene_read(context, path, NULL, &r.scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(r.scene), &r.system));
    test_run_go_as(&r, SPRAG_MOTION_EVENTS, 1, 1e-9);
    if (r.outcome != example->outcome || (example->events >= 0 && r.event_count != example->events))
        fail_msg("%s: %s, %d events", example->name, sprag_run_outcome_name(r.outcome),
                 r.event_count);
    if (r.outcome == SPRAG_RUN_DONE) {
        assert_close(sprag_run_time(r.run), 1, 0);
        if (sprag_run_sample(r.run)->energy.impact < -1e-6)
            assert_close(sprag_run_drift(r.run), 0, 1e-9); // Newton's law made it
        else
            physics_assert_account(&r, 1e-9);
        assert_true(r.largest_gap < 1e-7);
    }
    const double *v = sprag_run_velocity(r.run);
    for (int i = 0; example->rests && i < sprag_system_velocity_count(r.system); i++)
        assert_close(v[i], 0, 1e-10);
    if (!isnan(example->x_speed))
        assert_close(v[0], example->x_speed, 1e-8);
    test_run_close(&r);
}

static void test_examples(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLE_COUNT; i++)
        check_example(&EXAMPLES[i]);
}

static bool is_gallery(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t got = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return got > 9 && strncmp(head, "# Gallery", 9) == 0;
}

// No scene of the folder is left out: those that are bare problems do not move.
static void test_complete(void **state)
{
    (void)state;
    DIR *folder = opendir(SPRAG_SOURCE_DIR "/examples");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[1024];
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/examples/%.200s", SPRAG_SOURCE_DIR, entry->d_name);
        SpragScene *scene = NULL;
        assert_ok(context, sprag_scene_read(context, path, NULL, &scene));
        // the gallery is run through its own expectations (tests/cli)
        bool found = sprag_scene_kind(scene) != SPRAG_SCENE_MODEL || is_gallery(path);
        sprag_scene_destroy(scene);
        for (int i = 0; i < EXAMPLE_COUNT && !found; i++)
            found = strlen(EXAMPLES[i].name) == (size_t)(end - entry->d_name) &&
                    strncmp(EXAMPLES[i].name, entry->d_name, strlen(EXAMPLES[i].name)) == 0;
        if (!found)
            fail_msg("examples/%s has no expected outcome here", entry->d_name);
    }
    closedir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_complete)};
    return cmocka_run_group_tests(tests, physics_setup, physics_teardown);
}

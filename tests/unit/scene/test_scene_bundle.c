// The page of a run stands for its scene: base64 after RFC 4648, and a scene with all its files
// packed, the files deleted, and the same model read from the page.
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

// ---- Base64 -------------------------------------------------------------------------------------

// RFC 4648, section 10.
static void test_base64_vectors(void **state)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state;
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SpragText text;
        char bytes[16] = "";
        size_t length;
        sprag_text_init(&text, context);
        sprag_base64_encode(cases[i][0], strlen(cases[i][0]), &text);
        assert_string_equal(text.bytes ? text.bytes : "", cases[i][1]);
        assert_true(sprag_base64_decode(cases[i][1], strlen(cases[i][1]), bytes, &length));
        assert_int_equal(length, strlen(cases[i][0]));
        assert_memory_equal(bytes, cases[i][0], length);
        sprag_text_destroy(&text);
    }
    sprag_context_destroy(context);
}

static void test_base64_garbage(void **state)
{
    static const char *const cases[] = {"Zg=", "Z", "Zm9v!", "Zm 9v", "====", "Zg==Zg=="};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[16];
        size_t length;
        assert_false(sprag_base64_decode(cases[i], strlen(cases[i]), bytes, &length));
    }
}

// ---- Scenes -------------------------------------------------------------------------------------

static const char scene_text[] =
    "sprag: 1\nname: packed\nparameters: {m: 2}\n"
    "include: [{file: parts/leg.yaml, name: leg}]\n"
    "bodies:\n"
    "  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"
    "  - {name: box, mass: m, position: [0, 3], shapes: [{circle: {radius: 1}}]}\n";
static const char leg_text[] = "sprag: 1\nbodies: [{name: foot, mass: 5, position: [9, 9], shapes: "
                               "[{circle: {radius: 1}}]}]\n";
static const char push_text[] = "t,fx\n0,1\n1,4\n";

static SpragStatus read_page(SpragContext *context, const char *path, const char *mass,
                             SpragScene **scene)
{
    SpragSceneSettings settings = sprag_scene_default();
    SpragSceneSet set = {"m", mass};
    settings.sets = &set;
    settings.set_count = mass ? 1 : 0;
    return sprag_scene_read(context, path, &settings, scene);
}

static void write_page(const char *path, const char *bundle, bool element)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "<!DOCTYPE html>\n<p>a run</p>%s\n%s</script></html>",
            element ? "<script id=\"sprag-scene\" type=\"text/plain\">" : "", bundle);
    assert_int_equal(fclose(file), 0);
}

static void put_file(const char *folder, const char *name, const char *text, char *path)
{
    snprintf(path, 256, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_page_is_scene(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    char folder[] = "/tmp/sprag-bundle-XXXXXX", path[256], leg[256], page[256], sub[256];
    SpragText bundle, again;
    SpragScene *scene;
    assert_non_null(mkdtemp(folder));
    snprintf(sub, sizeof sub, "%s/parts", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    put_file(folder, "parts/leg.yaml", leg_text, leg);
    put_file(folder, "scene.yaml", scene_text, path);
    snprintf(page, sizeof page, "%s/run.html", folder);
    SpragSceneSettings settings = sprag_scene_default();
    SpragSceneSet set = {"m", "7"};
    settings.sets = &set;
    settings.set_count = 1;
    sprag_text_init(&bundle, context);
    sprag_text_init(&again, context);
    assert_ok(context, sprag_scene_pack(context, path, &settings, &bundle));
    write_page(page, bundle.bytes, true);
    unlink(path), unlink(leg), rmdir(sub);
    // the sets of the run hold, unless others are given
    assert_ok(context, read_page(context, page, NULL, &scene));
    const SpragModel *model = sprag_scene_model(scene);
    assert_int_equal(model->body_count, 3);
    assert_string_equal(model->bodies[0].name, "leg/foot");
    assert_close(model->bodies[2].mass, 7, 0);
    sprag_scene_destroy(scene);
    assert_ok(context, read_page(context, page, "3", &scene));
    assert_close(sprag_scene_model(scene)->bodies[2].mass, 3, 0);
    sprag_scene_destroy(scene);
    // a page of a page has all of it again
    assert_ok(context, sprag_scene_pack(context, page, NULL, &again));
    assert_string_equal(again.bytes, bundle.bytes);
    unlink(page), rmdir(folder);
    sprag_text_destroy(&bundle);
    sprag_text_destroy(&again);
    sprag_context_destroy(context);
}

// A table that the input of a drive is read from: (0, 1), (1, 4).
static void test_page_with_table(void **state)
{
    static const char drive[] =
        "sprag: 1\nproblem: scalar\na: 1\nb: 0.5\nc: 1\nd: 2\nfriction: 0.5\n"
        "velocity: 1\ninput: {table: push.csv, column: fx}\n";
    (void)state;
    SpragContext *context = test_context();
    char folder[] = "/tmp/sprag-bundle-XXXXXX", path[256], push[256], page[256];
    SpragText bundle;
    SpragScene *scene;
    assert_non_null(mkdtemp(folder));
    put_file(folder, "drive.yaml", drive, path);
    put_file(folder, "push.csv", push_text, push);
    snprintf(page, sizeof page, "%s/run.html", folder);
    sprag_text_init(&bundle, context);
    assert_ok(context, sprag_scene_pack(context, path, NULL, &bundle));
    write_page(page, bundle.bytes, true);
    unlink(path), unlink(push);
    assert_ok(context, read_page(context, page, NULL, &scene));
    assert_close(sprag_scene_input(scene, 0, 0.5), 2.5, 1e-15);
    sprag_scene_destroy(scene);
    unlink(page), rmdir(folder);
    sprag_text_destroy(&bundle);
    sprag_context_destroy(context);
}

static void test_bad_pages(void **state)
{
    static const char *const bundles[] = {"",
                                          "scene",
                                          "scene !! !!\n",
                                          "scene YQ== c3ByYWc6IDE=\nwhat YQ== YQ==\n",
                                          "set YQ== YQ==\n",
                                          "scene YS9i c3ByYWc6IDE=\n",
                                          "scene YQ==",
                                          "file YQ== YQ==\n\n\n"};
    (void)state;
    SpragContext *context = test_context();
    char page[] = "/tmp/sprag-page-XXXXXX";
    SpragScene *scene;
    int file = mkstemp(page);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++) {
        write_page(page, bundles[i], true);
        assert_int_equal(read_page(context, page, NULL, &scene), SPRAG_ERROR_INPUT);
        assert_null(scene);
        assert_non_null(strstr(sprag_context_message(context), page));
    }
    write_page(page, "", false);
    assert_int_equal(read_page(context, page, NULL, &scene), SPRAG_ERROR_INPUT);
    assert_non_null(strstr(sprag_context_message(context), "no scene in it"));
    unlink(page);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64_vectors), cmocka_unit_test(test_base64_garbage),
        cmocka_unit_test(test_page_is_scene), cmocka_unit_test(test_page_with_table),
        cmocka_unit_test(test_bad_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

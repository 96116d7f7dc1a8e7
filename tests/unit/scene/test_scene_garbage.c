// Files that are no scenes at all, or attacks: one clear line, no crash, no hang.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scene_support.h"

static void test_bytes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t length;
        const char *position, *fragment;
    } cases[] = {
        {"sprag: 1\nname: \xff\n", 16, "2:7", "not UTF-8"},
        {"sprag: 1\nname: \xc3", 16, "2:7", "not UTF-8"},
        {"sprag: 1\nµ: \xe2\x28\xa1\n", 17, "2:4", "not UTF-8"},
        {"sprag: 1\nname: a\0b\n", 19, "2:8", "a NUL byte"},
        {"sprag: 1\nname: \x01\n", 17, "2:7", "control character"},
        {"\xff\xfes\0p\0", 6, "1:1", "not UTF-8"},
        {"sprag: 1\nname: \"a\\0b\"\n", 22, "2:7", "NUL"},
        {"\0", 1, "1:1", "NUL"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse_text(context, cases[i].text, cases[i].length, cases[i].position, cases[i].fragment);
    sprag_context_destroy(context);
}

static void test_yaml(void **state)
{
    (void)state;
    const struct {
        const char *text, *position, *fragment;
    } cases[] = {
        {"sprag: 1\nbodies: [\n", NULL, "not valid YAML"},
        {"sprag: 1\n\tbodies: []\n", NULL, "not valid YAML"},
        {"a: b: c\n", NULL, "not valid YAML"},
        {"{", NULL, "not valid YAML"},
        {"\"", NULL, "not valid YAML"},
        {"sprag: 1\n---\nsprag: 1\n", "2:1", "a second document"},
        {"%YAML 1.1\n---\nsprag: 1\n", NULL, "directives"},
        {"%TAG ! tag:x,2000:\n---\nsprag: 1\n", NULL, "directives"},
        {"sprag: !!int 1\n", "1:8", "tags are not supported"},
        {"sprag: 1\nbodies: !foo []\n", "2:9", "tags are not supported"},
        {"sprag: *one\n", "1:8", "no anchor &one"},
        {"sprag: &a [*a]\n", "1:12", "inside its own anchor"},
        {"? [a]\n: 1\n", "1:3", "a key must be a word, got a list"},
        {"sprag: 1\nbodies: []\nx-a: {<<: 3}\n", "3:11", "<< takes a mapping"},
        {"sprag: 1\nbodies: [{name: a, name: b}]\n", "2:20", "\"name\" is given twice"},
    };
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(context, cases[i].text, cases[i].position, cases[i].fragment);
    sprag_context_destroy(context);
}

static void repeat_text(SpragText *text, const char *piece, int count)
{
    for (int i = 0; i < count; i++)
        sprag_text_add(text, "%s", piece);
}

static void test_depth(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    const char *const open[] = {"[", "{a: ", "- ", "? "};
    for (size_t i = 0; i < 4; i++) {
        SpragText text;
        sprag_text_init(&text, context);
        sprag_text_add(&text, "x: \n ");
        repeat_text(&text, open[i], 10000);
        refuse(context, text.bytes, NULL, i < 3 ? "nested more than 64 levels" : "");
        sprag_text_destroy(&text);
    }
    // aliases may not get around it
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "a0: &a0 [1]\n");
    for (int i = 1; i < 80; i++)
        sprag_text_add(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    refuse(context, text.bytes, NULL, "nested more than 64 levels");
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

static void test_laughs(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "sprag: 1\nbodies: []\nx-0: &a0 [lol, lol, lol, lol]\n");
    for (int i = 1; i < 20; i++)
        sprag_text_add(&text, "x-%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i,
                       i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refuse(context, text.bytes, NULL, "more than 1000000 values");
    sprag_text_destroy(&text);
    // the same by repeats
    refuse(context,
           "sprag: 1\nbodies: [{name: \"b$(i)_$(j)\", repeat: {i: 2000, j: 2000}, mass: 1,"
           " inertia: 1}]\n",
           NULL, "more than 1000000 values");
    sprag_text_add(&text, "sprag: 1\nbodies: [");
    repeat_text(&text, "0,", 1000001);
    sprag_text_add(&text, "]");
    refuse(context, text.bytes, NULL, "more than 1000000 values");
    sprag_text_destroy(&text);
    for (int i = 0; i < 1001; i++)
        sprag_text_add(&text, "x-%d: &a%d 1\n", i, i);
    refuse(context, text.bytes, "1001:9", "more than 1000 anchors");
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

static void test_megabytes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragRandom random;
    sprag_random_init(&random, 1);
    static char bytes[1 << 20];
    const char *const alphabets[] = {NULL, "[]{},:&*!|>'\"%@`-?# \n\t", "abc: -\n  []{}123.,&*"};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = alphabets[k]
                           ? alphabets[k][sprag_random_below(&random, (int)strlen(alphabets[k]))]
                           : (char)sprag_random_below(&random, 256);
        refuse_text(context, bytes, sizeof bytes, NULL, "");
    }
    memset(bytes, 'a', sizeof bytes);
    refuse_text(context, bytes, sizeof bytes, "1:1", "got aaaa");
    memset(bytes, '\n', sizeof bytes);
    refuse_text(context, bytes, sizeof bytes, "1:1", "nothing in it");
    // a long name in a message stays short
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "sprag: 1\nbodies: [{name: ");
    repeat_text(&text, "é", 100000);
    sprag_text_add(&text, ", mass: 1, inertia: 1}]\n");
    refuse(context, text.bytes, "2:17", "at most 60 bytes");
    assert_true(strlen(sprag_context_message(context)) < 200);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

// Work grows about linearly: no quadratic search for duplicate keys, names or aliases.
static void test_many(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text, "sprag: 1\nparameters:\n");
    for (int i = 0; i < 5000; i++)
        sprag_text_add(&text, "  p%d: %d\n", i, i);
    sprag_text_add(&text, "bodies:\n");
    for (int i = 0; i < 5000; i++)
        sprag_text_add(&text, "  - {name: b%d, mass: 1, shapes: [{circle: {radius: p%d+1}}]}\n", i,
                       i);
    clock_t start = clock();
    SpragScene *scene = read_good(context, text.bytes);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(sprag_scene_model(scene)->body_count, 5000);
    sprag_scene_destroy(scene);
    assert_true(seconds < 10); // less than 0.1 s without sanitizers
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

static void test_files(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene;
    assert_int_equal(sprag_scene_read(context, "/nowhere/x.yaml", NULL, &scene), SPRAG_ERROR_READ);
    assert_non_null(strstr(sprag_context_message(context), "/nowhere/x.yaml: cannot be read"));
    assert_int_equal(sprag_scene_read(context, SPRAG_SOURCE_DIR, NULL, &scene), SPRAG_ERROR_READ);
    assert_int_equal(sprag_scene_read(context, "", NULL, &scene), SPRAG_ERROR_READ);
    assert_int_equal(sprag_scene_read(context, "/dev/null", NULL, &scene), SPRAG_ERROR_INPUT);
    assert_int_equal(sprag_scene_read(context, "/dev/zero", NULL, &scene), SPRAG_ERROR_INPUT);
    assert_null(scene);
    SpragSceneSettings settings = {0};
    assert_int_equal(sprag_scene_read_text(context, "s", "", 0, &settings, &scene),
                     SPRAG_ERROR_ARGUMENT);
    sprag_context_destroy(context);
}

// The stored files: bad-*.yaml are refused, each with the fragment in its first comment line.
static void test_stored(void **state)
{
    (void)state;
    const char *const names[] = {"bad-friction", "bad-key",       "bad-inertia",
                                 "bad-unit",     "bad-duplicate", "bad-laughs"};
    SpragContext *context = test_context();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024], line[512];
        snprintf(path, sizeof path, "%s/tests/data/scenes/%s.yaml", SPRAG_SOURCE_DIR, names[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        line[strcspn(line, "\n")] = 0;
        SpragScene *scene;
        assert_int_equal(sprag_scene_read(context, path, NULL, &scene), SPRAG_ERROR_INPUT);
        const char *message = strstr(sprag_context_message(context), names[i]);
        assert_non_null(message);
        assert_string_equal(message + strlen(names[i]) + strlen(".yaml:"), line + 2);
    }
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_depth), cmocka_unit_test(test_laughs),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_megabytes),
        cmocka_unit_test(test_files), cmocka_unit_test(test_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

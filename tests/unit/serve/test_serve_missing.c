// A build without Node, or without libwebsockets, has everything else and says what is missing.
#include "support/test.h"

static const char scene_text[] =
    "sprag: 1\nbodies: [{name: ball, mass: 1, shapes: [{circle: {radius: 1}}]}]\n";

static void test_says_what_is_missing(void **state)
{
    (void)state;
    assert_false(sprag_serve_is_built());
#ifdef WITHOUT_PAGE
    assert_false(sprag_page_is_built());
    assert_non_null(strstr(sprag_serve_missing(), "Node 18"));
#else
    if (sprag_page_is_built())
        assert_non_null(strstr(sprag_serve_missing(), "libwebsockets"));
#endif
}

static void test_serving_fails_with_the_reason(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    assert_int_equal(sprag_serve_scene(context, "rod.yaml", NULL), SPRAG_ERROR_LIMIT);
    assert_string_equal(sprag_context_message(context), sprag_serve_missing());
    sprag_context_destroy(context);
}

// Listening, and what is told to a viewer, need no page; only the file does.
static void test_page_without_page(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragScene *scene;
    SpragSystem *system;
    SpragPage *page;
    SpragText text;
    SpragPageEnd end = {.outcome = SPRAG_RUN_DONE};
    sprag_text_init(&text, context);
    assert_ok(context, sprag_scene_read_text(context, "ball.yaml", scene_text,
                                             sizeof scene_text - 1, NULL, &scene));
    assert_ok(context, sprag_system_create_model(sprag_scene_model(scene), &system));
    assert_ok(context, sprag_page_create(system, NULL, &page));
    assert_ok(context, sprag_page_head(page, &text));
    assert_non_null(strstr(text.bytes, "\"ball\""));
    if (!sprag_page_is_built()) {
        assert_int_equal(sprag_page_write(page, &end, "/tmp/sprag-never.html"), SPRAG_ERROR_WRITE);
        assert_non_null(strstr(sprag_context_message(context), sprag_page_missing()));
    }
    sprag_page_destroy(page);
    sprag_system_destroy(system);
    sprag_scene_destroy(scene);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_says_what_is_missing),
                                       cmocka_unit_test(test_serving_fails_with_the_reason),
                                       cmocka_unit_test(test_page_without_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

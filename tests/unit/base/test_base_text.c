// Text that grows.
#include <stdlib.h>
#include <unistd.h>

#include "support/allocator.h"

static void test_growth(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragText text;
    sprag_text_init(&text, context);
    assert_null(text.bytes);
    char expected[8000] = "";
    for (int i = 0; i < 1000; i++) {
        sprag_text_add(&text, "%d;", i);
        snprintf(expected + strlen(expected), 16, "%d;", i);
        assert_int_equal(text.length, strlen(text.bytes));
    }
    assert_string_equal(text.bytes, expected);
    assert_false(text.failed);
    sprag_text_destroy(&text);
    assert_null(text.bytes);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

static void test_bytes(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add_bytes(&text, NULL, 0); // nothing, but terminated
    assert_string_equal(text.bytes, "");
    sprag_text_add_bytes(&text, "a\0b", 3);
    sprag_text_add(&text, "%s", "");
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.bytes, "a\0b", 4);
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

// After a failure everything is dropped, and what was there stays terminated.
static void test_failure(void **state)
{
    (void)state;
    CountingAllocator counter = {.fail_at = 2};
    SpragContext *context;
    SpragText text;
    assert_int_equal(counting_context(&counter, &context), SPRAG_OK);
    sprag_text_init(&text, context);
    sprag_text_add(&text, "short");
    sprag_text_add(&text, "%s", "long enough to need a second block of memory");
    assert_true(text.failed);
    sprag_text_add(&text, "x"); // memory is back, but a gap would be worse than an end
    assert_string_equal(text.bytes, "short");
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void test_save(void **state)
{
    (void)state;
    char folder[] = "/tmp/sprag text XXXXXX", path[64], part[80], read[16] = "";
    SpragContext *context = test_context();
    SpragText text;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.txt", folder);
    snprintf(part, sizeof part, "%s.part", path);
    sprag_text_init(&text, context);
    assert_ok(context, sprag_text_save(&text, path)); // an empty file
    sprag_text_add(&text, "whole");
    assert_ok(context, sprag_text_save(&text, path));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read, file), 5);
    fclose(file);
    assert_string_equal(read, "whole");
    assert_int_not_equal(access(part, F_OK), 0);
    // what fails leaves the file that stands there
    text.failed = true;
    assert_int_equal(sprag_text_save(&text, path), SPRAG_ERROR_MEMORY);
    text.failed = false;
    assert_int_equal(sprag_text_save(&text, "/dev/full"), SPRAG_ERROR_WRITE);
    assert_string_equal(sprag_context_message(context),
                        "/dev/full: cannot write: No space left on device");
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(sprag_text_save(&text, path), SPRAG_ERROR_WRITE); // no folder
    sprag_text_destroy(&text);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth), cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_failure), cmocka_unit_test(test_save)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

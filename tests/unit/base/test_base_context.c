// Status codes, the context and its message, memory that is checked for overflow and failure.
#include "support/allocator.h"

static void test_status_names(void **state)
{
    (void)state;
    static const struct {
        SpragStatus status;
        const char *name, *text;
    } expected[] = {
        {SPRAG_OK, "OK", "success"},
        {SPRAG_ERROR_ARGUMENT, "ERROR_ARGUMENT", "an argument is outside its range"},
        {SPRAG_ERROR_INPUT, "ERROR_INPUT", "the input is not valid"},
        {SPRAG_ERROR_READ, "ERROR_READ", "a file cannot be read"},
        {SPRAG_ERROR_WRITE, "ERROR_WRITE", "a file cannot be written"},
        {SPRAG_ERROR_MEMORY, "ERROR_MEMORY", "no memory left"},
        {SPRAG_ERROR_LIMIT, "ERROR_LIMIT", "a size limit is exceeded"},
        {SPRAG_ERROR_CALLBACK, "ERROR_CALLBACK", "a user callback failed"},
        {SPRAG_ERROR_NUMERIC, "ERROR_NUMERIC", "a number is not finite, or a computation failed"},
        {SPRAG_INTERRUPTED, "INTERRUPTED", "interrupted"},
    };
    assert_int_equal(sizeof expected / sizeof *expected, SPRAG_STATUS_COUNT);
    for (int i = 0; i < SPRAG_STATUS_COUNT; i++) {
        assert_int_equal(expected[i].status, i);
        assert_string_equal(sprag_status_name(expected[i].status), expected[i].name);
        assert_string_equal(sprag_status_text(expected[i].status), expected[i].text);
    }
    assert_string_equal(sprag_status_name(SPRAG_STATUS_COUNT), "?");
    assert_string_equal(sprag_status_text((SpragStatus)1000), "?");
}

static void test_version(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(sprag_version(), SPRAG_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", SPRAG_VERSION_MAJOR, SPRAG_VERSION_MINOR,
             SPRAG_VERSION_PATCH);
    assert_string_equal(sprag_version(), text);
}

static void test_settings(void **state)
{
    (void)state;
    SpragContext *context = (SpragContext *)1;
    SpragContextSettings settings = {0}; // not from sprag_context_default
    assert_int_equal(sprag_context_create(&settings, &context), SPRAG_ERROR_ARGUMENT);
    assert_null(context);
    settings = sprag_context_default();
    settings.allocator = NULL; // the C library's
    assert_int_equal(sprag_context_create(&settings, &context), SPRAG_OK);
    sprag_context_destroy(context);
    sprag_context_destroy(NULL);
}

static void test_message(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    assert_string_equal(sprag_context_message(context), "");
    assert_int_equal(sprag_fail(context, SPRAG_ERROR_INPUT, "line %d: %s", 7, "no such body"),
                     SPRAG_ERROR_INPUT);
    assert_string_equal(sprag_context_message(context), "line 7: no such body");
    // a message may quote the one before
    sprag_fail(context, SPRAG_ERROR_READ, "scene.yaml: %s", sprag_context_message(context));
    assert_string_equal(sprag_context_message(context), "scene.yaml: line 7: no such body");
    // one that is too long is cut, and terminated
    char *text = malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = 0;
    sprag_fail(context, SPRAG_ERROR_LIMIT, "%s", text);
    size_t length = strlen(sprag_context_message(context));
    assert_true(length > 1000 && length < 100000);
    free(text);
    sprag_context_destroy(context);
}

static void keep_log(SpragLogLevel level, const char *text, void *user)
{
    snprintf(user, 64, "%d %s", (int)level, text);
}

static void test_log(void **state)
{
    (void)state;
    char logged[64] = "";
    SpragContext *context = test_context();
    sprag_log(context, SPRAG_LOG_INFO, "nobody listens");
    sprag_context_destroy(context);
    SpragContextSettings settings = sprag_context_default();
    settings.logger = keep_log;
    settings.logger_user = logged;
    assert_int_equal(sprag_context_create(&settings, &context), SPRAG_OK);
    sprag_log(context, SPRAG_LOG_DEBUG, "step %d", 3);
    assert_string_equal(logged, "2 step 3");
    sprag_context_destroy(context);
}

static void test_alloc(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    uint64_t before = sprag_context_allocation_count(context);
    unsigned char *bytes = sprag_alloc(context, 100, 3);
    for (int i = 0; i < 300; i++)
        assert_int_equal(bytes[i], 0);
    sprag_free(context, bytes);
    sprag_free(context, NULL);
    void *empty = sprag_alloc(context, 0, 8);
    assert_non_null(empty);
    sprag_free(context, empty);
    assert_int_equal(sprag_context_allocation_count(context), before + 2);
    // products that overflow are caught before the allocator sees them
    assert_null(sprag_alloc(context, SIZE_MAX / 2, 3));
    assert_non_null(strstr(sprag_context_message(context), "too large"));
    char *copy = sprag_copy_text(context, "sprag");
    assert_string_equal(copy, "sprag");
    sprag_free(context, copy);
    sprag_context_destroy(context);
}

static void test_reserve(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    int *list = NULL;
    size_t capacity = 0;
    for (size_t count = 1; count <= 1000; count++) {
        uint64_t before = sprag_context_allocation_count(context);
        bool grows = count > capacity;
        size_t old = capacity;
        assert_ok(context, sprag_reserve(context, &list, &capacity, count, sizeof *list));
        assert_true(capacity >= count);
        assert_int_equal(capacity & (capacity - 1), 0);
        assert_int_equal(sprag_context_allocation_count(context), before + grows);
        for (size_t i = old; i < capacity; i++)
            assert_int_equal(list[i], 0);
        list[count - 1] = (int)count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], i + 1);
    // too long a list fails and changes nothing
    int *same = list;
    size_t kept = capacity;
    assert_int_equal(sprag_reserve(context, &list, &capacity, SIZE_MAX, sizeof *list),
                     SPRAG_ERROR_LIMIT);
    assert_int_equal(sprag_reserve(context, &list, &capacity, SIZE_MAX / 4, sizeof *list),
                     SPRAG_ERROR_LIMIT);
    assert_ptr_equal(list, same);
    assert_int_equal(capacity, kept);
    sprag_free(context, list);
    sprag_context_destroy(context);
}

// Everything of the room that asks for memory, in one go.
static SpragStatus use_memory(SpragContext *context)
{
    int *list = NULL;
    size_t capacity = 0;
    SpragArena *arena = NULL;
    SpragText text;
    sprag_text_init(&text, context);
    SpragStatus status = sprag_reserve(context, &list, &capacity, 10, sizeof *list);
    if (status == SPRAG_OK)
        status = sprag_reserve(context, &list, &capacity, 100, sizeof *list);
    if (status == SPRAG_OK)
        status = sprag_arena_create(context, 0, &arena);
    if (status == SPRAG_OK && !sprag_arena_alloc(arena, 10000, 8))
        status = SPRAG_ERROR_MEMORY;
    char *copy = status == SPRAG_OK ? sprag_copy_text(context, "copy") : NULL;
    if (status == SPRAG_OK && !copy)
        status = SPRAG_ERROR_MEMORY;
    for (int i = 0; i < 100; i++)
        sprag_text_add(&text, "%d,", i);
    if (status == SPRAG_OK && text.failed)
        status = SPRAG_ERROR_MEMORY;
    sprag_text_destroy(&text);
    sprag_free(context, copy);
    sprag_arena_destroy(arena);
    sprag_free(context, list);
    return status;
}

// Request n fails, for all n: the status says so, a sentence is there, nothing is lost.
static void test_failure_sweep(void **state)
{
    (void)state;
    int n = 0;
    for (SpragStatus status = SPRAG_ERROR_MEMORY; status != SPRAG_OK; n++) {
        CountingAllocator counter = {.fail_at = n};
        SpragContext *context;
        status = counting_context(&counter, &context);
        if (status == SPRAG_OK) {
            status = use_memory(context);
            assert_true(status == SPRAG_OK || strstr(sprag_context_message(context), "no memory"));
        }
        assert_true(status == SPRAG_OK || status == SPRAG_ERROR_MEMORY);
        sprag_context_destroy(context);
        assert_int_equal(counter.live, 0);
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_names), cmocka_unit_test(test_version),
        cmocka_unit_test(test_settings),     cmocka_unit_test(test_message),
        cmocka_unit_test(test_log),          cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_reserve),      cmocka_unit_test(test_failure_sweep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Scratch memory: zeroed, aligned, released to a mark, reused without allocation.
#include "support/allocator.h"
#include "support/with_context.h"

static void assert_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(bytes[i], 0);
}

static void test_zeroed_and_aligned(void **state)
{
    (void)state;
    SpragArena *arena;
    assert_ok(context, sprag_arena_create(context, 0, &arena));
    SpragArenaMark mark = sprag_arena_mark(arena);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 200; size += 7) {
            unsigned char *bytes = sprag_arena_alloc(arena, size, 1);
            assert_non_null(bytes);
            assert_int_equal((uintptr_t)bytes % 16, 0);
            assert_zero(bytes, size);
            memset(bytes, 0xab, size); // must not be seen after the release
        }
        sprag_arena_release(arena, mark);
    }
    sprag_arena_destroy(arena);
    sprag_arena_destroy(NULL);
}

// Blocks taken between two marks never overlap with those before, across block borders too.
static void test_mark_and_release(void **state)
{
    (void)state;
    SpragArena *arena;
    SpragRandom random;
    sprag_random_init(&random, 4);
    assert_ok(context, sprag_arena_create(context, 1024, &arena));
    enum { DEPTH = 40 };
    SpragArenaMark marks[DEPTH];
    unsigned char *blocks[DEPTH];
    size_t sizes[DEPTH];
    int depth = 0;
    for (int step = 0; step < 2000; step++) {
        if (depth < DEPTH && sprag_random_below(&random, 5) < 3) {
            marks[depth] = sprag_arena_mark(arena);
            sizes[depth] = (size_t)sprag_random_below(&random, 3000);
            blocks[depth] = sprag_arena_alloc(arena, sizes[depth], 1);
            assert_zero(blocks[depth], sizes[depth]);
            memset(blocks[depth], depth + 1, sizes[depth]);
            depth++;
        } else if (depth > 0) {
            depth -= 1 + sprag_random_below(&random, depth);
            sprag_arena_release(arena, marks[depth]);
        }
        for (int i = 0; i < depth; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(blocks[i][k], i + 1);
    }
    sprag_arena_destroy(arena);
}

static void test_warm(void **state)
{
    (void)state;
    SpragArena *arena;
    assert_ok(context, sprag_arena_create(context, 0, &arena));
    SpragArenaMark mark = sprag_arena_mark(arena);
    uint64_t before = 0;
    for (int round = 0; round < 4; round++) {
        for (size_t size = 1; size <= 1 << 16; size *= 2)
            assert_non_null(sprag_arena_alloc(arena, size, 1));
        sprag_arena_release(arena, mark);
        if (round == 1)
            before = sprag_context_allocation_count(context);
    }
    assert_int_equal(sprag_context_allocation_count(context), before);
    sprag_arena_destroy(arena);
}

static void test_high_water(void **state)
{
    (void)state;
    SpragArena *arena;
    assert_ok(context, sprag_arena_create(context, 1 << 16, &arena));
    SpragArenaMark mark = sprag_arena_mark(arena);
    assert_int_equal(sprag_arena_high_water(arena), 0);
    sprag_arena_alloc(arena, 1600, 1);
    sprag_arena_alloc(arena, 1, 1); // rounded up to the alignment
    assert_int_equal(sprag_arena_high_water(arena), 1616);
    sprag_arena_release(arena, mark);
    sprag_arena_alloc(arena, 160, 1);
    assert_int_equal(sprag_arena_high_water(arena), 1616);
    sprag_arena_destroy(arena);
}

static void test_large(void **state)
{
    (void)state;
    SpragArena *arena;
    assert_ok(context, sprag_arena_create(context, 0, &arena));
    unsigned char *small = sprag_arena_alloc(arena, 100, 1);
    unsigned char *large = sprag_arena_alloc(arena, 5000000, 1);
    assert_zero(large, 5000000);
    memset(large, 1, 5000000);
    assert_zero(small, 100);
    assert_null(sprag_arena_alloc(arena, SIZE_MAX / 2, 4)); // overflow
    assert_non_null(strstr(sprag_context_message(context), "too large"));
    assert_null(sprag_arena_alloc(arena, SIZE_MAX / 8, 4)); // no overflow, but too much
    assert_non_null(sprag_arena_alloc(arena, 10, 10));      // it goes on
    sprag_arena_destroy(arena);
}

// A failed growth leaves the arena as it was.
static void test_failed_growth(void **state)
{
    (void)state;
    CountingAllocator counter = {.fail_at = 3}; // context, arena, first block, then the second
    SpragContext *own;
    SpragArena *arena;
    assert_int_equal(counting_context(&counter, &own), SPRAG_OK);
    assert_ok(own, sprag_arena_create(own, 1024, &arena));
    unsigned char *first = sprag_arena_alloc(arena, 1000, 1);
    memset(first, 7, 1000);
    assert_null(sprag_arena_alloc(arena, 1000, 1));
    assert_int_equal(first[999], 7);
    assert_non_null(sprag_arena_alloc(arena, 16, 1));
    assert_non_null(sprag_arena_alloc(arena, 1000, 1)); // memory is back
    sprag_arena_destroy(arena);
    sprag_context_destroy(own);
    assert_int_equal(counter.live, 0);
}

// Arrays of one block: two walks over the same list agree, parts are aligned and do not overlap;
// sizes that no memory has do not wrap around to small ones.
static void test_carver(void **state)
{
    (void)state;
    enum { PARTS = 20 };
    unsigned char *parts[PARTS];
    SpragCarver counter = {0};
    for (size_t i = 0; i < PARTS; i++)
        assert_null(sprag_carve(&counter, 3 * i, i % 9));
    unsigned char *block = sprag_alloc(context, counter.used, 1);
    assert_non_null(block);
    SpragCarver carver = {(char *)block, 0};
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = sprag_carve(&carver, 3 * i, i % 9);
        assert_int_equal((size_t)(parts[i] - block) % 16, 0);
        memset(parts[i], (int)i + 1, 3 * i * (i % 9));
    }
    assert_int_equal(carver.used, counter.used);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < 3 * i * (i % 9); k++)
            assert_int_equal(parts[i][k], i + 1);
    sprag_free(context, block);
    SpragArena *arena;
    assert_ok(context, sprag_arena_create(context, 0, &arena));
    for (int i = 0; i < 5; i++) {
        (void)sprag_carve(&counter, SIZE_MAX / 8 + 1, 8);
        assert_null(sprag_arena_alloc(arena, counter.used, 1));
    }
    sprag_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zeroed_and_aligned),
                                       cmocka_unit_test(test_mark_and_release),
                                       cmocka_unit_test(test_warm),
                                       cmocka_unit_test(test_high_water),
                                       cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_failed_growth),
                                       cmocka_unit_test(test_carver)};
    return cmocka_run_group_tests(tests, setup, teardown);
}

// arena.c: scratch memory with mark and release.
// Blocks form a list that only grows, so pointers stay valid and warm use allocates nothing.
// Released memory is poisoned under AddressSanitizer.
#include <string.h>

#include "sprag/base.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
#define POISON(address, bytes) ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ALIGNMENT = 16, MAX_BLOCKS = 48 };

typedef struct Block {
    char *bytes;
    size_t size;
} Block;

struct SpragArena {
    SpragContext *context;
    Block blocks[MAX_BLOCKS]; // each at least twice as large as the one before
    size_t block_count;
    size_t block, used; // position of the next byte
    size_t before;      // bytes in the blocks before `block`
    size_t high_water;  // up to the last release
};

static SpragStatus add_block(SpragArena *arena, size_t size)
{
    if (arena->block_count == MAX_BLOCKS)
        return sprag_fail(arena->context, SPRAG_ERROR_LIMIT, "scratch memory is exhausted");
    char *bytes = sprag_alloc(arena->context, size, 1);
    if (!bytes)
        return SPRAG_ERROR_MEMORY;
    arena->blocks[arena->block_count].bytes = bytes;
    arena->blocks[arena->block_count++].size = size;
    POISON(bytes, size);
    return SPRAG_OK;
}

SpragStatus sprag_arena_create(SpragContext *context, size_t first_bytes, SpragArena **arena)
{
    *arena = NULL;
    SpragArena *created = sprag_alloc(context, 1, sizeof *created);
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = context;
    SpragStatus status = add_block(created, first_bytes < 1024 ? 1024 : first_bytes);
    if (status != SPRAG_OK) {
        sprag_free(context, created);
        return status;
    }
    *arena = created;
    return SPRAG_OK;
}

void sprag_arena_destroy(SpragArena *arena)
{
    if (!arena)
        return;
    for (size_t i = 0; i < arena->block_count; i++) {
        UNPOISON(arena->blocks[i].bytes, arena->blocks[i].size);
        sprag_free(arena->context, arena->blocks[i].bytes);
    }
    sprag_free(arena->context, arena);
}

// Moves on until a block holds `bytes` more; adds one if none does.
static SpragStatus make_room(SpragArena *arena, size_t bytes)
{
    while (arena->blocks[arena->block].size - arena->used < bytes) {
        if (arena->block + 1 == arena->block_count) {
            size_t size = 2 * arena->blocks[arena->block].size;
            SPRAG_TRY(add_block(arena, size > bytes ? size : bytes));
        }
        arena->before += arena->blocks[arena->block].size;
        arena->block++;
        arena->used = 0;
    }
    return SPRAG_OK;
}

static void note_use(SpragArena *arena)
{
    if (arena->before + arena->used > arena->high_water)
        arena->high_water = arena->before + arena->used;
}

void *sprag_arena_alloc(SpragArena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4) {
        sprag_fail(arena->context, SPRAG_ERROR_LIMIT, "a size of %zu × %zu bytes is too large",
                   count, size);
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    const Block *block = &arena->blocks[arena->block];
    if (block->size - arena->used < bytes) {
        if (make_room(arena, bytes) != SPRAG_OK)
            return NULL;
        block = &arena->blocks[arena->block];
    }
    char *memory = block->bytes + arena->used;
    arena->used += bytes;
    UNPOISON(memory, bytes);
    memset(memory, 0, bytes);
    return memory;
}

SpragArenaMark sprag_arena_mark(const SpragArena *arena)
{
    SpragArenaMark mark = {arena->block, arena->used};
    return mark;
}

void sprag_arena_release(SpragArena *arena, SpragArenaMark mark)
{
    note_use(arena);
    for (size_t i = mark.block; i <= arena->block; i++) {
        size_t from = i == mark.block ? mark.used : 0;
        POISON(arena->blocks[i].bytes + from, arena->blocks[i].size - from);
    }
    while (arena->block > mark.block)
        arena->before -= arena->blocks[--arena->block].size;
    arena->used = mark.used;
}

SpragContext *sprag_arena_context(const SpragArena *arena)
{
    return arena->context;
}

size_t sprag_arena_high_water(const SpragArena *arena)
{
    size_t now = arena->before + arena->used;
    return now > arena->high_water ? now : arena->high_water;
}

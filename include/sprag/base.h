// base.h: status codes, the context, memory, random numbers, growing text.
//
// Every call that can fail for a reason outside the program (bad data, no memory, a file) returns
// a SpragStatus and leaves a sentence in the context. The library never prints and never exits.
// A context belongs to one thread at a time; two contexts never meet.
#ifndef SPRAG_BASE_H
#define SPRAG_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sprag/vector.h"
#include "sprag/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SPRAG_MUST_USE __attribute__((warn_unused_result))
#define SPRAG_PRINTF(format_index, first_index)                                                    \
    __attribute__((format(printf, format_index, first_index)))
#else
#define SPRAG_MUST_USE
#define SPRAG_PRINTF(format_index, first_index)
#endif

// Outcome of a call. Numerical outcomes (no solution, iteration limit) are not here: they are part
// of a result. One list gives code, name and text.
#define SPRAG_STATUS_LIST(X)                                                                       \
    X(OK, "success")                                                                               \
    X(ERROR_ARGUMENT, "an argument is outside its range")                                          \
    X(ERROR_INPUT, "the input is not valid")                                                       \
    X(ERROR_READ, "a file cannot be read")                                                         \
    X(ERROR_WRITE, "a file cannot be written")                                                     \
    X(ERROR_MEMORY, "no memory left")                                                              \
    X(ERROR_LIMIT, "a size limit is exceeded")                                                     \
    X(ERROR_CALLBACK, "a user callback failed")                                                    \
    X(ERROR_NUMERIC, "a number is not finite, or a computation failed")                            \
    X(INTERRUPTED, "interrupted")

typedef enum SpragStatus {
#define SPRAG_STATUS_ENUM(name, text) SPRAG_##name,
    SPRAG_STATUS_LIST(SPRAG_STATUS_ENUM)
#undef SPRAG_STATUS_ENUM
        SPRAG_STATUS_COUNT
} SpragStatus;

// "OK", "ERROR_INPUT" …; "?" for a number that is no status.
const char *sprag_status_name(SpragStatus status);
// The sentence of SPRAG_STATUS_LIST.
const char *sprag_status_text(SpragStatus status);

// Version of the library that is running, e.g. "0.1.0"; equals SPRAG_VERSION of the header.
const char *sprag_version(void);

// Propagates a failure to the caller.
#define SPRAG_TRY(call)                                                                            \
    do {                                                                                           \
        SpragStatus sprag_try_status_ = (call);                                                    \
        if (sprag_try_status_ != SPRAG_OK)                                                         \
            return sprag_try_status_;                                                              \
    } while (0)

// The same inside a function that owns something: sets `status` and goes to its `cleanup` label.
#define SPRAG_TRY_CLEANUP(call)                                                                    \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SPRAG_OK)                                                                    \
            goto cleanup;                                                                          \
    } while (0)

// ---- Context ------------------------------------------------------------------------------------

typedef struct SpragContext SpragContext;

typedef enum SpragLogLevel { SPRAG_LOG_WARNING, SPRAG_LOG_INFO, SPRAG_LOG_DEBUG } SpragLogLevel;

// size > 0: allocate or grow `pointer` to size bytes (NULL on failure); size 0: free it.
typedef void *SpragAllocator(void *pointer, size_t size, void *user);
typedef void SpragLogger(SpragLogLevel level, const char *text, void *user);

typedef struct SpragContextSettings {
    SpragAllocator *allocator; // NULL: the C library's
    void *allocator_user;
    SpragLogger *logger; // NULL: silence
    void *logger_user;
    uint32_t cookie; // set by sprag_context_default
} SpragContextSettings;

SpragContextSettings sprag_context_default(void);
// settings NULL: the defaults. *context is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_context_create(const SpragContextSettings *settings,
                                                SpragContext **context);
void sprag_context_destroy(SpragContext *context);

// The sentence of the last failure in this context ("" if none). Transient: until the next failure.
const char *sprag_context_message(const SpragContext *context);
// Number of calls of the allocator so far that asked for memory: a warm step leaves it unchanged.
uint64_t sprag_context_allocation_count(const SpragContext *context);

// Stores the message and returns status, so that callers write `return sprag_fail(...)`.
SpragStatus sprag_fail(SpragContext *context, SpragStatus status, const char *format, ...)
    SPRAG_PRINTF(3, 4);
SpragStatus sprag_fail_list(SpragContext *context, SpragStatus status, const char *format,
                            va_list arguments);
void sprag_log(SpragContext *context, SpragLogLevel level, const char *format, ...)
    SPRAG_PRINTF(3, 4);

// ---- Memory -------------------------------------------------------------------------------------

// count × size zeroed bytes, or NULL with a message in the context (overflow is caught).
void *sprag_alloc(SpragContext *context, size_t count, size_t size);
void sprag_free(SpragContext *context, void *pointer);
// A copy of text, owned by the caller.
char *sprag_copy_text(SpragContext *context, const char *text);

// Makes *pointer hold at least `count` items; capacity grows in powers of two, contents are kept,
// new bytes are zero. Does nothing when *capacity suffices: so a warm buffer never allocates.
SPRAG_MUST_USE SpragStatus sprag_reserve(SpragContext *context, void *pointer_to_pointer,
                                         size_t *capacity, size_t count, size_t size);

// Scratch memory with mark and release. Blocks are kept for reuse: warm use never allocates.
typedef struct SpragArena SpragArena;
typedef struct SpragArenaMark {
    size_t block, used;
} SpragArenaMark;

SPRAG_MUST_USE SpragStatus sprag_arena_create(SpragContext *context, size_t first_bytes,
                                              SpragArena **arena);
void sprag_arena_destroy(SpragArena *arena);
// count × size zeroed bytes, 16-byte aligned; NULL with a message on failure. Transient: until the
// release of a mark taken before.
void *sprag_arena_alloc(SpragArena *arena, size_t count, size_t size);
SpragArenaMark sprag_arena_mark(const SpragArena *arena);
void sprag_arena_release(SpragArena *arena, SpragArenaMark mark);
SpragContext *sprag_arena_context(const SpragArena *arena);
// Largest number of bytes in use at once so far.
size_t sprag_arena_high_water(const SpragArena *arena);

// Hands out consecutive arrays, 16-byte aligned, of one block that two walks over the same list of
// them make: with base NULL the first walk only counts bytes, up to a third of SIZE_MAX, which no
// allocator has.
typedef struct SpragCarver {
    char *base;
    size_t used;
} SpragCarver;

static inline void *sprag_carve(SpragCarver *carver, size_t count, size_t size)
{
    const size_t most = SIZE_MAX / 3;
    void *part = carver->base ? carver->base + carver->used : NULL;
    size_t bytes = size == 0 || count <= most / size ? count * size : most;
    carver->used += (bytes + 15) & ~(size_t)15;
    if (carver->used > most)
        carver->used = most;
    return part;
}

#define SPRAG_CARVE(carver, array, count)                                                          \
    ((array) = sprag_carve((carver), (count), sizeof *(array)))

// ---- Random numbers (xoshiro256**, seeded by splitmix64) ----------------------------------------

typedef struct SpragRandom {
    uint64_t state[4];
} SpragRandom;

void sprag_random_init(SpragRandom *random, uint64_t seed);
uint64_t sprag_random_bits(SpragRandom *random);
// Uniform in [from, to).
double sprag_random_uniform(SpragRandom *random, double from, double to);
// Standard normal.
double sprag_random_normal(SpragRandom *random);
// Uniform integer in 0 … count − 1; count > 0.
int sprag_random_below(SpragRandom *random, int count);

// ---- Growing text -------------------------------------------------------------------------------

// Text that grows; bytes is always terminated once something was written, NULL before.
typedef struct SpragText {
    SpragContext *context;
    char *bytes;
    size_t length;
    size_t capacity;
    bool failed; // an allocation failed; everything after it was dropped
} SpragText;

void sprag_text_init(SpragText *text, SpragContext *context);
void sprag_text_destroy(SpragText *text);
void sprag_text_add(SpragText *text, const char *format, ...) SPRAG_PRINTF(2, 3);
void sprag_text_add_bytes(SpragText *text, const char *bytes, size_t count);
// Writes it to a file, beside its place first: a partial file never looks whole. A device or a pipe
// is written in place. ERROR_WRITE says why.
SPRAG_MUST_USE SpragStatus sprag_text_save(const SpragText *text, const char *path);

#ifdef __cplusplus
}
#endif

#endif

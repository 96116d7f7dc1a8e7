// dat_lcp.c: LCPs in the text format of Siconos (.dat).
//
// Problem   n; storage; the matrix; q. What follows q is remark.
// Method    words separated by white space, each with its line and column for messages. Storage 0
// is
//           dense: rows; columns; rows columns again; entries by rows. Storage 1 is sparse blocks:
//           rows; columns; number of blocks, block rows, block columns; cumulated block sizes in
//           rows and in columns; filled1, filled2; the compressed block-row list index1 and index2;
//           then each block behind its number, column-major.
// Assumes   nothing: every count is checked before memory is asked for
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/scene.h"

enum { WORD_BYTES = 64, SHOWN_BYTES = 24, STORAGE_DENSE = 0, STORAGE_BLOCKS = 1 };
// A few bytes may ask for this many rows of zeros, not for more.
enum { MAX_SPARSE = 4000 };
// A file is refused beyond this size.
static const size_t MAX_BYTES = (size_t)1 << 30;

typedef struct Words {
    SpragContext *context;
    const char *name;
    const char *next, *end;
    int line, column; // of the next byte
    int word_line, word_column;
    char word[WORD_BYTES];
} Words;

static SpragStatus refuse(const Words *words, const char *format, ...) SPRAG_PRINTF(2, 3);

static SpragStatus refuse(const Words *words, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sprag_fail(words->context, SPRAG_ERROR_INPUT, "%s:%d:%d: %s", words->name,
                      words->word_line, words->word_column, text);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void step(Words *words)
{
    if (*words->next == '\n') {
        words->line++;
        words->column = 1;
    } else {
        words->column++;
    }
    words->next++;
}

// The next word in words->word; a word too long for a number is cut, and then no number.
static bool next_word(Words *words)
{
    while (words->next < words->end && is_space(*words->next))
        step(words);
    words->word_line = words->line;
    words->word_column = words->column;
    size_t length = 0;
    while (words->next < words->end && !is_space(*words->next)) {
        if (length + 1 < WORD_BYTES)
            words->word[length++] = *words->next ? *words->next : '?';
        step(words);
    }
    words->word[length] = 0;
    return length > 0;
}

static SpragStatus read_number(Words *words, const char *what, double *number)
{
    if (!next_word(words))
        return refuse(words, "the file ends where %s is expected", what);
    char *end;
    *number = strtod(words->word, &end);
    // no hexadecimal, nan or inf: only what the format prints
    bool plain = strspn(words->word, "0123456789+-.eE") == strlen(words->word);
    if (*end || end == words->word || !plain)
        return refuse(words, "%s must be a number, got '%.*s'", what, SHOWN_BYTES, words->word);
    if (!isfinite(*number))
        return refuse(words, "%s must be finite, got '%.*s'", what, SHOWN_BYTES, words->word);
    return SPRAG_OK;
}

// A whole number from `least` to `most`.
static SpragStatus read_count(Words *words, const char *what, int least, int most, int *count)
{
    if (!next_word(words))
        return refuse(words, "the file ends where %s is expected", what);
    char *end;
    errno = 0;
    long value = strtol(words->word, &end, 10);
    if (*end || end == words->word || errno || value < least || value > most)
        return refuse(words, "%s must be a whole number from %d to %d, got '%.*s'", what, least,
                      most, SHOWN_BYTES, words->word);
    *count = (int)value;
    return SPRAG_OK;
}

static SpragStatus read_size(Words *words, const char *what, int n)
{
    int size;
    SPRAG_TRY(read_count(words, what, 1, SPRAG_LCP_MAX_SIZE, &size));
    return size == n
               ? SPRAG_OK
               : refuse(words, "%s must be %d, the size of the problem, got %d", what, n, size);
}

// Entries cannot outnumber the bytes that are left: one digit and a space each.
static SpragStatus check_room(const Words *words, size_t entries)
{
    size_t left = (size_t)(words->end - words->next);
    if (entries > left / 2 + 1)
        return refuse(words, "the file ends before its %zu numbers: %zu bytes are left", entries,
                      left);
    return SPRAG_OK;
}

// "M[3][0]" and the like in a buffer.
static const char *entry_name(char buffer[WORD_BYTES], const char *name, size_t row, int column)
{
    if (column < 0)
        snprintf(buffer, WORD_BYTES, "%s[%zu]", name, row);
    else
        snprintf(buffer, WORD_BYTES, "%s[%zu][%d]", name, row, column);
    return buffer;
}

static SpragStatus read_dense(Words *words, SpragLcpFile *file)
{
    size_t n = (size_t)file->n;
    char name[WORD_BYTES];
    SPRAG_TRY(read_size(words, "the number of rows", file->n));
    SPRAG_TRY(read_size(words, "the number of columns", file->n));
    SPRAG_TRY(read_size(words, "the repeated number of rows", file->n));
    SPRAG_TRY(read_size(words, "the repeated number of columns", file->n));
    SPRAG_TRY(check_room(words, n * n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            SPRAG_TRY(read_number(words, entry_name(name, "M", i, (int)j), &file->M[i * n + j]));
    return SPRAG_OK;
}

// ---- Sparse blocks ------------------------------------------------------------------------------

typedef struct Blocks {
    int count, row_count, column_count, filled1, filled2;
    int *row_end, *column_end; // cumulated sizes
    int *first, *column;       // block k of row r: first[r] ≤ k < first[r + 1], in column[k]
} Blocks;

static SpragStatus read_list(Words *words, const char *what, int count, int least, int most,
                             int **list)
{
    SPRAG_TRY(check_room(words, (size_t)count));
    *list = sprag_alloc(words->context, (size_t)count + 1, sizeof **list);
    if (!*list)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < count; k++)
        SPRAG_TRY(read_count(words, what, least, most, &(*list)[k]));
    return SPRAG_OK;
}

static SpragStatus check_ends(const Words *words, const char *what, const int *ends, int count,
                              int n)
{
    for (int k = 1; k < count; k++)
        if (ends[k] <= ends[k - 1])
            return refuse(words, "the cumulated %s sizes must grow, got %d after %d", what, ends[k],
                          ends[k - 1]);
    if (ends[count - 1] != n)
        return refuse(words, "the cumulated %s sizes must end at %d, got %d", what, n,
                      ends[count - 1]);
    return SPRAG_OK;
}

static SpragStatus read_structure(Words *words, int n, Blocks *blocks)
{
    SPRAG_TRY(read_size(words, "the number of rows", n));
    SPRAG_TRY(read_size(words, "the number of columns", n));
    SPRAG_TRY(
        read_count(words, "the number of blocks", 0, n * (n < 40000 ? n : 40000), &blocks->count));
    SPRAG_TRY(read_count(words, "the number of block rows", 1, n, &blocks->row_count));
    SPRAG_TRY(read_count(words, "the number of block columns", 1, n, &blocks->column_count));
    SPRAG_TRY(read_list(words, "a cumulated row size", blocks->row_count, 1, n, &blocks->row_end));
    SPRAG_TRY(check_ends(words, "row", blocks->row_end, blocks->row_count, n));
    SPRAG_TRY(read_list(words, "a cumulated column size", blocks->column_count, 1, n,
                        &blocks->column_end));
    SPRAG_TRY(check_ends(words, "column", blocks->column_end, blocks->column_count, n));
    SPRAG_TRY(read_count(words, "filled1", 1, blocks->row_count + 1, &blocks->filled1));
    SPRAG_TRY(read_count(words, "filled2", blocks->count, blocks->count, &blocks->filled2));
    SPRAG_TRY(
        read_list(words, "an entry of index1", blocks->filled1, 0, blocks->count, &blocks->first));
    return read_list(words, "an entry of index2", blocks->filled2, 0, blocks->column_count - 1,
                     &blocks->column);
}

static SpragStatus read_block(Words *words, const Blocks *blocks, int row, int k,
                              SpragLcpFile *file)
{
    int number, column = blocks->column[k], top = row > 0 ? blocks->row_end[row - 1] : 0;
    int left = column > 0 ? blocks->column_end[column - 1] : 0;
    char name[WORD_BYTES];
    SPRAG_TRY(read_count(words, "the number of a block", k, k, &number));
    for (int j = left; j < blocks->column_end[column]; j++)
        for (int i = top; i < blocks->row_end[row]; i++)
            SPRAG_TRY(read_number(words, entry_name(name, "M", (size_t)i, j),
                                  &file->M[(size_t)i * (size_t)file->n + (size_t)j]));
    return SPRAG_OK;
}

static SpragStatus read_blocks(Words *words, Blocks *blocks, SpragLcpFile *file)
{
    SPRAG_TRY(read_structure(words, file->n, blocks));
    int next = 0;
    for (int row = 0; row + 1 < blocks->filled1; row++) {
        if (blocks->first[row] != next || blocks->first[row + 1] < next)
            return refuse(words, "index1 must grow from 0, got %d and %d", blocks->first[row],
                          blocks->first[row + 1]);
        for (; next < blocks->first[row + 1]; next++)
            SPRAG_TRY(read_block(words, blocks, row, next, file));
    }
    return next == blocks->count
               ? SPRAG_OK
               : refuse(words, "index1 must end at %d blocks, got %d", blocks->count, next);
}

static SpragStatus read_sparse(Words *words, SpragLcpFile *file)
{
    Blocks blocks = {0};
    SpragStatus status = read_blocks(words, &blocks, file);
    sprag_free(words->context, blocks.row_end);
    sprag_free(words->context, blocks.column_end);
    sprag_free(words->context, blocks.first);
    sprag_free(words->context, blocks.column);
    return status;
}

// ---- The file -----------------------------------------------------------------------------------

static SpragStatus read_all(Words *words, SpragLcpFile *file)
{
    int storage;
    char name[WORD_BYTES];
    SPRAG_TRY(read_count(words, "the size n", 1, SPRAG_LCP_MAX_SIZE, &file->n));
    SPRAG_TRY(read_count(words, "the storage", 0, 2, &storage));
    if (storage > STORAGE_BLOCKS)
        return refuse(words, "storage %d is not read here: 0 (dense) and 1 (sparse blocks) are",
                      storage);
    size_t n = (size_t)file->n;
    if (storage == STORAGE_DENSE)
        SPRAG_TRY(check_room(words, n * n));
    else if (file->n > MAX_SPARSE)
        return refuse(words, "a sparse matrix may have up to %d rows here, got %d", MAX_SPARSE,
                      file->n);
    file->M = sprag_alloc(words->context, n * n, sizeof *file->M);
    file->q = sprag_alloc(words->context, n, sizeof *file->q);
    if (!file->M || !file->q)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(storage == STORAGE_DENSE ? read_dense(words, file) : read_sparse(words, file));
    for (size_t i = 0; i < n; i++)
        SPRAG_TRY(read_number(words, entry_name(name, "q", i, -1), &file->q[i]));
    return SPRAG_OK;
}

SpragStatus sprag_lcp_read_dat_text(SpragContext *context, const char *name, const char *text,
                                    size_t length, SpragLcpFile *file)
{
    Words words = {.context = context,
                   .name = name,
                   .next = text,
                   .end = text + length,
                   .line = 1,
                   .column = 1,
                   .word_line = 1,
                   .word_column = 1};
    memset(file, 0, sizeof *file);
    SpragStatus status = read_all(&words, file);
    if (status != SPRAG_OK)
        sprag_lcp_file_destroy(context, file);
    return status;
}

static SpragStatus read_bytes(SpragContext *context, const char *path, FILE *stream, char **bytes,
                              size_t *length)
{
    size_t capacity = 0;
    for (;;) {
        SPRAG_TRY(sprag_reserve(context, bytes, &capacity, *length + 65536, 1));
        size_t got = fread(*bytes + *length, 1, capacity - *length, stream);
        *length += got;
        if (ferror(stream))
            return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be read: %s", path,
                              strerror(errno));
        if (got == 0)
            return SPRAG_OK;
        if (*length > MAX_BYTES)
            return sprag_fail(context, SPRAG_ERROR_LIMIT, "%s: the file is larger than 1 GiB",
                              path);
    }
}

SpragStatus sprag_lcp_read_dat(SpragContext *context, const char *path, SpragLcpFile *file)
{
    char *bytes = NULL;
    size_t length = 0;
    memset(file, 0, sizeof *file);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be opened: %s", path,
                          strerror(errno));
    SpragStatus status = read_bytes(context, path, stream, &bytes, &length);
    if (status == SPRAG_OK)
        status = sprag_lcp_read_dat_text(context, path, bytes, length, file);
    fclose(stream);
    sprag_free(context, bytes);
    return status;
}

void sprag_lcp_file_destroy(SpragContext *context, SpragLcpFile *file)
{
    sprag_free(context, file->M);
    sprag_free(context, file->q);
    memset(file, 0, sizeof *file);
}

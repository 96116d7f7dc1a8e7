// dat_lcp.c: LCPs in the text format of Siconos (.dat).
//
// Problem   n; storage; the matrix; q. What follows q is remark.
// Method    words separated by white space, each with its line and column for messages. Storage 0
//           is dense: rows; columns; rows columns again; entries by rows. Storage 1 is sparse
//           blocks: rows; columns; number of blocks, block rows, block columns; cumulated block
//           sizes in rows and in columns; filled1, filled2; the compressed block-row list index1
//           and index2; then each block behind its number, column-major.
// Assumes   nothing: every count is checked before memory is asked for
#include <string.h>

#include "dat_words.h"
#include "sprag/scene.h"

enum { STORAGE_DENSE = 0, STORAGE_BLOCKS = 1 };
// A few bytes may ask for this many rows of zeros, not for more.
enum { MAX_SPARSE = 4000 };
static SpragStatus read_size(Words *words, const char *what, int n)
{
    int size;
    SPRAG_TRY(words_count(words, what, 1, SPRAG_LCP_MAX_SIZE, &size));
    return size == n ? SPRAG_OK
                     : words_refuse(words, "%s must be %d, the size of the problem, got %d", what,
                                    n, size);
}

static SpragStatus read_dense(Words *words, SpragLcpFile *file)
{
    size_t n = (size_t)file->n;
    char name[WORD_BYTES];
    SPRAG_TRY(read_size(words, "the number of rows", file->n));
    SPRAG_TRY(read_size(words, "the number of columns", file->n));
    SPRAG_TRY(read_size(words, "the repeated number of rows", file->n));
    SPRAG_TRY(read_size(words, "the repeated number of columns", file->n));
    SPRAG_TRY(words_check_room(words, n * n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            SPRAG_TRY(words_number(words, entry_name(name, "M", i, (int)j), &file->M[i * n + j]));
    return SPRAG_OK;
}

// ---- Sparse blocks ------------------------------------------------------------------------------

typedef struct Blocks {
    int count, row_count, column_count, filled1, filled2;
    int *row_end, *column_end; // cumulated sizes
    int *first, *column;       // block k of row r: first[r] ≤ k < first[r + 1], in column[k]
} Blocks;

static SpragStatus check_ends(const Words *words, const char *what, const int *ends, int count,
                              int n)
{
    for (int k = 1; k < count; k++)
        if (ends[k] <= ends[k - 1])
            return words_refuse(words, "the cumulated %s sizes must grow, got %d after %d", what,
                                ends[k], ends[k - 1]);
    if (ends[count - 1] != n)
        return words_refuse(words, "the cumulated %s sizes must end at %d, got %d", what, n,
                            ends[count - 1]);
    return SPRAG_OK;
}

static SpragStatus read_structure(Words *words, int n, Blocks *blocks)
{
    SPRAG_TRY(read_size(words, "the number of rows", n));
    SPRAG_TRY(read_size(words, "the number of columns", n));
    SPRAG_TRY(
        words_count(words, "the number of blocks", 0, n * (n < 40000 ? n : 40000), &blocks->count));
    SPRAG_TRY(words_count(words, "the number of block rows", 1, n, &blocks->row_count));
    SPRAG_TRY(words_count(words, "the number of block columns", 1, n, &blocks->column_count));
    SPRAG_TRY(words_list(words, "a cumulated row size", blocks->row_count, 1, n, &blocks->row_end));
    SPRAG_TRY(check_ends(words, "row", blocks->row_end, blocks->row_count, n));
    SPRAG_TRY(words_list(words, "a cumulated column size", blocks->column_count, 1, n,
                         &blocks->column_end));
    SPRAG_TRY(check_ends(words, "column", blocks->column_end, blocks->column_count, n));
    SPRAG_TRY(words_count(words, "filled1", 1, blocks->row_count + 1, &blocks->filled1));
    SPRAG_TRY(words_count(words, "filled2", blocks->count, blocks->count, &blocks->filled2));
    SPRAG_TRY(
        words_list(words, "an entry of index1", blocks->filled1, 0, blocks->count, &blocks->first));
    return words_list(words, "an entry of index2", blocks->filled2, 0, blocks->column_count - 1,
                      &blocks->column);
}

static SpragStatus read_block(Words *words, const Blocks *blocks, int row, int k,
                              SpragLcpFile *file)
{
    int number, column = blocks->column[k], top = row > 0 ? blocks->row_end[row - 1] : 0;
    int left = column > 0 ? blocks->column_end[column - 1] : 0;
    char name[WORD_BYTES];
    SPRAG_TRY(words_count(words, "the number of a block", k, k, &number));
    for (int j = left; j < blocks->column_end[column]; j++)
        for (int i = top; i < blocks->row_end[row]; i++)
            SPRAG_TRY(words_number(words, entry_name(name, "M", (size_t)i, j),
                                   &file->M[(size_t)i * (size_t)file->n + (size_t)j]));
    return SPRAG_OK;
}

static SpragStatus read_blocks(Words *words, Blocks *blocks, SpragLcpFile *file)
{
    SPRAG_TRY(read_structure(words, file->n, blocks));
    int next = 0;
    for (int row = 0; row + 1 < blocks->filled1; row++) {
        if (blocks->first[row] != next || blocks->first[row + 1] < next)
            return words_refuse(words, "index1 must grow from 0, got %d and %d", blocks->first[row],
                                blocks->first[row + 1]);
        for (; next < blocks->first[row + 1]; next++)
            SPRAG_TRY(read_block(words, blocks, row, next, file));
    }
    return next == blocks->count
               ? SPRAG_OK
               : words_refuse(words, "index1 must end at %d blocks, got %d", blocks->count, next);
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
    SPRAG_TRY(words_count(words, "the size n", 1, SPRAG_LCP_MAX_SIZE, &file->n));
    SPRAG_TRY(words_count(words, "the storage", 0, 2, &storage));
    if (storage > STORAGE_BLOCKS)
        return words_refuse(
            words, "storage %d is not read here: 0 (dense) and 1 (sparse blocks) are", storage);
    size_t n = (size_t)file->n;
    if (storage == STORAGE_DENSE)
        SPRAG_TRY(words_check_room(words, n * n));
    else if (file->n > MAX_SPARSE)
        return words_refuse(words, "a sparse matrix may have up to %d rows here, got %d",
                            MAX_SPARSE, file->n);
    file->M = sprag_alloc(words->context, n * n, sizeof *file->M);
    file->q = sprag_alloc(words->context, n, sizeof *file->q);
    if (!file->M || !file->q)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(storage == STORAGE_DENSE ? read_dense(words, file) : read_sparse(words, file));
    for (size_t i = 0; i < n; i++)
        SPRAG_TRY(words_number(words, entry_name(name, "q", i, -1), &file->q[i]));
    return SPRAG_OK;
}

SpragStatus sprag_lcp_read_dat_text(SpragContext *context, const char *name, const char *text,
                                    size_t length, SpragLcpFile *file)
{
    Words words = words_of(context, name, text, length);
    memset(file, 0, sizeof *file);
    SpragStatus status = read_all(&words, file);
    if (status != SPRAG_OK)
        sprag_lcp_file_destroy(context, file);
    return status;
}

SpragStatus sprag_lcp_read_dat(SpragContext *context, const char *path, SpragLcpFile *file)
{
    char *bytes = NULL;
    size_t length = 0;
    memset(file, 0, sizeof *file);
    SpragStatus status = read_file_bytes(context, path, &bytes, &length);
    if (status == SPRAG_OK)
        status = sprag_lcp_read_dat_text(context, path, bytes, length, file);
    sprag_free(context, bytes);
    return status;
}

void sprag_lcp_file_destroy(SpragContext *context, SpragLcpFile *file)
{
    sprag_free(context, file->M);
    sprag_free(context, file->q);
    memset(file, 0, sizeof *file);
}

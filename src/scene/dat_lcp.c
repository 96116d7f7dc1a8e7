// dat_lcp.c: LCPs in the text format of Siconos (.dat).
//
// Problem   n; storage; the matrix; q. What follows q is remark.
// Method    words separated by white space, each with its line and column for messages. Storage 0
//           is dense: rows; columns; rows columns again; entries by rows. Storage 1 is sparse
//           blocks: rows; columns; what dat_blocks.c reads.
// Assumes   nothing: every count is checked before memory is asked for
#include <string.h>

#include "dat_words.h"
#include "sprag/scene.h"

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

static SpragStatus add_entry(void *data, int row, int column, double value)
{
    SpragLcpFile *file = data;
    file->M[(size_t)row * (size_t)file->n + (size_t)column] = value;
    return SPRAG_OK;
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
    SPRAG_TRY(read_size(words, "the number of rows", file->n));
    SPRAG_TRY(read_size(words, "the number of columns", file->n));
    SPRAG_TRY(words_matrix(words, storage, &(WordsMatrix){"M", file->n, file->n, add_entry, file}));
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

// dat_friction.c: friction problems in the text format of Siconos (.dat).
//
// Problem   dimension; number of contacts; the matrix W; q; one μ a contact. The rest is remark.
// Method    as dat_lcp.c; the matrix begins with its storage, rows and columns. 0: dense, rows and
//           columns again, entries by rows. 1: sparse blocks, of any sizes. 2: a matrix as CSparse
//           prints it, compressed columns or triplets.
// Assumes   nothing: every count is checked before memory is asked for
#include <stdlib.h>
#include <string.h>

#include "dat_words.h"
#include "friction_file.h"

enum { STORAGE_DENSE = 0, STORAGE_BLOCKS = 1, STORAGE_PRINTED = 2 };

static SpragStatus read_size(Words *words, const char *what, int n)
{
    int size;
    SPRAG_TRY(words_count(words, what, 1, 3 * SPRAG_FRICTION_MAX_CONTACTS, &size));
    return size == n ? SPRAG_OK
                     : words_refuse(words, "%s must be %d, dimension times contacts, got %d", what,
                                    n, size);
}

static SpragStatus read_entry(Words *words, Entries *entries, int row, int column)
{
    char name[WORD_BYTES];
    double value;
    SPRAG_TRY(words_number(words, entry_name(name, "W", (size_t)row, column), &value));
    return entries_add(entries, row, column, value);
}

static SpragStatus read_dense(Words *words, SpragFrictionFile *file, int n)
{
    char name[WORD_BYTES];
    size_t size = (size_t)n;
    SPRAG_TRY(read_size(words, "the repeated number of rows", n));
    SPRAG_TRY(read_size(words, "the repeated number of columns", n));
    SPRAG_TRY(words_check_room(words, size * size));
    file->W = sprag_alloc(words->context, size * size, sizeof *file->W);
    if (!file->W)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            SPRAG_TRY(
                words_number(words, entry_name(name, "W", i, (int)j), &file->W[i * size + j]));
    file->problem.storage = SPRAG_FRICTION_DENSE;
    file->problem.W = file->W;
    return SPRAG_OK;
}

static SpragStatus add_entry(void *entries, int row, int column, double value)
{
    return entries_add(entries, row, column, value);
}

static SpragStatus read_blocks(Words *words, Entries *entries)
{
    return words_blocks(words, &(WordsMatrix){"W", entries->size, add_entry, entries});
}

// ---- As CSparse prints a matrix -----------------------------------------------------------------

static SpragStatus expect_word(Words *words, const char *word)
{
    if (!words_next(words))
        return words_refuse(words, "the file ends where '%s' is expected", word);
    return strcmp(words->word, word) == 0 ? SPRAG_OK
                                          : words_refuse(words, "'%s' is expected, got '%.*s'",
                                                         word, SHOWN_BYTES, words->word);
}

// "col 3 : locations 7 to 9", of which "col" is read: then the rows 7 to 9, "4 : 814.288".
static SpragStatus read_column(Words *words, Entries *entries, int *column)
{
    int from, to, next = *column + 1;
    SPRAG_TRY(words_count(words, "the number of a column", next, next, column));
    if (next >= entries->size)
        return words_refuse(words, "column %d is beyond the matrix of %d", next, entries->size);
    SPRAG_TRY(expect_word(words, ":"));
    SPRAG_TRY(expect_word(words, "locations"));
    SPRAG_TRY(
        words_count(words, "the first location", (int)entries->count, (int)entries->count, &from));
    SPRAG_TRY(expect_word(words, "to"));
    SPRAG_TRY(words_count(words, "the last location", from - 1, 1 << 28, &to));
    SPRAG_TRY(words_check_room(words, (size_t)(to - from + 1)));
    for (int k = from; k <= to; k++) {
        int row;
        SPRAG_TRY(words_count(words, "a row", 0, entries->size - 1, &row));
        SPRAG_TRY(expect_word(words, ":"));
        SPRAG_TRY(read_entry(words, entries, row, *column));
    }
    return SPRAG_OK;
}

// "4 7 : 814.288", of which the row is the word that was read.
static SpragStatus read_triplet(Words *words, Entries *entries)
{
    char *end;
    long row = strtol(words->word, &end, 10);
    int column;
    if (*end || end == words->word || row < 0 || row >= entries->size)
        return words_refuse(words, "a row must be a whole number from 0 to %d, got '%.*s'",
                            entries->size - 1, SHOWN_BYTES, words->word);
    SPRAG_TRY(words_count(words, "a column", 0, entries->size - 1, &column));
    SPRAG_TRY(expect_word(words, ":"));
    return read_entry(words, entries, (int)row, column);
}

// Skips to the word behind `mark`, which must come within the next few.
static SpragStatus skip_to(Words *words, const char *mark)
{
    for (int k = 0; k < 40; k++) {
        if (!words_next(words))
            return words_refuse(words, "the file ends where '%s' is expected", mark);
        if (strcmp(words->word, mark) == 0)
            return SPRAG_OK;
    }
    return words_refuse(words, "'%s' of a printed matrix is expected before this", mark);
}

static SpragStatus read_printed(Words *words, Entries *entries)
{
    int form, count, column = -1;
    SPRAG_TRY(words_count(words, "the form of the sparse matrix", 0, 3, &form));
    SPRAG_TRY(expect_word(words, "CSparse"));
    SPRAG_TRY(skip_to(words, "nnz:"));
    if (!words_next(words))
        return words_refuse(words, "the file ends where the number of entries is expected");
    char *end;
    long number = strtol(words->word, &end, 10);
    if (end == words->word || (*end && strcmp(end, ",") != 0) || number < 0 || number > 1 << 28)
        return words_refuse(words, "the number of entries must be a whole number, got '%.*s'",
                            SHOWN_BYTES, words->word);
    count = (int)number;
    SPRAG_TRY(words_check_room(words, (size_t)count));
    if (*end) { // ", 1-norm: x" of compressed columns
        SPRAG_TRY(expect_word(words, "1-norm:"));
        words_next(words);
        while (column + 1 < entries->size) {
            SPRAG_TRY(expect_word(words, "col"));
            SPRAG_TRY(read_column(words, entries, &column));
        }
    } else {
        for (int k = 0; k < count; k++) {
            if (!words_next(words))
                return words_refuse(words, "the file ends at entry %d of %d", k, count);
            SPRAG_TRY(read_triplet(words, entries));
        }
    }
    return entries->count == (size_t)count
               ? SPRAG_OK
               : words_refuse(words, "the matrix must have %d entries, got %zu", count,
                              entries->count);
}

// ---- The file -----------------------------------------------------------------------------------

static SpragStatus read_sparse(Words *words, SpragFrictionFile *file, int n, int storage)
{
    Entries entries = {.context = words->context, .size = n};
    SpragStatus status =
        storage == STORAGE_BLOCKS ? read_blocks(words, &entries) : read_printed(words, &entries);
    if (status == SPRAG_OK)
        status = entries_gather(&entries, file);
    entries_destroy(&entries);
    return status;
}

static SpragStatus read_all(Words *words, SpragFrictionFile *file)
{
    SpragFrictionProblem *problem = &file->problem;
    int storage, most = SPRAG_FRICTION_MAX_CONTACTS;
    char name[WORD_BYTES];
    SPRAG_TRY(words_count(words, "the dimension", 2, 3, &problem->dimension));
    SPRAG_TRY(words_count(words, "the number of contacts", 1, most, &problem->contact_count));
    SPRAG_TRY(words_count(words, "the storage of W", 0, 2, &storage));
    int n = problem->dimension * problem->contact_count;
    SPRAG_TRY(words_check_room(words, (size_t)n + (size_t)problem->contact_count));
    SPRAG_TRY(read_size(words, "the number of rows", n));
    SPRAG_TRY(read_size(words, "the number of columns", n));
    if (storage == STORAGE_DENSE && n > SPRAG_FRICTION_MAX_DENSE)
        return words_refuse(words, "a dense W may have up to %d rows, got %d",
                            SPRAG_FRICTION_MAX_DENSE, n);
    SPRAG_TRY(storage == STORAGE_DENSE ? read_dense(words, file, n)
                                       : read_sparse(words, file, n, storage));
    SPRAG_TRY(words_check_room(words, (size_t)n + (size_t)problem->contact_count));
    SPRAG_TRY(friction_file_reserve(words->context, file, 0));
    for (int i = 0; i < n; i++)
        SPRAG_TRY(words_number(words, entry_name(name, "q", (size_t)i, -1), &file->q[i]));
    for (int i = 0; i < problem->contact_count; i++) {
        SPRAG_TRY(words_number(words, entry_name(name, "mu", (size_t)i, -1), &file->friction[i]));
        if (file->friction[i] < 0)
            return words_refuse(words, "mu[%d] must be a number ≥ 0, got %g", i, file->friction[i]);
    }
    return SPRAG_OK;
}

SpragStatus sprag_friction_read_dat_text(SpragContext *context, const char *name, const char *text,
                                         size_t length, SpragFrictionFile *file)
{
    Words words = words_of(context, name, text, length);
    memset(file, 0, sizeof *file);
    SpragStatus status = read_all(&words, file);
    if (status != SPRAG_OK)
        sprag_friction_file_destroy(context, file);
    return status;
}

// The first words tell the two formats apart: n, storage, n, n, … (LCP) or d, c, storage, d c, d c,
// …
static bool is_friction(Words words)
{
    long number[6];
    for (int k = 0; k < 6; k++) {
        char *end;
        if (!words_next(&words))
            return false;
        number[k] = strtol(words.word, &end, 10);
        if (*end || end == words.word)
            return false;
    }
    bool fits = (number[0] == 2 || number[0] == 3) && number[1] > 0 && number[2] >= 0 &&
                number[2] <= 2 && number[3] == number[0] * number[1] && number[4] == number[3];
    // two rows of sparse blocks (LCP: 2 1 2 2 …) look like one printed contact up to here
    if (fits && number[2] == STORAGE_PRINTED)
        return words_next(&words) && strcmp(words.word, "CSparse") == 0;
    return fits;
}

static bool starts_with_signature(const char *bytes, size_t length)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    return length >= 8 && memcmp(bytes, signature, 8) == 0;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), count = strlen(ending);
    return length > count && strcmp(path + length - count, ending) == 0;
}

// By its name or by its first bytes.
static bool is_hdf5(const char *path, const char *bytes, size_t length)
{
    return has_ending(path, ".hdf5") || has_ending(path, ".h5") ||
           starts_with_signature(bytes, length);
}

SpragStatus sprag_problem_file_kind(SpragContext *context, const char *path,
                                    SpragProblemFileKind *kind)
{
    char *bytes;
    size_t length;
    SpragStatus status = read_file_bytes(context, path, &bytes, &length);
    if (status == SPRAG_OK) {
        *kind = SPRAG_PROBLEM_FILE_LCP_DAT;
        if (is_hdf5(path, bytes, length))
            *kind = SPRAG_PROBLEM_FILE_FCLIB;
        else if (is_friction(words_of(context, path, bytes, length)))
            *kind = SPRAG_PROBLEM_FILE_FRICTION_DAT;
    }
    sprag_free(context, bytes);
    return status;
}

SpragStatus sprag_friction_read(SpragContext *context, const char *path, SpragFrictionFile *file)
{
    char *bytes;
    size_t length;
    memset(file, 0, sizeof *file);
    SpragStatus status = read_file_bytes(context, path, &bytes, &length);
    if (status == SPRAG_OK)
        status = is_hdf5(path, bytes, length)
                     ? sprag_friction_read_fclib_bytes(context, path, bytes, length, file)
                     : sprag_friction_read_dat_text(context, path, bytes, length, file);
    sprag_free(context, bytes);
    return status;
}

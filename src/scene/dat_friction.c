// dat_friction.c: friction problems in the text format of Siconos (.dat).
//
// Problem   dimension; number of contacts; the matrix W; q; one μ a contact. The rest is remark. Or
//           in global form: dimension; number of contacts; M; H; f; w; one μ a contact, where
//           M v = H r + f, u = Hᵀ v + w.
// Method    as dat_lcp.c; a matrix begins with its storage, rows and columns. 0: dense, rows and
//           columns again, entries by rows. 1: sparse blocks, of any sizes. 2: a matrix as CSparse
//           prints it, compressed columns or triplets. Nothing in a file names its form: it is the
//           global one if the first matrix is not as large as W, or if another one follows.
// Assumes   nothing: every count is checked before memory is asked for
#include <stdlib.h>
#include <string.h>

#include "dat_words.h"
#include "fclib_private.h"

// ---- Numbers ------------------------------------------------------------------------------------

// As many as the contacts have rows.
static SpragStatus read_q(Words *words, const char *what, SpragFrictionFile *file)
{
    char name[WORD_BYTES];
    int n = file->problem.dimension * file->problem.contact_count;
    SPRAG_TRY(words_check_room(words, (size_t)n + (size_t)file->problem.contact_count));
    SPRAG_TRY(friction_file_reserve(words->context, file, 0));
    for (int i = 0; i < n; i++)
        SPRAG_TRY(words_number(words, entry_name(name, what, (size_t)i, -1), &file->q[i]));
    return SPRAG_OK;
}

static SpragStatus read_friction(Words *words, SpragFrictionFile *file)
{
    char name[WORD_BYTES];
    for (int i = 0; i < file->problem.contact_count; i++) {
        SPRAG_TRY(words_number(words, entry_name(name, "mu", (size_t)i, -1), &file->friction[i]));
        if (file->friction[i] < 0)
            return words_refuse(words, "mu[%d] must be a number ≥ 0, got %g", i, file->friction[i]);
    }
    return SPRAG_OK;
}

// What is zero is left out: bodies are found by what couples.
static SpragStatus add_entry(void *entries, int row, int column, double value)
{
    return value != 0 ? entries_add(entries, row, column, value) : SPRAG_OK;
}

// ---- The local form -----------------------------------------------------------------------------

static SpragStatus make_dense(const Entries *entries, SpragFrictionFile *file)
{
    size_t n = (size_t)entries->size;
    if (n > SPRAG_FRICTION_MAX_DENSE)
        return sprag_fail(entries->context, SPRAG_ERROR_INPUT,
                          "a dense W may have up to %d rows, got %zu", SPRAG_FRICTION_MAX_DENSE, n);
    file->W = sprag_alloc(entries->context, n * n, sizeof *file->W);
    if (!file->W)
        return SPRAG_ERROR_MEMORY;
    for (size_t k = 0; k < entries->count; k++)
        file->W[(size_t)entries->row[k] * n + (size_t)entries->column[k]] = entries->value[k];
    file->problem.storage = SPRAG_FRICTION_DENSE;
    file->problem.W = file->W;
    return SPRAG_OK;
}

static SpragStatus read_local(Words *words, int storage, const Entries *W, SpragFrictionFile *file)
{
    SPRAG_TRY(storage == STORAGE_DENSE ? make_dense(W, file) : entries_gather(W, file));
    SPRAG_TRY(read_q(words, "q", file));
    return read_friction(words, file);
}

// ---- The global form ----------------------------------------------------------------------------

// M in `entries`, and what follows it.
static SpragStatus read_parts(Words *words, const Entries *M, Global *global,
                              SpragFrictionFile *file)
{
    char name[WORD_BYTES];
    int storage, rows, columns, n = file->problem.dimension * file->problem.contact_count;
    SPRAG_TRY(words_count(words, "the storage of H", 0, 2, &storage));
    SPRAG_TRY(words_count(words, "the number of rows of H", M->size, M->size, &rows));
    SPRAG_TRY(words_count(words, "the number of columns of H", n, n, &columns));
    Entries H = {.context = words->context, .size = rows > columns ? rows : columns};
    SpragStatus status =
        words_matrix(words, storage, &(WordsMatrix){"H", rows, columns, add_entry, &H});
    if (status == SPRAG_OK)
        status = columns_compress(&H, rows, columns, &global->H);
    entries_destroy(&H);
    SPRAG_TRY(status);
    SPRAG_TRY(columns_compress(M, rows, rows, &global->M));
    SPRAG_TRY(words_check_room(words, (size_t)rows));
    global->f = sprag_alloc(words->context, (size_t)rows + 1, sizeof *global->f);
    if (!global->f)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < rows; i++)
        SPRAG_TRY(words_number(words, entry_name(name, "f", (size_t)i, -1), &global->f[i]));
    SPRAG_TRY(read_q(words, "w", file));
    SPRAG_TRY(read_friction(words, file));
    return fclib_eliminate(global, file);
}

static SpragStatus read_global(Words *words, const Entries *M, SpragFrictionFile *file)
{
    Global global = {.context = words->context, .name = words->name};
    SpragStatus status = read_parts(words, M, &global, file);
    columns_destroy(words->context, &global.M);
    columns_destroy(words->context, &global.H);
    sprag_free(words->context, global.f);
    return status;
}

static bool is_whole(const Words *words, long *number)
{
    char *end;
    *number = strtol(words->word, &end, 10);
    return *end == 0 && end != words->word;
}

// Whether a matrix H (rows × columns) is next, and more numbers than the local form would have.
static bool is_matrix_next(Words words, int rows, int columns, int contacts)
{
    const long least[3] = {0, rows, columns}, most[3] = {2, rows, columns};
    for (int k = 0; k < 3; k++) {
        long number;
        if (!words_next(&words) || !is_whole(&words, &number) || number < least[k] ||
            number > most[k])
            return false;
    }
    for (int k = 0; k < rows + columns + contacts; k++)
        if (!words_next(&words))
            return false;
    return true;
}

// ---- The file -----------------------------------------------------------------------------------

static SpragStatus read_matrices(Words *words, Entries *first, SpragFrictionFile *file)
{
    int storage, rows, columns, contacts = file->problem.contact_count;
    int n = file->problem.dimension * contacts;
    SPRAG_TRY(words_count(words, "the storage of W", 0, 2, &storage));
    SPRAG_TRY(words_check_room(words, (size_t)n + (size_t)contacts));
    SPRAG_TRY(words_count(words, "the number of rows", 1, 1 << 28, &rows));
    SPRAG_TRY(words_count(words, "the number of columns", 1, 1 << 28, &columns));
    if (rows != columns)
        return words_refuse(words, "W must be square, got %d x %d", rows, columns);
    first->size = rows;
    SPRAG_TRY(words_matrix(words, storage, &(WordsMatrix){"W", rows, columns, add_entry, first}));
    if (is_matrix_next(*words, rows, n, contacts))
        return read_global(words, first, file);
    return rows == n ? read_local(words, storage, first, file)
                     : words_refuse(words,
                                    "W must have %d rows, dimension times contacts, or be followed "
                                    "by H (%d x %d), got %d rows",
                                    n, rows, n, rows);
}

static SpragStatus read_all(Words *words, SpragFrictionFile *file)
{
    SpragFrictionProblem *problem = &file->problem;
    Entries first = {.context = words->context};
    SPRAG_TRY(words_count(words, "the dimension", 2, 3, &problem->dimension));
    SPRAG_TRY(words_count(words, "the number of contacts", 1, SPRAG_FRICTION_MAX_CONTACTS,
                          &problem->contact_count));
    SpragStatus status = read_matrices(words, &first, file);
    entries_destroy(&first);
    return status;
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

// The first words tell the two formats apart: n, storage, n, n, … (LCP) or d, c, storage, m, m, …
// One of them may be wrong: whoever reads the file then says so, in the words of its format.
static bool is_friction(Words words)
{
    long number[6];
    for (int k = 0; k < 6; k++)
        if (!words_next(&words) || !is_whole(&words, &number[k]))
            number[k] = -1 - k;
    // two rows of sparse blocks (LCP: 2 1 2 2 …) look like one printed contact up to here
    if (number[2] == number[0] && number[3] == number[0])
        return words_next(&words) && strcmp(words.word, "CSparse") == 0;
    bool has_dimension = number[0] == 2 || number[0] == 3;
    bool has_storage = number[1] > 0 && number[2] >= 0 && number[2] <= 2;
    return number[3] > 0 && number[4] == number[3] && (has_dimension || has_storage);
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

// dat_printed.c: a matrix in the text format of Siconos, as CSparse prints it.
//
// Problem   the form; a line of CSparse with the number of entries; then compressed columns
//           ("col 3 : locations 7 to 9" and a line an entry) or triplets ("4 7 : 814.288")
// Method    word by word; every entry is handed on with its row and column
// Assumes   nothing: every count is checked
#include <stdlib.h>
#include <string.h>

#include "dat_words.h"

typedef struct Printed {
    const WordsMatrix *matrix;
    size_t count; // entries so far
} Printed;

static SpragStatus read_entry(Words *words, Printed *printed, int row, int column)
{
    char name[WORD_BYTES];
    double value;
    SPRAG_TRY(
        words_number(words, entry_name(name, printed->matrix->name, (size_t)row, column), &value));
    printed->count++;
    return printed->matrix->add(printed->matrix->data, row, column, value);
}

static SpragStatus expect_word(Words *words, const char *word)
{
    if (!words_next(words))
        return words_refuse(words, "the file ends where '%s' is expected", word);
    return strcmp(words->word, word) == 0 ? SPRAG_OK
                                          : words_refuse(words, "'%s' is expected, got '%.*s'",
                                                         word, SHOWN_BYTES, words->word);
}

// "col 3 : locations 7 to 9", of which "col" is read: then the rows 7 to 9, "4 : 814.288".
static SpragStatus read_column(Words *words, Printed *printed, int *column)
{
    int from, to, next = *column + 1;
    SPRAG_TRY(words_count(words, "the number of a column", next, next, column));
    if (next >= printed->matrix->columns)
        return words_refuse(words, "column %d is beyond the matrix of %d", next,
                            printed->matrix->columns);
    SPRAG_TRY(expect_word(words, ":"));
    SPRAG_TRY(expect_word(words, "locations"));
    SPRAG_TRY(
        words_count(words, "the first location", (int)printed->count, (int)printed->count, &from));
    SPRAG_TRY(expect_word(words, "to"));
    SPRAG_TRY(words_count(words, "the last location", from - 1, 1 << 28, &to));
    SPRAG_TRY(words_check_room(words, (size_t)(to - from + 1)));
    for (int k = from; k <= to; k++) {
        int row;
        SPRAG_TRY(words_count(words, "a row", 0, printed->matrix->rows - 1, &row));
        SPRAG_TRY(expect_word(words, ":"));
        SPRAG_TRY(read_entry(words, printed, row, *column));
    }
    return SPRAG_OK;
}

// "4 7 : 814.288", of which the row is the word that was read.
static SpragStatus read_triplet(Words *words, Printed *printed)
{
    char *end;
    long row = strtol(words->word, &end, 10);
    int column;
    if (*end || end == words->word || row < 0 || row >= printed->matrix->rows)
        return words_refuse(words, "a row must be a whole number from 0 to %d, got '%.*s'",
                            printed->matrix->rows - 1, SHOWN_BYTES, words->word);
    SPRAG_TRY(words_count(words, "a column", 0, printed->matrix->columns - 1, &column));
    SPRAG_TRY(expect_word(words, ":"));
    return read_entry(words, printed, (int)row, column);
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

SpragStatus words_printed(Words *words, const WordsMatrix *matrix)
{
    Printed printed = {matrix, 0};
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
        while (column + 1 < matrix->columns) {
            SPRAG_TRY(expect_word(words, "col"));
            SPRAG_TRY(read_column(words, &printed, &column));
        }
    } else {
        for (int k = 0; k < count; k++) {
            if (!words_next(words))
                return words_refuse(words, "the file ends at entry %d of %d", k, count);
            SPRAG_TRY(read_triplet(words, &printed));
        }
    }
    return printed.count == (size_t)count
               ? SPRAG_OK
               : words_refuse(words, "the matrix must have %d entries, got %zu", count,
                              printed.count);
}

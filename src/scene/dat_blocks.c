// dat_blocks.c: a matrix of sparse blocks in the text format of Siconos.
//
// Problem   number of blocks, block rows, block columns; cumulated block sizes in rows and in
//           columns; filled1, filled2; the compressed block-row list index1 and index2; then each
//           block behind its number, column-major.
// Method    word by word; every entry is handed on with its row and column
// Assumes   nothing: every count is checked before memory is asked for
#include <stdio.h>

#include "dat_words.h"

typedef struct Blocks {
    int count, row_count, column_count, filled1, filled2;
    int *row_end, *column_end; // cumulated sizes
    int *first, *column;       // block k of row r: first[r] ≤ k < first[r + 1], in column[k]
} Blocks;

static SpragStatus read_ends(Words *words, const char *what, int count, int n, int **ends)
{
    char name[WORD_BYTES];
    snprintf(name, sizeof name, "a cumulated %s size", what);
    SPRAG_TRY(words_list(words, name, count, 1, n, ends));
    for (int k = 1; k < count; k++)
        if ((*ends)[k] <= (*ends)[k - 1])
            return words_refuse(words, "the cumulated %s sizes must grow, got %d after %d", what,
                                (*ends)[k], (*ends)[k - 1]);
    if ((*ends)[count - 1] != n)
        return words_refuse(words, "the cumulated %s sizes must end at %d, got %d", what, n,
                            (*ends)[count - 1]);
    return SPRAG_OK;
}

static SpragStatus read_structure(Words *words, const WordsMatrix *matrix, Blocks *blocks)
{
    size_t room = (size_t)(words->end - words->next) / 2 + 1;
    int most = room < (size_t)1 << 30 ? (int)room : 1 << 30;
    SPRAG_TRY(words_count(words, "the number of blocks", 0, most, &blocks->count));
    int rows = matrix->rows, columns = matrix->columns;
    SPRAG_TRY(words_count(words, "the number of block rows", 1, rows, &blocks->row_count));
    SPRAG_TRY(words_count(words, "the number of block columns", 1, columns, &blocks->column_count));
    SPRAG_TRY(read_ends(words, "row", blocks->row_count, rows, &blocks->row_end));
    SPRAG_TRY(read_ends(words, "column", blocks->column_count, columns, &blocks->column_end));
    SPRAG_TRY(words_count(words, "filled1", 1, blocks->row_count + 1, &blocks->filled1));
    SPRAG_TRY(words_count(words, "filled2", blocks->count, blocks->count, &blocks->filled2));
    SPRAG_TRY(
        words_list(words, "an entry of index1", blocks->filled1, 0, blocks->count, &blocks->first));
    return words_list(words, "an entry of index2", blocks->filled2, 0, blocks->column_count - 1,
                      &blocks->column);
}

static SpragStatus read_block(Words *words, const Blocks *blocks, int row, int k,
                              const WordsMatrix *matrix)
{
    int number, column = blocks->column[k], top = row > 0 ? blocks->row_end[row - 1] : 0;
    int left = column > 0 ? blocks->column_end[column - 1] : 0;
    SPRAG_TRY(words_count(words, "the number of a block", k, k, &number));
    for (int j = left; j < blocks->column_end[column]; j++)
        for (int i = top; i < blocks->row_end[row]; i++) {
            char name[WORD_BYTES];
            double value;
            SPRAG_TRY(words_number(words, entry_name(name, matrix->name, (size_t)i, j), &value));
            SPRAG_TRY(matrix->add(matrix->data, i, j, value));
        }
    return SPRAG_OK;
}

static SpragStatus read_rows(Words *words, const WordsMatrix *matrix, Blocks *blocks)
{
    SPRAG_TRY(read_structure(words, matrix, blocks));
    int next = 0;
    for (int row = 0; row + 1 < blocks->filled1; row++) {
        if (blocks->first[row] != next || blocks->first[row + 1] < next)
            return words_refuse(words, "index1 must grow from 0, got %d and %d", blocks->first[row],
                                blocks->first[row + 1]);
        for (; next < blocks->first[row + 1]; next++)
            SPRAG_TRY(read_block(words, blocks, row, next, matrix));
    }
    return next == blocks->count
               ? SPRAG_OK
               : words_refuse(words, "index1 must end at %d blocks, got %d", blocks->count, next);
}

SpragStatus words_blocks(Words *words, const WordsMatrix *matrix)
{
    Blocks blocks = {0};
    SpragStatus status = read_rows(words, matrix, &blocks);
    sprag_free(words->context, blocks.row_end);
    sprag_free(words->context, blocks.column_end);
    sprag_free(words->context, blocks.first);
    sprag_free(words->context, blocks.column);
    return status;
}

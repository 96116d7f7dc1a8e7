// dat_words.h: the words of a text file, each with its place; what readers of .dat files share.
#ifndef SPRAG_SCENE_DAT_WORDS_H
#define SPRAG_SCENE_DAT_WORDS_H

#include "sprag/base.h"

enum { WORD_BYTES = 64, SHOWN_BYTES = 24 };

typedef struct Words {
    SpragContext *context;
    const char *name;
    const char *next, *end;
    int line, column; // of the next byte
    int word_line, word_column;
    char word[WORD_BYTES];
} Words;

Words words_of(SpragContext *context, const char *name, const char *text, size_t length);
// ERROR_INPUT with the place of the last word.
SpragStatus words_refuse(const Words *words, const char *format, ...) SPRAG_PRINTF(2, 3);
// The next word in words->word; a word too long for a number is cut, and then no number.
bool words_next(Words *words);
SpragStatus words_number(Words *words, const char *what, double *number);
// A whole number from `least` to `most`.
SpragStatus words_count(Words *words, const char *what, int least, int most, int *count);
// `count` of them in a new list, owned by the caller.
SpragStatus words_list(Words *words, const char *what, int count, int least, int most, int **list);
// Entries cannot outnumber the bytes that are left: one digit and a space each.
SpragStatus words_check_room(const Words *words, size_t entries);
// "M[3][0]", or "q[3]" (column < 0), in a buffer.
const char *entry_name(char buffer[WORD_BYTES], const char *name, size_t row, int column);
// How a matrix is stored; what comes behind its numbers of rows and columns.
enum { STORAGE_DENSE = 0, STORAGE_BLOCKS = 1, STORAGE_PRINTED = 2 };
// Where the entries of a matrix go.
typedef struct WordsMatrix {
    const char *name; // in messages
    int rows, columns;
    SpragStatus (*add)(void *data, int row, int column, double value);
    void *data;
} WordsMatrix;
// The numbers of rows and columns again, then the entries by rows.
SpragStatus words_dense(Words *words, const WordsMatrix *matrix);
// A matrix of sparse blocks from its number of blocks on (dat_blocks.c).
SpragStatus words_blocks(Words *words, const WordsMatrix *matrix);
// A matrix as CSparse prints it, compressed columns or triplets (dat_printed.c).
SpragStatus words_printed(Words *words, const WordsMatrix *matrix);
// The one of these that `storage` asks for.
SpragStatus words_matrix(Words *words, int storage, const WordsMatrix *matrix);
// The bytes of a file, owned by the caller; refused beyond 1 GiB.
SpragStatus read_file_bytes(SpragContext *context, const char *path, char **bytes, size_t *length);

#endif

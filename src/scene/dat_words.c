// dat_words.c: the words of a text file, each with its place.
#include "dat_words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file is refused beyond this size.
static const size_t MAX_BYTES = (size_t)1 << 30;

Words words_of(SpragContext *context, const char *name, const char *text, size_t length)
{
    return (Words){.context = context,
                   .name = name,
                   .next = text,
                   .end = text + length,
                   .line = 1,
                   .column = 1,
                   .word_line = 1,
                   .word_column = 1};
}

SpragStatus words_refuse(const Words *words, const char *format, ...)
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
bool words_next(Words *words)
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

SpragStatus words_number(Words *words, const char *what, double *number)
{
    if (!words_next(words))
        return words_refuse(words, "the file ends where %s is expected", what);
    char *end;
    *number = strtod(words->word, &end);
    // no hexadecimal, nan or inf: only what the format prints
    bool plain = strspn(words->word, "0123456789+-.eE") == strlen(words->word);
    if (*end || end == words->word || !plain)
        return words_refuse(words, "%s must be a number, got '%.*s'", what, SHOWN_BYTES,
                            words->word);
    if (!isfinite(*number))
        return words_refuse(words, "%s must be finite, got '%.*s'", what, SHOWN_BYTES, words->word);
    return SPRAG_OK;
}

// A whole number from `least` to `most`.
SpragStatus words_count(Words *words, const char *what, int least, int most, int *count)
{
    if (!words_next(words))
        return words_refuse(words, "the file ends where %s is expected", what);
    char *end;
    errno = 0;
    long value = strtol(words->word, &end, 10);
    if (*end || end == words->word || errno || value < least || value > most)
        return words_refuse(words, "%s must be a whole number from %d to %d, got '%.*s'", what,
                            least, most, SHOWN_BYTES, words->word);
    *count = (int)value;
    return SPRAG_OK;
}

// Entries cannot outnumber the bytes that are left: one digit and a space each.
SpragStatus words_check_room(const Words *words, size_t entries)
{
    size_t left = (size_t)(words->end - words->next);
    if (entries > left / 2 + 1)
        return words_refuse(words, "the file ends before its %zu numbers: %zu bytes are left",
                            entries, left);
    return SPRAG_OK;
}

// "M[3][0]" and the like in a buffer.
const char *entry_name(char buffer[WORD_BYTES], const char *name, size_t row, int column)
{
    if (column < 0)
        snprintf(buffer, WORD_BYTES, "%s[%zu]", name, row);
    else
        snprintf(buffer, WORD_BYTES, "%s[%zu][%d]", name, row, column);
    return buffer;
}

SpragStatus words_list(Words *words, const char *what, int count, int least, int most, int **list)
{
    SPRAG_TRY(words_check_room(words, (size_t)count));
    *list = sprag_alloc(words->context, (size_t)count + 1, sizeof **list);
    if (!*list)
        return SPRAG_ERROR_MEMORY;
    for (int k = 0; k < count; k++)
        SPRAG_TRY(words_count(words, what, least, most, &(*list)[k]));
    return SPRAG_OK;
}

static SpragStatus repeat_size(Words *words, const char *what, int wanted)
{
    int size;
    SPRAG_TRY(words_count(words, what, 1, 1 << 28, &size));
    return size == wanted ? SPRAG_OK
                          : words_refuse(words, "%s must be %d, got %d", what, wanted, size);
}

SpragStatus words_dense(Words *words, const WordsMatrix *matrix)
{
    char name[WORD_BYTES];
    double value;
    SPRAG_TRY(repeat_size(words, "the repeated number of rows", matrix->rows));
    SPRAG_TRY(repeat_size(words, "the repeated number of columns", matrix->columns));
    SPRAG_TRY(words_check_room(words, (size_t)matrix->rows * (size_t)matrix->columns));
    for (int i = 0; i < matrix->rows; i++)
        for (int j = 0; j < matrix->columns; j++) {
            SPRAG_TRY(words_number(words, entry_name(name, matrix->name, (size_t)i, j), &value));
            SPRAG_TRY(matrix->add(matrix->data, i, j, value));
        }
    return SPRAG_OK;
}

SpragStatus words_matrix(Words *words, int storage, const WordsMatrix *matrix)
{
    if (storage == STORAGE_DENSE)
        return words_dense(words, matrix);
    return storage == STORAGE_BLOCKS ? words_blocks(words, matrix) : words_printed(words, matrix);
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

SpragStatus read_file_bytes(SpragContext *context, const char *path, char **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return sprag_fail(context, SPRAG_ERROR_READ, "%s: cannot be opened: %s", path,
                          strerror(errno));
    SpragStatus status = read_bytes(context, path, stream, bytes, length);
    fclose(stream);
    return status;
}

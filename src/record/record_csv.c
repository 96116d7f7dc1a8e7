// record_csv.c: rows of numbers as text, and files that never look whole before they are.
//
// A file is written as NAME.part beside its place and renamed at the end.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_private.h"

// ---- Rows ---------------------------------------------------------------------------------------

// Names of user-defined contacts may hold anything.
static void add_field(SpragText *rows, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        sprag_text_add_bytes(rows, text, strlen(text));
        return;
    }
    sprag_text_add_bytes(rows, "\"", 1);
    for (; *text; text++)
        sprag_text_add_bytes(rows, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    sprag_text_add_bytes(rows, "\"", 1);
}

void csv_add_header(SpragText *rows, const SignalList *signals)
{
    for (int i = 0; i < signals->count; i++) {
        if (i > 0)
            sprag_text_add_bytes(rows, ",", 1);
        add_field(rows, signals->items[i].name);
    }
    sprag_text_add_bytes(rows, "\n", 1);
}

void csv_add_row(SpragText *rows, const SignalList *signals, const double *values)
{
    for (int i = 0; i < signals->count; i++) {
        const char *word = sprag_signal_word(signals->items[i].kind, values[i]);
        char number[NUMBER_BYTES];
        if (i > 0)
            sprag_text_add_bytes(rows, ",", 1);
        if (word)
            sprag_text_add_bytes(rows, word, strlen(word));
        else
            sprag_text_add_bytes(rows, number, number_write(values[i], number));
    }
    sprag_text_add_bytes(rows, "\n", 1);
}

// ---- Files --------------------------------------------------------------------------------------

static SpragStatus fail_write(SpragContext *context, const char *path, int reason)
{
    return sprag_fail(context, SPRAG_ERROR_WRITE, "%s: cannot write: %s", path,
                      reason ? strerror(reason) : "the file is not whole");
}

// A missing folder is the usual mistake and is worth its own sentence.
static SpragStatus fail_open(SpragContext *context, const char *path, int reason)
{
    const char *slash = strrchr(path, '/');
    if (reason == ENOENT && slash && slash > path)
        return sprag_fail(context, SPRAG_ERROR_WRITE,
                          "%s: cannot write: the folder \"%.*s\" does not exist", path,
                          (int)(slash - path), path);
    return fail_write(context, path, reason);
}

// Is `path` something that exists and is no plain file? *refused: a folder, or a file that may not
// be written.
static bool look_at(const char *path, int *refused)
{
    struct stat about;
    *refused = 0;
    if (stat(path, &about) != 0)
        return false;
    if (S_ISDIR(about.st_mode))
        *refused = EISDIR;
    else if (access(path, W_OK) != 0)
        *refused = errno;
    return !S_ISREG(about.st_mode);
}

SpragStatus csv_open(SpragContext *context, const char *path, CsvFile *file)
{
    static const char ending[] = ".part";
    int refused;
    memset(file, 0, sizeof *file);
    if (!path[0])
        return sprag_fail(context, SPRAG_ERROR_WRITE, "cannot write a file without a name");
    bool in_place = look_at(path, &refused);
    if (refused)
        return fail_write(context, path, refused);
    file->path = sprag_copy_text(context, path);
    if (!in_place)
        file->part = sprag_alloc(context, strlen(path) + sizeof ending, 1);
    if (!file->path || (!in_place && !file->part)) {
        csv_destroy(context, file);
        return SPRAG_ERROR_MEMORY;
    }
    if (file->part)
        snprintf(file->part, strlen(path) + sizeof ending, "%s%s", path, ending);
    errno = 0;
    file->stream = fopen(in_place ? path : file->part, "w");
    if (!file->stream) {
        SpragStatus status = fail_open(context, path, errno);
        csv_destroy(context, file);
        return status;
    }
    // rows come in large pieces: a second buffer would only copy them
    setvbuf(file->stream, NULL, _IONBF, 0);
    return SPRAG_OK;
}

// Closes and removes; the names stay for messages.
static void abandon(CsvFile *file)
{
    if (!file->stream)
        return;
    fclose(file->stream);
    file->stream = NULL;
    if (file->part)
        remove(file->part);
}

SpragStatus csv_write(SpragContext *context, CsvFile *file, const SpragText *rows)
{
    errno = 0;
    if (!file->stream || rows->length == 0 ||
        fwrite(rows->bytes, 1, rows->length, file->stream) == rows->length)
        return SPRAG_OK;
    int reason = errno;
    abandon(file);
    return fail_write(context, file->path, reason);
}

SpragStatus csv_finish(SpragContext *context, CsvFile *file)
{
    if (!file->stream)
        return SPRAG_OK;
    errno = 0;
    int failed = fclose(file->stream);
    file->stream = NULL;
    if (!failed && file->part)
        failed = rename(file->part, file->path);
    if (!failed)
        return SPRAG_OK;
    int reason = errno;
    if (file->part)
        remove(file->part);
    return fail_write(context, file->path, reason);
}

void csv_destroy(SpragContext *context, CsvFile *file)
{
    abandon(file);
    sprag_free(context, file->part);
    sprag_free(context, file->path);
    memset(file, 0, sizeof *file);
}

// map_csv.c: a map as CSV: its points, and the points of its borders.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

enum { NUMBER_BYTES = 32 };

// The fewest of 15, 16 or 17 digits that give the number back; nothing for NaN.
static const char *format(double number, char buffer[NUMBER_BYTES])
{
    buffer[0] = 0;
    if (isnan(number))
        return buffer;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_BYTES, "%.*g", digits, number == 0 ? 0.0 : number);
        if (strtod(buffer, NULL) == number)
            break;
    }
    char *comma = strchr(buffer, ',');
    if (comma)
        *comma = '.'; // whatever the program's locale
    return buffer;
}

// A cell that has a comma, a quote or a line end is quoted.
static void put_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void put_class(FILE *file, const SpragMapClass *class)
{
    const SpragOutcome *outcome = &class->outcome;
    if (!class->valid) {
        fputs(",,invalid,,,", file);
        return;
    }
    fprintf(file, "%d,%d,%s,%s,%s,", outcome->solution_count, outcome->stable_count,
            sprag_verdict_name(outcome->kind), outcome->forces_unique ? "unique" : "indeterminate",
            outcome->held ? "true" : "false");
    put_text(file, outcome->modes);
}

// Rows repeat the numbers of an axis and the words of a class: each is spelled out once.
typedef struct Spelled {
    char (*x)[NUMBER_BYTES];
    char **classes;
} Spelled;

// Counts are columns of their own already.
static bool is_column(const SpragMap *map, int value)
{
    return map->value_about[value].kind != SPRAG_MAP_VALUE_WHOLE;
}

static void put_header(const SpragMap *map, FILE *file)
{
    for (int i = 0; i < 2 && map->axes[i].path; i++) {
        put_text(file, map->axes[i].path);
        fputc(',', file);
    }
    fputs("solutions,stable,verdict,forces,held,modes", file);
    for (int i = 0; i < map->value_count; i++) {
        if (!is_column(map, i))
            continue;
        fputc(',', file);
        put_text(file, map->value_names[i]);
    }
    fputc('\n', file);
}

static void put_points(const SpragMap *map, const Spelled *spelled, FILE *file)
{
    const SpragMapAxis *x = &map->axes[0], *y = &map->axes[1];
    char number[NUMBER_BYTES];
    for (int j = 0; j < y->count; j++) {
        char second[NUMBER_BYTES + 1] = "";
        if (y->path)
            snprintf(second, sizeof second, "%s,", format(y->values[j], number));
        for (int i = 0; i < x->count; i++) {
            long at = i + (long)j * x->count;
            if (map->classes[at] < 0)
                continue;
            fputs(spelled->x[i], file);
            fputc(',', file);
            fputs(second, file);
            fputs(spelled->classes[map->classes[at]], file);
            for (int k = 0; k < map->value_count; k++) {
                if (!is_column(map, k))
                    continue;
                fputc(',', file);
                fputs(format(map->values[at * map->value_count + k], number), file);
            }
            fputc('\n', file);
        }
    }
}

static SpragStatus spell_class(const SpragMap *map, int index, char **text)
{
    char *bytes = NULL;
    size_t length;
    FILE *memory = open_memstream(&bytes, &length);
    if (memory) {
        put_class(memory, &map->table[index]);
        fclose(memory);
    }
    *text = bytes ? sprag_copy_text(map->context, bytes) : NULL;
    free(bytes);
    return *text ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus spell(const SpragMap *map, Spelled *spelled)
{
    spelled->x = sprag_alloc(map->context, (size_t)map->axes[0].count, sizeof *spelled->x);
    spelled->classes =
        sprag_alloc(map->context, (size_t)map->class_count + 1, sizeof *spelled->classes);
    if (!spelled->x || !spelled->classes)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < map->axes[0].count; i++)
        format(map->axes[0].values[i], spelled->x[i]);
    for (int i = 0; i < map->class_count; i++)
        SPRAG_TRY(spell_class(map, i, &spelled->classes[i]));
    return SPRAG_OK;
}

static SpragStatus open_file(const SpragMap *map, const char *path, FILE **file)
{
    *file = fopen(path, "wb");
    if (!*file)
        return sprag_fail(map->context, SPRAG_ERROR_WRITE, "%s: cannot be written: %s", path,
                          strerror(errno));
    return SPRAG_OK;
}

static SpragStatus close_file(const SpragMap *map, const char *path, FILE *file)
{
    bool failed = ferror(file) != 0;
    errno = 0;
    if (fclose(file) != 0 || failed)
        return sprag_fail(map->context, SPRAG_ERROR_WRITE, "%s: cannot be written: %s", path,
                          strerror(errno ? errno : EIO));
    return SPRAG_OK;
}

SpragStatus sprag_map_write_csv(const SpragMap *map, const char *path)
{
    Spelled spelled = {NULL, NULL};
    FILE *file = NULL;
    SpragStatus status = spell(map, &spelled);
    if (status == SPRAG_OK)
        status = open_file(map, path, &file);
    if (status == SPRAG_OK) {
        put_header(map, file);
        put_points(map, &spelled, file);
        status = close_file(map, path, file);
    }
    for (int i = 0; spelled.classes && i < map->class_count; i++)
        sprag_free(map->context, spelled.classes[i]);
    sprag_free(map->context, (void *)spelled.classes);
    sprag_free(map->context, spelled.x);
    return status;
}

static void put_side(const SpragMap *map, int class_index, FILE *file)
{
    const SpragMapClass *class = &map->table[class_index];
    fprintf(file, ",%s,", class->valid ? sprag_verdict_name(class->outcome.kind) : "invalid");
    put_text(file, class->outcome.modes);
}

// A bisected point is in one or two segments: it is written with the first.
SpragStatus sprag_map_write_borders(const SpragMap *map, const char *path)
{
    FILE *file;
    char x[NUMBER_BYTES], y[NUMBER_BYTES];
    bool *written = sprag_alloc(map->context, (size_t)map->vertex_count + 1, sizeof *written);
    if (!written)
        return SPRAG_ERROR_MEMORY;
    SpragStatus status = open_file(map, path, &file);
    if (status != SPRAG_OK) {
        sprag_free(map->context, written);
        return status;
    }
    put_text(file, map->axes[0].path);
    if (map->axes[1].path) {
        fputc(',', file);
        put_text(file, map->axes[1].path);
    }
    fputs(",verdict,modes,other verdict,other modes\n", file);
    for (int i = 0; i < map->segment_count; i++) {
        const SpragMapSegment *segment = &map->segments[i];
        int ends[] = {segment->a, segment->b};
        for (int k = 0; k < 2 && segment->right >= 0; k++) {
            const SpragMapVertex *vertex = &map->vertices[ends[k]];
            if (vertex->meeting || written[ends[k]])
                continue;
            written[ends[k]] = true;
            fputs(format(vertex->x, x), file);
            if (map->axes[1].path)
                fprintf(file, ",%s", format(vertex->y, y));
            put_side(map, segment->left, file);
            put_side(map, segment->right, file);
            fputc('\n', file);
        }
    }
    sprag_free(map->context, written);
    return close_file(map, path, file);
}

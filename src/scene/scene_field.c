// scene_field.c: height-field: {size: [4, 2], heights: [[…], …]} or {file: ground.csv, spacing: …}.
// Heights   a row is a line of ground along x, from −x to +x; the first row is at the least y. The
//           field is centred at its origin. Each rectangle of four heights is two triangles, cut
//           along the diagonal from its corner of least x and y.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

enum { MOST_HEIGHTS = 1000000 };

typedef struct Field {
    int columns, rows;
    double *heights; // row by row
    size_t capacity;
    double size[2];
} Field;

static SpragStatus check_row(Reader *reader, const Node *node, const Field *field, int row,
                             int columns)
{
    if (columns < 2)
        return fail_at(reader, node, "row %d of the heights needs at least 2 numbers, got %d", row,
                       columns);
    if (field->rows > 0 && columns != field->columns)
        return fail_at(reader, node, "row %d of the heights has %d numbers, the first row %d", row,
                       columns, field->columns);
    if ((double)columns * (field->rows + 1) > MOST_HEIGHTS)
        return fail_at(reader, node, "a height-field may have at most %d heights", MOST_HEIGHTS);
    return SPRAG_OK;
}

static SpragStatus read_list(Reader *reader, const Node *node, Field *field)
{
    SPRAG_TRY(need_sequence(reader, node, "heights"));
    for (int j = 0; j < node->count; j++) {
        const Node *row = node->items[j];
        SPRAG_TRY(need_sequence(reader, row, "a row of heights"));
        SPRAG_TRY(check_row(reader, row, field, j, row->count));
        field->columns = row->count;
        size_t first = (size_t)j * (size_t)row->count;
        SPRAG_TRY(sprag_reserve(reader->context, &field->heights, &field->capacity,
                                first + (size_t)row->count, sizeof(double)));
        for (int i = 0; i < row->count; i++)
            SPRAG_TRY(read_number(reader, row->items[i], "a height", KIND_LENGTH, RANGE_ALL,
                                  &field->heights[first + (size_t)i]));
        field->rows++;
    }
    return SPRAG_OK;
}

// ---- Files --------------------------------------------------------------------------------------

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

// The numbers of one line, appended; *count of them.
static SpragStatus read_cells(Reader *reader, const Node *node, const char *at, const char *end,
                              int line, Field *field, int *count)
{
    size_t first = (size_t)field->rows * (size_t)field->columns;
    for (*count = 0;; ++*count) {
        while (at < end && is_gap(*at))
            at++;
        if (at == end)
            return SPRAG_OK;
        const char *word = at;
        char text[64], *stop;
        while (at < end && !is_gap(*at))
            at++;
        size_t length = (size_t)(at - word) < sizeof text ? (size_t)(at - word) : 0;
        memcpy(text, word, length);
        text[length] = 0;
        double number = strtod_l(text, &stop, reader->locale);
        if (length == 0 || stop != text + length || !(fabs(number) <= SPRAG_MODEL_LARGEST))
            return fail_at(reader, node, "line %d of the heights: number %d is none: %s", line,
                           *count + 1, shown(reader, text));
        if (first + (size_t)*count >= MOST_HEIGHTS)
            return fail_at(reader, node, "a height-field may have at most %d heights",
                           MOST_HEIGHTS);
        SPRAG_TRY(sprag_reserve(reader->context, &field->heights, &field->capacity,
                                first + (size_t)*count + 1, sizeof(double)));
        field->heights[first + (size_t)*count] = number;
    }
}

static SpragStatus read_table(Reader *reader, const Node *node, const SpragText *text, double scale,
                              Field *field)
{
    const char *at = text->bytes, *end = at ? at + text->length : NULL;
    for (int line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        const char *last = stop ? stop : end;
        while (at < last && is_gap(*at))
            at++;
        if (at < last && *at != '#') {
            int count;
            SPRAG_TRY(read_cells(reader, node, at, last, line, field, &count));
            SPRAG_TRY(check_row(reader, node, field, field->rows, count));
            field->columns = count;
            field->rows++;
        }
        at = next;
    }
    for (int i = 0; i < field->rows * field->columns; i++)
        field->heights[i] *= scale;
    return SPRAG_OK;
}

static SpragStatus read_file(Reader *reader, const Node *node, Field *field)
{
    const Node *file = node_get(node, "file");
    const char *path;
    double scale = 1;
    SpragText text;
    SPRAG_TRY(read_optional(reader, node, "scale", KIND_LENGTH, RANGE_POSITIVE, &scale));
    sprag_text_init(&text, reader->context);
    SpragStatus status = read_beside(reader, file, "height-field", &path, &text);
    if (status == SPRAG_OK)
        status = read_table(reader, file, &text, scale, field);
    sprag_text_destroy(&text);
    return status;
}

// ---- The field ----------------------------------------------------------------------------------

// size: [x, y] of the whole, or spacing: one number, or [x, y], between heights.
static SpragStatus read_size(Reader *reader, const Node *node, Field *field)
{
    const Node *size = node_get(node, "size"), *spacing = node_get(node, "spacing");
    if (!size == !spacing)
        return fail_at(reader, node,
                       "a height-field needs size: [x, y], or spacing between its "
                       "heights; one of them");
    const Node *given = size ? size : spacing;
    const char *what = size ? "size" : "spacing";
    if (spacing && spacing->kind == NODE_SCALAR) {
        SPRAG_TRY(read_number(reader, spacing, what, KIND_LENGTH, RANGE_POSITIVE, field->size));
        field->size[1] = field->size[0];
    } else {
        SPRAG_TRY(read_numbers(reader, given, what, KIND_LENGTH, 2, field->size));
    }
    if (!(field->size[0] > 0 && field->size[1] > 0))
        return fail_at(reader, given, "%s must be lengths > 0, got [%g, %g]", what, field->size[0],
                       field->size[1]);
    if (spacing) {
        field->size[0] *= field->columns - 1;
        field->size[1] *= field->rows - 1;
    }
    return SPRAG_OK;
}

static void put_triangles(const Field *field, SpragVec3 *points, int *triangles)
{
    int columns = field->columns, rows = field->rows;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            points[j * columns + i] = sprag_vec3(field->size[0] * ((double)i / (columns - 1) - 0.5),
                                                 field->size[1] * ((double)j / (rows - 1) - 0.5),
                                                 field->heights[j * columns + i]);
    for (int j = 0; j + 1 < rows; j++)
        for (int i = 0; i + 1 < columns; i++) {
            int low = j * columns + i, high = low + columns;
            int corners[6] = {low, low + 1, high + 1, low, high + 1, high};
            memcpy(triangles, corners, sizeof corners);
            triangles += 6;
        }
}

static SpragStatus make_field(Reader *reader, const Node *node, const Field *field,
                              SpragShape *shape)
{
    size_t count = (size_t)field->columns * (size_t)field->rows;
    SpragVec3 *points = sprag_alloc(reader->context, count, sizeof *points);
    int *triangles = sprag_alloc(reader->context, 6 * count, sizeof *triangles);
    SpragSurface *surface = NULL;
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (points && triangles) {
        put_triangles(field, points, triangles);
        int cells = (field->columns - 1) * (field->rows - 1);
        status = locate(reader, node,
                        sprag_surface_create(reader->context, (int)count, points, 2 * cells,
                                             triangles, &surface));
    }
    sprag_free(reader->context, points);
    sprag_free(reader->context, triangles);
    return status == SPRAG_OK ? keep_surface(reader, surface, shape) : status;
}

static SpragStatus read_field(Reader *reader, const Node *node, Field *field, SpragShape *shape)
{
    const Node *list = node_get(node, "heights"), *file = node_get(node, "file");
    if (!list == !file)
        return fail_at(reader, node,
                       "a height-field needs heights: [[…], …], or file: NAME.csv; one of them");
    SPRAG_TRY(list ? read_list(reader, list, field) : read_file(reader, node, field));
    if (field->rows < 2)
        return fail_at(reader, list ? list : file, "a height-field needs at least 2 rows, got %d",
                       field->rows);
    SPRAG_TRY(read_size(reader, node, field));
    return make_field(reader, node, field, shape);
}

SpragStatus read_height_field(Reader *reader, const Node *node, SpragShape *shape)
{
    static const char *const keys[] = {"size", "spacing", "heights", "file", "scale", NULL};
    SPRAG_TRY(check_keys(reader, node, "height-field", keys));
    if (node_get(node, "scale") && !node_get(node, "file"))
        return fail_at(reader, node_key(node, "scale"), "scale is that of the numbers of a file");
    Field field = {0};
    SpragStatus status = read_field(reader, node, &field, shape);
    sprag_free(reader->context, field.heights);
    return status;
}

// mesh_obj.c: OBJ files: points (v) and faces (f); a face of more corners becomes a fan.
// Passed over: texture places, normals, groups, materials, lines. Curved surfaces are refused.
#include <stdlib.h>
#include <string.h>

#include "mesh_private.h"

typedef struct ObjScan {
    MeshDraft *draft;
    const char *at, *end; // of the present line
    int line;
} ObjScan;

static SpragStatus refuse(const ObjScan *scan, const char *what, const char *word, size_t length)
{
    return mesh_refuse(scan->draft, scan->line, what,
                       (MeshWord){word, length, "the end of the line"});
}

static bool next_word(ObjScan *scan, const char **word, size_t *length)
{
    int unused = 0; // a line has no further lines
    return mesh_word(&scan->at, scan->end, &unused, word, length);
}

static SpragStatus read_vertex(ObjScan *scan)
{
    double numbers[3];
    for (int i = 0; i < 3; i++) {
        const char *word;
        size_t length;
        next_word(scan, &word, &length);
        if (!mesh_number(scan->draft, word, length, &numbers[i]))
            return refuse(scan, "v needs three finite numbers", word, length);
    }
    return mesh_add_vertex(scan->draft, sprag_vec3_of(numbers)); // a weight or colour may follow
}

// "7", "7/1", "7//3", "-1": a point counted from 1, or backwards from the last.
static SpragStatus read_corner(ObjScan *scan, const char *word, size_t length, int *vertex)
{
    const char *slash = memchr(word, '/', length);
    size_t digits = slash ? (size_t)(slash - word) : length;
    char text[16], *end;
    int count = scan->draft->file->vertex_count;
    if (digits == 0 || digits >= sizeof text)
        return refuse(scan, "f needs numbers of points", word, length);
    memcpy(text, word, digits);
    text[digits] = 0;
    long long number = strtoll(text, &end, 10);
    if (*end || end == text)
        return refuse(scan, "f needs numbers of points", word, length);
    long long index = number > 0 ? number - 1 : count + number;
    if (number == 0 || index < 0 || index >= count)
        return sprag_fail(scan->draft->context, SPRAG_ERROR_INPUT,
                          "%s:%d: f names point %s, but there are %d so far", scan->draft->name,
                          scan->line, text, count);
    *vertex = (int)index;
    return SPRAG_OK;
}

static SpragStatus read_face(ObjScan *scan)
{
    const char *word;
    size_t length;
    int corner[3], count = 0;
    for (; next_word(scan, &word, &length); count++) {
        SPRAG_TRY(read_corner(scan, word, length, &corner[count < 2 ? count : 2]));
        if (count < 2)
            continue;
        SPRAG_TRY(mesh_add_triangle(scan->draft, corner[0], corner[1], corner[2]));
        corner[1] = corner[2];
    }
    return count >= 3 ? SPRAG_OK : refuse(scan, "a face needs at least 3 points", "", 0);
}

static SpragStatus read_line(ObjScan *scan)
{
    static const char *const idle[] = {"vt",     "vn",     "vp",         "g",        "o",
                                       "s",      "usemtl", "mtllib",     "l",        "p",
                                       "usemap", "maplib", "c_interp",   "d_interp", "lod",
                                       "bevel",  "mg",     "shadow_obj", "trace_obj"};
    const char *hash = memchr(scan->at, '#', (size_t)(scan->end - scan->at)), *word;
    size_t length;
    if (hash)
        scan->end = hash;
    if (!next_word(scan, &word, &length))
        return SPRAG_OK;
    if (length == 1 && word[0] == 'v')
        return read_vertex(scan);
    if (length == 1 && word[0] == 'f')
        return read_face(scan);
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (strlen(idle[i]) == length && memcmp(idle[i], word, length) == 0)
            return SPRAG_OK;
    return refuse(scan, "an OBJ file of points (v) and faces (f) is needed", word, length);
}

SpragStatus obj_read(MeshDraft *draft, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    ObjScan scan = {.draft = draft};
    for (const char *at = bytes; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        scan.line++;
        scan.at = at;
        scan.end = stop ? stop : end;
        SPRAG_TRY(read_line(&scan));
        at = stop ? stop + 1 : end;
    }
    return SPRAG_OK;
}

// mesh_stl.c: STL files, binary and text.
// Binary    80 bytes of remark, the number n of triangles (4 bytes, the least first), then n times
//           50 bytes: normal and three corners of 3 × 4 bytes (IEEE single precision), 2 bytes
//           more. A file of exactly that length is binary, whatever its remark says.
// Text      solid NAME, facet normal x y z, outer loop, vertex x y z three times, endloop,
//           endfacet, endsolid NAME; several solids are one mesh.
// Normals   those of the file are passed over: the order of the corners says what is outside.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh_private.h"

enum { HEAD_BYTES = 84, TRIANGLE_BYTES = 50, COUNT_AT = 80 };

// ---- Binary -------------------------------------------------------------------------------------

static uint32_t little_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static double single(const unsigned char *bytes)
{
    uint32_t bits = little_endian(bytes);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static SpragStatus read_binary(MeshDraft *draft, const unsigned char *bytes, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        size_t start = HEAD_BYTES + (size_t)t * TRIANGLE_BYTES + 12;
        int first = draft->file->vertex_count;
        for (size_t i = 0; i < 3; i++) {
            size_t at = start + 12 * i;
            SpragVec3 v =
                sprag_vec3(single(bytes + at), single(bytes + at + 4), single(bytes + at + 8));
            if (!(fabs(v.x) <= SPRAG_MODEL_LARGEST && fabs(v.y) <= SPRAG_MODEL_LARGEST &&
                  fabs(v.z) <= SPRAG_MODEL_LARGEST))
                return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                                  "%s: byte %zu: corner %zu of triangle %u is not a finite place: "
                                  "(%g, %g, %g)",
                                  draft->name, at, i, t, v.x, v.y, v.z);
            SPRAG_TRY(mesh_add_vertex(draft, v));
        }
        SPRAG_TRY(mesh_add_triangle(draft, first, first + 1, first + 2));
    }
    return SPRAG_OK;
}

// ---- Text ---------------------------------------------------------------------------------------

typedef struct Scan {
    MeshDraft *draft;
    const char *at, *end;
    int line;
} Scan;

static SpragStatus refuse(const Scan *scan, const char *wanted, const char *word, size_t length)
{
    char message[64];
    snprintf(message, sizeof message, "%s is missing", wanted);
    return mesh_refuse(scan->draft, scan->line, message,
                       (MeshWord){word, length, "the end of the file"});
}

static SpragStatus need_word(Scan *scan, const char *wanted)
{
    const char *word;
    size_t length;
    mesh_word(&scan->at, scan->end, &scan->line, &word, &length);
    return mesh_is_word(word, length, wanted) ? SPRAG_OK : refuse(scan, wanted, word, length);
}

static SpragStatus need_vector(Scan *scan, SpragVec3 *v)
{
    double numbers[3];
    for (int i = 0; i < 3; i++) {
        const char *word;
        size_t length;
        mesh_word(&scan->at, scan->end, &scan->line, &word, &length);
        if (!mesh_number(scan->draft, word, length, &numbers[i]))
            return refuse(scan, "a finite number", word, length);
    }
    *v = sprag_vec3_of(numbers);
    return SPRAG_OK;
}

// What a normal has is not looked at, only that there are three words: some write nan.
static SpragStatus skip_normal(Scan *scan)
{
    const char *word;
    size_t length;
    SPRAG_TRY(need_word(scan, "normal"));
    for (int i = 0; i < 3; i++)
        if (!mesh_word(&scan->at, scan->end, &scan->line, &word, &length))
            return refuse(scan, "a number", word, length);
    return SPRAG_OK;
}

static SpragStatus read_facet(Scan *scan)
{
    MeshDraft *draft = scan->draft;
    int first = draft->file->vertex_count;
    SPRAG_TRY(skip_normal(scan));
    SPRAG_TRY(need_word(scan, "outer"));
    SPRAG_TRY(need_word(scan, "loop"));
    for (int i = 0; i < 3; i++) {
        SpragVec3 v;
        SPRAG_TRY(need_word(scan, "vertex"));
        SPRAG_TRY(need_vector(scan, &v));
        SPRAG_TRY(mesh_add_vertex(draft, v));
    }
    SPRAG_TRY(need_word(scan, "endloop"));
    SPRAG_TRY(need_word(scan, "endfacet"));
    return mesh_add_triangle(draft, first, first + 1, first + 2);
}

static void skip_line(Scan *scan)
{
    while (scan->at < scan->end && *scan->at != '\n')
        scan->at++;
}

static SpragStatus read_lines(Scan *scan)
{
    const char *word;
    size_t length;
    bool open = false;
    while (mesh_word(&scan->at, scan->end, &scan->line, &word, &length)) {
        if (!open && mesh_is_word(word, length, "solid")) {
            open = true;
            skip_line(scan);
        } else if (open && mesh_is_word(word, length, "facet")) {
            SPRAG_TRY(read_facet(scan));
        } else if (open && mesh_is_word(word, length, "endsolid")) {
            open = false;
            skip_line(scan);
        } else {
            return refuse(scan, open ? "facet or endsolid" : "solid", word, length);
        }
    }
    return open ? refuse(scan, "endsolid", "", 0) : SPRAG_OK;
}

SpragStatus stl_read(MeshDraft *draft, const char *bytes, size_t length)
{
    const unsigned char *raw = (const unsigned char *)bytes;
    uint32_t count = length >= HEAD_BYTES ? little_endian(raw + COUNT_AT) : 0;
    uint64_t wanted = HEAD_BYTES + (uint64_t)count * TRIANGLE_BYTES;
    if (length >= HEAD_BYTES && wanted == length)
        return read_binary(draft, raw, count);
    if (length >= 5 && mesh_is_word(bytes, 5, "solid") && !memchr(bytes, 0, length)) {
        Scan scan = {draft, bytes, bytes + length, 1};
        return read_lines(&scan);
    }
    if (length < HEAD_BYTES)
        return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                          "%s: no STL file: it does not begin with solid, and %zu bytes are too "
                          "few for a binary one",
                          draft->name, length);
    return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                      "%s: byte %d: %u triangles would make a file of %llu bytes, but it has %zu: "
                      "it is cut short, or no STL file",
                      draft->name, COUNT_AT, count, (unsigned long long)wanted, length);
}

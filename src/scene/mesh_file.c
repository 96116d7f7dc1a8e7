// mesh_file.c: meshes from files: STL (text and binary) and OBJ; vertices at one place become one.
// Welding   a grid of cells four tolerances wide: a vertex looks for one within the tolerance in
//           the cells (at most 8) that its neighbourhood touches. The tolerance is some digits of
//           single precision, which STL files have.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_private.h"

static const double WELD = 1e-6; // of half the diagonal of the mesh

// ---- Drafts -------------------------------------------------------------------------------------

SpragStatus mesh_add_vertex(MeshDraft *draft, SpragVec3 v)
{
    SpragMeshFile *file = draft->file;
    if (file->vertex_count >= MOST_MESH_VERTICES)
        return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                          "%s: a mesh may have at most %d points", draft->name, MOST_MESH_VERTICES);
    SPRAG_TRY(sprag_reserve(draft->context, &file->vertices, &draft->vertex_capacity,
                            (size_t)file->vertex_count + 1, sizeof *file->vertices));
    file->vertices[file->vertex_count++] = v;
    return SPRAG_OK;
}

SpragStatus mesh_add_triangle(MeshDraft *draft, int a, int b, int c)
{
    SpragMeshFile *file = draft->file;
    if (file->triangle_count >= MOST_MESH_TRIANGLES)
        return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                          "%s: a mesh may have at most %d triangles", draft->name,
                          MOST_MESH_TRIANGLES);
    SPRAG_TRY(sprag_reserve(draft->context, &file->triangles, &draft->triangle_capacity,
                            3 * ((size_t)file->triangle_count + 1), sizeof *file->triangles));
    int *corner = file->triangles + 3 * (size_t)file->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return SPRAG_OK;
}

bool mesh_word(const char **at, const char *end, int *line, const char **word, size_t *length)
{
    const char *c = *at;
    for (; c < end && (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n'); c++)
        *line += *c == '\n';
    *word = c;
    while (c < end && *c != ' ' && *c != '\t' && *c != '\r' && *c != '\n')
        c++;
    *length = (size_t)(c - *word);
    *at = c;
    return *length > 0;
}

bool mesh_is_word(const char *word, size_t length, const char *wanted)
{
    if (strlen(wanted) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = word[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != wanted[i])
            return false;
    }
    return true;
}

SpragStatus mesh_refuse(const MeshDraft *draft, int line, const char *message, MeshWord got)
{
    char text[24];
    if (got.length == 0) {
        snprintf(text, sizeof text, "%s", got.end);
    } else {
        size_t kept = got.length < sizeof text - 1 ? got.length : sizeof text - 1;
        for (size_t i = 0; i < kept; i++) {
            unsigned char byte = (unsigned char)got.bytes[i];
            text[i] = byte < 0x20 || byte >= 0x7f ? '?' : (char)byte;
        }
        text[kept] = 0;
    }
    return sprag_fail(draft->context, SPRAG_ERROR_INPUT, "%s:%d: %s, got %s", draft->name, line,
                      message, text);
}

bool mesh_number(const MeshDraft *draft, const char *word, size_t length, double *number)
{
    char text[64], *end;
    if (length == 0 || length >= sizeof text)
        return false;
    memcpy(text, word, length);
    text[length] = 0;
    *number = strtod_l(text, &end, draft->locale);
    return end == text + length && fabs(*number) <= SPRAG_MODEL_LARGEST;
}

// ---- Welding ------------------------------------------------------------------------------------

typedef struct Grid {
    SpragVec3 low;
    double cell, near;
    size_t slot_count; // a power of two
    int *first;        // a slot's first vertex, from 1; 0: none
    int *next;         // the next one of the same slot
    int *number;       // of a vertex among those that stay
} Grid;

static size_t slot_of(const Grid *grid, const int64_t at[3])
{
    uint64_t hash = (uint64_t)at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)at[1] * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t)at[2] * 0x165667b19e3779f9u;
    return (size_t)(hash ^ hash >> 31) & (grid->slot_count - 1);
}

static void cell_of(const Grid *grid, SpragVec3 v, double shift, int64_t at[3])
{
    at[0] = (int64_t)floor((v.x - grid->low.x + shift) / grid->cell);
    at[1] = (int64_t)floor((v.y - grid->low.y + shift) / grid->cell);
    at[2] = (int64_t)floor((v.z - grid->low.z + shift) / grid->cell);
}

// A vertex that stays within the tolerance of this one; −1: none.
static int find_near(const Grid *grid, const SpragVec3 *vertices, SpragVec3 v)
{
    int64_t from[3], to[3], at[3];
    cell_of(grid, v, -grid->near, from);
    cell_of(grid, v, grid->near, to);
    for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
            for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
                for (int i = grid->first[slot_of(grid, at)]; i; i = grid->next[i - 1])
                    if (sprag_vec3_norm(sprag_vec3_sub(vertices[i - 1], v)) <= grid->near)
                        return i - 1;
    return -1;
}

// number[i]: where vertex i goes; the vertices that stay move to the front.
static void weld_vertices(Grid *grid, SpragMeshFile *file)
{
    int kept = 0;
    for (int i = 0; i < file->vertex_count; i++) {
        SpragVec3 v = file->vertices[i];
        int twin = find_near(grid, file->vertices, v);
        if (twin < 0) {
            int64_t at[3];
            cell_of(grid, v, 0, at);
            size_t slot = slot_of(grid, at);
            twin = kept++;
            file->vertices[twin] = v;
            grid->next[twin] = grid->first[slot];
            grid->first[slot] = twin + 1;
        }
        grid->number[i] = twin;
    }
    file->vertex_count = kept;
}

static void drop_triangles(const Grid *grid, SpragMeshFile *file)
{
    int kept = 0;
    for (int t = 0; t < file->triangle_count; t++) {
        int corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = grid->number[file->triangles[3 * t + i]];
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        memcpy(file->triangles + 3 * kept++, corner, sizeof corner);
    }
    file->dropped = file->triangle_count - kept;
    file->triangle_count = kept;
}

static void drop_unused(Grid *grid, SpragMeshFile *file)
{
    int kept = 0;
    for (int i = 0; i < file->vertex_count; i++)
        grid->number[i] = -1;
    for (int i = 0; i < 3 * file->triangle_count; i++)
        grid->number[file->triangles[i]] = 0;
    for (int i = 0; i < file->vertex_count; i++) {
        if (grid->number[i] < 0)
            continue;
        grid->number[i] = kept;
        file->vertices[kept++] = file->vertices[i];
    }
    file->vertex_count = kept;
    for (int i = 0; i < 3 * file->triangle_count; i++)
        file->triangles[i] = grid->number[file->triangles[i]];
}

SpragStatus mesh_weld(MeshDraft *draft)
{
    SpragMeshFile *file = draft->file;
    SpragContext *context = draft->context;
    if (file->triangle_count == 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "%s: there are no triangles in it",
                          draft->name);
    SpragVec3 low = file->vertices[0], high = low;
    for (int i = 1; i < file->vertex_count; i++) {
        SpragVec3 v = file->vertices[i];
        low = sprag_vec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = sprag_vec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    double size = 0.5 * sprag_vec3_norm(sprag_vec3_sub(high, low));
    Grid grid = {.low = low, .near = WELD * size, .slot_count = 64};
    grid.cell = size > 0 ? 4 * grid.near : 1;
    while (grid.slot_count < (size_t)file->vertex_count)
        grid.slot_count *= 2;
    size_t count = (size_t)file->vertex_count;
    grid.first = sprag_alloc(context, grid.slot_count, sizeof(int));
    grid.next = sprag_alloc(context, count, sizeof(int));
    grid.number = sprag_alloc(context, count, sizeof(int));
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (grid.first && grid.next && grid.number) {
        weld_vertices(&grid, file);
        drop_triangles(&grid, file);
        drop_unused(&grid, file);
        status =
            file->triangle_count > 0
                ? SPRAG_OK
                : sprag_fail(context, SPRAG_ERROR_INPUT,
                             "%s: its triangles have no area, their corners coincide", draft->name);
    }
    sprag_free(context, grid.first);
    sprag_free(context, grid.next);
    sprag_free(context, grid.number);
    return status;
}

// ---- Files --------------------------------------------------------------------------------------

static SpragStatus read_as(MeshDraft *draft, const char *bytes, size_t length)
{
    const char *dot = strrchr(draft->name, '.');
    bool stl = dot && mesh_is_word(dot, strlen(dot), ".stl");
    bool obj = dot && mesh_is_word(dot, strlen(dot), ".obj");
    if (!stl && !obj)
        return sprag_fail(draft->context, SPRAG_ERROR_INPUT,
                          "%s: a mesh comes from a file .stl or .obj", draft->name);
    if (length == 0)
        return sprag_fail(draft->context, SPRAG_ERROR_INPUT, "%s: the file is empty", draft->name);
    SPRAG_TRY(stl ? stl_read(draft, bytes, length) : obj_read(draft, bytes, length));
    return mesh_weld(draft);
}

SpragStatus sprag_mesh_read_text(SpragContext *context, const char *name, const char *bytes,
                                 size_t length, SpragMeshFile *file)
{
    *file = (SpragMeshFile){0};
    MeshDraft draft = {.context = context, .name = name, .file = file};
    draft.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!draft.locale)
        return sprag_fail(context, SPRAG_ERROR_MEMORY, "no memory for a locale");
    SpragStatus status = read_as(&draft, bytes, length);
    freelocale(draft.locale);
    if (status != SPRAG_OK)
        sprag_mesh_file_destroy(context, file);
    return status;
}

void sprag_mesh_file_destroy(SpragContext *context, SpragMeshFile *file)
{
    sprag_free(context, file->vertices);
    sprag_free(context, file->triangles);
    *file = (SpragMeshFile){0};
}

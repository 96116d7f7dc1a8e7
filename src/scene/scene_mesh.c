// scene_mesh.c: mesh: {file: part.stl, scale: 1 mm}, a convex body, or triangles that stand still.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "examples.h"
#include "scene_private.h"

// A message of a reader, after the position in the scene.
static SpragStatus tell(Reader *reader, const Node *node, const char *what, SpragStatus status)
{
    if (status != SPRAG_ERROR_INPUT)
        return status;
    char text[900];
    snprintf(text, sizeof text, "%s", sprag_context_message(reader->context));
    return fail_at(reader, node, "%s: %s", what, text);
}

SpragStatus read_beside(Reader *reader, const Node *node, const char *what, const char **path,
                        SpragText *text)
{
    const char *name, *base = node_file(reader, node);
    SPRAG_TRY(read_text(reader, node, "file", &name));
    size_t folder = name[0] == '/' ? 0 : folder_length(base);
    size_t bytes = folder + strlen(name) + 1;
    char *whole = sprag_arena_alloc(reader->arena, bytes, 1);
    if (!whole)
        return SPRAG_ERROR_MEMORY;
    memcpy(whole, base, folder);
    memcpy(whole + folder, name, bytes - folder);
    *path = whole;
    const BundleFile *packed = bundle_find(reader, whole);
    if (packed) {
        sprag_text_add_bytes(text, packed->bytes, packed->length);
        return text->failed ? SPRAG_ERROR_MEMORY : bundle_note(reader, whole, text);
    }
    if (find_example(whole)) {
        SPRAG_TRY(read_whole_file(reader->context, whole, text));
        return bundle_note(reader, whole, text);
    }
    struct stat about;
    if (stat(whole, &about) != 0)
        return fail_at(reader, node, "the %s %s cannot be read: %s", what, shown(reader, whole),
                       strerror(errno));
    if (!S_ISREG(about.st_mode)) // a pipe might never end
        return fail_at(reader, node, "the %s %s is not a file", what, shown(reader, whole));
    SpragStatus status = read_whole_file(reader->context, whole, text);
    if (status == SPRAG_OK)
        return bundle_note(reader, whole, text);
    if (status != SPRAG_ERROR_READ && status != SPRAG_ERROR_INPUT)
        return status;
    return fail_at(reader, node, "the %s %s cannot be read%s", what, shown(reader, whole),
                   status == SPRAG_ERROR_INPUT ? ": it is too large" : "");
}

static void flip(SpragMeshFile *file)
{
    for (int t = 0; t < file->triangle_count; t++) {
        int spare = file->triangles[3 * t];
        file->triangles[3 * t] = file->triangles[3 * t + 1];
        file->triangles[3 * t + 1] = spare;
    }
}

// Volume that a closed surface encloses; NAN: it is open.
static double enclosed(const SpragSurface *surface)
{
    SpragVec3 origin = surface->vertices[surface->triangles[0]];
    double six = 0;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int *corner = surface->triangles + 3 * t;
        SpragVec3 a = sprag_vec3_sub(surface->vertices[corner[0]], origin);
        SpragVec3 b = sprag_vec3_sub(surface->vertices[corner[1]], origin);
        SpragVec3 c = sprag_vec3_sub(surface->vertices[corner[2]], origin);
        six += sprag_vec3_dot(a, sprag_vec3_cross(b, c));
        for (int i = 0; i < 3; i++)
            if (surface->neighbours[3 * t + i] < 0)
                return 0;
    }
    return six / 6;
}

// A closed surface that is turned inside out is a mistake, unless inside: true says it is a hollow.
static SpragStatus make_surface(Reader *reader, const Node *node, SpragMeshFile *file,
                                SpragShape *shape)
{
    bool hollow = shape->inside;
    if (hollow)
        flip(file);
    shape->inside = false;
    SpragSurface *surface;
    SPRAG_TRY(tell(reader, node, shown(reader, node->text),
                   sprag_surface_create(reader->context, file->vertex_count, file->vertices,
                                        file->triangle_count, file->triangles, &surface)));
    double volume = enclosed(surface);
    SPRAG_TRY(keep_surface(reader, surface, shape));
    if ((hollow ? -volume : volume) < 0)
        return fail_at(reader, node,
                       "%s: the mesh is inverted: its triangles are clockwise seen from outside "
                       "(volume %.6g m³); inside: true makes it a hollow",
                       shown(reader, node->text), hollow ? -volume : volume);
    return SPRAG_OK;
}

static SpragStatus make_solid(Reader *reader, const Node *node, const SpragMeshFile *file,
                              SpragShape *shape)
{
    SpragSolid *solid;
    SPRAG_TRY(tell(reader, node, shown(reader, node->text),
                   sprag_solid_create_triangles(reader->context, file->vertex_count, file->vertices,
                                                file->triangle_count, file->triangles, &solid)));
    return keep_solid(reader, solid, shape);
}

static SpragStatus make_mesh(Reader *reader, const Node *node, const SpragText *text,
                             const char *path, bool fixed, SpragShape *shape)
{
    const Node *name = node_get(node, "file");
    double scale = 1;
    SpragMeshFile file;
    SPRAG_TRY(read_optional(reader, node, "scale", KIND_LENGTH, RANGE_POSITIVE, &scale));
    SPRAG_TRY(tell(reader, name, "mesh",
                   sprag_mesh_read_text(reader->context, path, text->bytes ? text->bytes : "",
                                        text->length, &file)));
    for (int i = 0; i < file.vertex_count; i++)
        file.vertices[i] = sprag_vec3_scale(scale, file.vertices[i]);
    SpragStatus status = SPRAG_OK;
    if (file.dropped > 0)
        status = note(reader, "mesh %s: %d triangles without area are left out",
                      shown(reader, path), file.dropped);
    if (status == SPRAG_OK)
        status = fixed ? make_surface(reader, name, &file, shape)
                       : make_solid(reader, name, &file, shape);
    sprag_mesh_file_destroy(reader->context, &file);
    return status;
}

SpragStatus read_mesh(Reader *reader, const Node *node, bool fixed, SpragShape *shape)
{
    static const char *const keys[] = {"file", "scale", NULL};
    SPRAG_TRY(check_keys(reader, node, "mesh", keys));
    const Node *name = node_get(node, "file");
    if (!name)
        return fail_at(reader, node, "file is missing: mesh: {file: part.stl, scale: 1 mm}");
    const char *path;
    SpragText text;
    sprag_text_init(&text, reader->context);
    SpragStatus status = read_beside(reader, name, "mesh", &path, &text);
    if (status == SPRAG_OK)
        status = make_mesh(reader, node, &text, path, fixed, shape);
    sprag_text_destroy(&text);
    return status;
}

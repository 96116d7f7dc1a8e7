// fuzz_mesh.c: any bytes as an STL file and as an OBJ file, and what is read as a body and a
// surface. Whatever comes in, there is a mesh or one line that says why not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(SpragContext *context, SpragStatus status, const char *what)
{
    const char *message = sprag_context_message(context);
    bool told = message[0] && !strchr(message, '\n');
    if (status == SPRAG_OK || (status == SPRAG_ERROR_INPUT && told))
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sprag_status_name(status), message);
    abort();
}

static void use_mesh(SpragContext *context, const SpragMeshFile *file)
{
    SpragSolid *solid;
    SpragSurface *surface;
    for (int i = 0; i < 3 * file->triangle_count; i++)
        if (file->triangles[i] < 0 || file->triangles[i] >= file->vertex_count)
            abort();
    demand(context,
           sprag_solid_create_triangles(context, file->vertex_count, file->vertices,
                                        file->triangle_count, file->triangles, &solid),
           "solid");
    sprag_solid_destroy(context, solid);
    demand(context, sprag_solid_create_hull(context, file->vertex_count, file->vertices, &solid),
           "hull");
    if (solid && solid->vertex_count - solid->edge_count + solid->face_count != 2)
        abort();
    sprag_solid_destroy(context, solid);
    demand(context,
           sprag_surface_create(context, file->vertex_count, file->vertices, file->triangle_count,
                                file->triangles, &surface),
           "surface");
    sprag_surface_destroy(context, surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.stl", "fuzz.obj"};
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 0;
    for (int i = 0; i < 2; i++) {
        SpragMeshFile file;
        SpragStatus status =
            sprag_mesh_read_text(context, names[i], (const char *)data, size, &file);
        demand(context, status, names[i]);
        if (status == SPRAG_OK)
            use_mesh(context, &file);
        sprag_mesh_file_destroy(context, &file);
    }
    sprag_context_destroy(context);
    return 0;
}

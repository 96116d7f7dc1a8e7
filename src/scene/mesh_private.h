// mesh_private.h: a mesh on its way in, shared by the readers of mesh files.
#ifndef SPRAG_SCENE_MESH_PRIVATE_H
#define SPRAG_SCENE_MESH_PRIVATE_H

#include <locale.h>

#include "sprag/scene.h"

enum { MOST_MESH_TRIANGLES = 5000000, MOST_MESH_VERTICES = 15000000 };

typedef struct MeshDraft {
    SpragContext *context;
    const char *name; // of the file, for messages
    locale_t locale;
    SpragMeshFile *file;
    size_t vertex_capacity, triangle_capacity;
} MeshDraft;

// What stands where something else should; `end` says what an empty word means.
typedef struct MeshWord {
    const char *bytes;
    size_t length;
    const char *end;
} MeshWord;

SpragStatus mesh_add_vertex(MeshDraft *draft, SpragVec3 v);
// Vertices are numbers of mesh_add_vertex.
SpragStatus mesh_add_triangle(MeshDraft *draft, int a, int b, int c);
// Makes one of vertices at the same place, drops those that nothing uses, and triangles that have
// one of them twice.
SpragStatus mesh_weld(MeshDraft *draft);

SpragStatus stl_read(MeshDraft *draft, const char *bytes, size_t length);
SpragStatus obj_read(MeshDraft *draft, const char *bytes, size_t length);
// A number of `length` bytes; false: it is none, or beyond 1e30.
bool mesh_number(const MeshDraft *draft, const char *word, size_t length, double *number);
// The next word of a text, and the lines passed; false: there is none.
bool mesh_word(const char **at, const char *end, int *line, const char **word, size_t *length);
bool mesh_is_word(const char *word, size_t length, const char *wanted);
// An error "FILE:LINE: MESSAGE, got WORD".
SpragStatus mesh_refuse(const MeshDraft *draft, int line, const char *message, MeshWord got);

#endif

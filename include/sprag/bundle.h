// bundle.h: a scene with everything it was read from, as one text: what the page of a run keeps, so
// that the page can stand for its scene.
//
// A line a thing: "scene NAME BYTES", "file NAME BYTES" (what the scene includes, its meshes and
// tables), "set PATH VALUE" (what was set from outside), each word after the first in base64. Any
// reader of scenes takes a page with such a text in the element `sprag-scene`: the page is like a
// folder with the scene in it.
#ifndef SPRAG_BUNDLE_H
#define SPRAG_BUNDLE_H

#include "sprag/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads the scene of a file (or of a page) and appends its bundle; settings as for
// sprag_scene_read.
SPRAG_MUST_USE SpragStatus sprag_scene_pack(SpragContext *context, const char *path,
                                            const SpragSceneSettings *settings, SpragText *bundle);

// Appends the letters of bytes.
void sprag_base64_encode(const char *bytes, size_t count, SpragText *text);
// Bytes of `count` letters into `bytes` (room for 3 for every 4 letters) and how many; false: these
// are no letters of base64.
bool sprag_base64_decode(const char *letters, size_t count, char *bytes, size_t *length);

#ifdef __cplusplus
}
#endif

#endif

// examples.h: files that are inside the library.
#ifndef SPRAG_SCENE_EXAMPLES_H
#define SPRAG_SCENE_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct EmbeddedFile {
    const char *name; // relative to examples/: "ladder.yaml", "parts/ball.yaml"
    const char *bytes, *end;
} EmbeddedFile;

// In the order of their names; ends with name NULL.
extern const EmbeddedFile embedded_files[];

// Whether a path is one of these: it begins with "example:".
bool is_example(const char *path);
// The file that "example:NAME" or "example:FILE" means; NULL: there is none.
const EmbeddedFile *find_example(const char *path);

#endif

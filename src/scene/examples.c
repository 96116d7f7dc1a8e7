// examples.c: the scenes of examples/ inside the library, read as "example:NAME".
// Method    CMake puts the bytes of the files into the library (examples_embed.S.in) with a
//           table of their names. A path "example:ladder" is the file ladder.yaml, and what
//           such a file names beside it (parts, meshes, tables) is looked for in the table too.
#include "examples.h"

#include <string.h>

#include "scene_private.h"

static const char PREFIX[] = "example:";
static const char ENDING[] = ".yaml";

bool is_example(const char *path)
{
    return strncmp(path, PREFIX, strlen(PREFIX)) == 0;
}

size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        return (size_t)(slash - path) + 1;
    return is_example(path) ? strlen(PREFIX) : 0;
}

static bool is_file(const EmbeddedFile *file, const char *name)
{
    size_t length = strlen(name);
    return strncmp(file->name, name, length) == 0 &&
           (!file->name[length] || strcmp(file->name + length, ENDING) == 0);
}

const EmbeddedFile *find_example(const char *path)
{
    if (!is_example(path))
        return NULL;
    const char *name = path + strlen(PREFIX);
    for (const EmbeddedFile *file = embedded_files; file->name; file++)
        if (is_file(file, name))
            return file;
    return NULL;
}

// ---- The list of scenes -------------------------------------------------------------------------

// Scenes stand in the folder itself; what they include and read is below it, or no scene.
static bool is_scene(const EmbeddedFile *file)
{
    size_t length = strlen(file->name), ending = strlen(ENDING);
    return length > ending && strcmp(file->name + length - ending, ENDING) == 0 &&
           !strchr(file->name, '/');
}

int sprag_example_count(void)
{
    int count = 0;
    for (const EmbeddedFile *file = embedded_files; file->name; file++)
        count += is_scene(file);
    return count;
}

static const EmbeddedFile *scene_at(int index)
{
    for (const EmbeddedFile *file = embedded_files; file->name; file++)
        if (is_scene(file) && index-- == 0)
            return file;
    return NULL;
}

// The value of a key at the start of a line, without quotes; "" if there is none.
static void copy_value(const EmbeddedFile *file, const char *key, char *text, size_t size)
{
    size_t length = strlen(key);
    text[0] = 0;
    for (const char *line = file->bytes; line && line < file->end; line = strchr(line, '\n')) {
        line += line > file->bytes;
        if (strncmp(line, key, length) != 0)
            continue;
        const char *value = line + length + strspn(line + length, " \"");
        size_t bytes = strcspn(value, "\"\n");
        if (bytes >= size)
            bytes = size - 1;
        memcpy(text, value, bytes);
        text[bytes] = 0;
        return;
    }
}

void sprag_example_about(int index, SpragExample *about)
{
    memset(about, 0, sizeof *about);
    const EmbeddedFile *file = scene_at(index);
    if (!file)
        return;
    size_t length = strlen(file->name) - strlen(ENDING);
    if (length >= sizeof about->name)
        length = sizeof about->name - 1;
    memcpy(about->name, file->name, length);
    copy_value(file, "name:", about->title, sizeof about->title);
    about->text = file->bytes;
    about->length = (size_t)(file->end - file->bytes);
}

int sprag_example_find(const char *name)
{
    SpragExample about;
    int count = sprag_example_count();
    for (int i = 0; i < count; i++) {
        sprag_example_about(i, &about);
        if (strcmp(about.name, name) == 0)
            return i;
    }
    return -1;
}

// file_support.h: files in a folder of their own, for scenes that read others.
#ifndef SPRAG_TESTS_FILE_SUPPORT_H
#define SPRAG_TESTS_FILE_SUPPORT_H

#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

typedef struct Folder {
    char path[64];
    char names[32][64];
    int count;
} Folder;

static inline void folder_open(Folder *folder)
{
    folder->count = 0;
    snprintf(folder->path, sizeof folder->path, "/tmp/sprag_test_XXXXXX");
    if (!mkdtemp(folder->path))
        fail_msg("no folder for files");
}

static inline void folder_path(const Folder *folder, const char *name, char path[160])
{
    snprintf(path, 160, "%s/%s", folder->path, name);
}

// Writes (or overwrites) a file.
static inline void folder_write(Folder *folder, const char *name, const void *bytes, size_t length)
{
    char path[160];
    folder_path(folder, name, path);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length)
        fail_msg("cannot write %s", path);
    fclose(file);
    for (int i = 0; i < folder->count; i++)
        if (strcmp(folder->names[i], name) == 0)
            return;
    assert_true(folder->count < 32);
    snprintf(folder->names[folder->count++], 64, "%s", name);
}

static inline void folder_put(Folder *folder, const char *name, const char *text)
{
    folder_write(folder, name, text, strlen(text));
}

static inline void folder_close(Folder *folder)
{
    char path[160];
    for (int i = folder->count; i-- > 0;) {
        folder_path(folder, folder->names[i], path);
        remove(path);
    }
    rmdir(folder->path);
}

// A scene of the folder that must be read, or must not, with that fragment in one line.
static inline SpragScene *folder_read(const Folder *folder, SpragContext *context, const char *name,
                                      const SpragSceneSet *sets, int set_count)
{
    char path[160];
    SpragScene *scene = NULL;
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = sets;
    settings.set_count = set_count;
    folder_path(folder, name, path);
    if (sprag_scene_read(context, path, &settings, &scene) != SPRAG_OK)
        fail_msg("%s", sprag_context_message(context));
    return scene;
}

static inline void folder_refuse(const Folder *folder, SpragContext *context, const char *name,
                                 const char *fragment)
{
    char path[160];
    SpragScene *scene = NULL;
    folder_path(folder, name, path);
    SpragStatus status = sprag_scene_read(context, path, NULL, &scene);
    const char *message = sprag_context_message(context);
    if (status != SPRAG_ERROR_INPUT || scene || !strstr(message, fragment) || strchr(message, '\n'))
        fail_msg("%s: %s\nwanted %s", sprag_status_name(status), message, fragment);
}

// Every allocation fails once: the reader says so and keeps nothing.
typedef struct Meter {
    int calls, limit;
} Meter;

static inline void *meter_allocator(void *pointer, size_t size, void *user)
{
    Meter *meter = user;
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    return meter->calls++ >= meter->limit ? NULL : realloc(pointer, size);
}

static inline void folder_read_short_of_memory(const Folder *folder, const char *name)
{
    char path[160];
    folder_path(folder, name, path);
    bool done = false;
    for (int limit = 1; !done; limit++) {
        Meter meter = {0, limit};
        SpragContextSettings settings = sprag_context_default();
        settings.allocator = meter_allocator;
        settings.allocator_user = &meter;
        SpragContext *context;
        if (sprag_context_create(&settings, &context) != SPRAG_OK)
            continue;
        SpragScene *scene = NULL;
        SpragStatus status = sprag_scene_read(context, path, NULL, &scene);
        done = status == SPRAG_OK;
        assert_true(done || status == SPRAG_ERROR_MEMORY);
        sprag_scene_destroy(scene);
        sprag_context_destroy(context);
        assert_true(limit < 5000);
    }
}

#endif

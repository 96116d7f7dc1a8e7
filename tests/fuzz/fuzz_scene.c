// fuzz_scene.c: any bytes as a scene. A first line "!PATH=VALUE" is a --set.
// Whatever comes in, the reader gives a scene or one line that says why not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int condition, const char *what, const char *message)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    abort();
}

// Cuts "!PATH=VALUE\n" off the input; false: there is none.
static int take_set(const uint8_t **data, size_t *size, char *line, size_t bytes,
                    SpragSceneSet *set)
{
    const uint8_t *end = *size > 0 && **data == '!' ? memchr(*data, '\n', *size) : NULL;
    size_t length = end ? (size_t)(end - *data) - 1 : 0;
    if (!end || length >= bytes)
        return 0;
    memcpy(line, *data + 1, length);
    line[length] = 0;
    *size -= length + 2;
    *data = end + 1;
    char *equals = strchr(line, '=');
    if (!equals)
        return 0;
    *equals = 0;
    set->path = line;
    set->value = equals + 1;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 0;
    char line[256];
    SpragSceneSet set;
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = &set;
    settings.set_count = take_set(&data, &size, line, sizeof line, &set);
    SpragScene *scene;
    SpragStatus status =
        sprag_scene_read_text(context, "fuzz", (const char *)data, size, &settings, &scene);
    const char *message = sprag_context_message(context);
    demand(status == SPRAG_OK || status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_LIMIT,
           "unexpected status", sprag_status_name(status));
    demand((status == SPRAG_OK) == (scene != NULL), "scene and status disagree", message);
    demand(status == SPRAG_OK || (message[0] && !strchr(message, '\n')), "not one line", message);
    if (scene && sprag_scene_model(scene))
        demand(sprag_model_check(sprag_scene_model(scene)) == SPRAG_OK, "a model that fails",
               sprag_context_message(context));
    sprag_scene_destroy(scene);
    sprag_context_destroy(context);
    return 0;
}

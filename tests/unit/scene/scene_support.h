// scene_support.h: reading scenes from texts, and judging messages.
#ifndef SPRAG_TESTS_SCENE_SUPPORT_H
#define SPRAG_TESTS_SCENE_SUPPORT_H

#include "support/test.h"

static inline SpragStatus read_with(SpragContext *context, const char *text,
                                    const SpragSceneSet *sets, int set_count, SpragScene **scene)
{
    SpragSceneSettings settings = sprag_scene_default();
    settings.sets = sets;
    settings.set_count = set_count;
    return sprag_scene_read_text(context, "s.yaml", text, strlen(text), &settings, scene);
}

// A scene that must be read.
static inline SpragScene *read_good(SpragContext *context, const char *text)
{
    SpragScene *scene = NULL;
    if (read_with(context, text, NULL, 0, &scene) != SPRAG_OK)
        fail_msg("%s\nin:\n%s", sprag_context_message(context), text);
    return scene;
}

// A scene that must be refused with that position ("3:7", NULL: any) and that fragment, in one
// line.
static inline void refuse_text(SpragContext *context, const char *text, size_t length,
                               const char *position, const char *fragment)
{
    SpragScene *scene = NULL;
    SpragStatus status = sprag_scene_read_text(context, "s.yaml", text, length, NULL, &scene);
    const char *message = sprag_context_message(context);
    char start[64];
    snprintf(start, sizeof start, "s.yaml:%s: ", position ? position : "");
    bool right = status == SPRAG_ERROR_INPUT && strstr(message, fragment) &&
                 !strchr(message, '\n') && !scene &&
                 (!position || strncmp(message, start, strlen(start)) == 0);
    if (!right)
        fail_msg("%s: %s\nwanted %s and %s\nin:\n%.600s", sprag_status_name(status), message,
                 position ? start : "any position", fragment, text);
}

static inline void refuse(SpragContext *context, const char *text, const char *position,
                          const char *fragment)
{
    refuse_text(context, text, strlen(text), position, fragment);
}

typedef struct Bad {
    const char *text, *position, *fragment;
} Bad;

static inline void refuse_all(const char *head, const Bad *cases, size_t count)
{
    SpragContext *context = test_context();
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", head, cases[i].text);
        refuse(context, text, cases[i].position, cases[i].fragment);
    }
    sprag_context_destroy(context);
}
#define REFUSE_ALL(head, cases) refuse_all(head, cases, sizeof cases / sizeof *cases)

#endif

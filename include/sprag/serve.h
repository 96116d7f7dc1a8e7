// serve.h: the live viewer: a page on the loopback interface, simulating as it plays.
//
// One session, one simulation, any number of viewers. Only 127.0.0.1 and ::1 are listened on;
// requests of other hosts or origins, or without the session's token, are refused. Messages of
// viewers are short lines of words ("set mu 0.4", "pause"); what they may be long is bounded.
#ifndef SPRAG_SERVE_H
#define SPRAG_SERVE_H

#include "sprag/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragServeSettings {
    const SpragSceneSet *sets; // as for sprag_scene_read
    int set_count;
    int port;          // 0: any that is free
    const char *token; // NULL: a random one
    // Called once it listens, with the address to open; may be NULL.
    void (*ready)(const char *address, void *user);
    void *user;
    const volatile int *interrupt; // non-zero ends the session; may be NULL
    uint32_t cookie;
} SpragServeSettings;

SpragServeSettings sprag_serve_default(void);

// Whether Sprag was built with libwebsockets and the page.
bool sprag_serve_is_built(void);
// A sentence for users that lack it.
const char *sprag_serve_missing(void);

// Serves the scene in a file until it is interrupted. ERROR_INPUT: the scene cannot be run;
// ERROR_WRITE: no port can be listened on; ERROR_LIMIT: not built in.
SPRAG_MUST_USE SpragStatus sprag_serve_scene(SpragContext *context, const char *path,
                                             const SpragServeSettings *settings);

#ifdef __cplusplus
}
#endif

#endif

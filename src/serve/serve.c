// serve.c: a live session from beginning to end.
#include "serve_private.h"

SpragServeSettings sprag_serve_default(void)
{
    return (SpragServeSettings){.cookie = 1};
}

bool sprag_serve_is_built(void)
{
#ifdef SPRAG_HAS_WEBSOCKETS
    return sprag_page_is_built();
#else
    return false;
#endif
}

const char *sprag_serve_missing(void)
{
    return sprag_page_is_built() ? "the live viewer is not built in: it needs libwebsockets when "
                                   "Sprag is built (libwebsockets-dev)"
                                 : sprag_page_missing();
}

#ifndef SPRAG_HAS_WEBSOCKETS
SpragStatus serve_network(ServeSession *session)
{
    return sprag_fail(session->context, SPRAG_ERROR_LIMIT, "%s", sprag_serve_missing());
}
#endif

SpragStatus sprag_serve_scene(SpragContext *context, const char *path,
                              const SpragServeSettings *settings)
{
    SpragServeSettings defaults = sprag_serve_default();
    ServeSession session;
    if (!sprag_serve_is_built())
        return sprag_fail(context, SPRAG_ERROR_LIMIT, "%s", sprag_serve_missing());
    SpragStatus status =
        serve_session_open(&session, context, path, settings ? settings : &defaults);
    if (status == SPRAG_OK)
        status = serve_network(&session);
    serve_session_close(&session);
    return status;
}

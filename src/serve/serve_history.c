// serve_history.c: what was told to viewers since the run began; they read it at their own pace.
#include <string.h>

#include "serve_private.h"

void serve_history_clear(ServeSession *session)
{
    ServeHistory *history = &session->history;
    for (size_t i = 0; i < history->count; i++)
        sprag_free(session->context, history->messages[i].bytes);
    history->count = 0;
    history->bytes = 0;
    history->generation++;
}

SpragStatus serve_history_add(ServeSession *session, SpragText *text, bool binary)
{
    ServeHistory *history = &session->history;
    if (text->failed)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_reserve(session->context, &history->messages, &history->capacity,
                            history->count + 1, sizeof *history->messages));
    char *bytes = sprag_alloc(session->context, text->length + SERVE_PAD + 1, 1);
    if (!bytes)
        return SPRAG_ERROR_MEMORY;
    if (text->length > 0)
        memcpy(bytes + SERVE_PAD, text->bytes, text->length);
    history->messages[history->count++] =
        (ServeMessage){.bytes = bytes, .length = text->length, .binary = binary};
    history->bytes += text->length;
    text->length = 0;
    return SPRAG_OK;
}

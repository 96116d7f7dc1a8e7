// serve_network.c: the page over HTTP and the session over a WebSocket, on the loopback interface
// only, in one thread with the simulation.
//
// Every viewer reads the history at its own pace: one that is slow falls behind and costs nothing,
// since a socket that is full is not written to. Requests for another host (DNS rebinding), of
// another origin, or without the token are refused.
#include <errno.h>
#include <fcntl.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "serve_private.h"

_Static_assert(SERVE_PAD >= LWS_PRE, "messages need room for the header of the library");

typedef struct Server {
    ServeSession *session;
    struct lws_context *lws;
    int port;
    char token[SERVE_TOKEN];
    SpragText page;
    int viewers;
    size_t told; // messages of the history that viewers were woken for
    unsigned told_generation, told_state, told_error;
    lws_sorted_usec_list_t timer;
} Server;

// A request for the page.
typedef struct Request {
    size_t sent;
} Request;

typedef struct Viewer {
    size_t next;
    unsigned generation, state_version, error_version;
    size_t length;
    bool too_long;
    bool counted; // among the viewers of the server
    char line[SERVE_LINE];
} Viewer;

static Server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

// ---- Who may ------------------------------------------------------------------------------------

static bool has_header(struct lws *wsi, enum lws_token_indexes header, const char *prefix, int port)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]", "localhost"};
    char value[160], wanted[160];
    if (lws_hdr_copy(wsi, value, sizeof value, header) <= 0)
        return false;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        snprintf(wanted, sizeof wanted, "%s%s:%d", prefix, hosts[i], port);
        if (strcmp(value, wanted) == 0)
            return true;
    }
    return false;
}

// Takes the same time for every wrong token.
static bool has_token(struct lws *wsi, const Server *server)
{
    char value[SERVE_TOKEN + 16];
    const char *given = lws_get_urlarg_by_name(wsi, "token=", value, sizeof value);
    if (!given || strlen(given) != strlen(server->token))
        return false;
    unsigned different = 0;
    for (size_t i = 0; server->token[i]; i++)
        different |= (unsigned)(unsigned char)given[i] ^ (unsigned)(unsigned char)server->token[i];
    return different == 0;
}

// ---- The page -----------------------------------------------------------------------------------

static int refuse(struct lws *wsi, unsigned code, const char *why)
{
    if (lws_return_http_status(wsi, code, why))
        return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

static int begin_page(struct lws *wsi, const Server *server, Request *request)
{
    unsigned char buffer[LWS_PRE + 1024];
    unsigned char *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8",
                                    server->page.length, &at, end) ||
        !add_header(wsi, "cache-control:", "no-store", &at, end) ||
        !add_header(wsi, "referrer-policy:", "no-referrer", &at, end) ||
        !add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
        !add_header(wsi, "x-frame-options:", "DENY", &at, end) ||
        !add_header(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return 1;
    request->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_request(struct lws *wsi, Request *request, const char *path)
{
    const Server *server = server_of(wsi);
    if (!has_header(wsi, WSI_TOKEN_HOST, "", server->port))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "This server answers on loopback only.");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "Only GET is answered.");
    if (!path || strcmp(path, "/") != 0)
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is one page, at /.");
    if (!has_token(wsi, server))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN,
                      "This page belongs to an earlier session. Open the address that "
                      "<code>sprag view</code> printed.");
    return begin_page(wsi, server, request);
}

static int continue_page(struct lws *wsi, Request *request)
{
    enum { PIECE = 16384 };
    const Server *server = server_of(wsi);
    unsigned char buffer[LWS_PRE + PIECE];
    size_t left = server->page.length - request->sent;
    size_t piece = left < PIECE ? left : PIECE;
    memcpy(buffer + LWS_PRE, server->page.bytes + request->sent, piece);
    request->sent += piece;
    bool last = request->sent == server->page.length;
    if (lws_write(wsi, buffer + LWS_PRE, piece, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)piece)
        return 1;
    if (!last)
        lws_callback_on_writable(wsi);
    return last && lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int hear_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t length)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_request(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return user ? continue_page(wsi, user) : 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return 1; // a socket that does not speak our protocol
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

// ---- Viewers ------------------------------------------------------------------------------------

static int write_text(struct lws *wsi, const char *text)
{
    unsigned char buffer[LWS_PRE + 2 * SERVE_LINE + 256];
    size_t length = strlen(text);
    if (length > sizeof buffer - LWS_PRE)
        return 0;
    memcpy(buffer + LWS_PRE, text, length);
    return lws_write(wsi, buffer + LWS_PRE, length, LWS_WRITE_TEXT) < (int)length ? -1 : 0;
}

static int write_error(struct lws *wsi, const ServeSession *session)
{
    char text[2 * SERVE_LINE + 200];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"error\":\"");
    for (const char *c = session->error; *c && at + 8 < sizeof text; c++) {
        if (*c == '"' || *c == '\\')
            text[at++] = '\\';
        text[at++] = (unsigned char)*c < 0x20 ? ' ' : *c;
    }
    snprintf(text + at, sizeof text - at, "\"}");
    return write_text(wsi, text);
}

// One message a call: the library asks again when the socket can take more.
static int write_next(struct lws *wsi, Viewer *viewer)
{
    const ServeSession *session = server_of(wsi)->session;
    const ServeHistory *history = &session->history;
    char state[SERVE_LINE];
    if (viewer->generation != history->generation) {
        viewer->generation = history->generation;
        viewer->next = 0;
    }
    bool behind = viewer->next < history->count;
    bool state_is_old = viewer->state_version != session->state_version;
    bool error_is_old = viewer->error_version != session->error_version;
    if (!behind && !state_is_old && !error_is_old)
        return 0;
    lws_callback_on_writable(wsi);
    if (behind) {
        const ServeMessage *message = &history->messages[viewer->next++];
        return lws_write(wsi, (unsigned char *)message->bytes + SERVE_PAD, message->length,
                         message->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < (int)message->length
                   ? -1
                   : 0;
    }
    if (state_is_old) {
        viewer->state_version = session->state_version;
        serve_session_state(session, state);
        return write_text(wsi, state);
    }
    viewer->error_version = session->error_version;
    return write_error(wsi, session);
}

static int read_line(struct lws *wsi, Viewer *viewer, const char *bytes, size_t length)
{
    if (lws_frame_is_binary(wsi) || viewer->length + length >= sizeof viewer->line)
        viewer->too_long = true;
    if (viewer->too_long) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    memcpy(viewer->line + viewer->length, bytes, length);
    viewer->length += length;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0)
        return 0;
    viewer->line[viewer->length] = 0;
    viewer->length = 0;
    serve_wish(server_of(wsi)->session, viewer->line);
    return 0;
}

static int admit(struct lws *wsi)
{
    const Server *server = server_of(wsi);
    bool welcome =
        server->viewers < SERVE_VIEWERS && has_header(wsi, WSI_TOKEN_HOST, "", server->port) &&
        has_header(wsi, WSI_TOKEN_ORIGIN, "http://", server->port) && has_token(wsi, server);
    return welcome ? 0 : 1;
}

static int hear_viewer(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t length)
{
    Viewer *viewer = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return admit(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        *viewer =
            (Viewer){.generation = server_of(wsi)->session->history.generation, .counted = true};
        viewer->error_version = server_of(wsi)->session->error_version;
        viewer->state_version = server_of(wsi)->session->state_version - 1;
        server_of(wsi)->viewers++;
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        // one that hangs up in its handshake is closed without having been established
        if (viewer && viewer->counted) {
            viewer->counted = false;
            server_of(wsi)->viewers--;
        }
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return read_line(wsi, viewer, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_next(wsi, viewer);
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = hear_http, .per_session_data_size = sizeof(Request)},
    {.name = "sprag",
     .callback = hear_viewer,
     .per_session_data_size = sizeof(Viewer),
     .rx_buffer_size = SERVE_LINE},
    {.name = NULL},
};

// ---- Opening ------------------------------------------------------------------------------------

static SpragStatus choose_token(Server *server)
{
    const ServeSession *session = server->session;
    unsigned char bytes[16];
    if (session->settings->token) {
        if (strlen(session->settings->token) >= sizeof server->token)
            return sprag_fail(session->context, SPRAG_ERROR_ARGUMENT, "the token is too long");
        snprintf(server->token, sizeof server->token, "%s", session->settings->token);
        return SPRAG_OK;
    }
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return sprag_fail(session->context, SPRAG_ERROR_READ, "no random numbers: %s",
                          strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    return SPRAG_OK;
}

static SpragStatus make_page(Server *server)
{
    char data[SERVE_TOKEN + 100];
    snprintf(data, sizeof data,
             "<script id=\"sprag-live\" type=\"application/json\">{\"token\":\"%s\"}</script>",
             server->token);
    sprag_page_html(data, &server->page);
    return server->page.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

// 127.0.0.1 must work; ::1 on the same port is welcome.
static bool open_ports(Server *server)
{
    struct lws_context_creation_info info = {.port = server->session->settings->port,
                                             .iface = "127.0.0.1",
                                             .protocols = protocols,
                                             .vhost_name = "four",
                                             .options = LWS_SERVER_OPTION_DISABLE_IPV6,
                                             .uid = (uid_t)-1,
                                             .gid = (gid_t)-1};
    struct lws_vhost *four = lws_create_vhost(server->lws, &info);
    server->port = four ? lws_get_vhost_listen_port(four) : 0;
    if (server->port <= 0)
        return false;
    info.port = server->port;
    info.iface = "::1";
    info.vhost_name = "six";
    info.options = LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY | LWS_SERVER_OPTION_IPV6_V6ONLY_VALUE;
    lws_create_vhost(server->lws, &info);
    return true;
}

static SpragStatus open_server(Server *server)
{
    struct lws_context_creation_info info = {.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
                                             .user = server,
                                             .uid = (uid_t)-1,
                                             .gid = (gid_t)-1};
    SpragContext *context = server->session->context;
    SPRAG_TRY(choose_token(server));
    SPRAG_TRY(make_page(server));
    lws_set_log_level(0, NULL);
    server->lws = lws_create_context(&info);
    if (!server->lws)
        return sprag_fail(context, SPRAG_ERROR_WRITE, "the server cannot be started");
    if (!open_ports(server))
        return sprag_fail(context, SPRAG_ERROR_WRITE, "port %d of 127.0.0.1 cannot be listened on",
                          server->session->settings->port);
    return SPRAG_OK;
}

// ---- The loop -----------------------------------------------------------------------------------

static void wake(lws_sorted_usec_list_t *timer)
{
    (void)timer; // being woken is all
}

static void tell_viewers(Server *server)
{
    const ServeSession *session = server->session;
    if (server->told == session->history.count &&
        server->told_generation == session->history.generation &&
        server->told_state == session->state_version &&
        server->told_error == session->error_version)
        return;
    server->told = session->history.count;
    server->told_generation = session->history.generation;
    server->told_state = session->state_version;
    server->told_error = session->error_version;
    lws_callback_on_writable_all_protocol(server->lws, &protocols[1]);
}

static void serve(Server *server)
{
    const volatile int *interrupt = server->session->settings->interrupt;
    while (!interrupt || !*interrupt) {
        bool more = serve_session_work(server->session);
        tell_viewers(server);
        // an interrupt between this and the wait is noticed at the next waking
        lws_usec_t pause = server->session->running ? 8000 : 200000;
        lws_sul_schedule(server->lws, 0, &server->timer, wake, pause);
        if (lws_service(server->lws, more ? -1 : 0) < 0)
            return;
    }
}

SpragStatus serve_network(ServeSession *session)
{
    Server server = {.session = session};
    char address[SERVE_TOKEN + 80];
    sprag_text_init(&server.page, session->context);
    SpragStatus status = open_server(&server);
    if (status == SPRAG_OK) {
        snprintf(address, sizeof address, "http://127.0.0.1:%d/?token=%s", server.port,
                 server.token);
        if (session->settings->ready)
            session->settings->ready(address, session->settings->user);
        serve(&server);
    }
    if (server.lws)
        lws_context_destroy(server.lws);
    sprag_text_destroy(&server.page);
    return status;
}

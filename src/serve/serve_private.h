// serve_private.h: a session: one simulation, what it has told so far, and what viewers want of it.
#ifndef SPRAG_SERVE_PRIVATE_H
#define SPRAG_SERVE_PRIVATE_H

#include "sprag/serve.h"

enum {
    SERVE_TOKEN = 64,          // bytes of a token at most, with its end
    SERVE_LINE = 512,          // of a message of a viewer
    SERVE_VIEWERS = 32,        // at once
    SERVE_HISTORY = 256 << 20, // bytes that a session keeps for its viewers
    SERVE_PAD = 64             // bytes that the library wants free before a message
};

// Something told to viewers: a text or a chunk of samples. `bytes` begins SERVE_PAD before it.
typedef struct ServeMessage {
    char *bytes;
    size_t length;
    bool binary;
} ServeMessage;

// Everything that a viewer needs to be up to date, in order; begins anew with every run.
typedef struct ServeHistory {
    ServeMessage *messages;
    size_t count, capacity;
    size_t bytes;        // of all messages
    unsigned generation; // of the run
} ServeHistory;

typedef struct ServeSession {
    SpragContext *context;
    const SpragServeSettings *settings;
    const char *path;
    // numbers: those of the settings, then those of viewers
    SpragSceneSet *sets;
    size_t set_count, set_capacity;
    SpragScene *scene;
    SpragModel *model;
    SpragSystem *system;
    SpragRun *run;
    SpragRunSettings run_settings;
    SpragPage *page;
    SpragSink page_sink;
    SpragEnergyAccount spent; // before the run was started again in its middle
    SpragEnergyAccount last;
    int pull_spring; // index of the spring that pulls; −1: none
    char spring_name[16];
    double until;
    bool running, ended, broken;
    double rate;    // simulated seconds a second; 0: as fast as it can
    double wall, t; // clock and time from which the pace is measured
    double reach;   // a new run goes there at once
    double slice;   // s of simulation between two looks at the network
    double *state;  // q, v: scratch
    size_t state_capacity;
    ServeHistory history;
    unsigned state_version; // of running and rate, for viewers
    char error[600];
    unsigned error_version;
} ServeSession;

double serve_clock(void);

// ---- History (serve_history.c) ------------------------------------------------------------------

void serve_history_clear(ServeSession *session);
// Takes the text, which is emptied.
SPRAG_MUST_USE SpragStatus serve_history_add(ServeSession *session, SpragText *text, bool binary);

// ---- Session (serve_session.c) ------------------------------------------------------------------

SPRAG_MUST_USE SpragStatus serve_session_open(ServeSession *session, SpragContext *context,
                                              const char *path, const SpragServeSettings *settings);
void serve_session_close(ServeSession *session);
// Simulates a little if it is time to; true: there is more to do at once.
bool serve_session_work(ServeSession *session);
// The state as JSON for a viewer.
void serve_session_state(const ServeSession *session, char text[SERVE_LINE]);
// Starts the run anew, up to the time that the last one has reached.
void serve_session_restart(ServeSession *session, double reach);

// ---- What viewers want (serve_wish.c) -----------------------------------------------------------

// A message of a viewer; what cannot be understood is passed over.
void serve_wish(ServeSession *session, const char *line);

// ---- Pulling (serve_pull.c) ---------------------------------------------------------------------

SPRAG_MUST_USE SpragStatus serve_pull_prepare(ServeSession *session);
void serve_pull(ServeSession *session, int body, const double local[3], const double to[3]);
void serve_pull_release(ServeSession *session);

// ---- Network (serve_network.c) ------------------------------------------------------------------

SPRAG_MUST_USE SpragStatus serve_network(ServeSession *session);

#endif

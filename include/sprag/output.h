// output.h: what a scene wants of a run: numbers by name, and events of its own.
//
// A scene file lists outputs (`outputs:`), a record computes them while a run goes on, maps and
// expectations use them. An output is of events or of a signal. Events of the scene's own
// (`events:`) happen where a signal passes a value, or where others have come often enough; they
// may end the run.
#ifndef SPRAG_OUTPUT_H
#define SPRAG_OUTPUT_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names as in files: "time", "count" …
#define SPRAG_OUTPUT_LIST(X)                                                                       \
    X(TIME, "time")     /* of the first event of that kind, s */                                   \
    X(COUNT, "count")   /* of such events */                                                       \
    X(PERIOD, "period") /* mean time between one such instant and the next, s; needs two */        \
    X(FIRST, "first")   /* value of a signal at the begin of the window, after an event there */   \
    X(LAST, "last")     /* value at its end, after an event there */                               \
    X(MIN, "min")       /* least value, both sides of events included */                           \
    X(MAX, "max")       /* largest value */                                                        \
    X(MEAN, "mean")     /* over time, where the signal is defined */                               \
    X(RANGE, "range")   /* max − min */

typedef enum SpragOutputKind {
#define SPRAG_OUTPUT_ENUM(name, text) SPRAG_OUTPUT_##name,
    SPRAG_OUTPUT_LIST(SPRAG_OUTPUT_ENUM)
#undef SPRAG_OUTPUT_ENUM
        SPRAG_OUTPUT_KINDS
} SpragOutputKind;

// "time", "count" …
const char *sprag_output_kind_name(SpragOutputKind kind);
// Whether it is of events (time, count, period), not of a signal.
bool sprag_output_is_of_events(SpragOutputKind kind);

typedef struct SpragOutput {
    const char *name;
    SpragOutputKind kind;
    const char *of;      // the type of the events ("slip-reversal"), or the signal ("tip.normal")
    const char *contact; // events: those of this contact, or of a rule's contacts; NULL: all
    double from, to;     // s, the window, ends included; −INFINITY, INFINITY: the whole run
    int line, column;    // where `of` stands in the file; 0: not from a file
    int contact_line, contact_column;
} SpragOutput;

// ---- Events of a scene --------------------------------------------------------------------------

typedef enum SpragWatchKind {
    SPRAG_WATCH_ABOVE,   // the signal rises above the value
    SPRAG_WATCH_BELOW,   // it falls below
    SPRAG_WATCH_CROSSES, // either
    SPRAG_WATCH_TYPE     // events of a type, of a contact
} SpragWatchKind;

typedef struct SpragWatch {
    const char *name; // of the event, not that of a type; NULL (TYPE only): it is not told
    SpragWatchKind kind;
    const char *of;      // the signal, or the type of the events
    const char *contact; // TYPE: those of this contact, or of a rule's contacts; NULL: all
    double value;
    int count; // ≥ 1: the run ends at this one (stop). TYPE: the event is told at this one only
    bool stop;
    int line, column; // where `of` stands in the file; 0: not from a file
    int contact_line, contact_column;
} SpragWatch;

#ifdef __cplusplus
}
#endif

#endif

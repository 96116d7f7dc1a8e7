// record_private.h: the parts of a record: signals, their selection, CSV files.
#ifndef SPRAG_RECORD_PRIVATE_H
#define SPRAG_RECORD_PRIVATE_H

#include <stdio.h>

#include "sprag/record.h"

// ---- Signals (record_signals.c) -----------------------------------------------------------------

typedef enum Source {
    SOURCE_TIME,
    SOURCE_POSITION, // q[index]
    SOURCE_VELOCITY, // v[index]
    SOURCE_CONSTANT, // of a fixed body
    SOURCE_PLACE,    // of the body whose first velocity is index
    SOURCE_DRIVEN,   // entry index of the positions, then velocities, of a body that moves as told
    SOURCE_JOINT,    // of joint index
    SOURCE_UP,       // the world's vertical in that body (space)
    SOURCE_CONTACT,  // of slot index
    SOURCE_ENERGY,
    SOURCE_VERDICT,
    SOURCE_SOLUTIONS,
    SOURCE_RESIDUAL, // of a step of time stepping
    SOURCE_MARGIN    // of slot index, or SPRAG_ALL_CONTACTS
} Source;

typedef struct Signal {
    const char *name; // in the catalogue's arena
    SpragSignalKind kind;
    Source source;
    int index;
    int position;              // SOURCE_PLACE, SOURCE_UP: first entry of the body in q
    int field;                 // which of the names after the last dot
    bool space;                // SOURCE_PLACE: of a body in space
    SpragVec3 local;           // SOURCE_PLACE, in the body's frame
    double constant;           // SOURCE_CONSTANT
    const SpragSystem *system; // SOURCE_DRIVEN, and places of such bodies
    int body;                  // likewise
    bool standard;             // there without being asked for
} Signal;

typedef struct SignalList {
    Signal *items;
    int count;
    size_t capacity;
} SignalList;

// Everything that can be recorded of a system, apart from places that are not sites.
typedef struct Catalogue {
    SpragContext *context;
    const SpragSystem *system;
    SpragArena *names;
    SignalList signals; // t is the first
} Catalogue;

enum { MOST_PLACE_FIELDS = 6 };
// x y vx vy, in space x y z vx vy vz; *count of them.
const char *const *place_fields(const SpragSystem *system, int *count);

SPRAG_MUST_USE SpragStatus catalogue_create(SpragContext *context, const SpragSystem *system,
                                            Catalogue *catalogue);
void catalogue_destroy(Catalogue *catalogue);
// Replaces a text by a copy among the catalogue's names; NULL stays.
SPRAG_MUST_USE SpragStatus catalogue_copy(const Catalogue *catalogue, const char **text);
SPRAG_MUST_USE SpragStatus signal_list_add(SpragContext *context, SignalList *list,
                                           const Signal *signal);
// The signal of a place: "path.field", path as sprag_model_find_place gave the place.
SPRAG_MUST_USE SpragStatus catalogue_place_signal(Catalogue *catalogue, const char *path,
                                                  const SpragPlace *place, int field,
                                                  Signal *signal);
// What cannot be computed is NaN.
SPRAG_MUST_USE SpragStatus signal_value(const Signal *signal, const SpragRunSample *sample,
                                        double *value);

// Joints (record_joint.c).
SPRAG_MUST_USE SpragStatus joint_add_signals(Catalogue *catalogue);
double joint_value(const Signal *signal, const SpragRunSample *sample);
const char *joint_unit(const Signal *signal);

// Bodies in space (record_space.c).
SPRAG_MUST_USE SpragStatus space_add_body(Catalogue *catalogue, int body);
double space_place_value(int field, SpragVec3 local, const double *q, const double *v);
double space_up_value(int field, const double *q);
// Appends the signal "head.tail" to the catalogue; head NULL: tail alone.
SPRAG_MUST_USE SpragStatus catalogue_add(Catalogue *catalogue, const char *head, const char *tail,
                                         Signal signal);

// "m", "N" …; "" for none.
const char *signal_unit(const Signal *signal);

// ---- Selection (record_select.c) ----------------------------------------------------------------

// t, then what the patterns name, in their order, each signal once. patterns NULL: all standard
// ones.
SPRAG_MUST_USE SpragStatus select_signals(Catalogue *catalogue, const char *patterns,
                                          SignalList *selected);
// The one signal of that name; a failure names the nearest.
SPRAG_MUST_USE SpragStatus select_one(Catalogue *catalogue, const char *name, Signal *signal);

// The candidate spelled most like a word: start with distance −1.
enum { SPELLING_BYTES = 128 };
typedef struct Nearest {
    const char *wanted;
    int distance; // −1: none yet
    char name[2 * SPELLING_BYTES];
} Nearest;
void nearest_try(Nearest *nearest, const char *name);

// The events and contacts that a name means; a failure names the nearest, with its place.
SPRAG_MUST_USE SpragStatus locate_name(const Catalogue *catalogue, const char *what,
                                       const char *name, int line, int column, SpragStatus status);
SPRAG_MUST_USE SpragStatus find_type(const Catalogue *catalogue, const char *name, int *type);
// The contacts of a name, those too that appear in the middle of a run.
typedef struct ContactSet {
    const SpragSystem *system;
    const char *name; // NULL: every event counts, those of no contact too
    int known;        // contacts that were there at the start
    bool *has;        // known entries, in the catalogue's arena
} ContactSet;
// The set of a name, which must outlive it.
SPRAG_MUST_USE SpragStatus find_contacts(const Catalogue *catalogue, const char *name,
                                         ContactSet *set);
bool contact_set_has(const ContactSet *set, int contact);

// ---- Events of the scene (record_watch.c) -------------------------------------------------------

typedef struct Watch {
    SpragWatch want; // its texts in the catalogue's arena
    Signal signal;
    int type;
    ContactSet contacts;
    int count;   // that have come
    double last; // signal − value at the end of the last piece; NaN: none yet
} Watch;

// A passage that was found in a piece.
typedef struct Passage {
    double t;
    int watch;
    bool rises;
} Passage;

typedef struct Watches {
    SpragContext *context;
    int count;
    Watch *items;
    Passage *passages;
    size_t passage_count, passage_capacity;
} Watches;

SPRAG_MUST_USE SpragStatus watches_open(Catalogue *catalogue, const SpragWatch *wanted, int count,
                                        Watches *watches);
void watches_close(Watches *watches);
// Whether an event of the scene has that name.
bool watches_have(const Watches *watches, const char *name);
// The passages in a piece, in the order of time.
SPRAG_MUST_USE SpragStatus watches_hear_piece(Watches *watches, SpragRun *run, double from,
                                              double to);
// The event of passage number i; true: the run ends there.
bool watches_event(Watches *watches, const Passage *passage, SpragEvent *event);
// Event of a run: how many events of the scene it makes, into `made` (one a watch); *stop: the run
// ends.
int watches_hear_event(Watches *watches, const SpragEvent *event, SpragEvent *made, bool *stop);

// ---- Outputs (record_outputs.c, record_account.c) -----------------------------------------------

enum { NODE_COUNT = 9 };

// What is known of one output by now.
typedef struct Account {
    SpragOutput want; // its texts in the catalogue's arena
    // of events
    int type;
    ContactSet contacts;
    long count, times; // events, and instants at which there were some
    double first_time, last_time;
    // of a signal
    Signal signal;
    bool met; // the fields below are set
    double first, last, least, most;
    double first_at, last_at; // times of first and last
    double integral, duration;
    double sample_t, sample_value; // the sample before; NaN: none
    double nodes[NODE_COUNT];      // values in the piece that is told
} Account;

typedef struct Outputs {
    int count;
    Account *items;
    bool signals;   // some output is of a signal
    double covered; // pieces were told up to this time
} Outputs;

SPRAG_MUST_USE SpragStatus outputs_open(Catalogue *catalogue, const SpragOutput *wanted, int count,
                                        const Watches *watches, Outputs *outputs);
void outputs_close(SpragContext *context, Outputs *outputs);
void outputs_hear_event(Outputs *outputs, const SpragEvent *event);
SPRAG_MUST_USE SpragStatus outputs_hear_sample(Outputs *outputs, const SpragRunSample *sample);
SPRAG_MUST_USE SpragStatus outputs_hear_piece(Outputs *outputs, SpragRun *run, double from,
                                              double to);
double account_value(const Account *account);

// ---- Numbers (record_number.c) ------------------------------------------------------------------

enum { NUMBER_BYTES = 40 };
// x with as few digits as give the same double when read back (-0 as 0); inf, -inf, nan. Returns
// the length.
size_t number_write(double x, char text[NUMBER_BYTES]);

// ---- CSV (record_csv.c) -------------------------------------------------------------------------

typedef struct CsvFile {
    char *path;
    char *part;   // what is written; NULL: path itself (a device, a pipe)
    FILE *stream; // NULL: finished, or failed
} CsvFile;

SPRAG_MUST_USE SpragStatus csv_open(SpragContext *context, const char *path, CsvFile *file);
SPRAG_MUST_USE SpragStatus csv_write(SpragContext *context, CsvFile *file, const SpragText *rows);
// Closes the file and gives it its name.
SPRAG_MUST_USE SpragStatus csv_finish(SpragContext *context, CsvFile *file);
// Closes and removes what was not finished; frees the names.
void csv_destroy(SpragContext *context, CsvFile *file);

void csv_add_header(SpragText *rows, const SignalList *signals);
void csv_add_row(SpragText *rows, const SignalList *signals, const double *values);

#endif

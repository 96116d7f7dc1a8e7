// record.h: what happened in a run: signals, samples, events, verdict intervals, energies; CSV.
//
// A record listens to a run through its sink. It keeps what it hears in memory, or streams the
// samples to files as they come, or both. A *signal* is one number (or word) per sample, by name:
//
//     t
//     BODY.{x, y, angle, vx, vy, spin}        centre of mass; m, rad, m/s, rad/s
//     BODY.PLACE.{x, y, vx, vy}               a site; by name any place: rod.b.y, rod.com.vx
//     CONTACT.{gap, slip, normal, tangential, mode, friction}
//     CONTACT.margin, margin                  theory.md (8.4); only where asked for by that word
//     energy.{kinetic, potential, elastic, friction, impact, damping, actuation}
//     verdict, solutions
//     q.0 …, v.0 …                            coordinates of a user-defined system
//
// In space a body has x y z, its quaternion qw qx qy qz, vx vy vz, its angular velocity wx wy wz
// (world) and up.x up.y up.z, the world's vertical seen from the body; a place x y z vx vy vz; a
// contact's slip and tangential are sizes, and slip.x slip.y slip.z, tangential.x … the vectors in
// the world. Signals are those of the contacts that are known when the record is made: of a contact
// that appears in the middle of a run (two edges that were far apart) there are events, and outputs
// of events by its rule's name, but no signals. Of more than 64 contacts in space only those near
// at the start are recorded unless patterns ask for others.
//
// mode (open, stick, slide+, slide-, in space slide, closed) and verdict (unique, multiple, none,
// infinite, open) are words in files, and the numbers of SpragMode and SpragVerdictKind in memory.
#ifndef SPRAG_RECORD_H
#define SPRAG_RECORD_H

#include "sprag/motion.h"
#include "sprag/output.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SpragSignalKind {
    SPRAG_SIGNAL_NUMBER,
    SPRAG_SIGNAL_MODE,   // the number of a SpragMode
    SPRAG_SIGNAL_VERDICT // the number of a SpragVerdictKind
} SpragSignalKind;

// The word that files have for a value of that kind; NULL: it is a number there too.
const char *sprag_signal_word(SpragSignalKind kind, double value);

typedef struct SpragRecordSettings {
    // Which signals, in which order: names or patterns separated by commas, with * for any text
    // (dots too) and ? for one letter; t is always the first. "pads.normal" stands for the
    // contacts pads.0, pads.1 … as well. NULL: all but those of fixed bodies. Copied.
    const char *signals;
    bool keep_samples;          // in memory, for sprag_record_column; true. Events are always kept
    const SpragOutput *outputs; // numbers wanted of the run; copied
    int output_count;
    const SpragWatch *watches; // events of the scene; copied
    int watch_count;
    uint32_t cookie;
} SpragRecordSettings;

SpragRecordSettings sprag_record_default(void);

typedef struct SpragRecord SpragRecord;

// An empty record of runs of that system, which must outlive it (borrowed). settings NULL: the
// defaults. ERROR_INPUT: a pattern matches no signal, or an output is of an event, a contact or a
// signal that does not exist; the message names the nearest.
SPRAG_MUST_USE SpragStatus sprag_record_create(SpragContext *context, const SpragSystem *system,
                                               const SpragRecordSettings *settings,
                                               SpragRecord **record);
// Files that were not finished are removed.
void sprag_record_destroy(SpragRecord *record);

// What to hand to sprag_run_create; its user pointer is the record (borrowed). It returns non-zero
// when memory or a file fails: then sprag_record_status says what.
SpragSink sprag_record_sink(SpragRecord *record);
// The first failure of the sink; its sentence is the context's message again. OK: none.
SPRAG_MUST_USE SpragStatus sprag_record_status(const SpragRecord *record);

// ---- Files --------------------------------------------------------------------------------------

// Every sample from now on is a row of the CSV file `path` as well: one header row, numbers with as
// many digits as give the same double when read back, inf and nan for what is not finite. The rows
// go to path.part beside it, which sprag_record_finish renames: a partial file never looks whole.
// A device or a pipe is written in place. ERROR_WRITE: it cannot be opened (no such folder …).
SPRAG_MUST_USE SpragStatus sprag_record_add_csv(SpragRecord *record, const char *path);
// Ends all files: what was recorded so far is whole, whatever ended the run. ERROR_WRITE: a file
// could not be written; its .part is removed and the others are finished all the same.
SPRAG_MUST_USE SpragStatus sprag_record_finish(SpragRecord *record);

// ---- What was recorded --------------------------------------------------------------------------

// The selected signals; 0 is t.
int sprag_record_signal_count(const SpragRecord *record);
// Borrowed.
const char *sprag_record_signal_name(const SpragRecord *record, int signal);
SpragSignalKind sprag_record_signal_kind(const SpragRecord *record, int signal);
// −1: not among the selected.
int sprag_record_find_signal(const SpragRecord *record, const char *name);
// "m", "rad", "m/s", "N" …; "" for a number without unit, and for words.
const char *sprag_record_signal_unit(const SpragRecord *record, int signal);
// The selected signals (signal_count values) in any sample of such a run, told or probed; nothing
// is recorded.
SPRAG_MUST_USE SpragStatus sprag_record_values(const SpragRecord *record,
                                               const SpragRunSample *sample, double *values);

// Number of samples heard, whether kept or not.
size_t sprag_record_sample_count(const SpragRecord *record);
// One value a sample of a selected signal; NULL if samples are not kept. Transient: until the next
// sample.
const double *sprag_record_column(const SpragRecord *record, int signal);

// Events and verdict intervals in the order they came; transient: until the next one comes.
size_t sprag_record_event_count(const SpragRecord *record);
const SpragEvent *sprag_record_events(const SpragRecord *record);
size_t sprag_record_verdict_count(const SpragRecord *record);
const SpragRunVerdict *sprag_record_verdicts(const SpragRecord *record);
// The account at the first and at the last sample (either may be NULL). False: no sample yet.
bool sprag_record_energy(const SpragRecord *record, SpragEnergyAccount *first,
                         SpragEnergyAccount *last);

// ---- Outputs ------------------------------------------------------------------------------------

// The outputs of the settings, in their order. Those of signals are as exact as the run: extrema
// are searched for on its dense output and means are integrated over it, between events, so that
// they do not depend on the output step. A run that tells no pieces (SpragSink.piece) gives the
// extrema of its samples and the trapezoidal rule over them.
int sprag_record_output_count(const SpragRecord *record);
// Borrowed.
const char *sprag_record_output_name(const SpragRecord *record, int output);
// Its value by now. NaN: there is none (the event never came, the window is empty).
double sprag_record_output(const SpragRecord *record, int output);

// ---- Tables from elsewhere ----------------------------------------------------------------------

typedef enum SpragCellKind { SPRAG_CELL_NUMBER, SPRAG_CELL_EMPTY, SPRAG_CELL_WORDS } SpragCellKind;

// A table of numbers as a CSV file has it.
typedef struct SpragTable {
    SpragContext *context;
    char *path;
    int column_count;
    size_t row_count;
    char **names;   // one a column; "": the file names none
    double *values; // row by row; NaN where there is no number
    char *kinds;    // SpragCellKind of each cell
    long *lines;    // of each row, in the file
} SpragTable;

// Reads a file with commas (or semicolons, or tabs) between cells. A first row with something else
// than numbers names the columns; cells may be in double quotes; empty lines and lines that begin
// with # are passed over. ERROR_INPUT "file:line: …" for a row that has more or fewer cells than
// the first, and for a file without rows. *table is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_table_read(SpragContext *context, const char *path,
                                            SpragTable **table);
// The same from memory; `name` stands for the file in messages.
SPRAG_MUST_USE SpragStatus sprag_table_read_text(SpragContext *context, const char *name,
                                                 const char *text, size_t length,
                                                 SpragTable **table);
void sprag_table_destroy(SpragTable *table);
// Column of that name, or "#2" for the second; −1: none.
int sprag_table_find(const SpragTable *table, const char *name);

#ifdef __cplusplus
}
#endif

#endif

// run.h: the parts of `sprag run`: a finished run, printed in two ways.
#ifndef SPRAG_TOOL_RUN_H
#define SPRAG_TOOL_RUN_H

#include "bodies.h"
#include "run_list.h"
#include "sprag/motion.h"
#include "sprag/record.h"
#include "sprag/report.h"
#include "tool.h"

// What a driven joint has needed so far.
typedef struct RunDrive {
    double peak, peak_time; // N or N m, with its sign
    double work;            // J
} RunDrive;

typedef struct RunReport {
    SpragContext *context;
    SpragScene *scene;
    const SpragModel *model;
    SpragSystem *system;
    SpragRecord *record;
    SpragPage *page; // NULL: none is wanted
    SpragRun *run;
    SpragRunOutcome outcome;
    double initial_energy; // kinetic, potential and elastic of the given state, J
    double wall;           // s that the run took
    int file_count;
    const char **files; // borrowed from the arguments
    const char *branch; // this is one of two continuations: its name; NULL: the only one
    RunDrive *drives;   // one a joint; NULL: none is driven
    bool both;          // two continuations are wanted, nothing was run
    SpragText *out;     // where the report goes; NULL: standard output
} RunReport;

// Runs the scene of the arguments and reports; everything in the report but files is its own.
typedef ToolExit RunOnce(RunReport *report, const Arguments *arguments);
// Both continuations of branch: both, side by side; `asked` has the files.
ToolExit run_branches(const RunReport *asked, const Arguments *arguments, RunOnce *once);

// For people: bodies, events, verdicts, the energy account, files; with -q one line.
void run_text(const RunReport *report, const Arguments *arguments, SpragText *text);
// One JSON document.
void run_json(const RunReport *report, const Arguments *arguments, SpragText *text);
// Exit status of a run that ended so; met: it is as the scene expects.
ToolExit run_exit(SpragRunOutcome outcome, bool met);
// Why the run ended as it did: one sentence, "" if there is none.
void run_reason(const RunReport *report, SpragText *text);

// Calls `add` with everything worth saying: what this version does otherwise than the scene asks
// for, defaults that were used, frictions that nobody gives.
typedef void RunNote(const char *note, void *user);
void run_notes(const RunReport *report, RunNote *add, void *user);

// Files that are figures over time; they need the samples in memory.
bool run_is_figure(const char *path);
bool run_has_figure(const RunReport *report);
// Writes them from the finished record.
SPRAG_MUST_USE SpragStatus run_write_figures(const RunReport *report, const Arguments *arguments);

// Files that are pages for a browser.
bool run_is_page(const char *path);
bool run_has_page(const RunReport *report);
// Listens to the run that begins with these settings.
SPRAG_MUST_USE SpragStatus run_open_page(RunReport *report, const Arguments *arguments,
                                         const SpragRunSettings *settings);
SPRAG_MUST_USE SpragStatus run_write_pages(const RunReport *report);

// --epsilon: compliant runs beside the rigid one; the report has the files only.
ToolExit run_epsilon(const RunReport *report, const Arguments *arguments);

// Forces and work of driven joints and motors: a sample that stands for `weight` seconds, and a
// piece of the run (not 0: it cannot be probed).
SPRAG_MUST_USE SpragStatus run_drives_begin(RunReport *report);
void run_drives_hear(const RunReport *report, const SpragRunSample *sample, double weight);
int run_drives_piece(const RunReport *report, SpragRun *run, double from, double to);
void run_drives_text(const RunReport *report, SpragText *text);
void run_drives_json(const RunReport *report, Json *json);

// Files, notes, provenance and expectations: how the document of every run ends. `notes` calls back
// with each note of `owner`.
void run_json_end(const RunReport *report, const Arguments *arguments, Json *json,
                  void (*notes)(const void *owner, RunNote *add, void *user), const void *owner);
// What is printed as of every run.
RunList run_list(const RunReport *report);
// The scene's name, or its file.
const char *run_scene_name(const RunReport *report, const Arguments *arguments);
// "events", "compliant".
const char *run_motion_name(const RunReport *report);
BodyState run_body_state(const RunReport *report, int body);
// The verdict at the start, or behind an impact there; NULL: nobody has asked (time stepping).
const char *run_first_verdict(const RunReport *report);
// Name of an event's contact; NULL: none.
const char *run_contact_name(const RunReport *report, const SpragEvent *event);

#endif

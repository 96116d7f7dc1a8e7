// drive.h: drives of one degree of freedom, and several guides, in `analyze`, `run` and `check`.
#ifndef SPRAG_TOOL_DRIVE_H
#define SPRAG_TOOL_DRIVE_H

#include "drive_columns.h"
#include "run.h"
#include "situation.h"
#include "sprag/scalar_run.h"

// A drive with everything that analyze says of it.
typedef struct DriveReport {
    const SpragScene *scene;
    const SpragSceneDrive *drive;
    SpragPairState state; // with the input that is analysed: the file's, or that of the inverse
    SpragPairVerdict verdict;
    SpragPairInverse inverse; // if the file wants an acceleration
    bool is_screw;
    SpragScrewFacts facts;
} DriveReport;

// The answer of `sprag analyze` into text (and the diagram into its file).
SPRAG_MUST_USE SpragStatus drive_analyze(const Situation *situation, const Arguments *arguments,
                                         SpragText *text);
SPRAG_MUST_USE SpragStatus guides_analyze(const Situation *situation, const Arguments *arguments,
                                          SpragText *text);
void drive_text(const DriveReport *report, const Arguments *arguments, SpragText *text);
void drive_json(const DriveReport *report, const Arguments *arguments, SpragText *text);
// "scalar", "screw", "transmission".
const char *drive_kind(const SpragScene *scene);
// One line for `sprag check`.
void drive_describe(const SpragScene *scene, SpragText *text);

// `sprag run` of a drive; *interrupted ends it.
ToolExit drive_run(RunReport *report, const Arguments *arguments, const volatile int *interrupted);

// What a run of a drive heard.
typedef struct DriveRunReport {
    RunReport *report;
    const SpragSceneDrive *drive; // of one degree of freedom; or
    const SpragGuides *guides;    // several
    const SpragSimulate *simulate;
    bool inverse_only; // the file has an acceleration and no input
    SpragDriveRun *run;
    SpragGuidesRun *guides_run;
    bool compliant;
    const char *note; // on the motion; NULL: none
    SpragEvent *events;
    size_t event_count, event_capacity;
    SpragRunVerdict *verdicts;
    size_t verdict_count, verdict_capacity;
    size_t sample_count;
    DriveColumns columns;
    SpragText csv;
} DriveRunReport;

// A figure over time from its rows.
SPRAG_MUST_USE SpragStatus drive_write_figure(const DriveRunReport *drive,
                                              const Arguments *arguments, const char *path);
double drive_run_time(const DriveRunReport *drive);
void drive_run_text(const DriveRunReport *drive, const Arguments *arguments, SpragText *text);
void drive_run_json(const DriveRunReport *drive, const Arguments *arguments, SpragText *text);

#endif

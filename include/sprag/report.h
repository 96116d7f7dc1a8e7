// report.h: figures from results, in one look: SVG as plain text, and PNG; and a run as a page for
// a browser.
#ifndef SPRAG_REPORT_H
#define SPRAG_REPORT_H

#include "sprag/impact.h"
#include "sprag/record.h"
#include "sprag/scalar.h"
#include "sprag/scene.h"
#include "sprag/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragFigureSettings {
    const char *title;   // NULL: one made from the result
    const char *command; // what made it, for the file's description; NULL: nothing
    double scale;        // pixels of a PNG per unit of length; 2
    bool dark;           // light on dark; false
    uint32_t cookie;
} SpragFigureSettings;

SpragFigureSettings sprag_figure_default(void);

// Whether figures can be written as PNG: Sprag was built with cairo.
bool sprag_figure_has_png(void);

// The map as a figure. Without values its verdict: regions, borders, axes and legend. With values
// these numbers, one plot each: colours between isolines at round values, negative ones dashed
// where both signs occur, 0 heavy, and the borders of the verdict. Of a row of points the values as
// lines, with the verdict behind them. The file's ending says the kind: .svg or .png. Two axes need
// their borders; of an interrupted map the complete rows are shown. The same map gives the same
// bytes.
SPRAG_MUST_USE SpragStatus sprag_figure_write_map(const SpragMap *map,
                                                  const SpragFigureSettings *settings,
                                                  const char *path);

// The eigenvalues of the contact layer of every motion in the complex plane (theory.md (6.5)):
// filled where the motion is stable, hollow where not, and the lines on which they move as the
// damping ratio goes from 0.01 to 1 (6.9), or a given damping from a tenth to ten times. `name` of
// the scene may be ""; analysis NULL: the defaults.
SPRAG_MUST_USE SpragStatus sprag_figure_write_eigenvalues(const SpragContactProblem *problem,
                                                          const SpragAnalysisSettings *analysis,
                                                          const char *name,
                                                          const SpragFigureSettings *settings,
                                                          const char *path);

// The two V of a drive (theory.md (9.2a), (9.2b)): input over acceleration for both directions.
typedef struct SpragTwoV {
    const SpragPair *pair;
    const SpragPairState *state;
    const SpragPairVerdict *verdict; // of that state
    const char *title;               // "" is fine
    const char *command;             // how it was made, for <desc>
    const char *input_label;         // "torque τ, N m"; NULL: "input τ"
    const char *acceleration_label;  // NULL: "acceleration q″"
} SpragTwoV;

// Appends the document: both lines of both directions (branches that are not stable dashed), the
// static band, the input, and the motions at it (hollow: not stable).
void sprag_report_twov(const SpragTwoV *figure, SpragText *text);
// The same as a file, .svg or .png; of the settings only scale and theme count.
SPRAG_MUST_USE SpragStatus sprag_figure_write_twov(const SpragTwoV *figure, SpragContext *context,
                                                   const SpragFigureSettings *settings,
                                                   const char *path);

// Routh's diagram of one contact in the plane (theory.md 10.3): the lines S = 0 and C = 0, the cone
// of friction, the path of the impact, and where each of the three laws ends it.
typedef struct SpragRouth {
    const SpragSingleImpact *problem; // of the laws all are drawn, with its e
    const char *title;                // "" is fine
    const char *command;              // how it was made, for <desc>
} SpragRouth;

// Appends the document.
void sprag_report_routh(const SpragRouth *figure, SpragText *text);
// The same as a file, .svg or .png; of the settings only scale and theme count. ERROR_ARGUMENT: the
// problem is one of space.
SPRAG_MUST_USE SpragStatus sprag_figure_write_routh(const SpragRouth *figure, SpragContext *context,
                                                    const SpragFigureSettings *settings,
                                                    const char *path);

// ---- Over time ----------------------------------------------------------------------------------

// A line of a time figure. Lines with the same heading and unit share a panel.
typedef struct SpragTimeLine {
    const char *name;    // for the legend
    const char *heading; // of its panel
    const char *unit;    // "" is fine
    size_t count;
    const double *times, *values; // what is not finite breaks the line
    bool dots;                    // measured points instead of a line
    bool dashed;
} SpragTimeLine;

typedef struct SpragTimeSpan {
    double from, to;
} SpragTimeSpan;

typedef struct SpragTimeFigure {
    const char *title;
    double from, to; // s
    int line_count;
    const SpragTimeLine *lines; // panels in the order of their first lines
    size_t event_count;
    const SpragEvent *events; // marked by lines through all panels, named where there is room
    size_t verdict_count;
    const SpragRunVerdict *verdicts; // a lane above the panels, and tints behind them; 0: none
    size_t compliant_count;
    const SpragTimeSpan *compliant; // when contacts were compliant: a lane below that one
} SpragTimeFigure;

// Panels above each other with one axis of time. The file's ending says the kind: .svg or .png.
SPRAG_MUST_USE SpragStatus sprag_figure_write_time(const SpragTimeFigure *figure,
                                                   SpragContext *context,
                                                   const SpragFigureSettings *settings,
                                                   const char *path);

// A recorded run over time. The record must have kept its samples. all: every selected signal that
// is a number, a panel a unit; else those that tell most: positions, angles, slips, contact forces,
// energies, as far as they change. `name` of the scene may be "". compliant: the whole run was,
// else the events tell when contacts were.
SPRAG_MUST_USE SpragStatus sprag_figure_write_run(const SpragRecord *record, SpragContext *context,
                                                  const char *name, bool all, bool compliant,
                                                  const SpragFigureSettings *settings,
                                                  const char *path);

// The rigid run and the compliant ones beside each other, a panel a signal. all: every signal of
// the records that is a number; else slips, contact forces and positions, six at most.
SPRAG_MUST_USE SpragStatus sprag_figure_write_convergence(const SpragConvergence *result, bool all,
                                                          const SpragFigureSettings *settings,
                                                          const char *path);

// Data as dots, the fitted run as lines, and what remains between them.
SPRAG_MUST_USE SpragStatus sprag_figure_write_fit(const SpragFit *fit,
                                                  const SpragFigureSettings *settings,
                                                  const char *path);

// ---- The page -----------------------------------------------------------------------------------

// A run as one file for a browser: the scene, its motion, contacts, events, verdicts, all motions
// with their stability, energies. A page listens to a run as a record does. Every sample that is
// told is kept while the file stays small; else at least 60 a second, and both sides of all events.
typedef struct SpragPageSettings {
    const SpragScene *scene;   // whose model the system is made from: name and notes; NULL: none
    const char *file;          // the scene's file, for display and units; NULL: none
    const char *command;       // how it was made; NULL: nothing
    const SpragSceneSet *sets; // numbers that were set from outside
    int set_count;
    const SpragRunSettings *run; // of the run that it will hear; NULL: the defaults
    double until;                // end of the run, s
    bool live;                   // sprag_page_take is called now and then: more samples are kept
    uint32_t cookie;
} SpragPageSettings;

SpragPageSettings sprag_page_default(void);

// Whether the page itself was built in (it needs Node when Sprag is built). Without it everything
// works but sprag_page_write and sprag_page_html.
bool sprag_page_is_built(void);
// A sentence for users that lack it.
const char *sprag_page_missing(void);

typedef struct SpragPage SpragPage;

// The system (from a model) and the scene are borrowed and must outlive the page; settings are
// copied.
SPRAG_MUST_USE SpragStatus sprag_page_create(SpragSystem *system, const SpragPageSettings *settings,
                                             SpragPage **page);
void sprag_page_destroy(SpragPage *page);
// What to hand to sprag_run_create, or to call from another sink; its user pointer is the page
// (borrowed). Non-zero: memory failed, or an analysis did; sprag_page_status says what.
SpragSink sprag_page_sink(SpragPage *page);
SPRAG_MUST_USE SpragStatus sprag_page_status(const SpragPage *page);

// How a run ended.
typedef struct SpragPageEnd {
    SpragRunOutcome outcome;
    const char *reason; // of an early end; "" or NULL: none
    SpragRunStatistics statistics;
    double drift;        // J
    size_t sample_count; // rows of a CSV of the same run
} SpragPageEnd;

// Appends what does not change in a run as a JSON object: bodies, shapes, contacts, parameters,
// settings, provenance.
SPRAG_MUST_USE SpragStatus sprag_page_head(const SpragPage *page, SpragText *text);
// Appends the samples heard since the last call as one chunk (docs/guide/viewer.md has its format)
// and forgets them.
SPRAG_MUST_USE SpragStatus sprag_page_take(SpragPage *page, SpragText *bytes);
// Appends the events and verdicts heard since the last call, and how the run ended (NULL: it goes
// on), as a JSON object, and forgets them.
SPRAG_MUST_USE SpragStatus sprag_page_tail(SpragPage *page, const SpragPageEnd *end,
                                           SpragText *text);
// Writes the page with everything heard. The same run gives the same bytes. ERROR_UNSUPPORTED: the
// page is not built in.
SPRAG_MUST_USE SpragStatus sprag_page_write(SpragPage *page, const SpragPageEnd *end,
                                            const char *path);
// Appends the page with `data` (script elements) in it.
void sprag_page_html(const char *data, SpragText *text);

#ifdef __cplusplus
}
#endif

#endif

// page.h: a run on its way into a page: rows of samples, touches of contacts, motions, and their
// coding.
#ifndef SPRAG_REPORT_PAGE_H
#define SPRAG_REPORT_PAGE_H

#include "sprag/report.h"

enum {
    PAGE_FORMAT = 1,
    PAGE_ENERGIES = 8,
    PAGE_ALL_SLOTS = 24,    // up to so many contacts open ones are stored too, for their gaps
    PAGE_SPEED_BODIES = 24, // up to so many free bodies velocities are stored too
    PAGE_EACH_CONTACTS = 3, // up to so many closed contacts every sample is analysed
    PAGE_SOME_CONTACTS = 8, // up to so many the samples behind events are
    PAGE_MATRICES = 200,    // of so many problems with more contacts W and b are kept too
    PAGE_SHOWN_MOTIONS = 8, // of a verdict that has more the first ones are kept
    PAGE_SHOWN_ROOTS = 24   // eigenvalues of a motion that are kept
};

// One contact at one stored sample.
typedef struct PageTouch {
    uint32_t row, slot;
    uint8_t state; // SpragMode, + 8: compliant, + 16: its forces are not unique
    float gap, slip[2], normal, tangential[2], friction, depth;
    float point[3], direction[3], tangent[3]; // world; the tangent in space only
} PageTouch;

// The sample that was told last, as a copy: it may turn out to be the end of the run.
typedef struct PagePending {
    bool there, kept;
    SpragRunSample sample;
    double *q, *v;
    SpragRunContact *contacts;
    size_t q_capacity, v_capacity, contact_capacity;
} PagePending;

// Followed motions: scratch, and what was found, as JSON objects with commas between them.
typedef struct PageBranches {
    SpragText text;
    SpragMotionSearch *search;
    SpragContactProblem problem;
    double *numbers;
    SpragContactKinematics *kinematics;
    int *active;
    bool *slides;
    SpragMode *modes, *chosen;
    size_t number_capacity, kinematics_capacity, active_capacity, slide_capacity, mode_capacity,
        chosen_capacity;
    double next; // time from which they are followed again
    int count;   // instants so far
} PageBranches;

// Signals by name beside those of bodies and contacts.
typedef struct PageExtras {
    SpragRecord *record; // that makes them; NULL: none
    int count;
    double *values; // of one sample, with time first
} PageExtras;

struct SpragPage {
    SpragContext *context;
    SpragSystem *system;
    const SpragModel *model;
    SpragPageSettings settings;
    char *file, *command;
    SpragSceneSet *sets; // with copied texts
    SpragText bundle;    // the scene with its files, so that the page can stand for it; "": not
    SpragRunSettings run;
    SpragStatus status;
    int tangents;     // 1, in space 2
    bool velocities;  // stored too
    int body_columns; // numbers of all free bodies in a row
    double interval;  // s between samples that are kept; 0: all
    double next;      // time from which the next one is kept
    int named;        // contacts whose names were told
    size_t heard;     // samples, kept or not
    PagePending pending;
    // what is kept and not yet taken
    uint32_t row_count;
    double *times;
    uint8_t *flags;     // before, after, verdict, compliant
    uint8_t *solutions; // number of motions, at most 255
    float *numbers;     // energies, then bodies; a row a sample
    PageTouch *touches;
    size_t touch_count;
    size_t time_capacity, flag_capacity, solution_capacity, number_capacity, touch_capacity;
    SpragEvent *events;
    SpragRunVerdict *verdicts;
    size_t event_count, verdict_count, event_capacity, verdict_capacity;
    // motions: a byte a sample, and what a 2 stands for
    SpragText motions, last_motions;
    int matrices;                      // of problems with more than PAGE_EACH_CONTACTS so far
    int analysed_kind, analysed_count; // verdict of the last sample that was analysed
    SpragAnalysis *analysis;
    SpragContactProblem problem;
    SpragContactKinematics *kinematics;
    int *closed;
    bool *sliding;
    double *acceleration;
    size_t kinematics_capacity, closed_capacity, sliding_capacity, acceleration_capacity;
    SpragPose *poses;
    size_t pose_capacity;
    PageBranches branches;
    PageExtras extras;
};

// Numbers of a row: energies, bodies, further signals.
static inline size_t page_width(const SpragPage *page)
{
    return (size_t)(PAGE_ENERGIES + page->body_columns + page->extras.count);
}

// ---- Bytes (page_code.c) ------------------------------------------------------------------------

void page_put_byte(SpragText *bytes, unsigned value);
// Seven bits a byte, the lowest first.
void page_put_count(SpragText *bytes, uint64_t value);
void page_put_float(SpragText *bytes, double value);
// `count` numbers, `stride` floats apart; shift: low bits of each that may be lost.
void page_put_column(SpragText *bytes, const float *values, size_t count, size_t stride,
                     unsigned shift);
// Bytes as pairs of value and length.
void page_put_runs(SpragText *bytes, const uint8_t *values, size_t count, size_t stride);

// ---- Further signals (page_extras.c) ------------------------------------------------------------

SPRAG_MUST_USE SpragStatus page_extras_open(SpragPage *page);
void page_extras_close(SpragPage *page);
// Their numbers in a sample.
SPRAG_MUST_USE SpragStatus page_extras_fill(SpragPage *page, const SpragRunSample *sample,
                                            float *numbers);
// Their names and units, and the joints, as members of the head.
void page_extras_head(const SpragPage *page, SpragText *text);
void page_extras_joints(const SpragPage *page, SpragText *text);

// ---- Head (page_head.c) -------------------------------------------------------------------------

// Names and bodies of the contacts from `from` on, as a JSON array.
void page_json_contacts(SpragText *text, const SpragPage *page, int from);

// ---- JSON (page_json.c) -------------------------------------------------------------------------

// A text in quotes that may stand inside of a script element.
void page_json_text(SpragText *text, const char *value);
// Not finite: null.
void page_json_number(SpragText *text, double value);
void page_json_numbers(SpragText *text, int count, const double *values);

// ---- Motions (page_motions.c) -------------------------------------------------------------------

// The kinematics of all contacts of a sample, for points and normals.
SPRAG_MUST_USE SpragStatus page_kinematics(SpragPage *page, const SpragRunSample *sample);
// Appends all motions at a sample, or that they were not looked for.
SPRAG_MUST_USE SpragStatus page_add_motions(SpragPage *page, const SpragRunSample *sample);

// ---- Branches (page_branches.c) -----------------------------------------------------------------

// Where motions are followed from: the contacts that are closed there.
typedef struct PageStart {
    int count;
    const int *slots;    // ascending
    const bool *sliding; // one a contact
    double span;         // s, for how long
} PageStart;

void page_branches_init(PageBranches *work, SpragContext *context);
void page_branches_destroy(PageBranches *work, SpragContext *context);
// Follows every motion of a verdict that has several, now and then.
SPRAG_MUST_USE SpragStatus page_add_branches(SpragPage *page, const SpragRunSample *sample,
                                             const SpragVerdict *verdict, const PageStart *start);

// ---- Rows (page_rows.c) -------------------------------------------------------------------------

// Stores a sample for good.
SPRAG_MUST_USE SpragStatus page_store(SpragPage *page, const SpragRunSample *sample);
// The pending sample, if it is not stored yet.
SPRAG_MUST_USE SpragStatus page_flush(SpragPage *page);

#endif

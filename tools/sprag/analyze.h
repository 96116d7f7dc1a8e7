// analyze.h: the parts of `sprag analyze`: one situation, one verdict, two ways to print them.
#ifndef SPRAG_TOOL_ANALYZE_H
#define SPRAG_TOOL_ANALYZE_H

#include "analyze_hold.h"
#include "analyze_layers.h"
#include "analyze_margin.h"
#include "situation.h"
#include "sprag/analysis.h"

// What `analyze` computes beside the verdict.
typedef struct Details {
    const SpragAnalysisSettings *settings;
    SpragSolvability tests;
    Layers layers;
} Details;

// The members that a solution's layer adds, and "tests".
void details_json_layer(const Situation *situation, const SpragSolution *solution, Json *json);
void details_json_tests(const Situation *situation, const Details *details, Json *json);
// For people: what stiffness ratios do to a motion; layer, model of each contact, tests.
void details_text_motion(const Situation *situation, const SpragSolution *solution,
                         SpragText *text);
void details_text(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Arguments *arguments, SpragText *text);

// Where a motion that diverges leads (theory.md 8.2): lines for people, the member "exits".
void exits_text(const Situation *situation, const SpragSolution *solution, SpragText *text);
void exits_json(const Situation *situation, const SpragSolution *solution, Json *json);

// For people: the verdict and why, contacts, motions; with -v the matrices, with -q one line.
void analyze_text(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Arguments *arguments, SpragText *text);
// One JSON document.
void analyze_json(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Margins *margins, const Holds *holds, const Arguments *arguments,
                  SpragText *text);
// The sentence why: the verdict's own, after what comes first if a contact approaches.
void analyze_reason(const Situation *situation, const SpragVerdict *verdict, SpragText *text);

// Forces of driven joints in a motion, and whether they would make it by themselves.
void analyze_add_drives(const Situation *situation, const SpragMotion *motion, SpragText *text);
void analyze_json_drives(const Situation *situation, const SpragMotion *motion, Json *json);
// q'' of a motion into `acceleration` (velocity_count entries of the problem).
void analyze_acceleration(const Situation *situation, const SpragMotion *motion,
                          double *acceleration);
// Body whose coordinates an inertia block holds; −1: none.
int analyze_block_body(const Situation *situation, const SpragInertiaBlock *block);

#endif

// analyze.h: the parts of `sprag analyze`: one situation, one verdict, two ways to print them.
#ifndef SPRAG_TOOL_ANALYZE_H
#define SPRAG_TOOL_ANALYZE_H

#include "analyze_hold.h"
#include "analyze_margin.h"
#include "situation.h"
#include "sprag/analysis.h"

// For people: the verdict and why, contacts, motions; with -v the matrices, with -q one line.
void analyze_text(const Situation *situation, const SpragVerdict *verdict,
                  const Arguments *arguments, SpragText *text);
// One JSON document.
void analyze_json(const Situation *situation, const SpragVerdict *verdict, const Margins *margins,
                  const Holds *holds, const Arguments *arguments, SpragText *text);
// The sentence why: the verdict's own, after what comes first if a contact approaches.
void analyze_reason(const Situation *situation, const SpragVerdict *verdict, SpragText *text);

// q'' of a motion into `acceleration` (velocity_count entries of the problem).
void analyze_acceleration(const Situation *situation, const SpragMotion *motion,
                          double *acceleration);
// Body whose coordinates an inertia block holds; −1: none.
int analyze_block_body(const Situation *situation, const SpragInertiaBlock *block);

#endif

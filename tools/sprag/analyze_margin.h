// analyze_margin.h: how far friction or a parameter may change before the verdict does.
#ifndef SPRAG_TOOL_ANALYZE_MARGIN_H
#define SPRAG_TOOL_ANALYZE_MARGIN_H

#include "situation.h"
#include "sprag/analysis.h"

typedef struct MarginLine {
    const char *name; // of the contact or the parameter
    double value;     // of the friction or the parameter, SI
    SpragMargin margin;
} MarginLine;

typedef struct Margins {
    bool found; // false: too many contacts, or none
    SpragMargin all;
    double friction; // of all contacts, if it is the same; else 0
    int contact_count;
    MarginLine *contacts;
    int parameter_count;
    MarginLine *parameters;
} Margins;

// Margins of all frictions together, of each where there are few, and of the parameters that
// --margin names. To be destroyed on failure too.
SPRAG_MUST_USE SpragStatus margins_find(const Situation *situation, const Arguments *arguments,
                                        const SpragAnalysisSettings *settings, Margins *margins);
void margins_destroy(SpragContext *context, Margins *margins);
void margins_text(const Margins *margins, SpragText *text);
// The member "margin".
void margins_json(const Margins *margins, Json *json);

#endif

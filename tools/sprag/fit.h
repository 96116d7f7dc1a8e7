// fit.h: what the sources of `sprag fit` share.
#ifndef SPRAG_TOOL_FIT_H
#define SPRAG_TOOL_FIT_H

#include "sprag/sweep.h"
#include "tool.h"

typedef struct FitReport {
    const SpragFit *fit;
    const Arguments *arguments;
    int file_count;
    const char **files;
    double wall; // s
} FitReport;

// The result: for people, and as JSON.
void fit_text(const FitReport *report, SpragText *text);
void fit_json(const FitReport *report, SpragText *text);

#endif

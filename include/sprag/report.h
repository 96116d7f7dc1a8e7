// report.h: figures as SVG texts, in one look: light, plain attributes, text stays text.
#ifndef SPRAG_REPORT_H
#define SPRAG_REPORT_H

#include "sprag/scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif

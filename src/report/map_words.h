// map_words.h: what the classes and axes of a map are called and how they look.
#ifndef SPRAG_REPORT_MAP_WORDS_H
#define SPRAG_REPORT_MAP_WORDS_H

#include "figure.h"

enum { WORDS_BYTES = 320, AXIS_BYTES = 96 };

FigureFill class_fill(const SpragMapClass *class);
unsigned class_text_colour(const SpragMapClass *class);
// "Two motions, one stable"
const char *class_verdict_words(const SpragMapClass *class, char text[WORDS_BYTES]);
// "slide− | separate"
const char *class_mode_words(const SpragMapClass *class, char text[WORDS_BYTES]);
// For a name inside its region: "one: slide−", or short "one".
const char *class_name_words(const SpragMapClass *class, bool whole, char text[WORDS_BYTES]);
// "slowest eigenvalue of the layer"; a name that says it all stays as it is.
const char *value_words(const SpragMapValue *about, char text[WORDS_BYTES]);
// "slowest, 1/s"
const char *value_label(const SpragMapValue *about, char text[WORDS_BYTES]);
// The path and its unit; a Greek name as its letter.
const char *axis_words(const SpragMapAxis *axis, char text[AXIS_BYTES]);

#endif

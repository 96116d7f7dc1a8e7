// map_words.h: what the classes and axes of a map are called and how they look.
#ifndef SPRAG_REPORT_MAP_WORDS_H
#define SPRAG_REPORT_MAP_WORDS_H

#include "figure.h"

enum { WORDS_BYTES = 320 };

FigureFill class_fill(const SpragMapClass *class);
unsigned class_text_colour(const SpragMapClass *class);
// "Two motions, one stable"
const char *class_verdict_words(const SpragMapClass *class, char text[WORDS_BYTES]);
// "slide− | separate"
const char *class_mode_words(const SpragMapClass *class, char text[WORDS_BYTES]);
// For a name inside its region: "one: slide−", or short "one".
const char *class_name_words(const SpragMapClass *class, bool whole, char text[WORDS_BYTES]);
// Up to six digits, with a true minus.
const char *number_words(double number, char text[64]);
// The path and its unit; a Greek name as its letter.
const char *axis_words(const SpragMapAxis *axis, char text[64]);

#endif

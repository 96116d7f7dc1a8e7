// formula.h: a formula while it is read; shared by expression.c and literal.c.
#ifndef SPRAG_SCENE_FORMULA_H
#define SPRAG_SCENE_FORMULA_H

#include "scene_private.h"

typedef struct Formula {
    Reader *reader;
    const Node *node;
    const char *what; // the key, for messages
    const char *text; // whole
    const char *at;   // next byte
    Program *program; // NULL: the value may not vary in time
} Formula;

void skip_spaces(Formula *f);
// Length of the name at the start of text: letters, then letters and digits; 0: none.
size_t word_length(const char *text);
// Passes over the symbol if it stands next; false: it does not.
bool take_symbol(Formula *f, const char *symbol);
// Passes over "*", "·" or "/" and returns it; "" if none stands next.
const char *take_operator(Formula *f);
// "key: what is wrong in "formula"", with the position.
SpragStatus complain(Formula *f, const char *format, ...) SPRAG_PRINTF(2, 3);
SpragStatus check_finite(Formula *f, const Value *value);
Value plain(double number);
// Length of the decimal number at the start of text; 0: none.
size_t number_length(const char *text);
// A number of that length with the units after it.
SpragStatus read_literal(Formula *f, size_t length, Value *value);

// Note an operation in the program, if there is one.
SpragStatus emit_number(Formula *f, double number);
SpragStatus emit_time(Formula *f);
SpragStatus emit_one(Formula *f, double (*one)(double));
SpragStatus emit_two(Formula *f, double (*two)(double, double));

// jet.c: the operations, as functions.
double negative(double x);
double sum(double x, double y);
double difference(double x, double y);
double product(double x, double y);
double quotient(double x, double y);
// How derivatives pass through a function that formulas have.
Slopes *slopes_of(double (*one)(double));
Join *join_of(double (*two)(double, double));

#endif

// json.h: JSON written piece by piece into a growing text, indented by two spaces.
//
// `key` names a member of an object; NULL inside arrays and for the document itself. Infinities are
// the texts "inf" and "-inf", NaN is null: JSON has no such numbers.
#ifndef SPRAG_TOOL_JSON_H
#define SPRAG_TOOL_JSON_H

#include "sprag/base.h"

enum { JSON_DEPTH = 32 }; // deeper than any document of this tool

typedef struct Json {
    SpragText *text;
    int depth;
    bool filled[JSON_DEPTH]; // the object or array at this depth has an entry
    bool flat[JSON_DEPTH];   // … and stands in one line
} Json;

void json_init(Json *json, SpragText *text);

// Every begin has its end; flat ones, and all inside them, stand in one line.
void json_begin_object(Json *json, const char *key);
void json_begin_flat_object(Json *json, const char *key);
void json_end_object(Json *json);
void json_begin_array(Json *json, const char *key);
void json_begin_flat_array(Json *json, const char *key);
void json_end_array(Json *json);

// text NULL: null. Bytes that are not UTF-8 become U+FFFD.
void json_text(Json *json, const char *key, const char *text);
// The shortest digits that give the same double when read back.
void json_number(Json *json, const char *key, double number);
void json_integer(Json *json, const char *key, long number);
void json_bool(Json *json, const char *key, bool value);
void json_null(Json *json, const char *key);
// A flat array of numbers.
void json_numbers(Json *json, const char *key, int count, const double *numbers);

#endif

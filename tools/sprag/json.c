// json.c: JSON written piece by piece into a growing text.
#include "json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_init(Json *json, SpragText *text)
{
    memset(json, 0, sizeof *json);
    json->text = text;
}

// ---- Structure ----------------------------------------------------------------------------------

static void new_line(Json *json)
{
    sprag_text_add(json->text, "\n%*s", 2 * json->depth, "");
}

// Length of the UTF-8 sequence at s, 0 if it is not valid (overlong, surrogate, beyond U+10FFFF).
static int sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    int length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

static void add_quoted(SpragText *out, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    sprag_text_add_bytes(out, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = sequence_length(s);
        const char *found = strchr(escaped, *s);
        if (length == 0)
            sprag_text_add(out, "\\ufffd");
        else if (found)
            sprag_text_add(out, "\\%c", letters[found - escaped]);
        else if (*s < 0x20)
            sprag_text_add(out, "\\u%04x", *s);
        else
            sprag_text_add_bytes(out, (const char *)s, (size_t)length);
        s += length ? length : 1;
    }
    sprag_text_add_bytes(out, "\"", 1);
}

// What stands before a value: a comma, a place, the key.
static void begin_value(Json *json, const char *key)
{
    bool flat = json->flat[json->depth];
    if (json->filled[json->depth])
        sprag_text_add(json->text, flat ? ", " : ",");
    if (json->depth > 0 && !flat)
        new_line(json);
    json->filled[json->depth] = true;
    if (key) {
        add_quoted(json->text, key);
        sprag_text_add(json->text, ": ");
    }
}

static void begin(Json *json, const char *key, char bracket, bool flat)
{
    begin_value(json, key);
    sprag_text_add(json->text, "%c", bracket);
    bool inside = json->flat[json->depth];
    assert(json->depth + 1 < JSON_DEPTH);
    json->depth++;
    json->filled[json->depth] = false;
    json->flat[json->depth] = flat || inside;
}

static void end(Json *json, char bracket)
{
    bool broken = json->filled[json->depth] && !json->flat[json->depth];
    json->depth--;
    if (broken)
        new_line(json);
    sprag_text_add(json->text, "%c%s", bracket, json->depth == 0 ? "\n" : "");
}

void json_begin_object(Json *json, const char *key)
{
    begin(json, key, '{', false);
}

void json_begin_flat_object(Json *json, const char *key)
{
    begin(json, key, '{', true);
}

void json_end_object(Json *json)
{
    end(json, '}');
}

void json_begin_array(Json *json, const char *key)
{
    begin(json, key, '[', false);
}

void json_begin_flat_array(Json *json, const char *key)
{
    begin(json, key, '[', true);
}

void json_end_array(Json *json)
{
    end(json, ']');
}

// ---- Values -------------------------------------------------------------------------------------

void json_text(Json *json, const char *key, const char *text)
{
    if (!text) {
        json_null(json, key);
        return;
    }
    begin_value(json, key);
    add_quoted(json->text, text);
}

void json_number(Json *json, const char *key, double number)
{
    char digits[32];
    if (isnan(number)) {
        json_null(json, key);
        return;
    }
    if (isinf(number)) {
        json_text(json, key, number > 0 ? "inf" : "-inf");
        return;
    }
    // 17 digits always give the same double; fewer often do
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number == 0 ? 0 : number);
        if (strtod(digits, NULL) == number)
            break;
    }
    begin_value(json, key);
    sprag_text_add(json->text, "%s", digits);
}

void json_integer(Json *json, const char *key, long number)
{
    begin_value(json, key);
    sprag_text_add(json->text, "%ld", number);
}

void json_bool(Json *json, const char *key, bool value)
{
    begin_value(json, key);
    sprag_text_add(json->text, value ? "true" : "false");
}

void json_null(Json *json, const char *key)
{
    begin_value(json, key);
    sprag_text_add(json->text, "null");
}

void json_numbers(Json *json, const char *key, int count, const double *numbers)
{
    json_begin_flat_array(json, key);
    for (int i = 0; i < count; i++)
        json_number(json, NULL, numbers[i]);
    json_end_array(json);
}

// page_json.c: JSON that may stand inside of a script element of a page.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"
#include "page.h"

void page_json_text(SpragText *text, const char *value)
{
    sprag_text_add(text, "\"");
    for (const char *c = value ? value : ""; *c;) {
        int length = figure_character(c);
        if (length <= 0) {
            sprag_text_add(text, "\\ufffd");
            c++;
            continue;
        }
        // '<' could end the script element that this stands in
        if (*c == '"' || *c == '\\')
            sprag_text_add(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == '<' || *c == '&')
            sprag_text_add(text, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            sprag_text_add_bytes(text, c, (size_t)length);
        c += length;
    }
    sprag_text_add(text, "\"");
}

void page_json_number(SpragText *text, double value)
{
    char buffer[40];
    if (!isfinite(value)) {
        sprag_text_add(text, "null");
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    // a program that uses the library may have set a locale
    for (char *c = buffer; *c; c++)
        if (*c == ',')
            *c = '.';
    sprag_text_add(text, "%s", buffer);
}

void page_json_numbers(SpragText *text, int count, const double *values)
{
    sprag_text_add(text, "[");
    for (int i = 0; i < count; i++) {
        sprag_text_add(text, i ? "," : "");
        page_json_number(text, values[i]);
    }
    sprag_text_add(text, "]");
}

// literal.c: the words of formulas: spaces, names, numbers with their units.
// Units are read left to right after a number: "5 N/mm", "7 N s/m", "N/(mm s)", "m/s^2". A name
// after * or / that is both a unit and a parameter is refused rather than guessed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

void skip_spaces(Formula *f)
{
    while (*f->at == ' ' || *f->at == '\t' || *f->at == '\n' || *f->at == '\r')
        f->at++;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

// Signs beyond ASCII that are no letters.
static bool is_sign(const char *text)
{
    static const char *const signs[] = {"·", "²", "³", "°"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

size_t word_length(const char *text)
{
    size_t length = 0;
    if (is_letter(text[0]))
        while ((is_letter(text[length]) || is_digit(text[length])) && !is_sign(text + length))
            length++;
    return length;
}

SpragStatus complain(Formula *f, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_at(f->reader, f->node, "%s: %s in \"%s\"", f->what, text,
                   shown(f->reader, f->text));
}

SpragStatus check_finite(Formula *f, const Value *value)
{
    if (isnan(value->number))
        return complain(f, "a result is not a number");
    return isinf(value->number) ? complain(f, "a number is too large") : SPRAG_OK;
}

Value plain(double number)
{
    Value value = {number, VALUE_PLAIN, {0, 0, 0, 0}, false};
    return value;
}

// ---- Numbers and units --------------------------------------------------------------------------

bool take_symbol(Formula *f, const char *symbol)
{
    size_t length = strlen(symbol);
    if (strncmp(f->at, symbol, length) != 0)
        return false;
    f->at += length;
    return true;
}

size_t number_length(const char *text)
{
    size_t i = 0, digits = 0;
    for (; is_digit(text[i]); i++)
        digits++;
    if (text[i] == '.')
        for (i++; is_digit(text[i]); i++)
            digits++;
    if (digits == 0)
        return 0;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t j = i + 1;
        if (text[j] == '+' || text[j] == '-')
            j++;
        if (is_digit(text[j])) {
            while (is_digit(text[j]))
                j++;
            i = j;
        }
    }
    return i;
}

// Exponent after a unit; 1 if there is none.
static double read_unit_power(Formula *f)
{
    if (take_symbol(f, "²"))
        return 2;
    if (take_symbol(f, "³"))
        return 3;
    const char *start = f->at;
    skip_spaces(f);
    bool raised = take_symbol(f, "**") || take_symbol(f, "^");
    skip_spaces(f);
    double sign = raised && take_symbol(f, "-") ? -1 : 1;
    size_t length = raised ? number_length(f->at) : 0;
    if (length == 0) {
        f->at = start;
        return 1;
    }
    double power = strtod_l(f->at, NULL, f->reader->locale);
    f->at += length;
    return sign * power;
}

static void scale_unit(Value *value, double factor, Dimension d, double power)
{
    value->number *= power == 1 ? factor : pow(factor, power);
    value->dimension.length += power * d.length;
    value->dimension.mass += power * d.mass;
    value->dimension.time += power * d.time;
    value->dimension.angle += power * d.angle;
    value->state = VALUE_UNIT;
}

// One unit with its power, times or divided by; false: none stands here.
static bool read_unit(Formula *f, Value *value, double sign)
{
    double factor;
    Dimension dimension;
    size_t length = unit_find(f->at, &factor, &dimension);
    const char *after = f->at + length;
    if (length == 0 || (*after == '(' && strncmp(f->at, "min", length) == 0))
        return false;
    f->at = after;
    scale_unit(value, factor, dimension, sign * read_unit_power(f));
    return true;
}

static bool is_parameter_here(Formula *f)
{
    size_t length = word_length(f->at);
    return length > 0 && parameter_find(f->reader, f->node->include, f->at, length) != NULL;
}

const char *take_operator(Formula *f)
{
    static const char *const operators[] = {"·", "*", "/"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(f->at, "**", 2) != 0 && take_symbol(f, operators[i]))
            return operators[i];
    return "";
}

// "N/(m s)": a bracket of units only; false and nothing read if it is something else.
static bool read_unit_bracket(Formula *f, Value *value, double sign)
{
    const char *start = f->at;
    Value inside = *value;
    if (!take_symbol(f, "("))
        return false;
    for (;;) {
        skip_spaces(f);
        if (is_parameter_here(f) || !read_unit(f, &inside, sign))
            break;
        skip_spaces(f);
        if (take_symbol(f, ")")) {
            *value = inside;
            return true;
        }
        if (!take_symbol(f, "*"))
            (void)take_symbol(f, "·");
    }
    f->at = start;
    return false;
}

// Units after a number, left to right.
static SpragStatus read_units(Formula *f, Value *value)
{
    const char *end = f->at;
    skip_spaces(f);
    if (!read_unit(f, value, 1)) {
        f->at = end;
        return SPRAG_OK;
    }
    for (;;) {
        end = f->at;
        skip_spaces(f);
        const char *symbol = take_operator(f);
        skip_spaces(f);
        bool both = symbol[0] && is_parameter_here(f);
        const char *word = f->at;
        double sign = symbol[0] == '/' ? -1 : 1;
        if (!read_unit(f, value, sign) && !(symbol[0] && read_unit_bracket(f, value, sign)))
            break;
        if (both)
            return complain(f,
                            "\"%.*s\" is a unit and a parameter (brackets around what is before "
                            "it make it the parameter: (2 m)*g)",
                            (int)word_length(word), word);
    }
    f->at = end;
    return check_finite(f, value);
}

SpragStatus read_literal(Formula *f, size_t length, Value *value)
{
    char *end;
    double number = strtod_l(f->at, &end, f->reader->locale);
    if (end != f->at + length) // 0x10 and the like
        return complain(f, "a number is not decimal");
    *value = plain(number);
    f->at = end;
    SPRAG_TRY(check_finite(f, value));
    SPRAG_TRY(read_units(f, value));
    skip_spaces(f);
    if (value->state == VALUE_UNIT && (*f->at == '^' || strncmp(f->at, "**", 2) == 0))
        return complain(f, "the exponent of a unit must be a number; brackets make it a power of "
                           "the whole, (2 m)^n");
    return SPRAG_OK;
}

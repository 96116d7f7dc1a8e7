// expression.c: numbers, units and formulas.
// Grammar   sum     = product {("+" | "-") product}
//           product = sign {("*" | "/") sign}
//           sign    = ("-" | "+") sign | power
//           power   = atom [("^" | "**") sign]            so −2^2 = −4 and 2^3^2 = 512
//           atom    = number [units] | name | function "(" sum {"," sum} ")" | "(" sum ")"
//           units   = unit {("*" | "/" | "·" | " ") unit}, unit = name ["^" integer | "²" | "³"]
// Method    recursive descent that computes as it reads; every intermediate result is finite.
// Kinds     a number without unit fits anything in a sum; in a product it is a pure number, unless
//           it came through a parameter without unit: then the kind of the product is unknown.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

static const double PI = 3.14159265358979323846;

typedef struct Formula {
    Reader *reader;
    const Node *node;
    const char *what; // the key, for messages
    const char *text; // whole
    const char *at;   // next byte
} Formula;

static SpragStatus read_sum(Formula *f, Value *value);

static void skip_spaces(Formula *f)
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

static size_t word_length(const char *text)
{
    size_t length = 0;
    if (is_letter(text[0]))
        while ((is_letter(text[length]) || is_digit(text[length])) && !is_sign(text + length))
            length++;
    return length;
}

// "key: what is wrong in "formula"", with the position.
static SpragStatus complain(Formula *f, const char *format, ...) SPRAG_PRINTF(2, 3);
static SpragStatus complain(Formula *f, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_at(f->reader, f->node, "%s: %s in \"%s\"", f->what, text,
                   shown(f->reader, f->text));
}

static SpragStatus check_finite(Formula *f, const Value *value)
{
    if (isnan(value->number))
        return complain(f, "a result is not a number");
    return isinf(value->number) ? complain(f, "a number is too large") : SPRAG_OK;
}

static Value plain(double number)
{
    Value value = {number, VALUE_PLAIN, {0, 0, 0, 0}};
    return value;
}

// ---- Numbers and units --------------------------------------------------------------------------

static const char *take_symbol(Formula *f, const char *symbol)
{
    size_t length = strlen(symbol);
    if (strncmp(f->at, symbol, length) != 0)
        return NULL;
    f->at += length;
    return symbol;
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
    if (!take_symbol(f, "**") && !take_symbol(f, "^")) {
        f->at = start;
        return 1;
    }
    skip_spaces(f);
    double sign = take_symbol(f, "-") ? -1 : 1;
    bool fraction = false;
    const char *digits = f->at;
    double power = 0;
    while (is_digit(*f->at) && f->at < digits + 2)
        power = 10 * power + (*f->at++ - '0');
    fraction = *f->at == '.' || is_digit(*f->at);
    if (f->at == digits || fraction) { // 2 m^x: leave it to the formula
        f->at = start;
        return 1;
    }
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
    return length > 0 && parameter_find(f->reader, f->at, length) != NULL;
}

static const char *take_operator(Formula *f)
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

static size_t number_length(const char *text)
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

static SpragStatus read_literal(Formula *f, size_t length, Value *value)
{
    char *end;
    double number = strtod_l(f->at, &end, f->reader->locale);
    if (end != f->at + length) // 0x10 and the like
        return complain(f, "a number is not decimal");
    *value = plain(number);
    f->at = end;
    SPRAG_TRY(check_finite(f, value));
    return read_units(f, value);
}

// ---- Operations ---------------------------------------------------------------------------------

// Brings two summands to one kind.
static SpragStatus match_kinds(Formula *f, const Value *a, const Value *b, Value *result)
{
    bool both = a->state == VALUE_UNIT && b->state == VALUE_UNIT;
    if (both && !dimension_equal(a->dimension, b->dimension))
        return complain(f, "%s is joined with %s", dimension_name(f->reader, a->dimension),
                        dimension_name(f->reader, b->dimension));
    const Value *known = a->state >= b->state ? a : b;
    result->state = known->state;
    result->dimension = known->dimension;
    return SPRAG_OK;
}

static void multiply_kinds(const Value *a, const Value *b, double sign, Value *result)
{
    result->state = a->state > b->state ? a->state : b->state;
    if (a->state == VALUE_FREE || b->state == VALUE_FREE)
        result->state = VALUE_FREE;
    result->dimension.length = a->dimension.length + sign * b->dimension.length;
    result->dimension.mass = a->dimension.mass + sign * b->dimension.mass;
    result->dimension.time = a->dimension.time + sign * b->dimension.time;
    result->dimension.angle = a->dimension.angle + sign * b->dimension.angle;
}

static SpragStatus need_pure(Formula *f, const Value *value, const char *what, bool angle_too)
{
    Dimension rest = value->dimension;
    if (angle_too)
        rest.angle = 0;
    Dimension none = {0, 0, 0, 0};
    if (value->state == VALUE_UNIT && !dimension_equal(rest, none))
        return complain(f, "%s takes a number without unit, got %s", what,
                        dimension_name(f->reader, value->dimension));
    return SPRAG_OK;
}

static SpragStatus raise_to(Formula *f, const Value *base, const Value *power, Value *result)
{
    SPRAG_TRY(need_pure(f, power, "an exponent", false));
    if (base->number == 0 && power->number < 0)
        return complain(f, "division by zero");
    if (base->number < 0 && power->number != floor(power->number))
        return complain(f, "a fractional power of a negative number");
    Value raised = *base;
    raised.number = pow(base->number, power->number);
    raised.dimension.length *= power->number;
    raised.dimension.mass *= power->number;
    raised.dimension.time *= power->number;
    raised.dimension.angle *= power->number;
    *result = raised;
    return check_finite(f, result);
}

// ---- Functions ----------------------------------------------------------------------------------

typedef struct Function {
    const char *name;
    double (*one)(double); // one argument
    double (*two)(double, double);
    bool repeats; // takes two or more: min, max
    enum { TAKES_ANGLE, TAKES_PURE, TAKES_ANY, TAKES_SQUARE } takes;
    double least, most; // of a single argument
    bool open;          // least itself is excluded
} Function;

static const Function FUNCTIONS[] = {
    {"sin", sin, NULL, false, TAKES_ANGLE, -INFINITY, INFINITY, false},
    {"cos", cos, NULL, false, TAKES_ANGLE, -INFINITY, INFINITY, false},
    {"tan", tan, NULL, false, TAKES_ANGLE, -INFINITY, INFINITY, false},
    {"asin", asin, NULL, false, TAKES_PURE, -1, 1, false},
    {"acos", acos, NULL, false, TAKES_PURE, -1, 1, false},
    {"atan", atan, NULL, false, TAKES_PURE, -INFINITY, INFINITY, false},
    {"exp", exp, NULL, false, TAKES_PURE, -INFINITY, INFINITY, false},
    {"log", log, NULL, false, TAKES_PURE, 0, INFINITY, true},
    {"sqrt", sqrt, NULL, false, TAKES_SQUARE, 0, INFINITY, false},
    {"abs", fabs, NULL, false, TAKES_ANY, -INFINITY, INFINITY, false},
    {"atan2", NULL, atan2, false, TAKES_PURE, 0, 0, false},
    {"min", NULL, fmin, true, TAKES_ANY, 0, 0, false},
    {"max", NULL, fmax, true, TAKES_ANY, 0, 0, false},
};

static const Function *find_function(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (strlen(FUNCTIONS[i].name) == length && strncmp(FUNCTIONS[i].name, name, length) == 0)
            return &FUNCTIONS[i];
    return NULL;
}

static SpragStatus apply_one(Formula *f, const Function *function, Value *value)
{
    if (function->takes == TAKES_ANGLE || function->takes == TAKES_PURE)
        SPRAG_TRY(need_pure(f, value, function->name, function->takes == TAKES_ANGLE));
    double x = value->number;
    if (x < function->least || x > function->most || (function->open && x == function->least))
        return complain(f, "%s of %g is not a real number", function->name, x);
    if (function->takes == TAKES_SQUARE) {
        Value half = plain(0.5);
        SPRAG_TRY(raise_to(f, value, &half, value));
        value->number = sqrt(x); // rounds better than pow
        return SPRAG_OK;
    }
    Value result = function->takes == TAKES_ANY ? *value : plain(0);
    result.number = function->one(x);
    *value = result;
    return check_finite(f, value);
}

static SpragStatus apply_two(Formula *f, const Function *function, const Value *second,
                             Value *value)
{
    Value matched = plain(function->two(value->number, second->number));
    SPRAG_TRY(match_kinds(f, value, second, &matched));
    *value = function->repeats ? matched : plain(matched.number);
    return SPRAG_OK;
}

static SpragStatus read_call(Formula *f, const Function *function, Value *value)
{
    int count = 1;
    SPRAG_TRY(read_sum(f, value));
    for (skip_spaces(f); take_symbol(f, ","); skip_spaces(f)) {
        Value next;
        SPRAG_TRY(read_sum(f, &next));
        count++;
        if (function->two)
            SPRAG_TRY(apply_two(f, function, &next, value));
    }
    if (!take_symbol(f, ")"))
        return complain(f, "a closing bracket is missing");
    bool right = function->one ? count == 1 : function->repeats ? count >= 2 : count == 2;
    if (!right)
        return complain(f, "%s takes %s, got %d", function->name,
                        function->one       ? "one number"
                        : function->repeats ? "two or more numbers"
                                            : "two numbers",
                        count);
    return function->one ? apply_one(f, function, value) : SPRAG_OK;
}

// ---- Grammar ------------------------------------------------------------------------------------

static bool find_in_scope(const Node *node, const char *name, size_t length, double *value)
{
    for (const Scope *scope = node->scope; scope; scope = scope->outer)
        if (strlen(scope->name) == length && strncmp(scope->name, name, length) == 0) {
            *value = scope->value;
            return true;
        }
    return false;
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && strncasecmp(word, text, length) == 0;
}

static SpragStatus unknown_word(Formula *f, const char *word, size_t length)
{
    Reader *reader = f->reader;
    char *copy = sprag_arena_alloc(reader->arena, length + 1, 1);
    int count = reader->parameter_count;
    const char **names = sprag_arena_alloc(reader->arena, (size_t)count + 1, sizeof *names);
    if (!copy || !names)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, word, length);
    if (is_word(word, length, "nan") || is_word(word, length, "inf") ||
        is_word(word, length, "infinity"))
        return complain(f, "a number must be finite, got \"%s\"", copy);
    for (int i = 0; i < count; i++)
        names[i] = reader->parameters[i].name;
    double factor;
    Dimension dimension;
    if (unit_find(copy, &factor, &dimension) == length)
        return complain(f, "the unit \"%s\" must follow a number", copy);
    return complain(f, "\"%s\" is no parameter, function or unit%s", shown(reader, copy),
                    suggestion(reader, copy, names, count));
}

static SpragStatus read_word_value(Formula *f, Value *value)
{
    const char *word = f->at;
    size_t length = word_length(word);
    f->at += length;
    double number;
    if (find_in_scope(f->node, word, length, &number)) {
        *value = plain(number);
        return SPRAG_OK;
    }
    const Function *function = find_function(word, length);
    skip_spaces(f);
    if (function && take_symbol(f, "("))
        return read_call(f, function, value);
    Parameter *parameter = parameter_find(f->reader, word, length);
    if (parameter) {
        SPRAG_TRY(parameter_evaluate(f->reader, parameter));
        *value = parameter->value;
        if (value->state == VALUE_PLAIN)
            value->state = VALUE_FREE;
        return SPRAG_OK;
    }
    if (is_word(word, length, "pi")) {
        *value = plain(PI);
        return SPRAG_OK;
    }
    if (is_word(word, length, "t"))
        return complain(f, "a value may not vary in time here: t");
    return unknown_word(f, word, length);
}

static SpragStatus unexpected(Formula *f)
{
    if (!*f->at)
        return complain(f, "something is missing at the end");
    if (f->at[0] == '.' && is_letter(f->at[1])) // .inf, .nan
        return complain(f, "a number must be finite, got \"%s\"", shown(f->reader, f->at));
    return complain(f, "unexpected \"%s\"", shown(f->reader, f->at));
}

static SpragStatus read_atom(Formula *f, Value *value)
{
    skip_spaces(f);
    size_t length = number_length(f->at);
    if (length > 0)
        return read_literal(f, length, value);
    if (word_length(f->at) > 0)
        return read_word_value(f, value);
    if (!take_symbol(f, "("))
        return unexpected(f);
    SPRAG_TRY(read_sum(f, value));
    skip_spaces(f);
    return take_symbol(f, ")") ? SPRAG_OK : complain(f, "a closing bracket is missing");
}

// sign and power together, so that one counter bounds the depth of the recursion.
static SpragStatus read_sign(Formula *f, Value *value)
{
    SpragStatus status;
    if (f->reader->expression_depth >= MAX_EXPRESSION_DEPTH)
        return complain(f, "too many levels of brackets, signs, powers or parameters");
    f->reader->expression_depth++;
    skip_spaces(f);
    if (*f->at == '-' || *f->at == '+') {
        double sign = *f->at++ == '-' ? -1 : 1;
        SPRAG_TRY_CLEANUP(read_sign(f, value));
        value->number *= sign;
        goto cleanup;
    }
    SPRAG_TRY_CLEANUP(read_atom(f, value));
    skip_spaces(f);
    if (take_symbol(f, "**") || take_symbol(f, "^")) {
        Value power;
        SPRAG_TRY_CLEANUP(read_sign(f, &power));
        status = raise_to(f, value, &power, value);
    }
cleanup:
    f->reader->expression_depth--;
    return status;
}

static SpragStatus read_product(Formula *f, Value *value)
{
    SPRAG_TRY(read_sign(f, value));
    for (;;) {
        skip_spaces(f);
        const char *symbol = take_operator(f);
        if (!symbol[0])
            return SPRAG_OK;
        Value next, result;
        SPRAG_TRY(read_sign(f, &next));
        bool divide = symbol[0] == '/';
        if (divide && next.number == 0)
            return complain(f, "division by zero");
        result.number = divide ? value->number / next.number : value->number * next.number;
        multiply_kinds(value, &next, divide ? -1 : 1, &result);
        *value = result;
        SPRAG_TRY(check_finite(f, value));
    }
}

static SpragStatus read_sum(Formula *f, Value *value)
{
    SPRAG_TRY(read_product(f, value));
    for (;;) {
        skip_spaces(f);
        double sign = *f->at == '-' ? -1 : 1;
        if (*f->at != '+' && *f->at != '-')
            return SPRAG_OK;
        f->at++;
        Value next, result;
        SPRAG_TRY(read_product(f, &next));
        SPRAG_TRY(match_kinds(f, value, &next, &result));
        result.number = value->number + sign * next.number;
        *value = result;
        SPRAG_TRY(check_finite(f, value));
    }
}

SpragStatus expression_evaluate(Reader *reader, const Node *node, const char *what,
                                const char *text, Value *value)
{
    Formula f = {reader, node, what, text, text};
    SPRAG_TRY(read_sum(&f, value));
    skip_spaces(&f);
    return *f.at ? unexpected(&f) : SPRAG_OK;
}

// expression.c: formulas: their grammar, functions, and the kinds of their values.
// Grammar   sum     = product {("+" | "-") product}
//           product = sign {("*" | "/") sign}
//           sign    = ("-" | "+") sign | power
//           power   = atom [("^" | "**") sign]            so −2^2 = −4 and 2^3^2 = 512
//           atom    = number [units] | name | function "(" sum {"," sum} ")" | "(" sum ")"
//           units   = unit {("*" | "/" | "·" | " ") unit}, unit = name ["^" integer | "²" | "³"]
// Method    recursive descent that computes as it reads; every intermediate result is finite.
// In time   where a value may vary in time, t is a name, and every operation is noted as it is
// done:
//           the list is the formula in postfix order, to be evaluated at other times (program.c).
// Kinds     a number without unit fits anything in a sum; in a product it is a pure number, unless
//           it came through a parameter without unit: then the kind of the product is unknown.
//           t is a time or a number of seconds: 300 rpm*t and 2 mm*sin(60*t) are both read.
#include <math.h>
#include <string.h>

#include "formula.h"

static const double PI = 3.14159265358979323846;

static SpragStatus read_sum(Formula *f, Value *value);

// ---- Operations ---------------------------------------------------------------------------------

// Brings two summands to one kind.
static SpragStatus match_kinds(Formula *f, const Value *a, const Value *b, Value *result)
{
    bool both = a->state == VALUE_UNIT && b->state == VALUE_UNIT;
    Dimension second = b->dimension;
    if (a->timed || b->timed)
        second.time = a->dimension.time;
    if (both && !dimension_equal(a->dimension, second))
        return complain(f, "%s is joined with %s", dimension_name(f->reader, a->dimension),
                        dimension_name(f->reader, b->dimension));
    const Value *known = a->state >= b->state ? a : b;
    if (both && a->timed)
        known = b;
    result->state = known->state;
    result->dimension = known->dimension;
    result->timed = known->timed;
    return SPRAG_OK;
}

static void multiply_kinds(const Value *a, const Value *b, double sign, Value *result)
{
    result->state = a->state > b->state ? a->state : b->state;
    if (a->state == VALUE_FREE || b->state == VALUE_FREE)
        result->state = VALUE_FREE;
    result->timed = result->state == VALUE_UNIT &&
                    (a->timed || b->timed || a->state == VALUE_TIMED || b->state == VALUE_TIMED);
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
    if (value->timed)
        rest.time = 0;
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
    SPRAG_TRY(emit_two(f, function->two));
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
    if (!function->one)
        return SPRAG_OK;
    SPRAG_TRY(emit_one(f, function->one));
    return apply_one(f, function, value);
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
    int count;
    const Parameter *parameters = parameter_list(reader, f->node->include, &count);
    const char **names = sprag_arena_alloc(reader->arena, (size_t)count + 1, sizeof *names);
    if (!copy || !names)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, word, length);
    if (is_word(word, length, "nan") || is_word(word, length, "inf") ||
        is_word(word, length, "infinity"))
        return complain(f, "a number must be finite, got \"%s\"", copy);
    for (int i = 0; i < count; i++)
        names[i] = parameters[i].name;
    double factor;
    Dimension dimension;
    if (unit_find(copy, &factor, &dimension) == length)
        return complain(f, "the unit \"%s\" must follow a number", copy);
    return complain(f, "\"%s\" is no parameter, function or unit%s", shown(reader, copy),
                    suggestion(reader, copy, names, count));
}

static SpragStatus take_parameter(Reader *reader, Parameter *parameter, Value *value)
{
    SPRAG_TRY(parameter_evaluate(reader, parameter));
    reader->varied |= parameter->varies;
    *value = parameter->value;
    if (value->state == VALUE_PLAIN)
        value->state = VALUE_FREE;
    return SPRAG_OK;
}

static SpragStatus read_word_value(Formula *f, Value *value)
{
    const char *word = f->at;
    size_t length = word_length(word);
    f->at += length;
    double number;
    if (find_in_scope(f->node, word, length, &number)) {
        f->reader->varied |= VARIES_IN_COPIES;
        *value = plain(number);
        return emit_number(f, number);
    }
    const Function *function = find_function(word, length);
    skip_spaces(f);
    if (function && take_symbol(f, "("))
        return read_call(f, function, value);
    Parameter *parameter = parameter_find(f->reader, f->node->include, word, length);
    if (parameter) {
        SPRAG_TRY(take_parameter(f->reader, parameter, value));
        return emit_number(f, value->number);
    }
    if (is_word(word, length, "pi")) {
        *value = plain(PI);
        return emit_number(f, PI);
    }
    if (is_word(word, length, "t") && f->program) {
        *value = plain(0);
        value->state = VALUE_TIMED;
        return emit_time(f);
    }
    if (is_word(word, length, "t"))
        return complain(f, "a value may not vary in time here: t");
    return unknown_word(f, word, length);
}

static SpragStatus unexpected(Formula *f)
{
    if (!*f->at)
        return complain(f, "something is missing at the end");
    if (f->at[0] == '.' && word_length(f->at + 1) > 0) // .inf, .nan
        return complain(f, "a number must be finite, got \"%s\"", shown(f->reader, f->at));
    return complain(f, "unexpected \"%s\"", shown(f->reader, f->at));
}

static SpragStatus read_atom(Formula *f, Value *value)
{
    skip_spaces(f);
    size_t length = number_length(f->at);
    if (length > 0) {
        SPRAG_TRY(read_literal(f, length, value));
        return emit_number(f, value->number);
    }
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
        if (sign < 0)
            status = emit_one(f, negative);
        goto cleanup;
    }
    SPRAG_TRY_CLEANUP(read_atom(f, value));
    skip_spaces(f);
    if (take_symbol(f, "**") || take_symbol(f, "^")) {
        Value power;
        SPRAG_TRY_CLEANUP(read_sign(f, &power));
        SPRAG_TRY_CLEANUP(emit_two(f, pow));
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
        SPRAG_TRY(emit_two(f, divide ? quotient : product));
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
        SPRAG_TRY(emit_two(f, sign < 0 ? difference : sum));
        result.number = value->number + sign * next.number;
        *value = result;
        SPRAG_TRY(check_finite(f, value));
    }
}

// The parameter, from 1, that is all of a formula which was read; 0: there is more to it. The tree
// and with it the list of parameters stay the same, so that the number holds for the next walk.
static int lone_parameter(const Formula *f)
{
    size_t length = word_length(f->text);
    double number;
    if (length == 0 || f->text[length] || find_in_scope(f->node, f->text, length, &number))
        return 0;
    const Include *include = f->node->include;
    const Parameter *parameter = parameter_find(f->reader, include, f->text, length);
    int count;
    return parameter ? (int)(parameter - parameter_list(f->reader, include, &count)) + 1 : 0;
}

SpragStatus expression_evaluate(Reader *reader, const Node *node, const char *what,
                                const char *text, Value *value)
{
    if (text == node->text && (node->known || node->varies)) {
        reader->varied |= node->varies;
        *value = node->varies ? *node->given : node->value;
        return SPRAG_OK;
    }
    if (text == node->text && node->parameter > 0) {
        int count;
        Parameter *list = parameter_list(reader, node->include, &count);
        return take_parameter(reader, &list[node->parameter - 1], value);
    }
    return expression_compile(reader, node, what, text, value, NULL);
}

SpragStatus expression_compile(Reader *reader, const Node *node, const char *what, const char *text,
                               Value *value, Program *program)
{
    Formula f = {reader, node, what, text, text, program};
    uint32_t outer = reader->varied;
    reader->varied = 0;
    SPRAG_TRY(read_sum(&f, value));
    skip_spaces(&f);
    if (*f.at)
        return unexpected(&f);
    if (!program && reader->keeps && !(reader->varied & ~VARIES_IN_COPIES) && text == node->text) {
        Node *kept = (Node *)node; // the tree belongs to the reader
        kept->value = *value;
        kept->known = true;
    } else if (!program && reader->keeps && text == node->text) {
        ((Node *)node)->parameter = lone_parameter(&f);
    }
    reader->varied |= outer;
    return SPRAG_OK;
}

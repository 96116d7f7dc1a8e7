// record_number.c: a double as text with the fewest of 15, 16 or 17 digits that give it back.
//
// Problem   decimal digits c and exponent e with strtod(c × 10^(e − 16)) = x; 17 digits always do
// Method    Y = x 10^(16 − e), in 10^16 … 10^17, as an unevaluated sum high + low whose error is
//           some 1e-31 of it: powers of ten up to 10^22 are doubles, and a product's rounding error
//           is one fused multiply-add. D is Y rounded. A shorter c, D rounded to 16 or 15 digits,
//           reads back as x if |c − Y| is less than half the distance of x to its neighbour.
// Assumes   FLT_EVAL_METHOD 0, rounding to nearest. Outside of FROM … TO, where products of two
//           powers of ten do not reach, the C library's printf and strtod decide.
// The C library alone would do, at some 1.7 µs a number: forty times what computing it took.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_private.h"

enum { DIGITS = 17, EXACT_DIGITS = 15, EXACT_POWERS = 22 };

#define FROM 1e-27
#define TO 1e15 // below it a number that is no integer has digits behind the point

static const double powers_of_ten[EXACT_POWERS + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Y = D + rest, |rest| ≤ ½ (and the error above).
typedef struct Scaled {
    int64_t D;
    double rest;
    double power; // 10^(16 − e) to the accuracy of a double
} Scaled;

static Scaled scale(double x, int exponent)
{
    int shift = DIGITS - 1 - exponent;
    int first = shift < EXACT_POWERS ? shift : EXACT_POWERS;
    double power = powers_of_ten[first];
    double high = x * power, low = fma(x, power, -high);
    if (shift > first) {
        double more = powers_of_ten[shift - first];
        double product = high * more;
        low = fma(high, more, -product) + low * more;
        high = product + low;
        low -= high - product;
        power *= more;
    }
    // high is beyond 2^53, so an even integer: ties go to even, as in printf
    double whole = rint(low);
    return (Scaled){(int64_t)high + (int64_t)whole, low - whole, power};
}

// D + rest rounded to a multiple of `unit`, ties to even.
static int64_t round_to(const Scaled *scaled, int64_t unit)
{
    int64_t below = scaled->D / unit, left = scaled->D % unit;
    double beyond = (double)(2 * left - unit) + 2 * scaled->rest;
    bool up = beyond > 0 || (beyond == 0 && below % 2 != 0);
    return (below + up) * unit;
}

// The digits of x > 0 in FROM … TO as a number of 17 digits; its first stands at 10^*exponent.
static int64_t find_digits(double x, int *exponent)
{
    const double ten_to_17 = 1e17, log10_of_2 = 0.30102999566398119521, safe = 1 - 1e-10;
    int binary;
    double mantissa = frexp(x, &binary);
    // never too large, at most one too small
    *exponent = (int)floor((binary - 1) * log10_of_2);
    Scaled scaled = scale(x, *exponent);
    if ((double)scaled.D >= ten_to_17)
        scaled = scale(x, ++*exponent);
    // half the distance to the neighbours, in units of the 17th digit; below a power of two it is
    // half of that
    double above = ldexp(scaled.power, binary - 54) * safe;
    double below = mantissa == 0.5 ? 0.5 * above : above;
    int64_t digits = scaled.D;
    for (int64_t unit = 100; unit >= 10; unit /= 10) {
        int64_t shorter = round_to(&scaled, unit);
        double error = (double)(shorter - scaled.D) - scaled.rest;
        if (error < above && -error < below) {
            digits = shorter;
            break;
        }
    }
    if ((double)digits >= ten_to_17) {
        digits /= 10;
        ++*exponent;
    }
    return digits;
}

// "1.25e-07", or "0.00125" and "12.5" where printf's %g writes it so.
static size_t write_digits(int64_t digits, int exponent, char *text)
{
    char *end = text, figures[DIGITS + 1];
    int count = DIGITS;
    for (; digits % 10 == 0; digits /= 10)
        count--;
    for (int i = count; i-- > 0; digits /= 10)
        figures[i] = (char)('0' + digits % 10);
    int point = exponent + 1; // figures before it
    if (exponent < -4)
        point = 1;
    if (point <= 0) {
        memcpy(end, "0.0000", (size_t)(2 - point));
        end += 2 - point;
        point = 0;
    }
    for (int i = 0; i < count; i++) {
        if (i == point && i > 0)
            *end++ = '.';
        *end++ = figures[i];
    }
    *end = 0;
    if (exponent < -4)
        end += snprintf(end, 8, "e%03d", exponent);
    return (size_t)(end - text);
}

// The program around us may have set a locale with another decimal point: whatever is no part of a
// number becomes one point.
static size_t restore_point(char *text)
{
    char *end = text;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-e", *c))
            *end++ = *c;
        else if (end == text || end[-1] != '.')
            *end++ = '.';
    }
    *end = 0;
    return (size_t)(end - text);
}

static size_t write_by_library(double x, char *text)
{
    for (int precision = EXACT_DIGITS; precision <= DIGITS; precision++) {
        snprintf(text, NUMBER_BYTES, "%.*g", precision, x);
        if (precision == DIGITS || strtod(text, NULL) == x)
            break;
    }
    return restore_point(text);
}

size_t number_write(double x, char text[NUMBER_BYTES])
{
    double size = fabs(x);
    if (!isfinite(x))
        return (size_t)snprintf(text, NUMBER_BYTES, "%s",
                                isnan(x) ? "nan"
                                : x > 0  ? "inf"
                                         : "-inf");
    if (size < TO && x == trunc(x))
        return (size_t)snprintf(text, NUMBER_BYTES, "%lld", (long long)x);
    if (size < FROM || size >= TO)
        return write_by_library(x, text);
    int exponent;
    int64_t digits = find_digits(size, &exponent);
    if (x < 0)
        *text = '-';
    return (x < 0) + write_digits(digits, exponent, text + (x < 0));
}

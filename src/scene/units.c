// units.c: units of scene files and the names of kinds of quantities.
// Exponents are doubles because sqrt and ^ may make them fractions. Angles have an exponent of
// their own, so that 30 deg is no friction coefficient; it is ignored beside other dimensions (the
// radian in N m/rad or m/s = rad/s × m).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_private.h"

static const double PI = 3.14159265358979323846;

typedef struct Unit {
    const char *name;
    double factor;
    Dimension dimension;
} Unit;

#define LENGTH                                                                                     \
    {                                                                                              \
        1, 0, 0, 0                                                                                 \
    }
#define MASS                                                                                       \
    {                                                                                              \
        0, 1, 0, 0                                                                                 \
    }
#define TIME                                                                                       \
    {                                                                                              \
        0, 0, 1, 0                                                                                 \
    }
#define ANGLE                                                                                      \
    {                                                                                              \
        0, 0, 0, 1                                                                                 \
    }
#define FORCE                                                                                      \
    {                                                                                              \
        1, 1, -2, 0                                                                                \
    }
#define PRESSURE                                                                                   \
    {                                                                                              \
        -1, 1, -2, 0                                                                               \
    }
#define ENERGY                                                                                     \
    {                                                                                              \
        2, 1, -2, 0                                                                                \
    }
#define POWER                                                                                      \
    {                                                                                              \
        2, 1, -3, 0                                                                                \
    }
#define FREQUENCY                                                                                  \
    {                                                                                              \
        0, 0, -1, 0                                                                                \
    }
#define SPIN                                                                                       \
    {                                                                                              \
        0, 0, -1, 1                                                                                \
    }

static const Unit UNITS[] = {
    {"nm", 1e-9, LENGTH},    {"um", 1e-6, LENGTH},   {"µm", 1e-6, LENGTH},   {"μm", 1e-6, LENGTH},
    {"mm", 1e-3, LENGTH},    {"cm", 1e-2, LENGTH},   {"dm", 1e-1, LENGTH},   {"m", 1, LENGTH},
    {"km", 1e3, LENGTH},     {"us", 1e-6, TIME},     {"µs", 1e-6, TIME},     {"μs", 1e-6, TIME},
    {"ms", 1e-3, TIME},      {"s", 1, TIME},         {"min", 60, TIME},      {"h", 3600, TIME},
    {"mg", 1e-6, MASS},      {"g", 1e-3, MASS},      {"kg", 1, MASS},        {"mN", 1e-3, FORCE},
    {"N", 1, FORCE},         {"kN", 1e3, FORCE},     {"MN", 1e6, FORCE},     {"Pa", 1, PRESSURE},
    {"kPa", 1e3, PRESSURE},  {"MPa", 1e6, PRESSURE}, {"GPa", 1e9, PRESSURE}, {"mJ", 1e-3, ENERGY},
    {"J", 1, ENERGY},        {"kJ", 1e3, ENERGY},    {"Nm", 1, ENERGY},      {"W", 1, POWER},
    {"kW", 1e3, POWER},      {"mrad", 1e-3, ANGLE},  {"rad", 1, ANGLE},      {"Hz", 1, FREQUENCY},
    {"kHz", 1e3, FREQUENCY}, {"deg", 0, ANGLE},      {"°", 0, ANGLE},        {"rev", 0, ANGLE},
    {"rpm", 0, SPIN},
};

// Factors with π, which a constant initialiser cannot compute exactly the same way everywhere.
static double factor_of(const Unit *unit)
{
    if (unit->factor != 0)
        return unit->factor;
    if (strcmp(unit->name, "rev") == 0)
        return 2 * PI;
    return strcmp(unit->name, "rpm") == 0 ? 2 * PI / 60 : PI / 180;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t unit_find(const char *text, double *factor, Dimension *dimension)
{
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        size_t length = strlen(UNITS[i].name);
        if (strncmp(text, UNITS[i].name, length) != 0 || is_word_byte(text[length]))
            continue;
        *factor = factor_of(&UNITS[i]);
        *dimension = UNITS[i].dimension;
        return length;
    }
    return 0;
}

bool dimension_equal(Dimension a, Dimension b)
{
    const double slack = 1e-9; // exponents are small fractions
    return fabs(a.length - b.length) < slack && fabs(a.mass - b.mass) < slack &&
           fabs(a.time - b.time) < slack && fabs(a.angle - b.angle) < slack;
}

// "kg m/s^2" piece by piece.
static void add_power(SpragText *text, const char *symbol, double exponent)
{
    if (exponent == 0)
        return;
    sprag_text_add(text, "%s%s", text->length > 0 ? " " : "", symbol);
    if (exponent != 1)
        sprag_text_add(text, "^%g", exponent);
}

static const char *spell(Reader *reader, Dimension d)
{
    SpragText text;
    sprag_text_init(&text, reader->context);
    sprag_text_add(&text, "a value in");
    add_power(&text, "kg", d.mass);
    add_power(&text, "m", d.length);
    add_power(&text, "s", d.time);
    add_power(&text, "rad", d.angle);
    const char *spelled = text.bytes && !text.failed ? shown(reader, text.bytes) : "?";
    sprag_text_destroy(&text);
    return spelled;
}

const char *dimension_name(Reader *reader, Dimension dimension)
{
    static const struct {
        Dimension dimension;
        const char *name;
    } names[] = {
        {{0, 0, 0, 0}, "a number without unit"},
        {LENGTH, "a length (m)"},
        {MASS, "a mass (kg)"},
        {TIME, "a time (s)"},
        {ANGLE, "an angle (rad, deg)"},
        {FORCE, "a force (N)"},
        {PRESSURE, "a pressure (Pa)"},
        {ENERGY, "a torque or energy (N m)"},
        {POWER, "a power (W)"},
        {FREQUENCY, "a frequency (Hz)"},
        {SPIN, "an angular velocity (rad/s, rpm)"},
        {{1, 0, -1, 0}, "a velocity (m/s)"},
        {{1, 0, -2, 0}, "an acceleration (m/s^2)"},
        {{2, 0, 0, 0}, "an area (m^2)"},
        {{2, 1, 0, 0}, "an inertia (kg m^2)"},
        {{-2, 1, 0, 0}, "a density (kg/m^2)"},
        {{0, 1, -2, 0}, "a stiffness (N/m)"},
        {{0, 1, -1, 0}, "a damping (N s/m)"},
        {{-1, 0, 1, 0}, "an inverse velocity (s/m)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dimension_equal(names[i].dimension, dimension))
            return names[i].name;
    return spell(reader, dimension);
}

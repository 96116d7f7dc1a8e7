// map_words.c: what the classes and axes of a map are called and how they look.
#include "map_words.h"

#include <stdio.h>
#include <string.h>

// A drive has words of its own for what cannot be, and for no motion (sprag_pair_outcome).
static bool is_drive_that_jams(const SpragOutcome *outcome)
{
    return outcome->kind == SPRAG_VERDICT_NONE && strcmp(outcome->modes, "jam") == 0;
}

static bool separates(const SpragOutcome *outcome)
{
    return strncmp(outcome->modes, "separate", 8) == 0 && !strstr(outcome->modes, "sli") &&
           !strstr(outcome->modes, "stick");
}

FigureFill class_fill(const SpragMapClass *class)
{
    static const FigureFill unique = {.colour = UNIQUE_FILL}, held = {.colour = HELD_FILL},
                            free_motion = {.colour = OPEN_FILL},
                            unstable = {NONE_FILL, FIGURE_DASHES, NONE, false},
                            several = {SEVERAL_FILL, FIGURE_STRIPES, SEVERAL, false},
                            none = {NONE_FILL, FIGURE_CROSSES, NONE, false},
                            infinite = {COMPLIANT_FILL, FIGURE_HATCH, COMPLIANT, false},
                            invalid = {WHITE, FIGURE_GREY, INK3, false};
    const SpragOutcome *outcome = &class->outcome;
    if (!class->valid)
        return invalid;
    switch (outcome->kind) {
    case SPRAG_VERDICT_MULTIPLE:
        return several;
    case SPRAG_VERDICT_NONE:
        return none;
    case SPRAG_VERDICT_INFINITE:
        return infinite;
    case SPRAG_VERDICT_OPEN:
        return free_motion;
    default:
        break;
    }
    if (outcome->stable_count == 0)
        return unstable;
    if (outcome->held)
        return held;
    return separates(outcome) ? free_motion : unique;
}

unsigned class_text_colour(const SpragMapClass *class)
{
    switch (class_fill(class).pattern) {
    case FIGURE_STRIPES:
        return SEVERAL_TEXT;
    case FIGURE_CROSSES:
    case FIGURE_DASHES:
        return NONE_TEXT;
    case FIGURE_HATCH:
        return COMPLIANT_TEXT;
    case FIGURE_GREY:
        return INK3;
    default:
        return class->outcome.held ? HELD_TEXT : UNIQUE_TEXT;
    }
}

static const char *count_word(int count, char buffer[16])
{
    static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six"};
    if (count >= 0 && count < (int)(sizeof words / sizeof *words))
        return words[count];
    snprintf(buffer, 16, "%d", count);
    return buffer;
}

const char *class_verdict_words(const SpragMapClass *class, char text[WORDS_BYTES])
{
    const SpragOutcome *outcome = &class->outcome;
    char all[16], stable[16];
    if (!class->valid)
        snprintf(text, WORDS_BYTES, "%s",
                 outcome->modes[0] ? "No such drive" : "Bodies cannot be placed");
    else if (outcome->kind == SPRAG_VERDICT_OPEN)
        snprintf(text, WORDS_BYTES, "No contact");
    else if (outcome->kind == SPRAG_VERDICT_NONE)
        snprintf(text, WORDS_BYTES, "No motion");
    else if (outcome->kind == SPRAG_VERDICT_INFINITE)
        snprintf(text, WORDS_BYTES, "A continuum of motions");
    else if (outcome->kind == SPRAG_VERDICT_UNIQUE)
        snprintf(text, WORDS_BYTES, "One motion, %sstable%s", outcome->stable_count ? "" : "not ",
                 outcome->held ? ": held" : "");
    else
        snprintf(text, WORDS_BYTES, "%s motions, %s stable",
                 count_word(outcome->solution_count, all),
                 outcome->stable_count ? count_word(outcome->stable_count, stable) : "none");
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    return text;
}

// A hyphen behind a mode is a minus; bars between motions get room.
static void spell_modes(const char *modes, char *text, size_t size)
{
    size_t used = 0;
    for (; *modes && used + 6 < size; modes++) {
        const char *piece = *modes == '-' ? "−" : *modes == '|' ? " | " : NULL;
        if (piece) {
            memcpy(text + used, piece, strlen(piece));
            used += strlen(piece);
        } else {
            text[used++] = *modes;
        }
    }
    text[used] = 0;
}

const char *class_mode_words(const SpragMapClass *class, char text[WORDS_BYTES])
{
    const SpragOutcome *outcome = &class->outcome;
    if (!class->valid)
        snprintf(text, WORDS_BYTES, "%s",
                 outcome->modes[0] ? "its numbers contradict each other"
                                   : "they overlap, or start cannot be met");
    else if (is_drive_that_jams(outcome))
        snprintf(text, WORDS_BYTES, "it jams: the velocity jumps to 0");
    else if (outcome->kind == SPRAG_VERDICT_NONE)
        snprintf(text, WORDS_BYTES, "an impulse, or a compliant contact");
    else if (outcome->kind == SPRAG_VERDICT_OPEN)
        snprintf(text, WORDS_BYTES, "the bodies move freely");
    else
        spell_modes(outcome->modes, text, WORDS_BYTES);
    return text;
}

const char *class_name_words(const SpragMapClass *class, bool whole, char text[WORDS_BYTES])
{
    const SpragOutcome *outcome = &class->outcome;
    char buffer[16], modes[WORDS_BYTES - 24] = "";
    if (!class->valid || outcome->kind == SPRAG_VERDICT_OPEN ||
        outcome->kind == SPRAG_VERDICT_NONE || outcome->kind == SPRAG_VERDICT_INFINITE) {
        static const char *const words[] = {[SPRAG_VERDICT_NONE] = "none",
                                            [SPRAG_VERDICT_INFINITE] = "continuum",
                                            [SPRAG_VERDICT_OPEN] = "no contact"};
        const char *invalid = outcome->modes[0] ? "no such drive" : "cannot be placed";
        const char *word = is_drive_that_jams(outcome) ? "jam" : words[outcome->kind];
        snprintf(text, WORDS_BYTES, "%s", class->valid ? word : whole ? invalid : "–");
        return text;
    }
    if (whole)
        spell_modes(outcome->modes, modes, sizeof modes);
    snprintf(text, WORDS_BYTES, "%s%s%.300s",
             outcome->held ? "held" : count_word(outcome->solution_count, buffer),
             whole ? ": " : "", modes);
    return text;
}

const char *value_words(const SpragMapValue *about, char text[WORDS_BYTES])
{
    static const char *const known[][2] = {{"determinant", "least determinant"},
                                           {"margin", "margin of friction"},
                                           {"slowest", "slowest eigenvalue of the layer"},
                                           {"growth", "fastest growth of any motion"},
                                           {"damping", "critical damping ratio"},
                                           {"solutions", "number of motions"},
                                           {"stable", "number of stable motions"},
                                           {"layer.imaginary", "largest imaginary part of D"},
                                           {"normal.", "normal force at "},
                                           {"tangential.", "tangential force at "},
                                           {"layer.", "eigenvalue of D, number "},
                                           {"acceleration.", "acceleration "}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i][0]);
        bool open = known[i][0][length - 1] == '.';
        if (strncmp(about->name, known[i][0], length) != 0 || (!open && about->name[length]))
            continue;
        snprintf(text, WORDS_BYTES, "%s%s", known[i][1], open ? about->name + length : "");
        return text;
    }
    snprintf(text, WORDS_BYTES, "%s", about->name);
    return text;
}

const char *value_label(const SpragMapValue *about, char text[WORDS_BYTES])
{
    snprintf(text, WORDS_BYTES, "%s%s%s", about->name, about->unit[0] ? ", " : "", about->unit);
    return text;
}

const char *axis_words(const SpragMapAxis *axis, char text[AXIS_BYTES])
{
    static const char *const greek[][2] = {
        {"alpha", "α"}, {"beta", "β"}, {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ε"},
        {"zeta", "ζ"},  {"eta", "η"},  {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"},
        {"mu", "μ"},    {"nu", "ν"},   {"xi", "ξ"},    {"rho", "ρ"},   {"sigma", "σ"},
        {"tau", "τ"},   {"phi", "φ"},  {"chi", "χ"},   {"psi", "ψ"},   {"omega", "ω"}};
    const char *name = axis->path;
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strcmp(name, greek[i][0]) == 0)
            name = greek[i][1];
    char cut[68];
    snprintf(text, AXIS_BYTES, "%s%s%.23s", figure_cut(name, 64, cut),
             axis->unit_name[0] ? ", " : "", axis->unit_name);
    return text;
}

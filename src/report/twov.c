// twov.c: the two-V diagram: which accelerations does an input allow?
//
// For each direction of motion the input over the acceleration is two half-lines that meet at the
// critical input, theory.md (9.2a), (9.2b), (9.3). They are drawn through two points each, from the
// inverse problem. A branch that falls is not stable: dashed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sprag/report.h"

static const char INK[] = "#1a2126", INK_2[] = "#47525b", INK_3[] = "#5f6b75", LINE[] = "#d8dee3",
                  GRID[] = "#e8ecef", FORWARD[] = "#b04c06", BACK[] = "#0a7566", NONE[] = "#c2183f";

static const double WIDTH = 620, HEIGHT = 430, LEFT = 76, TOP = 70, PLOT_WIDTH = 510,
                    PLOT_HEIGHT = 290;

typedef struct Figure {
    SpragText *text;
    double x0, x1, y0, y1; // ranges of acceleration and input
} Figure;

static double place_x(const Figure *figure, double x)
{
    return LEFT + (x - figure->x0) / (figure->x1 - figure->x0) * PLOT_WIDTH;
}

static double place_y(const Figure *figure, double y)
{
    return TOP + PLOT_HEIGHT - (y - figure->y0) / (figure->y1 - figure->y0) * PLOT_HEIGHT;
}

// ---- Pieces -------------------------------------------------------------------------------------

static void add_escaped(SpragText *text, const char *words)
{
    for (; *words; words++) {
        if (*words == '<')
            sprag_text_add(text, "&lt;");
        else if (*words == '>')
            sprag_text_add(text, "&gt;");
        else if (*words == '&')
            sprag_text_add(text, "&amp;");
        else if ((unsigned char)*words >= 0x20)
            sprag_text_add_bytes(text, words, 1);
    }
}

// A number with a real minus.
static const char *number(double value, char buffer[32])
{
    char plain[24];
    snprintf(plain, sizeof plain, "%.4g", value == 0 ? 0 : value);
    char *out = buffer;
    for (const char *c = plain; *c; c++) {
        if (*c == '-') {
            memcpy(out, "−", 3);
            out += 3;
        } else {
            *out++ = *c;
        }
    }
    *out = 0;
    return buffer;
}

static void add_line(Figure *figure, double xa, double ya, double xb, double yb, const char *style)
{
    sprag_text_add(figure->text, "<path d=\"M%.1f %.1fL%.1f %.1f\" fill=\"none\" %s/>\n", xa, ya,
                   xb, yb, style);
}

static void add_words(Figure *figure, double x, double y, const char *style, const char *words)
{
    sprag_text_add(figure->text, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    add_escaped(figure->text, words);
    sprag_text_add(figure->text, "</text>\n");
}

static void add_dot(Figure *figure, double x, double y, bool stable)
{
    sprag_text_add(figure->text,
                   "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"%s\" "
                   "stroke-width=\"%s\"/>\n",
                   x, y, stable ? INK : "#ffffff", stable ? "#ffffff" : NONE,
                   stable ? "1.2" : "2.2");
}

// ---- Ranges and axes ----------------------------------------------------------------------------

static void include(double value, double *low, double *high)
{
    if (!isfinite(value))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void widen(double *low, double *high)
{
    double span = *high - *low, least = 1e-9 * (fabs(*low) + fabs(*high));
    if (!(span > least))
        span = fmax(fabs(*high), 1);
    *low -= 0.3 * span;
    *high += 0.3 * span;
}

// Acceleration at which the normal force vanishes; NAN: none.
static double kink(const SpragTwoV *v)
{
    double g[3];
    if (v->pair->a[1] == 0)
        return NAN;
    sprag_pair_ratio(v->pair, v->state->position, g);
    double q2 = (v->state->input[1] - v->pair->b[1]) / v->pair->a[1];
    double bend = g[2] * v->state->velocity * v->state->velocity;
    return v->pair->output == 1 ? q2 : g[1] * q2 + bend;
}

static void choose_ranges(const SpragTwoV *v, Figure *figure)
{
    const SpragPairVerdict *verdict = v->verdict;
    figure->x0 = figure->x1 = 0;
    figure->y0 = figure->y1 = v->state->input[0];
    include(kink(v), &figure->x0, &figure->x1);
    include(verdict->tau_cr, &figure->y0, &figure->y1);
    if (!verdict->band_outside) {
        include(verdict->band_low, &figure->y0, &figure->y1);
        include(verdict->band_high, &figure->y0, &figure->y1);
    }
    for (int i = 0; i < verdict->motion_count; i++)
        include(verdict->motions[i].acceleration[v->pair->output], &figure->x0, &figure->x1);
    widen(&figure->x0, &figure->x1);
    widen(&figure->y0, &figure->y1);
}

// 1, 2 or 5 times a power of ten, some `count` of them in the range.
static double tick_step(double from, double to, int count)
{
    double raw = (to - from) / count, power = pow(10, floor(log10(raw))), rest = raw / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static void add_axes(const SpragTwoV *v, Figure *figure)
{
    char style[160], words[32];
    double bottom = TOP + PLOT_HEIGHT, step = tick_step(figure->y0, figure->y1, 6);
    for (double k = ceil(figure->y0 / step); k * step <= figure->y1; k++) {
        double y = place_y(figure, k * step);
        snprintf(style, sizeof style, "stroke=\"%s\"", GRID);
        add_line(figure, LEFT, y, LEFT + PLOT_WIDTH, y, style);
        snprintf(style, sizeof style, "font-size=\"11\" fill=\"%s\" text-anchor=\"end\"", INK_3);
        add_words(figure, LEFT - 8, y + 4, style, number(k * step, words));
    }
    step = tick_step(figure->x0, figure->x1, 8);
    for (double k = ceil(figure->x0 / step); k * step <= figure->x1; k++) {
        double x = place_x(figure, k * step);
        snprintf(style, sizeof style, "stroke=\"%s\"", INK_3);
        add_line(figure, x, bottom, x, bottom + 4, style);
        snprintf(style, sizeof style, "font-size=\"11\" fill=\"%s\" text-anchor=\"middle\"", INK_3);
        add_words(figure, x, bottom + 17, style, number(k * step, words));
    }
    sprag_text_add(figure->text,
                   "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"%s\"/>\n",
                   LEFT, TOP, LEFT, bottom, LEFT + PLOT_WIDTH, bottom, INK_3);
    snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\" text-anchor=\"end\"", INK_2);
    add_words(figure, LEFT + PLOT_WIDTH, bottom + 34, style,
              v->acceleration_label ? v->acceleration_label : "acceleration q″");
    snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\"", INK_2);
    add_words(figure, 24, TOP - 10, style, v->input_label ? v->input_label : "input τ");
}

// ---- The V --------------------------------------------------------------------------------------

// The input of an acceleration while it moves in a direction; false: there is none.
static bool input_at(const SpragTwoV *v, int direction, double acceleration, double *input,
                     bool *stable)
{
    double g[3];
    SpragPairInverse inverse;
    SpragPairState state = *v->state;
    sprag_pair_ratio(v->pair, state.position, g);
    double slip = v->pair->slip[0] * g[1] + v->pair->slip[1];
    state.velocity = copysign(fmax(fabs(state.velocity), 1e-150), slip * direction);
    sprag_pair_inverse(v->pair, &state, acceleration, NULL, &inverse);
    if (inverse.count == 0)
        return false;
    *input = inverse.input[0];
    *stable = inverse.realised[0] != SPRAG_REALISED_UNSTABLE;
    return true;
}

static void add_half_line(const SpragTwoV *v, Figure *figure, int direction, double from, double to)
{
    double middle = 0.5 * (from + to), y[2], ignored;
    bool stable, other;
    char style[160];
    if (!input_at(v, direction, middle, &ignored, &stable) ||
        !input_at(v, direction, from, &y[0], &other) || !input_at(v, direction, to, &y[1], &other))
        return;
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.4\"%s",
             direction > 0 ? FORWARD : BACK, stable ? "" : " stroke-dasharray=\"6 4\"");
    add_line(figure, place_x(figure, from), place_y(figure, y[0]), place_x(figure, to),
             place_y(figure, y[1]), style);
}

static void add_lines(const SpragTwoV *v, Figure *figure)
{
    double w = kink(v);
    char style[120];
    sprag_text_add(figure->text,
                   "<clipPath id=\"plot\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/></clipPath><g clip-path=\"url(#plot)\">\n",
                   LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT);
    snprintf(style, sizeof style, "stroke=\"%s\"", LINE);
    add_line(figure, place_x(figure, 0), TOP, place_x(figure, 0), TOP + PLOT_HEIGHT, style);
    for (int direction = 1; direction >= -1; direction -= 2) {
        bool bent = isfinite(w);
        add_half_line(v, figure, direction, bent ? w : figure->x0, figure->x1);
        if (bent)
            add_half_line(v, figure, direction, w, figure->x0);
    }
    const SpragPairVerdict *verdict = v->verdict;
    if (!verdict->band_outside && isfinite(verdict->band_low) && isfinite(verdict->band_high)) {
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"4.5\" stroke-linecap=\"round\"",
                 INK);
        add_line(figure, place_x(figure, 0), place_y(figure, verdict->band_low), place_x(figure, 0),
                 place_y(figure, verdict->band_high), style);
    }
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.2\" stroke-dasharray=\"2 3\"",
             INK_2);
    double y = place_y(figure, v->state->input[0]);
    add_line(figure, LEFT, y, LEFT + PLOT_WIDTH, y, style);
    sprag_text_add(figure->text, "</g>\n");
}

static void add_marks(const SpragTwoV *v, Figure *figure)
{
    const SpragPairVerdict *verdict = v->verdict;
    static const char halo[] = "paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"4\" "
                               "stroke-linejoin=\"round\"";
    char style[240], words[64], digits[32];
    double w = kink(v), y = place_y(figure, v->state->input[0]);
    if (isfinite(w)) {
        double x = place_x(figure, w), at = place_y(figure, verdict->tau_cr);
        sprag_text_add(
            figure->text,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"%s\" stroke=\"#ffffff\"/>\n", x, at,
            INK_2);
        snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\" text-anchor=\"end\" %s", INK_2,
                 halo);
        snprintf(words, sizeof words, "critical %s", number(verdict->tau_cr, digits));
        add_words(figure, x - 8, at + 17, style, words);
    }
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragPairMotion *motion = &verdict->motions[i];
        add_dot(figure, place_x(figure, motion->acceleration[v->pair->output]), y, motion->stable);
    }
    snprintf(style, sizeof style, "font-size=\"11\" fill=\"%s\" %s", INK_2, halo);
    snprintf(words, sizeof words, "τ = %s", number(v->state->input[0], digits));
    add_words(figure, LEFT + 6, y - 6, style, words);
}

static void add_legend(Figure *figure)
{
    static const struct {
        double x;
        const char *stroke, *more, *words;
    } entries[] = {
        {76, FORWARD, "stroke-width=\"2.4\"", "moving forward"},
        {192, BACK, "stroke-width=\"2.4\"", "moving back"},
        {294, INK_3, "stroke-width=\"2.4\" stroke-dasharray=\"6 4\"", "not stable"},
        {386, INK, "stroke-width=\"4.5\"", "held"},
    };
    char style[160];
    for (int i = 0; i < 4; i++) {
        snprintf(style, sizeof style, "stroke=\"%s\" %s", entries[i].stroke, entries[i].more);
        add_line(figure, entries[i].x, 416, entries[i].x + 18, 416, style);
        snprintf(style, sizeof style, "font-size=\"11\" fill=\"%s\"", INK_2);
        add_words(figure, entries[i].x + 25, 420, style, entries[i].words);
    }
    add_dot(figure, 458, 416, true);
    add_words(figure, 468, 420, style, "motion");
    add_dot(figure, 528, 416, false);
    add_words(figure, 538, 420, style, "not stable");
}

void sprag_report_twov(const SpragTwoV *v, SpragText *text)
{
    Figure figure = {.text = text};
    char style[160];
    choose_ranges(v, &figure);
    sprag_text_add(text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                   "width=\"%.0f\" height=\"%.0f\" font-family=\"system-ui,-apple-system,Segoe "
                   "UI,Roboto,Helvetica Neue,Arial,sans-serif\" role=\"img\" "
                   "font-variant-numeric=\"tabular-nums\"><title>",
                   WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_escaped(text, v->title[0] ? v->title : "Input against acceleration");
    sprag_text_add(text, "</title><desc>");
    add_escaped(text, v->command);
    sprag_text_add(text, "</desc>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
                   WIDTH, HEIGHT);
    snprintf(style, sizeof style, "font-size=\"14\" font-weight=\"600\" fill=\"%s\"", INK);
    add_words(&figure, 24, 24, style, v->title[0] ? v->title : "Input against acceleration");
    snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\"", INK_2);
    add_words(&figure, 24, 42, style, v->verdict->reason);
    add_axes(v, &figure);
    add_lines(v, &figure);
    add_marks(v, &figure);
    add_legend(&figure);
    sprag_text_add(text, "</svg>\n");
}

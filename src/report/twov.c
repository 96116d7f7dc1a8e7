// twov.c: the two-V diagram: which accelerations does an input allow?
//
// For each direction of motion the input over the acceleration is two half-lines that meet at the
// critical input, theory.md (9.2a), (9.2b), (9.3). They are drawn through two points each, from the
// inverse problem. A branch that falls is not stable: dashed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

enum { WIDTH = 730, HEIGHT = 440, LEFT = 76, TOP = 82, PLOT_WIDTH = 560, PLOT_HEIGHT = 280 };

static const unsigned FORWARD = 0xb04c06u, BACK = 0x0a7566u;

typedef struct TwoV {
    const SpragTwoV *v;
    Plot plot; // acceleration and input
    Figure *figure;
} TwoV;

// ---- Ranges -------------------------------------------------------------------------------------

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

static void choose_ranges(TwoV *d)
{
    const SpragTwoV *v = d->v;
    const SpragPairVerdict *verdict = v->verdict;
    double x0 = 0, x1 = 0, y0 = v->state->input[0], y1 = y0;
    include(kink(v), &x0, &x1);
    include(verdict->tau_cr, &y0, &y1);
    if (!verdict->band_outside) {
        include(verdict->band_low, &y0, &y1);
        include(verdict->band_high, &y0, &y1);
    }
    for (int i = 0; i < verdict->motion_count; i++)
        include(verdict->motions[i].acceleration[v->pair->output], &x0, &x1);
    widen(&x0, &x1);
    widen(&y0, &y1);
    d->plot = (Plot){LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, plot_scale(x0, x1), plot_scale(y0, y1)};
}

static FigurePoint place(const TwoV *d, double acceleration, double input)
{
    return (FigurePoint){plot_x(&d->plot, acceleration), plot_y(&d->plot, input)};
}

static void add_line(const TwoV *d, FigurePoint a, FigurePoint b, unsigned colour, double width,
                     FigureDash dash)
{
    figure_point(d->figure, a.x, a.y);
    figure_point(d->figure, b.x, b.y);
    figure_stroke(d->figure, colour, width, dash);
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

static void add_half_line(const TwoV *d, int direction, double from, double to)
{
    double middle = 0.5 * (from + to), y[2], ignored;
    bool stable, other;
    if (!input_at(d->v, direction, middle, &ignored, &stable) ||
        !input_at(d->v, direction, from, &y[0], &other) ||
        !input_at(d->v, direction, to, &y[1], &other))
        return;
    add_line(d, place(d, from, y[0]), place(d, to, y[1]), direction > 0 ? FORWARD : BACK, 2.4,
             stable ? FIGURE_SOLID : FIGURE_LONG);
}

static bool has_band(const SpragPairVerdict *verdict)
{
    return !verdict->band_outside && isfinite(verdict->band_low) && isfinite(verdict->band_high);
}

static void add_lines(const TwoV *d)
{
    const SpragPairVerdict *verdict = d->v->verdict;
    const Plot *plot = &d->plot;
    double w = kink(d->v), right = LEFT + PLOT_WIDTH, bottom = TOP + PLOT_HEIGHT;
    double y = plot_y(plot, d->v->state->input[0]), zero = plot_x(plot, 0);
    figure_point(d->figure, LEFT, TOP);
    figure_point(d->figure, right, TOP);
    figure_point(d->figure, right, bottom);
    figure_point(d->figure, LEFT, bottom);
    figure_clip(d->figure);
    figure_line(d->figure, zero, TOP, zero, bottom, LINE, 1);
    for (int direction = 1; direction >= -1; direction -= 2) {
        bool bent = isfinite(w);
        add_half_line(d, direction, bent ? w : plot->x.from, plot->x.to);
        if (bent)
            add_half_line(d, direction, w, plot->x.from);
    }
    if (has_band(verdict))
        add_line(d, place(d, 0, verdict->band_low), place(d, 0, verdict->band_high), INK, 4.5,
                 FIGURE_SOLID);
    add_line(d, (FigurePoint){LEFT, y}, (FigurePoint){right, y}, INK2, 1.2, FIGURE_DOTTED);
    figure_unclip(d->figure);
}

// ---- Marks --------------------------------------------------------------------------------------

// Whether a box of text keeps clear of the lines, by some points of each, and of the frame.
static bool is_clear(const TwoV *d, double x, double y, double width)
{
    const double half = 0.5 * width + 4, up = 9;
    if (x - half < LEFT || x + half > LEFT + PLOT_WIDTH || y - up < TOP ||
        y + up > TOP + PLOT_HEIGHT)
        return false;
    double from = d->plot.x.from, span = d->plot.x.to - from, dotted = d->v->state->input[0];
    if (fabs(plot_y(&d->plot, dotted) - y) < up || fabs(plot_x(&d->plot, 0) - x) < half)
        return false;
    for (int k = 0; k <= 16; k++) {
        double at = x - half + k * half / 8, input;
        double acceleration = from + (at - LEFT) / PLOT_WIDTH * span;
        bool stable;
        for (int direction = 1; direction >= -1; direction -= 2)
            if (input_at(d->v, direction, acceleration, &input, &stable) &&
                fabs(plot_y(&d->plot, input) - y) < up)
                return false;
    }
    return true;
}

// A text beside a point: as near as is clear, else to the lower left.
static void add_beside(const TwoV *d, FigurePoint at, const char *words)
{
    const int step = 4, far_x = 160, far_y = 60;
    FigureText style = {
        .size = 12, .colour = INK2, .anchor = FIGURE_MIDDLE, .halo = true, .halo_colour = WHITE};
    double width = figure_text_width(words, style.size, false), best = INFINITY;
    double x = at.x - 0.5 * width - 10, y = at.y + 14;
    for (int dy = -far_y; dy <= far_y; dy += step)
        for (int dx = -far_x; dx <= far_x; dx += step) {
            double away = hypot(fmax(0, abs(dx) - 0.5 * width), fmax(0, abs(dy) - 6));
            if (away < 8 || away >= best || !is_clear(d, at.x + dx, at.y + dy, width))
                continue;
            best = away;
            x = at.x + dx;
            y = at.y + dy;
        }
    style.x = x;
    style.y = y + 4;
    figure_text(d->figure, &style, words);
}

static void add_marks(const TwoV *d)
{
    const SpragPairVerdict *verdict = d->v->verdict;
    char words[96], digits[PLOT_WORDS];
    double w = kink(d->v), input = d->v->state->input[0];
    FigureText style = {.x = LEFT + PLOT_WIDTH + 6, .size = 11, .colour = INK2};
    if (isfinite(w)) {
        FigurePoint at = place(d, w, verdict->tau_cr);
        figure_disc(d->figure, at.x, at.y, 3.4, INK2);
        snprintf(words, sizeof words, "critical %s",
                 number_words_digits(verdict->tau_cr, 4, digits));
        add_beside(d, at, words);
    }
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragPairMotion *motion = &verdict->motions[i];
        figure_mark(d->figure, FIGURE_DISC, !motion->stable,
                    place(d, motion->acceleration[d->v->pair->output], input), 5,
                    motion->stable ? INK : NONE);
    }
    style.y = plot_y(&d->plot, input) + 4;
    snprintf(words, sizeof words, "τ = %s", number_words_digits(input, 4, digits));
    figure_text(d->figure, &style, words);
}

// What is drawn, and nothing else.
static void add_legend(const TwoV *d)
{
    const SpragPairVerdict *verdict = d->v->verdict;
    bool stable = false, not_stable = false;
    for (int i = 0; i < verdict->motion_count; i++) {
        stable |= verdict->motions[i].stable;
        not_stable |= !verdict->motions[i].stable;
    }
    const struct {
        bool drawn;
        unsigned colour; // 0: a dot
        double width;
        FigureDash dash;
        const char *words;
    } keys[] = {{true, FORWARD, 2.4, FIGURE_SOLID, "moving forward"},
                {true, BACK, 2.4, FIGURE_SOLID, "moving back"},
                {true, INK3, 2.4, FIGURE_LONG, "not stable"},
                {has_band(verdict), INK, 4.5, FIGURE_SOLID, "held"},
                {stable, 0, 0, FIGURE_SOLID, "motion"},
                {not_stable, 0, 1, FIGURE_SOLID, "motion, not stable"}};
    FigureText style = {.x = LEFT, .y = HEIGHT - 12, .size = 11, .colour = INK2};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!keys[i].drawn)
            continue;
        FigurePoint at = {style.x, style.y - 4};
        if (keys[i].colour)
            add_line(d, at, (FigurePoint){at.x + 18, at.y}, keys[i].colour, keys[i].width,
                     keys[i].dash);
        else
            figure_mark(d->figure, FIGURE_DISC, keys[i].width > 0, (FigurePoint){at.x + 12, at.y},
                        5, keys[i].width > 0 ? NONE : INK);
        style.x += 25;
        figure_text(d->figure, &style, keys[i].words);
        style.x += figure_text_width(keys[i].words, 11, false) + 22;
    }
}

static const char *title_of(const SpragTwoV *v)
{
    return v->title && v->title[0] ? v->title : "Input against acceleration";
}

static void draw(const SpragTwoV *v, SpragContext *context, Figure *figure)
{
    TwoV d = {.v = v, .figure = figure};
    FigureText style = {.x = LEFT - 40, .y = 26, .size = 14, .colour = INK, .bold = true};
    figure_init(figure, context, WIDTH, HEIGHT);
    choose_ranges(&d);
    figure_text_fitted(figure, &style, title_of(v), WIDTH - LEFT);
    style = (FigureText){.x = LEFT - 40, .y = 45, .size = 12, .colour = INK2};
    figure_text_fitted(figure, &style, v->verdict->reason, WIDTH - LEFT + 20);
    plot_axes(figure, &d.plot,
              &(PlotLabels){.x = v->acceleration_label ? v->acceleration_label : "acceleration q″",
                            .y = v->input_label ? v->input_label : "input τ",
                            .grid = true});
    add_lines(&d);
    add_marks(&d);
    add_legend(&d);
}

void sprag_report_twov(const SpragTwoV *v, SpragText *text)
{
    Figure figure;
    draw(v, text->context, &figure);
    figure_add_svg(&figure, title_of(v), v->command, text);
    figure_destroy(&figure);
}

SpragStatus sprag_figure_write_twov(const SpragTwoV *v, SpragContext *context,
                                    const SpragFigureSettings *settings, const char *path)
{
    SpragFigureSettings chosen;
    Figure figure;
    SPRAG_TRY(figure_choose(context, settings, &chosen));
    draw(v, context, &figure);
    SpragStatus status = figure_write(&figure, &chosen, title_of(v), v->command, path);
    figure_destroy(&figure);
    return status;
}

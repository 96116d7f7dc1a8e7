// routh.c: Routh's diagram: the impulses of one collision in the plane, and where each law of
// restitution ends it.
//
// In the plane of tangential and normal impulse the collision moves along the line of limiting
// friction until slip stops, then along S = 0 (stick) or the other friction line; it is compression
// until the line C = 0 (theory.md (10.5), (10.6), 10.3). All laws share this path, and differ in
// how far they follow it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot.h"

enum { WIDTH = 720, HEIGHT = 480, LEFT = 76, TOP = 82, PLOT_WIDTH = 400, PLOT_HEIGHT = 330 };
enum { LAWS = 3 };

static const unsigned NORMAL = 0x0b62a8u, TANGENTIAL = 0xb04c06u;

static const struct {
    SpragRestitutionLaw law;
    const char *name;
    unsigned colour;
} laws[LAWS] = {{SPRAG_RESTITUTION_POISSON, "Poisson", COMPLIANT},
                {SPRAG_RESTITUTION_ENERGETIC, "energetic", 0x0a7566u},
                {SPRAG_RESTITUTION_NEWTON, "Newton", 0x0b62a8u}};

typedef struct Routh {
    const SpragRouth *r;
    SpragSingleResult results[LAWS];
    int longest; // law whose normal impulse is largest
    Plot plot;   // tangential and normal impulse
    Figure *figure;
} Routh;

// ---- Numbers ------------------------------------------------------------------------------------

static void solve(Routh *d)
{
    SpragSingleImpact problem = *d->r->problem;
    for (int i = 0; i < LAWS; i++) {
        problem.law = laws[i].law;
        sprag_impact_single(&problem, &d->results[i]);
        if (d->results[i].impulse[0] > d->results[d->longest].impulse[0])
            d->longest = i;
    }
}

// Whether slip stops on the way; where.
static bool slip_stop(const Routh *d, FigurePoint *at)
{
    const SpragSingleResult *end = &d->results[d->longest];
    const SpragSingleImpact *problem = d->r->problem;
    double stop = end->slip_stop;
    if (!(stop > 0 && stop < end->impulse[0]))
        return false;
    *at = (FigurePoint){-copysign(problem->friction, problem->velocity[1]) * stop, stop};
    return true;
}

static void include(FigurePoint at, double *x0, double *x1, double *y1)
{
    *x0 = fmin(*x0, at.x);
    *x1 = fmax(*x1, at.x);
    *y1 = fmax(*y1, at.y);
}

static FigurePoint end_of(const Routh *d, int law)
{
    return (FigurePoint){d->results[law].impulse[1], d->results[law].impulse[0]};
}

static FigurePoint compression_of(const Routh *d)
{
    const double *impulse = d->results[d->longest].impulse_compression;
    return (FigurePoint){impulse[1], impulse[0]};
}

static void choose_ranges(Routh *d)
{
    double x0 = 0, x1 = 0, y1 = 0;
    FigurePoint stop;
    for (int i = 0; i < LAWS; i++)
        include(end_of(d, i), &x0, &x1, &y1);
    if (slip_stop(d, &stop))
        include(stop, &x0, &x1, &y1);
    include(compression_of(d), &x0, &x1, &y1);
    if (!(y1 > 0))
        y1 = 1;
    // some of the cone on both sides, so that the path does not run along the frame
    double span = fmax(x1 - x0, 0.3 * y1);
    x0 = fmin(x0 - 0.25 * span, -0.15 * y1);
    x1 = fmax(x1 + 0.25 * span, 0.15 * y1);
    d->plot =
        (Plot){LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, plot_scale(x0, x1), plot_scale(0, 1.15 * y1)};
}

// ---- Lines --------------------------------------------------------------------------------------

static void add_point(const Routh *d, FigurePoint at)
{
    figure_point(d->figure, plot_x(&d->plot, at.x), plot_y(&d->plot, at.y));
}

// The line a P_x + b P_y = c, across the plot.
static void add_line(const Routh *d, double a, double b, double c, unsigned colour)
{
    const PlotScale *x = &d->plot.x, *y = &d->plot.y;
    double far_y = y->to - y->from, far_x = x->to - x->from;
    if (fabs(a) * far_x > fabs(b) * far_y) {
        add_point(d, (FigurePoint){(c - b * (y->from - far_y)) / a, y->from - far_y});
        add_point(d, (FigurePoint){(c - b * (y->to + far_y)) / a, y->to + far_y});
    } else if (b != 0) {
        add_point(d, (FigurePoint){x->from - far_x, (c - a * (x->from - far_x)) / b});
        add_point(d, (FigurePoint){x->to + far_x, (c - a * (x->to + far_x)) / b});
    }
    figure_stroke(d->figure, colour, 1.6, FIGURE_DASHED);
}

static void add_cone(const Routh *d, double friction, FigureDash dash)
{
    double top = 2 * d->plot.y.to;
    add_point(d, (FigurePoint){-friction * top, top});
    add_point(d, (FigurePoint){0, 0});
    add_point(d, (FigurePoint){friction * top, top});
    figure_stroke(d->figure, INK3, 1.2, dash);
}

static void add_path(const Routh *d)
{
    FigurePoint stop;
    add_point(d, (FigurePoint){0, 0});
    if (slip_stop(d, &stop))
        add_point(d, stop);
    add_point(d, end_of(d, d->longest));
    figure_stroke(d->figure, INK, 3, FIGURE_SOLID);
}

static void add_lines(const Routh *d)
{
    const SpragSingleImpact *p = d->r->problem;
    double right = LEFT + PLOT_WIDTH, bottom = TOP + PLOT_HEIGHT, top = 2 * d->plot.y.to;
    figure_point(d->figure, LEFT, TOP);
    figure_point(d->figure, right, TOP);
    figure_point(d->figure, right, bottom);
    figure_point(d->figure, LEFT, bottom);
    figure_clip(d->figure);
    add_point(d, (FigurePoint){0, 0});
    add_point(d, (FigurePoint){p->friction * top, top});
    add_point(d, (FigurePoint){-p->friction * top, top});
    figure_area(d->figure, (FigureFill){.colour = LINE2});
    add_cone(d, p->friction, FIGURE_SOLID);
    if (p->friction_static > p->friction)
        add_cone(d, p->friction_static, FIGURE_SHORT);
    // rows of u = W P + u⁻: W[3] and W[0] are the tangential and the normal entry
    add_line(d, p->W[3], p->W[2], -p->velocity[1], TANGENTIAL);
    add_line(d, p->W[1], p->W[0], -p->velocity[0], NORMAL);
    add_path(d);
    figure_unclip(d->figure);
}

// ---- Marks and words ----------------------------------------------------------------------------

// A mark on the path with words on the side that the path does not go to, if there is room.
static void add_mark(const Routh *d, FigurePoint at, bool hollow, unsigned colour,
                     const char *words)
{
    double x = plot_x(&d->plot, at.x), y = plot_y(&d->plot, at.y);
    double width = figure_text_width(words, 12, false);
    bool right_free = x + 16 + width<LEFT + PLOT_WIDTH, left_free = x - 16 - width> LEFT;
    bool left = left_free && (end_of(d, d->longest).x >= at.x || !right_free);
    bool in_cone = fabs(at.x) <= 1.001 * d->r->problem->friction * at.y;
    FigureText style = {.x = left ? x - 11 : x + 11,
                        .y = left || y > TOP + PLOT_HEIGHT - 24 ? y - 6 : y + 14,
                        .size = 12,
                        .colour = colour,
                        .anchor = left ? FIGURE_END : FIGURE_START,
                        .halo = true,
                        .halo_colour = in_cone ? LINE2 : WHITE};
    figure_mark(d->figure, FIGURE_DISC, hollow, (FigurePoint){x, y}, 5, colour);
    figure_text(d->figure, &style, words);
}

// Laws by their normal impulses, the largest first, so that lines to their names do not cross.
static void sort_laws(const Routh *d, int order[LAWS])
{
    for (int i = 0; i < LAWS; i++) {
        int k = i;
        for (; k > 0 && d->results[order[k - 1]].impulse[0] < d->results[i].impulse[0]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

// The end of a law; where several coincide the first ones are drawn larger, as rings around.
static void add_end(const Routh *d, const int order[LAWS], int place)
{
    const double near = 6, ring = 3; // pixels
    FigurePoint end = end_of(d, order[place]);
    double x = plot_x(&d->plot, end.x), y = plot_y(&d->plot, end.y), radius = 5.5;
    for (int k = place + 1; k < LAWS; k++) {
        FigurePoint other = end_of(d, order[k]);
        if (hypot(plot_x(&d->plot, other.x) - x, plot_y(&d->plot, other.y) - y) < near)
            radius += ring;
    }
    figure_disc(d->figure, x, y, radius, laws[order[place]].colour);
}

static void add_words(const Routh *d, int law, double x, double y)
{
    char words[160], x_words[PLOT_WORDS], y_words[PLOT_WORDS];
    FigurePoint end = end_of(d, law);
    FigureText style = {.x = x + 13, .y = y, .size = 12, .colour = INK, .bold = true};
    figure_disc(d->figure, x + 4, y - 4, 4.5, laws[law].colour);
    figure_text(d->figure, &style, laws[law].name);
    style = (FigureText){.x = x, .y = y + 15, .size = 11, .colour = INK3};
    snprintf(words, sizeof words, "%s, %s N s", number_words_digits(end.x, 4, x_words),
             number_words_digits(end.y, 4, y_words));
    figure_text(d->figure, &style, words);
    if (!(d->results[law].energy_gain > 0))
        return;
    style.y += 14;
    style.colour = NONE_TEXT;
    snprintf(words, sizeof words, "makes %s J of energy",
             number_words_digits(d->results[law].energy_gain, 3, x_words));
    figure_text(d->figure, &style, words);
}

static void add_ends(const Routh *d)
{
    char words[96], digits[PLOT_WORDS];
    const double x = LEFT + PLOT_WIDTH + 22;
    int order[LAWS];
    sort_laws(d, order);
    for (int i = 0; i < LAWS; i++) {
        FigurePoint end = end_of(d, order[i]);
        double y = TOP + 20 + 52 * i;
        figure_line(d->figure, plot_x(&d->plot, end.x) + 6, plot_y(&d->plot, end.y), x - 5, y - 4,
                    INK3, 0.8);
        add_words(d, order[i], x, y);
    }
    for (int i = 0; i < LAWS; i++)
        add_end(d, order, i);
    FigureText style = {.x = x, .y = TOP + 20 + 52 * LAWS, .size = 12, .colour = INK2};
    snprintf(words, sizeof words, "e = %s", number_words_digits(d->r->problem->e, 4, digits));
    figure_text(d->figure, &style, words);
}

static void add_legend(const Routh *d)
{
    char friction[96], digits[PLOT_WORDS];
    const SpragSingleImpact *p = d->r->problem;
    snprintf(friction, sizeof friction, "friction cone, μ = %s",
             number_words_digits(p->friction, 4, digits));
    const struct {
        unsigned colour;
        double width;
        FigureDash dash;
        const char *words;
    } keys[] = {{INK, 3, FIGURE_SOLID, "path of the impact"},
                {TANGENTIAL, 1.6, FIGURE_DASHED, "S = 0, no slip"},
                {NORMAL, 1.6, FIGURE_DASHED, "C = 0, end of compression"},
                {INK3, 1.2, FIGURE_SOLID, friction},
                {INK3, 1.2, FIGURE_SHORT, "cone of static friction"}};
    int count = p->friction_static > p->friction ? 5 : 4;
    FigureText style = {.size = 11, .colour = INK2};
    for (int i = 0; i < count; i++) {
        double y = TOP + PLOT_HEIGHT - 18 * (count - 1 - i), x = LEFT + PLOT_WIDTH + 22;
        figure_point(d->figure, x, y - 4);
        figure_point(d->figure, x + 18, y - 4);
        figure_stroke(d->figure, keys[i].colour, keys[i].width, keys[i].dash);
        style.x = x + 25;
        style.y = y;
        figure_text(d->figure, &style, keys[i].words);
    }
}

// What happens, in one line.
static void say_case(const Routh *d, char *text, size_t size)
{
    const SpragSingleResult *result = &d->results[1];
    char digits[PLOT_WORDS], slip[PLOT_WORDS];
    if (result->tangential)
        snprintf(text, size, "impact without collision at a slip of %s m/s: %s",
                 number_words_digits(d->r->problem->velocity[1], 4, slip),
                 sprag_impact_case_name(result->kind));
    else
        snprintf(text, size, "approach %s m/s, slip %s m/s: %s",
                 number_words_digits(-d->r->problem->velocity[0], 4, digits),
                 number_words_digits(d->r->problem->velocity[1], 4, slip),
                 sprag_impact_case_name(result->kind));
}

static const char *title_of(const SpragRouth *r)
{
    return r->title && r->title[0] ? r->title : "Routh's diagram of the impact";
}

static void draw(const SpragRouth *r, SpragContext *context, Figure *figure)
{
    Routh d = {.r = r, .figure = figure};
    FigurePoint stop;
    char words[160];
    FigureText style = {.x = LEFT - 40, .y = 26, .size = 14, .colour = INK, .bold = true};
    figure_init(figure, context, WIDTH, HEIGHT);
    solve(&d);
    choose_ranges(&d);
    figure_text_fitted(figure, &style, title_of(r), WIDTH - LEFT);
    say_case(&d, words, sizeof words);
    style = (FigureText){.x = LEFT - 40, .y = 45, .size = 12, .colour = INK2};
    figure_text_fitted(figure, &style, words, WIDTH - LEFT + 20);
    plot_axes(
        figure, &d.plot,
        &(PlotLabels){.x = "tangential impulse, N s", .y = "normal impulse, N s", .grid = true});
    add_lines(&d);
    if (slip_stop(&d, &stop))
        add_mark(&d, stop, false, TANGENTIAL, "slip stops");
    if (d.results[d.longest].compression > 0)
        add_mark(&d, compression_of(&d), true, NORMAL, "end of compression");
    add_ends(&d);
    add_legend(&d);
}

void sprag_report_routh(const SpragRouth *r, SpragText *text)
{
    Figure figure;
    draw(r, text->context, &figure);
    figure_add_svg(&figure, title_of(r), r->command ? r->command : "", text);
    figure_destroy(&figure);
}

SpragStatus sprag_figure_write_routh(const SpragRouth *r, SpragContext *context,
                                     const SpragFigureSettings *settings, const char *path)
{
    SpragFigureSettings chosen;
    Figure figure;
    SPRAG_TRY(figure_choose(context, settings, &chosen));
    if (r->problem->dimension != 2)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT, "Routh's diagram is one of the plane");
    draw(r, context, &figure);
    SpragStatus status = figure_write(&figure, &chosen, title_of(r), r->command, path);
    figure_destroy(&figure);
    return status;
}

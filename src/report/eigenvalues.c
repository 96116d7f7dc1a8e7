// eigenvalues.c: the eigenvalues of the contact layer of every motion, in the complex plane.
// Problem   whether the compliant layer returns to a motion, theory.md (6.5), at a glance
// Method    marks for the eigenvalues as they are; thin lines for where they go as damping changes,
//           its ratio where it is assumed (6.9), all of it where it is given; each is joined to the
//           nearest at the next damping.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map_legend.h"
#include "plot.h"
#include "polyline.h"

enum {
    LEFT = 76,
    TOP = 70,
    WIDTH = 420,
    HEIGHT = 330,
    LEGEND_WIDTH = 230,
    RATIOS = 160,
    MOST_LISTED = 7,
    MOST_NUMBERS = 512
};

static const double RATIO_FROM = 0.01, RATIO_TO = 1; // the range of theory.md (6.9)
static const double FACTOR = 10;                     // to both sides of a damping that is given

typedef struct EigenvalueFigure {
    SpragContext *context;
    const SpragContactProblem *problem;
    SpragAnalysisSettings settings;
    SpragAnalysis *analysis, *other; // of the state, and at other dampings
    SpragVerdict verdict;
    SpragConstraint *scaled; // with other dampings
    Plot plot;
    Polyline line;
    Figure figure;
} EigenvalueFigure;

// ---- Ranges -------------------------------------------------------------------------------------

// Asinh where few are far larger than most; room to the right for what is not stable.
static void choose_scales(EigenvalueFigure *e)
{
    double real[MOST_NUMBERS], imaginary[2 * MOST_NUMBERS];
    int count = 0;
    for (int m = 0; m < e->verdict.solution_count; m++)
        for (int i = 0; i < e->verdict.solutions[m].eigenvalue_count && count < MOST_NUMBERS; i++) {
            SpragEigenvalue value = e->verdict.solutions[m].eigenvalues[i];
            real[count] = value.real;
            imaginary[2 * count] = value.imaginary;
            imaginary[2 * count + 1] = -value.imaginary;
            count++;
        }
    PlotScale x = plot_scale_numbers(real, count), y = plot_scale_numbers(imaginary, 2L * count);
    double span = fmax(fabs(x.from), fabs(x.to)), least = x.kind == PLOT_ASINH ? x.width : span;
    x.from = fmin(1.8 * fmin(0, x.from), -0.3 * least); // room for lines of other damping
    x.to = fmax(fmax(1.25 * x.to, 0.3 * least), x.kind == PLOT_ASINH ? 0 : -0.25 * x.from);
    bool flat = true;
    for (int i = 0; i < 2 * count; i++)
        flat &= imaginary[i] == 0;
    if (flat)
        y = plot_scale(-0.5 * span, 0.5 * span);
    y.from *= 1.2; // room for words
    y.to *= 1.2;
    e->plot = (Plot){.left = LEFT, .top = TOP, .width = WIDTH, .height = HEIGHT, .x = x, .y = y};
}

static FigurePoint place(const EigenvalueFigure *e, SpragEigenvalue value)
{
    return (FigurePoint){plot_x(&e->plot, value.real), plot_y(&e->plot, value.imaginary)};
}

// ---- Lines of changing damping ------------------------------------------------------------------

// Puts the eigenvalues `next` in the order of `last`: pairs that are near each other first.
static void match(int count, const SpragEigenvalue *last, SpragEigenvalue *next,
                  SpragEigenvalue *ordered)
{
    bool used[MOST_NUMBERS] = {false}, done[MOST_NUMBERS] = {false};
    for (int pairs = 0; pairs < count; pairs++) {
        double least = INFINITY;
        int a = 0, b = 0;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count && !done[i]; k++) {
                double d =
                    hypot(last[i].real - next[k].real, last[i].imaginary - next[k].imaginary);
                if (!used[k] && d < least) {
                    least = d;
                    a = i;
                    b = k;
                }
            }
        done[a] = used[b] = true;
        ordered[a] = next[b];
    }
}

// The eigenvalues of a motion at another damping: part 0 … 1 of the line.
static SpragStatus values_at(EigenvalueFigure *e, int motion, double part, int wanted,
                             SpragEigenvalue *values)
{
    SpragAnalysisSettings settings = e->settings;
    SpragContactProblem problem = *e->problem; // reads all but its constraints from there
    SpragVerdict verdict;
    if (e->verdict.default_layer)
        settings.damping_ratio = RATIO_FROM * pow(RATIO_TO / RATIO_FROM, part);
    problem.constraints = e->scaled;
    for (int c = 0; c < problem.constraint_count; c++) {
        double factor = e->verdict.default_layer ? 1 : pow(FACTOR, 2 * part - 1);
        e->scaled[c] = e->problem->constraints[c];
        for (int k = 0; k < 3; k++)
            e->scaled[c].damping[k] *= factor;
    }
    SPRAG_TRY(sprag_analysis_run(e->other, &problem, &settings, &verdict));
    if (verdict.solution_count != e->verdict.solution_count ||
        verdict.solutions[motion].eigenvalue_count != wanted)
        return sprag_fail(e->context, SPRAG_ERROR_NUMERIC,
                          "the motions changed with the damping of the layer");
    memcpy(values, verdict.solutions[motion].eigenvalues, (size_t)wanted * sizeof *values);
    return SPRAG_OK;
}

// Whether there is a damping to change.
static bool has_locus(const EigenvalueFigure *e)
{
    bool damped = e->verdict.default_layer;
    for (int c = 0; c < e->problem->constraint_count; c++)
        for (int k = 0; k < 3; k++)
            damped |= e->problem->constraints[c].damping[k] > 0;
    return damped;
}

static SpragStatus add_path(EigenvalueFigure *e, const FigurePoint *path)
{
    e->line.count = 0;
    for (int r = 0; r < RATIOS; r++)
        SPRAG_TRY(polyline_add(&e->line, path[r]));
    SPRAG_TRY(polyline_simplify(&e->line));
    for (int i = 0; i < e->line.count; i++)
        figure_point(&e->figure, e->line.points[i].x, e->line.points[i].y);
    figure_break(&e->figure);
    return SPRAG_OK;
}

// From one damping ratio to another: a line for each eigenvalue.
static SpragStatus draw_locus(EigenvalueFigure *e, int motion, FigurePoint *paths)
{
    enum { FEW = 24 };
    int count = e->verdict.solutions[motion].eigenvalue_count;
    SpragEigenvalue last[FEW], next[FEW], ordered[FEW];
    if (count == 0 || count > FEW)
        return SPRAG_OK;
    for (int r = 0; r < RATIOS; r++) {
        SPRAG_TRY(values_at(e, motion, (double)r / (RATIOS - 1), count, next));
        if (r == 0)
            memcpy(ordered, next, sizeof ordered);
        else
            match(count, last, next, ordered);
        memcpy(last, ordered, sizeof last);
        for (int i = 0; i < count; i++)
            paths[i * RATIOS + r] = place(e, ordered[i]);
    }
    for (int i = 0; i < count; i++)
        SPRAG_TRY(add_path(e, paths + i * RATIOS));
    figure_stroke(&e->figure, UNIQUE_LINE, 1.6, FIGURE_SOLID);
    return SPRAG_OK;
}

static void clip_to_plot(EigenvalueFigure *e)
{
    const Plot *plot = &e->plot;
    figure_point(&e->figure, plot->left, plot->top);
    figure_point(&e->figure, plot->left + plot->width, plot->top);
    figure_point(&e->figure, plot->left + plot->width, plot->top + plot->height);
    figure_point(&e->figure, plot->left, plot->top + plot->height);
    figure_clip(&e->figure);
}

static SpragStatus draw_loci(EigenvalueFigure *e)
{
    enum { FEW = 24 };
    FigurePoint *paths = sprag_alloc(e->context, (size_t)FEW * RATIOS, sizeof *paths);
    e->scaled =
        sprag_alloc(e->context, (size_t)e->problem->constraint_count + 1, sizeof *e->scaled);
    SpragStatus status = paths && e->scaled ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    clip_to_plot(e);
    for (int m = 0; m < e->verdict.solution_count && status == SPRAG_OK; m++)
        status = draw_locus(e, m, paths);
    figure_unclip(&e->figure);
    sprag_free(e->context, paths);
    sprag_free(e->context, e->scaled);
    return status;
}

// ---- Marks and words ----------------------------------------------------------------------------

static void draw_ground(EigenvalueFigure *e)
{
    const Plot *plot = &e->plot;
    double zero = plot_x(plot, 0), right = plot->left + plot->width;
    FigureText style = {
        .x = plot->left + 8, .y = plot->top + 16, .size = 12, .colour = UNIQUE_TEXT, .bold = true};
    figure_rectangle(&e->figure, zero, plot->top, right - zero, plot->height,
                     (FigureFill){.colour = NONE_FILL});
    plot_axes(&e->figure, plot,
              &(PlotLabels){.x = "real part, 1/s", .y = "imaginary part, 1/s", .grid = true});
    figure_line(&e->figure, zero, plot->top, zero, plot->top + plot->height, NONE, 1.2);
    figure_text(&e->figure, &style, "stable");
    style.x = right - 8;
    style.anchor = FIGURE_END;
    style.colour = NONE_TEXT;
    figure_text(&e->figure, &style, right - zero > 70 ? "unstable" : "");
    if (plot->x.kind != PLOT_ASINH && plot->y.kind != PLOT_ASINH)
        return;
    style = (FigureText){
        .x = right, .y = plot->top - 6, .size = 10, .colour = INK3, .anchor = FIGURE_END};
    figure_text(&e->figure, &style,
                plot->x.kind != plot->y.kind ? plot->x.kind == PLOT_ASINH
                                                   ? "asinh scale of the real part"
                                                   : "asinh scale of the imaginary part"
                                             : "asinh scales");
}

// Marks on others are smaller, so that all show.
static double mark_radius(const EigenvalueFigure *e, int motion, FigurePoint at)
{
    double radius = 5.2;
    for (int m = 0; m < motion; m++)
        for (int i = 0; i < e->verdict.solutions[m].eigenvalue_count; i++) {
            FigurePoint other = place(e, e->verdict.solutions[m].eigenvalues[i]);
            if (hypot(at.x - other.x, at.y - other.y) < 1.5) {
                radius *= 0.6;
                break;
            }
        }
    return fmax(1.8, radius);
}

static void draw_marks(EigenvalueFigure *e)
{
    for (int m = 0; m < e->verdict.solution_count; m++) {
        const SpragSolution *solution = &e->verdict.solutions[m];
        for (int i = 0; i < solution->eigenvalue_count; i++) {
            FigurePoint at = place(e, solution->eigenvalues[i]);
            figure_mark(&e->figure, (FigureShape)(m % FIGURE_SHAPE_COUNT), !solution->stable, at,
                        mark_radius(e, m, at), solution->stable ? INK : NONE);
        }
    }
}

static void motion_modes(const EigenvalueFigure *e, const SpragSolution *solution,
                         char text[WORDS_BYTES])
{
    size_t used = 0;
    text[0] = 0;
    for (int c = 0; c < e->problem->constraint_count && used + 16 < WORDS_BYTES; c++) {
        const char *name = sprag_mode_name(solution->motion->modes[c]);
        size_t length = strlen(name);
        bool minus = name[length - 1] == '-';
        used += (size_t)snprintf(text + used, WORDS_BYTES - used, "%s%.*s%s", c ? " " : "",
                                 (int)(length - minus), name, minus ? "−" : "");
    }
}

static void motion_stability(const SpragSolution *solution, char text[WORDS_BYTES])
{
    char number[PLOT_WORDS];
    double slowest = -INFINITY;
    for (int i = 0; i < solution->eigenvalue_count; i++)
        slowest = fmax(slowest, solution->eigenvalues[i].real);
    if (solution->eigenvalue_count == 0)
        snprintf(text, WORDS_BYTES, "free: no contact presses");
    else if (slowest > 0)
        snprintf(text, WORDS_BYTES, "%s, growth +%s",
                 solution->stability == SPRAG_DIVERGENT ? "divergent" : "flutter",
                 number_words_digits(slowest, 3, number));
    else
        snprintf(text, WORDS_BYTES, "stable, slowest %s", number_words_digits(slowest, 3, number));
}

static double draw_motions(EigenvalueFigure *e, double x, double y)
{
    const SpragVerdict *verdict = &e->verdict;
    FigureText head = {.size = 12, .colour = INK, .bold = true};
    FigureText line = {.x = x, .size = 11, .colour = INK3};
    char text[WORDS_BYTES], number[PLOT_WORDS];
    for (int m = 0; m < verdict->solution_count && m < MOST_LISTED; m++, y += 42) {
        const SpragSolution *solution = &verdict->solutions[m];
        if (solution->eigenvalue_count > 0)
            figure_mark(&e->figure, (FigureShape)(m % FIGURE_SHAPE_COUNT), !solution->stable,
                        (FigurePoint){x + 5, y + 5}, 5.2, solution->stable ? INK : NONE);
        head.x = solution->eigenvalue_count > 0 ? x + 17 : x;
        head.y = y + 9;
        line.y = y + 26;
        motion_modes(e, solution, text);
        figure_text_fitted(&e->figure, &head, text[0] ? text : "no contact", LEGEND_WIDTH - 24);
        motion_stability(solution, text);
        figure_text(&e->figure, &line, text);
        if (!(solution->critical_damping > 0) || !verdict->default_layer)
            continue;
        snprintf(text, sizeof text, "stable from damping ratio %s on",
                 number_words_digits(solution->critical_damping, 3, number));
        y += 16;
        line.y += 16;
        figure_text(&e->figure, &line, text);
    }
    if (verdict->solution_count > MOST_LISTED) {
        snprintf(text, sizeof text, "%d more motions", verdict->solution_count - MOST_LISTED);
        line.y = y + 9;
        figure_text(&e->figure, &line, text);
        y += 24;
    }
    return y;
}

// What is assumed about the layer.
static void draw_layer(EigenvalueFigure *e, double x, double y)
{
    char text[WORDS_BYTES], number[PLOT_WORDS];
    FigureText line = {.x = x, .y = y + 10, .size = 11, .colour = INK3};
    bool any = false;
    for (int m = 0; m < e->verdict.solution_count; m++)
        any |= e->verdict.solutions[m].eigenvalue_count > 0;
    if (!any)
        return;
    snprintf(text, sizeof text, "damping ratio %s (assumed)",
             number_words(e->settings.damping_ratio, number));
    figure_text(&e->figure, &line,
                e->verdict.default_layer ? text : "stiffness and damping of the scene");
    if (!has_locus(e))
        return;
    figure_line(&e->figure, x, y + 28, x + 18, y + 28, UNIQUE_LINE, 1.6);
    line.x = x + 25;
    line.y = y + 32;
    figure_text(&e->figure, &line,
                e->verdict.default_layer ? "damping ratio 0.01 to 1" : "damping 0.1 to 10 times");
}

static void draw_title(EigenvalueFigure *e, const char *name, const SpragFigureSettings *settings,
                       char title[WORDS_BYTES])
{
    SpragMapClass class = {.valid = true};
    char words[64], cut[76];
    FigureText style = {.x = LEFT - 40, .y = 26, .size = 14, .colour = INK, .bold = true};
    sprag_outcome_init(&class.outcome, e->problem, &e->verdict);
    snprintf(words, sizeof words, "%s", class_verdict_words(&class, title));
    if (name[0])
        words[0] = words[0] >= 'A' && words[0] <= 'Z' ? (char)(words[0] - 'A' + 'a') : words[0];
    if (settings->title)
        figure_cut(settings->title, WORDS_BYTES - 4, title);
    else
        snprintf(title, WORDS_BYTES, "%s%s%s", figure_cut(name, 72, cut), name[0] ? ": " : "",
                 words);
    figure_text_fitted(&e->figure, &style, title, e->figure.width - LEFT);
}

// ---- The figure ---------------------------------------------------------------------------------

static SpragStatus draw(EigenvalueFigure *e)
{
    double x = LEFT + WIDTH + 22;
    choose_scales(e);
    draw_ground(e);
    if (has_locus(e))
        SPRAG_TRY(draw_loci(e));
    draw_marks(e);
    double y = draw_motions(e, x, TOP + 8);
    draw_layer(e, x, y + 4);
    if (e->verdict.solution_count == 0) {
        FigureText style = {.x = x, .y = TOP + 18, .size = 11, .colour = NONE_TEXT};
        figure_text(&e->figure, &style, "no motion, so no eigenvalues");
    }
    return e->figure.status;
}

static SpragStatus make(EigenvalueFigure *e, const char *name, const SpragFigureSettings *settings,
                        const char *path)
{
    char title[WORDS_BYTES];
    SPRAG_TRY(sprag_analysis_create(e->context, &e->analysis));
    SPRAG_TRY(sprag_analysis_create(e->context, &e->other));
    SPRAG_TRY(sprag_analysis_run(e->analysis, e->problem, &e->settings, &e->verdict));
    SPRAG_TRY(draw(e));
    draw_title(e, name, settings, title);
    return figure_write(&e->figure, settings, title, settings->command, path);
}

SpragStatus sprag_figure_write_eigenvalues(const SpragContactProblem *problem,
                                           const SpragAnalysisSettings *analysis, const char *name,
                                           const SpragFigureSettings *settings, const char *path)
{
    SpragFigureSettings chosen;
    SpragContext *context = problem->context;
    SPRAG_TRY(figure_choose(context, settings, &chosen));
    EigenvalueFigure *e = sprag_alloc(context, 1, sizeof *e);
    if (!e)
        return SPRAG_ERROR_MEMORY;
    e->context = context;
    e->problem = problem;
    e->settings = analysis ? *analysis : sprag_analysis_default();
    polyline_init(&e->line, context);
    figure_init(&e->figure, context, LEFT + WIDTH + 22 + LEGEND_WIDTH, TOP + HEIGHT + 60);
    SpragStatus status = make(e, name ? name : "", &chosen, path);
    sprag_analysis_destroy(e->analysis);
    sprag_analysis_destroy(e->other);
    polyline_destroy(&e->line);
    figure_destroy(&e->figure);
    sprag_free(context, e);
    return status;
}

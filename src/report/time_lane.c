// time_lane.c: the verdict and the model over time as lanes, events as lines with names.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "time_figure.h"

enum { LANE_TOP = 62, LANE_HEIGHT = 13, MODEL_TOP = 78, MODEL_HEIGHT = 6, MOST_NAMES = 64 };
enum { NAME_ROWS = 2, NAME_APART = 13 };

double time_lane_height(const SpragTimeFigure *source)
{
    if (source->verdict_count == 0 && source->compliant_count == 0)
        return source->event_count > 0 ? LANE_TOP : 36;
    return source->compliant_count > 0 ? LANE_TOP + 40 : LANE_TOP + 30;
}

static double place(const TimeDrawing *drawing, double t)
{
    const SpragTimeFigure *source = drawing->source;
    double part = (t - source->from) / (source->to - source->from);
    return TIME_LEFT + TIME_WIDTH * fmin(fmax(part, 0), 1);
}

// ---- The verdict --------------------------------------------------------------------------------

typedef enum LaneKind { LANE_OPEN, LANE_ONE, LANE_SEVERAL, LANE_UNSTABLE, LANE_NONE } LaneKind;

static LaneKind lane_of(const SpragRunVerdict *verdict)
{
    switch (verdict->kind) {
    case SPRAG_VERDICT_OPEN:
        return LANE_OPEN;
    case SPRAG_VERDICT_NONE:
        return LANE_NONE;
    case SPRAG_VERDICT_UNIQUE:
        return verdict->stable_count > 0 ? LANE_ONE : LANE_UNSTABLE;
    default:
        return LANE_SEVERAL;
    }
}

static FigureFill lane_fill(LaneKind kind)
{
    static const FigureFill fills[] = {
        [LANE_OPEN] = {.colour = WHITE},
        [LANE_ONE] = {.colour = UNIQUE_LINE},
        [LANE_SEVERAL] = {.colour = SEVERAL, .pattern = FIGURE_STRIPES, .mark = SEVERAL_TEXT},
        [LANE_UNSTABLE] = {.colour = NONE_FILL, .pattern = FIGURE_DASHES, .mark = NONE},
        [LANE_NONE] = {.colour = NONE},
    };
    return fills[kind];
}

// What is too short to be seen is drawn last and wider: it is what matters.
static void draw_verdicts(TimeDrawing *drawing, bool seen[5])
{
    const SpragTimeFigure *source = drawing->source;
    Figure *figure = &drawing->figure;
    for (int pass = LANE_ONE; pass <= LANE_NONE; pass++)
        for (size_t i = 0; i < source->verdict_count; i++) {
            LaneKind kind = lane_of(&source->verdicts[i]);
            seen[kind] = true;
            if ((int)kind != pass)
                continue;
            double x = place(drawing, source->verdicts[i].from);
            // what goes on is one piece: there is no seam
            while (i + 1 < source->verdict_count && lane_of(&source->verdicts[i + 1]) == kind &&
                   source->verdicts[i + 1].from <= source->verdicts[i].to)
                i++;
            double width = place(drawing, source->verdicts[i].to) - x;
            double least = kind == LANE_ONE ? 1 : 4;
            width = fmax(width, least);
            x = fmin(x, TIME_LEFT + TIME_WIDTH - width);
            figure_rectangle(figure, x, LANE_TOP, width, LANE_HEIGHT, lane_fill(kind));
        }
    figure_point(figure, TIME_LEFT, LANE_TOP);
    figure_point(figure, TIME_LEFT + TIME_WIDTH, LANE_TOP);
    figure_point(figure, TIME_LEFT + TIME_WIDTH, LANE_TOP + LANE_HEIGHT);
    figure_point(figure, TIME_LEFT, LANE_TOP + LANE_HEIGHT);
    figure_point(figure, TIME_LEFT, LANE_TOP);
    figure_stroke(figure, LINE, 1, FIGURE_SOLID);
}

static const FigureFill compliant_fill = {
    .colour = COMPLIANT_FILL, .pattern = FIGURE_HATCH, .mark = COMPLIANT};

static void draw_model(TimeDrawing *drawing)
{
    const SpragTimeFigure *source = drawing->source;
    Figure *figure = &drawing->figure;
    figure_line(figure, TIME_LEFT, MODEL_TOP + 3, TIME_LEFT + TIME_WIDTH, MODEL_TOP + 3, LINE, 2);
    for (size_t i = 0; i < source->compliant_count; i++) {
        double x = place(drawing, source->compliant[i].from);
        double width = fmax(2, place(drawing, source->compliant[i].to) - x);
        figure_rectangle(figure, x, MODEL_TOP, width, MODEL_HEIGHT, compliant_fill);
    }
}

static void draw_legend(TimeDrawing *drawing, const bool seen[5])
{
    static const char *const words[] = {"no contact", "one, stable", "several", "one, unstable",
                                        "none"};
    static const LaneKind order[] = {LANE_ONE, LANE_SEVERAL, LANE_UNSTABLE, LANE_NONE, LANE_OPEN};
    Figure *figure = &drawing->figure;
    double y = 44;
    FigureText style = {.size = 11, .colour = INK2};
    for (int i = 0; i <= 5; i++) {
        bool model = i == 5;
        if (model ? drawing->source->compliant_count == 0 : !seen[order[i]])
            continue;
        FigureFill fill = model ? compliant_fill : lane_fill(order[i]);
        figure_rectangle(figure, TIME_LEGEND, y - 8, 12, 9, fill);
        if (!model && order[i] == LANE_OPEN) {
            figure_line(figure, TIME_LEGEND, y - 8, TIME_LEGEND + 12, y - 8, LINE, 1);
            figure_line(figure, TIME_LEGEND, y + 1, TIME_LEGEND + 12, y + 1, LINE, 1);
        }
        style.x = TIME_LEGEND + 18;
        style.y = y;
        figure_text(figure, &style, model ? "compliant" : words[order[i]]);
        y += 15;
    }
}

// ---- Events -------------------------------------------------------------------------------------

static bool is_grave(SpragEventType type)
{
    return type == SPRAG_EVENT_NO_SOLUTION || type == SPRAG_EVENT_AMBIGUITY ||
           type == SPRAG_EVENT_UNSTABLE || type == SPRAG_EVENT_JAM ||
           type == SPRAG_EVENT_TO_COMPLIANT || type == SPRAG_EVENT_TO_RIGID;
}

static unsigned event_colour(SpragEventType type)
{
    switch (type) {
    case SPRAG_EVENT_NO_SOLUTION:
    case SPRAG_EVENT_JAM:
    case SPRAG_EVENT_UNSTABLE:
        return NONE_TEXT;
    case SPRAG_EVENT_AMBIGUITY:
        return SEVERAL_TEXT;
    case SPRAG_EVENT_TO_COMPLIANT:
    case SPRAG_EVENT_TO_RIGID:
        return COMPLIANT_TEXT;
    default:
        return INK2;
    }
}

typedef struct Name {
    const SpragEvent *event;
    const char *word;
    double from, to, x;
    int row;
    bool left; // of its line
} Name;

typedef struct Names {
    int count;
    Name items[MOST_NAMES];
} Names;

static bool is_clear(const Names *names, double from, double to, int row)
{
    if (from < 4 || to > TIME_LEFT + TIME_WIDTH + 16)
        return false;
    for (int i = 0; i < names->count; i++)
        if (names->items[i].row == row && to + 4 > names->items[i].from &&
            from - 4 < names->items[i].to)
            return false;
    return true;
}

// Right of its line, else left of it, else the same a row higher.
static void place_name(TimeDrawing *drawing, const SpragEvent *event, Names *names)
{
    const char *word = sprag_event_label(event);
    double x = place(drawing, event->t), width = figure_text_width(word, 11, false) + 4;
    for (int i = 0; i < names->count; i++) // of several contacts at once
        if (fabs(names->items[i].x - x) < 1 && strcmp(names->items[i].word, word) == 0)
            return;
    for (int k = 0; k < 2 * NAME_ROWS && names->count < MOST_NAMES; k++) {
        bool left = k % 2 == 1;
        double from = left ? x - 2 - width : x + 2;
        if (!is_clear(names, from, from + width, k / 2))
            continue;
        names->items[names->count++] = (Name){event, word, from, from + width, x, k / 2, left};
        return;
    }
}

// Lines first: a name stands out from those that pass it.
static void write_names(TimeDrawing *drawing, const Names *names)
{
    for (int i = 0; i < names->count; i++) {
        const Name *name = &names->items[i];
        double y = LANE_TOP - 7 - NAME_APART * name->row;
        figure_line(&drawing->figure, name->x, y - 9, name->x, LANE_TOP - 1, 0xb9c2c9u, 1);
    }
    for (int i = 0; i < names->count; i++) {
        const Name *name = &names->items[i];
        FigureText style = {.x = name->left ? name->x - 3 : name->x + 3,
                            .y = LANE_TOP - 7 - NAME_APART * name->row,
                            .size = 11,
                            .colour = event_colour(name->event->type),
                            .anchor = name->left ? FIGURE_END : FIGURE_START,
                            .halo = true,
                            .halo_colour = WHITE};
        figure_text(&drawing->figure, &style, name->word);
    }
}

static void draw_names(TimeDrawing *drawing)
{
    const SpragTimeFigure *source = drawing->source;
    Names names = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < source->event_count; i++)
            if (is_grave(source->events[i].type) == (pass == 0))
                place_name(drawing, &source->events[i], &names);
    write_names(drawing, &names);
}

void time_draw_lanes(TimeDrawing *drawing)
{
    const SpragTimeFigure *source = drawing->source;
    bool seen[5] = {false};
    FigureText style = {.x = TIME_LEFT - 8, .size = 11, .colour = INK3, .anchor = FIGURE_END};
    draw_names(drawing);
    if (source->verdict_count > 0) {
        draw_verdicts(drawing, seen);
        style.y = LANE_TOP + 11;
        figure_text(&drawing->figure, &style, "verdict");
    }
    if (source->compliant_count > 0) {
        draw_model(drawing);
        style.y = MODEL_TOP + 9;
        figure_text(&drawing->figure, &style, "model");
    }
    draw_legend(drawing, seen);
}

// ---- Behind a panel -----------------------------------------------------------------------------

static void draw_tint(TimeDrawing *drawing, double from, double to, unsigned colour)
{
    double x = place(drawing, from), width = fmax(1.5, place(drawing, to) - x);
    FigureFill fill = {.colour = colour};
    x = fmin(x, TIME_LEFT + TIME_WIDTH - width);
    figure_rectangle(&drawing->figure, x, drawing->plot.top, width, drawing->plot.height, fill);
}

void time_draw_behind(TimeDrawing *drawing)
{
    const SpragTimeFigure *source = drawing->source;
    double last = -INFINITY, apart = 2; // lines nearer than this would be a grey area
    // a tint behind everything would tell nothing
    bool whole = source->compliant_count == 1 && source->compliant[0].from <= source->from &&
                 source->compliant[0].to >= source->to;
    for (size_t i = 0; i < source->compliant_count && !whole; i++)
        draw_tint(drawing, source->compliant[i].from, source->compliant[i].to, TINT_COMPLIANT);
    for (size_t i = 0; i < source->verdict_count; i++) {
        LaneKind kind = lane_of(&source->verdicts[i]);
        if (kind >= LANE_SEVERAL)
            draw_tint(drawing, source->verdicts[i].from, source->verdicts[i].to,
                      kind == LANE_SEVERAL ? TINT_SEVERAL : TINT_NONE);
    }
    for (size_t i = 0; i < source->event_count; i++) {
        double x = place(drawing, source->events[i].t);
        if (fabs(x - last) < apart)
            continue;
        last = x;
        figure_point(&drawing->figure, x, drawing->plot.top);
        figure_point(&drawing->figure, x, drawing->plot.top + drawing->plot.height);
        figure_stroke(&drawing->figure, 0xb9c2c9u, 1, FIGURE_SHORT);
    }
}

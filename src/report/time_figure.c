// time_figure.c: panels over one axis of time, with lanes for verdict and model above them.
#include "time_figure.h"

#include <math.h>
#include <string.h>

enum { APART = 15, BOTTOM = 52, LEAST_HEIGHT = 92, TITLE_BYTES = 160 };

// ---- Panels -------------------------------------------------------------------------------------

static TimePanel *find_panel(TimeDrawing *drawing, int index)
{
    const SpragTimeLine *lines = drawing->source->lines;
    for (int i = 0; i < drawing->panel_count; i++) {
        const SpragTimeLine *first = &lines[drawing->panels[i].first];
        if (strcmp(first->unit, lines[index].unit) == 0 &&
            strcmp(first->heading, lines[index].heading) == 0)
            return &drawing->panels[i];
    }
    if (drawing->panel_count == TIME_MOST_PANELS)
        return NULL;
    TimePanel *panel = &drawing->panels[drawing->panel_count++];
    *panel = (TimePanel){.first = index};
    return panel;
}

// Heights: few panels are taller, and a legend needs its room.
static double arrange(TimeDrawing *drawing)
{
    static const double heights[] = {0, 240, 160, 120};
    double total = 0;
    for (int i = 0; i < drawing->source->line_count; i++) {
        TimePanel *panel = find_panel(drawing, i);
        if (!panel)
            continue;
        if (panel->line_count < TIME_MOST_LINES)
            panel->lines[panel->line_count++] = i;
        else
            panel->left_out++;
    }
    for (int i = 0; i < drawing->panel_count; i++) {
        TimePanel *panel = &drawing->panels[i];
        double usual = drawing->panel_count < 4 ? heights[drawing->panel_count] : LEAST_HEIGHT;
        panel->height = fmax(usual, 26 + 17 * (panel->line_count + (panel->left_out > 0)));
        total += panel->height + (i > 0 ? APART : 0);
    }
    return total;
}

// ---- The figure ---------------------------------------------------------------------------------

static SpragStatus draw(TimeDrawing *drawing)
{
    const SpragTimeFigure *source = drawing->source;
    double y = drawing->top;
    time_draw_lanes(drawing);
    for (int i = 0; i < drawing->panel_count; i++) {
        const TimePanel *panel = &drawing->panels[i];
        drawing->plot = (Plot){.left = TIME_LEFT, .top = y, .width = TIME_WIDTH};
        drawing->plot.height = panel->height;
        drawing->plot.x = plot_scale(source->from, source->to);
        SPRAG_TRY(time_draw_panel(drawing, panel));
        y += panel->height + APART;
    }
    return drawing->figure.status;
}

static SpragStatus check(const SpragTimeFigure *source, SpragContext *context)
{
    if (source->line_count < 1)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "there is no signal that a figure over time could show");
    if (!isfinite(source->from) || !isfinite(source->to) || !(source->to > source->from))
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "a figure over time needs a time that passes, this one goes from %g s to "
                          "%g s",
                          source->from, source->to);
    return SPRAG_OK;
}

SpragStatus sprag_figure_write_time(const SpragTimeFigure *source, SpragContext *context,
                                    const SpragFigureSettings *settings, const char *path)
{
    SpragFigureSettings chosen;
    char title[TITLE_BYTES + 4];
    FigureText style = {.x = TIME_LEFT, .y = 20, .size = 14, .colour = INK, .bold = true};
    SPRAG_TRY(figure_choose(context, settings, &chosen));
    SPRAG_TRY(check(source, context));
    TimeDrawing *drawing = sprag_alloc(context, 1, sizeof *drawing);
    if (!drawing)
        return SPRAG_ERROR_MEMORY;
    drawing->source = source;
    drawing->context = context;
    drawing->top = time_lane_height(source);
    double height = arrange(drawing);
    figure_init(&drawing->figure, context, TIME_FIGURE_WIDTH, drawing->top + height + BOTTOM);
    figure_cut(chosen.title ? chosen.title : source->title, TITLE_BYTES, title);
    figure_text_fitted(&drawing->figure, &style, title, TIME_FIGURE_WIDTH - TIME_LEFT - 20);
    SpragStatus status = draw(drawing);
    if (status == SPRAG_OK)
        status = figure_write(&drawing->figure, &chosen, title, chosen.command, path);
    figure_destroy(&drawing->figure);
    sprag_free(context, drawing);
    return status;
}

// time_figure.h: the parts of a figure over time: panels, lines, lanes.
#ifndef SPRAG_REPORT_TIME_FIGURE_H
#define SPRAG_REPORT_TIME_FIGURE_H

#include "plot.h"

enum {
    TIME_LEFT = 64,
    TIME_WIDTH = 560,
    TIME_LEGEND = TIME_LEFT + TIME_WIDTH + 22,
    TIME_FIGURE_WIDTH = 800,
    TIME_LEGEND_TEXT = TIME_FIGURE_WIDTH - TIME_LEGEND - 26,
    TIME_MOST_PANELS = 24,
    TIME_MOST_LINES = 12 // of a panel
};

#define TINT_NONE 0xf9e5eau
#define TINT_SEVERAL 0xfcf4dcu
#define TINT_COMPLIANT 0xf3effau

typedef struct TimePanel {
    int first;      // a line of it: has its heading and unit
    int line_count; // those that are drawn
    int lines[TIME_MOST_LINES];
    int left_out; // lines for which there is no room
    double height;
} TimePanel;

typedef struct TimeDrawing {
    const SpragTimeFigure *source;
    SpragContext *context;
    Figure figure;
    Plot plot; // of the panel that is drawn
    int panel_count;
    TimePanel panels[TIME_MOST_PANELS];
    double top; // of the first panel
} TimeDrawing;

// time_lane.c: verdict and model above the panels, names of events; and what goes through a panel.
void time_draw_lanes(TimeDrawing *drawing);
void time_draw_behind(TimeDrawing *drawing);
double time_lane_height(const SpragTimeFigure *source);

// time_line.c: the lines of the panel, its scale, its legend.
SpragStatus time_draw_panel(TimeDrawing *drawing, const TimePanel *panel);

#endif

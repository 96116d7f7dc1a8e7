// figure.h: a figure as a list of shapes and texts, written as SVG or PNG. Lengths in CSS pixels,
// y downwards, in the look of docs/guide/maps.md.
#ifndef SPRAG_REPORT_FIGURE_H
#define SPRAG_REPORT_FIGURE_H

#include "sprag/report.h"

// Colours, one hue a role.
#define INK 0x1a2126u
#define INK2 0x47525bu
#define INK3 0x5f6b75u
#define LINE 0xd8dee3u
#define LINE2 0xe8ecefu
#define WHITE 0xffffffu
#define UNIQUE_FILL 0xe6ecefu
#define UNIQUE_LINE 0x7c93a3u
#define UNIQUE_TEXT 0x47596au
#define HELD_FILL 0xd9ece9u
#define HELD_TEXT 0x0a7566u
#define OPEN_FILL 0xf7f9fau
#define SEVERAL 0xe2a400u
#define SEVERAL_FILL 0xf8e6b3u
#define SEVERAL_TEXT 0x775500u
#define NONE 0xc2183fu
#define NONE_FILL 0xf3ccd5u
#define NONE_TEXT 0xad1238u
#define COMPLIANT 0x7a52b8u
#define COMPLIANT_FILL 0xece6f5u
#define COMPLIANT_TEXT 0x6a41aau

// Fills that need no colour to be told apart.
typedef enum FigurePattern {
    FIGURE_PLAIN,
    FIGURE_STRIPES, // upright: several motions
    FIGURE_CROSSES, // none
    FIGURE_DASHES,  // one, not stable
    FIGURE_HATCH,   // diagonal: a continuum
    FIGURE_GREY,    // thin diagonal: nothing to say
    FIGURE_PATTERN_COUNT
} FigurePattern;

typedef struct FigureFill {
    unsigned colour;
    FigurePattern pattern;
    unsigned mark; // colour of the pattern's lines
    bool clear;    // the lines alone: what is below shows between them
} FigureFill;

typedef enum FigureDash {
    FIGURE_SOLID,
    FIGURE_DASHED,
    FIGURE_SHORT,
    FIGURE_LONG,
    FIGURE_DOTTED
} FigureDash;
typedef enum FigureAnchor { FIGURE_START, FIGURE_MIDDLE, FIGURE_END } FigureAnchor;

typedef struct FigurePoint {
    double x, y;
} FigurePoint;

typedef struct FigureText {
    double x, y; // of the baseline
    double size;
    unsigned colour;
    FigureAnchor anchor;
    bool bold, halo;
    unsigned halo_colour;
} FigureText;

typedef enum FigureKind {
    FIGURE_AREA,
    FIGURE_STROKE,
    FIGURE_MARK,
    FIGURE_WORDS,
    FIGURE_CLIP,
    FIGURE_UNCLIP
} FigureKind;

typedef enum FigureShape {
    FIGURE_DISC,
    FIGURE_SQUARE,
    FIGURE_DIAMOND,
    FIGURE_TRIANGLE,
    FIGURE_SHAPE_COUNT
} FigureShape;

typedef struct FigureItem {
    FigureKind kind;
    int first, count; // of points; a loop ends where a point is not a number
    bool closed;
    FigureFill fill;
    unsigned colour;
    double width; // of a line; radius of a mark
    FigureDash dash;
    FigureShape shape;
    bool hollow;
    FigureText style;
    size_t text; // offset in texts
} FigureItem;

typedef struct Figure {
    SpragContext *context;
    double width, height;
    int item_count, point_count;
    FigureItem *items;
    FigurePoint *points;
    size_t item_capacity, point_capacity;
    SpragText texts;
    SpragStatus status; // the first failure; everything after it is dropped
    unsigned page;      // colour of the background
} Figure;

// Empty white paper.
void figure_init(Figure *figure, SpragContext *context, double width, double height);
void figure_destroy(Figure *figure);
// Points of the next area or stroke; a break ends a loop or a line and begins another.
void figure_point(Figure *figure, double x, double y);
void figure_break(Figure *figure);
// Uses the points since the last item.
void figure_area(Figure *figure, FigureFill fill);
void figure_stroke(Figure *figure, unsigned colour, double width, FigureDash dash);
void figure_line(Figure *figure, double x0, double y0, double x1, double y1, unsigned colour,
                 double width);
void figure_rectangle(Figure *figure, double x, double y, double width, double height,
                      FigureFill fill);
// A dot with a white rim.
void figure_disc(Figure *figure, double x, double y, double radius, unsigned colour);
// Another shape of about the same size; hollow: white with a coloured rim.
void figure_mark(Figure *figure, FigureShape shape, bool hollow, FigurePoint at, double radius,
                 unsigned colour);
// What follows shows inside of the points since the last item (even-odd) only, until unclip. Clips
// do not nest.
void figure_clip(Figure *figure);
void figure_unclip(Figure *figure);
void figure_text(Figure *figure, const FigureText *style, const char *text);

// Text that does not fit into a width is cut in whole characters.
void figure_text_fitted(Figure *figure, const FigureText *style, const char *text, double width);

// A text of at most `most` bytes, cut in whole characters with … behind; `cut` has most + 4 bytes.
const char *figure_cut(const char *text, size_t most, char *cut);
// Exchanges every colour for that of the dark theme.
void figure_darken(Figure *figure);
// Bytes of the character of UTF-8 at the start of a text; 0: none, or one that XML does not allow.
int figure_character(const char *text);

// Corners of a mark other than a disc around (0, 0); returns their number.
int figure_shape_corners(FigureShape shape, double radius, FigurePoint corners[4]);
double figure_luminance(unsigned colour); // 0 … 1

// About how wide a text will be.
double figure_text_width(const char *text, double size, bool bold);

// Appends the SVG document; a failure so far is figure->status or text->failed.
void figure_add_svg(const Figure *figure, const char *title, const char *description,
                    SpragText *text);
// Those given, or the defaults; ERROR_ARGUMENT: they were not made by sprag_figure_default.
SpragStatus figure_choose(SpragContext *context, const SpragFigureSettings *given,
                          SpragFigureSettings *chosen);
// As PNG or SVG, by the ending of the path, in the theme of the settings.
SpragStatus figure_write(Figure *figure, const SpragFigureSettings *settings, const char *title,
                         const char *description, const char *path);
SpragStatus figure_write_svg(const Figure *figure, const char *title, const char *description,
                             const char *path);
SpragStatus figure_write_png(const Figure *figure, double scale, const char *path);

#endif

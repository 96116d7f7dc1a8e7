// figure.c: the list of shapes and texts of a figure.
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIGURE_COOKIE = 0x46494731 };

SpragFigureSettings sprag_figure_default(void)
{
    return (SpragFigureSettings){.scale = 2, .cookie = FIGURE_COOKIE};
}

void figure_init(Figure *figure, SpragContext *context, double width, double height)
{
    memset(figure, 0, sizeof *figure);
    figure->context = context;
    figure->width = width;
    figure->height = height;
    figure->page = WHITE;
    sprag_text_init(&figure->texts, context);
    figure_rectangle(figure, 0, 0, width, height, (FigureFill){.colour = WHITE});
}

void figure_destroy(Figure *figure)
{
    sprag_free(figure->context, figure->items);
    sprag_free(figure->context, figure->points);
    sprag_text_destroy(&figure->texts);
}

void figure_point(Figure *figure, double x, double y)
{
    if (figure->status == SPRAG_OK)
        figure->status = sprag_reserve(figure->context, &figure->points, &figure->point_capacity,
                                       (size_t)figure->point_count + 1, sizeof *figure->points);
    if (figure->status == SPRAG_OK)
        figure->points[figure->point_count++] = (FigurePoint){x, y};
}

void figure_break(Figure *figure)
{
    figure_point(figure, NAN, NAN);
}

// The points since the last item belong to this one.
static FigureItem *add_item(Figure *figure, FigureKind kind)
{
    int first = 0;
    if (figure->item_count > 0) {
        const FigureItem *last = &figure->items[figure->item_count - 1];
        first = last->first + last->count;
    }
    if (figure->status == SPRAG_OK)
        figure->status = sprag_reserve(figure->context, &figure->items, &figure->item_capacity,
                                       (size_t)figure->item_count + 1, sizeof *figure->items);
    if (figure->status != SPRAG_OK)
        return NULL;
    FigureItem *item = &figure->items[figure->item_count++];
    memset(item, 0, sizeof *item);
    item->kind = kind;
    item->first = first;
    item->count = figure->point_count - first;
    return item;
}

void figure_area(Figure *figure, FigureFill fill)
{
    FigureItem *item = add_item(figure, FIGURE_AREA);
    if (item)
        item->fill = fill;
}

void figure_stroke(Figure *figure, unsigned colour, double width, FigureDash dash)
{
    FigureItem *item = add_item(figure, FIGURE_STROKE);
    if (!item)
        return;
    item->colour = colour;
    item->width = width;
    item->dash = dash;
}

void figure_line(Figure *figure, double x0, double y0, double x1, double y1, unsigned colour,
                 double width)
{
    figure_point(figure, x0, y0);
    figure_point(figure, x1, y1);
    figure_stroke(figure, colour, width, FIGURE_SOLID);
}

void figure_rectangle(Figure *figure, double x, double y, double width, double height,
                      FigureFill fill)
{
    figure_point(figure, x, y);
    figure_point(figure, x + width, y);
    figure_point(figure, x + width, y + height);
    figure_point(figure, x, y + height);
    figure_area(figure, fill);
}

void figure_disc(Figure *figure, double x, double y, double radius, unsigned colour)
{
    figure_mark(figure, FIGURE_DISC, false, (FigurePoint){x, y}, radius, colour);
}

void figure_mark(Figure *figure, FigureShape shape, bool hollow, FigurePoint at, double radius,
                 unsigned colour)
{
    figure_point(figure, at.x, at.y);
    FigureItem *item = add_item(figure, FIGURE_MARK);
    if (!item)
        return;
    item->shape = shape;
    item->hollow = hollow;
    item->width = radius;
    item->colour = colour;
}

int figure_shape_corners(FigureShape shape, double radius, FigurePoint corners[4])
{
    // sizes of equal weight to the eye
    double side = 0.88 * radius, tip = 1.25 * radius;
    switch (shape) {
    case FIGURE_SQUARE:
        corners[0] = (FigurePoint){-side, -side};
        corners[1] = (FigurePoint){side, -side};
        corners[2] = (FigurePoint){side, side};
        corners[3] = (FigurePoint){-side, side};
        return 4;
    case FIGURE_DIAMOND:
        corners[0] = (FigurePoint){0, -tip};
        corners[1] = (FigurePoint){tip, 0};
        corners[2] = (FigurePoint){0, tip};
        corners[3] = (FigurePoint){-tip, 0};
        return 4;
    case FIGURE_TRIANGLE:
        corners[0] = (FigurePoint){0, -tip};
        corners[1] = (FigurePoint){tip, 0.8 * tip};
        corners[2] = (FigurePoint){-tip, 0.8 * tip};
        return 3;
    default:
        return 0;
    }
}

void figure_clip(Figure *figure)
{
    add_item(figure, FIGURE_CLIP);
}

void figure_unclip(Figure *figure)
{
    add_item(figure, FIGURE_UNCLIP);
}

int figure_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = c[0] < 0x80       ? 1
                 : c[0] >> 5 == 6  ? 2
                 : c[0] >> 4 == 14 ? 3
                 : c[0] >> 3 == 30 ? 4
                                   : 0;
    unsigned code = length > 1 ? c[0] & (0x7fu >> length) : c[0];
    for (int i = 1; i < length; i++) {
        if (c[i] >> 6 != 2)
            return 0;
        code = code << 6 | (c[i] & 0x3fu);
    }
    bool allowed = code >= 0x20 && code < 0x110000 && (code < 0xd800 || code > 0xdfff) &&
                   code != 0xfffe && code != 0xffff && code != 0x7f;
    return length > 0 && code >= least[length] && allowed ? length : 0;
}

// What is no character of a text becomes a question mark in a diamond, U+FFFD.
void figure_text(Figure *figure, const FigureText *style, const char *text)
{
    FigureItem *item = add_item(figure, FIGURE_WORDS);
    if (!item)
        return;
    item->style = *style;
    item->text = figure->texts.length;
    while (*text) {
        int length = figure_character(text);
        if (length > 0)
            sprag_text_add_bytes(&figure->texts, text, (size_t)length);
        else
            sprag_text_add(&figure->texts, "\xef\xbf\xbd");
        text += length > 0 ? length : 1;
    }
    sprag_text_add_bytes(&figure->texts, "", 1);
    if (figure->texts.failed)
        figure->status = SPRAG_ERROR_MEMORY;
}

void figure_text_fitted(Figure *figure, const FigureText *style, const char *text, double width)
{
    char cut[512 + 8];
    snprintf(cut, sizeof cut - 8, "%s", text);
    size_t length = strlen(cut);
    while (length > 0 && figure_text_width(cut, style->size, style->bold) > width) {
        while (length > 0 && ((unsigned char)cut[--length] & 0xc0) == 0x80)
            ;
        memcpy(cut + length, "…", sizeof "…");
    }
    figure_text(figure, style, cut);
}

const char *figure_cut(const char *text, size_t most, char *cut)
{
    size_t length = 0;
    while (text[length]) {
        int next = figure_character(text + length);
        size_t bytes = next > 0 ? (size_t)next : 1;
        if (length + bytes > most) {
            memcpy(cut + length, "…", sizeof "…");
            return cut;
        }
        memcpy(cut + length, text + length, bytes);
        length += bytes;
    }
    cut[length] = 0;
    return cut;
}

static double linear_light(unsigned byte)
{
    double part = byte / 255.0;
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

double figure_luminance(unsigned colour)
{
    return 0.2126 * linear_light(colour >> 16) + 0.7152 * linear_light(colour >> 8 & 255) +
           0.0722 * linear_light(colour & 255);
}

// Averages over common sans-serif fonts; what is laid out with it has room to spare.
double figure_text_width(const char *text, double size, bool bold)
{
    double ems = 0;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue; // inside a character
        if (strchr("iljtfr.,:;|'!()[] ", *text))
            ems += 0.33;
        else if (strchr("mwMW", *text))
            ems += 0.88;
        else
            ems += 0.6;
    }
    return ems * size * (bold ? 1.14 : 1);
}

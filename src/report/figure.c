// figure.c: the list of shapes and texts of a figure.
#include "figure.h"

#include <math.h>
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
    sprag_text_init(&figure->texts, context);
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
    figure_point(figure, x, y);
    FigureItem *item = add_item(figure, FIGURE_DISC);
    if (!item)
        return;
    item->width = radius;
    item->colour = colour;
}

void figure_text(Figure *figure, const FigureText *style, const char *text)
{
    FigureItem *item = add_item(figure, FIGURE_WORDS);
    if (!item)
        return;
    item->style = *style;
    item->text = figure->texts.length;
    sprag_text_add_bytes(&figure->texts, text, strlen(text) + 1);
    if (figure->texts.failed)
        figure->status = SPRAG_ERROR_MEMORY;
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
            ems += 0.58;
    }
    return ems * size * (bold ? 1.07 : 1);
}

// figure_svg.c: a figure as SVG: colours as plain attributes, text as text, the same bytes each
// time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"

enum { NUMBER_BYTES = 32 };

static const char fonts[] = "system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,"
                            "DejaVu Sans,sans-serif";

// Hundredths of a pixel, without needless zeros.
static const char *format(double number, char buffer[NUMBER_BYTES])
{
    long hundredths = lround(number * 100);
    long size = hundredths < 0 ? -hundredths : hundredths;
    const char *sign = hundredths < 0 ? "-" : "";
    if (size % 100 == 0)
        snprintf(buffer, NUMBER_BYTES, "%s%ld", sign, size / 100);
    else if (size % 10 == 0)
        snprintf(buffer, NUMBER_BYTES, "%s%ld.%ld", sign, size / 100, size % 100 / 10);
    else
        snprintf(buffer, NUMBER_BYTES, "%s%ld.%02ld", sign, size / 100, size % 100);
    return buffer;
}

static void put(SpragText *svg, const char *before, double number)
{
    char buffer[NUMBER_BYTES];
    sprag_text_add(svg, "%s%s", before, format(number, buffer));
}

// What XML does not allow in a text is left out.
static void put_text(SpragText *svg, const char *text)
{
    while (*text) {
        int length = figure_character(text);
        if (*text == '<')
            sprag_text_add(svg, "&lt;");
        else if (*text == '>')
            sprag_text_add(svg, "&gt;");
        else if (*text == '&')
            sprag_text_add(svg, "&amp;");
        else
            sprag_text_add_bytes(svg, text, (size_t)length);
        text += length > 0 ? length : 1;
    }
}

// ---- Patterns -----------------------------------------------------------------------------------

static const char *pattern_prefix(FigureFill fill)
{
    return fill.clear ? "o" : "p";
}

static void put_pattern(SpragText *svg, FigureFill fill)
{
    static const struct {
        int size;
        const char *lines, *more;
    } kinds[FIGURE_PATTERN_COUNT] = {
        [FIGURE_STRIPES] = {6, "M1 0v6", "stroke-width=\"1.2\""},
        [FIGURE_CROSSES] = {14, "M5 5l4 4M9 5l-4 4", "stroke-width=\"1\" stroke-opacity=\".5\""},
        [FIGURE_DASHES] = {12, "M2 6h6", "stroke-width=\"1.2\" stroke-opacity=\".7\""},
        [FIGURE_HATCH] = {8, "M0 8L8 0M-2 2L2 -2M6 10L10 6", "stroke-width=\"1.2\""},
        [FIGURE_GREY] = {8, "M0 8L8 0M-2 2L2 -2M6 10L10 6", "stroke-width=\".6\""},
    };
    if (fill.pattern == FIGURE_PLAIN)
        return;
    int size = kinds[fill.pattern].size;
    sprag_text_add(svg,
                   "<pattern id=\"%s%d\" width=\"%d\" height=\"%d\" "
                   "patternUnits=\"userSpaceOnUse\">",
                   pattern_prefix(fill), (int)fill.pattern, size, size);
    if (!fill.clear)
        sprag_text_add(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>", size, size,
                       fill.colour);
    sprag_text_add(svg, "<path d=\"%s\" stroke=\"#%06x\" %s/></pattern>", kinds[fill.pattern].lines,
                   fill.mark, kinds[fill.pattern].more);
}

// Each pattern that is used, once.
static void put_patterns(const Figure *figure, SpragText *svg)
{
    bool seen[2][FIGURE_PATTERN_COUNT] = {{false}};
    sprag_text_add(svg, "<defs>");
    for (int i = 0; i < figure->item_count; i++) {
        FigureFill fill = figure->items[i].fill;
        if (figure->items[i].kind != FIGURE_AREA || seen[fill.clear][fill.pattern])
            continue;
        seen[fill.clear][fill.pattern] = true;
        put_pattern(svg, fill);
    }
    sprag_text_add(svg, "</defs>\n");
}

// ---- Items --------------------------------------------------------------------------------------

static void put_path(const Figure *figure, const FigureItem *item, bool closed, SpragText *svg)
{
    bool open = false;
    sprag_text_add(svg, "<path d=\"");
    for (int i = item->first; i < item->first + item->count; i++) {
        FigurePoint point = figure->points[i];
        if (!isfinite(point.x)) {
            if (open && closed)
                sprag_text_add(svg, "z");
            open = false;
            continue;
        }
        put(svg, open ? "L" : "M", point.x);
        put(svg, " ", point.y);
        open = true;
    }
    sprag_text_add(svg, "%s\"", open && closed ? "z" : "");
}

static void put_words(const Figure *figure, const FigureItem *item, SpragText *svg)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const FigureText *style = &item->style;
    put(svg, "<text x=\"", style->x);
    put(svg, "\" y=\"", style->y);
    put(svg, "\" font-size=\"", style->size);
    sprag_text_add(svg, "\" fill=\"#%06x\" text-anchor=\"%s\"", style->colour,
                   anchors[style->anchor]);
    if (style->bold)
        sprag_text_add(svg, " font-weight=\"600\"");
    if (style->halo)
        sprag_text_add(svg,
                       " paint-order=\"stroke\" stroke=\"#%06x\" stroke-width=\"4\" "
                       "stroke-linejoin=\"round\"",
                       style->halo_colour);
    sprag_text_add(svg, ">");
    put_text(svg, figure->texts.bytes + item->text);
    sprag_text_add(svg, "</text>\n");
}

// Filled with a white rim, or hollow with a coloured one.
static void put_mark(const Figure *figure, const FigureItem *item, SpragText *svg)
{
    FigurePoint at = figure->points[item->first], corners[4];
    int count = figure_shape_corners(item->shape, item->width, corners);
    if (count == 0) {
        put(svg, "<circle cx=\"", at.x);
        put(svg, "\" cy=\"", at.y);
        put(svg, "\" r=\"", item->width);
        sprag_text_add(svg, "\"");
    }
    for (int i = 0; i < count; i++) {
        put(svg, i == 0 ? "<path d=\"M" : "L", at.x + corners[i].x);
        put(svg, " ", at.y + corners[i].y);
    }
    if (count > 0)
        sprag_text_add(svg, "z\"");
    sprag_text_add(svg, " fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\"%s\"/>\n",
                   item->hollow ? figure->page : item->colour,
                   item->hollow ? item->colour : figure->page, item->hollow ? "2.2" : "1.5");
}

static void put_item(const Figure *figure, const FigureItem *item, SpragText *svg)
{
    static const char *const dashes[] = {"", " stroke-dasharray=\"5 4\"",
                                         " stroke-dasharray=\"4 2.5\"", " stroke-dasharray=\"6 4\"",
                                         " stroke-dasharray=\"2 3\""};
    switch (item->kind) {
    case FIGURE_AREA:
        put_path(figure, item, true, svg);
        if (item->fill.pattern == FIGURE_PLAIN)
            sprag_text_add(svg, " fill=\"#%06x\" fill-rule=\"evenodd\"/>\n", item->fill.colour);
        else
            sprag_text_add(svg, " fill=\"url(#%s%d)\" fill-rule=\"evenodd\"/>\n",
                           pattern_prefix(item->fill), (int)item->fill.pattern);
        break;
    case FIGURE_STROKE:
        put_path(figure, item, false, svg);
        put(svg, " fill=\"none\" stroke-width=\"", item->width);
        sprag_text_add(svg, "\" stroke=\"#%06x\" stroke-linejoin=\"round\"%s/>\n", item->colour,
                       dashes[item->dash]);
        break;
    case FIGURE_MARK:
        put_mark(figure, item, svg);
        break;
    case FIGURE_CLIP: // its number is that of the item
        sprag_text_add(svg, "<clipPath id=\"c%d\">", (int)(item - figure->items));
        put_path(figure, item, true, svg);
        sprag_text_add(svg, " clip-rule=\"evenodd\"/></clipPath><g clip-path=\"url(#c%d)\">\n",
                       (int)(item - figure->items));
        break;
    case FIGURE_UNCLIP:
        sprag_text_add(svg, "</g>\n");
        break;
    case FIGURE_WORDS:
        put_words(figure, item, svg);
        break;
    }
}

void figure_add_svg(const Figure *figure, const char *title, const char *description,
                    SpragText *text)
{
    if (figure->status != SPRAG_OK) {
        text->failed = true;
        return;
    }
    sprag_text_add(text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                   "width=\"%.0f\" height=\"%.0f\" font-family=\"%s\" role=\"img\" "
                   "font-variant-numeric=\"tabular-nums\"><title>",
                   figure->width, figure->height, figure->width, figure->height, fonts);
    put_text(text, title);
    sprag_text_add(text, "</title><desc>");
    put_text(text, description);
    sprag_text_add(text, "</desc>\n");
    put_patterns(figure, text);
    for (int i = 0; i < figure->item_count; i++)
        put_item(figure, &figure->items[i], text);
    sprag_text_add(text, "</svg>\n");
}

SpragStatus figure_write_svg(const Figure *figure, const char *title, const char *description,
                             const char *path)
{
    SpragText svg;
    SPRAG_TRY(figure->status);
    sprag_text_init(&svg, figure->context);
    figure_add_svg(figure, title, description, &svg);
    SpragStatus status = sprag_text_save(&svg, path);
    sprag_text_destroy(&svg);
    return status;
}

SpragStatus figure_choose(SpragContext *context, const SpragFigureSettings *given,
                          SpragFigureSettings *chosen)
{
    *chosen = given ? *given : sprag_figure_default();
    if (chosen->cookie != sprag_figure_default().cookie)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "figure settings must come from sprag_figure_default");
    return SPRAG_OK;
}

SpragStatus figure_write(Figure *figure, const SpragFigureSettings *settings, const char *title,
                         const char *description, const char *path)
{
    size_t length = strlen(path);
    bool png = length > 4 && strcmp(path + length - 4, ".png") == 0;
    if (settings->dark)
        figure_darken(figure);
    return png ? figure_write_png(figure, settings->scale, path)
               : figure_write_svg(figure, title, description ? description : "", path);
}

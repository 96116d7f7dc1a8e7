// figure_png.c: a figure as PNG, drawn by cairo.
#include <math.h>
#include <string.h>

#include "figure.h"

#ifdef SPRAG_HAS_CAIRO
#include <cairo.h>

typedef struct Canvas {
    cairo_t *cairo;
    const Figure *figure;
} Canvas;

static void use_colour(cairo_t *cairo, unsigned colour, double alpha)
{
    cairo_set_source_rgba(cairo, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha);
}

static void make_path(const Canvas *canvas, const FigureItem *item, bool closed)
{
    bool open = false;
    cairo_new_path(canvas->cairo);
    for (int i = item->first; i < item->first + item->count; i++) {
        FigurePoint point = canvas->figure->points[i];
        if (!isfinite(point.x)) {
            if (open && closed)
                cairo_close_path(canvas->cairo);
            open = false;
        } else if (open) {
            cairo_line_to(canvas->cairo, point.x, point.y);
        } else {
            cairo_move_to(canvas->cairo, point.x, point.y);
            open = true;
        }
    }
    if (open && closed)
        cairo_close_path(canvas->cairo);
}

static void draw_mark(cairo_t *cairo, FigurePattern pattern, double x, double y, double size)
{
    switch (pattern) {
    case FIGURE_STRIPES:
        cairo_move_to(cairo, x + 1, y);
        cairo_rel_line_to(cairo, 0, size);
        break;
    case FIGURE_CROSSES:
        cairo_move_to(cairo, x + 5, y + 5);
        cairo_rel_line_to(cairo, 4, 4);
        cairo_move_to(cairo, x + 9, y + 5);
        cairo_rel_line_to(cairo, -4, 4);
        break;
    case FIGURE_DASHES:
        cairo_move_to(cairo, x + 2, y + 6);
        cairo_rel_line_to(cairo, 6, 0);
        break;
    default:
        cairo_move_to(cairo, x, y + size);
        cairo_rel_line_to(cairo, size, -size);
        break;
    }
}

// The lines of a pattern over its extents, as in figure_svg.c; the area is the clip.
static void draw_marks(const Canvas *canvas, const FigureItem *item)
{
    cairo_t *cairo = canvas->cairo;
    double x0, y0, x1, y1;
    static const double sizes[] = {[FIGURE_STRIPES] = 6,
                                   [FIGURE_CROSSES] = 14,
                                   [FIGURE_DASHES] = 12,
                                   [FIGURE_HATCH] = 8,
                                   [FIGURE_GREY] = 8};
    double size = sizes[item->fill.pattern];
    cairo_clip_extents(cairo, &x0, &y0, &x1, &y1);
    for (int i = (int)floor(x0 / size); i * size < x1; i++)
        for (int j = (int)floor(y0 / size); j * size < y1; j++)
            draw_mark(cairo, item->fill.pattern, i * size, j * size, size);
}

static void draw_area(const Canvas *canvas, const FigureItem *item)
{
    static const double alphas[] = {1, 1, 0.5, 0.7, 1, 1};
    static const double widths[] = {1, 1.2, 1, 1.2, 1.2, 0.6};
    cairo_t *cairo = canvas->cairo;
    make_path(canvas, item, true);
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD);
    use_colour(cairo, item->fill.colour, 1);
    if (item->fill.pattern == FIGURE_PLAIN) {
        cairo_fill(cairo);
        return;
    }
    cairo_save(cairo);
    if (!item->fill.clear)
        cairo_fill_preserve(cairo);
    cairo_clip(cairo);
    draw_marks(canvas, item);
    use_colour(cairo, item->fill.mark, alphas[item->fill.pattern]);
    cairo_set_line_width(cairo, widths[item->fill.pattern]);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

static void draw_stroke(const Canvas *canvas, const FigureItem *item)
{
    static const double dashes[][2] = {{0, 0}, {5, 4}, {4, 2.5}, {6, 4}, {2, 3}};
    make_path(canvas, item, false);
    use_colour(canvas->cairo, item->colour, 1);
    cairo_set_line_width(canvas->cairo, item->width);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(canvas->cairo, dashes[item->dash], item->dash == FIGURE_SOLID ? 0 : 2, 0);
    cairo_stroke(canvas->cairo);
}

static void draw_mark_item(const Canvas *canvas, const FigureItem *item)
{
    FigurePoint centre = canvas->figure->points[item->first], corners[4];
    int count = figure_shape_corners(item->shape, item->width, corners);
    cairo_new_path(canvas->cairo);
    for (int i = 0; i < count; i++)
        cairo_line_to(canvas->cairo, centre.x + corners[i].x, centre.y + corners[i].y);
    if (count > 0)
        cairo_close_path(canvas->cairo);
    else
        cairo_arc(canvas->cairo, centre.x, centre.y, item->width, 0, 6.283185307179586);
    use_colour(canvas->cairo, item->hollow ? canvas->figure->page : item->colour, 1);
    cairo_fill_preserve(canvas->cairo);
    use_colour(canvas->cairo, item->hollow ? item->colour : canvas->figure->page, 1);
    cairo_set_line_width(canvas->cairo, item->hollow ? 2.2 : 1.5);
    cairo_set_dash(canvas->cairo, NULL, 0, 0);
    cairo_stroke(canvas->cairo);
}

static void draw_clip(const Canvas *canvas, const FigureItem *item)
{
    cairo_save(canvas->cairo);
    make_path(canvas, item, true);
    cairo_set_fill_rule(canvas->cairo, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_clip(canvas->cairo);
}

static void draw_unclip(const Canvas *canvas, const FigureItem *item)
{
    (void)item;
    cairo_restore(canvas->cairo);
}

static void draw_words(const Canvas *canvas, const FigureItem *item)
{
    static const double shares[] = {0, 0.5, 1};
    const FigureText *style = &item->style;
    const char *text = canvas->figure->texts.bytes + item->text;
    cairo_text_extents_t extents;
    cairo_t *cairo = canvas->cairo;
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    // DejaVu runs wide: nine tenths fill the room that system fonts would
    cairo_set_font_size(cairo, 0.9 * style->size);
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, style->x - shares[style->anchor] * extents.x_advance, style->y);
    cairo_text_path(cairo, text);
    if (style->halo) {
        use_colour(cairo, style->halo_colour, 1);
        cairo_set_line_width(cairo, 4);
        cairo_set_dash(cairo, NULL, 0, 0);
        cairo_stroke_preserve(cairo);
    }
    use_colour(cairo, style->colour, 1);
    cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_WINDING);
    cairo_fill(cairo);
}

SpragStatus figure_write_png(const Figure *figure, double scale, const char *path)
{
    SPRAG_TRY(figure->status);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(figure->width * scale),
                                   (int)lround(figure->height * scale));
    Canvas canvas = {cairo_create(surface), figure};
    cairo_scale(canvas.cairo, scale, scale);
    for (int i = 0; i < figure->item_count; i++) {
        static void (*const draw[])(const Canvas *, const FigureItem *) = {
            [FIGURE_AREA] = draw_area,      [FIGURE_STROKE] = draw_stroke,
            [FIGURE_MARK] = draw_mark_item, [FIGURE_CLIP] = draw_clip,
            [FIGURE_UNCLIP] = draw_unclip,  [FIGURE_WORDS] = draw_words};
        draw[figure->items[i].kind](&canvas, &figure->items[i]);
    }
    cairo_status_t status = cairo_status(canvas.cairo);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png(surface, path);
    cairo_destroy(canvas.cairo);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return SPRAG_OK;
    return sprag_fail(figure->context, SPRAG_ERROR_WRITE, "%s: cannot be written: %s", path,
                      cairo_status_to_string(status));
}

bool sprag_figure_has_png(void)
{
    return true;
}

#else

SpragStatus figure_write_png(const Figure *figure, double scale, const char *path)
{
    (void)scale;
    return sprag_fail(figure->context, SPRAG_ERROR_ARGUMENT,
                      "%s: this Sprag was built without cairo and cannot write PNG; .svg works",
                      path);
}

bool sprag_figure_has_png(void)
{
    return false;
}

#endif

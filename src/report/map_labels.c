// map_labels.c: numbers on isolines, each where it can be read.
// Method    places at equal distances along a line; a box of the text's size must lie in the plot,
//           in one region and on no other text. Of those that do, the straightest and most level
//           one near the middle of the line wins.
#include "map_labels.h"

#include <math.h>

static const double AIR = 5; // pixels between texts

void labels_take(MapLabels *labels, FigurePoint place, double width, double height)
{
    if (labels->count < LABELS_MOST)
        labels->boxes[labels->count++] = (LabelBox){place.x, place.y, width, height};
}

bool labels_taken(const MapLabels *labels, double x, double y)
{
    for (int i = 0; i < labels->count; i++) {
        const LabelBox *box = &labels->boxes[i];
        if (fabs(x - box->x) < 0.5 * box->width + AIR && fabs(y - box->y) < 0.5 * box->height + AIR)
            return true;
    }
    return false;
}

static bool is_free(const MapLabels *labels, FigurePoint at, double width, double height,
                    int class_index)
{
    const Plot *plot = &labels->panel->plot;
    double half = 0.5 * width + 5, up = 0.5 * height + 4;
    if (labels->count == LABELS_MOST || at.x - half < plot->left ||
        at.x + half > plot->left + plot->width || at.y - up < plot->top ||
        at.y + up > plot->top + plot->height)
        return false;
    for (int i = 0; i < labels->count; i++) {
        const LabelBox *box = &labels->boxes[i];
        if (fabs(at.x - box->x) < 0.5 * (box->width + width) + AIR &&
            fabs(at.y - box->y) < 0.5 * (box->height + height) + AIR)
            return false;
    }
    int wanted = class_index;
    for (int k = 0; k < 9; k++) {
        int column = k % 3 - 1, row = k / 3 - 1;
        FigurePoint corner = {at.x + column * half, at.y + row * up};
        double u = (corner.x - plot->left) / plot->width;
        double v = 1 - (corner.y - plot->top) / plot->height;
        int found = panel_class_at(u, v, labels->panel);
        if (k == 0 && wanted < 0)
            wanted = found;
        if (found != wanted || found < 0)
            return false;
    }
    return true;
}

// The point at a distance along a line, from a piece that is not behind it on.
static FigurePoint point_along(const FigurePoint *points, int count, double distance)
{
    for (int i = 0; i + 1 < count; i++) {
        double length = hypot(points[i + 1].x - points[i].x, points[i + 1].y - points[i].y);
        if (distance <= length || i + 2 == count) {
            double part = length > 0 ? fmin(1, fmax(0, distance / length)) : 0;
            return (FigurePoint){points[i].x + part * (points[i + 1].x - points[i].x),
                                 points[i].y + part * (points[i + 1].y - points[i].y)};
        }
        distance -= length;
    }
    return points[0];
}

static double length_of(const FigurePoint *points, int count)
{
    double length = 0;
    for (int i = 0; i + 1 < count; i++)
        length += hypot(points[i + 1].x - points[i].x, points[i + 1].y - points[i].y);
    return length;
}

// How well a text of a width would stand at a distance along the line.
static double rate(const FigurePoint *points, int count, double distance, double width,
                   double length)
{
    double half = fmax(8, 0.5 * width);
    FigurePoint a = point_along(points, count, fmax(0, distance - half));
    FigurePoint b = point_along(points, count, fmin(length, distance + half));
    double chord = hypot(b.x - a.x, b.y - a.y);
    double straight = chord / (2 * half), level = chord > 0 ? fabs(b.x - a.x) / chord : 0;
    return straight + 0.5 * level - 0.6 * fabs(distance / length - 0.5);
}

void labels_draw(MapLabels *labels, const Contour *contour, int class_index,
                 const FigureText *style, const char *text, Figure *figure)
{
    enum { TRIES = 64 };
    const double shortest = 44;
    double width = figure_text_width(text, style->size, style->bold), height = style->size;
    for (int l = 0; l < contour->line_count; l++) {
        const FigurePoint *points = contour->points + contour->lines[l].first;
        int count = contour->lines[l].count;
        double length = length_of(points, count), best = -INFINITY;
        FigurePoint place = {0, 0};
        if (length < fmax(shortest, 1.6 * width))
            continue;
        for (int k = 0; k < TRIES; k++) {
            double distance = (k + 0.5) / TRIES * length;
            FigurePoint at = point_along(points, count, distance);
            double rating = rate(points, count, distance, width, length);
            if (rating > best && is_free(labels, at, width, height, class_index)) {
                best = rating;
                place = at;
            }
        }
        if (!isfinite(best))
            continue;
        FigureText here = *style;
        here.x = place.x;
        here.y = place.y + 0.36 * style->size; // from the middle to the baseline
        figure_text(figure, &here, text);
        labels_take(labels, place, width, height);
    }
}

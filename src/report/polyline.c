// polyline.c: a line of points that is built point by point and then thinned.
#include "polyline.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 0.05; // pixels

void polyline_init(Polyline *line, SpragContext *context)
{
    memset(line, 0, sizeof *line);
    line->context = context;
}

void polyline_destroy(Polyline *line)
{
    if (!line->context)
        return;
    sprag_free(line->context, line->points);
    sprag_free(line->context, line->kept);
    sprag_free(line->context, line->stack);
}

SpragStatus polyline_add(Polyline *line, FigurePoint point)
{
    SPRAG_TRY(sprag_reserve(line->context, &line->points, &line->point_capacity,
                            (size_t)line->count + 1, sizeof *line->points));
    line->points[line->count++] = point;
    return SPRAG_OK;
}

static double distance(FigurePoint p, FigurePoint a, FigurePoint b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    if (length == 0)
        return hypot(p.x - a.x, p.y - a.y);
    double along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (length * length);
    along = fmin(1, fmax(0, along));
    return hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

// The point between two that is farthest from the line through them; −1: all are near.
static int farthest(const Polyline *line, int first, int last)
{
    double most = TOLERANCE;
    int far = -1;
    for (int i = first + 1; i < last; i++) {
        double d = distance(line->points[i], line->points[first], line->points[last]);
        if (d > most) {
            most = d;
            far = i;
        }
    }
    return far;
}

// Pairs of ends wait on a stack of their own.
SpragStatus polyline_simplify(Polyline *line)
{
    size_t count = (size_t)line->count;
    if (count < 3)
        return SPRAG_OK;
    SPRAG_TRY(
        sprag_reserve(line->context, &line->kept, &line->kept_capacity, count + 1, sizeof(bool)));
    SPRAG_TRY(sprag_reserve(line->context, &line->stack, &line->stack_capacity, 2 * count + 2,
                            sizeof(int)));
    memset(line->kept, 0, count * sizeof(bool));
    line->kept[0] = line->kept[count - 1] = true;
    int depth = 0;
    line->stack[depth++] = 0;
    line->stack[depth++] = line->count - 1;
    while (depth > 0) {
        int last = line->stack[--depth], first = line->stack[--depth];
        int far = farthest(line, first, last);
        if (far < 0)
            continue;
        line->kept[far] = true;
        line->stack[depth++] = first;
        line->stack[depth++] = far;
        line->stack[depth++] = far;
        line->stack[depth++] = last;
    }
    int kept = 0;
    for (int i = 0; i < line->count; i++)
        if (line->kept[i])
            line->points[kept++] = line->points[i];
    line->count = kept;
    return SPRAG_OK;
}

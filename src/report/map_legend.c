// map_legend.c: the legend of a map: its classes, most frequent first, and what else is drawn.
#include "map_legend.h"

#include <stdio.h>

#include "map_panel.h"

enum { LEGEND_MOST = 8 };

// The most frequent classes, the first in the grid before others of the same number.
static int order_classes(const SpragMap *map, int order[LEGEND_MOST])
{
    const double least = 5e-4; // of the points: fewer lie on a border by chance
    double total = (double)map->axes[0].count * map->axes[1].count;
    int listed = 0;
    for (int i = 0; i < map->class_count; i++) {
        if ((double)map->table[i].point_count < least * total)
            continue;
        int at = listed;
        while (at > 0 && map->table[order[at - 1]].point_count < map->table[i].point_count)
            at--;
        if (at == LEGEND_MOST)
            continue;
        listed += listed < LEGEND_MOST;
        for (int k = listed - 1; k > at; k--)
            order[k] = order[k - 1];
        order[at] = i;
    }
    return listed;
}

void legend_swatch(Figure *figure, double x, double y, FigureFill fill)
{
    figure_rectangle(figure, x, y, 28, 18, fill);
    figure_point(figure, x, y);
    figure_point(figure, x + 28, y);
    figure_point(figure, x + 28, y + 18);
    figure_point(figure, x, y + 18);
    figure_point(figure, x, y);
    figure_stroke(figure, INK3, 0.8, FIGURE_SOLID);
}

double legend_classes(Figure *figure, const SpragMap *map, double x, double y, bool scene)
{
    int order[LEGEND_MOST], listed = order_classes(map, order);
    char text[WORDS_BYTES];
    double room = MAP_LEGEND_WIDTH - 38;
    FigureText head = {.size = 12, .colour = INK, .bold = true};
    FigureText line = {.size = 11, .colour = INK3};
    head.x = line.x = x + 36;
    for (int i = 0; i < listed; i++, y += 42) {
        const SpragMapClass *class = &map->table[order[i]];
        legend_swatch(figure, x, y, class_fill(class));
        head.y = y + 9;
        line.y = y + 24;
        figure_text_fitted(figure, &head, class_verdict_words(class, text), room);
        figure_text_fitted(figure, &line, class_mode_words(class, text), room);
    }
    line.y = y + 12;
    if (map->class_count > listed) {
        snprintf(text, sizeof text, "%d more, in small regions", map->class_count - listed);
        figure_text(figure, &line, text);
        y += 24;
    }
    if (scene) {
        figure_disc(figure, x + 14, y + 8, 5, INK);
        line.y = y + 12;
        figure_text(figure, &line, "the scene as it stands");
        y += 24;
    }
    return y;
}

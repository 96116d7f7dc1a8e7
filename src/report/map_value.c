// map_value.c: numbers over a map: colours between isolines at round values, with the borders of
// the verdict on top.
// Method    a number of the state goes on across borders, one of a motion may jump there: it is
//           drawn region by region, continued by a straight line beyond the last point and cut off
//           at the border, so that no isolines pile up between two regions.
#include <math.h>

#include "map_figure.h"
#include "map_labels.h"
#include "map_legend.h"
#include "map_levels.h"
#include "map_names.h"

enum { PANEL_HEIGHT = 260, PANEL_APART = 62, BOTTOM = 70, PATTERNS_MOST = FIGURE_PATTERN_COUNT };

typedef struct ValueFigure {
    const SpragMap *map;
    int value;
    MapPanel panel;
    MapLevels levels;
    ContourField field;
    size_t x_capacity, y_capacity, f_capacity;
    Contour contour;
    bool zero_drawn; // the heavy line
    MapLabels labels;
    Figure *figure;
} ValueFigure;

// ---- The field ----------------------------------------------------------------------------------

// Part of the grid.
typedef struct GridPart {
    int i0, i1, j0, j1; // the last ones included
} GridPart;

static double number_at(const ValueFigure *v, int i, int j)
{
    const SpragMap *map = v->map;
    long at = i + (long)j * map->axes[0].count;
    if (map->classes[at] < 0)
        return NAN;
    double number = map->values[at * map->value_count + v->value];
    return isfinite(number) ? number : NAN;
}

// The number at a point if it belongs to the class; class_index < 0: to any.
static double own_number(const ValueFigure *v, int i, int j, int class_index)
{
    if (i < 0 || j < 0 || i >= v->map->axes[0].count || j >= v->map->complete_rows ||
        (class_index >= 0 && v->map->classes[i + (long)j * v->map->axes[0].count] != class_index))
        return NAN;
    return number_at(v, i, j);
}

static double column_place(const ValueFigure *v, int i)
{
    return plot_x(&v->panel.plot, v->map->axes[0].values[i]);
}

static double row_place(const ValueFigure *v, int j)
{
    return plot_y(&v->panel.plot, v->map->axes[1].values[j]);
}

// Beyond a region: the mean of straight lines through two of its points, or of its next points.
static double continued(const ValueFigure *v, int i, int j, int class_index)
{
    double sums[2] = {0, 0};
    int counts[2] = {0, 0};
    for (int k = 0; k < 9; k++) {
        int di = k % 3 - 1, dj = k / 3 - 1;
        double near = own_number(v, i + di, j + dj, class_index);
        if (k == 4 || isnan(near))
            continue;
        sums[0] += near;
        counts[0]++;
        double far = own_number(v, i + 2 * di, j + 2 * dj, class_index);
        if (isnan(far))
            continue;
        // steps of the grid need not be equal
        double step = di != 0 ? (column_place(v, i + di) - column_place(v, i)) /
                                    (column_place(v, i + 2 * di) - column_place(v, i + di))
                              : (row_place(v, j + dj) - row_place(v, j)) /
                                    (row_place(v, j + 2 * dj) - row_place(v, j + dj));
        sums[1] += near + (near - far) * step;
        counts[1]++;
    }
    int kind = counts[1] > 0;
    return counts[kind] > 0 ? sums[kind] / counts[kind] : NAN;
}

static SpragStatus make_field(ValueFigure *v, const GridPart *part, int class_index)
{
    ContourField *field = &v->field;
    SpragContext *context = v->map->context;
    field->nx = part->i1 - part->i0 + 1;
    field->ny = part->j1 - part->j0 + 1;
    SPRAG_TRY(sprag_reserve(context, &field->x, &v->x_capacity, (size_t)field->nx, sizeof(double)));
    SPRAG_TRY(sprag_reserve(context, &field->y, &v->y_capacity, (size_t)field->ny, sizeof(double)));
    SPRAG_TRY(sprag_reserve(context, &field->f, &v->f_capacity,
                            (size_t)field->nx * (size_t)field->ny, sizeof(double)));
    for (int i = 0; i < field->nx; i++)
        field->x[i] = column_place(v, part->i0 + i);
    for (int j = 0; j < field->ny; j++)
        field->y[j] = row_place(v, part->j0 + j);
    for (int j = 0; j < field->ny; j++)
        for (int i = 0; i < field->nx; i++) {
            double *f = &field->f[i + (long)j * field->nx];
            *f = own_number(v, part->i0 + i, part->j0 + j, class_index);
            if (isnan(*f) && class_index >= 0)
                *f = continued(v, part->i0 + i, part->j0 + j, class_index);
        }
    return SPRAG_OK;
}

// The points of a class and one more to each side; false: it has no number anywhere.
static bool find_part(const ValueFigure *v, int class_index, GridPart *part)
{
    int nx = v->map->axes[0].count, ny = v->map->complete_rows;
    *part = (GridPart){nx, -1, ny, -1};
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            if (isnan(own_number(v, i, j, class_index)))
                continue;
            part->i0 = i < part->i0 ? i : part->i0;
            part->i1 = i > part->i1 ? i : part->i1;
            part->j0 = j < part->j0 ? j : part->j0;
            part->j1 = j > part->j1 ? j : part->j1;
        }
    if (part->i1 < 0)
        return false;
    part->i0 -= part->i0 > 0;
    part->j0 -= part->j0 > 0;
    part->i1 += part->i1 + 1 < nx;
    part->j1 += part->j1 + 1 < ny;
    return true;
}

// ---- Colours and isolines -----------------------------------------------------------------------

static SpragStatus draw_colours(ValueFigure *v)
{
    for (int band = 0; band <= v->levels.count; band++) {
        SPRAG_TRY(contour_add_area(&v->contour, &v->field,
                                   band == 0 ? -INFINITY : v->levels.at[band - 1], v->figure));
        figure_area(v->figure, (FigureFill){.colour = v->levels.colours[band]});
    }
    return SPRAG_OK;
}

static SpragStatus draw_level(ValueFigure *v, int level)
{
    double at = v->levels.at[level];
    bool zero = v->levels.crosses_zero && at == 0;
    SPRAG_TRY(contour_find_lines(&v->contour, &v->field, at));
    for (int l = 0; l < v->contour.line_count; l++) {
        const ContourLine *line = &v->contour.lines[l];
        for (int i = 0; i < line->count; i++) {
            FigurePoint point = v->contour.points[line->first + i];
            figure_point(v->figure, point.x, point.y);
        }
        figure_break(v->figure);
    }
    v->zero_drawn |= zero && v->contour.line_count > 0;
    if (v->contour.line_count > 0)
        figure_stroke(v->figure, zero ? INK : INK2, zero ? 3 : 0.8,
                      at < 0 && v->levels.crosses_zero ? FIGURE_SHORT : FIGURE_SOLID);
    return SPRAG_OK;
}

static SpragStatus draw_labels(ValueFigure *v, int class_index)
{
    char text[PLOT_WORDS];
    FigureText style = {.size = 10.5, .anchor = FIGURE_MIDDLE, .colour = INK, .halo = true};
    for (int level = 0; level < v->levels.count; level++) {
        bool zero = v->levels.crosses_zero && v->levels.at[level] == 0;
        SPRAG_TRY(contour_find_lines(&v->contour, &v->field, v->levels.at[level]));
        style.bold = zero;
        style.halo_colour = v->levels.colours[level + (v->levels.at[level] >= 0)];
        labels_draw(&v->labels, &v->contour, class_index, &style,
                    levels_words(&v->levels, level, text), v->figure);
    }
    return SPRAG_OK;
}

typedef SpragStatus Layer(ValueFigure *v, int class_index);

static SpragStatus draw_field(ValueFigure *v, int class_index)
{
    (void)class_index;
    return draw_colours(v);
}

static SpragStatus draw_isolines(ValueFigure *v, int class_index)
{
    (void)class_index;
    for (int level = 0; level < v->levels.count && !v->levels.few; level++)
        SPRAG_TRY(draw_level(v, level));
    return SPRAG_OK;
}

// A layer over the whole map, or region by region inside of its border.
static SpragStatus draw_layer(ValueFigure *v, Layer *layer, bool clip)
{
    GridPart part = {0, v->map->axes[0].count - 1, 0, v->map->complete_rows - 1};
    if (v->map->value_about[v->value].kind == SPRAG_MAP_VALUE_SMOOTH) {
        SPRAG_TRY(make_field(v, &part, -1));
        return layer(v, -1);
    }
    for (int class_index = 0; class_index < v->map->class_count; class_index++) {
        if (!find_part(v, class_index, &part))
            continue;
        SPRAG_TRY(make_field(v, &part, class_index));
        if (clip) {
            SPRAG_TRY(map_class_add(&v->panel.shapes, v->map, class_index, v->figure));
            figure_clip(v->figure);
        }
        SPRAG_TRY(layer(v, class_index));
        if (clip)
            figure_unclip(v->figure);
    }
    return SPRAG_OK;
}

// ---- The verdict below and above ----------------------------------------------------------------

// Where a class has no number, its own look if that has a pattern, else white.
static SpragStatus draw_ground(ValueFigure *v)
{
    GridPart part;
    for (int i = 0; i < v->map->class_count; i++) {
        FigureFill fill = class_fill(&v->map->table[i]);
        if (fill.pattern == FIGURE_PLAIN || find_part(v, i, &part))
            continue;
        SPRAG_TRY(map_class_add(&v->panel.shapes, v->map, i, v->figure));
        figure_area(v->figure, fill);
    }
    return SPRAG_OK;
}

// Its pattern over the colours: crosses for none, and so on.
static SpragStatus draw_patterns(ValueFigure *v)
{
    GridPart part;
    for (int i = 0; i < v->map->class_count; i++) {
        FigureFill fill = class_fill(&v->map->table[i]);
        if (fill.pattern == FIGURE_PLAIN || fill.pattern == FIGURE_STRIPES ||
            !find_part(v, i, &part))
            continue;
        fill.clear = true;
        fill.mark = INK3;
        SPRAG_TRY(map_class_add(&v->panel.shapes, v->map, i, v->figure));
        figure_area(v->figure, fill);
    }
    return SPRAG_OK;
}

static int free_class_at(double u, double v, const void *user)
{
    const ValueFigure *figure = user;
    const Plot *plot = &figure->panel.plot;
    if (labels_taken(&figure->labels, plot->left + u * plot->width,
                     plot->top + (1 - v) * plot->height))
        return -1;
    return panel_class_at(u, v, &figure->panel);
}

static SpragStatus draw_names(ValueFigure *v)
{
    const Plot *plot = &v->panel.plot;
    FigurePoint scene = {-100, -100};
    bool inside = panel_scene_place(&v->panel, &scene);
    MapPlot place = {plot->left, plot->top, plot->width, plot->height, scene.x, scene.y};
    SPRAG_TRY(map_names_draw(v->map, &place, free_class_at, v, v->figure));
    if (inside)
        figure_disc(v->figure, scene.x, scene.y, 5, INK);
    return SPRAG_OK;
}

// ---- Legend -------------------------------------------------------------------------------------

// One key below the other beside a single plot, one beside the other below several.
typedef struct Keys {
    Figure *figure;
    double x, y;
    bool across;
} Keys;

static void add_words(Keys *keys, const char *words)
{
    FigureText style = {.x = keys->x + 36, .y = keys->y + 12, .size = 11, .colour = INK3};
    figure_text(keys->figure, &style, words);
    if (keys->across)
        keys->x += 56 + figure_text_width(words, style.size, false);
    else
        keys->y += 22;
}

static void add_line_key(Keys *keys, unsigned colour, double width, FigureDash dash,
                         const char *words)
{
    figure_point(keys->figure, keys->x, keys->y + 8);
    figure_point(keys->figure, keys->x + 28, keys->y + 8);
    figure_stroke(keys->figure, colour, width, dash);
    add_words(keys, words);
}

// Patterns that are drawn, each once, with the words of its first class.
static void add_pattern_keys(ValueFigure *v, Keys *keys)
{
    bool seen[PATTERNS_MOST] = {false};
    GridPart part;
    char text[WORDS_BYTES];
    for (int i = 0; i < v->map->class_count; i++) {
        FigureFill fill = class_fill(&v->map->table[i]);
        bool coloured = find_part(v, i, &part);
        if (fill.pattern == FIGURE_PLAIN || seen[fill.pattern] ||
            (coloured && fill.pattern == FIGURE_STRIPES))
            continue;
        seen[fill.pattern] = true;
        if (coloured) {
            fill.mark = INK3;
            fill.clear = true;
        }
        legend_swatch(v->figure, keys->x, keys->y - 1, fill);
        add_words(keys, class_verdict_words(&v->map->table[i], text));
    }
}

// Whether white shows: a point without a number in a region that has some, or that has no pattern.
static bool has_white(const ValueFigure *v)
{
    GridPart part;
    for (int i = 0; i < v->map->class_count; i++) {
        bool pattern = class_fill(&v->map->table[i]).pattern != FIGURE_PLAIN;
        if (pattern && !find_part(v, i, &part))
            continue;
        for (long at = 0; at < (long)v->map->axes[0].count * v->map->complete_rows; at++)
            if (v->map->classes[at] == i &&
                !isfinite(v->map->values[at * v->map->value_count + v->value]))
                return true;
    }
    return false;
}

static void draw_keys(ValueFigure *v, Keys keys)
{
    FigurePoint scene;
    if (v->zero_drawn)
        add_line_key(&keys, INK, 3, FIGURE_SOLID, "0");
    if (panel_has_borders(&v->panel, true))
        add_line_key(&keys, INK, 2, FIGURE_SOLID, "the verdict changes");
    if (panel_has_borders(&v->panel, false))
        add_line_key(&keys, INK2, 1.2, FIGURE_DASHED, "only the modes change");
    add_pattern_keys(v, &keys);
    if (has_white(v) && !isnan(v->levels.least)) {
        legend_swatch(v->figure, keys.x, keys.y - 1, (FigureFill){.colour = WHITE});
        add_words(&keys, "not defined");
    }
    if (panel_scene_place(&v->panel, &scene)) {
        figure_disc(v->figure, keys.x + 14, keys.y + 8, 5, INK);
        add_words(&keys, "the scene as it stands");
    }
}

// ---- The figure ---------------------------------------------------------------------------------

static SpragStatus draw_value(ValueFigure *v)
{
    const Plot *plot = &v->panel.plot;
    const double keys = 160; // pixels below the bar
    FigurePoint scene;
    Plot bar = {.left = MAP_LEGEND_LEFT, .top = plot->top, .width = 18};
    SPRAG_TRY(levels_choose(v->map, v->value, &v->levels));
    v->labels.panel = &v->panel;
    v->labels.count = 0;
    if (panel_scene_place(&v->panel, &scene))
        labels_take(&v->labels, scene, 12, 12);
    SPRAG_TRY(draw_ground(v));
    SPRAG_TRY(draw_layer(v, draw_field, true));
    SPRAG_TRY(draw_patterns(v));
    SPRAG_TRY(draw_layer(v, draw_isolines, true));
    panel_draw_borders(&v->panel, v->figure);
    panel_draw_axes(&v->panel, v->figure);
    if (!v->levels.few)
        SPRAG_TRY(draw_layer(v, draw_labels, false));
    SPRAG_TRY(draw_names(v));
    bar.height = v->map->value_count == 1 ? plot->height - keys : plot->height;
    double end = levels_draw_bar(&v->levels, &v->map->value_about[v->value], v->figure, &bar);
    if (v->map->value_count == 1)
        draw_keys(v, (Keys){v->figure, MAP_LEGEND_LEFT, end + 24, false});
    else if (v->value + 1 == v->map->value_count)
        draw_keys(v, (Keys){v->figure, MAP_LEFT, v->figure->height - 40, true});
    return v->figure->status;
}

static SpragStatus draw_values(ValueFigure *v)
{
    bool several = v->map->value_count > 1;
    double height = several ? PANEL_HEIGHT : MAP_HEIGHT;
    for (v->value = 0; v->value < v->map->value_count; v->value++) {
        double top = MAP_TOP + v->value * (height + PANEL_APART);
        SpragStatus status = panel_create(v->map, top, height, &v->panel);
        if (status == SPRAG_OK)
            status = draw_value(v);
        panel_destroy(&v->panel);
        SPRAG_TRY(status);
    }
    return SPRAG_OK;
}

SpragStatus draw_map_values(const SpragMap *map, Figure *figure)
{
    int count = map->value_count;
    double height = count > 1 ? count * (PANEL_HEIGHT + PANEL_APART) - PANEL_APART : MAP_HEIGHT;
    figure_init(figure, map->context, MAP_FIGURE_WIDTH,
                MAP_TOP + height + BOTTOM + (count > 1 ? 30 : 0));
    ValueFigure *v = sprag_alloc(map->context, 1, sizeof *v);
    if (!v)
        return SPRAG_ERROR_MEMORY;
    v->map = map;
    v->figure = figure;
    contour_init(&v->contour, map->context);
    SpragStatus status = draw_values(v);
    contour_destroy(&v->contour);
    sprag_free(map->context, v->field.x);
    sprag_free(map->context, v->field.y);
    sprag_free(map->context, v->field.f);
    sprag_free(map->context, v);
    return status;
}

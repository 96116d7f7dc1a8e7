// map_grid.c: the numbers of a map as JSON: its points, values and borders.
#include <math.h>
#include <string.h>

#include "map.h"

enum { MOST_POINTS = 250000 }; // more belong into a CSV

static double value_at(const SpragMap *map, long at, int value)
{
    return map->values[at * map->value_count + value];
}

// Range over the finite numbers, and how many points have none.
static void add_value(Json *json, const SpragMap *map, int value)
{
    double least = INFINITY, greatest = -INFINITY;
    long count = (long)map->axes[0].count * map->axes[1].count, undefined = 0;
    for (long at = 0; at < count; at++) {
        if (map->classes[at] < 0)
            continue;
        double number = value_at(map, at, value);
        undefined += !isfinite(number);
        least = isfinite(number) ? fmin(least, number) : least;
        greatest = isfinite(number) ? fmax(greatest, number) : greatest;
    }
    json_begin_flat_object(json, NULL);
    json_text(json, "name", map->value_names[value]);
    json_text(json, "unit", map->value_about[value].unit);
    json_number(json, "least", least <= greatest ? least : NAN);
    json_number(json, "greatest", least <= greatest ? greatest : NAN);
    json_integer(json, "undefined", undefined);
    json_end_object(json);
}

void map_json_values(const SpragMap *map, Json *json)
{
    json_begin_array(json, "values");
    for (int i = 0; i < map->value_count; i++)
        add_value(json, map, i);
    json_end_array(json);
}

// Rows of points, y upwards; null where nothing was computed.
static void add_rows(Json *json, const SpragMap *map, const char *key, int value)
{
    json_begin_array(json, key);
    for (int j = 0; j < map->axes[1].count; j++) {
        json_begin_flat_array(json, NULL);
        for (int i = 0; i < map->axes[0].count; i++) {
            long at = i + (long)j * map->axes[0].count;
            if (map->classes[at] < 0)
                json_null(json, NULL);
            else if (value < 0)
                json_integer(json, NULL, map->classes[at]);
            else
                json_number(json, NULL, value_at(map, at, value));
        }
        json_end_array(json);
    }
    json_end_array(json);
}

void map_json_grid(const SpragMap *map, Json *json)
{
    if ((double)map->axes[0].count * map->axes[1].count > MOST_POINTS) {
        json_null(json, "grid");
        return;
    }
    json_begin_object(json, "grid");
    json_numbers(json, "x", map->axes[0].count, map->axes[0].values);
    if (map->axes[1].path)
        json_numbers(json, "y", map->axes[1].count, map->axes[1].values);
    else
        json_null(json, "y");
    add_rows(json, map, "outcomes", -1);
    json_begin_object(json, "values");
    for (int i = 0; i < map->value_count; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= strcmp(map->value_names[k], map->value_names[i]) == 0;
        if (!again)
            add_rows(json, map, map->value_names[i], i);
    }
    json_end_object(json);
    json_end_object(json);
}

// Pieces of border with the outcomes on both sides; meeting points have no exact place.
void map_json_borders(const SpragMap *map, Json *json)
{
    if (map->segment_count == 0 || map->segment_count > MOST_POINTS) {
        json_null(json, "borders");
        return;
    }
    json_begin_array(json, "borders");
    for (int i = 0; i < map->segment_count; i++) {
        const SpragMapSegment *segment = &map->segments[i];
        const SpragMapVertex *a = &map->vertices[segment->a], *b = &map->vertices[segment->b];
        if (segment->left < 0 || segment->right < 0)
            continue;
        json_begin_flat_object(json, NULL);
        json_numbers(json, "from", map->axes[1].path ? 2 : 1, (double[]){a->x, a->y});
        json_numbers(json, "to", map->axes[1].path ? 2 : 1, (double[]){b->x, b->y});
        json_integer(json, "left", segment->left);
        json_integer(json, "right", segment->right);
        json_end_object(json);
    }
    json_end_array(json);
}

// map_print.c: the summary of a map: what it found and how often, for people and as JSON.
#include <stdio.h>

#include "expect.h"
#include "map.h"
#include "print.h"

static long point_count(const SpragMap *map)
{
    long count = 0;
    for (int i = 0; i < map->class_count; i++)
        count += map->table[i].point_count;
    return count;
}

static const char *verdict_word(const SpragMapClass *class)
{
    return class->valid ? sprag_verdict_name(class->outcome.kind) : "invalid";
}

static void add_axis(const SpragMapAxis *axis, const char *name, SpragText *text)
{
    char from[NUMBER_BYTES], to[NUMBER_BYTES];
    if (!axis->path)
        return;
    sprag_text_add(text, "  %s  %s = %s … %s%s%s, %d points%s\n", name, axis->path,
                   print_number(axis->values[0] / axis->unit, from),
                   print_number(axis->values[axis->count - 1] / axis->unit, to),
                   axis->unit_name[0] ? " " : "", axis->unit_name, axis->count,
                   axis->logarithmic ? ", logarithmic" : "");
}

void map_text(const MapReport *report, SpragText *text)
{
    static const char *const heads[] = {"verdict", "motions", "stable", "held", "share", "modes"};
    const SpragMap *map = report->map;
    long total = (long)map->axes[0].count * map->axes[1].count, count = point_count(map);
    Table table;
    if (report->arguments->quiet)
        return;
    sprag_text_add(text, "%s%sverdict over %ld points\n", map->title, map->title[0] ? ": " : "",
                   total);
    add_axis(&map->axes[0], "x", text);
    add_axis(&map->axes[1], "y", text);
    table_init(&table, map->context, "lrrlrl");
    table_add_heads(&table, heads);
    for (int i = 0; i < map->class_count; i++) {
        const SpragMapClass *class = &map->table[i];
        table_add(&table, "%s", verdict_word(class));
        table_add(&table, "%d", class->outcome.solution_count);
        table_add(&table, "%d", class->outcome.stable_count);
        table_add(&table, "%s", class->outcome.held ? "held" : "-");
        table_add(&table, "%.2f %%", 100 * (double)class->point_count / (double)count);
        table_add(&table, "%s", class->outcome.modes[0] ? class->outcome.modes : "-");
    }
    sprag_text_add(text, "\n");
    table_print(&table, text);
    table_destroy(&table);
    if (map->invalid[0])
        sprag_text_add(text, "\ninvalid, first: %s\n", map->invalid);
    if (map->interrupted)
        sprag_text_add(text, "\ninterrupted after %ld of %ld points\n", count, total);
    for (int i = 0; i < report->file_count; i++)
        sprag_text_add(text, "%swritten: %s\n", i == 0 ? "\n" : "", report->files[i]);
    if (report->arguments->verbose)
        sprag_text_add(text, "\n%ld states analysed in %.3g s\n", map->evaluation_count,
                       report->wall);
}

static void add_json_axis(Json *json, const char *key, const SpragMapAxis *axis)
{
    if (!axis->path) {
        json_null(json, key);
        return;
    }
    json_begin_flat_object(json, key);
    json_text(json, "path", axis->path);
    json_number(json, "from", axis->values[0]);
    json_number(json, "to", axis->values[axis->count - 1]);
    json_integer(json, "count", axis->count);
    json_bool(json, "logarithmic", axis->logarithmic);
    json_text(json, "unit", axis->unit_name);
    json_number(json, "unit_size", axis->unit);
    if (axis->has_value)
        json_number(json, "scene", axis->value);
    else
        json_null(json, "scene");
    json_end_object(json);
}

void map_json(const MapReport *report, SpragText *text)
{
    const SpragMap *map = report->map;
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, report->arguments);
    json_text(&json, "scene", map->title);
    add_json_axis(&json, "x", &map->axes[0]);
    add_json_axis(&json, "y", &map->axes[1]);
    json_integer(&json, "points", point_count(map));
    json_bool(&json, "interrupted", map->interrupted);
    json_begin_array(&json, "outcomes");
    for (int i = 0; i < map->class_count; i++) {
        const SpragMapClass *class = &map->table[i];
        json_begin_flat_object(&json, NULL);
        json_text(&json, "verdict", verdict_word(class));
        json_integer(&json, "solutions", class->outcome.solution_count);
        json_integer(&json, "stable", class->outcome.stable_count);
        json_text(&json, "forces", class->outcome.forces_unique ? "unique" : "indeterminate");
        json_bool(&json, "held", class->outcome.held);
        json_text(&json, "modes", class->outcome.modes);
        json_integer(&json, "points", class->point_count);
        json_end_object(&json);
    }
    json_end_array(&json);
    map_json_values(map, &json);
    map_json_borders(map, &json);
    map_json_grid(map, &json);
    json_begin_flat_array(&json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(&json, NULL, report->files[i]);
    json_end_array(&json);
    expect_json_none(&json);
    json_end_object(&json);
}

// map.h: what the sources of `sprag map` share.
#ifndef SPRAG_TOOL_MAP_H
#define SPRAG_TOOL_MAP_H

#include "sprag/sweep.h"
#include "tool.h"

typedef struct MapReport {
    const SpragMap *map;
    const Arguments *arguments;
    int file_count;
    const char **files;
    double wall; // s
} MapReport;

// The summary: for people, and as JSON.
void map_text(const MapReport *report, SpragText *text);
void map_json(const MapReport *report, SpragText *text);
// Members of the JSON: values (unit and range), borders (null if they were not asked for), grid
// (null if it is large).
void map_json_values(const SpragMap *map, Json *json);
void map_json_borders(const SpragMap *map, Json *json);
void map_json_grid(const SpragMap *map, Json *json);

#endif

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

#endif

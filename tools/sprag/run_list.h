// run_list.h: what every run has: events, verdicts, the energy account; printed in one way.
#ifndef SPRAG_TOOL_RUN_LIST_H
#define SPRAG_TOOL_RUN_LIST_H

#include "sprag/motion.h"
#include "tool.h"

typedef struct RunList {
    SpragContext *context;
    size_t event_count, verdict_count, sample_count;
    const SpragEvent *events;
    const SpragRunVerdict *verdicts;
    // Name of an event's contact; NULL: none, or (the function) nobody has one.
    const char *(*place)(const SpragEvent *event, const void *user);
    const void *user;
    const char *place_head;   // "contact"
    const char *impact_label; // "lost in impacts"
    SpragEnergyAccount energy;
    double initial_energy, drift;
    SpragRunStatistics statistics;
    SpragSteppingStatistics stepping; // active: the run stepped
    double wall;                      // s; with -v
} RunList;

// For people.
void run_list_events(const RunList *list, const Arguments *arguments, SpragText *text);
void run_list_verdicts(const RunList *list, const Arguments *arguments, SpragText *text);
void run_list_energy(const RunList *list, SpragText *text);
// events, verdicts, energy and stats of an open JSON object.
void run_list_json(const RunList *list, const Arguments *arguments, Json *json);

#endif

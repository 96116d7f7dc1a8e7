// analyze_hold.h: will it hold? Closure of each body, and the range of a number over which it
// holds.
#ifndef SPRAG_TOOL_ANALYZE_HOLD_H
#define SPRAG_TOOL_ANALYZE_HOLD_H

#include "situation.h"
#include "sprag/sweep.h"

typedef struct Holds {
    SpragArena *arena; // of the witnesses
    SpragClosure all;
    int body_count; // bodies[i] is that of block i of the problem
    SpragClosure *bodies;
    int range_count;
    const char **paths; // those that --hold names
    SpragHoldRange *ranges;
} Holds;

// Closure of the bodies and of all together, and what --hold asks for. To be destroyed on failure
// too.
SPRAG_MUST_USE SpragStatus holds_find(const Situation *situation, const Arguments *arguments,
                                      Holds *holds);
void holds_destroy(SpragContext *context, Holds *holds);
void holds_text(const Holds *holds, const Situation *situation, bool all, SpragText *text);
// The members "closure" and "hold".
void holds_json(const Holds *holds, const Situation *situation, Json *json);

#endif

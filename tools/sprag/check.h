// check.h: the parts of `sprag check`: what was understood of a file, printed in two ways.
#ifndef SPRAG_TOOL_CHECK_H
#define SPRAG_TOOL_CHECK_H

#include "situation.h"

// For people: tables.
void check_text(const Situation *situation, const Arguments *arguments, SpragText *text);
// One JSON document.
void check_json(const Situation *situation, const Arguments *arguments, SpragText *text);
// "scene", "contact", "lcp", "qp".
const char *check_kind(const Situation *situation);
// Calls `add` with every default that was used: the reader's notes, and frictions nobody gives.
void check_notes(const Situation *situation, void (*add)(const char *note, void *user), void *user);

// Layers and friction laws, where they are not the plain ones.
void check_layers_text(const Situation *situation, SpragText *text);
void check_layers_json(const Situation *situation, Json *json);

// Joints, driven bodies and controllers.
void check_joints_text(const Situation *situation, SpragText *text);
void check_joints_json(Json *json, const Situation *situation);

// Are the names of outputs and expectations right? A failure says which is not.
SPRAG_MUST_USE SpragStatus check_outputs(const Situation *situation, const char *file);
void check_outputs_text(const Situation *situation, SpragText *text);
void check_outputs_json(const Situation *situation, Json *json);

#endif

// expect.h: what a scene expects of results: judged by the JSON document that a command makes.
//
// A name is an output, or a path through the document by keys and indices from 0: verdict,
// energy.drift, solutions.0.stable. An array counts as the number of its entries. A key of another
// command is not judged by this one.
#ifndef SPRAG_TOOL_EXPECT_H
#define SPRAG_TOOL_EXPECT_H

#include "json.h"
#include "sprag/scene.h"
#include "tool.h"

// Every name is an output of the scene, or begins with a key of some result. ERROR_INPUT: one does
// not; the message names the nearest.
SPRAG_MUST_USE SpragStatus expect_check(SpragContext *context, const SpragScene *scene,
                                        const char *file);
// The member "expect" of the document that `json` has written so far; to be the last one. Where the
// document has no "outputs" they are there too, without numbers.
void expect_json(Json *json, const SpragScene *scene);
// Both members, empty: of a document that is of many runs.
void expect_json_none(Json *json);
// The member "wanted" of one expectation.
void expect_wanted(Json *json, const SpragSceneExpect *expect);
// For people: a line for each expectation that the document can tell of.
void expect_text(const SpragScene *scene, const SpragText *document, SpragText *text);
// Says on standard error which expectations the document does not meet; true: it meets all.
bool expect_report(const SpragScene *scene, const SpragText *document, const char *file);
// The end of a command: prints what it has to say, or why it failed, and judges the document.
ToolExit expect_conclude(SpragContext *context, SpragStatus status, const SpragScene *scene,
                         const SpragText *printed, const SpragText *document, const char *file);
// Number of expectations of the scene.
int expect_count(const SpragScene *scene);

#endif

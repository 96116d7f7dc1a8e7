// run_branches.c: both continuations of a run where several motions are stable (branch: both).
//
// A run cannot fork, so there are two, from the start: one prefers to lift, one to stick. Each has
// its own report, and files with the branch in their names.
#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "run.h"

enum { BRANCH_COUNT = 2 };
static const char *const branch_names[BRANCH_COUNT] = {"lift", "stick"};

// "out.csv" becomes "out-lift.csv".
static char *branch_file(SpragContext *context, const char *path, const char *branch)
{
    size_t size = strlen(path) + strlen(branch) + 2;
    char *name = sprag_alloc(context, size, 1);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash))
        dot = path + strlen(path);
    if (name)
        snprintf(name, size, "%.*s-%s%s", (int)(dot - path), path, branch, dot);
    return name;
}

// Sets with the branch last, so that it wins over those of the command line.
static bool set_branch(SpragContext *context, const Arguments *arguments, const char *branch,
                       Arguments *own)
{
    size_t count = (size_t)arguments->set_count;
    *own = *arguments;
    own->sets = sprag_alloc(context, count + 1, sizeof *own->sets);
    if (!own->sets)
        return false;
    if (count > 0)
        memcpy(own->sets, arguments->sets, count * sizeof *own->sets);
    own->sets[own->set_count++] = (SpragSceneSet){"simulate.branch", branch};
    return true;
}

static ToolExit run_branch(const RunReport *asked, const Arguments *arguments, const char *branch,
                           RunOnce *once, SpragText *out)
{
    SpragContext *context = asked->context;
    RunReport report = {.context = context, .branch = branch, .out = out};
    Arguments own;
    report.files = sprag_alloc(context, (size_t)asked->file_count + 1, sizeof *report.files);
    bool ready = report.files && set_branch(context, arguments, branch, &own);
    for (int i = 0; ready && i < asked->file_count; i++) {
        report.files[report.file_count] = branch_file(context, asked->files[i], branch);
        ready = report.files[report.file_count++] != NULL;
    }
    ToolExit result = ready ? once(&report, &own) : tool_fail(context, SPRAG_ERROR_MEMORY, NULL);
    for (int i = 0; i < report.file_count; i++)
        sprag_free(context, (void *)report.files[i]);
    sprag_free(context, (void *)report.files);
    if (ready)
        sprag_free(context, own.sets);
    return result;
}

// What every document has, and the begin of the list of those of the branches.
static void add_head(SpragText *out, const Arguments *arguments)
{
    Json json;
    json_init(&json, out);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    expect_json_none(&json);
    sprag_text_add(out, ",\n\"branches\": [\n");
}

ToolExit run_branches(const RunReport *asked, const Arguments *arguments, RunOnce *once)
{
    SpragText out;
    ToolExit result = TOOL_DONE;
    sprag_text_init(&out, asked->context);
    if (arguments->json)
        add_head(&out, arguments);
    for (int k = 0; k < BRANCH_COUNT; k++) {
        if (arguments->json && k > 0)
            sprag_text_add(&out, ",\n");
        if (!arguments->json)
            sprag_text_add(&out, "%sbranch %s\n", k ? "\n" : "", branch_names[k]);
        ToolExit one = run_branch(asked, arguments, branch_names[k], once, &out);
        result = result == TOOL_DONE ? one : result;
        if (one != TOOL_DONE && one != TOOL_NO_SOLUTION && one != TOOL_INTERNAL)
            break; // the other one would fail alike
    }
    if (arguments->json)
        sprag_text_add(&out, "]\n}\n");
    ToolExit written = result == TOOL_INPUT ? result : tool_write(&out);
    sprag_text_destroy(&out);
    return written != TOOL_DONE ? written : result;
}

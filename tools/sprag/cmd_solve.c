// cmd_solve.c: sprag solve: a bare LCP, QP or friction problem from a file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "print.h"
#include "solve.h"

static const char description[] =
    "Solves a bare problem: 'problem: lcp', 'problem: qp' or 'problem: friction' in YAML or JSON, "
    "an\n"
    "LCP or a friction problem in the text format of Siconos (.dat), or a friction problem of "
    "FCLIB\n"
    "(.hdf5). Prints the solution, its residual as computed from the problem, the method and its\n"
    "work. --all finds every solution: isolated ones and continua (vertices, rays,\n"
    "dimension). The verdict is 'none' only if that is proved, else 'unknown'; the exit status is "
    "4\n"
    "if no solution was found.";

static const Option options[] = {
    {"all", 0, NULL, "every solution, and whether the search was complete", NULL},
    {"method", 0, "NAME", "a method of --list-methods (default: auto)", NULL},
    {"list-methods", 0, NULL, "the methods, what each needs and promises", NULL},
    {"sides", 0, "K", "friction by the method lcp: sides of the cones (default: 8)", NULL},
    {"tolerance", 0, "T",
     "largest residual that counts as solved (default: 1e-9; QP, friction 1e-8)", NULL},
};

static bool is_given(const Arguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, name) == 0)
            return true;
    return false;
}

// ---- The list of methods ------------------------------------------------------------------------

static void list_text(SpragText *text)
{
    sprag_text_add(text, "methods for LCPs\n");
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
        const SpragLcpMethodInfo *info = sprag_lcp_method_get(m);
        sprag_text_add(text, "  %-15s needs    %s\n  %-15s promises %s\n", info->name, info->needs,
                       "", info->promises);
    }
    sprag_text_add(text, "methods for friction problems\n");
    for (int m = 0; m < SPRAG_FRICTION_METHOD_COUNT; m++) {
        const SpragFrictionMethodInfo *info = sprag_friction_method_get(m);
        sprag_text_add(text, "  %-15s needs    %s\n  %-15s promises %s\n", info->name, info->needs,
                       "", info->promises);
    }
    sprag_text_add(text, "methods for QPs\n");
    for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++)
        sprag_text_add(text, "  %s\n", sprag_qp_method_name((SpragQpMethod)m));
}

static void list_json(SpragText *text)
{
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_begin_array(&json, "methods");
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++) {
        const SpragLcpMethodInfo *info = sprag_lcp_method_get(m);
        json_begin_object(&json, NULL);
        json_text(&json, "problem", "lcp");
        json_text(&json, "name", info->name);
        json_text(&json, "needs", info->needs);
        json_text(&json, "promises", info->promises);
        json_end_object(&json);
    }
    for (int m = 0; m < SPRAG_FRICTION_METHOD_COUNT; m++) {
        const SpragFrictionMethodInfo *info = sprag_friction_method_get(m);
        json_begin_object(&json, NULL);
        json_text(&json, "problem", "friction");
        json_text(&json, "name", info->name);
        json_text(&json, "needs", info->needs);
        json_text(&json, "promises", info->promises);
        json_end_object(&json);
    }
    for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++) {
        json_begin_object(&json, NULL);
        json_text(&json, "problem", "qp");
        json_text(&json, "name", sprag_qp_method_name((SpragQpMethod)m));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

// ---- Problems -----------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), count = strlen(ending);
    return length > count && strcmp(path + length - count, ending) == 0;
}

// Files of others: by their names.
static bool is_foreign(const char *path)
{
    return has_ending(path, ".dat") || has_ending(path, ".hdf5") || has_ending(path, ".h5");
}

static ToolExit run_friction(SpragContext *context, const Arguments *arguments,
                             const SolveOptions *chosen, SpragText *text)
{
    SpragFrictionFile file;
    const char *path = arguments->positional[0];
    SpragStatus status = sprag_friction_read(context, path, &file);
    if (status != SPRAG_OK)
        return tool_fail(context, status, path);
    ToolExit result = solve_friction(context, arguments, chosen, &file.problem, text);
    sprag_friction_file_destroy(context, &file);
    return result;
}

static ToolExit run_foreign(SpragContext *context, const Arguments *arguments,
                            const SolveOptions *chosen, SpragText *text)
{
    const char *path = arguments->positional[0];
    if (arguments->set_count > 0) {
        fprintf(stderr, "sprag solve: --set needs a YAML or JSON file, got %s\n", path);
        return TOOL_USAGE;
    }
    SpragLcpFile file;
    SpragProblemFileKind kind;
    SpragStatus status = sprag_problem_file_kind(context, path, &kind);
    if (status == SPRAG_OK && kind != SPRAG_PROBLEM_FILE_LCP_DAT)
        return run_friction(context, arguments, chosen, text);
    if (status == SPRAG_OK)
        status = sprag_lcp_read_dat(context, path, &file);
    if (status != SPRAG_OK)
        return tool_fail(context, status, path);
    SpragLcp problem = {file.n, file.M, file.q};
    ToolExit result = solve_lcp(context, arguments, chosen, &problem, text);
    sprag_lcp_file_destroy(context, &file);
    return result;
}

static ToolExit solve_scene(SpragContext *context, const Arguments *arguments,
                            const SolveOptions *chosen, SpragText *text)
{
    const SpragSceneLcp *lcp = sprag_scene_lcp(chosen->scene);
    const SpragSceneQp *qp = sprag_scene_qp(chosen->scene);
    if (lcp) {
        SpragLcp problem = {lcp->n, lcp->M, lcp->q};
        return solve_lcp(context, arguments, chosen, &problem, text);
    }
    if (sprag_scene_friction(chosen->scene))
        return solve_friction(context, arguments, chosen, sprag_scene_friction(chosen->scene),
                              text);
    if (qp) {
        SpragQp problem = {.n = qp->n,
                           .inequality_count = qp->constraint_count,
                           .Q = qp->Q,
                           .c = qp->c,
                           .H = qp->H,
                           .K = qp->K};
        return solve_qp(context, arguments, chosen, &problem, text);
    }
    fprintf(stderr,
            "%s: 'problem: lcp', 'problem: qp' or 'problem: friction' is needed; 'sprag analyze' "
            "takes %s\n",
            arguments->positional[0],
            sprag_scene_kind(chosen->scene) == SPRAG_SCENE_CONTACT ? "contact problems" : "scenes");
    return TOOL_INPUT;
}

// Whether the answer is as the file expects; where it is not, that is the exit status.
static ToolExit judge(SpragContext *context, const Arguments *arguments, const SolveOptions *chosen,
                      ToolExit result, SpragText *text)
{
    SpragText document;
    Arguments as_json = *arguments;
    as_json.json = true;
    sprag_text_init(&document, context);
    if (!arguments->json)
        (void)solve_scene(context, &as_json, chosen, &document);
    if (!arguments->json && !arguments->quiet)
        expect_text(chosen->scene, &document, text);
    const SpragText *judged = arguments->json ? text : &document;
    if (!expect_report(chosen->scene, judged, arguments->positional[0]))
        result = TOOL_INTERNAL;
    sprag_text_destroy(&document);
    return result;
}

static ToolExit run_scene(SpragContext *context, const Arguments *arguments, SolveOptions *chosen,
                          SpragText *text)
{
    SpragScene *scene = NULL;
    SpragStatus status = tool_read_scene(context, arguments, &scene);
    if (status == SPRAG_OK)
        status = expect_check(context, scene, arguments->positional[0]);
    if (status != SPRAG_OK) {
        sprag_scene_destroy(scene);
        return tool_fail(context, status, arguments->positional[0]);
    }
    chosen->scene = scene;
    ToolExit result = solve_scene(context, arguments, chosen, text);
    bool answered = result == TOOL_DONE || result == TOOL_NO_SOLUTION;
    if (answered && expect_count(scene) > 0)
        result = judge(context, arguments, chosen, result, text);
    sprag_scene_destroy(scene);
    return result;
}

// Reads the options; false with a sentence on standard error if one is not right.
static bool read_options(const Arguments *arguments, SolveOptions *chosen)
{
    const char *tolerance = arguments_value(arguments, "tolerance");
    chosen->all = is_given(arguments, "all");
    chosen->method = arguments_value(arguments, "method");
    chosen->tolerance = 0;
    chosen->scene = NULL;
    chosen->sides = 0;
    const char *sides = arguments_value(arguments, "sides");
    if (sides) {
        char *rest;
        long number = strtol(sides, &rest, 10);
        if (*rest || rest == sides || number < 3 || number > 64) {
            fprintf(stderr,
                    "sprag solve: --sides must be a whole number from 3 to 64, got '%.40s'\n",
                    sides);
            return false;
        }
        chosen->sides = (int)number;
    }
    if (!tolerance)
        return true;
    char *end;
    chosen->tolerance = strtod(tolerance, &end);
    if (*end || end == tolerance || !(chosen->tolerance > 0) || !isfinite(chosen->tolerance)) {
        fprintf(stderr, "sprag solve: --tolerance must be a number > 0, got '%.40s'\n", tolerance);
        return false;
    }
    return true;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    SpragText text;
    SolveOptions chosen;
    ToolExit result = TOOL_DONE;
    sprag_text_init(&text, context);
    if (is_given(arguments, "list-methods")) {
        if (arguments->json)
            list_json(&text);
        else
            list_text(&text);
    } else if (arguments->positional_count == 0) {
        fprintf(stderr, "sprag solve: PROBLEM is missing; see 'sprag solve --help'\n");
        result = TOOL_USAGE;
    } else if (!read_options(arguments, &chosen)) {
        result = TOOL_USAGE;
    } else if (is_foreign(arguments->positional[0])) {
        result = run_foreign(context, arguments, &chosen, &text);
    } else {
        result = run_scene(context, arguments, &chosen, &text);
    }
    ToolExit written = text.length > 0 ? tool_write(&text) : TOOL_DONE;
    sprag_text_destroy(&text);
    return written != TOOL_DONE ? written : result;
}

const Command command_solve = {
    .rules = {.command = "solve",
              .positional = "PROBLEM",
              .least = 0,
              .most = 1,
              .options = options,
              .option_count = sizeof options / sizeof *options,
              .description = description},
    .summary = "solves a bare LCP, QP or friction problem; --all finds every solution",
    .run = run,
};

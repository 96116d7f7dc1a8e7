// solve_lcp.c: an LCP for the command line: solved, or searched for all solutions, and printed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "print.h"
#include "solve.h"

typedef struct Answer {
    const SpragLcp *problem;
    SpragLcpAll *all; // NULL: one solution
    SpragLcpInfo info;
    double *z, *w; // of the one solution
    bool found;    // z and w solve
    SpragLcpVerdict verdict;
    bool complete;
    int count;
    double residual;
    SpragMatrixWitness p;
} Answer;

// ---- Solving ------------------------------------------------------------------------------------

static bool choose_method(const SolveOptions *options, SpragLcpSettings *settings)
{
    if (options->tolerance > 0)
        settings->tolerance = options->tolerance;
    if (!options->method)
        return true;
    settings->method = sprag_lcp_method_by_name(options->method);
    if (settings->method != SPRAG_LCP_METHOD_COUNT)
        return true;
    const char *names[SPRAG_LCP_METHOD_COUNT];
    for (int m = 0; m < SPRAG_LCP_METHOD_COUNT; m++)
        names[m] = sprag_lcp_method_get(m)->name;
    int nearest = nearest_word(options->method, SPRAG_LCP_METHOD_COUNT, names);
    fprintf(stderr, "sprag solve: no LCP method is called '%.40s'%s%s%s; see --list-methods\n",
            options->method, nearest >= 0 ? ", did you mean '" : "",
            nearest >= 0 ? names[nearest] : "", nearest >= 0 ? "'?" : "");
    return false;
}

// One solution; what it says about their number.
static SpragStatus solve_one(SpragContext *context, const SpragLcpSettings *settings,
                             Answer *answer)
{
    SpragLcpWorkspace *workspace = NULL;
    SPRAG_TRY(sprag_lcp_workspace_create(context, &workspace));
    SpragStatus status =
        sprag_lcp_solve(workspace, answer->problem, settings, answer->z, answer->w, &answer->info);
    sprag_lcp_workspace_destroy(workspace);
    SPRAG_TRY(status);
    answer->found = answer->info.status == SPRAG_LCP_SOLVED;
    answer->count = answer->found;
    answer->residual = answer->info.residual;
    bool unique = answer->found && answer->p.answer == SPRAG_ANSWER_YES;
    bool none = answer->info.status == SPRAG_LCP_NONE;
    answer->complete = unique || none;
    answer->verdict = unique ? SPRAG_LCP_VERDICT_UNIQUE
                      : none ? SPRAG_LCP_VERDICT_NONE
                             : SPRAG_LCP_VERDICT_UNKNOWN;
    return SPRAG_OK;
}

// Small problems are searched for their verdict even if only one solution is asked for.
enum { VERDICT_SIZE = 14, VERDICT_NODES = 100000 };
// A search with --all stops after this time with what it has, and says so.
enum { SEARCH_SECONDS = 20 };

static SpragStatus search_verdict(SpragContext *context, double tolerance, Answer *answer)
{
    SpragLcpAllSettings search = sprag_lcp_all_default();
    SpragLcpAll *all = NULL;
    search.tolerance = tolerance;
    search.max_nodes = VERDICT_NODES;
    SPRAG_TRY(sprag_lcp_all_create(context, &all));
    SpragStatus status = sprag_lcp_all_solve(all, answer->problem, &search);
    if (status == SPRAG_OK) {
        answer->verdict = sprag_lcp_all_verdict(all);
        answer->complete = sprag_lcp_all_complete(all) &&
                           sprag_lcp_all_count(all) == answer->count &&
                           answer->verdict != SPRAG_LCP_VERDICT_INFINITE;
    }
    sprag_lcp_all_destroy(all);
    return status;
}

static SpragStatus solve_all(SpragContext *context, const SpragLcpSettings *settings,
                             Answer *answer)
{
    SpragLcpAllSettings search = sprag_lcp_all_default();
    search.tolerance = settings->tolerance;
    search.max_seconds = SEARCH_SECONDS;
    SPRAG_TRY(sprag_lcp_all_create(context, &answer->all));
    SPRAG_TRY(sprag_lcp_all_solve(answer->all, answer->problem, &search));
    answer->verdict = sprag_lcp_all_verdict(answer->all);
    answer->complete = sprag_lcp_all_complete(answer->all);
    answer->count = sprag_lcp_all_count(answer->all);
    answer->found = answer->count > 0;
    answer->residual = answer->found ? 0 : INFINITY;
    for (int k = 0; k < answer->count; k++)
        answer->residual = fmax(answer->residual, sprag_lcp_all_get(answer->all, k)->residual);
    if (answer->found || answer->complete)
        return SPRAG_OK;
    // a search that was cut short: at least one solution, or a proof
    sprag_lcp_all_destroy(answer->all);
    answer->all = NULL;
    return solve_one(context, settings, answer);
}

// ---- JSON ---------------------------------------------------------------------------------------

// A point of the set that stands for it: the only vertex, or the mean of all.
static void middle_of(const SpragLcpSet *set, int n, double *z, double *w)
{
    memset(z, 0, (size_t)n * sizeof *z);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int k = 0; k < set->vertex_count; k++)
        for (int i = 0; i < n; i++) {
            z[i] += set->z[(size_t)k * (size_t)n + (size_t)i] / set->vertex_count;
            w[i] += set->w[(size_t)k * (size_t)n + (size_t)i] / set->vertex_count;
        }
}

static void add_vectors(Json *json, const char *key, int n, int count, const double *rows)
{
    json_begin_array(json, key);
    for (int k = 0; k < count; k++)
        json_numbers(json, NULL, n, rows + (size_t)k * (size_t)n);
    json_end_array(json);
}

static void add_set(Json *json, const Answer *answer, const SpragLcpSet *set)
{
    int n = answer->problem->n;
    middle_of(set, n, answer->z, answer->w);
    json_begin_object(json, NULL);
    json_numbers(json, "z", n, answer->z);
    json_numbers(json, "w", n, answer->w);
    json_integer(json, "dimension", set->dimension);
    if (set->dimension > 0) {
        add_vectors(json, "vertices", n, set->vertex_count, set->z);
        add_vectors(json, "rays", n, set->ray_count, set->ray_z);
    }
    json_end_object(json);
}

static void add_solutions(Json *json, const Answer *answer)
{
    json_begin_array(json, "solutions");
    for (int k = 0; answer->all && k < answer->count; k++)
        add_set(json, answer, sprag_lcp_all_get(answer->all, k));
    if (!answer->all && answer->found) {
        json_begin_object(json, NULL);
        json_numbers(json, "z", answer->problem->n, answer->z);
        json_numbers(json, "w", answer->problem->n, answer->w);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_work(Json *json, const Answer *answer)
{
    if (answer->all) {
        json_text(json, "method", "enumeration");
        json_text(json, "status", answer->found ? "solved" : "none");
        json_integer(json, "iterations", (long)sprag_lcp_all_nodes(answer->all));
        return;
    }
    const SpragLcpInfo *info = &answer->info;
    json_text(json, "method", sprag_lcp_method_get((int)info->method)->name);
    json_text(json, "status", sprag_lcp_status_name(info->status));
    json_integer(json, "pivots", info->pivots);
    json_integer(json, "iterations", info->iterations);
    json_begin_array(json, "steps");
    for (int k = 0; k < info->step_count; k++) {
        const SpragLcpStep *step = &info->steps[k];
        json_begin_flat_object(json, NULL);
        json_text(json, "method", sprag_lcp_method_get((int)step->method)->name);
        json_text(json, "status", sprag_lcp_status_name(step->status));
        json_integer(json, "pivots", step->pivots);
        json_integer(json, "iterations", step->iterations);
        json_number(json, "residual", step->residual);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json(const Answer *answer, const Arguments *arguments, const SpragScene *scene,
                       SpragText *text)
{
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    json_text(&json, "problem", "lcp");
    json_integer(&json, "n", answer->problem->n);
    add_solutions(&json, answer);
    json_integer(&json, "count", answer->count);
    json_text(&json, "verdict", sprag_lcp_verdict_name(answer->verdict));
    json_bool(&json, "complete", answer->complete);
    json_number(&json, "residual", answer->residual);
    add_work(&json, answer);
    if (answer->p.answer == SPRAG_ANSWER_UNKNOWN)
        json_null(&json, "p_matrix");
    else
        json_bool(&json, "p_matrix", answer->p.answer == SPRAG_ANSWER_YES);
    if (answer->p.answer == SPRAG_ANSWER_NO) {
        json_begin_flat_object(&json, "p_witness");
        json_begin_flat_array(&json, "rows");
        for (int k = 0; k < answer->p.member_count; k++)
            json_integer(&json, NULL, answer->p.member[k]);
        json_end_array(&json);
        json_number(&json, "minor", answer->p.value);
        json_end_object(&json);
    }
    if (scene)
        expect_json(&json, scene);
    json_end_object(&json);
}

// ---- Text ---------------------------------------------------------------------------------------

static void print_vector(SpragText *text, const char *name, int n, const double *values)
{
    char number[NUMBER_BYTES];
    double scale = 0;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(values[i]));
    sprag_text_add(text, "  %-7s (", name);
    for (int i = 0; i < n; i++)
        sprag_text_add(text, "%s%s", i ? ", " : "", print_clean(values[i], scale, number));
    sprag_text_add(text, ")\n");
}

static void print_set(SpragText *text, int n, int number, const SpragLcpSet *set)
{
    if (set->dimension == 0) {
        sprag_text_add(text, "solution %d\n", number);
        print_vector(text, "z", n, set->z);
        print_vector(text, "w", n, set->w);
        return;
    }
    sprag_text_add(text, "solutions %d: a set of dimension %d\n", number, set->dimension);
    for (int k = 0; k < set->vertex_count; k++)
        print_vector(text, "vertex", n, set->z + (size_t)k * (size_t)n);
    for (int k = 0; k < set->ray_count; k++)
        print_vector(text, "ray", n, set->ray_z + (size_t)k * (size_t)n);
}

static void print_p(SpragText *text, const SpragMatrixWitness *p)
{
    sprag_text_add(text, "  P-matrix: %s", sprag_answer_name(p->answer));
    if (p->answer == SPRAG_ANSWER_NO) {
        sprag_text_add(text, " (the minor of rows");
        for (int k = 0; k < p->member_count; k++)
            sprag_text_add(text, " %d", p->member[k]);
        sprag_text_add(text, " is %.4g)", p->value);
    }
    sprag_text_add(text, "\n");
}

static const char *proof_text(const SpragLcpInfo *info)
{
    return info->proof == SPRAG_LCP_PROOF_INFEASIBLE ? "proved: no z >= 0 has M z + q >= 0"
           : info->proof == SPRAG_LCP_PROOF_SEARCH   ? "proved: every basis was searched"
                                                     : NULL;
}

static void print_text(const Answer *answer, SpragText *text)
{
    int n = answer->problem->n;
    sprag_text_add(text, "LCP of size %d: %s%s\n", n, sprag_lcp_verdict_name(answer->verdict),
                   answer->complete ? ""
                   : answer->all    ? ", not searched completely"
                   : answer->found  ? "; --all lists every solution"
                                    : "");
    if (answer->all) {
        sprag_text_add(text, "  %d set%s of solutions, %ld nodes, worst residual %.2g\n",
                       answer->count, answer->count == 1 ? "" : "s",
                       (long)sprag_lcp_all_nodes(answer->all),
                       answer->found ? answer->residual : 0);
        for (int k = 0; k < answer->count; k++)
            print_set(text, n, k + 1, sprag_lcp_all_get(answer->all, k));
        print_p(text, &answer->p);
        return;
    }
    const SpragLcpInfo *info = &answer->info;
    for (int k = 0; k < info->step_count; k++)
        sprag_text_add(text, "  %s: %s, %d pivots, %d iterations, residual %.2g\n",
                       sprag_lcp_method_get((int)info->steps[k].method)->name,
                       sprag_lcp_status_name(info->steps[k].status), info->steps[k].pivots,
                       info->steps[k].iterations, info->steps[k].residual);
    if (proof_text(info))
        sprag_text_add(text, "  %s\n", proof_text(info));
    if (answer->found) {
        sprag_text_add(text, "solution\n");
        print_vector(text, "z", n, answer->z);
        print_vector(text, "w", n, answer->w);
    }
    print_p(text, &answer->p);
}

// ---- The command --------------------------------------------------------------------------------

// Sizes beyond this are asked for P only by its cheap tests.
enum { P_NODES = 2000000, P_SIZE = 400 };

static SpragStatus run(SpragContext *context, SpragArena *arena, const SolveOptions *options,
                       const SpragLcpSettings *settings, Answer *answer)
{
    const SpragLcp *problem = answer->problem;
    answer->z = sprag_arena_alloc(arena, (size_t)problem->n, sizeof(double));
    answer->w = sprag_arena_alloc(arena, (size_t)problem->n, sizeof(double));
    if (!answer->z || !answer->w)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_lcp_check(context, problem));
    SpragMatrixSettings matrix = sprag_matrix_default();
    matrix.max_nodes = P_NODES;
    answer->p.answer = SPRAG_ANSWER_UNKNOWN;
    if (problem->n <= P_SIZE)
        SPRAG_TRY(sprag_matrix_class_check(context, arena, problem->n, problem->M, SPRAG_MATRIX_P,
                                           &matrix, &answer->p));
    if (options->all)
        return solve_all(context, settings, answer);
    SPRAG_TRY(solve_one(context, settings, answer));
    bool ask = answer->found && answer->verdict == SPRAG_LCP_VERDICT_UNKNOWN;
    return ask && problem->n <= VERDICT_SIZE ? search_verdict(context, settings->tolerance, answer)
                                             : SPRAG_OK;
}

ToolExit solve_lcp(SpragContext *context, const Arguments *arguments, const SolveOptions *options,
                   const SpragLcp *problem, SpragText *text)
{
    SpragLcpSettings settings = sprag_lcp_default();
    if (!choose_method(options, &settings))
        return TOOL_USAGE;
    SpragArena *arena = NULL;
    Answer answer = {.problem = problem};
    SpragStatus status = sprag_arena_create(context, 0, &arena);
    if (status == SPRAG_OK)
        status = run(context, arena, options, &settings, &answer);
    ToolExit result = answer.found ? TOOL_DONE : TOOL_NO_SOLUTION;
    if (status != SPRAG_OK)
        result = tool_fail(context, status, arguments->positional[0]);
    else if (arguments->json)
        print_json(&answer, arguments, options->scene, text);
    else if (!arguments->quiet)
        print_text(&answer, text);
    sprag_lcp_all_destroy(answer.all);
    sprag_arena_destroy(arena);
    return result;
}

// solve_qp.c: a convex QP for the command line.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "print.h"
#include "solve.h"

// Intervals cost two linear programs a variable: only asked for up to this size unless --all.
enum { RANGES_SIZE = 40 };

typedef struct Program {
    const SpragQp *problem;
    SpragQpSettings settings;
    SpragQpInfo info;
    SpragQpSolution solution;
    bool found;
} Program;

static bool choose_method(const SolveOptions *options, SpragQpSettings *settings)
{
    if (options->tolerance > 0)
        settings->tolerance = options->tolerance;
    if (!options->method || strcmp(options->method, "auto") == 0)
        return true;
    for (int m = 0; m < SPRAG_QP_METHOD_COUNT; m++)
        if (strcmp(options->method, sprag_qp_method_name((SpragQpMethod)m)) == 0) {
            settings->method = (SpragQpMethod)m;
            return true;
        }
    fprintf(stderr, "sprag solve: no QP method is called '%.40s'; see --list-methods\n",
            options->method);
    return false;
}

static SpragStatus run(SpragContext *context, SpragArena *arena, Program *program)
{
    size_t n = (size_t)program->problem->n;
    size_t rows = (size_t)(program->problem->inequality_count + program->problem->equality_count);
    SpragQpSolution *s = &program->solution;
    s->x = sprag_arena_alloc(arena, n, sizeof(double));
    s->multipliers = sprag_arena_alloc(arena, rows + 1, sizeof(double));
    s->low = sprag_arena_alloc(arena, n, sizeof(double));
    s->high = sprag_arena_alloc(arena, n, sizeof(double));
    if (!s->x || !s->multipliers || !s->low || !s->high)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(
        sprag_qp_solve(context, arena, program->problem, &program->settings, s, &program->info));
    program->found = program->info.status == SPRAG_QP_SOLVED;
    return SPRAG_OK;
}

// Convex: one solution, a convex set of them, or none.
static SpragLcpVerdict verdict_of(const Program *program)
{
    const SpragQpInfo *info = &program->info;
    if (info->status == SPRAG_QP_INFEASIBLE || info->status == SPRAG_QP_UNBOUNDED)
        return SPRAG_LCP_VERDICT_NONE;
    if (!program->found)
        return SPRAG_LCP_VERDICT_UNKNOWN;
    if (info->null_dimension == 0 || info->solution_dimension == 0)
        return SPRAG_LCP_VERDICT_UNIQUE;
    return info->solution_dimension > 0 ? SPRAG_LCP_VERDICT_INFINITE : SPRAG_LCP_VERDICT_UNKNOWN;
}

static void print_json(const Program *program, const Arguments *arguments, const SpragScene *scene,
                       SpragText *text)
{
    const SpragQpInfo *info = &program->info;
    const SpragQp *problem = program->problem;
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    tool_provenance(&json, arguments);
    json_text(&json, "problem", "qp");
    json_integer(&json, "n", problem->n);
    json_begin_array(&json, "solutions");
    if (program->found) {
        json_begin_object(&json, NULL);
        json_numbers(&json, "x", problem->n, program->solution.x);
        json_numbers(&json, "multipliers", problem->inequality_count + problem->equality_count,
                     program->solution.multipliers);
        if (info->solution_dimension >= 0) {
            json_integer(&json, "dimension", info->solution_dimension);
            json_numbers(&json, "low", problem->n, program->solution.low);
            json_numbers(&json, "high", problem->n, program->solution.high);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_integer(&json, "count", program->found);
    SpragLcpVerdict verdict = verdict_of(program);
    json_text(&json, "verdict", sprag_lcp_verdict_name(verdict));
    json_bool(&json, "complete", verdict != SPRAG_LCP_VERDICT_UNKNOWN);
    json_text(&json, "status", sprag_qp_status_name(info->status));
    json_number(&json, "value", program->found ? info->value : NAN);
    json_number(&json, "residual", info->residual);
    json_text(&json, "method", sprag_qp_method_name(program->settings.method));
    json_integer(&json, "iterations", info->iterations);
    json_integer(&json, "null_dimension", info->null_dimension);
    if (scene)
        expect_json(&json, scene);
    json_end_object(&json);
}

static void print_text(SpragContext *context, const Program *program, SpragText *text)
{
    const SpragQpInfo *info = &program->info;
    sprag_text_add(text, "QP of size %d with %d rows: %s, %s\n", program->problem->n,
                   program->problem->inequality_count + program->problem->equality_count,
                   sprag_qp_status_name(info->status), sprag_lcp_verdict_name(verdict_of(program)));
    if (!program->found)
        return;
    sprag_text_add(text, "  value %.9g, %s, %d iterations, residual %.2g\n", info->value,
                   sprag_qp_method_name(program->settings.method), info->iterations,
                   info->residual);
    if (info->solution_dimension > 0)
        sprag_text_add(text, "  the solutions form a set of dimension %d; Q x is unique\n",
                       info->solution_dimension);
    static const char *const heads[] = {"", "x", "from", "to"};
    bool ranges = info->solution_dimension >= 0;
    Table table;
    table_init(&table, context, ranges ? "rrrr" : "rr");
    table_add_heads(&table, heads);
    for (int i = 0; i < program->problem->n; i++) {
        table_add(&table, "%d", i);
        table_add_number(&table, program->solution.x[i]);
        if (ranges) {
            table_add_number(&table, program->solution.low[i]);
            table_add_number(&table, program->solution.high[i]);
        }
    }
    table_print(&table, text);
    table_destroy(&table);
}

ToolExit solve_qp(SpragContext *context, const Arguments *arguments, const SolveOptions *options,
                  const SpragQp *problem, SpragText *text)
{
    Program program = {.problem = problem, .settings = sprag_qp_default()};
    program.settings.ranges = options->all || problem->n <= RANGES_SIZE;
    if (!choose_method(options, &program.settings))
        return TOOL_USAGE;
    SpragArena *arena = NULL;
    SpragStatus status = sprag_arena_create(context, 0, &arena);
    if (status == SPRAG_OK)
        status = run(context, arena, &program);
    ToolExit result = program.found ? TOOL_DONE : TOOL_NO_SOLUTION;
    if (status != SPRAG_OK)
        result = tool_fail(context, status, arguments->positional[0]);
    else if (arguments->json)
        print_json(&program, arguments, options->scene, text);
    else if (!arguments->quiet)
        print_text(context, &program, text);
    sprag_arena_destroy(arena);
    return result;
}

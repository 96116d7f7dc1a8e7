// solve_friction.c: a friction problem for the command line: solved, or searched for all solutions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expect.h"
#include "print.h"
#include "solve.h"

// Above this many contacts text shows no table; and only up to the second all solutions are sought.
enum { TABLE_CONTACTS = 40, SEARCH_CONTACTS = 40 };
static const double WARN_ASYMMETRY = 1e-12;

typedef struct Answer {
    const SpragFrictionProblem *problem;
    SpragFrictionSettings settings;
    SpragFrictionInfo info;
    int size; // entries of r
    double *r, *u;
    double asymmetry;
    // --all
    bool searched, complete;
    SpragMotionSearch *search;
    SpragMotionSet set;
    double worst; // residual of the motions found
    SpragLcpVerdict verdict;
} Answer;

static bool choose(const SolveOptions *options, SpragFrictionSettings *settings)
{
    if (options->tolerance > 0)
        settings->tolerance = options->tolerance;
    if (options->sides > 0)
        settings->sides = options->sides;
    if (!options->method)
        return true;
    settings->method = sprag_friction_method_by_name(options->method);
    if (settings->method != SPRAG_FRICTION_METHOD_COUNT)
        return true;
    const char *names[SPRAG_FRICTION_METHOD_COUNT];
    for (int m = 0; m < SPRAG_FRICTION_METHOD_COUNT; m++)
        names[m] = sprag_friction_method_get(m)->name;
    int nearest = nearest_word(options->method, SPRAG_FRICTION_METHOD_COUNT, names);
    fprintf(stderr, "sprag solve: no friction method is called '%.40s'%s%s%s; see --list-methods\n",
            options->method, nearest >= 0 ? ", did you mean '" : "",
            nearest >= 0 ? names[nearest] : "", nearest >= 0 ? "'?" : "");
    return false;
}

// ---- One solution -------------------------------------------------------------------------------

static SpragStatus solve_one(SpragContext *context, Answer *answer)
{
    SpragFrictionWorkspace *workspace;
    SPRAG_TRY(sprag_friction_workspace_create(context, &workspace));
    SpragStatus status = sprag_friction_solve(workspace, answer->problem, &answer->settings,
                                              answer->r, answer->u, &answer->info);
    sprag_friction_workspace_destroy(workspace);
    answer->verdict = SPRAG_LCP_VERDICT_UNKNOWN;
    return status;
}

// ---- All solutions ------------------------------------------------------------------------------

// The same as a contact problem at rest, velocities for accelerations: column by column of W.
static SpragStatus build(const SpragFrictionProblem *problem, SpragArena *arena,
                         SpragContactProblem *contact)
{
    size_t n = (size_t)problem->dimension * (size_t)problem->contact_count;
    size_t bodies = (size_t)(problem->body_count * problem->body_size);
    sprag_contact_problem_clear(contact, problem->dimension);
    for (int i = 0; i < problem->contact_count; i++) {
        SpragConstraint *constraint;
        SPRAG_TRY(sprag_contact_problem_add(contact, SPRAG_CONSTRAINT_CONTACT, &constraint));
        constraint->friction = constraint->friction_static = problem->friction[i];
        snprintf(constraint->name, sizeof constraint->name, "%d", i);
    }
    SPRAG_TRY(sprag_contact_problem_reserve_dense(contact));
    double *x = sprag_arena_alloc(arena, n, sizeof *x), *y = sprag_arena_alloc(arena, n, sizeof *y);
    double *velocity = sprag_arena_alloc(arena, bodies + 1, sizeof *velocity);
    if (!x || !y || !velocity)
        return SPRAG_ERROR_MEMORY;
    for (size_t j = 0; j < n; j++) {
        x[j] = 1;
        sprag_friction_velocity(problem, x, y, velocity);
        x[j] = 0;
        // entries that differ by rounding become equal
        for (size_t i = 0; i < n; i++) {
            contact->W[i * n + j] += 0.5 * (y[i] - problem->q[i]);
            contact->W[j * n + i] += 0.5 * (y[i] - problem->q[i]);
        }
        contact->b[j] = problem->q[j];
    }
    return sprag_contact_problem_check(contact);
}

static void judge(Answer *answer)
{
    const SpragMotionSet *set = &answer->set;
    bool infinite = false;
    for (int i = 0; i < set->count; i++) {
        infinite |= set->motions[i].dimension > 0;
        SpragFrictionResidual residual = sprag_friction_residual(
            answer->problem, set->motions[i].force, set->motions[i].acceleration);
        answer->worst = fmax(answer->worst, residual.natural);
    }
    answer->complete = set->complete;
    answer->verdict = infinite         ? SPRAG_LCP_VERDICT_INFINITE
                      : set->count > 1 ? SPRAG_LCP_VERDICT_MULTIPLE
                      : !set->complete ? SPRAG_LCP_VERDICT_UNKNOWN
                      : set->count > 0 ? SPRAG_LCP_VERDICT_UNIQUE
                                       : SPRAG_LCP_VERDICT_NONE;
}

static bool is_bilateral(const SpragFrictionProblem *problem, int i)
{
    return problem->kinds && problem->kinds[i] == SPRAG_FRICTION_BILATERAL;
}

static int count_bilateral(const SpragFrictionProblem *problem)
{
    int count = 0;
    for (int i = 0; i < problem->contact_count; i++)
        count += is_bilateral(problem, i);
    return count;
}

static SpragStatus solve_all(SpragContext *context, SpragArena *arena, Answer *answer)
{
    if (answer->problem->contact_count > SEARCH_CONTACTS)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "--all takes up to %d contacts, got %d; without it one solution is found",
                          SEARCH_CONTACTS, answer->problem->contact_count);
    if (count_bilateral(answer->problem) > 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "--all takes contacts only, got %d bilateral ones; without it one "
                          "solution is found",
                          count_bilateral(answer->problem));
    SpragContactProblem contact;
    sprag_contact_problem_init(&contact, context);
    SpragStatus status = sprag_friction_check(context, answer->problem);
    if (status == SPRAG_OK && answer->asymmetry > 1e-3)
        status = sprag_fail(context, SPRAG_ERROR_INPUT,
                            "W must be symmetric for --all: it differs from its transpose by %.2g "
                            "of its largest entry",
                            answer->asymmetry);
    if (status == SPRAG_OK)
        status = build(answer->problem, arena, &contact);
    if (status == SPRAG_OK)
        status = sprag_motion_search_create(context, &answer->search);
    if (status == SPRAG_OK)
        status = sprag_motion_search_run(answer->search, &contact, NULL, &answer->set);
    if (status == SPRAG_OK)
        judge(answer);
    sprag_contact_problem_destroy(&contact);
    return status;
}

// ---- Printing -----------------------------------------------------------------------------------

static bool is_found(const Answer *answer)
{
    return answer->searched ? answer->set.count > 0 : answer->info.status == SPRAG_FRICTION_SOLVED;
}

static void json_solution(Json *json, const Answer *answer, const char *key, const double *r,
                          const double *u)
{
    json_begin_object(json, key);
    json_numbers(json, "r", answer->size, r);
    json_numbers(json, "u", answer->size, u);
    json_end_object(json);
}

static void json_work(Json *json, const Answer *answer)
{
    const SpragFrictionInfo *info = &answer->info;
    json_text(json, "status", sprag_friction_status_name(info->status));
    json_number(json, "residual", info->residual.natural);
    json_number(json, "residual_unit_free", info->residual.unit_free);
    json_integer(json, "worst_contact", info->residual.worst);
    json_number(json, "tolerance", answer->settings.tolerance);
    json_text(json, "method", sprag_friction_method_get((int)info->method)->name);
    json_integer(json, "iterations", info->iterations);
    json_integer(json, "factorizations", info->factorizations);
    json_begin_array(json, "steps");
    for (int k = 0; k < info->step_count; k++) {
        const SpragFrictionStep *step = &info->steps[k];
        json_begin_flat_object(json, NULL);
        json_text(json, "method", sprag_friction_method_get((int)step->method)->name);
        json_text(json, "status", sprag_friction_status_name(step->status));
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
    json_text(&json, "problem", "friction");
    json_integer(&json, "dimension", answer->problem->dimension);
    json_integer(&json, "contacts", answer->problem->contact_count);
    if (count_bilateral(answer->problem) > 0) {
        json_begin_array(&json, "bilateral");
        for (int i = 0; i < answer->problem->contact_count; i++)
            if (is_bilateral(answer->problem, i))
                json_integer(&json, NULL, i);
        json_end_array(&json);
    }
    json_begin_array(&json, "solutions");
    for (int i = 0; answer->searched && i < answer->set.count; i++)
        json_solution(&json, answer, NULL, answer->set.motions[i].force,
                      answer->set.motions[i].acceleration);
    if (!answer->searched && is_found(answer))
        json_solution(&json, answer, NULL, answer->r, answer->u);
    json_end_array(&json);
    json_integer(&json, "count", answer->searched ? answer->set.count : is_found(answer));
    json_text(&json, "verdict", sprag_lcp_verdict_name(answer->verdict));
    json_bool(&json, "complete", answer->complete);
    if (answer->searched) {
        json_number(&json, "residual", answer->worst);
        json_text(&json, "method", "search");
        json_integer(&json, "iterations", (int)fmin(1e9, (double)answer->set.node_count));
    } else {
        if (!is_found(answer))
            json_solution(&json, answer, "best", answer->r, answer->u);
        json_work(&json, answer);
    }
    json_number(&json, "asymmetry", answer->asymmetry);
    if (scene)
        expect_json(&json, scene);
    json_end_object(&json);
}

static void add_table(SpragContext *context, const Answer *answer, const double *r, const double *u,
                      SpragText *text)
{
    static const char *const heads2[] = {"contact", "r_n", "r_t", "u_n", "u_t"};
    static const char *const heads3[] = {"contact", "r_n", "r_t", "r_o", "u_n", "u_t", "u_o"};
    int d = answer->problem->dimension;
    Table table;
    table_init(&table, context, d == 3 ? "rrrrrrr" : "rrrrr");
    table_add_heads(&table, d == 3 ? heads3 : heads2);
    for (int i = 0; i < answer->problem->contact_count; i++) {
        table_add(&table, is_bilateral(answer->problem, i) ? "%d (bilateral)" : "%d", i);
        for (int k = 0; k < d; k++)
            table_add_number(&table, r[i * d + k]);
        for (int k = 0; k < d; k++)
            table_add_number(&table, u[i * d + k]);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static void print_text(SpragContext *context, const Answer *answer, SpragText *text)
{
    const SpragFrictionInfo *info = &answer->info;
    bool small = answer->problem->contact_count <= TABLE_CONTACTS;
    sprag_text_add(text, "friction problem of dimension %d with %d contact%s",
                   answer->problem->dimension, answer->problem->contact_count,
                   answer->problem->contact_count == 1 ? "" : "s");
    if (count_bilateral(answer->problem) > 0)
        sprag_text_add(text, ", %d of them bilateral", count_bilateral(answer->problem));
    sprag_text_add(text, ": ");
    if (answer->searched) {
        sprag_text_add(text, "%s, %d found, search %s, worst residual %.2g\n",
                       sprag_lcp_verdict_name(answer->verdict), answer->set.count,
                       answer->complete ? "complete" : "not complete", answer->worst);
        for (int i = 0; i < answer->set.count; i++) {
            sprag_text_add(text, "\nsolution %d%s\n", i + 1,
                           answer->set.motions[i].force_dimension > 0
                               ? " (forces are indeterminate: one of many)"
                               : "");
            add_table(context, answer, answer->set.motions[i].force,
                      answer->set.motions[i].acceleration, text);
        }
        return;
    }
    sprag_text_add(
        text,
        "%s\n  natural residual %.3g (tolerance %.3g; unit-free residual %.3g), method %s, "
        "%d iterations",
        sprag_friction_status_name(info->status), info->residual.natural,
        answer->settings.tolerance, info->residual.unit_free,
        sprag_friction_method_get((int)info->method)->name, info->iterations);
    sprag_text_add(text, info->factorizations > 0 ? ", %d factorizations\n" : "\n",
                   info->factorizations);
    for (int k = 0; info->step_count > 1 && k < info->step_count; k++)
        sprag_text_add(text, "  %-13s %-9s after %d, residual %.3g\n",
                       sprag_friction_method_get((int)info->steps[k].method)->name,
                       sprag_friction_status_name(info->steps[k].status), info->steps[k].iterations,
                       info->steps[k].residual);
    if (small && is_found(answer))
        add_table(context, answer, answer->r, answer->u, text);
}

// ---- The problem --------------------------------------------------------------------------------

static SpragStatus run(SpragContext *context, SpragArena *arena, Answer *answer)
{
    SPRAG_TRY(sprag_friction_check(context, answer->problem));
    answer->size = answer->problem->dimension * answer->problem->contact_count;
    answer->r = sprag_arena_alloc(arena, (size_t)answer->size, sizeof(double));
    answer->u = sprag_arena_alloc(arena, (size_t)answer->size, sizeof(double));
    if (!answer->r || !answer->u)
        return SPRAG_ERROR_MEMORY;
    answer->asymmetry = sprag_friction_asymmetry(answer->problem);
    return answer->searched ? solve_all(context, arena, answer) : solve_one(context, answer);
}

static void warn(const Answer *answer, const Arguments *arguments)
{
    if (answer->asymmetry > WARN_ASYMMETRY)
        fprintf(stderr,
                "%s: warning: W differs from its transpose by %.2g of its largest entry; it is "
                "used as given\n",
                arguments->positional[0], answer->asymmetry);
    if (answer->searched || is_found(answer))
        return;
    if (answer->info.status == SPRAG_FRICTION_UNSUITABLE)
        fprintf(stderr,
                "%s: not converged: the method lcp is for LCPs of up to 4000 rows (%s a contact)\n",
                arguments->positional[0],
                answer->problem->dimension == 2 ? "4" : "2 and as many as --sides");
    else
        fprintf(stderr,
                "%s: not converged: residual %.3g (natural, worst at contact %d) is above the "
                "tolerance %.3g\n",
                arguments->positional[0], answer->info.residual.natural,
                answer->info.residual.worst, answer->settings.tolerance);
}

ToolExit solve_friction(SpragContext *context, const Arguments *arguments,
                        const SolveOptions *options, const SpragFrictionProblem *problem,
                        SpragText *text)
{
    Answer answer = {
        .problem = problem, .settings = sprag_friction_default(), .searched = options->all};
    if (!choose(options, &answer.settings))
        return TOOL_USAGE;
    SpragArena *arena = NULL;
    SpragStatus status = sprag_arena_create(context, 0, &arena);
    if (status == SPRAG_OK)
        status = run(context, arena, &answer);
    ToolExit result = TOOL_DONE;
    if (status != SPRAG_OK) {
        result = tool_fail(context, status, arguments->positional[0]);
    } else {
        result = is_found(&answer) ? TOOL_DONE : TOOL_NO_SOLUTION;
        warn(&answer, arguments);
        if (arguments->json)
            print_json(&answer, arguments, options->scene, text);
        else if (!arguments->quiet)
            print_text(context, &answer, text);
    }
    sprag_motion_search_destroy(answer.search);
    sprag_arena_destroy(arena);
    return result;
}

// run_epsilon.c: sprag run --epsilon: compliant runs beside the rigid one, distance and order.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "interrupt.h"
#include "print.h"
#include "run.h"
#include "sprag/report.h"

// ---- The list -----------------------------------------------------------------------------------

// Numbers with commas between them. False: said on standard error.
static bool take_list(const char *text, double *epsilons, int *count)
{
    const char *next = text;
    *count = 0;
    do {
        char *end;
        double value = strtod(next, &end);
        bool ends = *end == ',' || !*end;
        if (end == next || !ends || !(value > 0 && value < 1)) {
            fprintf(stderr,
                    "sprag run: --epsilon takes numbers between 0 and 1 with commas between them, "
                    "got '%.60s'; see 'sprag run --help'\n",
                    text);
            return false;
        }
        if (*count == SPRAG_CONVERGENCE_RUNS) {
            fprintf(stderr, "sprag run: --epsilon takes at most %d values\n",
                    SPRAG_CONVERGENCE_RUNS);
            return false;
        }
        epsilons[(*count)++] = value;
        next = *end ? end + 1 : NULL;
    } while (next);
    return true;
}

// ---- For people ---------------------------------------------------------------------------------

static void add_runs(const SpragConvergence *result, SpragText *text)
{
    static const char *const heads[] = {"epsilon",       "distance",    "order",
                                        "position [m]",  "angle [rad]", "velocity [m/s]",
                                        "largest at [s]"};
    Table table;
    table_init(&table, result->context, "rrrrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < result->run_count; i++) {
        const SpragEpsilonRun *run = &result->runs[i];
        table_add(&table, "%g", run->epsilon);
        table_add_number(&table, run->distance);
        if (isnan(run->order))
            table_add(&table, "-");
        else
            table_add(&table, "%.3f", run->order);
        table_add_number(&table, run->position);
        table_add_number(&table, run->angle);
        table_add_number(&table, run->velocity);
        table_add_number(&table, run->at);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static void add_events(const SpragConvergence *result, SpragText *text)
{
    char columns[SPRAG_CONVERGENCE_RUNS + 4] = "rll";
    Table table;
    if (result->event_count == 0)
        return;
    for (int i = 0; i < result->run_count; i++)
        columns[3 + i] = 'r';
    table_init(&table, result->context, columns);
    table_add(&table, "t [s]");
    table_add(&table, "event");
    table_add(&table, "contact");
    for (int i = 0; i < result->run_count; i++)
        table_add(&table, "%g", result->runs[i].epsilon);
    for (int k = 0; k < result->event_count; k++) {
        table_add(&table, "%.9f", result->events[k].t);
        table_add(&table, "%s", sprag_event_label(&result->events[k]));
        table_add(&table, "%s", result->contacts[k][0] ? result->contacts[k] : "-");
        for (int i = 0; i < result->run_count; i++)
            if (isnan(result->runs[i].shift[k]))
                table_add(&table, "-");
            else
                table_add_number(&table, result->runs[i].shift[k]);
    }
    sprag_text_add(text, "\nevents of the rigid run, and how much later they are [s]\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_text(const SpragConvergence *result, const Arguments *arguments,
                     const RunReport *report, SpragText *text)
{
    char length[NUMBER_BYTES];
    sprag_text_add(text, "%s%scompliant runs beside the rigid one, 0 to %.9g s", result->title,
                   result->title[0] ? ": " : "", result->until);
    if (isnan(result->order))
        sprag_text_add(text, "\n");
    else
        sprag_text_add(text, ": distance ~ epsilon^%.3f\n", result->order);
    if (arguments->quiet)
        return;
    sprag_text_add(text,
                   "\ndistance: largest difference over time of any body's position, divided by "
                   "%s m,\nor angle; theory.md 6.2 says that it falls as epsilon^0.5 or faster\n\n",
                   print_number(result->length, length));
    add_runs(result, text);
    add_events(result, text);
    if (result->warning_count > 0)
        sprag_text_add(text, "\nwarnings\n");
    for (int i = 0; i < result->warning_count; i++)
        sprag_text_add(text, "  %s\n", result->warnings[i]);
    if (report->file_count > 0)
        sprag_text_add(text, "\nfiles\n");
    for (int i = 0; i < report->file_count; i++)
        sprag_text_add(text, "  %s\n", report->files[i]);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_run(const SpragConvergence *result, const SpragEpsilonRun *run, Json *json)
{
    json_begin_object(json, NULL);
    json_number(json, "epsilon", run->epsilon);
    json_number(json, "distance", run->distance);
    json_number(json, "order", run->order);
    json_number(json, "position", run->position);
    json_number(json, "angle", run->angle);
    json_number(json, "velocity", run->velocity);
    json_number(json, "at", run->at);
    json_text(json, "outcome", sprag_run_outcome_name(run->outcome));
    json_number(json, "t", run->end);
    json_begin_array(json, "events");
    for (int k = 0; k < result->event_count; k++) {
        json_begin_flat_object(json, NULL);
        json_text(json, "type", sprag_event_label(&result->events[k]));
        json_text(json, "contact", result->contacts[k][0] ? result->contacts[k] : NULL);
        json_number(json, "t", result->events[k].t + run->shift[k]);
        json_number(json, "shift", run->shift[k]);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void add_json(const SpragConvergence *result, const Arguments *arguments,
                     const RunReport *report, SpragText *text)
{
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", result->title[0] ? result->title : arguments->positional[0]);
    json_text(&json, "motion", "events");
    json_number(&json, "t", result->end);
    json_text(&json, "outcome", sprag_run_outcome_name(result->outcome));
    json_number(&json, "until", result->until);
    json_number(&json, "length", result->length);
    json_number(&json, "order", result->order);
    json_begin_array(&json, "epsilon");
    for (int i = 0; i < result->run_count; i++)
        json_run(result, &result->runs[i], &json);
    json_end_array(&json);
    json_begin_array(&json, "events");
    for (int k = 0; k < result->event_count; k++) {
        json_begin_flat_object(&json, NULL);
        json_number(&json, "t", result->events[k].t);
        json_text(&json, "type", sprag_event_label(&result->events[k]));
        json_text(&json, "contact", result->contacts[k][0] ? result->contacts[k] : NULL);
        json_text(&json, "detail", result->events[k].detail);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "warnings");
    for (int i = 0; i < result->warning_count; i++)
        json_text(&json, NULL, result->warnings[i]);
    json_end_array(&json);
    json_begin_array(&json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(&json, NULL, report->files[i]);
    json_end_array(&json);
    tool_provenance(&json, arguments);
    expect_json_none(&json);
    json_end_object(&json);
}

// ---- Files --------------------------------------------------------------------------------------

static void add_csv(const SpragConvergence *result, SpragText *text)
{
    sprag_text_add(text, "epsilon,distance,order,position,angle,velocity\n");
    for (int i = 0; i < result->run_count; i++) {
        const SpragEpsilonRun *run = &result->runs[i];
        sprag_text_add(text, "%.17g,%.17g,", run->epsilon, run->distance);
        if (!isnan(run->order))
            sprag_text_add(text, "%.17g", run->order);
        sprag_text_add(text, ",%.17g,%.17g,%.17g\n", run->position, run->angle, run->velocity);
    }
}

static SpragStatus write_files(const SpragConvergence *result, const Arguments *arguments,
                               const RunReport *report)
{
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragStatus status = SPRAG_OK;
    SpragText command, rows;
    sprag_text_init(&command, result->context);
    sprag_text_init(&rows, result->context);
    tool_spell_command(arguments, &command);
    add_csv(result, &rows);
    settings.command = command.failed ? NULL : command.bytes;
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        status = run_is_figure(report->files[i])
                     ? sprag_figure_write_convergence(result,
                                                      arguments_value(arguments, "signals") != NULL,
                                                      &settings, report->files[i])
                     : sprag_text_save(&rows, report->files[i]);
    sprag_text_destroy(&rows);
    sprag_text_destroy(&command);
    return status;
}

static ToolExit print(const SpragConvergence *result, const Arguments *arguments,
                      const RunReport *report)
{
    SpragText text;
    sprag_text_init(&text, result->context);
    if (arguments->json)
        add_json(result, arguments, report, &text);
    else
        add_text(result, arguments, report, &text);
    ToolExit done = tool_write(&text);
    sprag_text_destroy(&text);
    return done;
}

ToolExit run_epsilon(const RunReport *report, const Arguments *arguments)
{
    SpragContext *context = report->context;
    SpragConvergenceSettings settings = sprag_convergence_default();
    double epsilons[SPRAG_CONVERGENCE_RUNS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    SpragConvergence *result = NULL;
    SpragStatus status = SPRAG_OK;
    if (!take_list(arguments_value(arguments, "epsilon"), epsilons, &settings.count))
        return TOOL_USAGE;
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        status = tool_check_writable(context, report->files[i]);
    if (status != SPRAG_OK)
        return tool_fail(context, status, NULL);
    settings.epsilons = epsilons;
    settings.scene.sets = arguments->sets;
    settings.scene.set_count = arguments->set_count;
    settings.signals = arguments_value(arguments, "signals");
    settings.jobs = processors < 1 ? 1 : processors > 64 ? 64 : (int)processors;
    settings.interrupt = tool_catch_interrupts();
    status = sprag_convergence_create(context, arguments->positional[0], &settings, &result);
    if (status == SPRAG_ERROR_ARGUMENT) {
        fprintf(stderr, "sprag run: %s; see 'sprag run --help'\n", sprag_context_message(context));
        return TOOL_USAGE;
    }
    if (status == SPRAG_OK)
        status = write_files(result, arguments, report);
    ToolExit done = status == SPRAG_OK
                        ? print(result, arguments, report)
                        : tool_fail(context, status,
                                    status == SPRAG_ERROR_WRITE ? NULL : arguments->positional[0]);
    sprag_convergence_destroy(result);
    return done;
}

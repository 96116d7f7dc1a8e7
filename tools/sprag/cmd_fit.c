// cmd_fit.c: sprag fit: parameters of a scene from a measured trajectory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "interrupt.h"
#include "request.h"
#include "sprag/report.h"

static const char description[] =
    "Fits numbers of a scene to a measured trajectory by least squares: DATA.csv has a row per\n"
    "time, the run's signals at these times are compared with its columns.\n\n"
    "--free names what may change: PATH=FROM:TO, PATH=FROM:TO:log for numbers over decades, or\n"
    "PATH alone for a parameter that has a range in the file (without one there is no bound, and\n"
    "the search begins at its value). PATH is as in --set; several are fitted together. A unit\n"
    "behind the last number holds for both: theta=30:60deg.\n\n"
    "--columns tells which column is which signal, in which unit, and (all or none) its standard\n"
    "deviation in that unit, or the column that has it:\n"
    "  --columns 't=time ms, rod.marker.x=u mm, rod.angle=\"phi (deg)\" deg'\n"
    "  --columns 't=#1, tip.slip=#3 mm/s +-0.5'\n"
    "Without it columns that have the name of a signal are taken, as in a file of sprag run.\n"
    "Columns of different kinds weigh by their spread unless deviations are given.\n\n"
    "First a scan over the ranges, since events make the sum of squares jump, then a bounded\n"
    "search from its best points. Printed: values, standard errors, correlations, residuals, and\n"
    "a warning for what the data do not determine. -o writes data, model and residual as .csv, or\n"
    "a figure as .svg or .png.";

static const Option options[] = {
    {"free", 0, "PATH=FROM:TO", "a number to be fitted (repeatable)", NULL},
    {"columns", 0, "LIST", "which column is which signal", NULL},
    {"output", 'o', "FILE", "write data and model: .csv, .svg or .png (repeatable)", NULL},
    {"theme", 0, "NAME", "of figures: light or dark", NULL},
    {"scan", 0, "N", "runs of the first look over the ranges", NULL},
    {"starts", 0, "N", "points of it from which the search goes on (3)", NULL},
    {"title", 0, "TEXT", "of the figure", NULL},
    {"jobs", 0, "J", "threads (one per processor)", NULL},
    {"motion", 0, "NAME", "auto, events, compliant, stepping", "simulate.motion"},
    {"tolerance", 0, "NUMBER", "relative error of a step of the runs", "simulate.tolerance"},
    {"contact-tolerance", 0, "NUMBER", "gap that counts as closed, relative to the scene's size",
     "simulate.contact-tolerance"},
    {"branch", 0, "NAME", "what to do where several motions are stable", "simulate.branch"},
    {"paradox", 0, "NAME", "what to do where no motion is stable", "simulate.paradox"},
    {"impacts", 0, "NAME", "how several impacts at once are resolved", "simulate.impacts"},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };
enum { OPTION_FREE = 0, OPTION_OUTPUT = 2 };

typedef struct Progress {
    double last; // when it was shown
    bool shown;
} Progress;

typedef struct Request {
    FitReport report;
    SpragFitSettings settings;
    SpragFit *fit;
    const char **free;
    Progress progress;
} Request;

// ---- What is asked for --------------------------------------------------------------------------

static bool take_file(Request *request, const char *path)
{
    if (strcmp(request->report.arguments->positional[1], path) == 0)
        return request_refuse("fit", "the data would be overwritten", path);
    return request_file("fit", path, request->report.files, &request->report.file_count);
}

static bool take_lists(Request *request, const Arguments *arguments)
{
    for (int i = 0; i < arguments->given_count; i++) {
        const GivenOption *given = &arguments->given[i];
        ptrdiff_t index = given->option - options;
        if (index == OPTION_FREE)
            request->free[request->settings.free_count++] = given->value;
        else if (index == OPTION_OUTPUT && !take_file(request, given->value))
            return false;
    }
    request->settings.free = request->free;
    request->settings.scene.sets = arguments->sets;
    request->settings.scene.set_count = arguments->set_count;
    if (request->settings.free_count > 0)
        return true;
    fprintf(stderr, "sprag fit: --free is missing, for example --free mu=0:2; see 'sprag fit "
                    "--help'\n");
    return false;
}

static bool take_options(Request *request, const Arguments *arguments)
{
    SpragFitSettings *settings = &request->settings;
    settings->jobs = request_jobs();
    settings->columns = arguments_value(arguments, "columns");
    return request_count(arguments, "fit", "jobs", REQUEST_JOBS, &settings->jobs) &&
           request_count(arguments, "fit", "scan", 1000000, &settings->scan) &&
           request_count(arguments, "fit", "starts", 64, &settings->starts) &&
           take_lists(request, arguments);
}

// ---- The fit ------------------------------------------------------------------------------------

static void show_progress(long runs, void *user)
{
    const double interval = 0.2; // s between two lines
    Progress *progress = user;
    double now = tool_seconds();
    if (now - progress->last < interval)
        return;
    progress->last = now;
    progress->shown = true;
    fprintf(stderr, "\r%ld runs", runs);
}

static SpragStatus write_files(const Request *request)
{
    const Arguments *arguments = request->report.arguments;
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragStatus status = SPRAG_OK;
    SpragText command;
    sprag_text_init(&command, request->fit->context);
    tool_spell_command(arguments, &command);
    settings.command = command.failed ? NULL : command.bytes;
    settings.title = arguments_value(arguments, "title");
    for (int i = 0; i < request->report.file_count && status == SPRAG_OK; i++) {
        const char *path = request->report.files[i];
        status = tool_is_csv(path) ? sprag_fit_write_csv(request->fit, path)
                                   : sprag_figure_write_fit(request->fit, &settings, path);
    }
    sprag_text_destroy(&command);
    return status;
}

static ToolExit print(const Request *request)
{
    const FitReport *report = &request->report;
    SpragText text;
    sprag_text_init(&text, request->fit->context);
    if (report->arguments->json)
        fit_json(report, &text);
    else
        fit_text(report, &text);
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    if (result != TOOL_DONE || request->fit->converged)
        return result;
    fprintf(stderr, "%s: the fit did not converge\n", report->arguments->positional[0]);
    return TOOL_NO_SOLUTION;
}

static ToolExit make(SpragContext *context, Request *request, const Arguments *arguments)
{
    double start = tool_seconds();
    request->progress.last = start;
    request->settings.interrupt = tool_catch_interrupts();
    if (!arguments->quiet && isatty(STDERR_FILENO))
        request->settings.progress = show_progress;
    request->settings.progress_user = &request->progress;
    SpragStatus status = SPRAG_OK;
    for (int i = 0; i < request->report.file_count && status == SPRAG_OK; i++)
        status = tool_check_writable(context, request->report.files[i]);
    if (status != SPRAG_OK)
        return tool_fail(context, status, NULL);
    status = sprag_fit_create(context, arguments->positional[0], arguments->positional[1],
                              &request->settings, &request->fit);
    if (request->progress.shown)
        fprintf(stderr, "\r%40s\r", "");
    if (status == SPRAG_ERROR_ARGUMENT) {
        fprintf(stderr, "sprag fit: %s; see 'sprag fit --help'\n", sprag_context_message(context));
        return TOOL_USAGE;
    }
    const char *data = arguments->positional[1];
    bool of_data = strncmp(sprag_context_message(context), data, strlen(data)) == 0;
    if (status == SPRAG_INTERRUPTED) {
        fprintf(stderr, "%s: interrupted before a minimum was found\n", arguments->positional[0]);
        return TOOL_INTERRUPTED;
    }
    if (status != SPRAG_OK)
        return tool_fail(context, status, of_data ? NULL : arguments->positional[0]);
    request->report.fit = request->fit;
    request->report.wall = tool_seconds() - start;
    status = write_files(request);
    return status == SPRAG_OK ? print(request) : tool_fail(context, status, NULL);
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Request request = {.report.arguments = arguments, .settings = sprag_fit_default()};
    size_t given = (size_t)arguments->given_count + 1;
    ToolExit result = TOOL_USAGE;
    request.report.files = sprag_alloc(context, given, sizeof *request.report.files);
    request.free = sprag_alloc(context, given, sizeof *request.free);
    if (!request.report.files || !request.free)
        result = tool_fail(context, SPRAG_ERROR_MEMORY, NULL);
    else if (take_options(&request, arguments))
        result = make(context, &request, arguments);
    sprag_fit_destroy(request.fit);
    sprag_free(context, (void *)request.report.files);
    sprag_free(context, (void *)request.free);
    return result;
}

const Command command_fit = {
    .rules = {.command = "fit",
              .positional = "SCENE DATA.csv",
              .least = 2,
              .most = 2,
              .options = options,
              .option_count = OPTION_COUNT,
              .description = description},
    .summary = "parameters from a measured trajectory, with errors",
    .run = run,
};

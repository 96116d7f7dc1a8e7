// cmd_map.c: sprag map: the verdict over a grid of two numbers of a scene; CSV, SVG, PNG.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "map.h"
#include "request.h"
#include "sprag/report.h"

static const char description[] =
    "The verdict over a grid: the scene's start is analysed at every pair of values of two of its\n"
    "numbers. An axis is PATH=FROM:TO:N, PATH=FROM:TO:N:log or PATH=A,B,C; PATH alone takes the\n"
    "parameter's own range. PATH is as in --set: a parameter or a path through the file. A unit\n"
    "behind the last number holds for all: theta=5:85deg:161. Without --y there is one row.\n\n"
    "--value NAME adds a number per point; a figure then shows it, with isolines and the borders\n"
    "of the verdict, several below each other:\n"
    "  A, B               of the one contact\n"
    "  determinant        the least of theory.md (3.4)\n"
    "  margin             least relative change of all frictions that changes the verdict\n"
    "  slowest, growth    largest real part of the layer's eigenvalues: chosen motion, any motion\n"
    "  damping            damping ratio from which on the chosen motion is stable\n"
    "  layer.1, layer.2 … eigenvalues of D (6.2) of the chosen motion; layer.imaginary\n"
    "  solutions, stable  number of motions, of stable ones\n"
    "  normal.CONTACT, tangential.CONTACT, acceleration.BODY.x (.y, .angle; in space .z, .rx …)\n"
    "                     forces and accelerations in the chosen motion\n"
    "Drives (problem: scalar, screw, transmission) have acceleration, normal, friction, layer,\n"
    "inertia of the chosen motion, inertia_least, tau_cr, band_low, band_high, input, margin,\n"
    "slowest, growth, solutions, stable; screws efficiency, efficiency_back, critical_friction,\n"
    "critical_inertia; several guides acceleration1 …, input1 … by coordinate, normal1 …,\n"
    "friction1 … by guide.\n"
    "Another name is an output of the scene (outputs:): then each point is run.\n\n"
    "-o writes .csv, .svg or .png (repeatable); --borders writes the points at which the verdict\n"
    "changes, to 1e-12 of the ranges. --refine computes a coarse grid and then only cells over\n"
    "which the verdict changes (with --value every point is computed). Ctrl-C keeps what is done.";

static const Option options[] = {
    {"x", 0, "PATH=FROM:TO:N", "the first number that varies", NULL},
    {"y", 0, "PATH=FROM:TO:N", "the second", NULL},
    {"value", 0, "NAME", "a number wanted at each point (repeatable, or with commas)", NULL},
    {"output", 'o', "FILE", "write the map: .csv, .svg or .png (repeatable)", NULL},
    {"theme", 0, "NAME", "of figures: light or dark", NULL},
    {"borders", 0, "FILE.csv", "write the points of the borders", NULL},
    {"refine", 0, NULL, "leave out what lies between equal points", NULL},
    {"points", 0, "N", "points of an axis that is given by its PATH alone (101)", NULL},
    {"title", 0, "TEXT", "of the figure", NULL},
    {"jobs", 0, "J", "threads (one per processor)", NULL},
    // for the runs of outputs:
    {"until", 0, "TIME", "end of the runs for outputs", "simulate.until"},
    {"motion", 0, "NAME", "auto, events, compliant, stepping", "simulate.motion"},
    {"branch", 0, "NAME", "what they do where several motions are stable", "simulate.branch"},
    {"paradox", 0, "NAME", "what they do where no motion is stable", "simulate.paradox"},
    {"impacts", 0, "NAME", "how several impacts at once are resolved", "simulate.impacts"},
    {"tolerance", 0, "NUMBER", "relative error of a step of them", "simulate.tolerance"},
    {"contact-tolerance", 0, "NUMBER", "gap that counts as closed, relative to the scene's size",
     "simulate.contact-tolerance"},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };
enum { OPTION_VALUE = 2, OPTION_OUTPUT = 3 };

// ---- What is asked for --------------------------------------------------------------------------

typedef struct Progress {
    double last; // when it was shown
    bool shown;
} Progress;

typedef struct Request {
    MapReport report;
    SpragMapSettings settings;
    SpragMap *map;
    const char *values[SPRAG_MAP_VALUES];
    char *value_texts; // cut at commas
    const char *borders;
    bool figure;
    Progress progress;
} Request;

static bool take_file(Request *request, const char *path)
{
    request->figure |= tool_has_ending(path, ".svg") || tool_has_ending(path, ".png");
    return request_file("map", path, request->report.files, &request->report.file_count);
}

// Names with commas between them, in a copy.
static bool take_values(Request *request, const Arguments *arguments, SpragContext *context)
{
    size_t length = 1;
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == &options[OPTION_VALUE])
            length += strlen(arguments->given[i].value) + 1;
    char *next = request->value_texts = sprag_alloc(context, length, 1);
    for (int i = 0; next && i < arguments->given_count; i++) {
        if (arguments->given[i].option != &options[OPTION_VALUE])
            continue;
        size_t bytes = strlen(arguments->given[i].value) + 1;
        memcpy(next, arguments->given[i].value, bytes);
        for (char *name = strtok(next, ","); name; name = strtok(NULL, ",")) {
            if (request->settings.value_count == SPRAG_MAP_VALUES)
                return request_refuse("map", "too many values", name);
            request->values[request->settings.value_count++] = name;
        }
        next += bytes;
    }
    request->settings.values = request->values;
    return next != NULL;
}

static bool take_options(Request *request, const Arguments *arguments, SpragContext *context)
{
    SpragMapSettings *settings = &request->settings;
    const int most_points = 100000;
    *settings = sprag_map_default();
    settings->scene.sets = arguments->sets;
    settings->scene.set_count = arguments->set_count;
    settings->jobs = request_jobs();
    settings->x = arguments_value(arguments, "x");
    settings->y = arguments_value(arguments, "y");
    settings->refine = arguments_value(arguments, "refine") != NULL;
    request->borders = arguments_value(arguments, "borders");
    if (!settings->x) {
        fprintf(stderr, "sprag map: --x is missing, for example --x mu=0:2:101; see 'sprag map "
                        "--help'\n");
        return false;
    }
    if (request->borders && !tool_is_csv(request->borders))
        return request_refuse("map", "--borders takes a .csv file", request->borders);
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == &options[OPTION_OUTPUT] &&
            !take_file(request, arguments->given[i].value))
            return false;
    settings->borders = request->figure || request->borders;
    settings->border_tolerance = request->borders ? 1e-12 : 1e-5; // a figure shows no more
    return request_count(arguments, "map", "jobs", REQUEST_JOBS, &settings->jobs) &&
           request_count(arguments, "map", "points", most_points, &settings->points) &&
           take_values(request, arguments, context);
}

// ---- The map ------------------------------------------------------------------------------------

static void show_progress(long done, long total, void *user)
{
    const double interval = 0.2; // s between two lines
    Progress *progress = user;
    double now = tool_seconds();
    if (now - progress->last < interval)
        return;
    progress->last = now;
    progress->shown = true;
    fprintf(stderr, "\r%ld of %ld points", done, total);
}

// Whether enough was computed for a figure before an interruption.
static bool can_draw(const SpragMap *map)
{
    if (map->axes[1].path)
        return map->complete_rows >= 2;
    return map->classes[0] >= 0 && map->classes[1] >= 0;
}

static SpragStatus write_files(Request *request, const Arguments *arguments)
{
    const SpragMap *map = request->map;
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragText command;
    SpragStatus status = SPRAG_OK;
    sprag_text_init(&command, map->context);
    tool_spell_command(arguments, &command);
    settings.command = command.failed ? NULL : command.bytes;
    settings.title = arguments_value(arguments, "title");
    if (request->borders)
        status = sprag_map_write_borders(map, request->borders);
    int written = 0; // the report names no others
    for (int i = 0; i < request->report.file_count && status == SPRAG_OK; i++) {
        const char *path = request->report.files[i];
        if (!tool_is_csv(path) && !can_draw(map))
            continue;
        status = tool_is_csv(path) ? sprag_map_write_csv(map, path)
                                   : sprag_figure_write_map(map, &settings, path);
        request->report.files[written++] = path;
    }
    request->report.file_count = written;
    sprag_text_destroy(&command);
    return status;
}

static ToolExit print(const Request *request)
{
    SpragText text;
    sprag_text_init(&text, request->map->context);
    if (request->report.arguments->json)
        map_json(&request->report, &text);
    else
        map_text(&request->report, &text);
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    if (result != TOOL_DONE || !request->map->interrupted)
        return result;
    fprintf(stderr, "%s: interrupted; what was done is kept\n",
            request->report.arguments->positional[0]);
    return TOOL_INTERRUPTED;
}

static SpragStatus check_files(SpragContext *context, const Request *request)
{
    for (int i = 0; i < request->report.file_count; i++)
        SPRAG_TRY(tool_check_writable(context, request->report.files[i]));
    return request->borders ? tool_check_writable(context, request->borders) : SPRAG_OK;
}

static ToolExit make(SpragContext *context, Request *request, const Arguments *arguments)
{
    double start = tool_seconds();
    request->progress.last = start;
    request->settings.interrupt = tool_catch_interrupts();
    if (!arguments->quiet && isatty(STDERR_FILENO))
        request->settings.progress = show_progress;
    request->settings.progress_user = &request->progress;
    SpragStatus status = check_files(context, request);
    if (status != SPRAG_OK)
        return tool_fail(context, status, NULL);
    status = sprag_map_create(context, arguments->positional[0], &request->settings, &request->map);
    if (request->progress.shown)
        fprintf(stderr, "\r%40s\r", "");
    if (status == SPRAG_ERROR_ARGUMENT) {
        fprintf(stderr, "sprag map: %s; see 'sprag map --help'\n", sprag_context_message(context));
        return TOOL_USAGE;
    }
    if (status != SPRAG_OK)
        return tool_fail(context, status, arguments->positional[0]);
    request->report.map = request->map;
    request->report.wall = tool_seconds() - start;
    status = write_files(request, arguments);
    return status == SPRAG_OK ? print(request) : tool_fail(context, status, NULL);
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Request request = {.report.arguments = arguments};
    ToolExit result = TOOL_USAGE;
    request.report.files =
        sprag_alloc(context, (size_t)arguments->given_count + 1, sizeof *request.report.files);
    if (!request.report.files)
        return tool_fail(context, SPRAG_ERROR_MEMORY, NULL);
    if (take_options(&request, arguments, context))
        result = make(context, &request, arguments);
    sprag_map_destroy(request.map);
    sprag_free(context, request.value_texts);
    sprag_free(context, (void *)request.report.files);
    return result;
}

const Command command_map = {
    .rules = {.command = "map",
              .positional = "SCENE",
              .least = 1,
              .most = 1,
              .options = options,
              .option_count = OPTION_COUNT,
              .description = description},
    .summary = "the verdict over a grid of two numbers, as CSV and as a figure",
    .run = run,
};

// cmd_run.c: sprag run: a scene forward in time; its events, verdicts, energies; files.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drive.h"
#include "expect.h"
#include "interrupt.h"
#include "run.h"
#include "sprag/report.h"

static const char description[] =
    "Simulates a scene by events: rigid bodies with Coulomb friction, every change of contact\n"
    "located exactly. --motion compliant gives contacts the forces of their layers instead,\n"
    "--motion stepping goes forward by steps of one length (--step), for very many contacts.\n"
    "Prints what happened: final states, events, verdicts, the energy account.\n"
    "Where rigid mechanics has no answer, or several, contacts become compliant for a while;\n"
    "--paradox impulse carries on by an impact, --paradox stop (or --motion events) ends the run\n"
    "with exit status 4. --branch chooses among several stable motions. Where a run ends early\n"
    "everything until there is written. Outputs that the scene names are printed; if one of its\n"
    "expectations is not met, the exit status is 1.\n\n"
    "-o writes a page for a browser (.html): the scene in motion, plots, verdicts, all in one "
    "file;\n"
    "or the signals to a CSV file: a row every output step, two at an event; or a figure\n"
    "over time (.svg, .png) with the verdict, the events and a panel for each unit. --signals\n"
    "picks them by names or patterns, for example 'rod.*,tip.normal,rod.b.y'; tip.margin and "
    "margin\n"
    "(how far friction is from another verdict) only by that word. -q prints one line, -v every\n"
    "line of long lists and the time it took.\n\n"
    "--epsilon 1e-2,1e-3,1e-4 runs the scene by events and with compliant contacts of each\n"
    "stiffness beside it, and tells how far apart they are and in which order that falls.";

// The keys of `simulate` are options too; each is --set simulate.KEY=VALUE.
static const Option options[] = {
    {"output", 'o', "FILE", "write the run: .html, .csv, .svg or .png (repeatable)", NULL},
    {"signals", 0, "LIST", "which signals, as names or patterns with commas between them", NULL},
    {"epsilon", 0, "LIST", "compliant runs with such layers beside the rigid one: 1e-2,1e-3,1e-4",
     NULL},
    {"theme", 0, "NAME", "of figures: light or dark", NULL},
    {"until", 0, "TIME", "end of the run", "simulate.until"},
    {"output-step", 0, "TIME", "time between rows", "simulate.output-step"},
    {"tolerance", 0, "NUMBER", "relative error of a step", "simulate.tolerance"},
    {"contact-tolerance", 0, "NUMBER", "gap that counts as closed, relative to the scene's size",
     "simulate.contact-tolerance"},
    {"motion", 0, "NAME", "auto, events, compliant, stepping", "simulate.motion"},
    {"step", 0, "TIME", "of motion: stepping", "simulate.step"},
    {"scheme", 0, "NAME", "of motion: stepping: moreau-jean, stewart-trinkle", "simulate.scheme"},
    {"theta", 0, "NUMBER", "of scheme: moreau-jean, 0 … 1", "simulate.theta"},
    {"threads", 0, "NUMBER", "of motion: stepping; results do not depend on it",
     "simulate.threads"},
    {"law-tolerance", 0, "NUMBER",
     "of motion: stepping: how well islands of many contacts meet the laws",
     "simulate.law-tolerance"},
    {"branch", 0, "NAME", "where several motions are stable: keep, lift, stick, both",
     "simulate.branch"},
    {"paradox", 0, "NAME", "where no motion is stable: stop, impulse, compliant",
     "simulate.paradox"},
    {"impacts", 0, "NAME", "how several impacts at once are resolved", "simulate.impacts"},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

// ---- Interruption and progress ------------------------------------------------------------------

// Between the run and the record: progress, and interruption even in a step with many rows.
typedef struct Listener {
    const RunReport *report;
    SpragSink record;
    SpragSink page; // functions NULL: none
    double until;
    bool terminal; // progress is wanted
    bool shown;
    double last;  // when it was shown
    double begin; // when the run began
    const volatile int *interrupted;
} Listener;

// How far, how fast, and when it will be there if it goes on like that.
static void show_progress(const Listener *listener, double t)
{
    double spent = tool_seconds() - listener->begin;
    double left = t > 0 ? spent * (listener->until - t) / t : 0;
    fprintf(stderr, "\rt = %-9.5g of %.5g s, %.3g s/s, %.0f s left   ", t, listener->until,
            spent > 0 ? t / spent : 0, left);
}

static int hear_sample(const SpragRunSample *sample, void *user)
{
    const double interval = 0.2; // s between two lines of progress
    Listener *listener = user;
    if (listener->terminal && tool_seconds() - listener->last > interval) {
        show_progress(listener, sample->t);
        listener->last = tool_seconds();
        listener->shown = true;
    }
    run_drives_hear(listener->report, sample, 0);
    int answer = listener->record.sample(sample, listener->record.user);
    if (!answer && listener->page.sample)
        answer = listener->page.sample(sample, listener->page.user);
    return answer ? answer : *listener->interrupted;
}

static int hear_event(const SpragEvent *event, void *user)
{
    Listener *listener = user;
    int answer = listener->record.event(event, listener->record.user);
    return answer || !listener->page.event ? answer
                                           : listener->page.event(event, listener->page.user);
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    Listener *listener = user;
    int answer = listener->record.verdict(verdict, listener->record.user);
    return answer || !listener->page.verdict ? answer
                                             : listener->page.verdict(verdict, listener->page.user);
}

static int hear_piece(SpragRun *run, double from, double to, void *user)
{
    Listener *listener = user;
    int answer = run_drives_piece(listener->report, run, from, to);
    if (!answer && listener->record.piece)
        answer = listener->record.piece(run, from, to, listener->record.user);
    return answer ? answer : *listener->interrupted;
}

// ---- What is asked for --------------------------------------------------------------------------

// The files of -o. False: one cannot be written by this version, or is named twice; said on
// standard error.
static bool take_files(const Arguments *arguments, RunReport *report)
{
    for (int i = 0; i < arguments->given_count; i++) {
        const char *path = arguments->given[i].value;
        if (arguments->given[i].option != &options[0])
            continue;
        if (!tool_is_csv(path) && !run_is_figure(path) && !run_is_page(path)) {
            fprintf(stderr,
                    "sprag run: -o %.200s: this kind of file is not supported in this version; "
                    ".csv, .html%s\n",
                    path, sprag_figure_has_png() ? ", .svg and .png are" : " and .svg are");
            return false;
        }
        if (run_is_page(path) && !sprag_page_is_built()) {
            fprintf(stderr, "sprag run: -o %.200s: %s\n", path, sprag_page_missing());
            return false;
        }
        for (int k = 0; k < report->file_count; k++)
            if (strcmp(report->files[k], path) == 0) {
                fprintf(stderr, "sprag run: -o %.200s is given twice\n", path);
                return false;
            }
        report->files[report->file_count++] = path;
    }
    return true;
}

// An output step that is far too small would look like a run that hangs.
static SpragStatus check_samples(const RunReport *report, const char *file)
{
    const double most = 1e9; // 8 GB a column
    const SpragSimulate *simulate = &report->model->simulate;
    bool steps = simulate->motion == SPRAG_MOTION_STEPPING && simulate->step > 0;
    if (steps && simulate->until / simulate->step > most)
        return sprag_fail(report->context, SPRAG_ERROR_INPUT,
                          "%s: until %.4g s at a step of %.4g s makes %.2g steps, more than %.0e; "
                          "raise step",
                          file, simulate->until, simulate->step, simulate->until / simulate->step,
                          most);
    if (simulate->output_step <= 0 || simulate->until / simulate->output_step <= most)
        return SPRAG_OK;
    return sprag_fail(report->context, SPRAG_ERROR_INPUT,
                      "%s: until %.4g s at an output-step of %.4g s makes %.2g rows, more than "
                      "%.0e; raise output-step",
                      file, simulate->until, simulate->output_step,
                      simulate->until / simulate->output_step, most);
}

static SpragStatus check_support(const RunReport *report, const char *file)
{
    const SpragModel *model = report->model;
    if (!model)
        return sprag_fail(
            report->context, SPRAG_ERROR_INPUT,
            "%s: run takes a scene with bodies, or a drive (problem: scalar, screw, transmission)",
            file);
    return check_samples(report, file);
}

// ---- The run ------------------------------------------------------------------------------------

static SpragStatus find_initial_energy(RunReport *report)
{
    size_t count = (size_t)sprag_system_position_count(report->system) + 1;
    size_t velocities = (size_t)sprag_system_velocity_count(report->system);
    double *q = sprag_alloc(report->context, count + velocities, sizeof *q);
    double kinetic, potential, elastic;
    if (!q)
        return SPRAG_ERROR_MEMORY;
    sprag_system_initial(report->system, q, q + count);
    SpragStatus status =
        sprag_system_energy(report->system, 0, q, q + count, &kinetic, &potential, &elastic);
    sprag_free(report->context, q);
    if (status == SPRAG_OK)
        report->initial_energy = kinetic + potential + elastic;
    return status;
}

// Everything that can be wrong is found here, before time starts.
static SpragStatus prepare(RunReport *report, const Arguments *arguments)
{
    SpragRecordSettings settings = sprag_record_default();
    report->model = sprag_scene_model(report->scene);
    SPRAG_TRY(check_support(report, arguments->positional[0]));
    SPRAG_TRY(sprag_system_create_model(report->model, &report->system));
    SPRAG_TRY(find_initial_energy(report));
    settings.signals = arguments_value(arguments, "signals");
    settings.keep_samples = run_has_figure(report);
    settings.outputs = sprag_scene_outputs(report->scene, &settings.output_count);
    settings.watches = sprag_scene_events(report->scene, &settings.watch_count);
    SPRAG_TRY(sprag_record_create(report->context, report->system, &settings, &report->record));
    for (int i = 0; i < report->file_count; i++)
        SPRAG_TRY(run_is_figure(report->files[i]) || run_is_page(report->files[i])
                      ? tool_check_writable(report->context, report->files[i])
                      : sprag_record_add_csv(report->record, report->files[i]));
    return SPRAG_OK;
}

// Runs to the end, whatever it is. What was recorded is in its files afterwards, unless they fail.
static SpragStatus go(RunReport *report, const Arguments *arguments)
{
    const SpragSimulate *simulate = &report->model->simulate;
    SpragRunSettings settings = sprag_run_settings(simulate);
    Listener listener = {.report = report,
                         .record = sprag_record_sink(report->record),
                         .until = simulate->until,
                         .terminal = !arguments->quiet && isatty(STDERR_FILENO),
                         .last = tool_seconds(),
                         .begin = tool_seconds(),
                         .interrupted = tool_catch_interrupts()};
    SpragSink sink = {
        .sample = hear_sample, .event = hear_event, .verdict = hear_verdict, .user = &listener};
    settings.interrupt = listener.interrupted;
    if (run_has_page(report)) {
        SPRAG_TRY(run_open_page(report, arguments, &settings));
        listener.page = sprag_page_sink(report->page);
    }
    SPRAG_TRY(run_drives_begin(report));
    if (listener.record.piece || report->drives)
        sink.piece = hear_piece;
    double start = tool_seconds();
    SPRAG_TRY(sprag_run_create(report->system, &settings, &sink, &report->run));
    SpragStatus status = sprag_run_advance(report->run, simulate->until, &report->outcome);
    report->wall = tool_seconds() - start;
    if (listener.shown)
        fprintf(stderr, "\r%70s\r", "");
    if (status == SPRAG_OK)
        status = sprag_record_status(report->record);
    if (status == SPRAG_OK && report->page)
        status = sprag_page_status(report->page);
    if (status == SPRAG_OK && *listener.interrupted && report->outcome == SPRAG_RUN_STOPPED)
        report->outcome = SPRAG_RUN_INTERRUPTED;
    return status;
}

ToolExit run_exit(SpragRunOutcome outcome, bool met)
{
    switch (outcome) {
    case SPRAG_RUN_INTERRUPTED:
        return TOOL_INTERRUPTED;
    case SPRAG_RUN_DONE:
    case SPRAG_RUN_STOPPED: // by an event of the scene
        return met ? TOOL_DONE : TOOL_INTERNAL;
    default:
        return met ? TOOL_NO_SOLUTION : TOOL_INTERNAL;
    }
}

// The summary, and for scripts lines on standard error if the run ended early or is not as
// expected.
static ToolExit print(const RunReport *report, const Arguments *arguments)
{
    const char *file = arguments->positional[0];
    SpragText text, document;
    sprag_text_init(&text, report->context);
    sprag_text_init(&document, report->context);
    if (arguments->json || expect_count(report->scene) > 0)
        run_json(report, arguments, &document);
    if (!arguments->json)
        run_text(report, arguments, &text);
    if (!arguments->json && !arguments->quiet)
        expect_text(report->scene, &document, &text);
    const SpragText *whole = arguments->json ? &document : &text;
    ToolExit result = TOOL_DONE;
    if (report->out)
        sprag_text_add(report->out, "%s", whole->bytes ? whole->bytes : "");
    else
        result = tool_write(whole);
    bool met = result != TOOL_DONE || expect_report(report->scene, &document, file);
    sprag_text_destroy(&document);
    sprag_text_destroy(&text);
    bool early = report->outcome != SPRAG_RUN_DONE && report->outcome != SPRAG_RUN_STOPPED;
    if (result != TOOL_DONE || !early)
        return result != TOOL_DONE ? result : run_exit(report->outcome, met);
    sprag_text_init(&text, report->context);
    run_reason(report, &text);
    fprintf(stderr, "%s: the run ended at t = %.9g s: %s%s%s\n", file, sprag_run_time(report->run),
            sprag_run_outcome_name(report->outcome), text.length ? ": " : "",
            text.length ? text.bytes : "");
    sprag_text_destroy(&text);
    return run_exit(report->outcome, met);
}

// Pages show bodies, and one run.
static ToolExit refuse_page(const char *what)
{
    fprintf(stderr, "sprag run: %s has no page: -o takes .csv, .svg or .png there\n", what);
    return TOOL_USAGE;
}

static ToolExit simulate(RunReport *report, const Arguments *arguments)
{
    const char *file = arguments->positional[0];
    SpragStatus status = tool_read_scene(report->context, arguments, &report->scene);
    if (status == SPRAG_OK)
        status = expect_check(report->context, report->scene, file);
    if (status == SPRAG_OK &&
        (sprag_scene_drive(report->scene) || sprag_scene_guides(report->scene, NULL)))
        return run_has_page(report) ? refuse_page("a drive")
                                    : drive_run(report, arguments, tool_catch_interrupts());
    const SpragModel *model = status == SPRAG_OK ? sprag_scene_model(report->scene) : NULL;
    report->both = !report->branch && model && model->simulate.branch == SPRAG_BRANCH_BOTH;
    if (report->both)
        return TOOL_DONE;
    if (status == SPRAG_OK)
        status = prepare(report, arguments);
    if (status != SPRAG_OK)
        return tool_fail(report->context, status, status == SPRAG_ERROR_WRITE ? NULL : file);
    status = go(report, arguments);
    if (status != SPRAG_OK) {
        ToolExit result =
            tool_fail(report->context, status, status == SPRAG_ERROR_WRITE ? NULL : file);
        // what was recorded until then is whole, unless its own file failed
        SpragStatus finished = sprag_record_finish(report->record);
        return finished == SPRAG_OK ? result : tool_fail(report->context, finished, NULL);
    }
    status = sprag_record_finish(report->record);
    if (status == SPRAG_OK)
        status = run_write_figures(report, arguments);
    if (status == SPRAG_OK)
        status = run_write_pages(report);
    return status == SPRAG_OK ? print(report, arguments) : tool_fail(report->context, status, NULL);
}

// One run, and everything that it holds given back.
static ToolExit run_once(RunReport *report, const Arguments *arguments)
{
    ToolExit result = simulate(report, arguments);
    sprag_free(report->context, report->drives);
    sprag_run_destroy(report->run);
    sprag_page_destroy(report->page);
    sprag_record_destroy(report->record);
    sprag_system_destroy(report->system);
    sprag_scene_destroy(report->scene);
    return result;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    RunReport report = {.context = context};
    ToolExit result = TOOL_USAGE;
    report.files = sprag_alloc(context, (size_t)arguments->given_count + 1, sizeof *report.files);
    if (!report.files)
        return tool_fail(context, SPRAG_ERROR_MEMORY, NULL);
    bool beside = arguments_value(arguments, "epsilon") != NULL;
    bool ready = take_files(arguments, &report);
    if (ready && beside && run_has_page(&report))
        result = refuse_page("--epsilon");
    else if (ready)
        result = beside ? run_epsilon(&report, arguments) : run_once(&report, arguments);
    if (report.both)
        result = run_branches(&report, arguments, run_once);
    sprag_free(context, (void *)report.files);
    return result;
}

const Command command_run = {
    .rules = {.command = "run",
              .positional = "SCENE",
              .least = 1,
              .most = 1,
              .options = options,
              .option_count = OPTION_COUNT,
              .description = description},
    .summary = "simulates; prints events, verdicts and energies, writes signals",
    .run = run,
};

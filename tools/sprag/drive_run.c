// drive_run.c: sprag run of a drive: the run, its rows, its files.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "drive.h"
#include "expect.h"

// ---- Rows ---------------------------------------------------------------------------------------

static const char *const signals[] = {"t",
                                      "q",
                                      "v",
                                      "a",
                                      "normal",
                                      "friction",
                                      "layer",
                                      "input",
                                      "mode",
                                      "energy.kinetic",
                                      "energy.potential",
                                      "energy.elastic",
                                      "energy.friction",
                                      "energy.impact",
                                      "energy.damping",
                                      "energy.actuation"};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals, SIGNAL_MODE = 8 };

static void add_row(DriveRunReport *drive, const SpragDriveSample *sample)
{
    const SpragEnergyAccount *energy = &sample->energy;
    const double values[SIGNAL_COUNT] = {sample->t,
                                         sample->position,
                                         sample->velocity,
                                         sample->acceleration,
                                         sample->normal,
                                         sample->friction,
                                         sample->layer,
                                         sample->input[0],
                                         0,
                                         energy->kinetic,
                                         energy->potential,
                                         energy->elastic,
                                         energy->friction,
                                         energy->impact,
                                         energy->damping,
                                         energy->actuation};
    bool first = true;
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        if (!drive->columns[i])
            continue;
        sprag_text_add(&drive->csv, first ? "" : ",");
        if (i == SIGNAL_MODE)
            sprag_text_add(&drive->csv, "%s", sprag_mode_name(sample->mode));
        else
            sprag_text_add(&drive->csv, "%.17g", values[i] == 0 ? 0 : values[i]);
        first = false;
    }
    sprag_text_add(&drive->csv, "\n");
}

static int hear_sample(const SpragDriveSample *sample, void *user)
{
    DriveRunReport *drive = user;
    drive->sample_count++;
    if (drive->report->file_count > 0)
        add_row(drive, sample);
    return drive->csv.failed;
}

static int hear_event(const SpragEvent *event, void *user)
{
    DriveRunReport *drive = user;
    if (sprag_reserve(drive->report->context, &drive->events, &drive->event_capacity,
                      drive->event_count + 1, sizeof *event) != SPRAG_OK)
        return 1;
    drive->events[drive->event_count++] = *event;
    return 0;
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    DriveRunReport *drive = user;
    if (sprag_reserve(drive->report->context, &drive->verdicts, &drive->verdict_capacity,
                      drive->verdict_count + 1, sizeof *verdict) != SPRAG_OK)
        return 1;
    drive->verdicts[drive->verdict_count++] = *verdict;
    return 0;
}

// * stands for any text, ? for one letter.
static bool fits(const char *pattern, const char *word)
{
    if (*pattern == '*')
        return fits(pattern + 1, word) || (*word && fits(pattern, word + 1));
    if (!*pattern || !*word)
        return !*pattern && !*word;
    return (*pattern == '?' || *pattern == *word) && fits(pattern + 1, word + 1);
}

// Names or patterns with commas between them; t is always there.
static SpragStatus choose_columns(DriveRunReport *drive, const Arguments *arguments)
{
    const char *wanted = arguments_value(arguments, "signals");
    SpragContext *context = drive->report->context;
    for (int i = 0; i < SIGNAL_COUNT; i++)
        drive->columns[i] = !wanted || i == 0;
    for (const char *at = wanted; at && *at;) {
        char pattern[64];
        size_t length = strcspn(at, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length < 60 ? length : 60), at);
        const char *word = pattern + strspn(pattern, " ");
        bool found = false;
        for (int i = 0; i < SIGNAL_COUNT; i++)
            if (fits(word, signals[i]))
                found = drive->columns[i] = true;
        if (!found)
            return sprag_fail(
                context, SPRAG_ERROR_INPUT,
                "\"%s\" is no signal of a drive; it has t, q, v, a, normal, friction, "
                "layer, input, mode, energy.*",
                word);
        at += length + (at[length] == ',');
    }
    if (wanted && !wanted[0])
        return sprag_fail(context, SPRAG_ERROR_INPUT, "--signals is empty");
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        drive->column_count += drive->columns[i];
        if (drive->columns[i])
            sprag_text_add(&drive->csv, "%s%s", i ? "," : "", signals[i]);
    }
    sprag_text_add(&drive->csv, "\n");
    return SPRAG_OK;
}

// ---- The run ------------------------------------------------------------------------------------

static double input_at(int input, double t, void *user)
{
    return sprag_scene_input(user, input, t);
}

static SpragStatus check_support(DriveRunReport *drive)
{
    const SpragSimulate *simulate = &drive->drive->simulate;
    const double most = 1e7; // rows are kept until the end
    SpragContext *context = drive->report->context;
    drive->compliant = simulate->motion == SPRAG_MOTION_COMPLIANT;
    if (simulate->motion == SPRAG_MOTION_AUTO)
        drive->note = "motion auto is events for a drive: rigid, with jams";
    if (simulate->motion == SPRAG_MOTION_STEPPING)
        return sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "motion: stepping is not supported for a drive; events and compliant are");
    if (drive->drive->has_acceleration && !drive->drive->has_input)
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "run needs an input; acceleration is for analyze");
    if (simulate->output_step > 0 && simulate->until / simulate->output_step > most)
        return sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "until %.4g s at an output-step of %.4g s makes more than %.0e rows; raise "
            "output-step",
            simulate->until, simulate->output_step, most);
    return SPRAG_OK;
}

static SpragStatus go(DriveRunReport *drive, const volatile int *interrupted)
{
    const SpragSceneDrive *problem = drive->drive;
    SpragDriveProblem made = {.pair = &problem->pair, .state = problem->state};
    SpragDriveSettings settings = sprag_drive_default();
    SpragDriveSink sink = {hear_sample, hear_event, hear_verdict, drive};
    if (problem->input_varies) {
        made.input = input_at;
        made.user = drive->report->scene;
        made.breaks = sprag_scene_input_breaks(drive->report->scene, &made.break_count);
    }
    settings.compliant = drive->compliant;
    settings.tolerance = problem->simulate.tolerance;
    settings.output_step = problem->simulate.output_step;
    settings.interrupt = interrupted;
    SPRAG_TRY(sprag_drive_run_create(drive->report->context, &made, &settings, &sink, &drive->run));
    SPRAG_TRY(
        sprag_drive_run_advance(drive->run, problem->simulate.until, &drive->report->outcome));
    return drive->csv.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

static ToolExit print(DriveRunReport *drive, const Arguments *arguments)
{
    RunReport *report = drive->report;
    const char *file = arguments->positional[0];
    SpragText text, document;
    sprag_text_init(&text, report->context);
    sprag_text_init(&document, report->context);
    if (arguments->json || expect_count(report->scene) > 0)
        drive_run_json(drive, arguments, &document);
    if (!arguments->json)
        drive_run_text(drive, arguments, &text);
    if (!arguments->json && !arguments->quiet)
        expect_text(report->scene, &document, &text);
    ToolExit result = tool_write(arguments->json ? &document : &text);
    bool met = result != TOOL_DONE || expect_report(report->scene, &document, file);
    sprag_text_destroy(&document);
    sprag_text_destroy(&text);
    if (result != TOOL_DONE || report->outcome == SPRAG_RUN_DONE)
        return result != TOOL_DONE ? result : run_exit(report->outcome, met);
    bool told = drive->event_count > 0 && report->outcome != SPRAG_RUN_NOT_CONVERGED;
    const char *why = told ? drive->events[drive->event_count - 1].detail
                           : sprag_context_message(report->context);
    fprintf(stderr, "%s: the run ended at t = %.9g s: %s: %s\n", file,
            sprag_drive_run_time(drive->run), sprag_run_outcome_name(report->outcome), why);
    return run_exit(report->outcome, met);
}

// A folder that is not there is found before the run.
static SpragStatus check_files(const RunReport *report)
{
    for (int i = 0; i < report->file_count; i++) {
        const char *path = report->files[i], *end = strrchr(path, '/');
        struct stat about;
        SpragText folder;
        if (!end || end == path)
            continue;
        sprag_text_init(&folder, report->context);
        sprag_text_add_bytes(&folder, path, (size_t)(end - path));
        bool there = !folder.failed && stat(folder.bytes, &about) == 0 && S_ISDIR(about.st_mode);
        sprag_text_destroy(&folder);
        if (!there)
            return sprag_fail(report->context, SPRAG_ERROR_WRITE,
                              "%s: cannot write: its folder does not exist", path);
    }
    return SPRAG_OK;
}

ToolExit drive_run(RunReport *report, const Arguments *arguments, const volatile int *interrupted)
{
    bool columns[SIGNAL_COUNT];
    DriveRunReport drive = {.report = report, .columns = columns};
    ToolExit result;
    drive.drive = sprag_scene_drive(report->scene);
    sprag_text_init(&drive.csv, report->context);
    SpragStatus status = check_support(&drive);
    if (status == SPRAG_OK)
        status = choose_columns(&drive, arguments);
    if (status == SPRAG_OK)
        status = check_files(report);
    if (status == SPRAG_OK)
        status = go(&drive, interrupted);
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        status = tool_save(report->context, report->files[i], &drive.csv);
    if (status == SPRAG_OK)
        result = print(&drive, arguments);
    else
        result = tool_fail(report->context, status,
                           status == SPRAG_ERROR_WRITE ? NULL : arguments->positional[0]);
    sprag_drive_run_destroy(drive.run);
    sprag_free(report->context, drive.events);
    sprag_free(report->context, drive.verdicts);
    sprag_text_destroy(&drive.csv);
    return result;
}

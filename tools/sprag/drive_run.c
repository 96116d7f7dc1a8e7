// drive_run.c: sprag run of a drive: the run, its rows, its files.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "drive.h"
#include "expect.h"

// ---- What a run says ----------------------------------------------------------------------------

static int hear_sample(const SpragDriveSample *sample, void *user)
{
    DriveRunReport *drive = user;
    drive->sample_count++;
    if (drive->report->file_count > 0)
        columns_pair_row(&drive->columns, sample, &drive->csv);
    return drive->csv.failed;
}

static int hear_guides(const SpragGuidesSample *sample, void *user)
{
    DriveRunReport *drive = user;
    drive->sample_count++;
    if (drive->report->file_count > 0)
        columns_guides_row(&drive->columns, sample, &drive->csv);
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

// ---- The run ------------------------------------------------------------------------------------

static double input_at(int input, double t, void *user)
{
    return sprag_scene_input(user, input, t);
}

static SpragStatus check_support(DriveRunReport *drive)
{
    const SpragSimulate *simulate = drive->simulate;
    const double most = 1e7; // rows are kept until the end
    SpragContext *context = drive->report->context;
    drive->compliant = simulate->motion == SPRAG_MOTION_COMPLIANT;
    if (simulate->motion == SPRAG_MOTION_AUTO)
        drive->note = "motion auto is events for a drive: rigid, with jams";
    if (simulate->motion == SPRAG_MOTION_STEPPING)
        return sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "motion: stepping is not supported for a drive; events and compliant are");
    if (drive->inverse_only)
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

static SpragDriveSettings make_settings(const DriveRunReport *drive,
                                        const volatile int *interrupted)
{
    SpragDriveSettings settings = sprag_drive_default();
    settings.compliant = drive->compliant;
    settings.tolerance = drive->simulate->tolerance;
    settings.output_step = drive->simulate->output_step;
    settings.interrupt = interrupted;
    return settings;
}

static SpragStatus go_pair(DriveRunReport *drive, const SpragDriveSettings *settings)
{
    const SpragSceneDrive *problem = drive->drive;
    SpragDriveProblem made = {.pair = &problem->pair, .state = problem->state};
    SpragDriveSink sink = {hear_sample, hear_event, hear_verdict, drive};
    if (problem->input_varies) {
        made.input = input_at;
        made.user = drive->report->scene;
        made.breaks = sprag_scene_input_breaks(drive->report->scene, &made.break_count);
    }
    SPRAG_TRY(sprag_drive_run_create(drive->report->context, &made, settings, &sink, &drive->run));
    return sprag_drive_run_advance(drive->run, drive->simulate->until, &drive->report->outcome);
}

static SpragStatus go_guides(DriveRunReport *drive, const SpragDriveSettings *settings)
{
    const SpragSceneGuidesRun *about = sprag_scene_guides_run(drive->report->scene);
    SpragGuidesProblem made = {.guides = drive->guides, .position = about->position};
    SpragGuidesSink sink = {hear_guides, hear_event, hear_verdict, drive};
    if (about->input_varies) {
        made.input = input_at;
        made.user = drive->report->scene;
        made.breaks = sprag_scene_input_breaks(drive->report->scene, &made.break_count);
    }
    SPRAG_TRY(sprag_guides_run_create(drive->report->context, &made, settings, &sink,
                                      &drive->guides_run));
    return sprag_guides_run_advance(drive->guides_run, drive->simulate->until,
                                    &drive->report->outcome);
}

static SpragStatus go(DriveRunReport *drive, const volatile int *interrupted)
{
    SpragDriveSettings settings = make_settings(drive, interrupted);
    SPRAG_TRY(drive->guides ? go_guides(drive, &settings) : go_pair(drive, &settings));
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
    fprintf(stderr, "%s: the run ended at t = %.9g s: %s: %s\n", file, drive_run_time(drive),
            sprag_run_outcome_name(report->outcome), why);
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

static void look_at(DriveRunReport *drive)
{
    const SpragScene *scene = drive->report->scene;
    const double *wanted;
    drive->drive = sprag_scene_drive(scene);
    drive->guides = sprag_scene_guides(scene, &wanted);
    if (drive->guides) {
        const SpragSceneGuidesRun *about = sprag_scene_guides_run(scene);
        drive->simulate = &about->simulate;
        drive->inverse_only = wanted && !about->has_input;
        columns_of_guides(&drive->columns, drive->guides->n, drive->guides->m);
    } else {
        drive->simulate = &drive->drive->simulate;
        drive->inverse_only = drive->drive->has_acceleration && !drive->drive->has_input;
        columns_of_pair(&drive->columns);
    }
}

static ToolExit run(DriveRunReport *drive, const Arguments *arguments,
                    const volatile int *interrupted)
{
    RunReport *report = drive->report;
    look_at(drive);
    SpragStatus status = check_support(drive);
    if (status == SPRAG_OK)
        status = columns_choose(report->context, &drive->columns,
                                arguments_value(arguments, "signals"), &drive->csv);
    if (status == SPRAG_OK)
        status = check_files(report);
    if (status == SPRAG_OK)
        status = go(drive, interrupted);
    for (int i = 0; i < report->file_count && status == SPRAG_OK; i++)
        status = run_is_figure(report->files[i])
                     ? drive_write_figure(drive, arguments, report->files[i])
                     : sprag_text_save(&drive->csv, report->files[i]);
    if (status == SPRAG_OK)
        return print(drive, arguments);
    return tool_fail(report->context, status,
                     status == SPRAG_ERROR_WRITE ? NULL : arguments->positional[0]);
}

ToolExit drive_run(RunReport *report, const Arguments *arguments, const volatile int *interrupted)
{
    DriveRunReport *drive = sprag_alloc(report->context, 1, sizeof *drive);
    if (!drive)
        return tool_fail(report->context, SPRAG_ERROR_MEMORY, NULL);
    drive->report = report;
    sprag_text_init(&drive->csv, report->context);
    ToolExit result = run(drive, arguments, interrupted);
    sprag_drive_run_destroy(drive->run);
    sprag_guides_run_destroy(drive->guides_run);
    sprag_free(report->context, drive->events);
    sprag_free(report->context, drive->verdicts);
    sprag_text_destroy(&drive->csv);
    sprag_free(report->context, drive);
    return result;
}

// drive_run_print.c: what happened in the run of a drive: for people, and as JSON.
#include <stdio.h>

#include "drive.h"
#include "expect.h"
#include "print.h"

double drive_run_time(const DriveRunReport *drive)
{
    return drive->guides ? sprag_guides_run_sample(drive->guides_run)->t
                         : sprag_drive_run_sample(drive->run)->t;
}

static const char *guide_name(const SpragEvent *event, const void *user)
{
    static const char *const names[SPRAG_GUIDES_MOST] = {
        "guide1", "guide2",  "guide3",  "guide4",  "guide5",  "guide6",  "guide7",  "guide8",
        "guide9", "guide10", "guide11", "guide12", "guide13", "guide14", "guide15", "guide16"};
    (void)user;
    return event->contact >= 0 && event->contact < SPRAG_GUIDES_MOST ? names[event->contact] : NULL;
}

static RunList make_list(const DriveRunReport *drive)
{
    RunList list = {.context = drive->report->context,
                    .event_count = drive->event_count,
                    .events = drive->events,
                    .verdict_count = drive->verdict_count,
                    .verdicts = drive->verdicts,
                    .sample_count = drive->sample_count,
                    .impact_label = "lost in jams"};
    if (drive->guides) {
        list.place = guide_name;
        list.place_head = "guide";
        list.energy = sprag_guides_run_sample(drive->guides_run)->energy;
        list.initial_energy = sprag_guides_run_initial_energy(drive->guides_run);
        list.drift = sprag_guides_run_drift(drive->guides_run);
        list.statistics = sprag_guides_run_statistics(drive->guides_run);
    } else {
        list.energy = sprag_drive_run_sample(drive->run)->energy;
        list.initial_energy = sprag_drive_run_initial_energy(drive->run);
        list.drift = sprag_drive_run_drift(drive->run);
        list.statistics = sprag_drive_run_statistics(drive->run);
    }
    return list;
}

// ---- Notes --------------------------------------------------------------------------------------

static bool layer_of(const DriveRunReport *drive, int guide, double *stiffness, double *damping)
{
    bool given;
    if (drive->guides)
        sprag_guides_run_layer(drive->guides_run, guide, stiffness, damping, &given);
    else
        sprag_drive_run_layer(drive->run, stiffness, damping, &given);
    return given;
}

// Calls add for each note of a drive's run.
static void all_notes(const void *owner, RunNote *add, void *user)
{
    const DriveRunReport *drive = owner;
    int guides = drive->guides ? drive->guides->m : 1;
    double stiffness, damping;
    if (drive->note)
        add(drive->note, user);
    for (int j = 0; j < guides && drive->compliant; j++) {
        char text[160], which[32] = "";
        if (layer_of(drive, j, &stiffness, &damping))
            continue;
        if (drive->guides)
            snprintf(which, sizeof which, " of guide %d", j + 1);
        snprintf(text, sizeof text, "stiffness%s: nothing gives it, %.4g with damping %.4g", which,
                 stiffness, damping);
        add(text, user);
    }
    for (int i = 0; i < sprag_scene_note_count(drive->report->scene); i++)
        add(sprag_scene_note(drive->report->scene, i), user);
}

static void add_text_note(const char *note, void *text)
{
    sprag_text_add(text, "note: %s\n", note);
}

// ---- For people ---------------------------------------------------------------------------------

static void add_pair_state(const DriveRunReport *drive, SpragText *text)
{
    const SpragDriveSample *last = sprag_drive_run_sample(drive->run);
    sprag_text_add(text, "\nat %.9g s\n  q = %.9g, q' = %.9g, q'' = %.6g, %s\n", last->t,
                   last->position + 0.0, last->velocity + 0.0, last->acceleration + 0.0,
                   sprag_mode_name(last->mode));
    sprag_text_add(text, "  normal force %.6g, friction force %.6g, input %.6g\n",
                   last->normal + 0.0, last->friction + 0.0, last->input[0] + 0.0);
}

static void add_guides_state(const DriveRunReport *drive, SpragText *text)
{
    static const char *const heads[] = {"coordinate", "q", "q'", "q''", "input"};
    static const char *const guide_heads[] = {"guide", "mode", "normal force", "friction force"};
    const SpragGuidesSample *last = sprag_guides_run_sample(drive->guides_run);
    Table table;
    sprag_text_add(text, "\nat %.9g s\n", last->t);
    table_init(&table, text->context, "lrrrr");
    table_add_heads(&table, heads);
    for (int i = 0; i < last->n; i++) {
        table_add(&table, "%d", i + 1);
        table_add(&table, "%.9g", last->position[i] + 0.0);
        table_add(&table, "%.9g", last->velocity[i] + 0.0);
        table_add(&table, "%.6g", last->acceleration[i] + 0.0);
        table_add(&table, "%.6g", last->input[i] + 0.0);
    }
    table_print(&table, text);
    table_destroy(&table);
    sprag_text_add(text, "\n");
    table_init(&table, text->context, "llrr");
    table_add_heads(&table, guide_heads);
    for (int j = 0; j < last->m; j++) {
        table_add(&table, "%d", j + 1);
        table_add(&table, "%s", sprag_mode_name(last->modes[j]));
        table_add(&table, "%.6g", last->normal[j] + 0.0);
        table_add(&table, "%.6g", last->friction[j] + 0.0);
    }
    table_print(&table, text);
    table_destroy(&table);
}

void drive_run_text(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    const RunReport *report = drive->report;
    RunList list = make_list(drive);
    sprag_text_add(text, "%s: ", run_scene_name(report, arguments));
    if (report->outcome == SPRAG_RUN_DONE)
        sprag_text_add(text, "0 to %.9g s, %s, done", drive_run_time(drive),
                       drive->compliant ? "compliant" : "rigid by events");
    else
        sprag_text_add(text, "ended at %.9g s of %.9g s, %s", drive_run_time(drive),
                       drive->simulate->until, sprag_run_outcome_name(report->outcome));
    sprag_text_add(text, ", %zu event%s\n", drive->event_count, drive->event_count == 1 ? "" : "s");
    if (arguments->quiet)
        return;
    all_notes(drive, add_text_note, text);
    if (drive->guides)
        add_guides_state(drive, text);
    else
        add_pair_state(drive, text);
    run_list_events(&list, arguments, text);
    run_list_verdicts(&list, arguments, text);
    run_list_energy(&list, text);
    for (int i = 0; i < report->file_count; i++)
        sprag_text_add(text, "%s  %s: %zu rows, %d signals\n", i ? "" : "\nfiles\n",
                       report->files[i], drive->sample_count, drive->columns.shown_count);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_json_state(const DriveRunReport *drive, Json *json)
{
    if (!drive->guides) {
        const SpragDriveSample *last = sprag_drive_run_sample(drive->run);
        json_begin_flat_object(json, "state");
        json_number(json, "position", last->position);
        json_number(json, "velocity", last->velocity);
        json_number(json, "acceleration", last->acceleration);
        json_number(json, "normal", last->normal);
        json_number(json, "tangential", last->friction);
        json_text(json, "mode", sprag_mode_name(last->mode));
        json_end_object(json);
        return;
    }
    const SpragGuidesSample *last = sprag_guides_run_sample(drive->guides_run);
    json_begin_object(json, "state");
    json_numbers(json, "position", last->n, last->position);
    json_numbers(json, "velocity", last->n, last->velocity);
    json_numbers(json, "acceleration", last->n, last->acceleration);
    json_numbers(json, "normal", last->m, last->normal);
    json_numbers(json, "tangential", last->m, last->friction);
    json_begin_flat_array(json, "modes");
    for (int j = 0; j < last->m; j++)
        json_text(json, NULL, sprag_mode_name(last->modes[j]));
    json_end_array(json);
    json_end_object(json);
}

void drive_run_json(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    const RunReport *report = drive->report;
    RunList list = make_list(drive);
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", run_scene_name(report, arguments));
    json_text(&json, "problem", drive_kind(report->scene));
    json_text(&json, "motion", drive->compliant ? "compliant" : "events");
    json_number(&json, "t", drive_run_time(drive));
    json_text(&json, "outcome", sprag_run_outcome_name(report->outcome));
    add_json_state(drive, &json);
    run_list_json(&list, arguments, &json);
    run_json_end(report, arguments, &json, all_notes, drive);
}

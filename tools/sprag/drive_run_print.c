// drive_run_print.c: what happened in the run of a drive: for people, and as JSON.
#include <math.h>

#include "drive.h"
#include "expect.h"
#include "print.h"

enum { MOST_LISTED = 50 };

static void layer_note(const DriveRunReport *drive, SpragText *text)
{
    double stiffness, damping;
    bool given;
    sprag_drive_run_layer(drive->run, &stiffness, &damping, &given);
    sprag_text_add(text, "stiffness: nothing gives it, %.4g with damping %.4g", stiffness, damping);
}

// Calls add for each note.
static void all_notes(const DriveRunReport *drive, RunNote *add, void *user)
{
    double stiffness, damping;
    bool given;
    if (drive->note)
        add(drive->note, user);
    sprag_drive_run_layer(drive->run, &stiffness, &damping, &given);
    if (drive->compliant && !given) {
        SpragText text;
        sprag_text_init(&text, drive->report->context);
        layer_note(drive, &text);
        add(text.bytes ? text.bytes : "", user);
        sprag_text_destroy(&text);
    }
    for (int i = 0; i < sprag_scene_note_count(drive->report->scene); i++)
        add(sprag_scene_note(drive->report->scene, i), user);
}

static void add_text_note(const char *note, void *text)
{
    sprag_text_add(text, "note: %s\n", note);
}

static void add_json_note(const char *note, void *json)
{
    json_text(json, NULL, note);
}

static void add_events(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    static const char *const heads[] = {"t [s]", "event", "what"};
    Table table;
    sprag_text_add(text, "\nevents\n");
    if (drive->event_count == 0) {
        sprag_text_add(text, "  none\n");
        return;
    }
    table_init(&table, text->context, "lll");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < drive->event_count; i++) {
        if (i >= MOST_LISTED && !arguments->verbose)
            break;
        table_add(&table, "%.9f", drive->events[i].t);
        table_add(&table, "%s", sprag_event_name(drive->events[i].type));
        table_add(&table, "%s", drive->events[i].detail);
    }
    table_print(&table, text);
    table_destroy(&table);
    if (drive->event_count > MOST_LISTED && !arguments->verbose)
        sprag_text_add(text, "  … %zu more: -v prints all\n", drive->event_count - MOST_LISTED);
}

static void add_verdicts(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    static const char *const heads[] = {"from [s]", "to [s]", "verdict",
                                        "motions",  "stable", "chosen"};
    Table table;
    if (drive->verdict_count == 0)
        return;
    table_init(&table, text->context, "lllrrl");
    table_add_heads(&table, heads);
    for (size_t i = 0; i < drive->verdict_count; i++) {
        const SpragRunVerdict *verdict = &drive->verdicts[i];
        if (i >= MOST_LISTED && !arguments->verbose)
            break;
        table_add(&table, "%.9f", verdict->from);
        table_add(&table, "%.9f", verdict->to);
        table_add(&table, "%s", sprag_verdict_name(verdict->kind));
        table_add(&table, "%d", verdict->solution_count);
        table_add(&table, "%d", verdict->stable_count);
        table_add(&table, "%s", verdict->chosen[0] ? verdict->chosen : "–");
    }
    sprag_text_add(text, "\nverdicts\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_json_verdicts(const DriveRunReport *drive, Json *json)
{
    json_begin_array(json, "verdicts");
    for (size_t i = 0; i < drive->verdict_count; i++) {
        const SpragRunVerdict *verdict = &drive->verdicts[i];
        json_begin_flat_object(json, NULL);
        json_number(json, "from", verdict->from);
        json_number(json, "to", verdict->to);
        json_text(json, "verdict", sprag_verdict_name(verdict->kind));
        json_integer(json, "solutions", verdict->solution_count);
        json_integer(json, "stable", verdict->stable_count);
        json_text(json, "chosen", verdict->chosen);
        json_text(json, "reason", verdict->reason);
        json_end_object(json);
    }
    json_end_array(json);
}

void drive_run_text(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    const RunReport *report = drive->report;
    const SpragDriveSample *last = sprag_drive_run_sample(drive->run);
    const SpragEnergyAccount *energy = &last->energy;
    sprag_text_add(text, "%s: ", run_scene_name(report, arguments));
    if (report->outcome == SPRAG_RUN_DONE)
        sprag_text_add(text, "0 to %.9g s, %s, done", last->t,
                       drive->compliant ? "compliant" : "rigid by events");
    else
        sprag_text_add(text, "ended at %.9g s of %.9g s, %s", last->t, drive->drive->simulate.until,
                       sprag_run_outcome_name(report->outcome));
    sprag_text_add(text, ", %zu event%s\n", drive->event_count, drive->event_count == 1 ? "" : "s");
    if (arguments->quiet)
        return;
    all_notes(drive, add_text_note, text);
    sprag_text_add(text, "\nat %.9g s\n  q = %.9g, q' = %.9g, q'' = %.6g, %s\n", last->t,
                   last->position, last->velocity, last->acceleration, sprag_mode_name(last->mode));
    sprag_text_add(text, "  normal force %.6g, friction force %.6g, input %.6g\n", last->normal,
                   last->friction, last->input[0]);
    add_events(drive, arguments, text);
    add_verdicts(drive, arguments, text);
    sprag_text_add(text,
                   "\nenergy [J]\n  at the start %.6g, work of the input %.6g\n  kinetic %.6g, "
                   "potential %.6g, elastic %.6g, lost in friction %.6g, in jams %.6g, in the "
                   "damper %.6g\n  drift %.2g\n",
                   sprag_drive_run_initial_energy(drive->run), energy->actuation, energy->kinetic,
                   energy->potential, energy->elastic, energy->friction, energy->impact,
                   energy->damping, sprag_drive_run_drift(drive->run));
    for (int i = 0; i < report->file_count; i++)
        sprag_text_add(text, "%s  %s: %zu rows, %d signals\n", i ? "" : "\nfiles\n",
                       report->files[i], drive->sample_count, drive->column_count);
}

static void add_json_account(const DriveRunReport *drive, Json *json)
{
    const SpragEnergyAccount *energy = &sprag_drive_run_sample(drive->run)->energy;
    json_begin_object(json, "energy");
    json_number(json, "initial", sprag_drive_run_initial_energy(drive->run));
    json_number(json, "final", energy->kinetic + energy->potential + energy->elastic);
    json_number(json, "kinetic", energy->kinetic);
    json_number(json, "potential", energy->potential);
    json_number(json, "elastic", energy->elastic);
    json_number(json, "friction", energy->friction);
    json_number(json, "impact", energy->impact);
    json_number(json, "damping", energy->damping);
    json_number(json, "actuation", energy->actuation);
    json_number(json, "switch", 0);
    json_number(json, "drift", sprag_drive_run_drift(drive->run));
    json_end_object(json);
    SpragRunStatistics statistics = sprag_drive_run_statistics(drive->run);
    json_begin_flat_object(json, "stats");
    json_integer(json, "steps", (long)statistics.steps);
    json_integer(json, "evaluations", (long)statistics.evaluations);
    json_integer(json, "solves", (long)statistics.solves);
    json_integer(json, "samples", (long)drive->sample_count);
    json_end_object(json);
}

void drive_run_json(const DriveRunReport *drive, const Arguments *arguments, SpragText *text)
{
    const RunReport *report = drive->report;
    const SpragDriveSample *last = sprag_drive_run_sample(drive->run);
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", run_scene_name(report, arguments));
    json_text(&json, "problem", drive_kind(report->scene));
    json_text(&json, "motion", drive->compliant ? "compliant" : "events");
    json_number(&json, "t", last->t);
    json_text(&json, "outcome", sprag_run_outcome_name(report->outcome));
    json_begin_flat_object(&json, "state");
    json_number(&json, "position", last->position);
    json_number(&json, "velocity", last->velocity);
    json_number(&json, "acceleration", last->acceleration);
    json_number(&json, "normal", last->normal);
    json_number(&json, "tangential", last->friction);
    json_text(&json, "mode", sprag_mode_name(last->mode));
    json_end_object(&json);
    json_begin_array(&json, "events");
    for (size_t i = 0; i < drive->event_count; i++) {
        json_begin_flat_object(&json, NULL);
        json_number(&json, "t", drive->events[i].t);
        json_text(&json, "type", sprag_event_name(drive->events[i].type));
        json_null(&json, "contact");
        json_text(&json, "detail", drive->events[i].detail);
        json_end_object(&json);
    }
    json_end_array(&json);
    add_json_verdicts(drive, &json);
    add_json_account(drive, &json);
    json_begin_array(&json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(&json, NULL, report->files[i]);
    json_end_array(&json);
    json_begin_array(&json, "notes");
    all_notes(drive, add_json_note, &json);
    json_end_array(&json);
    tool_provenance(&json, arguments);
    expect_json(&json, report->scene);
    json_end_object(&json);
}

// run_json.c: what happened in a run, as one JSON document.
#include "expect.h"
#include "run.h"

static void add_bodies(const RunReport *report, Json *json)
{
    json_begin_object(json, "bodies");
    for (int i = 0; i < report->model->body_count; i++) {
        BodyState state = run_body_state(report, i);
        json_begin_flat_object(json, report->model->bodies[i].name);
        body_json_place(json, &state);
        json_numbers(json, "velocity", state.space ? 3 : 2, state.velocity);
        if (state.space)
            json_numbers(json, "spin", 3, state.angular);
        else
            json_number(json, "spin", state.spin);
        json_end_object(json);
    }
    json_end_object(json);
}

static void add_outputs(const RunReport *report, Json *json)
{
    int count = sprag_record_output_count(report->record);
    json_begin_object(json, "outputs");
    for (int i = 0; i < count; i++)
        json_number(json, sprag_record_output_name(report->record, i),
                    sprag_record_output(report->record, i));
    json_end_object(json);
}

static void add_note(const char *note, void *json)
{
    json_text(json, NULL, note);
}

static void notes_of_run(const void *owner, RunNote *add, void *user)
{
    run_notes(owner, add, user);
}

void run_json_end(const RunReport *report, const Arguments *arguments, Json *json,
                  void (*notes)(const void *owner, RunNote *add, void *user), const void *owner)
{
    json_begin_array(json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(json, NULL, report->files[i]);
    json_end_array(json);
    json_begin_array(json, "notes");
    notes(owner, add_note, json);
    json_end_array(json);
    tool_provenance(json, arguments);
    expect_json(json, report->scene);
    json_end_object(json);
}

void run_json(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    SpragText reason;
    RunList list = run_list(report);
    Json json;
    json_init(&json, text);
    sprag_text_init(&reason, report->context);
    run_reason(report, &reason);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", run_scene_name(report, arguments));
    json_text(&json, "motion", run_motion_name(report));
    json_number(&json, "t", sprag_run_time(report->run));
    if (report->branch)
        json_text(&json, "branch", report->branch);
    json_text(&json, "outcome", sprag_run_outcome_name(report->outcome));
    json_text(&json, "reason", reason.bytes ? reason.bytes : "");
    json_text(&json, "verdict", run_first_verdict(report));
    add_outputs(report, &json);
    add_bodies(report, &json);
    run_list_json(&list, arguments, &json);
    run_drives_json(report, &json);
    run_json_end(report, arguments, &json, notes_of_run, report);
    sprag_text_destroy(&reason);
}

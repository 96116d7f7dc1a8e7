// run_json.c: what happened in a run, as one JSON document.
#include "expect.h"
#include "run.h"

static void add_bodies(const RunReport *report, Json *json)
{
    json_begin_object(json, "bodies");
    for (int i = 0; i < report->model->body_count; i++) {
        double q[3], v[3];
        run_body_state(report, i, q, v);
        json_begin_flat_object(json, report->model->bodies[i].name);
        json_numbers(json, "position", 2, q);
        json_number(json, "angle", q[2]);
        json_numbers(json, "velocity", 2, v);
        json_number(json, "spin", v[2]);
        json_end_object(json);
    }
    json_end_object(json);
}

static void add_events(const RunReport *report, Json *json)
{
    json_begin_array(json, "events");
    for (size_t i = 0; i < sprag_record_event_count(report->record); i++) {
        const SpragEvent *event = &sprag_record_events(report->record)[i];
        json_begin_flat_object(json, NULL);
        json_number(json, "t", event->t);
        json_text(json, "type", sprag_event_label(event));
        json_text(json, "contact", run_contact_name(report, event));
        json_text(json, "detail", event->detail);
        json_end_object(json);
    }
    json_end_array(json);
}

static void add_verdicts(const RunReport *report, Json *json)
{
    json_begin_array(json, "verdicts");
    for (size_t i = 0; i < sprag_record_verdict_count(report->record); i++) {
        const SpragRunVerdict *verdict = &sprag_record_verdicts(report->record)[i];
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

static void add_energy(const RunReport *report, Json *json)
{
    const SpragEnergyAccount *energy = &sprag_run_sample(report->run)->energy;
    json_begin_object(json, "energy");
    json_number(json, "initial", report->initial_energy);
    json_number(json, "final", energy->kinetic + energy->potential + energy->elastic);
    json_number(json, "kinetic", energy->kinetic);
    json_number(json, "potential", energy->potential);
    json_number(json, "elastic", energy->elastic);
    json_number(json, "friction", energy->friction);
    json_number(json, "impact", energy->impact);
    json_number(json, "damping", energy->damping);
    json_number(json, "actuation", energy->actuation);
    json_number(json, "switch", 0); // of layers that are put in and taken out: rigid contacts only
    json_number(json, "drift", sprag_run_drift(report->run));
    json_end_object(json);
}

static void add_statistics(const RunReport *report, const Arguments *arguments, Json *json)
{
    SpragRunStatistics statistics = sprag_run_statistics(report->run);
    json_begin_flat_object(json, "stats");
    json_integer(json, "steps", (long)statistics.steps);
    json_integer(json, "evaluations", (long)statistics.evaluations);
    json_integer(json, "solves", (long)statistics.solves);
    json_integer(json, "samples", (long)sprag_record_sample_count(report->record));
    if (arguments->verbose)
        json_number(json, "wall", report->wall);
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

void run_json(const RunReport *report, const Arguments *arguments, SpragText *text)
{
    SpragText reason;
    Json json;
    json_init(&json, text);
    sprag_text_init(&reason, report->context);
    run_reason(report, &reason);
    json_begin_object(&json, NULL);
    json_text(&json, "scene", run_scene_name(report, arguments));
    json_text(&json, "motion", "events");
    json_number(&json, "t", sprag_run_time(report->run));
    json_text(&json, "outcome", sprag_run_outcome_name(report->outcome));
    json_text(&json, "reason", reason.bytes ? reason.bytes : "");
    json_text(&json, "verdict", run_first_verdict(report));
    add_outputs(report, &json);
    add_bodies(report, &json);
    add_events(report, &json);
    add_verdicts(report, &json);
    add_energy(report, &json);
    add_statistics(report, arguments, &json);
    json_begin_array(&json, "files");
    for (int i = 0; i < report->file_count; i++)
        json_text(&json, NULL, report->files[i]);
    json_end_array(&json);
    json_begin_array(&json, "notes");
    run_notes(report, add_note, &json);
    json_end_array(&json);
    tool_provenance(&json, arguments);
    expect_json(&json, report->scene);
    json_end_object(&json);
    sprag_text_destroy(&reason);
}

// drive_json.c: the verdict on a drive as one JSON document.
#include <math.h>

#include "drive.h"
#include "expect.h"

static void add_motion(Json *json, const DriveReport *report, const SpragPairMotion *motion)
{
    static const char *const modes[] = {"slide-", "stick", "slide+"};
    json_begin_object(json, NULL);
    json_text(json, "mode", modes[motion->direction + 1]);
    json_integer(json, "branch", motion->branch);
    json_number(json, "acceleration", motion->acceleration[report->drive->pair.output]);
    json_numbers(json, "accelerations", 2, motion->acceleration);
    json_number(json, "normal", motion->normal);
    json_number(json, "tangential", motion->friction);
    json_number(json, "layer", motion->layer);
    json_number(json, "effective_inertia", motion->inertia);
    json_bool(json, "stable", motion->stable);
    json_text(json, "stability", sprag_stability_name(motion->stability));
    json_number(json, "growth", motion->growth);
    json_number(json, "growth_per_root_stiffness", motion->growth_unit);
    json_bool(json, "continuum", motion->continuum);
    json_end_object(json);
}

static void add_band(Json *json, double low, double high)
{
    json_begin_flat_object(json, "band");
    json_number(json, "low", low);
    json_number(json, "high", high);
}

static void add_inverse(Json *json, const DriveReport *report)
{
    const SpragPairInverse *inverse = &report->inverse;
    if (!report->drive->has_acceleration)
        return;
    json_begin_object(json, "inverse");
    json_number(json, "acceleration", report->drive->acceleration);
    json_begin_array(json, "inputs");
    for (int i = 0; i < inverse->count; i++) {
        json_begin_flat_object(json, NULL);
        json_number(json, "input", inverse->input[i]);
        json_text(json, "realised", sprag_realised_name(inverse->realised[i]));
        json_end_object(json);
    }
    json_end_array(json);
    json_bool(json, "held", inverse->held);
    if (inverse->held) {
        add_band(json, inverse->band_low, inverse->band_high);
        json_end_object(json);
    }
    json_end_object(json);
}

static void add_screw(Json *json, const DriveReport *report)
{
    const SpragScrewFacts *facts = &report->facts;
    if (!report->is_screw)
        return;
    json_begin_object(json, "screw");
    json_number(json, "lead_per_radian", report->drive->screw.lead);
    json_number(json, "helix", report->drive->screw.helix);
    json_number(json, "radius", facts->radius);
    json_number(json, "kappa", facts->kappa);
    json_number(json, "rho", facts->rho);
    json_numbers(json, "efficiency", 2, facts->efficiency);
    json_numbers(json, "effective_inertia", 2, facts->effective_inertia);
    json_bool(json, "self_locking", facts->self_locking);
    json_bool(json, "paradox", facts->paradox);
    json_number(json, "critical_inertia", facts->critical_inertia);
    json_number(json, "critical_friction", facts->critical_friction);
    json_number(json, "friction_limit", facts->friction_limit);
    json_end_object(json);
}

static void add_verdict(Json *json, const DriveReport *report)
{
    const SpragPairVerdict *verdict = &report->verdict;
    json_begin_array(json, "solutions");
    for (int i = 0; i < verdict->motion_count; i++)
        add_motion(json, report, &verdict->motions[i]);
    json_end_array(json);
    json_integer(json, "count", verdict->motion_count);
    json_integer(json, "stable", verdict->stable_count);
    json_bool(json, "complete", true);
    json_text(json, "verdict", sprag_verdict_name(verdict->kind));
    json_text(json, "forces", "unique");
    json_bool(json, "held", verdict->held && verdict->chosen >= 0);
    json_bool(json, "jam", verdict->jam);
    json_number(json, "tau_cr", verdict->tau_cr);
    add_band(json, verdict->band_low, verdict->band_high);
    json_bool(json, "outside", verdict->band_outside);
    json_bool(json, "holds", verdict->in_band);
    json_end_object(json);
    json_bool(json, "unique_for_every_input", verdict->unique_for_every_input);
    if (verdict->chosen >= 0)
        json_integer(json, "chosen", verdict->chosen);
    else
        json_null(json, "chosen");
    json_text(json, "recommended", verdict->chosen < 0 ? "compliant" : "rigid");
    json_text(json, "reason", verdict->reason);
}

void drive_json(const DriveReport *report, const Arguments *arguments, SpragText *text)
{
    const SpragSceneDrive *drive = report->drive;
    double g[3];
    Json json;
    sprag_pair_ratio(&drive->pair, drive->state.position, g);
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_number(&json, "t", 0);
    json_text(&json, "name", sprag_scene_name(report->scene));
    json_text(&json, "problem", drive_kind(report->scene));
    json_begin_flat_object(&json, "state");
    bool first = drive->pair.output == 0; // the pair's own state is that of q_2
    json_number(&json, "position", first ? g[0] : drive->state.position);
    json_number(&json, "velocity", first ? g[1] * drive->state.velocity : drive->state.velocity);
    json_integer(&json, "direction", report->verdict.direction);
    json_end_object(&json);
    json_number(&json, "input", report->state.input[0]);
    json_bool(&json, "input_varies", drive->input_varies);
    json_number(&json, "friction", drive->pair.friction);
    add_verdict(&json, report);
    add_inverse(&json, report);
    add_screw(&json, report);
    json_begin_array(&json, "notes");
    for (int i = 0; i < sprag_scene_note_count(report->scene); i++)
        json_text(&json, NULL, sprag_scene_note(report->scene, i));
    json_end_array(&json);
    tool_provenance(&json, arguments);
    expect_json(&json, report->scene);
    json_end_object(&json);
}

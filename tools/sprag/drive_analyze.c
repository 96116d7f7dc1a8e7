// drive_analyze.c: sprag analyze of a drive: what is computed, and the diagram.
#include "drive.h"
#include "sprag/report.h"

const char *drive_kind(const SpragScene *scene)
{
    switch (sprag_scene_kind(scene)) {
    case SPRAG_SCENE_SCREW:
        return "screw";
    case SPRAG_SCENE_TRANSMISSION:
        return "transmission";
    default:
        return "scalar";
    }
}

void drive_describe(const SpragScene *scene, SpragText *text)
{
    const SpragSceneDrive *drive = sprag_scene_drive(scene);
    const SpragGuides *guides = sprag_scene_guides(scene, NULL);
    if (guides)
        sprag_text_add(text, "scalar problem of several guides: %d coordinates, %d guides\n",
                       guides->n, guides->m);
    if (!drive)
        return;
    sprag_text_add(text, "%s, one degree of freedom: friction %.5g, input %.5g%s\n",
                   drive_kind(scene), drive->pair.friction, drive->state.input[0] + 0.0,
                   drive->input_varies ? " at t = 0, it varies in time" : "");
    if (sprag_scene_kind(scene) == SPRAG_SCENE_SCREW)
        sprag_text_add(text, "lead %.6g m per turn, l = %.6g m/rad, helix %.5g rad\n",
                       6.283185307179586 * drive->screw.lead, drive->screw.lead,
                       drive->screw.helix);
}

// An input is given, or follows from the acceleration that is wanted.
static void solve(DriveReport *report)
{
    const SpragSceneDrive *drive = report->drive;
    report->state = drive->state;
    if (drive->has_acceleration) {
        sprag_pair_inverse(&drive->pair, &report->state, drive->acceleration, NULL,
                           &report->inverse);
        if (!drive->has_input && report->inverse.count > 0)
            report->state.input[0] = report->inverse.input[0];
        else if (!drive->has_input && report->inverse.held)
            report->state.input[0] = 0.5 * (report->inverse.band_low + report->inverse.band_high);
    }
    sprag_pair_forward(&drive->pair, &report->state, NULL, &report->verdict);
    if (report->is_screw)
        sprag_screw_facts(&drive->screw, &report->facts);
}

static SpragStatus draw(const DriveReport *report, const Arguments *arguments, const char *path,
                        SpragContext *context)
{
    SpragText svg, command;
    sprag_text_init(&svg, context);
    sprag_text_init(&command, context);
    sprag_text_add(&command, "sprag analyze %s -o %s", arguments->positional[0], path);
    SpragTwoV figure = {.pair = &report->drive->pair,
                        .state = &report->state,
                        .verdict = &report->verdict,
                        .title = sprag_scene_name(report->scene),
                        .command = command.bytes ? command.bytes : ""};
    if (report->is_screw) {
        figure.input_label = "torque τ, N m";
        figure.acceleration_label = "acceleration q″, rad/s²";
    }
    SpragStatus status;
    if (tool_has_ending(path, ".png")) {
        status = sprag_figure_write_twov(&figure, context, NULL, path);
    } else {
        sprag_report_twov(&figure, &svg);
        status = sprag_text_save(&svg, path);
    }
    sprag_text_destroy(&command);
    sprag_text_destroy(&svg);
    return status;
}

SpragStatus drive_analyze(const Situation *situation, const Arguments *arguments, SpragText *text)
{
    DriveReport report = {.scene = situation->scene, .drive = sprag_scene_drive(situation->scene)};
    const char *path = arguments_value(arguments, "output");
    report.is_screw = sprag_scene_kind(situation->scene) == SPRAG_SCENE_SCREW;
    solve(&report);
    if (path)
        SPRAG_TRY(draw(&report, arguments, path, situation->context));
    if (arguments->json)
        drive_json(&report, arguments, text);
    else
        drive_text(&report, arguments, text);
    return SPRAG_OK;
}

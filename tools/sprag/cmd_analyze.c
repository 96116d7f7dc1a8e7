// cmd_analyze.c: sprag analyze: every motion of a scene or a bare contact problem, and the verdict.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze.h"
#include "drive.h"

static const char description[] =
    "The verdict at the initial state of a scene (or --at a time), or of a bare 'problem: contact' "
    "file: every\n"
    "motion that rigid bodies with Coulomb friction can have there, its forces, and whether it\n"
    "is stable. 'none' is an answer too: the exit status is 0.\n\n"
    "Stability is that of the layer (stiffness and damping) that the scene gives, else of a default\n"
    "one, and says so; where several contacts slide it is asked for other ratios of stiffness too.\n"
    "Each contact gets the model that fits it, rigid or compliant, with the rule that said so.\n\n"
    "The margin says how little all frictions, or that of one contact, must change until the\n"
    "verdict does, and into what; --margin PATH asks the same of a parameter or another number.\n\n"
    "Of a drive with one degree of freedom ('problem: scalar', 'screw', 'transmission') also the\n"
    "critical input, the static band, and the input for a wanted acceleration; -o FILE.svg draws\n"
    "its two-V diagram.\n\n"
    "-q prints the verdict alone, -v adds the mass matrix, the Jacobian, the Delassus matrix W,\n"
    "b, the eigenvalues of the contact layer, the rule for every contact, and whether the matrices\n"
    "alone promise one motion for every load (shown without -v too where they do not).";

static const Option options[] = {
    {"at", 0, "TIME", "the verdict at this time of a run by events, not at the start"},
    {"margin", 0, "PATH", "margin of a parameter or a number of the file (repeatable)"},
    {"output", 'o', "FILE.svg", "draw the two-V diagram of a drive"},
};

void analyze_reason(const Situation *situation, const SpragVerdict *verdict, SpragText *text)
{
    bool first = true;
    for (int i = 0; i < situation->line_count; i++) {
        const ContactLine *line = &situation->lines[i];
        if (line->constraint >= 0 || line->gap_rate >= 0 || line->mode[0] != 'i')
            continue;
        sprag_text_add(text, "%s%s (at %.5g m/s)", first ? "an impact comes first, at " : ", ",
                       line->name, -line->gap_rate);
        first = false;
    }
    if (!first)
        sprag_text_add(text, "; without it: ");
    sprag_text_add(text, "%s", verdict->reason);
}

void analyze_acceleration(const Situation *situation, const SpragMotion *motion,
                          double *acceleration)
{
    sprag_contact_problem_acceleration(situation->problem, motion->force, acceleration);
}

int analyze_block_body(const Situation *situation, const SpragInertiaBlock *block)
{
    for (int body = 0; body < situation->model->body_count; body++)
        if (sprag_system_body_coordinate(situation->system, body) == block->offset)
            return body;
    return -1;
}

// A body that moves is not held, even where no contact slips.
static bool anything_moves(const Situation *situation)
{
    for (int i = 0; i < situation->velocity_count; i++)
        if (fabs(situation->v[i]) > situation->tolerances.rate)
            return true;
    return false;
}

static SpragStatus answer(Situation *situation, const Arguments *arguments, SpragText *text)
{
    SpragAnalysis *analysis = NULL;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    Margins margins = {0};
    Details details = {.settings = &settings};
    settings.moving = anything_moves(situation);
    if (situation->system)
        settings.time_scale = sprag_system_time_scale(situation->system, situation->q, situation->v,
                                                      situation->kinematics);
    SpragStatus status = sprag_analysis_create(situation->context, &analysis);
    settings.details = arguments->json || !arguments->quiet;
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, situation->problem, &settings, &verdict);
    if (status == SPRAG_OK && settings.details)
        status = sprag_analysis_test(analysis, situation->problem, &details.tests);
    settings.details = false;
    if (status == SPRAG_OK && (arguments->json || !arguments->quiet))
        status = margins_find(situation, arguments, &settings, &margins);
    if (status == SPRAG_OK && arguments->json) {
        analyze_json(situation, &verdict, &details, &margins, arguments, text);
    } else if (status == SPRAG_OK) {
        analyze_text(situation, &verdict, &details, arguments, text);
        if (!arguments->quiet)
            margins_text(&margins, text);
    }
    margins_destroy(situation->context, &margins);
    sprag_analysis_destroy(analysis);
    return status;
}

// A drive or several guides: true, and *status says how it went.
static bool answer_drive(Situation *situation, const Arguments *arguments, SpragText *text,
                         SpragStatus *status)
{
    if (sprag_scene_drive(situation->scene))
        *status = drive_analyze(situation, arguments, text);
    else if (sprag_scene_guides(situation->scene, NULL))
        *status = guides_analyze(situation, arguments, text);
    else
        return false;
    return true;
}

// What -o asks for must be something that this version can draw.
static bool can_draw(const Situation *situation, const Arguments *arguments)
{
    const char *path = arguments_value(arguments, "output");
    size_t length = path ? strlen(path) : 0;
    if (!path)
        return true;
    if (length < 5 || strcmp(path + length - 4, ".svg") != 0)
        fprintf(stderr,
                "sprag analyze: -o %.200s: this kind of file is not supported in this version; "
                ".svg is\n",
                path);
    else if (!sprag_scene_drive(situation->scene))
        fprintf(stderr, "sprag analyze: -o: only drives with one degree of freedom have a diagram "
                        "in this version\n");
    else
        return true;
    return false;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Situation situation;
    SpragText text;
    ToolExit result;
    if (arguments_value(arguments, "at") && arguments_value(arguments, "margin")) {
        fprintf(stderr,
                "sprag analyze: --margin PATH speaks of the start, and --at of a later time: "
                "one of them\n");
        return TOOL_USAGE;
    }
    sprag_text_init(&text, context);
    SpragStatus status = situation_create(context, arguments, &situation);
    if (status == SPRAG_OK && !can_draw(&situation, arguments)) {
        situation_destroy(&situation);
        return TOOL_USAGE;
    }
    if (status == SPRAG_OK && answer_drive(&situation, arguments, &text, &status))
        ;
    else if (status == SPRAG_OK && !situation.problem)
        status = sprag_fail(
            context, SPRAG_ERROR_INPUT,
            "%s: analyze takes a scene with bodies or a 'problem: contact' file (or a drive)",
            arguments->positional[0]);
    else if (status == SPRAG_OK)
        status = answer(&situation, arguments, &text);
    if (status == SPRAG_OK)
        result = tool_write(&text);
    else
        result = tool_fail(context, status,
                           status == SPRAG_ERROR_WRITE ? NULL : arguments->positional[0]);
    situation_destroy(&situation);
    sprag_text_destroy(&text);
    return result;
}

const Command command_analyze = {
    .rules = {.command = "analyze",
              .positional = "SCENE",
              .least = 1,
              .most = 1,
              .options = options,
              .option_count = sizeof options / sizeof *options,
              .description = description},
    .summary = "every motion, its stability, and the verdict at the initial state",
    .run = run,
};

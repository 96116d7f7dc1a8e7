// cmd_analyze.c: sprag analyze: every motion of a scene or a bare contact problem, and the verdict.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze.h"
#include "drive.h"
#include "expect.h"

static const char description[] =
    "The verdict at the initial state of a scene, or of a bare 'problem: contact' file: every\n"
    "motion that rigid bodies with Coulomb friction can have there, its forces, and whether it\n"
    "is stable. 'none' is an answer too: the exit status is 0, unless the file expects another\n"
    "(expect: {verdict: unique}): then it is 1.\n\n"
    "The margin says how little all frictions, or that of one contact, must change until the\n"
    "verdict does, and into what; --margin PATH asks the same of a parameter or another number.\n\n"
    "Of a drive with one degree of freedom ('problem: scalar', 'screw', 'transmission') also the\n"
    "critical input, the static band, and the input for a wanted acceleration; -o FILE.svg draws\n"
    "its two-V diagram.\n\n"
    "-q prints the verdict alone, -v adds the mass matrix, the Jacobian, the Delassus matrix W,\n"
    "b, and the eigenvalues of the contact layer.";

static const Option options[] = {
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
    settings.moving = anything_moves(situation);
    if (situation->system)
        settings.time_scale = sprag_system_time_scale(situation->system, situation->q, situation->v,
                                                      situation->kinematics);
    SpragStatus status = sprag_analysis_create(situation->context, &analysis);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, situation->problem, &settings, &verdict);
    if (status == SPRAG_OK && (arguments->json || !arguments->quiet))
        status = margins_find(situation, arguments, &settings, &margins);
    if (status == SPRAG_OK && arguments->json) {
        analyze_json(situation, &verdict, &margins, arguments, text);
    } else if (status == SPRAG_OK) {
        analyze_text(situation, &verdict, arguments, text);
        if (!arguments->quiet)
            margins_text(&margins, text);
    }
    margins_destroy(situation->context, &margins);
    sprag_analysis_destroy(analysis);
    return status;
}

// Of a scene, a bare contact problem, a drive or several guides.
static SpragStatus answer_any(Situation *situation, const Arguments *arguments, SpragText *text)
{
    if (sprag_scene_drive(situation->scene))
        return drive_analyze(situation, arguments, text);
    if (sprag_scene_guides(situation->scene, NULL))
        return guides_analyze(situation, arguments, text);
    if (situation->problem)
        return answer(situation, arguments, text);
    return sprag_fail(
        situation->context, SPRAG_ERROR_INPUT,
        "%s: analyze takes a scene with bodies or a 'problem: contact' file (or a drive)",
        arguments->positional[0]);
}

// The answer, and whether it is as the scene expects.
static SpragStatus answer_and_judge(Situation *situation, const Arguments *arguments,
                                    SpragText *text, SpragText *document)
{
    SPRAG_TRY(expect_check(situation->context, situation->scene, arguments->positional[0]));
    SPRAG_TRY(answer_any(situation, arguments, text));
    if (arguments->json || expect_count(situation->scene) == 0)
        return SPRAG_OK;
    Arguments as_json = *arguments;
    as_json.json = true;
    SPRAG_TRY(answer_any(situation, &as_json, document));
    if (!arguments->quiet)
        expect_text(situation->scene, document, text);
    return SPRAG_OK;
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
    SpragText text, document;
    ToolExit result;
    const char *file = arguments->positional[0];
    sprag_text_init(&text, context);
    sprag_text_init(&document, context);
    SpragStatus status = situation_create(context, arguments, &situation);
    if (status == SPRAG_OK && !can_draw(&situation, arguments)) {
        situation_destroy(&situation);
        return TOOL_USAGE;
    }
    if (status == SPRAG_OK)
        status = answer_and_judge(&situation, arguments, &text, &document);
    if (status == SPRAG_OK)
        result = tool_write(&text);
    else
        result = tool_fail(context, status, status == SPRAG_ERROR_WRITE ? NULL : file);
    const SpragText *judged = arguments->json ? &text : &document;
    if (result == TOOL_DONE && !expect_report(situation.scene, judged, file))
        result = TOOL_INTERNAL;
    situation_destroy(&situation);
    sprag_text_destroy(&document);
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

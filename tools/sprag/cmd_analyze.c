// cmd_analyze.c: sprag analyze: every motion of a scene or a bare contact problem, and the verdict.
#include <math.h>
#include <stdio.h>

#include "analyze.h"
#include "drive.h"
#include "expect.h"
#include "request.h"
#include "sprag/report.h"

static const char description[] =
    "The verdict at the initial state of a scene (or --at a time), or of a bare file\n"
    "('problem: contact'): every motion that rigid bodies with Coulomb friction can have there,\n"
    "its forces, and whether it is stable. 'none' is an answer too: the exit status is 0, unless\n"
    "the file expects another (expect: {verdict: unique}): then it is 1. A bare problem may be in\n"
    "space ('dimension: 3', three rows a contact, 'slip: [x, y]').\n\n"
    "Stability is that of the layer (stiffness and damping) that the scene gives, else of a\n"
    "default one, and says so; where several contacts slide it is asked for other ratios of\n"
    "stiffness too. Each contact gets the model that fits it, rigid or compliant, with the rule\n"
    "that said so. Given layers and friction laws are explained: depth at rest, contact time and\n"
    "restitution of an impact, creep.\n\n"
    "The margin says how little all frictions, or that of one contact, must change until the\n"
    "verdict does, and into what; --margin PATH asks the same of a parameter or another number.\n\n"
    "Closure says whether contact forces exist against any load whatever: without friction\n"
    "(form), with it (force), or not (none, with a motion that nothing resists). It does not say\n"
    "that they arise. --hold PATH gives the range of a load, or of another number, over which the\n"
    "bodies are held, and what happens beyond it.\n\n"
    "Where joints are driven: the forces that their drives need in each motion, and whether these\n"
    "forces, applied as loads, would make it by themselves.\n\n"
    "Of a drive with one degree of freedom ('problem: scalar', 'screw', 'transmission') also the\n"
    "critical input, the static band, and the input for a wanted acceleration.\n\n"
    "-o FILE.svg draws the two-V diagram of a drive, and of everything else the eigenvalues of\n"
    "the contact layer of every motion in the complex plane (.png too).\n\n"
    "-q prints the verdict alone, -v adds the mass matrix, the Jacobian, the Delassus matrix W,\n"
    "b, the eigenvalues of the contact layer, the rule for every contact, and whether the "
    "matrices\n"
    "alone promise one motion for every load (shown without -v too where they do not).";

static const Option options[] = {
    {"at", 0, "TIME", "the verdict at this time of a run by events, not at the start", NULL},
    {"margin", 0, "PATH", "margin of a parameter or a number of the file (repeatable)", NULL},
    {"hold", 0, "PATH", "range of a number of the file over which it is held (repeatable)", NULL},
    {"output", 'o', "FILE.svg", "draw the eigenvalues of every motion, or a drive's two-V diagram",
     NULL},
    {"theme", 0, "NAME", "of figures: light or dark", NULL},
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
    return sprag_scene_is_moving(situation->scene);
}

// The eigenvalues of every motion in the complex plane.
static SpragStatus draw(const Situation *situation, const Arguments *arguments,
                        const SpragAnalysisSettings *analysis)
{
    const char *path = arguments_value(arguments, "output");
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragText command;
    if (!path)
        return SPRAG_OK;
    sprag_text_init(&command, situation->context);
    sprag_text_add(&command, "sprag analyze %s", arguments->positional[0]);
    for (int i = 0; i < arguments->set_count; i++)
        sprag_text_add(&command, " --set %s=%s", arguments->sets[i].path, arguments->sets[i].value);
    sprag_text_add(&command, " -o %s", path);
    settings.command = command.failed ? NULL : command.bytes;
    SpragStatus status = sprag_figure_write_eigenvalues(
        situation->problem, analysis, sprag_scene_name(situation->scene), &settings, path);
    sprag_text_destroy(&command);
    return status;
}

static SpragStatus answer(Situation *situation, const Arguments *arguments, SpragText *text)
{
    SpragAnalysis *analysis = NULL;
    SpragAnalysisSettings settings = sprag_analysis_default();
    SpragVerdict verdict;
    Margins margins = {0};
    Details details = {.settings = &settings};
    Holds holds = {0};
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
        status = layers_find(situation, &verdict, &settings, &details.layers);
    if (status == SPRAG_OK)
        status = draw(situation, arguments, &settings);
    if (status == SPRAG_OK && (arguments->json || !arguments->quiet))
        status = margins_find(situation, arguments, &settings, &margins);
    if (status == SPRAG_OK && (arguments->json || !arguments->quiet))
        status = holds_find(situation, arguments, &holds);
    if (status == SPRAG_OK && arguments->json) {
        analyze_json(situation, &verdict, &details, &margins, &holds, arguments, text);
    } else if (status == SPRAG_OK) {
        analyze_text(situation, &verdict, &details, arguments, text);
        if (!arguments->quiet) {
            margins_text(&margins, text);
            holds_text(&holds, situation, verdict.held || arguments->verbose, text);
        }
    }
    layers_destroy(situation->context, &details.layers);
    holds_destroy(situation->context, &holds);
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

// A drive has no bodies that contacts hold.
static bool can_hold(const Situation *situation, const Arguments *arguments)
{
    if (!arguments_value(arguments, "hold") || situation->problem)
        return true;
    fprintf(stderr, "sprag analyze: --hold: it takes a scene with bodies or a 'problem: contact' "
                    "file\n");
    return false;
}

// What -o asks for must be something that this version can draw.
static bool can_draw(const Situation *situation, const Arguments *arguments)
{
    if (!arguments_value(arguments, "output"))
        return true;
    if (!request_figure(arguments, "analyze"))
        return false;
    if (!sprag_scene_guides(situation->scene, NULL) || sprag_scene_drive(situation->scene))
        return true;
    fprintf(stderr, "sprag analyze: -o: several guides have no diagram in this version\n");
    return false;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Situation situation;
    SpragText text, document;
    const char *file = arguments->positional[0];
    const char *start = arguments_value(arguments, "margin") ? "margin"
                        : arguments_value(arguments, "hold") ? "hold"
                                                             : NULL;
    if (arguments_value(arguments, "at") && start) {
        fprintf(stderr,
                "sprag analyze: --%s PATH speaks of the start, and --at of a later time: "
                "one of them\n",
                start);
        return TOOL_USAGE;
    }
    sprag_text_init(&text, context);
    sprag_text_init(&document, context);
    SpragStatus status = situation_create(context, arguments, &situation);
    if (status == SPRAG_OK &&
        !(can_draw(&situation, arguments) && can_hold(&situation, arguments))) {
        situation_destroy(&situation);
        return TOOL_USAGE;
    }
    if (status == SPRAG_OK)
        status = answer_and_judge(&situation, arguments, &text, &document);
    ToolExit result = expect_conclude(context, status, situation.scene, &text,
                                      arguments->json ? &text : &document, file);
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

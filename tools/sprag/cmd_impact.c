// cmd_impact.c: sprag impact: a collision under every law of restitution, side by side.
#include <stdio.h>

#include "expect.h"
#include "impact_answer.h"
#include "request.h"
#include "sprag/report.h"

static const char description[] =
    "The collision of the initial state of a scene (contacts that are closed and approach each\n"
    "other, with the closed ones beside them), or of a bare file ('problem: impact'; in space\n"
    "with 'dimension: 3'): Newton's, Poisson's and the energetic law of restitution side by side:\n"
    "what slip does within the impact, impulses, velocities after it, the energy lost in\n"
    "compression and in restitution, normal and tangential. Newton's law can make energy: then it\n"
    "says so. Where a closed contact slides and no motion goes on (theory.md 10.7) it is the\n"
    "impact without collision.\n\n"
    "Several contacts at once: Newton's law and Poisson's as complementarity problems, the\n"
    "energetic one along the impulse path. Where together, sequence and path disagree on the\n"
    "scene's own laws, all are shown.\n\n"
    "If nothing collides at the start it says when something does; --next goes there.\n\n"
    "-o FILE.svg draws Routh's diagram of one contact in the plane (.png too). -q prints the "
    "table\n"
    "of laws alone, -v the schemes even where they agree.";

static const Option options[] = {
    {"next", 0, NULL, "the first collision of a run by events, not that of the start", NULL},
    {"output", 'o', "FILE.svg", "draw Routh's diagram", NULL},
    {"theme", 0, "NAME", "of figures: light or dark", NULL},
};

static SpragStatus draw(const Impact *impact, const Arguments *arguments)
{
    const char *path = arguments_value(arguments, "output");
    SpragFigureSettings settings = tool_figure_settings(arguments);
    SpragSingleImpact single;
    SpragText command;
    if (!path)
        return SPRAG_OK;
    if (!impact_single(impact, &single))
        return sprag_fail(impact->context, SPRAG_ERROR_INPUT,
                          "%s: Routh's diagram is of one contact in the plane, and %s",
                          arguments->positional[0],
                          impact->problem ? "this collision has more" : "nothing collides");
    sprag_text_init(&command, impact->context);
    sprag_text_add(&command, "sprag impact %s", arguments->positional[0]);
    for (int i = 0; i < arguments->set_count; i++)
        sprag_text_add(&command, " --set %s=%s", arguments->sets[i].path, arguments->sets[i].value);
    sprag_text_add(&command, " -o %s", path);
    SpragRouth figure = {.problem = &single,
                         .title = sprag_scene_name(impact->situation->scene),
                         .command = command.failed ? NULL : command.bytes};
    SpragStatus status = sprag_figure_write_routh(&figure, impact->context, &settings, path);
    sprag_text_destroy(&command);
    return status;
}

// The answer, and the document that expectations are judged by.
static SpragStatus answer(Situation *situation, const Arguments *arguments, SpragText *text,
                          SpragText *document)
{
    bool next = false;
    Impact impact;
    for (int i = 0; i < arguments->given_count; i++)
        next |= arguments->given[i].option == &options[0];
    SPRAG_TRY(expect_check(situation->context, situation->scene, arguments->positional[0]));
    SpragStatus status = impact_create(situation, next, &impact);
    if (status == SPRAG_OK)
        status = draw(&impact, arguments);
    if (status == SPRAG_OK && (arguments->json || expect_count(situation->scene) > 0))
        impact_json(&impact, arguments, document);
    if (status == SPRAG_OK && !arguments->json)
        impact_text(&impact, arguments, text);
    if (status == SPRAG_OK && !arguments->json && !arguments->quiet)
        expect_text(situation->scene, document, text);
    impact_destroy(&impact);
    return status;
}

static SpragStatus check_kind(const Situation *situation, const char *file)
{
    if (situation->model || sprag_scene_impact(situation->scene))
        return SPRAG_OK;
    return sprag_fail(situation->context, SPRAG_ERROR_INPUT,
                      "%s: impact takes a scene with bodies or a 'problem: impact' file", file);
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    Situation situation;
    SpragText text, document;
    const char *file = arguments->positional[0];
    if (!request_figure(arguments, "impact"))
        return TOOL_USAGE;
    sprag_text_init(&text, context);
    sprag_text_init(&document, context);
    SpragStatus status = situation_create(context, arguments, &situation);
    if (status == SPRAG_OK)
        status = check_kind(&situation, file);
    if (status == SPRAG_OK)
        status = answer(&situation, arguments, &text, &document);
    ToolExit result = expect_conclude(context, status, situation.scene,
                                      arguments->json ? &document : &text, &document, file);
    situation_destroy(&situation);
    sprag_text_destroy(&document);
    sprag_text_destroy(&text);
    return result;
}

const Command command_impact = {
    .rules = {.command = "impact",
              .positional = "SCENE",
              .least = 1,
              .most = 1,
              .options = options,
              .option_count = sizeof options / sizeof *options,
              .description = description},
    .summary = "a collision under every law of restitution, with its energy account",
    .run = run,
};

// drive_guides.c: sprag analyze of several guides.
#include <math.h>

#include "drive.h"
#include "expect.h"
#include "print.h"

typedef struct GuidesReport {
    const SpragScene *scene;
    const SpragGuides *guides;
    const double *wanted; // NULL: none
    double *input;        // of the inverse problem
    int free_count;
    SpragRealised realised; // when that input is applied
    SpragGuidesVerdict verdict;
} GuidesReport;

// ---- For people ---------------------------------------------------------------------------------

static const char *guide_mode(const SpragGuidesMotion *motion, int guide)
{
    static const char *const words[] = {"slide-", "stick", "slide+"};
    return words[motion->slip[guide] + 1];
}

static void add_motion(const GuidesReport *report, int index, SpragText *text)
{
    const SpragGuidesMotion *motion = &report->verdict.motions[index];
    static const char *const heads[] = {"guide", "mode", "normal force", "friction force"};
    Table table;
    sprag_text_add(text, "\nmotion %d of %d: %s%s\n  acceleration", index + 1,
                   report->verdict.motion_count, sprag_stability_name(motion->stability),
                   motion->continuum ? "; one of a continuum" : "");
    for (int i = 0; i < report->guides->n; i++)
        sprag_text_add(text, " %.6g", motion->acceleration[i]);
    sprag_text_add(text, "\n");
    table_init(&table, text->context, "llrr");
    table_add_heads(&table, heads);
    for (int j = 0; j < report->guides->m; j++) {
        table_add(&table, "%d", j + 1);
        table_add(&table, "%s", guide_mode(motion, j));
        table_add_number(&table, motion->normal[j]);
        table_add_number(&table, motion->friction[j]);
    }
    table_print(&table, text);
    table_destroy(&table);
}

static void guides_text(const GuidesReport *report, const Arguments *arguments, SpragText *text)
{
    const SpragGuidesVerdict *verdict = &report->verdict;
    const char *name = sprag_scene_name(report->scene);
    if (name[0] && !arguments->quiet)
        sprag_text_add(text, "%s\n", name);
    sprag_text_add(text, "%s%s: %d motion%s, %d stable%s\n",
                   arguments->quiet ? "" : "verdict      ", sprag_verdict_name(verdict->kind),
                   verdict->motion_count, verdict->motion_count == 1 ? "" : "s",
                   verdict->stable_count, verdict->complete ? "" : "; the search was not complete");
    if (arguments->quiet)
        return;
    sprag_text_add(text, "because      all %ld sign patterns of %d guides were tried\n",
                   verdict->pattern_count, report->guides->m);
    for (int i = 0; i < verdict->motion_count; i++)
        add_motion(report, i, text);
    if (!report->wanted)
        return;
    sprag_text_add(text, "\ninverse\n  input");
    for (int i = 0; i < report->guides->n; i++)
        sprag_text_add(text, " %.9g", report->input[i]);
    sprag_text_add(text, "%s\n  realised: %s\n",
                   report->free_count ? " (guides that stay at rest: friction taken as 0)" : "",
                   sprag_realised_name(report->realised));
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_json_motion(Json *json, const GuidesReport *report, const SpragGuidesMotion *motion)
{
    const SpragGuides *guides = report->guides;
    json_begin_object(json, NULL);
    json_begin_flat_array(json, "modes");
    for (int j = 0; j < guides->m; j++)
        json_text(json, NULL, guide_mode(motion, j));
    json_end_array(json);
    json_numbers(json, "acceleration", guides->n, motion->acceleration);
    json_numbers(json, "normal", guides->m, motion->normal);
    json_numbers(json, "tangential", guides->m, motion->friction);
    json_bool(json, "stable", motion->stable);
    json_text(json, "stability", sprag_stability_name(motion->stability));
    json_begin_flat_array(json, "eigenvalues");
    for (int i = 0; i < motion->eigenvalue_count; i++) {
        const double value[2] = {motion->eigenvalues[i].real, motion->eigenvalues[i].imaginary};
        json_numbers(json, NULL, 2, value);
    }
    json_end_array(json);
    json_number(json, "growth", motion->growth);
    json_text(json, "forces", motion->forces_unique ? "unique" : "indeterminate");
    json_bool(json, "continuum", motion->continuum);
    json_end_object(json);
}

static void guides_json(const GuidesReport *report, const Arguments *arguments, SpragText *text)
{
    const SpragGuidesVerdict *verdict = &report->verdict;
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_number(&json, "t", 0);
    json_text(&json, "name", sprag_scene_name(report->scene));
    json_text(&json, "problem", "scalar");
    json_begin_array(&json, "solutions");
    for (int i = 0; i < verdict->motion_count; i++)
        add_json_motion(&json, report, &verdict->motions[i]);
    json_end_array(&json);
    json_integer(&json, "count", verdict->motion_count);
    json_integer(&json, "stable", verdict->stable_count);
    json_bool(&json, "complete", verdict->complete);
    json_text(&json, "verdict", sprag_verdict_name(verdict->kind));
    json_bool(&json, "held", verdict->held);
    json_bool(&json, "jam", verdict->motion_count == 0 && verdict->moving);
    if (verdict->chosen >= 0)
        json_integer(&json, "chosen", verdict->chosen);
    else
        json_null(&json, "chosen");
    json_text(&json, "recommended", verdict->chosen < 0 ? "compliant" : "rigid");
    json_integer(&json, "patterns", verdict->pattern_count);
    if (report->wanted) {
        json_begin_object(&json, "inverse");
        json_numbers(&json, "acceleration", report->guides->n, report->wanted);
        json_numbers(&json, "input", report->guides->n, report->input);
        json_integer(&json, "free", report->free_count);
        json_text(&json, "realised", sprag_realised_name(report->realised));
        json_end_object(&json);
    }
    tool_provenance(&json, arguments);
    expect_json(&json, report->scene);
    json_end_object(&json);
}

// The inverse problem, if an acceleration is wanted; without an input that of it is analysed.
static SpragStatus solve(SpragContext *context, SpragArena *arena, GuidesReport *report)
{
    SpragGuides applied = *report->guides;
    if (report->wanted) {
        report->input = sprag_arena_alloc(arena, (size_t)applied.n, sizeof(double));
        if (!report->input)
            return SPRAG_ERROR_MEMORY;
        sprag_guides_inverse(&applied, report->wanted, report->input, &report->free_count);
        SPRAG_TRY(sprag_guides_realise(context, arena, &applied, report->wanted, report->input,
                                       &report->realised));
        if (!sprag_scene_guides_run(report->scene)->has_input)
            applied.input = report->input;
    }
    return sprag_guides_forward(context, arena, &applied, &report->verdict);
}

SpragStatus guides_analyze(const Situation *situation, const Arguments *arguments, SpragText *text)
{
    GuidesReport report = {.scene = situation->scene};
    SpragArena *arena = NULL;
    report.guides = sprag_scene_guides(situation->scene, &report.wanted);
    SPRAG_TRY(sprag_arena_create(situation->context, 4096, &arena));
    SpragStatus status = solve(situation->context, arena, &report);
    if (status == SPRAG_OK && arguments->json)
        guides_json(&report, arguments, text);
    else if (status == SPRAG_OK)
        guides_text(&report, arguments, text);
    sprag_arena_destroy(arena);
    return status;
}

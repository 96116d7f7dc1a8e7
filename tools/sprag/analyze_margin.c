// analyze_margin.c: how far friction or a parameter may change before the verdict does.
#include "analyze_margin.h"

#include <math.h>
#include <string.h>

#include "print.h"
#include "sprag/sweep.h"

// Beyond these a scan would take longer than the verdict deserves.
enum { MOST_CONTACTS = 12, MOST_SEPARATE = 6, MOST_RESTING_IN_SPACE = 4 };

static SpragStatus find_frictions(const Situation *situation, const SpragAnalysisSettings *settings,
                                  Margins *margins)
{
    const SpragContactProblem *problem = situation->problem;
    SpragAnalysis *analysis;
    int count = problem->constraint_count;
    // in space each verdict costs milliseconds where several contacts may start to slip
    int resting = 0;
    for (int c = 0; c < count; c++)
        resting += problem->dimension == 3 && !problem->constraints[c].sliding;
    bool separate = count <= MOST_SEPARATE && resting < 2;
    if (count == 0 || count > MOST_CONTACTS || resting > MOST_RESTING_IN_SPACE)
        return SPRAG_OK;
    SPRAG_TRY(sprag_analysis_create(situation->context, &analysis));
    SpragStatus status =
        sprag_margin_friction(analysis, problem, settings, SPRAG_ALL_CONTACTS, &margins->all);
    margins->found = status == SPRAG_OK;
    margins->friction = problem->constraints[0].friction;
    for (int c = 1; c < count; c++)
        if (problem->constraints[c].friction != margins->friction)
            margins->friction = 0;
    for (int c = 0; c < count && separate && status == SPRAG_OK; c++) {
        MarginLine *line = &margins->contacts[margins->contact_count++];
        line->name = problem->constraints[c].name;
        line->value = problem->constraints[c].friction;
        status = sprag_margin_friction(analysis, problem, settings, c, &line->margin);
    }
    sprag_analysis_destroy(analysis);
    return status;
}

SpragStatus margins_find(const Situation *situation, const Arguments *arguments,
                         const SpragAnalysisSettings *settings, Margins *margins)
{
    SpragContext *context = situation->context;
    SpragSceneSettings scene = sprag_scene_default();
    memset(margins, 0, sizeof *margins);
    size_t contacts = (size_t)situation->problem->constraint_count + 1;
    size_t parameters = (size_t)arguments->given_count + 1;
    margins->contacts = sprag_alloc(context, contacts, sizeof *margins->contacts);
    margins->parameters = sprag_alloc(context, parameters, sizeof *margins->parameters);
    if (!margins->contacts || !margins->parameters)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(find_frictions(situation, settings, margins));
    scene.sets = arguments->sets;
    scene.set_count = arguments->set_count;
    for (int i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "margin") != 0)
            continue;
        MarginLine *line = &margins->parameters[margins->parameter_count++];
        line->name = arguments->given[i].value;
        SPRAG_TRY(sprag_margin_parameter(context, arguments->positional[0], &scene, line->name,
                                         &line->value, &line->margin));
    }
    return SPRAG_OK;
}

void margins_destroy(SpragContext *context, Margins *margins)
{
    sprag_free(context, margins->contacts);
    sprag_free(context, margins->parameters);
}

// ---- For people ---------------------------------------------------------------------------------

static void add_side(Table *table, const char *name, double value, double sign,
                     const SpragMarginSide *side)
{
    char number[NUMBER_BYTES];
    if (!isfinite(side->change))
        return;
    table_add(table, "%s", name);
    table_add(table, "%s%.4g %%", sign > 0 ? "+" : "-", 100 * side->change);
    // different frictions have no value in common
    table_add(table, "%s",
              value != 0 ? print_number(value * (1 + sign * side->change), number) : "");
    table_add(table, "%s", sprag_verdict_name(side->becomes.kind));
    table_add(table, "%d", side->becomes.solution_count);
    table_add(table, "%d", side->becomes.stable_count);
    table_add(table, "%s", side->becomes.modes[0] ? side->becomes.modes : "-");
}

static void add_line(Table *table, const char *name, double value, const SpragMargin *margin)
{
    add_side(table, name, value, -1, &margin->down);
    add_side(table, name, value, 1, &margin->up);
}

void margins_text(const Margins *margins, SpragText *text)
{
    static const char *const heads[] = {"of", "by", "to", "verdict", "motions", "stable", "modes"};
    Table table;
    if (!margins->found && margins->parameter_count == 0)
        return;
    table_init(&table, text->context, "lrrlrrl");
    table_add_heads(&table, heads);
    int header = table.cell_count;
    add_line(&table, "all friction", margins->friction, &margins->all);
    for (int i = 0; i < margins->contact_count && margins->contact_count > 1; i++)
        add_line(&table, margins->contacts[i].name, margins->contacts[i].value,
                 &margins->contacts[i].margin);
    for (int i = 0; i < margins->parameter_count; i++)
        add_line(&table, margins->parameters[i].name, margins->parameters[i].value,
                 &margins->parameters[i].margin);
    sprag_text_add(text, "\nmargin: the least change at which the verdict changes\n");
    if (table.cell_count > header)
        table_print(&table, text);
    else
        sprag_text_add(text, "  none, from no friction to ten times as much\n");
    table_destroy(&table);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_json_side(Json *json, const char *key, double value, double sign,
                          const SpragMarginSide *side)
{
    if (!isfinite(side->change)) {
        json_null(json, key);
        return;
    }
    json_begin_flat_object(json, key);
    json_number(json, "change", side->change);
    if (value != 0)
        json_number(json, "value", value * (1 + sign * side->change));
    json_text(json, "verdict", sprag_verdict_name(side->becomes.kind));
    json_integer(json, "solutions", side->becomes.solution_count);
    json_integer(json, "stable", side->becomes.stable_count);
    json_bool(json, "held", side->becomes.held);
    json_text(json, "modes", side->becomes.modes);
    json_end_object(json);
}

static void add_json_line(Json *json, const char *key, double value, const SpragMargin *margin)
{
    json_begin_object(json, key);
    if (value != 0)
        json_number(json, "value", value);
    add_json_side(json, "down", value, -1, &margin->down);
    add_json_side(json, "up", value, 1, &margin->up);
    json_end_object(json);
}

void margins_json(const Margins *margins, Json *json)
{
    json_begin_object(json, "margin");
    if (margins->found) {
        json_number(json, "friction", fmin(margins->all.down.change, margins->all.up.change));
        add_json_line(json, "all", margins->friction, &margins->all);
    } else {
        json_null(json, "friction");
        json_null(json, "all");
    }
    json_begin_object(json, "contacts");
    for (int i = 0; i < margins->contact_count; i++)
        add_json_line(json, margins->contacts[i].name, margins->contacts[i].value,
                      &margins->contacts[i].margin);
    json_end_object(json);
    json_begin_object(json, "parameters");
    for (int i = 0; i < margins->parameter_count; i++)
        add_json_line(json, margins->parameters[i].name, margins->parameters[i].value,
                      &margins->parameters[i].margin);
    json_end_object(json);
    json_end_object(json);
}

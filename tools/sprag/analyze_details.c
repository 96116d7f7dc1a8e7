// analyze_details.c: what stands behind a verdict: the layer, the model of each contact, the tests.
#include <math.h>

#include "analyze.h"
#include "print.h"

static const char *name_of(const Situation *situation, int constraint)
{
    return situation->problem->constraints[constraint].name;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_ratios(const Situation *situation, const SpragRatioScan *ratios, Json *json)
{
    json_begin_object(json, "ratios");
    json_integer(json, "tried", ratios->tried);
    json_integer(json, "stable", ratios->stable);
    json_text(json, "result", sprag_ratio_result_text(ratios->result));
    json_bool(json, "proven", ratios->proven);
    if (ratios->witness) {
        json_begin_flat_array(json, "witness");
        for (int i = 0; i < situation->line_count; i++) {
            int constraint = situation->lines[i].constraint;
            json_number(json, NULL, constraint < 0 ? NAN : ratios->witness[constraint]);
        }
        json_end_array(json);
        json_text(json, "witness_stability", sprag_stability_name(ratios->witness_stability));
    } else {
        json_null(json, "witness");
        json_null(json, "witness_stability");
    }
    json_end_object(json);
}

void details_json_layer(const Situation *situation, const SpragSolution *solution, Json *json)
{
    bool tested = solution->layer_source != SPRAG_LAYER_NONE;
    json_text(json, "layer_source",
              tested ? sprag_layer_source_name(solution->layer_source) : NULL);
    if (solution->critical_factor > 0)
        json_number(json, "critical_factor", solution->critical_factor);
    if (solution->ratios.result != SPRAG_RATIOS_NONE)
        add_ratios(situation, &solution->ratios, json);
}

static void add_answer(Json *json, const char *key, SpragAnswer answer)
{
    if (answer == SPRAG_ANSWER_UNKNOWN)
        json_null(json, key);
    else
        json_bool(json, key, answer == SPRAG_ANSWER_YES);
}

static void add_modes(Json *json, const Situation *situation, const SpragMode *modes)
{
    if (!modes) {
        json_null(json, "determinant_modes");
        return;
    }
    json_begin_flat_array(json, "determinant_modes");
    for (int i = 0; i < situation->line_count; i++) {
        int constraint = situation->lines[i].constraint;
        SpragMode mode = constraint < 0 ? SPRAG_MODE_SEPARATE : modes[constraint];
        json_text(json, NULL, sprag_mode_name(mode));
    }
    json_end_array(json);
}

void details_json_tests(const Situation *situation, const Details *details, Json *json)
{
    const SpragSolvability *tests = &details->tests;
    json_begin_object(json, "tests");
    add_answer(json, "p_matrix", tests->p_matrix);
    json_begin_flat_array(json, "p_witness");
    for (int i = 0; i < tests->p_count; i++)
        json_text(json, NULL, name_of(situation, tests->p_witness[i]));
    json_end_array(json);
    json_number(json, "p_minor", tests->p_count > 0 ? tests->p_minor : NAN);
    json_number(json, "determinant", tests->determinant);
    add_modes(json, situation, tests->determinant_modes);
    add_answer(json, "coherent", tests->coherent);
    json_bool(json, "sufficient", tests->sufficient);
    json_text(json, "omitted", tests->omitted);
    json_end_object(json);
}

// ---- For people ---------------------------------------------------------------------------------

void details_text_motion(const Situation *situation, const SpragSolution *solution, SpragText *text)
{
    const SpragRatioScan *ratios = &solution->ratios;
    if (solution->critical_factor > 0)
        sprag_text_add(text, "  damping: at %.4g times the given one it %s\n",
                       solution->critical_factor, solution->stable ? "flutters" : "is stable");
    if (ratios->result == SPRAG_RATIOS_NONE)
        return;
    sprag_text_add(text, "  stiffness ratios: %s", sprag_ratio_result_text(ratios->result));
    if (ratios->proven)
        sprag_text_add(text, ", and for any other");
    sprag_text_add(text, " (stable at %d of %d)", ratios->stable, ratios->tried);
    if (ratios->witness) {
        sprag_text_add(text, "; %s with",
                       ratios->witness_stability == SPRAG_STABLE      ? "stable"
                       : ratios->witness_stability == SPRAG_DIVERGENT ? "it diverges"
                                                                      : "it flutters");
        for (int c = 0; c < situation->problem->constraint_count; c++)
            if (!isnan(ratios->witness[c]))
                sprag_text_add(text, " %s × %.4g", name_of(situation, c), ratios->witness[c]);
    }
    sprag_text_add(text, "\n");
}

static void add_layer(const SpragVerdict *verdict, const Details *details, SpragText *text)
{
    const SpragAnalysisSettings *settings = details->settings;
    bool given = false, assumed = false, indeterminate = false;
    for (int i = 0; i < verdict->solution_count; i++) {
        const SpragSolution *solution = &verdict->solutions[i];
        bool some = solution->layer_source == SPRAG_LAYER_SCENE ||
                    solution->layer_source == SPRAG_LAYER_MIXED;
        given |= some;
        assumed |= solution->layer_source == SPRAG_LAYER_DEFAULT ||
                   solution->layer_source == SPRAG_LAYER_MIXED;
        indeterminate |= some && solution->motion->force_dimension > 0;
    }
    if (!given && !assumed)
        return;
    sprag_text_add(text, "\nlayer: ");
    if (given)
        sprag_text_add(text, "stiffness and damping as given%s%s",
                       indeterminate ? ", force laws at the representative forces" : "",
                       assumed ? "; where nothing gives them: " : "\n");
    else
        sprag_text_add(text, "no stiffness given: ");
    if (assumed)
        sprag_text_add(text, "Kelvin-Voigt with ε = %.3g, ζ = %.3g assumed\n", settings->epsilon,
                       settings->damping_ratio);
}

static void add_models(const Situation *situation, const SpragVerdict *verdict, SpragText *text)
{
    static const char *const heads[] = {"contact", "model", "rule"};
    Table table;
    table_init(&table, situation->context, "lll");
    table_add_heads(&table, heads);
    for (int i = 0; i < situation->line_count; i++) {
        if (situation->lines[i].constraint < 0)
            continue;
        SpragRuleKind rule = situation_rule(&situation->lines[i], verdict->rules);
        table_add(&table, "%s", situation->lines[i].name);
        table_add(&table, "%s", sprag_rule_is_compliant(rule) ? "compliant" : "rigid");
        table_add(&table, "%s", sprag_rule_text(rule));
    }
    sprag_text_add(text, "\nmodel of each contact\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_p_matrix(const Situation *situation, const SpragSolvability *tests, SpragText *text)
{
    static const char *const words[] = {"no", "yes: one motion for every load",
                                        "not decided: too many contacts"};
    sprag_text_add(text, "  P-matrix     %s", words[tests->p_matrix]);
    for (int i = 0; i < tests->p_count; i++)
        sprag_text_add(text, "%s%s", i > 0 ? ", " : ": the minor of ",
                       name_of(situation, tests->p_witness[i]));
    if (tests->p_count > 0)
        sprag_text_add(text, " is %.4g", tests->p_minor);
    sprag_text_add(text, "\n");
}

static const char *coherent_words(const SpragSolvability *tests)
{
    switch (tests->coherent) {
    case SPRAG_ANSWER_NO:
        return "some loads have no motion, or several";
    case SPRAG_ANSWER_YES:
        return tests->sufficient ? "one motion for every load"
                                 : "all are positive, which one motion for every load needs";
    default:
        return tests->determinant_modes ? "rows depend on each other, the signs prove nothing"
                                        : "this alone proves nothing";
    }
}

static void add_tests(const Situation *situation, const SpragSolvability *tests, SpragText *text)
{
    sprag_text_add(text, "\ntests of the matrix, whatever the load\n");
    if (tests->p_asked)
        add_p_matrix(situation, tests, text);
    if (tests->omitted) {
        sprag_text_add(text, "  determinants not computed: %s\n", tests->omitted);
        return;
    }
    sprag_text_add(text, "  determinants least %.4g", tests->determinant);
    for (int c = 0; tests->determinant_modes && c < situation->problem->constraint_count; c++)
        sprag_text_add(text, "%s%s %s", c > 0 ? ", " : " with ", name_of(situation, c),
                       sprag_mode_name(tests->determinant_modes[c]));
    sprag_text_add(text, ": %s\n", coherent_words(tests));
}

void details_text(const Situation *situation, const SpragVerdict *verdict, const Details *details,
                  const Arguments *arguments, SpragText *text)
{
    const SpragSolvability *tests = &details->tests;
    bool failed = tests->coherent == SPRAG_ANSWER_NO || tests->p_matrix == SPRAG_ANSWER_NO;
    if (situation->problem->constraint_count == 0)
        return;
    add_layer(verdict, details, text);
    if (verdict->rules && (verdict->recommended_compliant || arguments->verbose))
        add_models(situation, verdict, text);
    if (failed || arguments->verbose)
        add_tests(situation, tests, text);
}

// check_layers.c: what was understood of layers and friction laws, contact by contact.
#include <math.h>

#include "check.h"
#include "print.h"

static const char *const MODELS[] = {"auto", "rigid", "compliant"};

static bool is_told(const SpragContactPair *pair)
{
    return pair->compliance.law != SPRAG_COMPLIANCE_RIGID || pair->model != SPRAG_PAIR_AUTO ||
           pair->friction_law.kind != SPRAG_FRICTION_COULOMB;
}

// Slots of the list of contacts; calls `add` for each that has something to tell.
static void visit(const Situation *situation,
                  void (*add)(const char *name, const SpragContactPair *pair, void *user),
                  void *user)
{
    int slot = 0;
    for (int i = 0; i < situation->line_count; i++) {
        SpragContactPair pair;
        // lines have the order of the slots, and are named by them
        while (sprag_system_contact_name(situation->system, slot) != situation->lines[i].name)
            slot++;
        sprag_system_pair(situation->system, slot++, &pair);
        if (is_told(&pair))
            add(situation->lines[i].name, &pair, user);
    }
}

static const char *layer_name(const SpragCompliance *layer)
{
    static const char *const by_source[] = {"hunt-crossley", "hunt-crossley", "lankarani-nikravesh",
                                            "flores"};
    switch (layer->law) {
    case SPRAG_COMPLIANCE_RIGID:
        return "none";
    case SPRAG_COMPLIANCE_KELVIN_VOIGT:
        return "kelvin-voigt";
    default:
        return by_source[layer->damping_source];
    }
}

static void add_row(const char *name, const SpragContactPair *pair, void *user)
{
    Table *table = user;
    const SpragCompliance *layer = &pair->compliance;
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    table_add(table, "%s", name);
    table_add(table, "%s", MODELS[pair->model]);
    table_add(table, "%s", layer_name(layer));
    if (layer->law == SPRAG_COMPLIANCE_RIGID) {
        table_add(table, "–");
        table_add(table, "–");
    } else {
        table_add_number(table, layer->stiffness);
        if (sprag_compliance_is_damped(layer))
            table_add_number(table, linear ? layer->damping : layer->alpha);
        else
            table_add(table, "not given");
    }
    table_add(table, "%s", sprag_friction_law_name(pair->friction_law.kind));
}

static void count_row(const char *name, const SpragContactPair *pair, void *user)
{
    (void)name;
    (void)pair;
    ++*(int *)user;
}

void check_layers_text(const Situation *situation, SpragText *text)
{
    static const char *const heads[] = {"contact",          "model",       "layer", "stiffness",
                                        "damping or alpha", "friction law"};
    int count = 0;
    Table table;
    if (!situation->system)
        return;
    visit(situation, count_row, &count);
    if (count == 0)
        return;
    table_init(&table, situation->context, "lllrrl");
    table_add_heads(&table, heads);
    visit(situation, add_row, &table);
    sprag_text_add(text, "\nlayers and friction laws\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_object(const char *name, const SpragContactPair *pair, void *user)
{
    Json *json = user;
    const SpragCompliance *layer = &pair->compliance;
    const SpragFrictionLaw *law = &pair->friction_law;
    bool given = layer->law != SPRAG_COMPLIANCE_RIGID;
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    bool damped = given && sprag_compliance_is_damped(layer);
    bool sheared = given && layer->tangential_stiffness > 0;
    bool tangential = given && (layer->tangential_damping > 0 || layer->tangential_damping_given);
    json_begin_flat_object(json, NULL);
    json_text(json, "contact", name);
    json_text(json, "model", MODELS[pair->model]);
    json_text(json, "layer", given ? layer_name(layer) : NULL);
    json_number(json, "stiffness", given ? layer->stiffness : NAN);
    json_number(json, "exponent", !given ? NAN : linear ? 1 : layer->exponent);
    json_number(json, "damping", damped && linear ? layer->damping : NAN);
    json_number(json, "alpha", damped && !linear ? layer->alpha : NAN);
    json_number(json, "tangential_stiffness", sheared ? layer->tangential_stiffness : NAN);
    json_number(json, "tangential_damping", tangential ? layer->tangential_damping : NAN);
    json_text(json, "friction_law", sprag_friction_law_name(law->kind));
    json_end_object(json);
}

void check_layers_json(const Situation *situation, Json *json)
{
    json_begin_array(json, "layers");
    if (situation->system)
        visit(situation, add_object, json);
    json_end_array(json);
}

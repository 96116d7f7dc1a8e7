// analyze_layers_print.c: what the numbers of layers and friction laws mean, for people and as
// JSON.
#include <math.h>

#include "analyze_layers.h"

// ---- For people ---------------------------------------------------------------------------------

static const char *law_name(const LayerLine *line)
{
    static const char *const by_source[] = {"hunt-crossley", "hunt-crossley", "lankarani-nikravesh",
                                            "flores"};
    return line->layer.law == SPRAG_COMPLIANCE_KELVIN_VOIGT ? "kelvin-voigt"
                                                            : by_source[line->given.damping_source];
}

static const char *speed_words(SpeedSource source)
{
    static const char *const words[] = {"as it approaches", "of its restitution", "√(g × size)/10",
                                        "no gravity"};
    return words[source];
}

static void add_layer(const LayerLine *line, SpragText *text)
{
    const SpragLayer *layer = &line->layer;
    const SpragLayerImpact *impact = &line->impact;
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    bool nominal = line->given.damping_source == SPRAG_DAMPING_LANKARANI ||
                   line->given.damping_source == SPRAG_DAMPING_FLORES;
    sprag_text_add(text, "  %s: %s", line->name, law_name(line));
    if (line->given.law == SPRAG_COMPLIANCE_RIGID)
        sprag_text_add(text, " (default)");
    if (linear)
        sprag_text_add(text, ", K = %.5g N/m, C = %.5g N s/m", layer->stiffness, layer->damping);
    else
        sprag_text_add(text, ", K = %.5g N/m^%.4g, α = %.5g s/m", layer->stiffness, layer->exponent,
                       layer->alpha);
    sprag_text_add(text, "; tangential K = %.5g N/m, C = %.5g N s/m\n", layer->tangential_stiffness,
                   layer->tangential_damping);
    sprag_text_add(text,
                   "    pressed with %.5g N%s: depth %.5g m, period %.4g s, damping ratio %.4g\n",
                   line->force, line->pressed ? "" : " (its weight)", line->depth, line->period,
                   line->damping_ratio);
    sprag_text_add(text, "    impact of %.5g kg at %.5g m/s (%s): restitution %.4g", line->mass,
                   line->speed, speed_words(line->speed_source), impact->restitution);
    if (nominal)
        sprag_text_add(text, " (nominal %.4g at %.5g m/s)", line->given.restitution,
                       line->given.speed);
    else if (linear && impact->restitution_at_zero != impact->restitution)
        sprag_text_add(text, " (%.4g if it could pull until the depth is 0)",
                       impact->restitution_at_zero);
    sprag_text_add(text, ", contact time %.4g s, depth %.4g m, force %.4g N\n",
                   impact->contact_time, impact->depth, impact->force);
}

static void add_law_numbers(const SpragFrictionLaw *law, SpragText *text)
{
    if (law->speed > 0)
        sprag_text_add(text, ", speed %.5g m/s", law->speed);
    if (law->stiffness > 0)
        sprag_text_add(text, ", σ0 = %.5g 1/m", law->stiffness);
    if (law->kind == SPRAG_FRICTION_LUGRE)
        sprag_text_add(text, ", σ1 = %.5g s/m", law->damping);
    if (law->viscous > 0)
        sprag_text_add(text, ", σ2 = %.5g s/m", law->viscous);
    if (law->kind == SPRAG_FRICTION_DAHL && law->exponent != 1)
        sprag_text_add(text, ", exponent %.5g", law->exponent);
}

static void add_law(const LayerLine *line, SpragText *text)
{
    const SpragFrictionLaw *law = &line->law;
    sprag_text_add(text, "  %s: %s", line->name, sprag_friction_law_name(law->kind));
    add_law_numbers(law, text);
    if (layers_law_is_function(law))
        sprag_text_add(text, "; friction at this slip is %.5g of the normal force", line->ratio);
    else if (sprag_friction_law_has_state(law))
        sprag_text_add(text, "; bristles bend %.4g m before it slides; here as Coulomb's",
                       line->mu / law->stiffness);
    else
        sprag_text_add(text, "; slower is rest");
    if (isnan(line->creep)) {
        sprag_text_add(text, "\n");
        return;
    }
    sprag_text_add(text, "\n    Coulomb's law would hold it with %.5g of the normal force",
                   line->hold);
    if (isfinite(line->creep))
        sprag_text_add(text, "; this one carries that by creeping at %.5g m/s\n", line->creep);
    else
        sprag_text_add(text, "; this one cannot carry that\n");
}

void layers_text(const Layers *layers, SpragText *text)
{
    bool begun = false;
    for (int i = 0; i < layers->count; i++) {
        if (!(layers->lines[i].layer.stiffness > 0))
            continue;
        sprag_text_add(text, begun ? "" : "\nwhat the layers mean\n");
        begun = true;
        add_layer(&layers->lines[i], text);
    }
    begun = false;
    for (int i = 0; i < layers->count; i++) {
        if (layers->lines[i].law.kind == SPRAG_FRICTION_COULOMB)
            continue;
        sprag_text_add(text, begun ? "" : "\nfriction laws\n");
        begun = true;
        add_law(&layers->lines[i], text);
    }
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_layer(const LayerLine *line, Json *json)
{
    static const char *const sources[] = {"approach", "restitution", "scale", "unit"};
    const SpragLayer *layer = &line->layer;
    const SpragLayerImpact *impact = &line->impact;
    bool nominal = line->given.damping_source != SPRAG_DAMPING_VALUE;
    json_begin_object(json, NULL);
    json_text(json, "contact", line->name);
    json_text(json, "law", law_name(line));
    json_text(json, "source", line->given.law == SPRAG_COMPLIANCE_RIGID ? "default" : "scene");
    json_number(json, "stiffness", layer->stiffness);
    json_number(json, "exponent", layer->exponent);
    json_number(json, "damping", layer->damping);
    json_number(json, "alpha", layer->alpha);
    json_number(json, "tangential_stiffness", layer->tangential_stiffness);
    json_number(json, "tangential_damping", layer->tangential_damping);
    json_number(json, "mass", line->mass);
    json_number(json, "force", line->force);
    json_bool(json, "pressed", line->pressed);
    json_number(json, "depth", line->depth);
    json_number(json, "period", line->period);
    json_number(json, "damping_ratio", line->damping_ratio);
    json_begin_object(json, "impact");
    json_number(json, "speed", line->speed);
    json_text(json, "speed_source", sources[line->speed_source]);
    json_number(json, "restitution", impact->restitution);
    json_number(json, "restitution_at_zero_depth", impact->restitution_at_zero);
    json_number(json, "nominal_restitution", nominal ? line->given.restitution : NAN);
    json_number(json, "nominal_speed", nominal && line->given.speed > 0 ? line->given.speed : NAN);
    json_number(json, "contact_time", impact->contact_time);
    json_number(json, "depth", impact->depth);
    json_number(json, "force", impact->force);
    json_end_object(json);
    json_end_object(json);
}

static void json_law(const LayerLine *line, Json *json)
{
    const SpragFrictionLaw *law = &line->law;
    json_begin_flat_object(json, NULL);
    json_text(json, "contact", line->name);
    json_text(json, "law", sprag_friction_law_name(law->kind));
    json_number(json, "speed", law->speed > 0 ? law->speed : NAN);
    json_number(json, "stiffness", law->stiffness > 0 ? law->stiffness : NAN);
    json_number(json, "damping", law->kind == SPRAG_FRICTION_LUGRE ? law->damping : NAN);
    json_number(json, "viscous", sprag_friction_law_has_state(law) ? law->viscous : NAN);
    json_number(json, "exponent", law->kind == SPRAG_FRICTION_DAHL ? law->exponent : NAN);
    json_number(json, "friction", line->ratio);
    json_number(json, "hold", line->hold);
    json_number(json, "creep", line->creep);
    json_end_object(json);
}

void layers_json(const Layers *layers, Json *json)
{
    json_begin_array(json, "layers");
    for (int i = 0; i < layers->count; i++)
        if (layers->lines[i].layer.stiffness > 0)
            json_layer(&layers->lines[i], json);
    json_end_array(json);
    json_begin_array(json, "friction_laws");
    for (int i = 0; i < layers->count; i++)
        if (layers->lines[i].law.kind != SPRAG_FRICTION_COULOMB)
            json_law(&layers->lines[i], json);
    json_end_array(json);
}

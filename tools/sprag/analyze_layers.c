// analyze_layers.c: what the numbers of layers and friction laws mean.
// Layer     depth at rest, period and damping ratio at the present force (theory.md (6.4)), and the
//           isolated impact of the mass 1/a_nn at the speed of approach; where nothing approaches,
//           at the speed that the layer's restitution belongs to, else at √(g × size)/10
// Friction  a law that is a function of the slip holds nothing: what Coulomb's law would hold
// creeps
//           (theory.md (7.3)). The force needed is that of the same problem with Coulomb's law.
#include "analyze_layers.h"

#include <math.h>

#include "analyze.h"
#include "print.h"

#define TWO_PI 6.28318530717958647693
#define SPEED_PART 0.1  // of √(g L)
#define GRAVITY 9.81    // m/s², where the scene has none
#define SAME_PLANE 1e-6 // rad

// ---- Layers -------------------------------------------------------------------------------------

// Coordinates of one contact: slot, its pair, and W of its rows.
typedef struct Slot {
    int slot;
    SpragContactPair pair;
    double W[9];
} Slot;

static double gravity_of(const Situation *situation)
{
    return hypot(situation->model->gravity[0], situation->model->gravity[1]);
}

// Kelvin–Voigt of theory.md (6.9), for this contact alone.
static SpragCompliance default_layer(const Slot *slot, const SpragAnalysisSettings *settings)
{
    double T = settings->time_scale > 0 ? settings->time_scale : 1;
    return (SpragCompliance){.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                             .stiffness = 1 / (slot->W[0] * settings->epsilon * T * T)};
}

static double impact_speed(const Situation *situation, const Slot *slot, SpeedSource *source)
{
    const SpragContactKinematics *kinematics = &situation->kinematics[slot->slot];
    double gravity = gravity_of(situation);
    if (kinematics->gap_rate < -situation->tolerances.rate) {
        *source = SPEED_APPROACH;
        return -kinematics->gap_rate;
    }
    if (slot->pair.compliance.speed > 0) {
        *source = SPEED_LAYER;
        return slot->pair.compliance.speed;
    }
    *source = gravity > 0 ? SPEED_SCALE : SPEED_UNIT;
    return gravity > 0 ? SPEED_PART * sqrt(gravity * sprag_model_size(situation->model)) : 1;
}

static void describe_layer(const Situation *situation, const SpragVerdict *verdict,
                           const Slot *slot, const SpragAnalysisSettings *settings, LayerLine *line)
{
    const SpragCompliance given = slot->pair.compliance.law == SPRAG_COMPLIANCE_RIGID
                                      ? default_layer(slot, settings)
                                      : slot->pair.compliance;
    double gravity = gravity_of(situation), stiffness, damping;
    line->given = slot->pair.compliance;
    line->mass = 1 / slot->W[0];
    line->force = line->mass * (gravity > 0 ? gravity : GRAVITY);
    // the motion that rigid bodies take, or the only one, stable or not
    int motion = verdict->solution_count == 1 ? 0 : verdict->chosen;
    for (int c = 0; motion >= 0 && c < situation->problem->constraint_count; c++) {
        const SpragConstraint *item = &situation->problem->constraints[c];
        double force = verdict->solutions[motion].motion->force[item->row];
        if (item->id == slot->slot && force > 0) {
            line->force = force;
            line->pressed = true;
        }
    }
    if (!sprag_layer_complete(&given, line->mass, line->force, &line->layer)) {
        line->layer = (SpragLayer){0};
        return;
    }
    line->depth = sprag_layer_depth(&line->layer, line->force);
    (void)sprag_layer_normal(&line->layer, line->depth, 0, NULL, &stiffness, &damping);
    line->period = TWO_PI * sqrt(line->mass / stiffness);
    line->damping_ratio = damping / (2 * sqrt(stiffness * line->mass));
    line->speed = impact_speed(situation, slot, &line->speed_source);
    sprag_layer_impact(&line->layer, line->mass, line->speed, &line->impact);
}

// ---- Friction laws ------------------------------------------------------------------------------

static bool is_function_of_slip(const SpragFrictionLaw *law)
{
    return sprag_friction_law_is_smooth(law) && !sprag_friction_law_has_state(law);
}

static SpragFrictionNumbers numbers_of(const Situation *situation, int slot)
{
    const SpragSlot *shown = sprag_collider_slot(sprag_system_collider(situation->system), slot);
    return (SpragFrictionNumbers){shown->friction_static, shown->friction_kinetic, shown->stribeck};
}

static void describe_law(const Situation *situation, const Slot *slot, LayerLine *line)
{
    const SpragFrictionNumbers numbers = numbers_of(situation, slot->slot);
    const double *slip = situation->kinematics[slot->slot].slip;
    line->law = slot->pair.friction_law;
    line->mu = sprag_friction_law_holds(&line->law, &numbers);
    line->ratio = sprag_friction_law_steady(&line->law, &numbers, hypot(slip[0], slip[1]));
    line->hold = line->creep = NAN;
}

// The problem of now, with every law that is a function of the slip replaced by Coulomb's, at rest.
static SpragStatus build_held(const Situation *situation, SpragContactProblem *problem)
{
    SPRAG_TRY(sprag_system_build_problem(situation->system, situation->t, situation->q,
                                         situation->v, &situation->tolerances, problem));
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragConstraint *item = &problem->constraints[c];
        SpragContactPair pair;
        sprag_system_pair(situation->system, item->id, &pair);
        if (!is_function_of_slip(&pair.friction_law))
            continue;
        const SpragFrictionNumbers numbers = numbers_of(situation, item->id);
        item->sliding = false;
        item->slip[0] = item->slip[1] = 0;
        item->friction = sprag_friction_law_holds(&pair.friction_law, &numbers);
    }
    return SPRAG_OK;
}

// Whether two contacts slip as one: same bodies, same plane.
static bool slip_together(const Situation *situation, int first, int second)
{
    const SpragCollider *collider = sprag_system_collider(situation->system);
    const SpragSlot *a = sprag_collider_slot(collider, first);
    const SpragSlot *b = sprag_collider_slot(collider, second);
    SpragVec2 n = situation->kinematics[first].normal, m = situation->kinematics[second].normal;
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] &&
           fabs(sprag_vec2_cross(n, m)) < SAME_PLANE && sprag_vec2_dot(n, m) > 0;
}

// Force ratio and creep of a contact that sticks in the chosen motion of that problem. Several that
// slip as one carry their force together, whatever the part of each that rigid bodies leave open.
static void set_creep(const Situation *situation, const SpragContactProblem *problem,
                      const SpragVerdict *verdict, LayerLine *line)
{
    const SpragMotion *motion = verdict->solutions[verdict->chosen].motion;
    double normal = 0, tangential = 0;
    int at = 0;
    while (at < problem->constraint_count && problem->constraints[at].id != line->slot)
        at++;
    if (at == problem->constraint_count || motion->modes[at] != SPRAG_MODE_STICK)
        return;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (!slip_together(situation, line->slot, item->id))
            continue;
        normal += motion->force[item->row];
        tangential += motion->force[item->row + 1];
    }
    if (!(normal > 0))
        return;
    const SpragFrictionNumbers numbers = numbers_of(situation, line->slot);
    line->hold = fabs(tangential) / normal;
    line->creep = sprag_friction_law_creep(&line->law, &numbers, line->hold);
}

static SpragStatus find_creep(const Situation *situation, const SpragAnalysisSettings *settings,
                              Layers *layers)
{
    SpragContactProblem problem;
    SpragAnalysis *analysis = NULL;
    SpragAnalysisSettings plain = *settings;
    SpragVerdict verdict;
    plain.details = false;
    sprag_contact_problem_init(&problem, situation->context);
    SpragStatus status = build_held(situation, &problem);
    if (status == SPRAG_OK)
        status = sprag_analysis_create(situation->context, &analysis);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, &problem, &plain, &verdict);
    for (int i = 0; status == SPRAG_OK && verdict.chosen >= 0 && i < layers->count; i++)
        if (is_function_of_slip(&layers->lines[i].law))
            set_creep(situation, &problem, &verdict, &layers->lines[i]);
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    return status;
}

// ---- All of them --------------------------------------------------------------------------------

// Whether there is something to say of a contact.
static bool is_told(const Situation *situation, const SpragContactPair *pair)
{
    bool compliant = situation->model->simulate.motion == SPRAG_MOTION_COMPLIANT &&
                     pair->model != SPRAG_PAIR_RIGID;
    return pair->compliance.law != SPRAG_COMPLIANCE_RIGID || compliant ||
           pair->model == SPRAG_PAIR_COMPLIANT || pair->friction_law.kind != SPRAG_FRICTION_COULOMB;
}

static SpragStatus describe(const Situation *situation, const SpragVerdict *verdict,
                            const SpragAnalysisSettings *settings, Slot *slot, LayerLine *line)
{
    const SpragSystemSample sample = {.W = slot->W};
    const SpragContactPair *pair = &slot->pair;
    SPRAG_TRY(sprag_system_sample(situation->system, situation->t, situation->q, situation->v, 1,
                                  &slot->slot, &sample));
    line->name = sprag_system_contact_name(situation->system, slot->slot);
    line->slot = slot->slot;
    bool only_law = pair->compliance.law == SPRAG_COMPLIANCE_RIGID &&
                    pair->model != SPRAG_PAIR_COMPLIANT &&
                    situation->model->simulate.motion != SPRAG_MOTION_COMPLIANT;
    if (!only_law && slot->W[0] > 0)
        describe_layer(situation, verdict, slot, settings, line);
    describe_law(situation, slot, line);
    return SPRAG_OK;
}

// The closed contacts, or the open ones.
static SpragStatus list(const Situation *situation, const SpragVerdict *verdict,
                        const SpragAnalysisSettings *settings, bool open, Layers *layers)
{
    for (int i = 0; i < sprag_system_contact_count(situation->system); i++) {
        const SpragContactKinematics *kinematics = &situation->kinematics[i];
        Slot slot = {.slot = i};
        if ((kinematics->state == SPRAG_CONTACT_OPEN) != open || !isfinite(kinematics->gap))
            continue;
        sprag_system_pair(situation->system, i, &slot.pair);
        if (is_told(situation, &slot.pair))
            SPRAG_TRY(
                describe(situation, verdict, settings, &slot, &layers->lines[layers->count++]));
    }
    return SPRAG_OK;
}

SpragStatus layers_find(const Situation *situation, const SpragVerdict *verdict,
                        const SpragAnalysisSettings *settings, Layers *layers)
{
    *layers = (Layers){0};
    if (!situation->system || situation->problem->dimension != 2)
        return SPRAG_OK;
    size_t count = (size_t)sprag_system_contact_count(situation->system);
    layers->lines = sprag_alloc(situation->context, count + 1, sizeof *layers->lines);
    if (!layers->lines)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(list(situation, verdict, settings, false, layers));
    if (layers->count == 0)
        SPRAG_TRY(list(situation, verdict, settings, true, layers));
    bool smooth = false;
    for (int i = 0; i < layers->count; i++)
        smooth = smooth || is_function_of_slip(&layers->lines[i].law);
    return smooth ? find_creep(situation, settings, layers) : SPRAG_OK;
}

void layers_destroy(SpragContext *context, Layers *layers)
{
    sprag_free(context, layers->lines);
    *layers = (Layers){0};
}

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
    if (is_function_of_slip(law))
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

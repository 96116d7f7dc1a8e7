// scene_layers.c: compliant layers and friction laws of contact rules and materials.
#include <math.h>
#include <string.h>

#include "scene_private.h"

// Numbers of friction laws that a bare name stands for: the speeds are slow for a body of any size
// that one sees move; the bristles are those of [CanudasDeWit1995, Table 1] per newton.
#define DEFAULT_SPEED 1e-3
#define DEFAULT_BRISTLE 1e5

// ---- Friction laws ------------------------------------------------------------------------------

typedef struct LawWord {
    const char *name;
    SpragFrictionLawKind kind;
    const char *keys[7]; // ends with NULL
} LawWord;

static const LawWord LAWS[] = {
    {"coulomb", SPRAG_FRICTION_COULOMB, {"law"}},
    {"tanh", SPRAG_FRICTION_TANH, {"law", "speed"}},
    {"oden-pires", SPRAG_FRICTION_REGULARIZED, {"law", "speed"}},
    {"karnopp", SPRAG_FRICTION_KARNOPP, {"law", "speed"}},
    {"dahl", SPRAG_FRICTION_DAHL, {"law", "stiffness", "exponent", "viscous"}},
    {"lugre", SPRAG_FRICTION_LUGRE, {"law", "stiffness", "damping", "viscous"}},
};
enum { LAW_COUNT = sizeof LAWS / sizeof *LAWS };

static SpragStatus find_friction_law(Reader *reader, const Node *node, const LawWord **law)
{
    const char *names[LAW_COUNT];
    const Node *word = node;
    int index;
    for (int i = 0; i < LAW_COUNT; i++)
        names[i] = LAWS[i].name;
    if (node->kind == NODE_MAPPING) {
        word = node_get(node, "law");
        if (!word)
            return fail_at(reader, node, "friction-law needs a law, e.g. {law: tanh, speed: 1e-3}");
    }
    SPRAG_TRY(read_word(reader, word, "friction-law", names, LAW_COUNT, &index));
    *law = &LAWS[index];
    if (node->kind != NODE_MAPPING)
        return SPRAG_OK;
    if (node_get(node, "stribeck"))
        return fail_at(reader, node_key(node, "stribeck"),
                       "stribeck belongs to friction: {static: …, kinetic: …, stribeck: …}");
    return check_keys(reader, node, LAWS[index].name, LAWS[index].keys);
}

static SpragStatus read_bristles(Reader *reader, const Node *node, SpragFrictionLaw *law)
{
    const Dimension per_length = {-1, 0, 0, 0};
    bool mapping = node->kind == NODE_MAPPING, dahl = law->kind == SPRAG_FRICTION_DAHL;
    const Node *stiffness = mapping ? node_get(node, "stiffness") : NULL;
    law->stiffness = DEFAULT_BRISTLE;
    law->exponent = dahl ? 1 : 0;
    if (stiffness)
        SPRAG_TRY(read_quantity(reader, stiffness, "stiffness", per_length, RANGE_POSITIVE,
                                &law->stiffness));
    else
        SPRAG_TRY(
            note(reader, "friction-law in line %d: stiffness %g 1/m", node->line, law->stiffness));
    // the damping of the source: √σ0, in its units
    if (!dahl)
        law->damping = sqrt(law->stiffness);
    if (!mapping)
        return SPRAG_OK;
    SPRAG_TRY(
        read_optional(reader, node, "damping", KIND_ALPHA, RANGE_NOT_NEGATIVE, &law->damping));
    SPRAG_TRY(
        read_optional(reader, node, "viscous", KIND_ALPHA, RANGE_NOT_NEGATIVE, &law->viscous));
    SPRAG_TRY(read_optional(reader, node, "exponent", KIND_NUMBER, RANGE_POSITIVE, &law->exponent));
    if (dahl && (law->exponent < 1 || law->exponent > 10))
        return fail_at(reader, node_get(node, "exponent"), "exponent must be in 1 … 10, got %g",
                       law->exponent);
    return SPRAG_OK;
}

SpragStatus read_friction_law(Reader *reader, const Node *node, SpragFrictionLaw *law)
{
    const LawWord *word;
    memset(law, 0, sizeof *law);
    SPRAG_TRY(find_friction_law(reader, node, &word));
    law->kind = word->kind;
    if (law->kind == SPRAG_FRICTION_COULOMB)
        return SPRAG_OK;
    if (sprag_friction_law_has_state(law))
        return read_bristles(reader, node, law);
    const Node *speed = node->kind == NODE_MAPPING ? node_get(node, "speed") : NULL;
    law->speed = DEFAULT_SPEED;
    if (speed)
        return read_number(reader, speed, "speed", KIND_VELOCITY, RANGE_POSITIVE, &law->speed);
    return note(reader, "friction-law in line %d: speed %g m/s", node->line, law->speed);
}

SpragStatus note_friction_law(Reader *reader, const Node *node, const SpragRule *rule)
{
    const SpragFriction *friction = &rule->friction;
    bool dahl = rule->friction_law.kind == SPRAG_FRICTION_DAHL;
    if (!friction->given || friction->stationary == friction->kinetic ||
        !sprag_friction_law_is_smooth(&rule->friction_law) || (friction->stribeck > 0 && !dahl))
        return SPRAG_OK;
    return note(reader,
                dahl ? "contact rule in line %d: dahl has one coefficient, the kinetic one"
                     : "contact rule in line %d: %s has no jump from static to kinetic friction: "
                       "without a stribeck speed only the kinetic one counts",
                node->line, sprag_friction_law_name(rule->friction_law.kind));
}

// ---- Layers -------------------------------------------------------------------------------------

// What a law's name stands for.
typedef struct LayerWord {
    const char *name;
    SpragComplianceLaw law;
    SpragDampingSource source; // of the damping, where a restitution is given
} LayerWord;

static const LayerWord LAYERS[] = {
    {"rigid", SPRAG_COMPLIANCE_RIGID, SPRAG_DAMPING_VALUE},
    {"default", SPRAG_COMPLIANCE_RIGID, SPRAG_DAMPING_VALUE},
    {"kelvin-voigt", SPRAG_COMPLIANCE_KELVIN_VOIGT, SPRAG_DAMPING_RESTITUTION},
    {"hunt-crossley", SPRAG_COMPLIANCE_HUNT_CROSSLEY, SPRAG_DAMPING_RESTITUTION},
    {"lankarani-nikravesh", SPRAG_COMPLIANCE_HUNT_CROSSLEY, SPRAG_DAMPING_LANKARANI},
    {"flores", SPRAG_COMPLIANCE_HUNT_CROSSLEY, SPRAG_DAMPING_FLORES},
    {"hertz", SPRAG_COMPLIANCE_HERTZ, SPRAG_DAMPING_RESTITUTION},
    {"patch", SPRAG_COMPLIANCE_RIGID, SPRAG_DAMPING_VALUE},
};
enum { LAYER_COUNT = sizeof LAYERS / sizeof *LAYERS, PATCH = LAYER_COUNT - 1, KELVIN_VOIGT = 2 };

// The law's name; absent: Kelvin–Voigt, the law that a bare stiffness means.
static SpragStatus find_layer(Reader *reader, const Node *node, const LayerWord **word)
{
    const char *names[LAYER_COUNT];
    const Node *name = node->kind == NODE_MAPPING ? node_get(node, "law") : node;
    int index;
    for (int i = 0; i < LAYER_COUNT; i++)
        names[i] = LAYERS[i].name;
    *word = &LAYERS[KELVIN_VOIGT];
    if (!name)
        return note(reader, "compliance in line %d: no law given, kelvin-voigt", node->line);
    SPRAG_TRY(read_word(reader, name, "compliance law", names, LAYER_COUNT, &index));
    if (index == PATCH)
        return fail_at(reader, name, "compliance law %s is not supported in this version",
                       names[index]);
    *word = &LAYERS[index];
    return SPRAG_OK;
}

static SpragStatus read_tangential(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    SPRAG_TRY(check_keys(reader, node, "tangential", keys));
    layer->tangential_damping_given = node_get(node, "damping") != NULL;
    SPRAG_TRY(read_optional(reader, node, "stiffness", KIND_STIFFNESS, RANGE_POSITIVE,
                            &layer->tangential_stiffness));
    return read_optional(reader, node, "damping", KIND_DAMPING, RANGE_NOT_NEGATIVE,
                         &layer->tangential_damping);
}

// epsilon and length of theory.md 5.4, instead of stiffness and damping.
static SpragStatus read_epsilon(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const others[] = {"stiffness", "damping", "alpha", "restitution", "speed"};
    const Node *epsilon = node_get(node, "epsilon"), *length = node_get(node, "length");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (node_get(node, others[i]))
            return fail_at(reader, node_key(node, others[i]),
                           "%s or epsilon: epsilon and length stand instead of it", others[i]);
    if (!epsilon || !length)
        return fail_at(reader, node, "epsilon and length go together");
    SPRAG_TRY(
        read_number(reader, epsilon, "epsilon", KIND_NUMBER, RANGE_POSITIVE, &layer->epsilon));
    if (layer->epsilon >= 1)
        return fail_at(reader, epsilon, "epsilon must be less than 1, got %g", layer->epsilon);
    return read_number(reader, length, "length", KIND_LENGTH, RANGE_POSITIVE, &layer->length);
}

// `restitution` at the impact speed `speed`, or the damper `key` itself, or neither.
static SpragStatus read_damping(Reader *reader, const Node *node, const LayerWord *word,
                                const char *key, SpragCompliance *layer)
{
    bool linear = layer->law == SPRAG_COMPLIANCE_KELVIN_VOIGT;
    const Node *restitution = node_get(node, "restitution"), *speed = node_get(node, "speed");
    if (!restitution && !speed) {
        layer->damping_given = node_get(node, key) != NULL;
        return read_optional(reader, node, key, linear ? KIND_DAMPING : KIND_ALPHA,
                             RANGE_NOT_NEGATIVE, linear ? &layer->damping : &layer->alpha);
    }
    if (node_get(node, key))
        return fail_at(reader, node_key(node, key), "%s or restitution, not both", key);
    if (!restitution || (!speed && !linear))
        return fail_at(reader, node,
                       "%s needs restitution, and speed: the impact speed that it belongs to",
                       word->name);
    layer->damping_source = word->source;
    SPRAG_TRY(read_number(reader, restitution, "restitution", KIND_NUMBER, RANGE_UNIT,
                          &layer->restitution));
    if (speed)
        SPRAG_TRY(
            read_number(reader, speed, "speed", KIND_VELOCITY, RANGE_POSITIVE, &layer->speed));
    // a layer that ends at rest would have to be damped without limit; Lankarani's never is
    if (word->source != SPRAG_DAMPING_LANKARANI && layer->restitution < 1e-3)
        return fail_at(reader, restitution, "restitution of %s must be in 0.001 … 1, got %g",
                       word->name, layer->restitution);
    if (!linear)
        layer->alpha =
            sprag_compliance_alpha_of(layer->damping_source, layer->restitution, layer->speed);
    return SPRAG_OK;
}

static SpragStatus read_kelvin_voigt(Reader *reader, const Node *node, const LayerWord *word,
                                     SpragCompliance *layer)
{
    static const char *const keys[] = {"law",    "stiffness",   "damping", "tangential", "epsilon",
                                       "length", "restitution", "speed",   NULL};
    SPRAG_TRY(check_keys(reader, node, "kelvin-voigt", keys));
    if (node_get(node, "epsilon") || node_get(node, "length"))
        return read_epsilon(reader, node, layer);
    const Node *stiffness = node_get(node, "stiffness");
    if (!stiffness)
        return fail_at(reader, node, "kelvin-voigt needs stiffness, or epsilon and length");
    SPRAG_TRY(read_number(reader, stiffness, "stiffness", KIND_STIFFNESS, RANGE_POSITIVE,
                          &layer->stiffness));
    return read_damping(reader, node, word, "damping", layer);
}

static SpragStatus read_exponent(Reader *reader, const Node *node, SpragCompliance *layer)
{
    layer->exponent = 1.5;
    SPRAG_TRY(
        read_optional(reader, node, "exponent", KIND_NUMBER, RANGE_POSITIVE, &layer->exponent));
    if (layer->exponent < 1 || layer->exponent > 10)
        return fail_at(reader, node_get(node, "exponent"), "exponent must be in 1 … 10, got %g",
                       layer->exponent);
    if (!node_get(node, "exponent"))
        SPRAG_TRY(note(reader, "compliance in line %d: exponent 1.5 (Hertz)", node->line));
    return SPRAG_OK;
}

// In N/m^exponent; `instead` names what else would do.
static SpragStatus read_power_stiffness(Reader *reader, const Node *node, const char *law,
                                        const char *instead, SpragCompliance *layer)
{
    const Node *stiffness = node_get(node, "stiffness");
    if (!stiffness)
        return fail_at(reader, node, "%s needs stiffness%s", law, instead);
    Dimension dimension = {1 - layer->exponent, 1, -2, 0};
    return read_quantity(reader, stiffness, "stiffness", dimension, RANGE_POSITIVE,
                         &layer->stiffness);
}

static SpragStatus read_hunt_crossley(Reader *reader, const Node *node, const LayerWord *word,
                                      SpragCompliance *layer)
{
    static const char *const keys[] = {"law",        "stiffness", "alpha",  "exponent",
                                       "tangential", "epsilon",   "length", "restitution",
                                       "speed",      NULL};
    SPRAG_TRY(check_keys(reader, node, "hunt-crossley", keys));
    SPRAG_TRY(read_exponent(reader, node, layer));
    if (node_get(node, "epsilon") || node_get(node, "length"))
        return read_epsilon(reader, node, layer);
    SPRAG_TRY(
        read_power_stiffness(reader, node, "hunt-crossley", ", or epsilon and length", layer));
    return read_damping(reader, node, word, "alpha", layer);
}

// Lankarani–Nikravesh and Flores: Hunt–Crossley with a damping of their own from a restitution. A
// layer without stiffness takes that of Hertz.
static SpragStatus read_by_restitution(Reader *reader, const Node *node, const LayerWord *word,
                                       SpragCompliance *layer)
{
    static const char *const keys[] = {"law",   "stiffness",  "exponent", "restitution",
                                       "speed", "tangential", "radius",   NULL};
    SPRAG_TRY(check_keys(reader, node, word->name, keys));
    if (!node_get(node, "restitution"))
        return fail_at(reader, node,
                       "%s needs restitution, and speed: the impact speed that it belongs to",
                       word->name);
    SPRAG_TRY(read_damping(reader, node, word, "alpha", layer));
    if (node_get(node, "stiffness") || node_get(node, "exponent")) {
        if (node_get(node, "radius"))
            return fail_at(reader, node_key(node, "radius"),
                           "radius or stiffness: the radius stands for the stiffness of Hertz");
        SPRAG_TRY(read_exponent(reader, node, layer));
        return read_power_stiffness(reader, node, word->name, "", layer);
    }
    layer->law = SPRAG_COMPLIANCE_HERTZ;
    SPRAG_TRY(note(reader, "compliance in line %d: no stiffness given, that of hertz", node->line));
    return read_optional(reader, node, "radius", KIND_LENGTH, RANGE_POSITIVE, &layer->radius);
}

static SpragStatus read_hertz(Reader *reader, const Node *node, const LayerWord *word,
                              SpragCompliance *layer)
{
    static const char *const keys[] = {"law",         "radius", "alpha", "tangential",
                                       "restitution", "speed",  NULL};
    if (node->kind != NODE_MAPPING)
        return SPRAG_OK;
    SPRAG_TRY(check_keys(reader, node, "hertz", keys));
    SPRAG_TRY(read_optional(reader, node, "radius", KIND_LENGTH, RANGE_POSITIVE, &layer->radius));
    return read_damping(reader, node, word, "alpha", layer);
}

SpragStatus read_compliance(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const rigid_keys[] = {"law", NULL};
    const LayerWord *word;
    memset(layer, 0, sizeof *layer);
    SPRAG_TRY(find_layer(reader, node, &word));
    layer->law = word->law;
    bool mapping = node->kind == NODE_MAPPING;
    if (layer->law == SPRAG_COMPLIANCE_RIGID)
        return mapping ? check_keys(reader, node, word->name, rigid_keys) : SPRAG_OK;
    if (layer->law != SPRAG_COMPLIANCE_HERTZ)
        SPRAG_TRY(need_mapping(reader, node, "compliance"));
    const Node *tangential = mapping ? node_get(node, "tangential") : NULL;
    if (tangential)
        SPRAG_TRY(read_tangential(reader, tangential, layer));
    if (word->source == SPRAG_DAMPING_LANKARANI || word->source == SPRAG_DAMPING_FLORES)
        return read_by_restitution(reader, node, word, layer);
    switch (layer->law) {
    case SPRAG_COMPLIANCE_KELVIN_VOIGT:
        return read_kelvin_voigt(reader, node, word, layer);
    case SPRAG_COMPLIANCE_HERTZ:
        return read_hertz(reader, node, word, layer);
    default:
        return read_hunt_crossley(reader, node, word, layer);
    }
}

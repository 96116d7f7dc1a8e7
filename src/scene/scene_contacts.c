// scene_contacts.c: rules for pairs: friction, restitution, compliance.
#include <string.h>

#include "scene_private.h"

static SpragStatus check_friction_law(Reader *reader, const Node *node)
{
    static const char *const keys[] = {"law",     "speed",    "stiffness", "damping",
                                       "viscous", "stribeck", NULL};
    static const char *const laws[] = {"coulomb", "tanh", "karnopp", "dahl", "lugre"};
    const Node *law = node;
    if (node->kind == NODE_MAPPING) {
        SPRAG_TRY(check_keys(reader, node, "friction-law", keys));
        law = node_get(node, "law");
        if (!law)
            return fail_at(reader, node, "friction-law needs a law, e.g. coulomb");
    }
    int index;
    SPRAG_TRY(read_word(reader, law, "friction-law", laws, 5, &index));
    return index == 0 ? SPRAG_OK
                      : fail_at(reader, law, "friction-law %s is not supported in this version",
                                laws[index]);
}

// The law's name; absent: Kelvin–Voigt, the law that a bare stiffness means.
static SpragStatus read_law(Reader *reader, const Node *node, SpragComplianceLaw *law,
                            bool *by_restitution)
{
    static const char *const laws[] = {"rigid", "kelvin-voigt",        "hunt-crossley",
                                       "hertz", "lankarani-nikravesh", "patch"};
    const Node *name = node->kind == NODE_MAPPING ? node_get(node, "law") : node;
    *law = SPRAG_COMPLIANCE_KELVIN_VOIGT;
    *by_restitution = false;
    if (!name)
        return note(reader, "compliance in line %d: no law given, kelvin-voigt", node->line);
    int index;
    SPRAG_TRY(read_word(reader, name, "compliance law", laws, 6, &index));
    if (index > 4)
        return fail_at(reader, name, "compliance law %s is not supported in this version",
                       laws[index]);
    // Lankarani and Nikravesh give the damping of Hunt and Crossley by a restitution
    static const SpragComplianceLaw meant[] = {
        SPRAG_COMPLIANCE_RIGID, SPRAG_COMPLIANCE_KELVIN_VOIGT, SPRAG_COMPLIANCE_HUNT_CROSSLEY,
        SPRAG_COMPLIANCE_HERTZ, SPRAG_COMPLIANCE_HUNT_CROSSLEY};
    *law = meant[index];
    *by_restitution = index == 4;
    return SPRAG_OK;
}

static SpragStatus read_tangential(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    SPRAG_TRY(check_keys(reader, node, "tangential", keys));
    SPRAG_TRY(read_optional(reader, node, "stiffness", KIND_STIFFNESS, RANGE_POSITIVE,
                            &layer->tangential_stiffness));
    return read_optional(reader, node, "damping", KIND_DAMPING, RANGE_NOT_NEGATIVE,
                         &layer->tangential_damping);
}

// epsilon and length of theory.md 5.4, instead of stiffness and damping.
static SpragStatus read_epsilon(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const others[] = {"stiffness", "damping", "alpha"};
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

static SpragStatus read_kelvin_voigt(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"law",     "stiffness", "damping", "tangential",
                                       "epsilon", "length",    NULL};
    SPRAG_TRY(check_keys(reader, node, "kelvin-voigt", keys));
    if (node_get(node, "epsilon") || node_get(node, "length"))
        return read_epsilon(reader, node, layer);
    const Node *stiffness = node_get(node, "stiffness");
    if (!stiffness)
        return fail_at(reader, node, "kelvin-voigt needs stiffness, or epsilon and length");
    SPRAG_TRY(read_number(reader, stiffness, "stiffness", KIND_STIFFNESS, RANGE_POSITIVE,
                          &layer->stiffness));
    return read_optional(reader, node, "damping", KIND_DAMPING, RANGE_NOT_NEGATIVE,
                         &layer->damping);
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

// stiffness in N/m^exponent; `instead` names what else would do.
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

static SpragStatus read_hunt_crossley(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"law",        "stiffness", "alpha",  "exponent",
                                       "tangential", "epsilon",   "length", NULL};
    SPRAG_TRY(check_keys(reader, node, "hunt-crossley", keys));
    SPRAG_TRY(read_exponent(reader, node, layer));
    if (node_get(node, "epsilon") || node_get(node, "length"))
        return read_epsilon(reader, node, layer);
    SPRAG_TRY(
        read_power_stiffness(reader, node, "hunt-crossley", ", or epsilon and length", layer));
    return read_optional(reader, node, "alpha", KIND_ALPHA, RANGE_NOT_NEGATIVE, &layer->alpha);
}

// restitution: at the impact speed `speed`.
static SpragStatus read_lankarani(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"law",   "stiffness",  "exponent", "restitution",
                                       "speed", "tangential", NULL};
    double e, speed;
    SPRAG_TRY(check_keys(reader, node, "lankarani-nikravesh", keys));
    SPRAG_TRY(read_exponent(reader, node, layer));
    SPRAG_TRY(read_power_stiffness(reader, node, "lankarani-nikravesh", "", layer));
    const Node *restitution = node_get(node, "restitution"), *impact = node_get(node, "speed");
    if (!restitution || !impact)
        return fail_at(reader, node,
                       "lankarani-nikravesh needs restitution, and speed: the impact speed that it "
                       "belongs to");
    SPRAG_TRY(read_number(reader, restitution, "restitution", KIND_NUMBER, RANGE_NOT_NEGATIVE, &e));
    if (e > 1)
        return fail_at(reader, restitution, "restitution must be in 0 … 1, got %g", e);
    SPRAG_TRY(read_number(reader, impact, "speed", KIND_VELOCITY, RANGE_POSITIVE, &speed));
    layer->alpha = sprag_compliance_alpha(e, speed);
    return SPRAG_OK;
}

static SpragStatus read_hertz(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const keys[] = {"law", "radius", "alpha", "tangential", NULL};
    if (node->kind != NODE_MAPPING)
        return SPRAG_OK;
    SPRAG_TRY(check_keys(reader, node, "hertz", keys));
    SPRAG_TRY(read_optional(reader, node, "radius", KIND_LENGTH, RANGE_POSITIVE, &layer->radius));
    return read_optional(reader, node, "alpha", KIND_ALPHA, RANGE_NOT_NEGATIVE, &layer->alpha);
}

SpragStatus read_compliance(Reader *reader, const Node *node, SpragCompliance *layer)
{
    static const char *const rigid_keys[] = {"law", NULL};
    bool by_restitution;
    memset(layer, 0, sizeof *layer);
    SPRAG_TRY(read_law(reader, node, &layer->law, &by_restitution));
    bool mapping = node->kind == NODE_MAPPING;
    if (layer->law == SPRAG_COMPLIANCE_RIGID)
        return mapping ? check_keys(reader, node, "rigid", rigid_keys) : SPRAG_OK;
    if (layer->law != SPRAG_COMPLIANCE_HERTZ)
        SPRAG_TRY(need_mapping(reader, node, "compliance"));
    const Node *tangential = mapping ? node_get(node, "tangential") : NULL;
    if (tangential)
        SPRAG_TRY(read_tangential(reader, tangential, layer));
    if (by_restitution)
        return read_lankarani(reader, node, layer);
    switch (layer->law) {
    case SPRAG_COMPLIANCE_KELVIN_VOIGT:
        return read_kelvin_voigt(reader, node, layer);
    case SPRAG_COMPLIANCE_HERTZ:
        return read_hertz(reader, node, layer);
    default:
        return read_hunt_crossley(reader, node, layer);
    }
}

static SpragStatus read_between(Reader *reader, const Node *node, SpragRule *rule)
{
    const Node *between = node_get(node, "between");
    if (!between)
        return fail_at(reader, node, "a contact rule needs between: [one, other]");
    if (between->kind != NODE_SEQUENCE || between->count != 2)
        return fail_at(reader, between, "between must be a list of 2 names, got %s",
                       between->kind == NODE_SEQUENCE ? "another number"
                                                      : shown_node(reader, between));
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(read_selector(reader, between->items[i], "between", &rule->between[i]));
    return SPRAG_OK;
}

static SpragStatus read_pair_model(Reader *reader, const Node *node, SpragRule *rule)
{
    static const char *const models[] = {"auto", "rigid", "compliant"};
    const Node *model = node_get(node, "model"), *collide = node_get(node, "collide");
    int index = 0;
    if (model)
        SPRAG_TRY(read_word(reader, model, "model", models, 3, &index));
    rule->pair_model = index == 0   ? SPRAG_PAIR_AUTO
                       : index == 1 ? SPRAG_PAIR_RIGID
                                    : SPRAG_PAIR_COMPLIANT;
    bool collides = true;
    if (collide)
        SPRAG_TRY(read_bool(reader, collide, "collide", &collides));
    rule->ignore = !collides;
    return SPRAG_OK;
}

static SpragStatus read_rule(Reader *reader, Part *part)
{
    const Node *node = part->node;
    static const char *const keys[] = {"name",         "between",     "friction",
                                       "friction-law", "restitution", "compliance",
                                       "model",        "collide",     NULL};
    SpragRule rule = {0};
    SPRAG_TRY(check_keys(reader, node, "a contact rule", keys));
    const Node *name = node_get(node, "name"), *friction = node_get(node, "friction");
    const Node *law = node_get(node, "friction-law");
    const Node *restitution = node_get(node, "restitution");
    const Node *compliance = node_get(node, "compliance");
    if (name) {
        const char *text;
        SPRAG_TRY(read_name(reader, name, &text));
        rule.name = (char *)text;
    }
    SPRAG_TRY(read_between(reader, node, &rule));
    if (friction)
        SPRAG_TRY(read_friction(reader, friction, &rule.friction));
    if (law)
        SPRAG_TRY(check_friction_law(reader, law));
    if (restitution)
        SPRAG_TRY(read_restitution(reader, restitution, &rule.restitution));
    if (compliance)
        SPRAG_TRY(read_compliance(reader, compliance, &rule.compliance));
    rule.compliance_given = compliance != NULL;
    SPRAG_TRY(read_pair_model(reader, node, &rule));
    if (part->index >= 0)
        return sprag_model_replace_rule(reader->model, part->index, &rule);
    return locate(reader, name ? name : node,
                  sprag_model_add_rule(reader->model, &rule, &part->index));
}

SpragStatus read_contacts(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_sequence(reader, node, "contacts"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_rule,
                                           .change = SPRAG_SCENE_CONTACTS,
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

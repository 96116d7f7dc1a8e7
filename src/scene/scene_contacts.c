// scene_contacts.c: rules for pairs: friction, restitution, compliance.
#include "scene_private.h"

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
        SPRAG_TRY(read_full_name(reader, name, &text));
        rule.name = (char *)text;
    }
    SPRAG_TRY(read_between(reader, node, &rule));
    if (friction)
        SPRAG_TRY(read_friction(reader, friction, &rule.friction));
    if (law)
        SPRAG_TRY(read_friction_law(reader, law, &rule.friction_law));
    if (restitution)
        SPRAG_TRY(read_restitution(reader, restitution, &rule.restitution));
    if (law)
        SPRAG_TRY(note_friction_law(reader, node, &rule));
    if (compliance)
        SPRAG_TRY(read_compliance(reader, compliance, &rule.compliance));
    place_of(compliance, &rule.line, &rule.column);
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

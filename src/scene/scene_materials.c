// scene_materials.c: friction, restitution, materials.
#include <string.h>

#include "scene_private.h"

SpragStatus read_friction(Reader *reader, const Node *node, SpragFriction *friction)
{
    static const char *const keys[] = {"static", "kinetic", "stribeck", NULL};
    friction->given = true;
    friction->stribeck = 0;
    if (node->kind != NODE_MAPPING) {
        SPRAG_TRY(read_number(reader, node, "friction", KIND_NUMBER, RANGE_NOT_NEGATIVE,
                              &friction->kinetic));
        friction->stationary = friction->kinetic;
        return SPRAG_OK;
    }
    SPRAG_TRY(check_keys(reader, node, "friction", keys));
    const Node *stationary = node_get(node, "static"), *kinetic = node_get(node, "kinetic");
    if (!stationary && !kinetic)
        return fail_at(reader, node, "friction needs static or kinetic, or a number");
    SPRAG_TRY(read_number(reader, stationary ? stationary : kinetic, "static", KIND_NUMBER,
                          RANGE_NOT_NEGATIVE, &friction->stationary));
    SPRAG_TRY(read_number(reader, kinetic ? kinetic : stationary, "kinetic", KIND_NUMBER,
                          RANGE_NOT_NEGATIVE, &friction->kinetic));
    return read_optional(reader, node, "stribeck", KIND_VELOCITY, RANGE_NOT_NEGATIVE,
                         &friction->stribeck);
}

SpragStatus read_restitution(Reader *reader, const Node *node, SpragRestitution *restitution)
{
    static const char *const keys[] = {"law", "e", NULL};
    static const char *const laws[] = {"energetic", "newton", "poisson"};
    restitution->given = true;
    restitution->law = SPRAG_RESTITUTION_ENERGETIC;
    if (node->kind != NODE_MAPPING)
        return read_number(reader, node, "restitution", KIND_NUMBER, RANGE_UNIT, &restitution->e);
    SPRAG_TRY(check_keys(reader, node, "restitution", keys));
    const Node *law = node_get(node, "law"), *e = node_get(node, "e");
    if (!e)
        return fail_at(reader, node, "restitution needs e, a number in 0 … 1");
    if (law) {
        int index;
        SPRAG_TRY(read_word(reader, law, "law", laws, 3, &index));
        restitution->law = index == 0   ? SPRAG_RESTITUTION_ENERGETIC
                           : index == 1 ? SPRAG_RESTITUTION_NEWTON
                                        : SPRAG_RESTITUTION_POISSON;
    }
    return read_number(reader, e, "e", KIND_NUMBER, RANGE_UNIT, &restitution->e);
}

static SpragStatus read_material(Reader *reader, Part *part)
{
    const Node *key = part->key, *node = part->node;
    static const char *const keys[] = {"friction",      "restitution", "young",
                                       "poisson-ratio", "compliance",  NULL};
    SpragMaterial material = {0};
    const char *name;
    SPRAG_TRY(read_name(reader, key, &name));
    material.name = (char *)name;
    SPRAG_TRY(check_keys(reader, node, name, keys));
    const Node *friction = node_get(node, "friction");
    const Node *restitution = node_get(node, "restitution");
    if (friction)
        SPRAG_TRY(read_friction(reader, friction, &material.friction));
    if (restitution)
        SPRAG_TRY(read_restitution(reader, restitution, &material.restitution));
    const Node *compliance = node_get(node, "compliance");
    if (compliance)
        SPRAG_TRY(read_compliance(reader, compliance, &material.compliance));
    SPRAG_TRY(read_optional(reader, node, "young", KIND_PRESSURE, RANGE_POSITIVE, &material.young));
    SPRAG_TRY(read_optional(reader, node, "poisson-ratio", KIND_NUMBER, RANGE_ALL,
                            &material.poisson_ratio));
    if (part->index >= 0)
        return sprag_model_replace_material(reader->model, part->index, &material);
    return locate(reader, node, sprag_model_add_material(reader->model, &material, &part->index));
}

SpragStatus read_materials(Reader *reader, const Node *node)
{
    SPRAG_TRY(need_mapping(reader, node, "materials"));
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_material,
                                           .change = SPRAG_SCENE_CONTACTS,
                                           .key = node->keys[i],
                                           .node = node->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

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
    SPRAG_TRY(read_optional(reader, node, "stribeck", KIND_VELOCITY, RANGE_NOT_NEGATIVE,
                            &friction->stribeck));
    // loads between the two could neither be held nor make the body slide; with stribeck friction
    // rises from static to kinetic without a jump, and there is one motion
    if (friction->stationary < friction->kinetic && friction->stribeck == 0)
        return fail_at(reader, node,
                       "static friction must not be below kinetic, got %g and %g: with a load "
                       "between them a body could neither rest nor slide (friction that rises with "
                       "speed needs stribeck)",
                       friction->stationary, friction->kinetic);
    return SPRAG_OK;
}

// One point [speed, e] of a table.
static SpragStatus read_point(Reader *reader, const Node *node, SpragRestitution *restitution)
{
    int i = restitution->point_count;
    if (node->kind != NODE_SEQUENCE || node->count != 2)
        return fail_at(reader, node, "a point of restitution must be a pair [speed, e], got %s",
                       node->kind == NODE_SEQUENCE ? "another number of entries"
                                                   : shown_node(reader, node));
    SPRAG_TRY(read_number(reader, node->items[0], "speed", KIND_VELOCITY, RANGE_NOT_NEGATIVE,
                          &restitution->speed[i]));
    SPRAG_TRY(
        read_number(reader, node->items[1], "e", KIND_NUMBER, RANGE_UNIT, &restitution->value[i]));
    if (i > 0 && !(restitution->speed[i] > restitution->speed[i - 1]))
        return fail_at(reader, node->items[0],
                       "speeds of a restitution must ascend, got %g after %g m/s",
                       restitution->speed[i], restitution->speed[i - 1]);
    restitution->point_count++;
    return SPRAG_OK;
}

// e over the approach speed: [[speed, e], …]. A table of one point is a plain e.
static SpragStatus read_points(Reader *reader, const Node *node, SpragRestitution *restitution)
{
    if (node->kind != NODE_SEQUENCE || node->count == 0)
        return fail_at(reader, node, "a table of e must be a list of pairs [speed, e], got %s",
                       node->kind == NODE_SEQUENCE ? "an empty list" : shown_node(reader, node));
    if (node->count > SPRAG_RESTITUTION_POINTS)
        return fail_at(reader, node, "a table of e may have at most %d points, got %d",
                       SPRAG_RESTITUTION_POINTS, node->count);
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_point(reader, node->items[i], restitution));
    restitution->e = restitution->value[restitution->point_count - 1];
    return SPRAG_OK;
}

// A number, a list of points, or {table: [[speed, e], …]}.
static SpragStatus read_e(Reader *reader, const Node *node, SpragRestitution *restitution)
{
    static const char *const keys[] = {"table", NULL};
    if (node->kind == NODE_SEQUENCE)
        return read_points(reader, node, restitution);
    if (node->kind != NODE_MAPPING)
        return read_number(reader, node, "e", KIND_NUMBER, RANGE_UNIT, &restitution->e);
    SPRAG_TRY(check_keys(reader, node, "e", keys));
    const Node *table = node_get(node, "table");
    return table ? read_points(reader, table, restitution)
                 : fail_at(reader, node, "e needs table: [[speed, e], …], or a number");
}

SpragStatus read_restitution(Reader *reader, const Node *node, SpragRestitution *restitution)
{
    static const char *const keys[] = {"law", "e", "table", "rest-speed", NULL};
    static const char *const laws[] = {"energetic", "newton", "poisson"};
    memset(restitution, 0, sizeof *restitution);
    restitution->given = true;
    restitution->law = SPRAG_RESTITUTION_ENERGETIC;
    if (node->kind == NODE_SEQUENCE)
        return read_points(reader, node, restitution);
    if (node->kind != NODE_MAPPING)
        return read_number(reader, node, "restitution", KIND_NUMBER, RANGE_UNIT, &restitution->e);
    SPRAG_TRY(check_keys(reader, node, "restitution", keys));
    const Node *law = node_get(node, "law"), *e = node_get(node, "e");
    const Node *table = node_get(node, "table");
    if (!e && !table)
        return fail_at(reader, node, "restitution needs e, a number in 0 … 1, or a table");
    if (e && table)
        return fail_at(reader, node_key(node, "table"), "e or table: one of them");
    if (law) {
        int index;
        SPRAG_TRY(read_word(reader, law, "law", laws, 3, &index));
        restitution->law = index == 0   ? SPRAG_RESTITUTION_ENERGETIC
                           : index == 1 ? SPRAG_RESTITUTION_NEWTON
                                        : SPRAG_RESTITUTION_POISSON;
    }
    SPRAG_TRY(e ? read_e(reader, e, restitution) : read_points(reader, table, restitution));
    return read_optional(reader, node, "rest-speed", KIND_VELOCITY, RANGE_NOT_NEGATIVE,
                         &restitution->rest_speed);
}

static SpragStatus read_material(Reader *reader, Part *part)
{
    const Node *key = part->key, *node = part->node;
    static const char *const keys[] = {"friction",      "restitution", "young",
                                       "poisson-ratio", "compliance",  NULL};
    SpragMaterial material = {0};
    const char *name;
    SPRAG_TRY(read_full_name(reader, key, &name));
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
    place_of(compliance, &material.line, &material.column);
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

// collide_layers.c: the compliant layer of a slot: its rule's, or those of its two materials in
// series; Hertz's law from material data and radii.
#include <stdarg.h>
#include <stdio.h>

#include "collide_private.h"

static bool is_round_all_over(const SpragShape *shape)
{
    return shape->kind == SPRAG_SHAPE_CIRCLE || shape->kind == SPRAG_SHAPE_SPHERE;
}

// A layer as it is given, and where.
typedef struct Layer {
    const SpragCompliance *numbers;
    int line, column; // 0: not from a file
} Layer;

static SpragStatus refuse_layer(const SpragCollider *collider, const Layer *layer,
                                const SpragSlot *slot, const char *format, ...) SPRAG_PRINTF(4, 5);

// "file:7:42: compliance between ball and floor: " and why not.
static SpragStatus refuse_layer(const SpragCollider *collider, const Layer *layer,
                                const SpragSlot *slot, const char *format, ...)
{
    const SpragModel *model = collider->model;
    char why[512], place[512] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (model->source && layer->line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", model->source, layer->line, layer->column);
    return sprag_fail(collider->context, SPRAG_ERROR_INPUT, "%scompliance between %s and %s: %s",
                      place, model->bodies[slot->body[0]].name, model->bodies[slot->body[1]].name,
                      why);
}

// A sharp corner has no radius and no law of Hertz; what is not round on the other side is flat.
static SpragStatus set_hertz(const SpragCollider *collider, SpragSlot *slot, const Layer *layer)
{
    const SpragModel *model = collider->model;
    SpragHertzSide sides[2] = {{0}};
    int round = slot->swapped ? 1 : 0;
    for (int i = 0; i < 2; i++) {
        const SpragShape *shape = &model->shapes[slot->shape[i]];
        int material = slot_material(collider, slot->shape[i]);
        if (material >= 0) {
            sides[i].young = model->materials[material].young;
            sides[i].poisson_ratio = model->materials[material].poisson_ratio;
        }
        if (!(sides[i].young > 0))
            return refuse_layer(collider, layer, slot, "hertz: the material of %s needs young",
                                model->bodies[slot->body[i]].name);
        if (shape->radius > 0 && (i == round || is_round_all_over(shape)))
            sides[i].curvature = (shape->inside ? -1 : 1) / shape->radius;
    }
    const SpragCompliance *given = layer->numbers;
    bool sharp = !(model->shapes[slot->shape[round]].radius > 0) && !(given->radius > 0);
    if (sharp || !sprag_compliance_hertz(given, sides, &slot->compliance))
        return refuse_layer(collider, layer, slot,
                            "hertz: they touch with a sharp corner, so the rule needs radius");
    return SPRAG_OK;
}

// Layers of two materials, one behind the other. Hertz's law is one of pairs: of two the one with
// the smaller restitution damps.
static SpragStatus set_series(const SpragCollider *collider, SpragSlot *slot)
{
    const SpragModel *model = collider->model;
    const SpragCompliance none = {0};
    Layer layers[2] = {{&none, 0, 0}, {&none, 0, 0}};
    bool hertz[2], rigid[2];
    for (int i = 0; i < 2; i++) {
        int material = slot_material(collider, slot->shape[i]);
        const SpragMaterial *given = material >= 0 ? &model->materials[material] : NULL;
        if (given)
            layers[i] = (Layer){&given->compliance, given->line, given->column};
        hertz[i] = layers[i].numbers->law == SPRAG_COMPLIANCE_HERTZ;
        rigid[i] = layers[i].numbers->law == SPRAG_COMPLIANCE_RIGID;
    }
    slot->compliance_given = !(rigid[0] && rigid[1]);
    if (!slot->compliance_given)
        return SPRAG_OK;
    if ((hertz[0] || rigid[0]) && (hertz[1] || rigid[1])) {
        bool second =
            !hertz[0] || (hertz[1] && layers[1].numbers->alpha > layers[0].numbers->alpha);
        return set_hertz(collider, slot, &layers[second ? 1 : 0]);
    }
    if (!sprag_compliance_series(layers[0].numbers, layers[1].numbers, &slot->compliance))
        return refuse_layer(collider, &layers[rigid[0] ? 1 : 0], slot,
                            "their materials have layers that do not make one (other laws or "
                            "exponents, or by epsilon): give the pair a rule with compliance");
    return SPRAG_OK;
}

SpragStatus slot_set_layer(const SpragCollider *collider, SpragSlot *slot, const SpragRule *rule)
{
    // an ignored pair never asks for its numbers
    if (rule && rule->ignore)
        return SPRAG_OK;
    if (!rule || !rule->compliance_given)
        return set_series(collider, slot);
    slot->compliance_given = true;
    slot->compliance = rule->compliance;
    Layer layer = {&rule->compliance, rule->line, rule->column};
    return rule->compliance.law == SPRAG_COMPLIANCE_HERTZ ? set_hertz(collider, slot, &layer)
                                                          : SPRAG_OK;
}

// collide_names.c: names of contacts.
// A rule's name (with .0, .1 … if it covers several slots), else "first-second" with the paths of
// both sides: body[.shape][.feature]. A path is no longer than it must be to be unambiguous; if two
// slots end up with the same name all the same, the later one gets "#2" and so on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide_private.h"

// How many shapes the body has, and the shape's number among them.
static int count_shapes(const SpragModel *model, int shape, int *number)
{
    int count = 0;
    for (int i = 0; i < model->shape_count; i++) {
        if (i == shape)
            *number = count;
        count += model->shapes[i].body == model->shapes[shape].body;
    }
    return count;
}

static bool vertex_name_is_shared(const SpragModel *model, int shape, const char *name)
{
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *other = &model->shapes[i];
        if (i == shape || other->body != model->shapes[shape].body)
            continue;
        for (int k = 0; k < other->vertex_count; k++)
            if (strcmp(other->vertex_names[k], name) == 0)
                return true;
    }
    return false;
}

static void add_path(SpragText *text, const SpragModel *model, const Slot *slot, int side)
{
    int index = slot->shown.shape[side], feature = slot->shown.feature[side], number = 0;
    const SpragShape *shape = &model->shapes[index];
    bool round = side == slot->round;
    bool has_feature = round && shape->kind != SPRAG_SHAPE_CIRCLE;
    sprag_text_add(text, "%s", model->bodies[shape->body].name);
    if (shape->name) {
        sprag_text_add(text, ".%s", shape->name);
    } else if (count_shapes(model, index, &number) > 1) {
        if (!has_feature || vertex_name_is_shared(model, index, shape->vertex_names[feature]))
            sprag_text_add(text, ".%d", number);
    }
    if (has_feature)
        sprag_text_add(text, ".%s", shape->vertex_names[feature]);
    else if (slot->kind == SLOT_SEGMENT && !round && chain_segment_count(shape) > 1)
        sprag_text_add(text, ".s%d", feature);
}

static SpragStatus take_text(SpragText *text, char **name)
{
    if (text->failed)
        return SPRAG_ERROR_MEMORY;
    *name = sprag_copy_text(text->context, text->bytes);
    text->length = 0;
    return *name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static int count_of_rule(const SpragCollider *collider, int rule)
{
    int count = 0;
    for (int i = 0; i < collider->slot_count; i++)
        count += collider->slots[i].shown.rule == rule;
    return count;
}

static SpragStatus name_rule_slots(SpragCollider *collider, int rule, SpragText *text)
{
    int count = count_of_rule(collider, rule), number = 0;
    for (int i = 0; i < collider->slot_count; i++) {
        SpragSlot *slot = &collider->slots[i].shown;
        if (slot->rule != rule)
            continue;
        sprag_text_add(text, "%s", collider->model->rules[rule].name);
        if (count > 1)
            sprag_text_add(text, ".%d", number++);
        SPRAG_TRY(take_text(text, &slot->name));
    }
    return SPRAG_OK;
}

static int compare_names(const void *a, const void *b)
{
    const SpragSlot *const *s = a, *const *t = b;
    int order = strcmp((*s)->name, (*t)->name);
    // the list is one array: the address is the number of the slot
    return order != 0 ? order : (*s > *t) - (*s < *t);
}

// Renames the later of slots with equal names; *again: something was renamed.
static SpragStatus separate_names(SpragCollider *collider, SpragSlot **order, SpragText *text,
                                  bool *again)
{
    *again = false;
    for (int i = 0; i < collider->slot_count; i++)
        order[i] = &collider->slots[i].shown;
    qsort(order, (size_t)collider->slot_count, sizeof *order, compare_names);
    for (int begin = 0, end; begin < collider->slot_count; begin = end) {
        for (end = begin + 1;
             end < collider->slot_count && strcmp(order[begin]->name, order[end]->name) == 0;
             end++) {
        }
        for (int i = begin + 1; i < end; i++) {
            sprag_text_add(text, "%s#%d", order[i]->name, i - begin + 1);
            sprag_free(collider->context, order[i]->name);
            order[i]->name = NULL;
            SPRAG_TRY(take_text(text, &order[i]->name));
            *again = true;
        }
    }
    return SPRAG_OK;
}

static SpragStatus name_all(SpragCollider *collider, SpragText *text, SpragSlot **order)
{
    const SpragModel *model = collider->model;
    for (int rule = 0; rule < model->rule_count; rule++)
        if (model->rules[rule].name)
            SPRAG_TRY(name_rule_slots(collider, rule, text));
    for (int i = 0; i < collider->slot_count; i++) {
        Slot *slot = &collider->slots[i];
        if (slot->shown.name)
            continue;
        add_path(text, model, slot, 0);
        sprag_text_add(text, "-");
        add_path(text, model, slot, 1);
        SPRAG_TRY(take_text(text, &slot->shown.name));
    }
    bool again = true;
    while (again)
        SPRAG_TRY(separate_names(collider, order, text, &again));
    return SPRAG_OK;
}

SpragStatus slots_name(SpragCollider *collider)
{
    SpragText text;
    sprag_text_init(&text, collider->context);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    SpragSlot **order = sprag_alloc(collider->context, (size_t)collider->slot_count, sizeof *order);
    if (order)
        status = name_all(collider, &text, order);
    sprag_free(collider->context, order);
    sprag_text_destroy(&text);
    return status;
}

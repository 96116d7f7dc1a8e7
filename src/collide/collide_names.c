// collide_names.c: names of contacts.
// A rule's name (with .0, .1 … if it covers several slots), else "first-second" with the paths of
// both sides: body[.shape][.feature]. A path is no longer than it must be to be unambiguous; if two
// slots end up with the same name all the same, the later one gets "#2" and so on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide_private.h"

enum { FEATURE_TEXT = 256 };

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

// What the slot touches with on a side: "c3", in space also "c0c1" …; NULL: the shape as a whole.
// *first: the name of a vertex that tells whether the text is unambiguous in its body.
static const char *feature_text(const SpragCollider *collider, const Slot *slot, int side,
                                char *room, const char **first)
{
    const SpragShape *shape = &collider->model->shapes[slot->shown.shape[side]];
    if (!collider->space) {
        if (side != slot->round || shape->kind == SPRAG_SHAPE_CIRCLE)
            return NULL;
        return *first = shape->vertex_names[slot->shown.feature[side]];
    }
    *first = room;
    room[0] = 0;
    space_feature_name(collider, slot, side, FEATURE_TEXT, room, first);
    return room[0] ? room : NULL;
}

static void add_path(SpragText *text, const SpragCollider *collider, const Slot *slot, int side)
{
    const SpragModel *model = collider->model;
    int index = slot->shown.shape[side], feature = slot->shown.feature[side];
    const SpragShape *shape = &model->shapes[index];
    const ShapePlace *place = &collider->places[index];
    char room[FEATURE_TEXT];
    const char *first = NULL, *touching = feature_text(collider, slot, side, room, &first);
    sprag_text_add(text, "%s", model->bodies[shape->body].name);
    if (shape->name) {
        sprag_text_add(text, ".%s", shape->name);
    } else if (place->siblings > 1) {
        if (!touching || vertex_name_is_shared(model, index, first))
            sprag_text_add(text, ".%d", place->number);
    }
    bool segment = !collider->space && slot->kind == SLOT_SEGMENT && side != slot->round;
    if (touching)
        sprag_text_add(text, ".%s", touching);
    else if (segment && chain_segment_count(shape) > 1)
        sprag_text_add(text, ".s%d", feature);
}

void slot_add_path_name(const SpragCollider *collider, const Slot *slot, SpragText *text)
{
    add_path(text, collider, slot, 0);
    sprag_text_add(text, "-");
    add_path(text, collider, slot, 1);
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
        slot_add_path_name(collider, slot, text);
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

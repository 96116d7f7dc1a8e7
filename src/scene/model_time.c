// model_time.c: values over time of a model: numbers, formulas of t, tables, sums of these.
// Problem   the model asks for a value and two derivatives at any t, without memory to allocate
// Method    what is read stays with the scene in a slot, and the model has a function and the slot.
//           A node that is read again (scene_parts.c) fills the slot that it has.
// Breaks    of straight pieces: every row; of a spline: its ends, beyond which it is constant
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

static TimeSlot *add_slot(Reader *reader)
{
    TimeSlot *slot = sprag_alloc(reader->context, 1, sizeof *slot);
    if (!slot)
        return NULL;
    slot->next = reader->scene->slots;
    reader->scene->slots = slot;
    return slot;
}

void scene_free_slots(SpragScene *scene)
{
    for (TimeSlot *slot = scene->slots, *next; slot; slot = next) {
        next = slot->next;
        sprag_free(scene->context, slot->value.program.operations);
        sprag_free(scene->context, slot->breaks);
        sprag_free(scene->context, slot);
    }
    scene->slots = NULL;
}

static void evaluate(double t, int order, double *value, const void *user)
{
    const TimeSlot *slot = user;
    double jet[3];
    time_value_jet(&slot->value, t, jet);
    for (int i = 0; i <= order; i++)
        value[i] = jet[i];
}

static void find_breaks(const TimeSlot *slot, SpragTimeValue *value)
{
    const SpragCurve *curve = &slot->value.curve;
    value->breaks = curve->x;
    value->break_count = curve->count;
    if (!curve->bend)
        return;
    // work of the spline is free once it is made: x, y, bend, work
    double *ends = (double *)curve->x + 3 * (size_t)curve->count;
    ends[0] = curve->x[0];
    ends[1] = curve->x[curve->count - 1];
    value->breaks = ends;
    value->break_count = 2;
}

// The slot of a node: a new one, or the one that it has, emptied.
static TimeSlot *open_slot(Reader *reader, const Node *node)
{
    if (reader->again && node->slot) {
        Program *program = &node->slot->value.program;
        program->count = program->depth = program->most_depth = 0;
        program->varies = false;
        return node->slot;
    }
    TimeSlot *slot = add_slot(reader);
    ((Node *)node)->slot = slot; // the tree belongs to the reader
    return slot;
}

SpragStatus read_model_time(Reader *reader, const Node *node, const char *what, Kind kind,
                            SpragTimeValue *value)
{
    TimeSlot *slot = open_slot(reader, node);
    if (!slot)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(read_time_value(reader, node, what, kind, &slot->value));
    *value = (SpragTimeValue){.number = slot->value.number};
    if (slot->value.program.count == 0 && slot->value.curve.count == 0)
        return SPRAG_OK;
    value->evaluate = evaluate;
    value->user = slot;
    if (slot->value.curve.count > 0)
        find_breaks(slot, value);
    return SPRAG_OK;
}

SpragStatus read_model_times(Reader *reader, const Node *node, const char *what, Kind kind,
                             SpragTimeValue values[3])
{
    int count = reader->model->dimension;
    for (int i = 0; i < 3; i++)
        values[i] = (SpragTimeValue){0};
    if (node->kind != NODE_SEQUENCE)
        return fail_at(reader, node, "%s must be a list of %d numbers, got %s", what, count,
                       shown_node(reader, node));
    if (node->count != count)
        return fail_at(reader, node, "%s must be a list of %d numbers, got %d", what, count,
                       node->count);
    for (int i = 0; i < count; i++)
        SPRAG_TRY(read_model_time(reader, node->items[i], what, kind, &values[i]));
    return SPRAG_OK;
}

bool time_varies(const SpragTimeValue *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i].evaluate)
            return true;
    return false;
}

// ---- Sums, for included files -------------------------------------------------------------------

static void evaluate_sum(double t, int order, double *value, const void *user)
{
    const TimeSum *sum_of = user;
    double one[3];
    for (int i = 0; i <= order; i++)
        value[i] = 0;
    for (int k = 0; k < 3; k++) {
        sprag_time_value_evaluate(&sum_of->slot->of[k], t, order, one);
        for (int i = 0; i <= order; i++)
            value[i] += sum_of->weights[k] * one[i];
    }
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The breaks of all entries, in order, once each; *count of them in the slot.
static SpragStatus merge_breaks(Reader *reader, TimeSlot *slot, int *count)
{
    size_t all = 0, filled = 0;
    *count = 0;
    for (int k = 0; k < 3; k++)
        all += (size_t)slot->of[k].break_count;
    if (all == 0)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(reader->context, &slot->breaks, &slot->break_capacity, all,
                            sizeof *slot->breaks));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < slot->of[k].break_count; i++)
            slot->breaks[filled++] = slot->of[k].breaks[i];
    qsort(slot->breaks, filled, sizeof *slot->breaks, compare_times);
    *count = 1;
    for (size_t i = 1; i < filled; i++)
        if (slot->breaks[i] > slot->breaks[*count - 1])
            slot->breaks[(*count)++] = slot->breaks[i];
    return SPRAG_OK;
}

SpragStatus place_times(Reader *reader, const Node *node, SpragTimeValue values[3])
{
    double columns[3][3];
    if (!node->include)
        return SPRAG_OK;
    for (int k = 0; k < 3; k++) {
        SpragVec3 unit = sprag_vec3(k == 0, k == 1, k == 2);
        SPRAG_TRY(place_vector(reader, node->include, &unit));
        sprag_vec3_to(unit, columns[k]);
    }
    TimeSlot *slot = open_slot(reader, node);
    if (!slot)
        return SPRAG_ERROR_MEMORY;
    memcpy(slot->of, values, sizeof slot->of);
    int break_count;
    SPRAG_TRY(merge_breaks(reader, slot, &break_count));
    for (int i = 0; i < 3; i++) {
        values[i] = (SpragTimeValue){.evaluate = evaluate_sum,
                                     .user = &slot->sums[i],
                                     .breaks = slot->breaks,
                                     .break_count = break_count};
        slot->sums[i].slot = slot;
        for (int k = 0; k < 3; k++) {
            slot->sums[i].weights[k] = columns[k][i];
            values[i].number += columns[k][i] * slot->of[k].number;
        }
    }
    return SPRAG_OK;
}

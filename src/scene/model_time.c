// model_time.c: values over time of a model: numbers, formulas of t, tables, sums of these.
// Problem   the model asks for a value and two derivatives at any t, without memory to allocate
// Method    what is read stays with the scene in a slot, and the model has a function and the slot.
//           A node that is read again (scene_parts.c) fills the slot that it has.
// Breaks    of straight pieces: every row; of a spline: its ends, beyond which it is constant; of
//           formulas: where min, max and abs pass from one of their branches to the other
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

// Pieces of a run between which a formula is looked at.
enum { PARTS = 2048 };

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

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Between a and b number k of the kinks passes zero: the first time after it.
static double locate_kink(const Program *program, int k, double a, double b, double *values)
{
    program_evaluate_kinks(program, a, values);
    bool positive = values[k] > 0;
    for (int i = 0; i < 80 && a < b; i++) {
        double middle = a + (b - a) / 2;
        if (!(middle > a) || !(middle < b))
            break;
        program_evaluate_kinks(program, middle, values);
        *((values[k] > 0) == positive ? &a : &b) = middle;
    }
    return b;
}

static SpragStatus read_until(Reader *reader, double *until)
{
    const Node *simulate = node_get(reader->root, "simulate");
    *until = 1;
    return simulate && simulate->kind == NODE_MAPPING
               ? read_optional(reader, simulate, "until", KIND_TIME, RANGE_NOT_NEGATIVE, until)
               : SPRAG_OK;
}

// Kinks of a formula's min, max and abs over the run, on a grid of PARTS of it.
static SpragStatus find_kinks(Reader *reader, TimeSlot *slot, SpragTimeValue *value)
{
    const Program *program = &slot->value.program;
    int count = program_kinks(program), found = 0;
    if (count == 0)
        return SPRAG_OK;
    double until, *values = sprag_arena_alloc(reader->arena, 3 * (size_t)count, sizeof *values);
    if (!values)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(read_until(reader, &until));
    double *before = values + count, *scratch = before + count;
    program_evaluate_kinks(program, 0, before);
    for (int i = 1; i <= PARTS && until > 0; i++) {
        program_evaluate_kinks(program, until * i / PARTS, values);
        for (int k = 0; k < count; k++) {
            if ((values[k] > 0) == (before[k] > 0))
                continue;
            SPRAG_TRY(sprag_reserve(reader->context, &slot->breaks, &slot->break_capacity,
                                    (size_t)found + 1, sizeof *slot->breaks));
            slot->breaks[found++] =
                locate_kink(program, k, until * (i - 1) / PARTS, until * i / PARTS, scratch);
        }
        memcpy(before, values, (size_t)count * sizeof *values);
    }
    if (found > 1)
        qsort(slot->breaks, (size_t)found, sizeof *slot->breaks, compare_times);
    value->breaks = slot->breaks;
    value->break_count = found;
    return SPRAG_OK;
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
    return slot->value.curve.count > 0 ? SPRAG_OK : find_kinks(reader, slot, value);
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

// time_value.c: values that may vary in time: a number, a formula of t, or a table.
#include <string.h>

#include "scene_private.h"

void *scene_keep(Reader *reader, size_t count, size_t size)
{
    SpragScene *scene = reader->scene;
    if (scene->owned_count >= MAX_OWNED) {
        (void)sprag_fail(reader->context, SPRAG_ERROR_LIMIT, "too many tables");
        return NULL;
    }
    void *memory = sprag_alloc(reader->context, count, size);
    if (memory)
        scene->owned[scene->owned_count++] = memory;
    return memory;
}

SpragStatus read_curve(Reader *reader, const Node *node, const char *what, int least, bool smooth,
                       SpragCurve *curve)
{
    SPRAG_TRY(need_sequence(reader, node, what));
    int count = node->count;
    if (count < least)
        return fail_at(reader, node, "%s needs at least %d rows [x, y], got %d", what, least,
                       count);
    double *numbers = scene_keep(reader, 4 * (size_t)count, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    double *x = numbers, *y = x + count, *bend = y + count, *work = bend + count;
    for (int i = 0; i < count; i++) {
        double pair[2];
        SPRAG_TRY(read_numbers(reader, node->items[i], what, KIND_ANY, 2, pair));
        x[i] = pair[0];
        y[i] = pair[1];
        if (i > 0 && !(x[i] > x[i - 1]))
            return fail_at(reader, node->items[i],
                           "the first column of %s must ascend: %g follows %g", what, x[i],
                           x[i - 1]);
    }
    if (smooth && count > 1)
        sprag_curve_bend(count, x, y, bend, work);
    SpragCurve made = {count, x, y, smooth && count > 1 ? bend : NULL};
    *curve = made;
    return SPRAG_OK;
}

static SpragStatus read_table(Reader *reader, const Node *node, TimeValue *value)
{
    static const char *const keys[] = {"table", "smooth", "column", NULL};
    SPRAG_TRY(check_keys(reader, node, "a value over time", keys));
    const Node *table = node_get(node, "table"), *smooth = node_get(node, "smooth");
    bool spline = false;
    if (!table)
        return fail_at(reader, node, "a value over time needs table: [[t, value], …]");
    if (smooth)
        SPRAG_TRY(read_bool(reader, smooth, "smooth", &spline));
    if (table->kind == NODE_SCALAR && !node_is_empty(table))
        SPRAG_TRY(read_curve_file(reader, table, node_get(node, "column"), spline, &value->curve));
    else
        SPRAG_TRY(read_curve(reader, table, "table", 1, spline, &value->curve));
    value->number = time_value_at(value, 0);
    return SPRAG_OK;
}

SpragStatus read_time_value(Reader *reader, const Node *node, const char *what, Kind kind,
                            TimeValue *value)
{
    if (node->kind == NODE_MAPPING)
        return read_table(reader, node, value);
    if (node->kind != NODE_SCALAR || node_is_empty(node))
        return fail_at(reader, node, "%s must be a number, a formula of t or {table: …}, got %s",
                       what, shown_node(reader, node));
    Value first;
    if (node->varies) // its number comes from outside
        SPRAG_TRY(expression_evaluate(reader, node, what, node->text, &first));
    else
        SPRAG_TRY(expression_compile(reader, node, what, node->text, &first, &value->program));
    SPRAG_TRY(accept_value(reader, node, what, kind, RANGE_ALL, &first, &value->number));
    if (!value->program.varies)
        value->program.count = 0;
    return SPRAG_OK;
}

// Outside its rows a table keeps its end values, as straight pieces do.
static double table_at(const SpragCurve *curve, double t)
{
    double y[3];
    if (t < curve->x[0])
        return curve->y[0];
    if (t > curve->x[curve->count - 1])
        return curve->y[curve->count - 1];
    sprag_curve_evaluate(curve, t, y);
    return y[0];
}

double time_value_at(const TimeValue *value, double t)
{
    if (value->program.count > 0)
        return program_evaluate(&value->program, t);
    return value->curve.count > 0 ? table_at(&value->curve, t) : value->number;
}

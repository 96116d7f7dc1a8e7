// scene_time.c: values that may vary in time: a number, a formula of t, or a table.
#include <string.h>

#include "scene_private.h"

void *scene_keep(Reader *reader, size_t count, size_t size)
{
    SpragScene *scene = reader->scene;
    if (sprag_reserve(reader->context, &scene->owned, &scene->owned_capacity,
                      (size_t)scene->owned_count + 1, sizeof *scene->owned) != SPRAG_OK)
        return NULL;
    void *memory = sprag_alloc(reader->context, count, size);
    if (memory)
        scene->owned[scene->owned_count++] = memory;
    return memory;
}

SpragStatus read_curve(Reader *reader, const Node *node, const char *what, int least, bool smooth,
                       SpragCurve *curve)
{
    static const Kind any[2] = {KIND_ANY, KIND_ANY};
    SPRAG_TRY(need_sequence(reader, node, what));
    if (node->count < least)
        return fail_at(reader, node, "%s needs at least %d rows [x, y], got %d", what, least,
                       node->count);
    return read_curve_of(reader, node, what, any, smooth, curve);
}

static SpragStatus read_pair(Reader *reader, const Node *node, const char *what,
                             const Kind kinds[2], double pair[2])
{
    if (kinds[1] == KIND_ANY || node->kind != NODE_SEQUENCE || node->count != 2)
        return read_numbers(reader, node, what, KIND_ANY, 2, pair);
    SPRAG_TRY(
        read_number(reader, node->items[0], "a time of the table", kinds[0], RANGE_ALL, &pair[0]));
    return read_number(reader, node->items[1], "a value of the table", kinds[1], RANGE_ALL,
                       &pair[1]);
}

SpragStatus read_curve_of(Reader *reader, const Node *node, const char *what, const Kind kinds[2],
                          bool smooth, SpragCurve *curve)
{
    SPRAG_TRY(need_sequence(reader, node, what));
    int count = node->count;
    if (count < 1)
        return fail_at(reader, node, "%s needs at least 1 rows [x, y], got 0", what);
    // read again into the place that it has
    double *numbers = curve->count == count
                          ? (double *)curve->x
                          : scene_keep(reader, 4 * (size_t)count, sizeof *numbers);
    if (!numbers)
        return SPRAG_ERROR_MEMORY;
    double *x = numbers, *y = x + count, *bend = y + count, *work = bend + count;
    for (int i = 0; i < count; i++) {
        double pair[2];
        SPRAG_TRY(read_pair(reader, node->items[i], what, kinds, pair));
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

static SpragStatus read_table(Reader *reader, const Node *node, Kind kind, TimeValue *value)
{
    const Kind kinds[2] = {KIND_TIME, kind};
    static const char *const keys[] = {"table", "smooth", "column", NULL};
    SPRAG_TRY(check_keys(reader, node, "a value over time", keys));
    const Node *table = node_get(node, "table"), *smooth = node_get(node, "smooth");
    bool spline = false;
    if (!table)
        return fail_at(reader, node, "a value over time needs table: [[t, value], …]");
    if (smooth)
        SPRAG_TRY(read_bool(reader, smooth, "smooth", &spline));
    if (table->kind == NODE_SCALAR && value->curve.count > 0)
        return SPRAG_OK; // a file says the same when it is read again
    if (table->kind == NODE_SCALAR && !node_is_empty(table))
        SPRAG_TRY(read_curve_file(reader, table, node_get(node, "column"), spline, &value->curve));
    else
        SPRAG_TRY(read_curve_of(reader, table, "table", kinds, spline, &value->curve));
    value->number = time_value_at(value, 0);
    return SPRAG_OK;
}

SpragStatus read_time_value(Reader *reader, const Node *node, const char *what, Kind kind,
                            TimeValue *value)
{
    if (node->kind == NODE_MAPPING)
        return read_table(reader, node, kind, value);
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
static void table_jet(const SpragCurve *curve, double t, double jet[3])
{
    int last = curve->count - 1;
    jet[1] = jet[2] = 0;
    if (t < curve->x[0])
        jet[0] = curve->y[0];
    else if (t >= curve->x[last])
        jet[0] = curve->y[last];
    else
        sprag_curve_evaluate(curve, t, jet);
}

void time_value_jet(const TimeValue *value, double t, double jet[3])
{
    jet[0] = value->number;
    jet[1] = jet[2] = 0;
    if (value->program.count > 0)
        program_evaluate_jet(&value->program, t, jet);
    else if (value->curve.count > 0)
        table_jet(&value->curve, t, jet);
}

double time_value_at(const TimeValue *value, double t)
{
    double jet[3];
    if (value->program.count > 0)
        return program_evaluate(&value->program, t);
    time_value_jet(value, t, jet);
    return jet[0];
}

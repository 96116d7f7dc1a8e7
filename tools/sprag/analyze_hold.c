// analyze_hold.c: will it hold? Closure of each body, and the range of a number over which it
// holds.
#include "analyze_hold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze.h"
#include "bodies.h"
#include "print.h"

enum { NAME_BYTES = 80 };

static SpragStatus find_closures(const Situation *situation, Holds *holds)
{
    const SpragContactProblem *problem = situation->problem;
    SPRAG_TRY(sprag_arena_create(situation->context, 1 << 14, &holds->arena));
    SPRAG_TRY(sprag_closure_find(holds->arena, problem, SPRAG_ALL_BODIES, &holds->all));
    for (int i = 0; i < holds->body_count; i++)
        SPRAG_TRY(sprag_closure_find(holds->arena, problem, i, &holds->bodies[i]));
    return SPRAG_OK;
}

SpragStatus holds_find(const Situation *situation, const Arguments *arguments, Holds *holds)
{
    SpragContext *context = situation->context;
    SpragSceneSettings scene = sprag_scene_default();
    size_t given = (size_t)arguments->given_count + 1;
    memset(holds, 0, sizeof *holds);
    holds->body_count = situation->problem->block_count;
    holds->bodies = sprag_alloc(context, (size_t)holds->body_count + 1, sizeof *holds->bodies);
    holds->paths = sprag_alloc(context, given, sizeof *holds->paths);
    holds->ranges = sprag_alloc(context, given, sizeof *holds->ranges);
    if (!holds->bodies || !holds->paths || !holds->ranges)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(find_closures(situation, holds));
    scene.sets = arguments->sets;
    scene.set_count = arguments->set_count;
    for (int i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "hold") != 0)
            continue;
        holds->paths[holds->range_count] = arguments->given[i].value;
        SPRAG_TRY(sprag_hold_range(context, arguments->positional[0], &scene,
                                   arguments->given[i].value, &holds->ranges[holds->range_count]));
        holds->range_count++;
    }
    return SPRAG_OK;
}

void holds_destroy(SpragContext *context, Holds *holds)
{
    sprag_arena_destroy(holds->arena);
    sprag_free(context, holds->bodies);
    sprag_free(context, holds->paths);
    sprag_free(context, holds->ranges);
}

static const char *block_name(const Situation *situation, int block, char buffer[NAME_BYTES])
{
    int body =
        situation->model ? analyze_block_body(situation, &situation->problem->blocks[block]) : -1;
    if (body >= 0)
        return situation->model->bodies[body].name;
    snprintf(buffer, NAME_BYTES, "body%d", block);
    return buffer;
}

// A body of the scene: its velocities have names; else NULL. *size: how many a body has.
static const char *const *rate_names(const Situation *situation, int *size)
{
    return situation->model ? body_axes(situation_is_spatial(situation), size) : NULL;
}

// Part `index` of a block: bodies that joints connect share one. False: there are no more.
static bool part_of_block(const Situation *situation, int block, int index, SpragInertiaBlock *part)
{
    int size;
    *part = situation->problem->blocks[block];
    if (!rate_names(situation, &size))
        return index == 0;
    int parts = part->size / size;
    part->offset += index * size;
    part->size = size;
    return index < parts;
}

static const char *part_name(const Situation *situation, int block, const SpragInertiaBlock *part,
                             char buffer[NAME_BYTES])
{
    int body = situation->model ? analyze_block_body(situation, part) : -1;
    return body >= 0 ? situation->model->bodies[body].name : block_name(situation, block, buffer);
}

static bool moves(const SpragClosure *closure, const SpragInertiaBlock *block)
{
    for (int k = 0; closure->motion && k < block->size; k++)
        if (closure->motion[block->offset + k] != 0)
            return true;
    return false;
}

// ---- For people ---------------------------------------------------------------------------------

static void add_part_motion(const Holds *holds, const Situation *situation, int block,
                            const SpragInertiaBlock *part, SpragText *text)
{
    char name[NAME_BYTES], number[NUMBER_BYTES];
    int size;
    const char *const *names = rate_names(situation, &size);
    sprag_text_add(text, "  motion of %s:", part_name(situation, block, part, name));
    for (int k = 0; k < part->size; k++) {
        if (names)
            sprag_text_add(text, " %s'", names[k]);
        sprag_text_add(text, " %s%s", print_clean(holds->all.motion[part->offset + k], 1, number),
                       k + 1 < part->size ? "," : "\n");
    }
}

static void add_motion(const Holds *holds, const Situation *situation, SpragText *text)
{
    SpragInertiaBlock part;
    for (int i = 0; i < holds->body_count; i++)
        for (int k = 0; part_of_block(situation, i, k, &part); k++)
            if (moves(&holds->all, &part))
                add_part_motion(holds, situation, i, &part, text);
}

static void add_closure(const Holds *holds, const Situation *situation, SpragText *text)
{
    char name[NAME_BYTES];
    sprag_text_add(text, "\nclosure: %s, %s\n", sprag_closure_name(holds->all.kind),
                   holds->all.reason);
    for (int i = 0; i < holds->body_count && holds->body_count > 1; i++)
        sprag_text_add(text, "%s%s %s", i ? ", " : "  each alone: ", block_name(situation, i, name),
                       sprag_closure_name(holds->bodies[i].kind));
    if (holds->body_count > 1)
        sprag_text_add(text, "\n");
    add_motion(holds, situation, text);
}

static void add_value(Table *table, double value, const SpragHoldRange *range)
{
    char number[NUMBER_BYTES];
    double unit = range->unit > 0 ? range->unit : 1;
    table_add(table, "%s%s%s", print_number(value / unit, number), range->unit_name[0] ? " " : "",
              range->unit_name);
}

static void add_beyond(Table *table, const SpragHoldSide *side)
{
    switch (side->end) {
    case SPRAG_HOLD_CHANGES:
        table_add(table, "%s%s%s", sprag_verdict_name(side->becomes.kind),
                  side->becomes.modes[0] ? ": " : "", side->becomes.modes);
        break;
    case SPRAG_HOLD_RANGE:
        table_add(table, "(its range ends)");
        break;
    case SPRAG_HOLD_INVALID:
        table_add(table, "(not possible)");
        break;
    case SPRAG_HOLD_UNBOUNDED:
        table_add(table, "-");
        break;
    }
}

static void add_ranges(const Holds *holds, SpragText *text)
{
    static const char *const heads[] = {"of", "now", "held", "from", "to", "below", "above"};
    Table table;
    table_init(&table, text->context, "lrlrrll");
    table_add_heads(&table, heads);
    for (int i = 0; i < holds->range_count; i++) {
        const SpragHoldRange *range = &holds->ranges[i];
        table_add(&table, "%s", holds->paths[i]);
        add_value(&table, range->value, range);
        table_add(&table, "%s", range->outcome.held ? "yes" : "no");
        if (range->found) {
            add_value(&table, range->from.value, range);
            add_value(&table, range->to.value, range);
            add_beyond(&table, &range->from);
            add_beyond(&table, &range->to);
        }
        for (int k = 0; !range->found && k < 4; k++)
            table_add(&table, "-");
    }
    sprag_text_add(text, "\nhold: the values over which it is held\n");
    table_print(&table, text);
    table_destroy(&table);
}

void holds_text(const Holds *holds, const Situation *situation, bool all, SpragText *text)
{
    // of a body that moves anyway nobody asks what it would resist, unless it resists everything
    if (all || holds->range_count > 0 || holds->all.kind != SPRAG_CLOSURE_NONE)
        add_closure(holds, situation, text);
    if (holds->range_count > 0)
        add_ranges(holds, text);
}

// ---- JSON ---------------------------------------------------------------------------------------

// One entry per contact of row `row` (0: normal, 1: tangential) of a vector over the rows.
static void add_json_rows(Json *json, const char *key, const Situation *situation, int row,
                          const double *vector)
{
    json_begin_flat_array(json, key);
    for (int i = 0; i < situation->line_count; i++) {
        int index = situation->lines[i].constraint;
        const SpragConstraint *item = index < 0 ? NULL : &situation->problem->constraints[index];
        if (item && row == 1 && situation_tangents(item) > 1)
            json_numbers(json, NULL, situation_tangents(item),
                         vector + item->row + sprag_constraint_normals(item));
        else
            json_number(json, NULL, item ? situation_entry(item, vector, row) : NAN);
    }
    json_end_array(json);
}

static void add_json_motion(const Holds *holds, const Situation *situation, Json *json)
{
    char name[NAME_BYTES];
    int size;
    const char *const *names = rate_names(situation, &size);
    SpragInertiaBlock part;
    json_begin_object(json, "motion");
    for (int i = 0; i < holds->body_count; i++)
        for (int index = 0; part_of_block(situation, i, index, &part); index++) {
            const double *rates = holds->all.motion + part.offset;
            const char *whose = part_name(situation, i, &part, name);
            if (!names) {
                json_numbers(json, whose, part.size, rates);
                continue;
            }
            json_begin_flat_object(json, whose);
            for (int k = 0; k < part.size; k++)
                json_number(json, names[k], rates[k]);
            json_end_object(json);
        }
    json_end_object(json);
}

static void add_json_witness(const Holds *holds, const Situation *situation, Json *json)
{
    const SpragClosure *all = &holds->all;
    if (!all->force && !all->rate) {
        json_null(json, "witness");
        return;
    }
    json_begin_object(json, "witness");
    if (all->force) {
        add_json_rows(json, "normal", situation, 0, all->force);
        add_json_rows(json, "tangential", situation, 1, all->force);
    } else {
        if (all->motion)
            add_json_motion(holds, situation, json);
        add_json_rows(json, "gap_rate", situation, 0, all->rate);
        add_json_rows(json, "slip_rate", situation, 1, all->rate);
    }
    json_end_object(json);
}

static void add_json_closure(const Holds *holds, const Situation *situation, Json *json)
{
    char name[NAME_BYTES];
    json_begin_object(json, "closure");
    json_text(json, "kind", sprag_closure_name(holds->all.kind));
    json_text(json, "reason", holds->all.reason);
    json_number(json, "margin", holds->all.margin);
    json_begin_object(json, "bodies");
    for (int i = 0; i < holds->body_count; i++)
        json_text(json, block_name(situation, i, name), sprag_closure_name(holds->bodies[i].kind));
    json_end_object(json);
    add_json_witness(holds, situation, json);
    json_end_object(json);
}

static void add_json_side(Json *json, const char *key, const SpragHoldSide *side)
{
    json_begin_flat_object(json, key);
    json_text(json, "end", sprag_hold_end_name(side->end));
    if (side->end == SPRAG_HOLD_CHANGES) {
        json_text(json, "verdict", sprag_verdict_name(side->becomes.kind));
        json_integer(json, "solutions", side->becomes.solution_count);
        json_integer(json, "stable", side->becomes.stable_count);
        json_text(json, "modes", side->becomes.modes);
    }
    json_end_object(json);
}

static void add_json_range(Json *json, const char *path, const SpragHoldRange *range)
{
    json_begin_object(json, NULL);
    json_text(json, "path", path);
    json_number(json, "value", range->value);
    json_bool(json, "held", range->outcome.held);
    if (range->found) {
        json_number(json, "from", range->from.value);
        json_number(json, "to", range->to.value);
        add_json_side(json, "below", &range->from);
        add_json_side(json, "above", &range->to);
    } else {
        static const char *const keys[] = {"from", "to", "below", "above"};
        for (int k = 0; k < 4; k++)
            json_null(json, keys[k]);
    }
    json_end_object(json);
}

void holds_json(const Holds *holds, const Situation *situation, Json *json)
{
    add_json_closure(holds, situation, json);
    json_begin_array(json, "hold");
    for (int i = 0; i < holds->range_count; i++)
        add_json_range(json, holds->paths[i], &holds->ranges[i]);
    json_end_array(json);
}

// parameters.c: named values, in any order, evaluated when first used; cycles are found by state.
#include <stdlib.h>
#include <string.h>

#include "scene_private.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const Parameter *)a)->name, ((const Parameter *)b)->name);
}

Parameter *parameter_list(const Reader *reader, const Include *include, int *count)
{
    *count = include ? include->parameter_count : reader->parameter_count;
    return include ? include->parameters : reader->parameters;
}

Parameter *parameter_find(const Reader *reader, const Include *include, const char *name,
                          size_t length)
{
    int low = 0, high;
    Parameter *list = parameter_list(reader, include, &high);
    while (low < high) {
        int middle = low + (high - low) / 2;
        Parameter *parameter = &list[middle];
        int order = strncmp(name, parameter->name, length);
        if (order == 0 && parameter->name[length])
            order = -1;
        if (order == 0)
            return parameter;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' ||
                      (unsigned char)*c >= 0x80;
        if (!letter && !(c > name && *c >= '0' && *c <= '9'))
            return false;
    }
    return name[0] != 0;
}

static SpragStatus check_name(Reader *reader, const Node *key)
{
    static const char *const taken[] = {"t",     "pi",   "sin",  "cos", "tan", "asin",
                                        "acos",  "atan", "sqrt", "exp", "log", "abs",
                                        "atan2", "min",  "max",  "inf", "nan"};
    const char *fault = sprag_name_fault(key->text);
    if (!fault && !is_identifier(key->text))
        fault = "may have letters, digits and _ only, since formulas use it";
    for (size_t i = 0; i < sizeof taken / sizeof *taken && !fault; i++)
        if (strcmp(key->text, taken[i]) == 0)
            fault = "has a meaning in formulas already";
    if (fault)
        return fail_at(reader, key, "the parameter name \"%s\" %s", shown(reader, key->text),
                       fault);
    return SPRAG_OK;
}

static SpragStatus take_parameters(Reader *reader, const Node *mapping, Parameter **list,
                                   int *count)
{
    static const char *const keys[] = {"value", "from", "to", NULL};
    *count = 0;
    if (!mapping || node_is_empty(mapping))
        return SPRAG_OK;
    SPRAG_TRY(need_mapping(reader, mapping, "parameters"));
    *list = sprag_arena_alloc(reader->arena, (size_t)mapping->count, sizeof **list);
    if (!*list)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < mapping->count; i++) {
        SPRAG_TRY(check_name(reader, mapping->keys[i]));
        Parameter *parameter = &(*list)[i];
        parameter->name = mapping->keys[i]->text;
        parameter->node = parameter->whole = mapping->items[i];
        if (parameter->whole->kind != NODE_MAPPING)
            continue;
        SPRAG_TRY(check_keys(reader, parameter->whole, parameter->name, keys));
        parameter->node = node_get(parameter->whole, "value");
        if (!parameter->node)
            return fail_at(reader, parameter->whole, "the parameter %s needs a value",
                           parameter->name);
    }
    *count = mapping->count;
    if (mapping->count > 1)
        qsort(*list, (size_t)mapping->count, sizeof **list, compare_names);
    return SPRAG_OK;
}

// set: {name: value} of an include: the value stands in the file that includes.
static SpragStatus set_parameters(Reader *reader, const Include *include)
{
    const Node *set = node_get(include->entry, "set");
    if (!set || node_is_empty(set))
        return SPRAG_OK;
    for (int i = 0; i < set->count; i++) {
        const char *name = set->keys[i]->text;
        Parameter *parameter = parameter_find(reader, include, name, strlen(name));
        if (parameter) {
            parameter->node = set->items[i];
            continue;
        }
        int count = include->parameter_count;
        const char **names = sprag_arena_alloc(reader->arena, (size_t)count + 1, sizeof *names);
        if (!names)
            return SPRAG_ERROR_MEMORY;
        for (int k = 0; k < count; k++)
            names[k] = include->parameters[k].name;
        return fail_at(reader, set->keys[i], "%s has no parameter \"%s\"%s", include->file,
                       shown(reader, name), suggestion(reader, name, names, count));
    }
    return SPRAG_OK;
}

SpragStatus parameters_collect(Reader *reader)
{
    SPRAG_TRY(take_parameters(reader, node_get(reader->root, "parameters"), &reader->parameters,
                              &reader->parameter_count));
    for (Include *include = reader->includes; include; include = include->next) {
        SPRAG_TRY(take_parameters(reader, node_get(include->root, "parameters"),
                                  &include->parameters, &include->parameter_count));
        SPRAG_TRY(set_parameters(reader, include));
    }
    return SPRAG_OK;
}

void parameters_renew(Reader *reader, uint32_t variables)
{
    for (int i = 0; i < reader->parameter_count; i++)
        if (reader->parameters[i].varies & variables)
            reader->parameters[i].state = PARAMETER_NEW;
    for (Include *include = reader->includes; include; include = include->next)
        for (int i = 0; i < include->parameter_count; i++)
            if (include->parameters[i].varies & variables)
                include->parameters[i].state = PARAMETER_NEW;
}

SpragStatus parameter_evaluate(Reader *reader, Parameter *parameter)
{
    if (parameter->state == PARAMETER_DONE)
        return SPRAG_OK;
    if (parameter->state == PARAMETER_OPEN)
        return fail_at(reader, parameter->node, "the parameter %s depends on itself",
                       parameter->name);
    const Node *node = parameter->node;
    if (node->kind != NODE_SCALAR || node_is_empty(node))
        return fail_at(reader, node, "%s must be a number, got %s", parameter->name,
                       shown_node(reader, node));
    parameter->state = PARAMETER_OPEN;
    uint32_t outer = reader->varied;
    reader->varied = 0;
    SPRAG_TRY(expression_evaluate(reader, node, parameter->name, node->text, &parameter->value));
    parameter->varies = reader->varied;
    reader->varied = outer;
    parameter->state = PARAMETER_DONE;
    return SPRAG_OK;
}

// from and to are of the kind of the value.
static SpragStatus read_range(Reader *reader, const Parameter *parameter, SpragParameter *item)
{
    const Node *from = node_get(parameter->whole, "from"), *to = node_get(parameter->whole, "to");
    if (!from != !to)
        return fail_at(reader, parameter->whole, "the range of %s needs both from and to",
                       parameter->name);
    if (!from)
        return SPRAG_OK;
    item->has_range = true;
    const Value *value = &parameter->value;
    if (value->state == VALUE_UNIT) {
        SPRAG_TRY(read_quantity(reader, from, "from", value->dimension, RANGE_ALL, &item->from));
        return read_quantity(reader, to, "to", value->dimension, RANGE_ALL, &item->to);
    }
    SPRAG_TRY(read_number(reader, from, "from", KIND_ANY, RANGE_ALL, &item->from));
    return read_number(reader, to, "to", KIND_ANY, RANGE_ALL, &item->to);
}

static SpragStatus read_one(Reader *reader, Part *part)
{
    const Node *key = part->key;
    Parameter *parameter = parameter_find(reader, key->include, key->text, strlen(key->text));
    SPRAG_TRY(parameter_evaluate(reader, parameter));
    reader->varied |= parameter->varies;
    SpragParameter item = {0};
    item.name = (char *)full_name(reader, key->include, key->text);
    if (!item.name)
        return SPRAG_ERROR_MEMORY;
    item.value = parameter->value.number;
    SPRAG_TRY(read_range(reader, parameter, &item));
    if (!reader->model)
        return SPRAG_OK;
    if (part->index >= 0)
        return sprag_model_replace_parameter(reader->model, part->index, &item);
    return locate(reader, parameter->node,
                  sprag_model_add_parameter(reader->model, &item, &part->index));
}

static SpragStatus add_mapping(Reader *reader, const Node *mapping)
{
    for (int i = 0; mapping && i < mapping->count; i++)
        SPRAG_TRY(read_part(reader, (Part){.read = read_one,
                                           .change = SPRAG_SCENE_SAME,
                                           .key = mapping->keys[i],
                                           .node = mapping->items[i],
                                           .index = -1,
                                           .body = -1}));
    return SPRAG_OK;
}

SpragStatus parameters_add(Reader *reader)
{
    SPRAG_TRY(add_mapping(reader, node_get(reader->root, "parameters")));
    for (const Include *include = reader->includes; include; include = include->next)
        SPRAG_TRY(add_mapping(reader, node_get(include->root, "parameters")));
    return SPRAG_OK;
}

// model_add.c: the checked entry of every item into a model.
// Each call checks, copies and appends; on failure the model is as before. Magnitudes are bounded
// (SPRAG_MODEL_LARGEST) so that no later room meets an overflow.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model_private.h"

// ---- Checks -------------------------------------------------------------------------------------

static SpragStatus refuse(const SpragModel *model, const char *whose, const char *what)
{
    return sprag_fail(model->context, SPRAG_ERROR_INPUT, "%s: %s", whose, what);
}

static SpragStatus check_size(const SpragModel *model, const char *whose, const char *what,
                              double value)
{
    if (!(fabs(value) <= SPRAG_MODEL_LARGEST)) // also NaN
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: %s must be a finite number of at most 1e30, got %g", whose, what,
                          value);
    return SPRAG_OK;
}

static SpragStatus check_sizes(const SpragModel *model, const char *whose, const char *what,
                               const double *values, int count)
{
    for (int i = 0; i < count; i++)
        SPRAG_TRY(check_size(model, whose, what, values[i]));
    return SPRAG_OK;
}

static SpragStatus check_not_negative(const SpragModel *model, const char *whose, const char *what,
                                      double value)
{
    SPRAG_TRY(check_size(model, whose, what, value));
    if (value < 0)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "%s: %s must be a number ≥ 0, got %g",
                          whose, what, value);
    return SPRAG_OK;
}

static SpragStatus check_name(const SpragModel *model, NameKind kind, int owner, const char *name)
{
    const char *fault = sprag_name_fault(name);
    if (fault)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "the name \"%s\" %s", name ? name : "",
                          fault);
    if (name_find(model, kind, owner, name, strlen(name)) >= 0)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "the name \"%s\" is given twice",
                          name);
    return SPRAG_OK;
}

static SpragStatus check_body_index(const SpragModel *model, const char *whose, int body,
                                    bool world_too)
{
    if ((body < 0 || body >= model->body_count) && !(world_too && body == SPRAG_WORLD))
        return sprag_fail(model->context, SPRAG_ERROR_ARGUMENT, "%s: there is no body %d", whose,
                          body);
    return SPRAG_OK;
}

static SpragStatus check_vec2(const SpragModel *model, const char *whose, const char *what,
                              SpragVec2 v)
{
    SPRAG_TRY(check_size(model, whose, what, v.x));
    return check_size(model, whose, what, v.y);
}

static SpragStatus check_friction(const SpragModel *model, const char *whose,
                                  const SpragFriction *friction)
{
    if (!friction->given)
        return SPRAG_OK;
    SPRAG_TRY(check_not_negative(model, whose, "static friction", friction->stationary));
    SPRAG_TRY(check_not_negative(model, whose, "kinetic friction", friction->kinetic));
    return check_not_negative(model, whose, "stribeck speed", friction->stribeck);
}

static SpragStatus check_restitution(const SpragModel *model, const char *whose,
                                     const SpragRestitution *restitution)
{
    if (restitution->given && !(restitution->e >= 0 && restitution->e <= 1))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: restitution must be in 0 … 1, got %g", whose, restitution->e);
    return SPRAG_OK;
}

static SpragStatus check_compliance(const SpragModel *model, const char *whose,
                                    const SpragCompliance *layer)
{
    const struct {
        const char *what;
        double value;
    } numbers[] = {{"stiffness", layer->stiffness},
                   {"damping", layer->damping},
                   {"alpha", layer->alpha},
                   {"exponent", layer->exponent},
                   {"tangential stiffness", layer->tangential_stiffness},
                   {"tangential damping", layer->tangential_damping},
                   {"epsilon", layer->epsilon},
                   {"length", layer->length},
                   {"radius", layer->radius}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        SPRAG_TRY(check_not_negative(model, whose, numbers[i].what, numbers[i].value));
    if (layer->law == SPRAG_COMPLIANCE_HUNT_CROSSLEY && !(layer->exponent >= 1))
        return refuse(model, whose, "the exponent of hunt-crossley must be at least 1");
    return SPRAG_OK;
}

// ---- Lists --------------------------------------------------------------------------------------

// A list of the model, seen without its type.
typedef struct List {
    void *items; // address of the pointer to the first item
    size_t *capacity;
    int *count;
    size_t size;
} List;

static SpragStatus append(SpragModel *model, List list, const void *item, int *index)
{
    if (*list.count == INT_MAX)
        return sprag_fail(model->context, SPRAG_ERROR_LIMIT, "a list is too long");
    SPRAG_TRY(sprag_reserve(model->context, list.items, list.capacity, (size_t)*list.count + 1,
                            list.size));
    char *items;
    memcpy(&items, list.items, sizeof items);
    memcpy(items + (size_t)*list.count * list.size, item, list.size);
    if (index)
        *index = *list.count;
    ++*list.count;
    return SPRAG_OK;
}

#define LIST(plural, singular)                                                                     \
    ((List){&model->plural, &model->singular##_capacity, &model->singular##_count,                 \
            sizeof *model->plural})

// Copies *text in place; NULL stays NULL. False: no memory.
static bool copy_text(const SpragModel *model, char **text)
{
    if (!*text)
        return true;
    *text = sprag_copy_text(model->context, *text);
    return *text != NULL;
}

// Appends an item whose name (may be NULL) is a copy already; frees that copy on failure.
static SpragStatus append_named(SpragModel *model, List list, const void *item, NameKind kind,
                                char *name, int *index)
{
    SpragStatus status = name_reserve(model);
    int added = 0;
    if (status == SPRAG_OK)
        status = append(model, list, item, &added);
    if (status != SPRAG_OK) {
        sprag_free(model->context, name);
        return status;
    }
    name_add(model, kind, added);
    if (index)
        *index = added;
    return SPRAG_OK;
}

// ---- Items --------------------------------------------------------------------------------------

SpragStatus sprag_model_add_parameter(SpragModel *model, const SpragParameter *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_PARAMETER, -1, item->name));
    SPRAG_TRY(check_size(model, item->name, "value", item->value));
    if (item->has_range) {
        SPRAG_TRY(check_size(model, item->name, "from", item->from));
        SPRAG_TRY(check_size(model, item->name, "to", item->to));
        if (!(item->from < item->to))
            return refuse(model, item->name, "from must be less than to");
    }
    SpragParameter copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(parameters, parameter), &copy, NAME_PARAMETER, copy.name,
                        index);
}

SpragStatus sprag_model_add_material(SpragModel *model, const SpragMaterial *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_MATERIAL, -1, item->name));
    SPRAG_TRY(check_friction(model, item->name, &item->friction));
    SPRAG_TRY(check_restitution(model, item->name, &item->restitution));
    SPRAG_TRY(check_not_negative(model, item->name, "young", item->young));
    if (!(item->poisson_ratio > -1 && item->poisson_ratio <= 0.5))
        return refuse(model, item->name, "poisson-ratio must be above -1 and at most 0.5");
    SpragMaterial copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(materials, material), &copy, NAME_MATERIAL, copy.name, index);
}

static SpragStatus check_mass(const SpragModel *model, const SpragBody *item)
{
    if (item->fixed)
        return SPRAG_OK;
    SPRAG_TRY(check_size(model, item->name, "mass", item->mass));
    if (!(item->mass >= SPRAG_MODEL_SMALLEST))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: mass must be a number > 0 (at least 1e-30 kg), got %g", item->name,
                          item->mass);
    // mass times length², within the bounds of both
    double least = SPRAG_MODEL_SMALLEST * SPRAG_MODEL_SMALLEST;
    double most = SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST;
    if (!(item->inertia >= least && item->inertia <= most))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: inertia must be a number > 0 (1e-60 … 1e90 kg m²), got %g",
                          item->name, item->inertia);
    return SPRAG_OK;
}

SpragStatus sprag_model_add_body(SpragModel *model, const SpragBody *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_BODY, -1, item->name));
    SPRAG_TRY(check_mass(model, item));
    SPRAG_TRY(check_sizes(model, item->name, "position", item->position, 3));
    SPRAG_TRY(check_size(model, item->name, "angle", item->angle));
    SPRAG_TRY(check_sizes(model, item->name, "velocity", item->velocity, 3));
    SPRAG_TRY(check_size(model, item->name, "spin", item->spin));
    SPRAG_TRY(check_sizes(model, item->name, "com", item->com, 3));
    SPRAG_TRY(check_sizes(model, item->name, "surface-velocity", item->surface_velocity, 3));
    SpragBody copy = *item;
    if (copy.fixed)
        copy.mass = copy.inertia = 0;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(bodies, body), &copy, NAME_BODY, copy.name, index);
}

static int least_vertices(SpragShapeKind kind)
{
    static const int counts[] = {1, 2, 4, 3, 2, 1, 0, 2};
    return counts[kind];
}

static SpragStatus check_shape(const SpragModel *model, const SpragShape *item)
{
    const char *kind = sprag_shape_kind_name(item->kind);
    if ((unsigned)item->kind > SPRAG_SHAPE_CHAIN)
        return refuse(model, "shape", "unknown kind");
    SPRAG_TRY(check_body_index(model, kind, item->body, false));
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_SHAPE, item->body, item->name));
    if (item->material < -1 || item->material >= model->material_count)
        return refuse(model, kind, "there is no such material");
    if (item->vertex_count < least_vertices(item->kind))
        return refuse(model, kind, "has too few points");
    for (int i = 0; i < item->vertex_count; i++)
        SPRAG_TRY(check_vec2(model, kind, "a point", item->vertices[i]));
    SPRAG_TRY(check_not_negative(model, kind, "radius", item->radius));
    bool infinite = item->kind == SPRAG_SHAPE_PLANE || item->kind == SPRAG_SHAPE_CHAIN;
    if (infinite && !model->bodies[item->body].fixed)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "a %s needs a fixed body", kind);
    SPRAG_TRY(check_size(model, kind, "offset", item->offset));
    // rounding of a normalised vector is a few 1e-16
    if (item->kind == SPRAG_SHAPE_PLANE &&
        !(fabs(hypot(item->normal.x, item->normal.y) - 1) <= 1e-12))
        return refuse(model, kind, "the normal must have length 1");
    return check_sizes(model, kind, "surface-velocity", item->surface_velocity, 3);
}

// Default names of vertices: a, b; c0 …; p0 …; centre.
static char *default_vertex_name(const SpragModel *model, SpragShapeKind kind, int vertex)
{
    char name[16] = "centre";
    bool ends = kind == SPRAG_SHAPE_ROD || kind == SPRAG_SHAPE_CAPSULE;
    char letter = kind == SPRAG_SHAPE_BOX || kind == SPRAG_SHAPE_POLYGON ? 'c' : 'p';
    if (ends) {
        name[0] = vertex == 0 ? 'a' : 'b';
        name[1] = 0;
    } else if (kind != SPRAG_SHAPE_CIRCLE) {
        char digits[16];
        int length = 0, out = 0;
        do
            digits[length++] = (char)('0' + vertex % 10);
        while (vertex /= 10);
        name[out++] = letter;
        while (length > 0)
            name[out++] = digits[--length];
        name[out] = 0;
    }
    return sprag_copy_text(model->context, name);
}

static bool copy_vertices(const SpragModel *model, const SpragShape *item, SpragShape *copy)
{
    size_t count = (size_t)item->vertex_count;
    copy->vertices = sprag_alloc(model->context, count, sizeof *copy->vertices);
    copy->vertex_names = sprag_alloc(model->context, count, sizeof *copy->vertex_names);
    if (!copy->vertices || !copy->vertex_names)
        return false;
    if (count > 0)
        memcpy(copy->vertices, item->vertices, count * sizeof *copy->vertices);
    for (int i = 0; i < item->vertex_count; i++) {
        copy->vertex_names[i] = item->vertex_names
                                    ? sprag_copy_text(model->context, item->vertex_names[i])
                                    : default_vertex_name(model, item->kind, i);
        if (!copy->vertex_names[i])
            return false;
    }
    return true;
}

SpragStatus sprag_model_add_shape(SpragModel *model, const SpragShape *item, int *index)
{
    SPRAG_TRY(check_shape(model, item));
    SpragShape copy = *item;
    copy.name = NULL;
    copy.vertices = NULL;
    copy.vertex_names = NULL;
    SpragStatus status = SPRAG_ERROR_MEMORY;
    int added = 0;
    if (!copy_vertices(model, item, &copy))
        goto cleanup;
    copy.name = item->name;
    if (!copy_text(model, &copy.name))
        goto cleanup;
    SPRAG_TRY_CLEANUP(name_reserve(model));
    SPRAG_TRY_CLEANUP(append(model, LIST(shapes, shape), &copy, &added));
    name_add(model, NAME_SHAPE, added);
    if (index)
        *index = added;
    return SPRAG_OK;
cleanup:
    shape_free(model->context, &copy);
    return status;
}

SpragStatus sprag_model_add_site(SpragModel *model, const SpragSite *item, int *index)
{
    SPRAG_TRY(check_body_index(model, "site", item->body, false));
    SPRAG_TRY(check_name(model, NAME_SITE, item->body, item->name));
    if (strcmp(item->name, "com") == 0)
        return refuse(model, "site", "com is the centre of mass already");
    SPRAG_TRY(check_vec2(model, item->name, "site", item->local));
    SpragSite copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(sites, site), &copy, NAME_SITE, copy.name, index);
}

static SpragStatus check_selector(const SpragModel *model, const SpragSelector *selector)
{
    int counts[] = {1, model->material_count, model->body_count, model->shape_count,
                    model->shape_count};
    if ((unsigned)selector->kind > SPRAG_SELECT_FEATURE || selector->index < 0 ||
        selector->index >= counts[selector->kind])
        return refuse(model, "between", "there is no such body, shape or material");
    if (selector->kind == SPRAG_SELECT_FEATURE &&
        (selector->feature < 0 || selector->feature >= model->shapes[selector->index].vertex_count))
        return refuse(model, "between", "there is no such feature");
    return SPRAG_OK;
}

SpragStatus sprag_model_add_rule(SpragModel *model, const SpragRule *item, int *index)
{
    const char *whose = item->name ? item->name : "contact";
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_RULE, -1, item->name));
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(check_selector(model, &item->between[i]));
    SPRAG_TRY(check_friction(model, whose, &item->friction));
    SPRAG_TRY(check_restitution(model, whose, &item->restitution));
    if (item->compliance_given)
        SPRAG_TRY(check_compliance(model, whose, &item->compliance));
    SpragRule copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(rules, rule), &copy, NAME_RULE, copy.name, index);
}

SpragStatus sprag_model_add_load(SpragModel *model, const SpragLoad *item, int *index)
{
    SPRAG_TRY(check_body_index(model, "load", item->body, false));
    SPRAG_TRY(check_sizes(model, "load", "force", item->force, 3));
    SPRAG_TRY(check_size(model, "load", "torque", item->torque));
    SPRAG_TRY(check_vec2(model, "load", "at", item->local));
    return append(model, LIST(loads, load), item, index);
}

SpragStatus sprag_model_add_spring(SpragModel *model, const SpragSpring *item, int *index)
{
    const char *whose = item->name ? item->name : "spring";
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_SPRING, -1, item->name));
    for (int i = 0; i < 2; i++) {
        SPRAG_TRY(check_body_index(model, whose, item->ends[i].body, true));
        SPRAG_TRY(check_vec2(model, whose, "end", item->ends[i].local));
    }
    SPRAG_TRY(check_not_negative(model, whose, "stiffness", item->stiffness));
    SPRAG_TRY(check_not_negative(model, whose, "damping", item->damping));
    SPRAG_TRY(check_not_negative(model, whose, "rest", item->rest));
    SpragSpring copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(springs, spring), &copy, NAME_SPRING, copy.name, index);
}

static SpragStatus check_start(const SpragModel *model, const SpragStart *item)
{
    if (item->kind == SPRAG_START_POINT) {
        SPRAG_TRY(check_body_index(model, "start", item->point.body, false));
        SPRAG_TRY(check_vec2(model, "start", "point", item->point.local));
        SPRAG_TRY(check_vec2(model, "start", "at", item->at));
        return check_vec2(model, "start", "velocity", item->velocity);
    }
    if (!item->contact)
        for (int i = 0; i < 2; i++)
            SPRAG_TRY(check_selector(model, &item->between[i]));
    SPRAG_TRY(check_size(model, "start", "gap", item->gap));
    SPRAG_TRY(check_size(model, "start", "velocity", item->normal_velocity));
    return check_size(model, "start", "slip", item->slip);
}

SpragStatus sprag_model_add_start(SpragModel *model, const SpragStart *item, int *index)
{
    SPRAG_TRY(check_start(model, item));
    SpragStart copy = *item;
    if (!copy_text(model, &copy.contact))
        return SPRAG_ERROR_MEMORY;
    SpragStatus status = append(model, LIST(starts, start), &copy, index);
    if (status != SPRAG_OK)
        sprag_free(model->context, copy.contact);
    return status;
}

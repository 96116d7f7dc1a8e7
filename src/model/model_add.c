// model_add.c: the checked entry of every item into a model.
// Each call checks, copies and appends; on failure the model is as before.
#include <limits.h>
#include <string.h>

#include "model_private.h"
#include "solid_private.h"

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
    SPRAG_TRY(parameter_check(model, item));
    SpragParameter copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(parameters, parameter), &copy, NAME_PARAMETER, copy.name,
                        index);
}

SpragStatus sprag_model_add_material(SpragModel *model, const SpragMaterial *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_MATERIAL, -1, item->name));
    SPRAG_TRY(material_check(model, item));
    SpragMaterial copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(materials, material), &copy, NAME_MATERIAL, copy.name, index);
}

void body_still(SpragBody *body)
{
    body->mass = body->inertia = 0;
    memset(body->tensor, 0, sizeof body->tensor);
}

SpragStatus sprag_model_add_body(SpragModel *model, const SpragBody *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_BODY, -1, item->name));
    SPRAG_TRY(body_check(model, item));
    SpragBody copy = *item;
    if (copy.fixed)
        body_still(&copy);
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(bodies, body), &copy, NAME_BODY, copy.name, index);
}

// Default names of vertices: a, b; c0 …; p0 …; centre.
static char *default_vertex_name(const SpragModel *model, SpragShapeKind kind, int vertex)
{
    char name[16] = "centre";
    bool ends =
        kind == SPRAG_SHAPE_ROD || kind == SPRAG_SHAPE_CAPSULE || kind == SPRAG_SHAPE_CYLINDER;
    bool corners = kind == SPRAG_SHAPE_BOX || kind == SPRAG_SHAPE_POLYGON ||
                   kind == SPRAG_SHAPE_HULL || kind == SPRAG_SHAPE_MESH;
    char letter = corners ? 'c' : 'p';
    if (ends) {
        name[0] = vertex == 0 ? 'a' : 'b';
        name[1] = 0;
    } else if (kind != SPRAG_SHAPE_CIRCLE && kind != SPRAG_SHAPE_SPHERE) {
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

static bool copy_points(const SpragModel *model, const SpragShape *item, SpragShape *copy)
{
    size_t count = (size_t)item->vertex_count;
    if (model->dimension == 3) {
        copy->points = sprag_alloc(model->context, count, sizeof *copy->points);
        if (copy->points && count > 0)
            memcpy(copy->points, item->points, count * sizeof *copy->points);
        return copy->points != NULL;
    }
    copy->vertices = sprag_alloc(model->context, count, sizeof *copy->vertices);
    if (copy->vertices && count > 0)
        memcpy(copy->vertices, item->vertices, count * sizeof *copy->vertices);
    return copy->vertices != NULL;
}

static bool copy_vertices(const SpragModel *model, const SpragShape *item, SpragShape *copy)
{
    copy->vertex_names =
        sprag_alloc(model->context, (size_t)item->vertex_count, sizeof *copy->vertex_names);
    if (!copy->vertex_names || !copy_points(model, item, copy))
        return false;
    for (int i = 0; i < item->vertex_count; i++) {
        copy->vertex_names[i] = item->vertex_names
                                    ? sprag_copy_text(model->context, item->vertex_names[i])
                                    : default_vertex_name(model, item->kind, i);
        if (!copy->vertex_names[i])
            return false;
    }
    return true;
}

// The solid of a box or hull that has none is made from its points, the surface is copied.
static SpragStatus copy_geometry(const SpragModel *model, const SpragShape *item, SpragShape *copy)
{
    SpragContext *context = model->context;
    if (model->dimension != 3)
        return SPRAG_OK;
    shape_complete(copy);
    if (item->surface) {
        copy->surface = surface_copy(context, item->surface);
        return copy->surface ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    }
    if (item->solid) {
        copy->solid = solid_copy(context, item->solid);
        return copy->solid ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    }
    if (item->kind != SPRAG_SHAPE_BOX && item->kind != SPRAG_SHAPE_HULL)
        return SPRAG_OK;
    SPRAG_TRY(sprag_solid_create_hull(context, item->vertex_count, item->points, &copy->solid));
    return copy->solid->vertex_count == item->vertex_count
               ? SPRAG_OK
               : model_refuse(model, sprag_shape_kind_name(item->kind),
                              "points inside of the hull of the others are no corners");
}

SpragStatus sprag_model_add_shape(SpragModel *model, const SpragShape *item, int *index)
{
    SPRAG_TRY(shape_check(model, item));
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_SHAPE, item->body, item->name));
    SpragShape copy = *item;
    copy.name = NULL;
    copy.vertices = NULL;
    copy.points = NULL;
    copy.vertex_names = NULL;
    copy.solid = NULL;
    copy.surface = NULL;
    SpragStatus status = SPRAG_ERROR_MEMORY;
    int added = 0;
    if (!copy_vertices(model, item, &copy))
        goto cleanup;
    SPRAG_TRY_CLEANUP(copy_geometry(model, item, &copy));
    copy.name = item->name;
    status = SPRAG_ERROR_MEMORY;
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
    SPRAG_TRY(body_index_check(model, "site", item->body, false));
    SPRAG_TRY(check_name(model, NAME_SITE, item->body, item->name));
    if (strcmp(item->name, "com") == 0)
        return model_refuse(model, "site", "com is the centre of mass already");
    SPRAG_TRY(site_check(model, item));
    SpragSite copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(sites, site), &copy, NAME_SITE, copy.name, index);
}

SpragStatus sprag_model_add_rule(SpragModel *model, const SpragRule *item, int *index)
{
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_RULE, -1, item->name));
    if (item->name && sprag_model_find_joint(model, item->name) >= 0)
        return model_refuse(model, item->name, "a joint has this name already");
    SPRAG_TRY(rule_check(model, item));
    SpragRule copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(rules, rule), &copy, NAME_RULE, copy.name, index);
}

SpragStatus sprag_model_add_load(SpragModel *model, const SpragLoad *item, int *index)
{
    SPRAG_TRY(load_check(model, item));
    return append(model, LIST(loads, load), item, index);
}

SpragStatus sprag_model_add_spring(SpragModel *model, const SpragSpring *item, int *index)
{
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_SPRING, -1, item->name));
    SPRAG_TRY(spring_check(model, item));
    SpragSpring copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(springs, spring), &copy, NAME_SPRING, copy.name, index);
}

SpragStatus sprag_model_add_joint(SpragModel *model, const SpragJoint *item, int *index)
{
    SPRAG_TRY(check_name(model, NAME_JOINT, -1, item->name));
    // its friction is a contact of that name
    if (name_find(model, NAME_RULE, -1, item->name, strlen(item->name)) >= 0)
        return model_refuse(model, item->name, "a contact has this name already");
    SPRAG_TRY(joint_check(model, item));
    SpragJoint copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(joints, joint), &copy, NAME_JOINT, copy.name, index);
}

SpragStatus sprag_model_add_controller(SpragModel *model, const SpragController *item, int *index)
{
    if (item->name)
        SPRAG_TRY(check_name(model, NAME_CONTROLLER, -1, item->name));
    SPRAG_TRY(controller_check(model, item));
    SpragController copy = *item;
    if (!copy_text(model, &copy.name))
        return SPRAG_ERROR_MEMORY;
    return append_named(model, LIST(controllers, controller), &copy, NAME_CONTROLLER, copy.name,
                        index);
}

SpragStatus sprag_model_add_start(SpragModel *model, const SpragStart *item, int *index)
{
    SPRAG_TRY(start_check(model, item));
    SpragStart copy = *item;
    if (!copy_text(model, &copy.contact))
        return SPRAG_ERROR_MEMORY;
    SpragStatus status = append(model, LIST(starts, start), &copy, index);
    if (status != SPRAG_OK)
        sprag_free(model->context, copy.contact);
    return status;
}

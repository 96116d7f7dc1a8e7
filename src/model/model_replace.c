// model_replace.c: other numbers in items that a model has.
// Names, kinds, counts and lists stay, so that indices, pointers and look-ups of the model hold on;
// what an item owns (texts, arrays of vertices) is kept and only written into.
#include <math.h>
#include <string.h>

#include "model_private.h"
#include "solid_private.h"

static SpragStatus check_index(const SpragModel *model, int index, int count)
{
    if (index < 0 || index >= count)
        return sprag_fail(model->context, SPRAG_ERROR_ARGUMENT, "there is no item %d to replace",
                          index);
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_parameter(SpragModel *model, int index, const SpragParameter *item)
{
    SPRAG_TRY(check_index(model, index, model->parameter_count));
    SPRAG_TRY(parameter_check(model, item));
    SpragParameter *place = &model->parameters[index];
    char *name = place->name;
    *place = *item;
    place->name = name;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_material(SpragModel *model, int index, const SpragMaterial *item)
{
    SPRAG_TRY(check_index(model, index, model->material_count));
    SPRAG_TRY(material_check(model, item));
    SpragMaterial *place = &model->materials[index];
    char *name = place->name;
    *place = *item;
    place->name = name;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_body(SpragModel *model, int index, const SpragBody *item)
{
    SPRAG_TRY(check_index(model, index, model->body_count));
    SpragBody *place = &model->bodies[index];
    if (item->fixed != place->fixed || item->driven != place->driven)
        return model_refuse(model, place->name, "a body stays fixed, driven or free");
    SPRAG_TRY(body_check(model, item));
    char *name = place->name;
    *place = *item;
    place->name = name;
    if (place->fixed)
        body_still(place);
    return SPRAG_OK;
}

// The solid or surface of a shape gets other numbers; its faces stay.
static SpragStatus put_geometry(SpragModel *model, const SpragShape *item, SpragShape *kept)
{
    SpragSolid *made = NULL;
    const SpragSolid *solid = item->solid;
    size_t bytes = (size_t)item->vertex_count * sizeof *item->points;
    if (kept->solid && !solid && memcmp(kept->points, item->points, bytes) == 0)
        solid = kept->solid; // the same corners: nothing to build
    if (kept->solid && !solid) {
        SPRAG_TRY(sprag_solid_create_hull(model->context, item->vertex_count, item->points, &made));
        solid = made;
    }
    bool same = !kept->solid || solid == kept->solid || solid_put(kept->solid, solid);
    sprag_solid_destroy(model->context, made);
    if (kept->surface)
        same = item->surface && surface_put(kept->surface, item->surface);
    return same ? SPRAG_OK
                : model_refuse(model, sprag_shape_kind_name(kept->kind),
                               "a shape keeps its faces and edges");
}

SpragStatus sprag_model_replace_shape(SpragModel *model, int index, const SpragShape *item)
{
    SPRAG_TRY(check_index(model, index, model->shape_count));
    SpragShape *place = &model->shapes[index], kept = *place;
    if (item->kind != kept.kind || item->body != kept.body ||
        item->vertex_count != kept.vertex_count || item->closed != kept.closed ||
        item->inside != kept.inside)
        return model_refuse(model, sprag_shape_kind_name(kept.kind),
                            "a shape keeps its kind, its body and the number of its points");
    SPRAG_TRY(shape_check(model, item));
    SPRAG_TRY(put_geometry(model, item, &kept));
    size_t count = (size_t)kept.vertex_count;
    if (count > 0 && kept.points)
        memcpy(kept.points, item->points, count * sizeof *kept.points);
    else if (count > 0)
        memcpy(kept.vertices, item->vertices, count * sizeof *kept.vertices);
    *place = *item;
    place->name = kept.name;
    place->vertices = kept.vertices;
    place->points = kept.points;
    place->solid = kept.solid;
    place->surface = kept.surface;
    place->vertex_names = kept.vertex_names;
    if (model->dimension == 3)
        shape_complete(place);
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_site(SpragModel *model, int index, const SpragSite *item)
{
    SPRAG_TRY(check_index(model, index, model->site_count));
    SPRAG_TRY(site_check(model, item));
    model->sites[index].local = item->local;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_rule(SpragModel *model, int index, const SpragRule *item)
{
    SPRAG_TRY(check_index(model, index, model->rule_count));
    SpragRule *place = &model->rules[index];
    if (item->ignore != place->ignore ||
        memcmp(item->between, place->between, sizeof item->between) != 0)
        return model_refuse(model, "contact", "a rule stays between the same two");
    SPRAG_TRY(rule_check(model, item));
    char *name = place->name;
    *place = *item;
    place->name = name;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_load(SpragModel *model, int index, const SpragLoad *item)
{
    SPRAG_TRY(check_index(model, index, model->load_count));
    SPRAG_TRY(load_check(model, item));
    model->loads[index] = *item;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_spring(SpragModel *model, int index, const SpragSpring *item)
{
    SPRAG_TRY(check_index(model, index, model->spring_count));
    SPRAG_TRY(spring_check(model, item));
    SpragSpring *place = &model->springs[index];
    char *name = place->name;
    *place = *item;
    place->name = name;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_joint(SpragModel *model, int index, const SpragJoint *item)
{
    SPRAG_TRY(check_index(model, index, model->joint_count));
    SpragJoint *place = &model->joints[index], changed = *item;
    changed.name = place->name;
    bool same = item->kind == place->kind && item->driven == place->driven &&
                item->limited == place->limited && item->sprung == place->sprung &&
                item->as_placed == place->as_placed;
    for (int i = 0; i < 2; i++)
        same = same && item->ends[i].body == place->ends[i].body &&
               isinf(item->limits[i]) == isinf(place->limits[i]);
    if (!same || joint_has_friction(item) != joint_has_friction(place))
        return model_refuse(model, place->name,
                            "a joint keeps its kind, its bodies, and whether it has limits, "
                            "friction, a spring or a drive");
    SPRAG_TRY(joint_check(model, &changed));
    *place = changed;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_controller(SpragModel *model, int index,
                                           const SpragController *item)
{
    SPRAG_TRY(check_index(model, index, model->controller_count));
    SpragController *place = &model->controllers[index], changed = *item;
    changed.name = place->name;
    SPRAG_TRY(controller_check(model, &changed));
    *place = changed;
    return SPRAG_OK;
}

SpragStatus sprag_model_replace_start(SpragModel *model, int index, const SpragStart *item)
{
    SPRAG_TRY(check_index(model, index, model->start_count));
    SPRAG_TRY(start_check(model, item));
    SpragStart *place = &model->starts[index];
    char *contact = place->contact;
    *place = *item;
    place->contact = contact;
    return SPRAG_OK;
}

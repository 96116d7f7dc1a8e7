// space_collider.c: life of a collider in space.
// Slots     a small model lists what its pairs of shapes have in every configuration at once. In a
//           large one (EAGER_LIMIT slots) pairs are listed when they come near, but for planes, as
//           far as they fit, and for pairs that named rules or `start` lines ask for.
#include <string.h>

#include "space_catalogue.h"

enum { EAGER_LIMIT = 20000 };
// A new collider looks this far around, relative to the size of the bodies.
static const double FIRST_REACH = 0.01;

void sprag_pose_set(const double *position, const double *velocity, SpragPose *pose)
{
    SpragQuaternion q = {position[3], position[4], position[5], position[6]};
    pose->x = sprag_vec3_of(position);
    pose->R = sprag_quaternion_matrix(q);
    pose->v = velocity ? sprag_vec3_of(velocity) : sprag_vec3(0, 0, 0);
    pose->w = velocity ? sprag_vec3_of(velocity + 3) : sprag_vec3(0, 0, 0);
}

// ---- Creation -----------------------------------------------------------------------------------

static void set_tolerances(SpragCollider *collider, const SpragPose *poses)
{
    double far = 0;
    for (int i = 0; i < collider->model->body_count; i++)
        far = fmax(far, sprag_vec3_norm(poses[i].x));
    collider_set_tolerances(collider, far);
}

static SpragStatus set_trees(SpragCollider *collider)
{
    const SpragModel *model = collider->model;
    Space *space = collider->space;
    for (int i = 0; i < model->shape_count; i++) {
        surface_tree_destroy(collider->context, space->trees[i]);
        space->trees[i] = NULL;
        if (model->shapes[i].surface)
            SPRAG_TRY(
                surface_tree_create(collider->context, model->shapes[i].surface, &space->trees[i]));
    }
    return SPRAG_OK;
}

static SpragStatus create_space(SpragCollider *collider)
{
    const SpragModel *model = collider->model;
    SpragContext *context = collider->context;
    Space *space = sprag_alloc(context, 1, sizeof *space);
    collider->space = space;
    if (!space)
        return SPRAG_ERROR_MEMORY;
    sprag_text_init(&space->text, context);
    space->trees = sprag_alloc(context, (size_t)model->shape_count, sizeof(SurfaceTree *));
    space->rule_numbers = sprag_alloc(context, (size_t)model->rule_count, sizeof(int));
    space->rule_single = sprag_alloc(context, (size_t)model->rule_count, sizeof(bool));
    if (!space->trees || !space->rule_numbers || !space->rule_single)
        return SPRAG_ERROR_MEMORY;
    return set_trees(collider);
}

static double choose_two(double count)
{
    return count * (count - 1) / 2;
}

// How many pairs of shapes of different bodies there are, two fixed ones apart.
static double count_pairs(const SpragCollider *collider)
{
    const SpragModel *model = collider->model;
    double fixed = 0, pairs = choose_two(model->shape_count);
    for (int i = 0; i < model->shape_count; i++) {
        const ShapePlace *place = &collider->places[i];
        bool is_fixed = model->bodies[model->shapes[i].body].fixed;
        fixed += is_fixed;
        if (!is_fixed && place->number == 0)
            pairs -= choose_two(place->siblings);
    }
    return pairs - choose_two(fixed);
}

static SpragStatus list_pair(SpragCollider *collider, int a, int b)
{
    int pair;
    if (!space_pair_counts(collider->model, a, b))
        return SPRAG_OK;
    SPRAG_TRY(space_pair(collider, a, b, &pair));
    return space_list_pair(collider, pair);
}

// All pairs; false in *fits: they are too many.
static SpragStatus list_all(SpragCollider *collider, bool *fits)
{
    const SpragModel *model = collider->model;
    *fits = count_pairs(collider) <= EAGER_LIMIT;
    for (int a = 0; a < model->shape_count && *fits; a++) {
        for (int b = a + 1; b < model->shape_count && *fits; b++) {
            SPRAG_TRY(list_pair(collider, a, b));
            *fits = collider->slot_count <= EAGER_LIMIT;
        }
    }
    return SPRAG_OK;
}

static bool selects_shape(const SpragModel *model, const SpragSelector *selector, int shape)
{
    if (selector->kind == SPRAG_SELECT_BODY)
        return model->shapes[shape].body == selector->index;
    return selector->kind > SPRAG_SELECT_BODY && selector->index == shape;
}

static SpragStatus list_selected(SpragCollider *collider, const SpragSelector between[2])
{
    const SpragModel *model = collider->model;
    for (int a = 0; a < model->shape_count; a++) {
        if (!selects_shape(model, &between[0], a))
            continue;
        for (int b = 0; b < model->shape_count; b++)
            if (selects_shape(model, &between[1], b))
                SPRAG_TRY(list_pair(collider, a, b));
    }
    return SPRAG_OK;
}

// Of a large model: planes, and what rules and starts name.
static SpragStatus list_some(SpragCollider *collider)
{
    const SpragModel *model = collider->model;
    collider->space->lazy = true;
    SPRAG_TRY(space_truncate(collider, 0, 0));
    for (int i = 0; i < model->rule_count; i++)
        if (model->rules[i].name)
            SPRAG_TRY(list_selected(collider, model->rules[i].between));
    for (int i = 0; i < model->start_count; i++)
        if (model->starts[i].kind == SPRAG_START_CONTACT && !model->starts[i].contact)
            SPRAG_TRY(list_selected(collider, model->starts[i].between));
    for (int a = 0; a < model->shape_count; a++) {
        if (model->shapes[a].kind != SPRAG_SHAPE_PLANE)
            continue;
        for (int b = 0; b < model->shape_count && collider->slot_count <= EAGER_LIMIT; b++)
            SPRAG_TRY(list_pair(collider, a, b));
    }
    return SPRAG_OK;
}

// ---- Rules that name one slot -------------------------------------------------------------------

static bool pair_may_grow(const SpragShape *a, const SpragShape *b)
{
    return pair_is_special(a, b) || (shape_edge_count(a) > 0 && shape_edge_count(b) > 0);
}

// Whether further slots of a pair can fall under the rule.
static bool rule_may_grow(const SpragCollider *collider, int rule)
{
    const SpragModel *model = collider->model;
    const Space *space = collider->space;
    const SpragSelector *between = model->rules[rule].between;
    for (int i = 0; i < space->pair_count; i++) {
        const int *shape = space->pairs[i].shape;
        if (!pair_may_grow(&model->shapes[shape[0]], &model->shapes[shape[1]]))
            continue;
        SpragSlot trial = {.shape = {shape[0], shape[1]}, .feature = {-1, -1}, .vertex = {-1, -1}};
        for (int k = 0; k < 2; k++)
            trial.body[k] = model->shapes[shape[k]].body;
        if (slot_matches(collider, &trial, between, false) ||
            slot_matches(collider, &trial, between, true))
            return true;
    }
    return false;
}

static void find_single_rules(SpragCollider *collider)
{
    Space *space = collider->space;
    int *counts = space->rule_numbers;
    for (int i = 0; i < collider->slot_count; i++)
        if (collider->slots[i].shown.rule >= 0)
            counts[collider->slots[i].shown.rule]++;
    for (int i = 0; i < collider->model->rule_count; i++) {
        bool one = !space->lazy && counts[i] == 1 && collider->model->rules[i].name;
        space->rule_single[i] = one && !rule_may_grow(collider, i);
        counts[i] = 0;
    }
}

static SpragStatus fill_space(SpragCollider *collider, const SpragPose *poses)
{
    bool fits;
    int added;
    SPRAG_TRY(create_space(collider));
    set_tolerances(collider, poses);
    SPRAG_TRY(list_all(collider, &fits));
    if (!fits)
        SPRAG_TRY(list_some(collider));
    find_single_rules(collider);
    SPRAG_TRY(space_name(collider, 0));
    collider->space->base_slots = collider->slot_count;
    collider->space->base_pairs = collider->space->pair_count;
    SPRAG_TRY(space_seams_find(collider, poses));
    double reach = FIRST_REACH * sprag_model_size(collider->model);
    return sprag_collider_refresh(collider, poses, NULL, reach, &added);
}

SpragStatus sprag_collider_create_space(const SpragModel *model, const SpragPose *poses,
                                        SpragCollider **collider)
{
    SpragCollider *created;
    *collider = NULL;
    SpragStatus status = collider_begin(model, &created);
    if (status == SPRAG_OK)
        status = fill_space(created, poses);
    if (status != SPRAG_OK) {
        sprag_collider_destroy(created);
        return status;
    }
    *collider = created;
    return SPRAG_OK;
}

SpragStatus sprag_collider_update_space(SpragCollider *collider, const SpragPose *poses)
{
    const Space *space = collider->space;
    int added;
    if (!poses)
        return slots_refresh(collider);
    set_tolerances(collider, poses);
    SPRAG_TRY(space_truncate(collider, space->base_slots, space->base_pairs));
    SPRAG_TRY(slots_refresh(collider));
    SPRAG_TRY(set_trees(collider));
    SPRAG_TRY(space_seams_find(collider, poses));
    double reach = FIRST_REACH * sprag_model_size(collider->model);
    return sprag_collider_refresh(collider, poses, NULL, reach, &added);
}

void space_destroy(SpragCollider *collider)
{
    Space *space = collider->space;
    SpragContext *context = collider->context;
    if (!space)
        return;
    for (int i = 0; space->trees && i < collider->model->shape_count; i++)
        surface_tree_destroy(context, space->trees[i]);
    sprag_free(context, space->trees);
    sprag_free(context, space->pairs);
    sprag_free(context, space->pair_table.cells);
    sprag_free(context, space->slot_table.cells);
    sprag_free(context, space->name_table.cells);
    sprag_free(context, space->rule_numbers);
    sprag_free(context, space->rule_single);
    sprag_text_destroy(&space->text);
    broad_phase_destroy(context, &space->broad);
    sprag_free(context, space->seams);
    sprag_free(context, space->seam_first);
    for (int i = 0; i < 2; i++) {
        sprag_free(context, space->edges[i]);
        sprag_free(context, space->edge_boxes[i]);
    }
    sprag_free(context, space->near);
    sprag_free(context, space);
}

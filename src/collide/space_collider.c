// space_collider.c: life of a collider in space; gap, grip and placing of a slot.
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

// ---- One slot -----------------------------------------------------------------------------------

View3 space_view(const SpragCollider *collider, const Slot *slot, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    View3 view = {.kind = slot->kind3, .zone = collider->zone};
    view.gravity = sprag_vec3_of(model->gravity);
    for (int role = 0; role < 2; role++) {
        int side = role == 0 ? slot->round : 1 - slot->round;
        int shape = slot->shown.shape[side];
        view.shape[role] = &model->shapes[shape];
        view.pose[role] = &poses[slot->shown.body[side]];
        view.tree[role] = collider->space->trees[shape];
        view.feature[role] = slot->shown.feature[side];
        view.covered[role] = space_seams_faces(collider, shape);
    }
    return view;
}

void space_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting)
{
    if (view->kind == SLOT3_EDGE_EDGE)
        edges_meet(view, meeting);
    else if (view->kind < SLOT3_EDGE_EDGE)
        vertex_meet(view, prefer, meeting);
    else
        special_meet(view, meeting);
}

// A grip in the order of roles; not valid: it is empty.
static Meeting3 held_meeting(const Slot *slot, const SpragGrip *grip)
{
    Meeting3 meeting = {.valid = grip && grip->piece[0].kind != SPRAG_PIECE_NONE};
    for (int role = 0; role < 2 && meeting.valid; role++) {
        int side = role == 0 ? slot->round : 1 - slot->round;
        meeting.piece[role] = grip->piece[side];
        meeting.feature[role] = grip->feature[side];
    }
    return meeting;
}

static void no_gap(SpragSpaceGap *gap)
{
    memset(gap, 0, sizeof *gap);
    gap->gap = INFINITY;
}

// Gap of a meeting; the pieces go in the order of body[0], body[1].
static void meeting_gap(const Slot *slot, const Meeting3 *meeting, const SpragPose *poses, int axis,
                        bool rates, SpragSpaceGap *gap)
{
    const int *body = slot->shown.body;
    const SpragPiece *first = &meeting->piece[slot->round],
                     *second = &meeting->piece[1 - slot->round];
    if (!meeting->valid ||
        !piece_gap(first, &poses[body[0]], second, &poses[body[1]], axis, rates, gap))
        no_gap(gap);
}

static void slot_gap(const SpragCollider *collider, int index, const SpragPose *poses,
                     const SpragGrip *grip, bool rates, SpragSpaceGap *gap)
{
    const Slot *slot = &collider->slots[index];
    Meeting3 meeting = held_meeting(slot, grip);
    int axis = meeting.valid ? grip->axis : -1;
    if (!meeting.valid) {
        View3 view = space_view(collider, slot, poses);
        space_meet(&view, NULL, &meeting);
    }
    meeting_gap(slot, &meeting, poses, axis, rates, gap);
}

void sprag_collider_space_gap(const SpragCollider *collider, int slot, const SpragPose *poses,
                              const SpragGrip *grip, SpragSpaceGap *gap)
{
    slot_gap(collider, slot, poses, grip, true, gap);
}

double sprag_collider_space_distance(const SpragCollider *collider, int slot,
                                     const SpragPose *poses, const SpragGrip *grip)
{
    SpragSpaceGap gap;
    slot_gap(collider, slot, poses, grip, false, &gap);
    return gap.gap;
}

bool sprag_collider_grip(const SpragCollider *collider, int index, const SpragPose *poses,
                         SpragGrip *grip)
{
    const Slot *slot = &collider->slots[index];
    View3 view = space_view(collider, slot, poses);
    Meeting3 before = held_meeting(slot, grip), meeting;
    int axis = before.valid ? grip->axis : -1;
    SpragSpaceGap gap;
    space_meet(&view, before.valid ? &before : NULL, &meeting);
    meeting_gap(slot, &meeting, poses, axis, false, &gap);
    *grip = (SpragGrip){.axis = -1};
    if (gap.gap == INFINITY)
        return false;
    for (int side = 0; side < 2; side++) {
        int role = side == slot->round ? 0 : 1;
        grip->piece[side] = meeting.piece[role];
        grip->feature[side] = meeting.feature[role];
    }
    grip->axis = frame_axis_fits(gap.normal, axis) ? axis : frame_axis(gap.normal);
    return true;
}

bool sprag_collider_is_gripped(const SpragCollider *collider, int index, const SpragGrip *grip,
                               const SpragPose *poses)
{
    const Slot *slot = &collider->slots[index];
    Meeting3 held = held_meeting(slot, grip), meeting;
    View3 view = space_view(collider, slot, poses);
    space_meet(&view, held.valid ? &held : NULL, &meeting);
    return held.valid && meeting.valid && held.feature[0] == meeting.feature[0] &&
           held.feature[1] == meeting.feature[1] && held.piece[0].kind == meeting.piece[0].kind &&
           held.piece[1].kind == meeting.piece[1].kind;
}

// ---- Placing ------------------------------------------------------------------------------------

// Where the shapes overlap: the vertex over the face through which they part with the least motion.
static bool placing_meet(const View3 *view, Meeting3 *meeting)
{
    ConvexDistance whole;
    double separated;
    if (view->kind != SLOT3_VERTEX_SOLID || !shape_is_convex(view->shape[0]))
        return false;
    int face = solid_parting_face(view, &separated);
    if (separated >= -view->zone ||
        !convex_distance(view->shape[0], view->pose[0], view->shape[1], view->pose[1], &whole) ||
        whole.distance >= -view->zone)
        return false;
    const SpragSolid *solid = view->shape[1]->solid;
    SpragVec3 at = solid->vertices[solid->face_vertices[solid->face_first[face]]];
    const SpragShape *round = view->shape[0];
    *meeting = (Meeting3){.valid = true, .feature = {view->feature[0], face}};
    meeting->piece[0] = piece_point(round->points[view->feature[0]], round->radius);
    meeting->piece[1] = piece_plane(at, solid->normals[face]);
    return true;
}

void sprag_collider_placing_space(const SpragCollider *collider, int index, const SpragPose *poses,
                                  SpragSpaceGap *gap)
{
    const Slot *slot = &collider->slots[index];
    View3 view = space_view(collider, slot, poses);
    Meeting3 meeting;
    if (!placing_meet(&view, &meeting))
        space_meet(&view, NULL, &meeting);
    meeting_gap(slot, &meeting, poses, -1, true, gap);
}

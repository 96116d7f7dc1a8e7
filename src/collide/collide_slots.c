// collide_slots.c: which features of a model can meet: the list of slots.
// Order     body pairs, shapes and vertices in the order of the model: the same model always gives
//           the same list.
// Limits    SLOT_LIMIT slots. Every pair of shapes is listed, near or far; where that would be too
//           many plane_refresh.c lists those that come near.
#include <math.h>
#include <string.h>

#include "collide_private.h"

enum { SLOT_LIMIT = 400000 };

static SpragStatus add_slot(SpragCollider *collider, const Slot *slot)
{
    if (collider->slot_count == SLOT_LIMIT)
        return sprag_fail(collider->context, SPRAG_ERROR_LIMIT,
                          "more than %d pairs of features can touch; use fewer or simpler shapes",
                          (int)SLOT_LIMIT);
    SPRAG_TRY(sprag_reserve(collider->context, &collider->slots, &collider->slot_capacity,
                            (size_t)collider->slot_count + 1, sizeof *collider->slots));
    collider->slots[collider->slot_count++] = *slot;
    return SPRAG_OK;
}

// A slot with the round feature (a vertex of `round`) on side 0; rules may turn it round later.
static Slot make_slot(const SpragModel *model, int round, int vertex, int other)
{
    Slot slot = {.kind = SLOT_CONVEX, .round = 0};
    slot.shown.rule = -1;
    slot.shown.vertex[0] = vertex;
    slot.shown.vertex[1] = -1;
    slot.shown.shape[0] = round;
    slot.shown.shape[1] = other;
    slot.shown.feature[0] = vertex;
    slot.shown.feature[1] = -1;
    for (int i = 0; i < 2; i++)
        slot.shown.body[i] = model->shapes[slot.shown.shape[i]].body;
    slot.sharp = is_polygon(&model->shapes[round]);
    return slot;
}

// Every vertex of `round` against the whole of `other`.
static SpragStatus add_vertices(SpragCollider *collider, int round, int other, bool secondary)
{
    const SpragModel *model = collider->model;
    const SpragShape *shapes = model->shapes;
    for (int i = 0; i < shapes[round].vertex_count; i++) {
        Slot slot = make_slot(model, round, i, other);
        slot.kind = shapes[other].kind == SPRAG_SHAPE_PLANE ? SLOT_PLANE : SLOT_CONVEX;
        slot.secondary = secondary;
        slot.side_only = secondary && shapes[other].kind == SPRAG_SHAPE_CAPSULE;
        slot.pair_whole =
            is_convex(&shapes[round]) && is_convex(&shapes[other]) && !shapes[other].inside;
        SPRAG_TRY(add_slot(collider, &slot));
    }
    return SPRAG_OK;
}

// Whose vertices speak first in a pair: points, then a circle (its centre says all), then a capsule
// (its ends own their round caps), then a polygon.
static int vertex_rank(const SpragShape *shape)
{
    if (!is_convex(shape))
        return 0;
    return shape->kind == SPRAG_SHAPE_CIRCLE ? 1 : shape->kind == SPRAG_SHAPE_CAPSULE ? 2 : 3;
}

// Two finite shapes. Of two polygons the later one goes first, so that a box on a fixed box is
// described by its own corners.
static SpragStatus add_finite_pair(SpragCollider *collider, int a, int b)
{
    const SpragShape *shapes = collider->model->shapes;
    int rank_a = vertex_rank(&shapes[a]), rank_b = vertex_rank(&shapes[b]);
    int first = rank_a < rank_b ? a : b, second = rank_a < rank_b ? b : a;
    if (rank_a == 0 && rank_b == 0)
        return SPRAG_OK;
    if (shapes[a].inside || shapes[b].inside) // what is within a circle, its corners are
        return shapes[a].inside && shapes[b].inside
                   ? SPRAG_OK
                   : add_vertices(collider, shapes[a].inside ? b : a, shapes[a].inside ? a : b,
                                  false);
    SPRAG_TRY(add_vertices(collider, first, second, false));
    if (vertex_rank(&shapes[first]) < 2)
        return SPRAG_OK;
    return add_vertices(collider, second, first, true);
}

static SpragVec2 shape_centre(const SpragShape *shape)
{
    SpragVec2 sum = {0, 0};
    for (int i = 0; i < shape->vertex_count; i++)
        sum = sprag_vec2_add(sum, shape->vertices[i]);
    return sprag_vec2_scale(1.0 / shape->vertex_count, sum);
}

static double free_side(const SpragCollider *collider, const double *pose, int shape, int chain)
{
    const SpragShape *shapes = collider->model->shapes;
    Frame moving = collide_frame(pose, NULL, shapes[shape].body);
    Frame fixed = collide_frame(pose, NULL, shapes[chain].body);
    SpragVec2 centre = frame_to_world(&moving, shape_centre(&shapes[shape]));
    double side = chain_side(&shapes[chain], frame_to_local(&fixed, centre), collider->zone);
    if (side == 0)
        side = chain_side(&shapes[chain], frame_to_local(&fixed, moving.x), collider->zone);
    return side == 0 ? 1 : side;
}

static SpragStatus add_chain_pair(SpragCollider *collider, const double *pose, int shape, int chain)
{
    const SpragModel *model = collider->model;
    const SpragShape *other = &model->shapes[shape], *line = &model->shapes[chain];
    if (other->kind == SPRAG_SHAPE_PLANE || other->kind == SPRAG_SHAPE_CHAIN)
        return SPRAG_OK;
    double side = free_side(collider, pose, shape, chain);
    for (int i = 0; i < other->vertex_count; i++) {
        for (int k = 0; k < chain_segment_count(line); k++) {
            Slot slot = make_slot(model, shape, i, chain);
            slot.kind = SLOT_SEGMENT;
            slot.shown.feature[1] = k;
            slot.shown.side = side;
            SPRAG_TRY(add_slot(collider, &slot));
        }
    }
    if (!is_polygon(other) && other->kind != SPRAG_SHAPE_CAPSULE)
        return SPRAG_OK;
    for (int i = 0; i < line->vertex_count; i++) {
        CornerKind kind = chain_corner(line, i, side);
        if (kind != CORNER_RIDGE && kind != CORNER_END)
            continue;
        Slot slot = make_slot(model, chain, i, shape);
        slot.shown.side = side;
        slot.secondary = true;
        slot.side_only = other->kind == SPRAG_SHAPE_CAPSULE;
        SPRAG_TRY(add_slot(collider, &slot));
    }
    return SPRAG_OK;
}

static bool is_endless(const SpragShape *shape)
{
    return shape->kind == SPRAG_SHAPE_PLANE || shape->kind == SPRAG_SHAPE_CHAIN;
}

SpragStatus slots_add_pair(SpragCollider *collider, const double *pose, int a, int b)
{
    const SpragShape *shapes = collider->model->shapes;
    bool endless = is_endless(&shapes[a]) || is_endless(&shapes[b]);
    if ((shapes[a].inside || shapes[b].inside) && endless)
        return SPRAG_OK; // two solids without an end
    if (shapes[a].kind == SPRAG_SHAPE_CHAIN)
        return add_chain_pair(collider, pose, b, a);
    if (shapes[b].kind == SPRAG_SHAPE_CHAIN)
        return add_chain_pair(collider, pose, a, b);
    if (shapes[a].kind == SPRAG_SHAPE_PLANE && shapes[b].kind == SPRAG_SHAPE_PLANE)
        return SPRAG_OK;
    if (shapes[a].kind == SPRAG_SHAPE_PLANE)
        return add_vertices(collider, b, a, false);
    if (shapes[b].kind == SPRAG_SHAPE_PLANE)
        return add_vertices(collider, a, b, false);
    return add_finite_pair(collider, a, b);
}

bool slots_may_change(const SpragCollider *collider)
{
    for (int i = 0; i < collider->model->shape_count; i++)
        if (collider->model->shapes[i].kind == SPRAG_SHAPE_CHAIN)
            return true;
    return false;
}

// Vertices against vertices would be slots between chains only, so this is an upper bound.
double slots_estimate(const SpragModel *model)
{
    double all = 0, fixed = 0, vertices = 0, fixed_vertices = 0;
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        bool still = model->bodies[shape->body].fixed;
        all++;
        vertices += shape->vertex_count;
        fixed += still;
        fixed_vertices += still ? shape->vertex_count : 0;
    }
    return vertices * all - fixed_vertices * fixed;
}

SpragStatus slots_build(SpragCollider *collider, const double *pose)
{
    const SpragModel *model = collider->model;
    for (int a = 0; a < model->shape_count; a++) {
        const SpragBody *body_a = &model->bodies[model->shapes[a].body];
        for (int b = a + 1; b < model->shape_count; b++) {
            const SpragBody *body_b = &model->bodies[model->shapes[b].body];
            if (body_a == body_b || (body_a->fixed && body_b->fixed))
                continue;
            SPRAG_TRY(slots_add_pair(collider, pose, a, b));
        }
    }
    return SPRAG_OK;
}

// plane_refresh.c: slots in the plane that are listed as shapes come near.
// Problem   every pair of n shapes has some slots: of a thousand boxes four million
// Method    the broad phase of space on boxes without depth gives the pairs of shapes that come
//           near on the way between two configurations. A pair's slots are appended together
//           when it is met first, in the order of the pairs, and keep their numbers. Of those,
//           vertices are near whose swept boxes reach the other shape.
// Names     as elsewhere; a rule numbers its slots from 0 in the order they appear
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "space_catalogue.h"

// Slots of two shapes.
typedef struct PlanePair {
    int shape[2]; // ascending
    int first, count;
} PlanePair;

struct Plane {
    double *pose; // 3 a body: tells the side of chains
    PlanePair *pairs;
    size_t pair_capacity;
    int pair_count;
    IndexTable table;
    int *rule_numbers;
    SpragText text;
    BroadPhase broad;
    SpragFrame *frames; // one a body: scratch
    int *near;
    size_t near_capacity;
    int near_count;
};

// ---- Pairs --------------------------------------------------------------------------------------

typedef struct PairKey {
    const Plane *plane;
    const int *shape;
} PairKey;

static uint64_t hash_shapes(const int shape[2])
{
    return ((uint64_t)(uint32_t)shape[0] << 32 | (uint32_t)shape[1]) * 0x9e3779b97f4a7c15u;
}

static bool pair_equal(const void *user, int index)
{
    const PairKey *key = user;
    const int *shape = key->plane->pairs[index].shape;
    return shape[0] == key->shape[0] && shape[1] == key->shape[1];
}

static uint64_t pair_hash(const void *user, int index)
{
    const Plane *plane = user;
    return hash_shapes(plane->pairs[index].shape);
}

static SpragStatus name_slot(SpragCollider *collider, Slot *slot)
{
    Plane *plane = collider->plane;
    SpragText *text = &plane->text;
    int rule = slot->shown.rule;
    text->length = 0;
    if (rule >= 0 && collider->model->rules[rule].name)
        sprag_text_add(text, "%s.%d", collider->model->rules[rule].name,
                       plane->rule_numbers[rule]++);
    else
        slot_add_path_name(collider, slot, text);
    if (text->failed)
        return SPRAG_ERROR_MEMORY;
    slot->shown.name = sprag_copy_text(collider->context, text->bytes);
    return slot->shown.name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

// The pair's entry, with its slots.
static SpragStatus find_pair(SpragCollider *collider, const int shape[2], int *pair)
{
    Plane *plane = collider->plane;
    PairKey key = {plane, shape};
    *pair = index_table_find(&plane->table, hash_shapes(shape), pair_equal, &key);
    if (*pair >= 0)
        return SPRAG_OK;
    int first = collider->slot_count;
    SPRAG_TRY(slots_add_pair(collider, plane->pose, shape[0], shape[1]));
    SPRAG_TRY(slots_apply_rules_from(collider, first));
    for (int i = first; i < collider->slot_count; i++)
        SPRAG_TRY(name_slot(collider, &collider->slots[i]));
    SPRAG_TRY(sprag_reserve(collider->context, &plane->pairs, &plane->pair_capacity,
                            (size_t)plane->pair_count + 1, sizeof *plane->pairs));
    plane->pairs[plane->pair_count] =
        (PlanePair){{shape[0], shape[1]}, first, collider->slot_count - first};
    SPRAG_TRY(
        index_table_add(collider->context, &plane->table, plane->pair_count, pair_hash, plane));
    *pair = plane->pair_count++;
    return SPRAG_OK;
}

// ---- Boxes --------------------------------------------------------------------------------------

static void add_vertex(Box *box, const SpragFrame *frame, SpragVec2 local)
{
    box_add(box, sprag_vec3_raise(frame_to_world(frame, local)));
}

static Box shape_box(const SpragShape *shape, const SpragFrame *frames, const SpragFrame *later)
{
    Box box = box_empty();
    if (shape->kind == SPRAG_SHAPE_PLANE || shape->inside)
        return (Box){sprag_vec3(-INFINITY, -INFINITY, -INFINITY),
                     sprag_vec3(INFINITY, INFINITY, INFINITY)};
    for (int i = 0; i < shape->vertex_count; i++) {
        add_vertex(&box, &frames[shape->body], shape->vertices[i]);
        if (later)
            add_vertex(&box, &later[shape->body], shape->vertices[i]);
    }
    return box;
}

static bool is_near(const SpragCollider *collider, const Slot *slot, const SpragFrame *frames,
                    const SpragFrame *later, double grow)
{
    const SpragShape *round = &collider->model->shapes[slot->shown.shape[slot->round]];
    int other = slot->shown.shape[1 - slot->round];
    SpragVec2 vertex = round->vertices[slot->shown.feature[slot->round]];
    Box box = box_empty();
    add_vertex(&box, &frames[round->body], vertex);
    if (later)
        add_vertex(&box, &later[round->body], vertex);
    box_grow(&box, grow + round->radius);
    return boxes_overlap(&box, &collider->plane->broad.boxes[other]);
}

// ---- The list -----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const int *s = a, *t = b;
    return (*s > *t) - (*s < *t);
}

static SpragStatus add_near(SpragCollider *collider, int slot)
{
    Plane *plane = collider->plane;
    SPRAG_TRY(sprag_reserve(collider->context, &plane->near, &plane->near_capacity,
                            (size_t)plane->near_count + 1, sizeof *plane->near));
    plane->near[plane->near_count++] = slot;
    return SPRAG_OK;
}

SpragStatus sprag_collider_refresh_plane(SpragCollider *collider, const SpragFrame *frames,
                                         const SpragFrame *later, double reach, int *added)
{
    Plane *plane = collider->plane;
    const SpragModel *model = collider->model;
    int before = collider->slot_count;
    double grow = 1.5 * reach;
    *added = 0;
    plane->near_count = 0;
    SPRAG_TRY(broad_phase_reserve(collider, &plane->broad));
    for (int i = 0; i < model->shape_count; i++) {
        plane->broad.boxes[i] = shape_box(&model->shapes[i], frames, later);
        box_grow(&plane->broad.boxes[i], grow + model->shapes[i].radius);
    }
    SPRAG_TRY(broad_phase_pairs(collider, &plane->broad, &(BroadPlaces){.frames = frames}, grow));
    for (int i = 0; i < plane->broad.found_count; i++) {
        int index;
        SPRAG_TRY(find_pair(collider, plane->broad.found[i].shape, &index));
        const PlanePair *pair = &plane->pairs[index];
        for (int slot = pair->first; slot < pair->first + pair->count; slot++)
            if (is_near(collider, &collider->slots[slot], frames, later, grow))
                SPRAG_TRY(add_near(collider, slot));
    }
    if (plane->near_count > 1)
        qsort(plane->near, (size_t)plane->near_count, sizeof *plane->near, compare_numbers);
    *added = collider->slot_count - before;
    return SPRAG_OK;
}

bool sprag_collider_grows(const SpragCollider *collider)
{
    return collider->space || collider->plane;
}

int plane_near(const SpragCollider *collider, const int **slots)
{
    *slots = collider->plane->near;
    return collider->plane->near_count;
}

// ---- Life ---------------------------------------------------------------------------------------

SpragStatus plane_restart(SpragCollider *collider, const double *pose)
{
    Plane *plane = collider->plane;
    size_t bodies = (size_t)collider->model->body_count;
    int added;
    for (int i = 0; i < collider->slot_count; i++) {
        sprag_free(collider->context, collider->slots[i].shown.name);
        collider->slots[i].shown.name = NULL;
    }
    collider->slot_count = plane->pair_count = 0;
    index_table_clear(&plane->table);
    memset(plane->rule_numbers, 0, (size_t)collider->model->rule_count * sizeof(int));
    memcpy(plane->pose, pose, 3 * bodies * sizeof *pose);
    for (size_t i = 0; i < bodies; i++)
        sprag_frame_set(pose + 3 * i, NULL, &plane->frames[i]);
    return sprag_collider_refresh_plane(collider, plane->frames, NULL, collider->zone, &added);
}

SpragStatus plane_create(SpragCollider *collider, const double *pose)
{
    SpragContext *context = collider->context;
    size_t bodies = (size_t)collider->model->body_count;
    Plane *plane = sprag_alloc(context, 1, sizeof *plane);
    collider->plane = plane;
    if (!plane)
        return SPRAG_ERROR_MEMORY;
    sprag_text_init(&plane->text, context);
    plane->pose = sprag_alloc(context, 3 * bodies, sizeof *plane->pose);
    plane->frames = sprag_alloc(context, bodies, sizeof *plane->frames);
    plane->rule_numbers =
        sprag_alloc(context, (size_t)collider->model->rule_count + 1, sizeof *plane->rule_numbers);
    if (!plane->pose || !plane->frames || !plane->rule_numbers)
        return SPRAG_ERROR_MEMORY;
    return plane_restart(collider, pose);
}

void plane_destroy(SpragCollider *collider)
{
    Plane *plane = collider->plane;
    SpragContext *context = collider->context;
    if (!plane)
        return;
    sprag_free(context, plane->pose);
    sprag_free(context, plane->frames);
    sprag_free(context, plane->pairs);
    sprag_free(context, plane->table.cells);
    sprag_free(context, plane->rule_numbers);
    sprag_free(context, plane->near);
    sprag_text_destroy(&plane->text);
    broad_phase_destroy(context, &plane->broad);
    sprag_free(context, plane);
}

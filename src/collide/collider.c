// collider.c: life of a collider, look-up of slots, overlaps.
#include <math.h>
#include <string.h>

#include "collide_private.h"

// Corners coincide within this many contact tolerances: more than two closed gaps apart.
static const double ZONE_FACTOR = 4;
// Rounding of a gap relative to the size of the bodies and to their distance from the origin.
static const double ROUNDING = 1e-14, FAR_ROUNDING = 4e-15;

void collider_set_tolerances(SpragCollider *collider, double far)
{
    const SpragModel *model = collider->model;
    double relative = fmax(model->simulate.contact_tolerance, ROUNDING);
    collider->tolerance = fmax(relative * sprag_model_size(model), FAR_ROUNDING * far);
    collider->zone = ZONE_FACTOR * collider->tolerance;
}

static void set_tolerances(SpragCollider *collider, const double *pose)
{
    double far = 0;
    for (int i = 0; i < collider->model->body_count; i++)
        far = fmax(far, hypot(pose[3 * i], pose[3 * i + 1]));
    collider_set_tolerances(collider, far);
}

static SpragStatus set_places(SpragCollider *collider)
{
    const SpragModel *model = collider->model;
    size_t shape_count = (size_t)model->shape_count, body_count = (size_t)model->body_count;
    collider->places = sprag_alloc(collider->context, shape_count, sizeof *collider->places);
    int *counts = sprag_alloc(collider->context, body_count, sizeof *counts);
    if (collider->places && counts) {
        for (int i = 0; i < model->shape_count; i++)
            collider->places[i].number = counts[model->shapes[i].body]++;
        for (int i = 0; i < model->shape_count; i++)
            collider->places[i].siblings = counts[model->shapes[i].body];
    }
    bool done = collider->places && counts;
    sprag_free(collider->context, counts);
    return done ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

SpragStatus collider_begin(const SpragModel *model, SpragCollider **collider)
{
    SpragCollider *created = sprag_alloc(model->context, 1, sizeof *created);
    *collider = created;
    if (!created)
        return SPRAG_ERROR_MEMORY;
    created->context = model->context;
    created->model = model;
    created->default_material = sprag_model_find_material(model, "default");
    return set_places(created);
}

// More slots than this, or (where auto steps or the scene says so) the second number, are listed as
// they come near.
static bool is_crowded(const SpragModel *model)
{
    const double most = 4e4, most_stepping = 2e3;
    bool steps = model->simulate.motion == SPRAG_MOTION_STEPPING;
    return slots_estimate(model) > (steps ? most_stepping : most);
}

static SpragStatus list_all(SpragCollider *collider, const double *pose)
{
    SPRAG_TRY(slots_build(collider, pose));
    SPRAG_TRY(slots_apply_rules(collider));
    return slots_name(collider);
}

SpragStatus sprag_collider_create(const SpragModel *model, const double *pose,
                                  SpragCollider **collider)
{
    SpragCollider *created;
    *collider = NULL;
    SpragStatus status = collider_begin(model, &created);
    if (status != SPRAG_OK) {
        sprag_collider_destroy(created);
        return status;
    }
    set_tolerances(created, pose);
    status = seams_find(created, pose);
    if (status == SPRAG_OK)
        status = is_crowded(model) ? plane_create(created, pose) : list_all(created, pose);
    if (status != SPRAG_OK) {
        sprag_collider_destroy(created);
        return status;
    }
    *collider = created;
    return SPRAG_OK;
}

// ---- Other numbers ------------------------------------------------------------------------------

static bool same_features(const Slot *a, const Slot *b)
{
    const SpragSlot *s = &a->shown, *t = &b->shown;
    return slots_same_pair(a, b) && s->shape[0] == t->shape[0] && s->feature[0] == t->feature[0] &&
           s->feature[1] == t->feature[1] && s->rule == t->rule && a->kind == b->kind;
}

// The list as sprag_collider_create would make it now. Names move over from the list before as long
// as both have the same slots.
static SpragStatus rebuild(SpragCollider *collider, const double *pose)
{
    Slot *before = collider->slots;
    size_t capacity = collider->slot_capacity;
    int count = collider->slot_count;
    bool same;
    collider->slots = collider->spare;
    collider->slot_capacity = collider->spare_capacity;
    collider->slot_count = 0;
    collider->spare = before;
    collider->spare_capacity = capacity;
    SpragStatus status = slots_build(collider, pose);
    if (status == SPRAG_OK)
        status = slots_apply_rules(collider);
    same = status == SPRAG_OK && collider->slot_count == count;
    for (int i = 0; i < count && same; i++)
        same = before[i].shown.name && same_features(&before[i], &collider->slots[i]);
    for (int i = 0; i < count; i++) {
        if (same)
            collider->slots[i].shown.name = before[i].shown.name;
        else
            sprag_free(collider->context, before[i].shown.name);
        before[i].shown.name = NULL;
    }
    return status == SPRAG_OK && !same ? slots_name(collider) : status;
}

SpragStatus sprag_collider_update(SpragCollider *collider, const double *pose)
{
    if (pose)
        set_tolerances(collider, pose);
    if (pose)
        SPRAG_TRY(seams_find(collider, pose));
    if (pose && collider->plane)
        return plane_restart(collider, pose);
    if (pose && slots_may_change(collider))
        return rebuild(collider, pose);
    return slots_refresh(collider);
}

void sprag_collider_destroy(SpragCollider *collider)
{
    if (!collider)
        return;
    for (int i = 0; i < collider->slot_count; i++)
        sprag_free(collider->context, collider->slots[i].shown.name);
    sprag_free(collider->context, collider->slots);
    sprag_free(collider->context, collider->spare);
    sprag_free(collider->context, collider->places);
    sprag_free(collider->context, collider->seams);
    sprag_free(collider->context, collider->seam_first);
    sprag_free(collider->context, collider->frames);
    space_destroy(collider);
    plane_destroy(collider);
    sprag_free(collider->context, collider);
}

double sprag_collider_tolerance(const SpragCollider *collider)
{
    return collider->tolerance;
}

int sprag_collider_slot_count(const SpragCollider *collider)
{
    return collider->slot_count;
}

const SpragSlot *sprag_collider_slot(const SpragCollider *collider, int slot)
{
    return &collider->slots[slot].shown;
}

int sprag_collider_find_slot(const SpragCollider *collider, const char *name)
{
    if (collider->space)
        return space_find_name(collider, name);
    for (int i = 0; i < collider->slot_count; i++)
        if (strcmp(collider->slots[i].shown.name, name) == 0)
            return i;
    return -1;
}

int sprag_collider_find_slots(const SpragCollider *collider, const char *name, int *slots,
                              int capacity)
{
    int slot = sprag_collider_find_slot(collider, name), count = 0;
    if (slot >= 0) {
        if (capacity > 0)
            slots[0] = slot;
        return 1;
    }
    for (int i = 0; i < collider->slot_count; i++) {
        int rule = collider->slots[i].shown.rule;
        const char *its_name = rule >= 0 ? collider->model->rules[rule].name : NULL;
        if (!its_name || strcmp(its_name, name) != 0)
            continue;
        if (count < capacity)
            slots[count] = i;
        count++;
    }
    return count;
}

int sprag_collider_find_pair(const SpragCollider *collider, const SpragSelector between[2],
                             int *slots, int capacity)
{
    int count = 0;
    for (int i = 0; i < collider->slot_count; i++) {
        const SpragSlot *slot = &collider->slots[i].shown;
        if (!slot_matches(collider, slot, between, false) &&
            !slot_matches(collider, slot, between, true))
            continue;
        if (count < capacity)
            slots[count] = i;
        count++;
    }
    return count;
}

// ---- Overlaps -----------------------------------------------------------------------------------

// Where bodies are: frames, if they are at hand, or poses.
typedef struct Placement {
    const SpragFrame *frames;
    const double *pose;
} Placement;

static Frame frame_of(const Placement *placement, int body)
{
    return placement->frames ? placement->frames[body] : collide_frame(placement->pose, NULL, body);
}

static double slot_distance(const SpragCollider *collider, int slot, const Placement *placement)
{
    SpragGap gap;
    if (placement->frames)
        return sprag_collider_distance(collider, slot, placement->frames);
    sprag_collider_gap(collider, slot, placement->pose, NULL, &gap);
    return gap.gap;
}

// Slots that tell of one overlap together: a pair of convex shapes, or a vertex over a chain.
static int group_end(const SpragCollider *collider, int begin)
{
    const Slot *first = &collider->slots[begin];
    int end = begin + 1;
    for (; end < collider->slot_count; end++) {
        const Slot *slot = &collider->slots[end];
        if (!slots_same_pair(first, slot) || slot->kind != first->kind)
            break;
        if (!first->pair_whole &&
            (first->kind != SLOT_SEGMENT ||
             slot->shown.feature[slot->round] != first->shown.feature[first->round]))
            break;
    }
    return end;
}

static double whole_depth(const SpragCollider *collider, const Slot *slot, const Frame *first,
                          const Frame *second)
{
    const SpragShape *shapes = collider->model->shapes;
    return convex_overlap(&shapes[slot->shown.shape[0]], first, &shapes[slot->shown.shape[1]],
                          second);
}

// Depth of the overlap that the slots from `begin` to `end` tell of (≤ 0: none), with the slot to
// blame.
static double group_depth(const SpragCollider *collider, const Placement *placement, int begin,
                          int end, int *slot)
{
    const Slot *first = &collider->slots[begin];
    double least = INFINITY, shallowest = -INFINITY;
    *slot = begin;
    for (int i = begin; i < end; i++) {
        double gap = slot_distance(collider, i, placement);
        // over a chain the true depth is the shallowest of those segments it is behind of
        bool better = first->pair_whole ? gap < least : gap < 0 && gap > shallowest;
        if (better) {
            least = shallowest = gap;
            *slot = i;
        }
    }
    if (!first->pair_whole)
        return shallowest == -INFINITY ? 0 : -shallowest;
    Frame frames[2] = {frame_of(placement, first->shown.body[0]),
                       frame_of(placement, first->shown.body[1])};
    return whole_depth(collider, first, &frames[0], &frames[1]);
}

double sprag_collider_depth(const SpragCollider *collider, int slot, const SpragFrame *frames)
{
    const Slot *own = &collider->slots[slot];
    if (!own->pair_whole)
        return -sprag_collider_distance(collider, slot, frames);
    return whole_depth(collider, own, &frames[own->shown.body[0]], &frames[own->shown.body[1]]);
}

static bool find_overlap(const SpragCollider *collider, const Placement *placement,
                         double tolerance, int *slot, double *depth)
{
    double deepest = tolerance;
    bool found = false;
    for (int begin = 0, end; begin < collider->slot_count; begin = end) {
        int blamed;
        end = group_end(collider, begin);
        double its_depth = group_depth(collider, placement, begin, end, &blamed);
        if (its_depth > deepest) {
            deepest = its_depth;
            *slot = blamed;
            *depth = its_depth;
            found = true;
        }
    }
    return found;
}

bool sprag_collider_find_overlap(const SpragCollider *collider, const double *pose,
                                 double tolerance, int *slot, double *depth)
{
    Placement placement = {.pose = pose};
    return find_overlap(collider, &placement, tolerance, slot, depth);
}

bool sprag_collider_find_overlap_framed(const SpragCollider *collider, const SpragFrame *frames,
                                        double tolerance, int *slot, double *depth)
{
    Placement placement = {.frames = frames};
    return find_overlap(collider, &placement, tolerance, slot, depth);
}

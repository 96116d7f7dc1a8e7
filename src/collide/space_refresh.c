// space_refresh.c: which slots can close between two configurations; edges that come near.
// Method    the broad phase gives pairs of shapes; of those, vertices and edges are compared by
//           their own swept boxes. Each box is grown by 1.5 reach: bodies leave the chord between
//           the two configurations by at most one reach, and what comes nearer than one counts.
//           Special pairs name their features by configuration: both ends are asked, with half the
//           way between them added to the reach.
#include <stdlib.h>

#include "space_catalogue.h"

// Sine of the angle by which a product of edges may miss the normals of its faces, rotations apart.
static const double NORMAL_SLACK = 0.4;
// Edges at a smaller angle than this have no safe normal.
static const double SAFE_SINE = 0.3;

typedef struct Refresh {
    SpragCollider *collider;
    const SpragPose *poses, *later; // later: NULL if there is none
    double reach, grow;
    int pair; // index of the present one
} Refresh;

static SpragStatus add_near(SpragCollider *collider, int slot)
{
    Space *space = collider->space;
    SPRAG_TRY(sprag_reserve(collider->context, &space->near, &space->near_capacity,
                            (size_t)space->near_count + 1, sizeof *space->near));
    space->near[space->near_count++] = slot;
    return SPRAG_OK;
}

static SpragStatus take_seed(void *user, const Seed3 *seed)
{
    Refresh *refresh = user;
    int slot;
    if (space_seams_hide(refresh->collider, refresh->collider->space->pairs[refresh->pair].shape,
                         seed))
        return SPRAG_OK;
    SPRAG_TRY(space_slot(refresh->collider, refresh->pair, seed, &slot));
    return slot < 0 ? SPRAG_OK : add_near(refresh->collider, slot);
}

// ---- Slots that are there in every configuration ------------------------------------------------

static double plane_distance(const SpragShape *round, int vertex, const SpragShape *plane,
                             const SpragPose *poses)
{
    SpragVec3 p = pose_to_world(&poses[round->body], round->points[vertex]);
    SpragVec3 local = pose_to_local(&poses[plane->body], p);
    return sprag_vec3_dot(plane->normal, local) - plane->offset - round->radius;
}

// Whether a vertex comes near another shape; `kind` as of its slot.
static bool vertex_is_near(const Refresh *refresh, SlotKind3 kind, const SpragShape *round,
                           int vertex, int other)
{
    const SpragCollider *collider = refresh->collider;
    const SpragShape *plane = &collider->model->shapes[other];
    if (kind == SLOT3_VERTEX_PLANE) {
        double distance = plane_distance(round, vertex, plane, refresh->poses);
        if (refresh->later)
            distance = fmin(distance, plane_distance(round, vertex, plane, refresh->later));
        return distance <= 2 * refresh->grow;
    }
    Box box = box_empty();
    box_add(&box, pose_to_world(&refresh->poses[round->body], round->points[vertex]));
    if (refresh->later)
        box_add(&box, pose_to_world(&refresh->later[round->body], round->points[vertex]));
    box_grow(&box, refresh->grow + round->radius);
    return boxes_overlap(&box, &collider->space->broad.boxes[other]);
}

static bool slot_is_near(const Refresh *refresh, int index)
{
    const SpragCollider *collider = refresh->collider;
    const Slot *slot = &collider->slots[index];
    const SpragShape *round = &collider->model->shapes[slot->shown.shape[slot->round]];
    int other = slot->shown.shape[1 - slot->round], vertex = slot->shown.feature[slot->round];
    return slot->kind3 > SLOT3_VERTEX_SOLID ||
           vertex_is_near(refresh, slot->kind3, round, vertex, other);
}

static SpragStatus add_listed(Refresh *refresh)
{
    const ShapePair *pair = &refresh->collider->space->pairs[refresh->pair];
    const SpragShape *shapes = refresh->collider->model->shapes;
    // the boxes of balls are those of their centres, grown: the broad phase has compared them
    bool balls = shapes[pair->shape[0]].kind == SPRAG_SHAPE_SPHERE &&
                 shapes[pair->shape[1]].kind == SPRAG_SHAPE_SPHERE;
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if (balls || slot_is_near(refresh, i))
            SPRAG_TRY(add_near(refresh->collider, i));
    return SPRAG_OK;
}

static SpragStatus take_near_seed(void *user, const Seed3 *seed)
{
    const Refresh *refresh = user;
    const SpragCollider *collider = refresh->collider;
    const int *shape = collider->space->pairs[refresh->pair].shape;
    const SpragShape *round = &collider->model->shapes[shape[seed->side[0]]];
    if (!vertex_is_near(refresh, seed->kind, round, seed->feature[0], shape[seed->side[1]]))
        return SPRAG_OK;
    return take_seed(user, seed);
}

// Vertices of a pair that was not listed at once: those that are near.
static SpragStatus add_vertices(Refresh *refresh)
{
    const int *shape = refresh->collider->space->pairs[refresh->pair].shape;
    const SpragShape *shapes = refresh->collider->model->shapes;
    Pair3 both = {.shape = {&shapes[shape[0]], &shapes[shape[1]]}};
    return plain_seeds(&both, take_near_seed, refresh);
}

// ---- Edges --------------------------------------------------------------------------------------

static Box edge_box(const Refresh *refresh, const SpragShape *shape, const SpragVec3 ends[2])
{
    Box box = box_empty();
    for (int i = 0; i < 2; i++) {
        box_add(&box, pose_to_world(&refresh->poses[shape->body], ends[i]));
        if (refresh->later)
            box_add(&box, pose_to_world(&refresh->later[shape->body], ends[i]));
    }
    box_grow(&box, refresh->grow + shape->radius);
    return box;
}

// Edges of one shape whose boxes overlap that of the other shape; returns how many.
static SpragStatus near_edges(const Refresh *refresh, int side, const Box *other, int *count)
{
    SpragCollider *collider = refresh->collider;
    Space *space = collider->space;
    const ShapePair *pair = &space->pairs[refresh->pair];
    const SpragShape *shape = &collider->model->shapes[pair->shape[side]];
    int edge_count = shape_edge_count(shape);
    *count = 0;
    SPRAG_TRY(sprag_reserve(collider->context, &space->edges[side], &space->edge_capacity[side],
                            (size_t)edge_count, sizeof *space->edges[side]));
    SPRAG_TRY(sprag_reserve(collider->context, &space->edge_boxes[side],
                            &space->edge_box_capacity[side], (size_t)edge_count,
                            sizeof *space->edge_boxes[side]));
    for (int i = 0; i < edge_count; i++) {
        SpragVec3 ends[2];
        shape_edge(shape, i, ends);
        Box box = edge_box(refresh, shape, ends);
        if (!boxes_overlap(&box, other))
            continue;
        space->edges[side][*count] = i;
        space->edge_boxes[side][(*count)++] = box;
    }
    return SPRAG_OK;
}

// Sine of the angle by which n misses the normals of an edge, at most; n out of its shape.
static double normal_miss(const SpragShape *shape, const SpragPose *pose, int edge, SpragVec3 n)
{
    double miss = 0;
    SpragVec3 ends[2];
    if (!shape->solid)
        return 0;
    shape_edge(shape, edge, ends);
    SpragVec3 along = sprag_vec3_unit(sprag_vec3_sub(ends[1], ends[0]));
    n = sprag_mat3_apply_back(&pose->R, n);
    for (int i = 0; i < 2; i++) {
        SpragVec3 normal = shape->solid->normals[shape->solid->edge_faces[2 * edge + i]];
        SpragVec3 in = sprag_vec3_cross(normal, along);
        miss = fmax(miss, sprag_vec3_dot(n, i == 0 ? in : sprag_vec3_scale(-1, in)));
    }
    return miss;
}

// The largest part of a rotation's matrix that the motion changes: about its angle.
static double rotation_between(const Refresh *refresh, int body)
{
    double most = 0;
    if (!refresh->later)
        return 0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(refresh->later[body].R.m[i] - refresh->poses[body].R.m[i]));
    return 2 * most;
}

// Whether the product of two edges can be a common normal of their shapes on the way.
static bool can_cross(const Refresh *refresh, const SpragShape *const shape[2], const int edge[2],
                      double turned)
{
    SpragVec3 along[2], ends[2];
    for (int i = 0; i < 2; i++) {
        shape_edge(shape[i], edge[i], ends);
        along[i] = sprag_vec3_unit(sprag_vec3_sub(ends[1], ends[0]));
        along[i] = sprag_mat3_apply(&refresh->poses[shape[i]->body].R, along[i]);
    }
    SpragVec3 n = sprag_vec3_cross(along[0], along[1]);
    double sine = sprag_vec3_norm(n);
    if (sine < SAFE_SINE + turned)
        return true;
    n = sprag_vec3_scale(1 / sine, n);
    for (int sign = -1; sign <= 1; sign += 2) {
        double miss = 0;
        for (int i = 0; i < 2; i++)
            miss = fmax(miss, normal_miss(shape[i], &refresh->poses[shape[i]->body], edge[i],
                                          sprag_vec3_scale(i == 0 ? sign : -sign, n)));
        if (miss <= NORMAL_SLACK + turned * (1 + 1 / sine))
            return true;
    }
    return false;
}

static SpragStatus add_edges(Refresh *refresh)
{
    SpragCollider *collider = refresh->collider;
    Space *space = collider->space;
    ShapePair pair = space->pairs[refresh->pair];
    const SpragShape *shape[2];
    int count[2];
    double turned = 0;
    for (int i = 0; i < 2; i++) {
        shape[i] = &collider->model->shapes[pair.shape[i]];
        turned += rotation_between(refresh, shape[i]->body);
        if (shape_edge_count(shape[i]) == 0)
            return SPRAG_OK;
    }
    for (int i = 0; i < 2; i++)
        SPRAG_TRY(near_edges(refresh, i, &space->broad.boxes[pair.shape[1 - i]], &count[i]));
    // in the order of vertices: the later of two equals is role 0
    int first = vertex_rank3(shape[0]) < vertex_rank3(shape[1]) ? 0 : 1;
    for (int a = 0; a < count[0]; a++) {
        for (int b = 0; b < count[1]; b++) {
            int edge[2] = {space->edges[0][a], space->edges[1][b]};
            if (!boxes_overlap(&space->edge_boxes[0][a], &space->edge_boxes[1][b]) ||
                !can_cross(refresh, shape, edge, turned))
                continue;
            Seed3 seed = {SLOT3_EDGE_EDGE, {first, 1 - first}, {edge[first], edge[1 - first]}};
            SPRAG_TRY(take_seed(refresh, &seed));
        }
    }
    return SPRAG_OK;
}

// ---- Special pairs ------------------------------------------------------------------------------

// Bound on the way of a shape's points between the two configurations.
static double travel(const Refresh *refresh, int index)
{
    if (!refresh->later)
        return 0;
    const SpragShape *shape = &refresh->collider->model->shapes[index];
    const SpragPose *from = &refresh->poses[shape->body], *to = &refresh->later[shape->body];
    double way = sprag_vec3_norm(sprag_vec3_sub(to->x, from->x));
    double turned = 0;
    for (int i = 0; i < 9; i++) {
        double d = to->R.m[i] - from->R.m[i];
        turned += d * d;
    }
    if (turned == 0)
        return way;
    // the box that is swept holds the shape: its farthest corner bounds the arm
    const Box *box = &refresh->collider->space->broad.boxes[index];
    SpragVec3 low = sprag_vec3_sub(from->x, box->low), high = sprag_vec3_sub(box->high, from->x);
    SpragVec3 arm = sprag_vec3(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                               fmax(fabs(low.z), fabs(high.z)));
    return way + sqrt(turned) * sprag_vec3_norm(arm);
}

static SpragStatus add_special(Refresh *refresh)
{
    SpragCollider *collider = refresh->collider;
    const ShapePair *entry = &collider->space->pairs[refresh->pair];
    Pair3 pair;
    double reach = 2 * refresh->grow;
    for (int i = 0; i < 2; i++) {
        pair.shape[i] = &collider->model->shapes[entry->shape[i]];
        pair.tree[i] = collider->space->trees[entry->shape[i]];
        reach += travel(refresh, entry->shape[i]) / 2;
    }
    for (int end = 0; end < (refresh->later ? 2 : 1); end++) {
        for (int i = 0; i < 2; i++)
            pair.pose[i] = &(end == 0 ? refresh->poses : refresh->later)[pair.shape[i]->body];
        SPRAG_TRY(special_seeds_near(&pair, reach, take_seed, refresh));
    }
    return SPRAG_OK;
}

// ---- All of it ----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const int *s = a, *t = b;
    return (*s > *t) - (*s < *t);
}

static void sort_near(Space *space)
{
    int kept = 0;
    if (space->near_count > 1)
        qsort(space->near, (size_t)space->near_count, sizeof *space->near, compare_numbers);
    for (int i = 0; i < space->near_count; i++)
        if (kept == 0 || space->near[kept - 1] != space->near[i])
            space->near[kept++] = space->near[i];
    space->near_count = kept;
}

static SpragStatus refresh_pair(Refresh *refresh, const Candidate *candidate)
{
    SpragCollider *collider = refresh->collider;
    const SpragShape *shapes = collider->model->shapes;
    const int *shape = candidate->shape;
    bool special = pair_is_special(&shapes[shape[0]], &shapes[shape[1]]);
    SPRAG_TRY(space_pair(collider, shape[0], shape[1], &refresh->pair));
    if (special || !collider->space->lazy)
        SPRAG_TRY(space_list_pair(collider, refresh->pair));
    if (collider->space->pairs[refresh->pair].told)
        SPRAG_TRY(add_listed(refresh));
    else
        SPRAG_TRY(add_vertices(refresh));
    return special ? add_special(refresh) : add_edges(refresh);
}

SpragStatus sprag_collider_refresh(SpragCollider *collider, const SpragPose *poses,
                                   const SpragPose *later, double reach, int *added)
{
    Space *space = collider->space;
    int before = collider->slot_count;
    Refresh refresh = {collider, poses, later, reach, 1.5 * reach, -1};
    *added = 0;
    space->near_count = 0;
    SPRAG_TRY(broad_phase_find(collider, poses, later, refresh.grow));
    for (int i = 0; i < space->broad.found_count; i++)
        SPRAG_TRY(refresh_pair(&refresh, &space->broad.found[i]));
    SPRAG_TRY(space_name(collider, before));
    sort_near(space);
    *added = collider->slot_count - before;
    return SPRAG_OK;
}

int sprag_collider_near(const SpragCollider *collider, const int **slots)
{
    if (collider->plane)
        return plane_near(collider, slots);
    *slots = collider->space->near;
    return collider->space->near_count;
}

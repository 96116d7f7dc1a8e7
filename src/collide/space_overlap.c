// space_overlap.c: the deepest overlap of two bodies.
// Method    every pair of shapes whose boxes overlap: signed distance of the two as wholes. Two
//           polyhedra that overlap part along a face of either or along the product of two edges
//           (separating axes): the largest separation over all of them is exact. If a rule ignores
//           some features of a pair, only the others can tell.
#include <math.h>

#include "space_catalogue.h"
#include "special_private.h"

// More products of edges than this are left to the general method.
enum { PRODUCT_LIMIT = 40000 };

// Whether both are polyhedra filled with solid: what a container holds is not of that kind.
static bool are_filled_solids(const Pair3 *both)
{
    bool filled = true;
    for (int i = 0; i < 2; i++)
        filled &= both->shape[i]->solid && shape_is_convex(both->shape[i]);
    return filled;
}

static double solids_distance(const Pair3 *both)
{
    View3 view = {.kind = SLOT3_VERTEX_SOLID};
    SpragVec3 n;
    for (int i = 0; i < 2; i++) {
        view.shape[i] = both->shape[i];
        view.pose[i] = both->pose[i];
    }
    double products = (double)both->shape[0]->solid->edge_count * both->shape[1]->solid->edge_count;
    if (products > PRODUCT_LIMIT)
        return pair_distance(both);
    return fmax(solid_face_separation(&view, &n), edges_separation(&view));
}

double sprag_collider_shape_distance(const SpragCollider *collider, int slot,
                                     const SpragPose *poses)
{
    const SpragSlot *shown = &collider->slots[slot].shown;
    Pair3 both = {.tree = {NULL, NULL}};
    int surface = -1;
    for (int i = 0; i < 2; i++) {
        both.shape[i] = &collider->model->shapes[shown->shape[i]];
        both.pose[i] = &poses[both.shape[i]->body];
        both.tree[i] = collider->space->trees[shown->shape[i]];
        if (both.shape[i]->surface && !both.shape[i]->inside)
            surface = i;
        else if (!shape_is_convex(both.shape[i]))
            return INFINITY;
    }
    if (surface < 0)
        return pair_distance(&both);
    // what is farther from it than half of its own length is that far at least
    const SpragShape *shape = both.shape[1 - surface];
    SpragVec3 low, high;
    shape_bounds(shape, both.pose[1 - surface], &low, &high);
    double reach = 0.5 * sprag_vec3_norm(sprag_vec3_sub(high, low));
    return fmin(reach, surface_distance(both.tree[surface], both.pose[surface], shape,
                                        both.pose[1 - surface], reach));
}

// The slot of a pair with the least gap; −1: it has none.
static double least_gap(const SpragCollider *collider, const ShapePair *pair,
                        const SpragPose *poses, int *slot)
{
    double least = INFINITY;
    *slot = pair->last;
    for (int i = pair->last; i >= 0; i = collider->slots[i].before) {
        double gap = sprag_collider_space_distance(collider, i, poses, NULL);
        if (gap <= least) {
            least = gap;
            *slot = i;
        }
    }
    return least;
}

// Boxes tell most pairs apart at little cost.
static bool boxes_apart(const Pair3 *both)
{
    Box box[2];
    for (int i = 0; i < 2; i++)
        shape_bounds(both->shape[i], both->pose[i], &box[i].low, &box[i].high);
    return !boxes_overlap(&box[0], &box[1]);
}

static double pair_depth(const SpragCollider *collider, const ShapePair *pair,
                         const SpragPose *poses, double deepest, int *slot)
{
    const SpragShape *shapes = collider->model->shapes;
    Pair3 both;
    for (int i = 0; i < 2; i++) {
        both.shape[i] = &shapes[pair->shape[i]];
        both.pose[i] = &poses[both.shape[i]->body];
        both.tree[i] = collider->space->trees[pair->shape[i]];
    }
    if (boxes_apart(&both))
        return 0;
    if (!pair->whole)
        return -least_gap(collider, pair, poses, slot);
    double depth = -(are_filled_solids(&both) ? solids_distance(&both) : pair_distance(&both));
    if (depth > deepest)
        (void)least_gap(collider, pair, poses, slot);
    return depth;
}

bool sprag_collider_find_overlap_space(const SpragCollider *collider, const SpragPose *poses,
                                       double tolerance, int *slot, double *depth)
{
    const Space *space = collider->space;
    double deepest = tolerance;
    bool found = false;
    for (int i = 0; i < space->pair_count; i++) {
        int blamed = -1;
        double its_depth = pair_depth(collider, &space->pairs[i], poses, deepest, &blamed);
        if (its_depth > deepest && blamed >= 0) {
            deepest = its_depth;
            *slot = blamed;
            *depth = its_depth;
            found = true;
        }
    }
    return found;
}

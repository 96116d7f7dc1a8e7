// broad_phase.c: pairs of shapes whose swept boxes overlap.
// Problem   of n shapes that move between two configurations, all pairs whose boxes (around both
//           places, grown) overlap, without comparing all with all.
// Method    a binary tree of boxes over the shapes that have a finite box. It is built by halving
//           at the median along the widest axis, O(n log n), and from then on only its boxes are
//           adapted, O(n), until they have grown to twice what they were in sum: bodies that stay
//           together keep the tree. Every moving shape asks the tree, O(log n) each as long as
//           boxes overlap few others. Planes and what encloses others are compared with all.
// Order     the pairs are sorted, so that the tree's history does not show.
#include <stdlib.h>
#include <string.h>

#include "space_catalogue.h"

// The tree is built anew when the sum of its boxes' sizes has grown by this factor.
static const double DECAY = 2;

static bool is_finite(const Box *box)
{
    return isfinite(box->low.x) && isfinite(box->low.y) && isfinite(box->low.z) &&
           isfinite(box->high.x) && isfinite(box->high.y) && isfinite(box->high.z);
}

static Box joined(const Box *a, const Box *b)
{
    Box box = *a;
    box_add(&box, b->low);
    box_add(&box, b->high);
    return box;
}

static double box_size(const Box *box)
{
    SpragVec3 d = sprag_vec3_sub(box->high, box->low);
    return d.x + d.y + d.z;
}

static SpragStatus set_boxes(SpragCollider *collider, BroadPhase *broad, const SpragPose *poses,
                             const SpragPose *later, double grow)
{
    const SpragModel *model = collider->model;
    SPRAG_TRY(broad_phase_reserve(collider, broad));
    for (int i = 0; i < model->shape_count; i++) {
        const SpragShape *shape = &model->shapes[i];
        Box box, end;
        shape_bounds(shape, &poses[shape->body], &box.low, &box.high);
        if (later) {
            shape_bounds(shape, &later[shape->body], &end.low, &end.high);
            box = joined(&box, &end);
        }
        box_grow(&box, grow);
        broad->boxes[i] = box;
    }
    return SPRAG_OK;
}

// ---- The tree -----------------------------------------------------------------------------------

static double centre_along(const Box *box, int axis)
{
    const double low[3] = {box->low.x, box->low.y, box->low.z};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    return low[axis] + high[axis];
}

static int widest_axis(const BroadPhase *broad, int begin, int end)
{
    Box box = box_empty();
    for (int i = begin; i < end; i++) {
        const Box *b = &broad->boxes[broad->order[i]];
        box_add(&box, sprag_vec3_add(b->low, b->high));
    }
    SpragVec3 d = sprag_vec3_sub(box.high, box.low);
    if (d.x >= d.y && d.x >= d.z)
        return 0;
    return d.y >= d.z ? 1 : 2;
}

// Puts the smaller half along the axis first: Hoare's selection of the median.
static void halve(BroadPhase *broad, int begin, int end, int axis)
{
    int *order = broad->order, left = begin, right = end - 1, middle = begin + (end - begin) / 2;
    while (left < right) {
        double pivot = centre_along(&broad->boxes[order[left + (right - left) / 2]], axis);
        int i = left, k = right;
        while (i <= k) {
            while (centre_along(&broad->boxes[order[i]], axis) < pivot)
                i++;
            while (centre_along(&broad->boxes[order[k]], axis) > pivot)
                k--;
            if (i > k)
                break;
            int kept = order[i];
            order[i++] = order[k];
            order[k--] = kept;
        }
        if (middle <= k)
            right = k;
        else if (middle >= i)
            left = i;
        else
            return;
    }
}

// Node over the shapes order[begin … end − 1]; children follow it. Depth is log₂ of their number.
static int build_node(BroadPhase *broad, int begin, int end)
{
    int node = broad->node_count++;
    if (end - begin == 1) {
        int shape = broad->order[begin];
        broad->nodes[node] = (BroadNode){broad->boxes[shape], {-1, -1}, shape};
        return node;
    }
    halve(broad, begin, end, widest_axis(broad, begin, end));
    int middle = begin + (end - begin) / 2;
    int first = build_node(broad, begin, middle), second = build_node(broad, middle, end);
    Box box = joined(&broad->nodes[first].box, &broad->nodes[second].box);
    broad->nodes[node] = (BroadNode){box, {first, second}, -1};
    return node;
}

static double tree_cost(const BroadPhase *broad)
{
    double cost = 0;
    for (int i = 0; i < broad->node_count; i++)
        cost += box_size(&broad->nodes[i].box);
    return cost;
}

static SpragStatus build_tree(SpragCollider *collider, BroadPhase *broad)
{
    int shape_count = collider->model->shape_count;
    size_t count = (size_t)shape_count;
    SPRAG_TRY(sprag_reserve(collider->context, &broad->order, &broad->order_capacity, count,
                            sizeof *broad->order));
    SPRAG_TRY(sprag_reserve(collider->context, &broad->nodes, &broad->node_capacity, 2 * count,
                            sizeof *broad->nodes));
    SPRAG_TRY(sprag_reserve(collider->context, &broad->stack, &broad->stack_capacity, 2 * count + 2,
                            sizeof *broad->stack));
    broad->leaf_count = broad->node_count = 0;
    for (int i = 0; i < shape_count; i++)
        if (is_finite(&broad->boxes[i]))
            broad->order[broad->leaf_count++] = i;
    if (broad->leaf_count > 0)
        build_node(broad, 0, broad->leaf_count);
    broad->built_cost = tree_cost(broad);
    return SPRAG_OK;
}

// The tree that is there with the new boxes; false: it does not fit any more.
static bool adapt_tree(SpragCollider *collider, BroadPhase *broad)
{
    int finite = 0;
    for (int i = 0; i < collider->model->shape_count; i++)
        finite += is_finite(&broad->boxes[i]);
    if (broad->node_count == 0 || finite != broad->leaf_count)
        return false;
    for (int i = broad->node_count - 1; i >= 0; i--) {
        BroadNode *node = &broad->nodes[i];
        if (node->shape >= 0) {
            node->box = broad->boxes[node->shape];
            if (!is_finite(&node->box))
                return false;
        } else {
            node->box =
                joined(&broad->nodes[node->child[0]].box, &broad->nodes[node->child[1]].box);
        }
    }
    return tree_cost(broad) <= DECAY * broad->built_cost;
}

// ---- Pairs --------------------------------------------------------------------------------------

static bool pair_counts(const SpragModel *model, int a, int b)
{
    int body_a = model->shapes[a].body, body_b = model->shapes[b].body;
    if (model->dimension == 3)
        return space_pair_counts(model, a, b);
    return body_a != body_b && !(model->bodies[body_a].fixed && model->bodies[body_b].fixed);
}

static SpragStatus add_found(SpragCollider *collider, BroadPhase *broad, int a, int b)
{
    if (!pair_counts(collider->model, a, b))
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(collider->context, &broad->found, &broad->found_capacity,
                            (size_t)broad->found_count + 1, sizeof *broad->found));
    broad->found[broad->found_count++] = (Candidate){{a < b ? a : b, a < b ? b : a}};
    return SPRAG_OK;
}

static bool is_moving(const SpragModel *model, int shape)
{
    return !model->bodies[model->shapes[shape].body].fixed;
}

static SpragStatus ask_tree(SpragCollider *collider, BroadPhase *broad, int shape)
{
    int depth = 0;
    broad->stack[depth++] = 0;
    while (depth > 0) {
        const BroadNode *node = &broad->nodes[broad->stack[--depth]];
        if (!boxes_overlap(&node->box, &broad->boxes[shape]))
            continue;
        if (node->shape < 0) {
            broad->stack[depth++] = node->child[0];
            broad->stack[depth++] = node->child[1];
        } else if (node->shape > shape || !is_moving(collider->model, node->shape)) {
            SPRAG_TRY(add_found(collider, broad, shape, node->shape));
        }
    }
    return SPRAG_OK;
}

// Whether a box comes near a plane whose body is fixed; of others nothing is known.
static bool box_meets_plane(const SpragModel *model, const BroadPlaces *places, const Box *box,
                            int plane, double grow)
{
    const SpragShape *shape = &model->shapes[plane];
    if (shape->kind != SPRAG_SHAPE_PLANE || is_moving(model, plane))
        return true;
    SpragVec3 n, origin;
    if (places->poses) {
        n = sprag_mat3_apply(&places->poses[shape->body].R, shape->normal);
        origin = places->poses[shape->body].x;
    } else {
        const SpragFrame *frame = &places->frames[shape->body];
        n = sprag_vec3_raise(
            sprag_vec2_turn(sprag_vec3_flat(shape->normal), frame->cosine, frame->sine));
        origin = sprag_vec3_raise(frame->x);
    }
    double lowest = n.x * (n.x > 0 ? box->low.x : box->high.x) +
                    n.y * (n.y > 0 ? box->low.y : box->high.y) +
                    n.z * (n.z > 0 ? box->low.z : box->high.z);
    return !(lowest - sprag_vec3_dot(n, origin) - shape->offset > grow);
}

// Pairs with the shapes that have no finite box.
static SpragStatus ask_infinite(SpragCollider *collider, BroadPhase *broad,
                                const BroadPlaces *places, double grow)
{
    const SpragModel *model = collider->model;
    const Box *boxes = broad->boxes;
    for (int a = 0; a < model->shape_count; a++) {
        if (is_finite(&boxes[a]))
            continue;
        for (int b = 0; b < model->shape_count; b++) {
            bool finite = is_finite(&boxes[b]);
            if (finite ? box_meets_plane(model, places, &boxes[b], a, grow) : b > a)
                SPRAG_TRY(add_found(collider, broad, a, b));
        }
    }
    return SPRAG_OK;
}

// By their second shape: few have the same first one.
static void sort_by_second(Candidate *found, int count)
{
    for (int i = 1; i < count; i++) {
        Candidate one = found[i];
        int k = i;
        for (; k > 0 && found[k - 1].shape[1] > one.shape[1]; k--)
            found[k] = found[k - 1];
        found[k] = one;
    }
}

static int compare_second(const void *a, const void *b)
{
    const Candidate *s = a, *t = b;
    return (s->shape[1] > t->shape[1]) - (s->shape[1] < t->shape[1]);
}

// Pairs by their first shape, then by their second: counted into places, and those of one first
// shape sorted, of a plane with many others by the library.
static SpragStatus sort_found(SpragCollider *collider, BroadPhase *broad)
{
    enum { FEW = 24 };
    int shapes = collider->model->shape_count, count = broad->found_count;
    SPRAG_TRY(sprag_reserve(collider->context, &broad->sorted, &broad->sorted_capacity,
                            (size_t)count + 1, sizeof *broad->sorted));
    SPRAG_TRY(sprag_reserve(collider->context, &broad->starts, &broad->start_capacity,
                            (size_t)shapes + 2, sizeof *broad->starts));
    int *starts = broad->starts;
    memset(starts, 0, ((size_t)shapes + 2) * sizeof *starts);
    for (int i = 0; i < count; i++)
        starts[broad->found[i].shape[0] + 2]++;
    for (int i = 2; i <= shapes; i++)
        starts[i] += starts[i - 1];
    for (int i = 0; i < count; i++)
        broad->sorted[starts[broad->found[i].shape[0] + 1]++] = broad->found[i];
    for (int i = 0; i < shapes; i++) {
        Candidate *first = broad->sorted + starts[i];
        int few = starts[i + 1] - starts[i];
        if (few <= FEW)
            sort_by_second(first, few);
        else
            qsort(first, (size_t)few, sizeof *first, compare_second);
    }
    if (count > 0)
        memcpy(broad->found, broad->sorted, (size_t)count * sizeof *broad->found);
    return SPRAG_OK;
}

SpragStatus broad_phase_reserve(SpragCollider *collider, BroadPhase *broad)
{
    return sprag_reserve(collider->context, &broad->boxes, &broad->box_capacity,
                         (size_t)collider->model->shape_count, sizeof *broad->boxes);
}

SpragStatus broad_phase_find(SpragCollider *collider, const SpragPose *poses,
                             const SpragPose *later, double grow)
{
    BroadPhase *broad = &collider->space->broad;
    SPRAG_TRY(set_boxes(collider, broad, poses, later, grow));
    return broad_phase_pairs(collider, broad, &(BroadPlaces){.poses = poses}, grow);
}

SpragStatus broad_phase_pairs(SpragCollider *collider, BroadPhase *broad, const BroadPlaces *places,
                              double grow)
{
    if (!adapt_tree(collider, broad))
        SPRAG_TRY(build_tree(collider, broad));
    broad->found_count = 0;
    for (int i = 0; i < broad->leaf_count; i++)
        if (is_moving(collider->model, broad->order[i]))
            SPRAG_TRY(ask_tree(collider, broad, broad->order[i]));
    SPRAG_TRY(ask_infinite(collider, broad, places, grow));
    return sort_found(collider, broad);
}

void broad_phase_destroy(SpragContext *context, BroadPhase *broad)
{
    sprag_free(context, broad->boxes);
    sprag_free(context, broad->nodes);
    sprag_free(context, broad->order);
    sprag_free(context, broad->stack);
    sprag_free(context, broad->found);
    sprag_free(context, broad->sorted);
    sprag_free(context, broad->starts);
}

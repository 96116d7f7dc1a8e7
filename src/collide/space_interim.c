// space_interim.c: pairs of plain shapes only; replaced when cylinders, surfaces and inside shapes
// arrive.
#include "space_catalogue.h"

bool pair_is_special(const SpragShape *a, const SpragShape *b)
{
    (void)a;
    (void)b;
    return false;
}
bool pair_can_touch(const SpragShape *a, const SpragShape *b)
{
    return !(a->kind == SPRAG_SHAPE_PLANE && b->kind == SPRAG_SHAPE_PLANE);
}
void special_meet(const View3 *view, Meeting3 *meeting)
{
    (void)view;
    *meeting = (Meeting3){.valid = false};
}
SpragStatus special_seeds(const Pair3 *pair, Seed3Sink sink, void *user)
{
    (void)pair;
    (void)sink;
    (void)user;
    return SPRAG_OK;
}
SpragStatus special_seeds_near(const Pair3 *pair, double reach, Seed3Sink sink, void *user)
{
    (void)pair;
    (void)reach;
    (void)sink;
    (void)user;
    return SPRAG_OK;
}
void special_feature_name(const View3 *view, int role, size_t capacity, char *text)
{
    (void)view;
    (void)role;
    (void)capacity;
    text[0] = 0;
}
void shape_bounds(const SpragShape *shape, const SpragPose *pose, SpragVec3 *low, SpragVec3 *high)
{
    Box box = box_empty();
    if (shape->kind == SPRAG_SHAPE_PLANE) {
        box_add(&box, sprag_vec3(INFINITY, INFINITY, INFINITY));
        box_add(&box, sprag_vec3(-INFINITY, -INFINITY, -INFINITY));
    }
    for (int i = 0; i < shape->vertex_count; i++)
        box_add(&box, pose_to_world(pose, shape->points[i]));
    box_grow(&box, shape->radius);
    *low = box.low;
    *high = box.high;
}
double pair_distance(const Pair3 *pair)
{
    ConvexDistance result;
    for (int i = 0; i < 2; i++) {
        const SpragShape *plane = pair->shape[i], *other = pair->shape[1 - i];
        if (plane->kind != SPRAG_SHAPE_PLANE)
            continue;
        double least = INFINITY;
        for (int k = 0; k < other->vertex_count; k++) {
            SpragVec3 p = pose_to_world(pair->pose[1 - i], other->points[k]);
            p = pose_to_local(pair->pose[i], p);
            least = fmin(least, sprag_vec3_dot(plane->normal, p) - plane->offset - other->radius);
        }
        return least;
    }
    if (!convex_distance(pair->shape[0], pair->pose[0], pair->shape[1], pair->pose[1], &result))
        return INFINITY;
    return result.distance;
}
SpragStatus surface_tree_create(SpragContext *context, const SpragSurface *surface,
                                SurfaceTree **tree)
{
    (void)context;
    (void)surface;
    *tree = NULL;
    return SPRAG_OK;
}
void surface_tree_destroy(SpragContext *context, SurfaceTree *tree)
{
    (void)context;
    (void)tree;
}

// surface_distance.c: least signed distance of a convex shape from a surface, triangle by triangle.
#include <math.h>

#include "surface_private.h"

SpragPose relative_pose(const SpragPose *in, const SpragPose *of)
{
    SpragPose pose = {.x = pose_to_local(in, of->x)};
    for (int column = 0; column < 3; column++) {
        SpragVec3 e = sprag_mat3_apply_back(&in->R, sprag_mat3_column(&of->R, column));
        pose.R.m[column] = e.x;
        pose.R.m[3 + column] = e.y;
        pose.R.m[6 + column] = e.z;
    }
    return pose;
}

typedef struct DistanceUser {
    const SurfaceTree *tree;
    const SpragShape *shape;
    SpragPose relative;
    double least;
} DistanceUser;

static SpragStatus try_distance(void *user, int triangle)
{
    DistanceUser *self = user;
    SpragVec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = surface_corner(self->tree, triangle, i);
    SpragShape flat = {.kind = SPRAG_SHAPE_HULL, .vertex_count = 3, .points = corner};
    SpragPose still = {.R = sprag_mat3_identity()};
    ConvexDistance result;
    if (convex_distance(self->shape, &self->relative, &flat, &still, &result))
        self->least = fmin(self->least, result.distance);
    return SPRAG_OK;
}

double surface_distance(const SurfaceTree *tree, const SpragPose *pose, const SpragShape *shape,
                        const SpragPose *shape_pose, double reach)
{
    DistanceUser self = {.tree = tree, .shape = shape, .least = INFINITY};
    self.relative = relative_pose(pose, shape_pose);
    SpragVec3 low, high, grown = sprag_vec3(reach, reach, reach);
    shape_bounds(shape, &self.relative, &low, &high);
    SpragVec3 middle = sprag_vec3_scale(0.5, sprag_vec3_add(low, high));
    SpragStatus status = surface_visit(tree, sprag_vec3_sub(low, grown),
                                       sprag_vec3_add(high, grown), try_distance, &self);
    (void)status; // the visitor never fails
    // a shape that is wholly behind the surface touches no triangle
    SurfaceNearest near = surface_nearest(tree, middle, -1, INFINITY);
    SpragVec3 d = sprag_vec3_sub(middle, near.point);
    bool behind = near.feature == 0 && sprag_vec3_dot(tree->surface->normals[near.triangle], d) < 0;
    return behind ? fmin(self.least, -sqrt(near.squared)) : self.least;
}

// space_distance.c: signed distance of any two shapes as wholes; nearest points of segments and
// triangles.
// Whole     convex pairs by GJK and EPA; planes and walls by supports; surfaces triangle by
//           triangle; round holes by the farthest place of the shape inside.
// Rods      and points touch with their vertices only: each is a shape of its own.
#include <math.h>

#include "special_private.h"

// ---- Segments and triangles ---------------------------------------------------------------------

static double clamp(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

void segment_segment(SpragVec3 a, SpragVec3 b, SpragVec3 c, SpragVec3 d, double *s, double *t)
{
    SpragVec3 u = sprag_vec3_sub(b, a), v = sprag_vec3_sub(d, c), w = sprag_vec3_sub(a, c);
    double uu = sprag_vec3_dot(u, u), vv = sprag_vec3_dot(v, v), uv = sprag_vec3_dot(u, v);
    double uw = sprag_vec3_dot(u, w), vw = sprag_vec3_dot(v, w);
    SpragVec3 across = sprag_vec3_cross(u, v);
    double determinant = sprag_vec3_dot(across, across);
    *s = 0;
    *t = 0;
    if (!(uu > 0)) {
        *t = vv > 0 ? clamp(vw / vv) : 0;
        return;
    }
    if (!(vv > 0)) {
        *s = clamp(-uw / uu);
        return;
    }
    if (determinant > 0)
        *s = clamp((uv * vw - vv * uw) / determinant);
    *t = (uv * *s + vw) / vv;
    if (*t < 0 || *t > 1) {
        *t = clamp(*t);
        *s = clamp((uv * *t - uw) / uu);
    }
}

SpragVec3 point_triangle(SpragVec3 p, const SpragVec3 corner[3], int *feature)
{
    SpragVec3 n = sprag_vec3_cross(sprag_vec3_sub(corner[1], corner[0]),
                                   sprag_vec3_sub(corner[2], corner[0]));
    double least = INFINITY;
    bool inside = true;
    SpragVec3 best = corner[0];
    for (int i = 0; i < 3; i++) {
        SpragVec3 a = corner[i], e = sprag_vec3_sub(corner[(i + 1) % 3], a);
        SpragVec3 d = sprag_vec3_sub(p, a);
        if (sprag_vec3_dot(sprag_vec3_cross(n, e), d) >= 0)
            continue;
        inside = false;
        double along = sprag_vec3_dot(e, d) / sprag_vec3_dot(e, e), t = clamp(along);
        SpragVec3 q = t < 1 ? sprag_vec3_along(a, t, e) : corner[(i + 1) % 3];
        double distance = sprag_vec3_norm(sprag_vec3_sub(p, q));
        if (distance >= least)
            continue;
        least = distance;
        best = q;
        *feature = along <= 0 ? 4 + i : along >= 1 ? 4 + (i + 1) % 3 : 1 + i;
    }
    if (!inside)
        return best;
    *feature = 0;
    double height = sprag_vec3_dot(n, sprag_vec3_sub(p, corner[0])) / sprag_vec3_dot(n, n);
    return sprag_vec3_along(p, -height, n);
}

// ---- Planes and walls ---------------------------------------------------------------------------

static double over_plane(SpragVec3 n, SpragVec3 through, const SpragShape *shape,
                         const SpragPose *pose)
{
    SpragVec3 low = shape_support(shape, pose, sprag_vec3_scale(-1, n));
    return sprag_vec3_dot(n, sprag_vec3_sub(low, through));
}

static double plane_distance(const SpragShape *plane, const SpragPose *plane_pose,
                             const SpragShape *shape, const SpragPose *pose)
{
    SpragVec3 foot = sprag_vec3_scale(plane->offset, plane->normal);
    return over_plane(sprag_mat3_apply(&plane_pose->R, plane->normal),
                      pose_to_world(plane_pose, foot), shape, pose);
}

static double container_distance(const SpragShape *around, const SpragPose *around_pose,
                                 const SpragShape *shape, const SpragPose *pose)
{
    const SpragSolid *solid = around->solid;
    double least = INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        SpragVec3 n = sprag_mat3_apply(&around_pose->R, sprag_vec3_scale(-1, solid->normals[f]));
        SpragVec3 corner = solid->vertices[solid->face_vertices[solid->face_first[f]]];
        least = fmin(least, over_plane(n, pose_to_world(around_pose, corner), shape, pose));
    }
    return least;
}

// ---- Round holes --------------------------------------------------------------------------------

// Gap of the slot with these features; INFINITY: they do not meet.
static double slot_gap(const Pair3 *pair, SlotKind3 kind, int first, int feature, int other)
{
    View3 view = {.kind = kind, .feature = {feature, other}};
    for (int role = 0; role < 2; role++) {
        int side = role == 0 ? first : 1 - first;
        view.shape[role] = pair->shape[side];
        view.pose[role] = pair->pose[side];
        view.tree[role] = pair->tree[side];
    }
    Meeting3 meeting;
    SpragSpaceGap gap;
    special_meet(&view, &meeting);
    return meeting.valid && meeting_gap(&view, &meeting, &gap) ? gap.gap : INFINITY;
}

typedef struct LeastGap {
    const Pair3 *pair;
    double least;
} LeastGap;

static SpragStatus take_gap(void *user, const Seed3 *seed)
{
    LeastGap *self = user;
    double gap =
        slot_gap(self->pair, seed->kind, seed->side[0], seed->feature[0], seed->feature[1]);
    self->least = fmin(self->least, gap);
    return SPRAG_OK;
}

// Bowls, capsules and bores hold convex shapes by their vertices, rims and mouths: the slots tell.
static double hole_distance(const Pair3 *pair)
{
    LeastGap self = {pair, INFINITY};
    SpragStatus status = special_seeds(pair, take_gap, &self);
    if (status == SPRAG_OK)
        status = special_seeds_near(pair, 0, take_gap, &self);
    (void)status; // taking a gap never fails
    return self.least;
}

// ---- Any pair -----------------------------------------------------------------------------------

static double whole_distance(const Pair3 *pair)
{
    for (int i = 0; i < 2; i++) {
        const SpragShape *shape = pair->shape[i], *other = pair->shape[1 - i];
        const SpragPose *pose = pair->pose[i], *other_pose = pair->pose[1 - i];
        if (shape->kind == SPRAG_SHAPE_PLANE)
            return plane_distance(shape, pose, other, other_pose);
        if (shape->surface)
            return surface_distance(pair->tree[i], pose, other, other_pose, 0);
        if (shape->inside)
            return shape->solid ? container_distance(shape, pose, other, other_pose)
                                : hole_distance(pair);
    }
    ConvexDistance result;
    if (!convex_distance(pair->shape[0], pair->pose[0], pair->shape[1], pair->pose[1], &result))
        return INFINITY;
    return result.distance;
}

double pair_distance(const Pair3 *pair)
{
    if (!pair_can_touch(pair->shape[0], pair->shape[1]))
        return INFINITY;
    for (int i = 0; i < 2; i++) {
        const SpragShape *shape = pair->shape[i];
        if (shape->kind != SPRAG_SHAPE_ROD && shape->kind != SPRAG_SHAPE_POINTS)
            continue;
        double least = INFINITY;
        for (int k = 0; k < shape->vertex_count; k++) {
            SpragShape single = *shape;
            single.kind = SPRAG_SHAPE_SPHERE;
            single.radius = 0;
            single.vertex_count = 1;
            single.points = &shape->points[k];
            Pair3 alone = *pair;
            alone.shape[i] = &single;
            least = fmin(least, whole_distance(&alone));
        }
        return least;
    }
    return whole_distance(pair);
}

// space_surface.c: vertices, rims, edges and faces of bodies against fixed triangles.
// Patch     a vertex or rim meets the plane of a patch where it lies over the patch: sides between
//           triangles in one plane do not exist for it. A ridge or peak belongs to the least of
//           its patches, and only where it is the nearest of all. Sharp vertices are measured from
//           it only while they are apart: nearer than the zone they are over a patch.
// Others    ridges against edges, cores and cylinders; peaks against faces, sides and flat ends.
#include <math.h>

#include "surface_private.h"

// Features of role 1: patches by their triangle, then ridges, then vertices.
static int ridge_feature(const SurfaceTree *tree, int ridge)
{
    return tree->surface->triangle_count + ridge;
}
static int corner_feature(const SurfaceTree *tree, int vertex)
{
    return 4 * tree->surface->triangle_count + vertex;
}

// ---- Patches ------------------------------------------------------------------------------------

static void set_patch(const View3 *view, Meeting3 *meeting)
{
    const SurfaceTree *tree = view->tree[1];
    int patch = view->feature[1];
    meeting->piece[1] = piece_plane(surface_corner(tree, patch, 0), tree->surface->normals[patch]);
    meeting->feature[1] = patch;
    meeting->valid = true;
}

// ---- Vertices -----------------------------------------------------------------------------------

// Direction of a capsule's core, out of its end view->feature[0], in the frame of the surface.
static SpragVec3 core_out(const View3 *view)
{
    const SpragShape *shape = view->shape[0];
    int end = view->feature[0];
    SpragVec3 out = sprag_vec3_unit(sprag_vec3_sub(shape->points[end], shape->points[1 - end]));
    return sprag_mat3_apply_back(&view->pose[1]->R, sprag_mat3_apply(&view->pose[0]->R, out));
}

// Whether a place, d away from the centre of the end of a capsule, is that end's: what is nearer to
// its core is met by the core.
static bool end_owns(const View3 *view, SpragVec3 d, double slack)
{
    return view->shape[0]->kind != SPRAG_SHAPE_CAPSULE ||
           sprag_vec3_dot(core_out(view), d) <= slack;
}

// Whether a capsule lies about along a ridge: both of its ends touch then, and are seen before.
static bool lies_along(const View3 *view, SpragVec3 ridge)
{
    return view->shape[0]->kind == SPRAG_SHAPE_CAPSULE &&
           sprag_vec3_norm(sprag_vec3_cross(core_out(view), ridge)) < NORMAL_SLACK;
}

// A vertex beside its patch: over a ridge or a peak that belongs to the patch.
static void vertex_border_meet(const View3 *view, SpragVec3 c, Meeting3 *meeting)
{
    const SurfaceTree *tree = view->tree[1];
    int patch = view->feature[1];
    SurfaceNearest near = surface_nearest(tree, c, patch, INFINITY);
    if (near.triangle < 0 || near.feature == 0)
        return;
    double distance = sqrt(near.squared), nearer = fmax(0, distance - view->zone), slack = 0;
    SpragVec3 d = sprag_vec3_sub(c, near.point);
    if (near.feature > 3) {
        int vertex = tree->surface->triangles[3 * near.triangle + near.feature - 4];
        const SurfaceVertex *corner = &tree->vertices[vertex];
        if (corner->owner != patch || sprag_vec3_dot(d, corner->outward) <= 0)
            return;
        meeting->piece[1] = piece_point(tree->surface->vertices[vertex], 0);
        meeting->feature[1] = corner_feature(tree, vertex);
    } else {
        int side = near.feature - 1, ridge = surface_ridge(tree, near.triangle, side);
        int other = tree->surface->neighbours[3 * near.triangle + side];
        SideKind kind = surface_side(tree, near.triangle, side);
        SpragVec3 ends[2], normals[2];
        if (kind == SIDE_FLAT || kind == SIDE_VALLEY || (other >= 0 && tree->patch[other] < patch))
            return;
        int faces = ridge_faces(tree, ridge, ends, normals);
        SpragVec3 outward = faces == 2 ? sprag_vec3_add(normals[0], normals[1]) : normals[0];
        if (sprag_vec3_dot(d, outward) <= 0)
            return;
        meeting->piece[1] = piece_line(ends[0], sprag_vec3_sub(ends[1], ends[0]), 0);
        meeting->feature[1] = ridge_feature(tree, ridge);
        slack = lies_along(view, meeting->piece[1].axis) ? NORMAL_SLACK * distance : 0;
    }
    // what lies behind a nearer part of the surface is not met
    meeting->valid =
        end_owns(view, d, slack + view->zone) && surface_nearest(tree, c, -1, nearer).triangle < 0;
}

static void vertex_meet_surface(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *shape = view->shape[0];
    SpragVec3 own = shape->points[view->feature[0]];
    SpragVec3 c = pose_to_local(view->pose[1], pose_to_world(view->pose[0], own));
    meeting->piece[0] = piece_point(own, shape->radius);
    meeting->feature[0] = view->feature[0];
    if (surface_over_patch(view, c))
        set_patch(view, meeting);
    else
        vertex_border_meet(view, c, meeting);
}

static void rim_meet_surface(const View3 *view, Meeting3 *meeting)
{
    const SurfaceTree *tree = view->tree[1];
    int patch = view->feature[1];
    SpragVec3 n = sprag_mat3_apply(&view->pose[1]->R, tree->surface->normals[patch]), place;
    SpragVec3 through = pose_to_world(view->pose[1], surface_corner(tree, patch, 0));
    if (!rim_over_plane(view, n, through, meeting, &place))
        return;
    if (surface_over_patch(view, pose_to_local(view->pose[1], place)))
        set_patch(view, meeting);
}

// ---- Ridges -------------------------------------------------------------------------------------

// How deep a point of the world is in role 0's polyhedron or capsule.
static double depth_in(const View3 *view, SpragVec3 world)
{
    const SpragShape *shape = view->shape[0];
    SpragVec3 p = pose_to_local(view->pose[0], world);
    double depth = shape->solid ? INFINITY : shape->radius;
    for (int f = 0; shape->solid && f < shape->solid->face_count; f++)
        depth = fmin(depth, shape->solid->offsets[f] - sprag_vec3_dot(shape->solid->normals[f], p));
    return depth;
}

// Whether n is a normal of both wedges without any slack, so that they part along n alone.
static bool parts_alone(const StraightEdge *a, const StraightEdge *b, SpragVec3 n)
{
    bool alone = a->face_count == 2 && b->face_count == 2;
    for (int i = 0; i < 2 && alone; i++)
        alone = sprag_vec3_dot(n, a->inward[i]) >= 0 && sprag_vec3_dot(n, b->inward[i]) <= 0;
    return alone;
}

// Whether a ridge passes through role 0's polyhedron.
static bool runs_through(const View3 *view, const StraightEdge *ridge)
{
    const SpragSolid *solid = view->shape[0]->solid;
    SpragVec3 p = pose_to_local(view->pose[0], ridge->end[0]);
    SpragVec3 e = sprag_vec3_sub(pose_to_local(view->pose[0], ridge->end[1]), p);
    double low = 0, high = 1;
    for (int f = 0; f < solid->face_count; f++) {
        double rate = sprag_vec3_dot(solid->normals[f], e);
        double out = sprag_vec3_dot(solid->normals[f], p) - solid->offsets[f];
        if (rate > 0)
            high = fmin(high, -out / rate);
        else if (rate < 0)
            low = fmax(low, -out / rate);
        else if (out > 0)
            return false;
    }
    return high > low;
}

static bool between_ends(const StraightEdge *edge, SpragVec3 p, double zone)
{
    double along = sprag_vec3_dot(edge->direction, sprag_vec3_sub(p, edge->end[0]));
    return along > zone && along < edge->length - zone;
}

static void edge_meet_ridge(const View3 *view, Meeting3 *meeting)
{
    StraightEdge a = edge_place(view, 0), b = edge_place(view, 1);
    SpragVec3 product = sprag_vec3_cross(a.direction, b.direction);
    if (sprag_vec3_norm(product) < PARALLEL_SINE)
        return;
    SpragVec3 axis = sprag_vec3_sub(b.local[1], b.local[0]);
    SpragVec3 towards = sprag_vec3_sub(b.outward, a.outward);
    if (sprag_vec3_dot(product, towards) < 0)
        axis = sprag_vec3_scale(-1, axis);
    SpragSpaceGap gap;
    SpragPiece first = piece_line(a.local[0], sprag_vec3_sub(a.local[1], a.local[0]), a.radius);
    meeting_set(meeting, first, view->feature[0], piece_line(b.local[0], axis, 0),
                view->feature[1]);
    meeting->valid = false;
    if (!meeting_gap(view, meeting, &gap))
        return;
    SpragVec3 c = sprag_vec3_along(gap.point[0], a.radius, gap.normal);
    if (!between_ends(&a, c, view->zone) || !between_ends(&b, gap.point[1], view->zone))
        return;
    if (!edge_has_normal(&a, sprag_vec3_scale(-1, gap.normal)) || !edge_has_normal(&b, gap.normal))
        return;
    // over a sharp edge the ridge may pass beside the body at the place of the normal, and enter it
    // where the body widens: two wedges with this one common normal overlap if the gap is negative
    meeting->valid =
        -gap.gap <= 2 * fmax(0, depth_in(view, gap.point[1])) + view->zone ||
        (view->shape[0]->solid && parts_alone(&a, &b, gap.normal) && runs_through(view, &b));
}

// ---- Peaks --------------------------------------------------------------------------------------

static void peak_meet_solid(const View3 *view, Meeting3 *meeting)
{
    const SpragSolid *solid = view->shape[1]->solid;
    const SurfaceVertex *vertex = &view->tree[0]->vertices[view->feature[0]];
    SpragVec3 own = surface_vertex(view->tree[0], view->feature[0]);
    SpragVec3 p = pose_to_local(view->pose[1], pose_to_world(view->pose[0], own));
    SpragVec3 up = sprag_mat3_apply(&view->pose[0]->R, vertex->up);
    up = sprag_mat3_apply_back(&view->pose[1]->R, up);
    int best = -1;
    double most = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        double height = sprag_vec3_dot(solid->normals[f], p) - solid->offsets[f];
        if (height <= most || sprag_vec3_dot(solid->normals[f], up) > NORMAL_SLACK)
            continue;
        most = height;
        best = f;
    }
    if (best < 0 || !face_covers(solid, best, p, -view->zone))
        return;
    SpragVec3 corner = solid->vertices[solid->face_vertices[solid->face_first[best]]];
    meeting_set(meeting, piece_point(own, 0), view->feature[0],
                piece_plane(corner, solid->normals[best]), best);
}

static void peak_meet_round(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *shape = view->shape[1];
    SpragVec3 own = surface_vertex(view->tree[0], view->feature[0]);
    SpragVec3 p = pose_to_local(view->pose[1], pose_to_world(view->pose[0], own));
    SpragVec3 e = sprag_vec3_sub(shape->points[1], shape->points[0]);
    double length = sprag_vec3_norm(e);
    double along = sprag_vec3_dot(e, sprag_vec3_sub(p, shape->points[0])) / length;
    if (along > view->zone && along < length - view->zone)
        meeting_set(meeting, piece_point(own, 0), view->feature[0],
                    piece_line(shape->points[0], e, shape->radius), 0);
}

void surface_meet(const View3 *view, Meeting3 *meeting)
{
    switch (view->kind) {
    case SLOT3_VERTEX_SURFACE:
        vertex_meet_surface(view, meeting);
        break;
    case SLOT3_RIM_SURFACE:
        rim_meet_surface(view, meeting);
        break;
    case SLOT3_EDGE_RIDGE:
        edge_meet_ridge(view, meeting);
        break;
    case SLOT3_PEAK_SOLID:
        peak_meet_solid(view, meeting);
        break;
    default:
        peak_meet_round(view, meeting);
        break;
    }
}

// ---- What is near -------------------------------------------------------------------------------

typedef struct NearUser {
    const SurfaceTree *tree;
    const SpragShape *shape;
    SpragPose relative; // of the body in the frame of the surface's
    int surface;        // which of the pair
    double reach;
    Seed3Sink sink;
    void *user;
} NearUser;

static SpragStatus tell(NearUser *near, SlotKind3 kind, bool surface_first, int first, int second)
{
    int s = near->surface, o = 1 - s;
    Seed3 seed = {.kind = kind, .feature = {first, second}};
    seed.side[0] = surface_first ? s : o;
    seed.side[1] = surface_first ? o : s;
    return near->sink(near->user, &seed);
}

// Distance of a point from a triangle.
static double triangle_apart(const NearUser *near, int triangle, SpragVec3 p)
{
    int feature;
    SpragVec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = surface_corner(near->tree, triangle, i);
    return sprag_vec3_norm(sprag_vec3_sub(p, point_triangle(p, corner, &feature)));
}

static SpragStatus tell_patch(NearUser *near, int triangle)
{
    const SpragShape *shape = near->shape;
    int patch = near->tree->patch[triangle];
    bool cylinder = shape->kind == SPRAG_SHAPE_CYLINDER;
    int count = cylinder ? 2 : shape->vertex_count;
    for (int i = 0; i < count; i++) {
        SpragVec3 p = pose_to_world(&near->relative, shape->points[i]);
        if (triangle_apart(near, triangle, p) > near->reach + shape->radius)
            continue;
        for (int k = 0; cylinder && k < RIM_PLACES; k++)
            SPRAG_TRY(tell(near, SLOT3_RIM_SURFACE, false, RIM_PLACES * i + k, patch));
        if (!cylinder)
            SPRAG_TRY(tell(near, SLOT3_VERTEX_SURFACE, false, i, patch));
    }
    return SPRAG_OK;
}

static SpragStatus tell_ridge(NearUser *near, int ridge)
{
    const SpragShape *shape = near->shape;
    SpragVec3 ends[2], normals[2];
    ridge_faces(near->tree, ridge, ends, normals);
    int count = shape->solid ? shape->solid->edge_count : 1;
    for (int i = 0; i < count; i++) {
        SpragVec3 p[2];
        double s, t;
        for (int k = 0; k < 2; k++)
            p[k] = pose_to_world(
                &near->relative,
                shape->solid ? shape->solid->vertices[shape->solid->edge_vertices[2 * i + k]]
                             : shape->points[k]);
        segment_segment(p[0], p[1], ends[0], ends[1], &s, &t);
        SpragVec3 d =
            sprag_vec3_sub(sprag_vec3_along(p[0], s, sprag_vec3_sub(p[1], p[0])),
                           sprag_vec3_along(ends[0], t, sprag_vec3_sub(ends[1], ends[0])));
        if (sprag_vec3_norm(d) > near->reach + shape->radius)
            continue;
        if (shape->kind != SPRAG_SHAPE_CYLINDER) {
            SPRAG_TRY(tell(near, SLOT3_EDGE_RIDGE, false, i, ridge));
            continue;
        }
        SPRAG_TRY(tell(near, SLOT3_RIDGE_CYLINDER, true, ridge, -1));
        for (int rim = 0; rim < 4; rim++)
            SPRAG_TRY(tell(near, SLOT3_RIDGE_RIM, true, ridge, rim));
    }
    return SPRAG_OK;
}

static SpragStatus tell_peak(NearUser *near, int vertex)
{
    if (near->shape->solid)
        return tell(near, SLOT3_PEAK_SOLID, true, vertex, -1);
    if (near->shape->kind == SPRAG_SHAPE_CYLINDER)
        return tell(near, SLOT3_PEAK_CYLINDER, true, vertex, -1);
    return tell(near, SLOT3_PEAK_ROUND, true, vertex, -1);
}

static SpragStatus near_triangle(void *user, int triangle)
{
    NearUser *near = user;
    const SurfaceTree *tree = near->tree;
    SPRAG_TRY(tell_patch(near, triangle));
    // spheres, points and rods have neither edges nor faces
    if (!near->shape->solid && near->shape->kind != SPRAG_SHAPE_CAPSULE &&
        near->shape->kind != SPRAG_SHAPE_CYLINDER)
        return SPRAG_OK;
    for (int side = 0; side < 3; side++) {
        SideKind kind = surface_side(tree, triangle, side);
        int ridge = surface_ridge(tree, triangle, side);
        int vertex = tree->surface->triangles[3 * triangle + side];
        if (kind == SIDE_RIDGE || kind == SIDE_BORDER)
            SPRAG_TRY(tell_ridge(near, ridge));
        if (tree->vertices[vertex].peak)
            SPRAG_TRY(tell_peak(near, vertex));
    }
    return SPRAG_OK;
}

SpragStatus surface_seeds_near(const Pair3 *pair, int surface, double reach, Seed3Sink sink,
                               void *user)
{
    NearUser near = {.tree = pair->tree[surface],
                     .shape = pair->shape[1 - surface],
                     .surface = surface,
                     .reach = reach,
                     .sink = sink,
                     .user = user};
    near.relative = relative_pose(pair->pose[surface], pair->pose[1 - surface]);
    SpragVec3 low, high, grown = sprag_vec3(reach, reach, reach);
    shape_bounds(near.shape, &near.relative, &low, &high);
    return surface_visit(near.tree, sprag_vec3_sub(low, grown), sprag_vec3_add(high, grown),
                         near_triangle, &near);
}

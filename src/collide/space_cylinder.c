// space_cylinder.c: rims, sides and flat ends of cylinders against vertices, planes, faces.
// Rim       over a plane or face the lowest place of the rim meets (a circle that rolls, smooth at
//           any inclination). A flat end (the far side of the rim nearer than the zone) has no
//           lowest place: there three marks, fixed in the body when they are gripped, carry it.
//           They point downhill and 120° to either side, so that a cylinder on an incline tips
//           where it should; on level ground they are fixed in the cylinder.
// Marks     while the end comes down, marks see it coming: their gaps change sign as it lands. The
//           one beside the lowest place stays silent then (the rim itself speaks), unless it is
//           below the surface.
// Vertex    against the side, a flat end or the rim, whichever is nearest; a sharp one does not
//           meet the sharp rim but the end or the side beside it.
// Flush     what ends where the cylinder ends (equal lengths side by side) meets the side, not the
//           flat end that it only grazes.
#include <math.h>

#include "space_catalogue.h"
#include "special_private.h"

static const double PI = 3.141592653589793;
// Cosine of the angle between a flat end and a plane up to which marks are looked at.
static const double FACING = 0.7;
// Part of gravity along a plane below which there is no downhill.
static const double LEVEL = 1e-6;

// ---- Placed cylinders ---------------------------------------------------------------------------

Cylinder cylinder_place(const SpragShape *shape, const SpragPose *pose)
{
    Cylinder cylinder = {.radius = shape->radius};
    for (int i = 0; i < 2; i++)
        cylinder.end[i] = pose_to_world(pose, shape->points[i]);
    SpragVec3 local = sprag_vec3_sub(shape->points[1], shape->points[0]);
    cylinder.length = sprag_vec3_norm(local);
    cylinder.out[1] = sprag_mat3_apply(&pose->R, sprag_vec3_unit(local));
    cylinder.out[0] = sprag_vec3_scale(-1, cylinder.out[1]);
    return cylinder;
}

Located cylinder_locate(const Cylinder *cylinder, SpragVec3 p)
{
    Located located;
    SpragVec3 u = cylinder->out[1], d = sprag_vec3_sub(p, cylinder->end[0]);
    located.along = sprag_vec3_dot(d, u);
    SpragVec3 off = sprag_vec3_along(d, -located.along, u);
    off = sprag_vec3_along(off, -sprag_vec3_dot(off, u), u);
    located.off = sprag_vec3_norm(off);
    located.radial = sprag_vec3_unit(off);
    located.depth =
        fmin(cylinder->radius - located.off, fmin(located.along, cylinder->length - located.along));
    return located;
}

double cylinder_low(const Cylinder *cylinder, SpragVec3 n)
{
    SpragVec3 across = sprag_vec3_cross(n, cylinder->out[1]);
    double low = fmin(sprag_vec3_dot(n, cylinder->end[0]), sprag_vec3_dot(n, cylinder->end[1]));
    return low - cylinder->radius * sprag_vec3_norm(across);
}

static SpragVec3 local_out(const SpragShape *shape, int end)
{
    return sprag_vec3_unit(sprag_vec3_sub(shape->points[end], shape->points[1 - end]));
}

SpragPiece cylinder_side_piece(const SpragShape *shape)
{
    double radius = shape->inside ? -shape->radius : shape->radius;
    return piece_line(shape->points[0], local_out(shape, 1), radius);
}

SpragPiece cylinder_end_piece(const SpragShape *shape, int end)
{
    return piece_plane(shape->points[end], local_out(shape, end));
}

SpragPiece cylinder_rim_piece(const SpragShape *shape, int rim)
{
    return piece_circle(shape->points[rim], local_out(shape, rim), shape->radius);
}

bool meeting_gap(const View3 *view, const Meeting3 *meeting, SpragSpaceGap *gap)
{
    return piece_gap(&meeting->piece[0], view->pose[0], &meeting->piece[1], view->pose[1], -1,
                     false, gap);
}

// ---- Vertices -----------------------------------------------------------------------------------

static bool is_point(const View3 *view)
{
    return view->kind == SLOT3_PEAK_CYLINDER || !(view->shape[0]->radius > 0);
}

static SpragPiece vertex_piece(const View3 *view)
{
    if (view->kind == SLOT3_PEAK_CYLINDER)
        return piece_point(surface_vertex(view->tree[0], view->feature[0]), 0);
    return piece_point(view->shape[0]->points[view->feature[0]], view->shape[0]->radius);
}

// Whether the vertex is in the plane of a flat end and its polyhedron is not beyond that plane.
static bool is_flush(const View3 *view, const Cylinder *cylinder, int end, double beyond)
{
    double low, high, plane = sprag_vec3_dot(cylinder->out[end], cylinder->end[end]);
    if (fabs(beyond) > view->zone || view->kind == SLOT3_PEAK_CYLINDER || !view->shape[0]->solid)
        return false;
    shape_extent(view->shape[0], view->pose[0], cylinder->out[end], &low, &high);
    return low - plane < -10 * view->zone;
}

void cylinder_vertex_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *shape = view->shape[1];
    Cylinder cylinder = cylinder_place(shape, view->pose[1]);
    SpragPiece own = vertex_piece(view);
    Located at = cylinder_locate(&cylinder, pose_to_world(view->pose[0], own.point));
    int end = at.along > 0.5 * cylinder.length ? 1 : 0, feature = view->feature[0];
    double beyond = end ? at.along - cylinder.length : -at.along, off = at.off - cylinder.radius;
    // a sharp vertex on the rim: the end and the side meet there, the nearer one speaks
    double sharp = is_point(view) ? view->zone : 0;
    if (beyond > sharp && off > sharp)
        meeting_set(meeting, own, feature, cylinder_rim_piece(shape, end), FEATURE_RIM + end);
    else if (beyond > off && !is_flush(view, &cylinder, end, beyond))
        meeting_set(meeting, own, feature, cylinder_end_piece(shape, end), FEATURE_END + end);
    else
        meeting_set(meeting, own, feature, cylinder_side_piece(shape), FEATURE_SIDE);
}

// ---- Places of a rim ----------------------------------------------------------------------------

// Direction of the first mark, world: downhill, else fixed in the cylinder.
static SpragVec3 mark_start(const View3 *view, SpragVec3 n, SpragVec3 out)
{
    SpragVec3 g = view->gravity;
    SpragVec3 down = sprag_vec3_along(g, -sprag_vec3_dot(g, n), n);
    down = sprag_vec3_along(down, -sprag_vec3_dot(down, out), out);
    if (sprag_vec3_norm(down) > LEVEL * sprag_vec3_norm(g))
        return sprag_vec3_unit(down);
    SpragVec3 u = local_out(view->shape[0], 1);
    int axis = frame_axis(u);
    SpragVec3 e = sprag_vec3(axis == 0, axis == 1, axis == 2);
    e = sprag_vec3_unit(sprag_vec3_along(e, -sprag_vec3_dot(e, u), u));
    return sprag_mat3_apply(&view->pose[0]->R, e);
}

static SpragVec3 mark_direction(const View3 *view, SpragVec3 n, SpragVec3 out, int mark)
{
    double angle = 2 * PI * (mark - 1) / 3;
    SpragVec3 e = mark_start(view, n, out);
    return sprag_vec3_along(sprag_vec3_scale(cos(angle), e), sin(angle), sprag_vec3_cross(out, e));
}

// A mark speaks where the end is flat, or comes down and the rim itself does not speak for it.
static bool mark_speaks(const View3 *view, SpragVec3 n, SpragVec3 through, SpragVec3 lean,
                        SpragVec3 e, SpragVec3 place)
{
    double sine = sprag_vec3_norm(lean);
    if (2 * view->shape[0]->radius * sine <= view->zone)
        return true;
    bool beside = sprag_vec3_dot(e, lean) > 0.5 * sine;
    return !beside || sprag_vec3_dot(n, sprag_vec3_sub(place, through)) < -view->zone;
}

bool rim_over_plane(const View3 *view, SpragVec3 n, SpragVec3 through, Meeting3 *meeting,
                    SpragVec3 *place)
{
    const SpragShape *shape = view->shape[0];
    int rim = view->feature[0] / RIM_PLACES, mark = view->feature[0] % RIM_PLACES;
    SpragVec3 out = sprag_mat3_apply(&view->pose[0]->R, local_out(shape, rim));
    SpragVec3 centre = pose_to_world(view->pose[0], shape->points[rim]);
    SpragVec3 lean = sprag_vec3_cross(out, sprag_vec3_cross(out, n)); // down along the rim's plane
    double sine = sprag_vec3_norm(lean), facing = -sprag_vec3_dot(out, n);
    bool flat = facing > 0 && 2 * shape->radius * sine <= view->zone;
    if (mark == 0) {
        if (flat || !(sine > 0))
            return false;
        meeting->piece[0] = cylinder_rim_piece(shape, rim);
        meeting->feature[0] = FEATURE_RIM + rim;
        *place = sprag_vec3_along(centre, shape->radius / sine, lean);
        return true;
    }
    if (facing < FACING)
        return false;
    SpragVec3 e = mark_direction(view, n, out, mark);
    *place = sprag_vec3_along(centre, shape->radius, e);
    if (!mark_speaks(view, n, through, lean, e, *place))
        return false;
    meeting->piece[0] = piece_point(pose_to_local(view->pose[0], *place), 0);
    meeting->feature[0] = FEATURE_MARK + view->feature[0];
    return true;
}

static void rim_plane_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *plane = view->shape[1];
    SpragVec3 place, foot = sprag_vec3_scale(plane->offset, plane->normal);
    SpragVec3 n = sprag_mat3_apply(&view->pose[1]->R, plane->normal);
    SpragVec3 through = pose_to_world(view->pose[1], foot);
    if (!rim_over_plane(view, n, through, meeting, &place))
        return;
    meeting->piece[1] = piece_plane(foot, plane->normal);
    meeting->feature[1] = 0;
    meeting->valid = true;
}

// ---- Rims and faces of polyhedra ----------------------------------------------------------------

bool face_covers(const SpragSolid *solid, int face, SpragVec3 p, double zone)
{
    int begin = solid->face_first[face], end = solid->face_first[face + 1];
    for (int i = begin; i < end; i++) {
        SpragVec3 a = solid->vertices[solid->face_vertices[i]];
        SpragVec3 b = solid->vertices[solid->face_vertices[i + 1 < end ? i + 1 : begin]];
        SpragVec3 e = sprag_vec3_unit(sprag_vec3_sub(b, a));
        SpragVec3 side = sprag_vec3_cross(e, solid->normals[face]);
        if (sprag_vec3_dot(side, sprag_vec3_sub(p, a)) > zone)
            return false;
    }
    return true;
}

// Face through which the cylinder parts from the polyhedron with the least motion.
static int parting_face(const View3 *view)
{
    const SpragSolid *solid = view->shape[1]->solid;
    Cylinder cylinder = cylinder_place(view->shape[0], view->pose[0]);
    int best = 0;
    double most = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        if (view->covered[1] && view->covered[1][f])
            continue;
        SpragVec3 n = sprag_mat3_apply(&view->pose[1]->R, solid->normals[f]);
        double apart =
            cylinder_low(&cylinder, n) - sprag_vec3_dot(n, view->pose[1]->x) - solid->offsets[f];
        if (apart > most) {
            most = apart;
            best = f;
        }
    }
    return best;
}

// Whether a place below the face is in the polyhedron, and not beyond it.
static bool is_within(const SpragSolid *solid, SpragVec3 p, double zone)
{
    for (int f = 0; f < solid->face_count; f++)
        if (sprag_vec3_dot(solid->normals[f], p) - solid->offsets[f] > zone)
            return false;
    return true;
}

static void rim_solid_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragSolid *solid = view->shape[1]->solid;
    int face = parting_face(view);
    SpragVec3 corner = solid->vertices[solid->face_vertices[solid->face_first[face]]], place;
    SpragVec3 n = sprag_mat3_apply(&view->pose[1]->R, solid->normals[face]);
    if (!rim_over_plane(view, n, pose_to_world(view->pose[1], corner), meeting, &place))
        return;
    SpragVec3 local = pose_to_local(view->pose[1], place);
    bool below = sprag_vec3_dot(solid->normals[face], sprag_vec3_sub(local, corner)) < -view->zone;
    if (!face_covers(solid, face, local, view->zone) ||
        (below && !is_within(solid, local, view->zone)))
        return;
    meeting->piece[1] = piece_plane(corner, solid->normals[face]);
    meeting->feature[1] = face;
    meeting->valid = true;
}

void cylinder_rim_meet(const View3 *view, Meeting3 *meeting)
{
    if (view->kind == SLOT3_RIM_PLANE)
        rim_plane_meet(view, meeting);
    else if (view->kind == SLOT3_RIM_SOLID)
        rim_solid_meet(view, meeting);
    else
        cylinder_pair_meet(view, meeting);
}

// space_vertex.c: a vertex, with the radius of its shape, against a plane, a sphere, a capsule or a
// convex polyhedron.
// Method    the nearest feature of the other shape (face, edge, corner), all of them tried. Inside
//           a polyhedron it is the nearest face; sharp corners at one: space_corner.c.
// Owners    no touching point has two slots. The end of a capsule owns what lies beyond the end of
//           its core, a corner what lies in its cone of normals; what a core or an edge touches
//           beside them belongs to slots of edges. Up to a small angle both are kept: what lies
//           flat touches with its ends, and they are seen before they land.
#include <math.h>

#include "space_corner.h"

// sin of the angle up to which something counts as lying flat.
static const double FLAT = 0.2;

static SpragVec3 vertex_local(const View3 *view)
{
    SpragVec3 world = pose_to_world(view->pose[0], view->shape[0]->points[view->feature[0]]);
    return pose_to_local(view->pose[1], world);
}

SpragPiece vertex_piece(const View3 *view, int *feature)
{
    const SpragShape *shape = view->shape[0];
    int vertex = view->feature[0];
    *feature = shape->solid ? solid_corner_feature(shape->solid, vertex) : vertex;
    return piece_point(shape->points[vertex], shape->radius);
}

// ---- Who owns a touching point
// -------------------------------------------------------------------

// Whether the end of a capsule, and not its side, is nearest to the point w (frame of body 1). Only
// along another line (of direction `line`, else zero) both ends touch, and are seen before.
static bool end_owns(const View3 *view, SpragVec3 c, SpragVec3 w, SpragVec3 line)
{
    const SpragShape *capsule = view->shape[0];
    int end = view->feature[0];
    SpragVec3 out = sprag_vec3_unit(sprag_vec3_sub(capsule->points[end], capsule->points[1 - end]));
    SpragVec3 d = sprag_vec3_sub(w, c);
    out = sprag_mat3_apply_back(&view->pose[1]->R, sprag_mat3_apply(&view->pose[0]->R, out));
    bool along = fabs(sprag_vec3_dot(out, line)) > sqrt(1 - FLAT * FLAT);
    return sprag_vec3_dot(out, d) >= -((along ? FLAT : 0) * sprag_vec3_norm(d) + view->zone);
}

// Whether the corner, and not an edge or face beside it, is nearest to the point w.
static bool corner_owns(const View3 *view, SpragVec3 c, SpragVec3 w)
{
    const SpragSolid *solid = view->shape[0]->solid;
    int corner = view->feature[0];
    SpragVec3 d = sprag_mat3_apply(&view->pose[1]->R, sprag_vec3_sub(w, c));
    d = sprag_mat3_apply_back(&view->pose[0]->R, d);
    double most = FLAT * sprag_vec3_norm(d) + view->zone;
    for (int e = 0; e < solid->edge_count; e++) {
        const int *ends = &solid->edge_vertices[2 * e];
        if (ends[0] != corner && ends[1] != corner)
            continue;
        double along = sprag_vec3_dot(solid_edge_direction(solid, e), d);
        if ((ends[0] == corner ? along : -along) > most)
            return false;
    }
    return true;
}

static bool owns(const View3 *view, SpragVec3 c, SpragVec3 w, SpragVec3 line)
{
    if (view->shape[0]->solid)
        return corner_owns(view, c, w);
    return view->shape[0]->kind != SPRAG_SHAPE_CAPSULE || end_owns(view, c, w, line);
}

// ---- Spheres, capsules, planes
// -------------------------------------------------------------------

// Of two equal shapes the later one's vertices speak first.
bool vertex_speaks_second(const View3 *view)
{
    int own = vertex_rank3(view->shape[0]), other = vertex_rank3(view->shape[1]);
    return own > other || (own == other && view->shape[0] < view->shape[1]);
}

static void capsule_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *capsule = view->shape[1];
    SpragVec3 c = vertex_local(view), a = capsule->points[0], b = capsule->points[1];
    SpragVec3 e = sprag_vec3_unit(sprag_vec3_sub(b, a));
    double length = sprag_vec3_norm(sprag_vec3_sub(b, a));
    double along = sprag_vec3_dot(e, sprag_vec3_sub(c, a));
    int feature;
    SpragPiece own = vertex_piece(view, &feature);
    bool side = along > 0 && along < length;
    // what touches at the ends of the core is a slot of the ends
    if (vertex_speaks_second(view) && !(along > view->zone && along < length - view->zone))
        return;
    int end = along > 0 ? 1 : 0;
    SpragVec3 w = side ? sprag_vec3_along(a, along, e) : capsule->points[end];
    if (!owns(view, c, w, side ? e : sprag_vec3(0, 0, 0)))
        return;
    if (side)
        meeting_set(meeting, own, feature, piece_line(a, e, capsule->radius), 2);
    else
        meeting_set(meeting, own, feature, piece_point(w, capsule->radius), end);
}

static void round_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *other = view->shape[1];
    if (other->kind == SPRAG_SHAPE_CAPSULE) {
        capsule_meet(view, meeting);
        return;
    }
    int feature;
    SpragPiece own = vertex_piece(view, &feature);
    meeting_set(meeting, own, feature, piece_point(other->points[0], other->radius), 0);
}

static void plane_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *plane = view->shape[1];
    int feature;
    SpragPiece own = vertex_piece(view, &feature);
    SpragVec3 at = sprag_vec3_scale(plane->offset, plane->normal);
    meeting_set(meeting, own, feature, piece_plane(at, plane->normal), 0);
}

// ---- Polyhedra
// -----------------------------------------------------------------------------------

static void solid_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting)
{
    const SpragSolid *solid = view->shape[1]->solid;
    SpragVec3 c = vertex_local(view);
    double height;
    int highest = solid_highest_face(solid, c, &height), feature;
    bool sharp = !(view->shape[0]->radius > 0);
    if (sharp && height <= 2 * view->zone && corner_meet(view, prefer, c, highest, meeting))
        return;
    SolidNearest nearest = solid_nearest(solid, view->covered[1], c);
    SpragPiece own = vertex_piece(view, &feature);
    SpragPiece piece = solid_feature_piece(solid, nearest.feature); // a point has no axis
    if (!sharp && nearest.feature >= solid->face_count && !owns(view, c, nearest.point, piece.axis))
        return;
    meeting_set(meeting, own, feature, piece, nearest.feature);
}

void vertex_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting)
{
    *meeting = (Meeting3){.valid = false};
    if (view->kind == SLOT3_VERTEX_PLANE)
        plane_meet(view, meeting);
    else if (view->kind == SLOT3_VERTEX_ROUND)
        round_meet(view, meeting);
    else
        solid_meet(view, prefer, meeting);
}

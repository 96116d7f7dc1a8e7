// space_inside.c: vertices, rims and sides inside of shapes with the solid around them.
// Walls     a bowl (sphere) and a capsule are closed; a container (box, hull) has one wall a face;
//           a bore (cylinder) is open at both ends, and its mouths are edges that pins and balls
//           touch from within.
// Rims      against a round wall the place of the rim that is farthest from the axis or centre.
//           Where the rim is centred in a bowl the whole of it touches, and three marks carry it.
#include <math.h>

#include "special_private.h"

enum { WALL_SIDE, WALL_END, WALL_MOUTH = WALL_END + 2 };
static const double PI = 3.141592653589793;
// Cosine of the angle between a flat end and the way to the wall up to which marks are looked at.
static const double FACING = 0.7;

// Point of role 1's body frame along and off the axis of a capsule or bore.
typedef struct Off {
    double along, off, length;
} Off;

static Off locate(const SpragShape *shape, SpragVec3 p)
{
    SpragVec3 e = sprag_vec3_sub(shape->points[1], shape->points[0]);
    SpragVec3 u = sprag_vec3_unit(e), d = sprag_vec3_sub(p, shape->points[0]);
    Off at = {.along = sprag_vec3_dot(d, u), .length = sprag_vec3_norm(e)};
    at.off = sprag_vec3_norm(sprag_vec3_along(d, -at.along, u));
    return at;
}

static SpragPiece wall_piece(const SpragShape *shape, int face)
{
    const SpragSolid *solid = shape->solid;
    SpragVec3 corner = solid->vertices[solid->face_vertices[solid->face_first[face]]];
    return piece_plane(corner, sprag_vec3_scale(-1, solid->normals[face]));
}

SpragPiece mouth_piece(const SpragShape *shape, int end)
{
    SpragVec3 out = sprag_vec3_sub(shape->points[end], shape->points[1 - end]);
    SpragPiece piece = piece_circle(shape->points[end], out, shape->radius);
    piece.hole = true;
    return piece;
}

// The wall of a bowl, capsule or bore that holds a place (role 1's body frame); false: it is beyond
// a mouth.
static bool round_wall(const SpragShape *shape, SpragVec3 p, SpragPiece *piece, int *feature)
{
    *feature = WALL_SIDE;
    if (shape->kind == SPRAG_SHAPE_SPHERE) {
        *piece = piece_point(shape->points[0], -shape->radius);
        return true;
    }
    Off at = locate(shape, p);
    int end = at.along > 0.5 * at.length ? 1 : 0;
    *piece = cylinder_side_piece(shape);
    piece->radius = -shape->radius;
    if (at.along >= 0 && at.along <= at.length)
        return true;
    *feature = WALL_END + end;
    *piece = piece_point(shape->points[end], -shape->radius);
    return shape->kind == SPRAG_SHAPE_CAPSULE;
}

static void vertex_inside_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *own = view->shape[0], *hole = view->shape[1];
    SpragVec3 local = own->points[view->feature[0]];
    SpragVec3 p = pose_to_local(view->pose[1], pose_to_world(view->pose[0], local));
    SpragPiece first = piece_point(local, own->radius), second;
    int feature;
    if (hole->solid) {
        meeting_set(meeting, first, view->feature[0], wall_piece(hole, view->feature[1]),
                    view->feature[1]);
    } else if (round_wall(hole, p, &second, &feature)) {
        meeting_set(meeting, first, view->feature[0], second, feature);
    } else if (own->radius > 0) {
        // beyond the mouth of a bore: a ball in front of the hole rests on its edge
        Off at = locate(hole, p);
        int end = at.along > 0 ? 1 : 0;
        if (at.off < hole->radius)
            meeting_set(meeting, first, view->feature[0], mouth_piece(hole, end), WALL_MOUTH + end);
    }
}

// ---- Rims ---------------------------------------------------------------------------------------

// A place of the rim that is fixed in the cylinder: direction of a mark, in its frame.
static SpragVec3 bowl_mark(SpragVec3 out, int mark)
{
    int axis = frame_axis(out);
    SpragVec3 e = sprag_vec3(axis == 0, axis == 1, axis == 2);
    e = sprag_vec3_unit(sprag_vec3_along(e, -sprag_vec3_dot(e, out), out));
    double angle = 2 * PI * (mark - 1) / 3;
    return sprag_vec3_along(sprag_vec3_scale(cos(angle), e), sin(angle), sprag_vec3_cross(out, e));
}

// The farthest place of a rim meets a bowl (mark 0), unless the rim is centred in it: there marks
// carry it. As over a plane they see that coming, and the one beside the farthest place is silent
// until it is below the surface.
static bool rim_in_bowl(const View3 *view, int rim, int mark, Meeting3 *meeting)
{
    const SpragShape *own = view->shape[0], *bowl = view->shape[1];
    SpragVec3 out = sprag_vec3_unit(sprag_vec3_sub(own->points[rim], own->points[1 - rim]));
    SpragVec3 centre = pose_to_local(view->pose[0], pose_to_world(view->pose[1], bowl->points[0]));
    SpragVec3 d = sprag_vec3_sub(centre, own->points[rim]);
    SpragVec3 off = sprag_vec3_along(d, -sprag_vec3_dot(d, out), out);
    // the far and the near side of the rim differ by this much in their distance from the centre
    double size = fmax(sprag_vec3_norm(d), own->radius), lean = sprag_vec3_norm(off);
    bool centred = 2 * lean * own->radius <= view->zone * size;
    if (mark == 0 && centred)
        return false;
    meeting->piece[0] = cylinder_rim_piece(own, rim);
    meeting->feature[0] = rim;
    if (mark > 0) {
        SpragVec3 e = bowl_mark(out, mark);
        SpragVec3 place = sprag_vec3_along(own->points[rim], own->radius, e);
        double depth = sprag_vec3_norm(sprag_vec3_sub(place, centre)) - bowl->radius;
        bool beside = -sprag_vec3_dot(e, off) > 0.5 * lean;
        bool faces = -sprag_vec3_dot(out, d) > FACING * sprag_vec3_norm(d);
        if (!centred && (!faces || (beside && depth <= view->zone)))
            return false;
        meeting->piece[0] = piece_point(place, 0);
        meeting->feature[0] = RIM_PLACES * (rim + 1) + mark;
    }
    meeting->piece[1] = piece_point(bowl->points[0], -bowl->radius);
    meeting->feature[1] = WALL_SIDE;
    return true;
}

// Of a bore's side, or of a capsule's side and ends, the wall that holds a far place: seen along
// the axis a rim is an ellipse, and both of its ends may be farther out than what is between them.
static bool rim_in_round(const View3 *view, int rim, bool second, Meeting3 *meeting)
{
    const SpragShape *hole = view->shape[1];
    SpragSpaceGap gap;
    meeting->piece[0] = cylinder_rim_piece(view->shape[0], rim);
    meeting->feature[0] = rim;
    meeting->piece[1] = cylinder_side_piece(hole);
    meeting->piece[1].radius = -hole->radius;
    meeting->feature[1] = WALL_SIDE;
    if (!rim_line_place(view, 1, second ? 1 : 0, meeting, &gap))
        return false;
    meeting->feature[0] = second ? RIM_PLACES * (rim + 1) + 1 : rim;
    Off at = locate(hole, pose_to_local(view->pose[1], gap.point[0]));
    if (at.along >= 0 && at.along <= at.length)
        return true;
    if (hole->kind != SPRAG_SHAPE_CAPSULE)
        return false;
    int end = at.along > 0 ? 1 : 0;
    meeting->piece[1] = piece_point(hole->points[end], -hole->radius);
    meeting->feature[1] = WALL_END + end;
    return true;
}

static void rim_inside_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *hole = view->shape[1];
    int rim = view->feature[0] / RIM_PLACES, mark = view->feature[0] % RIM_PLACES;
    if (hole->kind == SPRAG_SHAPE_SPHERE) {
        meeting->valid = rim_in_bowl(view, rim, mark, meeting);
    } else if (!hole->solid) {
        meeting->valid = mark <= 1 && rim_in_round(view, rim, mark == 1, meeting);
    } else {
        SpragPiece wall = wall_piece(hole, view->feature[1]);
        SpragVec3 n = sprag_mat3_apply(&view->pose[1]->R, wall.axis), place;
        SpragVec3 through = pose_to_world(view->pose[1], wall.point);
        meeting->valid = rim_over_plane(view, n, through, meeting, &place);
        meeting->piece[1] = wall;
        meeting->feature[1] = view->feature[1];
    }
}

// ---- Mouths -------------------------------------------------------------------------------------

// Whether a sharp edge passes the plane of a mouth outside of its circle, by as much as it seems to
// overlap: what is within the bore does not.
static bool cuts_mouth(const StraightEdge *edge, SpragVec3 centre, SpragVec3 out, double radius,
                       double overlap)
{
    double height[2];
    for (int i = 0; i < 2; i++)
        height[i] = sprag_vec3_dot(out, sprag_vec3_sub(edge->end[i], centre));
    if (height[0] * height[1] > 0 || height[0] == height[1])
        return false;
    double along = edge->length * height[0] / (height[0] - height[1]);
    SpragVec3 p = sprag_vec3_along(edge->end[0], along, edge->direction);
    return sprag_vec3_norm(sprag_vec3_sub(p, centre)) - radius >= overlap;
}

// The edge of a bore's mouth on what passes through it: a core, a side, an edge.
static void mouth_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *hole = view->shape[0];
    int end = view->feature[0] / 2, which = view->feature[0] % 2;
    StraightEdge edge = edge_place(view, 1);
    SpragVec3 axis = sprag_vec3_sub(edge.local[1 - which], edge.local[which]);
    SpragSpaceGap gap;
    meeting_set(meeting, mouth_piece(hole, end), view->feature[0],
                piece_line(edge.local[0], axis, edge.radius), view->feature[1]);
    meeting->valid = false;
    if (!meeting_gap(view, meeting, &gap))
        return;
    SpragVec3 centre = pose_to_world(view->pose[0], hole->points[end]);
    SpragVec3 radial = sprag_vec3_sub(gap.point[0], centre);
    double along = sprag_vec3_dot(edge.direction, radial) * (which ? -1 : 1);
    SpragVec3 c = sprag_vec3_along(gap.point[1], -edge.radius, gap.normal);
    double at = sprag_vec3_dot(edge.direction, sprag_vec3_sub(c, edge.end[0]));
    if (along < 0 || (along == 0 && which == 1) || at <= view->zone ||
        at >= edge.length - view->zone)
        return;
    SpragVec3 out = sprag_mat3_apply(&view->pose[0]->R, meeting->piece[0].axis);
    bool normal = mouth_has_normal(gap.normal, out, sprag_vec3_unit(radial));
    bool sharp = edge.face_count > 0 && gap.gap < -view->zone;
    if (sharp && !cuts_mouth(&edge, centre, out, hole->radius, -gap.gap - view->zone))
        return;
    meeting->valid = normal && edge_has_normal(&edge, gap.normal);
}

void inside_meet(const View3 *view, Meeting3 *meeting)
{
    if (view->kind == SLOT3_VERTEX_INSIDE)
        vertex_inside_meet(view, meeting);
    else if (view->kind == SLOT3_RIM_INSIDE)
        rim_inside_meet(view, meeting);
    else
        mouth_meet(view, meeting);
}

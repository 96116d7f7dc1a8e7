// space_rims.c: straight edges against the side and the rims of a cylinder, rims against rims.
// Edges     of polyhedra, cores of capsules, sides of other cylinders, ridges of surfaces.
// Meeting   two curves meet where their nearest places lie between the ends, the normal is one of
//           both features (up to a slack), and where an overlap is not deeper than the curve
//           goes into the cylinder: a line beyond the far end of a cylinder is not below its rim.
//           At the place itself that says little: an edge below a flat end leaves it at the rim.
// Crossings a line or rim crosses a rim twice; each crossing is a slot. A line about along the axis
//           has one place nearest to the rim, which is the first one's whichever way it leans.
#include <math.h>

#include "space_catalogue.h"
#include "special_private.h"

// Sine of the angle between two rims below which they run along each other; and between a sharp
// edge and a rim, which has no normal there: it lies in the plane of the flat end, and its faces
// speak.
static const double CROSSING = 1e-3, TANGENT = 1e-6;
// Sine by which a flat end may lean over a face and its rim still be flat on the edges of the face.
static const double ROLLS_ON = 1e-6;

// ---- Straight edges -----------------------------------------------------------------------------

static void add_face(StraightEdge *edge, SpragVec3 normal, SpragVec3 local_direction, double sign,
                     const SpragPose *pose)
{
    SpragVec3 inward = sprag_vec3_cross(normal, sprag_vec3_scale(sign, local_direction));
    edge->inward[edge->face_count++] = sprag_mat3_apply(&pose->R, inward);
    edge->outward = sprag_vec3_add(edge->outward, sprag_mat3_apply(&pose->R, normal));
}

StraightEdge edge_place(const View3 *view, int role)
{
    const SpragShape *shape = view->shape[role];
    const SpragPose *pose = view->pose[role];
    int feature = view->feature[role];
    StraightEdge edge = {.radius = shape->solid || shape->surface ? 0 : shape->radius};
    SpragVec3 normals[2] = {{0, 0, 0}, {0, 0, 0}};
    int faces = 0;
    if (shape->surface) {
        faces = ridge_faces(view->tree[role], feature, edge.local, normals);
    } else if (shape->kind == SPRAG_SHAPE_CYLINDER) {
        edge.local[0] = shape->points[0];
        edge.local[1] = shape->points[1];
    } else {
        shape_edge(shape, feature, edge.local);
        for (; shape->solid && faces < 2; faces++)
            normals[faces] = shape->solid->normals[shape->solid->edge_faces[2 * feature + faces]];
    }
    SpragVec3 local = sprag_vec3_sub(edge.local[1], edge.local[0]);
    edge.length = sprag_vec3_norm(local);
    local = sprag_vec3_unit(local);
    edge.direction = sprag_mat3_apply(&pose->R, local);
    for (int i = 0; i < 2; i++)
        edge.end[i] = pose_to_world(pose, edge.local[i]);
    // the first face is on the left of the way from the first end to the second
    for (int i = 0; i < faces; i++)
        add_face(&edge, normals[i], local, i == 0 ? 1 : -1, pose);
    return edge;
}

static bool edge_has_normal_within(const StraightEdge *edge, SpragVec3 n, double sine)
{
    for (int i = 0; i < edge->face_count; i++)
        if (sprag_vec3_dot(n, edge->inward[i]) > sine)
            return false;
    return true;
}

bool edge_has_normal(const StraightEdge *edge, SpragVec3 n)
{
    return edge_has_normal_within(edge, n, NORMAL_SLACK);
}

// Whether a place is between the ends, farther than the zone from them.
static bool edge_holds(const StraightEdge *edge, SpragVec3 p, double zone)
{
    double along = sprag_vec3_dot(edge->direction, sprag_vec3_sub(p, edge->end[0]));
    return along > zone && along < edge->length - zone;
}

// ---- How deep a curve goes into a cylinder ------------------------------------------------------

// A straight edge (from 0 to 1) and how thick it is, or the half of a rim around one of its places.
typedef struct Curve {
    const StraightEdge *edge; // NULL: a rim
    SpragVec3 centre, e, f;   // of a rim: towards the place, and across
} Curve;

static SpragVec3 curve_at(const Curve *curve, double s)
{
    const double PI = 3.141592653589793;
    if (curve->edge)
        return sprag_vec3_along(curve->edge->end[0], s * curve->edge->length,
                                curve->edge->direction);
    double angle = (s - 0.5) * PI;
    return sprag_vec3_along(sprag_vec3_along(curve->centre, cos(angle), curve->e), sin(angle),
                            curve->f);
}

// The largest depth of its places inside: along a line it is concave, and so is found by sections.
// At the place nearest to a rim it says little: what cuts off a rim, or leaves a flat end there, is
// deeper elsewhere, by at least half of the distance from the rim.
static double deepest(const Cylinder *cylinder, const Curve *curve)
{
    enum { SECTIONS = 48 };
    const double golden = 0.6180339887498949;
    double low = 0, high = 1, most = -INFINITY;
    double s[2] = {1 - golden, golden}, depth[2];
    for (int k = 0; k < 2; k++)
        depth[k] = cylinder_locate(cylinder, curve_at(curve, s[k])).depth;
    for (int i = 0; i < SECTIONS; i++) {
        int keep = depth[0] > depth[1] ? 0 : 1;
        *(keep == 0 ? &high : &low) = s[1 - keep];
        s[1 - keep] = s[keep];
        depth[1 - keep] = depth[keep];
        s[keep] = keep == 0 ? high - golden * (high - low) : low + golden * (high - low);
        depth[keep] = cylinder_locate(cylinder, curve_at(curve, s[keep])).depth;
        most = fmax(most, fmax(depth[0], depth[1]));
    }
    return most;
}

// Whether an overlap at a place is one of these features: not deeper than the curve goes in, a
// thick one (of a capsule) farther by its radius: across a rim its surface goes in by more than any
// place of it is deep.
static bool is_overlap(const View3 *view, const Cylinder *cylinder, const Curve *curve,
                       const SpragSpaceGap *gap, SpragVec3 place)
{
    if (-gap->gap <= view->zone ||
        -gap->gap <= 2 * cylinder_locate(cylinder, place).depth + view->zone)
        return true;
    double thick = curve->edge ? curve->edge->radius : 0;
    return -gap->gap <= 2 * (deepest(cylinder, curve) + thick) + view->zone;
}

// ---- Sides --------------------------------------------------------------------------------------

// Two lines, directed so that the normal points into role 0.
static bool cross_lines(const View3 *view, const StraightEdge *a, const StraightEdge *b,
                        Meeting3 *meeting, SpragSpaceGap *gap)
{
    SpragVec3 product = sprag_vec3_cross(a->direction, b->direction);
    SpragVec3 axis = sprag_vec3_sub(b->local[1], b->local[0]);
    if (sprag_vec3_norm(product) < PARALLEL_SINE)
        return false;
    SpragVec3 apart = sprag_vec3_sub(a->end[0], b->end[0]);
    if (sprag_vec3_dot(product, apart) < 0)
        axis = sprag_vec3_scale(-1, axis);
    meeting_set(
        meeting, piece_line(a->local[0], sprag_vec3_sub(a->local[1], a->local[0]), a->radius),
        view->feature[0] < 0 ? 0 : view->feature[0], piece_line(b->local[0], axis, b->radius), 0);
    meeting->valid = false;
    return meeting_gap(view, meeting, gap);
}

static void edge_side_meet(const View3 *view, Meeting3 *meeting)
{
    StraightEdge a = edge_place(view, 0), b = edge_place(view, 1);
    SpragSpaceGap gap;
    if (!cross_lines(view, &a, &b, meeting, &gap))
        return;
    SpragVec3 c[2] = {sprag_vec3_along(gap.point[0], a.radius, gap.normal),
                      sprag_vec3_along(gap.point[1], -b.radius, gap.normal)};
    if (!edge_holds(&a, c[0], view->zone) || !edge_holds(&b, c[1], view->zone))
        return;
    if (!edge_has_normal(&a, sprag_vec3_scale(-1, gap.normal)))
        return;
    Cylinder cylinder = cylinder_place(view->shape[1], view->pose[1]);
    Curve curve = {.edge = &a};
    meeting->valid = is_overlap(view, &cylinder, &curve, &gap, gap.point[0]);
}

// ---- Rims ---------------------------------------------------------------------------------------

// Whether `out` is a normal of the rim at the place, and an overlap with the curve of the other
// body is one there. other NULL: a round edge, whose core is outside along any such normal.
static bool rim_allows(const View3 *view, int role, int rim, const SpragSpaceGap *gap,
                       const Curve *other)
{
    Cylinder cylinder = cylinder_place(view->shape[role], view->pose[role]);
    Located at = cylinder_locate(&cylinder, gap->point[role]);
    SpragVec3 out = sprag_vec3_scale(role == 1 ? 1 : -1, gap->normal);
    if (sprag_vec3_dot(out, cylinder.out[rim]) < -NORMAL_SLACK ||
        sprag_vec3_dot(out, at.radial) < -NORMAL_SLACK)
        return false;
    return !other || is_overlap(view, &cylinder, other, gap, gap->point[1 - role]);
}

// Sine beyond which a place is on the other side of a line: nearer than this two places are about
// to come together, and either is as good.
static const double BESIDE = 1e-3;

// How far a place of the circle is on the side that the direction of the line asks for: along it,
// in a hole across it, theory.md (13.21).
static double place_side(const View3 *view, const Meeting3 *meeting, const SpragSpaceGap *gap,
                         int line)
{
    const SpragPiece *circle = &meeting->piece[1 - line];
    SpragVec3 u = sprag_mat3_apply(&view->pose[line]->R, meeting->piece[line].axis);
    SpragVec3 centre = pose_to_world(view->pose[1 - line], circle->point);
    if (meeting->piece[line].radius < 0)
        u = sprag_vec3_cross(sprag_mat3_apply(&view->pose[1 - line]->R, circle->axis), u);
    return sprag_vec3_dot(u, sprag_vec3_unit(sprag_vec3_sub(gap->point[1 - line], centre)));
}

bool rim_line_place(const View3 *view, int line, int which, Meeting3 *meeting, SpragSpaceGap *gap)
{
    bool told = meeting_gap(view, meeting, gap);
    if (!told || (which == 0 && place_side(view, meeting, gap, line) >= -BESIDE))
        return told;
    meeting->piece[line].axis = sprag_vec3_scale(-1, meeting->piece[line].axis);
    if (which == 0) {
        meeting->feature[line] += FEATURE_BACK;
        return true;
    }
    SpragVec3 first = gap->point[1 - line];
    return meeting_gap(view, meeting, gap) &&
           sprag_vec3_norm(sprag_vec3_sub(gap->point[1 - line], first)) > view->zone;
}

static void edge_rim_meet(const View3 *view, Meeting3 *meeting)
{
    StraightEdge edge = edge_place(view, 0);
    int rim = view->feature[1] / 2, which = view->feature[1] % 2;
    SpragVec3 axis = sprag_vec3_sub(edge.local[1], edge.local[0]);
    SpragSpaceGap gap;
    meeting_set(meeting, piece_line(edge.local[0], axis, edge.radius), view->feature[0],
                cylinder_rim_piece(view->shape[1], rim), view->feature[1]);
    meeting->valid = false;
    if (!rim_line_place(view, 0, which, meeting, &gap))
        return;
    SpragVec3 c = sprag_vec3_along(gap.point[0], edge.radius, gap.normal);
    if (!edge_holds(&edge, c, view->zone))
        return;
    SpragVec3 out = sprag_mat3_apply(&view->pose[1]->R, meeting->piece[1].axis);
    SpragVec3 centre = pose_to_world(view->pose[1], view->shape[1]->points[rim]);
    SpragVec3 tangent =
        sprag_vec3_cross(out, sprag_vec3_unit(sprag_vec3_sub(gap.point[1], centre)));
    if (edge.radius == 0 && sprag_vec3_norm(sprag_vec3_cross(edge.direction, tangent)) < TANGENT)
        return;
    // a rim that touches rolls on from the edge to a face where their normals agree: no slack there
    double slack = fabs(gap.gap) > view->zone ? NORMAL_SLACK : ROLLS_ON;
    if (!edge_has_normal_within(&edge, sprag_vec3_scale(-1, gap.normal), slack))
        return;
    Curve curve = {.edge = &edge};
    meeting->valid = rim_allows(view, 1, rim, &gap, edge.radius > 0 ? NULL : &curve);
}

// Two circles at their nearest places, in the order of roles.
typedef struct Crossing {
    SpragVec3 x[2], out[2], e[2], tangent[2]; // centre, axis, direction to the place, its tangent
    double size[2];
} Crossing;

static Crossing crossing_at(const View3 *view, const SpragPiece *const piece[2],
                            const SpragSpaceGap *gap)
{
    Crossing at;
    for (int i = 0; i < 2; i++) {
        at.x[i] = pose_to_world(view->pose[i], piece[i]->point);
        at.out[i] = sprag_mat3_apply(&view->pose[i]->R, piece[i]->axis);
        at.e[i] = sprag_vec3_unit(sprag_vec3_sub(gap->point[i], at.x[i]));
        at.tangent[i] = sprag_vec3_cross(at.out[i], at.e[i]);
        at.size[i] = piece[i]->size;
    }
    return at;
}

static Curve curve_of(const Crossing *at, int role)
{
    return (Curve){.centre = at->x[role],
                   .e = sprag_vec3_scale(at->size[role], at->e[role]),
                   .f = sprag_vec3_scale(at->size[role], at->tangent[role])};
}

// Whether the places run along each other: there is no normal across both.
static bool runs_along(const Crossing *at)
{
    return sprag_vec3_norm(sprag_vec3_cross(at->tangent[0], at->tangent[1])) < CROSSING;
}

// Whether a place that is not on the side asked for is this slot's all the same: both crossings may
// be on one side, and then each is the one that is farther its way. What is alone is told by its
// own side.
static bool is_second_crossing(const View3 *view, const Meeting3 *meeting, const SpragSpaceGap *gap)
{
    Meeting3 first = *meeting;
    SpragSpaceGap other;
    first.piece[0].angle = -first.piece[0].angle;
    return meeting_gap(view, &first, &other) &&
           sprag_vec3_norm(sprag_vec3_sub(gap->point[0], other.point[0])) > view->zone;
}

// Whether two rims that run along each other at their nearest places are apart there, and neither
// is over the flat end or the side of the other, whose business it would be.
static bool rims_part(const View3 *view, const SpragSpaceGap *gap, const Crossing *at)
{
    bool apart = gap->gap > view->zone;
    for (int i = 0; i < 2; i++) {
        SpragVec3 n = sprag_vec3_scale(i == 1 ? 1 : -1, gap->normal);
        apart = apart && gap->gap * sprag_vec3_dot(n, at->out[i]) > view->zone &&
                gap->gap * sprag_vec3_dot(n, at->e[i]) > view->zone;
    }
    return apart;
}

static void rim_rim_meet(const View3 *view, Meeting3 *meeting)
{
    int first = view->feature[0], second = view->feature[1] / 2, which = view->feature[1] % 2;
    SpragPiece a = cylinder_rim_piece(view->shape[0], first);
    SpragPiece b = cylinder_rim_piece(view->shape[1], second);
    SpragSpaceGap gap;
    a.angle = which ? -1 : 1;
    meeting_set(meeting, a, first, b, view->feature[1]);
    meeting->valid = false;
    if (!meeting_gap(view, meeting, &gap))
        return;
    Crossing at = crossing_at(view, (const SpragPiece *[2]){&a, &b}, &gap);
    SpragVec3 asked = sprag_vec3_cross(sprag_vec3_sub(at.x[1], at.x[0]), at.out[0]);
    double side = a.angle * sprag_vec3_dot(asked, at.e[0]);
    if (runs_along(&at) && !rims_part(view, &gap, &at))
        return;
    Curve curve[2] = {curve_of(&at, 0), curve_of(&at, 1)};
    meeting->valid = rim_allows(view, 0, first, &gap, &curve[1]) &&
                     rim_allows(view, 1, second, &gap, &curve[0]) &&
                     (side > 0 || is_second_crossing(view, meeting, &gap));
}

// ---- Rims in the mouth of a bore ----------------------------------------------------------------

bool mouth_has_normal(SpragVec3 n, SpragVec3 out, SpragVec3 radial)
{
    return sprag_vec3_dot(n, out) <= NORMAL_SLACK && sprag_vec3_dot(n, radial) >= -NORMAL_SLACK;
}

// Whether a rim that seems to overlap the edge of a hole passes the plane of it outside of the hole
// by as much, at the nearer one of two places.
static bool rim_cuts_mouth(const Crossing *at, const SpragSpaceGap *gap, double zone)
{
    SpragVec3 up = sprag_vec3_cross(at->out[1], sprag_vec3_cross(at->out[0], at->out[1]));
    double sine = sprag_vec3_norm(up), least = INFINITY, beyond = -INFINITY;
    double height = sprag_vec3_dot(at->out[0], sprag_vec3_sub(at->x[1], at->x[0]));
    if (!(fabs(height) < at->size[1] * sine))
        return false;
    up = sprag_vec3_scale(1 / sine, up);
    SpragVec3 foot = sprag_vec3_along(at->x[1], -height / sine, up);
    SpragVec3 along = sprag_vec3_cross(at->out[1], up);
    double half = sqrt(at->size[1] * at->size[1] - height * height / (sine * sine));
    for (int sign = -1; sign <= 1; sign += 2) {
        SpragVec3 p = sprag_vec3_along(foot, sign * half, along);
        double away = sprag_vec3_norm(sprag_vec3_sub(p, gap->point[1]));
        if (away < least)
            beyond = sprag_vec3_norm(sprag_vec3_sub(p, at->x[0])) - at->size[0];
        least = fmin(least, away);
    }
    return beyond >= -gap->gap - zone;
}

static void mouth_rim_meet(const View3 *view, Meeting3 *meeting)
{
    int end = view->feature[0], rim = view->feature[1] / 2, which = view->feature[1] % 2;
    SpragPiece a = mouth_piece(view->shape[0], end), b = cylinder_rim_piece(view->shape[1], rim);
    SpragSpaceGap gap;
    a.angle = which ? -1 : 1;
    meeting_set(meeting, a, end, b, view->feature[1]);
    meeting->valid = false;
    if (!meeting_gap(view, meeting, &gap))
        return;
    Crossing at = crossing_at(view, (const SpragPiece *[2]){&a, &b}, &gap);
    SpragVec3 asked = sprag_vec3_cross(at.out[0], at.out[1]);
    double side = a.angle * sprag_vec3_dot(asked, at.e[0]);
    if (runs_along(&at) || !mouth_has_normal(gap.normal, at.out[0], at.e[0]))
        return;
    if (gap.gap < -view->zone && !rim_cuts_mouth(&at, &gap, view->zone))
        return;
    // what cuts the mouth is in the solid: no need to ask how deep the cylinder is entered
    meeting->valid = rim_allows(view, 1, rim, &gap, NULL) &&
                     (side > 0 || is_second_crossing(view, meeting, &gap));
}

void cylinder_edge_meet(const View3 *view, Meeting3 *meeting)
{
    if (view->kind == SLOT3_RIM_RIM)
        rim_rim_meet(view, meeting);
    else if (view->kind == SLOT3_MOUTH_RIM)
        mouth_rim_meet(view, meeting);
    else if (view->kind == SLOT3_EDGE_RIM || view->kind == SLOT3_RIDGE_RIM)
        edge_rim_meet(view, meeting);
    else
        edge_side_meet(view, meeting);
}

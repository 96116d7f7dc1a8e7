// collide_convex.c: a vertex against a convex shape.
// Problem   signed distance of a point to a circle, capsule or polygon with its nearest feature:
//           a side (normal fixed in the shape) or a vertex (normal from there); inside a polygon
//           the nearest side.
// Method    all sides are tried: shapes here have few.
// Corners   where corners of two polygons coincide, collide_corners.c chooses. A corner inside the
//           other polygon meets the side along which the shapes overlap least. Corners that have
//           passed each other: collide_cross.c.
#include <math.h>

#include "collide_private.h"

bool convex_side_normal(const SpragShape *shape, int vertex, SpragVec2 *normal)
{
    SpragVec2 e = sprag_vec2_sub(vertex_after(shape, vertex), shape->vertices[vertex]);
    double length = hypot(e.x, e.y);
    if (!(length > 0))
        return false;
    *normal = sprag_vec2(e.y / length, -e.x / length);
    return true;
}

static Meeting meet_vertex(SpragVec2 vertex, SpragVec2 c, double radius)
{
    SpragVec2 d = sprag_vec2_sub(c, vertex);
    Meeting meeting = {.kind = MEETING_PIVOT, .point = vertex, .radius = radius};
    meeting.distance = hypot(d.x, d.y);
    if (meeting.distance > 0) {
        meeting.normal = sprag_vec2_scale(1 / meeting.distance, d);
    } else {
        // coincident centres: any direction is as good; one that does not turn
        meeting.kind = MEETING_FLAT;
        meeting.normal = sprag_vec2(0, 1);
    }
    return meeting;
}

// From inside of a circle the solid is around it: distance and radius are negative, so that the gap
// is the radius less the distance from the centre, and the rates of a pivot hold as they are.
static Meeting meet_hollow(SpragVec2 centre, SpragVec2 c, double radius)
{
    Meeting meeting = meet_vertex(centre, c, -radius);
    if (meeting.kind == MEETING_PIVOT) {
        meeting.normal = sprag_vec2_scale(-1, meeting.normal);
        meeting.distance = -meeting.distance;
    }
    return meeting;
}

Meeting convex_meet_side(SpragVec2 point, SpragVec2 normal, SpragVec2 c, double radius)
{
    Meeting meeting = {.kind = MEETING_FLAT, .normal = normal, .point = point, .radius = radius};
    meeting.distance = sprag_vec2_dot(normal, sprag_vec2_sub(c, point));
    return meeting;
}

static Meeting capsule_meet(const SpragShape *shape, SpragVec2 c)
{
    SpragVec2 a = shape->vertices[0], b = shape->vertices[1];
    SpragVec2 e = sprag_vec2_sub(b, a), d = sprag_vec2_sub(c, a);
    double length = hypot(e.x, e.y), along = sprag_vec2_dot(e, d);
    if (!(along >= 0) || length == 0)
        return meet_vertex(a, c, shape->radius);
    if (along > length * length)
        return meet_vertex(b, c, shape->radius);
    SpragVec2 left = sprag_vec2(-e.y / length, e.x / length);
    if (sprag_vec2_dot(left, d) < 0)
        left = sprag_vec2_scale(-1, left);
    return convex_meet_side(a, left, c, shape->radius);
}

static Meeting polygon_meet_inside(const SpragShape *shape, SpragVec2 c, bool *outside)
{
    Meeting best = {.kind = MEETING_NONE, .distance = -INFINITY};
    *outside = false;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 normal;
        if (!convex_side_normal(shape, i, &normal))
            continue;
        Meeting meeting = convex_meet_side(shape->vertices[i], normal, c, 0);
        if (meeting.distance > 0)
            *outside = true;
        if (meeting.distance > best.distance)
            best = meeting;
    }
    return best;
}

static Meeting polygon_meet_outside(const SpragShape *shape, SpragVec2 c)
{
    Meeting best = {.kind = MEETING_NONE};
    double least = INFINITY;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 normal, a = shape->vertices[i], b = vertex_after(shape, i);
        if (!convex_side_normal(shape, i, &normal))
            continue;
        SpragVec2 e = sprag_vec2_sub(b, a);
        double along = sprag_vec2_dot(e, sprag_vec2_sub(c, a));
        bool before = along<0, after = along> sprag_vec2_dot(e, e);
        Meeting meeting =
            before || after ? meet_vertex(before ? a : b, c, 0) : convex_meet_side(a, normal, c, 0);
        if (meeting.distance >= 0 && meeting.distance < least) {
            least = meeting.distance;
            best = meeting;
        }
    }
    return best;
}

Meeting convex_meet(const SpragShape *shape, SpragVec2 c)
{
    if (shape->inside)
        return meet_hollow(shape->vertices[0], c, shape->radius);
    if (shape->kind == SPRAG_SHAPE_CIRCLE)
        return meet_vertex(shape->vertices[0], c, shape->radius);
    if (shape->kind == SPRAG_SHAPE_CAPSULE)
        return capsule_meet(shape, c);
    bool outside;
    Meeting inside = polygon_meet_inside(shape, c, &outside);
    return outside ? polygon_meet_outside(shape, c) : inside;
}

// ---- Coinciding corners -------------------------------------------------------------------------

double convex_support(const SpragShape *shape, const Frame *of, const Frame *in, SpragVec2 normal,
                      SpragVec2 point)
{
    double least = INFINITY;
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 local = frame_to_local(in, frame_to_world(of, shape->vertices[i]));
        least = fmin(least, sprag_vec2_dot(normal, sprag_vec2_sub(local, point)));
    }
    return least;
}

// Vertex of the shape within `zone` of c; −1: none.
static int coinciding(const SpragShape *shape, SpragVec2 c, double zone)
{
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 d = sprag_vec2_sub(c, shape->vertices[i]);
        if (hypot(d.x, d.y) <= zone)
            return i;
    }
    return -1;
}

// ---- Corners below a side -----------------------------------------------------------------------

// Where a corner is inside the other polygon, the side along which the two shapes overlap least: in
// a layer corners go deep, and the side nearest to the corner alone may be that of an edge beside
// which it came down (a box on a box of the same width). −1: the corner is outside; a little is
// enough where the side found is far above it and the shapes overlap by less (a box that tilts over
// the end of a table dips below the table's face with its other corner). Boxes of the same width
// that lie in a layer overlap by as much, and their corners pass each other by roundings.
static int overlapping_side(const View *view)
{
    const SpragShape *other = view->other_shape;
    double best = -INFINITY, above = -INFINITY, highest = -INFINITY, zone = view->collider->zone;
    int side = -1;
    for (int i = 0; i < other->vertex_count; i++) {
        SpragVec2 normal, from = other->vertices[i];
        if (!convex_side_normal(other, i, &normal))
            continue;
        double height = sprag_vec2_dot(normal, sprag_vec2_sub(view->c, from));
        if (height > zone)
            return -1;
        highest = fmax(highest, height);
        double support = convex_support(view->round_shape, view->round, view->other, normal, from);
        if (support > best) {
            best = support;
            side = i;
            above = height;
        }
    }
    bool outside = highest > 0 && above < -zone;
    if (outside &&
        convex_separation(view->round_shape, view->round, other, view->other) <= PART_TOLD * above)
        outside = false;
    return outside ? -1 : side;
}

static bool polygon_contains(const SpragShape *polygon, SpragVec2 p)
{
    for (int i = 0; i < polygon->vertex_count; i++) {
        SpragVec2 normal;
        if (convex_side_normal(polygon, i, &normal) &&
            sprag_vec2_dot(normal, sprag_vec2_sub(p, polygon->vertices[i])) > 0)
            return false;
    }
    return true;
}

// Whether the corner is outside of the polygon and beyond the ends of the side: it is beside
// another side then, although no side is farther than the zone (at an obtuse corner).
static bool is_beyond(const View *view, int side)
{
    const SpragShape *other = view->other_shape;
    SpragVec2 normal, from = other->vertices[side], to = vertex_after(other, side);
    if (!convex_side_normal(other, side, &normal) || polygon_contains(other, view->c))
        return false;
    SpragVec2 e = sprag_vec2_sub(to, from), d = sprag_vec2_sub(view->c, from);
    double length = hypot(e.x, e.y), along = sprag_vec2_dot(e, d) / length;
    return along < 0 || along > length;
}

// The end of the side below which the corner is (within the zone); −1: it is between the ends.
// There a corner of either shape lies on a side of the other, and one slot stands for both.
static int end_of_side(const View *view, int side)
{
    const SpragShape *other = view->other_shape;
    SpragVec2 normal;
    if (!convex_side_normal(other, side, &normal))
        return -1;
    SpragVec2 tangent = sprag_vec2_tangent(normal);
    const int ends[2] = {side, side + 1 == other->vertex_count ? 0 : side + 1};
    for (int i = 0; i < 2; i++) {
        SpragVec2 d = sprag_vec2_sub(view->c, other->vertices[ends[i]]);
        if (fabs(sprag_vec2_dot(tangent, d)) <= view->collider->zone)
            return ends[i];
    }
    return -1;
}

static Meeting meet_overlapping(const View *view, int side)
{
    SpragVec2 normal = {0, 1};
    (void)convex_side_normal(view->other_shape, side, &normal);
    return convex_meet_side(view->other_shape->vertices[side], normal, view->c, 0);
}

// The corner of the other polygon that is inside of the round shape as this shape's corner is
// inside of it: two corners that have sunk into each other are still one contact. They are no
// farther apart than some overlaps. −1: there is none.
static int sunk_corner(const View *view, int side)
{
    const SpragShape *other = view->other_shape, *round = view->round_shape;
    SpragVec2 normal;
    if (!convex_side_normal(other, side, &normal))
        return -1;
    double overlap =
        -convex_support(round, view->round, view->other, normal, other->vertices[side]);
    double least = 2 * overlap + view->collider->zone;
    int found = -1;
    for (int i = 0; i < other->vertex_count; i++) {
        SpragVec2 d = sprag_vec2_sub(view->c, other->vertices[i]);
        SpragVec2 world = frame_to_world(view->other, other->vertices[i]);
        double distance = hypot(d.x, d.y);
        if (distance >= least || !polygon_contains(round, frame_to_local(view->round, world)))
            continue;
        least = distance;
        found = i;
    }
    return found;
}

// Strictly beside the core of a capsule: what touches at its ends is a slot of the ends.
static bool beside_capsule(const SpragShape *capsule, SpragVec2 c, double zone)
{
    SpragVec2 a = capsule->vertices[0], e = sprag_vec2_sub(capsule->vertices[1], a);
    double length = hypot(e.x, e.y);
    double along = sprag_vec2_dot(e, sprag_vec2_sub(c, a));
    return along > zone * length && along < (length - zone) * length;
}

Meeting convex_slot_meet(const View *view)
{
    const SpragShape *other = view->other_shape;
    double zone = view->collider->zone;
    Meeting none = {.kind = MEETING_NONE};
    if (view->slot->side_only && !beside_capsule(other, view->c, zone))
        return none;
    if (seams_hide(view))
        return none;
    if (seams_are_on(view)) {
        int corner = coinciding(other, view->c, zone), side = -1;
        Meeting meeting = seams_meet(view, &side);
        if (corner < 0 && side >= 0 && is_polygon(view->round_shape))
            corner = end_of_side(view, side);
        if (corner < 0 || seams_flat(view, corner))
            return meeting;
    }
    if (is_polygon(other) && view->round_shape->radius == 0) {
        int corner = coinciding(other, view->c, zone), side = -1;
        if (corner < 0 && is_polygon(view->round_shape))
            side = overlapping_side(view);
        if (side >= 0)
            corner = end_of_side(view, side);
        if (side >= 0 && corner < 0 && is_beyond(view, side))
            side = -1;
        if (side >= 0 && corner < 0) {
            int sunk = sunk_corner(view, side);
            corner = sunk >= 0 && corners_have_range(view, sunk) ? sunk : -1;
        }
        if (side < 0 && corner < 0 && is_polygon(view->round_shape))
            corner = cross_corner(view);
        if (corner >= 0)
            return view->slot->secondary ? none : corners_meet(view, corner);
        if (side >= 0)
            return meet_overlapping(view, side);
        if (is_polygon(view->round_shape))
            return cross_meet(view, convex_meet(other, view->c));
    }
    return convex_meet(other, view->c);
}

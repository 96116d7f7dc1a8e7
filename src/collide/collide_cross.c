// collide_cross.c: corners of two polygons that have passed each other.
// Problem   in a layer shapes overlap, and where corners pass each other their sides may cross so
//           that each corner is outside of the other shape: no slot would tell of the overlap
// Method    at one end of a flat contact, while other corners tell of the rest: two corners that
// are
//           beyond each other's ends, and below each other's sides, are one contact like corners
//           that coincide (theory.md 14.6, corners that come in). Where no corner at all is inside,
//           or none as deep as to tell: the one corner that is deepest below the side of least
//           overlap meets it, and nothing else
#include <math.h>

#include "collide_private.h"

// ---- At one end of a flat contact ---------------------------------------------------------------

// Cosine of normals of sides that lie on each other, at most: in layers they are tilted a little.
static const double FLAT = -0.95;
// And their overlap, as a part of the shorter of these sides: beyond that shapes run through each
// other.
static const double THIN = 0.1;

// A polygon's corner seen by a point that is outside of one of its sides alone.
typedef struct Past {
    int corner;
    double out, below; // m: beyond the side that ends there; below the other one, in which it sinks
    SpragVec2 normal;  // of that one
    double length;
} Past;

static int side_before(const SpragShape *shape, int vertex)
{
    return vertex == 0 ? shape->vertex_count - 1 : vertex - 1;
}

static double height_above(const SpragShape *shape, int side, SpragVec2 p, SpragVec2 *normal)
{
    *normal = sprag_vec2(0, 0);
    (void)convex_side_normal(shape, side, normal);
    return sprag_vec2_dot(*normal, sprag_vec2_sub(p, shape->vertices[side]));
}

// The one side that p is outside of, or inside by no more than `margin`; −1: there is none, or more
// than one.
static int only_side_out(const SpragShape *shape, SpragVec2 p, double margin)
{
    SpragVec2 normal;
    int found = -1;
    for (int i = 0; i < shape->vertex_count; i++) {
        if (!(height_above(shape, i, p, &normal) > -margin))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

// Of the ends of the side that p is outside of the one whose other side is nearest above p. False:
// p is not beside such a corner, but before a side.
static bool is_past(const SpragShape *shape, SpragVec2 p, double margin, Past *past)
{
    int out = only_side_out(shape, p, margin);
    if (out < 0)
        return false;
    int after = out + 1 == shape->vertex_count ? 0 : out + 1;
    SpragVec2 normal[2];
    double below[2] = {-height_above(shape, side_before(shape, out), p, &normal[0]),
                       -height_above(shape, after, p, &normal[1])};
    int end = below[1] < below[0], carrier = end ? after : side_before(shape, out);
    SpragVec2 beyond, e = sprag_vec2_sub(vertex_after(shape, carrier), shape->vertices[carrier]);
    *past = (Past){end ? after : out, height_above(shape, out, p, &beyond), below[end], normal[end],
                   hypot(e.x, e.y)};
    return past->out <= past->below;
}

int cross_corner(const View *view)
{
    const SpragShape *other = view->other_shape, *round = view->round_shape;
    Past here, there;
    double zone = view->collider->zone;
    if (!is_past(other, view->c, 0, &here) || here.below <= 4 * zone)
        return -1;
    SpragVec2 world = frame_to_world(view->other, other->vertices[here.corner]);
    // one that is inside by less than the zone counts as coinciding, and leaves it to this slot:
    // rather both tell of the overlap for a moment than none, by a rounding
    if (!is_past(round, frame_to_local(view->round, world), 2 * zone, &there) ||
        there.corner != view->vertex)
        return -1;
    // their sides lie flat on each other, and nothing separates the shapes
    SpragVec2 n = sprag_vec2_turn(here.normal, view->other->cosine, view->other->sine);
    SpragVec2 m = sprag_vec2_turn(there.normal, view->round->cosine, view->round->sine);
    double overlap = -fmax(convex_separation(round, view->round, other, view->other),
                           convex_separation(other, view->other, round, view->round));
    bool flat = sprag_vec2_dot(n, m) < FLAT && overlap <= THIN * fmin(here.length, there.length);
    return flat && overlap >= PART_TOLD * here.below ? here.corner : -1;
}

// ---- No corner inside ---------------------------------------------------------------------------

// The side along which two polygons overlap least.
typedef struct Crossing {
    const SpragShape *shape; // that has it; NULL: none
    int side;
    int deepest; // vertex of the other shape
    double support;
} Crossing;

static void try_sides(const SpragShape *shape, const Frame *frame, const SpragShape *against,
                      const Frame *against_frame, Crossing *best)
{
    for (int i = 0; i < shape->vertex_count; i++) {
        SpragVec2 normal;
        if (!convex_side_normal(shape, i, &normal))
            continue;
        Crossing found = {shape, i, 0, INFINITY};
        for (int k = 0; k < against->vertex_count; k++) {
            SpragVec2 p =
                frame_to_local(frame, frame_to_world(against_frame, against->vertices[k]));
            double height = sprag_vec2_dot(normal, sprag_vec2_sub(p, shape->vertices[i]));
            if (height < found.support) {
                found.support = height;
                found.deepest = k;
            }
        }
        if (!best->shape || found.support > best->support)
            *best = found;
    }
}

static double depth_inside(const SpragShape *polygon, SpragVec2 p)
{
    double least = INFINITY;
    for (int i = 0; i < polygon->vertex_count; i++) {
        SpragVec2 normal;
        if (convex_side_normal(polygon, i, &normal))
            least = fmin(least, sprag_vec2_dot(normal, sprag_vec2_sub(polygon->vertices[i], p)));
    }
    return least;
}

static bool holds_vertex(const SpragShape *shape, const Frame *frame, const SpragShape *against,
                         const Frame *against_frame, double depth)
{
    for (int k = 0; k < against->vertex_count; k++) {
        SpragVec2 world = frame_to_world(against_frame, against->vertices[k]);
        if (depth_inside(shape, frame_to_local(frame, world)) >= depth)
            return true;
    }
    return false;
}

// Whether the polygons of a view overlap although no corner of one is inside the other, or none is
// as deep as to tell of it (another corner may rest on a side, where it is inside by rounding).
// Slots of both shapes go through the sides in the same order, and so agree.
static bool polygons_cross(const View *view, Crossing *crossing)
{
    const SpragShape *shape[2] = {view->round_shape, view->other_shape};
    const Frame *frame[2] = {view->round, view->other};
    int first = view->slot->secondary ? 1 : 0;
    *crossing = (Crossing){.support = -INFINITY};
    for (int i = 0; i < 2; i++) {
        int own = i == 0 ? first : 1 - first;
        try_sides(shape[own], frame[own], shape[1 - own], frame[1 - own], crossing);
    }
    double depth = -PART_TOLD * crossing->support;
    return crossing->shape && crossing->support < -view->collider->zone &&
           !holds_vertex(shape[0], frame[0], shape[1], frame[1], depth) &&
           !holds_vertex(shape[1], frame[1], shape[0], frame[0], depth);
}

// A vertex outside of the other polygon, which `meeting` tells. Where its normal separates the
// shapes, and that is nearly always, nothing is crossed.
Meeting cross_meet(const View *view, Meeting meeting)
{
    Crossing crossing;
    const Meeting none = {.kind = MEETING_NONE};
    if (!(meeting.distance > 0) ||
        convex_support(view->round_shape, view->round, view->other, meeting.normal,
                       meeting.point) >= -view->collider->zone)
        return meeting;
    if (!polygons_cross(view, &crossing))
        return meeting;
    if (crossing.shape != view->other_shape || crossing.deepest != view->vertex)
        return none;
    SpragVec2 normal = {0, 1};
    (void)convex_side_normal(view->other_shape, crossing.side, &normal);
    return convex_meet_side(view->other_shape->vertices[crossing.side], normal, view->c, 0);
}

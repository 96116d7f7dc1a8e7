// collide_chain.c: a vertex over one segment of a chain.
// Problem   a chain is a line with a free side. Each vertex of another shape has a slot with every
//           segment; of these only those may speak that the vertex can touch, each point of the
//           chain once, and none may report an overlap with a part that is merely on the far side.
// Method    a segment owns what projects onto it. A valley belongs to both its segments (two
//           contacts), and so does what is behind both of them below its corner, where nothing
//           projects: a vertex that comes down close to the corner passes there, and a gap that
//           vanished before it is negative would never be seen to close. A ridge, where the nearest
//           point is the corner itself, belongs to the segment that ends there; an open end to its
//           only segment. A vertex behind the segment overlaps only if it is behind the nearest
//           part of the chain too, and not much farther than that.
// Open      a chain with ends has no other side: what comes around an end and turns in under it is
//           free, unless the way from the vertex to the middle of its shape leads through the chain
#include <math.h>

#include "collide_private.h"

// A turn of less than this (sine) counts as straight: rounding of collinear input points is 1e-16.
static const double STRAIGHT = 1e-9;
// Behind the chain, segments up to this many times farther than the nearest one still overlap: in a
// valley both sides do.
static const double BEHIND_FACTOR = 3;
// The way out of an open chain leads through it, or past its end by up to this part of the depth.
static const double PAST = 0.5;

typedef struct Segment {
    SpragVec2 a, e, n; // begin, direction, normal to the free side
    double length;
} Segment;

int chain_segment_count(const SpragShape *chain)
{
    return chain->closed ? chain->vertex_count : chain->vertex_count - 1;
}

// A segment without length has direction (1, 0).
static Segment segment_of(const SpragShape *chain, int index, double side)
{
    SpragVec2 a = chain->vertices[index];
    SpragVec2 b = chain->vertices[index + 1 == chain->vertex_count ? 0 : index + 1];
    Segment segment = {.a = a, .e = {1, 0}};
    SpragVec2 d = sprag_vec2_sub(b, a);
    segment.length = hypot(d.x, d.y);
    if (segment.length > 0)
        segment.e = sprag_vec2_scale(1 / segment.length, d);
    segment.n = sprag_vec2(-side * segment.e.y, side * segment.e.x);
    return segment;
}

// Segments that end and begin at the vertex; −1: none.
static void neighbours(const SpragShape *chain, int vertex, int *ending, int *beginning)
{
    int count = chain_segment_count(chain);
    *ending = vertex > 0 ? vertex - 1 : chain->closed ? count - 1 : -1;
    *beginning = vertex < count ? vertex : -1;
}

CornerKind chain_corner(const SpragShape *chain, int vertex, double side)
{
    int ending, beginning;
    neighbours(chain, vertex, &ending, &beginning);
    if (ending < 0 || beginning < 0)
        return CORNER_END;
    Segment before = segment_of(chain, ending, side), after = segment_of(chain, beginning, side);
    double turn = side * sprag_vec2_cross(before.e, after.e);
    if (turn > STRAIGHT)
        return CORNER_VALLEY;
    if (turn < -STRAIGHT || sprag_vec2_dot(before.e, after.e) < 0)
        return CORNER_RIDGE;
    return CORNER_STRAIGHT;
}

// ---- Which side ---------------------------------------------------------------------------------

typedef struct Nearest {
    double distance;
    double front; // > 0: on the free side, < 0: behind, 0: past an open end
} Nearest;

// Whether p, nearest to `vertex`, is in front: by the sum of the normals that meet there.
static double front_of_vertex(const SpragShape *chain, int vertex, double side, SpragVec2 p)
{
    int ending, beginning;
    neighbours(chain, vertex, &ending, &beginning);
    if (ending < 0 || beginning < 0)
        return 0;
    Segment before = segment_of(chain, ending, side), after = segment_of(chain, beginning, side);
    SpragVec2 sum = sprag_vec2_add(before.n, after.n);
    double front = sprag_vec2_dot(sum, sprag_vec2_sub(p, chain->vertices[vertex]));
    return front > 0 ? 1 : -1;
}

// How far p is along a segment beyond its ends, and over it; their size.
static double segment_distance(const Segment *segment, SpragVec2 p, double *over, double *height)
{
    SpragVec2 d = sprag_vec2_sub(p, segment->a);
    double along = sprag_vec2_dot(segment->e, d);
    *over = along - fmin(fmax(along, 0), segment->length);
    *height = sprag_vec2_dot(segment->n, d);
    return hypot(*over, *height);
}

static Nearest nearest_part(const SpragShape *chain, double side, SpragVec2 p)
{
    Nearest nearest = {.distance = INFINITY};
    for (int i = 0; i < chain_segment_count(chain); i++) {
        Segment segment = segment_of(chain, i, side);
        double over, height, distance = segment_distance(&segment, p, &over, &height);
        if (!(distance < nearest.distance))
            continue;
        nearest.distance = distance;
        nearest.front = height >= 0 ? 1 : -1;
        int end = i + 1 == chain->vertex_count ? 0 : i + 1;
        if (over != 0)
            nearest.front = front_of_vertex(chain, over < 0 ? i : end, side, p);
    }
    return nearest;
}

double chain_side(const SpragShape *chain, SpragVec2 p, double tolerance)
{
    Nearest left = nearest_part(chain, 1, p);
    if (left.distance <= tolerance)
        return 0;
    if (left.front != 0)
        return left.front;
    // past an open end: the side of that end's segment, extended
    SpragVec2 first = sprag_vec2_sub(p, chain->vertices[0]);
    SpragVec2 last = sprag_vec2_sub(p, chain->vertices[chain->vertex_count - 1]);
    bool at_first = sprag_vec2_dot(first, first) <= sprag_vec2_dot(last, last);
    Segment segment = segment_of(chain, at_first ? 0 : chain_segment_count(chain) - 1, 1);
    double height = sprag_vec2_dot(segment.n, at_first ? first : last);
    return fabs(height) <= tolerance ? 0 : height > 0 ? 1 : -1;
}

// ---- A slot -------------------------------------------------------------------------------------

static Meeting meet_segment(const Segment *segment, SpragVec2 c)
{
    Meeting meeting = {.kind = MEETING_FLAT, .normal = segment->n, .point = segment->a};
    meeting.distance = sprag_vec2_dot(segment->n, sprag_vec2_sub(c, segment->a));
    return meeting;
}

static Meeting meet_corner(SpragVec2 corner, SpragVec2 c)
{
    SpragVec2 d = sprag_vec2_sub(c, corner);
    Meeting meeting = {.kind = MEETING_PIVOT, .point = corner};
    meeting.distance = hypot(d.x, d.y);
    meeting.normal = sprag_vec2_scale(1 / meeting.distance, d);
    return meeting;
}

// At a ridge with the vertex on its very corner: the segment that separates the shapes best.
static int ridge_owner(const View *view, int corner, double side)
{
    const SpragShape *chain = view->other_shape;
    int ending, beginning;
    neighbours(chain, corner, &ending, &beginning);
    double supports[2];
    const int segments[2] = {ending, beginning};
    for (int i = 0; i < 2; i++) {
        Segment segment = segment_of(chain, segments[i], side);
        supports[i] = convex_support(view->round_shape, view->round, view->other, segment.n,
                                     chain->vertices[corner]);
    }
    return supports[1] > supports[0] + view->collider->zone ? beginning : ending;
}

// Whether the vertex is behind both segments that meet in a corner, and one of them is about the
// nearest part of the chain: lines of flat valleys run on below other parts. One that lies deep in
// the first, in a layer, and touches the second is behind that by a rounding: less than the zone
// counts.
static bool is_below(const View *view, int corner)
{
    const SpragShape *chain = view->other_shape;
    double side = view->slot->shown.side, zone = view->collider->zone, near = INFINITY;
    int segments[2];
    neighbours(chain, corner, &segments[0], &segments[1]);
    for (int i = 0; i < 2; i++) {
        Segment segment = segment_of(chain, segments[i], side);
        double over, height;
        near = fmin(near, segment_distance(&segment, view->c, &over, &height));
        if (!(height < zone))
            return false;
    }
    return near <= zone + BEHIND_FACTOR * nearest_part(chain, side, view->c).distance;
}

typedef enum Verdict { INSIDE, ON_CORNER, AT_CORNER, ELSEWHERE } Verdict;

// Where the vertex is with respect to one end (0: begin, 1: end) of segment `index`: INSIDE of it,
// ON_CORNER (coincident, and this segment's), AT_CORNER (the corner is nearest, and this
// segment's), or ELSEWHERE.
static Verdict judge_end(const View *view, int index, int which)
{
    const SpragShape *chain = view->other_shape;
    double side = view->slot->shown.side, zone = view->collider->zone;
    Segment segment = segment_of(chain, index, side);
    int corner = which == 0 ? index : index + 1 == chain->vertex_count ? 0 : index + 1;
    CornerKind kind = chain_corner(chain, corner, side);
    SpragVec2 d = sprag_vec2_sub(view->c, chain->vertices[corner]);
    if (hypot(d.x, d.y) <= zone) {
        bool shared = kind == CORNER_RIDGE || kind == CORNER_STRAIGHT;
        return !shared || ridge_owner(view, corner, side) == index ? ON_CORNER : ELSEWHERE;
    }
    double along = sprag_vec2_dot(segment.e, sprag_vec2_sub(view->c, segment.a));
    bool beyond = which == 0 ? !(along > 0) : along > segment.length;
    int ending, beginning;
    neighbours(chain, corner, &ending, &beginning);
    if (kind == CORNER_END)
        return !beyond || (which == 0 && along == 0) ? INSIDE : AT_CORNER;
    if (kind == CORNER_VALLEY)
        return !beyond || (which == 0 && along == 0) || is_below(view, corner) ? INSIDE : ELSEWHERE;
    if (which == 1) {
        Segment next = segment_of(chain, beginning, side);
        bool over_next = sprag_vec2_dot(next.e, d) > 0;
        return !beyond ? INSIDE : over_next ? ELSEWHERE : AT_CORNER;
    }
    if (beyond)
        return ELSEWHERE;
    // straight: what projects onto the segment before, by its own arithmetic, is that one's
    Segment last = segment_of(chain, ending, side);
    double last_along = sprag_vec2_dot(last.e, sprag_vec2_sub(view->c, last.a));
    return kind == CORNER_STRAIGHT && !(last_along > last.length) ? ELSEWHERE : INSIDE;
}

// Middle of the vertex's shape. Rods and points touch with tips alone, and what is between them
// leads nowhere: the vertex itself.
static SpragVec2 middle_of(const View *view)
{
    const SpragShape *shape = view->round_shape;
    SpragVec2 sum = {0, 0};
    if (shape->kind == SPRAG_SHAPE_ROD || shape->kind == SPRAG_SHAPE_POINTS)
        return view->c;
    for (int i = 0; i < shape->vertex_count; i++)
        sum = sprag_vec2_add(sum, shape->vertices[i]);
    SpragVec2 middle = sprag_vec2_scale(1.0 / shape->vertex_count, sum);
    return frame_to_local(view->other, frame_to_world(view->round, middle));
}

// Whether the way from p to q leads from behind the chain to its free side.
static bool leads_through(const View *view, SpragVec2 p, SpragVec2 q)
{
    const SpragShape *chain = view->other_shape;
    for (int i = 0; i < chain_segment_count(chain); i++) {
        Segment segment = segment_of(chain, i, view->slot->shown.side);
        double from = sprag_vec2_dot(segment.n, sprag_vec2_sub(p, segment.a));
        double to = sprag_vec2_dot(segment.n, sprag_vec2_sub(q, segment.a));
        if (from > 0 || to <= 0)
            continue;
        SpragVec2 way = sprag_vec2_scale(from / (from - to), sprag_vec2_sub(q, p));
        double along = sprag_vec2_dot(segment.e, sprag_vec2_sub(sprag_vec2_add(p, way), segment.a));
        double past = PAST * -from + view->collider->zone;
        if (along >= -past && along <= segment.length + past)
            return true;
    }
    return false;
}

// Whether what is behind an open chain, this far from it, may have come around one of its ends: the
// end is about the nearest part, and no way to the free side leads through the chain.
static bool came_around(const View *view, double distance)
{
    const SpragShape *chain = view->other_shape;
    SpragVec2 first = sprag_vec2_sub(view->c, chain->vertices[0]);
    SpragVec2 last = sprag_vec2_sub(view->c, chain->vertices[chain->vertex_count - 1]);
    double end = fmin(hypot(first.x, first.y), hypot(last.x, last.y));
    return end <= BEHIND_FACTOR * distance && !leads_through(view, view->c, middle_of(view));
}

static bool overlaps_from_behind(const View *view, double depth)
{
    const SpragShape *chain = view->other_shape;
    Nearest nearest = nearest_part(chain, view->slot->shown.side, view->c);
    return nearest.front < 0 && depth <= BEHIND_FACTOR * nearest.distance &&
           (chain->closed || !came_around(view, nearest.distance));
}

Meeting chain_slot_meet(const View *view)
{
    const SpragShape *chain = view->other_shape;
    int index = view->slot->shown.feature[1 - view->slot->round];
    Segment segment = segment_of(chain, index, view->slot->shown.side);
    Meeting none = {.kind = MEETING_NONE};
    if (!(segment.length > 0))
        return none;
    Meeting flat = meet_segment(&segment, view->c);
    for (int which = 0; which < 2; which++) {
        Verdict verdict = judge_end(view, index, which);
        if (verdict == ON_CORNER)
            return flat;
        if (verdict == ELSEWHERE || (verdict == AT_CORNER && view->slot->sharp))
            return none;
        if (verdict == AT_CORNER) {
            int end = index + 1 == chain->vertex_count ? 0 : index + 1;
            return meet_corner(chain->vertices[which == 0 ? index : end], view->c);
        }
    }
    if (flat.distance < -view->collider->zone && !overlaps_from_behind(view, -flat.distance))
        return none;
    return flat;
}

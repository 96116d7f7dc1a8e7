// collide_overlap.c: whether, and how far, two convex shapes overlap.
// Method    separating axes over the sides of both, and the distance of their cores when these are
//           apart
#include <math.h>

#include "collide_private.h"

// Axis i of a shape's core: the outward normals of a polygon, and of the segment of a capsule its
// two normals and its two ends. False: there is no such axis.
static bool core_axis(const SpragShape *shape, int i, SpragVec2 *normal, SpragVec2 *from)
{
    if (shape->kind == SPRAG_SHAPE_CIRCLE || i >= (is_polygon(shape) ? shape->vertex_count : 4))
        return false;
    int side = is_polygon(shape) ? i : i % 2;
    *normal = sprag_vec2(0, 0);
    *from = shape->vertices[side];
    if (convex_side_normal(shape, side, normal) && i != side)
        *normal = sprag_vec2_tangent(*normal);
    return true;
}

double convex_separation(const SpragShape *a, const Frame *frame_a, const SpragShape *b,
                         const Frame *frame_b)
{
    double best = -INFINITY;
    SpragVec2 normal, from;
    for (int i = 0; core_axis(a, i, &normal, &from); i++)
        if (normal.x != 0 || normal.y != 0)
            best = fmax(best, convex_support(b, frame_b, frame_a, normal, from));
    return best;
}

// Least distance of b's vertices to a's core (negative inside a polygon).
static double vertex_distance(const SpragShape *a, const Frame *frame_a, const SpragShape *b,
                              const Frame *frame_b)
{
    double least = INFINITY;
    for (int i = 0; i < b->vertex_count; i++) {
        SpragVec2 local = frame_to_local(frame_a, frame_to_world(frame_b, b->vertices[i]));
        least = fmin(least, convex_meet(a, local).distance);
    }
    return least;
}

double convex_overlap(const SpragShape *a, const Frame *frame_a, const SpragShape *b,
                      const Frame *frame_b)
{
    double separation =
        fmax(convex_separation(a, frame_a, b, frame_b), convex_separation(b, frame_b, a, frame_a));
    double radii = a->radius + b->radius;
    double distance =
        fmin(vertex_distance(a, frame_a, b, frame_b), vertex_distance(b, frame_b, a, frame_a));
    // cores apart (or mere points): their distance; else the least shift along a side
    if (separation > 0 || separation == -INFINITY)
        return radii - distance;
    return radii - separation;
}

// ---- Placing ------------------------------------------------------------------------------------

// Largest separation of the polygon from the hull of the vertices of a rod or of points, along all
// lines through two of them.
static double hull_separation(const SpragShape *points, const Frame *frame,
                              const SpragShape *polygon, const Frame *polygon_frame)
{
    double best = -INFINITY;
    for (int i = 0; i < points->vertex_count; i++) {
        for (int k = 0; k < points->vertex_count; k++) {
            SpragVec2 e = sprag_vec2_sub(points->vertices[k], points->vertices[i]);
            double length = hypot(e.x, e.y);
            if (!(length > 0))
                continue;
            SpragVec2 normal = sprag_vec2(e.y / length, -e.x / length);
            double own = -INFINITY;
            for (int j = 0; j < points->vertex_count; j++)
                own = fmax(own, sprag_vec2_dot(normal, points->vertices[j]));
            best = fmax(best, convex_support(polygon, polygon_frame, frame, normal,
                                             sprag_vec2_scale(own, normal)));
        }
    }
    return best;
}

static bool hulls_overlap(const View *view, double best_side)
{
    const SpragShape *round = view->round_shape, *other = view->other_shape;
    double zone = view->collider->zone;
    if (is_convex(round))
        return convex_overlap(round, view->round, other, view->other) > zone;
    return best_side < -zone && hull_separation(round, view->round, other, view->other) < -zone;
}

Meeting convex_placing_meet(const View *view)
{
    const SpragShape *other = view->other_shape, *round = view->round_shape;
    double best = -INFINITY;
    Meeting meeting = {.kind = MEETING_NONE};
    if (round->kind == SPRAG_SHAPE_CHAIN)
        return convex_slot_meet(view);
    for (int i = 0; i < other->vertex_count; i++) {
        SpragVec2 normal;
        if (!convex_side_normal(other, i, &normal))
            continue;
        double support =
            convex_support(round, view->round, view->other, normal, other->vertices[i]);
        if (support > best) {
            best = support;
            meeting = convex_meet_side(other->vertices[i], normal, view->c, 0);
        }
    }
    bool overlap = meeting.kind != MEETING_NONE && hulls_overlap(view, best);
    return overlap ? meeting : convex_slot_meet(view);
}

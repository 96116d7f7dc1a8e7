// space_edges.c: two edges that cross: of polyhedra, or the cores of capsules.
// Method    the normal is the product of their directions, the gap the distance of the two lines
//           along it. They meet if, seen along the normal, they cross properly: both ends of each
//           lie on different sides of the other, farther than the zone (what is nearer belongs to
//           the slot of a corner), and if the normal lies between the normals of the two faces of
//           each edge, up to a small angle. In a flat contact it is at the end of that range; and
//           an outline that comes down is seen before it lands. Points of two bodies are never
//           nearer than the bodies, so nothing touches falsely by this; where edges overlap the
//           normal must be one along which the two shapes as wholes part, as deep as they are.
#include <math.h>

#include "space_catalogue.h"

static const double FLAT = 0.2; // sin of the angle up to which something counts as lying flat
static const double PARALLEL = 1e-9;
static const double ALIGNED = 0.95; // cos of the angle up to which an edge shares a face's normal
static const double LEVEL = 1 - 1e-12; // the same where the contact is flat

typedef struct Edge {
    SpragVec3 end[2], direction; // world; unit
    SpragVec3 inward[2];         // of a solid: into its two faces, across the edge
    SpragVec3 outward;           // sum of their normals
    bool round;
} Edge;

static Edge place_edge(const SpragShape *shape, const SpragPose *pose, int index)
{
    Edge edge = {.round = !shape->solid};
    SpragVec3 ends[2];
    shape_edge(shape, index, ends);
    for (int i = 0; i < 2; i++)
        edge.end[i] = pose_to_world(pose, ends[i]);
    edge.direction = sprag_vec3_unit(sprag_vec3_sub(edge.end[1], edge.end[0]));
    for (int i = 0; i < 2 && shape->solid; i++) {
        SpragVec3 normal = shape->solid->normals[shape->solid->edge_faces[2 * index + i]];
        normal = sprag_mat3_apply(&pose->R, normal);
        edge.outward = sprag_vec3_add(edge.outward, normal);
        // the first face is on the left
        edge.inward[i] = i == 0 ? sprag_vec3_cross(normal, edge.direction)
                                : sprag_vec3_cross(edge.direction, normal);
    }
    return edge;
}

// Whether the line of `across` passes between the ends of `edge`, seen along n.
static bool passes(const Edge *edge, const Edge *across, SpragVec3 n, double zone)
{
    SpragVec3 side = sprag_vec3_cross(across->direction, n);
    double at[2];
    for (int i = 0; i < 2; i++)
        at[i] = sprag_vec3_dot(side, sprag_vec3_sub(edge->end[i], across->end[0]));
    return (at[0] > zone && at[1] < -zone) || (at[0] < -zone && at[1] > zone);
}

// Whether n, out of the edge's shape, is a normal of it up to an angle.
static bool is_normal(const Edge *edge, SpragVec3 n, double sine)
{
    return edge->round || (sprag_vec3_dot(n, edge->inward[0]) <= sine &&
                           sprag_vec3_dot(n, edge->inward[1]) <= sine);
}

// Normal from b to a; false: the edges are parallel.
static bool edge_normal(const Edge *a, const Edge *b, SpragVec3 *n)
{
    *n = sprag_vec3_cross(a->direction, b->direction);
    if (sprag_vec3_norm(*n) < PARALLEL)
        return false;
    *n = sprag_vec3_unit(*n);
    SpragVec3 towards = sprag_vec3_sub(b->outward, a->outward);
    if (a->round && b->round)
        towards = sprag_vec3_sub(a->end[0], b->end[0]);
    if (sprag_vec3_dot(*n, towards) < 0)
        *n = sprag_vec3_scale(-1, *n);
    return true;
}

// Edges that overlap: the shapes as wholes must part along n, or along a face that is almost so,
// and the wholes must overlap about as deep: beside an edge that touches others seem to overlap.
static bool parts_here(const View3 *view, SpragVec3 n, double gap)
{
    SpragVec3 face_normal = n;
    double best = solid_face_separation(view, &face_normal);
    double cosine = sprag_vec3_dot(n, face_normal);
    if (best > gap && cosine < ALIGNED)
        return false;
    ConvexDistance whole;
    if (cosine >= LEVEL ||
        !convex_distance(view->shape[0], view->pose[0], view->shape[1], view->pose[1], &whole))
        return true;
    return gap >= 2 * fmin(0, whole.distance) - view->zone;
}

void edges_meet(const View3 *view, Meeting3 *meeting)
{
    Edge a = place_edge(view->shape[0], view->pose[0], view->feature[0]);
    Edge b = place_edge(view->shape[1], view->pose[1], view->feature[1]);
    SpragVec3 n, ends[2][2];
    *meeting = (Meeting3){.valid = false};
    if (!edge_normal(&a, &b, &n) || !is_normal(&b, n, FLAT) ||
        !is_normal(&a, sprag_vec3_scale(-1, n), FLAT))
        return;
    if (!passes(&a, &b, n, view->zone) || !passes(&b, &a, n, view->zone))
        return;
    double distance = sprag_vec3_dot(n, sprag_vec3_sub(a.end[0], b.end[0]));
    double radii = view->shape[0]->radius + view->shape[1]->radius;
    if (distance < -view->zone && !parts_here(view, n, distance - radii))
        return;
    for (int role = 0; role < 2; role++) {
        const SpragShape *shape = view->shape[role];
        shape_edge(shape, view->feature[role], ends[role]);
        SpragVec3 axis = sprag_vec3_unit(sprag_vec3_sub(ends[role][1], ends[role][0]));
        SpragVec3 product = sprag_vec3_cross(a.direction, b.direction);
        if (role == 1 && sprag_vec3_dot(product, n) < 0)
            axis = sprag_vec3_scale(-1, axis);
        meeting->piece[role] = piece_line(ends[role][0], axis, shape->radius);
        meeting->feature[role] = view->feature[role];
    }
    meeting->valid = true;
}

double edges_separation(const View3 *view)
{
    double best = -INFINITY;
    SpragVec3 n;
    for (int i = 0; i < shape_edge_count(view->shape[0]); i++) {
        Edge a = place_edge(view->shape[0], view->pose[0], i);
        for (int k = 0; k < shape_edge_count(view->shape[1]); k++) {
            Edge b = place_edge(view->shape[1], view->pose[1], k);
            if (edge_normal(&a, &b, &n) && is_normal(&b, n, 0) &&
                is_normal(&a, sprag_vec3_scale(-1, n), 0))
                best = fmax(best, sprag_vec3_dot(n, sprag_vec3_sub(a.end[0], b.end[0])));
        }
    }
    return best;
}

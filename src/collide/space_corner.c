// space_corner.c: a sharp corner or point that touches or overlaps a convex polyhedron.
// Method    theory.md 13.7: the face through which the two part with the least motion; where the
//           corner lies on an edge or a corner of it (within the zone), or both have sunk in there,
//           the best of all ways at that place. Of two corners in one place the later shape's
//           speaks
#include "space_corner.h"

static int find_edge(const SpragSolid *solid, int a, int b)
{
    for (int e = 0; e < solid->edge_count; e++) {
        const int *ends = &solid->edge_vertices[2 * e];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
            return e;
    }
    return -1;
}

// Where the corner at c is over a face of the other polyhedron.
typedef struct Place {
    bool over; // not farther than the zone outside of the face's outline
    int edge;  // on this edge (within the zone); −1: on none
    int corner;
    bool sunk; // they are farther than the zone, and inside of the own polyhedron
} Place;

// Whether a point of the other body (in its frame) is inside of the own polyhedron.
static bool own_contains(const View3 *view, SpragVec3 p)
{
    const SpragSolid *own = view->shape[0]->solid;
    p = pose_to_local(view->pose[0], pose_to_world(view->pose[1], p));
    for (int f = 0; f < own->face_count; f++)
        if (solid_face_height(own, f, p) > view->zone)
            return false;
    return true;
}

// Whether the place on an edge of the other polyhedron nearest to c is inside of the own one, as c
// is inside of the other: what has sunk in there still touches along the edge.
static bool is_sunk(const View3 *view, SpragVec3 c, int edge)
{
    const SpragSolid *other = view->shape[1]->solid;
    const int *ends = &other->edge_vertices[2 * edge];
    SpragVec3 a = other->vertices[ends[0]];
    SpragVec3 d = sprag_vec3_sub(other->vertices[ends[1]], a);
    double along = sprag_vec3_dot(d, sprag_vec3_sub(c, a)) / sprag_vec3_dot(d, d);
    SpragVec3 p = sprag_vec3_along(a, fmin(fmax(along, 0), 1), d);
    return own_contains(view, p);
}

static double sunk_reach(const View3 *view, double overlap)
{
    return view->zone + 2 * fmax(overlap, 0);
}

// overlap: of the wholes; what has sunk in is that much farther from edges and corners.
static Place find_place(const View3 *view, int face, SpragVec3 c, double overlap)
{
    const SpragSolid *solid = view->shape[1]->solid;
    Place place = {.over = true, .edge = -1, .corner = -1};
    int near = 0;
    double zone = view->zone, reach = sunk_reach(view, overlap), least = INFINITY;
    for (int i = solid->face_first[face], next; i < solid->face_first[face + 1]; i++) {
        double excess = solid_side_excess(solid, face, i, c, &next);
        if (excess > zone)
            place.over = false;
        if (excess < -reach)
            continue;
        int edge = find_edge(solid, solid->face_vertices[i], solid->face_vertices[next]);
        if (excess < -zone && !(view->shape[0]->solid && is_sunk(view, c, edge)))
            continue;
        near++;
        place.edge = edge;
        place.sunk |= excess < -zone;
    }
    for (int i = solid->face_first[face]; near > 1 && i < solid->face_first[face + 1]; i++) {
        SpragVec3 d = sprag_vec3_sub(c, solid->vertices[solid->face_vertices[i]]);
        d = sprag_vec3_along(d, -sprag_vec3_dot(d, solid->normals[face]), solid->normals[face]);
        double distance = sprag_vec3_norm(d);
        if (distance <= 2 * reach && distance < least) {
            least = distance;
            place.corner = solid->face_vertices[i];
        }
    }
    return place;
}

// Whether a corner of the other polyhedron, whose slot speaks first, is in the same place: beside
// c across the normal and not below it, or inside of the own one where both have sunk in.
static bool other_corner_speaks(const View3 *view, SpragVec3 c, SpragVec3 normal, double reach)
{
    const SpragSolid *other = view->shape[1]->solid;
    SpragVec3 n = sprag_mat3_apply_back(&view->pose[1]->R, normal);
    if (!view->shape[0]->solid || !vertex_speaks_second(view))
        return false;
    for (int i = 0; i < other->vertex_count; i++) {
        SpragVec3 d = sprag_vec3_sub(other->vertices[i], c);
        double height = sprag_vec3_dot(d, n);
        double across = sprag_vec3_norm(sprag_vec3_along(d, -height, n));
        if ((across <= view->zone && height >= -2 * view->zone) ||
            (sprag_vec3_norm(d) <= reach && own_contains(view, other->vertices[i])))
            return true;
    }
    return false;
}

static void meet_face(const View3 *view, int face, Meeting3 *meeting)
{
    int feature;
    SpragPiece own = vertex_piece(view, &feature);
    meeting_set(meeting, own, feature, solid_face_piece(view->shape[1]->solid, face), face);
}

static SpragVec3 velocity_at(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

// A sharp corner (or point) that touches or overlaps; false: it is beside the face after all.
bool corner_meet(const View3 *view, const Meeting3 *prefer, SpragVec3 c, int nearest_face,
                 Meeting3 *meeting)
{
    const SpragSolid *other = view->shape[1]->solid;
    double separated = 0;
    int face = view->shape[0]->solid ? solid_parting_face(view, &separated) : nearest_face;
    Place place = find_place(view, face, c, -separated);
    if (!place.over)
        return false;
    if (place.edge < 0) {
        meet_face(view, face, meeting);
        return true;
    }
    SpragVec3 world = pose_to_world(view->pose[1], c);
    CornerChoice choice;
    choice.view = view;
    choice.prefer = prefer;
    choice.count = 0;
    choice.velocity =
        sprag_vec3_sub(velocity_at(view->pose[0], world), velocity_at(view->pose[1], world));
    corner_choose(&choice, face, place.edge, place.corner);
    if (place.sunk && !corner_has_range(&choice)) {
        meet_face(view, face, meeting);
        return true;
    }
    SpragVec3 at;
    int feature = solid_edge_feature(other, place.edge);
    if (place.corner >= 0) {
        at = other->vertices[place.corner];
        feature = solid_corner_feature(other, place.corner);
    } else {
        SpragVec3 from = other->vertices[other->edge_vertices[2 * place.edge]];
        SpragVec3 along = solid_edge_direction(other, place.edge);
        at = sprag_vec3_along(from, sprag_vec3_dot(along, sprag_vec3_sub(c, from)), along);
    }
    CornerWay way = corner_best_way(&choice, at, feature);
    *meeting = way.meeting;
    double reach = place.sunk ? sunk_reach(view, -separated) : 0;
    if (place.corner >= 0 && other_corner_speaks(view, c, way.normal, reach))
        meeting->valid = false;
    return true;
}

// space_vertex.c: a vertex, with the radius of its shape, against a plane, a sphere, a capsule or a
// convex polyhedron.
// Method    the nearest feature of the other shape (face, edge, corner), all of them tried. Inside
//           a polyhedron it is the nearest face, or, for a corner of another one, the face along
//           which the two overlap least.
// Owners    no touching point has two slots. The end of a capsule owns what lies beyond the end of
//           its core, a corner what lies in its cone of normals; what a core or an edge touches
//           beside them belongs to slots of edges. Up to a small angle both are kept: what lies
//           flat touches with its ends, and they are seen before they land.
// Corners   theory.md 13.7: where a corner lies on an edge or a corner of the other polyhedron
// (within the zone) the
//           direction between them is noise. The normal is then the best of the faces that meet
//           there and of the products of edges: the one along which the two overlap least. Those
//           that are equally good are told apart by velocities: nothing runs into a face that it
//           can pass. Of two corners in one place the later shape's speaks.
#include "space_catalogue.h"

// sin of the angle up to which something counts as lying flat.
static const double FLAT = 0.2;
// Normals whose product is above this are one direction.
static const double SAME_DIRECTION = 1 - 1e-6;
// Products of edges shorter than this (relative) have no direction.
static const double PARALLEL = 1e-7;
// Cosine of the widest range of normals that has a middle.
static const double WIDE = 0.3;
// Cosine of the narrowest range that counts where corners have sunk in.
static const double RANGE = 0.995;
// Part of an overlap by which held middles may differ from the best direction.
static const double SUNK = 0.3;
// A face that is approached slower than this part of the speed can be passed.
static const double PASSES = 0.1;

static SpragVec3 vertex_local(const View3 *view)
{
    SpragVec3 world = pose_to_world(view->pose[0], view->shape[0]->points[view->feature[0]]);
    return pose_to_local(view->pose[1], world);
}

static void set_meeting(Meeting3 *meeting, SpragPiece first, int first_feature, SpragPiece second,
                        int second_feature)
{
    *meeting = (Meeting3){true, {first, second}, {first_feature, second_feature}};
}

// Features of a solid have one numbering: faces, then edges, then corners.
static int edge_feature(const SpragSolid *solid, int edge)
{
    return solid->face_count + edge;
}
static int corner_feature(const SpragSolid *solid, int corner)
{
    return solid->face_count + solid->edge_count + corner;
}

static SpragPiece own_piece(const View3 *view, int *feature)
{
    const SpragShape *shape = view->shape[0];
    int vertex = view->feature[0];
    *feature = shape->solid ? corner_feature(shape->solid, vertex) : vertex;
    return piece_point(shape->points[vertex], shape->radius);
}

static SpragPiece face_piece(const SpragSolid *solid, int face)
{
    int corner = solid->face_vertices[solid->face_first[face]];
    return piece_plane(solid->vertices[corner], solid->normals[face]);
}

static SpragVec3 edge_direction(const SpragSolid *solid, int edge)
{
    const int *ends = &solid->edge_vertices[2 * edge];
    return sprag_vec3_unit(sprag_vec3_sub(solid->vertices[ends[1]], solid->vertices[ends[0]]));
}

// ---- Who owns a touching point ------------------------------------------------------------------

// Whether the end of a capsule, and not its side, is nearest to the point w (frame of body 1).
static bool end_owns(const View3 *view, SpragVec3 c, SpragVec3 w)
{
    const SpragShape *capsule = view->shape[0];
    int end = view->feature[0];
    SpragVec3 out = sprag_vec3_unit(sprag_vec3_sub(capsule->points[end], capsule->points[1 - end]));
    SpragVec3 d = sprag_vec3_sub(w, c);
    out = sprag_mat3_apply_back(&view->pose[1]->R, sprag_mat3_apply(&view->pose[0]->R, out));
    return sprag_vec3_dot(out, d) >= -(FLAT * sprag_vec3_norm(d) + view->zone);
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
        double along = sprag_vec3_dot(edge_direction(solid, e), d);
        if ((ends[0] == corner ? along : -along) > most)
            return false;
    }
    return true;
}

static bool owns(const View3 *view, SpragVec3 c, SpragVec3 w)
{
    if (view->shape[0]->solid)
        return corner_owns(view, c, w);
    return view->shape[0]->kind != SPRAG_SHAPE_CAPSULE || end_owns(view, c, w);
}

// ---- Spheres, capsules, planes ------------------------------------------------------------------

// Of two equal shapes the later one's vertices speak first.
static bool is_second(const View3 *view)
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
    SpragPiece own = own_piece(view, &feature);
    bool side = along > 0 && along < length;
    // what touches at the ends of the core is a slot of the ends
    if (is_second(view) && !(along > view->zone && along < length - view->zone))
        return;
    int end = along > 0 ? 1 : 0;
    SpragVec3 w = side ? sprag_vec3_along(a, along, e) : capsule->points[end];
    if (!owns(view, c, w))
        return;
    if (side)
        set_meeting(meeting, own, feature, piece_line(a, e, capsule->radius), 2);
    else
        set_meeting(meeting, own, feature, piece_point(w, capsule->radius), end);
}

static void round_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *other = view->shape[1];
    if (other->kind == SPRAG_SHAPE_CAPSULE) {
        capsule_meet(view, meeting);
        return;
    }
    int feature;
    SpragPiece own = own_piece(view, &feature);
    set_meeting(meeting, own, feature, piece_point(other->points[0], other->radius), 0);
}

static void plane_meet(const View3 *view, Meeting3 *meeting)
{
    const SpragShape *plane = view->shape[1];
    int feature;
    SpragPiece own = own_piece(view, &feature);
    SpragVec3 at = sprag_vec3_scale(plane->offset, plane->normal);
    set_meeting(meeting, own, feature, piece_plane(at, plane->normal), 0);
}

// ---- Nearest feature of a polyhedron ------------------------------------------------------------

typedef struct Nearest {
    int feature;     // one numbering of faces, edges, corners
    double distance; // negative inside
    SpragVec3 point; // of the polyhedron (outside only)
} Nearest;

static double face_height(const SpragSolid *solid, int face, SpragVec3 c)
{
    return sprag_vec3_dot(solid->normals[face], c) - solid->offsets[face];
}

// How far c lies outside of a face's side (negative: inside), measured in the plane of the face.
static double side_excess(const SpragSolid *solid, int face, int side, SpragVec3 c, int *next)
{
    int first = solid->face_first[face], last = solid->face_first[face + 1] - 1;
    *next = side == last ? first : side + 1;
    SpragVec3 a = solid->vertices[solid->face_vertices[side]];
    SpragVec3 b = solid->vertices[solid->face_vertices[*next]];
    SpragVec3 out = sprag_vec3_cross(sprag_vec3_sub(b, a), solid->normals[face]);
    return sprag_vec3_dot(sprag_vec3_unit(out), sprag_vec3_sub(c, a));
}

// Largest excess over the sides of a face.
static double face_excess(const SpragSolid *solid, int face, SpragVec3 c)
{
    double most = -INFINITY;
    for (int i = solid->face_first[face], next; i < solid->face_first[face + 1]; i++)
        most = fmax(most, side_excess(solid, face, i, c, &next));
    return most;
}

static void nearest_edge(const SpragSolid *solid, SpragVec3 c, Nearest *nearest)
{
    nearest->distance = INFINITY;
    for (int e = 0; e < solid->edge_count; e++) {
        const int *ends = &solid->edge_vertices[2 * e];
        SpragVec3 a = solid->vertices[ends[0]], b = solid->vertices[ends[1]];
        SpragVec3 d = sprag_vec3_sub(b, a);
        double along = sprag_vec3_dot(d, sprag_vec3_sub(c, a)) / sprag_vec3_dot(d, d);
        SpragVec3 p = along <= 0 ? a : along >= 1 ? b : sprag_vec3_along(a, along, d);
        double distance = sprag_vec3_norm(sprag_vec3_sub(c, p));
        if (distance >= nearest->distance)
            continue;
        nearest->distance = distance;
        nearest->point = p;
        nearest->feature = along <= 0   ? corner_feature(solid, ends[0])
                           : along >= 1 ? corner_feature(solid, ends[1])
                                        : edge_feature(solid, e);
    }
}

static Nearest solid_nearest(const SpragSolid *solid, const bool *covered, SpragVec3 c)
{
    Nearest nearest = {.feature = 0, .distance = -INFINITY, .point = c};
    for (int f = 0; f < solid->face_count; f++) {
        double height = face_height(solid, f, c);
        // what is inside comes out through a face that does not lie against another part
        bool way = !covered || !covered[f] || height > 0;
        if (way && height > nearest.distance) {
            nearest.distance = height;
            nearest.feature = f;
        }
    }
    if (nearest.distance <= 0)
        return nearest;
    for (int f = 0; f < solid->face_count; f++) {
        double height = face_height(solid, f, c);
        if (height > 0 && face_excess(solid, f, c) <= 0) {
            nearest.feature = f;
            nearest.distance = height;
            return nearest;
        }
    }
    nearest_edge(solid, c, &nearest);
    return nearest;
}

static SpragPiece feature_piece(const SpragSolid *solid, int feature)
{
    if (feature < solid->face_count)
        return face_piece(solid, feature);
    int edge = feature - solid->face_count;
    if (edge < solid->edge_count) {
        SpragVec3 from = solid->vertices[solid->edge_vertices[2 * edge]];
        return piece_line(from, edge_direction(solid, edge), 0);
    }
    return piece_point(solid->vertices[edge - solid->edge_count], 0);
}

// ---- Overlap of whole shapes along a direction --------------------------------------------------

void shape_extent(const SpragShape *shape, const SpragPose *pose, SpragVec3 n, double *low,
                  double *high)
{
    SpragVec3 local = sprag_mat3_apply_back(&pose->R, n);
    double from = sprag_vec3_dot(n, pose->x), least = INFINITY, most = -INFINITY;
    for (int i = 0; i < shape->vertex_count; i++) {
        double at = sprag_vec3_dot(local, shape->points[i]);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    *low = from + least - shape->radius;
    *high = from + most + shape->radius;
}

// How far role 0 is from role 1 along n (negative: they overlap).
static double separation(const View3 *view, SpragVec3 n)
{
    double low, high, other_low, other_high;
    shape_extent(view->shape[0], view->pose[0], n, &low, &high);
    shape_extent(view->shape[1], view->pose[1], n, &other_low, &other_high);
    return low - other_high;
}

// The same along the normal of a face of one of the two polyhedra; its own extent is known.
static double face_separation(const View3 *view, int role, int face, SpragVec3 *n)
{
    const SpragSolid *solid = view->shape[role]->solid;
    const SpragPose *pose = view->pose[role];
    SpragVec3 out = sprag_mat3_apply(&pose->R, solid->normals[face]);
    double low, high;
    shape_extent(view->shape[1 - role], view->pose[1 - role], out, &low, &high);
    *n = role == 1 ? out : sprag_vec3_scale(-1, out);
    return low - solid->offsets[face] - sprag_vec3_dot(out, pose->x);
}

// Whether a face of role 1 lies against another part: nothing parts through it.
static bool is_covered(const View3 *view, int face)
{
    return view->covered[1] && view->covered[1][face];
}

int solid_parting_face(const View3 *view, double *separated)
{
    const SpragSolid *solid = view->shape[1]->solid;
    int best = 0;
    SpragVec3 n;
    *separated = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        if (is_covered(view, f))
            continue;
        double along = face_separation(view, 1, f, &n);
        if (along > *separated) {
            *separated = along;
            best = f;
        }
    }
    return best;
}

double solid_face_separation(const View3 *view, SpragVec3 *normal)
{
    double best = -INFINITY;
    for (int role = 0; role < 2; role++) {
        const SpragSolid *solid = view->shape[role]->solid;
        for (int f = 0; solid && f < solid->face_count; f++) {
            SpragVec3 n;
            double along = face_separation(view, role, f, &n);
            if (along > best) {
                best = along;
                *normal = n;
            }
        }
    }
    return best;
}

// ---- Corners on edges and corners ---------------------------------------------------------------

enum { WAYS = 64 };

// One way in which a corner can touch.
typedef struct Way {
    Meeting3 meeting;
    SpragVec3 normal;
    double separation; // of the shapes as wholes along the normal
} Way;

// All ways at one place, in order of preference; further ones beyond WAYS repeat directions.
typedef struct Choice {
    const View3 *view;
    const Meeting3 *prefer;
    SpragVec3 velocity; // of role 0 relative to role 1 there
    Way ways[WAYS];
    int count;
} Choice;

static bool same_features(const Meeting3 *a, const Meeting3 *b)
{
    return a->feature[0] == b->feature[0] && a->feature[1] == b->feature[1] &&
           a->piece[0].kind == b->piece[0].kind && a->piece[1].kind == b->piece[1].kind;
}

static void choose(Choice *choice, const Meeting3 *meeting, SpragVec3 n, double separated)
{
    if (choice->count < WAYS)
        choice->ways[choice->count++] = (Way){*meeting, n, separated};
}

static void choose_face(Choice *choice, int face)
{
    const View3 *view = choice->view;
    Meeting3 meeting;
    int feature;
    SpragVec3 n;
    SpragPiece own = own_piece(view, &feature);
    double along = face_separation(view, 1, face, &n);
    set_meeting(&meeting, own, feature, face_piece(view->shape[1]->solid, face), face);
    choose(choice, &meeting, n, along);
}

static void choose_own_faces(Choice *choice, int corner)
{
    const View3 *view = choice->view;
    const SpragSolid *own = view->shape[0]->solid, *other = view->shape[1]->solid;
    for (int f = 0; f < own->face_count; f++) {
        bool there = false;
        for (int i = own->face_first[f]; i < own->face_first[f + 1]; i++)
            there = there || own->face_vertices[i] == view->feature[0];
        if (!there)
            continue;
        Meeting3 meeting;
        SpragVec3 n;
        double along = face_separation(view, 0, f, &n);
        set_meeting(&meeting, face_piece(own, f), f, piece_point(other->vertices[corner], 0),
                    corner_feature(other, corner));
        choose(choice, &meeting, n, along);
    }
}

// The edges of the own corner with one edge of the other polyhedron.
static void choose_edges(Choice *choice, int edge)
{
    const View3 *view = choice->view;
    const SpragSolid *own = view->shape[0]->solid, *other = view->shape[1]->solid;
    SpragVec3 b = edge_direction(other, edge), b_world = sprag_mat3_apply(&view->pose[1]->R, b);
    for (int e = 0; e < own->edge_count; e++) {
        const int *ends = &own->edge_vertices[2 * e];
        if (ends[0] != view->feature[0] && ends[1] != view->feature[0])
            continue;
        SpragVec3 a = edge_direction(own, e);
        SpragVec3 n = sprag_vec3_cross(sprag_mat3_apply(&view->pose[0]->R, a), b_world);
        if (sprag_vec3_norm(n) < PARALLEL)
            continue;
        n = sprag_vec3_unit(n);
        double along = separation(view, n), back = separation(view, sprag_vec3_scale(-1, n));
        double sign = back > along ? -1 : 1;
        Meeting3 meeting;
        SpragPiece first = piece_line(own->vertices[ends[0]], a, 0);
        SpragVec3 from = other->vertices[other->edge_vertices[2 * edge]];
        SpragPiece second = piece_line(from, sprag_vec3_scale(sign, b), 0);
        set_meeting(&meeting, first, edge_feature(own, e), second, edge_feature(other, edge));
        choose(choice, &meeting, sprag_vec3_scale(sign, n), fmax(along, back));
    }
}

// What meets in an edge or, if corner ≥ 0, in a corner of the other polyhedron.
static void choose_all(Choice *choice, int face, int edge, int corner)
{
    const SpragSolid *other = choice->view->shape[1]->solid;
    bool solid = choice->view->shape[0]->solid != NULL;
    choose_face(choice, face);
    for (int e = 0; e < other->edge_count; e++) {
        const int *ends = &other->edge_vertices[2 * e];
        if (corner >= 0 ? ends[0] != corner && ends[1] != corner : e != edge)
            continue;
        for (int i = 0; i < 2; i++)
            if (other->edge_faces[2 * e + i] != face)
                choose_face(choice, other->edge_faces[2 * e + i]);
    }
    if (solid && corner >= 0)
        choose_own_faces(choice, corner);
    for (int e = 0; solid && e < other->edge_count; e++) {
        const int *ends = &other->edge_vertices[2 * e];
        if (corner >= 0 ? ends[0] == corner || ends[1] == corner : e == edge)
            choose_edges(choice, e);
    }
}

// ---- The best way -------------------------------------------------------------------------------

static double best_separation(const Choice *choice)
{
    double best = -INFINITY;
    for (int i = 0; i < choice->count; i++)
        best = fmax(best, choice->ways[i].separation);
    return best;
}

// The way that met before, if it is as good as the best.
static const Way *held_way(const Choice *choice, double least)
{
    for (int i = 0; choice->prefer && i < choice->count; i++)
        if (choice->ways[i].separation >= least &&
            same_features(choice->prefer, &choice->ways[i].meeting))
            return &choice->ways[i];
    return NULL;
}

// Of ways that are equally good the one that nothing runs into: the largest rate. Speeds below
// `noise` do not count, and the first of one direction stands for all.
static const Way *passing_way(const Choice *choice, double least, double noise)
{
    const Way *best = NULL;
    double best_rate = -INFINITY;
    for (int i = 0; i < choice->count; i++) {
        const Way *way = &choice->ways[i];
        double rate = sprag_vec3_dot(way->normal, choice->velocity);
        if (way->separation < least ||
            (best && sprag_vec3_dot(best->normal, way->normal) >= SAME_DIRECTION))
            continue;
        if (rate > best_rate + noise) {
            best_rate = rate;
            best = way;
        }
    }
    return best;
}

// Sum of the different directions that are equally good, and the widest angle between two of them.
static SpragVec3 sum_of_ways(const Choice *choice, double least, int *different, double *cosine)
{
    SpragVec3 sum = {0, 0, 0};
    *different = 0;
    *cosine = 1;
    for (int i = 0; i < choice->count; i++) {
        bool known = choice->ways[i].separation < least;
        for (int k = 0; k < i && !known; k++)
            known =
                choice->ways[k].separation >= least &&
                sprag_vec3_dot(choice->ways[i].normal, choice->ways[k].normal) >= SAME_DIRECTION;
        if (known)
            continue;
        for (int k = 0; k < i; k++)
            if (choice->ways[k].separation >= least)
                *cosine =
                    fmin(*cosine, sprag_vec3_dot(choice->ways[i].normal, choice->ways[k].normal));
        sum = sprag_vec3_add(sum, choice->ways[i].normal);
        (*different)++;
    }
    return sum;
}

// Whether different directions are about equally good in a layer: else the contact is flat.
static bool has_range(const Choice *choice)
{
    double best = best_separation(choice), cosine;
    int different;
    sum_of_ways(choice, best - choice->view->zone - SUNK * fmax(0, -best), &different, &cosine);
    return different > 1 && cosine < RANGE;
}

static const Way *carrying_way(const Choice *choice, double least)
{
    const Way *best = NULL;
    double most = -1;
    for (int i = 0; i < choice->count; i++) {
        const Way *way = &choice->ways[i];
        double carried = fabs(sprag_vec3_dot(way->normal, choice->view->gravity));
        if (way->separation >= least && carried > most * (1 + 1e-6)) {
            most = carried;
            best = way;
        }
    }
    return best;
}

// At rest a range of normals separates corners and edges: the middle one, as if they were a little
// rounded (two cards that lean against each other push level). Of a wide range what carries weight
// best: the middle of a ridge, but the top of a table whose side touches another table.
static bool middle_way(const Choice *choice, double least, SpragVec3 at, int feature, Way *middle)
{
    const View3 *view = choice->view;
    int different, own_feature;
    double cosine;
    SpragVec3 sum = sum_of_ways(choice, least, &different, &cosine);
    if (different < 2)
        return false;
    const Way *carrying = carrying_way(choice, least);
    middle->normal = sprag_vec3_unit(sum);
    double carried = fabs(sprag_vec3_dot(middle->normal, view->gravity));
    if (cosine < WIDE && carried < fabs(sprag_vec3_dot(carrying->normal, view->gravity)))
        return false;
    SpragPiece own = own_piece(view, &own_feature);
    SpragVec3 local = sprag_mat3_apply_back(&view->pose[1]->R, middle->normal);
    set_meeting(&middle->meeting, own, own_feature, piece_plane(at, local), feature);
    return true;
}

// `at`: the place on the edge or corner `feature` of the other polyhedron, in its body's frame.
static Way best_way(const Choice *choice, SpragVec3 at, int feature)
{
    double zone = choice->view->zone, best = best_separation(choice), least = best - zone;
    const Meeting3 *prefer = choice->prefer;
    Way middle;
    // a middle that is held may have sunk in: its neighbours are no longer equally good then
    bool held =
        prefer && prefer->feature[1] == feature && prefer->piece[1].kind == SPRAG_PIECE_PLANE;
    if (held && middle_way(choice, least - SUNK * fmax(0, -best), at, feature, &middle))
        return middle;
    const Way *way = held_way(choice, least);
    // speeds below a zone a second are noise
    double speed = sprag_vec3_norm(choice->velocity);
    if (!way && speed <= zone) {
        if (middle_way(choice, least, at, feature, &middle))
            return middle;
        way = carrying_way(choice, least);
    }
    if (!way) {
        way = passing_way(choice, least, 1e-6 * speed + zone);
        bool passes = way && sprag_vec3_dot(way->normal, choice->velocity) >= -PASSES * speed;
        if (way && !passes && middle_way(choice, least, at, feature, &middle))
            return middle;
    }
    return way ? *way : choice->ways[0];
}

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
        if (face_height(own, f, p) > view->zone)
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
        double excess = side_excess(solid, face, i, c, &next);
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
    if (!view->shape[0]->solid || !is_second(view))
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
    SpragPiece own = own_piece(view, &feature);
    set_meeting(meeting, own, feature, face_piece(view->shape[1]->solid, face), face);
}

static SpragVec3 velocity_at(const SpragPose *pose, SpragVec3 p)
{
    return sprag_vec3_add(pose->v, sprag_vec3_cross(pose->w, sprag_vec3_sub(p, pose->x)));
}

// A sharp corner (or point) that touches or overlaps; false: it is beside the face after all.
static bool corner_meet(const View3 *view, const Meeting3 *prefer, SpragVec3 c, int nearest_face,
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
    Choice choice;
    choice.view = view;
    choice.prefer = prefer;
    choice.count = 0;
    choice.velocity =
        sprag_vec3_sub(velocity_at(view->pose[0], world), velocity_at(view->pose[1], world));
    choose_all(&choice, face, place.edge, place.corner);
    if (place.sunk && !has_range(&choice)) {
        meet_face(view, face, meeting);
        return true;
    }
    SpragVec3 at;
    int feature = edge_feature(other, place.edge);
    if (place.corner >= 0) {
        at = other->vertices[place.corner];
        feature = corner_feature(other, place.corner);
    } else {
        SpragVec3 from = other->vertices[other->edge_vertices[2 * place.edge]];
        SpragVec3 along = edge_direction(other, place.edge);
        at = sprag_vec3_along(from, sprag_vec3_dot(along, sprag_vec3_sub(c, from)), along);
    }
    Way way = best_way(&choice, at, feature);
    *meeting = way.meeting;
    double reach = place.sunk ? sunk_reach(view, -separated) : 0;
    if (place.corner >= 0 && other_corner_speaks(view, c, way.normal, reach))
        meeting->valid = false;
    return true;
}

// Face whose plane is highest below (or least above) c.
static int highest_face(const SpragSolid *solid, SpragVec3 c, double *height)
{
    int best = 0;
    *height = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        double at = face_height(solid, f, c);
        if (at > *height) {
            *height = at;
            best = f;
        }
    }
    return best;
}

static void solid_meet(const View3 *view, const Meeting3 *prefer, Meeting3 *meeting)
{
    const SpragSolid *solid = view->shape[1]->solid;
    SpragVec3 c = vertex_local(view);
    double height;
    int highest = highest_face(solid, c, &height), feature;
    bool sharp = !(view->shape[0]->radius > 0);
    if (sharp && height <= 2 * view->zone && corner_meet(view, prefer, c, highest, meeting))
        return;
    Nearest nearest = solid_nearest(solid, view->covered[1], c);
    SpragPiece own = own_piece(view, &feature);
    if (!sharp && nearest.feature >= solid->face_count && !owns(view, c, nearest.point))
        return;
    set_meeting(meeting, own, feature, feature_piece(solid, nearest.feature), nearest.feature);
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

// space_corner_ways.c: the direction in which a corner touches an edge or corner of a polyhedron.
// Problem   theory.md 13.7: the direction between them is noise. The normal is the best of the
//           faces that meet there and of the products of edges: that of the least overlap
// Method    all ways are listed with the separation of the wholes along them. Those that are as
//           good as others are told apart by velocities: nothing runs into a face that it can pass
#include "space_corner.h"

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

static bool same_features(const Meeting3 *a, const Meeting3 *b)
{
    return a->feature[0] == b->feature[0] && a->feature[1] == b->feature[1] &&
           a->piece[0].kind == b->piece[0].kind && a->piece[1].kind == b->piece[1].kind;
}

static void choose(CornerChoice *choice, const Meeting3 *meeting, SpragVec3 n, double separated)
{
    if (choice->count < CORNER_WAYS)
        choice->ways[choice->count++] = (CornerWay){*meeting, n, separated};
}

static void choose_face(CornerChoice *choice, int face)
{
    const View3 *view = choice->view;
    Meeting3 meeting;
    int feature;
    SpragVec3 n;
    SpragPiece own = vertex_piece(view, &feature);
    double along = wholes_face_separation(view, 1, face, &n);
    meeting_set(&meeting, own, feature, solid_face_piece(view->shape[1]->solid, face), face);
    choose(choice, &meeting, n, along);
}

static void choose_own_faces(CornerChoice *choice, int corner)
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
        double along = wholes_face_separation(view, 0, f, &n);
        meeting_set(&meeting, solid_face_piece(own, f), f, piece_point(other->vertices[corner], 0),
                    solid_corner_feature(other, corner));
        choose(choice, &meeting, n, along);
    }
}

// The edges of the own corner with one edge of the other polyhedron.
static void choose_edges(CornerChoice *choice, int edge)
{
    const View3 *view = choice->view;
    const SpragSolid *own = view->shape[0]->solid, *other = view->shape[1]->solid;
    SpragVec3 b = solid_edge_direction(other, edge),
              b_world = sprag_mat3_apply(&view->pose[1]->R, b);
    for (int e = 0; e < own->edge_count; e++) {
        const int *ends = &own->edge_vertices[2 * e];
        if (ends[0] != view->feature[0] && ends[1] != view->feature[0])
            continue;
        SpragVec3 a = solid_edge_direction(own, e);
        SpragVec3 n = sprag_vec3_cross(sprag_mat3_apply(&view->pose[0]->R, a), b_world);
        if (sprag_vec3_norm(n) < PARALLEL)
            continue;
        n = sprag_vec3_unit(n);
        double along = wholes_separation(view, n),
               back = wholes_separation(view, sprag_vec3_scale(-1, n));
        double sign = back > along ? -1 : 1;
        Meeting3 meeting;
        SpragPiece first = piece_line(own->vertices[ends[0]], a, 0);
        SpragVec3 from = other->vertices[other->edge_vertices[2 * edge]];
        SpragPiece second = piece_line(from, sprag_vec3_scale(sign, b), 0);
        meeting_set(&meeting, first, solid_edge_feature(own, e), second,
                    solid_edge_feature(other, edge));
        choose(choice, &meeting, sprag_vec3_scale(sign, n), fmax(along, back));
    }
}

// What meets in an edge or, if corner ≥ 0, in a corner of the other polyhedron.
void corner_choose(CornerChoice *choice, int face, int edge, int corner)
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

// ---- The best way
// --------------------------------------------------------------------------------

static double best_separation(const CornerChoice *choice)
{
    double best = -INFINITY;
    for (int i = 0; i < choice->count; i++)
        best = fmax(best, choice->ways[i].separation);
    return best;
}

// The way that met before, if it is as good as the best.
static const CornerWay *held_way(const CornerChoice *choice, double least)
{
    for (int i = 0; choice->prefer && i < choice->count; i++)
        if (choice->ways[i].separation >= least &&
            same_features(choice->prefer, &choice->ways[i].meeting))
            return &choice->ways[i];
    return NULL;
}

// Of ways that are equally good the one that nothing runs into: the largest rate. Speeds below
// `noise` do not count, and the first of one direction stands for all.
static const CornerWay *passing_way(const CornerChoice *choice, double least, double noise)
{
    const CornerWay *best = NULL;
    double best_rate = -INFINITY;
    for (int i = 0; i < choice->count; i++) {
        const CornerWay *way = &choice->ways[i];
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
static SpragVec3 sum_of_ways(const CornerChoice *choice, double least, int *different,
                             double *cosine)
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
bool corner_has_range(const CornerChoice *choice)
{
    double best = best_separation(choice), cosine;
    int different;
    sum_of_ways(choice, best - choice->view->zone - SUNK * fmax(0, -best), &different, &cosine);
    return different > 1 && cosine < RANGE;
}

static const CornerWay *carrying_way(const CornerChoice *choice, double least)
{
    const CornerWay *best = NULL;
    double most = -1;
    for (int i = 0; i < choice->count; i++) {
        const CornerWay *way = &choice->ways[i];
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
static bool middle_way(const CornerChoice *choice, double least, SpragVec3 at, int feature,
                       CornerWay *middle)
{
    const View3 *view = choice->view;
    int different, own_feature;
    double cosine;
    SpragVec3 sum = sum_of_ways(choice, least, &different, &cosine);
    if (different < 2)
        return false;
    const CornerWay *carrying = carrying_way(choice, least);
    middle->normal = sprag_vec3_unit(sum);
    double carried = fabs(sprag_vec3_dot(middle->normal, view->gravity));
    if (cosine < WIDE && carried < fabs(sprag_vec3_dot(carrying->normal, view->gravity)))
        return false;
    SpragPiece own = vertex_piece(view, &own_feature);
    SpragVec3 local = sprag_mat3_apply_back(&view->pose[1]->R, middle->normal);
    meeting_set(&middle->meeting, own, own_feature, piece_plane(at, local), feature);
    return true;
}

// `at`: the place on the edge or corner `feature` of the other polyhedron, in its body's frame.
CornerWay corner_best_way(const CornerChoice *choice, SpragVec3 at, int feature)
{
    double zone = choice->view->zone, best = best_separation(choice), least = best - zone;
    const Meeting3 *prefer = choice->prefer;
    CornerWay middle;
    // a middle that is held may have sunk in: its neighbours are no longer equally good then
    bool held =
        prefer && prefer->feature[1] == feature && prefer->piece[1].kind == SPRAG_PIECE_PLANE;
    if (held && middle_way(choice, least - SUNK * fmax(0, -best), at, feature, &middle))
        return middle;
    const CornerWay *way = held_way(choice, least);
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

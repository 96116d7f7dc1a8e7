// space_seams.c: edges of polyhedra that abut and never move against each other.
// Problem   two tables side by side, or the parts of one body: the edges at the seam lie in a flat
//           surface, or in a valley. What slides over them meets the faces, not those edges
// Method    around an edge each part fills a wedge of directions across it: the half-planes below
//           its faces that hold the edge. The edge is hidden if the wedges of all parts leave no
//           gap wider than a half-plane: nothing straight can touch it then
//           A face is hidden that lies against a face of another part with all of its corners
// Assumes   an edge or face is hidden as a whole; a face, and each end of an edge, by one part
#include <math.h>
#include <stdlib.h>

#include "space_catalogue.h"
#include "special_private.h"

static const double PI = 3.14159265358979323846;
// Gaps this much wider than a half-plane (rad) are edges.
static const double FLAT = 1e-7;
enum { MOST_PARTS = 16 }; // around one edge

// Directions around an edge, counter-clockwise from `from`.
typedef struct Wedge {
    double from, width;
} Wedge;

// A placed edge and a frame across it.
typedef struct Seam3 {
    SpragVec3 end[2], x, y;
} Seam3;

static bool stands_still(const SpragBody *body)
{
    return body->fixed && !body->driven;
}

static bool joined(const SpragModel *model, int a, int b)
{
    const SpragShape *p = &model->shapes[a], *q = &model->shapes[b];
    bool still = stands_still(&model->bodies[p->body]) && stands_still(&model->bodies[q->body]);
    bool solid = p->solid && q->solid && !p->inside && !q->inside;
    return a != b && solid && (p->body == q->body || still);
}

// a … a + width cut with b … b + π; what is left of a convex wedge is one piece.
static Wedge cut(Wedge a, double b)
{
    double shift = remainder(b - a.from, 2 * PI); // −π … π
    if (a.width >= 2 * PI)
        return (Wedge){b, PI};
    double from = fmax(0, shift), to = fmin(a.width, shift + PI);
    // the half-plane that begins a turn earlier or later
    if (!(to > from)) {
        shift += shift < 0 ? 2 * PI : -2 * PI;
        from = fmax(0, shift);
        to = fmin(a.width, shift + PI);
    }
    return (Wedge){a.from + from, fmax(0, to - from)};
}

// The wedge of a solid around the edge; width 0: it does not hold both ends.
static Wedge wedge_at(const SpragShape *shape, const SpragPose *pose, const Seam3 *seam,
                      double zone)
{
    const SpragSolid *solid = shape->solid;
    Wedge wedge = {0, 2 * PI};
    SpragVec3 ends[2];
    for (int i = 0; i < 2; i++)
        ends[i] = pose_to_local(pose, seam->end[i]);
    for (int f = 0; f < solid->face_count; f++) {
        double height[2];
        for (int i = 0; i < 2; i++)
            height[i] = sprag_vec3_dot(solid->normals[f], ends[i]) - solid->offsets[f];
        if (height[0] > zone || height[1] > zone)
            return (Wedge){0, 0};
        if (height[0] < -zone || height[1] < -zone)
            continue;
        SpragVec3 n = sprag_mat3_apply(&pose->R, solid->normals[f]);
        double angle = atan2(sprag_vec3_dot(n, seam->y), sprag_vec3_dot(n, seam->x));
        wedge = cut(wedge, angle + PI / 2);
    }
    return wedge;
}

static int compare_wedges(const void *a, const void *b)
{
    const Wedge *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

// The widest gap that the wedges leave.
static double widest_gap(Wedge *wedges, int count)
{
    for (int i = 0; i < count; i++)
        wedges[i].from -= 2 * PI * floor(wedges[i].from / (2 * PI));
    qsort(wedges, (size_t)count, sizeof *wedges, compare_wedges);
    double widest = 0, reached = wedges[0].from;
    for (int i = 0; i < count; i++) {
        widest = fmax(widest, wedges[i].from - reached);
        reached = fmax(reached, wedges[i].from + wedges[i].width);
    }
    return fmax(widest, wedges[0].from + 2 * PI - reached);
}

static bool is_hidden(const SpragCollider *collider, int index, int edge, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    const SpragShape *shape = &model->shapes[index];
    SpragVec3 ends[2];
    Seam3 seam;
    Wedge wedges[MOST_PARTS];
    int count = 0;
    shape_edge(shape, edge, ends);
    for (int i = 0; i < 2; i++)
        seam.end[i] = pose_to_world(&poses[shape->body], ends[i]);
    SpragVec3 along = sprag_vec3_unit(sprag_vec3_sub(seam.end[1], seam.end[0]));
    int axis = frame_axis(along);
    SpragVec3 e = sprag_vec3(axis == 0, axis == 1, axis == 2);
    seam.x = sprag_vec3_unit(sprag_vec3_along(e, -sprag_vec3_dot(e, along), along));
    seam.y = sprag_vec3_cross(along, seam.x);
    for (int k = 0; k < model->shape_count && count < MOST_PARTS; k++) {
        if (k != index && !joined(model, index, k))
            continue;
        const SpragShape *part = &model->shapes[k];
        Wedge wedge = wedge_at(part, &poses[part->body], &seam, collider->zone);
        if (wedge.width > 0)
            wedges[count++] = wedge;
    }
    return count > 1 && widest_gap(wedges, count) <= PI + FLAT;
}

// Whether all corners of a face are on one face of the part.
static bool is_against(const SpragShape *shape, const SpragPose *pose, int face,
                       const SpragShape *part, const SpragPose *part_pose, double zone)
{
    const SpragSolid *own = shape->solid, *solid = part->solid;
    for (int f = 0; f < solid->face_count; f++) {
        bool on = true;
        for (int i = own->face_first[face]; on && i < own->face_first[face + 1]; i++) {
            SpragVec3 p = pose_to_world(pose, own->vertices[own->face_vertices[i]]);
            p = pose_to_local(part_pose, p);
            on = fabs(sprag_vec3_dot(solid->normals[f], p) - solid->offsets[f]) <= zone &&
                 face_covers(solid, f, p, zone);
        }
        SpragVec3 n = sprag_mat3_apply(&pose->R, own->normals[face]);
        SpragVec3 m = sprag_mat3_apply(&part_pose->R, solid->normals[f]);
        if (on && sprag_vec3_dot(n, m) < 0)
            return true;
    }
    return false;
}

static bool is_covered(const SpragCollider *collider, int index, int face, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    const SpragShape *shape = &model->shapes[index];
    for (int k = 0; k < model->shape_count; k++) {
        const SpragShape *part = &model->shapes[k];
        if (joined(model, index, k) &&
            is_against(shape, &poses[shape->body], face, part, &poses[part->body], collider->zone))
            return true;
    }
    return false;
}

static bool has_neighbour(const SpragCollider *collider, int index, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    Box own, other;
    shape_bounds(&model->shapes[index], &poses[model->shapes[index].body], &own.low, &own.high);
    box_grow(&own, collider->zone);
    for (int k = 0; k < model->shape_count; k++) {
        if (!joined(model, index, k))
            continue;
        shape_bounds(&model->shapes[k], &poses[model->shapes[k].body], &other.low, &other.high);
        if (boxes_overlap(&own, &other))
            return true;
    }
    return false;
}

SpragStatus space_seams_find(SpragCollider *collider, const SpragPose *poses)
{
    const SpragModel *model = collider->model;
    Space *space = collider->space;
    size_t shapes = (size_t)model->shape_count, total = 0;
    SPRAG_TRY(sprag_reserve(collider->context, &space->seam_first, &space->seam_first_capacity,
                            shapes + 1, sizeof *space->seam_first));
    for (size_t s = 0; s < shapes; s++) {
        space->seam_first[s] = total;
        const SpragSolid *solid = model->shapes[s].solid;
        total += solid ? (size_t)(solid->edge_count + solid->face_count) : 0;
    }
    space->seam_first[shapes] = total;
    SPRAG_TRY(sprag_reserve(collider->context, &space->seams, &space->seam_capacity, total + 1,
                            sizeof *space->seams));
    for (int s = 0; s < model->shape_count; s++) {
        bool *seams = space->seams + space->seam_first[s];
        const SpragSolid *solid = model->shapes[s].solid;
        bool any = solid && has_neighbour(collider, s, poses);
        for (int e = 0; solid && e < solid->edge_count; e++)
            seams[e] = any && is_hidden(collider, s, e, poses);
        for (int f = 0; solid && f < solid->face_count; f++)
            seams[solid->edge_count + f] = any && is_covered(collider, s, f, poses);
    }
    return SPRAG_OK;
}

const bool *space_seams_faces(const SpragCollider *collider, int shape)
{
    const Space *space = collider->space;
    const SpragSolid *solid = collider->model->shapes[shape].solid;
    return solid && space->seams ? space->seams + space->seam_first[shape] + solid->edge_count
                                 : NULL;
}

bool space_seams_hide(const SpragCollider *collider, const int shape[2], const Seed3 *seed)
{
    const Space *space = collider->space;
    int edges = seed->kind == SLOT3_EDGE_EDGE                                   ? 2
                : seed->kind == SLOT3_EDGE_RIM || seed->kind == SLOT3_EDGE_SIDE ? 1
                                                                                : 0;
    for (int role = 0; role < edges; role++) {
        int index = shape[seed->side[role]];
        if (collider->model->shapes[index].solid && seed->feature[role] >= 0 &&
            space->seams[space->seam_first[index] + (size_t)seed->feature[role]])
            return true;
    }
    return false;
}

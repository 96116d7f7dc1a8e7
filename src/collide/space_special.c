// space_special.c: which slots pairs with cylinders, surfaces and holes have, and what they are
// called; the dispatch to the files that know how they meet; boxes around shapes.
#include <math.h>
#include <stdio.h>

#include "space_catalogue.h"
#include "special_private.h"

static bool is_sharp_only(const SpragShape *shape)
{
    return shape->kind == SPRAG_SHAPE_POINTS || shape->kind == SPRAG_SHAPE_ROD;
}

// Planes, surfaces and holes: what only bodies can touch.
static bool is_ground(const SpragShape *shape)
{
    return shape->kind == SPRAG_SHAPE_PLANE || shape->surface || shape->inside;
}

bool pair_is_special(const SpragShape *a, const SpragShape *b)
{
    const SpragShape *shapes[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (shapes[i]->kind == SPRAG_SHAPE_CYLINDER || shapes[i]->surface || shapes[i]->inside)
            return true;
    return false;
}

bool pair_can_touch(const SpragShape *a, const SpragShape *b)
{
    if (is_ground(a) && is_ground(b))
        return false;
    return !(is_sharp_only(a) && is_sharp_only(b));
}

void special_meet(const View3 *view, Meeting3 *meeting)
{
    *meeting = (Meeting3){.valid = false};
    switch (view->kind) {
    case SLOT3_VERTEX_CYLINDER:
    case SLOT3_PEAK_CYLINDER:
        cylinder_vertex_meet(view, meeting);
        break;
    case SLOT3_RIM_PLANE:
    case SLOT3_RIM_SOLID:
    case SLOT3_RIM_CYLINDER:
        cylinder_rim_meet(view, meeting);
        break;
    case SLOT3_EDGE_RIM:
    case SLOT3_EDGE_SIDE:
    case SLOT3_RIM_RIM:
    case SLOT3_MOUTH_RIM:
    case SLOT3_RIDGE_CYLINDER:
    case SLOT3_RIDGE_RIM:
        cylinder_edge_meet(view, meeting);
        break;
    case SLOT3_VERTEX_SURFACE:
    case SLOT3_RIM_SURFACE:
    case SLOT3_EDGE_RIDGE:
    case SLOT3_PEAK_SOLID:
    case SLOT3_PEAK_ROUND:
        surface_meet(view, meeting);
        break;
    default:
        inside_meet(view, meeting);
        break;
    }
}

// ---- Slots of a pair ----------------------------------------------------------------------------

typedef struct Teller {
    Seed3Sink sink;
    void *user;
    SlotKind3 kind;
    int first; // which of the pair is role 0
} Teller;

static SpragStatus tell(const Teller *teller, int feature, int other)
{
    Seed3 seed = {.kind = teller->kind,
                  .side = {teller->first, 1 - teller->first},
                  .feature = {feature, other}};
    return teller->sink(teller->user, &seed);
}

static SpragStatus tell_rims(const Teller *teller, int other)
{
    for (int i = 0; i < 2 * RIM_PLACES; i++)
        SPRAG_TRY(tell(teller, i, other));
    return SPRAG_OK;
}

static SpragStatus tell_vertices(const Teller *teller, const SpragShape *shape, int other)
{
    for (int i = 0; i < shape->vertex_count; i++)
        SPRAG_TRY(tell(teller, i, other));
    return SPRAG_OK;
}

// `hole`: which of the pair has the solid around it.
static SpragStatus inside_seeds(const Pair3 *pair, int hole, Seed3Sink sink, void *user)
{
    const SpragShape *around = pair->shape[hole], *own = pair->shape[1 - hole];
    bool cylinder = own->kind == SPRAG_SHAPE_CYLINDER;
    Teller teller = {sink, user, cylinder ? SLOT3_RIM_INSIDE : SLOT3_VERTEX_INSIDE, 1 - hole};
    int walls = around->solid ? around->solid->face_count : 1;
    for (int wall = 0; wall < walls; wall++) {
        if (cylinder)
            SPRAG_TRY(tell_rims(&teller, wall));
        else
            SPRAG_TRY(tell_vertices(&teller, own, wall));
    }
    if (around->kind != SPRAG_SHAPE_CYLINDER || (!cylinder && own->kind != SPRAG_SHAPE_CAPSULE))
        return SPRAG_OK;
    teller.kind = SLOT3_MOUTH_SIDE;
    teller.first = hole;
    for (int mouth = 0; mouth < 4; mouth++)
        SPRAG_TRY(tell(&teller, mouth, 0));
    return SPRAG_OK;
}

// `cylinder`: which of the pair is one.
static SpragStatus cylinder_seeds(const Pair3 *pair, int cylinder, Seed3Sink sink, void *user)
{
    const SpragShape *other = pair->shape[1 - cylinder];
    Teller rims = {sink, user, SLOT3_RIM_PLANE, cylinder};
    if (other->kind == SPRAG_SHAPE_PLANE)
        return tell_rims(&rims, -1);
    if (other->kind == SPRAG_SHAPE_CYLINDER) {
        rims.kind = SLOT3_RIM_CYLINDER;
        return tell_rims(&rims, -1);
    }
    if (other->solid) {
        rims.kind = SLOT3_RIM_SOLID;
        SPRAG_TRY(tell_rims(&rims, -1));
    }
    Teller vertices = {sink, user, SLOT3_VERTEX_CYLINDER, 1 - cylinder};
    return tell_vertices(&vertices, other, -1);
}

SpragStatus special_seeds(const Pair3 *pair, Seed3Sink sink, void *user)
{
    const SpragShape *const *shape = pair->shape;
    for (int i = 0; i < 2; i++)
        if (shape[i]->inside)
            return inside_seeds(pair, i, sink, user);
    if (shape[0]->surface || shape[1]->surface)
        return SPRAG_OK; // all of them come when they are near
    for (int i = 0; i < 2; i++)
        if (shape[i]->kind == SPRAG_SHAPE_CYLINDER)
            SPRAG_TRY(cylinder_seeds(pair, i, sink, user));
    return SPRAG_OK;
}

// ---- Slots that come near -----------------------------------------------------------------------

// Edges of shape `edges` (or the core of a capsule) near the cylinder on the other side.
static SpragStatus edge_seeds_near(const Pair3 *pair, int edges, double reach, Seed3Sink sink,
                                   void *user)
{
    const SpragShape *own = pair->shape[edges], *other = pair->shape[1 - edges];
    const SpragPose *pose = pair->pose[edges];
    SpragVec3 ends[2], axis[2], p[2];
    bool hole = other->inside;
    Teller sides = {sink, user, hole ? SLOT3_MOUTH_SIDE : SLOT3_EDGE_SIDE,
                    hole ? 1 - edges : edges};
    Teller rims = {sink, user, SLOT3_EDGE_RIM, edges};
    for (int k = 0; k < 2; k++)
        axis[k] = pose_to_world(pair->pose[1 - edges], other->points[k]);
    for (int e = 0; e < shape_edge_count(own); e++) {
        double s, t;
        shape_edge(own, e, ends);
        for (int k = 0; k < 2; k++)
            p[k] = pose_to_world(pose, ends[k]);
        segment_segment(p[0], p[1], axis[0], axis[1], &s, &t);
        SpragVec3 d =
            sprag_vec3_sub(sprag_vec3_along(p[0], s, sprag_vec3_sub(p[1], p[0])),
                           sprag_vec3_along(axis[0], t, sprag_vec3_sub(axis[1], axis[0])));
        // rims reach beyond the ends of the axis by at most the radius
        double radius = other->radius + (own->solid ? 0 : own->radius);
        if (sprag_vec3_norm(d) > reach + radius)
            continue;
        if (!hole)
            SPRAG_TRY(tell(&sides, e, -1));
        for (int i = 0; i < 4; i++)
            SPRAG_TRY(hole ? tell(&sides, i, e) : tell(&rims, e, i));
    }
    return SPRAG_OK;
}

static SpragStatus two_cylinders_near(Seed3Sink sink, void *user)
{
    Teller sides = {sink, user, SLOT3_EDGE_SIDE, 1}, rims = {sink, user, SLOT3_RIM_RIM, 1};
    SPRAG_TRY(tell(&sides, -1, -1));
    for (int i = 0; i < 8; i++)
        SPRAG_TRY(tell(&rims, i / 4, i % 4));
    return SPRAG_OK;
}

// Rims of a cylinder near the mouths of a bore.
static SpragStatus mouth_rims_near(const Pair3 *pair, int hole, double reach, Seed3Sink sink,
                                   void *user)
{
    Teller teller = {sink, user, SLOT3_MOUTH_RIM, hole};
    Cylinder own = cylinder_place(pair->shape[1 - hole], pair->pose[1 - hole]);
    Cylinder bore = cylinder_place(pair->shape[hole], pair->pose[hole]);
    for (int i = 0; i < 4; i++) {
        int mouth = i / 2, rim = i % 2;
        double height =
            sprag_vec3_dot(bore.out[mouth], sprag_vec3_sub(own.end[rim], bore.end[mouth]));
        SpragVec3 across = sprag_vec3_cross(own.out[rim], bore.out[mouth]);
        if (fabs(height) > reach + own.radius * sprag_vec3_norm(across))
            continue;
        for (int which = 0; which < 2; which++)
            SPRAG_TRY(tell(&teller, mouth, 2 * rim + which));
    }
    return SPRAG_OK;
}

SpragStatus special_seeds_near(const Pair3 *pair, double reach, Seed3Sink sink, void *user)
{
    for (int i = 0; i < 2; i++)
        if (pair->shape[i]->surface)
            return surface_seeds_near(pair, i, reach, sink, user);
    bool cylinder[2];
    for (int i = 0; i < 2; i++)
        cylinder[i] = pair->shape[i]->kind == SPRAG_SHAPE_CYLINDER;
    if (pair->shape[0]->inside || pair->shape[1]->inside) {
        int hole = pair->shape[0]->inside ? 0 : 1;
        bool edges = cylinder[hole] && pair->shape[1 - hole]->solid;
        if (cylinder[0] && cylinder[1])
            return mouth_rims_near(pair, hole, reach, sink, user);
        return edges ? edge_seeds_near(pair, 1 - hole, reach, sink, user) : SPRAG_OK;
    }
    if (cylinder[0] && cylinder[1])
        return two_cylinders_near(sink, user);
    for (int i = 0; i < 2; i++)
        if (cylinder[i])
            return edge_seeds_near(pair, 1 - i, reach, sink, user);
    return SPRAG_OK;
}

// ---- Names --------------------------------------------------------------------------------------

static bool is_rim_place(const View3 *view, int role)
{
    SlotKind3 kind = view->kind;
    return role == 0 &&
           (kind == SLOT3_RIM_PLANE || kind == SLOT3_RIM_SOLID || kind == SLOT3_RIM_CYLINDER ||
            kind == SLOT3_RIM_SURFACE || kind == SLOT3_RIM_INSIDE);
}

// A rim "a", its marks "a1" …; a crossing of a rim "a.0", "a.1" would read as a feature: "ax",
// "ay".
static void rim_name(const View3 *view, int role, size_t capacity, char *text)
{
    const SpragShape *shape = view->shape[role];
    int feature = view->feature[role];
    if (is_rim_place(view, role)) {
        const char *name = shape->vertex_names[feature / RIM_PLACES];
        if (feature % RIM_PLACES == 0)
            snprintf(text, capacity, "%s", name);
        else
            snprintf(text, capacity, "%s%d", name, feature % RIM_PLACES);
    } else if ((view->kind == SLOT3_RIM_RIM || view->kind == SLOT3_MOUTH_RIM) && role == 0) {
        snprintf(text, capacity, "%s", shape->vertex_names[feature]);
    } else {
        snprintf(text, capacity, "%s%c", shape->vertex_names[feature / 2], "xy"[feature % 2]);
    }
}

static void surface_name(const View3 *view, int role, size_t capacity, char *text)
{
    int feature = view->feature[role];
    bool patch =
        role == 1 && (view->kind == SLOT3_VERTEX_SURFACE || view->kind == SLOT3_RIM_SURFACE);
    bool peak = view->kind == SLOT3_PEAK_SOLID || view->kind == SLOT3_PEAK_ROUND ||
                view->kind == SLOT3_PEAK_CYLINDER;
    if (patch)
        snprintf(text, capacity, "t%d", feature);
    else if (peak)
        snprintf(text, capacity, "p%d", feature);
    else
        snprintf(text, capacity, "t%ds%d", feature / 3, feature % 3);
}

void special_feature_name(const View3 *view, int role, size_t capacity, char *text)
{
    const SpragShape *shape = view->shape[role];
    int feature = view->feature[role];
    text[0] = 0;
    if (feature < 0)
        return;
    if (shape->surface) {
        surface_name(view, role, capacity, text);
    } else if ((view->kind == SLOT3_VERTEX_INSIDE || view->kind == SLOT3_RIM_INSIDE) && role == 1) {
        if (shape->solid)
            snprintf(text, capacity, "f%d", feature);
    } else if (shape->kind == SPRAG_SHAPE_CYLINDER) {
        bool side = view->kind == SLOT3_MOUTH_SIDE && role == 1;
        if (!side)
            rim_name(view, role, capacity, text);
    } else if (role == 0 &&
               (view->kind == SLOT3_VERTEX_CYLINDER || view->kind == SLOT3_VERTEX_SURFACE ||
                view->kind == SLOT3_VERTEX_INSIDE)) {
        if (shape->kind != SPRAG_SHAPE_SPHERE)
            snprintf(text, capacity, "%s", shape->vertex_names[feature]);
    } else if (shape->solid) {
        const int *ends = &shape->solid->edge_vertices[2 * feature];
        snprintf(text, capacity, "%s%s", shape->vertex_names[ends[0]],
                 shape->vertex_names[ends[1]]);
    }
}

// ---- Boxes --------------------------------------------------------------------------------------

static void surface_bounds(const SpragSurface *surface, const SpragPose *pose, SpragVec3 *low,
                           SpragVec3 *high)
{
    Box box = box_empty();
    for (int i = 0; i < surface->vertex_count; i++)
        box_add(&box, pose_to_world(pose, surface->vertices[i]));
    *low = box.low;
    *high = box.high;
}

static void cylinder_bounds(const SpragShape *shape, const SpragPose *pose, SpragVec3 *low,
                            SpragVec3 *high)
{
    Cylinder cylinder = cylinder_place(shape, pose);
    double bounds[2][3];
    for (int axis = 0; axis < 3; axis++) {
        SpragVec3 n = sprag_vec3(axis == 0, axis == 1, axis == 2);
        bounds[0][axis] = cylinder_low(&cylinder, n);
        bounds[1][axis] = -cylinder_low(&cylinder, sprag_vec3_scale(-1, n));
    }
    *low = sprag_vec3_of(bounds[0]);
    *high = sprag_vec3_of(bounds[1]);
}

void shape_bounds(const SpragShape *shape, const SpragPose *pose, SpragVec3 *low, SpragVec3 *high)
{
    *low = sprag_vec3(-INFINITY, -INFINITY, -INFINITY);
    *high = sprag_vec3(INFINITY, INFINITY, INFINITY);
    bool open = shape->kind == SPRAG_SHAPE_CYLINDER;
    if (shape->kind == SPRAG_SHAPE_PLANE || (shape->inside && !open))
        return;
    if (shape->surface) {
        surface_bounds(shape->surface, pose, low, high);
    } else if (open) {
        cylinder_bounds(shape, pose, low, high);
    } else {
        Box box = box_empty();
        for (int i = 0; i < shape->vertex_count; i++)
            box_add(&box, pose_to_world(pose, shape->points[i]));
        box_grow(&box, shape->radius);
        *low = box.low;
        *high = box.high;
    }
}

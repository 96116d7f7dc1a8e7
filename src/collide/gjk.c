// gjk.c: distance of two convex shapes by GJK; supports of shapes.
// Problem   min |x_a − x_b| over two convex sets given by their supports.
// Method    the nearest point v to the origin of a simplex of the difference of the sets, renewed
//           with the support against v, until no support is nearer: |v|² − v·w bounds what is
//           still to gain, theory.md (13.23) [Gilbert1988, Sec. 4]. Spheres and capsules are
//           cores with radii. Everything is computed in the frame of the first body, relative to
//           it, so the distance from the world's origin does not cost digits.
// Simplex   all subsets are tried by their own projections and the nearest one is kept: slower than
//           Johnson's algorithm, but safe when points almost coincide or lie on a line.
// Overlap   when cores overlap, epa.c finds the depth.
#include <math.h>

#include "convex_private.h"

// What is left to gain, relative to |v|², at which a distance is done.
static const double GAIN = 1e-15;
// Bounds that agree to this part of the sizes are a proof.
static const double PROVEN = 4e-16;
// Distances below this part of the sizes turn the normal by rounding.
static const double BLURRED = 1e-4;
// The gain where features take over.
static const double ROUGH_GAIN = 1e-6;
// A distance below this part of the sizes is none.
static const double TOUCH = 1e-14;
// Spread of a triangle or segment relative to its sides below which it is degenerate.
static const double FLAT = 1e-14;
// Margin of the refinement of depths, relative to the sizes.
static const double MARGIN = 1e-3;
enum { GJK_STEPS = 200, REFINEMENTS = 30 };

// ---- Supports -----------------------------------------------------------------------------------

bool shape_is_convex(const SpragShape *shape)
{
    if (shape->inside || shape->surface)
        return false;
    switch (shape->kind) {
    case SPRAG_SHAPE_SPHERE:
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_BOX:
    case SPRAG_SHAPE_CYLINDER:
    case SPRAG_SHAPE_HULL:
    case SPRAG_SHAPE_MESH:
    case SPRAG_SHAPE_ROD:
    case SPRAG_SHAPE_POINTS:
        return shape->vertex_count > 0;
    default:
        return false;
    }
}

double shape_core_radius(const SpragShape *shape)
{
    bool round = shape->kind == SPRAG_SHAPE_SPHERE || shape->kind == SPRAG_SHAPE_CAPSULE;
    return round ? shape->radius : 0;
}

static SpragVec3 cylinder_support(const SpragShape *shape, SpragVec3 d, int *id)
{
    SpragVec3 a = shape->points[0], b = shape->points[1];
    SpragVec3 axis = sprag_vec3_unit(sprag_vec3_sub(b, a));
    double along = sprag_vec3_dot(d, axis);
    SpragVec3 across = sprag_vec3_along(d, -along, axis);
    // once more: what is left of a direction along the axis is rounding, and not across it
    across = sprag_vec3_along(across, -sprag_vec3_dot(across, axis), axis);
    double size = sprag_vec3_norm(across);
    *id = -1;
    SpragVec3 end = along > 0 ? b : a;
    bool level = size <= FLAT * fabs(along);
    return level ? end : sprag_vec3_along(end, shape->radius / size, across);
}

static SpragVec3 core_support(const SpragShape *shape, SpragVec3 d, int *id)
{
    if (shape->kind == SPRAG_SHAPE_CYLINDER)
        return cylinder_support(shape, d, id);
    double best = -INFINITY;
    for (int i = 0; i < shape->vertex_count; i++) {
        double height = sprag_vec3_dot(shape->points[i], d);
        if (height > best) {
            best = height;
            *id = i;
        }
    }
    return shape->points[*id];
}

SpragVec3 shape_support(const SpragShape *shape, const SpragPose *pose, SpragVec3 direction)
{
    int id = 0;
    SpragVec3 d = sprag_vec3_unit(direction);
    SpragVec3 p = core_support(shape, sprag_mat3_apply_back(&pose->R, d), &id);
    return sprag_vec3_along(pose_to_world(pose, p), shape_core_radius(shape), d);
}

SimplexPoint difference_support(const Difference *difference, SpragVec3 d)
{
    SimplexPoint point;
    point.a = core_support(difference->a, d, &point.id[0]);
    SpragVec3 back = sprag_mat3_apply_back(&difference->R, sprag_vec3_scale(-1, d));
    point.b = core_support(difference->b, back, &point.id[1]);
    point.b = sprag_vec3_add(difference->x, sprag_mat3_apply(&difference->R, point.b));
    point.w = sprag_vec3_sub(point.a, point.b);
    return point;
}

// ---- Nearest point of a simplex to the origin ---------------------------------------------------

static void near_point(const SimplexPoint *points, int i, Nearest3 *near)
{
    SpragVec3 v = points[i].w;
    double squared = sprag_vec3_dot(v, v);
    if (squared >= near->squared)
        return;
    *near = (Nearest3){.v = v, .squared = squared, .count = 1, .index = {i}, .weight = {1}};
}

static void near_segment(const SimplexPoint *points, int i, int j, Nearest3 *near)
{
    SpragVec3 a = points[i].w, e = sprag_vec3_sub(points[j].w, a);
    double ee = sprag_vec3_dot(e, e), t = -sprag_vec3_dot(a, e);
    if (!(t > 0) || !(t < ee))
        return;
    t /= ee;
    SpragVec3 v = sprag_vec3_along(a, t, e);
    // from the nearer end: less rounding
    if (t > 0.5)
        v = sprag_vec3_along(points[j].w, t - 1, e);
    double squared = sprag_vec3_dot(v, v);
    if (squared >= near->squared)
        return;
    *near =
        (Nearest3){.v = v, .squared = squared, .count = 2, .index = {i, j}, .weight = {1 - t, t}};
}

static void near_triangle(const SimplexPoint *points, int i, int j, int k, Nearest3 *near)
{
    SpragVec3 a = points[i].w, b = points[j].w, c = points[k].w;
    SpragVec3 e = sprag_vec3_sub(b, a), f = sprag_vec3_sub(c, a), n = sprag_vec3_cross(e, f);
    double nn = sprag_vec3_dot(n, n);
    if (!(nn > FLAT * FLAT * sprag_vec3_dot(e, e) * sprag_vec3_dot(f, f)))
        return;
    double wa = sprag_vec3_dot(n, sprag_vec3_cross(b, c));
    double wb = sprag_vec3_dot(n, sprag_vec3_cross(c, a));
    double wc = sprag_vec3_dot(n, sprag_vec3_cross(a, b));
    if (!(wa > 0) || !(wb > 0) || !(wc > 0))
        return;
    double sum = wa + wb + wc;
    SpragVec3 v = sprag_vec3_scale(sprag_vec3_dot(n, a) / nn, n);
    double squared = sprag_vec3_dot(v, v);
    if (squared >= near->squared)
        return;
    *near = (Nearest3){.v = v,
                       .squared = squared,
                       .count = 3,
                       .index = {i, j, k},
                       .weight = {wa / sum, wb / sum, wc / sum}};
}

static double volume(SpragVec3 a, SpragVec3 b, SpragVec3 c)
{
    return sprag_vec3_dot(a, sprag_vec3_cross(b, c));
}

// Whether the origin is inside a tetrahedron.
static bool holds_origin(const SimplexPoint *p)
{
    double v[4] = {volume(p[1].w, p[2].w, p[3].w), -volume(p[0].w, p[2].w, p[3].w),
                   volume(p[0].w, p[1].w, p[3].w), -volume(p[0].w, p[1].w, p[2].w)};
    bool plus = v[0] > 0 && v[1] > 0 && v[2] > 0 && v[3] > 0;
    bool minus = v[0] < 0 && v[1] < 0 && v[2] < 0 && v[3] < 0;
    return plus || minus;
}

// Subsets that contain the last point are enough: the others have been looked at before; but
// rounding may have hidden one, so all are tried.
static Nearest3 simplex_nearest(const SimplexPoint *points, int count)
{
    Nearest3 near = {.squared = INFINITY};
    if (count == 4 && holds_origin(points)) {
        near.squared = 0;
        near.count = 4;
        return near;
    }
    for (int i = 0; i < count; i++)
        near_point(points, i, &near);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            near_segment(points, i, j, &near);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j + 1; k < count; k++)
                near_triangle(points, i, j, k, &near);
    return near;
}

// ---- The iteration ------------------------------------------------------------------------------

static void keep_nearest(const Nearest3 *near, Simplex *simplex)
{
    SimplexPoint kept[4];
    for (int i = 0; i < near->count; i++) {
        kept[i] = simplex->point[near->index[i]];
        simplex->weight[i] = near->weight[i];
    }
    simplex->count = near->count;
    for (int i = 0; i < near->count; i++)
        simplex->point[i] = kept[i];
}

static bool has_point(const Simplex *simplex, SpragVec3 w)
{
    for (int i = 0; i < simplex->count; i++) {
        SpragVec3 p = simplex->point[i].w;
        if (p.x == w.x && p.y == w.y && p.z == w.z)
            return true;
    }
    return false;
}

static void begin(const Difference *difference, Simplex *simplex)
{
    SpragVec3 guess = difference->x;
    if (sprag_vec3_norm(guess) == 0)
        guess = sprag_vec3(1, 0, 0);
    simplex->count = 1;
    simplex->weight[0] = 1;
    simplex->steps = 0;
    simplex->point[0] = difference_support(difference, guess);
    simplex->v = simplex->point[0].w;
}

bool gjk_run(const Difference *difference, double enough, bool warm, Simplex *simplex)
{
    if (!warm)
        begin(difference, simplex);
    double squared = sprag_vec3_dot(simplex->v, simplex->v);
    double touch = TOUCH * difference->size;
    for (int step = 0; step < GJK_STEPS; step++) {
        simplex->steps++;
        if (squared <= touch * touch)
            return false;
        SpragVec3 v = simplex->v;
        SimplexPoint next = difference_support(difference, sprag_vec3_scale(-1, v));
        double gain = squared - sprag_vec3_dot(v, next.w);
        if (gain <= enough * squared || has_point(simplex, next.w))
            return true;
        Simplex larger = *simplex;
        larger.point[larger.count++] = next;
        Nearest3 near = simplex_nearest(larger.point, larger.count);
        if (near.count == 4) {
            *simplex = larger;
            return false;
        }
        if (near.squared >= squared) // nothing but rounding is left to gain
            return true;
        keep_nearest(&near, &larger);
        larger.v = near.v;
        *simplex = larger;
        squared = near.squared;
    }
    return true;
}

// ---- Distance -----------------------------------------------------------------------------------

static double shape_spread(const SpragShape *shape)
{
    double spread = 0;
    for (int i = 0; i < shape->vertex_count; i++)
        spread = fmax(spread, sprag_vec3_norm(sprag_vec3_sub(shape->points[i], shape->points[0])));
    return spread + shape->radius;
}

static Difference difference_of(const SpragShape *a, const SpragPose *pose_a, const SpragShape *b,
                                const SpragPose *pose_b)
{
    Difference difference = {.a = a, .b = b};
    for (int column = 0; column < 3; column++) {
        SpragVec3 e = sprag_mat3_apply_back(&pose_a->R, sprag_mat3_column(&pose_b->R, column));
        difference.R.m[column] = e.x;
        difference.R.m[3 + column] = e.y;
        difference.R.m[6 + column] = e.z;
    }
    difference.x = pose_to_local(pose_a, pose_b->x);
    difference.size = shape_spread(a) + shape_spread(b);
    return difference;
}

static void set_features(const Simplex *simplex, ConvexDistance *result)
{
    result->iterations = simplex->steps;
    result->count = simplex->count;
    for (int i = 0; i < simplex->count && i < 3; i++) {
        result->vertex[0][i] = simplex->point[i].id[0];
        result->vertex[1][i] = simplex->point[i].id[1];
    }
}

// Places p, q of the cores at a (signed) distance along n, all in the frame of a.
static void set_places(const SpragPose *pose, const Difference *difference, SpragVec3 p,
                       SpragVec3 q, SpragVec3 n, double distance, ConvexDistance *result)
{
    double ra = shape_core_radius(difference->a), rb = shape_core_radius(difference->b);
    result->distance = distance - ra - rb;
    result->normal = sprag_mat3_apply(&pose->R, n);
    result->point[0] = pose_to_world(pose, sprag_vec3_along(p, -ra, n));
    result->point[1] = pose_to_world(pose, sprag_vec3_along(q, rb, n));
}

static void set_result(const SpragPose *pose, const Difference *difference, const Simplex *simplex,
                       SpragVec3 n, double distance, ConvexDistance *result)
{
    SpragVec3 p = {0, 0, 0}, q = {0, 0, 0};
    for (int i = 0; i < simplex->count; i++) {
        p = sprag_vec3_along(p, simplex->weight[i], simplex->point[i].a);
        q = sprag_vec3_along(q, simplex->weight[i], simplex->point[i].b);
    }
    set_places(pose, difference, p, q, n, distance, result);
    set_features(simplex, result);
}

// Nearest places of two shapes that are apart; without radii.
typedef struct Apart {
    SpragVec3 n;
    double distance;
    SpragSpaceGap exact; // from features, if `polished`
    bool polished;
} Apart;

static bool is_curved(const Difference *difference)
{
    return difference->a->kind == SPRAG_SHAPE_CYLINDER ||
           difference->b->kind == SPRAG_SHAPE_CYLINDER;
}

// Whether the support along v agrees with |v|, theory.md (13.23).
static bool is_proven(const Difference *difference, const Simplex *simplex)
{
    double distance = sprag_vec3_norm(simplex->v);
    SimplexPoint low = difference_support(difference, sprag_vec3_scale(-1, simplex->v));
    double bound = sprag_vec3_dot(simplex->v, low.w) / distance;
    return distance - bound <= PROVEN * (difference->size + distance);
}

// A rough answer is enough to find the features of a cylinder; else the simplex goes on.
static bool find_apart(const Difference *difference, Simplex *simplex, Apart *apart)
{
    bool curved = is_curved(difference);
    *apart = (Apart){.polished = false};
    if (!gjk_run(difference, curved ? ROUGH_GAIN : GAIN, false, simplex))
        return false;
    if (curved && !is_proven(difference, simplex)) {
        apart->polished = convex_polish(difference, simplex, &apart->exact);
        if (!apart->polished && !gjk_run(difference, GAIN, true, simplex))
            return false;
        if (!apart->polished)
            apart->polished = convex_polish(difference, simplex, &apart->exact);
    }
    apart->distance = apart->polished ? apart->exact.gap : sprag_vec3_norm(simplex->v);
    apart->n =
        apart->polished ? apart->exact.normal : sprag_vec3_scale(1 / apart->distance, simplex->v);
    return apart->distance > 0;
}

// A better direction for the depth of curved shapes, whose polytope ends in slivers: b is moved
// back along n until they are apart by a margin; the normal of that distance parts them with less
// motion. The error of n shrinks by the margin over the distance of the curved parts each time.
static double refine_depth(const Difference *difference, double depth, Simplex *simplex,
                           SpragVec3 *n)
{
    double margin = MARGIN * difference->size;
    for (int step = 0; step < REFINEMENTS; step++) {
        Difference moved = *difference;
        Simplex other;
        Apart apart;
        SpragVec3 shift = sprag_vec3_scale(depth + margin, *n);
        moved.x = sprag_vec3_sub(moved.x, shift);
        if (!find_apart(&moved, &other, &apart))
            break;
        // by the supports along the new normal: a bound that holds whatever led to it
        SimplexPoint low = difference_support(difference, sprag_vec3_scale(-1, apart.n));
        double less = -sprag_vec3_dot(apart.n, low.w);
        if (!(less < depth))
            break;
        for (int i = 0; i < other.count; i++)
            other.point[i].b = sprag_vec3_add(other.point[i].b, shift);
        other.steps += simplex->steps;
        *simplex = other;
        *n = apart.n;
        bool done = depth - less <= PROVEN * difference->size;
        depth = less;
        if (done)
            break;
    }
    return depth;
}

// The same from another direction, whose overlap is as deep as its supports say.
static double refine_from(const Difference *difference, SpragVec3 start, double depth,
                          Simplex *simplex, SpragVec3 *n)
{
    if (!(sprag_vec3_norm(start) > 0))
        return depth;
    Simplex other = *simplex;
    SpragVec3 way = sprag_vec3_unit(start);
    SimplexPoint low = difference_support(difference, sprag_vec3_scale(-1, way));
    double found = refine_depth(difference, -sprag_vec3_dot(way, low.w), &other, &way);
    if (!(found < depth))
        return depth;
    *simplex = other;
    *n = way;
    return found;
}

bool convex_distance(const SpragShape *a, const SpragPose *pose_a, const SpragShape *b,
                     const SpragPose *pose_b, ConvexDistance *result)
{
    if (!shape_is_convex(a) || !shape_is_convex(b))
        return false;
    Difference difference = difference_of(a, pose_a, b, pose_b);
    Simplex simplex;
    Apart apart;
    bool is_apart = find_apart(&difference, &simplex, &apart);
    // too near for a normal, and no features that tell: as if they touched
    bool blurred = is_apart && is_curved(&difference) && !apart.polished &&
                   apart.distance < BLURRED * difference.size;
    if (is_apart && !blurred) {
        if (apart.polished) {
            set_places(pose_a, &difference, apart.exact.point[0], apart.exact.point[1], apart.n,
                       apart.distance, result);
            set_features(&simplex, result);
        } else {
            set_result(pose_a, &difference, &simplex, apart.n, apart.distance, result);
        }
        return true;
    }
    SpragVec3 n, rough = simplex.v;
    double depth = epa_run(&difference, &simplex, &n);
    if (is_curved(&difference)) {
        depth = refine_depth(&difference, depth, &simplex, &n);
        depth = refine_from(&difference, rough, depth, &simplex, &n);
        depth = refine_from(&difference, sprag_vec3_scale(-1, difference.x), depth, &simplex, &n);
    }
    set_result(pose_a, &difference, &simplex, n, -depth, result);
    return true;
}

// surface_patch.c: whether a place meets the plane of a patch of a surface.
// One-sided the solid lies behind the triangles. What is behind a patch overlaps it only if it is
//           behind the nearest part of the surface too, and not much farther than that.
// Valleys   what is below a valley, where nothing projects onto either of its patches, is behind
//           both: a corner that has sunk in beside the valley passes there, and would fall through
// Open      a surface with a border has no other side: what falls off it and turns in under it is
//           free. Behind it is what has come through: the way from a vertex to the middle of its
//           body leads through the surface, or the body is behind it by less than it is long.
#include <math.h>

#include "surface_private.h"

// Behind the surface, parts up to this many times farther than the nearest one still overlap.
static const double BEHIND_FACTOR = 3;
// The way out of an open surface leads through it, or past it by up to this part of the depth.
static const double PAST = 0.5;
// A foot that is off the projection by less than this part of the height is the projection.
static const double SAME_FOOT = 1e-9;

// Whether p, at `height` over the plane of the patch, lies over the patch itself.
static bool patch_covers(const SurfaceTree *tree, int patch, SpragVec3 p, double height,
                         double zone)
{
    SpragVec3 n = tree->surface->normals[patch], foot = sprag_vec3_along(p, -height, n);
    double slack = zone + SAME_FOOT * fabs(height);
    return surface_nearest(tree, foot, patch, slack).triangle >= 0;
}

// Whether what is behind a patch by `depth` at p overlaps it.
static bool overlaps_behind(const SurfaceTree *tree, SpragVec3 p, double depth)
{
    SurfaceNearest nearest = surface_nearest(tree, p, -1, 2 * depth);
    if (nearest.triangle < 0)
        return false;
    SpragVec3 n = tree->surface->normals[nearest.triangle];
    bool behind = sprag_vec3_dot(n, sprag_vec3_sub(p, nearest.point)) <= 0;
    return behind && depth <= BEHIND_FACTOR * sqrt(nearest.squared);
}

// Whether the place of a patch that is nearest to p lies in a valley.
static bool in_valley(const SurfaceTree *tree, const SurfaceNearest *near)
{
    if (near->feature == 0)
        return false;
    if (near->feature <= 3)
        return surface_side(tree, near->triangle, near->feature - 1) == SIDE_VALLEY;
    int corner = near->feature - 4;
    SideKind one = surface_side(tree, near->triangle, corner);
    SideKind other = surface_side(tree, near->triangle, (corner + 2) % 3);
    // of a corner inside of its patch only triangles beside this one have the valleys
    return one == SIDE_VALLEY || other == SIDE_VALLEY || (one == SIDE_FLAT && other == SIDE_FLAT);
}

// Whether p, behind the plane of the patch but not over the patch, is below a valley of it.
static bool is_below_valley(const SurfaceTree *tree, int patch, SpragVec3 p)
{
    SurfaceNearest nearest = surface_nearest(tree, p, -1, INFINITY);
    double reach = BEHIND_FACTOR * sqrt(nearest.squared);
    SurfaceNearest near = surface_nearest(tree, p, patch, reach);
    return near.triangle >= 0 && in_valley(tree, &near);
}

static double patch_height(const SurfaceTree *tree, int patch, SpragVec3 p)
{
    SpragVec3 from = surface_corner(tree, patch, 0);
    return sprag_vec3_dot(tree->surface->normals[patch], sprag_vec3_sub(p, from));
}

// Middle of a shape's points (world) and its largest distance from it; points and tips touch alone,
// each is its own middle.
static SpragVec3 middle_of(const View3 *view, SpragVec3 p, double *reach)
{
    const SpragShape *shape = view->shape[0];
    SpragVec3 sum = {0, 0, 0};
    for (int i = 0; i < shape->vertex_count; i++)
        sum = sprag_vec3_add(sum, shape->points[i]);
    SpragVec3 middle = sprag_vec3_scale(1.0 / shape->vertex_count, sum);
    *reach = 0;
    for (int i = 0; i < shape->vertex_count; i++)
        *reach = fmax(*reach, sprag_vec3_norm(sprag_vec3_sub(shape->points[i], middle)));
    *reach += shape->radius;
    bool alone = shape->kind == SPRAG_SHAPE_ROD || shape->kind == SPRAG_SHAPE_POINTS;
    return alone ? p : pose_to_local(view->pose[1], pose_to_world(view->pose[0], middle));
}

// A way from behind the surface to the front.
typedef struct Passage {
    const SurfaceTree *tree;
    SpragVec3 from, to;
    double zone;
    bool found;
} Passage;

static SpragStatus try_passage(void *user, int triangle)
{
    Passage *self = user;
    double from = patch_height(self->tree, triangle, self->from);
    double to = patch_height(self->tree, triangle, self->to);
    if (self->found || from > 0 || to <= 0)
        return SPRAG_OK;
    int feature;
    SpragVec3 corner[3], way = sprag_vec3_sub(self->to, self->from);
    SpragVec3 p = sprag_vec3_along(self->from, from / (from - to), way);
    for (int i = 0; i < 3; i++)
        corner[i] = surface_corner(self->tree, triangle, i);
    SpragVec3 off = sprag_vec3_sub(p, point_triangle(p, corner, &feature));
    self->found = sprag_vec3_norm(off) <= self->zone;
    return SPRAG_OK;
}

// Whether the way leads out through some triangle, which need not be of the patch: that of a flat
// body over a ridge does so on the other side of the ridge.
static bool leads_through(const View3 *view, SpragVec3 from, SpragVec3 to)
{
    Passage passage = {view->tree[1], from, to, view->zone, false};
    SpragVec3 low = sprag_vec3(fmin(from.x, to.x), fmin(from.y, to.y), fmin(from.z, to.z));
    SpragVec3 high = sprag_vec3(fmax(from.x, to.x), fmax(from.y, to.y), fmax(from.z, to.z));
    SpragVec3 grown = sprag_vec3(view->zone, view->zone, view->zone);
    SpragStatus status = surface_visit(view->tree[1], sprag_vec3_sub(low, grown),
                                       sprag_vec3_add(high, grown), try_passage, &passage);
    (void)status; // the visitor never fails
    return passage.found;
}

// Whether what is behind a patch of an open surface at p has come there through it.
static bool came_through(const View3 *view, int patch, SpragVec3 p, double depth)
{
    const SurfaceTree *tree = view->tree[1];
    double reach;
    SpragVec3 middle = middle_of(view, p, &reach), through;
    double height = patch_height(tree, patch, middle);
    if (height > 0)
        through = sprag_vec3_along(p, depth / (depth + height), sprag_vec3_sub(middle, p));
    else if (depth <= 2 * reach)
        through = sprag_vec3_along(middle, -height, tree->surface->normals[patch]);
    else
        return false;
    return surface_nearest(tree, through, -1, view->zone + PAST * depth).triangle >= 0 ||
           leads_through(view, p, middle);
}

bool surface_over_patch(const View3 *view, SpragVec3 p)
{
    const SurfaceTree *tree = view->tree[1];
    int patch = view->feature[1];
    double height = patch_height(tree, patch, p);
    bool covers = patch_covers(tree, patch, p, height, view->zone);
    if (height >= -view->zone)
        return covers;
    if (!covers && !is_below_valley(tree, patch, p))
        return false;
    return overlaps_behind(tree, p, -height) &&
           (!tree->open || came_through(view, patch, p, -height));
}

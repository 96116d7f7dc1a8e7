// surface_tree.c: boxes over the triangles of a surface; its patches and ridges.
// Tree      halves by the median of the triangles' centres along the longest side; a few triangles
//           a leaf. Depth is the logarithm of the count, so walks need a small fixed stack.
// Patch     connected triangles in one plane: what rolls over them sees one plane. It is called by
//           its first triangle.
// Ridge     a side where the surface bends away (or ends); valleys and flat sides are none.
#include <math.h>
#include <string.h>

#include "surface_private.h"

enum { LEAF = 4, STACK = 64 };
// Sine of the angle of a side that counts as flat.
static const double STRAIGHT = 1e-9;

SpragVec3 surface_corner(const SurfaceTree *tree, int triangle, int corner)
{
    const SpragSurface *surface = tree->surface;
    return surface->vertices[surface->triangles[3 * triangle + corner % 3]];
}

SpragVec3 surface_vertex(const SurfaceTree *tree, int vertex)
{
    return tree->surface->vertices[vertex];
}

// ---- Building -----------------------------------------------------------------------------------

static double part(SpragVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double centre_along(const SurfaceTree *tree, int triangle, int axis)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += part(surface_corner(tree, triangle, i), axis);
    return sum;
}

static void grow_box(SurfaceNode *node, SpragVec3 p)
{
    node->low = sprag_vec3(fmin(node->low.x, p.x), fmin(node->low.y, p.y), fmin(node->low.z, p.z));
    node->high =
        sprag_vec3(fmax(node->high.x, p.x), fmax(node->high.y, p.y), fmax(node->high.z, p.z));
}

static void set_box(const SurfaceTree *tree, SurfaceNode *node)
{
    node->low = sprag_vec3(INFINITY, INFINITY, INFINITY);
    node->high = sprag_vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = node->first; i < node->first + node->count; i++)
        for (int k = 0; k < 3; k++)
            grow_box(node, surface_corner(tree, tree->order[i], k));
}

// Puts the triangle of rank `middle` in its place, smaller ones before it; ties by number.
static void select_middle(SurfaceTree *tree, int first, int last, int middle, int axis)
{
    int *order = tree->order;
    while (first < last) {
        int pivot = order[(first + last) / 2], i = first, j = last;
        double value = centre_along(tree, pivot, axis);
        while (i <= j) {
            for (;; i++) {
                double at = centre_along(tree, order[i], axis);
                if (!(at < value || (at == value && order[i] < pivot)))
                    break;
            }
            for (;; j--) {
                double at = centre_along(tree, order[j], axis);
                if (!(at > value || (at == value && order[j] > pivot)))
                    break;
            }
            if (i > j)
                break;
            int swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (middle <= j)
            last = j;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static int longest_axis(const SurfaceNode *node)
{
    SpragVec3 d = sprag_vec3_sub(node->high, node->low);
    if (d.x >= d.y && d.x >= d.z)
        return 0;
    return d.y >= d.z ? 1 : 2;
}

static void build_nodes(SurfaceTree *tree)
{
    int count = tree->surface->triangle_count;
    for (int i = 0; i < count; i++)
        tree->order[i] = i;
    tree->nodes[0] = (SurfaceNode){.first = 0, .count = count};
    tree->node_count = 1;
    // nodes are split in the order they were made: children come after their parents
    for (int i = 0; i < tree->node_count; i++) {
        SurfaceNode *node = &tree->nodes[i];
        set_box(tree, node);
        if (node->count <= LEAF)
            continue;
        int middle = node->first + node->count / 2;
        select_middle(tree, node->first, node->first + node->count - 1, middle, longest_axis(node));
        node->child = tree->node_count;
        tree->nodes[tree->node_count++] =
            (SurfaceNode){.first = node->first, .count = middle - node->first};
        tree->nodes[tree->node_count++] =
            (SurfaceNode){.first = middle, .count = node->first + node->count - middle};
    }
}

// ---- Patches and ridges -------------------------------------------------------------------------

SideKind surface_side(const SurfaceTree *tree, int triangle, int side)
{
    const SpragSurface *surface = tree->surface;
    int other = surface->neighbours[3 * triangle + side];
    if (other < 0)
        return SIDE_BORDER;
    SpragVec3 n = surface->normals[triangle], m = surface->normals[other];
    SpragVec3 along = sprag_vec3_sub(surface_corner(tree, triangle, side + 1),
                                     surface_corner(tree, triangle, side));
    SpragVec3 turn = sprag_vec3_cross(n, m);
    if (sprag_vec3_norm(turn) < STRAIGHT && sprag_vec3_dot(n, m) > 0)
        return SIDE_FLAT;
    return sprag_vec3_dot(turn, along) > 0 ? SIDE_RIDGE : SIDE_VALLEY;
}

// Spreads a patch over flat sides; `pending` is scratch for triangle numbers.
static void fill_patch(SurfaceTree *tree, int first, int *pending)
{
    const SpragSurface *surface = tree->surface;
    int count = 1;
    pending[0] = first;
    tree->patch[first] = first;
    while (count > 0) {
        int triangle = pending[--count];
        for (int side = 0; side < 3; side++) {
            int other = surface->neighbours[3 * triangle + side];
            if (other < 0 || tree->patch[other] >= 0)
                continue;
            SpragVec3 turn = sprag_vec3_cross(surface->normals[first], surface->normals[other]);
            if (surface_side(tree, triangle, side) != SIDE_FLAT ||
                sprag_vec3_norm(turn) >= STRAIGHT)
                continue;
            tree->patch[other] = first;
            pending[count++] = other;
        }
    }
}

SpragStatus surface_tree_create(SpragContext *context, const SpragSurface *surface,
                                SurfaceTree **tree)
{
    size_t triangles = (size_t)surface->triangle_count, vertices = (size_t)surface->vertex_count;
    *tree = NULL;
    SurfaceTree *made = sprag_alloc(context, 1, sizeof *made);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    made->surface = surface;
    made->order = sprag_alloc(context, triangles, sizeof *made->order);
    made->patch = sprag_alloc(context, triangles, sizeof *made->patch);
    made->nodes = sprag_alloc(context, 2 * triangles, sizeof *made->nodes);
    made->vertices = sprag_alloc(context, vertices, sizeof *made->vertices);
    if (!made->order || !made->patch || !made->nodes || !made->vertices) {
        surface_tree_destroy(context, made);
        return SPRAG_ERROR_MEMORY;
    }
    for (size_t i = 0; i < triangles; i++)
        made->patch[i] = -1;
    // the order of the tree is made after this: until then it is scratch
    for (int i = 0; i < surface->triangle_count; i++)
        if (made->patch[i] < 0)
            fill_patch(made, i, made->order);
    SpragStatus status = surface_mark_peaks(context, made);
    if (status != SPRAG_OK) {
        surface_tree_destroy(context, made);
        return status;
    }
    for (int i = 0; i < 3 * surface->triangle_count; i++)
        made->open |= surface->neighbours[i] < 0;
    build_nodes(made);
    *tree = made;
    return SPRAG_OK;
}

void surface_tree_destroy(SpragContext *context, SurfaceTree *tree)
{
    if (!tree)
        return;
    sprag_free(context, tree->order);
    sprag_free(context, tree->patch);
    sprag_free(context, tree->nodes);
    sprag_free(context, tree->vertices);
    sprag_free(context, tree);
}

int surface_ridge(const SurfaceTree *tree, int triangle, int side)
{
    const SpragSurface *surface = tree->surface;
    int other = surface->neighbours[3 * triangle + side];
    if (other < 0 || triangle < other)
        return 3 * triangle + side;
    int end = surface->triangles[3 * triangle + (side + 1) % 3];
    for (int k = 0; k < 3; k++)
        if (surface->triangles[3 * other + k] == end &&
            surface->neighbours[3 * other + k] == triangle)
            return 3 * other + k;
    return 3 * triangle + side;
}

int ridge_faces(const SurfaceTree *tree, int ridge, SpragVec3 ends[2], SpragVec3 normals[2])
{
    int triangle = ridge / 3, side = ridge % 3, other = tree->surface->neighbours[ridge];
    ends[0] = surface_corner(tree, triangle, side);
    ends[1] = surface_corner(tree, triangle, side + 1);
    normals[0] = tree->surface->normals[triangle];
    if (other < 0)
        return 1;
    normals[1] = tree->surface->normals[other];
    return 2;
}

// ---- Walks --------------------------------------------------------------------------------------

static bool overlap(const SurfaceNode *node, SpragVec3 low, SpragVec3 high)
{
    return node->low.x <= high.x && low.x <= node->high.x && node->low.y <= high.y &&
           low.y <= node->high.y && node->low.z <= high.z && low.z <= node->high.z;
}

SpragStatus surface_visit(const SurfaceTree *tree, SpragVec3 low, SpragVec3 high,
                          SurfaceVisitor visitor, void *user)
{
    int stack[STACK], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const SurfaceNode *node = &tree->nodes[stack[--count]];
        if (!overlap(node, low, high))
            continue;
        if (node->child > 0) {
            stack[count++] = node->child + 1;
            stack[count++] = node->child;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++)
            SPRAG_TRY(visitor(user, tree->order[i]));
    }
    return SPRAG_OK;
}

static double beyond(double at, double low, double high)
{
    return at < low ? low - at : at > high ? at - high : 0;
}

static double box_squared(const SurfaceNode *node, SpragVec3 p)
{
    double x = beyond(p.x, node->low.x, node->high.x), y = beyond(p.y, node->low.y, node->high.y);
    double z = beyond(p.z, node->low.z, node->high.z);
    return x * x + y * y + z * z;
}

static void try_triangle(const SurfaceTree *tree, int triangle, SpragVec3 p, SurfaceNearest *best)
{
    int feature;
    SpragVec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = surface_corner(tree, triangle, i);
    SpragVec3 q = point_triangle(p, corner, &feature), d = sprag_vec3_sub(p, q);
    double squared = sprag_vec3_dot(d, d);
    if (squared < best->squared)
        *best = (SurfaceNearest){triangle, feature, q, squared};
}

SurfaceNearest surface_nearest(const SurfaceTree *tree, SpragVec3 p, int patch, double reach)
{
    SurfaceNearest best = {.triangle = -1, .squared = reach * reach};
    int stack[STACK], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const SurfaceNode *node = &tree->nodes[stack[--count]];
        if (box_squared(node, p) >= best.squared)
            continue;
        for (int i = node->first; node->child == 0 && i < node->first + node->count; i++)
            if (patch < 0 || tree->patch[tree->order[i]] == patch)
                try_triangle(tree, tree->order[i], p, &best);
        if (node->child == 0)
            continue;
        // the nearer child first: it is on top of the stack
        int first = node->child, second = node->child + 1;
        if (box_squared(&tree->nodes[second], p) < box_squared(&tree->nodes[first], p)) {
            first = node->child + 1;
            second = node->child;
        }
        stack[count++] = second;
        stack[count++] = first;
    }
    return best;
}

// solid_faces.c: from the triangles of a convex hull to faces, corners and edges.
// Method    from the largest triangle on, each that has no face yet takes in its neighbours as long
//           as all their vertices are within the flatness of its own plane. What bounds a face is a
//           loop of sides. A vertex where three faces or more meet is a corner; others lie within
//           a face or along an edge, and are left out.
// Assumes   a closed convex surface. If rounding makes a face that is no disc, the flatness is made
//           smaller, down to where triangles stay by themselves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solid_private.h"

typedef struct Faces {
    SpragContext *context;
    int count, triangle_count;
    const SpragVec3 *points;
    const int *triangles;
    double size;
    int *across; // three a triangle
    int *face;   // of each triangle; −1: none yet
    int *order;  // triangles, the largest first
    int *stack;
    int *loops;    // vertices of the faces, one after the other
    int *first;    // where each begins; face_count + 1
    int *faces_at; // number of faces that meet at a vertex
    int *number;   // of a vertex among the corners; −1: none
    double *area;  // twice
    SpragVec3 *normal;
    int face_count, corner_count;
} Faces;

typedef struct Ranked {
    double area;
    int triangle;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *p = a, *q = b;
    if (p->area != q->area)
        return p->area > q->area ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static SpragStatus rank_triangles(Faces *faces)
{
    size_t count = (size_t)faces->triangle_count;
    Ranked *ranked = sprag_alloc(faces->context, count, sizeof *ranked);
    if (!ranked)
        return SPRAG_ERROR_MEMORY;
    for (int t = 0; t < faces->triangle_count; t++) {
        SpragVec3 a = faces->points[faces->triangles[3 * t]];
        SpragVec3 b = faces->points[faces->triangles[3 * t + 1]];
        SpragVec3 c = faces->points[faces->triangles[3 * t + 2]];
        SpragVec3 twice = sprag_vec3_cross(sprag_vec3_sub(b, a), sprag_vec3_sub(c, a));
        faces->area[t] = sprag_vec3_norm(twice);
        faces->normal[t] = sprag_vec3_unit(twice);
        ranked[t] = (Ranked){faces->area[t], t};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (int t = 0; t < faces->triangle_count; t++)
        faces->order[t] = ranked[t].triangle;
    sprag_free(faces->context, ranked);
    return SPRAG_OK;
}

// Whether a triangle belongs to the face that grew from the triangle `seed`.
static bool is_level(const Faces *faces, int seed, int triangle, double near)
{
    const double steep = 0.5; // cosine: neighbours in one plane have 1, walls of a plate 0
    SpragVec3 normal = faces->normal[seed], origin = faces->points[faces->triangles[3 * seed]];
    for (int i = 0; i < 3; i++) {
        SpragVec3 p = faces->points[faces->triangles[3 * triangle + i]];
        if (fabs(sprag_vec3_dot(normal, sprag_vec3_sub(p, origin))) > near)
            return false;
    }
    // a sliver has no normal worth the name
    bool sliver = faces->area[triangle] <= 4 * near * faces->size;
    return sliver || sprag_vec3_dot(normal, faces->normal[triangle]) > steep;
}

static void grow_faces(Faces *faces, double near)
{
    faces->face_count = 0;
    for (int t = 0; t < faces->triangle_count; t++)
        faces->face[t] = -1;
    for (int k = 0; k < faces->triangle_count; k++) {
        int seed = faces->order[k], depth = 0;
        if (faces->face[seed] >= 0)
            continue;
        faces->face[seed] = faces->face_count;
        faces->stack[depth++] = seed;
        while (depth > 0) {
            int t = faces->stack[--depth];
            for (int i = 0; i < 3; i++) {
                int other = faces->across[3 * t + i] / 3;
                if (faces->face[other] >= 0 || !is_level(faces, seed, other, near))
                    continue;
                faces->face[other] = faces->face_count;
                faces->stack[depth++] = other;
            }
        }
        faces->face_count++;
    }
}

static bool is_border(const Faces *faces, int side)
{
    return faces->face[side / 3] != faces->face[faces->across[side] / 3];
}

// The side of the same face's border that goes on where `side` ends.
static int next_border(const Faces *faces, int side)
{
    int next = side_next(side);
    // at most once around a vertex: every triangle there is met once
    for (int guard = 0; guard < 3 * faces->triangle_count && !is_border(faces, next); guard++)
        next = side_next(faces->across[next]);
    return next;
}

static void count_corners(Faces *faces)
{
    memset(faces->faces_at, 0, (size_t)faces->count * sizeof *faces->faces_at);
    for (int side = 0; side < 3 * faces->triangle_count; side++)
        if (is_border(faces, side))
            faces->faces_at[faces->triangles[side]]++;
    faces->corner_count = 0;
    for (int i = 0; i < faces->count; i++)
        faces->number[i] = faces->faces_at[i] >= 3 ? faces->corner_count++ : -1;
}

// The loop of the face that has this border side; *length: its corners, *sides: its sides.
static void walk_loop(Faces *faces, int start, int *at, int *sides)
{
    int side = start;
    *sides = 0;
    do {
        int corner = faces->number[faces->triangles[side]];
        if (corner >= 0)
            faces->loops[(*at)++] = corner;
        ++*sides;
        side = next_border(faces, side);
    } while (side != start && *sides <= 3 * faces->triangle_count);
}

// One loop a face, of three corners at least; false: a face is no disc.
static bool collect_loops(Faces *faces)
{
    int border = 0, walked = 0, at = 0;
    for (int side = 0; side < 3 * faces->triangle_count; side++)
        border += is_border(faces, side);
    int *start = faces->stack; // a border side of each face
    for (int f = 0; f < faces->face_count; f++)
        start[f] = -1;
    for (int side = 3 * faces->triangle_count; side-- > 0;)
        if (is_border(faces, side))
            start[faces->face[side / 3]] = side;
    for (int f = 0; f < faces->face_count; f++) {
        int sides;
        faces->first[f] = at;
        if (start[f] < 0)
            return false;
        walk_loop(faces, start[f], &at, &sides);
        walked += sides;
        if (at - faces->first[f] < 3 || walked > border)
            return false;
    }
    faces->first[faces->face_count] = at;
    return walked == border && faces->face_count >= 4;
}

// ---- The solid ----------------------------------------------------------------------------------

// A face, to be put in the order of its corners, so that the order of faces does not depend on
// their sizes.
typedef struct Loop {
    const int *corners;
    int length;
} Loop;

static int compare_loops(const void *a, const void *b)
{
    const Loop *p = a, *q = b;
    for (int i = 0; i < p->length && i < q->length; i++)
        if (p->corners[i] != q->corners[i])
            return p->corners[i] < q->corners[i] ? -1 : 1;
    return p->length < q->length ? -1 : p->length > q->length;
}

// Begins the loop at its first corner.
static void rotate_loop(int *loop, int length, int *spare)
{
    int least = 0;
    for (int i = 1; i < length; i++)
        if (loop[i] < loop[least])
            least = i;
    for (int i = 0; i < length; i++)
        spare[i] = loop[(i + least) % length];
    memcpy(loop, spare, (size_t)length * sizeof *loop);
}

static void put_loops(const Faces *faces, Loop *loops, SpragSolid *solid)
{
    int at = 0;
    for (int f = 0; f < faces->face_count; f++) {
        int *loop = faces->loops + faces->first[f];
        int length = faces->first[f + 1] - faces->first[f];
        rotate_loop(loop, length, solid->face_vertices); // as scratch
        loops[f] = (Loop){loop, length};
    }
    qsort(loops, (size_t)faces->face_count, sizeof *loops, compare_loops);
    for (int f = 0; f < faces->face_count; f++) {
        solid->face_first[f] = at;
        memcpy(solid->face_vertices + at, loops[f].corners, (size_t)loops[f].length * sizeof(int));
        at += loops[f].length;
    }
    solid->face_first[faces->face_count] = at;
}

// Newell's normal: twice the vector area of the loop, relative to its first corner.
static void put_planes(SpragSolid *solid)
{
    for (int f = 0; f < solid->face_count; f++) {
        const int *loop = solid->face_vertices + solid->face_first[f];
        int n = solid->face_first[f + 1] - solid->face_first[f];
        SpragVec3 origin = solid->vertices[loop[0]], twice = {0, 0, 0};
        for (int i = 1; i + 1 < n; i++)
            twice = sprag_vec3_add(
                twice, sprag_vec3_cross(sprag_vec3_sub(solid->vertices[loop[i]], origin),
                                        sprag_vec3_sub(solid->vertices[loop[i + 1]], origin)));
        solid->normals[f] = sprag_vec3_unit(twice);
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += sprag_vec3_dot(solid->normals[f], solid->vertices[loop[i]]);
        solid->offsets[f] = sum / n;
    }
}

typedef struct Edge {
    int low, high, face;
    bool forward; // the face runs from low to high
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->forward != q->forward ? (p->forward ? -1 : 1) : 0;
}

static bool put_edges(SpragSolid *solid, Edge *edges)
{
    int count = 0;
    for (int f = 0; f < solid->face_count; f++) {
        int begin = solid->face_first[f], end = solid->face_first[f + 1];
        for (int i = begin; i < end; i++) {
            int a = solid->face_vertices[i];
            int b = solid->face_vertices[i + 1 < end ? i + 1 : begin];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, f, a < b};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i + 1 < count; i += 2) {
        const Edge *left = &edges[i], *right = left + 1;
        if (left->low != right->low || left->high != right->high || !left->forward ||
            right->forward)
            return false;
        solid->edge_vertices[i] = left->low;
        solid->edge_vertices[i + 1] = left->high;
        solid->edge_faces[i] = left->face;
        solid->edge_faces[i + 1] = right->face;
    }
    return count % 2 == 0;
}

// *solid stays NULL if the edges do not fit together.
static SpragStatus build_solid(const Faces *faces, SpragSolid **solid)
{
    int corners = faces->first[faces->face_count];
    SpragSolid *made = solid_alloc(faces->context, faces->corner_count, faces->face_count, corners);
    Edge *edges = sprag_alloc(faces->context, (size_t)corners, sizeof *edges);
    Loop *loops = sprag_alloc(faces->context, (size_t)faces->face_count, sizeof *loops);
    bool fits = false;
    if (made && edges && loops) {
        for (int i = 0; i < faces->count; i++)
            if (faces->number[i] >= 0)
                made->vertices[faces->number[i]] = faces->points[i];
        put_loops(faces, loops, made);
        put_planes(made);
        fits = put_edges(made, edges);
    }
    SpragStatus status = made && edges && loops ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    sprag_free(faces->context, loops);
    sprag_free(faces->context, edges);
    if (fits)
        *solid = made;
    else
        sprag_solid_destroy(faces->context, made);
    return status;
}

static SpragStatus find_faces(Faces *faces, double flatness, SpragSolid **solid)
{
    SideFault fault;
    int where;
    SPRAG_TRY(sides_match(faces->context, faces->triangle_count, faces->triangles, faces->across,
                          &fault, &where));
    if (fault != SIDES_GOOD)
        return sprag_fail(faces->context, SPRAG_ERROR_INPUT,
                          "the convex hull of the points is not closed, so thin it is");
    SPRAG_TRY(rank_triangles(faces));
    const double finest = 1e-16, finer = 0.01;
    for (; !*solid && flatness > finest; flatness *= finer) {
        grow_faces(faces, flatness * faces->size);
        count_corners(faces);
        if (collect_loops(faces))
            SPRAG_TRY(build_solid(faces, solid));
    }
    return *solid ? SPRAG_OK
                  : sprag_fail(faces->context, SPRAG_ERROR_INPUT,
                               "the faces of the convex hull cannot be told apart");
}

SpragStatus solid_from_triangles(SpragContext *context, int count, const SpragVec3 *points,
                                 int triangle_count, const int *triangles, double flatness,
                                 SpragSolid **solid)
{
    size_t n = (size_t)triangle_count, v = (size_t)count;
    *solid = NULL;
    Faces faces = {.context = context,
                   .count = count,
                   .triangle_count = triangle_count,
                   .points = points,
                   .triangles = triangles};
    SpragVec3 centre;
    faces.size = points_size(count, points, &centre);
    // across 3n, face n, order n, stack n, loops 3n, first n + 1, faces_at v, number v
    int *indices = sprag_alloc(context, 10 * n + 1 + 2 * v, sizeof *indices);
    double *numbers = sprag_alloc(context, 4 * n, sizeof *numbers);
    SpragStatus status = SPRAG_ERROR_MEMORY;
    if (indices && numbers) {
        faces.across = indices;
        faces.face = faces.across + 3 * n;
        faces.order = faces.face + n;
        faces.stack = faces.order + n;
        faces.loops = faces.stack + n;
        faces.first = faces.loops + 3 * n;
        faces.faces_at = faces.first + n + 1;
        faces.number = faces.faces_at + v;
        faces.normal = (SpragVec3 *)numbers;
        faces.area = numbers + 3 * n;
        status = find_faces(&faces, flatness, solid);
    }
    sprag_free(context, indices);
    sprag_free(context, numbers);
    return status;
}

// epa.c: depth of overlap of two convex shapes by an expanding polytope.
// Problem   the nearest point of the boundary of the difference of two convex sets to the origin,
//           which is inside.
// Method    a polytope inside the difference grows: the support along the normal of its face
//           nearest to the origin either does not leave that face, which then is the answer, or
//           becomes a vertex, theory.md (13.24) with the depth of [Bergen2001, p. 1]. A support
//           bounds the depth from above, the nearest face from below: the best direction is kept.
//           Exact for polyhedra; a curved side is approached until the bounds meet up to rounding.
// Assumes   few points: all faces are looked at in each step. Nothing is allocated.
// Flat      a difference without volume (crossing segments, coinciding points) has depth 0 along
//           its normal.
#include <math.h>

#include "convex_private.h"

enum { POINTS = 256, FACES = 2 * POINTS, EDGES = 3 * FACES };
// What a support must gain, and a spread that is none, relative to the sizes.
static const double GAIN = 1e-13, FLAT = 1e-13, SLACK = 1e-14;
// Points of a simplex that are nearer than this to what the others span make slivers. Without them
// the origin may be outside by as much: the faces that see it grow first.
static const double SPREAD = 1e-6;
static const double ROUGH_GAIN = 1e-7;

typedef struct Face {
    int i, j, k; // counter-clockwise seen from outside
    SpragVec3 n;
    double offset;
} Face;

typedef struct Polytope {
    double slack; // heights that are rounding
    int point_count, face_count;
    SimplexPoint point[POINTS];
    Face face[FACES];
} Polytope;

typedef struct Edge {
    int from, to;
} Edge;

static bool make_face(const Polytope *polytope, int i, int j, int k, Face *face)
{
    SpragVec3 a = polytope->point[i].w, b = polytope->point[j].w, c = polytope->point[k].w;
    SpragVec3 e = sprag_vec3_sub(b, a), f = sprag_vec3_sub(c, a), n = sprag_vec3_cross(e, f);
    double size = sprag_vec3_norm(n);
    if (!(size > FLAT * sprag_vec3_norm(e) * sprag_vec3_norm(f)))
        return false;
    face->i = i;
    face->j = j;
    face->k = k;
    face->n = sprag_vec3_scale(1 / size, n);
    face->offset = sprag_vec3_dot(face->n, a);
    return true;
}

// ---- The first tetrahedron ----------------------------------------------------------------------

// How far a point is from what the first `count` points span.
static double spread_from(const Polytope *polytope, int count, SpragVec3 w)
{
    SpragVec3 a = polytope->point[0].w, d = sprag_vec3_sub(w, a);
    if (count == 1)
        return sprag_vec3_norm(d);
    SpragVec3 e = sprag_vec3_unit(sprag_vec3_sub(polytope->point[1].w, a));
    if (count == 2)
        return sprag_vec3_norm(sprag_vec3_cross(e, d));
    SpragVec3 n = sprag_vec3_cross(e, sprag_vec3_sub(polytope->point[2].w, a));
    return fabs(sprag_vec3_dot(sprag_vec3_unit(n), d));
}

// Directions across what the first points span.
static int directions_across(const Polytope *polytope, int count, SpragVec3 out[3])
{
    static const SpragVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    SpragVec3 a = polytope->point[0].w;
    if (count == 1) {
        for (int i = 0; i < 3; i++)
            out[i] = axes[i];
        return 3;
    }
    SpragVec3 e = sprag_vec3_unit(sprag_vec3_sub(polytope->point[1].w, a));
    if (count == 3) {
        SpragVec3 f = sprag_vec3_sub(polytope->point[2].w, a);
        out[0] = sprag_vec3_unit(sprag_vec3_cross(e, f));
        return 1;
    }
    out[0] = sprag_vec3_unit(sprag_vec3_cross(e, axes[frame_axis(e)]));
    out[1] = sprag_vec3_cross(e, out[0]);
    return 2;
}

// Adds the support that spreads the points most; false: the difference is flat.
static bool grow(const Difference *difference, Polytope *polytope)
{
    SpragVec3 directions[3];
    int count = polytope->point_count;
    int ways = directions_across(polytope, count, directions);
    double best = FLAT * difference->size;
    for (int i = 0; i < 2 * ways; i++) {
        SpragVec3 d = sprag_vec3_scale(i & 1 ? -1 : 1, directions[i / 2]);
        SimplexPoint point = difference_support(difference, d);
        double spread = spread_from(polytope, count, point.w);
        if (spread > best) {
            best = spread;
            polytope->point[count] = point;
            polytope->point_count = count + 1;
        }
    }
    return polytope->point_count > count;
}

// The points that GJK left, as far as they spread, and further ones up to four.
static bool build(const Difference *difference, const Simplex *simplex, Polytope *polytope)
{
    polytope->point_count = 0;
    polytope->face_count = 0;
    polytope->slack = SLACK * difference->size;
    for (int i = 0; i < simplex->count; i++) {
        int count = polytope->point_count;
        double spread = count == 0 ? INFINITY : spread_from(polytope, count, simplex->point[i].w);
        if (spread > SPREAD * difference->size)
            polytope->point[polytope->point_count++] = simplex->point[i];
    }
    while (polytope->point_count < 4)
        if (!grow(difference, polytope))
            return false;
    SpragVec3 n = sprag_vec3_cross(sprag_vec3_sub(polytope->point[1].w, polytope->point[0].w),
                                   sprag_vec3_sub(polytope->point[2].w, polytope->point[0].w));
    SpragVec3 d = sprag_vec3_sub(polytope->point[3].w, polytope->point[0].w);
    if (sprag_vec3_dot(n, d) > 0) {
        SimplexPoint swap = polytope->point[1];
        polytope->point[1] = polytope->point[2];
        polytope->point[2] = swap;
    }
    static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int i = 0; i < 4; i++)
        if (!make_face(polytope, faces[i][0], faces[i][1], faces[i][2], &polytope->face[i]))
            return false;
    polytope->face_count = 4;
    return true;
}

// ---- Growth -------------------------------------------------------------------------------------

static int nearest_face(const Polytope *polytope)
{
    int best = 0;
    for (int i = 1; i < polytope->face_count; i++)
        if (polytope->face[i].offset < polytope->face[best].offset)
            best = i;
    return best;
}

// Removes an edge that is there the other way round: both its faces go.
static void toggle(Edge *edges, int *count, int from, int to)
{
    for (int i = 0; i < *count; i++) {
        if (edges[i].from == to && edges[i].to == from) {
            edges[i] = edges[--*count];
            return;
        }
    }
    edges[(*count)++] = (Edge){from, to};
}

// Puts a vertex outside: the faces that it sees go, their outline is joined to it. False: rounding
// does not allow it, and nothing is changed.
static bool expand(Polytope *polytope, const SimplexPoint *point)
{
    Edge edges[EDGES];
    Face fresh[EDGES];
    bool seen[FACES];
    int edge_count = 0, seen_count = 0, corner = polytope->point_count;
    for (int i = 0; i < polytope->face_count; i++) {
        const Face *face = &polytope->face[i];
        // faces in one plane with the vertex go too: they would leave slivers
        seen[i] = sprag_vec3_dot(face->n, point->w) > face->offset - polytope->slack;
        if (!seen[i])
            continue;
        seen_count++;
        toggle(edges, &edge_count, face->i, face->j);
        toggle(edges, &edge_count, face->j, face->k);
        toggle(edges, &edge_count, face->k, face->i);
    }
    if (edge_count < 3 || polytope->face_count - seen_count + edge_count > FACES)
        return false;
    polytope->point[corner] = *point;
    for (int i = 0; i < edge_count; i++)
        if (!make_face(polytope, edges[i].from, edges[i].to, corner, &fresh[i]))
            return false;
    int count = 0;
    for (int i = 0; i < polytope->face_count; i++)
        if (!seen[i])
            polytope->face[count++] = polytope->face[i];
    for (int i = 0; i < edge_count; i++)
        polytope->face[count++] = fresh[i];
    polytope->face_count = count;
    polytope->point_count = corner + 1;
    return true;
}

// ---- The answer ---------------------------------------------------------------------------------

// Weights of the foot of the origin on a face.
static void carry(const Polytope *polytope, const Face *face, Simplex *simplex)
{
    const int index[3] = {face->i, face->j, face->k};
    SpragVec3 foot = sprag_vec3_scale(face->offset, face->n), p[3];
    double sum = 0;
    simplex->count = 3;
    for (int i = 0; i < 3; i++) {
        simplex->point[i] = polytope->point[index[i]];
        p[i] = sprag_vec3_sub(simplex->point[i].w, foot);
    }
    for (int i = 0; i < 3; i++) {
        SpragVec3 across = sprag_vec3_cross(p[(i + 1) % 3], p[(i + 2) % 3]);
        simplex->weight[i] = fmax(0, sprag_vec3_dot(face->n, across));
        sum += simplex->weight[i];
    }
    for (int i = 0; i < 3; i++)
        simplex->weight[i] = sum > 0 ? simplex->weight[i] / sum : i == 0;
}

// No volume: any direction across it parts the shapes.
static double flat_depth(const Polytope *polytope, Simplex *simplex, SpragVec3 *n)
{
    SpragVec3 directions[3];
    int count = polytope->point_count;
    directions_across(polytope, count < 3 ? count : 3, directions);
    *n = count == 1 ? directions[2] : directions[0];
    if (simplex->count == 4) {
        simplex->count = 1;
        simplex->weight[0] = 1;
    }
    return 0;
}

double epa_run(const Difference *difference, Simplex *simplex, SpragVec3 *n)
{
    Polytope polytope;
    if (!build(difference, simplex, &polytope))
        return flat_depth(&polytope, simplex, n);
    // a curved side is refined by gjk.c from a rough direction
    bool curved =
        difference->a->kind == SPRAG_SHAPE_CYLINDER || difference->b->kind == SPRAG_SHAPE_CYLINDER;
    double enough = (curved ? ROUGH_GAIN : GAIN) * difference->size, depth = INFINITY,
           before = -INFINITY;
    Face best = polytope.face[0];
    while (polytope.point_count < POINTS) {
        Face face = polytope.face[nearest_face(&polytope)];
        // the faces only move outwards: one that does not is a sliver turned by rounding
        if (face.offset < before - polytope.slack)
            break;
        SimplexPoint point = difference_support(difference, face.n);
        double bound = sprag_vec3_dot(face.n, point.w);
        before = face.offset;
        simplex->steps++;
        if (bound < depth) {
            depth = bound;
            best = face;
        }
        if (depth - face.offset <= enough || !expand(&polytope, &point))
            break;
    }
    carry(&polytope, &best, simplex);
    *n = sprag_vec3_scale(-1, best.n);
    return fmax(0, depth);
}

// convex_polish.c: the distance of a cylinder from another convex shape in closed form.
// Problem   GJK approaches a curved side by triangles: slowly, and with the rounding of thin ones.
// Method    from a rough answer the features that meet are few: of the cylinder its side, a rim or
//           a flat end, of a polyhedron or core what the simplex is made of. Each pair of them has
//           an exact gap (piece.c). It is right if its places lie on the features and if the
//           supports along its normal agree with it: theory.md (13.23) leaves no room then.
#include <math.h>

#include "convex_private.h"
#include "special_private.h"

// How far an exact answer may be from the rough one, relative to the sizes.
static const double NEAR = 1e-3;
// A distance below this part of the sizes has no normal to go by: all features are tried.
static const double TINY = 1e-4;
// Two bounds of the distance agree, relative to the sizes.
static const double AGREE = 2e-15;
// Sine within which a normal may belong to a neighbouring feature of a cylinder.
static const double BESIDE = 0.05;
enum { FEATURES = 7 };

// A feature of one of the two shapes, in the frame of its body.
typedef struct Feature {
    SpragPiece piece;
    bool bounded; // a line with ends, a face that is the triangle of the points
    SpragVec3 end[3];
} Feature;

// ---- Candidates ---------------------------------------------------------------------------------

static int cylinder_features(const SpragShape *shape, SpragVec3 out, bool all, Feature *features)
{
    SpragVec3 u = sprag_vec3_unit(sprag_vec3_sub(shape->points[1], shape->points[0]));
    double along = sprag_vec3_dot(out, u), across = sprag_vec3_norm(sprag_vec3_cross(out, u));
    int count = 0, end = along > 0 ? 1 : 0;
    // rims last: two of them are the dearest pair
    if (across < BESIDE || all)
        features[count++] = (Feature){.piece = cylinder_end_piece(shape, end)};
    if (all)
        features[count++] = (Feature){.piece = cylinder_end_piece(shape, 1 - end)};
    if (fabs(along) < BESIDE || all)
        features[count++] = (Feature){.piece = cylinder_side_piece(shape),
                                      .bounded = true,
                                      .end = {shape->points[0], shape->points[1]}};
    features[count++] = (Feature){.piece = cylinder_rim_piece(shape, end)};
    if (fabs(along) < BESIDE || all)
        features[count++] = (Feature){.piece = cylinder_rim_piece(shape, 1 - end)};
    return count;
}

// A point, a segment or a triangle of vertices.
static Feature vertex_feature(const SpragShape *shape, const int *ids, int count, SpragVec3 out)
{
    Feature feature = {.bounded = count > 1};
    for (int k = 0; k < count; k++)
        feature.end[k] = shape->points[ids[k]];
    SpragVec3 e = sprag_vec3_sub(feature.end[1], feature.end[0]);
    if (count == 1) {
        feature.piece = piece_point(feature.end[0], 0);
    } else if (count == 2) {
        feature.piece = piece_line(feature.end[0], e, 0);
    } else {
        SpragVec3 n = sprag_vec3_cross(e, sprag_vec3_sub(feature.end[2], feature.end[0]));
        if (sprag_vec3_dot(n, out) < 0)
            n = sprag_vec3_scale(-1, n);
        feature.piece = piece_plane(feature.end[0], sprag_vec3_unit(n));
    }
    return feature;
}

// What the vertices of a simplex make, and the parts of that: close to touching the simplex has
// more vertices than the place that is nearest.
static int vertex_features(const SpragShape *shape, const Simplex *simplex, int side, SpragVec3 out,
                           Feature *features)
{
    int ids[5], known = 0, count = 0;
    for (int i = 0; i < simplex->count && known < 3; i++) {
        bool fresh = true;
        for (int k = 0; k < known; k++)
            fresh = fresh && ids[k] != simplex->point[i].id[side];
        if (fresh)
            ids[known++] = simplex->point[i].id[side];
    }
    ids[known] = ids[0]; // round the triangle
    if (known == 3)
        features[count++] = vertex_feature(shape, ids, 3, out);
    for (int k = 0; k < (known == 3 ? 3 : known - 1); k++)
        features[count++] = vertex_feature(shape, &ids[k], 2, out);
    for (int k = 0; k < known; k++)
        features[count++] = vertex_feature(shape, &ids[k], 1, out);
    return count;
}

// ---- Checks -------------------------------------------------------------------------------------

// Whether the place of a piece lies on the feature it stands for.
static bool holds(const SpragShape *shape, const Feature *feature, SpragVec3 p)
{
    if (feature->piece.kind == SPRAG_PIECE_LINE) {
        SpragVec3 e = sprag_vec3_sub(feature->end[1], feature->end[0]);
        double along = sprag_vec3_dot(e, sprag_vec3_sub(p, feature->end[0]));
        return along >= 0 && along <= sprag_vec3_dot(e, e);
    }
    if (feature->piece.kind != SPRAG_PIECE_PLANE)
        return true;
    if (feature->bounded) {
        int where;
        point_triangle(p, feature->end, &where);
        return where == 0;
    }
    SpragVec3 d = sprag_vec3_sub(p, feature->piece.point);
    return sprag_vec3_norm(sprag_vec3_cross(d, feature->piece.axis)) <= shape->radius;
}

typedef struct Polish {
    const Difference *difference;
    SpragPose pose[2];
    double size;
    double rough; // distance so far, and its normal
    SpragVec3 n;
} Polish;

// The gap of two features, if it is the distance of the shapes.
static bool try_pair(const Polish *polish, const Feature *a, const Feature *b, SpragSpaceGap *gap)
{
    const Difference *difference = polish->difference;
    if (!piece_gap(&a->piece, &polish->pose[0], &b->piece, &polish->pose[1], -1, false, gap))
        return false;
    if (!(gap->gap > 0) || fabs(gap->gap - polish->rough) > NEAR * polish->size)
        return false;
    if (!holds(difference->a, a, pose_to_local(&polish->pose[0], gap->point[0])) ||
        !holds(difference->b, b, pose_to_local(&polish->pose[1], gap->point[1])))
        return false;
    SimplexPoint low = difference_support(difference, sprag_vec3_scale(-1, gap->normal));
    double bound = sprag_vec3_dot(gap->normal, low.w);
    return fabs(bound - gap->gap) <= AGREE * (polish->size + gap->gap);
}

// Lines are directed: two of them by the normal, one against a rim by which crossing is meant.
static bool try_both_ways(const Polish *polish, const Feature *a, const Feature *b,
                          SpragSpaceGap *gap)
{
    if (try_pair(polish, a, b, gap))
        return true;
    Feature turned[2] = {*a, *b};
    for (int i = 0; i < 2; i++) {
        if (turned[i].piece.kind != SPRAG_PIECE_LINE)
            continue;
        turned[i].piece.axis = sprag_vec3_scale(-1, turned[i].piece.axis);
        return try_pair(polish, &turned[0], &turned[1], gap);
    }
    return false;
}

bool convex_polish(const Difference *difference, const Simplex *simplex, SpragSpaceGap *gap)
{
    Polish polish = {.difference = difference, .size = difference->size};
    polish.rough = sprag_vec3_norm(simplex->v);
    polish.n = sprag_vec3_scale(1 / polish.rough, simplex->v);
    polish.pose[0].R = sprag_mat3_identity();
    polish.pose[1].x = difference->x;
    polish.pose[1].R = difference->R;
    Feature features[2][FEATURES];
    int count[2];
    bool tiny = polish.rough < TINY * polish.size;
    for (int side = 0; side < 2; side++) {
        const SpragShape *shape = side ? difference->b : difference->a;
        SpragVec3 out =
            side ? sprag_mat3_apply_back(&difference->R, polish.n) : sprag_vec3_scale(-1, polish.n);
        count[side] = shape->kind == SPRAG_SHAPE_CYLINDER
                          ? cylinder_features(shape, out, tiny, features[side])
                          : vertex_features(shape, simplex, side, out, features[side]);
    }
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++)
            if (try_both_ways(&polish, &features[0][i], &features[1][j], gap))
                return true;
    return false;
}
